/* The emulated cuFFT: batches of transforms of up to three dims; those from complex to real numbers have one dim. A
** transform is computed in double precision, along one dim after another, and recursively for each prime factor of its
** length. Requirements of the real library are checked, and reliance on unspecified behaviour
** makes results NaN (see transform). */

#include "emulator.h"

#include <cmath>
#include <cstring>

FFT_FUNCTIONS(DECLARE_DRIVER, cufft_handle)

/* Functions of the emulated libcuda.so.1; cublas.cpp describes them. */
extern "C" int emulator_queue(gpu_stream s, int (*work)(void *), void (*drop)(void *), void *data);
extern "C" bool emulator_reaches(gpu_address a, size_t bytes);
extern "C" int cuCtxGetCurrent(gpu_context *context);

namespace {

enum status {
  SUCCESS = 0, INVALID_PLAN = 1, INVALID_TYPE = 3, INVALID_VALUE = 4, EXEC_FAILED = 6, SETUP_FAILED = 7,
  INVALID_SIZE = 8, UNALIGNED = 9, NO_WORKSPACE = 13
};
enum type { F32 = 0, F64 = 1, C32 = 4, C64 = 5 };
enum { ILLEGAL_ADDRESS = 700, COUNTED_FFT = 8 };

struct complex { double re, im; };

complex operator+(complex x, complex y) { return {x.re + y.re, x.im + y.im}; }
complex operator*(complex x, complex y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }

enum { RANK = 3 };

/* The input or the output of a transform. `line` is the array of elements that are transformed together. */
struct side {
  int type;
  int64_t length[RANK], stride[RANK], distance;    /* a line's lengths and strides, and the distance between lines, in
                                                   ** elements; unused leading dims have length 1 and stride 0 */
  char *data;
};

struct plan {
  int64_t n[RANK], count = 0;
  side in, out;
  size_t workspace = 0;
  bool made = false, own_memory = true;
  gpu_stream stream = nullptr;
  char *memory = nullptr;
};

/* All plans by handle. The map is never destroyed, because finalizers may destroy plans while the process exits. */
std::map<int, plan> &plans = *new std::map<int, plan>;
std::mutex &lock = *new std::mutex;
int last = 0;

/* ---- elements ---- */

bool is_complex(int type) { return type >= C32; }
bool is_wide(int type) { return type == F64 || type == C64; }
size_t size_of(int type) { return (is_wide(type) ? 8 : 4) * (is_complex(type) ? 2 : 1); }

double load(const char *p, bool wide) {
  float f;
  double d;
  if (wide) memcpy(&d, p, sizeof d);
  else memcpy(&f, p, sizeof f);
  return wide ? d : f;
}

void store(char *p, bool wide, double v) {
  float f = float(v);
  if (wide) memcpy(p, &v, sizeof v);
  else memcpy(p, &f, sizeof f);
}

int64_t size_of_line(const int64_t n[RANK]) { return n[0] * n[1] * n[2]; }

/* Returns the address of element i (row-major) of a line. */
char *element(const side &s, int64_t line, int64_t i) {
  int64_t at = line * s.distance;
  for (int d = RANK - 1; d >= 0; i /= s.length[d--]) at += i % s.length[d] * s.stride[d];
  return s.data + at * int64_t(size_of(s.type));
}

complex get(const side &s, int64_t line, int64_t i) {
  const char *p = element(s, line, i);
  bool wide = is_wide(s.type);
  return {load(p, wide), is_complex(s.type) ? load(p + size_of(s.type) / 2, wide) : 0};
}

void put(const side &s, int64_t line, int64_t i, complex v) {
  char *p = element(s, line, i);
  store(p, is_wide(s.type), v.re);
  if (is_complex(s.type)) store(p + size_of(s.type) / 2, is_wide(s.type), v.im);
}

/* ---- the transform of a line ---- */

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; p++)
    if (n % p == 0) return p;
  return n;
}

/* Sets out[k] to the sum over j of in[j * step] * w[step * j * k mod N], for n elements. w[r] is exp(±2 pi i r /
** N), where N = step * n. */
void transform_line(const complex *in, int64_t step, int64_t n, const std::vector<complex> &w, complex *out) {
  if (n == 1) {
    *out = *in;
    return;
  }
  int64_t p = smallest_factor(n), m = n / p;
  std::vector<complex> part(static_cast<size_t>(n));
  for (int64_t r = 0; r < p; r++) transform_line(in + r * step, step * p, m, w, &part[size_t(r * m)]);
  for (int64_t k = 0; k < n; k++) {
    complex sum = {0, 0};
    for (int64_t r = 0; r < p; r++) sum = sum + part[size_t(r * m + k % m)] * w[size_t(r * k % n * step)];
    out[k] = sum;
  }
}

std::vector<complex> roots(int64_t n, int direction) {
  std::vector<complex> w(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++) {
    long double angle = 2 * 3.141592653589793238462643383279502884L * i / n;
    w[size_t(i)] = {double(cosl(angle)), direction * double(sinl(angle))};
  }
  return w;
}

struct work {
  plan p;
  int direction;
};

/* Reads the stored half of a line of a complex-to-real transform, and restores the other half, which is its
** conjugate. */
void read_half(const plan &p, int64_t line, std::vector<complex> &v) {
  int64_t n = p.n[RANK - 1];
  for (int64_t i = 0; i <= n / 2; i++) {
    complex z = get(p.in, line, i);
    bool real = i == 0 || 2 * i == n;
    if (real && z.im != 0) z.re = NAN;
    v[size_t(i)] = z;
    if (!real) v[size_t(n - i)] = {z.re, -z.im};
  }
}

/* Transforms all lines along dim d of an array of shape n. */
void transform_dim(std::vector<complex> &v, const int64_t n[RANK], int d, int direction) {
  int64_t step = 1, length = n[d];
  for (int k = d + 1; k < RANK; k++) step *= n[k];
  std::vector<complex> w = roots(length, direction), line(static_cast<size_t>(length)), result(static_cast<size_t>(length));
  for (int64_t first = 0; first < int64_t(v.size()); first++) {
    if (first / step % length) continue;
    for (int64_t i = 0; i < length; i++) line[size_t(i)] = v[size_t(first + i * step)];
    transform_line(line.data(), 1, length, w, result.data());
    for (int64_t i = 0; i < length; i++) v[size_t(first + i * step)] = result[size_t(i)];
  }
}

/* Runs a transform, and replaces values that cuFFT's manual does not define by NaN: the workspace, the input of a
** complex-to-real transform, and results of an input whose first or middle element has an imaginary part. */
void transform(const work &x) {
  const plan &p = x.p;
  int64_t size = size_of_line(p.n), last = p.n[RANK - 1], kept = p.out.length[RANK - 1];
  std::vector<complex> v(static_cast<size_t>(size));
  memset(p.memory, 0xff, p.workspace);
  for (int64_t line = 0; line < p.count; line++) {
    if (!is_complex(p.out.type)) read_half(p, line, v);
    else for (int64_t i = 0; i < size; i++) v[size_t(i)] = get(p.in, line, i);
    for (int d = RANK - 1; d >= 0; d--) transform_dim(v, p.n, d, x.direction);
    for (int64_t i = 0; i < size; i++)
      if (i % last < kept) put(p.out, line, i / last * kept + i % last, v[size_t(i)]);
    for (int64_t i = 0; !is_complex(p.out.type) && i <= last / 2; i++) put(p.in, line, i, {NAN, NAN});
  }
}

bool reachable(const side &s, int64_t count) {
  int64_t last = (count - 1) * s.distance;
  for (int d = 0; d < RANK; d++) last += (s.length[d] - 1) * s.stride[d];
  return emulator_reaches(reinterpret_cast<uintptr_t>(s.data), size_t(last + 1) * size_of(s.type));
}

int run(void *data) {
  const work &x = *static_cast<work *>(data);
  if (!reachable(x.p.in, x.p.count) || !reachable(x.p.out, x.p.count) ||
      !emulator_reaches(reinterpret_cast<uintptr_t>(x.p.memory), x.p.workspace))
    return ILLEGAL_ADDRESS;
  transform(x);
  return 0;
}

plan *find(int handle) {
  auto found = plans.find(handle);
  return found == plans.end() ? nullptr : &found->second;
}

/* Sets the lengths and strides of a side from the arguments of cufftXtMakePlanMany. Returns false if elements of
** different dims overlap. */
bool lay_out(side &s, int type, int rank, const int64_t n[RANK], const long long *embed, int64_t stride, int64_t distance,
             bool half) {
  s = {type, {n[0], n[1], half ? n[2] / 2 + 1 : n[2]}, {0, 0, stride}, distance, nullptr};
  bool fits = true;
  for (int d = RANK - 2; d >= RANK - rank; d--) {
    long long inner = embed[d + 1 - (RANK - rank)];
    s.stride[d] = s.stride[d + 1] * inner;
    fits = fits && inner >= s.length[d + 1];
  }
  return fits;
}

bool aligned(const side &s) {
  return reinterpret_cast<uintptr_t>(s.data) % (is_wide(s.type) ? 16 : 8) == 0;
}

}

EXPORT int cufftCreate(cufft_handle *handle) {
  std::lock_guard<std::mutex> locked(lock);
  gpu_context c = nullptr;
  if (!handle) return INVALID_VALUE;
  if (cuCtxGetCurrent(&c) || !c) return SETUP_FAILED;
  *handle = ++last;
  plans[last] = plan();
  return SUCCESS;
}

EXPORT int cufftDestroy(cufft_handle handle) {
  std::lock_guard<std::mutex> locked(lock);
  return plans.erase(handle) ? SUCCESS : INVALID_PLAN;
}

EXPORT int cufftSetAutoAllocation(cufft_handle handle, int yes) {
  std::lock_guard<std::mutex> locked(lock);
  plan *p = find(handle);
  if (!p || p->made) return INVALID_PLAN;
  p->own_memory = yes != 0;
  return SUCCESS;
}

EXPORT int cufftXtMakePlanMany(cufft_handle handle, int rank, long long *n, long long *in_embed, long long in_stride,
                               long long in_distance, fft_type in_type, long long *out_embed, long long out_stride,
                               long long out_distance, fft_type out_type, long long count, size_t *workspace,
                               fft_type compute) {
  std::lock_guard<std::mutex> locked(lock);
  plan *p = find(handle);
  if (!p || p->made) return INVALID_PLAN;
  bool wide = is_wide(compute), real_in = !is_complex(in_type), real_out = !is_complex(out_type);
  if (is_wide(in_type) != wide || is_wide(out_type) != wide || !is_complex(compute) || (real_in && real_out))
    return INVALID_TYPE;
  if (rank < 1 || rank > (real_out ? 1 : RANK) || !n || !in_embed || !out_embed || !workspace) return INVALID_VALUE;
  for (int d = 0; d < RANK; d++) p->n[d] = d < RANK - rank ? 1 : n[d - (RANK - rank)];
  if (p->n[0] < 1 || p->n[1] < 1 || p->n[2] < 1 || count < 1 || in_stride < 1 || out_stride < 1 || in_distance < 1 ||
      out_distance < 1)
    return INVALID_SIZE;
  if (!lay_out(p->in, in_type, rank, p->n, in_embed, in_stride, in_distance, real_out) ||
      !lay_out(p->out, out_type, rank, p->n, out_embed, out_stride, out_distance, real_in))
    return INVALID_SIZE;
  if (emulator_counted(COUNTED_FFT)) return SETUP_FAILED;
  p->count = count;
  *workspace = p->workspace = size_t(size_of_line(p->n)) * size_t(count) * size_of(compute);
  if (p->own_memory) p->workspace = 0;
  p->made = true;
  return SUCCESS;
}

EXPORT int cufftSetStream(cufft_handle handle, gpu_stream s) {
  std::lock_guard<std::mutex> locked(lock);
  plan *p = find(handle);
  if (!p) return INVALID_PLAN;
  p->stream = s;
  return SUCCESS;
}

EXPORT int cufftSetWorkArea(cufft_handle handle, void *memory) {
  std::lock_guard<std::mutex> locked(lock);
  plan *p = find(handle);
  if (!p || !p->made) return INVALID_PLAN;
  p->memory = static_cast<char *>(memory);
  return reinterpret_cast<uintptr_t>(memory) % 256 ? INVALID_VALUE : SUCCESS;
}

EXPORT int cufftXtExec(cufft_handle handle, void *in, void *out, int direction) {
  std::lock_guard<std::mutex> locked(lock);
  plan *p = find(handle);
  if (!p || !p->made) return INVALID_PLAN;
  if (!p->own_memory && !p->memory) return NO_WORKSPACE;
  if (!in || !out || in == out) return INVALID_VALUE;
  if (emulator_counted(COUNTED_FFT)) return EXEC_FAILED;
  work x = {*p, is_complex(p->in.type) ? is_complex(p->out.type) ? direction : 1 : -1};
  x.p.in.data = static_cast<char *>(in);
  x.p.out.data = static_cast<char *>(out);
  if (!aligned(x.p.in) || !aligned(x.p.out)) return UNALIGNED;
  auto drop = [](void *data) { delete static_cast<work *>(data); };
  return emulator_queue(p->stream, run, drop, new work(x)) ? EXEC_FAILED : SUCCESS;
}
