#ifndef LT_MATH_BASE_H
#define LT_MATH_BASE_H

/* Hides the differences between the two kinds of compilers that read src/math, ops.def and dtype.h. One is a C11
** compiler. The other is the GPU's run-time compiler of C++17, NVIDIA's NVRTC or AMD's hipRTC, which has no headers of
** the C library. The emulator of the GPU uses g++ in place of NVRTC. The emulator includes its own header first, which
** declares the functions that are built into NVRTC. */

#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__) || defined(LT_EMULATOR)
#define LT_ON_GPU 1
#else
#define LT_ON_GPU 0
#endif

/* PASTE(m_abs, TYPE) expands to m_abs_float32 if the macro TYPE is defined as float32. */
#define PASTE(name, dtype) PASTE_NAMES(name, dtype)
#define PASTE_NAMES(name, dtype) name##_##dtype

#if LT_ON_GPU

typedef signed char        int8_t;
typedef unsigned char      uint8_t;
typedef short              int16_t;
typedef unsigned short     uint16_t;
typedef int                int32_t;
typedef unsigned int       uint32_t;
typedef long long          int64_t;
typedef unsigned long long uint64_t;
#define INT32_MAX  0x7fffffff
#define INT64_MAX  0x7fffffffffffffffll
#define INT64_MIN  (-INT64_MAX - 1)
#define UINT64_MAX 0xffffffffffffffffull
#define _Bool bool
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fc00000)

#define INLINE static __device__ __forceinline__
#define RARE   static __device__ __noinline__   /* for functions that few elements call */
#define BUILTIN(f) f
#define LT_HAS_FMA 1

#include "math/vendor.cuh"

INLINE uint32_t bits_float32(float x) { return __float_as_uint(x); }
INLINE float    from_bits_float32(uint32_t u) { return __uint_as_float(u); }
INLINE uint64_t bits_float64(double x) { return (uint64_t)__double_as_longlong(x); }
INLINE double   from_bits_float64(uint64_t u) { return __longlong_as_double((long long)u); }
INLINE uint8_t  byte_of_bool(bool x) { return x; }

INLINE int      leading_zeros(uint64_t x) { return __clzll((long long)x); }
INLINE uint64_t high_product(uint64_t a, uint64_t b) { return __umul64hi(a, b); }

/* Replaces C11's _Generic: GENERIC(x, CASE(float, f), CASE(double, g), …) is the function whose CASE names x's
** type. */
template <class T, auto f> struct generic_case {};
struct generic_else;
template <class T> struct generic_value { typedef T type; };
template <class T> struct generic_value<T &> { typedef T type; };
template <class T> struct generic_value<const T> { typedef T type; };
template <class T> struct generic_value<const T &> { typedef T type; };
template <class X, class First, class... Rest> struct generic_choice : generic_choice<X, Rest...> {};
template <class X, auto f, class... Rest>
struct generic_choice<X, generic_case<X, f>, Rest...> { static constexpr auto function = f; };
template <class X, auto f>
struct generic_choice<X, generic_case<generic_else, f>> { static constexpr auto function = f; };
#define CASE(T, f) generic_case<T, f>
#define CASE_ELSE(f) generic_case<generic_else, f>
#define GENERIC(x, ...) (generic_choice<typename generic_value<decltype(x)>::type, __VA_ARGS__>::function)

/* complex_of<float> and complex_of<double> replace C11's complex types, so that C++ compiles the same expressions. */
template <class T> struct __align__(2 * sizeof(T)) complex_of {
  T re, im;
  complex_of() = default;
  __device__ complex_of(T re_, T im_) : re(re_), im(im_) {}
  template <class U> __device__ complex_of(U x) : re((T)x), im(0) {}
  template <class U> __device__ complex_of(complex_of<U> z) : re((T)z.re), im((T)z.im) {}
  __device__ explicit operator float() const { return (float)re; }
  __device__ explicit operator double() const { return (double)re; }
  __device__ complex_of operator-() const { return complex_of(-re, -im); }
  __device__ bool operator!() const { return re == 0 && im == 0; }
  friend __device__ complex_of operator+(complex_of x, complex_of y) { return complex_of(x.re + y.re, x.im + y.im); }
  friend __device__ complex_of operator-(complex_of x, complex_of y) { return complex_of(x.re - y.re, x.im - y.im); }
  friend __device__ complex_of operator/(complex_of x, T y) { return complex_of(x.re / y, x.im / y); }
  friend __device__ bool operator==(complex_of x, complex_of y) { return x.re == y.re && x.im == y.im; }
  friend __device__ bool operator!=(complex_of x, complex_of y) { return !(x == y); }
};
typedef complex_of<float>  complex64_t;
typedef complex_of<double> complex128_t;
INLINE float  real_complex64(complex64_t z)   { return z.re; }
INLINE float  imag_complex64(complex64_t z)   { return z.im; }
INLINE double real_complex128(complex128_t z) { return z.re; }
INLINE double imag_complex128(complex128_t z) { return z.im; }
INLINE complex64_t  make_complex64(float re, float im)    { return complex64_t(re, im); }
INLINE complex128_t make_complex128(double re, double im) { return complex128_t(re, im); }

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* INLINE functions are always inlined, because a call inside a loop would keep the compiler from vectorising the
** loop. */
#define INLINE static inline __attribute__((always_inline, unused))
#define RARE   static inline
#define BUILTIN(f) __builtin_##f

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define LT_HAS_FMA 1
#else
#define LT_HAS_FMA 0
#endif

INLINE uint32_t bits_float32(float x) { uint32_t u; memcpy(&u, &x, sizeof u); return u; }
INLINE float    from_bits_float32(uint32_t u) { float x; memcpy(&x, &u, sizeof x); return x; }
INLINE uint64_t bits_float64(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return u; }
INLINE double   from_bits_float64(uint64_t u) { double x; memcpy(&x, &u, sizeof x); return x; }
INLINE uint8_t  byte_of_bool(bool x) { uint8_t u; memcpy(&u, &x, sizeof u); return u; }

INLINE int      leading_zeros(uint64_t x) { return __builtin_clzll(x); }
INLINE uint64_t high_product(uint64_t a, uint64_t b) {
  __extension__ typedef unsigned __int128 u128;
  return (uint64_t)((u128)a * b >> 64);
}

typedef float _Complex  complex64_t;
typedef double _Complex complex128_t;
INLINE float  real_complex64(complex64_t z)   { return __real__ z; }
INLINE float  imag_complex64(complex64_t z)   { return __imag__ z; }
INLINE double real_complex128(complex128_t z) { return __real__ z; }
INLINE double imag_complex128(complex128_t z) { return __imag__ z; }
/* The real and the imaginary part are set separately, because re + im * i is NaN if a part is infinite. */
INLINE complex64_t make_complex64(float re, float im) {
  complex64_t z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}
INLINE complex128_t make_complex128(double re, double im) {
  complex128_t z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

#define CASE(T, f) T: f
#define CASE_ELSE(f) default: f
#define GENERIC(x, ...) _Generic((x), __VA_ARGS__)

#endif

#endif
