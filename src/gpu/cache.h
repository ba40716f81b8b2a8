#ifndef LT_GPU_CACHE_H
#define LT_GPU_CACHE_H

/* Compiled kernels on disk, one file each. A file is named by the hash of everything that determines the kernel. */

#include "gpu/hash.h"

/* Returns the image for this key, which the caller frees, or NULL if there is no intact image. */
void *cache_read(const uint8_t key[HASH_SIZE], size_t *bytes);

/* Stores an image if possible. Other processes see either all of the image or nothing. */
void cache_write(const uint8_t key[HASH_SIZE], const void *image, size_t bytes);

#endif
