/* Fourier transforms by the vendor's library, cuFFT or hipFFT. A line is the sequence of elements that are transformed
** together. If several dims are transformed together, a line is an array of these dims. The library requires a constant
** distance between lines. Otherwise the lines are first copied to scratch memory. Plans are kept, because making a plan takes longer than most transforms. */

#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "gpu/gpu.h"

/* ---- plans ---- */

enum { PLANS = 32 };         /* the maximum number of plans of a device; plans that graphs use are not counted */

/* The layout of the lines of an operand, in elements of the operand's dtype. */
typedef struct lines {
  int64_t stride, distance;  /* stride: between neighbouring elements of a line's last dim; distance: between the first
                             ** elements of neighbouring lines */
  long long embed[FFT_RANK]; /* embed[d]: the stride of dim d - 1 of a line, divided by the stride of dim d; the library
                             ** ignores embed[0] */
} lines;

/* The properties that determine a plan. Keys are compared by memcmp, so the struct must have no padding. */
typedef struct plan_key {
  int64_t   kind, wide, count, rank;
  long long n[FFT_RANK];
  lines     in, out;
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
  return gpu_library_status(g, (int)r == FFT_NO_MEMORY);
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
  plan_key *k = &p->key;
  int st = fft_check(g, dft->set_own_memory(p->handle, 0));
  if (st == OK)
    st = fft_check(g, dft->make(
      p->handle, (int)k->rank, k->n, k->in.embed, k->in.stride, k->in.distance, type_of(k->kind != FFT_real, k->wide),
      k->out.embed, k->out.stride, k->out.distance, type_of(k->kind != FFT_hermitian, k->wide), k->count, &p->workspace,
      type_of(true, k->wide)));
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
  int        rank;           /* number of dims of a line */
  int64_t    n[FFT_RANK], stride[FFT_RANK];      /* lengths and strides of the dims of a line */
  int64_t    outer[MAX_DIMS];
} side;

/* Returns the number of elements of a line. */
static int64_t line_size(const side *s) {
  int64_t size = 1;
  for (int d = 0; d < s->rank; d++) size *= s->n[d];
  return size;
}

/* Sets the strides of contiguous lines, in row-major order of the dims of `outer`. */
static void make_dense(side *s, const plan *outer) {
  int64_t step = 1;
  for (int d = s->rank - 1; d >= 0; d--) {
    s->stride[d] = step;
    step *= s->n[d];
  }
  for (int d = outer->ndim - 1; d >= 0; d--) {
    s->outer[d] = step;
    step *= outer->shape[d];
  }
}

/* True if the library supports the layout of the lines. Their distance must be constant and positive, and their address
** must be aligned for complex numbers. In a line, a dim's stride must be a multiple of the next dim's stride. */
static bool is_regular(const side *s, const plan *outer, bool wide) {
  if (s->stride[s->rank - 1] < 1 || (uintptr_t)s->data % (wide ? 16 : 8)) return false;
  for (int d = s->rank - 1; d > 0; d--)
    if (s->stride[d - 1] % s->stride[d] || s->stride[d - 1] / s->stride[d] < s->n[d]) return false;
  for (int d = 0; d < outer->ndim; d++) {
    if (s->outer[d] < 1) return false;
    if (d + 1 < outer->ndim && s->outer[d] != s->outer[d + 1] * outer->shape[d + 1]) return false;
  }
  return true;
}

static lines lines_of(const side *s, const plan *outer) {
  lines l = {s->stride[s->rank - 1], outer->ndim ? s->outer[outer->ndim - 1] : line_size(s), {s->n[0]}};
  for (int d = 1; d < s->rank; d++) l.embed[d] = s->stride[d - 1] / s->stride[d];
  return l;
}

/* Appends the dims of a line to a plan, whose operand k has the layout of side[k]. */
static void append_line(plan *p, const side *const *side, int sides) {
  for (int d = 0; d < side[0]->rank; d++) {
    for (int k = 0; k < sides; k++) p->stride[k][p->ndim] = side[k]->stride[d];
    p->shape[p->ndim++] = side[0]->n[d];
  }
  p->count *= line_size(side[0]);
}

/* Sets out = in, line by line. Both sides have the same dtype. */
static int copy_lines(gpu *g, const side *out, const side *in, const plan *outer) {
  plan p = *outer;
  for (int d = 0; d < p.ndim; d++) {
    p.stride[0][d] = out->outer[d];
    p.stride[1][d] = in->outer[d];
  }
  append_line(&p, (const side *[]){out, in}, 2);
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
  plan p = {.ndim = 1 + last, .count = count << last, .shape = {count, 2}, .stride = {{2 * s->n[0], n}}};
  plan_collapse(&p, 1);
  map_call clear = {.op = OP_positive, .compute = part_of(wide), .nin = 1, .plan = &p,
                    .out = {.data = s->data + size, .dtype = part_of(wide)}, .in = {{.dtype = part_of(wide)}}};
  return gpu_map(g->index, &clear);
}

/* Multiplies the elements of s by `scale`, in place. A complex number is scaled as two real numbers, so that an
** infinite part does not affect the other part. The lines must be regular (is_regular). */
static int scale_lines(gpu *g, const side *s, const plan *outer, double scale, bool wide) {
  int64_t parts = dtype_size(s->dtype) / (wide ? 8 : 4), step = lines_of(s, outer).distance;
  plan p = {.ndim = 1, .count = outer->count, .shape = {outer->count}, .stride = {{step}, {step}}};
  append_line(&p, (const side *[]){s, s}, 2);
  for (int d = 0; d < p.ndim; d++)
    for (int k = 0; k < 2; k++) p.stride[k][d] *= parts;
  p.shape[p.ndim] = parts;
  p.stride[0][p.ndim] = p.stride[1][p.ndim] = 1;
  p.ndim++;
  p.count *= parts;
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
  plan_key key = {.kind = c->kind, .wide = wide, .count = outer->count, .rank = c->rank,
                  .in = lines_of(in, outer), .out = lines_of(out, outer)};
  for (int d = 0; d < c->rank; d++) key.n[d] = c->n[d];
  fft_plan *p = NULL;
  int st = OK;
  if (c->kind == FFT_hermitian) st = clear_imaginary(g, in, c->n[0], outer->count, wide);
  if (st == OK) st = find_plan(g, &key, &p);
  if (st == OK) st = run_plan(g, p, in->data, out->data, c->inverse);
  if (st == OK && c->scale != 1) st = scale_lines(g, out, outer, c->scale, wide);
  return st;
}

static side side_of(const fft_call *c, const operand *x, int k) {
  bool half = k == 0 ? c->kind == FFT_real : c->kind == FFT_hermitian;
  side s = {.data = x->data, .dtype = x->dtype, .rank = c->rank};
  memcpy(s.n, c->n, sizeof s.n);
  if (half) s.n[c->rank - 1] = c->n[c->rank - 1] / 2 + 1;
  memcpy(s.stride, k == 0 ? c->out_stride : c->in_stride, sizeof s.stride);
  memcpy(s.outer, c->outer.stride[k], sizeof s.outer);
  return s;
}

static int scratch_for(gpu *g, side *s, const plan *outer, size_t *bytes) {
  void *data;
  make_dense(s, outer);
  *bytes = (size_t)(outer->count * line_size(s)) * (size_t)dtype_size(s->dtype);
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
