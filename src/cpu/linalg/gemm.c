/* Matrix products. A kernel of our own computes most small products of float32 and float64. BLAS computes other
** products of floats and complex numbers if it can address the matrices. Complex matrices that BLAS cannot address are
** copied first. luatensor's own kernels compute all other products. In a batch of small products, each thread computes
** whole products. */

#include "cpu/linalg/gemm.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/blas.h"
#include "cpu/cpu.h"
#include "cpu/linalg/cblas.h"
#include "cpu/walk.h"

enum {
  GRAIN = 1 << 19,     /* the fewest multiplications for each thread: below a million in total (20 µs), a second
                       ** thread costs more time than it saves */
  SLAB  = 1024,        /* the number of columns of a half-float result that are computed in float32 at a time */
  SHORT = 1 << 15,     /* the most elements of one call of a dot-product kernel; longer dot products take several
                       ** calls */
  PARTS = 256,         /* the number of parts into which a dot product of more than SHORT elements is cut; threads
                       ** share the parts */
  SMALL = 1000000,     /* the number of multiplications up to which OpenBLAS has AVX-512 kernels without packing
                       ** (128³: 37 µs instead of 42) */
  DIRECT = 1 << 21,    /* the most multiplications of a small product (128³). 70 × 30 × 70 takes half of OpenBLAS's
                       ** time with AVX-512 on Zen 5, and 0.8 of it with AVX2 */
  DIRECT_VECTOR = 1 << 10,      /* the most multiplications of a small product of a matrix and a vector, and the most */
  DIRECT_VECTOR_K = 32,         /* terms of its sums: 1000 products of 16 × 16 floats take 34 µs, and 93 µs by BLAS;
                                ** 1000 products of 4 × 128 floats take 130 µs, and 101 µs by BLAS */
  DIRECT_TASK = 1 << 15,        /* the multiplications of a task of a batch of small products */
  LONG_ROW = 256,      /* longer rows make a product of few rows slow in our kernels (is_thin) */
  MOST_BLOCKS = 1024,  /* the most blocks of a product */
  MANY  = 8,           /* the most blocks of SMALL multiplications in a product; dividing larger products (256³) into
                       ** blocks of this size gains nothing */
  TILE  = 16           /* blocks begin at multiples of 16 elements: a tile of OpenBLAS, and a cache line of floats */
};

/* The most multiplications of a block, which take half a second on a core. OpenBLAS gains nothing by larger
** blocks. */
#define LONGEST 0x1p34

/* ---- BLAS ---- */

/* alpha or beta in both precisions. BLAS requires the addresses of complex numbers. */
typedef struct number {
  float  single[2];
  double wide[2];
} number;

static number number_of(const scalar *s) {
  return (number){{(float)s->f, (float)s->im}, {s->f, s->im}};
}

static bool is_zero(const scalar *s) { return s->f == 0 && s->im == 0; }

static CBLAS_TRANSPOSE transposed(bool yes) { return yes ? CblasTrans : CblasNoTrans; }

/* Computes c = alpha m v + beta c, where m is a matrix of rows × columns that `a` describes. The strides of v and c
** must be positive. */
static void blas_gemv(const gemm_call *g, const blas_matrix *a, int rows, int columns, const void *m, const void *v,
                      int v_stride, void *c, int c_stride) {
  CBLAS_TRANSPOSE trans = transposed(a->trans);
  int r = a->trans ? columns : rows, k = a->trans ? rows : columns, ld = (int)a->ld;
  number x = number_of(&g->alpha), y = number_of(&g->beta);
  switch (g->dtype) {
    case DT_float32:
      cblas_sgemv(CblasRowMajor, trans, r, k, x.single[0], m, ld, v, v_stride, y.single[0], c, c_stride);
      break;
    case DT_float64:
      cblas_dgemv(CblasRowMajor, trans, r, k, x.wide[0], m, ld, v, v_stride, y.wide[0], c, c_stride);
      break;
    case DT_complex64:
      cblas_cgemv(CblasRowMajor, trans, r, k, x.single, m, ld, v, v_stride, y.single, c, c_stride);
      break;
    default:
      cblas_zgemv(CblasRowMajor, trans, r, k, x.wide, m, ld, v, v_stride, y.wide, c, c_stride);
  }
}

static bool is_vector_stride(int64_t stride) { return stride > 0 && stride <= INT_MAX; }

/* Sets c to 0 before BLAS multiplies c by beta = 0, because some versions of BLAS keep a NaN of c. */
static void clear(const gemm_call *g, void *c, int64_t n, int64_t stride) {
  int size = dtype_size(g->dtype);
  for (int64_t i = 0; i < n; i++) memset((char *)c + i * stride * size, 0, (size_t)size);
}

/* Return the stride of the elements of c in a product with a column, and in a product with a row. */
static int64_t column_stride(const gemm_call *g) { return g->m == 1 ? 1 : g->c_stride[0]; }
static int64_t row_stride(const gemm_call *g)    { return g->n == 1 ? 1 : g->c_stride[1]; }

/* True if b is one column, and BLAS's matrix-vector product (gemv) supports the strides of b and c. */
static bool has_column(const gemm_call *g) {
  return g->n == 1 && is_vector_stride(column_stride(g)) && (g->k == 1 || is_vector_stride(g->b_stride[0]));
}

/* True if a is one row, and BLAS's matrix-vector product (gemv) supports the strides of a and c. */
static bool has_row(const gemm_call *g) {
  return g->m == 1 && is_vector_stride(row_stride(g)) && (g->k == 1 || is_vector_stride(g->a_stride[1]));
}

static bool is_vector_product(const gemm_call *g) { return has_column(g) || has_row(g); }

static void blas_vector(const gemm_call *g, const blas_matrix *a, const blas_matrix *b, const void *x, const void *y,
                        void *c) {
  int m = (int)g->m, n = (int)g->n, k = (int)g->k;
  if (has_column(g)) {
    if (is_zero(&g->beta)) clear(g, c, m, column_stride(g));
    blas_gemv(g, a, m, k, x, y, k == 1 ? 1 : (int)g->b_stride[0], c, (int)column_stride(g));
  } else {
    if (is_zero(&g->beta)) clear(g, c, n, row_stride(g));
    blas_matrix flipped = {!b->trans, b->ld};
    blas_gemv(g, &flipped, n, k, y, x, k == 1 ? 1 : (int)g->a_stride[1], c, (int)row_stride(g));
  }
}

/* The layouts of the three matrices of a product. */
typedef struct blas_product { blas_matrix a, b, c; } blas_product;

static void blas_call(const gemm_call *g, const blas_product *p, const void *a, const void *b, void *c) {
  CBLAS_ORDER order = p->c.trans ? CblasColMajor : CblasRowMajor;
  CBLAS_TRANSPOSE ta = transposed(p->a.trans != p->c.trans), tb = transposed(p->b.trans != p->c.trans);
  int m = (int)g->m, n = (int)g->n, k = (int)g->k, lda = (int)p->a.ld, ldb = (int)p->b.ld, ldc = (int)p->c.ld;
  number x = number_of(&g->alpha), y = number_of(&g->beta);
  switch (g->dtype) {
    case DT_float32:
      cblas_sgemm(order, ta, tb, m, n, k, x.single[0], a, lda, b, ldb, y.single[0], c, ldc);
      break;
    case DT_float64:
      cblas_dgemm(order, ta, tb, m, n, k, x.wide[0], a, lda, b, ldb, y.wide[0], c, ldc);
      break;
    case DT_complex64:
      cblas_cgemm(order, ta, tb, m, n, k, x.single, a, lda, b, ldb, y.single, c, ldc);
      break;
    default:
      cblas_zgemm(order, ta, tb, m, n, k, x.wide, a, lda, b, ldb, y.wide, c, ldc);
  }
}

/* True if a vector of our kernels has 64 bytes. */
static bool has_avx512(const gemm_call *g) {
  return dtype_size(g->dtype) * cpu_isa->gemm->kernel[g->dtype].columns == 2 * 64;
}

/* True if c has few and long rows of short sums. Our kernels compute too little for each tile of such a product: with
** AVX2, 2 × 1 · 1 × 4000 floats take 1.9 µs, and 1.2 µs by BLAS. Tiles of AVX-512 are wider, so there are fewer. */
static bool is_thin(const gemm_call *g) {
  return g->n > LONG_ROW && g->m <= 8 && g->k <= 4 && (!has_avx512(g) || g->m * g->k <= 6);
}

/* True if the kernel of small products is faster than BLAS. This depends on the whole product and not on its blocks, so
** that the bits of the result do not depend on the number of threads. */
static bool is_direct(const gemm_call *g) {
  bool vector = g->m == 1 || g->n == 1;
  return cpu_isa->gemm->kernel[g->dtype].direct && g->k > 0 && g->k <= (vector ? DIRECT_VECTOR_K : DIRECT_K) &&
         (double)g->m * (double)g->n * (double)g->k <= (vector ? DIRECT_VECTOR : DIRECT) && !is_thin(g);
}

/* True if our packed kernels are faster than BLAS. OpenBLAS uses AVX2 on a processor with AVX-512 that is newer than
** OpenBLAS. On Zen 5, our kernels then multiply 512 × 512 floats in 1.5 ms, and OpenBLAS 0.3.21 in 2.3 ms. But if c is
** smaller than a tile in one dim, part of each tile is wasted, and BLAS is up to 4 times as fast. */
static bool is_packed(const gemm_call *g) {
  const gemm_kernel *kernel = &cpu_isa->gemm->kernel[g->dtype];
  return (g->dtype == DT_float32 || g->dtype == DT_float64) && g->m >= kernel->rows && g->n >= kernel->columns &&
         has_avx512(g) && cpu_blas_lacks_avx512();
}

/* Returns the number of blocks into which c is cut: 1 for up to SMALL multiplications, otherwise a multiple of
** `threads`. Products of up to MANY * SMALL multiplications get blocks of at most SMALL multiplications. Larger
** products get blocks of at most half a second, so that the operation can be cancelled between blocks. But the number
** of blocks is at most MOST_BLOCKS, apart from rounding. Products with vectors and small products get one block for
** each thread. */
static int block_count(const gemm_call *g, int threads) {
  double work = (double)g->m * (double)g->n * (double)g->k;
  if (work <= SMALL) return 1;
  int64_t want = work <= MANY * (double)SMALL ? (int64_t)ceil(work / SMALL) : (int64_t)fmin(ceil(work / LONGEST), MOST_BLOCKS);
  if (g->m == 1 || g->n == 1 || is_direct(g)) want = 1;
  return (int)((want + threads - 1) / threads * threads);
}

/* Returns the number of rows in the grid of n blocks for which the blocks are as square as possible. */
static int block_rows(const gemm_call *g, int n) {
  int best = 1;
  for (int rows = 2; rows <= n; rows++)
    if (n % rows == 0 && g->m / rows + g->n / (n / rows) < g->m / best + g->n / (n / best)) best = rows;
  return best;
}

/* Returns the beginning of block i of n blocks in a dim, a multiple of TILE. For i = n, returns the end of the dim.
** The last block has the remainder. */
static int64_t block_begin(int64_t length, int i, int n) {
  return i == n ? length : length * i / n / TILE * TILE;
}

/* A product whose result c is cut into rows × columns blocks. Threads share the blocks. This is faster than OpenBLAS's
** own threads, which wait for one another at each panel. Two threads compute a float32 product of 128³ in 22 µs instead
** of 52 µs, 256³ in 185 µs instead of 240 µs, and 384³ in 610 µs instead of 720 µs. */
typedef struct blocks {
  const gemm_call    *g;
  const blas_product *p;           /* NULL if the kernel of small products computes the blocks */
  const char *a, *b;
  char       *c;
  int         rows, columns;
  bool        vector;              /* true: each block is a product with a vector */
} blocks;

/* Estimates the cycles of a small product whose rows of c are divided into vectors. The cycles are those of the
** multiplications, of packing b, and of writing c. Contiguous rows need no packing and are written in vectors. */
static int64_t direct_cost(const direct_product *p, uint32_t lanes) {
  int64_t row = ((uint32_t)p->n + lanes - 1) / lanes;        /* a division of 64 bits takes up to 90 cycles */
  return p->m * row * p->k / 2 + (p->b_stride[1] == 1 ? 0 : row * lanes * p->k / 4) +
         (p->c_stride[1] == 1 ? 0 : 2 * p->m * p->n);
}

/* Returns one small product of g's batch, as c or as its transpose, whichever takes fewer cycles. In the transpose, a and
** b are swapped. A matrix of one column counts as contiguous. */
static direct_product direct_of(const gemm_call *g, bool *swapped) {
  const gemm_kernel *kernel = &cpu_isa->gemm->kernel[g->dtype];
  direct_product rows = {.m = g->m, .n = g->n, .k = g->k, .count = 1, .a_stride = {g->a_stride[0], g->a_stride[1]},
    .b_stride = {g->b_stride[0], g->n == 1 ? 1 : g->b_stride[1]}, .c_stride = {g->c_stride[0], row_stride(g)},
    .alpha = g->alpha, .beta = g->beta};
  direct_product columns = {.m = g->n, .n = g->m, .k = g->k, .count = 1, .a_stride = {g->b_stride[1], g->b_stride[0]},
    .b_stride = {g->a_stride[1], g->m == 1 ? 1 : g->a_stride[0]}, .c_stride = {g->c_stride[1], column_stride(g)},
    .alpha = g->alpha, .beta = g->beta};
  uint32_t lanes = (uint32_t)kernel->columns / 2;
  *swapped = direct_cost(&columns, lanes) < direct_cost(&rows, lanes);
  return *swapped ? columns : rows;
}

static void direct_block(const gemm_call *g, const void *a, const void *b, void *c) {
  bool swapped;
  direct_product p = direct_of(g, &swapped);
  p.a = swapped ? b : a;
  p.b = swapped ? a : b;
  p.c = c;
  cpu_isa->gemm->kernel[g->dtype].direct(&p);
}

/* Computes one block of c. a, b and c are the block's parts of the matrices. */
static void multiply_block(const blocks *s, const gemm_call *block, const void *a, const void *b, void *c) {
  if (!s->p) direct_block(block, a, b, c);
  else if (s->vector) blas_vector(block, &s->p->a, &s->p->b, a, b, c);
  else blas_call(block, s->p, a, b, c);
}

static void one_block(const void *arg, int64_t t, int worker) {
  const blocks *s = arg;
  const gemm_call *g = s->g;
  int row = (int)(t / s->columns), column = (int)(t % s->columns), size = dtype_size(g->dtype);
  int64_t i = block_begin(g->m, row, s->rows), j = block_begin(g->n, column, s->columns);
  gemm_call block = *g;
  (void)worker;
  block.m = block_begin(g->m, row + 1, s->rows) - i;
  block.n = block_begin(g->n, column + 1, s->columns) - j;
  if (block.m == 0 || block.n == 0) return;
  multiply_block(s, &block, s->a + i * g->a_stride[0] * size, s->b + j * g->b_stride[1] * size,
                 s->c + (i * g->c_stride[0] + j * g->c_stride[1]) * size);
}

/* A product of one block avoids one_block, whose divisions take a tenth of the time of a small product. */
static void run_blocks(blocks *s, int threads) {
  int n = block_count(s->g, threads);
  if (n == 1) {
    multiply_block(s, s->g, s->a, s->b, s->c);
    return;
  }
  s->rows = block_rows(s->g, n);
  s->columns = n / s->rows;
  cpu_parallel(threads, n, one_block, s);
}

static void direct_gemm(const gemm_call *g, const void *a, const void *b, void *c, int threads) {
  run_blocks(&(blocks){.g = g, .a = a, .b = b, .c = c}, threads);
}

static bool blas_gemm(const gemm_call *g, const void *a, const void *b, void *c, int threads) {
  blas_product p;
  if (g->m > INT_MAX || g->n > INT_MAX || g->k > INT_MAX || g->k == 0) return false;
  if (!blas_address(g->m, g->k, g->a_stride, INT_MAX, &p.a)) return false;
  if (!blas_address(g->k, g->n, g->b_stride, INT_MAX, &p.b)) return false;
  blocks s = {.g = g, .p = &p, .a = a, .b = b, .c = c, .vector = is_vector_product(g)};
  if (!s.vector && !blas_address(g->m, g->n, g->c_stride, INT_MAX, &p.c)) return false;
  run_blocks(&s, threads);
  return true;
}

/* ---- half floats ----
** c is computed in float32, so that each sum is rounded only once. A slab of columns is computed at a time. */

/* Converts a slab of c (m × n, any strides) to contiguous float32. If `back` is true, converts float32 to the slab of
** c. */
static void convert_slab(const gemm_call *g, char *c, int64_t n, float *slab, bool back) {
  const convert_table *t = cpu_isa->convert;
  uint16_t row[SLAB];
  for (int64_t i = 0; i < g->m; i++, slab += n, c += g->c_stride[0] * 2) {
    copy_plan out = {.rows = 1, .cols = n, .to_row = n, .to_col = g->c_stride[1], .from_row = n, .from_col = 1};
    copy_plan in = {.rows = 1, .cols = n, .to_row = n, .to_col = 1, .from_row = n, .from_col = g->c_stride[1]};
    if (back) {
      t->convert[DT_float32][g->dtype](n, row, slab);
      t->copy[1](&out, c, row);
    } else {
      t->copy[1](&in, row, c);
      t->convert[g->dtype][DT_float32](n, slab, row);
    }
  }
}

static int half_gemm(const gemm_call *g, const char *a, const char *b, char *c, int threads) {
  int64_t width = g->n < SLAB ? g->n : SLAB;
  size_t bytes = (size_t)(g->m * width) * sizeof(float);
  void *slab;
  int st = cpu_alloc(0, bytes, &slab);
  if (st != OK) return st;
  for (int64_t j = 0; st == OK && j < g->n; j += width) {
    gemm_call part = *g;
    part.n = g->n - j < width ? g->n - j : width;
    char *corner = c + j * g->c_stride[1] * 2;
    if (g->beta.f != 0) convert_slab(g, corner, part.n, slab, false);
    part.c_stride[0] = part.n;
    part.c_stride[1] = 1;
    st = own_gemm(&part, a, b + j * g->b_stride[1] * 2, slab, threads);
    if (st == OK) convert_slab(g, corner, part.n, slab, true);
  }
  cpu_free(0, slab, bytes);
  return st;
}

/* ---- complex numbers ----
** Matrices whose strides BLAS does not support are copied to contiguous matrices. */

/* Copies rows × columns elements of `size` bytes from one layout to another. */
static void copy_matrix(int size, int64_t rows, int64_t columns, void *to, const int64_t to_stride[2], const void *from,
                        const int64_t from_stride[2]) {
  copy_plan p = {.rows = rows, .cols = columns, .to_row = to_stride[0], .to_col = to_stride[1],
                 .from_row = from_stride[0], .from_col = from_stride[1]};
  cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&p, to, from);
}

static int complex_gemm(const gemm_call *g, const void *a, const void *b, void *c, int threads);

/* Computes c = beta * c, which is the product for k = 0. */
static int scale_complex(const gemm_call *g, char *c) {
  int64_t one[2] = {0, 0};
  complex128_t zero = make_complex128(0, 0);
  gemm_call nothing = *g;
  if (is_zero(&g->beta)) {
    copy_matrix(dtype_size(g->dtype), g->m, g->n, c, g->c_stride, &zero, one);
    return OK;
  }
  nothing.k = 1;                                /* multiplies a column of zeros by a row of zeros */
  nothing.a_stride[0] = nothing.a_stride[1] = nothing.b_stride[0] = nothing.b_stride[1] = 0;
  return complex_gemm(&nothing, &zero, &zero, c, 1);
}

static int complex_gemm(const gemm_call *g, const void *a, const void *b, void *c, int threads) {
  if (g->k == 0) return scale_complex(g, c);
  int size = dtype_size(g->dtype);
  gemm_call packed = *g;
  int64_t parts[3] = {g->m * g->k, g->k * g->n, g->m * g->n};
  size_t bytes = (size_t)(parts[0] + parts[1] + parts[2]) * (size_t)size;
  void *all;
  int st = cpu_alloc(0, bytes, &all);
  if (st != OK) return st;
  char *pa = all, *pb = pa + parts[0] * size, *pc = pb + parts[1] * size;
  const int64_t wide[3][2] = {{g->k, 1}, {g->n, 1}, {g->n, 1}};
  memcpy(packed.a_stride, wide[0], sizeof wide[0]);
  memcpy(packed.b_stride, wide[1], sizeof wide[1]);
  memcpy(packed.c_stride, wide[2], sizeof wide[2]);
  copy_matrix(size, g->m, g->k, pa, wide[0], a, g->a_stride);
  copy_matrix(size, g->k, g->n, pb, wide[1], b, g->b_stride);
  copy_matrix(size, g->m, g->n, pc, wide[2], c, g->c_stride);
  if (!blas_gemm(&packed, pa, pb, pc, threads)) st = ERR_NO_KERNEL;     /* happens if a dim exceeds BLAS's integers */
  else copy_matrix(size, g->m, g->n, c, g->c_stride, pc, wide[2]);
  cpu_free(0, all, bytes);
  return st;
}

/* ---- dot products: m = n = 1 ---- */

/* Computes a dot product of up to SHORT elements. This takes 10 ns plus 0.125 ns per float. BLAS's matrix-vector
** product takes 80 ns more. Returns false if the dtype, the strides or the length are not supported. */
static bool dot_one(const gemm_call *g, const void *a, const void *b, void *c) {
  const gemm_kernel *kernel = &cpu_isa->gemm->kernel[g->dtype];
  if (g->k > SHORT || kernel->compute != g->dtype) return false;
  if (g->k > 1 && (g->a_stride[1] != 1 || g->b_stride[0] != 1)) return false;
  _Alignas(8) char sum[8] = {0};
  kernel->dot(g->k, a, b, sum);
  kernel->merge(1, 1, sum, 1, c, g->c_stride, g->alpha, g->beta);
  return true;
}

/* A long dot product, which is cut into PARTS parts. The result does not depend on the number of threads. */
typedef struct long_dot {
  const gemm_call *g;
  const char *a, *b;
  double *sums;
} long_dot;

static void dot_part(const void *arg, int64_t t, int worker) {
  const long_dot *d = arg;
  int size = dtype_size(d->g->dtype);
  int64_t end = d->g->k * (t + 1) / PARTS;
  double total = 0;
  (void)worker;
  for (int64_t i = d->g->k * t / PARTS, n; i < end && !cancel_due(); i += n) {
    union { float single; double wide; } sum = {.wide = 0};
    n = end - i < SHORT ? end - i : SHORT;
    cpu_isa->gemm->kernel[d->g->dtype].dot(n, d->a + i * size, d->b + i * size, &sum);
    total += size == 4 ? (double)sum.single : sum.wide;
  }
  d->sums[t] = total;
}

/* Computes a dot product of any length. Returns false if the dtype or the strides are not supported. */
static bool dot_long(const gemm_call *g, const void *a, const void *b, void *c, int threads) {
  if (g->dtype != DT_float32 && g->dtype != DT_float64) return false;
  if (g->a_stride[1] != 1 || g->b_stride[0] != 1) return false;
  double sums[PARTS], total = 0;
  cpu_parallel(threads, PARTS, dot_part, &(long_dot){g, a, b, sums});
  for (int t = 0; t < PARTS; t++) total += sums[t];
  float single = (float)total;
  cpu_isa->gemm->kernel[g->dtype].merge(1, 1, g->dtype == DT_float32 ? (void *)&single : (void *)&total, 1, c, g->c_stride,
                                        g->alpha, g->beta);
  return true;
}

/* ---- the batch ---- */

static bool is_blas_dtype(enum dtype d) {
  return d == DT_float32 || d == DT_float64 || dtype_kind(d) == KIND_COMPLEX;
}

/* Computes product i of the batch. If `blas` is false, OpenBLAS has no memory for its buffer and must not be
** called. */
static int gemm_one(const gemm_call *g, int64_t i, int threads, bool blas) {
  int64_t offset[3], size = dtype_size(g->dtype);
  plan_offsets(&g->batch, i, offset);
  char *c = (char *)g->c + offset[0] * size;
  const char *a = (const char *)g->a + offset[1] * size, *b = (const char *)g->b + offset[2] * size;
  if (g->m == 1 && g->n == 1 && (dot_one(g, a, b, c) || dot_long(g, a, b, c, threads))) return OK;
  if (is_direct(g)) {
    direct_gemm(g, a, b, c, threads);
    return OK;
  }
  if (dtype_is_narrow(g->dtype)) return half_gemm(g, a, b, c, threads);
  if (is_blas_dtype(g->dtype) && blas && !is_packed(g) && blas_gemm(g, a, b, c, threads)) return OK;
  if (dtype_kind(g->dtype) != KIND_COMPLEX) return own_gemm(g, a, b, c, threads);
  return blas ? complex_gemm(g, a, b, c, threads) : ERR_MEMORY;
}

typedef struct batch {
  const gemm_call *g;
  bool  blas;
  int  *status;                      /* the last error of a product; OK if no product failed */
} batch;

static void run_matrix(const void *arg, int64_t i, int worker) {
  const batch *b = arg;
  int st = gemm_one(b->g, i, 1, b->blas);
  (void)worker;
  if (st != OK) __atomic_store_n(b->status, st, __ATOMIC_RELAXED);
}

/* True if each thread computes whole, small products of the batch. */
static bool shares_batch(const gemm_call *g, int64_t work) { return g->batch.count > 1 && work < 2 * GRAIN; }

/* A batch of small products. A task computes up to `chunk` products along the innermost dim of the batch. */
typedef struct direct_batch {
  const gemm_call *g;
  direct_product p;
  bool    swapped;
  int64_t length, chunk, tasks;      /* of the innermost dim: its products, those of a task, and the tasks */
} direct_batch;

static void run_direct(const void *arg, int64_t task, int worker) {
  const direct_batch *d = arg;
  const gemm_call *g = d->g;
  direct_product p = d->p;
  int64_t first = task % d->tasks * d->chunk, offset[3], size = dtype_size(g->dtype);
  (void)worker;
  plan_offsets(&g->batch, task / d->tasks * d->length + first, offset);
  const char *a = (const char *)g->a + offset[1] * size, *b = (const char *)g->b + offset[2] * size;
  p.count = d->length - first < d->chunk ? d->length - first : d->chunk;
  p.a = d->swapped ? b : a;
  p.b = d->swapped ? a : b;
  p.c = (char *)g->c + offset[0] * size;
  cpu_isa->gemm->kernel[g->dtype].direct(&p);
}

static void direct_products(const gemm_call *g, int threads) {
  direct_batch d = {.g = g, .length = inner_length(&g->batch)};
  d.p = direct_of(g, &d.swapped);
  d.p.c_next = inner_stride(&g->batch, 0);
  d.p.a_next = inner_stride(&g->batch, d.swapped ? 2 : 1);
  d.p.b_next = inner_stride(&g->batch, d.swapped ? 1 : 2);
  d.chunk = DIRECT_TASK / (g->m * g->n * g->k) + 1;
  d.tasks = (d.length + d.chunk - 1) / d.chunk;
  cpu_parallel(threads, g->batch.count / d.length * d.tasks, run_direct, &d);
}

static int run_all(const gemm_call *g, int64_t work, int threads, bool blas) {
  int st = OK;
  if (shares_batch(g, work) && is_direct(g)) {
    direct_products(g, threads);
    return OK;
  }
  if (shares_batch(g, work)) {
    cpu_parallel(threads, g->batch.count, run_matrix, &(batch){g, blas, &st});
    return st;
  }
  for (int64_t i = 0; st == OK && i < g->batch.count; i++) st = gemm_one(g, i, threads, blas);
  return st;
}

/* Returns the number of threads that share a batch of products of `work` multiplications. */
static int batch_threads(const gemm_call *g, int64_t work) {
  int64_t grain = GRAIN / (work + 1);
  return cpu_threads(g->batch.count, grain > 0 ? grain : 1);
}

int cpu_gemm(int index, const gemm_call *g) {
  (void)index;
  if (cpu_dots_fit(g)) {
    cpu_dots(g);
    return OK;
  }
  int64_t work = g->m * g->n * g->k + g->m * g->n;
  int threads = shares_batch(g, work) ? batch_threads(g, work) : cpu_threads(work, GRAIN);
  if (!is_blas_dtype(g->dtype) || is_direct(g) || is_packed(g)) return run_all(g, work, threads, false);
  blas_use use = cpu_blas_begin(threads);
  int st = run_all(g, work, use.threads > 0 ? use.threads : threads, use.threads > 0);
  cpu_blas_end(&use);
  return st;
}
