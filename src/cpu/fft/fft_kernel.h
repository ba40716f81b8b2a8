#ifndef LT_CPU_FFT_FFT_KERNEL_H
#define LT_CPU_FFT_FFT_KERNEL_H

/* The kernels of Fourier transforms: a table for each instruction set and real type. Complex numbers are stored as re,
** im; strides are in complex numbers. Tables of turns are for the forward transform: exp(-2 pi i …). */

#include <stdbool.h>
#include <stdint.h>

enum {
  FFT_RADIX = 61,        /* the largest prime with a pass; other primes take a convolution */
  FFT_LANES = 8          /* complex numbers of the widest vector */
};

/* One step of a Stockham transform of n = l * radix * m, `lanes` of them side by side:
**    y[t + l * (k + radix * p)] = w(p k, radix * m) * sum over j of w(j k, radix) * x[t + l * (p + m * j)]
** where w(a, b) = exp(-2 pi i a / b), for t < l, p < m, k < radix. The last step (m = 1) multiplies by scale. x and y
** do not overlap. */
typedef struct fft_pass {
  int         radix;
  int64_t     m, l, lanes;      /* lanes: at least those of a vector */
  int64_t     x_step, y_step;   /* strides between the places in brackets */
  const void *turns;            /* [m][radix - 1]: exp(-2 pi i p k / (radix * m)), k = 1 … */
  const void *circle;           /* [radix]: exp(-2 pi i k / radix) */
  double      scale;
  bool        inverse;
} fft_pass;

/* y[c][r] = x[r][c] * turns[r][c] * factors[r]. There must be at least as many rows and columns as a vector has
** lanes. */
typedef struct fft_turn {
  int64_t     rows, columns;
  int64_t     x_row, y_row;     /* strides between rows of x and of y */
  const void *turns;            /* rows of turns_row; NULL: none */
  int64_t     turns_row;
  const void *factors;          /* NULL: none */
  bool        inverse;
  bool        row_by_row;       /* true: x is read sequentially; false: y is written sequentially */
} fft_turn;

/* Computes the half of a real line's transform from the transform of its pairs as complex numbers, and back:
**    y[k] = s + t, y[h - k] = conj(s - t), s = x[k] + conj(x[h - k]), t = turns[k] * (x[k] - conj(x[h - k]))
** for k <= h / 2. Element h exists only in the half transform. turns[k] = -i exp(-pi i k / h); backward uses the
** conjugate. */
typedef struct fft_join {
  int64_t     h, lanes;         /* lanes: at least the lanes of a vector, or 1 for a single line with strides 1 */
  int64_t     x_step, y_step;
  const void *turns;
  bool        back;
} fft_join;

/* y[k] = scale * x[k] * turns[k], optionally with x and the product conjugated. y may be x. */
typedef struct fft_multiply {
  int64_t     n;
  const void *turns;
  double      scale;
  bool        conjugate_in, conjugate_out;
} fft_multiply;

typedef struct fft_table {
  int  lanes;                                   /* complex numbers in a vector */
  void (*pass[FFT_RADIX + 1])(const fft_pass *p, const void *x, void *y);   /* [radix]; NULL: none */
  void (*turn)(const fft_turn *t, const void *x, void *y);
  void (*join)(const fft_join *j, const void *x, void *y);
  void (*multiply)(const fft_multiply *f, const void *x, void *y);
  /* x[n - k] = conj(x[k]) for 0 < k <= (n - 1) / 2, rows of `lanes`; imaginary parts of x[0] become 0 */
  void (*mirror)(int64_t n, int64_t lanes, void *x);
} fft_table;
typedef fft_table fft_float32_table, fft_float64_table;

#endif
