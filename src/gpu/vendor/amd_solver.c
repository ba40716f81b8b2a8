/* AMD's library of linear algebra, rocSOLVER: functions with cuSOLVER's parameters. rocSOLVER works with rocBLAS's
** handle and has a function for each type of elements. */

#include "gpu/vendor/amd.h"

#include "gpu/vendor/amd_blas.h"
#include "gpu/vendor/amd_solver.h"

/* The functions of rocBLAS are those that rocSOLVER itself calls. */
#define FIELD(field, symbol, parameters) rocblas_status (*field) parameters;
static struct { ROCBLAS_HANDLE_FUNCTIONS(FIELD) const char *(*error_text)(rocblas_status r); } rocblas;

/* The routines for a type of elements. A pointer to void stands for pointers to elements and to their real parts. */
typedef struct routines { ROCSOLVER_FUNCTIONS(FIELD, s, or, sy, void, void) } routines;
static struct { routines float32, float64, complex64, complex128; } of_type;

static const routines *routines_of(blas_type type) {
  switch ((int)type) {
    case BLAS_FLOAT64:    return &of_type.float64;
    case BLAS_COMPLEX64:  return &of_type.complex64;
    case BLAS_COMPLEX128: return &of_type.complex128;
    default:              return &of_type.float32;
  }
}

static rocblas_fill fill_of(solver_triangle t) {
  return (rocblas_fill)((int)t == SOLVER_UPPER ? ROCBLAS_UPPER : ROCBLAS_LOWER);
}
static rocblas_operation operation_of(blas_operation op) {
  return (rocblas_operation)((int)op == BLAS_N ? ROCBLAS_N : ROCBLAS_T);
}
static rocblas_evect vectors_of(solver_vectors v) {
  return (rocblas_evect)((int)v == SOLVER_WITH_VECTORS ? ROCSOLVER_VECTORS : ROCSOLVER_VALUES);
}
static rocblas_svect job_of(signed char job) {
  return (rocblas_svect)(job == 'A' ? ROCSOLVER_SVD_ALL : job == 'S' ? ROCSOLVER_SVD_THIN : ROCSOLVER_SVD_VALUES);
}

/* A routine that was slow for lack of scratch memory has succeeded. */
static solver_result result_of(rocblas_status r) { return (solver_result)((int)r == ROCBLAS_PERF_DEGRADED ? 0 : r); }

/* ---- handles ---- */

/* Without atomic additions, equal calls have equal results. */
static solver_result create(solver_handle *made) {
  rocblas_handle h = NULL;
  rocblas_status r = rocblas.create(&h);
  if (r != 0) return result_of(r);
  r = rocblas.set_atomics(h, (rocblas_atomics_mode)ROCBLAS_NO_ATOMICS);
  if (r == 0) *made = (solver_handle)h;
  else rocblas.destroy(h);
  return result_of(r);
}

static solver_result destroy(solver_handle h) { return result_of(rocblas.destroy((rocblas_handle)h)); }
static solver_result set_stream(solver_handle h, gpu_stream s) {
  return result_of(rocblas.set_stream((rocblas_handle)h, (hipStream_t)s));
}

/* rocSOLVER has no parameters besides those of its functions. */
static solver_result create_params(solver_params *p) {
  *p = NULL;
  return (solver_result)0;
}
static solver_result destroy_params(solver_params p) {
  (void)p;
  return (solver_result)0;
}

static const char *error_text(solver_result r) { return rocblas.error_text((rocblas_status)r); }

/* ---- scratch memory ---- */

/* A *_size function calls its routine between begin_query and end_query. begin_query refuses sizes of more than 32
** bits. end_query sets *device to the bytes that the routine needs and `more` bytes. */
static solver_result begin_query(rocblas_handle h, int64_t largest, size_t *host) {
  *host = 0;
  return largest > INT32_MAX ? (solver_result)ROCBLAS_INVALID_SIZE : result_of(rocblas.query_start(h));
}

static solver_result end_query(rocblas_handle h, rocblas_status made, size_t more, size_t *device) {
  size_t bytes = 0;
  rocblas_status r = rocblas.query_stop(h, &bytes);
  *device = bytes + more;
  bool queried = made == 0 || made == ROCBLAS_SIZE_INCREASED || made == ROCBLAS_SIZE_UNCHANGED;
  return result_of(queried ? r : made);
}

static solver_result set_room(solver_handle h, void *device, size_t bytes) {
  return result_of(rocblas.set_workspace((rocblas_handle)h, device, bytes));
}

/* Bytes of an array of n real numbers, at which the scratch memory of a routine begins. */
static size_t array_bytes(int64_t n) { return (size_t)(n * 8 + 255) / 256 * 256; }

/* Gives the library the scratch memory behind an array of n real numbers. */
static solver_result set_room_behind(solver_handle h, int64_t n, void *device, size_t bytes) {
  return set_room(h, (char *)device + array_bytes(n), bytes - array_bytes(n));
}

/* ---- routines ---- */

static solver_result potrf_size(solver_handle handle, solver_params p, solver_triangle t, int64_t n, blas_type type,
                                const void *a, int64_t lda, blas_type compute, size_t *device, size_t *host) {
  (void)p; (void)a; (void)compute;
  rocblas_handle h = (rocblas_handle)handle;
  solver_result r = begin_query(h, lda, host);
  if (r != 0) return r;
  return end_query(h, routines_of(type)->potrf(h, fill_of(t), (rocblas_int)n, NULL, (rocblas_int)lda, NULL), 0, device);
}

static solver_result potrf(solver_handle h, solver_params p, solver_triangle t, int64_t n, blas_type type, void *a,
                           int64_t lda, blas_type compute, void *device, size_t device_bytes, void *host,
                           size_t host_bytes, int *info) {
  (void)p; (void)compute; (void)host; (void)host_bytes;
  solver_result r = set_room(h, device, device_bytes);
  if (r != 0) return r;
  return result_of(routines_of(type)->potrf((rocblas_handle)h, fill_of(t), (rocblas_int)n, a, (rocblas_int)lda, info));
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static solver_result getrf_size(solver_handle handle, solver_params p, int64_t m, int64_t n, blas_type type,
                                const void *a, int64_t lda, blas_type compute, size_t *device, size_t *host) {
  (void)p; (void)a; (void)compute;
  rocblas_handle h = (rocblas_handle)handle;
  solver_result r = begin_query(h, larger(n, lda), host);
  if (r != 0) return r;
  return end_query(h, routines_of(type)->getrf(h, (rocblas_int)m, (rocblas_int)n, NULL, (rocblas_int)lda, NULL, NULL), 0,
                   device);
}

/* The pivots have the vendor's pivot_bytes. */
static solver_result getrf(solver_handle h, solver_params p, int64_t m, int64_t n, blas_type type, void *a, int64_t lda,
                           int64_t *pivots, blas_type compute, void *device, size_t device_bytes, void *host,
                           size_t host_bytes, int *info) {
  (void)p; (void)compute; (void)host; (void)host_bytes;
  solver_result r = set_room(h, device, device_bytes);
  if (r != 0) return r;
  return result_of(routines_of(type)->getrf((rocblas_handle)h, (rocblas_int)m, (rocblas_int)n, a, (rocblas_int)lda,
                                            (rocblas_int *)(void *)pivots, info));
}

static solver_result getrs_size(solver_handle handle, blas_operation op, int64_t n, int64_t k, blas_type type,
                                int64_t lda, int64_t ldb, size_t *device, size_t *host) {
  rocblas_handle h = (rocblas_handle)handle;
  solver_result r = begin_query(h, larger(k, larger(lda, ldb)), host);
  if (r != 0) return r;
  return end_query(h, routines_of(type)->getrs(h, operation_of(op), (rocblas_int)n, (rocblas_int)k, NULL,
                                               (rocblas_int)lda, NULL, NULL, (rocblas_int)ldb), 0, device);
}

/* Does not write info, because the factors are not checked. The cast from const is safe, because a is only read. */
static solver_result getrs(solver_handle h, solver_params p, blas_operation op, int64_t n, int64_t k, blas_type type,
                           const void *a, int64_t lda, const int64_t *pivots, blas_type b_type, void *b, int64_t ldb,
                           int *info) {
  (void)p; (void)b_type; (void)info;
  return result_of(routines_of(type)->getrs((rocblas_handle)h, operation_of(op), (rocblas_int)n, (rocblas_int)k,
                                            (void *)(uintptr_t)a, (rocblas_int)lda,
                                            (const rocblas_int *)(const void *)pivots, b, (rocblas_int)ldb));
}

static solver_result geqrf_size(solver_handle handle, solver_params p, int64_t m, int64_t n, blas_type type,
                                const void *a, int64_t lda, blas_type tau_type, const void *tau, blas_type compute,
                                size_t *device, size_t *host) {
  (void)p; (void)a; (void)tau_type; (void)tau; (void)compute;
  rocblas_handle h = (rocblas_handle)handle;
  solver_result r = begin_query(h, larger(n, lda), host);
  if (r != 0) return r;
  return end_query(h, routines_of(type)->geqrf(h, (rocblas_int)m, (rocblas_int)n, NULL, (rocblas_int)lda, NULL), 0, device);
}

static solver_result geqrf(solver_handle h, solver_params p, int64_t m, int64_t n, blas_type type, void *a, int64_t lda,
                           blas_type tau_type, void *tau, blas_type compute, void *device, size_t device_bytes,
                           void *host, size_t host_bytes, int *info) {
  (void)p; (void)tau_type; (void)compute; (void)host; (void)host_bytes; (void)info;
  solver_result r = set_room(h, device, device_bytes);
  if (r != 0) return r;
  return result_of(routines_of(type)->geqrf((rocblas_handle)h, (rocblas_int)m, (rocblas_int)n, a, (rocblas_int)lda, tau));
}

/* Sets *elements to the number of elements of `size` bytes that orgqr needs as scratch memory. */
static solver_result orgqr_size(const routines *to, solver_handle handle, size_t size, int m, int n, int k, int lda,
                                int *elements) {
  rocblas_handle h = (rocblas_handle)handle;
  size_t bytes = 0, host;
  solver_result r = begin_query(h, lda, &host);
  if (r == 0) r = end_query(h, to->orgqr(h, m, n, k, NULL, lda, NULL), 0, &bytes);
  if (r != 0) return r;
  if (bytes / size >= INT32_MAX) return (solver_result)ROCBLAS_INVALID_SIZE;
  *elements = (int)((bytes + size - 1) / size);
  return r;
}

/* The cast from const is safe, because tau is only read. */
static solver_result orgqr(const routines *to, solver_handle h, int m, int n, int k, void *a, int lda, const void *tau,
                           void *work, size_t bytes) {
  solver_result r = set_room(h, work, bytes);
  return r != 0 ? r : result_of(to->orgqr((rocblas_handle)h, m, n, k, a, lda, (void *)(uintptr_t)tau));
}

#define ORGQR_SIZE(dtype, T)                                                                                         \
  static solver_result orgqr_size_##dtype(solver_handle h, int m, int n, int k, const T *a, int lda, const T *tau,   \
                                          int *elements) {                                                           \
    (void)a; (void)tau;                                                                                              \
    return orgqr_size(&of_type.dtype, h, sizeof(T), m, n, k, lda, elements);                                         \
  }
ORGQR_SIZE(float32, float)
ORGQR_SIZE(float64, double)
ORGQR_SIZE(complex64, solver_complex64)
ORGQR_SIZE(complex128, solver_complex128)
#undef ORGQR_SIZE

#define ORGQR(dtype, T)                                                                                              \
  static solver_result orgqr_##dtype(solver_handle h, int m, int n, int k, T *a, int lda, const T *tau, T *work,     \
                                     int elements, int *info) {                                                      \
    (void)info;                                                                                                      \
    return orgqr(&of_type.dtype, h, m, n, k, a, lda, tau, work, (size_t)elements * sizeof(T));                       \
  }
ORGQR(float32, float)
ORGQR(float64, double)
ORGQR(complex64, solver_complex64)
ORGQR(complex128, solver_complex128)
#undef ORGQR

/* syevd and gesvd also write an array e, which luatensor does not use. It is at the beginning of the scratch memory. */

static solver_result syevd_size(solver_handle handle, solver_params p, solver_vectors v, solver_triangle t, int64_t n,
                                blas_type type, const void *a, int64_t lda, blas_type w_type, const void *w,
                                blas_type compute, size_t *device, size_t *host) {
  (void)p; (void)a; (void)w_type; (void)w; (void)compute;
  rocblas_handle h = (rocblas_handle)handle;
  solver_result r = begin_query(h, lda, host);
  if (r != 0) return r;
  return end_query(h, routines_of(type)->syevd(h, vectors_of(v), fill_of(t), (rocblas_int)n, NULL, (rocblas_int)lda, NULL,
                                               NULL, NULL), array_bytes(n), device);
}

static solver_result syevd(solver_handle h, solver_params p, solver_vectors v, solver_triangle t, int64_t n,
                           blas_type type, void *a, int64_t lda, blas_type w_type, void *w, blas_type compute,
                           void *device, size_t device_bytes, void *host, size_t host_bytes, int *info) {
  (void)p; (void)w_type; (void)compute; (void)host; (void)host_bytes;
  solver_result r = set_room_behind(h, n, device, device_bytes);
  if (r != 0) return r;
  return result_of(routines_of(type)->syevd((rocblas_handle)h, vectors_of(v), fill_of(t), (rocblas_int)n, a,
                                            (rocblas_int)lda, w, device, info));
}

static solver_result gesvd_size(solver_handle handle, solver_params p, signed char u_job, signed char vt_job, int64_t m,
                                int64_t n, blas_type type, const void *a, int64_t lda, blas_type s_type, const void *s,
                                blas_type u_type, const void *u, int64_t ldu, blas_type vt_type, const void *vt,
                                int64_t ldvt, blas_type compute, size_t *device, size_t *host) {
  (void)p; (void)a; (void)s_type; (void)s; (void)u_type; (void)u; (void)vt_type; (void)vt; (void)compute;
  rocblas_handle h = (rocblas_handle)handle;
  solver_result r = begin_query(h, larger(n, larger(lda, larger(ldu, ldvt))), host);
  if (r != 0) return r;
  return end_query(h, routines_of(type)->gesvd(
    h, job_of(u_job), job_of(vt_job), (rocblas_int)m, (rocblas_int)n, NULL, (rocblas_int)lda, NULL, NULL,
    (rocblas_int)ldu, NULL, (rocblas_int)ldvt, NULL, (rocblas_workmode)ROCSOLVER_FAST, NULL), array_bytes(n), device);
}

static solver_result gesvd(solver_handle h, solver_params p, signed char u_job, signed char vt_job, int64_t m, int64_t n,
                           blas_type type, void *a, int64_t lda, blas_type s_type, void *s, blas_type u_type, void *u,
                           int64_t ldu, blas_type vt_type, void *vt, int64_t ldvt, blas_type compute, void *device,
                           size_t device_bytes, void *host, size_t host_bytes, int *info) {
  (void)p; (void)s_type; (void)u_type; (void)vt_type; (void)compute; (void)host; (void)host_bytes;
  solver_result r = set_room_behind(h, n, device, device_bytes);
  if (r != 0) return r;
  return result_of(routines_of(type)->gesvd(
    (rocblas_handle)h, job_of(u_job), job_of(vt_job), (rocblas_int)m, (rocblas_int)n, a, (rocblas_int)lda, s, u,
    (rocblas_int)ldu, vt, (rocblas_int)ldvt, device, (rocblas_workmode)ROCSOLVER_FAST, info));
}

/* ---- loading ---- */

static const char MISSING[] = "install ROCm's rocsolver, or name its folder in LUATENSOR_ROCM_PATH";

/* dlsym also searches the libraries that rocSOLVER has loaded, so that rocBLAS's functions are found. */
#define HANDLE_FUNCTION(field, symbol, parameters) {&rocblas.field, #symbol},
#define FLOAT32(field, symbol, parameters)         {&of_type.float32.field, #symbol},
#define FLOAT64(field, symbol, parameters)         {&of_type.float64.field, #symbol},
#define COMPLEX64(field, symbol, parameters)       {&of_type.complex64.field, #symbol},
#define COMPLEX128(field, symbol, parameters)      {&of_type.complex128.field, #symbol},
static const gpu_symbol symbols[] = {
  ROCBLAS_HANDLE_FUNCTIONS(HANDLE_FUNCTION) {&rocblas.error_text, "rocblas_status_to_string"},
  ROCSOLVER_FUNCTIONS(FLOAT32, s, or, sy, , ) ROCSOLVER_FUNCTIONS(FLOAT64, d, or, sy, , )
  ROCSOLVER_FUNCTIONS(COMPLEX64, c, un, he, , ) ROCSOLVER_FUNCTIONS(COMPLEX128, z, un, he, , )
  {NULL, NULL}
};

bool amd_load_solver(gpu_vendor *v) {
  const gpu_file file = {"librocsolver.so", 0, 0, MISSING, symbols, AMD_CURE};
  if (!gpu_load_library(v, GPU_SOLVER, &file)) return false;
  v->solver = (gpu_solver){
    .create = create, .destroy = destroy, .set_stream = set_stream, .create_params = create_params,
    .destroy_params = destroy_params, .potrf_size = potrf_size, .potrf = potrf, .getrf_size = getrf_size, .getrf = getrf,
    .getrs = getrs, .geqrf_size = geqrf_size, .geqrf = geqrf, .syevd_size = syevd_size, .syevd = syevd,
    .gesvd_size = gesvd_size, .gesvd = gesvd,
    .orgqr_size_float32 = orgqr_size_float32, .orgqr_float32 = orgqr_float32,
    .orgqr_size_float64 = orgqr_size_float64, .orgqr_float64 = orgqr_float64,
    .orgqr_size_complex64 = orgqr_size_complex64, .orgqr_complex64 = orgqr_complex64,
    .orgqr_size_complex128 = orgqr_size_complex128, .orgqr_complex128 = orgqr_complex128,
    .error_text = error_text, .getrs_size = getrs_size, .set_room = set_room,
  };
  return true;
}

bool amd_load_eig(gpu_vendor *v) {
  return gpu_set_reason(v, GPU_EIG, "rocSOLVER does not compute eigenvalues of general matrices");
}

/* rocSOLVER multiplies matrices by rocBLAS. */
bool amd_solver_supports(gpu_vendor *v, gpu_device_id id) { return amd_has_kernels(v, id, &rocblas.create); }
