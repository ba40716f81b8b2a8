#ifndef LT_CPU_MATVEC_KERNEL_H
#define LT_CPU_MATVEC_KERNEL_H

/* Kernels for matrix-vector products that read each element of the matrix once and use it twice. Reductions of a
** matrix to tridiagonal or bidiagonal form spend most of their time in such products, whose speed is limited by
** memory bandwidth. */

#include <stdint.h>

/* One step of a reduction to bidiagonal form. The matrix a is m × n, and its columns are `ld` elements apart. The
** reflection I - factor u uᵀ is applied from the left. */
typedef struct matvec_step {
  const void *a;
  int64_t     m, n, ld;
  const void *u;                       /* m elements */
  double      factor;
  void       *y;                       /* n elements, which the step sets to factor (aᵀ u - y) */
  void       *row;                     /* n elements, which the step sets to (first row of a) - row - y */
  void       *sum;                     /* m elements, to which the step adds a's columns, each multiplied by its
                                       ** element of `row` */
} matvec_step;

typedef struct matvec_table {
  /* Adds s x to y for a symmetric m × m matrix s. The m × n matrix a contains the lower triangle of the first n columns
  ** of s: column j has m - j elements and begins on the diagonal. */
  void (*symmetric)(int64_t m, int64_t n, const void *a, int64_t ld, const void *x, void *y);
  void (*bidiagonal)(const matvec_step *step);
  /* sets y = alpha x + beta y, for n elements */
  void (*combine)(int64_t n, double alpha, const void *x, double beta, void *y);
  double (*dot)(int64_t n, const void *x, const void *y);
} matvec_table;
typedef matvec_table matvec_float32_table, matvec_float64_table;

#endif
