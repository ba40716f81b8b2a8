#include "op/elementwise.h"

#include <string.h>

#include "base/dispatch.h"

/* ---- building ---- */

void elementwise_init(elementwise *e, const enum dtype *in, int nin) {
  memset(e, 0, sizeof *e);
  e->program.nin = e->nvalue = nin;
  for (int i = 0; i < nin; i++) {
    e->in[i] = in[i];
    e->program.in[i] = dtype_compute(in[i]);
    e->value[i] = (elementwise_value){in[i], i};
  }
}

/* Returns the dtype in which the program keeps value number `at`. */
static enum dtype kept_as(const elementwise_program *p, int at) {
  if (at < ELEMENTWISE_CONSTANT) return p->in[at];
  if (at < ELEMENTWISE_REGISTER) return p->constant_dtype[at - ELEMENTWISE_CONSTANT];
  return p->step[at - ELEMENTWISE_REGISTER].gives;
}

bool scalar_identical(const scalar *a, const scalar *b) {
  if (a->is_float != b->is_float || a->is_bool != b->is_bool || a->is_complex != b->is_complex) return false;
  if (!a->is_float) return a->i == b->i;
  return memcmp(&a->f, &b->f, sizeof a->f) == 0 && (!a->is_complex || memcmp(&a->im, &b->im, sizeof a->im) == 0);
}

static int add_constant(elementwise_program *p, const scalar *s, enum dtype d, int *at) {
  int k = 0;
  while (k < p->nconstant && !(p->constant_dtype[k] == d && scalar_identical(&p->constant[k], s))) k++;
  if (k == ELEMENTWISE_CONSTANTS) return ERR_OVERFLOW;
  *at = ELEMENTWISE_CONSTANT + k;
  if (k < p->nconstant) return OK;
  p->constant[k] = *s;
  p->constant_dtype[k] = d;
  p->nconstant++;
  return OK;
}

static int append_step(elementwise_program *p, const elementwise_step *s) {
  if (p->nstep == ELEMENTWISE_STEPS) return ERR_OVERFLOW;
  p->step[p->nstep] = *s;
  p->step[p->nstep].out = (uint8_t)(ELEMENTWISE_REGISTER + p->nstep);
  p->nstep++;
  return OK;
}

/* Adds step s, unless the program already contains an equal step. Sets *at to the number of the step's value. */
static int add_step(elementwise_program *p, const elementwise_step *s, int *at) {
  int k = 0;
  for (; k < p->nstep; k++) {
    const elementwise_step *have = &p->step[k];
    if (have->op == s->op && have->compute == s->compute && memcmp(have->in, s->in, sizeof s->in) == 0) break;
  }
  *at = ELEMENTWISE_REGISTER + k;
  return k < p->nstep ? OK : append_step(p, s);
}

/* Returns a step that converts value `from` to dtype d. If the value already has dtype d, the step is a copy. */
static elementwise_step conversion(const elementwise_program *p, int from, enum dtype d) {
  return (elementwise_step){.op = OP_positive, .compute = d, .from = kept_as(p, from), .gives = dtype_compute(d),
                      .in = {(uint8_t)from}};
}

static int add_conversion(elementwise_program *p, int from, enum dtype d, int *at) {
  elementwise_step s = conversion(p, from, d);
  return add_step(p, &s, at);
}

/* Adds an input of an op, and a conversion if the input does not have compute dtype d. Sets *at to the input's number
** in the program. */
static int add_input(elementwise *e, const elementwise_arg *a, enum dtype d, int *at) {
  elementwise_program *p = &e->program;
  if (a->value < 0) return add_constant(p, &a->s, d, at);
  *at = e->value[a->value].at;
  return kept_as(p, *at) == d ? OK : add_conversion(p, *at, d, at);
}

static int add_value(elementwise *e, enum dtype d, int at, int *result) {
  if (e->nvalue == ELEMENTWISE_VALUES) return ERR_OVERFLOW;
  e->value[e->nvalue] = (elementwise_value){d, at};
  *result = e->nvalue++;
  return OK;
}

/* Finds the dtypes of a step by job_dtypes on stand-ins for tensors, so that the ops of an expression promote like
** the ops that scripts call. */
static int type_step(const elementwise *e, enum map_op op, const elementwise_arg *in, job *j) {
  tensor stand_in[MAX_ARITY];
  j->op = op;
  j->nin = map_ops[op].nin;
  for (int i = 0; i < j->nin; i++) {
    j->in[i] = (arg){.t = in[i].value < 0 ? NULL : &stand_in[i], .s = in[i].s};
    if (in[i].value >= 0) stand_in[i].dtype = e->value[in[i].value].dtype;
  }
  int st = job_dtypes(j);
  /* an op that computes in a half float (only nextafter) is not supported */
  return st == OK && j->compute != dtype_compute(j->compute) ? ERR_DTYPE : st;
}

static const bool is_costly[OP_COUNT] = {
#define ROW(name, dtypes, ...) [OP_##name] = COSTLY_##dtypes,
#define UNARY ROW
#define BINARY ROW
#define TERNARY ROW
#define QUATERNARY ROW
#include "ops.def"
};

int elementwise_apply(elementwise *e, enum map_op op, const elementwise_arg *in, int *result) {
  job j;
  int st = type_step(e, op, in, &j);
  if (st != OK) return st;
  op = j.row;
  elementwise_step s = {.op = op, .compute = j.compute, .from = j.compute,
                  .gives = result_dtype(map_ops[op].result, j.compute)};
  int at = 0;
  for (int i = 0; st == OK && i < map_ops[op].nin; i++) {
    st = add_input(e, &in[i], i == 0 && map_ops[op].selects ? DT_bool : j.compute, &at);
    s.in[i] = (uint8_t)at;
  }
  if (st == OK && op != OP_positive) st = add_step(&e->program, &s, &at);
  if (is_costly[op]) e->program.costly = true;
  return st == OK ? add_value(e, j.result, at, result) : st;
}

int elementwise_apply_typed(elementwise *e, enum map_op op, enum dtype compute, enum dtype result,
                            const elementwise_arg *in, int *value) {
  elementwise_program *p = &e->program;
  elementwise_step s = {.op = op, .compute = compute, .from = compute, .gives = result_dtype(map_ops[op].result, compute)};
  int at = 0, st = OK;
  bool copies = op == OP_positive;
  for (int i = 0; st == OK && i < map_ops[op].nin; i++) {
    if (copies && in[0].value >= 0) at = e->value[in[0].value].at;
    else st = add_input(e, &in[i], i == 0 && map_ops[op].selects ? DT_bool : compute, &at);
    s.in[i] = (uint8_t)at;
  }
  if (st == OK && !copies) st = add_step(p, &s, &at);
  bool converts = kept_as(p, at) != result || (copies && at < ELEMENTWISE_REGISTER);   /* a copy has a step of its own */
  if (st == OK && converts) st = add_conversion(p, at, result, &at);
  if (is_costly[op]) p->costly = true;
  return st == OK ? add_value(e, result, at, value) : st;
}

int elementwise_cast(elementwise *e, enum dtype d, const elementwise_arg *in, int *result) {
  int at, st;
  if (in->value < 0 && !scalar_fits(d, &in->s)) return ERR_SCALAR;
  st = add_input(e, in, dtype_compute(d), &at);
  if (st == OK && d != dtype_compute(d)) st = add_conversion(&e->program, at, d, &at);
  return st == OK ? add_value(e, d, at, result) : st;
}

/* ---- finishing ---- */

/* Sets last[k], for each value k, to the number of the last step that reads value k, or to -1 if no step reads it. */
static void find_last_uses(const elementwise_program *p, int *last) {
  for (int k = 0; k < ELEMENTWISE_STEPS; k++) last[k] = -1;
  for (int i = 0; i < p->nstep; i++)
    for (int k = 0; k < MAX_ARITY; k++)
      if (p->step[i].in[k] >= ELEMENTWISE_REGISTER) last[p->step[i].in[k] - ELEMENTWISE_REGISTER] = i;
}

/* Allocates registers for the values. A register is reused as soon as the last step that reads its value has run. The
** registers of results are not reused, because the device may write them to the results directly. There are as many
** registers as steps, so the registers suffice. */
static void deal_registers(elementwise_program *p) {
  int last[ELEMENTWISE_STEPS], home[ELEMENTWISE_STEPS];
  bool busy[ELEMENTWISE_REGISTERS] = {false}, is_result[ELEMENTWISE_STEPS] = {false};
  find_last_uses(p, last);
  for (int k = 0; k < p->nout; k++) is_result[p->out[k] - ELEMENTWISE_REGISTER] = true;
  for (int i = 0; i < p->nstep; i++) {
    elementwise_step *s = &p->step[i];
    int r = is_result[i] ? p->nregister : 0;
    while (busy[r]) r++;
    busy[r] = true;
    home[i] = r;
    if (r >= p->nregister) p->nregister = r + 1;
    if (is_result[i]) last[i] = ELEMENTWISE_STEPS;
    s->out = (uint8_t)(ELEMENTWISE_REGISTER + r);
    for (int k = 0; k < MAX_ARITY; k++) {
      if (s->in[k] < ELEMENTWISE_REGISTER) continue;
      int from = s->in[k] - ELEMENTWISE_REGISTER;
      s->in[k] = (uint8_t)(ELEMENTWISE_REGISTER + home[from]);
      if (last[from] == i) busy[home[from]] = false;
    }
    if (last[i] < 0) busy[r] = false;
  }
  for (int k = 0; k < p->nout; k++) {
    int from = p->out[k] - ELEMENTWISE_REGISTER;
    p->gives[k] = p->step[from].gives;
    p->out[k] = p->step[from].out;
  }
}

/* Continues the FNV-1a hash h by n bytes. */
static uint64_t hash_bytes(uint64_t h, const void *data, size_t n) {
  for (const unsigned char *p = data, *end = p + n; p < end; p++) h = (h ^ *p) * 0x100000001b3u;
  return h;
}

/* Returns the hash of those fields of the program that are used, without the values of constants. */
static uint64_t hash_program(const elementwise_program *p) {
  uint64_t h = 0xcbf29ce484222325u;
  const int counts[] = {p->nin, p->nout, p->nconstant, p->nregister, p->nstep};
  h = hash_bytes(h, counts, sizeof counts);
  h = hash_bytes(h, p->in, (size_t)p->nin * sizeof *p->in);
  h = hash_bytes(h, p->constant_dtype, (size_t)p->nconstant * sizeof *p->constant_dtype);
  h = hash_bytes(h, p->step, (size_t)p->nstep * sizeof *p->step);
  return hash_bytes(h, p->out, (size_t)p->nout * sizeof *p->out);
}

/* True if a step after the one that computes value number `at` reads the input. */
static bool is_read_after(const elementwise_program *p, int at, int input) {
  for (int i = at - ELEMENTWISE_REGISTER + 1; i < p->nstep; i++)
    for (int k = 0; k < map_ops[p->step[i].op].nin; k++)
      if (p->step[i].in[k] == input) return true;
  return false;
}

/* Makes value number `at` the next result. A value that is an input, a constant or another result is copied. So is a value
** whose step would overwrite input number `overwritten` (-1: none) before a later step reads the input: an equal step may
** have computed the value for an earlier op. */
static int add_result(elementwise_program *p, int at, int overwritten) {
  bool copied = at < ELEMENTWISE_REGISTER || (overwritten >= 0 && is_read_after(p, at, overwritten));
  for (int k = 0; k < p->nout; k++) copied |= p->out[k] == at;
  if (copied) {
    elementwise_step s = conversion(p, at, kept_as(p, at));
    int st = append_step(p, &s);
    if (st != OK) return st;
    at = ELEMENTWISE_REGISTER + p->nstep - 1;
  }
  p->out[p->nout++] = (uint8_t)at;
  return OK;
}

static void finish(elementwise_program *p) {
  deal_registers(p);
  p->hash = hash_program(p);
}

int elementwise_finish_values(elementwise *e, const int *values, const int *overwrites, int n) {
  for (int k = 0; k < n; k++) {
    int st = add_result(&e->program, e->value[values[k]].at, overwrites[k]);
    if (st != OK) return st;
  }
  finish(&e->program);
  return OK;
}

int elementwise_finish(elementwise *e, const elementwise_arg *in, enum dtype d) {
  elementwise_program *p = &e->program;
  arg weak = {.t = NULL, .s = in->s};
  enum dtype own = in->value < 0 ? promote_arg(DT_none, &weak) : e->value[in->value].dtype;
  int at;
  e->result = d == DT_none ? own : d;
  int st = add_input(e, in, dtype_compute(own), &at);
  if (st == OK) st = add_result(p, at, -1);
  if (st == OK) finish(p);
  return st;
}

/* ---- running ---- */

int elementwise_prepare(const elementwise *e, job *j, int *wrong) {
  j->op = OP_COUNT;
  j->nin = e->program.nin;
  j->result = e->result;
  for (int i = 0; i < j->nin; i++) {
    *wrong = i;
    if (j->in[i].t && dtype_promote(j->in[i].t->dtype, e->in[i]) != e->in[i]) return ERR_DTYPE;
    if (!j->in[i].t && !scalar_fits(e->in[i], &j->in[i].s)) return ERR_SCALAR;
  }
  int st = job_place(j);
  return st == OK ? job_shape(j) : st;
}

int elementwise_run(const elementwise *e, const job *j, tensor *out) {
  int st = job_check(j, out);
  if (st != OK || out->count == 0) return st;
  plan p;
  job_plan(&p, j, out);
  elementwise_call c = {.program = &e->program, .plan = &p, .out = {{.data = tensor_data(out), .dtype = out->dtype}}};
  for (int i = 0; i < j->nin; i++) {
    const tensor *t = j->in[i].t;
    if (t) c.in[i] = (operand){.data = tensor_data(t), .dtype = t->dtype};
    else c.in[i] = (operand){.dtype = e->program.in[i], .value = j->in[i].s};
  }
  place where = out->store->place;
  return device_elementwise(where, &c);
}
