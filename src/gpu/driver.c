/* Loads NVIDIA's libraries at their first use, and fills the tables that driver.h declares. */

#include "gpu/driver.h"

#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* DRIVER_OLDEST is the oldest driver version that has all functions of the table (CUDA 12.0). The toolkit's libraries
** are searched with major versions from MAJOR_OLDEST to MAJOR_NEWEST. */
enum { DRIVER_OLDEST = 12000, MAJOR_OLDEST = 12, MAJOR_NEWEST = 13 };

static gpu_driver driver;
static gpu_rtc    rtc;
static gpu_blas   blas;
static gpu_dft    dft;
static gpu_solver solver;
static gpu_eig    eig;
static gpu_dnn    dnn;
static struct { bool driver, rtc, blas, dft, solver, eig, dnn; } usable;
enum { WORDS = 320 };                   /* size in bytes of the buffer for a reason */
static struct { char driver[WORDS], rtc[WORDS], blas[WORDS], dft[WORDS], solver[WORDS], eig[WORDS], dnn[WORDS]; } reason;
static gpu_versions versions;
static bool own_folders;                /* the driver comes from a folder of LUATENSOR_CUDA_PATH */

/* ---- searching libraries ---- */

/* Stores dlopen's last message in `words` if `words` is empty. Also replaces a stored "No such file or directory" by a
** message about a file that exists but cannot be loaded, because the latter message is more useful. */
static void keep_words(char *words) {
  const char *now = dlerror();
  bool missing = !now || strstr(now, "No such file or directory");
  if (!words[0] || (!missing && strstr(words, "No such file or directory"))) snprintf(words, WORDS, "%s", now ? now : "");
}

static void *open_at(const char *folder, size_t length, const char *name, char *words) {
  char path[1024];
  if (length + strlen(name) + 2 > sizeof path) return NULL;
  snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) keep_words(words);
  return library;
}

/* Opens a library from the folders of LUATENSOR_CUDA_PATH, which are separated by colons. */
static void *open_in_own(const char *name, char *words) {
  const char *at = getenv("LUATENSOR_CUDA_PATH");
  void *library = NULL;
  for (size_t length; at && *at && !library; at += length + (at[length] == ':')) {
    length = strcspn(at, ":");
    if (length) library = open_at(at, length, name, words);
  }
  return library;
}

/* The folders of libraries in a toolkit, relative to its root. */
static const char *const toolkit_folders[] = {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", NULL};

static void *open_in_toolkit(const char *root, const char *name, char *words) {
  void *library = NULL;
  for (int i = 0; toolkit_folders[i] && !library; i++) {
    char folder[768];
    snprintf(folder, sizeof folder, "%s/%s", root, toolkit_folders[i]);
    library = open_at(folder, strlen(folder), name, words);
  }
  return library;
}

/* Opens a library in the toolkits under /usr/local. glob sorts the names, so /usr/local/cuda, the link to the toolkit
** in use, comes first. */
static void *open_in_usual(const char *name, char *words) {
  glob_t found;
  void *library = NULL;
  if (glob("/usr/local/cuda*", 0, NULL, &found) != 0) return NULL;
  for (size_t i = 0; i < found.gl_pathc && !library; i++)
    library = open_in_toolkit(found.gl_pathv[i], name, words);
  globfree(&found);
  return library;
}

/* Opens a library. Searches the folders of LUATENSOR_CUDA_PATH, then the loader's path, then the toolkits. If the
** driver itself comes from LUATENSOR_CUDA_PATH (as the emulator does), no other folders are searched. `words`
** receives the loader's message on failure. */
static void *open_library(const char *name, char *words) {
  const char *home = getenv("CUDA_HOME");
  void *library = open_in_own(name, words);
  if (library || own_folders) return library;
  if (strstr(words, "No such file or directory")) words[0] = 0;      /* drops the message about the file in
                                                                     ** LUATENSOR_CUDA_PATH, so that the message of
                                                                     ** the loader's own search is kept */
  library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) keep_words(words);
  if (!library && home && *home) library = open_in_toolkit(home, name, words);
  if (!library) library = open_in_usual(name, words);
  return library;
}

/* Replaces ": No such file or directory" at the end of `words` by `meaning` in parentheses. */
static void explain_missing(char *words, const char *meaning) {
  char *end = strstr(words, ": No such file or directory");
  if (end) snprintf(end, WORDS - (size_t)(end - words), " (%s)", meaning);
}

/* ---- filling tables ---- */

typedef struct symbol { void *field; const char *name; } symbol;

#define DRIVER_SYMBOL(field, symbol, result, parameters) {&driver.field, #symbol},
#define RTC_SYMBOL(field, symbol, result, parameters)    {&rtc.field, #symbol},
#define BLAS_SYMBOL(field, symbol, result, parameters)   {&blas.field, #symbol},
#define FFT_SYMBOL(field, symbol, result, parameters)    {&dft.field, #symbol},
#define SOLVER_SYMBOL(field, symbol, result, parameters) {&solver.field, #symbol},
#define EIG_SYMBOL(field, symbol, result, parameters)    {&eig.field, #symbol},
#define DNN_SYMBOL(field, symbol, result, parameters)    {&dnn.field, #symbol},
static const symbol driver_symbols[] = {DRIVER_FUNCTIONS(DRIVER_SYMBOL) {NULL, NULL}};
static const symbol rtc_symbols[]    = {RTC_FUNCTIONS(RTC_SYMBOL) {NULL, NULL}};
static const symbol blas_symbols[]   = {BLAS_FUNCTIONS(BLAS_SYMBOL) {NULL, NULL}};
static const symbol fft_symbols[]    = {FFT_FUNCTIONS(FFT_SYMBOL) {NULL, NULL}};
static const symbol solver_symbols[] = {SOLVER_FUNCTIONS(SOLVER_SYMBOL) {NULL, NULL}};
static const symbol eig_symbols[]    = {EIG_FUNCTIONS(EIG_SYMBOL) {NULL, NULL}};
static const symbol dnn_symbols[]    = {DNN_FUNCTIONS(DNN_SYMBOL) {NULL, NULL}};

/* Stores a function's address in a field. memcpy is used because ISO C cannot convert void * to a function pointer.
** POSIX guarantees that both have the same representation. */
static void set_field(void *field, void *function) { memcpy(field, &function, sizeof function); }

/* Fills a table from the library. Returns the name of the first function that the library lacks, or NULL if the table
** is complete. */
static const char *load_symbols(const symbol *s, void *library) {
  for (; s->name; s++) {
    void *function = dlsym(library, s->name);
    if (!function) return s->name;
    set_field(s->field, function);
  }
  return NULL;
}

/* ---- the driver's library ---- */

/* Returns false and writes the reason if the driver reports a version that is too old. Returns true if the version is
** unknown. The version is checked before the table is filled, so that an old driver is reported by its version instead
** of by a missing function. */
static bool driver_fits(void *library) {
  gpu_result (*version)(int *) = NULL;
  set_field(&version, dlsym(library, "cuDriverGetVersion"));
  if (!version || version(&versions.driver) != 0 || versions.driver >= DRIVER_OLDEST) return true;
  snprintf(reason.driver, WORDS, "the driver is for CUDA %d.%d; luatensor needs %d.%d or newer",
           versions.driver / 1000, versions.driver % 1000 / 10, DRIVER_OLDEST / 1000, DRIVER_OLDEST % 1000 / 10);
  return false;
}

static void load_driver(void) {
  char *words = reason.driver;
  void *library = open_in_own("libcuda.so.1", words);
  own_folders = library != NULL;
  if (!library) library = open_library("libcuda.so.1", words);
  if (!library) {
    explain_missing(words, "no NVIDIA driver on this machine");
    return;
  }
  if (!driver_fits(library)) return;
  const char *missing = load_symbols(driver_symbols, library);
  if (missing) snprintf(words, WORDS, "libcuda.so.1 has no function %s; a newer driver does", missing);
  usable.driver = !missing;
  versions.emulated = dlsym(library, "emulator_is_no_gpu") != NULL;
}

/* ---- libraries whose file names contain the major version ---- */

/* Opens the newest version of a library that is found, from major version `newest` down to `oldest`. The file without
** a version number is tried last. */
static void *open_versioned(const char *name, int newest, int oldest, char *words) {
  char file[64];
  void *library = NULL;
  for (int major = newest; major >= oldest && !library; major--) {
    snprintf(file, sizeof file, "%s.%d", name, major);
    library = open_library(file, words);
  }
  return library ? library : open_library(name, words);
}

/* Opens a library and fills its table. Versions newer than the driver are skipped, because the driver could not load
** their output. `behind` is the toolkit's major version minus the library's major version. `meaning` tells users the
** consequence of a missing file. If the library cannot be used, writes the reason to `words` and returns NULL. */
static void *load_library(const char *name, int behind, const char *meaning, const symbol *symbols, char *words) {
  int major = versions.driver / 1000, newest = major < MAJOR_NEWEST ? major : MAJOR_NEWEST;
  void *library = open_versioned(name, newest - behind, MAJOR_OLDEST - behind, words);
  if (!library) explain_missing(words, meaning);
  const char *missing = library ? load_symbols(symbols, library) : NULL;
  if (missing) snprintf(words, WORDS, "%s has no function %s", name, missing);
  return missing ? NULL : library;
}

static const char RTC_MISSING[] =
  "NVRTC compiles the kernels: install the CUDA toolkit's nvrtc, or name its folder in LUATENSOR_CUDA_PATH";

static void load_rtc(void) {
  char *words = reason.rtc;
  if (!load_library("libnvrtc.so", 0, RTC_MISSING, rtc_symbols, words)) return;
  if (rtc.version(&versions.rtc[0], &versions.rtc[1]) != 0)
    snprintf(words, WORDS, "libnvrtc.so does not tell its version");
  else if (versions.rtc[0] > versions.driver / 1000)
    snprintf(words, WORDS, "NVRTC %d.%d is newer than the driver, which is for CUDA %d.%d: install NVRTC %d",
             versions.rtc[0], versions.rtc[1], versions.driver / 1000, versions.driver % 1000 / 10, versions.driver / 1000);
  else usable.rtc = true;
}

/* cublasGetProperty is not in the table, because cuBLAS is usable without it: the version is only shown to users. */
static void load_blas(void) {
  void *library = load_library("libcublas.so", 0, "matrix products take luatensor's own kernels", blas_symbols, reason.blas);
  if (!library) return;
  usable.blas = true;
  blas_result (*property)(int, int *) = NULL;
  set_field(&property, dlsym(library, "cublasGetProperty"));
  for (int part = 0; property && part < 2; part++)
    if (property(part, &versions.blas[part]) != 0) versions.blas[part] = 0;
}

/* load_dft and load_solver pass 1 as `behind`, because CUDA 12 and 13 contain versions 11 and 12 of cuFFT and
** cuSOLVER. */
static const char FFT_MISSING[] =
  "install the CUDA toolkit's cufft, or name its folder in LUATENSOR_CUDA_PATH";

static void load_dft(void) { usable.dft = load_library("libcufft.so", 1, FFT_MISSING, fft_symbols, reason.dft) != NULL; }

static const char SOLVER_MISSING[] =
  "install the CUDA toolkit's cusolver, or name its folder in LUATENSOR_CUDA_PATH";

/* Eigenvalues of general matrices need cuSOLVER of CUDA 12.6. Older versions are usable for all other ops. */
static void load_solver(void) {
  void *library = load_library("libcusolver.so", 1, SOLVER_MISSING, solver_symbols, reason.solver);
  usable.solver = library != NULL;
  if (!library) {
    memcpy(reason.eig, reason.solver, WORDS);
    return;
  }
  const char *missing = load_symbols(eig_symbols, library);
  if (missing)
    snprintf(reason.eig, WORDS, "libcusolver.so has no function %s; that of CUDA 12.6 does", missing);
  usable.eig = !missing;
}

/* ---- cuDNN: optional, for convolutions ---- */

enum { DNN_OLDEST = 8, DNN_NEWEST = 9 };

static const char DNN_MISSING[] =
  "convolutions take luatensor's own kernels: install cuDNN, or name its folder in LUATENSOR_CUDA_PATH";

/* Splits cuDNN's version number. Version 8 is encoded as 1000 * major + 100 * minor + patch, version 9 as 10000 *
** major + 100 * minor + patch. */
static void read_dnn_version(void) {
  int version = (int)dnn.version(), major = version >= 90000 ? 10000 : 1000;
  versions.dnn[0] = version / major;
  versions.dnn[1] = version % major / 100;
}

/* True if cuDNN was built for a CUDA version that the driver supports. cuDNN's files have the same names for CUDA 12
** and 13, so the function compares the version that the library reports. */
static bool dnn_fits(char *words) {
  int runtime = (int)dnn.runtime_version(), major = versions.driver / 1000;
  if (runtime / 1000 <= major) return true;
  snprintf(words, WORDS, "cuDNN %d.%d is for CUDA %d.%d, newer than the driver, which is for CUDA %d.%d: install that for "
           "CUDA %d", versions.dnn[0], versions.dnn[1], runtime / 1000, runtime % 1000 / 10, major,
           versions.driver % 1000 / 10, major);
  return false;
}

static void load_dnn(void) {
  char *words = reason.dnn;
  const char *wanted = getenv("LUATENSOR_CUDNN");
  if (wanted && strcmp(wanted, "off") == 0) {
    snprintf(words, WORDS, "LUATENSOR_CUDNN=off: convolutions take luatensor's own kernels");
    return;
  }
  void *library = open_versioned("libcudnn.so", DNN_NEWEST, DNN_OLDEST, words);
  if (!library) {
    explain_missing(words, DNN_MISSING);
    return;
  }
  const char *missing = load_symbols(dnn_symbols, library);
  if (missing) {
    snprintf(words, WORDS, "libcudnn.so has no function %s", missing);
    return;
  }
  read_dnn_version();
  words[0] = 0;              /* drops the messages about folders that do not contain the library */
  usable.dnn = dnn_fits(words);
}

void gpu_dnn_complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason.dnn, WORDS, format, arguments);
  va_end(arguments);
}

/* ---- loading at first use ---- */

/* A library is loaded at its first use, because loading may be expensive: cuBLAS takes half a gigabyte of memory. */
static pthread_once_t driver_once = PTHREAD_ONCE_INIT, rtc_once = PTHREAD_ONCE_INIT, blas_once = PTHREAD_ONCE_INIT,
                      dft_once = PTHREAD_ONCE_INIT, solver_once = PTHREAD_ONCE_INIT, dnn_once = PTHREAD_ONCE_INIT;

/* Loads a library at the first call, if the driver is usable. Returns true if the library is usable. */
static bool look_once(pthread_once_t *once, void (*load)(void), const bool *is_usable) {
  if (gpu_get_driver()) pthread_once(once, load);
  return *is_usable;
}

const gpu_driver *gpu_get_driver(void) {
  pthread_once(&driver_once, load_driver);
  return usable.driver ? &driver : NULL;
}
const gpu_rtc *gpu_get_rtc(void)       { return look_once(&rtc_once, load_rtc, &usable.rtc) ? &rtc : NULL; }
const gpu_blas *gpu_get_blas(void)     { return look_once(&blas_once, load_blas, &usable.blas) ? &blas : NULL; }
const gpu_dft *gpu_get_dft(void)       { return look_once(&dft_once, load_dft, &usable.dft) ? &dft : NULL; }
const gpu_solver *gpu_get_solver(void) { return look_once(&solver_once, load_solver, &usable.solver) ? &solver : NULL; }
const gpu_dnn *gpu_get_dnn(void)       { return look_once(&dnn_once, load_dnn, &usable.dnn) ? &dnn : NULL; }
const gpu_eig *gpu_get_eig(void) { return gpu_get_solver() && usable.eig ? &eig : NULL; }

const char *gpu_driver_reason(void) { return gpu_get_driver() ? "" : reason.driver; }
const char *gpu_rtc_reason(void)    { return gpu_get_rtc() ? "" : gpu_get_driver() ? reason.rtc : reason.driver; }
const char *gpu_blas_reason(void)   { return gpu_get_blas() ? "" : gpu_get_driver() ? reason.blas : reason.driver; }
const char *gpu_dft_reason(void)    { return gpu_get_dft() ? "" : gpu_get_driver() ? reason.dft : reason.driver; }
const char *gpu_solver_reason(void) { return gpu_get_solver() ? "" : gpu_get_driver() ? reason.solver : reason.driver; }
const char *gpu_eig_reason(void)    { return gpu_get_eig() ? "" : gpu_get_driver() ? reason.eig : reason.driver; }
/* The result may be a reason even if the library is usable, because gpu_dnn_complain sets a reason if cuDNN does not
** start on one of the devices. */
const char *gpu_dnn_reason(void)    { return gpu_get_dnn() || gpu_get_driver() ? reason.dnn : reason.driver; }
const gpu_versions *gpu_get_versions(void) { return &versions; }
