/* Updates of parameters in place: the functions check the operands, plan the loops, and call the device. */

#include "op/nn/update.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"

const update_info update_rows[UPDATE_COUNT] = {
#define UPDATE0(name, n, ...)          [UPDATE_##name] = {#name, n, 0, {NULL}},
#define UPDATE1(name, n, s, ...)       [UPDATE_##name] = {#name, n, 1, {#s}},
#define UPDATE2(name, n, s, t, ...)    [UPDATE_##name] = {#name, n, 2, {#s, #t}},
#define UPDATE3(name, n, s, t, u, ...) [UPDATE_##name] = {#name, n, 3, {#s, #t, #u}},
#include "update.def"
};

int op_update_check(tensor *const *at, int operands, bool *flat) {
  *flat = true;
  for (int k = 0; k < operands; k++) {
    bool contiguous = tensor_is_contiguous(at[k]);
    if (!contiguous) *flat = false;
    if (k == 1) continue;
    if (!contiguous && tensor_is_overlapping(at[k])) return ERR_READONLY;
    if (at[k]->store == at[1]->store && tensor_conflicts(at[k], at[1])) return ERR_OVERLAP;
  }
  return OK;
}

static void make_plan(plan *p, tensor *const *at, int operands, bool flat) {
  if (!flat) {
    plan_init(p, &at[0]->shape);
    for (int k = 0; k < operands; k++) plan_operand(p, k, at[k]->stride);
    plan_collapse(p, operands);
    return;
  }
  p->ndim = 1;
  p->count = p->shape[0] = at[0]->count;
  for (int k = 0; k < operands; k++) p->stride[k][0] = 1;
}

/* ---- graphs ---- */

static _Thread_local update_cells *captured, *collected;

void update_capture(update_cells *c) { captured = c; }
int  update_captured(void)           { return captured ? captured->count : 0; }

static int add_block(update_cells *c) {
  update_block *more = realloc(c->block, (size_t)(c->nblock + 1) * sizeof *more);
  if (!more) return ERR_MEMORY;
  c->block = more;
  void *memory;
  int st = c->where.device->graphs->alloc_apart(c->where.index, sizeof more->now, &memory);
  if (st == OK) c->block[c->nblock++].memory = memory;
  return st;
}

/* Adds a cell for an update to the graph that this thread captures. Sets *cell to the cell's address, or to NULL if this
** thread captures no graph there. */
static int add_cell(enum update_op op, tensor *const *operand, const double **cell) {
  update_cells *c = captured;
  *cell = NULL;
  if (!c || !place_equal(c->where, operand[0]->store->place)) return OK;
  int at = c->count % UPDATE_CELLS, st = c->count == c->nblock * UPDATE_CELLS ? add_block(c) : OK;
  if (st != OK) return st;
  update_block *b = &c->block[c->nblock - 1];
  b->cell[at] = (struct update_cell){.op = op};
  for (int k = 0; k < 2 + update_rows[op].states; k++) b->cell[at].at[k] = k == 1 ? NULL : tensor_data(operand[k]);
  *cell = b->memory[at];
  c->count++;
  return OK;
}

void update_collect(update_cells *c) {
  if (c) c->given = 0;
  collected = c;
}

bool update_is_collecting(void) { return collected != NULL; }

bool update_give(enum update_op op, tensor *const *at, const double *number) {
  update_cells *c = collected;
  if (c->given == c->count) return false;
  update_block *b = &c->block[c->given / UPDATE_CELLS];
  int i = c->given % UPDATE_CELLS;
  if (b->cell[i].op != op) return false;
  for (int k = 0; k < 2 + update_rows[op].states; k++)
    if (k != 1 && b->cell[i].at[k] != tensor_data(at[k])) return false;
  memcpy(b->now[i], number, sizeof b->now[i]);
  c->given++;
  return true;
}

int update_send(const update_cells *c) {
  int st = OK;
  for (int k = 0; st == OK && k < c->nblock; k++) {
    const update_block *b = &c->block[k];
    int rest = c->count - k * UPDATE_CELLS, n = rest < UPDATE_CELLS ? rest : UPDATE_CELLS;
    st = device_copy_in(c->where, b->memory, b->now, (size_t)n * sizeof *b->now);
  }
  return st;
}

void update_cells_forget(update_cells *c) {
  free(c->block);
  *c = (update_cells){.where = c->where};
}

void update_cells_free(update_cells *c) {
  for (int k = 0; k < c->nblock; k++)
    c->where.device->free(c->where.index, c->block[k].memory, sizeof c->block[k].now);
  update_cells_forget(c);
}

/* ---- updates ---- */

int op_update(enum update_op op, tensor *const *at, const double *number) {
  int states = update_rows[op].states, operands = 2 + states;
  place where = at[0]->store->place;
  const double *cell;
  bool flat;
  int st = op_update_check(at, operands, &flat);
  if (st == OK) st = add_cell(op, at, &cell);
  if (st != OK || at[0]->count == 0) return st;
  plan p;
  make_plan(&p, at, operands, flat);
  update_call c = {.op = op, .dtype = at[0]->dtype, .states = states, .plan = &p};
  for (int k = 0; k < operands; k++) c.at[k] = tensor_data(at[k]);
  memcpy(c.number, number, sizeof c.number);
  c.cell = cell;
  st = device_update(where, &c);
  for (int k = 0; st == OK && k < operands; k++)
    if (k != 1) at[k]->store->version++;
  return st;
}
