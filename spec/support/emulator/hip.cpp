/* The emulated libamdhip64.so: AMD's HIP and hipRTC. The functions call the emulated driver and the emulated NVRTC,
** which are part of this library, and keep the behaviour of HIP 5.2.3 where it differs from CUDA's.
**
** With LT_CHECK_HIP (make lint, if AMD's headers are installed) the compiler compares the functions and constants with
** AMD's headers, which declare them for HIP 5. */

#include "emulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#ifdef LT_CHECK_HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#else
typedef int hipError_t, hipDevice_t, hipDeviceAttribute_t, hipFunction_attribute, hipStreamCaptureMode,
            hipStreamCaptureStatus, hiprtcResult;
typedef void *hipDeviceptr_t;
typedef struct hipDeviceProp_t hipDeviceProp_t;
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct _hiprtcProgram *hiprtcProgram;
#endif

#define DECLARE_RTC(field, nvidia, amd, result, parameters) EXPORT result nvidia parameters;
RTC_FUNCTIONS(DECLARE_RTC)

/* The results of HIP, as X(number, name without the prefix hipError). */
#define HIP_RESULTS(X)                                                                                               \
  X(1, InvalidValue)               X(2, OutOfMemory)                X(3, NotInitialized)                             \
  X(4, Deinitialized)              X(9, InvalidConfiguration)       X(100, NoDevice)                                 \
  X(101, InvalidDevice)            X(200, InvalidImage)             X(201, InvalidContext)                           \
  X(209, NoBinaryForGpu)           X(214, ECCNotCorrectable)        X(218, InvalidKernelFile)                        \
  X(217, PeerAccessUnsupported)    X(704, PeerAccessAlreadyEnabled)                                                  \
  X(400, InvalidHandle)            X(500, NotFound)                 X(600, NotReady)                                 \
  X(700, IllegalAddress)           X(701, LaunchOutOfResources)     X(702, LaunchTimeOut)                            \
  X(709, ContextIsDestroyed)       X(710, Assert)                   X(719, LaunchFailure)                            \
  X(801, NotSupported)             X(900, StreamCaptureUnsupported) X(901, StreamCaptureInvalidated)                 \
  X(902, StreamCaptureMerge)       X(903, StreamCaptureUnmatched)   X(904, StreamCaptureUnjoined)                    \
  X(905, StreamCaptureIsolation)   X(906, StreamCaptureImplicit)    X(907, CapturedEvent)                            \
  X(999, Unknown)

/* The attributes of a device, as X(HIP's number, HIP's name without the prefix hipDeviceAttribute, CUDA's number). */
#define HIP_ATTRIBUTES(X)                                                                                            \
  X(59, MemoryBusWidth, 37)        X(60, MemoryClockRate, 36)       X(63, MultiprocessorCount, 16)                   \
  X(87, WarpSize, 10)              X(56, MaxThreadsPerBlock, 1)     X(5, ClockRate, 13)                              \
  X(19, L2CacheSize, 38)           X(57, MaxThreadsPerMultiProcessor, 39)

enum {
  CAPABILITY_MAJOR = 23, CAPABILITY_MINOR = 61, SHARED_PER_BLOCK = 74,     /* more of HIP's numbers of attributes */
  SHARED_MOST = 64 << 10,              /* bytes of shared memory (LDS) that a block of AMD's GPUs may use */
  INVALID_CONFIGURATION = 9,
  ARCH_NAME_SIZE = 256,
  /* The size of hipDeviceProp_t and the offset of its field gcnArchName, until ROCm 5 and since ROCm 6. The field
  ** `name` is the first field of both structs. */
  PROPERTIES_SIZE = 792, ARCH_NAME_AT = 396, PROPERTIES_SIZE_6 = 1472, ARCH_NAME_AT_6 = 1160
};

/* Results of hipRTC. */
enum { RTC_INVALID_INPUT = 3, RTC_COMPILATION = 6 };

#ifdef LT_CHECK_HIP
#define CHECK_RESULT(number, name) static_assert(int(hipError##name) == number, "hipError" #name);
#define CHECK_ATTRIBUTE(number, name, cuda) static_assert(int(hipDeviceAttribute##name) == number, #name);
HIP_RESULTS(CHECK_RESULT)
HIP_ATTRIBUTES(CHECK_ATTRIBUTE)
CHECK_ATTRIBUTE(CAPABILITY_MAJOR, ComputeCapabilityMajor,)
CHECK_ATTRIBUTE(CAPABILITY_MINOR, ComputeCapabilityMinor,)
CHECK_ATTRIBUTE(SHARED_PER_BLOCK, MaxSharedMemoryPerBlock,)
CHECK_RESULT(INVALID_CONFIGURATION, InvalidConfiguration)
static_assert(sizeof(hipDeviceProp_t) == PROPERTIES_SIZE, "hipDeviceProp_t");
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == ARCH_NAME_AT, "hipDeviceProp_t");
static_assert(offsetof(hipDeviceProp_t, name) == 0, "hipDeviceProp_t");
static_assert(int(HIPRTC_ERROR_INVALID_INPUT) == RTC_INVALID_INPUT, "HIPRTC_ERROR_INVALID_INPUT");
static_assert(int(HIPRTC_ERROR_COMPILATION) == RTC_COMPILATION, "HIPRTC_ERROR_COMPILATION");
/* The emulated driver takes these numbers as CUDA's. */
static_assert(int(hipStreamNonBlocking) == STREAM_NON_BLOCKING && int(hipEventDisableTiming) == EVENT_NO_TIMING &&
              int(hipHostMallocPortable) == HOST_PORTABLE && int(hipHostRegisterPortable) == HOST_PORTABLE &&
              int(hipStreamCaptureModeRelaxed) == CAPTURE_RELAXED &&
              int(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == FUNCTION_MAX_THREADS &&
              int(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) == FUNCTION_LOCAL &&
              int(HIP_FUNC_ATTRIBUTE_NUM_REGS) == FUNCTION_REGISTERS &&
              int(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) == FUNCTION_SHARED_MOST, "CUDA's numbers");
#endif

namespace emulator {

/* Converts AMD's handles, and pointers to them, to the emulator's. */
struct any {
  void *p;
  template <class T> operator T *() const { return static_cast<T *>(p); }
};
static any as(void *p) { return {p}; }
static gpu_address address(const void *p) { return gpu_address(uintptr_t(p)); }

/* Converts a result of the emulated driver. HIP has no numbers for two of them. */
static hipError_t hip(int result) {
  if (result == ILLEGAL_INSTRUCTION || result == MISALIGNED_ADDRESS) result = LAUNCH_FAILED;
  return hipError_t(result);
}

/* Returns the primary context of a device, or NULL if there is no such device. Every context is retained once and
** never released, because AMD's functions for contexts free nothing. */
static gpu_context context_of(int device) {
  static std::map<int, gpu_context> &contexts = *new std::map<int, gpu_context>;
  std::lock_guard<std::recursive_mutex> locked(lock);
  gpu_context &c = contexts[device];
  if (!c && cuDevicePrimaryCtxRetain(&c, device)) c = nullptr;
  return c;
}

/* True if HIP_VISIBLE_DEVICES hides all devices. */
static bool hides_devices() {
  const char *visible = getenv("HIP_VISIBLE_DEVICES");
  return visible && (!*visible || !strcmp(visible, "-1"));
}

/* Initialises the library at the first call and makes device 0 current in a thread without a device, like every
** function of HIP. */
static int ready() {
  std::lock_guard<std::recursive_mutex> locked(lock);
  if (!initialised && (hides_devices() || cuInit(0))) return INVALID_DEVICE;
  return current_context() ? int(SUCCESS) : cuCtxSetCurrent(context_of(0));
}

/* ---- targets ---- */

static bool starts(const std::string &s, const char *with) { return s.compare(0, strlen(with), with) == 0; }

/* The name of a device's processor, with its features: gfx90a is a CDNA with 64 lanes, gfx1030 an RDNA with 32. The
** setting is a list of names, separated by slashes, whose last name is that of all further devices. */
static std::string arch_name(int device) {
  std::istringstream names(settings.gcn[0] ? settings.gcn : settings.lanes == 64 ? "gfx90a:sramecc+:xnack-" : "gfx1030");
  std::string name;
  for (int i = 0; i <= device && std::getline(names, name, '/'); i++) {}
  return name;
}

static std::string processor(const std::string &target) { return target.substr(0, target.find(':')); }

/* The major and the minor version of a processor: 9 and 0 for gfx90a. The last character is the stepping. */
static int major_of(const std::string &p) { return p.size() < 6 ? 0 : std::stoi("0" + p.substr(3, p.size() - 5)); }
static int minor_of(const std::string &p) { return p.size() < 6 ? 0 : p[p.size() - 2] - '0'; }

/* True if hipRTC can compile for a target. The first list is that of HIP 5.2.3; later versions know more. */
static bool is_known(const std::string &target) {
  static const struct { int hip; const char *processors; } known[] = {
    {0, " gfx600 gfx601 gfx602 gfx700 gfx701 gfx702 gfx703 gfx704 gfx705 gfx801 gfx802 gfx803 gfx805 gfx810 gfx900 gfx902 "
        "gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx1010 gfx1011 gfx1012 gfx1013 gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 "
        "gfx1035 gfx1036 "},
    {50500000, " gfx940 gfx1100 gfx1101 gfx1102 gfx1103 "},
    {60000000, " gfx941 gfx942 gfx1150 gfx1151 "},
    {70000000, " gfx950 gfx1200 gfx1201 "}};
  std::string p = processor(target);
  bool found = false;
  for (auto &k : known) found = found || (settings.hip >= k.hip && strstr(k.processors, (" " + p + " ").c_str()));
  if (p.empty() || !found) return false;
  std::istringstream features(target.substr(p.size()));
  std::string f;
  std::getline(features, f, ':');
  while (std::getline(features, f, ':'))
    if (!starts(p, "gfx9") || (f != "xnack+" && f != "xnack-" && f != "sramecc+" && f != "sramecc-")) return false;
  return true;
}

/* True if code for a target runs on a device: the processors are the same, and the device has the target's features. */
static bool runs_on(const std::string &target, const std::string &device) {
  std::istringstream features(target);
  std::string f;
  std::getline(features, f, ':');
  if (f != processor(device)) return false;
  while (std::getline(features, f, ':'))
    if ((device + ":").find(":" + f + ":") == std::string::npos) return false;
  return true;
}

/* The beginning of the code that hiprtcGetCode returns. The emulated driver's image follows. */
struct hip_code {
  char magic[8];
  char target[64];
};
static const char code_magic[sizeof hip_code::magic + 1] = "HIPUNIT ";

static int load(gpu_module *m, const hip_code *code) {
  if (!code || memcmp(code->magic, code_magic, sizeof code->magic)) return INVALID_IMAGE;
  return runs_on(code->target, arch_name(current_context()->device)) ? cuModuleLoadData(m, code + 1) : int(NO_BINARY_FOR_GPU);
}

/* ---- functions that are more than one call ---- */

static int attribute(int *value, int a, int device) {
  switch (a) {
    case CAPABILITY_MAJOR: *value = major_of(processor(arch_name(device))); return SUCCESS;
    case CAPABILITY_MINOR: *value = minor_of(processor(arch_name(device))); return SUCCESS;
    case SHARED_PER_BLOCK: *value = SHARED_MOST; return SUCCESS;
#define ATTRIBUTE(number, name, cuda) case number: return cuDeviceGetAttribute(value, cuda, device);
    HIP_ATTRIBUTES(ATTRIBUTE)
    default: return INVALID_VALUE;
  }
}

/* Fills a struct of properties: the names of the device and of its processor, and otherwise zeros. */
static int properties(void *p, int size, int arch_name_at, int device) {
  if (!p) return INVALID_VALUE;
  char *text = static_cast<char *>(p);
  memset(p, 0, size_t(size));
  snprintf(text + arch_name_at, ARCH_NAME_SIZE, "%s", arch_name(device).c_str());
  return cuDeviceGetName(text, ARCH_NAME_SIZE, device);
}

/* Calls of size 0 succeed and give NULL. */
static int allocate(void **p, size_t bytes) {
  if (!p) return INVALID_VALUE;
  gpu_address a = 0;
  int r = bytes ? cuMemAlloc_v2(&a, bytes) : int(SUCCESS);
  if (!r) *p = reinterpret_cast<void *>(uintptr_t(a));
  return r;
}

static int allocate_host(void **p, size_t bytes, unsigned flags) {
  if (!p || bytes) return cuMemHostAlloc(p, bytes, flags);
  *p = nullptr;
  return SUCCESS;
}

static int use_context(gpu_context c) { return c ? cuCtxSetCurrent(c) : int(SUCCESS); }

/* A launch may use all of the shared memory, without hipFuncSetAttribute. */
static int find_function(gpu_function *f, gpu_module m, const char *name) {
  int r = cuModuleGetFunction(f, m, name);
  return r ? r : cuFuncSetAttribute(*f, FUNCTION_SHARED_MOST, SHARED_MOST);
}

/* A multiprocessor has as much shared memory as a block may use. */
static int occupancy(int *blocks, gpu_function f, int threads, size_t shared) {
  int r = cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, 0);
  if (!r && shared) *blocks = std::min(*blocks, int(SHARED_MOST / shared));
  return r;
}

/* The number of threads in each direction must fit in 32 bits. */
static bool fits(unsigned blocks, unsigned threads) { return uint64_t(blocks) * threads <= UINT32_MAX; }

}

using namespace emulator;

/* Returns the name of the current device's processor with its features. AMD's other emulated libraries call this
** function. */
EXPORT const char *emulator_processor();
EXPORT const char *emulator_processor() {
  static thread_local std::string name;
  return (name = arch_name(current_context()->device)).c_str();
}

/* ---- HIP's functions ---- */

/* Defines a function of HIP, which calls a function of the emulated driver. */
#define HIP(name, parameters, call)                                                                                  \
  EXPORT hipError_t name parameters {                                                                                \
    int r = ready();                                                                                                 \
    return hip(r ? r : (call));                                                                                      \
  }

HIP(hipInit, (unsigned flags), flags ? INVALID_VALUE : SUCCESS)
HIP(hipDeviceGet, (hipDevice_t *device, int ordinal), cuDeviceGet(device, ordinal))
HIP(hipDeviceGetName, (char *name, int length, hipDevice_t device), cuDeviceGetName(name, length, device))
HIP(hipDeviceGetAttribute, (int *value, hipDeviceAttribute_t a, int device), attribute(value, a, device))
HIP(hipDeviceTotalMem, (size_t *bytes, hipDevice_t device), cuDeviceTotalMem_v2(bytes, device))
HIP(hipGetDeviceProperties, (hipDeviceProp_t *p, int device), properties(p, PROPERTIES_SIZE, ARCH_NAME_AT, device))
/* ROCm 6 and later have this function, which hipGetDeviceProperties means in its headers. */
EXPORT hipError_t hipGetDevicePropertiesR0600(void *p, int device);
HIP(hipGetDevicePropertiesR0600, (void *p, int device), properties(p, PROPERTIES_SIZE_6, ARCH_NAME_AT_6, device))

HIP(hipDevicePrimaryCtxRetain, (hipCtx_t *c, hipDevice_t device),
    (*c = as(context_of(device))) ? SUCCESS : INVALID_DEVICE)
HIP(hipDevicePrimaryCtxRelease, (hipDevice_t device), context_of(device) ? SUCCESS : INVALID_DEVICE)
HIP(hipCtxSetCurrent, (hipCtx_t c), use_context(as(c)))
HIP(hipCtxSynchronize, (void), NOT_SUPPORTED)
HIP(hipDeviceSynchronize, (void), cuCtxSynchronize())
HIP(hipDeviceReset, (void), cuDevicePrimaryCtxReset_v2(current_context()->device))

HIP(hipMalloc, (void **p, size_t bytes), allocate(p, bytes))
HIP(hipFree, (void *p), cuMemFree_v2(address(p)))
HIP(hipMemGetInfo, (size_t *free, size_t *total), cuMemGetInfo_v2(free, total))
HIP(hipHostMalloc, (void **p, size_t bytes, unsigned flags), allocate_host(p, bytes, flags))
HIP(hipHostFree, (void *p), p ? cuMemFreeHost(p) : SUCCESS)
HIP(hipHostRegister, (void *p, size_t bytes, unsigned flags), cuMemHostRegister_v2(p, bytes, flags))
HIP(hipHostUnregister, (void *p), cuMemHostUnregister(p))

HIP(hipMemcpyHtoDAsync, (hipDeviceptr_t to, void *from, size_t bytes, hipStream_t s),
    cuMemcpyHtoDAsync_v2(address(to), from, bytes, as(s)))
HIP(hipMemcpyDtoHAsync, (void *to, hipDeviceptr_t from, size_t bytes, hipStream_t s),
    cuMemcpyDtoHAsync_v2(to, address(from), bytes, as(s)))
HIP(hipMemcpyDtoDAsync, (hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t s),
    cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, as(s)))
HIP(hipMemcpyPeerAsync, (void *to, int to_device, const void *from, int from_device, size_t bytes, hipStream_t s),
    cuMemcpyPeerAsync(address(to), context_of(to_device), address(from), context_of(from_device), bytes, as(s)))
HIP(hipDeviceCanAccessPeer, (int *possible, int device, int peer), cuDeviceCanAccessPeer(possible, device, peer))
HIP(hipDeviceEnablePeerAccess, (int peer, unsigned flags), cuCtxEnablePeerAccess(context_of(peer), flags))
HIP(hipMemsetD8Async, (hipDeviceptr_t to, unsigned char value, size_t n, hipStream_t s),
    cuMemsetD8Async(address(to), value, n, as(s)))
HIP(hipMemsetD32Async, (hipDeviceptr_t to, int value, size_t n, hipStream_t s),
    cuMemsetD32Async(address(to), unsigned(value), n, as(s)))

HIP(hipStreamCreateWithFlags, (hipStream_t *s, unsigned flags), cuStreamCreate(as(s), flags))
HIP(hipStreamDestroy, (hipStream_t s), cuStreamDestroy_v2(as(s)))
HIP(hipStreamSynchronize, (hipStream_t s), cuStreamSynchronize(as(s)))
HIP(hipStreamQuery, (hipStream_t s), cuStreamQuery(as(s)))
HIP(hipStreamWaitEvent, (hipStream_t s, hipEvent_t e, unsigned flags), cuStreamWaitEvent(as(s), as(e), flags))
HIP(hipEventCreateWithFlags, (hipEvent_t *e, unsigned flags), cuEventCreate(as(e), flags))
HIP(hipEventDestroy, (hipEvent_t e), cuEventDestroy_v2(as(e)))
HIP(hipEventRecord, (hipEvent_t e, hipStream_t s), cuEventRecord(as(e), as(s)))
HIP(hipEventQuery, (hipEvent_t e), cuEventQuery(as(e)))
HIP(hipEventSynchronize, (hipEvent_t e), cuEventSynchronize(as(e)))
HIP(hipEventElapsedTime, (float *ms, hipEvent_t from, hipEvent_t to), cuEventElapsedTime(ms, as(from), as(to)))

HIP(hipModuleLoadData, (hipModule_t *m, const void *code), load(as(m), static_cast<const hip_code *>(code)))
HIP(hipModuleUnload, (hipModule_t m), cuModuleUnload(as(m)))
HIP(hipModuleGetFunction, (hipFunction_t *f, hipModule_t m, const char *name), find_function(as(f), as(m), name))
HIP(hipFuncGetAttribute, (int *value, hipFunction_attribute a, hipFunction_t f), cuFuncGetAttribute(value, a, as(f)))
HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, hipFunction_t f, int threads, size_t shared),
    occupancy(blocks, as(f), threads, shared))
HIP(hipModuleLaunchKernel, (hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                            unsigned bz, unsigned shared, hipStream_t s, void **arguments, void **extra),
    fits(gx, bx) && fits(gy, by) && fits(gz, bz)
      ? cuLaunchKernel(as(f), gx, gy, gz, bx, by, bz, shared, as(s), arguments, extra) : INVALID_CONFIGURATION)

HIP(hipStreamBeginCapture, (hipStream_t s, hipStreamCaptureMode mode), cuStreamBeginCapture_v2(as(s), mode))
HIP(hipStreamEndCapture, (hipStream_t s, hipGraph_t *g), cuStreamEndCapture(as(s), as(g)))
HIP(hipStreamIsCapturing, (hipStream_t s, hipStreamCaptureStatus *status), cuStreamIsCapturing(as(s), as(status)))
HIP(hipGraphInstantiate, (hipGraphExec_t *e, hipGraph_t g, hipGraphNode_t *, char *, size_t),
    cuGraphInstantiateWithFlags(as(e), as(g), 0))
HIP(hipGraphInstantiateWithFlags, (hipGraphExec_t *e, hipGraph_t g, unsigned long long flags),
    cuGraphInstantiateWithFlags(as(e), as(g), flags))
HIP(hipGraphLaunch, (hipGraphExec_t e, hipStream_t s), cuGraphLaunch(as(e), as(s)))
HIP(hipGraphDestroy, (hipGraph_t g), cuGraphDestroy(as(g)))
HIP(hipGraphExecDestroy, (hipGraphExec_t e), cuGraphExecDestroy(as(e)))

/* The only function that reports a missing device as hipErrorNoDevice. The other functions, hipInit among them, return
** hipErrorInvalidDevice. */
EXPORT hipError_t hipGetDeviceCount(int *count) {
  if (!count) return hip(INVALID_VALUE);
  *count = 0;
  return hip(settings.no_start ? int(UNKNOWN) : ready() ? int(NO_DEVICE) : cuDeviceGetCount(count));
}

EXPORT hipError_t hipDriverGetVersion(int *version) {
  if (!version) return hip(INVALID_VALUE);
  *version = settings.hip;
  return hip(SUCCESS);
}

EXPORT const char *hipGetErrorName(hipError_t error) {
  switch (int(error)) {
    case SUCCESS: return "hipSuccess";
#define NAME(number, name) case number: return "hipError" #name;
    HIP_RESULTS(NAME)
    default: return "hipErrorUnknown";
  }
}

/* HIP 5.2.3 has no texts for errors. */
EXPORT const char *hipGetErrorString(hipError_t error) { return hipGetErrorName(error); }

/* ---- hipRTC's functions ---- */

struct _hiprtcProgram {
  rtc_program program = nullptr;       /* the emulated NVRTC's program */
  std::string name, source, target, log, code;
  std::vector<std::string> headers;
};

namespace emulator {

static std::string footer(int errors, const std::string &target) {
  return std::to_string(errors) + (errors == 1 ? " error" : " errors") + " generated when compiling for " + target +
         ".\n";
}

/* Reads the options. Adds the options of the emulated NVRTC to `nvidia`, and errors to the program's log. */
static void read_options(hiprtcProgram p, int count, const char **option, std::vector<std::string> *nvidia) {
  int errors = 0;
  p->target.clear();
  for (int i = 0; i < count; i++) {
    std::string o = option[i];
    if (starts(o, "--gpu-architecture=") || starts(o, "--offload-arch=")) p->target = o.substr(o.find('=') + 1);
    else if (starts(o, "-std=") || starts(o, "--std=") || starts(o, "-D") || starts(o, "-U") || starts(o, "-I") ||
             starts(o, "--define-macro=") || starts(o, "--undefine-macro=")) nvidia->push_back(o);
    else if (o == "-ffp-contract=off") nvidia->push_back("--fmad=false");
    else if (starts(o, "-ffp-contract=") || starts(o, "-O") || o == "-w") continue;
    else {
      p->log += (starts(o, "--") ? "error: unsupported option '" : "error: unknown argument: '") + o + "'\n";
      errors++;
    }
  }
  if (p->target.empty() && !ready()) p->target = arch_name(current_context()->device);
  if (errors) p->log += footer(errors, p->target);
}

/* Returns the place of a position in the program's own source. The file is hipRTC's own name, unless #line names it. */
static std::string place_of(hiprtcProgram p, size_t at) {
  const std::string before = p->source.substr(0, at);
  size_t directive = before.rfind("#line 1 \""), begin = 0;
  std::string file = "/tmp/comgr-emulated/input/CompileSource";
  if (directive != std::string::npos) {
    begin = before.find('\n', directive) + 1;
    file = before.substr(directive + 9, begin - 2 - (directive + 9));
  }
  return file + ":" + std::to_string(1 + std::count(before.begin() + long(begin), before.end(), '\n')) + ":1";
}

/* Reports functions of CUDA that hipRTC lacks, if the program's own source names them. */
static void refuse_cuda(hiprtcProgram p) {
  static const char *const missing[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
                                        "__ballot_sync", "__any_sync", "__all_sync", "__activemask", "__syncwarp"};
  int errors = 0;
  for (const char *name : missing) {
    size_t at = p->source.find(std::string(name) + "(");
    if (at == std::string::npos) continue;
    p->log += place_of(p, at) + ": error: use of undeclared identifier '" + name + "'\n";
    errors++;
  }
  if (errors) p->log += footer(errors, p->target);
}

/* Rewrites NVRTC's message "file(3): error: text" to "file:3:1: error: text". hipRTC stores the source and the headers
** in files of its own folder. The program's name appears only if #line has it. */
static std::string rewrite(hiprtcProgram p, const std::string &line) {
  size_t close = line.find("): "), open = line.rfind('(', close);
  if (close == std::string::npos || open == std::string::npos) return line + "\n";
  std::string file = line.substr(0, open);
  if (p->source.find("#line 1 \"" + file + "\"") != std::string::npos) {}
  else if (file == p->name) file = "/tmp/comgr-emulated/input/CompileSource";
  else if (std::find(p->headers.begin(), p->headers.end(), file) != p->headers.end())
    file = "/tmp/comgr-emulated/include/" + file;
  return file + ":" + line.substr(open + 1, close - open - 1) + ":1" + line.substr(close + 1) + "\n";
}

static void rewrite_log(hiprtcProgram p) {
  size_t bytes = 0;
  nvrtcGetProgramLogSize(p->program, &bytes);
  std::string log(bytes, 0), line;
  nvrtcGetProgramLog(p->program, &log[0]);
  log.pop_back();
  std::istringstream lines(log);
  int errors = 0;
  while (std::getline(lines, line)) {
    if (line.empty()) break;           /* the number of errors follows */
    errors += line.find(": error: ") != std::string::npos;
    p->log += rewrite(p, line);
  }
  if (errors) p->log += footer(errors, p->target);
}

/* Compiles a program. Without a target and a device there is an error, but no log. */
static int compile(hiprtcProgram p, int count, const char **option) {
  /* The image is NVIDIA's PTX, which runs on every emulated device. `load` checks the target. */
  std::vector<std::string> nvidia = {"--gpu-architecture=compute_75", "-U__CUDACC__", "-U__CUDACC_RTC__",
                                     "-U__CUDA_ARCH__", "-D__HIP__=1"};
  p->log.clear();
  p->code.clear();
  read_options(p, count, option, &nvidia);
  if (p->target.empty() && p->log.empty()) return RTC_COMPILATION;
  if (!p->target.empty() && !is_known(p->target)) {
    fprintf(stderr, "emulator: hipRTC does not know the target %s\n", p->target.c_str());
    abort();                           /* as hipRTC 5.2.3 does */
  }
  if (p->log.empty()) refuse_cuda(p);
  if (!p->log.empty()) return RTC_COMPILATION;
  nvidia.push_back("-D__" + processor(p->target) + "__=1");
  nvidia.push_back(std::string("-D__AMDGCN_WAVEFRONT_SIZE=") + (major_of(processor(p->target)) < 10 ? "64" : "32"));
  std::vector<const char *> options;
  for (const std::string &o : nvidia) options.push_back(o.c_str());
  int r = nvrtcCompileProgram(p->program, int(options.size()), options.data());
  rewrite_log(p);
  size_t bytes = 0;
  if (r || (r = nvrtcGetPTXSize(p->program, &bytes))) return r;
  hip_code code = {};
  memcpy(code.magic, code_magic, sizeof code.magic);
  snprintf(code.target, sizeof code.target, "%s", p->target.c_str());
  p->code.assign(sizeof code + bytes, 0);
  memcpy(&p->code[0], &code, sizeof code);
  return nvrtcGetPTX(p->program, &p->code[sizeof code]);
}

static hiprtcResult give(char *to, const std::string &s) {
  if (to) memcpy(to, s.data(), s.size());
  return hiprtcResult(to ? 0 : int(RTC_INVALID_INPUT));
}

static hiprtcResult give_size(size_t *to, const std::string &s) {
  if (to) *to = s.size();
  return hiprtcResult(to ? 0 : int(RTC_INVALID_INPUT));
}

}

EXPORT hiprtcResult hiprtcVersion(int *major, int *minor) {
  *major = 9;                          /* in all versions of ROCm 5 */
  *minor = 0;
  return hiprtcResult(0);
}

EXPORT const char *hiprtcGetErrorString(hiprtcResult error) {
  static const char *const names[] = {
    "HIPRTC_SUCCESS", "HIPRTC_ERROR_OUT_OF_MEMORY", "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
    "HIPRTC_ERROR_INVALID_INPUT", "HIPRTC_ERROR_INVALID_PROGRAM", "HIPRTC_ERROR_INVALID_OPTION",
    "HIPRTC_ERROR_COMPILATION", "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
    "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
    "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "HIPRTC_ERROR_INTERNAL_ERROR"};
  return unsigned(error) < sizeof names / sizeof *names ? names[error] : nullptr;
}

EXPORT hiprtcResult hiprtcCreateProgram(hiprtcProgram *p, const char *source, const char *name, int headers,
                                        const char **texts, const char **names) {
  rtc_program program = nullptr;
  if (!p || !source || !*source) return hiprtcResult(RTC_INVALID_INPUT);
  if (int r = nvrtcCreateProgram(&program, source, name, headers, texts, names)) return hiprtcResult(r);
  *p = new _hiprtcProgram;
  (*p)->program = program;
  (*p)->source = source;
  (*p)->name = name && *name ? name : "default_program";
  (*p)->headers.assign(names, names + headers);
  return hiprtcResult(0);
}

EXPORT hiprtcResult hiprtcDestroyProgram(hiprtcProgram *p) {
  if (!p || !*p) return hiprtcResult(RTC_INVALID_INPUT);
  int r = nvrtcDestroyProgram(&(*p)->program);
  delete *p;
  *p = nullptr;
  return hiprtcResult(r);
}

EXPORT hiprtcResult hiprtcCompileProgram(hiprtcProgram p, int count, const char **options) {
  return hiprtcResult(p ? compile(p, count, options) : int(RTC_INVALID_INPUT));
}

/* The size and the text of the log lack a final 0. */
EXPORT hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram p, size_t *bytes) { return give_size(bytes, p->log); }
EXPORT hiprtcResult hiprtcGetProgramLog(hiprtcProgram p, char *log) { return give(log, p->log); }
EXPORT hiprtcResult hiprtcGetCodeSize(hiprtcProgram p, size_t *bytes) { return give_size(bytes, p->code); }
EXPORT hiprtcResult hiprtcGetCode(hiprtcProgram p, char *code) { return give(code, p->code); }
