/* A plugin of PJRT for plugin_spec.lua, which computes nothing. The variable FAKE_PJRT says what is wrong with it. If that is a
** function of a device that fails, the plugin has a device. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt/pjrt.h"

const pjrt_api *GetPjrtApi(void);

static PJRT_Error *succeed(void *arguments) {
  (void)arguments;
  return NULL;
}

static PJRT_Error *print_and_fail(void *arguments) {
  (void)arguments;
  fputs("noise of the plugin\n", stderr);
  return (PJRT_Error *)(uintptr_t)1;
}

static PJRT_Error *message(void *arguments) {
  pjrt_text *m = arguments;
  m->text = "the chip is on fire\nat line 1";
  m->length = strlen(m->text);
  return NULL;
}

static PJRT_Error *list_devices(void *arguments) {
  static void *const device = (void *)(uintptr_t)1;
  pjrt_client_devices *list = arguments;
  list->devices = &device;
  list->count = 1;
  return NULL;
}

/* Makes the functions of a device, of which one fails. */
static void add_device(pjrt_api *api, enum pjrt_function fails) {
  api->call[PJRT_CALL_Client_AddressableDevices] = list_devices;
  api->call[fails] = print_and_fail;
}

const pjrt_api *GetPjrtApi(void) {
  static pjrt_api api = {.size = sizeof api};
  const char *wrong = getenv("FAKE_PJRT");
  for (int k = 0; k < PJRT_SLOTS; k++) api.call[k] = succeed;
  api.call[PJRT_CALL_Error_Message] = message;
  api.call[PJRT_CALL_Client_Create] = strcmp(wrong, "fails") == 0 ? print_and_fail : succeed;
  if (strcmp(wrong, "upload") == 0) add_device(&api, PJRT_CALL_Client_BufferFromHostBuffer);
  if (strcmp(wrong, "compile") == 0) add_device(&api, PJRT_CALL_Client_Compile);
  if (strcmp(wrong, "execute") == 0) add_device(&api, PJRT_CALL_LoadedExecutable_Execute);
  api.version.major = strcmp(wrong, "major") == 0 ? 1 : 0;
  api.version.minor = 7;
  if (strcmp(wrong, "old") == 0) api.size = 100;
  return &api;
}
