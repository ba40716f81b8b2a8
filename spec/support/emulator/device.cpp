/* The emulated driver's devices, primary contexts, and error texts. */

#include "emulator.h"

#include <cstdio>
#include <cstring>

namespace emulator {

enum { MAX_DEVICES = 16 };

bool initialised;
static gpu_context_opaque contexts[MAX_DEVICES];
static thread_local gpu_context current;

gpu_context current_context() { return current; }

entry::entry(needs n) : locked(lock) {
  if (!initialised) failed = NOT_INITIALIZED;
  else if (n >= NEEDS_CONTEXT && (!current || !current->retained)) failed = INVALID_CONTEXT;
  else if (n >= NEEDS_HEALTH) failed = current->sticky;
}

static bool is_device(int device) { return device >= 0 && device < settings.devices; }

/* Frees all streams, events, executable graphs, modules and memory of a context, and clears its sticky error
** unless the setting `lost` keeps it. */
static void empty_context(gpu_context c) {
  stream_reset(c);
  graph_reset(c);
  module_reset(c);
  memory_reset(c->device);
  c->peers.clear();
  for (gpu_context_opaque &other : contexts) other.peers.erase(c);
  if (!settings.lost) c->sticky = SUCCESS;
}

/* Returns the value of a device's attribute. a is the number that CUDA gives to the attribute. Attributes that are not
** listed are 0. */
static int attribute(int a) {
  switch (a) {
    case 1: case 2: case 3: return 1024;              /* maximum number of threads of a block: in total, in x and in
                                                      ** y */
    case 4: return 64;                                /* maximum number of threads of a block in z */
    case 5: return 2147483647;                        /* maximum number of blocks of a grid in x */
    case 6: case 7: return 65535;                     /* maximum number of blocks of a grid in y and in z */
    case 8: return 48 << 10;                          /* bytes of shared memory of a block, unless it requests more */
    case 10: return settings.lanes;                   /* number of threads of a warp */
    case 12: case 82: return 65536;                   /* number of registers of a block, and of a multiprocessor */
    case 13: return 1500000;                          /* clock rate in kHz */
    case 16: return 4;                                /* number of multiprocessors */
    case 36: return 2000000;                          /* clock rate of the memory in kHz */
    case 37: return 256;                              /* width of the memory bus in bits */
    case 38: return 4 << 20;                          /* bytes of the L2 cache */
    case 39: return 2048;                             /* maximum number of threads of a multiprocessor */
    case 40: return 2;                                /* number of copy engines */
    case 41: return 1;                                /* unified addressing is supported */
    case 31: return 1;                                /* concurrent kernels are supported */
    case 75: return settings.capability / 10;
    case 76: return settings.capability % 10;
    /* bytes of shared memory: of a multiprocessor, and of a block that requests more than 48 KiB */
    case 81: case 97: return 227 << 10;
    case 106: return 32;                              /* maximum number of blocks of a multiprocessor */
    default: return 0;
  }
}

}

using namespace emulator;

/* src/gpu/vendor/nvidia.c looks up this symbol, so that measurements on the emulator are never presented as those of a
** GPU. */
extern "C" __attribute__((visibility("default"))) const int emulator_is_no_gpu = 1;

EXPORT int cuInit(unsigned flags) {
  std::lock_guard<std::recursive_mutex> locked(lock);
  if (flags) return INVALID_VALUE;
  if (settings.no_device) return NO_DEVICE;
  if (settings.no_start) return UNKNOWN;
  if (!initialised) {
    if (settings.devices > MAX_DEVICES) settings.devices = MAX_DEVICES;
    for (int i = 0; i < MAX_DEVICES; i++) contexts[i].device = i;
    catch_faults();
    initialised = true;
  }
  return SUCCESS;
}

EXPORT int cuDriverGetVersion(int *version) {
  if (!version) return INVALID_VALUE;
  *version = settings.driver;
  return SUCCESS;
}

/* NVIDIA's NVRTC calls this function of the driver that is loaded in the process, and crashes if the function is
** missing. */
EXPORT int cuGetExportTable(const void **table, const void *) {
  if (table) *table = nullptr;
  return NOT_FOUND;
}

EXPORT int cuDeviceGetCount(int *count) {
  EMULATOR_ENTER(NEEDS_INIT);
  *count = settings.devices;
  return SUCCESS;
}

EXPORT int cuDeviceGet(gpu_device_id *device, int ordinal) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!is_device(ordinal)) return INVALID_DEVICE;
  *device = ordinal;
  return SUCCESS;
}

EXPORT int cuDeviceGetName(char *name, int length, gpu_device_id device) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!is_device(device)) return INVALID_DEVICE;
  snprintf(name, size_t(length), "Emulated GPU %d", device);
  return SUCCESS;
}

EXPORT int cuDeviceGetAttribute(int *value, gpu_attribute a, gpu_device_id device) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!is_device(device)) return INVALID_DEVICE;
  if (a < 1) return INVALID_VALUE;
  *value = attribute(a);
  return SUCCESS;
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, gpu_device_id device) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!is_device(device)) return INVALID_DEVICE;
  *bytes = settings.memory;
  return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxRetain(gpu_context *context, gpu_device_id device) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!is_device(device)) return INVALID_DEVICE;
  if (contexts[device].sticky) return contexts[device].sticky;
  contexts[device].retained++;
  *context = &contexts[device];
  return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(gpu_device_id device) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!is_device(device)) return INVALID_DEVICE;
  gpu_context c = &contexts[device];
  if (!c->retained) return INVALID_CONTEXT;
  if (--c->retained) return SUCCESS;
  context_finish(c);
  empty_context(c);
  return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxReset_v2(gpu_device_id device) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!is_device(device)) return INVALID_DEVICE;
  empty_context(&contexts[device]);
  return SUCCESS;
}

EXPORT int cuCtxSetCurrent(gpu_context context) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (context && !context->retained) return INVALID_CONTEXT;
  current = context;
  return SUCCESS;
}

EXPORT int cuCtxGetCurrent(gpu_context *context) {
  EMULATOR_ENTER(NEEDS_INIT);
  *context = current;
  return SUCCESS;
}

EXPORT int cuDeviceCanAccessPeer(int *possible, gpu_device_id device, gpu_device_id peer) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!possible) return INVALID_VALUE;
  if (!is_device(device) || !is_device(peer)) return INVALID_DEVICE;
  *possible = settings.peers && device != peer;
  return SUCCESS;
}

EXPORT int cuCtxEnablePeerAccess(gpu_context peer, unsigned flags) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (flags) return INVALID_VALUE;
  if (!peer || !peer->retained || peer == current) return INVALID_CONTEXT;
  if (!settings.peers) return PEER_ACCESS_UNSUPPORTED;
  return current->peers.insert(peer).second ? int(SUCCESS) : int(PEER_ACCESS_ALREADY_ENABLED);
}

EXPORT int cuCtxSynchronize(void) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  counts[SYNC]++;
  if (int r = capture_forbids(current)) return r;
  return context_finish(current);
}

EXPORT int cuGetErrorName(gpu_result error, const char **text) {
  switch (error) {
#define RESULT(name, number, words) case number: *text = number ? "CUDA_ERROR_" #name : "CUDA_" #name; return SUCCESS;
#include "results.def"
#undef RESULT
    default: *text = nullptr; return INVALID_VALUE;
  }
}

EXPORT int cuGetErrorString(gpu_result error, const char **text) {
  switch (error) {
#define RESULT(name, number, words) case number: *text = words; return SUCCESS;
#include "results.def"
#undef RESULT
    default: *text = nullptr; return INVALID_VALUE;
  }
}
