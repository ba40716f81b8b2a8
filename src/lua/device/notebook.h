#ifndef LT_LUA_NOTEBOOK_H
#define LT_LUA_NOTEBOOK_H

/* Functions of the process that runs a notebook's cells (luatensor.notebook): pipes to the notebook's kernel, and cells
** that SIGUSR1 interrupts. */

#include <lua.h>

/* notebook_start(life, fd, …): prepares the process. SIGUSR1 interrupts a running cell, and does nothing between cells.
** SIGINT does nothing. The process ends when the other end of the pipe `life` is closed. Programs that cells start do not inherit the file
** descriptors. */
int notebook_start(lua_State *L);

/* notebook_cell(handler, f, …): like xpcall(f, handler, …), but SIGUSR1 raises the error "interrupted!" in f. */
int notebook_cell(lua_State *L);

/* notebook_enter(co): notes that the coroutine co, or nil, is running, so that SIGUSR1 reaches it. Returns the coroutine
** that was noted before. */
int notebook_enter(lua_State *L);

int notebook_read(lua_State *L);       /* notebook_read(fd): returns a message's text from a pipe, or nil at its end */
int notebook_write(lua_State *L);      /* notebook_write(fd, text): writes to a pipe; returns false if it is closed */

/* notebook_exchange(to, text, from): writes the text and returns the next message, or nil if a pipe is closed. An
** interrupt takes effect after the function, so that no message is left in the pipe. */
int notebook_exchange(lua_State *L);

#endif
