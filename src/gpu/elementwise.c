/* Runs element-wise programs (lt.elementwise) on the GPU. For each program this file generates the source of a kernel,
** which includes kernels/elementwise.cuh. A kernel is compiled when a program is first used with operands of these
** stored dtypes. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "gpu/kernels/elementwise_args.h"
#include "gpu/plan.h"

static const char *const op_names[OP_COUNT] = {
#define OP_NAME(name, ...) [OP_##name] = #name,
#define UNARY OP_NAME
#define BINARY OP_NAME
#define TERNARY OP_NAME
#define QUATERNARY OP_NAME
#include "ops.def"
};
static const unsigned char op_arity[OP_COUNT] = {
#define UNARY(name, ...) [OP_##name] = 1,
#define BINARY(name, ...) [OP_##name] = 2,
#define TERNARY(name, ...) [OP_##name] = 3,
#define QUATERNARY(name, ...) [OP_##name] = 4,
#include "ops.def"
};

/* ---- the source of a kernel ---- */

typedef struct text {
  size_t length;
  char   data[24 << 10];     /* the longest program has 64 steps of 200 bytes, about 13 KiB */
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(t->data + t->length, sizeof t->data - t->length, format, arguments);
  va_end(arguments);
  if (n > 0) t->length += (size_t)n;
  if (t->length > sizeof t->data - 1) t->length = sizeof t->data - 1;
}

/* For each register: the number of the last step that wrote the register. In the generated source, the result of each
** step has its own variable, because a register may hold values of different types one after the other. */
typedef struct writers { int step[ELEMENTWISE_REGISTERS]; } writers;

static void add_value(text *t, const elementwise_program *p, const writers *w, int value) {
  if (value < ELEMENTWISE_CONSTANT) add(t, "x%d", value);
  else if (value >= ELEMENTWISE_REGISTER) add(t, "s%d", w->step[value - ELEMENTWISE_REGISTER]);
  else {
    int k = value - ELEMENTWISE_CONSTANT;
    add(t, "from_word<DT_%s>(a.constant[%d])", dtypes[p->constant_dtype[k]].name, k);
  }
}

static void add_step(text *t, const elementwise_program *p, writers *w, int i) {
  const elementwise_step *s = &p->step[i];
  const char *computed = dtypes[s->compute].name, *gives = dtypes[s->gives].name;
  add(t, " const auto s%d = ", i);
  if (s->op != OP_positive) add(t, "op_%s<stored_t<DT_%s>>::apply(", op_names[s->op], computed);
  else if (s->compute == s->gives) add(t, "convert<DT_%s, DT_%s>(", computed, dtypes[s->from].name);
  else add(t, "convert<DT_%s, DT_%s>(convert<DT_%s, DT_%s>(", gives, computed, computed, dtypes[s->from].name);
  for (int k = 0; k < op_arity[s->op]; k++) {
    if (k) add(t, ", ");
    add_value(t, p, w, s->in[k]);
  }
  add(t, s->op == OP_positive && s->compute != s->gives ? ")); \\\n" : "); \\\n");
  w->step[s->out - ELEMENTWISE_REGISTER] = i;
}

static int widest(const elementwise_call *c) {
  int most = 1;
  for (int k = 0; k < c->program->nout; k++)
    if (dtype_size(c->out[k].dtype) > most) most = dtype_size(c->out[k].dtype);
  for (int k = 0; k < c->program->nin; k++)
    if (c->in[k].data && dtype_size(c->in[k].dtype) > most) most = dtype_size(c->in[k].dtype);
  return most;
}

static void write_unit(text *t, const elementwise_call *c) {
  const elementwise_program *p = c->program;
  writers w = {{0}};
  add(t, "#define ELEMENTWISE_INPUTS(X)");
  for (int k = 0; k < p->nin; k++) add(t, " X(%d, %s, %s)", k, dtypes[c->in[k].dtype].name, dtypes[p->in[k]].name);
  add(t, "\n#define ELEMENTWISE_RESULTS(X)");
  for (int k = 0; k < p->nout; k++) add(t, " X(%d, %s)", k, dtypes[c->out[k].dtype].name);
  add(t, "\n#define ELEMENTWISE_WIDEST %d\n#define ELEMENTWISE_BODY \\\n", widest(c));
  for (int i = 0; i < p->nstep; i++) add_step(t, p, &w, i);
  for (int k = 0; k < p->nout; k++)
    add(t, " r.y%d = convert<DT_%s, DT_%s>(s%d); \\\n", k, dtypes[c->out[k].dtype].name, dtypes[p->gives[k]].name,
        w.step[p->out[k] - ELEMENTWISE_REGISTER]);
  add(t, "\n#include \"elementwise.cuh\"\n");
}

/* ---- kernels ---- */

enum entry { FLAT, ROWS, STRIDED };

_Static_assert((int)ELEMENTWISE_MOST_IN == (int)ELEMENTWISE_INPUTS && (int)ELEMENTWISE_MOST_OUT == (int)ELEMENTWISE_RESULTS &&
               (int)ELEMENTWISE_MOST_CONSTANTS == (int)ELEMENTWISE_CONSTANTS && (int)PLAN_OPERANDS == (int)MAX_OPERANDS,
               "the kernels' arguments differ from base/calls.h");

/* Returns the kernel's key, which contains 54 bits of a hash. The hash covers the program, the operands' dtypes, and
** for each input whether the input is a number. */
static uint64_t key_of(const elementwise_call *c, enum entry entry) {
  uint64_t h = c->program->hash;
  for (int k = 0; k < c->program->nin; k++) h = (h ^ c->in[k].dtype ^ (c->in[k].data ? 0 : 64)) * 0x9E3779B97F4A7C15u;
  for (int k = 0; k < c->program->nout; k++) h = (h ^ c->out[k].dtype) * 0x9E3779B97F4A7C15u;
  return (uint64_t)GPU_elementwise << 56 | h >> 10 << 2 | entry;
}

static int find_kernel(gpu *g, const elementwise_call *c, enum entry entry, const gpu_kernel **k) {
  static const char *const entries[] = {"elementwise_flat", "elementwise_rows", "elementwise_strided"};
  uint64_t key = key_of(c, entry);
  *k = gpu_find(g, key);
  if (*k) return OK;
  text t = {.length = 0};
  write_unit(&t, c);
  gpu_source s = {.file = "elementwise.cu", .text = t.data, .name = "elementwise"};
  s.entry = entries[entry];
  return gpu_build(g, key, &s, k);
}

static int64_t share(int64_t count, int64_t of) { return (count + of - 1) / of; }

/* ---- calls ---- */

static int64_t inner_stride(const plan *p, int k) { return p->ndim == 0 ? 0 : p->stride[k][p->ndim - 1]; }

/* True if, in each row of operand k, vectors of `vector` elements are aligned to their size in bytes. */
static bool vectors_fit(const plan *p, int k, const operand *o, int vector) {
  if ((uintptr_t)o->data % ((size_t)vector * (size_t)dtype_size(o->dtype)) != 0) return false;
  for (int d = 0; d < p->ndim - 1; d++)
    if (p->stride[k][d] % vector != 0) return false;
  return true;
}

/* True if the vectorised kernels can run. Along the inner dim, each operand must be contiguous and aligned; an input
** may instead have a single value. Sets bit k of args->runs if input k is contiguous along the inner dim. */
static bool has_vectors(const elementwise_call *c, elementwise_args *args, int vector) {
  const plan *p = c->plan;
  int nout = c->program->nout;
  for (int k = 0; k < nout; k++)
    if ((p->ndim > 0 && inner_stride(p, k) != 1) || !vectors_fit(p, k, &c->out[k], vector)) return false;
  for (int k = 0; k < c->program->nin; k++) {
    const operand *o = &c->in[k];
    int64_t stride = inner_stride(p, nout + k);
    if (!o->data || stride == 0) continue;
    if (stride != 1 || !vectors_fit(p, nout + k, o, vector)) return false;
    args->runs |= 1u << k;
  }
  return true;
}

static int run_flat(gpu *g, const elementwise_call *c, elementwise_args *args, int vector) {
  const gpu_kernel *k;
  int64_t blocks = share(args->count, (int64_t)ELEMENTWISE_THREADS * vector);
  int st = find_kernel(g, c, FLAT, &k);
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, ELEMENTWISE_THREADS, 0, (void *[]){args}) : st;
}

/* Runs the plan in pieces, because a kernel's positions have 32 bits. */
static int run_planned(gpu *g, const elementwise_call *c, const plan *whole, elementwise_args *args, enum entry entry) {
  const gpu_kernel *k;
  int64_t pieces = gpu_plan_pieces(whole, PLAN_MOST);
  int st = find_kernel(g, c, entry, &k);
  for (int64_t i = 0; st == OK && i < pieces; i++) {
    gpu_plan p;
    gpu_plan_piece(&p, whole, c->program->nout + c->program->nin, PLAN_MOST, i);
    st = gpu_launch(g, k, (unsigned)share(p.count, ELEMENTWISE_THREADS), ELEMENTWISE_THREADS, 0, (void *[]){args, &p});
  }
  return st;
}

/* Runs the kernel in which each thread computes a vector of a row. The length of the inner dim is counted in
** vectors. */
static int run_rows(gpu *g, const elementwise_call *c, elementwise_args *args, int vector) {
  plan p = *c->plan;
  int inner = p.ndim - 1;
  p.shape[inner] /= vector;
  p.count /= vector;
  for (int k = 0; k < c->program->nout + c->program->nin; k++) p.stride[k][inner] *= vector;
  return run_planned(g, c, &p, args, ROWS);
}

/* Runs the fastest kernel that supports the call: the kernel for contiguous operands, for rows, or for any
** strides. */
static int run_elementwise(gpu *g, const elementwise_call *c, elementwise_args *args) {
  const plan *p = c->plan;
  int vector = 16 / widest(c);
  if (!has_vectors(c, args, vector)) return run_planned(g, c, p, args, STRIDED);
  if (p->ndim <= 1 && share(args->count, (int64_t)ELEMENTWISE_THREADS * vector) <= INT32_MAX)
    return run_flat(g, c, args, vector);
  if (p->ndim > 1 && p->shape[p->ndim - 1] % vector == 0) return run_rows(g, c, args, vector);
  return run_planned(g, c, p, args, STRIDED);
}

static int run_program(gpu *g, const elementwise_call *c) {
  elementwise_args args = {.count = c->plan->count};
  for (int k = 0; k < c->program->nin; k++) {
    const operand *o = &c->in[k];
    gpu_reads(g, o->data);
    args.in[k].data = o->data;
    if (!o->data) args.in[k].value = gpu_number(&o->value, c->program->in[k]);
  }
  for (int k = 0; k < c->program->nconstant; k++)
    args.constant[k] = gpu_number(&c->program->constant[k], c->program->constant_dtype[k]);
  for (int k = 0; k < c->program->nout; k++) {
    args.out[k] = c->out[k].data;
    gpu_writes(g, c->out[k].data);
  }
  return run_elementwise(g, c, &args);
}

int gpu_elementwise(int index, const elementwise_call *c) {
  gpu *g;
  const elementwise_program *p = c->program;
  for (int i = 0; i < p->nstep; i++)
    if (p->step[i].op != OP_positive && !gpu_has(p->step[i].op, p->step[i].compute)) return ERR_NO_KERNEL;
  if (c->plan->count == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, run_program(g, c)) : st;
}

/* A GPU computes whole calls: its cache is shared by all of its threads, which run out of step. */
int gpu_tiled(int index, const tiled_call *c) { (void)index; (void)c; return ERR_NO_KERNEL; }
