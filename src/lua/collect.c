/* Decides when Lua's garbage collector runs, so that unused tensors are freed.
**
** Lua counts a few hundred bytes for each tensor, whatever its size, so by itself Lua collects garbage far too
** rarely. In generational mode, which the program lua5.4 uses, Lua's own steps never free objects that survived two
** steps. So live bytes are counted for each state and device. Garbage is collected before a storage is made, in the
** mode that the host or the script chose.
**
** The generational mode has two thresholds of live bytes:
**   step_at     starts a young collection, which frees nearly all garbage at little cost, so that new results reuse
**               memory that is still in the cache. Then step_at becomes live + the new storage + NURSERY. Without
**               the new storage, a small tensor after a large one would start the next young collection too early.
**   collect_at  starts a full collection, which takes 0.1 ms for the heap of a small script, if the young collection
**               has left more live bytes. The new storage does not count: otherwise every result that is larger than
**               the slack would start a full collection. Then collect_at becomes live + max(slack, share of live, 4 *
**               Lua's heap). The slack and the share are below (CPU_SLACK, GPU_SLACK). Filling the slack takes several
**               times as long as the collection. The share of live bytes makes collections rare if much is live. The
**               last term bounds the relative cost for scripts with a large heap.
** A full collection also starts if Lua's heap has doubled since the last one. Lua itself starts no full collections
** while this file makes young collections. The backward pass begins with a full collection if live bytes have grown
** by half of the growth that collect_at allows, because tensors that only garbage refers to cannot be freed during the
** pass.
**
** The incremental mode has no full collections unless memory is exhausted, because they would stop the host for too
** long (86 ms for 64 MB of small tables). Its only threshold is step_at, which starts a step of at most a tenth of a
** millisecond (FINE). Steps are spaced so that two cycles end before live bytes grow by max(slack, share of live,
** 4 * Lua's heap). Two cycles are needed, because an object that dies just after it was marked is freed in the next
** cycle. */

#include "lua/collect.h"

#include "lua/args.h"

#define NURSERY    ((size_t)512 << 10)
#define CPU_SLACK  ((size_t)16 << 20)         /* bytes: additions allocate this much in 2 ms; the slack is at least
                                              ** 1/16 of the live bytes */
#define GPU_SLACK  ((size_t)64 << 20)         /* bytes; the slack is at least 1/32 of the memory that was free at the last
                                              ** full collection, and at least 1/4 of the live bytes. An H100 fills 64 MiB in
                                              ** 0.03 ms, and a collection takes 0.1 to 0.5 ms */
#define FINE_SLACK ((size_t)4 << 20)          /* bytes, in incremental mode on the CPU: a cycle of a small heap
                                              ** takes 0.2 ms */
#define HEAP_SLACK ((size_t)1 << 20)
#define GRAPH_HEAP ((size_t)16 << 20)         /* bytes of Lua's heap: a full collection takes up to 20 ms */

enum {
  FINE       = 4,        /* "stepmul" of a step: 1/25 of Lua's default, whose steps took 2 to 6 ms with 64 MB of small
                         ** tables */
  MOST_STEPS = 256       /* the maximum number of steps before one allocation; 256 steps take 10 to 25 ms, which is
                         ** negligible beside the time of an allocation of about 80 MB */
};

static atomic_uint requests;              /* counts the calls of ask_others by states that have run out of memory */

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

static size_t heap_of(lua_State *L) { return (size_t)lua_gc(L, LUA_GCCOUNT) << 10; }

/* Returns the least slack of a GPU, which depends on the free memory of the device if this memory is known. */
static size_t gpu_slack(const account *a) {
  const device *d = a->where.device;
  size_t bytes;
  bool known = d->available && d->available(a->where.index, &bytes) == OK && bytes != SIZE_MAX;
  return max_size(GPU_SLACK, known ? bytes / 32 : 0);
}

/* Returns the number of bytes by which live memory may grow before all garbage must have been collected. `least` is
** the smallest result on the CPU. `heap` is the size of Lua's heap in bytes. */
static size_t slack_of(account *a, size_t least, size_t heap) {
  bool cpu = place_is_host(a->where);
  if (!cpu && a->slack == 0) a->slack = gpu_slack(a);
  return max_size(max_size(cpu ? least : a->slack, account_live(a) / (cpu ? 16 : 4)), 4 * heap);
}

/* Makes one step of Lua's collector, which is a young collection in generational mode. Returns true if an incremental
** collector has ended a cycle. lua_gc expects the step as a size_t in Lua 5.5, as an int in Lua 5.4. */
bool collect_step(lua_State *L) {
#if LUA_VERSION_NUM >= 505
  return lua_gc(L, LUA_GCSTEP, (size_t)0) == 1;
#else
  return lua_gc(L, LUA_GCSTEP, 0) == 1;
#endif
}

/* Makes a short step of the collector. In Lua 5.4, the only way to request less work than the multiplier gives is to
** change the multiplier. A basic step of Lua 5.5 is already short: a cycle over 300 000 tables takes 628 such steps,
** or 351 steps of Lua 5.4 with the multiplier FINE. */
static bool step(lua_State *L) {
#ifdef LUA_GCSETSTEPMUL
  int multiplier = lua_gc(L, LUA_GCSETSTEPMUL, FINE);
  bool ended = collect_step(L);
  lua_gc(L, LUA_GCSETSTEPMUL, multiplier);
  return ended;
#else
  return collect_step(L);
#endif
}

/* ---- incremental ---- */

/* Estimates the number of steps of a collection cycle: the steps of the last cycle whose end `step` reported, scaled by
** the growth of Lua's heap since then. Lua's own steps may end cycles unnoticed, so the result is at least the number
** of steps since the last reported end. */
static size_t steps_of_cycle(const module_state *m, size_t heap) {
  size_t last = (size_t)m->cycle * (heap >> 10) / max_size(m->cycle_heap >> 10, 1);
  return max_size(max_size(last, (size_t)m->steps), 1);
}

static void step_finely(lua_State *L, module_state *m, account *a, size_t bytes) {
  size_t heap = heap_of(L), apart = slack_of(a, FINE_SLACK, heap) / 2 / steps_of_cycle(m, heap) + 1;
  size_t due = 1 + bytes / apart;
  for (size_t k = 0; k < due && k < MOST_STEPS; k++) {
    m->steps++;
    if (!step(L)) continue;
    m->cycle = m->steps;
    m->cycle_heap = heap;
    m->steps = 0;
    break;
  }
  a->step_at = account_live(a) + apart;
}

/* ---- generational ---- */

/* True if the collector is incremental. For a generational collector this call is a full collection: Lua tells the mode
** only when the mode is set, and switching to incremental mode and back collects everything. */
static bool is_incremental(lua_State *L) {
  if (lua_gc(L, LUA_GCINC, 0, 0, 0) != LUA_GCGEN) return true;
  lua_gc(L, LUA_GCGEN, 0, 0);
  return false;
}

/* Sets the thresholds after a full collection. */
static void settle(lua_State *L, module_state *m, account *a) {
  m->settled_heap = heap_of(L);
  a->settled = account_live(a);
  a->slack = 0;
  a->step_at = a->settled + NURSERY;
  a->collect_at = a->settled + slack_of(a, CPU_SLACK, m->settled_heap);
}

static void collect_fully(lua_State *L, module_state *m, account *a) {
  m->incremental = is_incremental(L);
  if (!m->incremental) settle(L, m, a);
}

static void step_young(lua_State *L, module_state *m, account *a, size_t bytes) {
  if (!a->stepped) m->incremental = step(L);
  a->stepped = false;
  a->step_at = account_live(a) + bytes + NURSERY;
  if (a->collect_at == 0) a->collect_at = account_live(a) + slack_of(a, CPU_SLACK, 0);
  size_t heap = heap_of(L);
  if (m->settled_heap == 0) m->settled_heap = heap;
  if (account_live(a) > a->collect_at || heap > 2 * m->settled_heap + HEAP_SLACK) collect_fully(L, m, a);
}

void collect_grown(lua_State *L, place where) {
  module_state *m = state_of(L);
  account *a = account_of(m, where);
  if (!a || m->incremental || a->collect_at == 0) return;
  size_t mark = a->settled + (a->collect_at - a->settled) / 2;
  if (account_live(a) > mark && lua_gc(L, LUA_GCISRUNNING) == 1) collect_fully(L, m, a);
}

/* ---- both modes ---- */

void collect_before(lua_State *L, place where) {
  account *a = account_of(state_of(L), where);
  if (lua_gc(L, LUA_GCISRUNNING) != 1) return;
  collect_step(L);
  if (a) a->stepped = true;
}

void collect_start(module_state *m) {
  m->cycle = 16;
  m->cycle_heap = (size_t)1 << 20;
  m->answered = atomic_load_explicit(&requests, memory_order_relaxed);
}

void collect_all(lua_State *L, module_state *m, account *a) {
  lua_gc(L, LUA_GCCOLLECT);
  if (a) settle(L, m, a);
}

void collect_for_graph(lua_State *L, module_state *m, account *a) {
  if (lua_gc(L, LUA_GCISRUNNING) == 1 && heap_of(L) <= GRAPH_HEAP) collect_all(L, m, a);
}

void ask_others(module_state *m) { m->answered = 1 + atomic_fetch_add(&requests, 1); }

/* Collects all garbage, because another state has run out of memory. */
static void answer(lua_State *L, module_state *m, account *a) {
  m->answered = atomic_load_explicit(&requests, memory_order_relaxed);
  collect_all(L, m, a);
}

/* Collects nothing unless lua_gc(L, LUA_GCISRUNNING) returns 1. Inside of a finalizer the value is -1 or 0; after the
** script stopped the collector, the value is 0. */
void collect_if_due(lua_State *L, module_state *m, account *a, size_t bytes) {
  bool asked = atomic_load_explicit(&requests, memory_order_relaxed) != m->answered;
  if ((!asked && account_live(a) + bytes <= a->step_at) || lua_gc(L, LUA_GCISRUNNING) != 1) return;
  if (asked) answer(L, m, a);
  else if (m->incremental && is_incremental(L)) step_finely(L, m, a, bytes);
  else step_young(L, m, a, bytes);
}
