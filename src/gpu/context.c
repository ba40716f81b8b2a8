/* The lowest layer of the GPU code. Counts and opens devices, records failures, and enters a device for each call: it
** takes the lock and makes the device's context current. */

#include "gpu/gpu.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gpu gpus[MAX_GPUS];
static const gpu *captured;             /* the GPU on which the thread that holds the lock is capturing a graph;
                                        ** otherwise NULL */
static _Thread_local int failed = -1;   /* number of the GPU whose message explains this thread's last failure, or -1;
                                        ** the caller does not know this number if a copy uses two GPUs */

/* ---- the lock, and forks ---- */

/* The GPUs of a vendor. */
typedef struct party {
  gpu_vendor *vendor;
  void      (*look)(void);              /* counts the GPUs */
  pthread_once_t once;
  int         count;
  char        why_none[512];            /* the reason why there is no GPU, or why one is not counted */
  bool        started;                  /* the driver was started in this process or in a parent process */
  bool        forked;                   /* the driver was started in the parent process */
} party;
static void look_nvidia(void);
static void look_amd(void);
static party parties[] = {{&gpu_nvidia, look_nvidia, PTHREAD_ONCE_INIT, 0, "", false, false},
                          {&gpu_amd, look_amd, PTHREAD_ONCE_INIT, 0, "", false, false}};
enum { PARTIES = sizeof parties / sizeof *parties };

static party *party_of(const gpu_vendor *v) { return &parties[v == &gpu_amd]; }

/* One lock for all GPUs, so that a call that uses two GPUs cannot deadlock. The lock is recursive, because a call may
** enter a GPU that an outer call has already entered. */
static pthread_mutex_t lock;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
enum { DEPTH = 8 };
static gpu *inside[DEPTH];              /* the GPUs that calls in progress have entered, outermost first */
static int depth;

static void make_lock(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &a);
  pthread_mutexattr_destroy(&a);
}

/* Resets the lock in the child of a fork, because the thread that held the lock may not exist in the child. If the
** parent process has started the driver, the driver does not work in the child. */
static void after_fork(void) {
  for (int i = 0; i < PARTIES; i++) parties[i].forked = parties[i].started;
  depth = 0;
  make_lock();
}

/* Closes all devices at exit. If another thread is inside a call, the devices stay open, and the driver releases them
** when the process ends. */
static void close_all(void) {
  if (pthread_mutex_trylock(&lock) != 0) return;
  for (int i = 0; i < MAX_GPUS; i++)
    if (gpus[i].context && !party_of(gpus[i].vendor)->forked) gpu_close(&gpus[i]);
  pthread_mutex_unlock(&lock);
}

void gpu_close_first(void) { atexit(close_all); }

static void prepare_lock(void) {
  make_lock();
  pthread_atfork(NULL, NULL, after_fork);
  gpu_close_first();
}

gpu *gpu_lock(int index) {
  pthread_once(&lock_once, prepare_lock);
  pthread_mutex_lock(&lock);
  gpu *g = &gpus[index];
  if (!g->vendor) {
    g->index = index;
    g->vendor = parties[index / VENDOR_GPUS].vendor;
    g->driver = gpu_get_driver(g->vendor);
    snprintf(g->place, sizeof g->place, "%s:%d", g->vendor->device, index - g->vendor->first);
  }
  return g;
}

void gpu_unlock(void) { pthread_mutex_unlock(&lock); }

/* ---- counting devices ---- */

static const char *error_text(const gpu_driver *d, gpu_result r) {
  const char *text = NULL;
  d->error_text(r, &text);
  return text ? text : "unknown error";
}

static void no_gpu(party *p, const char *words) { snprintf(p->why_none, sizeof p->why_none, "%s", words); }

int gpu_in_use(const gpu_vendor *v) {
  int n = party_of(v)->forked ? 0 : VENDOR_GPUS;
  while (n > 0 && !gpus[v->first + n - 1].context) n--;
  return n;
}

/* Counts the GPUs for which the compiler generates code, and stores the driver's number of each. The other GPUs are left
** out, and why_none is the reason of the first of them. */
static void count_usable(party *p, int found) {
  gpu_vendor *v = p->vendor;
  for (int i = 0; i < found && i < VENDOR_GPUS; i++) {
    gpu *g = &gpus[v->first + p->count];
    char words[GPU_REASON];
    gpu_result r = gpu_get_driver(v)->device_get(&g->id, i);
    if (r != GPU_SUCCESS) snprintf(words, sizeof words, "opening device %d: %s", i, error_text(gpu_get_driver(v), r));
    else if (v->choose_target(v, g->id, &g->target, words)) {
      p->count++;
      continue;
    }
    if (!p->why_none[0]) no_gpu(p, words);
  }
}

static void look(party *p) {
  gpu_vendor *v = p->vendor;
  const gpu_driver *d = gpu_get_driver(v);
  int found = 0;
  if (!d) {
    no_gpu(p, gpu_reason(v, GPU_DRIVER));
    return;
  }
  gpu_result r = d->init(0);
  pthread_once(&lock_once, prepare_lock);                /* registers the handler for forks */
  p->started = true;
  if (r == GPU_SUCCESS) r = d->device_count(&found);
  if (r != GPU_SUCCESS && r != GPU_NO_DEVICE)
    snprintf(p->why_none, sizeof p->why_none, "%s does not start: %s", v->names[GPU_DRIVER], error_text(d, r));
  else if (r != GPU_SUCCESS || found == 0) no_gpu(p, v->no_device);
  else if (!gpu_get_rtc(v)) no_gpu(p, gpu_reason(v, GPU_RTC));
  else count_usable(p, found);
}

static void look_nvidia(void) { look(party_of(&gpu_nvidia)); }
static void look_amd(void)    { look(party_of(&gpu_amd)); }

int gpu_count(gpu_vendor *v) {
  party *p = party_of(v);
  pthread_once(&p->once, p->look);
  return p->count;
}

const char *gpu_why_none(gpu_vendor *v) {
  gpu_count(v);
  return party_of(v)->why_none;
}

gpu_device_id gpu_id(int index) { return gpus[index].id; }

/* ---- failures ---- */

void gpu_blame(const gpu *g) { failed = g->index; }

int gpu_fail(gpu *g, const char *format, ...) {
  gpu_blame(g);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(g->words, sizeof g->words, format, arguments);
  va_end(arguments);
  return ERR_DEVICE;
}

/* Writes the message of this thread's last failure to `text`. If a copy between two GPUs has failed, writes the message
** of the GPU that failed, even if `index` is the other GPU. */
void gpu_explain(int index, char *text, size_t size) {
  gpu *g = gpu_lock(failed >= 0 ? failed : index);
  snprintf(text, size, "%s", g->words[0] ? g->words : "the device failed");
  gpu_unlock();
}

/* True if r is a sticky error, after which every later call in this context fails. */
static bool outlives_call(gpu_result r) {
  static const short sticky[] = {
    GPU_SHUT_DOWN, GPU_ECC, GPU_NVLINK, GPU_CONTAINED, GPU_ILLEGAL_ADDRESS, GPU_LAUNCH_TIMEOUT, GPU_CONTEXT_DESTROYED,
    GPU_ASSERT, GPU_HARDWARE_STACK, GPU_ILLEGAL_INSTRUCTION, GPU_MISALIGNED_ADDRESS, GPU_ADDRESS_SPACE, GPU_INVALID_PC,
    GPU_LAUNCH_FAILED, GPU_TENSOR_MEMORY, GPU_UNKNOWN
  };
  for (size_t i = 0; i < sizeof sticky / sizeof *sticky; i++)
    if ((int)r == sticky[i]) return true;
  return false;
}

/* Advice after a device was lost. NVIDIA's driver does not open a device again in a process whose kernel failed
** (version 580 on an H100). */
#define LOST "the device is lost: start the script anew, or try lt.%s.reopen(\"%s\")"

/* Reports an error after which the device is unusable. An error in a kernel is reported by a later call of the
** driver, possibly by another launch. The message therefore names the kernel that was launched last as the probable
** cause. */
static int fail_for_good(gpu *g, gpu_result r, const char *what) {
  bool launch = strncmp(what, "launch of ", 10) == 0;
  g->dead = true;
  return gpu_fail(g, "%s: %s%s%s%s; " LOST, what, error_text(g->driver, r),
                  !g->last ? "" : launch ? " (or in " : " (in ", g->last ? g->last : "",
                  g->last ? " or a kernel before it)" : "", g->vendor->device, g->place);
}

int gpu_check(gpu *g, gpu_result r, const char *what) {
  if (r == GPU_SUCCESS) return OK;
  if (r == GPU_CAPTURE_UNSUPPORTED || r == GPU_CAPTURE_IMPLICIT) return ERR_CAPTURE;
  if (outlives_call(r)) return fail_for_good(g, r, what);
  gpu_fail(g, "%s: %s", what, error_text(g->driver, r));
  return r == GPU_OUT_OF_MEMORY ? ERR_MEMORY : ERR_DEVICE;
}

/* ---- opening ---- */

static void read_properties(gpu *g) {
  int major = gpu_attribute_of(g->driver, g->id, GPU_CAPABILITY_MAJOR);
  g->capability = major * 10 + gpu_attribute_of(g->driver, g->id, GPU_CAPABILITY_MINOR);
  g->cores = gpu_attribute_of(g->driver, g->id, GPU_MULTIPROCESSORS);
  g->lanes = gpu_attribute_of(g->driver, g->id, GPU_WARP_SIZE) == 64 ? 64 : 32;
}

/* Opens the device's primary context, which other CUDA libraries in the process share. */
static int open_context(gpu *g) {
  const gpu_driver *d = g->driver;
  int st = gpu_check(g, d->context_retain(&g->context, g->id), "opening the device");
  if (st == OK) st = gpu_check(g, d->context_use(g->context), "opening the device");
  return st;
}

static const gpu_part *parts;            /* the parts of a device, in the order in which they are opened */
static int part_count;

void gpu_set_parts(const gpu_part *list, int count) {
  parts = list;
  part_count = count;
}

/* Closes a device. Waits for queued work first, because closing unloads the kernels. */
void gpu_close(gpu *g) {
  if (!g->context) return;
  g->driver->context_use(g->context);
  if (!g->dead && gpu_await(g, NULL, NULL) == OK) g->driver->context_sync();
  for (int k = part_count - 1; k >= 0; k--)
    if (parts[k].close) parts[k].close(g);
  g->driver->context_release(g->id);
  g->context = NULL;
  if (g->capturing) gpu_set_capturing(g, false);
  g->open = g->dead = g->ordered = false;
  g->unrecorded = 0;
  g->last = NULL;
}

static int open_gpu(gpu *g) {
  if (g->index - g->vendor->first >= gpu_count(g->vendor)) return gpu_fail(g, "no device %s", g->place);
  int st = open_context(g);
  if (st == OK) read_properties(g);
  for (int k = 0; st == OK && k < part_count; k++)
    if (parts[k].open) st = parts[k].open(g);
  g->open = st == OK;
  if (st != OK) gpu_close(g);
  return st == OK ? OK : ERR_DEVICE;
}

/* ---- entering ---- */

#define FORKED "a forked child cannot use the GPU of its parent; open it after the fork"

/* Makes g ready for a call. Opens g if it is not open. Returns an error if g cannot be used. `frees` is true if the
** call only frees memory; such a call is allowed while another GPU captures a graph. */
static int prepare(gpu *g, bool frees) {
  if (party_of(g->vendor)->forked) return gpu_fail(g, "%s", FORKED);
  if (depth == DEPTH) return gpu_fail(g, "calls inside calls: more than %d", DEPTH);
  if (g->dead) {
    if (!strstr(g->words, "the device is lost")) gpu_fail(g, "a call failed earlier; " LOST, g->vendor->device, g->place);
    gpu_blame(g);
    return ERR_DEVICE;
  }
  if (captured && captured != g && !frees)                     /* work on another GPU would run now, but not when the
                                                               ** graph is replayed */
    return gpu_fail(g, "not while a graph of %s is captured: it uses %s", captured->place, g->place);
  if (!g->open) return open_gpu(g);
  /* In a nested call the context is already current. Before an outermost call, another library may have made its own
  ** context current. */
  if (depth > 0 && inside[depth - 1] == g) return OK;
  return gpu_check(g, g->driver->context_use(g->context), "entering the device");
}

static int enter(int index, gpu **entered, bool frees) {
  gpu *g = gpu_lock(index);
  int st = prepare(g, frees);
  if (st != OK) {
    gpu_unlock();
    return st;
  }
  inside[depth++] = g;
  *entered = g;
  return OK;
}

int gpu_enter(int index, gpu **g)      { return enter(index, g, false); }
int gpu_enter_free(int index, gpu **g) { return enter(index, g, true); }

void gpu_set_capturing(gpu *g, bool capturing) {
  g->capturing = capturing;
  captured = capturing ? g : NULL;
}

int gpu_leave(gpu *g, int status) {
  depth--;
  gpu *outer = depth > 0 ? inside[depth - 1] : g;
  if (outer != g) outer->driver->context_use(outer->context);
  gpu_unlock();
  return status;
}

/* ---- reopening ---- */

/* Opens a device that was lost. If the driver refuses, the device stays lost. */
static int revive(gpu *g) {
  int st = open_gpu(g);
  if (st == OK) return OK;
  g->dead = true;
  char words[sizeof g->words];
  snprintf(words, sizeof words, "%s", g->words);
  char *end = strstr(words, "; the device is lost");
  if (end) *end = 0;
  return gpu_fail(g, "%.*s; the device is lost to this process: start the script anew", (int)sizeof words - 80, words);
}

/* Closes and resets a device. The next gpu_enter opens it again. All data on the device, also data of other
** libraries, is lost, because the memory of a failed device is in an unknown state. */
int gpu_reopen(int index) {
  gpu *g = gpu_lock(index);
  int st = party_of(g->vendor)->forked ? gpu_fail(g, "%s", FORKED) : g->capturing ? ERR_CAPTURE : OK;
  if (st == OK) {
    bool dead = g->dead;
    g->epoch++;
    gpu_close(g);
    g->dead = false;
    st = gpu_check(g, g->driver->context_reset(g->id), "reopening the device");
    if (dead && st == OK) st = revive(g);
  }
  gpu_unlock();
  return st;
}

/* Closes all open devices of a vendor except a device that captures a graph. Pointers to memory on a closed device become
** invalid, as they do when the device is reopened. */
void gpu_shut(const gpu_vendor *v) {
  const party *p = party_of(v);
  for (int k = 0; p->started && !p->forked && k < VENDOR_GPUS; k++) {
    gpu *g = gpu_lock(v->first + k);
    if (g->open && !g->capturing) {
      g->epoch++;
      gpu_close(g);
    }
    gpu_unlock();
  }
}

unsigned gpu_device_epoch(int index) { return gpus[index].epoch; }
