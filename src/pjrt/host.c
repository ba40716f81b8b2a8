/* The CPU computes in the shadows of the blocks what plugins do not compute. The functions bring the operands of a call there.
** Pointers to the host's own memory need nothing. */

#include "pjrt/queue.h"

/* Brings n operands to their shadows. The CPU only reads the first `nread`, and may write to the others. NULL is no operand. */
static int bring(pjrt_queue *q, int nread, int n, const void *const *at) {
  int st = OK;
  for (int k = 0; k < n && st == OK; k++) {
    block *b = at[k] ? block_of(q, at[k]) : NULL;
    if (b) st = (k < nread ? block_read : block_write)(q, b);
  }
  return st;
}

#define FAMILY(name, call) typedef call call_of_##name;
#include "families.def"

#define BRING(nread, ...) \
  bring(q, nread, sizeof (const void *[]){__VA_ARGS__} / sizeof(void *), (const void *const[]){__VA_ARGS__})
#define OPERANDS(name, nread, ...) \
  int host_##name(pjrt_queue *q, call_of_##name *c) { return BRING(nread, __VA_ARGS__); }

OPERANDS(reduce,    1, c->in.data, c->out.data)
OPERANDS(scan,      1, c->line.in.data, c->line.out.data)
OPERANDS(softmax,   1, c->line.in.data, c->line.out.data)
OPERANDS(fft,       1, c->in.data, c->out.data)
OPERANDS(nonzero,   1, c->in, c->out)
OPERANDS(arange,    0, c->out.data)
OPERANDS(random,    0, c->out.data)
OPERANDS(sort,      1, c->in.data, c->values.data, c->positions.data)
OPERANDS(search,    2, c->sorted, c->values, c->out)
OPERANDS(gemm,      2, c->a, c->b, c->c)
OPERANDS(linalg,    0, c->a, c->b, c->c, c->values, c->pivots, c->order, c->rank)
OPERANDS(cross_entropy, 2, c->in.data, c->classes, c->losses, c->sums, c->out.data)
OPERANDS(conv,      1, c->bias, c->x, c->w, c->y)
OPERANDS(pool,      0, c->x, c->y, c->position)
OPERANDS(norm,      4, c->in.data, c->weight, c->bias, c->gradient.data, c->out.data, c->stats, c->running_mean, c->running_var,
                       c->dweight, c->dbias)
OPERANDS(attention, 5, c->q.data, c->k.data, c->v.data, c->dout.data, c->mask, c->o.data, c->dq.data, c->dk.data, c->dv.data,
                       c->log_sums)
#define AT(operand) c->at[CELL_##operand].data
OPERANDS(cell,      2, AT(before), AT(dy), AT(gates), AT(c), AT(h), AT(other), AT(dh), AT(dc), AT(dgates), AT(dother))

int host_map(pjrt_queue *q, const map_call *c) {
  int st = BRING(0, c->out.data);
  for (int k = 0; k < c->nin && st == OK; k++) st = BRING(1, c->in[k].data);
  return st;
}

int host_elementwise(pjrt_queue *q, const elementwise_call *c) {
  int st = OK;
  for (int k = 0; k < c->program->nin && st == OK; k++) st = BRING(1, c->in[k].data);
  for (int k = 0; k < c->program->nout && st == OK; k++) st = BRING(0, c->out[k].data);
  return st;
}

int host_index(pjrt_queue *q, const index_call *c) {
  bool get = c->op == INDEX_get;
  int st = BRING(1, get ? c->target.data : c->values.data, get ? c->values.data : c->target.data);
  for (int k = 0; k < c->nindex && st == OK; k++) st = BRING(1, c->index[k].data);
  return st;
}

int host_update(pjrt_queue *q, const update_call *c) {
  int st = OK;
  for (int i = 0; i < c->count && st == OK; i++) {
    const update_item *item = &c->item[i];
    st = BRING(1, item->at[1], item->at[0]);
    for (int k = 0; k < item->states && st == OK; k++) st = BRING(0, item->at[2 + k]);
  }
  return st;
}

/* Scripts cannot make kernels for these devices, and the devices compute nothing tile by tile. */
int host_user_kernel(pjrt_queue *q, const user_kernel_call *c) { return (void)q, (void)c, ERR_NO_KERNEL; }
int host_tiled(pjrt_queue *q, const tiled_call *c)             { return (void)q, (void)c, ERR_NO_KERNEL; }
