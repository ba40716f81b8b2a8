#ifndef LT_LUA_REGISTER_H
#define LT_LUA_REGISTER_H

/* The interface by which the files of lua/ put their functions into the module. */

#include <lua.h>
#include <stddef.h>

/* The stack indices of the module's tables while the module opens. */
enum { MODULE = 1, METHODS, PROPERTIES, METATABLE, INTERNALS };

/* The functions that open the libraries of families.def. */
#define LIBRARY(name) void open_##name(lua_State *L);
#include "families.def"

/* A function, and its greatest number of arguments, including a table of options. Lists are static, and end with a row
** of NULL. */
typedef struct function_row {
  const char   *name;
  lua_CFunction call;
  int           most;                                /* ANY: any number; INTERNAL: the same, for the library's own Lua
                                                     ** files; OUTSIDE: internal, and an error in a sandbox, because it
                                                     ** reaches files or other states */
} function_row;
enum { ANY = -1, INTERNAL = -2, OUTSIDE = -3 };

/* Sets core.name, which scripts do not see as lt.name, to the value on top of the stack. */
static inline void add_internal(lua_State *L, const char *name) {
  lua_setfield(L, MODULE, name);
  lua_pushboolean(L, 1);
  lua_setfield(L, INTERNALS, name);
}

/* adds core.f, and lt.f unless it is internal */
void add_functions(lua_State *L, const function_row *functions);
/* adds lt.f and x:f; a tensor is the first argument */
void add_methods(lua_State *L, const function_row *methods);
void add_method_forms(lua_State *L, const function_row *methods);        /* adds only x:f: in-place forms */
void set_functions(lua_State *L, const function_row *functions);         /* adds to the table on top of the stack */
void push_library(lua_State *L, const function_row *functions);          /* pushes a table of functions */

struct luaL_Reg;
void add_properties(lua_State *L, const struct luaL_Reg *properties);    /* adds x.f */
void add_metamethods(lua_State *L, const struct luaL_Reg *metamethods);  /* adds "__len" and similar */
/* adds core.library.f, internal */
void add_library(lua_State *L, const char *library, const struct luaL_Reg *functions);

/* A class of userdata, whose key in the registry is the address `class`: its metatable, which scripts cannot get. name: as
** errors say, or NULL. methods: what x:f finds, or NULL: none. */
void add_class(lua_State *L, const void *class, const char *name, const struct luaL_Reg *metamethods,
               const function_row *methods);

/* New userdata of a class on the stack, with `values` user values. Its bytes are 0. */
void *push_object(lua_State *L, const void *class, size_t size, int values);

/* Registry key (its address) of the tensor metatable. */
extern const char tensor_class;

#endif
