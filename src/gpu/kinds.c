/* The devices "cuda" and "rocm": NVIDIA's and AMD's GPUs, which have the same functions. luatensor counts each kind's
** devices from 0. The functions of gpu/ count the GPUs of both vendors together, so those of "rocm" add an offset. */

#include "gpu/gpu.h"

#include <stdio.h>

static int  cuda_count(void)                           { return gpu_count(&gpu_nvidia); }
static int  cuda_in_use(void)                          { return gpu_in_use(&gpu_nvidia); }
static const char *cuda_reason(void)                   { return gpu_why_none(&gpu_nvidia); }
static void cuda_describe(char *text, size_t size)     { gpu_describe(&gpu_nvidia, text, size); }
static int  cuda_pin(size_t bytes, void **host)        { return gpu_pin(&gpu_nvidia, bytes, host); }
static int  cuda_dlpack_id(int i)                      { return gpu_id(i); }
static void cuda_shut(void)                            { gpu_shut(&gpu_nvidia); }

static void cuda_lacks_precision(enum precision p, char *reason, size_t size) {
  const int *has = gpu_nvidia.versions.blas;
  reason[0] = 0;
  if (p != PRECISION_bf16x9 || gpu_has_bf16x9(&gpu_nvidia)) return;
  if (!gpu_get_blas(&gpu_nvidia)) snprintf(reason, size, "%s", gpu_reason(&gpu_nvidia, GPU_BLAS));
  else snprintf(reason, size, "cuBLAS %d.%d is too old", has[0], has[1]);
}

const device cuda_device = {
  .abi = DEVICE_ABI, .name = "cuda", .dlpack = 2, .dlpack_id = cuda_dlpack_id, .fft_rank = FFT_RANK, .folds_all = true,
  .count = cuda_count, .in_use = cuda_in_use, .reason = cuda_reason, .info = gpu_info,
  .limits = gpu_limits, .working_set = gpu_working_set, .describe = cuda_describe, .explain = gpu_explain,
  .lacks_precision = cuda_lacks_precision,
  .alloc = gpu_alloc, .free = gpu_free, .copy_in = gpu_copy_in, .copy_out = gpu_copy_out, .copy_across = gpu_copy_across,
  .sync = gpu_sync, .stats = gpu_stats, .empty_cache = gpu_empty_cache, .available = gpu_available,
  .pin = cuda_pin, .unpin = gpu_unpin, .is_pinned = gpu_is_pinned, .copy_in_later = gpu_copy_in_later,
  .finish_copies = gpu_finish_copies,
  .reopen = gpu_reopen, .epoch = gpu_device_epoch, .shut = cuda_shut, .streams = &gpu_stream_calls, .graphs = &gpu_graph_calls,
  .user_kernel_make = gpu_user_kernel_make, .user_kernel_free = gpu_user_kernel_free,
  .has_attention = gpu_has_attention,
#define FAMILY(name, call) .name = gpu_##name,
#include "families.def"
};

/* ---- AMD ---- */

#define FIRST VENDOR_GPUS

static int  rocm_count(void)                           { return gpu_count(&gpu_amd); }
static int  rocm_in_use(void)                          { return gpu_in_use(&gpu_amd); }
static const char *rocm_reason(void)                   { return gpu_why_none(&gpu_amd); }
static void rocm_describe(char *text, size_t size)     { gpu_describe(&gpu_amd, text, size); }
static int  rocm_pin(size_t bytes, void **host)        { return gpu_pin(&gpu_amd, bytes, host); }
static int  rocm_dlpack_id(int i)                      { return gpu_id(FIRST + i); }
static void rocm_shut(void)                            { gpu_shut(&gpu_amd); }

static int  info(int i, device_info *d)                { return gpu_info(FIRST + i, d); }
static int  limits(int i, enum dtype t, device_limits *l) { return gpu_limits(FIRST + i, t, l); }
static int  working_set(int i, size_t bytes, device_working_set *w) { return gpu_working_set(FIRST + i, bytes, w); }
static void explain(int i, char *text, size_t size)    { gpu_explain(FIRST + i, text, size); }
static int  alloc(int i, size_t bytes, void **ptr)     { return gpu_alloc(FIRST + i, bytes, ptr); }
static void free_memory(int i, void *ptr, size_t bytes) { gpu_free(FIRST + i, ptr, bytes); }
static int  copy_in(int i, void *to, const void *host, size_t bytes) { return gpu_copy_in(FIRST + i, to, host, bytes); }
static int  copy_in_later(int i, void *to, const void *host, size_t bytes) {
  return gpu_copy_in_later(FIRST + i, to, host, bytes);
}
static int  copy_out(int i, void *host, const void *from, size_t bytes) { return gpu_copy_out(FIRST + i, host, from, bytes); }
static int  copy_across(int i, void *to, int other, const void *from, size_t bytes) {
  return gpu_copy_across(FIRST + i, to, FIRST + other, from, bytes);
}
static int  sync(int i)                                { return gpu_sync(FIRST + i); }
static memory_stats *stats(int i)                      { return gpu_stats(FIRST + i); }
static void empty_cache(int i)                         { gpu_empty_cache(FIRST + i); }
static int  available(int i, size_t *bytes)            { return gpu_available(FIRST + i, bytes); }
static int  reopen(int i)                              { return gpu_reopen(FIRST + i); }
static unsigned epoch(int i)                           { return gpu_device_epoch(FIRST + i); }
static int  user_kernel_make(int i, const char *text, const char *name, void **kernel, char **log) {
  return gpu_user_kernel_make(FIRST + i, text, name, kernel, log);
}
static bool has_attention(int i, const attention_call *c) { return gpu_has_attention(FIRST + i, c); }
static void user_kernel_free(int i, void *kernel)      { gpu_user_kernel_free(FIRST + i, kernel); }

static int  stream_make(int i, int *stream)            { return gpu_stream_calls.make(FIRST + i, stream); }
static void stream_retain(int i, int stream)           { gpu_stream_calls.retain(FIRST + i, stream); }
static void stream_release(int i, int stream)          { gpu_stream_calls.release(FIRST + i, stream); }
static int  stream_current(int i)                      { return gpu_stream_calls.current(FIRST + i); }
static int  stream_use(int i, int stream)              { return gpu_stream_calls.use(FIRST + i, stream); }
static int  stream_sync(int i, int stream)             { return gpu_stream_calls.sync(FIRST + i, stream); }
static int  stream_follow(int i, int stream, int other_index, int other) {
  return gpu_stream_calls.follow(FIRST + i, stream, FIRST + other_index, other);
}
static int  event_make(int i, bool timing, void **event) { return gpu_stream_calls.event_make(FIRST + i, timing, event); }
static void event_free(int i, void *event)             { gpu_stream_calls.event_free(FIRST + i, event); }
static int  event_record(int i, void *event, int stream) { return gpu_stream_calls.event_record(FIRST + i, event, stream); }
static int  event_wait(int i, int stream, void *event) { return gpu_stream_calls.event_wait(FIRST + i, stream, event); }
static int  event_query(int i, void *event, bool *done) { return gpu_stream_calls.event_query(FIRST + i, event, done); }
static int  event_sync(int i, void *event)             { return gpu_stream_calls.event_sync(FIRST + i, event); }
static int  event_elapsed(int i, void *from, void *to, double *ms) {
  return gpu_stream_calls.event_elapsed(FIRST + i, from, to, ms);
}
static const device_streams stream_calls = {
  stream_make, stream_retain, stream_release, stream_current, stream_use, stream_sync, stream_follow,
  event_make, event_free, event_record, event_wait, event_query, event_sync, event_elapsed
};

static int  graph_begin(int i, void **graph)           { return gpu_graph_calls.begin(FIRST + i, graph); }
static int  graph_end(int i, void *graph)              { return gpu_graph_calls.end(FIRST + i, graph); }
static int  graph_alloc_apart(int i, size_t bytes, void **ptr) { return gpu_graph_calls.alloc_apart(FIRST + i, bytes, ptr); }
static int  graph_replay(int i, void *graph)           { return gpu_graph_calls.replay(FIRST + i, graph); }
static void graph_free(int i, void *graph)             { gpu_graph_calls.free(FIRST + i, graph); }
static void graph_forget(void *graph)                  { gpu_graph_calls.forget(graph); }
static const device_graphs graph_calls = {
  .begin = graph_begin, .end = graph_end, .alloc_apart = graph_alloc_apart, .replay = graph_replay, .free = graph_free,
  .forget = graph_forget
};

#define FAMILY(name, call) static int rocm_##name(int i, call *c) { return gpu_##name(FIRST + i, c); }
#include "families.def"

const device rocm_device = {
  .abi = DEVICE_ABI, .name = "rocm", .dlpack = 10, .dlpack_id = rocm_dlpack_id, .fft_rank = FFT_RANK, .folds_all = true,
  .count = rocm_count, .in_use = rocm_in_use, .reason = rocm_reason, .info = info,
  .limits = limits, .working_set = working_set, .describe = rocm_describe, .explain = explain,
  .alloc = alloc, .free = free_memory, .copy_in = copy_in, .copy_out = copy_out, .copy_across = copy_across,
  .sync = sync, .stats = stats, .empty_cache = empty_cache, .available = available,
  .pin = rocm_pin, .unpin = gpu_unpin, .is_pinned = gpu_is_pinned, .copy_in_later = copy_in_later,
  .finish_copies = gpu_finish_copies,
  .reopen = reopen, .epoch = epoch, .shut = rocm_shut, .streams = &stream_calls, .graphs = &graph_calls,
  .user_kernel_make = user_kernel_make, .user_kernel_free = user_kernel_free, .has_attention = has_attention,
#define FAMILY(name, call) .name = rocm_##name,
#include "families.def"
};
