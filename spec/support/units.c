/* Compiles units of device code with the real NVRTC, which needs no GPU. NVRTC must compile every unit that the
** emulator's compiler has compiled.
**
**   units LIBNVRTC ARCH… < LIST        each line of LIST has a unit and its options, separated by tabs; the unit is the
**                                      name of a file in src/gpu/kernels, or @ and the path of any other file
**
** Prints each unit that does not compile, then the number of units and the milliseconds for each unit. The
** emulator writes the list (LUATENSOR_EMULATOR_UNITS). */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../src/gpu/driver.h"
#include "../../src/gpu/sources.h"

enum { LINE_SIZE = 4096, OPTIONS = 64, UNITS = 1 << 16, TEXT_SIZE = 1 << 18 };

static gpu_rtc rtc;
static char   *unit[UNITS];
static int     nunits;

static void die(const char *why) {
  fprintf(stderr, "units: %s\n", why);
  exit(2);
}

static void load(const char *file) {
  void *library = dlopen(file, RTLD_NOW);
  if (!library) die(dlerror());
#define LOAD(field, symbol, result, parameters) if (!(*(void **)&rtc.field = dlsym(library, #symbol))) die(#symbol);
  RTC_FUNCTIONS(LOAD)
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Reads the list from standard input, without empty and repeated lines. */
static void read_units(void) {
  char line[LINE_SIZE];
  while (nunits < UNITS && fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0]) unit[nunits++] = strdup(line);
  }
  qsort(unit, (size_t)nunits, sizeof *unit, by_text);
  int kept = 0;
  for (int i = 0; i < nunits; i++)
    if (i == 0 || strcmp(unit[i], unit[i - 1]) != 0) unit[kept++] = unit[i];
  nunits = kept;
}

static void print_log(rtc_program p) {
  size_t bytes = 0;
  if (rtc.log_size(p, &bytes) != 0) return;
  char *text = calloc(1, bytes + 1);
  rtc.log(p, text);
  printf("%.2000s\n", text);
  free(text);
}

/* Returns the text of a unit that is not embedded, or "" if the file cannot be read. The caller frees the text. */
static char *read_text(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = calloc(1, TEXT_SIZE);
  if (f) {
    if (fread(text, 1, TEXT_SIZE - 1, f) == 0) text[0] = 0;
    fclose(f);
  }
  return text;
}

/* Compiles a unit; returns 1 if the compilation fails. */
static int compile(const char *line, const char *arch) {
  char copy[LINE_SIZE], architecture[64];
  const char *option[OPTIONS];
  source_list s;
  rtc_program p;
  int n = 0;
  snprintf(copy, sizeof copy, "%s", line);
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%s", arch);
  option[n++] = architecture;
  const char *file = strtok(copy, "\t");
  for (char *o; (o = strtok(NULL, "\t")) && n < OPTIONS;)
    if (strncmp(o, "--gpu-architecture", 18) != 0) option[n++] = o;
  char *text = file[0] == '@' ? read_text(file + 1) : NULL;
  source_closure(&s, text ? "generated.cu" : file, text);
  if (!s.text[0]) return printf("%s: no such file\n", file), 1;
  if (rtc.create(&p, s.text[0], s.name[0], s.count - 1, s.text + 1, s.name + 1) != 0) die("nvrtcCreateProgram");
  int failed = rtc.compile(p, n, option) != 0;
  if (failed) {
    printf("%s for sm_%s:\n", line, arch);
    print_log(p);
  }
  rtc.destroy(&p);
  free(text);
  return failed;
}

/* Process `me` of `all` processes compiles every all-th unit. Returns 0 if all of them compile. */
static int work(int me, int all, char **arch) {
  int failed = 0;
  for (int i = me; i < nunits; i += all)
    for (char **a = arch; *a; a++) failed |= compile(unit[i], *a);
  return failed;
}

int main(int argc, char **argv) {
  struct timespec from, to;
  int processes = (int)sysconf(_SC_NPROCESSORS_ONLN), failed = 0, status;
  if (argc < 3) die("units LIBNVRTC ARCH… < LIST");
  load(argv[1]);
  read_units();
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int i = 0; i < processes; i++)
    if (fork() == 0) {
      int st = work(i, processes, argv + 2);
      fflush(stdout);
      _exit(st);
    }
  while (wait(&status) > 0) failed |= status;
  clock_gettime(CLOCK_MONOTONIC, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
  int compiled = nunits * (argc - 2);
  printf("%d units for %d architectures: %s; %.0f ms each\n", nunits, argc - 2, failed ? "not all compile" : "all compile",
         compiled ? seconds * 1e3 * processes / compiled : 0.0);
  return failed != 0;
}
