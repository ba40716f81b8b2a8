/* Scans (cumulative sums and others) and the softmax family. Each works along one dim, on lines of n elements. */

#include <stdio.h>
#include <stdlib.h>

#include "gpu/kernels/scan_args.cuh"
#include "gpu/kernels/softmax_args.cuh"
#include "gpu/reduce.h"

/* True if the elements of a line are at most as far apart in memory as neighbouring lines. */
static bool is_along(const line_call *c) { return llabs(c->in_stride) <= inner_distance(&c->outer, 1); }

/* Sets *r to the reduction of each line to one element. */
static void reduction_of(reduce_call *r, enum reduce_op op, const line_call *c) {
  r->op = op;
  r->compute = c->compute;
  r->in = c->in;
  r->out = c->out;
  r->correction = 0;
  r->ordered = false;
  r->kept = c->outer;
  r->reduced.ndim = 1;
  r->reduced.count = r->reduced.shape[0] = c->n;
  r->reduced.stride[0][0] = c->in_stride;
}

typedef struct line_kernel {
  enum gpu_family family;
  int             op, entry;
  const char     *file, *entry_name, *op_name;
} line_kernel;

static int build_kernel(gpu *g, uint64_t key, const line_kernel *l, const line_call *c, gpu_folded *f, const gpu_kernel **k) {
  gpu_source s = {.file = l->file, .entry = l->entry_name};
  gpu_define(&s, "OP=%s_%s", l->family == GPU_scan ? "scan" : "softmax", l->op_name);
  gpu_define(&s, "IN=DT_%s", dtypes[c->in.dtype].name);
  gpu_define(&s, "COMPUTE=DT_%s", dtypes[c->compute].name);
  gpu_define(&s, "OUT=DT_%s", dtypes[c->out.dtype].name);
  snprintf(s.name, sizeof s.name, "%s %s", l->op_name, dtypes[c->in.dtype].name);
  return gpu_folded_build(g, key, f, &s, k);
}

static int launch(gpu *g, const line_kernel *l, const line_call *c, gpu_folded *f, int64_t blocks, int threads, void **arguments) {
  uint64_t key = gpu_folded_key(f, GPU_KEY(l->family, l->op, c->in.dtype, c->compute, c->out.dtype, 0, l->entry));
  const gpu_kernel *k = gpu_find(g, key);
  int st = k ? OK : build_kernel(g, key, l, c, f, &k);
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, (unsigned)threads, 0, arguments) : st;
}

/* ---- scans ---- */

enum {
  TILE        = SCAN_THREADS * SCAN_ITEMS * SCAN_VECTORS,   /* number of elements that a block scans in one step */
  WARP_LINE   = 1024,      /* the maximum length of a line that a warp scans */
  SHORT_LINE  = 32,        /* a shorter line is scanned by one thread */
  ROW_LINES   = 512,       /* if there are at least this number of lines, they are not cut into segments */
  ROW_BLOCKS  = 2048,      /* if there are fewer lines, they are cut into about this number of segments in total, one
                           ** for each block */
  COLUMN_LINES = 1 << 14,  /* if at least this number of lines are scanned by one thread each, they are not cut into
                           ** segments */
  COLUMN_THREADS = 1 << 16,
  COLUMN_SEGMENTS = 256,   /* the maximum number of segments of a line, because each thread merges the totals of all
                           ** segments before its own */
  COLUMN_LEAST = 64        /* the minimum number of elements in a segment */
};

typedef struct scan_info { const char *name; enum dtype_class class; enum reduce_op total; } scan_info;

static const scan_info scans[SCAN_COUNT] = {
#define SCAN(name, reduction, dtypes, ...) [SCAN_##name] = {#name, CLASS_##dtypes, REDUCE_##reduction},
#include "ops.def"
};

/* Cuts each line into at most `most` segments of at least `least` elements, so that there are about `blocks` segments
** in total. */
static void cut_lines(scan_args *a, int64_t blocks, int64_t least, int64_t most) {
  int64_t want = limit(blocks / a->lines, 1, limit(a->n / least, 1, most));
  a->segment = ceil_divide(ceil_divide(a->n, want), least) * least;
  a->segments = a->n ? (int32_t)ceil_divide(a->n, a->segment) : 1;
}

static void share_lines(const gpu *g, scan_args *a, bool along) {
  a->threads = !along ? 1 : a->n <= WARP_LINE ? g->lanes : SCAN_THREADS;
  a->segments = 1;
  a->segment = a->n;
  if (a->threads == SCAN_THREADS && a->lines < ROW_LINES) cut_lines(a, ROW_BLOCKS, 2 * TILE, ROW_BLOCKS);
  if (a->threads == 1 && a->lines < COLUMN_LINES) cut_lines(a, COLUMN_THREADS, COLUMN_LEAST, COLUMN_SEGMENTS);
}

static int launch_scan(gpu *g, const scan_call *c, scan_args *a) {
  bool along = a->threads > 1;
  line_kernel l = {GPU_scan, (int)c->op, along, "scan.cuh", along ? "scan_rows" : "scan_columns", scans[c->op].name};
  int64_t blocks = along ? ceil_divide(a->lines, SCAN_THREADS / a->threads) * a->segments
                         : ceil_divide(a->lines * a->segments, SCAN_THREADS);
  return launch(g, &l, &c->line, NULL, blocks, SCAN_THREADS, (void *[]){a});
}

/* Scans lines that are cut into segments. First computes the total of each segment by a reduction in which each segment
** is a chunk. */
static int scan_segments(gpu *g, const scan_call *c, scan_args *a) {
  reduce_call r;
  reduce_args totals;
  reduction_of(&r, scans[c->op].total, &c->line);
  bool vectors = gpu_reduce_share(&totals, &r);
  totals.chunk = a->segment;
  totals.chunks = totals.parts = a->segments;
  size_t bytes = gpu_reduce_bytes(&totals);
  int st = gpu_scratch(g, bytes, &totals.states);
  if (st != OK) return st;
  a->states = totals.states;
  a->across = totals.across;
  st = gpu_reduce_launch(g, &r, vectors, &totals, NULL);
  if (st == OK) st = launch_scan(g, c, a);
  gpu_scratch_free(g, totals.states, bytes);
  return st;
}

static int scan(gpu *g, const scan_call *c) {
  const line_call *l = &c->line;
  scan_args a = {.in = l->in.data, .out = l->out.data, .lines = l->outer.count, .n = l->n,
                 .in_stride = l->in_stride, .out_stride = l->out_stride, .initial = c->initial};
  gpu_nest_make(&a.outer, &l->outer, 2);
  share_lines(g, &a, l->n >= SHORT_LINE && is_along(l));
  gpu_reads(g, l->in.data);
  gpu_writes(g, l->out.data);
  return a.segments > 1 ? scan_segments(g, c, &a) : launch_scan(g, c, &a);
}

int gpu_scan(int index, const scan_call *c) {
  gpu *g;
  if (!dtype_in_class(c->line.compute, scans[c->op].class)) return ERR_NO_KERNEL;
  if (c->line.outer.count == 0 || c->line.n + c->initial == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, scan(g, c)) : st;
}

/* ---- softmax ---- */

enum {
  MOST_THREADS = 1024,
  HELD         = MOST_THREADS * SOFTMAX_ITEMS,     /* the maximum length of a line that a block keeps in registers */
  FEW_THREADS  = 32,                               /* the maximum number of threads of a short line; the same for all
                                                   ** sizes of warps, so that every GPU computes the same results */
  FEW_ITEMS    = 4,                                /* the maximum number of elements that a thread keeps if a line has
                                                   ** at most FEW_THREADS * FEW_ITEMS elements */
  VECTOR       = 16                                /* bytes of a vector load */
};

static const char *const softmax_names[SOFTMAX_COUNT] = {
#define SOFTMAX(name, ...) [SOFTMAX_##name] = #name,
#include "ops.def"
};

enum softmax_entry { SOFTMAX_ROWS, SOFTMAX_SHORT, SOFTMAX_LONG };

/* Launches a kernel with the parameters a and, unless it is NULL, `stride`. */
static int launch_softmax(gpu *g, const softmax_call *c, gpu_folded *f, enum softmax_entry entry, int64_t blocks, int threads,
                          void *a, int64_t *stride) {
  void *arguments[4] = {a, stride};
  int n = stride ? 2 : 1;
  static const char *const entries[] = {"softmax_rows", "softmax_short", "softmax_long"};
  line_kernel l = {GPU_softmax, (int)c->op, (int)entry, "softmax.cuh", entries[entry], softmax_names[c->op]};
  if (f) arguments[n++] = &f->args, arguments[n] = &f->plan;
  return launch(g, &l, &c->line, f, blocks, threads, arguments);
}

/* True if each line of operand k (0: out, 1: in) is contiguous and begins at an address that is aligned for vectors
** of `items` elements. */
static bool is_aligned(const operand *o, const plan *outer, int k, int64_t stride, int items) {
  bool fits = stride == 1 && (uintptr_t)o->data % ((size_t)items * (size_t)dtype_size(o->dtype)) == 0;
  for (int d = 0; d < outer->ndim; d++) fits = fits && outer->stride[k][d] % items == 0;
  return fits;
}

static bool has_vectors(const line_call *c) {
  int items = VECTOR / dtype_size(c->in.dtype);
  return c->n % items == 0 && is_aligned(&c->in, &c->outer, 1, c->in_stride, items) &&
         is_aligned(&c->out, &c->outer, 0, c->out_stride, items);
}

/* Computes lines that a block keeps in registers. If a line has at most FEW_THREADS * FEW_ITEMS elements, each
** thread has up to FEW_ITEMS elements. In longer lines, each thread has up to SOFTMAX_ITEMS elements. At most FEW_THREADS
** threads compute a line of at most FEW_THREADS * SOFTMAX_ITEMS elements. */
static int softmax_held(gpu *g, const softmax_call *c, gpu_folded *f) {
  const line_call *l = &c->line;
  softmax_args a = {.in = l->in.data, .out = l->out.data, .lines = l->outer.count, .n = l->n,
                    .in_stride = l->in_stride, .out_stride = l->out_stride};
  gpu_nest_make(&a.outer, &l->outer, 2);
  a.rows = l->n <= FEW_THREADS * SOFTMAX_ITEMS ? power_of_2(ceil_divide(l->n, FEW_ITEMS), FEW_THREADS)
                                               : power_of_2(ceil_divide(l->n, SOFTMAX_ITEMS), MOST_THREADS);
  int threads = a.rows < SCAN_THREADS ? SCAN_THREADS : a.rows;
  enum softmax_entry entry = has_vectors(l) ? SOFTMAX_ROWS : SOFTMAX_SHORT;
  return launch_softmax(g, c, f, entry, ceil_divide(a.lines, threads / a.rows), threads, &a, NULL);
}

/* Computes lines that do not fit into registers and are read twice. If there are few and long lines, a first kernel
** computes the logsumexp of each line, with one block for each chunk of a line. */
static int softmax_long(gpu *g, const softmax_call *c, gpu_folded *f) {
  reduce_call r;
  reduce_args a;
  int64_t out_stride = c->line.out_stride;
  int st = OK;
  reduction_of(&r, REDUCE_logsumexp, &c->line);
  bool vectors = gpu_reduce_share(&a, &r);
  size_t bytes = gpu_reduce_bytes(&a);
  if (a.chunks > 1) {
    st = gpu_scratch(g, bytes, &a.states);
    if (st != OK) return st;
    st = gpu_reduce_launch(g, &r, vectors, &a, f);
  }
  if (st == OK)
    st = launch_softmax(g, c, f, SOFTMAX_LONG, (int64_t)a.tiles * a.chunks, REDUCE_THREADS, &a, &out_stride);
  if (a.chunks > 1) gpu_scratch_free(g, a.states, bytes);
  return st;
}

bool gpu_softmax_runs(const softmax_call *c) { return dtype_in_class(c->line.compute, CLASS_REALFLOAT); }

int gpu_softmax_queue(gpu *g, const softmax_call *c, gpu_folded *f) {
  if (!f) gpu_reads(g, c->line.in.data);
  gpu_writes(g, c->line.out.data);
  return c->line.n <= HELD && is_along(&c->line) ? softmax_held(g, c, f) : softmax_long(g, c, f);
}

int gpu_softmax(int index, const softmax_call *c) {
  gpu *g;
  if (!gpu_softmax_runs(c)) return ERR_NO_KERNEL;
  if (c->line.outer.count == 0 || c->line.n == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, gpu_softmax_queue(g, c, NULL)) : st;
}
