/* Finds the source texts from which a kernel is compiled: the kernel's file and all included files. */

#include "gpu/sources.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if #include "name" refers to the file with this path. The name is either a file name without folders or a path
** relative to src/. */
static bool is_called(const char *path, const char *name) {
  size_t whole = strlen(path), length = strlen(name);
  if (length > whole || strcmp(path + whole - length, name) != 0) return false;
  return length == whole || path[whole - length - 1] == '/';
}

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  char *text = NULL;
  long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  if (size >= 0 && fseek(f, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
  if (text) text[fread(text, 1, (size_t)size, f)] = 0;
  fclose(f);
  return text;
}

/* Reads the file with this path relative to src/. `folder` may be src, the root of the repository, or a folder that
** contains the files without subfolders. Returns NULL if there is no such file. The caller frees the text. */
static char *read_from(const char *folder, const char *path) {
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  char file[3][1024];
  snprintf(file[0], sizeof file[0], "%s/%s", folder, path);
  snprintf(file[1], sizeof file[1], "%s/src/%s", folder, path);
  snprintf(file[2], sizeof file[2], "%s/%s", folder, base);
  char *text = NULL;
  for (int i = 0; i < 3 && !text; i++) text = read_file(file[i]);
  return text;
}

/* Returns the text of file i: from the folder LUATENSOR_KERNELS if it contains the file, otherwise the embedded text.
** A file is read only once, so that all kernels are compiled from the same text. The caller must hold the lock of the
** GPUs. */
static const char *text_of(int i) {
  static char *own[SOURCES_MOST];
  static bool asked[SOURCES_MOST];
  const char *folder = getenv("LUATENSOR_KERNELS");
  if (folder && *folder && i < SOURCES_MOST && !asked[i]) {
    asked[i] = true;
    own[i] = read_from(folder, embedded_sources[i].path);
  }
  return i < SOURCES_MOST && own[i] ? own[i] : embedded_sources[i].text;
}

const char *source_find(const char *name) {
  for (int i = 0; embedded_sources[i].path; i++)
    if (is_called(embedded_sources[i].path, name)) return text_of(i);
  return NULL;
}

/* Copies the name from a line `#include "name"` to `name`, which has `size` bytes. Returns false if the line is no
** such directive or the name is too long. */
static bool included_name(const char *line, char *name, size_t size) {
  line += strspn(line, " \t");
  if (*line++ != '#') return false;
  line += strspn(line, " \t");
  if (strncmp(line, "include", 7) != 0) return false;
  line += 7 + strspn(line + 7, " \t");
  if (*line++ != '"') return false;
  size_t length = strcspn(line, "\"\n");
  if (line[length] != '"' || length >= size) return false;
  memcpy(name, line, length);
  name[length] = 0;
  return true;
}

static bool listed(const source_list *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->name[i], name) == 0) return true;
  return false;
}

/* Returns the end of an embedded path that equals `name`, or NULL. Unlike `name`, the result remains valid until the
** process ends. */
static const char *lasting_name(const char *name) {
  for (int i = 0; embedded_sources[i].path; i++) {
    const char *path = embedded_sources[i].path;
    if (is_called(path, name)) return path + strlen(path) - strlen(name);
  }
  return NULL;
}

static void add_source(source_list *list, const char *name, const char *text) {
  if (list->count == SOURCES_MOST) return;
  list->name[list->count] = name;
  list->text[list->count++] = text;
}

void source_closure(source_list *list, const char *name, const char *text) {
  list->count = 0;
  add_source(list, name, text ? text : source_find(name));
  for (int i = 0; i < list->count; i++)
    for (const char *line = list->text[i]; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
      char found[128];
      if (!included_name(line, found, sizeof found)) continue;
      const char *lasting = lasting_name(found);
      if (lasting && !listed(list, lasting)) add_source(list, lasting, source_find(lasting));
    }
}
