#ifndef LT_GPU_CACHE_H
#define LT_GPU_CACHE_H

/* Compiled kernels on disk, one file each, named by the hash of everything they are made from. */

#include "gpu/hash.h"

/* The image for this key, to be freed; NULL if there is no intact one. */
void *cache_read(const uint8_t key[HASH_SIZE], size_t *bytes);

/* Stores an image if possible. Other processes see either all of the image or nothing. */
void cache_write(const uint8_t key[HASH_SIZE], const void *image, size_t bytes);

#endif
