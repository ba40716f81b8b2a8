/* Runs element-wise programs (lt.elementwise, lt.compile) on the GPU. For each program, program.c generates the text of a
** kernel, which includes kernels/elementwise.cuh. A kernel is compiled when a program is first used with operands of these
** stored dtypes. */

#include "gpu/reduce.h"

/* ---- kernels ---- */

enum entry { FLAT, ROWS, STRIDED };

/* Returns the kernel's key, which contains 54 bits of the program's hash. */
static uint64_t key_of(const elementwise_call *c, enum entry entry) {
  return (uint64_t)GPU_elementwise << 56 | gpu_program_hash(c) >> 10 << 2 | entry;
}

static int find_kernel(gpu *g, const elementwise_call *c, enum entry entry, const gpu_kernel **k) {
  static const char *const entries[] = {"elementwise_flat", "elementwise_rows", "elementwise_strided"};
  uint64_t key = key_of(c, entry);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_text t;
  gpu_program_text(&t, c, NULL, "elementwise.cuh");
  gpu_source s = {.file = "elementwise.cu", .text = t.data, .name = "elementwise"};
  s.entry = entries[entry];
  return gpu_build(g, key, &s, k);
}

static int64_t share(int64_t count, int64_t of) { return (count + of - 1) / of; }

/* ---- calls ---- */

static int run_flat(gpu *g, const elementwise_call *c, elementwise_args *args, int vector) {
  const gpu_kernel *k;
  int64_t blocks = share(args->count, (int64_t)ELEMENTWISE_THREADS * vector);
  int st = find_kernel(g, c, FLAT, &k);
  return st == OK ? gpu_launch(g, k, (unsigned)blocks, ELEMENTWISE_THREADS, 0, (void *[]){args}) : st;
}

/* Runs the plan in pieces, because a kernel's positions have 32 bits. */
static int run_planned(gpu *g, const elementwise_call *c, const plan *whole, elementwise_args *args, enum entry entry) {
  const gpu_kernel *k;
  int64_t pieces = gpu_plan_pieces(whole, PLAN_MOST);
  int st = find_kernel(g, c, entry, &k);
  for (int64_t i = 0; st == OK && i < pieces; i++) {
    gpu_plan p;
    gpu_plan_piece(&p, whole, c->program->nout + c->program->nin, PLAN_MOST, i);
    st = gpu_launch(g, k, (unsigned)share(p.count, ELEMENTWISE_THREADS), ELEMENTWISE_THREADS, 0, (void *[]){args, &p});
  }
  return st;
}

/* Runs the kernel in which each thread computes a vector of a row. The length of the inner dim is counted in
** vectors. */
static int run_rows(gpu *g, const elementwise_call *c, elementwise_args *args, int vector) {
  plan p = *c->plan;
  int inner = p.ndim - 1;
  p.shape[inner] /= vector;
  p.count /= vector;
  for (int k = 0; k < c->program->nout + c->program->nin; k++) p.stride[k][inner] *= vector;
  return run_planned(g, c, &p, args, ROWS);
}

/* Runs the fastest kernel that supports the call: the kernel for contiguous operands, for rows, or for any
** strides. */
static int run_elementwise(gpu *g, const elementwise_call *c, elementwise_args *args) {
  const plan *p = c->plan;
  int vector = 16 / gpu_program_widest(c);
  if (!gpu_program_vectors(c, args, vector)) return run_planned(g, c, p, args, STRIDED);
  if (p->ndim <= 1 && share(args->count, (int64_t)ELEMENTWISE_THREADS * vector) <= INT32_MAX)
    return run_flat(g, c, args, vector);
  if (p->ndim > 1 && p->shape[p->ndim - 1] % vector == 0) return run_rows(g, c, args, vector);
  return run_planned(g, c, p, args, STRIDED);
}

static int run_program(gpu *g, const elementwise_call *c) {
  elementwise_args args;
  gpu_program_args(g, c, &args);
  return run_elementwise(g, c, &args);
}

int gpu_elementwise(int index, const elementwise_call *c) {
  gpu *g;
  if (!gpu_program_runs(c->program)) return ERR_NO_KERNEL;
  if (c->plan->count == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, run_program(g, c)) : st;
}

/* ---- programs before a reduction or a softmax ----
** A GPU computes whole calls, because its cache is shared by all of its threads, which run out of step. The calls of the
** family tiled that it takes are a program and the reduction or softmax of one of its results. */

static bool runs(const tiled_part *p) {
  const void *call = p->call[TILED_WHOLE];
  return p->family == TILED_reduce ? gpu_reduce_runs(call) : p->family == TILED_softmax && gpu_softmax_runs(call);
}

static int queue(gpu *g, const tiled_part *p, gpu_folded *f) {
  const void *call = p->call[TILED_WHOLE];
  gpu_folded_args(g, f);
  return p->family == TILED_reduce ? gpu_reduce_queue(g, call, f) : gpu_softmax_queue(g, call, f);
}

int gpu_tiled(int index, const tiled_call *c) {
  gpu *g;
  const tiled_part *first = &c->part[0];
  gpu_folded f = {.call = first->call[TILED_WHOLE], .folded = first->folded, .keeps = first->keeps};
  if (c->rows != 1 || c->nparts != 2 || f.folded < 0 || !gpu_folded_runs(f.call) || !runs(&c->part[1])) return ERR_NO_KERNEL;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, queue(g, &c->part[1], &f)) : st;
}
