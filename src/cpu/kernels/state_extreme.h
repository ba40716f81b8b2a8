/* The accumulator (state) of the reductions `largest` and `smallest` for dtype D: the first extreme element and its
** position. Both reductions pass a function beats(x, best), which is true if x must replace the best element so far. */

#define NAME(name) ISA_PASTE(name, D)
#define ELEMENT ISA_PASTE(SAME, D)
#define STATE   NAME(extreme)

typedef struct STATE { int64_t position; ELEMENT value; } STATE;

INLINE void NAME(extreme_init)(int64_t n, void *acc) {
  for (int64_t j = 0; j < n; j++) ((STATE *)acc)[j] = (STATE){-1, 0};
}

INLINE void NAME(extreme_take)(bool beats(ELEMENT, ELEMENT), STATE *a, int64_t position, ELEMENT value) {
  if (a->position < 0 || beats(value, a->value)) *a = (STATE){position, value};
}

INLINE void NAME(extreme_merge)(bool beats(ELEMENT, ELEMENT), int64_t n, STATE *acc, const STATE *later) {
  for (int64_t j = 0; j < n; j++)
    if (later[j].position >= 0) NAME(extreme_take)(beats, acc + j, later[j].position, later[j].value);
}

INLINE bool NAME(differ)(ELEMENT x, ELEMENT y) { return x != y; }     /* differ(x, x) is true if x is NaN */

/* True if `some` elements, a compile-time constant, contain v, or NaN if v is NaN. */
INLINE bool NAME(contain)(int64_t some, const ELEMENT *X, ELEMENT v, bool nan) {
  NAME(FLAG) hit = 0;
  for (int64_t k = 0; k < some; k++) hit |= (NAME(FLAG))((X[k] == v) | (nan & NAME(differ)(X[k], X[k])));
  return hit;
}

/* Returns the position of the first element equal to v, or of the first NaN if v is NaN. X must contain such an
** element. */
OUTLINE int64_t NAME(find)(int64_t n, const ELEMENT *X, ELEMENT v) {
  int64_t i = 0;
  bool nan = NAME(differ)(v, v);
  while (i + FIND <= n && !NAME(contain)(FIND, X + i, v, nan)) i += FIND;
  while (i + FIND_LAST <= n && !NAME(contain)(FIND_LAST, X + i, v, nan)) i += FIND_LAST;
  while (X[i] != v && !(nan && NAME(differ)(X[i], X[i]))) i++;
  return i;
}

INLINE void NAME(extreme_fold)(bool beats(ELEMENT, ELEMENT), ELEMENT best, int64_t n, const ELEMENT *x, int64_t first, STATE *a) {
  if (a->position < 0 || beats(best, a->value)) *a = (STATE){first + NAME(find)(n, x, best), best};
}

INLINE void NAME(extreme_tile)(bool beats(ELEMENT, ELEMENT), const ELEMENT *X, int64_t h, int64_t w, int64_t stride, int64_t first,
                               STATE *acc) {
  ELEMENT best[TILE_COLUMNS];
  NAME(FLAG) row[TILE_COLUMNS] = {0};
  memcpy(best, X, (size_t)w * sizeof(ELEMENT));
  for (int64_t r = 1; r < h; r++)
    for (int64_t j = 0; j < w; j++) {
      ELEMENT x = X[r * stride + j], v = best[j];
      best[j] = beats(x, v) ? x : v;
      row[j] = beats(x, v) ? (NAME(FLAG))r : row[j];
    }
  for (int64_t j = 0; j < w; j++) NAME(extreme_take)(beats, acc + j, first + (int64_t)row[j], best[j]);
}

#undef NAME
#undef ELEMENT
#undef STATE
#undef D
