/* Checks that the libraries of the GPU's toolkit have the functions of src/gpu/driver.h. `make lint` runs this program
** if the toolkit is installed: lint_symbols FILE... Each FILE is a library. The program finds the library's table of
** functions by the name of the file. No GPU is needed, because no function is called. */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpu/driver.h"
#include "gpu/vendor/ccl.h"

#define NAME(field, symbol, result, parameters) #symbol,
#define NVIDIA(field, nvidia, amd, result, parameters) #nvidia,
static const char *const rtc[] = {RTC_FUNCTIONS(NVIDIA) NULL}, *const blas[] = {BLAS_FUNCTIONS(NVIDIA) NULL},
  *const fft[] = {FFT_FUNCTIONS(NVIDIA, fft_handle) NULL}, *const solver[] = {SOLVER_FUNCTIONS(NAME) NULL},
  *const dnn[] = {DNN_FUNCTIONS(NAME) NULL}, *const ccl[] = {CCL_FUNCTIONS(NAME) NULL}, *const driver[] = {DRIVER_FUNCTIONS(NVIDIA) NULL};

static const struct { const char *file; const char *const *symbols; } libraries[] = {
  {"libcuda.so", driver}, {"libnvrtc.so", rtc}, {"libcublas.so", blas}, {"libcufft.so", fft},
  {"libcusolver.so", solver}, {"libcudnn.so", dnn}, {"libnccl.so", ccl}, {NULL, NULL}
};

/* Prints each symbol that the library lacks, and returns their number. */
static int lacks(const char *path, const char *const *symbols) {
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  int missing = 0;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  for (int i = 0; symbols[i]; i++) {
    if (dlsym(library, symbols[i])) continue;
    fprintf(stderr, "%s has no %s\n", path, symbols[i]);
    missing++;
  }
  return missing;
}

int main(int argc, char **argv) {
  int missing = 0;
  for (int i = 1; i < argc; i++)
    for (int k = 0; libraries[k].file; k++)
      if (strstr(argv[i], libraries[k].file)) missing += lacks(argv[i], libraries[k].symbols);
  return missing ? 1 : 0;
}
