/* Modules, functions and launches. A module's image is a struct simt_image, followed by a shared library that
** nvrtc.cpp has compiled. */

#include "emulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SHARED = 48 << 10, MAX_SHARED_ON_DEMAND = SIMT_SHARED, MAX_BLOCK = 1024 };

struct gpu_function_opaque {
  gpu_module  module;
  const simt_kernel *kernel;
  int         registers;               /* registers of a thread */
  int         fixed;                   /* bytes of static shared memory */
  unsigned    shared;                  /* maximum bytes of dynamic shared memory that a launch may request */
};

struct gpu_module_opaque {
  gpu_context  context = nullptr;
  void        *library = nullptr;
  int          file = -1;
  simt_module *unit = nullptr;
  bool         listed = false;         /* the table has the module's kernels */
  std::map<std::string, std::unique_ptr<gpu_function_opaque>> functions;
};

namespace emulator {

static auto &modules = *new std::set<gpu_module>;
static auto &functions = *new std::set<gpu_function>;

/* ---- loading ---- */

static int check_image(const simt_image &i) {
  if (memcmp(i.magic, SIMT_MAGIC, sizeof i.magic) || i.abi != SIMT_ABI) return INVALID_IMAGE;
  if (i.checksum != simt_checksum(reinterpret_cast<const unsigned char *>(&i + 1), i.bytes)) return INVALID_IMAGE;
#ifdef __SANITIZE_ADDRESS__
  if (!i.sanitized) return INVALID_IMAGE;
#else
  if (i.sanitized) return INVALID_IMAGE;
#endif
  int here = settings.capability;
  bool runs = i.ptx ? i.arch <= here : i.arch / 10 == here / 10 && i.arch <= here;
  return runs ? SUCCESS : NO_BINARY_FOR_GPU;
}

/* The program's name and its options, separated by tabs, and its source if it is no file of src/gpu/kernels. */
static const char *description(const simt_image &i) { return reinterpret_cast<const char *>(&i + 1) + i.bytes; }

/* True if the program was compiled by the emulated hipRTC, whose options define a processor (hip.cpp). */
static bool is_of_amd(const std::string &unit) { return unit.find("-D__HIP__") != std::string::npos; }

/* True for luatensor's own kernels: files of src/gpu/kernels, and generated sources (gpu/elementwise.c). */
static bool is_own(const std::string &unit) {
  std::string name = unit.substr(0, unit.find('\t'));
  return name.find(".cuh") != std::string::npos || name == "elementwise.cu";
}

/* Appends a line for a loaded program to the list that the environment variable LUATENSOR_EMULATOR_UNITS names: the
** program's name and its options, separated by tabs. spec/support/units/units.c compiles these programs by NVRTC or hipRTC.
** Programs are listed when they are loaded, because most of them are compiled by an earlier process. The source of a
** program that is no file of src/gpu/kernels is stored in a file beside the list, and the line begins with @ and the path
** of this file. Programs of the emulated hipRTC are left out; NVIDIA's devices load the same programs. */
static void note_unit(const simt_image &i) {
  static auto &noted = *new std::set<std::string>;
  const char *file = getenv("LUATENSOR_EMULATOR_UNITS");
  std::string unit = description(i);
  if (!file || !*file || is_of_amd(unit) || !noted.insert(unit).second) return;
  size_t line = unit.find('\n'), name = std::min(unit.find('\t'), line);
  std::string text = unit.substr(0, line);
  if (line != std::string::npos) {
    std::string path = std::string(file) + "." + std::to_string(std::hash<std::string>()(unit.substr(line))) + ".cu";
    std::ofstream(path) << unit.substr(line + 1);
    text = "@" + path + unit.substr(name, line - name);
  }
  std::ofstream(file, std::ios::app) << text + "\n" << std::flush;
}

/* Loads the shared library from an anonymous file (memfd), which is closed when the module is unloaded. */
static bool load_library(gpu_module m, const simt_image &i) {
  m->file = memfd_create("emulated kernels", 0);
  if (m->file < 0 || write(m->file, &i + 1, i.bytes) != ssize_t(i.bytes)) return false;
  std::string path = "/proc/self/fd/" + std::to_string(m->file);
  m->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!m->library) fprintf(stderr, "emulator: %s\n", dlerror());
  else m->unit = static_cast<simt_module *>(dlsym(m->library, "simt_unit"));
  return m->unit != nullptr;
}

static void unload(gpu_module m) {
  for (auto &f : m->functions) functions.erase(f.second.get());
  if (m->library) dlclose(m->library);
  if (m->file >= 0) close(m->file);
  delete m;
}

void module_reset(gpu_context c) {
  for (auto m = modules.begin(); m != modules.end();)
    if ((*m)->context == c) unload(*m), m = modules.erase(m);
    else ++m;
}

size_t module_report(const char *when) {
  if (!modules.empty()) fprintf(stderr, "emulator: %s: %zu modules are not unloaded\n", when, modules.size());
  return modules.size();
}

static const simt_kernel *find_kernel(gpu_module m, const char *name) {
  if (!dlsym(m->library, name)) return nullptr;      /* a kernel without extern "C" has a mangled symbol, so its name
                                                     ** is not found */
  for (int i = 0; i < m->unit->kernels; i++)
    if (!strcmp(m->unit->kernel[i].name, name)) return &m->unit->kernel[i];
  return nullptr;
}

/* ---- resources of kernels ---- */

enum { REGISTERS_OF_A_BLOCK = 64 << 10, REGISTERS_UNKNOWN = 32 };

struct resources { int registers = REGISTERS_UNKNOWN, shared = 0; };

/* A kernel's name and the threads of its largest block (__launch_bounds__). */
typedef std::pair<std::string, int> kernel_key;

/* Reads the table that NVIDIA's compiler has made (make test-nvrtc UPDATE=1): for each kernel its name, the threads of its
** largest block, the registers of a thread and the bytes of static shared memory. */
static std::map<kernel_key, resources> read_table(const char *path) {
  std::map<kernel_key, resources> table;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    char name[64];
    int threads;
    resources r;
    if (sscanf(line.c_str(), "%63s %d %d %d", name, &threads, &r.registers, &r.shared) == 4) table[{name, threads}] = r;
  }
  return table;
}

/* Returns the path of the table. */
static std::string table_path() {
  Dl_info here;
  if (settings.table[0]) return settings.table;
  if (!dladdr(reinterpret_cast<const void *>(&cuModuleLoadData), &here)) return "";
  std::string path = here.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + "kernels.txt";
}

static resources resources_of(const gpu_module m, const simt_kernel *k) {
  static auto &tables = *new std::map<std::string, std::map<kernel_key, resources>>;
  if (!m->listed) return resources();
  std::string path = table_path();
  if (!tables.count(path)) tables[path] = read_table(path.c_str());
  auto row = tables[path].find({k->name, k->threads});
  return row == tables[path].end() ? resources() : row->second;
}

/* Returns the largest number of threads of a block. A warp of 32 threads gets registers in steps of 8 for each thread. */
static int most_threads(gpu_function f) {
  int by_registers = REGISTERS_OF_A_BLOCK / ((f->registers + 7) / 8 * 8) / 32 * 32;
  return std::min(std::min(settings.block, by_registers), f->kernel->threads);
}

/* ---- launching ---- */

/* Copies of a kernel's arguments. The caller's arguments may no longer exist when the kernel runs. */
struct argument_copy {
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<void *> addresses;
  argument_copy(const simt_kernel &k, void **arguments) {
    for (int i = 0; i < k.arguments; i++) {
      const unsigned char *a = static_cast<const unsigned char *>(arguments[i]);
      bytes.emplace_back(a, a + k.sizes[i]);
    }
    for (auto &b : bytes) addresses.push_back(b.data());
  }
};

static int check_sizes(const unsigned grid[3], const unsigned block[3]) {
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (!threads || threads > MAX_BLOCK || block[2] > 64) return INVALID_VALUE;
  if (!grid[0] || !grid[1] || !grid[2]) return INVALID_VALUE;
  return grid[0] > 2147483647u || grid[1] > 65535 || grid[2] > 65535 ? INVALID_VALUE : SUCCESS;
}

/* Makes a launch fail because a spec requested a failure. The launch fails at once or, if `sticky` is set, when it
** runs. */
static int injected(gpu_stream s) {
  if (!settings.sticky) return LAUNCH_OUT_OF_RESOURCES;
  return stream_add(s, [] { return int(ILLEGAL_ADDRESS); });
}

/* Appends "#shared", the bytes of dynamic shared memory and the name of a launched kernel to the list of units, if
** the kernel was not launched with as many bytes before. */
static void note_shared(const char *kernel, unsigned bytes) {
  static auto &noted = *new std::map<std::string, unsigned>;
  const char *file = getenv("LUATENSOR_EMULATOR_UNITS");
  if (!file || !*file || bytes <= noted[kernel]) return;
  noted[kernel] = bytes;
  std::ofstream(file, std::ios::app) << "#shared\t" + std::to_string(bytes) + "\t" + kernel + "\n" << std::flush;
}

static int queue_launch(gpu_function f, const unsigned grid[3], const unsigned block[3], unsigned shared, gpu_stream s,
                        void **arguments) {
  launch l = {f->kernel, f->module->unit, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, nullptr};
  auto copy = std::make_shared<argument_copy>(*f->kernel, arguments);
  return stream_add(s, [=]() mutable {
    l.arguments = copy->addresses.data();
    return execute(l);
  });
}

}

using namespace emulator;

EXPORT int cuModuleLoadData(gpu_module *m, const void *image) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!m || !image) return INVALID_VALUE;
  const simt_image &i = *static_cast<const simt_image *>(image);
  if (int r = check_image(i)) return r;
  if (emulator_counted(OBJECT)) return OUT_OF_MEMORY;
  gpu_module loaded = new gpu_module_opaque;
  loaded->context = current_context();
  if (!load_library(loaded, i)) {
    unload(loaded);
    return INVALID_IMAGE;
  }
  loaded->listed = is_own(description(i)) && !is_of_amd(description(i));
  note_unit(i);
  modules.insert(loaded);
  *m = loaded;
  return SUCCESS;
}

EXPORT int cuModuleUnload(gpu_module m) {
  EMULATOR_ENTER(NEEDS_CONTEXT);
  if (!modules.erase(m)) return INVALID_HANDLE;
  int r = context_finish(m->context);
  unload(m);
  return r;
}

EXPORT int cuModuleGetFunction(gpu_function *f, gpu_module m, const char *name) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!f || !name) return INVALID_VALUE;
  if (!modules.count(m)) return INVALID_HANDLE;
  auto &slot = m->functions[name];
  if (!slot) {
    const simt_kernel *k = find_kernel(m, name);
    if (!k) return NOT_FOUND;
    slot.reset(new gpu_function_opaque);
    slot->module = m;
    slot->kernel = k;
    resources r = resources_of(m, k);
    slot->registers = r.registers;
    slot->fixed = settings.shared + r.shared;
    slot->shared = unsigned(MAX_SHARED - slot->fixed);
    functions.insert(slot.get());
  }
  *f = slot.get();
  return SUCCESS;
}

EXPORT int cuFuncGetAttribute(int *value, gpu_func_attr a, gpu_function f) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!functions.count(f)) return INVALID_HANDLE;
  switch (a) {
    case 0: *value = most_threads(f); break;         /* maximum number of threads of a block */
    case 1: *value = f->fixed; break;                /* bytes of static shared memory */
    case 4: *value = f->registers; break;            /* number of registers of a thread */
    case 5: case 6: *value = settings.capability; break;
    case 8: *value = int(f->shared); break;
    default: *value = 0;
  }
  return SUCCESS;
}

EXPORT int cuFuncSetAttribute(gpu_function f, gpu_func_attr a, int value) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!functions.count(f)) return INVALID_HANDLE;
  if (a == 9) return SUCCESS;                        /* the preferred part of the cache for shared memory, which has
                                                     ** no effect here */
  if (a != 8 || value < 0 || value > MAX_SHARED_ON_DEMAND - f->fixed) return INVALID_VALUE;
  f->shared = unsigned(value);
  return SUCCESS;
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, gpu_function f, int threads, size_t shared) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!functions.count(f)) return INVALID_HANDLE;
  if (threads < 1 || threads > MAX_BLOCK) return INVALID_VALUE;
  int by_threads = 2048 / threads, by_shared = shared ? int(MAX_SHARED_ON_DEMAND / shared) : 32;
  *blocks = std::min(32, std::min(by_threads, by_shared));
  return SUCCESS;
}

EXPORT int cuLaunchKernel(gpu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, gpu_stream s, void **arguments, void **extra) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = stream_check(&s)) return r;
  if (!functions.count(f) || f->module->context != current_context()) return INVALID_HANDLE;
  unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  if (int r = check_sizes(grid, block)) return r;
  if (extra || (f->kernel->arguments && !arguments) || shared > f->shared) return INVALID_VALUE;
  if (bx * by * bz > unsigned(most_threads(f))) return LAUNCH_OUT_OF_RESOURCES;
  if (emulator_counted(LAUNCH)) return injected(s);
  note_shared(f->kernel->name, shared);
  return queue_launch(f, grid, block, shared, s, arguments);
}
