#ifndef LT_BASE_GROW_H
#define LT_BASE_GROW_H

#include <stdlib.h>

/* Makes room for one more element in a list of `count` elements of `size` bytes, which malloc has allocated or which is
** NULL. A full list doubles its capacity. Returns the list, which may have moved. Returns NULL if memory is exhausted; then
** the list is unchanged. */
static inline void *list_with_room(void *list, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return list;
  size_t more = *capacity ? 2 * *capacity : 32;
  void *moved = realloc(list, more * size);
  if (moved) *capacity = more;
  return moved;
}

#endif
