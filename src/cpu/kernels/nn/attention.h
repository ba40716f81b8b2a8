/* Inner loops of attention: computing weights from scores, and gradients. attention_float32.c and attention_float64.c
** define REAL and include this file. */

#include "cpu/cpu.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/nn/attention_kernel.h"
#include "math/scalar.h"

_Static_assert((int)ATTENTION_ROOM >= (int)VECTOR, "rows have room for a whole vector");

/* The functions of one vector use its first `some` elements. They read all elements, because a row has room for whole
** vectors, and write 0 to the others. */

/* Replaces the elements of `top` by larger elements of x. */
INLINE void find_larger(const REAL *x, const int some, REAL *top) {
  #pragma omp simd
  for (int j = 0; j < VECTOR; j++) {
    const REAL v = j < some ? x[j] : -(REAL)INFINITY;
    top[j] = top[j] > v ? top[j] : v;
  }
}

/* Returns the largest of VECTOR elements. */
INLINE REAL largest_lane(REAL *top) {
  for (int w = VECTOR / 2; w > 0; w /= 2)
    for (int j = 0; j < w; j++) top[j] = top[j] > top[w + j] ? top[j] : top[w + j];
  return top[0];
}

INLINE void exponentials(REAL *x, const int some, const REAL max, REAL *part) {
  #pragma omp simd
  for (int j = 0; j < VECTOR; j++) {
    const REAL e = exp_to_0((REAL)(x[j] - max)), kept = j < some ? e : 0;
    x[j] = kept;
    part[j] += kept;
  }
}

/* Replaces scores by exp(score - maximum) and returns the sum of these exponentials. Unless log_sum is NULL, sets
** *log_sum to the logarithm of the sum of exp(score), which the backward pass uses. If all scores are -infinity, because
** the query sees no key, the sum is 0 and *log_sum is infinity. */
static double weights(int64_t n, void *scores, double *log_sum) {
  REAL *x = scores, part[VECTOR] = {0}, top[VECTOR];
  const int64_t whole = n & ~(int64_t)(VECTOR - 1);
  const int rest = (int)(n - whole);
  for (int j = 0; j < VECTOR; j++) top[j] = -(REAL)INFINITY;
  for (int64_t i = 0; i < whole; i += VECTOR) find_larger(x + i, VECTOR, top);
  if (rest) find_larger(x + whole, rest, top);
  REAL max = largest_lane(top);
  if (max == -(REAL)INFINITY) max = 0;
  for (int64_t i = 0; i < whole; i += VECTOR) exponentials(x + i, VECTOR, max, part);
  if (rest) exponentials(x + whole, rest, max, part);
  const double sum = sum_of_part(part);
  if (log_sum) *log_sum = sum == 0 ? INFINITY : (double)max + (double)m_log((REAL)sum);
  return sum;
}

static void scale_row(int64_t n, void *row, double factor) {
  REAL *x = row;
  const REAL by = (REAL)factor;
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) x[i] *= by;
}

static void add_row(int64_t n, void *row, const void *mask, int64_t step) {
  REAL *x = row;
  const REAL *m = mask;
  if (step != 1) {
    for (int64_t i = 0; i < n; i++) x[i] += m[i * step];
    return;
  }
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) x[i] += m[i];
}

static void hide(int64_t n, void *row, const bool *mask, int64_t step) {
  REAL *x = row;
  const unsigned char *seen = (const unsigned char *)mask;      /* gcc 12 does not vectorise loads of bool */
  if (step != 1) {
    for (int64_t i = 0; i < n; i++) x[i] = seen[i * step] ? x[i] : -(REAL)INFINITY;
    return;
  }
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    const REAL score = x[i], other = -(REAL)INFINITY;
    x[i] = seen[i] != 0 ? score : other;
  }
}

static double dot_row(int64_t n, const void *a, const void *b) {
  const REAL *x = a, *y = b;
  REAL s = 0;
  #pragma omp simd reduction(+ : s)
  for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
  return (double)s;
}

INLINE void gradients_of_scores(REAL *x, REAL *g, const int some, const REAL l, const REAL d) {
  #pragma omp simd
  for (int j = 0; j < VECTOR; j++) {
    const REAL e = exp_to_0((REAL)(x[j] - l)), p = j < some ? e : 0;
    x[j] = p;
    g[j] = j < some ? p * (g[j] - d) : 0;
  }
}

/* The backward pass of one row. Recomputes the weights from the scores and log_sum, and writes the weights over the
** scores. `gradients` contains the gradients of the weights, and receives the gradients of the scores. `delta` is the
** dot product of the weights and their gradients. */
static void back(int64_t n, void *scores, void *gradients, double log_sum, double delta) {
  REAL *x = scores, *g = gradients;
  const REAL l = (REAL)log_sum, d = (REAL)delta;
  const int64_t whole = n & ~(int64_t)(VECTOR - 1);
  const int rest = (int)(n - whole);
  for (int64_t i = 0; i < whole; i += VECTOR) gradients_of_scores(x + i, g + i, VECTOR, l, d);
  if (rest) gradients_of_scores(x + whole, g + whole, rest, l, d);
}

const attention_table ISA_NAME(TABLE) = {weights, scale_row, add_row, hide, dot_row, back};
