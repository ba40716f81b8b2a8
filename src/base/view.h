#ifndef LT_BASE_VIEW_H
#define LT_BASE_VIEW_H

/* Functions that change the shape, strides and offset of a tensor, but not its elements. Dims and positions are
** 0-based; callers have checked the arguments. */

#include "base/tensor.h"

void view_select(tensor *t, int dim, int64_t i);                       /* selects element i of dim and removes the
                                                                       ** dim */
void view_range(tensor *t, int dim, int64_t first, int64_t step, int64_t count);   /* selects `count` elements from
                                                                                   ** `first` on; step may be any
                                                                                   ** number except 0 */
int  view_insert(tensor *t, int dim, int64_t n, int64_t stride);       /* inserts a dim of length n at position `dim`;
                                                                       ** returns OK or ERR_NDIM */
void view_remove(tensor *t, int dim);                                  /* removes a dim; offset and count stay the
                                                                       ** same */
void view_move(tensor *t, int from, int to);                           /* moves a dim; the other dims keep their
                                                                       ** order */
void view_permute(tensor *t, const int *order);                        /* reorders dims: new dim d becomes old dim
                                                                       ** order[d] */
void view_swap(tensor *t, int a, int b);
/* replaces dims `rows` and `columns` by their diagonal, which becomes the last dim; offset: columns to the right of
** the main diagonal (negative: rows below) */
void view_diagonal(tensor *t, int rows, int columns, int64_t offset);
int  view_broadcast(tensor *t, const shape *to);                       /* stretches dims of length 1 to shape `to`;
                                                                       ** returns OK or ERR_BROADCAST */
/* changes the shape to one with the same count; returns false if a copy is necessary */
bool view_reshape(tensor *t, const shape *to);

#endif
