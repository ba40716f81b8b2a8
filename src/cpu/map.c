/* Element-wise operations. The plan is cut into boxes (box.h). If an operand has the layout and dtype of the kernel,
** the kernel reads the operand in place. Otherwise (strided, broadcast, transposed, of another dtype) the operand's
** box is copied and converted first. If the result has another layout or dtype, the kernel writes to a buffer, which
** is then converted and copied. */

#include <string.h>

#include "cpu/box.h"
#include "cpu/walk.h"

enum {
  CONSTANT = 1024,           /* the size in bytes of a buffer with copies of a number: 256 float32, which stay in
                             ** L1 */
  GRAIN    = 1 << 15,        /* the fewest elements for each thread: below 32k sums or products, a second thread costs
                             ** more time than it saves */
  SMALL    = 1 << 12,        /* the most elements of a copy that is not cut into boxes: to cut a plan takes longer than to
                             ** copy a few rows */
  COSTLY   = 8               /* the assumed cost of an element of a float-only op (exp, tanh …); an element of any
                             ** other op costs 1. exp, log and tanh of float32 take 7 times as long as add (in L1, on
                             ** Zen 5) */
};

/* For each op: the rule for the dtype of its result, whether its elements take COSTLY times the usual work, and
** whether the first input is a bool condition (SELECT). */
static const struct { enum op_result result; bool costly, selects; } traits[OP_COUNT] = {
#define ROW(name, dtypes, result, ...) [OP_##name] = {RESULT_##result, COSTLY_##dtypes, false},
#define SELECT(name, dtypes, ...) [OP_##name] = {RESULT_SAME, false, true},
#define UNARY ROW
#define BINARY ROW
#define TERNARY ROW
#define QUATERNARY ROW
#include "ops.def"
};

/* ---- computing boxes and elements ---- */

/* A call, with its compute dtype and result dtype, its kernel (NULL: a copy) and its division into boxes. */
typedef struct map_work {
  const map_call *call;
  enum dtype compute, result;
  map_kernel kernel;
  cut cut;
  side *sides;               /* for each thread: one side (box.h) for the result, then one side for each input */
} map_work;

/* Returns the dtype in which the kernel reads input k. */
static enum dtype input_dtype(const map_work *t, int k) {
  return k == 1 && traits[t->call->op].selects ? DT_bool : t->compute;
}

/* Computes boxes begin … end - 1 with the buffers of thread `worker`. */
static void run_boxes(const void *task_at, int64_t begin, int64_t end, int worker) {
  const map_work *t = task_at;
  const map_call *c = t->call;
  const plan *p = c->plan;
  side *sides = t->sides + worker * (1 + c->nin);
  side_init(&sides[0], &c->out, p->stride[0], t->result, c->out.dtype);
  for (int k = 1; k <= c->nin; k++) side_input(&sides[k], &c->in[k - 1], p->stride[k], input_dtype(t, k));
  box b;
  box_start(&b, &t->cut, p, 1 + c->nin, begin);
  for (int64_t i = begin; i < end; i++) {
    char *target = side_target(&sides[0], &b, p->ndim, b.offset[0]);
    const void *in[MAX_IN];
    for (int k = 1; k <= c->nin; k++)
      in[k - 1] = side_fetch(&sides[k], &b, p->ndim, b.offset[k], t->kernel ? sides[k].block : target);
    if (t->kernel) t->kernel(b.count, target, in);
    side_deliver(&sides[0], &b, p->ndim, b.offset[0], t->kernel ? target : in[0]);
    if (i + 1 < end) box_next(&b, &t->cut, p, 1 + c->nin);
  }
}

/* Copies boxes begin … end - 1 from one layout to the other, without conversion and buffers. */
static void move_boxes(const void *task_at, int64_t begin, int64_t end, int worker) {
  const map_work *t = task_at;
  (void)worker;
  const map_call *c = t->call;
  const plan *p = c->plan;
  int size = dtype_size(c->out.dtype);
  box b;
  box_start(&b, &t->cut, p, 2, begin);
  for (int64_t i = begin; i < end; i++) {
    box_copy(&b, p->ndim, size, (char *)c->out.data + b.offset[0] * size, p->stride[0],
             (const char *)c->in[0].data + b.offset[1] * size, p->stride[1]);
    if (i + 1 < end) box_next(&b, &t->cut, p, 2);
  }
}

/* Copies the elements of a plan of at most two dims from one layout to the other, without conversion. */
static void move_small(const map_call *c) {
  const plan *p = c->plan;
  copy_plan m = {.rows = 1, .cols = 1};
  if (p->ndim > 0) {
    int inner = p->ndim - 1;
    m.cols = p->shape[inner];
    m.to_col = p->stride[0][inner];
    m.from_col = p->stride[1][inner];
  }
  if (p->ndim > 1) {
    m.rows = p->shape[0];
    m.to_row = p->stride[0][0];
    m.from_row = p->stride[1][0];
  }
  cpu_isa->convert->copy[__builtin_ctz((unsigned)dtype_size(c->out.dtype))](&m, c->out.data, c->in[0].data);
}

/* True if a row of an operand must be copied or converted. */
static bool needs_buffers(const map_work *t) {
  const map_call *c = t->call;
  if (c->out.dtype != t->result || !walks_direct(c->plan, 0)) return true;
  for (int k = 1; k <= c->nin; k++) {
    const operand *o = &c->in[k - 1];
    if (!o->data && c->plan->ndim <= 1) continue;          /* run_flat repeats numbers in its own buffer */
    if (!o->data || o->dtype != input_dtype(t, k) || !walks_direct(c->plan, k)) return true;
  }
  return false;
}

/* Computes elements begin … end - 1. Every operand must be a number, or be contiguous and of the dtype that the
** kernel reads or writes. (Non-temporal stores, in 16-byte pieces through L1, were 25 % slower for 10^7 sums.) */
static void run_flat(const void *task_at, int64_t begin, int64_t end, int worker) {
  const map_work *t = task_at;
  (void)worker;
  const map_call *c = t->call;
  _Alignas(64) char constant[MAX_IN][CONSTANT];
  const char *in[MAX_IN];
  begin = begin / 64 * 64;                     /* threads begin at multiples of 64 elements, so that two threads never
                                               ** write to the same cache line of an aligned tensor */
  if (end < c->plan->count) end = end / 64 * 64;
  int64_t step[MAX_IN], most = end - begin, size = dtype_size(t->result);
  for (int k = 0; k < c->nin; k++)
    if (!c->in[k].data) most = least_of(most, CONSTANT / dtype_size(input_dtype(t, k + 1)));
  for (int k = 0; k < c->nin; k++) {
    enum dtype d = input_dtype(t, k + 1);
    step[k] = c->in[k].data ? most * dtype_size(d) : 0;
    in[k] = c->in[k].data ? (const char *)c->in[k].data + begin * dtype_size(d) : constant[k];
    if (!c->in[k].data) fill_constant(&c->in[k].value, d, most, constant[k]);
  }
  char *out = (char *)c->out.data + begin * size;
  for (int64_t left = end - begin; left > 0; left -= most) {
    int64_t n = least_of(left, most);
    if (t->kernel) t->kernel(n, out, (const void *const *)in);
    else memcpy(out, in[0], (size_t)(n * size));
    out += n * size;
    for (int k = 0; k < c->nin; k++) in[k] += step[k];
  }
}

/* True if the half float of dtype d that is nearest to the number is equal to the number. */
static bool is_half(const scalar *v, enum dtype d) {
  char half[2];
  double back;
  fill_constant(v, d, 1, half);
  cpu_isa->convert->convert[d][DT_float64](1, &back, half);
  return back == (v->is_float ? v->f : (double)v->i);
}

/* Returns the kernel that reads and writes half floats, or NULL. Numbers among its inputs must be half floats, too. */
static map_kernel half_kernel(const map_call *c) {
  enum dtype d = c->out.dtype;
  if ((d != DT_float16 && d != DT_bfloat16) || c->compute != dtype_compute(d)) return NULL;
  map_kernel kernel = cpu_isa->half->kernel[c->op][d == DT_bfloat16];
  for (int k = 0; k < c->nin && kernel; k++)
    if (c->in[k].data ? c->in[k].dtype != d : !is_half(&c->in[k].value, d)) return NULL;
  return kernel;
}

/* ---- rows ---- */

enum { ROW_LEAST = 256,        /* the fewest elements of a row that a kernel computes by itself: boxes of several shorter
                               ** rows are faster */
       ROW_MOST  = 1 << 14 };  /* the most elements: longer rows are cut, so that threads can share them */

/* True if the kernel can compute row after row in place: rows are contiguous in every operand, or one repeated element,
** and no operand needs a conversion. */
static bool has_rows(const map_work *t) {
  const map_call *c = t->call;
  const plan *p = c->plan;
  int inner = p->ndim - 1;
  if (!t->kernel || inner < 0 || p->shape[inner] < ROW_LEAST || p->shape[inner] > ROW_MOST) return false;
  if (c->out.dtype != t->result || p->stride[0][inner] != 1) return false;
  for (int k = 1; k <= c->nin; k++) {
    const operand *o = &c->in[k - 1];
    if (o->data && (o->dtype != input_dtype(t, k) || (p->stride[k][inner] != 1 && p->stride[k][inner] != 0))) return false;
  }
  return true;
}

/* An operand of a row. */
typedef struct row_operand {
  char   *data;              /* the row, or its repeated element */
  int64_t step[MAX_DIMS];    /* strides in bytes */
  int64_t size;              /* bytes of an element */
  bool    repeated;          /* the row is one element, of which `constant` has copies */
  const char *copied;        /* the element that `constant` has, or NULL */
  _Alignas(64) char constant[CONSTANT];
} row_operand;

static void row_operand_init(row_operand *r, const plan *p, int k, const operand *o, enum dtype d) {
  r->data = o->data ? o->data : r->constant;
  r->copied = o->data ? NULL : r->constant;
  r->size = dtype_size(d);
  r->repeated = !o->data || p->stride[k][p->ndim - 1] == 0;
  for (int i = 0; i < p->ndim; i++) r->step[i] = o->data ? p->stride[k][i] * r->size : 0;
  if (!o->data) fill_constant(&o->value, d, CONSTANT / r->size, r->constant);
}

/* Moves n operands by the number of steps along dim d. */
static void move_rows(row_operand *r, int n, int d, int64_t steps) {
  for (int k = 0; k < n; k++) r[k].data += steps * r[k].step[d];
}

/* Computes a row of n elements, in parts of at most `most` elements. */
static void run_row(const map_work *t, row_operand *r, int64_t n, int64_t most) {
  int nin = t->call->nin;
  for (int k = 1; k <= nin; k++) {
    if (!r[k].repeated || r[k].copied == r[k].data) continue;
    copy_kernel copy = cpu_isa->convert->copy[__builtin_ctz((unsigned)r[k].size)];
    copy(&(copy_plan){.rows = 1, .cols = least_of(n, most), .to_col = 1}, r[k].constant, r[k].data);
    r[k].copied = r[k].data;
  }
  for (int64_t done = 0; done < n; done += most) {
    const void *in[MAX_IN];
    for (int k = 1; k <= nin; k++) in[k - 1] = r[k].repeated ? r[k].constant : r[k].data + done * r[k].size;
    t->kernel(least_of(n - done, most), r[0].data + done * r[0].size, in);
  }
}

/* Computes rows begin … end - 1. */
static void run_rows(const void *task_at, int64_t begin, int64_t end, int worker) {
  const map_work *t = task_at;
  (void)worker;
  const map_call *c = t->call;
  const plan *p = c->plan;
  int noperands = 1 + c->nin, outer = p->ndim - 2;
  row_operand r[1 + MAX_IN];
  int64_t at[MAX_DIMS], n = p->shape[p->ndim - 1], most = n;
  row_operand_init(&r[0], p, 0, &c->out, t->result);
  for (int k = 1; k < noperands; k++) {
    row_operand_init(&r[k], p, k, &c->in[k - 1], input_dtype(t, k));
    if (r[k].repeated) most = least_of(most, CONSTANT / r[k].size);
  }
  for (int64_t d = outer, index = begin; d >= 0; index /= p->shape[d--]) {
    at[d] = index % p->shape[d];
    move_rows(r, noperands, (int)d, at[d]);
  }
  for (int64_t i = begin; i < end; i++) {
    run_row(t, r, n, most);
    for (int d = outer; d >= 0 && i + 1 < end; d--) {
      bool wraps = ++at[d] == p->shape[d];
      move_rows(r, noperands, d, wraps ? 1 - p->shape[d] : 1);
      if (!wraps) break;
      at[d] = 0;
    }
  }
}

/* ---- the call ---- */

/* Fills in *t. The op `positive` is the op of every copy, cast and fill; it converts directly to the stored dtype,
** without a kernel. */
static int make_task(map_work *t, const map_call *c) {
  bool copies = c->op == OP_positive;
  map_kernel half = half_kernel(c);
  if (half) {
    *t = (map_work){.call = c, .compute = c->out.dtype, .result = c->out.dtype, .kernel = half};
    return OK;
  }
  t->call = c;
  t->compute = copies ? c->out.dtype : c->compute;
  t->result = copies ? c->out.dtype : result_dtype(traits[c->op].result, c->compute);
  t->kernel = copies ? NULL : cpu_isa->map->kernel[c->op][c->compute];
  return copies || t->kernel ? OK : ERR_NO_KERNEL;
}

/* True if the call selects between half floats of one dtype. */
static bool selects_halves(const map_call *c) {
  enum dtype d = c->out.dtype;
  if (!traits[c->op].selects || (d != DT_float16 && d != DT_bfloat16) || c->compute != dtype_compute(d)) return false;
  for (int k = 1; k < c->nin; k++)
    if (c->in[k].data && c->in[k].dtype != d) return false;
  return true;
}

/* Replaces the dtype of the selected half floats by int16: a selection need not convert its operands. */
static void select_bits(map_call *c) {
  enum dtype d = c->out.dtype;
  for (int k = 1; k < c->nin; k++) {
    int16_t bits;
    c->in[k].dtype = DT_int16;
    if (c->in[k].data) continue;
    fill_constant(&c->in[k].value, d, 1, (char *)&bits);
    c->in[k].value = (scalar){.i = bits};
  }
  c->compute = c->out.dtype = DT_int16;
}

/* Returns a dim whose results are computed once and then copied, or -1. Cheap ops without conversions take as long as a
** copy. */
static int dim_to_repeat(const map_work *t) {
  const map_call *c = t->call;
  bool converts = c->out.dtype != t->result;
  for (int k = 1; k <= c->nin; k++) converts |= c->in[k - 1].data && c->in[k - 1].dtype != input_dtype(t, k);
  return converts || traits[c->op].costly ? repeated_dim(c->plan, 1 + c->nin, 1) : -1;
}

/* Computes the results at the first position of dim d, and copies them to the other positions. */
static int map_once(int index, const map_call *c, int d) {
  plan first = *c->plan, others;
  map_call once = *c, copy = copy_of_first(&c->out, c->plan, d, &others);
  once.plan = &first;
  drop_dim(&first, 1 + c->nin, d);
  int st = cpu_map(index, &once);
  return st == OK ? cpu_map(index, &copy) : st;
}

int cpu_map(int index, const map_call *c) {
  map_work t;
  map_call bits;
  if (selects_halves(c)) {
    bits = *c;
    select_bits(&bits);
    c = &bits;
  }
  int st = make_task(&t, c);
  if (st != OK) return st;
  bool moves = !t.kernel && c->in[0].data && c->in[0].dtype == c->out.dtype;
  if (moves && c->plan->ndim <= 2 && c->plan->count <= SMALL) {
    move_small(c);
    return OK;
  }
  int repeated = dim_to_repeat(&t);
  if (repeated >= 0) return map_once(index, c, repeated);
  int threads = cpu_threads(c->plan->count * (traits[c->op].costly ? COSTLY : 1), GRAIN);
  needs n = {.most = box_most(&c->out, c->in, c->nin, t.compute), .buffers = needs_buffers(&t), .moves = moves};
  if (!n.buffers && c->plan->ndim <= 1) {
    share(&t, run_flat, c->plan->count, CANCEL_STRETCH, threads);
    return OK;
  }
  if (has_rows(&t)) {
    int64_t length = c->plan->shape[c->plan->ndim - 1];
    share_long(&t, run_rows, c->plan->count / length, length, threads);
    return OK;
  }
  cut_plan(&t.cut, c->plan, 1 + c->nin, &n);
  if (n.moves) {
    share_long(&t, move_boxes, t.cut.count, t.cut.each, threads);
    return OK;
  }
  void *sides;
  size_t bytes = (size_t)(threads * (1 + c->nin)) * sizeof *t.sides;
  if ((st = cpu_alloc(index, bytes, &sides)) != OK) return st;
  t.sides = sides;
  share_long(&t, run_boxes, t.cut.count, t.cut.each, threads);
  cpu_free(index, sides, bytes);
  return OK;
}
