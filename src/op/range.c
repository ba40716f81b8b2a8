#include "op/range.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/deferral.h"
#include "op/host.h"

typedef union number { int64_t i; double f; } number;

static bool is_real(const tensor *x) { return dtype_kind(x->dtype) >= KIND_FLOAT; }
static enum dtype read_as(const tensor *x) { return is_real(x) ? DT_float64 : DT_int64; }

/* True if the element is in the range, which never has NaN. */
static bool is_inside(const range_check *r, bool real, number n) {
  return real ? n.f >= r->low.f && n.f <= r->high.f : n.i >= r->low.i && n.i <= r->high.i;
}

static bool is_excepted(const range_check *r, bool real, number n) {
  if (!r->excepts || !real) return r->excepts && n.i == r->except.i;
  return n.f == r->except.f || (isnan(n.f) && isnan(r->except.f));
}

/* Reads the least or the greatest element, or NaN if an element is NaN. */
static int read_end(const tensor *x, enum reduce_op op, number *to) {
  reduction r = {.op = op, .in = x, .dtype = DT_none, .dims = (1u << x->shape.ndim) - 1};
  tensor t = {.store = NULL};
  int st = reduce_prepare(&r);
  if (st == OK) st = tensor_init(&t, r.result, &r.shape, x->store->place);
  if (st == OK) st = reduce_run(&r, &t);
  if (st == OK) st = host_read(&t, read_as(x), to);
  tensor_drop(&t);
  return st;
}

/* Up to FEW elements are read faster than their least and greatest element are computed. */
enum { FEW = 256 };

/* If the host computes calls of a device, reading is fast, and a reduction might be compiled first. */
static bool has_ends(const tensor *x) { return x->count > FEW && !x->store->place.device->host_calls; }

/* Finds the first element that is not allowed. Sets *found if there is one. */
static int find_outlier(const range_check *r, const tensor *x, bool *found, number *outlier) {
  number few[FEW], *all = x->count <= FEW ? few : malloc((size_t)x->count * sizeof *all);
  if (!all) return ERR_MEMORY;
  int st = host_read(x, read_as(x), all);
  for (int64_t k = 0; st == OK && k < x->count && !*found; k++) {
    *outlier = all[k];
    *found = !is_inside(r, is_real(x), all[k]) && !is_excepted(r, is_real(x), all[k]);
  }
  if (all != few) free(all);
  return st;
}

/* The subject begins the message if `late` is true. */
static void write_words(const range_check *r, number outlier, bool late, char *words, size_t size) {
  const char *subject = r->text, *before = subject + strlen(subject) + 1, *behind = before + strlen(before) + 1;
  const char *begin = late ? subject : "", *sep = late ? ": " : "";
  if (*behind) snprintf(words, size, "%s%s%s%" PRId64 "%s", begin, sep, before, outlier.i, behind);
  else snprintf(words, size, "%s%s%s", begin, sep, before);
}

/* Sets *inside to true if the least and the greatest element are in the range. */
static int check_ends(const range_check *r, const tensor *x, bool *inside) {
  number least, most;
  int st = read_end(x, REDUCE_min, &least);
  if (st == OK) st = read_end(x, REDUCE_max, &most);
  *inside = st == OK && is_inside(r, is_real(x), least) && is_inside(r, is_real(x), most);
  return st;
}

static int check(const range_check *r, const tensor *x, bool late, char *words, size_t size) {
  number outlier;
  bool found = false, inside = false;
  if (x->count == 0) return OK;
  int st = has_ends(x) ? check_ends(r, x, &inside) : OK;
  if (st != OK || inside) return st;
  st = find_outlier(r, x, &found, &outlier);
  if (found) write_words(r, outlier, late, words, size);
  return st == OK && found ? ERR_INDEX : st;
}

/* ---- deferring ---- */

static int run_deferred(const void *options, const tensor *const *in, tensor *const *out) {
  int st = check(options, in[0], true, deferral_words(), OPAQUE_WORDS);
  return st == OK ? op_fill(out[0], (scalar){.i = 1}) : st;
}

static const opaque_op deferred_check = {.run = run_deferred, .options = sizeof(range_check), .key = sizeof(uint64_t),
                                         .numbers = 3 * sizeof(scalar), .checks = true};

_Static_assert(sizeof(range_check) <= OPAQUE_OPTIONS, "a list has no room for the options");

int range_check_later(const range_check *r, const tensor *x, tensor *mark, char *words, size_t size) {
  int st;
  bool defers = open_deferral && mark &&
                opaque_defer(&(opaque_call){.op = &deferred_check, .name = "check", .options = r, .in = {x}, .nin = 1,
                                            .out = {mark}, .nout = 1}, &st);
  return defers ? st : check(r, x, false, words, size);
}
