#ifndef LT_GPU_PROGRAM_H
#define LT_GPU_PROGRAM_H

/* Element-wise programs as the text of kernels (kernels/program.cuh), and programs of which the kernels of another family
** read a result as it is computed (kernels/elements.cuh). */

#include "gpu/gpu.h"
#include "gpu/kernels/elementwise_args.h"
#include "gpu/kernels/reduce_args.cuh"
#include "gpu/plan.h"

typedef struct gpu_text {
  size_t length;
  char   data[24 << 10];               /* the longest program has 64 steps of 200 bytes, about 13 KiB */
} gpu_text;

/* A program of which a kernel of another family reads result number `folded` instead of memory. */
typedef struct gpu_folded {
  const elementwise_call *call;
  int  folded;
  bool keeps;                          /* the kernel also stores the result */
  int  layout;                         /* LAYOUT_FLAT … */
  elementwise_args args;               /* the two last parameters of the kernel */
  gpu_plan plan;
} gpu_folded;

/* True if kernels can compute all steps of the program. */
bool gpu_program_runs(const elementwise_program *p);

/* Writes the macros of kernels/program.cuh, those of kernels/elements.cuh unless f is NULL, and the line that includes `file`,
** which has the kernels. */
void gpu_program_text(gpu_text *t, const elementwise_call *c, const gpu_folded *f, const char *file);

/* Returns a hash of all that the text depends on: the program, the operands' dtypes, and for each input whether it is a
** number. */
uint64_t gpu_program_hash(const elementwise_call *c);

/* Returns the size in bytes of the largest element that the call loads or stores. */
int gpu_program_widest(const elementwise_call *c);

/* Sets all arguments but `runs`. Waits for other streams that use the operands. */
void gpu_program_args(gpu *g, const elementwise_call *c, elementwise_args *args);

/* True if kernels may load and store vectors of `vector` elements. Along the inner dim, each operand must be contiguous and
** aligned; an input may instead have a single value. Sets bit k of args->runs if input k is contiguous along the inner
** dim. */
bool gpu_program_vectors(const elementwise_call *c, elementwise_args *args, int vector);

/* ---- results that other kernels read ---- */

/* True if kernels can read a result of the program. */
bool gpu_folded_runs(const elementwise_call *c);

/* Sets `layout` and the parameters. */
void gpu_folded_args(gpu *g, gpu_folded *f);

/* For the kernel with this key and source: the key of the kernel that reads the program's result, and the function that
** builds it. If f is NULL, they are the key itself and gpu_build. */
uint64_t gpu_folded_key(const gpu_folded *f, uint64_t key);
int      gpu_folded_build(gpu *g, uint64_t key, const gpu_folded *f, gpu_source *s, const gpu_kernel **k);

#endif
