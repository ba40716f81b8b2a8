/* Reads Netpbm's formats: PBM, PGM and PPM as text (P1 to P3) and as bytes (P4 to P6), and PAM (P7). Of a file with several
** images the first is read. Samples are scaled to the whole range of uint8, or of uint16 if their maximum is above 255. */

#include <string.h>

#include "base/cancel.h"
#include "io/image.h"

enum { BITMAP = 1, PAM = 7 };        /* kinds, as the digit of the file's first bytes: 1 … 3 are text, 4 … 7 are bytes */

static bool is_text(const image_file *f) { return f->kind <= 3; }
static bool is_bitmap(const image_file *f) { return f->kind % 3 == BITMAP && f->kind != PAM; }

static bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool begins(const unsigned char *bytes, size_t n) {
  return n >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7' && (is_space(bytes[2]) || bytes[2] == '#');
}

/* ---- headers ---- */

/* Skips white space and comments, which extend to the end of their line. */
static void skip_space(image_file *f) {
  for (; f->start < f->n && (is_space(f->bytes[f->start]) || f->bytes[f->start] == '#'); f->start++)
    if (f->bytes[f->start] == '#')
      while (f->start + 1 < f->n && f->bytes[f->start + 1] != '\n') f->start++;
}

/* Reads a number of at most `most`. Returns -1 if there is none. */
static int64_t read_number(image_file *f, int64_t most) {
  int64_t value = -1;
  skip_space(f);
  for (; f->start < f->n && f->bytes[f->start] >= '0' && f->bytes[f->start] <= '9' && value <= most; f->start++)
    value = (value < 0 ? 0 : value) * 10 + (f->bytes[f->start] - '0');
  return value <= most ? value : -1;
}

/* Reads a word, which ends before the next white space. Returns its length. */
static size_t read_word(image_file *f, const unsigned char **word) {
  skip_space(f);
  *word = f->bytes + f->start;
  size_t first = f->start;
  while (f->start < f->n && !is_space(f->bytes[f->start])) f->start++;
  return f->start - first;
}

static bool is_word(const unsigned char *word, size_t n, const char *name) { return n == strlen(name) && memcmp(word, name, n) == 0; }

static void skip_line(image_file *f) {
  while (f->start < f->n && f->bytes[f->start] != '\n') f->start++;
}

/* Reads the lines of a PAM's header. f->depth becomes the maximum of a sample. */
static bool read_pam_header(image_file *f) {
  const unsigned char *word;
  int64_t channels = 0, most = 0;
  for (size_t n; (n = read_word(f, &word)) > 0 && !is_word(word, n, "ENDHDR");) {
    if (is_word(word, n, "WIDTH")) f->form.width = read_number(f, INT32_MAX);
    else if (is_word(word, n, "HEIGHT")) f->form.height = read_number(f, INT32_MAX);
    else if (is_word(word, n, "DEPTH")) channels = read_number(f, INT32_MAX);
    else if (is_word(word, n, "MAXVAL")) most = read_number(f, UINT16_MAX);
    else if (is_word(word, n, "TUPLTYPE")) skip_line(f);
    else return image_wrong(f, "damaged: its header has an unknown line");
  }
  if (channels > 4) return image_wrong(f, "%d channels are more than an image has", (int)channels);
  f->form.channels = (int)channels;
  f->depth = (int)most;
  return true;
}

/* Reads the header of the older formats. */
static bool read_header(image_file *f) {
  f->form.channels = f->kind % 3 == 0 ? 3 : 1;
  f->form.width = read_number(f, INT32_MAX);
  f->form.height = read_number(f, INT32_MAX);
  f->depth = is_bitmap(f) ? 1 : (int)read_number(f, UINT16_MAX);
  return true;
}

static size_t row_bytes(const image_file *f) {
  if (is_bitmap(f)) return ((size_t)f->form.width + 7) / 8;
  return (size_t)f->form.width * (size_t)f->form.channels * (f->depth > UINT8_MAX ? 2 : 1);
}

static bool open_file(image_file *f) {
  f->kind = f->bytes[1] - '0';
  f->start = 2;
  if (!(f->kind == PAM ? read_pam_header(f) : read_header(f))) return false;
  if (f->form.width < 1 || f->form.height < 1 || f->form.channels < 1 || f->depth < 1)
    return image_wrong(f, "damaged: its header lacks a size");
  f->form.size = f->depth > UINT8_MAX ? 2 : 1;
  size_t left = f->n - f->start, least = is_text(f) ? 1 : row_bytes(f);
  if (left == 0 || !is_space(f->bytes[f->start])) return image_wrong(f, "damaged: no space after its header");
  f->start++;
  if (is_text(f)) least = (size_t)f->form.width * (size_t)f->form.channels;             /* a digit for each sample */
  if (least > (left - 1) / (size_t)f->form.height) return image_wrong(f, "truncated");
  return true;
}

/* ---- pixels ---- */

/* Reads a sample of a text file. Samples of a bitmap are digits, with or without space between them. */
static int64_t read_text_sample(image_file *f) {
  if (!is_bitmap(f)) return read_number(f, f->depth);
  skip_space(f);
  int64_t digit = f->start < f->n ? f->bytes[f->start++] - '0' : -1;
  return digit == 0 || digit == 1 ? digit : -1;
}

/* Reads sample i of a row at f->start of a file of bytes. */
static int64_t read_sample(const image_file *f, int64_t i) {
  const unsigned char *row = f->bytes + f->start;
  if (is_bitmap(f)) return row[i / 8] >> (7 - i % 8) & 1;
  int64_t value = f->form.size == 1 ? row[i] : row[2 * i] << 8 | row[2 * i + 1];
  return value <= f->depth ? value : -1;
}

/* Writes a row of n samples. Returns false if the file has a wrong sample. */
static bool read_row(image_file *f, int64_t n, void *row) {
  int64_t most = f->form.size == 1 ? UINT8_MAX : UINT16_MAX;
  for (int64_t i = 0; i < n; i++) {
    int64_t value = is_text(f) ? read_text_sample(f) : read_sample(f, i);
    if (value < 0) return false;
    if (is_bitmap(f)) value = 1 - value;                        /* 1 is black in a bitmap */
    value = (value * most + f->depth / 2) / f->depth;
    if (f->form.size == 1) ((uint8_t *)row)[i] = (uint8_t)value;
    else ((uint16_t *)row)[i] = (uint16_t)value;
  }
  return true;
}

static int read_file(image_file *f, void *pixels, unsigned char *buffer) {
  (void)buffer;
  size_t bytes = image_row(&f->form);
  bool plain = !is_text(f) && f->depth == UINT8_MAX;            /* the samples are in the file as they are in the image */
  for (int64_t y = 0; y < f->form.height; y++) {
    unsigned char *row = (unsigned char *)pixels + (size_t)y * bytes;
    if (cancel_due()) return ERR_CANCELLED;
    if (plain) memcpy(row, f->bytes + f->start, bytes);
    else if (!read_row(f, f->form.width * f->form.channels, row))
      return image_bad(f, "damaged: a sample is missing, or above the maximum");
    if (!is_text(f)) f->start += row_bytes(f);
  }
  return OK;
}

const image_format netpbm_format = {.name = "Netpbm", .begins = begins, .open = open_file, .read = read_file};
