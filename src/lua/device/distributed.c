/* Exchanges between processes, for lua/luatensor/distributed. Its functions are internal: the Lua files check the
** arguments of scripts, and pass tensors with contiguous elements of dtypes that the engine knows. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "distributed/distributed.h"
#include "lua/args.h"
#include "lua/interrupt.h"
#include "lua/memory.h"
#include "lua/register.h"
#include "op/host.h"
#include "op/queue.h"

static const char group_class = 0, work_class = 0;       /* their addresses are registry keys of metatables */

typedef struct group_userdata { group *group; } group_userdata;

/* A started exchange. It holds the memory of its two tensors until it is complete, because the engine uses the memory even if
** the script gives the exchange up or closes the Lua state. */
typedef struct work {
  group   *group;
  void    *request;
  storage *held[2];
  bool     done;
} work;

static int push_group(lua_State *L, group *g) {
  ((group_userdata *)push_object(L, &group_class, sizeof(group_userdata), 0))->group = g;
  lua_pushinteger(L, g->rank);
  lua_pushinteger(L, g->size);
  return 3;
}

static group *check_group(lua_State *L, int i) {
  group_userdata *u = test_class(L, i, &group_class, sizeof *u);
  luaL_argexpected(L, u, i, "group");
  return u->group;
}

/* Raises an error if the engine of the group must not be called now. */
static void check_usable(lua_State *L, const group *g, const char *fn) {
  char reason[ENGINE_REASON];
  check_no_interrupt(L, fn);
  if (!distributed_may_call(reason)) luaL_error(L, "%s: %s", fn, reason);
  if (g->failure[0])
    luaL_error(L, "%s: an earlier call of this group failed (%s), so its processes may be out of step", fn, g->failure);
}

/* Marks the group as unusable, and raises the error. */
static int raise_engine(lua_State *L, group *g, const char *fn, const char *reason, bool stopped) {
  snprintf(g->failure, sizeof g->failure, "%s", stopped ? "it was interrupted" : reason);
  return stopped ? raise_cancelled(L, fn) : luaL_error(L, "%s: rank %d: %s", fn, g->rank, reason);
}

/* Returns the number of this machine's processors, or of those that its container may use, even if this process is bound
** to some of them. */
static int all_processors(void) {
  double quota;
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  system_processors("", &quota);
  return quota > 0 && quota < (double)n ? (int)quota : (int)n;
}

/* distributed_start(name): returns the group of all processes, its rank and its size. The further results are about this
** machine: the rank among its processes, the number of its processes, and the number of its processors. */
static int l_start(lua_State *L) {
  char reason[ENGINE_REASON];
  int local_rank, local_size;
  const char *name = luaL_optstring(L, 1, NULL);
  begin_operation(L);
  bool ok = distributed_start(name, reason) != NULL, stopped = this_operation.stopped;
  end_operation(L);
  if (!ok) return stopped ? raise_cancelled(L, "init") : luaL_error(L, "init: %s", reason);
  push_group(L, distributed_world(&local_rank, &local_size));
  lua_pushinteger(L, local_rank);
  lua_pushinteger(L, local_size);
  lua_pushinteger(L, all_processors());
  return 6;
}

/* distributed_find(name): returns the version of an engine's library, or nil and the reason why it is not found. */
static int l_find(lua_State *L) {
  const char *name = luaL_checkstring(L, 1), *text;
  char reason[ENGINE_REASON];
  for (int k = 0; engines[k]; k++) {
    if (strcmp(engines[k]->name, name) != 0) continue;
    if (engines[k]->find(&text, reason)) return lua_pushstring(L, text), 1;
    lua_pushnil(L);
    lua_pushstring(L, reason);
    return 2;
  }
  return luaL_error(L, "no engine %s", name);
}

/* distributed_split(group, colour, key): returns the new group, its rank and its size; colour -1: nil. */
static int l_split(lua_State *L) {
  group *g = check_group(L, 1);
  int colour = (int)luaL_checkinteger(L, 2), key = (int)luaL_checkinteger(L, 3);
  char reason[ENGINE_REASON];
  check_usable(L, g, "split");
  group *made = distributed_group(g->engine);
  if (!made) return raise(L, "split", ERR_MEMORY, NULL, 0);
  if (!g->engine) made->size = colour >= 0;
  else if (!g->engine->split(g, colour, key, made, reason)) return raise_engine(L, g, "split", reason, false);
  return made->size > 0 ? push_group(L, made) : 0;
}

/* Returns the group at stack index 1, or its partner if it exchanges elements at this place. */
static group *group_for(lua_State *L, place where, const char *fn) {
  group *g = check_group(L, 1);
  char reason[ENGINE_REASON];
  check_usable(L, g, fn);
  begin_operation(L);
  group *used = distributed_for(g, where, reason);
  bool stopped = this_operation.stopped;
  end_operation(L);
  if (!used) raise_engine(L, g, fn, reason, stopped);
  return used;
}

/* distributed_native(group, x): returns the name of a device to which x must be moved, or nil if the engine can access
** the memory of x. The second result is true if the engine can sum elements of x's dtype. */
static int l_native(lua_State *L) {
  const tensor *t = check_tensor(L, 2, "distributed");
  const engine *e = group_for(L, t->store->place, "distributed")->engine;
  bool reaches = !e || e->reaches(t->store->place);
  if (reaches) lua_pushnil(L);
  else lua_pushstring(L, e->home());
  lua_pushboolean(L, !e || e->reduces(dtype_real(t->dtype)));
  return 2;
}

static const char *const kinds[] = {"all_sum", "all_max", "all_gather", "reduce_scatter", "broadcast", "send", "recv", "barrier", "split", NULL};

/* Fills c from the tensors at the stack indices 3 (from) and 4 (to). Sums of complex numbers are sums of their parts. */
static void read_operands(lua_State *L, exchange *c, const char *fn) {
  const tensor *from = lua_isnil(L, 3) ? NULL : check_tensor(L, 3, fn), *to = lua_isnil(L, 4) ? NULL : check_tensor(L, 4, fn);
  const tensor *counted = !from || c->kind == EXCHANGE_SCATTER ? to : from;
  c->where = counted ? counted->store->place : host_place();
  if (!counted) return;
  c->dtype = counted->dtype;
  c->count = counted->count;
  if (from) c->from = tensor_data(from);
  if (to) c->to = tensor_data(to);
  if (dtype_kind(c->dtype) != KIND_COMPLEX) return;
  c->dtype = c->dtype == DT_complex64 ? DT_float32 : DT_float64;
  c->count *= 2;
}

/* distributed_begin(group, kind, from, to, peer, later, x): starts an exchange of contiguous tensors, which were made for the
** script's tensor x. */
static int l_begin(lua_State *L) {
  exchange c = {.kind = (exchange_kind)luaL_checkoption(L, 2, NULL, kinds), .peer = (int)luaL_optinteger(L, 5, 0), .later = lua_toboolean(L, 6)};
  const char *fn = kinds[c.kind];
  char reason[ENGINE_REASON];
  lua_settop(L, 7);
  work *w = push_object(L, &work_class, sizeof *w, 0);
  if (recorder()) recorder()->check_write(L, fn, 4);
  read_operands(L, &c, fn);
  if (!lua_isnil(L, 7)) c.given = check_tensor(L, 7, fn)->dtype;
  group *g = w->group = group_for(L, c.where, fn);
  luaL_argcheck(L, g->engine, 1, "the group has only this process");
  int st = g->engine->on_stream ? OK : place_is_captured(c.where) ? ERR_CAPTURE : queue_wait(c.where);
  if (st != OK) return raise_device(L, fn, st, c.where);
  if (c.to) storage_written(test_tensor(L, 4)->store);
  for (int k = 0; k < 2; k++)
    if (!lua_isnil(L, 3 + k)) storage_retain(w->held[k] = test_tensor(L, 3 + k)->store);
  begin_operation(L);
  bool ok = g->engine->begin(g, &c, &w->request, reason), stopped = this_operation.stopped;
  end_operation(L);
  return ok ? 1 : raise_engine(L, g, fn, reason, stopped);
}

static work *check_work(lua_State *L, const char *fn) {
  work *w = test_class(L, 1, &work_class, sizeof *w);
  luaL_argexpected(L, w, 1, "exchange");
  check_usable(L, w->group, fn);
  return w;
}

/* Drops the memory of an exchange that is complete. */
static void let_go(work *w) {
  for (int k = 0; k < 2; k++) {
    if (w->done && w->held[k]) storage_drop(w->held[k]);
    if (w->done) w->held[k] = NULL;
  }
}

/* distributed_test(work): true if the exchange is complete. */
static int l_test(lua_State *L) {
  work *w = check_work(L, "test");
  char reason[ENGINE_REASON];
  if (!w->done && !w->group->engine->test(w->group, w->request, &w->done, reason))
    return raise_engine(L, w->group, "test", reason, false);
  let_go(w);
  lua_pushboolean(L, w->done);
  return 1;
}

/* distributed_wait(work, fn): waits until the exchange is complete. */
static int l_wait(lua_State *L) {
  const char *fn = luaL_checkstring(L, 2);
  work *w = check_work(L, fn);
  char reason[ENGINE_REASON];
  begin_operation(L);
  distributed_wait(w->group, w->request, &w->done, reason);
  bool stopped = this_operation.stopped;
  end_operation(L);
  let_go(w);
  return w->done ? 0 : raise_engine(L, w->group, fn, reason, stopped);
}

/* Sets operand k of a call's inputs or results to the tensor at the top of the stack, and pops the tensor. Input k also sets the
** number of its elements and its device. Returns false if the tensor does not fit the others. */
static bool read_part(lua_State *L, const char *fn, all_sum_call *c, int64_t *elements, int *index, operand *to, int k, place first) {
  const tensor *x = check_tensor(L, lua_gettop(L), fn);
  int d = k / c->count, t = k % c->count;
  to[k] = (operand){.data = tensor_data(x), .dtype = x->dtype};
  if (to == c->in && d == 0) elements[t] = x->count;
  if (to == c->in && t == 0) index[d] = x->store->place.index;
  bool fits = tensor_is_contiguous(x) && x->count > 0 && x->count == elements[t] && x->dtype == c->in[t].dtype;
  for (int other = 0; other < d; other++) fits &= index[other] != index[d];
  if (to == c->out) storage_written(x->store);
  lua_pop(L, 1);
  return fits && x->store->place.device == first.device && x->store->place.index == index[d];
}

/* distributed_sum(from, to, devices): sets the tensors of list `to` to the sums of those of list `from` over all devices, which are of
** one kind. Both lists have the tensors of the first device, then as many of the second one, and so on, all of them contiguous and
** not empty. The tensors of `to` are new. Returns false if the devices cannot add them. */
static int l_sum(lua_State *L) {
  const char *fn = "all_sum_devices";
  lua_Integer devices = luaL_checkinteger(L, 3);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  int n = (int)lua_rawlen(L, 1), ndevices = devices > 0 && devices <= n ? (int)devices : 0, st;
  luaL_argcheck(L, ndevices > 0 && n % ndevices == 0, 3, "the tensors cannot be divided among the devices");
  operand *in = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *in, 0), *out = in + n;
  int64_t *elements = lua_newuserdatauv(L, (size_t)n * sizeof *elements, 0);
  int *index = lua_newuserdatauv(L, (size_t)ndevices * sizeof *index, 0);
  all_sum_call c = {ndevices, n / ndevices, index, elements, in, out};
  lua_rawgeti(L, 1, 1);
  const tensor *first = check_tensor(L, lua_gettop(L), fn);
  for (int k = 0; k < 2 * n; k++) {
    lua_rawgeti(L, 1 + k / n, 1 + k % n);
    bool fits = read_part(L, fn, &c, elements, index, k < n ? in : out, k % n, first->store->place);
    luaL_argcheck(L, fits, 1 + k / n, "the tensors do not fit together");
  }
  TRY(L, first->store->place, st, host_all_sum(first->store->place, &c));
  lua_pushboolean(L, st == OK);
  return st == OK || st == ERR_NO_KERNEL ? 1 : raise(L, fn, st, &first, 1);
}

/* distributed_abort(code): ends all processes of the job, if there are several. */
static int l_abort(lua_State *L) {
  int local_rank, local_size;
  const group *g = distributed_world(&local_rank, &local_size);
  if (g && g->engine && g->size > 1) g->engine->abort((int)luaL_checkinteger(L, 1));
  return 0;
}

static const luaL_Reg no_metamethods[] = {{NULL, NULL}};

static const function_row functions[] = {
  {"distributed_start", l_start, OUTSIDE}, {"distributed_find", l_find, OUTSIDE}, {"distributed_split", l_split, OUTSIDE},
  {"distributed_native", l_native, OUTSIDE}, {"distributed_begin", l_begin, OUTSIDE}, {"distributed_test", l_test, OUTSIDE},
  {"distributed_wait", l_wait, OUTSIDE}, {"distributed_abort", l_abort, OUTSIDE}, {"distributed_sum", l_sum, INTERNAL},
  {NULL, NULL, 0}
};

void open_distributed(lua_State *L) {
  add_class(L, &group_class, "luatensor.group", no_metamethods, NULL);
  add_class(L, &work_class, "luatensor.exchange", no_metamethods, NULL);
  add_functions(L, functions);
}
