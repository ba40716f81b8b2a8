#ifndef LT_BASE_TLS_H
#define LT_BASE_TLS_H

/* Variables of a thread that are reached without a call. Where the C library is not glibc they take one: musl refuses to load a
** module with such variables after the program has started. */

#include <stdlib.h>

#ifdef __GLIBC__
#define FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define FAST_TLS
#endif

#endif
