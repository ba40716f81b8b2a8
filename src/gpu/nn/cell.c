/* Launches the kernels for steps of recurrent cells (kernels/nn/cell.cuh). */

#include <stdio.h>

#include "gpu/gpu.h"
#include "gpu/kernels/nn/cell_args.h"

enum { THREADS = 256 };
_Static_assert((int)CELL_ARGS == (int)CELL_OPERANDS && (int)CELL_ARG_dother == (int)CELL_dother, "ORDER enum cell_operand");

static const char *const entries[CELL_COUNT] = {
  [CELL_lstm] = "lstm_step", [CELL_lstm_back] = "lstm_back", [CELL_gru] = "gru_step", [CELL_gru_back] = "gru_back"
};

static int get_kernel(gpu *g, const cell_call *c, const gpu_kernel **k) {
  uint64_t key = GPU_KEY(GPU_cell, c->op, c->dtype, 0, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "cell.cuh", .entry = entries[c->op]};
  gpu_define(&s, "D=%s", dtypes[c->dtype].name);
  snprintf(s.name, sizeof s.name, "%s %s", entries[c->op], dtypes[c->dtype].name);
  return gpu_build(g, key, &s, k);
}

static int cell(gpu *g, const cell_call *c) {
  const gpu_kernel *k;
  cell_args a = {.rows = c->rows, .width = c->width};
  int st = get_kernel(g, c, &k);
  if (st != OK) return st;
  for (int i = 0; i < CELL_ARGS; i++) {
    a.data[i] = c->at[i].data;
    a.row[i] = c->at[i].row;
    if (!a.data[i]) continue;
    gpu_reads(g, a.data[i]);
    /* declares every operand as written, even an operand that the kernel only reads: one launch accesses all operands,
    ** so the distinction gains nothing */
    gpu_writes(g, a.data[i]);
  }
  return gpu_launch(g, k, (unsigned)((c->rows * c->width + THREADS - 1) / THREADS), THREADS, 0, (void *[]){&a});
}

int gpu_cell(int index, const cell_call *c) {
  gpu *g;
  if (!dtype_in_class(c->dtype, CLASS_REALFLOAT) || dtype_compute(c->dtype) != c->dtype) return ERR_NO_KERNEL;
  if (c->rows * c->width == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, cell(g, c)) : st;
}
