/* Element-wise programs as the text of kernels, and the kernels of other families that read a result of a program. */

#include "gpu/program.h"

#include <stdarg.h>
#include <stdio.h>

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

_Static_assert((int)ELEMENTWISE_MOST_IN == (int)ELEMENTWISE_INPUTS && (int)ELEMENTWISE_MOST_OUT == (int)ELEMENTWISE_RESULTS &&
               (int)ELEMENTWISE_MOST_CONSTANTS == (int)ELEMENTWISE_CONSTANTS && (int)PLAN_OPERANDS == (int)MAX_OPERANDS,
               "the kernels' arguments differ from base/calls.h");

bool gpu_program_runs(const elementwise_program *p) {
  for (int i = 0; i < p->nstep; i++)
    if (p->step[i].op != OP_positive && !gpu_has(p->step[i].op, p->step[i].compute)) return false;
  return true;
}

/* ---- the source of a kernel ---- */

static void add(gpu_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(gpu_text *t, const char *format, ...) {
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

static void add_value(gpu_text *t, const elementwise_program *p, const writers *w, int value) {
  if (value < ELEMENTWISE_CONSTANT) add(t, "x%d", value);
  else if (value >= ELEMENTWISE_REGISTER) add(t, "s%d", w->step[value - ELEMENTWISE_REGISTER]);
  else {
    int k = value - ELEMENTWISE_CONSTANT;
    add(t, "from_word<DT_%s>(a.constant[%d])", dtypes[p->constant_dtype[k]].name, k);
  }
}

static void add_step(gpu_text *t, const elementwise_program *p, writers *w, int i) {
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

int gpu_program_widest(const elementwise_call *c) {
  int most = 1;
  for (int k = 0; k < c->program->nout; k++)
    if (dtype_size(c->out[k].dtype) > most) most = dtype_size(c->out[k].dtype);
  for (int k = 0; k < c->program->nin; k++)
    if (c->in[k].data && dtype_size(c->in[k].dtype) > most) most = dtype_size(c->in[k].dtype);
  return most;
}

void gpu_program_text(gpu_text *t, const elementwise_call *c, const gpu_folded *f, const char *file) {
  t->length = 0;
  const elementwise_program *p = c->program;
  writers w = {{0}};
  add(t, "#define ELEMENTWISE_INPUTS(X)");
  for (int k = 0; k < p->nin; k++) add(t, " X(%d, %s, %s)", k, dtypes[c->in[k].dtype].name, dtypes[p->in[k]].name);
  add(t, "\n#define ELEMENTWISE_RESULTS(X)");
  for (int k = 0; k < p->nout; k++) add(t, " X(%d, %s)", k, dtypes[c->out[k].dtype].name);
  add(t, "\n#define ELEMENTWISE_WIDEST %d\n#define ELEMENTWISE_BODY \\\n", gpu_program_widest(c));
  for (int i = 0; i < p->nstep; i++) add_step(t, p, &w, i);
  for (int k = 0; k < p->nout; k++)
    add(t, " r.y%d = convert<DT_%s, DT_%s>(s%d); \\\n", k, dtypes[c->out[k].dtype].name, dtypes[p->gives[k]].name,
        w.step[p->out[k] - ELEMENTWISE_REGISTER]);
  if (f) {
    add(t, "\n#define ELEMENTWISE_STORED(X)");
    for (int k = 0; k < p->nout; k++)
      if (k != f->folded || f->keeps) add(t, " X(%d, %s)", k, dtypes[c->out[k].dtype].name);
  }
  add(t, "\n#include \"%s\"\n", file);
}

uint64_t gpu_program_hash(const elementwise_call *c) {
  uint64_t h = c->program->hash;
  for (int k = 0; k < c->program->nin; k++) h = (h ^ c->in[k].dtype ^ (c->in[k].data ? 0 : 64)) * 0x9E3779B97F4A7C15u;
  for (int k = 0; k < c->program->nout; k++) h = (h ^ c->out[k].dtype) * 0x9E3779B97F4A7C15u;
  return h;
}

/* ---- arguments ---- */

static int64_t inner_stride(const plan *p, int k) { return p->ndim == 0 ? 0 : p->stride[k][p->ndim - 1]; }

/* True if, in each row of operand k, vectors of `vector` elements are aligned to their size in bytes. */
static bool vectors_fit(const plan *p, int k, const operand *o, int vector) {
  if ((uintptr_t)o->data % ((size_t)vector * (size_t)dtype_size(o->dtype)) != 0) return false;
  for (int d = 0; d < p->ndim - 1; d++)
    if (p->stride[k][d] % vector != 0) return false;
  return true;
}

bool gpu_program_vectors(const elementwise_call *c, elementwise_args *args, int vector) {
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

void gpu_program_args(gpu *g, const elementwise_call *c, elementwise_args *args) {
  *args = (elementwise_args){.count = c->plan->count};
  for (int k = 0; k < c->program->nin; k++) {
    const operand *o = &c->in[k];
    gpu_reads(g, o->data);
    args->in[k].data = o->data;
    if (!o->data) args->in[k].value = gpu_number(&o->value, c->program->in[k]);
  }
  for (int k = 0; k < c->program->nconstant; k++)
    args->constant[k] = gpu_number(&c->program->constant[k], c->program->constant_dtype[k]);
  for (int k = 0; k < c->program->nout; k++) {
    args->out[k] = c->out[k].data;
    gpu_writes(g, c->out[k].data);
  }
}

/* ---- results that other kernels read ---- */

_Static_assert(sizeof(reduce_args) + sizeof(int64_t) + sizeof(elementwise_args) + sizeof(gpu_plan) <= 4096,
               "a kernel's parameters have at most 4 KiB");

static int layout_of(const elementwise_call *c, elementwise_args *args) {
  const plan *p = c->plan;
  int vector = 16 / gpu_program_widest(c);
  if (!gpu_program_vectors(c, args, vector)) return LAYOUT_STRIDED;
  if (p->ndim <= 1) return LAYOUT_FLAT;
  return p->shape[p->ndim - 1] % vector == 0 ? LAYOUT_ROWS : LAYOUT_STRIDED;
}

bool gpu_folded_runs(const elementwise_call *c) { return c->plan->count <= PLAN_MOST && gpu_program_runs(c->program); }

void gpu_folded_args(gpu *g, gpu_folded *f) {
  gpu_program_args(g, f->call, &f->args);
  f->layout = layout_of(f->call, &f->args);
  gpu_plan_piece(&f->plan, f->call->plan, f->call->program->nout + f->call->program->nin, PLAN_MOST, 0);
}

uint64_t gpu_folded_key(const gpu_folded *f, uint64_t key) {
  if (!f) return key;
  uint64_t h = gpu_program_hash(f->call);
  h = (h ^ (uint64_t)(f->folded << 3 | f->keeps << 2 | f->layout)) * 0x9E3779B97F4A7C15u;
  h = (h ^ h >> 32 ^ key) * 0x9E3779B97F4A7C15u;
  return (uint64_t)GPU_tiled << 56 | h >> 8;
}

int gpu_folded_build(gpu *g, uint64_t key, const gpu_folded *f, gpu_source *s, const gpu_kernel **k) {
  static const char *const layouts[] = {[LAYOUT_FLAT] = "FLAT", [LAYOUT_ROWS] = "ROWS", [LAYOUT_STRIDED] = "STRIDED"};
  if (!f) return gpu_build(g, key, s, k);
  gpu_text t;
  gpu_program_text(&t, f->call, f, s->file);
  gpu_define(s, "FOLDED=r.y%d", f->folded);
  gpu_define(s, "LAYOUT=LAYOUT_%s", layouts[f->layout]);
  s->file = "folded.cu";
  s->text = t.data;
  return gpu_build(g, key, s, k);
}
