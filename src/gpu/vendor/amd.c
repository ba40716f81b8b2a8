/* AMD's libraries: HIP, which has the functions of NVIDIA's driver, hipRTC and hipFFT. */

#include "gpu/vendor/amd.h"

#include <dlfcn.h>
#include <stdio.h>

#include "gpu/vendor/amd_blas.h"

/* The functions whose parameters or numbers differ from NVIDIA's. `properties` fills a struct of `size` bytes, which
** has the name of the device's processor at `arch_at`. */
static struct {
  gpu_result  (*init)(unsigned flags);
  gpu_result  (*attribute)(int *value, int attribute, gpu_device_id device);
  gpu_result  (*retain)(gpu_context *context, gpu_device_id device);
  gpu_result  (*reset)(void);
  const char *(*error_text)(gpu_result error);
  gpu_result  (*copy_peer)(void *to, int to_device, const void *from, int from_device, size_t bytes, gpu_stream s);
  gpu_result  (*peer_enable)(int peer, unsigned flags);
  gpu_result  (*properties)(void *properties, int device);
  size_t      size, arch_at;
} hip;

enum { DEVICES = 16 };
static gpu_context contexts[DEVICES];   /* the devices' contexts; HIP numbers devices where CUDA has contexts */
static void *library;                   /* libamdhip64.so */

/* ---- functions with NVIDIA's parameters ---- */

/* hipInit of old versions reports a missing device by an error that also has other causes. */
static gpu_result init(unsigned flags) {
  int count;
  gpu_result r = gpu_amd.driver.device_count(&count);
  return r == GPU_SUCCESS ? hip.init(flags) : r;
}

static gpu_result device_attribute(int *value, gpu_attribute a, gpu_device_id device) {
  switch ((int)a) {
#define ATTRIBUTE(ours, nvidia, number, amd, amd_number) case ours: return hip.attribute(value, amd_number, device);
    GPU_ATTRIBUTES(ATTRIBUTE)
    default: return (gpu_result)GPU_NOT_FOUND;
  }
}

static gpu_result context_retain(gpu_context *context, gpu_device_id device) {
  gpu_result r = hip.retain(context, device);
  if (r == GPU_SUCCESS && device < DEVICES) contexts[device] = *context;
  return r;
}

/* hipDevicePrimaryCtxReset does nothing, so this function resets the current device. */
static gpu_result context_reset(gpu_device_id device) {
  gpu_context context;
  gpu_result r = hip.retain(&context, device);
  if (r == GPU_SUCCESS) r = gpu_amd.driver.context_use(context);
  return r == GPU_SUCCESS ? hip.reset() : r;
}

static gpu_result error_text(gpu_result error, const char **text) {
  *text = hip.error_text(error);
  return (gpu_result)GPU_SUCCESS;
}

static int device_of(gpu_context context) {
  int device = 0;
  while (device < DEVICES - 1 && contexts[device] != context) device++;
  return device;
}

static gpu_result copy_peer(gpu_address to, gpu_context to_context, gpu_address from, gpu_context from_context,
                            size_t bytes, gpu_stream s) {
  return hip.copy_peer((void *)(uintptr_t)to, device_of(to_context), (const void *)(uintptr_t)from,
                       device_of(from_context), bytes, s);
}

static gpu_result peer_enable(gpu_context peer, unsigned flags) { return hip.peer_enable(device_of(peer), flags); }

/* A kernel may use all of the shared memory without a request, and no kernel can use more. */
static gpu_result function_set(gpu_function f, gpu_func_attr a, int value) {
  (void)f; (void)a; (void)value;
  return (gpu_result)GPU_UNKNOWN;
}

/* ---- the driver's library ---- */

#define DRIVER_SYMBOL(field, nvidia, amd, result, parameters) {&gpu_amd.driver.field, #amd},
#define RTC_SYMBOL(field, nvidia, amd, result, parameters)    {&gpu_amd.rtc.field, #amd},
static const gpu_symbol driver_symbols[] = {
  DRIVER_FUNCTIONS(DRIVER_SYMBOL)
  {&hip.init, "hipInit"}, {&hip.attribute, "hipDeviceGetAttribute"}, {&hip.retain, "hipDevicePrimaryCtxRetain"},
  {&hip.reset, "hipDeviceReset"}, {&hip.error_text, "hipGetErrorString"}, {&hip.copy_peer, "hipMemcpyPeerAsync"},
  {&hip.peer_enable, "hipDeviceEnablePeerAccess"},
  {NULL, NULL}
};
static const gpu_symbol rtc_symbols[]    = {RTC_FUNCTIONS(RTC_SYMBOL) {NULL, NULL}};

/* Looks up the function that reads a device's properties. ROCm 6 has a longer struct of properties, and a function of
** another name for it. */
static bool find_properties(gpu_vendor *v, gpu_file file) {
  bool newer = dlsym(library, "hipGetDevicePropertiesR0600") != NULL;
  const gpu_symbol symbols[] = {
    {&hip.properties, newer ? "hipGetDevicePropertiesR0600" : "hipGetDeviceProperties"}, {NULL, NULL}
  };
  file.symbols = symbols;
  hip.size = newer ? 1472 : 792;
  hip.arch_at = newer ? 1160 : 396;
  return gpu_find_symbols(v, GPU_DRIVER, &file, library);
}

/* Returns false and writes the reason if HIP reports a version that is too old. Returns true if the version is unknown. A
** version of HIP is 10000000 * major + 100000 * minor + patch. The version is checked before the symbols, so that an old
** HIP is reported by its version instead of by a missing function. */
static bool is_new_enough(gpu_vendor *v) {
  gpu_result (*version)(int *) = NULL;
  int number = 0, *driver = v->versions.driver;
  gpu_set_field(&version, dlsym(library, "hipDriverGetVersion"));
  if (!version || version(&number) != GPU_SUCCESS) return true;
  v->versions.compiler = number;       /* hipRTC has the version 9.0 in all versions of ROCm 5 */
  driver[0] = number / 10000000;
  driver[1] = number % 10000000 / 100000;
  if (driver[0] >= AMD_OLDEST) return true;
  return gpu_set_reason(v, GPU_DRIVER, "libamdhip64.so is of HIP %d.%d; luatensor needs %d.0 or newer", driver[0], driver[1],
                        AMD_OLDEST);
}

static bool load_driver(gpu_vendor *v) {
  const gpu_file file = {
    "libamdhip64.so", AMD_NEWEST, AMD_OLDEST, "no AMD driver on this machine", driver_symbols, AMD_CURE
  };
  library = gpu_open_library(v, GPU_DRIVER, &file);
  if (!library || !is_new_enough(v) || !gpu_find_symbols(v, GPU_DRIVER, &file, library) || !find_properties(v, file))
    return false;
  v->driver.init = init;
  v->driver.device_attribute = device_attribute;
  v->driver.context_retain = context_retain;
  v->driver.context_reset = context_reset;
  v->driver.error_name = v->driver.error_text = error_text;
  v->driver.copy_peer = copy_peer;
  v->driver.peer_enable = peer_enable;
  v->driver.function_set = function_set;
  v->versions.emulated = dlsym(library, "emulator_is_no_gpu") != NULL;
  return true;
}

/* ---- the compiler ---- */

static const char RTC_MISSING[] =
  "hipRTC compiles the kernels: install ROCm's hiprtc, or name its folder in LUATENSOR_ROCM_PATH";

/* hipRTC is a part of libamdhip64.so, or a library of its own. */
static bool load_rtc(gpu_vendor *v) {
  const gpu_file file = {"libhiprtc.so", amd_version(v), amd_version(v), RTC_MISSING, rtc_symbols, AMD_CURE};
  int *version = v->versions.rtc;
  void *own = dlsym(library, "hiprtcVersion") ? library : gpu_open_library(v, GPU_RTC, &file);
  if (!own || !gpu_find_symbols(v, GPU_RTC, &file, own)) return false;
  return v->rtc.version(&version[0], &version[1]) == RTC_SUCCESS
    || gpu_set_reason(v, GPU_RTC, "hipRTC does not tell its version");
}

/* Writes the name of a device's processor with its features, such as "gfx90a:sramecc+:xnack-". */
static bool read_processor(gpu_device_id id, char *text, size_t size) {
  _Alignas(16) char properties[4096] = {0};
  if (hip.size > sizeof properties || hip.properties(properties, id) != GPU_SUCCESS) return false;
  snprintf(text, size, "%.*s", (int)size - 1, properties + hip.arch_at);
  return text[0] != 0;
}

/* The processors for which hipRTC 5.2.3 has compiled a kernel. Newer versions know them, too. */
static const char *const known[] = {
  "gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90a", "gfx90c", "gfx1010", "gfx1011", "gfx1012", "gfx1013",
  "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"
};

static bool is_known(const char *processor) {
  size_t length = strcspn(processor, ":");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == length && strncmp(known[i], processor, length) == 0) return true;
  return false;
}

/* True if the compiler generates code for the processor of the target. Otherwise writes the reason. */
static bool is_target(const gpu_vendor *v, const gpu_target *t, char reason[GPU_REASON]) {
  const int *version = v->versions.driver;
  enum gpu_trial trial = is_known(t->name) ? GPU_COMPILES : gpu_try_compiler(v, t->name);
  snprintf(reason, GPU_REASON, trial == GPU_REFUSES ? "hipRTC of ROCm %d.%d does not compile for %s"
           : "hipRTC of ROCm %d.%d may not know %s, and no child process could try it", version[0], version[1], t->name);
  return trial == GPU_COMPILES;
}

static bool choose_target(gpu_vendor *v, gpu_device_id id, gpu_target *t, char reason[GPU_REASON]) {
  if (read_processor(id, t->name, sizeof t->name)) return is_target(v, t, reason);
  snprintf(reason, GPU_REASON, "HIP does not tell the device's processor");
  return false;
}

/* GCN and CDNA, up to gfx9, have wavefronts of 64 lanes. The names of later processors have a longer number. */
static bool name_target(gpu_vendor *v, const char *processor, gpu_target *t, int *lanes, char reason[GPU_REASON]) {
  size_t length = strcspn(processor, ":");
  *lanes = strncmp(processor, "gfx", 3) == 0 && length == 6 ? 64 : 32;
  t->is_text = false;
  snprintf(t->name, sizeof t->name, "%s", processor);
  return is_target(v, t, reason);
}

static void name_isa(gpu_vendor *v, gpu_device_id id, char *text, size_t size) {
  (void)v;
  if (!read_processor(id, text, size)) text[0] = 0;
  text[strcspn(text, ":")] = 0;
}

/* ---- Fourier transforms ---- */

#define FFT_SYMBOL(field, nvidia, amd, result, parameters) {&gpu_amd.dft.field, #amd},
static const gpu_symbol fft_symbols[] = {FFT_FUNCTIONS(FFT_SYMBOL, fft_handle) {NULL, NULL}};

static const char FFT_MISSING[] = "install ROCm's hipfft, or name its folder in LUATENSOR_ROCM_PATH";

static bool load_dft(gpu_vendor *v) {
  const gpu_file file = {"libhipfft.so", 0, 0, FFT_MISSING, fft_symbols, "; that of ROCm 5.6 does"};
  return gpu_load_library(v, GPU_DFT, &file) != NULL;
}

/* ---- RCCL ---- */

static bool load_ccl(gpu_vendor *v) {
  return gpu_load_ccl(v, "librccl.so", 1, "install ROCm's rccl, or name its folder in LUATENSOR_ROCM_PATH");
}

/* ---- the vendor ---- */

static const char *const folders[] = {"lib", "lib64", NULL};
static const char *const options[] = {"--std=c++17", NULL};

/* Has the effect of NVRTC's option --device-as-default-execution-space. */
static const char text_start[] = "#pragma clang force_cuda_host_device begin\n";

gpu_vendor gpu_amd = {
  .device = "rocm", .first = VENDOR_GPUS,
  .no_device = "hipGetDeviceCount: no ROCm-capable device is detected",
  .names = {[GPU_DRIVER] = "HIP", [GPU_RTC] = "hipRTC", [GPU_BLAS] = "rocBLAS", [GPU_DFT] = "hipFFT",
            [GPU_SOLVER] = "rocSOLVER", [GPU_EIG] = "rocSOLVER", [GPU_DNN] = "MIOpen", [GPU_CCL] = "RCCL"},
  .search = {.list = "LUATENSOR_ROCM_PATH", .root = "ROCM_PATH", .roots = "/opt/rocm*",
             .wheels = "lib/python3*/site-packages/_rocm_sdk_*", .folders = folders},
  .load = {[GPU_DRIVER] = load_driver, [GPU_RTC] = load_rtc, [GPU_BLAS] = amd_load_blas, [GPU_DFT] = load_dft,
           [GPU_SOLVER] = amd_load_solver, [GPU_EIG] = amd_load_eig, [GPU_DNN] = amd_load_dnn, [GPU_CCL] = load_ccl},
  .options = options, .text_start = text_start, .no_fma = "-ffp-contract=off", .shared_plain = 64 << 10,
  .choose_target = choose_target, .name_target = name_target, .name_isa = name_isa,
  .blas_most = INT32_MAX, .blas_supports = amd_blas_supports, .blas_no_memory = ROCBLAS_NO_MEMORY,
  .blas_refuses = {ROCBLAS_NOT_IMPLEMENTED, ROCBLAS_NOT_BUILT, ROCBLAS_ARCH_MISMATCH},
  .solver_supports = amd_solver_supports, .solver_no_memory = ROCBLAS_NO_MEMORY, .pivot_bytes = sizeof(int32_t),
  .dnn_supports = amd_dnn_supports,
};
