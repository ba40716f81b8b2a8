/* Element-wise ops: walks the plan block by block; kernels see contiguous blocks of the compute type. */

#include <string.h>

#include "cpu.h"

enum {
  BLOCK  = 1024,      /* elements: five operands of 8 bytes stay in a 48 KiB L1 */
  MIN_ROW = 64,       /* shorter rows are packed together, longer ones are walked one by one */
  GRAIN  = 1 << 15    /* below 32k elements a thread costs more than it saves */
};

/* How one operand reaches the kernel. */
enum access { DIRECT, PACKED, CONSTANT };

/* Where a walk stands: coordinates and each operand's offset in elements. */
typedef struct walk {
  int64_t at[MAX_DIMS];
  int64_t offset[1 + MAX_IN];
} walk;

static void walk_start(walk *w, const plan *p, int noperands, int64_t position) {
  memset(w, 0, sizeof *w);
  for (int d = p->ndim - 1; d >= 0; d--) {
    w->at[d] = position % p->shape[d];
    position /= p->shape[d];
    for (int k = 0; k < noperands; k++) w->offset[k] += w->at[d] * p->stride[k][d];
  }
}

/* Moves n elements on, n at most the rest of the innermost row. */
static void walk_advance(walk *w, const plan *p, int noperands, int64_t n) {
  int d = p->ndim - 1;
  if (d < 0) return;
  w->at[d] += n;
  for (int k = 0; k < noperands; k++) w->offset[k] += n * p->stride[k][d];
  for (; d > 0 && w->at[d] == p->shape[d]; d--) {
    w->at[d] = 0;
    w->at[d - 1]++;
    for (int k = 0; k < noperands; k++)
      w->offset[k] += p->stride[k][d - 1] - p->shape[d] * p->stride[k][d];
  }
}

/* The scalar as one element of dtype d. */
static void write_scalar(const scalar *s, enum dtype d, void *to) {
  if (s->is_float) cpu_isa->convert->convert[DT_float64][d](1, to, &s->f);
  else cpu_isa->convert->convert[DT_int64][d](1, to, &s->i);
}

typedef struct side {
  const operand *o;
  enum access access;
  int  size, log2;          /* bytes of a stored element */
  bool same;                /* stored as the compute dtype: no conversion */
  char raw[BLOCK * 8], block[BLOCK * 8];   /* gathered as stored; converted */
} side;

static int log2_of(int size) { return __builtin_ctz((unsigned)size); }

/* Is operand k laid out exactly as the walk goes, so that a block is a pointer? */
static bool whole(const plan *p, int k) {
  return p->ndim == 0 || (p->ndim == 1 && p->stride[k][0] == 1);
}

/* Gathers (or, for k = 0, scatters) n elements from the walk's place on, row by row. */
static void pack(const plan *p, int k, const walk *from, int64_t n, const side *s, char *raw, bool out) {
  walk w = *from;
  int inner = p->ndim - 1;
  move_kernel move = cpu_isa->convert->move[s->log2];
  char *data = s->o->data;
  while (n > 0) {
    int64_t run = inner < 0 ? 1 : p->shape[inner] - w.at[inner];
    if (run > n) run = n;
    char *at = data + w.offset[k] * s->size;
    int64_t stride = inner < 0 ? 1 : p->stride[k][inner];
    if (out) move(run, at, stride, raw, 1);
    else move(run, raw, 1, at, stride);
    raw += run * s->size;
    n -= run;
    if (n > 0) walk_advance(&w, p, 1 + MAX_IN, run);
  }
}

static const void *load(const map_call *c, int k, const walk *w, int64_t n, bool row, side *s) {
  const plan *p = c->plan;
  if (s->access == CONSTANT) return s->block;
  bool contiguous = whole(p, k) || (row && p->stride[k][p->ndim - 1] == 1);
  char *raw = (char *)s->o->data + w->offset[k] * s->size;
  if (!contiguous) {
    pack(p, k, w, n, s, s->raw, false);
    raw = s->raw;
  }
  if (s->same) return raw;
  cpu_isa->convert->convert[s->o->dtype][c->compute](n, s->block, raw);
  return s->block;
}

static void side_init(side *s, const operand *o, enum dtype compute) {
  s->o = o;
  s->size = dtype_size(o->dtype);
  s->log2 = log2_of(s->size);
  s->same = o->dtype == compute;
  s->access = o->data ? DIRECT : CONSTANT;
}

/* A whole block of the scalar. */
static void side_constant(side *s, enum dtype compute, int64_t n) {
  int size = dtype_size(compute);
  write_scalar(&s->o->value, compute, s->block);
  for (int64_t i = 1; i < n; i++) memcpy(s->block + i * size, s->block, (size_t)size);
}

/* The elements from `begin` to `end`, in row-major order of the plan. */
static void map_range(const map_call *c, map_kernel kernel, enum dtype result, int64_t begin, int64_t end) {
  const plan *p = c->plan;
  side sides[1 + MAX_IN];
  side_init(&sides[0], &c->out, result);
  for (int k = 1; k <= c->nin; k++) {
    side_init(&sides[k], &c->in[k - 1], c->compute);
    if (sides[k].access == CONSTANT) side_constant(&sides[k], c->compute, end - begin < BLOCK ? end - begin : BLOCK);
  }
  int inner = p->ndim - 1;
  bool row = inner >= 0 && p->shape[inner] >= MIN_ROW;
  walk w;
  walk_start(&w, p, 1 + c->nin, begin);
  for (int64_t i = begin, n; i < end; i += n) {
    n = end - i < BLOCK ? end - i : BLOCK;
    if (row && n > p->shape[inner] - w.at[inner]) n = p->shape[inner] - w.at[inner];
    const void *in[MAX_IN];
    for (int k = 1; k <= c->nin; k++) in[k - 1] = load(c, k, &w, n, row, &sides[k]);
    side *o = &sides[0];
    bool contiguous = whole(p, 0) || (row && p->stride[0][inner] == 1);
    char *direct = (char *)c->out.data + w.offset[0] * o->size;
    char *target = o->same && contiguous ? direct : o->block;
    kernel(n, target, in);
    if (!o->same) {
      char *raw = contiguous ? direct : o->raw;
      cpu_isa->convert->convert[result][c->out.dtype](n, raw, target);
      target = raw;
    }
    if (!contiguous) pack(p, 0, &w, n, o, target, true);
    for (int64_t left = n; left > 0 && i + n < end;) {
      int64_t run = inner < 0 ? 1 : p->shape[inner] - w.at[inner];
      if (run > left) run = left;
      walk_advance(&w, p, 1 + c->nin, run);
      left -= run;
    }
  }
}

int cpu_map(const map_call *c) {
  map_kernel kernel = cpu_isa->map->kernel[c->op][c->compute];
  if (!kernel) return ERR_NO_KERNEL;
  static const bool to_bool[OP_COUNT] = {
#define BOOL_SAME false
#define BOOL_REAL false
#define BOOL_BOOL true
#define ROW(name, dtypes, result, ...) [OP_##name] = BOOL_##result,
#define UNARY ROW
#define BINARY ROW
#define TERNARY ROW
#define QUATERNARY ROW
#include "../ops.def"
  };
  enum dtype result = to_bool[c->op] ? DT_bool : c->compute;
  int64_t count = c->plan->count;
  int threads = cpu_threads(count, GRAIN);
  if (threads == 1) {
    map_range(c, kernel, result, 0, count);
    return OK;
  }
  #pragma omp parallel num_threads(threads)
  {
    int64_t share = (count / threads + BLOCK) / BLOCK * BLOCK;
    #pragma omp for schedule(static, 1)
    for (int t = 0; t < threads; t++) {
      int64_t begin = t * share, end = begin + share < count ? begin + share : count;
      if (begin < end) map_range(c, kernel, result, begin, end);
    }
  }
  return OK;
}
