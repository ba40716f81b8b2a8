#include "pjrt/emit.h"

#include <stdarg.h>
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

void emit_text(emission *e, const char *text, size_t length) {
  if (length == 0 || !has_room(e, length)) return;
  memcpy(e->text + e->length, text, length);
  e->length += length;
}

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

void emit(emission *e, const char *format, ...) {
  va_list list;
  va_start(list, format);
  for (const char *at = format, *text; *at; at++) {
    size_t plain = strcspn(at, "%");
    emit_text(e, at, plain);
    at += plain;
    if (!*at) break;
    switch (*++at) {
      case '%': emit_text(e, "%", 1); break;
      case 'd': emit_signed(e, va_arg(list, int)); break;
      case 's': text = va_arg(list, const char *); emit_text(e, text, strlen(text)); break;
      case 'l': at += 2; emit_signed(e, va_arg(list, long long)); break;
      default:  e->failed = true;
    }
  }
  va_end(list);
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
  emit_text(e, "0x", 2);
  if (d == DT_float64) emit_digits(e, wide, 16, 16);
  else if (d == DT_float32) emit_digits(e, bits, 16, 8);
  else emit_digits(e, d == DT_float16 ? to_float16(x) : to_bfloat16(x), 16, 4);
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

int emit_constant(emission *e, enum dtype d, const shape *s, scalar value) {
  int kind = dtype_kind(d);
  emit(e, "%%%d = stablehlo.constant dense<", e->next);
  if (kind == KIND_BOOL) emit(e, "%s", value.i ? "true" : "false");
  else if (kind == KIND_UINT) emit_digits(e, (uint64_t)value.i, 10, 1);
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

int emit_end(emission *e, int n, ...) {
  va_list list;
  va_start(list, n);
  for (int k = 0; k <= n; k++) {
    enum dtype d = va_arg(list, enum dtype);
    emit(e, k == n ? ") -> " : k ? ", " : " : (");
    emit_type(e, d, va_arg(list, const shape *));
  }
  va_end(list);
  emit(e, "\n");
  return e->next++;
}

int emit_slice(emission *e, int value, enum dtype d, const shape *from, const int64_t *start, const shape *to) {
  if (shape_equal(from, to)) return value;
  emit(e, "%%%d = stablehlo.slice %%%d [", e->next, value);
  for (int k = 0; k < to->ndim; k++) emit(e, "%s%lld:%lld", k ? ", " : "", (long long)start[k], (long long)(start[k] + to->dim[k]));
  emit(e, "]");
  return emit_end(e, 1, d, from, d, to);
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
  return emit_end(e, 1, d, from, d, to);
}

int emit_broadcast(emission *e, int value, enum dtype d, const shape *from, const int64_t *dims, const shape *to) {
  if (shape_equal(from, to)) return value;
  emit(e, "%%%d = stablehlo.broadcast_in_dim %%%d, ", e->next, value);
  emit_list(e, "dims", dims, from->ndim);
  return emit_end(e, 1, d, from, d, to);
}

/* ---- gathers and scatters ---- */

/* The elements [n, window …] of an access, the shape of its positions, and the numbers of the window's dims. */
typedef struct access {
  shape   all, positions;
  int64_t dims[MAX_DIMS];
} access;

static access make_access(int64_t n, const shape *s, int window) {
  access a = {.all = {1 + window, {n}}, .positions = *s};
  a.positions.ndim -= window;
  for (int k = 0; k < window; k++) {
    a.dims[k] = a.positions.ndim + k;
    a.all.dim[1 + k] = s->dim[a.dims[k]];
  }
  return a;
}

int emit_gather(emission *e, int value, enum dtype d, int64_t n, int positions, const shape *s, int window) {
  const access a = make_access(n, s, window);
  emit(e, "%%%d = \"stablehlo.gather\"(%%%d, %%%d) <{dimension_numbers = #stablehlo.gather<", e->next, value, positions);
  emit_list(e, "offset_dims", a.dims, window);
  emit(e, ", collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = %d>, slice_sizes = array<i64: 1",
       a.positions.ndim);
  for (int k = 1; k < a.all.ndim; k++) emit(e, ", %lld", (long long)a.all.dim[k]);
  emit(e, ">}>");
  return emit_end(e, 2, d, &a.all, DT_int64, &a.positions, d, s);
}

int emit_scatter(emission *e, const char *op, int into, enum dtype d, int64_t n, int positions, const shape *s, int window,
                 int value) {
  static const shape one = {0};
  const access a = make_access(n, s, window);
  int result = e->next, old = result + 1, body = result + 2;
  emit(e, "%%%d = \"stablehlo.scatter\"(%%%d, %%%d, %%%d) <{scatter_dimension_numbers = #stablehlo.scatter<", result, into,
       positions, value);
  emit_list(e, "update_window_dims", a.dims, window);
  emit(e, ", inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = %d>, unique_indices = %s}> ({\n"
       "^bb0(%%%d: tensor<%s>, %%%d: tensor<%s>):\n", a.positions.ndim, op ? "false" : "true", old, emit_name(d), body,
       emit_name(d));
  e->next += 3;
  if (op) body = emit_simple(e, op, 2, (int[]){old, body}, d, &one);
  emit(e, "stablehlo.return %%%d : tensor<%s>\n})", body, emit_name(d));
  emit_end(e, 3, d, &a.all, DT_int64, &a.positions, d, s, d, &a.all);
  return result;
}
