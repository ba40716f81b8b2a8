/* The module's data for each Lua state: one userdata in the registry. */

#include "lua/state.h"

#include <lauxlib.h>

#include "base/loan.h"
#include "base/tls.h"
#include "lua/register.h"

static const char state_key = 0;
static atomic_ulong closings;             /* number of closed states; a greater number means that the address in
                                          ** `last` may belong to a new state */

/* The state that this thread has looked up last. */
static _Thread_local FAST_TLS struct { const void *registry; unsigned long closings; module_state *state; } last;

void push_state_userdata(lua_State *L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key); }

static module_state *find_state(lua_State *L) {
  push_state_userdata(L);
  module_state *m = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return m;
}

module_state *state_of(lua_State *L) {
  const void *registry = lua_topointer(L, LUA_REGISTRYINDEX);
  unsigned long now = atomic_load_explicit(&closings, memory_order_relaxed);
  if (last.registry != registry || last.closings != now) {
    last.state = find_state(L);
    last.registry = registry;
    last.closings = now;
  }
  return last.state;
}

account *account_of(module_state *m, place where) {
  account *a = m->accounts;
  while (a && !place_equal(a->where, where)) a = a->next;
  if (a || m->closed) return a;
  a = account_open(where);
  if (!a) return NULL;
  a->next = m->accounts;
  return m->accounts = a;
}

/* Closes the accounts. This finalizer runs after the finalizers of all tensors, because the state's userdata was the
** first object of the module to get a finalizer. */
static int l_close(lua_State *L) {
  module_state *m = lua_touserdata(L, 1);
  while (m->accounts) {
    account *a = m->accounts;
    m->accounts = a->next;
    account_close(a);
  }
  loan_forget(&m->running);
  m->closed = true;
  atomic_fetch_add(&closings, 1);
  return 0;
}

void check_no_sandbox(lua_State *L, const char *fn) {
  if (state_of(L)->sandbox) luaL_error(L, "%s: not in a sandbox", fn);
}

static int l_refused(lua_State *L) {
  check_no_sandbox(L, lua_tostring(L, lua_upvalueindex(1)));
  return 0;
}

void push_refusal(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_pushcclosure(L, l_refused, 1);
}

/* Gives the object at the top of the stack a new metatable with finalizer f. */
static void set_finalizer(lua_State *L, lua_CFunction f) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, f);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
}

void at_state_end(lua_State *L, lua_CFunction f) {
  lua_newuserdatauv(L, 0, 0);
  lua_pushvalue(L, -1);
  luaL_ref(L, LUA_REGISTRYINDEX);
  set_finalizer(L, f);               /* set last, because f must not be called if memory runs out before */
  lua_pop(L, 1);
}

/* True if the host set this field of the registry before the module was opened. */
static bool is_asked(lua_State *L, const char *field) {
  lua_getfield(L, LUA_REGISTRYINDEX, field);
  bool asked = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return asked;
}

bool open_state(lua_State *L) {
  if (find_state(L)) return false;              /* a script loads the module a second time */
  module_state *m = lua_newuserdatauv(L, sizeof *m, 1);
  *m = (module_state){.standard = host_place(), .sandbox = is_asked(L, "luatensor.sandbox")};
  set_finalizer(L, l_close);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "luatensor.cancel");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  return true;
}
