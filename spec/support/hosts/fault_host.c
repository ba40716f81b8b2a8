/* Makes each allocation of a script fail in turn, and checks that nothing crashes, leaks or changes a tensor.
**
**   fault_host lua|module STRIDE SETUP.lua SCRIPT.lua [FIRST]
**
** For n = FIRST (default 1), FIRST + STRIDE, …: opens a state, runs SETUP, and runs SCRIPT while the n-th allocation fails. Then calls the
** global function check, if SETUP has defined it, and closes the state. Ends with the first n that SCRIPT does not reach.
**   lua      The n-th and all later allocations of Lua fail, in the allocator that is passed to lua_newstate.
**   module   Allocations of the module fail, because malloc and similar functions are replaced for callers inside
**            core.so. Each n is run twice: with one failure, after which a collection and a retry may succeed, and with
**            failures from n on.
** Needs glibc, in which the replaced functions are called __libc_malloc and so on. */

#define _GNU_SOURCE
#include <link.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void  __libc_free(void *);

/* ---- the plan of failures ---- */

typedef struct fault {
  bool armed;
  long count;            /* the number of allocations since `armed` was set */
  long first, last;      /* allocations with these numbers, and all between, fail; counted from 1 */
} fault;

static fault lua_fault, module_fault;

static bool fails(fault *f) {
  if (!f->armed) return false;
  f->count++;
  return f->count >= f->first && f->count <= f->last;
}

/* ---- the module's allocations ---- */

static uintptr_t module_begin, module_end;

static int find_module(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!strstr(info->dlpi_name, "luatensor/core.so")) return 0;
  for (int k = 0; k < info->dlpi_phnum; k++) {
    if (info->dlpi_phdr[k].p_type != PT_LOAD || !(info->dlpi_phdr[k].p_flags & PF_X)) continue;
    module_begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
    module_end = module_begin + info->dlpi_phdr[k].p_memsz;
  }
  return 1;
}

static bool from_module(const void *caller) {
  return (uintptr_t)caller >= module_begin && (uintptr_t)caller < module_end;
}

/* The blocks that the module has allocated, in a hash table with open addressing. A removed entry leaves a tombstone,
** `hole`, unless the next entry is empty. Without tombstones that end, a search would find no empty entry one day, and not end. */
enum { SLOTS = 1 << 16 };
static void *held[SLOTS];
static size_t held_bytes[SLOTS];
static void *const hole = (void *)1;
static size_t live_bytes;

static size_t slot_of(const void *p) { return ((uintptr_t)p >> 4) * 2654435761u % SLOTS; }

static void hold(void *p, size_t bytes) {
  size_t k = slot_of(p);
  while (held[k] && held[k] != hole) k = (k + 1) % SLOTS;
  held[k] = p;
  held_bytes[k] = bytes;
  live_bytes += bytes;
}

static void release(const void *p) {
  if (!p) return;
  for (size_t k = slot_of(p); held[k]; k = (k + 1) % SLOTS) {
    if (held[k] != p) continue;
    held[k] = hole;
    live_bytes -= held_bytes[k];
    if (held[(k + 1) % SLOTS]) return;
    for (; held[k] == hole; k = (k + SLOTS - 1) % SLOTS) held[k] = NULL;
    return;
  }
}

/* Wraps an allocation made at `caller`. This is a macro, because the caller's address is read from the function's own
   frame. */
#define ALLOCATE(bytes, real)                                            \
  const void *caller = __builtin_return_address(0);                      \
  bool ours = from_module(caller);                                       \
  if (ours && fails(&module_fault)) { errno = ENOMEM; return NULL; }     \
  void *p = real;                                                        \
  if (ours && p) hold(p, bytes);                                         \
  return p

void *malloc(size_t n) { ALLOCATE(n, __libc_malloc(n)); }
void *calloc(size_t m, size_t n) { ALLOCATE(m * n, __libc_calloc(m, n)); }
void *aligned_alloc(size_t alignment, size_t n) { ALLOCATE(n, __libc_memalign(alignment, n)); }
void *memalign(size_t alignment, size_t n) { ALLOCATE(n, __libc_memalign(alignment, n)); }

void *realloc(void *old, size_t n) {
  const void *caller = __builtin_return_address(0);
  if (from_module(caller) && fails(&module_fault)) { errno = ENOMEM; return NULL; }
  void *p = __libc_realloc(old, n);
  if (p || n == 0) release(old);
  if (p && from_module(caller)) hold(p, n);
  return p;
}

int posix_memalign(void **out, size_t alignment, size_t n) {
  bool ours = from_module(__builtin_return_address(0));
  if (ours && fails(&module_fault)) return ENOMEM;
  void *p = __libc_memalign(alignment, n);
  if (!p) return ENOMEM;
  if (ours) hold(p, n);
  *out = p;
  return 0;
}

char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  bool ours = from_module(__builtin_return_address(0));
  if (ours && fails(&module_fault)) { errno = ENOMEM; return NULL; }
  char *p = __libc_malloc(n);
  if (p) memcpy(p, s, n);
  if (p && ours) hold(p, n);
  return p;
}

void free(void *p) {
  release(p);
  __libc_free(p);
}

void *mmap(void *at, size_t n, int protection, int flags, int file, off_t offset) {
  bool ours = from_module(__builtin_return_address(0));
  if (ours && fails(&module_fault)) { errno = ENOMEM; return MAP_FAILED; }
  void *p = (void *)syscall(SYS_mmap, at, n, protection, flags, file, offset);
  if (ours && p != MAP_FAILED) hold(p, n);
  return p;
}

int munmap(void *p, size_t n) {
  release(p);
  return (int)syscall(SYS_munmap, p, n);
}

/* ---- Lua's allocations ---- */

static size_t lua_live;

static void *lua_allocate(void *unused, void *old, size_t old_bytes, size_t bytes) {
  (void)unused;
  if (!old) old_bytes = 0;
  if (bytes == 0) {
    lua_live -= old_bytes;
    __libc_free(old);
    return NULL;
  }
  if (bytes > old_bytes && fails(&lua_fault)) return NULL;
  void *p = __libc_realloc(old, bytes);
  if (p) lua_live += bytes - old_bytes;
  return p;
}

/* ---- one run ---- */

enum outcome { PASSED, FAILED_CLEANLY, BROKEN };

static int broken(lua_State *L, const char *what) {
  fprintf(stderr, "fault_host: %s: %s\n", what, L ? lua_tostring(L, -1) : "");
  return BROKEN;
}

static int run_script(lua_State *L, fault *f, long first, long last) {
  *f = (fault){.armed = true, .first = first, .last = last};
  int status = lua_pcall(L, 0, 0, 0);
  f->armed = false;
  if (status == LUA_OK) return f->count < first ? PASSED : FAILED_CLEANLY;
  const char *message = lua_tostring(L, -1);
  if (!message || !strstr(message, "memory")) return broken(L, "another error than out of memory");
  lua_pop(L, 1);
  return FAILED_CLEANLY;
}

static int run_in(lua_State *L, const char *setup, const char *script, fault *f, long first, long last) {
  luaL_openlibs(L);
  if (luaL_dofile(L, setup) != LUA_OK) return broken(L, "setup");
  if (!module_begin) dl_iterate_phdr(find_module, NULL);
  if (luaL_loadfile(L, script) != LUA_OK) return broken(L, "script");
  int outcome = run_script(L, f, first, last);
  lua_settop(L, 0);
  if (outcome != BROKEN && lua_getglobal(L, "check") == LUA_TFUNCTION && lua_pcall(L, 0, 0, 0) != LUA_OK)
    return broken(L, "check after the failure");
  return outcome;
}

/* Checks, from a new state, that no tensor is live, and releases the cached memory. */
static int settle(int outcome) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  if (luaL_dostring(L, "local lt = require 'luatensor'; lt.empty_cache(); assert(lt.memory().live == 0, 'tensors leak')"))
    outcome = broken(L, "after the state was closed");
  lua_close(L);
  return outcome;
}

static int run(const char *setup, const char *script, fault *f, long first, long last) {
  lua_State *L = lua_newstate(lua_allocate, NULL);
  if (!L) return broken(NULL, "no state");
  int outcome = run_in(L, setup, script, f, first, last);
  lua_close(L);
  if (lua_live != 0) return broken(NULL, "Lua's memory leaks");
  return outcome == BROKEN ? BROKEN : settle(outcome);
}

/* Runs the script up to four times with the same failing allocations. The module may keep some memory for the life of
** the process, so the run fails only if the module keeps more memory after each of the four times. */
static int run_and_weigh(const char *setup, const char *script, fault *f, long first, long last) {
  size_t before = live_bytes;
  int outcome = PASSED;
  for (int k = 0; k < 4; k++) {
    outcome = run(setup, script, f, first, last);
    if (outcome == BROKEN || live_bytes <= before) break;
    if (k == 3) outcome = broken(NULL, "the module leaks");
    before = live_bytes;
  }
  if (outcome == BROKEN)
    fprintf(stderr, "  allocations %ld to %ld of %s failing\n", first, last, f == &lua_fault ? "Lua" : "the module");
  return outcome;
}

int main(int argc, char **argv) {
  if (argc != 5 && argc != 6) return broken(NULL, "usage: fault_host lua|module STRIDE SETUP.lua SCRIPT.lua [FIRST]");
  bool lua = strcmp(argv[1], "lua") == 0;
  fault *f = lua ? &lua_fault : &module_fault;
  long stride = atol(argv[2]), first = argc == 6 ? atol(argv[5]) : 1, runs = 0;
  if (run_and_weigh(argv[3], argv[4], f, LONG_MAX, LONG_MAX) != PASSED) return 1;
  for (long n = first;; n += stride, runs++) {
    int once = lua ? PASSED : run_and_weigh(argv[3], argv[4], f, n, n);
    int all = run_and_weigh(argv[3], argv[4], f, n, LONG_MAX);
    if (once == BROKEN || all == BROKEN) return 1;
    if (all == PASSED) break;
  }
  printf("%ld allocations failed\n", runs);
  return runs > 0 || first > 1 ? 0 : 1;
}
