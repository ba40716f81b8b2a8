#ifndef LT_CPU_LIMITS_H
#define LT_CPU_LIMITS_H

/* The measuring loops of one ISA. Sizes are in bytes; memory is aligned to 64. */

#include <stddef.h>
#include <stdint.h>

typedef struct limits_table {
  int vector;                                /* bytes of a vector */
  int chains;                                /* independent FMAs in a round */
  double   (*compute_float)(int64_t rounds);
  double   (*compute_double)(int64_t rounds);
  uint64_t (*read)(size_t bytes, const void *from, int64_t times);
  void     (*copy)(size_t bytes, void *to, const void *from);
} limits_table;

#endif
