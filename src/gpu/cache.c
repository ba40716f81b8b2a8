/* The disk cache of compiled kernels. A file contains a header and an image, which is the compiled code. A file that
** cannot be read, is damaged or belongs to another key is ignored. Files and folders that another user owns or may
** write to are ignored, too, because they could contain another user's kernel. */

#include "gpu/cache.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"

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
** other users. */
static int open_folder(void) {
  char path[SYSTEM_PATH];
  int folder = system_cache_folder(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder < 0 || is_ours(folder)) return folder;
  close(folder);
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

void *cache_read(const uint8_t key[HASH_SIZE], size_t *bytes) {
  char path[SYSTEM_PATH];
  int folder = find_path(key, path) ? open_folder() : -1;
  FILE *f = folder >= 0 ? open_ours(folder, strrchr(path, '/') + 1) : NULL;
  void *image = f ? read_image(f, key, bytes) : NULL;
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

/* A failed write is not an error: the next process that needs the kernel compiles it again. */
void cache_write(const uint8_t key[HASH_SIZE], const void *image, size_t bytes) {
  char path[SYSTEM_PATH], temporary[SYSTEM_PATH];
  if (!system_cache_folder(path)) return;
  system_make_folder(path);
  find_path(key, path);
  int file = system_make_beside(path, false, temporary);
  if (file < 0) return;
  if (!write_image(file, key, image, bytes) || rename(temporary, path) != 0) unlink(temporary);
  close(file);
}
