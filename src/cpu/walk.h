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

/* ---- repeated results ----
** If all inputs of a call have stride 0 in a dim, the results along this dim are equal. The call then computes the results
** at the first position of the dim, and copies them to the other positions. */

enum { REPEAT_LEAST = 1 << 12 };    /* the fewest elements that need not be computed: a further call takes as long as
                                    ** about 500 logarithms of float64 */

/* Returns a dim in which operands 1 … noperands - 1 have stride 0, if it has enough repeated results. Otherwise returns
** -1. A result is computed from `each` elements. */
static inline int repeated_dim(const plan *p, int noperands, int64_t each) {
  for (int d = 0; d < p->ndim; d++) {
    bool repeats = true;
    for (int k = 1; k < noperands; k++) repeats &= p->stride[k][d] == 0;
    if (repeats && (p->count - p->count / p->shape[d]) * each >= REPEAT_LEAST) return d;
  }
  return -1;
}

/* Removes dim d from a plan of `noperands` operands. */
static inline void drop_dim(plan *p, int noperands, int d) {
  size_t bytes = (size_t)(p->ndim - d - 1) * sizeof *p->shape;
  p->count /= p->shape[d];
  memmove(p->shape + d, p->shape + d + 1, bytes);
  for (int k = 0; k < noperands; k++) memmove(p->stride[k] + d, p->stride[k] + d + 1, bytes);
  p->ndim--;
}

/* Returns the call that copies the results at the first position of dim d to the other positions, and sets *others to
** its plan. Operand 0 of plan p is `out`. */
static inline map_call copy_of_first(const operand *out, const plan *p, int d, plan *others) {
  map_call c = {.op = OP_positive, .compute = out->dtype, .nin = 1, .plan = others, .out = *out, .in = {*out}};
  *others = *p;
  memcpy(others->stride[1], p->stride[0], sizeof p->stride[0]);
  others->stride[1][d] = 0;
  others->count = p->count / p->shape[d] * (p->shape[d] - 1);
  c.out.data = (char *)out->data + p->stride[0][d] * dtype_size(out->dtype);
  if (--others->shape[d] == 1) drop_dim(others, 2, d);
  return c;
}

#endif
