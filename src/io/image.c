#include "io/image.h"

#include <stdarg.h>
#include <stdio.h>

bool image_wrong(image_file *f, const char *words, ...) {
  va_list list;
  va_start(list, words);
  vsnprintf(f->wrong, sizeof f->wrong, words, list);
  va_end(list);
  return false;
}

/* ---- channels ---- */

static unsigned sample(const image_form *f, const void *pixels, int64_t i) {
  return f->size == 1 ? ((const uint8_t *)pixels)[i] : ((const uint16_t *)pixels)[i];
}

static void set_sample(const image_form *f, void *pixels, int64_t i, unsigned value) {
  if (f->size == 1) ((uint8_t *)pixels)[i] = (uint8_t)value;
  else ((uint16_t *)pixels)[i] = (uint16_t)value;
}

/* Converts pixel i. All its samples are read before one is written. */
static void convert_pixel(const image_form *f, int channels, void *pixels, int64_t i) {
  int has = f->channels;
  bool coloured = has >= 3;
  unsigned most = f->size == 1 ? UINT8_MAX : UINT16_MAX, in[4] = {0};
  for (int c = 0; c < has; c++) in[c] = sample(f, pixels, i * has + c);
  unsigned alpha = has == 2 ? in[1] : has == 4 ? in[3] : most;
  unsigned gray = coloured ? (unsigned)((19595ull * in[0] + 38470ull * in[1] + 7471ull * in[2] + 32768) >> 16) : in[0];
  for (int c = 0; c < channels; c++) {
    bool last = c == channels - 1 && channels % 2 == 0;
    set_sample(f, pixels, i * channels + c, last ? alpha : channels < 3 || !coloured ? gray : in[c]);
  }
}

void image_convert(image_form *f, int channels, void *pixels) {
  int64_t n = f->width * f->height;
  if (channels > f->channels)
    for (int64_t i = n - 1; i >= 0; i--) convert_pixel(f, channels, pixels, i);
  else if (channels < f->channels)
    for (int64_t i = 0; i < n; i++) convert_pixel(f, channels, pixels, i);
  f->channels = channels;
}
