/* Pooling. A thread computes one element of y from a window of x, or one element of x's gradient from all windows
** that contain the element. Windows are added in order, so that every run gives the same sums.
**   STORE  DT_float32 …: the dtype of x and y */

#define KERNEL_THREADS POOL_THREADS

#include "gpu/kernels/nn/pool_args.h"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<STORE>  stored;
typedef compute_t<STORE> C;

INLINE C load(const stored *p, int64_t i) { return element<STORE>::load(p[i]); }

/* ---- windows ---- */

/* The part of a window along one dim of x: elements first, first + step, first + 2 * step … that are less than `end`.
** `counted` is the number of elements by which an average divides. This number may include padding. */
struct window { int first, end, step, counted; };

INLINE int ceil_divide(int64_t a, int b) { return (int)((a + b - 1) / b); }

/* Returns the part of window p that is inside x, along dim d. */
INLINE window window_at(const pool_args &a, int d, int p) {
  if (a.adaptive) {
    int first = (int)((int64_t)p * a.in[d] / a.out[d]), end = ceil_divide((int64_t)(p + 1) * a.in[d], a.out[d]);
    return window{first, end, 1, end - first};
  }
  int first = p * a.stride[d] - a.pad[d], end = first + (a.kernel[d] - 1) * a.dilation[d] + 1, step = a.dilation[d];
  int padded = m_min(end, a.in[d] + a.pad[d]), counted = ceil_divide(padded - first, step);
  if (first < 0) first += ceil_divide(-first, step) * step;
  end = m_min(end, a.in[d]);
  return window{first, end, step, a.count_pad ? counted : ceil_divide(end - first, step)};
}

/* A range of windows along one dim, from window `first` to window `last`. windows_of returns the range of all windows
** that may contain element i of dim d. */
struct range { int first, last; };
INLINE range windows_of(const pool_args &a, int d, int i) {
  if (a.adaptive)
    return range{(int)((int64_t)i * a.out[d] / a.in[d]), ceil_divide((int64_t)(i + 1) * a.out[d], a.in[d]) - 1};
  int at = i + a.pad[d], before = at - (a.kernel[d] - 1) * a.dilation[d];
  return range{before > 0 ? ceil_divide(before, a.stride[d]) : 0, m_min(at / a.stride[d], a.out[d] - 1)};
}

/* True if window p of range windows_of(a, d, i) contains element i. A dilated window skips elements. */
INLINE bool holds(const pool_args &a, int d, int p, int i) {
  return a.adaptive || a.dilation[d] == 1 || (i + a.pad[d] - p * a.stride[d]) % a.dilation[d] == 0;
}

/* Returns the number by which the sum of a window is divided. */
INLINE C divisor_of(const pool_args &a, const window &rows, const window &columns) {
  return a.divisor ? (C)a.divisor : (C)rows.counted * (C)columns.counted;
}

/* The plane of a thread's element, the element's number in the plane, and its row and column. */
struct place { uint32_t plane, element; int row, column; };
INLINE place place_of(const pool_args &a, uint32_t i) {
  uint32_t plane = divide(i, a.line), at = i - plane * a.line.d, row = divide(at, a.width);
  return place{plane, at, (int)row, (int)(at - row * a.width.d)};
}

INLINE int64_t area(const int32_t (&length)[2]) { return (int64_t)length[0] * length[1]; }
INLINE const stored *x_plane(const pool_args &a, const place &at) { return (const stored *)a.x + at.plane * area(a.in); }
INLINE const stored *y_plane(const pool_args &a, const place &at) { return (const stored *)a.y + at.plane * area(a.out); }

/* ---- kernels ---- */

/* Finds the maximum of each window. Of equal maxima, the first is taken. NaN is greater than all numbers. Of several
** NaN, the last is taken. */
KERNEL(pool_max)(pool_args a) {
  uint32_t i = (uint32_t)grid_thread();
  if (i >= a.threads) return;
  place at = place_of(a, i);
  window rows = window_at(a, 0, at.row), columns = window_at(a, 1, at.column);
  const stored *x = x_plane(a, at);
  int best = rows.first * a.in[1] + columns.first;
  C most = load(x, best);
  for (int row = rows.first; row < rows.end; row += rows.step)
    for (int column = columns.first; column < columns.end; column += columns.step) {
      C v = load(x, row * a.in[1] + column);
      if (!(v > most || m_isnan(v))) continue;
      most = v;
      best = row * a.in[1] + column;
    }
  ((stored *)a.y)[i] = ((const stored *)x)[best];
  if (a.position) a.position[i] = best + 1;
}

KERNEL(pool_max_back)(pool_args a) {
  uint32_t i = (uint32_t)grid_thread();
  if (i >= a.threads) return;
  place at = place_of(a, i);
  range rows = windows_of(a, 0, at.row), columns = windows_of(a, 1, at.column);
  const stored *y = y_plane(a, at);
  const int32_t *position = a.position + at.plane * area(a.out);
  C sum = 0;
  for (int row = rows.first; row <= rows.last; row++)
    for (int column = columns.first; column <= columns.last; column++) {
      int p = row * a.out[1] + column;
      if (position[p] == (int)at.element + 1) sum += load(y, p);
    }
  ((stored *)a.x)[i] = convert<STORE, element<STORE>::compute>(sum);
}

KERNEL(pool_average)(pool_args a) {
  uint32_t i = (uint32_t)grid_thread();
  if (i >= a.threads) return;
  place at = place_of(a, i);
  window rows = window_at(a, 0, at.row), columns = window_at(a, 1, at.column);
  const stored *x = x_plane(a, at);
  C sum = 0;
  for (int row = rows.first; row < rows.end; row += rows.step)
    for (int column = columns.first; column < columns.end; column += columns.step) sum += load(x, row * a.in[1] + column);
  ((stored *)a.y)[i] = convert<STORE, element<STORE>::compute>(sum / divisor_of(a, rows, columns));
}

KERNEL(pool_average_back)(pool_args a) {
  uint32_t i = (uint32_t)grid_thread();
  if (i >= a.threads) return;
  place at = place_of(a, i);
  range rows = windows_of(a, 0, at.row), columns = windows_of(a, 1, at.column);
  const stored *y = y_plane(a, at);
  C sum = 0;
  for (int row = rows.first; row <= rows.last; row++) {
    if (!holds(a, 0, row, at.row)) continue;
    window down = window_at(a, 0, row);
    for (int column = columns.first; column <= columns.last; column++)
      if (holds(a, 1, column, at.column))
        sum += load(y, row * a.out[1] + column) / divisor_of(a, down, window_at(a, 1, column));
  }
  ((stored *)a.x)[i] = convert<STORE, element<STORE>::compute>(sum);
}
