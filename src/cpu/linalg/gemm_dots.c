/* Batches of dot products (m = n = 1), such as those of vecdot. A task computes many short products one after the
** other, because the cost of a call for each product would exceed the time of the product. */

#include <string.h>

#include "cpu/linalg/gemm.h"
#include "cpu/walk.h"

enum {
  CHUNK  = 256,        /* the most products of a task, whose sums are merged into c together */
  BUFFER = 1 << 10,    /* the number of elements that are converted to the compute dtype at a time; also the most
                       ** elements of a product. Two buffers take 16 KiB of stack */
  GRAIN  = 1 << 19,    /* the least work for each thread: with less, a thread costs more time than it saves */
  CALL   = 32          /* the work of the call of a kernel, in multiplications */
};

typedef struct dots {
  const gemm_call   *g;
  const gemm_kernel *kernel;
  int64_t length, stride[3];           /* the innermost dim of the batch: its length, and the strides of c, a and b */
  int64_t tasks;                       /* the tasks along the innermost dim */
} dots;

bool cpu_dots_fit(const gemm_call *g) {
  const gemm_kernel *kernel = &cpu_isa->gemm->kernel[g->dtype];
  if (g->m != 1 || g->n != 1 || g->batch.count < 2 || g->k > BUFFER || !kernel->dot) return false;
  if (g->k > 1 && (g->a_stride[1] != 1 || g->b_stride[0] != 1)) return false;
  return !dtype_is_narrow(g->dtype) || (g->beta.f == 0 && g->beta.im == 0);
}

/* Returns n rows of k elements of operand a or b in the compute dtype. Sets *next to the elements from one row to the
** next. `made` has space for BUFFER elements. */
static const char *load_rows(const dots *d, const char *x, int64_t n, int64_t stride, char *made, int64_t *next) {
  enum dtype from = d->g->dtype, to = d->kernel->compute;
  int64_t k = d->g->k, size = dtype_size(from), made_size = dtype_size(to);
  *next = stride;
  if (from == to) return x;
  *next = k;
  if (stride == k) cpu_isa->convert->convert[from][to](n * k, made, x);
  else for (int64_t i = 0; i < n; i++) cpu_isa->convert->convert[from][to](k, made + i * k * made_size, x + i * stride * size);
  return made;
}

/* Adds n products to `sums`, which are elements of the compute dtype. */
static void add_products(const dots *d, int64_t n, const char *a, const char *b, char *sums) {
  _Alignas(64) char made_a[BUFFER * 8], made_b[BUFFER * 8];
  int64_t k = d->g->k, size = dtype_size(d->kernel->compute), next_a, next_b;
  a = load_rows(d, a, n, d->stride[1], made_a, &next_a);
  b = load_rows(d, b, n, d->stride[2], made_b, &next_b);
  for (int64_t i = 0; i < n; i++)
    d->kernel->dot(k, a + i * next_a * size, b + i * next_b * size, sums + i * size);
}

/* Writes n sums to c. The merge kernels of half floats write float32, which is rounded here. */
static void write_sums(const dots *d, int64_t n, const char *sums, char *c) {
  const gemm_call *g = d->g;
  if (!dtype_is_narrow(g->dtype)) {
    d->kernel->merge(1, n, sums, n, c, (int64_t[]){0, d->stride[0]}, g->alpha, g->beta);
    return;
  }
  float scaled[CHUNK];
  uint16_t rounded[CHUNK];
  d->kernel->merge(1, n, sums, n, scaled, (int64_t[]){0, 1}, g->alpha, g->beta);
  cpu_isa->convert->convert[DT_float32][g->dtype](n, rounded, scaled);
  for (int64_t i = 0; i < n; i++) memcpy(c + i * d->stride[0] * 2, &rounded[i], 2);
}

static void run_chunk(const void *arg, int64_t task, int worker) {
  const dots *d = arg;
  const gemm_call *g = d->g;
  int64_t first = task % d->tasks * CHUNK, n = d->length - first < CHUNK ? d->length - first : CHUNK, offset[3];
  int64_t size = dtype_size(g->dtype), sum_size = dtype_size(d->kernel->compute);
  int64_t most = d->kernel->compute == g->dtype ? n : BUFFER / (g->k > 0 ? g->k : 1);
  _Alignas(64) char sums[CHUNK * 8] = {0};
  (void)worker;
  plan_offsets(&g->batch, task / d->tasks * d->length + first, offset);
  const char *a = (const char *)g->a + offset[1] * size, *b = (const char *)g->b + offset[2] * size;
  for (int64_t i = 0, rows; i < n; i += rows) {
    rows = n - i < most ? n - i : most;
    add_products(d, rows, a + i * d->stride[1] * size, b + i * d->stride[2] * size, sums + i * sum_size);
  }
  write_sums(d, n, sums, (char *)g->c + offset[0] * size);
}

void cpu_dots(const gemm_call *g) {
  const plan *p = &g->batch;
  dots d = {.g = g, .kernel = &cpu_isa->gemm->kernel[g->dtype], .length = inner_length(p)};
  for (int k = 0; k < 3; k++) d.stride[k] = inner_stride(p, k);
  d.tasks = (d.length + CHUNK - 1) / CHUNK;
  cpu_parallel(cpu_threads(p->count * (g->k + CALL), GRAIN), p->count / d.length * d.tasks, run_chunk, &d);
}
