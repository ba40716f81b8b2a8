/* Scans along one dim: running sums, products and extremes. A line is the sequence of elements along this dim. The
** file is compiled for one SCAN row of ops.def (OP), for elements of dtype IN, computation in dtype COMPUTE, and
** results of dtype OUT. If there are too few lines to occupy the GPU, lines are cut into segments, whose totals
** reduce.cuh has computed before. */

#define KERNEL_THREADS 256
#define KERNEL_BLOCKS 3

#include "gpu/kernels/accumulate.cuh"
#include "gpu/kernels/scan_tools.cuh"
#include "gpu/kernels/scan_args.cuh"
#include "gpu/kernels/stored.cuh"

/* The types of results before they are stored. Sums and products of integers have 64 bits. Floats are summed in
** double, but the result has the type of the elements. */
template <class C> struct running             { typedef typename wide<C>::type WIDE; typedef C SAME; };
template <>        struct running<float>      { typedef float WIDE, SAME; };
template <>        struct running<complex64_t> { typedef complex64_t WIDE, SAME; };

#define SCAN(name, reduction, dtypes, accumulator_, init_, step_, doc)                             \
  template <class C> struct scan_##name {                                                          \
    typedef typename accumulator<C>::accumulator_ A;                                               \
    typedef typename running<C>::accumulator_ R;                                                   \
    INLINE A init() { return init_; }                                                              \
    INLINE A step(A a, C x) { return (A)(step_); }                                                 \
    INLINE A merge(A a, A b) { return row_##reduction<C>::merge(a, b); }                           \
  };
#include "ops.def"

typedef OP<C> Row;
typedef Row::A A;

enum { V = SCAN_ITEMS, U = SCAN_VECTORS, SINGLE = 8 };

INLINE out_t result(A a) { return store((Row::R)a); }

/* Returns the total of a segment, which reduce.cuh has computed. */
INLINE A total_of(const scan_args &p, int64_t line, int segment) {
  return ((const A *)p.states)[p.across ? segment * p.lines + line : line * p.segments + segment];
}

/* The elements of one segment of a line: the first input, the first output, and the number of elements. */
struct stretch {
  const in_t *x;
  out_t      *out;
  int         count;
};

INLINE stretch find_stretch(const scan_args &p, int64_t line, int segment) {
  int64_t begin = segment * p.segment, rest = p.n - begin;
  const in_t *x = (const in_t *)p.in + nest_offset(p.outer, 1, line) + begin * p.in_stride;
  out_t *out = (out_t *)p.out + nest_offset(p.outer, 0, line) + (begin + p.initial) * p.out_stride;
  /* all threads of the line write the same value */
  if (p.initial && begin == 0) out[-p.out_stride] = result(Row::init());
  return stretch{x, out, (int)(rest < p.segment ? rest : p.segment)};
}

/* ---- segments that a warp or a block scans ---- */

/* Used if the elements of a line are closer together than neighbouring lines. */

/* load_whole and load_part load a thread's elements of a tile: first V adjacent elements, then V elements that are NEXT
** elements later, and so on. load_whole requires that all elements exist and are aligned. load_part sets elements after
** the end of the segment to 0, and their results are not stored. All loads are in flight before the first loaded value
** is used. */
enum { NEXT = WARP * V };

INLINE void load_whole(C (&x)[U][V], const in_t *from) {
  pack<in_t, V> raw[U];
#pragma unroll
  for (int u = 0; u < U; u++) raw[u] = *(const pack<in_t, V> *)(from + u * NEXT);
#pragma unroll
  for (int u = 0; u < U; u++)
#pragma unroll
    for (int v = 0; v < V; v++) x[u][v] = load(raw[u].at[v]);
}

INLINE void load_part(C (&x)[U][V], const stretch &s, int64_t stride, int i) {
  in_t raw[U][V];
#pragma unroll
  for (int u = 0; u < U; u++)
#pragma unroll
    for (int v = 0; v < V; v++)
      if (i + u * NEXT + v < s.count) raw[u][v] = s.x[(i + u * NEXT + v) * stride];
#pragma unroll
  for (int u = 0; u < U; u++)
#pragma unroll
    for (int v = 0; v < V; v++) x[u][v] = i + u * NEXT + v < s.count ? load(raw[u][v]) : (C)0;
}

/* Stores the running results of x. start[u] is the result of all elements before x[u]. */
INLINE void store_items(const C (&x)[U][V], const A (&start)[U], const stretch &s, int64_t stride, int i, bool whole) {
#pragma unroll
  for (int u = 0; u < U; u++, i += NEXT) {
    pack<out_t, V> raw;
    A a = start[u];
#pragma unroll
    for (int v = 0; v < V; v++) raw.at[v] = result(a = Row::step(a, x[u][v]));
    if (whole) *(pack<out_t, V> *)(s.out + i) = raw;
    else
#pragma unroll
      for (int v = 0; v < V; v++) if (i + v < s.count) s.out[(i + v) * stride] = raw.at[v];
  }
}

/* Sets start[u] to the result of all elements before vector u of this thread. Each thread of the warp or block has U
** vectors. *before is the result of all elements before the tile; the function adds the tile's elements to *before.
** Elements are added twice, here and in store_items. To keep all sums instead would need so many registers that only
** two blocks, instead of three, would fit a multiprocessor. */
INLINE void scan_tile(A (&start)[U], const C (&x)[U][V], bool block, A *before) {
  A of_warp = Row::init(), all;
#pragma unroll
  for (int u = 0; u < U; u++) {
    A sum = Row::init();
#pragma unroll
    for (int v = 0; v < V; v++) sum = Row::step(sum, x[u][v]);
    start[u] = Row::merge(of_warp, scan_lanes_before<Row>(sum, &all));
    of_warp = Row::merge(of_warp, all);
  }
  A warps = *before;
  all = of_warp;
  if (block) warps = Row::merge(warps, scan_warps_before<Row>(of_warp, &all));
  *before = Row::merge(*before, all);
#pragma unroll
  for (int u = 0; u < U; u++) start[u] = Row::merge(warps, start[u]);
}

INLINE void scan_stretch(const scan_args &p, const stretch &s, A before) {
  int warp = (int)threadIdx.x % p.threads / WARP, first = warp * U * NEXT + lane_in_warp() * V;
  int tile = p.threads * U * V;
  bool x_aligned = p.in_stride == 1 && (size_t)s.x % sizeof(pack<in_t, V>) == 0;
  bool out_aligned = p.out_stride == 1 && (size_t)s.out % sizeof(pack<out_t, V>) == 0;
  for (int begin = 0; begin < s.count; begin += tile) {
    bool whole = begin + tile <= s.count;
    C x[U][V];
    A start[U];
    if (whole && x_aligned) load_whole(x, s.x + begin + first);
    else load_part(x, s, p.in_stride, begin + first);
    scan_tile(start, x, p.threads > WARP, &before);
    store_items(x, start, s, p.out_stride, begin + first, whole && out_aligned);
  }
}

/* Returns the merged totals of all segments of the line before segment number `segment`. Every thread of the block
** gets the result. */
INLINE A segments_before(const scan_args &p, int64_t line, int segment) {
  A a = Row::init();
  for (int k = (int)threadIdx.x; k < segment; k += p.threads) a = Row::merge(a, total_of(p, line, k));
  return merge_group<Row>(a, p.threads);
}

/* Scans segments by warps or blocks. If lines were cut into segments, each segment has a block. */
KERNEL_COOPERATIVE(scan_rows)(scan_args p) {
  int segment = (int)(blockIdx.x % (unsigned)p.segments), groups = SCAN_THREADS / p.threads;
  int64_t line = (int64_t)(blockIdx.x / (unsigned)p.segments) * groups + threadIdx.x / p.threads;
  A before = p.segments > 1 ? segments_before(p, line, segment) : Row::init();
  if (line >= p.lines) return;
  stretch s = find_stretch(p, line, segment);
  scan_stretch(p, s, before);
}

/* ---- segments that a thread scans ---- */

/* Used if neighbouring lines are closer together than the elements of a line. */

KERNEL(scan_columns)(scan_args p) {
  int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, line = thread % p.lines;
  int segment = (int)(thread / p.lines);
  if (segment >= p.segments) return;
  A a = Row::init();
  for (int k = 0; k < segment; k++) a = Row::merge(a, total_of(p, line, k));
  stretch s = find_stretch(p, line, segment);
  for (int i = 0; i < s.count; i += SINGLE) {
    in_t x[SINGLE];
    _Pragma("unroll") for (int u = 0; u < SINGLE; u++) if (i + u < s.count) x[u] = s.x[(i + u) * p.in_stride];
    _Pragma("unroll") for (int u = 0; u < SINGLE; u++)
      if (i + u < s.count) s.out[(i + u) * p.out_stride] = result(a = Row::step(a, load(x[u])));
  }
}
