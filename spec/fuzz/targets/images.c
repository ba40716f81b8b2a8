#include "images.h"

#include <stdlib.h>
#include <string.h>

/* Checks the form of an accepted header. */
static void check(const image_file *f) {
  const image_form *form = &f->form;
  if (form->width < 1 || form->height < 1 || form->channels < 1 || form->channels > 4 || form->size < 1 || form->size > 2) abort();
  if (f->scratch < (double)f->buffer) abort();
}

static void read_pixels(const image_format *format, image_file *f, int channels) {
  enum { MOST = 4 << 20 };
  int most = channels > f->form.channels ? channels : f->form.channels;
  double bytes = (double)f->form.width * (double)f->form.height * f->form.size * most;
  if (bytes + f->scratch > MOST) return;
  unsigned char *pixels = malloc((size_t)bytes), *buffer = malloc(f->buffer);
  if (pixels && buffer && format->read(f, pixels, buffer) == OK) image_convert(&f->form, channels, pixels);
  free(pixels);
  free(buffer);
}

void images_try(const image_format *format, const unsigned char *data, size_t n) {
  if (n == 0) return;
  unsigned char *bytes = malloc(n);              /* exactly this size, so that a read beyond the end is detected */
  image_file f = {.bytes = bytes, .n = n};
  if (bytes) memcpy(bytes, data, n);
  if (bytes && format->begins(bytes, n) && format->open(&f)) {
    check(&f);
    read_pixels(format, &f, 1 + data[n - 1] % 4);
  }
  free(bytes);
}
