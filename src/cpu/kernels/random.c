/* The random number generator Philox 4×32-10 on vectors of counters, and the conversion of its random words to numbers.
** random.h describes both. */

/* fma_* rounds once on every instruction set, so that the same seed gives the same numbers everywhere. */
#define LT_EXACT_FMA 1

#include "base/random.h"

#include "cpu/kernels/vector.h"
#include "math/normal.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* A word occupies a 64-bit lane, because the product of two words has 64 bits. The upper 32 bits of a lane are
** undefined. The function `multiply` ignores these bits, and the functions that write a run remove them. */
enum { LANES = BYTES / 8 };
enum { VECTORS = RANDOM_RUN / LANES };
typedef uint64_t words __attribute__((vector_size(BYTES)));

/* Returns the 64-bit products of the low 32 bits of the lanes. */
static inline words multiply(words a, words b) {
#if defined(__AVX512F__)
  return (words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

static inline words splat(uint64_t v) { return (words){0} + v; }

/* Computes the four words of each counter base + lane * step. */
static inline void philox(uint64_t seed, uint64_t base, uint64_t step, words x[4]) {
  words counter = splat(base);
  for (int l = 0; l < LANES; l++) counter[l] += (uint64_t)l * step;
  const words m0 = splat(PHILOX_M0), m1 = splat(PHILOX_M1);
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  words x0 = counter, x1 = counter >> 32, x2 = splat(0), x3 = splat(0);
#pragma GCC unroll 10
  for (int round = 0; round < PHILOX_ROUNDS; round++) {
    words p0 = multiply(x0, m0), p1 = multiply(x2, m1);
    x0 = (p1 >> 32) ^ x1 ^ splat(k0);
    x1 = p1;
    x2 = (p0 >> 32) ^ x3 ^ splat(k1);
    x3 = p0;
    k0 += PHILOX_W0;
    k1 += PHILOX_W1;
  }
  x[0] = x0; x[1] = x1; x[2] = x2; x[3] = x3;
}

/* Writes the 32-bit words of one run (the words of RANDOM_RUN counters), in the order in which random.h defines them.
** In each lane, the low half is the word of an even counter, and the high half the word of the next counter. */
static inline void run_of_32(uint64_t seed, uint64_t counter, uint32_t out[64]) {
  for (int v = 0; v < VECTORS / 2; v++) {
    words even[4], odd[4];
    philox(seed, counter + (uint64_t)(2 * LANES * v), 2, even);
    philox(seed, counter + (uint64_t)(2 * LANES * v) + 1, 2, odd);
    for (int w = 0; w < 4; w++) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      words both = (even[w] & 0xffffffff) | odd[w] << 32;
#else
      words both = (odd[w] & 0xffffffff) | even[w] << 32;
#endif
      memcpy(out + 16 * w + 2 * LANES * v, &both, sizeof both);
    }
  }
}

/* Writes the 64-bit words of one run (the words of RANDOM_RUN counters), in the order in which random.h defines
** them. */
static inline void run_of_64(uint64_t seed, uint64_t counter, uint64_t out[32]) {
  for (int v = 0; v < VECTORS; v++) {
    words x[4];
    philox(seed, counter + (uint64_t)(LANES * v), 1, x);
    for (int w = 0; w < 2; w++) {
      words both = (x[2 * w] & 0xffffffff) | x[2 * w + 1] << 32;
      memcpy(out + 16 * w + LANES * v, &both, sizeof both);
    }
  }
}

/* ---- uniform ----
** An element is a + (b - a) * u, where u has `bits` random bits and is in [0, 1). */

static void uniform_float32(const random_call *c, uint64_t counter, int64_t runs, void *out) {
  float *to = out;
  const float a = (float)c->a, most = (float)c->most;
  const float scale = ldexpf((float)(c->b - c->a), -c->bits);      /* multiplying by a power of two is exact */
  const int shift = 32 - c->bits;
  const bool standard = c->a == 0 && c->b == 1;
  uint32_t word[64];
  for (int64_t r = 0; r < runs; r++, counter += RANDOM_RUN, to += 64) {
    run_of_32(c->seed, counter, word);
    if (standard)
      for (int i = 0; i < 64; i++) to[i] = (float)(int32_t)(word[i] >> shift) * scale;
    else
      for (int i = 0; i < 64; i++) {
        float v = a + (float)(int32_t)(word[i] >> shift) * scale;
        to[i] = v < most ? v : most;
      }
  }
}

static void uniform_float64(const random_call *c, uint64_t counter, int64_t runs, void *out) {
  double *to = out;
  const double a = c->a, width = c->b - c->a, most = c->most;
  uint64_t word[32];
  for (int64_t r = 0; r < runs; r++, counter += RANDOM_RUN, to += 32) {
    run_of_64(c->seed, counter, word);
    for (int i = 0; i < 32; i++) {
      double v = a + double_of(word[i] >> 11) * 0x1p-53 * width;
      to[i] = v < most ? v : most;
    }
  }
}

/* ---- normal ----
** The Box–Muller transform makes two elements from two random words. */

/* The loops over a run are separate functions, because the compiler would not vectorise them if they were inlined
** into the functions that draw the words. */
#define APART static __attribute__((noinline)) void

/* Makes the normal random numbers to[i] and to[16 + i] from the random words word[i] and word[16 + i], for i < 16. */
APART polar_float32(float *restrict to, const uint32_t *restrict word, float mean, float deviation) {
  _Pragma("omp simd")
  for (int i = 0; i < 16; i++) normals_float32(word[i], word[16 + i], mean, deviation, &to[i], &to[16 + i]);
}

APART polar_float64(double *restrict to, const uint64_t *restrict word, double mean, double deviation) {
  _Pragma("omp simd")
  for (int i = 0; i < 16; i++) normals_float64(word[i], word[16 + i], mean, deviation, &to[i], &to[16 + i]);
}

static void normal_float32(const random_call *c, uint64_t counter, int64_t runs, void *out) {
  float *to = out;
  uint32_t word[64];
  for (int64_t r = 0; r < runs; r++, counter += RANDOM_RUN, to += 64) {
    run_of_32(c->seed, counter, word);
    polar_float32(to, word, (float)c->a, (float)c->b);
    polar_float32(to + 32, word + 32, (float)c->a, (float)c->b);
  }
}

static void normal_float64(const random_call *c, uint64_t counter, int64_t runs, void *out) {
  double *to = out;
  uint64_t word[32];
  for (int64_t r = 0; r < runs; r++, counter += RANDOM_RUN, to += 32) {
    run_of_64(c->seed, counter, word);
    polar_float64(to, word, c->a, c->b);
  }
}

/* ---- integers ----
** An element is low plus the high 64 bits of word * range. The relative difference between the probabilities of two
** integers is at most range / 2^64. */

/* Returns the high 64 bits of a * b. They are computed from 32-bit halves, so that the compiler vectorises loops. */
static inline uint64_t multiply_high(uint64_t a, uint64_t b) {
  uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
  uint64_t mid = ah * bl + (al * bl >> 32), mid2 = al * bh + (uint32_t)mid;
  return ah * bh + (mid >> 32) + (mid2 >> 32);
}

static void integers_int64(const random_call *c, uint64_t counter, int64_t runs, void *out) {
  uint64_t *to = out, word[32];
  const uint64_t low = (uint64_t)c->low, range = c->range;
  for (int64_t r = 0; r < runs; r++, counter += RANDOM_RUN, to += 32) {
    run_of_64(c->seed, counter, word);
    if (range == 0)
      for (int i = 0; i < 32; i++) to[i] = low + word[i];
    else
      for (int i = 0; i < 32; i++) to[i] = low + multiply_high(word[i], range);
  }
}

const random_table ISA_NAME(random_table) = {.draw = {
  [RANDOM_uniform]  = {[DT_float32] = uniform_float32, [DT_float64] = uniform_float64},
  [RANDOM_normal]   = {[DT_float32] = normal_float32, [DT_float64] = normal_float64},
  [RANDOM_integers] = {[DT_int64] = integers_int64},
}};
