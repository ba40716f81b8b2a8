#ifndef LT_BASE_RANDOM_H
#define LT_BASE_RANDOM_H

/* Random numbers from a counter: Philox 4×32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
** 2011). This file also defines which random words become element i of a tensor. All devices share this file, which
** is plain C without headers.
**
** Each counter value yields four words of 32 bits. A tensor uses consecutive counter values, beginning with `offset`,
** in runs of RANDOM_RUN values. Within a run the tensor uses all first words, then all second words, and so on.
**    32-bit draws: element i has word (i % 64) / 16 of counter offset + i / 64 * 16 + i % 16
**    64-bit draws: element i has words 2w, 2w + 1 (low half first), w = (i % 32) / 16,
**                  of counter offset + i / 32 * 16 + i % 16
** This order lets vectors and warps store neighbouring elements together. Normals take two draws for two elements
** (Box–Muller): in each group of 32 elements, elements i and i + 16 share their draws. */

enum { RANDOM_RUN = 16, PHILOX_ROUNDS = 10 };

static const unsigned int PHILOX_M0 = 0xD2511F53u, PHILOX_M1 = 0xCD9E8D57u;   /* multipliers of the rounds */
static const unsigned int PHILOX_W0 = 0x9E3779B9u, PHILOX_W1 = 0xBB67AE85u;   /* added to the key in each round */

/* Returns the number of counters that `count` elements use. wide: each element uses 64 bits. */
static inline unsigned long long random_counters(unsigned long long count, int wide) {
  unsigned long long run = wide ? 2 * RANDOM_RUN : 4 * RANDOM_RUN;
  return (count + run - 1) / run * RANDOM_RUN;
}

#endif
