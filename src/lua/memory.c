/* Makes new tensors in Lua, frees the tensors of scopes, and raises errors if a state's memory is exhausted. */

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/tls.h"
#include "lua/args.h"
#include "lua/collect.h"
#include "lua/compose.h"
#include "lua/interrupt.h"
#include "lua/register.h"
#include "op/graph.h"

static _Thread_local FAST_TLS scope *open_scope;

/* ---- out of memory ---- */

void reclaim(lua_State *L, place where) {
  module_state *m = state_of(L);
  collect_all(L, m, account_of(m, where));
  where.device->empty_cache(where.index);
}

/* Raises an error if `bytes` more bytes would exceed the state's limit even after all garbage was collected. */
static void check_limit(lua_State *L, module_state *m, account *a, size_t bytes) {
  collect_all(L, m, a);
  if (account_allows(a, bytes)) return;
  const char *name = push_place(L, a->where), *wanted = push_bytes(L, bytes), *live = push_bytes(L, account_live(a));
  luaL_error(L, "out of memory on %s: asked for %s; %s live in this Lua state, whose limit is %s", name, wanted, live,
             push_bytes(L, a->limit));
}

enum { NESTED = 20 };       /* the number of call stack levels that push_script_line searches */

const char *push_script_line(lua_State *L) {
  lua_Debug ar;
  int top = lua_gettop(L);
  const char *at = lua_pushliteral(L, "");
  for (int level = 0; level < NESTED && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (is_composition(L, &ar)) at = "";
    else if (!*at && ar.currentline > 0) at = lua_pushfstring(L, "%s:%d", ar.short_src, ar.currentline);
  }
  lua_pushstring(L, at);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  return lua_tostring(L, -1);
}

/* Returns a text that says where a tensor was made, for the message about exhausted memory: "[7000, 7000] float32 made
** at train.lua:14". The caller owns the text. Returns NULL if there is no memory for the text. */
static char *describe_origin(lua_State *L, const tensor *t) {
  int top = lua_gettop(L);
  const char *dims = push_shape(L, &t->shape), *line = push_script_line(L);
  char *text = strdup(lua_pushfstring(L, "%s %s%s%s", dims, dtypes[t->dtype].name, *line ? " made at " : "", line));
  lua_settop(L, top);
  return text;
}

/* The variable LUATENSOR_GCSTRESS is K or K:OFFSET. A full garbage collection then runs before every K-th new tensor,
** so that specs detect the use of objects that no reference keeps alive. The count of tensors starts at OFFSET. */
static struct {
  atomic_long every;                     /* K of the variable; 0: no collections; -1: not read yet */
  atomic_ulong made;
} stress = {-1, 0};

static long read_stress(void) {
  const char *text = getenv("LUATENSOR_GCSTRESS");
  char *rest = NULL;
  long every = text ? strtol(text, &rest, 10) : 0;
  if (text && every < 1) every = 1;
  if (text && *rest == ':') atomic_store(&stress.made, strtoul(rest + 1, NULL, 10));
  atomic_store(&stress.every, every);
  return every;
}

/* True if a collection is due before the next tensor. */
static bool gc_stress(void) {
  long every = atomic_load_explicit(&stress.every, memory_order_relaxed);
  if (every < 0) every = read_stress();
  if (!every) return false;
  return (atomic_fetch_add(&stress.made, 1) + 1) % (unsigned long)every == 0;
}

/* ---- scopes ---- */

scope *scope_open(lua_State *L, scope *s) {
  if (open_scope) return NULL;
  s->n = 0;
  s->hooked = lua_gethook(L) != NULL;
  s->thread = L;
  return open_scope = s;
}

scope *scope_current(void) { return open_scope; }

void scope_leave(scope *outer) { open_scope = outer; }

static void scope_add(lua_State *L, tensor_userdata *u) {
  scope *s = open_scope;
  if (s->n == SCOPE || L != s->thread) return;
  if ((s->hooked || lua_gc(L, LUA_GCISRUNNING) != 1) && is_in_interrupt(L)) return;
  s->made[s->n++] = u;
}

void scope_forget(const tensor_userdata *u) {
  for (int i = 0; open_scope && i < open_scope->n; i++)
    if (open_scope->made[i] == u) open_scope->made[i] = NULL;
}

void scope_close(lua_State *L, scope *s, int result) {
  if (!s) return;
  open_scope = NULL;
  if (lua_istable(L, result))
    for (lua_pushnil(L); lua_next(L, result); lua_pop(L, 1))
      for (int i = 0; i < s->n; i++)
        if (s->made[i] == lua_touserdata(L, -1)) s->made[i] = NULL;
  for (int i = 0; i < s->n; i++)
    if (s->made[i] && s->made[i] != lua_touserdata(L, result)) tensor_drop(&s->made[i]->tensor);
}

/* ---- new tensors ---- */

tensor *push_empty(lua_State *L) {
  if (gc_stress()) lua_gc(L, LUA_GCCOLLECT);
  tensor_userdata *u = lua_newuserdatauv(L, sizeof *u, 1);
  u->tensor.store = NULL;
  u->tensor.weak = u->tensor.apart = u->needs_grad = u->held = false;
  u->is_leaf = true;
  u->output = 0;
  u->class = &tensor_class;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &tensor_class);
  lua_setmetatable(L, -2);
  if (open_scope) scope_add(L, u);
  return &u->tensor;
}

enum {
  HELD = 64 << 10,                       /* bytes that take longer to allocate anew than a list takes to run */
  KEPT = 4 << 10                         /* bytes of a tensor for which garbage is collected while a graph is captured */
};

/* Prepares an allocation of `bytes` bytes: collects garbage if a collection is due, and checks the state's limit.
** Returns the account that counts the state's memory on `where`, or NULL if the state is being closed and counts no
** more. */
static inline account *prepare_account(lua_State *L, const char *fn, place where, size_t bytes) {
  module_state *m = state_of(L);
  account *a = account_of(m, where);
  if (!a && !m->closed) raise(L, fn, ERR_MEMORY, NULL, 0);
  if (!a) return NULL;
  if (atomic_load_explicit(&m->cancelled, memory_order_relaxed)) raise_cancelled(L, fn);
  if (storage_capture && bytes >= KEPT) collect_for_graph(L, m, a);
  else collect_if_due(L, m, a, bytes);
  if (!account_allows(a, bytes)) check_limit(L, m, a, bytes);
  return a;
}

void prepare_memory(lua_State *L, const char *fn, place where, size_t bytes) { prepare_account(L, fn, where, bytes); }

bool memory_is_allowed(lua_State *L, place where, size_t bytes) {
  account *a = account_of(state_of(L), where);
  return !a || account_allows(a, bytes);
}

/* Runs the deferred operations if their inputs take much memory that nobody else needs, before more memory is allocated. */
static void end_held_list(lua_State *L) {
  bool can_run = deferral_is_mine(L) && !this_operation.inside;
  if (can_run && deferral_held(open_deferral) >= HELD) the_deferred_runner(L, NULL);
}

static inline tensor *push_made(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where,
                                int (*init)(tensor *, enum dtype, const shape *, place)) {
  int64_t count;
  int st = shape_count(s, dtype_size(dtype), &count);
  if (st != OK) raise(L, fn, st, NULL, 0);
  size_t bytes = (size_t)count * (size_t)dtype_size(dtype);
  if (open_deferral) {
    deferral_note(L, fn, dtype, s);
    if (bytes >= HELD) end_held_list(L);
  }
  account *a = prepare_account(L, fn, where, bytes);
  tensor *t = push_empty(L);             /* after the collection, which would otherwise make the new tensor older */
  const bool outer = this_operation.repeats;         /* of the operation whose hook makes the tensor */
  this_operation.repeats = true;
  st = init(t, dtype, s, where);
  this_operation.repeats = outer;
  if (st == ERR_MEMORY) {
    reclaim(L, where);
    st = init(t, dtype, s, where);
  }
  if (st == ERR_MEMORY) raise_full(L, where, lua_pushfstring(L, "asked for %s", push_bytes(L, bytes)));
  if (st != OK) raise_device(L, fn, st, where);
  if (a) account_charge(a, t->store);
  if (bytes >= LARGE_STORAGE) t->store->origin = describe_origin(L, t);
  return t;
}

tensor *push_tensor(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where) {
  return push_made(L, fn, dtype, s, where, tensor_init);
}

tensor *push_complex(lua_State *L, const char *fn) {
  return push_made(L, fn, DT_complex128, &(shape){.ndim = 0}, host_place(), graph_make_number);
}

tensor *push_deferred(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where) {
  int64_t count = 0;
  bool later = deferral_is_mine(L) && shape_count(s, dtype_size(dtype), &count) == OK && count > 0;
  if (!later) return push_tensor(L, fn, dtype, s, where);
  if (deferral_is_full(open_deferral)) the_deferred_runner(L, NULL);
  module_state *m = state_of(L);
  tensor *t = push_empty(L);
  if (atomic_load_explicit(&m->cancelled, memory_order_relaxed)) raise_cancelled(L, fn);
  account *a = account_of(m, where);
  int st = tensor_init_later(t, dtype, s, where, a);
  if (st != OK) raise(L, fn, st, (const tensor *[]){t}, 0);
  return t;
}

tensor *push_view(lua_State *L, const tensor *base) {
  tensor *t = push_empty(L);
  tensor_view(t, base);
  return t;
}

/* ---- functions ---- */

static void set_bytes(lua_State *L, const char *name, size_t bytes) {
  lua_pushinteger(L, (lua_Integer)bytes);
  lua_setfield(L, -2, name);
}

/*** Returns the memory on a device in bytes. For the whole process: live (used by tensors and running operations), peak
(the maximum of live so far), cached (freed and kept for reuse). For the tensors of this Lua state: state_live,
state_peak, and state_limit if `set_memory_limit` has set one.
@function memory
@tparam[opt] string device by default the default device
@treturn table {live = …, peak = …, cached = …, state_live = …, state_peak = …, state_limit = …}
*/
static int l_memory(lua_State *L) {
  place where = arg_place(L, 1, "memory");
  const memory_stats *all = where.device->stats(where.index);
  const account *own = account_of(state_of(L), where);
  lua_createtable(L, 0, 6);
  set_bytes(L, "live", memory_count(&all->live));
  set_bytes(L, "peak", memory_count(&all->peak));
  set_bytes(L, "cached", memory_count(&all->cached));
  set_bytes(L, "state_live", own ? account_live(own) : 0);
  set_bytes(L, "state_peak", own ? own->peak : 0);
  if (own && own->limit) set_bytes(L, "state_limit", own->limit);
  return 1;
}

/*** Resets the peaks of the process and of this Lua state to the bytes that are live now.
@function reset_peak_memory
@tparam[opt] string device by default the default device
*/
static int l_reset_peak_memory(lua_State *L) {
  place where = arg_place(L, 1, "reset_peak_memory");
  memory_stats *all = where.device->stats(where.index);
  account *own = account_of(state_of(L), where);
  __atomic_store_n(&all->peak, memory_count(&all->live), __ATOMIC_RELAXED);
  if (own) own->peak = account_live(own);
  return 0;
}

/*** Limits the memory that the tensors of this Lua state may take on a device. An allocation beyond the limit collects
garbage; if that does not suffice, it raises `out of memory on cpu: …`. Scratch memory of operations is not counted. The
environment variable LUATENSOR_MEMORY_LIMIT limits the whole process. In a sandbox a script can lower the limit but not
raise it.
@function set_memory_limit
@tparam integer|nil bytes nil: no limit
@tparam[opt] string device by default the default device
*/
static int l_set_memory_limit(lua_State *L) {
  lua_settop(L, 2);
  int64_t bytes = lua_isnil(L, 1) ? 0 : check_integer(L, 1, "set_memory_limit", "bytes");
  if (bytes < 0 || (bytes == 0 && !lua_isnil(L, 1)))
    return luaL_error(L, "set_memory_limit: %I is not a number of bytes from 1 on; nil: no limit", (LUAI_UACINT)bytes);
  module_state *m = state_of(L);
  account *own = account_of(m, arg_place(L, 2, "set_memory_limit"));
  if (!own) return raise(L, "set_memory_limit", ERR_MEMORY, NULL, 0);
  bool lower = bytes > 0 && (own->limit == 0 || (size_t)bytes <= own->limit);
  if (m->sandbox && !lower) return luaL_error(L, "set_memory_limit: a script in a sandbox cannot raise its limit");
  own->limit = (size_t)bytes;
  return 0;
}

/*** Gives freed memory that was kept for reuse back to the system.
@function empty_cache
@tparam[opt] string device by default the default device
*/
static int l_empty_cache(lua_State *L) {
  place where = arg_place(L, 1, "empty_cache");
  where.device->empty_cache(where.index);
  return 0;
}

/* _fail_after(n, times), for specs of error paths if LUATENSOR_FAULTS is set: makes the n-th allocation from now on
** fail, and the `times` - 1 allocations after that one. Counts the allocations of all states of the process. */
static int l_fail_after(lua_State *L) {
  long n = (long)check_integer(L, 1, "_fail_after", "n");
  storage_fail_after(n, lua_isnoneornil(L, 2) ? 1 : (long)check_integer(L, 2, "_fail_after", "times"));
  return 0;
}

static const function_row functions[] = {
  {"memory", l_memory, 1}, {"reset_peak_memory", l_reset_peak_memory, 1}, {"set_memory_limit", l_set_memory_limit, 2},
  {"empty_cache", l_empty_cache, 1}, {NULL, NULL, 0}
};
/* _ask_always(on), for specs of cancelling: if `on` is true, operations call the debug hook at every check from now on,
** instead of once in 10 ms. */
static int l_ask_always(lua_State *L) {
  cancel_ask_always(lua_toboolean(L, 1));
  return 0;
}

static const function_row faults[] = {{"_fail_after", l_fail_after, ANY}, {"_ask_always", l_ask_always, 1}, {NULL, NULL, 0}};

/* Raises an error if a variable cannot be read as a size, because the limit would otherwise be ignored or misread. */
static void check_environment(lua_State *L, const char *variable) {
  const char *text = getenv(variable);
  size_t bytes;
  if (text && !text_bytes(text, &bytes))
    luaL_error(L, "luatensor: %s is \"%s\"; a number of bytes expected, with K, M, G or T behind it: 512M, 1.5G", variable,
               text);
}

void open_memory(lua_State *L) {
  check_environment(L, "LUATENSOR_MEMORY_LIMIT");
  check_environment(L, "LUATENSOR_CACHE_SIZE");
  add_functions(L, functions);
  if (getenv("LUATENSOR_FAULTS")) add_functions(L, faults);
}
