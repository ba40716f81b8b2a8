/* Chooses the kernels for this processor's instruction set when the module is loaded. */

#include "base/system.h"
#include "cpu/cpu.h"

/* TABLE_OF_… declares a table of an ISA, and FIELD_OF_… sets the table's field in isa_tables. DECLARE_ISA uses both
** for all tables. */
#define TABLE_OF_base(family)   extern const family##_table family##_table_base;
#define TABLE_OF_avx2(family)   extern const family##_table family##_table_avx2;
#define TABLE_OF_avx512(family) extern const family##_table family##_table_avx512;
#define FIELD_OF_base(family)   .family = &family##_table_base,
#define FIELD_OF_avx2(family)   .family = &family##_table_avx2,
#define FIELD_OF_avx512(family) .family = &family##_table_avx512,
#define DECLARE_ISA(isa)          \
  KERNEL_TABLES(TABLE_OF_##isa)   \
  static const isa_tables isa_##isa = {.name = ISA_TEXT_##isa, KERNEL_TABLES(FIELD_OF_##isa)};

DECLARE_ISA(base)
#ifdef LT_HAS_avx2
DECLARE_ISA(avx2)
#endif
#ifdef LT_HAS_avx512
DECLARE_ISA(avx512)
#endif

const isa_tables *cpu_isa = &isa_base;

/* Returns the tables of the best ISA, at most `most`, that the processor and the operating system support. */
static const isa_tables *best_isa(isa_level most) {
#ifdef LT_HAS_avx2
  if (most == ISA_base) return &isa_base;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return &isa_base;
#ifdef LT_HAS_avx512
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  if (avx512 && most == ISA_avx512) return &isa_avx512;
#endif
  return &isa_avx2;
#else
  (void)most;
  return &isa_base;
#endif
}

/* A wrong value of LUATENSOR_CPU limits nothing; open_thread raises the error. */
__attribute__((constructor)) static void choose_isa(void) {
  isa_level most;
  system_isa_limit(&most);
  cpu_isa = best_isa(most);
}

const isa_tables *cpu_best_isa(void) { return best_isa(ISA_avx512); }
