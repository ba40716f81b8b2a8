#ifndef LT_CPU_WALK_H
#define LT_CPU_WALK_H

/* Walks through the elements of a plan (a nest of loops) in row-major order. A `walk` holds the coordinates of the
** current element, and the offsets of up to two operands in elements. */

#include <string.h>

#include "cpu/cpu.h"

typedef struct walk {
  int64_t at[MAX_DIMS];
  int64_t offset[2];
} walk;

/* Sets *w to element number `position` of the plan, counted from 0 in row-major order. Computes the offsets of operands
** 0 … noperands - 1 (at most 2). */
static inline void walk_to(walk *w, const plan *p, int noperands, int64_t position) {
  w->offset[0] = w->offset[1] = 0;
  for (int d = p->ndim - 1; d >= 0; d--) {
    w->at[d] = position % p->shape[d];
    position /= p->shape[d];
    for (int k = 0; k < noperands; k++) w->offset[k] += w->at[d] * p->stride[k][d];
  }
}

/* Returns the number of elements from the current element to the end of the innermost dim. */
static inline int64_t walk_run(const walk *w, const plan *p) {
  return p->ndim == 0 ? 1 : p->shape[p->ndim - 1] - w->at[p->ndim - 1];
}

/* Advances by n steps along dim d, at most to the end of this dim. */
static inline void walk_along(walk *w, const plan *p, int noperands, int d, int64_t n) {
  w->at[d] += n;
  for (int k = 0; k < noperands; k++) w->offset[k] += n * p->stride[k][d];
  for (; d > 0 && w->at[d] == p->shape[d]; d--) {
    w->at[d] = 0;
    w->at[d - 1]++;
    for (int k = 0; k < noperands; k++) w->offset[k] += p->stride[k][d - 1] - p->shape[d] * p->stride[k][d];
  }
}

/* Advances by n elements. n must be at most the result of walk_run. */
static inline void walk_step(walk *w, const plan *p, int noperands, int64_t n) {
  if (p->ndim > 0) walk_along(w, p, noperands, p->ndim - 1, n);
}

static inline int64_t inner_stride(const plan *p, int k) { return p->ndim == 0 ? 1 : p->stride[k][p->ndim - 1]; }
static inline int64_t inner_length(const plan *p) { return p->ndim == 0 ? 1 : p->shape[p->ndim - 1]; }

/* Computes the offsets of a position in the plan's first three operands, in elements. Positions are in row-major
** order. */
static inline void plan_offsets(const plan *p, int64_t position, int64_t offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  for (int d = p->ndim - 1; d >= 0; d--) {
    int64_t at = position % p->shape[d];
    position /= p->shape[d];
    for (int k = 0; k < 3; k++) offset[k] += at * p->stride[k][d];
  }
}

#endif
