#ifndef LT_CPU_BOX_H
#define LT_CPU_BOX_H

/* Boxes: the parts into which element-wise families (map.c, elementwise.c) cut a plan. Kernels see each operand's box
** as a contiguous run of their compute dtype. */

#include "cpu/cpu.h"

enum {
  BOX_COUNT = 1024,          /* most elements of a box: five operands of 8 bytes take 40 of the 48 KiB of L1 */
  BOX_BYTES = 8 * BOX_COUNT  /* boxes of 16-byte elements have half as many */
};

/* One operand in the form that the kernel reads, or the result in the form that the kernel writes. */
typedef struct side {
  char   *data;              /* element at the plan's origin */
  const int64_t *stride;     /* strides of the plan's dims, in elements */
  int     size;              /* bytes of an element as stored */
  convert_kernel convert;    /* from the stored to the compute dtype (the result: reverse); NULL: the same dtype */
  const char *from;          /* the source of the full box that `ready` holds; NULL: none */
  const char *ready;
  char    value[16];         /* a scalar, in the compute dtype: an operand with strides 0 */
  _Alignas(64) char raw[BOX_BYTES];     /* a box in the stored dtype */
  _Alignas(64) char block[BOX_BYTES];   /* a converted box, or the kernel's result */
} side;

/* The way in which the plan is cut: boxes of len[d] elements along dim d; the last box may be shorter. */
typedef struct cut {
  int64_t len[MAX_DIMS], boxes[MAX_DIMS];
  int64_t count;             /* number of boxes */
  int64_t each;              /* elements of a full box */
} cut;

/* The box that is being computed. */
typedef struct box {
  int64_t at[MAX_DIMS], len[MAX_DIMS];
  int64_t offset[1 + MAX_IN];
  int64_t count;             /* its elements */
  bool    full;              /* no dim is cut short */
} box;

/* The needs of the operands, which decide how the plan is cut. */
typedef struct needs {
  int64_t most;              /* elements that the buffers hold */
  bool    buffers;           /* a row must be copied or converted */
  bool    moves;             /* a copy between layouts, which needs no buffers */
} needs;

/* ---- cutting ---- */

void cut_plan(cut *c, const plan *p, int noperands, const needs *n);
void box_start(box *b, const cut *c, const plan *p, int noperands, int64_t index);
void box_next(box *b, const cut *c, const plan *p, int noperands);

/* Copies the box. A stride row of NULL means a contiguous box. */
void box_copy(const box *b, int ndim, int size, char *to, const int64_t *to_stride, const char *from,
              const int64_t *from_stride);

/* ---- operands ---- */

/* Prepares an operand that is stored as `from` and used as `to`. A number is converted to the compute dtype. */
void side_init(side *s, const operand *o, const int64_t *stride, enum dtype from, enum dtype to);
void side_input(side *s, const operand *o, const int64_t *stride, enum dtype compute);

/* Returns the box of an input as a contiguous run of the compute dtype. The buffer `into` is used if elements must be
** copied or converted. */
const char *side_fetch(side *s, const box *b, int ndim, int64_t offset, char *into);

/* Returns the address to which the kernel writes the box: the target itself if the target has the right layout and
** dtype, else the side's block. */
char *side_target(side *s, const box *b, int ndim, int64_t offset);

/* Moves the kernel's result to the target, unless the kernel wrote to the target directly. */
void side_deliver(side *s, const box *b, int ndim, int64_t offset, const char *made);

/* Returns the number of elements that the buffers hold, for the dtypes of the operands and the compute dtype. */
int64_t box_most(const operand *out, const operand *in, int nin, enum dtype compute);

/* Writes `n` copies of a number. */
void fill_constant(const scalar *v, enum dtype d, int64_t n, char *to);

/* True if every row of operand k is contiguous, so that kernels can use it in place. */
static inline bool walks_direct(const plan *p, int k) { return p->ndim == 0 || p->stride[k][p->ndim - 1] == 1; }

/* Runs units 0 … count - 1 of a task as items of cpu_parallel, each at most `most` neighbouring units. The operation
** can be cancelled between two items, so an item takes milliseconds: the slowest elements, powers of complex128, take
** 30 ns each. */
typedef void (*share_run)(const void *task, int64_t begin, int64_t end, int worker);
void share(const void *task, share_run run, int64_t count, int64_t most, int threads);

/* Like share, for units of at least `each` elements. */
static inline void share_long(const void *task, share_run run, int64_t count, int64_t each, int threads) {
  share(task, run, count, each < CANCEL_STRETCH ? CANCEL_STRETCH / (each < 1 ? 1 : each) : 1, threads);
}

#endif
