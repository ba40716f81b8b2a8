/* Compiles programs in StableHLO for a named topology of devices, which need not exist:
**
**      aot PLUGIN TOPOLOGY FILE…
**
** Prints a line for each file: the file, a tab, and `compiled` or the compiler's error. A compiler that ends the process does so
** in a child process, which is then replaced by another one for the rest of the files. */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aot.h"

enum { SECONDS = 900 };                /* of processor time, after which a program counts as a failure */

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

static void compile(void *topology, const char *path) {
  static const char format[] = "mlir";
  char why[2048] = "compiled";
  PJRT_ARGS(pjrt_program, program, .format = format, .format_length = sizeof format - 1);
  program.code = contents(path, &program.length);
  const char *devices = strstr(program.code, "// devices");
  compile_options[REPLICAS] = !devices;
  for (size_t k = devices ? strlen("// devices") : 0; devices && devices[k] != '\n'; k++) compile_options[REPLICAS] += devices[k] == ' ';
  PJRT_ARGS(aot_compile, c, .topology = topology, .program = &program, .options = compile_options,
            .options_length = sizeof compile_options);
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = SECONDS}, NULL);
  if (call(AOT_CALL_Compile, &c, why, sizeof why)) {
    PJRT_ARGS(pjrt_handle, destroy, .handle = c.executable);
    call(AOT_CALL_Executable_Destroy, &destroy, why, sizeof why);
  }
  free(program.code);
  printf("%s\t%s\n", path, why);
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 4) return fputs("usage: aot PLUGIN TOPOLOGY FILE…\n", stderr), 2;
  int *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), status = 0;
  if (at == MAP_FAILED) return perror("mmap"), 2;
  for (*at = 3; *at < argc; ++*at) {
    pid_t child = fork();
    if (child == 0) {
      void *topology = load(argv[1], argv[2]);
      for (; *at < argc; ++*at) compile(topology, argv[*at]);
      _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return perror("fork"), 2;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return 2;
    if (WIFSIGNALED(status)) printf("%s\tthe compiler ended the process by signal %d\n", argv[*at], WTERMSIG(status));
    fflush(stdout);
  }
  return 0;
}
