#ifndef LT_LUA_ARGS_H
#define LT_LUA_ARGS_H

/* Arguments of Lua functions, and, by these headers, the rest that each of them needs: it checks its arguments, creates its
** result (memory.h), computes, raises what the computation returned (raise.h) and finishes (record.h). `fn` is the name that
** error messages begin with. */

#include <lauxlib.h>

#include "lua/memory.h"
#include "lua/raise.h"
#include "lua/record.h"

/* ---- tensors ---- */

tensor *test_tensor(lua_State *L, int i);                    /* NULL: not a tensor */
tensor *check_tensor(lua_State *L, int i, const char *fn);   /* a live tensor, or an error */

/* A userdata of at least `size` bytes whose metatable is at &class in the registry; NULL: another value. */
void *test_class(lua_State *L, int i, const void *class, size_t size);

/* The first argument of method fn, which is a `what` ("stream") of test_class's class and size, or an error. */
void *check_self(lua_State *L, const void *class, size_t size, const char *fn, const char *what);

/* "this stream was lost when cuda:0 was reopened", where `what` is "stream". */
const char *push_lost(lua_State *L, const char *what, place where);

/* Freed, or lost with its device; push_gone: which, in words. */
static inline bool tensor_is_gone(const tensor *t) { return !t->store || storage_is_lost(t->store); }
const char *push_gone(lua_State *L, const tensor *t);

/* A Lua number or boolean, or what counts as one: lt.complex(re, im). check_value takes it. */
bool is_value(lua_State *L, int i);

/* A tensor or a Lua number; booleans too (as 0 and 1) where `fn` computes with bool. */
void check_arg(lua_State *L, int i, const char *fn, arg *a);

/* ---- options (lua/options.c): one table with string keys only, always last ---- */

/* True if argument i is a table of options: not empty, and all of its keys are strings. */
bool is_options(lua_State *L, int i);

/* Index of the options table if the last argument is one, else 0. Names not in `known` (ended by NULL)
** are an error that lists them. Positional arguments are 1 … *nargs after this.
** If the table holds more than numbers, booleans and option out, a copy takes its place: finalizers, which run in the middle
** of functions, cannot change the copy. A call with {out = y} makes Lua allocate nothing. */
int check_options(lua_State *L, const char *fn, const char *const *known, int *nargs);

/* Replaces the list at index i by a copy, for the same reason. Returns its length. */
int copy_list(lua_State *L, int i);

/* The same where argument i, the last, is a dim: option "dim" is put there. */
int check_dim_option(lua_State *L, const char *fn, const char *const *known, int *nargs, int i);

/* Pushes an option's value, nil when there are no options; returns its type. Raw: no metamethod of the
** script's may run between the checks of the arguments and their use. */
int push_option(lua_State *L, int options, const char *name);

enum dtype opt_dtype(lua_State *L, int options, const char *fn, enum dtype otherwise);   /* option "dtype" */
place      opt_place(lua_State *L, int options, const char *fn, place otherwise);        /* option "device" */
tensor    *opt_out(lua_State *L, int options, const char *fn);                           /* option "out", or NULL */
void       push_out(lua_State *L, int options, const char *fn, const tensor *out);               /* pushes what opt_out gave */
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

/* A dim argument of `s`, as check_dim_of; of a 0-d tensor 1 and -1 are 0. */
int check_line_dim(lua_State *L, int i, const char *fn, const shape *s);

/* Dims of `s` at i: none or nil (all dims), a number, or a table; as a bit mask. A 0-d tensor has 1 and -1, and no bits. */
uint32_t check_dims(lua_State *L, int i, const char *fn, const shape *s);

void push_shape(lua_State *L, const shape *s);               /* "[2, 3]" */

/* Raises that the number at index i is none of dtype d. */
int raise_unfit(lua_State *L, const char *fn, int i, enum dtype d);

/* Raises that a function got fewer arguments than `least` or more than `most`, or nil for one that it needs. */
int raise_count(lua_State *L, const char *fn, int least, int most, int got);

/* ---- names of dtypes and devices (lua/places.c) ---- */

enum dtype check_dtype(lua_State *L, int i, const char *fn);

/* The name at index i of a dtype, put into *d, or of a device, put into *where. Returns true for a device. */
bool       check_dtype_or_place(lua_State *L, int i, const char *fn, enum dtype *d, place *where);
place      check_place(lua_State *L, int i, const char *fn);   /* "cpu", "cuda:1", "auto": checked, there */
place      arg_place(lua_State *L, int i, const char *fn);     /* the same; none or nil: the default place */
void       push_place(lua_State *L, place p);

/* The place of a new tensor when nothing says otherwise: lt.set_default_device. */
place default_place(lua_State *L);

#endif
