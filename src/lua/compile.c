/* lt.compile: functions whose element-wise operations wait, and then run together. */

#include <stdio.h>

#include "base/system.h"
#include "lua/args.h"
#include "lua/collect.h"
#include "lua/interrupt.h"
#include "lua/register.h"

static const char compiled_class = 0, deferral_class = 0;    /* the addresses are registry keys of the metatables, */
static const char deferral_key = 0;      /* of the state's deferral, */
static const char stops_key = 0;         /* and of the table of stops while compiled:explain runs, else nil */

enum {
  WORTH = 64 << 10,                      /* bytes of results: garbage is collected before they are written, because a
                                         ** collection takes less time than writing them */
  MAYBE = 16 << 10,                      /* garbage is collected before so many bytes are written if collections are
                                         ** short, as in scripts without large tables that change */
  MOST_SKIPPED = 4095                    /* the most such collections that are skipped after a long one */
};

#define LONG 2e-6                        /* seconds for each list since the last collection: without large tables that
                                         ** change, a collection takes 0.2 µs and 0.05 µs for each tensor that it frees */

/* The state's deferral. */
typedef struct state_deferral {
  deferral *d;
  unsigned  pause, skip;                 /* the collections to skip after each one, and before the next one */
} state_deferral;

/* A compiled function. Its user value is the function. */
typedef struct compiled {
  long calls;
  bool logs;                             /* the operations of the calls are logged */
  deferral_counts sum, last;             /* counts of all calls, and of the last call */
} compiled;

/* ---- running the list ---- */

/* True if operations of L, the context, are deferred: if L belongs to the deferral's state (the owner), and no finalizer
** or debug hook is running, whose operations may interrupt others. */
static bool is_mine(void *context, const void *owner) {
  lua_State *L = context;
  if (!L || lua_topointer(L, LUA_REGISTRYINDEX) != owner) return false;
  return (!lua_gethook(L) && lua_gc(L, LUA_GCISRUNNING) == 1) || !is_in_interrupt(L);
}

/* Raises the error of a failed run. If a check of elements has failed, the error names the line of the operation, not the
** line at which the list runs. */
static void raise_run(lua_State *L, int status) {
  deferred_op op = deferral_culprit(open_deferral);
  if (status == ERR_INDEX || status == ERR_MATRIX) {
    lua_pushfstring(L, "%s%s%s", op.line, *op.line ? ": " : "", deferral_words());
    lua_error(L);
  }
  storage at = {.place = op.where};
  const tensor result = {.store = &at, .dtype = op.dtype};
  raise(L, op.name, status, (const tensor *[]){&result}, 1);
}

static state_deferral *push_state_deferral(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &deferral_key);
  return lua_touserdata(L, -1);
}

/* Collects young garbage before small results are written, unless such collections have been long. */
static void collect_maybe(lua_State *L, place where) {
  state_deferral *s = push_state_deferral(L);
  lua_pop(L, 1);                         /* the registry holds the userdata */
  if (s->skip > 0) {
    s->skip--;
    return;
  }
  double begin = system_clock();
  collect_before(L, where);
  double each = (system_clock() - begin) / (1 + s->pause);
  if (each > LONG && s->pause < MOST_SKIPPED) s->pause = 2 * s->pause + 1;
  else if (each < LONG / 2) s->pause /= 2;
  s->skip = s->pause;
}

/* Runs the list. Young garbage is collected first, because results that only garbage refers to need no memory. */
static void run_list(lua_State *L) {
  deferral *d = open_deferral;
  deferred_op op = deferral_culprit(d);
  int st;
  if (this_operation.inside) raise(L, "compile", ERR_BUSY, NULL, 0);
  if (deferral_is_empty(d)) return;
  size_t bytes = deferral_bytes(d);
  if (bytes >= WORTH) collect_before(L, op.where);
  else if (bytes >= MAYBE) collect_maybe(L, op.where);
  if (bytes >= MAYBE) bytes = deferral_bytes(d);
  if (!memory_is_allowed(L, op.where, bytes)) {    /* garbage must not make the run exceed the limit */
    reclaim(L, op.where);
    bytes = deferral_bytes(d);
  }
  if (bytes > 0) prepare_memory(L, op.name, op.where, bytes);
  TRY(L, deferral_culprit(d).where, st, deferral_run(d));
  if (st != OK) raise_run(L, st);
}

/* Adds the script's line to the table of stops at the top of the stack: stops[line .. ": " .. fn] is incremented. */
static void add_stop(lua_State *L, const char *fn) {
  push_script_line(L);
  lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), fn);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, -4) == LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_rawseti(L, -5, (lua_Integer)lua_rawlen(L, -5) + 1);
  }
  lua_pushinteger(L, lua_tointeger(L, -1) + 1);
  lua_replace(L, -2);
  lua_rawset(L, -4);
  lua_pop(L, 1);
}

/* Runs the list early, because `fn` uses elements of a pending tensor, or, if fn is NULL, because the list is full. */
static void run_early(lua_State *L, const char *fn) {
  if (deferral_is_empty(open_deferral)) return;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &stops_key) == LUA_TTABLE && fn) add_stop(L, fn);
  lua_pop(L, 1);
  run_list(L);
}

/* ---- calls ---- */

static int l_run_list(lua_State *L) {
  run_list(L);
  return 0;
}

/* Returns the deferral of the state, which is made at the first call. */
static deferral *get_deferral(lua_State *L) {
  state_deferral *s = push_state_deferral(L);
  if (!s) {
    s = push_object(L, &deferral_class, sizeof *s, 0);
    *s = (state_deferral){.d = deferral_new()};
    if (!s->d) luaL_error(L, "compile: out of memory");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &deferral_key);
    lua_remove(L, -2);
  }
  lua_pop(L, 1);
  return s->d;
}

static void add_counts(deferral_counts *sum, const deferral_counts *n) {
  sum->recorded += n->recorded;
  sum->dropped += n->dropped;
  sum->programs += n->programs;
  sum->singles += n->singles;
  sum->stored += n->stored;
  sum->lists += n->lists;
  sum->found += n->found;
  if (n->temporary > sum->temporary) sum->temporary = n->temporary;
}

/* Stores the innermost line of the script. Allocates no memory, because an operation is running. */
static void locate(void *context, char *line, size_t size) {
  lua_State *L = context;
  lua_Debug ar;
  if (!lua_checkstack(L, 1)) return;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0 || is_own_source(L, ar.source)) continue;
    snprintf(line, size, "%s:%d", ar.short_src, ar.currentline);
    return;
  }
}

/* Calls the function at stack index 2 with the arguments above it, while its operations are deferred. The results, or
** the error, take the place of the function. The operations run before the call returns, also after an error or if the
** results fill the stack. Returns the status of lua_pcall. */
static int call_deferred(lua_State *L, compiled *c, deferral *d) {
  deferral_log(d, c->logs);
  deferral_open(d, is_mine, lua_topointer(L, LUA_REGISTRYINDEX), locate);
  int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  bool full = !lua_checkstack(L, 2 * LUA_MINSTACK);
  if (full) lua_settop(L, 1);
  lua_pushcfunction(L, l_run_list);
  int ran = lua_pcall(L, 0, 0, 0);
  if (ran != LUA_OK) deferral_salvage(d);
  c->last = deferral_counted(d);
  deferral_close(d);
  forget_kept(L);
  c->calls++;
  add_counts(&c->sum, &c->last);
  if (full) luaL_error(L, "stack overflow");
  if (status != LUA_OK && ran != LUA_OK) lua_pop(L, 1);        /* the first error is the cause */
  return status != LUA_OK ? status : ran;
}

static compiled *check_compiled(lua_State *L, const char *fn) {
  return check_self(L, &compiled_class, sizeof(compiled), fn, "compiled function");
}

/* compiled(…): calls the function. Inside of another compiled function it is called as it is, because its operations are
** deferred there. */
static int l_call(lua_State *L) {
  compiled *c = check_compiled(L, "compile");
  luaL_checkstack(L, LUA_MINSTACK, "compile");
  lua_getiuservalue(L, 1, 1);
  lua_insert(L, 2);
  deferral *d = open_deferral ? NULL : get_deferral(L);
  if (!d) lua_call(L, lua_gettop(L) - 2, LUA_MULTRET);
  else if (call_deferred(L, c, d) != LUA_OK) return lua_error(L);
  return lua_gettop(L) - 1;
}

/* new_compiled(f): returns the compiled function of f. lua/luatensor/compile.lua has the public function. */
static int l_new_compiled(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  push_object(L, &compiled_class, sizeof(compiled), 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

/* ---- reports ---- */

/* Pushes "1 pass" or "3 passes". */
static const char *push_counted(lua_State *L, long n, const char *one, const char *many) {
  return lua_pushfstring(L, "%I %s", (LUAI_UACINT)n, n == 1 ? one : many);
}

/* Pushes a description of `calls` calls. */
static const char *push_summary(lua_State *L, long calls, const deferral_counts *n) {
  int top = lua_gettop(L);
  lua_pushfstring(L, "%s, %s in %s over memory, %I dropped", push_counted(L, calls, "call", "calls"),
                  push_counted(L, n->recorded, "operation", "operations"),
                  push_counted(L, n->programs + n->singles, "pass", "passes"), (LUAI_UACINT)n->dropped);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  return lua_tostring(L, -1);
}

/* Pushes the number of reused schedules, and the memory for temporary results. */
static const char *push_plans(lua_State *L, const deferral_counts *n) {
  const char *schedules = push_counted(L, n->lists, "schedule", "schedules"), *bytes = push_bytes(L, n->temporary);
  lua_pushfstring(L, "%I of %s reused, %s for temporary results", (LUAI_UACINT)n->found, schedules, bytes);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return lua_tostring(L, -1);
}

static int l_tostring(lua_State *L) {
  const compiled *c = check_compiled(L, "tostring");
  const char *summary = push_summary(L, c->calls, &c->sum);
  lua_pushfstring(L, "compiled function: %s, %s", summary, push_plans(L, &c->sum));
  return 1;
}

/* Pushes the lines of the table of stops at stack index i as text. */
static void push_stops(lua_State *L, int i) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (lua_Integer k = 1, n = (lua_Integer)lua_rawlen(L, i); k <= n; k++) {
    lua_rawgeti(L, i, k);
    lua_pushvalue(L, -1);
    lua_rawget(L, i);
    lua_Integer times = lua_tointeger(L, -1);
    if (times == 1) lua_pushfstring(L, "\n  %s", lua_tostring(L, -2));
    else lua_pushfstring(L, "\n  %s, %I times", lua_tostring(L, -2), (LUAI_UACINT)times);
    lua_replace(L, -3);
    lua_pop(L, 1);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
}

/***
Calls the function once, and returns a text that says what the call did: how many operations waited, how many passes over
memory computed them, how many of its lists reused the schedule of an earlier list, how many bytes temporary results took at
most, and the lines of the script before which the list had to run.
@function compiled:explain
@param ... arguments of the function
@treturn string
*/
static int l_explain(lua_State *L) {
  compiled *c = check_compiled(L, "explain");
  check_not_compiled(L, "explain");
  luaL_checkstack(L, LUA_MINSTACK, "explain");
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &stops_key);
  lua_insert(L, 1);                          /* the table of stops is at index 1, the compiled function at index 2 */
  lua_pushvalue(L, 2);
  lua_insert(L, 3);
  int status = lua_pcall(L, lua_gettop(L) - 3, 0, 0);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &stops_key);
  if (status != LUA_OK) return lua_error(L);
  const char *summary = push_summary(L, 1, &c->last), *stored = push_counted(L, c->last.stored, "result", "results");
  const char *plans = push_plans(L, &c->last);
  push_stops(L, 1);
  bool stopped = lua_rawlen(L, 1) > 0;
  lua_pushfstring(L, "%s, %s stored, %s%s%s", summary, stored, plans, stopped ? "; run early before" : "",
                  lua_tostring(L, -1));
  return 1;
}

/* ---- registration ---- */

/* If os.exit closes the state inside of a compiled function, the deferral is still open. Its list runs now, because later
** finalizers may use the results. After an error, such a use raises an error. */
static int l_free_deferral(lua_State *L) {
  state_deferral *s = lua_touserdata(L, 1);
  if (s->d && open_deferral == s->d) {
    deferral_run(s->d);
    deferral_close(s->d);
  }
  deferral_free(s->d);
  s->d = NULL;
  return 0;
}

/* fingerprint(compiled): returns a number that differs if two calls recorded different operations, or made tensors of other
** shapes. */
static int l_fingerprint(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check_compiled(L, "fingerprint")->last.fingerprint);
  return 1;
}

/* log_calls(compiled): from now on, the operations of the calls are logged. */
static int l_log_calls(lua_State *L) {
  check_compiled(L, "compile")->logs = true;
  return 0;
}

/* logged(): returns the log of the last call of a compiled function: a list that has, for each operation, a hash and then
** the script's line with the function's name. */
static int l_logged(lua_State *L) {
  size_t n;
  const logged_op *list = deferral_logged(get_deferral(L), &n);
  lua_createtable(L, (int)n * 2, 0);
  for (size_t k = 0; k < n; k++) {
    lua_pushinteger(L, (lua_Integer)list[k].hash);
    lua_rawseti(L, -2, (lua_Integer)(2 * k + 1));
    lua_pushfstring(L, "%s: %s", *list[k].line ? list[k].line : "?", list[k].name);
    lua_rawseti(L, -2, (lua_Integer)(2 * k + 2));
  }
  return 1;
}

static const function_row functions[] = {{"new_compiled", l_new_compiled, INTERNAL}, {"fingerprint", l_fingerprint, INTERNAL},
                                         {"log_calls", l_log_calls, INTERNAL}, {"logged", l_logged, INTERNAL},
                                         {NULL, NULL, 0}};
static const function_row methods[] = {{"explain", l_explain, ANY}, {NULL, NULL, 0}};

void open_compile(lua_State *L) {
  __atomic_store_n(&the_deferred_runner, run_early, __ATOMIC_RELAXED);
  add_functions(L, functions);
  add_class(L, &compiled_class, "compiled", (luaL_Reg[]){{"__call", l_call}, {"__tostring", l_tostring}, {NULL, NULL}},
            methods);
  add_class(L, &deferral_class, NULL, (luaL_Reg[]){{"__gc", l_free_deferral}, {NULL, NULL}}, NULL);
}
