/* The routines that factor one matrix (Cholesky, LU, QR) or use a factorization: solutions, inverses,
** determinants. */

#include <math.h>

#include "cpu/linalg/block.h"

/* Copies rows × columns elements from one column-major matrix to another. The memory of the two matrices may
** overlap. */
static void copy_matrix(const solver *s, int rows, int columns, const char *from, int64_t ldf, char *to, int64_t ldt) {
  size_t size = s->l->size;
  for (int j = 0; j < columns; j++)
    memmove(to + (size_t)(j * ldt) * size, from + (size_t)(j * ldf) * size, (size_t)rows * size);
}

/* Sets the elements below the diagonal to 0. */
static void clear_below(const solver *s, char *a, int rows, int columns) {
  size_t size = s->l->size;
  for (int j = 0; j < columns && j + 1 < rows; j++)
    memset(a + ((size_t)j * (size_t)rows + (size_t)j + 1) * size, 0, (size_t)(rows - j - 1) * size);
}

/* ---- Cholesky ---- */

/* Returns the number (from 1) of the factor's first diagonal element that is NaN, or 0 if none is NaN. LAPACK does
** not detect NaN. */
static int find_nan(const solver *s, char *a) {
  for (int j = 0; j < s->n; j++)
    if (isnan(number_at(s->l, element(s->l, a, (int64_t)j * (s->n + 1))))) return j + 1;
  return 0;
}

static int finish_cholesky(const solver *s, const scratch *w, int64_t i, int info) {
  (void)w;
  void *a = a_of(s, i);
  if (info == 0) info = find_nan(s, a);
  clear_below(s, a, s->n, s->n);
  return info;
}

static int run_cholesky(const solver *s, const scratch *w, int64_t i) {
  void *a = a_of(s, i);
  int info = s->small ? s->small->cholesky(s->n, a) : factor_cholesky(s, (block){a, s->n, s->n, s->n});
  return finish_cholesky(s, w, i, info);
}

const routine cholesky_routine = {NULL, run_cholesky, false, finish_cholesky};

/* ---- LU ---- */

static void plan_pivots(solver *s) { s->integers = least_of(s->m, s->n); }

/* Sets order[i] to the number (from 1) of the row of a that became row i of L U, for m rows. */
static void follow_pivots(const int *pivots, int n, int64_t *order, int m) {
  for (int i = 0; i < m; i++) order[i] = i + 1;
  for (int i = 0; i < n; i++) {
    int64_t row = order[i];
    order[i] = order[pivots[i] - 1];
    order[pivots[i] - 1] = row;
  }
}

/* Factors matrix i. The factor of a large matrix with NaN is NaN, because OpenBLAS may take NaN for 0. */
static int factor(const solver *s, const scratch *w, int64_t i) {
  int *pivots = pivots_of(s, w, i);
  if (s->small) return s->small->lu(s->m, s->n, a_of(s, i), pivots);
  if (lapack_spread_nan(s->l, a_of(s, i), (int64_t)s->m * s->n)) {
    for (int j = 0; j < least_of(s->m, s->n); j++) pivots[j] = j + 1;
    return 0;
  }
  return factor_lu(s, (block){a_of(s, i), s->m, s->n, s->m}, pivots);
}

static int finish_lu(const solver *s, const scratch *w, int64_t i, int info) {
  if (s->c->order) follow_pivots(pivots_of(s, w, i), least_of(s->m, s->n), s->c->order + i * s->m, s->m);
  return info;
}

static int run_lu(const solver *s, const scratch *w, int64_t i) { return finish_lu(s, w, i, factor(s, w, i)); }

static int run_lu_solve(const solver *s, const scratch *w, int64_t i) {
  block lu = {a_of(s, i), s->n, s->n, s->n}, b = {elements_of(s, s->c->b, s->c->n * s->c->k, i), s->n, s->k, s->n};
  solve_lu(s, s->c->transposed ? "T" : "N", lu, pivots_of(s, w, i), b);
  return 0;
}

static int solve_small(const solver *s, const scratch *w, int64_t i) {
  if (s->c->transposed) s->small->transpose(s->n, a_of(s, i));
  int info = factor(s, w, i);
  void *b = elements_of(s, s->c->b, s->c->n * s->c->k, i);
  if (info == 0) s->small->solve(s->n, s->k, a_of(s, i), pivots_of(s, w, i), b);
  return info;
}

static int run_solve(const solver *s, const scratch *w, int64_t i) {
  if (s->small) return solve_small(s, w, i);
  int info = factor(s, w, i);
  return info ? info : run_lu_solve(s, w, i);
}

static void plan_inv(solver *s) {
  plan_pivots(s);
  if (s->small) return;
  s->integers = 2 * s->n;
  s->tau = (int64_t)s->n * s->n;
}

static int run_inv(const solver *s, const scratch *w, int64_t i) {
  int info = factor(s, w, i);
  if (info) return info;
  if (s->small) s->small->invert(s->n, a_of(s, i), pivots_of(s, w, i));
  else invert_lu(s, (block){a_of(s, i), s->n, s->n, s->n}, pivots_of(s, w, i), w->tau, w->integers + s->n);
  return 0;
}

const routine lu_routine = {plan_pivots, run_lu, false, finish_lu};
const routine lu_solve_routine = {NULL, run_lu_solve, false, NULL};
const routine solve_routine = {plan_pivots, run_solve, false, NULL};
const routine inv_routine = {plan_inv, run_inv, false, NULL};

/* ---- determinants ----
** A determinant is the product of U's diagonal elements. Each swap of two rows changes its sign. */

typedef struct number { double re, im; } number;

static number load(const solver *s, const void *x, int64_t i) {
  if (s->l->is_complex) i *= 2;
  number z = {0, 0};
  if (s->l->real_size == sizeof(float)) {
    z.re = ((const float *)x)[i];
    if (s->l->is_complex) z.im = ((const float *)x)[i + 1];
  } else {
    z.re = ((const double *)x)[i];
    if (s->l->is_complex) z.im = ((const double *)x)[i + 1];
  }
  return z;
}

static void store(const solver *s, void *x, int64_t i, number z) {
  if (s->l->is_complex) i *= 2;
  if (s->l->real_size == sizeof(float)) {
    ((float *)x)[i] = (float)z.re;
    if (s->l->is_complex) ((float *)x)[i + 1] = (float)z.im;
  } else {
    ((double *)x)[i] = z.re;
    if (s->l->is_complex) ((double *)x)[i + 1] = z.im;
  }
}

static number product(const solver *s, number x, number y) {
  if (!s->l->is_complex) return (number){x.re * y.re, 0};
  return (number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* Returns z / 2^e, where *e is chosen such that the larger part of the result is in 0.5 … 1. If z is 0 or not finite,
** returns z and sets *e to 0. */
static number scaled(number z, int *e) {
  double size = fmax(fabs(z.re), fabs(z.im));
  *e = 0;
  if (!(size > 0 && size < INFINITY)) return z;
  frexp(size, e);
  return (number){ldexp(z.re, -*e), ldexp(z.im, -*e)};
}

static bool is_odd(const int *pivots, int n) {
  bool odd = false;
  for (int j = 0; j < n; j++) odd ^= pivots[j] != j + 1;
  return odd;
}

/* Multiplies *det by the diagonal elements of matrix i. Returns false if an intermediate product is close to the
** limits of a double. */
static bool plain_product(const solver *s, int64_t i, number *det) {
  bool safe = true;
  for (int j = 0; j < s->n; j++) {
    *det = product(s, *det, load(s, a_of(s, i), j * (s->c->n + 1)));
    double size = fabs(det->re) + fabs(det->im);
    safe &= size > 0x1p-900 && size < 0x1p900;
  }
  return safe;
}

/* Returns det times the diagonal elements of matrix i, like plain_product. The fractions are multiplied and the
** exponents are added separately, because an intermediate product may be outside the range of a double. */
static number scaled_product(const solver *s, int64_t i, number det) {
  int e, exponent = 0;
  for (int j = 0; j < s->n; j++) {
    number factor = scaled(load(s, a_of(s, i), j * (s->c->n + 1)), &e);
    exponent += e;
    det = scaled(product(s, det, factor), &e);
    exponent += e;
  }
  return (number){ldexp(det.re, exponent), ldexp(det.im, exponent)};
}

static int finish_det(const solver *s, const scratch *w, int64_t i, int singular) {
  number sign = {singular ? 0 : is_odd(pivots_of(s, w, i), s->n) ? -1 : 1, 0}, det = sign;
  if (!singular && !plain_product(s, i, &det)) det = scaled_product(s, i, sign);
  store(s, s->c->b, i, det);
  return 0;
}

static int run_det(const solver *s, const scratch *w, int64_t i) { return finish_det(s, w, i, factor(s, w, i)); }

static int finish_slogdet(const solver *s, const scratch *w, int64_t i, int singular) {
  number sign = {singular ? 0 : is_odd(pivots_of(s, w, i), s->n) ? -1 : 1, 0};
  double sum = singular ? -INFINITY : 0;
  for (int j = 0; j < s->n && !singular; j++) {
    number z = load(s, a_of(s, i), j * (s->c->n + 1));
    double size = s->l->is_complex ? hypot(z.re, z.im) : fabs(z.re);
    sign = product(s, sign, (number){z.re / size, z.im / size});
    sum += log(size);
  }
  store(s, s->c->b, i, sign);
  if (s->l->real_size == sizeof(float)) ((float *)s->c->values)[i] = (float)sum;
  else ((double *)s->c->values)[i] = sum;
  return 0;
}

static int run_slogdet(const solver *s, const scratch *w, int64_t i) {
  return finish_slogdet(s, w, i, factor(s, w, i));
}

const routine det_routine = {plan_pivots, run_det, false, finish_det};
const routine slogdet_routine = {plan_pivots, run_slogdet, false, finish_slogdet};

/* ---- QR ---- */

/* True if a real matrix is factored without blocks. For 10 × 10, the calls of LAPACK alone take longer than a whole
** QR of PyTorch. */
static bool is_small_qr(const solver *s) {
  enum { SMALL = 1 << 13 };             /* the most elements of a small matrix: 64 KiB of doubles stay in L2 */
  return !s->l->is_complex && least_of(s->m, s->n) <= LINALG_SMALL && s->c->m * s->c->n <= SMALL;
}

/* Plans the scratch memory of a QR factorization. tau is for the vectors of the reflections. */
static void plan_qr(solver *s) {
  int known = least_of(s->m, s->n), p = s->c->full ? s->m : known;
  s->tau = (int64_t)s->m * known;
  s->work = is_small_qr(s) ? 0 : reflections_t(known) + 2 * REFLECTIONS * (int64_t)most_of(p, s->n);
}

static void small_qr(const solver *s, const scratch *w, block a, block q, char *r) {
  int known = least_of(s->m, s->n);
  double factors[LINALG_SMALL];
  factor_qr_small(s->l, a, factors);
  copy_matrix(s, s->m, known, a.at, s->m, w->tau, s->m);
  copy_matrix(s, q.n, s->n, a.at, s->m, r, q.n);
  make_q_small(s->l, (block){w->tau, s->m, known, s->m}, factors, q);
}

static int run_qr(const solver *s, const scratch *w, int64_t i) {
  int known = least_of(s->m, s->n), p = s->c->full ? s->m : known;
  block a = {a_of(s, i), s->m, s->n, s->m}, q = {elements_of(s, s->c->b, s->c->m * p, i), s->m, p, s->m};
  char *r = elements_of(s, s->c->c, p * s->c->n, i);
  reflections h = {{w->tau, s->m, known, s->m}, w->work, elements_of(s, w->work, reflections_t(known), 1)};
  if (is_small_qr(s)) {
    small_qr(s, w, a, q, r);
  } else {
    factor_qr(s, a, &h);
    copy_matrix(s, p, s->n, a.at, s->m, r, p);
    make_q(s, &h, q);
  }
  clear_below(s, r, p, s->n);
  return 0;
}

const routine qr_routine = {plan_qr, run_qr, false, NULL};
