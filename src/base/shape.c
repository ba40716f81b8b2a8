#include "base/shape.h"

#include <stdlib.h>
#include <string.h>

bool shape_equal(const shape *a, const shape *b) {
  return a->ndim == b->ndim && memcmp(a->dim, b->dim, sizeof(int64_t) * (size_t)a->ndim) == 0;
}

int shape_count(const shape *s, int size, int64_t *count) {
  int64_t n = 1, bytes;
  for (int d = 0; d < s->ndim; d++)          /* an empty tensor's other dims may have lengths whose product overflows */
    if (s->dim[d] == 0) { *count = 0; return OK; }
  for (int d = 0; d < s->ndim; d++)
    if (__builtin_mul_overflow(n, s->dim[d], &n)) return ERR_OVERFLOW;
  if (__builtin_mul_overflow(n, (int64_t)size, &bytes)) return ERR_OVERFLOW;
  *count = n;
  return OK;
}

void shape_strides(const shape *s, int64_t *stride) {
  uint64_t step = 1;                         /* elements; may overflow for an empty shape, which has no elements to
                                             ** visit */
  for (int d = s->ndim - 1; d >= 0; d--) {
    stride[d] = (int64_t)step;
    step *= (uint64_t)(s->dim[d] > 0 ? s->dim[d] : 1);
  }
}

bool shape_strides_like(const shape *s, const int64_t *like, int64_t *stride) {
  int order[MAX_DIMS], n = 0;                /* the dims with several elements, the nearest elements last */
  for (int d = 0; d < s->ndim; d++) {
    if (s->dim[d] == 1) continue;
    if (like[d] == 0) return false;
    int k = n++;
    for (; k > 0 && llabs(like[order[k - 1]]) < llabs(like[d]); k--) order[k] = order[k - 1];
    order[k] = d;
  }
  int64_t step = 1;
  for (int k = n - 1; k >= 0; k--) {
    stride[order[k]] = step;
    step *= s->dim[order[k]];
  }
  for (int d = s->ndim - 1; d >= 0; d--)
    if (s->dim[d] == 1) stride[d] = d + 1 < s->ndim ? stride[d + 1] * s->dim[d + 1] : 1;
  return true;
}

bool shape_is_contiguous(const shape *s, const int64_t *stride) {
  int64_t step = 1;
  for (int d = s->ndim - 1; d >= 0; d--) {
    if (s->dim[d] == 0) return true;
    if (s->dim[d] == 1) continue;
    if (stride[d] != step) return false;
    step *= s->dim[d];
  }
  return true;
}

int shape_broadcast(shape *into, const shape *with) {
  int shift = with->ndim - into->ndim;
  if (shift > 0) {
    memmove(into->dim + shift, into->dim, sizeof(int64_t) * (size_t)into->ndim);
    for (int d = 0; d < shift; d++) into->dim[d] = 1;
    into->ndim = with->ndim;
  }
  for (int d = 1; d <= with->ndim; d++) {
    int64_t *a = &into->dim[into->ndim - d], b = with->dim[with->ndim - d];
    if (*a == b || b == 1) continue;
    if (*a != 1) return ERR_BROADCAST;
    *a = b;
  }
  return OK;
}

int shape_expand(const shape *from, const int64_t *stride, const shape *to, int64_t *out) {
  int shift = to->ndim - from->ndim;
  if (shift < 0) return ERR_BROADCAST;
  for (int d = 0; d < to->ndim; d++) {
    if (d < shift) { out[d] = 0; continue; }
    int64_t n = from->dim[d - shift];
    if (n == to->dim[d]) out[d] = n == 1 ? 0 : stride[d - shift];
    else if (n == 1) out[d] = 0;
    else return ERR_BROADCAST;
  }
  return OK;
}

/* Divides the old dims and the new dims into groups, so that group i of the old dims and group i of the new dims have
** the same number of elements. A group needs no copy if the strides of its old dims are those of one contiguous run,
** apart from a common factor. */
bool shape_reshape(const shape *from, const int64_t *stride, const shape *to, int64_t *out) {
  int64_t n[MAX_DIMS], st[MAX_DIMS];
  int ndim = 0;
  for (int d = 0; d < from->ndim; d++) {
    if (from->dim[d] == 0) { shape_strides(to, out); return true; }
    if (from->dim[d] != 1) { n[ndim] = from->dim[d]; st[ndim++] = stride[d]; }
  }
  int i = 0, j = 0;
  while (i < ndim) {
    int first = i;
    int64_t have = n[i++], want = 1;
    int start = j;
    while (j < to->ndim && want < have) want *= to->dim[j++];
    while (want != have) {
      if (want < have) { if (j == to->ndim) return false; want *= to->dim[j++]; }
      else { if (i == ndim) return false; have *= n[i++]; }
    }
    for (int k = first; k + 1 < i; k++)
      if (st[k] != n[k + 1] * st[k + 1]) return false;
    int64_t step = st[i - 1];
    for (int k = j - 1; k >= start; k--) { out[k] = step; step *= to->dim[k]; }
  }
  for (; j < to->ndim; j++) out[j] = 1;      /* strides of trailing dims of length 1 */
  return true;
}

void plan_init(plan *p, const shape *s) {
  p->ndim = s->ndim;
  p->count = 1;
  for (int d = 0; d < s->ndim; d++) {
    p->shape[d] = s->dim[d];
    p->count *= s->dim[d];
  }
}

void plan_operand(plan *p, int k, const int64_t *stride) {
  for (int d = 0; d < p->ndim; d++) p->stride[k][d] = stride ? stride[d] : 0;
}

void plan_contiguous(plan *p, int64_t count, int noperands) {
  p->ndim = 1;
  p->count = p->shape[0] = count;
  for (int k = 0; k < noperands; k++) p->stride[k][0] = 1;
}

void plan_lines(plan *p, const shape *s, int dim, int n, const int64_t *const *stride) {
  p->ndim = 0;
  p->count = 1;
  for (int d = 0; d < s->ndim; d++) {
    if (d == dim) continue;
    p->shape[p->ndim] = s->dim[d];
    for (int k = 0; k < n; k++) p->stride[k][p->ndim] = stride[k] ? stride[k][d] : 0;
    p->count *= s->dim[d];
    p->ndim++;
  }
}

/* True if every operand can traverse dim d and the previous kept dim, `last`, as one dim. */
static bool mergeable(const plan *p, int noperands, int last, int d) {
  for (int k = 0; k < noperands; k++)
    if (p->stride[k][last] != p->stride[k][d] * p->shape[d]) return false;
  return true;
}

void plan_collapse(plan *p, int noperands) {
  int kept = 0;
  for (int d = 0; d < p->ndim; d++) {
    if (p->shape[d] == 1) continue;
    int to = kept;
    if (kept > 0 && mergeable(p, noperands, kept - 1, d)) {
      to = kept - 1;
      p->shape[to] *= p->shape[d];
    } else {
      p->shape[to] = p->shape[d];
      kept++;
    }
    for (int k = 0; k < noperands; k++) p->stride[k][to] = p->stride[k][d];
  }
  p->ndim = kept;
}
