/* Loops that only compute, read or copy. cpu/limits.c uses them to measure the speed limits of the processor and its
** memory. Vectors are extensions of GCC and clang. Only this file is compiled with -ffp-contract=fast, so that a * x
** + y is one FMA if the processor has FMA. */

#include "cpu/kernels/vector.h"
#include "cpu/limits.h"

/* 10 independent chains of FMA instructions hide the latency of 4 or 5 cycles on two execution ports, and fit into 16
** registers. */
enum { CHAINS = 10 };

#define TYPE float
#include "cpu/kernels/limits_compute.h"
#define TYPE double
#include "cpu/kernels/limits_compute.h"

typedef uint64_t word __attribute__((vector_size(BYTES)));

/* Reads `bytes` bytes of memory `times` times. With 8 independent sums, additions do not wait for each other. */
static uint64_t read_all(size_t bytes, const void *from, int64_t times) {
  const word *p = from;
  word sum[8] = {{0}};
  for (; times > 0; times--) {
    for (size_t i = 0; i + 8 <= bytes / BYTES; i += 8)
      for (size_t k = 0; k < 8; k++) sum[k] += p[i + k];
    __asm__ volatile("" ::: "memory");        /* keeps the compiler from merging the passes */
  }
  uint64_t total = 0;
  for (size_t k = 0; k < 8; k++)
    for (size_t i = 0; i < BYTES / sizeof(uint64_t); i++) total += sum[k][i];
  return total;
}

/* Copies with ordinary stores. The barrier keeps the compiler from replacing the loop by a call of memcpy. */
static void copy_all(size_t bytes, void *to, const void *from) {
  const word *p = from;
  word *q = to;
  for (size_t i = 0; i < bytes / BYTES; i++) {
    q[i] = p[i];
    __asm__ volatile("" ::: "memory");
  }
}

const limits_table ISA_NAME(limits_table) = {
  .vector = BYTES, .chains = CHAINS,
  .compute_float = compute_float, .compute_double = compute_double,
  .read = read_all, .copy = copy_all,
};
