/* Eigenvalues and eigenvectors of symmetric tridiagonal matrices by Cuppen's divide and conquer. The matrix is
** divided into parts, which threads solve with LAPACK. Then the solutions are merged in pairs. The eigenvalues of a
** merged matrix are roots of a rational function, and each root is found independently. The eigenvectors are the
** product of the parts' eigenvectors with those of the merged problem. Threads share the roots and the columns of
** this product. LAPACK deflates (laed2) and finds each root (laed4). */

#include <math.h>
#include <stdatomic.h>

#include "cpu/linalg/block.h"

enum {
  SMALLEST = 128,       /* the fewest columns of a part into which a matrix is divided */
  SLABS    = 4          /* the number of slabs for each thread */
};

/* A merge of two parts, which changes k eigenvalues and eigenvectors. The other eigenvalues and eigenvectors of the
** parts are deflated: the merge does not change them. */
typedef struct merging {
  const solver *s;
  block q;              /* first the eigenvectors of both parts, then of the merged matrix */
  int   n1, k, slabs;   /* n1: the number of columns of the first part */
  char *d, *poles, *weights, *changed, *vectors, *room;   /* d: the eigenvalues; poles, weights: the rational
                                                          ** function; changed: see weight_task; vectors: the
                                                          ** eigenvectors of both parts, as laed2 packs them; room:
                                                          ** scratch memory with as many elements as q */
  const int *order, *counts;                              /* order: the order of the rows; counts: the numbers of
                                                          ** columns whose elements are only in the first part, in
                                                          ** both parts, and only in the second part */
  char  rho[8];
  atomic_int *failed;
} merging;

static void slab_of(const merging *p, int length, int64_t i, int *begin, int *end) {
  *begin = (int)(length * i / p->slabs);
  *end = (int)(length * (i + 1) / p->slabs);
}

/* Finds the eigenvalues of slab i. The distances of an eigenvalue from the poles are stored in the eigenvalue's
** column of q. */
static void root_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const merging *p = arg;
  const lapack *l = p->s->l;
  int begin, end, info = 0;
  slab_of(p, p->k, i, &begin, &end);
  for (int j = begin + 1; j <= end; j++) {
    l->laed4(&p->k, &j, p->poles, p->weights, at(l, p->q, 0, j - 1), p->rho, element(l, p->d, j - 1), &info);
    if (info) atomic_store(p->failed, info);
  }
}

/* Computes weights for which the computed eigenvalues are exact. Eigenvectors that are computed from these weights
** are orthogonal (Gu and Eisenstat). */
static void weight_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const merging *p = arg;
  const lapack *l = p->s->l;
  int begin, end;
  slab_of(p, p->k, i, &begin, &end);
  for (int row = begin; row < end; row++) set_number(l, element(l, p->changed, row), number_at(l, at(l, p->q, row, row)));
  for (int j = 0; j < p->k; j++) {
    const char *column = at(l, p->q, 0, j);
    double pole = number_at(l, element(l, p->poles, j));
    for (int row = begin; row < end; row++) {
      char *weight = element(l, p->changed, row);
      double distance = number_at(l, element(l, p->poles, row)) - pole;
      if (row != j) set_number(l, weight, number_at(l, weight) * (number_at(l, column + row * (int64_t)l->size) / distance));
    }
  }
  for (int row = begin; row < end; row++) {
    char *weight = element(l, p->changed, row);
    set_number(l, weight, copysign(sqrt(-number_at(l, weight)), number_at(l, element(l, p->weights, row))));
  }
}

/* Computes the eigenvector of column j with length 1, with its rows in the order of the packed vectors. room has
** space for k elements. */
static void make_vector(const merging *p, int j, char *room) {
  const lapack *l = p->s->l;
  char *column = at(l, p->q, 0, j);
  double squares = 0;
  for (int i = 0; i < p->k; i++) {
    double x = number_at(l, element(l, column, i));
    /* for k = 2, laed4 has already computed the vectors */
    if (p->k > 2) x = number_at(l, element(l, p->changed, i)) / x;
    set_number(l, element(l, room, i), x);
    squares += x * x;
  }
  double length = sqrt(squares);
  for (int i = 0; i < p->k; i++) set_number(l, element(l, column, i), number_at(l, element(l, room, p->order[i] - 1)) / length);
}

/* Multiplies `vectors`, a matrix of rows × columns elements, by `columns` rows of q, of which the first is row `from`.
** The product replaces `rows` rows of q, of which the first is row `to`. Only columns begin … end - 1 of q are read and
** written. `room` has space for the elements that are read. */
static void multiply_rows(const merging *p, int from, int columns, char *vectors, int to, int rows, int begin, int end, char *room) {
  const lapack *l = p->s->l;
  block x = {room, columns, end - begin, most_of(columns, 1)}, result = cut(l, p->q, to, begin, rows, end - begin);
  for (int j = 0; j < x.n; j++) {
    memcpy(at(l, x, 0, j), at(l, p->q, from, begin + j), (size_t)columns * l->size);
    if (columns == 0) memset(at(l, result, 0, j), 0, (size_t)rows * l->size);
  }
  multiply(l, 1, "N", (block){vectors, rows, columns, rows}, "N", x, 0, result);
}

static void vector_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const merging *p = arg;
  const lapack *l = p->s->l;
  int begin, end, n1 = p->n1, n2 = p->q.n - n1, above = p->counts[0] + p->counts[1], below = p->counts[1] + p->counts[2];
  slab_of(p, p->k, i, &begin, &end);
  char *room = element(l, p->room, (int64_t)begin * p->q.n);
  for (int j = begin; j < end; j++) make_vector(p, j, room);
  multiply_rows(p, p->counts[0], below, element(l, p->vectors, (int64_t)n1 * above), n1, n2, begin, end, room);
  multiply_rows(p, 0, above, p->vectors, 0, n1, begin, end, room);
}

/* Sorts `order`, a permutation of the 1-based column numbers, by the columns' eigenvalues d. Insertion sort is fast
** here, because only neighbouring roots may have been swapped by rounding. */
static void finish_order(const lapack *l, const char *d, int *order, int n) {
  for (int i = 1; i < n; i++) {
    int j = i, moved = order[i];
    double value = number_at(l, d + (moved - 1) * (int64_t)l->size);
    for (; j > 0 && number_at(l, d + (order[j - 1] - 1) * (int64_t)l->size) > value; j--) order[j] = order[j - 1];
    order[j] = moved;
  }
}

static void run_tasks(const merging *p, parallel_task task) {
  cpu_parallel(threads_for(p->s, (int64_t)p->k * p->k * p->q.n), p->slabs, task, p);
}

/* Merges the two parts of q, whose first part has n1 columns. e is the matrix element between the parts. `order` has
** the format of LAPACK's laed2 and lamrg. */
static int merge(const solver *s, block q, int n1, void *d, const void *e, int *order, char *work, int *integers) {
  const lapack *l = s->l;
  int n = q.n, info = 0, one = 1, back = -1;
  atomic_int failed = 0;
  merging p = {.s = s, .q = q, .n1 = n1, .d = d, .failed = &failed, .slabs = SLABS * s->threads};
  char *z = work;
  p.poles = element(l, z, n);
  p.weights = element(l, p.poles, n);
  p.changed = element(l, p.weights, n);
  p.vectors = element(l, p.changed, n);
  p.room = element(l, p.vectors, (int64_t)n1 * n1 + (int64_t)(n - n1) * (n - n1));
  p.order = integers + n;
  p.counts = integers + 3 * n;
  memcpy(p.rho, e, l->size);
  for (int j = 0; j < n; j++) memcpy(element(l, z, j), at(l, q, j < n1 ? n1 - 1 : n1, j), l->size);
  l->laed2(&p.k, &n, &n1, d, q.at, &q.ld, order, p.rho, z, p.poles, p.weights, p.vectors, integers, integers + n, integers + 2 * n,
           integers + 3 * n, &info);
  if (info || p.k == 0) {
    for (int j = 0; j < n; j++) order[j] = j + 1;
    return info;
  }
  run_tasks(&p, root_task);
  if (p.k > 2) run_tasks(&p, weight_task);
  run_tasks(&p, vector_task);
  int rest = n - p.k;
  l->lamrg(&p.k, &rest, d, &one, &back, order);
  finish_order(l, d, order, n);
  return atomic_load(&failed);
}

/* ---- dividing a matrix into parts ---- */

typedef struct division {
  const solver *s;
  block q;
  char *d, *e, *work;
  int  *integers, parts, length;
  atomic_int *failed;
} division;

static int part_begin(const division *p, int64_t i) { return (int)(p->q.n * i / p->parts); }

/* Solves part i by LAPACK. */
static void part_task(const void *arg, int64_t i, int worker) {
  (void)worker;
  const division *p = arg;
  const lapack *l = p->s->l;
  int begin = part_begin(p, i), n = part_begin(p, i + 1) - begin, info;
  int lwork = 1 + 4 * n + n * n, lintegers = 3 + 5 * n;
  block q = cut(l, p->q, begin, begin, n, n);
  l->stedc("I", &n, element(l, p->d, begin), element(l, p->e, begin), q.at, &q.ld, element(l, p->work, i * p->length), &lwork,
           p->integers + 6 * (int64_t)begin, &lintegers, &info, 1);
  if (info) atomic_store(p->failed, info);
}

/* Sorts the columns of q and the entries of d in ascending order: column order[j] - 1 becomes column j. room has
** space for a column and a number. */
static void sort_columns(const lapack *l, block q, char *d, int *order, char *room) {
  size_t bytes = (size_t)q.m * l->size;
  for (int first = 0; first < q.n; first++) {
    int to = first;
    memcpy(room, at(l, q, 0, first), bytes);
    memcpy(room + bytes, element(l, d, first), l->size);
    for (int from; (from = order[to] - 1) != first; to = from) {
      memcpy(at(l, q, 0, to), at(l, q, 0, from), bytes);
      memcpy(element(l, d, to), element(l, d, from), l->size);
      order[to] = to + 1;
    }
    order[to] = to + 1;
    memcpy(at(l, q, 0, to), room, bytes);
    memcpy(element(l, d, to), room + bytes, l->size);
  }
}

/* Subtracts the absolute value of the matrix element between two parts from the adjacent diagonal elements of both
** parts. Then the matrix is the sum of both parts and a matrix of rank 1. */
static void tear(const lapack *l, char *d, char *e, int at_row) {
  double between = fabs(number_at(l, element(l, e, at_row - 1)));
  for (int i = at_row - 1; i <= at_row; i++) set_number(l, element(l, d, i), number_at(l, element(l, d, i)) - between);
}

int64_t divide_work(int n) { return 2 * (int64_t)n * n + 8 * (int64_t)n; }
int64_t divide_integers(int n) { return 12 * (int64_t)n + 64; }

static int divide_scaled(const solver *s, block q, void *d, void *e, char *work, int *integers) {
  const lapack *l = s->l;
  int n = q.n, parts = 1, *order = integers + 4 * n;
  atomic_int failed = 0;
  while (parts < s->threads && n / (2 * parts) >= SMALLEST) parts *= 2;
  division p = {s, q, d, e, work, integers + 5 * n, parts, 0, &failed};
  p.length = 1 + 4 * (n / parts + 1) + (n / parts + 1) * (n / parts + 1);
  for (int i = 1; i < parts; i++) tear(l, d, e, part_begin(&p, i));
  for (int j = 0; j < n; j++) memset(at(l, q, 0, j), 0, (size_t)n * l->size);
  cpu_parallel(s->threads, parts, part_task, &p);
  for (int i = 0; i < parts; i++)
    for (int j = part_begin(&p, i); j < part_begin(&p, i + 1); j++) order[j] = j - part_begin(&p, i) + 1;
  for (int step = 2; step <= parts && !atomic_load(&failed) && !cancel_due(); step *= 2)
    for (int i = 0; i < parts; i += step) {
      int begin = part_begin(&p, i), middle = part_begin(&p, i + step / 2), end = part_begin(&p, i + step);
      int info = merge(s, cut(l, q, begin, begin, end - begin, end - begin), middle - begin, element(l, d, begin),
                       element(l, e, middle - 1), order + begin, work, integers);
      if (info) atomic_store(&failed, info);
    }
  if (parts > 1 && !atomic_load(&failed) && !cancel_due()) sort_columns(l, q, d, order, work);
  return atomic_load(&failed);
}

int divide_tridiagonal(const solver *s, block q, void *d, void *e, char *work, int *integers) {
  int n = q.n;
  double largest = fmax(largest_of(s, d, n), largest_of(s, e, n - 1)), scale = 1;
  if (largest > 0) scale = ldexp(1, ilogb(largest));
  rescale(s, "G", scale, 1, (block){d, n, 1, n});
  rescale(s, "G", scale, 1, (block){e, n - 1, 1, n});
  int info = divide_scaled(s, q, d, e, work, integers);
  rescale(s, "G", 1, scale, (block){d, n, 1, n});
  return info;
}
