/* A program that contains all of luatensor: the static library, and the Lua files as bytecode without debug
** information. The program reads no file of luatensor when it runs. `make static` makes libluatensor.a; bundle.lua
** makes bundle.h.
**
**   lua5.4 bundle.lua ../../lua > bundle.h
**   cc bundled.c libluatensor.a $(pkg-config --cflags --libs lua5.4) -lopenblas -lz -lm -ldl -lpthread -o bundled */

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "bundle.h"



int luaopen_luatensor_core(lua_State *L);

/* Runs module number k of the bundle, where k is the upvalue, and returns the module's value. */
static int open_module(lua_State *L) {
  lua_Integer k = lua_tointeger(L, lua_upvalueindex(1));
  if (luaL_loadbufferx(L, (const char *)bundle[k].code, bundle[k].size, bundle[k].name, "b") != LUA_OK) return lua_error(L);
  lua_pushstring(L, bundle[k].name);
  lua_call(L, 1, 1);
  return 1;
}

/* Puts the core and all modules into package.preload. */
static void preload(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_luatensor_core);
  lua_setfield(L, -2, "luatensor.core");
  for (lua_Integer k = 0; bundle[k].name; k++) {
    lua_pushinteger(L, k);
    lua_pushcclosure(L, open_module, 1);
    lua_setfield(L, -2, bundle[k].name);
  }
  lua_pop(L, 1);
}

static const char script[] =
  "package.path, package.cpath = '', ''\n"
  "local lt = require 'luatensor'\n"
  "local nn, optim = lt.nn, lt.optim\n"
  "lt.manual_seed(1)\n"
  "local x = lt.linspace(-1, 1, 64):reshape(64, 1)\n"
  "local model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))\n"
  "local adam, first, last = optim.Adam(model:parameters(), {lr = 0.02})\n"
  "for step = 1, 200 do\n"
  "  adam:zero_grad()\n"
  "  local loss = nn.functional.mse_loss(model(x), x * x)\n"
  "  loss:backward()\n"
  "  adam:step()\n"
  "  first, last = first or loss:item(), loss:item()\n"
  "end\n"
  "local fails, why = pcall(lt.data.digits)\n"
  "assert(not fails and tostring(why):find 'bundled without digits', why)\n"
  "return first, last\n";

int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  preload(L);
  if (luaL_dostring(L, script) != LUA_OK) {
    fprintf(stderr, "bundled: %s\n", lua_tostring(L, -1));
    return 1;
  }
  double first = lua_tonumber(L, -2), last = lua_tonumber(L, -1);
  printf("trained from a bundle: the loss fell from %.4f to %.4f\n", first, last);
  lua_close(L);
  return last < 0.1 * first ? 0 : 1;
}
