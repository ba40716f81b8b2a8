/* Compiles kernels of a list (kernel_list.h) into the disk cache, without a device. A process that uses such a device finds
** them there. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"
#include "gpu/cache.h"
#include "gpu/compile/kernel_list.h"
#include "gpu/compile/request.h"

/* Sets *t to the vendor and the processor of this name. Loads the vendor's compiler. */
static bool find_target(const char *processor, request_for *t, char reason[KERNELS_REASON]) {
  const char *why;
  t->vendor = strncmp(processor, "gfx", 3) == 0 ? &gpu_amd : &gpu_nvidia;
  bool found = gpu_get_compiler(t->vendor, &why) != NULL;
  if (!found) snprintf(reason, KERNELS_REASON, "%s", why);
  return found && t->vendor->name_target(t->vendor, processor, &t->target, &t->lanes, reason);
}

static bool can_compile(const char *processor, char reason[KERNELS_REASON]) {
  request_for t;
  return find_target(processor, &t, reason);
}

static bool is_intact(char *line) {
  gpu_source s;
  bool script;
  return kernel_list_read(line, &s, &script);
}

/* Compiles and stores a kernel that the cache lacks. */
static enum kernel_outcome compile_missing(const request *r, char reason[KERNELS_REASON]) {
  size_t bytes;
  char *log, why[REQUEST_REASON];
  void *image = cache_read(r->key, &bytes);
  bool there = image != NULL;
  if (!there) image = request_compile(r, &bytes, &log, why);
  if (!there) free(log);
  bool kept = there || (image && cache_write(r->key, image, bytes));
  if (!image) snprintf(reason, KERNELS_REASON, "%s", why);
  else if (!kept) snprintf(reason, KERNELS_REASON, "%s", strerror(errno));
  free(image);
  return there ? KERNEL_THERE : kept ? KERNEL_COMPILED : image ? KERNEL_NOT_KEPT : KERNEL_FAILED;
}

static enum kernel_outcome compile(const char *processor, char *line, char reason[KERNELS_REASON]) {
  gpu_source s;
  request_for t;
  request r;
  bool script;
  enum kernel_outcome outcome = KERNEL_FAILED;
  if (!find_target(processor, &t, reason)) return KERNEL_FAILED;
  if (!kernel_list_read(line, &s, &script)) {
    snprintf(reason, KERNELS_REASON, "the line is damaged");
    return KERNEL_FAILED;
  }
  gpu_lock(t.vendor->first);
  int st = script ? request_script(&r, &t, &s) : request_own(&r, &t, &s);
  gpu_unlock();
  if (st == OK) outcome = compile_missing(&r, reason);
  else snprintf(reason, KERNELS_REASON, st == ERR_MEMORY ? "out of memory" : "no kernels in %s", s.file);
  if (st == OK) request_free(&r);
  return outcome;
}

static bool measure(uint64_t *count, uint64_t *bytes, uint64_t *most) {
  *most = cache_most();
  return cache_measure(count, bytes);
}

const kernels_on_disk gpu_kernels_on_disk = {
  .list_head = KERNEL_LIST_HEAD, .measure = measure, .trim = cache_trim, .is_intact = is_intact,
  .can_compile = can_compile, .compile = compile
};
