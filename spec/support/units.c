/* Compiles units of device code with the vendors' real run-time compilers, which need no GPU: NVIDIA's NVRTC and AMD's
** hipRTC. They must compile every unit that the emulator's compiler has compiled.
**
**   units [--share N:ROTATION] LIBRARY TARGET… < LIST
**
** TARGET is a compute capability of NVIDIA (90) or a processor of AMD (gfx90a). Each line of LIST has a unit and its
** options, separated by tabs; the unit is the name of a file in src/gpu/kernels, or @ and the path of any other file.
** The emulator writes the list (LUATENSOR_EMULATOR_UNITS), with a line "#shared", a number of bytes and a kernel for the
** most dynamic shared memory with which specs have launched a kernel of this name. With --share, only every N-th unit is compiled, starting
** with one that depends on ROTATION.
**
** Prints each unit that does not compile, a line for each target, and the counts of spec/support/sum. For AMD, the line
** has the largest numbers of registers and bytes that a kernel uses, from the metadata of the code objects. A kernel of
** AMD fails, too, if a processor cannot hold the registers and the LDS of its largest block, or if it uses too much
** scratch memory. It also fails if its descriptor does not ask for IEEE 754's rounding and denormal numbers. The emulator
** refuses launches with more threads than the largest block (__launch_bounds__). */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/gpu/driver.h"
#include "../../src/gpu/sources.h"

enum { LINE_SIZE = 4096, OPTIONS = 64, UNITS = 1 << 16, TEXT_SIZE = 1 << 18, TARGETS = 16, WORKERS = 64 };

/* The functions that both compilers have under the same name after the prefix nvrtc or hiprtc. */
#define COMPILER_FUNCTIONS(X)                                                                                        \
  X(create,    CreateProgram,     int, (rtc_program *p, const char *source, const char *name, int headers,           \
                                        const char *const *texts, const char *const *names))                         \
  X(destroy,   DestroyProgram,    int, (rtc_program *p))                                                             \
  X(compile,   CompileProgram,    int, (rtc_program p, int count, const char *const *options))                       \
  X(log_size,  GetProgramLogSize, int, (rtc_program p, size_t *bytes))                                               \
  X(log,       GetProgramLog,     int, (rtc_program p, char *text))

static struct {
#define FIELD(field, symbol, result, parameters) result (*field) parameters;
  COMPILER_FUNCTIONS(FIELD)
  int (*code_size)(rtc_program p, size_t *bytes);      /* only of hipRTC */
  int (*code)(rtc_program p, char *code);
} rtc;

static char *unit[UNITS];
static int   nunits;

/* Keys of a kernel's metadata in the code objects of AMD's compiler. */
static const char *const resource[] = {".vgpr_count", ".vgpr_spill_count", ".sgpr_count", ".sgpr_spill_count",
                                       ".group_segment_fixed_size", ".private_segment_fixed_size"};
static const char *const resource_name[] = {"VGPRs", "spilled VGPRs", "SGPRs", "spilled SGPRs", "bytes of LDS",
                                            "bytes of scratch"};
enum { RESOURCES = sizeof resource / sizeof *resource };

/* LDS_MOST: bytes of LDS of a block. SIMDS: the units of a processor among which the wavefronts of a block are
** distributed. SCRATCH_MOST: bytes of scratch memory of a thread; a processor like the MI210 (104 × 2048 threads) then
** uses 416 MiB of its memory for them. */
enum { LDS_MOST = 64 << 10, SIMDS = 4, SCRATCH_MOST = 2 << 10 };

/* The registers that a lane of a SIMD has for all its wavefronts, and in which steps a wavefront gets them. */
static const struct { const char *target; unsigned registers, step; } register_file[] = {
  {"gfx90a", 512, 8}, {"gfx9", 256, 4}, {"gfx103", 1024, 8}, {"", 0, 1}
};

/* The dynamic shared memory with which specs launch kernels. */
static struct { char kernel[64]; unsigned bytes; } shared[256];
static int nshared;

/* The work of a process, in memory that it shares with its parent. If the process crashes, the parent reports the
** current job and starts another process with the next job. */
typedef struct worker {
  int   job;                                           /* number of the unit and target that is being compiled */
  int   passed[TARGETS], failed[TARGETS];
  struct { unsigned most; int unit; } used[TARGETS][RESOURCES];
  pid_t process;
} worker;

static void die(const char *why) {
  fprintf(stderr, "units: %s\n", why);
  exit(2);
}

static void *find(void *library, const char *prefix, const char *name) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
  return dlsym(library, symbol);
}

static void load(const char *file) {
  void *library = dlopen(file, RTLD_NOW);
  if (!library) die(dlerror());
  const char *prefix = find(library, "hiprtc", "CompileProgram") ? "hiprtc" : "nvrtc";
#define LOAD(field, symbol, result, parameters) \
  if (!(*(void **)&rtc.field = find(library, prefix, #symbol))) die(#symbol);
  COMPILER_FUNCTIONS(LOAD)
  *(void **)&rtc.code_size = find(library, "hiprtc", "GetCodeSize");
  *(void **)&rtc.code = find(library, "hiprtc", "GetCode");
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Removes the options that depend on the target. add_target adds those of the target. */
static void remove_target(char *line) {
  static const char *const options[] = {"\t-DLANES=", "\t--gpu-architecture=", "\t--device-as-default-execution-space",
                                        "\t--fmad="};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    char *from = strstr(line, options[i]);
    if (!from) continue;
    char *to = from + 1 + strcspn(from + 1, "\t");
    memmove(from, to, strlen(to) + 1);
  }
}

/* Reads a line of dynamic shared memory. AMD's processors have LDS_MOST bytes, so the specs of AMD's GPUs launch no
** kernel with more. */
static void read_shared(const char *line) {
  char kernel[64];
  unsigned bytes;
  if (sscanf(line, "#shared\t%u\t%63s", &bytes, kernel) != 2 || bytes > LDS_MOST) return;
  int i = 0;
  while (i < nshared && strcmp(shared[i].kernel, kernel) != 0) i++;
  if (i == sizeof shared / sizeof *shared) die("too many kernels with dynamic shared memory");
  if (i == nshared) strcpy(shared[nshared++].kernel, kernel);
  if (bytes > shared[i].bytes) shared[i].bytes = bytes;
}

static unsigned shared_of(const char *kernel, size_t length) {
  for (int i = 0; i < nshared; i++)
    if (strlen(shared[i].kernel) == length && memcmp(shared[i].kernel, kernel, length) == 0) return shared[i].bytes;
  return 0;
}

/* Reads the list from standard input, without empty and repeated lines. Keeps every `of`-th unit. */
static void read_units(int of, int rotation) {
  char line[LINE_SIZE];
  while (nunits < UNITS && fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    remove_target(line);
    if (line[0] == '#') read_shared(line);
    else if (line[0]) unit[nunits++] = strdup(line);
  }
  qsort(unit, (size_t)nunits, sizeof *unit, by_text);
  int kept = 0;
  for (int i = 0; i < nunits; i++)
    if (i == 0 || strcmp(unit[i], unit[i - 1]) != 0) unit[kept++] = unit[i];
  nunits = 0;
  for (int i = rotation % of; i < kept; i += of) unit[nunits++] = unit[i];
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

static bool is_amd(const char *target) { return strncmp(target, "gfx", 3) == 0; }

/* Adds the options of a target. AMD's processors up to gfx9 (GCN and CDNA) have 64 lanes, the later ones (RDNA) 32. */
static int add_target(const char **option, const char *target) {
  static char architecture[64];
  int n = 0;
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%s%s", is_amd(target) ? "" : "sm_", target);
  option[n++] = architecture;
  option[n++] = strncmp(target, "gfx9", 4) == 0 ? "-DLANES=64" : "-DLANES=32";
  option[n++] = is_amd(target) ? "-ffp-contract=off" : "--fmad=false";
  if (!is_amd(target)) option[n++] = "--device-as-default-execution-space";
  return n;
}

/* Returns the integer after a key of the metadata, which is in MessagePack. */
static unsigned integer_at(const unsigned char *p) {
  switch (*p) {
    case 0xcc: return p[1];
    case 0xcd: return (unsigned)p[1] << 8 | p[2];
    case 0xce: return (unsigned)p[1] << 24 | (unsigned)p[2] << 16 | (unsigned)p[3] << 8 | p[4];
    default:   return *p < 0x80 ? *p : 0;
  }
}

/* Keeps the largest values of each resource that the kernels of a code object use. */
static void note_resources(const char *code, size_t bytes, worker *w, int i, int target) {
  for (int r = 0; r < RESOURCES; r++) {
    size_t length = strlen(resource[r]);
    for (const char *at = code; (at = memmem(at, bytes - (size_t)(at - code), resource[r], length)); ) {
      at += length;
      unsigned used = integer_at((const unsigned char *)at);
      if (used > w->used[target][r].most) w->used[target][r].most = used, w->used[target][r].unit = i;
    }
  }
}

/* Returns the integer of a key among the metadata of one kernel, [at, end), or 0. */
static unsigned value_of(const char *at, const char *end, const char *key) {
  const char *found = memmem(at, (size_t)(end - at), key, strlen(key));
  return found ? integer_at((const unsigned char *)found + strlen(key)) : 0;
}

/* Sets *name to the name of a kernel in its metadata, and returns the length. A short string begins with 0xa0 + its
** length, a longer one with 0xd9 and its length. */
static size_t name_at(const char *at, const char *end, const char **name) {
  const unsigned char *p = memmem(at, (size_t)(end - at), "\xa5.name", 6);
  if (!p) return 0;
  bool is_long = p[6] == 0xd9;
  *name = (const char *)p + (is_long ? 8 : 7);
  return is_long ? p[7] : p[6] & 0x1f;
}

/* Holds the metadata [at, end) of a kernel against its largest block. Returns false after a message if a processor cannot
** run this block, or if a thread needs too much scratch memory. */
static bool fits(const char *at, const char *end, int i, const char *target) {
  const char *name = "";
  int length = (int)name_at(at, end, &name), r = 0;
  unsigned threads = value_of(at, end, ".max_flat_workgroup_size"), lanes = value_of(at, end, ".wavefront_size");
  unsigned registers = value_of(at, end, ".vgpr_count"), scratch = value_of(at, end, ".private_segment_fixed_size");
  unsigned lds = value_of(at, end, ".group_segment_fixed_size") + shared_of(name, (size_t)length);
  while (strncmp(register_file[r].target, target, strlen(register_file[r].target)) != 0) r++;
  unsigned step = register_file[r].step, most = register_file[r].registers;
  unsigned waves = lanes ? (threads + lanes * SIMDS - 1) / (lanes * SIMDS) : 0;         /* of a SIMD */
  registers = (registers + step - 1) / step * step * waves;
  bool good = length > 0 && waves > 0 && (!most || registers <= most) && lds <= LDS_MOST && scratch <= SCRATCH_MOST;
  if (!good)
    printf("FAILED %s for %s: a block of %u threads of %.*s needs %u of %u registers of a lane, %u bytes of LDS, and %u "
           "bytes of scratch memory for each thread\n", unit[i], target, threads, length, name, registers, most, lds, scratch);
  return good;
}

/* Holds all kernels of a code object against their largest blocks. The keys of a kernel's metadata are sorted. The first
** key of each kernel is .agpr_count or .args, and .group_segment_fixed_size is before all others that are read. */
static bool all_fit(const char *code, size_t bytes, int i, const char *target) {
  static const char first[] = ".group_segment_fixed_size";
  const char *end = code + bytes, *at = memmem(code, bytes, first, strlen(first));
  bool good = at != NULL;
  for (const char *next; at; at = next) {
    next = memmem(at + 1, (size_t)(end - at - 1), first, strlen(first));
    good = fits(at, next ? next : end, i, target) && good;
  }
  return good;
}

/* The bits FLOAT_MODE in word compute_pgm_rsrc1 of a kernel descriptor (LLVM, User Guide for AMDGPU Backend): rounding
** and denormal numbers, each of float32 in the low half. */
enum { RSRC1 = 48, FLOAT_MODE_AT = 12, FLOAT_MODE = 0xff, IEEE = 0xf0 /* rounds to nearest and keeps denormal numbers */ };

/* Returns the number of kernels in a code object, and adds those that do not compute floats as IEEE 754 says to
** *others. */
static int check_floats(const char *code, size_t bytes, int *others) {
  const Elf64_Ehdr *file = (const Elf64_Ehdr *)code;
  if (bytes < sizeof *file || memcmp(code, ELFMAG, SELFMAG) != 0) return 0;
  const Elf64_Shdr *section = (const Elf64_Shdr *)(code + file->e_shoff);
  int kernels = 0;
  for (int k = 0; k < file->e_shnum; k++) {
    if (section[k].sh_type != SHT_DYNSYM) continue;
    const Elf64_Sym *symbol = (const Elf64_Sym *)(code + section[k].sh_offset);
    const char *names = code + section[section[k].sh_link].sh_offset;
    for (size_t i = 0; i < section[k].sh_size / sizeof *symbol; i++) {
      const char *name = names + symbol[i].st_name;
      size_t length = strlen(name);
      if (length < 3 || strcmp(name + length - 3, ".kd") != 0) continue;
      const Elf64_Shdr *at = &section[symbol[i].st_shndx];
      uint32_t word;
      memcpy(&word, code + at->sh_offset + (symbol[i].st_value - at->sh_addr) + RSRC1, sizeof word);
      kernels++;
      if ((word >> FLOAT_MODE_AT & FLOAT_MODE) != IEEE) ++*others;
    }
  }
  return kernels;
}

/* Examines the code object of AMD's compiler. Returns false after a message if a kernel's floats are wrong or a block
** does not fit. */
static bool inspect(rtc_program p, worker *w, int i, int target, const char *name) {
  size_t bytes = 0;
  if (!rtc.code_size || rtc.code_size(p, &bytes) != 0) return true;
  char *code = calloc(1, bytes + 8);
  int others = 0;
  if (rtc.code(p, code) != 0) bytes = 0;
  note_resources(code, bytes, w, i, target);
  int kernels = check_floats(code, bytes, &others);
  bool fit = all_fit(code, bytes, i, name);
  free(code);
  if (kernels > 0 && others == 0) return fit;
  printf("FAILED %s: %d of %d kernels do not round floats to nearest or lose denormal numbers\n", unit[i], others, kernels);
  return false;
}

/* Compiles unit i for a target. */
static void compile(worker *w, int i, int t, const char *target) {
  char copy[LINE_SIZE];
  const char *option[OPTIONS];
  source_list s;
  rtc_program p;
  int n = add_target(option, target);
  snprintf(copy, sizeof copy, "%s", unit[i]);
  const char *file = strtok(copy, "\t");
  for (char *o; (o = strtok(NULL, "\t")) && n < OPTIONS;) option[n++] = o;
  char *text = file[0] == '@' ? read_text(file + 1) : NULL;
  source_closure(&s, text ? "generated.cu" : file, text);
  if (!s.text[0] || rtc.create(&p, s.text[0], s.name[0], s.count - 1, s.text + 1, s.name + 1) != 0) {
    printf("FAILED %s for %s: no such file, or no program\n", file, target);
    w->failed[t]++;
    free(text);
    return;
  }
  if (rtc.compile(p, n, option) == 0) {
    if (inspect(p, w, i, t, target)) w->passed[t]++;
    else w->failed[t]++;
  } else {
    printf("FAILED %s for %s:\n", unit[i], target);
    print_log(p);
    w->failed[t]++;
  }
  rtc.destroy(&p);
  free(text);
}

/* Starts a process for the worker's jobs from number `from` on: every step-th pair of a unit and a target. */
static void start(worker *w, int from, int step, char **target, int targets) {
  fflush(stdout);
  pid_t process = fork();
  if (process != 0) {
    w->process = process;
    return;
  }
  for (w->job = from; w->job < nunits * targets; w->job += step)
    compile(w, w->job / targets, w->job % targets, target[w->job % targets]);
  fflush(stdout);
  _exit(0);
}

/* Waits for all processes. A crashed one has failed in its current job, and is replaced for the next jobs. */
static void finish(worker *w, int n, char **target, int targets) {
  int status;
  for (pid_t ended; (ended = wait(&status)) > 0; )
    for (int i = 0; i < n; i++) {
      if (w[i].process != ended || status == 0) continue;
      int job = w[i].job, t = job % targets;
      printf("FAILED %s for %s: the compiler crashed (%s)\n", unit[job / targets], target[t],
             WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
      w[i].failed[t]++;
      start(&w[i], job + n, n, target, targets);
    }
}

/* Prints the line of a target and adds its counts. */
static void report(const worker *w, int n, int t, const char *target, int *passed, int *failed) {
  int good = 0, bad = 0;
  for (int i = 0; i < n; i++) good += w[i].passed[t], bad += w[i].failed[t];
  printf("%s: %d units compile, %d do not", target, good, bad);
  for (int r = 0; is_amd(target) && r < RESOURCES; r++) {
    int most = 0;
    for (int i = 1; i < n; i++)
      if (w[i].used[t][r].most > w[most].used[t][r].most) most = i;
    unsigned used = w[most].used[t][r].most;
    printf("\n  at most %u %s", used, resource_name[r]);
    if (used) printf(": %.*s", (int)strcspn(unit[w[most].used[t][r].unit], "\t"), unit[w[most].used[t][r].unit]);
    for (const char *o = used ? strstr(unit[w[most].used[t][r].unit], "\t-D") : NULL; o; o = strstr(o + 1, "\t-D"))
      printf(" %.*s", (int)strcspn(o + 3, "\t"), o + 3);
  }
  printf("\n");
  *passed += good;
  *failed += bad;
}

int main(int argc, char **argv) {
  int of = 1, rotation = 0, n = (int)sysconf(_SC_NPROCESSORS_ONLN), passed = 0, failed = 0;
  if (argc > 2 && strcmp(argv[1], "--share") == 0) {
    if (sscanf(argv[2], "%d:%d", &of, &rotation) != 2 || of < 1 || rotation < 0) die("--share N:ROTATION");
    argv += 2;
    argc -= 2;
  }
  if (argc < 3 || argc - 2 > TARGETS) die("units [--share N:ROTATION] LIBRARY TARGET… < LIST");
  char **target = argv + 2;
  int targets = argc - 2;
  if (n > WORKERS) n = WORKERS;
  load(argv[1]);
  read_units(of, rotation);
  if (nunits == 0) die("the list is empty");
  worker *w = mmap(NULL, sizeof(worker[WORKERS]), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (w == MAP_FAILED) die("no shared memory");
  for (int i = 0; i < n; i++) start(&w[i], i, n, target, targets);
  finish(w, n, target, targets);
  for (int t = 0; t < targets; t++) report(w, n, t, target[t], &passed, &failed);
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
