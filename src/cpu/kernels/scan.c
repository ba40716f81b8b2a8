/* Inner loops of scans: one scan_kernel for each row of ops.def and each compute dtype. */

#include "cpu/cpu.h"
#include "cpu/kernels/fold.h"

/* A line is a sequence of elements along the scanned dim, in which each step depends on the previous step. Scanning
** LINES lines side by side hides the latency of the steps. */
enum { LINES = 8 };

/* The C types of results. Sums and products of bool and integers have the type WIDE. Sums and products of floats are
** computed in WIDE and stored in the elements' own type. All other results have the elements' own type. */
#define GIVES(D, T, accumulator, result) typedef result##_##D GIVES_##accumulator##_##D;
EACH_BITS(GIVES, WIDE, WIDE)
EACH_FLOAT(GIVES, WIDE, SAME)
EACH_ANY(GIVES, SAME, SAME)

#define LOOPS "cpu/kernels/scan_pairs.h"
#include "cpu/kernels/each_dtype.h"

#define STEP(D, T, name, A_, init, step)                                                        \
  INLINE A_ name##_step_##D(A_ a, T x) { typedef T C; typedef A_ A; (void)sizeof(C); return (A)(step); } \
  static void name##_scan_##D(const line_tile *t, void *carry) { scan_##A_(name##_step_##D, t, carry); } \
  INIT(D, name, T, A_, init)
#define SCAN_ROW(D, T, name, accumulator, init, step) STEP(D, T, name, accumulator##_##D, init, step)
#define SCAN(name, reduction, dtypes, accumulator, init, step, doc) \
  EACH_##dtypes(SCAN_ROW, name, accumulator, init, step)
#include "ops.def"

#define ENTRY(D, T, name, accumulator)                                                          \
  [DT_##D] = {.size = sizeof(accumulator##_##D), .gives = DTYPE_OF(GIVES_##accumulator##_##D),  \
              .init = name##_init_##D, .put = put_##accumulator##_##D, .scan = name##_scan_##D},
const scan_table ISA_NAME(scan_table) = {{
#define SCAN(name, reduction, dtypes, accumulator, ...) [SCAN_##name] = {EACH_##dtypes(ENTRY, name, accumulator)},
#include "ops.def"
}};
