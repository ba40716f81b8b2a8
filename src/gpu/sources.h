#ifndef LT_GPU_SOURCES_H
#define LT_GPU_SOURCES_H

/* Device code as text: embedded by the Makefile, or read from the folder that LUATENSOR_KERNELS names. */

#include <stddef.h>

typedef struct embedded {
  const char *path;                    /* below src/: "gpu/kernels/map.cuh", "ops.def" */
  const char *text;
} embedded;

extern const embedded embedded_sources[];            /* ended by NULL; made by the Makefile */

enum { SOURCES_MOST = 128 };

/* The files that one includes, directly or not, itself first; names are as in #include "…". */
typedef struct source_list {
  int         count;
  const char *name[SOURCES_MOST], *text[SOURCES_MOST];
} source_list;

/* The text of the file that is included by this name; NULL: there is none. Stays where it is. */
const char *source_find(const char *name);

/* `text` stands for the file `name` where it is not NULL. */
void source_closure(source_list *list, const char *name, const char *text);

#endif
