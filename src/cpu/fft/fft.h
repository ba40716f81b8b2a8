#ifndef LT_CPU_FFT_FFT_H
#define LT_CPU_FFT_FFT_H

/* Plans of Fourier transforms: how a length is taken apart, and the tables that it takes. */

#include "cpu/cpu.h"

enum { FFT_PASSES = 40 };

/* A transform of n as passes, one radix each. */
typedef struct fft_chain {
  int64_t     n;
  int         count;                    /* 1 at least */
  int         radix[FFT_PASSES];
  const void *turns[FFT_PASSES], *circle[FFT_PASSES];
} fft_chain;

enum fft_way {
  FFT_TOGETHER,     /* the lines of many transforms side by side: one chain */
  FFT_SPLIT,        /* a line of n = n1 * n2 as a matrix: transforms of its columns, turns, transforms of its rows */
  FFT_CONVOLUTION   /* a length with a great prime factor, as a convolution (Bluestein) */
};

typedef struct fft_plan {
  enum fft_way way;
  int64_t      n;
  enum dtype   real;
  fft_chain    first, second;           /* TOGETHER: first alone */
  /* SPLIT: blocks of so many columns, then of so many rows, are transformed at a time */
  int64_t      columns, rows;
  int64_t      width;                   /* columns of the widest block */
  const void  *turns;                   /* [n1][width]: exp(-2 pi i k j / n) */
  const double *low, *high;             /* exp(-2 pi i e / n) = low[e % 2^shift] * high[e / 2^shift] */
  int          shift;
  /* CONVOLUTION */
  struct fft_plan *inner;               /* SPLIT, of a length from 2 n - 1 on */
  const void  *chirp;                   /* [n]: exp(-pi i j * j / n) */
  const void  *spectrum;                /* [inner's n]: the transform of the chirp's conjugate, by inner's n */
  const void  *join;                    /* [n / 2 + 1], for real lines of 2 n: see fft_join; or NULL */

  /* the cache's */
  struct fft_plan *next;
  int          users;
  uint64_t     used;                    /* when */
  size_t       bytes;
  int          owned;
  void        *own[3 * FFT_PASSES];
} fft_plan;

const fft_table *fft_kernels(enum dtype real);

/* True if lines of n can be split, or be transformed at all, without a convolution. */
bool fft_splits(int64_t n, int lanes);
bool fft_smooth(int64_t n);

/* A plan from the cache, or made; halves: with `join`. Returned when done. ERR_MEMORY. */
int  fft_plan_take(int64_t n, enum dtype real, enum fft_way way, bool halves, const fft_plan **plan);
void fft_plan_return(const fft_plan *plan);

/* Lines of complex numbers side by side. */
typedef struct fft_run {
  const fft_table *kernels;
  int64_t lanes;
  bool    inverse;
  double  scale;
} fft_run;

/* y = the transform of x, by way of a and b: [n][lanes] each. */
void fft_run_chain(const fft_chain *c, const fft_run *r, const void *x, int64_t x_step, void *y, int64_t y_step,
                   void *a, void *b);

/* The transform of one contiguous line by a plan that is not TOGETHER, and how many complex numbers of room it takes. */
void    fft_run_split(const fft_plan *p, bool inverse, double scale, const char *x, char *y, char *room, int threads);
int64_t fft_line_room(const fft_plan *p, int threads);

/* The same on this thread, with room of its own. ERR_MEMORY. */
int  fft_run_line(const fft_plan *p, bool inverse, double scale, const void *x, void *y);

#endif
