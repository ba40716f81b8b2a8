#ifndef LT_BASE_TLS_H
#define LT_BASE_TLS_H

/* Thread-local variables that are accessed without a function call. They exist only with glibc: musl refuses to load a
** module with such variables after the program has started. With other C libraries an access takes a call. */

#include <stdlib.h>

#ifdef __GLIBC__
#define FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define FAST_TLS
#endif

#endif
