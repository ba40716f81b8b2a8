/* x[…] and x[…] = value: reads and writes by index. */

#include "lua/array/select.h"
#include "lua/array/index.h"
#include "base/view.h"
#include "lua/register.h"

/* ---- conversions ---- */

tensor *push_copy_later(lua_State *L, const char *fn, const tensor *x, enum dtype d) {
  tensor *t = push_tensor_later(L, fn, d, &x->shape, x->store->place);
  int st;
  TRY(L, x->store->place, st, op_copy_later(t, x));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t, x}, 2);
  return t;
}

const tensor *to_plain_later(lua_State *L, const char *fn, const tensor *x, enum dtype d) {
  return x->dtype == d && tensor_is_contiguous(x) ? x : push_copy_later(L, fn, x, d);
}

/* Like to_plain_later, but runs deferred ops that use x. */
static const tensor *to_plain(lua_State *L, const char *fn, const tensor *x, enum dtype d) {
  make_ready(L, x, fn);
  if (x->dtype == d && tensor_is_contiguous(x)) return x;
  tensor *t = push_tensor(L, fn, d, &x->shape, x->store->place);
  int st;
  TRY(L, x->store->place, st, op_copy(t, x));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t, x}, 2);
  return t;
}

/* Converts uint64 indices to int64. Values from 2^63 on become the largest int64, which is out of range, too, but not
** negative. */
static const tensor *push_unsigned(lua_State *L, const char *fn, const tensor *x) {
  tensor *t = push_tensor_later(L, fn, DT_int64, &x->shape, x->store->place);
  job j = {.op = OP_minimum, .nin = 2, .in = {{.t = x}, {.s = {.i = INT64_MAX}}}};
  int st = job_prepare(&j);
  if (st == OK) TRY(L, x->store->place, st, job_run_later(&j, t));
  if (st != OK) raise(L, fn, st, (const tensor *[]){t, x}, 2);
  return t;
}

const tensor *to_indices(lua_State *L, const char *fn, const char *what, const tensor *x) {
  int kind = dtype_kind(x->dtype);
  if (kind != KIND_INT && kind != KIND_UINT) luaL_error(L, "%s: %s: integers expected, got %s", fn, what, dtypes[x->dtype].name);
  return x->dtype == DT_uint64 ? push_unsigned(L, fn, x) : to_plain_later(L, fn, x, DT_int64);
}

const tensor *push_nonzero(lua_State *L, const char *fn, const tensor *mask) {
  const tensor *plain = to_plain(L, fn, mask, DT_bool);
  tensor as_row = *plain;
  if (as_row.shape.ndim == 0) as_row.shape = (shape){1, {1}};
  shape s = {2, {as_row.shape.ndim, 0}};
  int st;
  TRY(L, mask->store->place, st, op_count_true(&as_row, &s.dim[1]));
  if (st != OK) raise(L, fn, st, &plain, 1);
  uint32_t version = as_row.store->version;      /* the allocation may run finalizers, which may write to the mask */
  tensor *out = push_tensor(L, fn, DT_int64, &s, mask->store->place);
  TRY(L, mask->store->place, st, op_nonzero(&as_row, version, out));
  if (st != OK) raise(L, fn, st, &plain, 1);
  return out;
}

/* True if values of kind `want` can be stored in dtype d. */
static bool kind_fits(enum dtype d, int want) {
  int have = dtype_kind(d);
  return have >= want || (have == KIND_UINT && want == KIND_INT);
}

/* Calls lt.tensor(table, {dtype = …, device = …}) with the dtype and device of the target. */
static const tensor *from_table(lua_State *L, int i, const tensor *target) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "luatensor.core");
  lua_getfield(L, -1, "tensor");
  lua_pushvalue(L, i);
  lua_createtable(L, 0, 2);
  lua_pushstring(L, dtypes[target->dtype].name);
  lua_setfield(L, -2, "dtype");
  push_place(L, target->store->place);
  lua_setfield(L, -2, "device");
  lua_call(L, 2, 1);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return check_tensor(L, lua_gettop(L), "index");      /* a script may have replaced the function */
}

/* Returns the value at stack index i (number, boolean, tensor, nested table) as a tensor, which deferred operations may read
** or write. Raises an error if the value's device, or the kind of the value's dtype, does not fit target. */
static const tensor *value_tensor_later(lua_State *L, const char *fn, int i, const tensor *target) {
  if (lua_istable(L, i)) return from_table(L, i, target);
  bool number = is_value(L, i);
  if (!number && !test_tensor(L, i))
    luaL_error(L, "%s: number, boolean, tensor or table expected, got %s", fn, type_name(L, i));
  if (number) {
    scalar s = check_value(L, i, fn, target->dtype);
    tensor *t = push_tensor(L, fn, target->dtype, &(shape){.ndim = 0}, target->store->place);
    int st;
    TRY(L, t->store->place, st, op_fill(t, s));
    if (st != OK) raise(L, fn, st, (const tensor *[]){t}, 1);
    return t;
  }
  const tensor *x = check_tensor_later(L, i, fn);
  if (!place_equal(x->store->place, target->store->place)) raise(L, fn, ERR_DEVICES, (const tensor *[]){target, x}, 2);
  if (!kind_fits(target->dtype, dtype_kind(x->dtype)))
    luaL_error(L, "%s: %s does not fit %s", fn, dtypes[x->dtype].name, dtypes[target->dtype].name);
  return x;
}

const tensor *to_value_later(lua_State *L, const char *fn, int i, const tensor *target) {
  const tensor *x = value_tensor_later(L, fn, i, target);
  return x->dtype == target->dtype && x->store != target->store ? x : push_copy_later(L, fn, x, target->dtype);
}

/* ---- index tensors ---- */

static int raise_value(lua_State *L, const char *fn, const index_job *j, int dim) {
  char text[256];
  index_words(text, sizeof text, fn, j->bad, dim, j->index[j->bad_index].length);
  return luaL_error(L, "%s", text);
}

void run_index_later(lua_State *L, const char *fn, index_job *j, tensor *values, const int *dims) {
  j->function = fn;
  for (int k = 0; k < j->nindex; k++) j->index[k].dim = dims[k];
  int st;
  TRY(L, j->target.store->place, st, index_run_later(j, values));
  if (st == OK) return;
  if (st == ERR_INDEX) raise_value(L, fn, j, dims[j->bad_index]);
  tensor positions = {.shape = j->shape};
  if (st == ERR_BROADCAST) raise(L, fn, st, (const tensor *[]){&positions, values}, 2);
  const tensor *all[2 + MAX_DIMS] = {&j->target, values};
  for (int k = 0; k < j->nindex; k++) all[2 + k] = j->index[k].t;
  raise(L, fn, st, all, st == ERR_DEVICES ? 2 + j->nindex : 2);
}

/* The index tensors, one for each indexed dim of the view. Masks have been replaced by positions. */
typedef struct picks {
  int n;
  const tensor *t[MAX_DIMS];
  int dim[MAX_DIMS], source[MAX_DIMS];
  bool masks;                          /* true if every index tensor was made from a mask */
} picks;

/* Merges dims first … first + n - 1 of the view. Returns false if the strides of these dims do not allow it. */
static bool join_dims(tensor *view, int first, int n) {
  shape from = {.ndim = n}, to = {1, {1}};
  int64_t stride;
  for (int d = 0; d < n; d++) to.dim[0] *= from.dim[d] = view->shape.dim[first + d];
  if (!shape_reshape(&from, view->stride + first, &to, &stride)) return false;
  for (int d = 1; d < n; d++) view_remove(view, first + 1);
  view->shape.dim[first] = to.dim[0];
  view->stride[first] = stride;
  return true;
}

/* Replaces a mask by the positions of its true elements in its merged dims. If the dims cannot be merged, replaces
** the mask by coordinates: one index tensor for each dim. */
static void pick_mask(lua_State *L, selection *s, picks *all, picker p, int dim) {
  tensor *mask = push_view(L, to_plain(L, "index", p.t, DT_bool));
  if (p.t->shape.ndim == 0 || join_dims(&s->view, dim, p.ndim)) {
    mask->shape = (shape){1, {p.t->count}};
    mask->stride[0] = 1;
  }
  const tensor *places = push_nonzero(L, "index", mask);
  for (int d = 0; d < (int)places->shape.dim[0]; d++) {
    tensor *row = push_view(L, places);
    view_select(row, 0, d);
    all->t[all->n] = row;
    all->dim[all->n] = dim + d;
    all->source[all->n++] = p.source + d;
  }
}

static void pick_all(lua_State *L, selection *s, picks *all) {
  int joined = 0;                      /* number of dims removed so far */
  all->n = 0;
  all->masks = true;
  for (int k = 0; k < s->npickers; k++) {
    picker p = s->pickers[k];
    luaL_checkstack(L, MAX_DIMS + 8, "index");
    if (p.t->dtype == DT_bool) {
      int ndim = s->view.shape.ndim;
      pick_mask(L, s, all, p, p.dim - joined);
      joined += ndim - s->view.shape.ndim;
      continue;
    }
    all->masks = false;
    all->t[all->n] = to_indices(L, "index", "index", p.t);
    all->dim[all->n] = p.dim - joined;
    all->source[all->n++] = p.source;
  }
}

static bool is_picked(const picks *all, int dim) {
  for (int k = 0; k < all->n; k++)
    if (all->dim[k] == dim) return true;
  return false;
}

/* Returns the shape to which the index tensors broadcast. */
static shape picks_shape(lua_State *L, const picks *all) {
  shape s = {.ndim = 0};
  for (int k = 0; k < all->n; k++) {
    tensor before = {.shape = s};
    int st = shape_broadcast(&s, &all->t[k]->shape);
    if (st != OK) raise(L, "index", st, (const tensor *[]){&before, all->t[k]}, 2);
  }
  return s;
}

/* Fills *j. By NumPy's rule, the dims of the index tensors replace the indexed dims. If another item separates the
** indexed dims, the dims of the index tensors come first instead. */
static void make_job(lua_State *L, const selection *s, const picks *all, index_job *j) {
  j->sound = all->masks;
  shape picked = picks_shape(L, all);
  int before = s->placing == SEPARATED ? 0 : s->before, d = 0;
  const tensor *v = &s->view;
  if (v->shape.ndim - all->n + picked.ndim > MAX_DIMS) raise(L, "index", ERR_NDIM, NULL, 0);
  for (; j->shape.ndim < before; d++)
    if (!is_picked(all, d)) index_dim(j, v, d);
  for (int k = 0; k < picked.ndim; k++) {
    j->stride[j->shape.ndim] = 0;
    j->shape.dim[j->shape.ndim++] = picked.dim[k];
  }
  for (; d < v->shape.ndim; d++)
    if (!is_picked(all, d)) index_dim(j, v, d);
  for (int k = 0; k < all->n; k++) index_add_input(j, all->t[k], before, picked.ndim, v, all->dim[k]);
}

/* ---- x[…] ---- */

/* Finishes a read. The key is at stack index 2. */
static int finish_get(lua_State *L) {
  return finish_record(L, &(op_record){.name = "index", .nin = 1, .in = {1}, .first = 2, .last = 2});
}

int index_get(lua_State *L) {
  selection s;
  select_key(L, &s);
  if (s.npickers == 0) {
    push_view(L, &s.view);
    return finish_get(L);
  }
  picks all;
  index_job j;
  pick_all(L, &s, &all);
  index_start(&j, INDEX_get, &s.view);
  make_job(L, &s, &all, &j);
  run_index_later(L, "", &j, push_tensor_later(L, "index", s.view.dtype, &j.shape, s.view.store->place), all.source);
  return finish_get(L);
}

/* ---- x[…] = value ---- */

/* Drops leading dims of length 1 if the value has more dims than the target. */
static const tensor *drop_leading(lua_State *L, const tensor *value, const shape *target) {
  if (value->shape.ndim <= target->ndim || value->shape.dim[0] != 1) return value;
  tensor *v = push_view(L, value);
  while (v->shape.ndim > target->ndim && v->shape.dim[0] == 1) view_remove(v, 0);
  return v;
}

static void raise_assignment(lua_State *L, int st, const tensor *target, const tensor *value) {
  if (st == ERR_BROADCAST)
    luaL_error(L, "assignment: value of shape %s does not fit shape %s", push_shape(L, &value->shape),
               push_shape(L, &target->shape));
  if (st != OK) raise(L, "assignment", st, (const tensor *[]){target, value ? value : target}, 2);
}

static void assign_view(lua_State *L, tensor *view) {
  int st;
  if (is_value(L, 3)) {
    scalar number = check_value(L, 3, "assignment", view->dtype);
    TRY(L, view->store->place, st, op_fill_later(view, number));
    raise_assignment(L, st, view, NULL);
    return;
  }
  const tensor *value = drop_leading(L, value_tensor_later(L, "assignment", 3, view), &view->shape);
  if (tensor_conflicts(view, value)) value = push_copy_later(L, "assignment", value, view->dtype);
  TRY(L, view->store->place, st, op_copy_later(view, value));
  raise_assignment(L, st, view, value);
}

/* x[mask] = number: one pass selects the number where the mask is true, else x. */
static void assign_masked(lua_State *L, selection *s) {
  const picker *p = &s->pickers[0];
  tensor mask = *p->t;
  if (mask.shape.ndim == 0) view_insert(&mask, 0, 1, 0);
  while (mask.shape.ndim < s->view.shape.ndim - p->dim) view_insert(&mask, mask.shape.ndim, 1, 0);
  job j = {.op = OP_where, .nin = 3, .in = {{.t = &mask}, {.t = value_tensor_later(L, "assignment", 3, &s->view)}, {.t = &s->view}}};
  int st = job_prepare(&j);
  if (st == OK) TRY(L, s->view.store->place, st, job_run_later(&j, &s->view));
  raise_assignment(L, st, &s->view, NULL);
}

static void assign_picked(lua_State *L, selection *s) {
  picks all;
  index_job j;
  pick_all(L, s, &all);
  index_start(&j, INDEX_put, &s->view);
  make_job(L, s, &all, &j);
  for (int k = 0; k < all.n; k++)
    if (all.t[k]->store == s->x->store)         /* x[x] = …: the indices must not change while elements are written */
      j.index[k].t = push_copy_later(L, "assignment", all.t[k], DT_int64);
  tensor value = *drop_leading(L, to_value_later(L, "assignment", 3, &s->view), &j.shape), positions = {.shape = j.shape};
  int64_t stride[MAX_DIMS];
  if (shape_expand(&value.shape, value.stride, &j.shape, stride) != OK) raise_assignment(L, ERR_BROADCAST, &positions, &value);
  run_index_later(L, "", &j, &value, all.source);
}

int index_set(lua_State *L) {
  selection s;
  select_key(L, &s);
  if (tensor_is_overlapping(s.x)) raise(L, "assignment", ERR_READONLY, &s.x, 1);
  bool number = lua_type(L, 3) == LUA_TNUMBER || lua_type(L, 3) == LUA_TBOOLEAN;
  bool masked = number && s.npickers == 1 && s.pickers[0].t->dtype == DT_bool;
  check_in_place(L, "assignment");
  if (masked) assign_masked(L, &s);
  else if (s.npickers > 0) assign_picked(L, &s);
  else assign_view(L, &s.view);
  lua_pushvalue(L, 1);
  finish_record(L, &(op_record){.name = "assignment", .nin = 2, .in = {1, 3}, .first = 2, .last = 2, .in_place = true});
  return 0;
}
