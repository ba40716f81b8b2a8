#ifndef LT_CPU_MATVEC_KERNEL_H
#define LT_CPU_MATVEC_KERNEL_H

/* Matrix-vector products that read each element of the matrix once and use it twice. Reductions to tridiagonal and
** bidiagonal form spend most of their time in such products, which are limited by memory bandwidth. */

#include <stdint.h>

/* One step of a reduction to bidiagonal form: m × n elements of a matrix a, columns `ld` elements apart, and the
** reflection I - factor u uᵀ from the left. */
typedef struct matvec_step {
  const void *a;
  int64_t     m, n, ld;
  const void *u;                       /* m elements */
  double      factor;
  void       *y;                       /* n elements that become factor (aᵀ u - y) */
  void       *row;                     /* n elements that become a's first row - row - y */
  void       *sum;                     /* m elements, to which a combination of a's columns is added */
} matvec_step;

typedef struct matvec_table {
  /* y += s x for columns of a symmetric matrix s. Their lower parts, of m, m - 1, … elements, begin on the diagonal of
  ** a, m × n */
  void (*symmetric)(int64_t m, int64_t n, const void *a, int64_t ld, const void *x, void *y);
  void (*bidiagonal)(const matvec_step *step);
  /* y = alpha x + beta y */
  void (*combine)(int64_t n, double alpha, const void *x, double beta, void *y);
  double (*dot)(int64_t n, const void *x, const void *y);
} matvec_table;
typedef matvec_table matvec_float32_table, matvec_float64_table;

#endif
