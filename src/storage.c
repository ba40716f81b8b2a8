#include "storage.h"

#include <stdlib.h>

int storage_wrap(place where, void *ptr, size_t bytes, void (*release)(storage *), void *owner, storage **s) {
  storage *made = calloc(1, sizeof *made);
  if (!made) return ERR_MEMORY;
  made->place = where;
  made->ptr = ptr;
  made->bytes = bytes;
  made->refs = 1;
  made->release = release;
  made->owner = owner;
  *s = made;
  return OK;
}

int storage_new(place where, size_t bytes, storage **s) {
  void *ptr = NULL;
  int st = where.device->alloc(where.index, bytes, &ptr);
  if (st != OK) return st;
  st = storage_wrap(where, ptr, bytes, NULL, NULL, s);
  if (st != OK) where.device->free(where.index, ptr, bytes);
  return st;
}

void storage_retain(storage *s) { s->refs++; }

void storage_drop(storage *s) {
  if (--s->refs > 0) return;
  if (s->release) s->release(s);
  else s->place.device->free(s->place.index, s->ptr, s->bytes);
  free(s->origin);
  free(s);
}
