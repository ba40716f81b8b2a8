/* Elements moved through index tensors: x[indices], x[indices] = values. UNIT: the bytes that are moved at a time, of
** one element, or of several where rows are contiguous. */

#include "index.cuh"

template <int bytes> struct unit_of;
template <> struct unit_of<1> { typedef uint8_t type; };
template <> struct unit_of<2> { typedef uint16_t type; };
template <> struct unit_of<4> { typedef uint32_t type; };
template <> struct unit_of<8> { typedef uint64_t type; };
struct alignas(16) words { uint64_t low, high; };
template <> struct unit_of<16> { typedef words type; };
typedef unit_of<UNIT>::type unit;

enum { EACH = UNIT >= 8 ? 2 : 4 };        /* a thread's: so many misses at a time */

/* What is out of range is 0, and reported. */
KERNEL(get)(const __grid_constant__ index_plan p, const unit *target, unit *values) {
  position first = (position)blockIdx.x * (blockDim.x * EACH) + threadIdx.x;
  place at[EACH];
  bool fits[EACH];
  unit moved[EACH] = {};
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    position i = first + k * blockDim.x;
    fits[k] = i < p.count;
    if (fits[k]) at[k] = walk(p, (int)p.ndim, i);
    if (fits[k]) fits[k] = look_up(p, at[k]);
  }
#pragma unroll
  for (int k = 0; k < EACH; k++)
    if (fits[k]) moved[k] = target[at[k].side[SIDE_TARGET]];
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    if (first + k * blockDim.x >= p.count) continue;
    values[at[k].side[SIDE_VALUE]] = moved[k];
    if (!fits[k]) complain(p, at[k]);
  }
}

/* All indices were looked at before. elected: by key, which pick + 1 is the last of those that put there; NULL: it
** does not matter, or no two do. */
KERNEL(put)(const __grid_constant__ index_plan p, unit *target, const unit *values, const position *elected) {
  position first = (position)blockIdx.x * (blockDim.x * EACH) + threadIdx.x;
  if (p.late->set) return;
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    position i = first + k * blockDim.x;
    if (i >= p.count) continue;
    place at = walk(p, (int)p.ndim, i);
    look_up(p, at);
    if (elected && elected[at.side[SIDE_KEY]] != at.side[SIDE_PICK] + 1) continue;
    target[at.side[SIDE_TARGET]] = values[at.side[SIDE_VALUE]];
  }
}
