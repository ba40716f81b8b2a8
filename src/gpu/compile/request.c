/* Compiles kernels by a vendor's run-time compiler. A kernel is compiled from a unit, which is a source file with a set of
** defines and, except on the emulator, the name of the kernel. */

#include "gpu/compile/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the sources and options ---- */

static void add_option(request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_option(request *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->option[r->noptions++], REQUEST_OPTION_SIZE, format, arguments);
  va_end(arguments);
}

/* Sets the options that all compilations share. */
static void start(request *r, const request_for *target, const gpu_source *s) {
  r->target = target;
  r->what = s->name;
  r->file = s->file;
  r->script = NULL;
  r->noptions = 0;
  add_option(r, "--gpu-architecture=%s", target->target.name);
  for (const char *const *o = target->vendor->options; *o; o++) add_option(r, "%s", *o);
  add_option(r, "%s", target->vendor->no_fma);           /* turns off automatic FMA, because results must have the same
                                                         ** bits as on the CPU; sources request FMA explicitly */
}

static void set_key(request *r) {
  const int *compiler = &r->target->vendor->versions.compiler;
  hash h;
  hash_start(&h);
  hash_add(&h, compiler, sizeof *compiler);
  hash_text(&h, r->file);
  for (int i = 0; i < r->noptions; i++) hash_text(&h, r->option[i]);
  for (int i = 0; i < r->sources.count; i++) {
    hash_text(&h, r->sources.name[i]);
    hash_text(&h, r->sources.text[i]);
  }
  hash_finish(&h, r->key);
}

int request_own(request *r, const request_for *target, const gpu_source *s) {
  start(r, target, s);
  add_option(r, "-DLANES=%d", target->lanes);
  if (!target->vendor->versions.emulated) {      /* the emulator compiles a file with four kernels as fast as one of them */
    add_option(r, "-DONE_ENTRY");
    add_option(r, "-DENTRY_%s=~,KERNEL_ENTRY", s->entry);
  }
  for (int i = 0; i < s->ndefines; i++) add_option(r, "-D%s", s->define[i]);
  source_closure(&r->sources, s->file, s->text);
  if (!r->sources.text[0]) return ERR_DEVICE;
  set_key(r);
  return OK;
}

/* Returns a script's text with the lines that the compiler needs before it. hipRTC's messages use the text's name only
** because of the #line. */
static char *start_text(const gpu_vendor *v, const char *text, const char *name) {
  size_t bytes = strlen(v->text_start) + strlen(name) + strlen(text) + 16;
  char *whole = malloc(bytes);
  if (whole) snprintf(whole, bytes, "%s#line 1 \"%s\"\n%s", v->text_start, name, text);
  return whole;
}

int request_script(request *r, const request_for *target, const gpu_source *s) {
  start(r, target, s);
  r->script = start_text(target->vendor, s->text, s->file);
  if (!r->script) return ERR_MEMORY;
  source_closure(&r->sources, s->file, r->script);
  if (r->sources.count > 1) add_option(r, "-DLANES=%d", target->lanes);          /* luatensor's files are included */
  set_key(r);
  return OK;
}

void request_free(request *r) {
  free(r->script);
  r->script = NULL;
}

/* ---- the compiler ---- */

/* Returns the compiler's messages as a string that the caller frees. Returns NULL if there are no messages. */
static char *read_log(const gpu_rtc *rtc, rtc_program p) {
  size_t bytes = 0;
  if (rtc->log_size(p, &bytes) != RTC_SUCCESS || bytes < 2) return NULL;
  char *text = malloc(bytes + 1);
  if (!text) return NULL;
  text[bytes] = 0;
  if (rtc->log(p, text) == RTC_SUCCESS) return text;
  free(text);
  return NULL;
}

/* Returns the compiled image, which the caller frees. The image is a binary, or a text that ends with the zero byte that
** the driver requires. Returns NULL on failure. */
static void *read_image(const request *r, rtc_program p, size_t *bytes) {
  const gpu_rtc *rtc = &r->target->vendor->rtc;
  bool text = r->target->target.is_text;
  if ((text ? rtc->text_size : rtc->binary_size)(p, bytes) != RTC_SUCCESS || *bytes == 0) return NULL;
  char *image = malloc(*bytes);
  if (image && (text ? rtc->text : rtc->binary)(p, image) == RTC_SUCCESS) return image;
  free(image);
  return NULL;
}

/* Writes why a compilation failed. The text contains only the first 480 bytes of the compiler's messages. The first
** errors are enough, because luatensor's own kernels compile unless someone has edited their files. */
static void *fail(const request *r, rtc_result result, const char *log, char reason[REQUEST_REASON]) {
  enum { LOG_MOST = 480 };
  const char *words = log ? log : r->target->vendor->rtc.error_text(result);
  size_t length = strlen(words), most = length < LOG_MOST ? length : LOG_MOST;
  while (most && words[most - 1] == '\n') most--;
  snprintf(reason, REQUEST_REASON, "compiling %s (%s): %.*s", r->what, r->file, (int)most, words);
  return NULL;
}

void *request_compile(const request *r, size_t *bytes, char **log, char reason[REQUEST_REASON]) {
  const gpu_rtc *rtc = &r->target->vendor->rtc;
  const char *options[REQUEST_OPTIONS];
  rtc_program p = NULL;
  *log = NULL;
  for (int i = 0; i < r->noptions; i++) options[i] = r->option[i];
  rtc_result result = rtc->create(&p, r->sources.text[0], r->file, r->sources.count - 1, r->sources.text + 1,
                                  r->sources.name + 1);
  if (result != RTC_SUCCESS) return fail(r, result, NULL, reason);
  result = rtc->compile(p, r->noptions, options);
  *log = result == RTC_SUCCESS ? NULL : read_log(rtc, p);
  void *image = result == RTC_SUCCESS ? read_image(r, p, bytes) : NULL;
  rtc->destroy(&p);
  return image ? image : fail(r, result, *log, reason);
}
