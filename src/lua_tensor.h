#ifndef LT_LUA_TENSOR_H
#define LT_LUA_TENSOR_H

/* The class of tensors, and the libraries that register into the module. */

#include <lua.h>

/* Registry key (its address) of the tensor metatable. */
extern const char tensor_class;

/* lua_<library>.c: each open_<library> fills the module table (at index 1), the method table (at
** index 2) and, where it has operators, the metatable (at index 4) of luaopen. */
#define LIBRARIES(X) \
  X(memory)  \
  X(map)     \
  X(reduce)  \
  X(create)  \
  X(convert) \
  X(copy)    \
  X(dtype)   \
  X(device)  \
  X(file)    \
  X(dlpack)  \
  X(limits)  \
  X(view)    \
  X(index)   \
  X(take)   \
  X(matmul)  \
  X(thread)  \
  X(random)
#define DECLARE_OPEN(library) void open_##library(lua_State *L);
LIBRARIES(DECLARE_OPEN)

/* lua_index.c: x[key] and x[key] = value for keys that are not strings. */
int index_get(lua_State *L);
int index_set(lua_State *L);

/* lua_view.c: x.shape for scripts (indexed, compared, printed), and two properties. */
struct shape;
void push_shape_table(lua_State *L, const struct shape *s);
int get_T(lua_State *L);
int get_mT(lua_State *L);

/* Adds functions to the module and to the methods: every function whose first argument is a tensor is both. */
struct luaL_Reg;
void add_functions(lua_State *L, const struct luaL_Reg *functions);    /* module only */
void add_methods(lua_State *L, const struct luaL_Reg *methods);        /* both */

#endif
