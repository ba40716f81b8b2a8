/* Selection (select.h). The keys of a short line are split at pivots until the wanted ranks are found, as quicksort
** does. Of a long line, first a sample is taken. Two keys of the sample bound the wanted keys, so that one pass over
** the line keeps only few keys for the splits (the method of Floyd and Rivest). */

#include "cpu/select.h"

#include <math.h>

enum {
  LONG = 1 << 14,          /* the fewest elements of a long line: below, the sample bounds too many keys */
  STEP = 61,               /* elements from one sampled element to the next; a prime, so that the sample contains all
                           ** columns of a matrix whose rows follow each other in the line */
  STRETCH = 1 << 12,       /* the number of keys that are made and compared at a time, so that they stay in the L1
                           ** cache */
  PART = 1 << 16,          /* the fewest elements of a part of the line, which one thread reads */
  PARTS = 256              /* the most parts */
};

bool cpu_select_long(int64_t n) { return n >= LONG; }

static const key_sorts *sorts_of(const select_line *l) {
  return l->kernel->key_size == 8 ? cpu_isa->sort_64 : cpu_isa->sort_32;
}

static int64_t key_at(const select_line *l, const void *keys, int64_t i) {
  return l->kernel->key_size == 8 ? ((const int64_t *)keys)[i] : ((const int32_t *)keys)[i];
}

static int64_t least_key(const select_line *l) { return l->kernel->key_size == 8 ? INT64_MIN : INT32_MIN; }

/* Returns the greatest key that an element of the dtype can have: the key of NaN, if the dtype is a float. */
static int64_t greatest_key(const select_line *l) {
  int bits = l->kernel->key_bits;
  return bits == 64 ? INT64_MAX : bits == 32 ? INT32_MAX : ((int64_t)1 << bits) - 1;
}

/* True if a line whose largest key is `most` contains NaN. Only floats have the function `mend`. */
static bool has_nan(const select_line *l, int64_t most) { return l->kernel->mend && most == greatest_key(l); }

static void fill_nan(const select_line *l, void *keys) {
  int64_t most = greatest_key(l);
  for (int64_t i = 0; i < l->end - l->first; i++)
    if (l->kernel->key_size == 8) ((int64_t *)keys)[i] = most;
    else ((int32_t *)keys)[i] = (int32_t)most;
}

/* Selects the ranks first … end - 1 among n keys, and moves them to the front. */
static void select_front(const select_line *l, int64_t n, int64_t first, int64_t end, char *keys, void *scratch) {
  size_t size = (size_t)l->kernel->key_size;
  sorts_of(l)->select(n, keys, scratch, first, end);
  memmove(keys, keys + (size_t)first * size, (size_t)(end - first) * size);
}

/* Sets low and high to keys between which the keys of the wanted ranks probably are. In a sample of m keys, the rank of
** a key deviates from its expected rank by at most sqrt(m) / 2 (standard deviation); 4 deviations are allowed. */
static void bound_ranks(const select_line *l, const void *x, void *keys, void *scratch, int64_t *low, int64_t *high) {
  int64_t m = (l->n - 1) / STEP + 1;
  double share = (double)m / (double)l->n, slack = 2 * sqrt((double)m) + 1;
  int64_t first = (int64_t)((double)l->first * share - slack), last = (int64_t)((double)l->end * share + slack);
  *low = least_key(l);
  *high = greatest_key(l);
  copy_stretches(&(copy_plan){.rows = 1, .cols = m, .to_row = m, .to_col = 1, .from_row = l->n, .from_col = STEP},
                 l->size, scratch, x);
  l->kernel->keys(m, scratch, false, keys);
  if (first > 0) {
    sorts_of(l)->select(m, keys, scratch, first, first + 1);
    *low = key_at(l, keys, first);
  }
  if (last < m) {
    sorts_of(l)->select(m, keys, scratch, last, last + 1);
    *high = key_at(l, keys, last);
  }
}

typedef struct part_result { int64_t kept, less, most; } part_result;

typedef struct pass {
  const select_line *l;
  const char *x;
  char   *keys;
  int64_t low, high, parts;
  part_result *result;                 /* for each part: the number of kept keys, the number of keys below `low`, and
                                       ** the largest key */
} pass;

static int64_t part_begin(const pass *p, int64_t i) { return i * (p->l->n / p->parts); }
static int64_t part_end(const pass *p, int64_t i) { return i + 1 < p->parts ? part_begin(p, i + 1) : p->l->n; }

/* Keeps the keys from low to high of a part, at the beginning of the part's keys. */
static void keep_part(const void *arg, int64_t i, int worker) {
  const pass *p = arg;
  const sort_kernel *k = p->l->kernel;
  const key_sorts *sorts = sorts_of(p->l);
  char *keys = p->keys + part_begin(p, i) * k->key_size;
  part_result r = {.most = least_key(p->l)};
  (void)worker;
  for (int64_t at = part_begin(p, i), end = part_end(p, i); at < end && !cancel_due(); at += STRETCH) {
    int64_t n = end - at < STRETCH ? end - at : STRETCH;
    char *to = keys + r.kept * k->key_size;
    k->keys(n, p->x + at * p->l->size, false, to);
    int64_t most = sorts->largest(n, to);
    if (most > r.most) r.most = most;
    r.kept += sorts->keep_between(n, to, p->low, p->high, &r.less);
  }
  p->result[i] = r;
}

/* Moves the kept keys of all parts together. Returns the sums of the counts, and the largest key. */
static part_result join_parts(const pass *p) {
  size_t size = (size_t)p->l->kernel->key_size;
  part_result all = p->result[0];
  for (int64_t i = 1; i < p->parts; i++) {
    part_result r = p->result[i];
    memmove(p->keys + (size_t)all.kept * size, p->keys + (size_t)part_begin(p, i) * size, (size_t)r.kept * size);
    all.kept += r.kept;
    all.less += r.less;
    if (r.most > all.most) all.most = r.most;
  }
  return all;
}

static void select_long(const select_line *l, const void *x, void *keys, void *scratch) {
  part_result results[PARTS], all;
  pass p = {.l = l, .x = x, .keys = keys, .result = results};
  p.parts = l->n / PART < 1 ? 1 : l->n / PART < PARTS ? l->n / PART : PARTS;
  bound_ranks(l, x, keys, scratch, &p.low, &p.high);
  cpu_parallel(l->threads, p.parts, keep_part, &p);
  if (this_operation.stopped) return;
  all = join_parts(&p);
  int64_t first = l->first - all.less, end = l->end - all.less;
  if (has_nan(l, all.most)) {
    fill_nan(l, keys);
  } else if (first >= 0 && end <= all.kept) {
    select_front(l, all.kept, first, end, keys, scratch);
  } else {                             /* the sample was not like the line */
    for (int64_t i = 0, to; (to = cancel_stretch(i, l->n)) > i; i = to)
      l->kernel->keys(to - i, p.x + i * l->size, false, p.keys + i * l->kernel->key_size);
    select_front(l, l->n, l->first, l->end, keys, scratch);
  }
}

void cpu_select(const select_line *l, const void *x, void *keys, void *scratch) {
  if (cpu_select_long(l->n)) select_long(l, x, keys, scratch);
  else if (has_nan(l, sorts_of(l)->largest(l->n, keys))) fill_nan(l, keys);
  else select_front(l, l->n, l->first, l->end, keys, scratch);
}
