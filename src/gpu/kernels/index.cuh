#ifndef LT_GPU_KERNELS_INDEX_CUH
#define LT_GPU_KERNELS_INDEX_CUH

/* Where a position of an index call is on both sides. WIDE is 1 where positions or keys need 64 bits; DIMS and SOURCES
** are how many dims and index tensors there is room for: few, so that a call is short and loops over them are unrolled,
** or all. */

#include "gpu/kernels/late.cuh"

#if WIDE
typedef uint64_t position;
#else
typedef uint32_t position;
#endif

/* index.c writes the same, as 64-bit words. The sides of a call, in elements (or units of several): */
enum { SIDE_VALUE, SIDE_TARGET, SIDE_KEY, SIDE_PICK, SIDES };
/* key: which element of the target, those that no index picks left out, numbered without gaps
** pick: which position, the dims along which no index moves left out */

struct index_dim {
  int64_t  length;
  uint64_t reciprocal;                  /* 2^64 / length, rounded up */
  int64_t  step[SIDES];
  int64_t  index[SOURCES];              /* in the index tensors */
};

struct index_source {
  const int64_t *data;
  int64_t length;                       /* of the indexed dim */
  int64_t target, key;                  /* what a step in it is */
  int64_t what;                         /* gpu_note()'s number */
};

struct index_plan {
  int64_t   count;                      /* positions */
  int64_t   ndim, nindex;
  gpu_late *late;
  index_dim    dim[DIMS];
  index_source source[SOURCES];
};

enum { UNROLLED = DIMS <= 4 ? DIMS : 1 };

/* i / length; exact for 32 bits (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019) */
INLINE position divide(position i, const index_dim &d) {
#if WIDE
  return i / (uint64_t)d.length;
#else
  return (position)(((d.reciprocal >> 32) * i + ((d.reciprocal & 0xffffffff) * i >> 32)) >> 32);
#endif
}

struct place {
  int64_t side[SIDES];
  int64_t from[SOURCES];                /* elements of the index tensors */
};

/* Position i of dims 0 … ndim - 1, before the indices are looked at. */
INLINE place walk(const index_plan &p, int ndim, position i) {
  place at = {};
#pragma unroll UNROLLED
  for (int d = DIMS - 1; d >= 0; d--) {
    if (d >= ndim) continue;
    position rest = d > 0 ? divide(i, p.dim[d]) : 0;
    int64_t here = i - rest * (position)p.dim[d].length;
#pragma unroll
    for (int s = 0; s < SIDES; s++) at.side[s] += here * p.dim[d].step[s];
#pragma unroll UNROLLED
    for (int k = 0; k < SOURCES; k++) at.from[k] += here * p.dim[d].index[k];
    i = rest;
  }
  return at;
}

/* Adds what the indices say of N positions; where one is out of range, fits is false. Without branches in the inner
** loops, so that the loads of all N are on their way together. */
template <int N> INLINE void look_up(const index_plan &p, place (&at)[N], bool (&fits)[N]) {
  for (int i = 0; i < N; i++) fits[i] = true;
#pragma unroll UNROLLED
  for (int k = 0; k < SOURCES; k++) {
    if (k >= p.nindex) continue;
    const index_source &x = p.source[k];
    int64_t v[N];
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = x.data[at[i].from[k]];
#pragma unroll
    for (int i = 0; i < N; i++) {
      int64_t in = v[i] + (v[i] < 0 ? x.length : -1);
      fits[i] &= (uint64_t)in < (uint64_t)x.length;
      at[i].side[SIDE_TARGET] += in * x.target;
      at[i].side[SIDE_KEY] += in * x.key;
    }
  }
}

/* Position i of dims 0 … ndim - 1; false: an index is out of range. */
INLINE bool locate(const index_plan &p, int ndim, position i, place *found) {
  place at[1] = {walk(p, ndim, i)};
  bool fits[1];
  look_up(p, at, fits);
  *found = at[0];
  return fits[0];
}

/* Says which of the indices of position i of the first ndim dims are out of range. */
RARE void complain(const index_plan &p, int ndim, position i) {
  place at = walk(p, ndim, i);
  for (int k = 0; k < p.nindex; k++) {
    const index_source &x = p.source[k];
    int64_t v = x.data[at.from[k]], in = v + (v < 0 ? x.length : -1);
    if ((uint64_t)in >= (uint64_t)x.length) report_late(p.late, (int)x.what, at.from[k], v);
  }
}

#endif
