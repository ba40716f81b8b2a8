#ifndef LT_BASE_KERNELS_H
#define LT_BASE_KERNELS_H

/* The kernels of GPUs that are kept on disk. These functions need neither a GPU nor a driver. */

#include <stdbool.h>
#include <stdint.h>

enum { KERNELS_REASON = 1024 };        /* size in bytes of the buffer for a reason */

enum kernel_outcome { KERNEL_COMPILED, KERNEL_THERE, KERNEL_FAILED, KERNEL_NOT_KEPT };

typedef struct kernels_on_disk {
  const char *list_head;               /* the first line of a list of kernels */
  /* Sets *count and *bytes to the number and the size of the kernels in the cache folder, and *most to the size above
  ** which kernels are removed. Returns false if the folder cannot be used; errno says why. */
  bool (*measure)(uint64_t *count, uint64_t *bytes, uint64_t *most);
  /* Removes the kernels that were not used for the longest time, until the others have at most `most` bytes. Sets
  ** *count and *bytes to those of the removed kernels. */
  bool (*trim)(uint64_t most, uint64_t *count, uint64_t *bytes);
  /* True if a line of a list is intact. The line is changed. */
  bool (*is_intact)(char *line);
  /* True if a compiler for the processor ("sm_90", "gfx90a") is installed. Otherwise writes the reason. */
  bool (*can_compile)(const char *processor, char reason[KERNELS_REASON]);
  /* Compiles the kernel of a list's line, which is changed, and stores it in the cache folder, unless the folder has it.
  ** After KERNEL_FAILED and KERNEL_NOT_KEPT writes the reason. */
  enum kernel_outcome (*compile)(const char *processor, char *line, char reason[KERNELS_REASON]);
} kernels_on_disk;

const kernels_on_disk *kernels_get(void);

#endif
