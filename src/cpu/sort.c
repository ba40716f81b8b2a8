/* Sorts a tensor along a dim. A line is the sequence of elements along this dim. Each element is converted to a key,
** which is an integer that sorts like the element. If the caller needs positions, key and position are packed into 64
** bits, so that all keys differ and every sort is stable. Lines that are not contiguous are copied first. */

#include <math.h>

#include "cpu/radix.h"
#include "cpu/select.h"
#include "cpu/walk.h"

enum {
  FEW   = 256,             /* up to this number of keys, a comparison sort is faster than a radix sort, which must first
                           ** count digits */
  SHORT = 64,              /* up to this number of keys, sorting takes no longer than checking whether the keys are
                           ** sorted */
  MANY  = 1 << 11,         /* from this number of keys on, a radix sort is faster than a comparison sort if the keys
                           ** differ in at most FEW_BITS bits, so that the radix sort has two passes */
  FEW_BITS = 2 * RADIX_DIGIT,
  TASK  = 1 << 14,         /* a piece of at most this number of keys is not divided further */
  PIECES = 512,            /* the maximum number of pieces into which the keys of a line are divided */
  PIECES_EACH = 8,         /* the number of pieces for each thread: several, because pieces differ in length (pivots
                           ** are estimates) */
  GRAIN = 1 << 13,         /* the fewest elements for each thread; with fewer, a thread costs more time than it
                           ** saves */
  LONG  = 1 << 16,         /* several threads may sort a line together if the line has at least this many elements */
  TILE  = 1 << 18,         /* the size in bytes of a tile, which is a group of lines that are copied together */
  SMALL  = 256,            /* topk sorts all elements of a line that has fewer elements than this */
  SHARE = 16,              /* topk inserts elements if it keeps at most one of SHARE elements, or one of SHORT in lines of
                           ** up to SHORT elements, which are sorted fast. For k of n elements in random order, it inserts
                           ** about k * (1 + log(n / k)) times, and each time mispredicts a branch */
  INSERTIONS = 128,        /* topk stops inserting after this number of insertions, and one more for each SPARSE elements:
                           ** after about the time of sorting. A line in random order needs fewer */
  SPARSE = 16,
  SAMPLE = 1024            /* the maximum number of elements that topk samples from a line (choose_sample) */
};

/* Describes how the lines of a call are sorted. */
typedef struct sort_job {
  const sort_call   *c;
  const sort_kernel *kernel;
  int     size;                        /* the size in bytes of an element */
  bool    packed;                      /* true: keys are packed with positions */
  bool    copy_in, copy_values, copy_positions;   /* true: lines of this operand are not contiguous and are copied
                                                  ** through a buffer */
  bool    own_keys;                    /* true: keys have their own buffer; false: keys are stored in the memory of
                                       ** the result */
  int64_t width, row_tiles, tiles;     /* width: lines in a tile; row_tiles: tiles in an innermost row of `outer`;
                                       ** tiles: tiles of the whole call */
  int     inside;                      /* the number of threads for one line */
} sort_job;

/* The buffers of a thread. A buffer that is not needed has 0 bytes. `keys` is NULL if keys are stored in the memory
** of the result. */
typedef struct buffers {
  char    *x, *values;
  int64_t *positions;
  void    *keys, *scratch;
  int64_t *counts;
  char    *some;                       /* topk: the sampled elements, later all elements up to the limit. `places` has
                                       ** the 0-based positions of these elements */
  int64_t *places;
} buffers;

/* ---- one contiguous line ---- */

static int bits_of(uint64_t most) { return most ? 64 - __builtin_clzll(most) : 0; }

/* The keys of one line, cut into pieces. No key of a piece is less than a key of the previous piece. */
typedef struct pieces {
  const key_sorts *sorts;
  char   *keys, *scratch;
  int     size;                        /* the size in bytes of a key */
  int     count;
  int64_t begin[PIECES + 1];
  int64_t *low;                        /* for each piece, the result of key_sorts.divide: the number of keys in the
                                       ** piece's first part */
} pieces;

static void divide_piece(const void *arg, int64_t i, int worker) {
  const pieces *p = arg;
  int64_t begin = p->begin[i], n = p->begin[i + 1] - begin;
  (void)worker;
  p->low[i] = n > TASK ? p->sorts->divide(n, p->keys + begin * p->size, p->scratch + begin * p->size) : 0;
}

static void sort_piece(const void *arg, int64_t i, int worker) {
  const pieces *p = arg;
  int64_t begin = p->begin[i];
  (void)worker;
  p->sorts->sort(p->begin[i + 1] - begin, p->keys + begin * p->size, p->scratch + begin * p->size);
}

/* Splits each piece that divide_piece has partitioned into the two parts. Returns true if a piece was split. */
static bool split_pieces(pieces *p) {
  int64_t begin[PIECES + 1];
  int count = 0;
  for (int i = 0; i < p->count; i++) {
    begin[count++] = p->begin[i];
    if (p->low[i] > 0 && p->begin[i] + p->low[i] < p->begin[i + 1]) begin[count++] = p->begin[i] + p->low[i];
  }
  begin[count] = p->begin[p->count];
  bool split = count > p->count;
  memcpy(p->begin, begin, (size_t)(count + 1) * sizeof *begin);
  p->count = count;
  return split;
}

/* Divides the keys into pieces until each thread has several pieces, then sorts each piece. */
static void sort_in_pieces(const key_sorts *k, int64_t n, void *keys, void *scratch, int size, int threads) {
  int64_t low[PIECES];
  pieces p = {.sorts = k, .keys = keys, .scratch = scratch, .size = size, .count = 1, .begin = {0, n}, .low = low};
  int enough = PIECES_EACH * threads < PIECES ? PIECES_EACH * threads : PIECES;
  do cpu_parallel(threads, p.count, divide_piece, &p);
  while (split_pieces(&p) && 2 * p.count <= enough);
  cpu_parallel(threads, p.count, sort_piece, &p);
}

/* Like key_sorts.direction, but in stretches, so that the operation can be cancelled. Neighbouring stretches share
** one element. */
static int direction_of(const key_sorts *k, int64_t n, const char *keys, int size) {
  int all = 0;
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i; i = end) {
    int64_t begin = i > 0 ? i - 1 : 0;
    int part = k->direction(end - begin, keys + begin * size);
    if (part == 0 || (all != 0 && part != all)) return 0;
    all = part;
  }
  return all;
}

/* Sorts n keys. Keys that are equal from bit `low` on must already be in order. From bit `low` on, keys differ in at
** most `bits` bits. */
static void sort_keys(const sort_job *j, const buffers *b, int64_t n, void *keys, int size, int low, int bits) {
  const key_sorts *k = size == 8 ? cpu_isa->sort_64 : cpu_isa->sort_32;
  int direction = n <= SHORT ? 0 : direction_of(k, n, keys, size);
  if (this_operation.stopped) return;
  if (direction < 0) k->reverse(n, keys);
  if (direction != 0) return;
  bool quick = k->divide && (size == 4 || n < MANY || bits > FEW_BITS);
  if (quick && j->inside > 1 && n >= LONG) sort_in_pieces(k, n, keys, b->scratch, size, j->inside);
  else if (quick || n <= FEW) k->sort(n, keys, b->scratch);
  else if (size == 4) radix_sort_32(n, keys, b->scratch, b->counts, 0, n < LONG ? 1 : j->inside);
  else radix_sort_64(n, keys, b->scratch, b->counts, low, n < LONG ? 1 : j->inside);
}

/* The following functions pass a line to the kernels in stretches, so that the operation can be cancelled. */

static void make_keys(const sort_job *j, int64_t n, const char *x, char *keys) {
  const sort_kernel *k = j->kernel;
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i; i = end)
    k->keys(end - i, x + i * j->size, j->c->descending, keys + i * k->key_size);
}

static void make_values(const sort_job *j, int64_t n, const char *keys, char *values) {
  const sort_kernel *k = j->kernel;
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i; i = end)
    k->unkey(end - i, keys + i * k->key_size, j->c->descending, values + i * j->size);
}

static bool is_special(const sort_job *j, int64_t n, const char *x) {
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i; i = end)
    if (j->kernel->special(end - i, x + i * j->size)) return true;
  return false;
}

static void find_range(const sort_job *j, int64_t n, const char *x, uint64_t range[2]) {
  range[0] = UINT64_MAX;
  range[1] = 0;
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i; i = end) {
    uint64_t part[2];
    j->kernel->range(end - i, x + i * j->size, j->c->descending, part);
    if (part[0] < range[0]) range[0] = part[0];
    if (part[1] > range[1]) range[1] = part[1];
  }
}

static void pack_keys(const sort_job *j, int64_t n, const char *x, const packing *p, int64_t *keys) {
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i; i = end)
    j->kernel->pack(end - i, x + i * j->size, i, p, keys + i);
}

/* Like sort_kernel.filter, but in stretches, so that the operation can be cancelled. */
static int64_t find_up_to(const sort_job *j, const char *x, int64_t limit, int64_t *places) {
  int64_t count = 0;
  for (int64_t i = 0, end; (end = cancel_stretch(i, j->c->n)) > i; i = end) {
    int64_t more = j->kernel->filter(end - i, x + i * j->size, limit - i, j->c->descending, places + count);
    for (int64_t k = 0; k < more; k++) places[count + k] += i;
    count += more;
  }
  return count;
}

/* Sorts `lines` lines, which follow each other in x without gaps, and writes the sorted lines to `values`. */
static void sort_values(const sort_job *j, const buffers *b, int64_t lines, const char *x, char *values) {
  const sort_kernel *k = j->kernel;
  int64_t n = j->c->n, bytes = n * j->size;
  char *keys = b->keys ? b->keys : values;
  make_keys(j, lines * n, x, keys);
  for (int64_t i = 0; i < lines; i++) sort_keys(j, b, n, keys + i * n * k->key_size, k->key_size, 0, k->key_bits);
  make_values(j, lines * n, keys, values);
  if (!k->mend || !is_special(j, lines * n, x) || this_operation.stopped) return;
  for (int64_t i = 0; i < lines; i++) k->mend(n, x + i * bytes, j->c->descending, values + i * bytes);
}

/* Like sort_values, but writes the selected elements of the sorted lines. The keys of a long line are made by
** cpu_select. */
static void select_values(const sort_job *j, const buffers *b, int64_t lines, const char *x, char *values) {
  const sort_call *c = j->c;
  int64_t key_size = j->kernel->key_size;
  select_line l = {.kernel = j->kernel, .n = c->n, .first = c->first, .end = c->first + c->keep, .size = j->size,
                   .threads = j->inside};
  char *keys = b->keys;
  if (!cpu_select_long(c->n)) make_keys(j, lines * c->n, x, keys);
  for (int64_t i = 0; i < lines && !this_operation.stopped; i++) {
    cpu_select(&l, x + i * c->n * j->size, keys + i * c->n * key_size, b->scratch);
    memmove(keys + i * c->keep * key_size, keys + i * c->n * key_size, (size_t)(c->keep * key_size));
  }
  make_values(j, lines * c->keep, keys, values);
}

/* Chooses how a key and its position are packed into 64 bits. First the least key of the line is subtracted from all
** keys. The difference usually fits beside the position, so that no bit of the key is lost, and a small range of keys
** has few digits. Sets *key_bits to the number of bits above the position in which packed keys differ. */
static packing choose_packing(const sort_job *j, int64_t n, const void *x, int *key_bits) {
  packing p = {.descending = j->c->descending, .bits = bits_of((uint64_t)(n - 1))};
  *key_bits = j->kernel->key_bits;
  if (*key_bits == 64 || n >= MANY) {
    uint64_t range[2];
    find_range(j, n, x, range);
    p.base = range[0];
    *key_bits = bits_of(range[1] - range[0]);
  }
  p.shift = *key_bits + p.bits <= 64 ? p.bits : 64 - *key_bits;
  return p;
}

/* Completes the order of packed keys that have lost bits: sorts each run of keys that are equal except for the lost
** bits. */
static void sort_lost(const sort_job *j, const buffers *b, int64_t n, const void *x, const packing *p, int64_t *keys) {
  int64_t end, look = CANCEL_STRETCH;
  for (int64_t first = 0; first < n; first = end) {
    if (first >= look && cancel_due()) return;
    if (first >= look) look = first + CANCEL_STRETCH;
    int64_t high = keys[first] >> p->bits;
    for (end = first + 1; end < n && keys[end] >> p->bits == high;) end++;
    if (end - first == 1) continue;
    j->kernel->repack(end - first, x, p, keys + first);
    sort_keys(j, b, end - first, keys + first, 8, p->bits, p->bits);
  }
}

/* Packs the n elements of x into `keys` and sorts these keys. Returns a mask of the bits in which a key contains the
** position. */
static int64_t sort_packed(const sort_job *j, const buffers *b, int64_t n, const void *x, int64_t *keys) {
  int key_bits;
  packing p = choose_packing(j, n, x, &key_bits);
  pack_keys(j, n, x, &p, keys);
  sort_keys(j, b, n, keys, 8, p.bits, key_bits);
  if (p.shift < p.bits) sort_lost(j, b, n, x, &p, keys);
  return ((int64_t)1 << p.bits) - 1;
}

INLINE void take_elements(const int size, int64_t n, const int64_t *keys, int64_t mask, const char *x, char *out) {
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i;)
    for (; i < end; i++) memcpy(out + i * size, x + (keys[i] & mask) * size, (size_t)size);
}

static void take_sorted(const sort_job *j, int64_t n, const int64_t *keys, int64_t mask, const void *x, void *out) {
  switch (j->size) {
    case 1: take_elements(1, n, keys, mask, x, out); return;
    case 2: take_elements(2, n, keys, mask, x, out); return;
    case 4: take_elements(4, n, keys, mask, x, out); return;
    default: take_elements(8, n, keys, mask, x, out);
  }
}

static void sort_positions(const sort_job *j, const buffers *b, const void *x, void *values, int64_t *positions) {
  const sort_call *c = j->c;
  int64_t *keys = b->keys ? b->keys : positions;
  int64_t mask = sort_packed(j, b, c->n, x, keys);
  if (values) take_sorted(j, c->keep, keys, mask, x, values);
  for (int64_t i = 0, end; positions && (end = cancel_stretch(i, c->keep)) > i;)
    for (; i < end; i++) positions[i] = (keys[i] & mask) + 1;
}

/* Returns the size of a sample for topk, or 0 if sorting all elements is as fast. With a sample, topk sorts only the
** elements up to a limit, which is an element of the sample. Sets *which to the 0-based position of the limit in the
** sorted sample. The position is the expected position of element `keep`, plus 4 standard deviations, plus 2, so that
** too few elements up to the limit are unlikely. The sample's size is proportional to the square root of n, so that
** sorting the sample takes about as long as sorting the elements up to the limit. n is at least SMALL. */
static int64_t choose_sample(int64_t n, int64_t keep, int64_t *which) {
  int64_t size = (int64_t)(3 * sqrt((double)n));
  if (size > SAMPLE) size = SAMPLE;
  double share = (double)keep * (double)size / (double)n;
  *which = (int64_t)(share + 4 * sqrt(share)) + 2;
  return *which < size / 2 ? size : 0;
}

/* Sorts only the elements up to the limit of choose_sample. Returns false, and writes no result, if choose_sample
** returns 0 or if fewer than `keep` elements do not exceed the limit. */
static bool sort_some(const sort_job *j, const buffers *b, const void *x, void *values, int64_t *positions) {
  const sort_call *c = j->c;
  int64_t which, size = choose_sample(c->n, c->keep, &which), *keys = b->keys;
  if (size == 0) return false;
  for (int64_t i = 0; i < size; i++) b->places[i] = (2 * i + 1) * c->n / (2 * size);
  take_sorted(j, size, b->places, -1, x, b->some);
  int64_t mask = sort_packed(j, b, size, b->some, keys);
  if (this_operation.stopped) return true;
  int64_t count = find_up_to(j, x, b->places[keys[which] & mask], b->places);
  if (count < c->keep && !this_operation.stopped) return false;
  take_sorted(j, count, b->places, -1, x, b->some);
  mask = sort_packed(j, b, count, b->some, keys);
  if (values) take_sorted(j, c->keep, keys, mask, b->some, values);
  for (int64_t i = 0; positions && i < c->keep && !this_operation.stopped; i++) positions[i] = b->places[keys[i] & mask] + 1;
  return true;
}

/* For topk of few elements: passes over the line once, and keeps the first elements so far. Returns false, and writes no
** result, if elements are inserted so often that sorting is faster, as in a line that is sorted in the other direction. */
static bool keep_firsts(const sort_job *j, const char *x, void *values, int64_t *positions) {
  const sort_call *c = j->c;
  sort_firsts f;
  f.count = (int)c->keep;
  f.inserted = 0;
  for (int64_t i = 0, end; (end = cancel_stretch(i, c->n)) > i; i = end)
    if (!j->kernel->firsts(end - i, x + i * j->size, i, c->descending, INSERTIONS + c->n / SPARSE, &f)) return false;
  if (this_operation.stopped) return true;
  if (values) take_sorted(j, c->keep, f.place, -1, x, values);
  for (int64_t i = 0; positions && i < c->keep; i++) positions[i] = f.place[i] + 1;
  return true;
}

/* Sorts a line of which at least the positions are needed, and writes its first elements. */
static void sort_firsts_of(const sort_job *j, const buffers *b, const char *x, void *values, int64_t *positions) {
  const sort_call *c = j->c;
  bool few = c->keep <= FIRSTS_MOST && c->keep * (c->n > SHORT ? SHARE : SHORT) <= c->n;
  if (few && keep_firsts(j, x, values, positions)) return;
  if (c->n >= SMALL && c->keep < c->n && sort_some(j, b, x, values, positions)) return;
  sort_positions(j, b, x, values, positions);
}

/* ---- tiles of lines ---- */

/* Copies `lines` lines of n elements of `size` bytes, between a tensor and a contiguous buffer. */
static void copy_lines(int64_t lines, int64_t n, int size, void *to, int64_t to_line, int64_t to_step, void *from,
                       int64_t from_line, int64_t from_step) {
  copy_stretches(&(copy_plan){.rows = lines, .cols = n, .to_row = to_line, .to_col = to_step, .from_row = from_line,
                              .from_col = from_step}, size, to, from);
}

static void sort_lines(const sort_job *j, const buffers *b, int64_t tile) {
  const sort_call *c = j->c;
  int64_t length = inner_length(&c->outer), begin = tile % j->row_tiles * j->width, offset[3];
  int64_t lines = length - begin < j->width ? length - begin : j->width;
  plan_offsets(&c->outer, tile / j->row_tiles * length + begin, offset);
  char *x = (char *)c->in.data + offset[1] * j->size, *values = NULL;
  int64_t *positions = NULL;
  if (c->values.data) values = (char *)c->values.data + offset[0] * j->size;
  if (c->positions.data) positions = (int64_t *)c->positions.data + offset[2];
  int64_t in_line = inner_stride(&c->outer, 1), values_line = inner_stride(&c->outer, 0);
  int64_t at_line = inner_stride(&c->outer, 2);
  if (j->copy_in) copy_lines(lines, c->n, j->size, b->x, c->n, 1, x, in_line, c->in_stride);
  bool adjacent = (j->copy_in || in_line == c->n) && (j->copy_values || values_line == c->keep);
  int64_t group = j->packed || !adjacent ? 1 : lines;
  for (int64_t i = 0; i < lines; i += group) {
    char *from = j->copy_in ? b->x + i * c->n * j->size : x + i * in_line * j->size;
    char *v = !values ? NULL : j->copy_values ? b->values + i * c->keep * j->size : values + i * values_line * j->size;
    int64_t *at = !positions ? NULL : j->copy_positions ? b->positions + i * c->keep : positions + i * at_line;
    if (c->select) select_values(j, b, group, from, v);
    else if (!j->packed) sort_values(j, b, group, from, v);
    else sort_firsts_of(j, b, from, v, at);
  }
  if (j->copy_values) copy_lines(lines, c->keep, j->size, values, values_line, c->values_stride, b->values, c->keep, 1);
  if (j->copy_positions)
    copy_lines(lines, c->keep, 8, positions, at_line, c->positions_stride, b->positions, c->keep, 1);
}

static void choose_layout(sort_job *j) {
  const sort_call *c = j->c;
  int64_t length = inner_length(&c->outer);
  j->packed = !c->select && (c->positions.data || c->keep < c->n);
  j->copy_in = c->in_stride != 1;
  j->copy_values = c->values.data && c->values_stride != 1;
  j->copy_positions = c->positions.data && c->positions_stride != 1;
  j->own_keys = j->packed ? !c->positions.data || c->keep < c->n : c->select || j->size != j->kernel->key_size;
  j->width = TILE / (c->n * j->size);
  if (j->width < 1) j->width = 1;
  if (j->width > length) j->width = length;
  j->row_tiles = (length + j->width - 1) / j->width;
  j->tiles = c->outer.count / length * j->row_tiles;
}

/* Returns the bytes of one buffer of a thread: 0 if `wanted` is false, else count * size bytes, rounded up to whole
** cache lines. */
static size_t part(bool wanted, int64_t count, int size) {
  return wanted ? ((size_t)(count * size) + 63) / 64 * 64 : 0;
}

typedef struct buffer_sizes { size_t x, values, positions, keys, scratch, counts, some, places, all; } buffer_sizes;

static buffer_sizes measure(const sort_job *j) {
  const sort_call *c = j->c;
  int key_size = j->packed ? 8 : j->kernel->key_size;
  buffer_sizes s = {
    .x = part(j->copy_in, j->width * c->n, j->size), .values = part(j->copy_values, j->width * c->keep, j->size),
    .positions = part(j->copy_positions, j->width * c->keep, 8),
    .keys = part(j->own_keys, j->packed ? c->n : j->width * c->n, key_size),
    .scratch = part(true, c->n, key_size), .counts = part(true, j->inside * RADIX_PLACES, sizeof(int64_t)),
    .some = part(j->packed && c->keep < c->n, c->n, j->size),
    .places = part(j->packed && c->keep < c->n, c->n, 8)};
  s.all = s.x + s.values + s.positions + s.keys + s.scratch + s.counts + s.some + s.places;
  return s;
}

static buffers place_buffers(const buffer_sizes *s, char *memory) {
  buffers b = {.x = memory, .values = memory + s->x};
  b.positions = (int64_t *)(void *)(b.values + s->values);
  char *keys = b.values + s->values + s->positions;
  b.keys = s->keys ? keys : NULL;
  b.scratch = keys + s->keys;
  b.counts = (int64_t *)(void *)(keys + s->keys + s->scratch);
  b.some = keys + s->keys + s->scratch + s->counts;
  b.places = (int64_t *)(void *)(b.some + s->some);
  return b;
}

typedef struct tile_run {
  const sort_job *j;
  const buffer_sizes *sizes;
  char *memory;                        /* the buffers of all threads */
} tile_run;

static void sort_tile(const void *arg, int64_t tile, int worker) {
  const tile_run *r = arg;
  buffers b = place_buffers(r->sizes, r->memory + r->sizes->all * (size_t)worker);
  sort_lines(r->j, &b, tile);
}

int cpu_sort(int index, const sort_call *c) {
  sort_job j = {.c = c, .kernel = &cpu_isa->sort->kernel[c->in.dtype], .size = dtype_size(c->in.dtype)};
  if (!j.kernel->keys) return ERR_NO_KERNEL;
  if (c->n > (int64_t)1 << 32) return ERR_OVERFLOW;
  if (c->outer.count == 0 || c->n == 0 || c->keep == 0) return OK;
  choose_layout(&j);
  int threads = cpu_threads(c->outer.count * c->n, GRAIN);
  j.inside = j.tiles < threads && c->n >= LONG ? threads : 1;
  if (j.inside > 1) threads = 1;
  if (threads > j.tiles) threads = (int)j.tiles;
  buffer_sizes sizes = measure(&j);
  void *memory;
  int st = cpu_alloc(index, sizes.all * (size_t)threads, &memory);
  if (st != OK) return st;
  cpu_parallel(threads, j.tiles, sort_tile, &(tile_run){&j, &sizes, memory});
  cpu_free(index, memory, sizes.all * (size_t)threads);
  return OK;
}
