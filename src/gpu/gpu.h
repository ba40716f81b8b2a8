#ifndef LT_GPU_GPU_H
#define LT_GPU_GPU_H

/* What the files of gpu/ share: one struct per device, kernels found by key, memory, order, failures.
** The only place of a GPU's names besides this folder is device.c, which lists `gpu_device`. */

#include "base/device.h"
#include "gpu/driver.h"

enum { MAX_GPUS = 16 };

typedef struct gpu {
  int           index;
  gpu_device_id id;
  gpu_context   context;
  int           capability;            /* 90: 9.0 */
  int           cores;                 /* multiprocessors */
  gpu_stream    stream;                /* the current one; work is queued on it */
  bool          ordered;               /* more than one stream was made: operands are looked up before a launch */
  unsigned      epoch;                 /* times it was reopened */
  bool          dead;                  /* a sticky error: the device has to be reopened */
  bool          open;                  /* context, memory and streams are there */
  bool          capturing;             /* the current stream is being captured into a graph */
  struct gpu_recording *recording;     /* capturing: graph.c */
  char          words[768];            /* what failed: for explain() */
  const char   *last;                  /* name of the kernel launched last: late errors come from it or those before */
  struct gpu_kernels *kernels;         /* compile.c */
  struct gpu_memory  *memory;          /* memory.c */
  struct gpu_streams *streams;         /* stream.c */
  struct gpu_notes   *notes;           /* late.c */
  gpu_address   late;                  /* the device's gpu_late: what a kernel found wrong */
} gpu;

/* ---- entering: context.c ---- */

/* The number of GPUs; the reason why there are none, or "" if there are some; the number after the last GPU that was
** opened. */
int gpu_count(void);
const char *gpu_why_none(void);
int gpu_in_use(void);

/* A property of a device, 0 if the driver does not know it. */
int gpu_attribute_of(gpu_device_id id, gpu_attribute a);

/* Every entry of gpu_device begins with gpu_enter and ends with `return gpu_leave(g, st)`. Enter opens the device at
** first use, takes the lock of the GPUs, makes the context this thread's; ERR_DEVICE (nothing to leave then) when it
** is dead, when this process was forked from one that used it, or when it cannot be opened. */
int gpu_enter(int index, gpu **g);
int gpu_leave(gpu *g, int status);

/* While a graph is captured, gpu_enter refuses the other GPUs: only what frees may enter them. */
int  gpu_enter_free(int index, gpu **g);
void gpu_set_capturing(gpu *g, bool capturing);

/* A part of a device that is open: its memory, its streams, a library. open may be NULL: the part opens at its first use.
** close may be called when the part was never opened, when its open failed half way, and on a dead device, where the driver's
** answers do not count. Parts are opened in the order of the list, and closed in the opposite order. */
typedef struct gpu_part {
  int  (*open)(gpu *g);
  void (*close)(gpu *g);
} gpu_part;
void gpu_set_parts(const gpu_part *list, int count);

int  gpu_memory_open(gpu *g);
void gpu_memory_close(gpu *g);
void gpu_transfers_close(gpu *g);
int  gpu_streams_open(gpu *g);
void gpu_streams_close(gpu *g);
int  gpu_late_open(gpu *g);
void gpu_late_close(gpu *g);
int  gpu_kernels_open(gpu *g);
void gpu_kernels_close(gpu *g);
void gpu_gemm_close(gpu *g);
void gpu_fft_close(gpu *g);
void gpu_solver_close(gpu *g);
void gpu_dnn_close(gpu *g);

/* Device `index` as it is, also closed or dead, under the lock that gpu_unlock gives back: for reopening and for what
** must work on a dead device. gpu_close closes its parts and forgets that it was dead; the next enter opens it. */
gpu *gpu_lock(int index);
void gpu_unlock(void);
void gpu_close(gpu *g);

/* At exit the devices are closed before what libraries opened so far have registered for it: what they hold is freed by
** functions of theirs that must still work then. */
void gpu_close_first(void);

/* OK, or what went wrong at `what` ("launch of add", "copy to the host") as ERR_DEVICE (ERR_MEMORY for out of memory),
** with its words kept for explain(). Errors that outlive the call mark the device dead. */
int gpu_check(gpu *g, gpu_result r, const char *what);

/* The words of g are what explain() is about to tell. */
void gpu_blame(const gpu *g);

/* ERR_DEVICE with these words (printf). */
int gpu_fail(gpu *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- kernels: compile.c ---- */

typedef struct gpu_kernel {
  gpu_function function;
  const char  *name;                   /* "add float32": for error texts */
  int          threads;                /* most threads of a block */
} gpu_kernel;

/* The first byte of a key: the family, or what else has kernels of its own. */
enum gpu_family {
  GPU_NONE,
#define FAMILY(name, call) GPU_##name,
#include "families.def"
  GPU_copy, GPU_other
};

/* A key names (file, defines, entry) uniquely, so that the texts are made only when a kernel is missing. */
#define GPU_KEY(family, op, a, b, c, d, variant)                                                        \
  ((uint64_t)(family) << 56 | (uint64_t)(op) << 40 | (uint64_t)(uint8_t)(a) << 32 | (uint64_t)(uint8_t)(b) << 24 | \
   (uint64_t)(uint8_t)(c) << 16 | (uint64_t)(uint8_t)(d) << 8 | (uint64_t)(uint8_t)(variant))

enum { GPU_DEFINES = 16, GPU_DEFINE_SIZE = 64 };

/* What a kernel is compiled from. Kernels of the same file and defines share one compilation. */
typedef struct gpu_source {
  const char *file;                                   /* of kernels/: "map.cuh" */
  const char *text;                                   /* stands for the file; NULL: it is one of ours */
  const char *entry;                                  /* the function's name there */
  int         ndefines;
  char        define[GPU_DEFINES][GPU_DEFINE_SIZE];   /* "OP=add" */
  char        name[64];                               /* "add float32" */
} gpu_source;

void gpu_define(gpu_source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The kernel of a key; NULL: not there yet, then gpu_build compiles it (or takes it from the disk cache). */
const gpu_kernel *gpu_find(const gpu *g, uint64_t key);
int gpu_build(gpu *g, uint64_t key, const gpu_source *s, const gpu_kernel **k);

/* A script's own source, compiled as `name` in error texts, with FMA as any CUDA C++; *log (to be freed) has the
** compiler's words on ERR_DEVICE. */
int gpu_compile_text(gpu *g, const char *text, const char *name, const char *entry, gpu_kernel *k, gpu_module *m,
                     char **log);

/* Queues k on the current stream. arguments: the addresses of its parameters. */
int gpu_launch(gpu *g, const gpu_kernel *k, unsigned blocks, unsigned threads, unsigned shared, void **arguments);
int gpu_launch_3d(gpu *g, const gpu_kernel *k, const unsigned blocks[3], const unsigned threads[3], unsigned shared,
                  void **arguments);

/* ---- memory: memory.c ---- */

/* Device memory for the length of a call: queued work may go on using it after it is given back. */
int  gpu_scratch(gpu *g, size_t bytes, void **ptr);
void gpu_scratch_free(gpu *g, void *ptr, size_t bytes);

/* ---- order: order.c ---- */

/* Say before a launch what it reads and writes (any address inside a block; NULL is harmless). Where other streams
** still work on a block, the current one waits for them. */
void gpu_order(gpu *g, const void *ptr, bool writes);
static inline void gpu_reads(gpu *g, const void *ptr)  { if (g->ordered) gpu_order(g, ptr, false); }
static inline void gpu_writes(gpu *g, const void *ptr) { if (g->ordered) gpu_order(g, ptr, true); }

/* What kernels write into g->late when they find an index out of range; device code has the same struct. The first
** one stays: the one with the least `what`, and of these the least `position`. Kernels that write through indices
** write nothing while `set` is not 0. gpu_wait turns it into words, and zeroes all of it. */
typedef struct gpu_late {
  int     set;
  int     what;                        /* gpu_note()'s number: which call, for the words */
  int64_t value;                       /* the index, 1-based as the script wrote it */
  int64_t position;                    /* of that index in its tensor */
  int     lock;                        /* the writer's, 0 when it has ended */
} gpu_late;

/* Keeps the words of an error that this launch may find, and tells its number, greater than those before it.
** function: as in index_call; dim: 0-based. */
int gpu_note(gpu *g, const char *function, int dim, int64_t length);

/* Waits for the current stream (all: for the whole device) and reports what went wrong meanwhile: ERR_DEVICE, or
** ERR_LATE for what a kernel wrote into g->late; ERR_CAPTURE while a graph is captured. */
int gpu_wait(gpu *g, bool all);

/* cuBLAS's and cuSOLVER's number of a dtype; -1: they do not have it. */
int gpu_blas_type(enum dtype d);

/* Bytes of scratch memory that a convolution may take, as far as it can: LUATENSOR_CONV_MEMORY. */
size_t gpu_conv_memory(void);

/* The convolution by cuDNN; *done false: not by it, and nothing was written. */
int gpu_dnn_conv(gpu *g, const conv_call *c, bool *done);

/* Entries of struct device. */
void     gpu_explain(int index, char *text, size_t size);
int      gpu_reopen(int index);
void     gpu_shut(void);
unsigned gpu_device_epoch(int index);

/* ---- families ---- */

#define FAMILY(name, call) int gpu_##name(int index, call *c);
#include "families.def"

int gpu_limits(int index, enum dtype dtype, device_limits *limits);
int gpu_working_set(int index, size_t bytes, device_working_set *w);
int gpu_user_kernel_make(int index, const char *text, const char *name, void **kernel, char **log);
void gpu_user_kernel_free(int index, void *kernel);
bool gpu_has(enum map_op op, enum dtype compute);

/* memory.c, stream.c: entries of the vtable */
int  gpu_alloc(int index, size_t bytes, void **ptr);
void gpu_free(int index, void *ptr, size_t bytes);
int  gpu_copy_in(int index, void *to, const void *host, size_t bytes);
int  gpu_copy_out(int index, void *host, const void *from, size_t bytes);
int  gpu_copy_across(int index, void *to, int from_index, const void *from, size_t bytes);
int  gpu_sync(int index);
memory_stats *gpu_stats(int index);
int  gpu_pin(size_t bytes, void **host);
void gpu_unpin(void *host);
bool gpu_is_pinned(const void *host, size_t bytes);
extern const device_streams gpu_stream_calls;
extern const device_graphs gpu_graph_calls;
void gpu_empty_cache(int index);
int  gpu_available(int index, size_t *bytes);

#endif
