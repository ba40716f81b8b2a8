#ifndef LT_MATH_VENDOR_CUH
#define LT_MATH_VENDOR_CUH

/* Everything in which the compilers of device code differ: NVIDIA's NVRTC, AMD's hipRTC (__HIPCC_RTC__) and the
** emulator's g++ (LT_EMULATOR). This file also contains all inline assembly that the compilers do not share.
** math/base.h includes this file after the definition of INLINE.
**
** LANES is the number of threads of a warp, which AMD calls a wavefront. The host defines LANES for luatensor's own
** kernels: 32 for NVIDIA and for AMD's RDNA, 64 for AMD's GCN and CDNA. */

#ifndef LANES
#define LANES 32
#endif

/* A bit mask of the lanes of a warp. */
#if LANES == 64
typedef unsigned long long lane_mask;
#define LANE_MASK_ALL (~0ull)
INLINE int count_lanes(lane_mask m) { return __popcll(m); }
#else
typedef unsigned lane_mask;
#define LANE_MASK_ALL (~0u)
INLINE int count_lanes(lane_mask m) { return __popc(m); }
#endif

/* Functions that every compiler below defines. All lanes of the warp must call the first five, except lanes whose
** threads have ended.
**   lane_down(x, lanes)   Returns x of the lane that is `lanes` lanes later.
**   lane_up(x, lanes)     Returns x of the lane that is `lanes` lanes earlier.
**   lane_from(x, lane)    Returns x of this lane.
**   ballot(p)             Returns the mask of the lanes in which p is not 0.
**   wait_for_warp()       Waits for all lanes. Their earlier accesses to memory are then visible to all lanes.
**   native_…              Convert half floats by one instruction each, which does not keep the bits of a NaN. The
**                         emulator lacks these functions. src/math/convert.h has the same conversions in C.
**   keep_order()          Keeps the compiler from moving statements across the call.
**   hide_value(x)         Keeps AMD's compiler from knowing the value of x after the call.
**   pause_thread()        Waits for a moment, in a loop that asks memory again and again.
**   in_place(first)       Returns the kernel's first parameter, to which `first` must refer. Without this function AMD's
**                         compiler copies a parameter that is indexed by variables to each thread's own memory. */

#ifdef __HIPCC_RTC__

static_assert(LANES == __AMDGCN_WAVEFRONT_SIZE, "LANES is not the number of threads of this GPU's wavefronts");

#define __grid_constant__              /* hipRTC has no such attribute: see in_place */

/* The parameters of a kernel are in constant memory, one after another. */
template <class T> INLINE const T &in_place(const T &) {
  return *(const T *)(const T __attribute__((address_space(4))) *)__builtin_amdgcn_kernarg_segment_ptr();
}

INLINE unsigned lane_down(unsigned x, int lanes) { return __shfl_down(x, (unsigned)lanes); }
INLINE unsigned lane_up(unsigned x, int lanes)   { return __shfl_up(x, (unsigned)lanes); }
INLINE unsigned lane_from(unsigned x, int lane)  { return __shfl(x, lane); }
INLINE lane_mask ballot(int p)                   { return (lane_mask)__ballot(p); }

/* The lanes of a wavefront run in step, so the two fences and the barrier generate no instruction. They keep the
** compiler from moving accesses to memory across this call. */
INLINE void wait_for_warp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

INLINE float native_float32_from_float16(unsigned short h) { return (float)__builtin_bit_cast(_Float16, h); }
INLINE unsigned short native_float16_from_float32(float x) { return __builtin_bit_cast(unsigned short, (_Float16)x); }

INLINE void keep_order() { asm volatile(""); }
INLINE void hide_value(int &x) { asm volatile("" : "+v"(x)); }
INLINE void pause_thread()     { __builtin_amdgcn_s_sleep(2); }

#else

INLINE unsigned lane_down(unsigned x, int lanes) { return __shfl_down_sync(LANE_MASK_ALL, x, lanes); }
INLINE unsigned lane_up(unsigned x, int lanes)   { return __shfl_up_sync(LANE_MASK_ALL, x, lanes); }
INLINE unsigned lane_from(unsigned x, int lane)  { return __shfl_sync(LANE_MASK_ALL, x, lane); }
INLINE lane_mask ballot(int p)                   { return __ballot_sync(LANE_MASK_ALL, p); }
INLINE void wait_for_warp()                      { __syncwarp(LANE_MASK_ALL); }
INLINE void hide_value(int &) {}
template <class T> INLINE const T &in_place(const T &first) { return first; }

#ifdef LT_EMULATOR

INLINE void keep_order() {}
INLINE void pause_thread() {}

#else

INLINE float native_float32_from_float16(unsigned short h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
INLINE unsigned short native_float16_from_float32(float x) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}

INLINE void keep_order() { asm volatile(""); }

#if __CUDA_ARCH__ >= 700
INLINE void pause_thread() { __nanosleep(100); }
#else
INLINE void pause_thread() {}
#endif

#endif

#endif

#endif
