#ifndef LT_CPU_GRAPH_H
#define LT_CPU_GRAPH_H

/* Captured graphs on the CPU: their memory (graph_memory.c), and the device's entries (graph.c). */

#include "base/tls.h"
#include "cpu/cpu.h"

/* A block of memory that belongs to a graph. `size` is the block's size, `bytes` are the bytes that count as live. */
typedef struct cpu_graph_block {
  void  *ptr;
  size_t size, bytes;
  bool   is_free;                   /* no tensor uses the block */
} cpu_graph_block;

typedef struct cpu_graph_memory {
  cpu_graph_block *blocks;
  size_t count, capacity;
  struct cpu_graph_memory *next;    /* the next of all graphs */
} cpu_graph_memory;

/* The memory of the graph that this thread captures, or NULL. */
extern _Thread_local FAST_TLS cpu_graph_memory *cpu_capturing __attribute__((visibility("hidden")));

/* Returns a free block of this size of the captured graph, or NULL. *bytes is replaced by the block's live bytes so
** far. */
void *cpu_graph_take(size_t size, size_t *bytes);

/* Makes a new block part of the captured graph. Returns false if memory is exhausted. */
bool cpu_graph_own(void *ptr, size_t size, size_t bytes);

/* If the block belongs to a graph, marks it as free and returns true. Any thread may call the function. */
bool cpu_graph_give(const void *ptr);

/* Begin and end a graph's ownership of its blocks. */
void cpu_graph_list(cpu_graph_memory *m);
void cpu_graph_unlist(cpu_graph_memory *m);

/* Stores the call in the captured graph, or runs the call if this thread captures none. */
#define FAMILY(name, type) int cpu_entry_##name(int index, type *c);
#include "families.def"

extern const device_graphs cpu_graphs;

/* Returns the message of this thread's last ERR_LATE. */
const char *cpu_graph_words(void);

#endif
