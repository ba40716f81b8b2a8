#include "device.h"

const device *const device_kinds[] = {&cpu_device, NULL};
