#ifndef LT_LUA_RECORD_H
#define LT_LUA_RECORD_H

/* Functions that report an op to autograd before and after the op runs, so that gradients can be computed. */

#include <lua.h>

#include "op/op.h"

/* Parameters of a call, besides its tensors, that a gradient may need. A rule reads only the fields that its op
** sets. */
typedef struct op_params {
  uint32_t dims;                         /* the dims that are reduced or flipped: bit d is set for dim d */
  int      dim;                          /* a dim of the call, 0-based, or negative: counted from the end. Ops of nn
                                         ** store other integers here */
  bool     keepdim, flag;
  double   number[2];
  const int *order;                      /* the permutation of the dims; NULL: the op permutes no dims */
} op_params;

/* A call of an op, for autograd. Values are given by their index on the Lua stack, so that they can be kept alive. The
** results are at the top of the stack. */
typedef struct op_record {
  const char *name;                      /* name of the rule in lua/luatensor/gradients */
  const op_params *params;               /* NULL: the rule needs no parameters */
  int         nin;
  int         in[MAX_IN];                /* stack index of each input: tensor, number or boolean */
  short       nout;                      /* number of results; 0 means 1 */
  short       first, last;               /* range of arguments that the gradient may need; 0: there is none */
  bool        list;                      /* in[0] is a table whose elements are the inputs */
  bool        in_place;                  /* the output is a tensor of the caller, as in an in-place form or for option
                                         ** out */
} op_record;

/* The recorder: functions of autograd/autograd.c, which are set when a tensor of the process first requires a
** gradient. All these functions may raise Lua errors. */
typedef struct op_recorder {
  void (*record)(lua_State *L, const op_record *r);
  void (*check_write)(lua_State *L, const char *fn, int target);     /* target: a stack index, or 0 for option out */
  void (*keep)(lua_State *L, op_record *r, int target);
  void (*check_plain)(lua_State *L, const char *fn, int first, int last);
} op_recorder;
extern const op_recorder *the_recorder;

/* Returns the recorder, or NULL if nothing is recorded. Another state's thread may set the recorder concurrently. */
static inline const op_recorder *recorder(void) { return __atomic_load_n(&the_recorder, __ATOMIC_RELAXED); }

/* Called before an op writes to the value at stack index `target`. Raises an error if the value is a complex number and a
** graph is captured on the host, because the script may need the number before a replay. */
void check_constant(lua_State *L, const char *fn, int target);

/* Called before an op writes to argument 1: raises an error if gradients would be lost. (For option out, opt_out does
** this check.) */
static inline void check_in_place(lua_State *L, const char *fn) {
  if (storage_holder) check_constant(L, fn, 1);
  if (recorder()) recorder()->check_write(L, fn, 1);
}

/* Called before the op of record r writes to the tensor at stack index `target`. If the op's gradient needs the
** elements of inputs that share memory with this tensor, pushes copies of these inputs and puts the copies into r.
** After the op was recorded, free_kept must be called with the height that the stack had before this call. */
static inline void keep_overwritten_inputs(lua_State *L, op_record *r, int target) {
  if (recorder()) recorder()->keep(L, r, target);
}
void free_kept(lua_State *L, const op_record *r, int height);

/* Called before work that has no gradient: raises an error if one of the arguments first … last needs a gradient. */
static inline void check_plain(lua_State *L, const char *fn, int first, int last) {
  if (recorder()) recorder()->check_plain(L, fn, first, last);
}

/* Increments the version of an output that was written in place, and calls the recorder, if there is one. Returns 1,
** the number of results. */
int finish_record(lua_State *L, const op_record *r);

/* Like finish_record, for results without inputs: creation, random numbers, reading files and similar. */
int finish_op(lua_State *L, bool in_place);

/* Like finish_op, for a new tensor, which option requires_grad may make a leaf of a graph. */
int finish_made(lua_State *L, int options, const char *fn);

/* The option that finish_made reads, for the lists of options of functions that make tensors. */
#define MADE_OPTIONS "requires_grad"

/* ---- captured graphs ---- */

/* While a graph is captured, the address of this variable is the registry key of a table of the graph. The table's keys
** are the generators from which the graph draws, and the leaves whose gradients the captured function changes, with their
** gradients before (false: none). Its list has pairs of functions: a replay first calls the
** first function of each pair and, if it fails, the second one of each pair whose first it has called. */
extern const char captured_uses;

#endif
