#ifndef LT_CPU_FFT_FFT_H
#define LT_CPU_FFT_FFT_H

/* Plans of Fourier transforms: the factorization of a length, and the tables for it. */

#include "cpu/cpu.h"

enum { FFT_PASSES = 40 };

/* A transform of length n as a sequence of passes, each with one radix. */
typedef struct fft_chain {
  int64_t     n;
  int         count;                    /* at least 1 */
  int         radix[FFT_PASSES];
  const void *turns[FFT_PASSES], *circle[FFT_PASSES];
} fft_chain;

enum fft_way {
  FFT_TOGETHER,     /* lines side by side: one chain of passes */
  FFT_SPLIT,        /* a line of n = n1 * n2 as a matrix: transforms of its columns, multiplication by turns, transforms
                    ** of its rows */
  FFT_CONVOLUTION   /* a length with a large prime factor, as a convolution (Bluestein) */
};

typedef struct fft_plan {
  enum fft_way way;
  int64_t      n;
  enum dtype   real;
  fft_chain    first, second;           /* TOGETHER uses only the first */
  /* SPLIT: the number of columns, and of rows, in a block that is transformed at once */
  int64_t      columns, rows;
  int64_t      width;                   /* columns of the widest block */
  const void  *turns;                   /* [n1][width]: exp(-2 pi i k j / n) */
  const double *low, *high;             /* exp(-2 pi i e / n) = low[e % 2^shift] * high[e / 2^shift] */
  int          shift;
  /* Tables for CONVOLUTION. */
  struct fft_plan *inner;               /* a SPLIT plan of a length of at least 2 n - 1 */
  const void  *chirp;                   /* [n]: exp(-pi i j * j / n) */
  const void  *spectrum;                /* [inner's n]: the transform of the conjugated chirp, divided by inner's n */
  const void  *join;                    /* [n / 2 + 1], for real lines of 2 n: see fft_join; or NULL */

  /* fields that only the cache uses */
  struct fft_plan *next;
  int          users;
  uint64_t     used;                    /* time of the last use */
  size_t       bytes;
  int          owned;
  void        *own[3 * FFT_PASSES];
} fft_plan;

const fft_table *fft_kernels(enum dtype real);

/* fft_splits: true if lines of n can be split. fft_smooth: true if lines of n need no convolution. */
bool fft_splits(int64_t n, int lanes);
bool fft_smooth(int64_t n);

/* Takes a plan from the cache, or makes one. halves: the plan includes the table `join`. The caller must return the
** plan after use. Returns OK or ERR_MEMORY. */
int  fft_plan_take(int64_t n, enum dtype real, enum fft_way way, bool halves, const fft_plan **plan);
void fft_plan_return(const fft_plan *plan);

/* Lines of complex numbers side by side. */
typedef struct fft_run {
  const fft_table *kernels;
  int64_t lanes;
  bool    inverse;
  double  scale;
} fft_run;

/* y = the transform of x, with scratch memory a and b: [n][lanes] each. */
void fft_run_chain(const fft_chain *c, const fft_run *r, const void *x, int64_t x_step, void *y, int64_t y_step,
                   void *a, void *b);

/* Transforms one contiguous line by a SPLIT or CONVOLUTION plan. fft_line_room returns how many complex numbers of
** scratch memory this takes. */
void    fft_run_split(const fft_plan *p, bool inverse, double scale, const char *x, char *y, char *room, int threads);
int64_t fft_line_room(const fft_plan *p, int threads);

/* Like fft_run_split, but on this thread and with scratch memory of its own. Fails with ERR_MEMORY. */
int  fft_run_line(const fft_plan *p, bool inverse, double scale, const void *x, void *y);

#endif
