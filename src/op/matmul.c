#include "op/matmul.h"

#include "base/dispatch.h"
#include "op/deferral.h"

static enum precision precision = PRECISION_ieee;

void matmul_set_precision(enum precision p) { precision = p; }
enum precision matmul_precision(void) { return precision; }

/* An input as a batch of matrices. A vector is a matrix of one row (on the left) or one column (on the right), and
** the stride of its dim of length 1 is 0. */
typedef struct side {
  shape   batch;
  int64_t size[2], stride[2];
  bool    vector;
} side;

static void side_init(side *s, const tensor *t, bool vector, bool left) {
  int last = t->shape.ndim - 1, along = left ? 1 : 0;
  s->vector = vector || t->shape.ndim == 1;
  s->batch = t->shape;
  s->batch.ndim = s->vector ? last : last - 1;
  for (int i = 0; i < 2; i++) {
    bool dropped = s->vector && i != along;
    int d = s->vector ? last : last - 1 + i;
    s->size[i] = dropped ? 1 : t->shape.dim[d];
    s->stride[i] = dropped ? 0 : t->stride[d];
  }
}

int matmul_prepare(matmul_job *j) {
  const tensor *a = j->a, *b = j->b;
  if (!a->shape.ndim || !b->shape.ndim) return ERR_RANK;
  if (!place_equal(a->store->place, b->store->place)) return ERR_DEVICES;
  j->dtype = dtype_promote(a->dtype, b->dtype);
  j->precision = precision;
  if (a->dtype == DT_bool || b->dtype == DT_bool) return ERR_DTYPE;
  side left, right;
  side_init(&left, a, j->kind == MATMUL_vecdot, true);
  side_init(&right, b, j->kind == MATMUL_vecdot, false);
  if (left.size[1] != right.size[0]) return ERR_INNER;
  j->batch = left.batch;
  int st = shape_broadcast(&j->batch, &right.batch);
  if (st != OK) return st;
  if (j->batch.ndim + !left.vector + !right.vector > MAX_DIMS) return ERR_NDIM;
  j->shape = j->batch;
  if (!left.vector) j->shape.dim[j->shape.ndim++] = left.size[0];
  if (!right.vector) j->shape.dim[j->shape.ndim++] = right.size[1];
  return OK;
}

/* Merges the batch into the rows of a and c if all products share b: [8, 64, 32] @ [32, 10] is computed as [512, 32]
** @ [32, 10]. */
static void fold_batch(gemm_call *c) {
  plan *p = &c->batch;
  if (p->ndim != 1 || p->stride[2][0] != 0) return;
  if (c->m == 1) {
    c->a_stride[0] = p->stride[1][0];
    c->c_stride[0] = p->stride[0][0];
  } else if (p->stride[1][0] != c->m * c->a_stride[0] || p->stride[0][0] != c->m * c->c_stride[0]) {
    return;
  }
  c->m *= p->shape[0];
  p->ndim = 0;
  p->count = 1;
}

static void batch_operand(plan *p, int k, const side *s, const tensor *t, const shape *batch) {
  int64_t stride[MAX_DIMS];
  shape_expand(&s->batch, t->stride, batch, stride);
  plan_operand(p, k, stride);
}

/* Runs the product of operands that all have dtype j->dtype. */
static int run_same(const matmul_job *j, const tensor *a, const tensor *b, tensor *out, scalar alpha, scalar beta) {
  side left, right;
  side_init(&left, a, j->kind == MATMUL_vecdot, true);
  side_init(&right, b, j->kind == MATMUL_vecdot, false);
  gemm_call c = {
    .dtype = j->dtype, .m = left.size[0], .n = right.size[1], .k = left.size[1],
    .a = tensor_data(a), .a_stride = {left.stride[0], left.stride[1]},
    .b = tensor_data(b), .b_stride = {right.stride[0], right.stride[1]},
    .c = tensor_data(out), .alpha = alpha, .beta = beta, .precision = j->precision,
  };
  int d = j->batch.ndim;
  if (!left.vector) c.c_stride[0] = out->stride[d++];
  if (!right.vector) c.c_stride[1] = out->stride[d];
  plan_init(&c.batch, &j->batch);
  plan_operand(&c.batch, 0, out->stride);
  batch_operand(&c.batch, 1, &left, a, &j->batch);
  batch_operand(&c.batch, 2, &right, b, &j->batch);
  plan_collapse(&c.batch, 3);
  fold_batch(&c);
  place where = out->store->place;
  return device_gemm(where, &c);
}

/* Sets *use to t if t has dtype d. Otherwise sets *use to `fresh`, which becomes a copy of t with dtype d. */
static int converted(const tensor *t, enum dtype d, tensor *fresh, const tensor **use) {
  *use = t;
  if (t->dtype == d) return OK;
  int st = tensor_init(fresh, d, &t->shape, t->store->place);
  if (st != OK) return st;
  *use = fresh;
  return op_copy(fresh, t);
}

/* Like `converted`, for the left input. A complex left input of vecdot is also conjugated. */
static int converted_left(const matmul_job *j, tensor *fresh, const tensor **use) {
  if (j->kind != MATMUL_vecdot || dtype_kind(j->a->dtype) != KIND_COMPLEX)
    return converted(j->a, j->dtype, fresh, use);
  job conjugate = {.op = OP_conj, .nin = 1, .in = {{.t = j->a}}};
  int st = job_prepare(&conjugate);
  if (st == OK) st = tensor_init(fresh, j->dtype, &j->a->shape, j->a->store->place);
  *use = fresh;
  return st == OK ? job_compute(&conjugate, fresh) : st;
}

static int check_out(const matmul_job *j, const tensor *out) {
  return check_apart(out, &j->shape, j->dtype, (const tensor *[]){j->a, j->b}, 2);
}

/* Returns the dtype in which the product is computed. A product of integers and half floats is computed in float32,
** because the integers may not fit a half float. */
static enum dtype product_dtype(const matmul_job *j) {
  bool integer = dtype_kind(j->a->dtype) < KIND_FLOAT || dtype_kind(j->b->dtype) < KIND_FLOAT;
  return integer ? dtype_compute(j->dtype) : j->dtype;
}

int matmul_run(const matmul_job *job, tensor *out, scalar alpha, scalar beta) {
  int st = check_out(job, out);
  if (st != OK || out->count == 0) return st;
  matmul_job wide = *job, *j = &wide;
  wide.dtype = product_dtype(job);
  tensor fresh[3] = {{.store = NULL}, {.store = NULL}, {.store = NULL}};
  const tensor *a, *b, *c;
  st = converted_left(j, &fresh[0], &a);
  if (st == OK) st = converted(j->b, j->dtype, &fresh[1], &b);
  if (st == OK) st = converted(out, j->dtype, &fresh[2], &c);
  if (st == OK) st = run_same(j, a, b, c == out ? out : &fresh[2], alpha, beta);
  if (st == OK && c != out) st = op_copy(out, c);
  for (int i = 0; i < 3; i++) tensor_drop(&fresh[i]);
  return st;
}

/* Returns ERR_SCALAR if alpha or beta does not fit the product's dtype. */
static int check_factors(const matmul_job *j, scalar alpha, scalar beta) {
  if (dtype_kind(j->dtype) < KIND_FLOAT && (alpha.is_float || beta.is_float)) return ERR_SCALAR;
  if (dtype_kind(j->dtype) != KIND_COMPLEX && (alpha.is_complex || beta.is_complex)) return ERR_SCALAR;
  return OK;
}

static bool is_zero(scalar s) { return s.f == 0 && s.i == 0 && s.im == 0; }

int addmm_run(const matmul_job *j, const tensor *input, tensor *out, scalar alpha, scalar beta) {
  int st = check_factors(j, alpha, beta);
  if (st == OK) st = check_out(j, out);
  if (st != OK) return st;
  bool in_place = out->store == input->store && !tensor_conflicts(out, input) && shape_equal(&out->shape, &input->shape);
  if (!in_place && !is_zero(beta)) st = op_copy(out, input);
  return st == OK ? matmul_run(j, out, alpha, beta) : st;
}

/* ---- deferred products ---- */

/* The options of a deferred product. Its inputs are a, b and `input`, which may be missing. */
typedef struct product_options {
  uint64_t kind, dtype, precision;     /* fields of the job */
  scalar   alpha, beta;
} product_options;

_Static_assert(sizeof(product_options) <= OPAQUE_OPTIONS, "a list has no room for the options");

static int run_deferred_product(const void *options, const tensor *const *in, tensor *const *out) {
  const product_options *o = options;
  matmul_job j = {.kind = (enum matmul_kind)o->kind, .a = in[0], .b = in[1]};
  int st = matmul_prepare(&j);
  if (st != OK) return st;
  j.dtype = (enum dtype)o->dtype;
  j.precision = (enum precision)o->precision;
  return in[2] ? addmm_run(&j, in[2], out[0], o->alpha, o->beta) : matmul_run(&j, out[0], o->alpha, o->beta);
}

static const opaque_op deferred_product = {.run = run_deferred_product, .options = sizeof(product_options),
                                           .key = offsetof(product_options, alpha), .numbers = 2 * sizeof(scalar)};

int product_run_later(const char *fn, const matmul_job *j, const tensor *input, tensor *out, scalar alpha, scalar beta) {
  product_options o = {(uint64_t)j->kind, (uint64_t)j->dtype, (uint64_t)j->precision, alpha, beta};
  if (!open_deferral) return input ? addmm_run(j, input, out, alpha, beta) : matmul_run(j, out, alpha, beta);
  int st = check_factors(j, alpha, beta);
  if (st == OK) st = check_out(j, out);
  if (is_zero(beta)) input = NULL;
  int64_t stride[MAX_DIMS];
  if (st == OK && input) st = shape_expand(&input->shape, input->stride, &out->shape, stride);
  if (st != OK) return st;
  return opaque_run_later(&(opaque_call){.op = &deferred_product, .name = fn, .options = &o, .in = {j->a, j->b, input}, .nin = 3,
                                         .out = {out}, .nout = 1});
}
