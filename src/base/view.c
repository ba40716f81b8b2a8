#include "base/view.h"

#include <string.h>

static void recount(tensor *t) {
  t->count = 1;
  for (int d = 0; d < t->shape.ndim; d++) t->count *= t->shape.dim[d];
}

void view_remove(tensor *t, int dim) {
  size_t after = sizeof(int64_t) * (size_t)(--t->shape.ndim - dim);
  memmove(t->shape.dim + dim, t->shape.dim + dim + 1, after);
  memmove(t->stride + dim, t->stride + dim + 1, after);
}

void view_select(tensor *t, int dim, int64_t i) {
  t->offset += i * t->stride[dim];
  t->count /= t->shape.dim[dim];
  view_remove(t, dim);
}

/* An empty range keeps the offset, because it may start one past the end. */
void view_range(tensor *t, int dim, int64_t first, int64_t step, int64_t count) {
  if (count > 0) t->offset += first * t->stride[dim];
  t->stride[dim] *= step;
  t->shape.dim[dim] = count;
  recount(t);
}

int view_insert(tensor *t, int dim, int64_t n, int64_t stride) {
  if (t->shape.ndim == MAX_DIMS) return ERR_NDIM;
  size_t after = sizeof(int64_t) * (size_t)(t->shape.ndim++ - dim);
  memmove(t->shape.dim + dim + 1, t->shape.dim + dim, after);
  memmove(t->stride + dim + 1, t->stride + dim, after);
  t->shape.dim[dim] = n;
  t->stride[dim] = stride;
  return OK;
}

void view_move(tensor *t, int from, int to) {
  int64_t n = t->shape.dim[from], stride = t->stride[from];
  view_remove(t, from);
  view_insert(t, to, n, stride);
}

void view_permute(tensor *t, const int *order) {
  tensor old = *t;
  for (int d = 0; d < t->shape.ndim; d++) {
    t->shape.dim[d] = old.shape.dim[order[d]];
    t->stride[d] = old.stride[order[d]];
  }
}

void view_swap(tensor *t, int a, int b) {
  int64_t n = t->shape.dim[a], stride = t->stride[a];
  t->shape.dim[a] = t->shape.dim[b];
  t->stride[a] = t->stride[b];
  t->shape.dim[b] = n;
  t->stride[b] = stride;
}

void view_diagonal(tensor *t, int rows, int columns, int64_t offset) {
  int64_t down = offset < 0 ? -offset : 0, right = offset > 0 ? offset : 0;
  int64_t m = t->shape.dim[rows] - down, n = t->shape.dim[columns] - right, length = m < n ? m : n;
  int64_t stride = t->stride[rows] + t->stride[columns];
  if (length > 0) t->offset += down * t->stride[rows] + right * t->stride[columns];
  view_remove(t, rows > columns ? rows : columns);
  view_remove(t, rows > columns ? columns : rows);
  view_insert(t, t->shape.ndim, length > 0 ? length : 0, stride);
  recount(t);
}

int view_broadcast(tensor *t, const shape *to) {
  int64_t stride[MAX_DIMS];
  int st = shape_expand(&t->shape, t->stride, to, stride);
  if (st != OK) return st;
  t->shape = *to;
  memcpy(t->stride, stride, sizeof stride[0] * (size_t)to->ndim);
  recount(t);
  return OK;
}

bool view_reshape(tensor *t, const shape *to) {
  int64_t stride[MAX_DIMS];
  if (!shape_reshape(&t->shape, t->stride, to, stride)) return false;
  t->shape = *to;
  memcpy(t->stride, stride, sizeof stride[0] * (size_t)to->ndim);
  return true;
}
