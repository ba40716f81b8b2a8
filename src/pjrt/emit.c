#include "pjrt/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/scalar.h"

/* Makes room for `more` characters and a final 0. */
static bool has_room(emission *e, size_t more) {
  if (e->failed) return false;
  if (e->length + more < e->room) return true;
  size_t room = e->room ? 2 * e->room : 4096;
  while (room <= e->length + more) room *= 2;
  char *moved = realloc(e->text, room);
  if (moved) {
    e->text = moved;
    e->room = room;
  }
  e->failed = !moved;
  return moved;
}

void emit(emission *e, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = has_room(e, 128) ? vsnprintf(e->text + e->length, e->room - e->length, format, list) : 0;
  va_end(list);
  if (e->failed) return;
  if ((size_t)n >= e->room - e->length) {
    if (!has_room(e, (size_t)n)) return;
    va_start(list, format);
    vsnprintf(e->text + e->length, e->room - e->length, format, list);
    va_end(list);
  }
  e->length += (size_t)n;
}

const char *emit_name(enum dtype d) {
  static const char *const names[DTYPE_COUNT] = {
    [DT_bool] = "i1", [DT_uint8] = "ui8", [DT_uint16] = "ui16", [DT_uint32] = "ui32", [DT_uint64] = "ui64",
    [DT_int8] = "i8", [DT_int16] = "i16", [DT_int32] = "i32", [DT_int64] = "i64", [DT_float16] = "f16",
    [DT_bfloat16] = "bf16", [DT_float32] = "f32", [DT_float64] = "f64", [DT_complex64] = "complex<f32>",
    [DT_complex128] = "complex<f64>"
  };
  return names[d];
}

void emit_type(emission *e, enum dtype d, const shape *s) {
  emit(e, "tensor<");
  for (int k = 0; k < s->ndim; k++) emit(e, "%lldx", (long long)s->dim[k]);
  emit(e, "%s>", emit_name(d));
}

/* Appends the bits of a real float of dtype d. */
static void emit_float(emission *e, enum dtype d, double x) {
  uint64_t wide;
  float single = (float)x;
  uint32_t bits;
  memcpy(&wide, &x, sizeof wide);
  memcpy(&bits, &single, sizeof bits);
  if (d == DT_float64) emit(e, "0x%016llX", (unsigned long long)wide);
  else if (d == DT_float32) emit(e, "0x%08X", (unsigned)bits);
  else emit(e, "0x%04X", d == DT_float16 ? (unsigned)to_float16(x) : (unsigned)to_bfloat16(x));
}

#define INTEGER(name, ...) case DT_##name: v.i = v.is_float ? (int64_t)to_##name(v.f) : (int64_t)to_##name(v.i); break;

scalar number_of_dtype(scalar v, enum dtype d) {
  switch (d) {
    EACH_INTEGER(INTEGER)
    case DT_bool: v.i = v.is_float ? to_bool(v.f) || (v.is_complex && to_bool(v.im)) : to_bool(v.i); break;
    default: break;
  }
  if (!v.is_complex) v.im = 0;         /* scripts' real numbers have no imaginary part */
  return v;
}

int emit_constant(emission *e, enum dtype d, const shape *s, scalar value) {
  int kind = dtype_kind(d);
  emit(e, "%%%d = stablehlo.constant dense<", e->next);
  if (kind == KIND_BOOL) emit(e, "%s", value.i ? "true" : "false");
  else if (kind == KIND_UINT) emit(e, "%llu", (unsigned long long)value.i);
  else if (kind == KIND_INT) emit(e, "%lld", (long long)value.i);
  else if (kind == KIND_FLOAT) emit_float(e, d, value.f);
  else {
    emit(e, "(");
    emit_float(e, dtype_real(d), value.f);
    emit(e, ",");
    emit_float(e, dtype_real(d), value.im);
    emit(e, ")");
  }
  emit(e, "> : ");
  emit_type(e, d, s);
  emit(e, "\n");
  return e->next++;
}

int emit_simple(emission *e, const char *op, int count, const int *in, enum dtype d, const shape *s) {
  emit(e, "%%%d = %s", e->next, op);
  for (int k = 0; k < count; k++) emit(e, "%s%%%d", k ? ", " : " ", in[k]);
  emit(e, " : ");
  emit_type(e, d, s);
  emit(e, "\n");
  return e->next++;
}

void emit_list(emission *e, const char *name, const int64_t *list, int n) {
  emit(e, "%s = [", name);
  for (int k = 0; k < n; k++) emit(e, "%s%lld", k ? ", " : "", (long long)list[k]);
  emit(e, "]");
}

void emit_ends(emission *e, enum dtype d, const shape *from, const shape *to) {
  emit(e, " : (");
  emit_type(e, d, from);
  emit(e, ") -> ");
  emit_type(e, d, to);
  emit(e, "\n");
}

int emit_iota(emission *e, enum dtype d, const shape *s, int dim) {
  emit(e, "%%%d = stablehlo.iota dim = %d : ", e->next, dim);
  emit_type(e, d, s);
  emit(e, "\n");
  return e->next++;
}

int emit_reshape(emission *e, int value, enum dtype d, const shape *from, const shape *to) {
  if (shape_equal(from, to)) return value;
  emit(e, "%%%d = stablehlo.reshape %%%d", e->next, value);
  emit_ends(e, d, from, to);
  return e->next++;
}

int emit_broadcast(emission *e, int value, enum dtype d, const shape *from, const int64_t *dims, const shape *to) {
  if (shape_equal(from, to)) return value;
  emit(e, "%%%d = stablehlo.broadcast_in_dim %%%d, ", e->next, value);
  emit_list(e, "dims", dims, from->ndim);
  emit_ends(e, d, from, to);
  return e->next++;
}
