/* Computes reductions, such as sum and max. Elements are folded into accumulators, the intermediate results. If the
** input is read by rows, one accumulator takes adjacent elements. If the input is read by columns, many adjacent
** accumulators take one element each from row after row. Elements that are strided or of another dtype are first
** gathered and converted into a buffer. The work is cut into pieces that depend only on shape and strides and are
** merged in order. Therefore the result is the same for any number of threads. */

#include <stdlib.h>

#include "cpu/program.h"
#include "cpu/walk.h"

enum {
  BLOCK      = 4096,      /* the number of elements of a buffer */
  ELEMENT    = 16,        /* the size in bytes of the largest element */
  BLOCK_BYTES = BLOCK * 8,  /* the most bytes that one call of `fold` reads without copying; they are in L1 if `fold`
                            ** reads them a second time */
  WIDTH      = 2048,      /* the most accumulators of an item: 48 KiB of the largest accumulators */
  NARROW     = 256,       /* the number of accumulators of a wide row: narrow rows are widened by reading several rows
                          ** as one row */
  MIN_RUN    = 64,        /* runs with fewer elements than this are packed together before the fold */
  TOGETHER   = 64,        /* the most short rows that are folded at a time: their accumulators take 8 KiB */
  SHORT_RUN  = 8,         /* runs with fewer elements than this are packed together, */
  LONG_RUN   = 1024,      /* and longer runs are folded one by one */
  FEW_RUNS   = 4,         /* the fewest runs, or short rows, that are folded together */
  NARROW_ROWS = 8,        /* the fewest rows that each group of accumulators of a narrow reduction folds */
  SHORT_ROW  = 16,        /* with rows shorter than this and at least MANY columns, gathering columns is faster */
  FEW_COLUMNS = 8,        /* with fewer columns than this and at least MANY rows, gathering rows is faster */
  MANY       = 64,        /* the least number of columns (for SHORT_ROW) or of rows (for FEW_COLUMNS) */
  MAX_STATE  = 24,        /* the size in bytes of the largest accumulator */
  ALIGN      = 16,        /* the alignment of the accumulators of a reduction */
  GRAIN      = 1 << 15,   /* the fewest elements for each thread; with fewer, a thread costs more time than it
                          ** saves */
  ITEM       = 1 << 14,   /* the number of elements of an item with several short rows */
  CHUNK      = 1 << 16,   /* the fewest elements in a piece of a long reduction */
  STRETCH    = 1 << 22,   /* the number of elements of an output that are reduced between two checks for cancellation;
                          ** items of columns use STRETCH / WIDTH * 8 instead */
  MAX_PIECES = 1024       /* the most pieces of a reduction, so that their accumulators stay in the cache */
};

/* A reduction that is cut into pieces. An item is a group of `width` adjacent outputs; the last item may have fewer.
** A chunk is a range of the reduced elements. A piece is one chunk of one item. */
typedef struct reduce_work {
  const reduce_call   *c;
  const reduce_kernel *kernel;
  const half_reduce_kernel *half;  /* the kernels that read half floats, or NULL */
  bool    columns;
  bool    narrow;              /* true: few columns, without gaps between rows */
  bool    same;                /* true: the input's dtype is the compute dtype */
  int     size, log2;          /* the size in bytes of a stored element, and the logarithm (base 2) of this number */
  int     taken;               /* the size in bytes of an element of the compute dtype */
  int64_t width, row_items, items;   /* items: the number of items; row_items: if `columns` is true, the number of
                                     ** items in an innermost row of `kept`, else equal to `items` */
  int64_t chunk, chunks;
  struct buffer *buffers;      /* one buffer for each thread */
  const program_source *source;     /* the program that computes the elements of the input, or NULL */
  struct reduce_work *also;    /* the next reduction of the elements of `source`, which is cut into the same pieces, or
                               ** NULL */
  char   *states;              /* the accumulators of all pieces, or NULL */
} reduce_work;

/* The memory of a thread: gathered elements, converted elements, and the accumulators of an item. */
typedef struct buffer {
  _Alignas(64) char raw[BLOCK * ELEMENT], block[BLOCK * ELEMENT], states[WIDTH * MAX_STATE];
} buffer;

static int64_t limit(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

static const char *address(const reduce_work *w, int64_t offset) { return (const char *)w->c->in.data + offset * w->size; }

static void convert_block(const reduce_work *w, int64_t n, void *to, const void *from) {
  cpu_isa->convert->convert[w->c->in.dtype][w->c->compute](n, to, from);
}

/* Gathers n stored elements, which are `stride` elements apart and begin at `from`. */
static void gather(const reduce_work *w, int64_t n, void *to, const void *from, int64_t stride) {
  copy_plan p = {.rows = 1, .cols = n, .to_col = 1, .from_col = stride};
  cpu_isa->convert->copy[w->log2](&p, to, from);
}

/* Copies rows × n elements row by row into b->block, in the compute dtype. Long contiguous runs are converted without a copy. */
static void load_tile(const reduce_work *w, buffer *b, int64_t rows, int64_t n, const void *from, int64_t stride, int64_t column) {
  if (!w->same && column == 1 && (stride == n || n >= MIN_RUN)) {
    int64_t run = stride == n ? rows * n : n;
    for (int64_t i = 0; i * run < rows * n; i++)
      convert_block(w, run, b->block + i * run * w->taken, (const char *)from + i * stride * w->size);
    return;
  }
  copy_plan p = {.rows = rows, .cols = n, .to_row = n, .to_col = 1, .from_row = stride, .from_col = column};
  cpu_isa->convert->copy[w->log2](&p, w->same ? b->block : b->raw, from);
  if (!w->same) convert_block(w, rows * n, b->block, b->raw);
}

/* ---- rows ---- */

/* Gathers stored elements of several short runs into `raw`, at most `most` and at most BLOCK elements, and advances
** *at. Returns the number of elements. */
static int64_t pack_runs(const reduce_work *w, walk *at, int64_t offset, int64_t most, char *raw) {
  const plan *p = &w->c->reduced;
  int64_t n = 0;
  if (most > BLOCK) most = BLOCK;
  while (n < most) {
    int64_t run = walk_run(at, p);
    if (run > most - n) run = most - n;
    gather(w, run, raw + n * w->size, address(w, offset + at->offset[0]), inner_stride(p, 0));
    n += run;
    walk_step(at, p, 1, run);
  }
  return n;
}

/* Folds n stored elements at x into acc. Converts the elements first if the kernels cannot read their dtype. */
static void fold_block(const reduce_work *w, buffer *b, int64_t n, const char *x, int64_t first, void *acc) {
  if (w->half && n >= HALF_FOLD) {
    w->half->fold(n, (const void *)x, acc);
    return;
  }
  if (!w->same) {
    convert_block(w, n, b->block, x);
    x = b->block;
  }
  w->kernel->fold(n, x, first, acc);
}

static int64_t most_in_block(const reduce_work *w) { return w->same || w->half ? BLOCK_BYTES / w->taken : BLOCK; }

/* Folds rows of n contiguous stored elements, which begin `stride` elements apart, into n accumulators. The kernels must
** be able to read the dtype. */
static void fold_rows(const reduce_work *w, int64_t rows, int64_t n, const char *x, int64_t stride, int64_t first, char *acc) {
  if (w->half) w->half->fold_columns(rows, n, (const void *)x, stride, acc);
  else w->kernel->fold_columns(rows, n, x, stride, first, acc);
}

/* Returns the accumulator of reduction `o` for the same output and piece as acc, an accumulator of w. */
static void *beside(const reduce_work *w, const reduce_work *o, const char *acc) {
  return o->states + (size_t)(acc - w->states) / w->kernel->size * o->kernel->size;
}

/* Folds the reduced elements begin … end - 1 into acc. All reduced elements are contiguous. */
static void fold_run(const reduce_work *w, buffer *b, int64_t offset, int64_t begin, int64_t end, char *acc) {
  int64_t block = most_in_block(w), n;
  for (int64_t i = begin; i < end; i += n) {
    n = end - i < block ? end - i : block;
    if (w->source) program_read(w->source, (int)(b - w->buffers), offset + i, n, b->raw);
    fold_block(w, b, n, w->source ? b->raw : address(w, offset + i), i, acc);
    for (const reduce_work *o = w->also; o; o = o->also) fold_block(o, b, n, b->raw, i, beside(w, o, acc));
  }
}

/* For each reduction, true if an accumulator is a number. */
static const bool is_number[REDUCE_COUNT] = {
#define REDUCE(name, ...) [REDUCE_##name] = true,
#define REDUCE_STATE(...)
#include "ops.def"
};

/* Folds `rows` short rows of n contiguous stored elements, which begin `stride` elements apart, into an accumulator for
** each row. The rows become columns, so that vectors have the elements of several rows. The results have the bits of
** the kernel's `fold`. */
static void fold_short_rows(const reduce_work *w, buffer *b, int64_t rows, int64_t n, const char *x, int64_t stride, char *acc) {
  const reduce_kernel *k = w->kernel;
  int64_t whole = n / FEW_LANES, rest = n % FEW_LANES, most = limit(BLOCK / n, 1, TOGETHER);
  char *lanes = b->raw;                      /* free again when load_tile has converted the elements */
  for (int64_t i = 0, some; i < rows; i += some) {
    some = least_of(rows - i, most);
    load_tile(w, b, n, some, x + i * stride * w->size, 1, stride);
    k->init(FEW_LANES * some, lanes);
    if (whole) k->fold_columns(whole, FEW_LANES * some, b->block, FEW_LANES * some, 0, lanes);
    if (rest) k->fold_columns(1, rest * some, b->block + whole * FEW_LANES * some * w->taken, 0, 0, lanes);
    for (int64_t half = FEW_LANES / 2; half > 0; half /= 2)
      k->merge(half * some, lanes, lanes + (size_t)(half * some) * k->size);
    k->merge(some, acc + (size_t)i * k->size, lanes);
  }
}

/* Folds n runs of `length` elements of one output into acc. Each position within a run has an accumulator. At the end
** the accumulators are merged pairwise. */
static void fold_whole_runs(const reduce_work *w, buffer *b, int64_t n, int64_t length, const char *x, int64_t stride, char *acc) {
  const reduce_kernel *k = w->kernel;
  char *states = b->raw;                     /* free again when load_tile has converted the elements */
  bool direct = w->same || w->half;
  if (!direct) load_tile(w, b, n, length, x, stride, 1);
  k->init(length, states);
  if (direct) fold_rows(w, n, length, x, stride, 0, states);
  else k->fold_columns(n, length, b->block, length, 0, states);
  for (int64_t half; length > 1; length = half) {
    half = (length + 1) / 2;
    k->merge(length - half, states, states + (size_t)half * k->size);
  }
  k->merge(1, acc, states);
}

/* True if fold_runs can compute the call: several runs of contiguous elements for each output. */
static bool has_runs(const reduce_work *w) {
  const plan *p = &w->c->reduced;
  if (!is_number[w->c->op] || p->ndim < 2 || p->stride[0][p->ndim - 1] != 1) return false;
  return p->shape[p->ndim - 1] >= SHORT_RUN && p->shape[p->ndim - 1] <= LONG_RUN && p->shape[p->ndim - 2] >= FEW_RUNS;
}

/* Folds the reduced elements begin … end - 1 of one output into acc. Runs of the innermost dim are folded together,
** except the ends of a range that does not begin or end with a run. */
static void fold_runs(const reduce_work *w, buffer *b, int64_t offset, int64_t begin, int64_t end, char *acc) {
  const plan *p = &w->c->reduced;
  int64_t length = inner_length(p), d = p->ndim - 2, n;
  walk at;
  walk_to(&at, p, 1, begin);
  for (int64_t i = begin; i < end; i += n) {
    const char *x = address(w, offset + at.offset[0]);
    int64_t runs = walk_run(&at, p) == length ? least_of((end - i) / length, p->shape[d] - at.at[d]) : 0;
    if (!w->same && !w->half) runs = least_of(runs, BLOCK / length);
    if (runs > 0) {
      n = runs * length;
      fold_whole_runs(w, b, runs, length, x, p->stride[0][d], acc);
      walk_along(&at, p, 1, (int)d, runs);
    } else {
      n = least_of(walk_run(&at, p), end - i);
      fold_block(w, b, n, x, i, acc);
      walk_step(&at, p, 1, n);
    }
  }
}

/* Folds the reduced elements begin … end - 1 of one output into acc. The output's input begins at `offset`. */
static void fold_row(const reduce_work *w, buffer *b, int64_t offset, int64_t begin, int64_t end, char *acc) {
  const plan *p = &w->c->reduced;
  int64_t stride = inner_stride(p, 0), n;
  if (stride == 1 && p->ndim <= 1) { fold_run(w, b, offset, begin, end, acc); return; }
  if (has_runs(w)) { fold_runs(w, b, offset, begin, end, acc); return; }
  bool direct = stride == 1 && inner_length(p) >= MIN_RUN;
  walk at;
  walk_to(&at, p, 1, begin);
  for (int64_t i = begin; i < end; i += n) {
    const char *x = address(w, offset + at.offset[0]);
    if (direct) {
      n = walk_run(&at, p);
      if (n > end - i) n = end - i;
      if (n > most_in_block(w)) n = most_in_block(w);
      walk_step(&at, p, 1, n);
    } else {
      n = pack_runs(w, &at, offset, end - i, b->raw);
      x = b->raw;
    }
    fold_block(w, b, n, x, i, acc);
  }
}

/* ---- columns ---- */

/* Folds n columns without gaps between rows, where n is small. `side` neighbouring rows are read as one wide row, in
** which each row has its own group of accumulators. The groups are merged at the end. */
static void fold_narrow(const reduce_work *w, int64_t n, int64_t rows, const char *x, int64_t first, char *acc) {
  char groups[NARROW * MAX_STATE] __attribute__((aligned(64)));
  int64_t side = limit(rows / NARROW_ROWS, 1, NARROW / n), wide = rows / side;
  size_t group = (size_t)n * w->kernel->size;
  if (side == 1) { w->kernel->fold_columns(rows, n, x, n, first, acc); return; }
  w->kernel->init(side * n, groups);
  w->kernel->fold_columns(wide, side * n, x, side * n, first, groups);
  for (int64_t k = 0; k < side; k++) w->kernel->merge(n, acc, groups + (size_t)k * group);
  int64_t rest = rows - wide * side;
  if (rest > 0) w->kernel->fold_columns(rest, n, x + wide * side * n * w->size, n, first, acc);
}

/* True if fold_narrow can compute the call: few columns without gaps between rows, in the compute dtype, for a
** reduction that may fold elements in any order. */
static bool is_narrow(const reduce_call *c) {
  int64_t n = inner_length(&c->kept);
  return !c->ordered && c->in.dtype == c->compute && c->kept.ndim > 0 && n <= NARROW / 4 &&
         inner_stride(&c->kept, 1) == 1 && inner_stride(&c->reduced, 0) == n;
}

/* Folds rows begin … end - 1 of columns 0 … n - 1 into the accumulators acc. Column 0 begins at `offset`. */
static void fold_columns(const reduce_work *w, buffer *b, int64_t offset, int64_t n, int64_t begin, int64_t end, char *acc) {
  const plan *p = &w->c->reduced;
  int64_t stride = inner_stride(p, 0), column = inner_stride(&w->c->kept, 1), rows;
  bool direct = (w->same || w->half) && column == 1;
  int64_t most = w->narrow ? 8 * BLOCK : direct ? BLOCK : BLOCK / n;
  walk at;
  walk_to(&at, p, 1, begin);
  for (int64_t i = begin; i < end; i += rows) {
    rows = walk_run(&at, p);
    if (rows > end - i) rows = end - i;
    if (rows > most) rows = most;
    const char *x = address(w, offset + at.offset[0]);
    if (!direct) load_tile(w, b, rows, n, x, stride, column);
    if (w->narrow) fold_narrow(w, n, rows, x, i, acc);
    else if (direct) fold_rows(w, rows, n, x, stride, i, acc);
    else w->kernel->fold_columns(rows, n, b->block, n, i, acc);
    walk_step(&at, p, 1, rows);
  }
}

/* ---- items ---- */

/* Returns the number of outputs in item i, and sets *first to the item's first output. */
static int64_t item_span(const reduce_work *w, int64_t i, int64_t *first) {
  int64_t length = w->columns ? inner_length(&w->c->kept) : w->c->kept.count;
  int64_t begin = i % w->row_items * w->width;
  *first = i / w->row_items * length + begin;
  return length - begin < w->width ? length - begin : w->width;
}

/* True if fold_short_rows can compute the call, and is faster: a short row of contiguous elements for each of several
** outputs. */
static bool has_short_rows(const reduce_work *w) {
  const plan *p = &w->c->reduced;
  bool is_short = p->ndim == 1 && p->stride[0][0] == 1 && p->shape[0] < SHORT_FOLD;
  return is_short && is_number[w->c->op] && !w->source && inner_length(&w->c->kept) >= FEW_RUNS;
}

/* Folds the reduced elements begin … end - 1 into acc, the accumulators of outputs first … first + n - 1. */
static void fold_range(const reduce_work *w, buffer *b, int64_t first, int64_t n, int64_t begin, int64_t end, char *acc) {
  const plan *kept = &w->c->kept;
  walk at;
  walk_to(&at, kept, 2, first);
  if (w->columns) { fold_columns(w, b, at.offset[1], n, begin, end, acc); return; }
  bool together = has_short_rows(w);
  for (int64_t k = 0, run; k < n; k += run) {
    char *own = acc + (size_t)k * w->kernel->size;
    run = together ? least_of(n - k, walk_run(&at, kept)) : 1;
    if (together) fold_short_rows(w, b, run, end - begin, address(w, at.offset[1] + begin), inner_stride(kept, 1), own);
    else fold_row(w, b, at.offset[1], begin, end, own);
    walk_step(&at, kept, 2, run);
  }
}

/* Computes the accumulators of item i from the reduced elements begin … end - 1. Stops early if the operation is
** cancelled. */
static void fold_item(const reduce_work *w, buffer *b, int64_t i, int64_t begin, int64_t end, char *acc) {
  int64_t first, n = item_span(w, i, &first), step = w->columns ? STRETCH / WIDTH * 8 : STRETCH;
  w->kernel->init(n, acc);
  for (const reduce_work *o = w->also; o; o = o->also) o->kernel->init(n, beside(w, o, acc));
  for (int64_t from = begin; from < end; from += step) {
    if (from > begin && cancel_due()) return;
    fold_range(w, b, first, n, from, end - from < step ? end : from + step, acc);
  }
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
  bool direct = w->kernel->gives == c->out.dtype && inner_stride(&c->kept, 0) == 1 && n <= walk_run(&at, &c->kept);
  char *made = direct ? (char *)c->out.data + at.offset[0] * size : b->block;
  w->kernel->finish(n, acc, made, (double)c->reduced.count, c->correction);
  if (direct) return;
  if (w->kernel->gives != c->out.dtype) {
    cpu_isa->convert->convert[w->kernel->gives][c->out.dtype](n, b->raw, b->block);
    from = b->raw;
  }
  for (int64_t run; n > 0; n -= run, from += run * size) {
    run = walk_run(&at, &c->kept);
    if (run > n) run = n;
    copy_plan p = {.rows = 1, .cols = run, .to_col = inner_stride(&c->kept, 0), .from_col = 1};
    copy(&p, (char *)c->out.data + at.offset[0] * size, from);
    walk_step(&at, &c->kept, 2, run);
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

/* Returns the distance of neighbouring elements; repeated elements (stride 0) count as the farthest. */
static int64_t distance(int64_t stride) { return stride ? llabs(stride) : INT64_MAX; }

/* True if folding by columns is faster. `columns` is the length of the innermost kept dim, `row` the length of the
** innermost reduced dim. If the kept dim has the smaller stride, folding by columns is slower only for few columns of
** many rows. Otherwise it is faster only for many short rows. */
static bool by_columns(const reduce_call *c) {
  if (c->kept.ndim == 0 || c->reduced.ndim == 0) return c->kept.ndim > 0;
  int64_t kept = distance(inner_stride(&c->kept, 1)), reduced = distance(inner_stride(&c->reduced, 0));
  int64_t columns = inner_length(&c->kept), row = inner_length(&c->reduced);
  if (kept < reduced) return columns >= FEW_COLUMNS || row < MANY;
  return row < SHORT_ROW && columns >= MANY;
}

static int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void cut_items(reduce_work *w) {
  const reduce_call *c = w->c;
  if (c->kept.count == 1) {
    w->width = w->row_items = w->items = 1;
  } else if (w->columns) {
    int64_t n = inner_length(&c->kept), most = (w->same || w->half) && inner_stride(&c->kept, 1) == 1 ? WIDTH : WIDTH / 4;
    w->row_items = ceil_divide(n, most);
    w->width = ceil_divide(n, w->row_items);
    w->row_items = ceil_divide(n, w->width);
    w->items = c->kept.count / n * w->row_items;
  } else {
    w->width = limit(ITEM / limit(c->reduced.count, 1, ITEM), 1, WIDTH);
    w->row_items = w->items = ceil_divide(c->kept.count, w->width);
  }
}

static void cut_chunks(reduce_work *w) {
  w->chunk = w->c->reduced.count;
  w->chunks = 1;
  if (w->c->kept.count * w->chunk < 2 * CHUNK) return;
  int64_t n = w->c->reduced.count, most = MAX_PIECES / w->items / (w->columns ? 16 : 1);
  int64_t want = limit(n / limit(CHUNK / w->width, 1, CHUNK), 1, limit(most, 1, MAX_PIECES));
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
  return same && (!x.columns || x.width == y.width);
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
