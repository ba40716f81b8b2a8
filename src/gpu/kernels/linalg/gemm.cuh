/* Matrix products c = alpha a b + beta c without cuBLAS. These kernels run if cuBLAS is not installed, does not support
** the dtype, or cannot address the result. These macros select a kernel:
**   STORE  DT_int32 …: the dtype of a, b and c.
**   MICRO  4 or 8: a thread computes MICRO × MICRO elements of c, and a block computes (16 MICRO) × (16 MICRO).
** Integers wrap. Half floats are summed in float32. Floats are added by FMA in the order of k, the index over which
** a[i][k] * b[k][j] is summed. Complex numbers are multiplied by m_mul. */

#include "gpu/kernels/linalg/gemm_args.h"

#define KERNEL_THREADS GEMM_THREADS

#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/scalar.cuh"

typedef stored_t<STORE> stored;
enum { IS_COMPLEX = element<STORE>::kind == KIND_COMPLEX, IS_FLOAT = element<STORE>::kind == KIND_FLOAT };

template <bool, class A, class B> struct choose { typedef A type; };
template <class A, class B> struct choose<false, A, B> { typedef B type; };

/* The type of sums. Integers are summed as unsigned integers, which wrap; overflow of signed integers is
** undefined. */
typedef choose<IS_FLOAT || IS_COMPLEX, compute_t<STORE>, choose<sizeof(stored) == 8, uint64_t, uint32_t>::type>::type number;

INLINE number load(const stored *p, int64_t at) { return (number)element<STORE>::load(p[at]); }

/* A block computes a part of product (blockIdx.y, blockIdx.z) of the batch. product_of returns the address of this
** product's operand, and result_of returns the address of this product's result. */
INLINE int64_t batch_offset(const int64_t (&step)[2]) { return blockIdx.y * step[0] + blockIdx.z * step[1]; }
INLINE const stored *product_of(const gemm_side &s) { return (const stored *)s.data + batch_offset(s.step); }
INLINE stored *result_of(const gemm_arguments &g) { return (stored *)g.c + batch_offset(g.c_step); }

/* Returns sum + x * y. add_product and the functions below are templates, because only in templates does `if
** constexpr` discard the branches for other dtypes. */
template <class T> INLINE T add_product(T sum, T x, T y) {
  if constexpr (IS_COMPLEX) return sum + m_mul(x, y);
  else if constexpr (IS_FLOAT) return m_fma(x, y, sum);
  else return sum + x * y;
}

template <class T> INLINE T factor(double f, double im, int64_t i) {
  if constexpr (IS_COMPLEX) return T(f, im);
  else return IS_FLOAT ? (T)f : (T)i;
}

template <class T> INLINE T product(T x, T y) {
  if constexpr (IS_COMPLEX) return m_mul(x, y);
  else return x * y;
}

/* Sets *c to alpha * sum + beta * (*c). If beta is 0, *c is not read. */
INLINE void store(const gemm_arguments &g, stored *c, number sum) {
  const number alpha = factor<number>(g.alpha_f, g.alpha_im, g.alpha_i);
  const number beta = factor<number>(g.beta_f, g.beta_im, g.beta_i);
  number made = product(alpha, sum);
  if (beta != 0) made = made + product(beta, load(c, 0));
  *c = convert<STORE, element<STORE>::compute>((compute_t<STORE>)made);
}

/* ---- tiles ---- */

enum {
  TILE  = 16 * MICRO,
  STEP  = 16,                          /* number of steps along k that are multiplied at a time */
  LOADS = TILE * STEP / KERNEL_THREADS,
  PAD   = 4                            /* unused elements after each row of a shared tile: they place rows in different
                                       ** memory banks, and keep rows aligned to 16 bytes */
};
struct shared_tile { alignas(16) number at[STEP][TILE + PAD]; };

/* The element of a tile that a thread loads in round i. `line` is the row of a or the column of b. `along` is set if
** neighbours along k are closer in memory than neighbouring lines. Neighbouring threads load elements that are
** neighbours in memory. */
struct spot { int line, k; };
INLINE spot spot_of(bool along, int i) {
  int n = i * KERNEL_THREADS + threadIdx.x;
  return along ? spot{n / STEP, n % STEP} : spot{n % TILE, n / TILE};
}

/* Loads this thread's LOADS elements of a tile. The tile has TILE lines (rows of a or columns of b) from line `first`
** on, and STEP elements of each line from element k on. Elements out of bounds are loaded as 0: line s.count and all
** later lines, and in each line element `most` and all later elements. */
INLINE void fetch(const gemm_side &s, const stored *data, bool along, int64_t first, int64_t k, int64_t most,
                  number *into) {
#pragma unroll
  for (int i = 0; i < LOADS; i++) {
    spot at = spot_of(along, i);
    bool inside = first + at.line < s.count && k + at.k < most;
    into[i] = inside ? load(data, (first + at.line) * s.stride + (k + at.k) * s.k_stride) : 0;
  }
}
INLINE void put(shared_tile &t, bool along, const number *from) {
#pragma unroll
  for (int i = 0; i < LOADS; i++) {
    spot at = spot_of(along, i);
    t.at[at.k][at.line] = from[i];
  }
}

/* A thread computes MICRO rows and MICRO columns of the tile. Returns the number in the tile of the thread's row (or
** column) i. `thread` is the thread's row (or column) in the block, 0 … 15. The rows of a thread are in groups of four,
** so that each load of a warp uses all memory banks. */
INLINE int line_of(int thread, int i) { return i / 4 * 64 + thread * 4 + i % 4; }

KERNEL_COOPERATIVE(gemm_tiles)(gemm_arguments g) {
  __shared__ shared_tile a_tile, b_tile;
  const int64_t row = (int64_t)(blockIdx.x / g.across) * TILE, column = (int64_t)(blockIdx.x % g.across) * TILE;
  const stored *a = product_of(g.a), *b = product_of(g.b);
  const int down = threadIdx.x / 16, right = threadIdx.x % 16;
  number sum[MICRO][MICRO] = {}, next_a[LOADS], next_b[LOADS];
  fetch(g.a, a, g.along[0], row, 0, g.k, next_a);
  fetch(g.b, b, g.along[1], column, 0, g.k, next_b);
  for (int64_t k = 0; k < g.k; k += STEP) {
    put(a_tile, g.along[0], next_a);
    put(b_tile, g.along[1], next_b);
    __syncthreads();
    if (k + STEP < g.k) {                /* loads the next tile while this tile is multiplied */
      fetch(g.a, a, g.along[0], row, k + STEP, g.k, next_a);
      fetch(g.b, b, g.along[1], column, k + STEP, g.k, next_b);
    }
#pragma unroll
    for (int p = 0; p < STEP; p++) {
      number x[MICRO], y[MICRO];
#pragma unroll
      for (int i = 0; i < MICRO; i++) {
        x[i] = a_tile.at[p][line_of(down, i)];
        y[i] = b_tile.at[p][line_of(right, i)];
      }
#pragma unroll
      for (int i = 0; i < MICRO; i++)
#pragma unroll
        for (int j = 0; j < MICRO; j++) sum[i][j] = add_product(sum[i][j], x[i], y[j]);
    }
    __syncthreads();
  }
  stored *c = result_of(g);
#pragma unroll
  for (int i = 0; i < MICRO; i++)
#pragma unroll
    for (int j = 0; j < MICRO; j++) {
      keep_order();                      /* prevents the compiler from computing all addresses first, which would
                                         ** spill registers */
      int64_t r = row + line_of(down, i), s = column + line_of(right, j);
      if (r < g.a.count && s < g.b.count) store(g, c + r * g.c_stride[0] + s * g.c_stride[1], sum[i][j]);
    }
}

/* ---- products of a matrix and a vector ---- */

/* A warp computes one element of the result. Each of its threads adds every WARP-th product along k. */
KERNEL_COOPERATIVE(gemm_rows)(gemm_arguments g) {
  const int64_t row = (int64_t)blockIdx.x * (KERNEL_THREADS / WARP) + threadIdx.x / WARP;
  if (row >= g.a.count) return;
  const stored *a = product_of(g.a) + row * g.a.stride, *b = product_of(g.b);
  number sum = 0;
  for (int64_t k = threadIdx.x % WARP; k < g.k; k += WARP)
    sum = add_product(sum, load(a, k * g.a.k_stride), load(b, k * g.b.k_stride));
#pragma unroll
  for (int by = WARP / 2; by > 0; by /= 2) sum = sum + shuffle_down(sum, by);
  if (threadIdx.x % WARP == 0) store(g, result_of(g) + row * g.c_stride[0], sum);
}

/* A thread computes one element of the result. Neighbouring threads read neighbouring rows of a. */
KERNEL(gemm_columns)(gemm_arguments g) {
  const int64_t row = (int64_t)blockIdx.x * KERNEL_THREADS + threadIdx.x;
  if (row >= g.a.count) return;
  const stored *a = product_of(g.a) + row * g.a.stride, *b = product_of(g.b);
  number sum = 0;
  for (int64_t k = 0; k < g.k; k++) sum = add_product(sum, load(a, k * g.a.k_stride), load(b, k * g.b.k_stride));
  store(g, result_of(g) + row * g.c_stride[0], sum);
}
