/* Loops that fold elements into accumulators of type TOTAL. The names of the functions end in the name of TOTAL.
** Elements have type ELEMENT in memory. If TAKEN is defined, elements are converted to this type for the step of a
** row of ops.def. `means` has one number of type MEAN for each column, which the step may use. If `means` is NULL,
** the step gets 0. */

#define NAME(name) ISA_PASTE(name, TOTAL)
#ifndef TAKEN
#define TAKEN ELEMENT
#endif
#ifndef MEAN
#define MEAN double
#endif

/* Folds x[r][j] of every row r into acc[j], for j < n. The accumulators are independent of each other, so every
** compiler vectorises the loop for any `step`. A pass folds four or two rows, which saves loads and stores of acc. */
INLINE void NAME(columns)(TOTAL step(TOTAL, TAKEN, MEAN), int64_t rows, int64_t n, const ELEMENT *X, int64_t stride, TOTAL *acc,
                          const MEAN *means) {
  for (; rows >= 4; rows -= 4, X += 4 * stride) {
    int64_t done = 0;
    for (; IS_WIDENED(ELEMENT, TAKEN) && !means && done + WIDENED <= n; done += WIDENED) {
      const ELEMENT *Y = X + stride, *Z = Y + stride, *W = Z + stride;
      TAKEN x[WIDENED], y[WIDENED], z[WIDENED], w[WIDENED];
      widen(WIDENED, (void *)x, (const void *)(X + done)), widen(WIDENED, (void *)y, (const void *)(Y + done));
      widen(WIDENED, (void *)z, (const void *)(Z + done)), widen(WIDENED, (void *)w, (const void *)(W + done));
      for (int64_t k = 0, j = done; k < WIDENED; k++, j++)
        acc[j] = step(step(step(step(acc[j], x[k], 0), y[k], 0), z[k], 0), w[k], 0);
    }
    #pragma omp simd
    for (int64_t j = done; j < n; j++) {
      const MEAN m = means ? means[j] : 0;
      TOTAL a = step(step(acc[j], (TAKEN)X[j], m), (TAKEN)X[stride + j], m);
      acc[j] = step(step(a, (TAKEN)X[2 * stride + j], m), (TAKEN)X[3 * stride + j], m);
    }
  }
  for (; rows >= 2; rows -= 2, X += 2 * stride) {
    #pragma omp simd
    for (int64_t j = 0; j < n; j++) {
      const MEAN m = means ? means[j] : 0;
      acc[j] = step(step(acc[j], (TAKEN)X[j], m), (TAKEN)X[stride + j], m);
    }
  }
  if (rows == 0) return;
  #pragma omp simd
  for (int64_t j = 0; j < n; j++) acc[j] = step(acc[j], (TAKEN)X[j], means ? means[j] : 0);
}

/* Like columns, for n <= LANES columns without gaps between rows. n is a compile-time constant. */
INLINE void NAME(lanes)(TOTAL step(TOTAL, TAKEN, MEAN), int64_t rows, int64_t n, const ELEMENT *X, TOTAL *lane, const MEAN *means) {
  for (int64_t r = 0; r < rows; r++, X += n) {
    TAKEN x[LANES];
    if (IS_WIDENED(ELEMENT, TAKEN)) widen(n, (void *)x, (const void *)X);
    for (int64_t j = 0; j < n; j++)
      lane[j] = step(lane[j], IS_WIDENED(ELEMENT, TAKEN) ? x[j] : (TAKEN)X[j], means ? means[j] : 0);
  }
}

INLINE void NAME(merge)(TOTAL join(TOTAL, TOTAL), int64_t n, TOTAL *acc, const TOTAL *later) {
  for (int64_t j = 0; j < n; j++) acc[j] = join(acc[j], later[j]);
}

/* If count >= n, merges the second half of the n accumulators into the first half. `count` and n are compile-time
** constants, so that the accumulators stay in registers. */
INLINE void NAME(halve)(TOTAL join(TOTAL, TOTAL), int64_t count, int64_t n, TOTAL *lane) {
  if (count >= n) NAME(merge)(join, n / 2, lane, lane + n / 2);
}

/* Folds the n elements of a row into one accumulator. The row is read as a matrix with one accumulator for each
** column; the initial value of the accumulators is `none`. Then the second half of the accumulators is merged into
** the first half, until one accumulator is left. The numbers means[0 … LANES - 1] must be equal; `means` may be
** NULL. */
INLINE TOTAL NAME(row)(TOTAL step(TOTAL, TAKEN, MEAN), TOTAL join(TOTAL, TOTAL),
                       void columns(int64_t, int64_t, const void *, int64_t, TOTAL *, const MEAN *),
                       TOTAL none, int64_t n, const ELEMENT *X, const MEAN *means) {
  enum { MANY_LANES = LANE_BYTES / sizeof(TOTAL) };
  TOTAL lane[MANY_LANES];
  bool is_long = n >= 4 * MANY_LANES;
  int64_t count = is_long ? MANY_LANES : FEW_LANES, rest = n % count;
  for (int64_t k = 0; k < count; k++) lane[k] = none;
  if (is_long) NAME(lanes)(step, n / MANY_LANES, MANY_LANES, X, lane, means);
  else NAME(columns)(step, n / FEW_LANES, FEW_LANES, X, FEW_LANES, lane, means);
  if (rest) columns(1, rest, X + n - rest, 0, lane, means);
  if (is_long) {
    NAME(halve)(join, MANY_LANES, 256, lane), NAME(halve)(join, MANY_LANES, 128, lane);
    NAME(halve)(join, MANY_LANES, 64, lane), NAME(halve)(join, MANY_LANES, 32, lane);
  }
  NAME(halve)(join, FEW_LANES, 16, lane), NAME(halve)(join, FEW_LANES, 8, lane);
  NAME(halve)(join, FEW_LANES, 4, lane), NAME(halve)(join, FEW_LANES, 2, lane);
  return lane[0];
}

#undef NAME
#undef ELEMENT
#undef TAKEN
#undef TOTAL
#undef MEAN
