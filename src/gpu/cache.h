#ifndef LT_GPU_CACHE_H
#define LT_GPU_CACHE_H

/* The disk cache of compiled kernels. Each image is a file, which is named by the hash of everything that determines
** the kernel. The file's time of modification is the time of its last use, to the hour. */

#include <stdbool.h>

#include "gpu/hash.h"

/* Returns the image for this key, and sets *bytes to its size. The caller frees the image. Returns NULL if the cache
** has no intact image. */
void *cache_read(const uint8_t key[HASH_SIZE], size_t *bytes);

/* Stores an image. Returns false if this failed; errno says why. Other processes see either the whole image or no file.
** Sometimes also trims the cache to cache_most() bytes. */
bool cache_write(const uint8_t key[HASH_SIZE], const void *image, size_t bytes);

/* Returns the most bytes that the files of the cache may have: LUATENSOR_CACHE_SIZE, by default 1 GiB. */
uint64_t cache_most(void);

/* Sets *count and *bytes to the number and the size of the cache's files. Returns false if the folder is missing or not
** used; errno says why, and is EPERM if other users own the folder or may write to it. */
bool cache_measure(uint64_t *count, uint64_t *bytes);

/* Removes the files that were not used for the longest time, until the others have at most `most` bytes. Sets *count and
** *bytes to those of the removed files. Returns false like cache_measure. */
bool cache_trim(uint64_t most, uint64_t *count, uint64_t *bytes);

#endif
