#include "base/device.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"

/* The compiled-in kinds of devices; the host's own kind is the first. */
extern const device cpu_device, cuda_device, rocm_device;

static const device *kinds[DEVICE_KINDS] = {&cpu_device, &cuda_device, &rocm_device};
static atomic_int kind_count = 3;

const device *device_kind(int number) {
  return number < atomic_load_explicit(&kind_count, memory_order_acquire) ? kinds[number] : NULL;
}

int device_number(const device *d) {
  int number = 0;
  while (kinds[number] != d) number++;
  return number;
}

int device_add(const device *d) {
  lock_take(LOCK_DEVICES);
  int number = atomic_load(&kind_count);
  bool fits = d->abi == DEVICE_ABI && number < DEVICE_KINDS;
  for (int k = 0; k < number; k++)
    if (strcmp(kinds[k]->name, d->name) == 0) fits = false;
  if (fits) {
    kinds[number] = d;
    atomic_store_explicit(&kind_count, number + 1, memory_order_release);
  }
  lock_release(LOCK_DEVICES);
  return fits ? number : -1;
}

static absent_device absent[2 * DEVICE_KINDS];
static int absent_count;

void device_add_absent(const char *name, bool wanted, const char *reason) {
  if (absent_count == sizeof absent / sizeof *absent) return;
  for (int k = 0; k < absent_count; k++)
    if (strcmp(absent[k].name, name) == 0) return;
  absent_device *a = &absent[absent_count++];
  snprintf(a->name, sizeof a->name, "%s", name);
  a->wanted = wanted;
  a->reason = reason;
}

const absent_device *device_absent(int number) { return number < absent_count ? &absent[number] : NULL; }

place host_place(void) { return (place){kinds[0], 0}; }

bool device_accelerator(place *p) {
  const device *d;
  for (int k = 1; (d = device_kind(k)); k++)
    if (d->count() > 0 && !(d->is_processor && d->is_processor())) {
      *p = (place){d, 0};
      return true;
    }
  return false;
}

void device_reason(char *text, size_t size) {
  const device *d;
  size_t n = 0;
  *text = 0;
  for (int k = 1; n < size && (d = device_kind(k)); k++)
    if (*d->reason()) n += (size_t)snprintf(text + n, size - n, "%s%s: %s", n ? "; " : "", d->name, d->reason());
}
