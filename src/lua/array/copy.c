/* Copies and conversions: to, astype, clone, contiguous, copy_, fill_, zero_. */

#include <stdatomic.h>
#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "op/host.h"

/* Pushes a new tensor of dtype d at `where` with the elements of the tensor at index i. The new tensor is contiguous, or has
** the layout of the other tensor if `follows` is set and both are on one device. */
static int push_copy(lua_State *L, const char *fn, int i, enum dtype d, place where, bool follows) {
  const tensor *x = lua_touserdata(L, i);
  bool moves = !place_equal(x->store->place, where);
  if (moves) make_ready(L, x, fn);
  tensor *out = (moves ? push_tensor : push_tensor_later)(L, fn, d, &x->shape, where);
  if (follows && !moves) job_layout(&(job){.nin = 1, .in = {{.t = x}}}, out);
  int st;
  TRY(L, failing_place((const tensor *[]){out, x}, 2), st, moves ? host_copy(out, x) : op_copy_later(out, x));
  if (st != OK) return raise(L, fn, st, (const tensor *[]){out, x}, 2);
  if (moves) warn_host_calls(L, x->store->place);
  return finish_record(L, &(op_record){.name = "positive", .nin = 1, .in = {i}});
}

/* Pushes the tensor at index 1 if dtype and device do not change and `copy` is false, else a converted copy. */
static int convert(lua_State *L, const char *fn, enum dtype d, place where, bool copy) {
  const tensor *x = lua_touserdata(L, 1);
  if (copy || d != x->dtype || !place_equal(where, x->store->place)) return push_copy(L, fn, 1, d, where, true);
  lua_pushvalue(L, 1);
  return 1;
}

static const char *const to_options[] = {"dtype", "device", "copy", NULL};

/*** Converts x to another dtype, moves it to another device, or both. Returns x itself if it already has the dtype and
the device. Integers wrap. Floats are rounded toward 0 to integers; floats out of range become the nearest integer of
the dtype, and NaN becomes 0.
@function to
@tparam tensor x
@tparam string ... a dtype, a device, or both in any order
@tparam[opt] table options `dtype`, `device`, `copy` (default false: x itself if nothing changes)
@treturn tensor
*/
static int l_to(lua_State *L) {
  const char *fn = "to";
  const tensor *x = check_tensor_later(L, 1, fn);
  int nargs, options = check_options(L, fn, to_options, &nargs);
  enum dtype d = opt_dtype(L, options, fn, x->dtype);
  place where = opt_place(L, options, fn, x->store->place);
  if (nargs < 2 && lua_isnil(L, 2)) nargs = 2;                       /* x:to(nil) has one argument, which the
                                                                      ** loop refuses */
  bool first_is_place = false;
  for (int i = 2; i <= nargs; i++) {
    bool is_place = check_dtype_or_place(L, i, fn, &d, &where);
    if (i == 3 && is_place == first_is_place)
      return luaL_error(L, "to: a dtype and a device expected, got \"%s\" and \"%s\"", lua_tostring(L, 2),
                        lua_tostring(L, 3));
    first_is_place = is_place;
  }
  return convert(L, fn, d, where, opt_bool(L, options, fn, "copy", false));
}

static const char *const astype_options[] = {"device", "copy", NULL};

/*** Returns a copy of x with another dtype.
@function astype
@tparam tensor x
@tparam string dtype
@tparam[opt] table options `copy`: false returns x itself if it has the dtype (default true); `device`
@treturn tensor
*/
static int l_astype(lua_State *L) {
  const char *fn = "astype";
  const tensor *x = check_tensor_later(L, 1, fn);
  int nargs, options = check_options(L, fn, astype_options, &nargs);
  if (nargs != 2) return luaL_error(L, "astype: a tensor and a dtype expected");
  enum dtype d = check_dtype(L, 2, fn);
  return convert(L, fn, d, opt_place(L, options, fn, x->store->place), opt_bool(L, options, fn, "copy", true));
}

/*** Returns a row-major copy that shares no memory with x.
@function clone
@tparam tensor x
@treturn tensor
*/
static int l_clone(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "clone");
  return push_copy(L, "clone", 1, x->dtype, x->store->place, false);
}

/*** Returns x itself if its elements are row-major without gaps, else a copy with this layout.
@function contiguous
@tparam tensor x
@treturn tensor
*/
static int l_contiguous(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "contiguous");
  if (!tensor_is_contiguous(x)) return push_copy(L, "contiguous", 1, x->dtype, x->store->place, false);
  lua_pushvalue(L, 1);
  return 1;
}

/*** True if the elements are row-major without gaps.
@function is_contiguous
@tparam tensor x
@treturn boolean
*/
static int l_is_contiguous(lua_State *L) {
  lua_pushboolean(L, tensor_is_contiguous(check_tensor_later(L, 1, "is_contiguous")));
  return 1;
}

/* ---- pinned memory ---- */

static const device *pinning_device(lua_State *L, const char *fn) {
  const device *d;
  for (int k = 0; (d = device_kind(k)); k++)
    if (d->pin && d->count() > 0) return d;
  raise_no_accelerator(L, fn);
  return NULL;
}

static void release_pinned(storage *s) { s->pinned->unpin(s->ptr); }

/* Collects garbage after every 64 MiB of pinned memory, because the CPU's live bytes do not include pinned memory. */
static void pace_pinning(lua_State *L, size_t bytes) {
  static atomic_size_t since;
  if (atomic_fetch_add(&since, bytes) + bytes < (size_t)64 << 20 || lua_gc(L, LUA_GCISRUNNING) != 1) return;
  atomic_store(&since, 0);
  lua_gc(L, LUA_GCCOLLECT);
}

/***
Copies a CPU tensor to page-locked memory, which a GPU can read and write directly. Returns x itself if x is in
page-locked memory already. Copies from page-locked memory to a GPU return at once; the next use of the tensor on the CPU
waits for them.
@function pin_memory
@tparam tensor x on the CPU
@treturn tensor
@raise if there is no GPU, or if the system's limit for page-locked memory is reached
*/
static int l_pin_memory(lua_State *L) {
  const char *fn = "pin_memory";
  const tensor *x = check_tensor(L, 1, fn);
  if (!place_is_host(x->store->place)) return luaL_error(L, "pin_memory: only tensors on the CPU can be pinned");
  const device *d = pinning_device(L, fn);
  size_t bytes = (size_t)x->count * (size_t)dtype_size(x->dtype);
  void *memory = NULL;
  if (d->is_pinned(tensor_data(x), bytes)) {
    lua_pushvalue(L, 1);
    return 1;
  }
  tensor *out = push_empty(L);
  pace_pinning(L, bytes);
  int st = d->pin(bytes, &memory);
  if (st == OK) st = storage_wrap(x->store->place, memory, bytes, release_pinned, NULL, &out->store);
  if (st != OK) {
    if (memory) d->unpin(memory);
    return st == ERR_MEMORY ? luaL_error(L, "pin_memory: no page-locked memory for %I bytes", (LUAI_UACINT)bytes)
                            : raise_device(L, fn, st, (place){d, 0});
  }
  out->store->pinned = d;
  out->dtype = x->dtype;
  out->shape = x->shape;
  out->count = x->count;
  out->offset = 0;
  shape_strides(&out->shape, out->stride);
  TRY(L, x->store->place, st, op_copy(out, x));
  if (st != OK) return raise(L, fn, st, (const tensor *[]){out, x}, 2);
  return finish_record(L, &(op_record){.name = "positive", .nin = 1, .in = {1}});
}

/***
True if x is in page-locked memory.
@function is_pinned
@tparam tensor x
@treturn boolean
*/
static int l_is_pinned(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "is_pinned");
  bool pinned = false;
  const device *d;
  for (int k = 0; place_is_host(x->store->place) && (d = device_kind(k)); k++)
    if (d->is_pinned && d->is_pinned(x->store->ptr, x->store->bytes)) pinned = true;
  lua_pushboolean(L, pinned);
  return 1;
}

/* ---- in place ---- */

/* Fills x with a Lua number or boolean. */
static int fill(lua_State *L, const char *fn, tensor *x, const scalar *value) {
  if (!scalar_fits(x->dtype, value))
    return raise_unfit(L, fn, 2, x->dtype);
  int st;
  check_in_place(L, fn);
  /* the graph of a transformer's step, whose list then has two parts, takes an eighth less memory */
  if (storage_capture) make_ready(L, x, fn);
  TRY(L, x->store->place, st, op_fill_later(x, *value));
  if (st != OK) return raise(L, fn, st, (const tensor *[]){x}, 1);
  lua_pushvalue(L, 1);
  return finish_op(L, true);
}

static int copy(lua_State *L, const char *fn, tensor *x, const tensor *y) {
  bool moves = !place_equal(x->store->place, y->store->place);
  int st;
  check_in_place(L, fn);
  if (moves) make_ready(L, x, fn);
  if (moves) make_ready(L, y, fn);
  TRY(L, failing_place((const tensor *[]){x, y}, 2), st, moves ? host_copy(x, y) : op_copy_later(x, y));
  if (st == OK) {
    lua_pushvalue(L, 1);
    return finish_record(L, &(op_record){.name = "positive", .nin = 1, .in = {2}, .in_place = true});
  }
  if (st != ERR_BROADCAST) return raise(L, fn, st, (const tensor *[]){x, y}, 2);
  return luaL_error(L, "%s: shape %s does not broadcast to %s", fn, push_shape(L, &y->shape), push_shape(L, &x->shape));
}

static int copy_or_fill(lua_State *L, const char *fn) {
  tensor *x = check_tensor_later(L, 1, fn);
  arg a;
  check_arg_later(L, 2, fn, &a);
  return a.t ? copy(L, fn, x, a.t) : fill(L, fn, x, &a.s);
}

/*** Overwrites x with the elements of y, converted to x's dtype.
@function copy_
@tparam tensor x
@tparam tensor|number y broadcast to x's shape, on any device; must not overlap x unless it is the same view
@treturn tensor x
*/
static int l_copy_in_place(lua_State *L) { return copy_or_fill(L, "copy_"); }

/*** Sets every element of x to one value.
@function fill_
@tparam tensor x
@tparam number|boolean|tensor value that x's dtype can represent, or a 0-d tensor
@treturn tensor x
*/
static int l_fill_in_place(lua_State *L) {
  const tensor *value = test_tensor(L, 2);
  if (value && value->store && value->count != 1)
    return luaL_error(L, "fill_: one value expected, the tensor has %I; use copy_", (LUAI_UACINT)value->count);
  return copy_or_fill(L, "fill_");
}

/*** Sets every element of x to 0.
@function zero_
@tparam tensor x
@treturn tensor x
*/
static int l_zero_in_place(lua_State *L) {
  tensor *x = check_tensor_later(L, 1, "zero_");
  lua_settop(L, 1);
  return fill(L, "zero_", x, &(scalar){.i = 0});
}

static const function_row methods[] = {
  {"to", l_to, 4}, {"astype", l_astype, 3}, {"clone", l_clone, 1}, {"contiguous", l_contiguous, 1},
  {"is_contiguous", l_is_contiguous, 1}, {"pin_memory", l_pin_memory, 1}, {"is_pinned", l_is_pinned, 1}, {NULL, NULL, 0}
};
static const function_row in_place[] = {
  {"copy_", l_copy_in_place, 2}, {"fill_", l_fill_in_place, 2}, {"zero_", l_zero_in_place, 1}, {NULL, NULL, 0}
};

void open_copy(lua_State *L) {
  add_methods(L, methods);
  add_method_forms(L, in_place);
}
