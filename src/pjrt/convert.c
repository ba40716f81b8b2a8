/* Conversions between dtypes by the rules of math/convert.h. */

#include "pjrt/translate.h"

/* Translates a text for a value of dtype `from`, with C = `to`. */
static int converted(emission *e, const char *text, int value, enum dtype from, enum dtype to, const shape *s) {
  static const char *const names[] = {"x"};
  return translate(e, s, text, &(surroundings){to, DT_none, 1, names, (const term[]){term_of(value, from)}}).value;
}

static bool is_half(enum dtype d) { return dtype_is_narrow(d); }
static bool is_integer(enum dtype d) { return dtype_kind(d) == KIND_UINT || dtype_kind(d) == KIND_INT; }

int emit_convert(emission *e, int value, enum dtype from, enum dtype to, const shape *s) {
  bool is_complex = dtype_kind(from) == KIND_COMPLEX, is_float = dtype_kind(from) == KIND_FLOAT;
  enum dtype part = dtype_real(to);
  if (from == to) return value;
  if (to == DT_bool) return converted(e, "x != 0", value, from, to, s);
  if (is_complex && to != part) return converted(e, "make((R)re(x), (R)im(x))", value, from, to, s);
  if (is_complex) return converted(e, "(C)re(x)", value, from, to, s);
  if (to != part) return converted(e, "make((R)x, (R)0)", value, from, to, s);
  if (is_float && is_integer(to))
    return converted(e, is_half(from) ? "(C)(float)x" : "x >= MOST ? MOST : x < LEAST ? LEAST : x != x ? 0 : convert(x)",
                     value, from, to, s);
  return converted(e, "convert(x)", value, from, to, s);
}
