#include "base/tensor.h"

#include <string.h>

/* Makes t a contiguous tensor of `count` elements with this storage. */
static void set_contiguous(tensor *t, storage *store, enum dtype dtype, const shape *s, int64_t count) {
  t->store = store;
  t->dtype = dtype;
  t->shape = *s;
  t->count = count;
  t->offset = 0;
  t->weak = t->apart = false;
  shape_strides(s, t->stride);
}

int tensor_init(tensor *t, enum dtype dtype, const shape *s, place where) {
  int64_t count;
  storage *store;
  int st = shape_count(s, dtype_size(dtype), &count);
  if (st == OK) st = storage_new(where, (size_t)count * (size_t)dtype_size(dtype), &store);
  if (st == OK) set_contiguous(t, store, dtype, s, count);
  return st;
}

int tensor_init_later(tensor *t, enum dtype dtype, const shape *s, place where, struct account *a) {
  int64_t count;
  storage *store;
  int st = shape_count(s, dtype_size(dtype), &count);
  if (st == OK) st = storage_new_later(where, (size_t)count * (size_t)dtype_size(dtype), a, &store);
  if (st == OK) set_contiguous(t, store, dtype, s, count);
  return st;
}

void tensor_view(tensor *t, const tensor *base) {
  *t = *base;
  t->weak = t->apart = false;
  storage_retain(t->store);
}

scalar tensor_number(const tensor *t) {
  const complex128_t *z = tensor_data(t);
  return (scalar){.f = real_complex128(*z), .im = imag_complex128(*z), .is_float = true, .is_complex = true};
}

void tensor_drop(tensor *t) {
  storage *s = t->store;
  t->store = NULL;
  if (!s) return;
  if (t->apart) s->kept--;
  storage_drop(s);
}

/* ---- overlap ----
** Element offsets of a view are the sums of stride * index over its dims. Two views share an element, or one view has
** two elements at one address, if such sums are equal. The test is a linear equation in bounded integers. */

/* The equation sum of coef[k] * x[k] = want with 0 <= x[k] <= most[k]. Coefficients are positive, in descending
** order. */
typedef struct equation {
  int     n;
  int64_t coef[2 * MAX_DIMS], most[2 * MAX_DIMS];
  int64_t want;
  int     steps;             /* remaining steps of the search */
} equation;

enum { SEARCH_STEPS = 20000 };   /* views that scripts can make take a few dozen steps; 20000 steps take 0.1 ms */

static int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Adds the term coef * x with 0 <= x <= most. If `merge` is set and the equation has a term with this coefficient,
** the bound of that term increases by `most` instead. */
static void add_term(equation *e, int64_t coef, int64_t most, bool merge) {
  int at = 0;
  while (at < e->n && e->coef[at] > coef) at++;
  if (merge && at < e->n && e->coef[at] == coef) {
    e->most[at] += most;
    return;
  }
  for (int k = e->n++; k > at; k--) {
    e->coef[k] = e->coef[k - 1];
    e->most[k] = e->most[k - 1];
  }
  e->coef[at] = coef;
  e->most[at] = most;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* Counts the solutions of terms k … n - 1 whose sum is `want`, up to `enough`. A search that runs out of steps
** returns `enough`, so that two views count as overlapping unless the contrary is proven. */
static int count_solutions(equation *e, int k, int64_t want, int enough) {
  int64_t reach = 0, divisor = 0;
  if (--e->steps < 0) return enough;
  for (int i = k; i < e->n; i++) {
    reach += e->coef[i] * e->most[i];
    divisor = gcd(e->coef[i], divisor);
  }
  if (want < 0 || want > reach) return 0;
  if (k == e->n) return 1;
  if (want % divisor != 0) return 0;
  int64_t rest = reach - e->coef[k] * e->most[k];
  int64_t least = want > rest ? (want - rest + e->coef[k] - 1) / e->coef[k] : 0;
  int64_t greatest = want / e->coef[k] < e->most[k] ? want / e->coef[k] : e->most[k];
  int found = 0;
  for (int64_t x = greatest; x >= least && found < enough; x--)
    found += count_solutions(e, k + 1, want - x * e->coef[k], enough - found);
  return found;
}

/* Two elements overlap if indices i != j have equal sums of stride * index. With x = i - j + (length - 1) in each dim,
** this is an equation for x >= 0. i = j is always one solution, so t overlaps itself if there is a second solution. */
bool tensor_is_overlapping(const tensor *t) {
  if (t->count <= 1 || tensor_is_contiguous(t)) return false;
  equation e = {.steps = SEARCH_STEPS};
  for (int d = 0; d < t->shape.ndim; d++) {
    int64_t most = t->shape.dim[d] - 1, coef = magnitude(t->stride[d]);
    if (most == 0) continue;
    if (coef == 0) return true;
    add_term(&e, coef, 2 * most, false);
    e.want += coef * most;
  }
  return count_solutions(&e, 0, e.want, 2) > 1;
}

/* Adds the term sign * stride * index of each dim of a view. If the coefficient is negative, the index is counted
** from the end of the dim, which makes the coefficient positive and changes `want`. */
static void add_view(equation *e, const tensor *t, int sign) {
  for (int d = 0; d < t->shape.ndim; d++) {
    int64_t most = t->shape.dim[d] - 1, coef = sign * t->stride[d];
    if (most == 0 || coef == 0) continue;
    if (coef < 0) e->want -= coef * most;
    add_term(e, magnitude(coef), most, true);
  }
}

static bool shares_element(const tensor *a, const tensor *b) {
  equation e = {.want = b->offset - a->offset, .steps = SEARCH_STEPS};
  add_view(&e, a, 1);
  add_view(&e, b, -1);
  return count_solutions(&e, 0, e.want, 1) > 0;
}

/* Sets *first and *last to the addresses of the first and the last byte that t uses. Addresses are numbers, because a
** pending storage may have no memory yet. */
static void byte_range(const tensor *t, uintptr_t *first, uintptr_t *last) {
  int64_t lo = 0, hi = 0;
  for (int d = 0; d < t->shape.ndim; d++) {
    int64_t reach = (t->shape.dim[d] - 1) * t->stride[d];
    if (reach < 0) lo += reach; else hi += reach;
  }
  uintptr_t data = (uintptr_t)t->store->ptr;
  int64_t size = dtype_size(t->dtype);
  *first = data + (uintptr_t)((t->offset + lo) * size);
  *last = data + (uintptr_t)((t->offset + hi + 1) * size - 1);
}

static bool ranges_meet(const tensor *a, const tensor *b) {
  uintptr_t af, al, bf, bl;
  if (a->store != b->store && (!a->store->ptr || !b->store->ptr)) return false;
  byte_range(a, &af, &al);
  byte_range(b, &bf, &bl);
  return al >= bf && bl >= af;
}

/* True if `in`, broadcast to out's shape, has each element at the address of the same element of `out`. */
static bool same_places(const tensor *out, const tensor *in) {
  int64_t stride[MAX_DIMS];
  if (out->dtype != in->dtype) return false;
  if (out->store == in->store ? out->offset != in->offset : tensor_data(out) != tensor_data(in)) return false;
  if (shape_expand(&in->shape, in->stride, &out->shape, stride) != OK) return false;
  for (int d = 0; d < out->shape.ndim; d++)
    if (out->shape.dim[d] != 1 && out->stride[d] != stride[d]) return false;
  return true;
}

bool tensor_conflicts(const tensor *out, const tensor *in) {
  if (out == in || out->count == 0 || in->count == 0) return false;
  if (!ranges_meet(out, in) || same_places(out, in)) return false;
  bool comparable = out->store == in->store && out->dtype == in->dtype;
  return !comparable || shares_element(out, in);
}
