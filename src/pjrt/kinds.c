/* The structs of the kinds. The variables LUATENSOR_PJRT_<NAME>, then the plugins in Python's active virtual environment, make
** devices of them. */

#include "pjrt/device.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/text.h"

extern char **environ;

#define KIND 0
#include "pjrt/kind.h"
#define KIND 1
#include "pjrt/kind.h"
#define KIND 2
#include "pjrt/kind.h"

#define PREFIX "LUATENSOR_PJRT_"

static int count;                      /* of the kinds that have been added */

/* Adds a kind for an assignment <NAME>=<file>, if the kind is new and the name is good. */
static void add(const char *assignment) {
  static device *const kinds[PJRT_KINDS] = {&kind_0, &kind_1, &kind_2};
  if (count == PJRT_KINDS) return;
  kinds[count]->name = pjrt_name(count, assignment);
  if (kinds[count]->name && device_add(kinds[count]) >= 0) count++;
}

/* The devices that packages of Python add, with the plugin's path in the environment's folder of packages. The plugins of
** CUDA and ROCm are not listed: their clients take most of a GPU's memory when they start, and "cuda" and "rocm" are
** devices without them. */
static const struct { const char *name, *file; } packages[] = {
  {"TPU", "libtpu/libtpu.so"},
  {"METAL", "jax_plugins/mps/lib/libpjrt_plugin_mps.dylib"},
  {"METAL", "jax_plugins/metal_plugin/pjrt_plugin_metal_*.dylib"},
  {"XPU", "jax_plugins/intel_extension_for_openxla/pjrt_plugin_xpu.so"},
  {"XLA", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"},
  {"XLA", "fastatomstruct_xla_cpu/libpjrt_cpu.so"},
  {"XLA", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"},
};

/* Adds the plugins of the environment's packages. A variable LUATENSOR_PJRT_<NAME>, even an empty one, replaces them. */
static void add_packages(const char *environment) {
  char folder[768], pattern[1024], assignment[1088];
  if (!environment || !*environment || !text_escape(folder, sizeof folder, environment)) return;
  for (size_t k = 0; k < sizeof packages / sizeof *packages; k++) {
    glob_t found;
    snprintf(assignment, sizeof assignment, PREFIX "%s", packages[k].name);
    snprintf(pattern, sizeof pattern, "%s/lib/python*/site-packages/%s", folder, packages[k].file);
    if (getenv(assignment) || glob(pattern, 0, NULL, &found) != 0) continue;
    snprintf(assignment, sizeof assignment, "%s=%s", packages[k].name, found.gl_pathv[0]);
    globfree(&found);
    add(assignment);
  }
}

void pjrt_add_kinds(void) {
  static bool done;
  lock_take(LOCK_PJRT);
  bool first = !done;
  done = true;
  lock_release(LOCK_PJRT);
  if (!first) return;
  for (char **v = environ; v && *v; v++)
    if (strncmp(*v, PREFIX, sizeof PREFIX - 1) == 0) add(*v + sizeof PREFIX - 1);
  add_packages(getenv("VIRTUAL_ENV"));
}
