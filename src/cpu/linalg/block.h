#ifndef LT_CPU_LINALG_BLOCK_H
#define LT_CPU_LINALG_BLOCK_H

/* Blocked algorithms on column-major matrices. The threads of a solver share products and substitutions. */

#include "cpu/linalg/linalg.h"

/* A matrix, or a rectangle of a matrix: m × n elements, whose columns are `ld` elements apart. */
typedef struct block {
  char *at;
  int   m, n, ld;
} block;

/* A triangle of a square block: the upper triangle if `upper` is set, else the lower triangle. If `unit` is set, all
** diagonal elements count as 1. If `turned` is set, the conjugate transpose of the triangle is used, or its transpose
** if `plain` is also set. */
typedef struct corner {
  block at;
  bool  upper, unit, turned, plain;
} corner;

/* Returns the address of the number -1, 0 or 1 in the element type, as a factor for BLAS. */
const void *number_of(const lapack *l, int value);

block cut(const lapack *l, block a, int row, int column, int m, int n);

/* Sets to = fromᵀ. */
void transpose_block(const lapack *l, block from, block to);

static inline char *at(const lapack *l, block a, int row, int column) {
  return a.at + ((int64_t)column * a.ld + row) * (int64_t)l->size;
}
static inline char *element(const lapack *l, char *x, int64_t i) { return x + i * (int64_t)l->size; }

/* Read and write a real element as a double. */
double number_at(const lapack *l, const void *x);
void   set_number(const lapack *l, void *x, double value);

const matvec_table *matvec_of(const lapack *l);

/* Sets x to columns first, first + 1, … of the identity. */
void fill_identity(const lapack *l, block x, int first);

/* Returns the beginning of slab i of n slabs in a dim of this length. Slabs begin at multiples of TRIANGLE_SIZE
** elements, because TRIANGLE_SIZE floats fill a cache line. */
int slab_begin(int length, int64_t i, int64_t n);
/* Returns the number of threads to use for `work` multiplications, at most s->threads. */
int threads_for(const solver *s, int64_t work);

/* Computes c = alpha op(a) op(b) + beta c on one thread. alpha and beta are -1, 0 or 1, and op is "N", "T" or "C". */
void multiply(const lapack *l, int alpha, const char *opa, block a, const char *opb, block b, int beta, block c);
/* Computes c -= op(a) op(b) with the solver's threads. */
void minus_product(const solver *s, const char *opa, block a, const char *opb, block b, block c);
/* Computes x = t⁻¹ x with the solver's threads. */
void divide(const solver *s, corner t, block x);

/* Replaces a by L and U. Pivots and the result are those of LAPACK's getrf. */
int factor_lu(const solver *s, block a, int *pivots);
/* Replaces the upper triangle of a by the upper triangle of U, where a = Uᴴ U. The result is that of LAPACK's
** potrf. */
int factor_cholesky(const solver *s, block a);
/* Computes b = op(L U)⁻¹ b for a result of factor_lu. op is "N" or "T". */
void solve_lu(const solver *s, const char *op, block lu, const int *pivots, block b);
/* Replaces the result of factor_lu for a square matrix by the matrix's inverse. x and order are scratch memory: x has
** as many elements as the matrix, and `order` has one entry for each column. */
void invert_lu(const solver *s, block lu, const int *pivots, void *x, int *order);

/* ---- linalg/reflect.c ---- */

/* The number of Householder reflections in a group. The product of a group is I - V T Vᴴ, and Q is the product of all
** groups. */
enum { REFLECTIONS = 32 };

typedef struct reflections {
  block v;             /* V, with one column for each reflection: zeros, a one on the diagonal, and the other elements
                       ** of the reflection's vector */
  char *t;             /* T, REFLECTIONS × REFLECTIONS for each group */
  char *work;          /* scratch memory: 2 * REFLECTIONS elements for each column of the matrix that is
                       ** transformed */
} reflections;

/* Returns the number of elements of `t` for `count` reflections. */
static inline int64_t reflections_t(int count) {
  return (int64_t)(count + REFLECTIONS - 1) / REFLECTIONS * REFLECTIONS * REFLECTIONS;
}

/* Makes the reflection I - factor u uᵀ that maps the real vector x[0 … n - 1] to a multiple of the first unit vector.
** x[0] becomes this multiple. The rest of x becomes u without its first element, which is 1. Returns the factor. */
double make_reflection(const lapack *l, int n, char *x);

/* Like factor_qr and make_q, for a real matrix of at most REFLECTIONS rows or columns. The reflections are applied
** one after the other. `factors` has one entry for each reflection. */
void factor_qr_small(const lapack *l, block a, double *factors);
/* make_q_small also overwrites the diagonal of a with ones. */
void make_q_small(const lapack *l, block a, const double *factors, block q);

/* Replaces the upper triangle of a by R, and stores the reflections of Q in r. */
void factor_qr(const solver *s, block a, reflections *r);
/* Computes the first q.n columns of Q. */
void make_q(const solver *s, const reflections *r, block q);

/* Computes V and T from reflections in LAPACK's format. tau has the factors of the reflections. A reflection's
** vector begins with 1. Its other elements are below the diagonal of a, or to the right of the diagonal if `rows`
** is true. */
void gather_reflections(const solver *s, block a, bool rows, const void *tau, reflections *r);
/* Computes x = Q x. */
void apply_q(const solver *s, const reflections *r, block x);
/* Computes x = Qᴴ x. */
void apply_q_turned(const solver *s, const reflections *r, block x);
/* Computes x = x Qᴴ. r->work has 2 * REFLECTIONS elements for each row of x. */
void apply_q_right(const solver *s, const reflections *r, block x);

/* ---- linalg/condense.c: real matrices ---- */

enum { CONDENSED = 128 };      /* the least number of columns for which luatensor's reductions are faster than
                               ** LAPACK's */

/* Returns the largest absolute value of `count` real elements, or 0 if count is 0. */
double largest_of(const solver *s, const void *x, int64_t count);
/* Returns the power of two by which a matrix with this largest element must be divided, or 1 if no division is
** necessary. After the division, products of three elements are far within the type's range. */
double scale_for(const solver *s, double largest);
/* Multiplies elements of a by to / from, without intermediate overflow. part is "G" for all of a, or "L" for its
** lower triangle. */
void rescale(const solver *s, const char *part, double from, double to, block a);

/* The results of the reduction to bidiagonal form, with n elements each. d is the diagonal, and e the elements to the
** right of the diagonal. left and right are the factors of the reflections from the left and from the right. */
typedef struct bidiagonal {
  char *d, *e, *left, *right;
} bidiagonal;

/* The results of the reduction to tridiagonal form: the diagonal d, the elements e below the diagonal, and the
** factors of the reflections. */
typedef struct tridiagonal {
  char *d, *e, *factors;
} tridiagonal;

/* Returns the least number of elements that the argument `work` of the reductions must have. */
int64_t condense_work(const solver *s);

/* Like LAPACK's gebrd, for a matrix with at least one column and at most as many columns as rows. Stops early if the
** operation is cancelled. */
void to_bidiagonal(const solver *s, block a, const bidiagonal *b, char *work);
/* Like LAPACK's sytrd for the lower triangle, but also overwrites the upper triangle. Stops early if the operation is
** cancelled. */
int to_tridiagonal(const solver *s, block a, const tridiagonal *b, char *work, int work_length);

/* ---- linalg/divide.c ---- */

/* Computes the eigenvalues and eigenvectors of the symmetric tridiagonal matrix with diagonal d and subdiagonal e.
** The eigenvalues replace d in ascending order, and the eigenvectors become the columns of q. The result is that of
** LAPACK's stedc. `work` must have divide_work(n) elements, and `integers` divide_integers(n) ints. */
int divide_tridiagonal(const solver *s, block q, void *d, void *e, char *work, int *integers);
int64_t divide_work(int n);
int64_t divide_integers(int n);

#endif
