/* Reads and writes through index tensors (INDEX_get, INDEX_put, INDEX_add). For each position, kernels compute the
** addresses of the value and of the target's element from a plan. Each kernel has two variants: one for short plans of
** at most FEW_DIMS dims and FEW_SOURCES index tensors, and one for plans of any size.
**
** A read is one kernel. A write first checks all indices. In this file, a pick is a position along the dims with
** indices, and a key is the number of the target's element that a pick selects. Several picks may have the same key.
** In this case a put writes only the value of the last pick. An add sorts the picks by key, and one thread adds the
** values of equal keys in order. If a key has more than RUN_PART picks, several threads add parts of them. Integers of 32
** and 64 bits are added by atomics instead. If the target is small, the atomics add in shared memory first. */

#include <stdio.h>
#include <string.h>

#include "gpu/reduce.h"
#include "gpu/sort.h"

enum {
  THREADS     = 256,
  FEW         = 1024,          /* maximum number of picks (positions along the indexed dims) that one block sorts; the
                               ** same constant as in kernels/index_order.cuh */
  RUN_PART    = 512,           /* maximum number of picks with the same key that one thread adds; the same constant as
                               ** in kernels/index_add.cuh */
  FEW_DIMS    = 3,             /* maximum number of dims of a short plan */
  FEW_SOURCES = 2,
  DIM_WORDS   = 6,             /* number of int64 words of a dim in a plan, in addition to one word for each index
                               ** tensor; the same number as in kernels/index.cuh */
  PLAN_WORDS  = 4 + MAX_DIMS * (DIM_WORDS + MAX_DIMS) + MAX_DIMS * 5,
  ELECTIONS   = 16,            /* up to this number of keys per pick, the last pick of each key is found through an
                               ** array with an element for each key; with more keys, the picks are sorted */
  SMALL       = 4096,          /* maximum number of elements of a target that is added to in shared memory: 32 KiB */
  SMALL_THREADS = 512,         /* threads of a block that adds in shared memory */
  SMALL_LEAST = 16             /* the least number of values that such a block adds per element of the target */
};

enum side { VALUE, TARGET, KEY, PICK, SIDES };

/* An index call whose dims may have been reordered. step[side][d] is the step of a side along dim d. For values and
** target, a step is a distance in units of `unit` bytes. For keys and picks, a step is a difference of two numbers. */
typedef struct access {
  const index_call *call;
  int     unit;
  int     ndim, picked;        /* number of dims; number of the leading dims along which indices vary */
  int64_t length[MAX_DIMS], step[SIDES][MAX_DIMS];
  int     dim[MAX_DIMS];       /* for each dim: its number in the call's plan */
  int64_t key[MAX_DIMS];       /* for each index tensor: the step between keys of neighbouring indices */
  int64_t count, picks, keys;  /* numbers of positions, picks and keys */
  bool    wide;                /* true if positions or keys do not fit into 32 bits */
  int     what[MAX_DIMS];      /* for each index tensor: the number that gpu_note returned */
} access;

/* The plan as a kernel receives it: struct index_plan of kernels/index.cuh. */
typedef struct index_plan { int64_t word[PLAN_WORDS]; } index_plan;

/* ---- dims ---- */

/* True if index tensors determine the target's elements along dim d of the call's plan. */
static bool is_picked(const index_call *c, int d) {
  bool moves = c->plan.stride[1][d] == 0;
  for (int k = 0; k < c->nindex; k++) moves |= c->index[k].stride[d] != 0;
  return moves;
}

static void add_dim(access *a, int d) {
  const plan *p = &a->call->plan;
  int to = a->ndim++;
  a->dim[to] = d;
  a->length[to] = p->shape[d];
  a->step[VALUE][to] = p->stride[0][d];
  a->step[TARGET][to] = p->stride[1][d];
  a->step[KEY][to] = a->step[PICK][to] = 0;
}

/* Numbers the picks (positions along the indexed dims) and the keys (elements of the target that they select). The
** number of picks and the number of keys cannot overflow, because each is the product of lengths of the positions' dims
** or of the target's dims. */
static void number_picks(access *a, bool picked_first) {
  const index_call *c = a->call;
  a->picks = a->keys = 1;
  for (int d = a->ndim - 1; d >= 0; d--) {
    if (picked_first ? d >= a->picked : !is_picked(c, a->dim[d])) continue;
    a->step[PICK][d] = a->picks;
    a->picks *= a->length[d];
    if (a->step[TARGET][d] == 0) continue;
    a->step[KEY][d] = a->keys;
    a->keys *= a->length[d];
  }
  for (int k = c->nindex - 1; k >= 0; k--) {
    a->key[k] = a->keys;
    a->keys *= c->index[k].length;
  }
}

/* Sets up the access with the dims of the call in their order. If picked_first is set, the dims along which indices
** vary come first. */
static void start_access(access *a, const index_call *c, bool picked_first) {
  a->call = c;
  a->unit = dtype_size(c->target.dtype);
  a->ndim = a->picked = 0;
  a->count = c->plan.count;
  for (int round = 0; round <= (int)picked_first; round++) {
    for (int d = 0; d < c->plan.ndim; d++)
      if (!picked_first || is_picked(c, d) == (round == 0)) add_dim(a, d);
    if (round == 0) a->picked = a->ndim;
  }
  number_picks(a, picked_first);
  a->wide = a->count > INT32_MAX || (c->op != INDEX_get && a->keys >= UINT32_MAX);
}

/* ---- units of copying ---- */

/* Returns the largest power of 2, at most 16, that divides all numbers of a set. x is the bitwise or of the
** numbers. */
static int common_unit(uint64_t x) {
  x |= 16;
  return (int)(x & (0 - x));
}

/* If rows are contiguous in both the values and the target, makes the unit of copying as large as addresses and
** strides allow, at most 16 bytes. */
static void widen_units(access *a) {
  const index_call *c = a->call;
  int last = a->ndim - 1, size = a->unit;
  if (last < 0 || is_picked(c, a->dim[last]) || a->step[VALUE][last] != 1 || a->step[TARGET][last] != 1) return;
  uint64_t all = (uint64_t)(uintptr_t)c->values.data | (uint64_t)(uintptr_t)c->target.data;
  all |= (uint64_t)(a->length[last] * size);
  for (int d = 0; d < last; d++) all |= (uint64_t)(a->step[VALUE][d] * size) | (uint64_t)(a->step[TARGET][d] * size);
  for (int k = 0; k < c->nindex; k++) all |= (uint64_t)(c->index[k].step * size);
  int unit = common_unit(all), by = unit / size;
  if (by < 2) return;
  a->unit = unit;
  a->count /= by;
  a->length[last] /= by;
  for (int d = 0; d < last; d++) {
    a->step[VALUE][d] /= by;
    a->step[TARGET][d] /= by;
  }
  if (a->length[last] == 1) a->ndim--;        /* the kernels cannot divide by lengths of 1 */
}

/* ---- plans of kernels ---- */

static bool is_short(const access *a) { return a->ndim <= FEW_DIMS && a->call->nindex <= FEW_SOURCES; }

/* Writes a kernel's plan of the first ndim dims, which have `count` positions. */
static void write_plan(const gpu *g, const access *a, int ndim, int64_t count, index_plan *p) {
  const index_call *c = a->call;
  bool brief = is_short(a);
  int dims = brief ? FEW_DIMS : MAX_DIMS, sources = brief ? FEW_SOURCES : MAX_DIMS;
  int by = a->unit / dtype_size(c->target.dtype);
  int64_t *w = p->word;
  w[0] = count;
  w[1] = ndim;
  w[2] = c->nindex;
  w[3] = (int64_t)gpu_late_cell(g);
  for (int d = 0; d < a->ndim; d++) {
    int64_t *to = w + 4 + d * (DIM_WORDS + sources);
    to[0] = a->length[d];
    to[1] = (int64_t)(UINT64_MAX / (uint64_t)a->length[d] + 1);
    for (int s = 0; s < SIDES; s++) to[2 + s] = a->step[s][d];
    for (int k = 0; k < c->nindex; k++) to[DIM_WORDS + k] = c->index[k].stride[a->dim[d]];
  }
  for (int k = 0; k < c->nindex; k++) {
    const index_source *x = &c->index[k];
    int64_t *to = w + 4 + dims * (DIM_WORDS + sources) + k * 5;
    to[0] = (int64_t)(uintptr_t)x->data;
    to[1] = x->length;
    to[2] = x->step / by;
    to[3] = a->key[k];
    to[4] = a->what[k];
  }
}

/* ---- kernels ---- */

enum kernel { GET, PUT, CHECK, ELECT, FIND_KEYS, ELECT_LAST, ORDER_FEW, ADD_RUNS, ADD_PARTS, ADD_EACH, ADD_SMALL };

static const struct { const char *file, *entry; } kernels[] = {
  [GET] = {"index_move.cuh", "get"}, [PUT] = {"index_move.cuh", "put"},
  [CHECK] = {"index_order.cuh", "check"}, [ELECT] = {"index_order.cuh", "elect"},
  [FIND_KEYS] = {"index_order.cuh", "find_keys"},
  [ELECT_LAST] = {"index_order.cuh", "elect_last"}, [ORDER_FEW] = {"index_order.cuh", "order_few"},
  [ADD_RUNS] = {"index_add.cuh", "add_runs"}, [ADD_PARTS] = {"index_add.cuh", "add_parts"},
  [ADD_EACH] = {"index_add.cuh", "add_each"}, [ADD_SMALL] = {"index_add.cuh", "add_small"},
};

/* True if elements of dtype d are added by atomics: integers of 32 and 64 bits, whose sums do not depend on the
** order. */
static bool adds_atomically(enum dtype d) {
  int kind = dtype_kind(d);
  return (kind == KIND_INT || kind == KIND_UINT) && dtype_size(d) >= 4;
}

static void define_kernel(gpu_source *s, const access *a, enum kernel id) {
  enum dtype d = a->call->target.dtype;
  bool brief = is_short(a);
  gpu_define(s, "WIDE=%d", a->wide);
  gpu_define(s, "DIMS=%d", brief ? FEW_DIMS : MAX_DIMS);
  gpu_define(s, "SOURCES=%d", brief ? FEW_SOURCES : MAX_DIMS);
  if (id <= PUT) gpu_define(s, "UNIT=%d", a->unit);
  if (id >= ADD_RUNS) gpu_define(s, "D=%s", dtypes[d].name);
  if (id >= ADD_RUNS && adds_atomically(d)) gpu_define(s, "ATOMIC=%s", dtype_size(d) == 4 ? "uint32_t" : "uint64_t");
}

static int get_kernel(gpu *g, const access *a, enum kernel id, const gpu_kernel **k) {
  int variant = id <= PUT ? a->unit : id >= ADD_RUNS ? (int)a->call->target.dtype : 0;
  uint64_t key = GPU_KEY(GPU_index, id, variant, a->wide, is_short(a), 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = kernels[id].file, .entry = kernels[id].entry};
  define_kernel(&s, a, id);
  snprintf(s.name, sizeof s.name, "index %s", kernels[id].entry);
  return gpu_build(g, key, &s, k);
}

static int launch(gpu *g, const access *a, enum kernel id, int64_t threads, void **arguments) {
  const gpu_kernel *k;
  int st = get_kernel(g, a, id, &k);
  return st != OK ? st : gpu_launch(g, k, (unsigned)((threads + THREADS - 1) / THREADS), THREADS, 0, arguments);
}

/* ---- checking indices ---- */

static void note_words(gpu *g, access *a) {
  const index_call *c = a->call;
  for (int k = 0; k < c->nindex; k++)
    a->what[k] = c->sound ? 0 : gpu_note(g, c->function, c->index[k].dim, c->index[k].length);
}

/* Checks all indices. Called before writes whose kernels do not check the indices themselves. */
static int check_all(gpu *g, const access *a) {
  int st = OK;
  for (int k = 0; k < a->call->nindex && st == OK && !a->call->sound; k++) {
    index_source x = a->call->index[k];
    int what = a->what[k];
    gpu_address late = gpu_late_cell(g);
    if (x.count > 0) st = launch(g, a, CHECK, x.count, (void *[]){&x.data, &x.count, &x.length, &what, &late});
  }
  return st;
}

/* ---- INDEX_get ---- */

/* Returns the number of positions that a thread copies. kernels/index_move.cuh has the same rule. */
static int each(const access *a) { return !is_short(a) ? 1 : a->unit >= 8 ? 2 : 4; }

static int get_elements(gpu *g, access *a) {
  index_plan p;
  void *target = a->call->target.data, *values = a->call->values.data;
  widen_units(a);
  write_plan(g, a, a->ndim, a->count, &p);
  return launch(g, a, GET, (a->count + each(a) - 1) / each(a), (void *[]){&p, &target, &values});
}

/* ---- INDEX_put ---- */

/* Writes the values of the picks (positions along the indexed dims) that `elected` marks, or of all picks if
** `elected` is NULL. */
static int put(gpu *g, access *a, void *elected) {
  index_plan p;
  void *target = a->call->target.data, *values = a->call->values.data;
  widen_units(a);
  write_plan(g, a, a->ndim, a->count, &p);
  return launch(g, a, PUT, (a->count + each(a) - 1) / each(a), (void *[]){&p, &target, &values, &elected});
}

/* True if several positions may write to the same element, so that the result depends on their order. */
static bool needs_election(const access *a) {
  if (a->call->sound || a->picks < 2) return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->step[PICK][d] && a->step[VALUE][d]) return true;
  return false;
}

static size_t position_size(const access *a) { return a->wide ? 8 : 4; }

/* Returns the number of bits, at least 1, in which all keys 0 … a->keys - 1 can be stored. */
static int key_bits(const access *a) {
  int bits = 1;
  while (bits < 63 && (a->keys - 1) >> bits) bits++;
  return bits;
}

/* Scratch memory for sorting picks by key: two buffers of keys and two of picks. */
typedef struct order {
  void  *keys[2], *picks[2];
  void  *room;
  size_t bytes;
} order;

static int open_order(gpu *g, const access *a, order *o) {
  size_t part = ((size_t)a->picks * position_size(a) + 255) & ~(size_t)255;
  o->bytes = 4 * part;
  int st = gpu_scratch(g, o->bytes, &o->room);
  for (int i = 0; i < 2 && st == OK; i++) {
    o->keys[i] = (char *)o->room + part * (size_t)i;
    o->picks[i] = (char *)o->room + part * (size_t)(2 + i);
  }
  return st;
}

/* Sorts at most FEW picks in one block. p is the plan of the picks. If `elected` is NULL, writes the sorted keys and
** picks. Otherwise marks in `elected` the last pick of each key. */
static int order_few(gpu *g, const access *a, index_plan *p, void *keys, void *picks, void *elected) {
  const gpu_kernel *k;
  int st = get_kernel(g, a, ORDER_FEW, &k);
  if (st != OK) return st;
  return gpu_launch(g, k, 1, (unsigned)a->picks, 0, (void *[]){p, &keys, &picks, &elected});
}

/* Sorts the picks by key in the buffers of o. Sets *at to 0 or 1: the sorted keys and picks are in o->keys[*at] and
** o->picks[*at]. */
static int order_picks(gpu *g, const access *a, order *o, int *at) {
  index_plan p;
  write_plan(g, a, a->picked, a->picks, &p);
  *at = 0;
  if (a->picks <= FEW) return order_few(g, a, &p, o->keys[0], o->picks[0], NULL);
  int width = a->wide ? 64 : 32, st = launch(g, a, FIND_KEYS, a->picks, (void *[]){&p, &o->keys[0]});
  gpu_pairs s = {.lines = 1, .n = a->picks, .key_bits = width, .value_bits = width, .bits = key_bits(a),
                 .positions = true, .keys = {o->keys[0], o->keys[1]},
                 .values = {o->picks[0], o->picks[1]}};
  return st == OK ? gpu_sort_pairs(g, &s, at) : st;
}

/* Sets elected[p] to p + 1 for each pick p that is the last pick of its key, else to 0. */
static int elect_sorted(gpu *g, const access *a, void *elected) {
  order o;
  int at, st = open_order(g, a, &o);
  if (st != OK) return st;
  st = order_picks(g, a, &o, &at);
  if (st == OK) {
    int64_t n = a->picks;
    uint32_t few = (uint32_t)n;
    st = launch(g, a, ELECT_LAST, n,
                (void *[]){&o.keys[at], &o.picks[at], a->wide ? (void *)&n : (void *)&few, &elected});
  }
  gpu_scratch_free(g, o.room, o.bytes);
  return st;
}

/* Finds the last pick of each key. If by_key is set, `elected` has one element for each key, otherwise for each
** pick. */
static int elect(gpu *g, const access *a, bool by_key, void *elected) {
  index_plan p;
  write_plan(g, a, a->picked, a->picks, &p);
  if (a->picks <= FEW) return order_few(g, a, &p, NULL, NULL, elected);
  if (!by_key) return elect_sorted(g, a, elected);
  size_t bytes = (size_t)a->keys * position_size(a);
  gpu_result cleared = g->driver->set_8((gpu_address)(uintptr_t)elected, 0, bytes, g->stream);
  int st = gpu_check(g, cleared, "clearing memory");
  return st == OK ? launch(g, a, ELECT, a->picks, (void *[]){&p, &elected}) : st;
}

static int put_elected(gpu *g, const index_call *c, access *a) {
  access picks = *a;
  start_access(&picks, c, true);
  bool by_key = picks.picks > FEW && picks.keys / ELECTIONS <= picks.picks;
  size_t bytes = (size_t)(by_key ? picks.keys : picks.picks) * position_size(a);
  void *elected;
  int st = gpu_scratch(g, bytes, &elected);
  if (st != OK) return st;
  if (!by_key) {                       /* the kernel indexes `elected` by key, so the number of each pick becomes its
                                       ** key */
    memcpy(a->step[KEY], a->step[PICK], sizeof a->step[KEY]);
    memset(a->key, 0, sizeof a->key);
  }
  st = elect(g, &picks, by_key, elected);
  if (st == OK) st = put(g, a, elected);
  gpu_scratch_free(g, elected, bytes);
  return st;
}

static int put_all(gpu *g, access *a) {
  int st = check_all(g, a);
  return st == OK ? put(g, a, NULL) : st;
}

/* ---- INDEX_add ---- */

/* True if blocks should add in shared memory: the target is small, one index alone selects its elements, and there are
** many values. */
static bool is_small(const access *a) {
  const index_call *c = a->call;
  return c->nindex == 1 && a->keys == c->index[0].length && a->picks == a->count && a->keys <= SMALL &&
         a->count >= a->keys * SMALL_LEAST;
}

/* Each block adds a whole copy of the target. The number of blocks is therefore limited by the number of values. */
static int add_small(gpu *g, const access *a, index_plan *p, void *target, void *values) {
  const gpu_kernel *k;
  int keys = (int)a->keys, size = dtype_size(a->call->target.dtype), st = get_kernel(g, a, ADD_SMALL, &k);
  int64_t blocks = limit(a->count / (a->keys * SMALL_LEAST), 1, g->cores);
  blocks = limit(ceil_divide(a->count, SMALL_THREADS), 1, blocks);
  return st != OK ? st : gpu_launch(g, k, (unsigned)blocks, SMALL_THREADS, (unsigned)(keys * size),
                                    (void *[]){p, &keys, &target, &values});
}

static int add_integers(gpu *g, const access *a) {
  index_plan p;
  void *target = a->call->target.data, *values = a->call->values.data;
  int st = check_all(g, a);
  write_plan(g, a, a->ndim, a->count, &p);
  if (st == OK && is_small(a)) return add_small(g, a, &p, target, values);
  return st == OK ? launch(g, a, ADD_EACH, a->count, (void *[]){&p, &target, &values}) : st;
}

/* True if neighbouring threads should process neighbouring keys: each dim has an index, or neighbours along the last
** dim are not adjacent in the target. */
static bool is_by_key(const access *a) {
  int last = a->ndim - 1;
  return a->picked == a->ndim || a->step[TARGET][last] != 1;
}

/* Adds the values of the sorted picks. `parts` has room for the sums of the parts of long runs. */
static int add_ordered(gpu *g, const access *a, const order *o, int at, void *parts) {
  index_plan p;
  void *target = a->call->target.data, *values = a->call->values.data;
  int picked = a->picked, by_key = is_by_key(a);
  int64_t n = a->picks, many = a->count / n;
  uint32_t n32 = (uint32_t)n, many32 = (uint32_t)many;
  void *length = a->wide ? (void *)&n : (void *)&n32, *others = a->wide ? (void *)&many : (void *)&many32;
  const void *keys = o->keys[at], *picks = o->picks[at];
  write_plan(g, a, a->ndim, a->count, &p);
  int st = launch(g, a, ADD_RUNS, a->count,
                  (void *[]){&p, &picked, length, others, &by_key, &keys, &picks, &target, &values, &parts});
  if (st != OK || n <= RUN_PART) return st;
  return launch(g, a, ADD_PARTS, ceil_divide(n, RUN_PART) * many,
                (void *[]){&p, &picked, length, others, &keys, &picks, &target, &parts});
}

static int add_runs(gpu *g, const access *a) {
  order o;
  void *parts = NULL;
  size_t bytes = (size_t)(ceil_divide(a->picks, RUN_PART) * (a->count / a->picks) * dtype_size(a->call->target.dtype));
  int at, st = open_order(g, a, &o);
  if (st != OK) return st;
  st = order_picks(g, a, &o, &at);
  if (st == OK) st = gpu_scratch(g, bytes, &parts);
  if (st == OK) st = add_ordered(g, a, &o, at, parts);
  gpu_scratch_free(g, parts, bytes);
  gpu_scratch_free(g, o.room, o.bytes);
  return st;
}

/* ---- calls ---- */

static void order_operands(gpu *g, const index_call *c) {
  for (int k = 0; k < c->nindex; k++) gpu_reads(g, c->index[k].data);
  if (c->op == INDEX_get) gpu_reads(g, c->target.data);
  else gpu_reads(g, c->values.data);
  gpu_writes(g, c->op == INDEX_get ? c->values.data : c->target.data);
}

static int run_index(gpu *g, const index_call *c) {
  access a;
  bool atomic = c->op == INDEX_add && adds_atomically(c->target.dtype);
  start_access(&a, c, c->op == INDEX_add && !atomic);
  note_words(g, &a);
  order_operands(g, c);
  if (c->plan.count == 0 || (a.keys == 0 && c->op != INDEX_get)) return check_all(g, &a);
  if (c->op == INDEX_get) return get_elements(g, &a);
  if (c->op == INDEX_put) return needs_election(&a) ? put_elected(g, c, &a) : put_all(g, &a);
  return atomic ? add_integers(g, &a) : add_runs(g, &a);
}

int gpu_index(int index, const index_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, run_index(g, c)) : st;
}
