#include "pjrt/translate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- names and terms ---- */

enum { MOST_DEFINITIONS = 16 };

typedef struct word {
  const char *text;
  int         length;
} word;

/* An expression that is being read. */
typedef struct reader {
  emission      *e;
  const formula *f;
  const term    *terms;                /* the terms of f->names */
  term          *targets;              /* the same if the text may change them, or NULL */
  const char    *at;                   /* the next character of the expression */
  int            count;                /* the names that the expression has defined */
  struct { word name; term term; } defined[MOST_DEFINITIONS];
} reader;

static bool refused(const reader *s) { return s->e->status != OK; }

static term refuse(reader *s) {
  emit_fail(s->e, ERR_NO_KERNEL);
  return term_of(0, DT_bool);
}

/* Returns the number of a name in a list of names with spaces between them, or -1. */
static int find_word(const char *list, word w) {
  for (int k = 0; *list; k++) {
    size_t n = strcspn(list, " ");
    if (n == (size_t)w.length && memcmp(list, w.text, n) == 0) return k;
    list += n + (list[n] == ' ');
  }
  return -1;
}

static bool is_number(const term *t) { return t->dtype == DT_none; }

static term convert(emission *e, const shape *s, term t, enum dtype to);

term term_as(emission *e, const shape *s, term t, enum dtype d) {
  if (!is_number(&t)) return t.dtype == d || e->status != OK ? t : convert(e, s, t, d);
  t.dtype = d;
  return t;
}

static term as(reader *s, term t, enum dtype d) { return term_as(s->e, s->f->s, t, d); }

/* Converts both terms to the dtype of their operation: a number to the other term's dtype, bool to any other dtype. */
static enum dtype match(reader *s, term *a, term *b) {
  enum dtype d = !is_number(a) && (a->dtype != DT_bool || is_number(b)) ? a->dtype : is_number(b) ? s->f->C : b->dtype;
  enum dtype other = is_number(b) ? d : b->dtype;
  if (other != d && other != DT_bool) refuse(s);
  *a = as(s, *a, d);
  *b = as(s, *b, d);
  return d;
}

/* ---- dims ---- */

shape shape_without(const shape *s, unsigned dims) {
  shape r = {.ndim = 0};
  for (int k = 0; k < s->ndim; k++)
    if (!(dims >> k & 1)) r.dim[r.ndim++] = s->dim[k];
  return r;
}

/* Lists the dims that are not in `without`, and are in `dims`. The numbers count only dims that are not in `without`. */
static int list_dims(const shape *s, unsigned without, unsigned dims, int64_t *list) {
  int n = 0, at = 0;
  for (int k = 0; k < s->ndim; k++) {
    if (without >> k & 1) continue;
    if (dims >> k & 1) list[n++] = at;
    at++;
  }
  return n;
}

term term_spread(emission *e, const shape *s, term t, unsigned without) {
  const shape from = shape_without(s, t.without), to = shape_without(s, without);
  int64_t dims[MAX_DIMS];
  if (e->status != OK || (t.value != EMIT_NONE && t.without == without)) return t;
  list_dims(s, without, ~t.without, dims);
  t.value = t.value == EMIT_NONE ? emit_constant(e, t.dtype, &to, t.number) : emit_broadcast(e, t.value, t.dtype, &from, dims, &to);
  t.without = without;
  return t;
}

/* ---- lines ---- */

/* Appends a line, whose operands are repeated along the dims that only others have. The types of CHLO's ops have no brackets. */
static term line(reader *s, const char *op, int count, const term *in, enum dtype gives) {
  emission *e = s->e;
  term x[MAX_ARITY];
  unsigned without = (unsigned)ALL_DIMS;
  bool is_companion = *op == 'c', same = !is_companion && count < 3 && !strchr(op, ',');   /* compare EQ, */
  if (refused(s)) return refuse(s);
  for (int k = 0; k < count; k++) {
    without &= in[k].without;
    same = same && in[k].dtype == gives;
  }
  const shape to = shape_without(s->f->s, without);
  for (int k = 0; k < count; k++) x[k] = term_spread(e, s->f->s, in[k], without);
  emit(e, "%%%d = %s", e->next, op);
  for (int k = 0; k < count; k++) emit(e, k ? ", %%%d" : " %%%d", x[k].value);
  for (int k = 0; k < count && !same; k++) emit(e, k ? ", %t" : is_companion ? " : %t" : " : (%t", x[k].dtype, &to);
  emit(e, same ? " : %t\n" : is_companion ? " -> %t\n" : ") -> %t\n", gives, &to);
  return (term){.value = e->next++, .dtype = gives, .without = without};
}

/* Appends a line of an op of StableHLO, whose operands and result have one dtype. */
static term simple(reader *s, const char *op, int count, const term *in) { return line(s, op, count, in, in[0].dtype); }

static term compare(reader *s, const char *op, term a, term b) {
  match(s, &a, &b);
  return line(s, op, 2, (term[]){a, b}, DT_bool);
}

static term truth(reader *s, term t) { return t.dtype == DT_bool ? t : compare(s, "stablehlo.compare NE,", t, term_integer(0)); }

static term choose(reader *s, term test, term a, term b) {
  enum dtype d = match(s, &a, &b);
  return line(s, "stablehlo.select", 3, (term[]){truth(s, test), a, b}, d);
}

/* ---- dtypes by name ---- */

static const enum dtype integers[2][9] = {{[1] = DT_uint8, [2] = DT_uint16, [4] = DT_uint32, [8] = DT_uint64},
                                          {[1] = DT_int8, [2] = DT_int16, [4] = DT_int32, [8] = DT_int64}};
static enum dtype unsigned_dtype(enum dtype d) { return integers[0][dtype_size(dtype_real(d))]; }
static enum dtype signed_dtype(enum dtype d)   { return integers[1][dtype_size(dtype_real(d))]; }

/* Returns the dtype that an expression calls by a name, or DT_none. */
static enum dtype dtype_called(const reader *s, word name) {
  const enum dtype C = s->f->C, all[] = {C, s->f->A, unsigned_dtype(C), signed_dtype(C), dtype_real(C), DT_float32};
  int k = find_word("C A U I R float", name);
  return k < 0 ? DT_none : all[k];
}

/* Returns the least or the largest value of dtype d, as a number. */
static term limit(enum dtype d, bool most) {
  if (dtype_kind(d) >= KIND_FLOAT) return term_float(most ? (double)INFINITY : -(double)INFINITY);
  const bool is_signed = dtype_kind(d) == KIND_INT;
  const int bits = 8 * dtype_size(d) - is_signed;
  const uint64_t largest = UINT64_MAX >> (64 - bits);
  if (most) return term_number(ldexp(1, bits) - 1, (int64_t)largest);
  return is_signed ? term_number(-ldexp(1, bits), (int64_t)~largest) : term_integer(0);
}

/* ---- functions ---- */

enum { ROWS_UNSIGNED = 1 << KIND_UINT, ROWS_SIGNED = 1 << KIND_INT, ROWS_INTEGER = ROWS_UNSIGNED | ROWS_SIGNED,
       ROWS_BITS = 1 << KIND_BOOL | ROWS_INTEGER, ROWS_REAL = 1 << KIND_FLOAT, ROWS_COMPLEX = 1 << KIND_COMPLEX,
       ROWS_FLOAT = ROWS_REAL | ROWS_COMPLEX, ROWS_ANY = ROWS_BITS | ROWS_FLOAT };

static const struct function {
  const char *names;
  int         rows;                    /* a set of kinds of dtypes */
  const char *text;
} functions[] = {
#define FUNCTION(names, dtypes, expr) {#names, ROWS_##dtypes, #expr},
#include "pjrt/functions.def"
};

/* Returns x^y of integers, where y >= 0. Products wrap. The loop squares x once for each bit of y. */
static term power(reader *s, term x, term y) {
  term result = as(s, term_integer(1), x.dtype);
  for (int bit = 0, bits = 8 * dtype_size(x.dtype); bit < bits; bit++) {
    term mask = as(s, term_integer((int64_t)((uint64_t)1 << bit)), x.dtype);
    if (bit) x = simple(s, "stablehlo.multiply", 2, (term[]){x, x});
    term test = truth(s, simple(s, "stablehlo.and", 2, (term[]){y, mask}));
    result = choose(s, test, simple(s, "stablehlo.multiply", 2, (term[]){result, x}), result);
  }
  return result;
}

/* Calls a row of functions.def. */
static term call_row(reader *s, word name, const term *in) {
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    const struct function *f = &functions[k];
    if (find_word(f->names, name) >= 0 && f->rows >> dtype_kind(in[0].dtype) & 1)
      return emit_formula(s->e, &(formula){s->f->s, 0, in[0].dtype, DT_none, f->text, "x y z w"}, in);
  }
  return refuse(s);
}

/* Calls hlo_<op> or chlo_<op>. */
static term call_op(reader *s, word name, int count, const term *in) {
  char op[64];
  const int prefix = *name.text == 'c' ? 5 : 4;
  snprintf(op, sizeof op, "%s.%.*s", prefix == 5 ? "chlo" : "stablehlo", name.length - prefix, name.text + prefix);
  return simple(s, op, count, in);
}

static term call(reader *s, word name, int count, term *in) {
  enum { SUM, TOP, BOTTOM, LOWEST, HIGHEST, BITS, RE, IM, MAKE, CONVERT, POWER };
  int f = find_word("sum top bottom m_lowest m_highest bits re im make convert power", name);
  for (int k = 0; k < count; k++)
    if (is_number(&in[k])) in[k] = as(s, in[k], k ? in[0].dtype : s->f->C);
  enum dtype d = in[0].dtype, A = s->f->A;
  if (refused(s)) return refuse(s);
  switch (f) {
    case SUM:     return emit_fold(s->e, s->f->s, s->f->folded, A, A, "0", "a + b", as(s, in[0], A));
    case TOP:     return emit_fold(s->e, s->f->s, s->f->folded, d, d, "m_lowest(A)", "m_max(a, b)", in[0]);
    case BOTTOM:  return emit_fold(s->e, s->f->s, s->f->folded, d, d, "m_highest(A)", "m_min(a, b)", in[0]);
    case LOWEST:
    case HIGHEST: return as(s, limit(d, f == HIGHEST), d);
    case BITS:    return line(s, "stablehlo.bitcast_convert", 1, in, signed_dtype(d));
    case RE:      return line(s, "stablehlo.real", 1, in, dtype_real(d));
    case IM:      return line(s, "stablehlo.imag", 1, in, dtype_real(d));
    case MAKE:    return line(s, "stablehlo.complex", 2, in, dtype_complex(d));
    case CONVERT: return line(s, "stablehlo.convert", 1, in, s->f->C);
    case POWER:   return power(s, in[0], in[1]);
    default:      break;
  }
  bool is_op = name.length > 5 && (memcmp(name.text, "hlo_", 4) == 0 || memcmp(name.text, "chlo_", 5) == 0);
  return is_op ? call_op(s, name, count, in) : call_row(s, name, in);
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
  if (!skip(s, token)) refuse(s);
}

/* Reads the name that comes next. If there is none, the length is 0. Names such as a.position and n[2] are one name. */
static word parse_word(reader *s) {
  skip_spaces(s);
  word w = {s->at, 0};
  if (*s->at >= '0' && *s->at <= '9') return w;
  while (text_is_alnum(*s->at) || *s->at == '_' || (s->at > w.text && *s->at && strchr(".[]", *s->at))) s->at++;
  w.length = (int)(s->at - w.text);
  return w;
}

static term parse_call(reader *s, word name) {
  term in[MAX_ARITY];
  int count = 0;
  do in[count++] = parse_choice(s);
  while (!refused(s) && count < MAX_ARITY && skip(s, ","));
  expect(s, ")");
  return call(s, name, count, in);
}

/* Returns the term of a name. The name of a dtype is a 0 of this dtype. */
static term term_called(reader *s, word name) {
  const enum dtype C = s->f->C, d = dtype_called(s, name);
  for (int k = s->count - 1; k >= 0; k--)
    if (s->defined[k].name.length == name.length && memcmp(s->defined[k].name.text, name.text, (size_t)name.length) == 0)
      return s->defined[k].term;
  int k = find_word(s->f->names, name);
  if (k >= 0) return s->terms[k];
  if (d != DT_none) return as(s, term_integer(0), d);
  const term known[] = {as(s, term_integer(1), DT_bool), as(s, term_integer(0), DT_bool), term_float((double)INFINITY),
                        term_float((double)NAN), term_integer(8 * dtype_size(C)), limit(C, false), limit(C, true)};
  k = find_word("true false INFINITY NAN BITS LEAST MOST", name);
  return k < 0 ? refuse(s) : known[k];
}

static term parse_number(reader *s) {
  char *end;
  double x = text_number(s->at, &end);
  if (end == s->at) return refuse(s);
  s->at = end;
  return term_number(x, fabs(x) < 0x1p63 ? (int64_t)x : 0);
}

/* Skips `(type)` and returns the type, or DT_none if something else comes next. */
static enum dtype parse_cast(reader *s) {
  const char *before = s->at;
  if (skip(s, "(")) {
    enum dtype d = dtype_called(s, parse_word(s));
    if (d != DT_none && skip(s, ")")) return d;
  }
  s->at = before;
  return DT_none;
}

static term parse_unary(reader *s) {
  enum dtype to = parse_cast(s);
  if (to != DT_none) return as(s, parse_unary(s), to);
  if (skip(s, "-")) {
    term t = parse_unary(s);
    return is_number(&t) ? term_number(-t.number.f, -t.number.i) : simple(s, "stablehlo.negate", 1, &t);
  }
  if (skip(s, "!")) return compare(s, "stablehlo.compare EQ,", parse_unary(s), term_integer(0));
  if (skip(s, "~")) {
    term t = parse_unary(s);
    return simple(s, "stablehlo.not", 1, &t);
  }
  if (skip(s, "(")) {
    term t = parse_choice(s);
    expect(s, ")");
    return t;
  }
  word name = parse_word(s);
  return refused(s) ? refuse(s) : !name.length ? parse_number(s) : skip(s, "(") ? parse_call(s, name) : term_called(s, name);
}

/* Operators of a higher level bind more strongly. Of two operators of which one starts with the other, the longer one comes
** first. */
static const struct { const char *token; int level; const char *op; } operators[] = {
  {"<<", 5, "stablehlo.shift_left"}, {">>", 5, NULL},
  {"==", 3, "stablehlo.compare EQ,"}, {"!=", 3, "stablehlo.compare NE,"},
  {"<=", 4, "stablehlo.compare LE,"}, {">=", 4, "stablehlo.compare GE,"},
  {"<", 4, "stablehlo.compare LT,"}, {">", 4, "stablehlo.compare GT,"},
  {"|", 0, "stablehlo.or"}, {"^", 1, "stablehlo.xor"}, {"&", 2, "stablehlo.and"},
  {"+", 6, "stablehlo.add"}, {"-", 6, "stablehlo.subtract"},
  {"*", 7, "stablehlo.multiply"}, {"/", 7, "stablehlo.divide"},
};
enum { LEVEL_EQUAL = 3, LEVEL_ORDER = 4, OPERATORS = sizeof operators / sizeof *operators };

/* Skips an operator of at least a level and returns its index, or -1. */
static int skip_operator(reader *s, int level) {
  const char *before = s->at;
  int k = 0;
  while (k < OPERATORS && !skip(s, operators[k].token)) k++;
  if (k < OPERATORS && operators[k].level >= level) return k;
  s->at = before;
  return -1;
}

static term binary(reader *s, int k, term a, term b) {
  int level = operators[k].level;
  const char *op = operators[k].op;
  if (is_number(&a) && is_number(&b) && strcmp(operators[k].token, "-") == 0)
    return term_number(a.number.f - b.number.f, a.number.i - b.number.i);
  if (level == LEVEL_EQUAL || level == LEVEL_ORDER) return compare(s, op, a, b);
  enum dtype d = match(s, &a, &b);
  if (!op) op = dtype_kind(d) == KIND_INT ? "stablehlo.shift_right_arithmetic" : "stablehlo.shift_right_logical";
  return simple(s, op, 2, (term[]){a, b});
}

/* Reads operators of at least a level, and their operands. */
static term parse_level(reader *s, int level) {
  term a = parse_unary(s);
  for (int k; !refused(s) && (k = skip_operator(s, level)) >= 0;) a = binary(s, k, a, parse_level(s, operators[k].level + 1));
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

static void define(reader *s, word name, term t) {
  int target = s->targets ? find_word(s->f->names, name) : -1;
  if (target >= 0) s->targets[target] = as(s, t, s->f->C);
  else if (s->count == MOST_DEFINITIONS) refuse(s);
  else {
    s->defined[s->count].name = name;
    s->defined[s->count++].term = t;
  }
}

/* Reads `name = expression` or `name += expression`, and defines the name. Returns false if something else comes next. */
static bool parse_definition(reader *s) {
  static const struct { const char *token, *op; } changes[] = {
    {"=", NULL}, {"+=", "stablehlo.add"}, {"-=", "stablehlo.subtract"}, {"*=", "stablehlo.multiply"}
  };
  enum { CHANGES = sizeof changes / sizeof *changes };
  const char *before = s->at;
  word name = parse_word(s);
  int k = 0;
  while (k < CHANGES && !skip(s, changes[k].token)) k++;
  if (name.length == 0 || k == CHANGES || *s->at == '=') {
    s->at = before;
    return false;
  }
  term t = parse_choice(s);
  if (changes[k].op) {
    term old = term_called(s, name);
    match(s, &old, &t);
    t = simple(s, changes[k].op, 2, (term[]){old, t});
  }
  define(s, name, t);
  return true;
}

term emit_formula(emission *e, const formula *f, const term *terms) {
  reader r = {.e = e, .f = f, .terms = terms, .at = f->text};
  while (e->status == OK && parse_definition(&r)) expect(&r, ";");
  if (e->status != OK) return refuse(&r);
  term t = parse_choice(&r);
  skip_spaces(&r);
  if (*r.at) refuse(&r);
  return is_number(&t) ? as(&r, t, f->C) : t;
}

void emit_assignments(emission *e, const formula *f, term *terms) {
  reader r = {.e = e, .f = f, .terms = terms, .targets = terms, .at = f->text};
  while (e->status == OK && parse_definition(&r) && skip(&r, ",")) continue;
  if (*r.at) refuse(&r);
}

/* ---- bodies ---- */

void emit_region(emission *e, int n, const enum dtype *d, enum dtype C, const char *text) {
  const term in[] = {term_of(e->next, d[0]), term_of(e->next + 1, d[1])};
  emit(e, "({\n^bb0(");
  for (int k = 0; k < n; k++) emit(e, "%s%%%d: %t", k ? ", " : "", e->next++, d[k], &no_dims);
  emit(e, "):\n");
  term t = emit_formula(e, &(formula){&no_dims, 0, C, d[0], text, "a b"}, in);
  emit(e, "stablehlo.return %%%d : %t\n})", term_spread(e, &no_dims, t, 0).value, t.dtype, &no_dims);
}

term emit_fold(emission *e, const shape *s, unsigned dims, enum dtype C, enum dtype A, const char *init, const char *merge, term in) {
  term first = emit_formula(e, &(formula){&no_dims, 0, C, A, init, ""}, NULL);
  int64_t list[MAX_DIMS];
  if (e->status != OK) return in;
  first = term_spread(e, &no_dims, first, 0);
  in = term_spread(e, s, in, in.value == EMIT_NONE ? 0 : in.without);
  const shape from = shape_without(s, in.without), to = shape_without(s, in.without | dims);
  int result = e->next++, n = list_dims(s, in.without, dims, list);
  emit(e, "%%%d = \"stablehlo.reduce\"(%%%d, %%%d) <{dimensions = array<i64: %a>}> ", result, in.value, first.value, list, n);
  emit_region(e, 2, (enum dtype[]){A, A}, C, merge);
  emit(e, " : (%t, %t) -> %t\n", A, &from, A, &no_dims, A, &to);
  return (term){.value = result, .dtype = A, .without = in.without | dims};
}

/* ---- conversions between dtypes, by the rules of math/convert.h ---- */

static bool is_integer(enum dtype d) { return dtype_kind(d) == KIND_UINT || dtype_kind(d) == KIND_INT; }

static term convert(emission *e, const shape *s, term t, enum dtype to) {
  /* XLA replaces a product with a converted bool by a selection, which hides NaN. It does not know the values of an integer. */
  if (t.dtype == DT_bool && dtype_kind(to) == KIND_FLOAT) t = convert(e, s, t, DT_uint8);
  bool is_complex = dtype_kind(t.dtype) == KIND_COMPLEX, is_float = dtype_kind(t.dtype) == KIND_FLOAT, is_real = to == dtype_real(to);
  const char *text = to == DT_bool ? "x != 0" : is_complex ? is_real ? "(C)re(x)" : "make((R)re(x), (R)im(x))"
                   : !is_real ? "make((R)x, (R)0)" : !is_float || !is_integer(to) ? "convert(x)"
                   : dtype_is_narrow(t.dtype) ? "(C)(float)x" : "x >= MOST ? MOST : x < LEAST ? LEAST : x != x ? 0 : convert(x)";
  return emit_formula(e, &(formula){s, 0, to, DT_none, text, "x"}, &t);
}
