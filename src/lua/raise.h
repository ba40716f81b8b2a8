#ifndef LT_LUA_RAISE_H
#define LT_LUA_RAISE_H

/* The texts of errors. `fn` is the name with which messages begin. */

#include <lua.h>

#include "op/op.h"

/* ---- errors of the layers below (lua/raise.c) ---- */

/* Pushes and returns a size, such as "186.9 MiB". */
const char *push_bytes(lua_State *L, size_t bytes);

/* Pushes and returns the reason why so many bytes cannot be allocated. NULL, with nothing pushed, if they can. */
const char *push_no_room(lua_State *L, double bytes);

/* Raises `status` in words. t[0..n-1]: the tensors concerned, the target first if there is one. */
int raise(lua_State *L, const char *fn, int status, const tensor *const *t, int n);

/* Raises ERR_DEVICE, ERR_LATE or ERR_CAPTURE with the device's description. */
int raise_device(lua_State *L, const char *fn, int status, place where);

/* Raises "GPU not found: " and the reason; fn may be NULL. */
int raise_no_accelerator(lua_State *L, const char *fn);

/* Raises that memory is exhausted: there was no room for `wanted`. */
int raise_full(lua_State *L, place where, const char *wanted);

/* Raises ERR_MEMORY for an op's scratch memory, with the live memory. */
int raise_memory(lua_State *L, const char *fn, place where);

/* The place to blame for a failed call with these tensors: not the CPU, if a tensor is elsewhere. */
place failing_place(const tensor *const *t, int n);

/* Raises ERR_OUT_SHAPE or ERR_CAST: a result of this dtype and shape does not fit into out. */
int raise_target(lua_State *L, const char *fn, int status, const tensor *out, enum dtype result, const shape *s);

/* Raises an error of job_prepare or job_run; out may be NULL. */
int raise_job(lua_State *L, const char *fn, int status, const job *j, const tensor *out);

/* ---- names in errors (lua/names.c) ---- */

/* The name of a value's type: "tensor", "module", "generator", "optimizer" and so on, the __name of a userdata or a
** table, else as for luaL_typename. */
const char *type_name(lua_State *L, int i);

/* True for a table that is no module, optimizer, data set or similar object. */
bool is_plain_table(lua_State *L, int i);

/* The key of the table at index `names` that is most similar to `name`, if it is similar enough; or NULL. */
const char *nearest_name(lua_State *L, int names, const char *name);

/* Pushes the names of options that a script gave by position, as arguments first … last: "; options have names:
** {keepdim = true}", or "". */
const char *push_positions(lua_State *L, const char *fn, int first, int last);

/* Raises an error for lt:zeros(3), which passes the module itself as first argument. */
void check_dot(lua_State *L, const char *fn);

/* The number of arguments without nils at the end, so that scripts can forward optional arguments that they were not
** given. */
int count_arguments(lua_State *L);

/* 1 if the script called the running function as a method, x:f(y), because messages then do not count x; else 0. */
int method_self(lua_State *L);

/* Raises an error for more than `most` arguments, unless the surplus ones are nil, which are dropped. */
void drop_surplus(lua_State *L, const char *fn, int most);
static inline void check_most(lua_State *L, const char *fn, int most) {
  if (lua_gettop(L) > most) drop_surplus(L, fn, most);
}

/* Raises that a function takes at most so many arguments, including its options. */
int raise_most(lua_State *L, const char *fn, int most, int nargs);

/* Pushes "; is there a colon? x:sum(…)" if the first argument of method fn is no tensor, or "". */
const char *push_colon(lua_State *L, const char *fn);

/* Pushes the suggestion for `name`, which is no key of the table at `names`: "; did you mean \"sum\"?", or "". kind: as
** in names.lua, such as "tensor" or "option". */
const char *push_help(lua_State *L, const char *kind, const char *name, int names);

/* Pushes a number, or the value at i, like tostring in the C locale, and returns the text. */
const char *push_double(lua_State *L, double x);
const char *push_plain(lua_State *L, int i);

#endif
