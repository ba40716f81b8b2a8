/* Finds the lower or upper bounds of values in sorted rows (searchsorted). D is the dtype of the rows and values. */

#include "gpu/kernels/typed.cuh"

typedef PASTE(type, D) element;

/* True if a is before b in the order of the rows. NaN is greater than all numbers. */
INLINE bool sorts_before(element a, element b) { return a < b || (b != b && a == a); }

/* Sets out[i] to the 1-based lower bound of values[i] in the value's row, which has n elements. If `right` is set, sets
** out[i] to the upper bound instead. */
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
