#ifndef LT_LUA_ARGS_H
#define LT_LUA_ARGS_H

/* Arguments, results and errors of Lua functions. Every error text is made here. `fn` is the name
** that error messages begin with. */

#include <lauxlib.h>
#include <lua.h>

#include "lua/cancel.h"
#include "op/op.h"

/* ---- tensors ---- */

/* The userdata of a tensor. `class` is &tensor_class from its making until its collection: comparing it takes a
** tenth of the time that looking up the metatable takes, and no memory of another library can hold it. */
typedef struct tensor_userdata {
  tensor      tensor;
  bool        needs_grad, is_leaf;     /* for autograd (autograd/autograd.c), as all below. Made by a script: a leaf */
  bool        held;                    /* a gradient whose handle autograd alone has: no script has seen it */
  int         output;                  /* which result of its node this is; the node is the user value */
  const void *class;
} tensor_userdata;

tensor *test_tensor(lua_State *L, int i);                    /* NULL: not a tensor */
tensor *check_tensor(lua_State *L, int i, const char *fn);   /* a live tensor, or an error */

/* A userdata of at least `size` bytes whose metatable is at &class in the registry; NULL: another value. */
void *test_class(lua_State *L, int i, const void *class, size_t size);

/* "this stream was lost when cuda:0 was reopened", where `what` is "stream". */
const char *push_lost(lua_State *L, const char *what, place where);

/* Freed, or lost with its device; push_gone: which, in words. */
static inline bool tensor_is_gone(const tensor *t) { return !t->store || storage_is_lost(t->store); }
const char *push_gone(lua_State *L, const tensor *t);

/* A Lua number or boolean, or what counts as one: lt.complex(re, im). check_value takes it. */
bool is_value(lua_State *L, int i);

/* A tensor or a Lua number; booleans too (as 0 and 1) where `fn` computes with bool. */
void check_arg(lua_State *L, int i, const char *fn, arg *a);

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

/* ---- options: one table with string keys only, always last ---- */

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

enum dtype check_dtype(lua_State *L, int i, const char *fn);

/* The name at index i of a dtype, put into *d, or of a device, put into *where. Returns true for a device. */
bool       check_dtype_or_place(lua_State *L, int i, const char *fn, enum dtype *d, place *where);
place      check_place(lua_State *L, int i, const char *fn);   /* "cpu", "cuda:1", "auto": checked, there */
place      arg_place(lua_State *L, int i, const char *fn);     /* the same; none or nil: the default place */
void       push_place(lua_State *L, place p);
int64_t    check_integer(lua_State *L, int i, const char *fn, const char *what);  /* integral floats too */

/* A number or boolean that an element of dtype d can hold; integer dtypes take integral floats only. */
scalar     check_value(lua_State *L, int i, const char *fn, enum dtype d);

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

/* Pushes a number, or the value at i, as tostring does in the C locale, and returns the text. */
const char *push_double(lua_State *L, double x);
const char *push_plain(lua_State *L, int i);

/* Raises that a function got fewer arguments than `least` or more than `most`, or nil for one that it needs. */
int raise_count(lua_State *L, const char *fn, int least, int most, int got);

/* The place of a new tensor when nothing says otherwise: lt.set_default_device. */
place default_place(lua_State *L);

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

/* The first argument of method fn, which is a `what` ("stream") of test_class's class and size, or an error. */
void *check_self(lua_State *L, const void *class, size_t size, const char *fn, const char *what);

/* "; is there a colon? x:sum(…)" where method fn got no tensor first, or "". Pushes values. */
const char *push_colon(lua_State *L, const char *fn);

/* The word to write instead of `name`, which is none of the keys of the table at `names`: "; did you mean \"sum\"?", or "".
** kind: of names.lua, such as "tensor" or "option". Pushes values. */
const char *push_help(lua_State *L, const char *kind, const char *name, int names);

/* ---- every op's way out ---- */

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
