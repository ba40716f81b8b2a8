#include "op/nn/attention.h"

#include "base/dispatch.h"

static bool is_here(const attention_job *j, const tensor *t) {
  return place_equal(t->store->place, j->at[ATTENTION_q]->store->place);
}

/* Sets operand *to from tensor `which`, and returns false if the tensor does not fit. BLAS requires rows that do not
** overlap. The stride of a dim of length 1 may be anything. */
static bool set_operand(attention_operand *to, const attention_job *j, enum attention_tensor which, const attention_call *c,
                        int64_t rows, int64_t width) {
  const tensor *t = j->at[which];
  const int64_t *n = t->shape.dim;
  *to = (attention_operand){tensor_data(t), t->stride[0], t->stride[1], rows == 1 ? width : t->stride[2]};
  return t->shape.ndim == 4 && t->dtype == c->dtype && n[0] == c->batch && n[1] == c->heads && n[2] == rows &&
         n[3] == width && (t->stride[3] == 1 || width == 1) && (t->stride[2] >= width || rows == 1) && is_here(j, t);
}

static bool set_mask(attention_call *c, const attention_job *j) {
  const tensor *t = j->at[ATTENTION_mask];
  if (!t) return true;
  const int64_t *n = t->shape.dim;
  c->mask = tensor_data(t);
  c->mask_dtype = t->dtype;
  for (int d = 0; d < 4; d++) c->mask_stride[d] = t->stride[d];
  return t->shape.ndim == 4 && n[0] == c->batch && n[1] == c->heads && n[2] == c->queries && n[3] == c->keys &&
         (t->dtype == DT_bool || t->dtype == c->dtype) && is_here(j, t);
}

static bool set_sums(attention_call *c, const attention_job *j) {
  const tensor *t = j->at[ATTENTION_log_sums];
  if (!t) return true;
  c->log_sums = tensor_data(t);
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

int attention_run(const attention_job *j, enum attention_tensor *wrong) {
  attention_call c;
  int st = make_call(&c, j, wrong);
  return st == OK ? device_attention(j->at[ATTENTION_q]->store->place, &c) : st;
}
