/* The emulated hipFFT: AMD's functions, which call the emulated cuFFT. cuFFT is a part of this library. With LT_CHECK_HIP
** the compiler compares the functions and constants with AMD's headers. */

#include "emulator.h"

#ifdef LT_CHECK_HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <hipfft/hipfft.h>
#include <hipfft/hipfftXt.h>
#else
typedef int hipfftResult, hipDataType;
typedef struct hipfftHandle_t *hipfftHandle;
typedef struct ihipStream_t *hipStream_t;
#endif

FFT_FUNCTIONS(DECLARE_DRIVER, cufft_handle)

/* Results of hipFFT. */
enum { INVALID_PLAN = 1, INVALID_VALUE = 4, INTERNAL_ERROR = 5 };

#ifdef LT_CHECK_HIP
static_assert(int(HIPFFT_INVALID_PLAN) == INVALID_PLAN && int(HIPFFT_INVALID_VALUE) == INVALID_VALUE &&
              int(HIPFFT_INTERNAL_ERROR) == INTERNAL_ERROR && int(HIPFFT_ALLOC_FAILED) == FFT_NO_MEMORY, "results");
static_assert(HIPFFT_FORWARD == FFT_FORWARD && HIPFFT_BACKWARD == FFT_INVERSE, "directions");
static_assert(int(HIP_R_32F) == FFT_FLOAT32 && int(HIP_R_64F) == FFT_FLOAT64 && int(HIP_C_32F) == FFT_COMPLEX64 &&
              int(HIP_C_64F) == FFT_COMPLEX128, "types");
#endif

struct hipfftHandle_t {
  cufft_handle cufft = 0;
  bool to_real = false;
};

EXPORT hipfftResult hipfftCreate(hipfftHandle *plan) {
  if (!plan) return hipfftResult(INVALID_VALUE);
  cufft_handle cufft = 0;
  int r = cufftCreate(&cufft);
  if (!r) *plan = new hipfftHandle_t{cufft};
  return hipfftResult(r);
}

EXPORT hipfftResult hipfftDestroy(hipfftHandle plan) {
  if (!plan) return hipfftResult(0);
  int r = cufftDestroy(plan->cufft);
  delete plan;
  return hipfftResult(r);
}

EXPORT hipfftResult hipfftSetAutoAllocation(hipfftHandle plan, int yes) {
  return hipfftResult(plan ? cufftSetAutoAllocation(plan->cufft, yes) : 0);
}

EXPORT hipfftResult hipfftXtMakePlanMany(hipfftHandle plan, int rank, long long *n, long long *in_embed,
                                         long long in_stride, long long in_distance, hipDataType in_type,
                                         long long *out_embed, long long out_stride, long long out_distance,
                                         hipDataType out_type, long long count, size_t *workspace, hipDataType compute) {
  if (!plan) return hipfftResult(INVALID_PLAN);
  plan->to_real = out_type == FFT_FLOAT32 || out_type == FFT_FLOAT64;
  return hipfftResult(cufftXtMakePlanMany(plan->cufft, rank, n, in_embed, in_stride, in_distance, fft_type(in_type), out_embed,
                                          out_stride, out_distance, fft_type(out_type), count, workspace, fft_type(compute)));
}

EXPORT hipfftResult hipfftSetStream(hipfftHandle plan, hipStream_t s) {
  return hipfftResult(plan ? cufftSetStream(plan->cufft, reinterpret_cast<gpu_stream>(s)) : int(INVALID_PLAN));
}

EXPORT hipfftResult hipfftSetWorkArea(hipfftHandle plan, void *memory) {
  return hipfftResult(plan ? cufftSetWorkArea(plan->cufft, memory) : int(INVALID_PLAN));
}

/* Unlike cuFFT, hipFFT has no forward transform from complex to real numbers. */
EXPORT hipfftResult hipfftXtExec(hipfftHandle plan, void *in, void *out, int direction) {
  if (!plan) return hipfftResult(INVALID_PLAN);
  if (plan->to_real && direction == FFT_FORWARD) return hipfftResult(INTERNAL_ERROR);
  return hipfftResult(cufftXtExec(plan->cufft, in, out, direction));
}
