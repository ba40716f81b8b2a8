#ifndef LT_STORED_CUH
#define LT_STORED_CUH

/* The types of a unit whose elements are stored as IN, computed as COMPUTE and stored again as OUT (dtypes). */

#include "scalar.cuh"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define STORED(name, store, compute, accum, kind) typedef store stored_##name;
DTYPES(STORED)

typedef PASTE(stored_, IN)      in_t;
typedef PASTE(stored_, COMPUTE) C;
typedef PASTE(stored_, OUT)     out_t;

INLINE C load(in_t x) { return (C)PASTE(to_, COMPUTE)(PASTE(from_, IN)(x)); }

/* A result of any type as it is stored. */
template <class R> INLINE out_t store(R x) { return (out_t)PASTE(to_, OUT)(x); }
INLINE out_t store(bool x) { return (out_t)PASTE(to_, OUT)((uint8_t)x); }

/* n elements that are read or written at once. */
template <class T, int n> struct alignas(sizeof(T) * n) pack { T x[n]; };

/* Elements from x to the next multiple of 16 bytes. */
template <class T> INLINE int to_alignment(const T *x) { return (int)(-(size_t)x % 16 / sizeof(T)); }

#endif
