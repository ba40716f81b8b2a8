#ifndef LT_LUA_ARGS_H
#define LT_LUA_ARGS_H

/* Reads and checks the arguments of functions that Lua calls. Such a function checks its arguments, creates its result
** (memory.h), computes, raises errors of the computation (raise.h) and finishes (record.h). This header includes the
** headers for all these steps. `fn` is the function's name, with which error messages begin. */

#include <lauxlib.h>

#include "lua/deferred.h"
#include "lua/memory.h"
#include "lua/raise.h"
#include "lua/record.h"

/* ---- tensors ---- */

tensor *test_tensor(lua_State *L, int i);                    /* returns NULL if the value is not a tensor */
tensor *check_tensor(lua_State *L, int i, const char *fn);   /* raises an error unless the tensor is live; runs deferred
                                                             ** ops that use the tensor */

/* Like check_tensor, but does not run deferred ops (lua/deferred.h). For functions that do not use the elements, such as
** views, or that use them only by job_run_later and job_compute_later. */
tensor *check_tensor_later(lua_State *L, int i, const char *fn);

/* Returns the userdata at i if it has at least `size` bytes and the metatable that the registry contains for the key
** `class`, else NULL. */
void *test_class(lua_State *L, int i, const void *class, size_t size);

/* Returns the first argument of method fn, which must be a userdata of this class and size, as in test_class. Raises
** an error for other values. `what` names the class in errors ("stream"). */
void *check_self(lua_State *L, const void *class, size_t size, const char *fn, const char *what);

/* Pushes and returns a message. If `what` is "stream" and `where` is cuda:0, the message is "this stream was lost when
** cuda:0 was reopened". */
const char *push_lost(lua_State *L, const char *what, place where);

/* True if the tensor was freed, lost with its device, or revoked by the host program that lent its memory. push_gone
** pushes a message with the cause. */
static inline bool tensor_is_gone(const tensor *t) { return !t->store || storage_is_lost(t->store); }

/* Runs the deferred ops if the tensor, which is not gone, is pending, and allocates its memory if no op has written it.
** Functions that read tensors by test_tensor must call it before they use the elements. */
void end_pending(lua_State *L, storage *s, const char *fn);
static inline void make_ready(lua_State *L, const tensor *t, const char *fn) {
  if (storage_is_pending(t->store)) end_pending(L, t->store, fn);
}
const char *push_gone(lua_State *L, const tensor *t);

/* True if the value at index i is a Lua number, a boolean, or a complex number that lt.complex made from two numbers.
** check_value accepts these values. */
bool is_value(lua_State *L, int i);

/* Reads a tensor, a Lua number, a complex number, or a boolean (as 0 or 1). Raises an error for any other value. */
void check_arg(lua_State *L, int i, const char *fn, arg *a);
void check_arg_later(lua_State *L, int i, const char *fn, arg *a);           /* as check_tensor_later */

/* ---- options (lua/options.c) ---- */

/* Options are one table, whose keys are strings. The table is always the last argument. */

/* True if argument i is a table of options: the first key that lua_next finds is a string. check_options checks the
** other keys. */
bool is_options(lua_State *L, int i);

/* If the last argument is an options table, returns its index, otherwise 0. `known` is a list of option names that ends
** with NULL. An option with another name raises an error that lists the known names. Sets *nargs to the number of
** positional arguments. A finalizer may run in the middle of a function and change the options table. Therefore the
** table is replaced by a copy if it has values other than numbers, booleans and option out. A call with {out = y}
** allocates nothing. */
int check_options(lua_State *L, const char *fn, const char *const *known, int *nargs);

/* Replaces the list at index i by a copy, which finalizers cannot change. Returns the length of the list. */
int copy_list(lua_State *L, int i);

/* Like check_options, for functions whose last argument, at index i, is a dim. Option "dim" is copied to argument
** i. */
int check_dim_option(lua_State *L, const char *fn, const char *const *known, int *nargs, int i);

/* Pushes an option's value, or nil if there are no options, and returns the value's type. The access is raw, because no
** metamethod of the script may run between the checks of the arguments and their use. */
int push_option(lua_State *L, int options, const char *name);

enum dtype opt_dtype(lua_State *L, int options, const char *fn, enum dtype otherwise);   /* returns option "dtype", or
                                                                                         ** `otherwise` */
place      opt_place(lua_State *L, int options, const char *fn, place otherwise);        /* returns option "device", or
                                                                                         ** `otherwise` */
/* returns option "out", or NULL; deferred ops may use the tensor (lua/deferred.h) */
tensor    *opt_out_later(lua_State *L, int options, const char *fn);
tensor    *top_out(lua_State *L, const char *fn);            /* the same for the value at the top of the stack */
/* pushes option out; raises an error unless the option is still `out`, the result of opt_out_later */
void       push_out(lua_State *L, int options, const char *fn, const tensor *out);
bool       opt_bool(lua_State *L, int options, const char *fn, const char *name, bool otherwise);

/* ---- values ---- */

int64_t check_integer(lua_State *L, int i, const char *fn, const char *what);  /* returns an integer; also accepts
                                                                               ** integral floats */

/* Reads a number or boolean that dtype d can represent. For integer dtypes, a float must be integral. */
scalar check_value(lua_State *L, int i, const char *fn, enum dtype d);

/* Reads a shape from arguments first … last: either numbers, or one table. */
void check_shape(lua_State *L, int first, int last, const char *fn, shape *s);

/* Reads argument i as a dim, 1-based or negative, for `ndim` dims. Returns the 0-based dim. */
int check_dim(lua_State *L, int i, const char *fn, int ndim);

/* Like check_dim for a dim of `s`. The error shows the shape. */
int check_dim_of(lua_State *L, int i, const char *fn, const shape *s);

/* Like check_dim_of, but accepts dims 1 and -1 of a 0-d tensor, for which it returns 0. */
int check_line_dim(lua_State *L, int i, const char *fn, const shape *s);

/* Reads dims of `s` from argument i, which is a number or a table. If the argument is missing or nil, reads all dims.
** Returns a bit mask, in which bit d stands for the 0-based dim d. Dims 1 and -1 of a 0-d tensor are allowed, but set
** no bit. */
uint32_t check_dims(lua_State *L, int i, const char *fn, const shape *s);

const char *push_shape(lua_State *L, const shape *s);        /* pushes a shape as text, such as "[2, 3]", and returns
                                                             ** the text */

/* Raises the error that dtype d cannot represent the number at index i. */
int raise_unfit(lua_State *L, const char *fn, int i, enum dtype d);

/* Raises the error that a function got fewer than `least` arguments, more than `most`, or nil for a required
** argument. */
int raise_count(lua_State *L, const char *fn, int least, int most, int got);

/* ---- names of dtypes and devices (lua/places.c) ---- */

enum dtype check_dtype(lua_State *L, int i, const char *fn);

/* Reads the name at index i. The name of a dtype is stored in *d, the name of a device in *where. Returns true for a
** device. */
bool       check_dtype_or_place(lua_State *L, int i, const char *fn, enum dtype *d, place *where);
place      check_place(lua_State *L, int i, const char *fn);   /* reads "cpu", "cuda:1" or "auto"; raises an error if
                                                               ** the device does not exist */
place      arg_place(lua_State *L, int i, const char *fn);     /* like check_place, but returns the default place if the
                                                               ** argument is missing or nil */
const char *push_place(lua_State *L, place p);                 /* pushes and returns the name of a device, such as
                                                               ** "cpu" or "cuda:1" */

/* Returns the place of new tensors, which lt.set_default_device sets. */
place default_place(lua_State *L);

#endif
