/* The CPU's allocator. The first access to a fresh 4 KiB page takes three times as long as filling the page with
** random numbers, so freed memory is kept for reuse. Blocks of up to 1 MiB are kept in free lists by size class.
** Larger blocks are mapped to huge pages and kept in lists of exact sizes. Both kinds of lists have a limit.
** lt.empty_cache() releases all kept memory except the blocks that other threads keep for themselves.
**
** Each thread also keeps blocks of up to 2 KiB in its own lists, because taking the lock of the shared lists costs
** 110 instructions. An addition of ten numbers takes 40 times as many instructions. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/lock.h"
#include "base/system.h"
#include "base/text.h"
#include "base/tls.h"
#include "cpu/cpu.h"
#include "cpu/graph.h"

#if defined(__SANITIZE_ADDRESS__)
#define KEEP_FREED 0             /* with kept blocks, the sanitizer could not detect a use after free */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEP_FREED 0
#endif
#endif
#ifndef KEEP_FREED
#define KEEP_FREED 1
#endif

#define MIB ((size_t)1 << 20)

enum {
  ALIGNMENT   = 64,              /* the size in bytes of a cache line, and of an AVX-512 register */
  CLASSES     = 52,              /* the number of size classes: multiples of 64 bytes up to 512, then 4 classes for
                                 ** each doubling up to 1 MiB */
  BUCKETS     = 64,              /* the number of lists of large blocks; the size selects the list */
  LARGE_SHIFT = 16,              /* log2 of 64 KiB; the sizes of large blocks are multiples of 64 KiB */
  OWN_CLASSES = 16,              /* the number of classes (of up to 2 KiB) of which each thread also keeps blocks for
                                 ** itself */
  OWN_CAP     = 256 << 10        /* the most bytes of the blocks that a thread keeps for itself: more than a young
                                 ** collection of Lua's generational collector frees at once in a small script */
};

/* A kept block. The struct is stored in the first bytes of the block itself. */
typedef struct block {
  struct block *next;
  size_t        bytes;
} block;

static block *small_free[CLASSES];
static block *large_free[BUCKETS];
static size_t small_kept, large_kept;         /* small_kept: the bytes of the blocks in small_free and in the
                                              ** lists of all threads; large_kept: the bytes in large_free */
static memory_stats stats;
static size_t (*other_kept)(void);            /* returns the bytes that other files keep for reuse and free on
                                              ** request; NULL: none registered */

void cpu_count_kept(size_t (*kept)(void)) { other_kept = kept; }

/* The lists of blocks that this thread keeps for itself. small_kept counts these blocks, too. */
static _Thread_local FAST_TLS struct {
  block *list[OWN_CLASSES];
  size_t bytes;
  bool   ends;                                /* true: end_own will run when the thread ends */
} own;
static pthread_key_t own_key;
static bool own_key_made;

/* The lock is held only while lists are searched or changed, and never during a system call that may block. */
static void acquire(void) { lock_take(LOCK_MEMORY); }
static void release(void) { lock_release(LOCK_MEMORY); }

/* Functions for counters that several threads change and read at the same time. */
static void   set_count(size_t *count, size_t n)   { __atomic_store_n(count, n, __ATOMIC_RELAXED); }
static size_t add(size_t *count, size_t n)   { return __atomic_add_fetch(count, n, __ATOMIC_RELAXED); }
static void   lower(size_t *count, size_t n) { __atomic_fetch_sub(count, n, __ATOMIC_RELAXED); }
static size_t look(const size_t *count)      { return __atomic_load_n(count, __ATOMIC_RELAXED); }

/* ---- limits ---- */

/* Returns the most bytes that all tensors together may take: LUATENSOR_MEMORY_LIMIT, else the memory of the machine or
** of its container. Linux overcommits memory: it allows the allocation, and kills the process when memory runs out. An
** error in Lua is better. A limit above the machine's memory means that the user accepts swapping; then has_room does
** not check the free memory. */
static atomic_bool may_swap;
static size_t memory_limit(void) {
  static atomic_size_t known;
  size_t limit = atomic_load_explicit(&known, memory_order_acquire);
  if (limit) return limit;
  const char *text = getenv("LUATENSOR_MEMORY_LIMIT");
  size_t asked = 0, machine = system_memory("", NULL);
  limit = text && text_bytes(text, &asked) ? asked : machine;
  atomic_store_explicit(&may_swap, asked > machine, memory_order_relaxed);
  atomic_store_explicit(&known, limit, memory_order_release);
  return limit;
}

/* Returns the number of fresh bytes between two checks of the system's free memory: a 64th of the memory limit, but
** at most 256 MiB. A check takes less than 0.5 ms, and filling 256 MiB takes 50 ms. */
static size_t look_every(void) {
  size_t share = memory_limit() / 64;
  return share < 256 * MIB ? share : 256 * MIB;
}

/* True if the system has enough free memory for `bytes` fresh bytes and for the bytes until the next check. The
** system is asked only after look_every() fresh bytes; before that, the result is true. */
static bool has_room(size_t bytes) {
  static atomic_size_t unseen;
  size_t now = atomic_fetch_add_explicit(&unseen, bytes, memory_order_relaxed) + bytes, available;
  if (now < look_every() || may_swap) return true;
  atomic_store_explicit(&unseen, 0, memory_order_relaxed);
  system_memory("", &available);
  return available >= look_every() && bytes <= available - look_every();
}

static size_t small_cap(void) { return 64 * MIB; }
/* Returns the most bytes of large blocks that are kept: an eighth of the memory limit. For a limit of 24 GiB this
** is 3 GiB: eight times the bytes that an iteration of the large loop of docs/notebook.md frees. */
static size_t large_cap(void) { return memory_limit() / 8; }

/* ---- small blocks ---- */

static int class_of(size_t bytes) {
  if (bytes <= 512) return bytes ? (int)((bytes - 1) / 64) : 0;
  int log2 = 63 - __builtin_clzll(bytes - 1);                    /* 2^log2 < bytes <= 2^(log2 + 1) */
  return 8 + (log2 - 9) * 4 + (int)((bytes - 1) >> (log2 - 2)) - 4;
}

static size_t class_bytes(int class) {
  if (class < 8) return 64 * (size_t)(class + 1);
  int log2 = 9 + (class - 8) / 4;
  return ((size_t)1 << (log2 - 2)) * (size_t)(5 + (class - 8) % 4);
}

/* ---- large blocks ---- */

static size_t large_bytes(size_t bytes) {
  size_t unit = (size_t)1 << LARGE_SHIFT;
  return (bytes + unit - 1) & ~(unit - 1);
}

static block **bucket_of(size_t bytes) {
  return &large_free[((bytes >> LARGE_SHIFT) * 0x9E3779B97F4A7C15u) >> 58];
}

/* Maps fresh pages from the system at a multiple of 2 MiB, and advises the system to use huge pages. */
static void *map_pages(size_t bytes) {
  enum { HUGE_PAGE = 2 << 20 };
  char *p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  char *aligned = (char *)(((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
  size_t before = (size_t)(aligned - p), after = HUGE_PAGE - before;
  if (before) munmap(p, before);
  if (after) munmap(aligned + bytes, after);
#ifdef MADV_HUGEPAGE
  madvise(aligned, bytes, MADV_HUGEPAGE);
#endif
  return aligned;
}

/* ---- keeping blocks ---- */

/* Removes a kept block of exactly `bytes` bytes from the list. Returns NULL if the list has no such block. */
static void *take_kept(block **list, size_t bytes, size_t *kept) {
  for (; *list; list = &(*list)->next) {
    block *b = *list;
    if (b->bytes != bytes) continue;
    *list = b->next;
    lower(kept, bytes);
    return b;
  }
  return NULL;
}

static void keep(block **list, void *ptr, size_t bytes, size_t *kept) {
  block *b = ptr;
  b->bytes = bytes;
  b->next = *list;
  *list = b;
  add(kept, bytes);
}

static bool is_small(size_t bytes) { return bytes <= MIB; }
static size_t rounded(size_t bytes) { return is_small(bytes) ? class_bytes(class_of(bytes)) : large_bytes(bytes); }

static void give_back(void *ptr, size_t bytes) {
  if (is_small(bytes)) free(ptr);
  else munmap(ptr, bytes);
}

static void count_live(size_t bytes) {
  size_t live = add(&stats.live, bytes), peak = look(&stats.peak);
  while (live > peak && !__atomic_compare_exchange_n(&stats.peak, &peak, live, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

/* ---- the blocks that a thread keeps ---- */

static void *take_own(size_t bytes) {
  int class = class_of(bytes);
  block *b = class < OWN_CLASSES ? own.list[class] : NULL;
  if (!b) return NULL;
  own.list[class] = b->next;
  own.bytes -= b->bytes;
  lower(&small_kept, b->bytes);
  return b;
}

/* Keeps a block for this thread. Returns false if the block is too large, if the kept bytes have reached a limit, or
** if end_own cannot be registered for the end of the thread. */
static bool keep_own(void *ptr, size_t bytes) {
  int class = class_of(bytes);
  if (!KEEP_FREED || class >= OWN_CLASSES || own.bytes >= OWN_CAP || look(&small_kept) > small_cap()) return false;
  if (!own.ends) own.ends = own_key_made && pthread_setspecific(own_key, &own) == 0;
  if (!own.ends) return false;
  size_t size = class_bytes(class);
  keep(&own.list[class], ptr, size, &small_kept);
  own.bytes += size;
  return true;
}

/* Moves all blocks that this thread keeps to the shared lists. */
static void share_own(void) {
  acquire();
  for (int k = 0; k < OWN_CLASSES; k++)
    for (block *b; (b = own.list[k]) != NULL; small_free[k] = b) {
      own.list[k] = b->next;
      b->next = small_free[k];
    }
  release();
  own.bytes = 0;
}

/* Runs when the thread ends. If a destructor that runs later frees tensors, this function runs again. */
static void end_own(void *unused) {
  (void)unused;
  share_own();
  own.ends = false;
}

__attribute__((constructor)) static void prepare_own(void) { own_key_made = pthread_key_create(&own_key, end_own) == 0; }

/* ---- allocating and freeing ---- */

/* Returns a kept block of `size` bytes from the shared lists, or NULL if the lists have no such block. */
static void *take_shared(size_t bytes, size_t size) {
  bool small = is_small(bytes);
  acquire();
  void *p = small ? take_kept(&small_free[class_of(bytes)], size, &small_kept) : take_kept(bucket_of(size), size, &large_kept);
  release();
  return p;
}

/* True unless `size` fresh bytes would exceed the limit, or the system has too little free memory. */
static bool allows_fresh(size_t size) {
  return look(&stats.live) + look(&small_kept) + look(&large_kept) + size <= memory_limit() && has_room(size);
}

/* Allocates new memory from the system, or fails with ERR_MEMORY. */
static int allocate_fresh(size_t size, void **ptr) {
  if (!allows_fresh(size)) return ERR_MEMORY;
  *ptr = is_small(size) ? aligned_alloc(ALIGNMENT, size) : map_pages(size);
  return *ptr ? OK : ERR_MEMORY;
}

static int allocate(size_t bytes, void **ptr) {
  if (bytes > memory_limit()) return ERR_MEMORY;
  *ptr = take_own(bytes);
  if (!*ptr) {
    size_t size = rounded(bytes);
    *ptr = take_shared(bytes, size);
    if (!*ptr && allocate_fresh(size, ptr) != OK) return ERR_MEMORY;
  }
  count_live(bytes);
  return OK;
}

/* ---- the memory of graphs ---- */

/* Allocates memory of the graph that this thread captures. The whole memory of a graph counts as live. */
static int allocate_for_graph(size_t bytes, void **ptr) {
  size_t grown;
  int st = cpu_graph_take(bytes, allows_fresh, ptr, &grown);
  if (st == OK) count_live(grown);
  return st;
}

/* The graph's two ranges leave half of the addresses to others during the capture, if these are limited. */
cpu_graph_memory *cpu_open_graph(void) {
  size_t addresses = system_addresses("") / 4, most = memory_limit();
  return cpu_graph_open(addresses < most ? addresses : most);
}

void cpu_close_graph(cpu_graph_memory *m) { lower(&stats.live, cpu_graph_close(m)); }

/* ---- the functions of the device ---- */

int cpu_alloc(int index, size_t bytes, void **ptr) {
  (void)index;
  return cpu_capturing ? allocate_for_graph(bytes, ptr) : allocate(bytes, ptr);
}

/* Keeps a block in the shared lists. If a large block would exceed the limit of the lists, empties the lists first.
** Returns false if the block still exceeds the limit, or if blocks are not kept (KEEP_FREED). */
static bool keep_shared(void *ptr, size_t bytes, size_t size) {
  bool small = is_small(bytes);
  if (!KEEP_FREED) return false;
  if (!small && look(&large_kept) + size > large_cap()) cpu_empty_cache(0);
  acquire();
  size_t *kept = small ? &small_kept : &large_kept;
  bool fits = look(kept) + size <= (small ? small_cap() : large_cap());
  if (fits) keep(small ? &small_free[class_of(bytes)] : bucket_of(size), ptr, size, kept);
  release();
  return fits;
}

void cpu_free(int index, void *ptr, size_t bytes) {
  (void)index;
  size_t freed;
  if (cpu_graph_give(ptr, &freed)) {
    if (freed) lower(&stats.live, freed);
    return;
  }
  lower(&stats.live, bytes);
  if (keep_own(ptr, bytes)) return;
  size_t size = rounded(bytes);
  if (!keep_shared(ptr, bytes, size)) give_back(ptr, size);
}

memory_stats *cpu_stats(int index) {
  (void)index;
  set_count(&stats.cached, look(&small_kept) + look(&large_kept) + (other_kept ? other_kept() : 0));
  return &stats;
}

int cpu_available(int index, size_t *bytes) {
  size_t most = memory_limit(), live = look(&stats.live), addresses = system_addresses("");
  system_memory("", bytes);
  if (addresses < *bytes) *bytes = addresses;
  if (*bytes == SIZE_MAX) return OK;
  *bytes += cpu_stats(index)->cached;
  size_t left = most > live ? most - live : 0;
  if (*bytes > left) *bytes = left;
  return OK;
}

static void empty_list(block **list) {
  acquire();
  block *b = *list;
  *list = NULL;
  for (block *k = b; k; k = k->next) {
    size_t *kept = is_small(k->bytes) ? &small_kept : &large_kept;
    lower(kept, k->bytes);
  }
  release();
  while (b) {
    block *next = b->next;
    give_back(b, b->bytes);
    b = next;
  }
}

/* Releases all kept blocks except the blocks that other threads keep for themselves. */
void cpu_empty_cache(int index) {
  (void)index;
  share_own();
  for (int k = 0; k < CLASSES; k++) empty_list(&small_free[k]);
  for (int k = 0; k < BUCKETS; k++) empty_list(&large_free[k]);
#ifdef __GLIBC__
  malloc_trim(0);                        /* returns to the system the memory of blocks that free() has kept */
#endif
}
