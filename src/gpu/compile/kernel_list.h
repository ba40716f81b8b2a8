#ifndef LT_GPU_KERNEL_LIST_H
#define LT_GPU_KERNEL_LIST_H

/* Lists of the kernels that processes have used, in files. The first line of a file is KERNEL_LIST_HEAD. Each other line
** describes a kernel by fields, which tabs separate: a check sum, "own" or "script", the file, the entry, the name for
** messages, the text or nothing, and the defines. */

#include "gpu/gpu.h"

#define KERNEL_LIST_HEAD "luatensor kernels 1"

/* Appends a kernel to the list that the environment variable LUATENSOR_KERNELS_LOG names, unless this process has done
** so before. `script`: a script's kernel (lt.kernel). The caller must hold the lock of the GPUs. Returns ERR_DEVICE if the
** list cannot be written or is no list of this version. */
int kernel_list_note(gpu *g, const gpu_source *s, bool script);

/* Reads a line without its line break. Sets *s, whose strings are parts of the line. The line is changed. Returns false if
** the line is damaged. */
bool kernel_list_read(char *line, gpu_source *s, bool *script);

#endif
