#include "cpu/linalg/lapack.h"

#include <math.h>

/* Accelerate exports LAPACK 3.9 under separate names, in addition to an older version. */
#ifdef ACCELERATE_NEW_LAPACK
#define SYMBOL(name) __asm("_" #name "$NEWLAPACK")
#else
#define SYMBOL(name)
#endif

#define DECLARE(type, name) extern type name##_ SYMBOL(name);
#define COMMON(X, p) \
  X(gemm_fn, p##gemm) X(gemv_fn, p##gemv) X(larfg_fn, p##larfg) X(trsm_fn, p##trsm) X(laswp_fn, p##laswp) X(geqrt3_fn, p##geqrt3) X(larft_fn, p##larft) \
  X(potrf_fn, p##potrf) X(getrf_fn, p##getrf) X(getrs_fn, p##getrs) X(getri_fn, p##getri) X(geqrf_fn, p##geqrf)
#define REAL(X, p) \
  X(syrk_fn, p##syrk) X(lascl_fn, p##lascl) X(sytrd_fn, p##sytrd) X(stedc_fn, p##stedc) X(laed2_fn, p##laed2) X(laed4_fn, p##laed4) X(lamrg_fn, p##lamrg) X(bdsdc_fn, p##bdsdc) X(ormbr_fn, p##ormbr) X(lalsd_fn, p##lalsd) \
  X(orgqr_fn, p##orgqr) X(gesdd_fn, p##gesdd) X(syevd_fn, p##syevd) X(geev_fn, p##geev) X(gelsd_fn, p##gelsd)
#define COMPLEX(X, p) \
  X(syrk_fn, p##herk) \
  X(orgqr_fn, p##ungqr) X(complex_gesdd_fn, p##gesdd) X(heevd_fn, p##heevd) X(complex_geev_fn, p##geev) \
  X(complex_gelsd_fn, p##gelsd)

COMMON(DECLARE, s) REAL(DECLARE, s)
COMMON(DECLARE, d) REAL(DECLARE, d)
COMMON(DECLARE, c) COMPLEX(DECLARE, c)
COMMON(DECLARE, z) COMPLEX(DECLARE, z)

#define COMMON_FIELDS(p) \
  .gemm = p##gemm_, .gemv = p##gemv_, .larfg = p##larfg_, .trsm = p##trsm_, .laswp = p##laswp_, .geqrt3 = p##geqrt3_, .larft = p##larft_, \
  .potrf = p##potrf_, .getrf = p##getrf_, .getrs = p##getrs_, .getri = p##getri_, .geqrf = p##geqrf_
#define REAL_ROW(p, T) \
  {.size = sizeof(T), .real_size = sizeof(T), COMMON_FIELDS(p), \
   .syrk = p##syrk_, .lascl = p##lascl_, .sytrd = p##sytrd_, .stedc = p##stedc_, .laed2 = p##laed2_, .laed4 = p##laed4_, .lamrg = p##lamrg_, .bdsdc = p##bdsdc_, .ormbr = p##ormbr_, .lalsd = p##lalsd_, .orgqr = p##orgqr_, .gesdd = p##gesdd_, \
   .syevd = p##syevd_, .geev = p##geev_, .gelsd = p##gelsd_}
#define COMPLEX_ROW(p, T) \
  {.is_complex = true, .size = 2 * sizeof(T), .real_size = sizeof(T), COMMON_FIELDS(p), .syrk = p##herk_, .orgqr = p##ungqr_, \
   .complex_gesdd = p##gesdd_, .heevd = p##heevd_, .complex_geev = p##geev_, .complex_gelsd = p##gelsd_}

static const lapack real[] = {REAL_ROW(s, float), REAL_ROW(d, double)};
static const lapack complex[] = {COMPLEX_ROW(c, float), COMPLEX_ROW(z, double)};

const lapack *lapack_of(enum dtype d) {
  switch (d) {
    case DT_float32:    return &real[0];
    case DT_float64:    return &real[1];
    case DT_complex64:  return &complex[0];
    case DT_complex128: return &complex[1];
    default:            return NULL;
  }
}

int64_t lapack_work_length(const lapack *l, const void *work) {
  return (int64_t)(l->real_size == sizeof(float) ? *(const float *)work * (1 + 0x1p-22) : *(const double *)work);
}

/* The sum of x * 0 over all elements is NaN if an element is NaN or infinite, otherwise 0. Computing the sum needs no
** branches. */
bool lapack_is_finite(const lapack *l, const void *x, int64_t count) {
  const float *f = x;
  const double *d = x;
  float sum = 0;
  double wide = 0;
  if (l->is_complex) count *= 2;
  if (l->real_size == sizeof(float))
    for (int64_t i = 0; i < count; i++) sum += f[i] * 0.0f;
  else
    for (int64_t i = 0; i < count; i++) wide += d[i] * 0.0;
  return sum == 0 && wide == 0;
}

bool lapack_spread_nan(const lapack *l, void *x, int64_t count) {
  if (lapack_is_finite(l, x, count)) return false;
  bool is_float = l->real_size == sizeof(float), found = false;
  float *f = x;
  double *d = x;
  if (l->is_complex) count *= 2;
  for (int64_t i = 0; i < count && !found; i++) found = is_float ? isnan(f[i]) : isnan(d[i]);
  for (int64_t i = 0; i < count && found; i++)
    if (is_float) f[i] = NAN; else d[i] = (double)NAN;
  return found;
}
