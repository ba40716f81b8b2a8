#ifndef LT_GPU_HASH_H
#define LT_GPU_HASH_H

/* SHA-256 (FIPS 180-4). The hashes name the files of compiled kernels, and detect damaged files. */

#include <stddef.h>
#include <stdint.h>

enum { HASH_SIZE = 32, HASH_BLOCK = 64 };

typedef struct hash {
  uint32_t state[8];
  uint64_t bytes;                      /* number of bytes hashed so far */
  uint8_t  block[HASH_BLOCK];          /* the last incomplete block */
} hash;

void hash_start(hash *h);
void hash_add(hash *h, const void *data, size_t bytes);
void hash_text(hash *h, const char *text);          /* includes the final zero byte, so that "ab", "c" and "a", "bc"
                                                    ** have different hashes */
void hash_finish(hash *h, uint8_t digest[HASH_SIZE]);

#endif
