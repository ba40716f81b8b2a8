/* A plugin of PJRT for the specs. The variable FAKE_PJRT says what is wrong with it. If that is a function of a device that
** fails, the plugin has a device, which computes nothing. If FAKE_PJRT is not set, the plugin passes all calls to the plugin
** REAL_PJRT, and counts them. PLATFORM_PJRT is then the platform's name, if it is set. */

#include <dlfcn.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pjrt/pjrt.h"

const pjrt_api *GetPjrtApi(void);
int count(lua_State *L);

static PJRT_Error *succeed(void *arguments) {
  (void)arguments;
  return NULL;
}

static PJRT_Error *const own_error = (PJRT_Error *)(uintptr_t)1;

static PJRT_Error *print_and_fail(void *arguments) {
  (void)arguments;
  fputs("noise of the plugin\n", stderr);
  return own_error;
}

static PJRT_Error *message(void *arguments) {
  pjrt_list *m = arguments;
  m->text = "the chip is on fire\nat line 1";
  m->length = strlen(m->text);
  return NULL;
}

static PJRT_Error *list_devices(void *arguments) {
  static void *const device = (void *)(uintptr_t)1;
  pjrt_list *list = arguments;
  list->devices = &device;
  list->length = 1;
  return NULL;
}

static PJRT_Error *end_process(void *arguments) {
  (void)arguments;
  fputs("\1", stderr);                 /* a number that must not count as the answer of a child process */
  usleep(20000);
  fputs("noise of the plugin\nlast words of the plugin\n", stderr);
  abort();
}

static PJRT_Error *leave_process(void *arguments) {
  (void)arguments;
  exit(0);
}

/* ---- a plugin that computes nothing ---- */

/* The functions of a device of which one fails, by the variable's value. */
static const struct {
  const char *wrong;
  enum pjrt_function fails;
} failing[] = {
  {"initialize", PJRT_CALL_Plugin_Initialize}, {"list", PJRT_CALL_Client_AddressableDevices},
  {"platform", PJRT_CALL_Client_PlatformName}, {"version", PJRT_CALL_Client_PlatformVersion},
  {"description", PJRT_CALL_Device_GetDescription}, {"kind", PJRT_CALL_DeviceDescription_Kind},
  {"upload", PJRT_CALL_Client_BufferFromHostBuffer}, {"compile", PJRT_CALL_Client_Compile},
  {"execute", PJRT_CALL_LoadedExecutable_Execute}
};

static const pjrt_api *make(const char *wrong) {
  static pjrt_api api = {.size = sizeof api};
  for (int k = 0; k < PJRT_SLOTS; k++) api.call[k] = succeed;
  api.call[PJRT_CALL_Error_Message] = message;
  if (strcmp(wrong, "fails") == 0) api.call[PJRT_CALL_Client_Create] = print_and_fail;
  if (strcmp(wrong, "aborts") == 0) api.call[PJRT_CALL_Client_Create] = end_process;
  if (strcmp(wrong, "exits") == 0) api.call[PJRT_CALL_Plugin_Initialize] = leave_process;
  for (size_t k = 0; k < sizeof failing / sizeof *failing; k++) {
    if (strcmp(wrong, failing[k].wrong) != 0) continue;
    api.call[PJRT_CALL_Client_AddressableDevices] = list_devices;
    api.call[failing[k].fails] = print_and_fail;
  }
  api.version.major = strcmp(wrong, "major") == 0 ? 1 : 0;
  api.version.minor = 7;
  if (strcmp(wrong, "old") == 0) api.size = 100;
  return &api;
}

/* ---- a plugin that counts the calls of another ---- */

static const pjrt_api *real;
static struct {
  lua_Integer calls[PJRT_SLOTS], uploads, results, donated;
  lua_Integer first[PJRT_SLOTS], last[PJRT_SLOTS];      /* the calls of each function that fail */
} counts;

/* True if this call must fail. */
static bool fails_now(enum pjrt_function f) {
  counts.calls[f]++;
  return counts.first[f] <= counts.calls[f] && counts.calls[f] <= counts.last[f];
}

#define COUNTED(name) \
  static PJRT_Error *name(void *arguments) { \
    return fails_now(PJRT_CALL_##name) ? print_and_fail(NULL) : real->call[PJRT_CALL_##name](arguments); \
  }
COUNTED(Client_Compile)
COUNTED(Buffer_ToHostBuffer)

/* An event that fails has happened. */
static PJRT_Error *Event_Await(void *arguments) {
  PJRT_Error *failed = real->call[PJRT_CALL_Event_Await](arguments);
  return failed || !fails_now(PJRT_CALL_Event_Await) ? failed : print_and_fail(NULL);
}

static PJRT_Error *Client_BufferFromHostBuffer(void *arguments) {
  if (fails_now(PJRT_CALL_Client_BufferFromHostBuffer)) return print_and_fail(NULL);
  PJRT_Error *failed = real->call[PJRT_CALL_Client_BufferFromHostBuffer](arguments);
  counts.uploads += !failed;
  return failed;
}

/* luatensor's list of results ends with NULL. */
static PJRT_Error *LoadedExecutable_Execute(void *arguments) {
  const pjrt_execute *c = arguments;
  if (fails_now(PJRT_CALL_LoadedExecutable_Execute)) return print_and_fail(NULL);
  PJRT_Error *failed = real->call[PJRT_CALL_LoadedExecutable_Execute](arguments);
  for (size_t d = 0; !failed && d < c->ndevices; d++)
    for (size_t k = 0; c->results[d][k]; k++) counts.results++;
  return failed;
}

/* Buffer_IsDeleted is true for a buffer whose memory a program has taken. */
static PJRT_Error *Buffer_Destroy(void *arguments) {
  struct { size_t size; void *extensions, *buffer; bool is_deleted; } c = {sizeof c, NULL, ((pjrt_handle *)arguments)->handle, false};
  real->call[PJRT_CALL_Buffer_IsDeleted](&c);
  counts.calls[PJRT_CALL_Buffer_Destroy]++;
  counts.donated += c.is_deleted;
  return real->call[PJRT_CALL_Buffer_Destroy](arguments);
}

static PJRT_Error *Client_PlatformName(void *arguments) {
  pjrt_list *c = arguments;
  PJRT_Error *failed = real->call[PJRT_CALL_Client_PlatformName](arguments);
  const char *name = getenv("PLATFORM_PJRT");
  if (name) c->text = name, c->length = strlen(name);
  return failed;
}

static PJRT_Error *Error_Message(void *arguments) {
  const pjrt_list *m = arguments;
  return m->handle == own_error ? message(arguments) : real->call[PJRT_CALL_Error_Message](arguments);
}

static PJRT_Error *Error_Destroy(void *arguments) {
  const pjrt_handle *h = arguments;
  return h->handle == own_error ? NULL : real->call[PJRT_CALL_Error_Destroy](arguments);
}

static const pjrt_api *make_counting(void) {
  static pjrt_api api;
  const pjrt_api *(*get)(void) = NULL;
  void *library = dlopen(getenv("REAL_PJRT"), RTLD_NOW | RTLD_LOCAL);
  *(void **)&get = library ? dlsym(library, "GetPjrtApi") : NULL;
  if (!get) return NULL;
  real = get();
  memcpy(&api, real, sizeof api);
#define USE(name) api.call[PJRT_CALL_##name] = name;
  USE(Client_Compile) USE(Client_BufferFromHostBuffer) USE(Buffer_ToHostBuffer) USE(LoadedExecutable_Execute) USE(Buffer_Destroy)
  USE(Event_Await) USE(Client_PlatformName) USE(Error_Message) USE(Error_Destroy)
  return &api;
}

/* A Lua function: count "compiled" and so on. count("fail", what, n, m): the n-th to m-th call from now fail. */
int count(lua_State *L) {
  static const char *const names[] = {"compiled", "run", "uploaded", "downloaded", "awaited", "results", "held", "donated", "fail", NULL};
  static const enum pjrt_function functions[] = {PJRT_CALL_Client_Compile, PJRT_CALL_LoadedExecutable_Execute,
    PJRT_CALL_Client_BufferFromHostBuffer, PJRT_CALL_Buffer_ToHostBuffer, PJRT_CALL_Event_Await};
  enum { FUNCTIONS = sizeof functions / sizeof *functions };
  int what = luaL_checkoption(L, 1, NULL, names);
  const lua_Integer held = counts.uploads + counts.results - counts.calls[PJRT_CALL_Buffer_Destroy];
  const lua_Integer others[] = {counts.results, held, counts.donated};
  if (strcmp(names[what], "fail") != 0)
    return lua_pushinteger(L, what < FUNCTIONS ? counts.calls[functions[what]] : others[what - FUNCTIONS]), 1;
  enum pjrt_function f = functions[luaL_checkoption(L, 2, NULL, names) % FUNCTIONS];
  counts.first[f] = counts.calls[f] + luaL_checkinteger(L, 3);
  counts.last[f] = counts.calls[f] + luaL_checkinteger(L, 4);
  return 0;
}

const pjrt_api *GetPjrtApi(void) {
  const char *wrong = getenv("FAKE_PJRT");
  return wrong ? make(wrong) : make_counting();
}
