#include <string.h>
#include <zlib.h>

#include "base/cancel.h"
#include "io/png.h"
#include "io/png_filter.h"

enum {
  PART   = 1 << 20,            /* bytes of compressed data in a chunk */
  FRAME  = 12,                 /* bytes of a chunk around its data: length, type and checksum */
  FILTERS = 5
};

static unsigned char *put_number(unsigned char *to, uint32_t x) {
  for (int k = 0; k < 4; k++) to[k] = (unsigned char)(x >> (24 - 8 * k));
  return to + 4;
}

/* Completes a chunk whose n bytes of data are at `at` + 8. Returns the end of the chunk. */
static unsigned char *finish_chunk(unsigned char *at, const char *type, size_t n) {
  put_number(at, (uint32_t)n);
  memcpy(at + 4, type, 4);
  return put_number(at + 8 + n, (uint32_t)crc32(0, at + 4, (uInt)(n + 4)));
}

static unsigned char *put_header(unsigned char *to, const image_form *f) {
  static const unsigned char colour[] = {0, 0, 4, 2, 6};     /* PNG's number of a kind of pixels, by channels */
  memcpy(to, PNG_MAGIC, 8);
  unsigned char *data = put_number(put_number(to + 16, (uint32_t)f->width), (uint32_t)f->height);
  memcpy(data, (unsigned char[]){(unsigned char)(8 * f->size), colour[f->channels], 0, 0, 0}, 5);
  return finish_chunk(to + 8, "IHDR", 13);
}

/* ---- filters ---- */

/* Copies a row of pixels. PNG's samples of 16 bits are big-endian. */
static void copy_row(const image_form *f, const void *from, unsigned char *to) {
  if (f->size == 1) {
    memcpy(to, from, image_row(f));
    return;
  }
  const uint16_t *x = from;
  for (int64_t i = 0; i < f->width * f->channels; i++) {
    to[2 * i] = (unsigned char)(x[i] >> 8);
    to[2 * i + 1] = (unsigned char)x[i];
  }
}

static unsigned magnitude(unsigned char difference) { return difference < 128 ? difference : 256u - difference; }

/* Writes the n bytes of a row, each as its difference from a prediction, once for each of PNG's filters. `distance`: bytes
** from a sample to the next one of its channel; so many zeros come before `row` and before `above`. Returns the filter
** with the smallest sum of magnitudes, whose bytes are usually compressed best. */
static int filter_row(const unsigned char *row, const unsigned char *above, size_t n, size_t distance,
                      unsigned char *const out[FILTERS]) {
  uint64_t sum[FILTERS] = {0};
  for (size_t i = 0; i < n; i++) {
    int left = row[(ptrdiff_t)i - (ptrdiff_t)distance], up = above[i];
    int corner = above[(ptrdiff_t)i - (ptrdiff_t)distance];
    int guess[FILTERS] = {0, left, up, (left + up) / 2, png_paeth(left, up, corner)};
    for (int k = 0; k < FILTERS; k++) {
      out[k][i] = (unsigned char)(row[i] - guess[k]);
      sum[k] += magnitude(out[k][i]);
    }
  }
  int best = 0;
  for (int k = 1; k < FILTERS; k++)
    if (sum[k] < sum[best]) best = k;
  return best;
}

/* ---- compressed data ---- */

typedef struct writer {
  z_stream       z;
  unsigned char *chunk;        /* the chunk that is being filled */
} writer;

static void begin_data(writer *w, unsigned char *chunk) {
  w->chunk = chunk;
  w->z.next_out = chunk + 8;
  w->z.avail_out = PART;
}

/* Compresses n bytes. flush: Z_FINISH for the last bytes of the image, else Z_NO_FLUSH. */
static void compress_bytes(writer *w, unsigned char *bytes, size_t n, int flush) {
  enum { MOST = 1 << 30 };             /* bytes of one call, whose number has 32 bits */
  do {
    w->z.next_in = bytes;
    w->z.avail_in = (uInt)(n < MOST ? n : MOST);
    bytes += w->z.avail_in;
    n -= w->z.avail_in;
    int status = Z_OK;
    for (bool full = true; full && status != Z_STREAM_END;) {
      status = deflate(&w->z, n == 0 ? flush : Z_NO_FLUSH);
      full = w->z.avail_out == 0;
      if (full) begin_data(w, finish_chunk(w->chunk, "IDAT", PART));
    }
  } while (n > 0);
}

static int write_data(writer *w, const image_form *f, const void *pixels, unsigned char *scratch) {
  size_t row = image_row(f), distance = (size_t)(f->channels * f->size), room = row + PNG_MARGIN;
  unsigned char *line[2] = {scratch + PNG_MARGIN, scratch + room + PNG_MARGIN}, *out[FILTERS];
  memset(scratch, 0, 2 * room);
  for (int k = 0; k < FILTERS; k++) {
    out[k] = scratch + (size_t)(2 + k) * room + 1;
    out[k][-1] = (unsigned char)k;
  }
  for (int64_t y = 0; y < f->height; y++) {
    if (cancel_due()) return ERR_CANCELLED;
    copy_row(f, (const char *)pixels + (size_t)y * row, line[y & 1]);
    int best = filter_row(line[y & 1], line[~y & 1], row, distance, out);
    compress_bytes(w, out[best] - 1, row + 1, y + 1 == f->height ? Z_FINISH : Z_NO_FLUSH);
  }
  return OK;
}

/* ---- the file ---- */

size_t png_bound(const image_form *f) {
  size_t packed = compressBound((uLong)(image_bytes(f) + (size_t)f->height));
  return 8 + (FRAME + 13) + packed + (packed / PART + 2) * FRAME + FRAME;
}

size_t png_scratch(const image_form *f) { return (2 + FILTERS) * (image_row(f) + PNG_MARGIN); }

int png_write(const image_form *f, const void *pixels, unsigned char *to, size_t *n, unsigned char *scratch) {
  writer w = {.chunk = NULL};
  if (deflateInit(&w.z, Z_DEFAULT_COMPRESSION) != Z_OK) return ERR_MEMORY;
  begin_data(&w, put_header(to, f));
  int status = write_data(&w, f, pixels, scratch);
  deflateEnd(&w.z);
  unsigned char *end = w.chunk;
  if (w.z.avail_out < PART) end = finish_chunk(end, "IDAT", PART - w.z.avail_out);
  *n = (size_t)(finish_chunk(end, "IEND", 0) - to);
  return status;
}
