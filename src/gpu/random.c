/* Random fills and permutations. One kernel draws the numbers and stores them (kernels/random.cuh). A permutation is
** made by sorting positions by random keys. */

#include "base/random.h"

#include <math.h>
#include <stdio.h>

#include "gpu/sort.h"

enum { THREADS = 256 };

/* The parameters of the kernel in random.cuh, which has the same struct. Float fills set the member of `number` for
** the drawn dtype; integer fills do not use `number`. */
typedef struct random_args {
  uint32_t key[PHILOX_ROUNDS][2];
  uint64_t offset;
  const uint64_t *cell;
  void    *out;
  int64_t  count, low;
  uint64_t range;
  int64_t  shift;
  union {
    float  f[4];
    double d[4];
  } number;
} random_args;

static enum dtype draw_dtype(const random_call *c) {
  return c->op == RANDOM_integers ? DT_int64 : dtype_compute(c->out.dtype);
}

static void fill_args(random_args *a, const random_call *c, enum dtype drawn) {
  uint32_t k0 = (uint32_t)c->seed, k1 = (uint32_t)(c->seed >> 32);
  for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
    a->key[round][0] = k0;
    a->key[round][1] = k1;
  }
  a->offset = c->offset;
  a->cell = c->cell;
  a->out = c->out.data;
  a->count = c->count;
  a->low = c->low;
  a->range = c->range;
  bool uniform = c->op == RANDOM_uniform;
  double b = uniform ? c->b - c->a : c->b;
  if (drawn == DT_float64) {
    a->shift = 11;
    double numbers[] = {c->a, b, c->most, 0x1p-53};
    for (int i = 0; i < 4; i++) a->number.d[i] = numbers[i];
  } else {
    a->shift = 32 - c->bits;
    float numbers[] = {(float)c->a, (float)b, (float)c->most, uniform ? ldexpf((float)b, -c->bits) : 0};
    for (int i = 0; i < 4; i++) a->number.f[i] = numbers[i];
  }
}

static int get_kernel(gpu *g, const random_call *c, enum dtype drawn, const gpu_kernel **k) {
  static const char *const names[] = {"uniform", "normal", "integers"};
  uint64_t key = GPU_KEY(GPU_random, c->op, c->out.dtype, 0, 0, 0, c->cell != NULL);
  *k = gpu_find(g, key);
  if (*k) return OK;
  const char *stored = dtypes[c->out.dtype].name;
  gpu_source source = {.file = "random.cuh", .entry = "draw"};
  gpu_define(&source, "RANDOM_%s", names[c->op]);
  gpu_define(&source, "STORE=%s", stored);
  gpu_define(&source, "DRAW=%s", dtypes[drawn].name);
  if (c->cell) gpu_define(&source, "RANDOM_CELL");
  snprintf(source.name, sizeof source.name, "random %s %s", names[c->op], stored);
  return gpu_build(g, key, &source, k);
}

static int draw(gpu *g, const random_call *c) {
  enum dtype drawn = draw_dtype(c);
  const gpu_kernel *k;
  random_args a;
  int st = get_kernel(g, c, drawn, &k);
  if (st != OK) return st;
  fill_args(&a, c, drawn);
  int span = dtype_size(c->out.dtype) >= 2 ? 16 / dtype_size(c->out.dtype) : 8;     /* counters of a thread; the
                                                                                    ** kernel computes the same
                                                                                    ** number */
  int64_t counters = (int64_t)random_counters((uint64_t)c->count, dtype_size(drawn) == 8);
  int64_t blocks = (counters / span + THREADS - 1) / THREADS;
  gpu_writes(g, c->out.data);
  return gpu_launch(g, k, (unsigned)blocks, THREADS, 0, (void *[]){&a});
}

/* ---- permutations ---- */

/* Returns the number of leading bits by which random keys are sorted. Up to the maximum of 64, the result is at least 8
** more than the number of bits of n, so nearly all of n keys differ in these bits. If neighbours have equal leading
** bits, the kernel `permute` orders them by their other bits. */
static int telling_bits(int64_t n) {
  int bits = 16;
  while (bits < 64 && n >> (bits - 8) != 0) bits += 8;
  return bits;
}

static int sort_keys(gpu *g, const random_call *c, gpu_pairs *s) {
  random_call keys = *c;
  keys.op = RANDOM_integers;
  keys.out = (operand){.data = s->keys[0], .dtype = DT_int64};
  keys.low = 0;
  keys.range = 0;
  const gpu_kernel *k;
  int at, st = draw(g, &keys);
  if (st == OK) st = gpu_sort_pairs(g, s, &at);
  if (st == OK) st = gpu_sort_kernel(g, SORT_PERMUTE, s->key_bits, s->value_bits, &k);
  if (st != OK) return st;
  uint64_t n = (uint64_t)s->n;
  void *out = c->out.data;
  gpu_writes(g, out);
  return gpu_launch(g, k, (unsigned)((n + THREADS - 1) / THREADS), THREADS, 0,
                    (void *[]){&s->keys[at], &s->values[at], &n, &s->first_bit, &out});
}

static int permute(gpu *g, const random_call *c) {
  int bits = telling_bits(c->count);
  bool wide = c->count > UINT32_MAX;
  gpu_pairs s = {.lines = 1, .n = c->count, .key_bits = 64, .value_bits = wide ? 64 : 32, .first_bit = 64 - bits,
                 .bits = bits, .positions = true};
  size_t of_keys = ((size_t)c->count * 8 + 255) & ~(size_t)255;
  size_t of_values = ((size_t)c->count * (wide ? 8 : 4) + 255) & ~(size_t)255;
  size_t bytes = 2 * (of_keys + of_values);
  void *room;
  int st = gpu_scratch(g, bytes, &room);
  if (st != OK) return st;
  for (int i = 0; i < 2; i++) {
    s.keys[i] = (char *)room + of_keys * (size_t)i;
    s.values[i] = (char *)room + 2 * of_keys + of_values * (size_t)i;
  }
  st = sort_keys(g, c, &s);
  gpu_scratch_free(g, room, bytes);
  return st;
}

int gpu_random(int index, const random_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  return gpu_leave(g, c->op == RANDOM_permutation ? permute(g, c) : draw(g, c));
}
