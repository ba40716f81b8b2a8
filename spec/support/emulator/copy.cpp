/* The emulated driver's copies and fills. Pageable memory of the host is read or written before the function returns,
** as by the real driver. Pinned memory is read or written when the copy runs on its stream. */

#include "emulator.h"

#include <cstring>

namespace emulator {

static void *at(gpu_address a) { return reinterpret_cast<void *>(uintptr_t(a)); }

/* Checks the stream and counts a copy. Every copy and fill calls this function. */
static int begin(gpu_stream *s) {
  if (int r = stream_check(s)) return r;
  return emulator_counted(COPY) ? int(INVALID_VALUE) : int(SUCCESS);
}

static bool inside(gpu_address a, size_t bytes) {
  int device = memory_device(a);
  return device >= 0 && memory_contains(device, a, bytes);
}

/* Copies `bytes` bytes within a device or between two devices. Between two devices the bytes pass through host
** memory, because the memory of only one device is accessible at a time. */
static int copy_blocks(gpu_address to, gpu_address from, size_t bytes) {
  int to_device = memory_device(to), from_device = memory_device(from);
  if (to_device < 0 || from_device < 0) return ILLEGAL_ADDRESS;
  if (to_device == from_device) {
    memory_open(to_device);
    memmove(at(to), at(from), bytes);
    return SUCCESS;
  }
  std::vector<unsigned char> block(bytes);
  memory_open(from_device);
  memcpy(block.data(), at(from), bytes);
  memory_open(to_device);
  memcpy(at(to), block.data(), bytes);
  return SUCCESS;
}

template <class T> static int fill(gpu_address to, T value, size_t n, gpu_stream s) {
  if (int r = begin(&s)) return r;
  if (to % sizeof(T) || !inside(to, n * sizeof(T))) return INVALID_VALUE;
  return stream_add(s, [=] {
    T *p = static_cast<T *>(at(to));
    for (size_t i = 0; i < n; i++) p[i] = value;
    return SUCCESS;
  });
}

}

using namespace emulator;

EXPORT int cuMemcpyHtoDAsync_v2(gpu_address to, const void *from, size_t bytes, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = begin(&s)) return r;
  if (!inside(to, bytes) || memory_is_device(from)) return INVALID_VALUE;
  if (memory_is_pinned(from) || stream_capturing(s))
    return stream_add(s, [=] { memcpy(at(to), from, bytes); return SUCCESS; });
  const unsigned char *p = static_cast<const unsigned char *>(from);
  auto staged = std::make_shared<std::vector<unsigned char>>(p, p + bytes);
  return stream_add(s, [=] { memcpy(at(to), staged->data(), bytes); return SUCCESS; });
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, gpu_address from, size_t bytes, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = begin(&s)) return r;
  if (!inside(from, bytes) || memory_is_device(to)) return INVALID_VALUE;
  if (int r = stream_add(s, [=] { memcpy(to, at(from), bytes); return SUCCESS; })) return r;
  if (memory_is_pinned(to) || stream_capturing(s)) return SUCCESS;
  return stream_finish(s);
}

EXPORT int cuMemcpyDtoDAsync_v2(gpu_address to, gpu_address from, size_t bytes, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = begin(&s)) return r;
  if (!inside(to, bytes) || !inside(from, bytes)) return INVALID_VALUE;
  return stream_add(s, [=] { return copy_blocks(to, from, bytes); });
}

EXPORT int cuMemcpyPeerAsync(gpu_address to, gpu_context to_context, gpu_address from, gpu_context from_context,
                             size_t bytes, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = begin(&s)) return r;
  if (!to_context || !from_context) return INVALID_CONTEXT;
  if (!memory_contains(to_context->device, to, bytes) || !memory_contains(from_context->device, from, bytes))
    return INVALID_VALUE;
  if (current_context()->peers.count(from_context)) counts[DIRECT]++;
  return stream_add(s, [=] { return copy_blocks(to, from, bytes); });
}

EXPORT int cuMemsetD8Async(gpu_address to, unsigned char value, size_t n, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  return fill(to, value, n, s);
}

EXPORT int cuMemsetD32Async(gpu_address to, unsigned value, size_t n, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  return fill(to, value, n, s);
}
