/* Inner loops of scans, a set for each row of ops.def and compute dtype. */

#include "cpu/cpu.h"
#include "cpu/kernels/fold.h"

/* Each step of a line depends on the previous one, so several lines at a time hide the latency. */
enum { LINES = 8 };

/* The types of results: sums and products of integers are wide; floats are summed in double and stored in their own
** type. */
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
