#ifndef LT_CPU_BOX_H
#define LT_CPU_BOX_H

/* Boxes: what element-wise families (map.c, elementwise.c) cut a plan into. Kernels see each operand's box as one
** contiguous run of the dtype they compute in. */

#include "cpu/cpu.h"

enum {
  BOX_COUNT = 1024,          /* elements of a box at most: five operands of 8 bytes fill a 48 KiB L1 */
  BOX_BYTES = 8 * BOX_COUNT  /* boxes of 16-byte elements have half as many */
};

/* One operand as it is brought to the kernel, or the result as it is brought back. */
typedef struct side {
  char   *data;              /* element at the plan's origin */
  const int64_t *stride;     /* of the plan's dims, in elements */
  int     size;              /* bytes of an element as stored */
  convert_kernel convert;    /* stored to computed (the result: computed to stored); NULL: the same */
  const char *from;          /* whose full box `ready` holds; NULL: none */
  const char *ready;
  char    value[16];         /* a scalar, of the compute dtype: an operand with strides 0 */
  _Alignas(64) char raw[BOX_BYTES];     /* a box as stored */
  _Alignas(64) char block[BOX_BYTES];   /* converted, or what the kernel makes */
} side;

/* The way in which the plan is cut: boxes of len[d] elements along dim d; the last box may be shorter. */
typedef struct cut {
  int64_t len[MAX_DIMS], boxes[MAX_DIMS];
  int64_t count;             /* boxes in all */
  int64_t each;              /* elements of a box */
} cut;

/* The box at hand. */
typedef struct box {
  int64_t at[MAX_DIMS], len[MAX_DIMS];
  int64_t offset[1 + MAX_IN];
  int64_t count;             /* its elements */
  bool    full;              /* no dim is cut short */
} box;

/* The needs of the operands, which decide how the plan is cut. */
typedef struct needs {
  int64_t most;              /* elements the buffers hold */
  bool    buffers;           /* some row has to be copied or converted */
  bool    moves;             /* a copy from layout to layout: no buffers at all */
} needs;

/* ---- cutting ---- */

void cut_plan(cut *c, const plan *p, int noperands, const needs *n);
void box_start(box *b, const cut *c, const plan *p, int noperands, int64_t index);
void box_next(box *b, const cut *c, const plan *p, int noperands);

/* Copies the box; a stride row of NULL is that of a contiguous box. */
void box_copy(const box *b, int ndim, int size, char *to, const int64_t *to_stride, const char *from,
              const int64_t *from_stride);

/* ---- operands ---- */

/* stored as `from` and wanted as `to`; an input's number is computed with as it is. */
void side_init(side *s, const operand *o, const int64_t *stride, enum dtype from, enum dtype to);
void side_input(side *s, const operand *o, const int64_t *stride, enum dtype compute);

/* The box of an input as a contiguous run of the compute dtype; what has to be made is put at `into`. */
const char *side_fetch(side *s, const box *b, int ndim, int64_t offset, char *into);

/* Where the kernel writes the box: in place when the target is stored so, else the side's block. */
char *side_target(side *s, const box *b, int ndim, int64_t offset);

/* What the kernel made, to where it belongs. */
void side_deliver(side *s, const box *b, int ndim, int64_t offset, const char *made);

/* `n` copies of a number. */
/* Elements that the buffers hold: of the operands, and of what they are converted to. */
int64_t box_most(const operand *out, const operand *in, int nin, enum dtype compute);

void fill_constant(const scalar *v, enum dtype d, int64_t n, char *to);

/* True if every row of operand k lies in order, so that kernels can use it where it is. */
static inline bool walks_direct(const plan *p, int k) { return p->ndim == 0 || p->stride[k][p->ndim - 1] == 1; }

/* Units 0 … count - 1 of a task are run, in runs of at most `most` neighbours, as items of cpu_parallel: between two runs an
** operation can be ended, so a run takes milliseconds: the dearest elements, powers of complex128, take 30 ns each. */
typedef void (*share_run)(const void *task, int64_t begin, int64_t end, int worker);
void share(const void *task, share_run run, int64_t count, int64_t most, int threads);

/* The same of units that are `each` elements long, or longer. */
static inline void share_long(const void *task, share_run run, int64_t count, int64_t each, int threads) {
  share(task, run, count, each < CANCEL_STRETCH ? CANCEL_STRETCH / (each < 1 ? 1 : each) : 1, threads);
}

#endif
