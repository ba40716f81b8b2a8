/* Lists the parts of an open GPU (memory, streams, libraries), and describes a GPU. */

#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

/* ---- parts ---- */

static const gpu_part parts[] = {
  {gpu_memory_open,  gpu_memory_close},
  {NULL,             gpu_transfers_close},
  {gpu_streams_open, gpu_streams_close},
  {gpu_late_open,    gpu_late_close},
  {gpu_kernels_open, gpu_kernels_close},
  {NULL,             gpu_dnn_close},
  {NULL,             gpu_solver_close},
  {NULL,             gpu_fft_close},
  {NULL,             gpu_gemm_close},
  {NULL,             gpu_ccl_close},
};

/* Registers the parts when the library is loaded. context.c opens and closes the parts through this list, so that it
** does not depend on the layers above. */
__attribute__((constructor)) static void set_parts(void) { gpu_set_parts(parts, (int)(sizeof parts / sizeof *parts)); }

/* ---- properties ---- */

/* Returns the memory bandwidth in bytes per second. The memory transfers data twice per clock, over the whole width
** of the bus. The result is 0 if the driver reports no clock, as drivers of newer devices may do. */
static double bandwidth(const gpu_driver *d, gpu_device_id id) {
  return 2.0 * gpu_attribute_of(d, id, GPU_MEMORY_CLOCK) * 1e3 * gpu_attribute_of(d, id, GPU_BUS_WIDTH) / 8;
}

/* Appends a library and its version to the text, such as ", cuBLAS 13.0". Appends ", no cuBLAS" if the library is not
** usable. Appends only the name if the library reports no version. */
static void add_library(char *text, size_t size, const char *name, bool usable, const int version[2]) {
  size_t n = strlen(text);
  snprintf(text + n, size - n, ", %s%s", usable ? "" : "no ", name);
  n = strlen(text);
  if (usable && version[0]) snprintf(text + n, size - n, " %d.%d", version[0], version[1]);
}

/* True if the library of matrix products is used on the device. */
static bool has_blas(gpu_vendor *v, gpu_device_id id) { return gpu_get_blas(v) && v->blas_supports(v, id); }

static void write_software(gpu_vendor *vendor, gpu_device_id id, char *text, size_t size) {
  const gpu_versions *v = &vendor->versions;
  const char *const *names = vendor->names;
  bool blas = has_blas(vendor, id), dnn = gpu_get_dnn(vendor) && vendor->dnn_supports(vendor, id);
  snprintf(text, size, "%s %d.%d", names[GPU_DRIVER], v->driver[0], v->driver[1]);
  add_library(text, size, names[GPU_RTC], true, v->rtc);
  add_library(text, size, names[GPU_BLAS], blas, v->blas);
  add_library(text, size, names[GPU_DNN], dnn, v->dnn);
}

int gpu_info(int index, device_info *info) {
  gpu_vendor *v = index < gpu_amd.first ? &gpu_nvidia : &gpu_amd;
  const gpu_driver *d = gpu_get_driver(v);
  memset(info, 0, sizeof *info);
  if (index - v->first >= gpu_count(v)) return ERR_DEVICE;
  gpu_device_id id = gpu_id(index);
  if (d->device_name(info->name, sizeof info->name, id) != GPU_SUCCESS) snprintf(info->name, sizeof info->name, "GPU");
  if (d->device_memory(&info->memory, id) != GPU_SUCCESS) info->memory = 0;
  snprintf(info->kind, sizeof info->kind, "gpu");
  v->name_isa(v, id, info->isa, sizeof info->isa);
  info->cores = gpu_attribute_of(d, id, GPU_MULTIPROCESSORS);
  info->bandwidth = bandwidth(d, id);
  info->emulated = v->versions.emulated;
  write_software(v, id, info->software, sizeof info->software);
  return OK;
}

/* Writes a description of the software of the vendor's first GPU for users: the libraries and their versions. If the
** library of matrix products or of convolutions is not usable, also writes the reason. */
void gpu_describe(gpu_vendor *v, char *text, size_t size) {
  char software[sizeof ((device_info *)0)->software], unsupported[GPU_REASON], isa[64];
  gpu_device_id id = gpu_id(v->first);
  write_software(v, id, software, sizeof software);
  const char *gemm = gpu_reason(v, GPU_BLAS), *conv = gpu_reason(v, GPU_DNN);
  if (gpu_get_blas(v) && !v->blas_supports(v, id)) {
    v->name_isa(v, id, isa, sizeof isa);
    snprintf(unsupported, sizeof unsupported, "%s has no kernels for %s: matrix products take luatensor's own kernels",
             v->names[GPU_BLAS], isa);
    gemm = unsupported;
  }
  snprintf(text, size, "%s%s%s%s%s%s%s", software, gemm[0] ? ": " : "", gemm, conv[0] ? "; " : "",
           conv[0] ? v->device : "", conv[0] ? ": " : "", conv);
}
