#ifndef LT_IO_ZIP_H
#define LT_IO_ZIP_H

/* Reads and writes the contents of one entry of a zip archive, stored or deflated, and computes its CRC-32. The callers
** read and write the headers. */

#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "io/unpack.h"

enum { ZIP_ROOM = 1 << 16 };       /* bytes of deflated data that are read or written at a time */

typedef struct zip_reader {
  FILE    *f;
  int64_t  packed, size;           /* the bytes in the file and the bytes of contents that have not been read yet */
  uint32_t crc, expected;          /* of the contents that have been read, and of all contents */
  bool     deflated, begun;        /* begun: z must be freed */
  z_stream z;
  char     wrong[UNPACK_WORDS];    /* why a read failed, or "" */
  unsigned char in[ZIP_ROOM];
} zip_reader;

/* Starts to read the contents at the file's current position. f, packed, size, expected and deflated are set. Returns
** false if memory is missing. */
bool zip_begin(zip_reader *r);

/* Reads n bytes. Returns false on failure; then r->wrong has the reason. */
bool zip_read(zip_reader *r, void *to, size_t n);

/* True if the contents have been read to their end, and are those whose CRC the archive has. Otherwise r->wrong has
** the reason. */
bool zip_is_whole(zip_reader *r);
void zip_end(zip_reader *r);

typedef struct zip_writer {
  FILE    *f;
  bool   (*put)(FILE *f, const void *from, size_t n);      /* writes n bytes; on failure returns false and sets errno */
  int64_t  packed, size;           /* the bytes written to the file, and of contents */
  uint32_t crc;
  bool     deflated, begun;
  z_stream z;
  unsigned char out[ZIP_ROOM];
} zip_writer;

/* Each returns false on failure; then errno has the reason. f, put and deflated are set before zip_start. zip_flush writes
** the rest after the last zip_write. */
bool zip_start(zip_writer *w);
bool zip_write(zip_writer *w, const void *from, size_t n);
bool zip_flush(zip_writer *w);
void zip_stop(zip_writer *w);

#endif
