#ifndef LT_BASE_DTYPE_H
#define LT_BASE_DTYPE_H

#include "math/base.h"

#if !LT_ON_GPU
/* As a macro, bool would turn into _Bool inside names pasted from the table (C11 7.18 allows this). */
#undef bool
typedef _Bool bool;
#endif

/* THE dtype table: one row for each dtype. No other list has facts about dtypes.
**    name     the dtype's name in scripts
**    store    C type of an element in memory; float16 and bfloat16 are bit patterns
**    compute  dtype of arithmetic, which is wider than the stored dtype for half floats
**    accum    dtype of sums and products
**    kind     class for promotion
**    digits   binary digits of a float's significand, including the hidden one; 0: not a real float
**    exponent bits of a float's exponent
**    numpy    NumPy's letter for the kind: "f4" is float32; 0: NumPy has no such dtype
**    dlpack   code of DLPack's DLDataTypeCode
*/
#define DTYPES(X)                                                                             \
  /* name     store         compute     accum       kind  digits exponent numpy dlpack */     \
  X(bool,       bool,         bool,       int64,      BOOL,     0,        0,    'b',       6) \
  X(uint8,      uint8_t,      uint8,      uint64,     UINT,     0,        0,    'u',       1) \
  X(uint16,     uint16_t,     uint16,     uint64,     UINT,     0,        0,    'u',       1) \
  X(uint32,     uint32_t,     uint32,     uint64,     UINT,     0,        0,    'u',       1) \
  X(uint64,     uint64_t,     uint64,     uint64,     UINT,     0,        0,    'u',       1) \
  X(int8,       int8_t,       int8,       int64,      INT,      0,        0,    'i',       0) \
  X(int16,      int16_t,      int16,      int64,      INT,      0,        0,    'i',       0) \
  X(int32,      int32_t,      int32,      int64,      INT,      0,        0,    'i',       0) \
  X(int64,      int64_t,      int64,      int64,      INT,      0,        0,    'i',       0) \
  X(float16,    uint16_t,     float32,    float16,    FLOAT,   11,        5,    'f',       2) \
  X(bfloat16,   uint16_t,     float32,    bfloat16,   FLOAT,    8,        8,      0,       4) \
  X(float32,    float,        float32,    float32,    FLOAT,   24,        8,    'f',       2) \
  X(float64,    double,       float64,    float64,    FLOAT,   53,       11,    'f',       2) \
  X(complex64,  complex64_t,  complex64,  complex64,  COMPLEX,  0,        0,    'c',       5) \
  X(complex128, complex128_t, complex128, complex128, COMPLEX,  0,        0,    'c',       5)

enum dtype {
#define DTYPE_ID(name, ...) DT_##name,
  DTYPES(DTYPE_ID)
#undef DTYPE_ID
  DTYPE_COUNT,
  DT_none = -1
};

enum dtype_kind { KIND_BOOL, KIND_UINT, KIND_INT, KIND_FLOAT, KIND_COMPLEX };

#if !LT_ON_GPU
typedef struct dtype_info {
  const char *name;
  uint8_t size;               /* bytes of an element */
  uint8_t kind;               /* enum dtype_kind */
  uint8_t compute, accum;     /* enum dtype */
  uint8_t digits, exponent;   /* of floats */
  char    numpy;
  uint8_t dlpack;
} dtype_info;

extern const dtype_info dtypes[DTYPE_COUNT];
#endif

/* Classes of dtypes: the `dtypes` column of ops.def. */
enum dtype_class {
  CLASS_ANY,        /* every dtype */
  CLASS_NUMERIC,    /* all but bool */
  CLASS_REALS,      /* integers and real floats */
  CLASS_INTEGER,    /* integers */
  CLASS_BITS,       /* bool and integers */
  CLASS_FLOAT,      /* floats, including complex ones; integers and bool become the default float */
  CLASS_REALFLOAT   /* real floats; integers and bool become the default float */
};

/* For each class: M(dtype, C type, ...) for each of its compute dtypes. Kernels are made from these lists. */
#define EACH_INTEGER(M, ...)                                                              \
  M(uint8, uint8_t, __VA_ARGS__) M(uint16, uint16_t, __VA_ARGS__)                         \
  M(uint32, uint32_t, __VA_ARGS__) M(uint64, uint64_t, __VA_ARGS__)                       \
  M(int8, int8_t, __VA_ARGS__) M(int16, int16_t, __VA_ARGS__)                             \
  M(int32, int32_t, __VA_ARGS__) M(int64, int64_t, __VA_ARGS__)
#define EACH_REALFLOAT(M, ...) M(float32, float, __VA_ARGS__) M(float64, double, __VA_ARGS__)
#define EACH_COMPLEX(M, ...) M(complex64, complex64_t, __VA_ARGS__) M(complex128, complex128_t, __VA_ARGS__)
#define EACH_FLOAT(M, ...) EACH_REALFLOAT(M, __VA_ARGS__) EACH_COMPLEX(M, __VA_ARGS__)
#define EACH_BITS(M, ...) M(bool, _Bool, __VA_ARGS__) EACH_INTEGER(M, __VA_ARGS__)
#define EACH_REALS(M, ...) EACH_INTEGER(M, __VA_ARGS__) EACH_REALFLOAT(M, __VA_ARGS__)
#define EACH_ORDERED(M, ...) M(bool, _Bool, __VA_ARGS__) EACH_REALS(M, __VA_ARGS__)
#define EACH_NUMERIC(M, ...) EACH_INTEGER(M, __VA_ARGS__) EACH_FLOAT(M, __VA_ARGS__)
#define EACH_ANY(M, ...) M(bool, _Bool, __VA_ARGS__) EACH_NUMERIC(M, __VA_ARGS__)

/* Classes whose functions (exp, tanh and similar) are slow for each element. */
#define COSTLY_ANY false
#define COSTLY_NUMERIC false
#define COSTLY_REALS false
#define COSTLY_INTEGER false
#define COSTLY_BITS false
#define COSTLY_FLOAT true
#define COSTLY_REALFLOAT true

#if !LT_ON_GPU
static inline int      dtype_size(enum dtype d)    { return dtypes[d].size; }
static inline int      dtype_kind(enum dtype d)    { return dtypes[d].kind; }
static inline enum dtype dtype_compute(enum dtype d) { return (enum dtype)dtypes[d].compute; }

/* True for floats whose stored elements are narrower than their compute dtype. */
static inline bool     dtype_is_narrow(enum dtype d) { return dtypes[d].compute != (uint8_t)d; }

enum dtype dtype_real(enum dtype d);      /* returns the dtype of a complex dtype's parts; other dtypes are returned
                                          ** unchanged */
enum dtype dtype_complex(enum dtype d);   /* returns the complex dtype with such parts; integers count as the default
                                          ** float */

enum dtype dtype_find(const char *name);             /* returns DT_none for an unknown name */
enum dtype dtype_promote(enum dtype a, enum dtype b);/* follows the standard's table; api.md §1 has the rest */
bool       dtype_in_class(enum dtype d, enum dtype_class c);

/* Returns the dtype of float results from operands without floats: "float32" unless lt.set_default_dtype changed it. */
enum dtype dtype_default_float(void);
void       dtype_set_default_float(enum dtype d);
#endif

#endif
