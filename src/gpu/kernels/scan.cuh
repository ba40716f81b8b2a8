/* Running sums, products, extremes along lines. A unit is a SCAN row of ops.def (OP), whose reduction is TOTAL, for
** elements stored as IN, computed as COMPUTE, stored as OUT. Lines that few threads would walk are cut into segments,
** whose totals reduce.cuh has left. */

#define KERNEL_THREADS 256

#include "accumulate.cuh"
#include "scan_tools.cuh"
#include "scan_args.cuh"
#include "stored.cuh"

/* Results: sums and products of integers are wide; floats, summed in double, are stored as they came. */
template <class C> struct running             { typedef typename wide<C>::type WIDE; typedef C SAME; };
template <>        struct running<float>      { typedef float WIDE, SAME; };

#define SCAN(name, reduction, dtypes, accumulator_, init_, step_, doc)                             \
  template <class C_> struct scan_##name {                                                         \
    typedef C_ C;                                                                                  \
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

/* Total of a segment. */
INLINE A total_of(const scan_args &p, int64_t line, int segment) {
  return ((const A *)p.states)[p.across ? segment * p.lines + line : line * p.segments + segment];
}

/* A segment of a line. */
struct stretch {
  const in_t *x;
  out_t      *out;
  int         count;
};

INLINE stretch find_stretch(const scan_args &p, int64_t line, int segment) {
  int64_t begin = segment * p.segment, rest = p.n - begin;
  const in_t *x = (const in_t *)p.in + nest_offset(p.outer, 1, line) + begin * p.in_stride;
  out_t *out = (out_t *)p.out + nest_offset(p.outer, 0, line) + (begin + p.initial) * p.out_stride;
  if (p.initial && begin == 0) out[-p.out_stride] = result(Row::init());      /* all threads of it: the same value */
  return stretch{x, out, (int)(rest < p.segment ? rest : p.segment)};
}

/* ---- lines whose elements lie closer together than the lines: a warp or a block a segment ---- */

/* V elements from number i on, those from `count` on as 0: what comes after them is not stored. */
INLINE void load_items(C (&x)[V], const stretch &s, int64_t stride, int i, bool aligned) {
  if (aligned && i + V <= s.count) {
    pack<in_t, V> raw = *(const pack<in_t, V> *)(s.x + i);
    _Pragma("unroll") for (int v = 0; v < V; v++) x[v] = load(raw.at[v]);
  } else {
    _Pragma("unroll") for (int v = 0; v < V; v++) x[v] = i + v < s.count ? load(s.x[(i + v) * stride]) : (C)0;
  }
}

INLINE void store_items(const A (&a)[V], const stretch &s, int64_t stride, int i, bool aligned) {
  if (aligned && i + V <= s.count) {
    pack<out_t, V> raw;
    _Pragma("unroll") for (int v = 0; v < V; v++) raw.at[v] = result(a[v]);
    *(pack<out_t, V> *)(s.out + i) = raw;
  } else {
    _Pragma("unroll") for (int v = 0; v < V; v++) if (i + v < s.count) s.out[(i + v) * stride] = result(a[v]);
  }
}

/* Running results of what the threads of a warp or block have, U vectors a lane, a warp behind the other; `before` is the
** result of all that came before, and moves on. */
INLINE void scan_tile(A (&a)[U][V], const C (&x)[U][V], bool block, A *before) {
  A prefix[U], of_warp = Row::init(), all;
  _Pragma("unroll") for (int u = 0; u < U; u++) {
    A sum = Row::init();
    _Pragma("unroll") for (int v = 0; v < V; v++) a[u][v] = sum = Row::step(sum, x[u][v]);
    prefix[u] = Row::merge(of_warp, scan_lanes_before<Row>(sum, &all));
    of_warp = Row::merge(of_warp, all);
  }
  A warps = *before;
  all = of_warp;
  if (block) warps = Row::merge(warps, scan_warps_before<Row>(of_warp, &all));
  *before = Row::merge(*before, all);
  _Pragma("unroll") for (int u = 0; u < U; u++) {
    A start = Row::merge(warps, prefix[u]);
    _Pragma("unroll") for (int v = 0; v < V; v++) a[u][v] = Row::merge(start, a[u][v]);
  }
}

INLINE void scan_stretch(const scan_args &p, const stretch &s, A before) {
  int thread = (int)threadIdx.x % p.threads, first = (thread / WARP * U * WARP + lane_in_warp()) * V;
  bool x_aligned = p.in_stride == 1 && (size_t)s.x % sizeof(pack<in_t, V>) == 0;
  bool out_aligned = p.out_stride == 1 && (size_t)s.out % sizeof(pack<out_t, V>) == 0;
  for (int i = first; i - first < s.count; i += p.threads * U * V) {
    C x[U][V];
    A a[U][V];
    _Pragma("unroll") for (int u = 0; u < U; u++) load_items(x[u], s, p.in_stride, i + u * WARP * V, x_aligned);
    scan_tile(a, x, p.threads > WARP, &before);
    _Pragma("unroll") for (int u = 0; u < U; u++) store_items(a[u], s, p.out_stride, i + u * WARP * V, out_aligned);
  }
}

/* Of the segments before this one, for every thread of the block. */
INLINE A segments_before(const scan_args &p, int64_t line, int segment) {
  A a = Row::init();
  for (int k = (int)threadIdx.x; k < segment; k += p.threads) a = Row::merge(a, total_of(p, line, k));
  return merge_group<Row>(a, p.threads);
}

/* A line that is cut has blocks, not warps, for its segments. */
KERNEL_COOPERATIVE(scan_rows)(scan_args p) {
  int segment = (int)(blockIdx.x % (unsigned)p.segments), groups = SCAN_THREADS / p.threads;
  int64_t line = (int64_t)(blockIdx.x / (unsigned)p.segments) * groups + threadIdx.x / p.threads;
  A before = p.segments > 1 ? segments_before(p, line, segment) : Row::init();
  if (line >= p.lines) return;
  stretch s = find_stretch(p, line, segment);
  scan_stretch(p, s, before);
}

/* ---- lines that lie closer together than their elements: a thread a segment ---- */

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
