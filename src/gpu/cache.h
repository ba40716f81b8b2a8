#ifndef LT_GPU_CACHE_H
#define LT_GPU_CACHE_H

/* The disk cache of compiled kernels. Each image is a file, which is named by the hash of everything that determines
** the kernel. */

#include "gpu/hash.h"

/* Returns the image for this key, and sets *bytes to its size. The caller frees the image. Returns NULL if the cache
** has no intact image. */
void *cache_read(const uint8_t key[HASH_SIZE], size_t *bytes);

/* Stores an image. An error is ignored. Other processes see either the whole image or no file. */
void cache_write(const uint8_t key[HASH_SIZE], const void *image, size_t bytes);

#endif
