/* Kernels for steps of recurrent cells. Each element of the state has a thread. D is the dtype. lstm_step and
** gru_step compute the ops CELL_lstm and CELL_gru. cell_call (base/calls.h) describes the ops and their operands. */

#define KERNEL_THREADS 256
#include "gpu/kernels/typed.cuh"
#include "gpu/kernels/nn/cell_args.h"

typedef PASTE(type, D) T;

#define REAL T
#include "math/cell.h"

/* Returns the address of this thread's element of operand k, or NULL if the call does not have the operand. */
INLINE T *at(const cell_args &a, int k, int64_t row, int64_t j) {
  return a.data[k] ? (T *)a.data[k] + row * a.row[k] + j : (T *)0;
}

#define ELEMENT                                             \
  int64_t e = (int64_t)grid_thread(), n = a.width;          \
  if (e >= a.rows * n) return;                              \
  int64_t row = e / n, j = e % n;                           \
  T *gates = at(a, CELL_ARG_gates, row, j)

KERNEL(lstm_step)(cell_args a) {
  ELEMENT;
  lstm s = lstm_forward(gates[0], gates[n], gates[2 * n], gates[3 * n], *at(a, CELL_ARG_before, row, j));
  gates[0] = s.i;
  gates[n] = s.f;
  gates[2 * n] = s.g;
  gates[3 * n] = s.o;
  *at(a, CELL_ARG_c, row, j) = s.c;
  *at(a, CELL_ARG_h, row, j) = s.h;
}

KERNEL(lstm_back)(cell_args a) {
  ELEMENT;
  lstm s = {gates[0], gates[n], gates[2 * n], gates[3 * n], *at(a, CELL_ARG_c, row, j), 0};
  const T *dy = at(a, CELL_ARG_dy, row, j), *dh = at(a, CELL_ARG_dh, row, j);
  T *dc = at(a, CELL_ARG_dc, row, j), *to = at(a, CELL_ARG_dgates, row, j);
  lstm d = lstm_backward(s, *at(a, CELL_ARG_before, row, j), (dy ? *dy : 0) + (dh ? *dh : 0), *dc);
  to[0] = d.i;
  to[n] = d.f;
  to[2 * n] = d.g;
  to[3 * n] = d.o;
  *dc = d.c;
}

KERNEL(gru_step)(cell_args a) {
  ELEMENT;
  const T *other = at(a, CELL_ARG_other, row, j);
  gru s = gru_forward(gates[0], gates[n], gates[2 * n], other[0], other[n], other[2 * n],
                      *at(a, CELL_ARG_before, row, j));
  gates[0] = s.r;
  gates[n] = s.z;
  gates[2 * n] = s.n;
  *at(a, CELL_ARG_h, row, j) = s.h;
}

KERNEL(gru_back)(cell_args a) {
  ELEMENT;
  gru s = {gates[0], gates[n], gates[2 * n], 0, at(a, CELL_ARG_other, row, j)[2 * n]};
  const T *dy = at(a, CELL_ARG_dy, row, j);
  T *dh = at(a, CELL_ARG_dh, row, j), *to = at(a, CELL_ARG_dgates, row, j), *other = at(a, CELL_ARG_dother, row, j);
  gru d = gru_backward(s, *at(a, CELL_ARG_before, row, j), (dy ? *dy : 0) + *dh);
  to[0] = other[0] = d.r;
  to[n] = other[n] = d.z;
  to[2 * n] = d.n;
  other[2 * n] = d.other;
  *dh = d.h;
}
