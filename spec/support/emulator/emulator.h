#ifndef EMULATOR_H
#define EMULATOR_H

/* A GPU's driver on the CPU: the declarations that the emulator's files share. docs/emulator.md explains its purpose.
** The handles of src/gpu/driver.h are pointers to the structs below. */

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

/* The emulator's lists are never destroyed, because calls may come until the process ends, for example from
   finalizers. */
namespace emulator {

/* The driver's error numbers, under the driver's names without their prefix. errors.cpp has their texts. */
enum result {
#define RESULT(name, number, text) name = number,
#include "results.def"
#undef RESULT
};

/* ---- settings.cpp: LUATENSOR_EMULATOR and emulator_configure ---- */

struct settings_t {
  int    devices = 1;
  size_t memory = size_t(512) << 20;   /* bytes of each device */
  int    capability = 90;
  int    driver = 13000, nvrtc = 13000;
  bool   lazy = false;                 /* operations run as late as possible */
  bool   reverse = false;              /* a block's threads start with the last one */
  bool   guard = false;                /* blocks end at a protected page */
  bool   protect = true;               /* device memory is inaccessible between operations */
  bool   leaks = false;                /* reports live objects at exit */
  bool   sticky = false;               /* an injected launch failure outlives its call */
  bool   no_device = false;
  int    dnn = 0;                      /* a dnn_setting */
};
extern settings_t settings;

/* The behaviour of cuDNN: it works, finds no algorithm, fails to start, or needs a newer CUDA. */
enum dnn_setting { DNN_WORKS, DNN_UNSUPPORTED, DNN_BROKEN, DNN_NEW };

/* The number of calls of each kind so far, and the number of the call of each kind that must fail (0: none). */
enum counted { ALLOC, LAUNCH, COPY, COMPILE, GRAPH, BLAS, HOST_ALLOC, SYNC, FFT, SOLVER, DNN, COUNTED };
extern int64_t counts[COUNTED];

/* ---- the lock and the current context ---- */

extern std::recursive_mutex &lock;
extern bool initialised;

}

/* Functions of libcuda.so.1, in addition to the driver's, that the other libraries and specs call. */
EXPORT bool emulator_counted(int kind);                      /* counts a call; true: this is the one that must fail */
EXPORT int64_t emulator_count(int kind);
EXPORT int  emulator_configure(const char *settings);        /* not 0: unknown setting */
EXPORT int  emulator_nvrtc_version(void);                    /* 13000: 13.0 */
EXPORT int  emulator_dnn_setting(void);

struct gpu_context_opaque {
  int device = 0;
  int retained = 0;
  int sticky = 0;                      /* the error that every later call returns */
};

namespace emulator {

gpu_context current_context();

/* Each function of the driver begins with an entry, which takes the lock and checks whether the call is allowed.
** EMULATOR_ENTER returns the error if it is not. */
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
int  memory_device(gpu_address a);                           /* the owner; -1: none */
bool memory_is_pinned(const void *p);
void memory_open(int device);                                /* allows reading and writing */
void memory_close();                                         /* forbids access to all devices */
void memory_reset(int device);                               /* frees all memory of a device */
size_t memory_report(const char *when);                      /* prints live blocks, returns their number */

/* ---- stream.cpp ---- */

struct queue;

/* A place in a queue, which is reached when this number of its operations is done. */
struct point {
  std::shared_ptr<queue> q;
  uint64_t ticket = 0;
};

struct operation {
  std::vector<point> after;            /* must be reached first */
  std::function<int()> run;            /* SUCCESS, or an error that stays after the call */
};

struct queue {
  gpu_context context = nullptr;
  std::deque<operation> pending;
  uint64_t added = 0, done = 0;
  bool asked = false;                  /* a query has been told "not ready" since the last addition */
};

/* Work that is recorded and not run. */
struct graph_work { std::vector<std::function<int()>> steps; };
struct capture;

/* Queues an operation (or records it into the capture), and runs it at once in eager order. */
int  stream_add(gpu_stream s, std::function<int()> run);
/* replaces NULL by the default stream, or returns an error */
int  stream_check(gpu_stream *s);
int  stream_finish(gpu_stream s);                            /* runs all that is queued */
bool stream_capturing(gpu_stream s);
int  context_finish(gpu_context c);                          /* all streams of a context */
int  capture_forbids(gpu_context c);                         /* the error of a call that is unsafe during a capture */
void stream_reset(gpu_context c);                            /* destroys all streams of a context */
size_t stream_report(const char *when);

/* ---- module.cpp ---- */

void module_reset(gpu_context c);
size_t module_report(const char *when);

/* ---- graph.cpp ---- */

/* The current capture: of one stream, and of the streams that wait for its events. */
struct capture {
  gpu_stream origin = nullptr;
  int  mode = 0;
  bool invalid = false;
  std::shared_ptr<graph_work> work = std::make_shared<graph_work>();
  std::set<gpu_stream> members;                              /* the captured streams */
  std::map<gpu_stream, uint64_t> steps;                      /* the number of steps that each stream has recorded */
};
/* the steps of each stream that are known to come before */
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
int  execute(const launch &l);         /* SUCCESS or a sticky error */
void catch_faults();                   /* installs the handlers */

}

struct gpu_stream_opaque {
  std::shared_ptr<emulator::queue> q;
  bool blocking = true;                                      /* synchronises with the default stream */
  std::shared_ptr<emulator::capture> captured;
  emulator::capture_clock clock;
};

#endif
