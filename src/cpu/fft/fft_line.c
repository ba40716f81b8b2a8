/* Fourier transforms of one line by several threads. */

#include <string.h>

#include "cpu/fft/fft.h"

static int64_t complex_size(const fft_plan *p) { return 2 * dtype_size(p->real); }

/* block_count returns the number of blocks of `width` elements into which n elements are cut. The last block also has
** the remainder. block_width returns the number of elements of block k. */
static int64_t block_count(int64_t n, int64_t width) { return n / width; }
static int64_t block_width(int64_t n, int64_t width, int64_t k) {
  return k == block_count(n, width) - 1 ? n - k * width : width;
}

/* Returns the number of complex numbers in each of a thread's two buffers, which must have space for the widest block
** of columns and the widest block of rows. */
static int64_t block_room(const fft_plan *p) {
  int64_t n1 = p->first.n, n2 = p->second.n;
  int64_t one = n1 * p->width, two = n2 * (p->rows + n1 % p->rows);
  return one > two ? one : two;
}

/* Sets factors[k] = exp(-2 pi i k column / n) for k < n1: the twiddle factors of the first column of a block. The
** plan's `turns` are the twiddle factors of a block that begins at column 0. Row k of the block is multiplied by
** both. */
static void put_factors(const fft_plan *p, int64_t column, void *factors) {
  int64_t mask = ((int64_t)1 << p->shift) - 1;
  for (int64_t k = 0, e = 0; k < p->first.n; k++, e += column) {
    if (e >= p->n) e -= p->n;
    const double *l = p->low + 2 * (e & mask), *h = p->high + 2 * (e >> p->shift);
    double re = l[0] * h[0] - l[1] * h[1], im = l[0] * h[1] + l[1] * h[0];
    if (p->real == DT_float64) { ((double *)factors)[2 * k] = re; ((double *)factors)[2 * k + 1] = im; }
    else { ((float *)factors)[2 * k] = (float)re; ((float *)factors)[2 * k + 1] = (float)im; }
  }
}

typedef struct split_run {
  const fft_plan *plan;
  const fft_table *kernels;
  bool   inverse;
  double scale;
  const char *x;
  char  *y, *between;          /* between: [n2][n1], the result of the first transforms */
  char  *room;                 /* two buffers of `step` bytes for each thread */
  int64_t step;
} split_run;

/* Transforms a block of columns of x, multiplies the result by the turns, and writes it to rows of `between`. */
static void split_columns(const void *arg, int64_t block, int worker) {
  const split_run *s = arg;
  const fft_plan *p = s->plan;
  char *a = s->room + 2 * worker * s->step, *b = a + s->step;
  int64_t n1 = p->first.n, n2 = p->second.n, size = complex_size(p), at = block * p->columns;
  int64_t columns = block_width(n2, p->columns, block);
  fft_run r = {.kernels = s->kernels, .lanes = columns, .inverse = s->inverse, .scale = 1};
  char *result = p->first.count % 2 ? a : b;
  fft_run_chain(&p->first, &r, s->x + at * size, n2, result, columns, a, b);
  char *factors = result == a ? b : a;
  if (at) put_factors(p, at, factors);
  fft_turn t = {.rows = n1, .columns = columns, .x_row = columns, .y_row = n1, .turns = p->turns,
                .turns_row = p->width, .factors = at ? factors : NULL, .inverse = s->inverse};
  s->kernels->turn(&t, result, s->between + at * n1 * size);
}

/* Transforms a block of columns of `between`, which are rows of the n1 × n2 matrix, and writes the result to columns
** of y. */
static void split_rows(const void *arg, int64_t block, int worker) {
  const split_run *s = arg;
  const fft_plan *p = s->plan;
  char *a = s->room + 2 * worker * s->step, *b = a + s->step;
  int64_t n1 = p->first.n, size = complex_size(p), at = block * p->rows;
  int64_t rows = block_width(n1, p->rows, block);
  fft_run r = {.kernels = s->kernels, .lanes = rows, .inverse = s->inverse, .scale = s->scale};
  fft_run_chain(&p->second, &r, s->between + at * size, n1, s->y + at * size, n1, a, b);
}

int64_t fft_line_room(const fft_plan *p, int threads) {
  if (p->way == FFT_TOGETHER) return 0;
  if (p->way == FFT_CONVOLUTION) return 2 * p->inner->n + fft_line_room(p->inner, threads);
  return p->n + 2 * threads * block_room(p);
}

static void run_split(const fft_plan *p, bool inverse, double scale, const char *x, char *y, char *room, int threads) {
  int64_t size = complex_size(p);
  split_run s = {p, fft_kernels(p->real), inverse, scale, x, y, room, room + p->n * size, block_room(p) * size};
  int64_t ones = block_count(p->second.n, p->columns), twos = block_count(p->first.n, p->rows);
  cpu_parallel(threads, ones, split_columns, &s);
  cpu_parallel(threads, twos, split_rows, &s);
}

/* Like fft_table.multiply, but in stretches (base/cancel.h), between which the operation can be cancelled. */
static void multiply(const fft_plan *p, const fft_multiply *f, const char *x, char *y) {
  int64_t size = complex_size(p);
  fft_multiply part = *f;
  for (int64_t i = 0, end; (end = cancel_stretch(i, f->n)) > i; i = end) {
    part.n = end - i;
    part.turns = (const char *)f->turns + i * size;
    fft_kernels(p->real)->multiply(&part, x + i * size, y + i * size);
  }
}

/* Computes a transform as a convolution with the chirp (Bluestein's algorithm). An inverse transform is the conjugate
** of the transform of the conjugate. */
static void run_convolution(const fft_plan *p, bool inverse, double scale, const char *x, char *y, char *room,
                            int threads) {
  int64_t n = p->n, m = p->inner->n, size = complex_size(p);
  char *a = room, *b = a + m * size, *rest = b + m * size;
  fft_multiply f = {.n = n, .turns = p->chirp, .scale = 1, .conjugate_in = inverse};
  multiply(p, &f, x, a);
  for (int64_t i = n, end; (end = cancel_stretch(i, m)) > i; i = end) memset(a + i * size, 0, (size_t)((end - i) * size));
  run_split(p->inner, false, 1, a, b, rest, threads);
  f = (fft_multiply){.n = m, .turns = p->spectrum, .scale = 1};
  multiply(p, &f, b, b);
  run_split(p->inner, true, 1, b, a, rest, threads);
  f = (fft_multiply){.n = n, .turns = p->chirp, .scale = scale, .conjugate_out = inverse};
  multiply(p, &f, a, y);
}

void fft_run_split(const fft_plan *p, bool inverse, double scale, const char *x, char *y, char *room, int threads) {
  if (p->way == FFT_SPLIT) run_split(p, inverse, scale, x, y, room, threads);
  else run_convolution(p, inverse, scale, x, y, room, threads);
}

int fft_run_line(const fft_plan *p, bool inverse, double scale, const void *x, void *y) {
  size_t bytes = (size_t)(fft_line_room(p, 1) * complex_size(p));
  void *room;
  int status = cpu_alloc(0, bytes, &room);
  if (status) return status;
  fft_run_split(p, inverse, scale, x, y, room, 1);
  cpu_free(0, room, bytes);
  return OK;
}
