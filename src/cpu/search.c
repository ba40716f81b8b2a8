/* Searches: finds the true elements of a mask (nonzero), and the positions of values in sorted rows (searchsorted). */

#include <math.h>
#include <string.h>

#include "cpu/before.h"
#include "cpu/cpu.h"

enum {
  GRAIN       = 1 << 16,   /* the fewest elements of a mask for each thread; with fewer, a thread costs more time than
                           ** it saves */
  SEARCHES    = 1 << 11,   /* the fewest binary searches for each thread; with fewer, a thread costs more time than it
                           ** saves */
  PARTS       = 256,       /* the number of parts of a long mask, which threads share; the operation can be cancelled
                           ** between two parts */
  LANES       = 16,        /* the number of searches in lockstep: as many cache misses as a core can have in flight */
  FEW         = 32,        /* a value is compared with all elements of a row of at most this length: vectors compare
                           ** faster than a search halves, unless a row has fewer than LANES values */
  MANY        = 1 << 10    /* the most values of a task in such a row */
};

/* ---- nonzero ---- */

/* Masks are read as bytes, because the host may have written other values than 0 and 1 to memory that it lent. */
static int64_t count_true(const uint8_t *in, int64_t n) {
  int64_t count = 0;
  #pragma omp simd reduction(+:count)
  for (int64_t i = 0; i < n; i++) count += in[i] != 0;
  return count;
}

/* Returns a word with bit 7 of each byte set where that byte of `word` is not 0. The word is ALL_TRUE if all eight bytes
** are not 0. */
#define ALL_TRUE UINT64_C(0x8080808080808080)
static uint64_t true_bytes(uint64_t word) {
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
  return (((word & low) + low) | word) & ~low;
}

/* Writes the 1-based positions of the true elements among n elements of a row to `out`. The first element has the
** 0-based position `first`. Returns the number of true elements. */
static int64_t true_places(const uint8_t *in, int64_t n, int64_t first, int64_t *out) {
  int64_t i = 0, count = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (; i + 8 <= n; i += 8) {                 /* tests eight elements at once */
    uint64_t word;
    memcpy(&word, in + i, 8);
    word = true_bytes(word);
    if (word == ALL_TRUE) {
      for (int k = 0; k < 8; k++) out[count + k] = first + i + k + 1;
      count += 8;
    } else for (; word; word &= word - 1) out[count++] = first + i + (__builtin_ctzll(word) >> 3) + 1;
  }
#endif
  for (; i < n; i++)
    if (in[i]) out[count++] = first + i + 1;
  return count;
}

/* Writes the coordinates of the true elements among elements begin … end - 1. `at` is the number of true elements
** before element `begin`. */
static void write_places(const nonzero_call *c, int64_t begin, int64_t end, int64_t at) {
  int last = c->ndim - 1;
  while (begin < end) {
    int64_t row = begin / c->shape[last], column = begin % c->shape[last], n = c->shape[last] - column;
    if (n > end - begin) n = end - begin;
    int64_t found = true_places(c->in + begin, n, column, c->out + last * c->count + at);
    for (int d = last - 1; d >= 0; row /= c->shape[d--]) {
      int64_t coordinate = row % c->shape[d] + 1, *out = c->out + d * c->count + at;
      for (int64_t i = 0; i < found; i++) out[i] = coordinate;
    }
    at += found;
    begin += n;
  }
}

typedef struct parts {
  const nonzero_call *c;
  int64_t  n, parts;
  int64_t *counts;             /* for each part: the number of its true elements; after the exclusive prefix sum: the
                               ** number of true elements before the part */
} parts;

static void count_part(const void *arg, int64_t i, int worker) {
  const parts *p = arg;
  int64_t begin = p->n * i / p->parts;
  (void)worker;
  p->counts[i] = count_true(p->c->in + begin, p->n * (i + 1) / p->parts - begin);
}

static void write_part(const void *arg, int64_t i, int worker) {
  const parts *p = arg;
  (void)worker;
  write_places(p->c, p->n * i / p->parts, p->n * (i + 1) / p->parts, p->counts[i]);
}

int cpu_nonzero(int index, nonzero_call *c) {
  (void)index;
  int64_t counts[PARTS], n = 1;
  for (int d = 0; d < c->ndim; d++) n *= c->shape[d];
  int threads = cpu_threads(n, GRAIN);
  parts p = {.c = c, .n = n, .parts = n < 2 * GRAIN ? 1 : PARTS, .counts = counts};
  cpu_parallel(threads, p.parts, count_part, &p);
  if (this_operation.stopped) return OK;
  int64_t total = 0;
  for (int64_t i = 0; i < p.parts; i++) {      /* exclusive prefix sum: counts[i] becomes the total count of all parts
                                               ** before part i */
    int64_t part = counts[i];
    counts[i] = total;
    total += part;
  }
  if (c->out && c->count == total) cpu_parallel(threads, p.parts, write_part, &p);
  c->count = total;
  return OK;
}

/* ---- searchsorted ---- */

/* step_<dtype> makes one step of m <= LANES binary searches. All searches run in lockstep, so that their cache misses
** overlap. Search k looks for the insertion point of values[k], and first[k] is the first position that is still
** possible. If the insertion point is after the first half of the remaining elements, first[k] advances by `half`. The
** insertion point is before the elements that equal the value or, if `right` is true, after them. */
#define STEP(D, T, ...)                                                                                          \
  INLINE void step_##D(const void *row, int64_t half, const void *values, int m, const bool right, int64_t *first) { \
    for (int k = 0; k < m; k++) {                                                                                \
      T x = ((const T *)row)[first[k] + half - 1], v = ((const T *)values)[k];                                   \
      int64_t before = right ? !SORTS_BEFORE(v, x) : SORTS_BEFORE(x, v);                                         \
      first[k] += -before & half;                                                                                \
    }                                                                                                            \
  }
EACH_ORDERED(STEP, )

typedef void search_step(const void *row, int64_t half, const void *values, int m, const bool right, int64_t *first);

INLINE void search_row(search_step *step, const void *row, int64_t n, const void *values, int m, const bool right, int64_t *out) {
  int64_t first[LANES] = {0};
  for (int64_t left = n, half; left > 0; left -= half) {
    half = (left + 1) / 2;
    step(row, half, values, m, right, first);
  }
  for (int k = 0; k < m; k++) out[k] = first[k] + 1;
}

#define SEARCH(D, T, ...)                                                                                        \
  static void search_##D(const void *sorted, int64_t n, const void *values, int64_t m, bool right, int64_t *out) { \
    if (right) search_row(step_##D, sorted, n, values, (int)m, true, out);                                       \
    else search_row(step_##D, sorted, n, values, (int)m, false, out);                                            \
  }
EACH_ORDERED(SEARCH, )

#define SEARCH_ENTRY(D, T, ...) [DT_##D] = search_##D,
static const search_kernel searches[DTYPE_COUNT] = {EACH_ORDERED(SEARCH_ENTRY, )};

/* ---- evenly spaced rows ---- */

/* A line through a row of floats: element i is about first + i / scale. */
typedef struct even_row {
  double first, scale;
} even_row;

/* Returns element i of a row as a double, which represents each float exactly. */
typedef double load_element(const void *row, int64_t i);
INLINE double load_float32(const void *row, int64_t i) { return (double)((const float *)row)[i]; }
INLINE double load_float64(const void *row, int64_t i) { return ((const double *)row)[i]; }

/* Sets *e to the line through the first and the last element. Returns true if each element is less than one step away
** from the line, as in the edges of bins of equal width. Stops early if the operation is cancelled. */
INLINE bool is_even(load_element *load, const void *row, int64_t n, even_row *e) {
  e->first = load(row, 0);
  e->scale = (double)(n - 1) / (load(row, n - 1) - e->first);
  bool even = e->scale > 0 && isfinite(e->scale);
  for (int64_t i = 0, end; even && (end = cancel_stretch(i, n)) > i;)
    for (; i < end && even; i++) even = fabs((load(row, i) - e->first) * e->scale - (double)i) < 1;
  return even;
}

/* Writes the insertion points of m values: computes a point from the line, and then compares the value with the
** neighbours of the point. */
INLINE void guess_row(load_element *load, const even_row *e, const void *row, int64_t n, const void *values, int64_t m,
                      const bool right, int64_t *out) {
  const double first = e->first, scale = e->scale;
  for (int64_t k = 0; k < m; k++) {
    double v = load(values, k), guess = (v - first) * scale + 1;
    int64_t at = guess < (double)n ? (guess > 0 ? (int64_t)guess : 0) : n;        /* n for NaN, which sorts last */
    while (at > 0 && (right ? v < load(row, at - 1) : v <= load(row, at - 1))) at--;
    while (at < n && (right ? v >= load(row, at) : v > load(row, at))) at++;
    out[k] = at + 1;
  }
}

typedef void search_even(const even_row *e, const void *row, int64_t n, const void *values, int64_t m, bool right, int64_t *out);

static void guess_float32(const even_row *e, const void *row, int64_t n, const void *values, int64_t m, bool right, int64_t *out) {
  if (right) guess_row(load_float32, e, row, n, values, m, true, out);
  else guess_row(load_float32, e, row, n, values, m, false, out);
}

static void guess_float64(const even_row *e, const void *row, int64_t n, const void *values, int64_t m, bool right, int64_t *out) {
  if (right) guess_row(load_float64, e, row, n, values, m, true, out);
  else guess_row(load_float64, e, row, n, values, m, false, out);
}

/* ---- the call ---- */

typedef struct searching {
  const search_call *c;
  search_kernel search;
  even_row even;
  search_even *guess;          /* NULL unless the only row is even */
  int64_t groups, width;       /* the number of groups in a row; a group has up to `width` values */
} searching;

static void search_group(const void *arg, int64_t g, int worker) {
  const searching *s = arg;
  const search_call *c = s->c;
  int64_t row = g / s->groups, first = g % s->groups * s->width, left = c->count - first, at = row * c->count + first;
  int64_t size = dtype_size(c->dtype);
  (void)worker;
  const char *sorted = (const char *)c->sorted + row * c->n * size, *values = (const char *)c->values + at * size;
  int64_t m = left < s->width ? left : s->width;
  if (s->guess) s->guess(&s->even, sorted, c->n, values, m, c->right, c->out + at);
  else s->search(sorted, c->n, values, m, c->right, c->out + at);
}

/* Chooses the guessing search for many values in one even row. */
static void choose_guess(searching *s) {
  const search_call *c = s->c;
  if (c->rows > 1 || c->count < c->n) return;
  if (c->dtype == DT_float32 && is_even(load_float32, c->sorted, c->n, &s->even)) s->guess = guess_float32;
  if (c->dtype == DT_float64 && is_even(load_float64, c->sorted, c->n, &s->even)) s->guess = guess_float64;
  if (s->guess) s->width = MANY;
}

int cpu_search(int index, const search_call *c) {
  (void)index;
  search_kernel search = searches[c->dtype];
  if (!search) return ERR_NO_KERNEL;
  searching s = {.c = c, .search = search, .width = LANES};
  if (c->n <= FEW && c->count >= LANES) {
    s.search = cpu_isa->search->insert[c->dtype];
    s.width = MANY;
  } else if (c->n > FEW) {
    choose_guess(&s);
  }
  s.groups = (c->count + s.width - 1) / s.width;
  cpu_parallel(cpu_threads(c->rows * c->count, SEARCHES), c->rows * s.groups, search_group, &s);
  return OK;
}
