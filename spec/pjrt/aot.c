/* Compiles programs in StableHLO for a named topology of devices, which need not exist:
**
**      aot PLUGIN TOPOLOGY PROCESSES SECONDS FILE…
**
** So many processes compile at the same time. A line for each file has the file, the seconds of processor time that its program
** took, and `compiled` or the compiler's error, with tabs between. A program that takes longer than SECONDS, or makes the compiler
** end its process, ends a child process, which is then replaced by another one for the rest of the files. Without files, prints the
** plugin's version. */

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aot.h"

/* As in src/pjrt/plugin.c, but without the numbers of devices: one partition, and a replica for each device that the program's
** comment "devices 0 1" lists. */
enum { REPLICAS = 3 };
static char compile_options[] = {0x1a, 0x04, 0x20, 0x01, 0x28, 0x01};

static pjrt_function *const *functions;

/* Writes a failure to `why`. Returns true if there is none. */
static bool call(int f, void *arguments, char *why, size_t size) {
  PJRT_Error *failed = functions[f](arguments);
  if (!failed) return true;
  PJRT_ARGS(pjrt_list, message, .handle = failed);
  PJRT_ARGS(pjrt_handle, destroy, .handle = failed);
  functions[PJRT_CALL_Error_Message](&message);
  snprintf(why, size, "%.*s", (int)message.length, message.text);
  for (char *c = why; *c; c++)
    if (*c == '\n' || *c == '\t') *c = ' ';
  functions[PJRT_CALL_Error_Destroy](&destroy);
  return false;
}

static void *load(const char *path, const char *name) {
  char why[2048] = "";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const pjrt_api *(*get)(void) = NULL;
  if (library) *(void **)&get = dlsym(library, "GetPjrtApi");
  if (!get) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  const pjrt_api *api = get();
  if (api->version.major != PJRT_MAJOR || api->size < offsetof(pjrt_api, call) + AOT_SLOTS * sizeof *api->call) {
    fprintf(stderr, "%s has another version of PJRT's interface\n", path);
    exit(2);
  }
  functions = api->call;
  PJRT_ARGS(pjrt_nothing, initialize, .extensions = NULL);
  PJRT_ARGS(aot_topology, create, .name = name, .length = strlen(name));
  if (!call(PJRT_CALL_Plugin_Initialize, &initialize, why, sizeof why) || !call(AOT_CALL_TopologyDescription_Create, &create, why, sizeof why)) {
    fprintf(stderr, "%s: %s\n", name, why);
    exit(2);
  }
  return create.topology;
}

/* Reads a file. */
static char *contents(const char *path, size_t *length) {
  FILE *f = fopen(path, "r");
  if (!f || fseek(f, 0, SEEK_END) != 0) {
    perror(path);
    exit(2);
  }
  *length = (size_t)ftell(f);
  rewind(f);
  char *text = malloc(*length + 1);
  if (!text || fread(text, 1, *length, f) != *length) {
    perror(path);
    exit(2);
  }
  text[*length] = 0;
  fclose(f);
  return text;
}

/* A process that compiles. */
typedef struct worker {
  pid_t  process;
  int    file;                         /* its number among the arguments */
  double began;                        /* the process's processor time when it began with the file */
} worker;

enum { MOST_WORKERS = 64 };
typedef struct shared_state {
  atomic_int next;                     /* the number of the next file */
  worker     workers[MOST_WORKERS];
} shared_state;

static double seconds_of(int who) {
  struct rusage used;
  getrusage(who, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void report(const char *path, double seconds, const char *outcome) {
  printf("%s\t%.2f\t%s\n", path, seconds, outcome);
  fflush(stdout);
}

static void compile(void *topology, const char *path, double began) {
  static const char format[] = "mlir";
  char why[2048] = "compiled";
  PJRT_ARGS(pjrt_program, program, .format = format, .format_length = sizeof format - 1);
  program.code = contents(path, &program.length);
  const char *devices = strstr(program.code, "// devices");
  compile_options[REPLICAS] = !devices;
  for (size_t k = devices ? strlen("// devices") : 0; devices && devices[k] != '\n'; k++) compile_options[REPLICAS] += devices[k] == ' ';
  PJRT_ARGS(aot_compile, c, .topology = topology, .program = &program, .options = compile_options,
            .options_length = sizeof compile_options);
  if (call(AOT_CALL_Compile, &c, why, sizeof why)) {
    PJRT_ARGS(pjrt_handle, destroy, .handle = c.executable);
    call(AOT_CALL_Executable_Destroy, &destroy, why, sizeof why);
  }
  free(program.code);
  report(path, seconds_of(RUSAGE_SELF) - began, why);
}

/* Compiles files until each one has been taken by a process. */
static void work(shared_state *s, worker *w, int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);    /* the plugin ignores the signal that ends the other processes of a run */
  void *topology = load(argv[1], argv[2]);
  const struct itimerval limit = {.it_value.tv_sec = atoi(argv[4])};
  while ((w->file = s->next++) < argc) {
    w->began = seconds_of(RUSAGE_SELF);
    setitimer(ITIMER_VIRTUAL, &limit, NULL); /* the plugin uses ITIMER_PROF itself */
    compile(topology, argv[w->file], w->began);
  }
  _exit(0);
}

static void start(shared_state *s, worker *w, int argc, char **argv) {
  pid_t process = fork();
  if (process == 0) work(s, w, argc, argv);
  if (process < 0) {
    perror("fork");
    exit(2);
  }
  w->process = process;
}

/* Reports the file whose compilation has ended a process. `before` is the processor time of the children that ended earlier. */
static void report_end(const worker *w, int status, char **argv, double before) {
  char why[64];
  if (WIFEXITED(status)) snprintf(why, sizeof why, "the compiler ended the process with status %d", WEXITSTATUS(status));
  else if (WTERMSIG(status) == SIGVTALRM) snprintf(why, sizeof why, "stopped after %s seconds", argv[4]);
  else snprintf(why, sizeof why, "the compiler ended the process by signal %d", WTERMSIG(status));
  report(argv[w->file], seconds_of(RUSAGE_CHILDREN) - before - w->began, why);
}

static void print_version(void *topology) {
  char why[2048];
  PJRT_ARGS(pjrt_list, version, .handle = topology);
  if (!call(AOT_CALL_TopologyDescription_PlatformVersion, &version, why, sizeof why)) {
    fprintf(stderr, "%s\n", why);
    exit(2);
  }
  for (size_t k = 0; k < version.length; k++) putchar(version.text[k] == '\n' ? ' ' : version.text[k]);
  putchar('\n');
}

int main(int argc, char **argv) {
  if (argc < 5) return fputs("usage: aot PLUGIN TOPOLOGY PROCESSES SECONDS FILE…\n", stderr), 2;
  if (argc == 5) return print_version(load(argv[1], argv[2])), 0;
  shared_state *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (s == MAP_FAILED) return perror("mmap"), 2;
  s->next = 5;
  int count = atoi(argv[3]), running = 0, status = 0;
  for (; running < count && running < MOST_WORKERS && running < argc - 5; running++) start(s, &s->workers[running], argc, argv);
  while (running > 0) {
    double before = seconds_of(RUSAGE_CHILDREN);
    pid_t ended = wait(&status);
    worker *w = s->workers;
    while (w->process != ended) w++;
    running--;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return 2;
    if (status == 0) continue;
    report_end(w, status, argv, before);
    start(s, w, argc, argv);
    running++;
  }
  return 0;
}
