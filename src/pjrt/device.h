#ifndef LT_PJRT_DEVICE_H
#define LT_PJRT_DEVICE_H

/* The kinds of devices that plugins of PJRT add. Variables LUATENSOR_PJRT_<NAME>=<file of the plugin>, and packages of
** Python's active virtual environment, add kinds. */

#include "base/device.h"

enum { PJRT_KINDS = 3 };               /* the most plugins of a process */

/* Adds the kinds at the first call (kinds.c). */
void pjrt_add_kinds(void);

/* The functions of struct device, for kind k (device.c). */
/* Sets name and file of the plugin of kind k by a text NAME=file, and returns the name with small letters, or NULL. */
const char *pjrt_name(int k, const char *variable);
int  pjrt_count(int k);
const char *pjrt_reason(int k);
int  pjrt_in_use(int k);
bool pjrt_is_processor(int k);
int  pjrt_info(int k, int index, device_info *info);
void pjrt_describe(int k, char *text, size_t size);
void pjrt_explain(int k, char *text, size_t size);
unsigned pjrt_epoch(int k);
void pjrt_shut(int k);
int  pjrt_alloc(int k, int index, size_t bytes, void **at);
void pjrt_free(int k, int index, void *at);
int  pjrt_copy_in(int k, int index, void *to, const void *host, size_t bytes);
int  pjrt_copy_out(int k, int index, void *host, const void *from, size_t bytes);
int  pjrt_copy_across(int k, int index, void *to, int from_index, const void *from, size_t bytes);
int  pjrt_sync(int k, int index);
memory_stats *pjrt_stats(int k, int index);
const int64_t *pjrt_host_calls(int k, int index);
#define FAMILY(name, call) int pjrt_##name(int k, int index, call *c);
#include "families.def"

#endif
