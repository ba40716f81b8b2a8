#ifndef LT_LUA_RAISE_H
#define LT_LUA_RAISE_H

/* The texts of errors. `fn` is the name that messages begin with. */

#include <lua.h>

#include "op/op.h"

/* ---- errors of the layers below (lua/raise.c) ---- */

/* Pushes and returns "186.9 MiB". */
const char *push_bytes(lua_State *L, size_t bytes);

/* Pushes and returns why so many bytes cannot be allocated; NULL, and pushes nothing: they can. */
const char *push_no_room(lua_State *L, double bytes);

/* Raises `status` in words. t[0..n-1]: the tensors it is about, target first where there is one. */
int raise(lua_State *L, const char *fn, int status, const tensor *const *t, int n);

/* Raises ERR_DEVICE, ERR_LATE or ERR_CAPTURE: what happened there. */
int raise_device(lua_State *L, const char *fn, int status, place where);

/* "GPU not found: " and why; fn may be NULL. */
int raise_no_accelerator(lua_State *L, const char *fn);

/* Raises that memory is full: there was no room for what `wanted` says. */
int raise_full(lua_State *L, place where, const char *wanted);

/* Raises ERR_MEMORY of an op's scratch memory: what is live there. */
int raise_memory(lua_State *L, const char *fn, place where);

/* The place where a call about these tensors failed: not the CPU, if any of them is elsewhere. */
place failing_place(const tensor *const *t, int n);

/* Raises ERR_OUT_SHAPE or ERR_CAST: a result of this dtype and shape does not go into out. */
int raise_target(lua_State *L, const char *fn, int status, const tensor *out, enum dtype result, const shape *s);

/* Raises what job_prepare or job_run returned; out may be NULL. */
int raise_job(lua_State *L, const char *fn, int status, const job *j, const tensor *out);

/* ---- names in errors (lua/names.c) ---- */

/* "tensor", "module", "generator", "optimizer" …, the __name of a userdata or a table, else as luaL_typename. */
const char *type_name(lua_State *L, int i);

/* A table that is no module, optimizer, data set … */
bool is_plain_table(lua_State *L, int i);

/* The key of the table at index `names` that is nearest to `name`, if it is near; or NULL. */
const char *nearest_name(lua_State *L, int names, const char *name);

/* The names of options that a script gave by position, arguments first … last: "; options have names: {keepdim = true}",
** or "". Pushes values. */
const char *push_positions(lua_State *L, const char *fn, int first, int last);

/* lt:zeros(3), which passes the module itself first, is an error that says so. */
void check_dot(lua_State *L, const char *fn);

/* The number of arguments without the nils at the end: scripts forward optional arguments that they were not given. */
int count_arguments(lua_State *L);

/* 1 if the script called the running function as a method, x:f(y), so that messages do not count x; else 0. */
int method_self(lua_State *L);

/* More than `most` arguments are an error, unless those beyond are nil, which are dropped. */
void drop_surplus(lua_State *L, const char *fn, int most);
static inline void check_most(lua_State *L, const char *fn, int most) {
  if (lua_gettop(L) > most) drop_surplus(L, fn, most);
}

/* Raises that a function takes at most so many arguments with its options. */
int raise_most(lua_State *L, const char *fn, int most, int nargs);

/* "; is there a colon? x:sum(…)" where method fn got no tensor first, or "". Pushes values. */
const char *push_colon(lua_State *L, const char *fn);

/* The word to write instead of `name`, which is none of the keys of the table at `names`: "; did you mean \"sum\"?", or "".
** kind: of names.lua, such as "tensor" or "option". Pushes values. */
const char *push_help(lua_State *L, const char *kind, const char *name, int names);

/* Pushes a number, or the value at i, as tostring does in the C locale, and returns the text. */
const char *push_double(lua_State *L, double x);
const char *push_plain(lua_State *L, int i);

#endif
