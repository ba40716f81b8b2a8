#ifndef LT_BASE_DEVICE_H
#define LT_BASE_DEVICE_H

/* The device boundary: one struct of pointers a device kind. An entry that is NULL is not supported there; the entries of families
** are never NULL. */

#include "base/calls.h"
#include "base/status.h"

enum { DEVICE_ABI = 1 };

typedef struct memory_stats {
  size_t live, peak, cached;      /* bytes in use, their maximum so far, kept for reuse */
} memory_stats;

/* One of these counts, which other threads may be changing. */
static inline size_t memory_count(const size_t *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }

typedef struct device_info {
  char    name[128];              /* "AMD EPYC 9354" */
  char    kind[16];               /* "cpu", "gpu" */
  int     cores;
  size_t  memory;                 /* bytes in all; 0: unknown */
  double  bandwidth;              /* bytes per second; 0: unknown */
  char    isa[16];                /* "avx512"; the compute capability on a GPU */
  bool    emulated;               /* nothing measured there says anything about such a device */
  char    software[128];          /* versions of a GPU's driver and libraries; empty: none of its own */
} device_info;

/* The limits of a device, measured by loops that do nothing else. */
typedef struct device_limits {
  double flops;                   /* additions and multiplications per second of a dtype's arithmetic */
  double read, copy;              /* bytes per second; a copy counts what it reads and what it writes */
} device_limits;

/* Reading the same memory again and again: which cache holds it shows in how fast that is. */
typedef struct device_working_set {
  double read;                    /* bytes per second, all threads together */
  double latency;                 /* seconds of a load whose address the one before has fetched; 0: not measured */
} device_working_set;

/* Queues of work on a device, in order within each. Streams are numbers: 0 is the one that is always there. NULL in
** struct device: work is done when a call returns. Statuses of ERR_DEVICE, ERR_LATE, ERR_CAPTURE as everywhere. */
typedef struct device_streams {
  int    (*make)(int index, int *stream);                     /* counted once; ERR_MEMORY: too many */
  void   (*retain)(int index, int stream);
  void   (*release)(int index, int stream);                   /* ends with its last count */
  int    (*current)(int index);                               /* that work is queued on */
  int    (*use)(int index, int stream);                       /* makes it the current one */
  int    (*sync)(int index, int stream);
  int    (*follow)(int index, int stream, int other_index, int other);   /* waits for what is queued on other now */
  int    (*event_make)(int index, bool timing, void **event);
  void   (*event_free)(int index, void *event);
  int    (*event_record)(int index, void *event, int stream);
  int    (*event_wait)(int index, int stream, void *event);   /* stream waits for it; of any device of this kind */
  int    (*event_query)(int index, void *event, bool *done);
  int    (*event_sync)(int index, void *event);
  int    (*event_elapsed)(int index, void *from, void *to, double *milliseconds);
} device_streams;

/* Work that is queued between begin and end is kept instead of run, and runs at each replay, on the current stream.
** Memory allocated meanwhile stays with the graph until free; what waits meanwhile is ERR_CAPTURE. */
typedef struct device_graphs {
  int  (*begin)(int index, void **graph);        /* waits first; ERR_CAPTURE: another one is captured */
  int  (*end)(int index, void *graph);           /* the graph is to be freed, also on an error */
  int  (*replay)(int index, void *graph);
  void (*free)(int index, void *graph);          /* also instead of end */
  void (*forget)(void *graph);                   /* instead of free when the device was reopened */
} device_graphs;

typedef struct device {
  int         abi;                                            /* DEVICE_ABI */
  const char *name;                                           /* "cpu", "cuda" */
  int         dlpack;                                         /* DLPack's number of the kind */
  bool        host_memory;                                    /* the host may read and write this device's memory */
  int  (*count)(void);                                        /* devices of this kind here, 0 when none */
  const char *(*reason)(void);                                /* why count() is 0 */
  int  (*in_use)(void);                                       /* of them, up to the last that has been used: asking starts none */
  int  (*info)(int index, device_info *info);

  int  (*limits)(int index, enum dtype dtype, device_limits *limits);   /* takes about a second */
  int  (*working_set)(int index, size_t bytes, device_working_set *w);  /* of each CPU thread, of all of a GPU's; ERR_MEMORY */

  /* threads of the host's part */
  int  (*threads)(void);
  void (*set_threads)(int n);
  void (*describe)(char *text, size_t size);                  /* kernels, libraries, threading: for people */

  /* memory; index is the number after the colon */
  int  (*alloc)(int index, size_t bytes, void **ptr);         /* not zeroed, 64-byte aligned; OK or ERR_MEMORY */
  void (*free)(int index, void *ptr, size_t bytes);           /* when queued work that uses it is done */
  int  (*copy_in)(int index, void *to, const void *host, size_t bytes);
  int  (*copy_out)(int index, void *host, const void *from, size_t bytes);   /* waits */
  int  (*copy_across)(int index, void *to, int from_index, const void *from, size_t bytes);   /* between two of a kind */
  int  (*sync)(int index);                                    /* waits for all queued work */
  memory_stats *(*stats)(int index);                          /* kept by the device; of the whole process */
  void (*empty_cache)(int index);                             /* gives cached memory back to the system */
  int  (*available)(int index, size_t *bytes);                /* can still be allocated, with what is cached; SIZE_MAX: unknown */

  int  (*pin)(size_t bytes, void **host);                     /* host memory that copies go from and to directly */
  void (*unpin)(void *host);
  bool (*is_pinned)(const void *host, size_t bytes);

  int  (*reopen)(int index);                                  /* all that lived there is lost: its epoch goes up */
  unsigned (*epoch)(int index);                               /* NULL: nothing is ever lost */
  void (*shut)(void);                                         /* gives all devices back; the next call opens them again */
  const device_streams *streams;
  const device_graphs  *graphs;

  void (*explain)(int index, char *text, size_t size);        /* words for the last ERR_DEVICE or ERR_LATE */

  /* compute, one entry a family: a status; ERR_NO_KERNEL: not here. Work may be queued when they return. */
#define FAMILY(name, call) int (*name)(int index, call *c);
#include "families.def"

  /* kernels that scripts write. *log, to be freed: the compiler's words with ERR_DEVICE, or NULL */
  int  (*user_kernel_make)(int index, const char *text, const char *name, void **kernel, char **log);
  void (*user_kernel_free)(int index, void *kernel);

} device;

/* A device kind and which of them: "cuda:1". */
typedef struct place {
  const device *device;
  int           index;
} place;

/* The kinds of devices, by number: the host's own is the first. Those compiled in are in device.c's list; others may be added
** while the process runs, and stay. */
enum { DEVICE_KINDS = 8 };             /* at most */
const device *device_kind(int number); /* NULL: there are no more */
int device_number(const device *d);

/* Adds a kind, whose struct must last as long as the process; its number, or -1: a kind of this name is there, the struct is of another
** version, or there are too many. */
int device_add(const device *d);

/* The place of tensors that the host itself reads and writes. */
place host_place(void);

/* The best device other than the host's; false: there is none. */
bool device_accelerator(place *p);

/* Writes the reason why there is no device, such as "libcuda.so.1: cannot open shared object file (no NVIDIA driver on
** this machine)". With several kinds of devices, the name of the kind precedes each reason. */
void device_reason(char *text, size_t size);

static inline unsigned place_epoch(place p) { return p.device->epoch ? p.device->epoch(p.index) : 0; }

static inline bool place_equal(place a, place b) { return a.device == b.device && a.index == b.index; }

/* True if copies between the two need no detour over the host. */
static inline bool place_same_kind(place a, place b) { return a.device == b.device; }

/* True if the host may touch the memory there. */
static inline bool place_is_host(place p) { return p.device->host_memory; }

#endif
