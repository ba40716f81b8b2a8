#ifndef EMULATOR_HALVES_H
#define EMULATOR_HALVES_H

/* Converts half floats (float16 and bfloat16) to float and from float, for the emulated libraries. */

#include <cstdint>
#include <cstring>

static inline float from_bits(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

static inline uint32_t to_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static inline float from_half(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 31) return from_bits(sign | 0x7f800000 | fraction << 13);
  if (exponent) return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
  float f = float(fraction) * 0x1p-24f;
  return sign ? -f : f;
}

/* Rounds to nearest, ties to even. */
static inline uint16_t to_half(float f) {
  uint32_t u = to_bits(f), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
  if (a > 0x7f800000) return uint16_t(sign | 0x7e00);
  if (a >= 0x477ff000) return uint16_t(sign | 0x7c00);
  if (a < 0x38800000) return uint16_t(sign | (to_bits(from_bits(a) + 0.5f) - to_bits(0.5f)));
  a -= 112u << 23;
  return uint16_t(sign | (a + 0xfff + (a >> 13 & 1)) >> 13);
}

static inline float from_bfloat(uint16_t h) { return from_bits(uint32_t(h) << 16); }

static inline uint16_t to_bfloat(float f) {
  uint32_t u = to_bits(f);
  if ((u & 0x7fffffff) > 0x7f800000) return uint16_t(u >> 16 | 0x40);
  return uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

#endif
