/* The forward pass of attention. attention_tiles.cuh describes the method and the macros that select a kernel. ROWS is the
** number of queries of a tile, and COLS the number of keys and values. */

#include "gpu/kernels/nn/attention_tiles.cuh"

/* A thread's rows of results before the division by the sums. `largest` is the largest score so far. `sum` is the thread's
** part of the sum of exp(score - largest), and `y` of the sum of exp(score - largest) v. */
struct running {
  C largest[DOWN], sum[DOWN], y[DOWN][WIDE];
};

/* Adds a tile's scores to r, except the products with v, and replaces the scores by exponentials. */
INLINE void add_scores(running &r, C (&s)[DOWN][RIGHT]) {
#pragma unroll
  for (int i = 0; i < DOWN; i++) {
    C top = r.largest[i];
#pragma unroll
    for (int j = 0; j < RIGHT; j++) top = s[i][j] > top ? s[i][j] : top;
    top = largest_across(top);
    C shift = top == -(C)INFINITY ? (C)0 : top, by = m_exp(r.largest[i] - shift);      /* without a shift, scores of
                                                                                       ** -infinity would become NaN */
    r.largest[i] = top;
    r.sum[i] *= by;
#pragma unroll
    for (int c = 0; c < WIDE; c++) r.y[i][c] *= by;
#pragma unroll
    for (int j = 0; j < RIGHT; j++) {
      s[i][j] = m_exp(s[i][j] - shift);
      r.sum[i] += s[i][j];
    }
  }
}

/* Stores the results. If the sum of a row is 0, because the query sees no key, the result is 0 and the logarithm of the
** sum is infinity. */
INLINE void finish(const attention_args &a, const head &h, int first, const running &r) {
  C by[DOWN];
#pragma unroll
  for (int i = 0; i < DOWN; i++) {
    C sum = sum_across(r.sum[i]);
    by[i] = sum == 0 ? (C)0 : (C)1 / sum;
    int query = first + row_of(i);
    if (a.log_sums && across() == 0 && query < a.queries)
      ((C *)a.log_sums)[query_at(a, h, query)] = sum == 0 ? (C)INFINITY : r.largest[i] + m_log(sum);
  }
  store_tile(r.y, by, rows_of(a.o, h, first), a.o.row, a.queries - first, a.out_width);
}

KERNEL_COOPERATIVE(attention_forward)(const __grid_constant__ attention_args a) {
  extern __shared__ __align__(16) unsigned char memory[];
  C *q = (C *)memory, *other = q + ROWS * STRIDE, *scratch = other + COLS * STRIDE;
  const head h = head_of(a);
  const int first = (a.tiles - 1 - h.tile) * ROWS;     /* if the call is causal, the tiles with the most keys begin
                                                       ** first */
  const int end = a.causal && first + ROWS < a.keys ? first + ROWS : a.keys;
  running r;
#pragma unroll
  for (int i = 0; i < DOWN; i++) {
    r.largest[i] = -(C)INFINITY;
    r.sum[i] = 0;
    clear(r.y[i]);
  }
  load_tile<ROWS>(q, rows_of(a.q, h, first), a.q.row, a.queries - first, a.width);
  for (int key = 0; key < end; key += COLS) {
    C s[DOWN][RIGHT];
    __syncthreads();                   /* threads may still read the values */
    load_tile<COLS>(other, rows_of(a.k, h, key), a.k.row, a.keys - key, a.width);
    __syncthreads();
    multiply_rows(s, q, other, a.width);
    finish_scores<false>(a, h, first, key, s);
    add_scores(r, s);
    put_scores(scratch, s);
    __syncthreads();                   /* threads may still read the keys */
    load_tile<COLS>(other, rows_of(a.v, h, key), a.v.row, a.keys - key, a.out_width);
    __syncthreads();
    add_product(r.y, scratch, other);
  }
  finish(a, h, first, r);
}
