/* Reductions of real matrices to tridiagonal and bidiagonal form, PANEL columns at a time, like LAPACK's sytrd and
** gebrd. Half of the work is one matrix-vector product of the remaining matrix for each column. Memory bandwidth limits
** these products. Threads share a product, and each loaded element is used twice.
**
** For the bidiagonal form, LAPACK reads the matrix A twice for each column. First it multiplies A by the vector u of
** the column's reflection, which gives the row r to the right of the diagonal. Then it computes A v for the row's
** reflection I - factor v vᵀ. But v is r divided by a number, except that its first element is 1. Therefore A v = a +
** A' r' / number, where a is A's first column, and A' and r' are the remaining columns and elements. Element j of r is
** known as soon as column j has been multiplied by u. Then the same pass adds the column, times this element, to the
** sum A' r'. */

#include <math.h>

#include "cpu/linalg/block.h"

enum {
  PANEL = 32,           /* the number of columns (tridiagonal), or of columns and rows (bidiagonal), whose reflections
                        ** are applied together */
  TAIL  = 96,           /* the fewest columns at the end of a matrix that are left to LAPACK (tridiagonal), or whose
                        ** reflections are applied one by one (bidiagonal) */
  GRAIN = 1 << 18       /* the fewest bytes of a matrix for each thread: reading them from L2 takes 5 µs */
};

/* The state of a matrix's reduction to bidiagonal or tridiagonal form. The remaining matrix is a - left rightᵀ. Columns
** 2 k and 2 k + 1 of left and right belong to column k of the panel. */
typedef struct condensing {
  const solver *s;
  const matvec_table *kernels;
  block a, left, right;
  char *sums;           /* partial sums: a.m elements for each slab */
  char *t;              /* scratch memory of 2 * PANEL elements */
  int   slabs;
  int   k, i;           /* the column's number in a, and in the panel */
  double factor;        /* the factor of the column's reflection */
} condensing;

int64_t condense_work(const solver *s) {
  return 4 * (int64_t)PANEL * most_of(s->m, s->n) + (int64_t)s->threads * s->m + 2 * PANEL;
}

static condensing condensing_of(const solver *s, block a, char *work) {
  const lapack *l = s->l;
  condensing c = {.s = s, .kernels = matvec_of(l), .a = a};
  c.left = (block){work, a.m, 2 * PANEL, a.m};
  c.right = (block){element(l, work, 2 * PANEL * (int64_t)a.m), a.n, 2 * PANEL, a.n};
  c.t = element(l, c.right.at, 2 * PANEL * (int64_t)a.n);
  c.sums = element(l, c.t, 2 * PANEL);
  return c;
}

/* Computes y = alpha op(a) x + beta y. The elements of x are x_step apart. */
static void multiply_vector(const lapack *l, int alpha, const char *op, block a, const char *x, int x_step, int beta, char *y) {
  int one = 1;
  if (a.m && a.n)
    l->gemv(op, &a.m, &a.n, number_of(l, alpha), a.at, &a.ld, x, &x_step, number_of(l, beta), y, &one, 1);
}

/* Adds the partial sums of all slabs, from element `first` on, and writes the total to x[0 … n - 1]. */
static void add_sums(const condensing *c, int first, int n, char *x) {
  memset(x, 0, (size_t)n * c->s->l->size);
  for (int i = 0; i < c->slabs; i++)
    c->kernels->combine(n, 1, element(c->s->l, c->sums, (int64_t)i * c->a.m + first), 1, x);
}

static void clear_sum(const condensing *c, int64_t slab, int n) {
  memset(element(c->s->l, c->sums, slab * c->a.m), 0, (size_t)n * c->s->l->size);
}

static int slabs_for(const solver *s, int64_t elements) { return least_of(s->threads, cpu_threads(elements * (int64_t)s->l->size, GRAIN)); }

/* ---- scaling ---- */

double largest_of(const solver *s, const void *x, int64_t count) {
  const float *narrow = x;
  const double *wide = x;
  double largest = 0;
  for (int64_t i = 0; i < count; i++)
    largest = fmax(largest, fabs(s->l->real_size == sizeof(float) ? (double)narrow[i] : wide[i]));
  return largest;
}

double scale_for(const solver *s, double largest) {
  bool narrow = s->l->real_size == sizeof(float);
  int e;
  if (largest == 0 || (largest > (narrow ? 0x1p-20 : 0x1p-100) && largest < (narrow ? 0x1p20 : 0x1p100))) return 1;
  frexp(largest, &e);
  return ldexp(1, e - 1);
}

void rescale(const solver *s, const char *part, double from, double to, block a) {
  double first, second;
  int none = 0, info;
  set_number(s->l, &first, from);
  set_number(s->l, &second, to);
  if (from != to) s->l->lascl(part, &none, &none, &first, &second, &a.m, &a.n, a.at, &a.ld, &info, 1);
}

/* ---- bidiagonal form ---- */

/* Processes slab i of the columns to the right of column k. The products of the columns and the vector u of column k's
** reflection give elements of the new row k. Then each column, multiplied by its element of row k, is added to the
** slab's partial sum. */
static void bidiagonal_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const condensing *c = arg;
  const lapack *l = c->s->l;
  int k = c->k, before = 2 * c->i, columns = c->a.n - k - 1, rows = c->a.m - k;
  int begin = k + 1 + (int)(columns * i / c->slabs), end = k + 1 + (int)(columns * (i + 1) / c->slabs);
  block known = cut(l, c->right, begin, 0, end - begin, before);
  char *y = at(l, c->right, begin, before), *row = at(l, c->right, begin, before + 1);
  memset(y, 0, (size_t)(end - begin) * l->size);
  memset(row, 0, (size_t)(end - begin) * l->size);
  multiply_vector(l, 1, "N", known, c->t, 1, 1, y);
  multiply_vector(l, 1, "N", known, at(l, c->left, k, 0), c->left.ld, 1, row);
  clear_sum(c, i, rows);
  matvec_step step = {at(l, c->a, k, begin), rows, end - begin, c->a.ld, at(l, c->left, k, before), c->factor, y, row,
                      element(l, c->sums, i * c->a.m)};
  c->kernels->bidiagonal(&step);
}

/* Updates column k of a by the panel's reflections, and makes the column's own reflection. Returns the diagonal
** element. */
static double reflect_column(condensing *c) {
  const lapack *l = c->s->l;
  int k = c->k, before = 2 * c->i, rows = c->a.m - k;
  char *x = at(l, c->a, k, k), *u = at(l, c->left, k, before);
  multiply_vector(l, -1, "N", cut(l, c->left, k, 0, rows, before), at(l, c->right, k, 0), c->right.ld, 1, x);
  c->factor = make_reflection(l, rows, x);
  memcpy(u, x, (size_t)rows * l->size);
  set_number(l, u, 1);
  return number_at(l, x);
}

/* Replaces row k by the vector v of the row's reflection. Then computes x = factor (a v - the panel's updates). Both
** use results of bidiagonal_task: row k, and the partial sums of the product of a and row k. Returns the element next
** to the diagonal. */
static double reflect_row(const condensing *c, double *factor) {
  const lapack *l = c->s->l;
  int k = c->k, before = 2 * c->i, columns = c->a.n - k - 1, rows = c->a.m - k - 1;
  char *v = at(l, c->right, k + 1, before + 1), *x = at(l, c->left, k + 1, before + 1);
  double first = number_at(l, v), beta;
  *factor = make_reflection(l, columns, v);
  beta = number_at(l, v);
  /* scale_for ensures that the largest element of the matrix is above 2^-20 (float32) or 2^-100 (float64). Compared
  ** with this element, beta is negligible */
  if (fabs(beta) < (l->real_size == sizeof(float) ? 0x1p-80 : 0x1p-600)) {
    memset(v, 0, (size_t)columns * l->size);
    *factor = 0;
    beta = first;
  }
  set_number(l, v, 1);
  if (*factor == 0) {
    memset(x, 0, (size_t)rows * l->size);
    return beta;
  }
  add_sums(c, 1, rows, x);
  c->kernels->combine(rows, -beta, at(l, c->a, k + 1, k + 1), 1, x);
  c->kernels->combine(rows, 0, x, 1 / (first - beta), x);
  multiply_vector(l, 1, "T", cut(l, c->right, k + 1, 0, columns, before + 1), v, 1, 0, c->t);
  multiply_vector(l, -1, "N", cut(l, c->left, k + 1, 0, rows, before + 1), c->t, 1, 1, x);
  c->kernels->combine(rows, 0, x, *factor, x);
  return beta;
}

/* Replaces rows first … first + width - 1 of a, to the right of their diagonal, by the vectors of their
** reflections. */
static void store_rows(const condensing *c, int first, int width) {
  const lapack *l = c->s->l;
  for (int i = 0; i < width; i++) {
    int k = first + i + 1, columns = c->a.n - k;
    transpose_block(l, cut(l, c->right, k, 2 * i + 1, columns, 1), cut(l, c->a, k - 1, k, 1, columns));
  }
}

/* Reduces columns and rows first … first + width - 1 to bidiagonal form, and writes the results to b. */
static void bidiagonal_panel(condensing *c, int first, int width, const bidiagonal *b) {
  const lapack *l = c->s->l;
  for (c->i = 0; c->i < width; c->i++) {
    double factor;
    int k = c->k = first + c->i, rows = c->a.m - k;
    set_number(l, element(l, b->d, k), reflect_column(c));
    set_number(l, element(l, b->left, k), c->factor);
    multiply_vector(l, 1, "T", cut(l, c->left, k, 0, rows, 2 * c->i), at(l, c->left, k, 2 * c->i), 1, 0, c->t);
    c->slabs = slabs_for(c->s, (int64_t)rows * (c->a.n - k - 1));
    cpu_parallel(c->slabs, c->slabs, bidiagonal_task, c);
    set_number(l, element(l, b->e, k), reflect_row(c, &factor));
    set_number(l, element(l, b->right, k), factor);
  }
  store_rows(c, first, width);
}

/* Applies the reflections of column and row k, the only ones of the panel, to the rest of a. */
static void apply_pair(const condensing *c, int k) {
  const lapack *l = c->s->l;
  int rows = c->a.m - k - 1;
  for (int i = 0; i < 2; i++) {
    const char *left = at(l, c->left, k + 1, i);
    char *factor = at(l, c->right, k + 1, i), *column = at(l, c->a, k + 1, k + 1);
    for (int j = k + 1; j < c->a.n; j++, factor = element(l, factor, 1), column = element(l, column, c->a.ld))
      c->kernels->combine(rows, -number_at(l, factor), left, 1, column);
  }
}

/* Makes the reflection of the last column, which has no row. */
static void reflect_last(condensing *c, const bidiagonal *b) {
  const lapack *l = c->s->l;
  int k = c->k = c->a.n - 1;
  c->i = 0;
  set_number(l, element(l, b->d, k), reflect_column(c));
  set_number(l, element(l, b->e, k), 0);
  set_number(l, element(l, b->left, k), c->factor);
  set_number(l, element(l, b->right, k), 0);
}

void to_bidiagonal(const solver *s, block a, const bidiagonal *b, char *work) {
  const lapack *l = s->l;
  condensing c = condensing_of(s, a, work);
  int first = 0;
  for (; a.n - first >= TAIL + PANEL && !cancel_due(); first += PANEL) {
    int rows = a.m - first - PANEL, columns = a.n - first - PANEL;
    bidiagonal_panel(&c, first, PANEL, b);
    minus_product(s, "N", cut(l, c.left, first + PANEL, 0, rows, 2 * PANEL), "T",
                  cut(l, c.right, first + PANEL, 0, columns, 2 * PANEL), cut(l, a, first + PANEL, first + PANEL, rows, columns));
  }
  for (; first < a.n - 1 && !cancel_due(); first++) {
    bidiagonal_panel(&c, first, 1, b);
    apply_pair(&c, first);
  }
  reflect_last(&c, b);
}

/* ---- tridiagonal form ---- */

/* Returns the first column of slab i of a lower triangle with `columns` columns, where all slabs have about the same
** area. */
static int lower_begin(int columns, int64_t i, int slabs) {
  return i == slabs ? columns : (int)(columns * (1 - sqrt(1 - (double)i / slabs)));
}

static void tridiagonal_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const condensing *c = arg;
  const lapack *l = c->s->l;
  int k = c->k + 1, columns = c->a.n - k, begin = lower_begin(columns, i, c->slabs), end = lower_begin(columns, i + 1, c->slabs);
  clear_sum(c, i, columns);
  c->kernels->symmetric(columns - begin, end - begin, at(l, c->a, k + begin, k + begin), c->a.ld,
                        at(l, c->left, k + begin, 2 * c->i), element(l, c->sums, i * c->a.m + begin));
}

/* Swaps the elements 2 i and 2 i + 1 of t, for every i. */
static void swap_pairs(const lapack *l, int count, char *t) {
  char kept[8];
  for (int i = 0; i + 1 < count; i += 2) {
    memcpy(kept, element(l, t, i), l->size);
    memcpy(element(l, t, i), element(l, t, i + 1), l->size);
    memcpy(element(l, t, i + 1), kept, l->size);
  }
}

/* Updates column k of a by the panel's reflections, and makes the reflection of the elements below the diagonal. */
static void reflect_below(condensing *c, const tridiagonal *b) {
  const lapack *l = c->s->l;
  int k = c->k, before = 2 * c->i, rows = c->a.n - k;
  char *x = at(l, c->a, k, k), *below = element(l, x, 1), *v = at(l, c->left, k + 1, before);
  for (int i = 0; i < before; i++) memcpy(element(l, c->t, i), at(l, c->left, k, i), l->size);
  swap_pairs(l, before, c->t);
  multiply_vector(l, -1, "N", cut(l, c->left, k, 0, rows, before), c->t, 1, 1, x);
  c->factor = make_reflection(l, rows - 1, below);
  memcpy(v, below, (size_t)(rows - 1) * l->size);
  set_number(l, element(l, b->d, k), number_at(l, x));
  set_number(l, element(l, b->e, k), number_at(l, below));
  set_number(l, element(l, b->factors, k), c->factor);
  set_number(l, v, 1);
}

/* Computes w from the partial sums of tridiagonal_task. The reflection with vector v replaces the remaining matrix a by
** a - v wᵀ - w vᵀ. */
static void finish_column(const condensing *c) {
  const lapack *l = c->s->l;
  int k = c->k + 1, before = 2 * c->i, rows = c->a.n - k;
  char *v = at(l, c->left, k, before), *w = at(l, c->left, k, before + 1);
  block known = cut(l, c->left, k, 0, rows, before);
  add_sums(c, 0, rows, w);
  multiply_vector(l, 1, "T", known, v, 1, 0, c->t);
  swap_pairs(l, before, c->t);
  multiply_vector(l, -1, "N", known, c->t, 1, 1, w);
  c->kernels->combine(rows, 0, w, c->factor, w);
  c->kernels->combine(rows, -0.5 * c->factor * c->kernels->dot(rows, w, v), v, 1, w);
}

typedef struct rank_update {
  const condensing *c;
  int first, slabs;
} rank_update;

/* Computes slab i of the lower triangle of a -= left rightᵀ. Some elements above the diagonal change, too, but are
** never read. */
static void update_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const rank_update *p = arg;
  const condensing *c = p->c;
  const lapack *l = c->s->l;
  int columns = c->a.n - p->first, begin = p->first + slab_begin(columns, i, p->slabs),
      end = p->first + slab_begin(columns, i + 1, p->slabs), rows = c->a.n - begin;
  multiply(l, -1, "N", cut(l, c->left, begin, 0, rows, 2 * PANEL), "T", cut(l, c->right, begin, 0, end - begin, 2 * PANEL), 1,
           cut(l, c->a, begin, begin, rows, end - begin));
}

static void tridiagonal_panel(condensing *c, int first, const tridiagonal *b) {
  const lapack *l = c->s->l;
  for (c->i = 0; c->i < PANEL; c->i++) {
    c->k = first + c->i;
    reflect_below(c, b);
    c->slabs = slabs_for(c->s, (int64_t)(c->a.n - c->k) * (c->a.n - c->k) / 2);
    cpu_parallel(c->slabs, c->slabs, tridiagonal_task, c);
    finish_column(c);
  }
  for (int i = 0; i < 2 * PANEL; i++)
    memcpy(at(l, c->right, 0, i), at(l, c->left, 0, i ^ 1), (size_t)c->a.n * l->size);
}

int to_tridiagonal(const solver *s, block a, const tridiagonal *b, char *work, int work_length) {
  enum { WIDTH = 64 };          /* the number of columns of a slab of the update; the part of a slab's diagonal square
                                ** above the diagonal is computed needlessly */
  condensing c = condensing_of(s, a, work);
  int first = 0, info = 0;
  for (; a.n - first >= TAIL + PANEL && !cancel_due(); first += PANEL) {
    int columns = a.n - first - PANEL;
    tridiagonal_panel(&c, first, b);
    rank_update update = {&c, first + PANEL, most_of(1, columns / WIDTH)};
    cpu_parallel(threads_for(s, (int64_t)columns * columns * PANEL), update.slabs, update_task, &update);
  }
  block rest = cut(s->l, a, first, first, a.n - first, a.n - first);
  s->l->sytrd("L", &rest.n, rest.at, &rest.ld, element(s->l, b->d, first), element(s->l, b->e, first), element(s->l, b->factors, first),
              work, &work_length, &info, 1);
  return info;
}
