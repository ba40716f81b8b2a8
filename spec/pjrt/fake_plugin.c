/* A plugin of PJRT without devices, for plugin_spec.lua. The variable FAKE_PJRT says what is wrong with it. */

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

const pjrt_api *GetPjrtApi(void) {
  static pjrt_api api = {.size = sizeof api};
  const char *wrong = getenv("FAKE_PJRT");
  for (int k = 0; k < PJRT_SLOTS; k++) api.call[k] = succeed;
  api.call[PJRT_CALL_Error_Message] = message;
  api.call[PJRT_CALL_Client_Create] = strcmp(wrong, "fails") == 0 ? print_and_fail : succeed;
  api.version.major = strcmp(wrong, "major") == 0 ? 1 : 0;
  api.version.minor = 7;
  if (strcmp(wrong, "old") == 0) api.size = 100;
  return &api;
}
