/* The emulated cuSOLVER, which calls LAPACK. Requirements of the real library are checked, and scratch memory is
** overwritten, so that callers cannot rely on its contents. */

#include "emulator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

SOLVER_FUNCTIONS(DECLARE)
EIG_FUNCTIONS(DECLARE)

/* Functions of the emulated libcuda.so.1; cublas.cpp describes them. */
extern "C" int emulator_queue(gpu_stream s, int (*work)(void *), void (*drop)(void *), void *data);
extern "C" bool emulator_reaches(gpu_address a, size_t bytes);
extern "C" int cuCtxGetCurrent(gpu_context *context);

struct solver_handle_opaque { gpu_stream stream = nullptr; };
struct solver_params_opaque { int unused = 0; };

/* The LAPACK functions of OpenBLAS. All arguments are addresses. The lengths of the text arguments are added at the
** end. */
#define LAPACK(X)                                                                                             \
  X(potrf, (const char *, const int *, void *, const int *, int *, size_t))                                   \
  X(getrf, (const int *, const int *, void *, const int *, int *, int *))                                     \
  X(getrs, (const char *, const int *, const int *, const void *, const int *, const int *, void *, const int *, \
            int *, size_t))                                                                                   \
  X(geqrf, (const int *, const int *, void *, const int *, void *, void *, const int *, int *))
#define DECLARE_LAPACK(name, arguments) \
  extern "C" void s##name##_ arguments; extern "C" void d##name##_ arguments; \
  extern "C" void c##name##_ arguments; extern "C" void z##name##_ arguments;
LAPACK(DECLARE_LAPACK)
typedef void orgqr_fn(const int *, const int *, const int *, void *, const int *, const void *, void *, const int *, int *);
extern "C" orgqr_fn sorgqr_, dorgqr_, cungqr_, zungqr_;
typedef void syevd_fn(const char *, const char *, const int *, void *, const int *, void *, void *, const int *, int *,
                      const int *, int *, size_t, size_t);
typedef void heevd_fn(const char *, const char *, const int *, void *, const int *, void *, void *, const int *, void *,
                      const int *, int *, const int *, int *, size_t, size_t);
typedef void gesvd_fn(const char *, const char *, const int *, const int *, void *, const int *, void *, void *,
                      const int *, void *, const int *, void *, const int *, int *, size_t, size_t);
typedef void complex_gesvd_fn(const char *, const char *, const int *, const int *, void *, const int *, void *, void *,
                              const int *, void *, const int *, void *, const int *, void *, int *, size_t, size_t);
typedef void geev_fn(const char *, const char *, const int *, void *, const int *, void *, void *, void *, const int *,
                     void *, const int *, void *, const int *, int *, size_t, size_t);
typedef void complex_geev_fn(const char *, const char *, const int *, void *, const int *, void *, void *, const int *,
                             void *, const int *, void *, const int *, void *, int *, size_t, size_t);
extern "C" syevd_fn ssyevd_, dsyevd_;
extern "C" heevd_fn cheevd_, zheevd_;
extern "C" gesvd_fn sgesvd_, dgesvd_;
extern "C" complex_gesvd_fn cgesvd_, zgesvd_;
extern "C" geev_fn sgeev_, dgeev_;
extern "C" complex_geev_fn cgeev_, zgeev_;

namespace {

enum status { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 3, EXECUTION_FAILED = 6, INTERNAL_ERROR = 7 };
enum type { F32 = 0, F64 = 1, C32 = 4, C64 = 5 };
enum { ILLEGAL_ADDRESS = 700, COUNTED_SOLVER = 9, HOST_BYTES = 48 };

bool is_type(int t) { return t == F32 || t == F64 || t == C32 || t == C64; }
bool is_complex(int t) { return t >= C32; }
bool is_wide(int t) { return t == F64 || t == C64; }
int real_of(int t) { return is_wide(t) ? F64 : F32; }
size_t real_size(int t) { return is_wide(t) ? 8 : 4; }
size_t size_of(int t) { return real_size(t) * (is_complex(t) ? 2 : 1); }

/* The LAPACK function for elements of type t, used as PICK(t, getrf)(…). */
#define PICK(t, name) ((t) == F32 ? s##name##_ : (t) == F64 ? d##name##_ : (t) == C32 ? c##name##_ : z##name##_)

typedef std::vector<char> bytes;
typedef std::vector<int> integers;

/* ---- queued calls ---- */

/* A range of device memory that a call reads or writes. `bytes` is 0 if the call does not use the range. */
struct range { const void *at; size_t bytes; };

struct work {
  std::vector<range> ranges;
  void *scratch;
  size_t scratch_bytes;
  std::function<void()> run;
};

int run_work(void *data) {
  const work &w = *static_cast<work *>(data);
  for (const range &r : w.ranges)
    if (r.bytes && !emulator_reaches(reinterpret_cast<uintptr_t>(r.at), r.bytes)) return ILLEGAL_ADDRESS;
  if (w.scratch_bytes) {
    if (!emulator_reaches(reinterpret_cast<uintptr_t>(w.scratch), w.scratch_bytes)) return ILLEGAL_ADDRESS;
    memset(w.scratch, 0xff, w.scratch_bytes);
  }
  w.run();
  return 0;
}

int queue(solver_handle h, work w) {
  if (!h) return NOT_INITIALIZED;
  if (emulator_counted(COUNTED_SOLVER)) return EXECUTION_FAILED;
  auto drop = [](void *data) { delete static_cast<work *>(data); };
  return emulator_queue(h->stream, run_work, drop, new work(std::move(w))) ? EXECUTION_FAILED : SUCCESS;
}

/* Scratch memory that the caller has allocated. The host memory may be used only until the function returns. */
struct scratch { void *device; size_t device_bytes; void *host; size_t host_bytes; };

size_t scratch_for(int64_t elements, int t) { return size_t(elements) * size_of(t) + 64; }

bool is_enough(const scratch &s, int64_t elements, int t) {
  if (s.host) memset(s.host, 0xff, s.host_bytes);
  return s.device && s.device_bytes >= scratch_for(elements, t) && s.host && s.host_bytes >= HOST_BYTES;
}

int tell(int64_t elements, int t, size_t *device, size_t *host) {
  if (!device || !host) return INVALID_VALUE;
  *device = scratch_for(elements, t);
  *host = HOST_BYTES;
  return SUCCESS;
}

range matrix(const void *a, int64_t lda, int64_t columns, int t) { return {a, size_t(lda * columns) * size_of(t)}; }

bool is_matrix(int64_t rows, int64_t columns, int64_t lda) { return rows >= 1 && columns >= 1 && lda >= rows; }

}

/* ---- creating and destroying handles ---- */

EXPORT int cusolverDnCreate(solver_handle *h) {
  gpu_context c = nullptr;
  if (!h || cuCtxGetCurrent(&c) || !c) return NOT_INITIALIZED;
  if (emulator_is_full()) return INTERNAL_ERROR;             /* as cuSOLVER of CUDA 13.0 on an H100 */
  *h = new solver_handle_opaque;
  return SUCCESS;
}
EXPORT int cusolverDnDestroy(solver_handle h) {
  delete h;
  return h ? SUCCESS : NOT_INITIALIZED;
}
EXPORT int cusolverDnSetStream(solver_handle h, gpu_stream s) {
  if (!h) return NOT_INITIALIZED;
  h->stream = s;
  return SUCCESS;
}
EXPORT int cusolverDnCreateParams(solver_params *p) {
  *p = new solver_params_opaque;
  return SUCCESS;
}
EXPORT int cusolverDnDestroyParams(solver_params p) {
  delete p;
  return SUCCESS;
}

/* ---- Cholesky ---- */

EXPORT int cusolverDnXpotrf_bufferSize(solver_handle h, solver_params, solver_triangle, int64_t n, blas_type type,
                                       const void *, int64_t lda, blas_type compute, size_t *device, size_t *host) {
  if (!h || !is_matrix(n, n, lda) || type != compute || !is_type(type)) return INVALID_VALUE;
  return tell(n, type, device, host);
}

EXPORT int cusolverDnXpotrf(solver_handle h, solver_params, solver_triangle t, int64_t n, blas_type type, void *a,
                            int64_t lda, blas_type compute, void *device, size_t device_bytes, void *host,
                            size_t host_bytes, int *info) {
  if (!is_matrix(n, n, lda) || type != compute || !is_enough({device, device_bytes, host, host_bytes}, n, type))
    return INVALID_VALUE;
  return queue(h, {{matrix(a, lda, n, type), {info, sizeof *info}}, device, device_bytes, [=] {
    int order = int(n), ld = int(lda);
    PICK(type, potrf)(t == SOLVER_UPPER ? "U" : "L", &order, a, &ld, info, 1);
  }});
}

/* ---- LU ---- */

EXPORT int cusolverDnXgetrf_bufferSize(solver_handle h, solver_params, int64_t m, int64_t n, blas_type type,
                                       const void *, int64_t lda, blas_type compute, size_t *device, size_t *host) {
  if (!h || !is_matrix(m, n, lda) || type != compute || !is_type(type)) return INVALID_VALUE;
  return tell(m * n, type, device, host);
}

namespace {

/* cuSOLVER's getrf takes NaN for 0: version 12.0 on an H100. */
template <class T> void clear_nan(void *a, int64_t m, int64_t n, int64_t ld) {
  T *x = static_cast<T *>(a);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) if (std::isnan(x[j * ld + i])) x[j * ld + i] = 0;
}

/* getrf and getrs take pivots of 64 bits, and those of AMD's library of 32 bits. */

template <class P> int getrf(solver_handle h, int64_t m, int64_t n, blas_type type, void *a, int64_t lda, P *pivots,
                             const scratch &room, int *info) {
  if (!is_matrix(m, n, lda) || !is_enough(room, m * n, type)) return INVALID_VALUE;
  int64_t p = std::min(m, n);
  return queue(h, {{matrix(a, lda, n, type), {pivots, size_t(p) * sizeof *pivots}, {info, sizeof *info}}, room.device,
                   room.device_bytes, [=] {
    int rows = int(m), columns = int(n), ld = int(lda);
    integers swaps(static_cast<size_t>(p));
    int64_t parts = is_complex(type) ? 2 : 1;
    (is_wide(type) ? clear_nan<double> : clear_nan<float>)(a, m * parts, n, lda * parts);
    PICK(type, getrf)(&rows, &columns, a, &ld, swaps.data(), info);
    for (int64_t i = 0; i < p; i++) pivots[i] = swaps[size_t(i)];
  }});
}

template <class P> int getrs(solver_handle h, blas_operation op, int64_t n, int64_t k, blas_type type, const void *a,
                             int64_t lda, const P *pivots, void *b, int64_t ldb, int *info) {
  if (!is_matrix(n, n, lda) || !is_matrix(n, k, ldb) || !is_type(type)) return INVALID_VALUE;
  return queue(h, {{matrix(a, lda, n, type), matrix(b, ldb, k, type), {pivots, size_t(n) * sizeof *pivots},
                    {info, sizeof *info}}, nullptr, 0, [=] {
    int order = int(n), columns = int(k), ld = int(lda), ld_b = int(ldb);
    integers swaps(pivots, pivots + n);
    PICK(type, getrs)(op == BLAS_T ? "T" : "N", &order, &columns, a, &ld, swaps.data(), b, &ld_b, info, 1);
  }});
}

}

EXPORT int cusolverDnXgetrf(solver_handle h, solver_params, int64_t m, int64_t n, blas_type type, void *a, int64_t lda,
                            int64_t *pivots, blas_type compute, void *device, size_t device_bytes, void *host,
                            size_t host_bytes, int *info) {
  if (type != compute) return INVALID_VALUE;
  return getrf(h, m, n, type, a, lda, pivots, {device, device_bytes, host, host_bytes}, info);
}

EXPORT int cusolverDnXgetrs(solver_handle h, solver_params, blas_operation op, int64_t n, int64_t k, blas_type type,
                            const void *a, int64_t lda, const int64_t *pivots, blas_type b_type, void *b, int64_t ldb,
                            int *info) {
  return type == b_type ? getrs(h, op, n, k, type, a, lda, pivots, b, ldb, info) : int(INVALID_VALUE);
}

int narrow_getrf(solver_handle h, int64_t m, int64_t n, int type, void *a, int64_t lda, int *pivots, void *device,
                 size_t device_bytes, void *host, size_t host_bytes, int *info) {
  return getrf(h, m, n, type, a, lda, pivots, {device, device_bytes, host, host_bytes}, info);
}

int narrow_getrs(solver_handle h, int op, int64_t n, int64_t k, int type, const void *a, int64_t lda, const int *pivots,
                 void *b, int64_t ldb, int *info) {
  return getrs(h, op, n, k, type, a, lda, pivots, b, ldb, info);
}

/* ---- QR ---- */

EXPORT int cusolverDnXgeqrf_bufferSize(solver_handle h, solver_params, int64_t m, int64_t n, blas_type type,
                                       const void *, int64_t lda, blas_type tau_type, const void *, blas_type compute,
                                       size_t *device, size_t *host) {
  if (!h || !is_matrix(m, n, lda) || type != compute || type != tau_type || !is_type(type)) return INVALID_VALUE;
  return tell(m * n, type, device, host);
}

EXPORT int cusolverDnXgeqrf(solver_handle h, solver_params, int64_t m, int64_t n, blas_type type, void *a, int64_t lda,
                            blas_type tau_type, void *tau, blas_type compute, void *device, size_t device_bytes,
                            void *host, size_t host_bytes, int *info) {
  if (!is_matrix(m, n, lda) || type != compute || type != tau_type ||
      !is_enough({device, device_bytes, host, host_bytes}, m * n, type))
    return INVALID_VALUE;
  return queue(h, {{matrix(a, lda, n, type), {tau, size_t(std::min(m, n)) * size_of(type)}, {info, sizeof *info}},
                   device, device_bytes, [=] {
    int rows = int(m), columns = int(n), ld = int(lda), length = 64 * columns;
    bytes room(size_t(length) * size_of(type));
    PICK(type, geqrf)(&rows, &columns, a, &ld, tau, room.data(), &length, info);
  }});
}

namespace {

int orgqr_size(solver_handle h, int m, int n, int k, int lda, int *elements) {
  if (!h || m < n || n < k || k < 1 || lda < m || !elements) return INVALID_VALUE;
  *elements = 64 * n;
  return SUCCESS;
}

int orgqr(solver_handle h, int t, orgqr_fn *f, int m, int n, int k, void *a, int lda, const void *tau, void *memory,
          int elements, int *info) {
  if (m < n || n < k || k < 1 || lda < m || elements < 64 * n) return INVALID_VALUE;
  return queue(h, {{matrix(a, lda, n, t), {tau, size_t(k) * size_of(t)}, {info, sizeof *info}}, memory,
                   size_t(elements) * size_of(t), [=] {
    bytes room(size_t(elements) * size_of(t));
    f(&m, &n, &k, a, &lda, tau, room.data(), &elements, info);
  }});
}

}

#define ORGQR(symbol, type, T, f)                                                                                    \
  EXPORT int symbol##_bufferSize(solver_handle h, int m, int n, int k, const T *, int lda, const T *, int *elements) { \
    return orgqr_size(h, m, n, k, lda, elements);                                                                    \
  }                                                                                                                  \
  EXPORT int symbol(solver_handle h, int m, int n, int k, T *a, int lda, const T *tau, T *work, int elements,        \
                    int *info) {                                                                                     \
    return orgqr(h, type, f, m, n, k, a, lda, tau, work, elements, info);                                            \
  }
ORGQR(cusolverDnSorgqr, F32, float, sorgqr_)
ORGQR(cusolverDnDorgqr, F64, double, dorgqr_)
ORGQR(cusolverDnCungqr, C32, solver_complex64, cungqr_)
ORGQR(cusolverDnZungqr, C64, solver_complex128, zungqr_)

/* ---- symmetric matrices ---- */

EXPORT int cusolverDnXsyevd_bufferSize(solver_handle h, solver_params, solver_vectors, solver_triangle, int64_t n,
                                       blas_type type, const void *, int64_t lda, blas_type w_type, const void *,
                                       blas_type compute, size_t *device, size_t *host) {
  if (!h || !is_matrix(n, n, lda) || type != compute || w_type != real_of(type)) return INVALID_VALUE;
  return tell(n * n, type, device, host);
}

EXPORT int cusolverDnXsyevd(solver_handle h, solver_params, solver_vectors v, solver_triangle t, int64_t n,
                            blas_type type, void *a, int64_t lda, blas_type w_type, void *w, blas_type compute,
                            void *device, size_t device_bytes, void *host, size_t host_bytes, int *info) {
  if (!is_matrix(n, n, lda) || type != compute || w_type != real_of(type) ||
      !is_enough({device, device_bytes, host, host_bytes}, n * n, type))
    return INVALID_VALUE;
  return queue(h, {{matrix(a, lda, n, type), {w, size_t(n) * real_size(type)}, {info, sizeof *info}}, device,
                   device_bytes, [=] {
    int order = int(n), ld = int(lda), length = int(2 * n * n + 8 * n + 64), reals = int(2 * n * n + 8 * n + 64);
    int count = int(5 * n + 64);
    bytes room(size_t(length) * size_of(type)), more(size_t(reals) * real_size(type));
    integers numbers(static_cast<size_t>(count));
    const char *job = v == SOLVER_WITH_VECTORS ? "V" : "N", *uplo = t == SOLVER_UPPER ? "U" : "L";
    if (is_complex(type))
      (type == C32 ? cheevd_ : zheevd_)(job, uplo, &order, a, &ld, w, room.data(), &length, more.data(), &reals,
                                        numbers.data(), &count, info, 1, 1);
    else
      (type == F32 ? ssyevd_ : dsyevd_)(job, uplo, &order, a, &ld, w, room.data(), &length, numbers.data(), &count,
                                        info, 1, 1);
  }});
}

/* ---- singular values ----
** As in the real library, the matrix must not have more columns than rows. */

EXPORT int cusolverDnXgesvd_bufferSize(solver_handle h, solver_params, signed char, signed char, int64_t m, int64_t n,
                                       blas_type type, const void *, int64_t lda, blas_type s_type, const void *,
                                       blas_type u_type, const void *, int64_t, blas_type vt_type, const void *,
                                       int64_t, blas_type compute, size_t *device, size_t *host) {
  if (!h || m < n || !is_matrix(m, n, lda) || type != compute || s_type != real_of(type) || u_type != type ||
      vt_type != type)
    return INVALID_VALUE;
  return tell(m * n, type, device, host);
}

EXPORT int cusolverDnXgesvd(solver_handle h, solver_params, signed char u_job, signed char vt_job, int64_t m, int64_t n,
                            blas_type type, void *a, int64_t lda, blas_type s_type, void *s, blas_type u_type, void *u,
                            int64_t ldu, blas_type vt_type, void *vt, int64_t ldvt, blas_type compute, void *device,
                            size_t device_bytes, void *host, size_t host_bytes, int *info) {
  if (m < n || !is_matrix(m, n, lda) || type != compute || s_type != real_of(type) || u_type != type ||
      vt_type != type || !is_enough({device, device_bytes, host, host_bytes}, m * n, type))
    return INVALID_VALUE;
  if ((u_job != 'N' && ldu < m) || (vt_job != 'N' && ldvt < n)) return INVALID_VALUE;
  int64_t u_columns = u_job == 'A' ? m : u_job == 'S' ? n : 0, vt_columns = vt_job == 'N' ? 0 : n;
  return queue(h, {{matrix(a, lda, n, type), matrix(u, ldu, u_columns, type), matrix(vt, ldvt, vt_columns, type),
                    {s, size_t(n) * real_size(type)}, {info, sizeof *info}}, device, device_bytes, [=] {
    int rows = int(m), columns = int(n), ld = int(lda), ld_u = int(std::max<int64_t>(ldu, 1));
    int ld_v = int(std::max<int64_t>(ldvt, 1)), length = int(8 * (m + n) + 64 * n);
    const char jobs[2] = {char(u_job), char(vt_job)};
    bytes room(size_t(length) * size_of(type)), more(size_t(5 * n) * real_size(type));
    if (is_complex(type))
      (type == C32 ? cgesvd_ : zgesvd_)(&jobs[0], &jobs[1], &rows, &columns, a, &ld, s, u, &ld_u, vt, &ld_v,
                                        room.data(), &length, more.data(), info, 1, 1);
    else
      (type == F32 ? sgesvd_ : dgesvd_)(&jobs[0], &jobs[1], &rows, &columns, a, &ld, s, u, &ld_u, vt, &ld_v,
                                        room.data(), &length, info, 1, 1);
  }});
}

/* ---- eigenvalues of general matrices, as complex values ----
** The eigenvectors of a real matrix are packed as by LAPACK's geev. */

EXPORT int cusolverDnXgeev_bufferSize(solver_handle h, solver_params, solver_vectors left, solver_vectors, int64_t n,
                                      blas_type type, const void *, int64_t lda, blas_type w_type, const void *,
                                      blas_type, const void *, int64_t, blas_type vr_type, const void *, int64_t,
                                      blas_type compute, size_t *device, size_t *host) {
  if (!h || left != SOLVER_VALUES_ONLY || !is_matrix(n, n, lda) || type != compute || vr_type != type ||
      w_type != (is_wide(type) ? C64 : C32))
    return INVALID_VALUE;
  return tell(n * n, type, device, host);
}

EXPORT int cusolverDnXgeev(solver_handle h, solver_params, solver_vectors left, solver_vectors right, int64_t n,
                           blas_type type, void *a, int64_t lda, blas_type w_type, void *w, blas_type, void *, int64_t,
                           blas_type vr_type, void *vr, int64_t ldvr, blas_type compute, void *device,
                           size_t device_bytes, void *host, size_t host_bytes, int *info) {
  bool vectors = right == SOLVER_WITH_VECTORS;
  if (left != SOLVER_VALUES_ONLY || !is_matrix(n, n, lda) || (vectors && ldvr < n) || type != compute ||
      vr_type != type || w_type != (is_wide(type) ? C64 : C32) ||
      !is_enough({device, device_bytes, host, host_bytes}, n * n, type))
    return INVALID_VALUE;
  return queue(h, {{matrix(a, lda, n, type), {w, size_t(2 * n) * real_size(type)},
                    matrix(vr, ldvr, vectors ? n : 0, type), {info, sizeof *info}}, device, device_bytes, [=] {
    int order = int(n), ld = int(lda), one = 1, ld_v = int(std::max<int64_t>(ldvr, 1)), length = int(64 * n);
    size_t real = real_size(type);
    bytes room(size_t(length) * size_of(type)), parts(size_t(2 * n) * real);
    const char *job = vectors ? "V" : "N";
    if (is_complex(type)) {
      (type == C32 ? cgeev_ : zgeev_)("N", job, &order, a, &ld, w, nullptr, &one, vr, &ld_v, room.data(), &length,
                                      parts.data(), info, 1, 1);
      return;
    }
    char *im = parts.data() + size_t(n) * real, *out = static_cast<char *>(w);
    (type == F32 ? sgeev_ : dgeev_)("N", job, &order, a, &ld, parts.data(), im, nullptr, &one, vr, &ld_v, room.data(),
                                    &length, info, 1, 1);
    for (size_t i = 0; i < size_t(n); i++) {
      memcpy(out + 2 * i * real, parts.data() + i * real, real);
      memcpy(out + (2 * i + 1) * real, im + i * real, real);
    }
  }});
}
