#ifndef LT_IO_UNPACK_H
#define LT_IO_UNPACK_H

/* Reads a regular file from its beginning to its end, and unpacks it if it is packed by gzip, as told by its first
** bytes, not by its name. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct unpack unpack;

enum { UNPACK_WORDS = 128 };

/* NULL: not opened; `wrong` has the reason, or is "" if errno has it. */
unpack *unpack_open(const char *path, char wrong[UNPACK_WORDS]);

/* Reads the next n bytes. *got: the number read, less than n only at the end, where the checksum is correct. False:
** damaged, truncated, or unreadable; `wrong` has the reason, or is "" if errno has it. */
bool unpack_read(unpack *u, void *to, size_t n, size_t *got, char wrong[UNPACK_WORDS]);

/* An upper bound of the bytes that can be read; exact if the file is not packed. */
int64_t unpack_most(const unpack *u);
bool unpack_is_packed(const unpack *u);

void unpack_close(unpack *u);                  /* NULL is allowed */

#endif
