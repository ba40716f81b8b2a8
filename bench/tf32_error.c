/* Simulates on the CPU how exact float32 dot products would be if tensor cores computed each product of two float32
** numbers as three TF32 products. docs/measurements.md has the figures, which this command prints:
**
**   cc -O2 bench/tf32_error.c -lm -o /tmp/tf32_error && /tmp/tf32_error
**
** x = high + low, both of 11 significant bits; x y is computed as x.low y.high + x.high y.low + x.high y.high; the
** product of the low parts is left out. A tensor core multiplies exactly, and adds eight products and its accumulator
** at once. It aligns all nine numbers to the largest one, with some guard bits below float32's last bit, and
** truncates them and their sum (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021).
** Truncation rounds toward 0, so in a sum of terms of one sign each step loses a little. Some variants add the
** accumulator to a float32 sum after every 64, 32 or 16 elements of the dot product ("promote"). */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 8, SAMPLES = 2000, MOST = 7000 };

/* ---- numbers ---- */

static uint32_t bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static float from_bits(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }

/* Rounds to 10 bits of fraction, to nearest, ties away from 0, like cvt.rna.tf32.f32. */
static float to_tf32(float x) {
  return isfinite(x) ? from_bits((bits(x) + 0x1000) & ~0x1fffu) : x;
}

/* Truncates x toward 0 to a multiple of 2^unit. */
static double cut(double x, int unit) { return ldexp(trunc(ldexp(x, -unit)), unit); }
static int exponent(double x) { int e; frexp(x, &e); return x == 0 ? -100000 : e; }

/* Returns acc plus n products, truncated as in a tensor core (see the head of this file). `guard` is the number of
** bits that the addition keeps below the last bit of the largest number. */
static float core_add(float acc, const double *product, int n, int guard) {
  int most = exponent(acc);
  for (int i = 0; i < n; i++) if (exponent(product[i]) > most) most = exponent(product[i]);
  if (most == -100000) return acc;
  double sum = cut(acc, most - 24 - guard);
  for (int i = 0; i < n; i++) sum += cut(product[i], most - 24 - guard);
  return (float)cut(sum, exponent(sum) - 24);
}

/* ---- dot products ---- */

static float dot_fma(const float *a, const float *b, int k) {
  float s = 0;
  for (int i = 0; i < k; i++) s = fmaf(a[i], b[i], s);
  return s;
}

typedef struct split { float high[MOST], low[MOST]; } split;

static void make_split(split *s, const float *x, int k) {
  for (int i = 0; i < k; i++) {
    s->high[i] = to_tf32(x[i]);
    s->low[i] = to_tf32(x[i] - s->high[i]);
  }
}

static void multiply(double *to, const float *x, const float *y, int n) {
  for (int i = 0; i < n; i++) to[i] = (double)x[i] * y[i];
}

/* Simulates how tensor cores compute the dot product of a and b, which have k elements. products: the number of TF32
** products for each float32 product, 1 or 3. promote: the number of elements after which the accumulator is added to
** the float32 sum; 0: only at the end. guard: see core_add. */
static float dot_core(const split *a, const split *b, int k, int products, int promote, int guard) {
  float total = 0, acc = 0;
  for (int i = 0; i < k; i += STEP) {
    double p[STEP];
    int n = k - i < STEP ? k - i : STEP;
    if (products == 3) {
      multiply(p, a->low + i, b->high + i, n);
      acc = core_add(acc, p, n, guard);
      multiply(p, a->high + i, b->low + i, n);
      acc = core_add(acc, p, n, guard);
    }
    multiply(p, a->high + i, b->high + i, n);
    acc = core_add(acc, p, n, guard);
    if (promote && (i + STEP) % promote == 0) {
      total += acc;
      acc = 0;
    }
  }
  return total + acc;
}

/* ---- inputs ---- */

static uint64_t state = 42;
static double uniform(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}
static double normal(void) { return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform()); }
static float draw_uniform(void)   { return (float)uniform(); }
static float draw_normal(void)    { return (float)normal(); }
static float draw_wide(void)      { return (float)(normal() * exp2(40 * uniform() - 20)); }
static float draw_small(void)     { return (float)(normal() * 0x1p-122); }       /* the low parts are subnormal */
static float draw_subnormal(void) { return (float)(normal() * 0x1p-130); }

static const struct { const char *name; float (*a)(void), (*b)(void); } inputs[] = {
  {"uniform [0, 1)", draw_uniform, draw_uniform}, {"normal", draw_normal, draw_normal},
  {"wide exponents", draw_wide, draw_wide}, {"2^-122 normal", draw_small, draw_normal},
  {"subnormal", draw_subnormal, draw_normal},
};

/* ---- errors, in units of 2^-24 of the sum of magnitudes ---- */

enum { FMA, TF32, PLAIN, BY_64, BY_32, BY_16, WAYS };
static const char *const way_names[WAYS] = {"fp32", "1 x TF32", "3 x, none", "3 x, 64", "3 x, 32", "3 x, 16"};

typedef struct error { double most, square, sum; } error;

static void add_error(error *e, float got, double want, double size) {
  double off = (got - want) / size * 0x1p24;
  if (fabs(off) > e->most) e->most = fabs(off);
  e->square += off * off;
  e->sum += off;
}

static void run(int input, int k, int guard) {
  static float a[MOST], b[MOST];
  static split x, y;
  error errors[WAYS] = {{0, 0, 0}};
  for (int s = 0; s < SAMPLES; s++) {
    double want = 0, size = 0;
    for (int i = 0; i < k; i++) {
      a[i] = inputs[input].a();
      b[i] = inputs[input].b();
      want += (double)a[i] * b[i];
      size += fabs((double)a[i] * b[i]);
    }
    if (size == 0) continue;
    make_split(&x, a, k);
    make_split(&y, b, k);
    add_error(&errors[FMA], dot_fma(a, b, k), want, size);
    add_error(&errors[TF32], dot_core(&x, &y, k, 1, 0, guard), want, size);
    add_error(&errors[PLAIN], dot_core(&x, &y, k, 3, 0, guard), want, size);
    add_error(&errors[BY_64], dot_core(&x, &y, k, 3, 64, guard), want, size);
    add_error(&errors[BY_32], dot_core(&x, &y, k, 3, 32, guard), want, size);
    add_error(&errors[BY_16], dot_core(&x, &y, k, 3, 16, guard), want, size);
  }
  printf("%-15s %5d %d ", inputs[input].name, k, guard);
  for (int w = 0; w < WAYS; w++)
    printf("| %8.3g %8.3g %9.3g ", errors[w].most, sqrt(errors[w].square / SAMPLES), errors[w].sum / SAMPLES);
  printf("\n");
}

int main(void) {
  static const int lengths[] = {64, 512, 3000, 7000};
  printf("errors in 2^-24 of the sum of |a b|: largest, root mean square, mean; %d dot products\n", SAMPLES);
  printf("%-23s", "input, k, guard bits");
  for (int w = 0; w < WAYS; w++) printf("| %-27s ", way_names[w]);
  printf("\n");
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    for (int guard = 0; guard <= 2; guard += 2)
      for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) run((int)i, lengths[k], guard);
  return 0;
}
