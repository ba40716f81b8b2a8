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

/* A function that calls `columns` for the step of a row of ops.def. */
typedef void NAME(columns_of)(int64_t rows, int64_t n, const void *x, int64_t stride, TOTAL *acc, const MEAN *means);

/* An unsigned integer as wide as TOTAL, so that a comparison gives a mask for vectors of TOTAL. */
typedef __typeof__(_Generic((char (*)[sizeof(TOTAL)])0, char (*)[1]: (uint8_t)0, char (*)[2]: (uint16_t)0,
                            char (*)[4]: (uint32_t)0, default: (uint64_t)0)) NAME(index);

/* Sets lane[k] to `none` with X[k] folded into it for k < rest, and to `none` for the other k < count. `count` is a
** compile-time constant greater than `rest`. With AVX-512 the elements are loaded through masks. */
INLINE void NAME(begin)(TOTAL step(TOTAL, TAKEN, MEAN), NAME(columns_of) columns, int64_t count, TOTAL none, int64_t rest,
                        const ELEMENT *X, TOTAL *lane, const MEAN *means) {
#ifdef __AVX512F__
  ELEMENT x[LANE_BYTES];
  #pragma omp simd
  for (int64_t k = 0; k < count; k++) x[k] = (NAME(index))k < (NAME(index))rest ? X[k] : (ELEMENT)0;
  #pragma omp simd
  for (int64_t k = 0; k < count; k++) {
    TOTAL a = step(none, (TAKEN)x[k], means ? means[k] : 0);
    lane[k] = (NAME(index))k < (NAME(index))rest ? a : none;
  }
  (void)columns;
#else
  for (int64_t k = 0; k < count; k++) lane[k] = none;
  if (rest) columns(1, rest, X, 0, lane, means);
  (void)step;
#endif
}

/* If count >= n, merges the second half of the n accumulators into the first half. `count` and n are compile-time
** constants, so that the accumulators stay in registers. */
INLINE void NAME(halve)(TOTAL join(TOTAL, TOTAL), int64_t count, int64_t n, TOTAL *lane) {
  if (count >= n) NAME(merge)(join, n / 2, lane, lane + n / 2);
}

/* Folds the n elements of a row into one accumulator. The row is read as a matrix with `count` columns, and each column has
** an accumulator, whose initial value is `none`. The last, unfinished row of the matrix is folded first. Then the second half
** of the accumulators is merged into the first half, until one accumulator is left. `count` is a compile-time constant.
** The numbers means[0 … LANES - 1] must be equal; `means` may be NULL. */
INLINE TOTAL NAME(row_by)(TOTAL step(TOTAL, TAKEN, MEAN), TOTAL join(TOTAL, TOTAL), NAME(columns_of) columns, int64_t count,
                          TOTAL none, int64_t n, const ELEMENT *X, const MEAN *means) {
  TOTAL lane[LANE_BYTES];
  int64_t rest = n % count;
  NAME(begin)(step, columns, count, none, rest, X + n - rest, lane, means);
  NAME(lanes)(step, n / count, count, X, lane, means);
  NAME(halve)(join, count, 256, lane), NAME(halve)(join, count, 128, lane);
  NAME(halve)(join, count, 64, lane), NAME(halve)(join, count, 32, lane);
  NAME(halve)(join, count, 16, lane), NAME(halve)(join, count, 8, lane);
  NAME(halve)(join, count, 4, lane), NAME(halve)(join, count, 2, lane);
  return lane[0];
}

INLINE TOTAL NAME(row)(TOTAL step(TOTAL, TAKEN, MEAN), TOTAL join(TOTAL, TOTAL), NAME(columns_of) columns, TOTAL none, int64_t n,
                       const ELEMENT *X, const MEAN *means) {
  enum { MANY_LANES = LANE_BYTES / sizeof(TOTAL) };
  if (n >= 4 * MANY_LANES) return NAME(row_by)(step, join, columns, MANY_LANES, none, n, X, means);
  return NAME(row_by)(step, join, columns, FEW_LANES, none, n, X, means);
}

/* Folds the n elements of each row, which begin `stride` elements apart, into the row's accumulator. */
INLINE void NAME(fold_rows)(TOTAL join(TOTAL, TOTAL), TOTAL row(int64_t, const void *, const MEAN *), int64_t rows, int64_t n,
                            const ELEMENT *X, int64_t stride, TOTAL *acc) {
  for (int64_t r = 0; r < rows; r++) acc[r] = join(acc[r], row(n, X + r * stride, NULL));
}

#undef NAME
#undef ELEMENT
#undef TAKEN
#undef TOTAL
#undef MEAN
