#ifndef LT_LUA_RECORD_H
#define LT_LUA_RECORD_H

/* Every op's way out: what autograd learns of the op, before it runs and after. */

#include <lua.h>

#include "op/op.h"

/* Facts of a call, besides its tensors, that a gradient may need; every rule reads its own part. */
typedef struct op_params {
  uint32_t dims;                         /* those that were reduced, as bits */
  int      dim;                          /* 0-based */
  bool     keepdim, flag;
  double   number[2];
  const int *order;                      /* of the dims of a permutation; NULL: none */
} op_params;

/* A call of an op, for autograd. Values are named by their place on the Lua stack, so that they can be kept alive; the
** results are at the top. */
typedef struct op_record {
  const char *name;                      /* whose rule is its gradient, in lua/luatensor/gradients */
  const op_params *params;               /* or NULL */
  int         nin;
  int         in[MAX_IN];                /* stack index of each input: tensor, number or boolean */
  short       nout;                      /* results; 0 is 1 */
  short       first, last;               /* arguments that its gradient may need; 0: none */
  bool        list;                      /* in[0] is a table, whose elements are the inputs */
  bool        in_place;                  /* the output is a tensor of the caller's: in place, or option out */
} op_record;

/* Set while something may need gradients; each is autograd's, in autograd/autograd.c. All may raise Lua errors. */
typedef struct op_recorder {
  void (*record)(lua_State *L, const op_record *r);
  void (*check_write)(lua_State *L, const char *fn, int target);     /* target: a stack index, or 0: option out */
  void (*keep)(lua_State *L, op_record *r, int target);
  void (*check_plain)(lua_State *L, const char *fn, int first, int last);
} op_recorder;
extern const op_recorder *the_recorder;

/* NULL: nobody listens. (Another state's thread may just be setting it.) */
static inline const op_recorder *recorder(void) { return __atomic_load_n(&the_recorder, __ATOMIC_RELAXED); }

/* Before an op writes to argument 1: where gradients would be lost, an error. (Of option out: opt_out does it.) */
static inline void check_in_place(lua_State *L, const char *fn) {
  if (recorder()) recorder()->check_write(L, fn, 1);
}

/* Before the op of a record writes to the tensor at stack index `target`: inputs that share the memory of this tensor, and
** whose elements the op's gradient needs, are replaced by copies, which are pushed. free_kept: after the op was recorded,
** with the stack's height before. */
static inline void keep_overwritten_inputs(lua_State *L, op_record *r, int target) {
  if (recorder()) recorder()->keep(L, r, target);
}
void free_kept(lua_State *L, const op_record *r, int height);

/* Before work through which no gradient goes: arguments first … last must not need any. */
static inline void check_plain(lua_State *L, const char *fn, int first, int last) {
  if (recorder()) recorder()->check_plain(L, fn, first, last);
}

/* Raises the version of an output written in place and tells the recorder, if there is one. Returns the
** number of results, 1. */
int finish_record(lua_State *L, const op_record *r);

/* The same for results without inputs: creation, random numbers, reading files … */
int finish_op(lua_State *L, bool in_place);

/* The same for a new tensor that option requires_grad may make a leaf of a graph. */
int finish_made(lua_State *L, int options, const char *fn);

/* Names of options of functions that make tensors: finish_made reads it. */
#define MADE_OPTIONS "requires_grad"

#endif
