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

/* Stores the number of elements in *count. Fails with ERR_OVERFLOW if the number of bytes (for elements of
** `size`) overflows. */
int shape_count(const shape *s, int size, int64_t *count);

/* Row-major strides in elements. */
void shape_strides(const shape *s, int64_t *stride);

/* True if walking `stride` over `s` visits a contiguous row-major block. Dims of length 1 do not count. */
bool shape_is_contiguous(const shape *s, const int64_t *stride);

/* Broadcasts `into` with `with`, by the array API standard's rules. Fails with ERR_BROADCAST or ERR_NDIM. */
int shape_broadcast(shape *into, const shape *with);

/* Computes the strides of a tensor {from, stride} that is broadcast to shape `to`. They are 0 in stretched dims.
** Returns OK or ERR_BROADCAST. */
int shape_expand(const shape *from, const int64_t *stride, const shape *to, int64_t *out);

/* Computes the strides of the same elements in shape `to`. Returns false if a copy is necessary. */
bool shape_reshape(const shape *from, const int64_t *stride, const shape *to, int64_t *out);

/* Starts a plan over `s`. plan_operand adds an operand; its stride may be NULL for a scalar, which has strides 0.
** plan_collapse finishes the plan. */
void plan_init(plan *p, const shape *s);
void plan_operand(plan *p, int k, const int64_t *stride);
/* Makes a plan over the lines of `s` along a dim. This dim is removed from the strides of the n operands, too. A stride
** of NULL means strides of 0. */
void plan_lines(plan *p, const shape *s, int dim, int n, const int64_t *const *stride);
/* Drops dims of length 1 and merges neighbouring dims, considering the first `noperands` rows of strides. */
void plan_collapse(plan *p, int noperands);

#endif
