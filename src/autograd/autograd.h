#ifndef LT_AUTOGRAD_AUTOGRAD_H
#define LT_AUTOGRAD_AUTOGRAD_H

/* Declarations that the files of this folder share: the data of autograd in a Lua state, and functions that test and
** change tensors. */

#include "lua/args.h"

/* Autograd's part of a Lua state, a userdata. User value STATE_RULES is a table that maps the name of an op to its
** rule. */
enum { STATE_RULES = 1, STATE_VALUES = STATE_RULES };
typedef struct grad_state {
  uint64_t seq;
  scope    made;               /* the tensors that a rule makes while it runs */
} grad_state;

/* Pushes autograd's part of the Lua state, and returns its address. */
grad_state *push_state(lua_State *L);

static inline tensor_userdata *test_userdata(lua_State *L, int i) {
  return test_tensor(L, i) ? lua_touserdata(L, i) : NULL;
}

/* True if tensors of this dtype can need gradients. */
static inline bool can_need(enum dtype d) { return dtype_kind(d) >= KIND_FLOAT; }

/* Starts recording ops, in all Lua states of the process. */
void start_recording(void);

/* Makes the tensor u, at stack index i, a constant: no gradient flows through the tensor. */
void make_constant(lua_State *L, int i, tensor_userdata *u);

/* While a graph is captured, remembers the gradient of the leaf at stack index `leaf` before its first change. */
void note_gradient(lua_State *L, int leaf);

/* Assignments x.grad = g and x.requires_grad = flag. x is at stack index 1, the new value at stack index 3. */
int set_grad(lua_State *L);
int set_requires_grad(lua_State *L);

#endif
