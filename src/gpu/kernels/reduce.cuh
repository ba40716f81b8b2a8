/* Reductions. A unit is one row of ops.def (OP) for elements stored as IN, computed as COMPUTE, stored as OUT.
**
** A block has `columns` outputs of `rows` threads each, which read one chunk of the reduced elements. Where the reduced
** elements lie closer together than the outputs, threads of one output are neighbours, else threads of one row are: so
** that neighbours read neighbours. Where there are several chunks, they leave states, which reduce_merge merges.
** What a thread takes depends on shape and layout only, and so do the results. */

#include "accumulate.cuh"
#include "groups.cuh"
#include "reduce_args.h"
#include "stored.cuh"

typedef PASTE(row_, OP)<C> Row;

enum {
  W      = 16 / sizeof(in_t),                /* elements that a thread reads at once */
  U      = sizeof(in_t) == 1 ? 2 : 4,        /* of such reads under way: 64 bytes a thread hide the memory's latency */
  SINGLE = 8                                 /* reads of one element under way */
};

/* What a thread does. */
struct place {
  int     row;                      /* its number among the threads of an output; -1: nothing to do */
  int64_t output, chunk;
};

INLINE place find_place(const reduce_args &p) {
  int t = (int)threadIdx.x, column = p.across ? t % p.columns : t / p.rows, row = p.across ? t / p.columns : t % p.rows;
  unsigned many = (unsigned)(p.across ? p.tiles : p.chunks), slow = blockIdx.x / many, fast = blockIdx.x % many;
  int64_t output = (int64_t)(p.across ? fast : slow) * p.columns + column;
  bool idle = row >= p.rows || column >= p.columns || output >= p.outputs;
  return place{idle ? -1 : row, output, p.across ? slow : fast};
}

/* ---- elements that lie side by side ---- */

/* `count` elements from x on, one by one: every rows-th is this thread's. */
INLINE void fold_singles(Row::run &r, const in_t *x, int count, int64_t first, int row, int rows) {
  for (int i = row; i < count; i += rows) {
    C one[1][1] = {{load(x[i])}};
    Row::fold(r, one, batch{1, first + i, 0});
  }
}

/* `count` elements from x on: whole vectors, and singles where they are not aligned. */
INLINE void fold_run(Row::run &r, const in_t *x, int count, int64_t first, int row, int rows) {
  int head = to_alignment(x), vectors;
  if (head > count) head = count;
  vectors = (count - head) / W;
  fold_singles(r, x, head, first, row, rows);
  const pack<in_t, W> *v = (const pack<in_t, W> *)(x + head);
  for (int i = row; i < vectors; i += U * rows) {
    pack<in_t, W> raw[U];
    C y[U][W];
    batch b = {0, first + head + (int64_t)i * W, (int64_t)rows * W};
    _Pragma("unroll") for (int u = 0; u < U; u++)
      if (i + u * rows < vectors) raw[u] = v[i + u * rows], b.count = u + 1;
    _Pragma("unroll") for (int u = 0; u < U; u++)
      _Pragma("unroll") for (int w = 0; w < W; w++) y[u][w] = load(raw[u].x[w]);
    Row::fold(r, y, b);
  }
  int done = head + vectors * W;
  fold_singles(r, x + done, count - done, first + done, row, rows);
}

/* The reduced elements begin … end - 1, in runs as long as the innermost dim. */
INLINE void fold_runs(Row::run &r, const reduce_args &p, const in_t *x, int64_t begin, int64_t end, int row) {
  if (p.reduced.ndim <= 1) { fold_run(r, x + begin, (int)(end - begin), begin, row, p.rows); return; }
  int64_t length = p.reduced.shape[p.reduced.ndim - 1];
  for (int64_t i = begin, stop; i < end; i = stop) {
    stop = i - i % length + length;
    if (stop > end) stop = end;
    fold_run(r, x + nest_offset(p.reduced, 0, i), (int)(stop - i), i, row, p.rows);
  }
}

/* ---- elements anywhere ---- */

INLINE void fold_anywhere(Row::run &r, const reduce_args &p, const in_t *x, int64_t begin, int64_t end, int row) {
  int count = (int)(end - begin);
  for (int i = row; i < count; i += SINGLE * p.rows) {
    in_t raw[SINGLE];
    C y[SINGLE][1];
    batch b = {0, begin + i, p.rows};
    _Pragma("unroll") for (int u = 0; u < SINGLE; u++)
      if (i + u * p.rows < count) raw[u] = x[nest_offset(p.reduced, 0, begin + i + u * p.rows)], b.count = u + 1;
    _Pragma("unroll") for (int u = 0; u < SINGLE; u++) y[u][0] = load(raw[u]);
    Row::fold(r, y, b);
  }
}

/* ---- kernels ---- */

INLINE void store_result(const reduce_args &p, int64_t output, Row::A a) {
  out_t *out = (out_t *)p.out + nest_offset(p.kept, 0, output);
  *out = store(Row::finish(a, (double)p.n, p.correction));
}

/* The state of an output and chunk. */
INLINE Row::A *state_of(const reduce_args &p, int64_t output, int64_t chunk, int64_t chunks, bool across) {
  return (Row::A *)p.states + (across ? chunk * p.outputs + output : output * chunks + chunk);
}

INLINE void leave(const reduce_args &p, const place &at, Row::A a) {
  if (at.row != 0) return;
  if (p.chunks == 1) store_result(p, at.output, a);
  else *state_of(p, at.output, at.chunk, p.chunks, p.across) = a;
}

INLINE int64_t end_of_chunk(const reduce_args &p, int64_t begin) { return begin + p.chunk < p.n ? begin + p.chunk : p.n; }

/* The reduced elements lie side by side, at least for the length of their innermost dim. */
KERNEL_COOPERATIVE(reduce_rows)(reduce_args p) {
  place at = find_place(p);
  Row::run r = Row::init();
  int64_t begin = at.chunk * p.chunk;
  if (at.row >= 0)
    fold_runs(r, p, (const in_t *)p.in + nest_offset(p.kept, 1, at.output), begin, end_of_chunk(p, begin), at.row);
  leave(p, at, merge_group<Row>(Row::total(r), p.rows));
}

KERNEL_COOPERATIVE(reduce_anywhere)(reduce_args p) {
  place at = find_place(p);
  Row::run r = Row::init();
  int64_t begin = at.chunk * p.chunk;
  if (at.row >= 0)
    fold_anywhere(r, p, (const in_t *)p.in + nest_offset(p.kept, 1, at.output), begin, end_of_chunk(p, begin), at.row);
  Row::A a = Row::total(r);
  leave(p, at, p.across ? merge_columns<Row, REDUCE_THREADS>(a, p.columns, p.rows) : merge_group<Row>(a, p.rows));
}

/* The states of the `parts` chunks of each output; `across` is that of the launch that left them. */
KERNEL_COOPERATIVE(reduce_merge)(reduce_args p) {
  int row = (int)threadIdx.x % p.rows;
  int64_t output = (int64_t)blockIdx.x * p.columns + threadIdx.x / p.rows;
  Row::A a = Row::total(Row::init());
  if (output < p.outputs)
    for (int k = row; k < p.parts; k += p.rows) a = Row::merge(a, *state_of(p, output, k, p.parts, p.across));
  a = merge_group<Row>(a, p.rows);
  if (row == 0 && output < p.outputs) store_result(p, output, a);
}
