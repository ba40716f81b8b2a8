#ifndef LT_CPU_LINALG_LINALG_H
#define LT_CPU_LINALG_LINALG_H

/* The interface between linalg.c, which distributes the matrices of a batch, and the files whose routines compute one
** matrix. */

#include <string.h>

#include "cpu/cpu.h"
#include "cpu/linalg/lapack.h"
#include "cpu/parallel.h"

/* An operation on one element type, and the sizes of the scratch memory that the routine's `plan` requests. */
typedef struct solver {
  const linalg_call *c;
  const lapack *l;
  const linalg_kernel *small;           /* the kernels for small matrices; NULL: the matrices are larger */
  const lanes_table *lanes;             /* the kernels that compute many matrices at once; NULL: not for this batch */
  int m, n, k;
  int threads;                          /* the number of threads that share one matrix */
  int64_t tau, work, reals, integers;   /* the lengths of the arrays of struct scratch; LAPACK takes the lengths of
                                        ** work, reals and integers as ints */
} solver;

/* The scratch memory of one thread. */
typedef struct scratch {
  void *tau, *work, *reals;
  int  *integers;
  int   lwork, lreals, lintegers;       /* the lengths of work, reals and integers; -1: LAPACK only writes the
                                        ** required length to the first element */
} scratch;

typedef struct routine {
  void (*plan)(solver *s);                                      /* sets the sizes of scratch memory; NULL: no scratch
                                                                ** memory is needed */
  int  (*run)(const solver *s, const scratch *w, int64_t i);    /* computes matrix i of the batch and returns LAPACK's
                                                                ** info, or LINALG_NOT_FINITE */
  bool finite;                                                  /* true: `run` is not called for a matrix a that
                                                                ** contains NaN or infinity */
  int  (*finish)(const solver *s, const scratch *w, int64_t i, int info);
                                                                /* computes the results of matrix i that the kernel of
                                                                ** s->lanes did not compute, and returns the info.
                                                                ** `info` is that of the kernel. NULL: the kernel
                                                                ** computes all results */
} routine;

extern const routine cholesky_routine, lu_routine, lu_solve_routine, solve_routine, inv_routine, det_routine,
                     slogdet_routine, qr_routine, lstsq_routine, svd_routine, eigh_routine, eig_routine;

/* Return part i of an operand. A part has `count` elements, or `count` real numbers for reals_of. If `base` is NULL,
** the result is NULL. */
static inline void *elements_of(const solver *s, void *base, int64_t count, int64_t i) {
  return base ? (char *)base + count * i * (int64_t)s->l->size : NULL;
}
static inline void *reals_of(const solver *s, void *base, int64_t count, int64_t i) {
  return base ? (char *)base + count * i * (int64_t)s->l->real_size : NULL;
}
/* Returns the number of matrices that are computed at once. */
static inline int group_size(const solver *s) { return s->lanes ? s->lanes->lanes : 1; }

/* Returns the pivots of matrix i, in the results or else in scratch memory. */
static inline int *pivots_of(const solver *s, const scratch *w, int64_t i) {
  int64_t count = s->m < s->n ? s->m : s->n;
  return s->c->pivots ? s->c->pivots + i * count : w->integers + i % group_size(s) * count;
}

/* Returns the relative size up to which singular values count as 0. Like LAPACK, it replaces 0 by the rounding error. */
static inline double tolerance_of(const solver *s) {
  double rounding = s->l->real_size == sizeof(float) ? 0x1p-24 : 0x1p-53;
  return s->c->rtol > 0 ? s->c->rtol : rounding;
}

static inline void *a_of(const solver *s, int64_t i) { return elements_of(s, s->c->a, s->c->m * s->c->n, i); }

#endif
