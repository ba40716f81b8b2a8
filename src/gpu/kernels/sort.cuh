/* A stable radix sort of lines of n (key, value) pairs. Each line is sorted separately. Each pass sorts by 8 bits of
** the key, the least significant bits first. A pass has three kernels. count_digits counts each of the 256 digits in
** each tile of a line. scan_rows computes the exclusive prefix sum of each digit's counts over the tiles. deal moves
** the pairs to their places. KEY_BITS and VALUE_BITS are 32 or 64.
**
** Short lines would leave most of the time to launches, so FEW is defined as 1 for them. A pass then has one kernel,
** deal_few: each block adds the counts of the tiles itself, and counts the digits of the next pass. */

#define KERNEL_THREADS 256
#include "gpu/kernels/prelude.cuh"

template <int bits> struct word_of { typedef uint32_t type; };
template <> struct word_of<64> { typedef uint64_t type; };
typedef word_of<KEY_BITS>::type key;
typedef word_of<VALUE_BITS>::type position;      /* the type of values and of counts */

#include "gpu/kernels/scan_rows.cuh"

enum {
  DIGITS  = 256,
  THREADS = DIGITS,                 /* each thread processes one digit in place_digits */
  WARPS   = THREADS / WARP,
  ITEMS   = FEW ? 8 : 64 / sizeof(key),      /* number of elements of a thread; the keys of a tile have 16 KiB
                                                   ** for both sizes of keys, or fewer to get more blocks */
  TILE    = THREADS * ITEMS
};

INLINE int digit_of(key k, int shift) { return (int)(k >> shift) & (DIGITS - 1); }

/* Returns the number of keys in a tile of a line of n keys that have this thread's digit. */
INLINE unsigned count_tile(const key *keys, uint64_t n, uint64_t tile, int shift) {
  __shared__ unsigned count[DIGITS];
  uint64_t first = tile * TILE + threadIdx.x;
  count[threadIdx.x] = 0;
  __syncthreads();
  for (int j = 0; j < ITEMS; j++) {
    uint64_t i = first + (uint64_t)j * THREADS;
    if (i < n) atomicAdd(&count[digit_of(keys[i], shift)], 1u);
  }
  __syncthreads();
  return count[threadIdx.x];
}

/* Sets counts[line][digit][tile] to the number of keys in this tile that have this digit. */
KERNEL_COOPERATIVE(count_digits)(const key *keys, uint64_t n, unsigned tiles, int shift, position *counts) {
  uint64_t line = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  counts[(line * DIGITS + threadIdx.x) * tiles + tile] = count_tile(keys + line * n, n, tile, shift);
}

/* Returns a bit mask of the lanes in this warp that have the same digit as this lane. */
INLINE lane_mask lanes_alike(int digit) {
  lane_mask alike = LANE_MASK_ALL;
  for (int b = 0; b < 8; b++) {
    lane_mask set = ballot(digit >> b & 1);
    alike &= digit >> b & 1 ? set : ~set;
  }
  return alike;
}

/* Returns the number of this warp's elements with this digit that were counted in earlier calls or belong to lower
** lanes. Adds the number of lanes with this digit to the warp's counter count[digit]. */
INLINE unsigned count_before(unsigned *count, int digit) {
  lane_mask alike = lanes_alike(digit), below = alike & (((lane_mask)1 << lane_in_warp()) - 1);
  unsigned before = count[digit];
  wait_for_warp();
  if (below == 0) count[digit] = before + count_lanes(alike);
  wait_for_warp();
  return before + count_lanes(below);
}

/* Computes the places of the pairs with digit d, where d is the number of the thread. `before` is the count of digit d
** in the tiles before this tile, and `total` is its count in the line. Replaces the count of digit d in each warp by
** the position in the tile where the warp's pairs with this digit begin. Sets base[d] to the number that is added to a
** position in the tile to get the position in the line. */
INLINE void place_digits(unsigned count[WARPS][DIGITS], position *base, position before, position total) {
  int d = threadIdx.x;
  unsigned all = 0, unused;
  for (int w = 0; w < WARPS; w++) all += count[w][d];
  unsigned start = scan_block_before<running_sum<unsigned>>(all, &unused);
  position sum, smaller = scan_block_before<running_sum<position>>(total, &sum);
  base[d] = smaller + before - start;
  for (int w = 0; w < WARPS; w++) {
    unsigned n = count[w][d];
    count[w][d] = start;
    start += n;
  }
}

/* The buffers of one line, and the tile of this block. If `values` is NULL, value i of a line is i. */
struct tile_of {
  const key      *keys;
  const position *values;
  key            *keys_out;
  position       *values_out;
  uint64_t        n, tile;
};

/* Moves the pairs of a tile to their places. `before` and `total` belong to the digit with the number of this thread (see
** place_digits). Places after the end of the line are treated as pairs with the greatest key. Calls moved(k, to) for each
** key k and its new position. */
template <class F>
INLINE void deal_tile(const tile_of &t, int shift, position before, position total, F moved) {
  __shared__ unsigned count[WARPS][DIGITS];
  __shared__ position base[DIGITS];
  __shared__ union { key keys[TILE]; position values[TILE]; } staged;
  int warp = threadIdx.x / WARP;
  uint64_t first = t.tile * TILE + warp * WARP * ITEMS + threadIdx.x % WARP, left = t.n - t.tile * TILE;
  int size = left < TILE ? (int)left : (int)TILE;
  key mine[ITEMS];
  unsigned slot[ITEMS];
  position to[ITEMS];
  for (int w = 0; w < WARPS; w++) count[w][threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    uint64_t i = first + WARP * j;
    mine[j] = i < t.n ? t.keys[i] : ~(key)0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) slot[j] = count_before(count[warp], digit_of(mine[j], shift));
  __syncthreads();
  place_digits(count, base, before, total);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    slot[j] += count[warp][digit_of(mine[j], shift)];
    staged.keys[slot[j]] = mine[j];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    int at = j * THREADS + threadIdx.x;
    key k = staged.keys[at];
    to[j] = base[digit_of(k, shift)] + at;
    if (at >= size) continue;
    t.keys_out[to[j]] = k;
    moved(k, to[j]);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    uint64_t i = first + WARP * j;
    staged.values[slot[j]] = !t.values ? (position)i : i < t.n ? t.values[i] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    int at = j * THREADS + threadIdx.x;
    if (at < size) t.values_out[to[j]] = staged.values[at];
  }
}

/* `counts` and `totals` are the results of scan_rows. */
KERNEL_COOPERATIVE(deal)(const key *keys, const position *values, key *keys_out, position *values_out, uint64_t n,
                         unsigned tiles, int shift, const position *counts, const position *totals) {
  uint64_t line = blockIdx.x / tiles, tile = blockIdx.x % tiles, row = line * DIGITS + threadIdx.x, at = line * n;
  deal_tile(tile_of{keys + at, values ? values + at : values, keys_out + at, values_out + at, n, tile}, shift,
            counts[row * tiles + tile], totals[row], [](key, position) {});
}

/* ---- lines of few tiles ---- */

/* The counts of pass p are counts[line][p][tile][digit]. */

/* Counts the digits of the first pass, and clears the counts of the other passes. */
KERNEL_COOPERATIVE(count_few)(const key *keys, uint64_t n, unsigned tiles, int shift, int passes, unsigned *counts) {
  uint64_t line = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  unsigned count = count_tile(keys + line * n, n, tile, shift);
  counts += (line * passes * tiles + tile) * DIGITS + threadIdx.x;
  for (int p = 0; p < passes; p++) counts[(uint64_t)p * tiles * DIGITS] = p == 0 ? count : 0;
}

/* Runs pass number `pass`. Unless it is the last pass, counts the next pass's digits of the moved keys. */
KERNEL_COOPERATIVE(deal_few)(const key *keys, const position *values, key *keys_out, position *values_out, uint64_t n,
                             unsigned tiles, int shift, int passes, int pass, unsigned *counts) {
  uint64_t line = blockIdx.x / tiles, tile = blockIdx.x % tiles, at = line * n;
  unsigned *now = counts + (line * passes + pass) * tiles * DIGITS, *next = now + tiles * DIGITS;
  unsigned before = 0, total = 0;
#pragma unroll 8
  for (unsigned t = 0; t < tiles; t++) {
    unsigned count = now[t * DIGITS + threadIdx.x];
    before += t < tile ? count : 0;
    total += count;
  }
  deal_tile(tile_of{keys + at, values ? values + at : values, keys_out + at, values_out + at, n, tile}, shift, before,
            total, [&](key k, position to) {
              if (pass + 1 < passes) atomicAdd(&next[to / TILE * DIGITS + digit_of(k, shift + 8)], 1u);
            });
}

/* ---- permutations ---- */

/* Finishes a permutation. The keys are sorted only by their bits from `shift` on. The few neighbours in which these
** bits are equal are ordered by their whole keys. `out` receives the values plus 1. */
KERNEL(permute)(const key *keys, const position *values, uint64_t n, int shift, int64_t *out) {
  uint64_t i = grid_thread(), first = i, rank = 0;
  if (i >= n) return;
  key mine = keys[i];
  while (first > 0 && keys[first - 1] >> shift == mine >> shift) first--;
  for (uint64_t k = first; k < n && keys[k] >> shift == mine >> shift; k++)
    rank += keys[k] < mine || (keys[k] == mine && k < i);
  out[first + rank] = (int64_t)values[i] + 1;
}
