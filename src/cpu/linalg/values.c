/* The routines that compute singular values, or eigenvalues and eigenvectors, of one matrix. */

#include <math.h>

#include "cpu/linalg/block.h"

/* ---- singular values ---- */

static int call_gesdd(const solver *s, const scratch *w, void *a, void *values, void *u, void *vt) {
  int info, p = least_of(s->m, s->n);
  const char *job = !s->c->b ? "N" : s->c->full ? "A" : "S";
  const int *ldvt = s->c->full ? &s->n : &p;
  if (s->l->is_complex)
    s->l->complex_gesdd(job, &s->m, &s->n, a, &s->m, values, u, &s->m, vt, ldvt, w->work, &w->lwork, w->reals,
                        w->integers, &info, 1);
  else
    s->l->gesdd(job, &s->m, &s->n, a, &s->m, values, u, &s->m, vt, ldvt, w->work, &w->lwork, w->integers, &info, 1);
  return info;
}

/* True for real square matrices in the size range of luatensor's own reduction. */
static bool is_blocked_svd(const solver *s) { return !s->l->is_complex && s->m == s->n && s->n >= CONDENSED; }

/* Plans the scratch memory. tau has space for the elements beside the diagonal and for two arrays of factors. If
** singular vectors are wanted, tau also has space for V and T of the reflections and for applying the reflections. */
static void plan_blocked_svd(solver *s) {
  int64_t n = s->n, subdivision = 3 * n * n + 4 * n;
  if (s->c->b && s->work < subdivision) s->work = subdivision;
  if (s->work < condense_work(s)) s->work = condense_work(s);
  s->tau = (s->c->b ? n * n + reflections_t(s->n) + 2 * REFLECTIONS * n : 0) + 3 * n;
}

/* Computes u = Q u and vt = vt Pᵀ. to_bidiagonal has stored the reflections of Q and P in a, and their factors in
** b. */
static void apply_bidiagonal(const solver *s, block a, const bidiagonal *b, block u, block vt, char *memory) {
  const lapack *l = s->l;
  int n = a.n;
  char *t = elements_of(s, memory, (int64_t)n * n, 1), *room = elements_of(s, t, reflections_t(n), 1);
  reflections left = {{memory, n, n, n}, t, room}, right = {{memory, n - 1, n - 1, n - 1}, t, room};
  gather_reflections(s, a, false, b->left, &left);
  apply_q(s, &left, u);
  gather_reflections(s, cut(l, a, 0, 1, n - 1, n - 1), true, b->right, &right);
  apply_q_right(s, &right, cut(l, vt, 0, 1, n, n - 1));
}

/* Like LAPACK's gesdd, but with luatensor's reduction to bidiagonal form (to_bidiagonal). */
static int blocked_svd(const solver *s, const scratch *w, void *matrix, void *values, void *u, void *vt) {
  const lapack *l = s->l;
  int n = s->n, info, nothing;
  block a = {matrix, n, n, n};
  char *e = w->tau, *left = elements_of(s, e, n, 1), *right = elements_of(s, left, n, 1), none[8];
  double scale = scale_for(s, largest_of(s, matrix, (int64_t)n * n));
  bidiagonal b = {values, e, left, right};
  rescale(s, "G", scale, 1, a);
  to_bidiagonal(s, a, &b, w->work);
  if (cancel_due()) return 0;
  l->bdsdc("U", u ? "I" : "N", &n, values, e, u, &n, vt, &n, none, &nothing, w->work, w->integers, &info, 1, 1);
  rescale(s, "G", 1, scale, (block){values, n, 1, n});
  if (info == 0 && u) apply_bidiagonal(s, a, &b, (block){u, n, n, n}, (block){vt, n, n, n}, elements_of(s, right, n, 1));
  return info;
}

static void plan_svd(solver *s) {
  char work[16];
  int integers;
  int64_t p = least_of(s->m, s->n), longer = most_of(s->m, s->n);
  scratch query = {.work = work, .reals = work, .integers = &integers, .lwork = -1};
  call_gesdd(s, &query, work, work, work, work);
  s->work = lapack_work_length(s->l, work);
  s->integers = 8 * p;
  if (s->l->is_complex) s->reals = p * (5 * p + 7 > 2 * longer + 2 * p + 1 ? 5 * p + 7 : 2 * longer + 2 * p + 1);
  if (is_blocked_svd(s)) plan_blocked_svd(s);
}

static int run_svd(const solver *s, const scratch *w, int64_t i) {
  int64_t m = s->m, n = s->n, p = least_of(s->m, s->n);
  void *u = elements_of(s, s->c->b, m * (s->c->full ? m : p), i);
  void *vt = elements_of(s, s->c->c, n * (s->c->full ? n : p), i);
  if (is_blocked_svd(s))
    return blocked_svd(s, w, a_of(s, i), reals_of(s, s->c->values, p, i), u, vt);
  return call_gesdd(s, w, a_of(s, i), reals_of(s, s->c->values, p, i), u, vt);
}

const routine svd_routine = {plan_svd, run_svd, true, NULL};

/* ---- symmetric matrices ---- */

static int call_syevd(const solver *s, const scratch *w, void *a, void *values) {
  int info;
  const char *job = s->c->vectors ? "V" : "N", *uplo = s->c->upper ? "U" : "L";
  if (s->l->is_complex)
    s->l->heevd(job, uplo, &s->n, a, &s->n, values, w->work, &w->lwork, w->reals, &w->lreals, w->integers,
                &w->lintegers, &info, 1, 1);
  else
    s->l->syevd(job, uplo, &s->n, a, &s->n, values, w->work, &w->lwork, w->integers, &w->lintegers, &info, 1, 1);
  return info;
}

static bool is_blocked_eigh(const solver *s) { return !s->l->is_complex && s->n >= CONDENSED; }

/* Plans the scratch memory. tau has space for the elements beside the diagonal and for the factors. If eigenvectors are
** wanted, tau also has space for V and T of the reflections and for applying the reflections. */
static void plan_blocked_eigh(solver *s) {
  int64_t n = s->n;
  if (s->work < condense_work(s)) s->work = condense_work(s);
  if (s->c->vectors && s->work < divide_work(s->n)) s->work = divide_work(s->n);
  if (s->c->vectors && s->integers < divide_integers(s->n)) s->integers = divide_integers(s->n);
  s->tau = (s->c->vectors ? n * n + reflections_t(s->n) + 2 * REFLECTIONS * n : 0) + 2 * n;
}

/* Copies the upper triangle to the lower triangle: by transposed tiles, and on the diagonal row by row. */
static void mirror(const lapack *l, block a) {
  enum { TILE = 32 };
  for (int j = 0; j < a.n; j += TILE) {
    int n = least_of(TILE, a.n - j);
    for (int i = j + n; i < a.n; i += TILE)
      transpose_block(l, cut(l, a, j, i, n, least_of(TILE, a.n - i)), cut(l, a, i, j, least_of(TILE, a.n - i), n));
    for (int k = j; k < j + n; k++)
      transpose_block(l, cut(l, a, k, k + 1, 1, j + n - k - 1), cut(l, a, k + 1, k, j + n - k - 1, 1));
  }
}

static double largest_of_lower(const solver *s, void *a) {
  double largest = 0;
  int64_t n = s->n;
  for (int64_t j = 0; j < n; j++) largest = fmax(largest, largest_of(s, elements_of(s, a, 1, j * n + j), n - j));
  return largest;
}

/* Like LAPACK's syevd, but with luatensor's reduction to tridiagonal form (to_tridiagonal). */
static int blocked_eigh(const solver *s, const scratch *w, void *matrix, void *values) {
  const lapack *l = s->l;
  int n = s->n, info;
  block a = {matrix, n, n, n};
  char *e = w->tau, *factors = elements_of(s, e, n, 1), *v = elements_of(s, factors, n, 1);
  char *t = elements_of(s, v, (int64_t)n * n, 1), *room = elements_of(s, t, reflections_t(n), 1);
  reflections q = {{v, n - 1, n - 1, n - 1}, t, room};
  if (s->c->upper) mirror(l, a);
  double scale = scale_for(s, largest_of_lower(s, matrix));
  rescale(s, "L", scale, 1, a);
  info = to_tridiagonal(s, a, &(tridiagonal){values, e, factors}, w->work, w->lwork);
  if (info || cancel_due()) return info;
  if (s->c->vectors) gather_reflections(s, cut(l, a, 1, 0, n - 1, n - 1), false, factors, &q);
  if (s->c->vectors) info = divide_tridiagonal(s, a, values, e, w->work, w->integers);
  else l->stedc("N", &n, values, e, matrix, &n, w->work, &w->lwork, w->integers, &w->lintegers, &info, 1);
  rescale(s, "G", 1, scale, (block){values, n, 1, n});
  if (info == 0 && s->c->vectors) apply_q(s, &q, cut(l, a, 1, 0, n - 1, n));
  return info;
}

static void plan_eigh(solver *s) {
  char work[16], reals[16] = {0};
  int integers;
  scratch query = {.work = work, .reals = reals, .integers = &integers, .lwork = -1, .lreals = -1, .lintegers = -1};
  call_syevd(s, &query, work, work);
  s->work = lapack_work_length(s->l, work);
  s->reals = s->l->is_complex ? lapack_work_length(s->l, reals) : 0;
  s->integers = integers;
  if (is_blocked_eigh(s)) plan_blocked_eigh(s);
}

/* True if the triangle that the operation reads is finite. The other triangle is ignored. */
static bool is_triangle_finite(const solver *s, void *a) {
  int64_t n = s->n;
  for (int64_t j = 0; j < n; j++) {
    void *column = elements_of(s, a, 1, j * n + (s->c->upper ? 0 : j));
    if (!lapack_is_finite(s->l, column, s->c->upper ? j + 1 : n - j)) return false;
  }
  return true;
}

static int run_eigh(const solver *s, const scratch *w, int64_t i) {
  void *a = a_of(s, i), *values = reals_of(s, s->c->values, s->n, i);
  if (!is_triangle_finite(s, a)) return LINALG_NOT_FINITE;
  return is_blocked_eigh(s) ? blocked_eigh(s, w, a, values) : call_syevd(s, w, a, values);
}

const routine eigh_routine = {plan_eigh, run_eigh, false, NULL};

/* ---- general square matrices ---- */

/* Calls geev. If a is real, `values` has 2 n real numbers, the real parts first. */
static int call_geev(const solver *s, const scratch *w, void *a, void *values, void *vectors) {
  int info, one = 1;
  const char *right = s->c->c ? "V" : "N";
  void *imaginary = reals_of(s, values, s->n, 1);
  if (s->l->is_complex)
    s->l->complex_geev("N", right, &s->n, a, &s->n, values, NULL, &one, vectors, &s->n, w->work, &w->lwork, w->reals,
                       &info, 1, 1);
  else
    s->l->geev("N", right, &s->n, a, &s->n, values, imaginary, NULL, &one, vectors, &s->n, w->work, &w->lwork, &info,
               1, 1);
  return info;
}

/* Plans the scratch memory. For real matrices, LAPACK's values and vectors are first written to scratch memory. */
static void plan_eig(solver *s) {
  char work[32];
  int64_t n = s->n;
  scratch query = {.work = work, .reals = work, .lwork = -1};
  call_geev(s, &query, work, work, work);
  s->work = lapack_work_length(s->l, work);
  s->reals = s->l->is_complex ? 2 * n : 2 * n + (s->c->c ? n * n : 0);
}

/* Defines join_T, which makes complex numbers from real and imaginary parts. The imaginary parts are multiplied by
** `sign`, which is 1, -1 or 0. */
#define JOIN(T)                                                                                          \
  static void join_##T(int n, const T *re, const T *im, T sign, T *to) {                                 \
    for (int i = 0; i < n; i++) {                                                                        \
      to[2 * i] = re[i];                                                                                 \
      to[2 * i + 1] = sign != 0 ? sign * im[i] : 0;                                                      \
    }                                                                                                    \
  }
JOIN(float)
JOIN(double)

/* Defines unpack_T, which makes complex eigenvalues and eigenvectors from the real arrays of geev. For a pair of
** conjugate eigenvalues, columns j and j + 1 of v are the real and the imaginary part of one vector. The other vector
** is the conjugate of this vector. */
#define UNPACK(T)                                                                                        \
  static void unpack_##T(int n, const T *real, const T *imag, const T *v, T *values, T *vectors) {       \
    join_##T(n, real, imag, 1, values);                                                                  \
    for (int j = 0; vectors && j < n; j++) {                                                             \
      const T *re = v + (int64_t)(imag[j] < 0 ? j - 1 : j) * n;                                          \
      join_##T(n, re, re + n, imag[j] > 0 ? 1 : imag[j] < 0 ? -1 : 0, vectors + (int64_t)2 * j * n);     \
    }                                                                                                    \
  }
UNPACK(float)
UNPACK(double)

static int run_eig(const solver *s, const scratch *w, int64_t i) {
  int64_t n = s->n, doubled = s->l->is_complex ? 1 : 2;      /* b and c are complex even if a is real */
  char *values = elements_of(s, s->c->b, n * doubled, i), *vectors = elements_of(s, s->c->c, n * n * doubled, i);
  if (s->l->is_complex) return call_geev(s, w, a_of(s, i), values, vectors);
  void *imaginary = reals_of(s, w->reals, n, 1), *real_vectors = reals_of(s, w->reals, n, 2);
  int info = call_geev(s, w, a_of(s, i), w->reals, real_vectors);
  if (info == 0 && s->l->real_size == sizeof(float))
    unpack_float(s->n, w->reals, imaginary, real_vectors, (float *)(void *)values, (float *)(void *)vectors);
  else if (info == 0)
    unpack_double(s->n, w->reals, imaginary, real_vectors, (double *)(void *)values, (double *)(void *)vectors);
  return info;
}

const routine eig_routine = {plan_eig, run_eig, true, NULL};
