#ifndef LT_GPU_KERNELS_FUNCTORS_CUH
#define LT_GPU_KERNELS_FUNCTORS_CUH

/* Computations on single elements: loads and stores for each dtype, and a struct with the computation of each row of
** ops.def. */

#include "gpu/kernels/plan.cuh"
#include "math/scalar.h"

/* ---- dtypes ---- */

/* These templates have the number of a dtype (DT_float32 …) as parameter. Half floats are stored as uint16_t and
** computed as float. Functions that only copy, or that step through bit patterns, use the half float itself as the
** compute dtype. */

template <int D> struct element;
#define ELEMENT(name, store, computes, accumulates, kind_, ...)                  \
  template <> struct element<DT_##name> {                                        \
    typedef store stored;                                                        \
    enum { compute = DT_##computes, accum = DT_##accumulates, kind = KIND_##kind_ }; \
    static __device__ __forceinline__ auto load(stored x) { return from_##name(x); } \
    template <class T> static __device__ __forceinline__ stored store_from(T x) { return (stored)to_##name(x); } \
  };
DTYPES(ELEMENT)
#undef ELEMENT

template <int D> using stored_t = typename element<D>::stored;
template <int D> using compute_t = stored_t<element<D>::compute>;

/* Converts x from dtype FROM to dtype TO, both as stored types. Every load, store and cast uses this function. */
template <int TO, int FROM> INLINE stored_t<TO> convert(stored_t<FROM> x) {
  if constexpr (TO == FROM) return x;
  else return element<TO>::store_from(element<FROM>::load(x));
}

/* load_any loads and converts element i, and store_any converts and stores it. The stored dtype is a parameter, which
** must be the same for all threads. */
template <int TO> INLINE stored_t<TO> load_any(int dtype, const void *p, int64_t i) {
  switch (dtype) {
#define LOAD_ANY(name, store, ...) \
    case DT_##name: return convert<TO, DT_##name>(((const store *)p)[i]);
    DTYPES(LOAD_ANY)
#undef LOAD_ANY
  }
  return stored_t<TO>();
}
template <int FROM> INLINE void store_any(int dtype, void *p, int64_t i, stored_t<FROM> x) {
  switch (dtype) {
#define STORE_ANY(name, store, ...) \
    case DT_##name: ((store *)p)[i] = convert<DT_##name, FROM>(x); return;
    DTYPES(STORE_ANY)
#undef STORE_ANY
  }
}

/* N elements of type T with at most 16 bytes in total, which one instruction loads or stores. Their address must be a
** multiple of their total size. */
template <class T, int N> struct __align__(sizeof(T) * N) pack { T at[N]; };

/* Returns a number of dtype D that the host has converted by gpu_number. */
template <int D> INLINE stored_t<D> from_word(gpu_word word) {
  const uint32_t low = (uint32_t)word.low, high = (uint32_t)(word.low >> 32);
  if constexpr (D == DT_float32) return from_bits_float32(low);
  else if constexpr (D == DT_float64) return from_bits_float64(word.low);
  else if constexpr (D == DT_complex64) return make_complex64(from_bits_float32(low), from_bits_float32(high));
  else if constexpr (D == DT_complex128) return make_complex128(from_bits_float64(word.low), from_bits_float64(word.high));
  else return (stored_t<D>)word.low;
}

/* ---- ops ---- */

/* An op is called as op_add<float>::apply(x, y). `result` determines the dtype of the result from the compute dtype.
** `costly` is true if the op has long code (exp, tanh …), which a kernel should contain only once. */

template <class C, int D> struct result_SAME { typedef C type; enum { dtype = D }; };
template <class C, int D> struct result_REAL { typedef C type; enum { dtype = D }; };
template <int D> struct result_REAL<complex64_t, D>  { typedef float type; enum { dtype = DT_float32 }; };
template <int D> struct result_REAL<complex128_t, D> { typedef double type; enum { dtype = DT_float64 }; };
template <class C, int D> struct result_BOOL { typedef bool type; enum { dtype = DT_bool }; };

#define FAR(name, inputs, test, expr) if ((test)) return (expr);
template <int INPUTS, bool SELECTS, bool COSTLY> struct op_traits {
  enum { inputs = INPUTS, selects = SELECTS, costly = COSTLY };
};
#define OP_STRUCT(name, dtypes, gives, expr, count, select, ...)                                 \
  template <class C> struct op_##name : op_traits<count, select, COSTLY_##dtypes> {              \
    template <int D> using result = result_##gives<C, D>;                                        \
    static __device__ __forceinline__ typename result_##gives<C, 0>::type apply(__VA_ARGS__) {   \
      FAR_FORM(FAR_##name, )                                                                     \
      return (expr);                                                                             \
    }                                                                                            \
  };
#define UNARY(name, dtypes, result, expr, doc)      OP_STRUCT(name, dtypes, result, expr, 1, false, C x)
#define BINARY(name, dtypes, result, expr, doc)     OP_STRUCT(name, dtypes, result, expr, 2, false, C x, C y)
#define TERNARY(name, dtypes, result, expr, doc)    OP_STRUCT(name, dtypes, result, expr, 3, false, C x, C y, C z)
#define SELECT(name, dtypes, result, expr, doc)     OP_STRUCT(name, dtypes, result, expr, 3, true, bool x, C y, C z)
#define QUATERNARY(name, dtypes, result, expr, doc) OP_STRUCT(name, dtypes, result, expr, 4, false, C x, C y, C z, C w)
#include "ops.def"
#undef OP_STRUCT
#undef FAR

/* nextafter for half floats. The function works on their stored bits, so the half float itself is the compute
** dtype. */
template <int INFINITE> struct half_nextafter : op_traits<2, false, false> {
  template <int D> using result = result_SAME<uint16_t, D>;
  static __device__ __forceinline__ uint16_t apply(uint16_t x, uint16_t y) { return nextafter_half(x, y, INFINITE); }
};
template <class> using op_nextafter_float16 = half_nextafter<0x7c00>;
template <class> using op_nextafter_bfloat16 = half_nextafter<0x7f80>;

/* Calls F::apply with the operands v[0], v[1] … The first operand of a SELECT is true if v[0] is not 0. */
template <class F, class C> INLINE auto apply_to(const C *v) {
  if constexpr (F::selects) return F::apply(v[0] != 0, v[1], v[2]);
  else if constexpr (F::inputs == 1) return F::apply(v[0]);
  else if constexpr (F::inputs == 2) return F::apply(v[0], v[1]);
  else if constexpr (F::inputs == 3) return F::apply(v[0], v[1], v[2]);
  else return F::apply(v[0], v[1], v[2], v[3]);
}

#endif
