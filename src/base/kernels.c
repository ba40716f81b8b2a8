#include "base/kernels.h"

extern const kernels_on_disk gpu_kernels_on_disk;

const kernels_on_disk *kernels_get(void) { return &gpu_kernels_on_disk; }
