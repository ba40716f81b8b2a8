#ifndef LT_BASE_CALLS_H
#define LT_BASE_CALLS_H

/* The arguments of device kernels: the enums of the op table, plans (loop nests), and a call struct for each family
** of kernels. The file is plain C, without Lua, broadcasting rules and promotion. Strides are in elements, positions
** are 0-based unless stated otherwise. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

static inline int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most_of(int64_t a, int64_t b)  { return a > b ? a : b; }

enum {
  MAX_DIMS = 16,
  MAX_ARITY = 4,      /* the most inputs of a row of the op table */
  MAX_IN   = 8,       /* the most inputs of an element-wise call of a script */
  MAX_OPERANDS = 12       /* the most operands of a plan: inputs and results */
};

enum map_op {
#define OP_ID(name, ...) OP_##name,
#define UNARY OP_ID
#define BINARY OP_ID
#define TERNARY OP_ID
#define QUATERNARY OP_ID
#include "ops.def"
  OP_COUNT
};

/* The value of a Lua number or boolean, already converted to the compute dtype of a call. Float dtypes read `f`,
** complex dtypes `f` and `im`, bool and integer dtypes `i`. */
typedef struct scalar {
  double  f, im;
  int64_t i;
  bool    is_float;   /* the Lua number had subtype float */
  bool    is_bool;    /* the value was a Lua boolean; the fields are 0 or 1 */
  bool    is_complex; /* the value was made by lt.complex(re, im); is_float is true, too */
} scalar;

/* The dtype of an op's result: the values of the result column in ops.def. */
enum op_result { RESULT_SAME, RESULT_REAL, RESULT_BOOL, RESULT_ACC, RESULT_POSITION };

/* Returns the dtype of the result of an element-wise op whose result column is r and whose compute dtype is d. */
static inline enum dtype result_dtype(enum op_result r, enum dtype d) {
  return r == RESULT_BOOL ? DT_bool : r == RESULT_REAL ? dtype_real(d) : d;
}

/* An operand of a call. `data` is the address of the tensor's first element; if `data` is NULL, the operand is
** `value`. */
typedef struct operand {
  void      *data;
  enum dtype dtype;
  scalar     value;
} operand;

/* A loop nest that all operands share, with the outermost dim first. Plans are collapsed: they have no dim of length
** 1, and neighbouring dims are merged if every operand can traverse them as one dim. A plan of one element has ndim
** 0, a plan of no elements has count 0. */
typedef struct plan {
  int     ndim;
  int64_t count;
  int64_t shape[MAX_DIMS];
  int64_t stride[MAX_OPERANDS][MAX_DIMS];     /* elements; [0]: the output's, [1 + k]: input k's; 0 in broadcast dims */
} plan;

/* out[i] = op(in[0][i], …), computed in dtype `compute` and stored in dtype out.dtype. */
typedef struct map_call {
  enum map_op op;
  enum dtype  compute;
  int         nin;
  const plan *plan;
  operand     out, in[MAX_IN];
} map_call;

/* ---- other families ----
** op/<family>.c fills a call struct, and <device>/<family>.c executes the call. */

/* The reductions, which are the REDUCE rows of the op table. */
enum reduce_op {
#define REDUCE_ID(name, ...) REDUCE_##name,
#define REDUCE REDUCE_ID
#define REDUCE_STATE REDUCE_ID
#include "ops.def"
#undef REDUCE_ID
  REDUCE_COUNT
};

/* A reduction: out[k] is the op's result for the elements in[k, r] of all r. Dims are sorted by the stride of `in`,
** stride 0 first, then the largest, and collapsed. Ordered reductions, such as argmax, return positions, so the
** order of their reduced dims is kept. */
typedef struct reduce_call {
  enum reduce_op op;
  enum dtype compute;          /* the dtype to which the elements of `in` are converted */
  operand    in, out;
  double     correction;       /* for var and std: the divisor is n - correction */
  bool       ordered;          /* positions among the reduced elements matter, as for argmax */
  plan       kept;             /* the dims of the result: stride[0] is out's, stride[1] is in's */
  plan       reduced;          /* the reduced dims: stride[0] is in's; count may be 0 */
} reduce_call;

/* A call that processes lines. A line has the n elements along one dim, for one position in the other dims. */
typedef struct line_call {
  enum dtype compute;          /* the dtype to which the elements of `in` are converted */
  operand    in, out;
  plan       outer;            /* the other dims: stride[0] is out's, stride[1] is in's */
  int64_t    n, in_stride, out_stride;
} line_call;

/* The scans, which are the SCAN rows of the op table. */
enum scan_op {
#define SCAN(name, ...) SCAN_##name,
#include "ops.def"
  SCAN_COUNT
};

/* out[…, i, …] = op(in[…, 0, …], …, in[…, i, …]). If `initial` is set, a line of out has n + 1 elements and starts
** with the op's identity (0 for a sum). */
typedef struct scan_call {
  enum scan_op op;
  bool         initial;
  line_call    line;
} scan_call;

/* The kinds of softmax, which are the SOFTMAX rows of the op table. */
enum softmax_op {
#define SOFTMAX(name, ...) SOFTMAX_##name,
#include "ops.def"
  SOFTMAX_COUNT
};

typedef struct softmax_call {
  enum softmax_op op;
  line_call       line;
} softmax_call;

/* Cross entropy of rows of logits x, each with a class c: (log(sum of exp(x)) - x[c]) * scale. If `ignores` is set,
** rows of class `ignored` give 0. scale is 1, or for the mean 1 / the number of rows that are not ignored. All
** operands are contiguous. The enum has the order of the table `reductions` in lua/luatensor/gradients/loss.lua. */
enum cross_entropy_reduction { CROSS_ENTROPY_none, CROSS_ENTROPY_mean, CROSS_ENTROPY_sum };

typedef struct cross_entropy_call {
  bool       backward;
  enum cross_entropy_reduction reduction;
  enum dtype compute;          /* the dtype of losses and sums */
  int64_t    rows, n;
  operand    in;               /* the logits, [rows][n] */
  const int64_t *classes;      /* [rows], 1-based. A class outside of 1 … n is stored in *bad and causes ERR_INDEX, or
                               ** an error at a later wait, as in an index_call */
  bool       ignores;
  int64_t    ignored;
  void      *losses;           /* [rows], or [1] for mean and sum; forward: the losses, an output; backward: the
                               ** gradients of the losses, an input */
  void      *sums;             /* [2 * rows + 1]: the largest element of each row, then each row's sum of exp(x -
                               ** largest), then scale */
  operand    out;              /* in a backward call: [rows][n], the gradients of `in` */
  int64_t   *bad;
} cross_entropy_call;

/* Normalisation of x [rows][segments][run], contiguous: y = (x - mean) / sqrt(var + eps) * weight + bias.
** NORM_rows: each row has a mean (0 if `rms`) and a variance. weight and bias are [groups][segments]; a row uses
** entry row % groups.
** NORM_channels: each segment has a mean and a variance over all rows and runs. weight and bias are [segments],
** groups is 1.
** stats: the means (unless `rms`), and then the values of 1 / sqrt(var + eps), each [rows] or [segments]. A mean
** that the call computed is stored as its distance from the first element of the row or segment.
** NORM_softmax and NORM_log_softmax only run backward: `in` is the result of softmax for each row, `out` receives the
** gradient of softmax's input. */
enum norm_kind { NORM_rows, NORM_channels, NORM_softmax, NORM_log_softmax };

typedef struct norm_call {
  enum norm_kind kind;
  bool       backward, rms;
  bool       given;            /* for NORM_channels: normalises by running_mean and running_var, so that no gradients
                               ** flow through mean and variance */
  enum dtype compute;          /* the dtype of all operands except in, out and gradient, which have one dtype */
  int64_t    rows, segments, run, groups;
  double     eps, momentum, correction;   /* correction: the factor of the variance in running_var */
  operand    in, out;          /* in a backward call out is the gradient of in; out.data NULL: not wanted */
  operand    gradient;         /* in a backward call: the gradient of the result */
  const void *weight, *bias;   /* NULL: not applied in the formula above */
  void       *stats;           /* output of a forward call, input of a backward call */
  void       *running_mean, *running_var;   /* for forward calls of NORM_channels; or NULL. Unless `given`, the call
                                            ** replaces each value: old + momentum * (batch's value - old) */
  void       *dweight, *dbias; /* outputs of a backward call; NULL: not wanted */
} norm_call;

/* Element access through index tensors (int64, contiguous, 1-based, negative from the end). The plan is the loop nest
** over the positions. Its stride[0] is the stride of `values`. Its stride[1] is the target's stride in dims without an
** index, and 0 in dims of positions that come from an index tensor. At each position
**   target offset = plan offset + sum over k of place(index k's value) * index[k].step
** INDEX_get: values = target[…]; INDEX_put: target[…] = values; INDEX_add: target[…] += values. take, gather,
** scatter, x[indices] and x[indices] = v all use this call. If several positions write to one element, INDEX_put
** keeps the last value in row-major order, and INDEX_add adds in row-major order. A device may add parts of more than
** 512 values for one element first. All index values are checked first: if one is out of range, nothing is written and
** the call returns ERR_INDEX with *bad and *bad_index. An asynchronous device may find an error later: then its next
** wait returns ERR_LATE, with the same message, which `function` and `dim` determine. */
enum index_op { INDEX_get, INDEX_put, INDEX_add };

typedef struct index_source {
  const int64_t *data;
  int64_t count;               /* number of index values, 0 or more */
  int64_t stride[MAX_DIMS];    /* the index tensor's strides over the plan's dims */
  int64_t length, step;        /* the length and the stride of the target's dim to which the index applies */
  int     dim;                 /* the number of this dim in the script's tensor, 0-based, for messages */
} index_source;

typedef struct index_call {
  enum index_op op;
  operand  values, target;     /* both have one dtype */
  plan     plan;
  int      nindex;
  index_source index[MAX_DIMS];
  bool     sound;              /* the indices come from a mask, so all positions are in range and distinct */
  const char *function;        /* "take", or "" for x[…], for messages; lives as long as the process */
  int64_t *bad;                /* output: the index value that is out of range */
  int     *bad_index;          /* output: the number k of the index that contains *bad */
} index_call;

/* Finds the positions (1-based, int64) of the true elements of a contiguous mask, in row-major order. */
typedef struct nonzero_call {
  const uint8_t *in;           /* not 0 means true */
  int      ndim;
  int64_t  shape[MAX_DIMS];
  int64_t *out;                /* [ndim][count]: row d has the positions in dim d; NULL: the call only counts */
  int64_t  count;              /* number of true elements: an output if `out` is NULL, else an input, and a CPU that
                               ** finds another number writes no positions and returns this number */
} nonzero_call;

/* A binary search in sorted rows. out[i] is the 1-based position of the first element of its row that is not less than
** values[i] or, if `right` is set, that is greater. out[i] is n + 1 if there is none. NaN sorts last. All operands are
** contiguous: sorted [rows][n], values and out [rows][count]. */
typedef struct search_call {
  enum dtype  dtype;           /* the dtype of sorted and values, a compute dtype */
  const void *sorted, *values;
  int64_t    *out;
  int64_t     rows, n, count;
  bool        right;
} search_call;

/* Sorts lines of n elements along one dim, for every position in the other dims. Elements are real or bool, and
** sorted in their stored dtype. NaN counts as the greatest value. Sorting is stable, in descending order too. The
** first `keep` elements of each sorted line are written: keep is n for a sort, and less for topk.
**
** A selection writes the values of `keep` elements of each sorted line, from element `first` on, in ascending order. If
** a line contains NaN, all its values are NaN. The order of -0 and +0 is not specified. */
typedef struct sort_call {
  operand    in;
  operand    values;           /* the sorted elements, in the dtype of `in`; data is NULL if not wanted */
  operand    positions;        /* int64, 1-based within the line; data is NULL if not wanted */
  bool       descending;
  bool       select;           /* true: a selection; only devices on the host have it */
  int64_t    n, keep, first;   /* first: 0-based, and 0 unless `select` is set */
  plan       outer;            /* the other dims: stride[0] is values', stride[1] in's, stride[2] positions' */
  int64_t    in_stride, values_stride, positions_stride;   /* elements from one element of a line to the next */
} sort_call;

/* Discrete Fourier transforms of lines of length n: out[k] = scale * sum over j of in[j] exp(∓ 2 π i j k / n), with +
** if `inverse` is set. FFT_real transforms a real line into its first n/2 + 1 outputs. FFT_hermitian is the reverse
** and makes n real outputs of n/2 + 1 inputs; it ignores the imaginary parts of the first input and, if n is even, of
** the last. */
enum fft_kind { FFT_complex, FFT_real, FFT_hermitian };

enum { FFT_RANK = 3 };         /* the maximum number of dims that a call transforms together */

typedef struct fft_call {
  enum fft_kind kind;
  bool       inverse;          /* always false for FFT_real, true for FFT_hermitian */
  double     scale;
  int        rank;             /* number of dims that are transformed together: 1 for FFT_hermitian, else at most
                               ** fft_rank of struct device */
  int64_t    n[FFT_RANK];      /* number of elements of the transform along each of these dims; FFT_real halves the
                               ** last dim */
  operand    in, out;          /* real operands have dtype float32 or float64, complex operands complex64 or
                               ** complex128; the operands do not overlap */
  plan       outer;            /* the other dims: stride[0] is out's, stride[1] is in's */
  int64_t    in_stride[FFT_RANK], out_stride[FFT_RANK];   /* strides along the transformed dims, in elements of the
                                                          ** operand's dtype */
} fft_call;

/* Linear algebra on a batch of matrices of one size. Matrices are stored one after the other, contiguous and
** column-major: element (i, j) of m × n is at i + j * m. batch, m, n, k are at least 1. Operands that are no matrices
** have a vector for each matrix. Unless `a` is a result, its contents are undefined afterwards. An operand that is
** not wanted is NULL; the device uses its own scratch memory if the algorithm needs the operand.
**
** `info`, on the host, has an entry for each matrix. If `info` is NULL, the call does not wait for the device. An
** entry is 0 if there is a result, otherwise it is INFO of the LAPACK routine in brackets. The ops marked * detect NaN
** and infinity before they compute, and then set LINALG_NOT_FINITE. */
enum { LINALG_NOT_FINITE = -1 };

enum linalg_op {
  LINALG_cholesky,             /* [potrf] a n × n, Hermitian; only its upper triangle is read. a becomes U with a = Uᴴ
                               ** U, and 0 below the diagonal */
  LINALG_lu,                   /* [getrf] a m × n becomes L and U in one matrix; sets pivots and order */
  LINALG_lu_solve,             /* [getrs] a n × n and pivots are results of LINALG_lu. b n × k becomes a⁻¹ b, or aᵀ⁻¹
                               ** b if `transposed` */
  LINALG_solve,                /* [getrf] a n × n, which is not factored yet. b n × k becomes a⁻¹ b */
  LINALG_inv,                  /* [getrf] a n × n becomes its inverse */
  LINALG_det,                  /* a n × n. b [1] becomes its determinant, 0 if a is singular. Sets no info */
  LINALG_slogdet,              /* a n × n. b [1] becomes det / |det|, or 0; values [1] becomes log |det|. Sets no
                               ** info */
  LINALG_qr,                   /* a m × n; p = full ? m : min(m, n). b m × p becomes Q, c p × n becomes R. b may be a
                               ** if p = n. Sets no info */
  LINALG_svd,                  /* [gesdd] * a m × n; p = min(m, n). values [p] become the singular values, descending;
                               ** b becomes U, m × (full ? m : p); c becomes Vᴴ, (full ? n : p) × n. If b and c are
                               ** NULL, only the values are computed */
  LINALG_eigh,                 /* [syevd] * a n × n, Hermitian; only one triangle is read. values [n] become the
                               ** eigenvalues, ascending; if `vectors`, a becomes the matrix of eigenvectors */
  LINALG_eig,                  /* [geev] * a n × n. b [n], complex, becomes the eigenvalues, in any order; c n × n,
                               ** complex, becomes eigenvectors of length 1 unless c is NULL */
  LINALG_lstsq,                /* [gelsd] * a m × n, b max(m, n) × k. The first n rows of b become the solution x; if
                               ** m > n = rank, the squares of the other rows sum to the squared residual. values
                               ** [min(m, n)] become the singular values of a; rank [1]: the number of values above rtol
                               ** * the largest one */
  LINALG_COUNT
};

typedef struct linalg_call {
  enum linalg_op op;
  enum dtype dtype;            /* the dtype of a, b, c: float32, float64, complex64, complex128; values are real */
  int64_t  batch, m, n, k;     /* k: the number of columns of b in solve, lu_solve, lstsq */
  bool     upper;              /* eigh: reads the upper triangle instead of the lower one; true for cholesky */
  bool     transposed, full, vectors;
  double   rtol;
  void    *a, *b, *c, *values;
  int32_t *pivots;             /* [min(m, n)]: row i was swapped with row pivots[i], 1-based, for i = 1, 2, … */
  int64_t *order;              /* [m]: row i of the product L U is row order[i] of a, 1-based */
  int64_t *rank;
  int32_t *info;               /* [batch]; may be NULL */
} linalg_call;

/* Random values made from a counter (see random.h): element i of the contiguous out depends only on (seed, offset,
** i). Floats are drawn in their compute dtype. Integers are drawn as 64 bits, which wrap into out's dtype. A
** permutation of 1 … count (int64) is a stable sort of the positions by 64 random bits each. */
enum random_op { RANDOM_uniform, RANDOM_normal, RANDOM_integers, RANDOM_permutation, RANDOM_COUNT };

typedef struct random_call {
  enum random_op op;
  uint64_t seed, offset;       /* offset: the first value of Philox's counter */
  const uint64_t *cell;        /* for captured graphs, in device memory: {a number that is added to offset, the seed
                               ** that replaces `seed`}; or NULL */
  operand  out;                /* a contiguous tensor of `count` elements */
  int64_t  count;
  double   a, b;               /* uniform: the interval [a, b); normal: the mean a and the standard deviation b */
  double   most;               /* uniform: the greatest value of out's dtype below b */
  int      bits;               /* uniform: random bits of an element, as many as the significand of its dtype has */
  int64_t  low;                /* integers: low … low + range - 1 */
  uint64_t range;              /* number of possible integers; 0 means 2^64 */
} random_call;

/* out[i] = start + i * step for 0 <= i < count; out is contiguous. */
typedef struct arange_call {
  operand out;
  int64_t count;
  scalar  start, step;
} arange_call;

/* The precision of float32 products. Some devices compute faster if the inputs are rounded: `tf32` allows rounding
** the inputs to 10 bits of mantissa, `ieee` forbids rounding. `bf16x9` allows splitting each input into three bfloat16
** numbers, whose nine products are added in float32. */
enum precision { PRECISION_ieee, PRECISION_bf16x9, PRECISION_tf32 };

/* c = alpha * a @ b + beta * c for each product of the batch; if beta is 0, c is not read. All operands have one dtype.
** Each matrix is addressed by its row and column strides in elements (any values, also 0 and negative). */
typedef struct gemm_call {
  enum dtype  dtype;
  int64_t     m, n, k;         /* c is m × n, a is m × k, b is k × n */
  const void *a, *b;
  void       *c;
  int64_t     a_stride[2], b_stride[2], c_stride[2];   /* {from row to row, from column to column}, in elements */
  scalar      alpha, beta;     /* float dtypes read f, complex dtypes also im, integer dtypes i */
  plan        batch;           /* from matrix to matrix: stride[0] is c's, stride[1] a's, stride[2] b's */
  enum precision precision;    /* the least precision that is allowed */
} gemm_call;

/* Convolutions (cross-correlations, as usual for networks). The operands are contiguous: x [n, c_in, in],
** w [c_out, c_in / groups, kernel], y [n, c_out, out]. in, kernel and out stand for two lengths, height and width;
** for signals the height is 1. With c' = c + the first channel of o's group, y is
**      y[b, o, p] = bias[o] + sum over c, k of x[b, c', p * stride + k * dilation - pad] * w[o, c, k]
** Elements outside of x count as 0. pad is the number of zeros before x. The number of zeros after x follows from
** `out`; it may differ from pad, and is negative if the end of x is not read. Lengths, stride and dilation are at
** least 1, pad is at least 0. Sums are made in an order that does not depend on the number of threads. Half floats
** are summed in float32. */
enum conv_op {
  CONV_forward,                /* computes y from x, w and bias */
  CONV_input,                  /* computes x, the gradient of the input, from y (the result's gradient) and w; also a
                               ** transposed convolution */
  CONV_weight                  /* computes w, the gradient of the weight, from x and y (the result's gradient) */
};

typedef struct conv_call {
  enum conv_op op;
  enum dtype dtype;            /* the dtype of all operands: float32, float64, float16, bfloat16 */
  int64_t n, groups, c_in, c_out;   /* c_in, c_out: channels of all groups together, multiples of `groups` */
  int64_t in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  void       *x, *w, *y;       /* the operand that the op computes is written completely, without being read */
  const void *bias;            /* [c_out] for CONV_forward, or NULL */
  enum precision precision;    /* the least precision that is allowed */
} conv_call;

/* Pooling: windows of planes x [planes, in] give y [planes, out]; both are contiguous. Window p begins at p * stride -
** pad and has `kernel` elements, which are `dilation` apart. Only elements inside of x count; each window has at least
** one. If `adaptive` is set, window p is floor(p * in / out) … ceil((p + 1) * in / out) - 1, and kernel, stride,
** dilation and pad are 0. */
enum pool_op {
  POOL_max,                    /* computes y and, unless `position` is NULL, the position of each window's first
                               ** maximum or last NaN */
  POOL_max_back,               /* computes x, the gradient of the input, from position and y, the gradient of the
                               ** result */
  POOL_average,                /* computes y */
  POOL_average_back,           /* computes x, the gradient of the input, from y, the gradient of the result */
  POOL_COUNT
};

typedef struct pool_call {
  enum pool_op op;
  enum dtype dtype;            /* the dtype of x and y: float32, float64, float16, bfloat16 */
  int64_t planes, in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  bool    adaptive;
  bool    count_pad;           /* averages: the padding counts as zeros, `pad` of them on each side of x */
  int64_t divisor;             /* averages: the divisor of each sum; 0: divides by the number of elements that count */
  void    *x, *y;              /* the operand that the op computes is written completely, without being read */
  int32_t *position;           /* [planes, out]: the position of y's elements in their plane of x, 1-based, row-major;
                               ** in[0] * in[1] fits into 32 bits */
} pool_call;

/* A step of a recurrent cell, forward or backward, on rows × width elements that are independent of each other. An
** operand is a matrix with contiguous rows, which begin `row` elements apart. Gates are stored side by side in a row:
** i, f, g, o (input, forget, cell, output) of an LSTM, [rows, 4 width]; r, z, n (reset, update, new) of a GRU, [rows,
** 3 width]. The sum of a gate is the argument of its sigmoid or tanh. Backward steps add the gradients CELL_dy and
** CELL_dh, which may be NULL (0). */
enum cell_op {
  CELL_lstm,                   /* computes c and h from `before` (the previous c) and the sums in `gates`, and
                               ** replaces the sums by the gates */
  CELL_lstm_back,              /* computes dgates, the gradients of the sums, from gates, before, c, dy, dh and dc;
                               ** dc, the gradient of c, is replaced by the gradient of `before` */
  CELL_gru,                    /* computes h from `before` (the previous h) and the sums of the gates. A sum has two
                               ** terms: of the previous h, in `other` [3 width], and of the input, in `gates`. The
                               ** gates replace the terms in `gates` */
  CELL_gru_back,               /* computes dgates and dother [3 width] from gates, gate n's terms in `other`, before, dy
                               ** and dh; dh, the gradient of h, is replaced by the direct gradient of `before` */
  CELL_COUNT
};

enum cell_operand { CELL_gates, CELL_before, CELL_c, CELL_h, CELL_other, CELL_dy, CELL_dh, CELL_dc, CELL_dgates, CELL_dother,
                    CELL_OPERANDS };

typedef struct cell_call {
  enum cell_op op;
  enum dtype dtype;            /* the dtype of all operands: float32, float64 */
  int64_t rows, width;
  struct { void *data; int64_t row; } at[CELL_OPERANDS];   /* only the operands that the op uses are set; row:
                                                           ** elements from one row to the next */
} cell_call;

/* Attention: o = softmax(scale q kᵀ + mask) v, for each head of each item of the batch. Rows of q [queries, width], k
** [keys, width], v [keys, out_width], o [queries, out_width] are contiguous; each operand has strides for batch, head
** and row. If `causal` is set, query i uses only keys up to i. A row of o without keys is 0. A backward call computes
** dq, dk, dv from the other operands and dout. It recomputes the scores with log_sums, so that no queries × keys matrix
** is stored. */
typedef struct attention_operand {
  void   *data;
  int64_t batch, head, row;
} attention_operand;

typedef struct attention_call {
  enum dtype dtype;            /* the dtype of all operands: a float */
  bool    back, causal;
  double  scale;
  int64_t batch, heads, queries, keys, width, out_width;
  attention_operand q, k, v, o, dout, dq, dk, dv;
  void   *log_sums;            /* [batch, heads, queries], float64 if the operands are, else float32: logarithm of each
                               ** row's sum of exponentials; infinity if the row has no key */
  const void *mask;            /* or NULL; bool (true: the query uses the key) or `dtype` (added to the scores) */
  enum dtype mask_dtype;
  int64_t mask_stride[4];      /* strides over batch, heads, queries, keys; 0: broadcast */
} attention_call;

/* Steps of optimisers. Each row of update.def updates a parameter by its gradient. */
enum update_op {
#define UPDATE_ID(name, ...) UPDATE_##name,
#define UPDATE0 UPDATE_ID
#define UPDATE1 UPDATE_ID
#define UPDATE2 UPDATE_ID
#define UPDATE3 UPDATE_ID
#include "update.def"
#undef UPDATE_ID
  UPDATE_COUNT
};

enum { UPDATE_STATES = 3, UPDATE_OPERANDS = 2 + UPDATE_STATES, UPDATE_NUMBERS = 10 };

/* The number of elements in a block. Threads of a CPU share the blocks of all parameters. A block fills whole cache lines,
** so two threads never write to the same cache line of an aligned tensor. */
enum { UPDATE_BLOCK = 64 };

/* The update of one parameter. All operands have one shape. */
typedef struct update_item {
  enum update_op op;
  int         states;                     /* the number of the row's state tensors */
  int64_t     count;                      /* number of elements; may be 0 */
  int64_t     first;                      /* the number of blocks of all earlier items of the call */
  const plan *plan;                       /* NULL: all operands are contiguous */
  void       *at[UPDATE_OPERANDS];        /* the first elements of parameter, gradient and states; plan->stride has
                                          ** the same order */
  const double *number;                   /* [UPDATE_NUMBERS], in the host's memory */
  const double *cell;                     /* for captured graphs, in device memory: the numbers, instead of `number`;
                                          ** otherwise NULL. Either all items of a call have a cell, or none */
} update_item;

/* The items may be updated in any order and at the same time: none writes to the memory of another item's operand. */
typedef struct update_call {
  enum dtype  dtype;                      /* of all operands */
  int         count;                      /* number of items, at least 1; together they have at least 1 element */
  const update_item *item;
} update_call;

static inline int64_t update_blocks(const update_item *i) { return (i->count + UPDATE_BLOCK - 1) / UPDATE_BLOCK; }

/* Element-wise programs, of lt.elementwise and of deferred operations: a list of steps, each of which applies a row of
** the op table. Values have numbers: first the inputs, then the constants (from ELEMENTWISE_CONSTANT on), then the
** registers (from ELEMENTWISE_REGISTER on). Each value has a compute dtype. */
enum {
  ELEMENTWISE_CONSTANTS = 32, ELEMENTWISE_STEPS = 64, ELEMENTWISE_REGISTERS = ELEMENTWISE_STEPS,
  ELEMENTWISE_INPUTS = MAX_OPERANDS - 1, ELEMENTWISE_RESULTS = 8,
  ELEMENTWISE_CONSTANT = ELEMENTWISE_INPUTS, ELEMENTWISE_REGISTER = ELEMENTWISE_CONSTANT + ELEMENTWISE_CONSTANTS
};

/* A step: out = op(in[0], …), where `out` is a register that is none of the inputs. The op `positive` converts from
** dtype `from` to dtype `compute`. If `compute` is a half float, the value is rounded to the half float and stored as
** float32. */
typedef struct elementwise_step {
  enum map_op op;
  enum dtype  compute, from, gives;    /* gives: the dtype of the register */
  uint8_t     in[MAX_ARITY], out;
  uint8_t     unused[3];               /* takes the place of padding, because programs are hashed by their bytes */
} elementwise_step;

typedef struct elementwise_program {
  int        nin, nout, nconstant, nregister, nstep;
  enum dtype in[ELEMENTWISE_INPUTS];   /* the compute dtypes to which operands are converted */
  enum dtype constant_dtype[ELEMENTWISE_CONSTANTS];
  scalar     constant[ELEMENTWISE_CONSTANTS];
  elementwise_step step[ELEMENTWISE_STEPS];   /* at least one */
  uint8_t    out[ELEMENTWISE_RESULTS]; /* the register of each result, which only one step writes */
  enum dtype gives[ELEMENTWISE_RESULTS];      /* the dtypes of these registers */
  bool       costly;                   /* the program contains a costly function such as exp */
  uint64_t   hash;                     /* hash of the used fields above but for the values of constants; 0: not
                                       ** finished */
} elementwise_program;

typedef struct elementwise_call {
  const elementwise_program *program;
  const plan *plan;                    /* the loop nest of all operands: first the results, then the inputs */
  operand    out[ELEMENTWISE_RESULTS], in[ELEMENTWISE_INPUTS];
} elementwise_call;

/* A kernel that a script wrote, with its arguments. An argument is a pointer or a number, given as the low bytes of
** `value`. */
enum { USER_KERNEL_ARGUMENTS = 64 };

typedef struct user_kernel_argument {
  uint64_t value;
  bool     pointer, written;
  size_t   bytes;                      /* bytes of the tensor to which a pointer refers */
} user_kernel_argument;

typedef struct user_kernel_call {
  void    *kernel;                     /* the handle that user_kernel_make returned */
  unsigned grid[3], block[3], shared;  /* shared: bytes of shared memory of each block */
  int      count;
  user_kernel_argument argument[USER_KERNEL_ARGUMENTS];
} user_kernel_call;

#endif
