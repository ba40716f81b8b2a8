/* The element-wise rows of ops.def as lines of StableHLO. */

#include "pjrt/translate.h"

static const struct {
  const char *text;
  enum dtype_class dtypes;
  enum op_result   result;
} rows[OP_COUNT] = {
#define ROW(name, dtypes, result, expr, doc) [OP_##name] = {#expr, CLASS_##dtypes, RESULT_##result},
#define UNARY      ROW
#define BINARY     ROW
#define TERNARY    ROW
#define SELECT     ROW
#define QUATERNARY ROW
#include "ops.def"
};

term emit_map(emission *e, enum map_op op, enum dtype compute, const shape *s, const term *in) {
  if (!dtype_in_class(compute, rows[op].dtypes)) emit_fail(e, ERR_NO_KERNEL);
  term t = emit_formula(e, &(formula){s, 0, compute, DT_none, rows[op].text, "x y z w"}, in);
  return term_as(e, s, t, result_dtype(rows[op].result, compute));
}
