/* Scans (cumulative sums and similar ops) of elements of dtype D with accumulators of type TOTAL. The names of the
** functions end in the name of TOTAL. */

#define NAME(name) ISA_PASTE(name, TOTAL)
#define ELEMENT    ISA_PASTE(SAME, D)
#define RESULT     NAME(GIVES)

/* Scans `lines` lines side by side; `lines` is a compile-time constant. carry[k] is the accumulator of line k, before
** and after the call. */
INLINE void NAME(lines)(TOTAL step(TOTAL, ELEMENT), int64_t lines, const line_tile *t, const ELEMENT *X, RESULT *OUT, TOTAL *carry) {
  TOTAL at[LINES];
  for (int64_t k = 0; k < lines; k++) at[k] = carry[k];
  for (int64_t i = 0; i < t->n; i++)
    for (int64_t k = 0; k < lines; k++)
      OUT[k * t->out_line + i] = (RESULT)(at[k] = step(at[k], X[k * t->x_line + i]));
  for (int64_t k = 0; k < lines; k++) carry[k] = at[k];
}

INLINE void NAME(rows)(TOTAL step(TOTAL, ELEMENT), const line_tile *t, TOTAL *carry) {
  const ELEMENT *X = t->x;
  RESULT *OUT = t->out;
  int64_t k = 0;
  for (; k + LINES <= t->lines; k += LINES)
    NAME(lines)(step, LINES, t, X + k * t->x_line, OUT + k * t->out_line, carry + k);
  for (; k < t->lines; k++) NAME(lines)(step, 1, t, X + k * t->x_line, OUT + k * t->out_line, carry + k);
}

INLINE void NAME(columns)(TOTAL step(TOTAL, ELEMENT), const line_tile *t, TOTAL *carry) {
  for (int64_t i = 0; i < t->n; i++) {
    const ELEMENT *X = (const ELEMENT *)t->x + i * t->x_step;
    RESULT *OUT = (RESULT *)t->out + i * t->out_step;
    #pragma omp simd
    for (int64_t j = 0; j < t->lines; j++) OUT[j] = (RESULT)(carry[j] = step(carry[j], X[j]));
  }
}

INLINE void NAME(scan)(TOTAL step(TOTAL, ELEMENT), const line_tile *t, TOTAL *carry) {
  if (t->x_step == 1 && t->out_step == 1) NAME(rows)(step, t, carry);
  else NAME(columns)(step, t, carry);
}

OUTLINE void NAME(put)(int64_t n, const void *carry, void *out, int64_t out_line) {
  for (int64_t j = 0; j < n; j++) ((RESULT *)out)[j * out_line] = (RESULT)((const TOTAL *)carry)[j];
}

#undef NAME
#undef ELEMENT
#undef RESULT
#undef TOTAL
