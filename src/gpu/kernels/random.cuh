/* Random numbers. base/random.h defines the counter and the word from which each element is made. The file is
** compiled with RANDOM_uniform, RANDOM_normal or RANDOM_integers. STORE is the dtype of the elements. DRAW is the
** dtype in which numbers are made: float32, float64, or int64 for integers. If RANDOM_CELL is defined, the kernel
** reads seed and first offset from device memory, because a captured graph is replayed with new values. */

#define KERNEL_THREADS 256
#include "gpu/kernels/typed.cuh"

#include "base/random.h"
#include "math/normal.h"

typedef PASTE(type, STORE) stored;
typedef PASTE(type, DRAW) number;

/* A thread uses SPAN neighbouring counters, and stores SPAN elements at a time. SPAN elements have 16 bytes in total if
** an element has at least 2 bytes. */
enum {
  WIDE  = sizeof(number) == 8,
  SPAN  = sizeof(stored) >= 2 ? 16 / sizeof(stored) : 8,
  DRAWS = WIDE ? 2 : 4                  /* number of elements that are made from a counter */
};
template <int bytes> struct word_of { typedef uint32_t type; };
template <> struct word_of<8> { typedef uint64_t type; };
typedef word_of<sizeof(number)>::type draw_word;
struct alignas(sizeof(stored) * SPAN) span { stored at[SPAN]; };

struct random_args {
  uint32_t key[PHILOX_ROUNDS][2];       /* the keys of all rounds, which the host computes once for all threads */
  uint64_t offset;
  const unsigned long long *cell;       /* only with RANDOM_CELL: the value to add to `offset`, and the seed from
                                        ** which the key is made */
  void    *out;
  int64_t  count;
  int64_t  low;
  uint64_t range;
  int64_t  shift;                       /* for uniform: number of bits of a word that are not used */
  number   a, b;                        /* uniform: lower bound and width; normal: mean and standard deviation */
  number   most, scale;                 /* uniform: the greatest value that is returned, and the value of a word's
                                        ** last bit (float64: before the multiplication by the width) */
};

/* Computes the four words of a counter by Philox 4×32-10 (Salmon et al. 2011, see base/random.h). */
INLINE void philox(const uint32_t (*key)[2], uint64_t counter, uint32_t x[4]) {
  x[0] = (uint32_t)counter;
  x[1] = (uint32_t)(counter >> 32);
  x[2] = x[3] = 0;
#pragma unroll
  for (int round = 0; round < PHILOX_ROUNDS; round++) {
    uint64_t p0 = (uint64_t)x[0] * PHILOX_M0, p1 = (uint64_t)x[2] * PHILOX_M1;
    x[0] = (uint32_t)(p1 >> 32) ^ x[1] ^ key[round][0];
    x[1] = (uint32_t)p1;
    x[2] = (uint32_t)(p0 >> 32) ^ x[3] ^ key[round][1];
    x[3] = (uint32_t)p0;
  }
}

/* Makes DRAWS elements from the words of a counter. */
INLINE void make(const random_args &r, const draw_word *word, number *out) {
#if defined(RANDOM_normal)
  for (int w = 0; w < DRAWS; w += 2) PASTE(normals, DRAW)(word[w], word[w + 1], r.a, r.b, &out[w], &out[w + 1]);
#elif defined(RANDOM_integers)
  for (int w = 0; w < DRAWS; w++) out[w] = r.low + (int64_t)(r.range ? high_product(word[w], r.range) : word[w]);
#else
  for (int w = 0; w < DRAWS; w++) {
    draw_word bits = word[w] >> r.shift;
    number u = WIDE ? (number)(int64_t)bits * r.scale * r.b : (number)(int32_t)bits * r.scale;
    number v = r.a + u;
    out[w] = v < r.most ? v : r.most;
  }
#endif
}

/* Stores SPAN elements or, if `left` is less than SPAN, the first `left` elements. */
INLINE void store_some(stored *out, int64_t left, const span &p) {
  if (left >= SPAN && (uint64_t)out % sizeof p == 0) *(span *)out = p;
  else
#pragma unroll
    for (int i = 0; i < SPAN; i++)
      if (i < left) out[i] = p.at[i];
}

INLINE void make_key(uint64_t seed, uint32_t (*key)[2]) {
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
#pragma unroll
  for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
    key[round][0] = k0;
    key[round][1] = k1;
  }
}

KERNEL(draw)(const random_args r) {
  uint64_t first = grid_thread() * SPAN;     /* the thread's first counter, relative to the offset */
  int64_t at = (int64_t)(first / RANDOM_RUN * (RANDOM_RUN * DRAWS) + first % RANDOM_RUN);
  if (at >= r.count) return;
#ifdef RANDOM_CELL
  uint64_t counter = r.offset + r.cell[0] + first;
  uint32_t key[PHILOX_ROUNDS][2];
  make_key(r.cell[1], key);
#else
  uint64_t counter = r.offset + first;
  const uint32_t (*key)[2] = r.key;
#endif
  span p[DRAWS];
#pragma unroll
  for (int k = 0; k < SPAN; k++) {
    uint32_t x[4];
    draw_word word[DRAWS];
    number made[DRAWS];
    philox(key, counter + k, x);
    for (int w = 0; w < DRAWS; w++)
      word[w] = WIDE ? (draw_word)((uint64_t)x[2 * w + 1] << 32 | x[2 * w]) : (draw_word)x[w];
    make(r, word, made);
    for (int w = 0; w < DRAWS; w++) p[w].at[k] = PASTE(to, STORE)(made[w]);
  }
#pragma unroll
  for (int w = 0; w < DRAWS; w++)
    store_some((stored *)r.out + at + RANDOM_RUN * w, r.count - at - RANDOM_RUN * w, p[w]);
}
