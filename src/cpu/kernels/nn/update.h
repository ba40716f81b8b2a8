/* Inner loops of optimisers' updates: one function for each row of update.def. update_float32.c and update_float64.c
** define REAL and include this file. */

#include "cpu/cpu.h"
#include "math/scalar.h"

typedef REAL C;
typedef struct element { C p, a, b, c; } element;       /* p: the parameter; a, b, c: the parameter's states */
typedef element element_update(const C *n, C g, element e);

INLINE void update(const int states, element_update *step, int64_t count, void *const *at, const double *number) {
  C n[UPDATE_NUMBERS], *p = at[0], *a = states > 0 ? at[2] : NULL, *b = states > 1 ? at[3] : NULL, *c = states > 2 ? at[4] : NULL;
  const C *g = at[1];
  for (int k = 0; k < UPDATE_NUMBERS; k++) n[k] = (C)number[k];
  #pragma omp simd
  for (int64_t i = 0; i < count; i++) {
    element e = {p[i], states > 0 ? a[i] : 0, states > 1 ? b[i] : 0, states > 2 ? c[i] : 0};
    e = step(n, g[i], e);
    p[i] = e.p;
    if (states > 0) a[i] = e.a;
    if (states > 1) b[i] = e.b;
    if (states > 2) c[i] = e.c;
  }
}

#define UPDATE(name, states, ...)                                                       \
  INLINE element name##_element(const C *n, C g, element e) {                           \
    C p = e.p, a = e.a, b = e.b, c = e.c, d = 0;                                        \
    __VA_ARGS__;                                                                        \
    (void)n, (void)d;                                                                   \
    return (element){p, a, b, c};                                                       \
  }                                                                                     \
  static void name(int64_t n, void *const *at, const double *number) { update(states, name##_element, n, at, number); }
#define UPDATE0(name, numbers, ...)          UPDATE(name, 0, __VA_ARGS__)
#define UPDATE1(name, numbers, s, ...)       UPDATE(name, 1, __VA_ARGS__)
#define UPDATE2(name, numbers, s, t, ...)    UPDATE(name, 2, __VA_ARGS__)
#define UPDATE3(name, numbers, s, t, u, ...) UPDATE(name, 3, __VA_ARGS__)
#include "update.def"

#define ROW(name, ...) [UPDATE_##name] = name,

const update_table ISA_NAME(TABLE) = {{
#define UPDATE0 ROW
#define UPDATE1 ROW
#define UPDATE2 ROW
#define UPDATE3 ROW
#include "update.def"
}};
