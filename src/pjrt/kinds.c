/* The structs of the kinds, whose names are those of the variables LUATENSOR_PJRT_<NAME>. */

#include "pjrt/device.h"

#include <string.h>

#include "base/lock.h"

extern char **environ;

#define KIND 0
#include "pjrt/kind.h"
#define KIND 1
#include "pjrt/kind.h"
#define KIND 2
#include "pjrt/kind.h"

void pjrt_add_kinds(void) {
  static device *const kinds[PJRT_KINDS] = {&kind_0, &kind_1, &kind_2};
  static const char prefix[] = "LUATENSOR_PJRT_";
  static bool done;
  lock_take(LOCK_PJRT);
  bool first = !done;
  done = true;
  lock_release(LOCK_PJRT);
  int k = 0;
  for (char **v = environ; first && v && *v && k < PJRT_KINDS; v++) {
    if (strncmp(*v, prefix, sizeof prefix - 1) != 0) continue;
    kinds[k]->name = pjrt_name(k, *v + sizeof prefix - 1);
    if (kinds[k]->name && device_add(kinds[k]) >= 0) k++;
  }
}
