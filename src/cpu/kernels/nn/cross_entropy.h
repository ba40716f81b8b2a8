/* Inner loops of cross entropy for one row. cross_entropy_float32.c and cross_entropy_float64.c define REAL and
** include this file. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"

/* Rows are read in whole vectors. Shorter rows are padded to a vector with -infinity, whose exponential is 0. */
INLINE const REAL *padded(int64_t n, const REAL *X, REAL *few) {
  if (n >= VECTOR) return X;
  for (int j = 0; j < VECTOR; j++) few[j] = j < n ? X[j] : -(REAL)INFINITY;
  return few;
}

/* Adds the exponentials of a vector to `part`, except for the first `skip` exponentials. */
INLINE void add_exponentials(const REAL *X, const REAL max, int skip, REAL *part) {
  #pragma omp simd
  for (int j = 0; j < VECTOR; j++) {
    const REAL e = exp_to_0((REAL)(X[j] - max));
    part[j] += j < skip ? 0 : e;
  }
}

/* Returns the sum of exp(x - max) over n >= VECTOR elements. The last vector ends at the row's end, and may overlap the
** vector before it. */
INLINE double sum_of_exponentials(int64_t n, const REAL *X, const REAL max) {
  REAL part[VECTOR] = {0};
  double s = 0;
  for (int64_t i = 0, vectors = (n - 1) / VECTOR; i < vectors; ) {
    const int64_t stop = vectors - i < IN_PART ? vectors : i + IN_PART;
    for (; i < stop; i++) add_exponentials(X + i * VECTOR, max, 0, part);
    s += sum_of_part(part);
    memset(part, 0, sizeof part);
  }
  add_exponentials(X + n - VECTOR, max, (int)(-n & (VECTOR - 1)), part);
  return s + sum_of_part(part);
}

static cross_entropy_row loss(int64_t n, const void *in, int64_t at) {
  REAL few[VECTOR];
  const REAL *x = padded(n, in, few), max = top_of_row(n < VECTOR ? VECTOR : n, x);
  const double s = sum_of_exponentials(n < VECTOR ? VECTOR : n, x, max);
  return (cross_entropy_row){(double)max, s, m_log(s) - ((double)x[at] - (double)max)};
}

INLINE void one_vector(const REAL *X, const REAL max, const REAL by, REAL *out) {
  #pragma omp simd
  for (int j = 0; j < VECTOR; j++) out[j] = exp_to_0((REAL)(X[j] - max)) * by;
}

/* `to` may be equal to `in`. Therefore the last vector, which may overlap the vector before it, is computed first and
** stored last. */
static void gradient(int64_t n, const void *in, int64_t at, const cross_entropy_row *row, double scale, void *to) {
  REAL few[VECTOR], end[VECTOR], *out = to;
  const REAL *x = padded(n, in, few), max = (REAL)row->largest, by = (REAL)(scale / row->sum);
  one_vector(n < VECTOR ? x : x + n - VECTOR, max, by, end);
  for (int64_t i = 0; i < n - VECTOR; i += VECTOR) one_vector(x + i, max, by, out + i);
  if (n < VECTOR) memcpy(out, end, (size_t)n * sizeof(REAL));
  else memcpy(out + n - VECTOR, end, sizeof end);
  out[at] -= (REAL)scale;
}

const cross_entropy_table ISA_NAME(TABLE) = {loss, gradient};
