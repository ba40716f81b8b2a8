#ifndef LT_COMPLEX_H
#define LT_COMPLEX_H
#define CF(D, T, R, F) \
INLINE T m_mul_##D(T x, T y) { F a = real_##D(x), b = imag_##D(x), c = real_##D(y), d = imag_##D(y); return make_##D(a * c - b * d, a * d + b * c); } \
INLINE T m_div_##D(T x, T y) { F a = real_##D(x), b = imag_##D(x), c = real_##D(y), d = imag_##D(y), s = c * c + d * d; return make_##D((a * c + b * d) / s, (b * c - a * d) / s); } \
INLINE F m_abs_##D(T x) { return m_hypot_##R(real_##D(x), imag_##D(x)); } \
INLINE F m_angle_##D(T x) { return m_atan2_##R(imag_##D(x), real_##D(x)); } \
INLINE T m_conj_##D(T x) { return make_##D(real_##D(x), -imag_##D(x)); } \
INLINE T m_sign_##D(T x) { F a = m_abs_##D(x); return a == 0 ? x : x / a; } \
INLINE bool m_isnan_##D(T x) { F a = real_##D(x), b = imag_##D(x); return a != a || b != b; } \
INLINE bool m_isinf_##D(T x) { return abs_##R(real_##D(x)) == INFINITY || abs_##R(imag_##D(x)) == INFINITY; } \
INLINE bool m_isfinite_##D(T x) { return abs_##R(real_##D(x)) < INFINITY && abs_##R(imag_##D(x)) < INFINITY; } \
INLINE bool m_isclose_##D(T x, T y, T z, T w) { return m_abs_##D(x - y) <= real_##D(w) + real_##D(z) * m_abs_##D(y); } \
INLINE T m_pow_##D(T x, T y) { (void)y; return m_mul_##D(x, x); } \
INLINE bool is_far_trig_##D(T x) { (void)x; return false; }
CF(complex64, complex64_t, float32, float)
CF(complex128, complex128_t, float64, double)
#define STUB(f) INLINE complex64_t f##_complex64(complex64_t x) { return x; } INLINE complex128_t f##_complex128(complex128_t x) { return x; }
STUB(m_exp) STUB(m_expm1) STUB(m_log) STUB(m_log1p) STUB(m_log2) STUB(m_log10) STUB(m_sqrt) STUB(m_sin) STUB(m_cos) STUB(m_tan)
STUB(m_asin) STUB(m_acos) STUB(m_atan) STUB(m_sinh) STUB(m_cosh) STUB(m_tanh) STUB(m_asinh) STUB(m_acosh) STUB(m_atanh) STUB(m_sigmoid)
STUB(sin_any) STUB(cos_any) STUB(tan_any)
INLINE complex128_t plus_complex128(complex128_t a, complex128_t x) { return a + x; }
#endif
