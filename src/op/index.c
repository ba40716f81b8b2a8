#include "op/index.h"

#include <string.h>

#include "base/dispatch.h"
#include "op/deferral.h"

void index_start(index_job *j, enum index_op op, const tensor *x) {
  j->op = op;
  j->target = *x;
  j->shape.ndim = 0;
  j->nindex = 0;
  j->sound = false;
  j->function = "";
}

void index_dim(index_job *j, const tensor *x, int dim) {
  j->shape.dim[j->shape.ndim] = x->shape.dim[dim];
  j->stride[j->shape.ndim++] = x->stride[dim];
}

int index_add_input(index_job *j, const tensor *t, int first, int ndim, const tensor *x, int dim) {
  index_input *in = &j->index[j->nindex++];
  shape part = {.ndim = ndim};
  memcpy(part.dim, j->shape.dim + first, sizeof *part.dim * (size_t)ndim);
  memset(in->stride, 0, sizeof *in->stride * (size_t)j->shape.ndim);
  in->t = t;
  in->first = first;
  in->ndim = ndim;
  in->dim = dim;
  in->length = x->shape.dim[dim];
  in->step = x->stride[dim];
  return shape_expand(&t->shape, t->stride, &part, in->stride + first);
}

/* True if plan dim d and the kept dim `last` can be merged into one dim for both operands and all index tensors. */
static bool mergeable(const index_call *c, int last, int d) {
  const plan *p = &c->plan;
  int64_t n = p->shape[d];
  for (int k = 0; k < 2; k++)
    if (p->stride[k][last] != p->stride[k][d] * n) return false;
  for (int k = 0; k < c->nindex; k++)
    if (c->index[k].stride[last] != c->index[k].stride[d] * n) return false;
  return true;
}

/* Like plan_collapse, which removes and merges dims, but also updates the strides of the index tensors. */
static void collapse(index_call *c) {
  plan *p = &c->plan;
  int kept = 0;
  for (int d = 0; d < p->ndim; d++) {
    if (p->shape[d] == 1) continue;
    bool merge = kept > 0 && mergeable(c, kept - 1, d);
    int to = merge ? kept - 1 : kept++;
    p->shape[to] = merge ? p->shape[to] * p->shape[d] : p->shape[d];
    for (int k = 0; k < 2; k++) p->stride[k][to] = p->stride[k][d];
    for (int k = 0; k < c->nindex; k++) c->index[k].stride[to] = c->index[k].stride[d];
  }
  p->ndim = kept;
}

static int check(const index_job *j, const tensor *values) {
  const tensor *target = &j->target;
  place where = target->store->place;
  if (!place_equal(values->store->place, where)) return ERR_DEVICES;
  for (int k = 0; k < j->nindex; k++) {
    if (!place_equal(j->index[k].t->store->place, where)) return ERR_DEVICES;
    if (j->op != INDEX_get && tensor_conflicts(target, j->index[k].t)) return ERR_OVERLAP;
  }
  if (j->op == INDEX_get) return OK;
  if (tensor_is_overlapping(target)) return ERR_READONLY;
  if (tensor_conflicts(target, values)) return ERR_OVERLAP;
  return j->op == INDEX_add && values->dtype == DT_bool ? ERR_DTYPE : OK;
}

int index_run(index_job *j, tensor *values) {
  int64_t stride[MAX_DIMS];
  int st = check(j, values);
  if (st == OK) st = shape_expand(&values->shape, values->stride, &j->shape, stride);
  if (st != OK) return st;
  index_call c;                     /* not initialised as a whole: the call has 4 KiB, and only the fields in use are
                                    ** set */
  c.op = j->op;
  c.nindex = j->nindex;
  c.sound = j->sound;
  c.function = j->function;
  c.bad = &j->bad;
  c.bad_index = &j->bad_index;
  c.values = (operand){.data = tensor_data(values), .dtype = values->dtype};
  c.target = (operand){.data = tensor_data(&j->target), .dtype = j->target.dtype};
  plan_init(&c.plan, &j->shape);
  plan_operand(&c.plan, 0, stride);
  plan_operand(&c.plan, 1, j->stride);
  for (int k = 0; k < j->nindex; k++) {
    const index_input *in = &j->index[k];
    index_source *to = &c.index[k];
    to->data = tensor_data(in->t);
    to->count = in->t->count;
    to->length = in->length;
    to->step = in->step;
    to->dim = in->dim;
    memcpy(to->stride, in->stride, sizeof *in->stride * (size_t)j->shape.ndim);
  }
  collapse(&c);
  place where = j->target.store->place;
  return device_index(where, &c);
}

/* ---- deferring ---- */

enum { DEFERRED = 6 };                   /* the most index tensors of a deferred job */

/* The options of a deferred job. INDEX_get reads the target and the index tensors, and writes the values. The other jobs also
** read the values, behind the target, and write the target. The target that a job reads is a view along the dims of the
** positions. Its stride is 0 in indexed dims. */
typedef struct index_options {
  uint64_t op, sound, nindex;
  struct { int64_t first, ndim, dim, length, step; } index[DEFERRED];
  const char *function;
} index_options;

_Static_assert(sizeof(index_options) <= OPAQUE_OPTIONS, "a list has no room for the options");

/* Sets index tensor k of a deferred job. */
static void set_index(index_job *j, const index_options *o, int k, const tensor *t) {
  index_input *to = &j->index[k];
  index_add_input(j, t, (int)o->index[k].first, (int)o->index[k].ndim, &j->target, 0);
  to->dim = (int)o->index[k].dim;
  to->length = o->index[k].length;
  to->step = o->index[k].step;
}

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  const index_options *o = options;
  bool gets = o->op == INDEX_get;
  tensor values = gets ? *out[0] : *in[1];
  index_job j;
  index_start(&j, (enum index_op)o->op, gets ? in[0] : out[0]);
  j.shape = in[0]->shape;
  memcpy(j.stride, in[0]->stride, sizeof j.stride);
  j.sound = o->sound != 0;
  j.function = o->function;
  for (int k = 0; k < (int)o->nindex; k++) set_index(&j, o, k, in[k + (gets ? 1 : 2)]);
  int st = index_run(&j, &values);
  if (st == ERR_INDEX) {
    const index_input *bad = &j.index[j.bad_index];
    index_words(deferral_words(), OPAQUE_WORDS, j.function, j.bad, bad->dim, bad->length);
  }
  return st;
}

static const opaque_op deferred_index = {.run = run_deferred, .options = sizeof(index_options),
                                         .key = offsetof(index_options, function), .checks = true};

/* Appends a job that was checked to the list of the open deferral, as opaque_defer. */
static bool defer(const index_job *j, tensor *values, int *st) {
  bool gets = j->op == INDEX_get;
  tensor target = j->target, along = j->target;
  opaque_call c = {.op = &deferred_index, .name = *j->function ? j->function : gets ? "index" : "assignment",
                   .out = {gets ? values : &target}, .nout = 1};
  index_options o = {.op = (uint64_t)j->op, .sound = j->sound, .nindex = (uint64_t)j->nindex, .function = j->function};
  along.shape = j->shape;
  memcpy(along.stride, j->stride, sizeof along.stride);
  c.options = &o;
  c.in[c.nin++] = &along;
  if (!gets) c.in[c.nin++] = values;
  for (int k = 0; k < j->nindex; k++) {
    const index_input *in = &j->index[k];
    o.index[k].first = in->first;
    o.index[k].ndim = in->ndim;
    o.index[k].dim = in->dim;
    o.index[k].length = in->length;
    o.index[k].step = in->step;
    c.in[c.nin++] = in->t;
  }
  return opaque_defer(&c, st);
}

int index_run_later(index_job *j, tensor *values) {
  int64_t stride[MAX_DIMS];
  int st;
  if (!open_deferral) return index_run(j, values);
  st = check(j, values);
  if (st == OK) st = shape_expand(&values->shape, values->stride, &j->shape, stride);
  if (st != OK) return st;
  if (j->nindex <= DEFERRED) return defer(j, values, &st) ? st : index_run(j, values);
  st = deferral_run(open_deferral);
  if (st == OK && storage_is_pending(values->store)) st = deferral_provide(values->store);
  return st == OK ? index_run(j, values) : st;
}

static int run_nonzero(const tensor *mask, int64_t *out, int64_t *count) {
  nonzero_call c = {.in = tensor_data(mask), .ndim = mask->shape.ndim, .out = out, .count = *count};
  memcpy(c.shape, mask->shape.dim, sizeof c.shape);
  place where = mask->store->place;
  int st = device_nonzero(where, &c);
  *count = c.count;
  return st;
}

int op_count_true(const tensor *mask, int64_t *count) {
  *count = 0;
  return run_nonzero(mask, NULL, count);
}

/* The version shows a change on every device before the positions are written. A CPU also counts again, because the
** host may have written to memory that it lent. */
int op_nonzero(const tensor *mask, uint32_t version, tensor *out) {
  int64_t count = out->shape.dim[1];
  if (mask->store->version != version) return ERR_CHANGED;
  int st = run_nonzero(mask, tensor_data(out), &count);
  return st == OK && count != out->shape.dim[1] ? ERR_CHANGED : st;
}

static int search(const tensor *sorted, const tensor *values, bool right, tensor *out) {
  int last = sorted->shape.ndim - 1;
  search_call c = {.dtype = sorted->dtype, .sorted = tensor_data(sorted), .values = tensor_data(values),
                   .out = tensor_data(out), .n = sorted->shape.dim[last], .rows = 1, .right = right};
  for (int d = 0; d < last; d++) c.rows *= sorted->shape.dim[d];
  c.count = values->count / c.rows;
  place where = out->store->place;
  return device_search(where, &c);
}

static int run_deferred_search(const void *right, const tensor *const *in, tensor *const *out) {
  return search(in[0], in[1], *(const uint64_t *)right != 0, out[0]);
}

static const opaque_op deferred_search = {.run = run_deferred_search, .options = sizeof(uint64_t), .key = sizeof(uint64_t)};

int op_search_later(const tensor *sorted, const tensor *values, bool right, tensor *out) {
  uint64_t option = right;
  int st;
  if (values->count == 0) return OK;
  bool defers = open_deferral && opaque_defer(&(opaque_call){.op = &deferred_search, .name = "searchsorted", .options = &option,
                                                             .in = {sorted, values}, .nin = 2, .out = {out}, .nout = 1}, &st);
  return defers ? st : search(sorted, values, right, out);
}
