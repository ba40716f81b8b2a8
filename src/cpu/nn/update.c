/* Updates of parameters by optimisers. The threads share the blocks of all parameters of a call. If all operands of a
** parameter are contiguous and have the compute dtype, they are updated in place. Otherwise they are updated box by box
** (box.h). */

#include "base/shape.h"
#include "cpu/box.h"

enum { GRAIN = 1 << 14 };      /* the fewest elements for each thread: for fewer elements, a thread costs more time
                               ** than it saves */

typedef struct update_work {
  const update_call *call;
  const update_table *kernels;
  enum dtype     compute;
  convert_kernel back;         /* converts from the compute to the stored dtype; NULL: the dtypes are equal */
  side (*sides)[UPDATE_OPERANDS];      /* for each thread: one side (box.h) for each operand; NULL: no item has boxes */
} update_work;

static const double *numbers(const update_item *i) { return i->cell ? i->cell : i->number; }

static bool has_boxes(const update_work *t, const update_item *i) { return i->plan || t->back; }

/* Updates blocks begin … end - 1 of an item whose operands are contiguous. */
static void run_flat(const update_work *t, const update_item *i, int64_t begin, int64_t end) {
  void *at[UPDATE_OPERANDS];
  int64_t from = begin * UPDATE_BLOCK, to = end * UPDATE_BLOCK < i->count ? end * UPDATE_BLOCK : i->count;
  for (int k = 0; k < 2 + i->states; k++) at[k] = (char *)i->at[k] + from * dtype_size(t->compute);
  t->kernels->kernel[i->op](to - from, at, numbers(i));
}

/* ---- boxes ---- */

/* Copies the kernel's result for operand k from `made` to the operand. */
static void deliver(const update_work *t, side *s, const box *b, int ndim, int k, const char *made) {
  convert_kernel forth = s->convert;
  s->convert = t->back;
  side_deliver(s, b, ndim, b->offset[k], made);
  s->convert = forth;
  s->from = NULL;                              /* the block no longer contains the operand's elements */
}

static void run_box(const update_work *t, const update_item *i, side *sides, const box *b, int ndim) {
  void *at[UPDATE_OPERANDS];
  for (int k = 0; k < 2 + i->states; k++) {
    const char *box = side_fetch(&sides[k], b, ndim, b->offset[k], sides[k].block);
    at[k] = box == sides[k].block ? sides[k].block : sides[k].data + b->offset[k] * sides[k].size;
  }
  t->kernels->kernel[i->op](b->count, at, numbers(i));
  for (int k = 0; k < 2 + i->states; k++)
    if (k != 1) deliver(t, &sides[k], b, ndim, k, at[k]);
}

/* Updates the boxes of an item that correspond to its blocks begin … end - 1: each box belongs to one block. */
static void run_boxes(const update_work *t, const update_item *i, int64_t begin, int64_t end, side *sides) {
  int operands = 2 + i->states;
  plan flat;
  const plan *p = i->plan;
  if (!p) plan_contiguous(&flat, i->count, operands), p = &flat;
  for (int k = 0; k < operands; k++)
    side_init(&sides[k], &(operand){.data = i->at[k], .dtype = t->call->dtype}, p->stride[k], t->call->dtype, t->compute);
  cut c;
  cut_plan(&c, p, operands, &(needs){.most = BOX_COUNT, .buffers = true});
  int64_t at = c.count * begin / update_blocks(i), last = c.count * end / update_blocks(i);
  if (at == last) return;
  box b;
  box_start(&b, &c, p, operands, at);
  run_box(t, i, sides, &b, p->ndim);
  while (++at < last) {
    box_next(&b, &c, p, operands);
    run_box(t, i, sides, &b, p->ndim);
  }
}

/* ---- all items ---- */

/* Returns the item that has this block of the call. */
static const update_item *item_of(const update_call *c, int64_t block) {
  int low = 0, high = c->count - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (c->item[middle].first <= block) low = middle;
    else high = middle - 1;
  }
  return &c->item[low];
}

/* Updates blocks begin … end - 1 of the call. */
static void run_blocks(const void *task, int64_t begin, int64_t end, int worker) {
  const update_work *t = task;
  for (const update_item *i = item_of(t->call, begin); begin < end; i++) {
    int64_t blocks = update_blocks(i), from = begin - i->first, to = end - i->first < blocks ? end - i->first : blocks;
    if (has_boxes(t, i)) run_boxes(t, i, from, to, t->sides[worker]);
    else run_flat(t, i, from, to);
    begin = i->first + to;
  }
}

int cpu_update(int index, const update_call *c) {
  enum dtype compute = dtype_compute(c->dtype);
  update_work t = {.call = c, .kernels = FLOAT_TABLE(update, compute), .compute = compute};
  if (!t.kernels) return ERR_NO_KERNEL;
  if (compute != c->dtype) t.back = cpu_isa->convert->convert[compute][c->dtype];
  const update_item *last = &c->item[c->count - 1];
  int64_t blocks = last->first + update_blocks(last);
  int threads = cpu_threads(blocks * UPDATE_BLOCK, GRAIN);
  bool boxes = false;
  for (int k = 0; k < c->count; k++) boxes |= has_boxes(&t, &c->item[k]);
  size_t bytes = boxes ? (size_t)threads * sizeof *t.sides : 0;
  void *sides = NULL;
  int st = boxes ? cpu_alloc(index, bytes, &sides) : OK;
  if (st != OK) return st;
  t.sides = sides;
  share(&t, run_blocks, blocks, CANCEL_STRETCH / UPDATE_BLOCK, threads);
  if (boxes) cpu_free(index, sides, bytes);
  return OK;
}
