/* Functions that read and write images. lua/luatensor/io/images.lua calls them. */

#include "io/jpeg.h"
#include "io/png.h"
#include "lua/args.h"
#include "lua/register.h"
#include "op/host.h"

/* Returns tensor 1, whose pixels are [height, width, channels], and its form. */
static const tensor *check_pixels(lua_State *L, const char *fn, image_form *f) {
  const tensor *t = check_tensor(L, 1, fn);
  const int64_t *dim = t->shape.dim, most = INT32_MAX;
  bool fits = t->shape.ndim == 3 && dim[0] > 0 && dim[1] > 0 && dim[2] > 0 && dim[2] <= 4;
  if (!fits || dim[0] > most || dim[1] > most || (t->dtype != DT_uint8 && t->dtype != DT_uint16))
    luaL_error(L, "%s: no image: %s %s", fn, push_shape(L, &t->shape), dtypes[t->dtype].name);
  *f = (image_form){.width = dim[1], .height = dim[0], .channels = (int)dim[2], .size = dtype_size(t->dtype)};
  return t;
}

/* Raises an error if `times` times the bytes of the pixels are not available. A broadcast view may have more pixels than a
** size_t can count. */
static void check_room(lua_State *L, const char *fn, const image_form *f, double times) {
  const char *no_room = push_no_room(L, times * (double)f->width * (double)f->height * f->channels * f->size);
  if (no_room) luaL_error(L, "%s: %s", fn, no_room);
}

/* encode_png(x): returns the bytes of a PNG file. */
static int l_encode_png(lua_State *L) {
  enum { COPIES = 3 };                 /* the pixels, the file's bytes in a buffer, and the same bytes as a string */
  image_form f;
  const tensor *t = check_pixels(L, "save", &f);
  check_room(L, "save", &f, COPIES);
  size_t bytes = image_bytes(&f), bound = png_bound(&f), n = 0;
  int st;
  void *pixels = lua_newuserdatauv(L, bytes, 0);
  unsigned char *scratch = lua_newuserdatauv(L, png_scratch(&f), 0);
  TRY(L, t->store->place, st, host_read(t, t->dtype, pixels));
  luaL_Buffer b;
  unsigned char *to = (unsigned char *)luaL_buffinitsize(L, &b, bound);
  if (st == OK) TRY(L, host_place(), st, png_write(&f, pixels, to, &n, scratch));
  if (st != OK) return raise(L, "save", st, &t, 1);
  luaL_pushresultsize(&b, n);
  return 1;
}

/* encode_jpeg(x, quality): returns the bytes of a JPEG file. */
static int l_encode_jpeg(lua_State *L) {
  enum { COPIES = 3 };
  image_form f;
  char wrong[IMAGE_WORDS];
  const tensor *t = check_pixels(L, "save", &f);
  int quality = (int)luaL_checkinteger(L, 2), st;
  if (f.channels % 2 == 0 || f.size != 1) return luaL_error(L, "save: JPEG has gray and RGB images of uint8 alone");
  if (f.width > JPEG_LONGEST || f.height > JPEG_LONGEST)
    return luaL_error(L, "save: JPEG has at most %d pixels in a row or a column", JPEG_LONGEST);
  check_room(L, "save", &f, COPIES);
  size_t n = 0, bound = jpeg_bound(&f);
  void *pixels = lua_newuserdatauv(L, image_bytes(&f), 0);
  TRY(L, t->store->place, st, host_read(t, t->dtype, pixels));
  luaL_Buffer b;
  unsigned char *to = (unsigned char *)luaL_buffinitsize(L, &b, bound);
  if (st == OK) st = jpeg_write(&f, pixels, quality, to, &n, wrong);
  if (st == IMAGE_BAD) return luaL_error(L, "save: %s", wrong);
  if (st != OK) return raise(L, "save", st, &t, 1);
  luaL_pushresultsize(&b, n);
  return 1;
}

/* ---- reading ---- */

static const image_format *const formats[] = {&png_format, &jpeg_format, &netpbm_format};

/* Returns the format of a file that begins with these bytes, or NULL. */
static const image_format *find_format(const char *bytes, size_t n) {
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
    if (formats[k]->begins((const unsigned char *)bytes, n)) return formats[k];
  return NULL;
}

/* Raises an error unless there is memory for the tensor, for pixels of so many channels, and for the reader. */
static void check_reading(lua_State *L, const char *path, const image_file *f, int channels) {
  double samples = (double)f->form.width * (double)f->form.height * f->form.size;
  int most = channels > f->form.channels ? channels : f->form.channels;
  const char *no_room = push_no_room(L, samples * (channels + most) + f->scratch);
  if (no_room) luaL_error(L, "load: %s: %d × %d pixels: %s", path, (int)f->form.width, (int)f->form.height, no_room);
}

/* Pushes the tensor [channels, height, width] of an image's pixels. */
static void push_image(lua_State *L, const image_form *f, const void *pixels, place where) {
  shape s = {.ndim = 3, .dim = {f->channels, f->height, f->width}};
  enum dtype d = f->size == 1 ? DT_uint8 : DT_uint16;
  tensor *t = push_tensor(L, "load", d, &s, where), by_pixel = *t;
  by_pixel.shape = (shape){.ndim = 3, .dim = {f->height, f->width, f->channels}};
  for (int k = 0; k < 3; k++) by_pixel.stride[k] = t->stride[(k + 1) % 3];
  int st;
  TRY(L, where, st, host_write(&by_pixel, d, pixels));
  if (st != OK) raise(L, "load", st, (const tensor *const *)&t, 1);
}

/* decode_image(bytes, path, channels, device): returns the image in the bytes of a file, with so many channels, or with the
** file's own for 0. Returns nothing if the bytes are no image. The path is for errors. */
static int l_decode_image(lua_State *L) {
  image_file f = {.n = 0};
  const char *bytes = luaL_checklstring(L, 1, &f.n);
  f.bytes = (const unsigned char *)bytes;
  const char *path = luaL_checkstring(L, 2);
  int channels = (int)luaL_checkinteger(L, 3);
  place where = arg_place(L, 4, "load");
  const image_format *format = find_format(bytes, f.n);
  if (!format) return 0;
  if (!format->open(&f)) return luaL_error(L, "load: %s: %s: %s", path, format->name, f.wrong);
  if (channels == 0) channels = f.form.channels;
  check_reading(L, path, &f, channels);
  int most = channels > f.form.channels ? channels : f.form.channels, st;
  void *pixels = lua_newuserdatauv(L, image_bytes(&f.form) / (size_t)f.form.channels * (size_t)most, 0);
  unsigned char *buffer = lua_newuserdatauv(L, f.buffer, 0);
  WATCHED(L, st, format->read(&f, pixels, buffer));
  if (st == IMAGE_BAD) return luaL_error(L, "load: %s: %s: %s", path, format->name, f.wrong);
  if (st != OK) return raise(L, "load", st, NULL, 0);
  image_convert(&f.form, channels, pixels);
  push_image(L, &f.form, pixels, where);
  return finish_op(L, false);
}

/* is_image(bytes): true if a file with these first bytes is an image. */
static int l_is_image(lua_State *L) {
  size_t n;
  const char *bytes = luaL_checklstring(L, 1, &n);
  lua_pushboolean(L, find_format(bytes, n) != NULL);
  return 1;
}

static const function_row functions[] = {
  {"encode_png", l_encode_png, INTERNAL}, {"encode_jpeg", l_encode_jpeg, OUTSIDE}, {"decode_image", l_decode_image, OUTSIDE},
  {"is_image", l_is_image, INTERNAL}, {NULL, NULL, 0}
};

void open_image(lua_State *L) { add_functions(L, functions); }
