#include "op/op.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"

const op_info map_ops[OP_COUNT] = {
#define INFO(nin, selects, name, dtypes, result, expr, doc) \
  [OP_##name] = {#name, #name "_", doc, #expr, nin, CLASS_##dtypes, RESULT_##result, selects},
#define UNARY(...) INFO(1, false, __VA_ARGS__)
#define BINARY(...) INFO(2, false, __VA_ARGS__)
#define TERNARY(...) INFO(3, false, __VA_ARGS__)
#define SELECT(...) INFO(3, true, __VA_ARGS__)
#define QUATERNARY(...) INFO(4, false, __VA_ARGS__)
#include "ops.def"
};

bool op_is_hidden(enum map_op op) {
  const char *name = map_ops[op].name;
  return name[strlen(name) - 1] == '_';
}

/* ---- dtypes ---- */

/* A weak number never widens a dtype within its kind. A complex number makes the dtype complex. A float turns bool
** and integers into the default float, an integer turns bool into int64, and a boolean changes nothing. */
enum dtype promote_arg(enum dtype d, const arg *a) {
  if (a->t) return d == DT_none ? a->t->dtype : dtype_promote(d, a->t->dtype);
  if (a->s.is_complex) return d == DT_none ? DT_complex128 : dtype_complex(d);
  if (d == DT_none) return a->s.is_float ? dtype_default_float() : a->s.is_bool ? DT_bool : DT_int64;
  int kind = dtype_kind(d);
  if (a->s.is_float) return kind >= KIND_FLOAT ? d : dtype_default_float();
  return kind == KIND_BOOL && !a->s.is_bool ? DT_int64 : d;
}

enum dtype promote_all(const arg *in, int n) {
  enum dtype d = DT_none;
  for (int i = 0; i < n; i++)
    if (in[i].t) d = promote_arg(d, &in[i]);
  for (int i = 0; i < n; i++)                /* without tensors, a complex number decides the dtype, whatever its
                                             ** position */
    if (d == DT_none && in[i].s.is_complex) d = promote_arg(d, &in[i]);
  for (int i = 0; i < n; i++)
    if (!in[i].t) d = promote_arg(d, &in[i]);
  return d;
}

bool integer_fits(enum dtype d, int64_t i) {
  int bits = 8 * dtype_size(d);
  switch (dtype_kind(d)) {
    case KIND_UINT: return bits == 64 || (i >= 0 && i >> bits == 0);
    case KIND_INT:  return bits == 64 || (i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1));
    default:        return true;
  }
}

bool scalar_fits(enum dtype d, const scalar *s) {
  if (s->is_complex) return dtype_kind(d) == KIND_COMPLEX;
  if (dtype_kind(d) >= KIND_FLOAT) return true;
  bool in_range = s->f >= -0x1p63 && s->f < 0x1p63;
  if (s->is_float && (!in_range || (double)(int64_t)s->f != s->f)) return false;
  int64_t i = s->is_float ? (int64_t)s->f : s->i;
  return dtype_kind(d) == KIND_BOOL ? i == 0 || i == 1 : integer_fits(d, i);
}

/* Returns the float dtype to which an op that requires floats converts integers: the default float. A predicate
** converts to float64, because its compute dtype does not affect the result's dtype. */
static enum dtype to_float(const op_info *info) { return info->result == RESULT_BOOL ? DT_float64 : dtype_default_float(); }

/* The ops that compute x^y for a constant y in real numbers at least as accurately as pow, and with the same special
** values. x^1 is conj(x), and not positive(x), because `positive` skips the rounding to the compute dtype. */
static const struct { double y; enum map_op row; } powers[] = {
  {1, OP_conj}, {2, OP_square}, {3, OP_pow_3_}, {4, OP_pow_4_}, {0.5, OP_pow_half_}, {-0.5, OP_pow_minus_half_},
  {-1, OP_reciprocal}, {-2, OP_pow_minus_2_},
};

/* Returns the op that computes the result of j, whose compute dtype is known. */
static enum map_op row_of(const job *j) {
  const scalar *s = &j->in[1].s;
  if (j->op != OP_pow || j->in[1].t || dtype_kind(j->compute) == KIND_COMPLEX) return j->op;
  double y = s->is_float ? s->f : (double)s->i;
  for (size_t k = 0; k < sizeof powers / sizeof *powers; k++)
    if (powers[k].y == y && dtype_in_class(j->compute, map_ops[powers[k].row].class)) return powers[k].row;
  return OP_pow;
}

int job_dtypes(job *j) {
  const op_info *info = &map_ops[j->op];
  int first = info->selects;
  enum dtype d = promote_all(j->in + first, j->nin - first);
  if (!dtype_in_class(d, info->class)) {
    bool float_only = info->class == CLASS_FLOAT || info->class == CLASS_REALFLOAT;
    if (!float_only || dtype_kind(d) > KIND_INT) return ERR_DTYPE;
    d = to_float(info);
  }
  j->result = result_dtype(info->result, d);
  j->compute = j->op == OP_nextafter ? d : dtype_compute(d);    /* nextafter computes in the stored dtype, because
                                                                ** its result depends on the spacing of the dtype's
                                                                ** values */
  j->row = row_of(j);
  for (int i = first; i < j->nin; i++)
    if (!j->in[i].t && !j->in[i].s.is_float && !integer_fits(d, j->in[i].s.i)) return ERR_SCALAR;
  return OK;
}

/* ---- preparing ---- */

int job_place(job *j) {
  j->has_place = false;
  for (int i = 0; i < j->nin; i++) {
    if (!j->in[i].t) continue;
    place p = j->in[i].t->store->place;
    if (j->has_place && !place_equal(j->place, p)) return ERR_DEVICES;
    j->place = p;
    j->has_place = true;
  }
  return OK;
}

int job_shape(job *j) {
  const tensor *first = NULL;
  j->shape.ndim = 0;
  for (int i = 0; i < j->nin; i++) {
    const tensor *t = j->in[i].t;
    if (!t) continue;
    if (!first) {
      first = t;
      j->shape = t->shape;
    } else if (!shape_equal(&j->shape, &t->shape)) {
      int st = shape_broadcast(&j->shape, &t->shape);
      if (st != OK) return st;
    }
  }
  return OK;
}

int job_prepare(job *j) {
  int st = job_place(j);
  if (st == OK) st = job_dtypes(j);
  return st == OK ? job_shape(j) : st;
}

int check_target(const tensor *out, const shape *s, enum dtype result, const tensor *const *in, int nin) {
  if (!shape_equal(&out->shape, s)) return ERR_OUT_SHAPE;
  int have = dtype_kind(out->dtype), want = dtype_kind(result);
  if (have < want && !(have == KIND_UINT && want == KIND_INT)) return ERR_CAST;
  if (tensor_is_overlapping(out)) return ERR_READONLY;
  for (int i = 0; i < nin; i++)
    if (in[i] && tensor_conflicts(out, in[i])) return ERR_OVERLAP;
  return OK;
}

/* True if the first elements of two tensors have one address. A storage that has no memory yet shares no memory. */
static bool begin_alike(const tensor *a, const tensor *b) {
  if (a->store->ptr && b->store->ptr) return tensor_address(a) == tensor_address(b);
  return a->store == b->store && a->offset * dtype_size(a->dtype) == b->offset * dtype_size(b->dtype);
}

int check_apart(const tensor *out, const shape *s, enum dtype result, const tensor *const *in, int nin) {
  for (int i = 0; i < nin; i++)
    if (in[i] && !place_equal(out->store->place, in[i]->store->place)) return ERR_DEVICES;
  int st = check_target(out, s, result, in, nin);
  for (int i = 0; i < nin && st == OK && out->count > 0; i++)
    if (in[i] && begin_alike(out, in[i])) st = ERR_OVERLAP;
  return st;
}

/* ---- running ---- */

/* Sorts dims by the absolute stride of the output, largest first, so that memory is written in ascending order. */
static void sort_dims(plan *p, int noperands) {
  for (int d = 1; d < p->ndim; d++)
    for (int e = d; e > 0 && llabs(p->stride[0][e - 1]) < llabs(p->stride[0][e]); e--) {
      int64_t n = p->shape[e];
      p->shape[e] = p->shape[e - 1];
      p->shape[e - 1] = n;
      for (int k = 0; k < noperands; k++) {
        int64_t s = p->stride[k][e];
        p->stride[k][e] = p->stride[k][e - 1];
        p->stride[k][e - 1] = s;
      }
    }
}

void plan_finish(plan *p, int n) {
  sort_dims(p, n);
  plan_collapse(p, n);
}

/* True if the results do not depend on the values of the inputs: every integer is finite. */
static bool is_constant(const job *j) {
  bool tests = j->op == OP_isnan || j->op == OP_isinf || j->op == OP_isfinite;
  return tests && dtype_kind(j->compute) < KIND_FLOAT;
}

/* Makes a plan of one dim and returns true if `out` is contiguous and each input is a number, a single element, or
** contiguous with as many elements as `out`. Otherwise returns false. */
static bool plan_flat(plan *p, const job *j, const tensor *out) {
  if (!tensor_is_contiguous(out)) return false;
  p->ndim = 1;
  p->count = p->shape[0] = out->count;
  p->stride[0][0] = 1;
  for (int i = 0; i < j->nin; i++) {
    const tensor *t = is_constant(j) ? NULL : j->in[i].t;
    bool whole = t && t->count == out->count;
    if (whole && !tensor_is_contiguous(t)) return false;
    if (t && !whole && t->count != 1) return false;
    p->stride[1 + i][0] = whole;
  }
  return true;
}

static void plan_any(plan *p, const job *j, const tensor *out) {
  plan_init(p, &j->shape);
  plan_operand(p, 0, out->stride);
  for (int i = 0; i < j->nin; i++) {
    const tensor *t = j->in[i].t;
    int64_t stride[MAX_DIMS];
    bool reads = t && !is_constant(j);       /* otherwise one element stands for all */
    if (reads) shape_expand(&t->shape, t->stride, &j->shape, stride);
    plan_operand(p, 1 + i, reads ? stride : NULL);
  }
  plan_finish(p, 1 + j->nin);
}

void job_plan(plan *p, const job *j, const tensor *out) {
  if (!plan_flat(p, j, out)) plan_any(p, j, out);
}

/* Runs the job by `entry`, a function of the device that takes a map_call. */
static inline int call(const job *j, tensor *out, map_entry entry) {
  if (out->count == 0) return OK;
  plan p;
  job_plan(&p, j, out);
  map_call c;
  c.op = j->row;
  c.compute = j->compute;
  c.nin = map_ops[j->row].nin;
  c.plan = &p;
  c.out.data = tensor_data(out);
  c.out.dtype = out->dtype;
  for (int i = 0; i < c.nin; i++) {
    const tensor *t = j->in[i].t;
    c.in[i].data = t ? tensor_data(t) : NULL;
    c.in[i].dtype = t ? t->dtype : j->compute;
    if (!t) c.in[i].value = j->in[i].s;
  }
  return entry(out->store->place, &c);
}

void job_layout(const job *j, tensor *out) {
  int64_t stride[2][MAX_DIMS];
  int found = 0;
  for (int i = 0; i < j->nin; i++) {
    const tensor *t = j->in[i].t;
    if (!t || t->count != out->count || !shape_equal(&t->shape, &out->shape)) continue;
    if (tensor_is_contiguous(t) || !shape_strides_like(&t->shape, t->stride, stride[found])) return;
    if (found == 1 && memcmp(stride[0], stride[1], sizeof(int64_t) * (size_t)out->shape.ndim) != 0) return;
    found = 1;
  }
  if (found == 1) memcpy(out->stride, stride[0], sizeof(int64_t) * (size_t)out->shape.ndim);
}

int job_compute(const job *j, tensor *out) { return call(j, out, device_map); }

int job_check(const job *j, const tensor *out) {
  const tensor *in[MAX_IN];
  for (int i = 0; i < j->nin; i++) {
    in[i] = j->in[i].t;
    if (in[i] && !place_equal(in[i]->store->place, out->store->place)) return ERR_DEVICES;
  }
  return check_target(out, &j->shape, j->result, in, j->nin);
}

int job_run(const job *j, tensor *out) {
  int st = job_check(j, out);
  return st != OK ? st : job_compute(j, out);
}

/* Returns a job that copies `in`, a tensor or a number, to `out`. Conversions between all kinds are allowed: x:to("int8") of floats
** saturates. The op computes in the compute dtype of `out`, so that elements are converted when they are loaded. */
static job identity(tensor *out, arg in) {
  return (job){.op = OP_positive, .row = OP_positive, .nin = 1, .in = {in}, .compute = dtype_compute(out->dtype),
               .result = out->dtype, .shape = out->shape};
}

int op_fill_job(job *j, tensor *out, scalar value) {
  *j = identity(out, (arg){.s = value});
  return tensor_is_overlapping(out) ? ERR_READONLY : OK;
}

int op_fill(tensor *out, scalar value) {
  job j;
  int st = op_fill_job(&j, out, value);
  return st == OK ? job_compute(&j, out) : st;
}

void tensor_part(tensor *part, const tensor *z, int which) {
  tensor_view(part, z);
  part->dtype = dtype_real(z->dtype);
  part->offset = 2 * z->offset + which;
  for (int d = 0; d < z->shape.ndim; d++) part->stride[d] = 2 * z->stride[d];
}

/* Returns OK if a copy of `in`, broadcast to out's shape, may be written to `out`. */
static int check_copy(const tensor *out, const tensor *in) {
  int64_t stride[MAX_DIMS];
  if (!place_equal(in->store->place, out->store->place)) return ERR_DEVICES;
  if (shape_expand(&in->shape, in->stride, &out->shape, stride) != OK) return ERR_BROADCAST;
  if (tensor_is_overlapping(out)) return ERR_READONLY;
  return tensor_conflicts(out, in) ? ERR_OVERLAP : OK;
}

int op_copy_job(job *j, tensor *out, const tensor *in) {
  *j = identity(out, (arg){.t = in});
  return check_copy(out, in);
}

int op_copy(tensor *out, const tensor *in) {
  job j;
  int st = op_copy_job(&j, out, in);
  return st == OK ? job_compute(&j, out) : st;
}

int op_copy_apart(tensor *out, const tensor *in) {
  job j = identity(out, (arg){.t = in});
  return job_compute(&j, out);
}

int op_copy_by(map_entry entry, tensor *out, const tensor *in) {
  job j;
  int st = op_copy_job(&j, out, in);
  return st == OK ? call(&j, out, entry) : st;
}

int op_arange(tensor *out, scalar start, scalar step) {
  if (out->count == 0) return OK;
  arange_call c = {.out = {.data = tensor_data(out), .dtype = out->dtype}, .count = out->count, .start = start, .step = step};
  return device_arange(out->store->place, &c);
}

int op_target(tensor *out, enum dtype result, tensor *fresh, tensor **to) {
  *fresh = (tensor){.store = NULL};
  *to = out;
  if (out->dtype == result && tensor_is_contiguous(out)) return OK;
  *to = fresh;
  return tensor_init(fresh, result, &out->shape, out->store->place);
}

int op_settle(int st, tensor *out, tensor *fresh) {
  if (st == OK && fresh->store) st = op_copy(out, fresh);
  tensor_drop(fresh);
  return st;
}

int op_plain(const tensor *t, enum dtype d, tensor *fresh, const tensor **use) {
  *use = t;
  if (t->dtype == d && tensor_is_contiguous(t)) return OK;
  int st = tensor_init(fresh, d, &t->shape, t->store->place);
  if (st != OK) return st;
  *use = fresh;
  return op_copy(fresh, t);
}
