#ifndef LT_BASE_SHAPE_H
#define LT_BASE_SHAPE_H

/* Shapes, strides, broadcasting and plans. These functions compute with integers and do not access tensor data. */

#include <stdlib.h>

#include "base/calls.h"
#include "base/status.h"

typedef struct shape {
  int     ndim;
  int64_t dim[MAX_DIMS];
} shape;

bool shape_equal(const shape *a, const shape *b);

/* Stores the number of elements in *count. Fails with ERR_OVERFLOW if the size in bytes (elements × `size`) overflows
** int64_t. */
int shape_count(const shape *s, int size, int64_t *count);

/* Writes the row-major strides of shape s, in elements. */
void shape_strides(const shape *s, int64_t *stride);

/* Writes the strides of a block of shape s without gaps whose dims have the same order in memory as the dims of a tensor
** with the strides `like`. Returns false if `like` has no order, because a dim with several elements has stride 0. */
bool shape_strides_like(const shape *s, const int64_t *like, int64_t *stride);

/* True if a tensor of shape s with these strides is a contiguous row-major block. The strides of dims of length 1 are
** ignored. */
bool shape_is_contiguous(const shape *s, const int64_t *stride);

/* Broadcasts the shapes `into` and `with` by the array API standard's rules, and stores the resulting shape in `into`.
** Returns OK or ERR_BROADCAST. */
int shape_broadcast(shape *into, const shape *with);

/* Computes the strides of a tensor {from, stride} that is broadcast to shape `to`; stretched dims get stride 0.
** Returns OK or ERR_BROADCAST. */
int shape_expand(const shape *from, const int64_t *stride, const shape *to, int64_t *out);

/* Computes the strides `out` of a view that has shape `to` and the elements of {from, stride} in unchanged row-major
** order. Returns false if there is no such view, so that a copy is necessary. */
bool shape_reshape(const shape *from, const int64_t *stride, const shape *to, int64_t *out);

/* Starts a plan over the dims of `s`. plan_operand sets the strides of operand k, or strides of 0 if `stride` is NULL
** (a scalar). plan_collapse finishes the plan. */
void plan_init(plan *p, const shape *s);
void plan_operand(plan *p, int k, const int64_t *stride);
/* Makes a plan over the lines of shape s along `dim`: a loop nest over all other dims. The n operands have the
** strides stride[k], or strides of 0 if stride[k] is NULL. */
void plan_lines(plan *p, const shape *s, int dim, int n, const int64_t *const *stride);
/* Drops dims of length 1, and merges neighbouring dims that the first `noperands` operands can traverse as one
** dim. */
void plan_collapse(plan *p, int noperands);

/* Returns the distance of neighbouring elements in a dim. Repeated elements (stride 0) count as the farthest, so that loops
** over them are outside of the loops over elements that are side by side. */
static inline int64_t stride_distance(int64_t stride) { return stride ? llabs(stride) : INT64_MAX; }

/* Makes the plan of `count` elements, at least 1, that are contiguous in each of the operands. */
void plan_contiguous(plan *p, int64_t count, int noperands);

#endif
