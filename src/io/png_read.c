/* Reads PNG files by zlib alone. Gamma and colour profiles are ignored, as PyTorch and Pillow do. */

#define ZLIB_CONST               /* the input of zlib is const */

#include <string.h>
#include <zlib.h>

#include "base/cancel.h"
#include "io/image.h"
#include "io/png_filter.h"

enum { GRAY = 0, RGB = 2, PALETTE = 3, GRAY_ALPHA = 4, RGB_ALPHA = 6 };       /* PNG's kinds of pixels */

/* Returns the number of samples of a pixel in the file, by its kind; 0: no kind. */
static int samples_of(int kind) {
  static const unsigned char samples[] = {1, 0, 3, 1, 2, 0, 4};
  return kind < (int)sizeof samples ? samples[kind] : 0;
}

static size_t bits_of_pixel(const image_file *f) { return (size_t)(samples_of(f->kind) * f->depth); }

/* ---- chunks ---- */

typedef struct chunk {
  const unsigned char *data;
  size_t n;
  char   type[5];
} chunk;

/* Reads the chunk at *at, checks its checksum, and moves *at to its end. */
static bool next_chunk(image_file *f, size_t *at, chunk *c) {
  if (f->n - *at < 12) return image_wrong(f, "truncated");
  const unsigned char *p = f->bytes + *at;
  *c = (chunk){.data = p + 8, .n = image_number(p)};
  memcpy(c->type, p + 4, 4);
  if (c->n > f->n - *at - 12) return image_wrong(f, "truncated");
  if (image_number(c->data + c->n) != (uint32_t)crc32(0, p + 4, (uInt)(c->n + 4)))
    return image_wrong(f, "damaged: a checksum is wrong");
  *at += 12 + c->n;
  return true;
}

static bool is_type(const chunk *c, const char *type) { return memcmp(c->type, type, 4) == 0; }

static bool depth_fits(int kind, int depth) {
  bool whole = depth == 8 || depth == 16, part = depth == 1 || depth == 2 || depth == 4;
  return kind == GRAY ? whole || part : kind == PALETTE ? depth == 8 || part : whole;
}

static bool read_header(image_file *f, const chunk *c) {
  const unsigned char *p = c->data;
  if (!is_type(c, "IHDR") || c->n != 13) return image_wrong(f, "damaged: no header");
  f->form.width = image_number(p);
  f->form.height = image_number(p + 4);
  f->depth = p[8];
  f->kind = p[9];
  f->interlaced = p[12] == 1;
  bool sized = f->form.width > 0 && f->form.width <= INT32_MAX && f->form.height > 0 && f->form.height <= INT32_MAX;
  if (!sized || samples_of(f->kind) == 0 || !depth_fits(f->kind, f->depth) || p[10] != 0 || p[11] != 0 || p[12] > 1)
    return image_wrong(f, "damaged: its header has an unknown value");
  return true;
}

static bool read_palette(image_file *f, const chunk *c) {
  if (c->n % 3 != 0 || c->n == 0 || c->n > 3 * 256) return image_wrong(f, "damaged: its palette is no list of colours");
  f->palette = c->data;
  f->colours = (int)c->n / 3;
  return true;
}

/* Reads which colours are transparent: the alpha of each colour of the palette, or one colour. */
static bool read_transparent(image_file *f, const chunk *c) {
  size_t wanted = f->kind == GRAY ? 2 : 6;
  bool good = f->kind == PALETTE ? c->n <= (size_t)f->colours : (f->kind == GRAY || f->kind == RGB) && c->n == wanted;
  if (!good) return image_wrong(f, "damaged: its transparent colours do not fit");
  f->transparent = c->data;
  f->transparents = (int)c->n;
  return true;
}

/* Reads a chunk before the pixels. */
static bool read_chunk(image_file *f, const chunk *c) {
  if (is_type(c, "PLTE")) return read_palette(f, c);
  if (is_type(c, "tRNS")) return read_transparent(f, c);
  if (is_type(c, "IEND")) return image_wrong(f, "damaged: it has no pixels");
  if (!(c->type[0] & 32)) return image_wrong(f, "its chunk %.4s is not supported", c->type);
  return true;
}

/* Counts the bytes of the pixels' chunks, from the first one, c, on, and checks that the file has an end. */
static bool count_data(image_file *f, size_t at, chunk c, size_t *n) {
  *n = c.n;
  for (bool inside = true; !is_type(&c, "IEND");) {
    if (!next_chunk(f, &at, &c)) return false;
    inside = inside && is_type(&c, "IDAT");
    if (inside) *n += c.n;
  }
  return true;
}

static bool begins(const unsigned char *bytes, size_t n) { return n >= 8 && memcmp(bytes, PNG_MAGIC, 8) == 0; }

enum { RATIO = 1032 };         /* the greatest number of bytes to which deflate expands one byte */

static bool open_file(image_file *f) {
  size_t at = 8, data;
  chunk c;
  if (!next_chunk(f, &at, &c) || !read_header(f, &c)) return false;
  do {
    f->start = at;
    if (!next_chunk(f, &at, &c)) return false;
    if (!is_type(&c, "IDAT") && !read_chunk(f, &c)) return false;
  } while (!is_type(&c, "IDAT"));
  if (f->kind == PALETTE && !f->palette) return image_wrong(f, "damaged: it has no palette");
  if (!count_data(f, at, c, &data)) return false;
  double bits = (double)f->form.width * (double)f->form.height * (double)bits_of_pixel(f);
  if (bits / 8 > (double)data * RATIO) return image_wrong(f, "truncated: too short for its pixels");
  bool alpha = f->transparent != NULL;
  f->form.size = f->depth == 16 ? 2 : 1;
  f->form.channels = (f->kind == PALETTE ? 3 : samples_of(f->kind)) + alpha;
  f->buffer = 2 * (PNG_MARGIN + 1 + ((size_t)f->form.width * bits_of_pixel(f) + 7) / 8);
  f->scratch = (double)f->buffer;
  return true;
}

/* ---- compressed data ---- */

typedef struct reader {
  image_file *file;
  z_stream    z;
  size_t      at;              /* position of the next chunk */
} reader;

/* Moves on to the next chunk of pixels. */
static int next_data(reader *r) {
  chunk c;
  if (!next_chunk(r->file, &r->at, &c)) return IMAGE_BAD;
  if (!is_type(&c, "IDAT")) return image_bad(r->file, "truncated: too few pixels");
  r->z.next_in = c.data;
  r->z.avail_in = (uInt)c.n;
  return OK;
}

static int bad_data(reader *r) {
  image_wrong(r->file, "damaged: its pixels: %s", r->z.msg ? r->z.msg : "no zlib data");
  return IMAGE_BAD;
}

/* Decompresses n bytes. */
static int inflate_bytes(reader *r, unsigned char *to, size_t n) {
  enum { MOST = 1 << 30 };             /* bytes of one call, whose number has 32 bits */
  r->z.next_out = to;
  while (n > 0) {
    size_t some = n < MOST ? n : MOST;
    while (r->z.avail_in == 0)
      if (next_data(r) != OK) return IMAGE_BAD;
    r->z.avail_out = (uInt)some;
    int status = inflate(&r->z, Z_SYNC_FLUSH);
    n -= some - r->z.avail_out;
    if (status == Z_MEM_ERROR) return ERR_MEMORY;
    if (status == Z_STREAM_END && n > 0) return image_bad(r->file, "truncated: too few pixels");
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      return bad_data(r);
  }
  return OK;
}

/* ---- rows ---- */

/* Replaces the n bytes of a row, which are differences from a prediction, by their sums. distance: bytes from a sample to
** the next one of its channel; so many zeros come before both rows. */
static bool undo_filter(int filter, unsigned char *row, const unsigned char *above, size_t n, size_t distance) {
  const unsigned char *left = row - distance, *corner = above - distance;
  switch (filter) {
    case 0: return true;
    case 1: for (size_t i = 0; i < n; i++) row[i] = (unsigned char)(row[i] + left[i]); return true;
    case 2: for (size_t i = 0; i < n; i++) row[i] = (unsigned char)(row[i] + above[i]); return true;
    case 3: for (size_t i = 0; i < n; i++) row[i] = (unsigned char)(row[i] + (left[i] + above[i]) / 2); return true;
    case 4: for (size_t i = 0; i < n; i++) row[i] = (unsigned char)(row[i] + png_paeth(left[i], above[i], corner[i])); return true;
    default: return false;
  }
}

/* Returns sample i of a row. */
static unsigned get_sample(const image_file *f, const unsigned char *row, int64_t i) {
  if (f->depth == 8) return row[i];
  if (f->depth == 16) return (unsigned)row[2 * i] << 8 | row[2 * i + 1];
  int64_t bit = i * f->depth;
  return (unsigned)(row[bit / 8] >> (8 - f->depth - (int)(bit % 8))) & ((1u << f->depth) - 1);
}

static void put_sample(const image_file *f, unsigned char *pixel, int c, unsigned value) {
  if (f->form.size == 1) pixel[c] = (unsigned char)value;
  else memcpy(pixel + 2 * c, &(uint16_t){(uint16_t)value}, 2);
}

/* Writes a colour of the palette. A number without a colour is black. */
static void put_colour(const image_file *f, unsigned index, unsigned char *pixel) {
  bool known = (int)index < f->colours;
  for (int c = 0; c < 3; c++) pixel[c] = known ? f->palette[3 * index + (unsigned)c] : 0;
  if (f->form.channels == 4) pixel[3] = (int)index < f->transparents ? f->transparent[index] : UINT8_MAX;
}

static void put_pixel(const image_file *f, const unsigned char *row, int64_t x, unsigned char *pixel) {
  if (f->kind == PALETTE) {
    put_colour(f, get_sample(f, row, x), pixel);
    return;
  }
  int samples = samples_of(f->kind);
  unsigned scale = f->depth < 8 ? UINT8_MAX / ((1u << f->depth) - 1) : 1;
  bool clear = f->transparent != NULL;
  for (int c = 0; c < samples; c++) {
    unsigned value = get_sample(f, row, x * samples + c);
    if (clear) clear = value == ((unsigned)f->transparent[2 * c] << 8 | f->transparent[2 * c + 1]);
    put_sample(f, pixel, c, value * scale);
  }
  if (f->transparent) put_sample(f, pixel, samples, clear ? 0 : f->depth == 16 ? UINT16_MAX : UINT8_MAX);
}

/* The pixels of a pass: every dx-th pixel from x on of every dy-th row from y on. */
typedef struct pass {
  int x, y, dx, dy;
} pass;

/* Writes a row of a pass, which has n pixels, to row y of the image. */
static void put_row(const image_file *f, const unsigned char *row, const pass *p, int64_t n, unsigned char *pixels, int64_t y) {
  size_t size = (size_t)(f->form.channels * f->form.size);
  unsigned char *to = pixels + (size_t)y * image_row(&f->form) + (size_t)p->x * size;
  if (f->depth == 8 && f->kind != PALETTE && !f->transparent && p->dx == 1) {
    memcpy(to, row, (size_t)n * size);
    return;
  }
  for (int64_t x = 0; x < n; x++, to += (size_t)p->dx * size) put_pixel(f, row, x, to);
}

static int read_pass(reader *r, const pass *p, unsigned char *pixels, unsigned char *buffer) {
  image_file *f = r->file;
  int64_t n = (f->form.width - p->x + p->dx - 1) / p->dx;
  size_t bits = bits_of_pixel(f), bytes = ((size_t)n * bits + 7) / 8, half = f->buffer / 2;
  unsigned char *line[2] = {buffer + PNG_MARGIN, buffer + half + PNG_MARGIN};
  memset(buffer, 0, f->buffer);
  if (n <= 0) return OK;
  for (int64_t y = p->y, k = 0; y < f->form.height; y += p->dy, k++) {
    if (cancel_due()) return ERR_CANCELLED;
    unsigned char *row = line[k & 1];
    int status = inflate_bytes(r, row - 1, bytes + 1);          /* the byte before the row is its filter */
    if (status != OK) return status;
    int filter = row[-1];
    row[-1] = 0;
    if (!undo_filter(filter, row, line[~k & 1], bytes, bits < 8 ? 1 : bits / 8))
      return image_bad(f, "damaged: a row has an unknown filter");
    put_row(f, row, p, n, pixels, y);
  }
  return OK;
}

/* Reads the end of the compressed data, where zlib checks its checksum. */
static int check_end(reader *r) {
  unsigned char rest;
  r->z.next_out = &rest;
  r->z.avail_out = 1;
  while (r->z.avail_in > 0 || next_data(r) == OK) {
    int status = inflate(&r->z, Z_SYNC_FLUSH);
    if (status == Z_DATA_ERROR) return bad_data(r);
    if (status != Z_OK || r->z.avail_out == 0) break;
  }
  return OK;
}

static int read_file(image_file *f, void *pixels, unsigned char *buffer) {
  static const pass whole[] = {{0, 0, 1, 1}};
  static const pass interlaced[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  reader r = {.file = f, .at = f->start};
  if (inflateInit(&r.z) != Z_OK) return ERR_MEMORY;
  int status = OK;
  for (int k = 0; k < (f->interlaced ? 7 : 1) && status == OK; k++)
    status = read_pass(&r, f->interlaced ? &interlaced[k] : whole, pixels, buffer);
  if (status == OK) status = check_end(&r);
  inflateEnd(&r.z);
  return status;
}

const image_format png_format = {.name = "PNG", .begins = begins, .open = open_file, .read = read_file};
