#ifndef LT_BASE_RANDOM_H
#define LT_BASE_RANDOM_H

/* Random numbers from a counter: Philox 4×32-10 (Salmon et al., "Parallel random numbers: as easy as
** 1, 2, 3", SC 2011), and which of its words element i of a tensor is made from. Shared by every
** device: plain C without headers.
**
** A counter gives four words of 32 bits. A tensor takes counters in runs of RANDOM_RUN from its
** offset on, and a run's words row by row: all first words, all second words and so on.
**   32-bit draws: element i has word (i % 64) / 16 of counter offset + i / 64 * 16 + i % 16
**   64-bit draws: element i has words 2w, 2w + 1 (low half first), w = (i % 32) / 16,
**                 of counter offset + i / 32 * 16 + i % 16
** so that vectors and warps store neighbours together. Normals take two draws for two elements
** (Box–Muller): elements i and i + 16 of a stretch of 32 share theirs. */

enum { RANDOM_RUN = 16, PHILOX_ROUNDS = 10 };

static const unsigned int PHILOX_M0 = 0xD2511F53u, PHILOX_M1 = 0xCD9E8D57u;   /* multipliers */
static const unsigned int PHILOX_W0 = 0x9E3779B9u, PHILOX_W1 = 0xBB67AE85u;   /* steps of the key */

/* Counters that `count` elements use up; wide: 64-bit draws. */
static inline unsigned long long random_counters(unsigned long long count, int wide) {
  unsigned long long run = wide ? 2 * RANDOM_RUN : 4 * RANDOM_RUN;
  return (count + run - 1) / run * RANDOM_RUN;
}

#endif
