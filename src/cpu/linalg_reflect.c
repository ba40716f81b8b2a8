/* Products of Householder reflections, in blocks: QR factorization, and what reflections do to other matrices. */

#include "linalg_block.h"

/* V and T of the reflections from column j on, of which there are at most REFLECTIONS. */
typedef struct group {
  block v, t;
} group;

static group group_of(const lapack *l, const reflections *r, int j) {
  int count = least(REFLECTIONS, r->v.n - j);
  char *t = r->t + (int64_t)j * REFLECTIONS * (int64_t)l->size;
  return (group){cut(l, r->v, j, j, r->v.m - j, count), {t, count, count, REFLECTIONS}};
}

/* x = (I - V op(T) Vᴴ) x, op: "N" or "C". work: 2 * REFLECTIONS elements a column of x */
static void reflect(const lapack *l, const group *g, const char *op, block x, char *work) {
  int count = g->t.n;
  block w = {work, count, x.n, count}, tw = cut(l, w, 0, x.n, count, x.n);
  multiply(l, 1, "C", g->v, "N", x, 0, w);
  multiply(l, 1, op, g->t, "N", w, 0, tw);
  multiply(l, -1, "N", g->v, "N", tw, 1, x);
}

/* The part of `work` that belongs to the columns from `first` on. */
static char *work_of_column(const lapack *l, const reflections *r, int first) {
  return r->work + (int64_t)first * 2 * REFLECTIONS * (int64_t)l->size;
}

/* ---- QR ---- */

/* V: what is below a's diagonal, below ones. */
static void copy_reflections(const lapack *l, block a, block v) {
  fill_identity(l, v, 0);
  for (int j = 0; j < v.n; j++)
    memcpy(cut(l, v, j + 1, j, 1, 1).at, cut(l, a, j + 1, j, 1, 1).at, (size_t)(v.m - j - 1) * l->size);
}

/* T is upper triangular, with zeros below: geqrt3 leaves them as they were. */
static void factor_panel(const lapack *l, block a, const group *g) {
  int info;
  for (int j = 0; j < g->t.n; j++) memset(cut(l, g->t, 0, j, 1, 1).at, 0, (size_t)g->t.m * l->size);
  l->geqrt3(&a.m, &a.n, a.at, &a.ld, g->t.at, &g->t.ld, &info);
  copy_reflections(l, a, g->v);
}

typedef struct reflecting {
  const lapack *l;
  const reflections *r;
  group g;
  block x;
  int slabs;
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
    reflecting p = {l, r, g, cut(l, a, j, j + g.t.n, rows, right), 0};
    p.slabs = threads_for(s, (int64_t)rows * right * 2 * g.t.n);
    if (right) cpu_parallel(p.slabs, p.slabs, update_task, &p);
  }
}

/* Columns begin … of Q: reflections from `end` on leave those of the identity as they are. */
static void q_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const reflecting *p = arg;
  const lapack *l = p->l;
  int begin = slab_begin(p->x.n, i, p->slabs), end = slab_begin(p->x.n, i + 1, p->slabs), m = p->x.m;
  block x = cut(l, p->x, 0, begin, m, end - begin);
  fill_identity(l, x, begin);
  for (int j = (least(end, p->r->v.n) - 1) / REFLECTIONS * REFLECTIONS; j >= 0; j -= REFLECTIONS) {
    group g = group_of(l, p->r, j);
    int first = most(begin, j);
    if (first < end)
      reflect(l, &g, "N", cut(l, p->x, j, first, m - j, end - first), work_of_column(l, p->r, first));
  }
}

void make_q(const solver *s, const reflections *r, block q) {
  int64_t work = (int64_t)q.m * q.n * r->v.n;
  int threads = threads_for(s, work);
  reflecting p = {.l = s->l, .r = r, .x = q, .slabs = threads > 1 ? most(1, least(4 * threads, q.n / 32)) : 1};
  cpu_parallel(threads, p.slabs, q_task, &p);
}
