/* Reads and writes JPEG files by TurboJPEG, the interface of libjpeg-turbo that reports errors by return values. The
** library is found at run time, so that the module needs it neither to be built nor to be loaded. */

#include "io/jpeg.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/system.h"

/* ---- the library ---- */

/* Values of turbojpeg.h, the same in versions 2 and 3. */
enum { PIXELS_RGB = 0, PIXELS_GRAY = 6, PIXELS_CMYK = 11 };
enum { SPACE_RGB, SPACE_YCBCR, SPACE_GRAY, SPACE_CMYK, SPACE_YCCK };
enum { SAMPLES_420 = 2, SAMPLES_GRAY = 3 };
enum { NO_REALLOC = 1024, ACCURATE_DCT = 4096, LIMIT_SCANS = 32768 };
enum { WARNING = 0 };                /* an error after which the pixels are complete, but some may be wrong */

/* The functions, as X(result, name without "tj", parameters). */
#define JPEG_FUNCTIONS(X)                                                                                                  \
  X(void *,        InitDecompress, (void))                                                                                 \
  X(int,           DecompressHeader3, (void *, const unsigned char *, unsigned long, int *, int *, int *, int *))          \
  X(int,           Decompress2, (void *, const unsigned char *, unsigned long, unsigned char *, int, int, int, int, int))  \
  X(void *,        InitCompress, (void))                                                                                   \
  X(int,           Compress2, (void *, const unsigned char *, int, int, int, int, unsigned char **, unsigned long *, int, int, int)) \
  X(unsigned long, BufSize, (int, int, int))                                                                               \
  X(char *,        GetErrorStr2, (void *))                                                                                 \
  X(int,           GetErrorCode, (void *))                                                                                 \
  X(int,           Destroy, (void *))

static struct {
#define FUNCTION_FIELD(result, name, parameters) result (*name) parameters;
  JPEG_FUNCTIONS(FUNCTION_FIELD)
#undef FUNCTION_FIELD
  bool found;
} jpeg;

static const char *const names[] = {"libturbojpeg.so.0", "libturbojpeg.so", "libturbojpeg.0.dylib", NULL};

/* Opens the library. LUATENSOR_JPEG_PATH names its file, or a folder that is searched instead of the loader's path. */
static void *open_library(void) {
  const char *path = getenv("LUATENSOR_JPEG_PATH");
  bool given = path && *path;
  if (given && (strstr(path, ".so") || strstr(path, ".dylib"))) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *library = NULL;
  for (int k = 0; names[k] && !library; k++) {
    char full[SYSTEM_PATH];
    if (snprintf(full, sizeof full, "%s%s%s", given ? path : "", given ? "/" : "", names[k]) < (int)sizeof full)
      library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

static bool find_functions(void *library) {
#define FUNCTION_NAME(result, name, parameters) "tj" #name,
  static const char *const functions[] = {JPEG_FUNCTIONS(FUNCTION_NAME)};
#undef FUNCTION_NAME
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    void *function = dlsym(library, functions[k]);
    if (!function) return false;
    memcpy((char *)&jpeg + k * sizeof function, &function, sizeof function);
  }
  return true;
}

/* Finds the library at the first call that succeeds. Writes the reason if there is none. */
static bool find(char wrong[IMAGE_WORDS]) {
  lock_take(LOCK_LIBRARIES);
  void *library = jpeg.found ? NULL : open_library();
  if (library) jpeg.found = find_functions(library);
  bool found = jpeg.found;
  lock_release(LOCK_LIBRARIES);
  if (found) return true;
  snprintf(wrong, IMAGE_WORDS, library ? "this TurboJPEG is too old or incomplete"
           : "this needs libjpeg-turbo's library libturbojpeg; install libturbojpeg0 (Debian) or libturbojpeg (Ubuntu), or name "
             "the library's folder in LUATENSOR_JPEG_PATH");
  return false;
}

/* ---- reading ---- */

static bool begins(const unsigned char *bytes, size_t n) { return n >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0; }

/* Reads size and colour space. Returns false if the header is damaged. Unusual sampling of colours is no error here, though
** TurboJPEG reports one: it can decompress such files. */
static bool read_header(image_file *f, void *decoder) {
  int width = 0, height = 0, sampling = -1, space = -1;
  int status = jpeg.DecompressHeader3(decoder, f->bytes, f->n, &width, &height, &sampling, &space);
  if (width < 1 || height < 1 || space < 0) return image_wrong(f, "%s", status ? jpeg.GetErrorStr2(decoder) : "damaged: no size");
  f->form = (image_form){.width = width, .height = height, .channels = space == SPACE_GRAY ? 1 : 3, .size = 1};
  f->kind = space;
  return true;
}

static bool is_cmyk(const image_file *f) { return f->kind == SPACE_CMYK || f->kind == SPACE_YCCK; }

/* The most pixels for which a byte stands. A byte has at most 8 Huffman codes, each for one block of 8 × 8 samples. One of
** the colours has samples for at least a quarter of the pixels. */
enum { RATIO = 4 * 8 * 64 };

static bool open_file(image_file *f) {
  if (!find(f->wrong)) return false;
  void *decoder = jpeg.InitDecompress();
  if (!decoder) return image_wrong(f, "out of memory");
  bool read = read_header(f, decoder);
  jpeg.Destroy(decoder);
  if (!read) return false;
  double pixels = (double)f->form.width * (double)f->form.height;
  if (pixels > (double)f->n * RATIO) return image_wrong(f, "truncated: too short for its pixels");
  size_t samples = is_cmyk(f) ? 4 : (size_t)f->form.channels;
  f->buffer = is_cmyk(f) ? (size_t)pixels * samples : 0;
  f->scratch = (double)f->buffer + pixels * (double)(2 * samples);      /* a progressive file's coefficients of 16 bits */
  return true;
}

/* True if the pixels may be used after an error. TurboJPEG reports the first warning as an error, too. */
static bool is_harmless(void *decoder) {
  return jpeg.GetErrorCode(decoder) == WARNING && strstr(jpeg.GetErrorStr2(decoder), "extraneous bytes");
}

/* Converts CMYK, which programs store with 0 as full ink. */
static void convert_cmyk(const image_file *f, const unsigned char *from, unsigned char *to) {
  for (int64_t i = 0; i < f->form.width * f->form.height; i++)
    for (int c = 0; c < 3; c++) to[3 * i + c] = (unsigned char)((from[4 * i + c] * from[4 * i + 3] + 127) / 255);
}

static int read_file(image_file *f, void *pixels, unsigned char *buffer) {
  void *decoder = jpeg.InitDecompress();
  if (!decoder) return ERR_MEMORY;
  unsigned char *to = is_cmyk(f) ? buffer : pixels;
  int format = is_cmyk(f) ? PIXELS_CMYK : f->form.channels == 1 ? PIXELS_GRAY : PIXELS_RGB;
  int status = jpeg.Decompress2(decoder, f->bytes, f->n, to, (int)f->form.width, 0, (int)f->form.height, format, ACCURATE_DCT | LIMIT_SCANS);
  bool good = status == 0 || is_harmless(decoder);
  if (!good) image_wrong(f, "%s", jpeg.GetErrorStr2(decoder));
  jpeg.Destroy(decoder);
  if (good && is_cmyk(f)) convert_cmyk(f, buffer, pixels);
  return good ? OK : IMAGE_BAD;
}

const image_format jpeg_format = {.name = "JPEG", .begins = begins, .open = open_file, .read = read_file};

/* ---- writing ---- */

static int sampling(const image_form *f) { return f->channels == 1 ? SAMPLES_GRAY : SAMPLES_420; }

size_t jpeg_bound(const image_form *f) {
  char wrong[IMAGE_WORDS];
  return find(wrong) ? jpeg.BufSize((int)f->width, (int)f->height, sampling(f)) : 0;
}

int jpeg_write(const image_form *f, const void *pixels, int quality, unsigned char *to, size_t *n, char wrong[IMAGE_WORDS]) {
  if (!find(wrong)) return IMAGE_BAD;
  void *encoder = jpeg.InitCompress();
  if (!encoder) return ERR_MEMORY;
  unsigned long size = jpeg.BufSize((int)f->width, (int)f->height, sampling(f));
  int status = jpeg.Compress2(encoder, pixels, (int)f->width, 0, (int)f->height, f->channels == 1 ? PIXELS_GRAY : PIXELS_RGB, &to,
                              &size, sampling(f), quality, NO_REALLOC | ACCURATE_DCT);
  if (status != 0) snprintf(wrong, IMAGE_WORDS, "%s", jpeg.GetErrorStr2(encoder));
  jpeg.Destroy(encoder);
  *n = size;
  return status == 0 ? OK : IMAGE_BAD;
}
