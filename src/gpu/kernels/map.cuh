/* Element-wise ops. The file is compiled for one op and one kind of layout, which these macros select:
**    OP       op_add …, a functor of functors.cuh
**    COMPUTE  DT_float32 …: the compute dtype
**    IN, OUT  the stored dtypes of all inputs (except the bool of a SELECT) and of the result
**    SECOND   the stored dtype of the second input, which differs from IN only for ops of two inputs
**    FORM     FLAT: only map_flat, because most scripts need no other kernel; STRIDED: map_rows and map_strided;
**             MIXED: map_strided for three or more inputs of several dtypes, which are parameters of the kernel
** Copies, casts and fills are op_positive. If they do not convert, IN and OUT are unsigned integers of the elements'
** size, or complex128 for elements of 16 bytes. */

#define KERNEL_THREADS MAP_THREADS
#define FLAT 1
#define STRIDED 2
#define MIXED 3

#include "gpu/kernels/map_args.h"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<COMPUTE> C;
typedef OP<C> F;
enum {
  INPUTS = F::inputs,
  RESULT = F::template result<COMPUTE>::dtype,
  IN_SIZE = sizeof(stored_t<IN>) > sizeof(stored_t<SECOND>) ? sizeof(stored_t<IN>) : sizeof(stored_t<SECOND>),
  VECTOR = MAP_VECTOR(IN_SIZE, sizeof(stored_t<OUT>)),   /* number of elements in a vector, which is loaded or stored
                                                         ** at once */
  ROUNDS = MAP_ROUNDS(IN_SIZE, sizeof(stored_t<OUT>))
};

/* The stored dtype of input K. */
template <int K> struct input {
  enum { dtype = F::selects && K == 0 ? (int)DT_bool : K == 1 ? (int)SECOND : (int)IN };
};

/* Converts a stored element of input K to C. The bool of a SELECT becomes 0 or 1. */
template <int K> INLINE C value_of(stored_t<input<K>::dtype> x) {
  if constexpr (F::selects && K == 0) return (C)x;
  else return convert<COMPUTE, input<K>::dtype>(x);
}

/* Returns the element `offset` elements after the input's first element, or the input's number if the input is a
** number. */
template <int K> INLINE C constant(const map_in &in, int64_t offset) {
  typedef stored_t<input<K>::dtype> S;
#if FORM == MIXED
  if (in.data && F::selects && K == 0) return (C)load_any<DT_bool>(in.dtype, in.data, offset);
  if (in.data) return load_any<COMPUTE>(in.dtype, in.data, offset);
#endif
  if (in.data) return value_of<K>(((const S *)in.data)[offset]);
  if constexpr (F::selects && K == 0) return (C)(in.value.low & 1);
  else return from_word<COMPUTE>(in.value);
}

/* Calls f(number<K>()) for each input K. */
template <int N> struct number { enum { value = N }; };
template <class Each> INLINE void each_input(Each f) {
  f(number<0>());
  if constexpr (INPUTS > 1) f(number<1>());
  if constexpr (INPUTS > 2) f(number<2>());
  if constexpr (INPUTS > 3) f(number<3>());
}

INLINE stored_t<OUT> compute(const C *v) { return convert<OUT, RESULT>(apply_to<F>(v)); }

/* The values of all inputs for N neighbouring elements of the result. */
template <int N> struct values { C v[N][4]; };

template <int K, int N> INLINE void load_run(values<N> &to, const void *data, int64_t at) {
  typedef stored_t<input<K>::dtype> S;
  pack<S, N> p = *(const pack<S, N> *)((const S *)data + at);
#pragma unroll
  for (int j = 0; j < N; j++) to.v[j][K] = value_of<K>(p.at[j]);
}
template <int K, int N> INLINE void load_same(values<N> &to, C x) {
#pragma unroll
  for (int j = 0; j < N; j++) to.v[j][K] = x;
}
template <int N> INLINE void store_run(void *out, int64_t at, const values<N> &from) {
  pack<stored_t<OUT>, N> p;
#pragma unroll
  for (int j = 0; j < N; j++) p.at[j] = compute(from.v[j]);
  *(pack<stored_t<OUT>, N> *)((stored_t<OUT> *)out + at) = p;
}

#if FORM == FLAT

/* ---- operands that are contiguous or one number ---- */

/* A block processes ROUNDS * MAP_THREADS vectors. */

enum { ALL = (1 << INPUTS) - 1 };

template <int N> INLINE void load_flat(const map_args &a, uint32_t runs, const C *same, values<N> &v, int64_t at) {
  each_input([&](auto k) {
    constexpr int K = decltype(k)::value;
    if (runs >> K & 1) load_run<K, N>(v, a.in[K].data, at);
    else load_same<K, N>(v, same[K]);
  });
}

/* Computes the complete vectors of this block. All loads are in flight before the first loaded value is used. */
INLINE void flat_block(const map_args &a, uint32_t runs, const C *same, int64_t first) {
  const int64_t at = first + threadIdx.x * VECTOR;
  values<VECTOR> v[ROUNDS];
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    int64_t i = at + r * (MAP_THREADS * VECTOR);
    if (i + VECTOR <= a.count) load_flat<VECTOR>(a, runs, same, v[r], i);
  }
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    int64_t i = at + r * (MAP_THREADS * VECTOR);
    if (i + VECTOR <= a.count) store_run<VECTOR>(a.out, i, v[r]);
  }
}

KERNEL(map_flat)(map_args a) {
  const int64_t step = ROUNDS * MAP_THREADS * VECTOR, first = blockIdx.x * step;
  const int rest = (int)((uint32_t)a.count % VECTOR);
  bool ends = first + step > a.count && (int)threadIdx.x < rest;      /* true if the thread computes one of the
                                                                      ** elements after the last complete vector */
  C same[4];
  if (a.runs == ALL && !F::costly) flat_block(a, ALL, same, first);
  if (a.runs == ALL && !F::costly && !ends) return;
  each_input([&](auto k) {
    constexpr int K = decltype(k)::value;
    if (!(a.runs >> K & 1)) same[K] = constant<K>(a.in[K], 0);
  });
  if (a.runs != ALL || F::costly) flat_block(a, a.runs, same, first);
  if (!ends) return;
  values<1> v;
  load_flat<1>(a, a.runs, same, v, a.count - rest + threadIdx.x);
  store_run<1>(a.out, a.count - rest + threadIdx.x, v);
}

#else

/* ---- operands with strides ---- */

#if FORM == STRIDED

/* Computes vectors along the inner dim. The plan counts the length of the inner dim in vectors. Along the inner dim,
** each input is contiguous (its bit of a.runs is set) or has a single value. */
KERNEL(map_rows)(map_args a, gpu_plan p) {
  const uint32_t first = blockIdx.x * (ROUNDS * MAP_THREADS) + threadIdx.x;
  int64_t offset[ROUNDS][1 + INPUTS];
  values<VECTOR> v[ROUNDS];
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    if (first + r * MAP_THREADS >= p.count) break;
    plan_offsets(p, first + r * MAP_THREADS, offset[r]);
    each_input([&](auto k) {
      constexpr int K = decltype(k)::value;
      if (a.runs >> K & 1) load_run<K, VECTOR>(v[r], a.in[K].data, offset[r][1 + K]);
      else load_same<K, VECTOR>(v[r], constant<K>(a.in[K], offset[r][1 + K]));
    });
  }
#pragma unroll
  for (int r = 0; r < ROUNDS; r++)
    if (first + r * MAP_THREADS < p.count) store_run<VECTOR>(a.out, offset[r][0], v[r]);
}

#endif

/* Computes MAP_STRIDED elements for each thread, with any strides. The elements of a thread are MAP_THREADS positions
** apart. */
KERNEL(map_strided)(map_args a, gpu_plan p) {
  uint32_t first = blockIdx.x * (MAP_STRIDED * MAP_THREADS) + threadIdx.x;
  int64_t offset[MAP_STRIDED][1 + INPUTS];
  values<1> v[MAP_STRIDED];
#pragma unroll
  for (int r = 0; r < MAP_STRIDED; r++) {
    uint32_t i = first + r * MAP_THREADS;
    if (i >= p.count) break;
    plan_offsets(p, i, offset[r]);
    each_input([&](auto k) {
      constexpr int K = decltype(k)::value;
      load_same<K, 1>(v[r], constant<K>(a.in[K], offset[r][1 + K]));
    });
  }
#pragma unroll
  for (int r = 0; r < MAP_STRIDED; r++)
    if (first + r * MAP_THREADS < p.count) store_run<1>(a.out, offset[r][0], v[r]);
}

#endif
