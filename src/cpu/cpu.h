#ifndef LT_CPU_CPU_H
#define LT_CPU_CPU_H

/* Internal declarations of the CPU device: the functions that families.def lists, and the tables of kernels (inner
** loops). Each instruction set (ISA) has its own tables. */

#include "base/device.h"

#ifndef ISA
#define ISA base
#endif
#define ISA_PASTE_(name, isa) name##_##isa
#define ISA_PASTE(name, isa) ISA_PASTE_(name, isa)
#define ISA_NAME(name) ISA_PASTE(name, ISA)     /* for ISA avx2, ISA_NAME(map_table) is map_table_avx2 */

/* Computes out[i] = op(in[0][i], …) for i < n. All arrays are contiguous. The inputs have the compute dtype, and out
** has the result's dtype. out may be one of the inputs. */
typedef void (*map_kernel)(int64_t n, void *out, const void *const *in);
typedef struct map_table { map_kernel kernel[OP_COUNT][DTYPE_COUNT]; } map_table;

/* Kernels of ops on half floats, which read and write half floats and compute in float32, indexed by [op][dtype is
** bfloat16]. NULL: there is none. */
typedef struct half_table { map_kernel kernel[OP_COUNT][2]; } half_table;

/* Kernels of two ops after each other, for float32 and float64: in[0] and in[1] are the inputs of the first op, in[2] is the
** other input of the second op. PAIR_subtract_from is in[2] - the first result, and is a second op only. The table is
** indexed by [dtype][first op][second op][in[1] is one element instead of an array]; other dtypes have no kernels. */
enum pair_op { PAIR_add, PAIR_subtract, PAIR_multiply, PAIR_subtract_from, PAIR_OPS };
typedef struct pair_table { map_kernel kernel[DTYPE_COUNT][PAIR_subtract_from][PAIR_OPS][2]; } pair_table;

/* Computes dst[i] = (dtype of dst)src[i] for i < n. Both arrays are contiguous. The table is indexed by
** [from][to]. */
typedef void (*convert_kernel)(int64_t n, void *dst, const void *src);
/* A copy between two layouts: to[r * to_row + c * to_col] = from[r * from_row + c * from_col] for all rows r and
** columns c. convert_table.copy has kernels for elements of 1, 2, 4, 8 and 16 bytes, indexed by the logarithm (base
** 2) of the size. */
typedef struct copy_plan {
  int64_t rows, cols;
  int64_t to_row, to_col, from_row, from_col;   /* strides in elements */
} copy_plan;
typedef void (*copy_kernel)(const copy_plan *p, void *to, const void *from);
typedef struct convert_table {
  convert_kernel convert[DTYPE_COUNT][DTYPE_COUNT];
  copy_kernel    copy[5];
} convert_table;

/* If an accumulator is a number, `fold` folds fewer than SHORT_FOLD elements into FEW_LANES accumulators: element i is
** folded into accumulator i % FEW_LANES, the last n % FEW_LANES elements first. Then it merges the second half of the
** accumulators into the first half, until one is left. */
enum {
  FEW_LANES  = 16,        /* few enough that gcc unrolls the merge */
  SHORT_FOLD = 64
};

/* Reduction kernels. An accumulator has `size` bytes, and an array of n accumulators is contiguous. `first` is the
** position of the first element within the reduction. */
typedef struct reduce_kernel {
  size_t     size;
  enum dtype gives;                   /* the dtype that `finish` writes */
  void (*init)(int64_t n, void *acc);
  /* merges the n >= 1 contiguous elements from x[r * stride] on into acc[r], for all r < rows */
  void (*fold)(int64_t rows, int64_t n, const void *x, int64_t stride, int64_t first, void *acc);
  /* merges x[r * stride + j] of all rows r < rows into acc[j], for j < n and rows >= 1 */
  void (*fold_columns)(int64_t rows, int64_t n, const void *x, int64_t stride, int64_t first, void *acc);
  /* merges accumulator later[j] into acc[j]; the elements of later[j] follow the elements of acc[j] */
  void (*merge)(int64_t n, void *acc, const void *later);
  void (*finish)(int64_t many, const void *acc, void *out, double n, double correction);
} reduce_kernel;
typedef struct reduce_table { reduce_kernel kernel[REDUCE_COUNT][DTYPE_COUNT]; } reduce_table;

/* Kernels of reductions that read half floats, with the accumulators and the bits of the kernels for float32, indexed by
** [op][dtype is bfloat16]. NULL: there is none. `fold` takes at least HALF_FOLD elements. */
enum { HALF_FOLD = 256 };
typedef struct half_reduce_kernel {
  void (*fold)(int64_t rows, int64_t n, const uint16_t *x, int64_t stride, void *acc);
  void (*fold_columns)(int64_t rows, int64_t n, const uint16_t *x, int64_t stride, void *acc);
} half_reduce_kernel;
typedef struct half_reduce_table { half_reduce_kernel kernel[REDUCE_COUNT][2]; } half_reduce_table;

/* Draws `runs` runs of random numbers (random.h), the first of them with counter value `counter`, and writes the
** numbers to out in the compute dtype (int64 for integers). A run has 64 elements, or 32 elements if each needs 64
** random bits. */
typedef void (*random_kernel)(const random_call *c, uint64_t counter, int64_t runs, void *out);
typedef struct random_table { random_kernel draw[RANDOM_COUNT][DTYPE_COUNT]; } random_table;

/* `count` products of small matrices, c = alpha a b + beta c, of any strides. a_next, b_next and c_next are the elements
** from one matrix to the next. c must not overlap a and b. A product is fastest if the rows of c are contiguous. */
enum { DIRECT_K = 128 };         /* the largest k: a strip of b of this length takes 16 KiB of the stack on AVX-512 */
typedef struct direct_product {
  int64_t     m, n, k, count;
  const void *a, *b;
  void       *c;
  int64_t     a_stride[2], b_stride[2], c_stride[2], a_next, b_next, c_next;
  scalar      alpha, beta;
} direct_product;

/* Dot products of `rows` pairs of rows of k elements. a_stride and b_stride are the strides from row to row and along a
** row. c is contiguous. */
typedef struct row_dots {
  int64_t     rows, k;
  const void *a, *b;
  void       *c;
  int64_t     a_stride[2], b_stride[2];
} row_dots;

/* luatensor's own matrix products. Matrices a and b are packed into panels of elements of dtype `compute`. A panel of
** a has `rows` rows and k columns, and a panel of b has k rows and `columns` columns. A tile is the product of two
** panels, computed in registers. Each dtype of c has a kernel. */
typedef struct gemm_kernel {
  enum dtype compute;
  int        rows, columns;
  /* Sets c to the matrix product of panel a and panel b, or adds the product to c if `add` is true. c has
  ** rows × columns elements of the compute dtype, and its rows are `row` elements apart. */
  void (*tile)(int64_t k, const void *a, const void *b, void *c, int64_t row, bool add);
  /* dot adds a · b to *sum, and axpy adds factor * x to y, for n contiguous elements of the compute dtype */
  void (*dot)(int64_t n, const void *a, const void *b, void *sum);
  void (*axpy)(int64_t n, const void *factor, const void *x, void *y);
  /* Adds dot products of elements of the compute dtype to c. NULL for integers, and without FMA. */
  void (*dots)(const row_dots *d);
  /* computes c = alpha * tile + beta * c for m × n elements of c's dtype with any strides; for half floats, c is
  ** float32 */
  void (*merge)(int64_t m, int64_t n, const void *tile, int64_t row, void *c, const int64_t stride[2],
                scalar alpha, scalar beta);
  void (*direct)(const direct_product *p);     /* NULL for other dtypes than float32 and float64, and without FMA */
} gemm_kernel;
typedef struct gemm_table { gemm_kernel kernel[DTYPE_COUNT]; } gemm_table;

/* Products of rows of half floats and a vector of float32, indexed by [dtype is bfloat16]. NULL on processors without
** instructions for half floats. */
typedef struct half_gemv_table {
  void (*dot[2])(int64_t n, const void *x, const float *v, float *sum);      /* adds x · v to *sum */
  /* adds factor[r] * x[r * stride + j] of all rows r < rows to sum[j], for j < n */
  void (*add_rows[2])(int64_t rows, int64_t n, const void *x, int64_t stride, const float *factor, float *sum);
} half_gemv_table;

/* Several lines of n elements each, which a kernel processes together. A line is a sequence of elements along one dim.
** x_line and out_line are the strides from line to line; x_step and out_step are the strides along a line. All strides
** are in elements. Either the elements of a line are contiguous (both steps are 1), or neighbouring lines are adjacent
** (x_line and out_line are 1). out may be equal to x. */
typedef struct line_tile {
  int64_t     lines, n;
  const void *x;
  int64_t     x_line, x_step;
  void       *out;
  int64_t     out_line, out_step;
} line_tile;

/* Kernels of scans (cumulative sums and similar ops). carry[line] is the line's accumulator and has `size` bytes. A
** call of `scan` updates each accumulator by the elements of its line, so a long line can be scanned in several
** calls. */
typedef struct scan_kernel {
  size_t     size;
  enum dtype gives;
  void (*init)(int64_t n, void *carry);
  void (*put)(int64_t n, const void *carry, void *out, int64_t out_line);   /* sets out[line] = carry[line] for n
                                                                            ** lines */
  void (*scan)(const line_tile *t, void *carry);
} scan_kernel;
typedef struct scan_table { scan_kernel kernel[SCAN_COUNT][DTYPE_COUNT]; } scan_table;

typedef void (*softmax_kernel)(const line_tile *t);
typedef struct softmax_table { softmax_kernel kernel[SOFTMAX_COUNT]; } softmax_table;
typedef softmax_table softmax_float32_table, softmax_float64_table;

/* Intermediate results of the cross entropy of a row of n logits x, whose target is x[at]. */
typedef struct cross_entropy_row {
  double largest, sum;                /* the largest element of x, and the sum of exp(x[i] - largest) */
  double loss;                        /* log(sum) - (x[at] - largest) */
} cross_entropy_row;
typedef struct cross_entropy_table {
  cross_entropy_row (*loss)(int64_t n, const void *x, int64_t at);
  /* sets out[i] = scale * (exp(x[i] - largest) / sum - (i == at)) */
  void (*gradient)(int64_t n, const void *x, int64_t at, const cross_entropy_row *row, double scale, void *out);
} cross_entropy_table;
typedef cross_entropy_table cross_entropy_float32_table, cross_entropy_float64_table;

/* Computes rows first … last - 1 of a call. */
typedef void (*cell_kernel)(const cell_call *c, int64_t first, int64_t last);
typedef struct cell_table { cell_kernel kernel[CELL_COUNT]; } cell_table;
typedef cell_table cell_float32_table, cell_float64_table;

/* Attention kernels for a row of n scores, which belong to one query. */
typedef struct attention_table {
  /* replaces scores by exp(score - maximum), returns the sum of these exponentials, and sets *log_sum, unless log_sum
  ** is NULL, to the logarithm of the sum of exp(score), which backward uses */
  double (*weights)(int64_t n, void *scores, double *log_sum);
  /* scale multiplies the row by the factor. add adds mask[i * step] to element i, and hide replaces element i by
  ** -infinity if mask[i * step] is false. dot returns a dot product. back replaces the scores by the weights, and the
  ** gradients of the weights by the gradients of the scores */
  void   (*scale)(int64_t n, void *row, double factor);
  void   (*add)(int64_t n, void *row, const void *mask, int64_t step);
  void   (*hide)(int64_t n, void *row, const bool *mask, int64_t step);
  double (*dot)(int64_t n, const void *a, const void *b);
  void   (*back)(int64_t n, void *scores, void *gradients, double log_sum, double delta);
} attention_table;
typedef attention_table attention_float32_table, attention_float64_table;
/* Normalisation kernels. The distance of element x[i] from the mean is (x[i] - from) - mean. `from` is the first
** element of the row or segment if the call computed the mean, else 0; `mean` is relative to `from`. */
typedef struct norm_moments { double n, mean, squares; } norm_moments;   /* squares: the sum of squared distances */
typedef struct norm_kernel {
  /* rows computes NORM_rows for rows begin … end - 1. rows_back computes the gradients of these rows, and stores their
  ** part of the gradients of the parameters in total [2][groups * segments]; `part` is scratch memory */
  void (*rows)(const norm_call *c, int64_t begin, int64_t end);
  void (*rows_back)(const norm_call *c, int64_t begin, int64_t end, void *part, double *total);
  void (*softmax_back)(const norm_call *c, int64_t begin, int64_t end);        /* computes the gradient of softmax or
                                                                               ** log_softmax */
  /* Kernels for n contiguous elements. `sums` adds g * distance to sum[0], and g to sum[1]. `apply` sets y = distance
  ** * by + add. `apply_back` sets out = g * by[0] + distance * by[1] + by[2]. */
  norm_moments (*moments)(int64_t n, const void *x);
  void (*sums)(int64_t n, const void *x, const void *g, double from, double mean, double *sum);
  void (*apply)(int64_t n, const void *x, double from, double mean, double by, double add, void *y);
  void (*apply_back)(int64_t n, const void *x, const void *g, double from, double mean, const double *by, void *out);
  /* Kernels for `count` rows of n columns, which use different parameters for each column. `by` is [4][n] or [5][n]:
  ** from, mean, and then the parameters of apply or apply_back */
  void (*column_moments)(int64_t count, int64_t n, const void *x, const void *from, double *sum, double *squares);
  void (*column_apply)(int64_t count, int64_t n, const void *x, const void *by, void *y);
  void (*column_sums)(int64_t count, int64_t n, const void *x, const void *g, const void *by, double *sum);
  void (*column_back)(int64_t count, int64_t n, const void *x, const void *g, const void *by, void *out);
} norm_kernel;
typedef norm_kernel norm_float32_table, norm_float64_table;

/* A summary of indices: the least and the greatest of 0 and all indices, and the number of zeros. */
typedef struct index_range { int64_t least, most, zeros; } index_range;

/* For i < n, a kernel of `get` copies target[at[i]] to values[i * stride], and a kernel of `put` copies values[i *
** stride] to target[at[i]]. A kernel of `add` adds values[i * stride] to target[at[i]]. The stride is in elements. */
typedef void (*index_kernel)(int64_t n, const int64_t *at, void *target, void *values, int64_t stride);

/* Indices that are `by` elements apart, of a dim with `length` elements and stride `step`. */
typedef struct place_run {
  const int64_t *index;
  int64_t        by, length, step;
} place_run;

typedef struct index_table {
  void (*survey)(int64_t n, const int64_t *index, index_range *r);
  /* places sets at[i] to first + i * line + place(index[i * by]) * step, where place is the 0-based position in a dim of
  ** `length` elements. more_places adds place(index[i * by]) * step to at[i] */
  void (*places)(int64_t n, int64_t *at, int64_t first, int64_t line, const place_run *r);
  void (*more_places)(int64_t n, int64_t *at, const place_run *r);
  index_kernel get[5], put[5];          /* indexed by log2 of an element's size: 1, 2, 4, 8 or 16 bytes */
  index_kernel add[DTYPE_COUNT];
  void (*add_row[DTYPE_COUNT])(int64_t n, void *target, int64_t target_stride, const void *values, int64_t value_stride);
} index_table;

/* Writes the 1-based insertion points of m values in a sorted row of n elements; search_call describes them. */
typedef void (*search_kernel)(const void *row, int64_t n, const void *values, int64_t m, bool right, int64_t *out);
typedef struct search_table {
  search_kernel insert[DTYPE_COUNT];   /* for rows of at most 127 elements; the time is proportional to n * m */
} search_table;

/* The format in which an element's key and position are packed into one 64-bit integer: (key - base) << shift, with
** the position in the lowest `bits` bits. If shift < bits, the lowest bits - shift bits of the key are lost. */
typedef struct packing {
  uint64_t base;
  int      shift, bits;
  bool     descending;
} packing;

/* Sorting uses keys: signed integers in the order of the elements. Elements of up to 4 bytes have keys of 4 bytes,
** and larger elements have keys of 8 bytes. */
/* The elements of a line that sort first: their keys and their 0-based positions, in sorted order. */
enum { FIRSTS_MOST = 16 };
typedef struct sort_firsts {
  int      count;                     /* at most FIRSTS_MOST */
  int64_t  inserted;                  /* the number of insertions since the beginning of the line */
  uint64_t key[FIRSTS_MOST];
  int64_t  place[FIRSTS_MOST];
} sort_firsts;

typedef struct sort_kernel {
  int key_size, key_bits;             /* the size of a key in bytes, and the number of low bits in which keys may
                                      ** differ: the number of bits of an element */
  /* convert elements to keys and back. The keys of -0 and +0 differ, and the keys of all NaN are equal */
  void (*keys)(int64_t n, const void *x, bool descending, void *keys);
  void (*unkey)(int64_t n, const void *keys, bool descending, void *x);
  /* Functions for floats; NULL for other elements. special returns true if x contains -0 or NaN. mend reorders the
  ** zeros and the NaN of the sorted array `out` into the order that they have in x */
  bool (*special)(int64_t n, const void *x);
  void (*mend)(int64_t n, const void *x, bool descending, void *out);
  /* These functions use unsigned keys that are equal for -0 and +0. range sets the least and the greatest key. pack
  ** combines the keys with the positions first, first + 1, …; repack combines the position of out[i] with the bits of
  ** the key that the packing lost */
  void (*range)(int64_t n, const void *x, bool descending, uint64_t range[2]);
  void (*pack)(int64_t n, const void *x, int64_t first, const packing *p, int64_t *out);
  void (*repack)(int64_t n, const void *x, const packing *p, int64_t *out);
  /* stores the positions of the elements that do not sort after x[limit], and returns the number of these
  ** positions */
  int64_t (*filter)(int64_t n, const void *x, int64_t limit, bool descending, int64_t *out);
  /* inserts elements of x that sort before the last element of *f. The first call for a line must begin with the line's
  ** first f->count elements. x[0] has the position `first`. Returns false, and stops, after `most` insertions */
  bool (*firsts)(int64_t n, const void *x, int64_t first, bool descending, int64_t most, sort_firsts *f);
} sort_kernel;

/* Functions that sort n keys of one size. `scratch` has space for n keys. */
typedef struct key_sorts {
  int     (*direction)(int64_t n, const void *keys);      /* returns 1 for ascending keys (neighbours may be equal),
                                                          ** -1 for strictly descending keys, otherwise 0 */
  void    (*reverse)(int64_t n, void *keys);
  void    (*sort)(int64_t n, void *keys, void *scratch);
  /* partitions the keys so that no key of the first part is greater than a key of the second part. Returns the number
  ** of keys in the first part, or 0 or n if no partition was found. NULL for keys that a radix sort sorts faster */
  int64_t (*divide)(int64_t n, void *keys, void *scratch);
  /* moves the keys with the 0-based ranks first … end - 1 to these positions, in order */
  void    (*select)(int64_t n, void *keys, void *scratch, int64_t first, int64_t end);
  int64_t (*largest)(int64_t n, const void *keys);
  /* moves the keys from low to high to the front, and returns their number. Adds the number of keys below low to
  ** *less. Other keys are lost */
  int64_t (*keep_between)(int64_t n, void *keys, int64_t low, int64_t high, int64_t *less);
} key_sorts;

typedef struct sort_table { sort_kernel kernel[DTYPE_COUNT]; } sort_table;
typedef key_sorts sort_32_table, sort_64_table;

/* Kernels for small column-major matrices, whose lengths m and n are at most LINALG_SMALL. Pivots have the format of
** LAPACK's getrf. cholesky and lu return the `info` of LAPACK's potrf and getrf. */
enum { LINALG_SMALL = 16 };
typedef struct linalg_kernel {
  int  (*cholesky)(int n, void *a);            /* factors a symmetric or Hermitian matrix that is given by its upper
                                               ** triangle */
  int  (*lu)(int m, int n, void *a, int32_t *pivots);
  void (*solve)(int n, int k, const void *lu, const int32_t *pivots, void *b);
  void (*invert)(int n, void *lu, const int32_t *pivots);
  void (*transpose)(int n, void *a);
} linalg_kernel;
typedef linalg_kernel linalg_float32_table, linalg_float64_table, linalg_complex64_table, linalg_complex128_table;

/* Updates n contiguous elements of the compute dtype. `at` has the addresses of parameter, gradient and states. */
typedef void (*update_kernel)(int64_t n, void *const *at, const double *number);
typedef struct update_table { update_kernel kernel[UPDATE_COUNT]; } update_table;
typedef update_table update_float32_table, update_float64_table;

/* The families of kernels that have a table for each ISA. Files in cpu/kernels define the tables <family>_table. */
#define KERNEL_TABLES(X) \
  X(map)     \
  X(half)    \
  X(pair)    \
  X(convert) \
  X(index)   \
  X(limits)  \
  X(random)  \
  X(reduce)  \
  X(half_reduce) \
  X(gemm)    \
  X(half_gemv) \
  X(scan)    \
  X(linalg_float32) \
  X(linalg_float64) \
  X(linalg_complex64) \
  X(linalg_complex128) \
  X(lanes_float32) \
  X(lanes_float64) \
  X(triangle_float32) \
  X(triangle_float64) \
  X(matvec_float32) \
  X(matvec_float64) \
  X(softmax_float32) \
  X(softmax_float64) \
  X(cross_entropy_float32) \
  X(cross_entropy_float64) \
  X(update_float32) \
  X(update_float64) \
  X(cell_float32) \
  X(cell_float64) \
  X(attention_float32) \
  X(attention_float64) \
  X(norm_float32) \
  X(norm_float64) \
  X(search)  \
  X(sort)    \
  X(sort_32) \
  X(sort_64) \
  X(fft_float32) \
  X(fft_float64) \
  X(conv_float32) \
  X(conv_float64) \
  X(pool_float32) \
  X(pool_float64)

/* Returns element i of an array of float32 or float64, whose elements have `size` bytes. */
static inline double get_real(int size, const void *p, int64_t i) {
  return size == sizeof(float) ? (double)((const float *)p)[i] : ((const double *)p)[i];
}
static inline void set_real(int size, void *p, int64_t i, double value) {
  if (size == sizeof(float)) ((float *)p)[i] = (float)value;
  else ((double *)p)[i] = value;
}

/* Functions of stretch.c. convert_stretches converts n elements from one dtype to another. copy_stretches copies
** elements of `size` bytes. Both work in stretches (base/cancel.h), between which the operation can be cancelled. */
void convert_stretches(enum dtype from, enum dtype to, int64_t n, void *out, const void *in);
void copy_stretches(const copy_plan *p, int size, void *to, const void *from);

#include "cpu/parallel.h"
#include "cpu/nn/conv_kernel.h"
#include "cpu/fft/fft_kernel.h"
#include "cpu/nn/pool_kernel.h"
#include "cpu/linalg/lanes_kernel.h"
#include "cpu/linalg/triangle_kernel.h"
#include "cpu/matvec_kernel.h"
#include "cpu/limits.h"

/* The tables of one ISA. isa.c chooses an ISA when the module is loaded. */
typedef struct isa_tables {
  const char *name;
#define TABLE_FIELD(family) const family##_table *family;
  KERNEL_TABLES(TABLE_FIELD)
#undef TABLE_FIELD
} isa_tables;

extern const isa_tables *cpu_isa;

/* The kernel table of a family that has one table for float32 and one for float64. NULL for other dtypes. */
#define FLOAT_TABLE(family, dtype) \
  ((dtype) == DT_float32 ? cpu_isa->family##_float32 : (dtype) == DT_float64 ? cpu_isa->family##_float64 : NULL)
const isa_tables *cpu_best_isa(void);     /* returns the tables of the best ISA of this processor, regardless of
                                          ** LUATENSOR_CPU */

/* True if two reductions that differ only in the number of their results compute each result in the same way, so that
** the last bits are equal. */
bool cpu_reduces_alike(const reduce_call *a, const reduce_call *b);

/* Runs a reduction whose input is a result of a program, which is not stored. The reduction is by rows of neighbouring
** elements. All results of the program are contiguous. */
int cpu_reduce_program(const reduce_call *c, const elementwise_call *program, int result);

/* True if cpu_reduce_program can use as many threads as the program alone. */
bool cpu_reduces_shared(const reduce_call *c, const elementwise_call *program);

/* True if the last bits of a line's scan do not depend on the number of lines. */
bool cpu_scans_alike(const scan_call *c);

/* Like cpu_reduces_alike, for two calls of softmax that differ only in the number of lines. */
bool cpu_softmaxes_alike(const softmax_call *a, const softmax_call *b);

/* True if the tiled call has the bits of the calls of its parts for all rows, and keeps as many threads busy as they. */
bool cpu_can_tile(const tiled_call *c);

/* Runs a tiled call for which cpu_can_tile was true when the call was made. */
int cpu_run_tiles(int index, const tiled_call *c);

void cpu_describe(char *text, size_t size);

int  cpu_alloc(int index, size_t bytes, void **ptr);
void cpu_free(int index, void *ptr, size_t bytes);
memory_stats *cpu_stats(int index);
int  cpu_available(int index, size_t *bytes);
void cpu_empty_cache(int index);
void cpu_count_kept(size_t (*kept)(void));   /* registers a function; cpu_stats adds the number of bytes that the
                                             ** function returns to the cached bytes */

bool cpu_has_attention(int index, const attention_call *c);
int  cpu_limits(int index, enum dtype dtype, device_limits *limits);
int  cpu_working_set(int index, size_t bytes, device_working_set *w);

#define FAMILY(name, call) int cpu_##name(int index, call *c);
#include "families.def"

size_t cpu_fft_kept(void);                /* returns the size in bytes of all cached FFT plans */
void   cpu_fft_forget(void);

#endif
