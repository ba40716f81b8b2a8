/* Computes element-wise programs, which are sequences of kernels of map.c. All steps run on one box of the plan
** before the next box, while the box is in the cache, so that memory is read and written only once. */

#include <string.h>

#include "cpu/box.h"
#include "cpu/program.h"

enum {
  GRAIN  = 1 << 15,          /* the least product of steps and elements for each thread: for less, a thread costs more
                             ** time than it saves */
  STRIDED = 8,               /* the assumed cost of reading and writing an element if the elements of a row are not
                             ** neighbours in memory */
  LEAST   = 64,              /* the fewest elements of a box of strided elements, which is made small for the threads */
  COSTLY = 8                 /* the assumed cost of a step in a program with exp, tanh or similar ops, with the reason
                             ** in map.c; a step of any other program costs 1 */
};

typedef char box_bytes[BOX_BYTES];

/* The operands and buffers of one thread. */
typedef struct desk {
  const char *at[ELEMENTWISE_REGISTER + ELEMENTWISE_REGISTERS];      /* the address of each value's box */
  char *to[ELEMENTWISE_REGISTERS];                                   /* the same addresses, of registers */
  side  out[ELEMENTWISE_RESULTS], in[ELEMENTWISE_INPUTS];
  bool  set;                                                         /* set_desk has set the desk of a program_source */
  _Alignas(64) box_bytes constant[ELEMENTWISE_CONSTANTS];
  _Alignas(64) box_bytes value[];                                    /* [nregister] */
} desk;

/* A kernel call: step `step` of the program, or this step and the next one, if `pair` is not NULL. */
typedef struct action {
  int        step;
  map_kernel pair;
  uint8_t    in[3];          /* a pair's inputs */
} action;

typedef struct elementwise_work {
  const elementwise_call *call;
  int    naction;
  action actions[ELEMENTWISE_STEPS];
  bool   single[ELEMENTWISE_INPUTS];         /* only one element of the input's box is used */
  bool   direct[ELEMENTWISE_INPUTS];         /* kernels read the elements of a row of the input in place */
  bool   boxed[ELEMENTWISE_CONSTANTS];       /* an action reads a box of copies of the constant */
  cut    cut;
  int64_t most;              /* the most elements of a box */
  char  *desks;
  size_t size;               /* of a thread's desk, in bytes */
} elementwise_work;

static void set_register(desk *w, int value, char *box) {
  w->at[value] = w->to[value - ELEMENTWISE_REGISTER] = box;
}

static void set_desk(desk *w, const elementwise_work *t) {
  const elementwise_call *c = t->call;
  const elementwise_program *p = c->program;
  for (int k = 0; k < p->nout; k++)
    side_init(&w->out[k], &c->out[k], c->plan->stride[k], p->gives[k], c->out[k].dtype);
  for (int k = 0; k < p->nin; k++) side_input(&w->in[k], &c->in[k], c->plan->stride[p->nout + k], p->in[k]);
  for (int k = 0; k < p->nconstant; k++) {
    fill_constant(&p->constant[k], p->constant_dtype[k], t->boxed[k] ? t->most : 1, w->constant[k]);
    w->at[ELEMENTWISE_CONSTANT + k] = w->constant[k];
  }
  for (int k = 0; k < p->nregister; k++) set_register(w, ELEMENTWISE_REGISTER + k, w->value[k]);
}

/* Converts a box of n elements. If the step rounds to a half float, converts to the half float and back. */
static void convert_step(const elementwise_step *s, int64_t n, char *out, const char *in) {
  const convert_kernel (*table)[DTYPE_COUNT] = cpu_isa->convert->convert;
  _Alignas(64) char half[2 * BOX_COUNT];
  bool rounds = s->compute != s->gives;
  if (s->from == s->compute) {
    memcpy(out, in, (size_t)(n * dtype_size(s->from)));
    return;
  }
  table[s->from][s->compute](n, rounds ? half : out, in);
  if (rounds) table[s->compute][s->gives](n, out, half);
}

static void run_step(const elementwise_step *s, const desk *w, int64_t n, char *out) {
  const void *in[MAX_ARITY];
  if (s->op == OP_positive) {
    convert_step(s, n, out, w->at[s->in[0]]);
    return;
  }
  for (int k = 0; k < MAX_ARITY; k++) in[k] = w->at[s->in[k]];
  cpu_isa->map->kernel[s->op][s->compute](n, out, in);
}

static void run_action(const elementwise_program *p, const action *a, const desk *w, int64_t n) {
  if (!a->pair) {
    const elementwise_step *s = &p->step[a->step];
    run_step(s, w, n, w->to[s->out - ELEMENTWISE_REGISTER]);
    return;
  }
  const void *in[3] = {w->at[a->in[0]], w->at[a->in[1]], w->at[a->in[2]]};
  a->pair(n, w->to[p->step[a->step + 1].out - ELEMENTWISE_REGISTER], in);
}

/* Fetches the inputs of a box and runs the steps. The registers of the results are set. */
static void compute_box(desk *w, const elementwise_work *t, const box *b) {
  const elementwise_program *p = t->call->program;
  int ndim = t->call->plan->ndim;
  bool row = ndim == 0 || b->count == b->len[ndim - 1];
  for (int k = 0; k < p->nin; k++) {
    int64_t offset = b->offset[p->nout + k];
    if (row && t->direct[k]) w->at[k] = w->in[k].data + offset * w->in[k].size;
    else w->at[k] = t->single[k] ? side_fetch_one(&w->in[k], offset) : side_fetch(&w->in[k], b, ndim, offset, w->in[k].block);
  }
  for (int k = 0; k < t->naction; k++) run_action(p, &t->actions[k], w, b->count);
}

static void run_box(desk *w, const elementwise_work *t, const box *b) {
  const elementwise_call *c = t->call;
  const elementwise_program *p = c->program;
  int ndim = c->plan->ndim;
  for (int k = 0; k < p->nout; k++) set_register(w, p->out[k], side_target(&w->out[k], b, ndim, b->offset[k]));
  compute_box(w, t, b);
  for (int k = 0; k < p->nout; k++) side_deliver(&w->out[k], b, ndim, b->offset[k], w->at[p->out[k]]);
}

static void run_boxes(const void *task_at, int64_t begin, int64_t end, int worker) {
  const elementwise_work *t = task_at;
  const elementwise_call *c = t->call;
  int noperands = c->program->nout + c->program->nin;
  desk *w = (desk *)(void *)(t->desks + (size_t)worker * t->size);
  box b;
  set_desk(w, t);
  box_start(&b, &t->cut, c->plan, noperands, begin);
  for (int64_t i = begin; i < end; i++) {
    run_box(w, t, &b);
    if (i + 1 < end) box_next(&b, &t->cut, c->plan, noperands);
  }
}

/* ---- pairs ---- */

/* Returns the op of a step as a first op of a pair, or PAIR_OPS. */
static enum pair_op pair_op_of(const elementwise_step *s) {
  if (s->compute != s->gives) return PAIR_OPS;
  return s->op == OP_add ? PAIR_add : s->op == OP_subtract ? PAIR_subtract : s->op == OP_multiply ? PAIR_multiply : PAIR_OPS;
}

/* True if nothing but step k + 1 reads the result of step k. */
static bool is_read_once(const elementwise_program *p, int k) {
  uint8_t made = p->step[k].out;
  for (int i = 0; i < p->nout; i++)
    if (p->out[i] == made) return false;
  for (int i = k + 2; i < p->nstep; i++) {
    for (int j = 0; j < MAX_ARITY; j++)
      if (p->step[i].in[j] == made) return false;
    if (p->step[i].out == made) return true;
  }
  return true;
}

/* True if all elements of the input's boxes are one element, and only one step reads the input. For input 0 the function may
** return false although this is true, because inputs that a step does not have are 0, too. */
static bool is_uniform(const elementwise_work *t, uint8_t input) {
  const elementwise_program *p = t->call->program;
  const plan *plan = t->call->plan;
  int uses = 0;
  for (int i = 0; i < p->nstep; i++)
    for (int j = 0; j < MAX_ARITY; j++) uses += p->step[i].in[j] == input;
  for (int d = 0; d < plan->ndim; d++)
    if (t->cut.len[d] > 1 && plan->stride[p->nout + input][d] != 0) return false;
  return uses == 1;
}

static bool is_single(const elementwise_work *t, uint8_t value) {
  if (value >= ELEMENTWISE_REGISTER) return false;
  return value >= ELEMENTWISE_CONSTANT || is_uniform(t, value);
}

/* Sets *a to the pair of steps k and k + 1. Returns false if there is no kernel for the pair. */
static bool find_pair(elementwise_work *t, int k, action *a) {
  const elementwise_program *p = t->call->program;
  if (k + 1 == p->nstep) return false;
  const elementwise_step *s = &p->step[k], *next = &p->step[k + 1];
  enum pair_op first = pair_op_of(s), second = pair_op_of(next);
  if (first == PAIR_OPS || second == PAIR_OPS || s->compute != next->compute) return false;
  bool left = next->in[0] == s->out, right = next->in[1] == s->out;
  if (left == right || !is_read_once(p, k)) return false;
  if (right && second == PAIR_subtract) second = PAIR_subtract_from;
  *a = (action){.step = k, .in = {s->in[0], s->in[1], next->in[left ? 1 : 0]}};
  if (first != PAIR_subtract && is_single(t, s->in[0])) {       /* the order does not matter */
    a->in[0] = s->in[1];
    a->in[1] = s->in[0];
  }
  bool single = is_single(t, a->in[1]);
  a->pair = cpu_isa->pair->kernel[s->compute][first][second][single];
  if (a->pair && single && a->in[1] < p->nin) t->single[a->in[1]] = true;
  return a->pair != NULL;
}

/* Records that an action reads a box of each of the n values that is a constant. */
static void add_boxed(elementwise_work *t, const uint8_t *values, int n) {
  for (int k = 0; k < n; k++)
    if (values[k] >= ELEMENTWISE_CONSTANT && values[k] < ELEMENTWISE_REGISTER) t->boxed[values[k] - ELEMENTWISE_CONSTANT] = true;
}

static void choose_actions(elementwise_work *t) {
  const elementwise_call *c = t->call;
  for (int k = 0; k < c->program->nin; k++)
    t->direct[k] = c->in[k].data && c->in[k].dtype == c->program->in[k] && walks_direct(c->plan, c->program->nout + k);
  t->naction = 0;
  memset(t->single, 0, sizeof t->single);
  memset(t->boxed, 0, sizeof t->boxed);
  for (int k = 0; k < c->program->nstep; k++) {
    action *a = &t->actions[t->naction++];
    if (find_pair(t, k, a)) {
      k++;
      add_boxed(t, &a->in[0], 1);
      add_boxed(t, &a->in[1], !is_single(t, a->in[1]));
      add_boxed(t, &a->in[2], 1);
    } else {
      *a = (action){.step = k};
      add_boxed(t, c->program->step[k].in, MAX_ARITY);
    }
  }
}

static bool has_kernels(const elementwise_program *p) {
  for (int k = 0; k < p->nstep; k++)
    if (p->step[k].op != OP_positive && !cpu_isa->map->kernel[p->step[k].op][p->step[k].compute]) return false;
  return true;
}

/* Returns the most elements of a box such that the buffers of all operands, constants and steps can store the box. */
static int64_t most_elements(const elementwise_call *c) {
  const elementwise_program *p = c->program;
  int64_t most = box_most(&c->out[0], c->in, p->nin, p->in[0]);
  for (int k = 1; k < p->nout; k++) most = least_of(most, BOX_BYTES / dtype_size(c->out[k].dtype));
  for (int k = 0; k < p->nconstant; k++) most = least_of(most, BOX_BYTES / dtype_size(p->constant_dtype[k]));
  for (int k = 0; k < p->nin; k++) most = least_of(most, BOX_BYTES / dtype_size(p->in[k]));
  for (int k = 0; k < p->nstep; k++) most = least_of(most, BOX_BYTES / dtype_size(p->step[k].gives));
  return most;
}

/* Returns the assumed cost of computing an element. */
static int64_t cost_of(const elementwise_call *c) {
  const elementwise_program *p = c->program;
  return p->nstep * (p->costly ? COSTLY : 1) + (walks_direct(c->plan, 0) ? 0 : STRIDED * (p->nin + p->nout));
}

int program_threads(const elementwise_call *c) { return cpu_threads(c->plan->count * cost_of(c), GRAIN); }

static size_t desk_bytes(const elementwise_program *p) { return sizeof(desk) + (size_t)p->nregister * sizeof(box_bytes); }

int cpu_elementwise(int index, const elementwise_call *c) {
  const elementwise_program *p = c->program;
  if (!has_kernels(p)) return ERR_NO_KERNEL;
  int64_t most = most_elements(c);
  int threads = program_threads(c);
  if (!walks_direct(c->plan, 0)) most = least_of(most, most_of(LEAST, c->plan->count / threads));
  elementwise_work t;
  t.call = c;
  t.size = desk_bytes(p);
  cut_plan(&t.cut, c->plan, p->nout + p->nin, &(needs){.most = most, .buffers = true});
  t.most = least_of(most, t.cut.each);
  choose_actions(&t);
  if (threads > t.cut.count) threads = (int)t.cut.count;
  size_t bytes = (size_t)threads * t.size;
  void *desks;
  int st = cpu_alloc(index, bytes, &desks);
  if (st != OK) return st;
  t.desks = desks;
  share_long(&t, run_boxes, t.cut.count, t.cut.each * p->nstep, threads);
  cpu_free(index, desks, bytes);
  return OK;
}

/* ---- programs that a reduction reads ---- */

struct program_source {
  elementwise_work work;
  int     result;
  size_t  bytes;             /* of the source with its desks */
  _Alignas(64) char desks[];
};

int program_open(const elementwise_call *c, int result, int threads, program_source **made) {
  const elementwise_program *p = c->program;
  void *memory;
  if (!has_kernels(p)) return ERR_NO_KERNEL;
  size_t size = desk_bytes(p), bytes = sizeof(program_source) + (size_t)threads * size;
  int st = cpu_alloc(0, bytes, &memory);
  if (st != OK) return st;
  program_source *s = *made = memory;
  s->result = result;
  s->work.most = most_elements(c);
  s->bytes = bytes;
  s->work.call = c;
  s->work.size = size;
  s->work.desks = s->desks;
  for (int d = 0; d < c->plan->ndim; d++) s->work.cut.len[d] = c->plan->shape[d];   /* an upper bound, for `single` */
  choose_actions(&s->work);
  for (int k = 0; k < threads; k++) ((desk *)(void *)(s->desks + (size_t)k * size))->set = false;
  return OK;
}

void program_close(program_source *s) { cpu_free(0, s, s->bytes); }

/* Sets *b to the largest box of at most n elements that begins at element `first` and is contiguous in the results. */
static void box_at(box *b, const plan *p, int noperands, int64_t first, int64_t n) {
  int d = p->ndim - 1;
  b->full = false;
  b->count = 1;
  for (int i = 0; i < noperands; i++) b->offset[i] = 0;
  for (int k = d; k >= 0; k--) {
    int64_t outer = k > 0 ? first / p->shape[k] : 0;
    b->at[k] = first - outer * p->shape[k];
    b->len[k] = 1;
    first = outer;
    for (int i = 0; i < noperands; i++) b->offset[i] += b->at[k] * p->stride[i][k];
  }
  for (; d >= 0; d--) {
    b->len[d] = least_of(p->shape[d] - b->at[d], b->count == 1 ? n : n / b->count);
    b->count *= b->len[d];
    if (b->len[d] < p->shape[d] || d == 0 || n < 2 * b->count) break;
  }
}

/* Computes a box. Writes the result of the source to `to`. */
static void read_box(desk *w, const program_source *s, const box *b, char *to) {
  const elementwise_work *t = &s->work;
  const elementwise_program *p = t->call->program;
  side *own = &w->out[s->result];
  int ndim = t->call->plan->ndim;
  for (int k = 0; k < p->nout; k++) {
    char *direct = own->convert ? own->block : to;
    set_register(w, p->out[k], k == s->result ? direct : side_target(&w->out[k], b, ndim, b->offset[k]));
  }
  compute_box(w, t, b);
  for (int k = 0; k < p->nout; k++)
    if (k != s->result) side_deliver(&w->out[k], b, ndim, b->offset[k], w->at[p->out[k]]);
  if (own->convert) own->convert(b->count, to, own->block);
}

void program_read(const program_source *s, int worker, int64_t first, int64_t n, char *to) {
  const elementwise_work *t = &s->work;
  const elementwise_call *c = t->call;
  desk *w = (desk *)(void *)(t->desks + (size_t)worker * t->size);
  int size = dtype_size(c->out[s->result].dtype);
  if (!w->set) set_desk(w, t);
  w->set = true;
  box b;
  for (int64_t i = 0; i < n; i += b.count) {
    box_at(&b, c->plan, c->program->nout + c->program->nin, first + i, least_of(n - i, t->most));
    read_box(w, s, &b, to + i * size);
  }
}

/* Returns ERR_NO_KERNEL, because kernels that scripts compile run only on GPUs. */
int cpu_user_kernel(int index, const user_kernel_call *c) { (void)index; (void)c; return ERR_NO_KERNEL; }
