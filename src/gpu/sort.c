/* Sorting. Pairs of keys and values are sorted by a radix sort: each pass sorts by 8 bits of the key, with three
** kernels or, for few pairs, with one kernel (kernels/sort.cuh). Lines (the elements along the sorted dim) of at most SORT_ROOM elements are sorted in
** shared memory. Longer lines are sorted as pairs of keys and positions (kernels/sort_lines.cuh). */

#include "gpu/sort.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/kernels/scan_rows_args.h"
#include "gpu/kernels/sort_args.cuh"
#include "gpu/reduce.h"

/* ---- pairs ---- */

enum {
  DIGIT_BITS = 8,
  DIGITS     = 1 << DIGIT_BITS,
  THREADS    = DIGITS,
  FEW_TILE   = THREADS * 8,        /* number of pairs that a block of deal_few processes */
  FEW_TILES  = 64,                 /* the maximum number of tiles of a line for deal_few; each block reads the counts of
                                   ** all tiles of its line */
  FEW_PAIRS  = 1 << 20             /* the maximum number of pairs of all lines for deal_few; more pairs take longer than
                                   ** launches */
};

/* Returns the number of pairs that a block processes in a pass of three kernels. kernels/sort.cuh has the same rule. */
static int64_t tile_of(const gpu_pairs *s) { return THREADS * 64 / (s->key_bits / 8); }

static int64_t tiles_of(const gpu_pairs *s) { return ceil_divide(s->n, tile_of(s)); }

static bool is_few(const gpu_pairs *s) { return s->n <= FEW_TILE * FEW_TILES && s->n * s->lines <= FEW_PAIRS; }

int gpu_sort_kernel(gpu *g, enum sort_kernel kernel, int key_bits, int value_bits, const gpu_kernel **k) {
  static const char *const entries[SORT_KERNELS] = {"count_digits", "scan_rows", "deal", "count_few", "deal_few", "permute"};
  uint64_t key = GPU_KEY(GPU_sort, kernel, key_bits, value_bits, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source source = {.file = "sort.cuh", .entry = entries[kernel]};
  gpu_define(&source, "KEY_BITS=%d", key_bits);
  gpu_define(&source, "VALUE_BITS=%d", value_bits);
  gpu_define(&source, "FEW=%d", kernel == SORT_COUNT_FEW || kernel == SORT_DEAL_FEW);
  snprintf(source.name, sizeof source.name, "sort %s", entries[kernel]);
  return gpu_build(g, key, &source, k);
}

/* Runs one pass, which sorts the pairs from the buffers `from` into the other buffers, by the 8 bits of the key from
** bit `shift` on. `counts` is [lines][DIGITS][tiles], followed by the total of each digit in each line. */
static int run_pass(gpu *g, const gpu_pairs *s, const gpu_kernel *const k[3], int from, int shift, char *counts) {
  uint64_t n = (uint64_t)s->n, columns = (uint64_t)tiles_of(s), rows = (uint64_t)s->lines * DIGITS;
  unsigned tiles = (unsigned)columns, blocks = tiles * (unsigned)s->lines;
  bool numbered = s->positions && shift == s->first_bit;
  const void *keys = s->keys[from], *values = numbered ? NULL : s->values[from];
  void *keys_out = s->keys[!from], *values_out = s->values[!from];
  void *totals = counts + columns * rows * (uint64_t)s->value_bits / 8;
  int scan_threads = power_of_2((int64_t)columns, SCAN_ROWS_THREADS);
  int st = gpu_launch(g, k[0], blocks, THREADS, 0, (void *[]){&keys, &n, &tiles, &shift, &counts});
  if (st == OK)
    st = gpu_launch(g, k[1], (unsigned)rows, (unsigned)(scan_threads < g->lanes ? g->lanes : scan_threads), 0,
                    (void *[]){&counts, &columns, &totals});
  if (st == OK)
    st = gpu_launch(g, k[2], blocks, THREADS, 0,
                    (void *[]){&keys, &values, &keys_out, &values_out, &n, &tiles, &shift, &counts, &totals});
  return st;
}

/* Runs all passes of three kernels. Sets *at like gpu_sort_pairs. */
static int sort_many(gpu *g, const gpu_pairs *s, int *at) {
  const gpu_kernel *k[3];
  int st = OK, from = 0, end = s->first_bit + s->bits;
  for (int i = SORT_COUNT; i <= SORT_DEAL && st == OK; i++)
    st = gpu_sort_kernel(g, (enum sort_kernel)i, s->key_bits, s->value_bits, &k[i]);
  if (st != OK) return st;
  size_t bytes = (size_t)((tiles_of(s) + 1) * s->lines) * DIGITS * (size_t)s->value_bits / 8;
  void *counts;
  st = gpu_scratch(g, bytes, &counts);
  if (st != OK) return st;
  for (int shift = s->first_bit; st == OK && (shift < end || shift == s->first_bit); shift += DIGIT_BITS, from = !from)
    st = run_pass(g, s, k, from, shift, counts);
  gpu_scratch_free(g, counts, bytes);
  *at = from;
  return st;
}

/* Launches count_few, and deal_few for each pass. */
static int run_few(gpu *g, const gpu_pairs *s, int passes, const gpu_kernel *count, const gpu_kernel *deal, void *counts) {
  uint64_t n = (uint64_t)s->n;
  unsigned tiles = (unsigned)ceil_divide(s->n, FEW_TILE), blocks = tiles * (unsigned)s->lines;
  int shift = s->first_bit, from = 0;
  const void *keys = s->keys[0];
  int st = gpu_launch(g, count, blocks, THREADS, 0, (void *[]){&keys, &n, &tiles, &shift, &passes, &counts});
  for (int p = 0; p < passes && st == OK; p++, shift += DIGIT_BITS, from = !from) {
    const void *values = s->positions && p == 0 ? NULL : s->values[from];
    void *keys_out = s->keys[!from], *values_out = s->values[!from];
    keys = s->keys[from];
    st = gpu_launch(g, deal, blocks, THREADS, 0,
                    (void *[]){&keys, &values, &keys_out, &values_out, &n, &tiles, &shift, &passes, &p, &counts});
  }
  return st;
}

static int sort_few(gpu *g, const gpu_pairs *s, int *at) {
  const gpu_kernel *count, *deal;
  int passes = s->bits > DIGIT_BITS ? (s->bits + DIGIT_BITS - 1) / DIGIT_BITS : 1;
  int st = gpu_sort_kernel(g, SORT_COUNT_FEW, s->key_bits, s->value_bits, &count);
  if (st == OK) st = gpu_sort_kernel(g, SORT_DEAL_FEW, s->key_bits, s->value_bits, &deal);
  if (st != OK) return st;
  size_t bytes = (size_t)(ceil_divide(s->n, FEW_TILE) * s->lines * passes) * DIGITS * sizeof(uint32_t);
  void *counts;
  st = gpu_scratch(g, bytes, &counts);
  if (st != OK) return st;
  st = run_few(g, s, passes, count, deal, counts);
  gpu_scratch_free(g, counts, bytes);
  *at = passes % 2;
  return st;
}

int gpu_sort_pairs(gpu *g, const gpu_pairs *s, int *at) { return (is_few(s) ? sort_few : sort_many)(g, s, at); }

/* ---- lines of tensors ---- */

enum {
  LINES_ROOM   = 1024,             /* number of elements that a block sorts in shared memory, unless a single line has
                                   ** more */
  BATCH        = 1 << 26,          /* number of elements whose keys are sorted at once, unless a single line has
                                   ** more */
  FEW          = 4,                /* if at most 1 / FEW of the elements of a chunk are kept (sort_args.keep), chunks
                                   ** are sorted first, and then only the kept elements of all chunks */
  ACROSS_LINE  = 64                /* if the elements of a line are far apart in memory and the line has more elements
                                   ** than this, a contiguous copy of the line is sorted */
};

/* Numbers of the kernels in sort_lines.cuh. The kernels in sort.cuh have smaller numbers. */
enum { SORT_SHORT = 8, SORT_CHUNKS, SORT_CANDIDATES, MAKE_KEYS, WRITE_SORTED };

static int lines_kernel(gpu *g, int number, enum dtype d, int position_bits, const gpu_kernel **k) {
  static const char *const entries[] = {"sort_short", "sort_chunks", "sort_candidates", "make_keys", "write_sorted"};
  uint64_t key = GPU_KEY(GPU_sort, number, d, position_bits, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source source = {.file = "sort_lines.cuh", .entry = entries[number - SORT_SHORT]};
  gpu_define(&source, "D=DT_%s", dtypes[d].name);
  gpu_define(&source, "POSITION_BITS=%d", position_bits);
  snprintf(source.name, sizeof source.name, "sort %s", dtypes[d].name);
  return gpu_build(g, key, &source, k);
}

/* Launches `blocks` blocks, each of which sorts `room` elements in shared memory. */
static int sort_rooms(gpu *g, int number, enum dtype d, int position_bits, int64_t blocks, int room,
                      void **arguments) {
  const gpu_kernel *k;
  size_t bytes = (size_t)room * ((dtype_size(d) == 8 ? 8 : 4) + sizeof(uint16_t));
  int st = lines_kernel(g, number, d, position_bits, &k);
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, (unsigned)room / 4, (unsigned)bytes, arguments) : st;
}

static int room_for(int64_t n, int least) { return (int)limit(power_of_2(n, SORT_ROOM), least, SORT_ROOM); }

/* Sorts lines of at most SORT_ROOM elements. A block sorts several short lines. */
static int sort_short(gpu *g, sort_args *a, enum dtype d) {
  int length = power_of_2(a->n, SORT_ROOM), room = room_for(a->n, LINES_ROOM);
  return sort_rooms(g, SORT_SHORT, d, 32, ceil_divide(a->lines, room / length), room, (void *[]){a, &room, &length});
}

/* Launches the kernel make_keys or write_sorted for the first `count` elements of each line. */
static int each_element(gpu *g, int number, sort_args *a, enum dtype d, int position_bits, int64_t count,
                        void *with) {
  const gpu_kernel *k;
  unsigned blocks = (unsigned)ceil_divide(count, SORT_THREADS * SORT_ITEMS);
  int st = lines_kernel(g, number, d, position_bits, &k);
  if (st != OK) return st;
  return gpu_launch(g, k, blocks * (unsigned)a->lines, SORT_THREADS, 0, (void *[]){a, &blocks, &with});
}

/* Sorts each chunk of SORT_ROOM elements of the lines, and stores the first `keep` elements of each chunk (the
** candidates) as the pairs of p. */
static int sort_chunks(gpu *g, sort_args *a, enum dtype d, gpu_pairs *p) {
  unsigned chunks = (unsigned)ceil_divide(a->n, SORT_ROOM);
  return sort_rooms(g, SORT_CHUNKS, d, p->value_bits, a->lines * chunks, SORT_ROOM,
                    (void *[]){a, &chunks, &p->keys[0], &p->values[0]});
}

static int sort_candidates(gpu *g, sort_args *a, enum dtype d, gpu_pairs *p) {
  int n = (int)p->n, room = room_for(n, 4 * g->lanes);
  return sort_rooms(g, SORT_CANDIDATES, d, p->value_bits, a->lines, room,
                    (void *[]){a, &n, &room, &p->keys[0], &p->values[0]});
}

/* Sorts the lines of a batch, in the buffers of p. If p->positions is set, all elements are sorted, otherwise only
** the candidates, which are the first elements of each sorted chunk. */
static int sort_batch(gpu *g, sort_args *a, enum dtype d, gpu_pairs *p) {
  int at, st = p->positions ? each_element(g, MAKE_KEYS, a, d, p->value_bits, a->n, p->keys[0])
                            : sort_chunks(g, a, d, p);
  if (st == OK && !p->positions && p->n <= SORT_ROOM) return sort_candidates(g, a, d, p);
  if (st == OK) st = gpu_sort_pairs(g, p, &at);
  a->n = p->n;
  return st == OK ? each_element(g, WRITE_SORTED, a, d, p->value_bits, a->keep, p->values[at]) : st;
}

static int sort_batches(gpu *g, const sort_args *all, enum dtype d, int64_t most, gpu_pairs *p) {
  int st = OK;
  for (int64_t first = 0; first < all->lines && st == OK; first += most) {
    sort_args a = *all;
    a.first = first;
    p->lines = a.lines = all->lines - first < most ? all->lines - first : most;
    st = sort_batch(g, &a, d, p);
  }
  return st;
}

static size_t padded(int64_t count, int size) { return ((size_t)count * (size_t)size + 255) & ~(size_t)255; }

static int sort_long(gpu *g, sort_args *a, enum dtype d) {
  int size = dtype_size(d), key_size = size == 8 ? 8 : 4, position_size = a->n > UINT32_MAX ? 8 : 4;
  int64_t chunks = ceil_divide(a->n, SORT_ROOM);
  bool few = a->keep <= a->n / chunks / FEW;
  gpu_pairs p = {.n = few ? chunks * a->keep : a->n, .key_bits = 8 * key_size, .value_bits = 8 * position_size,
                 .bits = 8 * size, .positions = !few};
  int64_t most = limit(BATCH / p.n, 1, a->lines);
  size_t of_keys = padded(most * p.n, key_size), of_values = padded(most * p.n, position_size);
  size_t bytes = 2 * (of_keys + of_values);
  void *room;
  int st = gpu_scratch(g, bytes, &room);
  if (st != OK) return st;
  for (size_t i = 0; i < 2; i++) {
    p.keys[i] = (char *)room + i * of_keys;
    p.values[i] = (char *)room + 2 * of_keys + i * of_values;
  }
  st = sort_batches(g, a, d, most, &p);
  gpu_scratch_free(g, room, bytes);
  return st;
}

/* Makes a loop nest over the lines of a plan, for two operands of the plan. */
static void make_nest(gpu_nest *nest, const plan *outer, int first, int second) {
  plan p = *outer;
  for (int d = 0; d < p.ndim; d++) {
    p.stride[0][d] = outer->stride[first][d];
    p.stride[1][d] = outer->stride[second][d];
  }
  gpu_nest_make(nest, &p, 2);
}

/* True if neighbouring lines are closer together in memory than the elements of a line. */
static bool is_across(const sort_call *c) { return inner_distance(&c->outer, 1) < llabs(c->in_stride); }

static int sort_lines(gpu *g, const sort_call *c) {
  sort_args a = {.in = c->in.data, .values = c->values.data, .positions = c->positions.data, .lines = c->outer.count,
                 .n = c->n, .keep = c->keep, .in_stride = c->in_stride, .values_stride = c->values_stride,
                 .positions_stride = c->positions_stride, .descending = c->descending,
                 .across = is_across(c)};
  make_nest(&a.from, &c->outer, 1, 1);
  make_nest(&a.to, &c->outer, 0, 2);
  gpu_reads(g, c->in.data);
  gpu_writes(g, c->values.data);
  gpu_writes(g, c->positions.data);
  return (c->n <= SORT_ROOM ? sort_short : sort_long)(g, &a, c->in.dtype);
}

/* ---- lines whose elements are far apart ---- */

/* A contiguous copy, in scratch memory, of the first elements of each line of a tensor. */
typedef struct lines_copy {
  operand copy;
  size_t  bytes;
  plan    plan;                    /* operand 0 is the copy, operand 1 the tensor */
  void   *tensor;
} lines_copy;

/* Allocates the copy for `length` elements of each line of operand k. If the operand has no memory, because the
** result is not needed, allocates nothing. */
static int open_copy(gpu *g, lines_copy *l, const sort_call *c, const operand *of, int k, int64_t length,
                     int64_t stride) {
  *l = (lines_copy){.copy = {.dtype = of->dtype}, .plan = c->outer, .tensor = of->data};
  plan *p = &l->plan;
  int64_t step = length;
  for (int d = p->ndim - 1; d >= 0; step *= p->shape[d--]) {
    p->stride[0][d] = step;
    p->stride[1][d] = c->outer.stride[k][d];
  }
  p->shape[p->ndim] = length;
  p->stride[0][p->ndim] = 1;
  p->stride[1][p->ndim++] = stride;
  p->count *= length;
  l->bytes = (size_t)p->count * (size_t)dtype_size(of->dtype);
  return of->data ? gpu_scratch(g, l->bytes, &l->copy.data) : OK;
}

/* Copies the elements from the tensor to the copy or, if `back` is set, from the copy to the tensor. */
static int run_copy(gpu *g, lines_copy *l, bool back) {
  operand tensor = {.data = l->tensor, .dtype = l->copy.dtype};
  if (!tensor.data) return OK;
  for (int d = 0; back && d < l->plan.ndim; d++) {
    int64_t of_copy = l->plan.stride[0][d];
    l->plan.stride[0][d] = l->plan.stride[1][d];
    l->plan.stride[1][d] = of_copy;
  }
  map_call m = {.op = OP_positive, .compute = dtype_compute(tensor.dtype), .nin = 1, .plan = &l->plan,
                .out = back ? tensor : l->copy, .in = {back ? l->copy : tensor}};
  return gpu_map(g->index, &m);
}

static int sort_copied(gpu *g, const sort_call *c, lines_copy *in, lines_copy *values, lines_copy *positions) {
  int64_t lines = c->outer.count;
  sort_call t = {.in = in->copy, .values = values->copy, .positions = positions->copy, .descending = c->descending,
                 .n = c->n, .keep = c->keep, .in_stride = 1, .values_stride = 1, .positions_stride = 1,
                 .outer = {.ndim = 1, .count = lines, .shape = {lines}, .stride = {{c->keep}, {c->n}, {c->keep}}}};
  int st = run_copy(g, in, false);
  if (st == OK) st = sort_lines(g, &t);
  if (st == OK) st = run_copy(g, values, true);
  return st == OK ? run_copy(g, positions, true) : st;
}

static int sort_across(gpu *g, const sort_call *c) {
  lines_copy in, values, positions;
  int st = open_copy(g, &in, c, &c->in, 1, c->n, c->in_stride);
  int st_values = open_copy(g, &values, c, &c->values, 0, c->keep, c->values_stride);
  int st_positions = open_copy(g, &positions, c, &c->positions, 2, c->keep, c->positions_stride);
  if (st == OK) st = st_values != OK ? st_values : st_positions;
  if (st == OK) st = sort_copied(g, c, &in, &values, &positions);
  gpu_scratch_free(g, in.copy.data, in.bytes);
  gpu_scratch_free(g, values.copy.data, values.bytes);
  gpu_scratch_free(g, positions.copy.data, positions.bytes);
  return st;
}

int gpu_sort(int index, const sort_call *c) {
  gpu *g;
  if (c->select) return ERR_NO_KERNEL;
  if (c->outer.count == 0 || c->keep == 0 || (!c->values.data && !c->positions.data)) return OK;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  return gpu_leave(g, is_across(c) && c->n > ACROSS_LINE ? sort_across(g, c) : sort_lines(g, c));
}
