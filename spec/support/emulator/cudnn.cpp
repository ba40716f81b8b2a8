/* The emulated cuDNN: convolutions of [batch, channels, height, width] by plain loops with sums in double. Among its
** proposed algorithms are some that a caller must not use (see proposals), so that specs notice a missing check. */

#include "emulator.h"
#include "halves.h"

#include <cmath>
#include <cstring>

DNN_FUNCTIONS(DECLARE)

/* Functions of the emulated libcuda.so.1; cublas.cpp describes them. */
extern "C" int emulator_queue(gpu_stream s, int (*work)(void *), void (*drop)(void *), void *data);
extern "C" bool emulator_reaches(gpu_address a, size_t bytes);
extern "C" int cuCtxGetCurrent(gpu_context *context);

namespace {

enum status {
  SUCCESS = 0, NOT_INITIALIZED = 1001, BAD_PARAM = 2000, MISALIGNED = 2003, TOO_SMALL = 2006, MISMATCH = 2008,
  NOT_SUPPORTED = 3000, NO_HOST_MEMORY = 4003, EXECUTION_FAILED = 5000
};
enum { ILLEGAL_ADDRESS = 700, COUNTED_DNN = emulator::DNN, NONE_KEPT = 1000 };

/* The proposed algorithms. Each name states what is special about the algorithm. */
enum algorithm { RANDOM = 0, PLAIN = 1, REFUSED = 2, TENSOR_CORES = 4, HUGE_MEMORY = 5 };
enum { PLAIN_WORKSPACE = 4000 };

typedef int64_t lengths[4];

/* The number of descriptors that have not been destroyed. At most NONE_KEPT may exist, so that specs detect leaks. */
int alive = 0;
std::mutex &lock = *new std::mutex;

template <class T> int make(T **made) {
  std::lock_guard<std::mutex> locked(lock);
  if (!made) return BAD_PARAM;
  if (alive == NONE_KEPT) return NO_HOST_MEMORY;
  alive++;
  *made = new T;
  return SUCCESS;
}

template <class T> int drop(T *made) {
  std::lock_guard<std::mutex> locked(lock);
  if (!made) return BAD_PARAM;
  alive--;
  delete made;
  return SUCCESS;
}

}

struct dnn_handle_opaque { gpu_stream stream = nullptr; };
struct dnn_tensor_opaque { int type = -1; lengths length; };
struct dnn_filter_opaque { int type = -1; lengths length; };
struct dnn_convolution_opaque {
  int64_t pad[2], stride[2], dilation[2], groups = 1;
  int compute = -1, math = DNN_MATH_DEFAULT;
};

namespace {

/* ---- elements ---- */

size_t size_of(int type) { return type == DNN_FLOAT64 ? 8 : type == DNN_FLOAT32 ? 4 : 2; }

double load(const void *p, int64_t i, int type) {
  switch (type) {
    case DNN_FLOAT32: return static_cast<const float *>(p)[i];
    case DNN_FLOAT64: return static_cast<const double *>(p)[i];
    case DNN_FLOAT16: return from_half(static_cast<const uint16_t *>(p)[i]);
    default: return from_bfloat(static_cast<const uint16_t *>(p)[i]);
  }
}

void store(void *p, int64_t i, int type, double v) {
  switch (type) {
    case DNN_FLOAT32: static_cast<float *>(p)[i] = float(v); break;
    case DNN_FLOAT64: static_cast<double *>(p)[i] = v; break;
    case DNN_FLOAT16: static_cast<uint16_t *>(p)[i] = to_half(float(v)); break;
    default: static_cast<uint16_t *>(p)[i] = to_bfloat(float(v));
  }
}

/* ---- a convolution ---- */

enum op { FORWARD, DATA, WEIGHT };

/* A queued convolution. The descriptors are copied, because callers may change or destroy them before the work
** runs. */
struct work {
  op what;
  dnn_tensor_opaque x, y;
  dnn_filter_opaque w;
  dnn_convolution_opaque how;
  void *xd, *wd, *yd, *workspace;
  size_t bytes;
  double alpha, beta, factor;
};

/* Rounds a float32 to 10 bits of mantissa, as tensor cores do, unless the math type is FMA. */
double rounded(const work &k, double v) {
  if (k.x.type != DNN_FLOAT32 || k.how.math == DNN_MATH_FMA || std::isnan(v)) return v;
  return from_bits((to_bits(float(v)) + 0x1000) & ~0x1fffu);
}

int64_t place(const lengths &n, int64_t a, int64_t b, int64_t c, int64_t d) {
  return ((a * n[1] + b) * n[2] + c) * n[3] + d;
}

/* For each product of the convolution, calls f with the offsets, in elements, of its factors in x and w and of its sum
** in y. */
template <class F> void each_product(const work &k, F f) {
  const int64_t *x = k.x.length, *w = k.w.length, *y = k.y.length, per_group = w[0] / k.how.groups;
  for (int64_t b = 0; b < y[0]; b++)
    for (int64_t o = 0; o < y[1]; o++)
      for (int64_t i = 0; i < y[2]; i++)
        for (int64_t j = 0; j < y[3]; j++)
          for (int64_t c = 0; c < w[1]; c++)
            for (int64_t r = 0; r < w[2]; r++)
              for (int64_t s = 0; s < w[3]; s++) {
                int64_t row = i * k.how.stride[0] - k.how.pad[0] + r * k.how.dilation[0];
                int64_t column = j * k.how.stride[1] - k.how.pad[1] + s * k.how.dilation[1];
                if (row < 0 || row >= x[2] || column < 0 || column >= x[3]) continue;
                f(place(k.x.length, b, o / per_group * w[1] + c, row, column), place(k.w.length, o, c, r, s),
                  place(k.y.length, b, o, i, j));
              }
}

int64_t count(const lengths &n) { return n[0] * n[1] * n[2] * n[3]; }

void convolve(const work &k) {
  void *made = k.what == FORWARD ? k.yd : k.what == DATA ? k.xd : k.wd;
  const lengths &n = k.what == FORWARD ? k.y.length : k.what == DATA ? k.x.length : k.w.length;
  std::vector<double> sum(size_t(count(n)), 0);
  int type = k.x.type;
  memset(k.workspace, 0xff, k.bytes);
  each_product(k, [&](int64_t x, int64_t w, int64_t y) {
    auto xv = [&] { return rounded(k, load(k.xd, x, type)); };
    auto wv = [&] { return rounded(k, load(k.wd, w, type)); };
    auto yv = [&] { return rounded(k, load(k.yd, y, type)); };
    if (k.what == FORWARD) sum[size_t(y)] += xv() * wv();
    else if (k.what == DATA) sum[size_t(x)] += yv() * wv();
    else sum[size_t(w)] += xv() * yv();
  });
  for (int64_t i = 0; i < count(n); i++) {
    double v = k.alpha * sum[size_t(i)] * k.factor;
    store(made, i, type, k.beta != 0 ? v + k.beta * load(made, i, type) : v);
  }
}

bool reaches(const void *p, size_t bytes) { return emulator_reaches(reinterpret_cast<uintptr_t>(p), bytes); }

int run(void *data) {
  const work &k = *static_cast<work *>(data);
  size_t size = size_of(k.x.type);
  if (!reaches(k.xd, size_t(count(k.x.length)) * size) || !reaches(k.yd, size_t(count(k.y.length)) * size) ||
      !reaches(k.wd, size_t(count(k.w.length)) * size) || (k.bytes && !reaches(k.workspace, k.bytes)))
    return ILLEGAL_ADDRESS;
  convolve(k);
  return 0;
}

/* ---- supported arguments ---- */

int check(dnn_handle h, dnn_tensor x, dnn_filter w, dnn_convolution how, dnn_tensor y) {
  if (!h || !x || !w || !how || !y || x->type < 0 || how->compute < 0) return BAD_PARAM;
  if (x->type != w->type || x->type != y->type) return NOT_SUPPORTED;
  if (how->compute != (x->type == DNN_FLOAT64 ? DNN_FLOAT64 : DNN_FLOAT32)) return NOT_SUPPORTED;
  const int64_t *in = x->length, *k = w->length, *out = y->length;
  if (in[0] != out[0] || in[1] != k[1] * how->groups || out[1] != k[0] || k[0] % how->groups) return MISMATCH;
  for (int d = 0; d < 2; d++)
    if (out[2 + d] != (in[2 + d] + 2 * how->pad[d] - how->dilation[d] * (k[2 + d] - 1) - 1) / how->stride[d] + 1)
      return MISMATCH;
  return SUCCESS;
}

dnn_choice choice(int algo, int status, size_t memory, int repeats, int math) {
  dnn_choice c = {};
  c.algo = algo;
  c.status = status;
  c.memory = memory;
  c.determinism = repeats;
  c.math = math;
  return c;
}

/* Proposes algorithms. Callers must avoid the first four: one gives other results in every run, one fails when it is
** used, one needs more memory than the device has, and one computes products with reduced precision. The last algorithm
** is correct. It needs a workspace, and fills the workspace with garbage. */
int proposals(dnn_handle h, dnn_tensor x, dnn_filter w, dnn_convolution how, dnn_tensor y, int most, int *count,
              dnn_choice *choices) {
  if (int r = check(h, x, w, how, y)) return r;
  if (emulator_dnn_setting() == emulator::DNN_PROPOSES_NOTHING) return NOT_SUPPORTED;
  const dnn_choice all[] = {
    choice(RANDOM, SUCCESS, 0, 0, how->math), choice(REFUSED, NOT_SUPPORTED, 0, DNN_REPEATS, how->math),
    choice(HUGE_MEMORY, SUCCESS, size_t(1) << 40, DNN_REPEATS, how->math),
    choice(TENSOR_CORES, SUCCESS, 0, DNN_REPEATS, DNN_MATH_TENSOR),
    choice(PLAIN, SUCCESS, PLAIN_WORKSPACE, DNN_REPEATS, how->math)};
  *count = 0;
  for (const dnn_choice &c : all)
    if (*count < most) choices[(*count)++] = c;
  return SUCCESS;
}

double scale(const void *p, int type) { return load(p, 0, type == DNN_FLOAT64 ? DNN_FLOAT64 : DNN_FLOAT32); }

int launch(dnn_handle h, work k, int algorithm, const void *alpha, const void *beta) {
  static int random = 0;
  if (!k.xd || !k.wd || !k.yd || !alpha || !beta) return BAD_PARAM;
  if (algorithm == REFUSED || algorithm == HUGE_MEMORY) return NOT_SUPPORTED;
  if ((algorithm == TENSOR_CORES) != (k.how.math == DNN_MATH_TENSOR)) return NOT_SUPPORTED;
  if (algorithm == PLAIN && k.bytes < PLAIN_WORKSPACE) return TOO_SMALL;
  if (reinterpret_cast<uintptr_t>(k.workspace) % 256) return MISALIGNED;
  if (emulator_counted(COUNTED_DNN)) return EXECUTION_FAILED;
  k.alpha = scale(alpha, k.x.type);
  k.beta = scale(beta, k.x.type);
  k.factor = algorithm == RANDOM ? 1 + ++random * 0.01 : 1;
  auto drop = [](void *data) { delete static_cast<work *>(data); };
  return emulator_queue(h->stream, run, drop, new work(k)) ? EXECUTION_FAILED : SUCCESS;
}

work make_work(op what, dnn_tensor x, const void *xd, dnn_filter w, const void *wd, dnn_tensor y, const void *yd,
               dnn_convolution how, void *workspace, size_t bytes) {
  return {what, *x, *y, *w, *how, const_cast<void *>(xd), const_cast<void *>(wd), const_cast<void *>(yd), workspace, bytes,
          1, 0, 1};
}

int set_lengths(lengths &to, int ndim, const int *from) {
  if (ndim != 4 || !from) return NOT_SUPPORTED;
  for (int d = 0; d < 4; d++) {
    if (from[d] < 1) return BAD_PARAM;
    to[d] = from[d];
  }
  return SUCCESS;
}

}

EXPORT size_t cudnnGetVersion() { return 91900; }
EXPORT size_t cudnnGetCudartVersion() {
  return size_t(emulator_nvrtc_version() + (emulator_dnn_setting() == emulator::DNN_NEW ? 1000 : 0));
}

EXPORT const char *cudnnGetErrorString(int status) {
  switch (status) {
    case SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
    case BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    case MISALIGNED: return "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER";
    case TOO_SMALL: return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
    case MISMATCH: return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
    case NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    case NO_HOST_MEMORY: return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
    case EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_UNKNOWN_STATUS";
  }
}

EXPORT int cudnnCreate(dnn_handle *h) {
  gpu_context c = nullptr;
  if (!h) return BAD_PARAM;
  if (cuCtxGetCurrent(&c) || !c || emulator_dnn_setting() == emulator::DNN_BROKEN) return NOT_INITIALIZED;
  *h = new dnn_handle_opaque;
  return SUCCESS;
}

EXPORT int cudnnDestroy(dnn_handle h) {
  delete h;
  return h ? SUCCESS : BAD_PARAM;
}

EXPORT int cudnnSetStream(dnn_handle h, gpu_stream s) {
  if (!h) return BAD_PARAM;
  h->stream = s;
  return SUCCESS;
}

EXPORT int cudnnCreateTensorDescriptor(dnn_tensor *t) { return make(t); }
EXPORT int cudnnDestroyTensorDescriptor(dnn_tensor t) { return drop(t); }
EXPORT int cudnnCreateFilterDescriptor(dnn_filter *f) { return make(f); }
EXPORT int cudnnDestroyFilterDescriptor(dnn_filter f) { return drop(f); }
EXPORT int cudnnCreateConvolutionDescriptor(dnn_convolution *c) { return make(c); }
EXPORT int cudnnDestroyConvolutionDescriptor(dnn_convolution c) { return drop(c); }

/* Only contiguous tensors are supported, because luatensor describes no others. */
EXPORT int cudnnSetTensorNdDescriptor(dnn_tensor t, int type, int ndim, const int *shape, const int *stride) {
  if (!t || !stride) return BAD_PARAM;
  if (int r = set_lengths(t->length, ndim, shape)) return r;
  for (int64_t d = 3, step = 1; d >= 0; step *= shape[d--])
    if (stride[d] != step) return NOT_SUPPORTED;
  t->type = type;
  return SUCCESS;
}

EXPORT int cudnnSetFilterNdDescriptor(dnn_filter f, int type, int format, int ndim, const int *shape) {
  if (!f) return BAD_PARAM;
  if (format != DNN_NCHW) return NOT_SUPPORTED;
  f->type = type;
  return set_lengths(f->length, ndim, shape);
}

EXPORT int cudnnSetConvolutionNdDescriptor(dnn_convolution c, int ndim, const int *pad, const int *stride,
                                           const int *dilation, int mode, int compute) {
  if (!c || !pad || !stride || !dilation) return BAD_PARAM;
  if (ndim != 2 || mode != DNN_CORRELATION) return NOT_SUPPORTED;
  for (int d = 0; d < 2; d++) {
    if (pad[d] < 0 || stride[d] < 1 || dilation[d] < 1) return BAD_PARAM;
    c->pad[d] = pad[d];
    c->stride[d] = stride[d];
    c->dilation[d] = dilation[d];
  }
  c->compute = compute;
  return SUCCESS;
}

EXPORT int cudnnSetConvolutionGroupCount(dnn_convolution c, int groups) {
  if (!c || groups < 1) return BAD_PARAM;
  c->groups = groups;
  return SUCCESS;
}

EXPORT int cudnnSetConvolutionMathType(dnn_convolution c, int math) {
  if (!c) return BAD_PARAM;
  c->math = math;
  return SUCCESS;
}

EXPORT int cudnnGetConvolutionForwardAlgorithm_v7(dnn_handle h, dnn_tensor x, dnn_filter w, dnn_convolution c,
                                                  dnn_tensor y, int most, int *count, dnn_choice *choices) {
  return proposals(h, x, w, c, y, most, count, choices);
}

EXPORT int cudnnGetConvolutionBackwardDataAlgorithm_v7(dnn_handle h, dnn_filter w, dnn_tensor dy, dnn_convolution c,
                                                       dnn_tensor dx, int most, int *count, dnn_choice *choices) {
  return proposals(h, dx, w, c, dy, most, count, choices);
}

EXPORT int cudnnGetConvolutionBackwardFilterAlgorithm_v7(dnn_handle h, dnn_tensor x, dnn_tensor dy, dnn_convolution c,
                                                         dnn_filter dw, int most, int *count, dnn_choice *choices) {
  return proposals(h, x, dw, c, dy, most, count, choices);
}

EXPORT int cudnnConvolutionForward(dnn_handle h, const void *alpha, dnn_tensor xd, const void *x, dnn_filter wd,
                                   const void *w, dnn_convolution c, int algorithm, void *workspace, size_t bytes,
                                   const void *beta, dnn_tensor yd, void *y) {
  if (int r = check(h, xd, wd, c, yd)) return r;
  return launch(h, make_work(FORWARD, xd, x, wd, w, yd, y, c, workspace, bytes), algorithm, alpha, beta);
}

EXPORT int cudnnConvolutionBackwardData(dnn_handle h, const void *alpha, dnn_filter wd, const void *w, dnn_tensor dyd,
                                        const void *dy, dnn_convolution c, int algorithm, void *workspace, size_t bytes,
                                        const void *beta, dnn_tensor dxd, void *dx) {
  if (int r = check(h, dxd, wd, c, dyd)) return r;
  return launch(h, make_work(DATA, dxd, dx, wd, w, dyd, dy, c, workspace, bytes), algorithm, alpha, beta);
}

EXPORT int cudnnConvolutionBackwardFilter(dnn_handle h, const void *alpha, dnn_tensor xd, const void *x, dnn_tensor dyd,
                                          const void *dy, dnn_convolution c, int algorithm, void *workspace,
                                          size_t bytes, const void *beta, dnn_filter dwd, void *dw) {
  if (int r = check(h, xd, dwd, c, dyd)) return r;
  return launch(h, make_work(WEIGHT, xd, x, dwd, dw, dyd, dy, c, workspace, bytes), algorithm, alpha, beta);
}
