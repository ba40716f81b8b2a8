/* The largest REAL of a row or of each column. Softmax and cross entropy subtract this number before computing
** exponentials. */

#include "cpu/kernels/fold.h"

#define ELEMENT REAL
#define TOTAL   REAL
#include "cpu/kernels/fold_loops.h"

FOLDS(line, largest, REAL, REAL, double, -(REAL)INFINITY, m_max(a, x), m_max(a, b))
