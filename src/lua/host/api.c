/* The C interface for hosts, the programs that embed Lua: puts a table of function pointers into Lua's registry, where
** the functions of include/luatensor.h find it. */

#include "base/system.h"
#include "lua/args.h"
#include "lua/host/host.h"
#include "lua/register.h"
#include "lua/state.h"

static account *own_account(lua_State *L, const char *fn) {
  account *own = account_of(state_of(L), host_place());
  if (!own) raise(L, fn, ERR_MEMORY, NULL, 0);
  return own;
}

static void set_memory_limit(lua_State *L, uint64_t bytes) { own_account(L, "set_memory_limit")->limit = (size_t)bytes; }

static void read_memory(lua_State *L, luatensor_memory *m) {
  const account *own = own_account(L, "memory");
  const memory_stats *all = host_place().device->stats(0);
  *m = (luatensor_memory){.live = account_live(own), .peak = own->peak, .limit = own->limit,
                          .process_live = memory_count(&all->live), .process_peak = memory_count(&all->peak)};
}

static int set_threads(int n) {
  if (n < 1 || n > system_most_threads()) return LUATENSOR_bad_threads;
  host_place().device->set_threads(n);
  return LUATENSOR_ok;
}

static int threads(void) { return host_place().device->threads(); }

/* Returns the state's data, of which a host uses only the cancel flag. */
static luatensor_cancel *cancel_flag(lua_State *L) { return (luatensor_cancel *)state_of(L); }

static void set_cancel(luatensor_cancel *flag, int on) { atomic_store(&((module_state *)flag)->cancelled, on != 0); }

static const char *explain(int status) {
  switch (status) {
    case LUATENSOR_ok:           return "done";
    case LUATENSOR_ended:        return "this loan has ended: it was revoked before, or its last tensor was collected";
    case LUATENSOR_other_thread: return "this loan belongs to another thread; revoke it there, or claim it first if its state moved here";
    case LUATENSOR_busy:         return "an operation of this state is running; revoke or claim when the call that started it has returned";
    case LUATENSOR_bad_threads:
      return "the number of threads must be at least 1, and at most 4 times the number of processors; this limit is from 64 to 1024";
    default:                     return "not a status of luatensor.h";
  }
}

static const luatensor_api api = {
  .abi = LUATENSOR_ABI, .oldest = 1, .new_tensor = api_new_tensor, .is_tensor = api_is_tensor, .read = api_read,
  .check = api_check, .lend = api_lend, .revoke = api_revoke, .claim = api_claim, .set_memory_limit = set_memory_limit,
  .memory = read_memory, .set_threads = set_threads, .threads = threads, .cancel_flag = cancel_flag,
  .set_cancel = set_cancel, .explain = explain
};

void open_host_api(lua_State *L) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)&api);
  lua_setfield(L, LUA_REGISTRYINDEX, "luatensor.api");
}
