/* Functions that write images. lua/luatensor/io/images.lua calls them. */

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

static const function_row functions[] = {{"encode_png", l_encode_png, INTERNAL}, {NULL, NULL, 0}};

void open_image(lua_State *L) { add_functions(L, functions); }
