#ifndef EMULATOR_H
#define EMULATOR_H

/* The emulated driver, which runs kernels on the CPU: the declarations that its files share. docs/emulator.md
** explains its purpose. The handle types of src/gpu/driver.h are pointers to structs such as gpu_context_opaque,
** which are defined here. */

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "../../../src/gpu/driver.h"
#include "simt_abi.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

/* Declares the functions that luatensor calls, so that the compiler compares their definitions with the types in
** driver.h. */
#define DECLARE(field, symbol, result, parameters) EXPORT result symbol parameters;
#define DECLARE_DRIVER(field, nvidia, amd, result, parameters) EXPORT result nvidia parameters;
DRIVER_FUNCTIONS(DECLARE_DRIVER)

/* The emulator's global lists are never destroyed, because functions may be called until the process ends, for
** example by finalizers. */
namespace emulator {

/* The driver's error numbers. The names lack the driver's prefix CUDA_ERROR_. results.def also has the texts. */
enum result {
#define RESULT(name, number, text) name = number,
#include "results.def"
#undef RESULT
};

/* ---- settings.cpp: LUATENSOR_EMULATOR and emulator_configure ---- */

struct settings_t {
  int    devices = 1;
  size_t memory = size_t(512) << 20;   /* bytes of memory of each device */
  int    capability = 90;
  int    driver = 13000, nvrtc = 13000;
  int    hip = 50221153;               /* version of HIP: 10000000 * major + 100000 * minor + patch */
  char   gcn[64] = "";                 /* names of AMD's processors; if it is empty, the name depends on `lanes` */
  int    lanes = 32;                   /* number of threads of a warp: 32 or 64 */
  bool   lazy = false;                 /* operations are run only when a result is needed, instead of at once */
  int    block = 1024;                 /* maximum number of threads of a block that every compiled kernel reports */
  int    shared = 0;                   /* bytes of static shared memory that every compiled kernel reports, besides those
                                       ** of the table */
  char   table[512] = "";              /* the file with the resources of kernels; if it is empty, kernels.txt beside the
                                       ** library */
  int    contend = 0;                  /* the threads of a block take turns at memory fences and locks, and a thread may
                                       ** wait this many rounds for a lock; 0: they do not take turns */
  bool   reverse = false;              /* the threads of a block run in reverse order, the last one first */
  bool   guard = false;                /* a protected page follows each block of memory, so that accesses beyond its
                                       ** end are detected */
  bool   protect = true;               /* device memory is inaccessible except while an operation runs */
  bool   leaks = false;                /* reports at exit which objects were not freed */
  bool   sticky = false;               /* an injected failure of a launch also makes all later calls fail */
  bool   lost = false;                 /* a sticky error outlives a reset of the device, as with NVIDIA's driver */
  bool   no_device = false;
  bool   no_start = false;              /* the driver does not start */
  int    dnn = 0;                      /* an enum dnn_setting */
  int    cublas = 13000;               /* version of cuBLAS: 1000 * major + 10 * minor */
  int    nccl = 0;                     /* an enum nccl_setting */
  bool   blas_refuses = false;         /* cuBLAS and rocBLAS support no product */
  bool   peers = true;                 /* devices can access each other's memory */
};
extern settings_t settings;

/* How the emulated cuDNN and MIOpen behave: they work, propose no algorithm, cannot be started, are for a newer driver
** (cuDNN), or are too old (MIOpen). */
enum dnn_setting { DNN_WORKS, DNN_PROPOSES_NOTHING, DNN_BROKEN, DNN_NEW, DNN_OLD };

/* How the emulated NCCL and RCCL behave: they work, do not notice that a process has ended (as NCCL, if the processes share a
** machine), or are too old. */
enum nccl_setting { NCCL_WORKS, NCCL_DEAF, NCCL_OLD };

/* The kinds of calls that the emulator counts. counts[k] is the number of calls of kind k so far. For each kind except
** SYNC, a spec may choose the number of one call, which then fails. */
enum counted {
  ALLOC, LAUNCH, COPY, COMPILE, GRAPH, BLAS, HOST_ALLOC, SYNC, FFT, SOLVER, DNN, HANDLE,
  OBJECT,                              /* a stream, an event, a module or an executable graph is made */
  DIRECT,                              /* a copy between devices that have access to each other */
  SPLIT,                               /* a product of cuBLAS from bfloat16 numbers */
  COUNTED
};
extern int64_t counts[COUNTED];

/* ---- the lock and the current context ---- */

extern std::recursive_mutex &lock;
extern bool initialised;

}

/* Additional functions of the emulated libcuda.so.1, which the other emulated libraries and specs call. */
EXPORT bool emulator_counted(int kind);                      /* counts a call; returns true if this call must fail */
EXPORT int64_t emulator_count(int kind);
EXPORT int  emulator_configure(const char *settings);        /* changes settings; the result is not 0 if a setting is
                                                             ** unknown */
EXPORT int  emulator_nvrtc_version(void);                    /* 1000 * major + 10 * minor: 13000 is CUDA 13.0 */
EXPORT int  emulator_dnn_setting(void);
EXPORT int  emulator_cublas_version(void);                   /* as emulator_nvrtc_version */
EXPORT bool emulator_blas_refuses(void);
EXPORT int  emulator_nccl_setting(void);
EXPORT bool emulator_is_full(void);                          /* true if the current device has too little memory for a
                                                             ** handle, and then for ever, as with cuSOLVER on an H100 */

/* getrf and getrs of the emulated cuSOLVER with pivots of 32 bits, for the emulated rocSOLVER. */
int narrow_getrf(solver_handle h, int64_t m, int64_t n, int type, void *a, int64_t lda, int *pivots, void *device,
                 size_t device_bytes, void *host, size_t host_bytes, int *info);
int narrow_getrs(solver_handle h, int op, int64_t n, int64_t k, int type, const void *a, int64_t lda, const int *pivots,
                 void *b, int64_t ldb, int *info);

struct gpu_context_opaque {
  int device = 0;
  int retained = 0;
  int sticky = 0;                      /* the error that every later call returns, or SUCCESS */
  std::set<gpu_context> peers;         /* the contexts whose memory this context may access */
};

namespace emulator {

gpu_context current_context();

/* Takes the lock and checks whether a call is allowed. NEEDS_INIT: cuInit was called. NEEDS_CONTEXT: in addition, a
** context is current. NEEDS_HEALTH: in addition, this context has no sticky error. Almost every function of the driver
** begins with EMULATOR_ENTER, which returns the error if the call is not allowed. */
enum needs { NEEDS_INIT, NEEDS_CONTEXT, NEEDS_HEALTH };
struct entry {
  std::lock_guard<std::recursive_mutex> locked;
  int failed = SUCCESS;
  explicit entry(needs n);
};
#define EMULATOR_ENTER(needs) emulator::entry entered(emulator::needs); if (entered.failed) return entered.failed

/* ---- memory.cpp ---- */

bool memory_is_device(const void *p);                        /* true for every address that belongs to a device,
                                                             ** allocated or not */
bool memory_contains(int device, gpu_address a, size_t bytes);   /* true if these bytes are inside one allocated
                                                                 ** block */
int  memory_device(gpu_address a);                           /* the device of the allocated block that contains the
                                                             ** address, or -1 */
bool memory_is_pinned(const void *p);
void memory_open(int device);                                /* allows reading and writing a device's memory, and
                                                             ** forbids access to other devices' memory */
void memory_close();                                         /* forbids access to the memory of all devices */
void memory_reset(int device);                               /* frees all memory of a device */
size_t memory_report(const char *when);                      /* prints the blocks that were not freed, and returns
                                                             ** their number */

/* ---- stream.cpp ---- */

struct queue;

/* A point in the order of a queue. The point is reached when `ticket` operations of the queue are done. */
struct point {
  std::shared_ptr<queue> q;
  uint64_t ticket = 0;
};

struct operation {
  std::vector<point> after;            /* points that must be reached before the operation runs */
  std::function<int()> run;            /* returns SUCCESS, an error that all later calls return, or NOT_READY: it waits
                                       ** for another process and must be called again */
};

struct queue {
  gpu_context context = nullptr;
  std::deque<operation> pending;
  uint64_t added = 0, done = 0;
  bool asked = false;                  /* a query has returned "not ready" since the last operation was added */
};

/* The operations of a graph. A capture records them and does not run them. */
struct graph_work { std::vector<std::function<int()>> steps; };
struct capture;

/* Adds an operation to a stream, or to the graph that is being captured. Unless the setting `lazy` is on, an
** operation that was added to a stream runs at once. */
int  stream_add(gpu_stream s, std::function<int()> run);
/* Replaces NULL by the default stream. Returns an error if the stream is not valid. */
int  stream_check(gpu_stream *s);
int  stream_finish(gpu_stream s);                            /* runs all operations of the stream */
bool stream_capturing(gpu_stream s);
int  context_finish(gpu_context c);                          /* runs all operations of all streams of a context */
int  capture_forbids(gpu_context c);                         /* returns an error and invalidates the capture if a stream
                                                             ** of context c is being captured. c = NULL: checks all
                                                             ** contexts, but ignores captures of relaxed mode */
void stream_reset(gpu_context c);                            /* destroys all streams of a context */
size_t stream_report(const char *when);

/* ---- module.cpp ---- */

void module_reset(gpu_context c);
size_t module_report(const char *when);

/* ---- graph.cpp ---- */

/* A capture in progress. It begins with one stream. Streams that wait for events of a captured stream join the
** capture. */
struct capture {
  gpu_stream origin = nullptr;
  int  mode = 0;
  bool invalid = false;
  std::shared_ptr<graph_work> work = std::make_shared<graph_work>();
  std::set<gpu_stream> members;                              /* the captured streams */
  std::map<gpu_stream, uint64_t> steps;                      /* number of steps that each stream has recorded */
};
/* The vector clock of a captured stream or event. For each stream of the capture, it stores how many steps of that
** stream precede the captured stream's next step (or the captured event). */
typedef std::map<gpu_stream, uint64_t> capture_clock;

void graph_reset(gpu_context c);                             /* destroys the executable graphs of a context */
size_t graph_report(const char *when);

/* ---- execute.cpp ---- */

struct launch {
  const simt_kernel *kernel;
  simt_module *module;
  unsigned grid[3], block[3], shared;
  void **arguments;
};
int  execute(const launch &l);         /* returns SUCCESS or a sticky error */
void catch_faults();                   /* installs the signal handlers for invalid accesses */

}

struct gpu_stream_opaque {
  std::shared_ptr<emulator::queue> q;
  bool blocking = true;                                      /* the stream and the default stream wait for each other */
  std::shared_ptr<emulator::capture> captured;
  emulator::capture_clock clock;
};

#endif
