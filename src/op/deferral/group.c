/* Finds the needed steps of a list, and joins them to groups. */

#include "op/deferral/list.h"

/* ---- finding what is needed ---- */

static bool is_wanted(const entry *e) { return !storage_is_sole(e->store); }

size_t deferral_bytes(const deferral *d) {
  size_t bytes = 0;
  for (int k = 0; k < d->nentry; k++)
    if (d->entries[k].fresh && !d->entries[k].store->ptr && is_wanted(&d->entries[k])) bytes += d->entries[k].store->bytes;
  return bytes;
}

size_t deferral_held(const deferral *d) {
  size_t bytes = 0;
  for (int k = 0; k < d->nentry; k++)
    if (d->entries[k].store->ptr && !is_wanted(&d->entries[k])) bytes += d->entries[k].store->bytes;
  return bytes;
}

bool same_view(const operand_view *a, const operand_view *b, const shape *s) {
  if (a->entry != b->entry || a->dtype != b->dtype || a->offset != b->offset) return false;
  for (int k = 0; k < s->ndim; k++)
    if (s->dim[k] != 1 && a->stride[k] != b->stride[k]) return false;
  return true;
}

/* True if two steps write the same elements in the same order. */
static bool writes_same(const step *a, const step *b) {
  return shape_equal(&a->shape, &b->shape) && same_view(&a->out, &b->out, &a->shape);
}

/* True if somebody reads a result of the step: through a tensor outside of the list, or in a later needed step. */
static bool has_reader(const deferral *d, const step *s) {
  const operand_view *out;
  for (int r = 0; (out = result_of(s, r)); r++) {
    const entry *e = out->entry == NONE ? NULL : &d->entries[out->entry];
    if (e && ((e->wanted && !e->overwritten) || e->read)) return true;
  }
  return false;
}

/* True if the step writes all elements of a new tensor, so that earlier elements are lost. If the step fails, so is the tensor,
** while an older tensor keeps what the steps before have written. */
static bool overwrites(const deferral *d, const step *s) {
  return d->entries[s->out.entry].fresh && is_whole(d, &s->out, &s->shape);
}

/* Marks the entries that needed step number i writes and reads. */
static void mark_uses(deferral *d, int i) {
  const step *s = &d->steps[i];
  const operand_view *view;
  for (int r = 0; (view = result_of(s, r)); r++) {
    if (view->entry == NONE) continue;
    entry *out = &d->entries[view->entry];
    if (out->writer != NONE && out->writer != i) out->mixed |= !writes_same(&d->steps[out->writer], s);
    out->writer = i;
  }
  for (int k = 0; k < s->nin; k++)
    if (s->in[k].entry != NONE) d->entries[s->in[k].entry].read = true;
}

/* Marks the steps whose results somebody can read: through a tensor outside of the list, or in a later needed step. */
void find_needed(deferral *d) {
  for (int k = 0; k < d->nentry; k++) {
    entry *e = &d->entries[k];
    e->wanted = is_wanted(e);
    e->read = e->overwritten = e->mixed = e->local = e->folded = e->taken = false;
    e->writer = e->reader_group = e->first = e->last = e->piece = e->donor = NONE;
    e->reader = NULL;
  }
  for (int i = d->nstep - 1; i >= 0; i--) {
    step *s = &d->steps[i];
    s->needed = !s->done && (is_check(s) || has_reader(d, s));
    s->readers = 0;
    s->group = s->next = NONE;
    s->is_piece = false;
    if ((s->needed || s->done) && overwrites(d, s)) {
      d->entries[s->out.entry].overwritten = true;
      d->entries[s->out.entry].read = false;
    }
    if (s->needed) mark_uses(d, i);
  }
  for (int i = 0; i < d->nstep; i++) {
    step *s = &d->steps[i];
    entry *out = &d->entries[s->out.entry];
    s->stored = s->kind == STEP_OPAQUE || out->wanted || out->mixed;
  }
  for (int k = 0; k < d->nentry; k++) d->entries[k].writer = NONE;
}

/* ---- grouping ----
** A step joins the first group of its shape that has room. The group must not come before a group that writes what the
** step reads, or that reads or writes what the step writes. Within a group each storage that is written is read and
** written by one view only, so an element's old value is read before its new value is written. A step that is not
** element-wise is a group of its own, at the end of the list of groups. */

/* Returns the step that may compute input k of step s, element by element, in the same program, or NONE. */
static int producer(const deferral *d, const step *s, int k) {
  const operand_view *in = &s->in[k];
  int w = in->entry == NONE ? NONE : d->entries[in->entry].writer;
  if (w == NONE || s->kind != STEP_MAP || d->steps[w].kind != STEP_MAP) return NONE;
  return shape_equal(&d->steps[w].shape, &s->shape) && same_view(&d->steps[w].out, in, &s->shape) ? w : NONE;
}

/* Adds n to the numbers of readers of the steps whose results a reader of the view reads. */
static void add_readers(deferral *d, const operand_view *v, int n) {
  const operand_view *list[PIECES];
  for (int i = 0, end = view_sources(d, v, list); i < end; i++) {
    int w = d->entries[list[i]->entry].writer;
    if (w != NONE) d->steps[w].readers += n;
  }
}

/* Makes step i the writer of its results. */
static void set_writer(deferral *d, int i) {
  const operand_view *out;
  for (int r = 0; (out = result_of(&d->steps[i], r)); r++)
    if (out->entry != NONE) d->entries[out->entry].writer = i;
}

/* Counts, for each needed step, the needed steps that read its result. */
static void count_readers(deferral *d) {
  for (int i = 0; i < d->nstep; i++) {
    step *s = &d->steps[i];
    if (!s->needed) continue;
    for (int k = 0; k < s->nin; k++) add_readers(d, &s->in[k], 1);
    set_writer(d, i);
  }
  for (int k = 0; k < d->nentry; k++) d->entries[k].writer = NONE;
}

static int later(int a, int b) { return a > b ? a : b; }

/* Returns the first group in which step s may run. A tensor that the script has made earlier is written after the checks
** of elements before s: if a check fails, later ops have changed nothing. */
static int first_group(const deferral *d, const step *s) {
  int first = d->entries[s->out.entry].fresh ? 0 : d->checked;
  for (int k = 0; k < s->nin; k++) {
    const operand_view *list[PIECES];
    for (int i = 0, n = view_sources(d, &s->in[k], list); i < n; i++) {
      int w = d->entries[list[i]->entry].writer;
      if (w != NONE) first = later(first, d->steps[w].group + (producer(d, s, k) == NONE));
    }
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

int find_input(const group *g, const operand_view *in, const shape *s) {
  for (int k = 0; k < g->nin; k++)
    if (same_view(g->in[k], in, s)) return k;
  return NONE;
}

/* Returns an upper bound of the steps of a program for step s: the op, and conversions of inputs and result. */
static int cost(const step *s) {
  int n = 1;
  if (s->kind != STEP_MAP) return n;
  for (int k = 0; k < s->nin; k++) {
    enum dtype want = k == 0 && map_ops[s->op.map].selects ? DT_bool : s->compute;
    n += s->in[k].entry != NONE && dtype_compute(s->in[k].dtype) != want;
  }
  return n + (result_dtype(map_ops[s->op.map].result, s->compute) != s->out.dtype);
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
  if (s->kind != STEP_MAP || member->kind != STEP_MAP) return false;
  if (!place_equal(member->where, s->where) || !shape_equal(&member->shape, &s->shape)) return false;
  int nin = g->nin, numbers = 0;
  for (int k = 0; k < s->nin; k++) {
    int w = producer(d, s, k);
    if (s->in[k].entry == NONE) numbers++;
    else if (w == NONE || d->steps[w].group != number) nin += find_input(g, &s->in[k], &s->shape) == NONE;
  }
  int open = count_open(d, number, s);
  if (nin > g->nin && count_regions(d, g, s) > REGIONS) return false;
  return nin <= ELEMENTWISE_INPUTS && open <= ELEMENTWISE_RESULTS && nin + open <= MAX_OPERANDS &&
         g->nstep + cost(s) <= ELEMENTWISE_STEPS - ELEMENTWISE_RESULTS && g->nconstant + numbers <= ELEMENTWISE_CONSTANTS;
}

/* Records that group `number` reads a storage. `reader` is the view, or NULL if other views are read as well. */
static void add_reader_group(deferral *d, const operand_view *v, const shape *s, const operand_view *reader, int number) {
  entry *e = &d->entries[v->entry];
  if (e->writer != NONE) d->steps[e->writer].stored = true;
  if (e->reader_group == number && e->reader && (!reader || !same_view(e->reader, reader, s))) e->reader = NULL;
  if (e->reader_group >= number) return;
  e->reader_group = number;
  e->reader = reader;
}

/* Records that step s, of group `number`, reads input k from memory. */
static void read_memory(deferral *d, step *s, int k, int number) {
  group *g = &d->groups[number];
  const operand_view *list[PIECES], *in = &s->in[k];
  int n = view_sources(d, in, list);
  if (find_input(g, in, input_shape(s, k)) == NONE) g->in[g->nin++] = in;
  g->reads_number |= reads_number(d, in);
  for (int i = 0; i < n; i++)
    add_reader_group(d, list[i], &s->shape, s->kind == STEP_MAP && list[i] == in ? in : NULL, number);
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
    if (s->source[k] == NONE) read_memory(d, s, k, number);
    add_readers(d, &s->in[k], -1);
  }
  s->group = number;
  if (is_check(s)) d->checked = number + 1;
  g->nstep += cost(s);
  if (g->first == NONE) g->first = i;
  else d->steps[g->last].next = i;
  g->last = i;
  entry *out = &d->entries[s->out.entry];
  if (out->writer != NONE && d->steps[out->writer].group == number) d->steps[out->writer].stored = false;   /* replaced */
  set_writer(d, i);
}

void make_groups(deferral *d) {
  count_readers(d);
  d->ngroup = d->checked = 0;
  for (int i = 0; i < d->nstep; i++) {
    const step *s = &d->steps[i];
    if (!s->needed) continue;
    int number = s->kind == STEP_MAP ? first_group(d, s) : d->ngroup;
    while (number < d->ngroup && !fits(d, number, s)) number++;
    if (number >= d->ngroup) {
      number = d->ngroup++;
      d->groups[number] = (group){.first = NONE, .last = NONE, .tile_end = number, .folded = NONE};
    }
    join(d, i, number);
  }
}

int group_operands(const deferral *d, const group *g, access list[MAX_OPERANDS]) {
  const step *first = &d->steps[g->first];
  bool alone = !is_program(g);
  int n = 0;
  for (int i = g->first; i != NONE; i = d->steps[i].next)
    if (alone || d->steps[i].stored) list[n++] = (access){&d->steps[i].out, &d->steps[i].shape, true};
  if (alone)
    for (int k = first->nin; k < first->nin + first->nmore; k++) list[n++] = (access){&first->in[k], input_shape(first, k), true};
  for (int k = 0; k < (alone ? first->nin : g->nin); k++)
    list[n++] = alone ? (access){&first->in[k], input_shape(first, k), false} : (access){g->in[k], &first->shape, false};
  return n;
}
