/* Functions that fold elements of D, a real floating-point dtype, into the accumulators `moments` and `logsum`. state.h
** includes this file once for each dtype. */

#define NAME(name) ISA_PASTE(name, D)
#define REAL       NAME(SAME)

static void NAME(moments_line)(int64_t n, const void *x, int64_t first, void *acc) {
  double mean[LANES], at = NAME(total_row)(n, x, NULL) / (double)n;
  for (int64_t k = 0; k < LANES; k++) mean[k] = at;
  moments b = {(double)n, at, NAME(spread_row)(n, x, mean)};
  moments_merge(1, acc, &b);
  (void)first;
}

static void NAME(moments_tile)(const void *x, int64_t h, int64_t w, int64_t stride, int64_t first, void *acc) {
  moments *a = acc;
  double mean[TILE_COLUMNS] = {0}, m2[TILE_COLUMNS] = {0};
  NAME(total_columns)(h, w, x, stride, mean, NULL);
  for (int64_t j = 0; j < w; j++) mean[j] /= (double)h;
  NAME(spread_columns)(h, w, x, stride, m2, mean);
  for (int64_t j = 0; j < w; j++) a[j] = moments_join(a[j], (moments){(double)h, mean[j], m2[j]});
  (void)first;
}

static void NAME(logsum_line)(int64_t n, const void *x, int64_t first, void *acc) {
  REAL max = NAME(top_row)(n, x, NULL), shift[LANES];
  for (int64_t k = 0; k < LANES; k++) shift[k] = (REAL)logsum_shift((double)max);
  logsum b = {(double)max, NAME(expsum_row)(n, x, shift)};
  logsum_merge(1, acc, &b);
  (void)first;
}

static void NAME(logsum_tile)(const void *x, int64_t h, int64_t w, int64_t stride, int64_t first, void *acc) {
  const REAL *X = x;
  logsum *a = acc;
  REAL max[TILE_COLUMNS], shift[TILE_COLUMNS] = {0};
  double sum[TILE_COLUMNS] = {0};
  memcpy(max, X, (size_t)w * sizeof(REAL));
  NAME(top_columns)(h - 1, w, X + stride, stride, max, NULL);
  for (int64_t j = 0; j < w; j++) shift[j] = (REAL)logsum_shift((double)max[j]);
  NAME(expsum_columns)(h, w, X, stride, sum, shift);
  for (int64_t j = 0; j < w; j++) a[j] = logsum_join(a[j], (logsum){(double)max[j], sum[j]});
  (void)first;
}

#undef NAME
#undef REAL
#undef D
