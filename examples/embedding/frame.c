/* A frame buffer that a script draws into, without a copy. The host takes the memory back after each frame, so a
** script that keeps the tensor, or a view of it, gets an error instead of another frame's memory.
**
**   cc frame.c $(pkg-config --cflags --libs lua5.4) -o frame */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>

enum { WIDTH = 32, HEIGHT = 24, PITCH = 4 * WIDTH + 64 };      /* PITCH: bytes from one row to the next, with
                                                               ** padding */

static const char script[] =
  "local lt = require 'luatensor'\n"
  "function draw(frame, n)                        -- [height, width, 4], uint8\n"
  "  frame[{{}, {}, 4}] = 255                     -- opaque\n"
  "  frame[{{1, 8}, {n + 1, n + 8}, 1}] = 200     -- a red square that moves\n"
  "  kept = frame[{{1, 8}}]                       -- a mistake\n"
  "end\n"
  "function use_kept() return kept:sum():item() end\n";

/* Describes an image whose rows are stored from bottom to top: the first row of the tensor, the top row of the image,
** is the last row in memory. */
static luatensor_array describe(unsigned char *pixels) {
  luatensor_array a = {.data = pixels + (HEIGHT - 1) * PITCH, .dtype = LUATENSOR_uint8, .ndim = 3,
                       .shape = {HEIGHT, WIDTH, 4}, .stride = {-PITCH, 4, 1}};
  return a;
}

/* The Lua function draw_frame(pixels, n) for frame number n: lends the pixels to the script's function draw, and
** revokes the loan even if draw fails. The host calls this function through lua_pcall. */
static int draw_frame(lua_State *L) {
  unsigned char *pixels = lua_touserdata(L, 1);
  const luatensor_api *lt = luatensor_open(L, LUATENSOR_ABI);
  luatensor_array frame = describe(pixels);
  lua_getglobal(L, "draw");
  luatensor_loan loan = lt->lend(L, &frame, NULL, NULL);
  lua_pushvalue(L, 2);
  int problem = lua_pcall(L, 2, 0, 0), status = lt->revoke(L, loan);
  if (problem) return lua_error(L);
  if (status != LUATENSOR_ok) return luaL_error(L, "%s", lt->explain(status));
  return 0;
}

static int fail(const char *what) {
  fprintf(stderr, "frame: %s\n", what);
  return 1;
}

int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  if (luaL_dostring(L, script) != LUA_OK) return fail(lua_tostring(L, -1));
  for (int n = 0; n < 10; n++) {
    unsigned char *pixels = calloc(HEIGHT, PITCH);         /* each frame has memory of its own */
    lua_pushcfunction(L, draw_frame);
    lua_pushlightuserdata(L, pixels);
    lua_pushinteger(L, n);
    if (lua_pcall(L, 2, 0, 0) != LUA_OK) return fail(lua_tostring(L, -1));
    const unsigned char *top = pixels + (HEIGHT - 1) * PITCH;
    if (top[4 * n] != 200 || top[4 * n + 3] != 255 || top[4 * (n + 8)] != 0) return fail("another picture");
    free(pixels);
  }
  lua_getglobal(L, "use_kept");
  if (lua_pcall(L, 0, 1, 0) == LUA_OK) return fail("a script reads memory that was freed");
  printf("10 frames; then: %s\n", lua_tostring(L, -1));
  int right = strstr(lua_tostring(L, -1), "the host has taken the memory of this tensor back") != NULL;
  lua_close(L);
  return right ? 0 : 1;
}
