/* Makes the device's calls for the groups of a list. */

#include "op/deferral/list.h"

#include "base/dispatch.h"

/* Adds slots for the numbers among the inputs of step number i, which are constants of the program. */
static void add_constants(const deferral *d, schedule *to, elementwise_program *p, int i) {
  const step *s = &d->steps[i];
  for (int k = 0; k < s->nin; k++) {
    if (s->in[k].entry != NONE) continue;
    enum dtype dtype = k == 0 && map_ops[s->op.map].selects ? DT_bool : s->compute;
    for (int c = 0; c < p->nconstant; c++)
      if (p->constant_dtype[c] == dtype && scalar_identical(&p->constant[c], &s->in[k].number))
        add_number(to, &p->constant[c], i, k);
  }
}

/* Returns the number of the group's input whose memory a result has, or -1. */
static int overwritten(const deferral *d, const group *g, const operand_view *out) {
  int donor = d->entries[out->entry].donor;
  for (int k = 0; k < g->nin; k++)
    if (g->in[k]->entry == out->entry || (donor != NONE && g->in[k]->entry == donor)) return k;
  return -1;
}

/* Builds the program of group g. Stores the numbers of the steps whose results the program stores in l->results. */
static int build(deferral *d, schedule *to, const group *g, lowering *l) {
  elementwise *e = &d->program;
  enum dtype dtype[ELEMENTWISE_INPUTS];
  int values[ELEMENTWISE_RESULTS], overwrites[ELEMENTWISE_RESULTS], st = OK;
  for (int k = 0; k < g->nin; k++) dtype[k] = g->in[k]->dtype;
  elementwise_init(e, dtype, g->nin);
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
    overwrites[l->nresult] = overwritten(d, g, &s->out);
    l->results[l->nresult++] = i;
  }
  if (st == OK) st = elementwise_finish_values(e, values, overwrites, l->nresult);
  elementwise_program *p = st == OK ? schedule_alloc(to, sizeof *p) : NULL;
  if (!p) return st == OK ? ERR_MEMORY : st;
  *p = e->program;
  for (int i = g->first; i != NONE; i = d->steps[i].next) add_constants(d, to, p, i);
  l->program = p;
  return OK;
}

static enum tiled_family family_of(const step *s) {
  if (s->kind == STEP_REDUCE) return TILED_reduce;
  if (s->kind == STEP_MAP) return TILED_map;
  return s->op.line.info->is_scan ? TILED_scan : TILED_softmax;
}

int lower_group(deferral *d, schedule *to, const group *g, lowering *l) {
  l->group = g;
  l->nresult = 0;
  l->family = is_program(g) ? TILED_elementwise : family_of(&d->steps[g->first]);
  return l->family == TILED_elementwise ? build(d, to, g, l) : OK;
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

/* Sets an operand of a call but for its address. */
static void set_operand(schedule *to, operand *o, const operand_view *v) {
  *o = (operand){.dtype = v->dtype};
  add_address(to, &o->data, v->entry, v->offset * dtype_size(v->dtype));
}

/* Starts the plan of an element-wise call, for the step's whole shape, a cut or a region. */
static void start_plan(plan *p, const cut *c, const region *r, const step *s) {
  shape to;
  int64_t stride[MAX_DIMS];
  cut_view(c, &s->out, &s->shape, &to, stride);
  plan_init(p, r ? &r->shape : &to);
}

/* Sets operand k of an element-wise call, and of its plan, to view v of a step of shape s. */
static void set_planned(const deferral *d, schedule *to, plan *p, int k, operand *o, const operand_view *v, const shape *s,
                        const cut *c, const region *r) {
  operand_view part;
  shape rows;
  int64_t stride[MAX_DIMS];
  int number = r ? region_view(d, r, v, s, &part) : NONE;
  if (number != NONE) {
    plan_operand(p, k, NULL);
    *o = (operand){.dtype = v->dtype};
    add_number(to, &o->value, number, 0);
    return;
  }
  if (r) v = &part;
  cut_view(c, v, s, &rows, stride);
  plan_operand(p, k, stride);
  set_operand(to, o, v);
}

static void lower_map(const deferral *d, schedule *to, const step *s, const cut *cut, const region *r, device_call *call) {
  map_call *c = &call->as.map;
  plan *p = &call->plan;
  c->op = s->op.map;
  c->compute = s->compute;
  c->nin = s->nin;
  c->plan = p;
  start_plan(p, cut, r, s);
  set_planned(d, to, p, 0, &c->out, &s->out, &s->shape, cut, r);
  for (int k = 0; k < s->nin; k++) {
    if (s->in[k].entry != NONE) {
      set_planned(d, to, p, 1 + k, &c->in[k], &s->in[k], &s->shape, cut, r);
      continue;
    }
    plan_operand(p, 1 + k, NULL);
    c->in[k] = (operand){.dtype = s->compute};
    add_number(to, &c->in[k].value, (int)(s - d->steps), k);
  }
  plan_finish(p, 1 + s->nin);
}

static void lower_program(const deferral *d, schedule *to, const lowering *l, const cut *cut, const region *r,
                          device_call *call) {
  elementwise_call *c = &call->as.elementwise;
  const group *g = l->group;
  const step *first = &d->steps[g->first];
  plan *p = &call->plan;
  int n = l->nresult;
  c->program = l->program;
  c->plan = p;
  start_plan(p, cut, r, first);
  for (int k = 0; k < n; k++) set_planned(d, to, p, k, &c->out[k], &d->steps[l->results[k]].out, &first->shape, cut, r);
  for (int k = 0; k < g->nin; k++) set_planned(d, to, p, n + k, &c->in[k], g->in[k], &first->shape, cut, r);
  plan_finish(p, n + g->nin);
}

static void lower_reduce(schedule *to, const step *s, const cut *cut, device_call *call) {
  tensor in = tensor_of(cut, &s->in[0], &s->in_shape), out = tensor_of(cut, &s->out, &s->shape);
  reduction r = s->op.reduce;
  r.in = &in;
  r.dims >>= s->in_shape.ndim - in.shape.ndim;
  reduce_plan(&r, &out, &call->as.reduce);
  set_operand(to, &call->as.reduce.in, &s->in[0]);
  set_operand(to, &call->as.reduce.out, &s->out);
}

static void lower_line(schedule *to, const step *s, const cut *cut, device_call *call) {
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
  set_operand(to, &c->in, &s->in[0]);
  set_operand(to, &c->out, &s->out);
}

device_call *lower_call(const deferral *d, schedule *to, const lowering *l, const cut *cut, const region *r) {
  const step *s = &d->steps[l->group->first];
  device_call *call = schedule_alloc(to, sizeof *call);
  if (!call) return NULL;
  switch (l->family) {
    case TILED_map:         lower_map(d, to, s, cut, r, call); break;
    case TILED_elementwise: lower_program(d, to, l, cut, r, call); break;
    case TILED_reduce:      lower_reduce(to, s, cut, call); break;
    default:                lower_line(to, s, cut, call); break;
  }
  return call;
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
  part->folded = -1;
  part->keeps = false;
  for (int k = 0; k < l->nresult; k++) {
    if (l->results[k] != l->group->folded) continue;
    part->folded = k;
    part->keeps = !d->entries[d->steps[l->results[k]].out.entry].folded;
  }
  for (int k = 0; k < n; k++) {
    bool number = list[k].view->entry == NONE;
    part->at[k] = number ? (tiled_operand){.number = true} : place_operand(d, &list[k], rows, &scratch[list[k].view->entry]);
  }
}
