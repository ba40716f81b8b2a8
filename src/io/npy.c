#include "io/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

static bool little_endian(void) {
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 1;
}

const char *npy_preamble(const unsigned char *bytes, size_t n, size_t *start, size_t *length) {
  if (n < 10 || memcmp(bytes, magic, 6) != 0) return "no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm";
  int version = bytes[6];
  if (version < 1 || version > 3 || bytes[7] != 0) return "a .npy version that is not 1.0, 2.0 or 3.0";
  *length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  *start = 10;
  if (version == 1) return NULL;
  if (n < 12) return "truncated in the header";
  *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  *start = 12;
  return *length > NPY_MAX_HEADER ? "a header that is far too long" : NULL;
}

/* ---- the header's text ---- */

/* The text is a Python dict with the keys descr, fortran_order and shape. A cursor is the part of the text that is not
** parsed yet. */
typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
}

/* Skips white space. If the next character is `wanted`, skips this character, too, and returns true. */
static bool take(cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool take_word(cursor *c, const char *word) {
  size_t n = strlen(word);
  skip_space(c);
  if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return false;
  c->at += n;
  return true;
}

/* Copies a quoted string of less than `size` bytes to `to`. Returns false if there is no such string, or if it
** contains a backslash. */
static bool take_string(cursor *c, char *to, size_t size) {
  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return false;
  char quote = *c->at++;
  size_t n = 0;
  while (c->at < c->end && *c->at != quote && *c->at != '\\') {
    if (n + 1 == size) break;
    to[n++] = *c->at++;
  }
  to[n] = 0;
  return c->at < c->end && *c->at++ == quote;
}

static bool take_size(cursor *c, int64_t *size) {
  skip_space(c);
  int64_t n = 0;
  const char *first = c->at;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
    if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c->at - '0', &n)) return false;
  if (c->at == first) return false;
  if (c->at < c->end && *c->at == 'L') c->at++;          /* Python 2 writes 3L */
  *size = n;
  return true;
}

/* Parses a shape in Python's notation: (), (3,), (2, 3). */
static const char *parse_shape(cursor *c, shape *s) {
  s->ndim = 0;
  if (!take(c, '(')) return "no shape in the header";
  while (!take(c, ')')) {
    if (s->ndim == MAX_DIMS) return "more than 16 dims";
    if (!take_size(c, &s->dim[s->ndim++])) return "a size that is no number, or too large";
    if (take(c, ',')) continue;
    if (!take(c, ')')) return "no shape in the header";
    break;
  }
  return NULL;
}

/* Parses a dtype such as "<f8", which names byte order, kind and number of bytes. */
static const char *parse_descr(npy_header *h) {
  const char *text = h->descr;
  const char *order = strchr("<>=|", text[0]);
  if (!text[0] || !order) return "a dtype that is not supported";
  char kind = text[1];
  char *end;
  long size = text[1] ? strtol(text + 2, &end, 10) : 0;
  if (kind == 'O') return "Python objects, which are not supported";
  if (!size || *end || text[2] < '1' || text[2] > '9') return "a dtype that is not supported";
  h->swapped = size > 1 && *order == (little_endian() ? '>' : '<');
  for (int d = 0; d < DTYPE_COUNT; d++)
    if (dtypes[d].numpy == kind && dtypes[d].size == size) {
      h->dtype = (enum dtype)d;
      return NULL;
    }
  return "a dtype that is not supported";
}

const char *npy_parse(const char *text, size_t length, npy_header *h) {
  cursor c = {text, text + length};
  char key[16];
  const char *wrong = NULL;
  h->descr[0] = 0;
  int seen[3] = {0, 0, 0};
  if (!take(&c, '{')) return "no dict in the header";
  while (!wrong && !take(&c, '}')) {
    if (!take_string(&c, key, sizeof key) || !take(&c, ':')) return "no key in the header where one is expected";
    if (strcmp(key, "descr") == 0) {
      seen[0]++;
      if (!take_string(&c, h->descr, sizeof h->descr)) return "a structured dtype, which is not supported";
      wrong = parse_descr(h);
      if (!wrong) h->descr[0] = 0;
    } else if (strcmp(key, "fortran_order") == 0) {
      seen[1]++;
      h->fortran = take_word(&c, "True");
      if (!h->fortran && !take_word(&c, "False")) return "no fortran_order in the header";
    } else if (strcmp(key, "shape") == 0) {
      seen[2]++;
      wrong = parse_shape(&c, &h->shape);
    } else {
      return "an unknown key in the header";
    }
    if (!wrong && !take(&c, ',') && !(c.at < c.end && *c.at == '}')) return "a header that does not end";
  }
  if (wrong) return wrong;
  skip_space(&c);
  if (c.at != c.end) return "more than a dict in the header";
  return seen[0] == 1 && seen[1] == 1 && seen[2] == 1 ? NULL : "a header without descr, fortran_order and shape, once each";
}

size_t npy_write(char *to, enum dtype d, const shape *s) {
  if (!dtypes[d].numpy) return 0;
  char order = dtype_size(d) == 1 ? '|' : little_endian() ? '<' : '>';
  char *text = to + 10;
  int n = snprintf(text, NPY_WRITTEN - 10, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (", order,
                   dtypes[d].numpy, dtype_size(d));
  for (int k = 0; k < s->ndim; k++)
    n += snprintf(text + n, (size_t)(NPY_WRITTEN - 10 - n), k == 0 ? "%lld," : " %lld,",
                  (long long)s->dim[k]);
  if (s->ndim > 1) n--;                                     /* removes the last comma: (2, 3), but (3,) */
  n += snprintf(text + n, (size_t)(NPY_WRITTEN - 10 - n), "), }");
  while ((10 + n + 1) % 64 != 0) text[n++] = ' ';           /* padding, so that the data begins at a multiple of 64
                                                            ** bytes */
  text[n++] = '\n';
  memcpy(to, magic, 6);
  memcpy(to + 6, (char[]){1, 0, (char)(n & 255), (char)(n >> 8)}, 4);
  return (size_t)(10 + n);
}
