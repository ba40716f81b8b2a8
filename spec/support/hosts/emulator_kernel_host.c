/* Tests that the emulated GPU runs kernels as a real GPU does. Without an argument `emulator_kernel_host` lists its
** tests; with a name it runs that test. */

#include "emulator.h"

static int values[4096];

/* Runs kernel k of a source with one argument, a buffer, and copies the buffer to `values`. */
static void run_kernel(const char *source, unsigned blocks, unsigned threads, unsigned shared) {
  gpu_address out = allocate(sizeof values);
  gpu_module m = load(source);
  void *arguments[] = {&out};
  ok(cu.set_8(out, 0, sizeof values, stream));
  ok(cu.launch(function(m, "k"), blocks, 1, 1, threads, 1, 1, shared, stream, arguments, NULL));
  read_back(values, out, sizeof values);
  ok(cu.module_unload(m));
  ok(cu.memory_free(out));
}

#define KERNEL "extern \"C\" __global__ void k(int *out) {\n"

static void dims(void) {
  gpu_address out = allocate(sizeof values);
  gpu_module m = load("extern \"C\" __global__ void k(int *out, int scale) {\n"
    "  unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
    "  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "  unsigned n = b * blockDim.x * blockDim.y * blockDim.z + t;\n"
    "  out[n] = n * scale; }\n");
  int scale = 3;
  void *arguments[] = {&out, &scale};
  ok(cu.launch(function(m, "k"), 2, 3, 4, 5, 3, 2, 0, stream, arguments, NULL));
  read_back(values, out, sizeof values);
  for (int i = 0; i < 2 * 3 * 4 * 5 * 3 * 2; i++) expect(values[i] == 3 * i);
}

static void arguments_of_any_kind(void) {
  struct { char c; double d; short s[3]; } s = {7, 0.5, {1, 2, 3}};
  gpu_address out = allocate(8);
  gpu_module m = load("struct S { char c; double d; short s[3]; };\n"
    "extern \"C\" __global__ void k(S s, double *out, char c, long long n) { *out = s.c + s.d + s.s[2] + c + n; }\n");
  char c = 100;
  long long n = 1000;
  double sum;
  void *arguments[] = {&s, &out, &c, &n};
  launch(function(m, "k"), 1, 1, arguments);
  s.c = 0;
  read_back(&sum, out, 8);
  expect(sum == 7 + 0.5 + 3 + 100 + 1000);
}

/* Between two barriers, each thread reads an element that another thread has written. */
static void barrier(void) {
  run_kernel(KERNEL
    "  __shared__ int s[256];\n"
    "  for (int i = 0; i < 3; i++) {\n"
    "    s[threadIdx.x] = threadIdx.x + i + blockIdx.x;\n"
    "    __syncthreads();\n"
    "    out[blockIdx.x * 256 + threadIdx.x] += s[(threadIdx.x + 100) % 256];\n"
    "    __syncthreads();\n"
    "  } }\n", 4, 256, 0);
  for (int b = 0; b < 4; b++)
    for (int t = 0; t < 256; t++) expect(values[256 * b + t] == 3 * ((t + 100) % 256 + b) + 3);
}

static void barrier_in_reverse(void) {
  ok(configure("threads=reverse"));
  barrier();
}

static void barrier_counts(void) {
  run_kernel(KERNEL
    "  int t = threadIdx.x;\n"
    "  out[3 * t] = __syncthreads_count(t % 3 == 0);\n"
    "  out[3 * t + 1] = __syncthreads_or(t == 5);\n"
    "  out[3 * t + 2] = __syncthreads_and(t != 5); }\n", 1, 100, 0);
  for (int t = 0; t < 100; t++)
    expect(values[3 * t] == 34 && values[3 * t + 1] == 1 && values[3 * t + 2] == 0);
}

static void dynamic_shared(void) {
  run_kernel("extern __shared__ __align__(16) unsigned char all[];\n" KERNEL
    "  extern __shared__ int s[];\n"
    "  s[threadIdx.x] = threadIdx.x;\n"
    "  __syncthreads();\n"
    "  out[threadIdx.x] = s[99 - threadIdx.x] + ((long)all % 16) + ((void *)all != (void *)s); }\n", 1, 100, 400);
  for (int t = 0; t < 100; t++) expect(values[t] == 99 - t);
}

static void shuffles(void) {
  run_kernel(KERNEL
    "  int t = threadIdx.x, *o = out + 8 * t;\n"
    "  o[0] = __shfl_sync(~0u, t, 3);\n"
    "  o[1] = __shfl_sync(~0u, t, 3, 8);\n"
    "  o[2] = __shfl_up_sync(~0u, t, 2);\n"
    "  o[3] = __shfl_down_sync(~0u, t, 2, 16);\n"
    "  o[4] = __shfl_xor_sync(~0u, t, 5);\n"
    "  o[5] = (int)__shfl_xor_sync(~0u, t + 0.5, 16);\n"
    "  if (t % 2) o[6] = __shfl_sync(0xaaaaaaaa, t, 31);\n"
    "  else o[6] = __shfl_sync(0x55555555, t, 0); }\n", 1, 64, 0);
  for (int t = 0; t < 64; t++) {
    int warp = t / 32 * 32, lane = t % 32, *o = values + 8 * t;
    expect(o[0] == warp + 3);
    expect(o[1] == t / 8 * 8 + 3);
    expect(o[2] == (lane < 2 ? t : t - 2));
    expect(o[3] == (lane % 16 >= 14 ? t : t + 2));
    expect(o[4] == warp + (lane ^ 5));
    expect(o[5] == warp + (lane ^ 16));
    expect(o[6] == warp + (t % 2 ? 31 : 0));
  }
}

static void votes(void) {
  run_kernel(KERNEL
    "  int t = threadIdx.x, *o = out + 4 * t;\n"
    "  o[0] = __ballot_sync(~0u, t % 3 == 0);\n"
    "  o[1] = __any_sync(~0u, t == 40);\n"
    "  o[2] = __all_sync(~0u, t < 40);\n"
    "  __syncwarp(); }\n", 1, 48, 0);
  for (int t = 0; t < 48; t++) {
    unsigned ballot = 0, *o = (unsigned *)values + 4 * t;
    for (int lane = 0; lane < 32; lane++)
      if (t / 32 * 32 + lane < 48 && (t / 32 * 32 + lane) % 3 == 0) ballot |= 1u << lane;
    expect(o[0] == ballot);
    expect(o[1] == (t >= 32));
    expect(o[2] == (t < 32));
  }
}

static void warps_of_64(void) {
  ok(configure("lanes=64"));
  run_kernel(KERNEL
    "  int t = threadIdx.x, *o = out + 8 * t;\n"
    "  o[0] = __shfl_sync(~0ull, t, 40);\n"
    "  o[1] = __shfl_down_sync(~0ull, t, 20);\n"
    "  o[2] = __shfl_xor_sync(~0ull, t, 32);\n"
    "  o[3] = __any_sync(~0ull, t == 100);\n"
    "  o[4] = __all_sync(~0ull, t < 100);\n"
    "  o[5] = warpSize;\n"
    "  if (t % 64 >= 32) o[6] = __shfl_sync(~0ull << 32, t, 63); }\n", 1, 128, 0);
  for (int t = 0; t < 128; t++) {
    int warp = t / 64 * 64, lane = t % 64, *o = values + 8 * t;
    expect(o[0] == warp + 40);
    expect(o[1] == (lane + 20 < 64 ? t + 20 : t));
    expect(o[2] == warp + (lane ^ 32));
    expect(o[3] == (t >= 64) && o[4] == (t < 64) && o[5] == 64);
    expect(o[6] == (lane >= 32 ? warp + 63 : 0));
  }
}

static void atomics(void) {
  run_kernel(KERNEL
    "  int t = threadIdx.x;\n"
    "  atomicAdd(out, t);\n"
    "  atomicMax(out + 1, t);\n"
    "  atomicMin(out + 2, -t);\n"
    "  atomicOr((unsigned *)out + 3, 1u << t % 32);\n"
    "  atomicAdd((unsigned long long *)(out + 4), 1ull << 32);\n"
    "  if (atomicCAS(out + 6, 0, t + 1) == 0) atomicExch(out + 7, 1 + out[7]); }\n", 2, 64, 0);
  expect(values[0] == 2 * 64 * 63 / 2);
  expect(values[1] == 63);
  expect(values[2] == -63);
  expect(values[3] == -1);
  expect(values[4] == 0 && values[5] == 128);
  expect(values[6] == 1 && values[7] == 1);
}

static void early_return(void) {
  run_kernel(KERNEL "  if (threadIdx.x > 5) return;\n  out[threadIdx.x] = TWO; }\n", 1, 64, 0);
  for (int t = 0; t < 64; t++) expect(values[t] == (t > 5 ? 0 : 2));
}

/* Only functions with extern "C" are found by their plain names. Macros may define kernels. Templates are not
   kernels. */
static void names(void) {
  gpu_function f;
  gpu_module m = load("#define MAKE(op) extern \"C\" __global__ void __launch_bounds__(256) make_##op(int *p) { *p = 1; }\n"
    "MAKE(one)\n/* extern \"C\" __global__ void comment(int *p) */\n"
    "__global__ void mangled(int *p) { *p = 1; }\n"
    "template <class T> __global__ void pattern(T *p) { *p = 1; }\n"
    "extern \"C\" { __global__ void inside() {} }\n");
  ok(cu.module_function(&f, m, "make_one"));
  ok(cu.module_function(&f, m, "inside"));
  const char *const missing[] = {"mangled", "pattern", "comment", "simt_unit", "none"};
  for (int i = 0; i < 5; i++) expect_result(NOT_FOUND, cu.module_function(&f, m, missing[i]));
}

static void compile_errors(void) {
  int result;
  char *log;
  expect(!compile_for("extern \"C\" __global__ void k(float *o) {\n  o[0] = y;\n  nothing();\n}\n", "sm_90", &result, &log));
  expect(result == 6);
  expect(strstr(log, "user.cu(2): error: ") && strstr(log, "user.cu(3): error: "));
  expect(strstr(log, "\n2 errors detected in the compilation of \"user.cu\".\n"));
  free(log);
  expect(!compile_for("#include <stdio.h>\n", "sm_90", &result, &log));
  expect(result == 6 && strstr(log, "user.cu(1): error: "));
  free(log);
  expect(!compile_for("", "sm_42", &result, &log));
  expect(result == 5);
  free(log);
}

static void headers(void) {
  rtc_program p;
  const char *const texts[] = {"#include \"deep/b.h\"\n", "enum { B = 5 };\n\n int wrong = undeclared;\n"};
  const char *const header_names[] = {"a.h", "deep/b.h"};
  char log[2000];
  ok(rtc.create(&p, "#include \"a.h\"\n", "main.cu", 2, texts, header_names));
  expect_result(6, rtc.compile(p, 0, NULL));
  ok(rtc.log(p, log));
  expect(strstr(log, "deep/b.h(3): error: "));
  ok(rtc.destroy(&p));
}

static void images(void) {
  int result;
  char *log;
  gpu_module m;
  char *image = compile_for(KERNEL "}\n", "sm_100", &result, &log);
  expect_result(NO_BINARY, cu.module_load(&m, image));
  free(image);
  free(log);
  image = compile_for(KERNEL "}\n", "sm_90", &result, &log);
  image[200] ^= 1;
  expect_result(INVALID_IMAGE, cu.module_load(&m, image));
  image[0] = 0;
  expect_result(INVALID_IMAGE, cu.module_load(&m, image));
  free(image);
  free(log);
}

static const test tests[] = {
  {"dims", dims}, {"arguments_of_any_kind", arguments_of_any_kind}, {"barrier", barrier},
  {"barrier_in_reverse", barrier_in_reverse}, {"barrier_counts", barrier_counts}, {"dynamic_shared", dynamic_shared},
  {"shuffles", shuffles}, {"votes", votes}, {"warps_of_64", warps_of_64}, {"atomics", atomics}, {"early_return", early_return}, {"names", names},
  {"compile_errors", compile_errors}, {"headers", headers}, {"images", images}, {NULL, NULL}
};

int main(int argc, char **argv) { return run_tests(tests, argc, argv); }
