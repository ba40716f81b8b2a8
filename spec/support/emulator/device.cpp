/* Devices, primary contexts, and errors by name. */

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

/* Frees everything in a device's context. */
static void empty_context(gpu_context c) {
  stream_reset(c);
  graph_reset(c);
  module_reset(c);
  memory_reset(c->device);
  c->sticky = SUCCESS;
}

/* The attributes that the module reads; all others are 0. */
static int attribute(int a) {
  switch (a) {
    case 1: case 2: case 3: return 1024;              /* most threads of a block, in all, in x and in y */
    case 4: return 64;                                /* most threads in z */
    case 5: return 2147483647;                        /* most blocks in the grid's x */
    case 6: case 7: return 65535;                     /* most blocks in its y and z */
    case 8: return 48 << 10;                          /* bytes of shared memory of a block */
    case 10: return 32;                               /* threads of a warp */
    case 12: case 82: return 65536;                   /* registers of a block, of a multiprocessor */
    case 13: return 1500000;                          /* clock, kHz */
    case 16: return 4;                                /* multiprocessors */
    case 36: return 2000000;                          /* memory clock, kHz */
    case 37: return 256;                              /* bus width */
    case 38: return 4 << 20;                          /* L2 cache */
    case 39: return 2048;                             /* threads of a multiprocessor */
    case 40: return 2;                                /* copy engines */
    case 41: return 1;                                /* unified addressing */
    case 31: return 1;                                /* concurrent kernels */
    case 75: return settings.capability / 10;
    case 76: return settings.capability % 10;
    /* bytes of shared memory: of a multiprocessor, and of a block that requests them */
    case 81: case 97: return 227 << 10;
    case 106: return 32;                              /* most blocks of a multiprocessor */
    default: return 0;
  }
}

}

using namespace emulator;

/* src/gpu/driver.c looks for this symbol, so that measurements of the emulator are never shown as a GPU's. */
extern "C" __attribute__((visibility("default"))) const int emulator_is_no_gpu = 1;

EXPORT int cuInit(unsigned flags) {
  std::lock_guard<std::recursive_mutex> locked(lock);
  if (flags) return INVALID_VALUE;
  if (settings.no_device) return NO_DEVICE;
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

/* NVIDIA's own NVRTC asks a driver that it finds in the process for its private tables, and crashes if the driver
** lacks this function. */
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
