#ifndef LT_BASE_CALLS_H
#define LT_BASE_CALLS_H

/* The calls of a device: enums made from the op table, plans, and a call struct for each family. Plain C without Lua,
** broadcasting rules or promotion. Strides are in elements, positions are 0-based. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

static inline int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most_of(int64_t a, int64_t b)  { return a > b ? a : b; }

enum {
  MAX_DIMS = 16,
  MAX_ARITY = 4,      /* inputs of a row of the op table */
  MAX_IN   = 8        /* inputs of an element-wise call */
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

/* A weak Lua number, already converted for the compute dtype: floats read f, complex dtypes f and im, the rest i. */
typedef struct scalar {
  double  f, im;
  int64_t i;
  bool    is_float;   /* the subtype of the Lua number was float */
  bool    is_bool;    /* a Lua boolean, as 0 or 1 */
  bool    is_complex; /* lt.complex(re, im); is_float is true, too */
} scalar;

/* The values of the op table's result column. */
enum op_result { RESULT_SAME, RESULT_REAL, RESULT_BOOL, RESULT_ACC, RESULT_POSITION };

/* Returns the dtype of the result of an element-wise row that computes in dtype d. */
static inline enum dtype result_dtype(enum op_result r, enum dtype d) {
  return r == RESULT_BOOL ? DT_bool : r == RESULT_REAL ? dtype_real(d) : d;
}

/* One side of a call: a tensor's first element, or (data NULL) the call's scalar. */
typedef struct operand {
  void      *data;
  enum dtype dtype;
  scalar     value;
} operand;

/* A loop nest shared by all operands, outermost dim first, and collapsed: there is no dim of length 1, and neighbouring
** dims that every operand walks contiguously are merged. ndim 0: one element. count 0: none. */
typedef struct plan {
  int     ndim;
  int64_t count;
  int64_t shape[MAX_DIMS];
  int64_t stride[1 + MAX_IN][MAX_DIMS];   /* [0] the output's, [1 + k] input k's; 0: broadcast */
} plan;

/* out[i] = op(in[0][i], …), computed in `compute`, then stored as out.dtype. */
typedef struct map_call {
  enum map_op op;
  enum dtype  compute;
  int         nin;
  const plan *plan;
  operand     out, in[MAX_IN];
} map_call;

/* ---- further families: each is filled by op/<family>.c and served by <device>/<family>.c ---- */

/* Reductions: the REDUCE rows of the op table. */
enum reduce_op {
#define REDUCE_ID(name, ...) REDUCE_##name,
#define REDUCE REDUCE_ID
#define REDUCE_STATE REDUCE_ID
#include "ops.def"
#undef REDUCE_ID
  REDUCE_COUNT
};

/* out[k] = op over r of in[k, r]. Dims are sorted by in's stride, largest first, and collapsed. Ordered reductions,
** such as argmax, keep the order of the reduced dims, because they return positions. */
typedef struct reduce_call {
  enum reduce_op op;
  enum dtype compute;          /* the dtype to which in is converted */
  operand    in, out;
  double     correction;       /* var, std: the divisor is n - correction */
  bool       ordered;          /* positions among the reduced elements matter */
  plan       kept;             /* stride[0] out's, stride[1] in's */
  plan       reduced;          /* stride[0] in's; count may be 0 */
} reduce_call;

/* Work along one dim of n elements (a line), for every position of the other dims. */
typedef struct line_call {
  enum dtype compute;          /* the dtype to which in is converted */
  operand    in, out;
  plan       outer;            /* the other dims: stride[0] out's, stride[1] in's */
  int64_t    n, in_stride, out_stride;
} line_call;

/* Scans: the SCAN rows of the op table. */
enum scan_op {
#define SCAN(name, ...) SCAN_##name,
#include "ops.def"
  SCAN_COUNT
};

/* out[…, i, …] = op(in[…, 0, …], …, in[…, i, …]). With `initial`, a line of out has n + 1 elements and starts with the
** op of no elements. */
typedef struct scan_call {
  enum scan_op op;
  bool         initial;
  line_call    line;
} scan_call;

/* Softmax: the SOFTMAX rows of the op table. */
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
** rows of class `ignored` give 0. scale is 1, or for the mean 1 / the number of rows that are not ignored. All operands
** are contiguous. */
/* ORDER reductions, lua/luatensor/gradients/loss.lua */
enum cross_entropy_reduction { CROSS_ENTROPY_none, CROSS_ENTROPY_mean, CROSS_ENTROPY_sum };

typedef struct cross_entropy_call {
  bool       backward;
  enum cross_entropy_reduction reduction;
  enum dtype compute;          /* the dtype of losses and sums */
  int64_t    rows, n;
  operand    in;               /* [rows][n] */
  const int64_t *classes;      /* [rows], 1-based. Not in 1 … n: ERR_INDEX, *bad; or a late error, as in an
                               ** index_call */
  bool       ignores;
  int64_t    ignored;
  void      *losses;           /* [rows], or one for all: out; backward: in, their gradients */
  void      *sums;             /* [2 * rows + 1]: the largest element of each row; the sum of exp(x - largest); scale */
  operand    out;              /* backward: [rows][n], the gradients of in */
  int64_t   *bad;
} cross_entropy_call;

/* Normalisation of x [rows][segments][run], contiguous: y = (x - mean) / sqrt(var + eps) * weight + bias. NORM_rows:
** mean and variance of each row (rms: mean 0); weight and bias [groups][segments], of which a row uses those of row %
** groups. NORM_channels: of each segment, over rows and runs; weight and bias [segments]; groups is 1. stats: mean and
** 1 / sqrt(var + eps), each [rows] or [segments] (rms: only the latter). A mean that the call computed is stored as its
** distance from the row's or segment's first element. NORM_softmax and NORM_log_softmax only run backward: `in` is the
** result of softmax for each row, `out` the gradient of its input. */
enum norm_kind { NORM_rows, NORM_channels, NORM_softmax, NORM_log_softmax };

typedef struct norm_call {
  enum norm_kind kind;
  bool       backward, rms;
  bool       given;            /* channels: normalises by running_mean and running_var, so that no gradients flow
                               ** through mean and variance */
  enum dtype compute;          /* the dtype of all except in, out and gradient, which share a dtype */
  int64_t    rows, segments, run, groups;
  double     eps, momentum, correction;   /* correction: the factor of the variance in running_var */
  operand    in, out;          /* out: backward the gradient of in, or data NULL: not wanted */
  operand    gradient;         /* backward: the gradient of the result */
  const void *weight, *bias;   /* or NULL */
  void       *stats;           /* output; backward an input */
  void       *running_mean, *running_var;   /* channels, forward; or NULL. Unless `given`, the call sets new = old +
                                            ** momentum * (batch's value - old) */
  void       *dweight, *dbias; /* backward: outputs, or NULL */
} norm_call;

/* Element access through index tensors (int64, contiguous, 1-based, negative from the end). The plan walks the
** positions: stride[0] is that of values, stride[1] that of the target's dims without an index (0 in dims of positions
** that come from an index). At each position
**   target offset = plan offset + sum over k of place(index k's value) * index[k].step
** INDEX_get: values = target[…]; INDEX_put: target[…] = values; INDEX_add: target[…] += values. take, gather, scatter,
** x[indices] and x[indices] = v are all this one call. Where several positions put into one element, the last in
** row-major order stays; adds are done in that order. All index values are checked first: nothing is written when one
** is out of range (ERR_INDEX, *bad, *bad_index). An asynchronous device may find an error later: then its next wait
** fails (ERR_LATE) with the same message, which `function` and `dim` determine. */
enum index_op { INDEX_get, INDEX_put, INDEX_add };

typedef struct index_source {
  const int64_t *data;
  int64_t count;               /* number of index values */
  int64_t stride[MAX_DIMS];    /* over the plan's dims */
  int64_t length, step;        /* the indexed dim of the target: its length and stride */
  int     dim;                 /* the script's number of that dim, 0-based, for messages */
} index_source;

typedef struct index_call {
  enum index_op op;
  operand  values, target;     /* same dtype */
  plan     plan;
  int      nindex;
  index_source index[MAX_DIMS];
  bool     sound;              /* positions of a mask: all in range and distinct */
  const char *function;        /* "take", or "" for x[…], for messages; lives as long as the process */
  int64_t *bad;                /* output: the invalid value */
  int     *bad_index;          /* output: k of the invalid value */
} index_call;

/* Positions (1-based, int64) of the true elements of a contiguous mask, row-major. */
typedef struct nonzero_call {
  const bool *in;
  int      ndim;
  int64_t  shape[MAX_DIMS];
  int64_t *out;                /* [ndim][count]: one row for each dim; NULL: only count */
  int64_t  count;              /* number of true elements: an output if `out` is NULL, else an input */
} nonzero_call;

/* out[i] = position (1-based) in the sorted row where values[i] belongs: before its equals, or (right) after them. NaN
** sorts last. All operands are contiguous: rows [n], values and out [rows][count]. */
typedef struct search_call {
  enum dtype  dtype;           /* the dtype of sorted and values, a compute dtype */
  const void *sorted, *values;
  int64_t    *out;
  int64_t     rows, n, count;
  bool        right;
} search_call;

/* Sorts lines of n elements, for every position of the other dims. Real dtypes and bool, as stored. NaN counts as the
** greatest value. Sorting is stable, in descending order too. The first `keep` elements of each sorted line are
** written: keep = n sorts, fewer is topk. */
typedef struct sort_call {
  operand    in;
  operand    values;           /* in in's dtype; data NULL: not wanted */
  operand    positions;        /* int64, 1-based within the line; data NULL: not wanted */
  bool       descending;
  int64_t    n, keep;
  plan       outer;            /* the other dims: stride[0] values', stride[1] in's, stride[2] positions' */
  int64_t    in_stride, values_stride, positions_stride;   /* strides along the line */
} sort_call;

/* Discrete Fourier transforms of lines of length n: out[k] = scale * sum over j of in[j] exp(-+2 pi i j k / n), the
** sign being + where inverse. FFT_real: from real lines to their first n/2 + 1 outputs. FFT_hermitian: the reverse,
** from n/2 + 1 inputs to n real outputs (the imaginary parts of the first input, and of the last one if n is even, are
** ignored). */
enum fft_kind { FFT_complex, FFT_real, FFT_hermitian };

typedef struct fft_call {
  enum fft_kind kind;
  bool       inverse;          /* always false for FFT_real, true for FFT_hermitian */
  double     scale;
  int64_t    n;                /* length of the transform */
  operand    in, out;          /* float32 or float64 and its complex dtype; the operands do not overlap */
  plan       outer;            /* the other dims: stride[0] out's, stride[1] in's */
  int64_t    in_stride, out_stride;   /* strides along the line, in elements of their dtype */
} fft_call;

/* Linear algebra on each matrix of a batch of one size. Matrices are stored one after the other, contiguous and
** column-major: element (i, j) of m × n is at i + j * m. batch, m, n, k are at least 1. Other operands have a
** vector for each matrix. Unless `a` is a result, its contents are undefined afterwards. An operand that is NULL is not
** wanted, or the device uses its own scratch memory.
**
** info, on the host, has an entry for each matrix. It is NULL if it is not wanted; then the call does not wait. An
** entry is 0 if there is a result, otherwise the info of LAPACK's routine named in brackets. The ops marked * detect
** NaN and infinity before they compute, and then set LINALG_NOT_FINITE. */
enum { LINALG_NOT_FINITE = -1 };

enum linalg_op {
  LINALG_cholesky,             /* [potrf] a n × n, Hermitian, upper triangle read: U with a = Uᴴ U there, 0 below */
  LINALG_lu,                   /* [getrf] a m × n: L and U in one matrix; pivots; order */
  LINALG_lu_solve,             /* [getrs] a n × n and pivots as lu leaves them, b n × k: b = a⁻¹ b, or aᵀ⁻¹ b if
                               ** `transposed` */
  LINALG_solve,                /* [getrf] a n × n, b n × k: b = a⁻¹ b, where a is not factored */
  LINALG_inv,                  /* [getrf] a n × n: its inverse */
  LINALG_det,                  /* a n × n: b [1] its determinant, 0 if a is singular; no info */
  LINALG_slogdet,              /* a n × n: b [1] det / |det|, or 0, values [1] log |det|; no info */
  LINALG_qr,                   /* a m × n, p = full ? m : min(m, n): b m × p = Q, c p × n = R; b may be a
                               ** if p = n; no info */
  LINALG_svd,                  /* [gesdd] * a m × n, p = min(m, n): values [p], descending; b = U, m × (full ? m : p);
                               ** c = Vᴴ, (full ? n : p) × n; without b and c values only */
  LINALG_eigh,                 /* [syevd] * a n × n, Hermitian, one triangle read: values [n], ascending; if
                               ** `vectors`, V replaces a */
  LINALG_eig,                  /* [geev] * a n × n: b [n] complex, in any order; c n × n complex: vectors of length 1, or
                               ** NULL */
  LINALG_lstsq,                /* [gelsd] * a m × n, b max(m, n) × k: x in b's first n rows; if m > n = rank, the
                               ** squares of the other rows sum to the squared residual. values [min(m, n)] of a; rank
                               ** [1]: how many values > rtol * the first */
  LINALG_COUNT
};

typedef struct linalg_call {
  enum linalg_op op;
  enum dtype dtype;            /* the dtype of a, b, c: float32, float64, complex64, complex128; values are real */
  int64_t  batch, m, n, k;     /* k: columns of b in solve, lu_solve, lstsq */
  bool     upper;              /* eigh: reads the upper triangle instead of the lower one; true for cholesky */
  bool     transposed, full, vectors;
  double   rtol;
  void    *a, *b, *c, *values;
  int32_t *pivots;             /* [min(m, n)]: row i was swapped with row pivots[i], 1-based, in order */
  int64_t *order;              /* [m]: row i of L U is row order[i] of a, 1-based */
  int64_t *rank;
  int32_t *info;               /* [batch] */
} linalg_call;

/* Values made from a counter (see random.h): element i of the contiguous out depends only on (seed, offset, i). Floats
** are drawn in their compute dtype, integers as 64 bits that wrap into out's dtype. A permutation (int64, of 1 … count)
** sorts positions by 64 random bits each, and equal ones by position. */
enum random_op { RANDOM_uniform, RANDOM_normal, RANDOM_integers, RANDOM_permutation, RANDOM_COUNT };

typedef struct random_call {
  enum random_op op;
  uint64_t seed, offset;       /* offset: the number of the first Philox block */
  const uint64_t *cell;        /* on the device, for graphs: {the base of offset, the seed to use instead}; or NULL */
  operand  out;                /* contiguous */
  int64_t  count;
  double   a, b;               /* uniform: [a, b); normal: mean, standard deviation */
  double   most;               /* uniform: the greatest value of out's dtype below b */
  int      bits;               /* uniform: random bits of an element, as many as its significand has */
  int64_t  low;                /* integers: low … low + range - 1 */
  uint64_t range;              /* 0 means all 2^64 */
} random_call;

/* out[i] = start + i * step, i < count; out contiguous. */
typedef struct arange_call {
  operand out;
  int64_t count;
  scalar  start, step;
} arange_call;

/* The precision of float32 products on devices that have faster ways: `tf32` rounds the inputs to 10 bits of mantissa,
** `ieee` does not round them. */
enum precision { PRECISION_ieee, PRECISION_tf32 };

/* c = alpha * a @ b + beta * c for each product of the batch; if beta is 0, c is not read. All operands have one dtype.
** Each matrix is addressed by its row and column strides in elements (any values, also 0 and negative). */
typedef struct gemm_call {
  enum dtype  dtype;
  int64_t     m, n, k;         /* c is m × n, a is m × k, b is k × n */
  const void *a, *b;
  void       *c;
  int64_t     a_stride[2], b_stride[2], c_stride[2];   /* {row, column} */
  scalar      alpha, beta;     /* floats read f, integers i */
  plan        batch;           /* stride[0] c's, stride[1] a's, stride[2] b's */
  enum precision precision;    /* the least precision that is allowed */
} gemm_call;

/* Convolutions (cross-correlations, as usual for networks). The operands are contiguous: x [n, c_in, in],
** w [c_out, c_in / groups, kernel], y [n, c_out, out]. Each has two spatial lengths, height and width; for signals the
** height is 1. With c' = c + the first channel of o's group, y is
**      y[b, o, p] = bias[o] + sum over c, k of x[b, c', p * stride + k * dilation - pad] * w[o, c, k]
** Elements outside of x count as 0. pad is the number of zeros before x. After x there are as many zeros as `out`
** needs. Their number may differ from pad, and is negative if the end of x is not read. Lengths, stride and dilation
** are at least 1, pad is at least 0. Sums are made in an order that does not depend on the number of threads. Half
** floats are summed in float32. */
enum conv_op {
  CONV_forward,                /* y from x, w and bias */
  CONV_input,                  /* x from y and w: x's gradient, where y is y's gradient; a transposed convolution */
  CONV_weight                  /* w from x and y: w's gradient */
};

typedef struct conv_call {
  enum conv_op op;
  enum dtype dtype;            /* the dtype of all operands: float32, float64, float16, bfloat16 */
  int64_t n, groups, c_in, c_out;   /* channels in total; groups divides both */
  int64_t in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  void       *x, *w, *y;       /* the operand that op makes is written completely, without being read */
  const void *bias;            /* [c_out] for CONV_forward, or NULL */
  enum precision precision;    /* the least precision that is allowed */
} conv_call;

/* Pooling: windows of planes x [planes, in] give y [planes, out]; contiguous. Window p begins at p * stride - pad and
** has `kernel` elements, `dilation` apart, of which only those inside of x count; each window has at least one such
** element. Adaptive: window p is floor(p * in / out) … ceil((p + 1) * in / out) - 1, and kernel, stride, dilation, pad
** are 0. */
enum pool_op {
  POOL_max,                    /* y, and the position of the first maximum or last NaN, unless `position` is NULL */
  POOL_max_back,               /* x from y and position: x's gradient, where y is y's gradient */
  POOL_average,
  POOL_average_back,           /* x from y: x's gradient */
  POOL_COUNT
};

typedef struct pool_call {
  enum pool_op op;
  enum dtype dtype;            /* the dtype of x and y: float32, float64, float16, bfloat16 */
  int64_t planes, in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  bool    adaptive;
  bool    count_pad;           /* averages: the padding of x, of width `pad` on all sides, counts as zeros */
  int64_t divisor;             /* averages: the divisor of each sum; 0: the number of elements that count */
  void    *x, *y;              /* the operand that op makes is written completely, without being read */
  int32_t *position;           /* [planes, out]: the position of y's elements in their plane of x, 1-based, row-major;
                               ** in[0] * in[1] does not overflow */
} pool_call;

/* A step of a recurrent cell, forward or backward: rows × width elements, each on its own. An operand is a matrix with
** contiguous rows, `row` elements apart. Gates lie side by side in a row: gates [rows, 4 width] of an LSTM are i, f, g,
** o; [rows, 3 width] of a GRU r, z, n. Backward steps add CELL_dy and CELL_dh, which may be NULL (0). */
enum cell_op {
  CELL_lstm,                   /* gates: sums, which are replaced by the gates; before (c) → c, h */
  CELL_lstm_back,              /* gates, before, c, dy, dh; dc: the gradient of c, replaced by that of `before` →
                               ** dgates: the sums' gradients */
  CELL_gru,                    /* gates: sums of the input, which are replaced by the gates; other [3 width]: of h;
                               ** before (h) → h */
  CELL_gru_back,               /* gates, other's n, before, dy; dh: of h, replaced by the direct gradient of `before` →
                               ** dgates, dother [3 width] */
  CELL_COUNT
};

enum cell_operand { CELL_gates, CELL_before, CELL_c, CELL_h, CELL_other, CELL_dy, CELL_dh, CELL_dc, CELL_dgates, CELL_dother,
                    CELL_OPERANDS };

typedef struct cell_call {
  enum cell_op op;
  enum dtype dtype;            /* the dtype of all operands: float32, float64 */
  int64_t rows, width;
  struct { void *data; int64_t row; } at[CELL_OPERANDS];   /* the operands that op names */
} cell_call;

/* Attention: o = softmax(scale q kᵀ + mask) v, for each of batch × heads. Rows of q [queries, width], k [keys, width],
** v [keys, out_width], o [queries, out_width] are contiguous; other strides are given by the operand. If `causal`,
** query i sees keys up to i. Rows that see no key are 0. Backward: dq, dk, dv from the other operands and dout; the
** scores are recomputed with log_sums, so that no queries × keys matrix is kept. */
typedef struct attention_operand {
  void   *data;
  int64_t batch, head, row;
} attention_operand;

typedef struct attention_call {
  enum dtype dtype;            /* the dtype of all operands: float32, float64 */
  bool    back, causal;
  double  scale;
  int64_t batch, heads, queries, keys, width, out_width;
  attention_operand q, k, v, o, dout, dq, dk, dv;
  void   *log_sums;            /* [batch, heads, queries]: logarithm of each row's sum of exponentials; infinity if the
                               ** row sees no key */
  const void *mask;            /* or NULL; bool (true: the key is seen) or `dtype` (added to the scores) */
  enum dtype mask_dtype;
  int64_t mask_stride[4];      /* strides over batch, heads, queries, keys; 0: broadcast */
} attention_call;

/* Updates of a parameter by its gradient: the rows of update.def. All operands have one shape and dtype. */
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

typedef struct update_call {
  enum update_op op;
  enum dtype  dtype;
  int         states;                     /* the number of the row's states */
  const plan *plan;
  void       *at[UPDATE_OPERANDS];        /* parameter, gradient, states, also in the order of the plan's strides */
  double      number[UPDATE_NUMBERS];
} update_call;

/* Element-wise programs (lt.elementwise): an expression of op-table rows as steps. Values are numbered: inputs, then
** constants (from ELEMENTWISE_CONSTANT on), then registers (from ELEMENTWISE_REGISTER on); each has a compute dtype. */
enum {
  ELEMENTWISE_CONSTANTS = 32, ELEMENTWISE_REGISTERS = 16, ELEMENTWISE_STEPS = 64,
  ELEMENTWISE_CONSTANT = MAX_IN, ELEMENTWISE_REGISTER = ELEMENTWISE_CONSTANT + ELEMENTWISE_CONSTANTS
};

/* out = op(in[0], …), where out is none of the inputs. `positive` converts from `from` to `compute`, which may be a
** half float here: the value is rounded to it, and kept as float32. */
typedef struct elementwise_step {
  enum map_op op;
  enum dtype  compute, from, gives;    /* gives: the dtype of the register */
  uint8_t     in[MAX_ARITY], out;
  uint8_t     unused[3];               /* no padding: programs are hashed */
} elementwise_step;

typedef struct elementwise_program {
  int        nin, nconstant, nregister, nstep;
  enum dtype in[MAX_IN];               /* compute dtypes, to which operands are converted */
  enum dtype constant_dtype[ELEMENTWISE_CONSTANTS];
  scalar     constant[ELEMENTWISE_CONSTANTS];
  elementwise_step step[ELEMENTWISE_STEPS];   /* at least one; the out of the last step is the result */
  bool       costly;                   /* contains a costly function such as exp */
  uint64_t   hash;                     /* of all the fields above */
} elementwise_program;

typedef struct elementwise_call {
  const elementwise_program *program;
  const plan *plan;                    /* as in a map_call */
  operand    out, in[MAX_IN];
} elementwise_call;

/* A script's own kernel. An argument is a pointer or a number, given as the low bytes of `value`. */
enum { USER_KERNEL_ARGUMENTS = 64 };

typedef struct user_kernel_argument {
  uint64_t value;
  bool     pointer, written;
  size_t   bytes;                      /* bytes of its tensor */
} user_kernel_argument;

typedef struct user_kernel_call {
  void    *kernel;                     /* made by user_kernel_make */
  unsigned grid[3], block[3], shared;  /* shared: bytes */
  int      count;
  user_kernel_argument argument[USER_KERNEL_ARGUMENTS];
} user_kernel_call;

#endif
