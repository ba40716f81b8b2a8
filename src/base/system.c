#ifdef __linux__
#define _GNU_SOURCE
#include <sched.h>
#endif
#include <dlfcn.h>

#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- folders ---- */

bool system_cache_folder(char folder[SYSTEM_PATH]) {
  const char *own = getenv("LUATENSOR_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n;
  if (own && *own) n = snprintf(folder, SYSTEM_PATH, "%s", own);
  else if (xdg && *xdg == '/') n = snprintf(folder, SYSTEM_PATH, "%s/luatensor", xdg);
  else if (home && *home) n = snprintf(folder, SYSTEM_PATH, "%s/.cache/luatensor", home);
  else return false;
  return n > 0 && n < SYSTEM_PATH - 128;
}

bool system_make_folder(char *folder) {
  struct stat s;
  for (char *p = strchr(folder + 1, '/'); p; p = strchr(p + 1, '/')) {
    *p = 0;
    mkdir(folder, 0700);
    *p = '/';
  }
  bool there = mkdir(folder, 0700) == 0 || errno == EEXIST;
  if (!there || stat(folder, &s) != 0) return false;
  if (!S_ISDIR(s.st_mode)) {
    errno = ENOTDIR;
    return false;
  }
  return access(folder, W_OK | X_OK) == 0;
}

/* ---- files ---- */

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* True if the path names a device or a stream of a process rather than a file. */
static bool is_special(const char *path) {
  return (begins(path, "/dev/") && !begins(path, "/dev/shm/")) || begins(path, "/proc/");
}

static bool fail(int why) {
  errno = why;
  return false;
}

/* Returns the length of the path's folder including the slash, or 0 if the path has no folder. */
static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Follows symbolic links and writes the final path to `target`. The final file need not exist. */
static bool follow_links(const char *path, char target[SYSTEM_PATH]) {
  enum { LINKS = 40 };
  char link[SYSTEM_PATH];
  if (strlen(path) >= SYSTEM_PATH) return fail(ENAMETOOLONG);
  strcpy(target, path);
  for (int links = 0; !is_special(target); links++) {
    ssize_t n = readlink(target, link, sizeof link - 1);
    if (n < 0) return true;
    if (links == LINKS) return fail(ELOOP);
    link[n] = 0;
    size_t before = link[0] == '/' ? 0 : folder_length(target);
    if (before + (size_t)n >= SYSTEM_PATH) return fail(ENAMETOOLONG);
    strcpy(target + before, link);
  }
  return true;
}

/* True if the folder of `path` exists and this process may create files in it. */
static bool folder_takes(const char *path) {
  char folder[SYSTEM_PATH];
  size_t n = folder_length(path);
  memcpy(folder, path, n);
  folder[n] = 0;
  return access(n ? folder : ".", W_OK | X_OK) == 0;
}

/* True if the folder's sticky bit prevents this process from replacing the file, although the file is writable. */
static bool sticks(const char *path, const struct stat *file) {
  char folder[SYSTEM_PATH];
  struct stat s;
  size_t n = folder_length(path);
  memcpy(folder, path, n);
  folder[n] = 0;
  if (geteuid() == 0 || stat(n ? folder : ".", &s) != 0) return false;
  return (s.st_mode & S_ISVTX) && s.st_uid != geteuid() && file->st_uid != geteuid();
}

bool system_output(const char *path, char target[SYSTEM_PATH], bool *in_place) {
  struct stat s;
  if (!*path) return fail(ENOENT);
  if (!follow_links(path, target)) return false;
  bool there = stat(target, &s) == 0;
  if (!there && (errno != ENOENT || is_special(target))) return false;
  if (there && S_ISDIR(s.st_mode)) return fail(EISDIR);
  if (there && access(target, W_OK) != 0) return false;
  bool takes = folder_takes(target);
  *in_place = there && (!takes || is_special(target) || !S_ISREG(s.st_mode) || sticks(target, &s));
  return there || takes;
}

/* Tries to lock an open file. Returns true if no other process holds the lock; this process then holds it. Some network
** file systems have no locks. There the result is true if the file has not been written to for an hour. */
static bool nobody_holds(int file, const struct stat *s) {
  enum { LONG = 3600 };
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
  return errno != EWOULDBLOCK && errno != EINTR && time(NULL) - s->st_mtime > LONG;
}

static bool same_file(const struct stat *a, const struct stat *b) { return a->st_dev == b->st_dev && a->st_ino == b->st_ino; }

/* Removes an unfinished file that a killed process left. This process holds the file's lock meanwhile, so no writer can
** rename the file, and `path` still names the file that was checked. */
static void remove_left(const char *path, const char *name) {
  long id;
  int number, end = 0;
  struct stat s, now;
  if (sscanf(name, ".luatensor-%ld-%d%n", &id, &number, &end) != 2 || name[end] || id <= 0) return;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && nobody_holds(file, &s) && lstat(path, &now) == 0 && same_file(&s, &now))
    unlink(path);
  close(file);
}

static void remove_all_left(const char *target) {
  char path[SYSTEM_PATH];
  int n = (int)folder_length(target);
  snprintf(path, sizeof path, "%.*s", n, n ? target : "");
  DIR *folder = opendir(n ? path : ".");
  if (!folder) return;
  for (const struct dirent *e; (e = readdir(folder));)
    if (snprintf(path, sizeof path, "%.*s%s", n, target, e->d_name) < SYSTEM_PATH) remove_left(path, e->d_name);
  closedir(folder);
}

/* Gives a new file the owner, group and permissions of the file that the new one will replace. */
static bool take_rights(int file, const char *target) {
  struct stat old, s;
  if (stat(target, &old) != 0) return true;
  if (fstat(file, &s) != 0) return false;
  if ((s.st_uid != old.st_uid || s.st_gid != old.st_gid) && fchown(file, old.st_uid, old.st_gid) != 0) return fail(EPERM);
  (void)!fchmod(file, old.st_mode & 07777);
  return true;
}

/* Locks a file that was just made. Returns false if another process regards the file as abandoned and removes it. */
static bool lock_new(int file, const char *name) {
  struct stat s, now;
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(file, &s) == 0 && lstat(name, &now) == 0 && same_file(&s, &now);
}

static int fail_with(int why) {
  errno = why;
  return -1;
}

int system_make_beside(const char *target, bool like_target, char name[SYSTEM_PATH]) {
  enum { TRIES = 1000 };
  remove_all_left(target);
  for (int i = 0; i < TRIES; i++) {
    int n = snprintf(name, SYSTEM_PATH, "%.*s.luatensor-%ld-%d", (int)folder_length(target), target, (long)getpid(), i);
    if (n >= SYSTEM_PATH) return fail_with(ENAMETOOLONG);
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) return -1;
    if (file < 0) continue;
    bool locked = lock_new(file, name);
    if (locked && (!like_target || take_rights(file, target))) return file;
    int why = errno;
    if (locked) unlink(name);
    close(file);
    if (locked) return fail_with(why);
  }
  return -1;
}

bool system_may_have(int file, uint64_t bytes) {
  struct rlimit most;
  struct stat s;
  if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || bytes <= most.rlim_cur) return true;
  return fstat(file, &s) == 0 && S_ISREG(s.st_mode) ? fail(EFBIG) : true;
}

FILE *system_open(const char *path) {
  struct stat s;
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return NULL;
  bool plain = fstat(file, &s) == 0 && S_ISREG(s.st_mode);
  FILE *f = plain ? fdopen(file, "rb") : NULL;
  if (f) return f;
  close(file);
  if (!plain) errno = 0;
  return NULL;
}

bool system_is_whole(const char *path) {
  unsigned char header[64] = {0};
  uint64_t start;
  uint16_t size, count;
  FILE *f = fopen(path, "rb");
  if (!f) return true;
  bool whole = fread(header, sizeof header, 1, f) != 1 || memcmp(header, "\177ELF\2", 5) != 0;
  memcpy(&start, header + 40, sizeof start);
  memcpy(&size, header + 58, sizeof size);
  memcpy(&count, header + 60, sizeof count);
  if (!whole) whole = fseek(f, 0, SEEK_END) == 0 && (uint64_t)ftell(f) >= start + (uint64_t)size * count;
  fclose(f);
  return whole;
}

bool system_has_room(size_t bytes, size_t *available) {
  enum { SMALL = 16 << 20 };          /* bytes: reading the limits takes 0.1 ms; filling 16 MiB takes 2 ms */
  *available = SIZE_MAX;
  if (bytes > SMALL) {
    size_t addresses = system_addresses("");
    system_memory("", available);
    if (addresses < *available) *available = addresses;
  }
  return bytes <= *available;
}

/* ---- control groups ----
** Linux limits the memory and the processor time of the process's group and of every group that contains this group. In
** a container these limits are the limits of the container. */

/* The files of one limit in one version of control groups. */
typedef struct group_limit {
  const char *controller;              /* the controller's name in /proc/self/cgroup; "" for version 2 */
  const char *folder;                  /* root folder of the controller's groups */
  void (*look)(const struct group_limit *l, const char *folder, void *found);
  const char *most, *used, *idle;      /* most: the file of the limit; used: the file of the memory in use or of the
                                       ** quota's period; idle: a field of memory.stat, not a file */
} group_limit;

static FILE *open_file(const char *folder, const char *name) {
  char path[2 * SYSTEM_PATH];
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  return n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
}

/* Reads up to two numbers at the beginning of a file. Returns the number of numbers read: 0 if the file contains
** "max". */
static int read_numbers(const char *folder, const char *name, double number[2]) {
  FILE *f = open_file(folder, name);
  if (!f) return 0;
  int n = fscanf(f, "%lf %lf", &number[0], &number[1]);
  fclose(f);
  return n > 0 ? n : 0;
}

/* Returns the number that follows `word` at the beginning of a line, or a negative number if there is no such line. */
static double read_field(const char *folder, const char *name, const char *word) {
  FILE *f = open_file(folder, name);
  double value = -1;
  char line[256];
  size_t length = strlen(word);
  while (f && value < 0 && fgets(line, sizeof line, f))
    if (strncmp(line, word, length) == 0 && strchr(" :", line[length])) sscanf(line + length + 1, "%lf", &value);
  if (f) fclose(f);
  return value;
}

/* True if the list, such as "cpu,cpuacct", contains the controller. Controller "" (version 2) matches only the empty
** list. */
static bool names_controller(const char *list, const char *controller) {
  size_t length = strlen(controller);
  if (!*list || !length) return !*list && !length;
  for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
    if (strcspn(at, ",") == length && strncmp(at, controller, length) == 0) return true;
  return false;
}

/* Finds the process's group: "/user/1000" in the line "5:cpu,cpuacct:/user/1000" of /proc/self/cgroup. In a container
** this path may exist only on the host; then the container's own group is at the root. */
static void find_group(const char *root, const char *controller, char group[SYSTEM_PATH]) {
  char line[2 * SYSTEM_PATH];
  FILE *f = open_file(root, "proc/self/cgroup");
  group[0] = 0;
  while (f && fgets(line, sizeof line, f)) {
    char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
    if (!path) continue;
    *path++ = 0;
    path[strcspn(path, "\n")] = 0;
    if (names_controller(list + 1, controller) && path[1] && strlen(path) < SYSTEM_PATH) strcpy(group, path);
  }
  if (f) fclose(f);
}

/* Calls l->look for the folder of the process's group and of each group that contains this group. */
static void look_at_groups(const char *root, const group_limit *l, void *found) {
  char group[SYSTEM_PATH], folder[3 * SYSTEM_PATH];
  find_group(root, l->controller, group);
  for (;;) {
    snprintf(folder, sizeof folder, "%s%s%s", root, l->folder, group);
    l->look(l, folder, found);
    char *last = strrchr(group, '/');
    if (!last) return;
    *last = 0;
  }
}

static void look_at_all(const char *root, const group_limit limits[2], void *found) {
  for (int version = 0; version < 2; version++) look_at_groups(root, &limits[version], found);
}

/* ---- memory ---- */

typedef struct memory { double machine, most, available; } memory;

static double lesser(double a, double b) { return a < b ? a : b; }

static void look_at_memory(const group_limit *l, const char *folder, void *found) {
  memory *m = found;
  double most[2], used[2], idle = read_field(folder, "memory.stat", l->idle);
  if (!read_numbers(folder, l->most, most) || most[0] >= m->machine) return;   /* without a limit, the file of version 1
                                                                               ** contains a number that exceeds the
                                                                               ** machine's memory */
  m->most = lesser(m->most, most[0]);
  if (!read_numbers(folder, l->used, used)) return;
  m->available = lesser(m->available, most[0] - used[0] + (idle > 0 ? idle : 0));
}

static const group_limit memory_limits[2] = {
  {"", "/sys/fs/cgroup", look_at_memory, "memory.max", "memory.current", "inactive_file"},
  {"memory", "/sys/fs/cgroup/memory", look_at_memory, "memory.limit_in_bytes", "memory.usage_in_bytes",
   "total_inactive_file"},
};

static size_t to_size(double bytes) { return bytes >= 0x1p63 ? SIZE_MAX : bytes > 0 ? (size_t)bytes : 0; }

size_t system_memory(const char *root, size_t *available) {
  double total = read_field(root, "proc/meminfo", "MemTotal"), free = read_field(root, "proc/meminfo", "MemAvailable");
  double machine = total > 0 ? 1024 * total : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  memory m = {machine, machine, free < 0 ? 0x1p64 : 1024 * free};
  look_at_all(root, memory_limits, &m);
  if (available) *available = to_size(m.available);
  return to_size(m.most);
}

/* Returns the bytes that the process can still get before it reaches a limit. `limit` is a row of /proc/self/limits,
** `used` a field of /proc/self/status, in KiB. */
static double left_of(const char *root, const char *limit, const char *used) {
  double most = read_field(root, "proc/self/limits", limit);              /* negative for "unlimited", which is not a
                                                                          ** number */
  double taken = most < 0 ? -1 : read_field(root, "proc/self/status", used);
  return taken < 0 ? 0x1p64 : most - 1024 * taken;
}

size_t system_addresses(const char *root) {
  return to_size(lesser(left_of(root, "Max address space", "VmSize"), left_of(root, "Max data size", "VmData")));
}

/* ---- processors ---- */

static void look_at_quota(const group_limit *l, const char *folder, void *found) {
  double *quota = found, time[2] = {0, 0}, period[2] = {0, 0};
  if (!read_numbers(folder, l->most, time)) return;           /* such as "150000 100000": processor time per period,
                                                              ** and the period, in microseconds */
  if (l->used && read_numbers(folder, l->used, period)) time[1] = period[0];
  if (time[0] <= 0 || time[1] <= 0) return;                  /* version 1: -1 means no limit */
  if (*quota == 0 || time[0] / time[1] < *quota) *quota = time[0] / time[1];
}

static const group_limit quotas[2] = {
  {"", "/sys/fs/cgroup", look_at_quota, "cpu.max", NULL, NULL},
  {"cpu", "/sys/fs/cgroup/cpu", look_at_quota, "cpu.cfs_quota_us", "cpu.cfs_period_us", NULL},
};

static int affinity(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);     /* fails if the machine has more than
                                                                               ** 1024 processors */
#endif
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int system_processors(const char *root, double *quota) {
  *quota = 0;
  look_at_all(root, quotas, quota);
  return affinity();
}

int system_most_threads(void) {
  enum { LEAST = 64, EACH = 4, MOST = 1024 };
  int n = EACH * affinity();
  return n < LEAST ? LEAST : n < MOST ? n : MOST;
}

bool system_isa_limit(isa_level *most) {
  static const char *const names[ISA_COUNT] = {ISA_TEXT_base, ISA_TEXT_avx2, ISA_TEXT_avx512};
  const char *name = getenv("LUATENSOR_CPU");
  *most = ISA_COUNT - 1;
  if (!name) return true;
  for (int i = 0; i < ISA_COUNT; i++)
    if (strcmp(name, names[i]) == 0) {
      *most = (isa_level)i;
      return true;
    }
  return false;
}

/* ---- terminal, time ---- */

double system_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int system_columns(int fd) {
  struct winsize size;
  if (!isatty(fd)) return 0;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* ---- code ---- */

/* Returns the address at which the program or library that contains a function begins, or NULL if it is unknown. */
static const void *module_of(void (*f)(void)) {
  Dl_info found;
  void *address;
  memcpy(&address, &f, sizeof address);
  return dladdr(address, &found) ? found.dli_fbase : NULL;
}

bool system_same_module(void (*f)(void), void (*g)(void)) {
  const void *a = module_of(f), *b = module_of(g);
  return !a || !b || a == b;
}

bool system_sleep(double seconds) {
  struct timespec t = {.tv_sec = (time_t)seconds};
  t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
  return nanosleep(&t, NULL) == 0;
}

/* ---- trials in a child process ---- */

static void leave(void) { _exit(1); }
static void leave_by_signal(int number) { (void)number; _exit(1); }

/* Fatal errors must end the child without a core dump, the host's handlers of signals, and the exit handlers. The exit handler that
** is registered last runs first. Only the standard error is read. The alarm ends a child whose parent was killed. */
static void be_silent(int error, int seconds) {
  static const int fatal[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], leave_by_signal);
  signal(SIGCHLD, SIG_DFL);            /* f may wait for processes that it starts */
  signal(SIGALRM, SIG_DFL);
  alarm((unsigned)seconds + 1);
  atexit(leave);
  int nowhere = open("/dev/null", O_RDWR);
  for (int file = STDIN_FILENO; nowhere >= 0 && file < STDERR_FILENO; file++) dup2(nowhere, file);
  dup2(error, STDERR_FILENO);
}

/* Copies the last line of a text. */
static void last_line(const char *text, size_t length, char *words, size_t size) {
  while (length && strchr("\r\n ", text[length - 1])) length--;
  size_t from = length;
  while (from && text[from - 1] != '\n') from--;
  snprintf(words, size, "%.*s", (int)(length - from), text + from);
}

/* The last part of what the child wrote to its standard error. */
typedef struct trial_text { char text[1024]; size_t length; } trial_text;

/* Reads a part of the text. Returns false at its end. */
static bool hear(int from, trial_text *t) {
  enum { HALF = sizeof t->text / 2 };
  if (t->length > HALF) {
    memmove(t->text, t->text + t->length - HALF, HALF);
    t->length = HALF;
  }
  ssize_t n = read(from, t->text + t->length, sizeof t->text - t->length);
  if (n > 0) t->length += (size_t)n;
  return n > 0 || (n < 0 && errno == EINTR);
}

/* Waits for the child's answer or its end. */
static enum system_trial listen_to(int answer, int error, int seconds, trial_text *t) {
  struct pollfd p[] = {{.fd = answer, .events = POLLIN}, {.fd = error, .events = POLLIN}};
  double end = system_clock() + seconds;
  for (;;) {
    double left = end - system_clock();
    int ready = left > 0 ? poll(p, 2, (int)(left * 1e3) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 1) return SYSTEM_UNTRIED;
    if (p[1].revents && !hear(error, t)) p[1].fd = -1;
    if (!p[0].revents) continue;
    char told;
    ssize_t n = read(answer, &told, 1);
    if (n == 1) return (enum system_trial)told;
    if (n < 0 && errno == EINTR) continue;
    for (int k = 0; k < 100 && p[1].fd >= 0 && poll(p + 1, 1, 0) == 1; k++)        /* the child's last words */
      if (!hear(error, t)) break;
    return SYSTEM_ENDED;
  }
}

/* Makes a pipe whose ends differ from the standard files, which may be closed, and are closed by exec. */
static bool make_pipe(int ends[2]) {
  int made[2];
  if (pipe(made) != 0) return false;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(made[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0) return true;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
  return false;
}

/* The child answers by a byte in a pipe, because the host may ignore SIGCHLD or wait for all children itself, so that
** waitpid gives no status. Another pipe has what it writes to its standard error. */
enum system_trial system_try(bool (*f)(void *argument), void *argument, int seconds, char *words, size_t size) {
  int answers[2], errors[2];
  trial_text t = {.length = 0};
  *words = 0;
  if (!make_pipe(answers)) return SYSTEM_UNTRIED;
  if (!make_pipe(errors)) return close(answers[0]), close(answers[1]), SYSTEM_UNTRIED;
  pid_t child = fork();
  if (child == 0) {
    be_silent(errors[1], seconds);
    const char answer = f(argument) ? SYSTEM_TRUE : SYSTEM_FALSE;
    bool told = write(answers[1], &answer, 1) == 1;
    _exit(!told);
  }
  close(answers[1]);
  close(errors[1]);
  enum system_trial answer = child < 0 ? SYSTEM_UNTRIED : listen_to(answers[0], errors[0], seconds, &t);
  close(answers[0]);
  close(errors[0]);
  if (answer == SYSTEM_ENDED) last_line(t.text, t.length, words, size);
  if (child > 0 && answer >= SYSTEM_ENDED) kill(child, SIGKILL);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return answer;
}
