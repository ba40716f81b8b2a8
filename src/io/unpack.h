#ifndef LT_IO_UNPACK_H
#define LT_IO_UNPACK_H

/* Reads a regular file from its beginning to its end. The file is decompressed if its first bytes identify gzip; its
** name does not matter. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct unpack unpack;

enum { UNPACK_WORDS = 128 };

/* Opens a file. Returns NULL on failure. Then `wrong` is the reason, or "" if errno has the reason. */
unpack *unpack_open(const char *path, char wrong[UNPACK_WORDS]);

/* Reads the next n bytes and sets *got to the number of bytes read. *got is less than n only at the end of the file,
** after a correct checksum. Returns false if the file is damaged, truncated or unreadable. Then `wrong` is the
** reason, or "" if errno has the reason. */
bool unpack_read(unpack *u, void *to, size_t n, size_t *got, char wrong[UNPACK_WORDS]);

/* Returns an upper bound of the number of bytes that can be read. The bound is exact if the file is not
** compressed. */
int64_t unpack_most(const unpack *u);
bool unpack_is_packed(const unpack *u);

void unpack_close(unpack *u);                  /* u may be NULL */

#endif
