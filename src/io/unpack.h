#ifndef LT_IO_UNPACK_H
#define LT_IO_UNPACK_H

/* The bytes of a plain file from its beginning to its end; where gzip packed them, unpacked. Told by the first bytes, not
** by the name. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct unpack unpack;

enum { UNPACK_WORDS = 128 };

/* NULL: not opened; `wrong` says why, "" where errno does. */
unpack *unpack_open(const char *path, char wrong[UNPACK_WORDS]);

/* The next n bytes; *got: how many there were, less than n only at the end, whose checksum was right then. False: damaged,
** truncated, or it cannot be read; `wrong` says why, "" where errno does. */
bool unpack_read(unpack *u, void *to, size_t n, size_t *got, char wrong[UNPACK_WORDS]);

/* An upper bound of the bytes that can be read; exact if the file is not packed. */
int64_t unpack_most(const unpack *u);
bool unpack_is_packed(const unpack *u);

void unpack_close(unpack *u);                  /* NULL is allowed */

#endif
