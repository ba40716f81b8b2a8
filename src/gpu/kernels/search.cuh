/* Finds the positions at which values would be inserted in sorted rows (searchsorted). D is the dtype of the rows and
** values. */

#define KERNEL_THREADS 256
#include "gpu/kernels/typed.cuh"

typedef PASTE(type, D) element;

/* True if a is before b in the order of the rows. NaN is greater than all numbers. */
INLINE bool sorts_before(element a, element b) { return a < b || (b != b && a == a); }

/* Sets out[i] to the 1-based position of the first element of its row that is not less than values[i] or, if `right` is
** set, that is greater. Sets out[i] to n + 1 if there is none. A row has n elements. */
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
