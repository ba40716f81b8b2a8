/* LU factorization, solutions and inverses of small matrices: LAPACK's way of calling takes longer than their work.
** Column-major. */

#include "../cpu.h"

enum { SIDES = 8 };      /* right sides at a time: one to four vectors of each row */

#define MAGNITUDE_REAL(D, x)    (x < 0 ? -x : x)
#define MAGNITUDE_COMPLEX(D, x) (MAGNITUDE_REAL(D, real_##D(x)) + MAGNITUDE_REAL(D, imag_##D(x)))

/* y -= x * f */
#define MINUS_REAL(D, T, R)                                                       \
  INLINE void minus_##D(int n, T *y, const T *x, T f) {                           \
    for (int i = 0; i < n; i++) y[i] -= x[i] * f;                                 \
  }
#define MINUS_COMPLEX(D, T, R)                                                    \
  INLINE void minus_##D(int n, T *to, const T *from, T f) {                       \
    const R *x = (const R *)from, re = real_##D(f), im = imag_##D(f);             \
    R *y = (R *)to;                                                               \
    for (int i = 0; i < 2 * n; i += 2) {                                          \
      y[i] -= x[i] * re - x[i + 1] * im;                                          \
      y[i + 1] -= x[i] * im + x[i + 1] * re;                                      \
    }                                                                             \
  }

/* Rows i and j of m × n. */
#define SWAP(D, T)                                                                \
  INLINE void swap_##D(int m, int n, T *a, int i, int j) {                        \
    for (int k = 0; i != j && k < n; k++, a += m) {                               \
      T t = a[i];                                                                 \
      a[i] = a[j];                                                                \
      a[j] = t;                                                                   \
    }                                                                             \
  }

/* As getrf: the greatest element of a column becomes its pivot. */
#define LU(D, T, R, KIND)                                                         \
  INLINE int greatest_##D(int n, const T *x) {                                    \
    int at = 0;                                                                   \
    R most = MAGNITUDE_##KIND(D, x[0]);                                           \
    for (int i = 1; i < n; i++) {                                                 \
      R size = MAGNITUDE_##KIND(D, x[i]);                                         \
      if (size > most) { most = size; at = i; }                                   \
    }                                                                             \
    return at;                                                                    \
  }                                                                               \
  static int lu_##D(int m, int n, void *matrix, int32_t *pivots) {                \
    T *a = matrix;                                                                \
    int info = 0;                                                                 \
    for (int j = 0; j < m && j < n; j++) {                                        \
      T *column = a + j * m;                                                      \
      int pivot = j + greatest_##D(m - j, column + j), below = m - j - 1;         \
      pivots[j] = pivot + 1;                                                      \
      if (column[pivot] == 0) { info = info ? info : j + 1; continue; }           \
      swap_##D(m, n, a, j, pivot);                                                \
      for (int i = j + 1; i < m; i++) column[i] /= column[j];                     \
      for (int k = j + 1; k < n; k++)                                             \
        minus_##D(below, a + k * m + j + 1, column + j + 1, a[k * m + j]);        \
    }                                                                             \
    return info;                                                                  \
  }

/* x = U⁻¹ L⁻¹ x for one right side, and for SIDES of them, row by row. */
#define SOLVE(D, T)                                                               \
  static void solve_one_##D(int n, const T *lu, const int32_t *pivots, T *x) {    \
    for (int i = 0; i < n; i++) swap_##D(n, 1, x, i, pivots[i] - 1);              \
    for (int j = 0; j < n; j++) minus_##D(n - j - 1, x + j + 1, lu + j * n + j + 1, x[j]);  \
    for (int j = n - 1; j >= 0; j--) {                                            \
      x[j] /= lu[j * n + j];                                                      \
      minus_##D(j, x, lu + j * n, x[j]);                                          \
    }                                                                             \
  }                                                                               \
  static void solve_rows_##D(int n, const T *lu, const int32_t *pivots, T *x) {   \
    for (int i = 0; i < n; i++)                                                   \
      if (pivots[i] != i + 1) swap_##D(1, SIDES, x, i * SIDES, (pivots[i] - 1) * SIDES);    \
    for (int j = 0; j < n; j++)                                                   \
      for (int i = j + 1; i < n; i++) minus_##D(SIDES, x + i * SIDES, x + j * SIDES, lu[j * n + i]);  \
    for (int j = n - 1; j >= 0; j--) {                                            \
      for (int r = 0; r < SIDES; r++) x[j * SIDES + r] /= lu[j * n + j];          \
      for (int i = 0; i < j; i++) minus_##D(SIDES, x + i * SIDES, x + j * SIDES, lu[j * n + i]);      \
    }                                                                             \
  }                                                                               \
  static void solve_##D(int n, int k, const void *lu, const int32_t *pivots, void *right) { \
    T *b = right, x[LINALG_SMALL * SIDES];                                        \
    if (k == 1) { solve_one_##D(n, lu, pivots, b); return; }                      \
    for (; k > 0; k -= SIDES, b += SIDES * n) {                                   \
      int sides = k < SIDES ? k : SIDES;                                          \
      for (int i = 0; i < n; i++)                                                 \
        for (int r = 0; r < SIDES; r++) x[i * SIDES + r] = r < sides ? b[r * n + i] : 0;    \
      solve_rows_##D(n, lu, pivots, x);                                           \
      for (int i = 0; i < n; i++)                                                 \
        for (int r = 0; r < sides; r++) b[r * n + i] = x[i * SIDES + r];          \
    }                                                                             \
  }                                                                               \
  static void invert_##D(int n, void *matrix, const int32_t *pivots) {            \
    T *a = matrix, inverse[LINALG_SMALL * LINALG_SMALL];                          \
    for (int i = 0; i < n * n; i++) inverse[i] = 0;                               \
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1;                           \
    solve_##D(n, n, a, pivots, inverse);                                          \
    for (int i = 0; i < n * n; i++) a[i] = inverse[i];                            \
  }                                                                               \
  static void transpose_##D(int n, void *matrix) {                                \
    T *a = matrix;                                                                \
    for (int i = 0; i < n; i++)                                                   \
      for (int j = 0; j < i; j++) {                                               \
        T t = a[i * n + j];                                                       \
        a[i * n + j] = a[j * n + i];                                              \
        a[j * n + i] = t;                                                         \
      }                                                                           \
  }

#define KERNELS(D, T, R, KIND) MINUS_##KIND(D, T, R) SWAP(D, T) LU(D, T, R, KIND) SOLVE(D, T)
#define ENTRY(D) [DT_##D] = {lu_##D, solve_##D, invert_##D, transpose_##D}

KERNELS(float32, float, float, REAL)
KERNELS(float64, double, double, REAL)
KERNELS(complex64, complex64_t, float, COMPLEX)
KERNELS(complex128, complex128_t, double, COMPLEX)

const linalg_table ISA_NAME(linalg_table) = {
  .kernel = {ENTRY(float32), ENTRY(float64), ENTRY(complex64), ENTRY(complex128)}
};
