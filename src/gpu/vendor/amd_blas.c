/* AMD's library of matrix products, rocBLAS: functions with cuBLAS's parameters, and the devices that a copy of rocBLAS
** supports. */

#define _GNU_SOURCE         /* for dladdr */

#include "gpu/vendor/amd.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "gpu/vendor/amd_blas.h"

/* The major versions of the file: 0 for ROCm until 5.5, 3 for 5.6 and 5.7, 4 for 6, and 5 for 7. Another ROCm's rocBLAS
** would load another HIP. BLAS_BEHIND: HIP's major version minus the file's. */
enum { BLAS_OLDEST = 0, BLAS_BEHIND = 2 };

#define FIELD(field, symbol, parameters) rocblas_status (*field) parameters;
static struct { ROCBLAS_FUNCTIONS(FIELD) } rocblas;

/* The functions whose parameters are cuBLAS's. */
static gpu_blas blas;

/* ---- functions with cuBLAS's parameters ---- */

static rocblas_operation operation_of(blas_operation op) { return (int)op == BLAS_N ? ROCBLAS_N : ROCBLAS_T; }

static rocblas_datatype type_of(blas_type type) {
  switch ((int)type) {
    case BLAS_FLOAT64:    return ROCBLAS_FLOAT64;
    case BLAS_FLOAT16:    return ROCBLAS_FLOAT16;
    case BLAS_BFLOAT16:   return ROCBLAS_BFLOAT16;
    case BLAS_COMPLEX64:  return ROCBLAS_COMPLEX64;
    case BLAS_COMPLEX128: return ROCBLAS_COMPLEX128;
    default:              return ROCBLAS_FLOAT32;
  }
}

/* The type of sums, alpha and beta. TF32 is computed as float32: rocBLAS of ROCm 7 has no such type. */
static rocblas_datatype sums_of(blas_type type) {
  bool half = (int)type == BLAS_FLOAT16 || (int)type == BLAS_BFLOAT16;
  return half ? ROCBLAS_FLOAT32 : type_of(type);
}

/* A product that was slow for lack of workspace is a success. */
static blas_result result_of(rocblas_status r) { return (blas_result)(r == ROCBLAS_PERF_DEGRADED ? 0 : r); }

/* Without atomic additions, equal products have equal results. rocBLAS keeps the sums of half floats in float32. */
static blas_result set_math(blas_handle h, blas_math mode) {
  (void)mode;
  return result_of(rocblas.set_atomics((rocblas_handle)h, ROCBLAS_NO_ATOMICS));
}

static blas_result gemm(blas_handle h, blas_operation a_op, blas_operation b_op, int64_t m, int64_t n, int64_t k,
                        const void *alpha, const void *a, blas_type a_type, int64_t lda, const void *b,
                        blas_type b_type, int64_t ldb, const void *beta, void *c, blas_type c_type, int64_t ldc,
                        blas_compute compute, blas_algorithm algorithm) {
  (void)compute; (void)algorithm;
  return result_of(rocblas.gemm(
    (rocblas_handle)h, operation_of(a_op), operation_of(b_op), (rocblas_int)m, (rocblas_int)n, (rocblas_int)k, alpha,
    a, type_of(a_type), (rocblas_int)lda, b, type_of(b_type), (rocblas_int)ldb, beta, c, type_of(c_type),
    (rocblas_int)ldc, c, type_of(c_type), (rocblas_int)ldc, sums_of(c_type), ROCBLAS_STANDARD, 0, 0));
}

static blas_result gemm_batched(blas_handle h, blas_operation a_op, blas_operation b_op, int64_t m, int64_t n, int64_t k,
                                const void *alpha, const void *a, blas_type a_type, int64_t lda, long long a_step,
                                const void *b, blas_type b_type, int64_t ldb, long long b_step, const void *beta,
                                void *c, blas_type c_type, int64_t ldc, long long c_step, int64_t count,
                                blas_compute compute, blas_algorithm algorithm) {
  (void)compute; (void)algorithm;
  return result_of(rocblas.gemm_batched(
    (rocblas_handle)h, operation_of(a_op), operation_of(b_op), (rocblas_int)m, (rocblas_int)n, (rocblas_int)k, alpha,
    a, type_of(a_type), (rocblas_int)lda, a_step, b, type_of(b_type), (rocblas_int)ldb, b_step, beta,
    c, type_of(c_type), (rocblas_int)ldc, c_step, c, type_of(c_type), (rocblas_int)ldc, c_step, (rocblas_int)count,
    sums_of(c_type), ROCBLAS_STANDARD, 0, 0));
}

static blas_result gemm_listed(blas_handle h, blas_operation a_op, blas_operation b_op, int64_t m, int64_t n, int64_t k,
                               const void *alpha, const void *const *a, blas_type a_type, int64_t lda,
                               const void *const *b, blas_type b_type, int64_t ldb, const void *beta,
                               void *const *c, blas_type c_type, int64_t ldc, int64_t count,
                               blas_compute compute, blas_algorithm algorithm) {
  (void)compute; (void)algorithm;
  return result_of(rocblas.gemm_listed(
    (rocblas_handle)h, operation_of(a_op), operation_of(b_op), (rocblas_int)m, (rocblas_int)n, (rocblas_int)k, alpha,
    a, type_of(a_type), (rocblas_int)lda, b, type_of(b_type), (rocblas_int)ldb, beta, c, type_of(c_type),
    (rocblas_int)ldc, (void *)(uintptr_t)c, type_of(c_type), (rocblas_int)ldc, (rocblas_int)count, sums_of(c_type),
    ROCBLAS_STANDARD, 0, 0));
}

/* ---- loading ---- */

static const char BLAS_MISSING[] =
  "matrix products take luatensor's own kernels: install rocBLAS, or name its folder in LUATENSOR_ROCM_PATH";

#define SAME(field, nvidia, amd, result, parameters) {&blas.field, #amd},
#define OTHER(field, symbol, parameters)             {&rocblas.field, #symbol},
static const gpu_symbol symbols[] = {BLAS_FUNCTIONS(SAME) ROCBLAS_FUNCTIONS(OTHER) {NULL, NULL}};

/* Reads the version, such as "4.4.0.1a2b3c". It is only shown to users, so rocBLAS is usable without it. */
static void read_version(void *library, int version[2]) {
  rocblas_status (*text)(char *, size_t) = NULL;
  char version_text[128] = "", *end;
  gpu_set_field(&text, dlsym(library, "rocblas_get_version_string"));
  if (!text || text(version_text, sizeof version_text) != 0) return;
  version[0] = (int)strtol(version_text, &end, 10);
  version[1] = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
}

bool amd_load_blas(gpu_vendor *v) {
  int newest = amd_version(v) - BLAS_BEHIND, oldest = newest > AMD_OLDEST - BLAS_BEHIND ? newest : BLAS_OLDEST;
  const gpu_file file = {"librocblas.so", newest, oldest, BLAS_MISSING, symbols, AMD_CURE};
  void *library = gpu_load_library(v, GPU_BLAS, &file);
  if (!library) return false;
  v->blas = blas;
  v->blas.set_math = set_math;
  v->blas.gemm = gemm;
  v->blas.gemm_batched = gemm_batched;
  v->blas.gemm_listed = gemm_listed;
  read_version(library, v->versions.blas);
  return true;
}

/* ---- supported devices ---- */

/* True if a file below the folder, at most three levels deep, has the processor in its name. */
static bool has_kernels(const char *folder, const char *processor) {
  static const char *const levels[] = {"", "*/", "*/*/"};
  bool found = false;
  for (int i = 0; i < 3 && !found; i++) {
    char escaped[2 * PATH_MAX], pattern[sizeof escaped + 128];
    glob_t files;
    if (!text_escape(escaped, sizeof escaped, folder)) return false;
    snprintf(pattern, sizeof pattern, "%s/%s*%s*", escaped, levels[i], processor);
    if (glob(pattern, GLOB_NOSORT, NULL, &files) != 0) continue;
    found = files.gl_pathc > 0;
    globfree(&files);
  }
  return found;
}

/* rocBLAS ends the process at the first product on a device for which it has no files of kernels. AMD's builds have
** none for integrated GPUs, for example. rocBLAS searches these files in the folder of ROCBLAS_TENSILE_LIBPATH, or else
** beside its library. */
bool amd_has_kernels(gpu_vendor *v, gpu_device_id id, const void *field) {
  const char *own = getenv("ROCBLAS_TENSILE_LIBPATH");
  char processor[64], folder[PATH_MAX];
  void *function;
  Dl_info at;
  memcpy(&function, field, sizeof function);
  v->name_isa(v, id, processor, sizeof processor);
  if (own) return has_kernels(own, processor);
  if (!dladdr(function, &at) || !at.dli_fname || !strrchr(at.dli_fname, '/')) return false;
  int length = (int)(strrchr(at.dli_fname, '/') - at.dli_fname);
  static const char *const beside[] = {"rocblas", "library", "../rocblas"};
  for (int i = 0; i < 3; i++) {
    int written = snprintf(folder, sizeof folder, "%.*s/%s", length, at.dli_fname, beside[i]);
    if (written < (int)sizeof folder && has_kernels(folder, processor)) return true;
  }
  return false;
}

bool amd_blas_supports(gpu_vendor *v, gpu_device_id id) { return amd_has_kernels(v, id, &blas.create); }
