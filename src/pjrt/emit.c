#include "pjrt/emit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "math/scalar.h"

bool emit_reserve(emission *e, size_t length) {
  size_t room = e->room ? e->room : 4096;
  while (room < e->length + length) room *= 2;
  if (room == e->room) return true;
  char *moved = realloc(e->text, room);
  if (!moved) return false;
  e->text = moved;
  e->room = room;
  return true;
}

void emit_text(emission *e, const char *text, size_t length) {
  if (length && e->status == OK && !emit_reserve(e, length)) e->status = ERR_MEMORY;
  if (length == 0 || e->status != OK) return;
  memcpy(e->text + e->length, text, length);
  e->length += length;
}

bool emit_equal(const emission *a, const emission *b) {
  return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* FNV-1a. */
uint64_t emit_hash(const emission *e, size_t from, bool numbers) {
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t k = from; k < e->length; k++) {
    h = (h ^ (unsigned char)e->text[k]) * UINT64_C(0x100000001B3);
    if (!numbers && e->text[k] == '%') k += strspn(e->text + k + 1, "0123456789");
  }
  return h;
}

static void emit_word(emission *e, const char *text) { emit_text(e, text, strlen(text)); }

/* Appends a number with at least so many digits. */
static void emit_digits(emission *e, uint64_t x, unsigned base, int digits) {
  char text[24], *at = text + sizeof text;
  for (; x || digits > 0; x /= base, digits--) *--at = "0123456789ABCDEF"[x % base];
  emit_text(e, at, (size_t)(text + sizeof text - at));
}

static void emit_signed(emission *e, int64_t x) {
  if (x < 0) emit_text(e, "-", 1);
  emit_digits(e, x < 0 ? -(uint64_t)x : (uint64_t)x, 10, 1);
}

static void emit_type(emission *e, enum dtype d, const shape *s) {
  static const char *const names[DTYPE_COUNT] = {
    [DT_bool] = "i1", [DT_uint8] = "ui8", [DT_uint16] = "ui16", [DT_uint32] = "ui32", [DT_uint64] = "ui64",
    [DT_int8] = "i8", [DT_int16] = "i16", [DT_int32] = "i32", [DT_int64] = "i64", [DT_float16] = "f16",
    [DT_bfloat16] = "bf16", [DT_float32] = "f32", [DT_float64] = "f64", [DT_complex64] = "complex<f32>",
    [DT_complex128] = "complex<f64>"
  };
  emit_word(e, "tensor<");
  for (int k = 0; k < s->ndim; k++) {
    emit_signed(e, s->dim[k]);
    emit_word(e, "x");
  }
  emit_word(e, names[d]);
  emit_word(e, ">");
}

static void emit_arguments(emission *e, const char *at, va_list list) {
  for (;; at++) {
    size_t plain = strcspn(at, "%");
    emit_text(e, at, plain);
    at += plain;
    if (!*at || e->status != OK) return;
    switch (*++at) {
      case 'd': emit_signed(e, va_arg(list, int)); break;
      case 'i': emit_signed(e, va_arg(list, int64_t)); break;
      case 's': emit_word(e, va_arg(list, const char *)); break;
      case 't': {
        enum dtype d = va_arg(list, enum dtype);
        emit_type(e, d, va_arg(list, const shape *));
        break;
      }
      case 'a': {
        const int64_t *numbers = va_arg(list, const int64_t *);
        int n = va_arg(list, int);
        for (int k = 0; k < n; k++) {
          if (k) emit_text(e, ", ", 2);
          emit_signed(e, numbers[k]);
        }
        break;
      }
      default: emit_text(e, at, 1);
    }
  }
}

void emit(emission *e, const char *format, ...) {
  va_list list;
  va_start(list, format);
  emit_arguments(e, format, list);
  va_end(list);
}

int emit_line(emission *e, const char *format, ...) {
  va_list list;
  va_start(list, format);
  emit(e, "%%%d = ", e->next);
  emit_arguments(e, format, list);
  emit_text(e, "\n", 1);
  va_end(list);
  return e->next++;
}

#define INTEGER(name, ...) case DT_##name: v.i = v.is_float ? (int64_t)to_##name(v.f) : (int64_t)to_##name(v.i); break;

void number_element(scalar v, enum dtype d, uint64_t to[2]) {
  double parts[2] = {v.f, v.is_complex ? v.im : 0};      /* scripts' real numbers have no imaginary part */
  float  halves[2] = {(float)parts[0], (float)parts[1]};
  switch (d) {
    EACH_INTEGER(INTEGER)
    case DT_bool:     v.i = v.is_float ? to_bool(v.f) || (v.is_complex && to_bool(v.im)) : to_bool(v.i); break;
    case DT_float16:  v.i = to_float16(v.f); break;
    case DT_bfloat16: v.i = to_bfloat16(v.f); break;
    default: memcpy(to, dtype_real(d) == DT_float32 ? (void *)halves : (void *)parts, (size_t)dtype_size(d)); return;
  }
  memcpy(to, &v.i, sizeof v.i);                          /* the low bytes come first */
}

/* Appends the bits of a real float of dtype d. */
static void emit_float(emission *e, enum dtype d, double x) {
  uint64_t bits[2] = {0};
  number_element((scalar){.f = x, .is_float = true}, d, bits);
  emit_text(e, "0x", 2);
  emit_digits(e, bits[0], 16, 2 * dtype_size(d));
}

int emit_constant(emission *e, enum dtype d, const shape *s, scalar value) {
  int kind = dtype_kind(d);
  emit(e, "%%%d = stablehlo.constant dense<", e->next);
  if (kind == KIND_BOOL) emit(e, "%s", value.i ? "true" : "false");
  else if (kind == KIND_UINT) emit_digits(e, (uint64_t)value.i, 10, 1);
  else if (kind == KIND_INT) emit_signed(e, value.i);
  else if (kind == KIND_FLOAT) emit_float(e, d, value.f);
  else {
    emit(e, "(");
    emit_float(e, dtype_real(d), value.f);
    emit(e, ",");
    emit_float(e, dtype_real(d), value.im);
    emit(e, ")");
  }
  emit(e, "> : %t\n", d, s);
  return e->next++;
}

int emit_slice(emission *e, int value, enum dtype d, const shape *from, const int64_t *start, const shape *to) {
  if (shape_equal(from, to)) return value;
  emit(e, "%%%d = stablehlo.slice %%%d [", e->next, value);
  for (int k = 0; k < to->ndim; k++) emit(e, "%s%i:%i", k ? ", " : "", start[k], start[k] + to->dim[k]);
  emit(e, "] : (%t) -> %t\n", d, from, d, to);
  return e->next++;
}

int emit_pad(emission *e, int value, enum dtype d, const shape *from, scalar fill, const int64_t *low, const int64_t *inner,
             const shape *to) {
  const int n = to->ndim, other = emit_constant(e, d, &no_dims, fill);
  int64_t high[MAX_DIMS];
  for (int k = 0; k < n; k++) high[k] = to->dim[k] - low[k] - from->dim[k] - (from->dim[k] - 1) * inner[k];
  return emit_line(e, "stablehlo.pad %%%d, %%%d, low = [%a], high = [%a], interior = [%a] : (%t, %t) -> %t", value, other, low, n, high, n,
                   inner, n, d, from, d, &no_dims, d, to);
}

int emit_iota(emission *e, enum dtype d, const shape *s, int dim) { return emit_line(e, "stablehlo.iota dim = %d : %t", dim, d, s); }

int emit_reshape(emission *e, int value, enum dtype d, const shape *from, const shape *to) {
  return shape_equal(from, to) ? value : emit_line(e, "stablehlo.reshape %%%d : (%t) -> %t", value, d, from, d, to);
}

int emit_broadcast(emission *e, int value, enum dtype d, const shape *from, const int64_t *dims, const shape *to) {
  if (shape_equal(from, to)) return value;
  return emit_line(e, "stablehlo.broadcast_in_dim %%%d, dims = [%a] : (%t) -> %t", value, dims, from->ndim, d, from, d, to);
}
