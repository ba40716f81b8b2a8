#ifndef LT_MATH_PTX_CUH
#define LT_MATH_PTX_CUH

/* All PTX. Each function has a twin in C++ for the emulator, or is not declared there: what uses it asks. */

#ifndef LT_EMULATOR

/* One instruction; src/math/convert.h has the same in C. NaN becomes another NaN. */
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

/* Statements before it are not mixed with statements after it. */
static __device__ __forceinline__ void ptx_in_order() { asm volatile(""); }

#else

static inline void ptx_in_order() {}

#endif

#endif
