/* The process of a notebook. The program lua interrupts only once, because its handler of SIGINT then restores the
** default action, which ends the process. A notebook's process must survive any number of interrupts. The kernel
** sends SIGUSR1 to this process, and SIGINT to the programs that a cell has started. SIGINT alone would not be enough,
** because the C function system, which os.execute calls, ignores it. */

#include "lua/device/notebook.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "lua/interrupt.h"

/* ---- interrupts ---- */

static lua_State *volatile cell;              /* the thread that runs a cell, or NULL between cells */
static lua_State *volatile coroutine;         /* the coroutine that the cell resumed last, or NULL */
static volatile sig_atomic_t interrupts;      /* signals since the cell began */

/* The hook that ends a cell. After a second signal the hook stays, so that a cell that catches the error ends, too. The
** error names the line of the script, unless the library was running. */
static void stop(lua_State *L, lua_Debug *ar) {
  if (interrupts < 2) lua_sethook(L, NULL, 0, 0);
  lua_getinfo(L, "Sl", ar);
  bool has_line = ar->currentline > 0 && !is_own_source(L, ar->source);
  if (has_line) lua_pushfstring(L, "%s:%d: interrupted!", ar->short_src, ar->currentline);
  else lua_pushliteral(L, "interrupted!");
  lua_error(L);
}

/* The handler of SIGINT. The default action would end the process. Programs that cells start would inherit SIG_IGN. */
static void do_nothing(int number) { (void)number; }

static void handle(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};         /* without SA_RESTART: a signal also ends waiting */
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

/* The handler of SIGUSR1. lua_sethook may be called in a signal handler. The hook is the same as that of the program
** lua, so that the library's operations stop as well (lua/cancel.c). */
static void on_interrupt(int number) {
  const int every_event = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  lua_State *running = cell, *inner = coroutine;
  (void)number;
  if (!running) return;
  if (interrupts < 2) interrupts = interrupts + 1;
  lua_sethook(running, stop, every_event, 1);
  if (inner) lua_sethook(inner, stop, every_event, 1);
}

int notebook_cell(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checkany(L, 2);
  interrupts = 0;
  coroutine = NULL;
  cell = L;
  int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 1);
  cell = NULL;
  coroutine = NULL;
  if (lua_gethook(L) == stop) lua_sethook(L, NULL, 0, 0);
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 1);                          /* in place of the handler */
  return lua_gettop(L);
}

int notebook_enter(lua_State *L) {
  lua_State *before = coroutine;
  coroutine = lua_tothread(L, 1);
  lua_pushnil(L);
  if (before) {
    lua_pushthread(before);
    lua_xmove(before, L, 1);
  }
  return 1;
}

/* ---- the end of the kernel ---- */

/* Waits until the pipe is closed, then kills the process group, which also contains programs that cells started. Such a
** group exists if the kernel started this process as the leader of one. */
static void *wait_for_end(void *pipe) {
  char byte;
  ssize_t n;
  do n = read((int)(intptr_t)pipe, &byte, 1);
  while (n > 0 || (n < 0 && errno == EINTR));
  kill(getpgrp() == getpid() ? 0 : getpid(), SIGKILL);
  return NULL;
}

/* Starts a thread that receives no signals. */
static bool start_thread(void *(*run)(void *), int fd) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&thread, NULL, run, (void *)(intptr_t)fd) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) pthread_detach(thread);
  return started;
}

int notebook_start(lua_State *L) {
  for (int i = 1; i <= lua_gettop(L); i++) {
    if (fcntl((int)luaL_checkinteger(L, i), F_SETFD, FD_CLOEXEC) != 0)
      return luaL_argerror(L, i, "an open file descriptor expected");
  }
  handle(SIGUSR1, on_interrupt);
  handle(SIGINT, do_nothing);
  if (!start_thread(wait_for_end, (int)luaL_checkinteger(L, 1))) return luaL_error(L, "notebook: no thread can be started");
  return 0;
}

/* ---- pipes ---- */

/* A signal interrupts neither reading nor writing, and a hook does not run within them, because a part of a message
** would be lost. */

/* Reads n bytes. Returns false if the pipe ends before. */
static bool read_all(int fd, char *bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t got = read(fd, bytes + done, n - done);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) done += (size_t)got;
  }
  return true;
}

static bool write_all(int fd, const char *bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t put = write(fd, bytes + done, n - done);
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) done += (size_t)put;
  }
  return true;
}

/* Pushes the text of the next message, or nil at the end of the pipe. */
static int push_message(lua_State *L, int fd) {
  unsigned char head[4];
  luaL_Buffer b;
  if (read_all(fd, (char *)head, sizeof head)) {
    size_t n = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    char *bytes = luaL_buffinitsize(L, &b, n);
    if (read_all(fd, bytes, n)) {
      luaL_pushresultsize(&b, n);
      return 1;
    }
  }
  lua_pushnil(L);
  return 1;
}

int notebook_read(lua_State *L) { return push_message(L, (int)luaL_checkinteger(L, 1)); }

int notebook_write(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_pushboolean(L, write_all((int)luaL_checkinteger(L, 1), text, length));
  return 1;
}

int notebook_exchange(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  int from = (int)luaL_checkinteger(L, 3);
  if (write_all((int)luaL_checkinteger(L, 1), text, length)) return push_message(L, from);
  lua_pushnil(L);
  return 1;
}
