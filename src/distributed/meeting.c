#include "distributed/meeting.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/system.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0                 /* macOS has a socket's option instead */
#endif

/* The first message of each side. */
typedef struct greeting { char magic[16]; int32_t rank, size; } greeting;
static const char MAGIC[16] = "luatensor job 1";

static struct {
  meeting     m;
  int        *peer;          /* [size]: the connection to each process, or -1; only process 0 has more than one */
  int        *left;          /* [size]: 1 for the process that has ended first, 2 for the next, …; 0: not ended */
  int         ends;          /* number of the processes that have ended */
  const char *host;
  char        port[8];
  double      end;           /* the time at which the start fails */
  char       *reason;
  size_t      room;          /* bytes of `reason` */
} now;

static bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(now.reason, now.room, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- the environment ---- */

bool meeting_is_called(void) { return getenv("RANK") && getenv("WORLD_SIZE"); }

static bool read_number(const char *variable, int otherwise, int least, int most, int *number) {
  const char *text = getenv(variable);
  char *end = NULL;
  long n = text && *text ? strtol(text, &end, 10) : otherwise;
  *number = (int)n;
  if ((!end || !*end) && n >= least && n <= most) return true;
  return fail("%s=%s: it must be an integer from %d to %d", variable, text ? text : "", least, most);
}

bool meeting_read(meeting *m, char *reason, size_t room) {
  enum { MOST = 1 << 20 };
  int seconds, port;
  const char *host = getenv("MASTER_ADDR");
  now.reason = reason;
  now.room = room;
  now.host = host && *host ? host : "127.0.0.1";
  bool read = read_number("WORLD_SIZE", 0, 1, MOST, &m->size) && read_number("RANK", -1, 0, m->size - 1, &m->rank)
    && read_number("LOCAL_WORLD_SIZE", m->size, 1, m->size, &m->local_size)
    && read_number("LOCAL_RANK", m->rank, 0, m->size - 1, &m->local_rank)
    && read_number("MASTER_PORT", 29500, 1, 65534, &port) && read_number("LUATENSOR_START_TIMEOUT", 300, 1, MOST, &seconds);
  if (!read) return false;
  /* torchrun itself listens on the port, and then says so. */
  const char *taken = getenv("TORCHELASTIC_USE_AGENT_STORE");
  snprintf(now.port, sizeof now.port, "%d", port + (taken && strcmp(taken, "True") == 0));
  now.end = system_clock() + seconds;
  return true;
}

/* ---- connections ---- */

static void shut(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Programs that this process starts must not keep the connection open. */
static int make_own(int fd) {
  if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

/* Waits until one of `events` happens. Returns false after a failure, at the time `end`, or if the call is cancelled. */
static bool wait_for(int fd, short events, double end) {
  enum { NAP = 20 };                   /* milliseconds */
  struct pollfd p = {.fd = fd, .events = events};
  while (system_clock() < end && !cancel_due()) {
    int n = poll(&p, 1, NAP);
    if (n > 0) return (p.revents & events) != 0;
    if (n < 0 && errno != EINTR) return false;
  }
  return false;
}

static bool put(int fd, const void *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t n = wait_for(fd, POLLOUT, now.end) ? send(fd, (const char *)data + done, bytes - done, MSG_NOSIGNAL) : 0;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

static bool get(int fd, void *data, size_t bytes, double end) {
  for (size_t done = 0; done < bytes;) {
    ssize_t n = wait_for(fd, POLLIN, end) ? recv(fd, (char *)data + done, bytes - done, 0) : 0;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

/* Returns the addresses of a host, or for NULL those of this machine. */
static struct addrinfo *find_addresses(const char *host) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = host ? 0 : AI_PASSIVE};
  struct addrinfo *found = NULL;
  int st = getaddrinfo(host, now.port, &hints, &found);
  if (st != 0) fail("MASTER_ADDR=%s: %s", now.host, gai_strerror(st));
  return found;
}

/* ---- process 0 ---- */

static int start_listening(void) {
  struct addrinfo *all = find_addresses(NULL);
  int fd = -1, on = 1, error = 0;
  for (struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
    fd = make_own(socket(a->ai_family, SOCK_STREAM, 0));
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0 && bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) break;
    error = errno;
    shut(&fd);
  }
  if (fd < 0 && all) fail("port %s of MASTER_PORT: %s", now.port, strerror(error));
  if (all) freeaddrinfo(all);
  return fd;
}

/* Adds the process behind a connection. Connections of other programs are closed. */
static bool admit(int fd, int *missing) {
  enum { PATIENCE = 2 };               /* seconds */
  greeting g;
  bool fits = false, known = get(fd, &g, sizeof g, system_clock() + PATIENCE) && memcmp(g.magic, MAGIC, sizeof MAGIC) == 0;
  if (known) fits = g.size == now.m.size && g.rank > 0 && g.rank < g.size && now.peer[g.rank] < 0;
  if (fits) {
    now.peer[g.rank] = fd;
    --*missing;
    return true;
  }
  shut(&fd);
  if (!known) return true;
  return fail("a process has RANK=%d and WORLD_SIZE=%d, but process 0 has WORLD_SIZE=%d%s", (int)g.rank, (int)g.size,
              now.m.size, g.size == now.m.size ? ", and another process has this RANK" : "");
}

static bool name_missing(void) {
  enum { NAMED = 8 };
  char list[160] = "";
  int n = 0;
  for (int k = 1; k < now.m.size; k++) {
    size_t at = strlen(list);
    if (now.peer[k] < 0 && n++ < NAMED) snprintf(list + at, sizeof list - at, "%s%d", n > 1 ? ", " : "", k);
  }
  return fail("%d of %d processes did not come to port %s in time: RANK %s%s", n, now.m.size, now.port, list,
              n > NAMED ? ", …" : "");
}

static bool gather_all(const greeting *g, void *message, size_t bytes) {
  int fd = start_listening(), missing = now.m.size - 1;
  bool well = fd >= 0;
  while (well && missing > 0) {
    well = wait_for(fd, POLLIN, now.end) || name_missing();
    int peer = well ? make_own(accept(fd, NULL, NULL)) : -1;
    if (peer >= 0) well = admit(peer, &missing);
  }
  shut(&fd);
  for (int k = 1; well && k < now.m.size; k++)
    well = (put(now.peer[k], g, sizeof *g) && put(now.peer[k], message, bytes)) || fail("process %d ended during the start", k);
  return well;
}

/* ---- the other processes ---- */

/* Tries each address of process 0 once. */
static int connect_once(const struct addrinfo *all) {
  int fd = -1;
  for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
    int error = 0;
    socklen_t size = sizeof error;
    fd = make_own(socket(a->ai_family, SOCK_STREAM, 0));
    if (fd < 0) continue;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    bool open = connect(fd, a->ai_addr, a->ai_addrlen) == 0 || (errno == EINPROGRESS && wait_for(fd, POLLOUT, now.end));
    if (!open || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error) shut(&fd);
  }
  return fd;
}

static bool join(const greeting *own, void *message, size_t bytes) {
  struct addrinfo *all = find_addresses(now.host);
  greeting g;
  int fd = -1;
  if (!all) return false;
  while ((fd = connect_once(all)) < 0 && system_clock() < now.end && !cancel_due()) system_sleep(0.05);
  freeaddrinfo(all);
  now.peer[0] = fd;
  if (fd < 0) return fail("no process with RANK=0 answers at %s:%s", now.host, now.port);
  if (!put(fd, own, sizeof *own) || !get(fd, &g, sizeof g, now.end))
    return fail("process 0 at %s:%s did not start the job; its own error may tell why", now.host, now.port);
  if (memcmp(g.magic, MAGIC, sizeof MAGIC) != 0)
    return fail("another program answers at %s:%s: choose another MASTER_PORT", now.host, now.port);
  return get(fd, message, bytes, now.end) || fail("process 0 ended during the start");
}

/* ---- the meeting ---- */

bool meeting_hold(const meeting *m, void *message, size_t bytes, char *reason, size_t room) {
  greeting g = {.rank = m->rank, .size = m->size};
  memcpy(g.magic, MAGIC, sizeof MAGIC);
  now.m = *m;
  now.reason = reason;
  now.room = room;
  now.peer = malloc((size_t)m->size * sizeof *now.peer);
  now.left = calloc((size_t)m->size, sizeof *now.left);
  for (int k = 0; now.peer && k < m->size; k++) now.peer[k] = -1;
  bool well = (now.peer && now.left) || fail("out of memory");
  if (well) well = m->rank == 0 ? gather_all(&g, message, bytes) : join(&g, message, bytes);
  if (!well) meeting_leave();
  return well;
}

void meeting_leave(void) {
  for (int k = 0; now.peer && k < now.m.size; k++) shut(&now.peer[k]);
  free(now.peer);
  free(now.left);
  now.peer = NULL;
  now.left = NULL;
}

/* ---- who has ended ---- */

/* Process 0 tells the others which process has ended. */
static void tell(int32_t ended) {
  for (int k = 1; k < now.m.size; k++)
    if (now.peer[k] >= 0) send(now.peer[k], &ended, sizeof ended, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Reads what a connection has to tell. */
static void look(int k) {
  int32_t ended = k;
  ssize_t n = 1;
  while (n > 0 && now.peer[k] >= 0) {
    n = recv(now.peer[k], &ended, sizeof ended, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      ended = k;
      shut(&now.peer[k]);
      if (now.m.rank == 0) tell(ended);
    }
    if (ended >= 0 && ended < now.m.size && !now.left[ended]) now.left[ended] = ++now.ends;
  }
}

int meeting_first_ended(const int *members, int size) {
  int rank = -1, first = 0;
  for (int k = 0; now.peer && k < now.m.size; k++) look(k);
  for (int k = 0; now.peer && k < size; k++) {
    int end = now.left[members ? members[k] : k];
    if (end == 0 || (first && end > first)) continue;
    first = end;
    rank = k;
  }
  return rank;
}
