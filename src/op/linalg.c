#include "op/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dispatch.h"
#include "base/view.h"
#include "op/deferral.h"

enum home { OWN, FIRST, SECOND };     /* the memory to which a is copied: OWN is new memory; FIRST and SECOND are the
                                      ** memory of the first or second result, which then overwrites the copy */

static const struct linalg_way {
  bool square;
  bool takes_b;
  bool reports;          /* the device reports success or failure of each matrix in `info` */
  bool columns;          /* the copy of a must be column-major; otherwise the copy is row-major, so that LAPACK sees
                         ** the transpose of a */
  enum home home;
} ways[LINALG_COUNT] = {
  [LINALG_cholesky] = {.square = true, .reports = true, .home = FIRST},
  [LINALG_lu]       = {.columns = true, .home = FIRST},
  [LINALG_lu_solve] = {.square = true, .takes_b = true, .columns = true},
  [LINALG_solve]    = {.square = true, .takes_b = true, .reports = true},
  [LINALG_inv]      = {.square = true, .reports = true, .home = FIRST},
  [LINALG_det]      = {.square = true},
  [LINALG_slogdet]  = {.square = true},
  [LINALG_qr]       = {.columns = true},
  [LINALG_svd]      = {.reports = true},
  [LINALG_eigh]     = {.square = true, .reports = true, .home = SECOND},
  [LINALG_eig]      = {.square = true, .reports = true, .columns = true},
  [LINALG_lstsq]    = {.takes_b = true, .reports = true, .columns = true},
};

/* ---- preparing ---- */

static int choose_dtype(linalg_job *j) {
  enum dtype d = j->a->dtype;
  if (j->b) d = dtype_promote(d, j->b->dtype);
  if (dtype_kind(d) < KIND_FLOAT) d = dtype_default_float();
  j->dtype = d;
  return dtype_compute(d) == d ? OK : ERR_DTYPE;
}

/* Finds the size of the matrices of a, and the batch dims: the broadcast of the batch dims of a and b. */
static int choose_shapes(linalg_job *j) {
  const shape *a = &j->a->shape;
  if (a->ndim < 2) return ERR_RANK;
  j->batch = *a;
  j->batch.ndim -= 2;
  j->m = a->dim[a->ndim - 2];
  j->n = a->dim[a->ndim - 1];
  if (ways[j->op].square && j->m != j->n) return ERR_SQUARE;
  if (!j->b) return OK;
  shape b = j->b->shape;
  if (b.ndim == 0) return ERR_RANK;
  j->vector = b.ndim == 1;
  j->k = j->vector ? 1 : b.dim[b.ndim - 1];
  if (b.dim[j->vector ? 0 : b.ndim - 2] != j->m) return ERR_INNER;
  b.ndim -= j->vector ? 1 : 2;
  int st = shape_broadcast(&j->batch, &b);
  return st == OK && j->batch.ndim + 2 > MAX_DIMS ? ERR_NDIM : st;
}

/* Adds a result with the batch dims and `ndim` (0, 1 or 2) more dims, of lengths `rows` and `columns`. */
static linalg_result *add_result(linalg_job *j, enum dtype dtype, int ndim, int64_t rows, int64_t columns) {
  linalg_result *r = &j->out[j->nout++];
  r->dtype = dtype;
  r->shape = j->batch;
  r->columns = false;
  if (ndim > 0) r->shape.dim[r->shape.ndim++] = rows;
  if (ndim > 1) r->shape.dim[r->shape.ndim++] = columns;
  return r;
}

static void add_columns(linalg_job *j, enum dtype dtype, int64_t rows, int64_t columns) {
  add_result(j, dtype, 2, rows, columns)->columns = true;
}

/* Adds a result with the shape of a solution: `rows` rows, and as many columns as b has. */
static void add_solution(linalg_job *j, int64_t rows) {
  add_result(j, j->dtype, j->vector ? 1 : 2, rows, j->k)->columns = !j->vector;
}

static void choose_results(linalg_job *j) {
  int64_t m = j->m, n = j->n, p = least_of(m, n);
  enum dtype d = j->dtype, real = dtype_real(d);
  j->nout = 0;
  switch (j->op) {
    case LINALG_cholesky:
      add_result(j, d, 2, m, n)->columns = j->upper;
      break;
    case LINALG_inv:
      add_result(j, d, 2, m, n);
      break;
    case LINALG_lu:
      add_columns(j, d, m, n);
      add_result(j, j->full ? DT_int64 : DT_int32, 1, j->full ? m : p, 0);
      break;
    case LINALG_lu_solve: case LINALG_solve:
      add_solution(j, n);
      break;
    case LINALG_slogdet:
      add_result(j, d, 0, 0, 0);
      add_result(j, real, 0, 0, 0);
      break;
    case LINALG_qr:
      add_columns(j, d, m, j->full ? m : p);
      add_columns(j, d, j->full ? m : p, n);
      break;
    case LINALG_svd:
      if (j->vectors) add_result(j, d, 2, m, j->full ? m : p);
      add_result(j, real, 1, p, 0);
      if (j->vectors) add_result(j, d, 2, j->full ? n : p, n);
      break;
    case LINALG_eigh:
      add_result(j, real, 1, n, 0);
      if (j->vectors) add_columns(j, d, n, n);
      break;
    case LINALG_eig:
      add_result(j, dtype_complex(d), 1, n, 0);
      if (j->vectors) add_columns(j, dtype_complex(d), n, n);
      break;
    case LINALG_lstsq:
      add_solution(j, most_of(m, n));
      add_result(j, DT_int64, 0, 0, 0);
      add_result(j, real, 1, p, 0);
      break;
    default:
      add_result(j, d, 0, 0, 0);
  }
}

int linalg_prepare(linalg_job *j) {
  const tensor *with[] = {j->b, j->pivots};
  for (int i = 0; i < 2; i++)
    if (with[i] && !place_equal(j->a->store->place, with[i]->store->place)) return ERR_DEVICES;
  int st = choose_shapes(j);
  if (st == OK) st = choose_dtype(j);
  if (st != OK) return st;
  choose_results(j);
  return shape_count(&j->batch, 1, &j->count);
}

/* ---- the message of a failure ---- */

static const char *reason_of(const linalg_job *j) {
  if (j->info == LINALG_NOT_FINITE) return "has NaN or infinite elements";
  if (j->op == LINALG_solve || j->op == LINALG_inv) return "is singular";
  return "is one for which the algorithm does not converge";
}

void linalg_words(char *text, size_t size, const char *fn, const linalg_job *j) {
  char which[64] = "";
  if (j->count > 1) snprintf(which, sizeof which, " %" PRId64 " of %" PRId64, j->failed + 1, j->count);
  if (j->op == LINALG_cholesky && j->info != LINALG_NOT_FINITE)
    snprintf(text, size, "%s: matrix%s is not positive definite (leading minor %d)", fn, which, (int)j->info);
  else
    snprintf(text, size, "%s: matrix%s %s", fn, which, reason_of(j));
}

/* ---- running ---- */

/* Gives the tensor t the batch dims and m × n matrices over contiguous memory. If `columns` is true, the matrices are
** column-major, else row-major. */
static void lay_out(const linalg_job *j, tensor *t, int64_t m, int64_t n, bool columns) {
  t->shape = j->batch;
  int d = t->shape.ndim;
  t->shape.ndim += 2;
  t->shape.dim[d] = columns ? n : m;
  t->shape.dim[d + 1] = columns ? m : n;
  shape_strides(&t->shape, t->stride);
  if (columns) view_swap(t, d, d + 1);
}

/* Makes `work` a copy of a. The copy is in the memory of `home`, or in new memory if `home` is NULL. */
static int copy_a(const linalg_job *j, tensor *work, const tensor *home, bool columns) {
  shape s = j->batch;
  s.dim[s.ndim++] = j->m;
  s.dim[s.ndim++] = j->n;
  int st = OK;
  if (home) tensor_view(work, home);
  else st = tensor_init(work, j->dtype, &s, j->a->store->place);
  if (st != OK) return st;
  lay_out(j, work, j->m, j->n, columns);
  return op_copy(work, j->a);
}

/* Copies b to the result x. If x has more rows than b (lstsq), the remaining rows are set to 0. */
static int copy_b(const linalg_job *j, tensor *x) {
  tensor rows = *x;
  int d = j->batch.ndim, st = OK;
  if (x->shape.dim[d] != j->m) {
    st = op_fill(x, (scalar){.i = 0});
    rows.shape.dim[d] = j->m;
    rows.count = x->count / x->shape.dim[d] * j->m;
  }
  return st == OK ? op_copy(&rows, j->b) : st;
}

/* Returns the result whose memory receives a's copy; NULL means new memory. */
static const tensor *choose_home(const linalg_job *j, tensor *const *out) {
  switch (ways[j->op].home) {
    case FIRST:  return out[0];
    case SECOND: return j->vectors ? out[1] : NULL;
    default:     break;
  }
  bool q_fits = j->op == LINALG_qr && out[0]->shape.dim[j->batch.ndim + 1] == j->n;
  return q_fits ? out[0] : NULL;
}

/* True if a must be copied in column-major order. A complex eigh with vectors requires this order, because the
** eigenvectors of aᵀ = conj(a) are the conjugates of a's eigenvectors. For cholesky, the order makes the requested
** triangle the upper one for the device. */
static bool choose_columns(const linalg_job *j) {
  if (j->op == LINALG_eigh) return j->vectors && dtype_kind(j->dtype) == KIND_COMPLEX;
  if (j->op == LINALG_cholesky) return j->upper;
  return ways[j->op].columns;
}

static double epsilon(enum dtype d) { return ldexp(1, 1 - dtypes[dtype_real(d)].digits); }

/* Sets the output operands of call c to the memory of the results `out`. */
static void set_results(const linalg_job *j, linalg_call *c, tensor *const *out) {
  void *r[LINALG_RESULTS];
  for (int i = 0; i < j->nout; i++) r[i] = tensor_data(out[i]);
  switch (j->op) {
    case LINALG_lu:
      if (j->full) c->order = r[1];
      else c->pivots = r[1];
      break;
    case LINALG_lu_solve: case LINALG_solve: case LINALG_det:
      c->b = r[0];
      break;
    case LINALG_slogdet:
      c->b = r[0];
      c->values = r[1];
      break;
    case LINALG_qr:
      c->b = r[0];
      c->c = r[1];
      break;
    case LINALG_svd:                       /* LAPACK sees aᵀ = (Vᴴ)ᵀ S Uᵀ, so the two sets of vectors are swapped */
      c->values = r[j->vectors ? 1 : 0];
      c->b = j->vectors ? r[2] : NULL;
      c->c = j->vectors ? r[0] : NULL;
      break;
    case LINALG_eigh:
      c->values = r[0];
      break;
    case LINALG_eig:
      c->b = r[0];
      c->c = j->vectors ? r[1] : NULL;
      break;
    case LINALG_lstsq:
      c->b = r[0];
      c->rank = r[1];
      c->values = r[2];
      break;
    default:
      break;
  }
}

static linalg_call make_call(const linalg_job *j, const tensor *a, bool columns, tensor *const *out) {
  linalg_call c = {.op = j->op, .dtype = j->dtype, .batch = j->count, .k = j->k, .full = j->full, .vectors = j->vectors,
                   .upper = j->upper == columns, .transposed = !columns, .a = tensor_data(a),
                   .m = columns ? j->m : j->n, .n = columns ? j->n : j->m,
                   .rtol = j->rtol >= 0 ? j->rtol : epsilon(j->dtype) * (double)most_of(j->m, j->n)};
  if (j->pivots) c.pivots = tensor_data(j->pivots);
  set_results(j, &c, out);
  return c;
}

/* Calls the device. If the op failed for a matrix, stores the number and the info of the first such matrix in j, and
** returns ERR_MATRIX. */
static int call_device(linalg_job *j, linalg_call *c) {
  place where = j->a->store->place;
  int32_t few[16], *info = NULL;
  if (ways[j->op].reports) info = j->count <= 16 ? few : malloc((size_t)j->count * sizeof *info);
  if (ways[j->op].reports && !info) return ERR_MEMORY;
  c->info = info;
  int st = device_linalg(where, c);
  for (int64_t i = 0; info && st == OK && i < j->count; i++) {
    if (!info[i]) continue;
    j->failed = i;
    j->info = info[i];
    st = ERR_MATRIX;
  }
  if (info != few) free(info);
  return st;
}

/* Sets every matrix of t to the identity. */
static int fill_identity(tensor *t) {
  int st = op_fill(t, (scalar){.i = 0}), d = t->shape.ndim - 2;
  tensor line = *t;
  view_diagonal(&line, d, d + 1, 0);
  return st == OK ? op_fill(&line, (scalar){.f = 1, .i = 1}) : st;
}

/* Writes the results for matrices without elements. For qr and svd, all results are identities. For other ops, the
** first result is 1 (for lstsq it is b), and all further results are 0. */
static int run_empty(const linalg_job *j, tensor *const *out) {
  int st = OK;
  for (int i = 0; st == OK && i < j->nout; i++) {
    bool first = i == 0;
    if (!out[i]->count) continue;
    if (j->op == LINALG_lstsq && first) st = copy_b(j, out[i]);
    else if (j->op == LINALG_qr || j->op == LINALG_svd) st = fill_identity(out[i]);
    else st = op_fill(out[i], (scalar){.f = first, .i = first});
  }
  return st;
}

static int linalg_run(linalg_job *j, tensor *const *out);

/* Runs lstsq for a b without columns. Rank and values must still be computed, so the call gets one column of
** zeros. */
static int run_no_columns(linalg_job *j, tensor *const *out) {
  tensor b = {.store = NULL}, *with[LINALG_RESULTS] = {&b, out[1], out[2]};
  linalg_job one = *j;
  shape s = j->out[0].shape;
  one.k = s.dim[s.ndim - 1] = 1;
  int st = tensor_init(&b, j->dtype, &s, j->a->store->place);
  if (st == OK) st = op_fill(&b, (scalar){.i = 0});
  one.b = NULL;
  if (st == OK) st = linalg_run(&one, with);
  j->failed = one.failed;
  j->info = one.info;
  tensor_drop(&b);
  return st;
}

static int linalg_run(linalg_job *j, tensor *const *out) {
  if (j->count == 0) return OK;
  if (j->m == 0 || j->n == 0) return run_empty(j, out);
  if (ways[j->op].takes_b && j->k == 0) return j->op == LINALG_lstsq ? run_no_columns(j, out) : OK;
  tensor a = {.store = NULL};
  bool columns = choose_columns(j);
  int st = copy_a(j, &a, choose_home(j, out), columns);
  if (st == OK && j->b) st = copy_b(j, out[0]);
  if (st == OK) {
    linalg_call c = make_call(j, &a, columns, out);
    st = call_device(j, &c);
  }
  tensor_drop(&a);
  return st;
}

/* ---- deferring ---- */

typedef struct linalg_options {
  uint64_t op, dtype, upper, full, vectors;
  scalar   rtol;
  const char *function;
} linalg_options;

/* The inputs are a, b and the pivots. */
static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  const linalg_options *o = options;
  linalg_job j = {.op = (enum linalg_op)o->op, .a = in[0], .b = in[1], .pivots = in[2], .upper = o->upper != 0,
                  .full = o->full != 0, .vectors = o->vectors != 0, .rtol = o->rtol.f, .dtype = (enum dtype)o->dtype};
  int st = choose_shapes(&j);
  if (st != OK) return st;
  choose_results(&j);
  st = shape_count(&j.batch, 1, &j.count);
  if (st == OK) st = linalg_run(&j, out);
  if (st == ERR_MATRIX) linalg_words(deferral_words(), OPAQUE_WORDS, o->function, &j);
  return st;
}

enum { KEY_BYTES = offsetof(linalg_options, rtol) };

static const opaque_op
  deferred_sure = {.run = run_deferred, .options = sizeof(linalg_options), .key = KEY_BYTES, .numbers = sizeof(scalar)},
  deferred_checked = {.run = run_deferred, .options = sizeof(linalg_options), .key = KEY_BYTES, .numbers = sizeof(scalar),
                      .checks = true};

int linalg_run_later(const char *fn, linalg_job *j, tensor *const *out) {
  linalg_options o = {.op = (uint64_t)j->op, .dtype = (uint64_t)j->dtype, .upper = j->upper, .full = j->full,
                      .vectors = j->vectors, .rtol = {.f = j->rtol, .is_float = true}, .function = fn};
  opaque_call c = {.op = ways[j->op].reports ? &deferred_checked : &deferred_sure, .name = fn, .options = &o,
                   .in = {j->a, j->b, j->pivots}, .nin = 3, .nout = j->nout};
  int st;
  for (int i = 0; i < j->nout; i++) c.out[i] = out[i];
  if (j->count == 0) return OK;
  return open_deferral && opaque_defer(&c, &st) ? st : linalg_run(j, out);
}
