/* Checks at compile time that the types, signatures and values of src/gpu/driver.h agree with the headers of the GPU's
** toolkit. `make lint` compiles this file if the toolkit is installed, but never runs it. */

#define LT_CHECK_DRIVER
#include "gpu/driver.h"
#include "gpu/vendor/ccl.h"

#define CHECK_FUNCTION(table, field, symbol) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), __typeof__(*((table *)0)->field)), \
                 #symbol " has another type");
#define CHECK_DRIVER(field, nvidia, amd, result, parameters) CHECK_FUNCTION(gpu_driver, field, nvidia)
#define CHECK_RTC(field, nvidia, amd, result, parameters)    CHECK_FUNCTION(gpu_rtc, field, nvidia)
#define CHECK_BLAS(field, nvidia, amd, result, parameters)   CHECK_FUNCTION(gpu_blas, field, nvidia)
/* The compiler compares this declaration with the toolkit's. The table has another type of plans. */
#define CHECK_FFT(field, nvidia, amd, result, parameters)    result nvidia parameters;
#define CHECK_SOLVER(field, symbol, result, parameters) CHECK_FUNCTION(gpu_solver, field, symbol)
#define CHECK_EIG(field, symbol, result, parameters)    CHECK_FUNCTION(gpu_eig, field, symbol)
DRIVER_FUNCTIONS(CHECK_DRIVER)
RTC_FUNCTIONS(CHECK_RTC)
BLAS_FUNCTIONS(CHECK_BLAS)
FFT_FUNCTIONS(CHECK_FFT, cufft_handle)
SOLVER_FUNCTIONS(CHECK_SOLVER)
EIG_FUNCTIONS(CHECK_EIG)

#define CHECK_CONSTANT(ours, theirs, value) _Static_assert((int)theirs == value, #ours " is not " #theirs);
DRIVER_CONSTANTS(CHECK_CONSTANT)
#define CHECK_ATTRIBUTE(ours, nvidia, value, amd, amd_value) CHECK_CONSTANT(ours, nvidia, value)
GPU_ATTRIBUTES(CHECK_ATTRIBUTE)

/* Checks cuDNN's declarations if its headers are installed. cuDNN's stream type is the CUDA runtime's name for the
   driver's stream type. */
#ifdef LT_CHECK_DNN
#define CHECK_DNN(field, symbol, result, parameters)    CHECK_FUNCTION(gpu_dnn, field, symbol)
DNN_FUNCTIONS(CHECK_DNN)
DNN_CONSTANTS(CHECK_CONSTANT)

#define CHECK_FIELD(struct_, ours, theirs) \
  _Static_assert(offsetof(dnn_choice, ours) == offsetof(struct_, theirs), "dnn_choice." #ours);
#define CHECK_CHOICE(struct_) \
  _Static_assert(sizeof(dnn_choice) == sizeof(struct_), "dnn_choice"); \
  CHECK_FIELD(struct_, algo, algo) CHECK_FIELD(struct_, status, status) CHECK_FIELD(struct_, memory, memory) \
  CHECK_FIELD(struct_, determinism, determinism) CHECK_FIELD(struct_, math, mathType)
CHECK_CHOICE(cudnnConvolutionFwdAlgoPerf_t)
CHECK_CHOICE(cudnnConvolutionBwdDataAlgoPerf_t)
CHECK_CHOICE(cudnnConvolutionBwdFilterAlgoPerf_t)
_Static_assert(__builtin_types_compatible_p(dnn_stream, gpu_stream), "streams are the driver's");
_Static_assert(sizeof(dnn_result) == sizeof(int), "results are ints");
#endif

/* Checks NCCL's declarations if its header is installed. */
#ifdef LT_CHECK_CCL
#define CHECK_CCL(field, symbol, result, parameters)    CHECK_FUNCTION(gpu_ccl, field, symbol)
CCL_FUNCTIONS(CHECK_CCL)
CCL_CONSTANTS(CHECK_CONSTANT)
_Static_assert(sizeof(ccl_id) == CCL_ID_BYTES, "bytes of an id");
_Static_assert(sizeof(ccl_result) == sizeof(int), "results are ints");
#endif

/* Checks the enums and handles that nvidia.c and compile.c use without naming their types. */
_Static_assert(sizeof(gpu_result) == sizeof(int) && sizeof(rtc_result) == sizeof(int) &&
               sizeof(blas_result) == sizeof(int) && sizeof(fft_result) == sizeof(int) &&
               sizeof(solver_result) == sizeof(int), "results are ints");
_Static_assert(sizeof(gpu_device_id) == sizeof(int) && sizeof(gpu_address) == sizeof(unsigned long long), "sizes");
