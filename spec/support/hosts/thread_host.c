/* Runs a script as lua does, on a thread with a stack of 128 KiB, which is musl's default:
**
**     thread_host SCRIPT.lua ARGUMENT...
**     thread_host -e CODE */

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

enum { STACK = 128 << 10 };

static int words;
static char **word;

static int say_where(lua_State *L) {
  luaL_traceback(L, L, lua_tostring(L, -1), 1);
  return 1;
}

static void *run(void *at) {
  lua_State *L = at;
  lua_pushcfunction(L, say_where);
  bool code = strcmp(word[1], "-e") == 0 && words > 2;
  bool failed = (code ? luaL_loadstring(L, word[2]) : luaL_loadfile(L, word[1])) != LUA_OK;
  for (int k = 2; !failed && k < words; k++) lua_pushstring(L, word[k]);
  failed = failed || lua_pcall(L, words - 2, 0, 1) != LUA_OK;
  if (failed) fprintf(stderr, "%s: %s\n", word[1], lua_tostring(L, -1));
  return failed ? at : NULL;
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (!L || argc < 2) return 2;
  words = argc;
  word = argv;
  luaL_openlibs(L);
  lua_gc(L, LUA_GCGEN, 0, 0);               /* as lua.c of Lua 5.4 does */
  lua_newtable(L);
  for (int k = 0; k < argc; k++) {
    lua_pushstring(L, argv[k]);
    lua_rawseti(L, -2, k - 1);
  }
  lua_setglobal(L, "arg");
  pthread_t thread;
  pthread_attr_t attributes;
  void *failed = L;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  if (pthread_create(&thread, &attributes, run, L) == 0) pthread_join(thread, &failed);
  lua_close(L);
  return failed != NULL;
}
