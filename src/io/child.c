#define _GNU_SOURCE
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in the child between fork and exec, where only async-signal-safe functions may be called. */
static void become(const char *const words[], unsigned seconds, int output) {
  union { const char *const *given; char *const *wanted; } list = {words};  /* exec changes no words */
  static const char failed[] = ": cannot be started\n";
  setpgid(0, 0);
  signal(SIGINT, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  alarm(seconds);                      /* exec keeps the alarm */
  execvp(words[0], list.wanted);
  bool told = write(STDERR_FILENO, words[0], strlen(words[0])) >= 0 && write(STDERR_FILENO, failed, sizeof failed - 1) >= 0;
  _exit(told ? 127 : 126);
}

bool child_start(child *c, const char *const words[], unsigned seconds) {
  int ends[2];
  *c = (child){.from = -1};
  if (pipe(ends) != 0) return false;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  c->pid = fork();
  if (c->pid == 0) become(words, seconds, ends[1]);
  int why = errno;
  close(ends[1]);
  if (c->pid > 0) {
    c->from = ends[0];
    return true;
  }
  close(ends[0]);
  errno = why;
  c->pid = 0;
  return false;
}

/* Stores the result of waitpid. */
static void note_end(child *c, pid_t found, int status) {
  c->known = found == c->pid;
  c->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  c->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* Learns without waiting whether the child has ended. */
static bool has_ended(child *c) {
  int status = 0;
  if (c->pid == 0) return true;
  pid_t found = waitpid(c->pid, &status, WNOHANG);
  if (found == 0 || (found < 0 && errno == EINTR)) return false;
  note_end(c, found, status);
  kill(-c->pid, SIGKILL);              /* the processes that the child has started */
  c->pid = 0;
  return true;
}

/* Milliseconds between two looks whether a child that has closed its output has ended. */
enum { PAUSE = 2 };

ssize_t child_read(child *c, char *bytes, size_t size, double seconds) {
  if (c->from < 0) return -1;
  bool ended = has_ended(c);
  struct pollfd p = {.fd = c->from, .events = POLLIN};
  if (poll(&p, 1, ended ? 0 : (int)(seconds * 1e3)) <= 0) return ended ? -1 : 0;
  ssize_t n = read(c->from, bytes, size);
  if (n > 0) return n;
  if (n == 0 && !ended) poll(NULL, 0, PAUSE);
  return ended ? -1 : 0;
}

void child_end(child *c) {
  if (!has_ended(c)) {
    kill(-c->pid, SIGKILL);
    kill(c->pid, SIGKILL);             /* if the child has not made its process group yet */
    pid_t found;
    int status = 0;
    while ((found = waitpid(c->pid, &status, 0)) < 0 && errno == EINTR) {}
    note_end(c, found, status);
    c->pid = 0;
  }
  if (c->from >= 0) close(c->from);
  c->from = -1;
}
