/* The emulated rocSOLVER: AMD's functions, which call the emulated cuSOLVER. cuSOLVER is a part of this library. With
** LT_CHECK_HIP the compiler compares the functions and constants with AMD's headers. */

#include "emulator.h"

#include <cmath>

#ifdef LT_CHECK_HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#endif
extern "C" {
#include "../../../src/gpu/vendor/amd_blas.h"
#include "../../../src/gpu/vendor/amd_solver.h"
}

SOLVER_FUNCTIONS(DECLARE)
#define DECLARE_AMD(field, symbol, parameters) EXPORT rocblas_status symbol parameters;
ROCSOLVER_FUNCTIONS(DECLARE_AMD, s, or, sy, float, float)
ROCSOLVER_FUNCTIONS(DECLARE_AMD, d, or, sy, double, double)
ROCSOLVER_FUNCTIONS(DECLARE_AMD, c, un, he, rocblas_float_complex, float)
ROCSOLVER_FUNCTIONS(DECLARE_AMD, z, un, he, rocblas_double_complex, double)

#ifdef LT_CHECK_HIP
#define CHECK(ours, theirs, value) static_assert(int(theirs) == value, #theirs);
ROCSOLVER_CONSTANTS(CHECK)
#endif

/* Functions of librocblas.so and libamdhip64.so. */
extern "C" rocblas_status emulator_rocblas_begin(rocblas_handle h, size_t needed, gpu_stream *s, void **memory,
                                                 size_t *bytes);
extern "C" int emulator_queue(gpu_stream s, int (*work)(void *), void (*drop)(void *), void *data);
extern "C" bool emulator_reaches(gpu_address a, size_t bytes);

namespace {

/* Statuses of rocBLAS, and an error of the driver. */
enum { INVALID_POINTER = 3, INTERNAL_ERROR = 6, INVALID_VALUE = 11, ILLEGAL_ADDRESS = 700 };

/* The first bytes of the workspace, to which cuSOLVER writes a status that rocSOLVER does not report. */
enum { RESERVED = 256 };

/* What cuSOLVER needs for a call. */
struct call {
  solver_handle h = nullptr;
  gpu_stream stream = nullptr;
  void *device = nullptr;
  size_t device_bytes = 0;
  std::vector<char> host;
  int *ignored = nullptr;
};

rocblas_status status(int cusolver) {
  int r = cusolver == 0 ? 0 : cusolver == 3 ? int(ROCBLAS_INVALID_SIZE) : int(INTERNAL_ERROR);
  return rocblas_status(r);
}

/* Calls size(handle, &device, &host), which returns the bytes of scratch memory, and then, unless the caller asks only for
** this number, run(call). The pointers are null while the caller asks, and otherwise `has_pointers` must be true. */
template <class S, class F> rocblas_status perform(rocblas_handle h, bool has_pointers, S size, F run) {
  call c;
  size_t host = 0;
  void *memory = nullptr;
  if (int r = cusolverDnCreate(&c.h)) return status(r);
  rocblas_status st = status(size(c.h, &c.device_bytes, &host));
  if (int(st) == 0) st = emulator_rocblas_begin(h, c.device_bytes + RESERVED, &c.stream, &memory, &c.device_bytes);
  if (int(st) == 0 && !has_pointers) st = rocblas_status(INVALID_POINTER);
  if (int(st) == 0) {
    c.host.resize(host);
    c.ignored = static_cast<int *>(memory);
    c.device = static_cast<char *>(memory) + RESERVED;
    c.device_bytes -= RESERVED;
    cusolverDnSetStream(c.h, c.stream);
    st = status(run(c));
  }
  cusolverDnDestroy(c.h);
  return st;
}

template <class T> int type_of();
template <> int type_of<float>() { return BLAS_FLOAT32; }
template <> int type_of<double>() { return BLAS_FLOAT64; }
template <> int type_of<rocblas_float_complex>() { return BLAS_COMPLEX64; }
template <> int type_of<rocblas_double_complex>() { return BLAS_COMPLEX128; }

/* ---- work that is queued behind cuSOLVER's ---- */

struct after { std::function<int()> run; };

int queue(gpu_stream s, std::function<int()> run) {
  auto start = [](void *data) { return static_cast<after *>(data)->run(); };
  auto drop = [](void *data) { delete static_cast<after *>(data); };
  return emulator_queue(s, start, drop, new after{std::move(run)}) ? 6 : 0;
}

bool reaches(const void *p, size_t bytes) { return emulator_reaches(reinterpret_cast<uintptr_t>(p), bytes); }

/* Overwrites n numbers of the array e, whose contents mean nothing to luatensor. */
template <class R> int spoil(gpu_stream s, R *e, int n) {
  return queue(s, [=] {
    if (!reaches(e, size_t(n) * sizeof *e)) return int(ILLEGAL_ADDRESS);
    for (int i = 0; i < n; i++) e[i] = R(NAN);
    return 0;
  });
}

/* Unlike LAPACK, rocSOLVER does not report NaN: the rest of the factor becomes NaN, too. R is the type of real parts. */
template <class T, class R> int hide_nan(gpu_stream s, T *a, int n, int lda, int *info) {
  return queue(s, [=] {
    auto diagonal = [=](int i) { return reinterpret_cast<R *>(a + int64_t(i) * (lda + 1)); };
    if (*info < 1 || !std::isnan(*diagonal(*info - 1))) return 0;
    for (int i = *info - 1; i < n; i++) *diagonal(i) = R(NAN);
    *info = 0;
    return 0;
  });
}

/* ---- routines ---- */

solver_triangle triangle_of(rocblas_fill t) { return t == ROCBLAS_UPPER ? SOLVER_UPPER : SOLVER_LOWER; }
bool is_triangle(rocblas_fill t) { return t == ROCBLAS_UPPER || t == ROCBLAS_LOWER; }

template <class T, class R> rocblas_status potrf(rocblas_handle h, rocblas_fill t, int n, T *a, int lda, int *info) {
  int type = type_of<T>();
  if (!is_triangle(t)) return rocblas_status(INVALID_VALUE);
  return perform(h, a && info, [=](solver_handle s, size_t *device, size_t *host) {
    return cusolverDnXpotrf_bufferSize(s, nullptr, triangle_of(t), n, type, a, lda, type, device, host);
  }, [=](call &c) {
    int r = cusolverDnXpotrf(c.h, nullptr, triangle_of(t), n, type, a, lda, type, c.device, c.device_bytes, c.host.data(),
                             c.host.size(), info);
    return r ? r : hide_nan<T, R>(c.stream, a, n, lda, info);
  });
}

template <class T> rocblas_status getrf(rocblas_handle h, int m, int n, T *a, int lda, int *pivots, int *info) {
  int type = type_of<T>();
  return perform(h, a && pivots && info, [=](solver_handle s, size_t *device, size_t *host) {
    return cusolverDnXgetrf_bufferSize(s, nullptr, m, n, type, a, lda, type, device, host);
  }, [=](call &c) {
    return narrow_getrf(c.h, m, n, type, a, lda, pivots, c.device, c.device_bytes, c.host.data(), c.host.size(), info);
  });
}

/* Needs scratch memory, unlike cuSOLVER's. */
template <class T> rocblas_status getrs(rocblas_handle h, rocblas_operation op, int n, int k, T *a, int lda,
                                        const int *pivots, T *b, int ldb) {
  int type = type_of<T>();
  if (op != ROCBLAS_N && op != ROCBLAS_T) return rocblas_status(INVALID_VALUE);
  return perform(h, a && pivots && b, [=](solver_handle, size_t *device, size_t *) {
    *device = size_t(n) * size_t(k) * sizeof *b;
    return 0;
  }, [=](call &c) {
    return narrow_getrs(c.h, op == ROCBLAS_T ? BLAS_T : BLAS_N, n, k, type, a, lda, pivots, b, ldb, c.ignored);
  });
}

template <class T> rocblas_status geqrf(rocblas_handle h, int m, int n, T *a, int lda, T *tau) {
  int type = type_of<T>();
  return perform(h, a && tau, [=](solver_handle s, size_t *device, size_t *host) {
    return cusolverDnXgeqrf_bufferSize(s, nullptr, m, n, type, a, lda, type, tau, type, device, host);
  }, [=](call &c) {
    return cusolverDnXgeqrf(c.h, nullptr, m, n, type, a, lda, type, tau, type, c.device, c.device_bytes, c.host.data(),
                            c.host.size(), c.ignored);
  });
}

/* T is cuSOLVER's type of elements. */
template <class T> rocblas_status orgqr(
    int (*size)(solver_handle, int, int, int, const T *, int, const T *, int *),
    int (*run)(solver_handle, int, int, int, T *, int, const T *, T *, int, int *),
    rocblas_handle h, int m, int n, int k, void *a, int lda, void *tau) {
  T *at = static_cast<T *>(a), *scalars = static_cast<T *>(tau);
  return perform(h, a && tau, [=](solver_handle s, size_t *device, size_t *) {
    int elements = 0, r = size(s, m, n, k, at, lda, scalars, &elements);
    *device = size_t(elements) * sizeof(T);
    return r;
  }, [=](call &c) {
    return run(c.h, m, n, k, at, lda, scalars, static_cast<T *>(c.device), int(c.device_bytes / sizeof(T)), c.ignored);
  });
}

template <class T, class R> rocblas_status syevd(rocblas_handle h, rocblas_evect v, rocblas_fill t, int n, T *a, int lda,
                                                 R *w, R *e, int *info) {
  int type = type_of<T>(), real = type_of<R>(), vectors = v == ROCSOLVER_VECTORS ? SOLVER_WITH_VECTORS : SOLVER_VALUES_ONLY;
  if (!is_triangle(t) || (v != ROCSOLVER_VECTORS && v != ROCSOLVER_VALUES)) return rocblas_status(INVALID_VALUE);
  return perform(h, a && w && e && info, [=](solver_handle s, size_t *device, size_t *host) {
    return cusolverDnXsyevd_bufferSize(s, nullptr, vectors, triangle_of(t), n, type, a, lda, real, w, type, device, host);
  }, [=](call &c) {
    int r = cusolverDnXsyevd(c.h, nullptr, vectors, triangle_of(t), n, type, a, lda, real, w, type, c.device,
                             c.device_bytes, c.host.data(), c.host.size(), info);
    return r ? r : spoil(c.stream, e, n);
  });
}

/* Returns LAPACK's letter, or 0. */
signed char job_of(rocblas_svect v) {
  return v == ROCSOLVER_SVD_ALL ? 'A' : v == ROCSOLVER_SVD_THIN ? 'S' : v == ROCSOLVER_SVD_VALUES ? 'N' : 0;
}

template <class T, class R> rocblas_status gesvd(rocblas_handle h, rocblas_svect left, rocblas_svect right, int m, int n,
                                                 T *a, int lda, R *sigma, T *u, int ldu, T *vt, int ldvt, R *e,
                                                 rocblas_workmode mode, int *info) {
  int type = type_of<T>(), real = type_of<R>();
  signed char u_job = job_of(left), vt_job = job_of(right);
  if (!u_job || !vt_job || mode != ROCSOLVER_FAST) return rocblas_status(INVALID_VALUE);
  return perform(h, a && sigma && (n == 1 || e) && info && (u || u_job == 'N') && (vt || vt_job == 'N'),
                 [=](solver_handle s, size_t *device, size_t *host) {
    return cusolverDnXgesvd_bufferSize(s, nullptr, u_job, vt_job, m, n, type, a, lda, real, sigma, type, u, ldu, type, vt,
                                       ldvt, type, device, host);
  }, [=](call &c) {
    int r = cusolverDnXgesvd(c.h, nullptr, u_job, vt_job, m, n, type, a, lda, real, sigma, type, u, ldu, type, vt, ldvt,
                             type, c.device, c.device_bytes, c.host.data(), c.host.size(), info);
    return r ? r : spoil(c.stream, e, n - 1);
  });
}

}

#define ROUTINES(letter, orthogonal, symmetric, T, R, orgqr_name)                                                    \
  EXPORT rocblas_status rocsolver_##letter##potrf(rocblas_handle h, rocblas_fill t, rocblas_int n, T *a,             \
                                                  rocblas_int lda, rocblas_int *info) {                              \
    return potrf<T, R>(h, t, n, a, lda, info);                                                                       \
  }                                                                                                                  \
  EXPORT rocblas_status rocsolver_##letter##getrf(rocblas_handle h, rocblas_int m, rocblas_int n, T *a,              \
                                                  rocblas_int lda, rocblas_int *pivots, rocblas_int *info) {         \
    return getrf(h, m, n, a, lda, pivots, info);                                                                     \
  }                                                                                                                  \
  EXPORT rocblas_status rocsolver_##letter##getrs(rocblas_handle h, rocblas_operation op, rocblas_int n,             \
                                                  rocblas_int k, T *a, rocblas_int lda, const rocblas_int *pivots,   \
                                                  T *b, rocblas_int ldb) {                                           \
    return getrs(h, op, n, k, a, lda, pivots, b, ldb);                                                               \
  }                                                                                                                  \
  EXPORT rocblas_status rocsolver_##letter##geqrf(rocblas_handle h, rocblas_int m, rocblas_int n, T *a,              \
                                                  rocblas_int lda, T *tau) {                                         \
    return geqrf(h, m, n, a, lda, tau);                                                                              \
  }                                                                                                                  \
  EXPORT rocblas_status rocsolver_##letter##orthogonal##gqr(rocblas_handle h, rocblas_int m, rocblas_int n,          \
                                                            rocblas_int k, T *a, rocblas_int lda, T *tau) {          \
    return orgqr(orgqr_name##_bufferSize, orgqr_name, h, m, n, k, a, lda, tau);                                      \
  }                                                                                                                  \
  EXPORT rocblas_status rocsolver_##letter##symmetric##evd(rocblas_handle h, rocblas_evect v, rocblas_fill t,        \
                                                           rocblas_int n, T *a, rocblas_int lda, R *w, R *e,         \
                                                           rocblas_int *info) {                                      \
    return syevd(h, v, t, n, a, lda, w, e, info);                                                                    \
  }                                                                                                                  \
  EXPORT rocblas_status rocsolver_##letter##gesvd(rocblas_handle h, rocblas_svect left, rocblas_svect right,         \
                                                  rocblas_int m, rocblas_int n, T *a, rocblas_int lda, R *s, T *u,   \
                                                  rocblas_int ldu, T *vt, rocblas_int ldvt, R *e,                    \
                                                  rocblas_workmode mode, rocblas_int *info) {                        \
    return gesvd(h, left, right, m, n, a, lda, s, u, ldu, vt, ldvt, e, mode, info);                                  \
  }
ROUTINES(s, or, sy, float, float, cusolverDnSorgqr)
ROUTINES(d, or, sy, double, double, cusolverDnDorgqr)
ROUTINES(c, un, he, rocblas_float_complex, float, cusolverDnCungqr)
ROUTINES(z, un, he, rocblas_double_complex, double, cusolverDnZungqr)
