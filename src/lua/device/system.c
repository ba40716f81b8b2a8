/* Functions of the operating system: sleep, terminals, folders, memory, processors and child processes. Only the
** library's own Lua files call them, not scripts. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/child.h"
#include "base/system.h"
#include "lua/args.h"
#include "lua/cancel.h"
#include "lua/device/notebook.h"
#include "lua/register.h"
#include "op/host.h"

/* sleep(seconds): waits, and returns true. If a signal ends the sleep, such as Ctrl-C, returns false at once. */
static int l_sleep(lua_State *L) {
  lua_Number seconds = luaL_checknumber(L, 1);
  luaL_argcheck(L, seconds >= 0 && seconds <= 1e6, 1, "seconds from 0 to a million expected");
  lua_pushboolean(L, system_sleep(seconds));
  return 1;
}

/* terminal(fd): returns the columns of the terminal on file descriptor 1 or 2, or nil if the descriptor is no
** terminal. */
static int l_terminal(lua_State *L) {
  int columns = system_columns((int)luaL_checkinteger(L, 1));
  if (columns) lua_pushinteger(L, columns);
  else lua_pushnil(L);
  return 1;
}

/* cache_folder(): returns the user's cache folder, which is created if it is missing. On failure returns nil and the
** reason. */
static int l_cache_folder(lua_State *L) {
  char folder[SYSTEM_PATH];
  lua_pushnil(L);
  if (!system_cache_folder(folder)) {
    lua_pushliteral(L, "no folder for a cache: none of LUATENSOR_CACHE, XDG_CACHE_HOME and HOME names one");
    return 2;
  }
  bool there = system_make_folder(folder);
  int why = errno;
  lua_pushstring(L, folder);
  if (there) return 1;
  lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), strerror(why));
  lua_remove(L, -2);
  return 2;
}

static int push_failure(lua_State *L) {
  int why = errno;
  lua_pushnil(L);
  lua_pushstring(L, strerror(why));
  return 2;
}

/* output_file(path): returns `path` with its symbolic links resolved. If the file cannot be written, returns nil and
** the reason. */
static int l_output_file(lua_State *L) {
  char target[SYSTEM_PATH];
  bool in_place;
  if (!system_output(luaL_checkstring(L, 1), target, &in_place)) return push_failure(L);
  lua_pushstring(L, target);
  return 1;
}

/* Pushes a number of bytes, or nil if the number is SIZE_MAX, which means unknown. */
static int push_size(lua_State *L, size_t bytes) {
  if (bytes != SIZE_MAX) lua_pushinteger(L, (lua_Integer)bytes);
  else lua_pushnil(L);
  return 1;
}

/* available_memory(device): returns the bytes that tensors can still take on the device, including cached memory, or
** nil if unknown. */
static int l_available_memory(lua_State *L) {
  place p = check_place(L, 1, "available_memory");
  size_t bytes = SIZE_MAX;
  int status = p.device->available ? p.device->available(p.index, &bytes) : OK;
  return status == OK ? push_size(L, bytes) : raise_device(L, "available_memory", status, p);
}

/* system_memory([root]): returns the memory limit of the process and the memory that is still available, in bytes.
** Unknown numbers are nil. Specs pass a folder `root` whose files replace /proc and /sys. */
static int l_system_memory(lua_State *L) {
  size_t available, most = system_memory(luaL_optstring(L, 1, ""), &available);
  push_size(L, most);
  push_size(L, available);
  return 2;
}

/* processors([root]): returns the number of processors that the process may use. The second result is the processor
** time that a control group allows, in processors, or nil if there is no limit. `root` is as in system_memory. */
static int l_processors(lua_State *L) {
  double quota;
  lua_pushinteger(L, system_processors(luaL_optstring(L, 1, ""), &quota));
  if (quota > 0) lua_pushnumber(L, quota);
  else lua_pushnil(L);
  return 2;
}

/* ---- child processes ---- */

static const char child_class = 0;     /* the address is the registry key of the metatable */

enum { WORDS = 32, OUTPUT = 1 << 14 };  /* the most words of a command, and the most bytes that a call reads */

/* Sets words[0 ...] to the strings of the list at index 1, and a final NULL. */
static void read_words(lua_State *L, const char *words[WORDS + 1]) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer n = luaL_len(L, 1);
  luaL_argcheck(L, n >= 1 && n <= WORDS, 1, "a list of 1 to 32 words expected");
  for (lua_Integer i = 0; i < n; i++) {
    luaL_argcheck(L, lua_rawgeti(L, 1, i + 1) == LUA_TSTRING, 1, "a list of strings expected");
    words[i] = lua_tostring(L, -1);
    lua_pop(L, 1);                     /* the list keeps the string */
  }
  words[n] = NULL;
}

/* child(words, seconds): starts a program, which ends after at most `seconds`. Returns an object with the methods read
** and finish; or nil and the reason. The child ends with its <close> variable, too. */
static int l_child(lua_State *L) {
  const char *words[WORDS + 1];
  read_words(L, words);
  lua_Integer seconds = luaL_checkinteger(L, 2);
  luaL_argcheck(L, seconds >= 1 && seconds <= 1000000, 2, "seconds from 1 to a million expected");
  child *c = push_object(L, &child_class, sizeof *c, 0);
  c->from = -1;
  return child_start(c, words, (unsigned)seconds) ? 1 : push_failure(L);
}

static child *self_child(lua_State *L, const char *fn) { return check_self(L, &child_class, sizeof(child), fn, "child"); }

/* child:read(seconds): waits at most `seconds` for output, and returns it. "" means that there is no output yet, and nil
** that the child has ended. */
static int c_read(lua_State *L) {
  child *c = self_child(L, "read");
  char bytes[OUTPUT];
  ssize_t n = child_read(c, bytes, sizeof bytes, luaL_checknumber(L, 2));
  if (n >= 0) lua_pushlstring(L, bytes, (size_t)n);
  else lua_pushnil(L);
  return 1;
}

/* child:finish(): kills the child if it runs. Returns "exit" and the exit status, or "signal" and the signal's number. If
** the process ignores SIGCHLD, returns "unknown". */
static int c_finish(lua_State *L) {
  child *c = self_child(L, "finish");
  child_end(c);
  lua_pushstring(L, !c->known ? "unknown" : c->signal ? "signal" : "exit");
  if (!c->known) return 1;
  lua_pushinteger(L, c->signal ? c->signal : c->code);
  return 2;
}

/* worker(words): starts a program as a worker (io/child.h), which ends with its <close> variable. Returns an object with
** the methods send, receive, fill and finish; or nil and the reason. */
static int l_worker(lua_State *L) {
  const char *words[WORDS + 1];
  read_words(L, words);
  child *c = push_object(L, &child_class, sizeof *c, 0);
  c->from = -1;
  return child_start_worker(c, words) ? 1 : push_failure(L);
}

/* parent(): returns the same kind of object in a worker, for messages to the process that started it; elsewhere nil and
** the reason. */
static int l_parent(lua_State *L) {
  child *c = push_object(L, &child_class, sizeof *c, 0);
  c->from = -1;
  return child_open_parent(c) ? 1 : push_failure(L);
}

/* Ends the operation of an exchange. Returns false if the other process has ended. */
static bool end_exchange(lua_State *L, child_result result) {
  end_operation(L);
  if (result == CHILD_CANCELLED) raise_cancelled(L, "Loader");
  return result == CHILD_DONE;
}

/* worker:send(text): returns false if the other process has ended. */
static int c_send(lua_State *L) {
  child *c = self_child(L, "send");
  size_t size;
  const char *text = luaL_checklstring(L, 2, &size);
  begin_operation(L);
  lua_pushboolean(L, end_exchange(L, child_send(c, text, size)));
  return 1;
}

/* worker:receive(n): returns the next n bytes, or nil if the other process has ended. */
static int c_receive(lua_State *L) {
  child *c = self_child(L, "receive");
  lua_Integer n = luaL_checkinteger(L, 2);
  luaL_argcheck(L, n >= 0, 2, "a number of bytes expected");
  luaL_Buffer b;
  char *bytes = luaL_buffinitsize(L, &b, (size_t)n);
  begin_operation(L);
  bool received = end_exchange(L, child_receive(c, bytes, (size_t)n));
  luaL_pushresultsize(&b, received ? (size_t)n : 0);
  if (!received) lua_pushnil(L);
  return 1;
}

/* worker:fill(x): sets all elements of x, a new contiguous tensor on the host, to the next bytes. Returns false if the
** other process has ended. */
static int c_fill(lua_State *L) {
  child *c = self_child(L, "fill");
  const tensor *t = check_tensor(L, 2, "fill");
  luaL_argcheck(L, t->count == 0 || host_elements(t), 2, "a contiguous tensor on the host expected");
  begin_operation(L);
  lua_pushboolean(L, end_exchange(L, child_receive(c, tensor_data(t), (size_t)t->count * (size_t)dtype_size(t->dtype))));
  return 1;
}

static int c_end(lua_State *L) {
  child *c = test_class(L, 1, &child_class, sizeof(child));
  if (c) child_end(c);
  return 0;
}

static const function_row child_methods[] = {{"read", c_read, 2}, {"finish", c_finish, 1}, {"send", c_send, 2},
                                            {"receive", c_receive, 2}, {"fill", c_fill, 2}, {NULL, NULL, 0}};
static const luaL_Reg child_meta[] = {{"__close", c_end}, {"__gc", c_end}, {NULL, NULL}};

static const function_row functions[] = {
  {"sleep", l_sleep, OUTSIDE}, {"terminal", l_terminal, INTERNAL}, {"cache_folder", l_cache_folder, OUTSIDE},
  {"output_file", l_output_file, OUTSIDE},
  {"available_memory", l_available_memory, INTERNAL}, {"system_memory", l_system_memory, INTERNAL},
  {"processors", l_processors, INTERNAL}, {"child", l_child, OUTSIDE},
  {"worker", l_worker, OUTSIDE}, {"parent", l_parent, OUTSIDE},
  {"notebook_start", notebook_start, OUTSIDE}, {"notebook_cell", notebook_cell, OUTSIDE},
  {"notebook_enter", notebook_enter, OUTSIDE}, {"notebook_read", notebook_read, OUTSIDE},
  {"notebook_write", notebook_write, OUTSIDE}, {"notebook_exchange", notebook_exchange, OUTSIDE}, {NULL, NULL, 0}
};

void open_system(lua_State *L) {
  add_class(L, &child_class, "child", child_meta, child_methods);
  add_functions(L, functions);
}
