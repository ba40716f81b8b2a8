/* Convolutions. Luatensor's own kernels compute convolutions with several groups of few channels, and the vendor's library
** computes all other convolutions. Without the library, a convolution is a product of the weights with columns, which contain the
** elements of x that each position of y reads (kernels/nn/conv.cuh). The columns are many times as large as x, so
** they are made piece by piece. No sum depends on the order of threads, so every run gives the same results. */

#include <stdio.h>

#include "base/shape.h"
#include "gpu/gpu.h"
#include "gpu/kernels/nn/conv_args.h"
#include "gpu/plan.h"

enum {
  FEW        = 4,            /* convolutions with several groups are computed by conv_direct.cuh if each group has at
                             ** most this number of channels of x and of y; matrix products would be too small */
  EVEN       = 32            /* if a piece has a part of the positions, their number is rounded down to a multiple of
                             ** EVEN, so that rows of columns are aligned; numbers below EVEN are not rounded */
};

/* A call, with sizes and scratch memory that the functions below share. */
typedef struct conv {
  gpu *g;
  const conv_call *c;
  enum dtype work;           /* the dtype of columns and of products */
  int64_t in_group, out_group;
  int64_t taps, positions, pixels;   /* taps: number of elements of the kernel; positions: of a plane of y; pixels: of a
                                     ** plane of x */
  void   *columns;           /* scratch memory for the columns of the largest piece */
  size_t  columns_bytes;
  void   *w;                 /* the weights in dtype `work` */
  size_t  w_bytes;           /* bytes of w if w is scratch memory, else 0 */
} conv;

/* ---- limits of the kernels ---- */

/* True if all lengths and positions fit into 32 bits, because the kernels count in 32 bits. */
static bool fits(const conv_call *c) {
  for (int d = 0; d < 2; d++) {
    if (c->in[d] > INT32_MAX || c->out[d] > INT32_MAX || c->pad[d] > INT32_MAX || c->kernel[d] > INT32_MAX) return false;
    if (c->stride[d] > INT32_MAX || c->dilation[d] > INT32_MAX) return false;
    if ((c->out[d] - 1) * c->stride[d] > INT32_MAX / 2 || (c->kernel[d] - 1) * c->dilation[d] > INT32_MAX / 2) return false;
    if (c->in[d] > INT32_MAX - c->pad[d]) return false;
  }
  return c->out[0] * c->out[1] <= INT32_MAX && c->in[0] * c->in[1] <= INT32_MAX &&
         c->kernel[0] * c->kernel[1] <= INT32_MAX && c->c_in <= INT32_MAX && c->c_out <= INT32_MAX;
}

static conv_window window_of(const conv_call *c) {
  conv_window w;
  for (int d = 0; d < 2; d++) {
    w.in[d] = (int32_t)c->in[d];
    w.out[d] = (int32_t)c->out[d];
    w.kernel[d] = (int32_t)c->kernel[d];
    w.stride[d] = (int32_t)c->stride[d];
    w.dilation[d] = (int32_t)c->dilation[d];
    w.pad[d] = (int32_t)c->pad[d];
  }
  return w;
}

static unsigned blocks_of(uint32_t threads) { return (threads + CONV_THREADS - 1) / CONV_THREADS; }

static void *element_of(const void *data, int64_t offset, enum dtype d) {
  return (char *)(uintptr_t)data + offset * dtype_size(d);
}

/* ---- copies ---- */

/* Sets out = in, in another order or dtype. `shape` has the lengths of the `dims` dims, outermost first. `to` and
** `from` are the strides of out and in, in elements. */
static int copy(gpu *g, operand out, operand in, int dims, const int64_t *shape, const int64_t *to, const int64_t *from) {
  plan p = {.ndim = dims, .count = 1};
  for (int d = 0; d < dims; d++) {
    p.shape[d] = shape[d];
    p.count *= shape[d];
    p.stride[0][d] = to[d];
    p.stride[1][d] = from[d];
  }
  plan_collapse(&p, 2);
  map_call call = {.op = OP_positive, .compute = dtype_compute(in.dtype), .nin = 1, .plan = &p, .out = out, .in = {in}};
  return gpu_map(g->index, &call);
}

static int copy_flat(gpu *g, void *out, enum dtype to, const void *in, enum dtype from, int64_t count) {
  operand a = {.data = out, .dtype = to}, b = {.data = element_of(in, 0, from), .dtype = from};
  return copy(g, a, b, 1, &count, &(int64_t){1}, &(int64_t){1});
}

/* Sets every position of y to the bias of its channel. */
static int fill_bias(const conv *v) {
  const conv_call *c = v->c;
  operand y = {.data = c->y, .dtype = c->dtype}, bias = {.data = element_of(c->bias, 0, c->dtype), .dtype = c->dtype};
  int64_t shape[] = {c->n, c->c_out, v->positions}, to[] = {c->c_out * v->positions, v->positions, 1}, from[] = {0, 1, 0};
  return copy(v->g, y, bias, 3, shape, to, from);
}

/* ---- pieces ---- */

/* A range of images, of groups, of channels of each group, and of positions of y. Each range is given by its first
** index and its length. */
typedef struct piece {
  int64_t image, images, group, groups, channel, channels, first, count;
} piece;

/* Returns the largest piece whose columns fit into gpu_conv_memory() bytes. If by_channels is set, a piece has all
** positions, and may have a part of a group's channels. Otherwise a piece has all channels of a group, and may have a
** part of the positions. */
static piece largest_piece(const conv *v, bool by_channels) {
  const conv_call *c = v->c;
  int64_t values = (int64_t)gpu_conv_memory() / dtype_size(v->work);
  int64_t channels = most_of(1, least_of(values / (v->taps * v->positions), INT32_MAX / most_of(v->positions, v->pixels)));
  piece p = {.images = 1, .groups = c->groups, .channels = v->in_group, .count = v->positions};
  if (channels >= c->c_in) p.images = least_of(c->n, channels / c->c_in);
  else if (channels >= v->in_group) p.groups = channels / v->in_group;
  else {
    p.groups = 1;
    if (by_channels) p.channels = channels;
    else p.count = least_of(p.count, most_of(1, least_of(values / (v->in_group * v->taps), INT32_MAX / v->in_group)));
    if (p.count < v->positions && p.count > EVEN) p.count -= p.count % EVEN;
  }
  return p;
}

typedef int (*piece_call)(const conv *v, const piece *p);

/* Calls a function for every piece, with groups in the outermost loop. Stops at the first error. */
static int each_piece(const conv *v, const piece *size, piece_call call) {
  const conv_call *c = v->c;
  piece p;
  int st = OK;
  for (p.group = 0; p.group < c->groups; p.group += p.groups) {
    p.groups = least_of(size->groups, c->groups - p.group);
    for (p.image = 0; p.image < c->n; p.image += p.images) {
      p.images = least_of(size->images, c->n - p.image);
      for (p.channel = 0; p.channel < v->in_group; p.channel += p.channels) {
        p.channels = least_of(size->channels, v->in_group - p.channel);
        for (p.first = 0; p.first < v->positions; p.first += p.count) {
          p.count = least_of(size->count, v->positions - p.first);
          st = call(v, &p);
          if (st != OK) return st;
        }
      }
    }
  }
  return OK;
}

/* Like each_piece, but also chooses the piece's size and allocates scratch memory for its columns. */
static int each_columns(conv *v, bool by_channels, piece_call call) {
  piece size = largest_piece(v, by_channels);
  int64_t count = size.images * size.groups * size.channels * v->taps * size.count;
  v->columns_bytes = (size_t)count * (size_t)dtype_size(v->work);
  int st = gpu_scratch(v->g, v->columns_bytes, &v->columns);
  if (st != OK) return st;
  st = each_piece(v, &size, call);
  gpu_scratch_free(v->g, v->columns, v->columns_bytes);
  return st;
}

/* ---- columns ---- */

enum { UNFOLD, FOLD };

static int find_kernel(gpu *g, int entry, enum dtype in, enum dtype out, const gpu_kernel **k) {
  static const char *const entries[] = {"conv_unfold", "conv_fold"};
  uint64_t key = GPU_KEY(GPU_conv, entry, in, out, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "conv.cuh", .entry = entries[entry]};
  gpu_define(&s, "IN=DT_%s", dtypes[in].name);
  gpu_define(&s, "OUT=DT_%s", dtypes[out].name);
  snprintf(s.name, sizeof s.name, "convolution %s", dtypes[in].name);
  return gpu_build(g, key, &s, k);
}

/* Runs a kernel that makes columns from x (UNFOLD), or x from columns (FOLD). Columns have the order
** [image][group][channel][tap][position]. If images_inside is set, the order is
** [group][channel][tap][image][position], so that the columns of a group are one matrix for all images. */
static int move_columns(const conv *v, const piece *p, int entry, bool images_inside) {
  const conv_call *c = v->c;
  int64_t line = entry == UNFOLD ? p->count : v->pixels, tap = images_inside ? p->images * p->count : p->count;
  conv_columns a = {
    .x = element_of(c->x, (p->image * c->c_in + p->group * v->in_group + p->channel) * v->pixels, c->dtype),
    .columns = v->columns, .at = window_of(c), .taps = (int32_t)v->taps, .first = (int32_t)p->first,
    .threads = (uint32_t)(p->images * p->groups * p->channels * line), .line = gpu_divide_by((uint32_t)line),
    .width = gpu_divide_by((uint32_t)(entry == UNFOLD ? c->out[1] : c->in[1])),
    .channels = gpu_divide_by((uint32_t)p->channels), .groups = gpu_divide_by((uint32_t)p->groups),
    .x_image = c->c_in * v->pixels, .x_group = v->in_group * v->pixels, .x_channel = v->pixels,
    .tap = tap, .channel = v->taps * tap, .group = p->channels * v->taps * tap,
    .image = images_inside ? p->count : p->groups * p->channels * v->taps * tap,
  };
  const gpu_kernel *k;
  int st = find_kernel(v->g, entry, entry == UNFOLD ? c->dtype : v->work, entry == UNFOLD ? v->work : c->dtype, &k);
  return st == OK ? gpu_launch(v->g, k, blocks_of(a.threads), CONV_THREADS, 0, (void *[]){&a}) : st;
}

/* ---- products ---- */

/* One of the three matrices of a product. `data` is the matrix of the first image and group. `image` and `group` are
** the distances to the next image and group, in elements. */
typedef struct matrix {
  void   *data;
  int64_t stride[2];         /* distances, in elements, between neighbouring rows and between neighbouring columns */
  int64_t image, group;
} matrix;

/* Computes c = a b + beta c for each image and group, where a is m × k and b is k × n. */
static int multiply(const conv *v, int64_t m, int64_t n, int64_t k, const matrix *a, const matrix *b, const matrix *c,
                    int64_t images, int64_t groups, double beta) {
  const matrix *side[] = {c, a, b};
  gemm_call call = {
    .dtype = v->work, .m = m, .n = n, .k = k, .a = a->data, .b = b->data, .c = c->data,
    .alpha = {.f = 1, .is_float = true}, .beta = {.f = beta, .is_float = true},
    .batch = {.ndim = 2, .count = images * groups, .shape = {images, groups}}, .precision = v->c->precision
  };
  for (int s = 0; s < 2; s++) {
    call.a_stride[s] = a->stride[s];
    call.b_stride[s] = b->stride[s];
    call.c_stride[s] = c->stride[s];
  }
  for (int s = 0; s < 3; s++) {
    call.batch.stride[s][0] = side[s]->image;
    call.batch.stride[s][1] = side[s]->group;
  }
  plan_collapse(&call.batch, 3);
  return gpu_gemm(v->g->index, &call);
}

/* Returns the matrix of a piece's planes in y, or in x if x itself serves as the matrix of columns (is_pointwise). A
** row is a channel of the group. No elements are copied. */
static matrix planes(const void *data, enum dtype d, const piece *p, int64_t channels, int64_t group, int64_t plane) {
  void *at = element_of(data, (p->image * channels + p->group * group) * plane + p->first, d);
  return (matrix){at, {plane, 1}, channels * plane, group * plane};
}

/* Returns the matrix of a group's weights. A row is a channel of y or, if `transposed` is set, an element of the
** kernel. */
static matrix weights(const conv *v, const piece *p, bool transposed) {
  int64_t row = v->in_group * v->taps;
  void *at = element_of(v->w, p->group * v->out_group * row + p->channel * v->taps, v->work);
  return (matrix){at, {transposed ? 1 : row, transposed ? row : 1}, 0, v->out_group * row};
}

/* Returns the matrix of a piece's columns in scratch memory. */
static matrix columns(const conv *v, const piece *p) {
  int64_t rows = p->channels * v->taps;
  return (matrix){v->columns, {p->count, 1}, p->groups * rows * p->count, rows * p->count};
}

/* True if the convolution has a kernel of one element, stride 1 and no padding. In this case x itself is the matrix
** of columns. */
static bool is_pointwise(const conv *v) {
  const conv_call *c = v->c;
  bool yes = v->taps == 1;
  for (int d = 0; d < 2; d++) yes = yes && c->stride[d] == 1 && c->pad[d] == 0 && c->in[d] == c->out[d];
  return yes;
}

/* ---- the three ops ---- */

static int multiply_forward(const conv *v, const piece *p, const matrix *x) {
  const conv_call *c = v->c;
  matrix w = weights(v, p, false), y = planes(c->y, c->dtype, p, c->c_out, v->out_group, v->positions);
  return multiply(v, v->out_group, p->count, v->in_group * v->taps, &w, x, &y, p->images, p->groups, c->bias ? 1 : 0);
}

static int forward_piece(const conv *v, const piece *p) {
  int st = move_columns(v, p, UNFOLD, false);
  matrix x = columns(v, p);
  return st == OK ? multiply_forward(v, p, &x) : st;
}

static int pointwise_piece(const conv *v, const piece *p) {
  matrix x = planes(v->c->x, v->c->dtype, p, v->c->c_in, v->in_group, v->pixels);
  return multiply_forward(v, p, &x);
}

static int forward(conv *v) {
  piece all = {.images = v->c->n, .groups = v->c->groups, .channels = v->in_group, .count = v->positions};
  int st = v->c->bias ? fill_bias(v) : OK;
  if (st != OK) return st;
  return is_pointwise(v) ? each_piece(v, &all, pointwise_piece) : each_columns(v, false, forward_piece);
}

/* Sets *y to the piece of y in dtype `work`, in the order [image][channel][position]. If y's dtype differs, *y is a
** copy in scratch memory of *bytes bytes. Otherwise *bytes stays 0. */
static int work_planes(const conv *v, const piece *p, matrix *y, size_t *bytes) {
  const conv_call *c = v->c;
  *y = planes(c->y, c->dtype, p, c->c_out, v->out_group, v->positions);
  if (v->work == c->dtype) return OK;
  int64_t channels = p->groups * v->out_group, shape[] = {p->images, channels, p->count};
  int64_t to[] = {channels * p->count, p->count, 1}, from[] = {c->c_out * v->positions, v->positions, 1};
  operand in = {.data = y->data, .dtype = c->dtype};
  *bytes = (size_t)(p->images * channels * p->count) * (size_t)dtype_size(v->work);
  int st = gpu_scratch(v->g, *bytes, &y->data);
  if (st != OK) *bytes = 0;
  else st = copy(v->g, (operand){.data = y->data, .dtype = v->work}, in, 3, shape, to, from);
  *y = (matrix){y->data, {p->count, 1}, to[0], v->out_group * p->count};
  return st;
}

/* Computes the columns from y and w, in a product that sums over the channels of y. Then adds the columns up to the
** gradient of x. */
static int input_piece(const conv *v, const piece *p) {
  const conv_call *c = v->c;
  matrix y, w = weights(v, p, true), made = columns(v, p);
  bool in_place = v->work == c->dtype && is_pointwise(v);
  size_t bytes = 0;
  if (in_place) made = planes(c->x, c->dtype, p, c->c_in, v->in_group, v->pixels);
  int st = work_planes(v, p, &y, &bytes);
  if (st == OK)
    st = multiply(v, p->channels * v->taps, p->count, v->out_group, &w, &y, &made, p->images, p->groups, 0);
  if (st == OK && !in_place) st = move_columns(v, p, FOLD, false);
  if (bytes) gpu_scratch_free(v->g, y.data, bytes);
  return st;
}

static int input(conv *v) {
  piece all = {.images = v->c->n, .groups = v->c->groups, .channels = v->in_group, .count = v->positions};
  return v->work == v->c->dtype && is_pointwise(v) ? each_piece(v, &all, input_piece) : each_columns(v, true, input_piece);
}

/* Sets *y to the piece of y in the order [channel][image][position], so that each group is one matrix. If the piece
** has several images, *y is a copy in scratch memory of *bytes bytes. */
static int packed_planes(const conv *v, const piece *p, matrix *y, size_t *bytes) {
  const conv_call *c = v->c;
  if (p->images == 1) return work_planes(v, p, y, bytes);
  int64_t channels = p->groups * v->out_group, row = p->images * p->count, shape[] = {channels, p->images, p->count};
  int64_t to[] = {row, p->count, 1}, from[] = {v->positions, c->c_out * v->positions, 1};
  operand in = {.data = planes(c->y, c->dtype, p, c->c_out, v->out_group, v->positions).data, .dtype = c->dtype};
  *y = (matrix){NULL, {row, 1}, 0, v->out_group * row};
  *bytes = (size_t)(channels * row) * (size_t)dtype_size(v->work);
  int st = gpu_scratch(v->g, *bytes, &y->data);
  if (st == OK) return copy(v->g, (operand){.data = y->data, .dtype = v->work}, in, 3, shape, to, from);
  *bytes = 0;
  return st;
}

/* Computes the gradient of the weights from one piece. The first piece of a group sets the gradient, and the other
** pieces add to it. */
static int weight_piece(const conv *v, const piece *p) {
  int64_t rows = v->in_group * v->taps, row = p->images * p->count;
  matrix y, w = weights(v, p, false), x = {v->columns, {1, row}, 0, rows * row};
  size_t bytes = 0;
  int st = move_columns(v, p, UNFOLD, true);
  if (st == OK) st = packed_planes(v, p, &y, &bytes);
  y.image = 0;
  if (st == OK) st = multiply(v, v->out_group, rows, row, &y, &x, &w, 1, p->groups, p->image + p->first > 0 ? 1 : 0);
  if (bytes) gpu_scratch_free(v->g, y.data, bytes);
  return st;
}

/* Computes a convolution by matrix products. For gradients, half floats are computed in float32, because the gradient
** is a sum over several pieces. */
static int convolve(conv *v) {
  const conv_call *c = v->c;
  int64_t count = c->c_out * v->in_group * v->taps;
  v->work = c->op == CONV_forward ? c->dtype : dtype_compute(c->dtype);
  v->w = c->w;
  int st = OK;
  if (v->work != c->dtype) {
    size_t bytes = (size_t)count * (size_t)dtype_size(v->work);
    st = gpu_scratch(v->g, bytes, &v->w);
    if (st != OK) return st;
    v->w_bytes = bytes;
  }
  if (v->w_bytes && c->op == CONV_input) st = copy_flat(v->g, v->w, v->work, c->w, c->dtype, count);
  if (st == OK) st = c->op == CONV_forward ? forward(v) : c->op == CONV_input ? input(v) : each_columns(v, false, weight_piece);
  if (st == OK && v->w_bytes && c->op == CONV_weight) st = copy_flat(v->g, c->w, c->dtype, v->w, v->work, count);
  if (v->w_bytes) gpu_scratch_free(v->g, v->w, v->w_bytes);
  return st;
}

/* ---- groups of few channels ---- */

static int find_direct(gpu *g, const conv_call *c, const gpu_kernel **k) {
  static const char *const entries[] = {
    [CONV_forward] = "conv_direct_forward", [CONV_input] = "conv_direct_input", [CONV_weight] = "conv_direct_weight"
  };
  uint64_t key = GPU_KEY(GPU_conv, 8 + (int)c->op, c->dtype, 0, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source s = {.file = "conv_direct.cuh", .entry = entries[c->op]};
  gpu_define(&s, "STORE=DT_%s", dtypes[c->dtype].name);
  snprintf(s.name, sizeof s.name, "convolution %s", dtypes[c->dtype].name);
  return gpu_build(g, key, &s, k);
}

static bool is_direct(const conv *v) { return v->c->groups > 1 && v->in_group <= FEW && v->out_group <= FEW; }

/* Runs the kernels for few channels. For y and the gradient of x, each element of the result has a thread. Such a
** launch computes at most 2^31 - 1 elements, so several launches may be needed for all images. For the gradient of w,
** each element has a block. */
static int direct(const conv *v) {
  const conv_call *c = v->c;
  const gpu_kernel *k;
  bool over_x = c->op == CONV_input, all = c->op == CONV_weight;
  int64_t line = over_x ? v->pixels : v->positions, channels = over_x ? c->c_in : c->c_out;
  int64_t images = all ? c->n : INT32_MAX / line / channels, blocks = c->c_out * v->in_group * v->taps;
  if (images == 0 || (all && blocks > INT32_MAX)) return ERR_OVERFLOW;
  int st = find_direct(v->g, c, &k);
  conv_direct a = {
    .x = c->x, .w = c->w, .y = c->y, .bias = c->bias, .at = window_of(c), .line = gpu_divide_by((uint32_t)line),
    .width = gpu_divide_by((uint32_t)(over_x ? c->in[1] : c->out[1])), .channels = gpu_divide_by((uint32_t)channels),
    .groups = (int32_t)c->groups, .in_group = (int32_t)v->in_group, .out_group = (int32_t)v->out_group
  };
  for (int64_t done = 0; st == OK && done < c->n; done += images) {
    a.images = least_of(images, c->n - done);
    a.threads = all ? 0 : (uint32_t)(a.images * channels * line);
    a.x = element_of(c->x, done * c->c_in * v->pixels, c->dtype);
    a.y = element_of(c->y, done * c->c_out * v->positions, c->dtype);
    st = gpu_launch(v->g, k, all ? (unsigned)blocks : blocks_of(a.threads), CONV_THREADS, 0, (void *[]){&a});
  }
  return st;
}

/* ---- the device's function ---- */

static int run_conv(gpu *g, const conv_call *c) {
  conv v = {.g = g, .c = c, .in_group = c->c_in / c->groups, .out_group = c->c_out / c->groups,
            .taps = c->kernel[0] * c->kernel[1], .positions = c->out[0] * c->out[1], .pixels = c->in[0] * c->in[1]};
  bool done = false;
  if (!fits(c)) return ERR_OVERFLOW;
  if (is_direct(&v)) return direct(&v);
  int st = gpu_dnn_conv(g, c, &done);
  return st != OK || done ? st : convolve(&v);
}

int gpu_conv(int index, const conv_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  const void *const operands[] = {c->x, c->w, c->y}, *const made[] = {
    [CONV_forward] = c->y, [CONV_input] = c->x, [CONV_weight] = c->w
  };
  for (int k = 0; k < 3; k++)
    if (operands[k] != made[c->op]) gpu_reads(g, operands[k]);
  gpu_reads(g, c->bias);
  gpu_writes(g, made[c->op]);
  return gpu_leave(g, run_conv(g, c));
}
