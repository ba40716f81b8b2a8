/* The structs of the kinds, whose names are those of the variables LUATENSOR_PJRT_<NAME>. */

#include "pjrt/device.h"

#define KIND 0
#include "pjrt/kind.h"
#define KIND 1
#include "pjrt/kind.h"
#define KIND 2
#include "pjrt/kind.h"

device *const pjrt_devices[PJRT_KINDS] = {&kind_0, &kind_1, &kind_2};
