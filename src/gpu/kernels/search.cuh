/* The positions of values in sorted rows. D is the dtype of both. */

#include "gpu/kernels/typed.cuh"

typedef PASTE(type, D) element;

/* NaN is greater than all numbers. */
INLINE bool sorts_before(element a, element b) { return a < b || (b != b && a == a); }

/* out[i] = 1 + the number of the row's n elements that are before values[i], or (right) not after values[i] */
KERNEL(search)(const element *sorted, const element *values, int64_t *out, int64_t n, int64_t count, int64_t rows,
               int right) {
  int64_t i = (int64_t)grid_thread();
  if (i >= rows * count) return;
  const element *row = sorted + (rows > 1 ? i / count * n : 0);
  element v = values[i];
  int64_t first = 0;
  for (int64_t left = n; left > 0;) {
    int64_t half = (left + 1) / 2;
    element x = row[first + half - 1];
    if (right ? !sorts_before(v, x) : sorts_before(x, v)) first += half;
    left -= half;
  }
  out[i] = first + 1;
}
