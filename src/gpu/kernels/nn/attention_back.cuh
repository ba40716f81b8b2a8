/* The backward pass of attention. attention_tiles.cuh describes the method and the macros that select a kernel. The first
** kernel computes the gradients of the queries, and the second kernel those of the keys and values. Both compute the
** scores again from log_sums. */

#include "gpu/kernels/nn/attention_tiles.cuh"

/* Replaces a score by the weight of the key, and the gradient of the weight by the gradient of the score. `delta` is the
** sum of weights times their gradients over all keys. */
INLINE void back(C &score, C &gradient, C log_sum, C delta) {
  score = m_exp(score - log_sum);
  gradient = score * (gradient - delta);
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
  C log_sum[DOWN], delta[DOWN], dq[DOWN][WIDE], by[DOWN];
#pragma unroll
  for (int i = 0; i < DOWN; i++) {
    const int row = row_of(i), query = first + row;
    const bool exists = query < a.queries;
    const stored *o = rows_of(a.o, h, query);
    C sum = 0;
    for (int d = across(); exists && d < a.out_width; d += ACROSS)
      sum = m_fma(dout[row * STRIDE + d], (C)element<STORE>::load(o[d]), sum);
    delta[i] = sum_across(sum);
    log_sum[i] = exists ? ((const C *)a.log_sums)[query_at(a, h, query)] : (C)0;
    if (exists && across() == 0) ((C *)a.deltas)[query_at(a, h, query)] = delta[i];
    by[i] = (C)a.scale;
    clear(dq[i]);
  }
  for (int key = 0; key < end; key += COLS) {
    C s[DOWN][RIGHT], g[DOWN][RIGHT];
    __syncthreads();
    load_tile<COLS>(k, rows_of(a.k, h, key), a.k.row, a.keys - key, a.width);
    load_tile<COLS>(v, rows_of(a.v, h, key), a.v.row, a.keys - key, a.out_width);
    __syncthreads();
    multiply_rows(s, q, k, a.width);
    multiply_rows(g, dout, v, a.out_width);
    finish_scores<false>(a, h, first, key, s);
#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
      for (int j = 0; j < RIGHT; j++) back(s[i][j], g[i][j], log_sum[i], delta[i]);
    put_scores(scratch, g);
    add_product(dq, scratch, k);
  }
  store_tile(dq, by, rows_of(a.dq, h, first), a.dq.row, a.queries - first, a.width);
}

/* Computes the gradients of a tile of keys and values. Rows of the tile are keys, and columns are queries. */
KERNEL_COOPERATIVE(attention_back_keys)(const __grid_constant__ attention_args a) {
  extern __shared__ __align__(16) unsigned char memory[];
  C *k = (C *)memory, *v = k + ROWS * STRIDE, *q = v + ROWS * STRIDE, *dout = q + COLS * STRIDE, *scratch = dout + COLS * STRIDE;
  const head h = head_of(a);
  const int first = h.tile * ROWS;
  C dk[DOWN][WIDE], dv[DOWN][WIDE], scale[DOWN], one[DOWN];
#pragma unroll
  for (int i = 0; i < DOWN; i++) {
    scale[i] = (C)a.scale;
    one[i] = 1;
    clear(dk[i]);
    clear(dv[i]);
  }
  load_tile<ROWS>(k, rows_of(a.k, h, first), a.k.row, a.keys - first, a.width);
  load_tile<ROWS>(v, rows_of(a.v, h, first), a.v.row, a.keys - first, a.out_width);
  for (int query = a.causal ? first / COLS * COLS : 0; query < a.queries; query += COLS) {
    C s[DOWN][RIGHT], g[DOWN][RIGHT];
    __syncthreads();
    load_tile<COLS>(q, rows_of(a.q, h, query), a.q.row, a.queries - query, a.width);
    load_tile<COLS>(dout, rows_of(a.dout, h, query), a.dout.row, a.queries - query, a.out_width);
    __syncthreads();
    multiply_rows(s, k, q, a.width);
    multiply_rows(g, v, dout, a.out_width);
    finish_scores<true>(a, h, first, query, s);
#pragma unroll
    for (int j = 0; j < RIGHT; j++) {
      const int column = query + column_of(j);
      const bool exists = column < a.queries;
      C log_sum = exists ? ((const C *)a.log_sums)[query_at(a, h, column)] : (C)0;
      C delta = exists ? ((const C *)a.deltas)[query_at(a, h, column)] : (C)0;
#pragma unroll
      for (int i = 0; i < DOWN; i++) back(s[i][j], g[i][j], log_sum, delta);
    }
    put_scores(scratch, s);
    add_product(dv, scratch, dout);
    put_scores(scratch, g);
    add_product(dk, scratch, q);
  }
  store_tile(dk, scale, rows_of(a.dk, h, first), a.dk.row, a.keys - first, a.width);
  store_tile(dv, one, rows_of(a.dv, h, first), a.dv.row, a.keys - first, a.out_width);
}
