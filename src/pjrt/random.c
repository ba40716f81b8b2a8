/* Random numbers as operations of integers, so that a seed gives the same numbers as on other devices. base/random.h defines the
** counters, the words and their order. */

#include "base/random.h"

#include "pjrt/translate.h"

/* The words of all counters of a fill are values of dtype uint64 and shape [counters]. A 32-bit word has an upper half of 0. */
typedef struct fill {
  emission *e;
  const random_call *call;
  enum dtype drawn;                    /* the dtype of the numbers before the conversion to the result's dtype */
  shape      counters;
  int64_t    runs;
} fill;

static const shape one = {0};

static term on_words(const fill *f, const char *text, int count, const char *const *names, const term *terms) {
  return translate(f->e, &f->counters, text, &(surroundings){DT_uint64, DT_none, count, names, terms});
}

/* Repeats a number of the program for all counters. */
static term spread(const fill *f, term t) { return term_of(emit_broadcast(f->e, t.value, t.dtype, &one, NULL, &f->counters), t.dtype); }

/* Computes the four words of each counter. */
static void philox(const fill *f, int seed, int offset, term x[4]) {
  enum { A, B, C, D, K, J, M, N };
  static const char *const names[] = {"a", "b", "c", "d", "k", "j", "M", "N"}, *const key_names[] = {"s", "w"};
  emission *e = f->e;
  const surroundings of_seed = {DT_uint64, DT_none, 1, key_names, (const term[]){term_of(seed, DT_uint64)}};
  term t[8], first = translate(e, &one, "s & 4294967295", &of_seed), second = translate(e, &one, "s >> 32", &of_seed);
  t[M] = term_integer(PHILOX_M0);
  t[N] = term_integer(PHILOX_M1);
  t[C] = term_of(emit_iota(e, DT_uint64, &f->counters, 0), DT_uint64);
  t[D] = spread(f, term_of(offset, DT_uint64));
  t[A] = on_words(f, "c + d & 4294967295", 4, names, t);
  t[B] = on_words(f, "c + d >> 32", 4, names, t);
  t[C] = t[D] = term_integer(0);
  for (int round = 0; round < PHILOX_ROUNDS; round++) {
    t[K] = spread(f, first);
    t[J] = spread(f, second);
    x[0] = on_words(f, "(c * N >> 32) ^ b ^ k", 8, names, t);
    x[1] = on_words(f, "c * N & 4294967295", 8, names, t);
    x[2] = on_words(f, "(a * M >> 32) ^ d ^ j", 8, names, t);
    x[3] = on_words(f, "a * M & 4294967295", 8, names, t);
    for (int k = 0; k < 4; k++) t[k] = x[k];
    const term key[] = {first, term_integer(PHILOX_W0)}, other[] = {second, term_integer(PHILOX_W1)};
    first = translate(e, &one, "s + w & 4294967295", &(surroundings){DT_uint64, DT_none, 2, key_names, key});
    second = translate(e, &one, "s + w & 4294967295", &(surroundings){DT_uint64, DT_none, 2, key_names, other});
  }
}

/* ---- words to numbers ----
** Numbers are products of integers and powers of two, so that most steps are exact. XLA may round the sum of a product and
** another number once. Therefore the product in `uniform` is limited, which changes nothing but keeps them apart. */

static term uniform(const fill *f, term word) {
  static const char *const names[] = {"word", "shift", "scale", "width", "a", "most"};
  const random_call *c = f->call;
  bool is_wide = f->drawn == DT_float64;
  double width = c->b - c->a, scale = is_wide ? 0x1p-53 : width / (double)((uint64_t)1 << c->bits);
  const term terms[] = {word, term_integer(is_wide ? 11 : 32 - c->bits), term_float(scale), term_float(width), term_float(c->a),
                        term_float(c->most)};
  const char *text = is_wide ? "p = (C)(word >> shift) * scale * width; q = p > width ? width : p; v = q + a; v < most ? v : most"
                             : "p = (C)(word >> shift) * scale; q = p > width ? width : p; v = q + a; v < most ? v : most";
  return translate(f->e, &f->counters, text, &(surroundings){f->drawn, DT_none, 6, names, terms});
}

static term integer(const fill *f, term word) {
  static const char *const names[] = {"x", "l", "h", "low"};
  const random_call *c = f->call;
  const term terms[] = {word, term_integer((int64_t)(c->range & 0xffffffff)), term_integer((int64_t)(c->range >> 32)),
                        term_integer(c->low)};
  const char *text = c->range == 0 ? "x + low"
                   : "al = x & 4294967295; ah = x >> 32; m = ah * l + (al * l >> 32); n = al * h + (m & 4294967295);"
                     "low + ah * h + (m >> 32) + (n >> 32)";
  return term_as(f->e, &f->counters, on_words(f, text, 4, names, terms), DT_int64);
}

/* Makes two normally distributed numbers from two words (Box–Muller, see math/normal.h). */
static void normals(const fill *f, const term in[2], term out[2]) {
  static const char *const names[] = {"radius", "turn", "mean", "first", "second", "deviation"};
  const random_call *c = f->call;
  bool is_wide = f->drawn == DT_float64;
  term t[] = {in[0], in[1], term_float(c->a), in[0], in[1], term_float(c->b)};
  const surroundings around = {f->drawn, DT_none, 6, names, t};
  t[0] = translate(f->e, &f->counters, is_wide ? "deviation * m_sqrt(-2 * m_log(((C)(first >> 11) + 0.5) * 0x1p-53))"
                                               : "deviation * m_sqrt(-2 * m_log(((C)(first >> 1) + 0.5) * 0x1p-31))", &around);
  t[1] = translate(f->e, &f->counters, is_wide ? "(C)(second >> 11) * 0x1p-52 - 1"
                                               : "(C)(I)second * 0x1p-31", &around);
  out[0] = translate(f->e, &f->counters, "mean + radius * cosine_of_turn(turn)", &around);
  out[1] = translate(f->e, &f->counters, "mean + radius * sine_of_turn(turn)", &around);
}

/* ---- order ---- */

/* Puts the numbers of `parts` words into the order of elements, and removes those behind the last element. */
static int in_order(const fill *f, int parts, const term *part) {
  emission *e = f->e;
  const shape thin = {3, {f->runs, 1, RANDOM_RUN}}, whole = {3, {f->runs, parts, RANDOM_RUN}};
  const shape flat = {1, {f->runs * parts * RANDOM_RUN}}, out = {1, {f->call->count}};
  int in[4];
  for (int k = 0; k < parts; k++) in[k] = emit_reshape(e, part[k].value, f->drawn, &f->counters, &thin);
  emit(e, "%%%d = stablehlo.concatenate ", e->next);
  for (int k = 0; k < parts; k++) emit(e, "%%%d, ", in[k]);
  emit(e, "dim = 1 : (");
  for (int k = 0; k < parts; k++) {
    if (k) emit(e, ", ");
    emit_type(e, f->drawn, &thin);
  }
  emit(e, ") -> ");
  emit_type(e, f->drawn, &whole);
  emit(e, "\n");
  int joined = emit_reshape(e, e->next++, f->drawn, &whole, &flat);
  if (flat.dim[0] == out.dim[0]) return joined;
  emit(e, "%%%d = stablehlo.slice %%%d [0:%lld]", e->next, joined, (long long)out.dim[0]);
  emit_ends(e, f->drawn, &flat, &out);
  return e->next++;
}

int emit_random(emission *e, const random_call *c, int seed, int offset, enum dtype *gives) {
  enum dtype drawn = c->op == RANDOM_integers ? DT_int64 : dtype_compute(c->out.dtype);
  int parts = drawn == DT_float32 ? 4 : 2;
  int64_t counters = (int64_t)random_counters((uint64_t)c->count, parts == 2);
  const fill f = {e, c, drawn, {1, {counters}}, counters / RANDOM_RUN};
  const emission before = *e;
  static const char *const names[] = {"l", "h"};
  term x[4], part[4];
  if (c->op == RANDOM_permutation || c->cell) return EMIT_NONE;
  philox(&f, seed, offset, x);
  for (int k = 0; parts == 2 && k < 2; k++) x[k] = on_words(&f, "l | h << 32", 2, names, (const term[]){x[2 * k], x[2 * k + 1]});
  for (int k = 0; k < parts; k++)
    if (c->op != RANDOM_normal) part[k] = c->op == RANDOM_uniform ? uniform(&f, x[k]) : integer(&f, x[k]);
    else if (k % 2 == 0) normals(&f, x + k, part + k);
  *gives = drawn;
  return emit_settle(e, &before, in_order(&f, parts, part));
}
