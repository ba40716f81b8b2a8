/* Sums over several devices of a plugin. If the open programs of the devices have the same text, the sums become lines of them,
** and the programs run as one program with an all_reduce, each device as a replica. Otherwise each device runs its own program
** first. Then the open programs are empty, and the same. */

#include <stdlib.h>

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

/* Appends the sums of device d. values[t] is the value of tensor t. */
static int append_sums(pjrt_queue *q, const all_sum_call *c, int d, const term *values) {
  for (int t = 0; t < c->count; t++)
    queue_put(q, &c->out[d * c->count + t], &(shape){1, {c->elements[t]}}, contiguous, sum(&q->lines, c, t, values[t]));
  return q->lines.status;
}

/* ---- the same text ---- */

/* Makes the blocks of the tensors of device d values of its open program. Unwritten blocks have a line and no argument, so that
** they are left out. */
static void get_blocks(pjrt_queue *q, const all_sum_call *c, int d) {
  for (int t = 0; t < c->count; t++) {
    const operand *o = &c->in[d * c->count + t];
    block *b = block_of(q, o->data);
    if (b && !b->fresh) queue_values(q, b, o->dtype);
  }
}

/* Finds the values of all tensors of device d. If d is 0, values[t] becomes the value of tensor t, and *before the end of the
** program without these values. Otherwise *same becomes false if the open program or a value differs from that of device 0. */
static int get_tensors(pjrt_queue *const *q, const all_sum_call *c, int d, term *values, end *before, bool *same) {
  get_blocks(q[d], c, d);
  if (d == 0) *before = (end){q[0]->lines.length, q[0]->nresult, q[0]->lines.next};
  for (int t = 0; t < c->count; t++) {
    term x = queue_get(q[d], &c->in[d * c->count + t], &(shape){1, {c->elements[t]}}, contiguous);
    if (d == 0) values[t] = x;
    *same &= x.value == values[t].value;
  }
  int st = q[d]->lines.status;
  *same &= st == OK && q[0]->nresult == q[d]->nresult && q[0]->lines.next == q[d]->lines.next &&
           emit_equal(&q[0]->head, &q[d]->head) && emit_equal(&q[0]->lines, &q[d]->lines);
  return st == QUEUE_AGAIN ? OK : st;
}

/* Ends the calls of all devices, whose status is st. */
static int end_calls(pjrt_queue *const *q, int n, int st) {
  for (int d = 0; d < n; d++) queue_end_call(q[d], st);
  return st;
}

/* Makes the open programs the same. Returns ERR_NO_KERNEL if that is impossible. */
static int make_same(pjrt_queue *const *q, const all_sum_call *c, term *values, end *before) {
  int st = OK;
  for (int pass = 0; pass < 2 && st == OK; pass++) {
    bool same = true;
    if (pass == 1) st = queue_ask_together(q, c->ndevices);
    for (int d = 0; d < c->ndevices && pass == 1 && st == OK; d++) st = queue_run(q[d]);
    for (int d = 0; d < c->ndevices && st == OK; d++) st = get_tensors(q, c, d, values, before, &same);
    if (st == OK && same) return OK;
    end_calls(q, c->ndevices, st == OK ? QUEUE_AGAIN : st);
  }
  return st == OK ? ERR_NO_KERNEL : st;
}

/* Appends the sums to the open programs, which are the same, and runs the programs. After ERR_MEMORY the sums are removed, unless
** the programs have failed. */
static int run_sums(pjrt_queue *const *q, const all_sum_call *c, const term *values, const end *before) {
  int st = OK;
  for (int d = 0; d < c->ndevices && st == OK; d++) st = append_sums(q[d], c, d, values);
  if (end_calls(q, c->ndevices, st) != OK) return st;
  st = queue_ask_together(q, c->ndevices);
  if (st == OK) st = queue_run_together(q, c->ndevices);
  for (int d = 0; d < c->ndevices && st == ERR_MEMORY; d++)
    if (q[d]->nresult > before->nresult) remove_sums(q[d], c, d, before);
  return st;
}

int queue_all_sum(pjrt_queue *const *q, const all_sum_call *c) {
  end before = {0};
  term *values = calloc((size_t)c->count, sizeof *values);
  int st = values ? OK : ERR_MEMORY;
  for (int d = 0; d < c->ndevices; d++)
    if (!queue_reserve(q[d])) st = ERR_MEMORY;
  if (st == OK) st = make_same(q, c, values, &before);
  if (st == OK) st = run_sums(q, c, values, &before);
  free(values);
  return st;
}
