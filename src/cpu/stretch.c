/* Converts and copies elements in stretches, which are runs of limited length. The operation can be cancelled between
** two stretches. */

#include "cpu/cpu.h"

void convert_stretches(enum dtype from, enum dtype to, int64_t n, void *out, const void *in) {
  convert_kernel convert = cpu_isa->convert->convert[from][to];
  for (int64_t i = 0, end; (end = cancel_stretch(i, n)) > i; i = end)
    convert(end - i, (char *)out + i * dtype_size(to), (const char *)in + i * dtype_size(from));
}

/* Copies columns begin … end - 1 of all rows. */
static void copy_columns(const copy_plan *p, int size, char *to, const char *from, int64_t begin, int64_t end) {
  copy_kernel copy = cpu_isa->convert->copy[__builtin_ctz((unsigned)size)];
  copy_plan part = *p;
  part.cols = end - begin;
  to += begin * p->to_col * size;
  from += begin * p->from_col * size;
  int64_t most = CANCEL_STRETCH / part.cols + 1;
  for (int64_t i = 0; i < p->rows && !(i > 0 && cancel_due()); i += most) {
    part.rows = p->rows - i < most ? p->rows - i : most;
    copy(&part, to + i * p->to_row * size, from + i * p->from_row * size);
  }
}

void copy_stretches(const copy_plan *p, int size, void *to, const void *from) {
  for (int64_t i = 0, end; (end = cancel_stretch(i, p->cols)) > i; i = end) copy_columns(p, size, to, from, i, end);
}
