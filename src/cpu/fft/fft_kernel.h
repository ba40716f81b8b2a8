#ifndef LT_CPU_FFT_FFT_KERNEL_H
#define LT_CPU_FFT_FFT_KERNEL_H

/* Declarations of the kernels of Fourier transforms: one table for each instruction set and real dtype. A complex
** number is stored as re, im. Strides are in complex numbers. Turns are the twiddle factors exp(-2 pi i …) of the
** forward transform. */

#include <stdbool.h>
#include <stdint.h>

enum {
  FFT_RADIX = 61,        /* the largest prime for which there is a pass; larger primes require a convolution */
  FFT_LANES = 8          /* the number of complex numbers in the widest vector */
};

/* One step of a Stockham transform of n = l * radix * m elements, for `lanes` transforms side by side:
**    y[t + l * (k + radix * p)] = w(p k, radix * m) * sum over j of w(j k, radix) * x[t + l * (p + m * j)]
** where w(a, b) = exp(-2 pi i a / b), for t < l, p < m, k < radix. The last step (m = 1) also multiplies by scale.
** x and y must not overlap. */
typedef struct fft_pass {
  int         radix;
  int64_t     m, l, lanes;      /* lanes: at least the number of complex numbers in a vector */
  int64_t     x_step, y_step;   /* strides between neighbouring indices of x and of y */
  const void *turns;            /* [m][radix - 1]: exp(-2 pi i p k / (radix * m)) in row p, for k = 1, 2, … */
  const void *circle;           /* [radix]: exp(-2 pi i k / radix) */
  double      scale;
  bool        inverse;
} fft_pass;

/* A transposition: y[c][r] = x[r][c] * turns[r][c] * factors[r]. If x has fewer rows or columns than a vector has complex
** numbers, there must be no turns, and whole vectors behind short rows of x are read, and behind those of y written. */
typedef struct fft_turn {
  int64_t     rows, columns;
  int64_t     x_row, y_row;     /* strides of the rows of x, and of the rows of y */
  const void *turns;            /* a matrix whose rows are turns_row apart; NULL: no multiplication by turns */
  int64_t     turns_row;
  const void *factors;          /* one factor for each row; NULL: no multiplication by factors */
  bool        inverse;
  bool        row_by_row;       /* true: x is read sequentially; false: y is written sequentially */
} fft_turn;

/* The arguments of `join`. A real line of 2 h elements is read as h complex numbers, whose transform is x. join
** computes y, the elements 0 … h of the real line's transform. If `back` is true, join computes x from y:
**    y[k] = s + t, y[h - k] = conj(s - t), s = x[k] + conj(x[h - k]), t = turns[k] * (x[k] - conj(x[h - k]))
** for k <= h / 2. Only the half transform has an element h. turns[k] is -i exp(-pi i k / h). If `back` is true, the
** conjugate of turns[k] is used. */
typedef struct fft_join {
  int64_t     h, lanes;         /* lanes: at least the number of complex numbers in a vector, or 1 for a single line
                                ** whose strides are 1 */
  int64_t     x_step, y_step;
  const void *turns;
  bool        back;
} fft_join;

/* The arguments of `multiply`, which computes y[k] = scale * x[k] * turns[k]. conjugate_in conjugates x first, and
** conjugate_out conjugates the product. y may be x. */
typedef struct fft_multiply {
  int64_t     n;
  const void *turns;
  double      scale;
  bool        conjugate_in, conjugate_out;
} fft_multiply;

typedef struct fft_table {
  int  lanes;                                   /* the number of complex numbers in a vector */
  void (*pass[FFT_RADIX + 1])(const fft_pass *p, const void *x, void *y);   /* indexed by radix; NULL: no pass has
                                                                            ** this radix */
  void (*turn)(const fft_turn *t, const void *x, void *y);
  void (*join)(const fft_join *j, const void *x, void *y);
  void (*multiply)(const fft_multiply *f, const void *x, void *y);
  /* sets x[n - k] = conj(x[k]) for 0 < k <= (n - 1) / 2, in rows of `lanes` numbers, and the imaginary parts of x[0]
  ** to 0 */
  void (*mirror)(int64_t n, int64_t lanes, void *x);
} fft_table;
typedef fft_table fft_float32_table, fft_float64_table;

#endif
