/* luatensor's own matrix products of elements of type STORED, computed as TYPE. gemm.c includes this file once for
** each type STORED. gemm_kernel in cpu.h describes each function. */

#define NAME(name) ISA_PASTE(name, STORED)
#define FMA_OF(type) ISA_PASTE(FMA, type)
#define FMA FMA_OF(TYPE)

typedef TYPE NAME(vector) __attribute__((vector_size(BYTES)));
typedef TYPE NAME(loose) __attribute__((vector_size(BYTES), aligned(sizeof(TYPE)), may_alias));
enum { NAME(LANES) = BYTES / sizeof(TYPE) };

static void NAME(tile)(int64_t k, const void *a, const void *b, void *c, int64_t row, bool add) {
  const TYPE *x = a, *y = b;
  NAME(vector) sum[ROWS][2] = {{{0}}};
  for (int64_t p = 0; p < k; p++, x += ROWS, y += 2 * NAME(LANES)) {
    NAME(vector) y0 = *(const NAME(loose) *)y, y1 = *(const NAME(loose) *)(y + NAME(LANES));
    UNROLL(16)
    for (int i = 0; i < ROWS; i++) {
      NAME(vector) v = x[i] - (NAME(vector)){0};
      sum[i][0] = FMA(v, y0, sum[i][0]);
      sum[i][1] = FMA(v, y1, sum[i][1]);
    }
  }
  TYPE *z = c;
  UNROLL(16)
  for (int i = 0; i < ROWS; i++, z += row) {
    NAME(loose) *z0 = (NAME(loose) *)z, *z1 = (NAME(loose) *)(z + NAME(LANES));
    if (add) sum[i][0] += *z0, sum[i][1] += *z1;
    *z0 = sum[i][0];
    *z1 = sum[i][1];
  }
}

static void NAME(dot)(int64_t n, const void *a, const void *b, void *sum) {
  const TYPE *x = a, *y = b;
  TYPE s = 0;
  #pragma omp simd reduction(+ : s)
  for (int64_t i = 0; i < n; i++) s = (TYPE)(s + x[i] * y[i]);
  *(TYPE *)sum = (TYPE)(*(TYPE *)sum + s);
}

static void NAME(axpy)(int64_t n, const void *factor, const void *x, void *y) {
  const TYPE f = *(const TYPE *)factor, *from = x;
  TYPE *to = y;
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) to[i] = (TYPE)(to[i] + f * from[i]);
}

/* Computes c = alpha * tile + beta * c for m × n elements of a tile, whose rows are `row` elements apart. c may have
** any strides. */
static void NAME(merge)(int64_t m, int64_t n, const void *tile, int64_t row, void *c,
                      const int64_t stride[2], scalar alpha, scalar beta) {
  const bool is_float = (TYPE)0.5 != 0;
  const TYPE *t = tile;
  STORED *z = c;
  const TYPE x = is_float ? (TYPE)alpha.f : (TYPE)alpha.i, y = is_float ? (TYPE)beta.f : (TYPE)beta.i;
  for (int64_t i = 0; i < m; i++, t += row, z += stride[0])
    for (int64_t j = 0; j < n; j++) {
      STORED *at = z + j * stride[1];
      *at = (STORED)(y == 0 ? x * t[j] : x * t[j] + y * (TYPE)*at);
    }
}

#undef NAME
#undef FMA_OF
#undef FMA
#undef STORED
#undef TYPE
