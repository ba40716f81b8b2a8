/* The structs of the kinds, whose functions take the lock and call the functions of queue.h. The variables
** LUATENSOR_PJRT_<NAME>, then the plugins in Python's active virtual environment, make devices of them. */

#include "pjrt/device.h"

#include <ctype.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/text.h"
#include "pjrt/queue.h"

extern char **environ;

enum { KINDS = 3 };                    /* the most plugins of a process */

static pjrt_plugin plugins[KINDS];

/* Loads the plugin. Returns false if there is no device. */
static bool is_open(pjrt_plugin *p, const char *why) {
  if (plugin_load(p, why) == 0) return false;
  if (p->queue) return true;
  p->queue = calloc((size_t)p->ndevice, sizeof *p->queue);
  for (int i = 0; p->queue && i < p->ndevice; i++) p->queue[i] = (pjrt_queue){.plugin = p, .index = i, .run = 1};
  return p->queue;
}

static int count_devices(pjrt_plugin *p) {
  char why[PJRT_TEXT] = "";
  lock_take(LOCK_PJRT);
  bool tried = p->tried;
  lock_release(LOCK_PJRT);
  if (!tried) plugin_try(p, why);
  lock_take(LOCK_PJRT);
  int n = is_open(p, why) ? p->ndevice : 0;
  lock_release(LOCK_PJRT);
  return n;
}

static void shut(pjrt_plugin *p) {
  lock_take(LOCK_PJRT);
  for (int i = 0; p->queue && i < p->ndevice; i++) queue_free(&p->queue[i]);
  free(p->queue);
  p->queue = NULL;
  programs_free(p);
  plugin_close(p);
  p->epoch++;
  lock_release(LOCK_PJRT);
}

/* Takes the lock, and returns the queue of a device. */
static pjrt_queue *enter(pjrt_plugin *p, int index) {
  lock_take(LOCK_PJRT);
  return &p->queue[index];
}

static int leave(int st) { return lock_release(LOCK_PJRT), st; }

/* ---- memory ---- */

/* Copies from the host: afterwards the elements are in the shadow. */
static int copy_in(pjrt_queue *q, void *to, const void *host, size_t bytes) {
  block *b = block_of(q, to);
  if (!b) return bytes ? ERR_DEVICE : OK;
  int st = OK;
  if (bytes == b->bytes) block_discard(q, b);
  else st = block_write(q, b);
  if (st == OK) memcpy(to, host, bytes);
  return st;
}

/* Copies to the host: the whole of a block passes the shadow by. */
static int copy_out(pjrt_queue *q, void *host, const void *from, size_t bytes) {
  block *b = block_of(q, from);
  if (!b) return bytes ? ERR_DEVICE : OK;
  int st = b->pending ? queue_ask(q) : OK;
  if (st == OK && b->pending) st = queue_run(q);
  if (st == OK && bytes == b->bytes && !b->in_shadow && !b->lost) return buffer_download(q->plugin, b->buffer, host, bytes);
  if (st == OK) st = block_read(q, b);
  if (st == OK) memcpy(host, from, bytes);
  return st;
}

static int copy_across(pjrt_queue *q, void *to, pjrt_queue *source, const void *from, size_t bytes) {
  block *b = block_of(source, from);
  int st = b ? b->pending ? queue_ask(source) : OK : bytes ? ERR_DEVICE : OK;
  if (st == OK && b) st = block_read(source, b);
  return st == OK ? copy_in(q, to, from, bytes) : st;
}

/* ---- families ---- */

static int leave_to_host(pjrt_queue *q, enum profile_family family, int st) {
  __atomic_fetch_add(&q->host_calls[family], 1, __ATOMIC_RELAXED);
  return leave(st);
}

#define FAMILY(name, call)                                                                      \
  static int append_##name(pjrt_queue *q, call *c) {                                            \
    int due = queue_begin_call(q);                                                              \
    return due == OK ? queue_end_call(q, queue_##name(q, c)) : due;                             \
  }
#include "families.def"

/* ---- kinds ---- */

#define KIND 0
#include "pjrt/kind.h"
#define KIND 1
#include "pjrt/kind.h"
#define KIND 2
#include "pjrt/kind.h"

#define PREFIX "LUATENSOR_PJRT_"

/* Adds a kind. Returns NULL, or the reason why there is none. */
static const char *add_kind(const char *name, const char *file) {
  static device *const kinds[KINDS] = {&kind_0, &kind_1, &kind_2};
  static int count;
  if (count == KINDS) return "a process has at most three plugins of PJRT";
  pjrt_plugin *p = &plugins[count];
  bool here = !strchr(file, '/') && access(file, F_OK) == 0;       /* the linker searches other folders for such a name */
  if (strlen(name) >= sizeof p->name || strlen(file) + 3 > sizeof p->path) return "the name or the path is too long";
  if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789")] || !*name) return "a name has letters, digits and _";
  snprintf(p->name, sizeof p->name, "%s", name);
  snprintf(p->path, sizeof p->path, "%s%s", here ? "./" : "", file);
  kinds[count]->name = p->name;
  if (strcmp(name, "auto") == 0 || device_add(kinds[count]) < 0) return "the name is taken";
  return count++, NULL;
}

/* Adds a kind for a text NAME=file, unless the file is empty. */
static void add(const char *assignment) {
  char name[32];
  const char *end = strchr(assignment, '=');
  if (!end || !end[1]) return;
  snprintf(name, sizeof name, "%.*s", (int)(end - assignment), assignment);
  for (char *c = name; *c; c++) *c = (char)tolower((unsigned char)*c);
  const char *why = add_kind(name, end + 1);
  if (why) device_add_absent(name, true, why);
}

/* The devices that packages of Python add, with the plugin's path in the environment's folder of packages. The plugins of
** CUDA and ROCm are not listed: their clients take most of a GPU's memory when they start, and "cuda" and "rocm" are
** devices without them. */
static const struct { const char *name, *file; } packages[] = {
  {"tpu", "libtpu/libtpu.so"},
  {"metal", "jax_plugins/mps/lib/libpjrt_plugin_mps.dylib"},
  {"metal", "jax_plugins/metal_plugin/pjrt_plugin_metal_*.dylib"},
  {"xpu", "jax_plugins/intel_extension_for_openxla/pjrt_plugin_xpu.so"},
  {"xla", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"},
  {"xla", "fastatomstruct_xla_cpu/libpjrt_cpu.so"},
  {"xla", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"},
};

/* Adds the plugins of the environment's packages. A variable LUATENSOR_PJRT_<NAME>, even an empty one, replaces them. */
static void add_packages(const char *environment) {
  char folder[768], pattern[1024], assignment[1088];
  if (!environment || !*environment || !text_escape(folder, sizeof folder, environment)) return;
  for (size_t k = 0; k < sizeof packages / sizeof *packages; k++) {
    glob_t found;
    snprintf(assignment, sizeof assignment, PREFIX "%s", packages[k].name);
    for (char *c = assignment; *c; c++) *c = (char)toupper((unsigned char)*c);
    snprintf(pattern, sizeof pattern, "%s/lib/python*/site-packages/%s", folder, packages[k].file);
    if (getenv(assignment) || glob(pattern, 0, NULL, &found) != 0) continue;
    snprintf(assignment, sizeof assignment, "%s=%s", packages[k].name, found.gl_pathv[0]);
    globfree(&found);
    add(assignment);
  }
}

static void add_kinds(void) {
  for (char **v = environ; v && *v; v++)
    if (strncmp(*v, PREFIX, sizeof PREFIX - 1) == 0) add(*v + sizeof PREFIX - 1);
  add_packages(getenv("VIRTUAL_ENV"));
  for (size_t k = 0; k < sizeof packages / sizeof *packages; k++)
    device_add_absent(packages[k].name, false, "no plugin: neither " PREFIX "<NAME> nor Python's active virtual environment has one");
}

void pjrt_add_kinds(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, add_kinds);
}
