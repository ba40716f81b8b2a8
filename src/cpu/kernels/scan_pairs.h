/* The loops of scan_loops.h for both accumulators of dtype D. */

#define TOTAL ISA_PASTE(WIDE, D)
#include "cpu/kernels/scan_loops.h"
#define TOTAL ISA_PASTE(SAME, D)
#include "cpu/kernels/scan_loops.h"

#undef D
