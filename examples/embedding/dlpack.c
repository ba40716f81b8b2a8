/* Exchanges tensors between a C host and Lua by DLPack, in both directions. The two structs are those of the
** standard, version 1 (github.com/dmlc/dlpack).
**
**   cc dlpack.c $(pkg-config --cflags --libs lua5.4) -pthread -o dlpack */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <lauxlib.h>
#include <lualib.h>

enum { CPU = 1, FLOAT = 2 };

typedef struct DLTensor {
  void    *data;
  struct { int32_t type, id; } device;
  int32_t  ndim;
  struct { uint8_t code, bits; uint16_t lanes; } dtype;
  int64_t *shape, *strides;            /* strides in elements; NULL: row-major */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensorVersioned {
  struct { uint32_t major, minor; } version;
  void    *manager_ctx;
  void   (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;                      /* bit 0: the elements are read-only */
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

/* ---- host to Lua ---- */

/* A DLPack struct, its memory and its shape in one allocation. */
typedef struct block {
  DLManagedTensorVersioned managed;
  int64_t shape[2];
  float   elements[6];
} block;

static int deleted;

/* The deleter of the struct. luatensor calls it once, after the last tensor that uses the memory was freed. */
static void delete_block(DLManagedTensorVersioned *self) {
  deleted++;
  free(self->manager_ctx);
}

static DLManagedTensorVersioned *make_block(void) {
  block *b = calloc(1, sizeof *b);
  if (!b) abort();
  b->shape[0] = 2;
  b->shape[1] = 3;
  for (int i = 0; i < 6; i++) b->elements[i] = (float)(i + 1);
  b->managed = (DLManagedTensorVersioned){
    .version = {1, 0}, .manager_ctx = b, .deleter = delete_block,
    .dl_tensor = {.data = b->elements, .device = {CPU, 0}, .ndim = 2, .dtype = {FLOAT, 32, 1}, .shape = b->shape}};
  return &b->managed;
}

/* The Lua function give(): returns a new tensor that owns a new block. If from_dlpack fails, the host still owns the
** block, so this function deletes the block. */
static int give(lua_State *L) {
  DLManagedTensorVersioned *managed = make_block();
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luatensor");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "from_dlpack");
  lua_pushlightuserdata(L, managed);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
    managed->deleter(managed);
    return lua_error(L);
  }
  return 1;
}

/* ---- Lua to host ---- */

static double sum;

/* Runs in another thread: sums the elements and frees them. The elements stay valid even after lua_close. */
static void *consume(void *arg) {
  DLManagedTensorVersioned *m = arg;
  const DLTensor *t = &m->dl_tensor;
  const float *x = (const float *)(const void *)((const char *)t->data + t->byte_offset);
  for (int64_t i = 0; i < t->shape[0]; i++)
    for (int64_t j = 0; j < t->shape[1]; j++) sum += (double)x[i * t->strides[0] + j * t->strides[1]];
  m->deleter(m);
  return NULL;
}

/* Takes ownership of the DLPack struct in the userdata at the top of the stack, which x:to_dlpack() returned. NULL in
** the userdata tells its finalizer that the struct has a new owner. */
static DLManagedTensorVersioned *take(lua_State *L) {
  DLManagedTensorVersioned **capsule = lua_touserdata(L, -1), *managed = *capsule;
  *capsule = NULL;
  return managed;
}

int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_register(L, "give", give);
  if (luaL_dostring(L, "local x = give()  return (x * 10).T:to_dlpack()") != LUA_OK) {
    fprintf(stderr, "dlpack: %s\n", lua_tostring(L, -1));
    return 1;
  }
  DLManagedTensorVersioned *managed = take(L);
  lua_close(L);
  pthread_t thread;
  pthread_create(&thread, NULL, consume, managed);
  pthread_join(thread, NULL);
  printf("a consumer in another thread got %.0f; the host's block was deleted %d time\n", sum, deleted);
  return sum == 210 && deleted == 1 ? 0 : 1;
}
