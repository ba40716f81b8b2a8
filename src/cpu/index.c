/* Reads, writes and adds elements at positions that index tensors contain. For each block of positions, the functions
** first compute the offsets in the target, and then process single elements or whole rows at these offsets. */

#include <string.h>

#include "cpu/cpu.h"

enum {
  BLOCK = 512,        /* the number of offsets of a block: 4 KiB, which stay in L1 together with the data */
  SURVEYS = 64,       /* the number of parts into which the check of many indices is divided */
  GRAIN = 1 << 14     /* the fewest positions for each thread: memory is accessed in random order, so a position takes
                      ** longer than an element of an element-wise op */
};

/* A copy between `target` and `values`, or an addition of `values` to `target`, for n elements. Strides are in
** elements. `size` is the size of an element in bytes, and log2 its binary logarithm. */
typedef struct row_move {
  enum index_op op;
  enum dtype dtype;
  int        size, log2;
  int64_t    n, value_stride, target_stride;
} row_move;

/* ---- checks ---- */

static index_range survey(const index_source *x, int64_t begin, int64_t end) {
  index_range r;
  cpu_isa->index->survey(end - begin, x->data + begin, &r);
  return r;
}

typedef struct surveying {
  const index_source *x;
  int64_t      parts;
  index_range *range;          /* the summary of the indices in each part */
} surveying;

static void survey_part(const void *arg, int64_t i, int worker) {
  const surveying *s = arg;
  (void)worker;
  s->range[i] = survey(s->x, s->x->count * i / s->parts, s->x->count * (i + 1) / s->parts);
}

/* Returns the summary (index_range) of all indices of x. The indices are divided into SURVEYS parts, which threads
** share. */
static index_range survey_shared(const index_source *x, int threads) {
  index_range range[SURVEYS], all = {0, 0, 0};
  cpu_parallel(threads, SURVEYS, survey_part, &(surveying){x, SURVEYS, range});
  if (this_operation.stopped) return all;
  for (int i = 0; i < SURVEYS; i++) {
    if (range[i].least < all.least) all.least = range[i].least;
    if (range[i].most > all.most) all.most = range[i].most;
    all.zeros += range[i].zeros;
  }
  return all;
}

/* Returns true if all indices are in range, or if the operation is cancelled. Otherwise sets *bad to the first index
** that is out of range. */
static bool check_index(const index_source *x, int64_t *bad) {
  int threads = cpu_threads(x->count, 8 * GRAIN);
  index_range r = x->count < 8 * GRAIN ? survey(x, 0, x->count) : survey_shared(x, threads);
  if (r.zeros == 0 && r.least >= -x->length && r.most <= x->length) return true;
  int64_t i = 0;
  while (x->data[i] != 0 && x->data[i] >= -x->length && x->data[i] <= x->length) i++;
  *bad = x->data[i];
  return false;
}

/* ---- moving elements and rows ---- */

static void move_row(const row_move *m, char *target, char *values);

/* Like move_row, for a long row. The operation can be cancelled between two stretches (base/cancel.h) of the row. */
static void move_parts(const row_move *m, char *target, char *values) {
  row_move part = *m;
  for (int64_t i = 0, end; (end = cancel_stretch(i, m->n)) > i; i = end) {
    part.n = end - i;
    move_row(&part, target + i * m->target_stride * m->size, values + i * m->value_stride * m->size);
  }
}

static void move_row(const row_move *m, char *target, char *values) {
  if (m->n > CANCEL_STRETCH) {
    move_parts(m, target, values);
    return;
  }
  if (m->op == INDEX_add) {
    cpu_isa->index->add_row[m->dtype](m->n, target, m->target_stride, values, m->value_stride);
    return;
  }
  char *to = m->op == INDEX_get ? values : target, *from = m->op == INDEX_get ? target : values;
  int64_t to_stride = m->op == INDEX_get ? m->value_stride : m->target_stride;
  int64_t from_stride = m->op == INDEX_get ? m->target_stride : m->value_stride;
  if (to_stride == 1 && from_stride == 1) memcpy(to, from, (size_t)(m->n * m->size));
  else cpu_isa->convert->copy[m->log2](&(copy_plan){.rows = 1, .cols = m->n, .to_col = to_stride, .from_col = from_stride}, to, from);
}

static index_kernel element_kernel(const row_move *m) {
  const index_table *t = cpu_isa->index;
  return m->op == INDEX_add ? t->add[m->dtype] : m->op == INDEX_get ? t->get[m->log2] : t->put[m->log2];
}

/* ---- traversal ---- */

/* The coordinates `at` of a traversal of the plan's outer dims, and the offsets at these coordinates, in elements:
** offset[0] of the values, offset[1] of the target, and index[k] of index tensor k. */
typedef struct walk {
  int64_t at[MAX_DIMS];
  int64_t offset[2], index[MAX_DIMS];
} walk;

static void step(walk *w, const index_call *c, int d, int64_t n) {
  w->at[d] += n;
  for (int k = 0; k < 2; k++) w->offset[k] += n * c->plan.stride[k][d];
  for (int k = 0; k < c->nindex; k++) w->index[k] += n * c->index[k].stride[d];
}

/* Sets the coordinate of dim `inner` to 0 and advances the coordinates of the dims before `inner` by one step, in
** row-major order. Returns false at the end of the plan. */
static bool next_run(walk *w, const index_call *c, int inner) {
  for (int d = inner; d > 0; d--) {
    step(w, c, d, -w->at[d]);
    step(w, c, d - 1, 1);
    if (w->at[d - 1] < c->plan.shape[d - 1]) return true;
  }
  return false;
}

/* Computes the offsets in the target of n positions along dim d, or of one position if d < 0. A call has at least one
** index tensor. */
static void offsets(const index_call *c, const walk *w, int d, int64_t n, int64_t *at) {
  for (int k = 0; k < c->nindex; k++) {
    const index_source *x = &c->index[k];
    place_run r = {x->data + w->index[k], d < 0 ? 0 : x->stride[d], x->length, x->step};
    if (k == 0) cpu_isa->index->places(n, at, w->offset[1], d < 0 ? 0 : c->plan.stride[1][d], &r);
    else cpu_isa->index->more_places(n, at, &r);
  }
}

/* Processes the rows at n offsets of the target: copies or adds them. In `values`, the rows of neighbouring positions
** are `stride` elements apart. */
static void move_block(const row_move *m, int64_t n, const int64_t *at, char *target, char *values, int64_t stride) {
  if (m->n == 1) element_kernel(m)(n, at, target, values, stride);
  else for (int64_t i = 0; i < n && !cancel_due(); i++) move_row(m, target + at[i] * m->size, values + i * stride * m->size);
}

/* True if no index tensor depends on dim d of the plan. */
static bool is_plain(const index_call *c, int d) {
  for (int k = 0; k < c->nindex; k++)
    if (c->index[k].stride[d]) return false;
  return true;
}

/* A block of positions whose elements or rows are at equal distances in `values`, beginning at offset `first`. */
typedef struct block {
  int64_t n, first, at[BLOCK];
} block;

/* Processes the block, and empties it. */
static void finish_block(block *b, const row_move *m, const index_call *c, int64_t stride) {
  if (b->n && !this_operation.stopped && !cancel_due())
    move_block(m, b->n, b->at, c->target.data, (char *)c->values.data + b->first * m->size, stride);
  b->n = 0;
}

/* Adds n positions along dim `inner`, or one position if inner < 0, to a block, and processes each full block. */
static void add_run(block *b, const row_move *m, const index_call *c, walk *w, int inner, int64_t n, int64_t stride) {
  if (w->offset[0] != b->first + b->n * stride) finish_block(b, m, c, stride);
  for (int64_t left = n, part; left > 0 && !this_operation.stopped; left -= part) {
    if (b->n == BLOCK) finish_block(b, m, c, stride);
    if (b->n == 0) b->first = w->offset[0];
    part = least_of(left, BLOCK - b->n);
    offsets(c, w, inner, part, b->at + b->n);
    b->n += part;
    if (inner >= 0) step(w, c, inner, part);
  }
}

/* Runs the whole call on one thread, or stops early if the operation is cancelled. If no index tensor depends on the
** innermost dim, the elements along this dim are processed together as a row. */
static void run_serial(const index_call *c) {
  const plan *p = &c->plan;
  row_move m = {.op = c->op, .dtype = c->values.dtype, .size = dtype_size(c->values.dtype), .n = 1};
  m.log2 = __builtin_ctz((unsigned)m.size);
  int inner = p->ndim - 1;
  if (inner >= 0 && is_plain(c, inner)) {
    m.n = p->shape[inner];
    m.value_stride = p->stride[0][inner];
    m.target_stride = p->stride[1][inner--];
  }
  int64_t length = inner < 0 ? 1 : p->shape[inner], stride = inner < 0 ? 0 : p->stride[0][inner];
  walk w = {.at = {0}};
  block b;
  b.n = b.first = 0;
  do add_run(&b, &m, c, &w, inner, length, stride);
  while (!this_operation.stopped && next_run(&w, c, inner));
  finish_block(&b, &m, c, stride);
}

/* ---- threads ---- */

/* Returns the dim that is divided among threads, or -1 if the call must run on one thread. If the call writes to the
** target, the dim must have a stride other than 0 in the target. Then no two threads write the same element, and the
** order of writes to an element is kept. */
static int parted_dim(const index_call *c) {
  int best = -1;
  for (int d = 0; d < c->plan.ndim; d++) {
    if (c->op != INDEX_get && c->plan.stride[1][d] == 0) continue;
    if (best < 0 || c->plan.shape[d] > c->plan.shape[best]) best = d;
  }
  return best;
}

typedef struct parting {
  const index_call *call;
  int     d;                   /* the dim that is divided among threads */
  int64_t parts;
} parting;

static void run_part(const void *arg, int64_t i, int worker) {
  const parting *p = arg;
  index_call c = *p->call;
  int d = p->d, size = dtype_size(c.values.dtype);
  int64_t length = c.plan.shape[d], begin = length * i / p->parts, end = length * (i + 1) / p->parts;
  (void)worker;
  c.plan.shape[d] = end - begin;
  c.values.data = (char *)c.values.data + begin * c.plan.stride[0][d] * size;
  c.target.data = (char *)c.target.data + begin * c.plan.stride[1][d] * size;
  for (int k = 0; k < c.nindex; k++) c.index[k].data += begin * c.index[k].stride[d];
  run_serial(&c);
}

int cpu_index(int index, const index_call *c) {
  (void)index;
  for (int k = 0; k < c->nindex; k++)
    if (!check_index(&c->index[k], c->bad)) { *c->bad_index = k; return ERR_INDEX; }
  if (c->plan.count == 0 || this_operation.stopped) return OK;
  int threads = cpu_threads(c->plan.count, GRAIN), d = threads > 1 ? parted_dim(c) : -1;
  if (d >= 0 && c->plan.shape[d] < threads) threads = (int)c->plan.shape[d];
  if (d < 0 || threads < 2) {
    run_serial(c);
    return OK;
  }
  cpu_parallel(threads, threads, run_part, &(parting){c, d, threads});
  return OK;
}
