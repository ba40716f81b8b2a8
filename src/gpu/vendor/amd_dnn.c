/* AMD's library of convolutions, MIOpen: functions with cuDNN's parameters, in MIOpen's immediate mode. MIOpen has no
** filters, which are tensors, and no factors alpha and beta: luatensor's are 1 and 0. */

#include "gpu/vendor/amd.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "gpu/vendor/amd_dnn.h"

enum { NDIM = 4, SOLUTIONS = 64 };      /* SOLUTIONS: more than MIOpen has for a convolution */

#define FIELD(field, symbol, parameters) miopenStatus_t (*field) parameters;
static struct { MIOPEN_FUNCTIONS(FIELD) const char *(*error_text)(miopenStatus_t r); } miopen;

typedef struct pass_functions { MIOPEN_PASS_FUNCTIONS(FIELD, Forward) } pass_functions;
static pass_functions passes[3];        /* indexed by enum dnn_pass */

/* rocBLAS's function in the copy that MIOpen loads. NULL if MIOpen does not multiply matrices by rocBLAS. */
static void *rocblas_create;

/* ---- descriptors ---- */

static dnn_result create(dnn_handle *h) { return (dnn_result)miopen.create((miopenHandle_t *)h); }
static dnn_result destroy(dnn_handle h) { return (dnn_result)miopen.destroy((miopenHandle_t)h); }
static dnn_result set_stream(dnn_handle h, dnn_stream s) {
  return (dnn_result)miopen.set_stream((miopenHandle_t)h, (miopenAcceleratorQueue_t)s);
}

static dnn_result tensor_create(dnn_tensor *t) {
  return (dnn_result)miopen.tensor_create((miopenTensorDescriptor_t *)t);
}

static dnn_result tensor_destroy(dnn_tensor t) {
  return (dnn_result)miopen.tensor_destroy((miopenTensorDescriptor_t)t);
}

/* MIOpen has few solutions for float64, so luatensor's own kernels compute these convolutions. */
static dnn_result tensor_set(dnn_tensor t, dnn_type type, int ndim, const int *shape, const int *stride) {
  if ((int)type == DNN_FLOAT64) return (dnn_result)MIOPEN_NOT_IMPLEMENTED;
  int theirs = (int)type == DNN_FLOAT16 ? MIOPEN_FLOAT16 : (int)type == DNN_BFLOAT16 ? MIOPEN_BFLOAT16 : MIOPEN_FLOAT32;
  return (dnn_result)miopen.tensor_set((miopenTensorDescriptor_t)t, (miopenDataType_t)theirs, ndim, shape, stride);
}

static dnn_result filter_create(dnn_filter *f) { return tensor_create((dnn_tensor *)f); }
static dnn_result filter_destroy(dnn_filter f) { return tensor_destroy((dnn_tensor)f); }
static dnn_result filter_set(dnn_filter f, dnn_type type, dnn_format format, int ndim, const int *shape) {
  int stride[NDIM], step = 1;
  (void)format;
  if (ndim != NDIM) return (dnn_result)MIOPEN_NOT_IMPLEMENTED;
  for (int d = NDIM - 1; d >= 0; step *= shape[d--]) stride[d] = step;
  return tensor_set((dnn_tensor)f, type, ndim, shape, stride);
}

static dnn_result convolution_create(dnn_convolution *c) {
  return (dnn_result)miopen.convolution_create((miopenConvolutionDescriptor_t *)c);
}

static dnn_result convolution_destroy(dnn_convolution c) {
  return (dnn_result)miopen.convolution_destroy((miopenConvolutionDescriptor_t)c);
}

/* By default MIOpen may use solutions whose results differ in every run, and on gfx90a it rounds the float16 factors of
** gradients to bfloat16. */
static dnn_result convolution_set(dnn_convolution convolution, int ndim, const int *padding, const int *stride,
                                  const int *dilation, dnn_mode mode, dnn_type compute) {
  miopenConvolutionDescriptor_t c = (miopenConvolutionDescriptor_t)convolution;
  (void)mode; (void)compute;
  miopenStatus_t r = miopen.convolution_set(c, ndim, padding, stride, dilation,
                                            (miopenConvolutionMode_t)MIOPEN_CORRELATION);
  if ((int)r == 0) r = miopen.convolution_option(c, (miopenConvolutionAttrib_t)MIOPEN_DETERMINISTIC, 1);
  if ((int)r == 0) r = miopen.convolution_option(c, (miopenConvolutionAttrib_t)MIOPEN_BFLOAT16_FACTORS, 0);
  return (dnn_result)r;
}

static dnn_result convolution_groups(dnn_convolution c, int groups) {
  return (dnn_result)miopen.convolution_groups((miopenConvolutionDescriptor_t)c, groups);
}

/* MIOpen multiplies float32 as float32. */
static dnn_result convolution_math(dnn_convolution c, dnn_math math) {
  (void)c; (void)math;
  return (dnn_result)0;
}

/* ---- solutions ---- */

/* The descriptors of a pass in the order of MIOpen's parameters. */
typedef struct operands { miopenTensorDescriptor_t a, b, made; } operands;

static operands operands_of(enum dnn_pass pass, dnn_tensor x, dnn_filter w, dnn_tensor y) {
  miopenTensorDescriptor_t xd = (miopenTensorDescriptor_t)x, wd = (miopenTensorDescriptor_t)w;
  miopenTensorDescriptor_t yd = (miopenTensorDescriptor_t)y;
  switch (pass) {
    case DNN_FORWARD:       return (operands){wd, xd, yd};
    case DNN_BACKWARD_DATA: return (operands){yd, wd, xd};
    default:                return (operands){yd, xd, wd};
  }
}

/* True if MIOpen promises that the solution gives the same bits in every run. For gradients, the implicit GEMMs of ROCm
** 5.7 to 6.x add atomically even if the descriptor forbids it, unless this environment variable is set. */
static bool repeats(enum dnn_pass pass, const miopenConvSolution_t *s) {
  const char *text = getenv("MIOPEN_DEBUG_CONVOLUTION_DETERMINISTIC");
  return pass == DNN_FORWARD || (int)s->algorithm != MIOPEN_IMPLICIT_GEMM || (text && strcmp(text, "1") == 0);
}

/* Lists at most `most` solutions, the fastest first, that give the same bits in every run. */
static dnn_result find(dnn_handle h, enum dnn_pass pass, dnn_tensor x, dnn_filter w, dnn_convolution c, dnn_tensor y,
                       int most, int *count, dnn_choice *choices) {
  miopenConvSolution_t solutions[SOLUTIONS];
  size_t found = 0;
  operands o = operands_of(pass, x, w, y);
  miopenStatus_t r = passes[pass].find((miopenHandle_t)h, o.a, o.b, (miopenConvolutionDescriptor_t)c, o.made, SOLUTIONS,
                                       &found, solutions);
  *count = 0;
  for (size_t i = 0; (int)r == 0 && i < found && *count < most; i++) {
    const miopenConvSolution_t *s = &solutions[i];
    if (s->solution_id > INT32_MAX || !repeats(pass, s)) continue;
    choices[(*count)++] = (dnn_choice){.algo = (int)s->solution_id, .time = s->time, .memory = s->workspace_size,
                                       .determinism = (dnn_repeats)DNN_REPEATS, .math = (dnn_math)DNN_MATH_DEFAULT};
  }
  return (dnn_result)r;
}

static dnn_result forward_choices(dnn_handle h, dnn_tensor x, dnn_filter w, dnn_convolution c, dnn_tensor y, int most,
                                  int *count, dnn_forward_choice *choices) {
  return find(h, DNN_FORWARD, x, w, c, y, most, count, (dnn_choice *)choices);
}
static dnn_result data_choices(dnn_handle h, dnn_filter w, dnn_tensor dy, dnn_convolution c, dnn_tensor dx, int most,
                               int *count, dnn_data_choice *choices) {
  return find(h, DNN_BACKWARD_DATA, dx, w, c, dy, most, count, (dnn_choice *)choices);
}
static dnn_result weight_choices(dnn_handle h, dnn_tensor x, dnn_tensor dy, dnn_convolution c, dnn_filter dw, int most,
                                 int *count, dnn_weight_choice *choices) {
  return find(h, DNN_BACKWARD_WEIGHT, x, dw, c, dy, most, count, (dnn_choice *)choices);
}

static dnn_result prepare(dnn_handle h, enum dnn_pass pass, dnn_tensor x, dnn_filter w, dnn_convolution c, dnn_tensor y,
                          int algorithm) {
  operands o = operands_of(pass, x, w, y);
  return (dnn_result)passes[pass].compile((miopenHandle_t)h, o.a, o.b, (miopenConvolutionDescriptor_t)c, o.made,
                                          (uint64_t)algorithm);
}

/* ---- convolutions ---- */

/* Computes `made` of a pass by a solution. a and b are in the order of MIOpen's parameters. */
static dnn_result run(dnn_handle h, enum dnn_pass pass, operands o, const void *a, const void *b, dnn_convolution c,
                      int solution, void *workspace, size_t bytes, void *made) {
  return (dnn_result)passes[pass].run((miopenHandle_t)h, o.a, a, o.b, b, (miopenConvolutionDescriptor_t)c, o.made, made,
                                      workspace, bytes, (uint64_t)solution);
}

static dnn_result forward(dnn_handle h, const void *alpha, dnn_tensor xd, const void *x, dnn_filter wd, const void *w,
                          dnn_convolution c, dnn_forward algorithm, void *workspace, size_t bytes, const void *beta,
                          dnn_tensor yd, void *y) {
  (void)alpha; (void)beta;
  return run(h, DNN_FORWARD, operands_of(DNN_FORWARD, xd, wd, yd), w, x, c, (int)algorithm, workspace, bytes, y);
}

static dnn_result backward_data(dnn_handle h, const void *alpha, dnn_filter wd, const void *w, dnn_tensor dyd,
                                const void *dy, dnn_convolution c, dnn_data algorithm, void *workspace, size_t bytes,
                                const void *beta, dnn_tensor dxd, void *dx) {
  (void)alpha; (void)beta;
  operands o = operands_of(DNN_BACKWARD_DATA, dxd, wd, dyd);
  return run(h, DNN_BACKWARD_DATA, o, dy, w, c, (int)algorithm, workspace, bytes, dx);
}

static dnn_result backward_weight(dnn_handle h, const void *alpha, dnn_tensor xd, const void *x, dnn_tensor dyd,
                                  const void *dy, dnn_convolution c, dnn_weight algorithm, void *workspace,
                                  size_t bytes, const void *beta, dnn_filter dwd, void *dw) {
  (void)alpha; (void)beta;
  operands o = operands_of(DNN_BACKWARD_WEIGHT, xd, dwd, dyd);
  return run(h, DNN_BACKWARD_WEIGHT, o, dy, x, c, (int)algorithm, workspace, bytes, dw);
}

/* ---- errors ---- */

static const char *error_text(dnn_result r) { return miopen.error_text((miopenStatus_t)r); }

/* While a plan is made, all errors but a lack of memory mean that MIOpen has no solution, or cannot compile a
** solution. */
static enum dnn_error error_kind(dnn_result r, bool planning) {
  int status = (int)r;
  if (status == MIOPEN_NO_MEMORY) return DNN_NO_MEMORY;
  return planning || status == MIOPEN_NOT_IMPLEMENTED || status == MIOPEN_UNSUPPORTED ? DNN_UNSUPPORTED : DNN_FAILED;
}

/* ---- loading ---- */

static const char MISSING[] =
  "convolutions take luatensor's own kernels: install MIOpen, or name its folder in LUATENSOR_ROCM_PATH";

#define SYMBOL(field, symbol, parameters)   {&miopen.field, #symbol},
#define FORWARD(field, symbol, parameters)  {&passes[DNN_FORWARD].field, #symbol},
#define DATA(field, symbol, parameters)     {&passes[DNN_BACKWARD_DATA].field, #symbol},
#define WEIGHT(field, symbol, parameters)   {&passes[DNN_BACKWARD_WEIGHT].field, #symbol},
static const gpu_symbol symbols[] = {
  MIOPEN_FUNCTIONS(SYMBOL) {&miopen.error_text, "miopenGetErrorString"},
  MIOPEN_PASS_FUNCTIONS(FORWARD, Forward) MIOPEN_PASS_FUNCTIONS(DATA, BackwardData)
  MIOPEN_PASS_FUNCTIONS(WEIGHT, BackwardWeights)
  {NULL, NULL}
};

/* Reads the version. MIOpen before 2.18 cannot promise the same bits in every run. */
static bool read_version(gpu_vendor *v) {
  size_t major = 0, minor = 0, patch = 0;
  if ((int)miopen.version(&major, &minor, &patch) != 0)
    return gpu_set_reason(v, GPU_DNN, "MIOpen does not tell its version");
  v->versions.dnn[0] = (int)major;
  v->versions.dnn[1] = (int)minor;
  return major > 2 || (major == 2 && minor >= 18) ||
         gpu_set_reason(v, GPU_DNN, "MIOpen %d.%d may give other bits in every run; that of ROCm 5.3 does not: "
                        "convolutions take luatensor's own kernels", (int)major, (int)minor);
}

bool amd_load_dnn(gpu_vendor *v) {
  const gpu_file file = {"libMIOpen.so", 1, 1, MISSING, symbols, AMD_CURE};
  void *library = gpu_dnn_is_off(v, "LUATENSOR_MIOPEN") ? NULL : gpu_load_library(v, GPU_DNN, &file);
  if (!library || !read_version(v)) return false;
  rocblas_create = dlsym(library, "rocblas_create_handle");
  v->dnn = (gpu_dnn){
    .error_text = error_text, .create = create, .destroy = destroy, .set_stream = set_stream,
    .tensor_create = tensor_create, .tensor_set = tensor_set, .tensor_destroy = tensor_destroy,
    .filter_create = filter_create, .filter_set = filter_set, .filter_destroy = filter_destroy,
    .convolution_create = convolution_create, .convolution_set = convolution_set,
    .convolution_groups = convolution_groups, .convolution_math = convolution_math,
    .convolution_destroy = convolution_destroy,
    .forward_choices = forward_choices, .data_choices = data_choices, .weight_choices = weight_choices,
    .forward = forward, .backward_data = backward_data, .backward_weight = backward_weight,
    .error_kind = error_kind, .prepare = prepare,
  };
  return true;
}

bool amd_dnn_supports(gpu_vendor *v, gpu_device_id id) {
  return !rocblas_create || amd_has_kernels(v, id, &rocblas_create);
}
