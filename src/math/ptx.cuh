#ifndef LT_MATH_PTX_CUH
#define LT_MATH_PTX_CUH

/* All PTX. For the emulator, a function has a twin in C++, or is not declared; then its callers test LT_EMULATOR. */

#ifndef LT_EMULATOR

/* Converts by one instruction; src/math/convert.h does the same in C. The bits of a NaN are not kept. */
static __device__ __forceinline__ float ptx_float32_from_float16(unsigned short h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
static __device__ __forceinline__ unsigned short ptx_float16_from_float32(float x) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}

/* Keeps the compiler from moving statements across this call. */
static __device__ __forceinline__ void ptx_in_order() { asm volatile(""); }

#else

static inline void ptx_in_order() {}

#endif

#endif
