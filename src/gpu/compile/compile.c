/* Finds compiled kernels by key, compiles missing kernels, and launches kernels. Each unit (request.c) is compiled at most
** once, or loaded from the disk cache if an earlier process has compiled it. */

#include "gpu/gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "gpu/cache.h"
#include "gpu/compile/kernel_list.h"
#include "gpu/compile/request.h"

/* A compiled unit. On the emulator, one unit contains all kernels that have the same file and defines. */
typedef struct unit {
  uint8_t    key[HASH_SIZE];
  gpu_module module;
} unit;

typedef struct slot {
  uint64_t    key;                     /* the kernel's key; 0 if the slot is free (no key is 0, because no family has
                                       ** number 0) */
  gpu_kernel *kernel;
} slot;

struct gpu_kernels {
  slot  *slots;                        /* hash table with open addressing; its size is a power of 2, and at most half
                                       ** of the slots are used */
  size_t size, used;
  int    shift;                        /* 64 - log2(size) */
  unit  *units;
  size_t nunits, units_size;
};

enum { FIRST_SLOTS = 256 };

/* ---- the table of kernels ---- */

/* Returns the slot where the search for this key begins. Fibonacci hashing: the high bits of the product depend on
** all bits of the key. */
static size_t first_place(const struct gpu_kernels *k, uint64_t key) {
  return (size_t)(key * 0x9E3779B97F4A7C15u >> k->shift);
}

const gpu_kernel *gpu_find(const gpu *g, uint64_t key) {
  const struct gpu_kernels *k = g->kernels;
  for (size_t i = first_place(k, key);; i = (i + 1) & (k->size - 1)) {
    if (k->slots[i].key == key) return k->slots[i].kernel;
    if (k->slots[i].key == 0) return NULL;
  }
}

static void place_slot(struct gpu_kernels *k, slot s) {
  size_t i = first_place(k, s.key);
  while (k->slots[i].key) i = (i + 1) & (k->size - 1);
  k->slots[i] = s;
}

static bool grow_table(struct gpu_kernels *k) {
  slot *old = k->slots;
  size_t size = k->size;
  slot *slots = calloc(2 * size, sizeof *slots);
  if (!slots) return false;
  k->slots = slots;
  k->size = 2 * size;
  k->shift--;
  for (size_t i = 0; i < size; i++)
    if (old[i].key) place_slot(k, old[i]);
  free(old);
  return true;
}

static bool add_kernel(struct gpu_kernels *k, uint64_t key, gpu_kernel *kernel) {
  if (2 * (k->used + 1) > k->size && !grow_table(k)) return false;
  place_slot(k, (slot){key, kernel});
  k->used++;
  return true;
}

/* ---- opening and closing ---- */

int gpu_kernels_open(gpu *g) {
  struct gpu_kernels *k = calloc(1, sizeof *k);
  if (k) k->slots = calloc(FIRST_SLOTS, sizeof *k->slots);
  if (!k || !k->slots) {
    free(k);
    return gpu_fail(g, "out of memory");
  }
  k->size = FIRST_SLOTS;
  for (k->shift = 64; (size_t)1 << (64 - k->shift) < k->size; k->shift--) {}
  g->kernels = k;
  return OK;
}

void gpu_kernels_close(gpu *g) {
  struct gpu_kernels *k = g->kernels;
  if (!k) return;
  for (size_t i = 0; i < k->nunits; i++) g->driver->module_unload(k->units[i].module);
  for (size_t i = 0; i < k->size; i++) free(k->slots[i].kernel);
  free(k->units);
  free(k->slots);
  free(k);
  g->kernels = NULL;
}

/* ---- modules ---- */

static gpu_result load_image(gpu *g, const void *image, gpu_module *m) {
  gpu_result r = g->driver->module_load(m, image);
  return gpu_retries(g, r) ? g->driver->module_load(m, image) : r;
}

/* Loads a module from the disk cache. If the cache has no image, or the driver refuses the image, compiles the source
** and stores the new image. *log receives the compiler's messages, or NULL. */
static int load_module(gpu *g, const request *r, gpu_module *m, char **log) {
  char what[128], reason[REQUEST_REASON];
  size_t bytes = 0;
  void *image = cache_read(r->key, &bytes);
  *log = NULL;
  snprintf(what, sizeof what, "loading %s", r->what);
  gpu_result loaded = image ? load_image(g, image, m) : GPU_NOT_FOUND;
  free(image);
  if (loaded == GPU_SUCCESS || loaded == GPU_OUT_OF_MEMORY) return gpu_check(g, loaded, what);
  image = request_compile(r, &bytes, log, reason);
  if (!image) return gpu_fail(g, "%s", reason);
  int st = gpu_check(g, load_image(g, image, m), what);
  if (st == OK) cache_write(r->key, image, bytes);
  free(image);
  return st;
}

/* ---- luatensor's own kernels ---- */

void gpu_define(gpu_source *s, const char *format, ...) {
  if (s->ndefines == GPU_DEFINES) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(s->define[s->ndefines++], GPU_DEFINE_SIZE, format, arguments);
  va_end(arguments);
}

static unit *find_unit(struct gpu_kernels *k, const uint8_t key[HASH_SIZE]) {
  for (size_t i = 0; i < k->nunits; i++)
    if (memcmp(k->units[i].key, key, HASH_SIZE) == 0) return &k->units[i];
  return NULL;
}

static bool make_room(struct gpu_kernels *k) {
  unit *units = list_with_room(k->units, k->nunits, &k->units_size, sizeof *units);
  if (units) k->units = units;
  return units != NULL;
}

/* Sets *m to the module that is compiled from s->file with the defines of s. */
static int get_module(gpu *g, const gpu_source *s, gpu_module *m) {
  struct gpu_kernels *k = g->kernels;
  const request_for target = {g->vendor, g->target, g->lanes};
  request r;
  char *log;
  if (request_own(&r, &target, s) != OK) return gpu_fail(g, "no kernels in %s", s->file);
  unit *u = find_unit(k, r.key);
  if (u) {
    *m = u->module;
    return OK;
  }
  if (!make_room(k)) return gpu_fail(g, "out of memory");
  int st = load_module(g, &r, m, &log);
  free(log);
  if (st != OK) return st;
  u = &k->units[k->nunits++];
  memcpy(u->key, r.key, HASH_SIZE);
  u->module = *m;
  return OK;
}

/* Appends a line about a loaded kernel to the file LUATENSOR_KERNELS_LOADED, if this variable is set. The fields are separated
** by tabs: the kernel's name, the registers of a thread, its bytes of local memory, the bytes of static shared memory of
** a block, and the most threads of a block. */
static void log_kernel(const gpu *g, const char *name, const gpu_kernel *k) {
  const char *path = getenv("LUATENSOR_KERNELS_LOADED");
  FILE *file = path && *path ? fopen(path, "a") : NULL;
  if (!file) return;
  int registers = 0, local = 0;
  g->driver->function_attribute(&registers, FUNCTION_REGISTERS, k->function);
  g->driver->function_attribute(&local, FUNCTION_LOCAL, k->function);
  fprintf(file, "%s\t%d\t%d\t%u\t%d\n", name, registers, local, k->shared, k->threads);
  fclose(file);
}

/* Looks up the function `entry` of module m, and sets the fields `function` and `threads` of k. `name` is used in
** error messages. */
static int get_entry(gpu *g, gpu_module m, const char *entry, const char *name, gpu_kernel *k) {
  const gpu_driver *d = g->driver;
  char what[160];
  int shared = 0;
  snprintf(what, sizeof what, "%s: kernel \"%s\"", name, entry);
  int st = gpu_check(g, d->module_function(&k->function, m, entry), what);
  if (st == OK) st = gpu_check(g, d->function_attribute(&k->threads, FUNCTION_MAX_THREADS, k->function), what);
  if (st == OK) st = gpu_check(g, d->function_attribute(&shared, FUNCTION_SHARED, k->function), what);
  k->shared = (unsigned)shared;
  if (st == OK) log_kernel(g, name, k);
  return st;
}

/* Allocates a kernel and a copy of its name in one block of memory. */
static gpu_kernel *new_kernel(const char *name) {
  size_t length = strlen(name) + 1;
  gpu_kernel *k = calloc(1, sizeof *k + length);
  if (k) k->name = memcpy(k + 1, name, length);
  return k;
}

int gpu_build(gpu *g, uint64_t key, const gpu_source *s, const gpu_kernel **found) {
  gpu_module m;
  int st = get_module(g, s, &m);
  if (st != OK) return st;
  gpu_kernel *k = new_kernel(s->name);
  if (!k) return gpu_fail(g, "out of memory");
  st = get_entry(g, m, s->entry, s->name, k);
  if (st == OK) st = kernel_list_note(g, s, false);
  if (st == OK && !add_kernel(g->kernels, key, k)) st = gpu_fail(g, "out of memory");
  if (st != OK) free(k);
  else *found = k;
  return st;
}

/* ---- kernels that scripts write ---- */

/* Returns a copy of the name. The copy is never freed, because a failure may be reported after the kernel was freed.
** Equal names share one copy. */
static const char *keep_name(const char *name) {
  static struct kept { struct kept *next; char name[]; } *names;
  for (struct kept *n = names; n; n = n->next)
    if (strcmp(n->name, name) == 0) return n->name;
  struct kept *n = malloc(sizeof *n + strlen(name) + 1);
  if (!n) return "kernel";
  strcpy(n->name, name);
  n->next = names;
  names = n;
  return n->name;
}

int gpu_compile_text(gpu *g, const char *text, const char *name, const char *entry, gpu_kernel *k, gpu_module *m,
                     char **log) {
  const request_for target = {g->vendor, g->target, g->lanes};
  gpu_source s = {.file = name, .text = text, .entry = entry};
  request r;
  snprintf(s.name, sizeof s.name, "%s", name);
  int st = request_script(&r, &target, &s);
  if (st != OK) return st;
  st = load_module(g, &r, m, log);
  request_free(&r);
  if (st != OK) return st;
  k->name = keep_name(name);
  st = get_entry(g, *m, entry, name, k);
  if (st == OK) st = kernel_list_note(g, &s, true);
  if (st != OK) g->driver->module_unload(*m);
  return st;
}

/* ---- launches ---- */

static int fail_launch(gpu *g, const gpu_kernel *k, gpu_result r) {
  char what[96];
  snprintf(what, sizeof what, "launch of %s", k->name);
  return gpu_check(g, r, what);
}

int gpu_launch_3d(gpu *g, const gpu_kernel *k, const unsigned blocks[3], const unsigned threads[3], unsigned shared,
                  void **arguments) {
  const gpu_driver *d = g->driver;
  gpu_result r = GPU_SUCCESS;
  uint64_t size = (uint64_t)threads[0] * threads[1] * threads[2];
  if (size > (uint64_t)k->threads)
    return gpu_fail(g, "launch of %s: %u threads in a block; the compiled kernel takes at most %d", k->name, (unsigned)size, k->threads);
  if (shared + k->shared > g->vendor->shared_plain) r = d->function_set(k->function, FUNCTION_SHARED_MOST, (int)shared);
  if (r == GPU_SUCCESS)
    r = d->launch(k->function, blocks[0], blocks[1], blocks[2], threads[0], threads[1], threads[2], shared, g->stream,
                  arguments, NULL);
  if (r != GPU_SUCCESS) return fail_launch(g, k, r);
  g->last = k->name;
  return OK;
}

int gpu_launch(gpu *g, const gpu_kernel *k, unsigned blocks, unsigned threads, unsigned shared, void **arguments) {
  return gpu_launch_3d(g, k, (const unsigned[]){blocks, 1, 1}, (const unsigned[]){threads, 1, 1}, shared, arguments);
}
