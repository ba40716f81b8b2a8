/* Linear algebra by the vendor's library, cuSOLVER or rocSOLVER. The matrices of a batch are processed one after another,
** on the current stream. Luatensor's own kernels do the work that the library lacks (triangles, pivots, determinants).
** Least-squares problems are solved by singular value decomposition. */

#include "gpu/linalg/solver.h"

#include <stdlib.h>

/* Sets s->info[i] to a value other than 0 for each matrix i that contains NaN or infinity. Each matrix has `count`
** elements. */
static int check_finite(solver *s, const void *x, int64_t count) {
  int64_t total = count * s->c->batch;
  int *info = s->info;
  return solver_launch(s, SOLVER_check_finite, total, (void *[]){&x, &count, &total, &info});
}

static int find_not_finite(solver *s, int32_t *told) {
  const linalg_call *c = s->c;
  int st = check_finite(s, c->a, c->m * c->n);
  if (st == OK && c->op == LINALG_lstsq) st = check_finite(s, c->b, (c->m > c->n ? c->m : c->n) * c->k);
  return st == OK ? gpu_copy_out(s->g->index, told, s->info, (size_t)c->batch * sizeof *told) : st;
}

static int run_matrices(solver *s, const solver_routine *r) {
  int32_t few[16], *told = few;
  int st = OK;
  if (r->finite && s->c->batch > 16) told = malloc((size_t)s->c->batch * sizeof *told);
  if (!told) return ERR_MEMORY;
  if (r->finite) st = find_not_finite(s, told);
  for (int64_t i = 0; st == OK && i < s->c->batch; i++)
    if (!r->finite || told[i] == 0) st = r->run(s, i);
  if (told != few) free(told);
  return st;
}

static int run_solver(solver *s) {
  const solver_routine *r = solver_routines[s->c->op];
  int st = solver_zeros(s, (size_t)(s->c->batch + 1) * sizeof *s->info, &s->info);
  if (st == OK && r->plan) st = r->plan(s);
  if (st == OK) st = run_matrices(s, r);
  if (st == OK && r->finish) st = r->finish(s);
  if (st == OK && s->c->info)
    st = gpu_copy_out(s->g->index, s->c->info, s->info, (size_t)s->c->batch * sizeof(int32_t));
  return st;
}

static int linalg(gpu *g, const linalg_call *c) {
  solver s;
  int st = solver_begin(g, c, &s);
  if (st != OK) return st;
  void *const operands[] = {c->a, c->b, c->c, c->values, c->order, c->rank, c->op == LINALG_lu ? c->pivots : NULL};
  for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) gpu_writes(g, operands[i]);
  gpu_reads(g, c->pivots);
  st = run_solver(&s);
  solver_end(&s);
  return st;
}

int gpu_linalg(int index, const linalg_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, linalg(g, c)) : st;
}
