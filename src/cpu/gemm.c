/* Matrix products: BLAS for float32 and float64 wherever it can address the matrices. */

#include <cblas.h>
#include <limits.h>

#include "cpu.h"

/* A matrix as BLAS sees it. */
typedef struct blas_matrix {
  CBLAS_TRANSPOSE trans;
  int             ld;       /* elements from one row (trans: column) to the next */
} blas_matrix;

/* Can BLAS address rows × columns with these strides? One stride must be 1, the other no less than a row. */
static bool blas_address(int64_t rows, int64_t columns, const int64_t stride[2], blas_matrix *m) {
  int64_t down = rows == 1 ? columns : stride[0], right = columns == 1 ? rows : stride[1];
  if ((stride[1] == 1 || columns == 1) && (down >= columns || rows == 1) && down <= INT_MAX) {
    *m = (blas_matrix){CblasNoTrans, down > 0 ? (int)down : 1};
    return down >= columns;
  }
  if ((stride[0] == 1 || rows == 1) && right >= rows && right <= INT_MAX) {
    *m = (blas_matrix){CblasTrans, (int)right};
    return true;
  }
  return false;
}

/* One product; the addresses are those of this matrix of the batch. False: BLAS cannot. */
static bool blas_gemm(const gemm_call *g, const void *a, const void *b, void *c) {
  blas_matrix ma, mb, mc;
  if (g->m > INT_MAX || g->n > INT_MAX || g->k > INT_MAX) return false;
  if (!blas_address(g->m, g->k, g->a_stride, &ma) || !blas_address(g->k, g->n, g->b_stride, &mb)) return false;
  if (!blas_address(g->m, g->n, g->c_stride, &mc)) return false;
  CBLAS_ORDER order = mc.trans == CblasNoTrans ? CblasRowMajor : CblasColMajor;
  if (order == CblasColMajor) {                      /* a's rows are then columns: both flip */
    ma.trans = ma.trans == CblasNoTrans ? CblasTrans : CblasNoTrans;
    mb.trans = mb.trans == CblasNoTrans ? CblasTrans : CblasNoTrans;
  }
  int m = (int)g->m, n = (int)g->n, k = (int)g->k;
  if (g->dtype == DT_float32)
    cblas_sgemm(order, ma.trans, mb.trans, m, n, k, (float)g->alpha.f, a, ma.ld, b, mb.ld, (float)g->beta.f, c, mc.ld);
  else
    cblas_dgemm(order, ma.trans, mb.trans, m, n, k, g->alpha.f, a, ma.ld, b, mb.ld, g->beta.f, c, mc.ld);
  return true;
}

/* Offsets in elements of matrix i of the batch. */
static void batch_offsets(const plan *p, int64_t i, int64_t offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  for (int d = p->ndim - 1; d >= 0; d--) {
    int64_t at = i % p->shape[d];
    i /= p->shape[d];
    for (int k = 0; k < 3; k++) offset[k] += at * p->stride[k][d];
  }
}

static int gemm_one(const gemm_call *g, int64_t i) {
  int64_t offset[3], size = dtype_size(g->dtype);
  batch_offsets(&g->batch, i, offset);
  char *c = (char *)g->c + offset[0] * size;
  const char *a = (const char *)g->a + offset[1] * size, *b = (const char *)g->b + offset[2] * size;
  if (g->dtype != DT_float32 && g->dtype != DT_float64) return ERR_NO_KERNEL;
  return blas_gemm(g, a, b, c) ? OK : ERR_NO_KERNEL;
}

int cpu_gemm(const gemm_call *g) {
  for (int64_t i = 0; i < g->batch.count; i++) {
    int st = gemm_one(g, i);
    if (st != OK) return st;
  }
  return OK;
}
