#ifndef LT_SCALAR_H
#define LT_SCALAR_H

/* m_*: the functions of ops.def, overloaded per compute type. Interim version on libm. */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../dtype.h"
static inline float m_exp_float32(float x) { return expf(x); }
static inline double m_exp_float64(double x) { return exp(x); }
#define m_exp(x) _Generic((x), float: m_exp_float32, double: m_exp_float64)(x)
static inline float m_expm1_float32(float x) { return expm1f(x); }
static inline double m_expm1_float64(double x) { return expm1(x); }
#define m_expm1(x) _Generic((x), float: m_expm1_float32, double: m_expm1_float64)(x)
static inline float m_log_float32(float x) { return logf(x); }
static inline double m_log_float64(double x) { return log(x); }
#define m_log(x) _Generic((x), float: m_log_float32, double: m_log_float64)(x)
static inline float m_log1p_float32(float x) { return log1pf(x); }
static inline double m_log1p_float64(double x) { return log1p(x); }
#define m_log1p(x) _Generic((x), float: m_log1p_float32, double: m_log1p_float64)(x)
static inline float m_log2_float32(float x) { return log2f(x); }
static inline double m_log2_float64(double x) { return log2(x); }
#define m_log2(x) _Generic((x), float: m_log2_float32, double: m_log2_float64)(x)
static inline float m_log10_float32(float x) { return log10f(x); }
static inline double m_log10_float64(double x) { return log10(x); }
#define m_log10(x) _Generic((x), float: m_log10_float32, double: m_log10_float64)(x)
static inline float m_sqrt_float32(float x) { return sqrtf(x); }
static inline double m_sqrt_float64(double x) { return sqrt(x); }
#define m_sqrt(x) _Generic((x), float: m_sqrt_float32, double: m_sqrt_float64)(x)
static inline float m_sin_float32(float x) { return sinf(x); }
static inline double m_sin_float64(double x) { return sin(x); }
#define m_sin(x) _Generic((x), float: m_sin_float32, double: m_sin_float64)(x)
static inline float m_cos_float32(float x) { return cosf(x); }
static inline double m_cos_float64(double x) { return cos(x); }
#define m_cos(x) _Generic((x), float: m_cos_float32, double: m_cos_float64)(x)
static inline float m_tan_float32(float x) { return tanf(x); }
static inline double m_tan_float64(double x) { return tan(x); }
#define m_tan(x) _Generic((x), float: m_tan_float32, double: m_tan_float64)(x)
static inline float m_asin_float32(float x) { return asinf(x); }
static inline double m_asin_float64(double x) { return asin(x); }
#define m_asin(x) _Generic((x), float: m_asin_float32, double: m_asin_float64)(x)
static inline float m_acos_float32(float x) { return acosf(x); }
static inline double m_acos_float64(double x) { return acos(x); }
#define m_acos(x) _Generic((x), float: m_acos_float32, double: m_acos_float64)(x)
static inline float m_atan_float32(float x) { return atanf(x); }
static inline double m_atan_float64(double x) { return atan(x); }
#define m_atan(x) _Generic((x), float: m_atan_float32, double: m_atan_float64)(x)
static inline float m_sinh_float32(float x) { return sinhf(x); }
static inline double m_sinh_float64(double x) { return sinh(x); }
#define m_sinh(x) _Generic((x), float: m_sinh_float32, double: m_sinh_float64)(x)
static inline float m_cosh_float32(float x) { return coshf(x); }
static inline double m_cosh_float64(double x) { return cosh(x); }
#define m_cosh(x) _Generic((x), float: m_cosh_float32, double: m_cosh_float64)(x)
static inline float m_tanh_float32(float x) { return tanhf(x); }
static inline double m_tanh_float64(double x) { return tanh(x); }
#define m_tanh(x) _Generic((x), float: m_tanh_float32, double: m_tanh_float64)(x)
static inline float m_asinh_float32(float x) { return asinhf(x); }
static inline double m_asinh_float64(double x) { return asinh(x); }
#define m_asinh(x) _Generic((x), float: m_asinh_float32, double: m_asinh_float64)(x)
static inline float m_acosh_float32(float x) { return acoshf(x); }
static inline double m_acosh_float64(double x) { return acosh(x); }
#define m_acosh(x) _Generic((x), float: m_acosh_float32, double: m_acosh_float64)(x)
static inline float m_atanh_float32(float x) { return atanhf(x); }
static inline double m_atanh_float64(double x) { return atanh(x); }
#define m_atanh(x) _Generic((x), float: m_atanh_float32, double: m_atanh_float64)(x)
static inline float m_erf_float32(float x) { return erff(x); }
static inline double m_erf_float64(double x) { return erf(x); }
#define m_erf(x) _Generic((x), float: m_erf_float32, double: m_erf_float64)(x)
static inline float m_erfc_float32(float x) { return erfcf(x); }
static inline double m_erfc_float64(double x) { return erfc(x); }
#define m_erfc(x) _Generic((x), float: m_erfc_float32, double: m_erfc_float64)(x)
static inline float m_atan2_float32(float x, float y) { return atan2f(x, y); }
static inline double m_atan2_float64(double x, double y) { return atan2(x, y); }
#define m_atan2(x,y) _Generic((x), float: m_atan2_float32, double: m_atan2_float64)(x,y)
static inline float m_hypot_float32(float x, float y) { return hypotf(x, y); }
static inline double m_hypot_float64(double x, double y) { return hypot(x, y); }
#define m_hypot(x,y) _Generic((x), float: m_hypot_float32, double: m_hypot_float64)(x,y)
static inline float m_copysign_float32(float x, float y) { return copysignf(x, y); }
static inline double m_copysign_float64(double x, double y) { return copysign(x, y); }
#define m_copysign(x,y) _Generic((x), float: m_copysign_float32, double: m_copysign_float64)(x,y)
static inline float m_nextafter_float32(float x, float y) { return nextafterf(x, y); }
static inline double m_nextafter_float64(double x, double y) { return nextafter(x, y); }
#define m_nextafter(x,y) _Generic((x), float: m_nextafter_float32, double: m_nextafter_float64)(x,y)
static inline float m_logaddexp_float32(float x, float y) { if (x == y) return x + (float)0.69314718055994530942; float m = x > y ? x : y, d = x > y ? y - x : x - y; return d != d ? d : m + (float)log1p(exp((double)d)); }
static inline double m_logaddexp_float64(double x, double y) { if (x == y) return x + (double)0.69314718055994530942; double m = x > y ? x : y, d = x > y ? y - x : x - y; return d != d ? d : m + (double)log1p(exp((double)d)); }
#define m_logaddexp(x,y) _Generic((x), float: m_logaddexp_float32, double: m_logaddexp_float64)(x,y)
static inline float m_sigmoid_float32(float x) { return (float)(1 / (1 + exp(-(double)x))); }
static inline double m_sigmoid_float64(double x) { return (double)(1 / (1 + exp(-(double)x))); }
#define m_sigmoid(x) _Generic((x), float: m_sigmoid_float32, double: m_sigmoid_float64)(x)
static inline float m_gelu_float32(float x) { return (float)(0.5 * (double)x * (1 + erf((double)x * 0.70710678118654752440))); }
static inline double m_gelu_float64(double x) { return (double)(0.5 * (double)x * (1 + erf((double)x * 0.70710678118654752440))); }
#define m_gelu(x) _Generic((x), float: m_gelu_float32, double: m_gelu_float64)(x)
static inline float m_ceil_float32(float x) { return (float)ceil((double)x); }
static inline double m_ceil_float64(double x) { return (double)ceil((double)x); }
static inline int8_t m_ceil_int8(int8_t x) { return x; }
static inline int16_t m_ceil_int16(int16_t x) { return x; }
static inline int32_t m_ceil_int32(int32_t x) { return x; }
static inline int64_t m_ceil_int64(int64_t x) { return x; }
static inline uint8_t m_ceil_uint8(uint8_t x) { return x; }
static inline uint16_t m_ceil_uint16(uint16_t x) { return x; }
static inline uint32_t m_ceil_uint32(uint32_t x) { return x; }
static inline uint64_t m_ceil_uint64(uint64_t x) { return x; }
#define m_ceil(x) _Generic((x), float: m_ceil_float32, double: m_ceil_float64, int8_t: m_ceil_int8, int16_t: m_ceil_int16, int32_t: m_ceil_int32, int64_t: m_ceil_int64, uint8_t: m_ceil_uint8, uint16_t: m_ceil_uint16, uint32_t: m_ceil_uint32, uint64_t: m_ceil_uint64)(x)
static inline float m_floor_float32(float x) { return (float)floor((double)x); }
static inline double m_floor_float64(double x) { return (double)floor((double)x); }
static inline int8_t m_floor_int8(int8_t x) { return x; }
static inline int16_t m_floor_int16(int16_t x) { return x; }
static inline int32_t m_floor_int32(int32_t x) { return x; }
static inline int64_t m_floor_int64(int64_t x) { return x; }
static inline uint8_t m_floor_uint8(uint8_t x) { return x; }
static inline uint16_t m_floor_uint16(uint16_t x) { return x; }
static inline uint32_t m_floor_uint32(uint32_t x) { return x; }
static inline uint64_t m_floor_uint64(uint64_t x) { return x; }
#define m_floor(x) _Generic((x), float: m_floor_float32, double: m_floor_float64, int8_t: m_floor_int8, int16_t: m_floor_int16, int32_t: m_floor_int32, int64_t: m_floor_int64, uint8_t: m_floor_uint8, uint16_t: m_floor_uint16, uint32_t: m_floor_uint32, uint64_t: m_floor_uint64)(x)
static inline float m_trunc_float32(float x) { return (float)trunc((double)x); }
static inline double m_trunc_float64(double x) { return (double)trunc((double)x); }
static inline int8_t m_trunc_int8(int8_t x) { return x; }
static inline int16_t m_trunc_int16(int16_t x) { return x; }
static inline int32_t m_trunc_int32(int32_t x) { return x; }
static inline int64_t m_trunc_int64(int64_t x) { return x; }
static inline uint8_t m_trunc_uint8(uint8_t x) { return x; }
static inline uint16_t m_trunc_uint16(uint16_t x) { return x; }
static inline uint32_t m_trunc_uint32(uint32_t x) { return x; }
static inline uint64_t m_trunc_uint64(uint64_t x) { return x; }
#define m_trunc(x) _Generic((x), float: m_trunc_float32, double: m_trunc_float64, int8_t: m_trunc_int8, int16_t: m_trunc_int16, int32_t: m_trunc_int32, int64_t: m_trunc_int64, uint8_t: m_trunc_uint8, uint16_t: m_trunc_uint16, uint32_t: m_trunc_uint32, uint64_t: m_trunc_uint64)(x)
static inline float m_round_float32(float x) { return (float)rint((double)x); }
static inline double m_round_float64(double x) { return (double)rint((double)x); }
static inline int8_t m_round_int8(int8_t x) { return x; }
static inline int16_t m_round_int16(int16_t x) { return x; }
static inline int32_t m_round_int32(int32_t x) { return x; }
static inline int64_t m_round_int64(int64_t x) { return x; }
static inline uint8_t m_round_uint8(uint8_t x) { return x; }
static inline uint16_t m_round_uint16(uint16_t x) { return x; }
static inline uint32_t m_round_uint32(uint32_t x) { return x; }
static inline uint64_t m_round_uint64(uint64_t x) { return x; }
#define m_round(x) _Generic((x), float: m_round_float32, double: m_round_float64, int8_t: m_round_int8, int16_t: m_round_int16, int32_t: m_round_int32, int64_t: m_round_int64, uint8_t: m_round_uint8, uint16_t: m_round_uint16, uint32_t: m_round_uint32, uint64_t: m_round_uint64)(x)
static inline float m_abs_float32(float x) { return (float)fabs((double)x); }
static inline double m_abs_float64(double x) { return (double)fabs((double)x); }
static inline int8_t m_abs_int8(int8_t x) { return x < 0 ? (int8_t)-x : x; }
static inline int16_t m_abs_int16(int16_t x) { return x < 0 ? (int16_t)-x : x; }
static inline int32_t m_abs_int32(int32_t x) { return x < 0 ? (int32_t)-x : x; }
static inline int64_t m_abs_int64(int64_t x) { return x < 0 ? (int64_t)-x : x; }
static inline uint8_t m_abs_uint8(uint8_t x) { return x; }
static inline uint16_t m_abs_uint16(uint16_t x) { return x; }
static inline uint32_t m_abs_uint32(uint32_t x) { return x; }
static inline uint64_t m_abs_uint64(uint64_t x) { return x; }
#define m_abs(x) _Generic((x), float: m_abs_float32, double: m_abs_float64, int8_t: m_abs_int8, int16_t: m_abs_int16, int32_t: m_abs_int32, int64_t: m_abs_int64, uint8_t: m_abs_uint8, uint16_t: m_abs_uint16, uint32_t: m_abs_uint32, uint64_t: m_abs_uint64)(x)
static inline float m_sign_float32(float x) { return x != x ? x : (float)((x > 0) - (x < 0)); }
static inline double m_sign_float64(double x) { return x != x ? x : (double)((x > 0) - (x < 0)); }
static inline int8_t m_sign_int8(int8_t x) { return (int8_t)((x > 0) - (x < 0)); }
static inline int16_t m_sign_int16(int16_t x) { return (int16_t)((x > 0) - (x < 0)); }
static inline int32_t m_sign_int32(int32_t x) { return (int32_t)((x > 0) - (x < 0)); }
static inline int64_t m_sign_int64(int64_t x) { return (int64_t)((x > 0) - (x < 0)); }
static inline uint8_t m_sign_uint8(uint8_t x) { return x != 0; }
static inline uint16_t m_sign_uint16(uint16_t x) { return x != 0; }
static inline uint32_t m_sign_uint32(uint32_t x) { return x != 0; }
static inline uint64_t m_sign_uint64(uint64_t x) { return x != 0; }
#define m_sign(x) _Generic((x), float: m_sign_float32, double: m_sign_float64, int8_t: m_sign_int8, int16_t: m_sign_int16, int32_t: m_sign_int32, int64_t: m_sign_int64, uint8_t: m_sign_uint8, uint16_t: m_sign_uint16, uint32_t: m_sign_uint32, uint64_t: m_sign_uint64)(x)
static inline float m_mul_float32(float x, float y) { return x * y; }
static inline double m_mul_float64(double x, double y) { return x * y; }
static inline int8_t m_mul_int8(int8_t x, int8_t y) { return (int8_t)((uint64_t)x * (uint64_t)y); }
static inline int16_t m_mul_int16(int16_t x, int16_t y) { return (int16_t)((uint64_t)x * (uint64_t)y); }
static inline int32_t m_mul_int32(int32_t x, int32_t y) { return (int32_t)((uint64_t)x * (uint64_t)y); }
static inline int64_t m_mul_int64(int64_t x, int64_t y) { return (int64_t)((uint64_t)x * (uint64_t)y); }
static inline uint8_t m_mul_uint8(uint8_t x, uint8_t y) { return (uint8_t)((uint64_t)x * (uint64_t)y); }
static inline uint16_t m_mul_uint16(uint16_t x, uint16_t y) { return (uint16_t)((uint64_t)x * (uint64_t)y); }
static inline uint32_t m_mul_uint32(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * (uint64_t)y); }
static inline uint64_t m_mul_uint64(uint64_t x, uint64_t y) { return (uint64_t)((uint64_t)x * (uint64_t)y); }
#define m_mul(x,y) _Generic((x), float: m_mul_float32, double: m_mul_float64, int8_t: m_mul_int8, int16_t: m_mul_int16, int32_t: m_mul_int32, int64_t: m_mul_int64, uint8_t: m_mul_uint8, uint16_t: m_mul_uint16, uint32_t: m_mul_uint32, uint64_t: m_mul_uint64)(x,y)
static inline float m_max_float32(float x, float y) { return x != x ? x : y != y ? y : x > y ? x : y; }
static inline double m_max_float64(double x, double y) { return x != x ? x : y != y ? y : x > y ? x : y; }
static inline int8_t m_max_int8(int8_t x, int8_t y) { return x > y ? x : y; }
static inline int16_t m_max_int16(int16_t x, int16_t y) { return x > y ? x : y; }
static inline int32_t m_max_int32(int32_t x, int32_t y) { return x > y ? x : y; }
static inline int64_t m_max_int64(int64_t x, int64_t y) { return x > y ? x : y; }
static inline uint8_t m_max_uint8(uint8_t x, uint8_t y) { return x > y ? x : y; }
static inline uint16_t m_max_uint16(uint16_t x, uint16_t y) { return x > y ? x : y; }
static inline uint32_t m_max_uint32(uint32_t x, uint32_t y) { return x > y ? x : y; }
static inline uint64_t m_max_uint64(uint64_t x, uint64_t y) { return x > y ? x : y; }
#define m_max(x,y) _Generic((x), float: m_max_float32, double: m_max_float64, int8_t: m_max_int8, int16_t: m_max_int16, int32_t: m_max_int32, int64_t: m_max_int64, uint8_t: m_max_uint8, uint16_t: m_max_uint16, uint32_t: m_max_uint32, uint64_t: m_max_uint64)(x,y)
static inline float m_min_float32(float x, float y) { return x != x ? x : y != y ? y : x < y ? x : y; }
static inline double m_min_float64(double x, double y) { return x != x ? x : y != y ? y : x < y ? x : y; }
static inline int8_t m_min_int8(int8_t x, int8_t y) { return x < y ? x : y; }
static inline int16_t m_min_int16(int16_t x, int16_t y) { return x < y ? x : y; }
static inline int32_t m_min_int32(int32_t x, int32_t y) { return x < y ? x : y; }
static inline int64_t m_min_int64(int64_t x, int64_t y) { return x < y ? x : y; }
static inline uint8_t m_min_uint8(uint8_t x, uint8_t y) { return x < y ? x : y; }
static inline uint16_t m_min_uint16(uint16_t x, uint16_t y) { return x < y ? x : y; }
static inline uint32_t m_min_uint32(uint32_t x, uint32_t y) { return x < y ? x : y; }
static inline uint64_t m_min_uint64(uint64_t x, uint64_t y) { return x < y ? x : y; }
#define m_min(x,y) _Generic((x), float: m_min_float32, double: m_min_float64, int8_t: m_min_int8, int16_t: m_min_int16, int32_t: m_min_int32, int64_t: m_min_int64, uint8_t: m_min_uint8, uint16_t: m_min_uint16, uint32_t: m_min_uint32, uint64_t: m_min_uint64)(x,y)
static inline float m_remainder_float32(float x, float y) { double r = fmod((double)x, (double)y); return (float)(r != 0 && (r < 0) != (y < 0) ? r + (double)y : r != 0 ? r : copysign(r, (double)y)); }
static inline double m_remainder_float64(double x, double y) { double r = fmod((double)x, (double)y); return (double)(r != 0 && (r < 0) != (y < 0) ? r + (double)y : r != 0 ? r : copysign(r, (double)y)); }
static inline float m_floor_divide_float32(float x, float y) { return (float)floor((double)(x / y)); }
static inline double m_floor_divide_float64(double x, double y) { return (double)floor((double)(x / y)); }
static inline int8_t m_floor_divide_int8(int8_t x, int8_t y) { if (y == 0) return 0; if (y == -1) return (int8_t)(0 - (uint8_t)x); int8_t q = (int8_t)(x / y); return (int8_t)(q - (x % y != 0 && (x < 0) != (y < 0))); }
static inline int16_t m_floor_divide_int16(int16_t x, int16_t y) { if (y == 0) return 0; if (y == -1) return (int16_t)(0 - (uint16_t)x); int16_t q = (int16_t)(x / y); return (int16_t)(q - (x % y != 0 && (x < 0) != (y < 0))); }
static inline int32_t m_floor_divide_int32(int32_t x, int32_t y) { if (y == 0) return 0; if (y == -1) return (int32_t)(0 - (uint32_t)x); int32_t q = (int32_t)(x / y); return (int32_t)(q - (x % y != 0 && (x < 0) != (y < 0))); }
static inline int64_t m_floor_divide_int64(int64_t x, int64_t y) { if (y == 0) return 0; if (y == -1) return (int64_t)(0 - (uint64_t)x); int64_t q = (int64_t)(x / y); return (int64_t)(q - (x % y != 0 && (x < 0) != (y < 0))); }
static inline uint8_t m_floor_divide_uint8(uint8_t x, uint8_t y) { return y ? (uint8_t)(x / y) : 0; }
static inline uint16_t m_floor_divide_uint16(uint16_t x, uint16_t y) { return y ? (uint16_t)(x / y) : 0; }
static inline uint32_t m_floor_divide_uint32(uint32_t x, uint32_t y) { return y ? (uint32_t)(x / y) : 0; }
static inline uint64_t m_floor_divide_uint64(uint64_t x, uint64_t y) { return y ? (uint64_t)(x / y) : 0; }
static inline int8_t m_remainder_int8(int8_t x, int8_t y) { if (y == 0 || y == -1) return 0; int8_t r = (int8_t)(x % y); return r != 0 && (r < 0) != (y < 0) ? (int8_t)(r + y) : r; }
static inline int16_t m_remainder_int16(int16_t x, int16_t y) { if (y == 0 || y == -1) return 0; int16_t r = (int16_t)(x % y); return r != 0 && (r < 0) != (y < 0) ? (int16_t)(r + y) : r; }
static inline int32_t m_remainder_int32(int32_t x, int32_t y) { if (y == 0 || y == -1) return 0; int32_t r = (int32_t)(x % y); return r != 0 && (r < 0) != (y < 0) ? (int32_t)(r + y) : r; }
static inline int64_t m_remainder_int64(int64_t x, int64_t y) { if (y == 0 || y == -1) return 0; int64_t r = (int64_t)(x % y); return r != 0 && (r < 0) != (y < 0) ? (int64_t)(r + y) : r; }
static inline uint8_t m_remainder_uint8(uint8_t x, uint8_t y) { return y ? (uint8_t)(x % y) : 0; }
static inline uint16_t m_remainder_uint16(uint16_t x, uint16_t y) { return y ? (uint16_t)(x % y) : 0; }
static inline uint32_t m_remainder_uint32(uint32_t x, uint32_t y) { return y ? (uint32_t)(x % y) : 0; }
static inline uint64_t m_remainder_uint64(uint64_t x, uint64_t y) { return y ? (uint64_t)(x % y) : 0; }
#define m_floor_divide(x,y) _Generic((x), float: m_floor_divide_float32, double: m_floor_divide_float64, int8_t: m_floor_divide_int8, int16_t: m_floor_divide_int16, int32_t: m_floor_divide_int32, int64_t: m_floor_divide_int64, uint8_t: m_floor_divide_uint8, uint16_t: m_floor_divide_uint16, uint32_t: m_floor_divide_uint32, uint64_t: m_floor_divide_uint64)(x,y)
#define m_remainder(x,y) _Generic((x), float: m_remainder_float32, double: m_remainder_float64, int8_t: m_remainder_int8, int16_t: m_remainder_int16, int32_t: m_remainder_int32, int64_t: m_remainder_int64, uint8_t: m_remainder_uint8, uint16_t: m_remainder_uint16, uint32_t: m_remainder_uint32, uint64_t: m_remainder_uint64)(x,y)
static inline uint64_t m_ipow(uint64_t b, uint64_t e) { uint64_t r = 1; for (; e; e >>= 1, b *= b) if (e & 1) r *= b; return r; }
static inline float m_pow_float32(float x, float y) { return (float)pow((double)x, (double)y); }
static inline double m_pow_float64(double x, double y) { return (double)pow((double)x, (double)y); }
static inline int8_t m_pow_int8(int8_t x, int8_t y) { if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0; return (int8_t)m_ipow((uint64_t)x, (uint64_t)y); }
static inline int16_t m_pow_int16(int16_t x, int16_t y) { if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0; return (int16_t)m_ipow((uint64_t)x, (uint64_t)y); }
static inline int32_t m_pow_int32(int32_t x, int32_t y) { if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0; return (int32_t)m_ipow((uint64_t)x, (uint64_t)y); }
static inline int64_t m_pow_int64(int64_t x, int64_t y) { if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0; return (int64_t)m_ipow((uint64_t)x, (uint64_t)y); }
static inline uint8_t m_pow_uint8(uint8_t x, uint8_t y) { return (uint8_t)m_ipow(x, y); }
static inline uint16_t m_pow_uint16(uint16_t x, uint16_t y) { return (uint16_t)m_ipow(x, y); }
static inline uint32_t m_pow_uint32(uint32_t x, uint32_t y) { return (uint32_t)m_ipow(x, y); }
static inline uint64_t m_pow_uint64(uint64_t x, uint64_t y) { return (uint64_t)m_ipow(x, y); }
#define m_pow(x,y) _Generic((x), float: m_pow_float32, double: m_pow_float64, int8_t: m_pow_int8, int16_t: m_pow_int16, int32_t: m_pow_int32, int64_t: m_pow_int64, uint8_t: m_pow_uint8, uint16_t: m_pow_uint16, uint32_t: m_pow_uint32, uint64_t: m_pow_uint64)(x,y)
static inline int8_t m_invert_int8(int8_t x) { return (int8_t)~x; }
static inline int16_t m_invert_int16(int16_t x) { return (int16_t)~x; }
static inline int32_t m_invert_int32(int32_t x) { return (int32_t)~x; }
static inline int64_t m_invert_int64(int64_t x) { return (int64_t)~x; }
static inline uint8_t m_invert_uint8(uint8_t x) { return (uint8_t)~x; }
static inline uint16_t m_invert_uint16(uint16_t x) { return (uint16_t)~x; }
static inline uint32_t m_invert_uint32(uint32_t x) { return (uint32_t)~x; }
static inline uint64_t m_invert_uint64(uint64_t x) { return (uint64_t)~x; }
static inline bool m_invert_bool(bool x) { return !x; }
#define m_invert(x) _Generic((x), bool: m_invert_bool, int8_t: m_invert_int8, int16_t: m_invert_int16, int32_t: m_invert_int32, int64_t: m_invert_int64, uint8_t: m_invert_uint8, uint16_t: m_invert_uint16, uint32_t: m_invert_uint32, uint64_t: m_invert_uint64)(x)
static inline int8_t m_shr_int8(int8_t x, int64_t n) { return (int8_t)(x >> (n >= (int64_t)sizeof(x) * 8 ? (int64_t)sizeof(x) * 8 - 1 : n)); }
static inline int16_t m_shr_int16(int16_t x, int64_t n) { return (int16_t)(x >> (n >= (int64_t)sizeof(x) * 8 ? (int64_t)sizeof(x) * 8 - 1 : n)); }
static inline int32_t m_shr_int32(int32_t x, int64_t n) { return (int32_t)(x >> (n >= (int64_t)sizeof(x) * 8 ? (int64_t)sizeof(x) * 8 - 1 : n)); }
static inline int64_t m_shr_int64(int64_t x, int64_t n) { return (int64_t)(x >> (n >= (int64_t)sizeof(x) * 8 ? (int64_t)sizeof(x) * 8 - 1 : n)); }
static inline uint8_t m_shr_uint8(uint8_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint8_t)(x >> n); }
static inline uint16_t m_shr_uint16(uint16_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint16_t)(x >> n); }
static inline uint32_t m_shr_uint32(uint32_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint32_t)(x >> n); }
static inline uint64_t m_shr_uint64(uint64_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint64_t)(x >> n); }
static inline int8_t m_shl_int8(int8_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (int8_t)((uint64_t)x << n); }
static inline int16_t m_shl_int16(int16_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (int16_t)((uint64_t)x << n); }
static inline int32_t m_shl_int32(int32_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (int32_t)((uint64_t)x << n); }
static inline int64_t m_shl_int64(int64_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (int64_t)((uint64_t)x << n); }
static inline uint8_t m_shl_uint8(uint8_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint8_t)((uint64_t)x << n); }
static inline uint16_t m_shl_uint16(uint16_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint16_t)((uint64_t)x << n); }
static inline uint32_t m_shl_uint32(uint32_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint32_t)((uint64_t)x << n); }
static inline uint64_t m_shl_uint64(uint64_t x, int64_t n) { return n >= (int64_t)sizeof(x) * 8 ? 0 : (uint64_t)((uint64_t)x << n); }
static inline int8_t m_shift_left_int8(int8_t x, int8_t y) { return y >= 0 ? m_shl_int8(x, y) : m_shr_int8(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline int8_t m_shift_right_int8(int8_t x, int8_t y) { return y >= 0 ? m_shr_int8(x, y) : m_shl_int8(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline int16_t m_shift_left_int16(int16_t x, int16_t y) { return y >= 0 ? m_shl_int16(x, y) : m_shr_int16(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline int16_t m_shift_right_int16(int16_t x, int16_t y) { return y >= 0 ? m_shr_int16(x, y) : m_shl_int16(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline int32_t m_shift_left_int32(int32_t x, int32_t y) { return y >= 0 ? m_shl_int32(x, y) : m_shr_int32(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline int32_t m_shift_right_int32(int32_t x, int32_t y) { return y >= 0 ? m_shr_int32(x, y) : m_shl_int32(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline int64_t m_shift_left_int64(int64_t x, int64_t y) { return y >= 0 ? m_shl_int64(x, y) : m_shr_int64(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline int64_t m_shift_right_int64(int64_t x, int64_t y) { return y >= 0 ? m_shr_int64(x, y) : m_shl_int64(x, -(int64_t)y < 0 ? 64 : -(int64_t)y); }
static inline uint8_t m_shift_left_uint8(uint8_t x, uint8_t y) { return m_shl_uint8(x, y > 64 ? 64 : (int64_t)y); }
static inline uint8_t m_shift_right_uint8(uint8_t x, uint8_t y) { return m_shr_uint8(x, y > 64 ? 64 : (int64_t)y); }
static inline uint16_t m_shift_left_uint16(uint16_t x, uint16_t y) { return m_shl_uint16(x, y > 64 ? 64 : (int64_t)y); }
static inline uint16_t m_shift_right_uint16(uint16_t x, uint16_t y) { return m_shr_uint16(x, y > 64 ? 64 : (int64_t)y); }
static inline uint32_t m_shift_left_uint32(uint32_t x, uint32_t y) { return m_shl_uint32(x, y > 64 ? 64 : (int64_t)y); }
static inline uint32_t m_shift_right_uint32(uint32_t x, uint32_t y) { return m_shr_uint32(x, y > 64 ? 64 : (int64_t)y); }
static inline uint64_t m_shift_left_uint64(uint64_t x, uint64_t y) { return m_shl_uint64(x, y > 64 ? 64 : (int64_t)y); }
static inline uint64_t m_shift_right_uint64(uint64_t x, uint64_t y) { return m_shr_uint64(x, y > 64 ? 64 : (int64_t)y); }
#define m_shift_left(x,y) _Generic((x), int8_t: m_shift_left_int8, int16_t: m_shift_left_int16, int32_t: m_shift_left_int32, int64_t: m_shift_left_int64, uint8_t: m_shift_left_uint8, uint16_t: m_shift_left_uint16, uint32_t: m_shift_left_uint32, uint64_t: m_shift_left_uint64)(x,y)
#define m_shift_right(x,y) _Generic((x), int8_t: m_shift_right_int8, int16_t: m_shift_right_int16, int32_t: m_shift_right_int32, int64_t: m_shift_right_int64, uint8_t: m_shift_right_uint8, uint16_t: m_shift_right_uint16, uint32_t: m_shift_right_uint32, uint64_t: m_shift_right_uint64)(x,y)
static inline bool m_isnan_float32(float x) { return x != x; }
static inline bool m_isnan_float64(double x) { return x != x; }
static inline bool m_isnan_int8(int8_t x) { (void)x; return false; }
static inline bool m_isnan_int16(int16_t x) { (void)x; return false; }
static inline bool m_isnan_int32(int32_t x) { (void)x; return false; }
static inline bool m_isnan_int64(int64_t x) { (void)x; return false; }
static inline bool m_isnan_uint8(uint8_t x) { (void)x; return false; }
static inline bool m_isnan_uint16(uint16_t x) { (void)x; return false; }
static inline bool m_isnan_uint32(uint32_t x) { (void)x; return false; }
static inline bool m_isnan_uint64(uint64_t x) { (void)x; return false; }
static inline bool m_isnan_bool(bool x) { (void)x; return false; }
#define m_isnan(x) _Generic((x), float: m_isnan_float32, double: m_isnan_float64, int8_t: m_isnan_int8, int16_t: m_isnan_int16, int32_t: m_isnan_int32, int64_t: m_isnan_int64, uint8_t: m_isnan_uint8, uint16_t: m_isnan_uint16, uint32_t: m_isnan_uint32, uint64_t: m_isnan_uint64, bool: m_isnan_bool)(x)
static inline bool m_isinf_float32(float x) { return fabs((double)x) == INFINITY; }
static inline bool m_isinf_float64(double x) { return fabs((double)x) == INFINITY; }
static inline bool m_isinf_int8(int8_t x) { (void)x; return false; }
static inline bool m_isinf_int16(int16_t x) { (void)x; return false; }
static inline bool m_isinf_int32(int32_t x) { (void)x; return false; }
static inline bool m_isinf_int64(int64_t x) { (void)x; return false; }
static inline bool m_isinf_uint8(uint8_t x) { (void)x; return false; }
static inline bool m_isinf_uint16(uint16_t x) { (void)x; return false; }
static inline bool m_isinf_uint32(uint32_t x) { (void)x; return false; }
static inline bool m_isinf_uint64(uint64_t x) { (void)x; return false; }
static inline bool m_isinf_bool(bool x) { (void)x; return false; }
#define m_isinf(x) _Generic((x), float: m_isinf_float32, double: m_isinf_float64, int8_t: m_isinf_int8, int16_t: m_isinf_int16, int32_t: m_isinf_int32, int64_t: m_isinf_int64, uint8_t: m_isinf_uint8, uint16_t: m_isinf_uint16, uint32_t: m_isinf_uint32, uint64_t: m_isinf_uint64, bool: m_isinf_bool)(x)
static inline bool m_isfinite_float32(float x) { return fabs((double)x) < INFINITY; }
static inline bool m_isfinite_float64(double x) { return fabs((double)x) < INFINITY; }
static inline bool m_isfinite_int8(int8_t x) { (void)x; return true; }
static inline bool m_isfinite_int16(int16_t x) { (void)x; return true; }
static inline bool m_isfinite_int32(int32_t x) { (void)x; return true; }
static inline bool m_isfinite_int64(int64_t x) { (void)x; return true; }
static inline bool m_isfinite_uint8(uint8_t x) { (void)x; return true; }
static inline bool m_isfinite_uint16(uint16_t x) { (void)x; return true; }
static inline bool m_isfinite_uint32(uint32_t x) { (void)x; return true; }
static inline bool m_isfinite_uint64(uint64_t x) { (void)x; return true; }
static inline bool m_isfinite_bool(bool x) { (void)x; return true; }
#define m_isfinite(x) _Generic((x), float: m_isfinite_float32, double: m_isfinite_float64, int8_t: m_isfinite_int8, int16_t: m_isfinite_int16, int32_t: m_isfinite_int32, int64_t: m_isfinite_int64, uint8_t: m_isfinite_uint8, uint16_t: m_isfinite_uint16, uint32_t: m_isfinite_uint32, uint64_t: m_isfinite_uint64, bool: m_isfinite_bool)(x)
static inline bool m_signbit_float32(float x) { return signbit(x) != 0; }
static inline bool m_signbit_float64(double x) { return signbit(x) != 0; }
#define m_signbit(x) _Generic((x), float: m_signbit_float32, double: m_signbit_float64)(x)
static inline bool m_isclose_float32(float x, float y, float z, float w) { return x == y || (m_isfinite_float32(y) && m_isfinite_float32(x) && fabs((double)(x - y)) <= (double)(w + z * (float)fabs((double)y))); }
static inline bool m_isclose_float64(double x, double y, double z, double w) { return x == y || (m_isfinite_float64(y) && m_isfinite_float64(x) && fabs((double)(x - y)) <= (double)(w + z * (double)fabs((double)y))); }
#define m_isclose(x,y,z,w) _Generic((x), float: m_isclose_float32, double: m_isclose_float64)(x,y,z,w)

static inline float from_float16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff, u;
  float f;
  if (e == 31) u = sign | 0x7f800000 | m << 13;
  else if (e) u = sign | (e + 112) << 23 | m << 13;
  else { f = (float)m * 0x1p-24f; memcpy(&u, &f, 4); u |= sign; }
  memcpy(&f, &u, 4);
  return f;
}
static inline float from_bfloat16(uint16_t h) { uint32_t u = (uint32_t)h << 16; float f; memcpy(&f, &u, 4); return f; }
static inline uint16_t half_bits(float x) {
  uint32_t u; memcpy(&u, &x, 4);
  uint16_t sign = (uint16_t)(u >> 16 & 0x8000);
  u &= 0x7fffffff;
  if (u > 0x7f800000) return (uint16_t)(sign | 0x7e00);
  if (u >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  if (u < 0x38800000) { float f; memcpy(&f, &u, 4); f += 0.5f; memcpy(&u, &f, 4); return (uint16_t)(sign | (u - 0x3f000000)); }
  return (uint16_t)(sign | ((u + 0xc8000fff + (u >> 13 & 1)) >> 13));
}
static inline uint16_t bfloat_bits(float x) {
  uint32_t u; memcpy(&u, &x, 4);
  if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)(u >> 16 | 0x40);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
#define to_float16(x) half_bits((float)(x))
#define to_bfloat16(x) bfloat_bits((float)(x))
#define to_float32(x) ((float)(x))
#define to_float64(x) ((double)(x))
#define to_bool(x) ((x) != 0)
static inline int8_t from_int8(int8_t x) { return x; }
static inline int16_t from_int16(int16_t x) { return x; }
static inline int32_t from_int32(int32_t x) { return x; }
static inline int64_t from_int64(int64_t x) { return x; }
static inline uint8_t from_uint8(uint8_t x) { return x; }
static inline uint16_t from_uint16(uint16_t x) { return x; }
static inline uint32_t from_uint32(uint32_t x) { return x; }
static inline uint64_t from_uint64(uint64_t x) { return x; }
static inline bool from_bool(bool x) { return x; }
static inline float from_float32(float x) { return x; }
static inline double from_float64(double x) { return x; }
static inline int8_t real_to_int8(double x) { return x != x ? 0 : x <= -0x1p7 ? INT8_MIN : x >= 0x1p7 ? INT8_MAX : (int8_t)x; }
static inline int8_t int8_as_int8(int8_t x) { return (int8_t)x; }
static inline int8_t int16_as_int8(int16_t x) { return (int8_t)x; }
static inline int8_t int32_as_int8(int32_t x) { return (int8_t)x; }
static inline int8_t int64_as_int8(int64_t x) { return (int8_t)x; }
static inline int8_t uint8_as_int8(uint8_t x) { return (int8_t)x; }
static inline int8_t uint16_as_int8(uint16_t x) { return (int8_t)x; }
static inline int8_t uint32_as_int8(uint32_t x) { return (int8_t)x; }
static inline int8_t uint64_as_int8(uint64_t x) { return (int8_t)x; }
static inline int8_t bool_as_int8(bool x) { return (int8_t)x; }
#define to_int8(x) _Generic((x), float: real_to_int8, double: real_to_int8, int8_t: int8_as_int8, int16_t: int16_as_int8, int32_t: int32_as_int8, int64_t: int64_as_int8, uint8_t: uint8_as_int8, uint16_t: uint16_as_int8, uint32_t: uint32_as_int8, uint64_t: uint64_as_int8, bool: bool_as_int8)(x)
static inline int16_t real_to_int16(double x) { return x != x ? 0 : x <= -0x1p15 ? INT16_MIN : x >= 0x1p15 ? INT16_MAX : (int16_t)x; }
static inline int16_t int8_as_int16(int8_t x) { return (int16_t)x; }
static inline int16_t int16_as_int16(int16_t x) { return (int16_t)x; }
static inline int16_t int32_as_int16(int32_t x) { return (int16_t)x; }
static inline int16_t int64_as_int16(int64_t x) { return (int16_t)x; }
static inline int16_t uint8_as_int16(uint8_t x) { return (int16_t)x; }
static inline int16_t uint16_as_int16(uint16_t x) { return (int16_t)x; }
static inline int16_t uint32_as_int16(uint32_t x) { return (int16_t)x; }
static inline int16_t uint64_as_int16(uint64_t x) { return (int16_t)x; }
static inline int16_t bool_as_int16(bool x) { return (int16_t)x; }
#define to_int16(x) _Generic((x), float: real_to_int16, double: real_to_int16, int8_t: int8_as_int16, int16_t: int16_as_int16, int32_t: int32_as_int16, int64_t: int64_as_int16, uint8_t: uint8_as_int16, uint16_t: uint16_as_int16, uint32_t: uint32_as_int16, uint64_t: uint64_as_int16, bool: bool_as_int16)(x)
static inline int32_t real_to_int32(double x) { return x != x ? 0 : x <= -0x1p31 ? INT32_MIN : x >= 0x1p31 ? INT32_MAX : (int32_t)x; }
static inline int32_t int8_as_int32(int8_t x) { return (int32_t)x; }
static inline int32_t int16_as_int32(int16_t x) { return (int32_t)x; }
static inline int32_t int32_as_int32(int32_t x) { return (int32_t)x; }
static inline int32_t int64_as_int32(int64_t x) { return (int32_t)x; }
static inline int32_t uint8_as_int32(uint8_t x) { return (int32_t)x; }
static inline int32_t uint16_as_int32(uint16_t x) { return (int32_t)x; }
static inline int32_t uint32_as_int32(uint32_t x) { return (int32_t)x; }
static inline int32_t uint64_as_int32(uint64_t x) { return (int32_t)x; }
static inline int32_t bool_as_int32(bool x) { return (int32_t)x; }
#define to_int32(x) _Generic((x), float: real_to_int32, double: real_to_int32, int8_t: int8_as_int32, int16_t: int16_as_int32, int32_t: int32_as_int32, int64_t: int64_as_int32, uint8_t: uint8_as_int32, uint16_t: uint16_as_int32, uint32_t: uint32_as_int32, uint64_t: uint64_as_int32, bool: bool_as_int32)(x)
static inline int64_t real_to_int64(double x) { return x != x ? 0 : x <= -0x1p63 ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : (int64_t)x; }
static inline int64_t int8_as_int64(int8_t x) { return (int64_t)x; }
static inline int64_t int16_as_int64(int16_t x) { return (int64_t)x; }
static inline int64_t int32_as_int64(int32_t x) { return (int64_t)x; }
static inline int64_t int64_as_int64(int64_t x) { return (int64_t)x; }
static inline int64_t uint8_as_int64(uint8_t x) { return (int64_t)x; }
static inline int64_t uint16_as_int64(uint16_t x) { return (int64_t)x; }
static inline int64_t uint32_as_int64(uint32_t x) { return (int64_t)x; }
static inline int64_t uint64_as_int64(uint64_t x) { return (int64_t)x; }
static inline int64_t bool_as_int64(bool x) { return (int64_t)x; }
#define to_int64(x) _Generic((x), float: real_to_int64, double: real_to_int64, int8_t: int8_as_int64, int16_t: int16_as_int64, int32_t: int32_as_int64, int64_t: int64_as_int64, uint8_t: uint8_as_int64, uint16_t: uint16_as_int64, uint32_t: uint32_as_int64, uint64_t: uint64_as_int64, bool: bool_as_int64)(x)
static inline uint8_t real_to_uint8(double x) { return x != x ? 0 : x <= 0 ? 0 : x >= 0x1p8 ? UINT8_MAX : (uint8_t)x; }
static inline uint8_t int8_as_uint8(int8_t x) { return (uint8_t)x; }
static inline uint8_t int16_as_uint8(int16_t x) { return (uint8_t)x; }
static inline uint8_t int32_as_uint8(int32_t x) { return (uint8_t)x; }
static inline uint8_t int64_as_uint8(int64_t x) { return (uint8_t)x; }
static inline uint8_t uint8_as_uint8(uint8_t x) { return (uint8_t)x; }
static inline uint8_t uint16_as_uint8(uint16_t x) { return (uint8_t)x; }
static inline uint8_t uint32_as_uint8(uint32_t x) { return (uint8_t)x; }
static inline uint8_t uint64_as_uint8(uint64_t x) { return (uint8_t)x; }
static inline uint8_t bool_as_uint8(bool x) { return (uint8_t)x; }
#define to_uint8(x) _Generic((x), float: real_to_uint8, double: real_to_uint8, int8_t: int8_as_uint8, int16_t: int16_as_uint8, int32_t: int32_as_uint8, int64_t: int64_as_uint8, uint8_t: uint8_as_uint8, uint16_t: uint16_as_uint8, uint32_t: uint32_as_uint8, uint64_t: uint64_as_uint8, bool: bool_as_uint8)(x)
static inline uint16_t real_to_uint16(double x) { return x != x ? 0 : x <= 0 ? 0 : x >= 0x1p16 ? UINT16_MAX : (uint16_t)x; }
static inline uint16_t int8_as_uint16(int8_t x) { return (uint16_t)x; }
static inline uint16_t int16_as_uint16(int16_t x) { return (uint16_t)x; }
static inline uint16_t int32_as_uint16(int32_t x) { return (uint16_t)x; }
static inline uint16_t int64_as_uint16(int64_t x) { return (uint16_t)x; }
static inline uint16_t uint8_as_uint16(uint8_t x) { return (uint16_t)x; }
static inline uint16_t uint16_as_uint16(uint16_t x) { return (uint16_t)x; }
static inline uint16_t uint32_as_uint16(uint32_t x) { return (uint16_t)x; }
static inline uint16_t uint64_as_uint16(uint64_t x) { return (uint16_t)x; }
static inline uint16_t bool_as_uint16(bool x) { return (uint16_t)x; }
#define to_uint16(x) _Generic((x), float: real_to_uint16, double: real_to_uint16, int8_t: int8_as_uint16, int16_t: int16_as_uint16, int32_t: int32_as_uint16, int64_t: int64_as_uint16, uint8_t: uint8_as_uint16, uint16_t: uint16_as_uint16, uint32_t: uint32_as_uint16, uint64_t: uint64_as_uint16, bool: bool_as_uint16)(x)
static inline uint32_t real_to_uint32(double x) { return x != x ? 0 : x <= 0 ? 0 : x >= 0x1p32 ? UINT32_MAX : (uint32_t)x; }
static inline uint32_t int8_as_uint32(int8_t x) { return (uint32_t)x; }
static inline uint32_t int16_as_uint32(int16_t x) { return (uint32_t)x; }
static inline uint32_t int32_as_uint32(int32_t x) { return (uint32_t)x; }
static inline uint32_t int64_as_uint32(int64_t x) { return (uint32_t)x; }
static inline uint32_t uint8_as_uint32(uint8_t x) { return (uint32_t)x; }
static inline uint32_t uint16_as_uint32(uint16_t x) { return (uint32_t)x; }
static inline uint32_t uint32_as_uint32(uint32_t x) { return (uint32_t)x; }
static inline uint32_t uint64_as_uint32(uint64_t x) { return (uint32_t)x; }
static inline uint32_t bool_as_uint32(bool x) { return (uint32_t)x; }
#define to_uint32(x) _Generic((x), float: real_to_uint32, double: real_to_uint32, int8_t: int8_as_uint32, int16_t: int16_as_uint32, int32_t: int32_as_uint32, int64_t: int64_as_uint32, uint8_t: uint8_as_uint32, uint16_t: uint16_as_uint32, uint32_t: uint32_as_uint32, uint64_t: uint64_as_uint32, bool: bool_as_uint32)(x)
static inline uint64_t real_to_uint64(double x) { return x != x ? 0 : x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x; }
static inline uint64_t int8_as_uint64(int8_t x) { return (uint64_t)x; }
static inline uint64_t int16_as_uint64(int16_t x) { return (uint64_t)x; }
static inline uint64_t int32_as_uint64(int32_t x) { return (uint64_t)x; }
static inline uint64_t int64_as_uint64(int64_t x) { return (uint64_t)x; }
static inline uint64_t uint8_as_uint64(uint8_t x) { return (uint64_t)x; }
static inline uint64_t uint16_as_uint64(uint16_t x) { return (uint64_t)x; }
static inline uint64_t uint32_as_uint64(uint32_t x) { return (uint64_t)x; }
static inline uint64_t uint64_as_uint64(uint64_t x) { return (uint64_t)x; }
static inline uint64_t bool_as_uint64(bool x) { return (uint64_t)x; }
#define to_uint64(x) _Generic((x), float: real_to_uint64, double: real_to_uint64, int8_t: int8_as_uint64, int16_t: int16_as_uint64, int32_t: int32_as_uint64, int64_t: int64_as_uint64, uint8_t: uint8_as_uint64, uint16_t: uint16_as_uint64, uint32_t: uint32_as_uint64, uint64_t: uint64_as_uint64, bool: bool_as_uint64)(x)

#endif
