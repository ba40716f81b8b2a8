#ifndef LT_GPU_VENDOR_AMD_H
#define LT_GPU_VENDOR_AMD_H

/* AMD's libraries besides HIP and hipRTC. A function amd_load_* loads a library, as `load` of gpu_vendor. */

#include "gpu/vendor/vendor.h"

/* ROCm's major versions, from which libraries are searched. */
enum { AMD_OLDEST = 5, AMD_NEWEST = 7 };

/* Returns the major version of HIP. If HIP reports none, returns AMD_NEWEST. */
static inline int amd_version(const gpu_vendor *v) { return v->versions.driver[0] ? v->versions.driver[0] : AMD_NEWEST; }

#define AMD_CURE "; a newer ROCm does"  /* the usual cure of gpu_file */

bool amd_load_blas(gpu_vendor *v);
bool amd_load_solver(gpu_vendor *v);
bool amd_load_eig(gpu_vendor *v);
bool amd_load_dnn(gpu_vendor *v);

/* True if the copy of rocBLAS that contains the function has kernels for the device. `field` points to the function's
** address. */
bool amd_has_kernels(gpu_vendor *v, gpu_device_id id, const void *field);
bool amd_blas_supports(gpu_vendor *v, gpu_device_id id);
bool amd_solver_supports(gpu_vendor *v, gpu_device_id id);
bool amd_dnn_supports(gpu_vendor *v, gpu_device_id id);

#endif
