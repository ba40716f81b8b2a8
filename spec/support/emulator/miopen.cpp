/* The emulated MIOpen: AMD's functions, which call the emulated cuDNN. cuDNN is a part of this library. With
** LT_CHECK_HIP the compiler compares the functions and constants with AMD's headers. */

#include "emulator.h"

#include <cstdlib>
#include <cstring>

#ifdef LT_CHECK_HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#endif
extern "C" {
#include "../../../src/gpu/vendor/amd_dnn.h"
}

DNN_FUNCTIONS(DECLARE)
#define DECLARE_AMD(field, symbol, parameters) EXPORT miopenStatus_t symbol parameters;
MIOPEN_FUNCTIONS(DECLARE_AMD)
MIOPEN_PASS_FUNCTIONS(DECLARE_AMD, Forward)
MIOPEN_PASS_FUNCTIONS(DECLARE_AMD, BackwardData)
MIOPEN_PASS_FUNCTIONS(DECLARE_AMD, BackwardWeights)
EXPORT const char *miopenGetErrorString(miopenStatus_t error);

#ifdef LT_CHECK_HIP
#define CHECK(ours, theirs, value) static_assert(int(theirs) == value, #theirs);
MIOPEN_CONSTANTS(CHECK)
#endif

/* Functions of librocblas.so. */
extern "C" int rocblas_create_handle(void **h);
extern "C" int rocblas_destroy_handle(void *h);
extern "C" void emulator_need_kernels();

namespace {

/* Status of MIOpen, and kinds of solutions. */
enum { NOT_INITIALIZED = 1, GEMM = 0, DIRECT = 1, WINOGRAD = 3 };

/* The numbers of the emulated cuDNN's algorithms begin at FIRST in MIOpen. */
enum { FIRST = 100, RANDOM = 0 };

/* An attribute of a convolution that was not set. */
enum { UNSET = -1 };

#ifdef LT_CHECK_HIP
static_assert(int(miopenStatusNotInitialized) == NOT_INITIALIZED && int(miopenConvolutionAlgoGEMM) == GEMM &&
              int(miopenConvolutionAlgoDirect) == DIRECT && int(miopenConvolutionAlgoWinograd) == WINOGRAD, "constants");
#endif

/* The objects of the library. Objects that do not exist any more are refused. */
struct handle { dnn_handle cudnn; void *blas; std::set<std::string> compiled; };
struct tensor { dnn_tensor cudnn; dnn_filter filter; int type; std::vector<int> shape; };
struct convolution { dnn_convolution cudnn; std::vector<int> form; int groups, deterministic, bfloat16_factors; };

std::set<const void *> &alive = *new std::set<const void *>;
std::mutex &lock = *new std::mutex;

template <class T, class H> T *get(H h) {
  std::lock_guard<std::mutex> locked(lock);
  return alive.count(h) ? reinterpret_cast<T *>(h) : nullptr;
}

template <class T, class H> void add(H *made, T *object) {
  std::lock_guard<std::mutex> locked(lock);
  alive.insert(object);
  *made = reinterpret_cast<H>(object);
}

template <class T> void drop(T *object) {
  std::lock_guard<std::mutex> locked(lock);
  alive.erase(object);
  delete object;
}

miopenStatus_t say(int status) { return miopenStatus_t(status); }

miopenStatus_t status(int cudnn) {
  if (cudnn == 0) return say(0);
  if (cudnn == 4003) return say(MIOPEN_NO_MEMORY);
  switch (cudnn / 1000) {
    case 1: return say(NOT_INITIALIZED);
    case 2: return say(MIOPEN_BAD_PARAMETER);
    case 3: return say(MIOPEN_NOT_IMPLEMENTED);
    default: return say(MIOPEN_UNKNOWN_ERROR);
  }
}

/* ---- a convolution ---- */

/* A call with its objects in cuDNN's roles. */
struct call {
  enum dnn_pass pass;
  handle *h;
  tensor *x, *w, *y;
  convolution *c;
  explicit operator bool() const {
    return h && x && w && y && c && !x->shape.empty() && !w->shape.empty() && !y->shape.empty();
  }
};

/* a, b and made are MIOpen's tensors in the order of the pass. */
call make_call(dnn_pass pass, miopenHandle_t h, miopenTensorDescriptor_t a, miopenTensorDescriptor_t b,
               miopenConvolutionDescriptor_t c, miopenTensorDescriptor_t made) {
  tensor *ta = get<tensor>(a), *tb = get<tensor>(b), *tm = get<tensor>(made);
  handle *th = get<handle>(h);
  convolution *tc = get<convolution>(c);
  if (pass == DNN_FORWARD) return {pass, th, tb, ta, tm, tc};
  if (pass == DNN_BACKWARD_DATA) return {pass, th, tm, tb, ta, tc};
  return {pass, th, tb, tm, ta, tc};
}

/* The name of a compiled solution. */
std::string name_of(const call &k, uint64_t solution) {
  std::string name = std::to_string(k.pass) + ":" + std::to_string(solution) + ":" + std::to_string(k.c->groups);
  for (const std::vector<int> *list : {&k.x->shape, &k.w->shape, &k.y->shape, &k.c->form})
    for (int n : *list) name += "," + std::to_string(n);
  return name + ":" + std::to_string(k.x->type);
}

bool is_asked(const char *variable) {
  const char *text = getenv(variable);
  return text && !strcmp(text, "1");
}

int propose(const call &k, std::vector<dnn_choice> &choices) {
  int count = 0, most = int(choices.size()), r;
  dnn_choice *to = choices.data();
  dnn_handle h = k.h->cudnn;
  dnn_tensor x = k.x->cudnn, y = k.y->cudnn;
  dnn_filter w = k.w->filter;
  dnn_convolution c = k.c->cudnn;
  if (k.pass == DNN_FORWARD) r = cudnnGetConvolutionForwardAlgorithm_v7(h, x, w, c, y, most, &count, to);
  else if (k.pass == DNN_BACKWARD_DATA) r = cudnnGetConvolutionBackwardDataAlgorithm_v7(h, w, y, c, x, most, &count, to);
  else r = cudnnGetConvolutionBackwardFilterAlgorithm_v7(h, x, y, c, w, most, &count, to);
  choices.resize(r ? 0 : size_t(count));
  return r;
}

/* True if MIOpen lists cuDNN's algorithm. The algorithm whose results differ in every run is listed for gradients even
** if the descriptor forbids it, as in ROCm 6. MIOpen has no TF32. */
bool is_listed(const call &k, const dnn_choice &c) {
  if (c.math == DNN_MATH_TENSOR) return false;
  if (c.determinism == DNN_REPEATS || k.c->deterministic != 1) return true;
  return k.pass != DNN_FORWARD && !is_asked("MIOPEN_DEBUG_CONVOLUTION_DETERMINISTIC");
}

int kind_of(const dnn_choice &c) {
  if (c.determinism != DNN_REPEATS) return MIOPEN_IMPLICIT_GEMM;
  return c.status ? WINOGRAD : c.memory > 1 << 30 ? DIRECT : GEMM;
}

/* Lists the solutions. Callers cannot use all: one is random, one cannot be compiled, and one needs more memory than
** the device has. If no solution is applicable, the list is empty. */
miopenStatus_t find(const call &k, size_t most, size_t *count, miopenConvSolution_t *solutions) {
  if (!k || !count || !solutions) return say(MIOPEN_BAD_PARAMETER);
  std::vector<dnn_choice> choices(16);
  int r = propose(k, choices);
  *count = 0;
  if (r && r / 1000 != 3) return status(r);
  for (const dnn_choice &c : choices) {
    if (*count == most || !is_listed(k, c)) continue;
    solutions[*count] = {float(*count + 1), c.memory, uint64_t(c.algo + FIRST), miopenConvAlgorithm_t(kind_of(c))};
    ++*count;
  }
  return say(0);
}

/* The proposal with this number, or NULL. */
const dnn_choice *choice_of(const std::vector<dnn_choice> &choices, uint64_t solution) {
  for (const dnn_choice &c : choices)
    if (uint64_t(c.algo + FIRST) == solution) return &c;
  return nullptr;
}

miopenStatus_t compile(const call &k, uint64_t solution) {
  if (!k) return say(MIOPEN_BAD_PARAMETER);
  std::vector<dnn_choice> choices(16);
  if (int r = propose(k, choices)) return status(r);
  const dnn_choice *c = choice_of(choices, solution);
  if (!c || !is_listed(k, *c)) return say(MIOPEN_BAD_PARAMETER);
  if (c->status) return say(MIOPEN_INTERNAL_ERROR);
  k.h->compiled.insert(name_of(k, solution));
  return say(0);
}

/* The algorithm that computes a solution. Results are random if the descriptor does not ask for the same bits in every
** run, or if the gradients of float16 may be rounded to bfloat16, so that specs notice. */
int algorithm_of(const call &k, uint64_t solution) {
  bool rounds = k.x->type == MIOPEN_FLOAT16 && k.pass != DNN_FORWARD && k.c->bfloat16_factors != 0;
  return k.c->deterministic == 1 && !rounds ? int(solution) - FIRST : int(RANDOM);
}

/* AMD's library would compile a solution here if that was not done before. */
miopenStatus_t run(const call &k, const void *x, const void *w, const void *y, void *workspace, size_t bytes,
                   uint64_t solution) {
  const float one = 1, zero = 0;
  if (!k || !workspace != !bytes) return say(MIOPEN_BAD_PARAMETER);
  if (!k.h->compiled.count(name_of(k, solution))) return say(MIOPEN_INVALID_VALUE);
  std::vector<dnn_choice> choices(16);
  if (int r = propose(k, choices)) return status(r);
  const dnn_choice *c = choice_of(choices, solution);
  if (!c || bytes < c->memory) return say(MIOPEN_INTERNAL_ERROR);
  if (kind_of(*c) == GEMM) emulator_need_kernels();
  int algorithm = algorithm_of(k, solution);
  dnn_handle h = k.h->cudnn;
  dnn_tensor xd = k.x->cudnn, yd = k.y->cudnn;
  dnn_filter wd = k.w->filter;
  dnn_convolution how = k.c->cudnn;
  if (k.pass == DNN_FORWARD)
    return status(cudnnConvolutionForward(h, &one, xd, x, wd, w, how, algorithm, workspace, bytes, &zero, yd,
                                          const_cast<void *>(y)));
  if (k.pass == DNN_BACKWARD_DATA)
    return status(cudnnConvolutionBackwardData(h, &one, wd, w, yd, y, how, algorithm, workspace, bytes, &zero, xd,
                                               const_cast<void *>(x)));
  return status(cudnnConvolutionBackwardFilter(h, &one, xd, x, yd, y, how, algorithm, workspace, bytes, &zero, wd,
                                               const_cast<void *>(w)));
}

}

/* ---- handles ---- */

EXPORT miopenStatus_t miopenGetVersion(size_t *major, size_t *minor, size_t *patch) {
  if (major) *major = 2;
  if (minor) *minor = emulator_dnn_setting() == emulator::DNN_OLD ? 17 : 20;
  if (patch) *patch = 0;
  return say(0);
}

EXPORT const char *miopenGetErrorString(miopenStatus_t error) {
  switch (int(error)) {
    case 0: return "miopenStatusSuccess";
    case NOT_INITIALIZED: return "miopenStatusNotInitialized";
    case MIOPEN_INVALID_VALUE: return "miopenStatusInvalidValue";
    case MIOPEN_BAD_PARAMETER: return "miopenStatusBadParm";
    case MIOPEN_NO_MEMORY: return "miopenStatusAllocFailed";
    case MIOPEN_INTERNAL_ERROR: return "miopenStatusInternalError";
    case MIOPEN_NOT_IMPLEMENTED: return "miopenStatusNotImplemented";
    default: return "miopenStatusUnknownError";
  }
}

EXPORT miopenStatus_t miopenCreate(miopenHandle_t *h) {
  dnn_handle cudnn = nullptr;
  void *blas = nullptr;
  if (!h) return say(MIOPEN_BAD_PARAMETER);
  if (int r = cudnnCreate(&cudnn)) return status(r);
  if (rocblas_create_handle(&blas) != 0) return say(MIOPEN_UNKNOWN_ERROR);
  add(h, new handle{cudnn, blas, {}});
  return say(0);
}

EXPORT miopenStatus_t miopenDestroy(miopenHandle_t h) {
  handle *object = get<handle>(h);
  if (!object) return say(MIOPEN_BAD_PARAMETER);
  cudnnDestroy(object->cudnn);
  rocblas_destroy_handle(object->blas);
  drop(object);
  return say(0);
}

EXPORT miopenStatus_t miopenSetStream(miopenHandle_t h, miopenAcceleratorQueue_t s) {
  handle *object = get<handle>(h);
  return object ? status(cudnnSetStream(object->cudnn, reinterpret_cast<gpu_stream>(s))) : say(MIOPEN_BAD_PARAMETER);
}

/* ---- descriptors ---- */

EXPORT miopenStatus_t miopenCreateTensorDescriptor(miopenTensorDescriptor_t *t) {
  dnn_tensor cudnn = nullptr;
  dnn_filter filter = nullptr;
  if (!t) return say(MIOPEN_BAD_PARAMETER);
  int r = cudnnCreateTensorDescriptor(&cudnn);
  if (!r) r = cudnnCreateFilterDescriptor(&filter);
  if (!r) add(t, new tensor{cudnn, filter, -1, {}});
  return status(r);
}

EXPORT miopenStatus_t miopenSetTensorDescriptor(miopenTensorDescriptor_t t, miopenDataType_t type, int ndim,
                                                const int *shape, const int *stride) {
  tensor *object = get<tensor>(t);
  int cudnn = type == MIOPEN_FLOAT32 ? DNN_FLOAT32 : type == MIOPEN_FLOAT16 ? DNN_FLOAT16 : DNN_BFLOAT16;
  bool known = type == MIOPEN_FLOAT32 || type == MIOPEN_FLOAT16 || type == MIOPEN_BFLOAT16;
  if (!object || !known || !shape) return say(MIOPEN_BAD_PARAMETER);
  int r = cudnnSetTensorNdDescriptor(object->cudnn, cudnn, ndim, shape, stride);
  if (!r) r = cudnnSetFilterNdDescriptor(object->filter, cudnn, DNN_NCHW, ndim, shape);
  if (!r) object->shape.assign(shape, shape + ndim);
  object->type = type;
  return status(r);
}

EXPORT miopenStatus_t miopenDestroyTensorDescriptor(miopenTensorDescriptor_t t) {
  tensor *object = get<tensor>(t);
  if (!object) return say(MIOPEN_BAD_PARAMETER);
  cudnnDestroyTensorDescriptor(object->cudnn);
  cudnnDestroyFilterDescriptor(object->filter);
  drop(object);
  return say(0);
}

EXPORT miopenStatus_t miopenCreateConvolutionDescriptor(miopenConvolutionDescriptor_t *c) {
  dnn_convolution cudnn = nullptr;
  if (!c) return say(MIOPEN_BAD_PARAMETER);
  int r = cudnnCreateConvolutionDescriptor(&cudnn);
  if (!r) add(c, new convolution{cudnn, {}, 1, UNSET, UNSET});
  return status(r);
}

/* Resets the groups and all attributes, as AMD's function does. */
EXPORT miopenStatus_t miopenInitConvolutionNdDescriptor(miopenConvolutionDescriptor_t c, int ndim, const int *padding,
                                                        const int *stride, const int *dilation,
                                                        miopenConvolutionMode_t mode) {
  convolution *object = get<convolution>(c);
  if (!object || !padding || !stride || !dilation || ndim != 2) return say(MIOPEN_BAD_PARAMETER);
  if (mode != MIOPEN_CORRELATION) return say(MIOPEN_NOT_IMPLEMENTED);
  int r = cudnnSetConvolutionNdDescriptor(object->cudnn, ndim, padding, stride, dilation, DNN_CORRELATION, DNN_FLOAT32);
  if (!r) r = cudnnSetConvolutionGroupCount(object->cudnn, 1);
  if (!r) r = cudnnSetConvolutionMathType(object->cudnn, DNN_MATH_FMA);
  object->form.clear();
  for (const int *list : {padding, stride, dilation}) object->form.insert(object->form.end(), list, list + ndim);
  object->groups = 1;
  object->deterministic = object->bfloat16_factors = UNSET;
  return status(r);
}

EXPORT miopenStatus_t miopenSetConvolutionGroupCount(miopenConvolutionDescriptor_t c, int groups) {
  convolution *object = get<convolution>(c);
  if (!object || object->form.empty()) return say(MIOPEN_BAD_PARAMETER);
  object->groups = groups;
  return status(cudnnSetConvolutionGroupCount(object->cudnn, groups));
}

EXPORT miopenStatus_t miopenSetConvolutionAttribute(miopenConvolutionDescriptor_t c,
                                                    const miopenConvolutionAttrib_t option, int value) {
  convolution *object = get<convolution>(c);
  if (!object || value < -1 || value > 1) return say(MIOPEN_BAD_PARAMETER);
  if (option == MIOPEN_DETERMINISTIC) object->deterministic = value;
  else if (option == MIOPEN_BFLOAT16_FACTORS) object->bfloat16_factors = value;
  else return say(MIOPEN_BAD_PARAMETER);
  return say(0);
}

EXPORT miopenStatus_t miopenDestroyConvolutionDescriptor(miopenConvolutionDescriptor_t c) {
  convolution *object = get<convolution>(c);
  if (!object) return say(MIOPEN_BAD_PARAMETER);
  cudnnDestroyConvolutionDescriptor(object->cudnn);
  drop(object);
  return say(0);
}

/* ---- convolutions ---- */

#define TENSORS miopenHandle_t h, const miopenTensorDescriptor_t a, const miopenTensorDescriptor_t b, \
  const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t made
#define FIND(symbol, pass)                                                                                           \
  EXPORT miopenStatus_t symbol(TENSORS, const size_t most, size_t *count, miopenConvSolution_t *solutions) {         \
    return find(make_call(pass, h, a, b, c, made), most, count, solutions);                                          \
  }
FIND(miopenConvolutionForwardGetSolution, DNN_FORWARD)
FIND(miopenConvolutionBackwardDataGetSolution, DNN_BACKWARD_DATA)
FIND(miopenConvolutionBackwardWeightsGetSolution, DNN_BACKWARD_WEIGHT)

#define COMPILE(symbol, pass)                                                                                        \
  EXPORT miopenStatus_t symbol(TENSORS, const uint64_t solution) {                                                   \
    return compile(make_call(pass, h, a, b, c, made), solution);                                                     \
  }
COMPILE(miopenConvolutionForwardCompileSolution, DNN_FORWARD)
COMPILE(miopenConvolutionBackwardDataCompileSolution, DNN_BACKWARD_DATA)
COMPILE(miopenConvolutionBackwardWeightsCompileSolution, DNN_BACKWARD_WEIGHT)

EXPORT miopenStatus_t miopenConvolutionForwardImmediate(
    miopenHandle_t h, const miopenTensorDescriptor_t wd, const void *w, const miopenTensorDescriptor_t xd, const void *x,
    const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t yd, void *y, void *workspace, size_t bytes,
    const uint64_t solution) {
  return run(make_call(DNN_FORWARD, h, wd, xd, c, yd), x, w, y, workspace, bytes, solution);
}

EXPORT miopenStatus_t miopenConvolutionBackwardDataImmediate(
    miopenHandle_t h, const miopenTensorDescriptor_t dyd, const void *dy, const miopenTensorDescriptor_t wd, const void *w,
    const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t dxd, void *dx, void *workspace, size_t bytes,
    const uint64_t solution) {
  return run(make_call(DNN_BACKWARD_DATA, h, dyd, wd, c, dxd), dx, w, dy, workspace, bytes, solution);
}

EXPORT miopenStatus_t miopenConvolutionBackwardWeightsImmediate(
    miopenHandle_t h, const miopenTensorDescriptor_t dyd, const void *dy, const miopenTensorDescriptor_t xd, const void *x,
    const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t dwd, void *dw, void *workspace, size_t bytes,
    const uint64_t solution) {
  return run(make_call(DNN_BACKWARD_WEIGHT, h, dyd, xd, c, dwd), x, dw, dy, workspace, bytes, solution);
}
