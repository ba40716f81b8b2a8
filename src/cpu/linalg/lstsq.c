/* The routine that solves one least-squares problem by a singular value decomposition. */

#include "cpu/linalg/block.h"

static int call_gelsd(const solver *s, const scratch *w, void *a, void *b, void *values, int *rank) {
  int info, ldb = most_of(s->m, s->n);
  double rtol;
  set_number(s->l, &rtol, s->c->rtol);
  if (s->l->is_complex)
    s->l->complex_gelsd(&s->m, &s->n, &s->k, a, &s->m, b, &ldb, values, &rtol, rank, w->work, &w->lwork, w->reals,
                        w->integers, &info);
  else
    s->l->gelsd(&s->m, &s->n, &s->k, a, &s->m, b, &ldb, values, &rtol, rank, w->work, &w->lwork, w->integers, &info);
  return info;
}

/* True for real matrices in the size range of luatensor's own reduction. Matrices with at least twice as many rows as
** columns are left to gelsd, which first factors them into Q R. */
static bool is_blocked(const solver *s) { return !s->l->is_complex && s->n >= CONDENSED && s->m >= s->n && s->m / 2 < s->n; }

/* Plans the scratch memory. A query of gelsd returns the lengths that gelsd requires. blocked_lstsq may require a
** longer work array, and also requires tau. */
static void plan_lstsq(solver *s) {
  char work[16], reals[16] = {0};
  int integers = 0, rank;
  scratch query = {.work = work, .reals = reals, .integers = &integers, .lwork = -1};
  call_gelsd(s, &query, work, work, work, &rank);
  s->work = lapack_work_length(s->l, work);
  s->reals = s->l->is_complex ? lapack_work_length(s->l, reals) : 0;
  s->integers = integers;
  if (is_blocked(s) && s->work < condense_work(s)) s->work = condense_work(s);
  if (is_blocked(s)) s->tau = 3 * (int64_t)s->n;
}

/* Computes b = op(Q) b if `which` is "Q", or b = op(P) b if `which` is "P". to_bidiagonal has stored the reflections of
** Q and P in a. `factors` has the factors of the reflections of the chosen matrix. */
static void apply_factor(const solver *s, const scratch *w, const char *which, const char *op, block a, const char *factors, block b) {
  int info;
  s->l->ormbr(which, "L", op, &b.m, &b.n, &a.n, a.at, &a.ld, factors, b.at, &b.ld, w->work, &w->lwork, &info, 1, 1, 1);
}

/* Computes b = P (bidiagonal matrix)⁺ Qᵀ b, where ⁺ is the pseudoinverse. The singular values replace the diagonal
** f->d. */
static int solve_bidiagonal(const solver *s, const scratch *w, block a, const bidiagonal *f, block b, int *rank) {
  enum { SMALLEST = 25 };               /* LAPACK's default: bidiagonal blocks of at most this size are not
                                        ** subdivided */
  int smallest = SMALLEST, info;
  double rtol;
  set_number(s->l, &rtol, s->c->rtol);
  apply_factor(s, w, "Q", "T", a, f->left, cut(s->l, b, 0, 0, a.m, b.n));
  s->l->lalsd("U", &smallest, &a.n, &b.n, f->d, f->e, b.at, &b.ld, &rtol, rank, w->work, w->integers, &info, 1);
  apply_factor(s, w, "P", "N", a, f->right, cut(s->l, b, 0, 0, a.n, b.n));
  return info;
}

/* Like LAPACK's gelsd, but with luatensor's reduction to bidiagonal form (to_bidiagonal). */
static int blocked_lstsq(const solver *s, const scratch *w, void *matrix, void *right, void *values, int *rank) {
  block a = {matrix, s->m, s->n, s->m}, b = {right, s->m, s->k, s->m};
  char *e = w->tau, *left = elements_of(s, e, s->n, 1);
  bidiagonal f = {values, e, left, elements_of(s, left, s->n, 1)};
  double scale = scale_for(s, largest_of(s, matrix, (int64_t)s->m * s->n)), b_scale = scale_for(s, largest_of(s, right, (int64_t)s->m * s->k));
  rescale(s, "G", scale, 1, a);
  rescale(s, "G", b_scale, 1, b);
  int info = to_bidiagonal(s, a, &f, w->work, w->lwork);
  if (info || cancel_due()) return info;
  info = solve_bidiagonal(s, w, a, &f, b, rank);
  rescale(s, "G", 1, b_scale, b);
  rescale(s, "G", scale, 1, cut(s->l, b, 0, 0, s->n, s->k));
  rescale(s, "G", 1, scale, (block){values, s->n, 1, s->n});
  return info;
}

static int run_lstsq(const solver *s, const scratch *w, int64_t i) {
  int rank = 0;
  void *a = a_of(s, i), *b = elements_of(s, s->c->b, (int64_t)most_of(s->m, s->n) * s->k, i);
  void *values = reals_of(s, s->c->values, least_of(s->m, s->n), i);
  if (!lapack_is_finite(s->l, b, (int64_t)most_of(s->m, s->n) * s->k)) return LINALG_NOT_FINITE;
  int info = is_blocked(s) ? blocked_lstsq(s, w, a, b, values, &rank) : call_gelsd(s, w, a, b, values, &rank);
  s->c->rank[i] = rank;
  return info;
}

/* Completes the result of the kernel of lanes, which solves for matrices of full rank only. */
static int finish_lstsq(const solver *s, const scratch *w, int64_t i, int info) {
  if (info != 0 && info != LINALG_NOT_FINITE) return run_lstsq(s, w, i);
  s->c->rank[i] = least_of(s->m, s->n);
  return info;
}

const routine lstsq_routine = {plan_lstsq, run_lstsq, true, finish_lstsq};
