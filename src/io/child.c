#define _GNU_SOURCE
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cancel.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0                 /* macOS has a socket's option instead */
#endif

/* ---- start ---- */

/* Makes the socket `end` the worker's descriptor CHILD_PARENT, and closes the files that other code of this process has
** open. A worker may run for days, and a program that reads from a pipe waits until all its writers have closed it. */
static void keep_socket(int end) {
  enum { MOST = 1024 };
  if (end != CHILD_PARENT) dup2(end, CHILD_PARENT);
  else fcntl(end, F_SETFD, 0);
  for (int fd = CHILD_PARENT + 1; fd < MOST; fd++) close(fd);
}

/* Runs in the child between fork and exec, where only async-signal-safe functions may be called. `end` is the child's
** end of the pipe, or of the socket of a worker. */
static void become(const char *const words[], unsigned seconds, int end, bool is_worker) {
  union { const char *const *given; char *const *wanted; } list = {words};  /* exec changes no words */
  static const char failed[] = ": cannot be started\n";
  setpgid(0, 0);
  signal(SIGINT, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (is_worker) {
    keep_socket(end);
  } else {
    dup2(end, STDOUT_FILENO);
    dup2(end, STDERR_FILENO);
  }
  alarm(seconds);                      /* exec keeps the alarm */
  execvp(words[0], list.wanted);
  bool told = write(STDERR_FILENO, words[0], strlen(words[0])) >= 0 && write(STDERR_FILENO, failed, sizeof failed - 1) >= 0;
  _exit(told ? 127 : 126);
}

/* Starts the program with one of the two connected ends, and keeps the other end. */
static bool start(child *c, const char *const words[], unsigned seconds, const int ends[2], bool is_worker) {
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  c->pid = fork();
  if (c->pid == 0) become(words, seconds, ends[1], is_worker);
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

bool child_start(child *c, const char *const words[], unsigned seconds) {
  int ends[2];
  *c = (child){.from = -1};
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return start(c, words, seconds, ends, false);
}

bool child_start_worker(child *c, const char *const words[]) {
  int ends[2];
  *c = (child){.from = -1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
#ifdef SO_NOSIGPIPE
  int on = 1;
  setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return start(c, words, 0, ends, true);
}

bool child_open_parent(child *c) {
  bool is_open = fcntl(CHILD_PARENT, F_SETFD, FD_CLOEXEC) == 0;
  *c = (child){.from = is_open ? CHILD_PARENT : -1};
  return is_open;
}

/* ---- end and output ---- */

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

/* ---- messages ---- */

/* Waits until the socket allows one of `events`, or the operation is cancelled. */
static void wait_for(int fd, short events) {
  enum { NAP = 20 };                   /* milliseconds between two looks whether the operation is cancelled */
  struct pollfd p = {.fd = fd, .events = events};
  while (!cancel_due() && poll(&p, 1, NAP) == 0) {}
}

child_result child_send(child *c, const void *bytes, size_t size) {
  const char *from = bytes;
  while (size > 0) {
    ssize_t n = send(c->from, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return CHILD_ENDED;
    if (n < 0) wait_for(c->from, POLLOUT);
    if (cancel_due()) return CHILD_CANCELLED;
    if (n < 0) continue;
    from += n;
    size -= (size_t)n;
  }
  return CHILD_DONE;
}

child_result child_receive(child *c, void *bytes, size_t size) {
  char *to = bytes;
  while (size > 0) {
    ssize_t n = recv(c->from, to, size, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return CHILD_ENDED;
    if (n < 0) wait_for(c->from, POLLIN);
    if (cancel_due()) return CHILD_CANCELLED;
    if (n < 0) continue;
    to += n;
    size -= (size_t)n;
  }
  return CHILD_DONE;
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
