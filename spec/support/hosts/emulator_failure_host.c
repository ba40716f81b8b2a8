/* Tests that the emulated GPU fails in the same cases as a real GPU, and when a test demands a failure. Without an
** argument the program lists its tests; with a name it runs that test. */

#include "emulator.h"

#include <sys/wait.h>
#include <unistd.h>

#define KERNEL "extern \"C\" __global__ void k(int *p, int n) {\n"

/* Runs kernel k of a source on 64 threads. The kernel's arguments are the address of 4096 bytes, and n. Returns the
** device's error. */
static int run_kernel(const char *source, int n) {
  gpu_address p = allocate(4096);
  gpu_module m = load(source);
  void *arguments[] = {&p, &n};
  launch(function(m, "k"), 1, 64, arguments);
  return cu.stream_sync(stream);
}

/* Checks that a failure stays until the device is reset, and that the device works afterwards. */
static void fails(int wanted, const char *source, int n) {
  gpu_address a;
  expect_result(wanted, run_kernel(source, n));
  expect_result(wanted, cu.memory_alloc(&a, 4));
  expect_result(wanted, cu.stream_create(&stream, NON_BLOCKING));
  ok(cu.context_reset(0));
  ok(cu.stream_create(&stream, NON_BLOCKING));
  ok(run_kernel(KERNEL "p[threadIdx.x] = n; }\n", 1));
}

static void wild_addresses(void) {
  fails(ILLEGAL_ADDRESS, KERNEL "p[(long)n << 20] = 1; }\n", 1);
  fails(ILLEGAL_ADDRESS, KERNEL "*(volatile int *)0 = n; }\n", 1);
  fails(ILLEGAL_ADDRESS, KERNEL "__shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x == 40 ? 1 << 28 : 0] = 1; }\n", 1);
}

static void endless_recursion(void) {
  fails(ILLEGAL_ADDRESS, "__device__ __noinline__ int deep(volatile int *p, int n) { volatile int x[64]; x[n % 64] = n;\n"
    "  return n < 0 ? 0 : deep(p, n + 1) + x[n % 64]; }\n" KERNEL "p[0] = deep(p, n); }\n", 1);
}

static void misaligned_vectors(void) {
  fails(MISALIGNED, KERNEL "*(float4 *)(p + n) = make_float4(1, 2, 3, 4); }\n", 1);
  fails(MISALIGNED, KERNEL "p[0] = (int)*(double *)(p + n); }\n", 1);
}

static void division_by_zero(void) { fails(LAUNCH_FAILED, KERNEL "p[0] = 5 / n; }\n", 0); }

static void traps(void) {
  fails(LAUNCH_FAILED, KERNEL "if (threadIdx.x == 3) __trap(); }\n", 0);
  fails(ASSERTED, KERNEL "assert(threadIdx.x != n); }\n", 3);
}

static void barriers_that_some_never_reach(void) {
  fails(LAUNCH_FAILED, KERNEL "if (threadIdx.x < n) __syncthreads(); }\n", 5);
  fails(LAUNCH_FAILED, KERNEL "for (int i = 0; i <= threadIdx.x / 32; i++) __syncthreads(); }\n", 5);
}

static void lanes_that_are_missing(void) {
  fails(LAUNCH_FAILED, KERNEL "if (threadIdx.x < n) p[0] = __shfl_down_sync(~0u, n, 1); }\n", 5);
  fails(LAUNCH_FAILED, KERNEL "p[0] = __shfl_sync(1, n, 0); }\n", 5);
  fails(LAUNCH_FAILED, KERNEL "if (threadIdx.x < 16) p[0] = __shfl_sync(0xffff, n, 20); }\n", 5);
  fails(LAUNCH_FAILED, KERNEL "p[0] = __shfl_sync(threadIdx.x % 2 ? 0xffff : ~0u, n, 0); }\n", 5);
}

/* An access one byte after a block is detected only with a guard. All bytes of the block are accessible. */
static void guarded_blocks(void) {
  const char *touch = "extern \"C\" __global__ void k(char *p, int n) { for (int i = threadIdx.x; i < n; i += 64) p[i] = 1; }\n";
  ok(run_kernel(touch, 4096));
  ok(configure("guard=1"));
  ok(run_kernel(touch, 4096));
  expect_result(ILLEGAL_ADDRESS, run_kernel(touch, 4097));
}

static void freed_blocks(void) {
  gpu_address p = allocate(4096);
  int n = 1;
  void *arguments[] = {&p, &n};
  gpu_function f = function(load(KERNEL "p[0] = n; }\n"), "k");
  launch(f, 1, 1, arguments);
  ok(cu.memory_free(p));
  expect_result(INVALID_VALUE, cu.memory_free(p));
  launch(f, 1, 1, arguments);
  expect_result(ILLEGAL_ADDRESS, cu.stream_sync(stream));
}

static void fresh_memory_is_not_zero(void) {
  unsigned char bytes[100];
  read_back(bytes, allocate(100), 100);
  for (int i = 0; i < 100; i++) expect(bytes[i] == 0xcb);
}

static void wrong_copies(void) {
  char host[200];
  gpu_address p = allocate(100);
  expect_result(INVALID_VALUE, cu.copy_in(p, host, 101, stream));
  expect_result(INVALID_VALUE, cu.copy_in(p + 50, host, 51, stream));
  expect_result(INVALID_VALUE, cu.copy_out(host, p - 1, 1, stream));
  expect_result(INVALID_VALUE, cu.copy_in(p, (void *)(uintptr_t)p, 1, stream));
  expect_result(INVALID_VALUE, cu.copy(p, (gpu_address)(uintptr_t)host, 1, stream));
  expect_result(INVALID_VALUE, cu.set_32(p + 2, 0, 1, stream));
  expect_result(INVALID_HANDLE, cu.copy_in(p, host, 1, (gpu_stream)(uintptr_t)host));
  ok(cu.copy_in(p, host, 100, stream));
}

static void wrong_launches(void) {
  gpu_function f = function(load(KERNEL "}\n"), "k");
  gpu_address p = 0;
  int n = 0;
  void *a[] = {&p, &n};
  expect_result(INVALID_VALUE, cu.launch(f, 0, 1, 1, 1, 1, 1, 0, stream, a, NULL));
  expect_result(INVALID_VALUE, cu.launch(f, 1, 1, 1, 1025, 1, 1, 0, stream, a, NULL));
  expect_result(INVALID_VALUE, cu.launch(f, 1, 65536, 1, 1, 1, 1, 0, stream, a, NULL));
  expect_result(INVALID_VALUE, cu.launch(f, 1, 1, 1, 1, 1, 1, 49 << 10, stream, a, NULL));
  ok(cu.function_set(f, 8, 100 << 10));
  ok(cu.launch(f, 1, 1, 1, 1, 1, 1, 100 << 10, stream, a, NULL));
  expect_result(INVALID_VALUE, cu.function_set(f, 8, 228 << 10));
}

static void full_device(void) {
  gpu_address a, b;
  size_t all, left;
  ok(configure("memory=1M"));
  ok(cu.memory_alloc(&a, 700 << 10));
  expect_result(OUT_OF_MEMORY, cu.memory_alloc(&b, 700 << 10));
  ok(cu.memory_info(&left, &all));
  expect(all == 1 << 20 && left == 324 << 10);
  ok(cu.memory_free(a));
  ok(cu.memory_alloc(&b, 700 << 10));
  expect_result(OUT_OF_MEMORY, cu.memory_alloc(&a, (size_t)-1));
}

/* ---- failures on demand ---- */

static void injected_failures(void) {
  gpu_address a;
  int result, v = 1;
  void *p, *arguments[] = {&a, &v};
  char *log, *image;
  ok(configure("fail_alloc=2"));
  ok(cu.memory_alloc(&a, 4));
  expect_result(OUT_OF_MEMORY, cu.memory_alloc(&a, 4));
  ok(cu.memory_alloc(&a, 4));
  ok(configure("fail_host_alloc=1"));
  expect_result(OUT_OF_MEMORY, cu.host_alloc(&p, 4, 0));
  ok(configure("fail_copy=1"));
  expect_result(INVALID_VALUE, cu.copy_in(a, &v, 4, stream));
  ok(cu.copy_in(a, &v, 4, stream));
  gpu_function f = function(load(KERNEL "*p = n; }\n"), "k");
  ok(configure("fail_launch=1"));
  expect_result(OUT_OF_RESOURCES, cu.launch(f, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
  launch(f, 1, 1, arguments);
  ok(cu.stream_sync(stream));
  ok(configure("fail_compile=1"));
  image = compile_for("", "sm_90", &result, &log);
  expect(!image && result == 6 && strstr(log, "user.cu(1): error: "));
  free(log);
  ok(configure("fail_launch=1,sticky"));
  launch(f, 1, 1, arguments);
  expect_result(ILLEGAL_ADDRESS, cu.stream_sync(stream));
  expect_result(ILLEGAL_ADDRESS, cu.memory_alloc(&a, 4));
  expect(configure("nonsense=1"));
}

/* ---- errors that end the process ---- */

/* Runs f in a child process. Returns the exit status of the child, or -1 if a signal ended it. */
static int status_of(void (*f)(void)) {
  int status;
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    f();
    exit(0);
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static gpu_address address;
static void read_device(void) { printf("%d", *(volatile int *)(uintptr_t)address); }
static void touch_freed(void) { ok(cu.memory_free(address)); read_device(); }
static void touch_null(void) { printf("%d", *(int *volatile *)NULL != NULL); }

static void host_access(void) {
  address = allocate(4096);
  expect(status_of(read_device) == -1);
  expect(status_of(touch_freed) == -1);
  expect(status_of(touch_null) != 0);              /* the emulator does not handle this fault */
  ok(configure("protect=0"));
  address = allocate(4096);
  expect(status_of(read_device) == 0);
}

static void leave_memory(void) { allocate(100); }
static void leave_pinned(void) { void *p; ok(cu.host_alloc(&p, 10, 0)); }
static void leave_event(void) { gpu_event e; ok(cu.event_create(&e, 0)); }
static void leave_stream(void) { gpu_stream s; ok(cu.stream_create(&s, 0)); }
static void leave_module(void) { load(KERNEL "}\n"); }
static void leave_graph(void) {
  gpu_graph g;
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  ok(cu.capture_end(stream, &g));
  ok(cu.stream_destroy(stream));
}
static void leave_nothing(void) {
  ok(cu.memory_free(allocate(100)));
  ok(cu.module_unload(load(KERNEL "}\n")));
  ok(cu.stream_destroy(stream));
}

static void leaks(void) {
  ok(configure("leaks=1"));
  expect(status_of(leave_nothing) == 0);
  void (*const leave[])(void) = {leave_memory, leave_pinned, leave_event, leave_stream, leave_module, leave_graph};
  for (int i = 0; i < 6; i++) expect(status_of(leave[i]) == 99);
  ok(cu.stream_destroy(stream));
}

static const test tests[] = {
  {"wild_addresses", wild_addresses}, {"endless_recursion", endless_recursion}, {"misaligned_vectors", misaligned_vectors},
  {"division_by_zero", division_by_zero}, {"traps", traps},
  {"barriers_that_some_never_reach", barriers_that_some_never_reach}, {"lanes_that_are_missing", lanes_that_are_missing},
  {"guarded_blocks", guarded_blocks}, {"freed_blocks", freed_blocks}, {"fresh_memory_is_not_zero", fresh_memory_is_not_zero},
  {"wrong_copies", wrong_copies}, {"wrong_launches", wrong_launches}, {"full_device", full_device},
  {"injected_failures", injected_failures}, {"host_access", host_access}, {"leaks", leaks}, {NULL, NULL}
};

int main(int argc, char **argv) { return run_tests(tests, argc, argv); }
