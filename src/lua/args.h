#ifndef LT_LUA_ARGS_H
#define LT_LUA_ARGS_H

/* Arguments of Lua functions. By its includes, this header also gives all else that such a function needs: it checks
** its arguments, creates its result (memory.h), computes, raises errors of the computation (raise.h) and finishes
** (record.h). `fn` is the name with which error messages begin. */

#include <lauxlib.h>

#include "lua/memory.h"
#include "lua/raise.h"
#include "lua/record.h"

/* ---- tensors ---- */

tensor *test_tensor(lua_State *L, int i);                    /* NULL: not a tensor */
tensor *check_tensor(lua_State *L, int i, const char *fn);   /* a live tensor, or an error */

/* A userdata of at least `size` bytes whose metatable is at &class in the registry; NULL: another value. */
void *test_class(lua_State *L, int i, const void *class, size_t size);

/* Checks the first argument of method fn: a `what` ("stream") of test_class's class and size. */
void *check_self(lua_State *L, const void *class, size_t size, const char *fn, const char *what);

/* Pushes "this stream was lost when cuda:0 was reopened", for the `what` "stream". */
const char *push_lost(lua_State *L, const char *what, place where);

/* True if the tensor was freed, or lost with its device. push_gone says which, in words. */
static inline bool tensor_is_gone(const tensor *t) { return !t->store || storage_is_lost(t->store); }
const char *push_gone(lua_State *L, const tensor *t);

/* True for a Lua number or boolean, or an lt.complex(re, im), which counts as one. check_value accepts it. */
bool is_value(lua_State *L, int i);

/* A tensor or a Lua number; also a boolean (as 0 or 1) if `fn` computes with bool. */
void check_arg(lua_State *L, int i, const char *fn, arg *a);

/* ---- options (lua/options.c): one table with string keys only, always last ---- */

/* True if argument i is a table of options: not empty, with strings as its only keys. */
bool is_options(lua_State *L, int i);

/* Index of the options table if the last argument is one, else 0. Names not in `known` (ended by NULL) are an error
** that lists them. Positional arguments are 1 … *nargs after this. If the table contains anything other than numbers,
** booleans and option out, it is replaced by a copy, which finalizers running in the middle of functions cannot change.
** A call with {out = y} allocates nothing. */
int check_options(lua_State *L, const char *fn, const char *const *known, int *nargs);

/* Replaces the list at index i by a copy, so that finalizers cannot change it. Returns its length. */
int copy_list(lua_State *L, int i);

/* Like check_options, if argument i, the last one, is a dim: option "dim" is put there. */
int check_dim_option(lua_State *L, const char *fn, const char *const *known, int *nargs, int i);

/* Pushes an option's value, or nil if there are no options; returns its type. The access is raw: no metamethod of the
** script may run between the checks of the arguments and their use. */
int push_option(lua_State *L, int options, const char *name);

enum dtype opt_dtype(lua_State *L, int options, const char *fn, enum dtype otherwise);   /* option "dtype" */
place      opt_place(lua_State *L, int options, const char *fn, place otherwise);        /* option "device" */
tensor    *opt_out(lua_State *L, int options, const char *fn);                           /* option "out", or NULL */
/* the value at the top as option "out" */
tensor    *top_out(lua_State *L, const char *fn);
/* pushes the result of opt_out */
void       push_out(lua_State *L, int options, const char *fn, const tensor *out);
bool       opt_bool(lua_State *L, int options, const char *fn, const char *name, bool otherwise);

/* ---- values ---- */

int64_t check_integer(lua_State *L, int i, const char *fn, const char *what);  /* integral floats too */

/* A number or boolean that an element of dtype d can hold; integer dtypes take integral floats only. */
scalar check_value(lua_State *L, int i, const char *fn, enum dtype d);

/* Shape from arguments first … last: numbers, or one table. */
void check_shape(lua_State *L, int first, int last, const char *fn, shape *s);

/* A dim argument, 1-based or negative, as 0-based; `ndim` dims. */
int check_dim(lua_State *L, int i, const char *fn, int ndim);

/* The same for a dim of `s`; the error shows the shape. */
int check_dim_of(lua_State *L, int i, const char *fn, const shape *s);

/* A dim argument of `s`, like check_dim_of; for a 0-d tensor 1 and -1 give 0. */
int check_line_dim(lua_State *L, int i, const char *fn, const shape *s);

/* The dims of `s` in argument i as a bit mask: none or nil (all dims), a number, or a table. For a 0-d tensor 1 and -1
** are allowed, and give no bits. */
uint32_t check_dims(lua_State *L, int i, const char *fn, const shape *s);

const char *push_shape(lua_State *L, const shape *s);        /* pushes and returns "[2, 3]" */

/* Raises an error: dtype d cannot hold the number at index i. */
int raise_unfit(lua_State *L, const char *fn, int i, enum dtype d);

/* Raises an error: the function got fewer arguments than `least`, more than `most`, or nil for a required one. */
int raise_count(lua_State *L, const char *fn, int least, int most, int got);

/* ---- names of dtypes and devices (lua/places.c) ---- */

enum dtype check_dtype(lua_State *L, int i, const char *fn);

/* Reads the name at index i: of a dtype, into *d, or of a device, into *where. Returns true for a device. */
bool       check_dtype_or_place(lua_State *L, int i, const char *fn, enum dtype *d, place *where);
place      check_place(lua_State *L, int i, const char *fn);   /* "cpu", "cuda:1", "auto": checked to exist */
place      arg_place(lua_State *L, int i, const char *fn);     /* the same; for none or nil the default place */
const char *push_place(lua_State *L, place p);                 /* pushes and returns "cpu", "cuda:1" */

/* The default place of new tensors: lt.set_default_device. */
place default_place(lua_State *L);

#endif
