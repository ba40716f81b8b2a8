/* Records ops on the list of the open deferral. */

#include "op/deferral/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"

_Thread_local deferral *open_deferral;

deferral *deferral_new(void) { return calloc(1, sizeof(deferral)); }

void deferral_free(deferral *d) {
  for (int k = 0; d && k < d->nschedule; k++) schedule_free(d->schedules[k]);
  if (d) free(d->logged);
  free(d);
}

bool deferral_is_empty(const deferral *d) { return d->nstep == 0; }
bool deferral_is_full(const deferral *d) {
  return d->nstep == STEPS || d->nentry + MAX_OPERANDS > MOST_ENTRIES || d->nview + MAX_OPERANDS > VIEWS;
}
deferral_counts deferral_counted(const deferral *d) { return d->counts; }
deferred_op deferral_culprit(const deferral *d) { return d->culprit; }
char *deferral_words(void) { return open_deferral->words; }

void deferral_open(deferral *d, bool (*is_mine)(void *context, const void *owner), const void *owner,
                   void (*locate)(void *context, char *line, size_t size)) {
  d->is_mine = is_mine;
  d->owner = owner;
  d->locate = locate;
  d->counts = (deferral_counts){0};
  open_deferral = d;
}

bool deferral_is_mine(void *context) {
  const deferral *d = open_deferral;
  return d && !d->running && d->is_mine(context, d->owner);
}

/* ---- the key and the fingerprint ---- */

/* Appends a word to the key of the list. */
static inline void put(deferral *d, uint64_t word) {
  d->hash = mix_hash(d->hash, word);
  if (d->nkey < KEY) d->key[d->nkey] = word;
  d->nkey++;
}

static void put_shape(deferral *d, const shape *s) {
  for (int k = 0; k < s->ndim; k++) put(d, (uint64_t)s->dim[k]);
}

void deferral_note(void *context, const char *name, enum dtype dtype, const shape *s) {
  if (!deferral_is_mine(context)) return;
  if (open_deferral->logs) log_tensor(open_deferral, context, name, dtype, s);
  uint64_t *to = &open_deferral->counts.fingerprint;
  *to = mix_hash(*to, (uint64_t)dtype << 8 | (unsigned)s->ndim);
  for (int k = 0; k < s->ndim; k++) *to = mix_hash(*to, (uint64_t)s->dim[k]);
}

/* ---- recording ---- */

/* Returns the slot of the storage, which is 0 if the storage has no entry. */
static int16_t *slot_of(deferral *d, const storage *s) {
  size_t at = ((uintptr_t)s >> 4) * (size_t)0x9E3779B1u % ENTRIES;
  while (d->slot[at] && d->entries[d->slot[at] - 1].store != s) at = (at + 1) % ENTRIES;
  return &d->slot[at];
}

/* Returns the index of the storage's entry. A new entry holds a reference, which counts in the storage's `kept`, so that
** in-place ops do not take the reference for one of the script. */
static int entry_of(deferral *d, storage *s) {
  int16_t *slot = slot_of(d, s);
  if (*slot) return *slot - 1;
  bool fresh = storage_is_pending(s);
  d->entries[d->nentry] = (entry){.store = s, .epoch = fresh ? place_epoch(s->place) : s->epoch, .fresh = fresh, .heir = NONE};
  storage_retain(s);
  s->kept++;
  s->epoch = EPOCH_PENDING;
  *slot = (int16_t)++d->nentry;
  put(d, (uint64_t)s->bytes << 1 | fresh);
  return d->nentry - 1;
}

/* True if the list may refer to the tensor's storage. The memory of a foreign storage may be reached by others, whose
** accesses the list cannot see. */
static bool is_own(const tensor *t) { return !t->store->release && !t->store->exported; }

/* True if the list may refer to the input. */
static bool is_input(const tensor *t, place where) { return is_own(t) && place_equal(t->store->place, where); }

static bool can_defer(const tensor *out) { return out->count > 0 && is_own(out) && !out->weak; }

static bool can_defer_map(const job *j, const tensor *out) {
  bool can = can_defer(out) && j->compute == dtype_compute(j->compute);
  for (int i = 0; i < j->nin; i++) can &= !j->in[i].t || is_input(j->in[i].t, out->store->place);
  return can;
}

/* Sets v to the elements of t, whose strides the caller has set. */
static void finish_view(deferral *d, operand_view *v, const tensor *t, const shape *s) {
  v->entry = entry_of(d, t->store);
  v->dtype = t->dtype;
  v->offset = t->offset;
  put(d, (uint64_t)v->entry << 8 | (unsigned)v->dtype);
  put(d, (uint64_t)v->offset);
  for (int k = 0; k < s->ndim; k++) put(d, (uint64_t)v->stride[k]);
}

static void set_view(deferral *d, operand_view *v, const tensor *t, const shape *s) {
  shape_expand(&t->shape, t->stride, s, v->stride);
  finish_view(d, v, t, s);
}

/* Appends a step without its operands. */
static step *append(deferral *d, enum step_kind kind, const char *name, int op, enum dtype compute, int nin,
                    const tensor *out) {
  step *s = &d->steps[d->nstep++];
  s->kind = kind;
  s->name = name;
  s->compute = compute;
  s->nin = nin;
  s->nmore = 0;
  s->in = &d->views[d->nview];
  d->nview += nin;
  s->where = out->store->place;
  s->shape = out->shape;
  s->count = out->count;
  s->done = false;
  d->counts.recorded++;
  put(d, (uint64_t)s->where.index << 56 | (uint64_t)device_number(s->where.device) << 48 | (uint64_t)out->shape.ndim << 40 |
             (uint64_t)nin << 36 | (uint64_t)kind << 32 | (uint64_t)op << 16 | (unsigned)compute);
  put_shape(d, &out->shape);
  return s;
}

/* Sets the result of the last step, after its inputs, and remembers the step for the error of the operation that
** follows. */
static void finish(deferral *d, step *s, const tensor *out) {
  set_view(d, &s->out, out, &out->shape);
  blame(d, s);
}

static void append_map(deferral *d, const job *j, const tensor *out) {
  step *s = append(d, STEP_MAP, map_ops[j->op].name, (int)j->row, j->compute, map_ops[j->row].nin, out);
  s->op.map = j->row;
  for (int i = 0; i < s->nin; i++) {
    s->in[i].entry = NONE;
    if (j->in[i].t) {
      set_view(d, &s->in[i], j->in[i].t, &out->shape);
    } else {
      s->in[i].number = j->in[i].s;
      put(d, UINT64_MAX);
    }
  }
  finish(d, s, out);
  if (d->logs) log_step(d, s);
}

/* Appends a step of one input, whose shape is not that of the result. The caller sets the step's `op`. */
static step *append_from(deferral *d, enum step_kind kind, const char *name, int op, enum dtype compute, const tensor *in,
                         const tensor *out) {
  step *s = append(d, kind, name, op, compute, 1, out);
  s->in_shape = in->shape;
  put(d, (uint64_t)in->shape.ndim);
  put_shape(d, &in->shape);
  set_view(d, &s->in[0], in, &in->shape);
  finish(d, s, out);
  return s;
}

static void append_reduction(deferral *d, const reduction *r, const tensor *out) {
  uint64_t correction;
  memcpy(&correction, &r->correction, sizeof correction);
  step *s = append_from(d, STEP_REDUCE, reductions[r->op].name, (int)r->op, r->compute, r->in, out);
  s->op.reduce = *r;
  put(d, (uint64_t)r->dims << 1 | r->keepdim);
  put(d, correction);
  if (d->logs) log_step(d, s);
}

static void append_line(deferral *d, const scan_softmax_job *l, const tensor *out) {
  step *s = append_from(d, STEP_LINE, l->info->name, (int)(l->info - scan_softmax_rows), l->compute, l->in, out);
  s->op.line = *l;
  put(d, (uint64_t)l->dim << 1 | l->initial);
  if (d->logs) log_step(d, s);
}

/* Sets operand number k of an opaque step, whose strides stay as they are: the op may depend on strides of dims of length
** 1. */
static void set_opaque(deferral *d, step *s, int k, const tensor *t) {
  operand_view *v = &s->in[k];
  shape *to = &d->shapes[d->nshape++];
  to->ndim = t ? t->shape.ndim : 0;
  v->entry = NONE;
  v->number = (scalar){.i = 0};
  put(d, t ? (uint64_t)t->shape.ndim : UINT64_MAX);
  if (!t) return;
  for (int i = 0; i < to->ndim; i++) {
    to->dim[i] = t->shape.dim[i];
    v->stride[i] = t->stride[i];
  }
  put_shape(d, to);
  finish_view(d, v, t, to);
}

static void append_opaque(deferral *d, const opaque_call *c) {
  step *s = append(d, STEP_OPAQUE, c->name, c->nout, c->out[0]->dtype, c->nin, c->out[0]);
  opaque_step *o = &s->op.opaque;
  o->op = c->op;
  o->ran = false;
  o->line[0] = '\0';
  if (c->op->checks && this_operation.context) d->locate(this_operation.context, o->line, sizeof o->line);
  memcpy(o->options, c->options, c->op->options);
  put(d, (uintptr_t)c->op);
  for (size_t k = 0; k < c->op->key / sizeof *o->options; k++) put(d, o->options[k]);
  s->nmore = c->nout - 1;
  d->nview += s->nmore;
  s->shapes = &d->shapes[d->nshape];
  for (int k = 0; k < c->nin; k++) set_opaque(d, s, k, c->in[k]);
  for (int k = 1; k < c->nout; k++) set_opaque(d, s, c->nin + k - 1, c->out[k]);
  for (int k = 0; k < s->shape.ndim; k++) s->out.stride[k] = c->out[0]->stride[k];
  finish_view(d, &s->out, c->out[0], &c->out[0]->shape);
  blame(d, s);
  if (d->logs) log_step(d, s);
}

int deferral_provide(storage *s) {
  int st = storage_provide(s);
  if (st == OK) s->epoch = place_epoch(s->place);
  return st;
}

/* True if push_deferred (lua/memory.c) has just made the tensor for the open deferral: its storage has no memory, and the list
** does not refer to it. */
static bool is_fresh(const tensor *out) { return storage_is_pending(out->store) && storage_is_sole(out->store); }

/* Decides whether an op is appended to the list of the open deferral. `can` is true if the list may have the op.
** Otherwise runs the list, so that the op may run at once. Returns true if the caller must append the op, or return the
** error *st instead of running the op. */
static bool takes(bool can, const tensor *out, int *st) {
  deferral *d = open_deferral;
  bool defers = can && (is_fresh(out) || deferral_is_mine(this_operation.context));
  *st = !defers || deferral_is_full(d) ? deferral_run(d) : OK;
  if (!defers && *st == OK && storage_is_pending(out->store)) *st = deferral_provide(out->store);
  return defers || *st != OK;
}

int job_defer(const job *j, tensor *out) {
  int st;
  if (out->count == 0) return OK;
  if (!takes(can_defer_map(j, out), out, &st)) return job_compute(j, out);
  if (st == OK) append_map(open_deferral, j, out);
  return st;
}

int reduce_defer(const reduction *r, tensor *out) {
  int st;
  if (out->count == 0) return OK;
  if (!takes(can_defer(out) && is_input(r->in, out->store->place), out, &st)) return reduce_run(r, out);
  if (st == OK) append_reduction(open_deferral, r, out);
  return st;
}

int scan_softmax_defer(const scan_softmax_job *l, tensor *out) {
  int st;
  if (out->count == 0) return OK;
  if (!takes(can_defer(out) && is_input(l->in, out->store->place), out, &st)) return scan_softmax_run(l, out);
  if (st == OK) append_line(open_deferral, l, out);
  return st;
}

static bool can_defer_opaque(const opaque_call *c) {
  place where = c->out[0]->store->place;
  bool can = true;
  for (int k = 0; k < c->nout; k++) can &= !c->out[k] || (can_defer(c->out[k]) && place_equal(c->out[k]->store->place, where));
  for (int k = 0; k < c->nin; k++) can &= !c->in[k] || (is_input(c->in[k], where) && !c->in[k]->weak);
  return can;
}

bool opaque_defer(const opaque_call *c, int *st) {
  bool defers = takes(can_defer_opaque(c), c->out[0], st);
  if (defers && *st == OK) append_opaque(open_deferral, c);
  for (int k = 1; k < c->nout && !defers && *st == OK; k++)
    if (c->out[k] && storage_is_pending(c->out[k]->store)) *st = deferral_provide(c->out[k]->store);
  return defers || *st != OK;
}

int job_run_later(const job *j, tensor *out) {
  int st = job_check(j, out);
  return st == OK ? job_compute_later(j, out) : st;
}

int op_fill_later(tensor *out, scalar value) {
  job j;
  int st = op_fill_job(&j, out, value);
  return st == OK ? job_compute_later(&j, out) : st;
}

int op_copy_later(tensor *out, const tensor *in) {
  job j;
  int st = op_copy_job(&j, out, in);
  return st == OK ? job_compute_later(&j, out) : st;
}

static int set_part(const tensor *z, int which, const arg *a) {
  tensor part = {.store = NULL};
  tensor_part(&part, z, which);
  int st = a->t ? op_copy_later(&part, a->t) : op_fill_later(&part, a->s);
  tensor_drop(&part);
  return st;
}

int op_set_parts_later(tensor *out, const arg *re, const arg *im) {
  int st = set_part(out, 0, re);
  return st == OK ? set_part(out, 1, im) : st;
}

/* ---- closing ---- */

void deferral_close(deferral *d) {
  if (d->nstep > 0) deferral_drop(d);
  open_deferral = NULL;
}
