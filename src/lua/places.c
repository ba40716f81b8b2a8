/* Reads arguments that name dtypes or devices. */

#include <stdlib.h>
#include <string.h>

#include "lua/args.h"
#include "lua/state.h"

/* Pushes the names of all dtypes as text, separated by spaces. */
static const char *push_dtype_names(lua_State *L) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int k = 0; k < DTYPE_COUNT; k++) {
    luaL_addstring(&b, k ? " " : "");
    luaL_addstring(&b, dtypes[k].name);
  }
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}

/* Pushes "; did you mean "float32"?" for a name like "torch.float" or "flaot32", or "" if no dtype has a similar
** name. */
static const char *push_dtype_help(lua_State *L, const char *name) {
  lua_newtable(L);
  for (int k = 0; k < DTYPE_COUNT; k++) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, dtypes[k].name);
  }
  const char *plain = strrchr(name, '.');
  return push_help(L, "dtype", plain ? plain + 1 : name, -1);
}

enum dtype check_dtype(lua_State *L, int i, const char *fn) {
  if (lua_type(L, i) != LUA_TSTRING)
    luaL_error(L, "%s: dtype: name expected, got %s", fn, type_name(L, i));
  const char *name = lua_tostring(L, i);
  enum dtype d = dtype_find(name);
  if (d == DT_none)
    luaL_error(L, "%s: unknown dtype \"%s\"; known: %s%s", fn, name, push_dtype_names(L), push_dtype_help(L, name));
  return d;
}

place default_place(lua_State *L) { return state_of(L)->standard; }

/* Pushes the names that check_place accepts: "cpu, cuda, auto". */
static const char *push_device_names(lua_State *L) {
  const device *d;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int k = 0; (d = device_kind(k)); k++) {
    luaL_addstring(&b, d->name);
    luaL_addstring(&b, ", ");
  }
  luaL_addstring(&b, "auto");
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}

static bool names_place(const char *s) {
  const device *d;
  bool known = strchr(s, ':') || strcmp(s, "auto") == 0;
  for (int k = 0; !known && (d = device_kind(k)); k++) known = strcmp(s, d->name) == 0;
  return known;
}

bool check_dtype_or_place(lua_State *L, int i, const char *fn, enum dtype *d, place *where) {
  if (lua_type(L, i) != LUA_TSTRING)
    luaL_error(L, "%s: name of a dtype or device expected, got %s", fn, type_name(L, i));
  const char *name = lua_tostring(L, i);
  if (names_place(name)) {
    *where = check_place(L, i, fn);
    return true;
  }
  *d = dtype_find(name);
  if (*d == DT_none)
    luaL_error(L, "%s: unknown dtype or device \"%s\"; dtypes: %s; devices: %s%s", fn, name, push_dtype_names(L),
               push_device_names(L), push_dtype_help(L, name));
  return false;
}

/* Returns the word of the error "… not found". A kind for which scripts can write kernels is a kind of GPU. */
static const char *noun(const device *d) { return d->user_kernel_make ? "GPU" : d->name; }

place check_place(lua_State *L, int i, const char *fn) {
  if (lua_type(L, i) != LUA_TSTRING)
    luaL_error(L, "%s: name of a device expected, got %s", fn, type_name(L, i));
  size_t length;
  const char *name = lua_tolstring(L, i, &length);
  place best = host_place();
  if (strcmp(name, "auto") == 0) {
    device_accelerator(&best);
    return best;
  }
  size_t kind = strcspn(name, ":");
  long index = 0;
  char *end = NULL;
  if (name[kind] == ':') {
    index = strtol(name + kind + 1, &end, 10);
    if (name[kind + 1] < '0' || name[kind + 1] > '9' || *end || index > 255)
      luaL_error(L, "%s: device \"%s\": a number expected after the colon", fn, name);
  }
  const device *d;
  for (int k = 0; strlen(name) == length && (d = device_kind(k)); k++) {
    if (strlen(d->name) != kind || strncmp(d->name, name, kind) != 0) continue;
    int count = d->count();
    if (count == 0) luaL_error(L, "%s not found: %s", noun(d), d->reason());
    if (index >= count && count == 1) luaL_error(L, "%s: no device \"%s\"; there is only %s:0", fn, name, d->name);
    if (index >= count) luaL_error(L, "%s: no device \"%s\"; the last is %s:%d", fn, name, d->name, count - 1);
    return (place){d, (int)index};
  }
  const absent_device *a;
  for (int k = 0; strlen(name) == length && (a = device_absent(k)); k++)
    if (strlen(a->name) == kind && strncmp(a->name, name, kind) == 0) luaL_error(L, "%s not found: %s", a->name, a->reason);
  luaL_error(L, "%s: unknown device \"%s\"; known: %s", fn, name, push_device_names(L));
  return default_place(L);
}

place arg_place(lua_State *L, int i, const char *fn) {
  return lua_isnoneornil(L, i) ? default_place(L) : check_place(L, i, fn);
}

const char *push_place(lua_State *L, place p) {
  if (place_equal(p, host_place())) return lua_pushstring(L, p.device->name);
  return lua_pushfstring(L, "%s:%d", p.device->name, p.index);
}
