/* Sorts pairs in passes over 8 bits of the key: three kernels each, see kernels/sort.cuh. */

#include "sort.h"

#include <stdio.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, THREADS = DIGITS, SCAN_THREADS = 1024 };

/* Pairs that a block deals: as in kernels/sort.cuh. */
static int64_t tile_of(const gpu_sort *s) { return THREADS * 64 / (s->key_bits / 8); }

int gpu_sort_kernel(gpu *g, const char *entry, int number, int key_bits, int value_bits, const gpu_kernel **k) {
  uint64_t key = GPU_KEY(GPU_SORT, number, key_bits, value_bits, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source source = {.file = "sort.cuh", .entry = entry};
  gpu_define(&source, "KEY_BITS=%d", key_bits);
  gpu_define(&source, "VALUE_BITS=%d", value_bits);
  snprintf(source.name, sizeof source.name, "sort %s", entry);
  return gpu_build(g, key, &source, k);
}

/* From buffers `from` to the other ones. counts: [DIGITS][tiles], then a total a digit. */
static int run_pass(gpu *g, const gpu_sort *s, const gpu_kernel *const k[3], int from, int shift, char *counts) {
  uint64_t n = (uint64_t)s->n, tiles = (uint64_t)((s->n + tile_of(s) - 1) / tile_of(s));
  bool numbered = s->positions && shift == s->first_bit;
  const void *keys = s->keys[from], *values = numbered ? NULL : s->values[from];
  void *keys_out = s->keys[!from], *values_out = s->values[!from];
  void *totals = counts + tiles * DIGITS * (uint64_t)s->value_bits / 8;
  int st = gpu_launch(g, k[0], (unsigned)tiles, THREADS, 0, (void *[]){&keys, &n, &shift, &counts});
  if (st == OK) st = gpu_launch(g, k[1], DIGITS, SCAN_THREADS, 0, (void *[]){&counts, &tiles, &totals});
  if (st == OK)
    st = gpu_launch(g, k[2], (unsigned)tiles, THREADS, 0,
                    (void *[]){&keys, &values, &keys_out, &values_out, &n, &shift, &counts, &totals});
  return st;
}

int gpu_sort_pairs(gpu *g, const gpu_sort *s, int *at) {
  static const char *const entries[3] = {"count_digits", "scan_rows", "deal"};
  const gpu_kernel *k[3];
  int st = OK, from = 0, end = s->first_bit + s->bits;
  for (int i = 0; i < 3 && st == OK; i++) st = gpu_sort_kernel(g, entries[i], i, s->key_bits, s->value_bits, &k[i]);
  if (st != OK) return st;
  int64_t tiles = (s->n + tile_of(s) - 1) / tile_of(s);
  size_t bytes = (size_t)(tiles + 1) * DIGITS * (size_t)s->value_bits / 8;
  void *counts;
  st = gpu_scratch(g, bytes, &counts);
  if (st != OK) return st;
  for (int shift = s->first_bit; st == OK && (shift < end || shift == s->first_bit); shift += DIGIT_BITS, from = !from)
    st = run_pass(g, s, k, from, shift, counts);
  gpu_scratch_free(g, counts, bytes);
  *at = from;
  return st;
}
