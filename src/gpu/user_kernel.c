/* Kernels that scripts write in CUDA C++. The kernels are compiled from their text, and are launched with arguments
** that src/lua/device/user_kernel.c has checked. */

#include <stdlib.h>

#include "gpu/gpu.h"

typedef struct user_kernel {
  gpu_kernel kernel;
  gpu_module module;
  unsigned   epoch;          /* the device's epoch at compilation; if the device's epoch has changed, the device was
                             ** reopened and the module no longer exists */
  bool       captured;       /* a captured graph may launch the kernel, so the kernel is never unloaded */
} user_kernel;

int gpu_user_kernel_make(int index, const char *text, const char *name, void **kernel, char **log) {
  gpu *g;
  *log = NULL;
  user_kernel *u = calloc(1, sizeof *u);
  if (!u) return ERR_MEMORY;
  int st = gpu_enter(index, &g);
  if (st == OK) {
    st = gpu_leave(g, gpu_compile_text(g, text, name, name, &u->kernel, &u->module, log));
    u->epoch = g->epoch;
  }
  if (st == OK) *kernel = u;
  else free(u);
  return st;
}

/* Frees a kernel. Waits for queued launches first, because the code of a running kernel must not be unloaded. */
void gpu_user_kernel_free(int index, void *kernel) {
  gpu *g;
  user_kernel *u = kernel;
  if (gpu_enter_free(index, &g) == OK) {
    const gpu_driver *d = g->driver;
    bool lost = u->epoch != g->epoch, keep = u->captured || g->capturing;
    if (!lost && !keep && d->context_sync() == GPU_SUCCESS) d->module_unload(u->module);
    gpu_leave(g, OK);
  }
  free(u);
}

/* Checks the requested shared memory and the kernel's own. The device's limit is queried only above 48 KiB, which all
** devices support. */
static int check_shared(gpu *g, const user_kernel *u, const user_kernel_call *c) {
  int most = 0;
  uint64_t total = (uint64_t)c->shared + u->kernel.shared;
  if (total <= 48 << 10) return OK;
  int st = gpu_check(g, g->driver->device_attribute(&most, GPU_SHARED_MOST, g->id), "shared memory");
  if (st != OK || total <= (uint64_t)most) return st;
  if (u->kernel.shared == 0) return gpu_fail(g, "shared: %u bytes; a block of this device has at most %d", c->shared, most);
  return gpu_fail(g, "shared: %u bytes, and %s declares %u; a block of this device has at most %d", c->shared,
                  u->kernel.name, u->kernel.shared, most);
}

/* Checks the extents of block and grid against the limits that all NVIDIA GPUs have in common, and the kernel's own
** limit of threads. */
static int check_extents(gpu *g, const user_kernel *u, const user_kernel_call *c) {
  const char *name = u->kernel.name;
  uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];
  if (c->block[0] > 1024 || c->block[1] > 1024 || c->block[2] > 64 || threads > (uint64_t)u->kernel.threads)
    return gpu_fail(g, "a block of %u × %u × %u threads; %s takes %d, at most 1024 × 1024 × 64",
                    c->block[0], c->block[1], c->block[2], name, u->kernel.threads);
  if (c->grid[1] > 65535 || c->grid[2] > 65535)
    return gpu_fail(g, "a grid of %u × %u × %u blocks; at most 2147483647 × 65535 × 65535",
                    c->grid[0], c->grid[1], c->grid[2]);
  return check_shared(g, u, c);
}

int gpu_user_kernel(int index, const user_kernel_call *c) {
  gpu *g;
  user_kernel *u = c->kernel;
  void *arguments[USER_KERNEL_ARGUMENTS];
  user_kernel_call call = *c;     /* a copy, because the driver takes the arguments' addresses as pointers to
                                  ** non-const */
  int st = gpu_enter(index, &g);
  if (st != OK) return st;
  for (int i = 0; i < c->count; i++) {
    user_kernel_argument *a = &call.argument[i];
    arguments[i] = &a->value;
    if (!a->pointer) continue;
    const void *ptr = (const void *)(uintptr_t)a->value;
    if (a->written) gpu_writes(g, ptr);
    else gpu_reads(g, ptr);
  }
  if (g->capturing) u->captured = true;
  st = check_extents(g, u, c);
  if (st == OK) st = gpu_launch_3d(g, &u->kernel, c->grid, c->block, c->shared, arguments);
  return gpu_leave(g, st);
}
