/* Inner loops of attention: computing weights from scores, and gradients. attention_float32.c and attention_float64.c
** define REAL and include this file. */

#include "cpu/cpu.h"
#include "math/scalar.h"

/* Replaces scores by exp(score - maximum) and returns the sum of these exponentials. Sets *log_sum to the logarithm
** of the sum of exp(score), which the backward pass uses. If all scores are -infinity, because the query sees no key,
** the sum is 0 and *log_sum is infinity. */
static double weights(int64_t n, void *scores, double *log_sum) {
  REAL *x = scores, max = -(REAL)INFINITY, sum = 0;
  #pragma omp simd reduction(max : max)
  for (int64_t i = 0; i < n; i++) max = x[i] > max ? x[i] : max;
  if (max == -(REAL)INFINITY) max = 0;
  #pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    REAL e = m_exp(x[i] - max);
    x[i] = e;
    sum += e;
  }
  *log_sum = sum == 0 ? INFINITY : (double)max + (double)m_log(sum);
  return (double)sum;
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
  for (int64_t i = 0; i < n; i++) x[i] += m[i * step];
}

static void hide(int64_t n, void *row, const bool *mask, int64_t step) {
  REAL *x = row;
  for (int64_t i = 0; i < n; i++) x[i] = mask[i * step] ? x[i] : -(REAL)INFINITY;
}

static double dot_row(int64_t n, const void *a, const void *b) {
  const REAL *x = a, *y = b;
  REAL s = 0;
  #pragma omp simd reduction(+ : s)
  for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
  return (double)s;
}

/* The backward pass of one row. Recomputes the weights from the scores and log_sum, and writes the weights over the
** scores. `gradients` contains the gradients of the weights, and receives the gradients of the scores. `delta` is the
** dot product of the weights and their gradients. */
static void back(int64_t n, void *scores, void *gradients, double log_sum, double delta) {
  REAL *x = scores, *g = gradients;
  const REAL l = (REAL)log_sum, d = (REAL)delta;
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    REAL p = m_exp(x[i] - l);
    x[i] = p;
    g[i] = p * (g[i] - d);
  }
}

const attention_table ISA_NAME(TABLE) = {weights, scale_row, add_row, hide, dot_row, back};
