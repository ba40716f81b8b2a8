/* The loops of scan_loops.h for elements of dtype D, with accumulators of the types WIDE and SAME. */

#define TOTAL ISA_PASTE(WIDE, D)
#include "cpu/kernels/scan_loops.h"
#define TOTAL ISA_PASTE(SAME, D)
#include "cpu/kernels/scan_loops.h"

#undef D
