/* BYTES of a vector register. If the file that includes this one says what REAL is: vectors of REAL that fill a register. */

#include "cpu/cpu.h"

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

#ifdef REAL
enum { LANES = BYTES / sizeof(REAL) };

typedef REAL vector __attribute__((vector_size(BYTES)));
typedef vector loose_vector __attribute__((aligned(sizeof(REAL)), may_alias));   /* anywhere in memory */

INLINE vector load(const REAL *p) { return *(const loose_vector *)p; }
INLINE void   store(REAL *p, vector v) { *(loose_vector *)p = v; }
INLINE vector all(REAL x) { return x - (vector){0}; }
#endif
