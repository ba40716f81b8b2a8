/* Singular values and eigenvalues of one matrix. */

#include "linalg.h"

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

static void plan_svd(solver *s) {
  char work[16];
  int integers;
  int64_t p = least(s->m, s->n), longer = most(s->m, s->n);
  scratch query = {.work = work, .reals = work, .integers = &integers, .lwork = -1};
  call_gesdd(s, &query, work, work, work, work);
  s->work = work_length(s, work);
  s->integers = 8 * p;
  if (s->l->is_complex) s->reals = p * (5 * p + 7 > 2 * longer + 2 * p + 1 ? 5 * p + 7 : 2 * longer + 2 * p + 1);
}

static int run_svd(const solver *s, const scratch *w, int64_t i) {
  int64_t m = s->m, n = s->n, p = least(s->m, s->n);
  void *u = elements_of(s, s->c->b, m * (s->c->full ? m : p), i);
  void *vt = elements_of(s, s->c->c, n * (s->c->full ? n : p), i);
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

static void plan_eigh(solver *s) {
  char work[16], reals[16] = {0};
  int integers;
  scratch query = {.work = work, .reals = reals, .integers = &integers, .lwork = -1, .lreals = -1, .lintegers = -1};
  call_syevd(s, &query, work, work);
  s->work = work_length(s, work);
  s->reals = s->l->is_complex ? work_length(s, reals) : 0;
  s->integers = integers;
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

static int run_eigh(const solver *s, const scratch *w, int64_t i) {
  void *a = a_of(s, i);
  return is_triangle_finite(s, a) ? call_syevd(s, w, a, reals_of(s, s->c->values, s->n, i)) : LINALG_NOT_FINITE;
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
