#ifndef LT_CPU_LIMITS_H
#define LT_CPU_LIMITS_H

/* The loops by which limits.c measures the processor. The loops are compiled for each ISA. The memory that they read
** and write is aligned to 64 bytes. */

#include <stddef.h>
#include <stdint.h>

typedef struct limits_table {
  int vector;                                /* the size in bytes of a vector register */
  int chains;                                /* the number of independent FMAs of a round, each on one vector */
  double   (*compute_float)(int64_t rounds);
  double   (*compute_double)(int64_t rounds);
  uint64_t (*read)(size_t bytes, const void *from, int64_t times);
  void     (*copy)(size_t bytes, void *to, const void *from);
} limits_table;

#endif
