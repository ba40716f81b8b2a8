#ifndef LT_LUA_MEMORY_H
#define LT_LUA_MEMORY_H

/* New tensors on the Lua stack, and their end. */

#include "lua/cancel.h"
#include "op/op.h"

/* The userdata of a tensor. `class` is &tensor_class from its making until its collection: comparing it takes a
** tenth of the time that looking up the metatable takes, and no memory of another library can hold it. */
typedef struct tensor_userdata {
  tensor      tensor;
  bool        needs_grad, is_leaf;     /* for autograd (autograd/autograd.c), as all below. Made by a script: a leaf */
  bool        held;                    /* a gradient whose handle autograd alone has: no script has seen it */
  int         output;                  /* which result of its node this is; the node is the user value */
  const void *class;
} tensor_userdata;

/* New tensor on the stack with fresh memory (not zeroed). Userdata first, then storage: collection
** and one retry on out of memory, then the error. */
tensor *push_tensor(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where);

/* Makes room on a device: collects garbage, also where the script stopped the collector, and empties the cache. */
void reclaim(lua_State *L, place where);

/* st = call, which runs an op on `where` and may be ended early. Where there is no room for its scratch memory, once more after reclaim:
** an op that returns ERR_MEMORY has changed nothing. (A macro: `call` is evaluated a second time.) */
#define TRY(L, where, st, call) \
  (WATCHED(L, st, call), (st) == ERR_MEMORY ? (reclaim(L, where), WATCHED(L, st, call)) : (void)0)
#define WATCHED(L, st, call) (cancel_watch(is_cancelled, L), (st) = (call), cancel_unwatch())

/* New tensor on the stack without storage, for the caller to fill in. */
tensor *push_empty(lua_State *L);

/* Tensors that are made while a scope is open and not what comes of it end with it. One is open at a time, on a thread;
** what finalizers and debug hooks make is none of it. */
enum { SCOPE = 64 };                                         /* beyond that the collector finds them */
typedef struct scope { int n; bool hooked; lua_State *thread; tensor_userdata *made[SCOPE]; } scope;

scope *scope_open(lua_State *L, scope *s);                   /* NULL: another one is */
void   scope_close(lua_State *L, scope *s, int result);      /* result: a tensor, or a table of them; s may be NULL */
scope *scope_current(void);                                  /* the open one, or NULL */
void   scope_leave(scope *outer);                            /* after an error: outer was open before */
void   scope_forget(const tensor_userdata *u);               /* it is collected */

/* New tensor on the stack that is a view of base; set shape, stride, offset, count after. */
tensor *push_view(lua_State *L, const tensor *base);

#endif
