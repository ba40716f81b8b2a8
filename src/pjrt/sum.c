/* Sums over several devices of a plugin. If the open programs of the devices have the same text, the sums become lines of them,
** and the programs run as one program with an all_reduce, each device as a replica. Otherwise each device runs its own program
** first. Then the open programs are empty, and the same. */

#include "pjrt/queue.h"

/* ---- lines ---- */

/* Appends the sum of a value over all devices. The devices' numbers are a comment of the program, which is compiled for these
** devices. */
static term sum(emission *e, const all_sum_call *c, int t, term x) {
  const shape s = {1, {c->elements[t]}};
  const enum dtype wide = dtype_compute(c->in[t].dtype);
  x = term_as(e, &s, x, wide);
  int value = e->next++;
  emit(e, "// devices");
  for (int k = 0; k < c->ndevices; k++) emit(e, " %d", c->index[k]);
  emit(e, "\n%%%d = \"stablehlo.all_reduce\"(%%%d) <{replica_groups = dense<[[0", value, x.value);
  for (int k = 1; k < c->ndevices; k++) emit(e, ", %d", k);
  emit(e, "]]> : tensor<1x%dxi64>}> ", c->ndevices);
  emit_region(e, 2, (enum dtype[]){wide, wide}, wide, wide == DT_bool ? "a | b" : "a + b");
  emit(e, " : (%t) -> %t\n", wide, &s, wide, &s);
  return term_of(value, wide);
}

/* The end of an open program. */
typedef struct end {
  size_t length, nresult;
  int    next;
} end;

/* Removes the sums of device d from its open program. */
static void remove_sums(pjrt_queue *q, const all_sum_call *c, int d, const end *to) {
  for (int t = 0; t < c->count; t++) block_discard(q, block_of(q, c->out[d * c->count + t].data));
  q->lines.length = q->ended = to->length;
  q->lines.next = to->next;
  q->nresult = to->nresult;
}

/* ---- the same text ---- */

/* Appends the sums of device d to its open program. The tensors' blocks become arguments first, which stay if *before, the end of
** the program, is restored. An unwritten block becomes no argument. Returns the status. */
static int append_sums(pjrt_queue *q, const all_sum_call *c, int d, end *before) {
  const operand *in = c->in + d * c->count, *out = c->out + d * c->count;
  for (int t = 0; t < c->count; t++) {
    block *b = block_of(q, in[t].data);
    if (b && !b->fresh) queue_values(q, b, in[t].dtype);
  }
  *before = (end){q->ended, q->nresult, q->lines.next};
  for (int t = 0; t < c->count; t++) {
    const strided v = strided_line(c->elements[t]);
    queue_put(q, &out[t], &v, sum(&q->lines, c, t, queue_get(q, &in[t], &v)));
  }
  return q->lines.status;
}

static bool same_program(const pjrt_queue *a, const pjrt_queue *b) {
  return a->nresult == b->nresult && a->lines.next == b->lines.next && emit_equal(&a->head, &b->head) && emit_equal(&a->lines, &b->lines);
}

/* Appends the sums to the open programs of all devices. Returns QUEUE_AGAIN, and appends nothing, if the programs differ. */
static int append_same(pjrt_queue *const *q, const all_sum_call *c, end *before) {
  int st = OK;
  for (int d = 0; d < c->ndevices && st == OK; d++) {
    st = append_sums(q[d], c, d, before);
    if (st == OK && !same_program(q[0], q[d])) st = QUEUE_AGAIN;
  }
  for (int d = 0; d < c->ndevices; d++) queue_end_call(q[d], st);
  return st;
}

/* After ERR_MEMORY the sums are removed, unless the programs have failed. */
int queue_all_sum(pjrt_queue *const *q, const all_sum_call *c) {
  const int n = c->ndevices;
  end before;
  for (int d = 0; d < n; d++)
    if (!queue_reserve(q[d])) return ERR_MEMORY;
  int st = append_same(q, c, &before);
  if (st == QUEUE_AGAIN) {
    st = queue_ask_together(q, n);
    for (int d = 0; d < n && st == OK; d++) st = queue_run(q[d]);
    if (st == OK) st = append_same(q, c, &before);
  }
  if (st != OK) return st == QUEUE_AGAIN ? ERR_NO_KERNEL : st;
  st = queue_ask_together(q, n);
  if (st == OK) st = queue_run_together(q, n);
  for (int d = 0; d < n && st == ERR_MEMORY; d++)
    if (q[d]->nresult > before.nresult) remove_sums(q[d], c, d, &before);
  return st;
}
