/* Inner loops of cross entropy for one row. cross_entropy_float32.c and cross_entropy_float64.c define REAL and
** include this file. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/kernels/largest.h"

INLINE void add_exponentials(int64_t count, const REAL *X, const REAL max, REAL *part) {
  for (; count > 0; count--, X += VECTOR) {
    #pragma omp simd
    for (int64_t j = 0; j < VECTOR; j++) part[j] += exp_to_0((REAL)(X[j] - max));
  }
}

/* Returns the sum of exp(x - max) over n elements. The elements after the last whole vector are padded with
** -infinity. */
OUTLINE double sum_of_exponentials(int64_t n, const REAL *X, const REAL max) {
  const int64_t rest = n % VECTOR, whole = n - rest;
  double s = 0;
  for (int64_t i = 0, some; i < whole; i += some) {
    REAL part[VECTOR] = {0};
    some = whole - i < IN_PART * VECTOR ? whole - i : IN_PART * VECTOR;
    add_exponentials(some / VECTOR, X + i, max, part);
    for (int64_t j = 0; j < VECTOR; j++) s += (double)part[j];
  }
  if (rest) {
    REAL part[VECTOR] = {0}, x[VECTOR];
    for (int64_t j = 0; j < VECTOR; j++) x[j] = j < rest ? X[whole + j] : -(REAL)INFINITY;
    add_exponentials(1, x, max, part);
    for (int64_t j = 0; j < VECTOR; j++) s += (double)part[j];
  }
  return s;
}

static cross_entropy_row loss(int64_t n, const void *in, int64_t at) {
  const REAL *x = in, max = largest_row_line(n, x, NULL);
  const double s = sum_of_exponentials(n, x, max);
  return (cross_entropy_row){(double)max, s, m_log(s) - ((double)x[at] - (double)max)};
}

static void gradient(int64_t n, const void *in, int64_t at, const cross_entropy_row *row, double scale, void *to) {
  const REAL *x = in, max = (REAL)row->largest, by = (REAL)(scale / row->sum);
  REAL *out = to;
  #pragma omp simd
  for (int64_t j = 0; j < n; j++) out[j] = exp_to_0((REAL)(x[j] - max)) * by;
  out[at] -= (REAL)scale;
}

const cross_entropy_table ISA_NAME(TABLE) = {loss, gradient};
