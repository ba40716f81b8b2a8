#ifndef LT_MATH_CELL_H
#define LT_MATH_CELL_H

/* Forward and backward functions of one element of an LSTM or GRU cell's step, for every device. calls.h describes
** the step (cell_call). The including file defines REAL as float or double. */

#include "math/scalar.h"

typedef struct lstm { REAL i, f, g, o, c, h; } lstm;
INLINE lstm lstm_forward(REAL i, REAL f, REAL g, REAL o, REAL before) {
  lstm s;
  s.i = m_sigmoid(i);
  s.f = m_sigmoid(f);
  s.g = m_tanh(g);
  s.o = m_sigmoid(o);
  s.c = s.f * before + s.i * s.g;
  s.h = s.o * m_tanh(s.c);
  return s;
}

/* Returns gradients, where dh and dc are the gradients of h and c. Fields i, f, g and o have the gradients of
** lstm_forward's arguments i, f, g and o. Field c has the gradient of the cell state `before`. Field h is 0. */
INLINE lstm lstm_backward(lstm s, REAL before, REAL dh, REAL dc) {
  REAL t = m_tanh(s.c), all = dc + dh * s.o * ((REAL)1 - t * t);
  lstm d;
  d.i = all * s.g * s.i * ((REAL)1 - s.i);
  d.f = all * before * s.f * ((REAL)1 - s.f);
  d.g = all * s.i * ((REAL)1 - s.g * s.g);
  d.o = dh * t * s.o * ((REAL)1 - s.o);
  d.c = all * s.f;
  d.h = 0;
  return d;
}

typedef struct gru { REAL r, z, n, h, other; } gru;
INLINE gru gru_forward(REAL r, REAL z, REAL n, REAL other_r, REAL other_z, REAL other_n, REAL before) {
  gru s;
  s.r = m_sigmoid(r + other_r);
  s.z = m_sigmoid(z + other_z);
  s.n = m_tanh(n + s.r * other_n);
  s.h = s.n + s.z * (before - s.n);
  s.other = other_n;
  return s;
}

/* Returns gradients, where dh is the gradient of the new state. Fields r, z and n have the gradients of gru_forward's
** arguments r, z and n. Field h has the gradient of the state `before`, except for the part that flows through the
** gates. Field `other` has the gradient of other_n. */
INLINE gru gru_backward(gru s, REAL before, REAL dh) {
  gru d;
  d.n = dh * ((REAL)1 - s.z) * ((REAL)1 - s.n * s.n);
  d.z = dh * (before - s.n) * s.z * ((REAL)1 - s.z);
  d.r = d.n * s.other * s.r * ((REAL)1 - s.r);
  d.other = d.n * s.r;
  d.h = dh * s.z;
  return d;
}

#endif
