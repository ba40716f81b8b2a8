/* A second kind of device for device/second_device_spec.lua: "other", of which there are two. The host's kernels do
** its work, but between calls its memory is inaccessible: the pages of each block can be neither read nor written. So
** an operation that mistakes the device of its operands crashes. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <lauxlib.h>

#include "base/device.h"

enum { DEVICES = 2, BLOCKS = 1 << 14, PAGE = 4096 };

static const device *host;
static struct { void *ptr; size_t bytes; } block[BLOCKS];
static int blocks, inside;
static memory_stats stats[DEVICES];

/* ---- memory ---- */

static size_t pages(size_t bytes) { return (bytes + PAGE) / PAGE * PAGE; }

static void protect(int access) {
  for (int k = 0; k < blocks; k++)
    if (mprotect(block[k].ptr, pages(block[k].bytes), access) != 0) abort();
}

static void enter(void) { if (inside++ == 0) protect(PROT_READ | PROT_WRITE); }
static void leave(void) { if (--inside == 0) protect(PROT_NONE); }

static int other_alloc(int index, size_t bytes, void **ptr) {
  void *p = blocks < BLOCKS ? mmap(NULL, pages(bytes), inside ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                            : MAP_FAILED;
  if (p == MAP_FAILED) return ERR_MEMORY;
  block[blocks].ptr = p;
  block[blocks++].bytes = bytes;
  stats[index].live += bytes;
  if (stats[index].live > stats[index].peak) stats[index].peak = stats[index].live;
  *ptr = p;
  return OK;
}

static void other_free(int index, void *ptr, size_t bytes) {
  int k = 0;
  while (block[k].ptr != ptr) k++;
  block[k] = block[--blocks];
  munmap(ptr, pages(bytes));
  stats[index].live -= bytes;
}

static int copy(void *to, const void *from, size_t bytes) {
  enter();
  memcpy(to, from, bytes);
  leave();
  return OK;
}

static int other_copy_in(int index, void *to, const void *from, size_t bytes)  { (void)index; return copy(to, from, bytes); }
static int other_copy_out(int index, void *to, const void *from, size_t bytes) { (void)index; return copy(to, from, bytes); }
static int other_copy_across(int index, void *to, int from_index, const void *from, size_t bytes) {
  (void)index;
  (void)from_index;
  return copy(to, from, bytes);
}

static memory_stats *other_stats(int index) { return &stats[index]; }
static void other_empty_cache(int index) { (void)index; }

/* ---- properties ---- */

static int other_count(void) { return DEVICES; }
static const char *other_reason(void) { return ""; }
static int other_sync(int index) { (void)index; return OK; }
static bool other_has_attention(int index, const attention_call *c) { (void)index; return host->has_attention(0, c); }
static int other_limits(int index, enum dtype d, device_limits *l) { (void)index; return host->limits(0, d, l); }
static void other_describe(char *text, size_t size) { snprintf(text, size, "for specs"); }
static void other_explain(int index, char *text, size_t size) { snprintf(text, size, "other:%d failed", index); }

static int other_info(int index, device_info *info) {
  int st = host->info(0, info);
  snprintf(info->name, sizeof info->name, "the other device %d", index);
  snprintf(info->kind, sizeof info->kind, "gpu");
  return st;
}

/* ---- families ---- */

#define FAMILY(name, call)                        \
  static int other_##name(int index, call *c) {   \
    (void)index;                                  \
    enter();                                      \
    int st = host->name(0, c);                    \
    leave();                                      \
    return st;                                    \
  }
#include "families.def"

static const device other_device = {
  .abi = DEVICE_ABI, .name = "other", .dlpack = 12,
  .count = other_count, .in_use = other_count, .reason = other_reason, .info = other_info, .limits = other_limits,
  .describe = other_describe, .explain = other_explain, .alloc = other_alloc, .free = other_free, .copy_in = other_copy_in,
  .copy_out = other_copy_out, .copy_across = other_copy_across, .sync = other_sync, .stats = other_stats,
  .empty_cache = other_empty_cache, .has_attention = other_has_attention,
#define FAMILY(name, call) .name = other_##name,
#include "families.def"
};

/* add(path of the module's core): registers the kind, and returns its number or -1. */
static int l_add(lua_State *L) {
  void *core = dlopen(luaL_checkstring(L, 1), RTLD_NOW | RTLD_NOLOAD);
  const device *(*host_device)(void) = NULL;
  int (*add_device)(const device *d) = NULL;
  if (!core) return luaL_error(L, "%s", dlerror());
  *(void **)&host_device = dlsym(core, "luatensor_host_device");
  *(void **)&add_device = dlsym(core, "luatensor_add_device");
  if (!host_device || !add_device) return luaL_error(L, "the module exports no devices");
  host = host_device();
  lua_pushinteger(L, add_device(&other_device));
  return 1;
}

int luaopen_second_device(lua_State *L);
int luaopen_second_device(lua_State *L) {
  lua_pushcfunction(L, l_add);
  return 1;
}
