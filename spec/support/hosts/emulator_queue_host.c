/* Tests that the emulated GPU keeps exactly the order that streams, events and graphs demand. Without an argument the
** program lists its tests; with a name it runs that test. */

#include "emulator.h"

static const char *const source =
  "extern \"C\" __global__ void add(int *p, int n) { *p += n; }\n"
  "extern \"C\" __global__ void copy(int *to, const int *from) { *to = *from; }\n";

static gpu_function add, copy;
static gpu_stream other;
static gpu_address x, y;

static void add_on(gpu_stream s, gpu_address a, int n) {
  void *arguments[] = {&a, &n};
  ok(cu.launch(add, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL));
}

static void copy_on(gpu_stream s, gpu_address to, gpu_address from) {
  void *arguments[] = {&to, &from};
  ok(cu.launch(copy, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL));
}

static int value(gpu_address a) {
  int v;
  read_back(&v, a, 4);
  return v;
}

/* Loads the kernels, sets x = 1 and y = 2 on the device, and then applies the emulator's settings. */
static void begin(const char *settings) {
  gpu_module m = load(source);
  add = function(m, "add");
  copy = function(m, "copy");
  ok(cu.stream_create(&other, NON_BLOCKING));
  x = allocate(4);
  y = allocate(4);
  ok(cu.set_32(x, 1, 1, stream));
  ok(cu.set_32(y, 2, 1, stream));
  ok(cu.context_sync());
  ok(configure(settings));
}

static gpu_event record(gpu_stream s) {
  gpu_event e;
  ok(cu.event_create(&e, 0));
  ok(cu.event_record(e, s));
  return e;
}

static void *pinned(size_t bytes) {
  void *p;
  ok(cu.host_alloc(&p, bytes, 0));
  return p;
}

/* ---- order ---- */

static void eager_runs_at_once(void) {
  begin("order=eager");
  int *p = pinned(4);
  add_on(other, x, 5);
  ok(cu.copy_out(p, x, 4, stream));
  expect(*p == 6);
  ok(cu.stream_query(stream));
}

static void lazy_runs_when_waited_for(void) {
  begin("order=lazy");
  int *p = pinned(4);
  *p = -1;
  add_on(stream, x, 5);
  ok(cu.copy_out(p, x, 4, stream));
  expect(*p == -1);
  ok(cu.stream_sync(stream));
  expect(*p == 6);
}

static void lazy_misses_what_is_not_ordered(void) {
  begin("order=lazy");
  add_on(other, x, 5);
  expect(value(x) == 1);
  ok(cu.stream_sync(other));
  expect(value(x) == 6);
}

static void pinned_sources_are_read_late(void) {
  begin("order=lazy");
  int *p = pinned(4);
  *p = 10;
  write_to(x, p, 4);
  *p = 20;
  expect(value(x) == 20);
}

static void pageable_memory_is_read_at_once_and_written_before_return(void) {
  begin("order=lazy");
  int v = 10, w = 0;
  write_to(x, &v, 4);
  v = 20;
  ok(cu.copy_out(&w, x, 4, stream));
  expect(w == 10);
}

static void events_order_streams(void) {
  begin("order=lazy");
  add_on(other, x, 5);
  gpu_event e = record(other);
  add_on(other, x, 100);
  ok(cu.stream_wait(stream, e, 0));
  copy_on(stream, y, x);
  expect(value(y) == 6);
  expect(value(x) == 6);
  ok(cu.event_record(e, other));
  ok(cu.event_sync(e));
  expect(value(x) == 106);
}

static void a_wait_is_for_the_record_before_it(void) {
  begin("order=lazy");
  gpu_event e = record(other);
  add_on(other, x, 5);
  ok(cu.stream_wait(stream, e, 0));
  ok(cu.event_record(e, other));
  expect(value(x) == 1);
}

static void questions_run_what_they_ask_for_at_the_second_time(void) {
  begin("order=lazy");
  add_on(stream, x, 5);
  gpu_event e = record(stream);
  float ms;
  expect_result(NOT_READY, cu.event_elapsed(&ms, e, e));
  expect_result(NOT_READY, cu.event_query(e));
  ok(cu.event_query(e));
  ok(cu.event_elapsed(&ms, e, e));
  expect(ms == 0);
  add_on(stream, x, 5);
  expect_result(NOT_READY, cu.stream_query(stream));
  ok(cu.stream_query(stream));
}

static void the_default_stream_waits_for_blocking_ones(void) {
  begin("order=lazy");
  gpu_stream blocking;
  ok(cu.stream_create(&blocking, DEFAULT_STREAM_FLAGS));
  add_on(blocking, x, 5);
  add_on(other, x, 1000);
  copy_on(NULL, y, x);
  add_on(blocking, x, 50);
  ok(cu.stream_sync(NULL));
  expect(value(y) == 6);
  ok(cu.stream_sync(blocking));
  expect(value(x) == 56);
}

static void arguments_are_copied(void) {
  begin("order=lazy");
  int n = 5;
  void *arguments[] = {&x, &n};
  ok(cu.launch(add, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
  n = 1000;
  arguments[0] = NULL;
  expect(value(x) == 6);
}

static void freeing_waits(void) {
  begin("order=lazy");
  int *p = pinned(4);
  add_on(other, x, 5);
  ok(cu.copy_out(p, x, 4, other));
  ok(cu.memory_free(x));
  expect(*p == 6);
}

/* ---- graphs ---- */

static gpu_graph_exec instantiate(gpu_graph g) {
  gpu_graph_exec e;
  ok(cu.graph_instantiate(&e, g, 0));
  ok(cu.graph_destroy(g));
  return e;
}

static void graphs_replay(void) {
  begin("order=lazy");
  gpu_graph g;
  gpu_capture_status status;
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  add_on(stream, x, 5);
  copy_on(stream, y, x);
  ok(cu.capture_status(stream, &status));
  expect(status == 1);
  ok(cu.capture_end(stream, &g));
  expect(value(x) == 1);
  gpu_graph_exec e = instantiate(g);
  for (int i = 1; i <= 3; i++) {
    ok(cu.graph_launch(e, stream));
    expect(value(y) == 1 + 5 * i);
  }
  ok(cu.graph_exec_destroy(e));
  expect_result(INVALID_VALUE, cu.graph_launch(e, stream));
}

static void captures_fork_and_join(void) {
  begin("order=lazy");
  gpu_graph g;
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  add_on(stream, x, 5);
  ok(cu.stream_wait(other, record(stream), 0));
  copy_on(other, y, x);
  ok(cu.stream_wait(stream, record(other), 0));
  add_on(stream, y, 10);
  ok(cu.capture_end(stream, &g));
  ok(cu.graph_launch(instantiate(g), stream));
  expect(value(y) == 16);
  add_on(other, x, 1);                             /* is not captured any more */
  ok(cu.stream_sync(other));
  expect(value(x) == 7);
}

static void work_that_is_not_joined(void) {
  begin("");
  gpu_graph g;
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  ok(cu.stream_wait(other, record(stream), 0));
  add_on(other, x, 5);
  expect_result(CAPTURE_UNJOINED, cu.capture_end(stream, &g));
  expect(!g);
  expect(value(x) == 1);
}

static void invalidated(int wanted, int got) {
  gpu_graph g;
  gpu_capture_status status;
  expect_result(wanted, got);
  ok(cu.capture_status(stream, &status));
  expect(status == 2);
  void *arguments[] = {&x, &x};
  expect_result(CAPTURE_INVALIDATED, cu.launch(copy, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
  expect_result(CAPTURE_INVALIDATED, cu.capture_end(stream, &g));
  expect(value(x) == 1);
}

static void what_may_not_be_captured(void) {
  begin("");
  gpu_address a;
  gpu_event before = record(other), inside;
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  invalidated(CAPTURE_UNSUPPORTED, cu.stream_sync(stream));
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  invalidated(CAPTURE_UNSUPPORTED, cu.stream_query(stream));
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  invalidated(CAPTURE_UNSUPPORTED, cu.context_sync());
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  invalidated(CAPTURE_ISOLATION, cu.stream_wait(stream, before, 0));
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  inside = record(stream);
  invalidated(CAPTURED_EVENT, cu.event_query(inside));
  expect_result(CAPTURED_EVENT, cu.event_sync(inside));
  ok(cu.capture_begin(stream, CAPTURE_GLOBAL));
  invalidated(CAPTURE_UNSUPPORTED, cu.memory_alloc(&a, 4));
  ok(cu.capture_begin(stream, CAPTURE_RELAXED));
  ok(cu.memory_alloc(&a, 4));
  gpu_graph g;
  ok(cu.stream_wait(other, record(stream), 0));
  expect_result(CAPTURE_UNMATCHED, cu.capture_end(other, &g));
  expect_result(CAPTURE_INVALIDATED, cu.capture_end(stream, &g));
}

static void the_default_stream_while_a_blocking_one_is_captured(void) {
  begin("");
  gpu_stream blocking;
  gpu_graph g;
  ok(cu.stream_create(&blocking, DEFAULT_STREAM_FLAGS));
  expect_result(CAPTURE_UNSUPPORTED, cu.capture_begin(NULL, CAPTURE_RELAXED));
  ok(cu.capture_begin(blocking, CAPTURE_RELAXED));
  expect_result(CAPTURE_IMPLICIT, cu.set_32(x, 1, 1, NULL));
  expect_result(CAPTURE_INVALIDATED, cu.capture_end(blocking, &g));
}

/* ---- two devices ---- */

static void two_devices(void) {
  begin("order=lazy");
  gpu_context second;
  gpu_stream there;
  gpu_event e;
  ok(cu.context_retain(&second, 1));
  ok(cu.context_use(second));
  ok(cu.stream_create(&there, NON_BLOCKING));
  gpu_address z = allocate(4);
  expect_result(INVALID_HANDLE, cu.set_32(x, 1, 1, stream));
  ok(cu.context_use(context));
  add_on(stream, x, 5);
  e = record(stream);
  ok(cu.context_use(second));
  ok(cu.stream_wait(there, e, 0));
  ok(cu.copy_peer(z, second, x, context, 4, there));
  ok(cu.set_32(z, 0, 0, there));
  int v = 0;
  ok(cu.copy_out(&v, z, 4, there));
  expect(v == 6);
  expect_result(INVALID_VALUE, cu.copy_peer(z, context, x, context, 4, there));
  ok(cu.context_use(context));
  copy_on(stream, x, z);                           /* another device's memory */
  expect_result(ILLEGAL_ADDRESS, cu.stream_sync(stream));
  ok(cu.context_use(second));
  ok(cu.context_sync());                           /* the context still works */
  ok(cu.memory_free(z));
  ok(cu.context_release(1));
}

static const test tests[] = {
  {"eager_runs_at_once", eager_runs_at_once}, {"lazy_runs_when_waited_for", lazy_runs_when_waited_for},
  {"lazy_misses_what_is_not_ordered", lazy_misses_what_is_not_ordered},
  {"pinned_sources_are_read_late", pinned_sources_are_read_late},
  {"pageable_memory_is_read_at_once_and_written_before_return",
   pageable_memory_is_read_at_once_and_written_before_return},
  {"events_order_streams", events_order_streams}, {"a_wait_is_for_the_record_before_it", a_wait_is_for_the_record_before_it},
  {"questions_run_what_they_ask_for_at_the_second_time", questions_run_what_they_ask_for_at_the_second_time},
  {"the_default_stream_waits_for_blocking_ones", the_default_stream_waits_for_blocking_ones},
  {"arguments_are_copied", arguments_are_copied}, {"freeing_waits", freeing_waits},
  {"graphs_replay", graphs_replay}, {"captures_fork_and_join", captures_fork_and_join},
  {"work_that_is_not_joined", work_that_is_not_joined}, {"what_may_not_be_captured", what_may_not_be_captured},
  {"the_default_stream_while_a_blocking_one_is_captured", the_default_stream_while_a_blocking_one_is_captured},
  {"two_devices", two_devices}, {NULL, NULL}
};

int main(int argc, char **argv) {
  setenv("LUATENSOR_EMULATOR", "devices=2", 1);
  return run_tests(tests, argc, argv);
}
