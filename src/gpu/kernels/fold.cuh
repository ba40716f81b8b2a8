#ifndef LT_GPU_KERNELS_FOLD_CUH
#define LT_GPU_KERNELS_FOLD_CUH

/* Distributes the elements of several outputs among the threads of a block, and merges the results of the threads.
** Row is one of the structs of accumulate.cuh. */

#include "gpu/kernels/accumulate.cuh"
#include "gpu/kernels/elements.cuh"
#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/reduce_args.cuh"

enum {
  W      = 16 / sizeof(in_t),                /* number of elements in a load of 16 bytes */
  U      = sizeof(in_t) == 1 ? 2 : 4,        /* number of loads of W elements that a thread has in flight; 64 bytes
                                             ** for each thread (32 if elements have 1 byte) hide the latency of the
                                             ** memory */
  SINGLE = 8                                 /* number of loads in flight if a thread loads single elements */
};

/* The work of a thread. The elements that are reduced to output number `output` are cut into chunks. The thread reads
** elements row, row + reduce_args.rows, row + 2 * reduce_args.rows … of chunk number `chunk`. */
struct place {
  int     row;                      /* -1 if the thread has no work */
  int64_t output, chunk;
};

INLINE place find_place(const reduce_args &p) {
  int t = (int)threadIdx.x, column = p.across ? t % p.columns : t / p.rows, row = p.across ? t / p.columns : t % p.rows;
  unsigned many = (unsigned)(p.across ? p.tiles : p.chunks), slow = blockIdx.x / many, fast = blockIdx.x % many;
  int64_t output = (int64_t)(p.across ? fast : slow) * p.columns + column;
  bool idle = row >= p.rows || column >= p.columns || output >= p.outputs;
  return place{idle ? -1 : row, output, p.across ? slow : fast};
}

INLINE int64_t begin_of_chunk(const reduce_args &p, int64_t chunk) { return chunk * p.chunk; }
INLINE int64_t end_of_chunk(const reduce_args &p, int64_t chunk) {
  int64_t end = (chunk + 1) * p.chunk;
  return end < p.n ? end : p.n;
}

/* Merges the accumulators of all threads of an output. Every thread of the block must call this function. */
template <class Row> INLINE typename Row::A merge_rows(const reduce_args &p, typename Row::A a) {
  return p.across ? merge_columns<Row, REDUCE_THREADS>(a, p.columns, p.rows) : merge_group<Row>(a, p.rows);
}

/* Returns the address where the accumulator of a chunk is stored. The order of the accumulators in p.states is
** [output][chunk] or, if p.across is set, [chunk][output]. */
template <class A> INLINE A *state_of(const reduce_args &p, int64_t output, int64_t chunk, int64_t chunks) {
  return (A *)p.states + (p.across ? chunk * p.outputs + output : output * chunks + chunk);
}

/* ---- elements that are adjacent in memory ---- */

/* Accumulates in r, one at a time, the elements x[row], x[row + rows] … whose index is less than `count`. x[0] has
** position `first` among the reduced elements. */
template <class Row>
INLINE void fold_singles(typename Row::run &r, elements x, int count, int64_t first, int row, int rows) {
  for (int i = row; i < count; i += rows) {
    C one[1][1] = {{load(x[i])}};
    Row::fold(r, one, batch{1, first + i, 0});
  }
}

/* Accumulates in r the vectors number row, row + rows … of the `vectors` vectors that begin at x. A vector has W
** elements. x must be aligned to 16 bytes, and x[0] has position `first` among the reduced elements. */
template <class Row>
INLINE void fold_vectors(typename Row::run &r, elements x, int vectors, int64_t first, int row, int rows) {
  for (int i = row; i < vectors; i += U * rows) {
    pack<in_t, W> raw[U];
    C y[U][W];
    batch b = {0, first + (int64_t)i * W, (int64_t)rows * W};
#pragma unroll
    for (int u = 0; u < U; u++)
      if (i + u * rows < vectors) raw[u] = vector_of<W>(x, i + u * rows), b.count = u + 1;
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
      for (int w = 0; w < W; w++) y[u][w] = load(raw[u].at[w]);
    Row::fold(r, y, b);
  }
}

template <class Row>
INLINE void fold_run(typename Row::run &r, elements x, int count, int64_t first, int row, int rows) {
  int head = to_alignment(x);
  if (head > count) head = count;
  int vectors = (count - head) / W, done = head + vectors * W;
  fold_singles<Row>(r, x, head, first, row, rows);
  fold_vectors<Row>(r, x + head, vectors, first + head, row, rows);
  fold_singles<Row>(r, x + done, count - done, first + done, row, rows);
}

/* Accumulates in r this thread's share of the reduced elements begin … end - 1 of an output. x is the address of the
** output's element 0, and `row` is the thread's number among the p.rows threads of the output. The elements along the
** innermost dim are adjacent in memory. */
template <class Row>
INLINE void fold_runs(typename Row::run &r, const reduce_args &p, elements x, int64_t begin, int64_t end, int row) {
  int64_t length = p.reduced.ndim <= 1 ? p.n : p.reduced.length[p.reduced.ndim - 1];
  for (int64_t i = begin, stop; i < end; i = stop) {
    stop = p.reduced.ndim <= 1 ? end : i - i % length + length;
    if (stop > end) stop = end;
    fold_run<Row>(r, x + nest_offset(p.reduced, 0, i), (int)(stop - i), i, row, p.rows);
  }
}

/* ---- elements with any strides ---- */

template <class Row> INLINE void fold_batch(typename Row::run &r, const in_t (&raw)[SINGLE], const batch &b) {
  C y[SINGLE][1];
#pragma unroll
  for (int u = 0; u < SINGLE; u++) y[u][0] = load(raw[u]);
  Row::fold(r, y, b);
}

/* Accumulates in r the elements number row, row + rows … of `count` elements that are `stride` apart in memory. Element
** number 0 is *x and has position `first` among the reduced elements. */
template <class Row>
INLINE void fold_strided(typename Row::run &r, elements x, int64_t stride, int count, int64_t first, int row,
                         int rows) {
  int64_t step = rows * stride;
  x += row * stride;
  for (int i = row; i < count; i += SINGLE * rows) {
    in_t raw[SINGLE];
    batch b = {0, first + i, rows};
#pragma unroll
    for (int u = 0; u < SINGLE; u++, x += step)
      if (i + u * rows < count) raw[u] = *x, b.count = u + 1;
    fold_batch<Row>(r, raw, b);
  }
}

/* Accumulates in r the elements first + row, first + row + rows … up to first + count - 1 of a loop nest with several
** dims. x is the address of the nest's element 0. */
template <class Row>
INLINE void fold_nest(typename Row::run &r, elements x, const gpu_nest &nest, int count, int64_t first, int row,
                      int rows) {
  for (int i = row; i < count; i += SINGLE * rows) {
    in_t raw[SINGLE];
    batch b = {0, first + i, rows};
#pragma unroll
    for (int u = 0; u < SINGLE; u++)
      if (i + u * rows < count) raw[u] = x[nest_offset(nest, 0, first + i + u * rows)], b.count = u + 1;
    fold_batch<Row>(r, raw, b);
  }
}

/* Accumulates in r the elements begin + row, begin + row + p.rows … up to end - 1 of an output's reduced elements. x is
** the address of the output's element 0. */
template <class Row>
INLINE void fold_anywhere(typename Row::run &r, const reduce_args &p, elements x, int64_t begin, int64_t end,
                          int row) {
  int count = (int)(end - begin);
  int64_t stride = p.reduced.stride[0][0];
  if (p.reduced.ndim > 1) fold_nest<Row>(r, x, p.reduced, count, begin, row, p.rows);
  else fold_strided<Row>(r, x + begin * stride, stride, count, begin, row, p.rows);
}

#endif
