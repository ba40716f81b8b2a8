/* Element-wise ops, copies, casts and fills. A call runs the first function of this list that supports the call.
** kernels/map.cuh describes the kernels.
**   the driver's copy and fill   for contiguous operands without conversion
**   map_flat                     if each operand is contiguous or one number
**   copy_tiles                   for transposed copies
**   map_rows                     if each operand is contiguous, or has one value, along the inner dim
**   map_strided                  for any operands */

#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "gpu/kernels/map_args.h"
#include "gpu/plan.h"

/* A launch: the dtypes that select the compiled kernel, and its operands. */
typedef struct map_work {
  gpu            *g;
  const map_call *call;
  const plan     *plan;
  enum dtype      compute, in, out;    /* the dtypes for which the kernel is compiled */
  enum dtype      second;              /* the dtype of the second input, which differs from `in` only for ops of two
                                       ** inputs */
  bool            mixed;               /* true if three or more inputs, or two that are not loaded as vectors, have
                                       ** several dtypes, or if the condition of a SELECT is not bool */
  map_args        args;
} map_work;

/* For each op: its name, the class of its compute dtypes, and whether the first input is a bool condition
** (SELECT). */
static const struct { const char *name; enum dtype_class takes; bool selects; } traits[OP_COUNT] = {
#define ROW(name, dtypes, result, ...) [OP_##name] = {#name, CLASS_##dtypes, false},
#define SELECT(name, dtypes, result, ...) [OP_##name] = {#name, CLASS_##dtypes, true},
#define UNARY ROW
#define BINARY ROW
#define TERNARY ROW
#define QUATERNARY ROW
#include "ops.def"
};

static bool selects(const map_work *t, int k) { return k == 0 && traits[t->call->op].selects; }

/* ---- kernels ---- */

/* The kernels of map.cuh. MIXED is map_strided, compiled for inputs of several dtypes. */
enum entry { FLAT, ROWS, STRIDED, MIXED };

static int build_map(const map_work *t, enum entry entry, uint64_t key, const gpu_kernel **k) {
  static const char *const names[] = {"map_flat", "map_rows", "map_strided", "map_strided"};
  static const char *const forms[] = {"FLAT", "STRIDED", "STRIDED", "MIXED"};
  const char *op = traits[t->call->op].name;
  gpu_source s = {.file = "map.cuh", .entry = names[entry]};
  bool half = t->call->op == OP_nextafter && dtype_compute(t->compute) != t->compute;
  gpu_define(&s, "OP=op_%s%s%s", op, half ? "_" : "", half ? dtypes[t->compute].name : "");
  gpu_define(&s, "COMPUTE=DT_%s", dtypes[t->compute].name);
  gpu_define(&s, "IN=DT_%s", dtypes[t->in].name);
  gpu_define(&s, "SECOND=DT_%s", dtypes[t->second].name);
  gpu_define(&s, "OUT=DT_%s", dtypes[t->out].name);
  gpu_define(&s, "FORM=%s", forms[entry]);
  const char *made = dtypes[t->call->op == OP_positive ? t->out : t->compute].name;
  snprintf(s.name, sizeof s.name, "%s %s", t->call->op == OP_positive ? "copy to" : op, made);
  return gpu_build(t->g, key, &s, k);
}

static int launch(const map_work *t, enum entry entry, int64_t blocks, void **arguments) {
  uint64_t key = GPU_KEY(GPU_map, t->call->op, t->compute, t->in, t->out, entry, t->second);
  const gpu_kernel *k = gpu_find(t->g, key);
  int st = k ? OK : build_map(t, entry, key, &k);
  return st == OK ? gpu_launch(t->g, k, (unsigned)blocks, MAP_THREADS, 0, arguments) : st;
}

/* Returns the size in bytes of the elements of input k. */
static int size_of_input(const map_work *t, int k) {
  return selects(t, k) ? 1 : dtype_size(k == 1 ? t->second : t->in);
}

/* Returns the size in bytes of the larger elements of the inputs. */
static int size_of_inputs(const map_work *t) {
  int first = dtype_size(t->in), second = dtype_size(t->second);
  return first > second ? first : second;
}

static int64_t share(int64_t count, int64_t of) { return (count + of - 1) / of; }

static int run_flat(map_work *t) {
  int in = size_of_inputs(t), out = dtype_size(t->out);
  int64_t block = (int64_t)MAP_THREADS * MAP_ROUNDS(in, out) * MAP_VECTOR(in, out);
  t->args.count = t->plan->count;
  return launch(t, FLAT, share(t->args.count, block), (void *[]){&t->args});
}

/* Runs the plan in pieces of at most `most` elements, because a kernel's positions have 32 bits. */
static int run_planned(map_work *t, const plan *p, enum entry entry, int64_t most) {
  int64_t pieces = gpu_plan_pieces(p, most);
  int per_thread = entry == ROWS ? MAP_ROUNDS(size_of_inputs(t), dtype_size(t->out)) : MAP_STRIDED, st = OK;
  for (int64_t i = 0; i < pieces && st == OK; i++) {
    gpu_plan g;
    gpu_plan_piece(&g, p, 1 + t->call->nin, most, i);
    st = launch(t, entry, share(g.count, (int64_t)MAP_THREADS * per_thread), (void *[]){&t->args, &g});
  }
  return st;
}

/* Runs the kernel in which each thread computes vectors of a row. The length of the inner dim is counted in
** vectors. */
static int run_rows(map_work *t, int vector) {
  plan p = *t->plan;
  int inner = p.ndim - 1;
  p.shape[inner] /= vector;
  p.count /= vector;
  for (int k = 0; k <= t->call->nin; k++) p.stride[k][inner] *= vector;
  return run_planned(t, &p, ROWS, PLAN_MOST);
}

/* ---- layouts of operands ---- */

static int64_t inner_stride(const plan *p, int k) { return p->ndim == 0 ? 0 : p->stride[k][p->ndim - 1]; }

static bool aligned(const void *data, int64_t bytes) { return (uintptr_t)data % (uintptr_t)bytes == 0; }

/* True if, in each row of operand k, vectors of `vector` elements are aligned to their size in bytes. */
static bool vectors_fit(const map_work *t, int k, const void *data, int size, int vector) {
  if (!aligned(data, (int64_t)size * vector)) return false;
  for (int d = 0; d < t->plan->ndim - 1; d++)
    if (t->plan->stride[k][d] % vector != 0) return false;
  return true;
}

/* Returns the number of elements in a vector if the operands' layout allows map_flat or map_rows, else 0. Sets bit k
** of args.runs if input k is contiguous along the inner dim. */
static int vector_of(map_work *t) {
  const plan *p = t->plan;
  int vector = MAP_VECTOR(size_of_inputs(t), dtype_size(t->out));
  if (t->mixed || (p->ndim > 0 && inner_stride(p, 0) != 1)) return 0;
  if (!vectors_fit(t, 0, t->args.out, dtype_size(t->out), vector)) return 0;
  t->args.runs = 0;
  for (int k = 0; k < t->call->nin; k++) {
    int64_t stride = inner_stride(p, 1 + k);
    if (!t->args.in[k].data || stride == 0) continue;
    if (stride != 1 || !vectors_fit(t, 1 + k, t->args.in[k].data, size_of_input(t, k), vector)) return 0;
    t->args.runs |= 1u << k;
  }
  return vector;
}

static int run_kernel(map_work *t) {
  const plan *p = t->plan;
  int vector = vector_of(t);
  if (vector && p->ndim <= 1) return run_flat(t);
  if (vector && p->shape[p->ndim - 1] % vector == 0) return run_rows(t, vector);
  /* One kernel finds the dtypes of any inputs when it runs, which takes little time beside loads of single elements. */
  if (t->second != t->in) t->mixed = true, t->in = t->second = t->compute;
  return run_planned(t, p, t->mixed ? MIXED : STRIDED, PLAN_MOST);
}

/* ---- copies ---- */

/* Returns a dtype of `size` bytes for elements that are copied without conversion: an unsigned integer, or complex128
** for 16 bytes. */
static enum dtype moved_as(int size) {
  return size == 1 ? DT_uint8 : size == 2 ? DT_uint16 : size == 4 ? DT_uint32 : size == 8 ? DT_uint64 : DT_complex128;
}

/* Fills the output by the driver, which can repeat a pattern of 1 or 4 bytes. Returns ERR_NO_KERNEL for other
** values. */
static int fill_output(const map_work *t) {
  const gpu_driver *d = t->g->driver;
  const gpu_word value = t->args.in[0].value;
  const uint64_t v = value.low, byte = v & 0xff;
  gpu_address to = (gpu_address)(uintptr_t)t->args.out;
  size_t n = (size_t)t->plan->count, size = (size_t)dtype_size(t->out);
  if (size == 16 && value.low != value.high) return ERR_NO_KERNEL;
  if (size == 16) n *= 2, size = 8;
  const uint64_t ones = size == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * size) - 1;
  if ((v & ones) == (0x0101010101010101u * byte & ones))
    return gpu_check(t->g, d->set_8(to, (unsigned char)byte, n * size, t->g->stream), "filling");
  if (size == 4 || (size == 8 && v >> 32 == (v & 0xffffffffu)))
    return gpu_check(t->g, d->set_32(to, (unsigned)v, n * (size / 4), t->g->stream), "filling");
  return ERR_NO_KERNEL;
}

static int copy_run(const map_work *t) {
  size_t bytes = (size_t)t->plan->count * (size_t)dtype_size(t->out);
  gpu_address to = (gpu_address)(uintptr_t)t->args.out, from = (gpu_address)(uintptr_t)t->args.in[0].data;
  return gpu_check(t->g, t->g->driver->copy(to, from, bytes, t->g->stream), "copy");
}

/* Returns the dim along which the input is contiguous, if the output is contiguous along the inner dim and both dims
** have at least TILE / 4 elements. Otherwise returns -1. */
static int tile_dim(const plan *p) {
  int inner = p->ndim - 1;
  if (inner < 1 || p->stride[0][inner] != 1 || p->stride[1][inner] == 1 || p->shape[inner] < TILE / 4) return -1;
  for (int d = 0; d < inner; d++)
    if (p->stride[1][d] == 1 && p->shape[d] >= TILE / 4) return d;
  return -1;
}

static int find_tiles(const map_work *t, const gpu_kernel **k) {
  uint64_t key = GPU_KEY(GPU_copy, 0, t->out, 0, 0, 0, 0);
  *k = gpu_find(t->g, key);
  if (*k) return OK;
  gpu_source s = {.file = "copy.cuh", .entry = "copy_tiles", .name = "transposed copy"};
  gpu_define(&s, "MOVED=DT_%s", dtypes[t->out].name);
  return gpu_build(t->g, key, &s, k);
}

/* Returns a plan of all dims except d and the inner dim. At each position of this plan, one matrix is transposed. */
static plan outer_plan(const plan *p, int d) {
  plan o = {.ndim = 0, .count = p->count / p->shape[d] / p->shape[p->ndim - 1]};
  for (int from = 0; from < p->ndim - 1; from++) {
    if (from == d) continue;
    o.shape[o.ndim] = p->shape[from];
    o.stride[0][o.ndim] = p->stride[0][from];
    o.stride[1][o.ndim++] = p->stride[1][from];
  }
  return o;
}

/* Copies by a kernel that transposes tiles. Returns ERR_NO_KERNEL if the layout does not require a transposition or
** if there are more than PLAN_MOST elements. */
static int copy_transposed(const map_work *t) {
  const plan *p = t->plan;
  int d = tile_dim(p);
  if (d < 0 || p->count > PLAN_MOST) return ERR_NO_KERNEL;
  const gpu_kernel *k;
  int st = find_tiles(t, &k);
  if (st != OK) return st;
  int64_t rows = p->shape[d], columns = p->shape[p->ndim - 1];
  int64_t across = share(columns, TILE), tiles = across * share(rows, TILE);
  tile_args a = {.out = t->args.out, .in = t->args.in[0].data, .rows = (uint32_t)rows, .columns = (uint32_t)columns,
                 .out_row = p->stride[0][d], .in_column = p->stride[1][p->ndim - 1],
                 .tiles = gpu_divide_by((uint32_t)tiles), .across = gpu_divide_by((uint32_t)across)};
  plan outer = outer_plan(p, d);
  gpu_plan g;
  gpu_plan_piece(&g, &outer, 2, PLAN_MOST, 0);
  return gpu_launch(t->g, k, (unsigned)(outer.count * tiles), MAP_THREADS, 0, (void *[]){&a, &g});
}

/* Copies or fills without conversion by the driver or by copy_tiles. Returns ERR_NO_KERNEL if a map kernel is
** needed. */
static int move(const map_work *t) {
  const plan *p = t->plan;
  bool run = p->ndim == 0 || (p->ndim == 1 && p->stride[0][0] == 1);
  if (!t->args.in[0].data) return run ? fill_output(t) : ERR_NO_KERNEL;
  if (run && (p->ndim == 0 || p->stride[1][0] == 1)) return copy_run(t);
  return copy_transposed(t);
}

/* ---- calls ---- */

/* Returns the dtype that all inputs share, or DT_none if they have several dtypes. Returns the compute dtype if all
** inputs are numbers. The condition of a SELECT does not count. */
static enum dtype common_dtype(const map_work *t) {
  const map_call *c = t->call;
  enum dtype d = DT_none;
  for (int k = 0; k < c->nin; k++) {
    if (!c->in[k].data || selects(t, k)) continue;
    if (d != DT_none && d != c->in[k].dtype) return DT_none;
    d = c->in[k].dtype;
  }
  return d == DT_none ? t->compute : d;
}

static void set_operands(map_work *t) {
  const map_call *c = t->call;
  t->args.out = c->out.data;
  for (int k = 0; k < c->nin; k++) {
    const operand *o = &c->in[k];
    t->args.in[k] = (map_in){.data = o->data, .dtype = o->dtype};
    if (!o->data) t->args.in[k].value = gpu_number(&o->value, selects(t, k) ? DT_bool : t->compute);
  }
}

/* Sets the fields of t. Copies, casts and fills have the op `positive`, and convert directly to the stored dtype. If
** there is no conversion, a dtype of the same size replaces all dtypes, so that fewer kernels are compiled. */
static void start(map_work *t, gpu *g, const map_call *c) {
  bool copies = c->op == OP_positive, moves = copies && (!c->in[0].data || c->in[0].dtype == c->out.dtype);
  *t = (map_work){.g = g, .call = c, .plan = c->plan, .out = c->out.dtype};
  t->compute = copies ? c->out.dtype : c->compute;
  set_operands(t);
  if (moves) t->compute = t->in = t->out = moved_as(dtype_size(c->out.dtype));
  else t->in = common_dtype(t);
  t->second = t->in;
  if (t->in == DT_none && c->nin == 2) {
    t->in = c->in[0].dtype;
    t->second = c->in[1].dtype;
  }
  t->mixed = t->in == DT_none || (selects(t, 0) && c->in[0].data && c->in[0].dtype != DT_bool);
  if (t->mixed) t->in = t->second = t->compute;
}

static int map(gpu *g, const map_call *c) {
  map_work t;
  start(&t, g, c);
  for (int k = 0; k < c->nin; k++) gpu_reads(g, c->in[k].data);
  gpu_writes(g, c->out.data);
  int st = c->op == OP_positive && t.compute == t.in && t.in == t.out ? move(&t) : ERR_NO_KERNEL;
  return st == ERR_NO_KERNEL ? run_kernel(&t) : st;
}

int gpu_map(int index, const map_call *c) {
  gpu *g;
  if (!gpu_has(c->op, c->op == OP_positive ? dtype_compute(c->out.dtype) : c->compute)) return ERR_NO_KERNEL;
  if (c->plan->count == 0) return OK;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, map(g, c)) : st;
}

bool gpu_has(enum map_op op, enum dtype compute) {
  bool computes = dtype_compute(compute) == compute || op == OP_nextafter;
  return computes && dtype_in_class(compute, traits[op].takes);
}
