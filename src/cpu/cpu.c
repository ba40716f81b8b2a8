#include "cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Per ISA: extern declarations of its tables, and the struct that holds them. */
#define TABLE_OF_base(family)   extern const family##_table family##_table_base;
#define TABLE_OF_avx2(family)   extern const family##_table family##_table_avx2;
#define TABLE_OF_avx512(family) extern const family##_table family##_table_avx512;
#define FIELD_OF_base(family)   .family = &family##_table_base,
#define FIELD_OF_avx2(family)   .family = &family##_table_avx2,
#define FIELD_OF_avx512(family) .family = &family##_table_avx512,
#define DECLARE_ISA(isa)          \
  KERNEL_TABLES(TABLE_OF_##isa)   \
  static const isa_tables isa_##isa = {.name = #isa, KERNEL_TABLES(FIELD_OF_##isa)};

DECLARE_ISA(base)
#ifdef LT_X86_ISAS
DECLARE_ISA(avx2)
DECLARE_ISA(avx512)
#endif

const isa_tables *cpu_isa = &isa_base;

/* What this processor and its system can run, best first. */
static const isa_tables *best_isa(const char *limit) {
  if (limit && strcmp(limit, "baseline") == 0) return &isa_base;
#ifdef LT_X86_ISAS
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512 && !(limit && strcmp(limit, "avx2") == 0)) return &isa_avx512;
  if (avx2) return &isa_avx2;
#endif
  return &isa_base;
}

__attribute__((constructor)) static void choose_isa(void) { cpu_isa = best_isa(getenv("LUATENSOR_CPU")); }

const isa_tables *cpu_best_isa(void) { return best_isa(NULL); }

static int cpu_count(void) { return 1; }
static const char *cpu_reason(void) { return ""; }

/* "model name : …" of /proc/cpuinfo, where there is one. */
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

static int cpu_sync(int index) { (void)index; return OK; }

static void empty_cache(int index) {
  cpu_fft_forget();
  cpu_empty_cache(index);
}

static void cpu_explain(int index, char *text, size_t size) {
  (void)index;
  snprintf(text, size, "the CPU failed");
}

static bool cpu_has(enum map_op op, enum dtype compute) { return cpu_isa->map->kernel[op][compute] != NULL; }

const device cpu_device = {
  .abi = DEVICE_ABI, .name = "cpu", .dlpack = 1,
  .count = cpu_count, .in_use = cpu_count, .reason = cpu_reason, .info = cpu_info,
  .alloc = cpu_alloc, .free = cpu_free, .copy_in = cpu_copy, .copy_out = cpu_copy, .sync = cpu_sync,
  .copy_across = cpu_copy_across, .explain = cpu_explain,
  .stats = cpu_stats, .empty_cache = empty_cache, .available = cpu_available,
  .limits = cpu_limits, .working_set = cpu_working_set,
  .threads = cpu_thread_count, .set_threads = cpu_set_thread_count, .describe = cpu_describe,
  .reduce = cpu_reduce, .scan = cpu_scan, .softmax = cpu_softmax, .update = cpu_update,
  .cross = cpu_cross, .norm = cpu_norm, .fft = cpu_fft,
  .gemm = cpu_gemm, .linalg = cpu_linalg, .conv = cpu_conv, .pool = cpu_pool,
  .cell = cpu_cell, .attention = cpu_attention,
  .random = cpu_random,
  .map = cpu_map, .fused = cpu_fused, .arange = cpu_arange, .has = cpu_has,
  .index = cpu_index, .nonzero = cpu_nonzero, .search = cpu_search, .sort = cpu_sort,
};
