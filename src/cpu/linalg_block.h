#ifndef LT_CPU_LINALG_BLOCK_H
#define LT_CPU_LINALG_BLOCK_H

/* Blocked algorithms on column-major matrices, whose products and substitutions are shared out among threads. */

#include "linalg.h"

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

block cut(const lapack *l, block a, int row, int column, int m, int n);

/* to = fromᵀ */
void transpose_block(const lapack *l, block from, block to);

/* Columns first, first + 1, … of the identity. */
void fill_identity(const lapack *l, block x, int first);

/* Where slab i of n begins in a dim: at a multiple of a cache line of floats. */
int slab_begin(int length, int64_t i, int64_t n);
/* How many threads are worth this many multiplications. */
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

/* ---- linalg_reflect.c ---- */

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

#endif
