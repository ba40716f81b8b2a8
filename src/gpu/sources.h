#ifndef LT_GPU_SOURCES_H
#define LT_GPU_SOURCES_H

/* Device code as text: embedded by the Makefile, or read from the folder in LUATENSOR_KERNELS. */

typedef struct embedded {
  const char *path;                    /* below src/: "gpu/kernels/map.cuh", "ops.def" */
  const char *text;
} embedded;

extern const embedded embedded_sources[];            /* made by the Makefile; the last entry has NULL */

enum { SOURCES_MOST = 128 };

/* A file and the files that it includes directly or indirectly. The file itself comes first. Names are as in #include
** "…". */
typedef struct source_list {
  int         count;
  const char *name[SOURCES_MOST], *text[SOURCES_MOST];
} source_list;

/* Returns the text of the file with this include name, or NULL. The text is never freed. */
const char *source_find(const char *name);

/* Lists file `name` and the files that it includes. If `text` is not NULL, it replaces the contents of `name`. */
void source_closure(source_list *list, const char *name, const char *text);

#endif
