/* The emulated rocBLAS: AMD's functions, which convert their arguments for the emulated cuBLAS. cuBLAS is a part of this
** library. With LT_CHECK_HIP the compiler compares the functions and constants with AMD's headers. */

#include "emulator.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

#ifdef LT_CHECK_HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#endif
extern "C" {
#include "../../../src/gpu/vendor/amd_blas.h"
}

BLAS_FUNCTIONS(DECLARE_DRIVER)
#define DECLARE_AMD(field, symbol, parameters) EXPORT rocblas_status symbol parameters;
ROCBLAS_FUNCTIONS(DECLARE_AMD)
ROCBLAS_HANDLE_FUNCTIONS(DECLARE_AMD)

#ifdef LT_CHECK_HIP
#define CHECK(ours, theirs, value) static_assert(int(theirs) == value, #theirs);
ROCBLAS_CONSTANTS(CHECK)
#endif

extern "C" const char *emulator_processor();           /* libamdhip64.so defines this function */

namespace {

/* Statuses of rocBLAS. */
enum { INVALID_HANDLE = 1, NOT_IMPLEMENTED = 2, INVALID_POINTER = 3, INTERNAL_ERROR = 6, QUERY_MISMATCH = 8,
       INVALID_VALUE = 11 };

#ifdef LT_CHECK_HIP
static_assert(INVALID_HANDLE == rocblas_status_invalid_handle && NOT_IMPLEMENTED == rocblas_status_not_implemented &&
              INVALID_POINTER == rocblas_status_invalid_pointer && INTERNAL_ERROR == rocblas_status_internal_error &&
              QUERY_MISMATCH == rocblas_status_size_query_mismatch && INVALID_VALUE == rocblas_status_invalid_value, "status");
#endif

}

/* By default rocBLAS may add atomically, so that equal products differ. */
struct _rocblas_handle {
  blas_handle cublas = nullptr;
  bool atomics = true;
  gpu_stream stream = nullptr;
  void *workspace = nullptr;
  size_t bytes = 0;                    /* of the workspace */
  bool query = false;
  size_t queried = 0;                  /* the bytes that the calls since the query's beginning need */
};

namespace {

rocblas_status status(int cublas) {
  int r = cublas == 0 ? 0 : cublas == 1 ? INVALID_HANDLE : cublas == 7 ? INVALID_VALUE : cublas == 15 ? NOT_IMPLEMENTED
        : int(INTERNAL_ERROR);
  return rocblas_status(r);
}

int type_of(rocblas_datatype t) {
  switch (int(t)) {
    case ROCBLAS_FLOAT32: return BLAS_FLOAT32;
    case ROCBLAS_FLOAT64: return BLAS_FLOAT64;
    case ROCBLAS_FLOAT16: return BLAS_FLOAT16;
    case ROCBLAS_BFLOAT16: return BLAS_BFLOAT16;
    case ROCBLAS_COMPLEX64: return BLAS_COMPLEX64;
    case ROCBLAS_COMPLEX128: return BLAS_COMPLEX128;
    default: return -1;
  }
}

/* Returns cuBLAS's type of computation, or -1 if rocBLAS has no such product. */
int compute_of(rocblas_datatype type, rocblas_datatype compute) {
  bool half = type == ROCBLAS_FLOAT16 || type == ROCBLAS_BFLOAT16;
  if (half ? compute != ROCBLAS_FLOAT32 : compute != type) return -1;
  return type == ROCBLAS_FLOAT64 || type == ROCBLAS_COMPLEX128 ? BLAS_COMPUTE_FLOAT64 : BLAS_COMPUTE_FLOAT32;
}

}

/* Ends the process if rocBLAS has no file of kernels for the device's processor, as AMD's library does. The emulated MIOpen
** calls this function before it would multiply matrices. */
EXPORT void emulator_need_kernels() {
  Dl_info at;
  dladdr(reinterpret_cast<void *>(emulator_need_kernels), &at);
  std::string folder = at.dli_fname, processor = emulator_processor();
  processor = processor.substr(0, processor.find(':'));
  folder = folder.substr(0, folder.rfind('/')) + "/rocblas/library";
  if (const char *own = getenv("ROCBLAS_TENSILE_LIBPATH")) folder = own;
  std::string file = folder + "/TensileLibrary_lazy_" + processor + ".dat";
  if (access(file.c_str(), R_OK) == 0) return;
  fprintf(stderr, "\nrocBLAS error: Cannot read %s: No such file or directory\n", file.c_str());
  abort();
}

EXPORT rocblas_status rocblas_create_handle(rocblas_handle *h) {
  if (!h) return rocblas_status(INVALID_POINTER);
  if (emulator_counted(emulator::HANDLE)) return rocblas_status(INTERNAL_ERROR);
  blas_handle cublas;
  int r = cublasCreate_v2(&cublas);
  if (r == 0) *h = new _rocblas_handle{cublas};
  return status(r);
}

EXPORT rocblas_status rocblas_destroy_handle(rocblas_handle h) {
  if (!h) return rocblas_status(INVALID_HANDLE);
  int r = cublasDestroy_v2(h->cublas);
  delete h;
  return status(r);
}

EXPORT const char *rocblas_status_to_string(rocblas_status s) {
  switch (int(s)) {
    case 0: return "rocblas_status_success";
    case INVALID_HANDLE: return "rocblas_status_invalid_handle";
    case NOT_IMPLEMENTED: return "rocblas_status_not_implemented";
    case INVALID_POINTER: return "rocblas_status_invalid_pointer";
    case ROCBLAS_INVALID_SIZE: return "rocblas_status_invalid_size";
    case ROCBLAS_NO_MEMORY: return "rocblas_status_memory_error";
    case INTERNAL_ERROR: return "rocblas_status_internal_error";
    case INVALID_VALUE: return "rocblas_status_invalid_value";
    default: return "<undefined rocblas_status value>";
  }
}

EXPORT rocblas_status rocblas_get_version_string(char *text, size_t bytes) {
  return rocblas_status(snprintf(text, bytes, "2.44.0.emulated") < int(bytes) ? 0 : int(ROCBLAS_INVALID_SIZE));
}

EXPORT rocblas_status rocblas_set_stream(rocblas_handle h, hipStream_t s) {
  if (!h) return rocblas_status(INVALID_HANDLE);
  h->stream = reinterpret_cast<gpu_stream>(s);
  return status(cublasSetStream_v2(h->cublas, h->stream));
}

EXPORT rocblas_status rocblas_set_workspace(rocblas_handle h, void *memory, size_t bytes) {
  if (!h) return rocblas_status(INVALID_HANDLE);
  h->workspace = memory;
  h->bytes = bytes;
  return status(cublasSetWorkspace_v2(h->cublas, memory, bytes));
}

EXPORT rocblas_status rocblas_start_device_memory_size_query(rocblas_handle h) {
  if (!h) return rocblas_status(INVALID_HANDLE);
  if (h->query) return rocblas_status(QUERY_MISMATCH);
  h->query = true;
  h->queried = 0;
  return rocblas_status(0);
}

EXPORT rocblas_status rocblas_stop_device_memory_size_query(rocblas_handle h, size_t *bytes) {
  if (!h) return rocblas_status(INVALID_HANDLE);
  if (!h->query) return rocblas_status(QUERY_MISMATCH);
  h->query = false;
  *bytes = h->queried;
  return rocblas_status(0);
}

/* Every routine of the emulated rocSOLVER calls this function first, with the bytes that it needs as workspace. A result
** other than 0 ends the routine. AMD's library would allocate a workspace if none is set. */
EXPORT rocblas_status emulator_rocblas_begin(rocblas_handle h, size_t needed, gpu_stream *s, void **memory, size_t *bytes) {
  if (!h) return rocblas_status(INVALID_HANDLE);
  if (h->query) {
    bool larger = needed > h->queried;
    if (larger) h->queried = needed;
    return rocblas_status(larger ? ROCBLAS_SIZE_INCREASED : ROCBLAS_SIZE_UNCHANGED);
  }
  if (!h->workspace || h->bytes < needed) return rocblas_status(ROCBLAS_NO_MEMORY);
  if (h->atomics) return rocblas_status(INVALID_VALUE);
  emulator_need_kernels();
  *s = h->stream;
  *memory = h->workspace;
  *bytes = h->bytes;
  return rocblas_status(0);
}

EXPORT rocblas_status rocblas_set_atomics_mode(rocblas_handle h, rocblas_atomics_mode mode) {
  if (!h) return rocblas_status(INVALID_HANDLE);
  h->atomics = mode != ROCBLAS_NO_ATOMICS;
  return rocblas_status(0);
}

namespace {

/* The arguments of a product that cuBLAS's functions take in another form. */
struct converted { rocblas_status failure; const void *alpha; int compute; };

/* Products are NaN if atomic additions are allowed, so that specs notice. `same` is true if c and d agree in all
** arguments, without which the emulator computes nothing. */
converted convert(rocblas_handle h, rocblas_operation a_op, rocblas_operation b_op, const void *alpha,
                  rocblas_datatype c_type, rocblas_datatype d_type, bool same, rocblas_datatype compute,
                  rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags) {
  static const double nan[2] = {NAN, NAN};
  static const float narrow_nan[2] = {NAN, NAN};
  converted r = {rocblas_status(0), alpha, compute_of(c_type, compute)};
  bool known = (a_op == ROCBLAS_N || a_op == ROCBLAS_T) && (b_op == ROCBLAS_N || b_op == ROCBLAS_T);
  if (!h) r.failure = rocblas_status(INVALID_HANDLE);
  else if (!known || algorithm != ROCBLAS_STANDARD || solution || flags) r.failure = rocblas_status(INVALID_VALUE);
  else if (r.compute < 0 || c_type != d_type || !same) r.failure = rocblas_status(NOT_IMPLEMENTED);
  if (r.failure != rocblas_status(0)) return r;
  emulator_need_kernels();
  if (h->atomics) r.alpha = r.compute == BLAS_COMPUTE_FLOAT64 ? static_cast<const void *>(nan) : narrow_nan;
  return r;
}

}

EXPORT rocblas_status rocblas_gemm_strided_batched_ex(
    rocblas_handle h, rocblas_operation a_op, rocblas_operation b_op, rocblas_int m, rocblas_int n, rocblas_int k,
    const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda, rocblas_stride a_step,
    const void *b, rocblas_datatype b_type, rocblas_int ldb, rocblas_stride b_step, const void *beta,
    const void *c, rocblas_datatype c_type, rocblas_int ldc, rocblas_stride c_step,
    void *d, rocblas_datatype d_type, rocblas_int ldd, rocblas_stride d_step, rocblas_int count,
    rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags) {
  bool same = c == d && ldc == ldd && c_step == d_step;
  converted r = convert(h, a_op, b_op, alpha, c_type, d_type, same, compute, algorithm, solution, flags);
  if (r.failure != rocblas_status(0)) return r.failure;
  return status(cublasGemmStridedBatchedEx_64(
    h->cublas, a_op == ROCBLAS_T, b_op == ROCBLAS_T, m, n, k, r.alpha, a, type_of(a_type), lda, a_step,
    b, type_of(b_type), ldb, b_step, beta, d, type_of(d_type), ldd, d_step, count, r.compute, BLAS_DEFAULT));
}

EXPORT rocblas_status rocblas_gemm_batched_ex(
    rocblas_handle h, rocblas_operation a_op, rocblas_operation b_op, rocblas_int m, rocblas_int n, rocblas_int k,
    const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda,
    const void *b, rocblas_datatype b_type, rocblas_int ldb, const void *beta,
    const void *c, rocblas_datatype c_type, rocblas_int ldc, void *d, rocblas_datatype d_type, rocblas_int ldd,
    rocblas_int count, rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags) {
  converted r = convert(h, a_op, b_op, alpha, c_type, d_type, c == d && ldc == ldd, compute, algorithm, solution, flags);
  if (r.failure != rocblas_status(0)) return r.failure;
  auto list = [](const void *p) { return static_cast<const void *const *>(p); };
  return status(cublasGemmBatchedEx_64(
    h->cublas, a_op == ROCBLAS_T, b_op == ROCBLAS_T, m, n, k, r.alpha, list(a), type_of(a_type), lda,
    list(b), type_of(b_type), ldb, beta, static_cast<void *const *>(d), type_of(d_type), ldd, count, r.compute,
    BLAS_DEFAULT));
}

EXPORT rocblas_status rocblas_gemm_ex(
    rocblas_handle h, rocblas_operation a_op, rocblas_operation b_op, rocblas_int m, rocblas_int n, rocblas_int k,
    const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda,
    const void *b, rocblas_datatype b_type, rocblas_int ldb, const void *beta,
    const void *c, rocblas_datatype c_type, rocblas_int ldc, void *d, rocblas_datatype d_type, rocblas_int ldd,
    rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags) {
  return rocblas_gemm_strided_batched_ex(h, a_op, b_op, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta, c, c_type,
                                         ldc, 0, d, d_type, ldd, 0, 1, compute, algorithm, solution, flags);
}
