#ifndef LT_LUA_STATE_H
#define LT_LUA_STATE_H

/* The module's data for each Lua state. */

#include <stdatomic.h>

#include <lua.h>

#include "base/account.h"

typedef struct module_state {
  atomic_int cancelled;                 /* a host sets it, in any thread: the first field, docs/embedding.md */
  bool     closed, sandbox;             /* sandbox: no files, no raw addresses, nothing that other states would notice */
  account *accounts;                    /* a device each */
  place    standard;                    /* lt.set_default_device */
  unsigned answered;                    /* the request for memory by another state that was answered last */

  /* Lua's collector: lua/collect.c. */
  bool     incremental;                 /* its mode, when last looked at */
  size_t   settled_heap;                /* Lua's heap after the last full collection, in bytes */
  int      steps, cycle;                /* steps of this incremental cycle so far, and of the one before */
  size_t   cycle_heap;                  /* bytes of Lua's heap at the end of the cycle before */
} module_state;

module_state *state_of(lua_State *L);

/* The userdata that the state is. Its user value: what a hook raised that ended an operation. */
void push_state_userdata(lua_State *L);

/* The account of the state's memory on a device; NULL: no memory for an account, or the state is being closed. */
account *account_of(module_state *m, place where);

/* Made first of all when the module is opened, so that it ends last. Returns false if it was made before. */
bool open_state(lua_State *L);

/* Calls f when the state is closed, after the finalizers of all objects that are made later. */
void at_state_end(lua_State *L, lua_CFunction f);

/* An error in a sandbox. */
void check_no_sandbox(lua_State *L, const char *fn);

/* In a sandbox: replaces functions that reach files or what all states share by errors, when all of them are registered. */
void close_sandbox(lua_State *L);

#endif
