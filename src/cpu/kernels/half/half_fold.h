/* Loops that fold half floats into accumulators of type TOTAL. The names of the functions end in the name of TOTAL. A
** step folds HALVES adjacent elements into as many accumulators. The first `n` accumulators of an unfinished vector are
** copied, so that the same step folds the last elements. */

#define NAME(name) ISA_PASTE(name, TOTAL)

typedef void NAME(half_step)(TOTAL *acc, const uint16_t *X);
typedef TOTAL NAME(half_join)(TOTAL a, TOTAL b);

/* Folds n < HALVES elements into acc[0 … n - 1]. */
INLINE void NAME(fold_few)(NAME(half_step) step, int64_t n, const uint16_t *X, TOTAL *acc) {
  uint16_t few[HALVES] = {0};
  TOTAL part[HALVES] = {0};
  memcpy(few, X, (size_t)n * sizeof *X);
  memcpy(part, acc, (size_t)n * sizeof *acc);
  step(part, few);
  memcpy(acc, part, (size_t)n * sizeof *acc);
}

/* Returns the fold of a row of n >= HALF_FOLD elements, in the order of `row` in fold_loops.h. */
INLINE TOTAL NAME(fold_row)(NAME(half_step) step, NAME(half_join) join, TOTAL none, int64_t n, const uint16_t *X) {
  enum { MANY = LANE_BYTES / sizeof(TOTAL) };
  TOTAL lane[MANY], part[MANY];              /* `part` has constant indices only, so that it stays in registers */
  int64_t whole = n - n % MANY, i = whole, j = 0;
  for (int k = 0; k < MANY; k++) lane[k] = none;
  for (; i + HALVES <= n; i += HALVES, j += HALVES) step(lane + j, X + i);
  if (i < n) NAME(fold_few)(step, n - i, X + i, lane + j);
  memcpy(part, lane, sizeof part);
  for (i = 0; i < whole; i += MANY)
    for (int k = 0; k < MANY; k += HALVES) step(part + k, X + i + k);
  memcpy(lane, part, sizeof part);
  for (int w = MANY / 2; w > 0; w /= 2)
    for (int k = 0; k < w; k++) lane[k] = join(lane[k], lane[k + w]);
  return lane[0];
}

/* Folds each row of n elements, which begin `stride` elements apart, into the row's accumulator. */
INLINE void NAME(fold_rows)(NAME(half_step) step, NAME(half_join) join, TOTAL none, int64_t rows, int64_t n, const uint16_t *X,
                            int64_t stride, TOTAL *acc) {
  for (int64_t r = 0; r < rows; r++) acc[r] = join(acc[r], NAME(fold_row)(step, join, none, n, X + r * stride));
}

/* Folds up to PASS_ROWS rows into HALVES accumulators, which stay in registers. */
INLINE void NAME(fold_block)(NAME(half_step) step, int64_t rows, const uint16_t *X, int64_t stride, TOTAL *acc) {
  TOTAL part[HALVES];
  memcpy(part, acc, sizeof part);
  if (rows == PASS_ROWS)
    for (int r = 0; r < PASS_ROWS; r++) step(part, X + r * stride);
  else
    for (int64_t r = 0; r < rows; r++) step(part, X + r * stride);
  memcpy(acc, part, sizeof part);
}

/* Folds rows of n elements, which begin `stride` elements apart, into acc[0 … n - 1]. */
INLINE void NAME(fold_columns)(NAME(half_step) step, int64_t rows, int64_t n, const uint16_t *X, int64_t stride, TOTAL *acc) {
  for (int64_t some; rows > 0; rows -= some, X += some * stride) {
    int64_t j = 0;
    some = rows < PASS_ROWS ? rows : PASS_ROWS;
    for (; j + HALVES <= n; j += HALVES) NAME(fold_block)(step, some, X + j, stride, acc + j);
    for (int64_t r = 0; r < some && j < n; r++) NAME(fold_few)(step, n - j, X + r * stride + j, acc + j);
  }
}

#undef NAME
#undef TOTAL
