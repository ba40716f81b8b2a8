/* Sorting: elements become integer keys, alone where only values are wanted, else packed with their positions into 64
** bits, so that no two are alike and any sort is a stable one. Lines that are not contiguous are copied, some at a time. */

#include <stdlib.h>

#include "radix.h"
#include "walk.h"

enum {
  FEW   = 256,             /* keys: too few for a radix sort's counts */
  TASK  = 1 << 14,         /* keys that a thread sorts alone */
  GRAIN = 1 << 13,         /* elements a thread is worth */
  LONG  = 1 << 16,         /* a lone line of this length is worth several threads */
  TILE  = 1 << 18          /* bytes of lines copied at a time */
};

/* How the lines of a call are sorted. */
typedef struct sort_job {
  const sort_call   *c;
  const sort_kernel *kernel;
  int     size;                        /* bytes of an element */
  bool    packed;                      /* positions are needed */
  bool    copy_in, copy_values, copy_positions;   /* by way of buffers: not contiguous along the line */
  bool    own_keys;                    /* keys have a buffer, else they are where the result will be */
  int64_t width, row_tiles, tiles;     /* lines of a tile; tiles in an innermost row of outer, and in all */
  int     inside;                      /* threads for one line */
} sort_job;

/* A thread's buffers. NULL: not needed. */
typedef struct buffers {
  char    *x, *values;
  int64_t *positions;
  void    *keys, *scratch;
  int64_t *counts;
} buffers;

/* ---- one contiguous line ---- */

/* Divides keys among the threads that wait for tasks. */
static void sort_by_tasks(const key_sorts *k, int64_t n, char *keys, char *scratch, int size) {
  int64_t low = n > TASK ? k->divide(n, keys, scratch) : 0;
  if (low == 0 || low == n) { k->sort(n, keys, scratch); return; }
  #pragma omp task
  sort_by_tasks(k, low, keys, scratch, size);
  sort_by_tasks(k, n - low, keys + low * size, scratch + low * size, size);
}

/* Keys that differ below bit `low` only are in their order already. */
static void sort_keys(const sort_job *j, const buffers *b, int64_t n, void *keys, int size, int low) {
  const key_sorts *k = &cpu_isa->sort->sorts[size == 8];
  if (k->in_order(n, keys)) return;
  if (k->divide && j->inside > 1) {
    #pragma omp parallel num_threads(j->inside)
    #pragma omp single
    sort_by_tasks(k, n, keys, b->scratch, size);
  } else if (k->divide || n <= FEW) k->sort(n, keys, b->scratch);
  else if (size == 4) radix_sort_32(n, keys, b->scratch, b->counts, 0, j->inside);
  else radix_sort_64(n, keys, b->scratch, b->counts, low, j->inside);
}

static void sort_values(const sort_job *j, const buffers *b, const void *x, void *values) {
  const sort_kernel *k = j->kernel;
  int64_t n = j->c->n;
  void *keys = b->keys ? b->keys : values;
  k->keys(n, x, j->c->descending, keys);
  sort_keys(j, b, n, keys, k->key_size, 0);
  k->unkey(n, keys, j->c->descending, values);
  if (k->mend) k->mend(n, x, j->c->descending, values);
}

static int bits_of(uint64_t most) { return most ? 64 - __builtin_clzll(most) : 0; }

/* Keys of 64 bits are counted from the least of the line, so that most lines lose none of their bits. */
static packing choose_packing(const sort_job *j, const void *x) {
  packing p = {.descending = j->c->descending, .bits = bits_of((uint64_t)(j->c->n - 1))};
  int key_bits = j->kernel->key_bits;
  if (key_bits == 64) {
    uint64_t range[2];
    j->kernel->range(j->c->n, x, p.descending, range);
    p.base = range[0];
    key_bits = bits_of(range[1] - range[0]);
  }
  p.shift = key_bits + p.bits <= 64 ? p.bits : 64 - key_bits;
  return p;
}

/* Packed keys are in order but for the bits that they lost: sorts each run of equal ones by those. */
static void sort_lost(const sort_job *j, const buffers *b, const void *x, const packing *p, int64_t *keys) {
  int64_t n = j->c->n, end;
  for (int64_t first = 0; first < n; first = end) {
    int64_t high = keys[first] >> p->bits;
    for (end = first + 1; end < n && keys[end] >> p->bits == high;) end++;
    if (end - first == 1) continue;
    j->kernel->repack(end - first, x, p, keys + first);
    sort_keys(j, b, end - first, keys + first, 8, p->bits);
  }
}

#define TAKE(T)                                                                                        \
  static void take_##T(int64_t n, const int64_t *keys, int64_t mask, const void *x, void *out) {       \
    for (int64_t i = 0; i < n; i++) ((T *)out)[i] = ((const T *)x)[keys[i] & mask];                    \
  }
TAKE(uint8_t) TAKE(uint16_t) TAKE(uint32_t) TAKE(uint64_t)

static void (*const take[])(int64_t, const int64_t *, int64_t, const void *, void *) = {
  take_uint8_t, take_uint16_t, take_uint32_t, take_uint64_t
};

static void sort_packed(const sort_job *j, const buffers *b, const void *x, void *values, int64_t *positions) {
  const sort_call *c = j->c;
  packing p = choose_packing(j, x);
  int64_t *keys = b->keys ? b->keys : positions, mask = ((int64_t)1 << p.bits) - 1;
  j->kernel->pack(c->n, x, 0, &p, keys);
  sort_keys(j, b, c->n, keys, 8, p.bits);
  if (p.shift < p.bits) sort_lost(j, b, x, &p, keys);
  if (values) take[__builtin_ctz((unsigned)j->size)](c->keep, keys, mask, x, values);
  for (int64_t i = 0; positions && i < c->keep; i++) positions[i] = (keys[i] & mask) + 1;
}

/* ---- tiles of lines ---- */

/* Copies `lines` lines of n elements between a tensor and a buffer [line][n]. */
static void copy_lines(int64_t lines, int64_t n, int size, void *to, int64_t to_line, int64_t to_step, void *from,
                       int64_t from_line, int64_t from_step) {
  copy_plan p = {.rows = lines, .cols = n, .to_row = to_line, .to_col = to_step, .from_row = from_line, .from_col = from_step};
  cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&p, to, from);
}

/* Where a tile starts in the three operands, in elements. */
static void tile_offsets(const plan *outer, int64_t position, int64_t offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  for (int d = outer->ndim - 1; d >= 0; d--) {
    int64_t at = position % outer->shape[d];
    position /= outer->shape[d];
    for (int k = 0; k < 3; k++) offset[k] += at * outer->stride[k][d];
  }
}

static void sort_tile(const sort_job *j, const buffers *b, int64_t tile) {
  const sort_call *c = j->c;
  int64_t length = inner_length(&c->outer), begin = tile % j->row_tiles * j->width, offset[3];
  int64_t lines = length - begin < j->width ? length - begin : j->width;
  tile_offsets(&c->outer, tile / j->row_tiles * length + begin, offset);
  char *x = (char *)c->in.data + offset[1] * j->size, *values = NULL;
  int64_t *positions = NULL;
  if (c->values.data) values = (char *)c->values.data + offset[0] * j->size;
  if (c->positions.data) positions = (int64_t *)c->positions.data + offset[2];
  int64_t in_line = inner_stride(&c->outer, 1), values_line = inner_stride(&c->outer, 0), at_line = inner_stride(&c->outer, 2);
  if (j->copy_in) copy_lines(lines, c->n, j->size, b->x, c->n, 1, x, in_line, c->in_stride);
  for (int64_t i = 0; i < lines; i++) {
    char *from = j->copy_in ? b->x + i * c->n * j->size : x + i * in_line * j->size;
    char *v = !values ? NULL : j->copy_values ? b->values + i * c->keep * j->size : values + i * values_line * j->size;
    int64_t *at = !positions ? NULL : j->copy_positions ? b->positions + i * c->keep : positions + i * at_line;
    if (j->packed) sort_packed(j, b, from, v, at);
    else sort_values(j, b, from, v);
  }
  if (j->copy_values) copy_lines(lines, c->keep, j->size, values, values_line, c->values_stride, b->values, c->keep, 1);
  if (j->copy_positions) copy_lines(lines, c->keep, 8, positions, at_line, c->positions_stride, b->positions, c->keep, 1);
}

static void choose_layout(sort_job *j) {
  const sort_call *c = j->c;
  int64_t length = inner_length(&c->outer);
  j->packed = c->positions.data || c->keep < c->n;
  j->copy_in = c->in_stride != 1;
  j->copy_values = c->values.data && c->values_stride != 1;
  j->copy_positions = c->positions.data && c->positions_stride != 1;
  j->own_keys = j->packed ? !c->positions.data || c->keep < c->n : j->size != j->kernel->key_size;
  j->width = TILE / (c->n * j->size);
  if (j->width < 1) j->width = 1;
  if (j->width > length) j->width = length;
  j->row_tiles = (length + j->width - 1) / j->width;
  j->tiles = c->outer.count / length * j->row_tiles;
}

/* Room for a part of a thread's buffers; parts are whole cache lines. */
static size_t part(bool wanted, int64_t count, int size) {
  return wanted ? ((size_t)(count * size) + 63) / 64 * 64 : 0;
}

typedef struct buffer_sizes { size_t x, values, positions, keys, scratch, counts, all; } buffer_sizes;

static buffer_sizes measure(const sort_job *j) {
  const sort_call *c = j->c;
  int key_size = j->packed ? 8 : j->kernel->key_size;
  buffer_sizes s = {
    .x = part(j->copy_in, j->width * c->n, j->size), .values = part(j->copy_values, j->width * c->keep, j->size),
    .positions = part(j->copy_positions, j->width * c->keep, 8), .keys = part(j->own_keys, c->n, key_size),
    .scratch = part(true, c->n, key_size), .counts = part(true, j->inside * RADIX_PLACES, sizeof(int64_t))};
  s.all = s.x + s.values + s.positions + s.keys + s.scratch + s.counts;
  return s;
}

static buffers place_buffers(const buffer_sizes *s, char *memory) {
  buffers b = {.x = memory, .values = memory + s->x};
  b.positions = (int64_t *)(void *)(b.values + s->values);
  char *keys = b.values + s->values + s->positions;
  b.keys = s->keys ? keys : NULL;
  b.scratch = keys + s->keys;
  b.counts = (int64_t *)(void *)(keys + s->keys + s->scratch);
  return b;
}

int cpu_sort(int index, const sort_call *c) {
  (void)index;
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
  char *memory = NULL;
  if (!(memory = aligned_alloc(64, sizes.all * (size_t)threads))) return ERR_MEMORY;
  #pragma omp parallel for if(threads > 1) num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; t++) {
    buffers b = place_buffers(&sizes, memory + sizes.all * (size_t)t);
    for (int64_t i = j.tiles * t / threads; i < j.tiles * (t + 1) / threads; i++) sort_tile(&j, &b, i);
  }
  free(memory);
  return OK;
}
