/* The largest REAL of a line or of each column, which softmax and cross entropy subtract. */

#include "cpu/kernels/fold.h"

#define ELEMENT REAL
#define TOTAL   REAL
#include "cpu/kernels/fold_loops.h"

FOLDS(line, largest, REAL, REAL, double, -(REAL)INFINITY, m_max(a, x), m_max(a, b))
