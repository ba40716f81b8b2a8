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
** No result is a sum over several blocks, so the order of additions depends on the sizes only. */

#include "gpu/kernels/nn/attention_args.h"

#define KERNEL_THREADS ATTENTION_THREADS

#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<STORE> stored;
typedef compute_t<STORE> C;

enum {
  LOAD   = 16 / sizeof(C),             /* number of elements that one instruction loads from shared memory */
  PACK   = VECTOR ? LOAD : 1,          /* number of elements that one instruction loads from global memory */
  STRIDE = WIDTH + LOAD                /* distance of rows in shared memory: neighbouring rows are in different banks */
};
typedef pack<C, LOAD> vector;

/* A thread's place in its block, and the parts of a tile of ROWS × COLS scores that it computes: DOWN rows, which are
** `down` threads apart, and RIGHT columns, which are ACROSS apart. Of a tile of ROWS × WIDTH results, the thread computes
** the same rows, and WIDE columns in groups of GROUP adjacent columns. */
template <int ACROSS_> struct layout {
  enum { ACROSS = ACROSS_, HIGH = ATTENTION_THREADS / ACROSS, DOWN = ROWS / HIGH, RIGHT = COLS / ACROSS,
         WIDE = WIDTH / ACROSS, GROUP = WIDE < LOAD ? WIDE : LOAD,
         SCRATCH = COLS + ACROSS };    /* distance of rows in the scratch memory of scores: rows that a warp accesses
                                       ** together are in different banks */
  static __device__ __forceinline__ int right() { return (int)threadIdx.x % ACROSS; }
  static __device__ __forceinline__ int down()  { return (int)threadIdx.x / ACROSS; }
  static __device__ __forceinline__ int row(int i)    { return down() + HIGH * i; }
  static __device__ __forceinline__ int column(int j) { return right() + ACROSS * j; }
  static __device__ __forceinline__ int group(int g)  { return (g * ACROSS + right()) * GROUP; }
};

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

/* ---- tiles ---- */

/* Loads N rows into shared memory, of which `count` exist. Elements that do not exist become 0. */
template <int N> INLINE void load_tile(C *tile, const stored *rows, int64_t step, int count, int width) {
  enum { EACH = WIDTH / PACK, ALL = N * EACH, UNROLL = 4 };      /* 4 loads of a thread are in flight */
  for (int first = (int)threadIdx.x; first < ALL; first += UNROLL * ATTENTION_THREADS) {
    pack<stored, PACK> x[UNROLL] = {};
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int i = first + u * ATTENTION_THREADS, row = i / EACH, column = i % EACH * PACK;
      if (i < ALL && row < count && column < width) x[u] = *(const pack<stored, PACK> *)(rows + row * step + column);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      int i = first + u * ATTENTION_THREADS, row = i / EACH, column = i % EACH * PACK;
      pack<C, PACK> y;
      for (int p = 0; p < PACK; p++) y.at[p] = (C)element<STORE>::load(x[u].at[p]);
      if (i < ALL) *(pack<C, PACK> *)(tile + row * STRIDE + column) = y;
    }
  }
}

/* Stores the thread's part of a tile of results, `by` times as large. `count` rows exist. */
template <class L> INLINE void store_tile(const C (&x)[L::DOWN][L::WIDE], const C (&by)[L::DOWN], stored *rows, int64_t step,
                                          int count, int width) {
  enum { TOGETHER = VECTOR ? L::GROUP : 1 };
#pragma unroll
  for (int i = 0; i < L::DOWN; i++) {
    if (L::row(i) >= count) continue;
#pragma unroll
    for (int c = 0; c < L::WIDE; c += TOGETHER) {
      int column = L::group(c / L::GROUP) + c % L::GROUP;
      pack<stored, TOGETHER> y;
      for (int p = 0; p < TOGETHER; p++) y.at[p] = convert<STORE, element<STORE>::compute>(x[i][c + p] * by[i]);
      if (column < width) *(pack<stored, TOGETHER> *)(rows + L::row(i) * step + column) = y;
    }
  }
}

/* Computes the thread's part of x yᵀ for a tile x of ROWS rows and a tile y of COLS rows. */
template <class L> INLINE void multiply_rows(C (&sum)[L::DOWN][L::RIGHT], const C *x, const C *y, int width) {
#pragma unroll
  for (int i = 0; i < L::DOWN; i++)
#pragma unroll
    for (int j = 0; j < L::RIGHT; j++) sum[i][j] = 0;
#pragma unroll 2
  for (int d = 0; d < width; d += LOAD) {
    vector a[L::DOWN], b[L::RIGHT];
#pragma unroll
    for (int i = 0; i < L::DOWN; i++) a[i] = *(const vector *)(x + L::row(i) * STRIDE + d);
#pragma unroll
    for (int j = 0; j < L::RIGHT; j++) b[j] = *(const vector *)(y + L::column(j) * STRIDE + d);
#pragma unroll
    for (int p = 0; p < LOAD; p++)
#pragma unroll
      for (int i = 0; i < L::DOWN; i++)
#pragma unroll
        for (int j = 0; j < L::RIGHT; j++) sum[i][j] = m_fma(a[i].at[p], b[j].at[p], sum[i][j]);
  }
}

/* Adds the thread's part of w y for scratch memory w of ROWS × COLS numbers and a tile y of COLS rows. */
template <class L> INLINE void add_product(C (&sum)[L::DOWN][L::WIDE], const C *w, const C *y) {
#pragma unroll 2
  for (int k = 0; k < COLS; k += LOAD) {
    vector a[L::DOWN];
#pragma unroll
    for (int i = 0; i < L::DOWN; i++) a[i] = *(const vector *)(w + L::row(i) * L::SCRATCH + k);
#pragma unroll
    for (int p = 0; p < LOAD; p++)
#pragma unroll
      for (int g = 0; g < L::WIDE / L::GROUP; g++) {
        pack<C, L::GROUP> b = *(const pack<C, L::GROUP> *)(y + (k + p) * STRIDE + L::group(g));
#pragma unroll
        for (int i = 0; i < L::DOWN; i++)
#pragma unroll
          for (int c = 0; c < L::GROUP; c++)
            sum[i][g * L::GROUP + c] = m_fma(a[i].at[p], b.at[c], sum[i][g * L::GROUP + c]);
      }
  }
}

/* Writes the thread's part of scores to scratch memory. The threads that read a row are in the warp that writes it. */
template <class L> INLINE void put_scores(C *scratch, const C (&x)[L::DOWN][L::RIGHT]) {
  wait_for_warp();                     /* threads may still read earlier scores */
#pragma unroll
  for (int i = 0; i < L::DOWN; i++)
#pragma unroll
    for (int j = 0; j < L::RIGHT; j++) scratch[L::row(i) * L::SCRATCH + L::column(j)] = x[i][j];
  wait_for_warp();
}

template <int N> INLINE void clear(C (&x)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) x[i] = 0;
}

/* Returns the sum, or the largest number, of a row of the grid of threads. The order of additions does not depend on the
** size of warps. */
template <int ACROSS> INLINE C sum_across(C x) {
#pragma unroll
  for (int by = 1; by < ACROSS; by *= 2) x += shuffle_from(x, lane_in_warp() ^ by);
  return x;
}
template <int ACROSS> INLINE C largest_across(C x) {
#pragma unroll
  for (int by = 1; by < ACROSS; by *= 2) {
    C y = shuffle_from(x, lane_in_warp() ^ by);
    x = y > x ? y : x;
  }
  return x;
}

#endif
