/* Updates of parameters by optimisers. If all operands are contiguous and have the compute dtype, they are updated in
** place. Otherwise they are updated box by box (box.h). */

#include "cpu/box.h"

#include <string.h>

enum { GRAIN = 1 << 14 };      /* the fewest elements for each thread: for fewer elements, a thread costs more time
                               ** than it saves */

typedef struct update_work {
  const update_call *call;
  update_kernel  kernel;
  enum dtype     compute;
  convert_kernel back;         /* converts from the compute to the stored dtype; NULL: the dtypes are equal */
  cut            cut;
  side (*sides)[UPDATE_OPERANDS];      /* for each thread: one side (box.h) for each operand */
} update_work;

/* Updates elements begin … end - 1, which are contiguous in all operands. */
static void run_flat(const void *task_at, int64_t begin, int64_t end, int worker) {
  const update_work *t = task_at;
  (void)worker;
  const update_call *c = t->call;
  void *at[UPDATE_OPERANDS];
  begin = begin / 64 * 64;                     /* threads begin at multiples of 64 elements, so that two threads never
                                               ** write to the same cache line of an aligned tensor */
  if (end < c->plan->count) end = end / 64 * 64;
  for (int k = 0; k < 2 + c->states; k++) at[k] = (char *)c->at[k] + begin * dtype_size(c->dtype);
  t->kernel(end - begin, at, c->number);
}

/* Copies the kernel's result for operand k from `made` to the operand. */
static void deliver(const update_work *t, side *s, const box *b, int k, const char *made) {
  convert_kernel forth = s->convert;
  s->convert = t->back;
  side_deliver(s, b, t->call->plan->ndim, b->offset[k], made);
  s->convert = forth;
  s->from = NULL;                              /* the block no longer contains the operand's elements */
}

static void run_box(const update_work *t, side *sides, const box *b) {
  const update_call *c = t->call;
  int ndim = c->plan->ndim;
  void *at[UPDATE_OPERANDS];
  for (int k = 0; k < 2 + c->states; k++) {
    const char *box = side_fetch(&sides[k], b, ndim, b->offset[k], sides[k].block);
    at[k] = box == sides[k].block ? sides[k].block : sides[k].data + b->offset[k] * sides[k].size;
  }
  t->kernel(b->count, at, c->number);
  for (int k = 0; k < 2 + c->states; k++)
    if (k != 1) deliver(t, &sides[k], b, k, at[k]);
}

static void run_boxes(const void *task_at, int64_t begin, int64_t end, int worker) {
  const update_work *t = task_at;
  const update_call *c = t->call;
  int operands = 2 + c->states;
  side *sides = t->sides[worker];
  for (int k = 0; k < operands; k++)
    side_init(&sides[k], &(operand){.data = c->at[k], .dtype = c->dtype}, c->plan->stride[k], c->dtype, t->compute);
  box b;
  box_start(&b, &t->cut, c->plan, operands, begin);
  for (int64_t i = begin; i < end; i++) {
    run_box(t, sides, &b);
    if (i + 1 < end) box_next(&b, &t->cut, c->plan, operands);
  }
}

static bool is_flat(const update_call *c) {
  if (c->plan->ndim > 1) return false;
  for (int k = 0; k < 2 + c->states; k++)
    if (!walks_direct(c->plan, k)) return false;
  return true;
}

int cpu_update(int index, const update_call *c) {
  enum dtype compute = dtype_compute(c->dtype);
  const update_table *kernels = FLOAT_TABLE(update, compute);
  if (!kernels) return ERR_NO_KERNEL;
  update_call now = *c;
  if (c->cell) memcpy(now.number, c->cell, sizeof now.number);
  update_work t = {.call = &now, .kernel = kernels->kernel[c->op], .compute = compute};
  int threads = cpu_threads(c->plan->count, GRAIN);
  if (compute == c->dtype && is_flat(c)) {
    share(&t, run_flat, c->plan->count, CANCEL_STRETCH, threads);
    return OK;
  }
  if (compute != c->dtype) t.back = cpu_isa->convert->convert[compute][c->dtype];
  cut_plan(&t.cut, c->plan, 2 + c->states, &(needs){.most = BOX_COUNT, .buffers = true});
  void *sides;
  size_t bytes = (size_t)threads * sizeof *t.sides;
  int st = cpu_alloc(index, bytes, &sides);
  if (st != OK) return st;
  t.sides = sides;
  share_long(&t, run_boxes, t.cut.count, t.cut.each, threads);
  cpu_free(index, sides, bytes);
  return OK;
}
