/* The loops of fold_loops.h for elements of dtype D and each type of accumulators. Sums and products convert the
** element to the type WIDE first. */

#define ELEMENT ISA_PASTE(SAME, D)
#define TAKEN   ISA_PASTE(WIDE, D)
#define TOTAL   ISA_PASTE(WIDE, D)
#include "cpu/kernels/fold_loops.h"

#define ELEMENT ISA_PASTE(SAME, D)
#define TOTAL   ISA_PASTE(SAME, D)
#include "cpu/kernels/fold_loops.h"

#define ELEMENT ISA_PASTE(SAME, D)
#define TOTAL   ISA_PASTE(FLAG, D)
#include "cpu/kernels/fold_loops.h"

#define ELEMENT ISA_PASTE(SAME, D)
#define TOTAL   ISA_PASTE(COUNT, D)
#include "cpu/kernels/fold_loops.h"

#undef D
