/* Loops that do nothing but compute, read or copy: what the processor and its memory can do at most.
** Vectors are GCC's and clang's own; this file alone is compiled with -ffp-contract=fast, so that
** a * x + y is one FMA where the processor has it. */

#include "cpu/cpu.h"
#include "cpu/limits.h"

#if defined(__AVX512F__)
#define VECTOR 64
#elif defined(__AVX__)
#define VECTOR 32
#else
#define VECTOR 16
#endif

/* 10 chains hide the 4 or 5 cycles of an FMA on two ports and fit into 16 registers. */
enum { CHAINS = 10 };

/* The loop for element type T: rounds of one multiplication and one addition per chain and lane. The
** sum is returned so that nothing is optimised away. Every chain tends to 0.4 and starts elsewhere:
** one that starts there is a constant to the compiler. */
#define COMPUTE(T)                                                              \
  typedef T vector_##T __attribute__((vector_size(VECTOR)));                    \
  static double compute_##T(int64_t rounds) {                                   \
    vector_##T chain[CHAINS], zero = {0}, x = zero + (T)0.999999, y = zero + (T)0.4e-6; \
    for (int c = 0; c < CHAINS; c++) chain[c] = zero + (T)(c + 1);              \
    for (int64_t r = 0; r < rounds; r++)                                        \
      for (int c = 0; c < CHAINS; c++) chain[c] = chain[c] * x + y;             \
    vector_##T sum = chain[0];                                                  \
    for (int c = 1; c < CHAINS; c++) sum += chain[c];                           \
    double total = 0;                                                           \
    for (size_t i = 0; i < VECTOR / sizeof(T); i++) total += (double)sum[i];    \
    return total;                                                               \
  }
COMPUTE(float)
COMPUTE(double)

typedef uint64_t word __attribute__((vector_size(VECTOR)));

/* Reads everything so many times: 8 sums so that additions never wait for each other. */
static uint64_t read_all(size_t bytes, const void *from, int64_t times) {
  const word *p = from;
  word sum[8] = {{0}};
  for (; times > 0; times--) {
    for (size_t i = 0; i + 8 <= bytes / VECTOR; i += 8)
      for (size_t k = 0; k < 8; k++) sum[k] += p[i + k];
    __asm__ volatile("" ::: "memory");        /* or one pass would do for all */
  }
  uint64_t total = 0;
  for (size_t k = 0; k < 8; k++)
    for (size_t i = 0; i < VECTOR / sizeof(uint64_t); i++) total += sum[k][i];
  return total;
}

/* A copy with ordinary stores; the barrier keeps it from becoming a call of memcpy. */
static void copy_all(size_t bytes, void *to, const void *from) {
  const word *p = from;
  word *q = to;
  for (size_t i = 0; i < bytes / VECTOR; i++) {
    q[i] = p[i];
    __asm__ volatile("" ::: "memory");
  }
}

const limits_table ISA_NAME(limits_table) = {
  .vector = VECTOR, .chains = CHAINS,
  .compute_float = compute_float, .compute_double = compute_double,
  .read = read_all, .copy = copy_all,
};
