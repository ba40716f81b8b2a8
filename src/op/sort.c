#include "op/sort.h"

#include "base/dispatch.h"
#include "op/deferral.h"

static void add_operand(operand *o, const tensor *t) {
  if (t) *o = (operand){.data = tensor_data(t), .dtype = t->dtype};
}

static const int64_t *strides_of(const tensor *t) { return t ? t->stride : NULL; }
static int64_t stride_of(const tensor *t, int dim) { return t && t->shape.ndim > 0 ? t->stride[dim] : 1; }

static int run_sort(const sort_job *j) {
  const tensor *in = j->in;
  place where = in->store->place;
  sort_call c = {.descending = j->descending, .select = j->select, .first = j->first, .keep = j->keep,
                 .n = in->shape.ndim > 0 ? in->shape.dim[j->dim] : 1};
  if (in->count == 0 || c.keep == 0) return OK;
  c.in_stride = stride_of(in, j->dim);
  c.values_stride = stride_of(j->values, j->dim);
  c.positions_stride = stride_of(j->positions, j->dim);
  add_operand(&c.in, in);
  add_operand(&c.values, j->values);
  add_operand(&c.positions, j->positions);
  plan_lines(&c.outer, &in->shape, j->dim, 3, (const int64_t *[]){strides_of(j->values), in->stride,
                                                                  strides_of(j->positions)});
  plan_collapse(&c.outer, 3);
  return device_sort(where, &c);
}

/* ---- deferring ---- */

typedef struct sort_options {
  uint64_t descending, select, values;   /* values: the first result has values, not positions */
  int64_t  dim, first, keep;
} sort_options;

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  const sort_options *o = options;
  return run_sort(&(sort_job){.in = in[0], .dim = (int)o->dim, .descending = o->descending != 0,
                              .select = o->select != 0, .first = o->first, .keep = o->keep,
                              .values = o->values ? out[0] : NULL, .positions = o->values ? out[1] : out[0]});
}

static const opaque_op deferred_sort = {.run = run_deferred, .options = sizeof(sort_options), .key = sizeof(sort_options)};

int sort_run_later(const char *fn, const sort_job *j) {
  if (dtype_kind(j->in->dtype) == KIND_COMPLEX) return ERR_DTYPE;
  if (!open_deferral) return run_sort(j);
  sort_options o = {j->descending, j->select, j->values != NULL, j->dim, j->first, j->keep};
  return opaque_run_later(&(opaque_call){.op = &deferred_sort, .name = fn, .options = &o, .in = {j->in}, .nin = 1,
                                         .out = {j->values ? j->values : j->positions, j->values ? j->positions : NULL}, .nout = 2});
}
