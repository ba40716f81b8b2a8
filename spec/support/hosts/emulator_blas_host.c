/* Tests the matrix products of the emulated cuBLAS. The factors are small integers, so that the products are exact in
** every type. Without an argument the program lists its tests; with a name it runs that test. */

#include "emulator.h"

#include <stdint.h>

enum { F32 = 0, F64 = 1, F16 = 2, I8 = 3, C32 = 4, C64 = 5, I32 = 10, BF16 = 14 };
enum { BLAS_INVALID = 7, BLAS_UNSUPPORTED = 15 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72 };
enum { M = 5, N = 3, K = 4, LDA = 8, LDB = 12, LDC = 6, STEP = 160, BATCH = 2, SIZE = STEP * BATCH };

static const size_t bytes_of[] = {[F32] = 4, [F64] = 8, [F16] = 2, [I8] = 1, [C32] = 8, [C64] = 16, [I32] = 4, [BF16] = 2};

__extension__ typedef _Float16 half;

/* Stores re + im·√-1 as element i of an array of a type. For real types, im is ignored. */
static void put(void *p, int type, int i, double re, double im) {
  float f = (float)re;
  uint32_t u;
  memcpy(&u, &f, 4);
  switch (type) {
    case F32: ((float *)p)[i] = f; break;
    case F64: ((double *)p)[i] = re; break;
    case F16: { half h = (half)re; memcpy((char *)p + 2 * i, &h, 2); break; }
    case BF16: ((uint16_t *)p)[i] = (uint16_t)(u >> 16); break;
    case I8: ((int8_t *)p)[i] = (int8_t)re; break;
    case I32: ((int32_t *)p)[i] = (int32_t)re; break;
    case C32: ((float *)p)[2 * i] = f; ((float *)p)[2 * i + 1] = (float)im; break;
    case C64: ((double *)p)[2 * i] = re; ((double *)p)[2 * i + 1] = im; break;
  }
}

static double get(const void *p, int type, int i, int part) {
  uint32_t u;
  float f;
  switch (type) {
    case F32: return ((const float *)p)[i];
    case F64: return ((const double *)p)[i];
    case F16: { half h; memcpy(&h, (const char *)p + 2 * i, 2); return (double)h; }
    case BF16: u = (uint32_t)((const uint16_t *)p)[i] << 16; memcpy(&f, &u, 4); return f;
    case I8: return ((const int8_t *)p)[i];
    case I32: return ((const int32_t *)p)[i];
    case C32: return ((const float *)p)[2 * i + part];
    default: return ((const double *)p)[2 * i + part];
  }
}

static int is_complex(int type) { return type == C32 || type == C64; }

/* The real and imaginary part of element i of matrix A, B or C (which = 0, 1, 2): small integers, different for
** neighbouring elements. */
static double re_at(int which, int i) { return (i * 7 + which * 3) % 11 - 5; }
static double im_at(int which, int i) { return (i * 5 + which) % 7 - 3; }

static blas_handle open_blas(void) {
  blas_handle h;
  ok(blas.create(&h));
  ok(blas.set_stream(h, stream));
  return h;
}

static gpu_address upload(int which, int type) {
  static char host[SIZE * 16];
  for (int i = 0; i < SIZE; i++) put(host, type, i, re_at(which, i), im_at(which, i));
  gpu_address a = allocate(SIZE * bytes_of[type]);
  ok(cu.copy_in(a, host, SIZE * bytes_of[type], stream));
  return a;
}

/* Computes element (i, j) of the expected product of batch `batch` by the definition of a matrix product. sum: the
** element's real and imaginary part. a_op, b_op: 0 (as is), 1 (transposed) or 2 (conjugate transposed). */
static void expected(int a_op, int b_op, int complex, int i, int j, int batch, double sum[2]) {
  sum[0] = sum[1] = 0;
  for (int l = 0; l < K; l++) {
    int ai = batch * STEP + (a_op ? l + i * LDA : i + l * LDA), bi = batch * STEP + (b_op ? j + l * LDB : l + j * LDB);
    double are = re_at(0, ai), aim = complex ? im_at(0, ai) : 0, bre = re_at(1, bi), bim = complex ? im_at(1, bi) : 0;
    if (a_op == 2) aim = -aim;
    if (b_op == 2) bim = -bim;
    sum[0] += are * bre - aim * bim;
    sum[1] += are * bim + aim * bre;
  }
}

/* Returns the address of a list of the batch's matrices from address `first` on, as device memory. */
static void **list(gpu_address first, int type) {
  gpu_address matrices[BATCH], made = allocate(sizeof matrices);
  for (int i = 0; i < BATCH; i++) matrices[i] = first + (gpu_address)i * STEP * bytes_of[type];
  ok(cu.copy_in(made, matrices, sizeof matrices, stream));
  ok(cu.stream_sync(stream));
  return (void **)(uintptr_t)made;
}

/* Checks C = 2 A B + 3 C for all combinations of plain, transposed and conjugate transposed A and B, with constant
** distances and with lists of matrices. The arguments are the types of A and B, of C, of the computation, and of the
** factors 2 and 3. */
static void check(int ab, int c, int compute, int scale) {
  blas_handle h = open_blas();
  static char host[SIZE * 16];
  char alpha[16] = {0}, beta[16] = {0};
  put(alpha, scale, 0, 2, 0);
  put(beta, scale, 0, 3, 0);
  for (int ops = 0; ops < 18; ops++) {
    int a_op = ops / 3 % 3, b_op = ops % 3;
    gpu_address pa = upload(0, ab), pb = upload(1, ab), pc = upload(2, c);
    if (ops < 9)
      ok(blas.gemm_batched(h, a_op, b_op, M, N, K, alpha, (void *)(uintptr_t)pa, ab, LDA, STEP, (void *)(uintptr_t)pb, ab,
                           LDB, STEP, beta, (void *)(uintptr_t)pc, c, LDC, STEP, BATCH, compute, -1));
    else
      ok(blas.gemm_listed(h, a_op, b_op, M, N, K, alpha, (const void *const *)list(pa, ab), ab, LDA,
                          (const void *const *)list(pb, ab), ab, LDB, beta, list(pc, c), c, LDC, BATCH, compute, -1));
    read_back(host, pc, SIZE * bytes_of[c]);
    for (int i = 0; i < SIZE; i++) {
      int inside = i % STEP % LDC < M && i % STEP / LDC < N;
      for (int part = 0; part < 1 + is_complex(c); part++) {
        double old = part ? im_at(2, i) : re_at(2, i), sum[2];
        expected(a_op, b_op, is_complex(c), i % STEP % LDC, i % STEP / LDC, i / STEP, sum);
        expect(get(host, c, i, part) == (inside ? 2 * sum[part] + 3 * old : old));
      }
    }
  }
  ok(blas.destroy(h));
}

static void float32(void) { check(F32, F32, COMPUTE_32F, F32); }
static void float64(void) { check(F64, F64, COMPUTE_64F, F64); }
static void float16(void) { check(F16, F16, COMPUTE_32F, F32); check(F16, F32, COMPUTE_32F, F32); }
static void bfloat16(void) { check(BF16, BF16, COMPUTE_32F, F32); }
static void int8(void) { check(I8, I32, COMPUTE_32I, I32); }
static void complex64(void) { check(C32, C32, COMPUTE_32F, C32); }
static void complex128(void) { check(C64, C64, COMPUTE_64F, C64); }

/* If beta is 0, the old contents of C do not matter, not even a NaN. */
static void beta_zero(void) {
  blas_handle h = open_blas();
  float one = 1, zero = 0, host;
  gpu_address a = allocate(4), c = allocate(4);
  ok(cu.set_32(a, 0x40000000, 1, stream));
  ok(cu.set_32(c, 0x7fc00000, 1, stream));
  ok(blas.gemm(h, 0, 0, 1, 1, 1, &one, (void *)(uintptr_t)a, F32, 1, (void *)(uintptr_t)a, F32, 1, &zero, (void *)(uintptr_t)c,
               F32, 1, COMPUTE_32F, -1));
  read_back(&host, c, 4);
  expect(host == 4);
}

static int try(int ab, int c, int64_t lda, int64_t ldb, int64_t ldc, int compute) {
  static blas_handle h;
  static gpu_address a;
  if (!h) h = open_blas(), a = allocate(4096);
  double one[2] = {0, 0};
  void *p = (void *)(uintptr_t)a;
  return blas.gemm(h, 0, 1, 5, 3, 4, one, p, ab, lda, p, ab, ldb, one, p, c, ldc, compute, -1);
}

static void wrong_calls(void) {
  ok(try(F32, F32, 5, 3, 5, COMPUTE_32F));
  expect_result(BLAS_INVALID, try(F32, F32, 4, 3, 5, COMPUTE_32F));
  expect_result(BLAS_INVALID, try(F32, F32, 5, 2, 5, COMPUTE_32F));
  expect_result(BLAS_INVALID, try(F32, F32, 5, 3, 4, COMPUTE_32F));
  expect_result(BLAS_UNSUPPORTED, try(F32, F32, 5, 3, 5, COMPUTE_64F));
  expect_result(BLAS_UNSUPPORTED, try(F64, F32, 5, 3, 5, COMPUTE_64F));
  expect_result(BLAS_UNSUPPORTED, try(I8, I32, 5, 3, 5, COMPUTE_32I));
  ok(cu.stream_sync(stream));
}

/* The bounds of a product's operands are checked when the product runs, so the call itself succeeds. */
static void out_of_bounds(void) {
  ok(try(F32, F32, 500, 3, 5, COMPUTE_32F));
  expect_result(ILLEGAL_ADDRESS, cu.stream_sync(stream));
}

/* The same for a list, and for the matrices in a list. */
static void list_out_of_bounds(void) {
  blas_handle h = open_blas();
  float one = 1;
  gpu_address a = allocate(4), missing[2] = {a, 0}, lists = allocate(sizeof missing);
  ok(cu.copy_in(lists, missing, sizeof missing, stream));
  ok(cu.stream_sync(stream));
  void **l = (void **)(uintptr_t)lists;
  ok(blas.gemm_listed(h, 0, 0, 1, 1, 1, &one, (const void *const *)l, F32, 1, (const void *const *)l, F32, 1, &one, l, F32, 1,
                      1, COMPUTE_32F, -1));
  ok(cu.stream_sync(stream));
  ok(blas.gemm_listed(h, 0, 0, 1, 1, 1, &one, (const void *const *)l, F32, 1, (const void *const *)l, F32, 1, &one, l, F32, 1,
                      2, COMPUTE_32F, -1));
  expect_result(ILLEGAL_ADDRESS, cu.stream_sync(stream));
}

static const test tests[] = {
  {"float32", float32}, {"float64", float64}, {"float16", float16}, {"bfloat16", bfloat16}, {"int8", int8},
  {"complex64", complex64}, {"complex128", complex128}, {"beta_zero", beta_zero}, {"wrong_calls", wrong_calls},
  {"out_of_bounds", out_of_bounds}, {"list_out_of_bounds", list_out_of_bounds}, {NULL, NULL}
};

int main(int argc, char **argv) { return run_tests(tests, argc, argv); }
