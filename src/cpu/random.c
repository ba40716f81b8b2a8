/* Random fills and permutations. A fill passes chunks to the kernels, which write whole runs of random numbers
** (base/random.h). A chunk that does not end at the end of a run, or whose dtype the kernel does not write, is drawn
** into a buffer and copied. */

#include "base/random.h"

#include <string.h>

#include "cpu/cpu.h"

enum {
  CHUNK = 1024,          /* the number of elements of a chunk: a multiple of 64, so that each chunk begins with a new
                         ** run; at most 8 KiB, which stay in L1 */
  GRAIN = 1 << 14        /* the fewest elements for each thread: for fewer than 16k (about 8 µs), a thread costs more
                         ** time than it saves */
};

static enum dtype draw_dtype(const random_call *c) {
  return c->op == RANDOM_integers ? DT_int64 : dtype_compute(c->out.dtype);
}

typedef struct drawing {
  const random_call *c;
  random_kernel kernel;
  enum dtype    drawn;
} drawing;

/* Draws chunk k of CHUNK elements; the last chunk may be shorter. */
static void draw_chunk(const void *arg, int64_t k, int worker) {
  const drawing *d = arg;
  const random_call *c = d->c;
  enum dtype drawn = d->drawn;
  char buffer[CHUNK * 8];
  (void)worker;
  int64_t begin = k * CHUNK, n = c->count - begin < CHUNK ? c->count - begin : CHUNK;
  int per_run = dtype_size(drawn) == 8 ? 2 * RANDOM_RUN : 4 * RANDOM_RUN;
  char *to = (char *)c->out.data + begin * dtype_size(c->out.dtype);
  bool direct = drawn == c->out.dtype && n % per_run == 0;
  uint64_t counter = c->offset + (uint64_t)(begin / per_run) * RANDOM_RUN;
  d->kernel(c, counter, (n + per_run - 1) / per_run, direct ? to : buffer);
  if (direct) return;
  if (drawn == c->out.dtype) memcpy(to, buffer, (size_t)n * (size_t)dtype_size(drawn));
  else cpu_isa->convert->convert[drawn][c->out.dtype](n, to, buffer);
}

static int draw(const random_call *c) {
  enum dtype drawn = draw_dtype(c);
  random_kernel kernel = cpu_isa->random->draw[c->op][drawn];
  if (!kernel) return ERR_NO_KERNEL;
  cpu_parallel(cpu_threads(c->count, GRAIN), (c->count + CHUNK - 1) / CHUNK, draw_chunk, &(drawing){c, kernel, drawn});
  return OK;
}

/* ---- permutations ----
** A random permutation results from sorting the positions 1 … n by uniform random keys (bucket sort). The keys are
** distributed to buckets of about 4 to 8 keys, and each bucket is sorted. */

typedef struct keyed {
  uint64_t key;
  int64_t  position;
} keyed;

enum { PAGE = 4096 / sizeof(keyed) };

/* Sorts n entries by key: a stable insertion sort. */
static void sort_few(keyed *e, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    keyed moving = e[i];
    int64_t k = i;
    for (; k > 0 && e[k - 1].key > moving.key; k--) e[k] = e[k - 1];
    e[k] = moving;
  }
}

/* Distributes n keys to buckets by their top bits (counting sort). Sets end[b] to the end of bucket b in `dealt`. */
static void deal(const uint64_t *key, int64_t n, int shift, int64_t *end, int64_t buckets, keyed *dealt) {
  memset(end, 0, (size_t)(buckets + 1) * sizeof *end);
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i++) end[(key[i] >> shift) + 1]++;
  for (int64_t b = 0, stop; (stop = cancel_stretch(b, buckets)) > b;)
    for (; b < stop; b++) end[b + 1] += end[b];
  /* Touches all pages of `dealt` in order. Otherwise the next loop, which writes to random pages, would cause nearly
  ** all page faults in its first stretch, and the operation cannot be cancelled within a stretch. */
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i += PAGE) dealt[i].position = 0;
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i++) dealt[end[key[i] >> shift]++] = (keyed){key[i], i + 1};
}

static int permute(const random_call *c) {
  int64_t n = c->count, buckets = 2;
  int bits = 1;
  for (; buckets < n / 4 && bits < 62; bits++) buckets *= 2;        /* about 4 to 8 keys in each bucket */
  size_t dealt_bytes = (size_t)n * sizeof(keyed), bytes = dealt_bytes + (size_t)(buckets + 1) * sizeof(int64_t);
  void *scratch;
  int st = cpu_alloc(0, bytes, &scratch);
  if (st != OK) return st;
  random_call keys = *c;
  keys.op = RANDOM_integers;
  keys.low = 0;
  keys.range = 0;
  st = draw(&keys);
  keyed *dealt = scratch;
  int64_t *end = (int64_t *)(dealt + n), *out = c->out.data;
  deal(c->out.data, n, 64 - bits, end, buckets, dealt);
  for (int64_t b = 0, begin = 0, stop; (stop = cancel_stretch(b, buckets)) > b;)
    for (; b < stop; begin = end[b++]) sort_few(dealt + begin, end[b] - begin);
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i++) out[i] = dealt[i].position;
  cpu_free(0, scratch, bytes);
  return st;
}

int cpu_random(int index, const random_call *c) {
  (void)index;
  random_call now = *c;
  if (c->cell) {
    now.offset += c->cell[0];
    now.seed = c->cell[1];
  }
  return c->op == RANDOM_permutation ? permute(&now) : draw(&now);
}
