/* Launches the kernels for attention (kernels/nn/attention.cuh), and decides when they are used. */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/kernels/nn/attention_args.h"

enum {
  THREADS = 128,             /* the number of threads of a block. With 64, a thread would load less from shared memory for
                             ** each product, but fewer warps would run; neither was measured */
  WIDTH_MOST = 128,          /* the longest row of queries, keys or values */
  WIDTH_LEAST = 16,          /* a kernel's shortest row */
  ROWS_MOST = 1 << 30        /* the most queries or keys: kernels count in 32 bits */
};

/* ---- tiles ---- */

/* The sizes of a kernel: the length of a row in shared memory, and the rows of the kept and of the other tiles. */
typedef struct tiling { int width, rows, columns; } tiling;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Returns the largest tiles for which the shared memory of a block has at most 64 KiB, the limit of AMD's GPUs and of
** NVIDIA's with compute capability 7.5. */
static tiling choose_tiling(const attention_call *c) {
  tiling t = {.width = WIDTH_LEAST};
  while (t.width < larger(c->width, c->out_width)) t.width *= 2;
  bool wide = dtype_compute(c->dtype) == DT_float64, is_long = t.width > 64;
  t.rows = wide ? 32 : 64;
  t.columns = is_long ? t.rows / 2 : t.rows;
  if (!c->back) return t;
  if (is_long) t.rows /= 2;
  t.columns = t.rows / 2;
  return t;
}

/* Returns the bytes of shared memory of a block, which has ROWS × COLS scores beside its tiles. A forward pass keeps one
** tile and has one other tile at a time, and a backward pass has two of both. */
static unsigned shared_bytes(const attention_call *c, const tiling *t) {
  int size = dtype_size(dtype_compute(c->dtype)), stride = t->width + 16 / size;
  int tiles = (t->rows + t->columns) * stride * (c->back ? 2 : 1);
  return (unsigned)((tiles + t->rows * (t->columns + ATTENTION_ACROSS)) * size);
}

/* ---- vectors ---- */

/* True if all rows of an operand begin at a multiple of `elements` elements. */
static bool fits_vectors(const attention_operand *o, int elements, int size) {
  return (uintptr_t)o->data % (size_t)(elements * size) == 0 && o->batch % elements == 0 && o->head % elements == 0 &&
         o->row % elements == 0;
}

static bool is_vectorized(const attention_call *c) {
  const attention_operand *const all[] = {&c->q, &c->k, &c->v, &c->o, &c->dout, &c->dq, &c->dk, &c->dv};
  int elements = 16 / dtype_size(dtype_compute(c->dtype)), size = dtype_size(c->dtype);
  bool fits = c->width % elements == 0 && c->out_width % elements == 0;
  for (int i = 0; i < (c->back ? 8 : 4); i++) fits = fits && fits_vectors(all[i], elements, size);
  return fits;
}

/* ---- launches ---- */

enum entry { FORWARD, BACK_QUERIES, BACK_KEYS };

static int find_kernel(gpu *g, const attention_call *c, enum entry entry, const tiling *t, const gpu_kernel **k) {
  static const char *const entries[] = {"attention_forward", "attention_back_queries", "attention_back_keys"};
  bool vectorized = is_vectorized(c);
  uint64_t key = GPU_KEY(GPU_attention, entry, c->dtype, t->width, vectorized, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = entry == FORWARD ? "attention.cuh" : "attention_back.cuh", .entry = entries[entry]};
  gpu_define(&s, "STORE=DT_%s", dtypes[c->dtype].name);
  gpu_define(&s, "WIDTH=%d", t->width);
  gpu_define(&s, "ROWS=%d", t->rows);
  gpu_define(&s, "COLS=%d", t->columns);
  gpu_define(&s, "VECTOR=%d", vectorized);
  gpu_define(&s, "KERNEL_THREADS=%d", THREADS);
  snprintf(s.name, sizeof s.name, "attention %s", dtypes[c->dtype].name);
  return gpu_build(g, key, &s, k);
}

static int launch(gpu *g, const attention_call *c, enum entry entry, attention_args *a) {
  const gpu_kernel *k;
  tiling t = choose_tiling(c);
  int64_t kept = entry == BACK_KEYS ? c->keys : c->queries, tiles = (kept + t.rows - 1) / t.rows;
  int64_t blocks = tiles * c->batch * c->heads;
  if (blocks > INT32_MAX) return ERR_OVERFLOW;
  a->tiles = (int32_t)tiles;
  int st = find_kernel(g, c, entry, &t, &k);
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, THREADS, shared_bytes(c, &t), (void *[]){a}) : st;
}

static attention_matrix matrix_of(const attention_operand *o) {
  return (attention_matrix){o->data, o->batch, o->head, o->row};
}

static attention_args make_args(const attention_call *c) {
  attention_args a = {
    .q = matrix_of(&c->q), .k = matrix_of(&c->k), .v = matrix_of(&c->v), .o = matrix_of(&c->o),
    .dout = matrix_of(&c->dout), .dq = matrix_of(&c->dq), .dk = matrix_of(&c->dk), .dv = matrix_of(&c->dv),
    .log_sums = c->log_sums, .mask = c->mask, .adds = c->mask_dtype != DT_bool, .causal = c->causal,
    .heads = (int32_t)c->heads, .queries = (int32_t)c->queries, .keys = (int32_t)c->keys, .width = (int32_t)c->width,
    .out_width = (int32_t)c->out_width, .scale = c->scale
  };
  for (int d = 0; d < 4; d++) a.mask_stride[d] = c->mask_stride[d];
  return a;
}

static void order(gpu *g, const attention_call *c) {
  const void *reads[] = {c->q.data, c->k.data, c->v.data, c->mask, c->dout.data};
  for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) gpu_reads(g, reads[i]);
  if (!c->back) {
    gpu_writes(g, c->o.data);
    gpu_writes(g, c->log_sums);
    return;
  }
  gpu_reads(g, c->o.data);
  gpu_reads(g, c->log_sums);
  gpu_writes(g, c->dq.data);
  gpu_writes(g, c->dk.data);
  gpu_writes(g, c->dv.data);
}

/* The first kernel writes deltas, which the second kernel reads. */
static int run_back(gpu *g, const attention_call *c, attention_args *a) {
  size_t bytes = (size_t)(c->batch * c->heads * c->queries * dtype_size(dtype_compute(c->dtype)));
  int st = gpu_scratch(g, bytes, &a->deltas);
  if (st != OK) return st;
  st = launch(g, c, BACK_QUERIES, a);
  if (st == OK) st = launch(g, c, BACK_KEYS, a);
  gpu_scratch_free(g, a->deltas, bytes);
  return st;
}

/* ---- the device's functions ---- */

/* True if the kernels can compute the attention on the device. */
static bool is_possible(const gpu *g, const attention_call *c) {
  if (!dtype_in_class(c->dtype, CLASS_REALFLOAT) || larger(c->width, c->out_width) > WIDTH_MOST) return false;
  tiling t = choose_tiling(c);
  return c->queries <= ROWS_MOST && c->keys <= ROWS_MOST && c->heads <= ROWS_MOST &&
         shared_bytes(c, &t) <= (unsigned)gpu_attribute_of(g->driver, g->id, GPU_SHARED_MOST);
}

/* Returns the arithmetic operations of the forward kernel: for each score, multiplications with a query's and a value's row,
** and an exponential, which takes as long as EXPONENTIAL multiplications. Tiles are computed as a whole. */
static double work_of(const attention_call *c) {
  enum { TILE = 64, EXPONENTIAL = 32 };
  double queries = (double)((c->queries + TILE - 1) / TILE * TILE), keys = (double)((c->keys + TILE - 1) / TILE * TILE);
  return (double)c->batch * (double)c->heads * queries * keys * (double)(c->width + c->out_width + EXPONENTIAL);
}

/* True if the scores would need so much of the device's memory that kernels without scores are better even if they are
** slower. */
static bool has_many_scores(gpu *g, const attention_call *c) {
  enum { SHARE = 8 };
  double scores = (double)c->batch * (double)c->heads * (double)c->queries * (double)c->keys;
  size_t total;
  return g->driver->device_memory(&total, g->id) == GPU_SUCCESS && scores * dtype_size(c->dtype) >= (double)total / SHARE;
}

/* True if the kernels are faster than products and softmax, as measured on an H200 for rows of 32 and 64 elements
** (docs/measurements.md). LUATENSOR_ATTENTION overrides the decision. */
static bool is_faster(gpu *g, const attention_call *c) {
  enum {
    LITTLE = 1 << 27,        /* so little work takes no longer than the launches of several kernels: about 10 µs */
    ROWS_LEAST = 16          /* of a tile with fewer queries, most is computed in vain */
  };
  static int always = -1, never = -1;
  if (gpu_variable_is("LUATENSOR_ATTENTION", "fused", &always)) return true;
  if (gpu_variable_is("LUATENSOR_ATTENTION", "parts", &never)) return false;
  /* The library multiplies half floats on tensor cores. Half of the scores are left out if the attention is causal. A
  ** backward pass computes 7 products instead of 4. */
  return work_of(c) <= LITTLE || (c->dtype == DT_float32 && c->queries >= ROWS_LEAST && c->causal && !c->back) ||
         has_many_scores(g, c);
}

bool gpu_has_attention(int index, const attention_call *c) {
  gpu *g;
  if (gpu_enter(index, &g) != OK) return false;
  bool chosen = is_possible(g, c) && is_faster(g, c);
  gpu_leave(g, OK);
  return chosen;
}

int gpu_attention(int index, const attention_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  if (!is_possible(g, c)) return gpu_leave(g, ERR_NO_KERNEL);
  order(g, c);
  attention_args a = make_args(c);
  return gpu_leave(g, c->back ? run_back(g, c, &a) : launch(g, c, FORWARD, &a));
}
