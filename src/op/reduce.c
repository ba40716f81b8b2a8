#include "op/reduce.h"

#include "base/dispatch.h"

const reduce_info reductions[REDUCE_COUNT] = {
#define REDUCE(name, dtypes, result, accumulator, init, step, merge, finish, doc) \
  [REDUCE_##name] = {#name, doc, CLASS_##dtypes, RESULT_##result},
#define REDUCE_STATE(name, dtypes, result, state, finish, doc) \
  [REDUCE_##name] = {#name, doc, CLASS_##dtypes, RESULT_##result},
#include "ops.def"
};

enum dtype dtype_accum(enum dtype d) { return (enum dtype)dtypes[d].accum; }

enum dtype sum_compute(enum dtype in, enum dtype result) {
  if (dtype_kind(result) < KIND_FLOAT) return dtype_kind(in) < KIND_FLOAT ? in : dtype_compute(result);
  if (dtype_kind(in) < KIND_FLOAT) in = DT_float64;
  return dtype_compute(dtype_promote(in, result));
}

/* An op that requires floats converts integers to the default float for the result. The op computes in float64,
** because float32 would round large integers. max, min, argmax and argmin also accept bool, where false is less than
** true. */
int reduce_dtypes(reduction *r) {
  const reduce_info *info = &reductions[r->op];
  enum dtype d = r->dtype == DT_none ? r->in->dtype : r->dtype;
  bool ordered_bool = info->class == CLASS_REALS && d == DT_bool;
  if (!dtype_in_class(d, info->class) && !ordered_bool) {
    bool of_floats = info->class == CLASS_FLOAT || info->class == CLASS_REALFLOAT;
    if (!of_floats || dtype_kind(d) >= KIND_FLOAT || r->dtype != DT_none) return ERR_DTYPE;
    d = dtype_default_float();
  }
  if (r->dtype == DT_none && info->result == RESULT_ACC) d = dtype_accum(d);
  if (r->dtype != DT_none && dtype_kind(d) == KIND_BOOL) return ERR_DTYPE;
  bool loses = dtype_kind(r->in->dtype) == KIND_COMPLEX && dtype_kind(d) != KIND_COMPLEX;
  if (loses && r->dtype != DT_none) return ERR_DTYPE;
  r->compute = info->result == RESULT_BOOL || info->result == RESULT_POSITION ? dtype_compute(r->in->dtype)
                                                                              : sum_compute(r->in->dtype, d);
  if (ordered_bool) r->compute = DT_uint8;
  r->result = info->result == RESULT_BOOL ? DT_bool : info->result == RESULT_POSITION ? DT_int64 : d;
  return OK;
}

/* True if op has no result for zero elements. */
static bool needs_elements(enum reduce_op op) {
  return op == REDUCE_max || op == REDUCE_min || op == REDUCE_argmax || op == REDUCE_argmin;
}

/* True if the result depends on the positions of the reduced elements, so that their order must be kept. */
static bool is_ordered(enum reduce_op op) { return op == REDUCE_argmax || op == REDUCE_argmin; }

int reduce_prepare(reduction *r) {
  const shape *s = &r->in->shape;
  r->shape.ndim = 0;
  for (int d = 0; d < s->ndim; d++) {
    bool reduced = r->dims >> d & 1;
    if (reduced && s->dim[d] == 0 && needs_elements(r->op)) return ERR_EMPTY;
    if (!reduced || r->keepdim) r->shape.dim[r->shape.ndim++] = reduced ? 1 : s->dim[d];
  }
  return reduce_dtypes(r);
}

void plan_sort(plan *p, int k) {
  for (int i = 1; i < p->ndim; i++)
    for (int d = i; d > 0 && stride_distance(p->stride[k][d - 1]) < stride_distance(p->stride[k][d]); d--)
      for (int row = -1; row <= k; row++) {
        int64_t *v = row < 0 ? p->shape : p->stride[row], swap = v[d];
        v[d] = v[d - 1];
        v[d - 1] = swap;
      }
}

/* Splits in's dims into a plan of the kept dims and a plan of the reduced dims. In `kept`, operand 0 is `out` and
** operand 1 is `in`. In `reduced`, operand 0 is `in`. */
static void make_plans(const reduction *r, const tensor *out, plan *kept, plan *reduced) {
  const tensor *in = r->in;
  kept->ndim = reduced->ndim = 0;
  kept->count = reduced->count = 1;
  for (int d = 0, o = 0; d < in->shape.ndim; d++) {
    bool is_reduced = r->dims >> d & 1;
    plan *p = is_reduced ? reduced : kept;
    p->shape[p->ndim] = in->shape.dim[d];
    p->stride[is_reduced ? 0 : 1][p->ndim] = in->stride[d];
    if (!is_reduced) p->stride[0][p->ndim] = out->stride[o];
    p->count *= in->shape.dim[d];
    p->ndim++;
    o += !is_reduced || r->keepdim;
  }
  plan_sort(kept, 1);
  if (!is_ordered(r->op)) plan_sort(reduced, 0);
  plan_collapse(kept, 2);
  plan_collapse(reduced, 1);
}

void reduce_plan(const reduction *r, const tensor *out, reduce_call *c) {
  c->op = r->op;
  c->compute = r->compute;
  c->correction = r->correction;
  c->ordered = is_ordered(r->op);
  make_plans(r, out, &c->kept, &c->reduced);
}

int reduce_check(const reduction *r, const tensor *out) {
  if (!place_equal(r->in->store->place, out->store->place)) return ERR_DEVICES;
  return check_target(out, &r->shape, r->result, &r->in, 1);
}

int reduce_run(const reduction *r, tensor *out) {
  const tensor *in = r->in;
  int st = reduce_check(r, out);
  if (st != OK || out->count == 0) return st;
  reduce_call c;                             /* not initialised as a whole, because its two plans are large */
  reduce_plan(r, out, &c);
  c.in = (operand){.data = tensor_data(in), .dtype = in->dtype};
  c.out = (operand){.data = tensor_data(out), .dtype = out->dtype};
  return device_reduce(in->store->place, &c);
}
