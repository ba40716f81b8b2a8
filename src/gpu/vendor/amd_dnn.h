#ifndef LT_GPU_VENDOR_AMD_DNN_H
#define LT_GPU_VENDOR_AMD_DNN_H

/* The functions of MIOpen and the numbers of its enums. With LT_CHECK_HIP (make lint, if AMD's headers are installed)
** both are compared with AMD's headers. */

#include <stddef.h>
#include <stdint.h>

#ifdef LT_CHECK_HIP
#include <miopen/miopen.h>
#else
typedef int miopenStatus_t, miopenDataType_t, miopenConvolutionMode_t, miopenConvolutionAttrib_t, miopenConvAlgorithm_t;
typedef struct miopenHandle *miopenHandle_t;
typedef struct miopenTensorDescriptor *miopenTensorDescriptor_t;
typedef struct miopenConvolutionDescriptor *miopenConvolutionDescriptor_t;
typedef struct ihipStream_t *miopenAcceleratorQueue_t;

/* A way to compute a convolution. */
typedef struct miopenConvSolution_t {
  float    time;             /* expected time in ms */
  size_t   workspace_size;
  uint64_t solution_id;
  miopenConvAlgorithm_t algorithm;
} miopenConvSolution_t;
#endif

/* X(luatensor's name, AMD's name, value) */
#define MIOPEN_CONSTANTS(X)                                                                                          \
  X(MIOPEN_INVALID_VALUE,    miopenStatusInvalidValue,                  2)                                           \
  X(MIOPEN_BAD_PARAMETER,    miopenStatusBadParm,                       3)                                           \
  X(MIOPEN_NO_MEMORY,        miopenStatusAllocFailed,                   4)                                           \
  X(MIOPEN_INTERNAL_ERROR,   miopenStatusInternalError,                 5)                                           \
  X(MIOPEN_NOT_IMPLEMENTED,  miopenStatusNotImplemented,                6)                                           \
  X(MIOPEN_UNKNOWN_ERROR,    miopenStatusUnknownError,                  7)                                           \
  X(MIOPEN_UNSUPPORTED,      miopenStatusUnsupportedOp,                 8)                                           \
  X(MIOPEN_FLOAT16,          miopenHalf,                                0)                                           \
  X(MIOPEN_FLOAT32,          miopenFloat,                               1)                                           \
  X(MIOPEN_BFLOAT16,         miopenBFloat16,                            5)                                           \
  X(MIOPEN_CORRELATION,      miopenConvolution,                         0)                                           \
  X(MIOPEN_BFLOAT16_FACTORS, MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL,   0)                                           \
  X(MIOPEN_DETERMINISTIC,    MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC,   1)                                           \
  X(MIOPEN_IMPLICIT_GEMM,    miopenConvolutionAlgoImplicitGEMM,         5)

#define MIOPEN_CONSTANT(ours, theirs, value) ours = value,
enum { MIOPEN_CONSTANTS(MIOPEN_CONSTANT) };
#undef MIOPEN_CONSTANT

/* X(field, symbol, parameters) */
#define MIOPEN_FUNCTIONS(X)                                                                                          \
  X(version,             miopenGetVersion,                   (size_t *major, size_t *minor, size_t *patch))          \
  X(create,              miopenCreate,                       (miopenHandle_t *h))                                    \
  X(destroy,             miopenDestroy,                      (miopenHandle_t h))                                     \
  X(set_stream,          miopenSetStream,                    (miopenHandle_t h, miopenAcceleratorQueue_t s))         \
  X(tensor_create,       miopenCreateTensorDescriptor,       (miopenTensorDescriptor_t *t))                          \
  X(tensor_set,          miopenSetTensorDescriptor,          (miopenTensorDescriptor_t t, miopenDataType_t type,     \
                                                              int ndim, const int *shape, const int *stride))        \
  X(tensor_destroy,      miopenDestroyTensorDescriptor,      (miopenTensorDescriptor_t t))                           \
  X(convolution_create,  miopenCreateConvolutionDescriptor,  (miopenConvolutionDescriptor_t *c))                     \
  X(convolution_set,     miopenInitConvolutionNdDescriptor,  (miopenConvolutionDescriptor_t c, int ndim,             \
                                                              const int *padding, const int *stride,                 \
                                                              const int *dilation, miopenConvolutionMode_t mode))    \
  X(convolution_groups,  miopenSetConvolutionGroupCount,     (miopenConvolutionDescriptor_t c, int groups))          \
  X(convolution_option,  miopenSetConvolutionAttribute,      (miopenConvolutionDescriptor_t c,                       \
                                                              const miopenConvolutionAttrib_t option, int value))    \
  X(convolution_destroy, miopenDestroyConvolutionDescriptor, (miopenConvolutionDescriptor_t c))

/* The functions of a pass, as X(field, symbol, parameters). The tensors a and b are w and x of the forward pass, dy and w
** of the gradient of x, or dy and x of the gradient of w. */
#define MIOPEN_PASS_FUNCTIONS(X, pass)                                                                               \
  X(find, miopenConvolution##pass##GetSolution,                                                                      \
    (miopenHandle_t h, const miopenTensorDescriptor_t a, const miopenTensorDescriptor_t b,                           \
     const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t made, const size_t most, size_t *count,   \
     miopenConvSolution_t *solutions))                                                                               \
  X(compile, miopenConvolution##pass##CompileSolution,                                                               \
    (miopenHandle_t h, const miopenTensorDescriptor_t a, const miopenTensorDescriptor_t b,                           \
     const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t made, const uint64_t solution))           \
  X(run, miopenConvolution##pass##Immediate,                                                                         \
    (miopenHandle_t h, const miopenTensorDescriptor_t ad, const void *a, const miopenTensorDescriptor_t bd,          \
     const void *b, const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t made_d, void *made,        \
     void *workspace, size_t bytes, const uint64_t solution))

#endif
