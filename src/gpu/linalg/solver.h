#ifndef LT_GPU_LINALG_SOLVER_H
#define LT_GPU_LINALG_SOLVER_H

/* The shared parts of linear algebra. solver.c has cuSOLVER's handle, scratch memory and launches, linalg/ops.c the
** ops, linalg.c the calls. */

#include "gpu/gpu.h"

/* The kernels of linalg.cuh. */
#define SOLVER_KERNELS(X)                                                                              \
  X(check_finite) X(clear_triangle) X(copy_upper) X(copy_columns) X(fill_identity) X(narrow_pivots)    \
  X(widen_pivots) X(follow_pivots) X(make_det) X(make_slogdet) X(unpack_vectors) X(divide_by_values) X(store_rest)
enum solver_kernel {
#define SOLVER_KERNEL_ID(name) SOLVER_##name,
  SOLVER_KERNELS(SOLVER_KERNEL_ID)
#undef SOLVER_KERNEL_ID
};

enum { SOLVER_BLOCKS = 16 };

/* A running call. */
typedef struct solver {
  gpu *g;
  const linalg_call *c;
  const gpu_solver  *lib;
  solver_handle handle;
  solver_params params;
  blas_type type, real;          /* of elements and of their parts */
  int64_t   size, real_size;     /* bytes of an element and of its part */
  int64_t   least;               /* min(m, n) */
  int      *info;                /* on the device: [batch], and one more for routines whose status is ignored */
  void     *device, *host;       /* scratch memory for cuSOLVER */
  size_t    device_bytes, host_bytes;
  int64_t  *pivots;              /* [batch][least] */
  void     *extra[4], *work[4];  /* memory of an op */
  int       nblocks;
  struct solver_block { void *at; size_t bytes; } block[SOLVER_BLOCKS];
} solver;

typedef struct solver_routine {
  int  (*plan)(solver *s);                /* reserves scratch memory, also for cuSOLVER; NULL: none is needed */
  int  (*run)(solver *s, int64_t i);      /* computes matrix i */
  int  (*finish)(solver *s);              /* works on all matrices at once; NULL: there is no such work */
  bool finite;                            /* a must be finite */
} solver_routine;

extern const solver_routine *const solver_routines[LINALG_COUNT];

/* solver_begin begins a call, solver_end ends it. After an error of solver_begin, solver_end must not be called. */
int  solver_begin(gpu *g, const linalg_call *c, solver *s);
void solver_end(solver *s);

int solver_check(gpu *g, solver_result r);

/* solver_scratch allocates device memory until the end of the call. solver_room enlarges cuSOLVER's scratch memory to
** these sizes. */
int solver_scratch(solver *s, size_t bytes, void **ptr);
int solver_room(solver *s, size_t device, size_t host);

/* Launches at least `count` threads. */
int solver_launch(const solver *s, enum solver_kernel kernel, int64_t count, void **arguments);

#endif
