/* Makes the device's calls for the groups of a list. */

#include "op/deferral/list.h"

#include "base/dispatch.h"

/* Builds the program of group g. Stores the numbers of the steps whose results the program stores in l->results. */
static int build(deferral *d, const group *g, lowering *l) {
  elementwise *e = l->program;
  enum dtype dtype[ELEMENTWISE_INPUTS];
  int values[ELEMENTWISE_RESULTS], st = OK;
  for (int k = 0; k < g->nin; k++) dtype[k] = g->in[k]->dtype;
  elementwise_init(e, dtype, g->nin);
  l->nresult = 0;
  for (int i = g->first; st == OK && i != NONE; i = d->steps[i].next) {
    step *s = &d->steps[i];
    elementwise_arg in[MAX_ARITY];
    for (int k = 0; k < s->nin; k++) {
      if (s->in[k].entry == NONE) in[k] = (elementwise_arg){.value = -1, .s = s->in[k].number};
      else in[k].value = s->source[k] == NONE ? find_input(g, &s->in[k], &s->shape) : d->steps[s->source[k]].value;
    }
    st = elementwise_apply_typed(e, s->op.map, s->compute, s->out.dtype, in, &s->value);
    if (!s->stored) continue;
    values[l->nresult] = s->value;
    l->results[l->nresult++] = i;
  }
  return st == OK ? elementwise_finish_values(e, values, l->nresult) : st;
}

static enum tiled_family family_of(const step *s) {
  if (s->kind == STEP_REDUCE) return TILED_reduce;
  if (s->kind == STEP_MAP) return TILED_map;
  return s->op.line.info->is_scan ? TILED_scan : TILED_softmax;
}

int lower_group(deferral *d, const group *g, elementwise *program, lowering *l) {
  l->group = g;
  l->program = program;
  l->nresult = 0;
  l->family = g->first == g->last ? family_of(&d->steps[g->first]) : TILED_elementwise;
  return l->family == TILED_elementwise ? build(d, g, l) : OK;
}

/* ---- rows ---- */

/* Sets the shape and the strides of a view of shape s. For a cut, the leading dims that are the rows become one dim of
** cut->n rows. */
static void cut_view(const cut *c, const operand_view *v, const shape *s, shape *to, int64_t *stride) {
  int64_t row = 0;
  int batch = c ? rows_of(v, s, c->rows, &row) : 0;
  to->ndim = 0;
  if (c) {
    to->dim[to->ndim] = c->n;
    stride[to->ndim++] = row;
  }
  for (int k = batch; k < s->ndim; k++) {
    to->dim[to->ndim] = s->dim[k];
    stride[to->ndim++] = v->stride[k];
  }
}

static tensor tensor_of(const cut *c, const operand_view *v, const shape *s) {
  tensor t = {.dtype = v->dtype, .count = 1};
  cut_view(c, v, s, &t.shape, t.stride);
  for (int k = 0; k < t.shape.ndim; k++) t.count *= t.shape.dim[k];
  return t;
}

/* ---- calls ---- */

/* The memory of local entries is not known here: their address is the offset. */
static operand operand_of(const deferral *d, const operand_view *v, enum dtype compute) {
  if (v->entry == NONE) return (operand){.dtype = compute, .value = v->number};
  storage *s = d->entries[v->entry].store;
  if (s->ptr) storage_touch(s);
  uintptr_t start = (uintptr_t)s->ptr;
  return (operand){.data = (void *)(start + (uintptr_t)(v->offset * dtype_size(v->dtype))), .dtype = v->dtype};
}

/* Starts the plan of an element-wise call, for the step's whole shape, a cut or a region. */
static void start_plan(plan *p, const cut *c, const region *r, const step *s) {
  shape to;
  int64_t stride[MAX_DIMS];
  cut_view(c, &s->out, &s->shape, &to, stride);
  plan_init(p, r ? &r->shape : &to);
}

/* Sets operand k of an element-wise call and of its plan. The operand is the view v of a step of shape s. */
static operand set_operand(const deferral *d, plan *p, int k, const operand_view *v, const shape *s, enum dtype compute,
                           const cut *c, const region *r) {
  operand_view part;
  shape to;
  int64_t stride[MAX_DIMS];
  if (v->entry == NONE) {
    plan_operand(p, k, NULL);
    return operand_of(d, v, compute);
  }
  if (r) {
    region_view(d, r, v, &part);
    v = &part;
  }
  cut_view(c, v, s, &to, stride);
  plan_operand(p, k, stride);
  return operand_of(d, v, compute);
}

static void lower_map(const deferral *d, const step *s, const cut *cut, const region *r, device_call *call) {
  map_call *c = &call->as.map;
  plan *p = &call->plan;
  c->op = s->op.map;
  c->compute = s->compute;
  c->nin = s->nin;
  c->plan = p;
  start_plan(p, cut, r, s);
  c->out = set_operand(d, p, 0, &s->out, &s->shape, s->compute, cut, r);
  for (int k = 0; k < s->nin; k++) c->in[k] = set_operand(d, p, 1 + k, &s->in[k], &s->shape, s->compute, cut, r);
  plan_finish(p, 1 + s->nin);
}

static void lower_program(const deferral *d, const lowering *l, const cut *cut, const region *r, device_call *call) {
  elementwise_call *c = &call->as.elementwise;
  const group *g = l->group;
  const step *first = &d->steps[g->first];
  plan *p = &call->plan;
  int n = l->nresult;
  c->program = &l->program->program;
  c->plan = p;
  start_plan(p, cut, r, first);
  for (int k = 0; k < n; k++) {
    const step *made = &d->steps[l->results[k]];
    c->out[k] = set_operand(d, p, k, &made->out, &first->shape, made->compute, cut, r);
  }
  for (int k = 0; k < g->nin; k++)
    c->in[k] = set_operand(d, p, n + k, g->in[k], &first->shape, g->in[k]->dtype, cut, r);
  plan_finish(p, n + g->nin);
}

static void lower_reduce(const deferral *d, const step *s, const cut *cut, device_call *call) {
  tensor in = tensor_of(cut, &s->in[0], &s->in_shape), out = tensor_of(cut, &s->out, &s->shape);
  reduction r = s->op.reduce;
  r.in = &in;
  r.dims >>= s->in_shape.ndim - in.shape.ndim;
  reduce_plan(&r, &out, &call->as.reduce);
  call->as.reduce.in = operand_of(d, &s->in[0], s->compute);
  call->as.reduce.out = operand_of(d, &s->out, s->compute);
}

static void lower_line(const deferral *d, const step *s, const cut *cut, device_call *call) {
  tensor in = tensor_of(cut, &s->in[0], &s->in_shape), out = tensor_of(cut, &s->out, &s->shape);
  scan_softmax_job l = s->op.line;
  l.in = &in;
  l.dim -= s->in_shape.ndim - in.shape.ndim;
  line_call *c;
  if (l.info->is_scan) {
    call->as.scan = (scan_call){.op = (enum scan_op)l.info->op, .initial = l.initial};
    c = &call->as.scan.line;
  } else {
    call->as.softmax = (softmax_call){.op = (enum softmax_op)l.info->op};
    c = &call->as.softmax.line;
  }
  scan_softmax_plan(&l, &out, c);
  c->in = operand_of(d, &s->in[0], s->compute);
  c->out = operand_of(d, &s->out, s->compute);
}

void lower_call(const deferral *d, const lowering *l, const cut *cut, const region *r, device_call *call) {
  const step *s = &d->steps[l->group->first];
  switch (l->family) {
    case TILED_map:         lower_map(d, s, cut, r, call); break;
    case TILED_elementwise: lower_program(d, l, cut, r, call); break;
    case TILED_reduce:      lower_reduce(d, s, cut, call); break;
    default:                lower_line(d, s, cut, call); break;
  }
}

int run_call(place where, enum tiled_family family, device_call *call) {
  switch (family) {
    case TILED_map:         return device_map(where, &call->as.map);
    case TILED_elementwise: return device_elementwise(where, &call->as.elementwise);
    case TILED_reduce:      return device_reduce(where, &call->as.reduce);
    case TILED_scan:        return device_scan(where, &call->as.scan);
    default:                return device_softmax(where, &call->as.softmax);
  }
}

/* ---- tiles ---- */

/* Describes an operand of a part. */
static tiled_operand place_operand(const deferral *d, const access *a, int64_t rows, const int64_t *scratch) {
  const entry *e = &d->entries[a->view->entry];
  int64_t row = 0, size = dtype_size(a->view->dtype), n = 1;
  rows_of(a->view, a->shape, rows, &row);
  for (int k = 0; k < a->shape->ndim; k++)
    if (a->view->stride[k] != 0) n *= a->shape->dim[k];
  return (tiled_operand){.local = e->local, .step = row * size, .bytes = n * size,
                         .offset = e->local ? *scratch + a->view->offset * size : 0};
}

void lower_operands(const deferral *d, const lowering *l, int64_t rows, const int64_t *scratch, tiled_part *part) {
  access list[MAX_OPERANDS];
  int n = group_operands(d, l->group, list);
  part->family = l->family;
  part->noperand = n;
  part->nresult = l->family == TILED_elementwise ? l->nresult : 1;
  for (int k = 0; k < n; k++) {
    bool number = list[k].view->entry == NONE;
    part->at[k] = number ? (tiled_operand){.number = true} : place_operand(d, &list[k], rows, &scratch[list[k].view->entry]);
  }
}
