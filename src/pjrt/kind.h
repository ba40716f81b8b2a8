/* The functions of struct device for kind KIND. device.c includes this file for each kind, because the functions of struct device
** do not get the kind. */

#define PLUGIN (&plugins[KIND])
#define OF(function) JOIN(function, KIND)
#define JOIN(function, kind) JOIN_NOW(function, kind)
#define JOIN_NOW(function, kind) function##_##kind

static int OF(count)(void)          { return count_devices(PLUGIN); }
static const char *OF(reason)(void) { return count_devices(PLUGIN) ? "" : PLUGIN->reason; }
static int OF(in_use)(void)         { return PLUGIN->queue ? PLUGIN->ndevice : 0; }
static unsigned OF(epoch)(int i)    { return (void)i, PLUGIN->epoch; }
static void OF(shut)(void)          { shut(PLUGIN); }
static void OF(empty_cache)(int i)  { (void)i; }

static bool OF(is_processor)(void) {
  return count_devices(PLUGIN) && strcmp(PLUGIN->platform, host_place().device->name) == 0;
}

static int OF(info)(int i, device_info *info) {
  *info = (device_info){.kind = "pjrt"};
  lock_take(LOCK_PJRT);
  plugin_describe(PLUGIN, i, info->name, sizeof info->name, info->software, sizeof info->software);
  return leave(OK);
}

static void OF(describe)(char *text, size_t size) {
  if (count_devices(PLUGIN)) snprintf(text, size, "%d devices of %s", PLUGIN->ndevice, PLUGIN->path);
  else snprintf(text, size, "%s", PLUGIN->reason);
}

static void OF(explain)(int i, char *text, size_t size) {
  (void)i;
  lock_take(LOCK_PJRT);
  snprintf(text, size, "%s: %s", PLUGIN->name, PLUGIN->error);
  lock_release(LOCK_PJRT);
}

static int OF(alloc)(int i, size_t bytes, void **at) {
  pjrt_queue *q = enter(PLUGIN, i);
  int st = q->due ? queue_ask(q) : OK;
  return leave(st == OK ? block_new(q, bytes, at) : st);
}

static void OF(free)(int i, void *at, size_t bytes) {
  (void)bytes;
  lock_take(LOCK_PJRT);
  if (PLUGIN->queue) block_free(&PLUGIN->queue[i], at);
  lock_release(LOCK_PJRT);
}

static int OF(copy_in)(int i, void *to, const void *host, size_t bytes) { return leave(copy_in(enter(PLUGIN, i), to, host, bytes)); }

static int OF(copy_out)(int i, void *host, const void *from, size_t bytes) {
  return leave(copy_out(enter(PLUGIN, i), host, from, bytes));
}

static int OF(copy_across)(int i, void *to, int from_index, const void *from, size_t bytes) {
  return leave(copy_across(enter(PLUGIN, i), to, &PLUGIN->queue[from_index], from, bytes));
}

static int OF(all_sum)(const all_sum_call *c) {
  pjrt_queue *q[PJRT_TOGETHER];
  if (c->ndevices > PJRT_TOGETHER) return ERR_NO_KERNEL;
  lock_take(LOCK_PJRT);
  for (int d = 0; d < c->ndevices; d++) q[d] = &PLUGIN->queue[c->index[d]];
  return leave(queue_all_sum(q, c));
}

static int OF(sync)(int i) {
  lock_take(LOCK_PJRT);
  return leave(PLUGIN->queue ? queue_run(&PLUGIN->queue[i]) : OK);
}

static memory_stats *OF(stats)(int i)       { return &PLUGIN->queue[i].stats; }
static const int64_t *OF(host_calls)(int i) { return count_devices(PLUGIN) ? PLUGIN->queue[i].host_calls : NULL; }

/* A call is appended to the open program. If that is impossible, the CPU computes the call in the shadows, without the lock,
** because the CPU may run functions of scripts meanwhile. */
#define FAMILY(name, call)                                                                      \
  static int OF(name)(int i, call *c) {                                                         \
    pjrt_queue *q = enter(PLUGIN, i);                                                           \
    int first = append_##name(q, c), st = first == QUEUE_AGAIN ? append_##name(q, c) : first;   \
    if (st != ERR_NO_KERNEL) return leave(st);                                                  \
    st = leave_to_host(q, PROFILE_##name, host_##name(q, c));                                   \
    return st == OK ? host_place().device->name(0, c) : st;                                     \
  }
#include "families.def"

static device OF(kind) = {
  .abi = DEVICE_ABI, .dlpack = 12, .fft_rank = FFT_RANK, .count = OF(count), .reason = OF(reason), .in_use = OF(in_use), .info = OF(info),
  .is_processor = OF(is_processor), .describe = OF(describe), .explain = OF(explain), .epoch = OF(epoch), .shut = OF(shut),
  .alloc = OF(alloc), .free = OF(free),
  .copy_in = OF(copy_in), .copy_out = OF(copy_out), .copy_across = OF(copy_across), .all_sum = OF(all_sum), .sync = OF(sync),
  .stats = OF(stats), .empty_cache = OF(empty_cache), .host_calls = OF(host_calls),
#define FAMILY(name, call) .name = OF(name),
#include "families.def"
};

#undef KIND
