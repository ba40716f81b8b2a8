/* The functions of struct device for kind KIND. kinds.c includes this file for each kind, because the functions of struct device
** do not get the kind. */

#define OF(function) JOIN(function, KIND)
#define JOIN(function, kind) JOIN_NOW(function, kind)
#define JOIN_NOW(function, kind) function##_##kind

static int  OF(count)(void)                                 { return pjrt_count(KIND); }
static const char *OF(reason)(void)                         { return pjrt_reason(KIND); }
static int  OF(in_use)(void)                                { return pjrt_in_use(KIND); }
static int  OF(info)(int i, device_info *info)              { return pjrt_info(KIND, i, info); }
static bool OF(is_processor)(void)                          { return pjrt_is_processor(KIND); }
static void OF(describe)(char *text, size_t size)           { pjrt_describe(KIND, text, size); }
static unsigned OF(epoch)(int i)                            { (void)i; return pjrt_epoch(KIND); }
static void OF(shut)(void)                                  { pjrt_shut(KIND); }
static int  OF(alloc)(int i, size_t bytes, void **at)       { return pjrt_alloc(KIND, i, bytes, at); }
static void OF(explain)(int i, char *text, size_t size) {
  (void)i;
  pjrt_explain(KIND, text, size);
}
static void OF(free)(int i, void *at, size_t bytes) {
  (void)bytes;
  pjrt_free(KIND, i, at);
}
static int  OF(copy_in)(int i, void *to, const void *host, size_t bytes) { return pjrt_copy_in(KIND, i, to, host, bytes); }
static int  OF(copy_out)(int i, void *host, const void *from, size_t bytes) { return pjrt_copy_out(KIND, i, host, from, bytes); }
static int  OF(copy_across)(int i, void *to, int from_index, const void *from, size_t bytes) {
  return pjrt_copy_across(KIND, i, to, from_index, from, bytes);
}
static int  OF(sync)(int i)                                 { return pjrt_sync(KIND, i); }
static memory_stats *OF(stats)(int i)                       { return pjrt_stats(KIND, i); }
static const int64_t *OF(host_calls)(int i)                 { return pjrt_host_calls(KIND, i); }
static void OF(empty_cache)(int i)                          { (void)i; }
#define FAMILY(name, call) static int OF(name)(int i, call *c) { return pjrt_##name(KIND, i, c); }
#include "families.def"

static device OF(kind) = {
  .abi = DEVICE_ABI, .dlpack = 12, .count = OF(count), .reason = OF(reason), .in_use = OF(in_use), .info = OF(info),
  .is_processor = OF(is_processor), .describe = OF(describe), .explain = OF(explain), .epoch = OF(epoch), .shut = OF(shut),
  .alloc = OF(alloc), .free = OF(free),
  .copy_in = OF(copy_in), .copy_out = OF(copy_out), .copy_across = OF(copy_across), .sync = OF(sync), .stats = OF(stats),
  .empty_cache = OF(empty_cache), .host_calls = OF(host_calls),
#define FAMILY(name, call) .name = OF(name),
#include "families.def"
};

#undef KIND
