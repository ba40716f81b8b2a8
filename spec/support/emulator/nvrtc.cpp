/* The emulated NVRTC: preprocesses the source by g++, finds the kernels in the result, and compiles a shared library.
** Half of the time of luatensor's own kernels would be spent on the same headers, so these are precompiled. The log has
** the format of NVRTC's messages. */

#include "simt_abi.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <glob.h>
#include <map>
#include <set>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../../src/gpu/driver.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

#define DECLARE(field, nvidia, amd, result, parameters) EXPORT result nvidia parameters;
RTC_FUNCTIONS(DECLARE)

extern char **environ;
extern "C" bool emulator_counted(int kind);          /* libcuda.so.1 defines these two functions */
extern "C" int emulator_nvrtc_version(void);
enum { COUNTED_COMPILE = 3 };

enum rtc {
  SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_PROGRAM = 4, INVALID_OPTION = 5, COMPILATION = 6,
  BUILTIN_OPERATION_FAILURE = 7, INTERNAL_ERROR = 11
};

struct rtc_program_opaque {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;   /* pairs of name and text */
  std::string log, image;
  bool ptx = false;
};

namespace {

typedef std::vector<std::string> words;

/* ---- files and processes ---- */

std::string read_file(const std::string &path) {
  std::ifstream f(path, std::ios::binary);
  std::ostringstream all;
  all << f.rdbuf();
  return all.str();
}

bool write_file(const std::string &path, const std::string &text) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
  std::ofstream f(path, std::ios::binary);
  f << text;
  return bool(f.flush());
}

/* A temporary folder. The destructor removes the folder and its contents. */
struct temporary {
  std::string path;
  temporary() {
    const char *base = getenv("TMPDIR");
    std::string name = std::string(base && *base ? base : "/tmp") + "/emulator-XXXXXX";
    if (mkdtemp(&name[0])) path = name;
  }
  ~temporary();
};

/* Runs a command. Returns 0 if the command succeeds, -1 if it cannot be run, and another number if it fails. The
** command's error output, in English, is written to the file `said`. LD_PRELOAD is removed, because the compiler must
** run without preloaded sanitizers. */
int run(const words &command, const std::string &said) {
  std::vector<char *> arguments, environment = {const_cast<char *>("LC_ALL=C")};
  for (char **e = environ; *e; e++)
    if (strncmp(*e, "LC_ALL=", 7) && strncmp(*e, "LD_PRELOAD=", 11)) environment.push_back(*e);
  environment.push_back(nullptr);
  for (const std::string &w : command) arguments.push_back(const_cast<char *>(w.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 2, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child;
  int status = -1, failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(),
                                         environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed || waitpid(child, &status, 0) < 0) return -1;
  return status;
}

temporary::~temporary() {
  if (!path.empty()) run({"rm", "-rf", path}, "/dev/null");
}

/* Returns the folder of this library, which also contains simt.h. */
std::string own_folder() {
  Dl_info info;
  dladdr(reinterpret_cast<void *>(&own_folder), &info);
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/* ---- options ---- */

const int archs[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

struct options {
  words flags;                         /* the options that the preprocessor receives */
  bool  fma = true;                    /* a * b + c may round once; --fmad=false turns this off */
  int   arch = 75;
  bool  ptx = true;                    /* true for a virtual architecture such as compute_90, false for a real one
                                       ** such as sm_90 */
  std::string standard = "c++17";
};

bool starts(const std::string &s, const char *with) { return s.compare(0, strlen(with), with) == 0; }

std::string value_of(const std::string &option) { return option.substr(option.find('=') + 1); }

bool read_arch(const std::string &v, options *o) {
  o->ptx = starts(v, "compute_");
  if (!o->ptx && !starts(v, "sm_")) return false;
  o->arch = atoi(v.c_str() + v.find('_') + 1);
  for (int a : archs)
    if (a == o->arch) return true;
  return false;
}

/* True for options of NVRTC that have no effect in the emulator. */
bool ignored(const std::string &s) {
  static const char *const known[] = {
    "--use_fast_math", "-use_fast_math", "--prec-div=", "--prec-sqrt=", "--ftz=", "--extra-device-vectorization",
    "--device-as-default-execution-space", "-default-device", "--generate-line-info", "-lineinfo", "--device-debug", "-G",
    "--maxrregcount=", "--restrict", "-restrict", "--disable-warnings", "-w", "--diag-suppress=", "-diag-suppress=",
    "--no-source-include", "--minimal", "-minimal", "--split-compile=", "--dopt=", "--ptxas-options=", "--relocatable-device-code="};
  for (const char *k : known)
    if (starts(s, k)) return true;
  return false;
}

bool read_option(const std::string &s, options *o) {
  if (starts(s, "--gpu-architecture=") || starts(s, "-arch=") || starts(s, "-arch ")) {
    return read_arch(s.substr(s.find_first_of("= ") + 1), o);
  }
  if (starts(s, "--std=") || starts(s, "-std=")) return o->standard = value_of(s), true;
  if (starts(s, "--define-macro=")) return o->flags.push_back("-D" + value_of(s)), true;
  if (starts(s, "--undefine-macro=")) return o->flags.push_back("-U" + value_of(s)), true;
  if (starts(s, "--include-path=")) return o->flags.push_back("-I" + value_of(s)), true;
  if (starts(s, "-D") || starts(s, "-U") || starts(s, "-I")) return o->flags.push_back(s), true;
  if (starts(s, "--fmad=") || starts(s, "-fmad=")) return o->fma = value_of(s) != "false", true;
  return ignored(s);
}

/* ---- the log ---- */

/* Rewrites "file:3:5: error: text" to NVRTC's "file(3): error: text". Returns false if the line is no message. */
bool rewrite_message(std::string line, const std::string &folder, std::string *message) {
  size_t kind = std::min(line.find(": error: "), line.find(": warning: "));
  if (kind == std::string::npos && (kind = line.find(": fatal error: ")) != std::string::npos) line.erase(kind + 2, 6);
  if (kind == std::string::npos) return false;
  size_t colon = line.rfind(':', kind - 1), before = line.rfind(':', colon - 1);
  std::string file = line.substr(0, before), number = line.substr(before + 1, colon - before - 1);
  if (colon == std::string::npos || before == std::string::npos) return false;
  if (starts(file, folder.c_str())) file = file.substr(folder.size() + 1);
  *message = file + "(" + number + ")" + line.substr(kind);
  return true;
}

std::string nvrtc_log(const std::string &said, const std::string &folder, const std::string &name) {
  std::istringstream lines(said);
  std::string line, message, log;
  int errors = 0;
  while (std::getline(lines, line)) {
    if (!rewrite_message(line, folder, &message)) continue;
    errors += message.find(": error: ") != std::string::npos;
    log += message + "\n";
  }
  if (!errors) return log + said;
  return log + "\n" + std::to_string(errors) + (errors == 1 ? " error" : " errors") +
         " detected in the compilation of \"" + name + "\".\n";
}

/* ---- changes of the preprocessed source ---- */

bool in_word(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/* Returns the identifier before position `end` of the text. Spaces between the identifier and `end` are skipped. */
std::string name_before(const std::string &text, size_t end) {
  while (end > 0 && isspace(static_cast<unsigned char>(text[end - 1]))) end--;
  size_t begin = end;
  while (begin > 0 && in_word(text[begin - 1])) begin--;
  return text.substr(begin, end - begin);
}

/* Replaces __shared__ by `static`, and declarations of dynamic shared memory, `extern __shared__ T name[];`, by
** references to the array simt_shared of simt.h. */
void replace_shared(std::string &text) {
  static const std::string word = "__shared__";
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    size_t semicolon = text.find(';', at);
    bool dynamic = name_before(text, at) == "extern" && semicolon != std::string::npos;
    if (dynamic) text.insert(semicolon, " __asm__(\"simt_shared\") __attribute__((visibility(\"hidden\")))");
    text.replace(at, word.size(), dynamic ? "" : "static");
  }
}

/* Returns the position after the parenthesis that closes the one at `open`, or npos. */
size_t closing(const std::string &text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); at++) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return std::string::npos;
}

/* If the parenthesis *end after `at` belongs to __launch_bounds__, removes the word and its arguments, moves *end to the
** parenthesis before the parameters of the kernel, and returns the arguments. */
std::string remove_bounds(std::string &text, size_t at, size_t *end) {
  static const std::string word = "__launch_bounds__";
  size_t from = text.find(word, at), to = closing(text, *end);
  if (from > *end || to == std::string::npos) return "";
  std::string arguments = text.substr(*end + 1, to - *end - 2);
  text.erase(from, to - from);
  *end = text.find('(', from);
  return arguments;
}

/* Returns the names of all __global__ functions that are not templates, each with the arguments of its
** __launch_bounds__, which are removed from the text. The name is the identifier before the parameters. */
std::map<std::string, std::string> take_kernels(std::string &text) {
  std::map<std::string, std::string> kernels;
  for (size_t at = text.find("__global__"); at != std::string::npos; at = text.find("__global__", at + 1)) {
    size_t before = text.find_last_of(";}{", at), end = text.find('(', at);
    if (end == std::string::npos) break;
    std::string bounds = remove_bounds(text, at, &end);
    if (end == std::string::npos) break;
    if (before != std::string::npos && text.substr(before, at - before).find("template") != std::string::npos) continue;
    kernels.emplace(name_before(text, end), bounds);
  }
  return kernels;
}

/* Replaces __global__ by an attribute that exports the function. */
void replace_global(std::string &text) {
  static const std::string word = "__global__";
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
    text.replace(at, word.size(), "__attribute__((visibility(\"default\")))");
}

/* Returns the text that g++ compiles, which is already preprocessed. */
std::string unit_text(std::string preprocessed, const std::string &simt) {
  std::string rows;
  for (const auto &k : take_kernels(preprocessed))
    rows += "simt_row<" + k.first + ">(\"" + k.first + "\", simt_threads(" + k.second + ")),\n";
  replace_global(preprocessed);
  replace_shared(preprocessed);
  return preprocessed + "\n# 1 \"simt_unit.h\"\n" + read_file(simt + "/simt_unit.h") +
         "static const simt_kernel simt_kernels[] = {\n" + rows + "{0, 0, 0, 0, 0}};\n"
         "extern \"C\" __attribute__((visibility(\"default\"))) simt_module simt_unit;\n"
         "simt_module simt_unit = {SIMT_ABI, &simt_now, simt_shared, sizeof simt_kernels / sizeof *simt_kernels - 1, simt_kernels};\n";
}

/* ---- compiling ---- */

const char *compiler() {
  const char *c = getenv("LUATENSOR_EMULATOR_CXX");
  return c && *c ? c : "g++";
}

/* Returns the beginning of all commands, because g++ takes a precompiled header only if the options agree. The options
** that affect results are the same as for luatensor's C code, so that a kernel's results equal the CPU's. Misaligned
** accesses trap. */
words command(const options &o, const char *language) {
  words c = {compiler(), "-x", language, "-std=" + o.standard, "-w", "-g0", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique",
             "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fwrapv", "-fno-strict-aliasing",
             "-fno-math-errno", "-fno-trapping-math", "-O1", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
             "-pipe", "-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"};
  /* With -O1 alone, g++ makes no fma of a * b + c. */
  if (o.fma) c.insert(c.end(), {"-ffp-contract=fast", "-fexpensive-optimizations"});
  else c.push_back("-ffp-contract=off");
#ifdef __SANITIZE_ADDRESS__
  c.push_back("-fsanitize=address");
#endif
#ifdef __x86_64__
  if (__builtin_cpu_supports("fma")) c.push_back("-mfma");
#endif
  return c;
}

/* Adds the options of a command that preprocesses. The CPU's __FMA__ is not defined, because no GPU's compiler defines
** it. */
void add_macros(words &c, const options &o) {
  c.insert(c.end(), {"-nostdinc", "-DLT_EMULATOR", "-D__CUDACC__", "-D__CUDACC_RTC__", "-U__FMA__",
                     "-D__CUDA_ARCH__=" + std::to_string(o.arch * 10)});
}

/* ---- the precompiled header ---- */

const char *const functors = "gpu/kernels/functors.cuh";

/* Adds the text of a header of the program, and of all headers that this header includes, to *all. */
void add_header(const rtc_program p, const std::string &name, std::set<std::string> &seen, std::string *all) {
  static const std::string directive = "#include \"";
  for (const auto &h : p->headers) {
    if (h.first != name || !seen.insert(name).second) continue;
    *all += h.second;
    for (size_t at = h.second.find(directive); at != std::string::npos; at = h.second.find(directive, at + 1)) {
      size_t from = at + directive.size();
      add_header(p, h.second.substr(from, h.second.find('"', from) - from), seen, all);
    }
  }
}

std::string hash_of(const std::string &text) {
  return std::to_string(simt_checksum(reinterpret_cast<const unsigned char *>(text.data()), text.size()));
}

/* Compiles simt.h and functors.cuh to the file `header`.gch, and removes the older files of the same options. */
bool precompile(const words &c, const std::string &simt, const std::string &header, const std::string &older) {
  std::string part = header + "." + std::to_string(getpid());
  words all = c;
  all.insert(all.end(), {"-include", simt + "/simt.h", "-include", functors, "/dev/null", "-o", part});
  if (run(all, "/dev/null")) return unlink(part.c_str()), false;
  glob_t old;
  if (!glob((older + "*.gch").c_str(), 0, nullptr, &old))
    for (size_t i = 0; i < old.gl_pathc; i++) unlink(old.gl_pathv[i]);
  globfree(&old);
  return !rename(part.c_str(), (header + ".gch").c_str());
}

/* Returns the path of the precompiled header of one of luatensor's own kernels, which define LANES. The path lacks the
** end ".gch". Returns "" if the kernel does not include functors.cuh, or if the header cannot be compiled. */
std::string precompiled(const rtc_program p, const options &o, const std::string &simt, const std::string &folder) {
  std::set<std::string> seen;
  std::string texts, given;
  words c = command(o, "c++-header");
  for (const std::string &f : o.flags)
    if (starts(f, "-DLANES=")) c.push_back(f);
  add_header(p, functors, seen, &texts);
  if (!starts(c.back(), "-DLANES=") || texts.empty()) return "";
  for (const char *name : {"/simt.h", "/simt_abi.h", "/simt_math.h"}) texts += read_file(simt + name);
  add_macros(c, o);
  for (const std::string &word : c) given += word + " ";
  std::string older = simt + "/headers/" + hash_of(given) + "-", header = older + hash_of(texts) + ".h";
  if (!access((header + ".gch").c_str(), R_OK)) return header;
  mkdir((simt + "/headers").c_str(), 0700);
  c.push_back("-I" + folder);
  return precompile(c, simt, header, older) ? header : "";
}

rtc finish_image(rtc_program p, const options &o, const std::string &library) {
  simt_image i = {{}, SIMT_ABI, o.arch, o.ptx, 0, library.size(), 0};
  memcpy(i.magic, SIMT_MAGIC, sizeof i.magic);
#ifdef __SANITIZE_ADDRESS__
  i.sanitized = 1;
#endif
  i.checksum = simt_checksum(reinterpret_cast<const unsigned char *>(library.data()), library.size());
  p->image = std::string(reinterpret_cast<const char *>(&i), sizeof i) + library;
  p->ptx = o.ptx;
  return SUCCESS;
}

/* Preprocesses and compiles the program to a shared library in the folder, which also contains the source and the
** headers. `header` is the path of a precompiled header, or of simt.h. Returns the status of the last command. */
int build(const options &o, const std::string &simt, const std::string &header, const std::string &folder) {
  std::string text = folder + "/unit.ii", unit = folder + "/unit.cpp", said = folder + "/unit.log";
  words c = command(o, "c++");
  add_macros(c, o);
  c.insert(c.end(), o.flags.begin(), o.flags.end());
  c.insert(c.end(), {"-I" + folder, "-E", "-fpch-preprocess", "-include", header, folder + "/unit.cu", "-o", text});
  if (int failed = run(c, said)) return failed;
  if (!write_file(unit, unit_text(read_file(text), simt))) return -1;
  c = command(o, "c++-cpp-output");
  c.insert(c.end(), {"-shared", "-nostdlib", unit, "-lm", "-lc", "-o", folder + "/unit.so"});
  return run(c, said);
}

/* Compiles a program. In messages, the name of the program replaces the names of temporary files. A program with an
** error is compiled again without a precompiled header, whose messages would name other files. */
rtc compile(rtc_program p, const options &o) {
  temporary t;
  std::string simt = own_folder();
  bool written = !t.path.empty() && write_file(t.path + "/unit.cu", "#line 1 \"" + p->name + "\"\n" + p->source);
  for (auto &h : p->headers) written = written && write_file(t.path + "/" + h.first, h.second);
  if (!written) return INTERNAL_ERROR;

  std::string header = precompiled(p, o, simt, t.path);
  int failed = header.empty() || build(o, simt, header, t.path);
  if (failed) failed = build(o, simt, simt + "/simt.h", t.path);
  if (failed) {
    p->log = failed == -1 ? std::string("cannot run ") + compiler() + "\n"
                          : nvrtc_log(read_file(t.path + "/unit.log"), t.path, p->name);
    return COMPILATION;
  }
  return finish_image(p, o, read_file(t.path + "/unit.so"));
}

}

/* ---- NVRTC's functions ---- */

EXPORT int nvrtcVersion(int *major, int *minor) {
  *major = emulator_nvrtc_version() / 1000;
  *minor = emulator_nvrtc_version() % 1000 / 10;
  return SUCCESS;
}

EXPORT const char *nvrtcGetErrorString(int error) {
  static const char *const names[] = {
    "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT",
    "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION",
    "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE", "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
    "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "NVRTC_ERROR_INTERNAL_ERROR"};
  return error >= 0 && error < int(sizeof names / sizeof *names) ? names[error] : "NVRTC_ERROR unknown";
}

EXPORT int nvrtcCreateProgram(rtc_program *p, const char *source, const char *name, int headers,
                              const char *const *texts, const char *const *names) {
  if (!p || !source || headers < 0 || (headers && (!texts || !names))) return INVALID_INPUT;
  *p = new rtc_program_opaque;
  (*p)->source = source;
  (*p)->name = name && *name ? name : "default_program";
  for (int i = 0; i < headers; i++) (*p)->headers.emplace_back(names[i], texts[i]);
  return SUCCESS;
}

EXPORT int nvrtcDestroyProgram(rtc_program *p) {
  if (!p || !*p) return INVALID_PROGRAM;
  delete *p;
  *p = nullptr;
  return SUCCESS;
}

/* Returns what simt_image says about a program: its name and its options, separated by tabs, and in the next lines the
** source of a program whose name lacks ".cuh", which is no file of src/gpu/kernels. */
static std::string describe_unit(rtc_program p, int count, const char *const *option) {
  std::string text = p->name;
  for (int i = 0; i < count; i++) text += std::string("\t") + option[i];
  if (p->name.find(".cuh") == std::string::npos) text += "\n" + p->source;
  return text + std::string(1, 0);
}

EXPORT int nvrtcCompileProgram(rtc_program p, int count, const char *const *option) {
  if (!p) return INVALID_PROGRAM;
  options o;
  p->image.clear();
  p->log.clear();
  for (int i = 0; i < count; i++)
    if (!read_option(option[i], &o)) {
      p->log = std::string("nvrtc: error: invalid value or unrecognized option: ") + option[i] + "\n";
      return INVALID_OPTION;
    }
  if (emulator_counted(COUNTED_COMPILE)) {
    p->log = p->name + "(1): error: injected failure\n\n1 error detected in the compilation of \"" + p->name + "\".\n";
    return COMPILATION;
  }
  int result = compile(p, o);
  if (result == SUCCESS) p->image += describe_unit(p, count, option);
  return result;
}

static int give_size(size_t *size, const std::string &s, size_t more) {
  if (!size) return INVALID_INPUT;
  *size = s.size() + more;
  return SUCCESS;
}

EXPORT int nvrtcGetProgramLogSize(rtc_program p, size_t *bytes) {
  return p ? give_size(bytes, p->log, 1) : int(INVALID_PROGRAM);
}

EXPORT int nvrtcGetProgramLog(rtc_program p, char *text) {
  if (!p) return INVALID_PROGRAM;
  memcpy(text, p->log.c_str(), p->log.size() + 1);
  return SUCCESS;
}

/* An image for a real architecture is called CUBIN, and an image for a virtual architecture is called PTX. */
EXPORT int nvrtcGetCUBINSize(rtc_program p, size_t *bytes) {
  if (!p) return INVALID_PROGRAM;
  return give_size(bytes, p->ptx ? std::string() : p->image, 0);
}

EXPORT int nvrtcGetCUBIN(rtc_program p, char *image) {
  if (!p || p->image.empty() || p->ptx) return INVALID_PROGRAM;
  memcpy(image, p->image.data(), p->image.size());
  return SUCCESS;
}

EXPORT int nvrtcGetPTXSize(rtc_program p, size_t *bytes) {
  if (!p || p->image.empty()) return INVALID_PROGRAM;
  return give_size(bytes, p->image, 0);
}

EXPORT int nvrtcGetPTX(rtc_program p, char *text) {
  if (!p || p->image.empty()) return INVALID_PROGRAM;
  memcpy(text, p->image.data(), p->image.size());
  return SUCCESS;
}

EXPORT int nvrtcGetNumSupportedArchs(int *count) {
  *count = sizeof archs / sizeof *archs;
  return SUCCESS;
}

EXPORT int nvrtcGetSupportedArchs(int *list) {
  memcpy(list, archs, sizeof archs);
  return SUCCESS;
}
