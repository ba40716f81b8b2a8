/* Manages the library's handles and the scratch memory of a call, and launches luatensor's own kernels for linear
** algebra. */

#include "gpu/linalg/solver.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the library ---- */

static struct solver_state {
  solver_handle handle;
  solver_params params;
  gpu_stream    stream;
} states[MAX_GPUS];

int solver_check(gpu *g, solver_result r) {
  if ((int)r == 0) return OK;
  gpu_fail(g, "%s: %s (%d)", g->vendor->names[GPU_SOLVER], gpu_get_solver(g->vendor)->error_text(r), (int)r);
  return gpu_library_status(g, (int)r == g->vendor->solver_no_memory);
}

void gpu_solver_close(gpu *g) {
  struct solver_state *s = &states[g->index];
  if (s->params) gpu_get_solver(g->vendor)->destroy_params(s->params);
  if (s->handle) gpu_get_solver(g->vendor)->destroy(s->handle);
  *s = (struct solver_state){.handle = NULL};
}

static int open_state(gpu *g, struct solver_state *s) {
  const gpu_solver *solver = gpu_get_solver(g->vendor);
  static bool asked;
  if (s->handle) return OK;
  if (!g->vendor->solver_supports(g->vendor, g->id)) {
    char isa[64];
    g->vendor->name_isa(g->vendor, g->id, isa, sizeof isa);
    return gpu_fail(g, "not available on %s: " GPU_NEEDS_KERNELS, g->place, g->vendor->names[GPU_SOLVER],
                    g->vendor->names[GPU_BLAS], isa);
  }
  int st = gpu_make_room(g);
  if (st == OK) st = solver_check(g, solver->create(&s->handle));
  if (!asked) gpu_close_first();         /* the library loads the vendor's runtime, whose exit handler would invalidate
                                         ** the handle before luatensor destroys it */
  asked = true;
  if (st == OK) st = solver_check(g, solver->create_params(&s->params));
  if (st != OK) gpu_solver_close(g);
  return st;
}

static int use_stream(gpu *g, struct solver_state *s) {
  if (s->stream == g->stream) return OK;
  s->stream = g->stream;
  return solver_check(g, gpu_get_solver(g->vendor)->set_stream(s->handle, g->stream));
}

/* ---- luatensor's own kernels ---- */

int solver_launch(const solver *s, enum solver_kernel kernel, int64_t count, void **arguments) {
  static const char *const names[] = {
#define NAME(name) #name,
    SOLVER_KERNELS(NAME)
#undef NAME
  };
  enum { THREADS = 256 };
  enum dtype d = s->c->dtype;
  uint64_t key = GPU_KEY(GPU_linalg, kernel, d, 0, 0, 0, 0);
  const gpu_kernel *k = gpu_find(s->g, key);
  int st = OK;
  if (!k) {
    gpu_source source = {.file = "linalg.cuh", .entry = names[kernel]};
    gpu_define(&source, "D=DT_%s", dtypes[d].name);
    gpu_define(&source, "IS_REAL=%d", dtype_kind(d) == KIND_FLOAT);
    gpu_define(&source, "PIVOT=int%d_t", 8 * s->g->vendor->pivot_bytes);
    snprintf(source.name, sizeof source.name, "%s %s", names[kernel], dtypes[d].name);
    st = gpu_build(s->g, key, &source, &k);
  }
  int64_t blocks = (count + THREADS - 1) / THREADS;
  if (st == OK && blocks > INT32_MAX) st = ERR_OVERFLOW;
  return st == OK ? gpu_launch(s->g, k, (unsigned)blocks, THREADS, 0, arguments) : st;
}

/* ---- scratch memory ---- */

int solver_scratch(solver *s, size_t bytes, void **ptr) {
  if (s->nblocks == SOLVER_BLOCKS) return ERR_OVERFLOW;
  int st = gpu_scratch(s->g, bytes, ptr);
  if (st == OK) s->block[s->nblocks++] = (struct solver_block){*ptr, bytes};
  return st;
}

int solver_zeros(solver *s, size_t bytes, int **ptr) {
  void *made;
  int st = solver_scratch(s, bytes, &made);
  if (st != OK) return st;
  *ptr = made;
  return gpu_check(s->g, s->g->driver->set_8((gpu_address)(uintptr_t)made, 0, bytes, s->g->stream), "filling");
}

int solver_room(solver *s, size_t device, size_t host) {
  int st = OK;
  if (device > s->device_bytes) {
    st = solver_scratch(s, device, &s->device);
    if (st == OK) s->device_bytes = device;
  }
  if (st != OK || host <= s->host_bytes) return st;
  void *more = realloc(s->host, host);
  if (!more) return ERR_MEMORY;
  s->host = more;
  s->host_bytes = host;
  return OK;
}

void solver_end(solver *s) {
  while (s->nblocks > 0) {
    struct solver_block b = s->block[--s->nblocks];
    gpu_scratch_free(s->g, b.at, b.bytes);
  }
  free(s->host);
}

/* ---- beginning a call ---- */

int solver_begin(gpu *g, const linalg_call *c, solver *s) {
  struct solver_state *state = &states[g->index];
  if (!gpu_get_solver(g->vendor))
    return gpu_fail(g, "not available on %s: %s", g->place, gpu_reason(g->vendor, GPU_SOLVER));
  if (c->op == LINALG_eig && !gpu_get_eig(g->vendor))
    return gpu_fail(g, "not available on %s: %s", g->place, gpu_reason(g->vendor, GPU_EIG));
  if (g->capturing) return gpu_fail(g, "%s's work cannot be captured into a graph: do it outside", g->vendor->names[GPU_SOLVER]);
  int st = open_state(g, state);
  if (st == OK) st = use_stream(g, state);
  if (st != OK) return st;
  *s = (solver){.g = g, .c = c, .lib = gpu_get_solver(g->vendor), .handle = state->handle, .params = state->params,
                .type = (blas_type)gpu_blas_type(c->dtype),
                .real = (blas_type)gpu_blas_type(dtype_real(c->dtype)),
                .size = dtype_size(c->dtype), .real_size = dtype_size(dtype_real(c->dtype)),
                .least = c->m < c->n ? c->m : c->n};
  return OK;
}
