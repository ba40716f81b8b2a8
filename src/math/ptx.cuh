#ifndef LT_MATH_PTX_CUH
#define LT_MATH_PTX_CUH

/* All functions that contain PTX, the GPU's assembly language. For the emulator, a function is written in C++ or is
** not declared. Callers of a function that is not declared test LT_EMULATOR. */

#ifndef LT_EMULATOR

/* These two functions convert by one instruction each. src/math/convert.h has the same conversions in C. The
** instructions do not keep the bits of a NaN. */
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

/* Keeps the compiler from moving statements across a call of this function. */
static __device__ __forceinline__ void ptx_in_order() { asm volatile(""); }

#else

static inline void ptx_in_order() {}

#endif

#endif
