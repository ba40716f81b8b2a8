#include "pjrt/translate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- names and terms ---- */

enum { MOST_DEFINITIONS = 8 };

/* An expression that is being read. */
typedef struct reader {
  emission    *e;
  const shape *shape;                  /* of all values */
  const surroundings *around;
  const char  *at;                     /* the next character of the expression */
  int          count;                  /* the names that the expression has defined */
  struct { const char *text; int length; term term; } defined[MOST_DEFINITIONS];
} reader;

static bool refused(const reader *s) { return s->e->refused; }

static term refuse(reader *s) {
  s->e->refused = true;
  return term_of(0, s->around->C);
}

static void define(reader *s, const char *text, int length, term t) {
  if (s->count == MOST_DEFINITIONS) {
    s->e->refused = true;
    return;
  }
  s->defined[s->count].text = text;
  s->defined[s->count].length = length;
  s->defined[s->count++].term = t;
}

static bool is_number(const term *t) { return t->dtype == DT_none; }

term term_as(emission *e, const shape *s, term t, enum dtype d) {
  if (e->refused || t.dtype == d) return t;
  if (is_number(&t)) return term_of(emit_constant(e, d, s, t.number), d);
  return term_of(emit_convert(e, t.value, t.dtype, d, s), d);
}

static term as(reader *s, term t, enum dtype d) { return term_as(s->e, s->shape, t, d); }

/* Converts both terms to the dtype of their operation: a number to the other term's dtype, bool to any other dtype. */
static enum dtype match(reader *s, term *a, term *b) {
  enum dtype d = !is_number(a) && (a->dtype != DT_bool || is_number(b)) ? a->dtype : is_number(b) ? s->around->C : b->dtype;
  enum dtype other = is_number(b) ? d : b->dtype;
  if (other != d && other != DT_bool) s->e->refused = true;
  *a = as(s, *a, d);
  *b = as(s, *b, d);
  return d;
}

/* ---- lines ---- */

static term simple(reader *s, const char *op, int count, const term *in) {
  int values[MAX_ARITY];
  for (int k = 0; k < count; k++) values[k] = in[k].value;
  return refused(s) ? refuse(s) : term_of(emit_simple(s->e, op, count, values, in[0].dtype, s->shape), in[0].dtype);
}

/* Appends a line whose result may have another dtype than the operands. `op` ends in a space or in a comma and a space. Types
** of CHLO's ops have no brackets. */
static term typed(reader *s, const char *op, int count, const term *in, enum dtype gives) {
  emission *e = s->e;
  bool is_companion = *op == 'c';
  if (refused(s)) return refuse(s);
  emit(e, "%%%d = %s", e->next, op);
  for (int k = 0; k < count; k++) emit(e, "%s%%%d", k ? ", " : "", in[k].value);
  for (int k = 0; k < count; k++) {
    emit(e, k ? ", " : is_companion ? " : " : " : (");
    emit_type(e, in[k].dtype, s->shape);
  }
  emit(e, is_companion ? " -> " : ") -> ");
  emit_type(e, gives, s->shape);
  emit(e, "\n");
  return term_of(e->next++, gives);
}

static term compare(reader *s, const char *op, term a, term b) {
  match(s, &a, &b);
  return typed(s, op, 2, (term[]){a, b}, DT_bool);
}

static term truth(reader *s, term t) { return t.dtype == DT_bool ? t : compare(s, "stablehlo.compare NE, ", t, term_integer(0)); }

static term choose(reader *s, term test, term a, term b) {
  enum dtype d = match(s, &a, &b);
  test = truth(s, test);
  if (refused(s)) return refuse(s);
  emission *e = s->e;
  emit(e, "%%%d = stablehlo.select %%%d, %%%d, %%%d : ", e->next, test.value, a.value, b.value);
  emit_type(e, DT_bool, s->shape);
  emit(e, ", ");
  emit_type(e, d, s->shape);
  emit(e, "\n");
  return term_of(e->next++, d);
}

/* ---- dtypes by name ---- */

static const enum dtype integers[2][9] = {{[1] = DT_uint8, [2] = DT_uint16, [4] = DT_uint32, [8] = DT_uint64},
                                          {[1] = DT_int8, [2] = DT_int16, [4] = DT_int32, [8] = DT_int64}};
static enum dtype unsigned_dtype(enum dtype d) { return integers[0][dtype_size(dtype_real(d))]; }
static enum dtype signed_dtype(enum dtype d)   { return integers[1][dtype_size(dtype_real(d))]; }

static bool same_word(const char *text, int length, const char *word) {
  return strlen(word) == (size_t)length && memcmp(text, word, (size_t)length) == 0;
}

/* Returns the dtype that an expression calls by a name, or DT_none. */
static enum dtype dtype_called(const reader *s, const char *text, int length) {
  if (same_word(text, length, "C")) return s->around->C;
  if (same_word(text, length, "A")) return s->around->A;
  if (same_word(text, length, "U")) return unsigned_dtype(s->around->C);
  if (same_word(text, length, "I")) return signed_dtype(s->around->C);
  if (same_word(text, length, "R")) return dtype_real(s->around->C);
  if (same_word(text, length, "float")) return DT_float32;
  return DT_none;
}

/* Returns a number with different values as a float and as an integer. */
static term number_of(double f, int64_t i) { return (term){EMIT_NONE, DT_none, {.f = f, .i = i}}; }

/* Returns the least or the largest value of dtype d, as a number. */
static term limit(enum dtype d, bool most) {
  int bits = 8 * dtype_size(d), kind = dtype_kind(d);
  if (kind == KIND_FLOAT) return number_of(most ? (double)INFINITY : -(double)INFINITY, 0);
  if (kind == KIND_UINT) return most ? number_of(ldexp(1, bits) - 1, bits < 64 ? ((int64_t)1 << bits) - 1 : -1) : term_integer(0);
  int64_t least = bits < 64 ? -((int64_t)1 << (bits - 1)) : INT64_MIN;
  return most ? number_of(ldexp(1, bits - 1) - 1, -(least + 1)) : number_of(-ldexp(1, bits - 1), least);
}

/* ---- functions ---- */

enum { CLASS_OF_BOOL = 1, CLASS_OF_UINT = 2, CLASS_OF_INT = 4, CLASS_OF_FLOAT32 = 8, CLASS_OF_FLOAT64 = 16,
       CLASS_OF_HALF = 32, CLASS_OF_COMPLEX = 64 };
enum { ROWS_BOOL = 1, ROWS_UNSIGNED = 2, ROWS_SIGNED = 4, ROWS_INTEGER = 6, ROWS_BITS = 7, ROWS_FLOAT32 = 8, ROWS_FLOAT64 = 16,
       ROWS_REAL = 56, ROWS_COMPLEX = 64, ROWS_ANY = 127 };

static const struct function {
  const char *name;
  int         rows;                    /* a sum of CLASS_OF_… */
  const char *text;
} functions[] = {
#define FUNCTION(name, dtypes, expr) {#name, ROWS_##dtypes, #expr},
#include "pjrt/functions.def"
};

static int class_of(enum dtype d) {
  switch (dtype_kind(d)) {
    case KIND_BOOL: return CLASS_OF_BOOL;
    case KIND_UINT: return CLASS_OF_UINT;
    case KIND_INT: return CLASS_OF_INT;
    case KIND_COMPLEX: return CLASS_OF_COMPLEX;
    default: return d == DT_float32 ? CLASS_OF_FLOAT32 : d == DT_float64 ? CLASS_OF_FLOAT64 : CLASS_OF_HALF;
  }
}

/* Returns x^y of integers, where y >= 0. Products wrap. The loop squares x once for each bit of y. */
static term power(reader *s, term x, term y) {
  enum dtype d = x.dtype;
  term result = as(s, term_integer(1), d);
  for (int bit = 0, bits = 8 * dtype_size(d); bit < bits; bit++) {
    term mask = as(s, term_integer((int64_t)((uint64_t)1 << bit)), d);
    if (bit) x = simple(s, "stablehlo.multiply", 2, (term[]){x, x});
    term test = truth(s, simple(s, "stablehlo.and", 2, (term[]){y, mask}));
    result = choose(s, test, simple(s, "stablehlo.multiply", 2, (term[]){result, x}), result);
  }
  return result;
}

/* Calls a row of functions.def. */
static term call_row(reader *s, const char *text, int length, int count, const term *in) {
  static const char *const names[MAX_ARITY] = {"x", "y", "z", "w"};
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    const struct function *f = &functions[k];
    if (!same_word(text, length, f->name) || !(f->rows & class_of(in[0].dtype))) continue;
    return translate(s->e, s->shape, f->text, &(surroundings){in[0].dtype, DT_none, count, names, in});
  }
  return refuse(s);
}

/* Calls hlo_<op> or chlo_<op>. */
static term call_op(reader *s, const char *text, int length, int count, const term *in) {
  char op[64];
  bool is_companion = *text == 'c';
  int prefix = is_companion ? 5 : 4;
  snprintf(op, sizeof op, is_companion ? "chlo.%.*s " : "stablehlo.%.*s", length - prefix, text + prefix);
  return is_companion ? typed(s, op, count, in, in[0].dtype) : simple(s, op, count, in);
}

static term make_complex(reader *s, const term *in) {
  enum dtype d = dtype_complex(in[0].dtype);
  if (refused(s)) return refuse(s);
  return term_of(emit_simple(s->e, "stablehlo.complex", 2, (int[]){in[0].value, in[1].value}, d, s->shape), d);
}

static term call(reader *s, const char *text, int length, int count, term *in) {
  for (int k = 0; k < count; k++) in[k] = is_number(&in[k]) ? as(s, in[k], k ? in[0].dtype : s->around->C) : in[k];
  enum dtype d = in[0].dtype;
  if (refused(s)) return refuse(s);
  if (length > 5 && (memcmp(text, "hlo_", 4) == 0 || memcmp(text, "chlo_", 5) == 0)) return call_op(s, text, length, count, in);
  if (same_word(text, length, "bits")) return typed(s, "stablehlo.bitcast_convert ", 1, in, signed_dtype(d));
  if (same_word(text, length, "re")) return typed(s, "stablehlo.real ", 1, in, dtype_real(d));
  if (same_word(text, length, "im")) return typed(s, "stablehlo.imag ", 1, in, dtype_real(d));
  if (same_word(text, length, "make")) return make_complex(s, in);
  if (same_word(text, length, "convert")) return typed(s, "stablehlo.convert ", 1, in, s->around->C);
  if (same_word(text, length, "power")) return power(s, in[0], in[1]);
  return call_row(s, text, length, count, in);
}

/* ---- parsing ---- */

static term parse_choice(reader *s);

static void skip_spaces(reader *s) {
  while (*s->at == ' ' || *s->at == '\n') s->at++;
}

/* Skips a token if it comes next. */
static bool skip(reader *s, const char *token) {
  skip_spaces(s);
  size_t n = strlen(token);
  if (strncmp(s->at, token, n) != 0) return false;
  s->at += n;
  return true;
}

static void expect(reader *s, const char *token) {
  if (!skip(s, token)) s->e->refused = true;
}

/* Returns the length of the name that comes next, or 0. Names such as a.position and n[2] are one name. */
static int name_length(reader *s) {
  int n = 0;
  skip_spaces(s);
  if (*s->at >= '0' && *s->at <= '9') return 0;
  while (text_is_alnum(s->at[n]) || s->at[n] == '_' || (n && s->at[n] && strchr(".[]", s->at[n]))) n++;
  return n;
}

static term parse_call(reader *s, const char *text, int length) {
  term in[MAX_ARITY];
  int count = 0;
  if (same_word(text, length, "m_lowest") || same_word(text, length, "m_highest")) {
    int n = name_length(s);
    enum dtype d = dtype_called(s, s->at, n);
    s->at += n;
    expect(s, ")");
    return d == DT_none ? refuse(s) : as(s, limit(d, text[2] == 'h'), d);
  }
  do in[count++] = parse_choice(s);
  while (!refused(s) && count < MAX_ARITY && skip(s, ","));
  expect(s, ")");
  return call(s, text, length, count, in);
}

static term parse_name(reader *s, int length) {
  const char *text = s->at;
  s->at += length;
  if (skip(s, "(")) return parse_call(s, text, length);
  for (int k = 0; k < s->count; k++)
    if (s->defined[k].length == length && memcmp(s->defined[k].text, text, (size_t)length) == 0) return s->defined[k].term;
  for (int k = 0; k < s->around->count; k++)
    if (same_word(text, length, s->around->names[k])) return s->around->terms[k];
  if (same_word(text, length, "true")) return as(s, term_integer(1), DT_bool);
  if (same_word(text, length, "false")) return as(s, term_integer(0), DT_bool);
  if (same_word(text, length, "INFINITY")) return term_float((double)INFINITY);
  if (same_word(text, length, "NAN")) return term_float((double)NAN);
  if (same_word(text, length, "BITS")) return term_integer(8 * dtype_size(s->around->C));
  if (same_word(text, length, "LEAST")) return limit(s->around->C, false);
  if (same_word(text, length, "MOST")) return limit(s->around->C, true);
  return refuse(s);
}

static term parse_number(reader *s) {
  char *end;
  double x = text_number(s->at, &end);
  if (end == s->at) return refuse(s);
  s->at = end;
  return number_of(x, fabs(x) < 0x1p63 ? (int64_t)x : 0);
}

/* Skips `(type)` and returns the type, or DT_none if something else comes next. */
static enum dtype parse_cast(reader *s) {
  const char *before = s->at;
  if (skip(s, "(")) {
    int n = name_length(s);
    enum dtype d = n ? dtype_called(s, s->at, n) : DT_none;
    s->at += n;
    if (d != DT_none && skip(s, ")")) return d;
  }
  s->at = before;
  return DT_none;
}

static term negated(reader *s, term t) {
  if (is_number(&t)) return number_of(-t.number.f, -t.number.i);
  return simple(s, "stablehlo.negate", 1, &t);
}

static term parse_unary(reader *s) {
  enum dtype to = parse_cast(s);
  if (to != DT_none) return as(s, parse_unary(s), to);
  if (skip(s, "-")) return negated(s, parse_unary(s));
  if (skip(s, "!")) return compare(s, "stablehlo.compare EQ, ", parse_unary(s), term_integer(0));
  if (skip(s, "~")) {
    term t = parse_unary(s);
    return simple(s, "stablehlo.not", 1, &t);
  }
  if (skip(s, "(")) {
    term t = parse_choice(s);
    expect(s, ")");
    return t;
  }
  int n = name_length(s);
  return refused(s) ? refuse(s) : n ? parse_name(s, n) : parse_number(s);
}

/* The operators from the weakest to the strongest. Of two operators of which one starts with the other, the longer one
** comes first within a level; skip_operator keeps `<` from being found in `<<`. */
static const struct { const char *token; int level; const char *op; } operators[] = {
  {"|", 0, "stablehlo.or"}, {"^", 1, "stablehlo.xor"}, {"&", 2, "stablehlo.and"},
  {"==", 3, "stablehlo.compare EQ, "}, {"!=", 3, "stablehlo.compare NE, "},
  {"<=", 4, "stablehlo.compare LE, "}, {">=", 4, "stablehlo.compare GE, "},
  {"<", 4, "stablehlo.compare LT, "}, {">", 4, "stablehlo.compare GT, "},
  {"<<", 5, "stablehlo.shift_left"}, {">>", 5, NULL},
  {"+", 6, "stablehlo.add"}, {"-", 6, "stablehlo.subtract"},
  {"*", 7, "stablehlo.multiply"}, {"/", 7, "stablehlo.divide"},
};
enum { LEVELS = 8, LEVEL_EQUAL = 3, LEVEL_ORDER = 4, OPERATORS = sizeof operators / sizeof *operators };

/* Skips an operator of a level and returns its index, or -1. */
static int skip_operator(reader *s, int level) {
  skip_spaces(s);
  bool shift = strncmp(s->at, "<<", 2) == 0 || strncmp(s->at, ">>", 2) == 0;
  for (int k = 0; k < OPERATORS; k++)
    if (operators[k].level == level && !(shift && level == LEVEL_ORDER) && skip(s, operators[k].token)) return k;
  return -1;
}

static term binary(reader *s, int k, term a, term b) {
  int level = operators[k].level;
  const char *op = operators[k].op;
  if (is_number(&a) && is_number(&b) && strcmp(operators[k].token, "-") == 0)
    return number_of(a.number.f - b.number.f, a.number.i - b.number.i);
  if (level == LEVEL_EQUAL || level == LEVEL_ORDER) return compare(s, op, a, b);
  enum dtype d = match(s, &a, &b);
  if (!op) op = dtype_kind(d) == KIND_INT ? "stablehlo.shift_right_arithmetic" : "stablehlo.shift_right_logical";
  return simple(s, op, 2, (term[]){a, b});
}

static term parse_level(reader *s, int level) {
  if (level == LEVELS) return parse_unary(s);
  term a = parse_level(s, level + 1);
  for (int k; !refused(s) && (k = skip_operator(s, level)) >= 0;) a = binary(s, k, a, parse_level(s, level + 1));
  return a;
}

static term parse_choice(reader *s) {
  term test = parse_level(s, 0);
  if (refused(s) || !skip(s, "?")) return test;
  term a = parse_choice(s);
  expect(s, ":");
  term b = parse_choice(s);
  return choose(s, test, a, b);
}

/* Reads `name = expression;` and adds the name. Returns false if something else comes next. */
static bool parse_definition(reader *s) {
  const char *before = s->at;
  int n = name_length(s);
  const char *text = s->at;
  s->at += n;
  if (n && skip(s, "=") && *s->at != '=') {
    term t = parse_choice(s);
    expect(s, ";");
    define(s, text, n, t);
    return true;
  }
  s->at = before;
  return false;
}

term translate(emission *e, const shape *s, const char *text, const surroundings *around) {
  reader r = {.e = e, .shape = s, .around = around, .at = text};
  while (!e->refused && parse_definition(&r)) continue;
  term t = e->refused ? refuse(&r) : parse_choice(&r);
  skip_spaces(&r);
  if (*r.at) e->refused = true;
  return is_number(&t) ? as(&r, t, around->C) : t;
}

term emit_formula(emission *e, const shape *s, enum dtype C, const char *text, const char *names, const term *terms) {
  static const char alphabet[26][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                       "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
  const char *list[26];
  int n = 0;
  for (; names[n]; n++) list[n] = alphabet[names[n] - 'a'];
  return translate(e, s, text, &(surroundings){C, DT_float64, n, list, terms});
}

/* Returns the term that an assignment changes, or NULL. */
static term *assigned(reader *r, term *terms) {
  int n = name_length(r), k = 0;
  while (k < r->around->count && !same_word(r->at, n, r->around->names[k])) k++;
  r->at += n;
  return k < r->around->count ? &terms[k] : NULL;
}

void translate_assignments(emission *e, const shape *s, const char *text, const surroundings *around, term *terms) {
  static const struct { const char *token, *op; } changes[] = {
    {"=", NULL}, {"+=", "stablehlo.add"}, {"-=", "stablehlo.subtract"}, {"*=", "stablehlo.multiply"}
  };
  enum { CHANGES = sizeof changes / sizeof *changes };
  reader r = {.e = e, .shape = s, .around = around, .at = text};
  do {
    int k = 0;
    term *to = assigned(&r, terms);
    while (k < CHANGES && !skip(&r, changes[k].token)) k++;
    if (!to || k == CHANGES) e->refused = true;
    if (e->refused) return;
    term t = parse_choice(&r);
    if (changes[k].op) {
      term from = *to;
      match(&r, &from, &t);
      t = simple(&r, changes[k].op, 2, (term[]){from, t});
    }
    *to = as(&r, t, around->C);
  } while (!e->refused && skip(&r, ","));
  if (*r.at) e->refused = true;
}

int emit_settle(emission *e, const emission *before, int value) {
  if (!e->refused) return value;
  e->length = before->length;
  e->next = before->next;
  e->refused = false;
  return EMIT_NONE;
}

/* ---- conversions between dtypes, by the rules of math/convert.h ---- */

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
