/* The interface between a compiled kernel and the emulated driver. */
#ifndef SIMT_ABI_H
#define SIMT_ABI_H

enum { SIMT_ABI = 6, SIMT_SHARED = 227 << 10 };      /* SIMT_SHARED: maximum bytes of shared memory of a block */

typedef unsigned long long simt_mask;                        /* bit mask of lanes of a warp */

/* The functions of the emulated driver that a running kernel calls. */
struct simt_host {
  int  (*next)();                                            /* starts the block's next thread on this fiber; returns
                                                             ** 0 if all threads have started */
  int  (*barrier)(int p);                                    /* waits for all threads; returns the number of threads
                                                             ** in which p is not 0 */
  simt_mask (*vote)(simt_mask mask, int p);                  /* waits for the lanes of the mask; returns the bit mask of
                                                             ** the lanes in which p is not 0 */
  unsigned long long (*exchange)(simt_mask mask, unsigned long long bits, unsigned source);
  simt_mask (*active)();
  unsigned (*lane)();
  void (*fail)(int result, const char *why);                 /* does not return */
  void (*yield)(int waits);                                  /* lets the block's other threads run, if they take turns;
                                                             ** waits: the thread failed to change a variable */
};

/* The indices of the running thread, the sizes of its block and its grid, and the driver's functions. Each compiled
** program has one variable of this type. */
struct simt_state {
  unsigned thread[3], block[3], block_size[3], grid_size[3];
  int lanes;                                                 /* number of threads of a warp */
  const simt_host *host;
};

struct simt_kernel {
  const char *name;
  void (*run)(void **arguments);                             /* runs threads of a block until host->next() returns
                                                             ** 0 */
  int arguments;
  const unsigned *sizes;
  int threads;                                               /* maximum number of threads of a block */
};

/* Describes a compiled program. The program's only exported symbols are its kernels and a variable simt_unit of this
** type. */
struct simt_module {
  int abi;
  simt_state *state;
  unsigned char *shared;                                     /* dynamic shared memory of SIMT_SHARED bytes */
  int kernels;
  const simt_kernel *kernel;
};

/* The beginning of the image that nvrtcGetCUBIN returns. A shared library follows, and a description of the program,
** which ends with a zero byte. */
struct simt_image {
  char magic[8];                                             /* SIMT_MAGIC */
  int  abi, arch;                                            /* version of this interface; architecture (90: sm_90) */
  int  ptx;                                                  /* not 0 if the image may also run on newer devices */
  int  sanitized;                                            /* not 0 if compiled with -fsanitize=address */
  unsigned long long bytes, checksum;                        /* size in bytes, and checksum, of the shared library
                                                             ** that follows */
};
#define SIMT_MAGIC "SIMTUNIT"

static inline unsigned long long simt_checksum(const unsigned char *p, unsigned long long n) {
  unsigned long long h = 1469598103934665603u;
  for (unsigned long long i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211u;
  return h;
}

#endif
