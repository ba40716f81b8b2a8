/* Copies elements through index tensors: values = x[indices] (get) and x[indices] = values (put). UNIT is the number
** of bytes that are copied at a time: one element, or several if rows are contiguous. */

#define KERNEL_THREADS 256
#include "gpu/kernels/index.cuh"

template <int bytes> struct unit_of;
template <> struct unit_of<1> { typedef uint8_t type; };
template <> struct unit_of<2> { typedef uint16_t type; };
template <> struct unit_of<4> { typedef uint32_t type; };
template <> struct unit_of<8> { typedef uint64_t type; };
struct alignas(16) words { uint64_t low, high; };
template <> struct unit_of<16> { typedef words type; };
typedef unit_of<UNIT>::type unit;

enum { EACH = DIMS > 4 ? 1 : UNIT >= 8 ? 2 : 4 };        /* number of positions that a thread processes, which is also
                                                         ** the number of its cache misses in flight */

/* Returns the number of the k-th position (0-based) that this thread processes. If the number would be beyond the
** last position, returns the last position. */
INLINE position nth_position(const index_plan &p, int k) {
  position i = (position)blockIdx.x * (blockDim.x * EACH) + threadIdx.x + k * blockDim.x;
  return i < p.count ? i : (position)p.count - 1;
}

INLINE void locate_each(const index_plan &p, place (&at)[EACH], bool (&fits)[EACH]) {
#pragma unroll
  for (int k = 0; k < EACH; k++) at[k] = walk(p, (int)p.ndim, nth_position(p, k));
  look_up(p, at, fits);
}

/* Copies target elements to `values`. If an index is out of range, the value is set to 0 and the error is
** reported. */
KERNEL(get)(const __grid_constant__ index_plan first, const unit *target, unit *values) {
  const index_plan &p = in_place(first);
  place at[EACH];
  bool fits[EACH];
  unit moved[EACH] = {};
  locate_each(p, at, fits);
#pragma unroll
  for (int k = 0; k < EACH; k++)
    if (fits[k]) moved[k] = target[at[k].side[SIDE_TARGET]];
#pragma unroll
  for (int k = 0; k < EACH; k++) values[at[k].side[SIDE_VALUE]] = moved[k];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    if (!fits[k]) complain(p, (int)p.ndim, nth_position(p, k));
}

/* Copies `values` to target elements. All indices have been checked. elected[key] is 1 + the last pick with this key,
** and only this pick is written. If `elected` is NULL, all picks are written. */
KERNEL(put)(const __grid_constant__ index_plan p, unit *target, const unit *values, const position *elected) {
  place at[EACH];
  bool goes[EACH];
  if (p.late->set) return;
  locate_each(p, at, goes);
#pragma unroll
  for (int k = 0; k < EACH; k++)
    if (elected) goes[k] = elected[at[k].side[SIDE_KEY]] == at[k].side[SIDE_PICK] + 1;
#pragma unroll
  for (int k = 0; k < EACH; k++)
    if (goes[k]) target[at[k].side[SIDE_TARGET]] = values[at[k].side[SIDE_VALUE]];
}
