/* Compiles units of device code with the vendors' real run-time compilers, which need no GPU: NVIDIA's NVRTC and AMD's
** hipRTC. They must compile every unit that the emulator's compiler has compiled.
**
**   units [--share N:ROTATION] [--table FILE] LIBRARY TARGET… < LIST
**
** TARGET is a compute capability of NVIDIA (90) or a processor of AMD (gfx90a). Each line of LIST has a unit and its
** options, separated by tabs; the unit is the name of a file in src/gpu/kernels, or @ and the path of any other file.
** The emulator writes the list (LUATENSOR_EMULATOR_UNITS), with a line "#shared", a number of bytes and a kernel for the
** most dynamic shared memory with which specs have launched a kernel of this name. With --share, only every N-th unit is compiled, starting
** with one that depends on ROTATION.
**
** Prints each unit that does not compile, a line for each target, and the counts of spec/support/sum. The line has the
** largest numbers of registers and bytes that a kernel uses. NVIDIA's numbers are read from the cubin and from the messages
** of the assembler (cubin.h), AMD's from the metadata of the code objects. A kernel fails, too, if a processor
** cannot hold the registers and the shared memory of its largest block, or if it uses too much local memory. A kernel of AMD
** also fails if its descriptor does not ask for IEEE 754's rounding and denormal numbers. The emulator refuses launches
** with more threads than the largest block (__launch_bounds__).
**
** --table writes the largest block, the registers and the static shared memory of NVIDIA's kernels for the first target to a
** file, from which the emulator reads them. Of several units with a kernel of the same name and the same largest block, the
** largest numbers count. */

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

#include "../../../src/gpu/driver.h"
#include "../../../src/gpu/sources.h"
#include "cubin.h"

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
  int (*code_size)(rtc_program p, size_t *bytes);
  int (*code)(rtc_program p, char *code);
  int (*version)(int *major, int *minor);
} rtc;

static char *unit[UNITS];
static int   nunits;

/* Keys of a kernel's metadata in the code objects of AMD's compiler. */
static const char *const resource[] = {".vgpr_count", ".vgpr_spill_count", ".sgpr_count", ".sgpr_spill_count",
                                       ".group_segment_fixed_size", ".private_segment_fixed_size"};
static const char *const resource_name[] = {"VGPRs", "spilled VGPRs", "SGPRs", "spilled SGPRs", "bytes of LDS",
                                            "bytes of scratch"};
enum { RESOURCES = sizeof resource / sizeof *resource };

/* The same of NVIDIA's kernels. */
static const char *const nvidia_name[] = {"registers", "spilled bytes", "bytes of static shared memory", "bytes of stack"};
enum { NVIDIA_RESOURCES = sizeof nvidia_name / sizeof *nvidia_name, KERNELS = 64, ROWS = 256 };

/* LDS_MOST: bytes of LDS of a block. SIMDS: the units of a processor among which the wavefronts of a block are
** distributed. SCRATCH_MOST: bytes of scratch memory of a thread; a processor like the MI210 (104 × 2048 threads) then
** uses 416 MiB of its memory for them. REGISTERS_MOST: registers of a multiprocessor of NVIDIA. SPILLS_MOST: bytes;
** NVRTC 13.2 spills 640 bytes of running products of complex128. */
enum { LDS_MOST = 64 << 10, SIMDS = 4, SCRATCH_MOST = 2 << 10, REGISTERS_MOST = 64 << 10, SPILLS_MOST = 768 };

/* Bytes of shared memory that a block of NVIDIA's GPUs may request, by the least compute capability (CUDA C++ Programming
** Guide, Compute Capabilities). */
static const struct { int arch; unsigned bytes; } shared_most[] = {
  {120, 99 << 10}, {90, 227 << 10}, {89, 99 << 10}, {87, 163 << 10}, {86, 99 << 10}, {80, 163 << 10}, {0, 64 << 10}
};

/* The registers that a lane of a SIMD has for all its wavefronts, and in which steps a wavefront gets them. */
static const struct { const char *target; unsigned registers, step; } register_file[] = {
  {"gfx90a", 512, 8}, {"gfx9", 256, 4}, {"gfx103", 1024, 8}, {"", 0, 1}
};

/* The dynamic shared memory with which specs launch kernels. */
static struct { char kernel[64]; unsigned bytes; } shared[1024];
static int nshared;

/* Kernels of NVIDIA with the largest numbers of all units. */
typedef struct table { int rows; cubin_kernel row[ROWS]; } table;

/* The work of a process, in memory that it shares with its parent. If the process crashes, the parent reports the
** current job and starts another process with the next job. */
typedef struct worker {
  int   job;                                           /* number of the unit and target that is being compiled */
  int   passed[TARGETS], failed[TARGETS];
  struct { unsigned most; int unit; } used[TARGETS][RESOURCES];
  table table;
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
  bool amd = strcmp(prefix, "hiprtc") == 0;
  *(void **)&rtc.code_size = find(library, prefix, amd ? "GetCodeSize" : "GetCUBINSize");
  *(void **)&rtc.code = find(library, prefix, amd ? "GetCode" : "GetCUBIN");
  *(void **)&rtc.version = find(library, prefix, "Version");
  if (!rtc.code_size || !rtc.code || !rtc.version) die("the compiler gives no code");
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

/* Reads a line of dynamic shared memory. */
static void read_shared(const char *line) {
  char kernel[64];
  unsigned bytes;
  if (sscanf(line, "#shared\t%u\t%63s", &bytes, kernel) != 2) return;
  if (nshared == sizeof shared / sizeof *shared) die("too many kernels with dynamic shared memory");
  strcpy(shared[nshared].kernel, kernel);
  shared[nshared++].bytes = bytes;
}

/* Returns the most dynamic shared memory of a kernel, up to `most` bytes: on a processor with less, the specs launch no
** kernel with more. */
static unsigned dynamic_of(const char *kernel, size_t length, unsigned most) {
  unsigned bytes = 0;
  for (int i = 0; i < nshared; i++)
    if (strlen(shared[i].kernel) == length && memcmp(shared[i].kernel, kernel, length) == 0 && shared[i].bytes <= most &&
        shared[i].bytes > bytes)
      bytes = shared[i].bytes;
  return bytes;
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
  if (!is_amd(target)) option[n++] = "--device-as-default-execution-space", option[n++] = "--ptxas-options=-v";
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
  unsigned lds = value_of(at, end, ".group_segment_fixed_size") + dynamic_of(name, (size_t)length, LDS_MOST);
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
static bool inspect_amd(const char *code, size_t bytes, worker *w, int i, int target, const char *name) {
  int others = 0;
  note_resources(code, bytes, w, i, target);
  int kernels = check_floats(code, bytes, &others);
  bool fit = all_fit(code, bytes, i, name);
  if (kernels > 0 && others == 0) return fit;
  printf("FAILED %s: %d of %d kernels do not round floats to nearest or lose denormal numbers\n", unit[i], others, kernels);
  return false;
}

static void keep_most(unsigned *most, unsigned value) {
  if (value > *most) *most = value;
}

/* Orders kernels by their names and largest blocks, which are the same for kernels of the same row. */
static int by_name(const void *a, const void *b) {
  const cubin_kernel *k = a, *l = b;
  int order = strcmp(k->name, l->name);
  return order ? order : k->threads < l->threads ? -1 : k->threads > l->threads;
}

/* Adds a kernel to a table, or raises the numbers of its row. */
static void add_row(table *t, const cubin_kernel *k) {
  int i = 0;
  while (i < t->rows && by_name(&t->row[i], k) != 0) i++;
  if (i == ROWS) die("too many kernels");
  if (i == t->rows) t->row[t->rows++] = *k;
  keep_most(&t->row[i].registers, k->registers);
  keep_most(&t->row[i].shared, k->shared);
}

/* True unless the kernel is one of a script. The sources of element-wise kernels are generated, so they are stored in files
** like those of scripts. */
static bool is_own(const char *line, const char *kernel) {
  return line[0] != '@' || strncmp(kernel, "elementwise_", strlen("elementwise_")) == 0;
}

/* Holds a kernel of NVIDIA against its largest block. Registers are given to warps of 32 threads, in steps of 8 for a
** thread. Returns false after a message. */
static bool block_fits(const cubin_kernel *k, int i, const char *target) {
  int row = 0, arch = atoi(target);
  while (arch < shared_most[row].arch) row++;
  unsigned most = shared_most[row].bytes, dynamic = dynamic_of(k->name, strlen(k->name), most);
  unsigned registers = (k->registers + 7) / 8 * 8 * ((k->threads + 31) / 32 * 32);
  if (registers <= REGISTERS_MOST && k->shared + dynamic <= most && k->stack <= SCRATCH_MOST && k->spills <= SPILLS_MOST)
    return true;
  printf("FAILED %s for %s: a block of %u threads of %s needs %u of %d registers, %u + %u of %u bytes of shared memory, and "
         "%u bytes of stack and %u of spilled registers for each thread\n", unit[i], target, k->threads, k->name, registers,
         REGISTERS_MOST, k->shared, dynamic, most, k->stack, k->spills);
  return false;
}

/* Examines the code of NVIDIA's compiler and the messages of its assembler. */
static bool inspect_nvidia(const char *code, size_t bytes, const char *log, worker *w, int i, int target, const char *name) {
  cubin_kernel k[KERNELS];
  int count = cubin_read(code, bytes, atoi(name), log, k, KERNELS);
  bool good = count > 0;
  if (!good) printf("FAILED %s for %s: the code cannot be read or differs from the messages\n", unit[i], name);
  for (int n = 0; n < count; n++) {
    const unsigned used[NVIDIA_RESOURCES] = {k[n].registers, k[n].spills, k[n].shared, k[n].stack};
    for (int r = 0; r < NVIDIA_RESOURCES; r++)
      if (used[r] > w->used[target][r].most) w->used[target][r].most = used[r], w->used[target][r].unit = i;
    if (target == 0 && is_own(unit[i], k[n].name)) add_row(&w->table, &k[n]);
    good = block_fits(&k[n], i, name) && good;
  }
  return good;
}

/* Examines the compiled code of unit i. Returns false after a message if a kernel must not be launched. */
static bool inspect(rtc_program p, worker *w, int i, int target, const char *name) {
  size_t bytes = 0, said = 0;
  if (rtc.code_size(p, &bytes) != 0 || rtc.log_size(p, &said) != 0) return false;
  char *code = calloc(1, bytes + 8), *log = calloc(1, said + 1);
  bool good = rtc.code(p, code) == 0 && rtc.log(p, log) == 0;
  if (good) good = is_amd(name) ? inspect_amd(code, bytes, w, i, target, name) : inspect_nvidia(code, bytes, log, w, i, target, name);
  free(code);
  free(log);
  return good;
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
  const char *const *names = is_amd(target) ? resource_name : nvidia_name;
  for (int r = 0; r < (is_amd(target) ? (int)RESOURCES : (int)NVIDIA_RESOURCES); r++) {
    int most = 0;
    for (int i = 1; i < n; i++)
      if (w[i].used[t][r].most > w[most].used[t][r].most) most = i;
    unsigned used = w[most].used[t][r].most;
    printf("\n  at most %u %s", used, names[r]);
    if (used) printf(": %.*s", (int)strcspn(unit[w[most].used[t][r].unit], "\t"), unit[w[most].used[t][r].unit]);
    for (const char *o = used ? strstr(unit[w[most].used[t][r].unit], "\t-D") : NULL; o; o = strstr(o + 1, "\t-D"))
      printf(" %.*s", (int)strcspn(o + 3, "\t"), o + 3);
  }
  printf("\n");
  *passed += good;
  *failed += bad;
}

/* Adds the rows of a file whose kernels the table lacks. A kernel without a row keeps all of its old rows. */
static void add_old_rows(table *t, const char *path) {
  char line[128];
  FILE *f = fopen(path, "r");
  cubin_kernel k = {.threads = 0};
  for (int rows = t->rows; f && fgets(line, sizeof line, f);) {
    int i = 0;
    if (sscanf(line, "%63s %u %u %u", k.name, &k.threads, &k.registers, &k.shared) != 4) continue;
    while (i < rows && strcmp(t->row[i].name, k.name) != 0) i++;
    if (i == rows) add_row(t, &k);
  }
  if (f) fclose(f);
}

/* Writes the table of all workers. Keeps the rows of the file that no worker has replaced. */
static void write_table(const char *path, const worker *w, int n, const char *target) {
  static table all;
  int major = 0, minor = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < w[i].table.rows; k++) add_row(&all, &w[i].table.row[k]);
  add_old_rows(&all, path);
  FILE *f = fopen(path, "w");
  if (!f) die("the table cannot be written");
  qsort(all.row, (size_t)all.rows, sizeof *all.row, by_name);
  rtc.version(&major, &minor);
  fprintf(f, "# kernel, threads of its largest block, registers of a thread, bytes of static shared memory: NVRTC %d.%d for "
          "sm_%s\n", major, minor, target);
  for (const cubin_kernel *k = all.row; k < all.row + all.rows; k++)
    fprintf(f, "%s %u %u %u\n", k->name, k->threads, k->registers, k->shared);
  fclose(f);
}

int main(int argc, char **argv) {
  static const char usage[] = "units [--share N:ROTATION] [--table FILE] LIBRARY TARGET… < LIST";
  int of = 1, rotation = 0, n = (int)sysconf(_SC_NPROCESSORS_ONLN), passed = 0, failed = 0;
  const char *file = NULL;
  for (; argc > 2 && argv[1][0] == '-'; argv += 2, argc -= 2) {
    if (strcmp(argv[1], "--table") == 0) file = argv[2];
    else if (strcmp(argv[1], "--share") != 0 || sscanf(argv[2], "%d:%d", &of, &rotation) != 2 || of < 1 || rotation < 0) die(usage);
  }
  if (argc < 3 || argc - 2 > TARGETS) die(usage);
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
  if (file) write_table(file, w, n, target[0]);
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
