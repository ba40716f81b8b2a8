#include "op_sort.h"

static void add_operand(operand *o, const tensor *t) {
  if (t) *o = (operand){.data = tensor_data(t), .dtype = t->dtype};
}

static int64_t stride_of(const tensor *t, int dim) { return t && t->shape.ndim > 0 ? t->stride[dim] : 1; }

/* The dims but j->dim. */
static void plan_outer(plan *p, const sort_job *j) {
  const shape *s = &j->in->shape;
  p->ndim = 0;
  p->count = 1;
  for (int d = 0; d < s->ndim; d++) {
    if (d == j->dim) continue;
    p->shape[p->ndim] = s->dim[d];
    p->stride[0][p->ndim] = j->values ? j->values->stride[d] : 0;
    p->stride[1][p->ndim] = j->in->stride[d];
    p->stride[2][p->ndim++] = j->positions ? j->positions->stride[d] : 0;
    p->count *= s->dim[d];
  }
  plan_collapse(p, 3);
}

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
  plan_outer(&c.outer, j);
  return where.device->sort ? where.device->sort(where.index, &c) : ERR_NO_KERNEL;
}
