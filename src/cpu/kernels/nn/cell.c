/* Inner loops of recurrent cells: rows first … last - 1 of a call. math/cell.h says what an element is. */

#include "cpu/cpu.h"
#include "math/cell.h"

#define ROW(T, operand) ((T *)c->at[CELL_##operand].data + i * c->at[CELL_##operand].row)

#define CELL_LOOPS(D, T, ...)                                                                             \
  static void lstm_##D##_rows(const cell_call *c, int64_t first, int64_t last) {                          \
    const int64_t n = c->width;                                                                           \
    for (int64_t i = first; i < last; i++) {                                                              \
      T *gates = ROW(T, gates), *to_c = ROW(T, c), *to_h = ROW(T, h);                                     \
      const T *before = ROW(const T, before);                                                             \
      _Pragma("omp simd")                                                                                 \
      for (int64_t j = 0; j < n; j++) {                                                                   \
        lstm_##D s = lstm_step_##D(gates[j], gates[n + j], gates[2 * n + j], gates[3 * n + j], before[j]); \
        gates[j] = s.i;                                                                                   \
        gates[n + j] = s.f;                                                                               \
        gates[2 * n + j] = s.g;                                                                           \
        gates[3 * n + j] = s.o;                                                                           \
        to_c[j] = s.c;                                                                                    \
        to_h[j] = s.h;                                                                                    \
      }                                                                                                   \
    }                                                                                                     \
  }                                                                                                       \
  static void lstm_back_##D##_rows(const cell_call *c, int64_t first, int64_t last) {                     \
    const int64_t n = c->width;                                                                           \
    for (int64_t i = first; i < last; i++) {                                                              \
      const T *gates = ROW(const T, gates), *before = ROW(const T, before), *cell = ROW(const T, c);      \
      const T *dy = ROW(const T, dy), *dh = ROW(const T, dh);                                             \
      T *dc = ROW(T, dc), *to = ROW(T, dgates);                                                           \
      const bool has_y = c->at[CELL_dy].data, has_h = c->at[CELL_dh].data;                                \
      _Pragma("omp simd")                                                                                 \
      for (int64_t j = 0; j < n; j++) {                                                                   \
        lstm_##D s = {gates[j], gates[n + j], gates[2 * n + j], gates[3 * n + j], cell[j], 0};            \
        T sum = (has_y ? dy[j] : 0) + (has_h ? dh[j] : 0);                                                \
        lstm_##D d = lstm_back_##D(s, before[j], sum, dc[j]);                                             \
        to[j] = d.i;                                                                                      \
        to[n + j] = d.f;                                                                                  \
        to[2 * n + j] = d.g;                                                                              \
        to[3 * n + j] = d.o;                                                                              \
        dc[j] = d.c;                                                                                      \
      }                                                                                                   \
    }                                                                                                     \
  }                                                                                                       \
  static void gru_##D##_rows(const cell_call *c, int64_t first, int64_t last) {                           \
    const int64_t n = c->width;                                                                           \
    for (int64_t i = first; i < last; i++) {                                                              \
      T *gates = ROW(T, gates), *to_h = ROW(T, h);                                                        \
      const T *before = ROW(const T, before), *other = ROW(const T, other);                               \
      _Pragma("omp simd")                                                                                 \
      for (int64_t j = 0; j < n; j++) {                                                                   \
        gru_##D s = gru_step_##D(gates[j], gates[n + j], gates[2 * n + j], other[j], other[n + j],        \
                                 other[2 * n + j], before[j]);                                            \
        gates[j] = s.r;                                                                                   \
        gates[n + j] = s.z;                                                                               \
        gates[2 * n + j] = s.n;                                                                           \
        to_h[j] = s.h;                                                                                    \
      }                                                                                                   \
    }                                                                                                     \
  }                                                                                                       \
  static void gru_back_##D##_rows(const cell_call *c, int64_t first, int64_t last) {                      \
    const int64_t n = c->width;                                                                           \
    for (int64_t i = first; i < last; i++) {                                                              \
      const T *gates = ROW(const T, gates), *before = ROW(const T, before);                               \
      const T *other = ROW(const T, other), *dy = ROW(const T, dy);                                       \
      T *dh = ROW(T, dh), *to = ROW(T, dgates), *to_other = ROW(T, dother);                               \
      const bool has_y = c->at[CELL_dy].data;                                                             \
      _Pragma("omp simd")                                                                                 \
      for (int64_t j = 0; j < n; j++) {                                                                   \
        gru_##D s = {gates[j], gates[n + j], gates[2 * n + j], 0, other[2 * n + j]};                      \
        gru_##D d = gru_back_##D(s, before[j], (has_y ? dy[j] : 0) + dh[j]);                              \
        to[j] = to_other[j] = d.r;                                                                        \
        to[n + j] = to_other[n + j] = d.z;                                                                \
        to[2 * n + j] = d.n;                                                                              \
        to_other[2 * n + j] = d.other;                                                                    \
        dh[j] = d.h;                                                                                      \
      }                                                                                                   \
    }                                                                                                     \
  }

EACH_REALFLOAT(CELL_LOOPS, )

#define ENTRY(D, T, name) [DT_##D] = name##_##D##_rows,
#define ENTRIES(name) [CELL_##name] = {EACH_REALFLOAT(ENTRY, name)}
const cell_table ISA_NAME(cell_table) = {{ENTRIES(lstm), ENTRIES(lstm_back), ENTRIES(gru), ENTRIES(gru_back)}};
