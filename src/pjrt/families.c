/* The families that become lines of the open program. A function that returns ERR_NO_KERNEL has appended at most lines that
** nobody uses; the CPU computes the call (host.c). */

#include <math.h>
#include <string.h>

#include "pjrt/queue.h"

/* ---- element-wise ---- */

int queue_map(pjrt_queue *q, const map_call *c) {
  const plan *p = c->plan;
  shape s = plan_shape(p);
  term in[MAX_IN];
  if (p->count == 0) return ERR_NO_KERNEL;
  for (int k = 0; k < c->nin; k++)
    in[k] = queue_get_as(q, &c->in[k], c->op == OP_where && k == 0 ? DT_bool : c->compute, &s, p->stride[1 + k]);
  return queue_put(q, &c->out, &s, p->stride[0], emit_map(&q->lines, c->op, c->compute, &s, in));
}

/* Computes a step. Half floats are rounded, and computed as float32. */
static term step(emission *e, const elementwise_step *t, const term *values, const shape *s) {
  term in[MAX_ARITY];
  if (t->op == OP_positive) return term_as(e, s, term_as(e, s, values[t->in[0]], t->compute), dtype_compute(t->compute));
  for (int k = 0; k < MAX_ARITY; k++) in[k] = values[t->in[k]];
  return emit_map(e, t->op, t->compute, s, in);
}

int queue_elementwise(pjrt_queue *q, const elementwise_call *c) {
  const elementwise_program *p = c->program;
  term values[ELEMENTWISE_REGISTER + ELEMENTWISE_REGISTERS] = {{0}};
  shape s = plan_shape(c->plan);
  if (c->plan->count == 0) return ERR_NO_KERNEL;
  for (int k = 0; k < p->nin; k++) values[k] = queue_get_as(q, &c->in[k], p->in[k], &s, c->plan->stride[p->nout + k]);
  for (int k = 0; k < p->nconstant; k++) values[ELEMENTWISE_CONSTANT + k] = queue_number(q, p->constant_dtype[k], p->constant[k]);
  for (int k = 0; k < p->nstep; k++) values[p->step[k].out] = step(&q->lines, &p->step[k], values, &s);
  for (int k = 0; k < p->nout; k++) queue_put(q, &c->out[k], &s, c->plan->stride[k], values[p->out[k]]);
  return OK;
}

/* ---- reductions, scans, softmax ---- */

int queue_reduce(pjrt_queue *q, const reduce_call *c) {
  shape kept = plan_shape(&c->kept), all = kept, joined = kept;
  int64_t stride[MAX_DIMS];
  if (c->kept.count == 0 || c->reduced.count == 0 || kept.ndim + c->reduced.ndim > MAX_DIMS || kept.ndim == MAX_DIMS) return ERR_NO_KERNEL;
  memcpy(stride, c->kept.stride[1], sizeof stride);
  for (int k = 0; k < c->reduced.ndim; k++) {
    stride[all.ndim] = c->reduced.stride[0][k];
    all.dim[all.ndim++] = c->reduced.shape[k];
  }
  joined.dim[joined.ndim++] = c->reduced.count;
  term x = queue_get_as(q, &c->in, c->compute, &all, stride);
  x.value = emit_reshape(&q->lines, x.value, c->compute, &all, &joined);
  x = emit_reduce(&q->lines, c->op, c->compute, &joined, c->correction, x);
  x = term_spread(&q->lines, &joined, x, 1u << kept.ndim);
  x.without = 0;                       /* of the shape `kept` */
  return queue_put(q, &c->out, &kept, c->kept.stride[0], x);
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
  const enum dtype d = c->line.compute;
  lines l;
  if (!make_lines(&c->line, &l)) return ERR_NO_KERNEL;
  term x = emit_scan(&q->lines, c->op, d, &l.s, c->initial, queue_get_as(q, &c->line.in, d, &l.s, l.in));
  l.s.dim[l.s.ndim - 1] += c->initial;
  return queue_put(q, &c->line.out, &l.s, l.out, x);
}

int queue_softmax(pjrt_queue *q, const softmax_call *c) {
  const enum dtype d = c->line.compute;
  lines l;
  if (!make_lines(&c->line, &l)) return ERR_NO_KERNEL;
  return queue_put(q, &c->line.out, &l.s, l.out, emit_softmax(&q->lines, c->op, d, &l.s, queue_get_as(q, &c->line.in, d, &l.s, l.in)));
}

/* ---- products ---- */

/* Reads or writes a batch of matrices: sets the shape [batch …, rows, columns] and the strides of operand k of the batch. */
static void matrices(const gemm_call *c, int k, int64_t rows, int64_t columns, const int64_t *of, shape *s, int64_t *stride) {
  plan_part(&c->batch, k, rows, of[0], s, stride);
  stride[s->ndim] = of[1];
  s->dim[s->ndim++] = columns;
}

/* Appends the product of two batches. Half floats are added up in float32. */
static term product(emission *e, const gemm_call *c, term a, const shape *sa, term b, const shape *sb, const shape *sc) {
  int64_t batch[MAX_DIMS];
  const char *precision = queue_precision(c->precision);
  const enum dtype d = c->dtype, gives = dtype_compute(d);
  const int n = c->batch.ndim;
  for (int k = 0; k < n; k++) batch[k] = k;
  return term_of(emit_line(e, "stablehlo.dot_general %%%d, %%%d, batching_dims = [%a] x [%a], contracting_dims = [%d] x [%d], "
                           "precision = [%s, %s] : (%t, %t) -> %t", a.value, b.value, batch, n, batch, n, n + 1, n, precision, precision,
                           d, sa, d, sb, gives, sc), gives);
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
  emission *e = &q->lines;
  if (c->batch.count == 0 || c->m == 0 || c->n == 0 || c->k == 0 || c->batch.ndim + 2 > MAX_DIMS) return ERR_NO_KERNEL;
  if (!has_product(q->plugin, c->dtype)) return ERR_NO_KERNEL;
  matrices(c, 1, c->m, c->k, c->a_stride, &sa, ta);
  matrices(c, 2, c->k, c->n, c->b_stride, &sb, tb);
  matrices(c, 0, c->m, c->n, c->c_stride, &sc, tc);
  term left = queue_get(q, &a, &sa, ta), right = queue_get(q, &b, &sb, tb), x = product(e, c, left, &sa, right, &sb, &sc);
  if (!is_number(c->alpha, 1, d)) x = FORMULA(e, &sc, d, "x * n", "x n", x, queue_number(q, d, c->alpha));
  if (!is_number(c->beta, 0, d))
    x = FORMULA(e, &sc, d, "x + y * n", "x y n", x, queue_get_as(q, &to, d, &sc, tc), queue_number(q, d, c->beta));
  return queue_put(q, &to, &sc, tc, x);
}

/* ---- random numbers and ranges ---- */

/* A permutation is a stable sort by random integers without a sign. */
int queue_random(pjrt_queue *q, const random_call *c) {
  shape s = {1, {c->count}};
  emission *e = &q->lines;
  random_call draws = *c;
  if (c->count == 0) return ERR_NO_KERNEL;
  if (c->op == RANDOM_permutation) {
    draws.op = RANDOM_integers;
    draws.low = 0;
    draws.range = 0;
  }
  term seed = queue_number(q, DT_uint64, (scalar){.i = (int64_t)c->seed});
  term x = emit_random(e, &draws, seed, queue_number(q, DT_uint64, (scalar){.i = (int64_t)c->offset}));
  if (c->op == RANDOM_permutation) {
    term key = term_as(e, &s, x, DT_uint64), t[] = {key, key, emit_places(e, &s)};
    emit_sort(e, false, &s, t);
    x = t[2];
  }
  return queue_put(q, &c->out, &s, contiguous, x);
}

/* The limit, which changes no product, keeps XLA from rounding a product and a sum once. */
int queue_arange(pjrt_queue *q, const arange_call *c) {
  const enum dtype d = c->start.is_float ? DT_float64 : DT_int64;
  const shape s = {1, {c->count}};
  emission *e = &q->lines;
  if (c->count == 0) return ERR_NO_KERNEL;
  term i = term_of(emit_iota(e, d, &s, 0), d), a = queue_number(q, d, c->start), b = queue_number(q, d, c->step), m = b;
  if (d == DT_float64) m = queue_number(q, d, (scalar){.f = fabs(c->step.f) * (double)c->count, .is_float = true});
  return queue_put(q, &c->out, &s, contiguous,
                   FORMULA(e, &s, d, d == DT_float64 ? "a + m_min(i * b, m)" : "a + i * b", "i a b m", i, a, b, m));
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
