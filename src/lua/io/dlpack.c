/* The functions to_dlpack and from_dlpack, which exchange tensors with other libraries in the process.
**
** to_dlpack returns a userdata (metatable "luatensor.DLPack") that begins with the address of a DLPack struct, which
** describes the tensor. A C module that takes over the struct sets this address to NULL, and calls the struct's deleter
** when the module no longer needs the struct. */

#include <stdlib.h>

#include "base/loan.h"
#include "io/dlpack.h"
#include "lua/args.h"
#include "lua/array/index.h"
#include "lua/register.h"
#include "lua/state.h"
#include "op/queue.h"

static const char capsule_class = 0;

static int capsule_gc(lua_State *L) {
  dl_owned *p = test_class(L, 1, &capsule_class, sizeof(dl_owned));
  if (p) dlpack_delete(p);
  return 0;
}

static int capsule_tostring(lua_State *L) {
  const dl_owned *p = test_class(L, 1, &capsule_class, sizeof(dl_owned));
  if (!p) return luaL_error(L, "tostring: not a DLPack struct");
  lua_pushfstring(L, "DLPack struct: %s", p->managed ? "ready" : "taken");
  return 1;
}

static const char *const to_options[] = {"versioned", NULL};

/* Raises an error if argument 1 needs a gradient, because other libraries' work on its memory is not recorded. */
static void check_no_gradient(lua_State *L, const char *fn) {
  if (((const tensor_userdata *)lua_touserdata(L, 1))->needs_grad)
    luaL_error(L, "%s: gradients do not pass to other libraries; use x:detach()", fn);
}

/***
Exports the tensor to other libraries in this process, without a copy. On a GPU the function first waits for queued
work. The userdata owns a DLManagedTensorVersioned struct, and begins with the struct's address. To take over the
struct, set this address to NULL; otherwise the struct is deleted with the userdata. A consumer may delete the struct
only when the consumer's own work on the memory is done.
@function to_dlpack
@tparam tensor x
@tparam[opt] table options `versioned` (true): false gives the older struct, DLManagedTensor
@return userdata
*/
static int l_to_dlpack(lua_State *L) {
  int nargs, options = check_options(L, "to_dlpack", to_options, &nargs);
  if (nargs > 1 && !lua_isnil(L, 2))
    return luaL_error(L, "to_dlpack: argument 2: options expected, got %s%s", type_name(L, 2),
                      push_positions(L, "to_dlpack", 2, 2));
  const tensor *t = check_tensor(L, 1, "to_dlpack");
  check_no_gradient(L, "to_dlpack");
  if (storage_is_lent(t->store))
    return luaL_error(L, "to_dlpack: the host lends this memory and may take it back; use x:clone()");
  bool versioned = opt_bool(L, options, "to_dlpack", "versioned", true);
  dl_owned *p = push_object(L, &capsule_class, sizeof *p, 0);
  p->versioned = versioned;
  t->store->exported = true;
  int st = place_is_captured(t->store->place) ? ERR_CAPTURE : dlpack_export(t, versioned, p);
  return st == OK ? 1 : raise(L, "to_dlpack", st, &t, 1);
}

/* Waits until queued work no longer uses the memory of an imported struct, and then deletes the struct. */
static void release(storage *s) {
  queue_wait(s->place);
  dlpack_delete(s->owner);
  free(s->owner);
}

/* Raises an error if another library has taken over the struct. This is checked again after a tensor was made,
** because a finalizer may have passed the struct on meanwhile. */
static void check_ready(lua_State *L, const dl_owned *p) {
  if (!p->managed) luaL_error(L, "from_dlpack: this DLPack struct was taken already");
}

/* Pushes a tensor that shares the struct's memory. Afterwards luatensor owns the struct. */
static void push_shared(lua_State *L, dl_owned *p, const tensor *form) {
  size_t bytes = (size_t)form->count * (size_t)dtype_size(form->dtype);
  tensor *t = push_empty(L);
  check_ready(L, p);
  storage *s;
  dl_owned *owner = malloc(sizeof *owner);
  if (!owner) raise(L, "from_dlpack", ERR_MEMORY, NULL, 0);
  *owner = *p;
  int st = storage_wrap(form->store->place, form->store->ptr, bytes, release, owner, &s);
  if (st != OK) {
    free(owner);
    raise(L, "from_dlpack", st, NULL, 0);
  }
  *t = *form;
  t->store = s;
  p->managed = NULL;
}

/* Pushes a copy of the data, and then deletes the struct. */
static void push_copied(lua_State *L, dl_owned *p, const tensor *form) {
  tensor in = *form;
  place where = form->store->place;
  if (in.dtype == DT_bool) in.dtype = DT_uint8;           /* bytes other than 0 and 1 become true */
  tensor *t = push_tensor(L, "from_dlpack", form->dtype, &form->shape, where);
  check_ready(L, p);
  int st = form->count == 0 ? OK : place_is_captured(where) ? ERR_CAPTURE : op_copy(t, &in);
  if (st == OK) st = queue_wait(where);
  if (st != OK) raise(L, "from_dlpack", st, (const tensor *const *)&t, 1);
  dlpack_delete(p);
}

static const char *const from_options[] = {"versioned", "copy", "device", NULL};

/* If argument 1 is a tensor, replaces the tensor by the userdata that to_dlpack returns for it. */
static void export_tensor(lua_State *L) {
  if (!test_tensor(L, 1)) return;
  check_tensor(L, 1, "from_dlpack");       /* raises this function's error for a freed tensor */
  check_no_gradient(L, "from_dlpack");
  lua_pushcfunction(L, l_to_dlpack);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_replace(L, 1);
}

/* Moves the tensor at the top to another device. */
static void move_top(lua_State *L, place to) {
  lua_getfield(L, -1, "to");
  lua_insert(L, -2);
  push_place(L, to);
  lua_call(L, 2, 1);
}

/* from_dlpack refuses light userdata with smaller addresses than LOWEST. No system maps the first page, so a smaller
** light userdata is a number, not an address. */
enum { LOWEST = 4096 };

/* Returns the struct in argument 1: the struct of a userdata from to_dlpack, or the struct at a light userdata's
** address. */
static dl_owned *check_struct(lua_State *L, int options, dl_owned *light) {
  dl_owned *p = test_class(L, 1, &capsule_class, sizeof(dl_owned));
  if (p) check_ready(L, p);
  if (p) return p;
  if (lua_type(L, 1) != LUA_TLIGHTUSERDATA || is_index_mark(lua_touserdata(L, 1)))
    luaL_error(L, "from_dlpack: userdata of to_dlpack or light userdata expected, got %s", type_name(L, 1));
  if (state_of(L)->sandbox) luaL_error(L, "from_dlpack: no addresses in a sandbox; userdata of to_dlpack expected");
  *light = (dl_owned){lua_touserdata(L, 1), opt_bool(L, options, "from_dlpack", "versioned", true)};
  if (!light->managed) luaL_error(L, "from_dlpack: a NULL address");
  if ((uintptr_t)light->managed < LOWEST || (uintptr_t)light->managed % sizeof(void *) != 0)
    luaL_error(L, "from_dlpack: light userdata that is no address of a struct");
  return light;
}

/***
Makes a tensor on another library's memory, without a copy. From then on the tensor owns the memory, which stays on its
device. The other library's queued work on a GPU must be done before the call. Read-only memory is copied. After an
error the struct still belongs to the caller.
@function from_dlpack
@param p userdata of to_dlpack, a tensor, or light userdata: the address of a DLManagedTensorVersioned
@tparam[opt] table options `versioned` (true): false for light userdata to the older DLManagedTensor; `copy`: true
  always copies, false is an error if a copy is needed; `device`: the device of the result. An address is not
  checked, so a sandbox (docs/embedding.md) accepts only userdata
@treturn tensor
*/
static int l_from_dlpack(lua_State *L) {
  int nargs, options = check_options(L, "from_dlpack", from_options, &nargs);
  if (nargs > 1 && !lua_isnil(L, 2))
    return luaL_error(L, "from_dlpack: argument 2: options expected, got %s%s", type_name(L, 2),
                      push_positions(L, "from_dlpack", 2, 2));
  export_tensor(L);
  dl_owned light, *p = check_struct(L, options, &light);
  bool must = opt_bool(L, options, "from_dlpack", "copy", false), may = opt_bool(L, options, "from_dlpack", "copy", true);
  tensor form;
  storage s = {.refs = 1};
  bool read_only, clean;
  const char *wrong = dlpack_describe(p, &form, &s.ptr, &s.place, &read_only);
  if (wrong) return luaL_error(L, "from_dlpack: %s", wrong);
  form.store = &s;
  int st = dlpack_check_bools(&form, &clean);
  if (st != OK) return raise(L, "from_dlpack", st, (const tensor *[]){&form}, 1);
  place to = opt_place(L, options, "from_dlpack", s.place);
  bool copy = must || read_only || !clean, move = !place_equal(to, s.place);
  if ((copy || move) && !may) return luaL_error(L, "from_dlpack: copy = false, but this data has to be copied");
  if (copy && (!move || !clean)) push_copied(L, p, &form);
  else push_shared(L, p, &form);
  if (move) move_top(L, to);
  return finish_op(L, false);
}

static const luaL_Reg meta[] = {
  {"__gc", capsule_gc}, {"__close", capsule_gc}, {"__tostring", capsule_tostring}, {NULL, NULL}
};
static const function_row functions[] = {{"from_dlpack", l_from_dlpack, 2}, {NULL, NULL, 0}};
static const function_row methods[] = {{"to_dlpack", l_to_dlpack, 2}, {NULL, NULL, 0}};

void open_dlpack(lua_State *L) {
  luaL_newmetatable(L, "luatensor.DLPack");
  luaL_setfuncs(L, meta, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &capsule_class);
  add_functions(L, functions);
  add_methods(L, methods);
}
