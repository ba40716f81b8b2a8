#include "base/copy.h"
#include "cpu/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPU_TILE = 384 << 10 };         /* bytes of a tile, so that a tile and the buffers of a call stay in L2 */

static int cpu_count(void) { return 1; }
static const char *cpu_reason(void) { return ""; }

/* Copies the processor's name from the line "model name : …" of /proc/cpuinfo. Without this line the name is
** "CPU". */
static void read_model(char *name, size_t size) {
  snprintf(name, size, "CPU");
  FILE *f = fopen("/proc/cpuinfo", "r");
  if (!f) return;
  char line[256];
  while (fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (!colon || strncmp(line, "model name", 10) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    snprintf(name, size, "%s", colon + 2);
    break;
  }
  fclose(f);
}

static int cpu_info(int index, device_info *info) {
  (void)index;
  memset(info, 0, sizeof *info);
  read_model(info->name, sizeof info->name);
  snprintf(info->kind, sizeof info->kind, "cpu");
  snprintf(info->isa, sizeof info->isa, "%s", cpu_isa->name);
  info->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  info->memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  return OK;
}

static int cpu_copy(int index, void *to, const void *from, size_t bytes) {
  (void)index;
  if (bytes) memcpy(to, from, bytes);
  return OK;
}

static int cpu_copy_across(int index, void *to, int from_index, const void *from, size_t bytes) {
  (void)from_index;
  return cpu_copy(index, to, from, bytes);
}

/* ---- copies for other devices ---- */

enum { COPY_GRAIN = 256 << 10 };       /* bytes: one thread copies them in about 25 µs, five times the cost of waking it */

typedef struct copy_job {
  char       *to;
  const char *from;
  size_t      bytes, part;             /* part: the bytes that an item copies */
} copy_job;

static void copy_part(const void *arg, int64_t i, int worker) {
  const copy_job *j = arg;
  size_t done = (size_t)i * j->part, left = j->bytes - done;
  (void)worker;
  memcpy(j->to + done, j->from + done, left < j->part ? left : j->part);
}

/* Parts are multiples of a page, so that threads rarely write to the same page. */
static void copy_parts(void *to, const void *from, size_t bytes) {
  enum { PAGE = 4096 };
  int threads = cpu_threads((int64_t)bytes, COPY_GRAIN);
  size_t part = (bytes / (size_t)threads + PAGE) & ~(size_t)(PAGE - 1);
  copy_job j = {to, from, bytes, part};
  if (threads == 1) memcpy(to, from, bytes);
  else cpu_parallel(threads, (int64_t)((bytes + part - 1) / part), copy_part, &j);
}

__attribute__((constructor)) static void offer_copies(void) { copy_by_threads = copy_parts; }

static int cpu_sync(int index) { (void)index; return OK; }

/* Registers cpu_fft_kept with the allocator (memory.c), so that the allocator counts cached FFT plans but does not
** depend on the FFT. */
__attribute__((constructor)) static void count_plans(void) { cpu_count_kept(cpu_fft_kept); }

static void empty_cache(int index) {
  cpu_fft_forget();
  cpu_empty_cache(index);
}

static void cpu_explain(int index, char *text, size_t size) {
  (void)index;
  snprintf(text, size, "%s", cpu_graph_words());
}

const device cpu_device = {
  .abi = DEVICE_ABI, .name = "cpu", .dlpack = 1, .host_memory = true, .tile_bytes = CPU_TILE,
  .count = cpu_count, .in_use = cpu_count, .reason = cpu_reason, .info = cpu_info,
  .alloc = cpu_alloc, .free = cpu_free, .copy_in = cpu_copy, .copy_out = cpu_copy, .sync = cpu_sync,
  .copy_across = cpu_copy_across, .explain = cpu_explain,
  .stats = cpu_stats, .empty_cache = empty_cache, .available = cpu_available,
  .limits = cpu_limits, .working_set = cpu_working_set,
  .threads = cpu_thread_count, .set_threads = cpu_set_thread_count, .describe = cpu_describe,
  .graphs = &cpu_graphs, .has_attention = cpu_has_attention,
#define FAMILY(name, call) .name = cpu_entry_##name,
#include "families.def"
};
