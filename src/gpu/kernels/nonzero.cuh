/* Finds the positions of the true elements of a mask. count_true counts the true elements of each tile, scan_rows
** computes the exclusive prefix sum of the counts, and write_places writes the positions. If there are few tiles, the
** blocks of write_places add the counts themselves. */

#define KERNEL_THREADS 256
#include "gpu/kernels/prelude.cuh"

typedef uint64_t position;

#include "gpu/kernels/scan_rows.cuh"

enum { THREADS = 256, ITEMS = 16, TILE = THREADS * ITEMS };

/* Returns bits 0, 8, 16 and 24 as a number of four bits. The multiplication moves them to bits 24 … 27 of the
** product. */
INLINE unsigned four_bits(unsigned bytes) { return bytes * 0x01020408u >> 24 & 15; }

/* Returns the ITEMS mask elements of this thread, which are bytes of 0 or 1, as bits: bit j is element j. */
INLINE unsigned load_bits(const uint8_t *in, uint64_t n) {
  uint64_t first = (uint64_t)blockIdx.x * TILE + threadIdx.x * ITEMS;
  unsigned bits = 0;
  if (first + ITEMS <= n && (uint64_t)in % 16 == 0) {
    uint4 v = *(const uint4 *)(in + first);
    bits = four_bits(v.x) | four_bits(v.y) << 4 | four_bits(v.z) << 8 | four_bits(v.w) << 12;
  } else
    for (int j = 0; j < ITEMS; j++)
      if (first + j < n && in[first + j]) bits |= 1u << j;
  return bits;
}

KERNEL_COOPERATIVE(count_true)(const uint8_t *in, uint64_t n, position *counts) {
  unsigned total;
  scan_block_before<running_sum<unsigned>>((unsigned)__popc(load_bits(in, n)), &total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

struct nonzero_shape {
  int64_t ndim, length[16];
};

/* Writes the 1-based positions of the true elements. Row d of out [ndim, count] has the positions along dim d.
** starts[t] is the number of true elements before tile t or, if `few` is set, in tile t. In this case there are at most
** THREADS tiles. */
KERNEL_COOPERATIVE(write_places)(const uint8_t *in, uint64_t n, const __grid_constant__ nonzero_shape s,
                                 const position *starts, int few, int64_t *out, int64_t count) {
  __shared__ uint16_t found[TILE];
  position start;
  if (few) scan_block_before<running_sum<position>>(threadIdx.x < blockIdx.x ? starts[threadIdx.x] : (position)0, &start);
  else start = starts[blockIdx.x];
  unsigned bits = load_bits(in, n), total, at = scan_block_before<running_sum<unsigned>>((unsigned)__popc(bits), &total);
  for (; bits; bits &= bits - 1) found[at++] = (uint16_t)(threadIdx.x * ITEMS + __ffs((int)bits) - 1);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < total; k += THREADS) {
    uint64_t i = (uint64_t)blockIdx.x * TILE + found[k];
    int64_t *to = out + start + k;
    for (int d = (int)s.ndim - 1; d > 0; d--) {
      uint64_t length = (uint64_t)s.length[d], rest = (i | length) >> 32 ? i / length : (uint32_t)i / (uint32_t)length;
      to[d * count] = (int64_t)(i - rest * length) + 1;
      i = rest;
    }
    to[0] = (int64_t)i + 1;
  }
}
