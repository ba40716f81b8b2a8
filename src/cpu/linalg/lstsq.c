/* The routine that solves one least-squares problem by its singular values. */

#include "cpu/linalg/block.h"

static int call_gelsd(const solver *s, const scratch *w, void *a, void *b, void *values, int *rank) {
  int info, ldb = most_of(s->m, s->n);
  double rtol;
  set_number(s->l, &rtol, tolerance_of(s));
  if (s->l->is_complex)
    s->l->complex_gelsd(&s->m, &s->n, &s->k, a, &s->m, b, &ldb, values, &rtol, rank, w->work, &w->lwork, w->reals,
                        w->integers, &info);
  else
    s->l->gelsd(&s->m, &s->n, &s->k, a, &s->m, b, &ldb, values, &rtol, rank, w->work, &w->lwork, w->integers, &info);
  return info;
}

/* True for matrices whose problem is solved by luatensor's own reduction to bidiagonal form. */
static bool is_reduced(const solver *s) { return !s->l->is_complex && s->m >= s->n; }

/* True if a matrix is first factored into Q R, so that only R is reduced to bidiagonal form. */
static bool is_tall(const solver *s) { return s->m / 2 >= s->n; }

/* True if the reflections of a tall matrix are applied one by one. */
static bool is_small(const solver *s) {
  enum { SMALL = 1 << 13 };             /* the most elements of a small matrix: 64 KiB of doubles stay in L2 */
  return s->n <= REFLECTIONS && s->c->m * s->c->n <= SMALL;
}

/* Plans the scratch memory of is_reduced: tau has six rows, and Q's reflections. */
static void plan_reduced(solver *s) {
  int64_t room = 2 * REFLECTIONS * (int64_t)most_of(s->n, s->k);
  if (s->work < condense_work(s)) s->work = condense_work(s);
  s->tau = 6 * (int64_t)s->n;
  if (!is_tall(s) || is_small(s)) return;
  s->tau += (int64_t)s->m * s->n + reflections_t(s->n);
  if (s->work < room) s->work = room;
}

/* Plans the scratch memory. A query of gelsd returns the lengths that gelsd requires. */
static void plan_lstsq(solver *s) {
  char work[16], reals[16] = {0};
  int integers = 0, rank;
  scratch query = {.work = work, .reals = reals, .integers = &integers, .lwork = -1};
  call_gelsd(s, &query, work, work, work, &rank);
  s->work = lapack_work_length(s->l, work);
  s->reals = s->l->is_complex ? lapack_work_length(s->l, reals) : 0;
  s->integers = integers;
  if (is_reduced(s)) plan_reduced(s);
}

/* ---- real matrices with at least as many rows as columns ----
** The bidiagonal form B of a = Q B Pᵀ gives the singular values. If they show full rank, x = P B⁻¹ Qᵀ b takes one
** substitution, where gelsd computes B's singular vectors. */

/* Computes x = (I - factor u uᵀ) x for each column of x. `below` has the elements of u after the first one, which is 1. */
static void reflect_one(const lapack *l, char *below, char *factor, block x) {
  const matvec_table *kernels = matvec_of(l);
  double f = number_at(l, factor);
  for (int j = 0; j < x.n && f != 0; j++) {
    char *first = at(l, x, 0, j), *rest = element(l, first, 1);
    double sum = f * (number_at(l, first) + kernels->dot(x.m - 1, below, rest));
    set_number(l, first, number_at(l, first) - sum);
    kernels->combine(x.m - 1, -sum, below, 1, rest);
  }
}

/* Computes b = Qᵀ b for reflections whose vectors are below the diagonal of a. */
static void apply_columns(const lapack *l, block a, char *factors, block b) {
  for (int k = 0; k < a.n; k++)
    reflect_one(l, at(l, a, k + 1, k), element(l, factors, k), cut(l, b, k, 0, a.m - k, b.n));
}

/* Computes b = P b for reflections whose vectors are to the right of the elements beside the diagonal of a. `room` has
** a.n elements. */
static void apply_rows(const lapack *l, block a, char *factors, block b, char *room) {
  for (int k = a.n - 2; k >= 0; k--) {
    transpose_block(l, cut(l, a, k, k + 2, 1, a.n - k - 2), (block){room, a.n - k - 2, 1, a.n});
    reflect_one(l, room, element(l, factors, k), cut(l, b, k + 1, 0, a.n - k - 1, b.n));
  }
}

/* Like apply_columns for "Q", and apply_rows for "P". LAPACK applies blocks of reflections to many columns. */
static void apply_factor(const solver *s, const scratch *w, const char *which, block a, char *factors, block b, char *room) {
  enum { FEW = 32 };           /* the most columns of b for which making blocks of reflections takes longer */
  int info;
  if (b.n > FEW)
    s->l->ormbr(which, "L", *which == 'Q' ? "T" : "N", &b.m, &b.n, &a.n, a.at, &a.ld, factors, b.at, &b.ld, w->work, &w->lwork,
                &info, 1, 1, 1);
  else if (*which == 'Q') apply_columns(s->l, a, factors, b);
  else apply_rows(s->l, a, factors, b, room);
}

/* Computes x = B⁻¹ x for the bidiagonal matrix B. */
static void divide_by_bidiagonal(const lapack *l, int n, char *d, char *e, block x) {
  for (int j = 0; j < x.n; j++) {
    double next = 0;
    for (int i = n - 1; i >= 0; i--) {
      double beside = i < n - 1 ? number_at(l, element(l, e, i)) : 0, rest = number_at(l, at(l, x, i, j)) - beside * next;
      set_number(l, at(l, x, i, j), rest / number_at(l, element(l, d, i)));
      next = number_at(l, at(l, x, i, j));
    }
  }
}

/* Computes b = P B⁺ Qᵀ b, where ⁺ is the pseudoinverse. The singular values replace the diagonal f->d. `room` has
** 2 n elements, for another copy of B. */
static int solve_bidiagonal(const solver *s, const scratch *w, block a, const bidiagonal *f, block b, char *room, int *rank) {
  enum { SMALLEST = 25 };               /* LAPACK's default: bidiagonal blocks of at most this size are not
                                        ** subdivided */
  const lapack *l = s->l;
  int smallest = SMALLEST, info, nothing, one = 1;
  double rtol = tolerance_of(s), tolerance;
  size_t row = (size_t)a.n * l->size;
  char *d = room, *e = room + row, none[8];
  memcpy(d, f->d, row);
  memcpy(e, f->e, row);
  apply_factor(s, w, "Q", a, f->left, cut(l, b, 0, 0, a.m, b.n), NULL);
  l->bdsdc("U", "N", &a.n, f->d, f->e, none, &one, none, &one, none, &nothing, w->work, w->integers, &info, 1, 1);
  if (info) return info;
  if (number_at(l, element(l, f->d, a.n - 1)) > rtol * number_at(l, f->d)) {
    *rank = a.n;
    divide_by_bidiagonal(l, a.n, d, e, cut(l, b, 0, 0, a.n, b.n));
  } else {
    set_number(l, &tolerance, rtol);
    l->lalsd("U", &smallest, &a.n, &b.n, d, e, b.at, &b.ld, &tolerance, rank, w->work, w->integers, &info, 1);
    memcpy(f->d, d, row);
  }
  apply_factor(s, w, "P", a, f->right, cut(l, b, 0, 0, a.n, b.n), d);
  return info;
}

/* Factors a tall matrix into Q R, and computes b = Qᵀ b. Returns R. `factors` has n elements, followed by the memory for
** Q's reflections. */
static block reduce_rows(const solver *s, const scratch *w, block a, block b, char *factors) {
  const lapack *l = s->l;
  double few[REFLECTIONS];
  if (is_small(s)) {
    factor_qr_small(l, a, few);
    for (int k = 0; k < a.n; k++) set_number(l, element(l, factors, k), few[k]);
    apply_columns(l, a, factors, b);
  } else {
    char *v = element(l, factors, a.n);
    reflections q = {{v, a.m, a.n, a.m}, element(l, v, (int64_t)a.m * a.n), w->work};
    factor_qr(s, a, &q);
    apply_q_turned(s, &q, b);
  }
  for (int j = 0; j < a.n; j++) memset(at(l, a, j + 1, j), 0, (size_t)(a.n - j - 1) * l->size);
  return cut(l, a, 0, 0, a.n, a.n);
}

static int reduced_lstsq(const solver *s, const scratch *w, void *matrix, void *right, void *values, int *rank) {
  const lapack *l = s->l;
  block a = {matrix, s->m, s->n, s->m}, b = {right, s->m, s->k, s->m};
  char *rows[6];
  for (int i = 0; i < 6; i++) rows[i] = element(l, w->tau, (int64_t)i * s->n);
  bidiagonal f = {values, rows[0], rows[1], rows[2]};
  double scale = scale_for(s, largest_of(s, matrix, (int64_t)s->m * s->n)), b_scale = scale_for(s, largest_of(s, right, (int64_t)s->m * s->k));
  rescale(s, "G", scale, 1, a);
  rescale(s, "G", b_scale, 1, b);
  if (is_tall(s)) a = reduce_rows(s, w, a, b, rows[5]);
  to_bidiagonal(s, a, &f, w->work);
  if (cancel_due()) return 0;
  int info = solve_bidiagonal(s, w, a, &f, b, rows[3], rank);
  rescale(s, "G", 1, b_scale, b);
  rescale(s, "G", scale, 1, cut(l, b, 0, 0, s->n, s->k));
  rescale(s, "G", 1, scale, (block){values, s->n, 1, s->n});
  return info;
}

static int run_lstsq(const solver *s, const scratch *w, int64_t i) {
  int rank = 0;
  void *a = a_of(s, i), *b = elements_of(s, s->c->b, (int64_t)most_of(s->m, s->n) * s->k, i);
  void *values = reals_of(s, s->c->values, least_of(s->m, s->n), i);
  if (!lapack_is_finite(s->l, b, (int64_t)most_of(s->m, s->n) * s->k)) return LINALG_NOT_FINITE;
  int info = is_reduced(s) ? reduced_lstsq(s, w, a, b, values, &rank) : call_gelsd(s, w, a, b, values, &rank);
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
