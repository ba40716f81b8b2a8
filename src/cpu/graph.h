#ifndef LT_CPU_GRAPH_H
#define LT_CPU_GRAPH_H

/* Captured graphs on the CPU: their memory (graph_memory.c), and the device's entries (graph.c). */

#include "base/profile.h"
#include "base/tls.h"
#include "cpu/cpu.h"

/* A block that a tensor uses, in the range of a graph. */
typedef struct cpu_graph_block {
  size_t at, size;
  bool   first;                     /* no earlier block had bytes of this block */
} cpu_graph_block;

typedef struct cpu_graph_range {
  char  *base;                      /* a range of addresses */
  size_t reserved, usable, top;     /* bytes from `base` on: the range; the part of it that may be accessed; and the part that
                                    ** blocks have used so far, which counts as live until cpu_graph_close */
  cpu_graph_block *blocks;          /* in the order of their positions */
  size_t count, capacity;
} cpu_graph_range;

enum { CPU_GRAPH_SMALL, CPU_GRAPH_LARGE, CPU_GRAPH_RANGES };

typedef struct cpu_graph_memory {
  cpu_graph_range range[CPU_GRAPH_RANGES];      /* small and large blocks are apart, because a small block that is used for
                                                ** long would divide a gap for large blocks */
  bool   closed;                    /* the graph was freed; blocks are still used */
  struct cpu_graph_memory *next;    /* the next of all graphs */
} cpu_graph_memory;

/* The memory of the graph that this thread captures, or NULL. */
extern _Thread_local FAST_TLS cpu_graph_memory *cpu_capturing __attribute__((visibility("hidden")));

/* Makes the memory of a graph, whose ranges have at most `most` bytes. Returns NULL if there are no addresses. */
cpu_graph_memory *cpu_graph_open(size_t most);

/* Gives the addresses back that the captured graph has not used. Called after the capture. */
void cpu_graph_trim(cpu_graph_memory *m);

/* Places a block in the memory of the captured graph. If the graph needs *grown bytes more for the block than before,
** `allows` must return true for these bytes. Fails with ERR_MEMORY. */
int cpu_graph_take(size_t bytes, bool (*allows)(size_t bytes), void **ptr, size_t *grown);

/* If the block belongs to a graph, frees it, stores in *freed the bytes that count as live no more, and returns true. Any
** thread may call the function. */
bool cpu_graph_give(const void *ptr, size_t *freed);

/* True if no other block of the graph has had bytes of the block at this address, which a tensor uses since the capture. */
bool cpu_graph_is_first(const cpu_graph_memory *m, const void *ptr);

/* Called when the graph is freed. The memory ends with its last block. Returns the bytes that count as live no more. */
size_t cpu_graph_close(cpu_graph_memory *m);

/* cpu_graph_open for as much memory as there is, and cpu_graph_close, with the counts of live bytes (memory.c). */
cpu_graph_memory *cpu_open_graph(void);
void cpu_close_graph(cpu_graph_memory *m);

/* Stores the call in the captured graph, or runs the call if this thread captures none. */
#define FAMILY(name, type) int cpu_entry_##name(int index, type *c);
#include "families.def"

extern const device_graphs cpu_graphs;

/* Adds the places of a call struct of `size` bytes that contain addresses of the `bytes` bytes from `from` (graph_uses.c).
** Fails with ERR_NO_KERNEL if the struct contains such an address elsewhere than in a known pointer. */
int cpu_call_uses(enum profile_family family, void *call, size_t size, const void *from, size_t bytes, graph_uses *uses);

/* Returns the message of this thread's last ERR_LATE. */
const char *cpu_graph_words(void);

#endif
