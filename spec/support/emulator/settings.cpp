/* The settings of the emulator, such as "devices=2,memory=64M,order=lazy,fail_alloc=3". The settings are read from
** the variable LUATENSOR_EMULATOR and by emulator_configure. docs/emulator.md describes the settings. */

#include "emulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace emulator {

settings_t settings;
int64_t counts[COUNTED];
std::recursive_mutex &lock = *new std::recursive_mutex;

static int64_t fail_at[COUNTED];       /* number of calls until a call fails; 1: the next call fails; 0: none fails */

/* Returns the number that a text such as "64M" or "4096" represents. K, M and G stand for 2^10, 2^20 and 2^30. */
static int64_t number(const char *text) {
  char *unit;
  double n = strtod(text, &unit);
  int shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
  return int64_t(n * double(int64_t(1) << shift));
}

/* Returns a version as a number: major * x + minor * y for the text "x.y". */
static int version(const char *text, int major, int minor) {
  int a = 0, b = 0;
  sscanf(text, "%d.%d", &a, &b);
  return a * major + b * minor;
}

static int which_dnn(const std::string &v) {
  return v == "unsupported" ? DNN_PROPOSES_NOTHING : v == "broken" ? DNN_BROKEN : v == "new" ? DNN_NEW
       : v == "old" ? DNN_OLD : DNN_WORKS;
}

static int which_nccl(const std::string &v) { return v == "deaf" ? NCCL_DEAF : v == "old" ? NCCL_OLD : NCCL_WORKS; }

static bool set(const std::string &key, const char *v) {
  bool on = number(v) != 0;
  if (key == "devices") settings.devices = int(number(v));
  else if (key == "memory") settings.memory = size_t(number(v));
  else if (key == "capability") settings.capability = version(v, 10, 1);
  else if (key == "driver") settings.driver = int(number(v));
  else if (key == "nvrtc") settings.nvrtc = version(v, 1000, 10);
  else if (key == "cublas") settings.cublas = version(v, 1000, 10);
  else if (key == "blas") settings.blas_refuses = !strcmp(v, "unsupported");
  else if (key == "peers") settings.peers = on;
  else if (key == "hip") settings.hip = int(number(v));
  else if (key == "gcn") snprintf(settings.gcn, sizeof settings.gcn, "%s", v);
  else if (key == "lanes") settings.lanes = number(v) == 64 ? 64 : 32;
  else if (key == "order") settings.lazy = !strcmp(v, "lazy");
  else if (key == "threads") settings.reverse = !strcmp(v, "reverse");
  else if (key == "block") settings.block = int(number(v));
  else if (key == "shared") settings.shared = int(number(v));
  else if (key == "contend") settings.contend = int(number(v));
  else if (key == "table") snprintf(settings.table, sizeof settings.table, "%s", v);
  else if (key == "guard") settings.guard = on;
  else if (key == "protect") settings.protect = on;
  else if (key == "leaks") settings.leaks = on;
  else if (key == "sticky") settings.sticky = on;
  else if (key == "lost") settings.lost = on;
  else if (key == "no_device") settings.no_device = on;
  else if (key == "no_start") settings.no_start = on;
  else if (key == "fail_alloc") fail_at[ALLOC] = number(v);
  else if (key == "fail_launch") fail_at[LAUNCH] = number(v);
  else if (key == "fail_copy") fail_at[COPY] = number(v);
  else if (key == "fail_compile") fail_at[COMPILE] = number(v);
  else if (key == "fail_graph") fail_at[GRAPH] = number(v);
  else if (key == "fail_blas") fail_at[BLAS] = number(v);
  else if (key == "fail_fft") fail_at[FFT] = number(v);
  else if (key == "fail_solver") fail_at[SOLVER] = number(v);
  else if (key == "fail_dnn") fail_at[DNN] = number(v);
  else if (key == "fail_handle") fail_at[HANDLE] = number(v);
  else if (key == "fail_object") fail_at[OBJECT] = number(v);
  else if (key == "dnn") settings.dnn = which_dnn(v);
  else if (key == "nccl") settings.nccl = which_nccl(v);
  else if (key == "fail_host_alloc") fail_at[HOST_ALLOC] = number(v);
  else return false;
  return true;
}

/* If the setting `leaks` is on, prints the objects that still exist at exit, after the Lua state was closed. If there
** are any, the process ends with status 99. */
static void look_for_leaks() {
  if (!settings.leaks) return;
  std::lock_guard<std::recursive_mutex> locked(lock);
  const char *when = "at exit";
  size_t left = memory_report(when) + stream_report(when) + module_report(when) + graph_report(when);
  if (left) _exit(99);
}

}

using namespace emulator;

EXPORT int emulator_configure(const char *text) {
  std::lock_guard<std::recursive_mutex> locked(lock);
  std::string all = text ? text : "";
  int bad = 0;
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find(',', at), all.size());
    std::string one = all.substr(at, end - at);
    size_t equals = one.find('=');
    std::string value = equals == std::string::npos ? "1" : one.substr(equals + 1);
    if (!one.empty() && !set(one.substr(0, equals), value.c_str())) {
      fprintf(stderr, "emulator: unknown setting: %s\n", one.c_str());
      bad = 1;
    }
    at = end + 1;
  }
  return bad;
}

EXPORT bool emulator_counted(int kind) {
  std::lock_guard<std::recursive_mutex> locked(lock);
  counts[kind]++;
  return fail_at[kind] > 0 && --fail_at[kind] == 0;
}

EXPORT int64_t emulator_count(int kind) { return kind < COUNTED ? counts[kind] : 0; }

EXPORT int emulator_nvrtc_version() { return settings.nvrtc; }

EXPORT int emulator_dnn_setting() { return settings.dnn; }

EXPORT int emulator_cublas_version() { return settings.cublas; }

EXPORT bool emulator_blas_refuses() { return settings.blas_refuses; }

EXPORT int emulator_nccl_setting() { return settings.nccl; }

/* Reads the settings and registers look_for_leaks when the library is loaded. This variable is the last of the file,
** so that the objects above are constructed before it. */
static const int configured = emulator_configure(getenv("LUATENSOR_EMULATOR")) + atexit(look_for_leaks);
