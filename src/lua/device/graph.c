/* lt.graph: captures a sequence of ops, so that a single call of the device repeats the sequence. */

#include "lua/args.h"
#include "lua/register.h"
#include "op/graph.h"

static const char graph_class = 0;       /* the address is the registry key of the metatable */

/* User values of a graph: the results of its function, and the table of captured_uses (lua/record.h). */
enum { RESULTS = 1, USES, USERVALUES = USES };

static graph *check_graph(lua_State *L, const char *fn) {
  graph *g = check_self(L, &graph_class, sizeof(graph), fn, "graph");
  if (!g->handle) luaL_error(L, "%s: this graph was freed", fn);
  if (g->epoch != place_epoch(g->where)) luaL_error(L, "%s: %s", fn, push_lost(L, "graph", g->where));
  return g;
}

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

/* alike(x, y): true if the tensors have equal dtype, shape, device and requires_grad. */
static int l_alike(lua_State *L) {
  const tensor *x = check_tensor_later(L, 1, "compile"), *y = check_tensor_later(L, 2, "compile");
  bool needs = ((tensor_userdata *)lua_touserdata(L, 1))->needs_grad, other = ((tensor_userdata *)lua_touserdata(L, 2))->needs_grad;
  lua_pushboolean(L, x->dtype == y->dtype && needs == other && shape_equal(&x->shape, &y->shape) &&
                  place_equal(x->store->place, y->store->place));
  return 1;
}

/* memory_of(x): returns the identity of x's memory, which views share. */
static int l_memory_of(lua_State *L) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)check_tensor_later(L, 1, "compile")->store);
  return 1;
}

/* uses(graph, x): true if the graph is on the host and uses x's memory, which was not allocated during the capture. */
static int l_uses(lua_State *L) {
  const storage_holdings *h = &check_graph(L, "compile")->holdings;
  const storage *s = check_tensor_later(L, 2, "compile")->store;
  size_t k = 0;
  while (k < h->count && h->list[k] != s) k++;
  lua_pushboolean(L, k < h->count);
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

/* Calls the second function of each pair up to position `reached` of the graph at index 1. */
static void undo(lua_State *L, lua_Integer reached) {
  lua_getiuservalue(L, 1, USES);
  for (lua_Integer k = 1; k <= reached; k += 2) {
    lua_rawgeti(L, -1, k + 1);
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

/***
Runs the captured work again, on the current stream.
@function graph:replay
@return the results of the captured call: the same tensors, with new values
@raise if the graph was freed, or while a graph is captured
*/
static int g_replay(lua_State *L) {
  graph *g = check_graph(L, "replay");
  if (random_is_captured()) return luaL_error(L, "replay: not while a graph is captured");
  run_deferred(L, "replay");
  lua_Integer given = collect_numbers(L, g);
  int st;
  TRY(L, g->where, st, graph_replay(g));
  if (st != OK) undo(L, given);
  if (!g->handle) return luaL_error(L, "replay: this graph was freed");          /* by a finalizer */
  if (st == ERR_CHANGED) return luaL_error(L, "replay: a tensor of the graph has lost its memory");
  if (st != OK) {
    storage at = {.place = g->where};
    const tensor there = {.store = &at};
    return raise(L, "replay", st, (const tensor *[]){&there}, 1);
  }
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
                                         {"uses", l_uses, INTERNAL}, {"is_number", l_is_number, INTERNAL},
                                         {"alike", l_alike, INTERNAL}, {"uses_of", l_uses_of, INTERNAL},
                                         {"written_of", l_written_of, INTERNAL},
                                         {"undo_numbers", l_undo_numbers, INTERNAL}, {NULL, NULL, 0}};

void open_graph(lua_State *L) {
  add_class(L, &graph_class, "luatensor.Graph", meta, methods);
  add_functions(L, functions);
}
