/* Inner loops of recurrent cells, for rows first … last - 1 of a call. cell_float32.c and cell_float64.c define REAL
** and include this file. math/cell.h computes a single element. */

#include "cpu/cpu.h"
#include "math/cell.h"

/* The address of row i of an operand of the call. */
#define ROW(operand) ((REAL *)c->at[CELL_##operand].data + i * c->at[CELL_##operand].row)

static void lstm_rows(const cell_call *c, int64_t first, int64_t last) {
  const int64_t n = c->width;
  for (int64_t i = first; i < last; i++) {
    REAL *gates = ROW(gates), *to_c = ROW(c), *to_h = ROW(h);
    const REAL *before = ROW(before);
    #pragma omp simd
    for (int64_t j = 0; j < n; j++) {
      lstm s = lstm_forward(gates[j], gates[n + j], gates[2 * n + j], gates[3 * n + j], before[j]);
      gates[j] = s.i;
      gates[n + j] = s.f;
      gates[2 * n + j] = s.g;
      gates[3 * n + j] = s.o;
      to_c[j] = s.c;
      to_h[j] = s.h;
    }
  }
}

static void lstm_back_rows(const cell_call *c, int64_t first, int64_t last) {
  const int64_t n = c->width;
  for (int64_t i = first; i < last; i++) {
    const REAL *gates = ROW(gates), *before = ROW(before), *cell = ROW(c);
    const REAL *dy = ROW(dy), *dh = ROW(dh);
    REAL *dc = ROW(dc), *to = ROW(dgates);
    const bool has_y = c->at[CELL_dy].data, has_h = c->at[CELL_dh].data;
    #pragma omp simd
    for (int64_t j = 0; j < n; j++) {
      lstm s = {gates[j], gates[n + j], gates[2 * n + j], gates[3 * n + j], cell[j], 0};
      REAL sum = (has_y ? dy[j] : 0) + (has_h ? dh[j] : 0);
      lstm d = lstm_backward(s, before[j], sum, dc[j]);
      to[j] = d.i;
      to[n + j] = d.f;
      to[2 * n + j] = d.g;
      to[3 * n + j] = d.o;
      dc[j] = d.c;
    }
  }
}

static void gru_rows(const cell_call *c, int64_t first, int64_t last) {
  const int64_t n = c->width;
  for (int64_t i = first; i < last; i++) {
    REAL *gates = ROW(gates), *to_h = ROW(h);
    const REAL *before = ROW(before), *other = ROW(other);
    #pragma omp simd
    for (int64_t j = 0; j < n; j++) {
      gru s = gru_forward(gates[j], gates[n + j], gates[2 * n + j], other[j], other[n + j],
                          other[2 * n + j], before[j]);
      gates[j] = s.r;
      gates[n + j] = s.z;
      gates[2 * n + j] = s.n;
      to_h[j] = s.h;
    }
  }
}

static void gru_back_rows(const cell_call *c, int64_t first, int64_t last) {
  const int64_t n = c->width;
  for (int64_t i = first; i < last; i++) {
    const REAL *gates = ROW(gates), *before = ROW(before);
    const REAL *other = ROW(other), *dy = ROW(dy);
    REAL *dh = ROW(dh), *to = ROW(dgates), *to_other = ROW(dother);
    const bool has_y = c->at[CELL_dy].data;
    #pragma omp simd
    for (int64_t j = 0; j < n; j++) {
      gru s = {gates[j], gates[n + j], gates[2 * n + j], 0, other[2 * n + j]};
      gru d = gru_backward(s, before[j], (has_y ? dy[j] : 0) + dh[j]);
      to[j] = to_other[j] = d.r;
      to[n + j] = to_other[n + j] = d.z;
      to[2 * n + j] = d.n;
      to_other[2 * n + j] = d.other;
      dh[j] = d.h;
    }
  }
}

const cell_table ISA_NAME(TABLE) = {{[CELL_lstm] = lstm_rows, [CELL_lstm_back] = lstm_back_rows,
                                     [CELL_gru] = gru_rows, [CELL_gru_back] = gru_back_rows}};
