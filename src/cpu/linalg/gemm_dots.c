/* Batches of dot products (m = n = 1), such as those of vecdot. A task computes many short products one after the
** other, because the cost of a call for each product would exceed the time of the product. */

#include <stdlib.h>
#include <string.h>

#include "cpu/linalg/gemm.h"
#include "cpu/walk.h"

enum {
  CHUNK  = 256,        /* the most products of a task, whose sums are merged into c together */
  LEAST  = 16,         /* the fewest products of a task: a cache line of neighbouring float32 elements, one of each
                       ** product */
  TASK   = 1 << 15,    /* the multiplications of a task, if it has more than LEAST products */
  LONG   = 1 << 14,    /* the most elements of a product; threads share longer products (gemm.c) */
  PIECE  = 32,         /* the elements of a product that are gathered at a time, if vectors are closer together than
                       ** their elements */
  SHORT  = 256,        /* up to this length, strided vectors are gathered faster than BLAS reads them in place */
  BUFFER = 1 << 10,    /* the elements that are gathered or converted at a time. Three buffers take 24 KiB of stack */
  GRAIN  = 1 << 19,    /* the least work for each thread: with less, a thread costs more time than it saves */
  CALL   = 32          /* the work of the call of a kernel, in multiplications */
};

/* The vectors of an operand: `next` elements from one vector to the next, and `step` from one element to the next. */
typedef struct vectors { int64_t next, step; } vectors;

typedef struct dots {
  const gemm_call   *g;
  const gemm_kernel *kernel;
  vectors a, b;
  int64_t length, c_next;              /* the innermost dim of the batch: its length, and the stride of c */
  int64_t chunk, tasks;                /* the products of a task, and the number of tasks along the innermost dim */
} dots;

/* True if a kernel can read the vectors in place. */
static bool in_place(const dots *d, const vectors *v) {
  return d->kernel->compute == d->g->dtype && (v->step == 1 || d->g->k < 2);
}

/* True if the vectors are closer together than their elements, like the columns of a row-major matrix. */
static bool is_crosswise(const vectors *v) {
  return llabs(v->next) < llabs(v->step);
}

/* Returns k elements of each of n vectors in the compute dtype. Sets *next to the elements from one vector to the next.
** n * k is at most BUFFER, unless the vectors are read in place. `made` has space for BUFFER elements. */
static const char *load_vectors(const dots *d, const vectors *v, const char *x, int64_t n, int64_t k, char *made,
                                int64_t *next) {
  enum dtype from = d->g->dtype, to = d->kernel->compute;
  *next = v->next;
  if (in_place(d, v)) return x;
  *next = k;
  int size = dtype_size(from);
  copy_plan plan = {.rows = n, .cols = k, .to_row = k, .to_col = 1, .from_row = v->next, .from_col = v->step};
  char raw[BUFFER * 8];
  bool is_dense = v->step == 1 && (v->next == k || n == 1);
  if (!is_dense) cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&plan, from == to ? made : raw, x);
  if (from != to) cpu_isa->convert->convert[from][to](n * k, made, is_dense ? x : raw);
  return made;
}

/* Adds the products of k elements of n pairs of vectors to `sums`, which are elements of the compute dtype. */
static void add_products(const dots *d, int64_t n, int64_t k, const char *a, const char *b, char *sums) {
  _Alignas(64) char made_a[BUFFER * 8], made_b[BUFFER * 8];
  int64_t size = dtype_size(d->kernel->compute), next_a, next_b;
  a = load_vectors(d, &d->a, a, n, k, made_a, &next_a);
  b = load_vectors(d, &d->b, b, n, k, made_b, &next_b);
  if (d->kernel->dots) {
    d->kernel->dots(&(row_dots){.rows = n, .k = k, .a = a, .b = b, .c = sums, .a_stride = {next_a, 1}, .b_stride = {next_b, 1}});
    return;
  }
  for (int64_t i = 0; i < n; i++)
    d->kernel->dot(k, a + i * next_a * size, b + i * next_b * size, sums + i * size);
}

/* Writes n sums to c. The merge kernels of half floats write float32, which is rounded here. */
static void write_sums(const dots *d, int64_t n, const char *sums, char *c) {
  const gemm_call *g = d->g;
  if (!dtype_is_narrow(g->dtype)) {
    d->kernel->merge(1, n, sums, n, c, (int64_t[]){0, d->c_next}, g->alpha, g->beta);
    return;
  }
  float scaled[CHUNK];
  uint16_t rounded[CHUNK];
  d->kernel->merge(1, n, sums, n, scaled, (int64_t[]){0, 1}, g->alpha, g->beta);
  cpu_isa->convert->convert[DT_float32][g->dtype](n, rounded, scaled);
  for (int64_t i = 0; i < n; i++) memcpy(c + i * d->c_next * 2, &rounded[i], 2);
}

/* Computes the sums of n products in pieces of at most `rows` vectors and `piece` elements. */
static void sum_products(const dots *d, int64_t n, const char *a, const char *b, char *sums) {
  bool direct = in_place(d, &d->a) && in_place(d, &d->b), crosswise = is_crosswise(&d->a) || is_crosswise(&d->b);
  int64_t k = d->g->k, size = dtype_size(d->g->dtype), sum_size = dtype_size(d->kernel->compute);
  int64_t most = direct ? k : crosswise ? PIECE : BUFFER, piece = k < most ? k : most;
  int64_t rows = direct ? n : BUFFER / (piece > 0 ? piece : 1);
  for (int64_t i = 0, count; i < n; i += count) {
    count = n - i < rows ? n - i : rows;
    for (int64_t j = 0, length; j < k; j += length) {
      length = k - j < piece ? k - j : piece;
      add_products(d, count, length, a + (i * d->a.next + j * d->a.step) * size,
                   b + (i * d->b.next + j * d->b.step) * size, sums + i * sum_size);
    }
  }
}

static void run_chunk(const void *arg, int64_t task, int worker) {
  const dots *d = arg;
  const gemm_call *g = d->g;
  int64_t first = task % d->tasks * d->chunk, offset[3], size = dtype_size(g->dtype);
  int64_t n = d->length - first < d->chunk ? d->length - first : d->chunk;
  _Alignas(64) char sums[CHUNK * 8] = {0};
  (void)worker;
  plan_offsets(&g->batch, task / d->tasks * d->length + first, offset);
  sum_products(d, n, (const char *)g->a + offset[1] * size, (const char *)g->b + offset[2] * size, sums);
  write_sums(d, n, sums, (char *)g->c + offset[0] * size);
}

static dots dots_of(const gemm_call *g) {
  const plan *p = &g->batch;
  return (dots){.g = g, .kernel = &cpu_isa->gemm->kernel[g->dtype], .length = inner_length(p), .c_next = inner_stride(p, 0),
                .a = {inner_stride(p, 1), g->a_stride[1]}, .b = {inner_stride(p, 2), g->b_stride[0]}};
}

/* True if cpu_dots is fast for the vectors. Vectors of a dtype that is converted are always gathered. */
static bool is_fast(const dots *d, const vectors *v) {
  if (d->kernel->compute != d->g->dtype || in_place(d, v) || d->g->k <= SHORT) return true;
  return is_crosswise(v) && d->length >= LEAST;
}

bool cpu_dots_fit(const gemm_call *g) {
  if (g->m != 1 || g->n != 1 || g->batch.count < 2 || g->k > LONG) return false;
  dots d = dots_of(g);
  if (!d.kernel->dot || (dtype_is_narrow(g->dtype) && g->beta.f != 0)) return false;
  return is_fast(&d, &d.a) && is_fast(&d, &d.b);
}

void cpu_dots(const gemm_call *g) {
  dots d = dots_of(g);
  d.chunk = TASK / (g->k + CALL);
  d.chunk = d.chunk < LEAST ? LEAST : d.chunk > CHUNK ? CHUNK : d.chunk;
  d.tasks = (d.length + d.chunk - 1) / d.chunk;
  cpu_parallel(cpu_threads(g->batch.count * (g->k + CALL), GRAIN), g->batch.count / d.length * d.tasks, run_chunk, &d);
}
