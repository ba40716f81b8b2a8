#include "device.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const device *const device_kinds[] = {&cpu_device, NULL};

static place standard = {&cpu_device, 0};

place device_default(void)        { return standard; }
void  device_set_default(place p) { standard = p; }

/* Looks for the driver once. Its absence is told in the loader's words, with their last part explained. */
const char *gpu_reason(void) {
  static char reason[256];
  if (reason[0]) return reason;
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver) {
    dlclose(driver);
    snprintf(reason, sizeof reason, "this version of luatensor computes on the CPU only (the NVIDIA driver is here)");
    return reason;
  }
  const char *words = dlerror(), *missing = ": No such file or directory";
  char *end;
  snprintf(reason, sizeof reason - 40, "%s", words ? words : "libcuda.so.1");
  end = strstr(reason, missing);
  if (end) strcpy(end, " (no NVIDIA driver on this machine)");
  return reason;
}

void index_words(char *text, size_t size, const char *function, int64_t value, int dim, int64_t length) {
  const char *sep = *function ? ": " : "";
  if (value == 0) snprintf(text, size, "%s%sindex 0 in dim %d: Lua tensors start at 1", function, sep, dim + 1);
  else snprintf(text, size, "%s%sindex %" PRId64 " in dim %d: out of range for length %" PRId64, function, sep, value, dim + 1, length);
}
