/* Detects finalizers and debug hooks that interrupted an operation of this library.
**
** The file searches the levels of the call stack (lua_getstack). lua_getinfo gives a hook's level the kind "hook",
** and marks a finalizer by the name "__gc". From Lua 5.4.4 on, the finalizer's own level has this name; in older
** versions the level of the interrupted function has it. The search goes from the interrupted function outwards to
** the first function that is written in Lua or belongs to this library. If that function belongs to the library, an
** operation is interrupted. Other C functions, such as string.rep, are skipped, because the function that called
** them decides.
**
** A finalizer or a hook may resume a coroutine, so the file searches all coroutines from the main thread to the
** running one. A call of coroutine.resume has the next coroutine as its first argument; a function from
** coroutine.wrap has the next coroutine as its upvalue. */

#include "lua/interrupt.h"

#include <lauxlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/system.h"
#include "lua/register.h"

static const char home_key = 0;          /* its address is a registry key; the value is the prefix that the
                                         ** source names of all Lua files of the library share */

enum finding { NOTHING, SCRIPT, OPERATION };   /* SCRIPT: a script's own code was interrupted; OPERATION: an operation
                                               ** was interrupted */

/* ---- functions that belong to the library ---- */

/* set_home(): declares that all Lua files in the calling file's folder and its subfolders belong to the library. */
static int l_set_home(lua_State *L) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "S", &ar)) return 0;
  const char *name = strrchr(ar.source, '/'), *other = strrchr(ar.source, '\\');
  if (!name || (other && other > name)) name = other;
  if (!name) return 0;
  lua_pushlstring(L, ar.source, (size_t)(name + 1 - ar.source));
  lua_rawsetp(L, LUA_REGISTRYINDEX, &home_key);
  return 0;
}

bool is_own_source(lua_State *L, const char *source) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &home_key);
  const char *home = lua_tostring(L, -1);
  bool is = home && strncmp(source, home, strlen(home)) == 0;
  lua_pop(L, 1);
  return is;
}

/* Classifies the function at a level of co: SCRIPT, OPERATION, or NOTHING for a C function that is not the
** library's. */
static enum finding owner(lua_State *co, lua_Debug *ar) {
  lua_getinfo(co, "Sf", ar);
  lua_CFunction f = lua_tocfunction(co, -1);
  lua_pop(co, 1);
  if (!f) return is_own_source(co, ar->source) ? OPERATION : SCRIPT;
  return system_same_module((void (*)(void))f, (void (*)(void))is_interrupting) ? OPERATION : NOTHING;
}

/* ---- one coroutine ---- */

/* Returns the finding for an interrupt of the function at this level of co. Levels for which `owner` returns NOTHING
** are skipped. If only such levels remain, returns SCRIPT. */
static enum finding interrupted_at(lua_State *co, int level) {
  lua_Debug ar;
  for (; lua_getstack(co, level, &ar); level++) {
    enum finding found = owner(co, &ar);
    if (found != NOTHING) return found;
  }
  return SCRIPT;
}

static bool is_finalizer(const lua_Debug *ar) {
  return strcmp(ar->namewhat, "metamethod") == 0 && ar->name && strcmp(ar->name, "__gc") == 0;
}

/* Returns the most severe finding among the interrupts of a coroutine. *finalizer becomes true if a finalizer is
** running. `old` selects how levels named "__gc" are read: as the interrupted function (before Lua 5.4.4) or as the
** finalizer. */
static enum finding look_at(lua_State *co, bool old, bool *finalizer) {
  enum finding worst = NOTHING;
  lua_Debug ar;
  if (!lua_checkstack(co, 2)) return OPERATION;
  for (int level = 0; worst != OPERATION && lua_getstack(co, level, &ar); level++) {
    lua_getinfo(co, "n", &ar);
    bool ends = is_finalizer(&ar), hook = strcmp(ar.namewhat, "hook") == 0;
    if (ends) *finalizer = true;
    if (!ends && !hook) continue;
    enum finding found = interrupted_at(co, ends && old ? level : level + 1);
    if (found > worst) worst = found;
  }
  return worst;
}

/* ---- all coroutines ---- */

/* Returns the coroutine that the innermost function of co resumed, or NULL if it is unknown. */
static lua_State *resumed_by(lua_State *co) {
  lua_Debug ar;
  if (!lua_checkstack(co, 2) || !lua_getstack(co, 0, &ar)) return NULL;
  lua_State *next = NULL;
  if (lua_getlocal(co, &ar, 1)) {
    next = lua_tothread(co, -1);
    lua_pop(co, 1);
  }
  if (next) return next;
  lua_getinfo(co, "f", &ar);
  if (lua_getupvalue(co, -1, 1)) {
    next = lua_tothread(co, -1);
    lua_pop(co, 1);
  }
  lua_pop(co, 1);
  return next;
}

static lua_State *main_thread(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *first = lua_tothread(L, -1);
  lua_pop(L, 1);
  return first;
}

/* True if a finalizer may be running. `running` is the result of LUA_GCISRUNNING: -1 means that a finalizer is
** running; before Lua 5.4.4, 0 may mean the same. */
static bool may_finalize(int running) { return LUA_VERSION_RELEASE_NUM < 50404 ? running != 1 : running == -1; }

/* True if an operation is interrupted. A coroutine that the search cannot reach may hide a finalizer. So the function
** also returns true if the search broke off, found no finalizer, and may_finalize(running) is true. */
static bool find_interrupt(lua_State *L, int running) {
  bool old = running != -1, finalizer = false;
  lua_State *co = main_thread(L);
  while (co && co != L) {
    if (look_at(co, old, &finalizer) == OPERATION) return true;
    co = resumed_by(co);
  }
  if (look_at(L, old, &finalizer) == OPERATION) return true;
  return !co && !finalizer && may_finalize(running);
}

bool is_interrupting(lua_State *L) {
  if (this_operation.inside) return true;      /* lua/cancel.c is calling a hook in the middle of an operation */
  int running = lua_gc(L, LUA_GCISRUNNING);
  if (running == 1 && !lua_gethook(L)) return false;
  return find_interrupt(L, running);
}

bool is_in_interrupt(lua_State *L) {
  if (this_operation.inside) return true;
  bool finalizer = false;
  return look_at(L, lua_gc(L, LUA_GCISRUNNING) != -1, &finalizer) != NOTHING;
}

void check_no_interrupt(lua_State *L, const char *fn) {
  if (this_operation.inside || find_interrupt(L, lua_gc(L, LUA_GCISRUNNING)))
    luaL_error(L, "%s: not from a finalizer or a debug hook that interrupted an operation", fn);
}

/* check_interrupt(fn): raises an error if a finalizer or a debug hook interrupted an operation. */
static int l_check(lua_State *L) {
  check_no_interrupt(L, luaL_checkstring(L, 1));
  return 0;
}

static const function_row functions[] = {
  {"set_home", l_set_home, INTERNAL}, {"check_interrupt", l_check, INTERNAL}, {NULL, NULL, 0}
};

void open_interrupt(lua_State *L) { add_functions(L, functions); }
