/* The emulated cuBLAS: column-major products by plain loops, for all combinations of types that cuBLAS supports in
** these functions. */

#include "emulator.h"
#include "halves.h"

#include <cstring>

BLAS_FUNCTIONS(DECLARE_DRIVER)

struct blas_handle_opaque {
  gpu_context context;
  gpu_stream  stream = nullptr;
};

/* Functions of the emulated libcuda.so.1. emulator_queue adds the call work(data) to a stream, and calls drop(data)
** when the data is no longer needed. emulator_reaches returns true if the bytes belong to one allocated block of the
** device whose operation is running. */
extern "C" int emulator_queue(gpu_stream s, int (*work)(void *), void (*drop)(void *), void *data);
extern "C" bool emulator_reaches(gpu_address a, size_t bytes);
extern "C" int cuCtxGetCurrent(gpu_context *context);

namespace {

enum status { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };
enum type { F32 = 0, F64 = 1, F16 = 2, I8 = 3, C32 = 4, C64 = 5, I32 = 10, BF16 = 14 };
enum { ILLEGAL_ADDRESS = 700, COUNTED_BLAS = 5, COUNTED_SPLIT = 14, SPLIT_FLOAT32 = 78 };

/* ---- elements ---- */

size_t size_of(int type) {
  switch (type) {
    case F32: case I32: return 4;
    case F64: case C32: return 8;
    case C64: return 16;
    case I8: return 1;
    default: return 2;
  }
}

double load(const void *p, int64_t i, int type) {
  switch (type) {
    case F32: return static_cast<const float *>(p)[i];
    case F64: return static_cast<const double *>(p)[i];
    case F16: return from_half(static_cast<const uint16_t *>(p)[i]);
    case BF16: return from_bfloat(static_cast<const uint16_t *>(p)[i]);
    case I8: return static_cast<const int8_t *>(p)[i];
    default: return static_cast<const int32_t *>(p)[i];
  }
}

void store(void *p, int64_t i, int type, double v) {
  switch (type) {
    case F32: static_cast<float *>(p)[i] = float(v); break;
    case F64: static_cast<double *>(p)[i] = v; break;
    case F16: static_cast<uint16_t *>(p)[i] = to_half(float(v)); break;
    case BF16: static_cast<uint16_t *>(p)[i] = to_bfloat(float(v)); break;
    default: static_cast<int32_t *>(p)[i] = int32_t(uint32_t(int64_t(v)));
  }
}

/* ---- a product ---- */

struct matrix {
  void *data;
  int64_t ld, step;                    /* distances, in elements: between the columns of a matrix, and between the
                                       ** matrices of a batch */
  int type;
  int op;                              /* 0: not transposed; 1: transposed; 2: transposed and conjugated */
  bool listed;                         /* data has the addresses of the batch's matrices */
};

struct product {
  int64_t m, n, k, count;
  matrix a, b, c;
  double alpha[2], beta[2];            /* real and imaginary part of each */
};

/* Returns the offset, in elements, of element (row, column) of op(x). */
int64_t place(const matrix &x, int64_t row, int64_t column) {
  return x.op ? column + row * x.ld : row + column * x.ld;
}

/* Computes one real product. The sums are computed in double, so for narrower types they are at least as exact as the
** real library's sums, whose order is unknown. */
void multiply_real(const product &p) {
  for (int64_t j = 0; j < p.n; j++)
    for (int64_t i = 0; i < p.m; i++) {
      double sum = 0;
      for (int64_t l = 0; l < p.k; l++)
        sum += load(p.a.data, place(p.a, i, l), p.a.type) * load(p.b.data, place(p.b, l, j), p.b.type);
      int64_t at = i + j * p.c.ld;
      sum *= p.alpha[0];
      if (p.beta[0] != 0) sum += p.beta[0] * load(p.c.data, at, p.c.type);
      store(p.c.data, at, p.c.type, sum);
    }
}

struct complex { double re, im; };

complex load_complex(const matrix &x, int64_t at) {
  int part = x.type == C32 ? F32 : F64;
  complex z = {load(x.data, 2 * at, part), load(x.data, 2 * at + 1, part)};
  if (x.op == 2) z.im = -z.im;
  return z;
}

complex times(complex x, complex y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }

void multiply_complex(const product &p) {
  for (int64_t j = 0; j < p.n; j++)
    for (int64_t i = 0; i < p.m; i++) {
      complex sum = {0, 0};
      for (int64_t l = 0; l < p.k; l++) {
        complex z = times(load_complex(p.a, place(p.a, i, l)), load_complex(p.b, place(p.b, l, j)));
        sum = {sum.re + z.re, sum.im + z.im};
      }
      int64_t at = i + j * p.c.ld;
      sum = times({p.alpha[0], p.alpha[1]}, sum);
      if (p.beta[0] != 0 || p.beta[1] != 0) {
        complex old = times({p.beta[0], p.beta[1]}, load_complex(p.c, at));
        sum = {sum.re + old.re, sum.im + old.im};
      }
      int part = p.c.type == C32 ? F32 : F64;
      store(p.c.data, 2 * at, part, sum.re);
      store(p.c.data, 2 * at + 1, part, sum.im);
    }
}

/* Sets x to matrix i of its batch. Returns false if the matrix, or its address in a list, is not in one block of device
** memory, or if a listed address is no multiple of 16 bytes: kernels that cuBLAS has chosen without knowing the addresses
** may load vectors of 16 bytes. On an H200, products of such matrices ended with "misaligned address". */
bool choose(matrix &x, int64_t i, int64_t rows, int64_t columns) {
  auto reached = [](const void *p, size_t bytes) { return emulator_reaches(reinterpret_cast<uintptr_t>(p), bytes); };
  if (x.listed) {
    void **list = static_cast<void **>(x.data) + i;
    if (!reached(list, sizeof *list)) return false;
    x.data = *list;
    if (reinterpret_cast<uintptr_t>(x.data) % 16) return false;
  } else {
    x.data = static_cast<char *>(x.data) + i * x.step * int64_t(size_of(x.type));
  }
  return !rows || !columns || reached(x.data, size_t((columns - 1) * x.ld + rows) * size_of(x.type));
}

int run(void *data) {
  const product &all = *static_cast<product *>(data);
  for (int64_t i = 0; i < all.count; i++) {
    product p = all;
    int64_t arows = p.a.op ? p.k : p.m, brows = p.b.op ? p.n : p.k;
    if (!choose(p.a, i, arows, p.a.op ? p.m : p.k) || !choose(p.b, i, brows, p.b.op ? p.k : p.n) || !choose(p.c, i, p.m, p.n))
      return ILLEGAL_ADDRESS;
    (p.c.type == C32 || p.c.type == C64 ? multiply_complex : multiply_real)(p);
  }
  return 0;
}

/* ---- supported types ---- */

struct combination { int compute, ab, c, scale; };
/* The supported combinations of types. `compute` is a number of cublasComputeType_t, `ab` the type of both
** factors, and `scale` the type of alpha and beta. */
const combination supported[] = {
  {64, F16, F16, F16}, {65, F16, F16, F16},
  {68, F16, F16, F32}, {68, F16, F32, F32}, {68, BF16, BF16, F32}, {68, BF16, F32, F32}, {68, F32, F32, F32},
  {68, C32, C32, C32}, {69, F16, F16, F32}, {69, BF16, BF16, F32}, {69, F32, F32, F32}, {69, C32, C32, C32},
  {74, F32, F32, F32}, {75, F32, F32, F32}, {77, F32, F32, F32}, {78, F32, F32, F32}, {77, C32, C32, C32},
  {70, F64, F64, F64}, {70, C64, C64, C64}, {71, F64, F64, F64}, {71, C64, C64, C64},
  {72, I8, I32, I32}, {73, I8, I32, I32}};

const combination *find(const product &p, int compute) {
  if (p.a.type != p.b.type) return nullptr;
  for (const combination &x : supported)
    if (x.compute == compute && x.ab == p.a.type && x.c == p.c.type) return &x;
  return nullptr;
}

void read_scale(double to[2], const void *from, int type) {
  int part = type == C32 ? F32 : type == C64 ? F64 : type;
  to[0] = load(from, 0, part);
  to[1] = part == type ? 0 : load(from, 1, part);
}

bool valid(const product &p) {
  int64_t arows = p.a.op ? p.k : p.m, brows = p.b.op ? p.n : p.k;
  auto enough = [](int64_t ld, int64_t rows) { return ld >= (rows > 1 ? rows : 1); };
  return p.m >= 0 && p.n >= 0 && p.k >= 0 && p.count >= 0 && p.a.op >= 0 && p.a.op <= 2 && p.b.op >= 0 && p.b.op <= 2 &&
         enough(p.a.ld, arows) && enough(p.b.ld, brows) && enough(p.c.ld, p.m);
}

int multiply(blas_handle h, product p, const void *alpha, const void *beta, int compute) {
  if (!h) return NOT_INITIALIZED;
  if (!valid(p) || !alpha || !beta) return INVALID_VALUE;
  const combination *x = find(p, compute);
  if (!x || emulator_blas_refuses()) return NOT_SUPPORTED;
  if (compute == SPLIT_FLOAT32) {
    if (emulator_cublas_version() < 12090) return NOT_SUPPORTED;
    emulator_counted(COUNTED_SPLIT);
  }
  /* products of int8 require leading dimensions that are multiples of 4 */
  if (p.a.type == I8 && (p.a.ld % 4 || p.b.ld % 4)) return NOT_SUPPORTED;
  if (emulator_counted(COUNTED_BLAS)) return EXECUTION_FAILED;
  if (!p.m || !p.n || !p.count) return SUCCESS;
  read_scale(p.alpha, alpha, x->scale);
  read_scale(p.beta, beta, x->scale);
  auto drop = [](void *data) { delete static_cast<product *>(data); };
  return emulator_queue(h->stream, run, drop, new product(p)) ? EXECUTION_FAILED : SUCCESS;
}

matrix make(const void *data, int type, int64_t ld, int64_t step, int op) {
  return {const_cast<void *>(data), ld, step, type, op, false};
}

matrix make_listed(const void *const *list, int type, int64_t ld, int op) {
  return {const_cast<void **>(list), ld, 0, type, op, true};
}

}

EXPORT int cublasCreate_v2(blas_handle *h) {
  gpu_context c = nullptr;
  if (!h) return INVALID_VALUE;
  if (cuCtxGetCurrent(&c) || !c) return NOT_INITIALIZED;
  if (emulator_is_full()) return BLAS_NO_MEMORY;
  *h = new blas_handle_opaque{c};
  return SUCCESS;
}

EXPORT int cublasDestroy_v2(blas_handle h) {
  if (!h) return NOT_INITIALIZED;
  delete h;
  return SUCCESS;
}

EXPORT const char *cublasGetStatusString(int s) {
  switch (s) {
    case SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
    case INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_UNKNOWN";
  }
}

/* The parts of a version: 0 is the major version, 1 the minor version, 2 the patch level. */
EXPORT int cublasGetProperty(int part, int *value) {
  int version = emulator_cublas_version();
  *value = part == 0 ? version / 1000 : part == 1 ? version % 1000 / 10 : 0;
  return SUCCESS;
}

EXPORT int cublasSetStream_v2(blas_handle h, gpu_stream s) {
  if (!h) return NOT_INITIALIZED;
  h->stream = s;
  return SUCCESS;
}

EXPORT int cublasSetWorkspace_v2(blas_handle h, void *memory, size_t) {
  if (!h) return NOT_INITIALIZED;
  return reinterpret_cast<uintptr_t>(memory) % 256 ? INVALID_VALUE : SUCCESS;
}

EXPORT int cublasSetMathMode(blas_handle h, int) { return h ? SUCCESS : NOT_INITIALIZED; }

EXPORT int cublasGemmStridedBatchedEx_64(
    blas_handle h, int a_op, int b_op, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int a_type,
    int64_t lda, long long a_step, const void *b, int b_type, int64_t ldb, long long b_step, const void *beta, void *c,
    int c_type, int64_t ldc, long long c_step, int64_t count, int compute, int) {
  product p = {m, n, k, count, make(a, a_type, lda, a_step, a_op), make(b, b_type, ldb, b_step, b_op),
               make(c, c_type, ldc, c_step, 0), {0, 0}, {0, 0}};
  return multiply(h, p, alpha, beta, compute);
}

EXPORT int cublasGemmEx_64(blas_handle h, int a_op, int b_op, int64_t m, int64_t n, int64_t k, const void *alpha,
                           const void *a, int a_type, int64_t lda, const void *b, int b_type, int64_t ldb,
                           const void *beta, void *c, int c_type, int64_t ldc, int compute, int algorithm) {
  return cublasGemmStridedBatchedEx_64(h, a_op, b_op, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta, c, c_type,
                                       ldc, 0, 1, compute, algorithm);
}

EXPORT int cublasGemmBatchedEx_64(blas_handle h, int a_op, int b_op, int64_t m, int64_t n, int64_t k, const void *alpha,
                                  const void *const *a, int a_type, int64_t lda, const void *const *b, int b_type,
                                  int64_t ldb, const void *beta, void *const *c, int c_type, int64_t ldc, int64_t count,
                                  int compute, int) {
  product p = {m, n, k, count, make_listed(a, a_type, lda, a_op), make_listed(b, b_type, ldb, b_op),
               make_listed(c, c_type, ldc, 0), {0, 0}, {0, 0}};
  return multiply(h, p, alpha, beta, compute);
}
