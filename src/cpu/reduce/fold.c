/* Folds the elements of a reduction into accumulators: by rows, by short rows or runs that are folded together, or by
** columns. */

#include "cpu/reduce/reduce.h"

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
    w->half->fold(1, n, (const void *)x, 0, acc);
    return;
  }
  if (!w->same) {
    convert_block(w, n, b->block, x);
    x = b->block;
  }
  w->kernel->fold(1, n, x, 0, first, acc);
}

static int64_t most_in_block(const reduce_work *w) { return w->same || w->half ? BLOCK_BYTES / w->taken : BLOCK; }

/* Folds rows of n contiguous stored elements, which begin `stride` elements apart, into n accumulators. The kernels must
** be able to read the dtype. */
static void fold_rows(const reduce_work *w, int64_t rows, int64_t n, const char *x, int64_t stride, int64_t first, char *acc) {
  if (w->half) w->half->fold_columns(rows, n, (const void *)x, stride, acc);
  else w->kernel->fold_columns(rows, n, x, stride, first, acc);
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
  int64_t whole = n / FEW_LANES, rest = n % FEW_LANES;
  char *lanes = b->raw;                      /* free again when load_tile has converted the elements */
  for (int64_t i = 0, some; i < rows; i += some) {
    some = least_of(rows - i, TOGETHER);
    load_tile(w, b, n, some, x + i * stride * w->size, 1, stride);
    k->init(FEW_LANES * some, lanes);
    if (rest) k->fold_columns(1, rest * some, b->block + whole * FEW_LANES * some * w->taken, 0, 0, lanes);
    if (whole) k->fold_columns(whole, FEW_LANES * some, b->block, FEW_LANES * some, 0, lanes);
    for (int64_t half = FEW_LANES / 2; half > 0; half /= 2)
      k->merge(half * some, lanes, lanes + (size_t)(half * some) * k->size);
    k->merge(some, acc + (size_t)i * k->size, lanes);
  }
}

/* Folds `rows` rows of n contiguous stored elements, which begin `stride` elements apart, into an accumulator for each
** row. */
static void fold_whole_rows(const reduce_work *w, buffer *b, int64_t rows, int64_t n, const char *x, int64_t stride, int64_t first,
                            char *acc) {
  if (w->same) {
    w->kernel->fold(rows, n, x, stride, first, acc);
  } else if (w->half && n >= HALF_FOLD) {
    w->half->fold(rows, n, (const void *)x, stride, acc);
  } else {
    for (int64_t i = 0, some; i < rows; i += some) {
      some = least_of(rows - i, BLOCK / n);
      load_tile(w, b, some, n, x + i * stride * w->size, stride, 1);
      w->kernel->fold(some, n, b->block, n, first, acc + (size_t)i * w->kernel->size);
    }
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
  int64_t side = reduce_limit(rows / NARROW_ROWS, 1, NARROW / n), wide = rows / side;
  size_t group = (size_t)n * w->kernel->size;
  if (side == 1) { w->kernel->fold_columns(rows, n, x, n, first, acc); return; }
  w->kernel->init(side * n, groups);
  w->kernel->fold_columns(wide, side * n, x, side * n, first, groups);
  for (int64_t k = 0; k < side; k++) w->kernel->merge(n, acc, groups + (size_t)k * group);
  int64_t rest = rows - wide * side;
  if (rest > 0) w->kernel->fold_columns(rest, n, x + wide * side * n * w->size, n, first, acc);
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

/* ---- outputs ---- */

/* True if the kernels fold the reduced elements begin … end - 1 of several outputs in one call: an output's elements are
** contiguous, and one block holds them. */
static bool has_rows(const reduce_work *w, int64_t begin, int64_t end) {
  const plan *p = &w->c->reduced;
  return p->ndim == 1 && p->stride[0][0] == 1 && !w->source && end - begin <= (w->same ? most_in_block(w) : BLOCK);
}

/* Folds the reduced elements begin … end - 1 into acc, the accumulators of n outputs. *at is the first output. */
static void fold_outputs(const reduce_work *w, buffer *b, walk *at, int64_t n, int64_t begin, int64_t end, char *acc) {
  const plan *kept = &w->c->kept;
  bool together = has_rows(w, begin, end);
  int64_t most = w->kernel->size < 8 ? SHORT_FOLD : FEW_LANES;     /* vectors have many short accumulators */
  for (int64_t k = 0, run; k < n; k += run) {
    const char *x = address(w, at->offset[1] + begin);
    char *own = acc + (size_t)k * w->kernel->size;
    run = together ? least_of(n - k, walk_run(at, kept)) : 1;
    if (!together) fold_row(w, b, at->offset[1], begin, end, own);
    else if (end - begin < most && run >= FEW_RUNS && is_number[w->c->op])
      fold_short_rows(w, b, run, end - begin, x, inner_stride(kept, 1), own);
    else fold_whole_rows(w, b, run, end - begin, x, inner_stride(kept, 1), begin, own);
    walk_step(at, kept, 2, run);
  }
}

/* Folds the reduced elements begin … end - 1 of `groups` rows of n columns, which begin `stride` elements apart. Narrow rows
** are first copied side by side, so that vectors have the columns of several of them. */
static void fold_groups(const reduce_work *w, buffer *b, int64_t offset, int64_t groups, int64_t n, int64_t stride, int64_t begin,
                        int64_t end, char *acc) {
  int64_t rows = end - begin, most = BLOCK / (n * rows);
  if (n >= FEW_COLUMNS || w->narrow || w->c->reduced.ndim != 1 || most < 2) {
    for (int64_t g = 0; g < groups; g++)
      fold_columns(w, b, offset + g * stride, n, begin, end, acc + (size_t)(g * n) * w->kernel->size);
    return;
  }
  for (int64_t g = 0, some; g < groups; g += some) {
    char *to = w->same ? b->block : b->raw;
    some = least_of(groups - g, most);
    copy_plan p = {.rows = some, .cols = n, .to_row = n, .to_col = 1, .from_row = stride, .from_col = inner_stride(&w->c->kept, 1)};
    for (int64_t r = 0; r < rows; r++)
      cpu_isa->convert->copy[w->log2](&p, to + r * some * n * w->size,
                                      address(w, offset + g * stride + (begin + r) * w->c->reduced.stride[0][0]));
    if (!w->same) convert_block(w, rows * some * n, b->block, b->raw);
    w->kernel->fold_columns(rows, some * n, b->block, some * n, begin, acc + (size_t)(g * n) * w->kernel->size);
  }
}

void reduce_fold(const reduce_work *w, buffer *b, int64_t first, int64_t n, int64_t begin, int64_t end, char *acc) {
  const plan *kept = &w->c->kept;
  walk at;
  walk_to(&at, kept, 2, first);
  if (!w->columns) fold_outputs(w, b, &at, n, begin, end, acc);
  else if (n <= w->columns_each) fold_columns(w, b, at.offset[1], n, begin, end, acc);
  else fold_groups(w, b, at.offset[1], n / w->columns_each, w->columns_each, kept->stride[1][kept->ndim - 2], begin, end, acc);
}
