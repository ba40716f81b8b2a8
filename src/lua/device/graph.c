/* lt.graph: captures a sequence of ops, so that a single call of the device repeats the sequence. */

#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "op/graph.h"

static const char graph_class = 0;       /* the address is the registry key of the metatable */

/* User values of a graph: the results of its function, the table of captured_uses (lua/record.h), and the list of the tensors
** of add_result. */
enum { RESULTS = 1, USES, ADDED, USERVALUES = ADDED };

static graph *check_graph(lua_State *L, const char *fn) {
  graph *g = check_self(L, &graph_class, sizeof(graph), fn, "graph");
  if (!g->handle) luaL_error(L, "%s: this graph was freed", fn);
  if (g->epoch != place_epoch(g->where)) luaL_error(L, "%s: %s", fn, push_lost(L, "graph", g->where));
  return g;
}

enum { FIRST = 4 };                     /* the stack index of the first argument of a call that fits checks */

/* ---- capturing ---- */

/* Returns option "device". Without this option, returns the default device, or the first GPU instead of the CPU. */
static place graph_place(lua_State *L, int options) {
  place p = opt_place(L, options, "graph", default_place(L)), gpu;
  bool named = options && push_option(L, options, "device") != LUA_TNIL;
  if (!named && place_is_host(p) && device_accelerator(&gpu) && gpu.device->graphs) p = gpu;
  if (!p.device->graphs) luaL_error(L, "graph: not available on %s; call the function itself there", p.device->name);
  return p;
}

static graph *push_graph(lua_State *L, place where) {
  graph *g = push_object(L, &graph_class, sizeof *g, USERVALUES);
  *g = graph_init(where);
  lua_newtable(L);
  lua_setiuservalue(L, -2, USES);
  lua_newtable(L);
  lua_setiuservalue(L, -2, ADDED);
  return g;
}

/* Sets the registry's table captured_uses to table USES of the graph at stack index i, or to nil if i is 0, at the end of
** the capture. */
static void keep_uses(lua_State *L, int i) {
  if (i) lua_getiuservalue(L, i, USES);
  else lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &captured_uses);
}

/* capturing(): true if this state is capturing a graph. */
static int l_capturing(lua_State *L) {
  lua_pushboolean(L, lua_rawgetp(L, LUA_REGISTRYINDEX, &captured_uses) != LUA_TNIL);
  return 1;
}

/* before_replay(give, undo): each replay of the graph that is being captured first calls `give`, an optimiser's function
** that gives the numbers of its next step, and `undo` if the replay then fails. */
static int l_before_replay(lua_State *L) {
  lua_settop(L, 2);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &captured_uses);
  luaL_checktype(L, 3, LUA_TTABLE);
  for (int k = 1; k <= 2; k++) {
    lua_pushvalue(L, k);
    lua_rawseti(L, 3, (lua_Integer)lua_rawlen(L, 3) + 1);
  }
  return 0;
}

static void check_result(lua_State *L, const graph *g, int i, int n) {
  const tensor *t = test_tensor(L, i);
  if (!t || tensor_is_gone(t) || place_equal(t->store->place, g->where)) return;
  luaL_error(L, "graph: result %d is on %s; a graph of %s computes there only", n, push_place(L, t->store->place),
             push_place(L, g->where));
}

/* Stores the values above stack index i as the results of the graph at index i: in a list with their number in field
** n. */
static void keep_results(lua_State *L, const graph *g, int i) {
  int n = lua_gettop(L) - i;
  for (int k = 1; k <= n; k++) check_result(L, g, i + k, k);
  lua_createtable(L, n, 1);
  lua_insert(L, i + 1);
  for (int k = n; k >= 1; k--) lua_rawseti(L, i + 1, k);
  lua_pushinteger(L, n);
  lua_setfield(L, i + 1, "n");
  lua_setiuservalue(L, i, RESULTS);
}

/* Calls argument 1, and runs the operations that it deferred. */
static int l_call_whole(lua_State *L) {
  lua_call(L, 0, LUA_MULTRET);
  run_deferred(L, "graph");
  return lua_gettop(L);
}

/* Runs the function at index 1 while its launches are captured into the graph at index i. */
static void capture(lua_State *L, graph *g, int i) {
  int st = graph_begin(g);
  if (st == ERR_CAPTURE) luaL_error(L, "graph: another graph is being captured");
  if (st == ERR_MEMORY) raise(L, "graph", st, NULL, 0);
  if (st != OK) raise_device(L, "graph", st, g->where);
  keep_uses(L, i);
  lua_pushcfunction(L, l_call_whole);
  lua_pushvalue(L, 1);
  int failed = lua_pcall(L, 1, LUA_MULTRET, 0);
  st = graph_end(g, !failed);
  keep_uses(L, 0);
  if (failed) lua_error(L);
  if (st != OK) raise_device(L, "graph", st, g->where);
}

/* Pushes the graph of a call of the function at index 1, which is the only value on the stack. Returns 1. */
static int push_captured(lua_State *L, place where) {
  graph *g = push_graph(L, where);
  capture(L, g, 2);
  keep_results(L, g, 2);
  lua_settop(L, 2);
  return 1;
}

static const char *const options_known[] = {"device", NULL};

/***
Captures a function's work on a device, so that a repeated sequence of small ops costs only one launch on a GPU, and no Lua
on the CPU. The function is called twice, without arguments: first normally (kernels are compiled, its effects happen), then
for the capture, which computes nothing. The results have no values before the first replay. Each replay runs the same ops
on the same tensors: to change the inputs, write into them (`x:copy_(y)`). Random numbers advance at each replay as if the
function had been called, and so do the steps of optimisers, with their current rates. Shapes, and branches that Lua took at
the capture, stay the same. Inside the function, reading values, copies between devices, waiting, streams, events and work on
another GPU are errors. Work on CPU tensors is not part of a graph of a GPU: it runs only in the two calls.
@function graph
@tparam function f
@tparam[opt] table options `device` (default: the default device, or the first GPU instead of the CPU)
@treturn graph with the methods below; its memory, including the memory of temporary tensors, is kept until the graph is
  freed
@raise errors of f
*/
static int l_graph(lua_State *L) {
  int nargs, options = check_options(L, "graph", options_known, &nargs);
  if (nargs == 2) return luaL_error(L, "graph: argument 2: options expected, got %s", type_name(L, 2));
  if (nargs > 2) return luaL_error(L, "graph: a function and options expected, got %d arguments", nargs);
  if (nargs != 1 || lua_type(L, 1) != LUA_TFUNCTION)
    return luaL_error(L, "graph: argument 1: function expected, got %s", type_name(L, 1));
  place where = graph_place(L, options);
  lua_settop(L, 1);
  if (random_is_captured()) return luaL_error(L, "graph: another graph is being captured");
  lua_pushcfunction(L, l_call_whole);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
  return push_captured(L, where);
}

/* capture(f, device): captures one call of f without arguments. Unlike lt.graph, the function does not call f before. */
static int l_capture(lua_State *L) {
  place where = check_place(L, 2, "compile");
  if (!where.device->graphs) return luaL_error(L, "compile: no replays on %s", where.device->name);
  lua_settop(L, 1);
  if (random_is_captured()) return luaL_error(L, "compile: another graph is being captured");
  return push_captured(L, where);
}

/* has_made(graph, x): true if x's memory was allocated during the capture of the graph. */
static int l_has_made(lua_State *L) {
  const graph *g = check_graph(L, "compile");
  lua_pushboolean(L, check_tensor_later(L, 2, "compile")->store->capture == g->number);
  return 1;
}

/* uses_of(graph): returns the table of captured_uses (lua/record.h). */
static int l_uses_of(lua_State *L) {
  check_graph(L, "compile");
  lua_getiuservalue(L, 1, USES);
  return 1;
}

/* written_of(graph): returns a list of uint8 tensors: the memory to which a replay writes in place. */
static int l_written_of(lua_State *L) {
  const graph *g = check_graph(L, "compile");
  lua_createtable(L, (int)g->written.count, 0);
  for (size_t k = 0; k < g->written.count; k++) {
    storage *s = g->written.list[k];
    tensor *t = push_empty(L);
    t->dtype = DT_uint8;
    t->shape = (shape){.ndim = 1, .dim = {(int64_t)s->bytes}};
    t->stride[0] = 1;
    t->count = (int64_t)s->bytes;
    t->offset = 0;
    storage_retain(s);
    t->store = s;
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
  return 1;
}

/* memory_of(x): returns the identity of x's memory, which views share. */
static int l_memory_of(lua_State *L) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)check_tensor_later(L, 1, "compile")->store);
  return 1;
}

/* True if the graph is on the host and uses the storage, which was not allocated during the capture. */
static bool holds(const graph *g, const storage *s) {
  size_t k = 0;
  while (k < g->holdings.count && g->holdings.list[k] != s) k++;
  return k < g->holdings.count;
}

/* True if the values at stack indices i and k are the same value, but no freed tensor. Integers differ from floats, and 0.0
** from -0.0. */
static bool is_same_value(lua_State *L, int i, int k) {
  const tensor *t = test_tensor(L, i);
  if (t && tensor_is_gone(t)) return false;
  if (lua_type(L, i) != LUA_TNUMBER || lua_type(L, k) != LUA_TNUMBER) return lua_rawequal(L, i, k);
  lua_Number a = lua_tonumber(L, i), b = lua_tonumber(L, k);
  if (lua_isinteger(L, i) || lua_isinteger(L, k)) return lua_isinteger(L, i) && lua_isinteger(L, k) && lua_rawequal(L, i, k);
  return memcmp(&a, &b, sizeof a) == 0;
}

/* True if argument i, whose number is that of `input`, may be copied into the tensor `input` of the capture. The last bits of
** results may depend on the layout, so both must be contiguous. Arguments FIRST … i - 1 must not share i's memory. */
static bool may_copy(lua_State *L, const graph *g, int i, const tensor *input) {
  const tensor *t = test_tensor(L, i);
  bool alike = t && !tensor_is_gone(t) && !tensor_is_gone(input) && !t->weak && t->dtype == input->dtype &&
               shape_equal(&t->shape, &input->shape) && place_equal(t->store->place, input->store->place) &&
               !((tensor_userdata *)lua_touserdata(L, i))->needs_grad;
  if (!alike || !tensor_is_contiguous(t) || holds(g, t->store)) return false;
  for (int k = FIRST, top = lua_gettop(L); k < top; k++) {
    const tensor *other = test_tensor(L, k);
    if (k != i && other && other->store == t->store) return false;
  }
  return true;
}

/* fits(graph, inputs, copied, …): true if the graph can be replayed for these arguments. Those that are not copied must be
** the inputs of the captured call. The others are copied into these inputs. */
static int l_fits(lua_State *L) {
  const graph *g = check_graph(L, "compile");
  int n = lua_gettop(L) - FIRST + 1;
  bool fits = !open_deferral && !random_is_captured() && lua_getfield(L, 2, "n") == LUA_TNUMBER && lua_tointeger(L, -1) == n;
  for (int k = 1; fits && k <= n; k++) {
    lua_settop(L, FIRST + n - 1);
    bool copied = lua_rawgeti(L, 3, k) == LUA_TBOOLEAN && lua_toboolean(L, -1);
    lua_rawgeti(L, 2, k);
    lua_remove(L, -2);
    if (copied) fits = may_copy(L, g, FIRST + k - 1, lua_touserdata(L, -1));
    else fits = is_same_value(L, FIRST + k - 1, -1);
  }
  lua_pushboolean(L, fits);
  return 1;
}

/* is_number(x): true if x is a complex number (lt.complex(re, im)), which promotes like a Lua number. */
static int l_is_number(lua_State *L) {
  const tensor *t = test_tensor(L, 1);
  lua_pushboolean(L, t && t->weak && !tensor_is_gone(t));
  return 1;
}

/* ---- replays ---- */

/* Calls the first function of each pair in the list of the table at index 1. *reached, a pointer at index 2, becomes the
** position of the last called function. */
static int l_give(lua_State *L) {
  lua_Integer *reached = lua_touserdata(L, 2);
  for (lua_Integer k = 1; lua_rawgeti(L, 1, k) != LUA_TNIL; k += 2) {
    *reached = k;
    lua_call(L, 0, 0);
  }
  return 0;
}

/* Calls the second function of each pair up to position `reached` of the graph at index 1. The last pair comes first, because
** an optimiser may make several steps in a graph. */
static void undo(lua_State *L, lua_Integer reached) {
  lua_getiuservalue(L, 1, USES);
  for (lua_Integer k = reached + reached % 2; k >= 2; k -= 2) {
    lua_rawgeti(L, -1, k);
    lua_call(L, 0, 0);
  }
  lua_pop(L, 1);
}

/* undo_numbers(graph): after a replay, restores the numbers of the optimisers and the states of the generators. The elements
** that the replay has written stay. */
static int l_undo_numbers(lua_State *L) {
  const graph *g = check_graph(L, "compile");
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, USES);
  lua_Integer pairs = g->updates.count ? (lua_Integer)lua_rawlen(L, 2) : 0;
  undo(L, pairs);
  random_undo(&g->cells);
  return 0;
}

/* Replays the graph after setting the memory of its results to that of the tensors from stack index `first` on. A finalizer
** may replay the graph between two attempts, so each attempt sets the memory. */
static int replay_into(lua_State *L, graph *g, int first) {
  for (int k = 0; first && g->handle && k < g->nresult; k++)
    graph_bind(g, k, tensor_data(lua_touserdata(L, first + k)));
  return graph_replay(g);
}

/* Collects the numbers of the captured updates of parameters from the optimisers of the graph at index 1. Returns the value
** for `undo`. */
static lua_Integer collect_numbers(lua_State *L, graph *g) {
  lua_Integer reached = 0;
  if (g->updates.count == 0) return 0;
  lua_pushcfunction(L, l_give);
  lua_getiuservalue(L, 1, USES);
  lua_pushlightuserdata(L, &reached);
  update_collect(&g->updates);
  int failed = lua_pcall(L, 2, 0, 0);
  update_collect(NULL);
  int missing = g->updates.count - g->updates.given;
  if (failed || missing) undo(L, reached);
  if (!g->handle) luaL_error(L, "replay: this graph was freed");          /* by a hook or a finalizer */
  if (failed) lua_error(L);
  if (missing) luaL_error(L, "replay: %d of %d captured updates have no numbers any more", missing, g->updates.count);
  return reached;
}

/* Replays the graph at index 1. If tensors of the script take the place of results (add_result), the first of them is at
** stack index `first`. */
static void replay(lua_State *L, graph *g, int first) {
  lua_Integer given = collect_numbers(L, g);
  int st;
  TRY(L, g->where, st, replay_into(L, g, first));
  if (st != OK) undo(L, given);
  if (!g->handle) luaL_error(L, "replay: this graph was freed");          /* by a finalizer */
  if (st == ERR_CHANGED) luaL_error(L, "replay: a tensor of the graph has lost its memory");
  if (st == OK) return;
  storage at = {.place = g->where};
  const tensor there = {.store = &at};
  raise(L, "replay", st, (const tensor *[]){&there}, 1);
}

static graph *check_replay(lua_State *L) {
  graph *g = check_graph(L, "replay");
  if (random_is_captured()) luaL_error(L, "replay: not while a graph is captured");
  run_deferred(L, "replay");
  return g;
}

/***
Runs the captured work again, on the current stream.
@function graph:replay
@return the results of the captured call: the same tensors, with new values
@raise if the graph was freed, or while a graph is captured
*/
static int g_replay(lua_State *L) {
  graph *g = check_replay(L);
  replay(L, g, 0);
  lua_getiuservalue(L, 1, RESULTS);
  lua_getfield(L, -1, "n");
  int n = (int)lua_tointeger(L, -1), results = lua_gettop(L) - 1;
  luaL_checkstack(L, n, "replay");
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, results, k);
    const tensor *t = test_tensor(L, -1);
    if (t && t->store && t->store->capture == g->number) t->store->version++;
  }
  return n;
}

/* add_result(graph, x): x is a result of the captured call, which no script can see. Returns true if from now on each replay
** by replay_anew writes a new tensor instead of x. */
static int l_add_result(lua_State *L) {
  graph *g = check_graph(L, "compile");
  const tensor *t = check_tensor(L, 2, "compile");
  const storage *s = t->store;
  bool whole = tensor_is_contiguous(t) && t->offset == 0 && (size_t)t->count * (size_t)dtype_size(t->dtype) == s->bytes;
  bool added = whole && t->count > 0 && s->capture == g->number && storage_is_sole(s) && graph_add_result(g, s) == OK;
  if (added) {
    lua_getiuservalue(L, 1, ADDED);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, g->nresult);
  }
  lua_pushboolean(L, added);
  return 1;
}

/* replay_anew(graph): like graph:replay, but returns new tensors for the tensors that add_result has added. */
static int l_replay_anew(lua_State *L) {
  graph *g = check_replay(L);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, ADDED);
  for (int k = 1; k <= g->nresult; k++) {
    lua_rawgeti(L, 2, k);
    const tensor *t = lua_touserdata(L, -1);
    push_tensor(L, "replay", t->dtype, &t->shape, g->where);
    lua_replace(L, -2);
  }
  if (!g->handle) return luaL_error(L, "replay: this graph was freed");   /* by a finalizer */
  replay(L, g, 3);
  return g->nresult;
}

/***
Frees the graph. Its results and their views stay valid. Freeing twice is harmless.
@function graph:free
*/
static int g_free(lua_State *L) {
  graph_free(check_self(L, &graph_class, sizeof(graph), "free", "graph"));
  return 0;
}

static int g_gc(lua_State *L) {
  graph *g = test_class(L, 1, &graph_class, sizeof(graph));
  if (g) graph_free(g);
  return 0;
}

static int g_tostring(lua_State *L) {
  const graph *g = test_class(L, 1, &graph_class, sizeof(graph));
  if (!g) return luaL_error(L, "tostring: graph expected");
  lua_pushfstring(L, "graph of %s%s", push_place(L, g->where), g->handle ? "" : " (freed)");
  return 1;
}

static const function_row methods[] = {{"replay", g_replay, 1}, {"free", g_free, 1}, {NULL, NULL, 0}};
static const luaL_Reg meta[] = {{"__gc", g_gc}, {"__close", g_gc}, {"__tostring", g_tostring}, {NULL, NULL}};
static const function_row functions[] = {{"graph", l_graph, 2}, {"capturing", l_capturing, INTERNAL},
                                         {"before_replay", l_before_replay, INTERNAL}, {"capture", l_capture, INTERNAL},
                                         {"has_made", l_has_made, INTERNAL}, {"memory_of", l_memory_of, INTERNAL},
                                         {"fits", l_fits, INTERNAL}, {"is_number", l_is_number, INTERNAL},
                                         {"add_result", l_add_result, INTERNAL},
                                         {"replay_anew", l_replay_anew, INTERNAL}, {"uses_of", l_uses_of, INTERNAL},
                                         {"written_of", l_written_of, INTERNAL},
                                         {"undo_numbers", l_undo_numbers, INTERNAL}, {NULL, NULL, 0}};

void open_graph(lua_State *L) {
  add_class(L, &graph_class, "luatensor.Graph", meta, methods);
  add_functions(L, functions);
}
