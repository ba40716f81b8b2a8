/* Device memory. Each device has a range of addresses. Its pages are inaccessible except while an operation of the
** device runs. Freed blocks stay inaccessible, and their addresses are reused as late as possible. */

#include "emulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

namespace emulator {

enum : size_t {
  PAGE = 4096,
  HUGE_PAGE = size_t(2) << 20,         /* blocks of at least this size are aligned to huge pages, because protecting a
                                       ** huge page costs as much as protecting a small page */
  ARENA = size_t(64) << 30,            /* bytes of the address range of a device; the system allocates a page at its
                                       ** first access */
  FILLED = size_t(1) << 20             /* bytes at the beginning of a new block that are filled with a pattern,
                                       ** because its contents are undefined */
};
enum { MAX_DEVICES = 16 };

struct pages { uintptr_t start, end; size_t bytes; };        /* the pages of a block, and the bytes that were
                                                             ** requested */

struct arena {
  uintptr_t base = 0;
  uintptr_t cursor = 0;
  size_t used = 0;
  std::map<uintptr_t, pages> live;
};

static arena *const arenas = new arena[MAX_DEVICES];
static auto &pinned = *new std::map<uintptr_t, size_t>;
static int opened = -1;

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* Reserves the address range of a device, far from the addresses of the program's own memory. Returns false if this
** fails. */
static bool reserve(int device) {
  arena &a = arenas[device];
  if (a.base) return true;
  void *wish = reinterpret_cast<void *>((uintptr_t(0x2000) << 32) + uintptr_t(device) * 2 * ARENA);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *p = mmap(wish, ARENA, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == MAP_FAILED) p = mmap(nullptr, ARENA, PROT_NONE, flags, -1, 0);
  if (p == MAP_FAILED) return false;
  madvise(p, ARENA, MADV_HUGEPAGE);
  a.base = a.cursor = reinterpret_cast<uintptr_t>(p);
  return true;
}

static void protect(uintptr_t start, uintptr_t end, int how) {
  mprotect(reinterpret_cast<void *>(start), end - start, how);
}

/* Sets the access rights of all allocated blocks of a device. Adjacent blocks are changed by one system call. */
static void protect_live(int device, int how) {
  uintptr_t start = 0, end = 0;
  for (auto &b : arenas[device].live) {
    if (b.second.start != end) {
      if (end) protect(start, end, how);
      start = b.second.start;
    }
    end = b.second.end;
  }
  if (end) protect(start, end, how);
}

void memory_open(int device) {
  if (opened == device) return;
  memory_close();
  if (settings.protect) protect_live(device, PROT_READ | PROT_WRITE);
  opened = device;
}

void memory_close() {
  if (opened >= 0 && settings.protect) protect_live(opened, PROT_NONE);
  opened = -1;
}

bool memory_is_device(const void *p) {
  uintptr_t x = reinterpret_cast<uintptr_t>(p);
  for (int i = 0; i < MAX_DEVICES; i++)
    if (arenas[i].base && x >= arenas[i].base && x < arenas[i].base + ARENA) return true;
  return false;
}

int memory_device(gpu_address x) {
  for (int i = 0; i < MAX_DEVICES; i++)
    if (memory_contains(i, x, 0)) return i;
  return -1;
}

bool memory_contains(int device, gpu_address x, size_t bytes) {
  auto &live = arenas[device].live;
  auto b = live.upper_bound(uintptr_t(x));
  if (b == live.begin()) return false;
  --b;
  return x - b->first <= b->second.bytes && bytes <= b->second.bytes - (x - b->first);
}

bool memory_is_pinned(const void *p) {
  uintptr_t x = reinterpret_cast<uintptr_t>(p);
  auto b = pinned.upper_bound(x);
  return b != pinned.begin() && x - (--b)->first < b->second;
}

/* Returns the address of the first gap of `bytes` bytes at or after `from`, or 0 if there is none. */
static uintptr_t find_gap(const arena &a, uintptr_t from, size_t bytes) {
  size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
  uintptr_t at = round_up(from, align);
  for (auto &b : a.live) {
    if (b.second.end <= at) continue;
    if (b.second.start >= at && b.second.start - at >= bytes) return at;
    at = round_up(b.second.end, align);
  }
  return at + bytes <= a.base + ARENA ? at : 0;
}

static int allocate(int device, size_t bytes, uintptr_t *address) {
  if (!reserve(device)) return OUT_OF_MEMORY;
  arena &a = arenas[device];
  size_t size = round_up(bytes, PAGE), gap = size + (settings.guard ? size_t(PAGE) : 0);
  if (size < bytes || size > settings.memory || a.used > settings.memory - size) return OUT_OF_MEMORY;
  uintptr_t start = find_gap(a, a.cursor, gap);
  if (!start) start = find_gap(a, a.base, gap);
  if (!start) return OUT_OF_MEMORY;
  a.cursor = start + gap;
  a.used += size;
  *address = settings.guard ? start + size - round_up(bytes, 16) : start;
  protect(start, start + size, PROT_READ | PROT_WRITE);
  memset(reinterpret_cast<void *>(start), 0xcb, size < FILLED ? size : FILLED);
  if (settings.protect && opened != device) protect(start, start + size, PROT_NONE);
  a.live[*address] = {start, start + size, bytes};
  return SUCCESS;
}

static void release(arena &a, std::map<uintptr_t, pages>::iterator b) {
  const pages &p = b->second;
  a.used -= p.end - p.start;
  protect(p.start, p.end, PROT_NONE);
  madvise(reinterpret_cast<void *>(p.start), p.end - p.start, MADV_DONTNEED);
  a.live.erase(b);
}

void memory_reset(int device) {
  arena &a = arenas[device];
  while (!a.live.empty()) release(a, a.live.begin());
}

size_t memory_report(const char *when) {
  size_t n = 0;
  for (int i = 0; i < MAX_DEVICES; i++)
    for (auto &b : arenas[i].live) {
      fprintf(stderr, "emulator: %s: %zu bytes of device %d are not freed\n", when, b.second.bytes, i);
      n++;
    }
  for (auto &b : pinned) {
    fprintf(stderr, "emulator: %s: %zu bytes of pinned memory are not freed\n", when, b.second);
    n++;
  }
  return n;
}

}

using namespace emulator;

EXPORT bool emulator_reaches(gpu_address a, size_t bytes) { return opened >= 0 && memory_contains(opened, a, bytes); }

EXPORT int cuMemAlloc_v2(gpu_address *address, size_t bytes) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!address || !bytes) return INVALID_VALUE;
  if (int r = capture_forbids(nullptr)) return r;
  if (emulator_counted(ALLOC)) return OUT_OF_MEMORY;
  uintptr_t p;
  if (int r = allocate(current_context()->device, bytes, &p)) return r;
  *address = p;
  return SUCCESS;
}

/* Frees a block. Waits for the device first, like the real driver. */
EXPORT int cuMemFree_v2(gpu_address address) {
  EMULATOR_ENTER(NEEDS_CONTEXT);
  if (!address) return SUCCESS;
  if (int r = capture_forbids(nullptr)) return r;
  int device = memory_device(address);
  if (device < 0) return INVALID_VALUE;
  auto b = arenas[device].live.find(uintptr_t(address));
  if (b == arenas[device].live.end()) return INVALID_VALUE;
  int r = context_finish(current_context());
  release(arenas[device], b);
  return r;
}

EXPORT int cuMemGetInfo_v2(size_t *free, size_t *total) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  *total = settings.memory;
  size_t used = arenas[current_context()->device].used;
  *free = used < *total ? *total - used : 0;
  return SUCCESS;
}

bool emulator_is_full() {
  static bool failed = false;
  size_t free, total;
  failed = failed || (cuMemGetInfo_v2(&free, &total) == SUCCESS && free < 1024);
  return failed;
}

EXPORT int cuMemHostAlloc(void **ptr, size_t bytes, unsigned) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!ptr || !bytes) return INVALID_VALUE;
  if (int r = capture_forbids(nullptr)) return r;
  if (emulator_counted(HOST_ALLOC)) return OUT_OF_MEMORY;
  void *p = nullptr;
  if (posix_memalign(&p, PAGE, bytes)) return OUT_OF_MEMORY;
  pinned[reinterpret_cast<uintptr_t>(p)] = bytes;
  *ptr = p;
  return SUCCESS;
}

/* Registers host memory. Copies then treat the memory as pinned. */
EXPORT int cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!ptr || !bytes || memory_is_device(ptr)) return INVALID_VALUE;
  if (int r = capture_forbids(nullptr)) return r;
  if (emulator_counted(HOST_ALLOC)) return OUT_OF_MEMORY;
  pinned[reinterpret_cast<uintptr_t>(ptr)] = bytes;
  return SUCCESS;
}

/* Waits for nothing, because the driver's manual does not promise that it waits. */
EXPORT int cuMemHostUnregister(void *ptr) {
  EMULATOR_ENTER(NEEDS_CONTEXT);
  return pinned.erase(reinterpret_cast<uintptr_t>(ptr)) ? int(SUCCESS) : int(INVALID_VALUE);
}

EXPORT int cuMemFreeHost(void *ptr) {
  EMULATOR_ENTER(NEEDS_CONTEXT);
  auto b = pinned.find(reinterpret_cast<uintptr_t>(ptr));
  if (b == pinned.end()) return INVALID_VALUE;
  int r = context_finish(current_context());
  pinned.erase(b);
  free(ptr);
  return r;
}
