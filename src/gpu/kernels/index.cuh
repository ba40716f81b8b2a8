#ifndef LT_GPU_KERNELS_INDEX_CUH
#define LT_GPU_KERNELS_INDEX_CUH

/* Finds the elements to which a position of an index call refers. WIDE is 1 if positions or keys need 64 bits. A plan
** has space for DIMS dims and SOURCES index tensors. Small numbers make the kernel's parameters short and let the
** compiler unroll loops. In the variant for large plans, DIMS and SOURCES are both MAX_DIMS. */

#include "gpu/kernels/late.cuh"

#if WIDE
typedef uint64_t position;
#else
typedef uint32_t position;
#endif

/* For each dim, a plan has one step for each of these: the values, the target, the keys and the picks. Steps are
** counted in elements, or in units of several elements. gpu/index.c writes an index_plan as 64-bit words. */
enum { SIDE_VALUE, SIDE_TARGET, SIDE_KEY, SIDE_PICK, SIDES };
/* All elements of the target that indices can select are numbered from 0 without gaps; a key is such a number. A pick
** is the number of a position, counted only along the dims with indices. */

struct index_dim {
  int64_t  length;
  uint64_t reciprocal;                  /* 2^64 / length, rounded up; used to divide by length */
  int64_t  step[SIDES];
  int64_t  index[SOURCES];              /* the dim's stride in each index tensor, in elements */
};

struct index_source {
  const int64_t *data;
  int64_t length;                       /* number of elements of the indexed dim */
  int64_t target, key;                  /* steps along the indexed dim: in the target, and in keys */
  int64_t what;                         /* number that gpu_note returned, for errors */
};

struct index_plan {
  int64_t   count;                      /* number of positions */
  int64_t   ndim, nindex;
  gpu_late *late;
  index_dim    dim[DIMS];
  index_source source[SOURCES];
};

enum { UNROLLED = DIMS <= 4 ? DIMS : 1 };

/* Returns i / length. The result is exact for all 32-bit i (Lemire, Kaser, Kurz, "Faster remainder by direct
** computation", 2019). */
INLINE position divide(position i, const index_dim &d) {
#if WIDE
  return i / (uint64_t)d.length;
#else
  return (position)(((d.reciprocal >> 32) * i + ((d.reciprocal & 0xffffffff) * i >> 32)) >> 32);
#endif
}

struct place {
  int64_t side[SIDES];
  int64_t from[SOURCES];                /* offsets in the index tensors, in elements */
};

/* Returns the offsets of position number i (row-major) of dims 0 … ndim - 1. look_up later adds the offsets that the
** indices determine. */
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

/* Adds the offsets that the indices of N positions determine to at[0 … N - 1]. Sets fits[i] to false if an index of
** position i is out of range. The inner loops have no branches, so that the loads of all N positions are in flight
** together. */
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

/* Finds the offsets of position i of dims 0 … ndim - 1, including the indices. Returns false if an index is out of
** range. */
INLINE bool locate(const index_plan &p, int ndim, position i, place *found) {
  place at[1] = {walk(p, ndim, i)};
  bool fits[1];
  look_up(p, at, fits);
  *found = at[0];
  return fits[0];
}

/* Reports each index of position i of dims 0 … ndim - 1 that is out of range. */
RARE void complain(const index_plan &p, int ndim, position i) {
  place at = walk(p, ndim, i);
  for (int k = 0; k < p.nindex; k++) {
    const index_source &x = p.source[k];
    int64_t v = x.data[at.from[k]], in = v + (v < 0 ? x.length : -1);
    if ((uint64_t)in >= (uint64_t)x.length) report_late(p.late, (int)x.what, at.from[k], v);
  }
}

#endif
