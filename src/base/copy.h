#ifndef LT_BASE_COPY_H
#define LT_BASE_COPY_H

#include <stddef.h>

/* Copies bytes of the host's memory by several threads. For devices that transfer through buffers. The CPU's device sets
** the pointer when the module is loaded, so that other devices do not depend on its files. */
extern void (*copy_by_threads)(void *to, const void *from, size_t bytes);

#endif
