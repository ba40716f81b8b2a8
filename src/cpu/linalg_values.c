/* Singular values and eigenvalues of one matrix. */

#include <math.h>

#include "linalg_block.h"

static double largest_of(const solver *s, const void *x, int64_t count) {
  const float *narrow = x;
  const double *wide = x;
  double largest = 0;
  for (int64_t i = 0; i < count; i++)
    largest = fmax(largest, fabs(s->l->real_size == sizeof(float) ? (double)narrow[i] : wide[i]));
  return largest;
}

/* True if the squares of elements up to this one stay far within the type's range: else LAPACK scales the matrix. */
static bool is_moderate(const solver *s, double largest) {
  bool narrow = s->l->real_size == sizeof(float);
  return largest > (narrow ? 0x1p-40 : 0x1p-400) && largest < (narrow ? 0x1p40 : 0x1p400);
}

/* ---- singular values ---- */

static int call_gesdd(const solver *s, const scratch *w, void *a, void *values, void *u, void *vt) {
  int info, p = least(s->m, s->n);
  const char *job = !s->c->b ? "N" : s->c->full ? "A" : "S";
  const int *ldvt = s->c->full ? &s->n : &p;
  if (s->l->is_complex)
    s->l->complex_gesdd(job, &s->m, &s->n, a, &s->m, values, u, &s->m, vt, ldvt, w->work, &w->lwork, w->reals,
                        w->integers, &info, 1);
  else
    s->l->gesdd(job, &s->m, &s->n, a, &s->m, values, u, &s->m, vt, ldvt, w->work, &w->lwork, w->integers, &info, 1);
  return info;
}

/* Real square matrices with their vectors, where threads share the work: one thread takes as long as with LAPACK. */
static bool is_blocked_svd(const solver *s) {
  return s->threads > 1 && s->c->b && !s->l->is_complex && s->m == s->n;
}

/* tau: V and T, room for their application, off-diagonal and two rows of factors. */
static void plan_blocked_svd(solver *s) {
  int64_t n = s->n, subdivision = 3 * n * n + 4 * n;
  if (s->work < subdivision) s->work = subdivision;
  s->tau = n * n + reflections_t(s->n) + 2 * REFLECTIONS * n + 3 * n;
}

/* As gesdd, but that all threads apply the reflections. */
static int blocked_svd(const solver *s, const scratch *w, void *matrix, void *values, void *u, void *vt) {
  const lapack *l = s->l;
  int n = s->n, info;
  int64_t size = (int64_t)l->size;
  block a = {matrix, n, n, n};
  char *t = (char *)w->tau + n * (int64_t)n * size, *room = t + reflections_t(n) * size;
  char *e = room + 2 * REFLECTIONS * n * size, *tauq = e + n * size, *taup = tauq + n * size, none[8];
  int nothing;
  l->gebrd(&n, &n, matrix, &n, values, e, tauq, taup, w->work, &w->lwork, &info);
  l->bdsdc("U", "I", &n, values, e, u, &n, vt, &n, none, &nothing, w->work, w->integers, &info, 1, 1);
  if (info) return info;
  reflections left = {{w->tau, n, n, n}, t, room}, right = {{w->tau, n - 1, n - 1, n - 1}, t, room};
  gather_reflections(s, a, false, tauq, &left);
  apply_q(s, &left, (block){u, n, n, n});
  gather_reflections(s, cut(l, a, 0, 1, n - 1, n - 1), true, taup, &right);
  apply_q_right(s, &right, cut(l, (block){vt, n, n, n}, 0, 1, n, n - 1));
  return 0;
}

static void plan_svd(solver *s) {
  char work[16];
  int integers;
  int64_t p = least(s->m, s->n), longer = most(s->m, s->n);
  scratch query = {.work = work, .reals = work, .integers = &integers, .lwork = -1};
  call_gesdd(s, &query, work, work, work, work);
  s->work = work_length(s, work);
  s->integers = 8 * p;
  if (s->l->is_complex) s->reals = p * (5 * p + 7 > 2 * longer + 2 * p + 1 ? 5 * p + 7 : 2 * longer + 2 * p + 1);
  if (is_blocked_svd(s)) plan_blocked_svd(s);
}

static int run_svd(const solver *s, const scratch *w, int64_t i) {
  int64_t m = s->m, n = s->n, p = least(s->m, s->n);
  void *u = elements_of(s, s->c->b, m * (s->c->full ? m : p), i);
  void *vt = elements_of(s, s->c->c, n * (s->c->full ? n : p), i);
  if (is_blocked_svd(s) && is_moderate(s, largest_of(s, a_of(s, i), m * n)))
    return blocked_svd(s, w, a_of(s, i), reals_of(s, s->c->values, p, i), u, vt);
  return call_gesdd(s, w, a_of(s, i), reals_of(s, s->c->values, p, i), u, vt);
}

const routine svd_routine = {plan_svd, run_svd, true};

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

static bool is_blocked_eigh(const solver *s) { return s->threads > 1 && s->c->vectors && !s->l->is_complex; }

/* tau: V and T, room for their application, off-diagonal and factors. */
static void plan_blocked_eigh(solver *s) {
  int64_t n = s->n;
  s->tau = n * n + reflections_t(s->n) + 2 * REFLECTIONS * n + 2 * n;
}

/* The lower triangle becomes the mirror image of the upper one: tile by tile, on the diagonal element by element. */
static void mirror(const lapack *l, block a) {
  enum { TILE = 32 };
  for (int j = 0; j < a.n; j += TILE) {
    int n = least(TILE, a.n - j);
    for (int i = j + n; i < a.n; i += TILE)
      transpose_block(l, cut(l, a, j, i, n, least(TILE, a.n - i)), cut(l, a, i, j, least(TILE, a.n - i), n));
    for (int k = j; k < j + n; k++)
      transpose_block(l, cut(l, a, k, k + 1, 1, j + n - k - 1), cut(l, a, k + 1, k, j + n - k - 1, 1));
  }
}

/* As syevd, but that all threads apply the reflections. */
static int blocked_eigh(const solver *s, const scratch *w, void *matrix, void *values) {
  const lapack *l = s->l;
  int n = s->n, info;
  int64_t size = (int64_t)l->size;
  block a = {matrix, n, n, n};
  char *t = (char *)w->tau + n * (int64_t)n * size, *room = t + reflections_t(n) * size;
  char *e = room + 2 * REFLECTIONS * n * size, *tau = e + n * size;
  if (s->c->upper) mirror(l, a);
  l->sytrd("L", &n, matrix, &n, values, e, tau, w->work, &w->lwork, &info, 1);
  reflections q = {{w->tau, n - 1, n - 1, n - 1}, t, room};
  gather_reflections(s, cut(l, a, 1, 0, n - 1, n - 1), false, tau, &q);
  l->stedc("I", &n, values, e, matrix, &n, w->work, &w->lwork, w->integers, &w->lintegers, &info, 1);
  if (info == 0) apply_q(s, &q, cut(l, a, 1, 0, n - 1, n));
  return info;
}

static void plan_eigh(solver *s) {
  char work[16], reals[16] = {0};
  int integers;
  scratch query = {.work = work, .reals = reals, .integers = &integers, .lwork = -1, .lreals = -1, .lintegers = -1};
  call_syevd(s, &query, work, work);
  s->work = work_length(s, work);
  s->reals = s->l->is_complex ? work_length(s, reals) : 0;
  s->integers = integers;
  if (is_blocked_eigh(s)) plan_blocked_eigh(s);
}

/* Only the triangle that is read need be finite. */
static bool is_triangle_finite(const solver *s, void *a) {
  int64_t n = s->n;
  for (int64_t j = 0; j < n; j++) {
    void *column = elements_of(s, a, 1, j * n + (s->c->upper ? 0 : j));
    if (!is_finite(s, column, s->c->upper ? j + 1 : n - j)) return false;
  }
  return true;
}

static double largest_of_triangle(const solver *s, void *a) {
  double largest = 0;
  int64_t n = s->n;
  for (int64_t j = 0; j < n; j++) {
    void *column = elements_of(s, a, 1, j * n + (s->c->upper ? 0 : j));
    largest = fmax(largest, largest_of(s, column, s->c->upper ? j + 1 : n - j));
  }
  return largest;
}

static int run_eigh(const solver *s, const scratch *w, int64_t i) {
  void *a = a_of(s, i), *values = reals_of(s, s->c->values, s->n, i);
  if (!is_triangle_finite(s, a)) return LINALG_NOT_FINITE;
  bool blocked = is_blocked_eigh(s) && is_moderate(s, largest_of_triangle(s, a));
  return blocked ? blocked_eigh(s, w, a, values) : call_syevd(s, w, a, values);
}

const routine eigh_routine = {plan_eigh, run_eigh, false};

/* ---- any square matrices ---- */

/* values: 2 n reals where a is real, the real parts first. */
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

/* Real matrices: values and vectors as LAPACK gives them go into scratch first. */
static void plan_eig(solver *s) {
  char work[32];
  int64_t n = s->n;
  scratch query = {.work = work, .reals = work, .lwork = -1};
  call_geev(s, &query, work, work, work);
  s->work = work_length(s, work);
  s->reals = s->l->is_complex ? 2 * n : 2 * n + (s->c->c ? n * n : 0);
}

/* Columns j and j + 1 of a pair are the real and the imaginary part of a vector; the other one is its conjugate. */
#define UNPACK(T)                                                                                        \
  static void unpack_##T(int n, const T *real, const T *imag, const T *v, T *values, T *vectors) {       \
    for (int j = 0; j < n; j++) {                                                                        \
      values[2 * j] = real[j];                                                                           \
      values[2 * j + 1] = imag[j];                                                                       \
      if (!vectors) continue;                                                                            \
      const T *re = v + (int64_t)(imag[j] < 0 ? j - 1 : j) * n, *im = re + n;                            \
      T sign = imag[j] > 0 ? 1 : imag[j] < 0 ? -1 : 0, *to = vectors + (int64_t)2 * j * n;               \
      for (int i = 0; i < n; i++) {                                                                      \
        to[2 * i] = re[i];                                                                               \
        to[2 * i + 1] = sign != 0 ? sign * im[i] : 0;                                                    \
      }                                                                                                  \
    }                                                                                                    \
  }
UNPACK(float)
UNPACK(double)

static int run_eig(const solver *s, const scratch *w, int64_t i) {
  int64_t n = s->n, doubled = s->l->is_complex ? 1 : 2;      /* b and c are complex */
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

const routine eig_routine = {plan_eig, run_eig, true};
