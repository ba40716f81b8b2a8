/* The ops of linear algebra. Each op has a function that allocates scratch memory for the op and for the vendor's library,
** and a function that calls the library for one matrix of the batch (solver_routine in solver.h). */

#include "base/shape.h"
#include "gpu/linalg/solver.h"

/* Returns the address of part i of an operand. Each part has `count` elements or, for `reals`, `count` real
** numbers. */
static void *elements(const solver *s, void *base, int64_t count, int64_t i) {
  return (char *)base + count * i * s->size;
}
static void *reals(const solver *s, void *base, int64_t count, int64_t i) {
  return (char *)base + count * i * s->real_size;
}
static void *matrix(const solver *s, int64_t i) { return elements(s, s->c->a, s->c->m * s->c->n, i); }

/* Returns an address on the device to which a routine writes a status that is not used. */
static int *ignored(const solver *s) { return s->info + s->c->batch; }

static solver_triangle triangle(const solver *s) {
  return (solver_triangle)(s->c->upper ? SOLVER_UPPER : SOLVER_LOWER);
}

static int check(const solver *s, solver_result r) { return solver_check(s->g, r); }

/* Calls a *_size function of the library, enlarges the scratch memory to the sizes that it returns, and returns the
** status from the function that contains the macro. */
#define MAKE_ROOM(s, call)                                                                   \
  size_t device_ = 0, host_ = 0;                                                             \
  int st = check(s, call);                                                                   \
  return st == OK ? solver_room(s, device_, host_) : st
#define ROOM &device_, &host_

/* Copies `rows` × `columns` elements (op positive) or their conjugates (op conj) between two layouts. The strides are
** in elements. */
static int copy_2d(const solver *s, enum map_op op, void *to, int64_t to_row, int64_t to_column, const void *from,
                   int64_t from_row, int64_t from_column, int64_t rows, int64_t columns) {
  plan p = {.ndim = 2, .count = rows * columns, .shape = {columns, rows},
            .stride = {{to_column, to_row}, {from_column, from_row}}};
  plan_collapse(&p, 2);
  map_call c = {.op = op, .compute = s->c->dtype, .nin = 1, .plan = &p, .out = {.data = to, .dtype = s->c->dtype},
                .in = {{.dtype = s->c->dtype}}};
  c.in[0].data = (void *)(uintptr_t)from;      /* the cast is safe, because the operand is only read */
  return gpu_map(s->g->index, &c);
}

/* Sets `to`, a column-major matrix of columns × rows elements, to the transpose of `from`. */
static int transpose(const solver *s, void *to, const void *from, int64_t rows, int64_t columns) {
  return copy_2d(s, OP_positive, to, columns, 1, from, 1, rows, rows, columns);
}

/* Sets one triangle of each matrix a to 0: the triangle that the library neither reads nor writes. */
static int clear_other_triangle(solver *s) {
  int64_t n = s->c->n, total = n * n * s->c->batch;
  int below = s->c->upper;
  void *a = s->c->a;
  return solver_launch(s, SOLVER_clear_triangle, total, (void *[]){&a, &n, &n, &total, &below});
}

/* ---- Cholesky ---- */

static int plan_cholesky(solver *s) {
  const linalg_call *c = s->c;
  MAKE_ROOM(s, s->lib->potrf_size(s->handle, s->params, triangle(s), c->n, s->type, c->a, c->n, s->type, ROOM));
}

static int run_cholesky(solver *s, int64_t i) {
  int64_t n = s->c->n;
  return check(s, s->lib->potrf(s->handle, s->params, triangle(s), n, s->type, matrix(s, i), n, s->type, s->device,
                                s->device_bytes, s->host, s->host_bytes, s->info + i));
}

/* Not every library reports a matrix with NaN. */
static int finish_cholesky(solver *s) {
  int64_t n = s->c->n, total = n * s->c->batch;
  void *a = s->c->a;
  int st = clear_other_triangle(s);
  return st == OK ? solver_launch(s, SOLVER_find_nan, total, (void *[]){&a, &n, &total, &s->info}) : st;
}

static const solver_routine cholesky = {plan_cholesky, run_cholesky, finish_cholesky, false};

/* ---- LU ---- */

static int plan_pivots(solver *s) {
  return solver_scratch(s, (size_t)(s->least * s->c->batch * s->g->vendor->pivot_bytes), &s->pivots);
}

/* Returns the pivots of matrix i. */
static void *pivots(const solver *s, int64_t i) { return (char *)s->pivots + i * s->least * s->g->vendor->pivot_bytes; }

/* cuSOLVER's LU factorization takes NaN for 0 (version 12.0 on an H100). Matrices with NaN are therefore noted before the
** factorization, and their results become NaN after it. */

static int note_nan(solver *s) {
  int64_t count = s->c->m * s->c->n, total = count * s->c->batch;
  void *a = s->c->a;
  int st = solver_zeros(s, (size_t)s->c->batch * sizeof *s->nan, &s->nan);
  return st == OK ? solver_launch(s, SOLVER_note_nan, total, (void *[]){&a, &count, &total, &s->nan}) : st;
}

/* Fills the results of matrices with NaN. A result has `count` elements. */
static int spread_nan(solver *s, void *x, int64_t count) {
  int64_t total = count * s->c->batch;
  return solver_launch(s, SOLVER_spread_nan, total, (void *[]){&x, &count, &total, &s->nan, &s->info});
}

static int spread_to_a(solver *s) { return spread_nan(s, s->c->a, s->c->m * s->c->n); }
static int spread_to_b(solver *s) { return spread_nan(s, s->c->b, s->c->n * s->c->k); }

static int plan_lu(solver *s) {
  const linalg_call *c = s->c;
  int made = plan_pivots(s);
  if (made == OK) made = note_nan(s);
  if (made != OK) return made;
  MAKE_ROOM(s, s->lib->getrf_size(s->handle, s->params, c->m, c->n, s->type, c->a, c->m, s->type, ROOM));
}

static int run_lu(solver *s, int64_t i) {
  const linalg_call *c = s->c;
  return check(s, s->lib->getrf(s->handle, s->params, c->m, c->n, s->type, matrix(s, i), c->m,
                                pivots(s, i), s->type, s->device, s->device_bytes, s->host, s->host_bytes,
                                s->info + i));
}

static int finish_lu(solver *s) {
  const linalg_call *c = s->c;
  int64_t total = s->least * c->batch, m = c->m, p = s->least, batch = c->batch;
  int32_t *narrow = c->pivots;
  int64_t *order = c->order;
  int st = spread_to_a(s);
  if (st == OK && narrow) st = solver_launch(s, SOLVER_narrow_pivots, total, (void *[]){&s->pivots, &narrow, &total});
  if (st != OK || !order) return st;
  return solver_launch(s, SOLVER_follow_pivots, batch, (void *[]){&s->pivots, &p, &order, &m, &batch});
}

static blas_operation operation(bool transposed) { return (blas_operation)(transposed ? BLAS_T : BLAS_N); }

/* Plans solutions for k columns. */
static int plan_columns(solver *s, bool transposed, int64_t k) {
  int64_t n = s->c->n;
  if (!s->lib->getrs_size) return OK;
  MAKE_ROOM(s, s->lib->getrs_size(s->handle, operation(transposed), n, k, s->type, n, n, ROOM));
}

/* Replaces b, an n × k matrix, by the solution x of a x = b or, if `transposed` is set, of aᵀ x = b. Matrix i of the
** batch contains the LU factors of a. */
static int solve_with(solver *s, bool transposed, void *b, int64_t k, int64_t i) {
  int64_t n = s->c->n;
  int st = s->lib->set_room ? check(s, s->lib->set_room(s->handle, s->device, s->device_bytes)) : OK;
  if (st != OK) return st;
  return check(s, s->lib->getrs(s->handle, s->params, operation(transposed), n, k, s->type, matrix(s, i), n, pivots(s, i),
                                s->type, b, n, ignored(s)));
}

static int plan_lu_solve(solver *s) {
  int64_t total = s->c->n * s->c->batch;
  int32_t *narrow = s->c->pivots;
  int st = plan_pivots(s);
  if (st == OK) st = note_nan(s);
  if (st == OK) st = plan_columns(s, s->c->transposed, s->c->k);
  return st == OK ? solver_launch(s, SOLVER_widen_pivots, total, (void *[]){&narrow, &s->pivots, &total}) : st;
}

static int run_lu_solve(solver *s, int64_t i) {
  return solve_with(s, s->c->transposed, elements(s, s->c->b, s->c->n * s->c->k, i), s->c->k, i);
}

static int plan_solve(solver *s) {
  int st = plan_lu(s);
  return st == OK ? plan_columns(s, s->c->transposed, s->c->k) : st;
}

static int run_solve(solver *s, int64_t i) {
  int st = run_lu(s, i);
  return st == OK ? run_lu_solve(s, i) : st;
}

/* Plans the inverse, which is computed as the solution for an identity matrix b. */
static int plan_inv(solver *s) {
  int st = plan_lu(s);
  if (st == OK) st = plan_columns(s, false, s->c->n);
  return st == OK ? solver_scratch(s, (size_t)(s->c->n * s->c->n * s->size), &s->extra[0]) : st;
}

static int run_inv(solver *s, int64_t i) {
  int64_t n = s->c->n, total = n * n;
  int st = run_lu(s, i);
  if (st == OK) st = solver_launch(s, SOLVER_fill_identity, total, (void *[]){&s->extra[0], &n, &total});
  if (st == OK) st = solve_with(s, false, s->extra[0], n, i);
  return st == OK ? copy_2d(s, OP_positive, matrix(s, i), 1, n, s->extra[0], 1, n, n, n) : st;
}

static int finish_det(solver *s) {
  int64_t n = s->c->n, batch = s->c->batch;
  void *a = s->c->a, *det = s->c->b;
  int st = spread_to_a(s);
  return st != OK ? st : solver_launch(s, SOLVER_make_det, batch, (void *[]){&a, &n, &s->pivots, &s->info, &det, &batch});
}

static int finish_slogdet(solver *s) {
  int64_t n = s->c->n, batch = s->c->batch;
  void *a = s->c->a, *sign = s->c->b, *values = s->c->values;
  int st = spread_to_a(s);
  return st != OK ? st : solver_launch(s, SOLVER_make_slogdet, batch, (void *[]){&a, &n, &s->pivots, &s->info, &sign, &values, &batch});
}

static const solver_routine lu = {plan_lu, run_lu, finish_lu, false};
static const solver_routine lu_solve = {plan_lu_solve, run_lu_solve, spread_to_b, false};
static const solver_routine solve = {plan_solve, run_solve, spread_to_b, false};
static const solver_routine inv = {plan_inv, run_inv, spread_to_a, false};
static const solver_routine det = {plan_lu, run_lu, finish_det, false};
static const solver_routine slogdet = {plan_lu, run_lu, finish_slogdet, false};

/* ---- QR ---- */

/* orgqr_size and orgqr compute Q from the result of geqrf. The table has a separate function for each dtype. */
static int orgqr_size(const solver *s, int m, int p, int k, const void *a, const void *tau, int *elements_) {
  switch (s->c->dtype) {
    case DT_float32:   return check(s, s->lib->orgqr_size_float32(s->handle, m, p, k, a, m, tau, elements_));
    case DT_float64:   return check(s, s->lib->orgqr_size_float64(s->handle, m, p, k, a, m, tau, elements_));
    case DT_complex64: return check(s, s->lib->orgqr_size_complex64(s->handle, m, p, k, a, m, tau, elements_));
    default:           return check(s, s->lib->orgqr_size_complex128(s->handle, m, p, k, a, m, tau, elements_));
  }
}

static int orgqr(const solver *s, int m, int p, int k, void *q, const void *tau) {
  int n = (int)least_of((int64_t)s->device_bytes / s->size, INT32_MAX), *info = ignored(s);
  switch (s->c->dtype) {
    case DT_float32:   return check(s, s->lib->orgqr_float32(s->handle, m, p, k, q, m, tau, s->device, n, info));
    case DT_float64:   return check(s, s->lib->orgqr_float64(s->handle, m, p, k, q, m, tau, s->device, n, info));
    case DT_complex64: return check(s, s->lib->orgqr_complex64(s->handle, m, p, k, q, m, tau, s->device, n, info));
    default:           return check(s, s->lib->orgqr_complex128(s->handle, m, p, k, q, m, tau, s->device, n, info));
  }
}

static int64_t columns_of_q(const solver *s) { return s->c->full ? s->c->m : s->least; }

static int plan_geqrf(solver *s) {
  const linalg_call *c = s->c;
  MAKE_ROOM(s, s->lib->geqrf_size(s->handle, s->params, c->m, c->n, s->type, c->a, c->m, s->type, s->extra[0], s->type,
                                  ROOM));
}

static int plan_qr(solver *s) {
  int64_t m = s->c->m, p = columns_of_q(s);
  int n = 0;
  if (m > INT32_MAX || p > INT32_MAX) return ERR_OVERFLOW;
  int st = solver_scratch(s, (size_t)(s->least * s->c->batch * s->size), &s->extra[0]);
  if (st == OK) st = plan_geqrf(s);
  if (st == OK) st = orgqr_size(s, (int)m, (int)p, (int)s->least, s->c->b, s->extra[0], &n);
  return st == OK ? solver_room(s, (size_t)n * (size_t)s->size, 0) : st;
}

static int run_qr(solver *s, int64_t i) {
  const linalg_call *c = s->c;
  return check(s, s->lib->geqrf(s->handle, s->params, c->m, c->n, s->type, matrix(s, i), c->m, s->type,
                                elements(s, s->extra[0], s->least, i), s->type, s->device, s->device_bytes, s->host,
                                s->host_bytes, ignored(s)));
}

/* Copies R from all matrices, and also the columns from which Q is made, before it makes any Q. This order is required,
** because Q may overwrite the matrices. */
static int finish_qr(solver *s) {
  const linalg_call *c = s->c;
  int64_t m = c->m, n = c->n, p = columns_of_q(s), r_total = p * n * c->batch, q_total = m * p * c->batch;
  void *a = c->a, *q = c->b, *r = c->c;
  int st = solver_launch(s, SOLVER_copy_upper, r_total, (void *[]){&a, &m, &r, &p, &n, &r_total});
  if (st == OK && q != a) st = solver_launch(s, SOLVER_copy_columns, q_total, (void *[]){&a, &m, &n, &q, &p, &q_total});
  for (int64_t i = 0; st == OK && i < c->batch; i++)
    st = orgqr(s, (int)m, (int)p, (int)s->least, elements(s, q, m * p, i), elements(s, s->extra[0], s->least, i));
  return st;
}

static const solver_routine qr = {plan_qr, run_qr, finish_qr, false};

/* ---- singular values ---- */

/* Not every library takes matrices with more columns than rows, so a wide matrix a is transposed first. height returns the
** number of rows of the matrix that the library factors. */
static int64_t height(const solver *s) { return most_of(s->c->m, s->c->n); }
static bool is_wide(const solver *s) { return s->c->m < s->c->n; }

static int size_svd(solver *s, bool vectors, bool full) {
  int64_t m = height(s), n = s->least;
  signed char job = vectors ? full ? 'A' : 'S' : 'N';
  MAKE_ROOM(s, s->lib->gesvd_size(s->handle, s->params, job, job, m, n, s->type, s->c->a, m, s->real, s->c->values,
                                  s->type, s->c->b, m, s->type, s->c->c, n, s->type, ROOM));
}

/* Computes the singular value decomposition of the height × least matrix `a`, and overwrites `a`. u has the shape
** height × (full ? height : least), and vt has the shape least × least. Both are NULL if only the values are needed. */
static int call_svd(solver *s, void *a, void *values, void *u, void *vt, bool full, int *info) {
  int64_t m = height(s), n = s->least;
  signed char job = u ? full ? 'A' : 'S' : 'N';
  return check(s, s->lib->gesvd(s->handle, s->params, job, job, m, n, s->type, a, m, s->real, values, s->type, u, m,
                                s->type, vt, n, s->type, s->device, s->device_bytes, s->host, s->host_bytes, info));
}

/* Allocates scratch memory for the transpose of one matrix and for its singular vectors. */
static int plan_transposed(solver *s, bool vectors, bool full) {
  int64_t m = height(s), n = s->least;
  int st = solver_scratch(s, (size_t)(m * n * s->size), &s->extra[0]);
  if (st == OK && vectors) st = solver_scratch(s, (size_t)(m * (full ? m : n) * s->size), &s->extra[1]);
  return st == OK && vectors ? solver_scratch(s, (size_t)(n * n * s->size), &s->extra[2]) : st;
}

/* Computes a = u diag(values) vt. A wide matrix is transposed: aᵀ = (vtᵀ) diag(values) (uᵀ). */
static int svd_of(solver *s, void *a, void *values, void *u, void *vt, bool full, int *info) {
  int64_t m = height(s), n = s->least, columns = full ? m : n;
  if (!is_wide(s)) return call_svd(s, a, values, u, vt, full, info);
  int st = transpose(s, s->extra[0], a, n, m);
  if (st == OK) st = call_svd(s, s->extra[0], values, u ? s->extra[1] : NULL, u ? s->extra[2] : NULL, full, info);
  if (st == OK && u) st = transpose(s, u, s->extra[2], n, n);
  return st == OK && u ? transpose(s, vt, s->extra[1], m, columns) : st;
}

static int plan_svd(solver *s) {
  bool vectors = s->c->b != NULL;
  int st = is_wide(s) ? plan_transposed(s, vectors, s->c->full) : OK;
  return st == OK ? size_svd(s, vectors, s->c->full) : st;
}

static int run_svd(solver *s, int64_t i) {
  const linalg_call *c = s->c;
  int64_t p = s->least, u_columns = c->full ? c->m : p, vt_rows = c->full ? c->n : p;
  void *u = c->b ? elements(s, c->b, c->m * u_columns, i) : NULL;
  void *vt = c->c ? elements(s, c->c, vt_rows * c->n, i) : NULL;
  return svd_of(s, matrix(s, i), reals(s, c->values, p, i), u, vt, c->full, s->info + i);
}

static const solver_routine svd = {plan_svd, run_svd, NULL, true};

/* ---- eigenvalues ---- */

static solver_vectors vectors_of(bool wanted) {
  return (solver_vectors)(wanted ? SOLVER_WITH_VECTORS : SOLVER_VALUES_ONLY);
}

/* Plans eigh. Clears the triangle that the library does not read, because check_finite would report infinities and NaN
** in this triangle. */
static int plan_eigh(solver *s) {
  const linalg_call *c = s->c;
  int cleared = clear_other_triangle(s);
  if (cleared != OK) return cleared;
  MAKE_ROOM(s, s->lib->syevd_size(s->handle, s->params, vectors_of(c->vectors), triangle(s), c->n, s->type, c->a, c->n,
                                  s->real, c->values, s->type, ROOM));
}

static int run_eigh(solver *s, int64_t i) {
  const linalg_call *c = s->c;
  return check(s, s->lib->syevd(s->handle, s->params, vectors_of(c->vectors), triangle(s), c->n, s->type, matrix(s, i),
                                c->n, s->real, reals(s, c->values, c->n, i), s->type, s->device, s->device_bytes,
                                s->host, s->host_bytes, s->info + i));
}

static const solver_routine eigh = {plan_eigh, run_eigh, NULL, true};

static blas_type complex_type(const solver *s) {
  return (blas_type)(s->real_size == 4 ? BLAS_COMPLEX64 : BLAS_COMPLEX128);
}

static int size_eig(solver *s) {
  const linalg_call *c = s->c;
  int64_t n = c->n;
  MAKE_ROOM(s, gpu_get_eig(s->g->vendor)->geev_size(s->handle, s->params, vectors_of(false), vectors_of(c->c != NULL), n, s->type,
                                                 c->a, n, complex_type(s), c->b, s->type, NULL, n, s->type, c->c, n,
                                                 s->type, ROOM));
}

/* True if the library returns the complex eigenvectors of a real matrix packed into real numbers. */
static bool is_packed(const solver *s) { return s->c->c && dtype_kind(s->c->dtype) == KIND_FLOAT; }

static int plan_eig(solver *s) {
  int st = is_packed(s) ? solver_scratch(s, (size_t)(s->c->n * s->c->n * s->size), &s->extra[0]) : OK;
  return st == OK ? size_eig(s) : st;
}

static int run_eig(solver *s, int64_t i) {
  const linalg_call *c = s->c;
  int64_t n = c->n;
  char *values = (char *)c->b + 2 * n * i * s->real_size;
  char *vectors = c->c ? (char *)c->c + 2 * n * n * i * s->real_size : NULL;
  void *made = is_packed(s) ? s->extra[0] : vectors;
  int st = check(s, gpu_get_eig(s->g->vendor)->geev(s->handle, s->params, vectors_of(false), vectors_of(vectors != NULL), n,
                                                 s->type, matrix(s, i), n, complex_type(s), values, s->type, NULL, n,
                                                 s->type, made, n, s->type, s->device, s->device_bytes, s->host,
                                                 s->host_bytes, s->info + i));
  if (st != OK || !is_packed(s)) return st;
  return solver_launch(s, SOLVER_unpack_vectors, n * n, (void *[]){&values, &made, &vectors, &n});
}

static const solver_routine eig = {plan_eig, run_eig, NULL, true};

/* ---- least squares ---- */

/* The solution is x = V diag(1 / values) Uᴴ b. Only the significant singular values are used. */

enum { U, VT, Y, REST };                 /* indices in work: scratch memory of lstsq for U, Vᴴ, y and a copy of b */
enum { WHOLE = 3 };                      /* index in extra: scratch memory for a copy of a */

/* Computes c = alpha * a * b + beta * c, where a is m × k, b is k × n and c is m × n. b and c are column-major. */
static int multiply(const solver *s, int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_column,
                    const void *b, int64_t ldb, double alpha, double beta, void *c, int64_t ldc) {
  gemm_call g = {.dtype = s->c->dtype, .m = m, .n = n, .k = k, .a = a, .a_stride = {a_row, a_column}, .b = b,
                 .b_stride = {1, ldb}, .c = c, .c_stride = {1, ldc}, .alpha = {.f = alpha}, .beta = {.f = beta},
                 .batch = {.ndim = 0, .count = 1}, .precision = PRECISION_ieee};
  return gpu_gemm(s->g->index, &g);
}

static int plan_lstsq(solver *s) {
  const linalg_call *c = s->c;
  int64_t m = c->m, n = c->n, p = s->least, k = c->k;
  int st = is_wide(s) ? plan_transposed(s, true, false) : OK;
  if (st == OK) st = solver_scratch(s, (size_t)(m * n * s->size), &s->extra[WHOLE]);
  const int64_t sizes[] = {[U] = m * p, [VT] = p * n, [Y] = p * k, [REST] = m * k};
  for (int i = 0; st == OK && i < 4; i++) st = solver_scratch(s, (size_t)(sizes[i] * s->size), &s->work[i]);
  return st == OK ? size_svd(s, true, false) : st;
}

static int conjugate(const solver *s, void *x, int64_t count) {
  bool is_complex = dtype_kind(s->c->dtype) == KIND_COMPLEX;
  return is_complex ? copy_2d(s, OP_conj, x, 1, count, x, 1, count, count, 1) : OK;
}

static int run_lstsq(solver *s, int64_t i) {
  const linalg_call *c = s->c;
  int64_t m = c->m, n = c->n, p = s->least, k = c->k, ld = height(s), *rank = c->rank + i;
  double rtol = c->rtol;
  void *a = matrix(s, i), *b = elements(s, c->b, ld * k, i), *values = reals(s, c->values, p, i);
  void *u = s->work[U], *vt = s->work[VT], *y = s->work[Y], *rest = s->work[REST], *whole = s->extra[WHOLE];
  int st = copy_2d(s, OP_positive, whole, 1, m, a, 1, m, m, n);
  if (st == OK) st = copy_2d(s, OP_positive, rest, 1, m, b, 1, ld, m, k);
  if (st == OK) st = svd_of(s, a, values, u, vt, false, s->info + i);
  if (st == OK) st = conjugate(s, u, m * p);
  if (st == OK) st = conjugate(s, vt, p * n);
  if (st == OK) st = multiply(s, p, k, m, u, m, 1, rest, m, 1, 0, y, p);
  if (st == OK) st = solver_launch(s, SOLVER_divide_by_values, p * k, (void *[]){&y, &values, &p, &k, &rtol, &rank});
  if (st == OK) st = multiply(s, n, k, p, vt, p, 1, y, p, 1, 0, b, ld);
  if (st != OK || m <= n) return st;
  st = multiply(s, m, k, n, whole, 1, m, b, ld, -1, 1, rest, m);
  return st == OK ? solver_launch(s, SOLVER_store_rest, k, (void *[]){&rest, &m, &b, &ld, &n, &k}) : st;
}

static const solver_routine lstsq = {plan_lstsq, run_lstsq, NULL, true};

const solver_routine *const solver_routines[LINALG_COUNT] = {
  [LINALG_cholesky] = &cholesky, [LINALG_lu] = &lu, [LINALG_lu_solve] = &lu_solve, [LINALG_solve] = &solve,
  [LINALG_inv] = &inv, [LINALG_det] = &det, [LINALG_slogdet] = &slogdet, [LINALG_qr] = &qr, [LINALG_svd] = &svd,
  [LINALG_eigh] = &eigh, [LINALG_eig] = &eig, [LINALG_lstsq] = &lstsq,
};
