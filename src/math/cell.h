#ifndef LT_MATH_CELL_H
#define LT_MATH_CELL_H

/* One element of a recurrent cell's step, forward and back: what cell_call of calls.h says, for every device. */

#include "math/scalar.h"

#define CELL_MATH(D, T, ...)                                                                              \
  typedef struct lstm_##D { T i, f, g, o, c, h; } lstm_##D;                                                \
  INLINE lstm_##D lstm_step_##D(T i, T f, T g, T o, T before) {                                           \
    lstm_##D s;                                                                                           \
    s.i = m_sigmoid(i);                                                                                   \
    s.f = m_sigmoid(f);                                                                                   \
    s.g = m_tanh(g);                                                                                      \
    s.o = m_sigmoid(o);                                                                                   \
    s.c = s.f * before + s.i * s.g;                                                                       \
    s.h = s.o * m_tanh(s.c);                                                                              \
    return s;                                                                                             \
  }                                                                                                       \
  /* Gradients: of the sums that the gates were made of; c: of the cell before. */                        \
  INLINE lstm_##D lstm_back_##D(lstm_##D s, T before, T dh, T dc) {                                       \
    T t = m_tanh(s.c), all = dc + dh * s.o * ((T)1 - t * t);                                              \
    lstm_##D d;                                                                                           \
    d.i = all * s.g * s.i * ((T)1 - s.i);                                                                 \
    d.f = all * before * s.f * ((T)1 - s.f);                                                              \
    d.g = all * s.i * ((T)1 - s.g * s.g);                                                                 \
    d.o = dh * t * s.o * ((T)1 - s.o);                                                                    \
    d.c = all * s.f;                                                                                      \
    d.h = 0;                                                                                              \
    return d;                                                                                             \
  }                                                                                                       \
  typedef struct gru_##D { T r, z, n, h, other; } gru_##D;                                                \
  INLINE gru_##D gru_step_##D(T r, T z, T n, T other_r, T other_z, T other_n, T before) {                 \
    gru_##D s;                                                                                            \
    s.r = m_sigmoid(r + other_r);                                                                         \
    s.z = m_sigmoid(z + other_z);                                                                         \
    s.n = m_tanh(n + s.r * other_n);                                                                      \
    s.h = s.n + s.z * (before - s.n);                                                                     \
    s.other = other_n;                                                                                    \
    return s;                                                                                             \
  }                                                                                                       \
  /* The same; h: of h before, by this step alone; other: of the sum of h that n takes. */                \
  INLINE gru_##D gru_back_##D(gru_##D s, T before, T dh) {                                                \
    gru_##D d;                                                                                            \
    d.n = dh * ((T)1 - s.z) * ((T)1 - s.n * s.n);                                                         \
    d.z = dh * (before - s.n) * s.z * ((T)1 - s.z);                                                       \
    d.r = d.n * s.other * s.r * ((T)1 - s.r);                                                             \
    d.other = d.n * s.r;                                                                                  \
    d.h = dh * s.z;                                                                                       \
    return d;                                                                                             \
  }

EACH_REALFLOAT(CELL_MATH, )

#endif
