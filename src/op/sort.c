#include "op/sort.h"

#include "base/dispatch.h"

static void add_operand(operand *o, const tensor *t) {
  if (t) *o = (operand){.data = tensor_data(t), .dtype = t->dtype};
}

static const int64_t *strides_of(const tensor *t) { return t ? t->stride : NULL; }
static int64_t stride_of(const tensor *t, int dim) { return t && t->shape.ndim > 0 ? t->stride[dim] : 1; }

int op_sort(const sort_job *j) {
  const tensor *in = j->in;
  place where = in->store->place;
  if (dtype_kind(in->dtype) == KIND_COMPLEX) return ERR_DTYPE;
  sort_call c = {.descending = j->descending, .keep = j->keep, .n = in->shape.ndim > 0 ? in->shape.dim[j->dim] : 1};
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
