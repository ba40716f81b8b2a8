#ifndef LT_GPU_KERNELS_ELEMENTS_CUH
#define LT_GPU_KERNELS_ELEMENTS_CUH

/* The elements that a kernel of fold.cuh or softmax.cuh reads. They are in memory and have dtype IN. If FOLDED is defined,
** they are a result of a program (program.cuh) instead, which is computed where the kernel would read it. In this case,
** gpu/program.c defines
**    FOLDED                 the result, such as r.y0, whose stored dtype is IN
**    LAYOUT                 where the program's inputs are: a LAYOUT of elementwise_args.h
**    ELEMENTWISE_STORED(X)  X(k, stored) for each result k that the kernel stores in passing
** All results are contiguous and have one shape. Element i is position i, row-major, of this shape. */

#include "gpu/kernels/stored.cuh"

#ifndef FOLDED

typedef const in_t *elements;
#define PROGRAM_PARAMETERS                       /* further parameters of a kernel that reads elements */
#define ELEMENTS(args) ((const in_t *)(args).in) /* element 0 */

/* Returns elements i * N … i * N + N - 1, whose address must be aligned to their size. */
template <int N> INLINE pack<in_t, N> vector_of(elements x, int i) { return ((const pack<in_t, N> *)x)[i]; }

#else

#include "gpu/kernels/program.cuh"

#define PROGRAM_PARAMETERS , elementwise_args program, gpu_plan layout
#define ELEMENTS(args) elements{program, layout, 0}

/* Sets offset[RESULTS + k] to the offset of position `at` in input k. */
INLINE void input_offsets(const elementwise_args &a, const gpu_plan &p, int64_t at, int64_t (&offset)[OPERANDS]) {
  if constexpr (LAYOUT != LAYOUT_FLAT) return plan_offsets(p, (uint32_t)at, offset);
#pragma unroll
  for (int k = 0; k < OPERANDS - RESULTS; k++) offset[RESULTS + k] = a.runs >> k & 1 ? at : 0;
}

INLINE values values_at(const elementwise_args &a, const gpu_plan &p, int64_t at) {
  values v;
  int64_t offset[OPERANDS];
  input_offsets(a, p, at, offset);
  ELEMENTWISE_INPUTS(LOAD_AT)
  return v;
}

INLINE in_t element_at(const elementwise_args &a, const gpu_plan &p, int64_t at) {
  const results r = compute(a, values_at(a, p, at));
  const int64_t *offset = &at;
  const int many = 1;
  ELEMENTWISE_STORED(STORE_ONE)
  return FOLDED;
}

INLINE void load_values(const elementwise_args &a, const gpu_plan &p, int64_t at, values (&v)[VECTOR]) {
  int64_t offset[OPERANDS];
  input_offsets(a, p, at, offset);
  ELEMENTWISE_INPUTS(LOAD_ROW)
}

/* Computes the elements at … at + VECTOR - 1, where `at` is a multiple of VECTOR. LAYOUT is not LAYOUT_STRIDED. */
INLINE void vector_at(const elementwise_args &a, const gpu_plan &p, int64_t at, in_t *to) {
  values v[VECTOR];
  struct { ELEMENTWISE_STORED(PACK) } made;
  const int64_t *offset = &at;
  const int many = 1;
  load_values(a, p, at, v);
#pragma unroll
  for (int j = 0; j < VECTOR; j++) {
    const results r = compute(a, v[j]);
    ELEMENTWISE_STORED(PACK_ELEMENT)
    to[j] = FOLDED;
  }
  ELEMENTWISE_STORED(STORE_PACK)
}

/* A position in the program's shape, used like the address of an element. */
struct elements {
  const elementwise_args &a;
  const gpu_plan &p;
  int64_t at;
  __device__ __forceinline__ in_t operator[](int64_t i) const { return element_at(a, p, at + i); }
  __device__ __forceinline__ in_t operator*() const { return element_at(a, p, at); }
  __device__ __forceinline__ elements operator+(int64_t i) const { return elements{a, p, at + i}; }
  __device__ __forceinline__ void operator+=(int64_t i) { at += i; }
};

template <int N> INLINE pack<in_t, N> vector_of(const elements &x, int i) {
  pack<in_t, N> all;
  const int64_t at = x.at + (int64_t)i * N;
#pragma unroll
  for (int j = 0; j < N; j += LAYOUT == LAYOUT_STRIDED || N < VECTOR ? 1 : VECTOR) {
    if constexpr (LAYOUT == LAYOUT_STRIDED || N < VECTOR) all.at[j] = element_at(x.a, x.p, at + j);
    else vector_at(x.a, x.p, at + j, all.at + j);
  }
  return all;
}

/* Stored elements would begin at an aligned address. */
INLINE int to_alignment(const elements &x) { return (int)(-(uint64_t)x.at % (16 / sizeof(in_t))); }

#endif

#endif
