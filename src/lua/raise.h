#ifndef LT_LUA_RAISE_H
#define LT_LUA_RAISE_H

/* Functions that raise errors, and functions that push parts of messages. `fn` is the function's name, with which
** messages begin. */

#include <lua.h>

#include "op/op.h"

/* ---- errors of the layers below (lua/raise.c) ---- */

/* Pushes and returns a size, such as "186.9 MiB". */
const char *push_bytes(lua_State *L, size_t bytes);

/* Pushes and returns the reason why `bytes` bytes cannot be allocated. If they can be allocated, pushes nothing and
** returns NULL. */
const char *push_no_room(lua_State *L, double bytes);

/* Raises the error of a status. t[0 … n - 1] are the tensors of the failed call; the target comes first if there is
** one. */
int raise(lua_State *L, const char *fn, int status, const tensor *const *t, int n);

/* Raises the Lua error for status ERR_DEVICE, ERR_LATE or ERR_CAPTURE, with the message of the device `where`. */
int raise_device(lua_State *L, const char *fn, int status, place where);

/* Pushes and returns "GPU not found: " and the reason for which there is no accelerator. If the reason is also about a kind that
** is no kind of GPU, the message begins with "accelerator not found: ". */
const char *push_not_found(lua_State *L);

/* Raises the error that there is no accelerator, with the reason; fn may be NULL. */
int raise_no_accelerator(lua_State *L, const char *fn);

/* Raises the error that memory is exhausted. wanted: a description of the allocation that failed. */
int raise_full(lua_State *L, place where, const char *wanted);

/* Raises the error that an op's scratch memory could not be allocated. The message says how many bytes are live. */
int raise_memory(lua_State *L, const char *fn, place where);

/* Returns the place on which a failed call with these n tensors ran: the place of the first tensor that is not on the
** CPU, or the CPU if there is none. */
place failing_place(const tensor *const *t, int n);

/* Raises the error for status ERR_OUT_SHAPE or ERR_CAST: a result of this dtype and shape does not fit into out. */
int raise_target(lua_State *L, const char *fn, int status, const tensor *out, enum dtype result, const shape *s);

/* Raises an error of job_prepare or job_run; out may be NULL. */
int raise_job(lua_State *L, const char *fn, int status, const job *j, const tensor *out);

/* Warns about each family of kernels whose calls the host has computed for a device: once in a Lua state for each family
** and device. Functions that read values, or wait for the device, call this (lua/device/device.c). */
void warn_host_calls(lua_State *L, place where);

/* ---- names in errors (lua/names.c) ---- */

/* Returns the name of a value's type: "tensor", "module", "generator", "optimizer" and so on. For other values the
** name is the __name of a userdata or a table, else the result of luaL_typename. */
const char *type_name(lua_State *L, int i);

/* True for a table that is not a module, optimizer, data set or similar object. */
bool is_plain_table(lua_State *L, int i);

/* Returns the key of the table at index `names` that is most similar to `name`, or NULL if no key is similar enough. */
const char *nearest_name(lua_State *L, int names, const char *name);

/* Pushes a hint if a script gave options by position, as arguments first … last: "; options have names: {keepdim =
** true}", or "". */
const char *push_positions(lua_State *L, const char *fn, int first, int last);

/* Raises an error for lt:zeros(3), which passes the module itself as first argument. */
void check_dot(lua_State *L, const char *fn);

/* Returns the number of arguments without trailing nils. So scripts can forward optional arguments that they did not
** get. */
int count_arguments(lua_State *L);

/* Returns 1 if the script called the running function as a method, as in x:f(y), else 0. Error messages about
** numbers of arguments subtract the result, because they do not count x. */
int method_self(lua_State *L);

/* Drops arguments beyond `most` if they are nil; otherwise raises an error. */
void drop_surplus(lua_State *L, const char *fn, int most);
static inline void check_most(lua_State *L, const char *fn, int most) {
  if (lua_gettop(L) > most) drop_surplus(L, fn, most);
}

/* Raises the error that a function takes at most `most` arguments besides its options, but got nargs. */
int raise_most(lua_State *L, const char *fn, int most, int nargs);

/* Pushes "; is there a colon? x:sum(…)" if the first argument of method fn is not a tensor, else "". */
const char *push_colon(lua_State *L, const char *fn);

/* Pushes the suggestion for `name`, which is not a key of the table at `names`: "; did you mean \"sum\"?", or "". kind:
** the kind of name, as in lua/luatensor/base/names.lua, such as "tensor" or "option". */
const char *push_help(lua_State *L, const char *kind, const char *name, int names);

/* push_double converts x, and push_plain the value at stack index i, to text as tostring does in the C locale. Both
** functions push the text and return it. */
const char *push_double(lua_State *L, double x);
const char *push_plain(lua_State *L, int i);

#endif
