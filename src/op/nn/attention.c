#include "op/nn/attention.h"

#include "base/dispatch.h"
#include "op/deferral.h"

static bool is_here(const attention_job *j, const tensor *t) {
  return place_equal(t->store->place, j->at[ATTENTION_q]->store->place);
}

/* Returns the address of the tensor, which is not known before the deferred ops run that use it. */
static void *address_of(const tensor *t) { return storage_is_pending(t->store) ? NULL : tensor_data(t); }

/* Sets operand *to from tensor `which`, and returns false if the tensor does not fit. BLAS requires rows that do not
** overlap. The stride of a dim of length 1 may be anything. */
static bool set_operand(attention_operand *to, const attention_job *j, enum attention_tensor which, const attention_call *c,
                        int64_t rows, int64_t width) {
  const tensor *t = j->at[which];
  const int64_t *n = t->shape.dim;
  *to = (attention_operand){address_of(t), t->stride[0], t->stride[1], rows == 1 ? width : t->stride[2]};
  return t->shape.ndim == 4 && t->dtype == c->dtype && n[0] == c->batch && n[1] == c->heads && n[2] == rows &&
         n[3] == width && (t->stride[3] == 1 || width == 1) && (t->stride[2] >= width || rows == 1) && is_here(j, t);
}

static bool set_mask(attention_call *c, const attention_job *j) {
  const tensor *t = j->at[ATTENTION_mask];
  if (!t) return true;
  const int64_t *n = t->shape.dim;
  c->mask = address_of(t);
  c->mask_dtype = t->dtype;
  for (int d = 0; d < 4; d++) c->mask_stride[d] = t->stride[d];
  return t->shape.ndim == 4 && n[0] == c->batch && n[1] == c->heads && n[2] == c->queries && n[3] == c->keys &&
         (t->dtype == DT_bool || t->dtype == c->dtype) && is_here(j, t);
}

static bool set_sums(attention_call *c, const attention_job *j) {
  const tensor *t = j->at[ATTENTION_log_sums];
  if (!t) return true;
  c->log_sums = address_of(t);
  return t->dtype == dtype_compute(c->dtype) && t->count == c->batch * c->heads * c->queries && tensor_is_contiguous(t) && is_here(j, t);
}

/* Sets the sizes of the call from the shapes of q, k and v. */
static int set_lengths(attention_call *c, const attention_job *j, enum attention_tensor *wrong) {
  for (int i = ATTENTION_q; i <= ATTENTION_v; i++) {
    *wrong = (enum attention_tensor)i;
    if (j->at[i]->shape.ndim != 4 || j->at[i]->count == 0) return ERR_INNER;
  }
  const int64_t *q = j->at[ATTENTION_q]->shape.dim;
  *c = (attention_call){.dtype = j->at[ATTENTION_q]->dtype, .back = j->back, .causal = j->causal, .scale = j->scale,
                        .batch = q[0], .heads = q[1], .queries = q[2], .width = q[3],
                        .keys = j->at[ATTENTION_k]->shape.dim[2], .out_width = j->at[ATTENTION_v]->shape.dim[3]};
  return OK;
}

static int make_call(attention_call *c, const attention_job *j, enum attention_tensor *wrong) {
  int st = set_lengths(c, j, wrong);
  if (st != OK) return st;
  const struct { enum attention_tensor which; attention_operand *to; int64_t rows, width; } operands[] = {
    {ATTENTION_q, &c->q, c->queries, c->width},          {ATTENTION_k, &c->k, c->keys, c->width},
    {ATTENTION_v, &c->v, c->keys, c->out_width},         {ATTENTION_o, &c->o, c->queries, c->out_width},
    {ATTENTION_dout, &c->dout, c->queries, c->out_width}, {ATTENTION_dq, &c->dq, c->queries, c->width},
    {ATTENTION_dk, &c->dk, c->keys, c->width},           {ATTENTION_dv, &c->dv, c->keys, c->out_width},
  };
  for (int i = 0; i < (j->back ? 8 : 4); i++) {
    *wrong = operands[i].which;
    if (!set_operand(operands[i].to, j, operands[i].which, c, operands[i].rows, operands[i].width)) return ERR_INNER;
  }
  *wrong = ATTENTION_mask;
  if (!set_mask(c, j)) return ERR_INNER;
  *wrong = ATTENTION_log_sums;
  return set_sums(c, j) ? OK : ERR_INNER;
}

bool attention_is_fused(place where, const attention_call *c) {
  return where.device->has_attention && where.device->has_attention(where.index, c);
}

/* ---- deferring ---- */

/* The options of a deferred attention. A forward call reads the tensors before o and writes o and the log_sums. A backward
** call reads the tensors before dq and writes the others. */
typedef struct attention_options {
  uint64_t back, causal;
  scalar   scale;
} attention_options;

static int first_result(bool back) { return back ? ATTENTION_dq : ATTENTION_o; }
static int end_of_results(bool back) { return back ? ATTENTION_TENSORS : ATTENTION_dout; }

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  const attention_options *o = options;
  bool back = o->back != 0;
  attention_job j = {.back = back, .causal = o->causal != 0, .scale = o->scale.f};
  attention_call c;
  enum attention_tensor wrong;
  tensor read[ATTENTION_dq];
  int first = first_result(back), end = end_of_results(back);
  for (int k = 0; k < first; k++) {
    if (in[k]) read[k] = *in[k];
    j.at[k] = in[k] ? &read[k] : NULL;
  }
  for (int k = first; k < end; k++) j.at[k] = out[k - first];
  int st = make_call(&c, &j, &wrong);
  return st == OK ? device_attention(in[0]->store->place, &c) : st;
}

static const opaque_op deferred_attention = {.run = run_deferred, .options = sizeof(attention_options),
                                             .key = offsetof(attention_options, scale), .numbers = sizeof(scalar)};

int attention_run_later(const attention_job *j, enum attention_tensor *wrong) {
  attention_call call;
  int st = make_call(&call, j, wrong), first = first_result(j->back), end = end_of_results(j->back);
  if (st != OK) return st;
  if (!open_deferral) return device_attention(j->at[ATTENTION_q]->store->place, &call);
  attention_options o = {j->back, j->causal, {.f = j->scale, .is_float = true}};
  opaque_call c = {.op = &deferred_attention, .name = "attention", .options = &o, .nin = first, .nout = end - first};
  for (int k = 0; k < end; k++) {
    if (k < first) c.in[k] = j->at[k];
    else c.out[k - first] = j->at[k];
  }
  return opaque_run_later(&c);
}
