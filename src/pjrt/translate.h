#ifndef LT_PJRT_TRANSLATE_H
#define LT_PJRT_TRANSLATE_H

/* Translates expressions of ops.def and of functions.def to lines of StableHLO. */

#include "pjrt/emit.h"

/* The value of an expression: a value of the program or, if `value` is EMIT_NONE, a number whose dtype follows from its use. */
typedef struct term {
  int        value;
  enum dtype dtype;                    /* DT_none of a number */
  scalar     number;
} term;

static inline term term_of(int value, enum dtype d) { return (term){.value = value, .dtype = d}; }
static inline term term_integer(int64_t i) { return (term){EMIT_NONE, DT_none, {.f = (double)i, .i = i}}; }
static inline term term_float(double x) { return (term){EMIT_NONE, DT_none, {.f = x}}; }

/* The types C and A of an expression, and the terms that it calls by names. */
typedef struct surroundings {
  enum dtype  C, A;                    /* A is DT_none if the expression does not use it */
  int         count;
  const char *const *names;
  const term *terms;
} surroundings;

/* Translates a text, `name = expression; …; expression`, whose values have shape s. Sets e->refused if the text cannot be
** translated; the result is then without meaning. */
term translate(emission *e, const shape *s, const char *text, const surroundings *around);

/* Like translate, for terms whose names are the letters of `names`. The type A is float64, the dtype of sums. */
term emit_formula(emission *e, const shape *s, enum dtype C, const char *text, const char *names, const term *terms);

/* Performs assignments such as `g = n[0] * g, p -= n[1] * g`, which change `terms`, the terms of `around`. */
void translate_assignments(emission *e, const shape *s, const char *text, const surroundings *around, term *terms);

/* Returns t as a value of dtype d. */
term term_as(emission *e, const shape *s, term t, enum dtype d);

/* Returns the number of the value or, if the expression was refused, takes back all lines since `before` and returns
** EMIT_NONE. */
int emit_settle(emission *e, const emission *before, int value);

/* Sorts three values of shape s together along the last dim, stably, by the integers t[0] (positions.c). */
void emit_sort(emission *e, bool descending, const shape *s, term t[3]);

/* Returns the 1-based positions along the last dim, int64 (positions.c). */
term emit_places(emission *e, const shape *s);

/* ---- reductions of some dims (reduce.c) ----
** A set of dims has bit k for dim k. */

/* A fold of values of dtype A by the expression `merge` of a and b, from the accumulator `init` of no elements on. */
typedef struct fold {
  enum dtype  C, A;
  const char *init, *merge;
} fold;

static inline fold sum_of(enum dtype d) { return (fold){d, d, "0", "a + b"}; }
static inline fold top_of(enum dtype d) { return (fold){d, d, "m_lowest(A)", "m_max(a, b)"}; }

/* Returns s without some dims. */
shape shape_without(const shape *s, unsigned dims);

/* Reduces some dims of a value of dtype f->A and shape s. */
term emit_fold(emission *e, const fold *f, const shape *s, unsigned dims, term in);

/* Repeats a value along some dims of s, which the value does not have. */
term emit_spread(emission *e, term t, const shape *s, unsigned dims);

#endif
