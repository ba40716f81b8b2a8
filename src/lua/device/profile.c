/* Functions for the profiler in Lua (lua/luatensor/bench): they start and stop a profile, which counts and times the
** device calls of a Lua state. */

#include "base/profile.h"
#include "lua/args.h"
#include "lua/register.h"
#include "lua/state.h"

/* Returns the address of the state's registry, which identifies the state's profile. */
static const void *owner_of(lua_State *L) { return lua_topointer(L, LUA_REGISTRYINDEX); }

/* profile_start(mode): starts counting and timing the device calls of this state's thread. mode is "counting" (the
** default), which measures times on the host, or "serialised", which waits for each call to measure the device's
** time. */
static int l_profile_start(lua_State *L) {
  static const char *const modes[] = {"counting", "serialised", NULL};
  int mode = luaL_checkoption(L, 1, modes[0], modes);
  bool running;
  place where;
  run_deferred(L, "profile");
  int st = profile_start(owner_of(L), mode == 0 ? PROFILE_COUNTING : PROFILE_SERIALISED, &running, &where);
  if (running) return luaL_error(L, "profile_start: a profile is running");
  return st == OK ? 0 : raise_device(L, "profile_start", st, where);
}

/* profile_running(): true if this state runs a profile. */
static int l_profile_running(lua_State *L) {
  lua_pushboolean(L, profile_is_of(owner_of(L)));
  return 1;
}

static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static void push_row(lua_State *L, const device *d, enum profile_family family, enum dtype dtype, const profile_row *r) {
  lua_createtable(L, 0, 9);
  lua_pushstring(L, d->name);
  lua_setfield(L, -2, "device");
  lua_pushstring(L, profile_names[family]);
  lua_setfield(L, -2, "family");
  lua_pushstring(L, dtype == DT_none ? NULL : dtypes[dtype].name);
  lua_setfield(L, -2, "dtype");
  set_number(L, "calls", r->calls);
  set_number(L, "seconds", r->seconds);
  set_number(L, "elements", r->elements);
  set_number(L, "read", r->read);
  set_number(L, "written", r->written);
  set_number(L, "flops", r->flops);
}

static void push_rows(lua_State *L, const profile *p) {
  int n = 0;
  const device *d;
  lua_newtable(L);
  for (int kind = 0; (d = device_kind(kind)); kind++)
    for (int family = 0; family < PROFILE_FAMILIES; family++)
      for (int dtype = DT_none; dtype < DTYPE_COUNT; dtype++) {
        const profile_row *r = &p->row[kind][family][1 + dtype];
        if (r->calls == 0) continue;
        push_row(L, d, (enum profile_family)family, (enum dtype)dtype, r);
        lua_rawseti(L, -2, ++n);
      }
}

/* Pushes the names of the devices that had calls. */
static void push_used(lua_State *L, const profile *p) {
  int n = 0;
  const device *d;
  lua_newtable(L);
  for (int kind = 0; (d = device_kind(kind)); kind++)
    for (int index = 0; index < 64; index++) {
      if (!(p->used[kind] >> index & 1)) continue;
      push_place(L, (place){d, index});
      lua_rawseti(L, -2, ++n);
    }
}

/* profile_stop(): ends the profile and returns a table, or nil if this state runs no profile. The fields are
**      mode             "counting" or "serialised"
**      seconds          from start to stop
**      inside, outside  overhead of the profile in seconds per call: the parts inside and outside of the measured time
**      devices          {"cpu", "cuda:0", …}: the devices that had calls
**      rows             {{device = "cpu", family = "gemm", dtype, calls, seconds, elements, read, written, flops}, …}:
**                       dtype is the one in which the call computes, or nil; read and written are bytes */
static int l_profile_stop(lua_State *L) {
  run_deferred(L, "profile");
  profile *p = lua_newuserdatauv(L, sizeof *p, 0);     /* made first, so that the profile ends even if an error is
                                                       ** raised later */
  if (!profile_stop(owner_of(L), p)) return 0;
  lua_createtable(L, 0, 6);
  lua_pushstring(L, p->mode == PROFILE_COUNTING ? "counting" : "serialised");
  lua_setfield(L, -2, "mode");
  set_number(L, "seconds", p->seconds);
  set_number(L, "inside", p->inside);
  set_number(L, "outside", p->outside);
  push_used(L, p);
  lua_setfield(L, -2, "devices");
  push_rows(L, p);
  lua_setfield(L, -2, "rows");
  return 1;
}

static int l_state_ends(lua_State *L) {
  profile_stop(owner_of(L), NULL);
  return 0;
}

static const function_row functions[] = {
  {"profile_start", l_profile_start, OUTSIDE}, {"profile_running", l_profile_running, INTERNAL},
  {"profile_stop", l_profile_stop, INTERNAL}, {NULL, NULL, 0}
};

void open_profile(lua_State *L) {
  at_state_end(L, l_state_ends);
  add_functions(L, functions);
}
