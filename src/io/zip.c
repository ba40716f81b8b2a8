#include "io/zip.h"

#include <errno.h>
#include <string.h>

enum { PIECE = 1 << 20 };          /* bytes for one call of zlib, whose sizes have 32 bits */

static bool say(char wrong[UNPACK_WORDS], const char *words) {
  snprintf(wrong, UNPACK_WORDS, "%s", words);
  return false;
}

/* ---- reading ---- */

bool zip_begin(zip_reader *r) {
  r->crc = (uint32_t)crc32(0, NULL, 0);
  r->wrong[0] = 0;
  r->z = (z_stream){0};
  r->begun = r->deflated && inflateInit2(&r->z, -15) == Z_OK;     /* negative: no header and no trailer */
  return r->begun || !r->deflated || say(r->wrong, "out of memory");
}

/* Reads more deflated bytes if all earlier bytes have been used. */
static bool fill(zip_reader *r) {
  if (r->z.avail_in > 0) return true;
  size_t n = r->packed < ZIP_ROOM ? (size_t)r->packed : ZIP_ROOM;
  r->z.next_in = r->in;
  r->z.avail_in = (uInt)fread(r->in, 1, n, r->f);
  r->packed -= (int64_t)r->z.avail_in;
  return r->z.avail_in > 0 || say(r->wrong, "truncated: its deflated data end early");
}

/* Inflates up to n bytes. Returns the number of bytes, or 0 on failure. */
static size_t inflate_some(zip_reader *r, void *to, size_t n) {
  r->z.next_out = to;
  r->z.avail_out = (uInt)n;
  while (r->z.avail_out == n) {
    if (!fill(r)) return 0;
    int status = inflate(&r->z, Z_NO_FLUSH);
    if (status == Z_STREAM_END && r->z.avail_out == n) return say(r->wrong, "truncated: its deflated data end early");
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      snprintf(r->wrong, sizeof r->wrong, "deflated data is damaged: %s", r->z.msg ? r->z.msg : "no reason known");
      return 0;
    }
  }
  return n - r->z.avail_out;
}

static size_t read_some(zip_reader *r, void *to, size_t n) {
  if (n > PIECE) n = PIECE;
  if (r->deflated) return inflate_some(r, to, n);
  if ((int64_t)n > r->packed || fread(to, 1, n, r->f) != n) return say(r->wrong, "cannot be read to its end");
  r->packed -= (int64_t)n;
  return n;
}

bool zip_read(zip_reader *r, void *to, size_t n) {
  if ((int64_t)n > r->size) return say(r->wrong, "truncated");
  for (size_t got = 0, some; got < n; got += some) {
    if ((some = read_some(r, (char *)to + got, n - got)) == 0) return false;
    r->crc = (uint32_t)crc32(r->crc, (unsigned char *)to + got, (uInt)some);
  }
  r->size -= (int64_t)n;
  return true;
}

bool zip_is_whole(zip_reader *r) {
  unsigned char more;
  if (r->size > 0) return say(r->wrong, "contents that are too long");
  if (r->crc != r->expected) return say(r->wrong, "damaged: its CRC-32 is not that of its contents");
  if (!r->deflated || inflate_some(r, &more, 1) == 0) {
    r->wrong[0] = 0;
    return true;
  }
  return say(r->wrong, "deflated data that are longer than the archive says");
}

void zip_end(zip_reader *r) {
  if (r->begun) inflateEnd(&r->z);
  r->begun = false;
}

/* ---- writing ---- */

bool zip_start(zip_writer *w) {
  w->packed = w->size = 0;
  w->crc = (uint32_t)crc32(0, NULL, 0);
  w->z = (z_stream){0};
  w->begun = w->deflated && deflateInit2(&w->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  if (w->begun || !w->deflated) return true;
  errno = ENOMEM;
  return false;
}

static bool put(zip_writer *w, const void *from, size_t n) {
  w->packed += (int64_t)n;
  return w->put(w->f, from, n);
}

/* Deflates the bytes at z.next_in and writes the result. */
static bool deflate_all(zip_writer *w, int flush) {
  do {
    w->z.next_out = w->out;
    w->z.avail_out = ZIP_ROOM;
    deflate(&w->z, flush);
    if (!put(w, w->out, ZIP_ROOM - w->z.avail_out)) return false;
  } while (w->z.avail_out == 0);
  return true;
}

bool zip_write(zip_writer *w, const void *from, size_t n) {
  for (size_t done = 0, some; done < n; done += some) {
    some = n - done < PIECE ? n - done : PIECE;
    const unsigned char *at = (const unsigned char *)from + done;
    w->crc = (uint32_t)crc32(w->crc, at, (uInt)some);
    w->size += (int64_t)some;
    w->z.next_in = (unsigned char *)(uintptr_t)at;                /* zlib does not write to its input */
    w->z.avail_in = (uInt)some;
    if (!(w->deflated ? deflate_all(w, Z_NO_FLUSH) : put(w, at, some))) return false;
  }
  return true;
}

bool zip_flush(zip_writer *w) { return !w->deflated || deflate_all(w, Z_FINISH); }

void zip_stop(zip_writer *w) {
  if (w->begun) deflateEnd(&w->z);
  w->begun = false;
}
