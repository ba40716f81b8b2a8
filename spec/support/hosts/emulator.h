/* Helpers of programs that test the emulated GPU: the functions of src/gpu/driver.h, and assertions that end the
   program. */
#ifndef EMULATOR_HOST_H
#define EMULATOR_HOST_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/gpu/driver.h"

enum {
  SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, NO_DEVICE = 100, INVALID_IMAGE = 200, INVALID_CONTEXT, NO_BINARY = 209,
  INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, OUT_OF_RESOURCES, ASSERTED = 710,
  MISALIGNED = 716, LAUNCH_FAILED = 719, CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED, CAPTURE_MERGE, CAPTURE_UNMATCHED,
  CAPTURE_UNJOINED, CAPTURE_ISOLATION, CAPTURE_IMPLICIT, CAPTURED_EVENT
};
enum { CAPTURE_GLOBAL, CAPTURE_THREAD };
enum { DEFAULT_STREAM_FLAGS, NON_BLOCKING };

static gpu_driver cu;
static gpu_rtc    rtc;
static gpu_blas   blas;
static gpu_context context;                  /* the context of device 0 */
static gpu_stream  stream;                   /* a non-blocking stream */
static int (*configure)(const char *);

static void fail(const char *file, int line, const char *what, int got) {
  const char *name = "";
  if (cu.error_name && cu.error_name(got, &name)) name = "";
  printf("%s:%d: %s (%d %s)\n", file, line, what, got, name ? name : "");
  fflush(stdout);
  _Exit(1);
}

#define expect(condition) ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition, 0))
#define expect_result(wanted, call) do { \
    int result_ = (call); \
    if (result_ != (wanted)) fail(__FILE__, __LINE__, #call " is not " #wanted, result_); \
  } while (0)
#define ok(call) expect_result(SUCCESS, call)

static void *open_library(const char *name) {
  const char *folder = getenv("LUATENSOR_CUDA_PATH");
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "build/spec/emulator", name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(__FILE__, __LINE__, dlerror(), 0);
  return library;
}

/* Loads a function into its field of the table. The program fails if the library lacks the function. */
#define FIND(table, field, symbol) do { \
    *(void **)&table.field = dlsym(library, #symbol); \
    if (!table.field) fail(__FILE__, __LINE__, "no " #symbol, 0); \
  } while (0);
#define FIND_DRIVER(field, nvidia, amd, result, parameters) FIND(cu, field, nvidia)
#define FIND_RTC(field, nvidia, amd, result, parameters) FIND(rtc, field, nvidia)
#define FIND_BLAS(field, nvidia, amd, result, parameters) FIND(blas, field, nvidia)

static void open_libraries(void) {
  void *library = open_library("libcuda.so.1");
  DRIVER_FUNCTIONS(FIND_DRIVER)
  *(void **)&configure = dlsym(library, "emulator_configure");
  library = open_library("libnvrtc.so");
  RTC_FUNCTIONS(FIND_RTC)
  library = open_library("libcublas.so");
  BLAS_FUNCTIONS(FIND_BLAS)
}

static void open_device(void) {
  ok(cu.init(0));
  ok(cu.context_retain(&context, 0));
  ok(cu.context_use(context));
  ok(cu.stream_create(&stream, NON_BLOCKING));
}

static void close_device(void) {
  cu.context_reset(0);
  cu.context_release(0);
}

/* Compiles a source. *result: the compiler's status; *log: its log. Returns the image, or NULL if the compilation
   failed. The caller frees the image and the log. */
static inline void *compile_for(const char *source, const char *arch, int *result, char **log) {
  rtc_program p;
  size_t bytes;
  char option[64];
  snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
  const char *options[] = {option, "--std=c++17", "--fmad=false", "-DTWO=2"};
  ok(rtc.create(&p, source, "user.cu", 0, NULL, NULL));
  *result = rtc.compile(p, 4, options);
  ok(rtc.log_size(p, &bytes));
  *log = malloc(bytes);
  ok(rtc.log(p, *log));
  char *image = NULL;
  if (!*result) {
    ok(rtc.binary_size(p, &bytes));
    image = malloc(bytes);
    ok(rtc.binary(p, image));
  }
  ok(rtc.destroy(&p));
  return image;
}

static inline gpu_module load(const char *source) {
  int result;
  char *log;
  gpu_module m;
  void *image = compile_for(source, "sm_90", &result, &log);
  if (result) fail(__FILE__, __LINE__, log, 0);
  free(log);
  ok(cu.module_load(&m, image));
  free(image);
  return m;
}

static inline gpu_function function(gpu_module m, const char *name) {
  gpu_function f;
  ok(cu.module_function(&f, m, name));
  return f;
}

static inline gpu_address allocate(size_t bytes) {
  gpu_address a;
  ok(cu.memory_alloc(&a, bytes));
  return a;
}

static inline void launch(gpu_function f, unsigned blocks, unsigned threads, void **arguments) {
  ok(cu.launch(f, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, NULL));
}

static inline void read_back(void *to, gpu_address from, size_t bytes) {
  ok(cu.copy_out(to, from, bytes, stream));
  ok(cu.stream_sync(stream));
}

static inline void write_to(gpu_address to, const void *from, size_t bytes) { ok(cu.copy_in(to, from, bytes, stream)); }

typedef struct test { const char *name; void (*run)(void); } test;

/* Without an argument, prints the names of the tests; with a name, opens the device and runs this test. Returns the
   exit status: 1 if no test has the name. */
static int run_tests(const test *t, int argc, char **argv) {
  for (; t->name; t++) {
    if (argc < 2) puts(t->name);
    else if (!strcmp(t->name, argv[1])) {
      open_libraries();
      open_device();
      t->run();
      close_device();
      return 0;
    }
  }
  return argc > 1;
}

#endif
