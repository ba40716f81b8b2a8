#ifndef LT_GPU_REQUEST_H
#define LT_GPU_REQUEST_H

/* The compilation of a kernel: its sources and options, its key in the disk cache, and the call of the run-time compiler.
** A compilation needs no device and no driver. */

#include "gpu/gpu.h"
#include "gpu/hash.h"
#include "gpu/sources.h"

/* A vendor's compiler, which must be loaded, and the processor for which it compiles. */
typedef struct request_for {
  gpu_vendor *vendor;
  gpu_target  target;
  int         lanes;                   /* number of threads of a warp */
} request_for;

enum { REQUEST_OPTIONS = 7 + GPU_DEFINES, REQUEST_OPTION_SIZE = GPU_DEFINE_SIZE + 8, REQUEST_REASON = 640 };

/* The input of a compilation: the main source with all files that it includes, and the compiler's options. */
typedef struct request {
  const request_for *target;
  const char *what;                    /* the kernel's name in error messages, such as "add float32" */
  const char *file;                    /* the file name in the compiler's messages */
  char       *script;                  /* the text of a script's kernel with the lines before it, or NULL */
  source_list sources;                 /* the main source first */
  int         noptions;
  char        option[REQUEST_OPTIONS][REQUEST_OPTION_SIZE];
  uint8_t     key[HASH_SIZE];          /* hash of everything that determines the compiled code */
} request;

/* Fills *r for one of luatensor's own kernels. Returns ERR_DEVICE if its file does not exist. *s and *target must live as
** long as *r. The caller must hold the lock of the GPUs. */
int request_own(request *r, const request_for *target, const gpu_source *s);

/* The same for a kernel of a script, whose text is s->text. Returns ERR_MEMORY if there is no memory. */
int request_script(request *r, const request_for *target, const gpu_source *s);

void request_free(request *r);

/* Compiles. Returns the compiled image, which the caller frees, and sets *bytes to its size. On failure returns NULL and
** writes the reason, and *log is the text of the compiler's messages, which the caller frees, or NULL. */
void *request_compile(const request *r, size_t *bytes, char **log, char reason[REQUEST_REASON]);

#endif
