/* The interface between a compiled kernel and the emulated driver. */
#ifndef SIMT_ABI_H
#define SIMT_ABI_H

enum { SIMT_ABI = 2, SIMT_SHARED = 227 << 10 };      /* the most shared memory of a block */

/* The services that a running kernel may request. */
struct simt_host {
  int  (*next)();                                            /* true if the block has another thread for this fiber */
  int  (*barrier)(int p);                                    /* number of threads in which p is not 0 */
  unsigned (*vote)(unsigned mask, int p);                    /* lanes in which p is not 0 */
  unsigned long long (*exchange)(unsigned mask, unsigned long long bits, unsigned source);
  unsigned (*active)();
  unsigned (*lane)();
  void (*fail)(int result, const char *why);                 /* does not return */
};

/* The indices of the running thread. Each unit has one such struct. */
struct simt_state {
  unsigned thread[3], block[3], block_size[3], grid_size[3];
  const simt_host *host;
};

struct simt_kernel {
  const char *name;
  void (*run)(void **arguments);                             /* runs threads until host->next() is false */
  int arguments;
  const unsigned *sizes;
};

/* The only symbol of a unit besides its kernels: simt_unit. */
struct simt_module {
  int abi;
  simt_state *state;
  unsigned char *shared;                                     /* dynamic shared memory, SIMT_SHARED bytes */
  int kernels;
  const simt_kernel *kernel;
};

/* The result of nvrtcGetCUBIN: this struct, followed by a shared library. */
struct simt_image {
  char magic[8];                                             /* SIMT_MAGIC */
  int  abi, arch;                                            /* 90: sm_90 */
  int  ptx;                                                  /* newer devices may run the image, too */
  int  sanitized;                                            /* compiled with -fsanitize=address */
  unsigned long long bytes, checksum;                        /* of the shared library */
};
#define SIMT_MAGIC "SIMTUNIT"

static inline unsigned long long simt_checksum(const unsigned char *p, unsigned long long n) {
  unsigned long long h = 1469598103934665603u;
  for (unsigned long long i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211u;
  return h;
}

#endif
