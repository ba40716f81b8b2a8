#include "io/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/system.h"

enum {
  ROOM  = 1 << 16,             /* the number of compressed bytes that are read at a time */
  RATIO = 1032                 /* the greatest number of bytes to which deflate expands one compressed byte: two bits
                               ** stand for at most 258 bytes */
};

struct unpack {
  FILE    *f;
  int64_t  size;               /* the size in bytes of the file */
  bool     packed, inside;     /* packed: the file is compressed; inside: the next compressed byte belongs to a gzip
                               ** member, of which a file may have several */
  bool     any;                /* true: at least one member has been read */
  z_stream z;
  unsigned char in[ROOM];
};

static bool say(char wrong[UNPACK_WORDS], const char *words) {
  snprintf(wrong, UNPACK_WORDS, "%s", words);
  return false;
}

/* Reads more compressed bytes if all earlier bytes have been used. At the end of the file, avail_in remains 0. */
static bool fill(unpack *u, char wrong[UNPACK_WORDS]) {
  if (u->z.avail_in > 0) return true;
  u->z.next_in = u->in;
  u->z.avail_in = (uInt)fread(u->in, 1, ROOM, u->f);
  return !ferror(u->f) || say(wrong, "");
}

/* Skips zeros after a member and begins the next member, if the file has one. Otherwise `inside` remains false. */
static bool next_member(unpack *u, char wrong[UNPACK_WORDS]) {
  if (u->any)
    while (u->z.avail_in > 0 && *u->z.next_in == 0) {
      u->z.next_in++;
      u->z.avail_in--;
      if (!fill(u, wrong)) return false;
    }
  if (u->z.avail_in == 0) return true;
  if (u->any && *u->z.next_in != 0x1f) return say(wrong, "something else follows the gzip data");
  inflateReset(&u->z);
  u->inside = u->any = true;
  return true;
}

static bool damaged(const unpack *u, int status, char wrong[UNPACK_WORDS]) {
  if (status == Z_MEM_ERROR) return say(wrong, "out of memory");
  snprintf(wrong, UNPACK_WORDS, "gzip data is damaged: %s", u->z.msg ? u->z.msg : "no reason known");
  return false;
}

static bool inflate_more(unpack *u, char wrong[UNPACK_WORDS]) {
  if (u->z.avail_in == 0) return say(wrong, "truncated: its gzip data end early");
  int status = inflate(&u->z, Z_NO_FLUSH);
  if (status == Z_STREAM_END) u->inside = false;
  return status == Z_STREAM_END || status == Z_OK || status == Z_BUF_ERROR || damaged(u, status, wrong);
}

bool unpack_read(unpack *u, void *to, size_t n, size_t *got, char wrong[UNPACK_WORDS]) {
  *got = 0;
  if (!u->packed) {
    *got = fread(to, 1, n, u->f);
    return *got == n || !ferror(u->f) || say(wrong, "");
  }
  while (*got < n) {
    size_t some = n - *got < ROOM ? n - *got : ROOM;
    u->z.next_out = (unsigned char *)to + *got;
    u->z.avail_out = (uInt)some;
    if (!fill(u, wrong)) return false;
    if (!u->inside && !next_member(u, wrong)) return false;
    if (!u->inside) return true;
    if (!inflate_more(u, wrong)) return false;
    *got += some - u->z.avail_out;
  }
  return true;
}

/* Sets u->size, and u->packed if the file's first two bytes identify gzip. Then returns to the file's beginning. */
static bool look(unpack *u, char wrong[UNPACK_WORDS]) {
  unsigned char magic[2];
  struct stat s;
  if (fstat(fileno(u->f), &s) != 0) return say(wrong, "");
  u->size = (int64_t)s.st_size;
  bool two = fread(magic, 1, 2, u->f) == 2;
  if (ferror(u->f) || fseek(u->f, 0, SEEK_SET) != 0) return say(wrong, "");
  if (!two || magic[0] != 0x1f || magic[1] != 0x8b) return true;
  /* adding 16 selects gzip's header and trailer */
  if (inflateInit2(&u->z, 15 + 16) != Z_OK) return say(wrong, "out of memory");
  u->packed = true;
  return true;
}

unpack *unpack_open(const char *path, char wrong[UNPACK_WORDS]) {
  unpack *u = calloc(1, sizeof *u);
  say(wrong, "");
  if (!u) return NULL;
  u->f = system_open(path);
  if (u->f && look(u, wrong)) return u;
  if (!u->f && errno == 0) say(wrong, "not a plain file");
  int why = errno;
  unpack_close(u);
  errno = why;
  return NULL;
}

int64_t unpack_most(const unpack *u) {
  if (!u->packed) return u->size;
  return u->size < INT64_MAX / RATIO ? u->size * RATIO : INT64_MAX;
}

bool unpack_is_packed(const unpack *u) { return u->packed; }

void unpack_close(unpack *u) {
  if (!u) return;
  if (u->packed) inflateEnd(&u->z);
  if (u->f) fclose(u->f);
  free(u);
}
