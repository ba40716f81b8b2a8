#ifndef LT_PJRT_EMIT_H
#define LT_PJRT_EMIT_H

/* Writes programs in the text form of StableHLO. A program is a list of lines, each of which computes a value from earlier
** values. Value 12 is written %12. The functions return numbers of values. */

#include "base/shape.h"

enum { EMIT_NONE = -1 };               /* no value: the op is not available in the dtype */

/* Text that grows. */
typedef struct emission {
  char  *text;                         /* NULL: empty */
  size_t length, room;
  bool   failed;                       /* memory was exhausted, so the text is incomplete */
  bool   refused;                      /* an expression cannot be translated; false between calls */
  int    next;                         /* the number of the next value */
} emission;

/* Appends text like printf, but much faster. The formats may contain %d, %lld, %s and %%. */
void emit(emission *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

void emit_text(emission *e, const char *text, size_t length);

/* Returns StableHLO's name of a dtype, such as "f32", "i1", "ui8", "complex<f32>". */
const char *emit_name(enum dtype d);

/* Appends a type, such as tensor<2x3xf32>, or tensor<f32> for a shape without dims. */
void emit_type(emission *e, enum dtype d, const shape *s);

/* Stores a number of a script as an element of dtype d, as the CPU does. */
void number_element(scalar v, enum dtype d, uint64_t to[2]);

/* Appends the line of a tensor whose elements are all equal to `value`, and returns its number. */
int emit_constant(emission *e, enum dtype d, const shape *s, scalar value);

/* Appends `%n = op %in[0], …, %in[count - 1] : type` for an op whose operands and result have one type, and returns n. */
int emit_simple(emission *e, const char *op, int count, const int *in, enum dtype d, const shape *s);

/* Appends the 0-based positions along a dim, and returns the value's number. */
int emit_iota(emission *e, enum dtype d, const shape *s, int dim);

/* Returns the value in another shape, with the elements in unchanged row-major order. */
int emit_reshape(emission *e, int value, enum dtype d, const shape *from, const shape *to);

/* Stretches a value. Dim k of the value is dim dims[k] of the result. */
int emit_broadcast(emission *e, int value, enum dtype d, const shape *from, const int64_t *dims, const shape *to);

/* Appends a list such as `dims = [0, 2]`. */
void emit_list(emission *e, const char *name, const int64_t *list, int n);

/* Appends the end of a line, ` : (types of n operands) -> type of the result`, and returns the number of the line's value. The
** types are pairs of an enum dtype and a const shape *. */
int emit_end(emission *e, int n, ...);

/* Takes a part of a value of shape `from`, from position start[k] of each dim k on. */
int emit_slice(emission *e, int value, enum dtype d, const shape *from, const int64_t *start, const shape *to);

/* ---- elements at positions ----
** Elements are [n, window …], where the window has the last `window` dims of s. 0-based int64 positions along the first dim have
** the other dims of s. */

/* Returns the elements at all positions, of shape s. */
int emit_gather(emission *e, int value, enum dtype d, int64_t n, int positions, const shape *s, int window);

/* Returns the elements `into` after `value` of shape s has been written to the positions, which must differ unless `op` says how
** an old and a new element are joined. Positions outside of 0 … n - 1 are left out. */
int emit_scatter(emission *e, const char *op, int into, enum dtype d, int64_t n, int positions, const shape *s, int window,
                 int value);

/* ---- rows of ops.def (rows.c, translate.c, reduce.c, random.c) ----
** If the result is EMIT_NONE, nothing has been appended. Inputs are values of shape s. */

/* Computes row `op` in a compute dtype, which is no half float except for nextafter. Inputs have the compute dtype, but
** in[0] of `where` is bool. Stores the dtype of the result, that of column `result`, in *gives. */
int emit_map(emission *e, enum map_op op, enum dtype compute, const shape *s, const int *in, enum dtype *gives);

/* Converts a value between any two dtypes, as the kernels of the CPU convert (math/convert.h). */
int emit_convert(emission *e, int value, enum dtype from, enum dtype to, const shape *s);

/* Reduces the last `reduced` dims of s. `in` has dtype `compute`. Stores the dtype of the result, which has the other dims, in
** *gives: the accumulator's dtype, such as float64 for sums of float32. */
int emit_reduce(emission *e, enum reduce_op op, enum dtype compute, const shape *s, int reduced, double correction, int in,
                enum dtype *gives);

/* Scans along the last dim of s, which is not empty. If `initial` is set, the result starts with the op's identity, so that its
** last dim is longer by 1. */
int emit_scan(emission *e, enum scan_op op, enum dtype compute, const shape *s, bool initial, int in, enum dtype *gives);

/* Computes softmax along the last dim of s. The result has dtype `compute`. */
int emit_softmax(emission *e, enum softmax_op op, enum dtype compute, const shape *s, int in);

/* Makes the c->count random numbers of a call; addresses and the dtype's conversion are the caller's. `seed` and `offset` are
** values of dtype uint64 without dims. Permutations and calls of captured graphs are not available. */
int emit_random(emission *e, const random_call *c, int seed, int offset, enum dtype *gives);

#endif
