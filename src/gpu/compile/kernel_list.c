#include "gpu/compile/kernel_list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/system.h"
#include "gpu/hash.h"

enum { CHECK = 16 };                   /* length of the check sum: hexadecimal digits */

static void check_of(const char *fields, char check[CHECK + 1]) {
  uint8_t digest[HASH_SIZE];
  hash h;
  hash_start(&h);
  hash_text(&h, fields);
  hash_finish(&h, digest);
  for (int i = 0; i < CHECK / 2; i++) snprintf(check + 2 * i, 3, "%02x", digest[i]);
}

/* ---- a kernel as a line ---- */

/* The characters that end a field or a line, and the letters that replace them behind a backslash. */
static const char special[] = "\\\t\n\r", letter[] = "\\tnr";

/* Appends a tab and the escaped text. Returns the new end. The text's size doubles at most. */
static char *add_field(char *to, const char *text) {
  *to++ = '\t';
  for (; *text; text++) {
    const char *at = strchr(special, *text);
    if (at) *to++ = '\\';
    *to++ = at ? letter[at - special] : *text;
  }
  *to = 0;
  return to;
}

/* Replaces the escaped characters of a field in place. Returns false if a backslash is not followed by a known letter. */
static bool unescape(char *field) {
  char *to = field;
  for (const char *from = field; *from; from++) {
    const char *at = *from == '\\' && from[1] ? strchr(letter, from[1]) : NULL;
    if (*from == '\\' && !at) return false;
    if (at) from++;
    *to++ = at ? special[at - letter] : *from;
  }
  *to = 0;
  return true;
}

/* Returns the line of a kernel with a line break, which the caller frees, or NULL if there is no memory. */
static char *line_of(const gpu_source *s, bool script) {
  const char *text = s->text ? s->text : "";
  size_t size = CHECK + 16 + 2 * (strlen(s->file) + strlen(s->entry) + sizeof s->name + strlen(text) + 4);
  char *line = malloc(size + (size_t)s->ndefines * (2 * GPU_DEFINE_SIZE + 1));
  if (!line) return NULL;
  char *end = add_field(line + CHECK, script ? "script" : "own");
  end = add_field(end, s->file);
  end = add_field(end, s->entry);
  end = add_field(end, s->name);
  end = add_field(end, text);
  for (int i = 0; i < s->ndefines; i++) end = add_field(end, s->define[i]);
  char check[CHECK + 1];
  check_of(line + CHECK, check);
  memcpy(line, check, CHECK);
  strcpy(end, "\n");
  return line;
}

/* Ends the field at *at, and moves *at to the next field or to NULL. Returns the field, or NULL if there is none or if it
** is damaged. */
static char *take_field(char **at) {
  char *field = *at, *end = field ? strchr(field, '\t') : NULL;
  if (end) *end++ = 0;
  *at = end;
  return field && unescape(field) ? field : NULL;
}

/* Longer names would not fit into an option of the compiler. */
static bool is_name(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  size_t length = strlen(text);
  return length > 0 && length < GPU_DEFINE_SIZE - 16 && strspn(text, letters) == length;
}

bool kernel_list_read(char *line, gpu_source *s, bool *script) {
  char check[CHECK + 1];
  if (strlen(line) <= CHECK || line[CHECK] != '\t') return false;
  check_of(line + CHECK, check);
  if (memcmp(line, check, CHECK) != 0) return false;
  char *at = line + CHECK + 1, *kind = take_field(&at);
  const char *file = take_field(&at), *entry = take_field(&at), *name = take_field(&at), *text = take_field(&at);
  if (!kind || !file || !entry || !name || !text) return false;
  *script = strcmp(kind, "script") == 0;
  *s = (gpu_source){.file = file, .text = *text ? text : NULL, .entry = entry};
  snprintf(s->name, sizeof s->name, "%s", name);
  for (const char *define; (define = take_field(&at)) && s->ndefines < GPU_DEFINES;)
    snprintf(s->define[s->ndefines++], GPU_DEFINE_SIZE, "%s", define);
  return !at && *file && (*script ? s->text != NULL : is_name(entry));
}

/* ---- the list ---- */

static struct {
  uint64_t *line;                      /* hashes of the lines that this process has written or found */
  size_t    count, size;
} noted;

static uint64_t hash_of(const char *line) {
  uint64_t h = 0;
  sscanf(line, "%16" SCNx64, &h);      /* the check sum */
  return h;
}

static bool is_noted(uint64_t h) {
  for (size_t i = 0; i < noted.count; i++)
    if (noted.line[i] == h) return true;
  return false;
}

static void keep(uint64_t h) {
  uint64_t *list = list_with_room(noted.line, noted.count, &noted.size, sizeof *list);
  if (!list) return;                   /* the line may be written a second time, which does no harm */
  noted.line = list;
  noted.line[noted.count++] = h;
}

/* True if the file begins with the head of a list, or if it is empty. *empty: it is. */
static bool is_list(int file, bool *empty) {
  static const char head[] = KERNEL_LIST_HEAD "\n";
  char first[sizeof head - 1];
  ssize_t n = pread(file, first, sizeof first, 0);
  *empty = n == 0;
  return n == 0 || (n == (ssize_t)sizeof first && memcmp(first, head, sizeof first) == 0);
}

/* Appends a text to the file by one call, so that a reader of the file never sees a part of a line. If the disk is full,
** removes the part that was written. On failure errno says why. */
static bool append(int file, const char *text, size_t bytes) {
  off_t end = lseek(file, 0, SEEK_END);
  if (end < 0 || !system_may_have(file, (uint64_t)end + bytes)) return false;
  ssize_t n = write(file, text, bytes);
  if (n == (ssize_t)bytes) return true;
  int why = n < 0 ? errno : ENOSPC;
  if (n > 0 && ftruncate(file, end) != 0) why = errno;
  errno = why;
  return false;
}

/* Writes the line, after the head if the file is empty. Other processes wait meanwhile. Returns NULL, or why it failed. */
static const char *write_line(int file, const char *line) {
  struct stat s;
  bool empty;
  if (fstat(file, &s) != 0) return strerror(errno);
  if (!S_ISREG(s.st_mode)) return "no regular file";
  while (flock(file, LOCK_EX) != 0 && errno == EINTR) {}
  if (!is_list(file, &empty)) return "the file is no list of kernels of this version of luatensor";
  if (empty && !append(file, KERNEL_LIST_HEAD "\n", sizeof KERNEL_LIST_HEAD)) return strerror(errno);
  return append(file, line, strlen(line)) ? NULL : strerror(errno);
}

int kernel_list_note(gpu *g, const gpu_source *s, bool script) {
  const char *path = getenv("LUATENSOR_KERNELS_LOG");
  if (!path || !*path) return OK;
  char *line = line_of(s, script);
  if (!line) return gpu_fail(g, "out of memory");
  const char *why = NULL;
  if (!is_noted(hash_of(line))) {
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
    why = file < 0 ? strerror(errno) : write_line(file, line);
    if (file >= 0) close(file);        /* also ends the lock */
    if (!why) keep(hash_of(line));
  }
  free(line);
  return why ? gpu_fail(g, "LUATENSOR_KERNELS_LOG=%s: %s", path, why) : OK;
}
