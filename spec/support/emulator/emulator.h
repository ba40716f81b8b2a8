#ifndef EMULATOR_H
#define EMULATOR_H

/* A GPU's driver on the CPU: what the files of the emulator share. docs/emulator.md says what it is for.
** The handles that scripts of src/gpu/driver.h get are pointers to the structs below. */

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

/* Functions that the module calls must be defined with the types that the module declares. */
#define DECLARE(field, symbol, result, parameters) EXPORT result symbol parameters;
DRIVER_FUNCTIONS(DECLARE)

/* Its lists are never destroyed: calls come until the process is gone, from finalizers, too. */
namespace emulator {

/* The driver's error numbers, by its own names without the prefix: errors.cpp has their texts. */
enum result {
#define RESULT(name, number, text) name = number,
#include "results.def"
#undef RESULT
};

/* ---- settings.cpp: LUATENSOR_EMULATOR and emulator_configure ---- */

struct settings_t {
  int    devices = 1;
  size_t memory = size_t(512) << 20;   /* of each device */
  int    capability = 90;
  int    driver = 13000, nvrtc = 13000;
  bool   lazy = false;                 /* operations run as late as they may */
  bool   reverse = false;              /* a block's threads start from the last */
  bool   guard = false;                /* blocks end at a protected page */
  bool   protect = true;               /* device memory cannot be reached between operations */
  bool   leaks = false;                /* look for what is left at exit */
  bool   sticky = false;               /* an injected launch failure outlives its call */
  bool   no_device = false;
  int    dnn = 0;                      /* of enum dnn_setting */
};
extern settings_t settings;

/* cuDNN works, finds no algorithm, does not start, is for a newer CUDA. */
enum dnn_setting { DNN_WORKS, DNN_UNSUPPORTED, DNN_BROKEN, DNN_NEW };

/* Calls made so far, and the number of the call of each kind that is to fail (0: none). */
enum counted { ALLOC, LAUNCH, COPY, COMPILE, GRAPH, BLAS, HOST_ALLOC, SYNC, FFT, SOLVER, DNN, COUNTED };
extern int64_t counts[COUNTED];

/* ---- one lock, the current context ---- */

extern std::recursive_mutex &lock;
extern bool initialised;

}

/* Functions of libcuda.so.1, besides the driver's, that the other libraries and specs call. */
EXPORT bool emulator_counted(int kind);                      /* counts a call; true: this is the one that must fail */
EXPORT int64_t emulator_count(int kind);
EXPORT int  emulator_configure(const char *settings);        /* not 0: an unknown one */
EXPORT int  emulator_nvrtc_version(void);                    /* 13000: 13.0 */
EXPORT int  emulator_dnn_setting(void);

struct gpu_context_opaque {
  int device = 0;
  int retained = 0;
  int sticky = 0;                      /* the error that every later call returns */
};

namespace emulator {

gpu_context current_context();

/* Every entry of the driver begins with one: takes the lock, and finds what forbids the call.
** EMULATOR_ENTER returns it. */
enum needs { NEEDS_INIT, NEEDS_CONTEXT, NEEDS_HEALTH };
struct entry {
  std::lock_guard<std::recursive_mutex> locked;
  int failed = SUCCESS;
  explicit entry(needs n);
};
#define EMULATOR_ENTER(needs) emulator::entry entered(emulator::needs); if (entered.failed) return entered.failed

/* ---- memory.cpp ---- */

bool memory_is_device(const void *p);                        /* any address of any device's arena */
bool memory_contains(int device, gpu_address a, size_t bytes);   /* inside one live block */
int  memory_device(gpu_address a);                           /* whose it is; -1: nobody's */
bool memory_is_pinned(const void *p);
void memory_open(int device);                                /* may be read and written from here on */
void memory_close();                                         /* none may */
void memory_reset(int device);                               /* frees all of a device */
size_t memory_report(const char *when);                      /* prints live blocks, returns how many */

/* ---- stream.cpp ---- */

struct queue;

/* A place in a queue: reached when that many of its operations are done. */
struct point {
  std::shared_ptr<queue> q;
  uint64_t ticket = 0;
};

struct operation {
  std::vector<point> after;            /* these first */
  std::function<int()> run;            /* SUCCESS or an error that outlives the call */
};

struct queue {
  gpu_context context = nullptr;
  std::deque<operation> pending;
  uint64_t added = 0, done = 0;
  bool asked = false;                  /* a query has been told "not ready" since the last addition */
};

/* Work recorded instead of run. */
struct graph_work { std::vector<std::function<int()>> steps; };
struct capture;

/* Queues an operation (or records it into the capture), and runs it at once in eager order. */
int  stream_add(gpu_stream s, std::function<int()> run);
int  stream_check(gpu_stream *s);                            /* replaces NULL by the default stream; or an error */
int  stream_finish(gpu_stream s);                            /* runs all that is queued */
bool stream_capturing(gpu_stream s);
int  context_finish(gpu_context c);                          /* all streams of a context */
int  capture_forbids(gpu_context c);                         /* an unsafe call while a stream is captured */
void stream_reset(gpu_context c);                            /* destroys all of a context */
size_t stream_report(const char *when);

/* ---- module.cpp ---- */

void module_reset(gpu_context c);
size_t module_report(const char *when);

/* ---- graph.cpp ---- */

/* The current capture: from one stream, and from those that wait for its events. */
struct capture {
  gpu_stream origin = nullptr;
  int  mode = 0;
  bool invalid = false;
  std::shared_ptr<graph_work> work = std::make_shared<graph_work>();
  std::set<gpu_stream> members;                              /* the streams drawn into it */
  std::map<gpu_stream, uint64_t> steps;                      /* how many each stream has recorded */
};
typedef std::map<gpu_stream, uint64_t> capture_clock;        /* how far of each stream is known to be before */

void graph_reset(gpu_context c);                             /* destroys the executable ones of a context */
size_t graph_report(const char *when);

/* ---- execute.cpp ---- */

struct launch {
  const simt_kernel *kernel;
  simt_module *module;
  unsigned grid[3], block[3], shared;
  void **arguments;
};
int  execute(const launch &l);         /* SUCCESS or a sticky error */
void catch_faults();                   /* installs the handlers */

}

struct gpu_stream_opaque {
  std::shared_ptr<emulator::queue> q;
  bool blocking = true;                                      /* ordered with the default stream */
  std::shared_ptr<emulator::capture> captured;
  emulator::capture_clock clock;
};

#endif
