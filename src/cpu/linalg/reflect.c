/* Computes QR factorizations by Householder reflections, and applies reflections to other matrices. Reflections are
** applied in groups, because a whole group can be applied by three matrix products. */

#include "cpu/linalg/block.h"

enum { SLABS = 4 };          /* the number of slabs of Q for each thread, because later columns take longer than
                             ** earlier columns */

/* V and T of one group of reflections, whose product is I - V T Vᴴ. */
typedef struct group {
  block v, t;
} group;

static group group_of(const lapack *l, const reflections *r, int j) {
  int count = least_of(REFLECTIONS, r->v.n - j);
  char *t = r->t + (int64_t)j * REFLECTIONS * (int64_t)l->size;
  return (group){cut(l, r->v, j, j, r->v.m - j, count), {t, count, count, REFLECTIONS}};
}

/* Computes x = (I - V op(T) Vᴴ) x. op is "N" or "C". `work` has 2 * REFLECTIONS elements for each column of x. */
static void reflect(const lapack *l, const group *g, const char *op, block x, char *work) {
  int count = g->t.n;
  block w = {work, count, x.n, count}, tw = cut(l, w, 0, x.n, count, x.n);
  multiply(l, 1, "C", g->v, "N", x, 0, w);
  multiply(l, 1, op, g->t, "N", w, 0, tw);
  multiply(l, -1, "N", g->v, "N", tw, 1, x);
}

/* Returns the part of r->work that belongs to the columns of x from `first` on, or to the rows if the reflections are
** applied from the right. */
static char *work_of_column(const lapack *l, const reflections *r, int first) {
  return r->work + (int64_t)first * 2 * REFLECTIONS * (int64_t)l->size;
}

double make_reflection(const lapack *l, int n, char *x) {
  _Alignas(8) char factor[8];
  int one = 1;
  l->larfg(&n, x, element(l, x, 1), &one, factor);
  return number_at(l, factor);
}

/* ---- QR ---- */

/* Computes x -= factor u (uᵀ x), column by column. */
static void reflect_columns(const lapack *l, const char *u, double factor, block x) {
  const matvec_table *kernels = matvec_of(l);
  for (int j = 0; j < x.n; j++) {
    char *column = at(l, x, 0, j);
    kernels->combine(x.m, -factor * kernels->dot(x.m, u, column), u, 1, column);
  }
}

void factor_qr_small(const lapack *l, block a, double *factors) {
  for (int j = 0; j < least_of(a.m, a.n); j++) {
    char *x = at(l, a, j, j);
    factors[j] = make_reflection(l, a.m - j, x);
    double diagonal = number_at(l, x);
    set_number(l, x, 1);
    reflect_columns(l, x, factors[j], cut(l, a, j, j + 1, a.m - j, a.n - j - 1));
    set_number(l, x, diagonal);
  }
}

void make_q_small(const lapack *l, block a, const double *factors, block q) {
  fill_identity(l, q, 0);
  for (int j = least_of(a.m, a.n) - 1; j >= 0; j--) {
    set_number(l, at(l, a, j, j), 1);
    reflect_columns(l, at(l, a, j, j), factors[j], cut(l, q, j, j, a.m - j, q.n - j));
  }
}

/* Sets v to ones on the diagonal, zeros above the diagonal, and a's elements below the diagonal. */
static void copy_reflections(const lapack *l, block a, block v) {
  fill_identity(l, v, 0);
  for (int j = 0; j < v.n; j++)
    memcpy(cut(l, v, j + 1, j, 1, 1).at, cut(l, a, j + 1, j, 1, 1).at, (size_t)(v.m - j - 1) * l->size);
}

/* Like copy_reflections, from the transpose of a real matrix a. */
static void copy_rows(const lapack *l, block a, block v) {
  transpose_block(l, a, v);
  fill_identity(l, cut(l, v, 0, 0, v.n, v.n), 0);
  for (int j = 0; j < v.n; j++)
    transpose_block(l, cut(l, a, j, j + 1, 1, v.n - j - 1), cut(l, v, j + 1, j, v.n - j - 1, 1));
}

/* Sets T to 0. LAPACK writes only the upper triangle of T, but products read all of T. */
static void clear_t(const lapack *l, const group *g) {
  for (int j = 0; j < g->t.n; j++) memset(cut(l, g->t, 0, j, 1, 1).at, 0, (size_t)g->t.m * l->size);
}

static void factor_panel(const lapack *l, block a, const group *g) {
  int info;
  clear_t(l, g);
  l->geqrt3(&a.m, &a.n, a.at, &a.ld, g->t.at, &g->t.ld, &info);
  copy_reflections(l, a, g->v);
}

typedef struct reflecting {
  const lapack *l;
  const reflections *r;
  group g;
  block x;
  int slabs;
  bool turned;
} reflecting;

static void update_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const reflecting *p = arg;
  int begin = slab_begin(p->x.n, i, p->slabs), count = slab_begin(p->x.n, i + 1, p->slabs) - begin;
  if (count) reflect(p->l, &p->g, "C", cut(p->l, p->x, 0, begin, p->x.m, count), work_of_column(p->l, p->r, begin));
}

void factor_qr(const solver *s, block a, reflections *r) {
  const lapack *l = s->l;
  for (int j = 0; j < r->v.n; j += REFLECTIONS) {
    group g = group_of(l, r, j);
    int rows = a.m - j, right = a.n - j - g.t.n;
    factor_panel(l, cut(l, a, j, j, rows, g.t.n), &g);
    reflecting p = {.l = l, .r = r, .g = g, .x = cut(l, a, j, j + g.t.n, rows, right)};
    p.slabs = threads_for(s, (int64_t)rows * right * 2 * g.t.n);
    if (right) cpu_parallel(p.slabs, p.slabs, update_task, &p);
  }
}

/* Computes slab i of Q. Reflections from column `end` on do not change the slab. */
static void q_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const reflecting *p = arg;
  const lapack *l = p->l;
  int begin = slab_begin(p->x.n, i, p->slabs), end = slab_begin(p->x.n, i + 1, p->slabs), m = p->x.m;
  block x = cut(l, p->x, 0, begin, m, end - begin);
  fill_identity(l, x, begin);
  for (int j = (least_of(end, p->r->v.n) - 1) / REFLECTIONS * REFLECTIONS; j >= 0; j -= REFLECTIONS) {
    group g = group_of(l, p->r, j);
    int first = most_of(begin, j);
    if (first < end)
      reflect(l, &g, "N", cut(l, p->x, j, first, m - j, end - first), work_of_column(l, p->r, first));
  }
}

void make_q(const solver *s, const reflections *r, block q) {
  int64_t work = (int64_t)q.m * q.n * r->v.n;
  int threads = threads_for(s, work);
  reflecting p = {.l = s->l, .r = r, .x = q, .slabs = threads > 1 ? most_of(1, least_of(SLABS * threads, q.n / REFLECTIONS)) : 1};
  cpu_parallel(threads, p.slabs, q_task, &p);
}

/* ---- reflections that LAPACK made ---- */

typedef struct gathering {
  const lapack *l;
  const reflections *r;
  block a;
  bool rows;
  const char *tau;
} gathering;

static void gather_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const gathering *p = arg;
  const lapack *l = p->l;
  int j = (int)i * REFLECTIONS;
  group g = group_of(l, p->r, j);
  block a = cut(l, p->a, j, j, g.v.m, g.v.n);
  if (p->rows) a = cut(l, p->a, j, j, g.v.n, g.v.m);
  if (p->rows) copy_rows(l, a, g.v);
  else copy_reflections(l, a, g.v);
  clear_t(l, &g);
  l->larft("F", "C", &g.v.m, &g.v.n, g.v.at, &g.v.ld, p->tau + (int64_t)j * (int64_t)l->size, g.t.at, &g.t.ld, 1, 1);
}

void gather_reflections(const solver *s, block a, bool rows, const void *tau, reflections *r) {
  gathering p = {s->l, r, a, rows, tau};
  int groups = (r->v.n + REFLECTIONS - 1) / REFLECTIONS;
  cpu_parallel(threads_for(s, (int64_t)r->v.m * r->v.n * REFLECTIONS), groups, gather_task, &p);
}

/* Applies the groups to slab i of x: from the last one to the first one, or the other way if p->turned is set. */
static void apply_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const reflecting *p = arg;
  const lapack *l = p->l;
  int begin = slab_begin(p->x.n, i, p->slabs), count = slab_begin(p->x.n, i + 1, p->slabs) - begin;
  int groups = (p->r->v.n + REFLECTIONS - 1) / REFLECTIONS;
  for (int step = 0; step < groups && count; step++) {
    int j = (p->turned ? step : groups - 1 - step) * REFLECTIONS;
    group g = group_of(l, p->r, j);
    reflect(l, &g, p->turned ? "C" : "N", cut(l, p->x, j, begin, g.v.m, count), work_of_column(l, p->r, begin));
  }
}

static void apply_groups(const solver *s, const reflections *r, block x, bool turned) {
  reflecting p = {.l = s->l, .r = r, .x = x, .turned = turned, .slabs = threads_for(s, 2 * (int64_t)x.m * x.n * r->v.n)};
  cpu_parallel(p.slabs, p.slabs, apply_task, &p);
}

void apply_q(const solver *s, const reflections *r, block x) { apply_groups(s, r, x, false); }

void apply_q_turned(const solver *s, const reflections *r, block x) { apply_groups(s, r, x, true); }

/* Computes x = x (I - V Tᴴ Vᴴ). */
static void reflect_right(const lapack *l, const group *g, block x, char *work) {
  int count = g->t.n;
  block w = {work, x.m, count, x.m}, wt = cut(l, w, 0, count, x.m, count);
  multiply(l, 1, "N", x, "N", g->v, 0, w);
  multiply(l, 1, "N", w, "C", g->t, 0, wt);
  multiply(l, -1, "N", wt, "C", g->v, 1, x);
}

static void apply_right_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const reflecting *p = arg;
  const lapack *l = p->l;
  int begin = slab_begin(p->x.m, i, p->slabs), count = slab_begin(p->x.m, i + 1, p->slabs) - begin;
  for (int j = (p->r->v.n - 1) / REFLECTIONS * REFLECTIONS; j >= 0 && count; j -= REFLECTIONS) {
    group g = group_of(l, p->r, j);
    reflect_right(l, &g, cut(l, p->x, begin, j, count, g.v.m), work_of_column(l, p->r, begin));
  }
}

void apply_q_right(const solver *s, const reflections *r, block x) {
  reflecting p = {.l = s->l, .r = r, .x = x, .slabs = threads_for(s, 2 * (int64_t)x.m * x.n * r->v.n)};
  cpu_parallel(p.slabs, p.slabs, apply_right_task, &p);
}
