/* Convolutions by the vendor's library. A plan contains the descriptors and the chosen algorithm of a call. Plans are
** kept, because making a plan takes longer than a small convolution. Only deterministic algorithms are used. float32 is
** multiplied without rounding to TF32, unless lt.set_matmul_precision allows TF32. conv.c computes the calls that the
** library does not support. */

#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "gpu/gpu.h"

enum {
  PLANS     = 64,            /* the maximum number of plans of a device */
  CHOICES   = 10,            /* the maximum number of algorithms that the library may propose */
  NDIM      = 4,
  MEMORY    = 256 << 20      /* the default of gpu_conv_memory(), in bytes: little of a GPU's memory, but enough for
                             ** the float32 columns of 37 images of 64×56×56 and a 3×3 kernel; not measured */
};

size_t gpu_conv_memory(void) {
  static size_t bytes;
  const char *text = bytes ? NULL : getenv("LUATENSOR_CONV_MEMORY");
  if (!bytes) bytes = text && atoll(text) > 0 ? (size_t)atoll(text) : MEMORY;
  return bytes;
}

/* The properties that determine a plan. Keys are compared by memcmp, so the struct must have no padding. */
typedef struct plan_key {
  int64_t op, dtype, ieee, n, groups, c_in, c_out, in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
} plan_key;

typedef struct dnn_plan {
  plan_key        key;
  dnn_tensor      x, y;
  dnn_filter      w;
  dnn_convolution how;
  bool            usable;    /* false if the library has no acceptable algorithm for the call */
  int             algorithm;
  size_t          workspace;
  struct dnn_plan *next;     /* the next plan of the list, which was used less recently */
} dnn_plan;

static struct dnn_state {
  const gpu_dnn *dnn;        /* set when the handle is made */
  dnn_handle handle;
  dnn_stream stream;
  bool       failed;         /* true if the library cannot be used on this device */
  dnn_plan  *plans;          /* the list of plans, the most recently used plan first */
} states[MAX_GPUS];

static int fail(gpu *g, dnn_result r) {
  const gpu_dnn *dnn = gpu_get_dnn(g->vendor);
  gpu_fail(g, "%s: %s (%d)", g->vendor->names[GPU_DNN], dnn->error_text(r), (int)r);
  return gpu_library_status(g, dnn->error_kind(r, false) == DNN_NO_MEMORY);
}

/* ---- the handle ---- */

static void free_plan(const gpu_dnn *dnn, dnn_plan *p) {
  if (p->x) dnn->tensor_destroy(p->x);
  if (p->y) dnn->tensor_destroy(p->y);
  if (p->w) dnn->filter_destroy(p->w);
  if (p->how) dnn->convolution_destroy(p->how);
  free(p);
}

void gpu_dnn_close(gpu *g) {
  struct dnn_state *s = &states[g->index];
  while (s->plans) {
    dnn_plan *p = s->plans;
    s->plans = p->next;
    free_plan(s->dnn, p);
  }
  if (s->handle) s->dnn->destroy(s->handle);
  *s = (struct dnn_state){.handle = NULL};
}

/* Starts the library on this device. If it cannot be started, because a part of it is missing or the device is not
** supported, sets s->failed and returns OK, so that conv.c computes the call. */
static int open_state(gpu *g, struct dnn_state *s) {
  static bool asked;
  gpu_vendor *v = g->vendor;
  if (s->handle || s->failed) return OK;
  s->failed = !v->dnn_supports(v, g->id);
  if (s->failed) {
    char isa[64];
    v->name_isa(v, g->id, isa, sizeof isa);
    gpu_dnn_complain(v, GPU_NEEDS_KERNELS ": convolutions take luatensor's own kernels", v->names[GPU_DNN],
                     v->names[GPU_BLAS], isa);
    return OK;
  }
  if (g->capturing)
    return gpu_fail(g, "%s does not start while a graph is captured: run a convolution before", v->names[GPU_DNN]);
  s->dnn = gpu_get_dnn(v);
  int st = gpu_make_room(g);
  if (st != OK) return st;
  dnn_result r = s->dnn->create(&s->handle);
  if (!asked) gpu_close_first();         /* the library loads the vendor's runtime, whose exit handler would invalidate
                                         ** the handle before luatensor destroys it */
  asked = true;
  if ((int)r == 0) return OK;
  s->handle = NULL;
  st = fail(g, r);
  if (st == ERR_MEMORY) return st;
  s->failed = true;
  gpu_dnn_complain(v, "%s does not start on %s: %s: convolutions take luatensor's own kernels", v->names[GPU_DNN], g->place,
                   s->dnn->error_text(r));
  return OK;
}

static dnn_result use_stream(gpu *g, struct dnn_state *s) {
  dnn_stream stream = (dnn_stream)g->stream;
  if (s->stream == stream) return (dnn_result)0;
  s->stream = stream;
  return s->dnn->set_stream(s->handle, stream);
}

/* ---- plans ---- */

static dnn_type type_of(enum dtype d) {
  return (dnn_type)(d == DT_float64 ? DNN_FLOAT64 : d == DT_float16 ? DNN_FLOAT16 : d == DT_bfloat16 ? DNN_BFLOAT16
                                                                                                     : DNN_FLOAT32);
}

/* True if the library can express the call. The size of the output must be the size that results from equal padding on both
** sides, and each tensor must have less than 2^31 elements. */
static bool has_form(const conv_call *c) {
  for (int d = 0; d < 2; d++) {
    int64_t rest = c->in[d] + 2 * c->pad[d] - (c->kernel[d] - 1) * c->dilation[d] - 1;
    if (rest < 0 || c->out[d] != rest / c->stride[d] + 1) return false;
  }
  return c->n <= INT32_MAX && c->n * c->c_in * c->in[0] * c->in[1] <= INT32_MAX &&
         c->n * c->c_out * c->out[0] * c->out[1] <= INT32_MAX;
}

static dnn_result set_tensor(const gpu_dnn *dnn, dnn_tensor *t, dnn_type type, int64_t n, int64_t channels,
                             const int64_t *plane) {
  int shape[NDIM] = {(int)n, (int)channels, (int)plane[0], (int)plane[1]};
  int stride[NDIM] = {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
  dnn_result r = dnn->tensor_create(t);
  return (int)r == 0 ? dnn->tensor_set(*t, type, NDIM, shape, stride) : r;
}

static dnn_result set_filter(const gpu_dnn *dnn, dnn_filter *f, dnn_type type, const plan_key *k) {
  int shape[NDIM] = {(int)k->c_out, (int)(k->c_in / k->groups), (int)k->kernel[0], (int)k->kernel[1]};
  dnn_result r = dnn->filter_create(f);
  return (int)r == 0 ? dnn->filter_set(*f, type, (dnn_format)DNN_NCHW, NDIM, shape) : r;
}

/* Makes the descriptor of the convolution. The math type must be set, because the default may be TF32. */
static dnn_result set_convolution(const gpu_dnn *dnn, dnn_convolution *how, const plan_key *k) {
  int pad[2], stride[2], dilation[2];
  for (int d = 0; d < 2; d++) {
    pad[d] = (int)k->pad[d];
    stride[d] = (int)k->stride[d];
    dilation[d] = (int)k->dilation[d];
  }
  dnn_type compute = type_of(dtype_compute((enum dtype)k->dtype));
  dnn_result r = dnn->convolution_create(how);
  if ((int)r == 0)
    r = dnn->convolution_set(*how, 2, pad, stride, dilation, (dnn_mode)DNN_CORRELATION, compute);
  if ((int)r == 0) r = dnn->convolution_groups(*how, (int)k->groups);
  return (int)r == 0 ? dnn->convolution_math(*how, (dnn_math)(k->ieee ? DNN_MATH_FMA : DNN_MATH_DEFAULT)) : r;
}

static dnn_result describe(const gpu_dnn *dnn, dnn_plan *p) {
  const plan_key *k = &p->key;
  dnn_type type = type_of((enum dtype)k->dtype);
  dnn_result r = set_tensor(dnn, &p->x, type, k->n, k->c_in, k->in);
  if ((int)r == 0) r = set_tensor(dnn, &p->y, type, k->n, k->c_out, k->out);
  if ((int)r == 0) r = set_filter(dnn, &p->w, type, k);
  return (int)r == 0 ? set_convolution(dnn, &p->how, k) : r;
}

static dnn_result propose(struct dnn_state *s, const dnn_plan *p, int *count, dnn_choice *choices) {
  const gpu_dnn *dnn = s->dnn;
  switch ((enum conv_op)p->key.op) {
    case CONV_forward: return dnn->forward_choices(s->handle, p->x, p->w, p->how, p->y, CHOICES, count, choices);
    case CONV_input: return dnn->data_choices(s->handle, p->w, p->y, p->how, p->x, CHOICES, count, choices);
    default: return dnn->weight_choices(s->handle, p->x, p->y, p->how, p->w, CHOICES, count, choices);
  }
}

/* True if the algorithm is deterministic, needs at most gpu_conv_memory() bytes, and does not round float32 to TF32
** unless this is allowed. */
static bool is_acceptable(const plan_key *k, const dnn_choice *c) {
  bool exact = (int)c->math == DNN_MATH_FMA || (int)c->math == DNN_MATH_DEFAULT;
  return (int)c->status == 0 && (int)c->determinism == DNN_REPEATS && c->memory <= gpu_conv_memory() && (exact || !k->ieee);
}

/* Makes the plan ready to run an algorithm. */
static dnn_result take(struct dnn_state *s, dnn_plan *p, const dnn_choice *c) {
  static const enum dnn_pass passes[] = {
    [CONV_forward] = DNN_FORWARD, [CONV_input] = DNN_BACKWARD_DATA, [CONV_weight] = DNN_BACKWARD_WEIGHT
  };
  const gpu_dnn *dnn = s->dnn;
  p->algorithm = c->algo;
  p->workspace = c->memory;
  dnn_result r = dnn->convolution_math(p->how, p->key.ieee ? (dnn_math)DNN_MATH_FMA : c->math);
  if ((int)r != 0 || !dnn->prepare) return r;
  return dnn->prepare(s->handle, passes[p->key.op], p->x, p->w, p->how, p->y, c->algo);
}

/* Chooses the first acceptable algorithm that can be made ready. The library lists the algorithms by expected speed,
** fastest first. If none can be made ready, returns the error of the last, and lt.config() tells it. */
static dnn_result choose(gpu *g, struct dnn_state *s, dnn_plan *p) {
  dnn_choice choices[CHOICES];
  int count = 0;
  dnn_result r = propose(s, p, &count, choices), taken = (dnn_result)0;
  for (int i = 0; (int)r == 0 && i < count && !p->usable; i++) {
    if (!is_acceptable(&p->key, &choices[i])) continue;
    taken = take(s, p, &choices[i]);
    p->usable = (int)taken == 0;
    if (!p->usable && s->dnn->error_kind(taken, true) != DNN_UNSUPPORTED) return taken;
  }
  if (p->usable || (int)taken == 0) return r;
  gpu_dnn_complain(g->vendor, "%s does not compile a convolution on %s: %s: it takes luatensor's own kernels",
                   g->vendor->names[GPU_DNN], g->place, s->dnn->error_text(taken));
  return taken;
}

/* If a device has PLANS plans, frees the least recently used plan. Kernels that are still queued do not use this
** plan. */
static void evict(struct dnn_state *s) {
  dnn_plan **last = &s->plans;
  int n = 1;
  if (!*last) return;
  for (; (*last)->next; last = &(*last)->next) n++;
  if (n < PLANS) return;
  free_plan(s->dnn, *last);
  *last = NULL;
}

static int make_plan(gpu *g, struct dnn_state *s, const plan_key *key, dnn_plan **made) {
  evict(s);
  dnn_plan *p = calloc(1, sizeof *p);
  if (!p) return ERR_MEMORY;
  p->key = *key;
  dnn_result r = describe(s->dnn, p);
  if ((int)r == 0) r = choose(g, s, p);
  if ((int)r != 0 && s->dnn->error_kind(r, true) != DNN_UNSUPPORTED) {
    free_plan(s->dnn, p);
    return fail(g, r);
  }
  p->next = s->plans;
  *made = s->plans = p;
  return OK;
}

/* Finds the plan for a call and moves the plan to the front of the list. If there is no such plan, makes one. */
static int find_plan(gpu *g, struct dnn_state *s, const conv_call *c, dnn_plan **found) {
  plan_key key = {.op = c->op, .dtype = c->dtype, .ieee = c->dtype == DT_float32 && c->precision != PRECISION_tf32,
                  .n = c->n, .groups = c->groups, .c_in = c->c_in, .c_out = c->c_out};
  for (int d = 0; d < 2; d++) {
    key.in[d] = c->in[d];
    key.out[d] = c->out[d];
    key.kernel[d] = c->kernel[d];
    key.stride[d] = c->stride[d];
    key.dilation[d] = c->dilation[d];
    key.pad[d] = c->pad[d];
  }
  dnn_plan **at = &s->plans;
  while (*at && memcmp(&(*at)->key, &key, sizeof key) != 0) at = &(*at)->next;
  dnn_plan *p = *at;
  if (!p) return make_plan(g, s, &key, found);
  *at = p->next;
  p->next = s->plans;
  *found = s->plans = p;
  return OK;
}

/* ---- calls ---- */

static dnn_result launch(struct dnn_state *s, const dnn_plan *p, const conv_call *c, void *room) {
  const gpu_dnn *dnn = s->dnn;
  const float one = 1, zero = 0;
  const double one_wide = 1, zero_wide = 0;
  bool wide = c->dtype == DT_float64;
  const void *al = wide ? (const void *)&one_wide : &one, *be = wide ? (const void *)&zero_wide : &zero;
  switch (c->op) {
    case CONV_forward:
      return dnn->forward(s->handle, al, p->x, c->x, p->w, c->w, p->how, (dnn_forward)p->algorithm, room, p->workspace,
                          be, p->y, c->y);
    case CONV_input:
      return dnn->backward_data(s->handle, al, p->w, c->w, p->y, c->y, p->how, (dnn_data)p->algorithm, room, p->workspace,
                                be, p->x, c->x);
    default:
      return dnn->backward_weight(s->handle, al, p->x, c->x, p->y, c->y, p->how, (dnn_weight)p->algorithm, room,
                                  p->workspace, be, p->w, c->w);
  }
}

/* Adds the bias to y: one number to all elements of a channel. */
static int add_bias(gpu *g, const conv_call *c) {
  int64_t plane = c->out[0] * c->out[1];
  plan p = {.ndim = 3, .count = c->n * c->c_out * plane, .shape = {c->n, c->c_out, plane}};
  for (int k = 0; k < 2; k++) {
    p.stride[k][0] = c->c_out * plane;
    p.stride[k][1] = plane;
    p.stride[k][2] = 1;
  }
  p.stride[2][1] = 1;
  plan_collapse(&p, 3);
  operand y = {.data = c->y, .dtype = c->dtype}, bias = {.data = (void *)(uintptr_t)c->bias, .dtype = c->dtype};
  map_call add = {.op = OP_add, .compute = dtype_compute(c->dtype), .nin = 2, .plan = &p, .out = y, .in = {y, bias}};
  return gpu_map(g->index, &add);
}

static int run_plan(gpu *g, struct dnn_state *s, dnn_plan *p, const conv_call *c, bool *done) {
  void *room = NULL;
  int st = p->workspace ? gpu_scratch(g, p->workspace, &room) : OK;
  if (st != OK) return st;
  dnn_result r = use_stream(g, s);
  if ((int)r == 0) r = launch(s, p, c, room);
  if (room) gpu_scratch_free(g, room, p->workspace);
  if ((int)r != 0 && s->dnn->error_kind(r, false) == DNN_UNSUPPORTED) p->usable = false;
  else if ((int)r != 0) st = fail(g, r);
  *done = (int)r == 0;
  return *done && c->op == CONV_forward && c->bias ? add_bias(g, c) : st;
}

int gpu_dnn_conv(gpu *g, const conv_call *c, bool *done) {
  struct dnn_state *s = &states[g->index];
  dnn_plan *p = NULL;
  *done = false;
  if (!has_form(c) || !gpu_get_dnn(g->vendor)) return OK;
  int st = open_state(g, s);
  if (st != OK || s->failed) return st;
  st = find_plan(g, s, c, &p);
  return st == OK && p->usable ? run_plan(g, s, p, c, done) : st;
}
