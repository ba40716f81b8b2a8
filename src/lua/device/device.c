/* Functions about devices: their names, waiting for queued work, reopening, and the clock. */

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/profile.h"
#include "base/system.h"
#include "lua/args.h"
#include "lua/collect.h"
#include "lua/interrupt.h"
#include "lua/register.h"
#include "lua/state.h"
#include "op/queue.h"

/***
Checks and completes a device's name: "cuda" becomes "cuda:0"; "auto" becomes the best accelerator of this machine, or
"cpu" if there is none. All functions that take a device accept these names.
@function device
@string[opt] name by default the default device
@treturn string the full name; an error if there is no such device
*/
static int l_device(lua_State *L) {
  push_place(L, arg_place(L, 1, "device"));
  return 1;
}

/***
Sets the device of tensors that are made without option `device`, in this Lua state. The initial default device is
"cpu".
@function set_default_device
@string name
*/
static int l_set_default_device(lua_State *L) {
  state_of(L)->standard = check_place(L, 1, "set_default_device");
  return 0;
}

/*** Returns the default device.
@function get_default_device
@treturn string the device of tensors that are made without option `device`
*/
static int l_get_default_device(lua_State *L) {
  push_place(L, default_place(L));
  return 1;
}

static void set_string(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

/* Pushes a table of the known facts about a device. Unknown facts are nil. */
static void push_info(lua_State *L, place p) {
  device_info info;
  lua_newtable(L);
  push_place(L, p);
  lua_setfield(L, -2, "device");
  if (p.device->info(p.index, &info) != OK) return;
  set_string(L, "name", info.name);
  set_string(L, "kind", info.kind);
  if (info.isa[0]) set_string(L, "isa", info.isa);
  if (info.cores) {
    lua_pushinteger(L, info.cores);
    lua_setfield(L, -2, "cores");
  }
  if (info.emulated) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "emulated");
  }
  if (info.software[0]) set_string(L, "software", info.software);
  if (info.memory) {
    lua_pushinteger(L, (lua_Integer)info.memory);
    lua_setfield(L, -2, "memory");
  }
  if (info.bandwidth > 0) {
    lua_pushnumber(L, info.bandwidth);
    lua_setfield(L, -2, "bandwidth");
  }
}

/***
Lists the devices of this machine.
@function devices
@treturn table a list of {device = "cpu", name =, kind = "cpu", "gpu" or "pjrt", cores =, memory = bytes, bandwidth = bytes
  per second, isa =, software = versions of a GPU's driver and libraries, or of a plugin, emulated = true for a GPU that is
  emulated on the CPU}. For a GPU, cores are its multiprocessors, and isa is its compute capability or AMD's name of its processor;
  unknown fields are nil
*/
static int l_devices(lua_State *L) {
  lua_Integer n = 0;
  lua_newtable(L);
  const device *d;
  for (int k = 0; (d = device_kind(k)); k++)
    for (int index = 0; index < d->count(); index++) {
      push_info(L, (place){d, index});
      lua_rawseti(L, -2, ++n);
    }
  return 1;
}

/* is_on_host(x): true if the host may access the elements without waiting. */
static int l_is_on_host(lua_State *L) {
  lua_pushboolean(L, place_is_host(check_tensor_later(L, 1, "is_on_host")->store->place));
  return 1;
}

/* has_values(x): true if the host may read the elements without waiting, and no graph is captured in which they have no
** values yet. If the host computes calls of a device, integers of the device count as readable, because the device reads
** indices anyway before it uses them. */
static int l_has_values(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "has_values");
  place p = x->store->place;
  bool reads = place_is_host(p) || (p.device->host_calls && dtype_kind(x->dtype) < KIND_FLOAT);
  lua_pushboolean(L, reads && !place_is_captured(p));
  return 1;
}

/* defers(): true inside of a compiled function, where reading elements would end the list of deferred operations. */
static int l_defers(lua_State *L) {
  lua_pushboolean(L, open_deferral && deferral_is_mine(L));
  return 1;
}

/***
Returns the best accelerator of this machine: a GPU, or a device of a plugin that does not compute on the CPU. If there is
none, raises the error "GPU not found: " with the reason. If a plugin is unusable, too, the error begins with "accelerator
not found: ".
@function accelerator
@treturn string the accelerator's name, such as "cuda:0"
*/
static int l_accelerator(lua_State *L) {
  place p;
  if (!device_accelerator(&p)) return raise_no_accelerator(L, NULL);
  push_place(L, p);
  return 1;
}

/* no_accelerator(): returns the error that lt.accelerator() raises, or nil if there is an accelerator. The second result has the
** reasons of the devices that are not used, even if there is an accelerator. */
static int l_no_accelerator(lua_State *L) {
  place p;
  char reason[1024];
  device_reason(reason, sizeof reason);
  if (device_accelerator(&p)) lua_pushnil(L);
  else push_not_found(L);
  lua_pushstring(L, reason);
  return 2;
}

/* Returns the results of is_available, whose reason is NULL if there is a device. */
static int push_availability(lua_State *L, const char *reason) {
  lua_pushboolean(L, !reason);
  if (reason) lua_pushstring(L, reason);
  return reason ? 2 : 1;
}

/***
True if there is a GPU of NVIDIA that can be used.
@function cuda.is_available
@treturn boolean
@treturn string if the first result is false: the reason
*/
/***
True if there is a GPU of AMD that can be used.
@function rocm.is_available
@treturn boolean
@treturn string if the first result is false: the reason
*/
static int l_is_available(lua_State *L) {
  const device *d = lua_touserdata(L, lua_upvalueindex(1));
  check_most(L, "is_available", 0);
  return push_availability(L, d->count() > 0 ? NULL : d->reason());
}

/***
Closes a device, and opens it again at its next use. Its contents are lost: using an older tensor raises "this tensor
was lost when cuda:0 was reopened"; freeing such a tensor is harmless. Other devices are not affected.
@function cuda.reopen
@string device
@raise after a kernel has failed, if the driver does not open the device again in this process, as NVIDIA's does
*/
/***
Reopens a device, like `cuda.reopen`.
@function rocm.reopen
@string device
*/
static int l_reopen(lua_State *L) {
  const device *d = lua_touserdata(L, lua_upvalueindex(1));
  check_most(L, "reopen", 1);
  check_no_sandbox(L, "reopen");
  place p = check_place(L, 1, "reopen");
  if (!p.device->reopen) return luaL_error(L, "reopen: device %s cannot be reopened", push_place(L, p));
  if (p.device != d) return luaL_error(L, "reopen: device %s belongs to lt.%s", push_place(L, p), p.device->name);
  check_no_interrupt(L, "reopen");
  check_not_compiled(L, "reopen");
  int st = p.device->reopen(p.index);
  return st == OK ? 0 : raise_device(L, "reopen", st, p);
}

/* ---- calls that the host computes ---- */

/* Returns how many calls of a family the host has computed for a device. */
static int64_t host_calls(place where, int family) {
  const int64_t *calls = where.device->host_calls ? where.device->host_calls(where.index) : NULL;
  return calls ? __atomic_load_n(&calls[family], __ATOMIC_RELAXED) : 0;
}

/* host_calls(device): returns a table of the families whose calls the host has computed for a device, with their numbers:
** {sort = 2}. */
static int l_host_calls(lua_State *L) {
  place p = check_place(L, 1, "host_calls");
  lua_newtable(L);
  for (int family = 0; family < PROFILE_FAMILIES; family++) {
    int64_t calls = host_calls(p, family);
    if (calls == 0) continue;
    lua_pushinteger(L, calls);
    lua_setfield(L, -2, profile_names[family]);
  }
  return 1;
}

/* The address of `told` is the registry key of the set of warnings that a state has given. */
void warn_host_calls(lua_State *L, place where) {
  static const char told = 0;
  if (!where.device->host_calls) return;
  luaL_checkstack(L, 6, NULL);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &told) == LUA_TNIL) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &told);
    lua_replace(L, -2);
  }
  for (int family = 0; family < PROFILE_FAMILIES; family++) {
    if (host_calls(where, family) == 0) continue;
    const char *text = lua_pushfstring(L, "%s: the CPU computes calls of \"%s\", whose elements pass to the host and back",
                                       push_place(L, where), profile_names[family]);
    if (lua_getfield(L, -3, text) == LUA_TNIL) {
      lua_pushboolean(L, 1);
      lua_setfield(L, -5, text);
      lua_warning(L, text, 0);
    }
    lua_pop(L, 3);
  }
  lua_pop(L, 1);
}

/***
Waits until all work queued on a device is done.
@function synchronize
@string[opt] device by default all devices that have been used
*/
static int l_synchronize(lua_State *L) {
  bool all = lua_isnoneornil(L, 1);
  place p = all ? host_place() : check_place(L, 1, "synchronize");
  run_deferred(L, "synchronize");
  bool computes = !all && !place_is_host(p) && !p.device->streams;
  if (computes) collect_grown(L, p);           /* otherwise the device would also compute results that are garbage */
  int st = all ? queue_wait_all(&p) : queue_wait(p);
  if (st != OK) return raise_device(L, "synchronize", st, p);
  if (!all) warn_host_calls(L, p);
  return 0;
}

/***
Returns the seconds of a monotonic clock. Only differences are meaningful. (os.clock adds up the processor time of all
threads.)
@function clock
@treturn number
*/
static int l_clock(lua_State *L) {
  lua_pushnumber(L, system_clock());
  return 1;
}

static const function_row functions[] = {
  {"device", l_device, 1}, {"devices", l_devices, 0}, {"accelerator", l_accelerator, 0},
  {"synchronize", l_synchronize, 1}, {"clock", l_clock, 0}, {"set_default_device", l_set_default_device, 1},
  {"get_default_device", l_get_default_device, 0}, {"is_on_host", l_is_on_host, INTERNAL},
  {"has_values", l_has_values, INTERNAL}, {"defers", l_defers, INTERNAL},
  {"no_accelerator", l_no_accelerator, INTERNAL}, {"host_calls", l_host_calls, INTERNAL}, {NULL, NULL, 0}
};

/* ---- closing states ---- */

static atomic_int states;                /* number of Lua states with the module */

/* Closes the devices when the last state ends, because the program may continue without Lua. */
static int l_state_ends(lua_State *L) {
  (void)L;
  if (atomic_fetch_sub(&states, 1) > 1) return 0;
  const device *d;
  for (int k = 0; (d = device_kind(k)); k++)
    if (d->shut) d->shut();
  return 0;
}

static bool is_taken(lua_State *L, const char *name) {
  bool taken = lua_getfield(L, MODULE, name) != LUA_TNIL;
  lua_pop(L, 1);
  return taken;
}

/* Adds a function to the table at the top of the stack. The function's upvalue is `of`. */
static void set_function(lua_State *L, const char *name, lua_CFunction f, const void *of) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)of);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

/* Adds the tables lt.cuda and lt.rocm, and those of added kinds whose names are not names of the module already. */
static void add_kinds(lua_State *L) {
  const device *d;
  for (int k = 1; (d = device_kind(k)); k++) {
    if (is_taken(L, d->name)) continue;
    lua_newtable(L);
    set_function(L, "is_available", l_is_available, d);
    if (d->reopen) set_function(L, "reopen", l_reopen, d);
    lua_setfield(L, MODULE, d->name);
  }
}

/***
True if a plugin of PJRT makes a TPU a device of this process, as with Python's package `libtpu`.
@function tpu.is_available
@treturn boolean
@treturn string if the first result is false: the reason
*/
/***
True if a plugin of PJRT makes Apple's GPU a device of this process, as with Python's package `jax-metal`.
@function metal.is_available
@treturn boolean
@treturn string if the first result is false: the reason
*/
/***
True if a plugin of PJRT makes Intel's GPU a device of this process, as with `intel-extension-for-openxla`.
@function xpu.is_available
@treturn boolean
@treturn string if the first result is false: the reason
*/
/***
True if a plugin of PJRT makes XLA on the CPU a device of this process, as with Python's package `xla-cpu-pjrt`.
@function xla.is_available
@treturn boolean
@treturn string if the first result is false: the reason
*/
/* is_available of a name without a device. */
static int l_is_absent(lua_State *L) {
  const absent_device *a = lua_touserdata(L, lua_upvalueindex(1));
  check_most(L, "is_available", 0);
  return push_availability(L, a->reason);
}

/* Adds tables such as lt.tpu for names of plugins without a device, whose is_available returns the reason. Warns of variables
** that make no device. */
static void add_absent(lua_State *L) {
  const absent_device *a;
  for (int k = 0; (a = device_absent(k)); k++) {
    if (a->wanted) {
      char variable[64];
      snprintf(variable, sizeof variable, "LUATENSOR_PJRT_%s", a->name);
      for (char *c = variable; *c; c++) *c = (char)toupper((unsigned char)*c);
      lua_warning(L, variable, true);
      lua_warning(L, " adds no device: ", true);
      lua_warning(L, a->reason, false);
    }
    if (is_taken(L, a->name)) continue;
    lua_newtable(L);
    set_function(L, "is_available", l_is_absent, a);
    lua_setfield(L, MODULE, a->name);
  }
}

void open_device(lua_State *L) {
  at_state_end(L, l_state_ends);
  atomic_fetch_add(&states, 1);
  add_functions(L, functions);
  push_place(L, host_place());
  add_internal(L, "host_device");
  add_kinds(L);
  add_absent(L);
}
