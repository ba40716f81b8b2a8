/* Searches: where a mask is true, and where values belong in sorted rows. */

#include <string.h>

#include "cpu.h"

enum {
  GRAIN       = 1 << 16,   /* mask elements a thread */
  SEARCHES    = 1 << 11,   /* binary searches a thread */
  MAX_THREADS = 256
};

/* ---- nonzero ---- */

static int64_t count_true(const bool *in, int64_t n) {
  int64_t count = 0;
  #pragma omp simd reduction(+:count)
  for (int64_t i = 0; i < n; i++) count += in[i];
  return count;
}

/* 1-based positions of the true ones among n elements that start a row at position `first`; returns how many. */
static int64_t true_places(const bool *in, int64_t n, int64_t first, int64_t *out) {
  int64_t i = 0, count = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (; i + 8 <= n; i += 8) {                 /* eight at a time: each byte is 0 or 1 */
    uint64_t word;
    memcpy(&word, in + i, 8);
    for (; word; word &= word - 1) out[count++] = first + i + (__builtin_ctzll(word) >> 3) + 1;
  }
#endif
  for (; i < n; i++)
    if (in[i]) out[count++] = first + i + 1;
  return count;
}

/* Elements begin … end - 1, whose true ones are number `at` and on. */
static void write_places(const nonzero_call *c, int64_t begin, int64_t end, int64_t at) {
  int last = c->ndim - 1;
  while (begin < end) {
    int64_t row = begin / c->shape[last], column = begin % c->shape[last], n = c->shape[last] - column;
    if (n > end - begin) n = end - begin;
    int64_t found = true_places(c->in + begin, n, column, c->out + last * c->count + at);
    for (int d = last - 1; d >= 0; row /= c->shape[d--])
      for (int64_t i = 0; i < found; i++) c->out[d * c->count + at + i] = row % c->shape[d] + 1;
    at += found;
    begin += n;
  }
}

int cpu_nonzero(nonzero_call *c) {
  int64_t n = 1, counts[MAX_THREADS];
  for (int d = 0; d < c->ndim; d++) n *= c->shape[d];
  int threads = cpu_threads(n, GRAIN);
  if (threads > MAX_THREADS) threads = MAX_THREADS;
  #pragma omp parallel for if(threads > 1) num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) {
    int64_t begin = n * t / threads;
    counts[t] = count_true(c->in + begin, n * (t + 1) / threads - begin);
  }
  int64_t total = 0;
  for (int t = 0; t < threads; t++) {          /* counts become where each part starts */
    int64_t part = counts[t];
    counts[t] = total;
    total += part;
  }
  if (!c->out) { c->count = total; return OK; }
  #pragma omp parallel for if(threads > 1) num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) write_places(c, n * t / threads, n * (t + 1) / threads, counts[t]);
  return OK;
}

/* ---- searchsorted ---- */

/* Number of elements before v: those less (right: not greater). NaN is greater than all else. */
#define SEARCH(D, T, ...)                                                           \
  static int64_t search_##D(const void *sorted, int64_t n, const void *value, bool right) { \
    const T *row = sorted;                                                          \
    T v = *(const T *)value;                                                        \
    int64_t first = 0;                                                              \
    while (n > 0) {                                                                 \
      int64_t half = n / 2;                                                         \
      T x = row[first + half];                                                      \
      bool before = right ? !(v < x || (x != x && v == v)) : x < v || (v != v && x == x); \
      first = before ? first + half + 1 : first;                                    \
      n = before ? n - half - 1 : half;                                             \
    }                                                                               \
    return first;                                                                   \
  }
EACH_ANY(SEARCH, )

typedef int64_t (*search_row)(const void *sorted, int64_t n, const void *value, bool right);
#define SEARCH_ENTRY(D, T, ...) [DT_##D] = search_##D,
static const search_row searches[DTYPE_COUNT] = {EACH_ANY(SEARCH_ENTRY, )};

int cpu_search(const search_call *c) {
  search_row search = searches[c->dtype];
  if (!search) return ERR_NO_KERNEL;
  int64_t size = dtype_size(c->dtype), total = c->rows * c->count;
  int threads = cpu_threads(total, SEARCHES);
  #pragma omp parallel for if(threads > 1) num_threads(threads) schedule(static)
  for (int64_t i = 0; i < total; i++) {
    const char *row = (const char *)c->sorted + i / c->count * c->n * size;
    c->out[i] = 1 + search(row, c->n, (const char *)c->values + i * size, c->right);
  }
  return OK;
}
