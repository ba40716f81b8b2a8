/* The element-wise rows of ops.def and conversions as lines of StableHLO. */

#include "pjrt/translate.h"

static const struct {
  const char *text;
  enum dtype_class dtypes;
  enum op_result   result;
  int  nin;
  bool selects;
} rows[OP_COUNT] = {
#define ROW(name, dtypes, result, expr, nin, selects) [OP_##name] = {#expr, CLASS_##dtypes, RESULT_##result, nin, selects},
#define UNARY(name, dtypes, result, expr, doc)      ROW(name, dtypes, result, expr, 1, false)
#define BINARY(name, dtypes, result, expr, doc)     ROW(name, dtypes, result, expr, 2, false)
#define TERNARY(name, dtypes, result, expr, doc)    ROW(name, dtypes, result, expr, 3, false)
#define SELECT(name, dtypes, result, expr, doc)     ROW(name, dtypes, result, expr, 3, true)
#define QUATERNARY(name, dtypes, result, expr, doc) ROW(name, dtypes, result, expr, 4, false)
#include "ops.def"
};

int emit_map(emission *e, enum map_op op, enum dtype compute, const shape *s, const int *in, enum dtype *gives) {
  static const char *const names[MAX_ARITY] = {"x", "y", "z", "w"};
  const emission before = *e;
  term terms[MAX_ARITY];
  if (!dtype_in_class(compute, rows[op].dtypes)) return EMIT_NONE;
  for (int k = 0; k < rows[op].nin; k++) terms[k] = term_of(in[k], k == 0 && rows[op].selects ? DT_bool : compute);
  term t = translate(e, s, rows[op].text, &(surroundings){compute, DT_none, rows[op].nin, names, terms});
  *gives = result_dtype(rows[op].result, compute);
  return emit_settle(e, &before, term_as(e, s, t, *gives).value);
}
