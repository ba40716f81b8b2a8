/* Inner loops of optimisers' updates, one a row of update.def and compute dtype. */

#include "cpu/cpu.h"
#include "math/scalar.h"

#define STATE1 C *A = at[2];
#define STATE2 STATE1 C *B = at[3];
#define STATE3 STATE2 C *S = at[4];
#define LOAD1 C a = A[i];
#define LOAD2 LOAD1 C b = B[i];
#define LOAD3 LOAD2 C c = S[i];
#define STORE1 A[i] = a;
#define STORE2 STORE1 B[i] = b;
#define STORE3 STORE2 S[i] = c;

#define LOOP(D, T, name, states, loads, stores, ...)                                       \
  static void update_##name##_##D(int64_t count, void *const *at, const double *number) {  \
    typedef T C;                                                                           \
    C n[UPDATE_NUMBERS], *P = at[0];                                                       \
    const C *G = at[1];                                                                    \
    states                                                                                 \
    for (int k = 0; k < UPDATE_NUMBERS; k++) n[k] = (C)number[k];                          \
    _Pragma("omp simd")                                                                    \
    for (int64_t i = 0; i < count; i++) {                                                  \
      C p = P[i], g = G[i], d = 0;                                                         \
      loads                                                                                \
      __VA_ARGS__;                                                                         \
      (void)d;                                                                             \
      P[i] = p;                                                                            \
      stores                                                                               \
    }                                                                                      \
  }

#define UPDATE0(name, numbers, ...)          EACH_REALFLOAT(LOOP, name, , , , __VA_ARGS__)
#define UPDATE1(name, numbers, s, ...)       EACH_REALFLOAT(LOOP, name, STATE1, LOAD1, STORE1, __VA_ARGS__)
#define UPDATE2(name, numbers, s, t, ...)    EACH_REALFLOAT(LOOP, name, STATE2, LOAD2, STORE2, __VA_ARGS__)
#define UPDATE3(name, numbers, s, t, u, ...) EACH_REALFLOAT(LOOP, name, STATE3, LOAD3, STORE3, __VA_ARGS__)
#include "update.def"

#define ENTRY(D, T, name) [DT_##D] = update_##name##_##D,
#define ROW(name, ...) [UPDATE_##name] = {EACH_REALFLOAT(ENTRY, name)},

const update_table ISA_NAME(update_table) = {{
#define UPDATE0 ROW
#define UPDATE1 ROW
#define UPDATE2 ROW
#define UPDATE3 ROW
#include "update.def"
}};
