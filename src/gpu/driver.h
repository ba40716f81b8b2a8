#ifndef LT_GPU_DRIVER_H
#define LT_GPU_DRIVER_H

/* The list of all functions of NVIDIA's libraries that luatensor calls, and the tables of these functions. nvidia.c
** looks the functions up at run time, so this file declares their types without NVIDIA's headers. With LT_CHECK_DRIVER
** (make lint, if the toolkit is installed) the declarations are compared with the toolkit's headers. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef LT_CHECK_DRIVER
#include <cublas_v2.h>
#include <cuda.h>
#include <cufftXt.h>
#include <cusolverDn.h>
#include <nvrtc.h>
#define GPU_TYPE(ours, theirs, definition) typedef theirs ours;
#else
#define GPU_TYPE(ours, theirs, definition) typedef definition ours;
#endif

/* cuDNN is not part of the toolkit, so its headers may be missing even if the toolkit's headers are installed. */
#if defined(LT_CHECK_DRIVER) && __has_include(<cudnn.h>)
#define LT_CHECK_DNN
#include <cudnn.h>
#define DNN_TYPE(ours, theirs, definition) typedef theirs ours;
#else
#define DNN_TYPE(ours, theirs, definition) typedef definition ours;
#endif

GPU_TYPE(gpu_result,      CUresult,            int)
GPU_TYPE(gpu_device_id,   CUdevice,            int)
GPU_TYPE(gpu_attribute,   CUdevice_attribute,  int)
GPU_TYPE(gpu_address,     CUdeviceptr,         unsigned long long)
GPU_TYPE(gpu_context,     CUcontext,           struct gpu_context_opaque *)
GPU_TYPE(gpu_stream,      CUstream,            struct gpu_stream_opaque *)
GPU_TYPE(gpu_event,       CUevent,             struct gpu_event_opaque *)
GPU_TYPE(gpu_module,      CUmodule,            struct gpu_module_opaque *)
GPU_TYPE(gpu_function,    CUfunction,          struct gpu_function_opaque *)
GPU_TYPE(gpu_func_attr,   CUfunction_attribute, int)
GPU_TYPE(gpu_graph,       CUgraph,             struct gpu_graph_opaque *)
GPU_TYPE(gpu_graph_exec,  CUgraphExec,         struct gpu_graph_exec_opaque *)
GPU_TYPE(gpu_capture_mode, CUstreamCaptureMode, int)
GPU_TYPE(gpu_capture_status, CUstreamCaptureStatus, int)
GPU_TYPE(rtc_result,      nvrtcResult,         int)
GPU_TYPE(rtc_program,     nvrtcProgram,        struct rtc_program_opaque *)
GPU_TYPE(blas_result,     cublasStatus_t,      int)
GPU_TYPE(blas_handle,     cublasHandle_t,      struct blas_handle_opaque *)
GPU_TYPE(blas_operation,  cublasOperation_t,   int)
GPU_TYPE(blas_type,       cudaDataType,        int)
GPU_TYPE(blas_compute,    cublasComputeType_t, int)
GPU_TYPE(blas_algorithm,  cublasGemmAlgo_t,    int)
GPU_TYPE(blas_math,       cublasMath_t,        int)
GPU_TYPE(fft_result,      cufftResult,         int)
GPU_TYPE(cufft_handle,    cufftHandle,         int)
GPU_TYPE(fft_type,        cudaDataType,        int)

/* A plan in the table of functions: cuFFT's is an int, and hipFFT's is a pointer. On x86-64 and ARM64, to which these
** libraries are limited, both types are passed in one register, of which cuFFT reads the lower half. */
typedef uintptr_t fft_handle;

GPU_TYPE(solver_result,   cusolverStatus_t,    int)
GPU_TYPE(solver_handle,   cusolverDnHandle_t,  struct solver_handle_opaque *)
GPU_TYPE(solver_params,   cusolverDnParams_t,  struct solver_params_opaque *)
GPU_TYPE(solver_triangle, cublasFillMode_t,    int)
GPU_TYPE(solver_vectors,  cusolverEigMode_t,   int)
GPU_TYPE(solver_complex64,  cuComplex,         struct { float re; float im; })
GPU_TYPE(solver_complex128, cuDoubleComplex,   struct { double re; double im; })

DNN_TYPE(dnn_result,      cudnnStatus_t,       int)
DNN_TYPE(dnn_handle,      cudnnHandle_t,       struct dnn_handle_opaque *)
DNN_TYPE(dnn_stream,      cudaStream_t,        struct gpu_stream_opaque *)
DNN_TYPE(dnn_tensor,      cudnnTensorDescriptor_t, struct dnn_tensor_opaque *)
DNN_TYPE(dnn_filter,      cudnnFilterDescriptor_t, struct dnn_filter_opaque *)
DNN_TYPE(dnn_convolution, cudnnConvolutionDescriptor_t, struct dnn_convolution_opaque *)
DNN_TYPE(dnn_type,        cudnnDataType_t,     int)
DNN_TYPE(dnn_format,      cudnnTensorFormat_t, int)
DNN_TYPE(dnn_mode,        cudnnConvolutionMode_t, int)
DNN_TYPE(dnn_math,        cudnnMathType_t,     int)
DNN_TYPE(dnn_repeats,     cudnnDeterminism_t,  int)
DNN_TYPE(dnn_forward,     cudnnConvolutionFwdAlgo_t, int)
DNN_TYPE(dnn_data,        cudnnConvolutionBwdDataAlgo_t, int)
DNN_TYPE(dnn_weight,      cudnnConvolutionBwdFilterAlgo_t, int)

/* An algorithm that cuDNN proposes; cuDNN's three structs for proposals have the same layout. */
typedef struct dnn_choice {
  int         algo;
  dnn_result  status;
  float       time;
  size_t      memory;
  dnn_repeats determinism;
  dnn_math    math;
  int         reserved[3];
} dnn_choice;
DNN_TYPE(dnn_forward_choice, cudnnConvolutionFwdAlgoPerf_t, dnn_choice)
DNN_TYPE(dnn_data_choice, cudnnConvolutionBwdDataAlgoPerf_t, dnn_choice)
DNN_TYPE(dnn_weight_choice, cudnnConvolutionBwdFilterAlgoPerf_t, dnn_choice)

/* The properties of a device that luatensor asks for, as X(luatensor's name, NVIDIA's name and value, AMD's name and
** value). */
#define GPU_ATTRIBUTES(X)                                                                                             \
  X(GPU_WARP_SIZE,        CU_DEVICE_ATTRIBUTE_WARP_SIZE,                10, hipDeviceAttributeWarpSize,               87) \
  X(GPU_MULTIPROCESSORS,  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,     16, hipDeviceAttributeMultiprocessorCount,    63) \
  X(GPU_MEMORY_CLOCK,     CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,        36, hipDeviceAttributeMemoryClockRate,        60) \
  X(GPU_BUS_WIDTH,        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,  37, hipDeviceAttributeMemoryBusWidth,         59) \
  X(GPU_L2_CACHE,         CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,            38, hipDeviceAttributeL2CacheSize,            19) \
  X(GPU_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75, hipDeviceAttributeComputeCapabilityMajor, 23) \
  X(GPU_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76, hipDeviceAttributeComputeCapabilityMinor, 61) \
  X(GPU_SHARED_MOST,      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97, hipDeviceAttributeMaxSharedMemoryPerBlock, 74)

/* The constants of the libraries' enums that luatensor uses, as X(luatensor's name, NVIDIA's name, value). AMD's driver
** and run-time compiler have the same values; it lacks some of the errors. */
#define DRIVER_CONSTANTS(X)                                                            \
  X(GPU_SUCCESS,              CUDA_SUCCESS,                                      0)     \
  X(GPU_OUT_OF_MEMORY,        CUDA_ERROR_OUT_OF_MEMORY,                          2)     \
  X(GPU_NOT_INITIALIZED,      CUDA_ERROR_NOT_INITIALIZED,                        3)     \
  X(GPU_SHUT_DOWN,            CUDA_ERROR_DEINITIALIZED,                          4)     \
  X(GPU_NO_DEVICE,            CUDA_ERROR_NO_DEVICE,                            100)     \
  X(GPU_ECC,                  CUDA_ERROR_ECC_UNCORRECTABLE,                    214)     \
  X(GPU_NVLINK,               CUDA_ERROR_NVLINK_UNCORRECTABLE,                 220)     \
  X(GPU_CONTAINED,            CUDA_ERROR_CONTAINED,                            226)     \
  X(GPU_NOT_FOUND,            CUDA_ERROR_NOT_FOUND,                            500)     \
  X(GPU_NOT_READY,            CUDA_ERROR_NOT_READY,                            600)     \
  X(GPU_ILLEGAL_ADDRESS,      CUDA_ERROR_ILLEGAL_ADDRESS,                      700)     \
  X(GPU_LAUNCH_TIMEOUT,       CUDA_ERROR_LAUNCH_TIMEOUT,                       702)     \
  X(GPU_CONTEXT_DESTROYED,    CUDA_ERROR_CONTEXT_IS_DESTROYED,                 709)     \
  X(GPU_ASSERT,               CUDA_ERROR_ASSERT,                               710)     \
  X(GPU_HARDWARE_STACK,       CUDA_ERROR_HARDWARE_STACK_ERROR,                 714)     \
  X(GPU_ILLEGAL_INSTRUCTION,  CUDA_ERROR_ILLEGAL_INSTRUCTION,                  715)     \
  X(GPU_MISALIGNED_ADDRESS,   CUDA_ERROR_MISALIGNED_ADDRESS,                   716)     \
  X(GPU_ADDRESS_SPACE,        CUDA_ERROR_INVALID_ADDRESS_SPACE,                717)     \
  X(GPU_INVALID_PC,           CUDA_ERROR_INVALID_PC,                           718)     \
  X(GPU_LAUNCH_FAILED,        CUDA_ERROR_LAUNCH_FAILED,                        719)     \
  X(GPU_TENSOR_MEMORY,        CUDA_ERROR_TENSOR_MEMORY_LEAK,                   721)     \
  X(GPU_CAPTURE_UNSUPPORTED,  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,           900)     \
  X(GPU_CAPTURE_IMPLICIT,     CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,              906)     \
  X(GPU_UNKNOWN,              CUDA_ERROR_UNKNOWN,                              999)     \
  X(FUNCTION_MAX_THREADS,     CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,           0)     \
  X(FUNCTION_SHARED,          CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,               1)     \
  X(FUNCTION_LOCAL,           CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,                3)     \
  X(FUNCTION_REGISTERS,       CU_FUNC_ATTRIBUTE_NUM_REGS,                        4)     \
  X(FUNCTION_SHARED_MOST,     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,   8)     \
  X(STREAM_NON_BLOCKING,      CU_STREAM_NON_BLOCKING,                            1)     \
  X(EVENT_NO_TIMING,          CU_EVENT_DISABLE_TIMING,                           2)     \
  X(HOST_PORTABLE,            CU_MEMHOSTALLOC_PORTABLE,                          1)     \
  X(CAPTURE_RELAXED,          CU_STREAM_CAPTURE_MODE_RELAXED,                    2)     \
  X(RTC_SUCCESS,              NVRTC_SUCCESS,                                     0)     \
  X(BLAS_N,                   CUBLAS_OP_N,                                       0)     \
  X(BLAS_T,                   CUBLAS_OP_T,                                       1)     \
  X(BLAS_FLOAT32,             CUDA_R_32F,                                        0)     \
  X(BLAS_FLOAT64,             CUDA_R_64F,                                        1)     \
  X(BLAS_FLOAT16,             CUDA_R_16F,                                        2)     \
  X(BLAS_COMPLEX64,           CUDA_C_32F,                                        4)     \
  X(BLAS_COMPLEX128,          CUDA_C_64F,                                        5)     \
  X(BLAS_BFLOAT16,            CUDA_R_16BF,                                      14)     \
  X(BLAS_COMPUTE_FLOAT32,     CUBLAS_COMPUTE_32F,                               68)     \
  X(BLAS_COMPUTE_FLOAT64,     CUBLAS_COMPUTE_64F,                               70)     \
  X(BLAS_COMPUTE_BF16X9,      CUBLAS_COMPUTE_32F_EMULATED_16BFX9,               78)     \
  X(BLAS_COMPUTE_TF32,        CUBLAS_COMPUTE_32F_FAST_TF32,                     77)     \
  X(BLAS_EXACT_SUMS,          CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16)     \
  X(BLAS_DEFAULT,             CUBLAS_GEMM_DEFAULT,                              -1)     \
  X(BLAS_NO_MEMORY,           CUBLAS_STATUS_ALLOC_FAILED,                        3)     \
  X(BLAS_ARCH_MISMATCH,       CUBLAS_STATUS_ARCH_MISMATCH,                       8)     \
  X(BLAS_NOT_SUPPORTED,       CUBLAS_STATUS_NOT_SUPPORTED,                      15)     \
  X(FFT_NO_MEMORY,            CUFFT_ALLOC_FAILED,                                2)     \
  X(FFT_FORWARD,              CUFFT_FORWARD,                                    -1)     \
  X(FFT_INVERSE,              CUFFT_INVERSE,                                     1)     \
  X(FFT_FLOAT32,              CUDA_R_32F,                                        0)     \
  X(FFT_FLOAT64,              CUDA_R_64F,                                        1)     \
  X(FFT_COMPLEX64,            CUDA_C_32F,                                        4)     \
  X(FFT_COMPLEX128,           CUDA_C_64F,                                        5)     \
  X(SOLVER_NO_MEMORY,         CUSOLVER_STATUS_ALLOC_FAILED,                      2)     \
  X(SOLVER_LOWER,             CUBLAS_FILL_MODE_LOWER,                            0)     \
  X(SOLVER_UPPER,             CUBLAS_FILL_MODE_UPPER,                            1)     \
  X(SOLVER_VALUES_ONLY,       CUSOLVER_EIG_MODE_NOVECTOR,                        0)     \
  X(SOLVER_WITH_VECTORS,      CUSOLVER_EIG_MODE_VECTOR,                          1)

#define DNN_CONSTANTS(X)                                                               \
  X(DNN_FLOAT32,              CUDNN_DATA_FLOAT,                                  0)     \
  X(DNN_FLOAT64,              CUDNN_DATA_DOUBLE,                                 1)     \
  X(DNN_FLOAT16,              CUDNN_DATA_HALF,                                   2)     \
  X(DNN_BFLOAT16,             CUDNN_DATA_BFLOAT16,                               9)     \
  X(DNN_NCHW,                 CUDNN_TENSOR_NCHW,                                 0)     \
  X(DNN_CORRELATION,          CUDNN_CROSS_CORRELATION,                           1)     \
  X(DNN_MATH_DEFAULT,         CUDNN_DEFAULT_MATH,                                0)     \
  X(DNN_MATH_TENSOR,          CUDNN_TENSOR_OP_MATH,                              1)     \
  X(DNN_MATH_FMA,             CUDNN_FMA_MATH,                                    3)     \
  X(DNN_REPEATS,              CUDNN_DETERMINISTIC,                               1)

#define GPU_CONSTANT(ours, theirs, value) ours = value,
#define GPU_ATTRIBUTE(ours, nvidia, value, amd, amd_value) ours = value,
enum { DRIVER_CONSTANTS(GPU_CONSTANT) DNN_CONSTANTS(GPU_CONSTANT) GPU_ATTRIBUTES(GPU_ATTRIBUTE) };
#undef GPU_CONSTANT
#undef GPU_ATTRIBUTE

/* The functions of the driver and of the run-time compiler, as X(field of the table, NVIDIA's symbol, AMD's symbol, type
** of the result, parameters). If a library lacks one of the symbols, the library is not used. AMD's symbol is - if AMD's
** function has other parameters or does not exist; amd.c then fills the field. */
#define DRIVER_FUNCTIONS(X)                                                                                          \
  X(init,               cuInit,                     -,                          gpu_result, (unsigned flags))        \
  X(driver_version,     cuDriverGetVersion,         hipDriverGetVersion,        gpu_result, (int *version))          \
  X(device_count,       cuDeviceGetCount,           hipGetDeviceCount,          gpu_result, (int *count))            \
  X(device_get,         cuDeviceGet,                hipDeviceGet,               gpu_result,                          \
      (gpu_device_id *device, int ordinal))                                                                          \
  X(device_name,        cuDeviceGetName,            hipDeviceGetName,           gpu_result,                          \
      (char *name, int length, gpu_device_id device))                                                                \
  X(device_attribute,   cuDeviceGetAttribute,       -,                          gpu_result,                          \
      (int *value, gpu_attribute a, gpu_device_id device))                                                           \
  X(device_memory,      cuDeviceTotalMem_v2,        hipDeviceTotalMem,          gpu_result,                          \
      (size_t *bytes, gpu_device_id device))                                                                         \
  X(context_retain,     cuDevicePrimaryCtxRetain,   -,                          gpu_result,                          \
      (gpu_context *context, gpu_device_id device))                                                                  \
  X(context_release,    cuDevicePrimaryCtxRelease_v2, hipDevicePrimaryCtxRelease, gpu_result, (gpu_device_id device))\
  X(context_reset,      cuDevicePrimaryCtxReset_v2, -,                          gpu_result, (gpu_device_id device))  \
  X(context_use,        cuCtxSetCurrent,            hipCtxSetCurrent,           gpu_result, (gpu_context context))   \
  X(context_sync,       cuCtxSynchronize,           hipDeviceSynchronize,       gpu_result, (void))                  \
  X(error_name,         cuGetErrorName,             -,                          gpu_result,                          \
      (gpu_result error, const char **text))                                                                         \
  X(error_text,         cuGetErrorString,           -,                          gpu_result,                          \
      (gpu_result error, const char **text))                                                                         \
  X(memory_alloc,       cuMemAlloc_v2,              hipMalloc,                  gpu_result,                          \
      (gpu_address *address, size_t bytes))                                                                          \
  X(memory_free,        cuMemFree_v2,               hipFree,                    gpu_result, (gpu_address address))   \
  X(memory_info,        cuMemGetInfo_v2,            hipMemGetInfo,              gpu_result,                          \
      (size_t *free, size_t *total))                                                                                 \
  X(host_alloc,         cuMemHostAlloc,             hipHostMalloc,              gpu_result,                          \
      (void **ptr, size_t bytes, unsigned flags))                                                                    \
  X(host_free,          cuMemFreeHost,              hipHostFree,                gpu_result, (void *ptr))             \
  X(host_register,      cuMemHostRegister_v2,       hipHostRegister,            gpu_result,                          \
      (void *ptr, size_t bytes, unsigned flags))                                                                     \
  X(host_unregister,    cuMemHostUnregister,        hipHostUnregister,          gpu_result, (void *ptr))             \
  X(copy_in,            cuMemcpyHtoDAsync_v2,       hipMemcpyHtoDAsync,         gpu_result,                          \
      (gpu_address to, const void *from, size_t bytes, gpu_stream s))                                                \
  X(copy_out,           cuMemcpyDtoHAsync_v2,       hipMemcpyDtoHAsync,         gpu_result,                          \
      (void *to, gpu_address from, size_t bytes, gpu_stream s))                                                      \
  X(copy,               cuMemcpyDtoDAsync_v2,       hipMemcpyDtoDAsync,         gpu_result,                          \
      (gpu_address to, gpu_address from, size_t bytes, gpu_stream s))                                                \
  X(copy_peer,          cuMemcpyPeerAsync,          -,                          gpu_result,                          \
      (gpu_address to, gpu_context to_context, gpu_address from, gpu_context from_context, size_t bytes, gpu_stream  \
      s))                                                                                                            \
  X(peer_possible,      cuDeviceCanAccessPeer,      hipDeviceCanAccessPeer,     gpu_result,                          \
      (int *possible, gpu_device_id device, gpu_device_id peer))                                                     \
  X(peer_enable,        cuCtxEnablePeerAccess,      -,                          gpu_result,                          \
      (gpu_context peer, unsigned flags))                                                                            \
  X(set_8,              cuMemsetD8Async,            hipMemsetD8Async,           gpu_result,                          \
      (gpu_address to, unsigned char value, size_t n, gpu_stream s))                                                 \
  X(set_32,             cuMemsetD32Async,           hipMemsetD32Async,          gpu_result,                          \
      (gpu_address to, unsigned value, size_t n, gpu_stream s))                                                      \
  X(stream_create,      cuStreamCreate,             hipStreamCreateWithFlags,   gpu_result,                          \
      (gpu_stream *s, unsigned flags))                                                                               \
  X(stream_destroy,     cuStreamDestroy_v2,         hipStreamDestroy,           gpu_result, (gpu_stream s))          \
  X(stream_sync,        cuStreamSynchronize,        hipStreamSynchronize,       gpu_result, (gpu_stream s))          \
  X(stream_query,       cuStreamQuery,              hipStreamQuery,             gpu_result, (gpu_stream s))          \
  X(stream_wait,        cuStreamWaitEvent,          hipStreamWaitEvent,         gpu_result,                          \
      (gpu_stream s, gpu_event e, unsigned flags))                                                                   \
  X(event_create,       cuEventCreate,              hipEventCreateWithFlags,    gpu_result,                          \
      (gpu_event *e, unsigned flags))                                                                                \
  X(event_destroy,      cuEventDestroy_v2,          hipEventDestroy,            gpu_result, (gpu_event e))           \
  X(event_record,       cuEventRecord,              hipEventRecord,             gpu_result,                          \
      (gpu_event e, gpu_stream s))                                                                                   \
  X(event_query,        cuEventQuery,               hipEventQuery,              gpu_result, (gpu_event e))           \
  X(event_sync,         cuEventSynchronize,         hipEventSynchronize,        gpu_result, (gpu_event e))           \
  X(event_elapsed,      cuEventElapsedTime,         hipEventElapsedTime,        gpu_result,                          \
      (float *ms, gpu_event from, gpu_event to))                                                                     \
  X(module_load,        cuModuleLoadData,           hipModuleLoadData,          gpu_result,                          \
      (gpu_module *m, const void *image))                                                                            \
  X(module_unload,      cuModuleUnload,             hipModuleUnload,            gpu_result, (gpu_module m))          \
  X(module_function,    cuModuleGetFunction,        hipModuleGetFunction,       gpu_result,                          \
      (gpu_function *f, gpu_module m, const char *name))                                                             \
  X(function_attribute, cuFuncGetAttribute,         hipFuncGetAttribute,        gpu_result,                          \
      (int *value, gpu_func_attr a, gpu_function f))                                                                 \
  X(function_set,       cuFuncSetAttribute,         -,                          gpu_result,                          \
      (gpu_function f, gpu_func_attr a, int value))                                                                  \
  X(occupancy,          cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                  \
      hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, gpu_result,                                                \
      (int *blocks, gpu_function f, int threads, size_t shared))                                                     \
  X(launch,             cuLaunchKernel,             hipModuleLaunchKernel,      gpu_result,                          \
      (gpu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned        \
      shared, gpu_stream s, void **arguments, void **extra))                                                         \
  X(capture_begin,      cuStreamBeginCapture_v2,    hipStreamBeginCapture,      gpu_result,                          \
      (gpu_stream s, gpu_capture_mode mode))                                                                         \
  X(capture_end,        cuStreamEndCapture,         hipStreamEndCapture,        gpu_result,                          \
      (gpu_stream s, gpu_graph *graph))                                                                              \
  X(capture_status,     cuStreamIsCapturing,        hipStreamIsCapturing,       gpu_result,                          \
      (gpu_stream s, gpu_capture_status *status))                                                                    \
  X(graph_instantiate,  cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags, gpu_result,                       \
      (gpu_graph_exec *e, gpu_graph g, unsigned long long flags))                                                    \
  X(graph_launch,       cuGraphLaunch,              hipGraphLaunch,             gpu_result,                          \
      (gpu_graph_exec e, gpu_stream s))                                                                              \
  X(graph_destroy,      cuGraphDestroy,             hipGraphDestroy,            gpu_result, (gpu_graph g))           \
  X(graph_exec_destroy, cuGraphExecDestroy,         hipGraphExecDestroy,        gpu_result, (gpu_graph_exec e))

#define RTC_FUNCTIONS(X)                                                                                             \
  X(version,            nvrtcVersion,               hiprtcVersion,              rtc_result, (int *major, int *minor))\
  X(error_text,         nvrtcGetErrorString,        hiprtcGetErrorString,       const char *, (rtc_result error))    \
  X(create,             nvrtcCreateProgram,         hiprtcCreateProgram,        rtc_result,                          \
      (rtc_program *p, const char *source, const char *name, int headers, const char *const *texts, const char       \
      *const *names))                                                                                                \
  X(destroy,            nvrtcDestroyProgram,        hiprtcDestroyProgram,       rtc_result, (rtc_program *p))        \
  X(compile,            nvrtcCompileProgram,        hiprtcCompileProgram,       rtc_result,                          \
      (rtc_program p, int count, const char *const *options))                                                        \
  X(log_size,           nvrtcGetProgramLogSize,     hiprtcGetProgramLogSize,    rtc_result,                          \
      (rtc_program p, size_t *bytes))                                                                                \
  X(log,                nvrtcGetProgramLog,         hiprtcGetProgramLog,        rtc_result,                          \
      (rtc_program p, char *text))                                                                                   \
  X(binary_size,        nvrtcGetCUBINSize,          hiprtcGetCodeSize,          rtc_result,                          \
      (rtc_program p, size_t *bytes))                                                                                \
  X(binary,             nvrtcGetCUBIN,              hiprtcGetCode,              rtc_result,                          \
      (rtc_program p, char *image))                                                                                  \
  X(text_size,          nvrtcGetPTXSize,            -,                          rtc_result,                          \
      (rtc_program p, size_t *bytes))                                                                                \
  X(text,               nvrtcGetPTX,                -,                          rtc_result,                          \
      (rtc_program p, char *text))                                                                                   \
  X(arch_count,         nvrtcGetNumSupportedArchs,  -,                          rtc_result, (int *count))            \
  X(archs,              nvrtcGetSupportedArchs,     -,                          rtc_result, (int *archs))

/* The functions for matrix products, as in DRIVER_FUNCTIONS. amd_blas.c fills the fields whose AMD symbol is -.
** gemm_batched computes products at constant distances. gemm_listed computes products whose addresses are listed in
** device memory. */
#define BLAS_FUNCTIONS(X)                                                                                            \
  X(create,             cublasCreate_v2,            rocblas_create_handle,      blas_result, (blas_handle *h))       \
  X(destroy,            cublasDestroy_v2,           rocblas_destroy_handle,     blas_result, (blas_handle h))        \
  X(error_text,         cublasGetStatusString,      rocblas_status_to_string,   const char *, (blas_result status))  \
  X(set_stream,         cublasSetStream_v2,         rocblas_set_stream,         blas_result,                         \
      (blas_handle h, gpu_stream s))                                                                                 \
  X(set_workspace,      cublasSetWorkspace_v2,      rocblas_set_workspace,      blas_result,                         \
      (blas_handle h, void *memory, size_t bytes))                                                                   \
  X(set_math,           cublasSetMathMode,          -,                          blas_result,                         \
      (blas_handle h, blas_math mode))                                                                               \
  X(gemm,               cublasGemmEx_64,            -,                          blas_result,                         \
      (blas_handle h, blas_operation a_op, blas_operation b_op, int64_t m, int64_t n, int64_t k,                     \
      const void *alpha, const void *a, blas_type a_type, int64_t lda, const void *b, blas_type b_type, int64_t ldb, \
      const void *beta, void *c, blas_type c_type, int64_t ldc, blas_compute compute, blas_algorithm algorithm))     \
  X(gemm_batched,       cublasGemmStridedBatchedEx_64, -,                       blas_result,                         \
      (blas_handle h, blas_operation a_op, blas_operation b_op, int64_t m, int64_t n, int64_t k,                     \
      const void *alpha, const void *a, blas_type a_type, int64_t lda, long long a_step,                             \
      const void *b, blas_type b_type, int64_t ldb, long long b_step, const void *beta, void *c, blas_type c_type,   \
      int64_t ldc, long long c_step, int64_t count, blas_compute compute, blas_algorithm algorithm))                 \
  X(gemm_listed,        cublasGemmBatchedEx_64,     -,                          blas_result,                         \
      (blas_handle h, blas_operation a_op, blas_operation b_op, int64_t m, int64_t n, int64_t k,                     \
      const void *alpha, const void *const *a, blas_type a_type, int64_t lda, const void *const *b,                  \
      blas_type b_type, int64_t ldb, const void *beta, void *const *c, blas_type c_type, int64_t ldc,                \
      int64_t count, blas_compute compute, blas_algorithm algorithm))

/* The functions for Fourier transforms, as in DRIVER_FUNCTIONS. `handle` is the library's type of plans. A stride is
** between neighbouring elements of a transform, a distance between neighbouring transforms. in_stride and in_distance
** are counted in elements of in_type, out_stride and out_distance in elements of out_type. */
#define FFT_FUNCTIONS(X, handle)                                                                                     \
  X(create,             cufftCreate,                hipfftCreate,               fft_result, (handle *plan))          \
  X(destroy,            cufftDestroy,               hipfftDestroy,              fft_result, (handle plan))           \
  X(set_own_memory,     cufftSetAutoAllocation,     hipfftSetAutoAllocation,    fft_result, (handle plan, int yes))  \
  X(make,               cufftXtMakePlanMany,        hipfftXtMakePlanMany,       fft_result,                          \
      (handle plan, int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance,         \
      fft_type in_type, long long *out_embed, long long out_stride, long long out_distance, fft_type out_type,       \
      long long count, size_t *workspace, fft_type compute))                                                         \
  X(set_stream,         cufftSetStream,             hipfftSetStream,            fft_result,                          \
      (handle plan, gpu_stream s))                                                                                   \
  X(set_workspace,      cufftSetWorkArea,           hipfftSetWorkArea,          fft_result,                          \
      (handle plan, void *memory))                                                                                   \
  X(run,                cufftXtExec,                hipfftXtExec,               fft_result,                          \
      (handle plan, void *in, void *out, int direction))

/* The functions of the other libraries, as X(field of the table, NVIDIA's symbol, type of the result, parameters). */

/* The functions that compute Q of a QR factorisation. cuSOLVER has no single function for all types, so the table has
** one function for each type. */
#define SOLVER_ORGQR(X, dtype, letter, kind, T)                                                                      \
  X(orgqr_size_##dtype, cusolverDn##letter##kind##gqr_bufferSize, solver_result, (solver_handle h,                   \
      int m, int n, int k, const T *a, int lda, const T *tau, int *elements))                                        \
  X(orgqr_##dtype,      cusolverDn##letter##kind##gqr, solver_result, (solver_handle h,                              \
      int m, int n, int k, T *a, int lda, const T *tau, T *work, int elements, int *info))

/* Matrices are column-major. *_size functions return the bytes of scratch memory on the device and on the host.
** orgqr_size_* return the number of elements of scratch memory on the device instead. info points to device
** memory. */
#define SOLVER_FUNCTIONS(X)                                                                                          \
  X(create,             cusolverDnCreate,           solver_result, (solver_handle *h))                               \
  X(destroy,            cusolverDnDestroy,          solver_result, (solver_handle h))                                \
  X(set_stream,         cusolverDnSetStream,        solver_result, (solver_handle h, gpu_stream s))                  \
  X(create_params,      cusolverDnCreateParams,     solver_result, (solver_params *p))                               \
  X(destroy_params,     cusolverDnDestroyParams,    solver_result, (solver_params p))                                \
  X(potrf_size,         cusolverDnXpotrf_bufferSize, solver_result, (solver_handle h, solver_params p,               \
      solver_triangle t, int64_t n, blas_type type, const void *a, int64_t lda, blas_type compute,                   \
      size_t *device, size_t *host))                                                                                 \
  X(potrf,              cusolverDnXpotrf,           solver_result, (solver_handle h, solver_params p,                \
      solver_triangle t, int64_t n, blas_type type, void *a, int64_t lda, blas_type compute,                         \
      void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))                                  \
  X(getrf_size,         cusolverDnXgetrf_bufferSize, solver_result, (solver_handle h, solver_params p,               \
      int64_t m, int64_t n, blas_type type, const void *a, int64_t lda, blas_type compute,                           \
      size_t *device, size_t *host))                                                                                 \
  X(getrf,              cusolverDnXgetrf,           solver_result, (solver_handle h, solver_params p,                \
      int64_t m, int64_t n, blas_type type, void *a, int64_t lda, int64_t *pivots, blas_type compute,                \
      void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))                                  \
  X(getrs,              cusolverDnXgetrs,           solver_result, (solver_handle h, solver_params p,                \
      blas_operation op, int64_t n, int64_t k, blas_type type, const void *a, int64_t lda, const int64_t *pivots,    \
      blas_type b_type, void *b, int64_t ldb, int *info))                                                            \
  X(geqrf_size,         cusolverDnXgeqrf_bufferSize, solver_result, (solver_handle h, solver_params p,               \
      int64_t m, int64_t n, blas_type type, const void *a, int64_t lda, blas_type tau_type, const void *tau,         \
      blas_type compute, size_t *device, size_t *host))                                                              \
  X(geqrf,              cusolverDnXgeqrf,           solver_result, (solver_handle h, solver_params p,                \
      int64_t m, int64_t n, blas_type type, void *a, int64_t lda, blas_type tau_type, void *tau, blas_type compute,  \
      void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))                                  \
  X(syevd_size,         cusolverDnXsyevd_bufferSize, solver_result, (solver_handle h, solver_params p,               \
      solver_vectors v, solver_triangle t, int64_t n, blas_type type, const void *a, int64_t lda,                    \
      blas_type w_type, const void *w, blas_type compute, size_t *device, size_t *host))                             \
  X(syevd,              cusolverDnXsyevd,           solver_result, (solver_handle h, solver_params p,                \
      solver_vectors v, solver_triangle t, int64_t n, blas_type type, void *a, int64_t lda,                          \
      blas_type w_type, void *w, blas_type compute,                                                                  \
      void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))                                  \
  X(gesvd_size,         cusolverDnXgesvd_bufferSize, solver_result, (solver_handle h, solver_params p,               \
      signed char u_job, signed char vt_job, int64_t m, int64_t n, blas_type type, const void *a, int64_t lda,       \
      blas_type s_type, const void *s, blas_type u_type, const void *u, int64_t ldu,                                 \
      blas_type vt_type, const void *vt, int64_t ldvt, blas_type compute, size_t *device, size_t *host))             \
  X(gesvd,              cusolverDnXgesvd,           solver_result, (solver_handle h, solver_params p,                \
      signed char u_job, signed char vt_job, int64_t m, int64_t n, blas_type type, void *a, int64_t lda,             \
      blas_type s_type, void *s, blas_type u_type, void *u, int64_t ldu, blas_type vt_type, void *vt, int64_t ldvt,  \
      blas_type compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))               \
  SOLVER_ORGQR(X, float32, S, or, float)                                                                             \
  SOLVER_ORGQR(X, float64, D, or, double)                                                                            \
  SOLVER_ORGQR(X, complex64, C, un, solver_complex64)                                                                \
  SOLVER_ORGQR(X, complex128, Z, un, solver_complex128)
/* These functions exist only since CUDA 12.6. A separate table contains the functions, so that older versions are
** still usable. */
#define EIG_FUNCTIONS(X)                                                                                             \
  X(geev_size,          cusolverDnXgeev_bufferSize, solver_result, (solver_handle h, solver_params p,                \
      solver_vectors left, solver_vectors right, int64_t n, blas_type type, const void *a, int64_t lda,              \
      blas_type w_type, const void *w, blas_type vl_type, const void *vl, int64_t ldvl,                              \
      blas_type vr_type, const void *vr, int64_t ldvr, blas_type compute, size_t *device, size_t *host))             \
  X(geev,               cusolverDnXgeev,            solver_result, (solver_handle h, solver_params p,                \
      solver_vectors left, solver_vectors right, int64_t n, blas_type type, void *a, int64_t lda,                    \
      blas_type w_type, void *w, blas_type vl_type, void *vl, int64_t ldvl, blas_type vr_type, void *vr, int64_t ldvr,\
      blas_type compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))

/* These functions exist in both cuDNN 8 and cuDNN 9. Descriptors describe tensors [batch, channels, …]. Dims and
** strides are counted in elements and have 32 bits. */
#define DNN_FUNCTIONS(X)                                                                                             \
  X(version,            cudnnGetVersion,            size_t, (void))                                                  \
  X(runtime_version,    cudnnGetCudartVersion,      size_t, (void))                                                  \
  X(error_text,         cudnnGetErrorString,        const char *, (dnn_result status))                               \
  X(create,             cudnnCreate,                dnn_result, (dnn_handle *h))                                     \
  X(destroy,            cudnnDestroy,               dnn_result, (dnn_handle h))                                      \
  X(set_stream,         cudnnSetStream,             dnn_result, (dnn_handle h, dnn_stream s))                        \
  X(tensor_create,      cudnnCreateTensorDescriptor, dnn_result, (dnn_tensor *t))                                    \
  X(tensor_set,         cudnnSetTensorNdDescriptor, dnn_result, (dnn_tensor t, dnn_type type, int ndim,              \
      const int *shape, const int *stride))                                                                          \
  X(tensor_destroy,     cudnnDestroyTensorDescriptor, dnn_result, (dnn_tensor t))                                    \
  X(filter_create,      cudnnCreateFilterDescriptor, dnn_result, (dnn_filter *f))                                    \
  X(filter_set,         cudnnSetFilterNdDescriptor, dnn_result, (dnn_filter f, dnn_type type, dnn_format format,     \
      int ndim, const int *shape))                                                                                   \
  X(filter_destroy,     cudnnDestroyFilterDescriptor, dnn_result, (dnn_filter f))                                    \
  X(convolution_create, cudnnCreateConvolutionDescriptor, dnn_result, (dnn_convolution *c))                          \
  X(convolution_set,    cudnnSetConvolutionNdDescriptor, dnn_result, (dnn_convolution c, int ndim, const int *padding,\
      const int *stride, const int *dilation, dnn_mode mode, dnn_type compute))                                      \
  X(convolution_groups, cudnnSetConvolutionGroupCount, dnn_result, (dnn_convolution c, int groups))                  \
  X(convolution_math,   cudnnSetConvolutionMathType, dnn_result, (dnn_convolution c, dnn_math math))                 \
  X(convolution_destroy, cudnnDestroyConvolutionDescriptor, dnn_result, (dnn_convolution c))                         \
  X(forward_choices,    cudnnGetConvolutionForwardAlgorithm_v7, dnn_result, (dnn_handle h, dnn_tensor x, dnn_filter w,\
      dnn_convolution c, dnn_tensor y, int most, int *count, dnn_forward_choice *choices))                           \
  X(data_choices,       cudnnGetConvolutionBackwardDataAlgorithm_v7, dnn_result, (dnn_handle h, dnn_filter w,        \
      dnn_tensor dy, dnn_convolution c, dnn_tensor dx, int most, int *count, dnn_data_choice *choices))              \
  X(weight_choices,     cudnnGetConvolutionBackwardFilterAlgorithm_v7, dnn_result, (dnn_handle h, dnn_tensor x,      \
      dnn_tensor dy, dnn_convolution c, dnn_filter dw, int most, int *count, dnn_weight_choice *choices))            \
  X(forward,            cudnnConvolutionForward,    dnn_result, (dnn_handle h, const void *alpha, dnn_tensor xd,     \
      const void *x, dnn_filter wd, const void *w, dnn_convolution c, dnn_forward algorithm, void *workspace,        \
      size_t bytes, const void *beta, dnn_tensor yd, void *y))                                                       \
  X(backward_data,      cudnnConvolutionBackwardData, dnn_result, (dnn_handle h, const void *alpha, dnn_filter wd,   \
      const void *w, dnn_tensor dyd, const void *dy, dnn_convolution c, dnn_data algorithm, void *workspace,         \
      size_t bytes, const void *beta, dnn_tensor dxd, void *dx))                                                     \
  X(backward_weight,    cudnnConvolutionBackwardFilter, dnn_result, (dnn_handle h, const void *alpha, dnn_tensor xd, \
      const void *x, dnn_tensor dyd, const void *dy, dnn_convolution c, dnn_weight algorithm, void *workspace,       \
      size_t bytes, const void *beta, dnn_filter dwd, void *dw))

#define GPU_FIELD(field, symbol, result, parameters) result (*field) parameters;
#define GPU_FIELD_OF_BOTH(field, nvidia, amd, result, parameters) result (*field) parameters;
typedef struct gpu_driver { DRIVER_FUNCTIONS(GPU_FIELD_OF_BOTH) } gpu_driver;
typedef struct gpu_rtc    { RTC_FUNCTIONS(GPU_FIELD_OF_BOTH) } gpu_rtc;
typedef struct gpu_blas   { BLAS_FUNCTIONS(GPU_FIELD_OF_BOTH) } gpu_blas;
typedef struct gpu_dft    { FFT_FUNCTIONS(GPU_FIELD_OF_BOTH, fft_handle) } gpu_dft;
typedef struct gpu_solver {
  SOLVER_FUNCTIONS(GPU_FIELD)
  const char *(*error_text)(solver_result r);
  /* NULL if getrs needs no scratch memory. getrs_size returns its bytes for k columns, and set_room, before getrs, gives
  ** the memory to the library. */
  solver_result (*getrs_size)(solver_handle h, blas_operation op, int64_t n, int64_t k, blas_type type, int64_t lda,
                              int64_t ldb, size_t *device, size_t *host);
  solver_result (*set_room)(solver_handle h, void *device, size_t bytes);
} gpu_solver;
typedef struct gpu_eig    { EIG_FUNCTIONS(GPU_FIELD) } gpu_eig;
/* The meaning of an error of a function of gpu_dnn. While a plan is made, a library reports some unsupported calls by
** errors that otherwise mean a failure. */
enum dnn_error { DNN_FAILED, DNN_NO_MEMORY, DNN_UNSUPPORTED };

/* The three computations of a convolution: y, the gradient of x, and the gradient of w. */
enum dnn_pass { DNN_FORWARD, DNN_BACKWARD_DATA, DNN_BACKWARD_WEIGHT };

typedef struct gpu_dnn {
  DNN_FUNCTIONS(GPU_FIELD)
  enum dnn_error (*error_kind)(dnn_result status, bool planning);
  /* Compiles the kernels of an algorithm that was proposed for the pass. NULL if the library compiles nothing. */
  dnn_result (*prepare)(dnn_handle h, enum dnn_pass pass, dnn_tensor x, dnn_filter w, dnn_convolution c, dnn_tensor y,
                        int algorithm);
} gpu_dnn;
#undef GPU_FIELD
#undef GPU_FIELD_OF_BOTH

#endif
