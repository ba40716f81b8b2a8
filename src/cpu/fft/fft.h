#ifndef LT_CPU_FFT_FFT_H
#define LT_CPU_FFT_FFT_H

/* Plans of Fourier transforms: the factorization of a length, and the tables of roots of unity that the transform
** reads. */

#include "cpu/cpu.h"

enum { FFT_PASSES = 40 };

/* A transform of length n as a sequence of passes. Pass k has radix radix[k]. */
typedef struct fft_chain {
  int64_t     n;
  int         count;                    /* the number of passes, at least 1 */
  int         radix[FFT_PASSES];
  const void *turns[FFT_PASSES], *circle[FFT_PASSES];
  const struct fft_prime *prime[FFT_PASSES];       /* the tables of a pass whose radix is above FFT_RADIX, otherwise
                                                   ** NULL */
} fft_chain;

/* The tables of a pass with a large prime radix p. The powers of a primitive root g run through all numbers 1 … p - 1.
** In this order, the transform without element 0 is a circular convolution of length p - 1 (Rader's algorithm). The pass
** transforms `lanes` lines at a time; each factor of the tables is repeated for all lanes. */
typedef struct fft_prime {
  int         radix, lanes;
  size_t      row;                      /* the size in bytes of `lanes` complex numbers */
  fft_chain   inner;                    /* transforms of length p - 1 */
  const int  *order;                    /* [p - 1]: the powers of g, from 1 on */
  const void *spectrum;                 /* [p - 1][lanes]: the transform of exp(-2 pi i g^-q / p), divided by p - 1 */
  const void *turns;                    /* [m][p][lanes]: exp(-2 pi i i k / (p m)) in row k of matrix i; NULL: m is 1 */
} fft_prime;

enum fft_way {
  FFT_TOGETHER,     /* transforms several lines side by side, by one chain of passes */
  FFT_SPLIT,        /* transforms a line of n = n1 * n2 elements as a matrix: transforms its columns, multiplies by
                    ** twiddle factors, transforms its rows */
  FFT_CONVOLUTION   /* transforms one line whose length has a prime factor above FFT_RADIX, by a convolution
                    ** (Bluestein's algorithm) */
};

typedef struct fft_plan {
  enum fft_way way;
  int64_t      n;
  enum dtype   real;
  fft_chain    first, second;           /* the chains for n1 and n2 (SPLIT); TOGETHER uses only `first`, for n */
  /* SPLIT: the numbers of columns and of rows in a block of the n1 × n2 matrix; a block is transformed together */
  int64_t      columns, rows;
  int64_t      width;                   /* the number of columns of the widest block; the last block also has the
                                        ** remaining columns */
  const void  *turns;                   /* [n1][width]: exp(-2 pi i k j / n) in row k, column j */
  const double *low, *high;             /* tables whose products are all roots of unity: exp(-2 pi i e / n) = low[e %
                                        ** 2^shift] * high[e / 2^shift] */
  int          shift;
  /* only CONVOLUTION uses the next three fields */
  struct fft_plan *inner;               /* a SPLIT plan for a length of at least 2 n - 1 */
  const void  *chirp;                   /* [n]: element j is exp(-pi i j * j / n) */
  const void  *spectrum;                /* [inner->n]: the transform of the conjugated chirp, divided by inner->n */
  const void  *join;                    /* [n / 2 + 1]: the factors for real lines of 2 n elements (see fft_join);
                                        ** NULL: the plan is not for real lines */

  /* fields that only the cache of plans uses */
  struct fft_plan *next;
  int          users;
  uint64_t     used;                    /* the last use of this plan: the number of uses of all plans until then */
  size_t       bytes;
  int          owned;
  void        *own[3 * FFT_PASSES];
} fft_plan;

const fft_table *fft_kernels(enum dtype real);

/* fft_splits returns true if lines of n can be split into n1 * n2 with both factors at least `lanes`. fft_smooth
** returns true if n has no prime factor above FFT_RADIX, so that lines of n need no convolution. fft_chains returns true
** if lines of n can be transformed side by side: each prime factor p above FFT_RADIX has a smooth p - 1. */
bool fft_splits(int64_t n, int lanes);
bool fft_smooth(int64_t n);
bool fft_chains(int64_t n);

/* Takes a plan from the cache, or makes a plan. If `halves` is true, the plan has the table `join`. The caller must
** call fft_plan_return after use. Returns OK or ERR_MEMORY. */
int  fft_plan_take(int64_t n, enum dtype real, enum fft_way way, bool halves, const fft_plan **plan);
void fft_plan_return(const fft_plan *plan);

/* Transforms of several lines of complex numbers, which are stored side by side. */
typedef struct fft_run {
  const fft_table *kernels;
  int64_t lanes;
  bool    inverse;
  double  scale;
} fft_run;

/* Sets y to the transform of x. a and b are scratch memory of [n][lanes] complex numbers each. If the chain has a pass
** with a large prime radix, fft_chain_room bytes follow b. */
void fft_run_chain(const fft_chain *c, const fft_run *r, const void *x, int64_t x_step, void *y, int64_t y_step,
                   void *a, void *b);

size_t fft_chain_room(const fft_chain *c);

/* Transforms one contiguous line by a SPLIT or CONVOLUTION plan. `room` must have space for fft_line_room complex
** numbers. */
void    fft_run_split(const fft_plan *p, bool inverse, double scale, const char *x, char *y, char *room, int threads);
int64_t fft_line_room(const fft_plan *p, int threads);

/* Like fft_run_split, but on this thread and with its own scratch memory. Returns OK or ERR_MEMORY. */
int  fft_run_line(const fft_plan *p, bool inverse, double scale, const void *x, void *y);

#endif
