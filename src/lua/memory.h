#ifndef LT_LUA_MEMORY_H
#define LT_LUA_MEMORY_H

/* Functions that make new tensors on the Lua stack, and scopes that free tensors. */

#include "lua/cancel.h"
#include "op/deferral.h"

/* The userdata of a tensor. From the tensor's creation to its collection `class` is &tensor_class. Comparing `class`
** takes a tenth of the time of a metatable lookup, and no other library's userdata contains this address. */
typedef struct tensor_userdata {
  tensor      tensor;
  bool        needs_grad, is_leaf;     /* needs_grad, is_leaf, held and output are for autograd (autograd/autograd.c).
                                       ** is_leaf: false if an op that was recorded for gradients made the tensor */
  bool        held;                    /* a gradient that no script has seen: only autograd has the handle */
  int         output;                  /* which result of its graph node the tensor is; the node is the user value */
  const void *class;
} tensor_userdata;

/* Pushes a new tensor with new memory, which is not zeroed. The userdata is made before the storage. If memory is
** exhausted, garbage is collected and the allocation is retried once; then the error is raised. */
tensor *push_tensor(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where);

/* Pushes a new 0-d complex128 tensor on the host for a complex number: memory that no captured graph writes to. */
tensor *push_complex(lua_State *L, const char *fn);

/* Like push_tensor, for the result of job_compute_later: if deferred ops are recorded (lua/deferred.h), the tensor gets its
** memory only if the memory is needed. */
tensor *push_deferred(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where);
static inline tensor *push_tensor_later(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where) {
  return open_deferral ? push_deferred(L, fn, dtype, s, where) : push_tensor(L, fn, dtype, s, where);
}

/* Frees memory on a device: collects garbage, even if the script stopped the collector, and empties the cache. */
void reclaim(lua_State *L, place where);

/* Evaluates `call`, an expression that runs an op on `where`, and stores its status in st. The op may be cancelled. If
** the op's scratch memory cannot be allocated, or a device asks for a collection, TRY calls reclaim and evaluates `call`
** again. This is safe, because an op that returns ERR_MEMORY has changed nothing. (TRY is a macro, because `call` may be
** evaluated twice.) */
#define TRY(L, where, st, call) \
  (FIRST_TRY(L, st, call), (st) == ERR_MEMORY ? (reclaim(L, where), WATCHED(L, st, call)) : (void)0)
#define FIRST_TRY(L, st, call) (begin_first_try(L), (st) = (call), end_operation(L))
#define WATCHED(L, st, call) (begin_operation(L), (st) = (call), end_operation(L))

/* Prepares an allocation of `bytes` bytes as push_tensor does: collects garbage if a collection is due, and raises an error
** if the state's limit would be exceeded. */
void prepare_memory(lua_State *L, const char *fn, place where, size_t bytes);

/* True if `bytes` more bytes would not exceed the state's limit. */
bool memory_is_allowed(lua_State *L, place where, size_t bytes);

/* Pushes and returns the line of the script that is running, such as "train.lua:14", or "" if the line is unknown. Calls
** of library functions written in Lua count as their line of the script. */
const char *push_script_line(lua_State *L);

/* Pushes a new tensor without storage, which the caller sets. */
tensor *push_empty(lua_State *L);

/* A scope frees the tensors that were made while it was open and that are not part of its result. A thread has at most
** one open scope, which ignores tensors that finalizers and debug hooks make. */
enum { SCOPE = 64 };                                         /* the maximum number of tensors that a scope frees; the
                                                             ** collector frees further tensors */
typedef struct scope { int n; bool hooked; lua_State *thread; tensor_userdata *made[SCOPE]; } scope;

scope *scope_open(lua_State *L, scope *s);                   /* returns NULL if another scope is open */
/* frees the scope's tensors except `result`, the stack index of a tensor or of a table of tensors; s may be NULL */
void   scope_close(lua_State *L, scope *s, int result);
scope *scope_current(void);                                  /* returns the open scope, or NULL */
void   scope_leave(scope *outer);                            /* after an error: makes `outer`, which was open before,
                                                             ** the open scope again */
void   scope_forget(const tensor_userdata *u);               /* must be called when the tensor is collected */

/* Pushes a new tensor that shares base's storage. The caller may then change its shape, stride, offset and count, which
** are base's at first. */
tensor *push_view(lua_State *L, const tensor *base);

#endif
