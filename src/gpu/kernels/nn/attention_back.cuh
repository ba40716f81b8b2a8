/* The backward pass of attention. attention_tiles.cuh describes the method and the macros that select a kernel. The first
** kernel computes the gradients of the queries, and the second kernel those of the keys and values. Both compute the
** scores again from log_sums. */

#include "gpu/kernels/nn/attention_tiles.cuh"

typedef layout<BACK_ACROSS> Back;

/* Computes the weight of a key and the gradient of its score. `dot` is the gradient of the weight, and `delta` the sum of
** weights times their gradients over all keys. */
INLINE void back(const attention_args &a, const head &h, int query, int key, C score, C dot, C log_sum, C delta, C *weight,
                 C *gradient) {
  bool seen = is_seen(a, query, key);
  *weight = seen ? m_exp(masked(a, h, query, key, score * (C)a.scale) - log_sum) : (C)0;
  *gradient = seen ? *weight * (dot - delta) : (C)0;
}

/* Computes the gradients of a tile of queries, and the deltas of these queries. */
KERNEL_COOPERATIVE(attention_back_queries)(const __grid_constant__ attention_args a) {
  extern __shared__ __align__(16) unsigned char memory[];
  C *q = (C *)memory, *dout = q + ROWS * STRIDE, *k = dout + ROWS * STRIDE, *v = k + COLS * STRIDE, *scratch = v + COLS * STRIDE;
  const head h = head_of(a);
  const int first = (a.tiles - 1 - h.tile) * ROWS;
  const int end = a.causal && first + ROWS < a.keys ? first + ROWS : a.keys;
  load_tile<ROWS>(q, rows_of(a.q, h, first), a.q.row, a.queries - first, a.width);
  load_tile<ROWS>(dout, rows_of(a.dout, h, first), a.dout.row, a.queries - first, a.out_width);
  __syncthreads();
  C log_sum[Back::DOWN], delta[Back::DOWN], dq[Back::DOWN][Back::WIDE], by[Back::DOWN];
#pragma unroll
  for (int i = 0; i < Back::DOWN; i++) {
    const int row = Back::row(i), query = first + row;
    const bool exists = query < a.queries;
    const stored *o = rows_of(a.o, h, query);
    C sum = 0;
    for (int d = Back::right(); exists && d < a.out_width; d += BACK_ACROSS)
      sum = m_fma(dout[row * STRIDE + d], (C)element<STORE>::load(o[d]), sum);
    delta[i] = sum_across<BACK_ACROSS>(sum);
    log_sum[i] = exists ? ((const C *)a.log_sums)[query_at(a, h, query)] : (C)0;
    if (exists && Back::right() == 0) ((C *)a.deltas)[query_at(a, h, query)] = delta[i];
    by[i] = (C)a.scale;
    clear(dq[i]);
  }
  for (int key = 0; key < end; key += COLS) {
    C s[Back::DOWN][Back::RIGHT], g[Back::DOWN][Back::RIGHT];
    __syncthreads();
    load_tile<COLS>(k, rows_of(a.k, h, key), a.k.row, a.keys - key, a.width);
    load_tile<COLS>(v, rows_of(a.v, h, key), a.v.row, a.keys - key, a.out_width);
    __syncthreads();
    multiply_rows<Back>(s, q, k, a.width);
    multiply_rows<Back>(g, dout, v, a.out_width);
#pragma unroll
    for (int i = 0; i < Back::DOWN; i++)
#pragma unroll
      for (int j = 0; j < Back::RIGHT; j++)
        back(a, h, first + Back::row(i), key + Back::column(j), s[i][j], g[i][j], log_sum[i], delta[i], &s[i][j], &g[i][j]);
    put_scores<Back>(scratch, g);
    add_product<Back>(dq, scratch, k);
  }
  store_tile<Back>(dq, by, rows_of(a.dq, h, first), a.dq.row, a.queries - first, a.width);
}

/* Computes the gradients of a tile of keys and values. Rows of the tile are keys, and columns are queries. */
KERNEL_COOPERATIVE(attention_back_keys)(const __grid_constant__ attention_args a) {
  extern __shared__ __align__(16) unsigned char memory[];
  C *k = (C *)memory, *v = k + ROWS * STRIDE, *q = v + ROWS * STRIDE, *dout = q + COLS * STRIDE, *scratch = dout + COLS * STRIDE;
  const head h = head_of(a);
  const int first = h.tile * ROWS;
  C dk[Back::DOWN][Back::WIDE], dv[Back::DOWN][Back::WIDE], scale[Back::DOWN], one[Back::DOWN];
#pragma unroll
  for (int i = 0; i < Back::DOWN; i++) {
    scale[i] = (C)a.scale;
    one[i] = 1;
    clear(dk[i]);
    clear(dv[i]);
  }
  load_tile<ROWS>(k, rows_of(a.k, h, first), a.k.row, a.keys - first, a.width);
  load_tile<ROWS>(v, rows_of(a.v, h, first), a.v.row, a.keys - first, a.out_width);
  for (int query = a.causal ? first / COLS * COLS : 0; query < a.queries; query += COLS) {
    C s[Back::DOWN][Back::RIGHT], g[Back::DOWN][Back::RIGHT];
    __syncthreads();
    load_tile<COLS>(q, rows_of(a.q, h, query), a.q.row, a.queries - query, a.width);
    load_tile<COLS>(dout, rows_of(a.dout, h, query), a.dout.row, a.queries - query, a.out_width);
    __syncthreads();
    multiply_rows<Back>(s, k, q, a.width);
    multiply_rows<Back>(g, v, dout, a.out_width);
#pragma unroll
    for (int j = 0; j < Back::RIGHT; j++) {
      int column = query + Back::column(j);
      int64_t at = query_at(a, h, column < a.queries ? column : 0);
      C log_sum = ((const C *)a.log_sums)[at], delta = ((const C *)a.deltas)[at];
#pragma unroll
      for (int i = 0; i < Back::DOWN; i++)
        back(a, h, column, first + Back::row(i), s[i][j], g[i][j], log_sum, delta, &s[i][j], &g[i][j]);
    }
    put_scores<Back>(scratch, s);
    add_product<Back>(dv, scratch, dout);
    put_scores<Back>(scratch, g);
    add_product<Back>(dk, scratch, q);
  }
  store_tile<Back>(dk, scale, rows_of(a.dk, h, first), a.dk.row, a.keys - first, a.width);
  store_tile<Back>(dv, one, rows_of(a.dv, h, first), a.dv.row, a.keys - first, a.out_width);
}
