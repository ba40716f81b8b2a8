#ifndef LT_LUA_HOST_HOST_H
#define LT_LUA_HOST_HOST_H

/* The C functions to which the table of include/luatensor.h points. That header says what each function does. */

#include <luatensor.h>

void *api_new_tensor(lua_State *L, int dtype, int ndim, const int64_t *shape);
int   api_is_tensor(lua_State *L, int index);
int   api_read(lua_State *L, int index, int flags, luatensor_array *a);
void  api_check(lua_State *L, int arg, int dtype, int ndim, int flags, luatensor_array *a);

luatensor_loan api_lend(lua_State *L, const luatensor_array *a, void (*release)(void *context), void *context);
int   api_revoke(lua_State *L, luatensor_loan loan);
int   api_claim(luatensor_loan loan);

/* Returns the dtype with this number in luatensor.h. Raises an error if there is no such dtype. */
int api_dtype(lua_State *L, const char *fn, int number);

#endif
