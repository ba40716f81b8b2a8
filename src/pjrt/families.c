/* The families that become lines of the open program. A function that returns ERR_NO_KERNEL has appended at most lines that
** nobody uses; the CPU computes the call (host.c). */

#include <math.h>
#include <string.h>

#include "pjrt/queue.h"

/* ---- element-wise ---- */

int queue_map(pjrt_queue *q, const map_call *c) {
  const strided out = strided_planned(c->plan, 0);
  term in[MAX_IN];
  if (c->plan->count == 0) return ERR_NO_KERNEL;
  for (int k = 0; k < c->nin; k++) {
    const strided v = strided_planned(c->plan, 1 + k);
    in[k] = queue_get_as(q, &c->in[k], c->op == OP_where && k == 0 ? DT_bool : c->compute, &v);
  }
  return queue_put(q, &c->out, &out, emit_map(&q->lines, c->op, c->compute, &out.s, in));
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
  strided v[MAX_OPERANDS];
  if (c->plan->count == 0) return ERR_NO_KERNEL;
  for (int k = 0; k < p->nout + p->nin; k++) v[k] = strided_planned(c->plan, k);
  for (int k = 0; k < p->nin; k++) values[k] = queue_get_as(q, &c->in[k], p->in[k], &v[p->nout + k]);
  for (int k = 0; k < p->nconstant; k++) values[ELEMENTWISE_CONSTANT + k] = queue_number(q, p->constant_dtype[k], p->constant[k]);
  for (int k = 0; k < p->nstep; k++) values[p->step[k].out] = step(&q->lines, &p->step[k], values, &v->s);
  for (int k = 0; k < p->nout; k++) queue_put(q, &c->out[k], &v[k], values[p->out[k]]);
  return OK;
}

/* ---- reductions, scans, softmax ---- */

int queue_reduce(pjrt_queue *q, const reduce_call *c) {
  const strided kept = strided_planned(&c->kept, 0);
  const int ndim = kept.s.ndim;
  strided all = strided_planned(&c->kept, 1), joined = kept;
  if (c->kept.count == 0 || c->reduced.count == 0 || ndim + c->reduced.ndim > MAX_DIMS || ndim == MAX_DIMS) return ERR_NO_KERNEL;
  for (int k = 0; k < c->reduced.ndim; k++) strided_add(&all, c->reduced.shape[k], c->reduced.stride[0][k]);
  strided_add(&joined, c->reduced.count, 0);
  term x = queue_get_as(q, &c->in, c->compute, &all);
  x.value = emit_reshape(&q->lines, x.value, c->compute, &all.s, &joined.s);
  x = emit_reduce(&q->lines, c->op, c->compute, &joined.s, c->correction, x);
  x = term_spread(&q->lines, &joined.s, x, 1u << ndim);
  x.without = 0;                       /* of the shape `kept` */
  return queue_put(q, &c->out, &kept, x);
}

/* Makes the operands [outer …, n] of a call. */
static bool make_lines(const line_call *c, strided *in, strided *out) {
  if (c->outer.count == 0 || c->n == 0 || c->outer.ndim == MAX_DIMS) return false;
  *in = strided_planned(&c->outer, 1);
  *out = strided_planned(&c->outer, 0);
  strided_add(in, c->n, c->in_stride);
  strided_add(out, c->n, c->out_stride);
  return true;
}

int queue_scan(pjrt_queue *q, const scan_call *c) {
  const enum dtype d = c->line.compute;
  strided in, out;
  if (!make_lines(&c->line, &in, &out)) return ERR_NO_KERNEL;
  term x = emit_scan(&q->lines, c->op, d, &in.s, c->initial, queue_get_as(q, &c->line.in, d, &in));
  out.s.dim[out.s.ndim - 1] += c->initial;
  return queue_put(q, &c->line.out, &out, x);
}

int queue_softmax(pjrt_queue *q, const softmax_call *c) {
  const enum dtype d = c->line.compute;
  strided in, out;
  if (!make_lines(&c->line, &in, &out)) return ERR_NO_KERNEL;
  return queue_put(q, &c->line.out, &out, emit_softmax(&q->lines, c->op, d, &in.s, queue_get_as(q, &c->line.in, d, &in)));
}

/* ---- products ---- */

/* Returns the shape [batch …, rows, columns] and the strides of operand k of the batch. */
static strided matrices(const gemm_call *c, int k, int64_t rows, int64_t columns, const int64_t *stride) {
  strided v = strided_planned(&c->batch, k);
  strided_add(&v, rows, stride[0]);
  strided_add(&v, columns, stride[1]);
  return v;
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

static bool is_tpu(const pjrt_queue *q) { return strcmp(q->plugin->platform, "tpu") == 0; }

static bool is_number(scalar x, int is, enum dtype d) {
  return dtype_kind(d) < KIND_FLOAT ? x.i == is : x.f == is && (dtype_kind(d) == KIND_FLOAT || x.im == 0);
}

/* Google's compiler for TPUs has no products of 64-bit integers. */
int queue_gemm(pjrt_queue *q, const gemm_call *c) {
  operand a = {.data = (void *)(uintptr_t)c->a, .dtype = c->dtype}, b = {.data = (void *)(uintptr_t)c->b, .dtype = c->dtype};
  operand to = {.data = c->c, .dtype = c->dtype};
  enum dtype d = dtype_compute(c->dtype);
  emission *e = &q->lines;
  if (c->batch.count == 0 || c->m == 0 || c->n == 0 || c->k == 0 || c->batch.ndim + 2 > MAX_DIMS) return ERR_NO_KERNEL;
  if ((d == DT_int64 || d == DT_uint64) && is_tpu(q)) return ERR_NO_KERNEL;
  const strided va = matrices(c, 1, c->m, c->k, c->a_stride), vb = matrices(c, 2, c->k, c->n, c->b_stride);
  const strided vc = matrices(c, 0, c->m, c->n, c->c_stride);
  term left = queue_get(q, &a, &va), right = queue_get(q, &b, &vb), x = product(e, c, left, &va.s, right, &vb.s, &vc.s);
  if (!is_number(c->alpha, 1, d)) x = FORMULA(e, &vc.s, d, "x * n", "x n", x, queue_number(q, d, c->alpha));
  if (!is_number(c->beta, 0, d))
    x = FORMULA(e, &vc.s, d, "x + y * n", "x y n", x, queue_get_as(q, &to, d, &vc), queue_number(q, d, c->beta));
  return queue_put(q, &to, &vc, x);
}

/* ---- Fourier transforms ---- */

/* StableHLO divides inverse transforms by their length. Google's compiler for TPUs has no transforms of float64. */
int queue_fft(pjrt_queue *q, const fft_call *c) {
  static const char *const types[2][3] = {{"FFT", "RFFT", "IRFFT"}, {"IFFT", "RFFT", "IRFFT"}};
  const enum dtype d = c->out.dtype, part = dtype_kind(d) == KIND_COMPLEX ? dtype_real(d) : d;
  strided in = strided_planned(&c->outer, 1), out = strided_planned(&c->outer, 0);
  scalar scale = {.f = c->scale, .is_float = true};
  if (c->outer.count == 0 || c->outer.ndim + c->rank > MAX_DIMS || (part == DT_float64 && is_tpu(q))) return ERR_NO_KERNEL;
  for (int k = 0; k < c->rank; k++) {
    const int64_t n = c->n[k], half = k == c->rank - 1 ? n / 2 + 1 : n;
    strided_add(&in, c->kind == FFT_hermitian ? half : n, c->in_stride[k]);
    strided_add(&out, c->kind == FFT_real ? half : n, c->out_stride[k]);
    if (c->inverse) scale.f *= (double)n;
  }
  int value = emit_line(&q->lines, "stablehlo.fft %%%d, type = %s, length = [%a] : (%t) -> %t", queue_get(q, &c->in, &in).value,
                        types[c->inverse][c->kind], c->n, c->rank, c->in.dtype, &in.s, d, &out.s);
  term x = term_of(value, d), by = queue_number(q, d, scale);
  return queue_put(q, &c->out, &out, scale.f == 1 ? x : FORMULA(&q->lines, &out.s, d, "x * n", "x n", x, by));
}

/* ---- random numbers and ranges ---- */

/* A permutation is a stable sort by random integers without a sign, all of whose bits are random: the range is 0. */
int queue_random(pjrt_queue *q, const random_call *c) {
  const strided v = strided_line(c->count);
  emission *e = &q->lines;
  if (c->count == 0) return ERR_NO_KERNEL;
  term seed = queue_number(q, DT_uint64, (scalar){.i = (int64_t)c->seed});
  term x = emit_random(e, c, seed, queue_number(q, DT_uint64, (scalar){.i = (int64_t)c->offset}));
  if (c->op == RANDOM_permutation) {
    term key = term_as(e, &v.s, x, DT_uint64), t[] = {key, key, emit_places(e, &v.s)};
    emit_sort(e, false, &v.s, t);
    x = t[2];
  }
  return queue_put(q, &c->out, &v, x);
}

/* The limit, which changes no product, keeps XLA from rounding a product and a sum once. */
int queue_arange(pjrt_queue *q, const arange_call *c) {
  const enum dtype d = c->start.is_float ? DT_float64 : DT_int64;
  const strided v = strided_line(c->count);
  emission *e = &q->lines;
  if (c->count == 0) return ERR_NO_KERNEL;
  term i = term_of(emit_iota(e, d, &v.s, 0), d), a = queue_number(q, d, c->start), b = queue_number(q, d, c->step), m = b;
  if (d == DT_float64) m = queue_number(q, d, (scalar){.f = fabs(c->step.f) * (double)c->count, .is_float = true});
  return queue_put(q, &c->out, &v,
                   FORMULA(e, &v.s, d, d == DT_float64 ? "a + m_min(i * b, m)" : "a + i * b", "i a b m", i, a, b, m));
}

/* ---- families that the CPU computes ---- */

#define HOST(name, call) int queue_##name(pjrt_queue *q, call *c) { return (void)q, (void)c, ERR_NO_KERNEL; }
HOST(nonzero, nonzero_call) HOST(cell, const cell_call) HOST(attention, const attention_call) HOST(linalg, const linalg_call)
HOST(tiled, const tiled_call) HOST(user_kernel, const user_kernel_call)
