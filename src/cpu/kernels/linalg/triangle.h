/* Solves small triangular systems of equations by substitution (triangle_kernel.h). triangle_float32.c and
** triangle_float64.c define REAL and include this file. */

#include "cpu/cpu.h"

enum { N = TRIANGLE_SIZE, COLUMNS = 8 };       /* COLUMNS: the number of columns that are computed together, so that
                                               ** their sums hide each other's latency */

/* A triangular matrix by columns: at[j] is column j. The diagonal and the opposite triangle of `at` are 0. inverse[j]
** is the reciprocal of diagonal element j. */
typedef struct packed {
  REAL at[N][N], inverse[N];
} packed;

/* Packs a triangle of t->n <= N rows. The remaining rows and columns become those of the identity. */
static void pack(const triangle *t, packed *p) {
  const REAL *a = t->at;
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) p->at[j][i] = 0;
    p->inverse[j] = j < t->n && !t->unit ? 1 / a[j * (t->row + t->column)] : 1;
    if (j >= t->n) continue;
    int first = t->upper ? 0 : j + 1, end = t->upper ? j : t->n;
    for (int i = first; i < end; i++) p->at[j][i] = a[i * t->row + j * t->column];
  }
}

INLINE void step(const packed *p, int j, REAL x[COLUMNS][N]) {
  for (int c = 0; c < COLUMNS; c++) {
    REAL f = x[c][j] * p->inverse[j];
    for (int i = 0; i < N; i++) x[c][i] -= p->at[j][i] * f;
    x[c][j] = f;
  }
}

/* move_in copies `columns` columns of n elements, which are `ld` elements apart, into x. move_out copies them
** back. */
INLINE void move_in(int n, int columns, const REAL *b, int64_t ld, REAL x[COLUMNS][N]) {
  for (int c = 0; c < columns; c++)
    for (int i = 0; i < n; i++) x[c][i] = b[c * ld + i];
}
INLINE void move_out(int n, int columns, REAL *b, int64_t ld, REAL x[COLUMNS][N]) {
  for (int c = 0; c < columns; c++)
    for (int i = 0; i < n; i++) b[c * ld + i] = x[c][i];
}

static void substitute(const triangle *t, int64_t columns, void *right, int64_t ld) {
  REAL *b = right, x[COLUMNS][N] = {{0}};
  packed p;
  pack(t, &p);
  for (; columns > 0; columns -= COLUMNS, b += COLUMNS * ld) {
    bool whole = t->n == N && columns >= COLUMNS;
    int count = columns < COLUMNS ? (int)columns : COLUMNS;
    if (whole) move_in(N, COLUMNS, b, ld, x);
    else move_in(t->n, count, b, ld, x);
    for (int k = 0; k < N; k++) step(&p, t->upper ? N - 1 - k : k, x);
    if (whole) move_out(N, COLUMNS, b, ld, x);
    else move_out(t->n, count, b, ld, x);
  }
}

const triangle_table ISA_NAME(TABLE) = {substitute};
