#ifndef LT_GPU_GPU_H
#define LT_GPU_GPU_H

/* The declarations that the files of gpu/ share. struct gpu describes an open device. Functions find and launch
** kernels, allocate scratch memory, order the work of streams, and report failures. Outside of this folder, only
** base/device.c refers to GPUs: it lists `cuda_device` and `rocm_device`. */

#include "base/device.h"
#include "gpu/vendor/vendor.h"

enum { MAX_GPUS = 2 * VENDOR_GPUS };

typedef struct gpu {
  int           index;                 /* number among the GPUs of all vendors: vendor->first is a vendor's first */
  char          place[16];             /* the device's name in scripts, such as "cuda:0" */
  gpu_vendor   *vendor;
  const gpu_driver *driver;            /* the functions of the vendor's driver */
  gpu_device_id id;                    /* the driver's number of the device */
  gpu_target    target;                /* the processor for which kernels are compiled */
  gpu_context   context;
  int           capability;            /* compute capability: 90 is 9.0 */
  int           cores;                 /* number of multiprocessors */
  int           lanes;                 /* number of threads of a warp: 32 or 64 */
  gpu_stream    stream;                /* the current stream, to which work is added */
  bool          ordered;               /* there is more than one stream, so gpu_reads and gpu_writes must look up the
                                       ** operands' blocks */
  int           unrecorded;            /* 0, or 1 + the number of a stream: an access of this stream to a block could
                                       ** not be recorded, because no host memory was left */
  unsigned      epoch;                 /* number of times that the device was reopened or shut (gpu_shut) */
  bool          dead;                  /* true after an error that makes all later calls fail; the device must be
                                       ** reopened */
  bool          open;                  /* context, memory and streams exist */
  bool          capturing;             /* the current stream is being captured into a graph */
  struct gpu_recording *recording;     /* the graph that is being captured (graph.c), or NULL */
  char          words[768];            /* message of the last failure, for gpu_explain */
  const char   *last;                  /* name of the kernel that was launched last; a late error comes from this
                                       ** kernel or from an earlier kernel */
  struct gpu_kernels *kernels;         /* the compiled kernels (compile/) */
  struct gpu_memory  *memory;          /* the blocks of device memory (memory.h) */
  struct gpu_streams *streams;         /* the streams and their events (stream.c) */
  struct gpu_notes   *notes;           /* the facts for messages of late errors (late.c) */
  const struct gpu_exchanges *exchanges;         /* NULL: no queued work needs other processes */
  gpu_address   late;                  /* address of the device's cells for late errors: a gpu_late for each stream,
                                       ** and one for all graphs */
} gpu;

/* ---- entering: context.c ---- */

/* gpu_count returns the number of a vendor's GPUs for which the compiler generates code. gpu_why_none returns the reason
** if there is none, or the reason of the first GPU that is not counted, or "". gpu_in_use returns the greatest number of an open GPU of the vendor plus 1, counted
** from the vendor's first GPU, or 0 if none is open. gpu_id returns the driver's number of a GPU that gpu_count has
** counted. */
int gpu_count(gpu_vendor *v);
const char *gpu_why_none(gpu_vendor *v);
int gpu_in_use(const gpu_vendor *v);
gpu_device_id gpu_id(int index);

/* A function of struct device that uses an open device begins with gpu_enter and ends with `return gpu_leave(g, st)`.
** gpu_enter opens the device at first use, takes the lock of the GPUs, and makes the context current in this thread.
** gpu_enter fails with ERR_DEVICE if the device is dead or cannot be opened, or if this process was forked from a
** process that used the device. After a failure, gpu_leave must not be called. */
int gpu_enter(int index, gpu **g);
int gpu_leave(gpu *g, int status);

/* While a graph is captured, gpu_enter fails for all other GPUs. Functions that only free memory use gpu_enter_free,
** which also enters other GPUs during a capture. */
int  gpu_enter_free(int index, gpu **g);
void gpu_set_capturing(gpu *g, bool capturing);

/* A part of an open device, such as its memory, its streams or a library. `open` may be NULL if the part is opened
** at its first use. `close` may also be called for a part that is not open, after a failed open, and on a dead
** device, where errors of the driver are ignored. Parts are opened in the order of the list and closed in the
** reverse order. */
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

/* gpu_lock returns device `index` in any state, even if it is closed or dead, and holds the lock until gpu_unlock.
** Used for reopening, and for functions that must work on a dead device. gpu_close closes the device's parts and
** clears the dead state. The next gpu_enter opens the device again. */
gpu *gpu_lock(int index);
void gpu_unlock(void);
void gpu_close(gpu *g);

/* Registers once more the exit handler that closes the devices. Must be called after a library was loaded. Exit
** handlers run in the reverse order of their registration, so the devices are closed before the library's own exit
** handler disables the functions that closing calls. */
void gpu_close_first(void);

/* Converts a result of the driver. Returns OK, ERR_MEMORY if the device's memory is exhausted, ERR_CAPTURE, or
** ERR_DEVICE. The message for explain() names `what`, such as "launch of add" or "copy to the host". An error after
** which all later calls fail marks the device as dead. */
int gpu_check(gpu *g, gpu_result r, const char *what);

/* Records g as the device whose message explains this thread's last failure. */
void gpu_blame(const gpu *g);

/* Sets the message of g, formatted like printf, and returns ERR_DEVICE. */
int gpu_fail(gpu *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- kernels: compile/compile.c ---- */

typedef struct gpu_kernel {
  gpu_function function;
  const char  *name;                   /* such as "add float32"; used in error messages */
  int          threads;                /* the maximum number of threads of a block */
  unsigned     shared;                 /* bytes of shared memory that the compiler has reserved for a block; a launch
                                       ** may request more */
} gpu_kernel;

/* The first byte of a kernel's key. It names the family of kernels, or another part of gpu/ that has kernels. */
enum gpu_family {
  GPU_NONE,
#define FAMILY(name, call) GPU_##name,
#include "families.def"
  GPU_copy, GPU_other
};

/* Returns a kernel's key, which identifies the kernel's file, defines and entry uniquely. A lookup by key needs no
** gpu_source: callers fill in a gpu_source only if gpu_find does not find the kernel. */
#define GPU_KEY(family, op, a, b, c, d, variant)                                                        \
  ((uint64_t)(family) << 56 | (uint64_t)(op) << 40 | (uint64_t)(uint8_t)(a) << 32 | (uint64_t)(uint8_t)(b) << 24 | \
   (uint64_t)(uint8_t)(c) << 16 | (uint64_t)(uint8_t)(d) << 8 | (uint64_t)(uint8_t)(variant))

enum { GPU_DEFINES = 16, GPU_DEFINE_SIZE = 64 };

/* The source of a kernel. Kernels with the same file and defines are compiled together. */
typedef struct gpu_source {
  const char *file;                                   /* name of a file in kernels/, such as "map.cuh" */
  const char *text;                                   /* the text to compile instead of the file's content, or NULL */
  const char *entry;                                  /* the name of the function in the source */
  int         ndefines;
  char        define[GPU_DEFINES][GPU_DEFINE_SIZE];   /* such as "OP=add" */
  char        name[64];                               /* for error messages, such as "add float32" */
} gpu_source;

void gpu_define(gpu_source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* gpu_find returns the kernel with this key, or NULL if the kernel has not been built. gpu_build compiles the kernel or
** loads it from the disk cache, and stores it under this key. */
const gpu_kernel *gpu_find(const gpu *g, uint64_t key);
int gpu_build(gpu *g, uint64_t key, const gpu_source *s, const gpu_kernel **k);

/* Compiles a script's source. `name` is the source's name in errors. If the function returns ERR_DEVICE, *log contains the
** compiler's messages or is NULL. The caller frees *log. */
int gpu_compile_text(gpu *g, const char *text, const char *name, const char *entry, gpu_kernel *k, gpu_module *m,
                     char **log);

/* Adds a launch of k to the current stream. `shared` is the number of bytes of dynamic shared memory. `arguments` has
** the addresses of the kernel's parameters. */
int gpu_launch(gpu *g, const gpu_kernel *k, unsigned blocks, unsigned threads, unsigned shared, void **arguments);
int gpu_launch_3d(gpu *g, const gpu_kernel *k, const unsigned blocks[3], const unsigned threads[3], unsigned shared,
                  void **arguments);

/* ---- memory: memory.c ---- */

/* gpu_scratch allocates device memory for the duration of a call, and gpu_scratch_free frees this memory. The memory
** may be freed while queued work still uses it. */
int  gpu_scratch(gpu *g, size_t bytes, void **ptr);
void gpu_scratch_free(gpu *g, void *ptr, size_t bytes);

/* ---- order: order.c ---- */

/* Must be called before a launch for each block of memory that the launch reads or writes. ptr is any address inside
** a block; NULL is ignored. If work in other streams still uses the block, the current stream waits for this work. */
void gpu_order(gpu *g, const void *ptr, bool writes);
static inline void gpu_reads(gpu *g, const void *ptr)  { if (g->ordered) gpu_order(g, ptr, false); }
static inline void gpu_writes(gpu *g, const void *ptr) { if (g->ordered) gpu_order(g, ptr, true); }

/* The error that kernels of a stream write to the stream's cell if an index is out of range. kernels/late.cuh has the
** same struct. If there are several errors, only the one with the smallest `what` is kept. Among errors of equal `what`,
** the one with the smallest `position` is kept. While `set` is not 0, kernels of the stream that write through indices
** write nothing. gpu_wait turns the error into a message and clears it. */
typedef struct gpu_late {
  int     set;
  int     what;                        /* number of the failed call, as gpu_note returned it */
  int64_t value;                       /* the index that is out of range, 1-based as in the script */
  int64_t position;                    /* position of the index in its index tensor, 0-based */
  int     lock;                        /* 1 while a thread writes the other fields, else 0 */
} gpu_late;

/* Stores the facts for the message of an error that this launch may cause. Returns the note's number, which is
** greater than the numbers of earlier notes. `function` is as in index_call. `dim` is 0-based. */
int gpu_note(gpu *g, const char *function, int dim, int64_t length);

/* Returns the address of the cell for late errors of the current stream or, during a capture, of the graphs. */
gpu_address gpu_late_cell(const gpu *g);

/* Waits for the current stream or, if `all` is true, for the whole device. Returns ERR_DEVICE if work has failed,
** or ERR_CAPTURE while a graph is captured. Returns ERR_LATE if a kernel has written an error to the cell of this stream,
** of a stream that this stream has waited for, or of the graphs. */
int gpu_wait(gpu *g, bool all);

/* Returns the number that the tables of driver.h use for dtype d, or -1 if they do not support the dtype. */
int gpu_blas_type(enum dtype d);

/* Returns the maximum number of bytes of scratch memory for a convolution (LUATENSOR_CONV_MEMORY, by default 256
** MiB). A call that cannot run with so few bytes uses more. */
size_t gpu_conv_memory(void);

/* Computes a convolution by the vendor's library. If the library does not support the call, *done is false and nothing
** was written. */
int gpu_dnn_conv(gpu *g, const conv_call *c, bool *done);

/* Functions of struct device. context.c defines these functions. Here and below, `index` is the number among the GPUs
** of all vendors. */
void     gpu_explain(int index, char *text, size_t size);
int      gpu_reopen(int index);
void     gpu_shut(const gpu_vendor *v);
unsigned gpu_device_epoch(int index);

/* ---- families of kernels ---- */

#define FAMILY(name, call) int gpu_##name(int index, call *c);
#include "families.def"

/* ---- exchanges with other processes: ccl.c ---- */

/* The files below call these functions by pointers, because ccl.c needs functions of these files. */
struct gpu_exchanges {
  int  (*await)(gpu *g, gpu_stream s, gpu_event e);
  void (*replayed)(gpu *g);            /* must be called after a graph was launched, which may have exchanges */
};

/* Must be called before a function of the driver that waits for a stream, for an event or, if both are NULL, for the device.
** Returns OK, ERR_CANCELLED, or ERR_DEVICE if another process has ended, for which the driver would wait for ever. */
static inline int gpu_await(gpu *g, gpu_stream s, gpu_event e) { return g->exchanges ? g->exchanges->await(g, s, e) : OK; }

void gpu_ccl_close(gpu *g);

bool gpu_has_attention(int index, const attention_call *c);
int gpu_limits(int index, enum dtype dtype, device_limits *limits);
int gpu_working_set(int index, size_t bytes, device_working_set *w);
int gpu_user_kernel_make(int index, const char *text, const char *name, void **kernel, char **log);
void gpu_user_kernel_free(int index, void *kernel);
/* Describes a GPU, and the libraries of a vendor for users. */
int  gpu_info(int index, device_info *info);
void gpu_describe(gpu_vendor *v, char *text, size_t size);
bool gpu_has(enum map_op op, enum dtype compute);

/* The functions and tables of struct device for memory (memory.c, pinned.c), copies (transfer.c), waiting
** (late.c), streams (queue.c) and graphs (graph.c). */
int  gpu_alloc(int index, size_t bytes, void **ptr);
void gpu_free(int index, void *ptr, size_t bytes);
int  gpu_copy_in(int index, void *to, const void *host, size_t bytes);
int  gpu_copy_out(int index, void *host, const void *from, size_t bytes);
int  gpu_copy_across(int index, void *to, int from_index, const void *from, size_t bytes);
int  gpu_sync(int index);
memory_stats *gpu_stats(int index);
int  gpu_pin(const gpu_vendor *v, size_t bytes, void **host);
void gpu_unpin(void *host);
bool gpu_is_pinned(const void *host, size_t bytes);
int  gpu_copy_in_later(int index, void *to, const void *host, size_t bytes);
void gpu_finish_copies(void *host);
extern const device_streams gpu_stream_calls;
extern const device_graphs gpu_graph_calls;
void gpu_empty_cache(int index);
int  gpu_available(int index, size_t *bytes);

/* Makes room for a library that is about to start: returns cached memory to the driver if too little is free. If this does
** not suffice, returns ERR_MEMORY, and the library must not be started: after cuSOLVER has failed to start on a full
** device, it does not start any more in this process. */
int  gpu_make_room(gpu *g);

/* Called after a call of the driver. True if it failed because the device's memory is exhausted, and cached memory was
** returned to the driver, so that the caller should call once more. */
bool gpu_retries(gpu *g, gpu_result r);

/* Returns the status of a library's call that has failed. The status is ERR_MEMORY if `no_memory` is true, or if little
** memory is free: libraries report a full device in various words. */
int  gpu_library_status(gpu *g, bool no_memory);

#endif
