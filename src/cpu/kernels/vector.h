/* BYTES is the size of a vector register in bytes. If the including file defines REAL, this file also defines the
** type `vector`, which fills a register with REALs. */

#include "cpu/cpu.h"

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

/* UNROLL(n) unrolls the loop that follows, of at most n rounds, completely. */
#ifdef __clang__
#define UNROLL(n) _Pragma("clang loop unroll(full)")
#else
#define UNROLL(n) UNROLL_TEXT(GCC unroll n)
#define UNROLL_TEXT(text) _Pragma(#text)
#endif

/* Hides from the compiler how a pointer or an integer was computed, so that the variable stays in a register of its own. */
#define KEEP(variable) __asm__("" : "+r"(variable))

#ifdef REAL
enum { LANES = BYTES / sizeof(REAL) };

typedef REAL vector __attribute__((vector_size(BYTES)));
typedef vector loose_vector __attribute__((aligned(sizeof(REAL)), may_alias));   /* for addresses that are not aligned
                                                                                 ** to a vector */

INLINE vector load(const REAL *p) { return *(const loose_vector *)p; }
INLINE void   store(REAL *p, vector v) { *(loose_vector *)p = v; }
INLINE vector all(REAL x) { return x - (vector){0}; }
#endif
