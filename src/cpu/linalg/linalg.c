/* Runs the operations of linear algebra on batches of matrices. Threads share the matrices of a batch; each thread has
** its own scratch memory. A large matrix is computed by all threads together, with luatensor's own algorithms
** (linalg/block.h). A routine of LAPACK always runs on one thread, because OpenBLAS's threads slow down its level-2
** routines. With two threads of OpenBLAS, a float64 matrix of 500 × 500 takes 1.4 times as long for solve, and 21 times
** as long for qr. */

#include "cpu/linalg/linalg.h"

#include <limits.h>

enum {
  GRAIN = 1 << 15,     /* the least work for each thread, in multiplications (n³ for a matrix of n × n): a 10 × 10
                       ** matrix takes 2 µs to 20 µs, so a thread gets 32 of them, at least 0.06 ms */
  LARGE = 1 << 22,     /* the least work (n³, so from n = 162 on) for which threads share a matrix; threads that share
                       ** a matrix of 128 × 128 (0.04 to 0.3 ms) gain nothing */
  COMPLEX_SMALL = 6,   /* the most rows, and the most columns, of a complex matrix for which luatensor's kernels are
                       ** faster than LAPACK */
  LSTSQ_MOST = 1 << 12,   /* the most elements of a matrix of lstsq in lanes: 4096 vectors fill a quarter of 1 MiB of L2 */
  FEWEST_LANES = 4,       /* with fewer lanes, rows of one matrix are swapped faster than rows of many matrices */
  ROTATED   = 4        /* the most rows of a single matrix that Jacobi's rotations make diagonal faster than LAPACK */
};

static const routine *const routines[LINALG_COUNT] = {
  [LINALG_cholesky] = &cholesky_routine, [LINALG_lu] = &lu_routine, [LINALG_lu_solve] = &lu_solve_routine,
  [LINALG_solve] = &solve_routine, [LINALG_inv] = &inv_routine, [LINALG_det] = &det_routine,
  [LINALG_slogdet] = &slogdet_routine, [LINALG_qr] = &qr_routine, [LINALG_svd] = &svd_routine,
  [LINALG_eigh] = &eigh_routine, [LINALG_eig] = &eig_routine, [LINALG_lstsq] = &lstsq_routine,
};

/* ---- scratch memory ---- */

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t scratch_bytes(const solver *s) {
  return aligned((size_t)s->tau * s->l->size) + aligned((size_t)s->work * s->l->size) +
         aligned((size_t)s->reals * s->l->real_size) + aligned((size_t)s->integers * sizeof(int));
}

static scratch scratch_of(const solver *s, char *memory, int thread) {
  scratch w = {.lwork = (int)s->work, .lreals = (int)s->reals, .lintegers = (int)s->integers};
  memory += scratch_bytes(s) * (size_t)thread;
  w.tau = memory;
  w.work = memory += aligned((size_t)s->tau * s->l->size);
  w.reals = memory += aligned((size_t)s->work * s->l->size);
  memory += aligned((size_t)s->reals * s->l->real_size);
  w.integers = (int *)(void *)memory;
  return w;
}

/* ---- the batch ---- */

typedef struct batch {
  const solver *s;
  char *memory;        /* the scratch memory of all threads */
} batch;

static void run_matrix(const void *arg, int64_t i, int worker) {
  const batch *b = arg;
  const solver *s = b->s;
  const routine *r = routines[s->c->op];
  scratch w = scratch_of(s, b->memory, worker);
  bool refused = r->finite && !lapack_is_finite(s->l, a_of(s, i), s->c->m * s->c->n);
  int info = refused ? LINALG_NOT_FINITE : r->run(s, &w, i);
  if (s->c->info) s->c->info[i] = info;
}

/* Returns the call of the kernel of s->lanes for the group of matrices that begins at `first`. */
static lanes_call group_call(const solver *s, const scratch *w, int64_t first, int32_t *info) {
  const linalg_call *c = s->c;
  int64_t known = c->m < c->n ? c->m : c->n, p = c->full ? c->m : known, left = c->batch - first;
  int64_t b_size = c->op == LINALG_qr ? c->m * p : (c->op == LINALG_lstsq ? most_of(s->m, s->n) : c->n) * c->k;
  return (lanes_call){
    .m = s->m, .n = s->n, .k = s->k, .count = left < group_size(s) ? (int)left : group_size(s),
    .transposed = c->transposed, .full = c->full, .vectors = c->vectors, .upper = c->upper, .rtol = tolerance_of(s), .a = a_of(s, first),
    .values = reals_of(s, c->values, known, first),
    .b = elements_of(s, c->b, b_size, first), .c = elements_of(s, c->c, p * c->n, first),
    .pivots = pivots_of(s, w, first), .info = info, .room = w->work};
}

static void run_group(const void *arg, int64_t group, int worker) {
  const batch *b = arg;
  const solver *s = b->s;
  const routine *r = routines[s->c->op];
  scratch w = scratch_of(s, b->memory, worker);
  int32_t info[LANES_MOST] = {0};
  int64_t first = group * group_size(s);
  lanes_call c = group_call(s, &w, first, info);
  s->lanes->run[s->c->op](&c);
  for (int i = 0; i < c.count; i++) {
    if (r->finish) info[i] = r->finish(s, &w, first + i, info[i]);
    if (s->c->info) s->c->info[first + i] = info[i];
  }
}

static double work_of(const linalg_call *c) {
  return (double)c->m * (double)c->n * (double)(c->m < c->n ? c->m : c->n);
}

/* Returns the number of threads that share the batch, each with whole matrices. 1 means that matrices are computed
** one after the other; large matrices are then computed by all threads together. */
static int batch_threads(const linalg_call *c) {
  if (work_of(c) >= LARGE && c->batch < cpu_thread_count()) return 1;
  int64_t grain = (int64_t)(GRAIN / (work_of(c) + 20));
  return cpu_threads(c->batch, grain > 0 ? grain : 1);
}

/* True if a length can be passed as an int. LAPACK answers a query with a negative length if the
** required length overflows. */
static bool fits(int64_t length) { return length >= 0 && length <= INT_MAX; }

/* Sets the sizes of scratch memory. The kernels of lanes need space for their matrices and pivots. lstsq also needs its
** routine's memory, for matrices without full rank. */
static void plan_scratch(solver *s) {
  bool is_lstsq = s->c->op == LINALG_lstsq;
  if (routines[s->c->op]->plan && (!s->lanes || is_lstsq)) routines[s->c->op]->plan(s);
  if (!s->lanes) return;
  int64_t most = most_of(s->m, s->n), least = least_of(s->m, s->n);
  int64_t room = (is_lstsq ? lanes_lstsq_room(most, least) : lanes_room(most)) / (int64_t)s->l->size;
  int64_t pivots = is_lstsq ? 0 : group_size(s) * least;
  if (s->work < room) s->work = room;
  if (s->integers < pivots) s->integers = pivots;
}

static int run_batch(solver *s, int threads) {
  plan_scratch(s);
  if (!fits(s->work) || !fits(s->reals) || !fits(s->integers)) return ERR_OVERFLOW;
  size_t bytes = scratch_bytes(s) * (size_t)threads;
  void *memory = NULL;
  int st = bytes ? cpu_alloc(0, bytes, &memory) : OK;
  if (st != OK) return st;
  int64_t groups = (s->c->batch + group_size(s) - 1) / group_size(s);
  cpu_parallel(threads, groups, s->lanes ? run_group : run_matrix, &(batch){s, memory});
  if (bytes) cpu_free(0, memory, bytes);
  return OK;
}

static const linalg_kernel *small_kernels(enum dtype d) {
  switch (d) {
    case DT_float32:   return cpu_isa->linalg_float32;
    case DT_float64:   return cpu_isa->linalg_float64;
    case DT_complex64: return cpu_isa->linalg_complex64;
    default:           return cpu_isa->linalg_complex128;
  }
}

/* True if matrices are computed faster one by one. Swapping rows takes most of the time of LU: with AVX2, 1000
** determinants of 16 × 16 doubles take 0.61 ms at once, and 0.45 ms one by one. */
static bool too_few_lanes(const linalg_call *c, int lanes) {
  bool factors = c->op == LINALG_lu || c->op == LINALG_det || c->op == LINALG_slogdet;
  if (c->op == LINALG_cholesky || c->op == LINALG_qr) return false;
  return lanes < FEWEST_LANES || (factors && c->n >= 2 * lanes);
}

/* Returns the most rows for which the kernels of lanes also compute single matrices, so that the bits do not depend on
** the size of the batch. The bits of QR, eigh and svdvals of larger matrices may depend on it. LU and Cholesky have the
** same bits in both ways. */
static int rows_alone(const linalg_call *c) {
  if (c->op == LINALG_eigh || c->op == LINALG_svd) return ROTATED;
  return c->op == LINALG_qr ? LINALG_SMALL : 0;
}

/* Returns the kernels that compute many matrices at once, or NULL if matrices are faster one by one. They compute no
** singular vectors. */
static const lanes_table *lanes_for(const linalg_call *c) {
  const lanes_table *table = FLOAT_TABLE(lanes, c->dtype);
  int64_t rows = c->m > c->n ? c->m : c->n, columns = c->m > c->n ? c->n : c->m;
  if (!table || !table->run[c->op]) return NULL;
  if (c->op == LINALG_lstsq) {
    if (columns > LANES_ROWS || rows * columns > LSTSQ_MOST) return NULL;
  } else if (rows > (c->op == LINALG_qr ? LANES_ROWS : LINALG_SMALL)) {
    return NULL;
  }
  if (c->op == LINALG_svd && c->vectors) return NULL;
  if (rows <= rows_alone(c)) return table;
  return 2 * c->batch < table->lanes || too_few_lanes(c, table->lanes) ? NULL : table;
}

int cpu_linalg(int index, const linalg_call *c) {
  (void)index;
  solver s = {.c = c, .l = lapack_of(c->dtype), .m = (int)c->m, .n = (int)c->n, .k = (int)c->k};
  if (!s.l) return ERR_NO_KERNEL;
  if (c->m > INT_MAX || c->n > INT_MAX || c->k > INT_MAX) return ERR_OVERFLOW;
  int small = s.l->is_complex ? COMPLEX_SMALL : LINALG_SMALL;
  if (s.m <= small && s.n <= small) s.small = small_kernels(c->dtype);
  s.lanes = lanes_for(c);
  int threads = batch_threads(c);
  bool together = threads == 1 && work_of(c) >= LARGE;
  blas_use use = cpu_blas_begin(together ? cpu_thread_count() : threads);
  s.threads = together ? use.threads : 1;
  int st = use.threads > 0 ? run_batch(&s, together ? 1 : use.threads) : ERR_MEMORY;
  cpu_blas_end(&use);
  return st;
}
