#ifndef LT_CPU_LINALG_BLOCK_H
#define LT_CPU_LINALG_BLOCK_H

/* Blocked algorithms on column-major matrices, whose products and substitutions are shared out among threads. */

#include "cpu/linalg/linalg.h"

/* A matrix, or a rectangle of one: m × n elements, columns `ld` elements apart. */
typedef struct block {
  char *at;
  int   m, n, ld;
} block;

/* One triangle of a square block. It stands for itself, or (turned) for its conjugate transpose, or (turned and plain) for
** its transpose. */
typedef struct corner {
  block at;
  bool  upper, unit, turned, plain;
} corner;

/* -1, 0 or 1 as BLAS takes factors: by address, complex where elements are. */
const void *number_of(const lapack *l, int value);

block cut(const lapack *l, block a, int row, int column, int m, int n);

/* to = fromᵀ */
void transpose_block(const lapack *l, block from, block to);

static inline char *at(const lapack *l, block a, int row, int column) { return cut(l, a, row, column, 1, 1).at; }
static inline char *element(const lapack *l, char *x, int64_t i) { return x + i * (int64_t)l->size; }

/* Real elements as doubles. */
double number_at(const lapack *l, const void *x);
void   set_number(const lapack *l, void *x, double value);

const matvec_table *matvec_of(const lapack *l);

/* Columns first, first + 1, … of the identity. */
void fill_identity(const lapack *l, block x, int first);

/* Where slab i of n begins in a dim: at a multiple of a cache line of floats. */
int slab_begin(int length, int64_t i, int64_t n);
/* The number of threads that this many multiplications are worth. */
int threads_for(const solver *s, int64_t work);

/* c = alpha op(a) op(b) + beta c, alpha and beta from {-1, 0, 1}; op: "N", "T", "C". On one thread. */
void multiply(const lapack *l, int alpha, const char *opa, block a, const char *opb, block b, int beta, block c);
/* c -= op(a) op(b) */
void minus_product(const solver *s, const char *opa, block a, const char *opb, block b, block c);
/* x = t⁻¹ x */
void divide(const solver *s, corner t, block x);

/* a becomes L and U; pivots and the result are those of getrf. */
int factor_lu(const solver *s, block a, int *pivots);
/* The upper triangle of a becomes that of U with a = Uᴴ U; the result is potrf's. */
int factor_cholesky(const solver *s, block a);
/* b = op(L U)⁻¹ b, op: "N" or "T", for what factor_lu made. */
void solve_lu(const solver *s, const char *op, block lu, const int *pivots, block b);
/* What factor_lu made of a square matrix becomes the inverse. Scratch: x, as many elements; order, as many as columns. */
void invert_lu(const solver *s, block lu, const int *pivots, void *x, int *order);

/* ---- linalg/reflect.c ---- */

/* Products of Householder reflections, REFLECTIONS at a time: Q = the product of I - V T Vᴴ. */
enum { REFLECTIONS = 32 };

typedef struct reflections {
  block v;             /* rows × as many as there are: zeros, ones and what follows them */
  char *t;             /* REFLECTIONS × REFLECTIONS for each V */
  char *work;          /* scratch: 2 * REFLECTIONS elements for each column that they are applied to */
} reflections;

/* Elements of t. */
static inline int64_t reflections_t(int count) {
  return (int64_t)(count + REFLECTIONS - 1) / REFLECTIONS * REFLECTIONS * REFLECTIONS;
}

/* Makes the reflection I - factor u uᵀ of x[0 … n - 1], which is real: x[0] becomes the vector's only element, the rest u
** without its first element, 1. Returns the factor. */
double make_reflection(const lapack *l, int n, char *x);

/* The same as factor_qr and make_q for a real matrix of at most REFLECTIONS rows or columns, one reflection after the other;
** factors: one for each. */
void factor_qr_small(const lapack *l, block a, double *factors);
/* a's diagonal becomes ones. */
void make_q_small(const lapack *l, block a, const double *factors, block q);

/* a becomes R, above and on its diagonal, and r what makes Q. */
void factor_qr(const solver *s, block a, reflections *r);
/* The first q.n columns of Q. */
void make_q(const solver *s, const reflections *r, block q);

/* V and T of reflections as LAPACK leaves them: tau holds their factors, and the parts of the vectors that follow their ones
** lie below a's diagonal, or (rows) right of it. */
void gather_reflections(const solver *s, block a, bool rows, const void *tau, reflections *r);
/* x = Q x */
void apply_q(const solver *s, const reflections *r, block x);
/* x = x Qᴴ. Here r->work has 2 * REFLECTIONS elements for each row of x. */
void apply_q_right(const solver *s, const reflections *r, block x);

/* ---- linalg/condense.c: real matrices ---- */

enum { CONDENSED = 128 };      /* columns from which our own reductions are faster than LAPACK's */

/* The greatest magnitude of so many real elements; 0 if there are none. */
double largest_of(const solver *s, const void *x, int64_t count);
/* The power of two to divide a matrix by whose largest element is this, so that products of three elements are far within the
** type's range. 1: they are. */
double scale_for(const solver *s, double largest);
/* a *= to / from without overflow in between; "G": all of a, "L": its lower triangle. */
void rescale(const solver *s, const char *part, double from, double to, block a);

/* Results of the reduction to bidiagonal form, n elements each: the diagonal, what is right of it, the factors of the reflections
** from the left and from the right. */
typedef struct bidiagonal {
  char *d, *e, *left, *right;
} bidiagonal;

/* The same for tridiagonal form. */
typedef struct tridiagonal {
  char *d, *e, *factors;
} tridiagonal;

/* Elements of `work`, of which there are at least so many. */
int64_t condense_work(const solver *s);

/* As gebrd for a matrix that is not wider than high. Unfinished once the operation is to end. */
int to_bidiagonal(const solver *s, block a, const bidiagonal *b, char *work, int work_length);
/* As sytrd for the lower triangle; changes the upper one, too. */
int to_tridiagonal(const solver *s, block a, const tridiagonal *b, char *work, int work_length);

/* ---- linalg/divide.c ---- */

/* The eigenvalues, ascending in d, and eigenvectors q of the symmetric tridiagonal matrix with the diagonal d and e beside it; the
** result is stedc's. Elements and integers of scratch: at least so many. */
int divide_tridiagonal(const solver *s, block q, void *d, void *e, char *work, int *integers);
int64_t divide_work(int n);
int64_t divide_integers(int n);

#endif
