/* Matrix products. The vendor's library (cuBLAS or rocBLAS) multiplies floats and complex numbers with any leading
** dimension and transposition. Inputs that the library cannot address are first copied to a contiguous layout.
** Luatensor's own kernels (kernels/linalg/gemm.cuh) multiply integers and small matrices, and compute products with k = 0
** and results that the library cannot write. They also replace a library that is missing or does not support the device. */

#include <stdio.h>
#include <string.h>

#include "base/blas.h"
#include "gpu/gpu.h"
#include "gpu/kernels/linalg/gemm_args.h"
#include "gpu/plan.h"

/* ---- matrices ---- */

static const void *element_at(const void *data, int64_t offset, enum dtype d) {
  return (const char *)data + offset * dtype_size(d);
}

/* ---- the batch ---- */

/* One call computes the products along one or two of the batch's dims. Loops run over the other dims. The library
** computes a batch of any dims by one call, if the addresses of all matrices are listed in device memory. */

enum { RUN_DIMS = 2 };       /* the most dims of a batch_run */

/* A batch of count[0] × count[1] products. For each of c, a and b (in this order), `step` has the distances between
** products along the two dims, and `offset` is the first element of the batch, in elements. */
typedef struct batch_run {
  int64_t count[RUN_DIMS], step[3][RUN_DIMS], offset[3];
  void **list;               /* the addresses of all c, a and b in device memory, instead of `step` and `offset`; NULL:
                             ** there is no list */
} batch_run;

typedef int (*batch_call)(gpu *g, const gemm_call *c, const batch_run *run, void *with);

static bool goes_back(const plan *p, int d) {
  return p->stride[0][d] < 0 || p->stride[1][d] < 0 || p->stride[2][d] < 0;
}

/* Returns the longest batch dim without negative strides, except dim `other`, or -1 if there is none. Negative strides
** are excluded: cuBLAS's manual does not promise to support them, and the memory descriptors of newer kernels cannot
** express them. */
static int longest_dim(const plan *p, int other) {
  int longest = -1;
  for (int d = 0; d < p->ndim; d++)
    if (d != other && !goes_back(p, d) && (longest < 0 || p->shape[d] > p->shape[longest])) longest = d;
  return longest;
}

/* Moves a run without offsets to the products that are number i along the dims other than dim[0] and dim[1]. */
static void move_run(batch_run *run, const plan *p, const int dim[RUN_DIMS], int64_t i) {
  for (int d = p->ndim - 1; d >= 0; d--) {
    if (d == dim[0] || d == dim[1]) continue;
    for (int k = 0; k < 3; k++) run->offset[k] += i % p->shape[d] * p->stride[k][d];
    i /= p->shape[d];
  }
}

/* Calls `call` for runs that together have all products of the batch. A run has at most `dims` dims. */
static int each_run(gpu *g, const gemm_call *c, int dims, batch_call call, void *with) {
  const plan *p = &c->batch;
  int dim[RUN_DIMS] = {longest_dim(p, -1), -1}, st = OK;
  if (dims > 1 && dim[0] >= 0) dim[1] = longest_dim(p, dim[0]);
  batch_run all = {.list = NULL};
  for (int i = 0; i < RUN_DIMS; i++) {
    all.count[i] = dim[i] < 0 ? 1 : p->shape[dim[i]];
    for (int k = 0; k < 3; k++) all.step[k][i] = dim[i] < 0 ? 0 : p->stride[k][dim[i]];
  }
  for (int64_t i = 0; st == OK && i < p->count / (all.count[0] * all.count[1]); i++) {
    batch_run run = all;
    move_run(&run, p, dim, i);
    st = call(g, c, &run, with);
  }
  return st;
}

/* ---- luatensor's own kernels ---- */

enum {
  TILES, ROWS, COLUMNS,      /* the kernels gemm_tiles, gemm_rows and gemm_columns */
  LIST,                      /* the kernel gemm_list, which writes a list for the vendor's library */
  GRID_Y  = 65535,           /* the maximum number of products along a dim in a launch, which is CUDA's limit of
                             ** gridDim.y and gridDim.z */
  LARGE   = 4                /* if each multiprocessor has at least this number of tiles of 128 × 128 elements, large
                             ** tiles are faster, although they use more registers */
};

static int own_kernel(gpu *g, enum dtype d, int entry, int micro, const gpu_kernel **k) {
  static const char *const entries[] = {"gemm_tiles", "gemm_rows", "gemm_columns"};
  uint64_t key = GPU_KEY(GPU_gemm, entry, d, micro, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "gemm.cuh"};
  s.entry = entries[entry];
  gpu_define(&s, "STORE=DT_%s", dtypes[d].name);
  gpu_define(&s, "MICRO=%d", micro);
  snprintf(s.name, sizeof s.name, "matmul %s", dtypes[d].name);
  return gpu_build(g, key, &s, k);
}

static int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }
static bool is_along(const gemm_side *s) { return s->count == 1 || distance(s->k_stride) <= distance(s->stride); }
static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Returns the kernel's MICRO: a thread computes MICRO × MICRO elements of the result. The value is 8 if there are at
** least LARGE tiles of 128 × 128 elements for each multiprocessor, otherwise 4. The value is also 4 for elements of 8
** or more bytes, because 64 sums of this size would need too many registers. */
static int choose_micro(const gpu *g, const gemm_call *c, int64_t products) {
  int64_t large = parts(c->m, 128) * parts(c->n, 128) * products;
  return dtype_size(c->dtype) < 8 && large >= (int64_t)LARGE * g->cores ? 8 : 4;
}

/* Exchanges a and b if a has one row and b several columns, because gemm_rows and gemm_columns require the vector in
** b. */
static void turn_vector(gemm_arguments *a) {
  if (a->b.count == 1 || a->a.count != 1) return;
  gemm_side matrix = a->b;
  a->b = a->a;
  a->a = matrix;
  a->c_stride[0] = a->c_stride[1];
}

static int own_launch(gpu *g, const gemm_call *c, gemm_arguments *a, const int64_t products[RUN_DIMS]) {
  const gpu_kernel *k;
  turn_vector(a);
  a->along[0] = is_along(&a->a);
  a->along[1] = is_along(&a->b);
  int entry = a->b.count > 1 ? TILES : a->along[0] ? ROWS : COLUMNS;
  int micro = entry == TILES ? choose_micro(g, c, products[0] * products[1]) : 4;
  int64_t side = entry == TILES ? 16 * micro : entry == ROWS ? GEMM_THREADS / g->lanes : GEMM_THREADS;
  int64_t across = entry == TILES ? parts(a->b.count, side) : 1, blocks = parts(a->a.count, side) * across;
  if (blocks > INT32_MAX) return ERR_OVERFLOW;
  a->across = (uint32_t)across;
  int st = own_kernel(g, c->dtype, entry, micro, &k);
  if (st != OK) return st;
  return gpu_launch_3d(g, k, (const unsigned[]){(unsigned)blocks, (unsigned)products[0], (unsigned)products[1]},
                       (const unsigned[]){GEMM_THREADS, 1, 1}, 0, (void *[]){a});
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Computes the run's products from (first[0], first[1]) on, at most GRID_Y along each dim. */
static int own_part(gpu *g, const gemm_call *c, const batch_run *run, const int64_t first[RUN_DIMS]) {
  const int64_t (*step)[RUN_DIMS] = run->step;
  int64_t at[3];
  for (int k = 0; k < 3; k++) at[k] = run->offset[k] + first[0] * step[k][0] + first[1] * step[k][1];
  gemm_arguments a = {
    .a = {element_at(c->a, at[1], c->dtype), c->m, c->a_stride[0], c->a_stride[1], {step[1][0], step[1][1]}},
    .b = {element_at(c->b, at[2], c->dtype), c->n, c->b_stride[1], c->b_stride[0], {step[2][0], step[2][1]}},
    .c = (char *)c->c + at[0] * dtype_size(c->dtype),
    .c_stride = {c->c_stride[0], c->c_stride[1]}, .c_step = {step[0][0], step[0][1]}, .k = c->k,
    .alpha_f = c->alpha.f, .beta_f = c->beta.f, .alpha_im = c->alpha.im, .beta_im = c->beta.im,
    .alpha_i = c->alpha.i, .beta_i = c->beta.i,
  };
  return own_launch(g, c, &a, (const int64_t[]){least(run->count[0] - first[0], GRID_Y), least(run->count[1] - first[1], GRID_Y)});
}

static int own_run(gpu *g, const gemm_call *c, const batch_run *run, void *with) {
  (void)with;
  int st = OK;
  int64_t first[RUN_DIMS];
  for (first[1] = 0; st == OK && first[1] < run->count[1]; first[1] += GRID_Y)
    for (first[0] = 0; st == OK && first[0] < run->count[0]; first[0] += GRID_Y) st = own_part(g, c, run, first);
  return st;
}

/* ---- the vendor's library ---- */

enum { WORKSPACE_HOPPER = 32 << 20, WORKSPACE = 4 << 20 };       /* bytes of the workspace, as cuBLAS's manual
                                                                 ** recommends; WORKSPACE_HOPPER: for Hopper and newer
                                                                 ** GPUs; WORKSPACE: for older GPUs. AMD's versions are
                                                                 ** 9.0 and newer, and rocBLAS's own workspace has
                                                                 ** 32 MiB */

int gpu_blas_type(enum dtype d) {
  switch (d) {
    case DT_float32:  return BLAS_FLOAT32;
    case DT_float64:  return BLAS_FLOAT64;
    case DT_float16:  return BLAS_FLOAT16;
    case DT_bfloat16: return BLAS_BFLOAT16;
    case DT_complex64:  return BLAS_COMPLEX64;
    case DT_complex128: return BLAS_COMPLEX128;
    default:          return -1;
  }
}

/* Returns ERR_NO_KERNEL if the library does not support the call. */
static int blas_check(gpu *g, blas_result r) {
  const gpu_vendor *v = g->vendor;
  if (r == 0) return OK;
  gpu_fail(g, "%s: %s", v->names[GPU_BLAS], gpu_get_blas(g->vendor)->error_text(r));
  for (size_t k = 0; k < sizeof v->blas_refuses / sizeof *v->blas_refuses; k++)
    if ((int)r == v->blas_refuses[k]) return ERR_NO_KERNEL;
  return gpu_library_status(g, (int)r == v->blas_no_memory);
}

/* A device's handle of the library, and the stream and workspace that were last set. */
static struct blas_state {
  blas_handle handle;
  gpu_stream  stream;
  void       *workspace;
  enum { UNKNOWN, SUPPORTED, UNSUPPORTED } device;     /* whether the library supports the device */
} states[MAX_GPUS];

void gpu_gemm_close(gpu *g) {
  struct blas_state *s = &states[g->index];
  if (s->handle) gpu_get_blas(g->vendor)->destroy(s->handle);
  *s = (struct blas_state){.handle = NULL};
}

static int open_blas(gpu *g, struct blas_state *s) {
  const gpu_blas *blas = gpu_get_blas(g->vendor);
  if (s->handle) return OK;
  if (g->capturing)
    return gpu_fail(g, "%s does not start while a graph is captured: multiply something before", g->vendor->names[GPU_BLAS]);
  static bool asked;
  int st = gpu_make_room(g);
  if (st == OK) st = blas_check(g, blas->create(&s->handle));
  if (!asked) gpu_close_first();         /* the library loads the vendor's runtime, whose exit handler would invalidate
                                         ** the handle before luatensor destroys it */
  asked = true;
  /* sums of half floats are kept in float32, even if the library splits k into several sums */
  if (st == OK) st = blas_check(g, blas->set_math(s->handle, (blas_math)BLAS_EXACT_SUMS));
  if (st != OK) gpu_gemm_close(g);
  return st;
}

/* Sets the handle's stream and workspace, unless they are already set. The workspace must be set after the stream,
** because setting the stream makes cuBLAS use its own workspace. During the capture of a graph, the library could not
** allocate its own workspace. */
static int prepare_blas(gpu *g, void *workspace, size_t bytes) {
  const gpu_blas *blas = gpu_get_blas(g->vendor);
  struct blas_state *s = &states[g->index];
  if (s->workspace && s->stream == g->stream && s->workspace == workspace) return OK;
  s->workspace = NULL;
  int st = blas_check(g, blas->set_stream(s->handle, g->stream));
  if (st == OK) st = blas_check(g, blas->set_workspace(s->handle, workspace, bytes));
  if (st != OK) return st;
  s->stream = g->stream;
  s->workspace = workspace;
  return OK;
}

/* The layouts of the three matrices, as the library can address them. */
typedef struct blas_product {
  blas_matrix a, b, c;
  bool begun;                /* the library has computed a part of the batch */
} blas_product;

/* One of the two factors of the library's column-major product. `count` is the number of its rows or columns that become
** rows or columns of c. */
typedef struct blas_factor {
  const void *data;
  int64_t count, ld, step;
  blas_operation op;
} blas_factor;

static blas_factor make_factor(const blas_product *p, const blas_matrix *m, const void *data, int64_t count,
                               int64_t step) {
  return (blas_factor){data, count, m->ld, step, (blas_operation)(m->trans == p->c.trans ? BLAS_N : BLAS_T)};
}

static bool is_wide(enum dtype d) { return dtype_real(d) == DT_float64; }

/* True if the library computes float32 products from bfloat16 numbers. cuBLAS has kernels for that on GPUs of compute
** capability 10.x. On other GPUs, float32 is faster and as exact. */
static bool splits_float32(const gpu *g) {
  return g->capability / 10 == 10 && gpu_has_bf16x9(g->vendor);
}

static blas_compute compute_of(const gpu *g, const gemm_call *c) {
  if (is_wide(c->dtype)) return (blas_compute)BLAS_COMPUTE_FLOAT64;
  if (c->dtype == DT_float32 && c->precision == PRECISION_bf16x9 && splits_float32(g))
    return (blas_compute)BLAS_COMPUTE_BF16X9;
  bool tf32 = dtype_size(dtype_real(c->dtype)) == 4 && c->precision == PRECISION_tf32;
  return (blas_compute)(tf32 ? BLAS_COMPUTE_TF32 : BLAS_COMPUTE_FLOAT32);
}

/* True if c is added to, so that a part of it that is computed cannot be computed once more. */
static bool adds(const gemm_call *c) { return c->beta.f != 0 || c->beta.im != 0; }

/* The library is column-major. If c is row-major, the memory of c contains the column-major matrix cᵀ. In this case the
** function computes cᵀ = bᵀ aᵀ. */
static int blas_multiply(gpu *g, const gemm_call *c, const batch_run *run, const blas_product *p) {
  const gpu_blas *blas = gpu_get_blas(g->vendor);
  blas_handle h = states[g->index].handle;
  blas_factor a = make_factor(p, &p->a, element_at(c->a, run->offset[1], c->dtype), c->m, run->step[1][0]);
  blas_factor b = make_factor(p, &p->b, element_at(c->b, run->offset[2], c->dtype), c->n, run->step[2][0]);
  const blas_factor *x = p->c.trans ? &a : &b, *y = p->c.trans ? &b : &a;
  void *out = (char *)c->c + run->offset[0] * dtype_size(c->dtype);
  const double alpha_wide[2] = {c->alpha.f, c->alpha.im}, beta_wide[2] = {c->beta.f, c->beta.im};
  const float alpha[2] = {(float)c->alpha.f, (float)c->alpha.im}, beta[2] = {(float)c->beta.f, (float)c->beta.im};
  bool wide = is_wide(c->dtype);
  const void *al = wide ? (const void *)alpha_wide : alpha, *be = wide ? (const void *)beta_wide : beta;
  blas_compute compute = compute_of(g, c);
  blas_type type = (blas_type)gpu_blas_type(c->dtype);
  blas_algorithm algorithm = (blas_algorithm)BLAS_DEFAULT;
  int64_t count = run->count[0];
  if (run->list) {
    const void *const *a_list = (const void *const *)run->list + count, *const *b_list = a_list + count;
    return blas_check(g, blas->gemm_listed(
      h, x->op, y->op, x->count, y->count, c->k, al, p->c.trans ? a_list : b_list, type, x->ld,
      p->c.trans ? b_list : a_list, type, y->ld, be, run->list, type, p->c.ld, count, compute, algorithm));
  }
  if (count == 1)
    return blas_check(g, blas->gemm(
      h, x->op, y->op, x->count, y->count, c->k, al, x->data, type, x->ld, y->data, type, y->ld, be,
      out, type, p->c.ld, compute, algorithm));
  return blas_check(g, blas->gemm_batched(
    h, x->op, y->op, x->count, y->count, c->k, al, x->data, type, x->ld, x->step, y->data, type, y->ld, y->step, be,
    out, type, p->c.ld, run->step[0][0], count, compute, algorithm));
}

static int blas_run(gpu *g, const gemm_call *c, const batch_run *run, void *with) {
  blas_product *p = with;
  int st = blas_multiply(g, c, run, p);
  if (st != OK && p->begun && adds(c)) return ERR_DEVICE;
  p->begun = true;
  return st;
}

/* ---- lists of matrices ---- */

enum {
  FEW         = 2,           /* if at most this number of calls without a list would do, no list is written */
  MOST_LISTED = 1 << 20,     /* the maximum number of products in a list, which then takes 24 MiB */
  LISTED_ALIGNMENT = 16      /* bytes */
};

/* True if the first elements of all matrices of operand k are at multiples of LISTED_ALIGNMENT bytes. */
static bool is_aligned(const gemm_call *c, const void *data, int k) {
  size_t bytes = (size_t)dtype_size(c->dtype), places = (size_t)(uintptr_t)data;
  for (int d = 0; d < c->batch.ndim; d++)
    if (c->batch.shape[d] > 1) places |= (size_t)c->batch.stride[k][d] * bytes;
  return places % LISTED_ALIGNMENT == 0;
}

/* cuBLAS chooses its kernels before it knows the addresses in a list, and these kernels may load vectors. */
static bool needs_list(const gemm_call *c) {
  const plan *p = &c->batch;
  int dim = longest_dim(p, -1);
  int64_t calls = p->count / (dim < 0 ? 1 : p->shape[dim]);
  return calls > FEW && p->count <= MOST_LISTED && is_aligned(c, c->c, 0) && is_aligned(c, c->a, 1) && is_aligned(c, c->b, 2);
}

static int list_kernel(gpu *g, enum dtype d, const gpu_kernel **k) {
  uint64_t key = GPU_KEY(GPU_gemm, LIST, 0, dtype_size(d), 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "gemm_list.cuh", .entry = "gemm_list", .name = "list of matrices"};
  gpu_define(&s, "SIZE=%d", (int)dtype_size(d));
  return gpu_build(g, key, &s, k);
}

static int write_list(gpu *g, const gemm_call *c, void **list) {
  const gpu_kernel *k;
  int st = list_kernel(g, c->dtype, &k);
  if (st != OK) return st;
  const void *out = c->c, *a = c->a, *b = c->b;
  gpu_plan plan;
  gpu_plan_piece(&plan, &c->batch, 3, PLAN_MOST, 0);
  unsigned blocks = (unsigned)parts(c->batch.count, GEMM_LIST_THREADS);
  return gpu_launch(g, k, blocks, GEMM_LIST_THREADS, 0, (void *[]){&list, &out, &a, &b, &plan});
}

/* Computes all products of the batch by one call. */
static int blas_listed(gpu *g, const gemm_call *c, blas_product *p) {
  batch_run run = {.count = {c->batch.count, 1}};
  size_t bytes = 3 * (size_t)c->batch.count * sizeof *run.list;
  void *memory;
  int st = gpu_scratch(g, bytes, &memory);
  if (st != OK) return st;
  run.list = memory;
  st = write_list(g, c, run.list);
  if (st == OK) st = blas_run(g, c, &run, p);
  gpu_scratch_free(g, memory, bytes);
  return st;
}

static int blas_gemm(gpu *g, const gemm_call *c, blas_product *p) {
  size_t bytes = g->capability >= 90 ? WORKSPACE_HOPPER : WORKSPACE;
  void *workspace;
  int st = open_blas(g, &states[g->index]);
  if (st == OK) st = gpu_scratch(g, bytes, &workspace);
  if (st != OK) return st;
  st = prepare_blas(g, workspace, bytes);
  if (st == OK) st = needs_list(c) ? blas_listed(g, c, p) : each_run(g, c, 1, blas_run, p);
  gpu_scratch_free(g, workspace, bytes);
  return st;
}

/* ---- copying matrices that the library cannot address ---- */

/* A contiguous copy of an input in scratch memory. */
typedef struct packed {
  void  *data;
  size_t bytes;
} packed;

/* Copies x, which is a (k = 1) or b (k = 2), into contiguous row-major matrices of rows × columns elements. A matrix
** that several products share is copied once. On success *x, `stride` and the batch's strides of operand k describe
** the copy. */
static int pack(gpu *g, enum dtype d, const void **x, int64_t stride[2], int64_t rows, int64_t columns, plan *batch,
                int k, packed *made) {
  plan p = {.ndim = 0, .count = 1};
  int64_t length[MAX_DIMS], step[MAX_DIMS], matrix = rows * columns, *fresh = batch->stride[k];
  for (int i = 0; i < batch->ndim + 2; i++) {
    bool in_batch = i < batch->ndim;
    length[i] = in_batch ? batch->shape[i] : i == batch->ndim ? rows : columns;
    step[i] = in_batch ? fresh[i] : stride[i - batch->ndim];
    if ((in_batch && step[i] == 0) || length[i] == 1) continue;
    p.shape[p.ndim] = length[i];
    p.stride[1][p.ndim++] = step[i];
    p.count *= length[i];
  }
  for (int i = p.ndim - 1, at = 1; i >= 0; at = 0, i--) p.stride[0][i] = at ? 1 : p.stride[0][i + 1] * p.shape[i + 1];
  made->bytes = (size_t)p.count * (size_t)dtype_size(d);
  int st = gpu_scratch(g, made->bytes, &made->data);
  if (st != OK) return st;
  map_call copy = {.op = OP_positive, .compute = dtype_compute(d), .nin = 1, .plan = &p,
                   .out = {.data = made->data, .dtype = d}, .in = {{.dtype = d}}};
  memcpy(&copy.in[0].data, x, sizeof *x);
  st = gpu_map(g->index, &copy);
  if (st != OK) return st;
  *x = made->data;
  stride[0] = columns;
  stride[1] = 1;
  for (int i = batch->ndim - 1; i >= 0; i--) {
    if (fresh[i] == 0) continue;
    fresh[i] = batch->shape[i] == 1 ? 0 : matrix;
    matrix *= batch->shape[i];
  }
  return OK;
}

/* Computes a product by the library. Inputs that the library cannot address are copied first. */
static int packed_gemm(gpu *g, const gemm_call *c, blas_product *p) {
  gemm_call call = *c;
  int64_t most = g->vendor->blas_most;
  packed a = {.data = NULL}, b = {.data = NULL};
  int st = OK;
  if (!blas_address(c->m, c->k, c->a_stride, most, &p->a)) {
    st = pack(g, c->dtype, &call.a, call.a_stride, c->m, c->k, &call.batch, 1, &a);
    p->a = (blas_matrix){false, c->k};
  }
  if (st == OK && !blas_address(c->k, c->n, c->b_stride, most, &p->b)) {
    st = pack(g, c->dtype, &call.b, call.b_stride, c->k, c->n, &call.batch, 2, &b);
    p->b = (blas_matrix){false, c->n};
  }
  if (st == OK) st = blas_gemm(g, &call, p);
  if (a.data) gpu_scratch_free(g, a.data, a.bytes);
  if (b.data) gpu_scratch_free(g, b.data, b.bytes);
  return st;
}

/* ---- the device's function ---- */

/* True if the library is usable on the device. */
static bool has_blas(gpu *g) {
  struct blas_state *s = &states[g->index];
  if (!gpu_get_blas(g->vendor)) return false;
  if (s->device == UNKNOWN) s->device = g->vendor->blas_supports(g->vendor, g->id) ? SUPPORTED : UNSUPPORTED;
  return s->device == SUPPORTED;
}

/* True if the library can compute a product. If so, fills in the layout of c. */
static bool fits_blas(const gpu *g, const gemm_call *c, blas_matrix *layout) {
  int64_t most = g->vendor->blas_most;
  return c->k > 0 && gpu_blas_type(c->dtype) >= 0 && c->m <= most && c->n <= most && c->k <= most &&
         c->batch.count <= most && blas_address(c->m, c->n, c->c_stride, most, layout);
}

/* True if LUATENSOR_BLAS=always, so that the library also multiplies small matrices. */
static bool takes_small(void) {
  static int known = -1;
  return gpu_variable_is("LUATENSOR_BLAS", "always", &known);
}

/* True if luatensor's own kernel is faster than the library, because its launch is cheaper. On an H100 with cuBLAS 13.1, a
** product of 70 × 30 by 30 × 70 takes 12 µs, and 6 µs by the own kernel. For 128³ both take 11 µs. */
static bool is_small(const gemm_call *c) {
  enum { SIDE = 128, DEPTH = 64 };
  return c->batch.count == 1 && c->m <= SIDE && c->n <= SIDE && c->k <= DEPTH && !takes_small();
}

int gpu_gemm(int index, const gemm_call *c) {
  gpu *g;
  if (c->m == 0 || c->n == 0 || c->batch.count == 0) return OK;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  gpu_reads(g, c->a);
  gpu_reads(g, c->b);
  gpu_writes(g, c->c);
  blas_product p = {.begun = false};
  bool blas = !is_small(c) && fits_blas(g, c, &p.c) && has_blas(g);
  st = blas ? packed_gemm(g, c, &p) : ERR_NO_KERNEL;
  return gpu_leave(g, st == ERR_NO_KERNEL ? each_run(g, c, RUN_DIMS, own_run, NULL) : st);
}
