#include "pjrt/plugin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/system.h"

/* ---- errors ---- */

int plugin_fail(pjrt_plugin *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(p->error, sizeof p->error, format, list);
  va_end(list);
  return ERR_DEVICE;
}

/* Plugins write warnings and errors to the terminal; the errors are also their results. So standard error goes nowhere while
** a plugin works. Returns a copy of the old standard error, or -1. */
static int silence(void) {
  int before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (before >= 0 && nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  if (nowhere >= 0) close(nowhere);
  return before;
}

static void unsilence(int before) {
  if (before < 0) return;
  dup2(before, STDERR_FILENO);
  close(before);
}

static const char FORKED[] = "cannot be used in a child process that was forked";

/* True in a child of the process that has loaded the plugin: the plugin's threads do not exist there. */
static bool is_forked(const pjrt_plugin *p) { return p->process && p->process != getpid(); }

/* Calls a function of the plugin. If it fails, `error` gets its first line. */
static int call(pjrt_plugin *p, enum pjrt_function f, void *arguments) {
  if (is_forked(p)) return plugin_fail(p, "%s %s", p->name, FORKED);
  PJRT_Error *failed = p->api->call[f](arguments);
  if (!failed) return OK;
  PJRT_ARGS(pjrt_list, message, .handle = failed);
  PJRT_ARGS(pjrt_handle, destroy, .handle = failed);
  p->api->call[PJRT_CALL_Error_Message](&message);
  plugin_fail(p, "%.*s", (int)(message.length < PJRT_TEXT ? message.length : PJRT_TEXT - 1), message.text);
  p->error[strcspn(p->error, "\n")] = 0;
  p->api->call[PJRT_CALL_Error_Destroy](&destroy);
  return ERR_DEVICE;
}

static void drop(pjrt_plugin *p, enum pjrt_function f, void *handle) {
  PJRT_ARGS(pjrt_handle, h, .handle = handle);
  if (handle && !is_forked(p)) call(p, f, &h);
}

/* Waits for an event, and frees it. */
static int await(pjrt_plugin *p, void *event) {
  PJRT_ARGS(pjrt_handle, h, .handle = event);
  if (!event) return OK;
  int st = call(p, PJRT_CALL_Event_Await, &h);
  drop(p, PJRT_CALL_Event_Destroy, event);
  return st;
}

/* Calls a function that may print, and waits for the event that it returns; NULL: there is no event. */
static int call_and_wait(pjrt_plugin *p, enum pjrt_function f, void *arguments, void *const *event) {
  int before = silence(), st = call(p, f, arguments);
  if (st == OK && event) st = await(p, *event);
  unsilence(before);
  return st;
}

/* ---- loading ---- */

enum { PATIENCE = 60 };                /* seconds that a plugin may take in the child process that tries it */

static void read_text(pjrt_plugin *p, enum pjrt_function f, void *handle, char *to, size_t size) {
  PJRT_ARGS(pjrt_list, text, .handle = handle);
  to[0] = 0;
  if (call(p, f, &text) == OK) snprintf(to, size, "%.*s", (int)text.length, text.text);
  to[strcspn(to, "\n")] = 0;
}

/* True for Google's plugin on a machine without its devices, for which it would wait for minutes. */
static bool lacks_tpu(const char *path) {
  glob_t found = {.gl_pathc = 0};
  bool lacks = strstr(path, "/libtpu.so") && glob("/dev/accel[0-9]*", 0, NULL, &found) && glob("/dev/vfio/[0-9]*", 0, NULL, &found);
  globfree(&found);
  return lacks;
}

static bool refuse(pjrt_plugin *p, const char *why) {
  snprintf(p->reason, sizeof p->reason, "%.250s: %.250s", p->path, why);
  return false;
}

/* Finds the plugin's table, and checks its version. */
static bool open_library(pjrt_plugin *p) {
  const pjrt_api *(*get)(void) = NULL;
  if (is_forked(p)) return refuse(p, FORKED);
  if (lacks_tpu(p->path)) return refuse(p, "this machine has no TPU: there is neither /dev/accel0 nor /dev/vfio/0");
  if (!system_is_whole(p->path)) return refuse(p, "the file is not whole");
  void *library = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return snprintf(p->reason, sizeof p->reason, "%s", dlerror()), false;
  *(void **)&get = dlsym(library, "GetPjrtApi");
  p->api = get ? get() : NULL;
  if (!p->api) return refuse(p, "no plugin of PJRT: it has no function GetPjrtApi");
  if (p->api->version.major != PJRT_MAJOR) {
    plugin_fail(p, "the plugin has version %d.%d of PJRT's interface; luatensor knows versions %d.x", p->api->version.major,
                p->api->version.minor, PJRT_MAJOR);
    return refuse(p, p->error);
  }
  if (p->api->size < sizeof *p->api) return refuse(p, "the plugin's version of PJRT's interface is too old");
  return true;
}

static bool open_client(pjrt_plugin *p) {
  PJRT_ARGS(pjrt_nothing, initialize, .extensions = NULL);
  PJRT_ARGS(pjrt_client_create, create, .options = NULL);
  p->process = getpid();
  bool works = call(p, PJRT_CALL_Plugin_Initialize, &initialize) == OK && call(p, PJRT_CALL_Client_Create, &create) == OK;
  if (works) p->client = create.client;
  PJRT_ARGS(pjrt_list, list, .handle = p->client);
  works = works && call(p, PJRT_CALL_Client_AddressableDevices, &list) == OK;
  if (!works) return refuse(p, p->error);
  read_text(p, PJRT_CALL_Client_PlatformName, p->client, p->platform, sizeof p->platform);
  p->devices = list.devices;
  p->ndevice = (int)list.length;
  return p->ndevice > 0 || refuse(p, "the plugin finds no device");
}

/* Names the file of the cache folder that exists if the plugin has worked before. */
static bool name_trial(const char *path, char file[SYSTEM_PATH]) {
  struct stat s;
  if (stat(path, &s) != 0 || !system_cache_folder(file) || !system_make_folder(file)) return false;
  snprintf(file + strlen(file), 128, "/plugin-%llx-%llx-%llx", (unsigned long long)s.st_ino, (unsigned long long)s.st_size,
           (unsigned long long)s.st_mtime);
  return true;
}

static bool open_plugin(void *plugin) { return open_library(plugin) && open_client(plugin); }

/* Opens a plugin with the lock with which the process itself would open it: if the plugin starts a process meanwhile, the
** fork waits for this lock, here and there. */
static bool try_plugin(void *plugin) {
  lock_take(LOCK_PJRT);
  bool works = open_plugin(plugin);
  lock_release(LOCK_PJRT);
  return works;
}

void plugin_try(const pjrt_plugin *p, char why[PJRT_TEXT]) {
  char known[SYSTEM_PATH], words[128];
  pjrt_plugin copy = {.tried = false};
  memcpy(copy.path, p->path, sizeof copy.path);
  *why = 0;
  if (lacks_tpu(p->path)) return;
  struct stat s;
  bool keeps = name_trial(p->path, known);
  if (keeps && lstat(known, &s) == 0 && s.st_uid == geteuid()) return;   /* the folder may be another user's */
  enum system_trial t = system_try(try_plugin, &copy, PATIENCE, words, sizeof words);
  if (t == SYSTEM_ENDED) snprintf(why, PJRT_TEXT, "the plugin ends the process that loads it%s%s", *words ? ": " : "", words);
  if (t == SYSTEM_UNTRIED) snprintf(why, PJRT_TEXT, "no child process could load the plugin within %d seconds", PATIENCE);
  int file = keeps && t == SYSTEM_TRUE ? open(known, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
  if (file >= 0) close(file);
}

int plugin_load(pjrt_plugin *p, const char *why) {
  if (p->tried) return p->ndevice;
  p->tried = true;
  int before = silence();
  if (*why) refuse(p, why);
  else if (!open_plugin(p)) p->ndevice = 0;
  unsilence(before);
  return p->ndevice;
}

void plugin_close(pjrt_plugin *p) {
  drop(p, PJRT_CALL_Client_Destroy, p->client);
  p->client = NULL;
  p->ndevice = 0;
  p->tried = false;
}

/* ---- descriptions ---- */

void plugin_describe(pjrt_plugin *p, int index, char *name, size_t size, char *software, size_t software_size) {
  PJRT_ARGS(pjrt_answer, d, .handle = p->devices[index]);
  char version[64];
  int before = silence();
  name[0] = 0;
  if (call(p, PJRT_CALL_Device_GetDescription, &d) == OK) read_text(p, PJRT_CALL_DeviceDescription_Kind, d.description, name, size);
  read_text(p, PJRT_CALL_Client_PlatformVersion, p->client, version, sizeof version);
  unsilence(before);
  snprintf(software, software_size, "PJRT %d.%d, %s %s", p->api->version.major, p->api->version.minor, p->platform, version);
}

/* ---- buffers ---- */

int buffer_upload(pjrt_plugin *p, int index, enum dtype d, int64_t count, const void *data, void **buffer) {
  static const int types[DTYPE_COUNT] = {
#define TYPE(name, theirs, number) [DT_##name] = number,
    PJRT_TYPES(TYPE)
  };
  PJRT_ARGS(pjrt_from_host, c, .client = p->client, .data = data, .type = types[d], .dims = &count, .ndim = count >= 0,
            .semantics = PJRT_COPIES_AT_ONCE, .device = p->devices[index]);
  int st = call_and_wait(p, PJRT_CALL_Client_BufferFromHostBuffer, &c, &c.done);
  if (st != OK) buffer_drop(p, c.buffer);
  *buffer = st == OK ? c.buffer : NULL;
  return st;
}

int buffer_download(pjrt_plugin *p, void *buffer, void *to, size_t bytes) {
  PJRT_ARGS(pjrt_to_host, c, .buffer = buffer, .to = to, .bytes = bytes);
  return call_and_wait(p, PJRT_CALL_Buffer_ToHostBuffer, &c, &c.event);
}

void buffer_drop(pjrt_plugin *p, void *buffer) { drop(p, PJRT_CALL_Buffer_Destroy, buffer); }

/* ---- programs ---- */

/* Writes a field of a serialised message before `at`: a tag and a number, in groups of 7 bits. Returns the new beginning. */
static char *write_before(char *at, char tag, uint64_t x) {
  char text[10];
  size_t n = 0;
  for (; x > 127; x >>= 7) text[n++] = (char)(x | 128);
  text[n++] = (char)x;
  at = memcpy(at - n, text, n);
  *--at = tag;
  return at;
}

/* Writes the end of a DeviceAssignmentProto before `at`: replica_count (1), computation_count (2): 1, computation_devices (3)
** {replica_device_ids (1)}. */
static int write_devices(pjrt_plugin *p, const int *index, int ndevice, char **at) {
  const char *end = *at;
  int st = OK;
  for (int k = ndevice; k-- > 0 && st == OK;) {
    PJRT_ARGS(pjrt_answer, d, .handle = p->devices[index[k]]);
    st = call(p, PJRT_CALL_Device_GetDescription, &d);
    PJRT_ARGS(pjrt_answer, id, .handle = d.description);
    if (st == OK) st = call(p, PJRT_CALL_DeviceDescription_Id, &id);
    *at = write_before(*at, 0x08, (unsigned)id.id);
  }
  *at = write_before(*at, 0x1a, (uint64_t)(end - *at));
  *at = write_before(write_before(*at, 0x10, 1), 0x08, (uint64_t)ndevice);
  return st;
}

/* The options are a serialised xla::CompileOptionsProto: executable_build_options (3) {num_replicas (4), num_partitions (5): 1,
** device_assignment (9)}, compile_portable_executable (4), so that a program for one device runs on each device of the client. */
int program_compile(pjrt_plugin *p, char *text, size_t length, const int *index, int ndevice, void **program) {
  static const char format[] = "mlir";
  char options[16 * PJRT_TOGETHER], *end = options + sizeof options, *at = write_before(end, 0x20, ndevice == 1);
  const char *portable = at;
  int st = ndevice > 1 ? write_devices(p, index, ndevice, &at) : OK;
  if (ndevice > 1) at = write_before(at, 0x4a, (uint64_t)(portable - at));
  at = write_before(write_before(at, 0x28, 1), 0x20, (uint64_t)ndevice);
  at = write_before(at, 0x1a, (uint64_t)(portable - at));
  PJRT_ARGS(pjrt_program, source, .code = text, .length = length, .format = format, .format_length = sizeof format - 1);
  PJRT_ARGS(pjrt_compile, c, .client = p->client, .program = &source, .options = at, .options_length = (size_t)(end - at));
  if (st == OK) st = call_and_wait(p, PJRT_CALL_Client_Compile, &c, NULL);
  *program = st == OK ? c.executable : NULL;
  return st;
}

void program_drop(pjrt_plugin *p, void *program) { drop(p, PJRT_CALL_LoadedExecutable_Destroy, program); }

int program_run(pjrt_plugin *p, void *program, const program_lists *l) {
  void *events[PJRT_TOGETHER] = {NULL};
  PJRT_ARGS(pjrt_execute_options, options, .not_donated = l->kept, .nnot_donated = l->nkept);
  PJRT_ARGS(pjrt_execute, c, .executable = program, .options = &options, .arguments = (void *const *const *)l->arguments,
            .ndevices = (size_t)l->ndevice, .nargs = l->narg, .results = l->results, .events = events,
            .device = l->ndevice == 1 ? p->devices[l->index[0]] : NULL);
  int before = silence(), st = call(p, PJRT_CALL_LoadedExecutable_Execute, &c);
  for (int k = 0; k < l->ndevice; k++) {
    int ended = await(p, events[k]);
    if (st == OK) st = ended;
  }
  unsilence(before);
  return st;
}
