/* Recursive LU and Cholesky factorizations. The columns are divided into two halves. After the first half is factored,
** a substitution and a matrix product update the second half, which is then factored. Nearly all of the time is spent
** in substitutions and products. */

#include <math.h>

#include "cpu/linalg/block.h"

enum {
  GRAIN = 1 << 19,     /* the fewest multiplications for each thread: below a million in total (15 µs), a second
                       ** thread costs more time than it saves */
  LEAF  = 32,          /* the number of columns that LAPACK factors: with 64 columns, a matrix of 64 rows would take
                       ** twice as long */
  SLABS = 4,           /* the number of slabs for each thread when a matrix is inverted, because slabs of equal width
                       ** take different times */
  FEW   = 4            /* systems with fewer right-hand sides than this are solved by LAPACK, whose loops run along
                       ** the columns of the triangle, which are contiguous */
};

const void *number_of(const lapack *l, int value) {
  static const double wide[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
  static const float narrow[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
  return l->real_size == sizeof(float) ? (const void *)narrow[value + 1] : wide[value + 1];
}

double number_at(const lapack *l, const void *x) {
  return l->real_size == sizeof(float) ? (double)*(const float *)x : *(const double *)x;
}

void set_number(const lapack *l, void *x, double value) {
  if (l->real_size == sizeof(float)) *(float *)x = (float)value;
  else *(double *)x = value;
}

const matvec_table *matvec_of(const lapack *l) {
  return l->real_size == sizeof(float) ? cpu_isa->matvec_float32 : cpu_isa->matvec_float64;
}

block cut(const lapack *l, block a, int row, int column, int m, int n) {
  a.at += ((int64_t)column * a.ld + row) * (int64_t)l->size;
  a.m = m;
  a.n = n;
  return a;
}

void transpose_block(const lapack *l, block from, block to) {
  copy_plan p = {.rows = to.m, .cols = to.n, .to_row = 1, .to_col = to.ld, .from_row = from.ld, .from_col = 1};
  cpu_isa->convert->copy[__builtin_ctz((unsigned)l->size)](&p, to.at, from.at);
}

void fill_identity(const lapack *l, block x, int first) {
  for (int j = 0; j < x.n; j++) {
    char *column = cut(l, x, 0, j, x.m, 1).at;
    memset(column, 0, (size_t)x.m * l->size);
    memcpy(column + (size_t)(first + j) * l->size, number_of(l, 1), l->size);
  }
}

int slab_begin(int length, int64_t i, int64_t n) {
  return i == n ? length : (int)(length * i / n) / TRIANGLE_SIZE * TRIANGLE_SIZE;
}

/* Returns n / 2 rounded up to a multiple of TRIANGLE_SIZE. */
static int half_of(int n) { return (n / 2 + TRIANGLE_SIZE - 1) / TRIANGLE_SIZE * TRIANGLE_SIZE; }

/* A complex multiplication counts as four real multiplications. A multiplication of floats takes half of the time of
** a multiplication of doubles. */
int threads_for(const solver *s, int64_t work) {
  if (s->l->is_complex) work *= 4;
  if (s->l->real_size == sizeof(float)) work /= 2;
  return least_of(s->threads, cpu_threads(work, GRAIN));
}

/* ---- products ---- */

void multiply(const lapack *l, int alpha, const char *opa, block a, const char *opb, block b, int beta, block c) {
  int k = *opa == 'N' ? a.n : a.m;
  if (c.m && c.n && k)
    l->gemm(opa, opb, &c.m, &c.n, &k, number_of(l, alpha), a.at, &a.ld, b.at, &b.ld, number_of(l, beta), c.at, &c.ld, 1, 1);
}

static void product_block(const lapack *l, const char *opa, block a, const char *opb, block b, block c) {
  multiply(l, -1, opa, a, opb, b, 1, c);
}

typedef struct product {
  const lapack *l;
  const char *opa, *opb;
  block a, b, c;
  int slabs;
} product;

/* Computes slab i of c. Slabs are cut from the longer dim of c. */
static void product_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const product *p = arg;
  block a = p->a, b = p->b, c = p->c;
  bool rows = c.m > c.n;
  int begin = slab_begin(rows ? c.m : c.n, i, p->slabs), count = slab_begin(rows ? c.m : c.n, i + 1, p->slabs) - begin;
  if (rows) a = *p->opa == 'N' ? cut(p->l, a, begin, 0, count, a.n) : cut(p->l, a, 0, begin, a.m, count);
  else b = *p->opb == 'N' ? cut(p->l, b, 0, begin, b.m, count) : cut(p->l, b, begin, 0, count, b.n);
  c = rows ? cut(p->l, c, begin, 0, count, c.n) : cut(p->l, c, 0, begin, c.m, count);
  product_block(p->l, p->opa, a, p->opb, b, c);
}

void minus_product(const solver *s, const char *opa, block a, const char *opb, block b, block c) {
  int threads = threads_for(s, (int64_t)c.m * c.n * (*opa == 'N' ? a.n : a.m));
  product p = {s->l, opa, opb, a, b, c, threads};
  if (threads > 1) cpu_parallel(threads, threads, product_task, &p);
  else product_block(s->l, opa, a, opb, b, c);
}

/* ---- substitution ---- */

/* Computes x = t⁻¹ x. If the elements are real, x must have at most TRIANGLE_SIZE rows. */
static void divide_leaf(const lapack *l, corner t, block x) {
  int64_t row = t.turned ? t.at.ld : 1, column = t.turned ? 1 : t.at.ld;
  triangle small = {t.at.at, x.m, row, column, t.upper != t.turned, t.unit};
  if (l->is_complex)
    l->trsm("L", t.upper ? "U" : "L", !t.turned ? "N" : t.plain ? "T" : "C", t.unit ? "U" : "N", &x.m, &x.n, number_of(l, 1),
            t.at.at, &t.at.ld, x.at, &x.ld, 1, 1, 1, 1);
  else if (l->size == sizeof(float))
    cpu_isa->triangle_float32->substitute(&small, x.n, x.at, x.ld);
  else
    cpu_isa->triangle_float64->substitute(&small, x.n, x.at, x.ld);
}

static void divide_block(const lapack *l, corner t, block x) {
  if (!x.m || !x.n) return;
  if (l->is_complex || x.m <= TRIANGLE_SIZE) {
    divide_leaf(l, t, x);
    return;
  }
  int n = x.m, h = half_of(n);
  bool last_first = t.upper != t.turned;        /* true: the substitution begins with the last unknown */
  corner head = t, tail = t;
  head.at = cut(l, t.at, 0, 0, h, h);
  tail.at = cut(l, t.at, h, h, n - h, n - h);
  block above = cut(l, x, 0, 0, h, x.n), below = cut(l, x, h, 0, n - h, x.n);
  block between = t.upper ? cut(l, t.at, 0, h, h, n - h) : cut(l, t.at, h, 0, n - h, h);
  const char *op = !t.turned ? "N" : "T";
  divide_block(l, last_first ? tail : head, last_first ? below : above);
  product_block(l, op, between, "N", last_first ? below : above, last_first ? above : below);
  divide_block(l, last_first ? head : tail, last_first ? above : below);
}

typedef struct division {
  const solver *s;
  corner t;
  block x;
  const int *pivots;                   /* swaps of x's rows before the substitution; NULL: no swaps */
  int slabs;
} division;

static void swap_rows(const lapack *l, block x, const int *pivots, int count, int step) {
  int one = 1;
  if (x.n && count) l->laswp(&x.n, x.at, &x.ld, &one, &count, pivots, &step);
}

static void division_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const division *d = arg;
  int begin = slab_begin(d->x.n, i, d->slabs), count = slab_begin(d->x.n, i + 1, d->slabs) - begin;
  block x = cut(d->s->l, d->x, 0, begin, d->x.m, count);
  if (d->pivots) swap_rows(d->s->l, x, d->pivots, d->t.at.n, 1);
  x.m = d->t.at.n;
  divide_block(d->s->l, d->t, x);
}

static void divide_swapped(const solver *s, corner t, const int *pivots, block x) {
  division d = {s, t, x, pivots, threads_for(s, (int64_t)t.at.n * t.at.n * x.n / 2)};
  cpu_parallel(d.slabs, d.slabs, division_task, &d);
}

void divide(const solver *s, corner t, block x) { divide_swapped(s, t, NULL, x); }

/* ---- LU ---- */

/* Factors a matrix by halves until at most LEAF rows or columns remain, which LAPACK factors. */
static int factor_halves(const solver *s, block a, int *pivots) {
  const lapack *l = s->l;
  int info = 0, rank = least_of(a.m, a.n);
  if (rank <= LEAF) {
    l->getrf(&a.m, &a.n, a.at, &a.ld, pivots, &info);
    return info;
  }
  int h = half_of(rank);
  block left = cut(l, a, 0, 0, a.m, h), right = cut(l, a, 0, h, a.m, a.n - h);
  block top = cut(l, right, 0, 0, h, right.n), rest = cut(l, right, h, 0, a.m - h, right.n);
  info = factor_halves(s, left, pivots);
  divide_swapped(s, (corner){.at = cut(l, left, 0, 0, h, h), .unit = true}, pivots, right);
  minus_product(s, "N", cut(l, left, h, 0, a.m - h, h), "N", top, rest);
  int below = factor_halves(s, rest, pivots + h);
  swap_rows(l, cut(l, left, h, 0, a.m - h, h), pivots + h, rank - h, 1);
  for (int i = h; i < rank; i++) pivots[i] += h;
  return info ? info : below ? below + h : 0;
}

/* One step of a factorization by panels of WIDTH columns. The step applies the panel that begins at `column`, which is
** factored already, to the columns to the right of the panel. */
typedef struct lu_step {
  const solver *one;                   /* the same solver, but for one thread */
  block a;
  int  *pivots;                        /* the pivots of each panel, counted from the panel's first row */
  int   column, width, next, slabs;    /* next: the number of columns of the next panel */
  int  *info;                          /* the result of factoring the next panel */
} lu_step;

/* Item 0 updates and factors the next panel. Meanwhile other threads update the slabs to the right of the next
** panel. */
static void lu_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const lu_step *p = arg;
  const lapack *l = p->one->l;
  int first = p->column + p->width, slabs = first + p->next, columns = p->a.n - slabs, rows = p->a.m - p->column;
  int begin = i == 0 ? first : slabs + slab_begin(columns, i - 1, p->slabs), end = i == 0 ? slabs : slabs + slab_begin(columns, i, p->slabs);
  block panel = cut(l, p->a, p->column, p->column, rows, p->width), x = cut(l, p->a, p->column, begin, rows, end - begin);
  block top = cut(l, x, 0, 0, p->width, x.n), rest = cut(l, x, p->width, 0, rows - p->width, x.n);
  if (!x.n) return;
  swap_rows(l, x, p->pivots + p->column, p->width, 1);
  divide_block(l, (corner){.at = cut(l, panel, 0, 0, p->width, p->width), .unit = true}, top);
  product_block(l, "N", cut(l, panel, p->width, 0, rows - p->width, p->width), "N", top, rest);
  if (i == 0 && least_of(rest.m, rest.n) > 0) *p->info = factor_halves(p->one, rest, p->pivots + first);
}

/* Swaps the rows of panel i by the pivots of the panels to its right. */
static void left_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const lu_step *p = arg;
  const lapack *l = p->one->l;
  int rank = least_of(p->a.m, p->a.n), column = (int)i * p->width;
  for (int j = column + p->width; j < rank; j += p->width)
    swap_rows(l, cut(l, p->a, j, column, p->a.m - j, p->width), p->pivots + j, least_of(p->width, rank - j), 1);
}

static void clear_pivots(int *pivots, int count) {
  for (int i = 0; i < count; i++) pivots[i] = i + 1;
}

static int factor_panels(const solver *s, block a, int *pivots) {
  enum { WIDTH = 64, PER_THREAD = 3 };
  solver one = *s;
  one.threads = 1;
  int rank = least_of(a.m, a.n), below = 0;
  int info = factor_halves(&one, cut(s->l, a, 0, 0, a.m, WIDTH), pivots);
  lu_step p = {.one = &one, .a = a, .pivots = pivots, .info = &below};
  for (; p.column < rank; p.column += p.width) {
    p.width = least_of(WIDTH, rank - p.column);
    int first = p.column + p.width, threads = threads_for(s, (int64_t)p.width * (a.m - p.column) * (a.n - first));
    p.next = least_of(WIDTH, rank - first);
    p.slabs = PER_THREAD * threads;
    clear_pivots(pivots + first, p.next);                     /* a cancelled operation skips items, so these pivots
                                                              ** might not be set */
    cpu_parallel(threads, p.slabs + 1, lu_task, &p);
    if (!info && below) info = below + first;
    below = 0;
  }
  p.width = WIDTH;
  cpu_parallel(s->threads, (rank - 1) / WIDTH, left_task, &p);
  for (int i = 0; i < rank; i++) pivots[i] += i / WIDTH * WIDTH;
  return info;
}

int factor_lu(const solver *s, block a, int *pivots) {
  enum { LARGE = 256 };                 /* matrices with fewer rows or columns are factored by halves; factoring by
                                        ** panels lets one thread factor the next panel ahead of time */
  return s->threads > 1 && least_of(a.m, a.n) >= LARGE ? factor_panels(s, a, pivots) : factor_halves(s, a, pivots);
}

typedef struct solution {
  const solver *s;
  bool turned;
  block lu, b;
  const int *pivots;
  int slabs;
} solution;

static void solution_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const solution *p = arg;
  const lapack *l = p->s->l;
  int begin = slab_begin(p->b.n, i, p->slabs), count = slab_begin(p->b.n, i + 1, p->slabs) - begin;
  block x = cut(l, p->b, 0, begin, p->b.m, count);
  corner lower = {.at = p->lu, .unit = true, .turned = p->turned, .plain = true};
  corner upper = {.at = p->lu, .upper = true, .turned = p->turned, .plain = true};
  if (!p->turned) swap_rows(l, x, p->pivots, x.m, 1);
  divide_block(l, p->turned ? upper : lower, x);
  divide_block(l, p->turned ? lower : upper, x);
  if (p->turned) swap_rows(l, x, p->pivots, x.m, -1);
}

void solve_lu(const solver *s, const char *op, block lu, const int *pivots, block b) {
  int info;
  if (b.n < FEW) {
    s->l->getrs(op, &lu.n, &b.n, lu.at, &lu.ld, pivots, b.at, &b.ld, &info, 1);
    return;
  }
  solution p = {s, *op == 'T', lu, b, pivots, threads_for(s, (int64_t)lu.n * lu.n * b.n)};
  cpu_parallel(p.slabs, p.slabs, solution_task, &p);
}

/* Computes slab i of the inverse of L U. The inverse of L is 0 above its diagonal. */
static void inverse_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const solution *p = arg;
  const lapack *l = p->s->l;
  int begin = slab_begin(p->b.n, i, p->slabs), count = slab_begin(p->b.n, i + 1, p->slabs) - begin, n = p->b.m;
  block x = cut(l, p->b, 0, begin, n, count);
  fill_identity(l, x, begin);
  block tail = cut(l, p->lu, begin, begin, n - begin, n - begin);
  divide_block(l, (corner){.at = tail, .unit = true}, cut(l, x, begin, 0, n - begin, count));
  divide_block(l, (corner){.at = p->lu, .upper = true}, x);
}

/* Sets `order` so that column order[j] of (L U)⁻¹ is column j of (P L U)⁻¹ = (L U)⁻¹ Pᵀ. */
static void order_columns(const int *pivots, int n, int *order) {
  for (int j = 0; j < n; j++) order[j] = j;
  for (int j = n - 1; j >= 0; j--) {
    int from = order[j];
    order[j] = order[pivots[j] - 1];
    order[pivots[j] - 1] = from;
  }
}

void invert_lu(const solver *s, block lu, const int *pivots, void *x, int *order) {
  size_t bytes = (size_t)lu.n * s->l->size;
  int threads = threads_for(s, (int64_t)lu.n * lu.n * lu.n);
  solution p = {s, false, lu, {x, lu.n, lu.n, lu.n}, pivots, most_of(1, least_of(SLABS * threads, lu.n / LEAF))};
  cpu_parallel(threads, p.slabs, inverse_task, &p);
  order_columns(pivots, lu.n, order);
  for (int j = 0; j < lu.n; j++) memcpy(lu.at + (size_t)j * bytes, (char *)x + (size_t)order[j] * bytes, bytes);
}

/* ---- Cholesky ---- */

typedef struct rank_update {
  const lapack *l;
  block a, c;
  int slabs;
} rank_update;

/* Returns the first column of slab i of an upper triangle with n columns, where all slabs have about the same
** area. */
static int area_begin(int n, int i, int slabs) {
  return i == slabs ? n : (int)(n * sqrt((double)i / slabs)) / TRIANGLE_SIZE * TRIANGLE_SIZE;
}

/* Computes slab i of the upper triangle of c -= aᴴ a. */
static void rank_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const rank_update *p = arg;
  const lapack *l = p->l;
  int begin = area_begin(p->c.n, (int)i, p->slabs), count = area_begin(p->c.n, (int)i + 1, p->slabs) - begin;
  block a = cut(l, p->a, 0, begin, p->a.m, count), square = cut(l, p->c, begin, begin, count, count);
  if (!count) return;
  product_block(l, "C", cut(l, p->a, 0, 0, p->a.m, begin), "N", a, cut(l, p->c, 0, begin, begin, count));
  l->syrk("U", "C", &count, &a.m, number_of(l, -1), a.at, &a.ld, number_of(l, 1), square.at, &square.ld, 1, 1);
}

int factor_cholesky(const solver *s, block a) {
  const lapack *l = s->l;
  int info = 0, n = a.n, h = half_of(n);
  if (n <= LEAF) {
    l->potrf("U", &n, a.at, &a.ld, &info, 1);
    return info;
  }
  block head = cut(l, a, 0, 0, h, h), right = cut(l, a, 0, h, h, n - h), rest = cut(l, a, h, h, n - h, n - h);
  info = factor_cholesky(s, head);
  if (info) return info;
  divide(s, (corner){.at = head, .upper = true, .turned = true}, right);
  rank_update p = {l, right, rest, threads_for(s, (int64_t)rest.n * rest.n * h / 2)};
  cpu_parallel(p.slabs, p.slabs, rank_task, &p);
  info = factor_cholesky(s, rest);
  return info ? info + h : 0;
}
