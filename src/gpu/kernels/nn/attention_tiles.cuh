#ifndef LT_GPU_KERNELS_NN_ATTENTION_TILES_CUH
#define LT_GPU_KERNELS_NN_ATTENTION_TILES_CUH

/* Attention, as defined by attention_call in base/calls.h, by the method of "FlashAttention" (Dao et al.). This file has
** what attention.cuh (the forward pass) and attention_back.cuh share. A block of threads keeps a tile of ROWS rows in
** shared memory. It goes over all tiles of COLS rows of the other side, and computes the ROWS × COLS scores of each pair
** of tiles. Scores are never stored in global memory. These macros select a kernel:
**   STORE       DT_float32 …: the dtype of the operands. Half floats are computed in float32.
**   WIDTH       a power of 2 from 16 on: the number of elements of a row in shared memory.
**   ROWS, COLS  the sizes of tiles.
**   VECTOR      1 if rows of all operands can be accessed by vectors of 16 bytes (half floats: 8 bytes), else 0.
**   KERNEL_THREADS  the number of threads of a block.
** No result is a sum over several blocks, so the order of additions depends on the sizes only. */

#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/nn/attention_args.h"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<STORE> stored;
typedef compute_t<STORE> C;

enum {
  LOAD   = 16 / sizeof(C),             /* number of elements that one instruction loads from shared memory */
  PACK   = VECTOR ? LOAD : 1,          /* number of elements that one instruction loads from global memory */
  STRIDE = WIDTH + LOAD                /* distance of rows in shared memory: neighbouring rows are in different banks */
};
typedef pack<C, LOAD> vector;

/* The threads of a block form a grid of HIGH × ACROSS threads. Of a tile of ROWS × COLS scores, a thread computes DOWN
** rows, which are HIGH rows apart, and RIGHT columns, which are ACROSS columns apart. Of a tile of ROWS × WIDTH results,
** the thread computes the same rows, and WIDE columns in groups of GROUP adjacent columns. */
enum {
  ACROSS = ATTENTION_ACROSS, HIGH = KERNEL_THREADS / ACROSS, DOWN = ROWS / HIGH, RIGHT = COLS / ACROSS,
  WIDE = WIDTH / ACROSS, GROUP = WIDE < LOAD ? WIDE : LOAD,
  SCRATCH = COLS + ACROSS              /* distance of rows in the scratch memory of scores: rows that a warp accesses
                                       ** together are in different banks */
};
INLINE int across()         { return (int)threadIdx.x % ACROSS; }
INLINE int row_of(int i)    { return (int)threadIdx.x / ACROSS + HIGH * i; }
INLINE int column_of(int j) { return across() + ACROSS * j; }
INLINE int group_of(int g)  { return (g * ACROSS + across()) * GROUP; }

/* ---- a head ---- */

/* The head to which this block belongs, and the number of its tile. */
struct head { int batch, number, tile; };

INLINE head head_of(const attention_args &a) {
  int all = (int)blockIdx.x / a.tiles;
  return head{all / a.heads, all % a.heads, (int)blockIdx.x % a.tiles};
}

INLINE stored *rows_of(const attention_matrix &m, const head &h, int first) {
  return (stored *)m.data + (h.batch * m.batch + h.number * m.head + first * m.row);
}

/* Returns the index of a query's number in log_sums and deltas. */
INLINE int64_t query_at(const attention_args &a, const head &h, int query) {
  return ((int64_t)h.batch * a.heads + h.number) * a.queries + query;
}

/* True if both exist, and if the query sees the key as far as the option `causal` is concerned. */
INLINE bool is_seen(const attention_args &a, int query, int key) {
  return query < a.queries && key < a.keys && (!a.causal || key <= query);
}

/* Returns the score after the mask was applied. is_seen must be true. */
INLINE C masked(const attention_args &a, const head &h, int query, int key, C score) {
  if (!a.mask) return score;
  int64_t at = h.batch * a.mask_stride[0] + h.number * a.mask_stride[1] + query * a.mask_stride[2] + key * a.mask_stride[3];
  if (a.adds) return score + (C)element<STORE>::load(((const stored *)a.mask)[at]);
  return ((const bool *)a.mask)[at] ? score : -(C)INFINITY;
}

/* Multiplies a tile of scores by the scale and applies the mask. Scores of keys that a query does not see, and of rows
** that do not exist, become -infinity. If KEYS_DOWN is true, the rows of the tile are keys, otherwise queries. `row` and
** `column` are the numbers of the tile's first row and column. */
template <bool KEYS_DOWN> INLINE void finish_scores(const attention_args &a, const head &h, int row, int column,
                                                    C (&s)[DOWN][RIGHT]) {
  const int query = KEYS_DOWN ? column : row, last_query = query + (KEYS_DOWN ? COLS : ROWS) - 1;
  const int key = KEYS_DOWN ? row : column, last_key = key + (KEYS_DOWN ? ROWS : COLS) - 1;
  const bool all_seen = last_query < a.queries && last_key < a.keys && (!a.causal || last_key <= query);
#pragma unroll
  for (int i = 0; i < DOWN; i++)
#pragma unroll
    for (int j = 0; j < RIGHT; j++) s[i][j] *= (C)a.scale;
  if (all_seen && !a.mask) return;
#pragma unroll
  for (int i = 0; i < DOWN; i++)
#pragma unroll
    for (int j = 0; j < RIGHT; j++) {
      int q = query + (KEYS_DOWN ? column_of(j) : row_of(i)), k = key + (KEYS_DOWN ? row_of(i) : column_of(j));
      s[i][j] = is_seen(a, q, k) ? masked(a, h, q, k, s[i][j]) : -(C)INFINITY;
    }
}

/* ---- tiles ---- */

/* Loads N rows into shared memory, of which `count` exist. Elements that do not exist become 0. A thread has UNROLL loads
** in flight. */
template <int N> INLINE void load_tile(C *tile, const stored *rows, int64_t step, int count, int width) {
  enum { EACH = WIDTH / PACK, ALL = N * EACH, LOADS = ALL / KERNEL_THREADS, UNROLL = LOADS < 4 ? LOADS : 4 };
  static_assert(LOADS * KERNEL_THREADS == ALL && LOADS % UNROLL == 0, "the threads share a tile evenly");
  for (int first = (int)threadIdx.x; first < ALL; first += UNROLL * KERNEL_THREADS) {
    pack<stored, PACK> x[UNROLL] = {};
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int i = first + u * KERNEL_THREADS, row = i / EACH, column = i % EACH * PACK;
      if (row < count && column < width) x[u] = *(const pack<stored, PACK> *)(rows + row * step + column);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int i = first + u * KERNEL_THREADS, row = i / EACH, column = i % EACH * PACK;
      pack<C, PACK> y;
      for (int p = 0; p < PACK; p++) y.at[p] = (C)element<STORE>::load(x[u].at[p]);
      *(pack<C, PACK> *)(tile + row * STRIDE + column) = y;
    }
  }
}

/* Stores the thread's part of a tile of results, `by` times as large. `count` rows exist. */
INLINE void store_tile(const C (&x)[DOWN][WIDE], const C (&by)[DOWN], stored *rows, int64_t step,
                                          int count, int width) {
  enum { TOGETHER = VECTOR ? GROUP : 1 };
#pragma unroll
  for (int i = 0; i < DOWN; i++) {
    if (row_of(i) >= count) continue;
#pragma unroll
    for (int c = 0; c < WIDE; c += TOGETHER) {
      int column = group_of(c / GROUP) + c % GROUP;
      pack<stored, TOGETHER> y;
      for (int p = 0; p < TOGETHER; p++) y.at[p] = convert<STORE, element<STORE>::compute>(x[i][c + p] * by[i]);
      if (column < width) *(pack<stored, TOGETHER> *)(rows + row_of(i) * step + column) = y;
    }
  }
}

/* Computes the thread's part of x yᵀ for a tile x of ROWS rows and a tile y of COLS rows. */
INLINE void multiply_rows(C (&sum)[DOWN][RIGHT], const C *x, const C *y, int width) {
#pragma unroll
  for (int i = 0; i < DOWN; i++)
#pragma unroll
    for (int j = 0; j < RIGHT; j++) sum[i][j] = 0;
#pragma unroll 2
  for (int d = 0; d < width; d += LOAD) {
    vector a[DOWN], b[RIGHT];
#pragma unroll
    for (int i = 0; i < DOWN; i++) a[i] = *(const vector *)(x + row_of(i) * STRIDE + d);
#pragma unroll
    for (int j = 0; j < RIGHT; j++) b[j] = *(const vector *)(y + column_of(j) * STRIDE + d);
#pragma unroll
    for (int p = 0; p < LOAD; p++)
#pragma unroll
      for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < RIGHT; j++) sum[i][j] = m_fma(a[i].at[p], b[j].at[p], sum[i][j]);
  }
}

/* Adds the thread's part of w y for scratch memory w of ROWS × COLS numbers and a tile y of COLS rows. */
INLINE void add_product(C (&sum)[DOWN][WIDE], const C *w, const C *y) {
#pragma unroll 2
  for (int k = 0; k < COLS; k += LOAD) {
    vector a[DOWN];
#pragma unroll
    for (int i = 0; i < DOWN; i++) a[i] = *(const vector *)(w + row_of(i) * SCRATCH + k);
#pragma unroll
    for (int p = 0; p < LOAD; p++)
#pragma unroll
      for (int g = 0; g < WIDE / GROUP; g++) {
        pack<C, GROUP> b = *(const pack<C, GROUP> *)(y + (k + p) * STRIDE + group_of(g));
#pragma unroll
        for (int i = 0; i < DOWN; i++)
#pragma unroll
          for (int c = 0; c < GROUP; c++)
            sum[i][g * GROUP + c] = m_fma(a[i].at[p], b.at[c], sum[i][g * GROUP + c]);
      }
  }
}

/* Writes the thread's part of scores to scratch memory. The threads that read a row are in the warp that writes it. */
INLINE void put_scores(C *scratch, const C (&x)[DOWN][RIGHT]) {
  wait_for_warp();                     /* threads may still read earlier scores */
#pragma unroll
  for (int i = 0; i < DOWN; i++)
#pragma unroll
    for (int j = 0; j < RIGHT; j++) scratch[row_of(i) * SCRATCH + column_of(j)] = x[i][j];
  wait_for_warp();
}

template <int N> INLINE void clear(C (&x)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) x[i] = 0;
}

/* Returns the sum, or the largest number, of a row of the grid of threads. The order of additions does not depend on the
** size of warps. */
INLINE C sum_across(C x) {
#pragma unroll
  for (int by = 1; by < ACROSS; by *= 2) x += shuffle_from(x, lane_in_warp() ^ by);
  return x;
}
INLINE C largest_across(C x) {
#pragma unroll
  for (int by = 1; by < ACROSS; by *= 2) {
    C y = shuffle_from(x, lane_in_warp() ^ by);
    x = y > x ? y : x;
  }
  return x;
}

#endif
