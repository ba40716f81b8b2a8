/* Launches the kernels for parameter updates (kernels/nn/update.cuh). There is one kernel for each row of update.def
** and each dtype. One launch updates many parameters if their operands are contiguous. */

#include <stdio.h>
#include <string.h>

#include "base/shape.h"
#include "gpu/gpu.h"
#include "gpu/kernels/nn/update_args.h"
#include "gpu/plan.h"

_Static_assert((int)UPDATE_MOST == (int)UPDATE_OPERANDS && (int)UPDATE_MOST_NUMBERS == (int)UPDATE_NUMBERS,
               "update_args.h is calls.h's");
_Static_assert(sizeof(update_list) <= 4096, "a kernel has at most 4 KiB of parameters");

static const char *const names[UPDATE_COUNT] = {
#define UPDATE_NAME(name, ...) [UPDATE_##name] = #name,
#define UPDATE0 UPDATE_NAME
#define UPDATE1 UPDATE_NAME
#define UPDATE2 UPDATE_NAME
#define UPDATE3 UPDATE_NAME
#include "update.def"
};

typedef struct update_work {
  gpu        *g;
  const update_call *call;
  bool        launched;                /* a part of the parameters was updated */
  const update_item *last;             /* the item of the last parameter in `list` */
  uint32_t    blocks;                  /* number of blocks that the parameters in `list` need */
  update_list list;                    /* parameters of one rule, which are not launched yet */
} update_work;

static int find_kernel(const update_work *w, const update_item *i, bool flat, const gpu_kernel **k) {
  enum dtype dtype = w->call->dtype;
  uint64_t key = GPU_KEY(GPU_update, i->op, dtype, flat, i->cell != NULL, 0, 0);
  *k = gpu_find(w->g, key);
  if (*k) return OK;
  gpu_source s = {.file = "update.cuh", .entry = flat ? "update_flat" : "update_strided"};
  gpu_define(&s, "ROW=update_%s", names[i->op]);
  gpu_define(&s, "DTYPE=DT_%s", dtypes[dtype].name);
  if (i->cell) gpu_define(&s, "UPDATE_CELL");
  snprintf(s.name, sizeof s.name, "update %s %s", names[i->op], dtypes[dtype].name);
  return gpu_build(w->g, key, &s, k);
}

/* True if all operands are contiguous and begin at multiples of 16 bytes, so that vectors of 16 bytes can be
** loaded. */
static bool is_flat(const update_item *i) {
  if (i->plan) return false;
  for (int k = 0; k < 2 + i->states; k++)
    if ((uintptr_t)i->at[k] % 16 != 0) return false;
  return true;
}

/* Finds the kernels of all parameters, and waits for other streams that use the operands. */
static int prepare(const update_work *w) {
  const gpu_kernel *k;
  int st = OK;
  for (int n = 0; st == OK && n < w->call->count; n++) {
    const update_item *i = &w->call->item[n];
    for (int at = 0; at < 2 + i->states; at++) {
      if (at == 1) gpu_reads(w->g, i->at[at]);
      else gpu_writes(w->g, i->at[at]);
    }
    if (i->count > 0) st = find_kernel(w, i, is_flat(i), &k);
  }
  return st;
}

static int launch(update_work *w, const gpu_kernel *k, uint32_t blocks, void **arguments) {
  int st = gpu_launch(w->g, k, blocks, UPDATE_THREADS, 0, arguments);
  if (st == OK) w->launched = true;
  return st;
}

static update_args make_args(const update_item *i) {
  update_args a = {.count = i->count};
  for (int k = 0; k < 2 + i->states; k++) a.at[k] = i->at[k];
  if (i->cell) a.cell = i->cell;
  else memcpy(a.number, i->number, sizeof a.number);
  return a;
}

/* Runs the plan in pieces, because a kernel's positions have 32 bits. */
static int run_strided(update_work *w, const update_item *i) {
  const gpu_kernel *k;
  int operands = 2 + i->states, st = find_kernel(w, i, false, &k);
  update_args a = make_args(i);
  plan flat;
  const plan *p = i->plan;
  if (!p) plan_contiguous(&flat, i->count, operands), p = &flat;
  int64_t pieces = gpu_plan_pieces(p, PLAN_MOST);
  for (int64_t n = 0; st == OK && n < pieces; n++) {
    gpu_plan piece;
    gpu_plan_piece(&piece, p, operands, PLAN_MOST, n);
    st = launch(w, k, (piece.count + UPDATE_THREADS - 1) / UPDATE_THREADS, (void *[]){&a, &piece});
  }
  return st;
}

/* Launches the parameters in w->list. */
static int run_list(update_work *w) {
  const gpu_kernel *k;
  if (w->list.count == 0) return OK;
  int st = find_kernel(w, w->last, true, &k);
  if (st == OK) st = launch(w, k, w->blocks, (void *[]){&w->list});
  w->list.count = 0;
  w->blocks = 0;
  return st;
}

/* Adds a parameter to w->list. First launches the list if it is full or has another rule. */
static int run_flat(update_work *w, const update_item *i) {
  int64_t each = (int64_t)UPDATE_THREADS * (16 / dtype_size(w->call->dtype));
  bool ends = w->list.count == UPDATE_PARAMETERS || (w->list.count > 0 && w->last->op != i->op);
  int st = ends ? run_list(w) : OK;
  if (st != OK) return st;
  update_args *a = &w->list.parameter[w->list.count++];
  *a = make_args(i);
  a->first = w->blocks;
  w->blocks += (uint32_t)((i->count + each - 1) / each);
  w->last = i;
  return OK;
}

static int update(gpu *g, const update_call *c) {
  update_work w = {.g = g, .call = c};
  int st = prepare(&w);
  for (int k = 0; st == OK && k < c->count; k++) {
    const update_item *i = &c->item[k];
    if (i->count > 0) st = is_flat(i) ? run_flat(&w, i) : run_strided(&w, i);
  }
  if (st == OK) st = run_list(&w);
  if (st == ERR_MEMORY && w.launched) return gpu_fail(g, "out of memory after a part of the parameters was updated");
  return st;
}

int gpu_update(int index, const update_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, update(g, c)) : st;
}
