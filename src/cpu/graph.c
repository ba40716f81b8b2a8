/* Captures and replays graphs on the CPU. While a graph is captured, the device's entries store their calls instead of
** running them. A replay runs the stored calls in order. Blocks that are allocated during the capture are in the graph's
** memory (graph_memory.c). The caller keeps the other memory that the calls use. */

#include "cpu/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/profile.h"

/* A stored call. */
typedef struct stored {
  int (*run)(void *call);
  void  *call;
  size_t bytes;                  /* of the call struct */
  enum profile_family family;
} stored;

typedef struct cpu_graph {
  cpu_graph_memory *memory;
  stored *calls;
  size_t  ncall, capacity;
  size_t  resume;                /* the call with which the next replay begins: not 0 if memory was exhausted once, and the
                                 ** caller may have made room */
} cpu_graph;

static _Thread_local FAST_TLS cpu_graph *captured;           /* the graph that this thread captures, or NULL */

static _Thread_local char words[256] = "the CPU failed";

const char *cpu_graph_words(void) { return words; }

/* ---- capturing ---- */

static void *copy_of(const void *from, size_t bytes) {
  void *to = malloc(bytes);
  return to ? memcpy(to, from, bytes) : NULL;
}

static void free_part(const void *part) { free((void *)(uintptr_t)part); }

static void free_call(enum profile_family family, void *call);

static const struct { enum profile_family family; size_t bytes; } parts[] = {
  [TILED_map] = {PROFILE_map, sizeof(map_call)},
  [TILED_elementwise] = {PROFILE_elementwise, sizeof(elementwise_call)},
  [TILED_reduce] = {PROFILE_reduce, sizeof(reduce_call)},
  [TILED_scan] = {PROFILE_scan, sizeof(scan_call)},
  [TILED_softmax] = {PROFILE_softmax, sizeof(softmax_call)},
};

static void free_tiled(tiled_call *c) {
  for (int k = 0; k < c->nparts; k++)
    for (int size = 0; size < TILED_SIZES; size++)
      if (c->part[k].call[size]) free_call(parts[c->part[k].family].family, (void *)(uintptr_t)c->part[k].call[size]);
}

static void free_items(update_call *c) {
  for (int k = 0; c->item && k < c->count; k++) free_part(c->item[k].plan);
  free_part(c->item);
}

/* Frees a copy of a call with the structs to which it refers. */
static void free_call(enum profile_family family, void *call) {
  if (family == PROFILE_map) free_part(((map_call *)call)->plan);
  if (family == PROFILE_update) free_items(call);
  if (family == PROFILE_elementwise) {
    free_part(((elementwise_call *)call)->plan);
    free_part(((elementwise_call *)call)->program);
  }
  if (family == PROFILE_tiled) free_tiled(call);
  free(call);
}

static void *copy_call(enum profile_family family, const void *call, size_t bytes);

/* Replaces the parts' calls by copies. */
static bool copy_parts(tiled_call *c) {
  bool all = true;
  for (int k = 0; k < c->nparts; k++)
    for (int size = 0; size < TILED_SIZES; size++) {
      const void *from = size == TILED_LAST && c->rows % c->tile == 0 ? NULL : c->part[k].call[size];
      void *copy = from ? copy_call(parts[c->part[k].family].family, from, parts[c->part[k].family].bytes) : NULL;
      all &= !from || copy;
      c->part[k].call[size] = copy;
    }
  return all;
}

/* Replaces the items by copies. */
static bool copy_items(update_call *c) {
  update_item *items = copy_of(c->item, (size_t)c->count * sizeof *items);
  bool all = true;
  c->item = items;
  for (int k = 0; items && k < c->count; k++) {
    const plan *from = items[k].plan;
    items[k].plan = from ? copy_of(from, sizeof *from) : NULL;
    all &= !from || items[k].plan;
  }
  return items && all;
}

/* Replaces the structs of the caller to which the copy refers by copies. Returns false if memory is exhausted. */
static bool complete(enum profile_family family, void *call) {
  const plan **p = family == PROFILE_map ? &((map_call *)call)->plan
                 : family == PROFILE_elementwise ? &((elementwise_call *)call)->plan : NULL;
  bool all = true;
  if (p) all &= (*p = copy_of(*p, sizeof **p)) != NULL;
  if (family == PROFILE_elementwise) {
    elementwise_call *c = call;
    all &= (c->program = copy_of(c->program, sizeof *c->program)) != NULL;
  }
  if (family == PROFILE_update) return copy_items(call);
  return family == PROFILE_tiled ? copy_parts(call) : all;
}

/* Returns a copy of the call and of the structs to which it refers, or NULL if memory is exhausted. */
static void *copy_call(enum profile_family family, const void *call, size_t bytes) {
  void *copy = copy_of(call, bytes);
  if (!copy || complete(family, copy)) return copy;
  free_call(family, copy);
  return NULL;
}

/* True if the caller reads results of the call at once. */
static bool is_read(enum profile_family family, const void *call) {
  return family == PROFILE_nonzero || (family == PROFILE_linalg && ((const linalg_call *)call)->info);
}

/* Runs a tiled call of a replay. The number of threads may have changed since the capture, which has tested the call. */
static int run_tiles(void *c) { return cpu_run_tiles(0, c); }

static int store(enum profile_family family, int (*run)(void *), const void *call, size_t bytes) {
  cpu_graph *g = captured;
  if (is_read(family, call)) return ERR_CAPTURE;
  bool tiles = family == PROFILE_tiled;
  if (family == PROFILE_user_kernel || (tiles && !cpu_can_tile(call))) return ERR_NO_KERNEL;
  stored *calls = list_with_room(g->calls, g->ncall, &g->capacity, sizeof *calls);
  if (!calls) return ERR_MEMORY;
  g->calls = calls;
  stored s = {.run = tiles ? run_tiles : run, .call = copy_call(family, call, bytes), .bytes = bytes,
              .family = family};
  if (!s.call) return ERR_MEMORY;
  g->calls[g->ncall++] = s;
  return OK;
}

/* Stores a call, or runs it if no graph is captured. */
#define FAMILY(name, type)                                                                         \
  static int run_##name(void *c) { return cpu_##name(0, c); }                                      \
  int cpu_entry_##name(int index, type *c) {                                                       \
    return captured ? store(PROFILE_##name, run_##name, c, sizeof *c) : cpu_##name(index, c); \
  }
#include "families.def"

static void begin_capture(cpu_graph *g) {
  cpu_capturing = g->memory;
  captured = g;
}

static int graph_begin(int index, void **graph) {
  (void)index;
  if (captured) return ERR_CAPTURE;
  cpu_graph *g = calloc(1, sizeof *g);
  if (!g) return ERR_MEMORY;
  g->memory = cpu_open_graph();
  if (!g->memory) {
    free(g);
    return ERR_MEMORY;
  }
  begin_capture(g);
  *graph = g;
  return OK;
}

static int graph_end(int index, void *graph) {
  (void)index;
  if (captured != graph) return OK;
  captured = NULL;
  cpu_capturing = NULL;
  return OK;
}

static void graph_resume(int index, void *graph) {
  (void)index;
  begin_capture(graph);
}

static int graph_alloc_apart(int index, size_t bytes, void **ptr) {
  cpu_graph_memory *m = cpu_capturing;
  cpu_capturing = NULL;
  int st = cpu_alloc(index, bytes, ptr);
  cpu_capturing = m;
  return st;
}

static void graph_free(int index, void *graph) {
  cpu_graph *g = graph;
  graph_end(index, g);
  cpu_close_graph(g->memory);
  for (size_t k = 0; k < g->ncall; k++) free_call(g->calls[k].family, g->calls[k].call);
  free(g->calls);
  free(g);
}

/* ---- replaying ---- */

/* Runs a call that checks positions or classes. Describes a wrong one for cpu_graph_words. */
static int run_checked(const stored *s) {
  int64_t bad = 0;
  if (s->family == PROFILE_cross_entropy) {
    cross_entropy_call *c = s->call;
    c->bad = &bad;
    int st = s->run(s->call);
    if (st == ERR_INDEX) index_words(words, sizeof words, "cross_entropy", bad, NO_DIM, c->n);
    return st;
  }
  index_call *c = s->call;
  int k = 0;
  c->bad = &bad;
  c->bad_index = &k;
  int st = s->run(s->call);
  if (st == ERR_INDEX) index_words(words, sizeof words, c->function, bad, c->index[k].dim, c->index[k].length);
  return st;
}

static int graph_replay(int index, void *graph) {
  cpu_graph *g = graph;
  size_t begin = g->resume;
  (void)index;
  if (captured) return ERR_CAPTURE;
  cpu_graph_trim(g->memory);
  g->resume = 0;
  for (size_t k = begin; k < g->ncall; k++) {
    const stored *s = &g->calls[k];
    bool checks = s->family == PROFILE_index || s->family == PROFILE_cross_entropy;
    int st = checks ? run_checked(s) : s->run(s->call);
    if (st == ERR_MEMORY && begin == 0) g->resume = k;
    if (st == ERR_INDEX) return ERR_LATE;
    if (st != OK) return st;
    if (cancel_due()) return ERR_CANCELLED;
  }
  return OK;
}

/* ---- replays with other memory ---- */

static int find_tiled(tiled_call *c, const void *from, size_t bytes, graph_uses *uses) {
  int st = OK;
  for (int k = 0; k < c->nparts; k++)
    for (int size = 0; st == OK && size < TILED_SIZES; size++) {
      void *call = (void *)(uintptr_t)c->part[k].call[size];
      enum tiled_family family = c->part[k].family;
      if (call) st = cpu_call_uses(parts[family].family, call, parts[family].bytes, from, bytes, uses);
    }
  return st;
}

static int graph_find_uses(void *graph, const void *from, size_t bytes, graph_uses *uses) {
  const cpu_graph *g = graph;
  int st = cpu_graph_is_first(g->memory, from) ? OK : ERR_NO_KERNEL;
  for (size_t k = 0; st == OK && k < g->ncall; k++) {
    const stored *s = &g->calls[k];
    st = cpu_call_uses(s->family, s->call, s->bytes, from, bytes, uses);
    if (st == OK && s->family == PROFILE_tiled) st = find_tiled(s->call, from, bytes, uses);
    if (st == OK && s->family == PROFILE_update) {
      const update_call *c = s->call;
      st = cpu_call_uses(PROFILE_FAMILIES, (void *)(uintptr_t)c->item, (size_t)c->count * sizeof *c->item, from, bytes, uses);
    }
  }
  return st;
}

const device_graphs cpu_graphs = {
  .begin = graph_begin, .end = graph_end, .resume = graph_resume, .alloc_apart = graph_alloc_apart,
  .replay = graph_replay, .free = graph_free, .find_uses = graph_find_uses
};
