/* Searches the libraries of GPUs' vendors, and loads each at its first use. */

#include "gpu/vendor/vendor.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/system.h"
#include "base/text.h"

/* ---- reasons ---- */

/* Stores dlopen's last message in `words` if `words` is empty. Also replaces a stored "No such file or directory" by a
** message about a file that exists but cannot be loaded, because the latter message is more useful. Such a message may
** name a missing library that the file needs. */
static void keep_words(const char *file, char *words) {
  const char *now = dlerror();
  bool missing = !now || (strstr(now, "No such file or directory") && strncmp(now, file, strlen(file)) == 0);
  if (!words[0] || (!missing && strstr(words, "No such file or directory")))
    snprintf(words, GPU_REASON, "%s", now ? now : "");
}

/* Replaces ": No such file or directory" at the end of the words by `meaning` in parentheses. */
static void explain_missing(char *words, const char *meaning) {
  char *end = strstr(words, ": No such file or directory");
  if (end) snprintf(end, GPU_REASON - (size_t)(end - words), " (%s)", meaning);
}

bool gpu_set_reason(gpu_vendor *v, enum gpu_library k, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(v->library[k].reason, GPU_REASON, format, arguments);
  va_end(arguments);
  return false;
}

void gpu_dnn_complain(gpu_vendor *v, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(v->library[GPU_DNN].reason, GPU_REASON, format, arguments);
  va_end(arguments);
}

bool gpu_variable_is(const char *variable, const char *text, int *known) {
  if (*known < 0) {
    const char *value = getenv(variable);
    *known = value && strcmp(value, text) == 0;
  }
  return *known == 1;
}

bool gpu_dnn_is_off(gpu_vendor *v, const char *variable) {
  int known = -1;
  bool off = gpu_variable_is(variable, "off", &known);
  if (off) gpu_set_reason(v, GPU_DNN, "%s=off: convolutions take luatensor's own kernels", variable);
  return off;
}

/* ---- searching libraries ---- */

/* An opener opens a library at a place, or writes the loader's message to `words` and returns NULL. */
typedef void *opener(const gpu_vendor *v, const char *place, const char *name, char *words);

static void *open_in_folder(const gpu_vendor *v, const char *folder, const char *name, char *words) {
  char path[1024];
  (void)v;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return NULL;
  if (!system_is_whole(path)) {
    snprintf(words, GPU_REASON, "%.256s: the file is not whole", path);
    return NULL;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) keep_words(path, words);
  return library;
}

static void *open_in_toolkit(const gpu_vendor *v, const char *root, const char *name, char *words) {
  void *library = NULL;
  for (int i = 0; v->search.folders[i] && !library; i++) {
    char folder[768];
    snprintf(folder, sizeof folder, "%s/%s", root, v->search.folders[i]);
    library = open_in_folder(v, folder, name, words);
  }
  return library;
}

/* Opens a library in the toolkits whose roots match the pattern. glob sorts the names, so the link to the toolkit in
** use, whose name has no version number, comes first. */
static void *open_in_roots(const gpu_vendor *v, const char *roots, const char *name, char *words) {
  glob_t found;
  void *library = NULL;
  if (glob(roots, 0, NULL, &found) != 0) return NULL;
  for (size_t i = 0; i < found.gl_pathc && !library; i++)
    library = open_in_toolkit(v, found.gl_pathv[i], name, words);
  globfree(&found);
  return library;
}

/* Opens a library by the loader's path or in the installed toolkits. */
static void *open_in_system(const gpu_vendor *v, const char *roots, const char *name, char *words) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) keep_words(name, words);
  return library ? library : open_in_roots(v, roots, name, words);
}

/* Opens the newest version of a library at a place, or else the file without a version number. */
static void *open_newest(const gpu_vendor *v, opener *open, const char *place, const gpu_file *f, char *words) {
  char name[64];
  void *library = NULL;
  for (int major = f->newest; major >= f->oldest && !library; major--) {
    snprintf(name, sizeof name, "%s.%d", f->name, major);
    library = open(v, place, name, words);
  }
  return library ? library : open(v, place, f->name, words);
}

/* Opens a library from the folders of search.list, which are separated by colons. */
static void *open_in_list(const gpu_vendor *v, const gpu_file *f, char *words) {
  const char *at = getenv(v->search.list);
  void *library = NULL;
  for (size_t length; at && *at && !library; at += length + (at[length] == ':')) {
    char folder[1024];
    length = strcspn(at, ":");
    if (length == 0 || length >= sizeof folder) continue;
    snprintf(folder, sizeof folder, "%.*s", (int)length, at);
    library = open_newest(v, open_in_folder, folder, f, words);
  }
  return library;
}

/* Opens a library in the toolkits of Python's active virtual environment. */
static void *open_in_wheels(const gpu_vendor *v, const gpu_file *f, char *words) {
  const char *environment = getenv("VIRTUAL_ENV");
  char escaped[768], roots[1024];
  if (!v->search.wheels || !environment || !*environment || !text_escape(escaped, sizeof escaped, environment)) return NULL;
  snprintf(roots, sizeof roots, "%s/%s", escaped, v->search.wheels);
  return open_newest(v, open_in_roots, roots, f, words);
}

/* Drops the message about a missing file, so that the next place's message is kept. */
static void drop_missing(char *words) {
  if (strstr(words, "No such file or directory")) words[0] = 0;
}

static void *open_elsewhere(const gpu_vendor *v, const gpu_file *f, char *words) {
  const char *root = getenv(v->search.root);
  void *library = root && *root ? open_newest(v, open_in_toolkit, root, f, words) : NULL;
  if (!library) library = open_in_wheels(v, f, words);
  drop_missing(words);
  return library ? library : open_newest(v, open_in_system, v->search.roots, f, words);
}

void *gpu_open_library(gpu_vendor *v, enum gpu_library k, const gpu_file *f) {
  char *words = v->library[k].reason;
  void *library = open_in_list(v, f, words);
  if (library && k == GPU_DRIVER) v->own_folders = true;
  if (!library && !v->own_folders) {
    drop_missing(words);
    library = open_elsewhere(v, f, words);
  }
  if (!library) explain_missing(words, f->missing);
  return library;
}

bool gpu_find_symbols(gpu_vendor *v, enum gpu_library k, const gpu_file *f, void *library) {
  for (const gpu_symbol *s = f->symbols; s->name; s++) {
    if (s->name[0] == '-') continue;
    void *function = dlsym(library, s->name);
    if (!function) return gpu_set_reason(v, k, "%s has no function %s%s", f->name, s->name, f->cure);
    gpu_set_field(s->field, function);
  }
  return true;
}

void *gpu_load_library(gpu_vendor *v, enum gpu_library k, const gpu_file *f) {
  void *library = gpu_open_library(v, k, f);
  return library && gpu_find_symbols(v, k, f, library) ? library : NULL;
}

/* ---- the exchange between processes: NCCL and RCCL ---- */

/* CCL_OLDEST is the oldest version with all functions and dtypes of ccl.h, 10000 * major + 100 * minor + patch. */
enum { CCL_OLDEST = 21000 };

/* The version is read before the functions, so that an old library is reported by its version. Before version 2.9, the
** number was 1000 * major + 100 * minor + patch. */
static bool ccl_fits(gpu_vendor *v, void *library) {
  ccl_result (*version)(int *) = NULL;
  int number = 0, *is = v->versions.ccl;
  gpu_set_field(&version, dlsym(library, "ncclGetVersion"));
  if (!version || version(&number) != CCL_SUCCESS)
    return gpu_set_reason(v, GPU_CCL, "%s does not tell its version", v->names[GPU_CCL]);
  is[0] = number >= 10000 ? number / 10000 : number / 1000;
  is[1] = number >= 10000 ? number % 10000 / 100 : number % 1000 / 100;
  return number >= CCL_OLDEST || gpu_set_reason(v, GPU_CCL, "%s %d.%d is too old; luatensor needs %d.%d or newer",
                                                v->names[GPU_CCL], is[0], is[1], CCL_OLDEST / 10000, CCL_OLDEST % 10000 / 100);
}

bool gpu_load_ccl(gpu_vendor *v, const char *name, int major, const char *missing) {
#define CCL_SYMBOL(field, symbol, result, parameters) {&v->ccl.field, #symbol},
  const gpu_symbol symbols[] = {CCL_FUNCTIONS(CCL_SYMBOL) {NULL, NULL}};
  const gpu_file file = {name, major, major, missing, symbols, ""};
  void *library = gpu_open_library(v, GPU_CCL, &file);
  return library && ccl_fits(v, library) && gpu_find_symbols(v, GPU_CCL, &file, library);
}

/* ---- loading at first use ---- */

/* Loads the library at the first call. A usable library has no reason, so messages about folders that do not contain
** the library are dropped. */
static void load_once(gpu_vendor *v, enum gpu_library k) {
  if (atomic_load_explicit(&v->library[k].asked, memory_order_acquire)) return;
  lock_take(LOCK_LIBRARIES);
  if (!atomic_load(&v->library[k].asked)) {
    v->library[k].usable = v->load[k](v);
    if (v->library[k].usable) v->library[k].reason[0] = 0;
    atomic_store_explicit(&v->library[k].asked, true, memory_order_release);
  }
  lock_release(LOCK_LIBRARIES);
}

/* Returns true if the library is usable. Libraries are loaded at their first use, because loading may be expensive:
** a library of matrix products may take half a gigabyte of memory. */
static bool is_usable(gpu_vendor *v, enum gpu_library k) {
  if (k != GPU_DRIVER && !is_usable(v, GPU_DRIVER)) return false;
  if (k == GPU_EIG && !is_usable(v, GPU_SOLVER)) return false;
  load_once(v, k);
  return v->library[k].usable;
}

const gpu_driver *gpu_get_driver(gpu_vendor *v) { return is_usable(v, GPU_DRIVER) ? &v->driver : NULL; }
const gpu_rtc    *gpu_get_rtc(gpu_vendor *v)    { return is_usable(v, GPU_RTC) ? &v->rtc : NULL; }
const gpu_blas   *gpu_get_blas(gpu_vendor *v)   { return is_usable(v, GPU_BLAS) ? &v->blas : NULL; }
const gpu_dft    *gpu_get_dft(gpu_vendor *v)    { return is_usable(v, GPU_DFT) ? &v->dft : NULL; }
const gpu_solver *gpu_get_solver(gpu_vendor *v) { return is_usable(v, GPU_SOLVER) ? &v->solver : NULL; }
const gpu_eig    *gpu_get_eig(gpu_vendor *v)    { return is_usable(v, GPU_EIG) ? &v->eig : NULL; }
const gpu_dnn    *gpu_get_dnn(gpu_vendor *v)    { return is_usable(v, GPU_DNN) ? &v->dnn : NULL; }
const gpu_ccl    *gpu_get_ccl(gpu_vendor *v)    { return is_usable(v, GPU_CCL) ? &v->ccl : NULL; }

bool gpu_has_bf16x9(gpu_vendor *v) {
  const int *has = v->versions.blas, *first = v->blas_bf16x9;
  return first[0] && gpu_get_blas(v) && (has[0] > first[0] || (has[0] == first[0] && has[1] >= first[1]));
}

const gpu_rtc *gpu_get_compiler(gpu_vendor *v, const char **reason) {
  bool driver = is_usable(v, GPU_DRIVER);
  *reason = v->library[driver || v->rtc_alone ? GPU_RTC : GPU_DRIVER].reason;
  if (!driver && !v->rtc_alone) return NULL;
  load_once(v, GPU_RTC);
  return v->library[GPU_RTC].usable ? &v->rtc : NULL;
}

const char *gpu_reason(gpu_vendor *v, enum gpu_library k) {
  if (!is_usable(v, GPU_DRIVER)) return v->library[GPU_DRIVER].reason;
  if (k == GPU_EIG && !is_usable(v, GPU_SOLVER)) return v->library[GPU_SOLVER].reason;
  is_usable(v, k);
  return v->library[k].reason;
}

/* ---- properties ---- */

int gpu_attribute_of(const gpu_driver *d, gpu_device_id id, gpu_attribute a) {
  int value = 0;
  return d->device_attribute(&value, a, id) == GPU_SUCCESS ? value : 0;
}
