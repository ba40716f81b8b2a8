#ifndef LT_BASE_DEVICE_H
#define LT_BASE_DEVICE_H

/* The device boundary: one struct of function pointers for each kind of device. An entry that the kind does not
** support is NULL; the entries of kernel families are never NULL. */

#include "base/tiled.h"
#include "base/status.h"

enum { DEVICE_ABI = 8 };

typedef struct memory_stats {
  size_t live, peak, cached;      /* bytes in use, their maximum so far, bytes kept for reuse */
} memory_stats;

/* Reads a field of memory_stats, which other threads may change concurrently. */
static inline size_t memory_count(const size_t *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }

typedef struct device_info {
  char    name[128];              /* such as "AMD EPYC 9354" */
  char    kind[16];               /* "cpu", "gpu" or "pjrt" */
  int     cores;
  size_t  memory;                 /* total bytes; 0: unknown */
  double  bandwidth;              /* bytes per second; 0: unknown */
  char    isa[16];                /* the instruction set, such as "avx512"; the compute capability on a GPU */
  bool    emulated;               /* the device is an emulator, whose measurements say nothing about a real device */
  char    software[128];          /* versions of a GPU's driver and libraries; empty on other devices */
} device_info;

/* The limits of a device, measured by loops that do nothing else. */
typedef struct device_limits {
  double flops;                   /* additions plus multiplications per second in one dtype */
  double read, copy;              /* bytes per second; a copy counts the bytes read and the bytes written */
} device_limits;

/* Measurements of a loop that reads the same memory repeatedly. Its speed shows which cache contains the memory. */
typedef struct device_working_set {
  double read;                    /* bytes per second of all threads together */
  double latency;                 /* seconds of a load whose address comes from the previous load; 0: not measured */
} device_working_set;

/* Streams are queues of work on a device; each stream runs its work in order. A stream is a number; stream 0 always
** exists. If `streams` in struct device is NULL, work is done when a call returns. The functions may return
** ERR_DEVICE, ERR_LATE, ERR_CAPTURE. */
typedef struct device_streams {
  int    (*make)(int index, int *stream);                     /* makes a stream with a reference count of 1;
                                                              ** ERR_OVERFLOW: there are too many streams */
  void   (*retain)(int index, int stream);
  /* decrements the reference count; the stream is freed when the count is 0 */
  void   (*release)(int index, int stream);
  int    (*current)(int index);                               /* returns the current stream, on which work is
                                                              ** queued */
  int    (*use)(int index, int stream);                       /* makes a stream the current stream of its device */
  int    (*sync)(int index, int stream);
  /* makes the stream wait for the work that is now queued on `other` */
  int    (*follow)(int index, int stream, int other_index, int other);
  int    (*event_make)(int index, bool timing, void **event);
  void   (*event_free)(int index, void *event);
  int    (*event_record)(int index, void *event, int stream);
  /* makes the stream wait for an event of any device of this kind */
  int    (*event_wait)(int index, int stream, void *event);
  int    (*event_query)(int index, void *event, bool *done);
  int    (*event_sync)(int index, void *event);
  int    (*event_elapsed)(int index, void *from, void *to, double *milliseconds);
} device_streams;

/* Places in a graph's stored calls that contain addresses. */
typedef struct graph_uses {
  char **at;                                     /* each points to a pointer of some type */
  size_t count, capacity;
} graph_uses;

/* Graphs. Work that is queued between begin and end is recorded instead of run. The work runs at each replay, on the
** current stream. Memory that is allocated while recording belongs to the graph until `free`. Waiting while recording
** returns ERR_CAPTURE. */
typedef struct device_graphs {
  int  (*begin)(int index, void **graph);        /* waits for queued work first; ERR_CAPTURE: another graph is being
                                                 ** captured */
  int  (*end)(int index, void *graph);           /* ends the capture; the graph must be freed, even after an error */
  void (*resume)(int index, void *graph);        /* of the host only: goes on with a capture after `end` */
  /* allocates memory between begin and end that no recorded work overwrites, for values that the host writes before a
  ** replay; the device's `free` frees it. Memory of alloc may have been used by earlier work of the graph. */
  int  (*alloc_apart)(int index, size_t bytes, void **ptr);
  int  (*replay)(int index, void *graph);
  void (*free)(int index, void *graph);          /* frees the graph; may be called instead of end */
  void (*forget)(void *graph);                   /* must be called instead of free if the device was reopened */
  /* Lists the places that contain addresses of the `bytes` bytes from `from`, so that replays may use other memory. Fails
  ** with ERR_NO_KERNEL if the graph uses these bytes in other ways. NULL: replays always use the same memory. */
  int  (*find_uses)(void *graph, const void *from, size_t bytes, graph_uses *uses);
} device_graphs;

/* Sums of tensors over several devices of a kind. Tensor t of device d is in[d * count + t], and its sum is written to
** out[d * count + t]. All tensors are contiguous and not empty, and each `out` has memory of its own. */
typedef struct all_sum_call {
  int    ndevices, count;         /* of devices, and of tensors of each device */
  const int *index;               /* [ndevices]: the numbers of the devices, which all differ */
  const int64_t *elements;        /* [count] */
  const operand *in, *out;
} all_sum_call;

typedef struct device {
  int         abi;                                            /* must be DEVICE_ABI */
  const char *name;                                           /* the name in scripts, such as "cpu" or "cuda" */
  int         dlpack;                                         /* the number of this kind in DLPack's enum
                                                              ** DLDeviceType */
  int  (*dlpack_id)(int index);                               /* returns a device's number in DLPack; NULL: the number
                                                              ** is `index` */
  /* true: the host may read and write this device's memory */
  bool        host_memory;
  int         fft_rank;                                       /* the maximum number of dims that a call of family fft
                                                              ** transforms together; 0 means 1 */
  int64_t     tile_bytes;                                     /* the bytes of a tile of the family tiled; 0: the device does
                                                              ** not compute tile by tile */
  /* calls of the family tiled with 1 row: a reduction of any dims, or a softmax, may take the result of a program, also if
  ** the result is stored. false: only a reduction of many neighbouring elements may, if the result is not stored and
  ** tile_bytes is not 0 */
  bool folds_all;
  int  (*count)(void);                                        /* returns the number of devices of this kind on this
                                                              ** machine */
  const char *(*reason)(void);                                /* returns the reason if count() is 0, or why
                                                              ** a device is not counted, or "" */
  /* returns 1 + the index of the last device in use, or 0 if no device is in use; opens no device */
  int  (*in_use)(void);
  int  (*info)(int index, device_info *info);
  bool (*is_processor)(void);                                 /* true: the devices are the CPU itself, so that they are
                                                              ** no accelerators. NULL: false */

  int  (*limits)(int index, enum dtype dtype, device_limits *limits);   /* measures the limits; takes about a
                                                                        ** second */
  /* measures how fast memory is read repeatedly: `bytes` bytes by each CPU thread, or `bytes` bytes by the whole GPU;
  ** fails with ERR_MEMORY */
  int  (*working_set)(int index, size_t bytes, device_working_set *w);

  /* Returns the number of threads of the CPU kernels. */
  int  (*threads)(void);
  void (*set_threads)(int n);
  /* Writes to `reason` why no device of this kind computes float32 products with a precision, or "". NULL: devices of
  ** this kind know only `ieee` and `tf32`. */
  void (*lacks_precision)(enum precision p, char *reason, size_t size);
  void (*describe)(char *text, size_t size);                  /* writes a human-readable description of the kernels,
                                                              ** libraries and threads */

  /* Memory. index: the 0-based number of the device, as in "cuda:1". */
  int  (*alloc)(int index, size_t bytes, void **ptr);         /* allocates memory that is 64-byte aligned and not
                                                              ** zeroed; OK or ERR_MEMORY */
  /* frees memory as soon as queued work no longer uses it */
  void (*free)(int index, void *ptr, size_t bytes);
  int  (*copy_in)(int index, void *to, const void *host, size_t bytes);
  int  (*copy_out)(int index, void *host, const void *from, size_t bytes);   /* copies to the host and waits for the
                                                                             ** copy */
  /* copies between two devices of this kind */
  int  (*copy_across)(int index, void *to, int from_index, const void *from, size_t bytes);
  /* Adds tensors of several devices of this kind. Half floats are added in float32, and a sum of bools is true if one of
  ** them is. After ERR_MEMORY, it may be called again. NULL or ERR_NO_KERNEL: the caller adds copies of the tensors */
  int  (*all_sum)(const all_sum_call *c);
  int  (*sync)(int index);                                    /* waits for all queued work */
  memory_stats *(*stats)(int index);                          /* returns the memory statistics of the whole process;
                                                              ** the device owns the struct */
  void (*empty_cache)(int index);                             /* returns cached memory to the system */
  /* *bytes: bytes that can still be allocated, including cached ones; SIZE_MAX: unknown */
  int  (*available)(int index, size_t *bytes);

  /* allocates host memory that the device can read and write directly */
  int  (*pin)(size_t bytes, void **host);
  void (*unpin)(void *host);
  bool (*is_pinned)(const void *host, size_t bytes);
  /* Like copy_in, for memory of `pin`, which the device may read after the call has returned. finish_copies waits until
  ** all copies from a block of `pin` have read it. `unpin` may be called before: the memory stays until then. */
  int  (*copy_in_later)(int index, void *to, const void *pinned, size_t bytes);
  void (*finish_copies)(void *pinned);

  /* closes and reopens the device, which loses the contents of its memory and increases its epoch */
  int  (*reopen)(int index);
  unsigned (*epoch)(int index);                               /* returns the number of reopenings; NULL: contents are
                                                              ** never lost */
  void (*shut)(void);                                         /* closes all devices; the next call opens them again */
  const device_streams *streams;
  const device_graphs  *graphs;

  void (*explain)(int index, char *text, size_t size);        /* writes the message for the last ERR_DEVICE or
                                                              ** ERR_LATE */

  /* Computation: one entry for each family. Returns a status; ERR_NO_KERNEL means that the device does not support
  ** the call. Work may still be queued when the entry returns. */
#define FAMILY(name, call) int (*name)(int index, call *c);
#include "families.def"

  /* Returns how many calls of each family the host has computed for a device, because the device has no kernel for them:
  ** a list in the order of families.def. NULL: the host computes no calls of the device */
  const int64_t *(*host_calls)(int index);

  /* Returns whether one call of family attention is faster than several products. Of the call, only dtype, causal and
  ** the sizes are set, and `back` is true if a backward call will follow. NULL: always false */
  bool (*has_attention)(int index, const attention_call *c);

  /* Kernels that scripts write. After ERR_DEVICE, *log is the text of the compiler's messages, or NULL if there is no
  ** text. The caller frees *log. */
  int  (*user_kernel_make)(int index, const char *text, const char *name, void **kernel, char **log);
  void (*user_kernel_free)(int index, void *kernel);

} device;

/* A device: its kind and its number among the devices of this kind, as in "cuda:1". */
typedef struct place {
  const device *device;
  int           index;
} place;

/* The kinds of devices, by number; the host's own kind is the first. The compiled-in kinds are in device.c's list.
** device_add may add other kinds while the process runs; a kind is never removed. */
enum { DEVICE_KINDS = 8 };             /* the most kinds of devices */
const device *device_kind(int number); /* returns NULL if there is no such kind */
int device_number(const device *d);

/* Adds a kind, whose struct must live as long as the process. Returns the number of the kind, or -1 if a kind of this
** name exists, if the struct has another version, or if there are too many kinds. */
int device_add(const device *d);

/* A name that scripts may try although there is no device of this name, or no further one, with the reason. */
typedef struct absent_device {
  char name[32];
  bool wanted;                          /* a variable of the environment asks for the device */
  const char *reason;
} absent_device;

/* Adds a name, of which only the first entry counts, unless there are too many. Call it before the first state opens. The
** reason must live as long as the process. */
void device_add_absent(const char *name, bool wanted, const char *reason);
const absent_device *device_absent(int number);   /* returns NULL if there are no more */

/* Returns the place of the host itself: its tensors are in ordinary memory, which the CPU reads and writes. */
place host_place(void);

/* Sets *p to device 0 of the first kind of which this machine has a device that is not the CPU. Returns false if there is
** no such kind. */
bool device_accelerator(place *p);

/* Writes the reasons of all kinds of devices, such as "cuda: libcuda.so.1: cannot open shared object file (no NVIDIA driver
** on this machine); rocm: …". The text is "" if every kind uses all of its devices. */
void device_reason(char *text, size_t size);

static inline unsigned place_epoch(place p) { return p.device->epoch ? p.device->epoch(p.index) : 0; }

static inline bool place_equal(place a, place b) { return a.device == b.device && a.index == b.index; }

/* Returns a place's number in DLPack, by which other libraries know the device. */
static inline int place_dlpack_id(place p) { return p.device->dlpack_id ? p.device->dlpack_id(p.index) : p.index; }

/* True if data can be copied between the two places directly, without the host. */
static inline bool place_same_kind(place a, place b) { return a.device == b.device; }

/* True if the host may access memory at this place. */
static inline bool place_is_host(place p) { return p.device->host_memory; }

#endif
