#ifndef LT_GPU_HASH_H
#define LT_GPU_HASH_H

/* SHA-256 (FIPS 180-4), for the names of compiled kernels on disk and for their integrity. */

#include <stddef.h>
#include <stdint.h>

enum { HASH_SIZE = 32, HASH_BLOCK = 64 };

typedef struct hash {
  uint32_t state[8];
  uint64_t bytes;                      /* bytes hashed so far */
  uint8_t  block[HASH_BLOCK];          /* the incomplete block */
} hash;

void hash_start(hash *h);
void hash_add(hash *h, const void *data, size_t bytes);
void hash_text(hash *h, const char *text);          /* includes the final 0, so that "ab", "c" differs from "a", "bc" */
void hash_finish(hash *h, uint8_t digest[HASH_SIZE]);

#endif
