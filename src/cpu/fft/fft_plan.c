/* Makes plans of Fourier transforms, and keeps the most recently used plans in a cache. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "cpu/fft/fft.h"

enum {
  CHAINED    = 2048,            /* the longest lines with a large prime factor that are transformed side by side. The
                                ** buffers for primes of this size fill L2 */
  KEPT       = 32,              /* the most plans in the cache */
  WHOLE      = 1 << 16,         /* the most elements of a line that is transformed as one block of columns and one
                                ** block of rows; up to this length, all buffers of a line stay in L2 */
  BLOCK      = 128              /* the size in bytes of a row of a block: two cache lines, which are fetched
                                ** together */
};
static const size_t KEPT_BYTES = (size_t)64 << 20;

/* ---- roots of unity ---- */

/* Sets out to exp(-2 pi i j / n), for 0 <= j < n. The angle is reduced to an octant in integers: j / n = quarter / 4
** + rest / (4 n). The rounding error of the reduced angle is corrected. */
static void root(int64_t j, int64_t n, double out[2]) {
  static const double TAU = 0x1.921fb54442d18p+2, TAU_REST = 0x1.1a62633145c07p-52;
  int64_t quarter = (8 * j + n) / (2 * n), rest = 4 * j - quarter * n;
  double q = 4.0 * (double)n, x = (double)rest / q, error = fma(-x, q, (double)rest) / q;
  double angle = x * TAU, more = fma(x, TAU, -angle) + x * TAU_REST + error * TAU;
  double s = sin(angle), c = cos(angle), cosine = c - more * s, sine = s + more * c;
  switch (quarter & 3) {
    case 0: out[0] = cosine;  out[1] = -sine;   break;
    case 1: out[0] = -sine;   out[1] = -cosine; break;
    case 2: out[0] = -cosine; out[1] = sine;    break;
    default: out[0] = sine;   out[1] = cosine;
  }
}

static void put(enum dtype real, void *table, int64_t at, const double z[2]) {
  if (real == DT_float64) { ((double *)table)[2 * at] = z[0]; ((double *)table)[2 * at + 1] = z[1]; }
  else { ((float *)table)[2 * at] = (float)z[0]; ((float *)table)[2 * at + 1] = (float)z[1]; }
}

static void put_root(enum dtype real, void *table, int64_t at, int64_t j, int64_t n) {
  double z[2];
  root(j, n, z);
  put(real, table, at, z);
}

/* Allocates `count` complex numbers, which the plan owns, and one vector more, because kernels may read beyond the
** end. */
static void *own(fft_plan *p, enum dtype real, int64_t count) {
  size_t bytes = ((size_t)count + FFT_LANES) * 2 * (size_t)dtype_size(real);
  void *m = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (m) p->own[p->owned++] = m;
  p->bytes += m ? bytes : 0;
  return m;
}

/* ---- factoring lengths ---- */

/* The measured time of a pass per element, relative to radix 2. The table has no radix with a prime factor above
** 5: take_apart makes one pass for each such factor. */
static const struct { int radix; float cost; } radices[] = {
  {20, 1.9f}, {16, 1.7f}, {15, 1.9f}, {12, 1.5f}, {10, 1.5f}, {8, 1.25f}, {6, 1.25f}, {5, 1.3f}, {4, 1.05f}, {3, 1.1f},
  {2, 1}};

typedef struct radix_list { int count, radix[FFT_PASSES]; } radix_list;

/* Adds the cheapest passes for n = 2^a 3^b 5^c to *list and returns their cost. The function only tries the radices
** from entry `first` of the table on. */
static float cheapest(int64_t n, size_t first, radix_list *list) {
  if (n == 1) return 0;
  float best = INFINITY;
  radix_list found = *list;
  for (size_t k = first; k < sizeof radices / sizeof *radices; k++) {
    if (n % radices[k].radix) continue;
    radix_list tried = *list;
    tried.radix[tried.count++] = radices[k].radix;
    float cost = radices[k].cost + cheapest(n / radices[k].radix, k, &tried);
    if (cost >= best) continue;
    best = cost;
    found = tried;
  }
  *list = found;
  return best;
}

bool fft_smooth(int64_t n) {
  for (int p = 2; p <= FFT_RADIX; p++)
    while (n % p == 0) n /= p;
  return n == 1;
}

/* Returns the greatest prime factor of n. */
static int64_t greatest_prime(int64_t n) {
  int64_t greatest = 1;
  for (int64_t p = 2; p * p <= n; p++)
    for (; n % p == 0; n /= p) greatest = p;
  return n > 1 ? n : greatest;
}

/* Lists the passes of a chain for n, of which fft_chains is true, and returns their cost. The cost is infinite if n has a
** prime factor above FFT_RADIX. */
static float take_apart(int64_t n, radix_list *list) {
  float cost = 0;
  list->count = 0;
  while (!fft_smooth(n)) {
    int64_t p = greatest_prime(n);
    list->radix[list->count++] = (int)p;
    cost = INFINITY;
    n /= p;
  }
  for (int p = 7; p <= FFT_RADIX; p += 2)
    for (; n % p == 0; n /= p) {                 /* 9, 15 and other multiples of 3 and 5 are left to `cheapest` */
      if (p % 3 == 0 || p % 5 == 0) break;
      list->radix[list->count++] = p;
      cost += 0.5f + 0.2f * (float)p;
    }
  int64_t rest = n;
  for (int p = 2; p <= 5; p++)
    while (rest % p == 0) rest /= p;
  return rest == 1 ? cost + cheapest(n, 0, list) : INFINITY;
}

bool fft_chains(int64_t n) {
  if (n > CHAINED) return false;
  for (int64_t p; !fft_smooth(n); n /= p) {
    p = greatest_prime(n);
    if (!fft_smooth(p - 1)) return false;
  }
  return true;
}

/* Returns the factor by which n grows when it is rounded up to a multiple of `lanes` (the numbers in a vector). */
static float waste(int64_t n, int64_t lanes) { return (float)((n + lanes - 1) / lanes * lanes) / (float)n; }

/* Returns the cost of a line that is split into n1 * n2 elements: passes over the columns, a multiplication by turns
** (twiddle factors), and passes over the rows. */
static float split_cost(int64_t n1, int64_t n2, int64_t lanes) {
  radix_list list;
  float one = waste(n1, lanes), two = waste(n2, lanes);
  return take_apart(n1, &list) * two + one * two + take_apart(n2, &list) * one;
}

/* Returns the n1 of the cheapest split of n into n1 * n2 with both factors at least `lanes`, or 0 if there is no
** split. For n above WHOLE, n2 is at least a quarter of the square root of n if possible, so that blocks fit into
** caches. */
static int64_t middle(int64_t n, int64_t lanes) {
  int64_t best = 0, root = (int64_t)sqrt((double)n) + 1;
  float best_cost = INFINITY;
  for (int64_t d = root; d >= lanes; d--) {
    if (n % d != 0 || n / d < lanes) continue;
    if (best && n > WHOLE && d < root / 4) break;
    float cost = split_cost(n / d, d, lanes);
    if (cost >= best_cost * 0.999f) continue;
    best_cost = cost;
    best = n / d;
  }
  return best;
}

bool fft_splits(int64_t n, int lanes) {
  if (!fft_smooth(n)) return false;
  for (int64_t d = (int64_t)sqrt((double)n) + 1; d >= lanes; d--)
    if (n % d == 0 && n / d >= lanes) return true;
  return false;
}

/* Returns the smallest number from `least` on that is a multiple of 64 and has only the prime factors 2, 3 and 5. */
static int64_t good_length(int64_t least) {
  int64_t best = 64;
  while (best < least) best *= 2;
  for (int64_t five = 64; five < best; five *= 5)
    for (int64_t three = five; three < best; three *= 3) {
      int64_t m = three;
      while (m < least) m *= 2;
      if (m < best) best = m;
    }
  return best;
}

static void free_plan(fft_plan *p) {
  if (!p) return;
  free_plan(p->inner);
  for (int k = 0; k < p->owned; k++) free(p->own[k]);
  free(p);
}

static bool make_chain(fft_plan *p, fft_chain *c, int64_t n);
static fft_plan *make_plan(int64_t n, enum dtype real, enum fft_way way, bool halves);

/* Sets order[q] to the power q of a primitive root of p, for q < p - 1. */
static void put_order(int p, int *order) {
  for (int g = 2, count = 0; count < p - 1; g++) {
    int64_t power = 1;
    count = 0;
    do {
      order[count++] = (int)power;
      power = power * g % p;
    } while (power != 1);
  }
}

/* Puts a number to all `lanes` places of row k of a table. */
static void put_row(enum dtype real, int lanes, void *table, int64_t k, const double z[2]) {
  for (int l = 0; l < lanes; l++) put(real, table, k * lanes + l, z);
}

/* Computes the table `spectrum`. The transform is computed in float64 for every dtype, with the same numbers in all
** lanes. */
static bool put_prime_spectrum(const fft_prime *f, enum dtype real, char *spectrum) {
  int64_t n = f->radix - 1;
  fft_plan *exact = make_plan(n, DT_float64, FFT_TOGETHER, false);
  fft_run run = {.kernels = fft_kernels(DT_float64), .lanes = fft_kernels(DT_float64)->lanes, .scale = 1.0 / (double)n};
  size_t size = (size_t)(n * run.lanes);
  double *x = malloc(size * 8 * sizeof(double));
  bool done = exact && x;
  for (int64_t q = 0; q < n && done; q++) {
    double z[2];
    root(f->order[q ? n - q : 0], f->radix, z);
    put_row(DT_float64, (int)run.lanes, x, q, z);
  }
  if (done) fft_run_chain(&exact->first, &run, x, run.lanes, x + 2 * size, run.lanes, x + 4 * size, x + 6 * size);
  for (int64_t q = 0; q < n && done; q++) put_row(real, f->lanes, spectrum, q, x + 2 * size + 2 * q * run.lanes);
  free(x);
  free_plan(exact);
  return done;
}

/* Makes the tables of a pass with a large prime radix, for m transforms. */
static const fft_prime *make_prime(fft_plan *p, int radix, int64_t m) {
  int lanes = fft_kernels(p->real)->lanes;
  fft_prime *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  p->own[p->owned++] = f;
  *f = (fft_prime){.radix = radix, .lanes = lanes, .row = (size_t)(2 * lanes * dtype_size(p->real))};
  int *order = own(p, DT_float32, radix);
  char *spectrum = own(p, p->real, (int64_t)radix * lanes), *turns = m > 1 ? own(p, p->real, m * radix * lanes) : NULL;
  if (!order || !spectrum || (m > 1 && !turns) || !make_chain(p, &f->inner, radix - 1)) return NULL;
  put_order(radix, order);
  f->order = order;
  for (int64_t i = 0; i < m && turns; i++)
    for (int64_t k = 0; k < radix; k++) {
      double z[2];
      root(i * k, radix * m, z);
      put_row(p->real, lanes, turns, i * radix + k, z);
    }
  f->spectrum = spectrum;
  f->turns = turns;
  return put_prime_spectrum(f, p->real, spectrum) ? f : NULL;
}

static bool make_chain(fft_plan *p, fft_chain *c, int64_t n) {
  int64_t m = n;
  radix_list list;
  take_apart(n, &list);
  if (n == 1) list.radix[list.count++] = 1;
  c->n = n;
  for (int j = 0; j < list.count; j++) {
    int radix = list.radix[j];
    m /= radix;
    if (radix > FFT_RADIX) {
      c->radix[c->count] = radix;
      c->prime[c->count++] = make_prime(p, radix, m);
      if (!c->prime[c->count - 1]) return false;
      continue;
    }
    char *turns = own(p, p->real, m * (radix - 1)), *circle = own(p, p->real, radix);
    if (!turns || !circle) return false;
    for (int64_t i = 0; i < m; i++)
      for (int k = 1; k < radix; k++) put_root(p->real, turns, i * (radix - 1) + k - 1, i * k, radix * m);
    for (int k = 0; k < radix; k++) put_root(p->real, circle, k, k, radix);
    c->radix[c->count] = radix;
    c->circle[c->count] = circle;
    c->turns[c->count++] = turns;
  }
  return true;
}

/* ---- plans of the ways FFT_SPLIT and FFT_CONVOLUTION, and plans for real lines ---- */

static bool make_split(fft_plan *p, int lanes) {
  int64_t n = p->n, n1 = middle(n, lanes), n2 = n / n1, block = BLOCK / 2 / dtype_size(p->real);
  if (block < lanes) block = lanes;
  p->columns = n <= WHOLE || n2 < block ? n2 : block;
  p->rows = n <= WHOLE || n1 < block ? n1 : block;
  p->width = p->columns + n2 % p->columns;
  char *turns = own(p, p->real, n1 * p->width);
  if (!turns || !make_chain(p, &p->first, n1) || !make_chain(p, &p->second, n2)) return false;
  for (int64_t k = 0; k < n1 && !(k > 0 && cancel_due()); k++)
    for (int64_t j = 0; j < p->width; j++) put_root(p->real, turns, k * p->width + j, k * j, n);
  p->turns = turns;
  if (p->width == n2) return true;
  while ((int64_t)1 << (2 * p->shift) < n) p->shift++;
  int64_t low = (int64_t)1 << p->shift, high = (n >> p->shift) + 1;
  double *l = own(p, DT_float64, low), *h = own(p, DT_float64, high);
  if (!l || !h) return false;
  for (int64_t k = 0; k < low; k++) root(k, n, l + 2 * k);
  for (int64_t k = 0; k < high && k << p->shift < n; k++) root(k << p->shift, n, h + 2 * k);
  p->low = l;
  p->high = h;
  return true;
}

/* Computes p->spectrum: the conjugated chirp of Bluestein's algorithm is divided by the length m of p->inner, extended
** symmetrically to negative indices (index -j is m - j), and transformed. The transform is computed in float64 for
** every dtype. */
static bool put_spectrum(fft_plan *p, const double *chirp, char *spectrum) {
  int64_t n = p->n, m = p->inner->n;
  fft_plan *exact = p->real == DT_float64 ? p->inner : make_plan(m, DT_float64, FFT_SPLIT, false);
  double *around = calloc((size_t)m, 2 * sizeof(double)), *result = malloc((size_t)m * 2 * sizeof(double));
  bool done = exact && around && result;
  for (int64_t j = 0, end; done && (end = cancel_stretch(j, n)) > j;)
    for (; j < end; j++)
      for (int64_t k = j; ; k = m - j) {
        around[2 * k] = chirp[2 * j] / (double)m;
        around[2 * k + 1] = -chirp[2 * j + 1] / (double)m;
        if (j == 0 || k != j) break;
      }
  done = done && fft_run_line(exact, false, 1, around, result) == OK;
  for (int64_t k = 0, end; done && (end = cancel_stretch(k, m)) > k;)
    for (; k < end; k++) put(p->real, spectrum, k, result + 2 * k);
  free(around);
  free(result);
  if (exact != p->inner) free_plan(exact);
  return done;
}

static bool make_convolution(fft_plan *p) {
  int64_t n = p->n, m = good_length(2 * n - 1);
  p->inner = make_plan(m, p->real, FFT_SPLIT, false);
  char *chirp = own(p, p->real, n), *spectrum = own(p, p->real, m);
  double *exact = malloc((size_t)n * 2 * sizeof(double));
  bool done = p->inner && chirp && spectrum && exact;
  for (int64_t j = 0, square = 0, end; done && (end = cancel_stretch(j, n)) > j;)       /* square is j * j modulo 2
                                                                                        ** n */
    for (; j < end; j++) {
      root(square, 2 * n, exact + 2 * j);
      put(p->real, chirp, j, exact + 2 * j);
      square = (square + 2 * j + 1) % (2 * n);
    }
  done = done && put_spectrum(p, exact, spectrum);
  free(exact);
  if (p->inner) p->bytes += p->inner->bytes;
  p->chirp = chirp;
  p->spectrum = spectrum;
  return done;
}

static bool make_join(fft_plan *p) {
  int64_t h = p->n;
  char *join = own(p, p->real, h / 2 + 1);
  if (!join) return false;
  for (int64_t k = 0, end; (end = cancel_stretch(k, h / 2 + 1)) > k;)
    for (; k < end; k++) {
      double z[2], turned[2];
      root(k, 2 * h, z);
      turned[0] = z[1];
      turned[1] = -z[0];
      put(p->real, join, k, turned);
    }
  p->join = join;
  return true;
}

static fft_plan *make_plan(int64_t n, enum dtype real, enum fft_way way, bool halves) {
  fft_plan *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->n = n;
  p->real = real;
  p->way = way;
  p->bytes = sizeof *p;
  bool made = way == FFT_TOGETHER ? make_chain(p, &p->first, n)
            : way == FFT_SPLIT ? make_split(p, fft_kernels(real)->lanes) : make_convolution(p);
  /* an unfinished plan of a cancelled operation must not enter the cache */
  if (made && (!halves || make_join(p)) && !this_operation.stopped) return p;
  free_plan(p);
  return NULL;
}

/* ---- the cache ----
** The cache is a list of all plans. LOCK_FFT_PLANS guards the list. */

static fft_plan *plans;
static size_t kept_bytes;
static uint64_t now;

static fft_plan *find(int64_t n, enum dtype real, enum fft_way way, bool halves) {
  for (fft_plan *p = plans; p; p = p->next)
    if (p->n == n && p->real == real && p->way == way && (p->join || !halves)) return p;
  return NULL;
}

/* Frees plans without users, the least recently used first, until the cache has at most `most` plans and `bytes`
** bytes. */
static void trim(int most, size_t bytes) {
  for (;;) {
    int count = 0;
    fft_plan **oldest = NULL;
    for (fft_plan **p = &plans; *p; p = &(*p)->next, count++)
      if ((*p)->users == 0 && (!oldest || (*p)->used < (*oldest)->used)) oldest = p;
    if (!oldest || (count <= most && kept_bytes <= bytes)) return;
    fft_plan *gone = *oldest;
    *oldest = gone->next;
    kept_bytes -= gone->bytes;
    free_plan(gone);
  }
}

/* Finds a plan in the list and counts one more user. If the list has no such plan, adds `made`, or returns NULL if
** `made` is NULL. */
static fft_plan *use(int64_t n, enum dtype real, enum fft_way way, bool halves, fft_plan *made) {
  lock_take(LOCK_FFT_PLANS);
  fft_plan *p = find(n, real, way, halves);
  if (!p && made) {
    p = made;
    p->next = plans;
    plans = p;
    kept_bytes += p->bytes;
  }
  if (p) {
    p->users++;
    p->used = ++now;
  }
  lock_release(LOCK_FFT_PLANS);
  return p;
}

/* A plan is made without holding the lock, because a Lua hook may run meanwhile and call cpu_fft_kept, which takes
** the lock. */
int fft_plan_take(int64_t n, enum dtype real, enum fft_way way, bool halves, const fft_plan **plan) {
  fft_plan *p = use(n, real, way, halves, NULL);
  if (!p) {
    fft_plan *made = make_plan(n, real, way, halves);
    if (made) p = use(n, real, way, halves, made);
    if (made && made != p) free_plan(made);
  }
  *plan = p;
  return p ? OK : ERR_MEMORY;
}

void fft_plan_return(const fft_plan *plan) {
  fft_plan *p = (fft_plan *)(uintptr_t)plan;
  lock_take(LOCK_FFT_PLANS);
  p->users--;
  trim(KEPT, KEPT_BYTES);
  lock_release(LOCK_FFT_PLANS);
}

size_t cpu_fft_kept(void) {
  lock_take(LOCK_FFT_PLANS);
  size_t bytes = kept_bytes;
  lock_release(LOCK_FFT_PLANS);
  return bytes;
}

void cpu_fft_forget(void) {
  lock_take(LOCK_FFT_PLANS);
  trim(0, 0);
  lock_release(LOCK_FFT_PLANS);
}
