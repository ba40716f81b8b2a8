/* The functions of struct device: each takes the lock, and calls the functions of queue.h. */

#include "pjrt/device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "pjrt/queue.h"

static pjrt_plugin plugins[PJRT_KINDS];

/* ---- kinds ---- */

const char *pjrt_name(int k, const char *variable) {
  const char *end = strchr(variable, '=');
  pjrt_plugin *p = &plugins[k];
  size_t length = end ? (size_t)(end - variable) : 0;
  if (length == 0 || length >= sizeof p->name || !end[1] || strlen(end + 1) >= sizeof p->path) return NULL;
  for (size_t i = 0; i < length; i++) p->name[i] = (char)tolower((unsigned char)variable[i]);
  p->name[length] = 0;
  if (strspn(p->name, "abcdefghijklmnopqrstuvwxyz_0123456789") != length || strcmp(p->name, "auto") == 0) return NULL;
  snprintf(p->path, sizeof p->path, "%s", end + 1);
  return p->name;
}

/* Loads the plugin. Returns false if there is no device. */
static bool is_open(pjrt_plugin *p, const char *why) {
  if (plugin_load(p, why) == 0) return false;
  if (p->queue) return true;
  p->queue = calloc((size_t)p->ndevice, sizeof *p->queue);
  for (int i = 0; p->queue && i < p->ndevice; i++) p->queue[i] = (pjrt_queue){.plugin = p, .index = i, .run = 1};
  return p->queue;
}

int pjrt_count(int k) {
  pjrt_plugin *p = &plugins[k];
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

const char *pjrt_reason(int k) { return pjrt_count(k) ? "" : plugins[k].reason; }
bool pjrt_is_processor(int k)  { return pjrt_count(k) && strcmp(plugins[k].platform, host_place().device->name) == 0; }
int pjrt_in_use(int k)         { return plugins[k].queue ? plugins[k].ndevice : 0; }

int pjrt_info(int k, int index, device_info *info) {
  pjrt_plugin *p = &plugins[k];
  *info = (device_info){.kind = "pjrt"};
  lock_take(LOCK_PJRT);
  plugin_describe(p, index, info->name, sizeof info->name, info->software, sizeof info->software);
  lock_release(LOCK_PJRT);
  return OK;
}

void pjrt_describe(int k, char *text, size_t size) {
  pjrt_plugin *p = &plugins[k];
  if (pjrt_count(k)) snprintf(text, size, "%d devices of %s", p->ndevice, p->path);
  else snprintf(text, size, "%s", p->reason);
}

void pjrt_explain(int k, char *text, size_t size) {
  lock_take(LOCK_PJRT);
  snprintf(text, size, "%s: %s", plugins[k].name, plugins[k].error);
  lock_release(LOCK_PJRT);
}

unsigned pjrt_epoch(int k) { return plugins[k].epoch; }

void pjrt_shut(int k) {
  pjrt_plugin *p = &plugins[k];
  lock_take(LOCK_PJRT);
  for (int i = 0; p->queue && i < p->ndevice; i++) queue_free(&p->queue[i]);
  free(p->queue);
  p->queue = NULL;
  programs_free(p);
  plugin_close(p);
  p->epoch++;
  lock_release(LOCK_PJRT);
}

/* ---- memory ---- */

/* Takes the lock, and returns the queue of a device. */
static pjrt_queue *enter(int k, int index) {
  lock_take(LOCK_PJRT);
  return &plugins[k].queue[index];
}

static int leave(int st) {
  lock_release(LOCK_PJRT);
  return st;
}

int pjrt_alloc(int k, int index, size_t bytes, void **at) {
  pjrt_queue *q = enter(k, index);
  int st = q->due ? queue_ask(q) : OK;
  return leave(st == OK ? block_new(q, bytes, at) : st);
}

void pjrt_free(int k, int index, void *at) {
  lock_take(LOCK_PJRT);
  if (plugins[k].queue) block_free(&plugins[k].queue[index], at);
  lock_release(LOCK_PJRT);
}

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

int pjrt_copy_in(int k, int index, void *to, const void *host, size_t bytes) {
  return leave(copy_in(enter(k, index), to, host, bytes));
}

int pjrt_copy_out(int k, int index, void *host, const void *from, size_t bytes) {
  return leave(copy_out(enter(k, index), host, from, bytes));
}

int pjrt_copy_across(int k, int index, void *to, int from_index, const void *from, size_t bytes) {
  pjrt_queue *q = enter(k, index), *source = &plugins[k].queue[from_index];
  block *b = block_of(source, from);
  int st = b ? b->pending ? queue_ask(source) : OK : bytes ? ERR_DEVICE : OK;
  if (st == OK && b) st = block_read(source, b);
  return leave(st == OK ? copy_in(q, to, from, bytes) : st);
}

int pjrt_sync(int k, int index) {
  lock_take(LOCK_PJRT);
  return leave(plugins[k].queue ? queue_run(&plugins[k].queue[index]) : OK);
}

memory_stats *pjrt_stats(int k, int index) { return &plugins[k].queue[index].stats; }
const int64_t *pjrt_host_calls(int k, int index) { return pjrt_count(k) ? plugins[k].queue[index].host_calls : NULL; }

/* ---- families ----
** A call is appended to the open program. If that is impossible, the CPU computes the call in the shadows, without the lock,
** because the CPU may run functions of scripts meanwhile. */

static int leave_to_host(pjrt_queue *q, enum profile_family family, int st) {
  __atomic_fetch_add(&q->host_calls[family], 1, __ATOMIC_RELAXED);
  return leave(st);
}

#define FAMILY(name, call)                                                                      \
  static int append_##name(pjrt_queue *q, call *c) {                                            \
    int due = queue_begin_call(q), st = due == OK ? queue_##name(q, c) : due;                   \
    return st == QUEUE_AGAIN && (st = queue_run(q)) == OK ? queue_##name(q, c) : st;            \
  }
#include "families.def"

#define FAMILY(name, call)                                                                      \
  int pjrt_##name(int k, int index, call *c) {                                                  \
    pjrt_queue *q = enter(k, index);                                                            \
    int st = queue_end_call(q, append_##name(q, c));                                            \
    if (st != ERR_NO_KERNEL) return leave(st);                                                  \
    st = leave_to_host(q, PROFILE_##name, host_##name(q, c));                                   \
    return st == OK ? host_place().device->name(0, c) : st;                                     \
  }
#include "families.def"
