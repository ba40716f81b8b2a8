#ifndef LT_GPU_REDUCE_H
#define LT_GPU_REDUCE_H

/* The functions that reductions share with scans and softmax. They distribute the elements among threads, and reduce
** each chunk of elements to an accumulator. */

#include "gpu/kernels/reduce_args.cuh"
#include "gpu/program.h"

static inline int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t limit(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

/* Returns the smallest power of 2 that is at least x, but at most `most`. `most` must be a power of 2. */
int power_of_2(int64_t x, int most);

/* Returns the distance in elements between neighbours along the innermost dim of operand k, or INT64_MAX if the plan
** has no dims. */
int64_t inner_distance(const plan *p, int k);

void gpu_nest_make(gpu_nest *n, const plan *p, int noperands);

/* Sets all parameters of the kernels in reduce.cuh except `states`, and distributes the work. Returns true if the
** kernel may read vectors. */
bool gpu_reduce_share(reduce_args *a, const reduce_call *c);

/* Launches the first pass. If a->chunks > 1, this pass writes an accumulator for each chunk, otherwise the
** results. The elements are in memory or, unless f is NULL, results of a program. */
int gpu_reduce_launch(gpu *g, const reduce_call *c, bool vectors, reduce_args *a, gpu_folded *f);

/* Returns the bytes of scratch memory for the accumulators of all chunks of all outputs. */
size_t gpu_reduce_bytes(const reduce_args *a);

/* Parts of gpu_reduce and gpu_softmax: gpu_…_runs is true if there are kernels, and gpu_…_queue launches them. */
bool gpu_reduce_runs(const reduce_call *c);
int  gpu_reduce_queue(gpu *g, const reduce_call *c, gpu_folded *f);
bool gpu_softmax_runs(const softmax_call *c);
int  gpu_softmax_queue(gpu *g, const softmax_call *c, gpu_folded *f);

#endif
