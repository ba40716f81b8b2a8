/* Launches the kernels for parameter updates (kernels/nn/update.cuh). There is one kernel for each row of update.def
** and each dtype. */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/kernels/nn/update_args.h"
#include "gpu/plan.h"

_Static_assert((int)UPDATE_MOST == (int)UPDATE_OPERANDS && (int)UPDATE_MOST_NUMBERS == (int)UPDATE_NUMBERS,
               "update_args.h is calls.h's");

static const char *const names[UPDATE_COUNT] = {
#define UPDATE_NAME(name, ...) [UPDATE_##name] = #name,
#define UPDATE0 UPDATE_NAME
#define UPDATE1 UPDATE_NAME
#define UPDATE2 UPDATE_NAME
#define UPDATE3 UPDATE_NAME
#include "update.def"
};

static int find_kernel(gpu *g, const update_call *c, bool flat, const gpu_kernel **k) {
  uint64_t key = GPU_KEY(GPU_update, c->op, c->dtype, flat, c->cell != NULL, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "update.cuh", .entry = flat ? "update_flat" : "update_strided"};
  gpu_define(&s, "ROW=update_%s", names[c->op]);
  gpu_define(&s, "DTYPE=DT_%s", dtypes[c->dtype].name);
  if (c->cell) gpu_define(&s, "UPDATE_CELL");
  snprintf(s.name, sizeof s.name, "update %s %s", names[c->op], dtypes[c->dtype].name);
  return gpu_build(g, key, &s, k);
}

/* True if all operands are contiguous and begin at multiples of 16 bytes, so that vectors of 16 bytes can be
** loaded. */
static bool is_flat(const update_call *c) {
  const plan *p = c->plan;
  if (p->ndim > 1) return false;
  for (int k = 0; k < 2 + c->states; k++)
    if ((p->ndim == 1 && p->stride[k][0] != 1) || (uintptr_t)c->at[k] % 16 != 0) return false;
  return true;
}

static int run_flat(gpu *g, const update_call *c, update_args *a) {
  const gpu_kernel *k;
  int64_t block = (int64_t)UPDATE_THREADS * (16 / dtype_size(c->dtype));
  int st = find_kernel(g, c, true, &k);
  if (st != OK) return st;
  return gpu_launch(g, k, (unsigned)((a->count + block - 1) / block), UPDATE_THREADS, 0, (void *[]){a});
}

/* Runs the plan in pieces, because a kernel's positions have 32 bits. */
static int run_strided(gpu *g, const update_call *c, update_args *a) {
  const gpu_kernel *k;
  int64_t pieces = gpu_plan_pieces(c->plan, PLAN_MOST);
  int st = find_kernel(g, c, false, &k);
  for (int64_t i = 0; st == OK && i < pieces; i++) {
    gpu_plan p;
    gpu_plan_piece(&p, c->plan, 2 + c->states, PLAN_MOST, i);
    st = gpu_launch(g, k, (p.count + UPDATE_THREADS - 1) / UPDATE_THREADS, UPDATE_THREADS, 0, (void *[]){a, &p});
  }
  return st;
}

static int update(gpu *g, const update_call *c) {
  update_args a = {.count = c->plan->count, .cell = c->cell};
  for (int k = 0; k < 2 + c->states; k++) {
    a.at[k] = c->at[k];
    if (k == 1) gpu_reads(g, c->at[k]);
    else gpu_writes(g, c->at[k]);
  }
  for (int k = 0; k < UPDATE_NUMBERS; k++) a.number[k] = c->number[k];
  return is_flat(c) ? run_flat(g, c, &a) : run_strided(g, c, &a);
}

int gpu_update(int index, const update_call *c) {
  gpu *g;
  if (c->plan->count == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, update(g, c)) : st;
}
