/* Computes reductions, such as sum and max. Elements are folded into accumulators, the intermediate results. If the
** input is read by rows, one accumulator takes adjacent elements. If the input is read by columns, many adjacent
** accumulators take one element each from row after row. Elements that are strided or of another dtype are first
** gathered and converted into a buffer. The work is cut into pieces that depend only on shape and strides and are
** merged in order. Therefore the result is the same for any number of threads. */

#include "cpu/reduce/reduce.h"

#include <stdlib.h>

#include "base/shape.h"

/* ---- items ---- */

/* Returns the number of outputs in item i, and sets *first to the item's first output. */
static int64_t item_span(const reduce_work *w, int64_t i, int64_t *first) {
  int64_t begin = i % w->row_items * w->width;
  *first = i / w->row_items * w->length + begin;
  return least_of(w->length - begin, w->width);
}

/* Computes the accumulators of item i from the reduced elements begin … end - 1. Stops early if the operation is
** cancelled. */
static void fold_item(const reduce_work *w, buffer *b, int64_t i, int64_t begin, int64_t end, char *acc) {
  int64_t first, n = item_span(w, i, &first), step = w->columns ? STRETCH / WIDTH * 8 : STRETCH;
  w->kernel->init(n, acc);
  for (const reduce_work *o = w->also; o; o = o->also) o->kernel->init(n, beside(w, o, acc));
  for (int64_t from = begin; from < end; from += step) {
    if (from > begin && cancel_due()) return;
    reduce_fold(w, b, first, n, from, end - from < step ? end : from + step, acc);
  }
}

/* True if an item has several rows of columns whose outputs are contiguous. */
static bool has_adjacent_rows(const reduce_work *w) {
  const plan *p = &w->c->kept;
  return w->columns && w->width > w->columns_each && p->stride[0][p->ndim - 2] == w->columns_each;
}

/* Computes the results of item i from its accumulators, converts them to the output's dtype and stores them. */
static void store_item(const reduce_work *w, int64_t i, const char *acc, buffer *b) {
  const reduce_call *c = w->c;
  int64_t first, n = item_span(w, i, &first);
  int size = dtype_size(c->out.dtype);
  copy_kernel copy = cpu_isa->convert->copy[__builtin_ctz((unsigned)size)];
  const char *from = b->block;
  walk at;
  walk_to(&at, &c->kept, 2, first);
  bool row = inner_stride(&c->kept, 0) == 1 && (n <= walk_run(&at, &c->kept) || has_adjacent_rows(w));
  bool direct = row && w->kernel->gives == c->out.dtype;
  char *made = direct ? (char *)c->out.data + at.offset[0] * size : b->block;
  w->kernel->finish(n, acc, made, (double)c->reduced.count, c->correction);
  if (direct) return;
  if (w->kernel->gives != c->out.dtype) {
    cpu_isa->convert->convert[w->kernel->gives][c->out.dtype](n, b->raw, b->block);
    from = b->raw;
  }
  for (int64_t run; n > 0; n -= run, from += run * size) {
    run = row ? n : least_of(n, walk_run(&at, &c->kept));
    copy_plan p = {.rows = 1, .cols = run, .to_col = inner_stride(&c->kept, 0), .from_col = 1};
    copy(&p, (char *)c->out.data + at.offset[0] * size, from);
    if (run < n) walk_step(&at, &c->kept, 2, run);
  }
}

/* Merges the accumulators of item i's chunks pairwise, as a binary tree of neighbours. The rounding errors therefore
** grow only with the logarithm of the number of chunks. */
static void merge_chunks(const reduce_work *w, int64_t i, char *states) {
  int64_t first, n = item_span(w, i, &first);
  size_t step = (size_t)w->width * w->kernel->size;
  for (int64_t gap = 1; gap < w->chunks; gap *= 2)
    for (int64_t k = 0; k + gap < w->chunks; k += 2 * gap)
      w->kernel->merge(n, states + (size_t)k * step, states + (size_t)(k + gap) * step);
}

/* ---- cutting up ---- */

/* True if folding by columns is faster. `columns` is the length of the innermost kept dim, `row` the length of the
** innermost reduced dim. If the kept dim has the smaller stride, folding by columns is slower only for few columns of
** many rows. Otherwise it is faster only for many short rows. */
static bool by_columns(const reduce_call *c) {
  if (c->kept.ndim == 0 || c->reduced.ndim == 0) return c->kept.ndim > 0;
  int64_t kept = stride_distance(inner_stride(&c->kept, 1)), reduced = stride_distance(inner_stride(&c->reduced, 0));
  int64_t columns = inner_length(&c->kept), row = inner_length(&c->reduced);
  if (kept < reduced) return columns >= FEW_COLUMNS || row < MANY;
  return row < SHORT_ROW && columns >= MANY;
}

static int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Returns the most rows of n columns that an item may have. One item has ITEM elements and at most `most` columns. */
static int64_t groups_of(const reduce_work *w, int64_t n, int64_t most) {
  const reduce_call *c = w->c;
  if (c->kept.ndim < 2) return 1;
  int64_t rows = least_of(c->kept.shape[c->kept.ndim - 2], most / n);
  return reduce_limit(ITEM / reduce_limit(n * c->reduced.count, 1, ITEM), 1, reduce_limit(rows, 1, rows));
}

static void cut_items(reduce_work *w) {
  const reduce_call *c = w->c;
  w->length = c->kept.count;
  w->columns_each = 1;
  if (c->kept.count == 1) {
    w->width = 1;
  } else if (w->columns) {
    int64_t n = inner_length(&c->kept), most = (w->same || w->half) && inner_stride(&c->kept, 1) == 1 ? WIDTH : WIDTH / 4;
    int64_t groups = groups_of(w, n, most);
    w->length = groups > 1 ? n * c->kept.shape[c->kept.ndim - 2] : n;
    w->columns_each = ceil_divide(n, ceil_divide(n, most));
    w->width = groups * w->columns_each;
  } else {
    w->width = reduce_limit(ITEM / reduce_limit(c->reduced.count, 1, ITEM), 1, WIDTH);
  }
  w->row_items = ceil_divide(w->length, w->width);
  w->items = c->kept.count / w->length * w->row_items;
}

static void cut_chunks(reduce_work *w) {
  w->chunk = w->c->reduced.count;
  w->chunks = 1;
  if (w->c->kept.count * w->chunk < 2 * CHUNK) return;
  int64_t n = w->c->reduced.count, most = MAX_PIECES / w->items / (w->columns ? 16 : 1);
  int64_t want = reduce_limit(n / reduce_limit(CHUNK / w->width, 1, CHUNK), 1, reduce_limit(most, 1, MAX_PIECES));
  w->chunk = ceil_divide(n, want);
  if (!w->columns) w->chunk = ceil_divide(w->chunk, BLOCK) * BLOCK;
  w->chunks = ceil_divide(n, w->chunk);
}

static void run_item(const void *arg, int64_t i, int worker) {
  const reduce_work *w = arg;
  buffer *b = &w->buffers[worker];
  fold_item(w, b, i, 0, w->c->reduced.count, b->states);
  store_item(w, i, b->states, b);
}

static void run_chunk(const void *arg, int64_t piece, int worker) {
  const reduce_work *w = arg;
  int64_t begin = piece % w->chunks * w->chunk, end = begin + w->chunk;
  if (end > w->c->reduced.count) end = w->c->reduced.count;
  fold_item(w, &w->buffers[worker], piece / w->chunks, begin, end, w->states + (size_t)(piece * w->width) * w->kernel->size);
}

/* Merges the accumulators of all pieces and stores the results. */
static void store_pieces(const reduce_work *w, buffer *b) {
  for (int64_t i = 0; i < w->items; i++) {
    char *mine = w->states + (size_t)(i * w->chunks * w->width) * w->kernel->size;
    merge_chunks(w, i, mine);
    store_item(w, i, mine, b);
  }
}

static int run_in_chunks(reduce_work *w, int threads) {
  int64_t pieces = w->items * w->chunks;
  size_t count = (size_t)(pieces * w->width), bytes = 0;
  for (const reduce_work *o = w; o; o = o->also) bytes += count * o->kernel->size + ALIGN;
  char *states = malloc(bytes), *room = states;
  if (!states) return ERR_MEMORY;
  for (reduce_work *o = w; o; o = o->also) {
    o->states = room;
    room += (count * o->kernel->size + ALIGN - 1) / ALIGN * ALIGN;
  }
  cpu_parallel(threads, pieces, run_chunk, w);
  for (const reduce_work *o = w; o; o = o->also) store_pieces(o, w->buffers);
  free(states);
  return OK;
}

/* True if fold_narrow can compute the call: few columns of several rows without gaps, in the compute dtype, for a
** reduction that may fold elements in any order. */
static bool is_narrow(const reduce_call *c) {
  int64_t n = inner_length(&c->kept);
  return !c->ordered && c->in.dtype == c->compute && c->kept.ndim > 0 && n <= NARROW / 4 &&
         inner_stride(&c->kept, 1) == 1 && inner_stride(&c->reduced, 0) == n && inner_length(&c->reduced) >= 2 * NARROW_ROWS;
}

/* Decides how the call is computed. */
static void set_up(reduce_work *w, const reduce_call *c) {
  w->c = c;
  w->source = NULL;
  w->also = NULL;
  w->states = NULL;
  w->kernel = &cpu_isa->reduce->kernel[c->op][c->compute];
  bool narrow = dtype_is_narrow(c->in.dtype) && c->compute == DT_float32;
  w->half = narrow ? &cpu_isa->half_reduce->kernel[c->op][c->in.dtype == DT_bfloat16] : NULL;
  if (w->half && !w->half->fold) w->half = NULL;
  w->size = dtype_size(c->in.dtype);
  w->log2 = __builtin_ctz((unsigned)w->size);
  w->same = c->in.dtype == c->compute;
  w->taken = dtype_size(c->compute);
  w->narrow = is_narrow(c);
  w->columns = w->narrow || by_columns(c);
  cut_items(w);
  cut_chunks(w);
}

/* Returns a kept dim whose results are computed once and then copied, or -1. */
static int dim_to_repeat(const reduce_call *c) { return repeated_dim(&c->kept, 2, c->reduced.count); }

bool cpu_reduces_alike(const reduce_call *a, const reduce_call *b) {
  reduce_work x, y;
  if (a->kept.count == 0 || b->kept.count == 0) return false;
  if (dim_to_repeat(a) >= 0 || dim_to_repeat(b) >= 0) return false;
  set_up(&x, a);
  set_up(&y, b);
  bool same = x.columns == y.columns && x.narrow == y.narrow && x.chunks == 1 && y.chunks == 1;
  return same && (!x.columns || x.columns_each == y.columns_each);
}

bool cpu_reduces_shared(const reduce_call *c, const elementwise_call *program) {
  reduce_work w;
  set_up(&w, c);
  return w.items * w.chunks >= program_threads(program);
}

static int run_work(reduce_work *w, int threads) {
  void *buffers;
  size_t bytes = sizeof(buffer) * (size_t)threads;
  int st = cpu_alloc(0, bytes, &buffers);
  if (st != OK) return st;
  w->buffers = buffers;
  if (w->chunks > 1 || w->also) st = run_in_chunks(w, threads);
  else cpu_parallel(threads, w->items, run_item, w);
  cpu_free(0, buffers, bytes);
  return st;
}

/* Computes the results at the first position of kept dim d, and copies them to the other positions. */
static int reduce_once(int index, const reduce_call *c, int d) {
  plan others;
  reduce_call once = *c;
  map_call copy = copy_of_first(&c->out, &c->kept, d, &others);
  drop_dim(&once.kept, 2, d);
  int st = cpu_reduce(index, &once);
  return st == OK ? cpu_map(index, &copy) : st;
}

int cpu_reduce(int index, const reduce_call *c) {
  reduce_work w;
  if (!cpu_isa->reduce->kernel[c->op][c->compute].size) return ERR_NO_KERNEL;
  if (c->kept.count == 0) return OK;
  int repeated = dim_to_repeat(c);
  if (repeated >= 0) return reduce_once(index, c, repeated);
  set_up(&w, c);
  return run_work(&w, cpu_threads(c->kept.count * c->reduced.count, GRAIN));
}

/* Sets up the reductions of a result of a program. Returns false if one of them cannot take the elements block by block, or if
** they are not cut into the same pieces. */
static bool set_up_takers(reduce_work *w, const reduce_call *const *c, int n) {
  bool can = true;
  for (int k = 0; k < n; k++) {
    const reduce_call *r = c[k];
    set_up(&w[k], r);
    can &= cpu_isa->reduce->kernel[r->op][r->compute].size && !w[k].columns && inner_stride(&r->reduced, 0) == 1 && r->reduced.ndim <= 1;
    can &= w[k].same == w[0].same && w[k].items == w[0].items && w[k].width == w[0].width && w[k].chunk == w[0].chunk;
    if (k > 0) w[k - 1].also = &w[k];
  }
  return can;
}

bool reduces_together(const reduce_call *const *c, int n) {
  reduce_work w[TILED_PARTS];
  return set_up_takers(w, c, n);
}

int reduce_all_program(const reduce_call *const *c, int n, const elementwise_call *program, int result) {
  reduce_work w[TILED_PARTS];
  program_source *source;
  if (!set_up_takers(w, c, n)) return ERR_NO_KERNEL;
  int threads = program_threads(program);
  int st = program_open(program, result, threads, &source);
  if (st != OK) return st;
  w[0].source = source;
  st = run_work(w, threads);
  program_close(source);
  return st;
}

int cpu_reduce_program(const reduce_call *c, const elementwise_call *program, int result) {
  return reduce_all_program(&c, 1, program, result);
}
