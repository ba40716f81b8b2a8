/* The caching allocator. An allocation by the driver takes tens of microseconds, and a free waits for the device, so
** freed memory is kept for later allocations. Blocks of up to 1 MiB are slots of segments. Such a segment has 2 MiB and
** is divided into slots of one size class. Each larger block is a segment of its own. Each stream has an arena of free
** blocks. A block that is freed and allocated again on the same stream needs no waiting, because a stream runs its work
** in order. */

#include "gpu/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

enum { ALIGNMENT = 256 };        /* bytes; the alignment of the driver's own allocations, which suffices for copies
                                 ** and vector loads */

/* Memory statistics of each GPU. The statistics are not in gpu_memory, because they are read before a device is
** opened and after the device is lost. */
static memory_stats stats[MAX_GPUS];

memory_stats *gpu_stats(int index) { return &stats[index]; }

/* True if LUATENSOR_GPU_CACHE=off. In this case each tensor is an allocation of the driver, so that tools such as
** compute-sanitizer detect accesses beyond the end of a tensor. */
static bool cache_is_off(void) {
  static int known = -1;
  return gpu_variable_is("LUATENSOR_GPU_CACHE", "off", &known);
}

/* ---- sizes ---- */

static int class_of(size_t bytes) {
  if (bytes <= 2 * KIB) return bytes ? (int)((bytes - 1) / ALIGNMENT) : 0;
  int log2 = 63 - __builtin_clzll(bytes - 1);                    /* 2^log2 < bytes <= 2^(log2 + 1) */
  return 8 + (log2 - 11) * 4 + (int)((bytes - 1) >> (log2 - 2)) - 4;
}

static size_t class_bytes(int class) {
  if (class < 8) return ALIGNMENT * (size_t)(class + 1);
  int log2 = 11 + (class - 8) / 4;
  return ((size_t)1 << (log2 - 2)) * (size_t)(5 + (class - 8) % 4);
}

static bool is_small(size_t bytes) { return bytes <= MIB && !cache_is_off(); }

/* Rounds the size of a large block up, so that blocks of similar sizes can be reused. Below 16 MiB, sizes are
** multiples of 2 MiB. Larger sizes are multiples of an eighth of the greatest power of two up to `bytes`. */
static size_t large_bytes(size_t bytes) {
  if (cache_is_off()) return bytes ? bytes : 1;
  size_t unit = bytes < 16 * MIB ? 2 * MIB : (size_t)1 << (60 - __builtin_clzll(bytes));
  return (bytes + unit - 1) & ~(unit - 1);
}

static gpu_segment **bucket_of(gpu_arena *a, size_t bytes) { return &a->large[(bytes * 0x9E3779B97F4A7C15u) >> 58]; }

/* ---- segments ---- */

/* Returns the number of segments whose first address is at most `at`. */
static size_t segments_up_to(const gpu_memory *m, gpu_address at) {
  size_t low = 0, high = m->nsegments;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (m->segment[middle]->base <= at) low = middle + 1; else high = middle;
  }
  return low;
}

gpu_segment *gpu_segment_of(const gpu *g, const void *ptr) {
  gpu_address at = (gpu_address)(uintptr_t)ptr;
  size_t n = g->memory ? segments_up_to(g->memory, at) : 0;
  gpu_segment *s = n ? g->memory->segment[n - 1] : NULL;
  return s && at - s->base < s->bytes ? s : NULL;
}

gpu_block *gpu_block_of(gpu *g, gpu_segment *s, const void *ptr) {
  if (!s->block) {
    s->block = calloc(s->count, sizeof *s->block);
    if (!s->block) return NULL;
    int home = s->arena->stream == GPU_NO_STREAM ? 0 : s->arena->stream;
    for (size_t k = 0; k < s->count; k++)        /* treats each block as written now, because earlier work on the
                                                 ** block may not be finished */
      s->block[k] = (gpu_block){.writer = home, .written = gpu_epoch(g, home)};
  }
  size_t k = ((gpu_address)(uintptr_t)ptr - s->base) / s->block_bytes;
  return &s->block[k < s->count ? k : s->count - 1];
}

static int add_segment(gpu_memory *m, gpu_segment *s) {
  gpu_segment **list = list_with_room(m->segment, m->nsegments, &m->capacity, sizeof *list);
  if (!list) return ERR_MEMORY;
  m->segment = list;
  size_t at = segments_up_to(m, s->base);
  memmove(m->segment + at + 1, m->segment + at, (m->nsegments - at) * sizeof *m->segment);
  m->segment[at] = s;
  m->nsegments++;
  return OK;
}

/* Frees the host memory of a segment. */
static void forget_segment(gpu_segment *s) {
  for (size_t k = 0; s->block && k < s->count; k++) free(s->block[k].read);
  free(s->block);
  free(s);
}

bool gpu_retries(gpu *g, gpu_result r) {
  if (r != GPU_OUT_OF_MEMORY || g->capturing || stats[g->index].cached == 0) return false;
  gpu_release_cached(g);
  return true;
}

static int segment_memory(gpu *g, gpu_segment *s) {
  gpu_result r = g->driver->memory_alloc(&s->base, s->bytes);
  if (gpu_retries(g, r)) r = g->driver->memory_alloc(&s->base, s->bytes);
  return r == GPU_SUCCESS ? OK : gpu_check(g, r, "allocation");
}

static gpu_segment *new_segment(gpu *g, gpu_arena *a, size_t block_bytes, size_t count, bool large, int *st) {
  gpu_segment *s = malloc(sizeof *s);
  *st = ERR_MEMORY;
  if (!s) return NULL;
  *s = (gpu_segment){.block_bytes = block_bytes, .count = count, .large = large, .arena = a};
  s->bytes = large ? block_bytes : 2 * MIB;
  *st = segment_memory(g, s);
  if (*st == OK) {
    *st = add_segment(g->memory, s);
    if (*st == OK) return s;
    g->driver->memory_free(s->base);
  }
  free(s);
  return NULL;
}

/* ---- small blocks ---- */

static int reserve_slots(struct gpu_slots *list, size_t more) {
  gpu_address *room = realloc(list->free, (list->slots + more) * sizeof *room);
  if (!room) return ERR_MEMORY;
  list->free = room;
  return OK;
}

/* Allocates a segment and adds its slots to the list of free slots. The slot with the lowest address is used
** first. */
static int add_slots(gpu *g, gpu_arena *a, int class) {
  struct gpu_slots *list = &a->small[class];
  size_t bytes = class_bytes(class), count = 2 * MIB / bytes;
  int st = reserve_slots(list, count);
  if (st != OK) return st;
  gpu_segment *s = new_segment(g, a, bytes, count, false, &st);
  if (!s) return st;
  list->slots += count;
  for (size_t k = count; k-- > 0;) list->free[list->count++] = s->base + k * bytes;
  stats[g->index].cached += count * bytes;
  return OK;
}

static int take_small(gpu *g, gpu_arena *a, size_t bytes, gpu_address *at) {
  int class = class_of(bytes), st = OK;
  struct gpu_slots *list = &a->small[class];
  if (list->count == 0) st = add_slots(g, a, class);
  if (st != OK) return st;
  *at = list->free[--list->count];
  stats[g->index].cached -= class_bytes(class);
  return OK;
}

static void give_small(gpu *g, gpu_arena *a, size_t bytes, gpu_address at) {
  int class = class_of(bytes);
  struct gpu_slots *list = &a->small[class];
  list->free[list->count++] = at;
  stats[g->index].cached += class_bytes(class);
}

/* ---- large blocks ---- */

/* Removes a free block of this size from its bucket and returns it. Returns NULL if there is none. */
static gpu_segment *find_large(gpu *g, gpu_arena *a, size_t size) {
  gpu_segment **at = bucket_of(a, size);
  while (*at && (*at)->bytes != size) at = &(*at)->next;
  gpu_segment *s = *at;
  if (!s) return NULL;
  *at = s->next;
  stats[g->index].cached -= size;
  return s;
}

/* Allocates a large block. During the capture of a graph, free blocks of stream 0 may be used, too, because no queued
** work runs during a capture. */
static int take_large(gpu *g, gpu_arena *a, size_t bytes, gpu_address *at) {
  size_t size = large_bytes(bytes);
  int st = OK;
  gpu_segment *s = find_large(g, a, size);
  if (!s && a->stream == GPU_NO_STREAM && g->memory->arena[0]) s = find_large(g, g->memory->arena[0], size);
  if (s) s->arena = a;
  else s = new_segment(g, a, size, 1, true, &st);
  if (s) *at = s->base;
  return st;
}

/* Removes a segment from the list of segments, and returns its memory to the driver. */
static void end_segment(gpu *g, gpu_segment *s) {
  gpu_memory *m = g->memory;
  size_t at = segments_up_to(m, s->base) - 1;
  memmove(m->segment + at, m->segment + at + 1, (--m->nsegments - at) * sizeof *m->segment);
  g->driver->memory_free(s->base);
  forget_segment(s);
}

static void give_large(gpu *g, gpu_segment *s) {
  if (cache_is_off() && s->arena->stream != GPU_NO_STREAM && !g->capturing) {
    gpu_await(g, NULL, NULL);
    g->driver->context_sync();            /* queued work may use the segment */
    end_segment(g, s);
    return;
  }
  gpu_segment **bucket = bucket_of(s->arena, s->bytes);
  s->next = *bucket;
  *bucket = s;
  stats[g->index].cached += s->bytes;
}

/* ---- allocating and freeing ---- */

gpu_arena *gpu_new_arena(int stream) {
  gpu_arena *a = calloc(1, sizeof *a);
  if (a) a->stream = stream;
  return a;
}

void gpu_free_arena(gpu_arena *a) {
  if (!a) return;
  for (int class = 0; class < GPU_CLASSES; class++) free(a->small[class].free);
  free(a);
}

/* Returns the arena for new allocations: the arena of the graph that is being captured or, without a capture, the arena
** of the current stream. Returns NULL if no host memory is left. */
static gpu_arena *current_arena(gpu *g) {
  gpu_memory *m = g->memory;
  if (m->pool) return m->pool;
  int stream = gpu_current(g);
  if (!m->arena[stream]) m->arena[stream] = gpu_new_arena(stream);
  return m->arena[stream];
}

/* Makes the current stream wait for the work of other streams on a block that was just allocated, because a block may
** be freed while other streams still use it. */
static void settle_taken(gpu *g, const void *ptr) {
  gpu_segment *s = gpu_segment_of(g, ptr);
  gpu_follow_unrecorded(g);
  if (s->block) gpu_settle(g, gpu_block_of(g, s, ptr), gpu_current(g));
}

static int take_block(gpu *g, size_t bytes, void **ptr) {
  gpu_address at = 0;
  gpu_arena *a = current_arena(g);
  if (!a) return ERR_MEMORY;
  int st = is_small(bytes) ? take_small(g, a, bytes, &at) : take_large(g, a, bytes, &at);
  *ptr = (void *)(uintptr_t)at;
  if (st == OK && g->ordered && !g->capturing) settle_taken(g, *ptr);
  return st;
}

/* Returns a block to the arena of its segment, which need not be the arena of the current stream. */
static void give_block(gpu *g, gpu_segment *s, gpu_address at) {
  if (s->large) give_large(g, s);
  else give_small(g, s->arena, s->block_bytes, at);
}

static void give_found(gpu *g, void *ptr) {
  gpu_segment *s = gpu_segment_of(g, ptr);
  if (!s) return;
  gpu_block *b = s->block ? gpu_block_of(g, s, ptr) : NULL;
  if (b && b->holds > 0) b->freed = true;
  else give_block(g, s, (gpu_address)(uintptr_t)ptr);
}

void gpu_release_block(gpu *g, gpu_segment *s, gpu_block *b) {
  if (--b->holds > 0 || !b->freed) return;
  b->freed = false;
  give_block(g, s, s->base + (size_t)(b - s->block) * s->block_bytes);
}

static void give(gpu *g, void *ptr, size_t bytes) {
  if (!g->memory) return;
  if (g->memory->looked_up || !is_small(bytes)) give_found(g, ptr);
  else give_small(g, g->memory->arena[0], bytes, (gpu_address)(uintptr_t)ptr);
}

/* ---- freeing a graph's arena ---- */

static void adopt_slots(struct gpu_slots *to, const struct gpu_slots *from) {
  memcpy(to->free + to->count, from->free, from->count * sizeof *to->free);
  to->count += from->count;
  to->slots += from->slots;
}

static void adopt_large(gpu_arena *to, gpu_segment *from) {
  while (from) {
    gpu_segment *s = from, **bucket = bucket_of(to, s->bytes);
    from = s->next;
    s->next = *bucket;
    *bucket = s;
  }
}

/* Moves a graph's free memory to the arena of stream 0. The lists are enlarged first. If this fails, the graph's
** arena remains, and its memory is not reused. */
void gpu_adopt(gpu *g, gpu_arena *pool) {
  gpu_memory *m = g->memory;
  if (!m->arena[0]) m->arena[0] = gpu_new_arena(0);
  gpu_arena *to = m->arena[0];
  for (int class = 0; to && class < GPU_CLASSES; class++)
    if (pool->small[class].slots && reserve_slots(&to->small[class], pool->small[class].slots) != OK) return;
  if (!to) return;
  for (int class = 0; class < GPU_CLASSES; class++)
    if (pool->small[class].slots) adopt_slots(&to->small[class], &pool->small[class]);
  for (int b = 0; b < GPU_BUCKETS; b++) adopt_large(to, pool->large[b]);
  for (size_t k = 0; k < m->nsegments; k++)
    if (m->segment[k]->arena == pool) m->segment[k]->arena = to;
  gpu_free_arena(pool);
}

/* ---- emptying the cache ---- */

static bool is_unused(const gpu_segment *s) { return s->unused == s->count && s->arena->stream != GPU_NO_STREAM; }

static void count_unused(gpu *g, gpu_arena *a) {
  for (int class = 0; class < GPU_CLASSES; class++)
    for (size_t k = 0; k < a->small[class].count; k++)
      gpu_segment_of(g, (void *)(uintptr_t)a->small[class].free[k])->unused++;
  for (int b = 0; b < GPU_BUCKETS; b++)
    for (gpu_segment *s = a->large[b]; s; s = s->next) s->unused++;
}

/* Removes unused segments from the arena. If no slot of a segment is in use, removes the segment's slots from the list
** of free slots. Also removes all free large blocks. */
static void drop_unused(gpu *g, gpu_arena *a) {
  for (int class = 0; class < GPU_CLASSES; class++) {
    struct gpu_slots *list = &a->small[class];
    size_t kept = 0;
    for (size_t k = 0; k < list->count; k++)
      if (!is_unused(gpu_segment_of(g, (void *)(uintptr_t)list->free[k]))) list->free[kept++] = list->free[k];
    list->slots -= list->count - kept;
    list->count = kept;
  }
  memset(a->large, 0, sizeof a->large);
}

void gpu_release_cached(gpu *g) {
  gpu_memory *m = g->memory;
  if (!m || g->capturing || g->dead) return;
  gpu_await(g, NULL, NULL);
  g->driver->context_sync();              /* queued work may still use blocks that were freed */
  for (int k = 0; k < GPU_STREAMS; k++) if (m->arena[k]) count_unused(g, m->arena[k]);
  for (int k = 0; k < GPU_STREAMS; k++) if (m->arena[k]) drop_unused(g, m->arena[k]);
  size_t kept = 0;
  for (size_t k = 0; k < m->nsegments; k++) {
    gpu_segment *s = m->segment[k];
    if (is_unused(s)) {
      stats[g->index].cached -= s->count * s->block_bytes;
      g->driver->memory_free(s->base);
      forget_segment(s);
    } else {
      s->unused = 0;
      m->segment[kept++] = s;
    }
  }
  m->nsegments = kept;
}

/* ---- opening and closing a device ---- */

int gpu_memory_open(gpu *g) {
  g->memory = calloc(1, sizeof *g->memory);
  return g->memory ? OK : ERR_MEMORY;
}

void gpu_memory_close(gpu *g) {
  gpu_memory *m = g->memory;
  if (!m) return;
  for (size_t k = 0; k < m->nsegments; k++) {
    g->driver->memory_free(m->segment[k]->base);
    forget_segment(m->segment[k]);
  }
  for (int k = 0; k < GPU_STREAMS; k++) gpu_free_arena(m->arena[k]);
  free(m->segment);
  free(m);
  g->memory = NULL;
  stats[g->index].live = stats[g->index].cached = 0;
}

/* ---- the functions of gpu.h and of struct device ---- */

int gpu_scratch(gpu *g, size_t bytes, void **ptr) { return take_block(g, bytes, ptr); }

void gpu_scratch_free(gpu *g, void *ptr, size_t bytes) { if (ptr) give(g, ptr, bytes); }

int gpu_alloc(int index, size_t bytes, void **ptr) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  st = take_block(g, bytes, ptr);
  memory_stats *m = &stats[index];
  if (st == OK) m->live += bytes;
  if (m->live > m->peak) m->peak = m->live;
  return gpu_leave(g, st);
}

void gpu_free(int index, void *ptr, size_t bytes) {
  gpu *g;
  if (gpu_enter_free(index, &g) != OK) {         /* the memory was lost when its device failed or was reopened */
    gpu_lock(index);
    stats[index].live -= bytes;
    gpu_unlock();
    return;
  }
  stats[index].live -= bytes;
  give(g, ptr, bytes);
  gpu_leave(g, OK);
}

int gpu_available(int index, size_t *bytes) {
  gpu *g;
  size_t total;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  st = gpu_check(g, g->driver->memory_info(bytes, &total), "asking for free memory");
  if (st == OK) *bytes += stats[index].cached;
  return gpu_leave(g, st);
}

static bool has_room(gpu *g) {
  enum { NEEDED = 256 << 20 };           /* bytes for a library's kernels and workspace; on small devices an eighth of the
                                         ** memory must do */
  size_t bytes, total;
  return g->driver->memory_info(&bytes, &total) != GPU_SUCCESS || bytes >= NEEDED || bytes >= total / 8;
}

int gpu_make_room(gpu *g) {
  if (has_room(g)) return OK;
  gpu_release_cached(g);
  return has_room(g) ? OK : ERR_MEMORY;
}

int gpu_library_status(gpu *g, bool no_memory) { return no_memory || !has_room(g) ? ERR_MEMORY : ERR_DEVICE; }

void gpu_empty_cache(int index) {
  gpu *g;
  if (gpu_enter_free(index, &g) != OK) return;
  gpu_release_cached(g);
  gpu_leave(g, OK);
}
