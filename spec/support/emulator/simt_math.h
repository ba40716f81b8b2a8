/* The arithmetic functions that are built into NVRTC. The functions call libm, so results may differ from a GPU's in
** the last bits. */
#ifndef SIMT_MATH_H
#define SIMT_MATH_H

#define SIMT_MATH_1(name)                                            \
  extern "C" double name(double); extern "C" float name##f(float);   \
  static inline float name(float x) { return name##f(x); }
#define SIMT_MATH_2(name)                                            \
  extern "C" double name(double, double); extern "C" float name##f(float, float); \
  static inline float name(float x, float y) { return name##f(x, y); }
SIMT_MATH_1(sqrt) SIMT_MATH_1(cbrt) SIMT_MATH_1(exp) SIMT_MATH_1(exp2) SIMT_MATH_1(expm1)
SIMT_MATH_1(log) SIMT_MATH_1(log2) SIMT_MATH_1(log10) SIMT_MATH_1(log1p)
SIMT_MATH_1(sin) SIMT_MATH_1(cos) SIMT_MATH_1(tan) SIMT_MATH_1(asin) SIMT_MATH_1(acos) SIMT_MATH_1(atan)
SIMT_MATH_1(sinh) SIMT_MATH_1(cosh) SIMT_MATH_1(tanh) SIMT_MATH_1(asinh) SIMT_MATH_1(acosh) SIMT_MATH_1(atanh)
SIMT_MATH_1(erf) SIMT_MATH_1(erfc) SIMT_MATH_1(tgamma) SIMT_MATH_1(lgamma)
SIMT_MATH_1(floor) SIMT_MATH_1(ceil) SIMT_MATH_1(trunc) SIMT_MATH_1(round) SIMT_MATH_1(rint) SIMT_MATH_1(nearbyint)
SIMT_MATH_1(fabs)
SIMT_MATH_2(pow) SIMT_MATH_2(atan2) SIMT_MATH_2(hypot) SIMT_MATH_2(fmod) SIMT_MATH_2(remainder)
SIMT_MATH_2(fmin) SIMT_MATH_2(fmax) SIMT_MATH_2(fdim) SIMT_MATH_2(copysign) SIMT_MATH_2(nextafter)

extern "C" double fma(double, double, double);
extern "C" float  fmaf(float, float, float);
extern "C" double ldexp(double, int);
extern "C" float  ldexpf(float, int);
extern "C" double frexp(double, int *);
extern "C" float  frexpf(float, int *);
extern "C" double modf(double, double *);
extern "C" float  modff(float, float *);
extern "C" void   sincosf(float, float *, float *);
extern "C" void   sincos(double, double *, double *);
extern "C" long   lrint(double);
extern "C" long   lrintf(float);
extern "C" int    abs(int);
extern "C" long   labs(long);
extern "C" long long llabs(long long);
extern "C" void  *memcpy(void *, const void *, size_t);
extern "C" void  *memset(void *, int, size_t);
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
static inline float ldexp(float x, int e) { return ldexpf(x, e); }
static inline long  abs(long x) { return labs(x); }
static inline long long abs(long long x) { return llabs(x); }
static inline float abs(float x) { return fabsf(x); }
static inline double abs(double x) { return fabs(x); }

static inline float  rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float  exp10f(float x) { return powf(10, x); }
static inline double exp10(double x) { return pow(10, x); }
static inline float  __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline float  __fdividef(float x, float y) { return x / y; }
static inline float  __expf(float x) { return expf(x); }
static inline float  __exp10f(float x) { return exp10f(x); }
static inline float  __logf(float x) { return logf(x); }
static inline float  __log2f(float x) { return log2f(x); }
static inline float  __log10f(float x) { return log10f(x); }
static inline float  __sinf(float x) { return sinf(x); }
static inline float  __cosf(float x) { return cosf(x); }
static inline float  __powf(float x, float y) { return powf(x, y); }

template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf(x); }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x); }

/* Overloads for pairs of types, because a template min<T> would not accept arguments of different types. */
#define SIMT_MIN_MAX(T)                                              \
  static inline T min(T x, T y) { return y < x ? y : x; }            \
  static inline T max(T x, T y) { return x < y ? y : x; }
SIMT_MIN_MAX(int) SIMT_MIN_MAX(unsigned) SIMT_MIN_MAX(long) SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long) SIMT_MIN_MAX(unsigned long long)
static inline unsigned min(int x, unsigned y) { return min((unsigned)x, y); }
static inline unsigned min(unsigned x, int y) { return min(x, (unsigned)y); }
static inline unsigned max(int x, unsigned y) { return max((unsigned)x, y); }
static inline unsigned max(unsigned x, int y) { return max(x, (unsigned)y); }
static inline float  min(float x, float y) { return fminf(x, y); }
static inline float  max(float x, float y) { return fmaxf(x, y); }
static inline double min(double x, double y) { return fmin(x, y); }
static inline double max(double x, double y) { return fmax(x, y); }

/* ---- single operations, rounded to nearest ---- */

#define SIMT_ROUNDED(T, f)                                           \
  static inline T __##f##add_rn(T x, T y) { return x + y; }          \
  static inline T __##f##sub_rn(T x, T y) { return x - y; }          \
  static inline T __##f##mul_rn(T x, T y) { return x * y; }          \
  static inline T __##f##div_rn(T x, T y) { return x / y; }          \
  static inline T __##f##rcp_rn(T x) { return 1 / x; }               \
  static inline T __##f##sqrt_rn(T x) { return sqrt(x); }
SIMT_ROUNDED(float, f)
SIMT_ROUNDED(double, d)
static inline float  __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

/* ---- bits ---- */

template <class To, class From> static inline To simt_bits(From x) {
  static_assert(sizeof(To) == sizeof(From), "");
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}
static inline int       __float_as_int(float x) { return simt_bits<int>(x); }
static inline unsigned  __float_as_uint(float x) { return simt_bits<unsigned>(x); }
static inline float     __int_as_float(int x) { return simt_bits<float>(x); }
static inline float     __uint_as_float(unsigned x) { return simt_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return simt_bits<long long>(x); }
static inline double    __longlong_as_double(long long x) { return simt_bits<double>(x); }
static inline int       __double2hiint(double x) { return __double_as_longlong(x) >> 32; }
static inline int       __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double    __hiloint2double(int hi, int lo) {
  return __longlong_as_double((long long)hi << 32 | (unsigned)lo);
}
static inline int       __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int       __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static inline int       __ffs(int x) { return __builtin_ffs(x); }
static inline int       __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int       __popc(unsigned x) { return __builtin_popcount(x); }
static inline int       __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline unsigned  __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; i++) y |= (x >> i & 1) << (31 - i);
  return y;
}
static inline int       __mulhi(int x, int y) { return (long long)x * y >> 32; }
static inline unsigned  __umulhi(unsigned x, unsigned y) { return (unsigned long long)x * y >> 32; }
static inline long long __mul64hi(long long x, long long y) { return (__int128)x * y >> 64; }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned __int128)x * y >> 64;
}
static inline unsigned  __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return ((unsigned long long)hi << 32 | lo) << (by & 31) >> 32;
}
static inline unsigned  __funnelshift_r(unsigned lo, unsigned hi, unsigned by) {
  return ((unsigned long long)hi << 32 | lo) >> (by & 31);
}

/* ---- loads and stores with cache hints ---- */

#define SIMT_LOAD(name) template <class T> static inline T name(const T *p) { return *p; }
SIMT_LOAD(__ldg) SIMT_LOAD(__ldca) SIMT_LOAD(__ldcg) SIMT_LOAD(__ldcs) SIMT_LOAD(__ldlu) SIMT_LOAD(__ldcv)
#define SIMT_STORE(name) template <class T> static inline void name(T *p, T v) { *p = v; }
SIMT_STORE(__stwb) SIMT_STORE(__stcg) SIMT_STORE(__stcs) SIMT_STORE(__stwt)

#endif
