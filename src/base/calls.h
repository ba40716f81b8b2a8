#ifndef LT_BASE_CALLS_H
#define LT_BASE_CALLS_H

/* The work that a device is asked to do: enums made from the op table, plans, and one call struct a family.
** Plain C without Lua, broadcasting rules or promotion; strides are in elements, positions 0-based. */

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
  bool    is_float;   /* the Lua subtype it came with */
  bool    is_bool;    /* a Lua boolean, as 0 or 1 */
  bool    is_complex; /* lt.complex(re, im): is_float, too */
} scalar;

/* The result column of the op table. */
enum op_result { RESULT_SAME, RESULT_REAL, RESULT_BOOL, RESULT_ACC, RESULT_POSITION };

/* The dtype of the result of an element-wise row that computes in dtype d. */
static inline enum dtype result_dtype(enum op_result r, enum dtype d) {
  return r == RESULT_BOOL ? DT_bool : r == RESULT_REAL ? dtype_real(d) : d;
}

/* One side of a call: a tensor's first element, or (data NULL) the call's scalar. */
typedef struct operand {
  void      *data;
  enum dtype dtype;
  scalar     value;
} operand;

/* Loop nest shared by all operands, outermost dim first, collapsed: no dim of length 1, and
** neighbours that every operand walks contiguously are one. ndim 0: one element. count 0: none. */
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

/* out[k] = op over r of in[k, r]. Dims are sorted by in's stride, largest first, and collapsed, except
** that ordered reductions (argmax: positions count) keep the order of the reduced dims. */
typedef struct reduce_call {
  enum reduce_op op;
  enum dtype compute;          /* in is converted to it */
  operand    in, out;
  double     correction;       /* var, std: the divisor is n - correction */
  bool       ordered;          /* positions among the reduced elements count */
  plan       kept;             /* stride[0] out's, stride[1] in's */
  plan       reduced;          /* stride[0] in's; count may be 0 */
} reduce_call;

/* Work along one dim of n elements (a line), for every position of the other dims. */
typedef struct line_call {
  enum dtype compute;          /* in is converted to it */
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

/* out[…, i, …] = op(in[…, 0, …], …, in[…, i, …]); with `initial`, out has n + 1 elements a line and
** starts with the op of none. */
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

/* Cross entropy of rows of logits x, each with a class c: (log(sum of exp(x)) - x[c]) * scale. Rows of class `ignored`, where
** `ignores` is set, give 0. scale is 1 or, of the mean, 1 / the number of rows that are not ignored. All contiguous. */
/* ORDER reductions, lua/luatensor/gradients/loss.lua */
enum cross_entropy_reduction { CROSS_ENTROPY_none, CROSS_ENTROPY_mean, CROSS_ENTROPY_sum };

typedef struct cross_entropy_call {
  bool       backward;
  enum cross_entropy_reduction reduction;
  enum dtype compute;          /* of losses and sums */
  int64_t    rows, n;
  operand    in;               /* [rows][n] */
  const int64_t *classes;      /* [rows], 1-based. Not in 1 … n: ERR_INDEX, *bad; or later, as in an index_call */
  bool       ignores;
  int64_t    ignored;
  void      *losses;           /* [rows], or one for all: out; backward: in, their gradients */
  void      *sums;             /* [2 * rows + 1]: the largest element of each row; the sum of exp(x - largest); scale */
  operand    out;              /* backward: [rows][n], the gradients of in */
  int64_t   *bad;
} cross_entropy_call;

/* Normalisation of x [rows][segments][run], contiguous: y = (x - mean) / sqrt(var + eps) * weight + bias.
** NORM_rows: mean and variance of each row (rms: mean 0); weight and bias [groups][segments], a row's being those of row % groups.
** NORM_channels: of each segment, over rows and runs; weight and bias [segments]; groups is 1.
** stats, of as many: mean and 1 / sqrt(var + eps), each [rows] or [segments] (rms: only the latter). Of a mean that the call
** computed, its distance from the row's or the segment's first element.
** NORM_softmax, NORM_log_softmax, backward only: in is what they gave, of each row; out the gradient of what they were given. */
enum norm_kind { NORM_rows, NORM_channels, NORM_softmax, NORM_log_softmax };

typedef struct norm_call {
  enum norm_kind kind;
  bool       backward, rms;
  bool       given;            /* channels: by running_mean and running_var; so gradients do not go through mean and variance */
  enum dtype compute;          /* of all but in, out, gradient, which are of one dtype */
  int64_t    rows, segments, run, groups;
  double     eps, momentum, correction;   /* correction: what the variance is multiplied with in running_var */
  operand    in, out;          /* out, backward: the gradient of in, or data NULL: not wanted */
  operand    gradient;         /* backward: of the result */
  const void *weight, *bias;   /* or NULL */
  void       *stats;           /* out; backward: in */
  void       *running_mean, *running_var;   /* channels, forward; or NULL. Unless given: new = old + momentum * (this one - old) */
  void       *dweight, *dbias; /* backward: out, or NULL */
} norm_call;

/* Element access through index tensors (int64, contiguous, 1-based as scripts write them, negative from
** the end). The plan walks the positions: stride[0] is values', stride[1] the target's over its dims
** without index (0 in dims of the positions that come from an index). At each position
**   target offset = plan offset + sum over k of place(index k's value) * index[k].step
** INDEX_get: values = target[…]; INDEX_put: target[…] = values; INDEX_add: target[…] += values.
** take, gather, scatter, x[indices] and x[indices] = v are all this one call. Where several positions
** put into one element, the last in row-major order stays; adds are done in that order. All index
** values are checked first: nothing is written when one is out of range (ERR_INDEX, *bad, *bad_index). A device
** that works asynchronously may find that later: then its next wait fails (ERR_LATE) in the same words, which
** are made of `function` and `dim`. */
enum index_op { INDEX_get, INDEX_put, INDEX_add };

typedef struct index_source {
  const int64_t *data;
  int64_t count;               /* values in all */
  int64_t stride[MAX_DIMS];    /* over the plan's dims */
  int64_t length, step;        /* the indexed dim of the target: its length and stride */
  int     dim;                 /* which dim that is to the script, 0-based: for words */
} index_source;

typedef struct index_call {
  enum index_op op;
  operand  values, target;     /* same dtype */
  plan     plan;
  int      nindex;
  index_source index[MAX_DIMS];
  bool     sound;              /* positions of a mask: all in range, no two alike */
  const char *function;        /* "take"; "" for x[…]: for words; lives as long as the process */
  int64_t *bad;                /* out: the offending value */
  int     *bad_index;          /* out: k */
} index_call;

/* Positions (1-based, int64) of the true elements of a contiguous mask, row-major. */
typedef struct nonzero_call {
  const bool *in;
  int      ndim;
  int64_t  shape[MAX_DIMS];
  int64_t *out;                /* [ndim][count]: one row a dim; NULL: only count */
  int64_t  count;              /* true elements: out where out is NULL, else in */
} nonzero_call;

/* out[i] = position (1-based) in the sorted row where values[i] belongs: before its equals, or (right)
** after them. NaN sorts last. All contiguous; rows [n], values and out [rows][count]. */
typedef struct search_call {
  enum dtype  dtype;           /* a compute dtype, of sorted and values */
  const void *sorted, *values;
  int64_t    *out;
  int64_t     rows, n, count;
  bool        right;
} search_call;

/* Sorting along lines of n elements, for every position of the other dims. Real dtypes and bool as stored. NaN counts
** as greater than everything; equal elements stay in their order, in descending order too. Of each line the first
** `keep` in order are written: keep = n sorts, less is topk. */
typedef struct sort_call {
  operand    in;
  operand    values;           /* of in's dtype; data NULL: not wanted */
  operand    positions;        /* int64, 1-based in their line; data NULL: not wanted */
  bool       descending;
  int64_t    n, keep;
  plan       outer;            /* the other dims: stride[0] values', stride[1] in's, stride[2] positions' */
  int64_t    in_stride, values_stride, positions_stride;   /* along the line */
} sort_call;

/* Discrete Fourier transforms of lines of length n: out[k] = scale * sum over j of in[j] exp(-+2 pi i j k / n), the
** sign being + where inverse. FFT_real: real lines to their n/2 + 1 first outputs. FFT_hermitian: back, from n/2 + 1 inputs
** to n real outputs (imaginary parts of the first, and of the last where n is even, are not read). */
enum fft_kind { FFT_complex, FFT_real, FFT_hermitian };

typedef struct fft_call {
  enum fft_kind kind;
  bool       inverse;          /* FFT_real: forward, FFT_hermitian: inverse, always */
  double     scale;
  int64_t    n;                /* length of the transform */
  operand    in, out;          /* float32 or float64 and its complex dtype; they do not overlap */
  plan       outer;            /* the other dims: stride[0] out's, stride[1] in's */
  int64_t    in_stride, out_stride;   /* along the line, in elements of their dtype */
} fft_call;

/* Linear algebra: a batch of matrices of one size, each by itself. Matrices lie one after the other, contiguous and
** column-major: element (i, j) of m × n is at i + j * m. batch, m, n, k are 1 or more. Other operands are vectors a matrix.
** Whatever an op does not give back in `a` it may leave there anything. NULL: not wanted, or the device's own scratch.
** info, on the host (NULL: not wanted, and nothing waits): for each matrix 0, or what LAPACK's routine of the name in
** brackets says where it has no result, or LINALG_NOT_FINITE, which the ops marked * find before they compute. */
enum { LINALG_NOT_FINITE = -1 };

enum linalg_op {
  LINALG_cholesky,             /* [potrf] a n × n, Hermitian, upper triangle read: U with a = Uᴴ U there, 0 below */
  LINALG_lu,                   /* [getrf] a m × n: L and U in one matrix; pivots; order */
  LINALG_lu_solve,             /* [getrs] a n × n and pivots as lu leaves them, b n × k: b = a⁻¹ b, or (transposed) aᵀ⁻¹ b */
  LINALG_solve,                /* [getrf] a n × n, b n × k: the same from a itself */
  LINALG_inv,                  /* [getrf] a n × n: its inverse */
  LINALG_det,                  /* a n × n: b [1] its determinant, 0 where it is singular; no info */
  LINALG_slogdet,              /* a n × n: b [1] det / |det|, or 0, values [1] log |det|; no info */
  LINALG_qr,                   /* a m × n, p = full ? m : min(m, n): b m × p = Q, c p × n = R; b may be a where p = n. No info */
  LINALG_svd,                  /* [gesdd] * a m × n, p = min(m, n): values [p], descending; b = U, m × (full ? m : p);
                               ** c = Vᴴ, (full ? n : p) × n; without b and c values only */
  LINALG_eigh,                 /* [syevd] * a n × n, Hermitian, one triangle read: values [n], ascending; a: (vectors) V */
  LINALG_eig,                  /* [geev] * a n × n: b [n] complex, in any order; c n × n complex: vectors of length 1, or NULL */
  LINALG_lstsq,                /* [gelsd] * a m × n, b max(m, n) × k: x in b's first n rows, what is left over in the others
                               ** (m > n = rank), or as much in one row and 0; values [min(m, n)] of a; rank [1], of
                               ** the values > rtol * the first */
  LINALG_COUNT
};

typedef struct linalg_call {
  enum linalg_op op;
  enum dtype dtype;            /* of a, b, c: float32, float64, complex64, complex128; values are real */
  int64_t  batch, m, n, k;     /* k: columns of b in solve, lu_solve, lstsq */
  bool     upper;              /* eigh: the triangle to read is the upper, else the lower; true for cholesky */
  bool     transposed, full, vectors;
  double   rtol;
  void    *a, *b, *c, *values;
  int32_t *pivots;             /* [min(m, n)]: row i was swapped with row pivots[i], 1-based, in turn */
  int64_t *order;              /* [m]: row i of L U is row order[i] of a, 1-based */
  int64_t *rank;
  int32_t *info;               /* [batch] */
} linalg_call;

/* Values made from a counter (random.h says how): element i of the contiguous out depends on
** (seed, offset, i) only. Floats draw in their compute dtype, integers as 64 bits that wrap into out's dtype.
** A permutation (int64, of 1 … count) sorts its positions by 64 random bits each, equal ones by position. */
enum random_op { RANDOM_uniform, RANDOM_normal, RANDOM_integers, RANDOM_permutation, RANDOM_COUNT };

typedef struct random_call {
  enum random_op op;
  uint64_t seed, offset;       /* offset: of the first Philox block */
  const uint64_t *cell;        /* on the device, for graphs: {what offset counts from, the seed to use instead}; or NULL */
  operand  out;                /* contiguous */
  int64_t  count;
  double   a, b;               /* uniform: [a, b); normal: mean, standard deviation */
  double   most;               /* uniform: the greatest value of out's dtype below b */
  int      bits;               /* uniform: random bits an element has, those of the significand */
  int64_t  low;                /* integers: low … low + range - 1 */
  uint64_t range;              /* 0: all 2^64 */
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

/* c = alpha * a @ b + beta * c for each of the batch; where beta is 0, c is not read. All three of one
** dtype. Each matrix is addressed by its row and column strides in elements (any values, 0 and negative too). */
typedef struct gemm_call {
  enum dtype  dtype;
  int64_t     m, n, k;         /* c is m × n, a is m × k, b is k × n */
  const void *a, *b;
  void       *c;
  int64_t     a_stride[2], b_stride[2], c_stride[2];   /* {row, column} */
  scalar      alpha, beta;     /* floats read f, integers i */
  plan        batch;           /* stride[0] c's, stride[1] a's, stride[2] b's */
  enum precision precision;    /* the least that will do */
} gemm_call;

/* Convolutions: cross-correlations, as everywhere in networks. Contiguous: x [n, c_in, in], w [c_out, c_in / groups, kernel],
** y [n, c_out, out]; two spatial lengths each (height, width; of signals the height is 1). With zeros where x has no element,
**   y[b, o, p] = bias[o] + sum over c, k of x[b, first channel of o's group + c, p * stride + k * dilation - pad] * w[o, c, k]
** pad: the zeros before x. Behind x there are as many zeros as `out` needs: more, fewer, or a negative number if the end of x
** is not read. All lengths are 1 or more, stride and dilation too; pad is 0 or more. Sums are made in an order that does
** not depend on the number of threads; half floats are summed in float32. */
enum conv_op {
  CONV_forward,                /* y from x, w and bias */
  CONV_input,                  /* x from y and w: its gradient, y's being y; a transposed convolution */
  CONV_weight                  /* w from x and y: its gradient */
};

typedef struct conv_call {
  enum conv_op op;
  enum dtype dtype;            /* float32, float64, float16, bfloat16: of all operands */
  int64_t n, groups, c_in, c_out;   /* channels in all; groups divides both */
  int64_t in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  void       *x, *w, *y;       /* the one that op makes is written, all of it, without being read */
  const void *bias;            /* [c_out] of CONV_forward, or NULL */
  enum precision precision;    /* the least that will do */
} conv_call;

/* Pooling: windows of planes x [planes, in] give y [planes, out]; contiguous. Window p begins at p * stride - pad and takes
** `kernel` elements `dilation` apart, of which only those count that lie in x; one does at least. Adaptive: it is
** floor(p * in / out) … ceil((p + 1) * in / out) - 1, and kernel, stride, dilation, pad are 0. */
enum pool_op {
  POOL_max,                    /* y, and position where it is not NULL: the first maximum's, of NaN the last */
  POOL_max_back,               /* x from y and position: its gradient, y's being y */
  POOL_average,
  POOL_average_back,           /* x from y: its gradient */
  POOL_COUNT
};

typedef struct pool_call {
  enum pool_op op;
  enum dtype dtype;            /* float32, float64, float16, bfloat16: of x and y */
  int64_t planes, in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  bool    adaptive;
  bool    count_pad;           /* averages: elements of x's padding, of width `pad` on all sides, count as zeros */
  int64_t divisor;             /* averages: of each sum; 0: how many elements count */
  void    *x, *y;              /* the one that op makes is written, all of it, without being read */
  int32_t *position;           /* [planes, out] of y's elements in their plane of x, 1-based, row-major; in[0] * in[1] fits */
} pool_call;

/* A step of a recurrent layer's cell, forward or back: rows × width of them, each on its own. An operand is a matrix whose
** rows are contiguous; `row` is their distance. Gates lie side by side in a row: gates [rows, 4 width] of an LSTM are
** i, f, g, o; [rows, 3 width] of a GRU r, z, n. CELL_dy and CELL_dh may be NULL (0) in the ways back, which add them up. */
enum cell_op {
  CELL_lstm,                   /* gates: sums, which become the gates; before (c) → c, h */
  CELL_lstm_back,              /* gates, before, c, dy, dh; dc: of c, becomes that of `before` → dgates, of the sums */
  CELL_gru,                    /* gates: sums of the input, which become the gates; other [3 width]: of h; before (h) → h */
  CELL_gru_back,               /* gates, other's n, before, dy; dh: of h, becomes `before`'s own → dgates, dother [3 width] */
  CELL_COUNT
};

enum cell_operand { CELL_gates, CELL_before, CELL_c, CELL_h, CELL_other, CELL_dy, CELL_dh, CELL_dc, CELL_dgates, CELL_dother,
                    CELL_OPERANDS };

typedef struct cell_call {
  enum cell_op op;
  enum dtype dtype;            /* float32, float64: of all operands */
  int64_t rows, width;
  struct { void *data; int64_t row; } at[CELL_OPERANDS];   /* those that op names */
} cell_call;

/* Attention: o = softmax(scale q kᵀ + mask) v, for each of batch × heads. Rows of q [queries, width], k [keys, width],
** v [keys, out_width], o [queries, out_width] are contiguous; other strides are the operand's. Where `causal`, query i sees
** keys up to i. Rows that see no key are 0. Back: dq, dk, dv from all else and dout; the scores are made again, by
** log_sums, so that nothing of queries × keys is kept. */
typedef struct attention_operand {
  void   *data;
  int64_t batch, head, row;
} attention_operand;

typedef struct attention_call {
  enum dtype dtype;            /* float32, float64: of all operands */
  bool    back, causal;
  double  scale;
  int64_t batch, heads, queries, keys, width, out_width;
  attention_operand q, k, v, o, dout, dq, dk, dv;
  void   *log_sums;            /* [batch, heads, queries]: of the exponentials in each row; infinity: it sees no key */
  const void *mask;            /* or NULL; of bool (true: is seen) or of `dtype` (is added) */
  enum dtype mask_dtype;
  int64_t mask_stride[4];      /* over batch, heads, queries, keys; 0: broadcast */
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
  int         states;                     /* how many the row has */
  const plan *plan;
  void       *at[UPDATE_OPERANDS];        /* parameter, gradient, states: the order of the plan's strides, too */
  double      number[UPDATE_NUMBERS];
} update_call;

/* Element-wise programs (lt.elementwise): an expression of op-table rows as steps. Values are numbered: inputs, then
** constants (from ELEMENTWISE_CONSTANT on), then registers (from ELEMENTWISE_REGISTER on); each is of a compute dtype. */
enum {
  ELEMENTWISE_CONSTANTS = 32, ELEMENTWISE_REGISTERS = 16, ELEMENTWISE_STEPS = 64,
  ELEMENTWISE_CONSTANT = MAX_IN, ELEMENTWISE_REGISTER = ELEMENTWISE_CONSTANT + ELEMENTWISE_CONSTANTS
};

/* out = op(in[0], …), out being none of the inputs. `positive` converts from `from` to `compute`, which may be a
** half float there: rounded to it, and kept as float32. */
typedef struct elementwise_step {
  enum map_op op;
  enum dtype  compute, from, gives;    /* gives: of the register */
  uint8_t     in[MAX_ARITY], out;
  uint8_t     unused[3];               /* no padding: programs are hashed */
} elementwise_step;

typedef struct elementwise_program {
  int        nin, nconstant, nregister, nstep;
  enum dtype in[MAX_IN];               /* compute dtypes; operands are converted to them */
  enum dtype constant_dtype[ELEMENTWISE_CONSTANTS];
  scalar     constant[ELEMENTWISE_CONSTANTS];
  elementwise_step step[ELEMENTWISE_STEPS];   /* one at least; the last one's out is the result */
  bool       costly;                   /* has a function such as exp */
  uint64_t   hash;                     /* of all of the above */
} elementwise_program;

typedef struct elementwise_call {
  const elementwise_program *program;
  const plan *plan;                    /* as in a map_call */
  operand    out, in[MAX_IN];
} elementwise_call;

/* A script's own kernel. A pointer or a number is its value's low bytes. */
enum { USER_KERNEL_ARGUMENTS = 64 };

typedef struct user_kernel_argument {
  uint64_t value;
  bool     pointer, written;
  size_t   bytes;                      /* of its tensor */
} user_kernel_argument;

typedef struct user_kernel_call {
  void    *kernel;                     /* what user_kernel_make made */
  unsigned grid[3], block[3], shared;  /* shared: bytes */
  int      count;
  user_kernel_argument argument[USER_KERNEL_ARGUMENTS];
} user_kernel_call;

#endif
