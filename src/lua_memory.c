/* Memory as Lua sees it: new tensors, when to collect garbage for them, what to say when there is no more.
**
** Lua counts a few hundred bytes a tensor, whatever it holds, and in generational mode (lua5.4's default)
** its own steps never free what survived two of them. So live bytes are counted here, and before a storage
** is made that would pass one of two marks, garbage is collected:
**   step_at     a step of Lua's collector. In generational mode it frees what died young, nearly everything, for
**               little; so that results come back while they are in the cache. Moves to live + NURSERY.
**   collect_at  a full collection, 0.1 ms for a heap of a small script. Moves to live + max(slack, share of live,
**               4 * Lua's heap). The slack is what takes several times as long to fill; the share keeps marks apart
**               where much is live; the last term keeps the cost in proportion for scripts with a large heap.
**               The same where Lua's heap has doubled: its own collector, which would see to that, does not while
**               steps are made for it.
** Backward, too, begins with a full collection where much was made: what only garbage refers to could not go on
** the way. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua_args.h"
#include "lua_compose.h"
#include "lua_register.h"

#define NURSERY    ((size_t)512 << 10)
#define CPU_SLACK  ((size_t)16 << 20)         /* 2 ms of additions; and a 16th of what is live */
#define GPU_SLACK  ((size_t)64 << 20)         /* and a quarter */
#define HEAP_SLACK ((size_t)1 << 20)

#ifdef __ELF__
#define THREAD_LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define THREAD_LOCAL static _Thread_local
#endif

THREAD_LOCAL size_t settled_heap;            /* Lua's heap after the last full collection */
THREAD_LOCAL scope *open_scope;

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

/* By how much live bytes may grow from now on until a full collection. */
static size_t slack_of(const memory_stats *m, place where) {
  bool cpu = where.device == &cpu_device;
  return max_size(cpu ? CPU_SLACK : GPU_SLACK, m->live / (cpu ? 16 : 4));
}

static size_t heap_of(lua_State *L) { return (size_t)lua_gc(L, LUA_GCCOUNT) << 10; }

static void collect(lua_State *L, place where) {
  memory_stats *m = where.device->stats(where.index);
  lua_gc(L, LUA_GCCOLLECT);
  size_t heap = settled_heap = heap_of(L);
  m->settled = m->live;
  m->step_at = m->live + NURSERY;
  m->collect_at = m->live + max_size(slack_of(m, where), 4 * heap);
}

static void step(lua_State *L, memory_stats *m, place where) {
  lua_gc(L, LUA_GCSTEP, 0);
  m->step_at = m->live + NURSERY;
  if (m->collect_at == 0) m->collect_at = m->live + slack_of(m, where);
}

/* Not inside a finalizer (-1) and not where the script stopped the collector (0). */
static void collect_if_due(lua_State *L, place where, size_t bytes) {
  memory_stats *m = where.device->stats(where.index);
  if (m->live + bytes <= m->step_at || lua_gc(L, LUA_GCISRUNNING) != 1) return;
  step(L, m, where);
  size_t heap = heap_of(L);
  if (settled_heap == 0) settled_heap = heap;
  if (m->live + bytes > m->collect_at || heap > 2 * settled_heap + HEAP_SLACK) collect(L, where);
}

void collect_grown(lua_State *L, place where) {
  const memory_stats *m = where.device->stats(where.index);
  size_t mark = m->settled + (m->collect_at - m->settled) / 2;
  if (m->collect_at > 0 && m->live > mark && lua_gc(L, LUA_GCISRUNNING) == 1) collect(L, where);
}

/* ---- out of memory ---- */

void reclaim(lua_State *L, place where) {
  collect(L, where);
  where.device->empty_cache(where.index);
}

/* "186.9 MiB" */
static const char *push_bytes(lua_State *L, size_t bytes) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double n = (double)bytes;
  int unit = 0;
  for (; n >= 1024 && unit < 6; unit++) n /= 1024;
  char text[32];
  snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", n, units[unit]);
  return lua_pushstring(L, text);
}

/* wanted: what there was no room for. */
static int raise_full(lua_State *L, place where, const char *wanted) {
  const memory_stats *m = where.device->stats(where.index);
  storage_census census;
  storage_count(where, &census);
  push_place(L, where);
  const char *name = lua_tostring(L, -1);
  const char *live = push_bytes(L, m->live), *cached = push_bytes(L, m->cached);
  const char *largest = census.origin[0] ? lua_pushfstring(L, "; largest: %s", census.origin) : "";
  return luaL_error(L, "out of memory on %s: %s; %s live in %d tensor%s, %s cached%s", name, wanted, live,
                    (int)census.count, census.count == 1 ? "" : "s", cached, largest);
}

int raise_memory(lua_State *L, const char *fn, place where) {
  return raise_full(L, where, lua_pushfstring(L, "scratch of %s", *fn ? fn : "indexing"));
}

enum { NESTED = 20 };       /* levels of functions calling functions inside the library, at most */

/* "[7000, 7000] float32 made at train.lua:14", for the message above: the line of the script, not of a composition. */
static char *describe_origin(lua_State *L, const tensor *t) {
  lua_Debug ar;
  const char *at = "";
  int top = lua_gettop(L);
  push_shape(L, &t->shape);
  const char *dims = lua_tostring(L, -1);
  for (int level = 0; level < NESTED && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (is_composition(L, &ar)) at = "";
    else if (!*at && ar.currentline > 0) at = lua_pushfstring(L, " made at %s:%d", ar.short_src, ar.currentline);
  }
  char *text = strdup(lua_pushfstring(L, "%s %s%s", dims, dtypes[t->dtype].name, at));
  lua_settop(L, top);
  return text;
}

/* LUATENSOR_GCSTRESS=1: a full collection before each new tensor, so that specs find what nothing holds on to. */
static bool gc_stress(void) {
  static int on = -1;
  if (on < 0) on = getenv("LUATENSOR_GCSTRESS") != NULL;
  return on == 1;
}

/* ---- scopes ---- */

scope *scope_open(scope *s) {
  if (open_scope) return NULL;
  s->n = 0;
  return open_scope = s;
}

scope *scope_current(void) { return open_scope; }

void scope_leave(scope *outer) { open_scope = outer; }

static void scope_add(lua_State *L, tensor_userdata *u) {
  scope *s = open_scope;
  if (s->n < SCOPE && lua_gc(L, LUA_GCISRUNNING) != -1) s->made[s->n++] = u;
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

tensor *push_tensor(lua_State *L, const char *fn, enum dtype dtype, const shape *s, place where) {
  int64_t count;
  int st = shape_count(s, dtype_size(dtype), &count);
  if (st != OK) raise(L, fn, st, NULL, 0);
  size_t bytes = (size_t)count * (size_t)dtype_size(dtype);
  tensor *t = push_empty(L);
  collect_if_due(L, where, bytes);
  st = tensor_init(t, dtype, s, where);
  if (st == ERR_MEMORY) {
    reclaim(L, where);
    st = tensor_init(t, dtype, s, where);
  }
  if (st == ERR_MEMORY) raise_full(L, where, lua_pushfstring(L, "asked for %s", push_bytes(L, bytes)));
  if (st != OK) raise_device(L, fn, st, where);
  if (bytes >= LARGE_STORAGE) t->store->origin = describe_origin(L, t);
  return t;
}

tensor *push_view(lua_State *L, const tensor *base) {
  tensor *t = push_empty(L);
  tensor_view(t, base);
  return t;
}

/* ---- functions ---- */

/*** Memory of tensors on a device, in bytes: live (in use), peak (the most so far), cached (freed, kept
for reuse).
@function memory
@tparam[opt] string device the default device when left out
@treturn table {live = …, peak = …, cached = …}
*/
static int l_memory(lua_State *L) {
  place where = arg_place(L, 1, "memory");
  const memory_stats *m = where.device->stats(where.index);
  lua_createtable(L, 0, 3);
  lua_pushinteger(L, (lua_Integer)m->live);
  lua_setfield(L, -2, "live");
  lua_pushinteger(L, (lua_Integer)m->peak);
  lua_setfield(L, -2, "peak");
  lua_pushinteger(L, (lua_Integer)m->cached);
  lua_setfield(L, -2, "cached");
  return 1;
}

/*** Starts a new measurement of the peak: it becomes what is live now.
@function reset_peak_memory
@tparam[opt] string device the default device when left out
*/
static int l_reset_peak_memory(lua_State *L) {
  place where = arg_place(L, 1, "reset_peak_memory");
  memory_stats *m = where.device->stats(where.index);
  m->peak = m->live;
  return 0;
}

/*** Gives memory that was freed and kept for reuse back to the system.
@function empty_cache
@tparam[opt] string device the default device when left out
*/
static int l_empty_cache(lua_State *L) {
  place where = arg_place(L, 1, "empty_cache");
  where.device->empty_cache(where.index);
  return 0;
}

/* For specs of the error paths (not documented): allocations n … n + times - 1 from now on fail. */
static int l_fail_after(lua_State *L) {
  long n = (long)check_integer(L, 1, "_fail_after", "n");
  storage_fail_after(n, lua_isnoneornil(L, 2) ? 1 : (long)check_integer(L, 2, "_fail_after", "times"));
  return 0;
}

static const function_row functions[] = {
  {"memory", l_memory, 1}, {"reset_peak_memory", l_reset_peak_memory, 1}, {"empty_cache", l_empty_cache, 1},
  {"_fail_after", l_fail_after, ANY}, {NULL, NULL, 0}
};

void open_memory(lua_State *L) { add_functions(L, functions); }
