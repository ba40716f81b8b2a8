/* Random fills: hands chunks of whole runs to the kernels; the last one goes through a buffer. */

#include "../random.h"

#include <string.h>

#include "cpu.h"

enum {
  CHUNK = 1024,          /* elements: a multiple of 64, so that chunks begin at a run; 8 KiB at most stay in L1 */
  GRAIN = 1 << 14        /* below 16k elements (about 8 µs) a thread costs more than it saves */
};

static enum dtype draw_dtype(const random_call *c) {
  return c->op == RANDOM_integers ? DT_int64 : dtype_compute(c->out.dtype);
}

/* Elements begin … begin + n - 1, begin a multiple of CHUNK. */
static void draw_chunk(const random_call *c, random_kernel kernel, enum dtype drawn, int64_t begin, int64_t n) {
  char buffer[CHUNK * 8];
  int per_run = dtype_size(drawn) == 8 ? 2 * RANDOM_RUN : 4 * RANDOM_RUN;
  char *to = (char *)c->out.data + begin * dtype_size(c->out.dtype);
  bool direct = drawn == c->out.dtype && n % per_run == 0;
  uint64_t counter = c->offset + (uint64_t)(begin / per_run) * RANDOM_RUN;
  kernel(c, counter, (n + per_run - 1) / per_run, direct ? to : buffer);
  if (direct) return;
  if (drawn == c->out.dtype) memcpy(to, buffer, (size_t)n * (size_t)dtype_size(drawn));
  else cpu_isa->convert->convert[drawn][c->out.dtype](n, to, buffer);
}

int cpu_random(const random_call *c) {
  enum dtype drawn = draw_dtype(c);
  random_kernel kernel = cpu_isa->random->draw[c->op][drawn];
  if (!kernel) return ERR_NO_KERNEL;
  int threads = cpu_threads(c->count, GRAIN);
  #pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int64_t begin = 0; begin < c->count; begin += CHUNK)
    draw_chunk(c, kernel, drawn, begin, c->count - begin < CHUNK ? c->count - begin : CHUNK);
  return OK;
}
