/* Element-wise ops. The plan is cut into boxes of at most BLOCK elements; kernels see each operand's
** box as one contiguous run of the compute dtype. An operand that is stored so is passed by pointer;
** the others are copied together (strided, broadcast, transposed) and converted in L1 buffers, so
** that mixed dtypes and odd layouts need no temporary tensors. The same on the way out. */

#include <string.h>

#include "cpu.h"

enum {
  BLOCK    = 1024,           /* elements of a box: five operands of 8 bytes fill a 48 KiB L1 */
  BUFFER   = 8 * BLOCK,      /* bytes; boxes of 16-byte elements have half as many */
  STRETCH  = 1 << 14,        /* elements of a row that needs no buffer: only the threads share by it */
  LONG_ROW = 256,            /* shorter rows share a box: a box costs about 40 ns, a row of a box 5 ns */
  CROSS    = 64,            /* inner side of a transposed box: 128, 64, 32 differ by 5 %, 256 and 16 are slower by a third */
  CROSS_MOVE = 256,          /* both sides of a transposed copy: 512 KiB of float32, half an L2 */
  CONSTANT = 256,            /* elements a number is repeated: 1 KiB of float32 is filled in no time */
  GRAIN    = 1 << 15,        /* below 32k cheap elements a second thread costs more than it saves */
  COSTLY   = 8               /* what an element of a float-only op (exp, tanh …) counts */
};

/* One operand on its way to the kernel, or the result on its way back. */
typedef struct side {
  char   *data;              /* element at the plan's origin */
  const int64_t *stride;     /* of the plan's dims, in elements */
  int     size;              /* bytes of an element as stored */
  convert_kernel convert;    /* stored to computed (the result: computed to stored); NULL: the same */
  const char *from;          /* whose full box `ready` holds; NULL: none */
  const char *ready;
  char    value[16];         /* a scalar, of the compute dtype: an operand with strides 0 */
  _Alignas(64) char raw[BUFFER];     /* a box as stored */
  _Alignas(64) char block[BUFFER];   /* converted, or what the kernel makes */
} side;

/* How the plan is cut: boxes of len[d] elements along dim d, the last ones may be shorter. */
typedef struct cut {
  int64_t len[MAX_DIMS], boxes[MAX_DIMS];
  int64_t count;             /* boxes in all */
} cut;

/* The box at hand. */
typedef struct box {
  int64_t at[MAX_DIMS], len[MAX_DIMS];
  int64_t offset[1 + MAX_IN];
  int64_t count;             /* its elements */
  bool    full;              /* no dim is cut short */
} box;

/* ---- cutting ---- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }

/* `n` elements in equal parts of at most `most`, else whole cache lines and a rest. */
static int64_t even_part(int64_t n, int64_t most) {
  int64_t parts = (n + most - 1) / most;
  if (n % parts == 0) return n / parts;
  int64_t part = (n + parts - 1) / parts, lines = (part + 63) / 64 * 64;
  return least(n, lines <= most ? lines : part);
}

/* The dim along which an operand lies closer together than along the inner one; -1: all go along. */
static int cross_dim(const plan *p, int noperands) {
  int inner = p->ndim - 1, cross = -1;
  for (int k = 0; k < noperands; k++) {
    int64_t closest = distance(p->stride[k][inner]);
    for (int d = 0; d < inner; d++) {
      int64_t s = distance(p->stride[k][d]);
      if (s == 0 || s >= closest) continue;
      closest = s;
      cross = d;
    }
  }
  return cross;
}

/* A rectangle of the inner and the cross dim. */
static void cross_lengths(const plan *p, int cross, int64_t most, bool moves, int64_t *len) {
  int inner = p->ndim - 1;
  int64_t side = moves ? CROSS_MOVE : CROSS;
  if (moves) most = CROSS_MOVE * CROSS_MOVE;
  len[cross] = least(p->shape[cross], most / least(p->shape[inner], side));
  len[inner] = least(p->shape[inner], most / len[cross]);
}

/* How the boxes are cut: what the operands need. */
typedef struct needs {
  int64_t most;              /* elements the buffers hold */
  bool    buffers;           /* some row has to be copied or converted */
  bool    moves;             /* a copy from layout to layout: no buffers at all */
} needs;

/* Part of a long row, or as many short rows (of as many dims) as fit. */
static void choose_lengths(const plan *p, int noperands, const needs *n, int64_t *len) {
  int inner = p->ndim - 1, cross = cross_dim(p, noperands);
  int64_t most = n->moves ? STRETCH : n->most;
  for (int d = 0; d < p->ndim; d++) len[d] = 1;
  if (cross >= 0) { cross_lengths(p, cross, most, n->moves, len); return; }
  if (p->shape[inner] >= LONG_ROW) {
    len[inner] = even_part(p->shape[inner], n->buffers ? most : STRETCH);
    return;
  }
  for (int d = inner; d >= 0; d--) {
    len[d] = even_part(p->shape[d], most);
    most /= len[d];
    if (len[d] < p->shape[d] || most < 2) break;
  }
}

static void cut_plan(cut *c, const plan *p, int noperands, const needs *n) {
  c->count = 1;
  if (p->ndim > 0) choose_lengths(p, noperands, n, c->len);
  for (int d = 0; d < p->ndim; d++) {
    c->boxes[d] = (p->shape[d] + c->len[d] - 1) / c->len[d];
    c->count *= c->boxes[d];
  }
}

static void box_measure(box *b, const cut *c, const plan *p) {
  b->count = 1;
  b->full = true;
  for (int d = 0; d < p->ndim; d++) {
    b->len[d] = least(c->len[d], p->shape[d] - b->at[d]);
    b->full &= b->len[d] == c->len[d];
    b->count *= b->len[d];
  }
}

static void box_start(box *b, const cut *c, const plan *p, int noperands, int64_t index) {
  memset(b->offset, 0, sizeof b->offset);
  for (int d = p->ndim - 1; d >= 0; d--) {
    b->at[d] = index % c->boxes[d] * c->len[d];
    index /= c->boxes[d];
    for (int k = 0; k < noperands; k++) b->offset[k] += b->at[d] * p->stride[k][d];
  }
  box_measure(b, c, p);
}

static void box_next(box *b, const cut *c, const plan *p, int noperands) {
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

/* A copy between two layouts of a box; dims of length 1 are dropped. */
typedef struct copying {
  int     ndim;
  int64_t len[MAX_DIMS], to[MAX_DIMS], from[MAX_DIMS];   /* strides in elements */
} copying;

/* The kernel takes the last two dims: the longest is made one of them. */
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

/* Copies the box; a stride row of NULL is that of a contiguous box. */
static void copy_box(const box *b, int ndim, int size, char *to, const int64_t *to_stride, const char *from,
                     const int64_t *from_stride) {
  copying c = {.ndim = 0};
  int64_t step = 1, packed[MAX_DIMS];
  for (int d = ndim - 1; d >= 0; d--) {
    packed[d] = step;
    step *= b->len[d];
  }
  if (!to_stride) to_stride = packed;
  if (!from_stride) from_stride = packed;
  for (int d = -2; d < ndim; d++) {            /* two dims of length 1 in front: the kernel wants two */
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

/* Do these strides walk the box as one contiguous run? */
static bool is_run(const box *b, int ndim, const int64_t *stride) {
  int64_t step = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    if (b->len[d] != 1 && stride[d] != step) return false;
    step *= b->len[d];
  }
  return true;
}

/* The box of an input as a contiguous run of the compute dtype; what has to be made is put at `into`. */
static const char *fetch(side *s, const box *b, int ndim, int64_t offset, char *into) {
  const char *from = s->data + offset * s->size;
  bool run = is_run(b, ndim, s->stride);
  if (run && !s->convert) return from;
  if (b->full && s->from == from && s->ready == into) return into;
  const char *raw = from;
  if (!run) {
    char *packed = s->convert ? s->raw : into;
    copy_box(b, ndim, s->size, packed, NULL, from, s->stride);
    raw = packed;
  }
  if (s->convert) s->convert(b->count, into, raw);
  s->from = b->full ? from : NULL;
  s->ready = into;
  return into;
}

/* Where the kernel writes the box: in place when the target is stored so, else the side's block. */
static char *target_of(side *s, const box *b, int ndim, int64_t offset) {
  bool direct = !s->convert && is_run(b, ndim, s->stride);
  return direct ? s->data + offset * s->size : s->block;
}

static void deliver(side *s, const box *b, int ndim, int64_t offset, const char *made) {
  char *to = s->data + offset * s->size;
  if (made == to) return;
  bool run = is_run(b, ndim, s->stride);
  if (s->convert) {
    char *stored = run ? to : s->raw;
    s->convert(b->count, stored, made);
    made = stored;
  }
  if (made != to) copy_box(b, ndim, s->size, to, s->stride, made, NULL);
}

static void side_init(side *s, const operand *o, const int64_t *stride, enum dtype from, enum dtype to) {
  s->data = o->data;
  s->stride = stride;
  s->size = dtype_size(o->dtype);
  s->convert = from == to ? NULL : cpu_isa->convert->convert[from][to];
  s->from = NULL;
}

/* The number as one element of dtype d. */
static void write_scalar(const scalar *v, enum dtype d, char *to) {
  if (v->is_float) cpu_isa->convert->convert[DT_float64][d](1, to, &v->f);
  else cpu_isa->convert->convert[DT_int64][d](1, to, &v->i);
}

static void side_input(side *s, const operand *o, const int64_t *stride, enum dtype compute) {
  side_init(s, o, stride, o->dtype, compute);
  if (o->data) return;
  write_scalar(&o->value, compute, s->value);
  s->data = s->value;
  s->size = dtype_size(compute);
  s->convert = NULL;
}

/* What the op table says beyond the kernels. */
static const struct { bool to_bool, costly, selects; } traits[OP_COUNT] = {
#define BOOL_SAME false
#define BOOL_REAL false
#define BOOL_BOOL true
#define COSTLY_ANY false
#define COSTLY_NUMERIC false
#define COSTLY_REALS false
#define COSTLY_INTEGER false
#define COSTLY_BITS false
#define COSTLY_FLOAT true
#define COSTLY_REALFLOAT true
#define ROW(name, dtypes, result, ...) [OP_##name] = {BOOL_##result, COSTLY_##dtypes, false},
#define SELECT(name, dtypes, ...) [OP_##name] = {false, false, true},
#define UNARY ROW
#define BINARY ROW
#define TERNARY ROW
#define QUATERNARY ROW
#include "../ops.def"
};

/* ---- running ---- */

/* A call with what the op table adds: compute and result dtype, kernel (NULL: a copy). */
typedef struct task {
  const map_call *call;
  enum dtype compute, result;
  map_kernel kernel;
  cut cut;
} task;

/* What the kernel reads input k as. */
static enum dtype input_dtype(const task *t, int k) {
  return k == 1 && traits[t->call->op].selects ? DT_bool : t->compute;
}

/* Boxes begin … end - 1. */
static void run_boxes(const task *t, int64_t begin, int64_t end) {
  const map_call *c = t->call;
  const plan *p = c->plan;
  side sides[1 + MAX_IN];
  side_init(&sides[0], &c->out, p->stride[0], t->result, c->out.dtype);
  for (int k = 1; k <= c->nin; k++) side_input(&sides[k], &c->in[k - 1], p->stride[k], input_dtype(t, k));
  box b;
  box_start(&b, &t->cut, p, 1 + c->nin, begin);
  for (int64_t i = begin; i < end; i++) {
    char *target = target_of(&sides[0], &b, p->ndim, b.offset[0]);
    const void *in[MAX_IN];
    for (int k = 1; k <= c->nin; k++)
      in[k - 1] = fetch(&sides[k], &b, p->ndim, b.offset[k], t->kernel ? sides[k].block : target);
    if (t->kernel) t->kernel(b.count, target, in);
    deliver(&sides[0], &b, p->ndim, b.offset[0], t->kernel ? target : in[0]);
    if (i + 1 < end) box_next(&b, &t->cut, p, 1 + c->nin);
  }
}

/* A copy without conversion: straight from one layout to the other. */
static void move_boxes(const task *t, int64_t begin, int64_t end) {
  const map_call *c = t->call;
  const plan *p = c->plan;
  int size = dtype_size(c->out.dtype);
  box b;
  box_start(&b, &t->cut, p, 2, begin);
  for (int64_t i = begin; i < end; i++) {
    copy_box(&b, p->ndim, size, (char *)c->out.data + b.offset[0] * size, p->stride[0],
             (const char *)c->in[0].data + b.offset[1] * size, p->stride[1]);
    if (i + 1 < end) box_next(&b, &t->cut, p, 2);
  }
}

static bool walks_direct(const plan *p, int k) { return p->ndim == 0 || p->stride[k][p->ndim - 1] == 1; }

/* Has a row of an operand to be copied or converted? */
static bool needs_buffers(const task *t) {
  const map_call *c = t->call;
  if (c->out.dtype != t->result || !walks_direct(c->plan, 0)) return true;
  for (int k = 1; k <= c->nin; k++) {
    const operand *o = &c->in[k - 1];
    if (!o->data && c->plan->ndim <= 1) continue;          /* run_flat has its own constants */
    if (!o->data || o->dtype != input_dtype(t, k) || !walks_direct(c->plan, k)) return true;
  }
  return false;
}

/* `n` copies of a number. */
static void fill_constant(const scalar *v, enum dtype d, int64_t n, char *to) {
  size_t have = (size_t)dtype_size(d), bytes = (size_t)n * have;
  write_scalar(v, d, to);
  for (; have < bytes; have *= 2) memcpy(to + have, to, have < bytes - have ? have : bytes - have);
}

/* Elements begin … end - 1 where everything is contiguous and of the dtypes computed with, or a number.
** (Stores past the caches, by way of L1 in 16-byte pieces, measured 25 % slower than this on 10^7 sums.) */
static void run_flat(const task *t, int64_t begin, int64_t end) {
  const map_call *c = t->call;
  _Alignas(64) char constant[MAX_IN][16 * CONSTANT];
  const char *in[MAX_IN];
  begin = begin / 64 * 64;                     /* the threads' shares begin on cache lines */
  if (end < c->plan->count) end = end / 64 * 64;
  int64_t step[MAX_IN], most = end - begin, size = dtype_size(t->result);
  for (int k = 0; k < c->nin; k++)
    if (!c->in[k].data) most = least(most, CONSTANT);
  for (int k = 0; k < c->nin; k++) {
    enum dtype d = input_dtype(t, k + 1);
    step[k] = c->in[k].data ? most * dtype_size(d) : 0;
    in[k] = c->in[k].data ? (const char *)c->in[k].data + begin * dtype_size(d) : constant[k];
    if (!c->in[k].data) fill_constant(&c->in[k].value, d, most, constant[k]);
  }
  char *out = (char *)c->out.data + begin * size;
  for (int64_t left = end - begin; left > 0; left -= most) {
    int64_t n = least(left, most);
    if (t->kernel) t->kernel(n, out, (const void *const *)in);
    else memcpy(out, in[0], (size_t)(n * size));
    out += n * size;
    for (int k = 0; k < c->nin; k++) in[k] += step[k];
  }
}

/* `positive` is every copy, cast and fill: converted straight to the stored dtype, without a kernel. */
static int make_task(task *t, const map_call *c) {
  bool copies = c->op == OP_positive;
  t->call = c;
  t->compute = copies ? c->out.dtype : c->compute;
  t->result = copies ? c->out.dtype : traits[c->op].to_bool ? DT_bool : c->compute;
  t->kernel = copies ? NULL : cpu_isa->map->kernel[c->op][c->compute];
  return copies || t->kernel ? OK : ERR_NO_KERNEL;
}

/* Runs units 0 … count - 1 of the task, each thread a run of them. */
static void share(const task *t, void (*run)(const task *, int64_t, int64_t), int64_t count, int threads) {
  if (threads > count) threads = (int)count;
  if (threads <= 1) { run(t, 0, count); return; }
  #pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < threads; i++) run(t, count * i / threads, count * (i + 1) / threads);
}

int cpu_map(int index, const map_call *c) {
  (void)index;
  task t;
  int st = make_task(&t, c);
  if (st != OK) return st;
  int threads = cpu_threads(c->plan->count * (traits[c->op].costly ? COSTLY : 1), GRAIN);
  needs n = {.most = BUFFER / (dtype_size(t.compute) > 8 ? 16 : 8), .buffers = needs_buffers(&t)};
  if (!n.buffers && c->plan->ndim <= 1) {
    share(&t, run_flat, c->plan->count, threads);
    return OK;
  }
  n.moves = !t.kernel && c->in[0].data && c->in[0].dtype == c->out.dtype;
  cut_plan(&t.cut, c->plan, 1 + c->nin, &n);
  share(&t, n.moves ? move_boxes : run_boxes, t.cut.count, threads);
  return OK;
}
