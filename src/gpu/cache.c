/* The disk cache of compiled kernels. A file contains a header and an image, which is the compiled code. A file that
** cannot be read, is damaged or belongs to another key is ignored. Files and folders that another user owns or may
** write to are ignored, too, because they could contain another user's kernel. */

#include "gpu/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/system.h"
#include "base/text.h"

typedef struct cache_header {
  char     magic[16];
  uint8_t  key[HASH_SIZE];
  uint64_t bytes;                      /* number of bytes of the image */
  uint8_t  check[HASH_SIZE];           /* SHA-256 of the image */
} cache_header;

static const char MAGIC[16] = "luatensor GPU 1";

enum { IMAGE_MOST = 1 << 28 };

/* Sets `path` to the file for this key. The first half of the key is the file's name, in hexadecimal. The file
** contains the whole key. Returns false if there is no cache folder. */
static bool find_path(const uint8_t key[HASH_SIZE], char path[SYSTEM_PATH]) {
  if (!system_cache_folder(path)) return false;
  size_t at = strlen(path);
  path[at++] = '/';
  for (int i = 0; i < HASH_SIZE / 2; i++) at += (size_t)snprintf(path + at, 3, "%02x", key[i]);
  return true;
}

static void check_of(const void *image, size_t bytes, uint8_t check[HASH_SIZE]) {
  hash h;
  hash_start(&h);
  hash_add(&h, image, bytes);
  hash_finish(&h, check);
}

static void *read_image(FILE *f, const uint8_t key[HASH_SIZE], size_t *bytes) {
  cache_header header;
  uint8_t check[HASH_SIZE];
  if (fread(&header, sizeof header, 1, f) != 1 || memcmp(header.magic, MAGIC, sizeof MAGIC) != 0 ||
      memcmp(header.key, key, HASH_SIZE) != 0 || header.bytes == 0 || header.bytes > IMAGE_MOST)
    return NULL;
  char *image = malloc(header.bytes);
  bool whole = image && fread(image, 1, header.bytes, f) == header.bytes && fgetc(f) == EOF;
  if (whole) check_of(image, header.bytes, check);
  if (!whole || memcmp(check, header.check, HASH_SIZE) != 0) {
    free(image);
    return NULL;
  }
  *bytes = header.bytes;
  return image;
}

/* True if the user owns this open file or folder, and neither its group nor others may write to it. */
static bool is_ours(int file) {
  struct stat s;
  return fstat(file, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Opens the cache's folder. Returns -1 if the folder does not exist, belongs to another user, or may be written by
** other users; errno is EPERM in the last two cases. */
static int open_folder(void) {
  char path[SYSTEM_PATH];
  errno = ENOENT;
  int folder = system_cache_folder(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder < 0 || is_ours(folder)) return folder;
  close(folder);
  errno = EPERM;
  return -1;
}

/* Opens a regular file that belongs to this user, or returns NULL. O_NONBLOCK prevents open from blocking on a
** pipe. */
static FILE *open_ours(int folder, const char *name) {
  struct stat s;
  int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  FILE *f = file >= 0 && is_ours(file) && fstat(file, &s) == 0 && S_ISREG(s.st_mode) ? fdopen(file, "rb") : NULL;
  if (file >= 0 && !f) close(file);
  return f;
}

/* Records the use of a file, at most once an hour, because a write costs more than a read. */
static void record_use(int file) {
  enum { HOUR = 3600 };
  struct stat s;
  if (fstat(file, &s) == 0 && time(NULL) - s.st_mtime > HOUR) futimens(file, NULL);
}

void *cache_read(const uint8_t key[HASH_SIZE], size_t *bytes) {
  char path[SYSTEM_PATH];
  int folder = find_path(key, path) ? open_folder() : -1;
  FILE *f = folder >= 0 ? open_ours(folder, strrchr(path, '/') + 1) : NULL;
  void *image = f ? read_image(f, key, bytes) : NULL;
  if (image) record_use(fileno(f));
  if (f) fclose(f);
  if (folder >= 0) close(folder);
  return image;
}

static bool write_all(int file, const void *data, size_t bytes) {
  const char *p = data;
  while (bytes) {
    ssize_t n = write(file, p, bytes);
    if (n <= 0) return false;
    p += n;
    bytes -= (size_t)n;
  }
  return true;
}

static bool write_image(int file, const uint8_t key[HASH_SIZE], const void *image, size_t bytes) {
  cache_header header = {.bytes = bytes};
  memcpy(header.magic, MAGIC, sizeof MAGIC);
  memcpy(header.key, key, HASH_SIZE);
  check_of(image, bytes, header.check);
  return fchmod(file, 0600) == 0 && system_may_have(file, sizeof header + bytes) &&
         write_all(file, &header, sizeof header) && write_all(file, image, bytes);
}

/* ---- trimming ---- */

/* A file of the cache. */
typedef struct entry {
  char     name[HASH_SIZE + 1];
  uint64_t bytes;
  time_t   used;
} entry;

uint64_t cache_most(void) {
  const char *text = getenv("LUATENSOR_CACHE_SIZE");
  size_t bytes;
  return text && text_bytes(text, &bytes) ? bytes : (uint64_t)1 << 30;
}

/* True if the name is that of a kernel's file. */
static bool is_kernel(const char *name) {
  return strspn(name, "0123456789abcdef") == HASH_SIZE && name[HASH_SIZE] == 0;
}

/* Returns a list of the cache's files, which the caller frees. Returns NULL with *count = 0 if there are none. */
static entry *list_files(int folder, size_t *count) {
  entry *list = NULL;
  size_t size = 0;
  struct stat s;
  *count = 0;
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *open = copy >= 0 ? fdopendir(copy) : NULL;
  if (!open && copy >= 0) close(copy);
  for (const struct dirent *e; open && (e = readdir(open));) {
    if (!is_kernel(e->d_name) || fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) continue;
    entry *more = list_with_room(list, *count, &size, sizeof *list);
    if (!more) break;
    list = more;
    entry *to = &list[(*count)++];
    *to = (entry){.bytes = (uint64_t)s.st_size, .used = s.st_mtime};
    memcpy(to->name, e->d_name, HASH_SIZE);
  }
  if (open) closedir(open);
  return list;
}

static uint64_t sum_of(const entry *list, size_t count) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += list[i].bytes;
  return bytes;
}

static int by_use(const void *a, const void *b) {
  time_t s = ((const entry *)a)->used, t = ((const entry *)b)->used;
  return s < t ? -1 : s > t;
}

/* Removes a file if its content is that of a kernel. Otherwise the folder may be used for other files, too. Another process
** may remove or replace the file at the same time: then at worst a kernel is compiled again. */
static bool remove_kernel(int folder, const char *name) {
  char magic[sizeof MAGIC];
  FILE *f = open_ours(folder, name);
  bool ours = f && fread(magic, sizeof magic, 1, f) == 1 && memcmp(magic, MAGIC, sizeof MAGIC) == 0;
  if (f) fclose(f);
  return ours && unlinkat(folder, name, 0) == 0;
}

/* True if another process has removed a file that this process has listed. */
static bool is_gone(int folder, const char *name) {
  struct stat s;
  return fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

bool cache_measure(uint64_t *count, uint64_t *bytes) {
  size_t n;
  int folder = open_folder();
  if (folder < 0) return false;
  entry *list = list_files(folder, &n);
  close(folder);
  *count = n;
  *bytes = sum_of(list, n);
  free(list);
  return true;
}

bool cache_trim(uint64_t most, uint64_t *count, uint64_t *bytes) {
  size_t n;
  int folder = open_folder();
  *count = *bytes = 0;
  if (folder < 0) return false;
  entry *list = list_files(folder, &n);
  uint64_t left = sum_of(list, n);
  if (left > most) qsort(list, n, sizeof *list, by_use);
  for (size_t i = 0; i < n && left > most; i++) {
    bool removed = remove_kernel(folder, list[i].name);
    if (removed || is_gone(folder, list[i].name)) left -= list[i].bytes;
    if (!removed) continue;
    *bytes += list[i].bytes;
    ++*count;
  }
  close(folder);
  free(list);
  return true;
}

/* Trims the cache after the first write of a process and after every 32nd. Trimming reads the folder, which takes 5 ms
** for 5000 files, and compiling a kernel takes 100 ms. Below the limit, an eighth remains free for the next writes. */
static void trim_sometimes(void) {
  enum { EVERY = 32 };
  static atomic_uint writes;
  uint64_t count, bytes, most = cache_most();
  if (atomic_fetch_add(&writes, 1) % EVERY != 0) return;
  if (cache_measure(&count, &bytes) && bytes > most) cache_trim(most - most / 8, &count, &bytes);
}

/* ---- storing ---- */

/* Writes a new file, and gives the file its name. On failure errno says why. */
static bool store(const char *path, const uint8_t key[HASH_SIZE], const void *image, size_t bytes) {
  char temporary[SYSTEM_PATH];
  int file = system_make_beside(path, false, temporary);
  if (file < 0) return false;
  bool stored = write_image(file, key, image, bytes) && rename(temporary, path) == 0;
  int why = errno;
  if (!stored) unlink(temporary);
  close(file);
  errno = why;
  return stored;
}

/* A launch ignores the result: the next process that needs the kernel compiles it again. */
bool cache_write(const uint8_t key[HASH_SIZE], const void *image, size_t bytes) {
  char path[SYSTEM_PATH];
  errno = ENOENT;
  if (!system_cache_folder(path)) return false;
  system_make_folder(path);
  find_path(key, path);
  if (!store(path, key, image, bytes)) return false;
  trim_sometimes();
  return true;
}
