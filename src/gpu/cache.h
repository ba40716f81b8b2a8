#ifndef LT_GPU_CACHE_H
#define LT_GPU_CACHE_H

/* Compiled kernels on disk, one file each, named by the hash of everything they are made from. */

#include "gpu/hash.h"

/* The image kept under this key, to be freed; NULL: none that is whole. */
void *cache_read(const uint8_t key[HASH_SIZE], size_t *bytes);

/* Keeps an image where that is possible. Other processes see all of it or nothing. */
void cache_write(const uint8_t key[HASH_SIZE], const void *image, size_t bytes);

#endif
