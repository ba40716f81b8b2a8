/* The loops of fold_loops.h for each accumulator of dtype D. Sums and products widen the element first. */

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
