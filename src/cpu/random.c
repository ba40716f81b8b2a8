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
** A random permutation results from sorting the positions 0 … n - 1 by uniform random keys. A word has the upper bits of
** a key and, in its lower bits, the position. The words are dealt to buckets by their first bits, and each bucket is
** sorted. Two words with the same bits of keys are compared by their whole keys. */

enum {
  BUCKET_MEAN = 1024,          /* the most words of a bucket on average */
  BUCKET_MOST = 1536,          /* the most words that are sorted by the kernel of short keys; a larger bucket is very
                               ** unlikely */
  PLACE_BITS  = 11,            /* the bits of a place in a bucket: BUCKET_MOST < 2^11 */
  SHORT_BITS  = 31 - PLACE_BITS,       /* the bits of a word in a short key */
  PAGE        = 4096 / sizeof(uint64_t)
};

typedef struct permuting {
  int64_t         n, buckets;
  int             bits, places;        /* the bits of the number of a bucket, and of a position */
  const uint64_t *keys;
  uint64_t       *words;
  int64_t        *end;                 /* the end of each bucket in `words` */
} permuting;

/* Returns the word of position i. */
static uint64_t word_of(const permuting *p, int64_t i) { return (p->keys[i] >> p->places << p->places) | (uint64_t)i; }

static int64_t position_of(const permuting *p, uint64_t word) { return (int64_t)(word & ((UINT64_C(1) << p->places) - 1)); }

/* True if word x comes after word y. */
static bool comes_after(const permuting *p, uint64_t x, uint64_t y) {
  if ((x ^ y) >> p->places) return x > y;
  uint64_t a = p->keys[position_of(p, x)], b = p->keys[position_of(p, y)];
  return a != b ? a > b : x > y;
}

/* Sorts n words by insertion, which is fast if they are nearly in order. */
static void insert_words(const permuting *p, uint64_t *words, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    uint64_t moving = words[i];
    int64_t k = i;
    for (; k > 0 && comes_after(p, words[k - 1], moving); k--) words[k] = words[k - 1];
    words[k] = moving;
  }
}

/* Sorts n words of a bucket by short keys: the word's bits behind the number of the bucket, then the place. */
static void sort_words(const permuting *p, uint64_t *words, int64_t n) {
  int32_t keys[BUCKET_MOST], scratch[BUCKET_MOST];
  uint64_t sorted[BUCKET_MOST];
  for (int64_t i = 0; i < n; i++)
    keys[i] = (int32_t)(words[i] << p->bits >> (64 - SHORT_BITS) << PLACE_BITS | (uint64_t)i);
  cpu_isa->sort_32->sort(n, keys, scratch);
  for (int64_t i = 0; i < n; i++) sorted[i] = words[keys[i] & ((1 << PLACE_BITS) - 1)];
  memcpy(words, sorted, (size_t)n * sizeof *words);
}

static void sort_bucket(const void *arg, int64_t b, int worker) {
  const permuting *p = arg;
  int64_t begin = b ? p->end[b - 1] : 0, n = p->end[b] - begin;
  (void)worker;
  if (n <= BUCKET_MOST) sort_words(p, p->words + begin, n);
  insert_words(p, p->words + begin, n);
}

/* Writes the words of the only bucket. */
static void fill_bucket(const permuting *p) {
  for (int64_t i = 0; i < p->n; i++) p->words[i] = word_of(p, i);
  p->end[0] = p->n;
}

/* Deals the words to buckets (counting sort). The words of a bucket are in the order of their positions. */
static void deal(const permuting *p) {
  const uint64_t *key = p->keys;
  uint64_t *words = p->words;
  int64_t n = p->n, *end = p->end;
  int shift = 64 - p->bits;
  memset(end, 0, (size_t)(p->buckets + 1) * sizeof *end);
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i++) end[(key[i] >> shift) + 1]++;
  for (int64_t b = 0, stop; (stop = cancel_stretch(b, p->buckets)) > b;)
    for (; b < stop; b++) end[b + 1] += end[b];
  /* Touches all pages of `words` in order. Otherwise the next loop, which writes to random pages, would cause nearly
  ** all page faults in its first stretch, and the operation cannot be cancelled within a stretch. */
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i += PAGE) words[i] = 0;
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, n)) > i;)
    for (; i < stop; i++) words[end[key[i] >> shift]++] = word_of(p, i);
}

static int permute(const random_call *c) {
  permuting p = {.n = c->count, .buckets = 1, .keys = c->out.data};
  for (; p.buckets * BUCKET_MEAN < p.n; p.bits++) p.buckets *= 2;
  while (p.n >> p.places) p.places++;
  size_t word_bytes = (size_t)p.n * sizeof *p.words, bytes = word_bytes + (size_t)(p.buckets + 1) * sizeof *p.end;
  void *scratch;
  int st = cpu_alloc(0, bytes, &scratch);
  if (st != OK) return st;
  random_call keys = *c;
  keys.op = RANDOM_integers;
  keys.low = 0;
  keys.range = 0;
  st = draw(&keys);
  p.words = scratch;
  p.end = (int64_t *)(p.words + p.n);
  if (p.buckets == 1) fill_bucket(&p);
  else deal(&p);
  cpu_parallel(cpu_threads(p.n, GRAIN), p.buckets, sort_bucket, &p);
  int64_t *out = c->out.data;
  for (int64_t i = 0, stop; (stop = cancel_stretch(i, p.n)) > i;)
    for (; i < stop; i++) out[i] = position_of(&p, p.words[i]) + 1;
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
