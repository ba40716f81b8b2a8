#include "base/dispatch.h"

/* ---- the work of a call: elements, bytes and arithmetic operations ---- */

/* Returns the number of distinct elements of operand k that a plan visits: the product of the lengths of all dims in
** which the operand is not broadcast. */
static double visited(const plan *p, int k) {
  double n = 1;
  for (int d = 0; d < p->ndim; d++)
    if (p->stride[k][d] != 0) n *= (double)p->shape[d];
  return n;
}

static double bytes_of(double n, enum dtype d) { return n * dtype_size(d); }

static double bytes_visited(const plan *p, int k, const operand *o) {
  return o->data ? bytes_of(visited(p, k), o->dtype) : 0;
}

/* Returns the bytes that n operands have together, with broadcast elements counted once. The operands are operands
** `first` … of the plan. */
static double bytes_of_operands(const plan *p, int first, const operand *o, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += bytes_visited(p, first + i, &o[i]);
  return sum;
}

static work work_map(const map_call *c) {
  return (work){.dtype = c->compute, .elements = (double)c->plan->count, .read = bytes_of_operands(c->plan, 1, c->in, c->nin),
                .written = bytes_visited(c->plan, 0, &c->out)};
}

static work work_elementwise(const elementwise_call *c) {
  const elementwise_program *p = c->program;
  return (work){.dtype = p->step[p->nstep - 1].compute, .elements = (double)c->plan->count,
                .read = bytes_of_operands(c->plan, p->nout, c->in, p->nin),
                .written = bytes_of_operands(c->plan, 0, c->out, p->nout)};
}

static work work_reduce(const reduce_call *c) {
  double in = visited(&c->kept, 1) * visited(&c->reduced, 0);
  return (work){.dtype = c->compute, .elements = (double)c->kept.count * (double)c->reduced.count,
                .read = bytes_of(in, c->in.dtype), .written = bytes_of((double)c->kept.count, c->out.dtype)};
}

static work work_line(const line_call *c, int64_t out_n) {
  double lines = (double)c->outer.count, in = visited(&c->outer, 1) * (c->in_stride ? (double)c->n : 1);
  return (work){.dtype = c->compute, .elements = lines * (double)c->n, .read = bytes_of(in, c->in.dtype),
                .written = bytes_of(lines * (double)out_n, c->out.dtype)};
}

static work work_scan(const scan_call *c)       { return work_line(&c->line, c->line.n + c->initial); }
static work work_softmax(const softmax_call *c) { return work_line(&c->line, c->line.n); }

static work work_cross_entropy(const cross_entropy_call *c) {
  double n = (double)c->rows * (double)c->n, in = bytes_of(n, c->in.dtype);
  double all = c->reduction == CROSS_ENTROPY_none ? (double)c->rows : 1;
  double classes = (double)c->rows * sizeof(int64_t), sums = bytes_of(2 * (double)c->rows + 1, c->compute);
  double losses = bytes_of(all, c->compute);
  return c->backward ? (work){.dtype = c->compute, .elements = n, .read = in + classes + sums + losses,
                              .written = bytes_of(n, c->out.dtype)}
                     : (work){.dtype = c->compute, .elements = n, .read = in + classes, .written = sums + losses};
}

/* Counts the bytes of `in` and `out`, and of the gradient in the backward pass. The bytes of parameters and statistics
** are not counted, because they are few in comparison. */
static work work_norm(const norm_call *c) {
  double n = (double)c->rows * (double)c->segments * (double)c->run, bytes = bytes_of(n, c->in.dtype);
  return (work){.dtype = c->compute, .elements = n, .read = c->backward ? 2 * bytes : bytes, .written = c->out.data ? bytes : 0};
}

static work work_index(const index_call *c) {
  double n = 1, positions = 0, size = dtype_size(c->values.dtype);
  for (int d = 0; d < c->plan.ndim; d++) n *= (double)c->plan.shape[d];
  for (int k = 0; k < c->nindex; k++) positions += (double)c->index[k].count * sizeof(int64_t);
  return (work){.dtype = c->values.dtype, .elements = n, .written = n * size,
                .read = positions + n * size * (c->op == INDEX_add ? 2 : 1)};
}

static work work_nonzero(const nonzero_call *c) {
  double n = 1;
  for (int d = 0; d < c->ndim; d++) n *= (double)c->shape[d];
  return (work){.dtype = DT_bool, .elements = n, .read = n,
                .written = c->out ? (double)c->count * c->ndim * sizeof(int64_t) : 0};
}

static work work_search(const search_call *c) {
  double rows = (double)c->rows, wanted = rows * (double)c->count;
  return (work){.dtype = c->dtype, .elements = wanted, .read = bytes_of(rows * (double)c->n + wanted, c->dtype),
                .written = wanted * sizeof(int64_t)};
}

static work work_sort(const sort_call *c) {
  double lines = (double)c->outer.count, in = lines * (double)c->n, kept = lines * (double)c->keep;
  return (work){.dtype = c->in.dtype, .elements = in, .read = bytes_of(in, c->in.dtype),
                .written = (c->values.data ? bytes_of(kept, c->values.dtype) : 0) +
                           (c->positions.data ? bytes_of(kept, c->positions.dtype) : 0)};
}

static work work_fft(const fft_call *c) {
  double lines = (double)c->outer.count, n = (double)c->n[c->rank - 1], half = (double)(c->n[c->rank - 1] / 2 + 1);
  for (int d = 0; d < c->rank - 1; d++) lines *= (double)c->n[d];
  return (work){.dtype = c->in.dtype, .elements = lines * n,
                .read = bytes_of(lines * (c->kind == FFT_hermitian ? half : n), c->in.dtype),
                .written = bytes_of(lines * (c->kind == FFT_real ? half : n), c->out.dtype)};
}

/* Returns the number of elements of the call's dtype that a linear-algebra op writes for one matrix. work_linalg counts
** `values` (such as singular values) separately, because their dtype is always real. */
static double linalg_written(const linalg_call *c) {
  double m = (double)c->m, n = (double)c->n, k = (double)c->k, p = m < n ? m : n;
  switch (c->op) {
    case LINALG_cholesky: case LINALG_lu: case LINALG_inv: return m * n;
    case LINALG_lu_solve: case LINALG_solve:               return n * k;
    case LINALG_det: case LINALG_slogdet:                  return 1;
    case LINALG_qr:   return c->full ? m * m + m * n : m * p + p * n;
    case LINALG_svd:  return !c->b ? 0 : c->full ? m * m + n * n : m * p + p * n;
    case LINALG_eigh: return c->vectors ? n * n : 0;
    case LINALG_eig:  return (n + (c->c ? n * n : 0)) * (dtype_kind(c->dtype) == KIND_COMPLEX ? 1 : 2);
    default:          return n * k;
  }
}

static work work_linalg(const linalg_call *c) {
  bool takes_b = c->op == LINALG_lu_solve || c->op == LINALG_solve || c->op == LINALG_lstsq;
  double batch = (double)c->batch, a = (double)c->m * (double)c->n, b = takes_b ? (double)c->m * (double)c->k : 0;
  double values = c->values ? (double)(c->op == LINALG_slogdet ? 1 : c->m < c->n ? c->m : c->n) : 0;
  return (work){.dtype = c->dtype, .elements = batch * a, .read = bytes_of(batch * (a + b), c->dtype),
                .written = bytes_of(batch * linalg_written(c), c->dtype) + bytes_of(batch * values, dtype_real(c->dtype))};
}

static work work_filled(const operand *out, int64_t n) {
  return (work){.dtype = out->dtype, .elements = (double)n, .written = bytes_of((double)n, out->dtype)};
}

static work work_random(const random_call *c) { return work_filled(&c->out, c->count); }
static work work_arange(const arange_call *c) { return work_filled(&c->out, c->count); }

static work work_gemm(const gemm_call *c) {
  double m = (double)c->m, n = (double)c->n, k = (double)c->k, batch = (double)c->batch.count;
  double result = bytes_of(batch * m * n, c->dtype);
  bool adds = c->beta.f != 0 || c->beta.im != 0 || c->beta.i != 0;
  return (work){.dtype = c->dtype, .elements = batch * m * n, .written = result,
                .read = bytes_of(visited(&c->batch, 1) * m * k + visited(&c->batch, 2) * k * n, c->dtype) +
                        (adds ? result : 0),
                .flops = batch * m * n * k * (dtype_kind(c->dtype) == KIND_COMPLEX ? 8 : 2)};
}

static double area(const int64_t length[2]) { return (double)length[0] * (double)length[1]; }

/* The number of arithmetic operations includes the products with the zeros of the padding. */
static work work_conv(const conv_call *c) {
  double n = (double)c->n, each = (double)(c->c_in / c->groups) * area(c->kernel), weight = (double)c->c_out * each;
  double x = n * (double)c->c_in * area(c->in), y = n * (double)c->c_out * area(c->out);
  double made = c->op == CONV_forward ? y : c->op == CONV_input ? x : weight;
  return (work){.dtype = c->dtype, .elements = made, .written = bytes_of(made, c->dtype),
                .read = bytes_of(x + y + weight - made + (c->bias ? (double)c->c_out : 0), c->dtype), .flops = 2 * y * each};
}

static work work_pool(const pool_call *c) {
  double x = (double)c->planes * area(c->in), y = (double)c->planes * area(c->out);
  double position = c->position ? y * sizeof *c->position : 0;
  bool back = c->op == POOL_max_back || c->op == POOL_average_back;
  return (work){.dtype = c->dtype, .elements = x, .read = bytes_of(back ? y : x, c->dtype) + (back ? position : 0),
                .written = bytes_of(back ? x : y, c->dtype) + (back ? 0 : position)};
}

/* The table has the numbers of elements that a step reads and writes, in units of rows × width elements. The gates of
** an LSTM have 4 units, and the gates of a GRU have 3 units. */
static work work_cell(const cell_call *c) {
  static const struct { int read, written; } widths[CELL_COUNT] = {
    [CELL_lstm] = {5, 6}, [CELL_lstm_back] = {9, 5}, [CELL_gru] = {7, 4}, [CELL_gru_back] = {7, 7}
  };
  double n = (double)c->rows * (double)c->width;
  return (work){.dtype = c->dtype, .elements = n, .read = bytes_of(n * widths[c->op].read, c->dtype),
                .written = bytes_of(n * widths[c->op].written, c->dtype)};
}

/* The number of arithmetic operations includes the products with masked keys. */
static work work_attention(const attention_call *c) {
  double each = (double)c->batch * (double)c->heads, q = (double)c->queries, k = (double)c->keys;
  double in = each * (q + k) * (double)c->width + each * k * (double)c->out_width, out = each * q * (double)c->out_width;
  double products = each * q * k * ((double)c->width * (c->back ? 3 : 1) + (double)c->out_width * (c->back ? 2 : 1));
  return (work){.dtype = c->dtype, .elements = out, .read = bytes_of(in + (c->back ? 2 * out : 0), c->dtype),
                .written = bytes_of(c->back ? in : out, c->dtype), .flops = 2 * products};
}

static work work_update(const update_call *c) {
  work w = {.dtype = c->dtype};
  for (int k = 0; k < c->count; k++) {
    double n = (double)c->item[k].count, bytes = bytes_of(n, c->dtype);
    w.elements += n;
    w.read += bytes * (2 + c->item[k].states);
    w.written += bytes * (1 + c->item[k].states);
  }
  return w;
}

/* Returns the work of a part of a tiled call, over all rows. */
static work work_part(const tiled_part *p) {
  const void *whole = p->call[TILED_WHOLE];
  switch (p->family) {
    case TILED_map:         return work_map(whole);
    case TILED_elementwise: return work_elementwise(whole);
    case TILED_reduce:      return work_reduce(whole);
    case TILED_scan:        return work_scan(whole);
    default:                return work_softmax(whole);
  }
}

/* Local operands are not counted, because they stay in the cache. An operand that several parts read counts for each. */
static work work_tiled(const tiled_call *c) {
  work w = {.dtype = work_part(&c->part[c->nparts - 1]).dtype};
  for (int k = 0; k < c->nparts; k++) {
    const tiled_part *p = &c->part[k];
    w.elements += work_part(p).elements;
    for (int i = 0; i < p->noperand; i++) {
      if (p->at[i].local) continue;
      if (i < p->nresult) w.written += (double)p->at[i].bytes;
      else w.read += (double)p->at[i].bytes;
    }
  }
  return w;
}

/* The bytes of a user kernel's tensors are known; its elements and arithmetic operations are not. */
static work work_user_kernel(const user_kernel_call *c) {
  work w = {.dtype = DT_none};
  for (int i = 0; i < c->count; i++) {
    const user_kernel_argument *a = &c->argument[i];
    if (a->pointer && a->written) w.written += (double)a->bytes;
    if (a->pointer && !a->written) w.read += (double)a->bytes;
  }
  return w;
}

#define FAMILY(name, call)                                                                          \
  int profile_##name(place where, call *c) {                                                        \
    profile_span s = profile_begin(where);                                                          \
    int st = profile_end(&s, where, where.device->name(where.index, c));                            \
    if (s.mode != PROFILE_OFF) profile_count(&s, where, PROFILE_##name, work_##name(c));            \
    return st;                                                                                      \
  }
#include "families.def"

/* ---- copies, graphs, waits ---- */

static void count_bytes(const profile_span *s, place where, enum profile_family family, size_t read, size_t written) {
  if (s->mode == PROFILE_OFF) return;
  profile_count(s, where, family, (work){.dtype = DT_none, .read = (double)read, .written = (double)written});
}

/* Executes the element-wise call and counts it as a copy into or out of the memory of the device `where`. Bytes of the
** host's own memory are not counted. */
static int profile_move(place where, const map_call *c, enum profile_family family) {
  profile_span s = profile_begin(where);
  int st = profile_end(&s, where, where.device->map(where.index, c));
  work w = work_map(c);
  bool reads = family == PROFILE_copy_out;
  count_bytes(&s, where, family, reads ? (size_t)w.read : 0, reads ? 0 : (size_t)w.written);
  return st;
}

static int move_elements(place where, const map_call *c, enum profile_family family) {
  if (this_operation.inside) return ERR_BUSY;
  int st = profile_is_on() ? profile_move(where, c, family) : where.device->map(where.index, c);
  return this_operation.stopped ? ERR_CANCELLED : st;
}

int device_read(place from, const map_call *c) { return move_elements(from, c, PROFILE_copy_out); }
int device_write(place to, const map_call *c)  { return move_elements(to, c, PROFILE_copy_in); }

int device_copy_in(place to, void *ptr, const void *host, size_t bytes) {
  profile_span s = profile_begin(to);
  int st = profile_end(&s, to, to.device->copy_in(to.index, ptr, host, bytes));
  count_bytes(&s, to, PROFILE_copy_in, 0, bytes);
  return st;
}

int device_copy_in_later(place to, void *ptr, const void *pinned, size_t bytes) {
  profile_span s = profile_begin(to);
  int st = profile_end(&s, to, to.device->copy_in_later(to.index, ptr, pinned, bytes));
  count_bytes(&s, to, PROFILE_copy_in, 0, bytes);
  return st;
}

/* While a profile runs, waits for the queued work first, so that the measured time is the time of the copy alone. */
int device_copy_out(void *host, place from, const void *ptr, size_t bytes) {
  const device_streams *streams = from.device->streams;
  int st = profile_is_on() && streams ? device_sync_stream(from, streams->current(from.index)) : OK;
  profile_span s = profile_begin(from);
  if (st == OK) st = from.device->copy_out(from.index, host, ptr, bytes);
  st = profile_end(&s, from, st);
  count_bytes(&s, from, PROFILE_copy_out, bytes, 0);
  return st;
}

int device_copy_across(place to, void *ptr, place from, const void *from_ptr, size_t bytes) {
  profile_span s = profile_begin(to);
  int st = profile_end(&s, to, to.device->copy_across(to.index, ptr, from.index, from_ptr, bytes));
  count_bytes(&s, to, PROFILE_copy_across, 0, bytes);
  return st;
}

/* The bytes of the first device count, as those of a copy. A call that is repeated or replaced by copies does not count. */
int device_all_sum(place first, const all_sum_call *c) {
  double bytes = 0;
  profile_span s = profile_begin(first);
  int st = profile_end(&s, first, first.device->all_sum(c));
  for (int t = 0; t < c->count; t++) bytes += bytes_of((double)c->elements[t], c->in[t].dtype);
  if (st == OK) count_bytes(&s, first, PROFILE_copy_across, 0, (size_t)bytes);
  return st;
}

int device_replay(place where, void *graph) {
  profile_span s = profile_begin(where);
  int st = profile_end(&s, where, where.device->graphs->replay(where.index, graph));
  count_bytes(&s, where, PROFILE_graph, 0, 0);
  return st;
}

/* Ends the measurement of a wait. Devices without streams never have queued work, so their waits are not counted. */
static int end_wait(profile_span *s, place where, int st) {
  s->seconds = profile_elapsed(s);
  if (st == OK && where.device->streams) count_bytes(s, where, PROFILE_wait, 0, 0);
  return st;
}

int device_sync(place where) {
  profile_span s = profile_begin(where);
  return end_wait(&s, where, where.device->sync(where.index));
}

int device_sync_stream(place where, int stream) {
  profile_span s = profile_begin(where);
  return end_wait(&s, where, where.device->streams->sync(where.index, stream));
}

int device_sync_event(place where, void *event) {
  profile_span s = profile_begin(where);
  return end_wait(&s, where, where.device->streams->event_sync(where.index, event));
}
