/* Tries whether a run-time compiler generates code for a processor. AMD's hipRTC ends the process at a processor that it
** does not know, so a child process calls the compiler. */

#include "gpu/vendor/vendor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/cache.h"

/* Milliseconds after which the child is killed. hipRTC 5.2.3 compiles a small kernel in 300. A child hangs if another
** thread of the host held a lock of the compiler at the fork. */
enum { PATIENCE = 30000 };

static void leave(void) { _exit(1); }
static void leave_by_signal(int number) { (void)number; _exit(1); }

/* The compiler's fatal errors must end the child silently: without a core dump, the host's handlers of signals, the exit
** handlers and messages. The exit handler that is registered last runs first. */
static void be_silent(void) {
  static const int fatal[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], leave_by_signal);
  signal(SIGCHLD, SIG_DFL);            /* the compiler may wait for processes that it starts */
  atexit(leave);
  int nowhere = open("/dev/null", O_RDWR);
  for (int file = STDIN_FILENO; nowhere >= 0 && file <= STDERR_FILENO; file++) dup2(nowhere, file);
}

static bool compiles(const gpu_vendor *v, const char *processor) {
  char target[96];
  const char *options[] = {target};
  rtc_program p = NULL;
  snprintf(target, sizeof target, "--gpu-architecture=%s", processor);
  return v->rtc.create(&p, "extern \"C\" __global__ void trial(int *x) { *x = 1; }\n", "trial", 0, NULL, NULL) == RTC_SUCCESS
    && v->rtc.compile(p, 1, options) == RTC_SUCCESS;
}

/* Waits until the child writes a byte or ends. */
static enum gpu_trial hear(int from) {
  struct pollfd p = {.fd = from, .events = POLLIN};
  char byte;
  int ready;
  do ready = poll(&p, 1, PATIENCE);
  while (ready < 0 && errno == EINTR);
  return ready != 1 ? GPU_UNTRIED : read(from, &byte, 1) == 1 ? GPU_COMPILES : GPU_REFUSES;
}

/* The child answers by a byte in a pipe, because the host may ignore SIGCHLD or wait for all children itself, so that
** waitpid gives no status. */
static enum gpu_trial ask_child(const gpu_vendor *v, const char *processor) {
  int ends[2];
  if (pipe(ends) != 0) return GPU_UNTRIED;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  pid_t child = fork();
  if (child == 0) {
    be_silent();
    _exit(compiles(v, processor) && write(ends[1], "1", 1) == 1 ? 0 : 1);
  }
  close(ends[1]);
  enum gpu_trial answer = child < 0 ? GPU_UNTRIED : hear(ends[0]);
  close(ends[0]);
  if (child > 0 && answer == GPU_UNTRIED) kill(child, SIGKILL);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return answer;
}

enum gpu_trial gpu_try_compiler(const gpu_vendor *v, const char *processor) {
  uint8_t key[HASH_SIZE];
  size_t bytes;
  hash h;
  hash_start(&h);
  hash_add(&h, &v->versions.compiler, sizeof v->versions.compiler);
  hash_text(&h, "trial");
  hash_text(&h, processor);
  hash_finish(&h, key);
  char *kept = cache_read(key, &bytes);
  enum gpu_trial answer = kept ? GPU_COMPILES : ask_child(v, processor);
  if (answer == GPU_COMPILES && !kept) cache_write(key, "1", 1);
  free(kept);
  return answer;
}
