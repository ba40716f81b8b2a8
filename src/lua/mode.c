/* Guards of modes. A mode is a setting such as "record gradients" (lua/mode.h); an open guard gives the mode a value.
**
** The youngest guard of the running coroutine determines the mode of an operation. If this coroutine has no guard, the
** youngest guard of the coroutines that resumed it, directly or indirectly, determines the mode. If there is no such
** guard, the mode has its default. So guards of suspended coroutines do not affect other coroutines.
**
** __close alone does not end a guard reliably. A debug hook may raise an error after a guard was made and before it
** became a <close> variable, or in the call of __close. Lua's allocator may raise an error there, too. A coroutine
** that ends by an error closes nothing. So a guard counts only while a reference to it exists. The guard is first
** searched at its last place, a slot of a frame of its coroutine, then on the whole stack of that coroutine. If the
** guard is on no stack, a garbage collection shows whether anything else refers to the guard. */

#include "lua/mode.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stddef.h>
#include <stdint.h>

#include "lua/args.h"
#include "lua/register.h"

struct guard {
  guard         *younger, *older;        /* the neighbouring open guards of the same bucket */
  struct guards *list;                   /* the guards of the state while this guard is open, otherwise NULL */
  lua_State     *thread;                 /* the guard's coroutine, which user value THREAD keeps alive */
  enum mode      mode;
  bool           flag;                   /* the value as a boolean; the value itself is user value VALUE */
  bool           elsewhere;              /* something other than the stack of its coroutine refers to the guard */
  const void    *frame;                  /* the frame in which the guard was last found; NULL: none */
  int            slot, depth;            /* slot: slot of the guard in that frame; depth: the frame's number from the
                                         ** bottom, or 0 if it was not counted */
  uint64_t       number;                 /* unique among the guards of the state; later guards have greater numbers */
};

enum { VALUE = 1, THREAD, USER_VALUES = THREAD };

/* The guards of a state, in a hash table by coroutine, so that guards of suspended coroutines cost no time. */
typedef struct guards {
  uint64_t  made;                        /* number of guards made so far */
  lua_State *main;
  lua_CFunction resume, close, wrapped;  /* the C functions of coroutine.resume, of coroutine.close, and of a function
                                         ** that coroutine.wrap made */
  int       open, log2;                  /* open: number of open guards; log2: binary logarithm of the number of
                                         ** buckets */
  guard   **bucket;                      /* the youngest guard of each bucket; the array is a userdata, which a user
                                         ** value keeps alive */
} guards;

static const char guard_class = 0;       /* the address is the registry key of the metatable */
static const char guards_key = 0;        /* the address is the registry key of the state's guards */
static const char values_key = 0;        /* the address is the registry key of a table with weak values: the guards by
                                         ** their addresses */

static int open_guards[MODE_COUNT];      /* numbers of open guards of each mode, in all states */
static int lists_made;                   /* number of lists of guards in the process */
static guards *only_list;                /* the list if the process has only one, which saves the 60 instructions of a
                                         ** lookup */

enum { NEAR = 16 };                      /* frames that are compared one by one before the depth is counted */

static guards *list_of(lua_State *L) {
  guards *only = __atomic_load_n(&only_list, __ATOMIC_RELAXED);
  if (only) return only;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &guards_key);
  guards *list = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return list;
}

static guard **bucket_of(const guards *list, const lua_State *co) {
  return &list->bucket[(uint64_t)(uintptr_t)co * 0x9E3779B97F4A7C15u >> (64 - list->log2)];
}

static void put_in_bucket(guard *g) {
  guard **youngest = bucket_of(g->list, g->thread);
  g->younger = NULL;
  g->older = *youngest;
  if (g->older) g->older->younger = g;
  *youngest = g;
}

/* Gives `list` 2^log2 buckets. The userdata of the list must be at the top of the stack. */
static void make_buckets(lua_State *L, guards *list, int log2) {
  int before = list->bucket ? 1 << list->log2 : 0;
  guard **old = list->bucket, **fresh = lua_newuserdatauv(L, sizeof *fresh << log2, 0);
  for (int k = 0; k < 1 << log2; k++) fresh[k] = NULL;
  list->bucket = fresh;
  list->log2 = log2;
  for (int k = 0; k < before; k++) {
    guard *g = old[k], *younger;
    while (g && g->older) g = g->older;
    for (; g; g = younger) {
      younger = g->younger;
      put_in_bucket(g);
    }
  }
  lua_setiuservalue(L, -2, 1);
}

/* Doubles the number of buckets if there are as many open guards as buckets. */
static void make_room(lua_State *L, guards *list) {
  if (list->open < 1 << list->log2) return;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &guards_key);
  make_buckets(L, list, list->log2 + 1);
  lua_pop(L, 1);
}

/* ---- opening and closing ---- */

/* Pushes a new guard, which does not set its mode before open_guard is called. */
static guard *push_guard(lua_State *L, enum mode mode, bool flag) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  make_room(L, list_of(L));
  guard *g = push_object(L, &guard_class, sizeof *g, USER_VALUES);
  *g = (guard){.thread = L, .mode = mode, .flag = flag, .number = ++list_of(L)->made};
  lua_pushthread(L);
  lua_setiuservalue(L, -2, THREAD);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &values_key);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, g);
  lua_pop(L, 1);
  return g;
}

/* Opens a guard. This function raises no errors. */
static void open_guard(lua_State *L, guard *g) {
  g->list = list_of(L);
  g->list->open++;
  put_in_bucket(g);
  __atomic_add_fetch(&open_guards[g->mode], 1, __ATOMIC_RELAXED);
}

static void close_guard(guard *g) {
  if (!g->list) return;
  if (g->younger) g->younger->older = g->older;
  else *bucket_of(g->list, g->thread) = g->older;
  if (g->older) g->older->younger = g->younger;
  g->list->open--;
  g->list = NULL;
  g->younger = g->older = NULL;
  __atomic_sub_fetch(&open_guards[g->mode], 1, __ATOMIC_RELAXED);
}

/* Records that the guard stays at index `slot` until the running C function returns. */
static void set_place(lua_State *L, guard *g, int slot) {
  lua_Debug ar;
  lua_getstack(L, 0, &ar);
  g->frame = (const void *)ar.i_ci;
  g->slot = slot;
}

/* ---- searching guards on stacks ---- */

/* True if a slot of a frame contains g. *is_slot becomes true if the frame has this slot. */
static bool holds(lua_State *co, const lua_Debug *ar, int slot, const guard *g, bool *is_slot) {
  *is_slot = lua_getlocal(co, ar, slot) != NULL;
  if (!*is_slot) return false;
  bool held = lua_touserdata(co, -1) == g;
  lua_pop(co, 1);
  return held;
}

static int count_frames(lua_State *co) {
  lua_Debug ar;
  int low = 0, high = 1;
  for (; lua_getstack(co, high, &ar); high *= 2) low = high;
  while (low + 1 < high) {
    int middle = low + (high - low) / 2;
    if (lua_getstack(co, middle, &ar)) low = middle;
    else high = middle;
  }
  return low + 1;
}

/* True if g is still in the frame and the slot where it was last found. */
static bool is_in_place(lua_State *co, const guard *g) {
  lua_Debug ar;
  bool is_slot;
  if (!g->frame) return false;
  for (int level = 1; level < NEAR; level++) {           /* level 0 is this function */
    if (!lua_getstack(co, level, &ar)) return false;
    if ((const void *)ar.i_ci == g->frame) return holds(co, &ar, g->slot, g, &is_slot);
  }
  if (!g->depth) return false;
  int level = count_frames(co) - g->depth;
  return level >= NEAR && lua_getstack(co, level, &ar) && holds(co, &ar, g->slot, g, &is_slot);
}

/* Searches the whole stack for g, from the top. Returns false if g is not there. */
static bool find_place(lua_State *co, guard *g) {
  lua_Debug ar;
  for (int level = 0; lua_getstack(co, level, &ar); level++) {
    bool is_slot = true;
    for (int slot = 1; is_slot; slot++) {
      if (!holds(co, &ar, slot, g, &is_slot)) continue;
      g->frame = (const void *)ar.i_ci;
      g->depth = count_frames(co) - level;
      g->slot = slot;
      return true;
    }
  }
  return false;
}

static bool is_on_stack(lua_State *co, guard *g) { return is_in_place(co, g) || find_place(co, g); }

/* Runs a collection for g, which is on no stack. The collection closes guards that are not referenced. If g is still
** open afterwards, something else refers to g, so g->elsewhere is set. Returns false if no collection is possible,
** which is the case inside of a finalizer. */
static bool settle(lua_State *L, const guard *g) {
  uint64_t number = g->number;
  const lua_State *co = g->thread;
  if (lua_gc(L, LUA_GCCOLLECT) < 0) return false;
  for (guard *kept = *bucket_of(list_of(L), co); kept; kept = kept->older)
    if (kept->number == number) kept->elsewhere = true;
  return true;
}

/* ---- finding the guard that applies ---- */

enum standing { APPLIES, WAITS, DEAD, UNSURE };

/* Returns the coroutine that co has resumed by coroutine.resume or a function of coroutine.wrap, or is closing by
** coroutine.close. Returns NULL if co is not in a call of one of these functions. co must not be the running
** coroutine. */
static lua_State *run_by(const guards *list, lua_State *co) {
  lua_Debug ar;
  if (!lua_checkstack(co, 2) || !lua_getstack(co, 0, &ar)) return NULL;
  int top = lua_gettop(co);
  lua_getinfo(co, "f", &ar);
  lua_CFunction f = lua_tocfunction(co, -1);
  lua_State *next = NULL;
  if (f && (((f == list->resume || f == list->close) && lua_getlocal(co, &ar, 1))
            || (f == list->wrapped && lua_getupvalue(co, -1, 1))))
    next = lua_tothread(co, -1);
  lua_settop(co, top);
  return next;
}

/* Returns APPLIES if g sets its mode for L, WAITS if g's coroutine is suspended, DEAD if this coroutine has ended, and
** UNSURE if no reference to g was found. A coroutine that is neither suspended nor dead has resumed L, directly or
** indirectly. (The main thread has no frame if a host resumes a coroutine from outside of Lua.) While coroutine.close
** closes a coroutine's variables, Lua 5.4.0 to 5.4.2 still report the coroutine as suspended. */
static enum standing standing_of(lua_State *L, guard *g) {
  lua_State *co = g->thread;
  if (co != L) {
    lua_Debug ar;
    if (lua_status(co) == LUA_YIELD) {
      if (!run_by(list_of(L), co)) return WAITS;
    } else {
      if (lua_status(co) != LUA_OK || !lua_checkstack(co, 2)) return DEAD;
      if (!lua_getstack(co, 0, &ar)) return co == list_of(L)->main ? WAITS : DEAD;
    }
  }
  return is_on_stack(co, g) || g->elsewhere ? APPLIES : UNSURE;
}

/* A search for the youngest guard of a mode that applies to L. */
typedef struct search {
  lua_State *L;
  enum mode  mode;
  guard     *found;
  bool       again;                      /* a collection has closed guards, so the search must start again */
} search;

/* Searches the guards of co, or, if co is NULL, of all coroutines in the bucket except L. */
static void search_bucket(search *s, guard *youngest, const lua_State *co) {
  guard *older;
  for (guard *g = youngest; g && !s->again; g = older) {
    older = g->older;
    if (g->mode != s->mode || (co ? g->thread != co : g->thread == s->L)) continue;
    if (s->found && s->found->number > g->number) continue;
    enum standing standing = standing_of(s->L, g);
    if (standing == DEAD) close_guard(g);
    else if (standing == UNSURE && settle(s->L, g)) s->again = true;
    else if (standing != WAITS) s->found = g;
  }
}

/* Searches the coroutines that resumed L, directly or indirectly. Returns false if these coroutines are unknown. */
static bool search_chain(search *s, const guards *list) {
  for (lua_State *co = list->main, *next; co != s->L && !s->again; co = next) {
    next = run_by(list, co);
    if (!next) return false;
    search_bucket(s, *bucket_of(list, co), co);
  }
  return true;
}

static void search_all(search *s, const guards *list) {
  for (int k = 0; k < 1 << list->log2 && !s->again; k++) search_bucket(s, list->bucket[k], NULL);
}

/* Returns the guard that sets a mode for L, or NULL. */
static guard *find_guard(lua_State *L, enum mode mode) {
  if (__atomic_load_n(&open_guards[mode], __ATOMIC_RELAXED) == 0) return NULL;
  const guards *list = list_of(L);
  for (;;) {
    search s = {.L = L, .mode = mode};
    search_bucket(&s, *bucket_of(list, L), L);
    if (!s.found && !s.again && !search_chain(&s, list)) search_all(&s, list);
    if (!s.again) return s.found;
  }
}

/* ---- functions for C ---- */

bool mode_is_recording(lua_State *L) {
  const guard *g = find_guard(L, MODE_recording);
  return !g || g->flag;
}

/* The loop is needed because an unreferenced guard leaves the weak table before its finalizer closes the guard. */
bool mode_push(lua_State *L, enum mode mode) {
  for (guard *g; (g = find_guard(L, mode)) != NULL; close_guard(g)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &values_key);
    if (lua_rawgetp(L, -1, g) == LUA_TUSERDATA) {
      lua_getiuservalue(L, -1, VALUE);
      lua_replace(L, -3);
      lua_pop(L, 1);
      return true;
    }
    lua_pop(L, 2);
  }
  return false;
}

guard *mode_record(lua_State *L, bool flag) {
  guard *g = push_guard(L, MODE_recording, flag);
  lua_insert(L, 1);
  set_place(L, g, 1);
  open_guard(L, g);
  return g;
}

void mode_end(guard *g) { close_guard(g); }

/* ---- functions for Lua ---- */

/* Pushes a new guard with argument 1 as value. The caller then calls open_guard. Upvalue 1 is the mode. */
static guard *push_argument(lua_State *L) {
  enum mode mode = (enum mode)lua_tointeger(L, lua_upvalueindex(1));
  luaL_checkany(L, 1);
  guard *g = push_guard(L, mode, lua_toboolean(L, 1));
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, VALUE);
  return g;
}

/* guard(value): sets the mode, and returns an open guard. The mode ends when the guard, a <close> variable of the
** caller, is closed. */
static int l_guard(lua_State *L) {
  open_guard(L, push_argument(L));
  return 1;
}

static int finish_call(lua_State *L, int status, lua_KContext ctx) {
  (void)status; (void)ctx;
  close_guard(lua_touserdata(L, 1));
  return lua_gettop(L) - 1;
}

/* call(value, f, …): returns the results of f(…), which runs with the mode set. f may yield. */
static int l_call(lua_State *L) {
  luaL_checkany(L, 2);
  guard *g = push_argument(L);
  lua_replace(L, 1);
  lua_toclose(L, 1);
  set_place(L, g, 1);
  open_guard(L, g);
  lua_callk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, finish_call);
  return finish_call(L, LUA_OK, 0);
}

/* value(): returns the value of the youngest guard that applies, or nil. */
static int l_value(lua_State *L) { return mode_push(L, (enum mode)lua_tointeger(L, lua_upvalueindex(1))); }

/* Closes a guard as __close and __gc. Scripts can call this function through debug.getmetatable, so the argument may be
** anything. */
static int l_close(lua_State *L) {
  guard *g = test_class(L, 1, &guard_class, sizeof(guard));
  if (g) close_guard(g);
  return 0;
}

static const luaL_Reg metamethods[] = {{"__close", l_close}, {"__gc", l_close}, {NULL, NULL}};
static const luaL_Reg functions[] = {{"guard", l_guard}, {"call", l_call}, {"value", l_value}, {NULL, NULL}};

/* Pushes a new table with weak values. */
static void push_weak_table(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

/* Finds Lua's own functions that run other coroutines. A state without the coroutine library has none. */
static void find_resumers(lua_State *L, guards *list) {
  int top = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_COLIBNAME) == LUA_TTABLE) {
    lua_getfield(L, -1, "resume");
    list->resume = lua_tocfunction(L, -1);
    lua_getfield(L, -2, "close");
    list->close = lua_tocfunction(L, -1);
    lua_getfield(L, -3, "wrap");
    lua_pushcfunction(L, l_guard);                   /* coroutine.wrap requires a function, which is never called
                                                     ** here */
    if (lua_pcall(L, 1, 1, 0) == LUA_OK) list->wrapped = lua_tocfunction(L, -1);
  }
  lua_settop(L, top);
}

static void make_list(lua_State *L) {
  guards *list = lua_newuserdatauv(L, sizeof *list, 1);
  *list = (guards){.made = 0};
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  list->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  find_resumers(L, list);
  make_buckets(L, list, 4);
  if (__atomic_add_fetch(&lists_made, 1, __ATOMIC_SEQ_CST) == 1) __atomic_store_n(&only_list, list, __ATOMIC_SEQ_CST);
  /* if another thread incremented lists_made before only_list was set here, this load returns more than 1; otherwise
  ** the other thread clears only_list */
  if (__atomic_load_n(&lists_made, __ATOMIC_SEQ_CST) > 1)
    __atomic_store_n(&only_list, NULL, __ATOMIC_SEQ_CST);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &guards_key);
}

/* Makes core.modes, the functions of each mode. A state that loads the module again keeps its guards. */
void open_mode(lua_State *L) {
  static const char *const names[MODE_COUNT] = {"recording", "autocast", "watch"};
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &guards_key) == LUA_TNIL) {
    add_class(L, &guard_class, "luatensor.Guard", metamethods, NULL);
    push_weak_table(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &values_key);
    make_list(L);
  }
  lua_pop(L, 1);
  lua_createtable(L, 0, MODE_COUNT);
  for (int mode = 0; mode < MODE_COUNT; mode++) {
    luaL_newlibtable(L, functions);
    lua_pushinteger(L, mode);
    luaL_setfuncs(L, functions, 1);
    lua_setfield(L, -2, names[mode]);
  }
  add_internal(L, "modes");
}
