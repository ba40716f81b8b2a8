#ifndef LT_GPU_GPU_H
#define LT_GPU_GPU_H

/* The shared parts of gpu/: one struct for each device, kernels found by key, memory, order, failures. Outside of this
** folder only device.c names a GPU: it lists `gpu_device`. */

#include "base/device.h"
#include "gpu/driver.h"

enum { MAX_GPUS = 16 };

typedef struct gpu {
  int           index;
  gpu_device_id id;
  gpu_context   context;
  int           capability;            /* 90: 9.0 */
  int           cores;                 /* multiprocessors */
  gpu_stream    stream;                /* the current stream, on which work is queued */
  bool          ordered;               /* there is more than one stream, so operands are looked up before a launch */
  unsigned      epoch;                 /* number of reopenings */
  bool          dead;                  /* after a sticky error: the device must be reopened */
  bool          open;                  /* context, memory and streams exist */
  bool          capturing;             /* the current stream is being captured into a graph */
  struct gpu_recording *recording;     /* capturing: graph.c */
  char          words[768];            /* the last failure, for explain() */
  const char   *last;                  /* name of the kernel launched last; a late error comes from it or from an
                                       ** earlier kernel */
  struct gpu_kernels *kernels;         /* compile.c */
  struct gpu_memory  *memory;          /* memory.c */
  struct gpu_streams *streams;         /* stream.c */
  struct gpu_notes   *notes;           /* late.c */
  gpu_address   late;                  /* the device's gpu_late, into which kernels write errors */
} gpu;

/* ---- entering: context.c ---- */

/* gpu_count: the number of GPUs. gpu_why_none: the reason why there are none, or "" if there are some. gpu_in_use: the
** number after the last GPU that was opened. */
int gpu_count(void);
const char *gpu_why_none(void);
int gpu_in_use(void);

/* Returns a property of a device, 0 if the driver does not know it. */
int gpu_attribute_of(gpu_device_id id, gpu_attribute a);

/* Every entry of gpu_device begins with gpu_enter and ends with `return gpu_leave(g, st)`. gpu_enter opens the device
** at first use, takes the lock of the GPUs, and makes the context current in this thread. If it fails, it returns
** ERR_DEVICE, and gpu_leave must not be called. It fails if the device is dead or cannot be opened, or if this process
** was forked from a process that used the device. */
int gpu_enter(int index, gpu **g);
int gpu_leave(gpu *g, int status);

/* While a graph is captured, gpu_enter refuses other GPUs. Only functions that free memory may enter other GPUs, by
** gpu_enter_free. */
int  gpu_enter_free(int index, gpu **g);
void gpu_set_capturing(gpu *g, bool capturing);

/* A part of an open device: its memory, its streams, a library. open may be NULL if the part opens at its first use.
** close may be called for a part that was never opened, after a failed open, and on a dead device, where errors of the
** driver are ignored. Parts are opened in the order of the list, and closed in the reverse order. */
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

/* gpu_lock returns device `index` in any state, also closed or dead, and holds the lock until gpu_unlock. This is for
** reopening, and for functions that must work on a dead device. gpu_close closes the device's parts and clears the dead
** state; the next enter opens the device. */
gpu *gpu_lock(int index);
void gpu_unlock(void);
void gpu_close(gpu *g);

/* Registers the exit handler that closes the devices again, so that it runs before the exit handlers of libraries
** loaded so far. Closing calls functions of these libraries. */
void gpu_close_first(void);

/* Converts a result of the driver: OK, or ERR_DEVICE (ERR_MEMORY for out of memory) with a message for explain() that
** names `what` ("launch of add", "copy to the host"). Errors that outlive the call mark the device dead. */
int gpu_check(gpu *g, gpu_result r, const char *what);

/* Makes explain() report the message of g. */
void gpu_blame(const gpu *g);

/* Returns ERR_DEVICE with this message (printf). */
int gpu_fail(gpu *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- kernels: compile.c ---- */

typedef struct gpu_kernel {
  gpu_function function;
  const char  *name;                   /* "add float32": for error texts */
  int          threads;                /* most threads of a block */
} gpu_kernel;

/* The first byte of a key: the family, or another owner of kernels. */
enum gpu_family {
  GPU_NONE,
#define FAMILY(name, call) GPU_##name,
#include "families.def"
  GPU_copy, GPU_other
};

/* A key identifies (file, defines, entry) uniquely, so that these texts are only made for a missing kernel. */
#define GPU_KEY(family, op, a, b, c, d, variant)                                                        \
  ((uint64_t)(family) << 56 | (uint64_t)(op) << 40 | (uint64_t)(uint8_t)(a) << 32 | (uint64_t)(uint8_t)(b) << 24 | \
   (uint64_t)(uint8_t)(c) << 16 | (uint64_t)(uint8_t)(d) << 8 | (uint64_t)(uint8_t)(variant))

enum { GPU_DEFINES = 16, GPU_DEFINE_SIZE = 64 };

/* The source of a kernel. Kernels of the same file and defines share one compilation. */
typedef struct gpu_source {
  const char *file;                                   /* file in kernels/: "map.cuh" */
  const char *text;                                   /* text that is compiled instead of the file; NULL: the file */
  const char *entry;                                  /* the name of the function in the source */
  int         ndefines;
  char        define[GPU_DEFINES][GPU_DEFINE_SIZE];   /* "OP=add" */
  char        name[64];                               /* "add float32" */
} gpu_source;

void gpu_define(gpu_source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* gpu_find returns the kernel of a key, or NULL if it is missing. gpu_build then compiles the kernel or reads it from
** the disk cache. */
const gpu_kernel *gpu_find(const gpu *g, uint64_t key);
int gpu_build(gpu *g, uint64_t key, const gpu_source *s, const gpu_kernel **k);

/* Compiles a script's source, which is called `name` in errors, with FMA like any CUDA C++. On ERR_DEVICE, *log has the
** compiler's messages, which the caller frees. */
int gpu_compile_text(gpu *g, const char *text, const char *name, const char *entry, gpu_kernel *k, gpu_module *m,
                     char **log);

/* Queues k on the current stream. arguments: the addresses of the kernel's parameters. */
int gpu_launch(gpu *g, const gpu_kernel *k, unsigned blocks, unsigned threads, unsigned shared, void **arguments);
int gpu_launch_3d(gpu *g, const gpu_kernel *k, const unsigned blocks[3], const unsigned threads[3], unsigned shared,
                  void **arguments);

/* ---- memory: memory.c ---- */

/* Device memory for the duration of a call. Queued work may still use the memory after it is freed. */
int  gpu_scratch(gpu *g, size_t bytes, void **ptr);
void gpu_scratch_free(gpu *g, void *ptr, size_t bytes);

/* ---- order: order.c ---- */

/* Must be called before a launch for each block of memory that the launch reads or writes. ptr is any address inside a
** block, or NULL, which is ignored. If other streams still work on the block, the current stream waits for them. */
void gpu_order(gpu *g, const void *ptr, bool writes);
static inline void gpu_reads(gpu *g, const void *ptr)  { if (g->ordered) gpu_order(g, ptr, false); }
static inline void gpu_writes(gpu *g, const void *ptr) { if (g->ordered) gpu_order(g, ptr, true); }

/* The error that kernels write into g->late if an index is out of range; device code has the same struct. Of several
** errors, the error with the smallest `what` stays, and among these the error with the smallest `position`. While `set`
** is not 0, kernels that write through indices write nothing. gpu_wait turns the error into a message and clears it. */
typedef struct gpu_late {
  int     set;
  int     what;                        /* the call's number from gpu_note(), for the message */
  int64_t value;                       /* the index, 1-based as the script wrote it */
  int64_t position;                    /* position of the index in its tensor */
  int     lock;                        /* the lock of the writer; 0 after the write */
} gpu_late;

/* Keeps the facts for the message of an error that this launch may cause. Returns the note's number, which is greater
** than the numbers of earlier notes. function: as in index_call; dim: 0-based. */
int gpu_note(gpu *g, const char *function, int dim, int64_t length);

/* Waits for the current stream (all: for the whole device). Returns ERR_DEVICE if work failed, ERR_LATE if a kernel
** wrote an error into g->late, ERR_CAPTURE while a graph is captured. */
int gpu_wait(gpu *g, bool all);

/* Returns the number of a dtype in cuBLAS and cuSOLVER, or -1 if it is not supported. */
int gpu_blas_type(enum dtype d);

/* Returns the bytes of scratch memory that a convolution may take, if fewer bytes suffice for the call:
** LUATENSOR_CONV_MEMORY. */
size_t gpu_conv_memory(void);

/* Computes a convolution by cuDNN. If cuDNN does not support the call, *done is false and nothing was written. */
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

/* entries of struct device in memory.c and stream.c */
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
