/* Records element-wise ops and runs them as fused programs. */

#include "op/deferral.h"

#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/dispatch.h"
#include "op/elementwise.h"

enum {
  STEPS   = 256,                       /* the most ops of a list; a longer list runs in parts */
  ENTRIES = 1024,                      /* a power of 2: the size of the hash table of storages */
  MOST_ENTRIES = STEPS * 3,            /* a step adds at most 1 + MAX_ARITY storages; 3 are usual */
  NONE    = -1
};

/* ---- the list ---- */

/* A storage that steps of the list read or write. */
typedef struct entry {
  storage *store;
  unsigned epoch;                      /* the storage's epoch before it was pending */
  bool     fresh;                      /* the storage was made for a result of the list, and has no memory of its own
                                       ** until deferral_run allocates it */

  /* Fields of a run. */
  bool lost;                           /* a step that writes the storage did not run */
  bool wanted;                         /* someone besides the list refers to the storage */
  bool mixed;                          /* needed steps write different views of the storage */
  bool read;                           /* a later needed step reads the storage */
  int  writer;                         /* the last needed step that writes the storage, or NONE */
  int  reader_group;                   /* the last group that reads the storage from memory, or NONE */
  const struct operand_view *reader;   /* the view that this group reads; NULL: several views */
} entry;

/* An operand of a step: elements of a storage, or a number. The strides belong to the dims of the step's shape. */
typedef struct operand_view {
  int        entry;                    /* index into `entries`, or NONE for a number */
  enum dtype dtype;
  int64_t    offset;                   /* elements */
  int64_t    stride[MAX_DIMS];
  scalar     number;
} operand_view;

typedef struct step {
  enum map_op  op;
  enum dtype   compute;
  int          nin;
  place        where;
  shape        shape;
  int64_t      count;
  operand_view out, in[MAX_ARITY];

  /* Fields of a run. */
  bool done;                           /* an earlier run that ran out of memory has computed the step */
  bool needed;
  bool stored;                         /* the result is written to memory */
  int  readers;                        /* needed steps that read the result and have no group yet */
  int  group, next;                    /* the step's group, and the next step of the group or NONE */
  int  value;                          /* number of the result in the group's program */
  int  source[MAX_ARITY];              /* for each input: the step of the same group that computes it, or NONE: the input
                                       ** is read from memory */
} step;

/* Steps that run as one program. */
typedef struct group {
  int  first, last;                    /* a chain of steps by `next` */
  int  nstep, nconstant;               /* upper bounds of the program's steps and constants */
  int  nin;
  const operand_view *in[ELEMENTWISE_INPUTS];
} group;

struct deferral {
  bool   (*is_mine)(void *context, const void *owner);
  const void *owner;
  bool    running;
  deferred_op culprit;                 /* the op that was appended or run last */
  deferral_counts counts;
  int     nstep, nentry, ngroup;
  int16_t slot[ENTRIES];               /* hash table from addresses of storages to 1 + the index of the entry */
  entry   entries[MOST_ENTRIES];
  step    steps[STEPS];
  group   groups[STEPS];
  elementwise program;
};

_Thread_local deferral *open_deferral;

deferral *deferral_new(void) { return calloc(1, sizeof(deferral)); }
void deferral_free(deferral *d) { free(d); }

bool deferral_is_empty(const deferral *d) { return d->nstep == 0; }
bool deferral_is_full(const deferral *d) { return d->nstep == STEPS || d->nentry + 1 + MAX_ARITY > MOST_ENTRIES; }
deferral_counts deferral_counted(const deferral *d) { return d->counts; }
deferred_op deferral_culprit(const deferral *d) { return d->culprit; }

void deferral_open(deferral *d, bool (*is_mine)(void *context, const void *owner), const void *owner) {
  d->is_mine = is_mine;
  d->owner = owner;
  d->counts = (deferral_counts){0};
  open_deferral = d;
}

bool deferral_is_mine(void *context) {
  const deferral *d = open_deferral;
  return d && !d->running && d->is_mine(context, d->owner);
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
  d->entries[d->nentry] = (entry){.store = s, .epoch = fresh ? place_epoch(s->place) : s->epoch, .fresh = fresh};
  storage_retain(s);
  s->kept++;
  s->epoch = EPOCH_PENDING;
  *slot = (int16_t)++d->nentry;
  return d->nentry - 1;
}

/* True if the list may refer to the tensor's storage. The memory of a foreign storage may be reached by others, whose
** accesses the list cannot see. */
static bool is_own(const tensor *t) { return !t->store->release && !t->store->exported; }

static bool can_defer(const job *j, const tensor *out) {
  bool can = out->count > 0 && is_own(out) && !out->weak && j->compute == dtype_compute(j->compute);
  for (int i = 0; i < j->nin; i++) {
    const tensor *t = j->in[i].t;
    can &= !t || (is_own(t) && place_equal(t->store->place, out->store->place));
  }
  return can;
}

static void set_view(deferral *d, operand_view *v, const tensor *t, const shape *s) {
  v->entry = entry_of(d, t->store);
  v->dtype = t->dtype;
  v->offset = t->offset;
  shape_expand(&t->shape, t->stride, s, v->stride);
}

/* Remembers a step for the error of the operation that follows. */
static void blame(deferral *d, const step *s) {
  d->culprit = (deferred_op){.name = map_ops[s->op].name, .where = s->where, .dtype = s->compute};
}

static void append(deferral *d, const job *j, const tensor *out) {
  step *s = &d->steps[d->nstep++];
  s->op = j->op;
  s->compute = j->compute;
  s->nin = j->nin;
  s->where = out->store->place;
  s->shape = out->shape;
  s->count = out->count;
  s->done = false;
  for (int i = 0; i < j->nin; i++) {
    s->in[i].entry = NONE;
    if (j->in[i].t) set_view(d, &s->in[i], j->in[i].t, &out->shape);
    else s->in[i].number = j->in[i].s;
  }
  set_view(d, &s->out, out, &out->shape);
  blame(d, s);
  d->counts.recorded++;
}

/* Allocates the memory of a storage that no step of the list writes. */
static int provide_now(storage *s) {
  int st = storage_provide(s);
  if (st == OK) s->epoch = place_epoch(s->place);
  return st;
}

/* Appends the op to the list of the open deferral, if the op can be deferred. Otherwise runs the list, so that the op may
** run at once. Returns true if the op was deferred or an error prevents it; *st is OK or the error. */
static bool take(const job *j, tensor *out, int *st) {
  deferral *d = open_deferral;
  bool defers = deferral_is_mine(this_operation.context) && can_defer(j, out);
  *st = !defers || deferral_is_full(d) ? deferral_run(d) : OK;
  if (!defers && *st == OK && storage_is_pending(out->store)) *st = provide_now(out->store);
  if (defers && *st == OK) append(d, j, out);
  return defers || *st != OK;
}

int job_defer(const job *j, tensor *out) {
  int st;
  return take(j, out, &st) ? st : job_compute(j, out);
}

int job_run_later(const job *j, tensor *out) {
  int st = job_check(j, out);
  return st == OK ? job_compute_later(j, out) : st;
}

int op_copy_later(tensor *out, const tensor *in) {
  job j;
  int st = op_copy_job(&j, out, in);
  return st == OK ? job_compute_later(&j, out) : st;
}

/* ---- finding what is needed ---- */

static bool is_wanted(const entry *e) { return !storage_is_sole(e->store); }

size_t deferral_bytes(const deferral *d) {
  size_t bytes = 0;
  for (int k = 0; k < d->nentry; k++)
    if (d->entries[k].fresh && !d->entries[k].store->ptr && is_wanted(&d->entries[k])) bytes += d->entries[k].store->bytes;
  return bytes;
}

/* True if two operands, of steps of shape s, are the same elements in the same order. */
static bool same_view(const operand_view *a, const operand_view *b, const shape *s) {
  if (a->entry != b->entry || a->dtype != b->dtype || a->offset != b->offset) return false;
  for (int k = 0; k < s->ndim; k++)
    if (s->dim[k] != 1 && a->stride[k] != b->stride[k]) return false;
  return true;
}

/* True if two steps write the same elements in the same order. */
static bool writes_same(const step *a, const step *b) {
  return shape_equal(&a->shape, &b->shape) && same_view(&a->out, &b->out, &a->shape);
}

/* Marks the steps whose results somebody can read: through a tensor outside of the list, or in a later needed step. */
static void find_needed(deferral *d) {
  for (int k = 0; k < d->nentry; k++) {
    entry *e = &d->entries[k];
    e->wanted = is_wanted(e);
    e->read = e->mixed = false;
    e->writer = e->reader_group = NONE;
    e->reader = NULL;
  }
  for (int i = d->nstep - 1; i >= 0; i--) {
    step *s = &d->steps[i];
    entry *out = &d->entries[s->out.entry];
    s->needed = !s->done && (out->wanted || out->read);
    s->readers = 0;
    s->group = s->next = NONE;
    if (!s->needed) continue;
    if (out->writer != NONE) out->mixed |= !writes_same(&d->steps[out->writer], s);
    out->writer = i;
    for (int k = 0; k < s->nin; k++)
      if (s->in[k].entry != NONE) d->entries[s->in[k].entry].read = true;
  }
  for (int i = 0; i < d->nstep; i++) {
    entry *out = &d->entries[d->steps[i].out.entry];
    d->steps[i].stored = out->wanted || out->mixed;
    out->writer = NONE;
  }
}

/* ---- grouping ----
** A step joins the first group of its shape that has room. The group must not come before a group that writes what the
** step reads, or that reads or writes what the step writes. Within a group each storage that is written is read and
** written by one view only, so an element's old value is read before its new value is written. */

/* Returns the step whose result is input k of step s, element by element, or NONE. */
static int producer(const deferral *d, const step *s, int k) {
  const operand_view *in = &s->in[k];
  int w = in->entry == NONE ? NONE : d->entries[in->entry].writer;
  return w != NONE && shape_equal(&d->steps[w].shape, &s->shape) && same_view(&d->steps[w].out, in, &s->shape) ? w : NONE;
}

/* Counts, for each needed step, the needed steps that read its result. */
static void count_readers(deferral *d) {
  for (int i = 0; i < d->nstep; i++) {
    step *s = &d->steps[i];
    if (!s->needed) continue;
    for (int k = 0; k < s->nin; k++) {
      int w = s->in[k].entry == NONE ? NONE : d->entries[s->in[k].entry].writer;
      if (w != NONE) d->steps[w].readers++;
    }
    d->entries[s->out.entry].writer = i;
  }
  for (int k = 0; k < d->nentry; k++) d->entries[k].writer = NONE;
}

static int later(int a, int b) { return a > b ? a : b; }

/* Returns the first group in which step i may run. */
static int first_group(const deferral *d, const step *s) {
  int first = 0;
  for (int k = 0; k < s->nin; k++) {
    int w = s->in[k].entry == NONE ? NONE : d->entries[s->in[k].entry].writer;
    if (w != NONE) first = later(first, d->steps[w].group + (producer(d, s, k) == NONE));
  }
  const entry *out = &d->entries[s->out.entry];
  if (out->writer != NONE) {
    const step *w = &d->steps[out->writer];
    first = later(first, w->group + !writes_same(w, s));
  }
  if (out->reader_group != NONE) {
    const group *g = &d->groups[out->reader_group];
    bool same = out->reader && shape_equal(&d->steps[g->first].shape, &s->shape) &&
                same_view(out->reader, &s->out, &s->shape);
    first = later(first, out->reader_group + !same);
  }
  return first;
}

/* Returns the number of the input `in` of group g, or NONE. */
static int find_input(const group *g, const operand_view *in, const shape *s) {
  for (int k = 0; k < g->nin; k++)
    if (same_view(g->in[k], in, s)) return k;
  return NONE;
}

/* Returns an upper bound of the steps of a program for step s: the op, and conversions of inputs and result. */
static int cost(const step *s) {
  int n = 1;
  for (int k = 0; k < s->nin; k++) {
    enum dtype want = k == 0 && map_ops[s->op].selects ? DT_bool : s->compute;
    n += s->in[k].entry != NONE && dtype_compute(s->in[k].dtype) != want;
  }
  return n + (result_dtype(map_ops[s->op].result, s->compute) != s->out.dtype);
}

/* Returns the most results that group g may have to store if step number `added` joins it: results that are stored for
** certain, and results with readers that have no group yet. */
static int count_open(const deferral *d, int number, const step *added) {
  int open = 1;
  for (int i = d->groups[number].first; i != NONE; i = d->steps[i].next) {
    const step *s = &d->steps[i];
    int readers = s->readers;
    for (int k = 0; k < added->nin; k++) readers -= producer(d, added, k) == i;
    bool replaced = added->out.entry == s->out.entry;
    open += !replaced && (s->stored || readers > 0);
  }
  return open;
}

static bool fits(const deferral *d, int number, const step *s) {
  const group *g = &d->groups[number];
  const step *member = &d->steps[g->first];
  if (!place_equal(member->where, s->where) || !shape_equal(&member->shape, &s->shape)) return false;
  int nin = g->nin, numbers = 0;
  for (int k = 0; k < s->nin; k++) {
    int w = producer(d, s, k);
    if (s->in[k].entry == NONE) numbers++;
    else if (w == NONE || d->steps[w].group != number) nin += find_input(g, &s->in[k], &s->shape) == NONE;
  }
  int open = count_open(d, number, s);
  return nin <= ELEMENTWISE_INPUTS && open <= ELEMENTWISE_RESULTS && nin + open <= MAX_OPERANDS &&
         g->nstep + cost(s) <= ELEMENTWISE_STEPS - ELEMENTWISE_RESULTS && g->nconstant + numbers <= ELEMENTWISE_CONSTANTS;
}

/* Records that step s, of group `number`, reads input k from memory. */
static void read_memory(deferral *d, step *s, int k, int number) {
  group *g = &d->groups[number];
  entry *e = &d->entries[s->in[k].entry];
  if (e->writer != NONE) d->steps[e->writer].stored = true;
  if (find_input(g, &s->in[k], &s->shape) == NONE) g->in[g->nin++] = &s->in[k];
  if (e->reader_group == number && e->reader && !same_view(e->reader, &s->in[k], &s->shape)) e->reader = NULL;
  if (e->reader_group >= number) return;
  e->reader_group = number;
  e->reader = &s->in[k];
}

static void join(deferral *d, int i, int number) {
  step *s = &d->steps[i];
  group *g = &d->groups[number];
  for (int k = 0; k < s->nin; k++) {
    int w = producer(d, s, k);
    s->source[k] = w != NONE && d->steps[w].group == number ? w : NONE;
    g->nconstant += s->in[k].entry == NONE;
  }
  for (int k = 0; k < s->nin; k++) {
    if (s->in[k].entry == NONE) continue;
    int w = d->entries[s->in[k].entry].writer;
    if (s->source[k] == NONE) read_memory(d, s, k, number);
    if (w != NONE) d->steps[w].readers--;
  }
  s->group = number;
  g->nstep += cost(s);
  if (g->first == NONE) g->first = i;
  else d->steps[g->last].next = i;
  g->last = i;
  entry *out = &d->entries[s->out.entry];
  if (out->writer != NONE && d->steps[out->writer].group == number) d->steps[out->writer].stored = false;   /* replaced */
  out->writer = i;
}

static void make_groups(deferral *d) {
  d->ngroup = 0;
  for (int i = 0; i < d->nstep; i++) {
    const step *s = &d->steps[i];
    if (!s->needed) continue;
    int number = first_group(d, s);
    while (number < d->ngroup && !fits(d, number, s)) number++;
    if (number >= d->ngroup) {
      number = d->ngroup++;
      d->groups[number] = (group){.first = NONE, .last = NONE};
    }
    join(d, i, number);
  }
}

/* ---- running ---- */

/* Allocates the memory of all results that are stored. */
static int provide(deferral *d) {
  for (int i = 0; i < d->nstep; i++) {
    const step *s = &d->steps[i];
    storage *store = d->entries[s->out.entry].store;
    if (!s->needed || !s->stored || store->ptr) continue;
    blame(d, s);
    int st = storage_provide(store);
    if (st != OK) return st;
  }
  return OK;
}

static operand operand_of(const deferral *d, const operand_view *v, enum dtype compute) {
  if (v->entry == NONE) return (operand){.dtype = compute, .value = v->number};
  char *start = d->entries[v->entry].store->ptr;
  return (operand){.data = start + v->offset * dtype_size(v->dtype), .dtype = v->dtype};
}

/* Runs one step as the op would have run at once. */
static int run_step(const deferral *d, const step *s) {
  plan p;
  map_call c = {.op = s->op, .compute = s->compute, .nin = s->nin, .plan = &p, .out = operand_of(d, &s->out, s->compute)};
  plan_init(&p, &s->shape);
  plan_operand(&p, 0, s->out.stride);
  for (int k = 0; k < s->nin; k++) {
    c.in[k] = operand_of(d, &s->in[k], s->compute);
    plan_operand(&p, 1 + k, s->in[k].entry == NONE ? NULL : s->in[k].stride);
  }
  plan_finish(&p, 1 + s->nin);
  return device_map(s->where, &c);
}

/* Builds the program of group g. Stores the numbers of the steps whose results the program stores in `results`, and their
** number in *n. */
static int build(deferral *d, const group *g, int *results, int *n) {
  elementwise *e = &d->program;
  enum dtype dtype[ELEMENTWISE_INPUTS];
  int values[ELEMENTWISE_RESULTS], st = OK;
  for (int k = 0; k < g->nin; k++) dtype[k] = g->in[k]->dtype;
  elementwise_init(e, dtype, g->nin);
  *n = 0;
  for (int i = g->first; st == OK && i != NONE; i = d->steps[i].next) {
    step *s = &d->steps[i];
    elementwise_arg in[MAX_ARITY];
    for (int k = 0; k < s->nin; k++) {
      if (s->in[k].entry == NONE) in[k] = (elementwise_arg){.value = -1, .s = s->in[k].number};
      else in[k].value = s->source[k] == NONE ? find_input(g, &s->in[k], &s->shape) : d->steps[s->source[k]].value;
    }
    st = elementwise_apply_typed(e, s->op, s->compute, s->out.dtype, in, &s->value);
    if (!s->stored) continue;
    values[*n] = s->value;
    results[(*n)++] = i;
  }
  return st == OK ? elementwise_finish_values(e, values, *n) : st;
}

static int run_program(deferral *d, const group *g, const int *results, int n) {
  const step *first = &d->steps[g->first];
  plan p;
  elementwise_call c = {.program = &d->program.program, .plan = &p};
  plan_init(&p, &first->shape);
  for (int k = 0; k < n; k++) {
    const step *s = &d->steps[results[k]];
    c.out[k] = operand_of(d, &s->out, s->compute);
    plan_operand(&p, k, s->out.stride);
  }
  for (int k = 0; k < g->nin; k++) {
    c.in[k] = operand_of(d, g->in[k], g->in[k]->dtype);
    plan_operand(&p, n + k, g->in[k]->stride);
  }
  plan_finish(&p, n + g->nin);
  return device_elementwise(first->where, &c);
}

/* Runs the steps of a group one by one, because the device cannot compute their program. Results that only other steps of
** the group read need memory, too. */
static int run_singly(deferral *d, const group *g) {
  for (int i = g->first; i != NONE; i = d->steps[i].next) d->steps[i].stored = true;
  int st = provide(d);
  for (int i = g->first; st == OK && i != NONE; i = d->steps[i].next) {
    blame(d, &d->steps[i]);
    st = run_step(d, &d->steps[i]);
    d->counts.singles++;
    if (st == OK) d->steps[i].done = true;
  }
  return st;
}

static int run_group(deferral *d, const group *g) {
  int results[ELEMENTWISE_RESULTS], n, st;
  blame(d, &d->steps[g->last]);
  if (g->first == g->last) st = run_step(d, &d->steps[g->first]);
  else if ((st = build(d, g, results, &n)) == OK) st = run_program(d, g, results, n);
  if (st == ERR_NO_KERNEL && g->first != g->last) return run_singly(d, g);
  if (st != OK) return st;
  if (g->first == g->last) d->counts.singles++; else d->counts.programs++;
  for (int i = g->first; i != NONE; i = d->steps[i].next) {
    d->steps[i].done = true;
    d->counts.stored += d->steps[i].stored;
  }
  return OK;
}

/* Gives a storage back to its users. A result that was not computed or not stored is lost. */
static void release(const entry *e) {
  storage *s = e->store;
  s->epoch = e->epoch;
  if (e->fresh && (e->lost || !s->ptr)) {
    if (s->ptr) s->place.device->free(s->place.index, s->ptr, s->bytes);
    s->ptr = NULL;
    s->epoch = EPOCH_FAILED;
  }
  s->kept--;
  storage_drop(s);
}

void deferral_drop(deferral *d) {
  for (int i = 0; i < d->nstep; i++) {
    d->counts.dropped += !d->steps[i].done;
    if (!d->steps[i].done) d->entries[d->steps[i].out.entry].lost = true;
  }
  memset(d->slot, 0, sizeof d->slot);
  int n = d->nentry;
  d->nstep = d->nentry = 0;
  for (int k = 0; k < n; k++) release(&d->entries[k]);
}

int deferral_run(deferral *d) {
  if (d->nstep == 0) return OK;
  if (d->running || this_operation.inside) return ERR_BUSY;
  d->running = true;
  find_needed(d);
  count_readers(d);
  make_groups(d);
  int st = provide(d);
  for (int k = 0; st == OK && k < d->ngroup; k++) st = run_group(d, &d->groups[k]);
  d->running = false;
  if (st != ERR_MEMORY) deferral_drop(d);
  return st;
}

/* True if the storage has memory, or gets memory within the limit of its state. */
static bool has_memory(storage *s) {
  const account *a = s->owner;
  return s->ptr || ((!a || account_allows(a, s->bytes)) && storage_provide(s) == OK);
}

void deferral_salvage(deferral *d) {
  if (this_operation.inside) return;
  d->running = true;
  find_needed(d);
  for (int i = 0; i < d->nstep; i++) {
    step *s = &d->steps[i];
    if (!s->needed) continue;
    if (!has_memory(d->entries[s->out.entry].store) || run_step(d, s) != OK) break;
    s->done = true;
    d->counts.singles++;
    d->counts.stored++;
  }
  d->running = false;
}

void deferral_close(deferral *d) {
  if (d->nstep > 0) deferral_drop(d);
  open_deferral = NULL;
}
