#ifndef LT_CPU_LINALG_TRIANGLE_KERNEL_H
#define LT_CPU_LINALG_TRIANGLE_KERNEL_H

/* Declarations of kernels that solve small triangular systems by substitution. OpenBLAS's substitution is slow: trsm
** of 64 × 64 in float64 on Sapphire Rapids reaches 9 GFLOPS, while a product of the same size reaches 73 GFLOPS. */

#include <stdbool.h>
#include <stdint.h>

enum { TRIANGLE_SIZE = 16 };

/* A triangular matrix of n ≤ TRIANGLE_SIZE rows and columns. Element (i, j) is at[i * row + j * column]. */
typedef struct triangle {
  const void *at;
  int         n;
  int64_t     row, column;
  bool        upper, unit;             /* unit: the diagonal is not read; all its elements are 1 */
} triangle;

typedef struct triangle_table {
  /* sets b = t⁻¹ b, where b has n rows and `columns` columns, which are `ld` elements apart */
  void (*substitute)(const triangle *t, int64_t columns, void *b, int64_t ld);
} triangle_table;
typedef triangle_table triangle_float32_table, triangle_float64_table;

#endif
