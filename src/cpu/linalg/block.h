#ifndef LT_CPU_LINALG_BLOCK_H
#define LT_CPU_LINALG_BLOCK_H

/* Blocked algorithms on column-major matrices. Threads share their products and substitutions. */

#include "cpu/linalg/linalg.h"

/* A matrix, or a rectangle of one: m × n elements, columns `ld` elements apart. */
typedef struct block {
  char *at;
  int   m, n, ld;
} block;

/* One triangle of a square block. If `turned`, its conjugate transpose; if `turned` and `plain`, its transpose. */
typedef struct corner {
  block at;
  bool  upper, unit, turned, plain;
} corner;

/* Returns the address of -1, 0 or 1 as a factor for BLAS. The number is complex if the elements are complex. */
const void *number_of(const lapack *l, int value);

block cut(const lapack *l, block a, int row, int column, int m, int n);

/* to = fromᵀ */
void transpose_block(const lapack *l, block from, block to);

static inline char *at(const lapack *l, block a, int row, int column) { return cut(l, a, row, column, 1, 1).at; }
static inline char *element(const lapack *l, char *x, int64_t i) { return x + i * (int64_t)l->size; }

/* Read and write a real element as a double. */
double number_at(const lapack *l, const void *x);
void   set_number(const lapack *l, void *x, double value);

const matvec_table *matvec_of(const lapack *l);

/* Sets x to columns first, first + 1, … of the identity. */
void fill_identity(const lapack *l, block x, int first);

/* Returns the beginning of slab i of n in a dim of this length. Slabs begin at multiples of a cache line of floats. */
int slab_begin(int length, int64_t i, int64_t n);
/* Returns the number of threads that this many multiplications are worth. */
int threads_for(const solver *s, int64_t work);

/* c = alpha op(a) op(b) + beta c on one thread, with alpha and beta from {-1, 0, 1}, and op "N", "T" or "C". */
void multiply(const lapack *l, int alpha, const char *opa, block a, const char *opb, block b, int beta, block c);
/* c -= op(a) op(b) */
void minus_product(const solver *s, const char *opa, block a, const char *opb, block b, block c);
/* x = t⁻¹ x */
void divide(const solver *s, corner t, block x);

/* Replaces a by L and U; pivots and the result are as in getrf. */
int factor_lu(const solver *s, block a, int *pivots);
/* Replaces the upper triangle of a by the upper triangle of U, where a = Uᴴ U. The result is as in potrf. */
int factor_cholesky(const solver *s, block a);
/* b = op(L U)⁻¹ b, with op "N" or "T", for a result of factor_lu. */
void solve_lu(const solver *s, const char *op, block lu, const int *pivots, block b);
/* Replaces the result of factor_lu for a square matrix by the inverse. Scratch memory: x has as many elements as the
** matrix, order as many entries as columns. */
void invert_lu(const solver *s, block lu, const int *pivots, void *x, int *order);

/* ---- linalg/reflect.c ---- */

/* Products of Householder reflections, REFLECTIONS at a time: Q = the product of I - V T Vᴴ. */
enum { REFLECTIONS = 32 };

typedef struct reflections {
  block v;             /* rows × the number of reflections: zeros, ones, and the vectors' other elements */
  char *t;             /* REFLECTIONS × REFLECTIONS for each V */
  char *work;          /* scratch memory: 2 * REFLECTIONS elements for each column of the matrix that is transformed */
} reflections;

/* Returns the number of elements that t needs. */
static inline int64_t reflections_t(int count) {
  return (int64_t)(count + REFLECTIONS - 1) / REFLECTIONS * REFLECTIONS * REFLECTIONS;
}

/* Makes the reflection I - factor u uᵀ that maps the real vector x[0 … n - 1] to a multiple of the first unit vector.
** x[0] becomes that multiple, the rest of x becomes u without its first element, 1. Returns the factor. */
double make_reflection(const lapack *l, int n, char *x);

/* Like factor_qr and make_q, for a real matrix of at most REFLECTIONS rows or columns, one reflection after the other.
** `factors` has one entry for each reflection. */
void factor_qr_small(const lapack *l, block a, double *factors);
/* also overwrites a's diagonal with ones */
void make_q_small(const lapack *l, block a, const double *factors, block q);

/* Replaces a by R, on and above a's diagonal, and stores the reflections of Q in r. */
void factor_qr(const solver *s, block a, reflections *r);
/* Computes the first q.n columns of Q. */
void make_q(const solver *s, const reflections *r, block q);

/* Gathers V and T of reflections in LAPACK's form. tau holds the factors. A reflection's vector begins with 1; its
** other elements are below a's diagonal, or to the right of the diagonal if `rows` is set. */
void gather_reflections(const solver *s, block a, bool rows, const void *tau, reflections *r);
/* x = Q x */
void apply_q(const solver *s, const reflections *r, block x);
/* x = x Qᴴ. r->work has 2 * REFLECTIONS elements for each row of x. */
void apply_q_right(const solver *s, const reflections *r, block x);

/* ---- linalg/condense.c: real matrices ---- */

enum { CONDENSED = 128 };      /* columns from which on our own reductions are faster than LAPACK's */

/* Returns the largest magnitude of `count` real elements, or 0 if there are none. */
double largest_of(const solver *s, const void *x, int64_t count);
/* Returns a power of two by which to divide a matrix with this largest element. After the division products of three
** elements are far within the type's range. 1: no division is necessary. */
double scale_for(const solver *s, double largest);
/* a *= to / from, without intermediate overflow. part: "G" for all of a, "L" for its lower triangle. */
void rescale(const solver *s, const char *part, double from, double to, block a);

/* The results of the reduction to bidiagonal form, of n elements each. d is the diagonal, e the elements to the right
** of the diagonal; left and right are the factors of the reflections. */
typedef struct bidiagonal {
  char *d, *e, *left, *right;
} bidiagonal;

/* The results of the reduction to tridiagonal form. */
typedef struct tridiagonal {
  char *d, *e, *factors;
} tridiagonal;

/* Returns the least number of elements that `work` must have. */
int64_t condense_work(const solver *s);

/* Like gebrd, for a matrix with at most as many columns as rows. Stops early if the operation is cancelled. */
int to_bidiagonal(const solver *s, block a, const bidiagonal *b, char *work, int work_length);
/* Like sytrd for the lower triangle, but also overwrites the upper triangle. */
int to_tridiagonal(const solver *s, block a, const tridiagonal *b, char *work, int work_length);

/* ---- linalg/divide.c ---- */

/* Computes the eigenvalues and eigenvectors q of the symmetric tridiagonal matrix with diagonal d and subdiagonal e.
** The eigenvalues replace d in ascending order. The result is as in stedc. divide_work returns the least number of
** scratch elements, divide_integers the least number of scratch integers. */
int divide_tridiagonal(const solver *s, block q, void *d, void *e, char *work, int *integers);
int64_t divide_work(int n);
int64_t divide_integers(int n);

#endif
