/* Updates of parameters. The file is compiled for one row of update.def (ROW: update_adam …) and one dtype of the
** operands (DTYPE: DT_float32 …). With UPDATE_CELL, the numbers are in device memory. */

#include "gpu/kernels/nn/update_args.h"

#define KERNEL_THREADS UPDATE_THREADS

#include "gpu/kernels/scalar.cuh"

#define UPDATE(name, count, ...)                                                            \
  template <class C> struct update_##name {                                                 \
    enum { states = count };                                                                \
    static __device__ __forceinline__ void apply(const C *n, C &p, C g, C &a, C &b, C &c) { \
      C d = 0; __VA_ARGS__;                                                                 \
      (void)n, (void)a, (void)b, (void)c, (void)d;                                          \
    }                                                                                       \
  };
#define UPDATE0(name, numbers, ...)          UPDATE(name, 0, __VA_ARGS__)
#define UPDATE1(name, numbers, s, ...)       UPDATE(name, 1, __VA_ARGS__)
#define UPDATE2(name, numbers, s, t, ...)    UPDATE(name, 2, __VA_ARGS__)
#define UPDATE3(name, numbers, s, t, u, ...) UPDATE(name, 3, __VA_ARGS__)
#include "update.def"

typedef stored_t<DTYPE>  stored;
typedef compute_t<DTYPE> C;
typedef ROW<C> Row;
enum { COMPUTE = element<DTYPE>::compute, OPERANDS = 2 + Row::states, VECTOR = 16 / sizeof(stored) };

struct numbers { C n[UPDATE_MOST_NUMBERS]; };

INLINE numbers numbers_of(const update_args &a) {
  numbers all;
#pragma unroll
#ifdef UPDATE_CELL
  for (int k = 0; k < UPDATE_MOST_NUMBERS; k++) all.n[k] = (C)a.cell[k];
#else
  for (int k = 0; k < UPDATE_MOST_NUMBERS; k++) all.n[k] = (C)a.number[k];
#endif
  return all;
}

/* Updates one element. x has the stored values of the operands. The new values of the parameter and of the states
** replace the old values in x. */
INLINE void update(const numbers &all, stored (&x)[UPDATE_MOST]) {
  C v[UPDATE_MOST] = {0, 0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < OPERANDS; k++) v[k] = convert<COMPUTE, DTYPE>(x[k]);
  Row::apply(all.n, v[0], v[1], v[2], v[3], v[4]);
#pragma unroll
  for (int k = 0; k < OPERANDS; k++) if (k != 1) x[k] = convert<DTYPE, COMPUTE>(v[k]);
}

/* Updates one element, which is element offset[k] of operand k. */
INLINE void update_at(const update_args &a, const numbers &all, const int64_t *offset) {
  stored x[UPDATE_MOST];
#pragma unroll
  for (int k = 0; k < OPERANDS; k++) x[k] = ((const stored *)a.at[k])[offset[k]];
  update(all, x);
#pragma unroll
  for (int k = 0; k < OPERANDS; k++) if (k != 1) ((stored *)a.at[k])[offset[k]] = x[k];
}

/* Returns the position of the parameter that this block updates. */
INLINE int parameter_of_block(const update_list &all) {
  int low = 0, high = all.count - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (all.parameter[middle].first <= blockIdx.x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/* Updates parameters whose operands are contiguous and aligned. Each thread updates one vector of 16 bytes. If the last
** vector of a parameter is incomplete, its elements are updated one at a time. */
KERNEL(update_flat)(update_list list) {
  const update_args &a = list.parameter[parameter_of_block(list)];
  const int64_t at = ((int64_t)(blockIdx.x - a.first) * UPDATE_THREADS + threadIdx.x) * VECTOR;
  const numbers all = numbers_of(a);
  if (at + VECTOR > a.count) {
    for (int64_t i = at; i < a.count; i++) {
      const int64_t offset[UPDATE_MOST] = {i, i, i, i, i};
      update_at(a, all, offset);
    }
    return;
  }
  pack<stored, VECTOR> run[UPDATE_MOST];
#pragma unroll
  for (int k = 0; k < OPERANDS; k++) run[k] = *(const pack<stored, VECTOR> *)((const stored *)a.at[k] + at);
#pragma unroll
  for (int j = 0; j < VECTOR; j++) {
    stored x[UPDATE_MOST];
#pragma unroll
    for (int k = 0; k < OPERANDS; k++) x[k] = run[k].at[j];
    update(all, x);
#pragma unroll
    for (int k = 0; k < OPERANDS; k++) if (k != 1) run[k].at[j] = x[k];
  }
#pragma unroll
  for (int k = 0; k < OPERANDS; k++) if (k != 1) *(pack<stored, VECTOR> *)((stored *)a.at[k] + at) = run[k];
}

/* Updates operands with any strides. Each thread updates one element. */
KERNEL(update_strided)(update_args a, gpu_plan p) {
  const uint32_t i = (uint32_t)grid_thread();
  if (i >= p.count) return;
  int64_t offset[UPDATE_MOST];
  plan_offsets(p, i, offset);
  update_at(a, numbers_of(a), offset);
}
