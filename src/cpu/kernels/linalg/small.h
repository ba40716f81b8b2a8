/* Factorizations, solutions and inverses of small column-major matrices of one dtype. For small matrices, calling
** LAPACK would take longer than the computation. The including file defines T (the elements' type), REAL (the type of
** their parts), COMPLEX (1 or 0) and TABLE (the table's name). */

#include <math.h>

#include "cpu/cpu.h"

enum { SIDES = 8 };      /* the number of right-hand sides that are solved together; their elements in one row fill one
                         ** to eight vector registers, depending on T and the instruction set */

INLINE REAL absolute(REAL x) { return x < 0 ? -x : x; }

/* Returns |x| of a real number, or |re x| + |im x| of a complex number. */
INLINE REAL magnitude(const T *x) {
  const REAL *part = (const REAL *)x;
  return COMPLEX ? absolute(part[0]) + absolute(part[COMPLEX]) : absolute(part[0]);
}

/* Subtracts f * from[i] from to[i], for i < n. */
INLINE void minus(int n, T *to, const T *from, T f) {
#if COMPLEX
  const REAL *x = (const REAL *)from, re = ((REAL *)&f)[0], im = ((REAL *)&f)[1];
  REAL *y = (REAL *)to;
  for (int i = 0; i < 2 * n; i += 2) {
    y[i] -= x[i] * re - x[i + 1] * im;
    y[i + 1] -= x[i] * im + x[i + 1] * re;
  }
#else
  for (int i = 0; i < n; i++) to[i] -= from[i] * f;
#endif
}

/* Subtracts the sum of conj(left[i]) * right[i] from *sum, for i < n. */
INLINE void minus_dot(int n, const T *left, const T *right, T *sum) {
  const REAL *x = (const REAL *)left, *y = (const REAL *)right;
  REAL *s = (REAL *)sum;
  for (int i = 0; i < n << COMPLEX; i += 1 << COMPLEX) {
    s[0] -= x[i] * y[i];
#if COMPLEX
    s[0] -= x[i + 1] * y[i + 1];
    s[1] -= x[i] * y[i + 1] - x[i + 1] * y[i];
#endif
  }
}

/* ---- Cholesky ---- */

/* Like LAPACK's potrf for the upper triangle. */
static int cholesky(int n, void *matrix) {
  T *a = matrix;
  for (int j = 0; j < n; j++) {
    T *column = a + j * n;
    REAL *diagonal = (REAL *)(column + j);
    for (int k = 0; k < j; k++) {
      minus_dot(k, a + k * n, column, column + k);
      column[k] /= *(REAL *)(a + k * n + k);
    }
    minus_dot(j, column, column, column + j);
    if (!(diagonal[0] > 0)) return j + 1;
    diagonal[0] = (REAL)sqrt((double)diagonal[0]);
    if (COMPLEX) diagonal[COMPLEX] = 0;
  }
  return 0;
}

/* ---- LU ---- */

/* Swaps rows i and j of an m × n matrix. */
INLINE void swap(int m, int n, T *a, int i, int j) {
  for (int k = 0; i != j && k < n; k++, a += m) {
    T t = a[i];
    a[i] = a[j];
    a[j] = t;
  }
}

INLINE int greatest(int n, const T *x) {
  int at = 0;
  REAL most = magnitude(x);
  for (int i = 1; i < n; i++) {
    REAL size = magnitude(x + i);
    if (size > most) { most = size; at = i; }
  }
  return at;
}

/* Like LAPACK's getrf: the element of a column with the largest absolute value becomes the column's pivot. */
static int lu(int m, int n, void *matrix, int32_t *pivots) {
  T *a = matrix;
  int info = 0;
  for (int j = 0; j < m && j < n; j++) {
    T *column = a + j * m;
    int pivot = j + greatest(m - j, column + j), below = m - j - 1;
    pivots[j] = pivot + 1;
    if (column[pivot] == 0) { info = info ? info : j + 1; continue; }
    swap(m, n, a, j, pivot);
    for (int i = j + 1; i < m; i++) column[i] /= column[j];
    for (int k = j + 1; k < n; k++) minus(below, a + k * m + j + 1, column + j + 1, a[k * m + j]);
  }
  return info;
}

/* ---- solutions: x = U⁻¹ L⁻¹ P x ---- */

static void solve_one(int n, const T *lu, const int32_t *pivots, T *x) {
  for (int i = 0; i < n; i++) swap(n, 1, x, i, pivots[i] - 1);
  for (int j = 0; j < n; j++) minus(n - j - 1, x + j + 1, lu + j * n + j + 1, x[j]);
  for (int j = n - 1; j >= 0; j--) {
    x[j] /= lu[j * n + j];
    minus(j, x, lu + j * n, x[j]);
  }
}

/* Replaces SIDES right-hand sides x by their solutions, for the matrix that `lu` and `pivots` describe. x is
** row-major, so that a row is a vector. */
static void solve_rows(int n, const T *lu, const int32_t *pivots, T *x) {
  for (int i = 0; i < n; i++)
    if (pivots[i] != i + 1) swap(1, SIDES, x, i * SIDES, (pivots[i] - 1) * SIDES);
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) minus(SIDES, x + i * SIDES, x + j * SIDES, lu[j * n + i]);
  for (int j = n - 1; j >= 0; j--) {
    for (int r = 0; r < SIDES; r++) x[j * SIDES + r] /= lu[j * n + j];
    for (int i = 0; i < j; i++) minus(SIDES, x + i * SIDES, x + j * SIDES, lu[j * n + i]);
  }
}

static void solve(int n, int k, const void *factors, const int32_t *pivots, void *right) {
  T *b = right, x[LINALG_SMALL * SIDES];
  if (k == 1) { solve_one(n, factors, pivots, b); return; }
  for (; k > 0; k -= SIDES, b += SIDES * n) {
    int sides = k < SIDES ? k : SIDES;
    for (int i = 0; i < n; i++)
      for (int r = 0; r < SIDES; r++) x[i * SIDES + r] = r < sides ? b[r * n + i] : 0;
    solve_rows(n, factors, pivots, x);
    for (int i = 0; i < n; i++)
      for (int r = 0; r < sides; r++) b[r * n + i] = x[i * SIDES + r];
  }
}

static void invert(int n, void *matrix, const int32_t *pivots) {
  T *a = matrix, inverse[LINALG_SMALL * LINALG_SMALL];
  for (int i = 0; i < n * n; i++) inverse[i] = 0;
  for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
  solve(n, n, a, pivots, inverse);
  for (int i = 0; i < n * n; i++) a[i] = inverse[i];
}

static void transpose(int n, void *matrix) {
  T *a = matrix;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      T t = a[i * n + j];
      a[i * n + j] = a[j * n + i];
      a[j * n + i] = t;
    }
}

const linalg_kernel ISA_NAME(TABLE) = {cholesky, lu, solve, invert, transpose};
