/* The families that become lines of the open program. A function that returns ERR_NO_KERNEL has appended at most lines that
** nobody uses; the CPU computes the call (host.c). */

#include <math.h>
#include <string.h>

#include "pjrt/queue.h"
#include "pjrt/translate.h"

int queue_get_as(pjrt_queue *q, const operand *o, enum dtype to, const shape *s, const int64_t *stride, int *st) {
  operand from = *o;
  if (!o->data) from.dtype = to;
  int value = queue_get(q, &from, s, stride, st);
  if (value == EMIT_NONE) return EMIT_NONE;
  value = emit_convert(&q->lines, value, from.dtype, to, s);
  if (value == EMIT_NONE) *st = ERR_NO_KERNEL;
  return value;
}

int queue_put_as(pjrt_queue *q, const operand *o, enum dtype d, const shape *s, const int64_t *stride, int value) {
  if (value != EMIT_NONE) value = emit_convert(&q->lines, value, d, o->dtype, s);
  return value == EMIT_NONE ? ERR_NO_KERNEL : queue_put(q, o, s, stride, value);
}

/* ---- element-wise ---- */

int queue_map(pjrt_queue *q, const map_call *c) {
  const plan *p = c->plan;
  shape s = plan_shape(p);
  enum dtype gives = c->compute;
  int st = OK, in[MAX_IN];
  if (p->count == 0) return ERR_NO_KERNEL;
  for (int k = 0; k < c->nin && st == OK; k++)
    in[k] = queue_get_as(q, &c->in[k], c->op == OP_where && k == 0 ? DT_bool : c->compute, &s, p->stride[1 + k], &st);
  if (st != OK) return st;
  int value = emit_map(&q->lines, c->op, c->compute, &s, in, &gives);
  return queue_put_as(q, &c->out, gives, &s, p->stride[0], value);
}

/* A value of a program of several steps. */
typedef struct typed {
  int value;
  enum dtype dtype;
} typed;

/* Computes a step. Half floats are rounded, and computed as float32. */
static typed step(pjrt_queue *q, const elementwise_step *t, const typed *values, const shape *s) {
  emission *e = &q->lines;
  int in[MAX_ARITY];
  if (t->op == OP_positive) {
    typed from = values[t->in[0]];
    int value = emit_convert(e, from.value, from.dtype, t->compute, s);
    enum dtype to = dtype_compute(t->compute);
    return (typed){value == EMIT_NONE ? EMIT_NONE : emit_convert(e, value, t->compute, to, s), to};
  }
  for (int k = 0; k < MAX_ARITY; k++) in[k] = values[t->in[k]].value;
  typed to = {EMIT_NONE, t->compute};
  to.value = emit_map(e, t->op, t->compute, s, in, &to.dtype);
  return to;
}

/* Reads the inputs and constants of a program. */
static int get_inputs(pjrt_queue *q, const elementwise_call *c, const shape *s, typed *values) {
  const elementwise_program *program = c->program;
  int st = OK;
  for (int k = 0; k < program->nin && st == OK; k++) {
    values[k].dtype = program->in[k];
    values[k].value = queue_get_as(q, &c->in[k], program->in[k], s, c->plan->stride[program->nout + k], &st);
  }
  for (int k = 0; k < program->nconstant && st == OK; k++) {
    operand o = {.dtype = program->constant_dtype[k], .value = program->constant[k]};
    values[ELEMENTWISE_CONSTANT + k].dtype = o.dtype;
    values[ELEMENTWISE_CONSTANT + k].value = queue_get(q, &o, s, NULL, &st);
  }
  return st;
}

int queue_elementwise(pjrt_queue *q, const elementwise_call *c) {
  const elementwise_program *program = c->program;
  typed values[ELEMENTWISE_REGISTER + ELEMENTWISE_REGISTERS] = {{0, 0}};
  shape s = plan_shape(c->plan);
  if (c->plan->count == 0) return ERR_NO_KERNEL;
  for (int k = 0; k < program->nout; k++)
    if (!queue_accepts(q, &c->out[k])) return QUEUE_AGAIN;
  int st = get_inputs(q, c, &s, values);
  for (int k = 0; k < program->nstep && st == OK; k++) {
    typed *to = &values[program->step[k].out];
    *to = step(q, &program->step[k], values, &s);
    if (to->value == EMIT_NONE) st = ERR_NO_KERNEL;
  }
  for (int k = 0; k < program->nout && st == OK; k++) {
    typed from = values[program->out[k]];
    st = queue_put_as(q, &c->out[k], from.dtype, &s, c->plan->stride[k], from.value);
  }
  return st;
}

/* ---- reductions, scans, softmax ---- */

int queue_reduce(pjrt_queue *q, const reduce_call *c) {
  shape kept = plan_shape(&c->kept), all = kept;
  int64_t stride[2 * MAX_DIMS];
  enum dtype gives = c->compute;
  int st = OK;
  if (c->kept.count == 0 || c->reduced.count == 0 || kept.ndim + c->reduced.ndim > MAX_DIMS) return ERR_NO_KERNEL;
  for (int k = 0; k < kept.ndim; k++) stride[k] = c->kept.stride[1][k];
  for (int k = 0; k < c->reduced.ndim; k++) {
    stride[all.ndim] = c->reduced.stride[0][k];
    all.dim[all.ndim++] = c->reduced.shape[k];
  }
  int value = queue_get_as(q, &c->in, c->compute, &all, stride, &st);
  if (st != OK) return st;
  value = emit_reduce(&q->lines, c->op, c->compute, &all, c->reduced.ndim, c->correction, value, &gives);
  return queue_put_as(q, &c->out, gives, &kept, c->kept.stride[0], value);
}

/* The shape [outer …, n] of the lines of a call, and the strides of its operands. */
typedef struct lines {
  shape   s;
  int64_t in[MAX_DIMS], out[MAX_DIMS];
} lines;

static bool make_lines(const line_call *c, lines *l) {
  if (c->outer.count == 0 || c->n == 0 || c->outer.ndim == MAX_DIMS) return false;
  plan_part(&c->outer, 0, c->n, c->out_stride, &l->s, l->out);
  plan_part(&c->outer, 1, c->n, c->in_stride, &l->s, l->in);
  return true;
}

int queue_scan(pjrt_queue *q, const scan_call *c) {
  lines l;
  enum dtype gives = c->line.compute;
  int st = OK;
  if (!make_lines(&c->line, &l)) return ERR_NO_KERNEL;
  int value = queue_get_as(q, &c->line.in, c->line.compute, &l.s, l.in, &st);
  if (st != OK) return st;
  value = emit_scan(&q->lines, c->op, c->line.compute, &l.s, c->initial, value, &gives);
  l.s.dim[l.s.ndim - 1] += c->initial;
  return queue_put_as(q, &c->line.out, gives, &l.s, l.out, value);
}

int queue_softmax(pjrt_queue *q, const softmax_call *c) {
  lines l;
  int st = OK;
  if (!make_lines(&c->line, &l)) return ERR_NO_KERNEL;
  int value = queue_get_as(q, &c->line.in, c->line.compute, &l.s, l.in, &st);
  if (st != OK) return st;
  return queue_put_as(q, &c->line.out, c->line.compute, &l.s, l.out, emit_softmax(&q->lines, c->op, c->line.compute, &l.s, value));
}

/* ---- products ---- */

/* Reads or writes a batch of matrices: sets the shape [batch …, rows, columns] and the strides of operand k of the batch. */
static void matrices(const gemm_call *c, int k, int64_t rows, int64_t columns, const int64_t *of, shape *s, int64_t *stride) {
  plan_part(&c->batch, k, rows, of[0], s, stride);
  stride[s->ndim] = of[1];
  s->dim[s->ndim++] = columns;
}

/* Appends the product of two batches. Half floats are added up in float32. */
static int emit_product(emission *e, const gemm_call *c, int a, const shape *sa, int b, const shape *sb, const shape *sc) {
  int batch = c->batch.ndim;
  emit(e, "%%%d = stablehlo.dot_general %%%d, %%%d, ", e->next, a, b);
  for (int side = 0; side < 2 && batch; side++) {
    emit(e, side ? " x [" : "batching_dims = [");
    for (int k = 0; k < batch; k++) emit(e, "%s%d", k ? ", " : "", k);
    emit(e, side ? "], " : "]");
  }
  const char *precision = queue_precision(c->precision);
  emit(e, "contracting_dims = [%d] x [%d], precision = [%s, %s]", batch + 1, batch, precision, precision);
  return emit_end(e, 2, c->dtype, sa, c->dtype, sb, dtype_compute(c->dtype), sc);
}

/* Multiplies a value by a number. */
static int scaled(pjrt_queue *q, int value, scalar by, enum dtype d, const shape *s, int *st) {
  operand o = {.dtype = d, .value = by};
  int factor = queue_get(q, &o, s, NULL, st);
  return *st == OK ? emit_simple(&q->lines, "stablehlo.multiply", 2, (int[]){value, factor}, d, s) : EMIT_NONE;
}

static bool is_number(scalar x, int is, enum dtype d) {
  return dtype_kind(d) < KIND_FLOAT ? x.i == is : x.f == is && (dtype_kind(d) == KIND_FLOAT || x.im == 0);
}

/* Google's compiler for TPUs has no products of 64-bit integers. */
static bool has_product(const pjrt_plugin *p, enum dtype d) {
  return (d != DT_int64 && d != DT_uint64) || strcmp(p->platform, "tpu") != 0;
}

int queue_gemm(pjrt_queue *q, const gemm_call *c) {
  shape sa, sb, sc;
  int64_t ta[MAX_DIMS], tb[MAX_DIMS], tc[MAX_DIMS];
  operand a = {.data = (void *)(uintptr_t)c->a, .dtype = c->dtype}, b = {.data = (void *)(uintptr_t)c->b, .dtype = c->dtype};
  operand to = {.data = c->c, .dtype = c->dtype};
  enum dtype d = dtype_compute(c->dtype);
  int st = OK;
  if (c->batch.count == 0 || c->m == 0 || c->n == 0 || c->k == 0 || c->batch.ndim + 2 > MAX_DIMS) return ERR_NO_KERNEL;
  if (!has_product(q->plugin, c->dtype)) return ERR_NO_KERNEL;
  matrices(c, 1, c->m, c->k, c->a_stride, &sa, ta);
  matrices(c, 2, c->k, c->n, c->b_stride, &sb, tb);
  matrices(c, 0, c->m, c->n, c->c_stride, &sc, tc);
  int left = queue_get(q, &a, &sa, ta, &st), right = st == OK ? queue_get(q, &b, &sb, tb, &st) : EMIT_NONE;
  if (st != OK) return st;
  int value = emit_product(&q->lines, c, left, &sa, right, &sb, &sc);
  if (!is_number(c->alpha, 1, d)) value = scaled(q, value, c->alpha, d, &sc, &st);
  if (st == OK && !is_number(c->beta, 0, d)) {
    int old = queue_get_as(q, &to, d, &sc, tc, &st);
    if (st == OK) old = scaled(q, old, c->beta, d, &sc, &st);
    if (st == OK) value = emit_simple(&q->lines, "stablehlo.add", 2, (int[]){value, old}, d, &sc);
  }
  return st == OK ? queue_put_as(q, &to, d, &sc, tc, value) : st;
}

/* ---- random numbers and ranges ---- */

static const int64_t contiguous[] = {1};

/* Seed and offset are numbers of the program, so that later calls take the same program. A permutation is a stable sort by random
** integers without a sign. */
int queue_random(pjrt_queue *q, const random_call *c) {
  shape s = {1, {c->count}};
  enum dtype gives = c->out.dtype;
  bool permutes = c->op == RANDOM_permutation;
  emission *e = &q->lines;
  random_call draws = *c;
  if (permutes) {
    draws.op = RANDOM_integers;
    draws.low = 0;
    draws.range = 0;
  }
  if (c->count == 0) return ERR_NO_KERNEL;
  int st = OK, seed = queue_number(q, DT_uint64, (scalar){.i = (int64_t)c->seed}, &st);
  int offset = st == OK ? queue_number(q, DT_uint64, (scalar){.i = (int64_t)c->offset}, &st) : EMIT_NONE;
  if (st != OK) return st;
  int value = emit_random(e, &draws, seed, offset, &gives);
  if (permutes && value != EMIT_NONE) {
    term key = term_as(e, &s, term_of(value, gives), DT_uint64), t[] = {key, key, emit_places(e, &s)};
    emit_sort(e, false, &s, t);
    value = t[2].value;
  }
  return queue_put_as(q, &c->out, gives, &s, contiguous, value);
}

/* The limit, which changes no product, keeps XLA from rounding a product and a sum once. */
int queue_arange(pjrt_queue *q, const arange_call *c) {
  const bool floats = c->start.is_float;
  const enum dtype d = floats ? DT_float64 : DT_int64;
  const shape s = {1, {c->count}};
  const scalar numbers[] = {c->start, c->step, {.f = fabs(c->step.f) * (double)c->count, .is_float = true}};
  int st = OK;
  if (c->count == 0) return ERR_NO_KERNEL;
  term t[4] = {term_of(emit_iota(&q->lines, d, &s, 0), d)};
  for (int k = 0; k < 2 + floats && st == OK; k++)
    t[1 + k] = term_of(queue_get(q, &(operand){.dtype = d, .value = numbers[k]}, &s, NULL, &st), d);
  if (st != OK) return st;
  term x = emit_formula(&q->lines, &s, d, floats ? "a + m_min(i * b, m)" : "a + i * b", "iabm", t);
  return queue_put_as(q, &c->out, d, &s, contiguous, x.value);
}

/* ---- families that the CPU computes ---- */

#define HOST(name, call)                                    \
  int queue_##name(pjrt_queue *q, call *c) {                \
    (void)q;                                                \
    (void)c;                                                \
    return ERR_NO_KERNEL;                                   \
  }
HOST(nonzero, nonzero_call)
HOST(cell, const cell_call)
HOST(attention, const attention_call)
HOST(linalg, const linalg_call)
HOST(tiled, const tiled_call)
HOST(user_kernel, const user_kernel_call)
HOST(fft, const fft_call)
