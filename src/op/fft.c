#include "op/fft.h"

#include <math.h>

#include "base/dispatch.h"
#include "base/view.h"
#include "op/deferral.h"
#include "op/reduce.h"

const fft_info fft_ops[FFT_COUNT] = {
#define FFT_ROW(name, kind, inverse, dims) {#name, kind, inverse, dims},
  FFT_OPS(FFT_ROW)
};

/* Returns the float dtype in which a transform of dtype d computes. Integers become the default float. Returns
** DT_none for bool and half floats, which have no transforms. */
static enum dtype float_of(enum dtype d) {
  if (dtype_kind(d) == KIND_BOOL) return DT_none;
  if (dtype_kind(d) < KIND_FLOAT) return dtype_default_float() == DT_float64 ? DT_float64 : DT_float32;
  enum dtype part = dtype_real(d);
  return part == DT_float32 || part == DT_float64 ? part : DT_none;
}

static void choose_shape(fft_op *f) {
  f->shape = f->in->shape;
  for (int i = 0; i < f->ndims; i++) {
    bool half = f->info->kind == FFT_real && i == f->ndims - 1;
    f->shape.dim[f->dim[i]] = half ? f->n[i] / 2 + 1 : f->n[i];
  }
}

int fft_prepare(fft_op *f) {
  enum fft_kind kind = f->info->kind;
  enum dtype part = float_of(f->in->dtype);
  if (part == DT_none || (kind == FFT_real && dtype_kind(f->in->dtype) == KIND_COMPLEX)) return ERR_DTYPE;
  f->result = kind == FFT_hermitian ? part : dtype_complex(part);
  choose_shape(f);
  return OK;
}

/* ---- element-wise parts ---- */

/* Returns a view of t: `count` elements of dim d, beginning at index `first`, `step` elements apart. */
static tensor part_of(const tensor *t, int d, int64_t first, int64_t step, int64_t count) {
  tensor v = *t;
  view_range(&v, d, first, step, count);
  return v;
}

static int conjugate(tensor *out, const tensor *in) {
  enum dtype d = out->dtype;
  job j = {.op = OP_conj, .row = OP_conj, .nin = 1, .in = {{.t = in}}, .compute = d, .result = d, .shape = out->shape};
  return job_compute(&j, out);
}

static int copy(tensor *out, const tensor *in, bool conjugated) {
  if (in->count == 0) return OK;
  return conjugated ? conjugate(out, in) : op_copy(out, in);
}

/* Sets all elements of dim d from index `from` on to 0. */
static int clear_after(const tensor *t, int d, int64_t from) {
  tensor rest = part_of(t, d, from, 1, t->shape.dim[d] - from);
  return op_fill(&rest, (scalar){.f = 0});
}

/* ---- transforms of one dim, or of several dims together ---- */

typedef struct step {
  enum fft_kind kind;
  bool    inverse;
  double  scale;
  int     dim;
  int64_t n;
  int     joined;              /* number of later steps that the device computes together with this step */
} step;

static int64_t in_length(const step *s)  { return s->kind == FFT_hermitian ? s->n / 2 + 1 : s->n; }
static int64_t out_length(const step *s) { return s->kind == FFT_real ? s->n / 2 + 1 : s->n; }

/* Returns the one of step s and the steps that are joined to it that transforms dim d, or NULL if there is none. */
static const step *step_along(const step *s, int d) {
  for (int i = 0; i <= s->joined; i++)
    if (s[i].dim == d) return &s[i];
  return NULL;
}

/* Divides the dims into the transformed dims and the outer dims of the call. */
static void divide_dims(fft_call *c, const step *s, const tensor *in, const tensor *out) {
  plan *p = &c->outer;
  p->count = 1;
  for (int d = 0; d < in->shape.ndim; d++) {
    const step *along = step_along(s, d);
    if (along) {
      c->n[c->rank] = along->n;
      c->in_stride[c->rank] = in->stride[d];
      c->out_stride[c->rank++] = out->stride[d];
    } else {
      p->shape[p->ndim] = in->shape.dim[d];
      p->stride[0][p->ndim] = out->stride[d];
      p->stride[1][p->ndim++] = in->stride[d];
      p->count *= in->shape.dim[d];
    }
  }
}

/* Runs a step and the steps that are joined to it. The device transforms real input only forward, so the inverse is the
** conjugate of the device's result. */
static int transform(const step *s, const tensor *in, tensor *out) {
  bool inverse = s->kind == FFT_hermitian || (s->kind == FFT_complex && s->inverse);
  fft_call c = {.kind = s->kind, .inverse = inverse, .scale = s[s->joined].scale,
                .in = {.data = tensor_data(in), .dtype = in->dtype},
                .out = {.data = tensor_data(out), .dtype = out->dtype}};
  divide_dims(&c, s, in, out);
  plan_sort(&c.outer, 1);
  plan_collapse(&c.outer, 2);
  place where = in->store->place;
  int st = device_fft(where, &c);
  return st == OK && s->kind == FFT_real && s->inverse ? conjugate(out, out) : st;
}

/* ---- filling the second half of transforms of real numbers ---- */

/* Fills a part of the second half of dim s[0] by Hermitian symmetry: y[-j] = conj(y[j]), where each index is modulo the
** length of its dim. In every other dim, index 0 maps to itself, and the indices from 1 on are reversed. A call fills
** only one of these two ranges in each dim s[i], i >= 1: the indices from 1 on if bit i - 1 of `later` is set, else
** index 0. */
static int mirror_part(const tensor *out, const step *s, int nsteps, unsigned later) {
  int64_t rest = (s[0].n - 1) / 2;
  tensor from = part_of(out, s[0].dim, 1, 1, rest), to = part_of(out, s[0].dim, s[0].n - 1, -1, rest);
  for (int i = 1; i < nsteps; i++) {
    bool turned = later >> (i - 1) & 1;
    from = part_of(&from, s[i].dim, turned, 1, turned ? s[i].n - 1 : 1);
    to = part_of(&to, s[i].dim, turned ? s[i].n - 1 : 0, -1, turned ? s[i].n - 1 : 1);
  }
  return copy(&to, &from, true);
}

static int mirror(const tensor *out, const step *s, int nsteps) {
  int st = OK;
  for (unsigned later = 0; st == OK && later < 1u << (nsteps - 1); later++) st = mirror_part(out, s, nsteps, later);
  return st;
}

/* ---- transforms of all dims ---- */

/* Returns the factor that f->norm requires: 1, 1 / n or 1 / sqrt(n), where n is the product of the transformed
** lengths. */
static double scale_of(const fft_op *f) {
  double n = 1;
  for (int i = 0; i < f->ndims; i++) n *= (double)f->n[i];
  if (f->norm == FFT_NORM_ortho) return 1 / sqrt(n);
  return f->info->inverse == (f->norm == FFT_NORM_backward) ? 1 / n : 1;
}

/* True if the input is real and the result is complex. In this case only half of the result is computed. */
static bool from_real(const fft_op *f) {
  return f->info->kind != FFT_hermitian && dtype_kind(f->in->dtype) < KIND_COMPLEX;
}

/* Orders the steps. A step that halves a dim comes first, so that the later steps process half as many elements. A
** step that makes a full dim from a half one comes last. The scale is applied by the last step. */
static void make_steps(const fft_op *f, step *s) {
  enum fft_kind kind = from_real(f) ? FFT_real : f->info->kind;
  for (int i = 0; i < f->ndims; i++) {
    bool half = i == f->ndims - 1;
    s[kind == FFT_hermitian ? i : f->ndims - 1 - i] = (step){
      .kind = half ? kind : FFT_complex, .inverse = f->info->inverse, .scale = 1, .dim = f->dim[i], .n = f->n[i]};
  }
  s[f->ndims - 1].scale = scale_of(f);
}

/* True if step s[k] can be joined to step s[i]: its input needs no padding, and a halved dim is the last of the joined
** dims. `trim` is the input without the elements that the steps do not read. */
static bool joins(const step *s, int i, int k, const tensor *trim) {
  if (s[i].kind == FFT_hermitian || s[k].kind != FFT_complex || trim->shape.dim[s[k].dim] != s[k].n) return false;
  return s[i].kind == FFT_complex || s[k].dim < s[i].dim;
}

/* Joins successive steps, as many as the device transforms together. */
static void join_steps(const fft_op *f, step *s, const tensor *trim) {
  int most = trim->store->place.device->fft_rank;
  for (int i = 0; i < f->ndims; i += 1 + s[i].joined)
    for (int k = i + 1; k < f->ndims && k - i < most && joins(s, i, k, trim); k++) s[i].joined++;
}

/* Returns a view of the input without the elements that the steps do not read. */
static tensor trimmed(const fft_op *f, const step *s) {
  tensor v = *f->in;
  for (int i = 0; i < f->ndims; i++)
    if (v.shape.dim[s[i].dim] > in_length(&s[i])) view_range(&v, s[i].dim, 0, 1, in_length(&s[i]));
  return v;
}

/* Allocates *fresh with the shape `like`, except that the step's dim has the length that the step's input needs.
** *inside becomes the part of *fresh that has shape `like`. The rest of *fresh is set to zeros. */
static int make_input(tensor *fresh, tensor *inside, enum dtype d, const shape *like, const step *s, place where) {
  shape wide = *like;
  wide.dim[s->dim] = in_length(s);
  int st = tensor_init(fresh, d, &wide, where);
  if (st != OK) return st;
  *inside = part_of(fresh, s->dim, 0, 1, like->dim[s->dim]);
  return inside->count < fresh->count ? clear_after(fresh, s->dim, like->dim[s->dim]) : OK;
}

/* Sets *use to the input of the first step. The input is the trimmed view itself, or *fresh, a copy that is
** converted, padded or conjugated. */
static int first_input(const fft_op *f, const step *s, const tensor *trim, tensor *fresh, const tensor **use) {
  enum dtype part = dtype_kind(f->result) == KIND_COMPLEX ? dtype_real(f->result) : f->result;
  bool complex = dtype_kind(trim->dtype) == KIND_COMPLEX;
  bool conjugated = complex && s->kind == FFT_hermitian && !f->info->inverse;
  enum dtype d = complex || s->kind != FFT_real ? dtype_complex(part) : part;
  *use = trim;
  if (trim->dtype == d && !conjugated && trim->shape.dim[s->dim] == in_length(s)) return OK;
  tensor inside;
  *use = fresh;
  int st = make_input(fresh, &inside, d, &trim->shape, s, trim->store->place);
  return st == OK ? copy(&inside, trim, conjugated) : st;
}

/* Prepares memory for the result of step s, which is the input of step `next`. *fresh becomes the whole input of
** `next`, and *inside the part of *fresh to which step s writes; the rest of *fresh is zero. left is the number of
** transforms after s. If left is even, *fresh may be in the memory of `out`, because the last step then reads from other
** memory. This requires that out has the dtype and shape of *fresh. */
static int next_input(const step *next, int left, const tensor *in, const step *s, tensor *out, tensor *fresh,
                      tensor *inside) {
  shape wide = in->shape;
  enum dtype d = dtype_complex(dtype_real(in->dtype));
  wide.dim[s->dim] = out_length(s);
  shape padded = wide;
  padded.dim[next->dim] = in_length(next);
  if (left % 2 == 0 && d == out->dtype && shape_equal(&padded, &out->shape) && shape_equal(&padded, &wide)) {
    tensor_view(fresh, out);
    *inside = *fresh;
    return OK;
  }
  return make_input(fresh, inside, d, &wide, next, in->store->place);
}

/* Returns the number of transforms that the steps from s up to `end` need. */
static int count_transforms(const step *s, const step *end) {
  int n = 0;
  for (; s < end; s += 1 + s->joined) n++;
  return n;
}

/* Runs all steps. `have` owns the memory of `in`, or has no storage if `in` is a view of the caller's tensor. */
static int run_steps(const fft_op *f, const step *s, const tensor *in, tensor *have, tensor *out) {
  const step *end = s + f->ndims;
  int st = OK;
  for (int left = count_transforms(s, end) - 1; st == OK && left > 0; left--) {
    const step *then = s + 1 + s->joined;
    tensor next = {.store = NULL}, inside;
    st = next_input(then, left, in, s, out, &next, &inside);
    if (st == OK) st = transform(s, in, &inside);
    tensor_drop(have);
    *have = next;
    in = have;
    s = then;
  }
  return st == OK ? transform(s, in, out) : st;
}

/* Computes the transform into `out`, which must be contiguous and of the result's dtype. */
static int run_all(const fft_op *f, tensor *out) {
  step s[MAX_DIMS];
  make_steps(f, s);
  tensor trim = trimmed(f, s), have = {.store = NULL};
  join_steps(f, s, &trim);
  const tensor *in;
  int st = first_input(f, &s[0], &trim, &have, &in);
  tensor half = from_real(f) ? part_of(out, s[0].dim, 0, 1, out_length(&s[0])) : *out;
  if (st == OK) st = run_steps(f, s, in, &have, &half);
  tensor_drop(&have);
  return st == OK && from_real(f) && f->info->kind == FFT_complex ? mirror(out, s, f->ndims) : st;
}

/* Computes the transform at once, into any `out` that fft_run_later has checked. */
static int fft_run(const fft_op *f, tensor *out) {
  tensor fresh, *to;
  int st = op_target(out, f->result, &fresh, &to);
  if (st == OK) st = run_all(f, to);
  return op_settle(st, out, &fresh);
}

/* ---- deferring ---- */

typedef struct fft_options {
  uint64_t op, norm, ndims, result;
  uint8_t  dim[MAX_DIMS];
  int64_t  n[MAX_DIMS];
} fft_options;

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  const fft_options *o = options;
  fft_op f = {.info = &fft_ops[o->op], .in = in[0], .norm = (enum fft_norm)o->norm, .ndims = (int)o->ndims,
              .result = (enum dtype)o->result};
  for (int i = 0; i < f.ndims; i++) {
    f.dim[i] = o->dim[i];
    f.n[i] = o->n[i];
  }
  choose_shape(&f);
  return fft_run(&f, out[0]);
}

static const opaque_op deferred_fft = {.run = run_deferred, .options = sizeof(fft_options), .key = sizeof(fft_options)};

int fft_run_later(const fft_op *f, tensor *out) {
  int st = check_apart(out, &f->shape, f->result, &f->in, 1);
  if (st != OK || out->count == 0) return st;
  fft_options o = {.op = (uint64_t)(f->info - fft_ops), .norm = (uint64_t)f->norm, .ndims = (uint64_t)f->ndims,
                   .result = (uint64_t)f->result};
  for (int i = 0; i < f->ndims; i++) {
    o.dim[i] = (uint8_t)f->dim[i];
    o.n[i] = f->n[i];
  }
  bool defers = open_deferral && opaque_defer(&(opaque_call){.op = &deferred_fft, .name = f->info->name, .options = &o,
                                                             .in = {f->in}, .nin = 1, .out = {out}, .nout = 1}, &st);
  return defers ? st : fft_run(f, out);
}
