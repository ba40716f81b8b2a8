/* Included before every emulated kernel. Defines for g++ the names that are built into NVRTC, without headers of the
** C library. */
#ifndef SIMT_H
#define SIMT_H

#include "simt_abi.h"

/* ---- keywords of CUDA ---- */

/* __global__ and __shared__ are not defined here, because nvrtc.cpp searches the preprocessed source for them. */
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __builtin_align__(n) __align__(n)

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;

#define SIMT_VECTORS(T, name, align1, align2, align4)                                                   \
  struct name##1 { T x; };                                                                              \
  struct __align__(align2) name##2 { T x, y; };                                                         \
  struct name##3 { T x, y, z; };                                                                        \
  struct __align__(align4) name##4 { T x, y, z, w; };                                                   \
  static inline name##1 make_##name##1(T x) { return {x}; }                                             \
  static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                     \
  static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                             \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SIMT_VECTORS(signed char, char, 1, 2, 4)
SIMT_VECTORS(unsigned char, uchar, 1, 2, 4)
SIMT_VECTORS(short, short, 2, 4, 8)
SIMT_VECTORS(unsigned short, ushort, 2, 4, 8)
SIMT_VECTORS(int, int, 4, 8, 16)
SIMT_VECTORS(unsigned, uint, 4, 8, 16)
SIMT_VECTORS(long, long, 8, 16, 16)
SIMT_VECTORS(unsigned long, ulong, 8, 16, 16)
SIMT_VECTORS(long long, longlong, 8, 16, 16)
SIMT_VECTORS(unsigned long long, ulonglong, 8, 16, 16)
SIMT_VECTORS(float, float, 4, 8, 16)
SIMT_VECTORS(double, double, 8, 16, 16)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

/* ---- indices of a thread ---- */

__attribute__((visibility("hidden"))) simt_state simt_now;
#define warpSize  (simt_now.lanes)
#define threadIdx (*(const uint3 *)simt_now.thread)
#define blockIdx  (*(const uint3 *)simt_now.block)
#define blockDim  (*(const dim3 *)simt_now.block_size)
#define gridDim   (*(const dim3 *)simt_now.grid_size)

/* The dynamic shared memory of a block. Every declaration `extern __shared__` refers to this array. */
extern "C" __attribute__((visibility("hidden"))) __align__(1024) unsigned char simt_shared[SIMT_SHARED];
unsigned char simt_shared[SIMT_SHARED];

/* ---- synchronisation ---- */

static inline void __syncthreads() { simt_now.host->barrier(0); }
static inline int  __syncthreads_count(int p) { return simt_now.host->barrier(p != 0); }
static inline int  __syncthreads_or(int p) { return simt_now.host->barrier(p != 0) != 0; }
static inline int  __syncthreads_and(int p) { return simt_now.host->barrier(p == 0) == 0; }
/* The result of __ballot_sync has 32 bits, as in CUDA, except in luatensor's own kernels for 64 lanes. */
#if LANES == 64
typedef simt_mask simt_ballot;
#else
typedef unsigned simt_ballot;
#endif
static inline void __syncwarp(simt_mask mask = ~0ull) { simt_now.host->vote(mask, 0); }
static inline simt_ballot __ballot_sync(simt_mask mask, int p) { return (simt_ballot)simt_now.host->vote(mask, p != 0); }
static inline int __any_sync(simt_mask mask, int p) { return simt_now.host->vote(mask, p != 0) != 0; }
static inline int __all_sync(simt_mask mask, int p) { return simt_now.host->vote(mask, !p) == 0; }
static inline simt_ballot __activemask() { return (simt_ballot)simt_now.host->active(); }

static inline unsigned simt_lane() { return simt_now.host->lane(); }

template <class T> static inline T simt_exchange(simt_mask mask, T value, unsigned source) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  union { T value; unsigned long long bits; } u = {};
  u.value = value;
  u.bits = simt_now.host->exchange(mask, u.bits, source);
  return u.value;
}
/* Shuffles exchange values within sections of `width` lanes. __shfl_sync takes `from` modulo `width`. The other
** shuffles give a lane its own value if the source lane is beyond its section. __shfl_xor_sync may read lanes of
** earlier sections, as on a GPU. */
template <class T> static inline T __shfl_sync(simt_mask mask, T v, int from, int width = warpSize) {
  unsigned lane = simt_lane();
  return simt_exchange(mask, v, (lane & ~(width - 1u)) + (from & (width - 1)));
}
template <class T> static inline T __shfl_up_sync(simt_mask mask, T v, unsigned by, int width = warpSize) {
  unsigned lane = simt_lane(), inside = lane & (width - 1);
  return simt_exchange(mask, v, inside >= by ? lane - by : lane);
}
template <class T> static inline T __shfl_down_sync(simt_mask mask, T v, unsigned by, int width = warpSize) {
  unsigned lane = simt_lane(), inside = lane & (width - 1);
  return simt_exchange(mask, v, inside + by < (unsigned)width ? lane + by : lane);
}
template <class T> static inline T __shfl_xor_sync(simt_mask mask, T v, int with, int width = warpSize) {
  unsigned lane = simt_lane(), other = lane ^ with;
  return simt_exchange(mask, v, other < (lane & ~(width - 1u)) + width ? other : lane);
}

static inline void __threadfence() { simt_now.host->yield(0); }
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __nanosleep(unsigned) {}
static inline void __trap() { simt_now.host->fail(719, "__trap()"); }
static inline void __brkpt() {}
static inline long long clock64() { static long long ticks; return ++ticks; }
#define assert(x) ((x) ? (void)0 : simt_now.host->fail(710, "assert(" #x ")"))
extern "C" int printf(const char *, ...);

/* ---- atomics ----
** Only one thread runs at a time, so plain code is atomic. A thread that compares in vain, such as one that waits for a
** lock, lets other threads run. */

#define SIMT_ATOMIC(name, expression) \
  template <class T> static inline T name(T *p, simt_same<T> v) { T old = *p; *p = (expression); return old; }
template <class T> struct simt_same_type { typedef T type; };
template <class T> using simt_same = typename simt_same_type<T>::type;
SIMT_ATOMIC(atomicAdd,  old + v)
SIMT_ATOMIC(atomicSub,  old - v)
SIMT_ATOMIC(atomicExch, v)
SIMT_ATOMIC(atomicMin,  v < old ? v : old)
SIMT_ATOMIC(atomicMax,  v > old ? v : old)
SIMT_ATOMIC(atomicAnd,  old & v)
SIMT_ATOMIC(atomicOr,   old | v)
SIMT_ATOMIC(atomicXor,  old ^ v)
SIMT_ATOMIC(atomicInc,  old >= v ? 0 : old + 1)
SIMT_ATOMIC(atomicDec,  old == 0 || old > v ? v : old - 1)
template <class T> static inline T atomicCAS(T *p, simt_same<T> is, simt_same<T> v) {
  T old = *p;
  if (old == is) *p = v;
  else simt_now.host->yield(1);
  return old;
}

#include "simt_math.h"

#endif
