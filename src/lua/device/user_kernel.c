/* Compiles and launches GPU kernels that scripts write in CUDA C++. lua/luatensor/device/user_kernel.lua reads the
** parameters from the kernel's source. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "op/user_kernel.h"

static const char user_kernel_class = 0;
static const char *const launch_options[] = {"grid", "block", "shared", "count", NULL};

enum { BLOCK = 256 };        /* threads per block without option `block` */

typedef struct parameter {
  enum dtype dtype;          /* DT_none: a pointer to elements of any type */
  int        width;          /* elements of a vector type such as float4, else 1; the address must be a multiple of
                             ** the vector's size */
  bool       pointer, written;
} parameter;

/* A kernel. User value 1 is the table of its parameters, user value 2 its name. */
typedef struct user_kernel {
  place     where;
  unsigned  epoch;           /* the device's epoch when the kernel was made; reopening the device changes the epoch */
  void     *handle;          /* the device's handle; NULL: no kernel was compiled yet */
  int       count;
  parameter parameter[USER_KERNEL_ARGUMENTS];
} user_kernel;

/* Pushes the name of the kernel at stack index i, with which error messages begin. */
static const char *push_name(lua_State *L, int i) {
  lua_getiuservalue(L, i, 2);
  return lua_tostring(L, -1);
}

/* ---- making ---- */

/* Returns the first kind of device that compiles kernels. If `present` is set, the kind must have devices on this
** machine. */
static const device *compiling_kind(bool present) {
  const device *d;
  for (int k = 0; (d = device_kind(k)); k++)
    if (d->user_kernel_make && (!present || d->count() > 0)) return d;
  return NULL;
}

/* Returns the device that argument i names. Without a name, returns the default device if kernels can run there, else
** the first device for which kernels can be compiled. */
static place kernel_place(lua_State *L, int i) {
  place p = arg_place(L, i, "kernel");
  char reason[1024];
  if (p.device->user_kernel_make) return p;
  if (!lua_isnoneornil(L, i))
    luaL_error(L, "kernel: CUDA C++ does not run on %s; use device \"%s\", or lt.elementwise, which runs everywhere",
               place_is_host(p) ? "the CPU" : p.device->name, compiling_kind(false)->name);
  const device *d = compiling_kind(true);
  if (d) return (place){d, 0};
  device_reason(reason, sizeof reason);
  luaL_error(L, "GPU not found: %s; lt.elementwise runs everywhere", reason);
  return p;
}

static bool get_flag(lua_State *L, int i, const char *name) {
  lua_getfield(L, i, name);
  bool yes = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return yes;
}

/* Reads the parameter at the top of the stack, a table {dtype, width, pointer, written, text}. */
static parameter read_parameter(lua_State *L) {
  int i = lua_gettop(L);
  luaL_checktype(L, i, LUA_TTABLE);
  lua_getfield(L, i, "dtype");
  parameter p = {.dtype = dtype_find(luaL_checkstring(L, -1))};
  lua_getfield(L, i, "width");
  p.width = (int)luaL_optinteger(L, -1, 1);
  lua_pop(L, 2);
  p.pointer = get_flag(L, i, "pointer");
  p.written = get_flag(L, i, "written");
  if (!p.pointer && p.dtype == DT_none) luaL_error(L, "kernel: a number without dtype");
  if (p.width != 2 && p.width != 4) p.width = 1;
  return p;
}

/* Raises an error with the compiler's messages in `log`, which is freed. If log is NULL, the error is the device's. */
static int raise_compile(lua_State *L, const char *name, place where, char *log) {
  char text[1024];
  if (!log) {
    where.device->explain(where.index, text, sizeof text);
    return luaL_error(L, "kernel: %s", text);
  }
  for (size_t n = strlen(log); n && log[n - 1] == '\n'; n--) log[n - 1] = 0;
  const char *words = lua_pushfstring(L, "kernel: %s does not compile:\n%s", name, log);
  free(log);
  return luaL_error(L, "%s", words);
}

/* user_kernel(text, name, device, parameters): compiles a kernel and returns it. */
static int l_user_kernel(lua_State *L) {
  const char *text = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  place where = kernel_place(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
  lua_Unsigned n = lua_rawlen(L, 4);
  if (n > USER_KERNEL_ARGUMENTS)
    return luaL_error(L, "kernel: %s: at most %d parameters, got %I", name, USER_KERNEL_ARGUMENTS, (LUAI_UACINT)n);
  user_kernel *k = push_object(L, &user_kernel_class, sizeof *k, 2);
  *k = (user_kernel){.where = where, .count = (int)n};
  for (int i = 0; i < k->count; i++) {
    lua_rawgeti(L, 4, i + 1);
    k->parameter[i] = read_parameter(L);
    lua_pop(L, 1);
  }
  lua_pushvalue(L, 4);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 2);
  char *log = NULL;
  int st;
  TRY(L, where, st, where.device->user_kernel_make(where.index, text, name, &k->handle, &log));
  if (st == ERR_DEVICE) return raise_compile(L, name, where, log);
  free(log);
  if (st != OK) return raise_device(L, "kernel", st, where);
  k->epoch = place_epoch(where);
  return 1;
}

static int l_gc(lua_State *L) {
  user_kernel *k = lua_touserdata(L, 1);
  if (k->handle) k->where.device->user_kernel_free(k->where.index, k->handle);
  k->handle = NULL;
  return 0;
}

/* ---- launching ---- */

/* Pushes the name of parameter i (0-based) of the kernel at stack index 1, for errors: "argument 2 (const float
** *x)". */
static const char *push_parameter(lua_State *L, int i) {
  lua_getiuservalue(L, 1, 1);
  lua_rawgeti(L, -1, i + 1);
  lua_getfield(L, -1, "text");
  return lua_pushfstring(L, "argument %d (%s)", i + 1, lua_tostring(L, -1));
}

/* True if a parameter points to elements of dtype d. A pointer to unsigned integers also accepts half floats of the
** same size, as bit patterns. */
static bool points_to(const parameter *p, enum dtype d) {
  if (p->dtype == DT_none || p->dtype == d) return true;
  return dtype_is_narrow(d) && dtype_kind(p->dtype) == KIND_UINT && dtype_size(p->dtype) == dtype_size(d);
}

static const tensor *check_pointer(lua_State *L, const char *fn, const user_kernel *k, int i, int at) {
  const parameter *p = &k->parameter[i];
  const tensor *t = test_tensor(L, at);
  if (!t) luaL_error(L, "%s: %s: tensor expected, got %s", fn, push_parameter(L, i), type_name(L, at));
  if (!t->store) luaL_error(L, "%s: %s: this tensor was freed", fn, push_parameter(L, i));
  make_ready(L, t, fn);
  if (!place_equal(t->store->place, k->where)) {
    const char *is = push_place(L, t->store->place), *wanted = push_place(L, k->where);
    luaL_error(L, "%s: %s: the tensor is on %s, the kernel on %s; use :to(\"%s\")", fn, push_parameter(L, i), is,
               wanted, wanted);
  }
  if (!points_to(p, t->dtype))
    luaL_error(L, "%s: %s: %s expected, got %s; use :to(\"%s\")", fn, push_parameter(L, i), dtypes[p->dtype].name,
               dtypes[t->dtype].name, dtypes[p->dtype].name);
  if (!tensor_is_contiguous(t))
    luaL_error(L, "%s: %s: the tensor is not contiguous; use :contiguous()", fn, push_parameter(L, i));
  if (t->count && (uintptr_t)tensor_data(t) % (size_t)(p->width * dtype_size(t->dtype)) != 0)
    luaL_error(L, "%s: %s: the tensor does not begin at a multiple of %d bytes; use :clone()", fn, push_parameter(L, i),
               p->width * dtype_size(t->dtype));
  return t;
}

/* Checks the number at stack index `at` for parameter i, and returns the number in the low bytes of a word. */
static uint64_t check_number(lua_State *L, const char *fn, const user_kernel *k, int i, int at) {
  enum dtype d = k->parameter[i].dtype;
  uint64_t word = 0;
  bool number = lua_type(L, at) == LUA_TNUMBER;
  if (!number && !(d == DT_bool && lua_isboolean(L, at)))
    luaL_error(L, "%s: %s: %s expected, got %s", fn, push_parameter(L, i), d == DT_bool ? "boolean" : "number",
               type_name(L, at));
  scalar s = {.f = lua_tonumber(L, at), .i = lua_tointeger(L, at), .is_float = number && !lua_isinteger(L, at)};
  if (!number) s.i = lua_toboolean(L, at);
  if (!scalar_fits(d, &s))
    luaL_error(L, "%s: %s: %s does not fit %s", fn, push_parameter(L, i), push_plain(L, at), dtypes[d].name);
  if (dtype_kind(d) < KIND_FLOAT) return (uint64_t)(s.is_float ? (int64_t)s.f : s.i);
  if (d == DT_float64) memcpy(&word, &s.f, sizeof s.f);
  else {
    float f = (float)s.f;
    memcpy(&word, &f, sizeof f);
  }
  return word;
}

/* Reads option `name`: one to three numbers from 1 to INT32_MAX. Missing numbers are 1. If the option is absent, the
** first number is `otherwise`; if `otherwise` is 0, the option is required. */
static void read_extent(lua_State *L, const char *fn, int options, const char *name, unsigned otherwise, unsigned into[3]) {
  shape s = {.ndim = 0};
  into[0] = otherwise;
  into[1] = into[2] = 1;
  int type = push_option(L, options, name), at = lua_gettop(L);
  lua_pushfstring(L, "%s: %s", fn, name);
  const char *called = lua_tostring(L, -1);
  if (type == LUA_TNIL && !otherwise) luaL_error(L, "%s: a number or up to three expected", called);
  if (type != LUA_TNIL) check_shape(L, at, at, called, &s);
  if (type != LUA_TNIL && (s.ndim < 1 || s.ndim > 3)) luaL_error(L, "%s: a number or up to three expected", called);
  for (int d = 0; d < s.ndim; d++) {
    if (s.dim[d] < 1 || s.dim[d] > INT32_MAX)
      luaL_error(L, "%s: %I is not from 1 to %d", called, (LUAI_UACINT)s.dim[d], INT32_MAX);
    into[d] = (unsigned)s.dim[d];
  }
  lua_pop(L, 2);
}

static int64_t read_size(lua_State *L, const char *fn, int options, const char *name) {
  int64_t n = 0;
  if (push_option(L, options, name) != LUA_TNIL) {
    n = check_integer(L, -1, fn, name);
    if (n < 0) luaL_error(L, "%s: %s: %I is negative", fn, name, (LUAI_UACINT)n);
  }
  lua_pop(L, 1);
  return n;
}

/* Reads argument 2: grid, block, shared, count. Returns false for a count of 0, because then nothing is launched. */
static bool read_launch(lua_State *L, const char *fn, user_kernel_job *j) {
  bool empty = lua_istable(L, 2) && lua_rawlen(L, 2) == 0;
  if (!is_options(L, 2) && !empty)
    luaL_error(L, "%s: argument 1: a table with grid and block expected, got %s", fn, type_name(L, 2));
  int top = lua_gettop(L), nargs;
  lua_pushvalue(L, 2);
  int options = check_options(L, fn, launch_options, &nargs);     /* check_options returns 0 for an empty table,
                                                                  ** too */
  bool counted = push_option(L, options, "count") != LUA_TNIL, gridded = push_option(L, options, "grid") != LUA_TNIL;
  lua_pop(L, 2);
  if (counted && gridded) luaL_error(L, "%s: grid and count: one of them", fn);
  read_extent(L, fn, options, "block", BLOCK, j->block);
  if (counted) {
    if (j->block[1] * j->block[2] != 1) luaL_error(L, "%s: count: a block of one dim expected", fn);
    int64_t n = read_size(L, fn, options, "count"), blocks = (n + j->block[0] - 1) / j->block[0];
    if (n > INT64_MAX - INT32_MAX || blocks > INT32_MAX)
      luaL_error(L, "%s: count: %I threads are more than a grid has", fn, (LUAI_UACINT)n);
    j->grid[0] = (unsigned)blocks;
    j->grid[1] = j->grid[2] = 1;
  } else {
    read_extent(L, fn, options, "grid", 0, j->grid);
  }
  int64_t shared = read_size(L, fn, options, "shared");
  if (shared > INT32_MAX) luaL_error(L, "%s: shared: %I bytes are more than a block has", fn, (LUAI_UACINT)shared);
  j->shared = (unsigned)shared;
  lua_settop(L, top);
  return j->grid[0] > 0;
}

static void check_alive(lua_State *L, const char *fn, const user_kernel *k) {
  if (k->handle && k->epoch == place_epoch(k->where)) return;
  luaL_error(L, "%s: %s; make it anew", fn, push_lost(L, "kernel", k->where));
}

/* Increments the versions of the tensors that the kernel writes, and reports the writes to the recorder. */
static void finish_written(lua_State *L, const user_kernel *k) {
  for (int i = 0; i < k->count; i++) {
    if (!k->parameter[i].written) continue;
    lua_pushvalue(L, 3 + i);
    finish_op(L, true);
    lua_pop(L, 1);
  }
}

/* k({grid =, block =, shared =}, …) or k({count =, block =, shared =}, …): launches kernel k with the arguments … */
static int l_call(lua_State *L) {
  user_kernel *k = test_class(L, 1, &user_kernel_class, sizeof(user_kernel));
  if (!k) return luaL_error(L, "kernel: kernel expected, got %s", type_name(L, 1));
  int given = lua_gettop(L) - 2;
  const char *fn = push_name(L, 1);
  if (given < 0) return luaL_error(L, "%s: argument 1: a table with grid and block expected, got no value", fn);
  check_alive(L, fn, k);
  user_kernel_job j;
  j.kernel = k->handle;
  j.count = k->count;
  bool work = read_launch(L, fn, &j);
  if (given != k->count)
    return luaL_error(L, "%s: %d argument%s expected after the table, got %d", fn, k->count, k->count == 1 ? "" : "s",
                      given);
  for (int i = 0; i < k->count; i++) {
    const parameter *p = &k->parameter[i];
    j.in[i] = (user_kernel_input){.t = p->pointer ? check_pointer(L, fn, k, i, 3 + i) : NULL, .written = p->written};
    if (!p->pointer) j.in[i].value = check_number(L, fn, k, i, 3 + i);
  }
  check_plain(L, fn, 3, lua_gettop(L));
  int st = work ? user_kernel_run(k->where, &j) : OK;
  if (st != OK) return raise_device(L, fn, st, k->where);
  finish_written(L, k);
  return 0;
}

static int l_tostring(lua_State *L) {
  user_kernel *k = lua_touserdata(L, 1);
  lua_pushfstring(L, "kernel %s on %s", push_name(L, 1), push_place(L, k->where));
  return 1;
}

static const function_row functions[] = {{"user_kernel", l_user_kernel, OUTSIDE}, {NULL, NULL, 0}};
static const luaL_Reg meta[] = {{"__call", l_call}, {"__gc", l_gc}, {"__tostring", l_tostring}, {NULL, NULL}};

void open_user_kernel(lua_State *L) {
  add_functions(L, functions);
  add_class(L, &user_kernel_class, NULL, meta, NULL);
}
