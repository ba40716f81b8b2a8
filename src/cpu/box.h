#ifndef LT_CPU_BOX_H
#define LT_CPU_BOX_H

/* Boxes: the blocks into which element-wise families (map.c, elementwise.c) cut a plan, which is a loop nest over the
** elements of a call. Kernels read and write each operand's box as a contiguous array of their compute dtype. */

#include "cpu/cpu.h"

enum {
  BOX_COUNT = 1024,          /* the most elements of a box: five operands of 8-byte elements take 40 of the 48 KiB of
                             ** L1 */
  BOX_BYTES = 8 * BOX_COUNT  /* the size in bytes of a buffer; a box of 16-byte elements has at most 512 elements */
};

/* An operand of a plan (an input or the result), with buffers for one box of the operand. */
typedef struct side {
  char   *data;              /* address of the element at the plan's origin */
  const int64_t *stride;     /* strides of the plan's dims, in elements */
  int     size, computed;    /* the sizes in bytes of a stored element and of a converted element */
  convert_kernel convert;    /* converts from the stored to the compute dtype (the result: from the compute to the
                             ** stored dtype); NULL: the dtypes are equal */
  const char *from;          /* the address of the full box whose converted copy is at `ready`; NULL: no box */
  const char *ready;
  char    value[16];         /* the operand's value in the compute dtype if the operand is a number instead of a
                             ** tensor; all strides of a number are 0 */
  _Alignas(64) char raw[BOX_BYTES];     /* a contiguous box in the stored dtype */
  _Alignas(64) char block[BOX_BYTES];   /* a converted box, or the kernel's result */
} side;

/* The division of a plan into boxes. A box has len[d] elements along dim d; the last box of a dim may be shorter. */
typedef struct cut {
  int64_t len[MAX_DIMS], boxes[MAX_DIMS];
  int64_t count;             /* the number of boxes */
  int64_t each;              /* the number of elements of a full box */
} cut;

/* The box that a thread computes: its origin `at`, its lengths, and the origin's offset in each operand in
** elements. */
typedef struct box {
  int64_t at[MAX_DIMS], len[MAX_DIMS];
  int64_t offset[MAX_OPERANDS];
  int64_t count;             /* the number of elements of the box */
  bool    full;              /* true: no dim of the box is shortened */
} box;

/* Properties of the operands that decide how the plan is cut. */
typedef struct needs {
  int64_t most;              /* the most elements that a buffer can store */
  bool    buffers;           /* true: a row of an operand must be copied or converted */
  bool    moves;             /* true: the operation is a copy between layouts, which needs no buffers */
} needs;

/* ---- cutting ---- */

void cut_plan(cut *c, const plan *p, int noperands, const needs *n);
void box_start(box *b, const cut *c, const plan *p, int noperands, int64_t index);
void box_next(box *b, const cut *c, const plan *p, int noperands);

/* Copies a box of elements of `size` bytes. Strides are in elements. If to_stride (from_stride) is NULL, the box is
** contiguous at `to` (`from`). */
void box_copy(const box *b, int ndim, int size, char *to, const int64_t *to_stride, const char *from,
              const int64_t *from_stride);

/* ---- operands ---- */

/* Prepare an operand. side_init converts from dtype `from` to dtype `to`. side_input converts an input to the compute
** dtype; the input may be a number. */
void side_init(side *s, const operand *o, const int64_t *stride, enum dtype from, enum dtype to);
void side_input(side *s, const operand *o, const int64_t *stride, enum dtype compute);

/* Returns the address of an input's box as a contiguous array of the compute dtype. If elements must be copied or
** converted, the array is in the buffer `into`. */
const char *side_fetch(side *s, const box *b, int ndim, int64_t offset, char *into);

/* Returns the address of the first element of an input's box in the compute dtype. */
const char *side_fetch_one(side *s, int64_t offset);

/* Returns the address to which the kernel writes the box. This is the target itself if the target has the kernel's
** layout and dtype, otherwise the side's block. */
char *side_target(side *s, const box *b, int ndim, int64_t offset);

/* Copies the kernel's result from `made` to the target, unless the kernel wrote to the target directly. */
void side_deliver(side *s, const box *b, int ndim, int64_t offset, const char *made);

/* Returns the number of elements that a buffer can store, given the dtypes of the operands and the compute dtype. */
int64_t box_most(const operand *out, const operand *in, int nin, enum dtype compute);

/* Writes n copies of a number in dtype d to `to`. */
void fill_constant(const scalar *v, enum dtype d, int64_t n, char *to);

/* True if every row of operand k is contiguous, so that kernels can read or write its elements without a copy. */
static inline bool walks_direct(const plan *p, int k) { return p->ndim == 0 || p->stride[k][p->ndim - 1] == 1; }

/* share runs units 0 … count - 1 of a task as items of cpu_parallel. An item has at most `most` neighbouring units.
** The operation can be cancelled only between two items, so an item should take milliseconds. The slowest elements,
** powers of complex128, take 30 ns each. */
typedef void (*share_run)(const void *task, int64_t begin, int64_t end, int worker);
void share(const void *task, share_run run, int64_t count, int64_t most, int threads);

/* Like share, for units of at least `each` elements; the function chooses `most`. */
static inline void share_long(const void *task, share_run run, int64_t count, int64_t each, int threads) {
  share(task, run, count, each < CANCEL_STRETCH ? CANCEL_STRETCH / (each < 1 ? 1 : each) : 1, threads);
}

#endif
