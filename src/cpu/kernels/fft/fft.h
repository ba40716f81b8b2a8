/* Inner loops of Fourier transforms (fft_kernel.h). fft_float32.c and fft_float64.c define REAL and include this
** file. A vector contains complex numbers as in memory: re, im, re, im, …. The complex numbers of a vector belong to
** different transforms, or to elements of one transform that have the same twiddle factors. Therefore a
** multiplication moves numbers only within each complex number (re and im).
**
** If a length is not a multiple of the vector's length, the last vector overlaps the vector before. */

#include "cpu/kernels/vector.h"

/* The steps of a transform are inlined into one function for each radix. With AddressSanitizer they are not inlined,
** because gcc 12 then compiles this file in 6 seconds instead of 160. */
#ifdef __SANITIZE_ADDRESS__
#define STEP static inline __attribute__((unused))
#else
#define STEP INLINE
#endif

enum { NUMBERS = LANES / 2 };      /* the number of complex numbers in a vector */

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef __typeof__((vector){0} < (vector){0}) places;
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

/* Lists of indices for SHUFFLE. Complex number u of the result is complex number F(u) of the source. M converts F(u) to
** the indices of re and im. */
#define PAIR(u) 2 * (u), 2 * (u) + 1
#define SWAPPED(u) 2 * (u) + 1, 2 * (u)
#define LIST_1(M, F) M(F(0))
#define LIST_2(M, F) M(F(0)), M(F(1))
#define LIST_4(M, F) LIST_2(M, F), M(F(2)), M(F(3))
#define LIST_8(M, F) LIST_4(M, F), M(F(4)), M(F(5)), M(F(6)), M(F(7))
#define SAME(u) (u)
#define BACKWARD(u) (NUMBERS - 1 - (u))
#define LOW(h, u) ((u) & (h) ? NUMBERS + (u) - (h) : (u))
#define HIGH(h, u) ((u) & (h) ? NUMBERS + (u) : (u) + (h))
#define LOW_OF_1(u) LOW(1, u)
#define LOW_OF_2(u) LOW(2, u)
#define LOW_OF_4(u) LOW(4, u)
#define HIGH_OF_1(u) HIGH(1, u)
#define HIGH_OF_2(u) HIGH(2, u)
#define HIGH_OF_4(u) HIGH(4, u)
#define LIST_PASTE(n) LIST_##n
#define LIST_OF(n) LIST_PASTE(n)

/* The size of a REAL as a number that the preprocessor can compare. */
#define IS_float 4
#define IS_double 8
#define SIZE_PASTE(real) IS_##real
#define SIZE_OF(real) SIZE_PASTE(real)
#if BYTES / SIZE_OF(REAL) == 16
#define LIST LIST_8
#elif BYTES / SIZE_OF(REAL) == 8
#define LIST LIST_4
#elif BYTES / SIZE_OF(REAL) == 4
#define LIST LIST_2
#else
#define LIST LIST_1
#endif

STEP vector swapped(vector v) { return SHUFFLE(v, v, LIST(SWAPPED, SAME)); }
STEP vector backward(vector v) { return SHUFFLE(v, v, LIST(PAIR, BACKWARD)); }

/* Returns a vector of re, im, re, im … */
STEP vector alternate(REAL re, REAL im) {
  vector v;
  for (int i = 0; i < LANES; i += 2) { v[i] = re; v[i + 1] = im; }
  return v;
}

/* Returns x * (re + i im). Because i x = swapped(x) * alternate(-1, 1), this is x * re + swapped(x) * (im *
** alternate(-1, 1)). The argument `i` is alternate(-1, 1), or alternate(1, -1) to multiply by the conjugate of the
** factor. */
STEP vector times(vector x, REAL re, REAL im, vector i) { return x * all(re) + swapped(x) * (all(im) * i); }

/* Returns the products of the complex numbers of x and of `turn`. `i` is alternate(-1, 1), or alternate(1, -1) to
** multiply by the conjugate of `turn`. */
STEP vector times_each(vector x, vector turn, vector i) {
#if BYTES / SIZE_OF(REAL) == 2
  vector re = {turn[0], turn[0]}, im = {turn[1], turn[1]};
#else
#define TWICE_RE(u) 2 * (u), 2 * (u)
#define TWICE_IM(u) 2 * (u) + 1, 2 * (u) + 1
  vector re = SHUFFLE(turn, turn, LIST(TWICE_RE, SAME)), im = SHUFFLE(turn, turn, LIST(TWICE_IM, SAME));
#endif
  return x * re + swapped(x) * (im * i);
}

/* ---- transforms of a few numbers in registers ----
** Each function replaces the numbers of array a by their transform. swapped(x) * r is the product of x and -i, or of x
** and i for an inverse transform. */

STEP void small_2(vector *a) {
  vector sum = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = sum;
}

STEP void small_3(vector *a, vector r) {
  const REAL s = (REAL)0.86602540378443864676;
  vector t = a[1] + a[2], u = swapped(a[1] - a[2]) * (r * s), h = a[0] - t * (REAL)0.5;
  a[0] = a[0] + t;
  a[1] = h + u;
  a[2] = h - u;
}

STEP void small_4(vector *a, vector r) {
  vector s0 = a[0] + a[2], d0 = a[0] - a[2], s1 = a[1] + a[3], d1 = swapped(a[1] - a[3]);
  a[0] = s0 + s1;
  a[1] = d0 + d1 * r;
  a[2] = s0 - s1;
  a[3] = d0 - d1 * r;
}

STEP void small_5(vector *a, vector r) {
  const REAL c1 = (REAL)0.30901699437494742410, c2 = (REAL)-0.80901699437494742410;
  const REAL s1 = (REAL)0.95105651629515357212, s2 = (REAL)0.58778525229247312917;
  vector t1 = a[1] + a[4], u1 = a[1] - a[4], t2 = a[2] + a[3], u2 = a[2] - a[3];
  vector h1 = a[0] + t1 * c1 + t2 * c2, h2 = a[0] + t1 * c2 + t2 * c1;
  vector v1 = swapped(u1 * s1 + u2 * s2), v2 = swapped(u1 * s2 - u2 * s1);
  a[0] = a[0] + t1 + t2;
  a[1] = h1 + v1 * r;
  a[2] = h2 + v2 * r;
  a[3] = h2 - v2 * r;
  a[4] = h1 - v1 * r;
}

STEP void small_8(vector *a, vector r) {
  const REAL c = (REAL)0.70710678118654752440;
  vector even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
  small_4(even, r);
  small_4(odd, r);
  vector t1 = odd[1] + swapped(odd[1]) * r, t2 = swapped(odd[2]), t3 = swapped(odd[3]) * r - odd[3];
  a[0] = even[0] + odd[0];
  a[4] = even[0] - odd[0];
  a[1] = even[1] + t1 * c;
  a[5] = even[1] - t1 * c;
  a[2] = even[2] + t2 * r;
  a[6] = even[2] - t2 * r;
  a[3] = even[3] + t3 * c;
  a[7] = even[3] - t3 * c;
}

/* exp(-2 pi i k / 16) for k = 0 … 9, as re, im */
static const REAL sixteenth[10][2] = {
  {1, 0}, {(REAL)0.92387953251128675613, (REAL)-0.38268343236508977173},
  {(REAL)0.70710678118654752440, (REAL)-0.70710678118654752440},
  {(REAL)0.38268343236508977173, (REAL)-0.92387953251128675613}, {0, -1},
  {(REAL)-0.38268343236508977173, (REAL)-0.92387953251128675613},
  {(REAL)-0.70710678118654752440, (REAL)-0.70710678118654752440},
  {(REAL)-0.92387953251128675613, (REAL)-0.38268343236508977173}, {-1, 0},
  {(REAL)-0.92387953251128675613, (REAL)0.38268343236508977173}};

STEP void small_16(vector *a, vector r) {
  vector b[4][4];
  #pragma GCC unroll 4
  for (int j = 0; j < 4; j++) {
    #pragma GCC unroll 4
    for (int k = 0; k < 4; k++) b[j][k] = a[j + 4 * k];
    small_4(b[j], r);
  }
  #pragma GCC unroll 4
  for (int k = 0; k < 4; k++) {
    vector c[4] = {b[0][k], b[1][k], b[2][k], b[3][k]};
    #pragma GCC unroll 4
    for (int j = 1; j < 4; j++)
      if (k > 0) c[j] = times(c[j], sixteenth[j * k][0], sixteenth[j * k][1], -r);
    small_4(c, r);
    #pragma GCC unroll 4
    for (int j = 0; j < 4; j++) a[k + 4 * j] = c[j];
  }
}

/* Transforms `radix` elements, where `radix` is odd. Elements j and radix - j are added and subtracted. Their sum is
** multiplied by cosines, and their difference by sines. `circle` has the roots exp(-2 pi i k / radix) as re, im. */
STEP void small_odd(const int radix, vector *a, const REAL *circle, vector r) {
  const int half = radix / 2;
  vector t[FFT_RADIX / 2], u[FFT_RADIX / 2], first = a[0];
  #pragma GCC unroll 8
  for (int j = 0; j < half; j++) {
    t[j] = a[1 + j] + a[radix - 1 - j];
    u[j] = swapped(a[1 + j] - a[radix - 1 - j]) * r;
    a[0] += t[j];
  }
  #pragma GCC unroll 8
  for (int k = 1; k <= half; k++) {
    vector even = first, odd = {0};
    int at = 0;
    #pragma GCC unroll 8
    for (int j = 0; j < half; j++) {
      at = at + k >= radix ? at + k - radix : at + k;
      even += t[j] * circle[2 * at];
      odd -= u[j] * circle[2 * at + 1];
    }
    a[k] = even + odd;
    a[radix - k] = even - odd;
  }
}

STEP void small_few(const int radix, vector *a, vector r) {
  if (radix == 2) small_2(a);
  else if (radix == 3) small_3(a, r);
  else if (radix == 4) small_4(a, r);
  else small_5(a, r);
}

/* Transforms p * q elements, where p and q have no common divisor (Good's prime-factor algorithm). No multiplication
** by twiddle factors is necessary between the transforms of p and of q elements. The reason is that, for j = q a + p
** b, the root of unity is a product of the roots of both transforms:
**      exp(-2 pi i j k / (p q)) = exp(-2 pi i a k / p) * exp(-2 pi i b k / q) */
STEP void small_product(const int p, const int q, vector *a, vector r) {
  vector b[4][5];
  #pragma GCC unroll 4
  for (int i = 0; i < p; i++) {
    #pragma GCC unroll 5
    for (int j = 0; j < q; j++) b[i][j] = a[(q * i + p * j) % (p * q)];
    small_few(q, b[i], r);
  }
  vector c[5][4];
  #pragma GCC unroll 5
  for (int j = 0; j < q; j++) {
    #pragma GCC unroll 4
    for (int i = 0; i < p; i++) c[j][i] = b[i][j];
    small_few(p, c[j], r);
  }
  #pragma GCC unroll 20
  for (int k = 0; k < p * q; k++) a[k] = c[k % q][k % p];
}

STEP void small(const int radix, vector *a, const REAL *circle, vector r) {
  if (radix >= 2 && radix <= 5) small_few(radix, a, r);
  else if (radix == 6) small_product(2, 3, a, r);
  else if (radix == 8) small_8(a, r);
  else if (radix == 10) small_product(2, 5, a, r);
  else if (radix == 12) small_product(4, 3, a, r);
  else if (radix == 15) small_product(3, 5, a, r);
  else if (radix == 20) small_product(4, 5, a, r);
  else if (radix == 16) small_16(a, r);
  else if (radix > 1) small_odd(radix, a, circle, r);
}

/* ---- passes ---- */

/* Transforms one vector of each of `radix` rows. `leg` is the stride of the rows of x, and `y_leg` that of the rows
** of y. `circle` has the roots of unity for `radix`. `turn` has the twiddle factors of rows 1, 2, …. If `turn` is
** NULL, the result is multiplied by scale. */
STEP void butterfly(const int radix, const REAL *x, int64_t leg, REAL *y, int64_t y_leg, const REAL *circle,
                      const REAL *turn, vector scale, vector r) {
  vector a[FFT_RADIX];
  #pragma GCC unroll 20
  for (int j = 0; j < radix; j++) a[j] = load(x + j * leg);
  small(radix, a, circle, r);
  if (turn) store(y, a[0]);
  #pragma GCC unroll 20
  for (int k = turn ? 1 : 0; k < radix; k++)
    store(y + k * y_leg, turn ? times(a[k], turn[2 * k - 2], turn[2 * k - 1], -r) : a[k] * scale);
}

STEP void run_pass(const int radix, const bool last, const fft_pass *p, const REAL *x, REAL *y) {
  const REAL *turns = p->turns, *circle = p->circle;
  vector r = p->inverse ? alternate(-1, 1) : alternate(1, -1), scale = all((REAL)p->scale);
  int64_t lanes = 2 * p->lanes, leg = 2 * p->l * p->m * p->x_step, y_leg = 2 * p->l * p->y_step;
  for (int64_t i = 0; i < (last ? 1 : p->m); i++)
    for (int64_t t = 0; t < p->l; t++) {
      const REAL *from = x + 2 * (t + p->l * i) * p->x_step, *turn = last ? NULL : turns + 2 * i * (radix - 1);
      REAL *to = y + 2 * (t + p->l * i * radix) * p->y_step;
      for (int64_t q = 0; q <= lanes - LANES; q += LANES)
        butterfly(radix, from + q, leg, to + q, y_leg, circle, turn, scale, r);
      if (lanes % LANES)
        butterfly(radix, from + lanes - LANES, leg, to + lanes - LANES, y_leg, circle, turn, scale, r);
    }
}

#define PASS(radix)                                                          \
  static void pass_##radix(const fft_pass *p, const void *x, void *y) {      \
    if (p->m == 1) run_pass(radix, true, p, x, y);                           \
    else run_pass(radix, false, p, x, y);                                    \
  }
PASS(1) PASS(2) PASS(3) PASS(4) PASS(5) PASS(6) PASS(7) PASS(8) PASS(10)
PASS(11) PASS(12) PASS(13) PASS(15) PASS(16) PASS(20)

static void pass_odd(const fft_pass *p, const void *x, void *y) {
  if (p->m == 1) run_pass(p->radix, true, p, x, y);
  else run_pass(p->radix, false, p, x, y);
}

/* ---- transposing ---- */

/* Transposes a square of NUMBERS rows in registers. Each round swaps squares of h × h across the diagonal. */
STEP void transpose(vector *a) {
#define ROUND(h)                                                             \
  _Pragma("GCC unroll 8")                                                    \
  for (int k = 0; k < NUMBERS / 2; k++) {                                    \
    const int i = k / h * 2 * h + k % h;      /* i & h is 0 */               \
    vector low = SHUFFLE(a[i], a[i + h], LIST(PAIR, LOW_OF_##h));            \
    a[i + h] = SHUFFLE(a[i], a[i + h], LIST(PAIR, HIGH_OF_##h));             \
    a[i] = low;                                                              \
  }
#if BYTES / SIZE_OF(REAL) >= 4
  ROUND(1)
#endif
#if BYTES / SIZE_OF(REAL) >= 8
  ROUND(2)
#endif
#if BYTES / SIZE_OF(REAL) >= 16
  ROUND(4)
#endif
  (void)a;
}

/* Transposes the square of x that begins at `row` and `column` into y, and prefetches the memory of the next rows. If `turned` is true, the elements are first
** multiplied by t->turns, and if `more` is true, also by t->factors. `i` is the argument of `times`. */
STEP void turn_square(const bool turned, const bool more, const fft_turn *t, int64_t row, int64_t column,
                        const REAL *x, REAL *y, vector i) {
  const REAL *turns = t->turns, *factors = t->factors;
  vector a[NUMBERS];
  #pragma GCC unroll 8
  for (int k = 0; k < NUMBERS; k++) {
    const REAL *from = x + 2 * ((row + k) * t->x_row + column);
    if (t->row_by_row) __builtin_prefetch(from + 2 * NUMBERS * t->x_row);
    else __builtin_prefetch(y + 2 * ((column + k + NUMBERS) * t->y_row + row), 1);
    a[k] = load(from);
    if (turned) a[k] = times_each(a[k], load(turns + 2 * ((row + k) * t->turns_row + column)), i);
    if (more) a[k] = times(a[k], factors[2 * (row + k)], factors[2 * (row + k) + 1], i);
  }
  transpose(a);
  #pragma GCC unroll 8
  for (int k = 0; k < NUMBERS; k++) store(y + 2 * ((column + k) * t->y_row + row), a[k]);
}

STEP void turn_all(const bool turned, const bool more, const fft_turn *t, const REAL *x, REAL *y) {
  vector i = t->inverse ? alternate(1, -1) : alternate(-1, 1);
  int64_t last_row = t->rows - NUMBERS, last_column = t->columns - NUMBERS;
  if (t->row_by_row)
    for (int64_t r = 0; r < t->rows; r += NUMBERS)
      for (int64_t c = 0; c < t->columns; c += NUMBERS)
        turn_square(turned, more, t, r > last_row ? last_row : r, c > last_column ? last_column : c, x, y, i);
  else
    for (int64_t c = 0; c < t->columns; c += NUMBERS)
      for (int64_t r = 0; r < t->rows; r += NUMBERS)
        turn_square(turned, more, t, r > last_row ? last_row : r, c > last_column ? last_column : c, x, y, i);
}

/* Like turn_all without factors, for fewer rows or columns than NUMBERS. Reads and writes whole vectors, and overwrites the
** superfluous numbers of a row of y by the next row. */
STEP void turn_few(const fft_turn *t, const REAL *x, REAL *y) {
  int rows = t->rows < NUMBERS ? (int)t->rows : NUMBERS, columns = t->columns < NUMBERS ? (int)t->columns : NUMBERS;
  int64_t last_row = t->rows - rows, last_column = t->columns - columns;
  for (int64_t c = 0; c < t->columns; c += columns)
    for (int64_t r = 0; r < t->rows; r += rows) {
      int64_t row = r > last_row ? last_row : r, column = c > last_column ? last_column : c;
      vector a[NUMBERS];
      #pragma GCC unroll 8
      for (int k = 0; k < NUMBERS; k++) a[k] = k < rows ? load(x + 2 * ((row + k) * t->x_row + column)) : (vector){0};
      transpose(a);
      #pragma GCC unroll 8
      for (int k = 0; k < NUMBERS; k++)
        if (k < columns) store(y + 2 * ((column + k) * t->y_row + row), a[k]);
    }
}

static void turn(const fft_turn *t, const void *x, void *y) {
  if (t->rows < NUMBERS || t->columns < NUMBERS) turn_few(t, x, y);
  else if (t->turns && t->factors) turn_all(true, true, t, x, y);
  else if (t->turns) turn_all(true, false, t, x, y);
  else turn_all(false, false, t, x, y);
}

/* ---- real lines, which are transformed as complex lines of half the length ---- */

/* Computes the outputs k and h - k of fft_join for a vector of k. If `upward` is true, the complex numbers of a
** vector belong to successive k, so that the vector for h - k is reversed. */
STEP void join_pair(const bool upward, const REAL *x, const REAL *x_end, REAL *y, REAL *y_end, vector turn,
                      vector i) {
  const vector conj = alternate(1, -1);
  vector a = load(x), b = load(x_end);
  b = (upward ? backward(b) : b) * conj;
  vector s = a + b, t = times_each(a - b, turn, i), e = (s - t) * conj;
  store(y, s + t);
  store(y_end, upward ? backward(e) : e);
}

/* Computes the outputs k and h - k of fft_join for one k, without vectors. `sign` is -1 to use the conjugate of turn,
** otherwise 1. */
STEP void join_one(const REAL *x, const REAL *x_end, REAL *y, REAL *y_end, const REAL *turn, REAL sign) {
  REAL sr = x[0] + x_end[0], si = x[1] - x_end[1], dr = x[0] - x_end[0], di = x[1] + x_end[1];
  REAL tr = dr * turn[0] - di * (sign * turn[1]), ti = dr * (sign * turn[1]) + di * turn[0];
  y[0] = sr + tr;
  y[1] = si + ti;
  y_end[0] = sr - tr;
  y_end[1] = ti - si;
}

/* Computes the outputs of fft_join for k = 0. Elements 0 and h of the half transform of a real line are real. If
** j->back is false, these elements are outputs; otherwise they are inputs, and output 0 is made from both. */
STEP void join_ends(const fft_join *j, const REAL *x, REAL *y) {
  const REAL *x_end = x + 2 * j->h * j->x_step;
  REAL *y_end = y + 2 * j->h * j->y_step;
  for (int64_t q = 0; q < 2 * j->lanes; q += 2) {
    REAL first = x[q], last = j->back ? x_end[q] : x[q + 1];
    REAL sum = first + last, difference = first - last;
    y[q] = j->back ? sum : 2 * sum;
    y[q + 1] = j->back ? difference : 0;
    if (j->back) continue;
    y_end[q] = 2 * difference;
    y_end[q + 1] = 0;
  }
}

static void join_line(const fft_join *j, const REAL *x, REAL *y) {
  const REAL *turns = j->turns;
  const REAL sign = j->back ? -1 : 1;
  const vector i = alternate(-sign, sign);
  int64_t k = 1, end = j->h - 1;
  for (; k + NUMBERS <= end - NUMBERS + 1; k += NUMBERS, end -= NUMBERS)
    join_pair(true, x + 2 * k, x + 2 * (end - NUMBERS + 1), y + 2 * k, y + 2 * (end - NUMBERS + 1), load(turns + 2 * k), i);
  for (; k <= end; k++, end--) join_one(x + 2 * k, x + 2 * end, y + 2 * k, y + 2 * end, turns + 2 * k, sign);
}

static void join_rows(const fft_join *j, const REAL *x, REAL *y) {
  const REAL *turns = j->turns;
  const REAL sign = j->back ? -1 : 1;
  const vector i = alternate(-sign, sign);
  int64_t lanes = 2 * j->lanes;
  for (int64_t k = 1; k <= j->h / 2; k++) {
    const REAL *a = x + 2 * k * j->x_step, *b = x + 2 * (j->h - k) * j->x_step;
    REAL *c = y + 2 * k * j->y_step, *d = y + 2 * (j->h - k) * j->y_step;
    vector turn = alternate(turns[2 * k], turns[2 * k + 1]);
    for (int64_t at = 0; at < lanes; at += LANES) {
      int64_t q = at > lanes - LANES ? lanes - LANES : at;
      join_pair(false, a + q, b + q, c + q, d + q, turn, i);
    }
  }
}

static void join(const fft_join *j, const void *x, void *y) {
  join_ends(j, x, y);
  if (j->lanes == 1 && j->x_step == 1 && j->y_step == 1) join_line(j, x, y);
  else join_rows(j, x, y);
}

static void mirror(int64_t n, int64_t lanes, void *x) {
  REAL *X = x;
  for (int64_t q = 0; q < lanes; q++) X[2 * q + 1] = 0;
  for (int64_t k = 1; k <= (n - 1) / 2; k++)
    for (int64_t q = 0; q < lanes; q++) {
      X[2 * ((n - k) * lanes + q)] = X[2 * (k * lanes + q)];
      X[2 * ((n - k) * lanes + q) + 1] = -X[2 * (k * lanes + q) + 1];
    }
}

/* ---- products ---- */

static void multiply(const fft_multiply *f, const void *x, void *y) {
  const REAL *X = x, *turns = f->turns;
  REAL *Y = y;
  const REAL re = (REAL)f->scale, im = f->conjugate_out ? -re : re, sign = f->conjugate_in ? -1 : 1;
  const vector in = alternate(1, sign), out = alternate(re, im), i = alternate(-1, 1);
  int64_t k = 0, end = 2 * f->n;
  for (; k + LANES <= end; k += LANES) store(Y + k, times_each(load(X + k) * in, load(turns + k), i) * out);
  for (; k < end; k += 2) {
    REAL a = X[k], b = X[k + 1] * sign, c = turns[k], d = turns[k + 1];
    Y[k] = (a * c - b * d) * re;
    Y[k + 1] = (a * d + b * c) * im;
  }
}

const fft_table ISA_NAME(TABLE) = {
  .lanes = NUMBERS,
  .pass = {
    [1] = pass_1, [2] = pass_2, [3] = pass_3, [4] = pass_4, [5] = pass_5, [6] = pass_6, [7] = pass_7, [8] = pass_8,
    [10] = pass_10, [11] = pass_11, [12] = pass_12, [13] = pass_13, [15] = pass_15, [16] = pass_16, [20] = pass_20,
    [17] = pass_odd, [19] = pass_odd, [23] = pass_odd, [29] = pass_odd, [31] = pass_odd, [37] = pass_odd,
    [41] = pass_odd, [43] = pass_odd, [47] = pass_odd, [53] = pass_odd, [59] = pass_odd, [61] = pass_odd},
  .turn = turn, .join = join, .multiply = multiply, .mirror = mirror
};
