/* Attention: softmax(scale q kᵀ) v for the queries q, the keys k and the values v of each head. A block of queries is
** multiplied with all keys that these queries see. The block's scores stay in the cache, so that no queries × keys
** matrix is ever in memory. In a forward call, threads share the blocks of all heads. In a backward call, one thread
** computes a whole head, because the gradients of keys and values are sums over all queries, and the order of these
** sums is fixed. */

#include <string.h>

#include "cpu/cpu.h"
#include "cpu/linalg/cblas.h"
#include "cpu/nn/attention_kernel.h"

enum {
  FEW    = 64,         /* the fewest queries of a block. The scores of 64 queries for 1024 keys take 256 KiB */
  MOST   = 256,        /* the most queries of a block */
  SCORES = 1 << 15,    /* blocks have more than FEW queries if their scores are not more than this. Keys are transposed
                       ** for each block, so large blocks save time */
  GRAIN  = 1 << 16     /* the fewest multiplications for each thread; with fewer, a thread costs more time than it
                       ** saves */
};

typedef struct matrix { void *data; int64_t row; } matrix;

/* The part of the call that belongs to one head. */
typedef struct head {
  const attention_call *c;
  const attention_table *kernel;
  int64_t batch, number;
  int size;                         /* the size in bytes of an element */
  matrix scores, gradients;         /* scratch memory, [block, keys] each; gradients has none in a forward call */
  matrix scaled;                    /* scratch memory, [block, width], for scale q */
} head;

static matrix rows_of(const head *h, const attention_operand *o, int64_t first) {
  int64_t at = h->batch * o->batch + h->number * o->head + first * o->row;
  return (matrix){(char *)o->data + at * h->size, o->row};
}

static void *row_of(const head *h, matrix x, int64_t i) { return (char *)x.data + i * x.row * h->size; }

static void blas(const head *h, bool tx, bool ty, int64_t m, int64_t n, int64_t k, matrix x, matrix y, bool add, matrix z) {
  CBLAS_TRANSPOSE a = tx ? CblasTrans : CblasNoTrans, b = ty ? CblasTrans : CblasNoTrans;
  int x_row = (int)x.row, y_row = (int)y.row, z_row = (int)z.row, mi = (int)m, ni = (int)n, ki = (int)k;
  if (h->c->dtype == DT_float32)
    cblas_sgemm(CblasRowMajor, a, b, mi, ni, ki, 1, x.data, x_row, y.data, y_row, add ? 1 : 0, z.data, z_row);
  else
    cblas_dgemm(CblasRowMajor, a, b, mi, ni, ki, 1, x.data, x_row, y.data, y_row, add ? 1 : 0, z.data, z_row);
}

/* Computes z = x y, or adds x y to z if `add` is true, for m × n elements of z. If tx is true, x is transposed; if ty is
** true, y is transposed. The kernel of small products computes the product in parts of the k terms. It packs nothing but
** columns of a transposed y, and is faster than BLAS, because one dim is always short. */
static void product(const head *h, bool tx, bool ty, int64_t m, int64_t n, int64_t k, matrix x, matrix y, bool add, matrix z) {
  const gemm_kernel *kernel = &cpu_isa->gemm->kernel[h->c->dtype];
  if (!kernel->direct) {
    blas(h, tx, ty, m, n, k, x, y, add, z);
    return;
  }
  direct_product p = {.m = m, .n = n, .count = 1, .a = x.data, .b = y.data, .c = z.data, .c_stride = {z.row, 1},
    .a_stride = {tx ? 1 : x.row, tx ? x.row : 1}, .b_stride = {ty ? 1 : y.row, ty ? y.row : 1}, .alpha.f = 1, .beta.f = add};
  do {
    p.k = k < DIRECT_K ? k : DIRECT_K;
    kernel->direct(&p);
    p.a = (const char *)p.a + p.k * p.a_stride[1] * h->size;
    p.b = (const char *)p.b + p.k * p.b_stride[0] * h->size;
    p.beta.f = 1;
  } while ((k -= p.k) > 0);
}

/* Returns the number of keys that a query sees: in a causal call the keys 0 … query that exist, otherwise all keys.
** `query` is 0-based. */
static int64_t seen(const attention_call *c, int64_t query) {
  return c->causal && query + 1 < c->keys ? query + 1 : c->keys;
}

static void apply_mask(const head *h, int64_t query, int64_t n, void *row) {
  const attention_call *c = h->c;
  if (!c->mask) return;
  int64_t at = h->batch * c->mask_stride[0] + h->number * c->mask_stride[1] + query * c->mask_stride[2];
  if (c->mask_dtype == DT_bool) h->kernel->hide(n, row, (const bool *)c->mask + at, c->mask_stride[3]);
  else h->kernel->add(n, row, (const char *)c->mask + at * h->size, c->mask_stride[3]);
}

static void *log_sum_of(const head *h, int64_t query) {
  return (char *)h->c->log_sums + ((h->batch * h->c->heads + h->number) * h->c->queries + query) * h->size;
}

/* Computes scale q of `rows` queries from query `first` on. */
static void scale_queries(const head *h, int64_t first, int64_t rows) {
  const attention_call *c = h->c;
  matrix q = rows_of(h, &c->q, first);
  for (int64_t i = 0; i < rows; i++) {
    memcpy(row_of(h, h->scaled, i), row_of(h, q, i), (size_t)(c->width * h->size));
    h->kernel->scale(c->width, row_of(h, h->scaled, i), c->scale);
  }
}

/* Computes the masked scores of `rows` queries from query `first` on, for the first n keys. */
static void make_scores(const head *h, int64_t first, int64_t rows, int64_t n) {
  const attention_call *c = h->c;
  scale_queries(h, first, rows);
  product(h, false, true, rows, n, c->width, h->scaled, rows_of(h, &c->k, 0), false, h->scores);
  for (int64_t i = 0; i < rows; i++) apply_mask(h, first + i, seen(c, first + i), row_of(h, h->scores, i));
}

/* Sets the elements of row i of x from `most` to n to 0. */
static void hide_rest(const head *h, matrix x, int64_t i, int64_t most, int64_t n) {
  memset((char *)row_of(h, x, i) + most * h->size, 0, (size_t)((n - most) * h->size));
}

static void attend(const head *h, int64_t first, int64_t rows) {
  const attention_call *c = h->c;
  int64_t n = seen(c, first + rows - 1);
  matrix o = rows_of(h, &c->o, first);
  double sums[MOST];
  make_scores(h, first, rows, n);
  for (int64_t i = 0; i < rows; i++) {
    int64_t most = seen(c, first + i);
    double log_sum;
    sums[i] = h->kernel->weights(most, row_of(h, h->scores, i), c->log_sums ? &log_sum : NULL);
    hide_rest(h, h->scores, i, most, n);
    if (c->log_sums) set_real(h->size, log_sum_of(h, first + i), 0, log_sum);
  }
  product(h, false, false, rows, c->out_width, n, h->scores, rows_of(h, &c->v, 0), false, o);
  for (int64_t i = 0; i < rows; i++) h->kernel->scale(c->out_width, row_of(h, o, i), sums[i] == 0 ? 0 : 1 / sums[i]);
}

/* Sets rows first … last - 1 of an operand to 0. */
static void clear(const head *h, const attention_operand *o, int64_t first, int64_t last, int64_t width) {
  matrix m = rows_of(h, o, 0);
  for (int64_t i = first; i < last; i++) memset(row_of(h, m, i), 0, (size_t)(width * h->size));
}

/* Adds the gradients of `rows` queries from query `first` on to the gradients of keys and values. The first block sets
** the gradients, and those of keys that its queries do not see to 0. */
static void attend_back(const head *h, int64_t first, int64_t rows) {
  const attention_call *c = h->c;
  int64_t n = seen(c, first + rows - 1);
  matrix s = h->scores, g = h->gradients, dout = rows_of(h, &c->dout, first), o = rows_of(h, &c->o, first);
  matrix dq = rows_of(h, &c->dq, first);
  bool add = first > 0;
  make_scores(h, first, rows, n);
  product(h, false, true, rows, n, c->out_width, dout, rows_of(h, &c->v, 0), false, g);
  for (int64_t i = 0; i < rows; i++) {
    int64_t most = seen(c, first + i);
    double delta = h->kernel->dot(c->out_width, row_of(h, dout, i), row_of(h, o, i));
    h->kernel->back(most, row_of(h, s, i), row_of(h, g, i), get_real(h->size, log_sum_of(h, first + i), 0), delta);
    hide_rest(h, s, i, most, n);
    hide_rest(h, g, i, most, n);
  }
  product(h, false, false, rows, c->width, n, g, rows_of(h, &c->k, 0), false, dq);
  for (int64_t i = 0; i < rows; i++) h->kernel->scale(c->width, row_of(h, dq, i), c->scale);
  product(h, true, false, n, c->width, rows, g, h->scaled, add, rows_of(h, &c->dk, 0));
  product(h, true, false, n, c->out_width, rows, s, dout, add, rows_of(h, &c->dv, 0));
  if (add) return;
  clear(h, &c->dk, n, c->keys, c->width);
  clear(h, &c->dv, n, c->keys, c->out_width);
}

typedef struct job {
  const attention_call *c;
  const attention_table *kernel;
  int64_t block, blocks;            /* the queries of a block; the number of blocks in a head, 1 in a backward call */
  int64_t row;                      /* the elements from a row of scores to the next */
  char   *scratch;                  /* `each` bytes for each thread */
  size_t  each;
} job;

/* Computes part t of a call. In a forward call, a part is a block of queries of one head. In a backward call, a part is
** a whole head. */
static void run_part(const void *arg, int64_t t, int worker) {
  const job *j = arg;
  const attention_call *c = j->c;
  int size = dtype_size(c->dtype);
  char *mine = j->scratch + j->each * (size_t)worker, *next = mine + j->block * c->width * size;
  head h = {.c = c, .kernel = j->kernel, .size = size, .batch = t / j->blocks / c->heads, .number = t / j->blocks % c->heads,
            .scaled = {mine, c->width}, .scores = {next, j->row}};
  if (!c->back) {
    int64_t first = t % j->blocks * j->block;
    attend(&h, first, c->queries - first < j->block ? c->queries - first : j->block);
    return;
  }
  h.gradients = (matrix){next + j->block * j->row * size, j->row};
  if (c->queries == 0) {
    clear(&h, &c->dk, 0, c->keys, c->width);
    clear(&h, &c->dv, 0, c->keys, c->out_width);
  }
  for (int64_t first = 0; first < c->queries; first += j->block)
    attend_back(&h, first, c->queries - first < j->block ? c->queries - first : j->block);
}

/* Returns the number of queries of a block, which depends only on the sizes, so that the results do not depend on the
** number of threads. In a causal call, small blocks skip more keys. */
static int64_t block_of(const attention_call *c) {
  int64_t most = c->causal ? FEW : SCORES / (c->keys + 1);
  most = most < FEW ? FEW : most > MOST ? MOST : most;
  return c->queries < 1 ? 1 : c->queries < most ? c->queries : most;
}

bool cpu_has_attention(int index, const attention_call *c) {
  (void)index;
  return FLOAT_TABLE(attention, c->dtype) != NULL;
}

int cpu_attention(int index, const attention_call *c) {
  (void)index;
  const attention_table *kernel = FLOAT_TABLE(attention, c->dtype);
  if (!kernel) return ERR_NO_KERNEL;
  job j = {.c = c, .kernel = kernel, .block = block_of(c), .blocks = 1};
  if (!c->back) j.blocks = (c->queries + j.block - 1) / j.block;
  int64_t parts = c->batch * c->heads * j.blocks;
  int64_t work = (c->back ? c->queries : j.block) * c->keys * (c->width + c->out_width);
  blas_use use = cpu_blas_begin(cpu_threads(parts, GRAIN / (work + 1) + 1));
  int threads = use.threads;
  if (threads == 0) return ERR_MEMORY;
  /* An odd number of vectors from row to row: rows that are a multiple of 4 KiB apart share few sets of L1. */
  j.row = ((c->keys + ATTENTION_ROOM - 1) / ATTENTION_ROOM | 1) * ATTENTION_ROOM;
  j.each = (size_t)(j.block * (c->width + (c->back ? 2 : 1) * j.row) * dtype_size(c->dtype)) + 64;
  size_t bytes = j.each * (size_t)threads;
  void *room;
  int st = cpu_alloc(0, bytes, &room);
  if (st != OK) {
    cpu_blas_end(&use);
    return st;
  }
  j.scratch = room;
  cpu_parallel(threads, parts, run_part, &j);
  cpu_free(0, room, bytes);
  cpu_blas_end(&use);
  return OK;
}
