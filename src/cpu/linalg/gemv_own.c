/* Matrix-vector products for dtypes and strides that BLAS does not support. If the elements of a row are contiguous
** or closer together than the elements of a column, the result is computed by dot products along the rows. Otherwise
** it is a sum of scaled columns. Nothing is packed, because each element of the matrix is used only once. */

#include <stdlib.h>
#include <string.h>

#include "cpu/box.h"
#include "cpu/linalg/gemm.h"

enum {
  BLOCK = 512,       /* the number of elements of a row (sum_rows) or of rows (add_columns) that are computed at a
                     ** time: three buffers take 12 KiB of stack */
  STACK = 1 << 12,   /* the greatest size in bytes of a vector that is stored on the stack */
  UNIT  = 64         /* threads share wide results of add_columns in units of this number of elements, which are
                     ** whole vectors */
};

/* A product c = alpha * m @ v + beta * c, where m is rows × k. */
typedef struct product {
  const gemm_kernel *kernel;
  const char *m;
  enum dtype  dtype, c_dtype;
  int64_t     rows, k, row_stride, k_stride;
  const char *v;             /* k contiguous elements of the compute dtype */
  char       *c;
  int64_t     c_stride[2];
  scalar      alpha, beta;
} product;

/* Returns n elements, which are `stride` apart, as contiguous elements of dtype d. Elements that are contiguous and
** of this dtype are used in place. Strided elements are gathered in `raw`, and elements of another dtype are
** converted in `made`. */
static const char *load(enum dtype from, const char *data, int64_t n, int64_t stride, enum dtype d, char *raw, char *made) {
  int size = dtype_size(from);
  if (stride != 1) {
    copy_plan plan = {.rows = 1, .cols = n, .to_row = n, .to_col = 1, .from_row = 0, .from_col = stride};
    cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&plan, raw, data);
    data = raw;
  }
  if (from == d) return data;
  cpu_isa->convert->convert[from][d](n, made, data);
  return made;
}

/* True if the matrix consists of half floats, `stride` is 1, and there are kernels that convert in registers. */
static bool reads_halves(const product *p, int64_t stride) {
  return dtype_is_narrow(p->dtype) && stride == 1 && cpu_isa->half_gemv->dot[0];
}

/* Computes elements begin … end - 1 of c. An element is the dot product of a row and v. */
static void sum_rows(const product *p, int64_t begin, int64_t end) {
  enum dtype d = p->kernel->compute;
  int size = dtype_size(p->dtype), made_size = dtype_size(d);
  _Alignas(64) char raw[BLOCK * 8], made[BLOCK * 8], sum[8];
  bool half = reads_halves(p, p->k_stride);
  for (int64_t i = begin; i < end; i++) {
    memset(sum, 0, sizeof sum);
    if (half) {
      const char *row = p->m + i * p->row_stride * size;
      cpu_isa->half_gemv->dot[p->dtype == DT_bfloat16](p->k, row, (const void *)p->v, (void *)sum);
    }
    for (int64_t j = 0; j < p->k && !half; j += BLOCK) {
      int64_t n = p->k - j < BLOCK ? p->k - j : BLOCK;
      const char *at = p->m + (i * p->row_stride + j * p->k_stride) * size;
      p->kernel->dot(n, load(p->dtype, at, n, p->k_stride, d, raw, made), p->v + j * made_size, sum);
    }
    char *c = p->c + i * p->c_stride[0] * dtype_size(p->c_dtype);
    p->kernel->merge(1, 1, sum, 1, c, p->c_stride, p->alpha, p->beta);
  }
}

/* Computes elements begin … end - 1 of c in blocks, as sums of scaled columns of m. */
static void add_columns(const product *p, int64_t begin, int64_t end) {
  enum dtype d = p->kernel->compute;
  int size = dtype_size(p->dtype), made_size = dtype_size(d);
  _Alignas(64) char raw[BLOCK * 8], made[BLOCK * 8], sum[BLOCK * 8];
  bool half = reads_halves(p, p->row_stride);
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = end - i < BLOCK ? end - i : BLOCK;
    memset(sum, 0, sizeof sum);
    if (half) {
      const char *corner = p->m + i * size;
      cpu_isa->half_gemv->add_rows[p->dtype == DT_bfloat16](p->k, n, corner, p->k_stride, (const void *)p->v, (void *)sum);
    }
    for (int64_t j = 0; j < p->k && !half; j++) {
      const char *at = p->m + (i * p->row_stride + j * p->k_stride) * size;
      p->kernel->axpy(n, p->v + j * made_size, load(p->dtype, at, n, p->row_stride, d, raw, made), sum);
    }
    char *c = p->c + i * p->c_stride[0] * dtype_size(p->c_dtype);
    p->kernel->merge(n, 1, sum, 1, c, p->c_stride, p->alpha, p->beta);
  }
}

typedef struct gemv_work {
  const product *p;
  void (*part)(const product *, int64_t, int64_t);
  int64_t unit;              /* the number of elements of c that threads share as one item of work */
} gemv_work;

static void run_rows(const void *task_at, int64_t begin, int64_t end, int worker) {
  const gemv_work *t = task_at;
  (void)worker;
  t->part(t->p, begin * t->unit, least_of(end * t->unit, t->p->rows));
}

static void run_product(const product *p, int threads) {
  bool along = p->k_stride == 1 || (p->row_stride != 1 && llabs(p->k_stride) <= llabs(p->row_stride));
  void (*part)(const product *, int64_t, int64_t) = along ? sum_rows : add_columns;
  int64_t unit = !along && p->rows >= 4 * UNIT * threads ? UNIT : 1;
  share_long(&(gemv_work){p, part, unit}, run_rows, (p->rows + unit - 1) / unit, p->k * unit, threads);
}

int own_gemv(const gemm_call *g, const void *a, const void *b, void *c, int threads) {
  const gemm_kernel *kernel = &cpu_isa->gemm->kernel[g->dtype];
  bool right = g->n == 1;               /* true: the vector is b; false: the vector is a, and the matrix is the
                                        ** transpose of b */
  bool half = dtype_kind(g->dtype) == KIND_FLOAT && kernel->compute != g->dtype;
  product p = {
    .kernel = kernel, .m = right ? a : b, .dtype = g->dtype, .c_dtype = half ? kernel->compute : g->dtype,
    .rows = right ? g->m : g->n, .k = g->k,
    .row_stride = right ? g->a_stride[0] : g->b_stride[1], .k_stride = right ? g->a_stride[1] : g->b_stride[0],
    .c = c, .c_stride = {right ? g->c_stride[0] : g->c_stride[1], 0}, .alpha = g->alpha, .beta = g->beta,
  };
  const char *v = right ? b : a;
  int64_t stride = right ? g->b_stride[0] : g->a_stride[1];
  size_t bytes = (size_t)g->k * 8;
  _Alignas(64) char small[2 * STACK];
  void *scratch = small;
  if (bytes > STACK && cpu_alloc(0, 2 * bytes, &scratch) != OK) return ERR_MEMORY;
  p.v = load(g->dtype, v, g->k, stride, kernel->compute, scratch, (char *)scratch + bytes);
  run_product(&p, threads);
  if (bytes > STACK) cpu_free(0, scratch, 2 * bytes);
  return OK;
}
