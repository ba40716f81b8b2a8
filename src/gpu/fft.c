/* Fourier transforms by the vendor's library, cuFFT or hipFFT. A line is the sequence of elements that are transformed
** together. The library requires a constant distance between lines. Otherwise the lines are first copied to scratch
** memory. Plans are kept, because making a plan takes longer than most transforms. */

#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "gpu/gpu.h"

/* ---- plans ---- */

enum { PLANS = 32 };         /* the maximum number of plans of a device; plans that graphs use are not counted */

/* The layout of the lines of an operand, in elements of the operand's dtype. */
typedef struct lines {
  int64_t stride, distance;  /* stride: between neighbouring elements of a line; distance: between the first elements of
                             ** neighbouring lines */
} lines;

/* The properties that determine a plan. Keys are compared by memcmp, so the struct must have no padding. */
typedef struct plan_key {
  int64_t kind, wide, n, count;
  lines   in, out;
} plan_key;

typedef struct fft_plan {
  plan_key   key;
  fft_handle handle;
  size_t     workspace;
  gpu_stream stream;         /* the stream that was last set in the handle */
  bool       in_graph;       /* true: a graph uses the plan, so the plan is kept until the device is closed */
  struct fft_plan *next;     /* the next plan of the list, which was used less recently */
} fft_plan;

static fft_plan *plans[MAX_GPUS];      /* each GPU's list of plans, the most recently used plan first */

static const char *words_of(fft_result r) {
  static const char *const words[] = {
    [1] = "no such plan", [3] = "invalid type", [4] = "invalid value", [5] = "internal error", [6] = "execution failed",
    [7] = "setup failed", [8] = "invalid size", [9] = "unaligned data", [11] = "invalid device", [12] = "no plan was made",
    [13] = "no workspace",
    [14] = "not implemented", [16] = "not supported", [17] = "a library that it needs is missing"
  };
  const char *text = (size_t)r < sizeof words / sizeof *words ? words[r] : NULL;
  return text ? text : "unknown error";
}

static int fft_check(gpu *g, fft_result r) {
  if ((int)r == 0) return OK;
  gpu_fail(g, "%s: %s (%d)", g->vendor->names[GPU_DFT], words_of(r), (int)r);
  return (int)r == FFT_NO_MEMORY ? ERR_MEMORY : ERR_DEVICE;
}

static void free_plan(const gpu *g, fft_plan *p) {
  gpu_get_dft(g->vendor)->destroy(p->handle);
  free(p);
}

void gpu_fft_close(gpu *g) {
  while (plans[g->index]) {
    fft_plan *p = plans[g->index];
    plans[g->index] = p->next;
    free_plan(g, p);
  }
}

/* Makes space for one more plan. Plans that graphs use are never freed. If there are PLANS other plans, frees the least
** recently used of these other plans. If kernels of the freed plan are still queued, the library waits for them. */
static void evict(gpu *g) {
  fft_plan **oldest = NULL;
  int n = 0;
  for (fft_plan **p = &plans[g->index]; *p; p = &(*p)->next)
    if (!(*p)->in_graph) {
      oldest = p;
      n++;
    }
  if (n < PLANS) return;
  fft_plan *p = *oldest;
  *oldest = p->next;
  free_plan(g, p);
}

static fft_type type_of(bool complex, bool wide) {
  static const int types[2][2] = {{FFT_FLOAT32, FFT_FLOAT64}, {FFT_COMPLEX64, FFT_COMPLEX128}};
  return (fft_type)types[complex][wide];
}

/* Makes the library's plan. The plan uses a workspace from luatensor's memory for the duration of a run. By default the
** library would allocate a workspace for each plan. */
static int fill_plan(gpu *g, fft_plan *p) {
  const gpu_dft *dft = gpu_get_dft(g->vendor);
  const plan_key *k = &p->key;
  long long n = k->n;
  int st = fft_check(g, dft->set_own_memory(p->handle, 0));
  if (st == OK)
    st = fft_check(g, dft->make(
      p->handle, 1, &n, &n, k->in.stride, k->in.distance, type_of(k->kind != FFT_real, k->wide), &n, k->out.stride,
      k->out.distance, type_of(k->kind != FFT_hermitian, k->wide), k->count, &p->workspace, type_of(true, k->wide)));
  return st;
}

static int make_plan(gpu *g, const plan_key *key, fft_plan **made) {
  static bool asked;
  if (g->capturing)
    return gpu_fail(g, "%s makes no plan while a graph is captured: run the same transform once before",
                    g->vendor->names[GPU_DFT]);
  evict(g);
  fft_plan *p = calloc(1, sizeof *p);
  if (!p) return ERR_MEMORY;
  p->key = *key;
  int st = fft_check(g, gpu_get_dft(g->vendor)->create(&p->handle));
  if (st != OK) {
    free(p);
    return st;
  }
  if (!asked) gpu_close_first();         /* the library loads the vendor's runtime, whose exit handler would invalidate
                                         ** the plans before luatensor frees them */
  asked = true;
  st = fill_plan(g, p);
  if (st != OK) {
    free_plan(g, p);
    return st;
  }
  p->next = plans[g->index];
  *made = plans[g->index] = p;
  return OK;
}

/* Finds the plan for a key and moves the plan to the front of the list. If there is no such plan, makes one. */
static int find_plan(gpu *g, const plan_key *key, fft_plan **found) {
  fft_plan **at = &plans[g->index];
  while (*at && memcmp(&(*at)->key, key, sizeof *key) != 0) at = &(*at)->next;
  fft_plan *p = *at;
  if (!p) return make_plan(g, key, found);
  *at = p->next;
  p->next = plans[g->index];
  *found = plans[g->index] = p;
  return OK;
}

static int run_plan(gpu *g, fft_plan *p, void *in, void *out, bool inverse) {
  const gpu_dft *dft = gpu_get_dft(g->vendor);
  void *workspace = NULL;
  int st = OK;
  if (g->capturing) p->in_graph = true;
  if (p->stream != g->stream) st = fft_check(g, dft->set_stream(p->handle, g->stream));
  if (st != OK) return st;
  p->stream = g->stream;
  if (p->workspace) {
    st = gpu_scratch(g, p->workspace, &workspace);
    if (st == OK) st = fft_check(g, dft->set_workspace(p->handle, workspace));
  }
  if (st == OK) st = fft_check(g, dft->run(p->handle, in, out, inverse ? FFT_INVERSE : FFT_FORWARD));
  if (workspace) gpu_scratch_free(g, workspace, p->workspace);
  return st;
}

/* ---- the layout of lines ---- */

/* The input or the output of a transform. The call's plan loops over the lines, and `outer` has the operand's stride
** for each dim of this plan. */
typedef struct side {
  char      *data;
  enum dtype dtype;
  int64_t    n, stride;      /* number of elements of a line, and the stride between these elements */
  int64_t    outer[MAX_DIMS];
} side;

/* Sets the strides of contiguous lines, in row-major order of the dims of `outer`. */
static void make_dense(side *s, const plan *outer) {
  s->stride = 1;
  int64_t step = s->n;
  for (int d = outer->ndim - 1; d >= 0; d--) {
    s->outer[d] = step;
    step *= outer->shape[d];
  }
}

/* True if the library supports the layout of the lines: their distance must be constant and positive, and their address
** must be aligned for complex numbers. */
static bool is_regular(const side *s, const plan *outer, bool wide) {
  if (s->stride < 1 || (uintptr_t)s->data % (wide ? 16 : 8)) return false;
  for (int d = 0; d < outer->ndim; d++) {
    if (s->outer[d] < 1) return false;
    if (d + 1 < outer->ndim && s->outer[d] != s->outer[d + 1] * outer->shape[d + 1]) return false;
  }
  return true;
}

static lines lines_of(const side *s, const plan *outer) {
  return (lines){s->stride, outer->ndim ? s->outer[outer->ndim - 1] : s->n};
}

/* Sets out = in, line by line. Both sides have the same dtype. */
static int copy_lines(gpu *g, const side *out, const side *in, const plan *outer) {
  plan p = *outer;
  for (int d = 0; d < p.ndim; d++) {
    p.stride[0][d] = out->outer[d];
    p.stride[1][d] = in->outer[d];
  }
  p.shape[p.ndim] = in->n;
  p.stride[0][p.ndim] = out->stride;
  p.stride[1][p.ndim++] = in->stride;
  p.count *= in->n;
  plan_collapse(&p, 2);
  map_call copy = {.op = OP_positive, .compute = in->dtype, .nin = 1, .plan = &p,
                   .out = {.data = out->data, .dtype = out->dtype}, .in = {{.data = in->data, .dtype = in->dtype}}};
  return gpu_map(g->index, &copy);
}

static enum dtype part_of(bool wide) { return wide ? DT_float64 : DT_float32; }

/* Sets to 0 the imaginary parts that a complex-to-real transform must ignore. In each line, these are the imaginary
** part of the first element and, if n is even, the imaginary part of the last element. The lines must be contiguous. */
static int clear_imaginary(gpu *g, const side *s, int64_t n, int64_t count, bool wide) {
  int size = wide ? 8 : 4, last = n % 2 == 0;
  plan p = {.ndim = 1 + last, .count = count << last, .shape = {count, 2}, .stride = {{2 * s->n, n}}};
  plan_collapse(&p, 1);
  map_call clear = {.op = OP_positive, .compute = part_of(wide), .nin = 1, .plan = &p,
                    .out = {.data = s->data + size, .dtype = part_of(wide)}, .in = {{.dtype = part_of(wide)}}};
  return gpu_map(g->index, &clear);
}

/* Multiplies the elements of s by `scale`, in place. A complex number is scaled as two real numbers, so that an
** infinite part does not affect the other part. The lines must be regular (is_regular). */
static int scale_lines(gpu *g, const side *s, const plan *outer, double scale, bool wide) {
  int64_t parts = dtype_size(s->dtype) / (wide ? 8 : 4), step = lines_of(s, outer).distance;
  plan p = {.ndim = 3, .count = outer->count * s->n * parts, .shape = {outer->count, s->n, parts}};
  for (int k = 0; k < 2; k++) {
    p.stride[k][0] = parts * step;
    p.stride[k][1] = parts * s->stride;
    p.stride[k][2] = 1;
  }
  plan_collapse(&p, 2);
  operand x = {.data = s->data, .dtype = part_of(wide)};
  operand by = {.dtype = part_of(wide), .value = {.f = scale, .is_float = true}};
  map_call multiply = {.op = OP_multiply, .compute = x.dtype, .nin = 2, .plan = &p, .out = x, .in = {x, by}};
  return gpu_map(g->index, &multiply);
}

/* ---- calls ---- */

static bool is_wide(const fft_call *c) {
  return c->in.dtype == DT_float64 || c->out.dtype == DT_float64 || dtype_size(c->out.dtype) == 16;
}

static int transform(gpu *g, const fft_call *c, const side *in, const side *out) {
  const plan *outer = &c->outer;
  bool wide = is_wide(c);
  plan_key key = {.kind = c->kind, .wide = wide, .n = c->n, .count = outer->count,
                  .in = lines_of(in, outer), .out = lines_of(out, outer)};
  fft_plan *p = NULL;
  int st = OK;
  if (c->kind == FFT_hermitian) st = clear_imaginary(g, in, c->n, outer->count, wide);
  if (st == OK) st = find_plan(g, &key, &p);
  if (st == OK) st = run_plan(g, p, in->data, out->data, c->inverse);
  if (st == OK && c->scale != 1) st = scale_lines(g, out, outer, c->scale, wide);
  return st;
}

static side side_of(const fft_call *c, const operand *x, int k) {
  bool half = k == 0 ? c->kind == FFT_real : c->kind == FFT_hermitian;
  side s = {.data = x->data, .dtype = x->dtype, .n = half ? c->n / 2 + 1 : c->n,
            .stride = k == 0 ? c->out_stride : c->in_stride};
  memcpy(s.outer, c->outer.stride[k], sizeof s.outer);
  return s;
}

static int scratch_for(gpu *g, side *s, const plan *outer, size_t *bytes) {
  void *data;
  make_dense(s, outer);
  *bytes = (size_t)(outer->count * s->n) * (size_t)dtype_size(s->dtype);
  int st = gpu_scratch(g, *bytes, &data);
  if (st == OK) s->data = data;
  else *bytes = 0;
  return st;
}

/* Runs a transform. An operand whose lines are not regular is replaced by a contiguous copy. The input of a
** complex-to-real transform is always copied, because the library overwrites it. */
static int packed_transform(gpu *g, const fft_call *c) {
  side in = side_of(c, &c->in, 1), out = side_of(c, &c->out, 0), given = in, wanted = out;
  bool wide = is_wide(c);
  size_t in_bytes = 0, out_bytes = 0;
  int st = OK;
  if (c->kind == FFT_hermitian || !is_regular(&in, &c->outer, wide)) {
    st = scratch_for(g, &in, &c->outer, &in_bytes);
    if (st == OK) st = copy_lines(g, &in, &given, &c->outer);
  }
  if (st == OK && !is_regular(&out, &c->outer, wide)) st = scratch_for(g, &out, &c->outer, &out_bytes);
  if (st == OK) st = transform(g, c, &in, &out);
  if (st == OK && out_bytes) st = copy_lines(g, &wanted, &out, &c->outer);
  if (in_bytes) gpu_scratch_free(g, in.data, in_bytes);
  if (out_bytes) gpu_scratch_free(g, out.data, out_bytes);
  return st;
}

int gpu_fft(int index, const fft_call *c) {
  gpu *g;
  if (c->outer.count == 0) return OK;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (!gpu_get_dft(g->vendor)) return gpu_leave(g, gpu_fail(g, "not available on %s: %s", g->place, gpu_reason(g->vendor, GPU_DFT)));
  gpu_reads(g, c->in.data);
  gpu_writes(g, c->out.data);
  return gpu_leave(g, packed_transform(g, c));
}
