#ifndef LT_LUA_STATE_H
#define LT_LUA_STATE_H

/* The module's data for each Lua state, such as its accounts of memory and its default device. */

#include <stdatomic.h>

#include <lua.h>

#include "base/account.h"

typedef struct module_state {
  atomic_int cancelled;                 /* a host may set this field from any thread; the field must be first, see
                                        ** docs/embedding.md */
  atomic_bool running;                  /* an operation of this state is running */
  bool     closed, sandbox;             /* sandbox: no files, no raw addresses, nothing that affects other states */
  account *accounts;                    /* a list with an account for each device */
  place    standard;                    /* the place that lt.set_default_device sets */
  unsigned answered;                    /* value of `requests` (lua/collect.c) when this state last collected garbage
                                        ** for other states */

  /* Fields of lua/collect.c about Lua's collector. */
  bool     incremental;                 /* the collector's mode at the last check */
  size_t   settled_heap;                /* Lua's heap after the last full collection, in bytes */
  int      steps, cycle;                /* numbers of steps: in this incremental cycle so far; in the previous cycle */
  size_t   cycle_heap;                  /* bytes of Lua's heap at the end of the previous cycle */
} module_state;

module_state *state_of(lua_State *L);

/* Pushes the userdata of the state. Its user value is the error of a hook that ended an operation. */
void push_state_userdata(lua_State *L);

/* Returns the account of the state's memory on a device. NULL: there is no memory for an account, or the state is being
** closed. */
account *account_of(module_state *m, place where);

/* Makes the state. open_state must be the first call when the module is opened, so that the state ends last. Returns
** false if the state exists already. */
bool open_state(lua_State *L);

/* Calls f when the state is closed, after the finalizers of all objects that are made after this call. */
void at_state_end(lua_State *L, lua_CFunction f);

/* Raises an error in a sandbox. Public functions that change settings of all states begin with this call; functions for
** the library's own Lua files are marked OUTSIDE instead (lua/register.h). */
void check_no_sandbox(lua_State *L, const char *fn);

/* Pushes a function that raises the error for `name` in a sandbox. */
void push_refusal(lua_State *L, const char *name);

#endif
