/* Attention: softmax(scale q kᵀ) v for the queries q, the keys k and the values v of each head. A block of queries is
** multiplied with all keys that these queries see. The block's scores stay in the cache, so that no queries × keys
** matrix is ever in memory. In a forward call, threads share the blocks of all heads. In a backward call, one thread
** computes a whole head, because the gradients of keys and values are sums over all queries, and the order of these
** sums is fixed. */

#include <string.h>

#include "cpu/cpu.h"
#include "cpu/linalg/cblas.h"

enum {
  ROWS  = 64,          /* the number of queries of a block, whose scores for 1024 keys take 256 KiB */
  GRAIN = 1 << 16      /* the fewest multiplications for each thread; with fewer, a thread costs more time than it
                       ** saves */
};

typedef struct matrix { void *data; int64_t row; } matrix;

/* The part of the call that belongs to one head. */
typedef struct head {
  const attention_call *c;
  const attention_table *kernel;
  int64_t batch, number;
  int size;                         /* the size in bytes of an element */
  void *scores, *gradients;         /* scratch memory, [ROWS, keys] each; gradients is NULL in a forward call */
} head;

static matrix rows_of(const head *h, const attention_operand *o, int64_t first) {
  int64_t at = h->batch * o->batch + h->number * o->head + first * o->row;
  return (matrix){(char *)o->data + at * h->size, o->row};
}

/* Computes z = alpha x y + beta z for m × n elements of z. If tx is true, x is transposed; if ty is true, y is
** transposed. */
static void product(const head *h, bool tx, bool ty, int64_t m, int64_t n, int64_t k, double alpha, matrix x, matrix y,
                    double beta, matrix z) {
  CBLAS_TRANSPOSE a = tx ? CblasTrans : CblasNoTrans, b = ty ? CblasTrans : CblasNoTrans;
  int x_row = (int)x.row, y_row = (int)y.row, z_row = (int)z.row, mi = (int)m, ni = (int)n, ki = (int)k;
  if (h->c->dtype == DT_float32)
    cblas_sgemm(CblasRowMajor, a, b, mi, ni, ki, (float)alpha, x.data, x_row, y.data, y_row, (float)beta, z.data, z_row);
  else
    cblas_dgemm(CblasRowMajor, a, b, mi, ni, ki, alpha, x.data, x_row, y.data, y_row, beta, z.data, z_row);
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

/* Computes the masked scores of `rows` queries from query `first` on, for the first n keys. */
static matrix make_scores(const head *h, int64_t first, int64_t rows, int64_t n) {
  const attention_call *c = h->c;
  matrix s = {h->scores, n};
  product(h, false, true, rows, n, c->width, c->scale, rows_of(h, &c->q, first), rows_of(h, &c->k, 0), 0, s);
  for (int64_t i = 0; i < rows; i++) {
    char *row = (char *)s.data + i * n * h->size;
    int64_t most = seen(c, first + i);
    apply_mask(h, first + i, most, row);
  }
  return s;
}

static void attend(const head *h, int64_t first, int64_t rows) {
  const attention_call *c = h->c;
  int64_t n = seen(c, first + rows - 1);
  matrix s = make_scores(h, first, rows, n), o = rows_of(h, &c->o, first);
  double sums[ROWS];
  for (int64_t i = 0; i < rows; i++) {
    char *row = (char *)s.data + i * n * h->size;
    int64_t most = seen(c, first + i);
    double log_sum;
    sums[i] = h->kernel->weights(most, row, &log_sum);
    memset(row + most * h->size, 0, (size_t)((n - most) * h->size));
    if (c->log_sums) set_real(h->size, log_sum_of(h, first + i), 0, log_sum);
  }
  product(h, false, false, rows, c->out_width, n, 1, s, rows_of(h, &c->v, 0), 0, o);
  for (int64_t i = 0; i < rows; i++)
    h->kernel->scale(c->out_width, (char *)o.data + i * o.row * h->size, sums[i] == 0 ? 0 : 1 / sums[i]);
}

static void attend_back(const head *h, int64_t first, int64_t rows) {
  const attention_call *c = h->c;
  int64_t n = seen(c, first + rows - 1);
  matrix s = make_scores(h, first, rows, n), g = {h->gradients, n}, dout = rows_of(h, &c->dout, first);
  matrix o = rows_of(h, &c->o, first);
  product(h, false, true, rows, n, c->out_width, 1, dout, rows_of(h, &c->v, 0), 0, g);
  for (int64_t i = 0; i < rows; i++) {
    char *row = (char *)s.data + i * n * h->size, *back = (char *)g.data + i * n * h->size;
    int64_t most = seen(c, first + i);
    double delta = h->kernel->dot(c->out_width, (char *)dout.data + i * dout.row * h->size, (char *)o.data + i * o.row * h->size);
    h->kernel->back(most, row, back, get_real(h->size, log_sum_of(h, first + i), 0), delta);
    memset(row + most * h->size, 0, (size_t)((n - most) * h->size));
    memset(back + most * h->size, 0, (size_t)((n - most) * h->size));
  }
  product(h, false, false, rows, c->width, n, c->scale, g, rows_of(h, &c->k, 0), 0, rows_of(h, &c->dq, first));
  product(h, true, false, n, c->width, rows, c->scale, g, rows_of(h, &c->q, first), 1, rows_of(h, &c->dk, 0));
  product(h, true, false, n, c->out_width, rows, 1, s, dout, 1, rows_of(h, &c->dv, 0));
}

static void clear(const head *h, const attention_operand *o, int64_t rows, int64_t width) {
  matrix m = rows_of(h, o, 0);
  for (int64_t i = 0; i < rows; i++) memset((char *)m.data + i * m.row * h->size, 0, (size_t)(width * h->size));
}

typedef struct job {
  const attention_call *c;
  const attention_table *kernel;
  int64_t blocks;                   /* the number of blocks of queries in a head; 1 in a backward call */
  char   *scratch;                  /* for each thread `each` bytes of scores; in a backward call also `each` bytes of
                                    ** gradients */
  size_t  each;
} job;

/* Computes part t of a call. In a forward call, a part is a block of ROWS queries of one head. In a backward call, a
** part is a whole head. */
static void run_part(const void *arg, int64_t t, int worker) {
  const job *j = arg;
  const attention_call *c = j->c;
  char *mine = j->scratch + j->each * (size_t)(c->back ? 2 * worker : worker);
  head h = {.c = c, .kernel = j->kernel, .size = dtype_size(c->dtype), .batch = t / j->blocks / c->heads,
            .number = t / j->blocks % c->heads, .scores = mine, .gradients = c->back ? mine + j->each : NULL};
  if (!c->back) {
    int64_t first = t % j->blocks * ROWS;
    attend(&h, first, c->queries - first < ROWS ? c->queries - first : ROWS);
    return;
  }
  clear(&h, &c->dk, c->keys, c->width);
  clear(&h, &c->dv, c->keys, c->out_width);
  for (int64_t first = 0; first < c->queries; first += ROWS)
    attend_back(&h, first, c->queries - first < ROWS ? c->queries - first : ROWS);
}

bool cpu_has_attention(int index, const attention_call *c) {
  (void)index;
  return FLOAT_TABLE(attention, c->dtype) != NULL;
}

int cpu_attention(int index, const attention_call *c) {
  (void)index;
  const attention_table *kernel = FLOAT_TABLE(attention, c->dtype);
  if (!kernel) return ERR_NO_KERNEL;
  int64_t blocks = c->back ? 1 : (c->queries + ROWS - 1) / ROWS, parts = c->batch * c->heads * blocks;
  int64_t work = (c->back ? c->queries : ROWS) * c->keys * (c->width + c->out_width);
  blas_use use = cpu_blas_begin(cpu_threads(parts, GRAIN / (work + 1) + 1));
  int threads = use.threads;
  if (threads == 0) return ERR_MEMORY;
  size_t each = (size_t)(ROWS * c->keys * dtype_size(c->dtype)) + 64, share = c->back ? 2 * each : each;
  size_t bytes = share * (size_t)threads;
  void *room;
  int st = cpu_alloc(0, bytes, &room);
  if (st != OK) {
    cpu_blas_end(&use);
    return st;
  }
  job j = {.c = c, .kernel = kernel, .blocks = blocks, .scratch = room, .each = each};
  cpu_parallel(threads, parts, run_part, &j);
  cpu_free(0, room, bytes);
  cpu_blas_end(&use);
  return OK;
}
