/* Functions that update parameters in place, for the optimisers of lua/luatensor/optim. An optimiser collects the updates
** of a step in a batch, and makes them together:
**
**    local batch = core.updates.new(nil, 1)
**    core.updates.add(batch, 1, p, state, core.updates.rules.adam, number …)
**    core.updates.run(batch, 1)
*/

#include "lua/args.h"
#include "lua/register.h"
#include "op/nn/update.h"

#include <limits.h>
#include <string.h>

/* The upvalues of `run`: "step", and the names of the states of all rules. */
#define STEP lua_upvalueindex(1)
#define STATE_NAME(op, k) lua_upvalueindex(2 + (int)(op) * UPDATE_STATES + (k))

#define CHANGED "its update rule, its memory or that of its state has changed"

/* ---- problems ----
** These functions push a text that says why a parameter cannot be updated. The optimiser adds the parameter's name. */

static int push_problem(lua_State *L, const char *words) {
  lua_pushstring(L, words);
  return 1;
}

static int push_status(lua_State *L, int status, place where) {
  char text[1024];
  switch (status) {
    case ERR_READONLY:  return push_problem(L, "it is a broadcast view, several elements share one place; use :clone()");
    case ERR_OVERLAP:   return push_problem(L, "its gradient lies in its own memory; use :clone()");
    case ERR_MEMORY:    return push_problem(L, "out of memory");
    case ERR_NO_KERNEL: return push_problem(L, "its device has no kernel for this");
    default:
      where.device->explain(where.index, text, sizeof text);
      return push_problem(L, text);
  }
}

/* True if x has the shape, dtype and device of p. */
static bool is_like(const tensor *x, const tensor *p) {
  return shape_equal(&x->shape, &p->shape) && x->dtype == p->dtype && place_equal(x->store->place, p->store->place);
}

static int push_gone_as(lua_State *L, const tensor *t, const char *what) {
  push_gone(L, t);
  lua_pushfstring(L, "%s%s", what, lua_tostring(L, -1));
  return 1;
}

/* ---- operands ---- */

/* Stores the states of update rule `op`, such as Adam's moments, in `at`. The states are fields of the table at index i.
** Returns false if a state is missing, or differs from the parameter in shape, dtype or device. */
static bool get_states(lua_State *L, int i, enum update_op op, tensor **at) {
  if (lua_type(L, i) != LUA_TTABLE) return false;
  for (int k = 0; k < update_rows[op].states; k++) {
    lua_pushvalue(L, STATE_NAME(op, k));
    lua_rawget(L, i);
    tensor *t = test_tensor(L, -1);
    if (!t || tensor_is_gone(t) || !is_like(t, at[0])) return false;
    at[2 + k] = t;
  }
  return true;
}

/* Stores the parameter at index i and its gradient in `at`, and pushes the gradient. If this is impossible, returns
** false after pushing the reason, or after pushing false if there is no gradient. */
static bool get_parameter(lua_State *L, int i, tensor **at) {
  at[0] = test_tensor(L, i);
  if (!at[0]) return push_problem(L, "tensor expected"), false;
  if (tensor_is_gone(at[0])) return push_gone_as(L, at[0], ""), false;
  if (!((const tensor_userdata *)at[0])->is_leaf) return push_problem(L, "it is no leaf any more"), false;
  lua_getiuservalue(L, i, 1);
  tensor_userdata *gradient = lua_touserdata(L, -1);       /* a leaf's gradient is a tensor or nil */
  if (!gradient || gradient->class != &tensor_class) return lua_pushboolean(L, 0), false;
  at[1] = &gradient->tensor;
  if (tensor_is_gone(at[1])) return push_gone_as(L, at[1], "its gradient: "), false;
  if (!is_like(at[1], at[0])) return push_problem(L, "its gradient has another shape, dtype or device"), false;
  return true;
}

/* misfit(p): returns nothing if p's gradient can update p, false if there is no gradient, else the reason. */
static int l_misfit(lua_State *L) {
  tensor *at[2];
  bool flat;
  lua_settop(L, 1);
  if (!get_parameter(L, 1, at)) return 1;
  int st = op_update_check(at, 2, &flat);
  return st == OK ? 0 : push_status(L, st, at[0]->store->place);
}

/* ---- batches ---- */

static const char batch_class = 0;       /* its address marks userdata of this file */

/* The updates of a step. The numbers of an update are valid from `add` on, its operands only inside of `run`. The user value
** is a list with the parameter of update k at position 2 k - 1, and its state at 2 k. */
typedef struct update_batch {
  const void *class;                     /* &batch_class */
  int         most;
  parameter_update list[];               /* [most] */
} update_batch;

static update_batch *test_batch(lua_State *L) {
  update_batch *b = lua_touserdata(L, 1);
  return b && lua_rawlen(L, 1) >= sizeof *b && b->class == &batch_class ? b : NULL;
}

static update_batch *check_batch(lua_State *L) {
  update_batch *b = test_batch(L);
  return luaL_argcheck(L, b, 1, "batch of updates expected"), b;
}

/* new(old, most): returns a batch for at most `most` updates: `old` if this is such a batch, else a new one. */
static int l_new(lua_State *L) {
  lua_Integer most = luaL_checkinteger(L, 2);
  update_batch *b = test_batch(L);
  luaL_argcheck(L, most >= 0 && most <= INT_MAX / (lua_Integer)sizeof *b->list, 2, "out of range");
  lua_settop(L, 1);
  if (b && b->most >= most) return 1;
  size_t bytes = sizeof *b + (size_t)most * sizeof *b->list;
  b = memset(lua_newuserdatauv(L, bytes, 1), 0, bytes);
  b->class = &batch_class;
  b->most = (int)most;
  lua_createtable(L, 2 * (int)most, 0);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

/* add(batch, k, p, state, rule, number …): makes this rule and these numbers update k of the batch. */
static int l_add(lua_State *L) {
  update_batch *b = check_batch(L);
  lua_Integer k = luaL_checkinteger(L, 2), op = luaL_checkinteger(L, 5);
  luaL_argcheck(L, k >= 1 && k <= b->most, 2, "out of range");
  luaL_argcheck(L, op >= 0 && op < UPDATE_COUNT, 5, "no rule");
  parameter_update *u = &b->list[k - 1];
  u->op = (enum update_op)op;
  u->done = u->captured = false;
  for (int i = 0; i < update_rows[op].numbers; i++) u->number[i] = luaL_checknumber(L, 6 + i);
  for (int i = update_rows[op].numbers; i < UPDATE_NUMBERS; i++) u->number[i] = 0;
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, 2 * k - 1);
  lua_pushvalue(L, 4);
  lua_rawseti(L, -2, 2 * k);
  return 0;
}

enum { ADVANCE = 3, LIST, PROBLEM, PARAMETER, STATE };       /* stack indices in `run` */

/* Pushes the parameter and the state of update k. */
static void push_update(lua_State *L, int k) {
  lua_settop(L, PROBLEM);
  lua_rawgeti(L, LIST, 2 * k + 1);
  lua_rawgeti(L, LIST, 2 * k + 2);
}

/* Finds the operands of update k. `gives`: only its numbers will be given to a graph. Returns false after pushing a problem,
** or after pushing false if there is no gradient. */
static bool find_operands(lua_State *L, parameter_update *u, int k, bool gives) {
  push_update(L, k);
  if (!gives && !get_parameter(L, PARAMETER, u->at)) return false;
  if (gives) u->at[0] = test_tensor(L, PARAMETER);
  if (gives && (!u->at[0] || tensor_is_gone(u->at[0]))) return push_problem(L, CHANGED), false;
  if (!get_states(L, STATE, u->op, u->at)) return push_problem(L, gives ? CHANGED : "state"), false;
  int st = gives ? OK : op_update_check(u->at, 2 + update_rows[u->op].states, &u->flat);
  return st == OK || (push_status(L, st, u->at[0]->store->place), false);
}

/* True if the updates are deferred. Updates that a graph captures run at once. */
static bool defers(lua_State *L) { return deferral_is_mine(L) && !update_is_collecting() && !storage_capture; }

/* Finds the operands of the first n updates that are not done. Unless the updates are deferred, runs deferred operations
** before. Between this call and the use of the operands, nothing may run that can free a tensor, such as the garbage
** collector. Returns n, or the position of an update after pushing its problem. */
static int find_all(lua_State *L, update_batch *b, int n) {
  bool gives = update_is_collecting();
  if (!defers(L)) run_deferred(L, "step");
  for (int k = 0; k < n; k++) {
    parameter_update *u = &b->list[k];
    if (u->done || find_operands(L, u, k, gives)) continue;
    u->at[0] = NULL;
    if (lua_type(L, -1) == LUA_TSTRING) return k;
  }
  return n;
}

/* Returns the position of the first update that is to be done, or n. */
static int next_update(const update_batch *b, int n) {
  int k = 0;
  while (k < n && (b->list[k].done || !b->list[k].at[0])) k++;
  return k;
}

/* Gives a graph the numbers of the first n updates. Returns n, or the position of an update after pushing its problem. */
static int give_all(lua_State *L, update_batch *b, int n) {
  for (int k; (k = next_update(b, n)) < n;) {
    k = update_give(b->list, n, k);
    if (k < n) return push_problem(L, CHANGED), k;
  }
  return n;
}

/* Defers the first n updates, or, if one of them cannot wait, those before it. Then the list of deferred operations has run.
** Returns n, or the position of an update after pushing its problem. Raises the errors of the list. */
static int defer_all(lua_State *L, update_batch *b, int n) {
  for (int k; (k = next_update(b, n)) < n;) {
    if (deferral_is_full(open_deferral)) {
      end_full_list(L);
      k = find_all(L, b, n);
      if (k < n) return k;
      continue;
    }
    const tensor *p = b->list[k].at[0];
    int st;
    WATCHED(L, st, update_defer(&b->list[k]));
    if (st != OK) raise(L, "step", st, &p, 1);
    if (!b->list[k].done) return n;
  }
  return n;
}

/* Makes the first n updates. Returns n, or the position of an update after pushing its problem. If memory is exhausted,
** collects garbage and tries once more. */
static int make_all(lua_State *L, update_batch *b, int n) {
  bool reclaimed = false;
  int found = defers(L) ? defer_all(L, b, n) : n;
  if (found < n) return found;
  for (int k; (k = next_update(b, n)) < n;) {
    place where = b->list[k].at[0]->store->place;
    int st;
    if (reclaimed) WATCHED(L, st, op_update(b->list, n, k));
    else FIRST_TRY(L, st, op_update(b->list, n, k));
    if (st == ERR_CANCELLED || st == ERR_BUSY) raise(L, "step", st, NULL, 0);      /* the error of the hook or of the host */
    if (st == ERR_MEMORY && !reclaimed) {
      reclaim(L, where);
      reclaimed = true;
      k = find_all(L, b, n);
      if (k < n) return k;
    } else if (st != OK) {
      return push_status(L, st, where), next_update(b, n);
    }
  }
  return n;
}

/* Adds 1 to the number `step` of the state of update k, and calls the function at ADVANCE with the state. */
static void advance(lua_State *L, int k) {
  int state = PROBLEM + 1;
  lua_settop(L, PROBLEM);
  if (lua_rawgeti(L, LIST, 2 * k + 2) != LUA_TTABLE) return;       /* an earlier `run` has made the update */
  lua_pushvalue(L, STEP);
  if (lua_rawget(L, state) == LUA_TNUMBER) {
    lua_pushinteger(L, 1);
    lua_arith(L, LUA_OPADD);
    lua_pushvalue(L, STEP);
    lua_insert(L, -2);
    lua_rawset(L, state);
  }
  if (!lua_toboolean(L, ADVANCE)) return;
  lua_pushvalue(L, ADVANCE);
  lua_pushvalue(L, state);
  lua_call(L, 1, 0);
}

/* Drops the parameter and the state of update k. */
static void drop(lua_State *L, int k) {
  for (int i = 1; i <= 2; i++) {
    lua_pushnil(L);
    lua_rawseti(L, LIST, 2 * k + i);
  }
}

/* run(batch, n, advance): makes the first n updates of the batch, in one call of the device for each device and dtype.
** Leaves out parameters without a gradient. For each update that was made, adds 1 to the number `step` of the state, if there
** is one, and calls advance(state), unless `advance` is false. If the device is being captured, captures the update into the
** graph instead. While a graph collects the numbers of a replay, gives the numbers to the graph, as if the updates were made.
**
** If an update is impossible, returns the reason, the parameter and its state; `run` can then be called again. The reason is
** "state" if a state is missing or differs from the parameter in shape, dtype or device. No parameter was updated, unless a
** device failed after an earlier call or launch. */
static int l_run(lua_State *L) {
  update_batch *b = check_batch(L);
  lua_Integer n = luaL_checkinteger(L, 2);
  luaL_argcheck(L, n >= 0 && n <= b->most, 2, "out of range");
  lua_settop(L, ADVANCE);
  lua_getiuservalue(L, 1, 1);
  lua_settop(L, PROBLEM);
  int failed = find_all(L, b, (int)n);
  if (failed == n) failed = update_is_collecting() ? give_all(L, b, (int)n) : make_all(L, b, (int)n);
  if (failed < n) lua_replace(L, PROBLEM);
  for (int k = 0; k < n; k++) {
    parameter_update *u = &b->list[k];
    if (u->done && !u->captured) advance(L, k);
    if (u->done || failed == n) drop(L, k);
  }
  if (failed == n) return 0;
  push_update(L, failed);
  return 3;
}

/* captures(p): true if updates of p are captured into a graph. */
static int l_captures(lua_State *L) {
  lua_pushboolean(L, update_is_captured(check_tensor_later(L, 1, "step")->store->place));
  return 1;
}

static const luaL_Reg updates[] = {{"misfit", l_misfit}, {"captures", l_captures}, {"new", l_new}, {"add", l_add}, {NULL, NULL}};

void open_update(lua_State *L) {
  luaL_checkstack(L, LUA_MINSTACK + UPDATE_COUNT * UPDATE_STATES, NULL);
  add_library(L, "updates", updates);
  lua_getfield(L, MODULE, "updates");
  lua_pushliteral(L, "step");
  for (int op = 0; op < UPDATE_COUNT; op++)
    for (int k = 0; k < UPDATE_STATES; k++) lua_pushstring(L, update_rows[op].state[k]);
  lua_pushcclosure(L, l_run, 1 + UPDATE_COUNT * UPDATE_STATES);
  lua_setfield(L, -2, "run");
  lua_createtable(L, 0, UPDATE_COUNT);
  for (int op = 0; op < UPDATE_COUNT; op++) {
    lua_pushinteger(L, op);
    lua_setfield(L, -2, update_rows[op].name);
  }
  lua_setfield(L, -2, "rules");
  lua_pop(L, 1);
}
