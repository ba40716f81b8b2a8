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
} fill;

static term on_words(const fill *f, const char *text, const char *names, const term *terms) {
  return emit_formula(f->e, &(formula){&f->counters, 0, DT_uint64, DT_none, text, names}, terms);
}

/* Computes the four words of each counter. The key of a round is made of the seed. */
static void philox(const fill *f, term seed, term offset, term x[4]) {
  enum { A, B, C, D, K, J, M, N, S, V, W, NAMES };
  static const char names[] = "a b c d k j m n s v w";
  term t[NAMES] = {[C] = term_of(emit_iota(f->e, DT_uint64, &f->counters, 0), DT_uint64), [D] = offset,
                   [M] = term_integer(PHILOX_M0), [N] = term_integer(PHILOX_M1), [S] = seed};
  t[A] = on_words(f, "c + d & 4294967295", names, t);
  t[B] = on_words(f, "c + d >> 32", names, t);
  t[C] = t[D] = term_integer(0);
  for (int64_t round = 0; round < PHILOX_ROUNDS; round++) {
    t[V] = term_integer(round * PHILOX_W0);
    t[W] = term_integer(round * PHILOX_W1);
    t[K] = on_words(f, "s + v & 4294967295", names, t);
    t[J] = on_words(f, "(s >> 32) + w & 4294967295", names, t);
    x[0] = on_words(f, "(c * n >> 32) ^ b ^ k", names, t);
    x[1] = on_words(f, "c * n & 4294967295", names, t);
    x[2] = on_words(f, "(a * m >> 32) ^ d ^ j", names, t);
    x[3] = on_words(f, "a * m & 4294967295", names, t);
    for (int k = 0; k < 4; k++) t[k] = x[k];
  }
}

/* ---- words to numbers ----
** Numbers are products of integers and powers of two, so that most steps are exact. XLA may round the sum of a product and
** another number once. Therefore the product in `uniform` is limited, which changes nothing but keeps them apart. */

static term uniform(const fill *f, term word) {
  const random_call *c = f->call;
  bool is_wide = f->drawn == DT_float64;
  double width = c->b - c->a, scale = is_wide ? 0x1p-53 : width / (double)((uint64_t)1 << c->bits);
  return FORMULA(f->e, &f->counters, f->drawn,
                 is_wide ? "p = (C)(w >> s) * f * d; q = p > d ? d : p; v = q + a; v < m ? v : m"
                         : "p = (C)(w >> s) * f; q = p > d ? d : p; v = q + a; v < m ? v : m",
                 "w s f d a m", word, term_integer(is_wide ? 11 : 32 - c->bits), term_float(scale), term_float(width),
                 term_float(c->a), term_float(c->most));
}

static term integer(const fill *f, term word) {
  const random_call *c = f->call;
  const char *text = c->range == 0 ? "x + b"
                   : "al = x & 4294967295; ah = x >> 32; m = ah * l + (al * l >> 32); n = al * h + (m & 4294967295);"
                     "b + ah * h + (m >> 32) + (n >> 32)";
  term x = FORMULA(f->e, &f->counters, DT_uint64, text, "x l h b", word, term_integer((int64_t)(c->range & 0xffffffff)),
                   term_integer((int64_t)(c->range >> 32)), term_integer(c->low));
  return term_as(f->e, &f->counters, x, DT_int64);
}

/* Makes two normally distributed numbers from two words (Box–Muller, see math/normal.h). */
static void normals(const fill *f, const term in[2], term out[2]) {
  bool is_wide = f->drawn == DT_float64;
  term mean = term_float(f->call->a), deviation = term_float(f->call->b);
  term r = FORMULA(f->e, &f->counters, f->drawn, is_wide ? "d * m_sqrt(-2 * m_log(((C)(x >> 11) + 0.5) * 0x1p-53))"
                   : "d * m_sqrt(-2 * m_log(((C)(x >> 1) + 0.5) * 0x1p-31))", "x d", in[0], deviation);
  term t = FORMULA(f->e, &f->counters, f->drawn, is_wide ? "(C)(x >> 11) * 0x1p-52 - 1" : "(C)(I)x * 0x1p-31", "x", in[1]);
  out[0] = FORMULA(f->e, &f->counters, f->drawn, "m + r * cosine_of_turn(t)", "r t m", r, t, mean);
  out[1] = FORMULA(f->e, &f->counters, f->drawn, "m + r * sine_of_turn(t)", "r t m", r, t, mean);
}

/* ---- order ---- */

/* Puts the numbers of `parts` words into the order of elements, and removes those behind the last element. */
static term in_order(const fill *f, int parts, const term *part) {
  emission *e = f->e;
  const int64_t runs = f->counters.dim[0] / RANDOM_RUN, zero = 0;
  const shape thin = {3, {runs, 1, RANDOM_RUN}}, whole = {3, {runs, parts, RANDOM_RUN}};
  const shape flat = {1, {runs * parts * RANDOM_RUN}}, out = {1, {f->call->count}};
  int in[4];
  for (int k = 0; k < parts; k++) in[k] = emit_reshape(e, part[k].value, f->drawn, &f->counters, &thin);
  int value = e->next++;
  emit(e, "%%%d = stablehlo.concatenate ", value);
  for (int k = 0; k < parts; k++) emit(e, "%%%d, ", in[k]);
  emit(e, "dim = 1 : (");
  for (int k = 0; k < parts; k++) emit(e, k ? ", %t" : "%t", f->drawn, &thin);
  emit(e, ") -> %t\n", f->drawn, &whole);
  value = emit_reshape(e, value, f->drawn, &whole, &flat);
  return term_of(emit_slice(e, value, f->drawn, &flat, &zero, &out), f->drawn);
}

term emit_random(emission *e, const random_call *c, term seed, term offset) {
  enum dtype drawn = c->op >= RANDOM_integers ? DT_int64 : dtype_compute(c->out.dtype);
  int parts = drawn == DT_float32 ? 4 : 2;
  const fill f = {e, c, drawn, {1, {(int64_t)random_counters((uint64_t)c->count, parts == 2)}}};
  term x[4], part[4];
  if (c->cell) emit_fail(e, ERR_NO_KERNEL);
  philox(&f, seed, offset, x);
  for (int k = 0; parts == 2 && k < 2; k++) x[k] = on_words(&f, "l | h << 32", "l h", x + 2 * k);
  for (int k = 0; k < parts; k++)
    if (c->op != RANDOM_normal) part[k] = c->op == RANDOM_uniform ? uniform(&f, x[k]) : integer(&f, x[k]);
    else if (k % 2 == 0) normals(&f, x + k, part + k);
  return in_order(&f, parts, part);
}
