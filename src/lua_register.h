#ifndef LT_LUA_REGISTER_H
#define LT_LUA_REGISTER_H

/* How lua_*.c put their functions into the module. */

#include <lua.h>

/* While the module opens, these stand on the stack. */
enum { MODULE = 1, METHODS, PROPERTIES, METATABLE };

/* lua_<library>.c has open_<library>, which fills them. */
#define LIBRARIES(X) \
  X(tensor)  \
  X(names)   \
  X(memory)  \
  X(map)     \
  X(reduce)  \
  X(create)  \
  X(convert) \
  X(complex) \
  X(copy)    \
  X(dtype)   \
  X(device)  \
  X(file)    \
  X(read)    \
  X(safetensors) \
  X(dlpack)  \
  X(limits)  \
  X(view)    \
  X(index)   \
  X(take)    \
  X(sort)    \
  X(matmul)  \
  X(cell)    \
  X(attention) \
  X(linalg)  \
  X(cross)   \
  X(norm)    \
  X(thread)  \
  X(compose) \
  X(inspect) \
  X(mode) \
  X(interrupt) \
  X(autograd) \
  X(node) \
  X(rule) \
  X(backward) \
  X(grad) \
  X(random)  \
  X(fused)   \
  X(kernel)  \
  X(stream)  \
  X(graph)   \
  X(fft)     \
  X(system)  \
  X(text)    \
  X(profile) \
  X(update) \
  X(conv)
#define DECLARE_OPEN(library) void open_##library(lua_State *L);
LIBRARIES(DECLARE_OPEN)

/* A function of scripts, and how many arguments it takes at most, a table of options among them. Lists are static, and
** end with a row of NULL. */
typedef struct function_row {
  const char   *name;
  lua_CFunction call;
  int           most;                                /* ANY: any number */
} function_row;
enum { ANY = -1 };

void add_functions(lua_State *L, const function_row *functions);         /* lt.f */
void add_methods(lua_State *L, const function_row *methods);             /* lt.f and x:f: a tensor comes first */
void add_method_forms(lua_State *L, const function_row *methods);        /* x:f only: in-place forms */
void set_functions(lua_State *L, const function_row *functions);         /* into the table on top of the stack */
void push_library(lua_State *L, const function_row *functions);          /* a table of them */

struct luaL_Reg;
void add_properties(lua_State *L, const struct luaL_Reg *properties);    /* x.f */
void add_metamethods(lua_State *L, const struct luaL_Reg *metamethods);  /* "__len" … */

/* Registry key (its address) of the tensor metatable. */
extern const char tensor_class;

#endif
