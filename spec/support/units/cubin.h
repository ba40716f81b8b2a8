/* Reads the resources of kernels from NVIDIA's machine code (a cubin, which is an ELF file) and from the messages of the
** compiler's option --ptxas-options=-v. */

#include <stddef.h>

typedef struct cubin_kernel {
  char     name[64];
  unsigned threads;          /* the largest block: the product of __launch_bounds__, or 1024 */
  unsigned registers;        /* of a thread */
  unsigned shared;           /* bytes of static shared memory of a block */
  unsigned stack;            /* bytes of local memory of a thread: arrays and spilled registers */
  unsigned spills;           /* bytes that a thread stores because it has too few registers */
} cubin_kernel;

/* Writes the kernels of a cubin for compute capability `arch` (90) to the list. Returns their number, or -1 if the code
** cannot be read, has more than `most` kernels, or differs from the messages. */
int cubin_read(const char *code, size_t bytes, int arch, const char *log, cubin_kernel *list, int most);
