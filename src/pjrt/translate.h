#ifndef LT_PJRT_TRANSLATE_H
#define LT_PJRT_TRANSLATE_H

/* Translates expressions of ops.def, update.def and functions.def, and formulas in the same language, to lines of StableHLO. An
** expression that cannot be translated sets the emission's status to ERR_NO_KERNEL. */

#include "pjrt/emit.h"

/* The value of an expression. Expressions have a shape, which a value may have without some of its dims, along which its elements
** are equal; these dims are a set with bit k for dim k. */
typedef struct term {
  int        value;                    /* EMIT_NONE: a number, which becomes a constant where it is used */
  enum dtype dtype;                    /* DT_none: the dtype of a number that follows from its use */
  unsigned   without;
  scalar     number;
} term;

enum { ALL_DIMS = -1 };

static inline term term_of(int value, enum dtype d) { return (term){.value = value, .dtype = d}; }
static inline term term_number(double f, int64_t i) {
  return (term){EMIT_NONE, DT_none, (unsigned)ALL_DIMS, {.f = f, .i = i}};
}
static inline term term_integer(int64_t i) { return term_number((double)i, i); }
static inline term term_float(double x) { return term_number(x, 0); }

/* Translates a text, `name = expression; …; expression`, whose values have shape s. C and A are types that it calls by these
** letters. The terms have the names of a list such as "x y". sum(x), top(x) and bottom(x) reduce the dims `folded`; a sum has
** dtype A. */
typedef struct formula {
  const shape *s;
  unsigned     folded;
  enum dtype   C, A;
  const char  *text, *names;
} formula;

term emit_formula(emission *e, const formula *f, const term *terms);

/* For formulas whose sums are float64. */
#define FORMULA(e, s, C, text, names, ...) \
  emit_formula(e, &(formula){s, 0, C, DT_float64, text, names}, (const term[]){__VA_ARGS__})

/* Performs assignments such as `g = n[0] * g, p -= n[1] * g`, which change `terms`, the terms of the formula. */
void emit_assignments(emission *e, const formula *f, term *terms);

/* Converts a term to dtype d, as the kernels of the CPU convert (math/convert.h). */
term term_as(emission *e, const shape *s, term t, enum dtype d);

/* Returns a term with the dims of s but `without`, which the term may have to be repeated along. */
term term_spread(emission *e, const shape *s, term t, unsigned without);

/* Returns s without some dims. */
shape shape_without(const shape *s, unsigned dims);

/* Appends the body of an op: a formula of the elements a and b, the first two of n elements of the dtypes d. */
void emit_region(emission *e, int n, const enum dtype *d, enum dtype C, const char *text);

/* Reduces dims by the expression `merge` of a and b, from `init` on. The result and its accumulators have dtype A. */
term emit_fold(emission *e, const shape *s, unsigned dims, enum dtype C, enum dtype A, const char *init, const char *merge, term in);

/* ---- rows of ops.def (rows.c, reduce.c, random.c) ---- */

/* Computes row `op` in a compute dtype, which is no half float except for nextafter. Inputs have the compute dtype, but
** in[0] of `where` is bool. */
term emit_map(emission *e, enum map_op op, enum dtype compute, const shape *s, const term *in);

/* Reduces the last dim of s. `in` has dtype `compute`. The result has the accumulator's dtype, such as float64 for sums of
** float32. */
term emit_reduce(emission *e, enum reduce_op op, enum dtype compute, const shape *s, double correction, term in);

/* Scans along the last dim of s, which is not empty. If `initial` is set, the result starts with the op's identity, so that its
** last dim is longer by 1. */
term emit_scan(emission *e, enum scan_op op, enum dtype compute, const shape *s, bool initial, term in);

/* Computes softmax along the last dim of s. */
term emit_softmax(emission *e, enum softmax_op op, enum dtype compute, const shape *s, term in);

/* Makes the c->count random numbers of a call, before the conversion to the result's dtype. `seed` and `offset` have dtype uint64
** and no dims. */
term emit_random(emission *e, const random_call *c, term seed, term offset);

/* ---- elements at positions (gather.c) ----
** Elements are [n, window …], where the window has the last `window` dims of s. 0-based int64 positions along the first dim have
** the other dims of s. */

/* Returns the elements at all positions, of shape s. */
int emit_gather(emission *e, int value, enum dtype d, int64_t n, int positions, const shape *s, int window);

/* Returns the elements `into` after `value` of shape s has been written to the positions. `merge` joins an old element a and a new
** element b; if it is "b", the positions must differ. Positions outside of 0 … n - 1 are left out. */
int emit_scatter(emission *e, const char *merge, int into, enum dtype d, int64_t n, int positions, const shape *s, int window,
                 int value);

/* Sorts three values of shape s together along the last dim, stably, by the integers t[0]. */
void emit_sort(emission *e, bool descending, const shape *s, term t[3]);

/* Returns the 1-based positions along the last dim, int64. */
term emit_places(emission *e, const shape *s);

#endif
