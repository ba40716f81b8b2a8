/* NVIDIA's libraries: the names of their functions and files, and the versions that fit together. */

#include "gpu/vendor/vendor.h"

#include <dlfcn.h>
#include <stdio.h>

/* DRIVER_OLDEST is the oldest driver version that has all functions of the table (CUDA 12.0). The toolkit's libraries
** are searched with major versions from MAJOR_OLDEST to MAJOR_NEWEST. */
enum { DRIVER_OLDEST = 12000, MAJOR_OLDEST = 12, MAJOR_NEWEST = 13 };

/* ---- the functions' names ---- */

#define DRIVER_SYMBOL(field, nvidia, amd, result, parameters) {&gpu_nvidia.driver.field, #nvidia},
#define RTC_SYMBOL(field, nvidia, amd, result, parameters)    {&gpu_nvidia.rtc.field, #nvidia},
#define BLAS_SYMBOL(field, nvidia, amd, result, parameters)   {&gpu_nvidia.blas.field, #nvidia},
#define FFT_SYMBOL(field, nvidia, amd, result, parameters)    {&gpu_nvidia.dft.field, #nvidia},
#define SOLVER_SYMBOL(field, symbol, result, parameters) {&gpu_nvidia.solver.field, #symbol},
#define EIG_SYMBOL(field, symbol, result, parameters)    {&gpu_nvidia.eig.field, #symbol},
#define DNN_SYMBOL(field, symbol, result, parameters)    {&gpu_nvidia.dnn.field, #symbol},
static const gpu_symbol driver_symbols[] = {DRIVER_FUNCTIONS(DRIVER_SYMBOL) {NULL, NULL}};
static const gpu_symbol rtc_symbols[]    = {RTC_FUNCTIONS(RTC_SYMBOL) {NULL, NULL}};
static const gpu_symbol blas_symbols[]   = {BLAS_FUNCTIONS(BLAS_SYMBOL) {NULL, NULL}};
static const gpu_symbol fft_symbols[]    = {FFT_FUNCTIONS(FFT_SYMBOL, fft_handle) {NULL, NULL}};
static const gpu_symbol solver_symbols[] = {SOLVER_FUNCTIONS(SOLVER_SYMBOL) {NULL, NULL}};
static const gpu_symbol eig_symbols[]    = {EIG_FUNCTIONS(EIG_SYMBOL) {NULL, NULL}};
static const gpu_symbol dnn_symbols[]    = {DNN_FUNCTIONS(DNN_SYMBOL) {NULL, NULL}};

/* ---- the driver's library ---- */

/* Splits a version of CUDA, 1000 * major + 10 * minor: 13020 is CUDA 13.2. */
static void split_version(int number, int version[2]) {
  version[0] = number / 1000;
  version[1] = number % 1000 / 10;
}

/* Returns false and writes the reason if the driver reports a version that is too old. Returns true if the version is
** unknown. The version is checked before the table is filled, so that an old driver is reported by its version instead
** of by a missing function. */
static bool driver_fits(gpu_vendor *v, void *library) {
  gpu_result (*version)(int *) = NULL;
  int number = 0, *driver = v->versions.driver;
  gpu_set_field(&version, dlsym(library, "cuDriverGetVersion"));
  if (!version || version(&number) != 0) return true;
  split_version(number, driver);
  if (number >= DRIVER_OLDEST) return true;
  return gpu_set_reason(v, GPU_DRIVER, "the driver is for CUDA %d.%d; luatensor needs %d.%d or newer", driver[0], driver[1],
                        DRIVER_OLDEST / 1000, DRIVER_OLDEST % 1000 / 10);
}

static bool load_driver(gpu_vendor *v) {
  const gpu_file file = {"libcuda.so", 1, 1, "no NVIDIA driver on this machine", driver_symbols,
                         "; a newer driver does"};
  void *library = gpu_open_library(v, GPU_DRIVER, &file);
  if (!library || !driver_fits(v, library)) return false;
  v->versions.emulated = dlsym(library, "emulator_is_no_gpu") != NULL;
  return gpu_find_symbols(v, GPU_DRIVER, &file, library);
}

/* ---- libraries whose file names contain the major version ---- */

/* Loads a library. Versions newer than the driver are skipped, because the driver could not load their output. Without a
** usable driver, the newest version is loaded. `behind` is the toolkit's major version minus the library's major version. If the library cannot be used, writes the
** reason and returns NULL. */
static void *load_library(gpu_vendor *v, enum gpu_library k, const char *name, int behind, const char *missing,
                          const gpu_symbol *symbols) {
  int major = v->versions.driver[0], newest = major >= MAJOR_OLDEST && major < MAJOR_NEWEST ? major : MAJOR_NEWEST;
  return gpu_load_library(v, k, &(gpu_file){name, newest - behind, MAJOR_OLDEST - behind, missing, symbols, ""});
}

static const char RTC_MISSING[] =
  "NVRTC compiles the kernels: install the CUDA toolkit's nvrtc, or name its folder in LUATENSOR_CUDA_PATH";

static bool load_rtc(gpu_vendor *v) {
  int *version = v->versions.rtc;
  const int *driver = v->versions.driver;
  if (!load_library(v, GPU_RTC, "libnvrtc.so", 0, RTC_MISSING, rtc_symbols)) return false;
  if (v->rtc.version(&version[0], &version[1]) != 0)
    return gpu_set_reason(v, GPU_RTC, "libnvrtc.so does not tell its version");
  v->versions.compiler = 1000 * version[0] + version[1];
  if (driver[0] < MAJOR_OLDEST || version[0] <= driver[0]) return true;
  return gpu_set_reason(v, GPU_RTC, "NVRTC %d.%d is newer than the driver, which is for CUDA %d.%d: install NVRTC %d",
                        version[0], version[1], driver[0], driver[1], driver[0]);
}

/* cublasGetProperty is not in the table, because cuBLAS is usable without it: the version is only shown to users. */
static bool load_blas(gpu_vendor *v) {
  void *library = load_library(v, GPU_BLAS, "libcublas.so", 0, "matrix products take luatensor's own kernels", blas_symbols);
  if (!library) return false;
  blas_result (*property)(int, int *) = NULL;
  gpu_set_field(&property, dlsym(library, "cublasGetProperty"));
  for (int part = 0; property && part < 2; part++)
    if (property(part, &v->versions.blas[part]) != 0) v->versions.blas[part] = 0;
  return true;
}

/* load_dft and load_solver pass 1 as `behind`, because CUDA 12 and 13 contain versions 11 and 12 of cuFFT and
** cuSOLVER. */
static const char FFT_MISSING[] =
  "install the CUDA toolkit's cufft, or name its folder in LUATENSOR_CUDA_PATH";

static bool load_dft(gpu_vendor *v) { return load_library(v, GPU_DFT, "libcufft.so", 1, FFT_MISSING, fft_symbols); }

static const char SOLVER_MISSING[] =
  "install the CUDA toolkit's cusolver, or name its folder in LUATENSOR_CUDA_PATH";

static void *cusolver;                  /* the loaded library */

static const char *solver_text(solver_result r) {
  static const char *const words[] = {
    [1] = "not initialized", [2] = "out of memory", [3] = "invalid value", [4] = "not for this GPU", [5] = "mapping",
    [6] = "execution failed", [7] = "internal error", [8] = "not for this type of matrix", [9] = "not supported"
  };
  bool known = (size_t)r < sizeof words / sizeof *words && words[r];
  return known ? words[r] : "unknown error";
}

static bool load_solver(gpu_vendor *v) {
  v->solver.error_text = solver_text;
  cusolver = load_library(v, GPU_SOLVER, "libcusolver.so", 1, SOLVER_MISSING, solver_symbols);
  return cusolver != NULL;
}

/* Eigenvalues of general matrices need cuSOLVER of CUDA 12.6. Older versions are usable for all other ops. */
static bool load_eig(gpu_vendor *v) {
  const gpu_file file = {.name = "libcusolver.so", .symbols = eig_symbols, .cure = "; that of CUDA 12.6 does"};
  return gpu_find_symbols(v, GPU_EIG, &file, cusolver);
}

/* ---- cuDNN: optional, for convolutions ---- */

enum { DNN_OLDEST = 8, DNN_NEWEST = 9 };

static const char DNN_MISSING[] =
  "convolutions take luatensor's own kernels: install cuDNN, or name its folder in LUATENSOR_CUDA_PATH";

/* Splits cuDNN's version number. Version 8 is encoded as 1000 * major + 100 * minor + patch, version 9 as 10000 *
** major + 100 * minor + patch. */
static void read_dnn_version(gpu_vendor *v) {
  int version = (int)v->dnn.version(), major = version >= 90000 ? 10000 : 1000;
  v->versions.dnn[0] = version / major;
  v->versions.dnn[1] = version % major / 100;
}

/* True if cuDNN was built for a CUDA version that the driver supports. cuDNN's files have the same names for CUDA 12
** and 13, so the function compares the version that the library reports. */
static bool dnn_fits(gpu_vendor *v) {
  int runtime[2];
  const int *dnn = v->versions.dnn, *driver = v->versions.driver;
  split_version((int)v->dnn.runtime_version(), runtime);
  if (runtime[0] <= driver[0]) return true;
  return gpu_set_reason(v, GPU_DNN, "cuDNN %d.%d is for CUDA %d.%d, newer than the driver, which is for CUDA %d.%d: "
                        "install that for CUDA %d", dnn[0], dnn[1], runtime[0], runtime[1], driver[0], driver[1], driver[0]);
}

/* All error statuses of cuDNN 9 are greater than VERSION_9, and all of cuDNN 8 are less. cuDNN refuses some sizes by "bad
** parameter". Statuses of version 9: 2xxx are bad parameters, 3xxx mean "not supported", 4003 and 4004 mean that the host
** or the device is out of memory. */
static enum dnn_error dnn_error_kind(dnn_result r, bool planning) {
  enum { VERSION_9 = 1000, NO_MEMORY_8 = 2, BAD_PARAMETER_8 = 3, ARCH_MISMATCH_8 = 6, NOT_SUPPORTED_8 = 9 };
  int status = (int)r;
  if (status == NO_MEMORY_8 || status == 4003 || status == 4004) return DNN_NO_MEMORY;
  bool unsupported = status > VERSION_9 ? status / 1000 == 3 : status == NOT_SUPPORTED_8 || status == ARCH_MISMATCH_8;
  bool bad = status > VERSION_9 ? status / 1000 == 2 : status == BAD_PARAMETER_8;
  return unsupported || (planning && bad) ? DNN_UNSUPPORTED : DNN_FAILED;
}

static bool load_dnn(gpu_vendor *v) {
  const gpu_file file = {"libcudnn.so", DNN_NEWEST, DNN_OLDEST, DNN_MISSING, dnn_symbols, ""};
  if (gpu_dnn_is_off(v, "LUATENSOR_CUDNN") || !gpu_load_library(v, GPU_DNN, &file)) return false;
  v->dnn.error_kind = dnn_error_kind;
  read_dnn_version(v);
  return dnn_fits(v);
}

/* ---- NCCL ---- */

static bool load_ccl(gpu_vendor *v) {
  return gpu_load_ccl(v, "libnccl.so", 2, "install NVIDIA's nccl, or name its folder in LUATENSOR_CUDA_PATH");
}

/* ---- the processor to compile for ---- */

static int capability_of(const gpu_vendor *v, gpu_device_id id) {
  int major = gpu_attribute_of(&v->driver, id, GPU_CAPABILITY_MAJOR);
  return major * 10 + gpu_attribute_of(&v->driver, id, GPU_CAPABILITY_MINOR);
}

/* Chooses the newest architecture of `known` that both the compiler and a device of this compute capability support. A
** binary also runs on devices with the same major version and a later minor version. If the device's major version is
** too new for the compiler, the compiler generates PTX, which the driver compiles to a binary. If the device is too old,
** returns false and sets *oldest to the oldest known architecture. */
static bool choose_architecture(const int *known, int count, int capability, gpu_target *t, int *oldest) {
  int binary = 0, any = 0;
  *oldest = known[0];
  for (int i = 0; i < count; i++) {
    if (known[i] < *oldest) *oldest = known[i];
    if (known[i] > capability) continue;
    if (known[i] > any) any = known[i];
    if (known[i] / 10 == capability / 10 && known[i] > binary) binary = known[i];
  }
  t->is_text = !binary;
  snprintf(t->name, sizeof t->name, "%s_%d", t->is_text ? "compute" : "sm", binary ? binary : any);
  return any != 0;
}

enum { ARCHITECTURES = 128 };

/* Reads the architectures for which the compiler generates code. Returns their number, or writes the reason and returns
** 0. */
static int read_architectures(const gpu_rtc *rtc, int known[ARCHITECTURES], char reason[GPU_REASON]) {
  int count = 0;
  if (rtc->arch_count(&count) == RTC_SUCCESS && count >= 1 && count <= ARCHITECTURES && rtc->archs(known) == RTC_SUCCESS)
    return count;
  snprintf(reason, GPU_REASON, "NVRTC does not tell what it compiles for");
  return 0;
}

static bool choose_target(gpu_vendor *v, gpu_device_id id, gpu_target *t, char reason[GPU_REASON]) {
  const int *version = v->versions.rtc;
  int known[ARCHITECTURES], capability = capability_of(v, id), oldest, count = read_architectures(&v->rtc, known, reason);
  if (count == 0) return false;
  if (choose_architecture(known, count, capability, t, &oldest)) return true;
  snprintf(reason, GPU_REASON, "NVRTC %d.%d compiles for compute capability %d.%d and newer, not for the %d.%d of this device",
           version[0], version[1], oldest / 10, oldest % 10, capability / 10, capability % 10);
  return false;
}

/* Refuses a processor whose major version the compiler does not know, although the compiler could generate PTX for it. */
static bool name_target(gpu_vendor *v, const char *processor, gpu_target *t, int *lanes, char reason[GPU_REASON]) {
  int known[ARCHITECTURES], capability = 0, end = 0, oldest, count = read_architectures(&v->rtc, known, reason);
  *lanes = 32;
  if (count == 0) return false;
  bool named = sscanf(processor, "sm_%3d%n", &capability, &end) == 1 && !processor[end];
  if (named && choose_architecture(known, count, capability, t, &oldest) && !t->is_text) return true;
  snprintf(reason, GPU_REASON, "NVRTC %d.%d does not compile for %.40s, but for", v->versions.rtc[0], v->versions.rtc[1], processor);
  for (int i = 0; i < count; i++) {
    size_t n = strlen(reason);
    snprintf(reason + n, GPU_REASON - n, "%s sm_%d", i ? "," : "", known[i]);
  }
  return false;
}

static void name_isa(gpu_vendor *v, gpu_device_id id, char *text, size_t size) {
  int capability = capability_of(v, id);
  snprintf(text, size, "%d.%d", capability / 10, capability % 10);
}

/* With the last option, functions without an execution space are device functions, so that headers shared with the CPU
** need no __device__. */
static const char *const options[] = {"--std=c++17", "--device-as-default-execution-space", NULL};

/* ---- the vendor ---- */

static bool every_device(gpu_vendor *v, gpu_device_id id) { (void)v; (void)id; return true; }

/* The last folder is that of Python's packages: nvidia/cu13/lib, nvidia/cudnn/lib. */
static const char *const toolkit_folders[] = {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib", NULL};

gpu_vendor gpu_nvidia = {
  .device = "cuda",
  .no_device = "the driver finds no device on this machine",
  .names = {[GPU_DRIVER] = "driver for CUDA", [GPU_RTC] = "NVRTC", [GPU_BLAS] = "cuBLAS", [GPU_DFT] = "cuFFT",
            [GPU_SOLVER] = "cuSOLVER", [GPU_EIG] = "cuSOLVER", [GPU_DNN] = "cuDNN", [GPU_CCL] = "NCCL"},
  .search = {.list = "LUATENSOR_CUDA_PATH", .root = "CUDA_HOME", .roots = "/usr/local/cuda*",
             .wheels = "lib/python3*/site-packages/nvidia/*", .folders = toolkit_folders},
  .load = {[GPU_DRIVER] = load_driver, [GPU_RTC] = load_rtc, [GPU_BLAS] = load_blas, [GPU_DFT] = load_dft,
           [GPU_SOLVER] = load_solver, [GPU_EIG] = load_eig, [GPU_DNN] = load_dnn, [GPU_CCL] = load_ccl},
  .options = options, .text_start = "", .no_fma = "--fmad=false", .rtc_alone = true, .shared_plain = 48 << 10,
  .choose_target = choose_target, .name_target = name_target, .name_isa = name_isa,
  .blas_most = INT64_MAX, .blas_supports = every_device, .blas_no_memory = BLAS_NO_MEMORY,
  .blas_refuses = {BLAS_NOT_SUPPORTED, BLAS_ARCH_MISMATCH}, .blas_bf16x9 = {12, 9},
  .solver_supports = every_device, .solver_no_memory = SOLVER_NO_MEMORY, .pivot_bytes = sizeof(int64_t),
  .dnn_supports = every_device,
};
