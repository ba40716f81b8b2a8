/* A second library that uses DLPack, for io/dlpack_spec.lua. It makes DLPack structs for luatensor, and consumes DLPack
** structs of luatensor. The two libraries share no header, so this file repeats the declarations of the DLPack
** standard. */

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint32_t major, minor; } DLPackVersion;
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

static int deleted;

static void free_tensor(DLTensor *t) {
  free(t->data);
  free(t->shape);
  free(t->strides);
}

static void delete_old(DLManagedTensor *self) {
  deleted++;
  free_tensor(&self->dl_tensor);
  free(self);
}

static void delete_versioned(DLManagedTensorVersioned *self) {
  deleted++;
  free_tensor(&self->dl_tensor);
  free(self);
}

static lua_Integer field(lua_State *L, const char *name, lua_Integer otherwise) {
  lua_getfield(L, 1, name);
  lua_Integer value = luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return value;
}

static int64_t *integers(lua_State *L, const char *name, int *n) {
  int64_t *list = NULL;
  *n = 0;
  if (lua_getfield(L, 1, name) == LUA_TTABLE) {
    *n = (int)lua_rawlen(L, -1);
    list = malloc(sizeof *list * (size_t)(*n + 1));
    for (int i = 0; i < *n; i++) {
      lua_rawgeti(L, -1, i + 1);
      list[i] = lua_tointeger(L, -1);
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
  return list;
}

static void fill(lua_State *L, DLTensor *t) {
  size_t size;
  int n;
  lua_getfield(L, 1, "data");
  const char *bytes = lua_tolstring(L, -1, &size);
  memset(t, 0, sizeof *t);
  if (bytes) memcpy(t->data = aligned_alloc(64, (size + 64) / 64 * 64), bytes, size);
  lua_pop(L, 1);
  t->shape = integers(L, "shape", &n);
  t->ndim = (int32_t)field(L, "ndim", n);
  t->strides = integers(L, "strides", &n);
  t->dtype = (DLDataType){(uint8_t)field(L, "code", 2), (uint8_t)field(L, "bits", 64), (uint16_t)field(L, "lanes", 1)};
  t->device = (DLDevice){(int32_t)field(L, "device", 1), (int32_t)field(L, "device_id", 0)};
  t->byte_offset = (uint64_t)field(L, "byte_offset", 0);
}

/* make(fields): makes a DLPack struct from a table of fields, and returns its address as a light userdata.
**
**     data                             a string with the bytes of the elements
**     byte_offset                      the offset of the first element in data
**     ndim, shape, strides             the layout; ndim is #shape unless given
**     code, bits, lanes                the type of elements
**     device, device_id, flags, major  fields of the struct
**     old = 1                          makes the struct of DLPack versions below 1.0
**     keep = 1                         makes a struct without a deleter */
static int make(lua_State *L) {
  if (field(L, "old", 0)) {
    DLManagedTensor *m = calloc(1, sizeof *m);
    fill(L, &m->dl_tensor);
    m->deleter = field(L, "keep", 0) ? NULL : delete_old;
    lua_pushlightuserdata(L, m);
  } else {
    DLManagedTensorVersioned *m = calloc(1, sizeof *m);
    fill(L, &m->dl_tensor);
    m->version = (DLPackVersion){(uint32_t)field(L, "major", 1), 3};
    m->flags = (uint64_t)field(L, "flags", 0);
    m->deleter = field(L, "keep", 0) ? NULL : delete_versioned;
    lua_pushlightuserdata(L, m);
  }
  return 1;
}

/* discard(address, old): deletes a struct that the consumer refused, as its owner must. old: true for a struct of
** DLPack versions below 1.0. */
static int discard(lua_State *L) {
  if (lua_toboolean(L, 2)) delete_old(lua_touserdata(L, 1));
  else delete_versioned(lua_touserdata(L, 1));
  return 0;
}

static void set(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void set_list(lua_State *L, const char *name, const int64_t *list, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushinteger(L, list[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

static void describe(lua_State *L, const DLTensor *t) {
  lua_newtable(L);
  set(L, "code", t->dtype.code);
  set(L, "bits", t->dtype.bits);
  set(L, "lanes", t->dtype.lanes);
  set(L, "device", t->device.device_type);
  set(L, "device_id", t->device.device_id);
  set(L, "address", (lua_Integer)((intptr_t)t->data + (intptr_t)t->byte_offset));
  set_list(L, "shape", t->shape, t->ndim);
  set_list(L, "strides", t->strides, t->ndim);
}

/* take(userdata, old): takes over the struct of a userdata that to_dlpack returned. old: true for a struct of DLPack
** versions below 1.0. Returns the struct's description and its address. */
static int take(lua_State *L) {
  void **capsule = luaL_checkudata(L, 1, "luatensor.DLPack"), *managed = *capsule;
  *capsule = NULL;
  if (lua_toboolean(L, 2)) {
    describe(L, &((DLManagedTensor *)managed)->dl_tensor);
  } else {
    const DLManagedTensorVersioned *m = managed;
    describe(L, &m->dl_tensor);
    set(L, "major", m->version.major);
    set(L, "flags", (lua_Integer)m->flags);
  }
  lua_pushlightuserdata(L, managed);
  return 2;
}

/* release(address, old): calls the deleter of a struct that was taken. old: true for DLPack versions below 1.0. */
static int release(lua_State *L) {
  if (lua_toboolean(L, 2)) {
    DLManagedTensor *m = lua_touserdata(L, 1);
    m->deleter(m);
  } else {
    DLManagedTensorVersioned *m = lua_touserdata(L, 1);
    m->deleter(m);
  }
  return 0;
}

/* retype(address, code): changes the type code of the elements. */
static int retype(lua_State *L) {
  DLManagedTensorVersioned *m = lua_touserdata(L, 1);
  m->dl_tensor.dtype.code = (uint8_t)luaL_checkinteger(L, 2);
  return 0;
}

/* deleted(): returns the number of structs of make() that were deleted since the last call. */
static int count_deleted(lua_State *L) {
  lua_pushinteger(L, deleted);
  deleted = 0;
  return 1;
}

int luaopen_dlpack_peer(lua_State *L);

int luaopen_dlpack_peer(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"make", make}, {"discard", discard}, {"take", take}, {"release", release}, {"retype", retype}, {"deleted", count_deleted}, {NULL, NULL}
  };
  luaL_newlib(L, functions);
  return 1;
}
