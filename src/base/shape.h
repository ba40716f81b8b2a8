#ifndef LT_BASE_SHAPE_H
#define LT_BASE_SHAPE_H

/* Shapes, strides, broadcasting, plans: integers only, no data. */

#include "base/calls.h"
#include "base/status.h"

typedef struct shape {
  int     ndim;
  int64_t dim[MAX_DIMS];
} shape;

bool shape_equal(const shape *a, const shape *b);

/* Number of elements into *count; ERR_OVERFLOW when the bytes (of elements of `size`) do not fit. */
int shape_count(const shape *s, int size, int64_t *count);

/* Row-major strides in elements. */
void shape_strides(const shape *s, int64_t *stride);

/* True if walking `stride` over `s` visits a contiguous row-major block. Dims of length 1 do not count. */
bool shape_is_contiguous(const shape *s, const int64_t *stride);

/* Widens `into` by `with`, the standard's rules; ERR_BROADCAST, ERR_NDIM. */
int shape_broadcast(shape *into, const shape *with);

/* Strides of a tensor {from, stride} seen as shape `to`: 0 where it is stretched. ERR_BROADCAST. */
int shape_expand(const shape *from, const int64_t *stride, const shape *to, int64_t *out);

/* Strides for the same elements in shape `to` without a copy; false: a copy is needed. */
bool shape_reshape(const shape *from, const int64_t *stride, const shape *to, int64_t *out);

/* Plan over `s`; add operands with plan_operand (stride NULL: a scalar, all 0), then collapse. */
void plan_init(plan *p, const shape *s);
void plan_operand(plan *p, int k, const int64_t *stride);
/* Plan over the lines of `s` along a dim, which is left out of the n operands' strides, too; stride NULL: all 0. */
void plan_lines(plan *p, const shape *s, int dim, int n, const int64_t *const *stride);
/* Drops dims of length 1 and merges neighbours; looks at the first `noperands` stride rows. */
void plan_collapse(plan *p, int noperands);

#endif
