/* The CPU computes in the shadows of the blocks what plugins do not compute. The functions find the operands of a call.
** Pointers to the host's own memory need nothing. */

#include "pjrt/queue.h"

/* The operands of a call. */
typedef struct finder {
  pjrt_queue *q;
  int st;
} finder;

static void reads(finder *f, const void *at) {
  block *b = at && f->st == OK ? block_of(f->q, at) : NULL;
  if (b) f->st = block_read(f->q, b);
}

static void writes(finder *f, const void *at) {
  block *b = at && f->st == OK ? block_of(f->q, at) : NULL;
  if (b) f->st = block_write(f->q, b);
}

static void both(finder *f, const void *in, const void *out) {
  reads(f, in);
  writes(f, out);
}

static void of_map(finder *f, const map_call *c) {
  for (int k = 0; k < c->nin; k++) reads(f, c->in[k].data);
  writes(f, c->out.data);
}

static void of_elementwise(finder *f, const elementwise_call *c) {
  for (int k = 0; k < c->program->nin; k++) reads(f, c->in[k].data);
  for (int k = 0; k < c->program->nout; k++) writes(f, c->out[k].data);
}

static void of_reduce(finder *f, const reduce_call *c)   { both(f, c->in.data, c->out.data); }
static void of_scan(finder *f, const scan_call *c)       { both(f, c->line.in.data, c->line.out.data); }
static void of_softmax(finder *f, const softmax_call *c) { both(f, c->line.in.data, c->line.out.data); }
static void of_fft(finder *f, const fft_call *c)         { both(f, c->in.data, c->out.data); }
static void of_nonzero(finder *f, const nonzero_call *c) { both(f, c->in, c->out); }
static void of_arange(finder *f, const arange_call *c)   { writes(f, c->out.data); }
static void of_random(finder *f, const random_call *c)   { writes(f, c->out.data); }

static void of_index(finder *f, const index_call *c) {
  for (int k = 0; k < c->nindex; k++) reads(f, c->index[k].data);
  reads(f, c->op == INDEX_get ? c->target.data : c->values.data);
  writes(f, c->op == INDEX_get ? c->values.data : c->target.data);
}

static void of_sort(finder *f, const sort_call *c) {
  reads(f, c->in.data);
  writes(f, c->values.data);
  writes(f, c->positions.data);
}

static void of_search(finder *f, const search_call *c) {
  reads(f, c->sorted);
  reads(f, c->values);
  writes(f, c->out);
}

static void of_gemm(finder *f, const gemm_call *c) {
  reads(f, c->a);
  reads(f, c->b);
  writes(f, c->c);
}

/* The CPU may write to each operand that is not only read. */
static void of_cell(finder *f, const cell_call *c) {
  for (int k = 0; k < CELL_OPERANDS; k++)
    if (k == CELL_before || k == CELL_dy) reads(f, c->at[k].data);
    else writes(f, c->at[k].data);
}

static void of_attention(finder *f, const attention_call *c) {
  const void *in[] = {c->q.data, c->k.data, c->v.data, c->dout.data, c->mask};
  const void *out[] = {c->o.data, c->dq.data, c->dk.data, c->dv.data, c->log_sums};
  for (int k = 0; k < 5; k++) reads(f, in[k]);
  for (int k = 0; k < 5; k++) writes(f, out[k]);
}

static void of_linalg(finder *f, const linalg_call *c) {
  const void *all[] = {c->a, c->b, c->c, c->values, c->pivots, c->order, c->rank};
  for (int k = 0; k < 7; k++) writes(f, all[k]);
}

static void of_cross_entropy(finder *f, const cross_entropy_call *c) {
  reads(f, c->in.data);
  reads(f, c->classes);
  if (c->backward) {
    reads(f, c->losses);
    reads(f, c->sums);
    writes(f, c->out.data);
  } else {
    writes(f, c->losses);
    writes(f, c->sums);
  }
}

static void of_norm(finder *f, const norm_call *c) {
  const void *in[] = {c->in.data, c->weight, c->bias, c->backward ? c->gradient.data : NULL, c->backward ? c->stats : NULL};
  const void *out[] = {c->out.data, c->backward ? NULL : c->stats, c->running_mean, c->running_var, c->backward ? c->dweight : NULL,
                       c->backward ? c->dbias : NULL};
  for (int k = 0; k < 5; k++) reads(f, in[k]);
  for (int k = 0; k < 6; k++) writes(f, out[k]);
}

static void of_update(finder *f, const update_call *c) {
  for (int i = 0; i < c->count; i++) {
    reads(f, c->item[i].at[1]);
    writes(f, c->item[i].at[0]);
    for (int k = 0; k < c->item[i].states; k++) writes(f, c->item[i].at[2 + k]);
  }
}

static void of_conv(finder *f, const conv_call *c) {
  void *const all[] = {c->x, c->w, c->y};
  int written = c->op == CONV_forward ? 2 : c->op == CONV_input ? 0 : 1;
  reads(f, c->bias);
  for (int k = 0; k < 3; k++)
    if (k != written) reads(f, all[k]);
  writes(f, all[written]);
}

static void of_pool(finder *f, const pool_call *c) {
  bool back = c->op == POOL_max_back || c->op == POOL_average_back;
  reads(f, back ? c->y : c->x);
  if (back) reads(f, c->position);
  else writes(f, c->position);
  writes(f, back ? c->x : c->y);
}

/* Scripts cannot make kernels for these devices, and the devices compute nothing tile by tile. */
static void of_user_kernel(finder *f, const user_kernel_call *c) { (void)c; f->st = ERR_NO_KERNEL; }
static void of_tiled(finder *f, const tiled_call *c)             { (void)c; f->st = ERR_NO_KERNEL; }

#define FAMILY(name, call)                             \
  int host_##name(pjrt_queue *q, call *c) {            \
    finder f = {.q = q, .st = OK};                     \
    of_##name(&f, c);                                  \
    return f.st;                                       \
  }
#include "families.def"
