/* Evenly spaced values. OUT is the dtype of the result. STEPS is the dtype of start and step, float64 or int64. */

#define KERNEL_THREADS 256

#include "gpu/kernels/scalar.cuh"

typedef stored_t<STEPS> S;

/* Returns element i. Integers are computed as unsigned integers, because overflow of signed integers is undefined. */
INLINE int64_t value_at(int64_t start, int64_t step, int64_t i) {
  return (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)step);
}
INLINE double value_at(double start, double step, int64_t i) { return start + (double)i * step; }

KERNEL(arange)(stored_t<OUT> *out, int64_t count, gpu_word start, gpu_word step) {
  int64_t i = (int64_t)grid_thread();
  if (i < count) out[i] = convert<OUT, STEPS>(value_at(from_word<STEPS>(start), from_word<STEPS>(step), i));
}
