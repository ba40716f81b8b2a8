/* Kernels that run between the routines of the vendor's library. D is the dtype of the matrices; IS_REAL is 1 for real
** dtypes and 0 for complex dtypes; PIVOT is the type of the library's pivots. The matrices of a batch are contiguous and
** column-major. */

#define KERNEL_THREADS 256

#include "gpu/kernels/scalar.cuh"

typedef stored_t<D> T;

template <class C> struct part_of               { typedef C type; };
template <>        struct part_of<complex64_t>  { typedef float type; };
template <>        struct part_of<complex128_t> { typedef double type; };
typedef part_of<T>::type R;

/* Sets info[i] to -1 if one of the `count` elements of matrix i is infinite or NaN. */
KERNEL(check_finite)(const T *a, int64_t count, int64_t total, int *info) {
  int64_t i = (int64_t)grid_thread();
  if (i < total && !m_isfinite(a[i])) info[i / count] = -1;
}

/* Sets nan[i] to 1 if one of the `count` elements of matrix i is NaN. */
KERNEL(note_nan)(const T *a, int64_t count, int64_t total, int *nan) {
  int64_t i = (int64_t)grid_thread();
  if (i < total && m_isnan(a[i])) nan[i / count] = 1;
}

/* If nan[i] is set, fills the `count` elements of result i with NaN, and clears the status info[i]. */
KERNEL(spread_nan)(T *x, int64_t count, int64_t total, const int *nan, int *info) {
  int64_t i = (int64_t)grid_thread();
  if (i >= total || !nan[i / count]) return;
  x[i] = convert<D, DT_complex128>(complex128_t((double)NAN, (double)NAN));
  info[i / count] = 0;
}

/* Sets a triangle of each matrix to 0: the elements below the diagonal if `below` is not 0, otherwise the elements
** above the diagonal. A matrix has rows × columns elements. */
KERNEL(clear_triangle)(T *a, int64_t rows, int64_t columns, int64_t total, int below) {
  int64_t i = (int64_t)grid_thread();
  if (i >= total) return;
  int64_t row = i % rows, column = i / rows % columns;
  if (below ? row > column : row < column) a[i] = (T)0;
}

/* Copies the upper triangle of each matrix a (m × n) to r (p × n). Elements below the diagonal of r become 0. */
KERNEL(copy_upper)(const T *a, int64_t m, T *r, int64_t p, int64_t n, int64_t total) {
  int64_t i = (int64_t)grid_thread();
  if (i >= total) return;
  int64_t row = i % p, column = i / p % n, matrix = i / (p * n);
  r[i] = row <= column ? a[(matrix * n + column) * m + row] : (T)0;
}

/* Copies the first p columns of each matrix a (m × n) to q (m × p). If p > n, the remaining columns become 0. */
KERNEL(copy_columns)(const T *a, int64_t m, int64_t n, T *q, int64_t p, int64_t total) {
  int64_t i = (int64_t)grid_thread();
  if (i >= total) return;
  int64_t row = i % m, column = i / m % p, matrix = i / (m * p);
  q[i] = column < n ? a[(matrix * n + column) * m + row] : (T)0;
}

KERNEL(fill_identity)(T *a, int64_t n, int64_t total) {
  int64_t i = (int64_t)grid_thread();
  if (i < total) a[i] = (T)(i % n == i / n % n);
}

/* For each n × n Cholesky factor a with NaN on its diagonal, sets info to the row of the first NaN (1-based), unless the
** library has set it. All further elements of such a diagonal are NaN as well, so that one thread writes. */
KERNEL(find_nan)(const T *a, int64_t n, int64_t total, int *info) {
  int64_t i = (int64_t)grid_thread(), row = i % n, matrix = i / n;
  if (i >= total) return;
  const T *x = a + matrix * n * n + row * (n + 1);
  if (m_isnan(*x) && (row == 0 || !m_isnan(x[-n - 1])) && info[matrix] == 0) info[matrix] = (int)row + 1;
}

/* ---- pivots ---- */

/* Luatensor's pivots are int32. */

KERNEL(narrow_pivots)(const PIVOT *pivots, int32_t *out, int64_t total) {
  int64_t i = (int64_t)grid_thread();
  if (i < total) out[i] = (int32_t)pivots[i];
}

KERNEL(widen_pivots)(const int32_t *pivots, PIVOT *out, int64_t total) {
  int64_t i = (int64_t)grid_thread();
  if (i < total) out[i] = pivots[i];
}

/* Converts pivots to an order of rows: row i of L U is row order[i] (1-based) of a. Each matrix a has m rows and p
** pivots. A thread processes one matrix. */
KERNEL(follow_pivots)(const PIVOT *pivots, int64_t p, int64_t *order, int64_t m, int64_t batch) {
  int64_t matrix = (int64_t)grid_thread();
  if (matrix >= batch) return;
  pivots += matrix * p;
  order += matrix * m;
  for (int64_t i = 0; i < m; i++) order[i] = i + 1;
  for (int64_t i = 0; i < p; i++) {
    int64_t row = order[i], other = pivots[i] - 1;
    order[i] = order[other];
    order[other] = row;
  }
}

/* ---- determinants ---- */

/* The determinant of a is the product of the diagonal of U. Each swap of two rows changes the sign. */

INLINE complex128_t widened(T z) { return complex128_t(z); }
INLINE double size_of(complex128_t z) { return m_hypot_float64(z.re, z.im); }

INLINE double power_of_2(int e) { return from_bits_float64((uint64_t)(e + 1023) << 52); }

/* Returns x * 2^e. Large e are applied in steps of 2^±1000, because 2^e may not be representable. */
INLINE double shifted(double x, int e) {
  for (; e > 1000; e -= 1000) x *= 0x1p1000;
  for (; e < -1000; e += 1000) x *= 0x1p-1000;
  return x * power_of_2(e);
}

/* Scales z by a power of two, 2^-e, so that the larger of its two parts is in [0.5, 1). Without scaling, products
** might overflow. Zero, infinite and NaN z are not scaled. */
INLINE complex128_t scaled(complex128_t z, int *e) {
  double size = m_max_float64(abs_float64(z.re), abs_float64(z.im));
  bool tiny = size < 0x1p-1000;
  *e = 0;
  if (!(size > 0 && size < (double)INFINITY)) return z;
  *e = (int)(bits_float64(tiny ? size * 0x1p200 : size) >> 52) - 1022 - (tiny ? 200 : 0);
  return complex128_t(shifted(z.re, -*e), shifted(z.im, -*e));
}

INLINE bool is_odd(const PIVOT *pivots, int64_t n) {
  bool odd = false;
  for (int64_t i = 0; i < n; i++) odd ^= pivots[i] != i + 1;
  return odd;
}

INLINE T narrowed(complex128_t z) { return convert<D, DT_complex128>(z); }

/* Computes the determinants. A thread processes one matrix. info[i] is not 0 if matrix i is singular. */
KERNEL(make_det)(const T *a, int64_t n, const PIVOT *pivots, const int *info, T *det, int64_t batch) {
  int64_t matrix = (int64_t)grid_thread();
  if (matrix >= batch) return;
  bool singular = info[matrix] != 0;
  int e, exponent = 0;
  complex128_t made((double)(singular ? 0 : is_odd(pivots + matrix * n, n) ? -1 : 1), 0);
  for (int64_t i = 0; i < n && !singular; i++) {
    complex128_t factor = scaled(widened(a[matrix * n * n + i * (n + 1)]), &e);
    exponent += e;
    made = scaled(IS_REAL ? complex128_t(made.re * factor.re, 0) : m_mul(made, factor), &e);      /* infinity * 0 is NaN */
    exponent += e;
  }
  det[matrix] = narrowed(complex128_t(shifted(made.re, exponent), shifted(made.im, exponent)));
}

KERNEL(make_slogdet)(const T *a, int64_t n, const PIVOT *pivots, const int *info, T *sign, R *logarithm,
                     int64_t batch) {
  int64_t matrix = (int64_t)grid_thread();
  if (matrix >= batch) return;
  bool singular = info[matrix] != 0;
  complex128_t made((double)(singular ? 0 : is_odd(pivots + matrix * n, n) ? -1 : 1), 0);
  double sum = singular ? -(double)INFINITY : 0;
  for (int64_t i = 0; i < n && !singular; i++) {
    complex128_t z = widened(a[matrix * n * n + i * (n + 1)]);
    double size = size_of(z);
    made = m_mul(made, z / size);
    sum += m_log_float64(size);
  }
  sign[matrix] = narrowed(made);
  logarithm[matrix] = (R)sum;
}

/* ---- eigenvectors of real matrices ---- */

#if IS_REAL

/* Unpacks the eigenvectors. For a pair of conjugate eigenvalues, column j of `packed` is the real part of the first
** eigenvector, and column j + 1 is its imaginary part. The second eigenvector is the conjugate of the first. */
KERNEL(unpack_vectors)(const complex_of<T> *values, const T *packed, complex_of<T> *vectors, int64_t n) {
  int64_t i = (int64_t)grid_thread(), column = i / n, row = i % n;
  if (i >= n * n) return;
  T im = values[column].im;
  const T *re = packed + (im < 0 ? column - 1 : column) * n + row;
  vectors[i] = complex_of<T>(*re, im > 0 ? re[n] : im < 0 ? -re[n] : (T)0);
}

#endif

/* ---- least squares by singular values ---- */

/* Divides each row of y (p × k) by the row's singular value. A singular value is significant if it exceeds rtol times
** the largest singular value. Rows whose singular value is not significant become 0. Sets *rank to the number of
** significant values. */
KERNEL(divide_by_values)(T *y, const R *values, int64_t p, int64_t k, double rtol, int64_t *rank) {
  int64_t i = (int64_t)grid_thread();
  double least = (double)values[0] * rtol;
  if (i == 0) {
    int64_t n = 0;
    while (n < p && (double)values[n] > least) n++;
    *rank = n;
  }
  if (i < p * k) y[i] = (double)values[i % p] > least ? y[i] / values[i % p] : (T)0;
}

/* Writes rows n … ld - 1 of each column of b. Column j of `rest` contains the m elements of the residual of column j.
** Row n becomes the norm of this residual, and the following rows become 0. */
KERNEL(store_rest)(const T *rest, int64_t m, T *b, int64_t ld, int64_t n, int64_t k) {
  int64_t column = (int64_t)grid_thread();
  if (column >= k) return;
  double sum = 0;
  for (int64_t i = 0; i < m; i++) {
    complex128_t z = widened(rest[column * m + i]);
    sum += z.re * z.re + z.im * z.im;
  }
  for (int64_t i = n; i < ld; i++) b[column * ld + i] = (T)(i == n ? m_sqrt_float64(sum) : 0.0);
}
