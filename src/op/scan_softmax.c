#include "op/scan_softmax.h"

#include "base/dispatch.h"

const scan_softmax_info scan_softmax_rows[SCAN_SOFTMAX_COUNT] = {
#define SCAN(name, reduction, dtypes, ...) SCAN_ROW(name, reduction, dtypes, __VA_ARGS__)
#define SCAN_ROW(name, reduction, dtypes, accumulator, init, step, doc) \
  [SCAN_##name] = {#name, doc, true, SCAN_##name, REDUCE_##reduction, CLASS_##dtypes},
#define SOFTMAX(name, keep, m, last, doc) \
  [SCAN_COUNT + SOFTMAX_##name] = {#name, doc, false, SOFTMAX_##name, REDUCE_COUNT, CLASS_REALFLOAT},
#include "ops.def"
};

/* Chooses the dtypes. A scan has the same dtypes as the reduction to which it belongs. */
static int choose_dtype(scan_softmax_job *l) {
  if (l->info->is_scan) {
    reduction r = {.op = l->info->reduction, .in = l->in, .dtype = l->dtype};
    int st = reduce_dtypes(&r);
    l->compute = r.compute;
    l->result = r.result;
    return st;
  }
  enum dtype d = l->dtype == DT_none ? l->in->dtype : l->dtype;
  if (dtype_kind(d) == KIND_COMPLEX || dtype_kind(l->in->dtype) == KIND_COMPLEX) return ERR_DTYPE;
  if (dtype_kind(d) < KIND_FLOAT) {
    if (l->dtype != DT_none) return ERR_DTYPE;
    d = dtype_default_float();
  }
  l->result = d;
  l->compute = sum_compute(l->in->dtype, d);
  return OK;
}

int scan_softmax_prepare(scan_softmax_job *l) {
  l->shape = l->in->shape;
  l->shape.dim[l->dim] += l->initial;
  return choose_dtype(l);
}

/* The call runs along dim l->dim, once for each position of the other dims, which form the plan `outer`. */
void scan_softmax_plan(const scan_softmax_job *l, const tensor *out, line_call *c) {
  const tensor *in = l->in;
  c->compute = l->compute;
  c->n = in->shape.dim[l->dim];
  c->in_stride = in->stride[l->dim];
  c->out_stride = out->stride[l->dim];
  plan_lines(&c->outer, &in->shape, l->dim, 2, (const int64_t *[]){out->stride, in->stride});
  plan_sort(&c->outer, 1);
  plan_collapse(&c->outer, 2);
}

/* Makes the call with the addresses of in and out. */
static void make_call(const scan_softmax_job *l, const tensor *out, line_call *c) {
  scan_softmax_plan(l, out, c);
  c->in = (operand){.data = tensor_data(l->in), .dtype = l->in->dtype};
  c->out = (operand){.data = tensor_data(out), .dtype = out->dtype};
}

int scan_softmax_check(const scan_softmax_job *l, const tensor *out) {
  if (!place_equal(l->in->store->place, out->store->place)) return ERR_DEVICES;
  return check_target(out, &l->shape, l->result, &l->in, 1);
}

int scan_softmax_run(const scan_softmax_job *l, tensor *out) {
  place where = l->in->store->place;
  int st = scan_softmax_check(l, out);
  if (st != OK || out->count == 0) return st;
  if (l->info->is_scan) {
    scan_call c = {.op = (enum scan_op)l->info->op, .initial = l->initial};
    make_call(l, out, &c.line);
    return device_scan(where, &c);
  }
  softmax_call c = {.op = (enum softmax_op)l->info->op};
  make_call(l, out, &c.line);
  return device_softmax(where, &c);
}
