/* Finds compiled kernels by key, compiles missing kernels, and launches kernels. A kernel is compiled from a unit,
** which is a source file with a set of defines and, except on the emulator, the name of the kernel. Each unit is compiled
** at most once, or loaded from the disk cache if an earlier process has compiled it. */

#include "gpu/gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "gpu/cache.h"
#include "gpu/sources.h"

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

/* ---- the compiler ---- */

enum { FIXED_OPTIONS = 7, OPTIONS_MOST = FIXED_OPTIONS + GPU_DEFINES, OPTION_SIZE = GPU_DEFINE_SIZE + 8 };

/* The input of a compilation: the main source with all files that it includes, and the compiler's options. */
typedef struct request {
  const char *what;                    /* the kernel's name in error messages, such as "add float32" */
  const char *file;                    /* the file name in the compiler's messages */
  source_list sources;                 /* the main source first */
  int         noptions;
  char        option[OPTIONS_MOST][OPTION_SIZE];
} request;

static void add_option(request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_option(request *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->option[r->noptions++], OPTION_SIZE, format, arguments);
  va_end(arguments);
}

/* Sets the options that all compilations share. */
static void start_request(const gpu *g, request *r, const char *what, const char *file) {
  r->what = what;
  r->file = file;
  r->noptions = 0;
  add_option(r, "--gpu-architecture=%s", g->target.name);
  for (const char *const *o = g->vendor->options; *o; o++) add_option(r, "%s", *o);
  add_option(r, "%s", g->vendor->no_fma);      /* turns off automatic FMA, because results must have the same bits as
                                               ** on the CPU; sources request FMA explicitly */
}

static void key_of(const gpu *g, const request *r, uint8_t key[HASH_SIZE]) {
  const int *compiler = &g->vendor->versions.compiler;
  hash h;
  hash_start(&h);
  hash_add(&h, compiler, sizeof *compiler);
  hash_text(&h, r->file);
  for (int i = 0; i < r->noptions; i++) hash_text(&h, r->option[i]);
  for (int i = 0; i < r->sources.count; i++) {
    hash_text(&h, r->sources.name[i]);
    hash_text(&h, r->sources.text[i]);
  }
  hash_finish(&h, key);
}

/* Returns the compiler's messages as a string that the caller frees. Returns NULL if there are no messages. */
static char *read_log(const gpu_rtc *rtc, rtc_program p) {
  size_t bytes = 0;
  if (rtc->log_size(p, &bytes) != RTC_SUCCESS || bytes < 2) return NULL;
  char *text = malloc(bytes + 1);
  if (!text) return NULL;
  text[bytes] = 0;
  if (rtc->log(p, text) == RTC_SUCCESS) return text;
  free(text);
  return NULL;
}

/* Returns the compiled image, which the caller frees. The image is a binary, or a text that ends with the zero byte that
** the driver requires. Returns NULL on failure. */
static void *read_image(const gpu *g, const gpu_rtc *rtc, rtc_program p, size_t *bytes) {
  bool text = g->target.is_text;
  if ((text ? rtc->text_size : rtc->binary_size)(p, bytes) != RTC_SUCCESS || *bytes == 0) return NULL;
  char *image = malloc(*bytes);
  if (image && (text ? rtc->text : rtc->binary)(p, image) == RTC_SUCCESS) return image;
  free(image);
  return NULL;
}

/* Reports a failed compilation. The error message contains only the first 480 bytes of the compiler's messages. The
** first errors are enough, because luatensor's own kernels compile unless someone has edited their files. */
static int fail_compile(gpu *g, const request *r, rtc_result result, const char *log) {
  enum { LOG_MOST = 480 };
  const char *words = log ? log : gpu_get_rtc(g->vendor)->error_text(result);
  size_t length = strlen(words), most = length < LOG_MOST ? length : LOG_MOST;
  while (most && words[most - 1] == '\n') most--;
  return gpu_fail(g, "compiling %s (%s): %.*s", r->what, r->file, (int)most, words);
}

static int compile(gpu *g, const request *r, void **image, size_t *bytes, char **log) {
  const gpu_rtc *rtc = gpu_get_rtc(g->vendor);
  const char *options[OPTIONS_MOST];
  rtc_program p = NULL;
  for (int i = 0; i < r->noptions; i++) options[i] = r->option[i];
  rtc_result result = rtc->create(&p, r->sources.text[0], r->file, r->sources.count - 1, r->sources.text + 1,
                                  r->sources.name + 1);
  if (result != RTC_SUCCESS) return fail_compile(g, r, result, NULL);
  result = rtc->compile(p, r->noptions, options);
  *log = result == RTC_SUCCESS ? NULL : read_log(rtc, p);
  *image = result == RTC_SUCCESS ? read_image(g, rtc, p, bytes) : NULL;
  rtc->destroy(&p);
  return *image ? OK : fail_compile(g, r, result, *log);
}

static gpu_result load_image(gpu *g, const void *image, gpu_module *m) {
  gpu_result r = g->driver->module_load(m, image);
  return gpu_retries(g, r) ? g->driver->module_load(m, image) : r;
}

/* Loads a module from the disk cache. If the cache has no image, or the driver refuses the image, compiles the source
** and stores the new image. *log receives the compiler's messages, or NULL. */
static int load_module(gpu *g, const request *r, const uint8_t key[HASH_SIZE], gpu_module *m, char **log) {
  char what[128];
  size_t bytes = 0;
  void *image = cache_read(key, &bytes);
  *log = NULL;
  snprintf(what, sizeof what, "loading %s", r->what);
  gpu_result loaded = image ? load_image(g, image, m) : GPU_NOT_FOUND;
  free(image);
  if (loaded == GPU_SUCCESS || loaded == GPU_OUT_OF_MEMORY) return gpu_check(g, loaded, what);
  int st = compile(g, r, &image, &bytes, log);
  if (st != OK) return st;
  st = gpu_check(g, load_image(g, image, m), what);
  if (st == OK) cache_write(key, image, bytes);
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
  request r;
  uint8_t key[HASH_SIZE];
  char *log;
  start_request(g, &r, s->name, s->file);
  add_option(&r, "-DLANES=%d", g->lanes);
  if (!g->vendor->versions.emulated) {           /* the emulator compiles a file with four kernels as fast as one of them */
    add_option(&r, "-DONE_ENTRY");
    add_option(&r, "-DENTRY_%s=~,KERNEL_ENTRY", s->entry);
  }
  for (int i = 0; i < s->ndefines; i++) add_option(&r, "-D%s", s->define[i]);
  source_closure(&r.sources, s->file, s->text);
  if (!r.sources.text[0]) return gpu_fail(g, "no kernels in %s", s->file);
  key_of(g, &r, key);
  unit *u = find_unit(k, key);
  if (u) {
    *m = u->module;
    return OK;
  }
  if (!make_room(k)) return gpu_fail(g, "out of memory");
  int st = load_module(g, &r, key, m, &log);
  free(log);
  if (st != OK) return st;
  u = &k->units[k->nunits++];
  memcpy(u->key, key, HASH_SIZE);
  u->module = *m;
  return OK;
}

/* Appends a line about a loaded kernel to the file LUATENSOR_KERNEL_LOG, if this variable is set. The fields are separated
** by tabs: the kernel's name, the registers of a thread, its bytes of local memory, the bytes of static shared memory of
** a block, and the most threads of a block. */
static void log_kernel(const gpu *g, const char *name, const gpu_kernel *k) {
  const char *path = getenv("LUATENSOR_KERNEL_LOG");
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

/* Returns a script's text with the lines that the compiler needs before it, which the caller frees. hipRTC's messages
** use the text's name only because of the #line. */
static char *start_text(const gpu *g, const char *text, const char *name) {
  const char *start = g->vendor->text_start;
  size_t bytes = strlen(start) + strlen(name) + strlen(text) + 16;
  char *whole = malloc(bytes);
  if (whole) snprintf(whole, bytes, "%s#line 1 \"%s\"\n%s", start, name, text);
  return whole;
}

int gpu_compile_text(gpu *g, const char *text, const char *name, const char *entry, gpu_kernel *k, gpu_module *m,
                     char **log) {
  request r;
  uint8_t key[HASH_SIZE];
  char *whole = start_text(g, text, name);
  if (!whole) return ERR_MEMORY;
  start_request(g, &r, name, name);
  source_closure(&r.sources, name, whole);
  if (r.sources.count > 1) add_option(&r, "-DLANES=%d", g->lanes);       /* luatensor's files are included */
  key_of(g, &r, key);
  int st = load_module(g, &r, key, m, log);
  free(whole);
  if (st != OK) return st;
  k->name = keep_name(name);
  st = get_entry(g, *m, entry, name, k);
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
