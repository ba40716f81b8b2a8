#ifndef LT_GPU_LINALG_SOLVER_H
#define LT_GPU_LINALG_SOLVER_H

/* The declarations that the files of linear algebra share. solver.c has the library's handle, the scratch memory and the
** launches of kernels. ops.c has the ops. linalg.c has the entry function gpu_linalg. */

#include "gpu/gpu.h"

/* The names of the kernels in kernels/linalg/linalg.cuh. */
#define SOLVER_KERNELS(X)                                                                                \
  X(check_finite) X(note_nan) X(spread_nan) X(clear_triangle) X(copy_upper) X(copy_columns)              \
  X(fill_identity) X(find_nan) X(narrow_pivots) X(widen_pivots) X(follow_pivots) X(make_det)             \
  X(make_slogdet) X(unpack_vectors) X(divide_by_values) X(store_rest)
enum solver_kernel {
#define SOLVER_KERNEL_ID(name) SOLVER_##name,
  SOLVER_KERNELS(SOLVER_KERNEL_ID)
#undef SOLVER_KERNEL_ID
};

enum { SOLVER_BLOCKS = 16 };

/* The state of a call of gpu_linalg. */
typedef struct solver {
  gpu *g;
  const linalg_call *c;
  const gpu_solver  *lib;
  solver_handle handle;
  solver_params params;
  blas_type type, real;          /* the library's types of an element and of its real part */
  int64_t   size, real_size;     /* bytes of an element and of its real part */
  int64_t   least;               /* min(m, n) */
  int      *info;                /* status of each matrix, in device memory: [batch], and one more element for
                                 ** statuses that are not used */
  void     *device, *host;       /* the library's scratch memory on the device and on the host */
  size_t    device_bytes, host_bytes;
  int      *nan;                 /* LU: 1 for each matrix with NaN, else 0, in device memory: [batch] */
  void     *pivots;              /* the library's pivots, in device memory: [batch][least] integers of the vendor's
                                 ** pivot_bytes */
  void     *extra[4], *work[4];  /* scratch memory of the op, which solver_scratch allocates; only lstsq uses
                                 ** `work` */
  int       nblocks;
  struct solver_block { void *at; size_t bytes; } block[SOLVER_BLOCKS];
} solver;

typedef struct solver_routine {
  int  (*plan)(solver *s);                /* allocates scratch memory for the op and for the library; NULL if none is
                                          ** needed */
  int  (*run)(solver *s, int64_t i);      /* computes matrix i */
  int  (*finish)(solver *s);              /* processes all matrices at once, after the last run; NULL if nothing is
                                          ** left to do */
  bool finite;                            /* if set, matrices with NaN or infinity are reported and not computed */
} solver_routine;

extern const solver_routine *const solver_routines[LINALG_COUNT];

/* solver_begin prepares a call, and fails if the library is not available. solver_end frees the call's scratch memory,
** and must be called only after a successful solver_begin. */
int  solver_begin(gpu *g, const linalg_call *c, solver *s);
void solver_end(solver *s);

int solver_check(gpu *g, solver_result r);

/* solver_scratch allocates device memory that solver_end frees. solver_room enlarges the library's scratch memory on the
** device and on the host to at least these sizes, in bytes. */
int solver_scratch(solver *s, size_t bytes, void **ptr);
int solver_zeros(solver *s, size_t bytes, int **ptr);        /* the same for integers that begin as 0 */
int solver_room(solver *s, size_t device, size_t host);

/* Launches the kernel with at least `count` threads, in blocks of 256. */
int solver_launch(const solver *s, enum solver_kernel kernel, int64_t count, void **arguments);

#endif
