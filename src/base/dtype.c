#include "base/dtype.h"

#include <string.h>

const dtype_info dtypes[DTYPE_COUNT] = {
#define ROW(name, store, compute, accum, kind, ...) \
  [DT_##name] = {#name, sizeof(store), KIND_##kind, DT_##compute, DT_##accum, __VA_ARGS__},
  DTYPES(ROW)
};

static enum dtype default_float = DT_float32;

enum dtype dtype_default_float(void) { return default_float; }
void dtype_set_default_float(enum dtype d) { default_float = d; }

enum dtype dtype_find(const char *name) {
  for (int d = 0; d < DTYPE_COUNT; d++)
    if (strcmp(dtypes[d].name, name) == 0) return (enum dtype)d;
  return DT_none;
}

enum dtype dtype_real(enum dtype d) {
  return d == DT_complex64 ? DT_float32 : d == DT_complex128 ? DT_float64 : d;
}

enum dtype dtype_complex(enum dtype d) {
  if (dtype_kind(d) == KIND_COMPLEX) return d;
  if (dtype_kind(d) < KIND_FLOAT) d = default_float;
  return d == DT_float64 ? DT_complex128 : DT_complex64;
}

/* Returns the signed integer dtype of `bytes` bytes, or float64 if there is no such dtype. Promoting uint64 with a
** signed integer asks for 16 bytes, so the result is float64. */
static enum dtype signed_of_size(int bytes) {
  for (int d = 0; d < DTYPE_COUNT; d++)
    if (dtypes[d].kind == KIND_INT && dtypes[d].size == bytes) return (enum dtype)d;
  return DT_float64;
}

enum dtype dtype_promote(enum dtype a, enum dtype b) {
  if (a == b) return a;
  const dtype_info *lo = &dtypes[a], *hi = &dtypes[b];
  if (lo->kind > hi->kind) { const dtype_info *t = lo; lo = hi; hi = t; enum dtype d = a; a = b; b = d; }
  if (lo->kind == KIND_UINT && hi->kind == KIND_INT)
    return hi->size > lo->size ? b : signed_of_size(2 * lo->size);
  if (hi->kind == KIND_COMPLEX && lo->kind == KIND_FLOAT && 2 * lo->size > hi->size) return DT_complex128;
  if (lo->kind != hi->kind) return b;
  if (lo->size == hi->size) return DT_float32;       /* a and b are float16 and bfloat16 */
  return lo->size > hi->size ? a : b;
}

bool dtype_in_class(enum dtype d, enum dtype_class c) {
  int kind = dtypes[d].kind;
  switch (c) {
    case CLASS_ANY:       return true;
    case CLASS_NUMERIC:   return kind != KIND_BOOL;
    case CLASS_REALS:     return kind != KIND_BOOL && kind != KIND_COMPLEX;
    case CLASS_INTEGER:   return kind == KIND_UINT || kind == KIND_INT;
    case CLASS_BITS:      return kind <= KIND_INT;
    case CLASS_FLOAT:     return kind == KIND_FLOAT || kind == KIND_COMPLEX;
    case CLASS_REALFLOAT: return kind == KIND_FLOAT;
  }
  return false;
}
