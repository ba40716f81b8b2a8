/* The memory of captured graphs. The allocator (memory.c) asks for blocks that a graph may use again, and tells which blocks
** are freed. */

#include "cpu/graph.h"

#include <stdatomic.h>
#include "base/grow.h"
#include "base/lock.h"

_Thread_local FAST_TLS cpu_graph_memory *cpu_capturing;

static cpu_graph_memory *graphs;               /* protected by LOCK_GRAPHS, as are the blocks of all graphs */

/* The number of blocks of all graphs, by a hash of their addresses. Most blocks that are freed belong to no graph, and have
** a hash whose number is 0. */
enum { HASHES = 4096 };
static atomic_uint block_count[HASHES];

static atomic_uint *count_at(const void *ptr) { return &block_count[(uintptr_t)ptr / 64 * 0x9E3779B97F4A7C15u >> 52]; }

void *cpu_graph_take(size_t size, size_t *bytes) {
  cpu_graph_memory *m = cpu_capturing;
  void *ptr = NULL;
  lock_take(LOCK_GRAPHS);
  for (size_t k = 0; k < m->count && !ptr; k++) {
    cpu_graph_block *b = &m->blocks[k];
    if (!b->is_free || b->size != size) continue;
    size_t before = b->bytes;
    b->is_free = false;
    b->bytes = *bytes;
    *bytes = before;
    ptr = b->ptr;
  }
  lock_release(LOCK_GRAPHS);
  return ptr;
}

bool cpu_graph_own(void *ptr, size_t size, size_t bytes) {
  cpu_graph_memory *m = cpu_capturing;
  lock_take(LOCK_GRAPHS);
  cpu_graph_block *blocks = list_with_room(m->blocks, m->count, &m->capacity, sizeof *blocks);
  if (blocks) {
    m->blocks = blocks;
    m->blocks[m->count++] = (cpu_graph_block){.ptr = ptr, .size = size, .bytes = bytes};
    atomic_fetch_add(count_at(ptr), 1);
  }
  lock_release(LOCK_GRAPHS);
  return blocks != NULL;
}

bool cpu_graph_give(const void *ptr) {
  if (atomic_load_explicit(count_at(ptr), memory_order_relaxed) == 0) return false;
  bool found = false;
  lock_take(LOCK_GRAPHS);
  for (cpu_graph_memory *m = graphs; m && !found; m = m->next)
    for (size_t k = m->count; k-- > 0 && !found;)
      if (m->blocks[k].ptr == ptr) found = m->blocks[k].is_free = true;
  lock_release(LOCK_GRAPHS);
  return found;
}

void cpu_graph_list(cpu_graph_memory *m) {
  lock_take(LOCK_GRAPHS);
  m->next = graphs;
  graphs = m;
  lock_release(LOCK_GRAPHS);
}

void cpu_graph_unlist(cpu_graph_memory *m) {
  lock_take(LOCK_GRAPHS);
  cpu_graph_memory **at = &graphs;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  for (size_t k = 0; k < m->count; k++) atomic_fetch_sub(count_at(m->blocks[k].ptr), 1);
  lock_release(LOCK_GRAPHS);
}
