#ifndef LT_BASE_VIEW_H
#define LT_BASE_VIEW_H

/* Changes to how a tensor walks its storage: integers only, 0-based, arguments already checked. */

#include "base/tensor.h"

void view_select(tensor *t, int dim, int64_t i);                       /* element i of dim, which goes */
void view_range(tensor *t, int dim, int64_t first, int64_t step, int64_t count);   /* any step but 0 */
int  view_insert(tensor *t, int dim, int64_t n, int64_t stride);       /* new dim before dim; ERR_NDIM */
void view_remove(tensor *t, int dim);                                  /* a dim of length 1 */
void view_move(tensor *t, int from, int to);                           /* the others keep their order */
void view_permute(tensor *t, const int *order);                        /* new dim d is old dim order[d] */
void view_swap(tensor *t, int a, int b);
void view_diagonal(tensor *t, int rows, int columns, int64_t offset);  /* both dims become one, the last */
int  view_broadcast(tensor *t, const shape *to);                       /* ERR_BROADCAST */
bool view_reshape(tensor *t, const shape *to);                         /* same count; false: a copy is needed */

#endif
