#ifndef LT_LUA_ARRAY_SELECT_H
#define LT_LUA_ARRAY_SELECT_H

/* The selection that the key in x[key] makes. */

#include "lua/args.h"

/* An index tensor, or a mask over `ndim` dims. A 0-d mask is a mask over a new dim of length 1. */
typedef struct picker {
  const tensor *t;
  int dim, ndim;            /* dim: the first dim of the view to which the index applies; ndim: the number of dims */
  int source;               /* the 0-based dim of x, for error messages */
} picker;

/* The placing of the advanced indices (numbers and index tensors) among the items of the key in x[key], as far as the
** items have been read. NONE_YET: there was no advanced index. TOGETHER: all are adjacent, and the last item is one.
** ENDED: all are adjacent, and another item follows them. SEPARATED: another item is between two of them. */
enum placing { NONE_YET, TOGETHER, ENDED, SEPARATED };

/* The selection by the items read so far: a view, and index tensors for some of its dims. */
typedef struct selection {
  const tensor *x;
  tensor view;              /* shares x's storage, but is not counted as a reference */
  int source;               /* dim of x to which the next item applies */
  int dim;                  /* dim of the view to which the next item applies */
  int npickers;
  picker pickers[MAX_DIMS];
  enum placing placing;
  int before;               /* number of dims of the view without an index before the first advanced index */
  int plain;                /* number of dims of the view without an index so far */
} selection;

/* Finds the part of the tensor at index 1 that the key at index 2 selects. Tensors of the key stay on the stack,
** because a finalizer may remove them from the script's table. */
void select_key(lua_State *L, selection *s);

#endif
