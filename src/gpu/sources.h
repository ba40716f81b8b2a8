#ifndef LT_GPU_SOURCES_H
#define LT_GPU_SOURCES_H

/* Device code as text: embedded by the Makefile, or read from the folder in LUATENSOR_KERNELS. */

typedef struct embedded {
  const char *path;                    /* below src/: "gpu/kernels/map.cuh", "ops.def" */
  const char *text;
} embedded;

extern const embedded embedded_sources[];            /* ended by NULL; made by the Makefile */

enum { SOURCES_MOST = 128 };

/* A file and the files that it includes, directly or not; the file itself comes first. Names are as in #include "…". */
typedef struct source_list {
  int         count;
  const char *name[SOURCES_MOST], *text[SOURCES_MOST];
} source_list;

/* The text of the file with this include name, or NULL. It stays valid. */
const char *source_find(const char *name);

/* If `text` is not NULL, it replaces the contents of file `name`. */
void source_closure(source_list *list, const char *name, const char *text);

#endif
