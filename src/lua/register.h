#ifndef LT_LUA_REGISTER_H
#define LT_LUA_REGISTER_H

/* The interface by which the files of lua/ put their functions into the module. */

#include <lua.h>

/* While the module opens, these stand on the stack. */
enum { MODULE = 1, METHODS, PROPERTIES, METATABLE, INTERNALS };

/* The functions that open the libraries of families.def. */
#define LIBRARY(name) void open_##name(lua_State *L);
#include "families.def"

/* A function, and how many arguments it takes at most, a table of options among them. Lists are static, and end with a row
** of NULL. */
typedef struct function_row {
  const char   *name;
  lua_CFunction call;
  int           most;                                /* ANY: any number; INTERNAL: the same, for our files in Lua alone */
} function_row;
enum { ANY = -1, INTERNAL = -2 };

/* core.name, which scripts do not see as lt.name: the value on top of the stack. */
static inline void add_internal(lua_State *L, const char *name) {
  lua_setfield(L, MODULE, name);
  lua_pushboolean(L, 1);
  lua_setfield(L, INTERNALS, name);
}

void add_functions(lua_State *L, const function_row *functions);         /* core.f, and lt.f unless internal */
void add_methods(lua_State *L, const function_row *methods);             /* lt.f and x:f: a tensor comes first */
void add_method_forms(lua_State *L, const function_row *methods);        /* x:f only: in-place forms */
void set_functions(lua_State *L, const function_row *functions);         /* into the table on top of the stack */
void push_library(lua_State *L, const function_row *functions);          /* a table of them */

struct luaL_Reg;
void add_properties(lua_State *L, const struct luaL_Reg *properties);    /* x.f */
void add_metamethods(lua_State *L, const struct luaL_Reg *metamethods);  /* "__len" … */
void add_library(lua_State *L, const char *library, const struct luaL_Reg *functions);   /* core.library.f: internal */

/* Registry key (its address) of the tensor metatable. */
extern const char tensor_class;

#endif
