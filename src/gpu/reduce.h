#ifndef LT_GPU_REDUCE_H
#define LT_GPU_REDUCE_H

/* What scans and softmax take from reductions: how work is shared out, and states of parts of it. */

#include "gpu/gpu.h"
#include "gpu/kernels/reduce_args.cuh"

static inline int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t limit(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

/* The least power of 2 that is not below x, up to `most`. */
int power_of_2(int64_t x, int most);

/* Distance of neighbours along the innermost dim of operand k; INT64_MAX where there is none. */
int64_t inner_distance(const plan *p, int k);

void gpu_nest_make(gpu_nest *n, const plan *p, int noperands);

/* A call as reduce.cuh's kernels read it, its work shared out; all but `states`. Returns true if it is for whole vectors. */
bool gpu_reduce_share(reduce_args *a, const reduce_call *c);

/* Launches the first pass, which leaves states where a->chunks > 1. */
int gpu_reduce_launch(gpu *g, const reduce_call *c, bool vectors, reduce_args *a);

/* Scratch for the states of all chunks. */
size_t gpu_reduce_bytes(const reduce_args *a);

#endif
