#include "cpu.h"

#include <stdlib.h>

static memory_stats stats;

int cpu_alloc(int index, size_t bytes, void **ptr) {
  (void)index;
  size_t rounded = (bytes + 63) / 64 * 64;
  if (rounded < bytes) return ERR_MEMORY;
  void *p = aligned_alloc(64, rounded ? rounded : 64);
  if (!p) return ERR_MEMORY;
  stats.live += bytes;
  if (stats.live > stats.peak) stats.peak = stats.live;
  *ptr = p;
  return OK;
}

void cpu_free(int index, void *ptr, size_t bytes) {
  (void)index;
  stats.live -= bytes;
  free(ptr);
}

void cpu_stats(int index, memory_stats *s) { (void)index; *s = stats; }
void cpu_empty_cache(int index) { (void)index; }
