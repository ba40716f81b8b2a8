/* Factorizations, solutions and inverses of many small real matrices at once (cpu/linalg/lanes_kernel.h). Lane l of each
** vector belongs to matrix l.
**
** lanes_float32.c and lanes_float64.c define REAL, INTEGER (the integer of the same size), ROOT (the square root) and
** TABLE, and include this file. They also define EPSILON, the distance from 1 to the next number, and LOW and HIGH,
** between which squares of a column's elements, and their sum, neither overflow nor underflow.
**
** LU factors, solutions and inverses have the bits of the kernels of small.h, because both compute the same steps in the
** same order for each element. */

#include <math.h>

#include "cpu/kernels/vector.h"

typedef INTEGER mask __attribute__((vector_size(BYTES)));        /* a comparison's result, or one integer for each lane */

INLINE vector choose(mask m, vector x, vector y) { return (vector)((m & (mask)x) | (~m & (mask)y)); }
INLINE mask   choose_integer(mask m, mask x, mask y) { return (m & x) | (~m & y); }
INLINE mask   integers(INTEGER x) { return x - (mask){0}; }
INLINE vector absolute(vector x) { return (vector)((mask)x & ~(mask)all((REAL)-0.0)); }

INLINE bool any(mask m) {
  INTEGER set = 0;
  for (int l = 0; l < LANES; l++) set |= m[l];
  return set != 0;
}

INLINE vector square_root(vector x) {
  REAL lane[LANES];
  store(lane, x);
  for (int l = 0; l < LANES; l++) lane[l] = ROOT(lane[l]);
  return load(lane);
}

/* ---- matrices in memory ---- */

/* Reads element i * row + j * column of each matrix a to to[j * m + i]. The last matrix fills the lanes from `count`
** on. */
static void take(const lanes_call *c, int64_t row, int64_t column, vector *to) {
  for (int l = 0; l < LANES; l++) {
    const REAL *matrix = (const REAL *)c->a + (l < c->count ? l : c->count - 1) * (int64_t)c->m * c->n;
    REAL *lane = (REAL *)to + l;
    for (int j = 0; j < c->n; j++)
      for (int i = 0; i < c->m; i++) lane[(j * c->m + i) * LANES] = matrix[i * row + j * column];
  }
}

/* Writes `size` vectors, which are the elements of a matrix in their order in memory. */
static void give(const lanes_call *c, int64_t size, const vector *from, void *to) {
  for (int l = 0; l < c->count; l++) {
    REAL *matrix = (REAL *)to + l * size;
    const REAL *lane = (const REAL *)from + l;
    for (int64_t i = 0; i < size; i++) matrix[i] = lane[i * LANES];
  }
}

static void give_info(const lanes_call *c, mask info) {
  for (int l = 0; l < c->count; l++) c->info[l] = (int32_t)info[l];
}

/* ---- LU ---- */

/* Returns the row from j on with the largest absolute value of column j, for each lane. */
INLINE mask find_pivot(int m, int j, const vector *column) {
  mask at = integers(j);
  vector most = absolute(column[j]);
  for (int i = j + 1; i < m; i++) {
    vector size = absolute(column[i]);
    mask more = size > most;
    most = choose(more, size, most);
    at = choose_integer(more, integers(i), at);
  }
  return at;
}

/* Swaps rows j and at[l] of each matrix. */
INLINE void swap_rows(int m, int n, vector *a, int j, mask at) {
  for (vector *column = a; column < a + n * m; column += m) {
    vector old = column[j], top = old;
    for (int i = j + 1; i < m; i++) {
      vector x = column[i];
      top = choose(at == i, x, top);
      column[i] = choose(at == i, old, x);
    }
    column[j] = top;
  }
}

/* Divides column j by its pivot, and subtracts row j from the rows below it. If `guarded` is true, lanes with a pivot of
** zero keep their elements. */
INLINE void eliminate(const bool guarded, mask zero, int m, int n, vector *a, int j) {
  vector *column = a + j * m, pivot = column[j];
  for (int i = j + 1; i < m; i++) {
    vector x = column[i] / pivot;
    column[i] = guarded ? choose(zero, column[i], x) : x;
  }
  for (vector *right = column + m; right < a + n * m; right += m)
    for (int i = j + 1; i < m; i++) {
      vector x = right[i] - column[i] * right[j];
      right[i] = guarded ? choose(zero, right[i], x) : x;
    }
}

/* Like the kernel `lu` of small.h. Returns the infos. */
static mask factor(int m, int n, vector *a, mask *pivots) {
  mask info = {0};
  for (int j = 0; j < m && j < n; j++) {
    pivots[j] = find_pivot(m, j, a + j * m);
    swap_rows(m, n, a, j, pivots[j]);
    mask zero = a[j * m + j] == 0;
    info = choose_integer(zero & (info == 0), integers(j + 1), info);
    if (any(zero)) eliminate(true, zero, m, n, a, j);
    else eliminate(false, zero, m, n, a, j);
  }
  return info;
}

/* The vectors in lanes_call.room. */
typedef struct room {
  vector *a, *other, *sides;
  mask   *pivots;
} room;

static room room_of(const lanes_call *c) {
  int most = c->m > c->n ? c->m : c->n;
  vector *a = c->room, *sides = a + 2 * most * most;
  return (room){a, a + most * most, sides, (mask *)(sides + LANES_SIDES * most)};
}

static void lu(const lanes_call *c) {
  room r = room_of(c);
  int steps = c->m < c->n ? c->m : c->n;
  take(c, 1, c->m, r.a);
  give_info(c, factor(c->m, c->n, r.a, r.pivots));
  give(c, (int64_t)c->m * c->n, r.a, c->a);
  for (int l = 0; l < c->count; l++)
    for (int j = 0; j < steps; j++) c->pivots[l * steps + j] = (int32_t)r.pivots[j][l] + 1;
}

/* ---- solutions: x = U⁻¹ L⁻¹ P x ---- */

typedef int16_t row_order[LANES_ROWS][LANES];

/* Sets order[i][l] to the row of matrix l that became row i of L U. */
static void follow_pivots(int n, const mask *pivots, row_order order) {
  for (int i = 0; i < n; i++)
    for (int l = 0; l < LANES; l++) order[i][l] = (int16_t)i;
  for (int i = 0; i < n; i++)
    for (int l = 0; l < LANES; l++) {
      int64_t p = pivots[i][l];
      int16_t row = order[i][l];
      order[i][l] = order[p][l];
      order[p][l] = row;
    }
}

/* Replaces `sides` right-hand sides x, column by column, by L⁻¹ x, then by U⁻¹ x. */
static void substitute(int n, int sides, const vector *lu, vector *x) {
  for (vector *column = x; column < x + sides * n; column += n) {
    for (int j = 0; j < n; j++)
      for (int i = j + 1; i < n; i++) column[i] -= lu[j * n + i] * column[j];
    for (int j = n - 1; j >= 0; j--) {
      column[j] /= lu[j * n + j];
      for (int i = 0; i < j; i++) column[i] -= lu[j * n + i] * column[j];
    }
  }
}

/* Factors the matrices in r.a, and solves for k columns of `right`. If `right` is NULL, they are the columns of the
** identity. */
static void solve_all(const lanes_call *c, room r, int k, const REAL *right, REAL *to) {
  int n = c->n;
  row_order order;
  give_info(c, factor(n, n, r.a, r.pivots));
  follow_pivots(n, r.pivots, order);
  for (int first = 0, sides; first < k; first += sides) {
    sides = k - first < LANES_SIDES ? k - first : LANES_SIDES;
    for (int l = 0; l < LANES; l++) {
      int64_t matrix = l < c->count ? l : c->count - 1;
      REAL *x = (REAL *)r.sides + l;
      for (int j = 0; j < sides; j++)
        for (int i = 0; i < n; i++, x += LANES)
          *x = right ? right[(matrix * k + first + j) * n + order[i][l]] : (REAL)(order[i][l] == first + j);
    }
    substitute(n, sides, r.a, r.sides);
    for (int l = 0; l < c->count; l++) {
      REAL *column = to + ((int64_t)l * k + first) * n;
      const REAL *x = (const REAL *)r.sides + l;
      for (int i = 0; i < sides * n; i++) column[i] = x[i * LANES];
    }
  }
}

static void solve(const lanes_call *c) {
  room r = room_of(c);
  take(c, c->transposed ? c->n : 1, c->transposed ? 1 : c->m, r.a);
  solve_all(c, r, c->k, c->b, c->b);
}

static void invert(const lanes_call *c) {
  room r = room_of(c);
  take(c, 1, c->m, r.a);
  solve_all(c, r, c->n, NULL, c->a);
}

/* ---- Cholesky ---- */

/* Like the kernel `cholesky` of small.h, but continues after a diagonal element that is not positive. */
static void cholesky(const lanes_call *c) {
  room r = room_of(c);
  mask info = {0};
  int n = c->n;
  take(c, 1, n, r.a);
  for (int j = 0; j < n; j++) {
    vector *column = r.a + j * n;
    for (int k = 0; k < j; k++) {
      for (int i = 0; i < k; i++) column[k] -= r.a[k * n + i] * column[i];
      column[k] /= r.a[k * n + k];
    }
    for (int i = 0; i < j; i++) column[j] -= column[i] * column[i];
    info = choose_integer(~(column[j] > 0) & (info == 0), integers(j + 1), info);
    column[j] = square_root(column[j]);
  }
  give_info(c, info);
  give(c, (int64_t)n * n, r.a, c->a);
}

/* ---- QR ---- */

/* Returns the largest absolute value of n elements. */
INLINE vector largest(int n, const vector *x) {
  vector most = absolute(x[0]);
  for (int i = 1; i < n; i++) {
    vector size = absolute(x[i]);
    most = choose(size > most, size, most);
  }
  return most;
}

/* Returns divisors of a column's elements from j on such that their squares neither overflow nor underflow. Sets *plain
** if all divisors are 1. */
INLINE vector divisors(int m, int j, const vector *column, bool *plain) {
  vector most = largest(m - j, column + j);
  mask large = (most > 0) & ~((most > (REAL)LOW) & (most < (REAL)HIGH));
  *plain = !any(large);
  return choose(large, most, all(1));
}

/* Makes the reflection that maps a column's elements from j on to a multiple of the unit vector j, like LAPACK's larfg.
** Its vector u replaces the elements below j, u[j] is 1, and the multiple replaces element j. Returns the factor of
** I - factor u uᵀ. It is 0 where the elements below j are 0, unless element j was NaN or infinite. */
INLINE vector make_reflection(int m, int j, vector *column) {
  bool plain;
  vector divisor = divisors(m, j, column, &plain), sum = {0};
  if (!plain)
    for (int i = j; i < m; i++) column[i] /= divisor;
  for (int i = j + 1; i < m; i++) sum += column[i] * column[i];
  mask none = (sum == 0) & (column[j] == column[j]), sign = (mask)column[j] & (mask)all((REAL)-0.0);
  vector first = column[j], length = square_root(first * first + sum);
  vector last = (vector)((mask)length ^ sign ^ (mask)all((REAL)-0.0));
  vector scale = choose(none, (vector){0}, 1 / (first - last));
  for (int i = j + 1; i < m; i++) column[i] = choose(none, (vector){0}, column[i] * scale);
  column[j] = choose(none, first, last) * divisor;
  return choose(none, (vector){0}, (last - first) / last);
}

/* Applies a reflection to one column. `column` may be the column of the identity. */
INLINE void reflect(int m, int j, const vector *u, vector factor, vector *column) {
  vector sum = column[j];
  for (int i = j + 1; i < m; i++) sum += u[i] * column[i];
  sum *= factor;
  column[j] -= sum;
  for (int i = j + 1; i < m; i++) column[i] -= u[i] * sum;
}

/* Factors the first min(m, n) columns: R replaces the upper triangle, and the vectors of the reflections the elements
** below. */
static void factor_columns(int m, int n, vector *a, vector *factors) {
  for (int j = 0; j < n && j < m; j++) {
    factors[j] = make_reflection(m, j, a + j * m);
    for (int k = j + 1; k < n; k++) reflect(m, j, a + j * m, factors[j], a + k * m);
  }
}

static void make_q(int m, int p, int steps, const vector *a, const vector *factors, vector *q) {
  for (int j = 0; j < p; j++)
    for (int i = 0; i < m; i++) q[j * m + i] = all(i == j);
  for (int j = steps - 1; j >= 0; j--)
    for (int k = j; k < p; k++) reflect(m, j, a + j * m, factors[j], q + k * m);
}

static void qr(const lanes_call *c) {
  room r = room_of(c);
  int m = c->m, n = c->n, steps = m < n ? m : n, p = c->full ? m : steps;
  vector *factors = r.sides;
  take(c, 1, m, r.a);
  factor_columns(m, n, r.a, factors);
  make_q(m, p, steps, r.a, factors, r.other);
  give(c, (int64_t)m * p, r.other, c->b);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < p; i++) r.other[k * p + i] = i <= k ? r.a[k * m + i] : (vector){0};
  give(c, (int64_t)p * n, r.other, c->c);
}

/* ---- eigenvalues and singular values, by Jacobi's rotations ----
** A sweep rotates each pair of rows and columns once, so that the element that belongs to the pair becomes 0. Elements
** that were 0 change again, but their sum of squares converges to 0, in the end quadratically. */

enum { SWEEPS = 30 };            /* the most sweeps. Random matrices of 16 × 16 take 6 sweeps of float32, 8 of float64 */

/* A rotation by the angle with this tangent, cosine and sine. */
typedef struct rotation { vector t, c, s; } rotation;

/* Returns the rotation that makes the matrix {{p, x}, {x, q}} diagonal. Its diagonal becomes p - t x, q + t x. Lanes that
** are not active are not rotated, so that the results of a matrix do not depend on the other lanes. */
INLINE rotation diagonalise(mask active, vector p, vector q, vector x) {
  vector d = q - p, twice = x + x, length = absolute(d) + square_root(d * d + twice * twice);
  vector t = (vector)((mask)twice ^ ((mask)d & (mask)all((REAL)-0.0))) / length;
  t = choose(active & (length > 0), t, (vector){0});
  vector c = 1 / square_root(1 + t * t);
  return (rotation){t, c, t * c};
}

INLINE void rotate(rotation r, vector *x, vector *y) {
  vector a = *x, b = *y;
  *x = r.c * a - r.s * b;
  *y = r.s * a + r.c * b;
}

INLINE void rotate_columns(rotation r, int n, vector *x, vector *y) {
  for (int i = 0; i < n; i++) rotate(r, x + i, y + i);
}

/* Rotates rows and columns p < q of the active symmetric matrices, of which the upper triangle is stored, and the columns
** of v. */
INLINE void rotate_symmetric(mask active, int n, int p, int q, vector *a, vector *v) {
  vector *ap = a + p * n, *aq = a + q * n, x = aq[p];
  rotation r = diagonalise(active, ap[p], aq[q], x);
  ap[p] -= r.t * x;
  aq[q] += r.t * x;
  aq[p] = choose(active, (vector){0}, x);
  for (int k = 0; k < p; k++) rotate(r, ap + k, aq + k);
  for (int k = p + 1; k < q; k++) rotate(r, a + k * n + p, aq + k);
  for (int k = q + 1; k < n; k++) rotate(r, a + k * n + p, a + k * n + q);
  if (v) rotate_columns(r, n, v + p * n, v + q * n);
}

/* Returns the sum of squares of the elements above the diagonal. */
static vector sum_above(int n, const vector *a) {
  vector sum = {0};
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) sum += a[j * n + i] * a[j * n + i];
  return sum;
}

/* Makes symmetric matrices diagonal, and applies the rotations to the columns of v, if it is not NULL. Returns the lanes
** that did not converge. */
static mask diagonalise_all(int n, vector *a, vector *v) {
  vector most = sum_above(n, a);
  for (int i = 0; i < n; i++) most += a[i * n + i] * a[i * n + i];
  most *= (REAL)EPSILON * (REAL)EPSILON;
  mask left = ~(sum_above(n, a) <= most);
  for (int sweep = 0; sweep < SWEEPS && any(left); sweep++) {
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) rotate_symmetric(left, n, p, q, a, v);
    left = ~(sum_above(n, a) <= most);
  }
  return left;
}

/* Replaces matrices of `size` elements that have NaN or infinity by zeros, and returns their lanes. Divides each matrix by
** *divisor, a power of 2 (or a subnormal number), so that its largest element is at least 1 and less than 2. The
** rotations compute fourth powers of elements, and with these elements no fourth power overflows. */
static mask make_safe(int size, vector *a, vector *divisor) {
  mask bad = {0};
  for (int i = 0; i < size; i++) bad |= a[i] - a[i] != 0;
  for (int i = 0; i < size && any(bad); i++) a[i] = choose(bad, (vector){0}, a[i]);
  vector most = largest(size, a), power = (vector)((mask)most & (mask)all((REAL)INFINITY));
  *divisor = choose(power > 0, power, choose(most > 0, most, all(1)));
  for (int i = 0; i < size; i++) a[i] /= *divisor;
  return bad;
}

/* Writes the infos of matrices with NaN or infinity, and of matrices that did not converge. */
static void give_failures(const lanes_call *c, mask bad, mask left) {
  for (int l = 0; l < c->count; l++) c->info[l] = bad[l] ? LINALG_NOT_FINITE : left[l] != 0;
}

/* Sets order[k] to the number of the k-th value of one lane, in ascending order. `step` is the distance of values. */
static void sort_values(int n, const REAL *value, int step, int *order) {
  for (int i = 0; i < n; i++) {
    int k = i;
    for (; k > 0 && value[order[k - 1] * step] > value[i * step]; k--) order[k] = order[k - 1];
    order[k] = i;
  }
}

static void eigh(const lanes_call *c) {
  room r = room_of(c);
  int n = c->n, order[LANES_ROWS];
  vector divisor, *v = c->vectors ? r.other : NULL;
  take(c, c->upper ? 1 : n, c->upper ? n : 1, r.a);            /* the triangle becomes the upper one */
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) r.a[j * n + i] = (vector){0};
  mask bad = make_safe(n * n, r.a, &divisor);
  for (int i = 0; v && i < n * n; i++) v[i] = all(i % (n + 1) == 0);
  give_failures(c, bad, diagonalise_all(n, r.a, v));
  for (int i = 0; i < n; i++) r.a[i * n + i] *= divisor;
  for (int l = 0; l < c->count; l++) {
    const REAL *value = (const REAL *)r.a + l;
    sort_values(n, value, (n + 1) * LANES, order);
    for (int k = 0; k < n; k++) ((REAL *)c->values)[l * n + k] = value[order[k] * (n + 1) * LANES];
    for (int k = 0; v && k < n; k++)
      for (int i = 0; i < n; i++) ((REAL *)c->a)[(l * n + k) * n + i] = v[order[k] * n + i][l];
  }
}

/* Rotates columns p and q of matrices with m rows, so that they become orthogonal up to the rounding of their product,
** or up to `least`. Returns a positive number in the lanes where they were not orthogonal before. */
INLINE vector make_orthogonal(int m, vector least, vector *p, vector *q) {
  vector pp = {0}, qq = {0}, pq = {0};
  for (int i = 0; i < m; i++) {
    pp += p[i] * p[i];
    qq += q[i] * q[i];
    pq += p[i] * q[i];
  }
  vector rounding = (REAL)(m + 8) * (REAL)EPSILON * (square_root(pp) * square_root(qq));
  vector excess = absolute(pq) - choose(rounding > least, rounding, least);
  if (any(excess > 0)) rotate_columns(diagonalise(excess > 0, pp, qq, pq), m, p, q);
  return excess;
}

/* Rotates the n columns of matrices with m rows until all pairs are orthogonal. Sets `values` to the lengths of the
** columns, which are the singular values. Returns the lanes that did not converge.
**
** Products of columns count as 0 up to ε² F², where F is the length of all elements (the Frobenius norm). So columns of a
** singular matrix, which become shorter by each rotation, are not rotated until their squares underflow. The values have
** errors of about ε F, like LAPACK's. */
static mask make_orthogonal_all(int m, int n, vector *a, vector *values) {
  vector most = all(1), least = {0};
  for (int i = 0; i < m * n; i++) least += a[i] * a[i];
  least *= (REAL)EPSILON * (REAL)EPSILON;
  for (int sweep = 0; sweep < SWEEPS && any(most > 0); sweep++) {
    most = (vector){0};
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        vector excess = make_orthogonal(m, least, a + p * m, a + q * m);
        most = choose(excess > most, excess, most);
      }
  }
  for (int j = 0; j < n; j++) {
    vector sum = {0};
    for (int i = 0; i < m; i++) sum += a[j * m + i] * a[j * m + i];
    values[j] = square_root(sum);
  }
  return most > 0;
}

/* Writes the n singular values of each matrix in descending order. */
static void give_values(const lanes_call *c, int n, const vector *values) {
  int order[LANES_ROWS];
  for (int l = 0; l < c->count; l++) {
    const REAL *value = (const REAL *)values + l;
    sort_values(n, value, LANES, order);
    for (int k = 0; k < n; k++) ((REAL *)c->values)[l * n + k] = value[order[n - 1 - k] * LANES];
  }
}

static void svdvals(const lanes_call *c) {
  room r = room_of(c);
  bool wide = c->m < c->n;
  int m = wide ? c->n : c->m, n = wide ? c->m : c->n;
  vector divisor;
  lanes_call turned = *c;
  turned.m = m;
  turned.n = n;
  take(&turned, wide ? c->m : 1, wide ? 1 : c->m, r.a);
  mask bad = make_safe(m * n, r.a, &divisor);
  give_failures(c, bad, make_orthogonal_all(m, n, r.a, r.sides));
  for (int j = 0; j < n; j++) r.sides[j] *= divisor;
  give_values(c, n, r.sides);
}

/* ---- least squares ----
** The matrix, or its transpose if it has more columns than rows, is factored into Q R. R's singular values give the rank.
** The solution is R⁻¹ Qᵀ b, or Q R⁻ᵀ b for a transpose. */

/* Reads the right-hand sides `first` … `first` + count - 1 of all matrices, whose columns have `rows` elements. */
static void take_sides(const lanes_call *c, int rows, int first, int count, vector *to) {
  for (int l = 0; l < LANES; l++) {
    int64_t matrix = l < c->count ? l : c->count - 1;
    const REAL *from = (const REAL *)c->b + (matrix * c->k + first) * rows;
    REAL *x = (REAL *)to + l;
    for (int i = 0; i < count * rows; i++) x[i * LANES] = from[i];
  }
}

/* Computes Qᵀ x for reflections that factor_columns made, or Q x if `back` is set. */
static void apply_reflections(bool back, int m, int n, const vector *a, const vector *factors, vector *x) {
  for (int step = 0; step < n; step++) {
    int j = back ? n - 1 - step : step;
    reflect(m, j, a + j * m, factors[j], x);
  }
}

/* Computes x = R⁻¹ x, or R⁻ᵀ x if `turned` is set, for the upper triangle R of a. */
static void divide_by_triangle(bool turned, int m, int n, const vector *a, vector *x) {
  for (int j = 0; j < n && turned; j++) {
    for (int i = 0; i < j; i++) x[j] -= a[j * m + i] * x[i];
    x[j] /= a[j * m + j];
  }
  for (int j = n - 1; j >= 0 && !turned; j--) {
    x[j] /= a[j * m + j];
    for (int i = 0; i < j; i++) x[i] -= a[j * m + i] * x[j];
  }
}

/* Solves for one right-hand side x of m elements. The matrices were divided by `divisor`. */
static void solve_side(bool wide, int m, int n, const vector *a, const vector *factors, vector divisor, vector *x) {
  if (!wide) apply_reflections(false, m, n, a, factors, x);
  divide_by_triangle(wide, m, n, a, x);
  if (wide) apply_reflections(true, m, n, a, factors, x);
  for (int i = 0; i < (wide ? m : n); i++) x[i] /= divisor;
}

/* Returns the lanes in which a right-hand side has NaN or infinity. */
static mask bad_sides(const lanes_call *c, int m, vector *room) {
  mask bad = {0};
  for (int k = 0; k < c->k; k++) {
    take_sides(c, m, k, 1, room);
    for (int i = 0; i < m; i++) bad |= room[i] - room[i] != 0;
  }
  return bad;
}

/* Solves the problems of matrices with full rank. The info of other matrices is 1, and nothing is written for them except
** their singular values. */
static void lstsq(const lanes_call *c) {
  bool wide = c->m < c->n;
  int m = wide ? c->n : c->m, n = wide ? c->m : c->n;
  vector *a = c->room, *triangle = a + m * n, *sides = triangle + n * n, *factors = sides + LANES_SIDES * m, divisor;
  vector *values = factors + n, least = all(INFINITY), most = {0};
  lanes_call turned = *c;
  turned.m = m;
  turned.n = n;
  take(&turned, wide ? c->m : 1, wide ? 1 : c->m, a);
  mask bad = make_safe(m * n, a, &divisor) | bad_sides(c, m, sides);
  factor_columns(m, n, a, factors);
  for (int j = 0; j < n; j++)             /* the rows of R: their rotations converge faster than those of its columns */
    for (int i = 0; i < n; i++) triangle[j * n + i] = i < j ? (vector){0} : a[i * m + j];
  mask left = make_orthogonal_all(n, n, triangle, values);
  for (int j = 0; j < n; j++) {
    least = choose(values[j] < least, values[j], least);
    most = choose(values[j] > most, values[j], most);
    values[j] *= divisor;
  }
  give_values(c, n, values);
  give_failures(c, bad, left | ~(least > most * (REAL)c->rtol));
  for (int first = 0, count; first < c->k; first += count) {
    count = c->k - first < LANES_SIDES ? c->k - first : LANES_SIDES;
    take_sides(c, m, first, count, sides);
    for (int side = 0; side < count; side++) solve_side(wide, m, n, a, factors, divisor, sides + side * m);
    for (int l = 0; l < c->count; l++) {
      REAL *to = (REAL *)c->b + ((int64_t)l * c->k + first) * m;
      for (int i = 0; i < count * m && !c->info[l]; i++) to[i] = ((const REAL *)(sides + i))[l];
    }
  }
}

const lanes_table ISA_NAME(TABLE) = {
  .lanes = LANES,
  .run = {[LINALG_cholesky] = cholesky, [LINALG_lu] = lu, [LINALG_det] = lu, [LINALG_slogdet] = lu,
          [LINALG_solve] = solve, [LINALG_inv] = invert, [LINALG_qr] = qr, [LINALG_eigh] = eigh, [LINALG_svd] = svdvals,
          [LINALG_lstsq] = lstsq}
};
