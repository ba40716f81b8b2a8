/* Gathers, scatters and sorts as lines of StableHLO. */

#include "pjrt/translate.h"

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
  emit(e, "%%%d = \"stablehlo.gather\"(%%%d, %%%d) <{dimension_numbers = #stablehlo.gather<offset_dims = [%a], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = %d>, slice_sizes = array<i64: 1", e->next, value,
       positions, a.dims, window, a.positions.ndim);
  for (int k = 1; k < a.all.ndim; k++) emit(e, ", %i", a.all.dim[k]);
  emit(e, ">}> : (%t, %t) -> %t\n", d, &a.all, DT_int64, &a.positions, d, s);
  return e->next++;
}

int emit_scatter(emission *e, const char *merge, int into, enum dtype d, int64_t n, int positions, const shape *s, int window,
                 int value) {
  const access a = make_access(n, s, window);
  int result = e->next++;
  emit(e, "%%%d = \"stablehlo.scatter\"(%%%d, %%%d, %%%d) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [%a], "
       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = %d>, unique_indices = %s}> ", result, into,
       positions, value, a.dims, window, a.positions.ndim, merge[1] ? "false" : "true");
  emit_region(e, 2, (enum dtype[]){d, d}, d, merge);
  emit(e, " : (%t, %t, %t) -> %t\n", d, &a.all, DT_int64, &a.positions, d, s, d, &a.all);
  return result;
}

void emit_sort(emission *e, bool descending, const shape *s, term t[3]) {
  enum dtype d[6];
  int result = e->next;
  e->next += 3;
  for (int k = 0; k < 6; k++) d[k] = t[k / 2].dtype;
  emit(e, "%%%d, %%%d, %%%d = \"stablehlo.sort\"(%%%d, %%%d, %%%d) <{dimension = %d : i64, is_stable = true}> ", result,
       result + 1, result + 2, t[0].value, t[1].value, t[2].value, s->ndim - 1);
  emit_region(e, 6, d, d[0], descending ? "a > b" : "a < b");
  emit(e, " : (%t, %t, %t) -> (%t, %t, %t)\n", d[0], s, d[2], s, d[4], s, d[0], s, d[2], s, d[4], s);
  for (int k = 0; k < 3; k++) t[k].value = result + k;
}

term emit_places(emission *e, const shape *s) {
  return FORMULA(e, s, DT_int64, "p + 1", "p", term_of(emit_iota(e, DT_int64, s, s->ndim - 1), DT_int64));
}
