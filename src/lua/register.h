#ifndef LT_LUA_REGISTER_H
#define LT_LUA_REGISTER_H

/* Functions with which the files of src/lua add their own functions, methods, properties and classes to the module. */

#include <lua.h>
#include <stddef.h>

/* The stack indices of the module's tables while the module opens. */
enum { MODULE = 1, METHODS, PROPERTIES, METATABLE, INTERNALS };

/* Declares the functions that open the libraries of families.def. */
#define LIBRARY(name) void open_##name(lua_State *L);
#include "families.def"

/* A function and the maximum number of its arguments, in which a table of options counts as one. Lists of rows are
** static, and end with a row whose name is NULL. */
typedef struct function_row {
  const char   *name;
  lua_CFunction call;
  int           most;                                /* ANY: any number. INTERNAL: any number, for the library's own
                                                     ** Lua files only. OUTSIDE: like INTERNAL, but raises an error in a
                                                     ** sandbox, because the function affects files or other states */
} function_row;
enum { ANY = -1, INTERNAL = -2, OUTSIDE = -3 };

/* Sets core.name to the value at the top of the stack. The value is internal: scripts do not see it as lt.name. */
static inline void add_internal(lua_State *L, const char *name) {
  lua_setfield(L, MODULE, name);
  lua_pushboolean(L, 1);
  lua_setfield(L, INTERNALS, name);
}

/* adds core.f for each function f of the list, and lt.f unless the function's row is INTERNAL or OUTSIDE */
void add_functions(lua_State *L, const function_row *functions);
/* adds lt.f and x:f for each function f of the list, whose first argument is a tensor */
void add_methods(lua_State *L, const function_row *methods);
void add_method_forms(lua_State *L, const function_row *methods);        /* adds only x:f, for in-place forms */
void set_functions(lua_State *L, const function_row *functions);         /* adds to the table at the top of the stack */
void push_library(lua_State *L, const function_row *functions);          /* pushes a new table of functions */

struct luaL_Reg;
void add_properties(lua_State *L, const struct luaL_Reg *properties);    /* adds properties: for each name f, the
                                                                         ** function that computes x.f */
void add_metamethods(lua_State *L, const struct luaL_Reg *metamethods);  /* adds metamethods of tensors, such as
                                                                         ** "__len" */
/* adds an internal table core.library with the functions */
void add_library(lua_State *L, const char *library, const struct luaL_Reg *functions);

/* Adds a class of userdata. The address `class` is the registry key of its metatable, which scripts cannot get. name:
** the class's name in errors, or NULL. methods: the functions that x:f finds, or NULL. */
void add_class(lua_State *L, const void *class, const char *name, const struct luaL_Reg *metamethods,
               const function_row *methods);

/* Pushes a new userdata of a class, with `values` user values. Its bytes are 0. */
void *push_object(lua_State *L, const void *class, size_t size, int values);

/* The address of this variable is the registry key of the tensor metatable. */
extern const char tensor_class;

#endif
