/* Chains of passes, which transform several lines side by side. */

#include <string.h>

#include "cpu/fft/fft.h"

const fft_table *fft_kernels(enum dtype real) {
  return real == DT_float32 ? cpu_isa->fft_float32 : cpu_isa->fft_float64;
}

/* ---- passes with a large prime radix ----
** With the order q of the powers of g (struct fft_prime), x[g^q] and y[g^-q], the transform of p elements is
**    y[0] = sum of x, y[g^-q] = x[0] + the circular convolution of x[g^q] and exp(-2 pi i g^-q / p) */

static size_t prime_room(const fft_prime *f) { return 5 * (size_t)f->radix * f->row; }

/* Copies a row, whose size is a multiple of 16 bytes. */
static void copy_row(const fft_prime *f, char *to, const char *from) {
  for (size_t k = 0; k < f->row; k += 16) memcpy(to + k, from + k, 16);
}

/* Computes to = factor (to + from) for a row of real numbers. */
static void add_row(const fft_prime *f, double factor, void *to, const void *from) {
  int count = 2 * f->lanes;
  float *narrow_to = to;
  const float *narrow = from;
  double *wide_to = to;
  const double *wide = from;
  if (f->row == (size_t)count * sizeof(float))
    for (int k = 0; k < count; k++) narrow_to[k] = (float)factor * (narrow_to[k] + narrow[k]);
  else
    for (int k = 0; k < count; k++) wide_to[k] = factor * (wide_to[k] + wide[k]);
}

/* Transforms p rows of `lanes` numbers, which are x_leg bytes apart, to rows that are y_leg bytes apart. `room` has space
** for four times p rows. */
static void transform_rows(const fft_prime *f, const fft_table *kernels, bool inverse, double scale, const char *x, int64_t x_leg,
                           char *y, int64_t y_leg, char *room) {
  int64_t p = f->radix, step = (int64_t)f->row;
  char *a = room, *b = a + p * step, *c = b + p * step, *d = c + p * step;
  fft_run forward = {.kernels = kernels, .lanes = f->lanes, .scale = 1}, back = {.kernels = kernels, .lanes = f->lanes, .inverse = true, .scale = 1};
  fft_multiply product = {.n = (p - 1) * f->lanes, .turns = f->spectrum, .scale = scale};
  for (int64_t q = 0; q < p - 1; q++) copy_row(f, a + q * step, x + f->order[q] * x_leg);
  fft_run_chain(&f->inner, &forward, a, f->lanes, b, f->lanes, c, d);
  copy_row(f, a, x);
  copy_row(f, y, b);
  add_row(f, scale, y, a);
  kernels->multiply(&product, b, b);
  memset(c, 0, f->row);
  add_row(f, scale, a, c);
  add_row(f, 1, b, a);
  fft_run_chain(&f->inner, &back, b, f->lanes, a, f->lanes, c, d);
  for (int64_t q = 0; q < p - 1; q++) {
    int64_t k = f->order[q ? p - 1 - q : 0];
    copy_row(f, y + (inverse ? p - k : k) * y_leg, a + q * step);
  }
}

/* Multiplies p rows by the twiddle factors of matrix i, and copies them to y. */
static void turn_rows(const fft_prime *f, const fft_table *kernels, bool inverse, int64_t i, char *rows, char *y, int64_t y_leg) {
  int64_t p = f->radix, step = (int64_t)f->row;
  fft_multiply product = {.n = p * f->lanes, .turns = (const char *)f->turns + i * p * step, .scale = 1, .conjugate_in = inverse,
                          .conjugate_out = inverse};
  kernels->multiply(&product, rows, rows);
  for (int64_t k = 0; k < p; k++) copy_row(f, y + k * y_leg, rows + k * step);
}

static void run_prime(const fft_prime *f, const fft_table *kernels, const fft_pass *p, const char *x, char *y, char *room) {
  int64_t size = (int64_t)f->row / f->lanes, x_leg = p->l * p->m * p->x_step * size, y_leg = p->l * p->y_step * size;
  char *rows = room, *rest = rows + f->radix * (int64_t)f->row;
  for (int64_t i = 0; i < p->m; i++)
    for (int64_t t = 0; t < p->l; t++)
      for (int64_t q = 0; q < p->lanes; q += f->lanes) {
        int64_t at = q > p->lanes - f->lanes ? p->lanes - f->lanes : q;
        const char *from = x + ((t + p->l * i) * p->x_step + at) * size;
        char *to = y + ((t + p->l * i * f->radix) * p->y_step + at) * size;
        bool turned = p->m > 1;
        transform_rows(f, kernels, p->inverse, turned ? 1 : p->scale, from, x_leg, turned ? rows : to, turned ? (int64_t)f->row : y_leg, rest);
        if (turned) turn_rows(f, kernels, p->inverse, i, rows, to, y_leg);
      }
}

/* ---- chains of passes ---- */

size_t fft_chain_room(const fft_chain *c) {
  size_t most = 0;
  for (int k = 0; k < c->count; k++) {
    size_t bytes = c->prime[k] ? prime_room(c->prime[k]) : 0;
    if (bytes > most) most = bytes;
  }
  return most;
}

static void run_pass(const fft_table *kernels, fft_pass *p, const fft_prime *prime, const void *x, void *y, char *room) {
  if (p->x_step == p->lanes && p->y_step == p->lanes) {      /* all numbers are contiguous, so they count as lanes of
                                                             ** one row */
    p->lanes *= p->l;
    p->x_step = p->y_step = p->lanes;
    p->l = 1;
  }
  if (prime) run_prime(prime, kernels, p, x, y, room);
  else kernels->pass[p->radix](p, x, y);
}

void fft_run_chain(const fft_chain *c, const fft_run *r, const void *x, int64_t x_step, void *y, int64_t y_step,
                   void *a, void *b) {
  int64_t l = 1, m = c->n;
  for (int k = 0; k < c->count; k++) {
    bool last = k == c->count - 1;
    m /= c->radix[k];
    fft_pass p = {.radix = c->radix[k], .m = m, .l = l, .lanes = r->lanes, .x_step = k == 0 ? x_step : r->lanes,
                  .y_step = last ? y_step : r->lanes, .turns = c->turns[k], .circle = c->circle[k],
                  .scale = r->scale, .inverse = r->inverse};
    void *to = last ? y : k % 2 ? b : a;
    char *room = c->prime[k] ? (char *)b + c->n * r->lanes * (int64_t)(c->prime[k]->row / (size_t)c->prime[k]->lanes) : NULL;
    run_pass(r->kernels, &p, c->prime[k], x, to, room);
    l *= c->radix[k];
    x = to;
  }
}
