#ifndef LT_IO_UNPACK_H
#define LT_IO_UNPACK_H

/* Reads a regular file from its beginning to its end. The file is unpacked if its first bytes (not its name) identify
** gzip. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct unpack unpack;

enum { UNPACK_WORDS = 128 };

/* Opens a file. Returns NULL on failure; then `wrong` has the reason, or is "" if errno has it. */
unpack *unpack_open(const char *path, char wrong[UNPACK_WORDS]);

/* Reads the next n bytes. *got is the number of bytes read. It is less than n only at the end of a file with a correct
** checksum. Returns false if the file is damaged, truncated or unreadable; then `wrong` has the reason, or is "" if
** errno has it. */
bool unpack_read(unpack *u, void *to, size_t n, size_t *got, char wrong[UNPACK_WORDS]);

/* Returns an upper bound of the bytes that can be read. The bound is exact if the file is not packed. */
int64_t unpack_most(const unpack *u);
bool unpack_is_packed(const unpack *u);

void unpack_close(unpack *u);                  /* NULL is allowed */

#endif
