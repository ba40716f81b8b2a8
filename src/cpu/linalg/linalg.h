#ifndef LT_CPU_LINALG_LINALG_H
#define LT_CPU_LINALG_LINALG_H

/* The interface between linalg.c, which distributes a batch, and the files that handle one matrix. */

#include <string.h>

#include "cpu/cpu.h"
#include "cpu/linalg/lapack.h"
#include "cpu/parallel.h"

/* An op on one element type, and the sizes of the scratch memory that its plan requests. */
typedef struct solver {
  const linalg_call *c;
  const lapack *l;
  const linalg_kernel *small;           /* NULL: the matrices are not small */
  int m, n, k;
  int threads;                          /* threads for one matrix */
  int64_t tau, work, reals, integers;   /* numbers of elements (tau, work), of real numbers and of ints; LAPACK counts
                                        ** the elements of work in an int */
} solver;

/* The scratch memory of one thread. */
typedef struct scratch {
  void *tau, *work, *reals;
  int  *integers;
  int   lwork, lreals, lintegers;       /* lwork -1: LAPACK only writes the required length into work */
} scratch;

typedef struct routine {
  void (*plan)(solver *s);                                      /* plans scratch memory; NULL: none is needed */
  int  (*run)(const solver *s, const scratch *w, int64_t i);    /* computes matrix i and returns its info */
  bool finite;                                                  /* the matrix a must be finite */
} routine;

extern const routine cholesky_routine, lu_routine, lu_solve_routine, solve_routine, inv_routine, det_routine,
                     slogdet_routine, qr_routine, lstsq_routine, svd_routine, eigh_routine, eig_routine;

/* Returns part i of an operand. Each part has `count` elements, or `count` real numbers for reals_of. NULL stays
** NULL. */
static inline void *elements_of(const solver *s, void *base, int64_t count, int64_t i) {
  return base ? (char *)base + count * i * (int64_t)s->l->size : NULL;
}
static inline void *reals_of(const solver *s, void *base, int64_t count, int64_t i) {
  return base ? (char *)base + count * i * (int64_t)s->l->real_size : NULL;
}
static inline void *a_of(const solver *s, int64_t i) { return elements_of(s, s->c->a, s->c->m * s->c->n, i); }

#endif
