/* The memory of captured graphs. A graph has ranges of addresses, in which it places the blocks that are allocated during
** the capture. A block gets the largest gap, whose rest is more likely to fit later blocks than the rest of a smaller gap.
** So the graph needs little more memory than its function at its peak. Nothing is written during a capture, and the graph's
** memory is kept for its replays. */

#include "cpu/graph.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/grow.h"
#include "base/lock.h"

_Thread_local FAST_TLS cpu_graph_memory *cpu_capturing;

static cpu_graph_memory *graphs;               /* protected by LOCK_GRAPHS, as are the blocks of all graphs */

/* The number of blocks of all graphs, by a hash of their addresses. Most blocks that are freed belong to no graph, and have
** a hash whose number is 0. */
enum { HASHES = 4096 };
static atomic_uint block_count[HASHES];

static atomic_uint *count_at(const void *ptr) { return &block_count[(uintptr_t)ptr / 64 * 0x9E3779B97F4A7C15u >> 52]; }

enum {
  ALIGNMENT = 64,                              /* bytes, as of all blocks on the CPU */
  STEP      = 1 << 20,                         /* bytes: a multiple of the page size by which the usable range grows */
  HUGE_PAGE = 2 << 20,
  PAGE      = 16 << 10,                        /* bytes: a multiple of the page size of the usual systems */
  SMALL     = 64 << 10                         /* bytes: less than this is a small block */
};

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

/* ---- the range of addresses ---- */

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* Reserves at most *bytes bytes of addresses, which begin at a huge page. Returns NULL if there are none. */
static char *reserve(size_t *bytes) {
  for (size_t n = round_up(*bytes, STEP); n >= STEP; n = round_up(n / 2 + 1, STEP)) {
    char *p = mmap(NULL, n + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED && n == STEP) break;
    if (p == MAP_FAILED) continue;
    char *aligned = (char *)round_up((uintptr_t)p, HUGE_PAGE);
    size_t before = (size_t)(aligned - p), after = HUGE_PAGE - before;
    if (before) munmap(p, before);
    if (after) munmap(aligned + n, after);
    *bytes = n;
    return aligned;
  }
  return NULL;
}

/* Frees memory that is in no list. */
static void destroy(cpu_graph_memory *m) {
  for (int k = 0; k < CPU_GRAPH_RANGES; k++) {
    if (m->range[k].base) munmap(m->range[k].base, m->range[k].reserved);
    free(m->range[k].blocks);
  }
  free(m);
}

cpu_graph_memory *cpu_graph_open(size_t most) {
  cpu_graph_memory *m = calloc(1, sizeof *m);
  bool all = m != NULL;
  for (int k = 0; m && k < CPU_GRAPH_RANGES; k++) {
    m->range[k].reserved = most;
    m->range[k].base = reserve(&m->range[k].reserved);
    all &= m->range[k].base != NULL;
  }
  if (m && !all) destroy(m);
  if (!all) return NULL;
  lock_take(LOCK_GRAPHS);
  m->next = graphs;
  graphs = m;
  lock_release(LOCK_GRAPHS);
  return m;
}

static void trim(cpu_graph_range *r) {
  size_t kept = r->usable > STEP ? r->usable : STEP;
  if (r->reserved == kept) return;
  munmap(r->base + kept, r->reserved - kept);
  r->reserved = kept;
#ifdef MADV_HUGEPAGE
  if (r->top >= HUGE_PAGE) madvise(r->base, r->top / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
}

void cpu_graph_trim(cpu_graph_memory *m) {
  for (int k = 0; k < CPU_GRAPH_RANGES; k++) trim(&m->range[k]);
}

/* The caller holds the lock. */
static void unlist(const cpu_graph_memory *m) {
  cpu_graph_memory **at = &graphs;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
}

static bool is_empty(const cpu_graph_memory *m) {
  size_t blocks = 0;
  for (int k = 0; k < CPU_GRAPH_RANGES; k++) blocks += m->range[k].count;
  return blocks == 0;
}

/* ---- blocks ---- */

static size_t end_of(const cpu_graph_range *r, size_t k) { return k ? r->blocks[k - 1].at + r->blocks[k - 1].size : 0; }

/* Returns the number of the block before which `size` bytes are placed: in the largest gap, or at the end. In captured steps of
** nine networks, no graph was larger than with the smallest gap that fits, and a transformer's was 7 % smaller. */
static size_t find_gap(const cpu_graph_range *r, size_t size) {
  size_t best = r->count, most = size - 1;
  for (size_t k = 0; k < r->count; k++) {
    size_t gap = r->blocks[k].at - end_of(r, k);
    if (gap <= most) continue;
    best = k;
    most = gap;
  }
  return best;
}

/* Makes the first `end` bytes of the range usable. */
static bool make_usable(cpu_graph_range *r, size_t end) {
  if (end <= r->usable) return true;
  size_t usable = round_up(end, STEP);
  if (usable > r->reserved) return false;
  if (mprotect(r->base + r->usable, usable - r->usable, PROT_READ | PROT_WRITE) != 0) return false;
  r->usable = usable;
  return true;
}

/* The caller holds the lock. */
static int take(cpu_graph_range *r, size_t bytes, bool (*allows)(size_t bytes), void **ptr, size_t *grown) {
  if (bytes > r->reserved) return ERR_MEMORY;
  size_t size = round_up(bytes ? bytes : 1, ALIGNMENT), k = find_gap(r, size), at = end_of(r, k), end = at + size;
  cpu_graph_block *blocks = list_with_room(r->blocks, r->count, &r->capacity, sizeof *blocks);
  if (!blocks) return ERR_MEMORY;
  r->blocks = blocks;
  *grown = end > r->top ? end - r->top : 0;
  if ((*grown && !allows(*grown)) || !make_usable(r, end)) return ERR_MEMORY;
  r->top += *grown;
  memmove(&blocks[k + 1], &blocks[k], (r->count - k) * sizeof *blocks);
  blocks[k] = (cpu_graph_block){at, size, *grown == size};
  r->count++;
  *ptr = r->base + at;
  atomic_fetch_add(count_at(*ptr), 1);
  return OK;
}

int cpu_graph_take(size_t bytes, bool (*allows)(size_t bytes), void **ptr, size_t *grown) {
  lock_take(LOCK_GRAPHS);
  int st = take(&cpu_capturing->range[bytes < SMALL ? CPU_GRAPH_SMALL : CPU_GRAPH_LARGE], bytes, allows, ptr, grown);
  lock_release(LOCK_GRAPHS);
  return st;
}

/* Removes the block at this address, and returns its size, or 0 if the range has no such block. */
static size_t remove_block(cpu_graph_range *r, const void *ptr) {
  uintptr_t at = (uintptr_t)ptr - (uintptr_t)r->base;
  if (at >= r->reserved) return 0;
  for (size_t k = 0; k < r->count; k++) {
    size_t size = r->blocks[k].size;
    if (r->blocks[k].at != at) continue;
    r->count--;
    memmove(&r->blocks[k], &r->blocks[k + 1], (r->count - k) * sizeof *r->blocks);
    return size;
  }
  return 0;
}

bool cpu_graph_give(const void *ptr, size_t *freed) {
  cpu_graph_memory *empty = NULL;
  size_t size = 0;
  *freed = 0;
  if (atomic_load_explicit(count_at(ptr), memory_order_relaxed) == 0) return false;
  lock_take(LOCK_GRAPHS);
  for (cpu_graph_memory *m = graphs; m && !size; m = m->next) {
    for (int k = 0; k < CPU_GRAPH_RANGES && !size; k++) size = remove_block(&m->range[k], ptr);
    if (size && m->closed) *freed = size;
    if (size && m->closed && is_empty(m)) empty = m;
  }
  if (size) atomic_fetch_sub(count_at(ptr), 1);
  if (empty) unlist(empty);
  lock_release(LOCK_GRAPHS);
  if (empty) destroy(empty);
  return size != 0;
}

bool cpu_graph_is_first(const cpu_graph_memory *m, const void *ptr) {
  bool first = false;
  lock_take(LOCK_GRAPHS);
  for (int k = 0; k < CPU_GRAPH_RANGES; k++) {
    const cpu_graph_range *r = &m->range[k];
    for (size_t i = 0; i < r->count; i++) first |= r->blocks[i].first && r->base + r->blocks[i].at == ptr;
  }
  lock_release(LOCK_GRAPHS);
  return first;
}

/* Returns the whole pages of a gap to the system. */
static void release_gap(const cpu_graph_range *r, size_t begin, size_t end) {
  begin = round_up(begin, PAGE);
  end = end / PAGE * PAGE;
  if (begin < end) madvise(r->base + begin, end - begin, MADV_DONTNEED);
}

/* Returns the gaps between blocks to the system. Returns their bytes. */
static size_t release_gaps(const cpu_graph_range *r) {
  size_t used = 0;
  for (size_t k = 0; k < r->count; k++) {
    used += r->blocks[k].size;
    release_gap(r, end_of(r, k), r->blocks[k].at);
  }
  release_gap(r, end_of(r, r->count), r->usable);
  return r->top - used;
}

size_t cpu_graph_close(cpu_graph_memory *m) {
  size_t freed = 0;
  lock_take(LOCK_GRAPHS);
  for (int k = 0; k < CPU_GRAPH_RANGES; k++) freed += release_gaps(&m->range[k]);
  m->closed = true;
  bool empty = is_empty(m);
  if (empty) unlist(m);
  lock_release(LOCK_GRAPHS);
  if (empty) destroy(m);
  return freed;
}
