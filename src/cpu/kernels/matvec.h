/* Matrix-vector products that read each element of a matrix a once and use it twice, for a f and for aᵀ x
** (matvec_kernel.h). matvec_float32.c and matvec_float64.c define REAL and include this file. */

#include "cpu/kernels/vector.h"

enum { COLUMNS = 4 };

INLINE REAL sum_of(vector v) {
  REAL sum = 0;
  for (int k = 0; k < (int)LANES; k++) sum += v[k];
  return sum;
}

/* Sets sums[c] to the dot product of column c and x, for c < count. Columns have m elements and are `ld` elements
** apart. */
INLINE void dots(int count, int64_t m, const REAL *a, int64_t ld, const REAL *x, REAL *sums) {
  vector wide[COLUMNS] = {{0}};
  REAL tail[COLUMNS] = {0};
  int64_t i = 0;
  for (; i + LANES <= m; i += LANES)
    for (int c = 0; c < count; c++) wide[c] += load(a + c * ld + i) * load(x + i);
  for (; i < m; i++)
    for (int c = 0; c < count; c++) tail[c] += a[c * ld + i] * x[i];
  for (int c = 0; c < count; c++) sums[c] = sum_of(wide[c]) + tail[c];
}

/* Adds f[c] times column c to y, for c < count. Columns have m elements and are `ld` elements apart. */
INLINE void add_columns(int count, int64_t m, const REAL *a, int64_t ld, const REAL *f, REAL *y) {
  int64_t i = 0;
  for (; i + LANES <= m; i += LANES) {
    vector sum = load(y + i);
    for (int c = 0; c < count; c++) sum += load(a + c * ld + i) * f[c];
    store(y + i, sum);
  }
  for (; i < m; i++)
    for (int c = 0; c < count; c++) y[i] += a[c * ld + i] * f[c];
}

/* Adds the product a f to y and sets sums = aᵀ x, for the m × COLUMNS matrix a, whose elements are read only once. */
INLINE void both(int64_t m, const REAL *a, int64_t ld, const REAL *f, const REAL *x, REAL *y, REAL *sums) {
  vector wide[COLUMNS] = {{0}};
  REAL tail[COLUMNS] = {0};
  int64_t i = 0;
  for (; i + LANES <= m; i += LANES) {
    vector sum = load(y + i), other = load(x + i);
    for (int c = 0; c < COLUMNS; c++) {
      vector v = load(a + c * ld + i);
      sum += v * f[c];
      wide[c] += v * other;
    }
    store(y + i, sum);
  }
  for (; i < m; i++)
    for (int c = 0; c < COLUMNS; c++) {
      y[i] += a[c * ld + i] * f[c];
      tail[c] += a[c * ld + i] * x[i];
    }
  for (int c = 0; c < COLUMNS; c++) sums[c] = sum_of(wide[c]) + tail[c];
}

/* Adds the product s x to y, for a symmetric matrix s of `count` rows. a has the lower triangle of s, in columns that
** are `ld` elements apart. */
INLINE void corner(int count, const REAL *a, int64_t ld, const REAL *x, REAL *y) {
  for (int c = 0; c < count; c++) {
    y[c] += a[c * ld + c] * x[c];
    for (int i = c + 1; i < count; i++) {
      y[i] += a[c * ld + i] * x[c];
      y[c] += a[c * ld + i] * x[i];
    }
  }
}

static void symmetric(int64_t m, int64_t n, const void *matrix, int64_t ld, const void *right, void *result) {
  const REAL *a = matrix, *x = right;
  REAL *y = result, sums[COLUMNS];
  for (; n >= COLUMNS; n -= COLUMNS, m -= COLUMNS, a += COLUMNS * (ld + 1), x += COLUMNS, y += COLUMNS) {
    corner(COLUMNS, a, ld, x, y);
    both(m - COLUMNS, a + COLUMNS, ld, x, x + COLUMNS, y + COLUMNS, sums);
    for (int c = 0; c < COLUMNS; c++) y[c] += sums[c];
  }
  for (; n > 0; n--, m--, a += ld + 1, x++, y++) {
    dots(1, m - 1, a + 1, ld, x + 1, sums);
    add_columns(1, m - 1, a + 1, ld, x, y + 1);
    y[0] += a[0] * x[0] + sums[0];
  }
}

INLINE void columns_step(int count, const matvec_step *s, int64_t j) {
  const REAL *a = (const REAL *)s->a + j * s->ld;
  REAL *y = (REAL *)s->y + j, *row = (REAL *)s->row + j, sums[COLUMNS];
  dots(count, s->m, a, s->ld, s->u, sums);
  for (int c = 0; c < count; c++) {
    y[c] = (REAL)s->factor * (sums[c] - y[c]);
    row[c] = a[c * s->ld] - row[c] - y[c];
  }
  add_columns(count, s->m, a, s->ld, row, s->sum);
}

static void bidiagonal(const matvec_step *s) {
  int64_t j = 0;
  for (; j + COLUMNS <= s->n; j += COLUMNS) columns_step(COLUMNS, s, j);
  for (; j < s->n; j++) columns_step(1, s, j);
}

static void combine(int64_t n, double alpha, const void *from, double beta, void *to) {
  const REAL *x = from, f = (REAL)alpha, g = (REAL)beta;
  REAL *y = to;
  for (int64_t i = 0; i < n; i++) y[i] = f * x[i] + g * y[i];
}

static double dot(int64_t n, const void *left, const void *right) {
  REAL sum;
  dots(1, n, left, n, right, &sum);
  return (double)sum;
}

const matvec_table ISA_NAME(TABLE) = {symmetric, bidiagonal, combine, dot};
