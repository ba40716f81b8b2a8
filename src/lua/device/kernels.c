/* Functions about the kernels of GPUs that are kept on disk, for the command `luatensor kernels`. Only the library's own
** Lua files call them, not scripts. */

#include <errno.h>
#include <string.h>

#include "base/kernels.h"
#include "lua/register.h"

#include <lauxlib.h>

static int push_failure(lua_State *L) {
  const char *others = "the folder is not used, because another user owns it or may write to it";
  lua_pushnil(L);
  lua_pushstring(L, errno == EPERM ? others : strerror(errno));
  return 2;
}

/* kernels_on_disk(): returns the number of kernels in the cache folder, their bytes, and the bytes above which kernels are
** removed. On failure returns nil and the reason. */
static int l_kernels_on_disk(lua_State *L) {
  uint64_t count, bytes, most;
  if (!kernels_get()->measure(&count, &bytes, &most)) return push_failure(L);
  lua_pushinteger(L, (lua_Integer)count);
  lua_pushinteger(L, (lua_Integer)bytes);
  lua_pushinteger(L, (lua_Integer)most);
  return 3;
}

/* trim_kernels(most): removes the kernels that were not used for the longest time, until the others have at most `most`
** bytes. Returns the number and the bytes of the removed kernels. On failure returns nil and the reason. */
static int l_trim_kernels(lua_State *L) {
  uint64_t count, bytes;
  lua_Integer most = luaL_checkinteger(L, 1);
  luaL_argcheck(L, most >= 0, 1, "bytes from 0 on expected");
  if (!kernels_get()->trim((uint64_t)most, &count, &bytes)) return push_failure(L);
  lua_pushinteger(L, (lua_Integer)count);
  lua_pushinteger(L, (lua_Integer)bytes);
  return 2;
}

/* Pushes a copy of the string argument that may be changed. */
static char *push_copy(lua_State *L, int argument) {
  size_t length;
  const char *text = luaL_checklstring(L, argument, &length);
  return memcpy(lua_newuserdatauv(L, length + 1, 0), text, length + 1);
}

/* kernel_is_intact(line): true if a line of a list of kernels is intact. */
static int l_kernel_is_intact(lua_State *L) {
  lua_pushboolean(L, kernels_get()->is_intact(push_copy(L, 1)));
  return 1;
}

/* can_compile(processor): returns true if a compiler for the processor is installed, such as "sm_90". Otherwise returns
** nil and the reason. */
static int l_can_compile(lua_State *L) {
  char reason[KERNELS_REASON];
  if (kernels_get()->can_compile(luaL_checkstring(L, 1), reason)) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, reason);
  return 2;
}

/* compile_kernel(processor, line): compiles the kernel of a list's line and stores it in the cache folder. Returns
** "compiled", "there" if the folder has the kernel, "failed" and the compiler's reason, or "not kept" and the reason why the
** kernel cannot be stored. */
static int l_compile_kernel(lua_State *L) {
  static const char *const words[] = {
    [KERNEL_COMPILED] = "compiled", [KERNEL_THERE] = "there", [KERNEL_FAILED] = "failed", [KERNEL_NOT_KEPT] = "not kept"
  };
  char reason[KERNELS_REASON] = "";
  lua_pushstring(L, words[kernels_get()->compile(luaL_checkstring(L, 1), push_copy(L, 2), reason)]);
  lua_pushstring(L, reason);
  return 2;
}

static const function_row functions[] = {
  {"kernels_on_disk", l_kernels_on_disk, OUTSIDE}, {"trim_kernels", l_trim_kernels, OUTSIDE},
  {"kernel_is_intact", l_kernel_is_intact, OUTSIDE}, {"can_compile", l_can_compile, OUTSIDE},
  {"compile_kernel", l_compile_kernel, OUTSIDE}, {NULL, NULL, 0}
};

void open_kernels(lua_State *L) {
  add_functions(L, functions);
  lua_pushstring(L, kernels_get()->list_head);
  add_internal(L, "kernel_list_head");
}
