/* Cuts a plan (a loop nest over the elements of an element-wise call) into boxes: blocks that threads process one at a
** time. Buffers in L1 receive the copied or converted elements of a box, so mixed dtypes and irregular layouts need no
** temporary tensors. */

#include "cpu/box.h"

#include <stdlib.h>
#include <string.h>

enum {
  STRETCH  = 1 << 14,        /* the most elements of a box if no operand needs a buffer; longer rows are cut only so
                             ** that threads can share them */
  LONG_ROW = 256,            /* the fewest elements of a row that gets boxes of its own; shorter rows share a box,
                             ** because a box costs about 40 ns, but a further row of a box only 5 ns */
  CROSS    = 64,             /* the length of the inner side of a transposed box: 128, 64 and 32 differ by 5 % in
                             ** time, while 256 and 16 are slower by a third */
  PIECES   = 4,              /* the number of pieces per thread into which a task is divided: several, so that other
                             ** threads can take over pieces of a delayed thread */
  CROSS_MOVE = 256           /* the length of the inner side of a transposed copy: source and target take 512 KiB of
                             ** float32, half of a 1-MiB L2 */
};

/* ---- cutting ---- */

/* Cuts n elements into parts of at most `most` elements. Returns the length of a part. If n is a multiple of the number
** of parts, all parts have equal lengths. Otherwise the length is rounded up to whole cache lines (64 elements), if
** `most` allows this. */
static int64_t even_part(int64_t n, int64_t most) {
  int64_t parts = (n + most - 1) / most;
  if (n % parts == 0) return n / parts;
  int64_t part = (n + parts - 1) / parts, lines = (part + 63) / 64 * 64;
  return least_of(n, lines <= most ? lines : part);
}

/* Returns the cross dim: a dim in which an operand has a smaller stride than in the innermost dim, as in a transposed
** matrix. Returns -1 if every operand has its smallest stride in the innermost dim. Strides of 0 do not count. */
static int cross_dim(const plan *p, int noperands) {
  int inner = p->ndim - 1, cross = -1;
  for (int k = 0; k < noperands; k++) {
    int64_t closest = llabs(p->stride[k][inner]);
    for (int d = 0; d < inner; d++) {
      int64_t s = llabs(p->stride[k][d]);
      if (s == 0 || s >= closest) continue;
      closest = s;
      cross = d;
    }
  }
  return cross;
}

/* Chooses the lengths of boxes in the cross dim and in the innermost dim. The length in the innermost dim is normally
** CROSS, or CROSS_MOVE for a copy. It is less if that dim is shorter, and more if the cross dim is short. All other
** lengths are 1. */
static void cross_lengths(const plan *p, int cross, int64_t most, bool moves, int64_t *len) {
  int inner = p->ndim - 1;
  int64_t side = moves ? CROSS_MOVE : CROSS;
  if (moves) most = CROSS_MOVE * CROSS_MOVE;
  len[cross] = least_of(p->shape[cross], most / least_of(p->shape[inner], side));
  len[inner] = least_of(p->shape[inner], most / len[cross]);
}

/* Adds further dims to boxes that have all elements of the cross dim and of the innermost dim, so that a box has as many
** small matrices as fit. */
static void add_matrices(const plan *p, int cross, int64_t most, int64_t *len) {
  int inner = p->ndim - 1;
  if (len[cross] < p->shape[cross] || len[inner] < p->shape[inner]) return;
  most /= len[cross] * len[inner];
  for (int d = inner - 1; d >= 0 && most > 1; d--) {
    if (d == cross) continue;
    len[d] = even_part(p->shape[d], most);
    most /= len[d];
    if (len[d] < p->shape[d]) break;
  }
}

/* Chooses the lengths of boxes. If there is a cross dim, a box is a block in two dims, or several small matrices.
** Otherwise a box is a part of one long row, or as many short rows (along several dims) as fit. A box of a copy, which
** needs no buffers, has as many rows of any length as fit. */
static void choose_lengths(const plan *p, int noperands, const needs *n, int64_t *len) {
  int inner = p->ndim - 1, cross = cross_dim(p, noperands);
  int64_t most = n->moves ? STRETCH : n->most;
  for (int d = 0; d < p->ndim; d++) len[d] = 1;
  if (cross >= 0) {
    cross_lengths(p, cross, most, n->moves, len);
    add_matrices(p, cross, most, len);
    return;
  }
  if (p->shape[inner] >= LONG_ROW && !n->moves) {
    len[inner] = even_part(p->shape[inner], n->buffers ? most : STRETCH);
    return;
  }
  for (int d = inner; d >= 0; d--) {
    len[d] = even_part(p->shape[d], most);
    most /= len[d];
    if (len[d] < p->shape[d] || most < 2) break;
  }
}

void cut_plan(cut *c, const plan *p, int noperands, const needs *n) {
  c->count = c->each = 1;
  if (p->ndim > 0) choose_lengths(p, noperands, n, c->len);
  for (int d = 0; d < p->ndim; d++) {
    c->boxes[d] = (p->shape[d] + c->len[d] - 1) / c->len[d];
    c->count *= c->boxes[d];
    c->each *= c->len[d];
  }
}

static void box_measure(box *b, const cut *c, const plan *p) {
  b->count = 1;
  b->full = true;
  for (int d = 0; d < p->ndim; d++) {
    b->len[d] = least_of(c->len[d], p->shape[d] - b->at[d]);
    b->full &= b->len[d] == c->len[d];
    b->count *= b->len[d];
  }
}

void box_start(box *b, const cut *c, const plan *p, int noperands, int64_t index) {
  memset(b->offset, 0, sizeof b->offset);
  for (int d = p->ndim - 1; d >= 0; d--) {
    b->at[d] = index % c->boxes[d] * c->len[d];
    index /= c->boxes[d];
    for (int k = 0; k < noperands; k++) b->offset[k] += b->at[d] * p->stride[k][d];
  }
  box_measure(b, c, p);
}

void box_next(box *b, const cut *c, const plan *p, int noperands) {
  for (int d = p->ndim - 1; d >= 0; d--) {
    int64_t step = c->len[d];
    b->at[d] += step;
    bool wraps = b->at[d] >= p->shape[d];
    if (wraps) {
      step -= b->at[d];
      b->at[d] = 0;
    }
    for (int k = 0; k < noperands; k++) b->offset[k] += step * p->stride[k][d];
    if (!wraps) break;
  }
  box_measure(b, c, p);
}

/* ---- copying boxes ---- */

/* A copy between two layouts of a box. Dims of length 1 are left out. */
typedef struct copying {
  int     ndim;
  int64_t len[MAX_DIMS], to[MAX_DIMS], from[MAX_DIMS];   /* lengths, and strides in elements */
} copying;

/* Makes the longest dim one of the last two dims, because the kernel loops over these two dims. A dim that is moved
** becomes the second-to-last dim. */
static void longest_last(copying *c) {
  int longest = c->ndim - 1;
  for (int d = 0; d < c->ndim; d++)
    if (c->len[d] > c->len[longest]) longest = d;
  if (longest >= c->ndim - 2) return;
  int64_t len = c->len[longest], to = c->to[longest], from = c->from[longest];
  for (int d = longest; d < c->ndim - 2; d++) {
    c->len[d] = c->len[d + 1];
    c->to[d] = c->to[d + 1];
    c->from[d] = c->from[d + 1];
  }
  c->len[c->ndim - 2] = len;
  c->to[c->ndim - 2] = to;
  c->from[c->ndim - 2] = from;
}

static void copy_dims(const copying *c, int d, int size, char *to, const char *from) {
  if (d + 2 == c->ndim) {
    cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&(copy_plan){
      .rows = c->len[d], .cols = c->len[d + 1], .to_row = c->to[d], .to_col = c->to[d + 1],
      .from_row = c->from[d], .from_col = c->from[d + 1]}, to, from);
    return;
  }
  for (int64_t i = 0; i < c->len[d]; i++)
    copy_dims(c, d + 1, size, to + i * c->to[d] * size, from + i * c->from[d] * size);
}

void box_copy(const box *b, int ndim, int size, char *to, const int64_t *to_stride, const char *from,
              const int64_t *from_stride) {
  copying c = {.ndim = 0};
  int64_t step = 1, packed[MAX_DIMS];
  for (int d = ndim - 1; d >= 0; d--) {
    packed[d] = step;
    step *= b->len[d];
  }
  if (!to_stride) to_stride = packed;
  if (!from_stride) from_stride = packed;
  for (int d = -2; d < ndim; d++) {            /* d < 0 adds two leading dims of length 1, because the kernel requires
                                               ** two dims */
    bool filler = d < 0;
    if (!filler && b->len[d] == 1) continue;
    c.len[c.ndim] = filler ? 1 : b->len[d];
    c.to[c.ndim] = filler ? 0 : to_stride[d];
    c.from[c.ndim++] = filler ? 0 : from_stride[d];
  }
  longest_last(&c);
  copy_dims(&c, 0, size, to, from);
}

/* ---- operands ---- */

/* True if elements with these strides are contiguous in the order of the box. */
static bool is_run(const box *b, int ndim, const int64_t *stride) {
  int64_t step = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    if (b->len[d] != 1 && stride[d] != step) return false;
    step *= b->len[d];
  }
  return true;
}

/* True if all elements of the box are one element, as in a column that is broadcast over its row. */
static bool is_repeated(const box *b, int ndim, const int64_t *stride) {
  for (int d = 0; d < ndim; d++)
    if (b->len[d] != 1 && stride[d] != 0) return false;
  return true;
}

const char *side_fetch_one(side *s, int64_t offset) {
  const char *from = s->data + offset * s->size;
  if (!s->convert) return from;
  s->convert(1, s->value, from);
  return s->value;
}

const char *side_fetch(side *s, const box *b, int ndim, int64_t offset, char *into) {
  const char *from = s->data + offset * s->size;
  bool run = is_run(b, ndim, s->stride);
  if (run && !s->convert) return from;
  if (b->full && s->from == from && s->ready == into) return into;
  if (is_repeated(b, ndim, s->stride)) {
    copy_kernel copy = cpu_isa->convert->copy[__builtin_ctz((unsigned)s->computed)];
    copy(&(copy_plan){.rows = 1, .cols = b->count, .to_col = 1}, into, side_fetch_one(s, offset));
  } else {
    const char *raw = from;
    if (!run) {
      char *packed = s->convert ? s->raw : into;
      box_copy(b, ndim, s->size, packed, NULL, from, s->stride);
      raw = packed;
    }
    if (s->convert) s->convert(b->count, into, raw);
  }
  s->from = b->full ? from : NULL;
  s->ready = into;
  return into;
}

char *side_target(side *s, const box *b, int ndim, int64_t offset) {
  bool direct = !s->convert && is_run(b, ndim, s->stride);
  return direct ? s->data + offset * s->size : s->block;
}

void side_deliver(side *s, const box *b, int ndim, int64_t offset, const char *made) {
  char *to = s->data + offset * s->size;
  if (made == to) return;
  bool run = is_run(b, ndim, s->stride);
  if (s->convert) {
    char *stored = run ? to : s->raw;
    s->convert(b->count, stored, made);
    made = stored;
  }
  if (made != to) box_copy(b, ndim, s->size, to, s->stride, made, NULL);
}

void side_init(side *s, const operand *o, const int64_t *stride, enum dtype from, enum dtype to) {
  s->data = o->data;
  s->stride = stride;
  s->size = dtype_size(o->dtype);
  s->computed = dtype_size(to);
  s->convert = from == to ? NULL : cpu_isa->convert->convert[from][to];
  s->from = NULL;
}

/* Writes the number to `to` as one element of dtype d. */
static void write_scalar(const scalar *v, enum dtype d, char *to) {
  const double parts[2] = {v->f, v->im};
  if (v->is_complex) cpu_isa->convert->convert[DT_complex128][d](1, to, parts);
  else if (v->is_float) cpu_isa->convert->convert[DT_float64][d](1, to, &v->f);
  else cpu_isa->convert->convert[DT_int64][d](1, to, &v->i);
}

void side_input(side *s, const operand *o, const int64_t *stride, enum dtype compute) {
  side_init(s, o, stride, o->dtype, compute);
  if (o->data) return;
  write_scalar(&o->value, compute, s->value);
  s->data = s->value;
  s->size = dtype_size(compute);
  s->convert = NULL;
}

int64_t box_most(const operand *out, const operand *in, int nin, enum dtype compute) {
  int size = dtype_size(compute) > dtype_size(out->dtype) ? dtype_size(compute) : dtype_size(out->dtype);
  for (int k = 0; k < nin; k++)
    if (dtype_size(in[k].dtype) > size) size = dtype_size(in[k].dtype);
  return BOX_BYTES / (size > 8 ? 16 : 8);
}

void fill_constant(const scalar *v, enum dtype d, int64_t n, char *to) {
  size_t have = (size_t)dtype_size(d), bytes = (size_t)n * have;
  write_scalar(v, d, to);
  for (; have < bytes; have *= 2) memcpy(to + have, to, have < bytes - have ? have : bytes - have);
}

/* ---- threads ---- */

typedef struct sharing {
  const void *task;
  share_run   run;
  int64_t     count, pieces;
} sharing;

static void run_piece(const void *arg, int64_t i, int worker) {
  const sharing *s = arg;
  s->run(s->task, s->count * i / s->pieces, s->count * (i + 1) / s->pieces, worker);
}

void share(const void *task, share_run run, int64_t count, int64_t most, int threads) {
  if (threads == 1 && count <= most) {                  /* a small task is not divided into pieces */
    if (!this_operation.stopped) run(task, 0, count, 0);
    return;
  }
  int64_t pieces = (count - 1) / most + 1;
  if (threads > 1 && pieces < (int64_t)PIECES * threads) pieces = (int64_t)PIECES * threads;
  if (pieces > count) pieces = count;
  sharing s = {.task = task, .run = run, .count = count, .pieces = pieces};
  cpu_parallel(threads, s.pieces, run_piece, &s);
}
