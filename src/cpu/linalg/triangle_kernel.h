#ifndef LT_CPU_LINALG_TRIANGLE_KERNEL_H
#define LT_CPU_LINALG_TRIANGLE_KERNEL_H

/* Substitution in small triangles. OpenBLAS's substitution is slow: trsm of 64 × 64 in float64 on Sapphire Rapids
** reaches 9 GFLOPS, a product of the same size 73. */

#include <stdbool.h>
#include <stdint.h>

enum { TRIANGLE_SIZE = 16 };

/* A triangular matrix of n ≤ TRIANGLE_SIZE rows and columns; element (i, j) is at[i * row + j * column]. */
typedef struct triangle {
  const void *at;
  int         n;
  int64_t     row, column;
  bool        upper, unit;             /* unit: the diagonal counts as ones and is not read */
} triangle;

typedef struct triangle_table {
  /* b = t⁻¹ b, n × columns, column-major, columns `ld` elements apart */
  void (*substitute)(const triangle *t, int64_t columns, void *b, int64_t ld);
} triangle_table;
typedef triangle_table triangle_float32_table, triangle_float64_table;

#endif
