#ifndef LT_GPU_KERNELS_SCAN_ROWS_ARGS_H
#define LT_GPU_KERNELS_SCAN_ROWS_ARGS_H

/* The maximum number of threads of a block of scan_rows.cuh. This header is included by the kernel and by the files that
** launch it. */
enum { SCAN_ROWS_THREADS = 1024 };

#endif
