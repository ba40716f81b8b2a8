/* Element-wise functions, methods, in-place forms and operators, made from the rows of the op table (ops.def). clip,
** isclose and masked_fill are written here, because they choose among several rows. */

#include "lua/args.h"
#include "lua/register.h"
#include "op/graph.h"

static const char *const map_options[] = {"out", NULL};

/* ---- computing ---- */

/* The job that the caller's arguments describe. `at` contains the stack indices of the inputs. The struct takes half
** a kilobyte, so functions do not clear their variable of this type. */
typedef struct call {
  const char *fn;
  job         job;
  int         at[MAX_IN];
} call;

/* True if no input is a tensor and the result is complex, so that the result is a complex Lua number as well. */
static bool is_number(const job *j) { return !j->has_place && j->result == DT_complex128; }

static void prepare(lua_State *L, call *c, enum map_op op) {
  job *j = &c->job;
  j->op = op;
  j->nin = map_ops[op].nin;
  for (int i = 0; i < j->nin; i++) check_arg_later(L, c->at[i], c->fn, &j->in[i]);
  int st = job_prepare(j);
  if (st != OK) raise_job(L, c->fn, st, j, NULL);
  if (!j->has_place) j->place = is_number(j) ? host_place() : default_place(L);
}

/* Prepares the job with arguments 1 … n as inputs, where n is the number of the op's inputs. */
static void prepare_in_order(lua_State *L, call *c, enum map_op op) {
  for (int i = 0; i < map_ops[op].nin; i++) c->at[i] = i + 1;
  prepare(L, c, op);
}

static op_record record_of(const call *c, bool in_place) {
  op_record r = {.name = map_ops[c->job.op].name, .nin = c->job.nin, .in_place = in_place};
  for (int i = 0; i < c->job.nin; i++) r.in[i] = c->at[i];
  return r;
}

/* Runs the op with a new tensor as its result. */
static int compute(lua_State *L, const call *c) {
  bool number = is_number(&c->job);
  tensor *out = number ? push_complex(L, c->fn) : push_tensor_later(L, c->fn, c->job.result, &c->job.shape, c->job.place);
  if (!number) job_layout(&c->job, out);
  int st;
  TRY(L, c->job.place, st, (number ? graph_compute_number : job_compute_later)(&c->job, out));
  if (st != OK) return raise_job(L, c->fn, st, &c->job, out);
  out->weak = number;
  op_record r = record_of(c, false);
  return finish_record(L, &r);
}

/* Runs the op with the tensor at stack index `target` as its result. */
static int compute_into(lua_State *L, const call *c, int target) {
  int height = lua_gettop(L), st;
  op_record r = record_of(c, true);
  end_full_list(L);
  keep_overwritten_inputs(L, &r, target);
  lua_pushvalue(L, target);
  tensor *out = lua_touserdata(L, -1);
  TRY(L, c->job.place, st, job_run_later(&c->job, out));
  if (st != OK) return raise_job(L, c->fn, st, &c->job, out);
  finish_record(L, &r);
  free_kept(L, &r, height);
  return 1;
}

/* Runs the op with option out, or a new tensor, as its result. */
static int compute_or_out(lua_State *L, const call *c, int options) {
  const tensor *out = opt_out_later(L, options, c->fn);
  if (!out) return compute(L, c);
  push_out(L, options, c->fn, out);
  return compute_into(L, c, lua_gettop(L));
}

/* ---- the functions of the table ---- */

/* True if there are n arguments. Trailing arguments may be nil; check_arg then raises an error with the argument's
** number. */
static bool are_arguments(lua_State *L, int nargs, int n) {
  return nargs == n || (nargs < n && lua_isnil(L, nargs + 1) && lua_gettop(L) >= n);
}

/* Raises an error for options of an in-place form, such as PyTorch's alpha. */
static int no_options(lua_State *L, const char *fn, int options) {
  bool alpha = push_option(L, options, "alpha") != LUA_TNIL;
  return luaL_error(L, "%s: no options: the target is the tensor itself%s", fn,
                    alpha ? "; multiply instead of alpha: x:add_(alpha * y)" : "");
}

/* lt.add(x, y, {out = t}) and the other element-wise functions. The upvalue is the number of the op. */
static int l_map(lua_State *L) {
  enum map_op op = (enum map_op)lua_tointeger(L, lua_upvalueindex(1));
  call c;
  c.fn = map_ops[op].name;
  int nargs, options = check_options(L, c.fn, map_options, &nargs);
  if (!are_arguments(L, nargs, map_ops[op].nin))
    return raise_count(L, c.fn, map_ops[op].nin, map_ops[op].nin, nargs);
  prepare_in_order(L, &c, op);
  return compute_or_out(L, &c, options);
}

/* x:add_(y) and the other in-place methods. The upvalue is the number of the op. */
static int l_map_in_place(lua_State *L) {
  enum map_op op = (enum map_op)lua_tointeger(L, lua_upvalueindex(1));
  call c;
  c.fn = map_ops[op].in_place;
  int nargs = count_arguments(L);
  if (!are_arguments(L, nargs, map_ops[op].nin))
    return nargs && is_options(L, nargs) ? no_options(L, c.fn, nargs) : raise_count(L, c.fn, map_ops[op].nin, map_ops[op].nin, nargs);
  check_tensor_later(L, 1, c.fn);
  check_in_place(L, c.fn);
  prepare_in_order(L, &c, op);
  return compute_into(L, &c, 1);
}

/* x + y and the other operators. The upvalue is the number of the op. Lua passes the operand of a unary operator
** twice. */
static int l_operator(lua_State *L) {
  enum map_op op = (enum map_op)lua_tointeger(L, lua_upvalueindex(1));
  call c;
  c.fn = map_ops[op].name;
  prepare_in_order(L, &c, op);
  return compute(L, &c);
}

static int l_concat(lua_State *L) {
  return luaL_error(L, "..: tensors do not join; use lt.concat{x, y}, or tostring(x) for text");
}

/* ---- functions that choose their op ---- */

static const char *const clip_options[] = {"max", "min", "out", NULL};

/* Pushes the value of option `name`. Returns the stack index of the limit, which is argument i or the pushed option.
** Returns 0 if neither the argument nor the option is given. */
static int push_limit(lua_State *L, const char *fn, int i, int nargs, int options, const char *name) {
  bool given = nargs >= i && !lua_isnil(L, i);
  int type = push_option(L, options, name);
  if (type == LUA_TNIL) return given ? i : 0;
  if (given) luaL_error(L, "%s: %s is given twice", fn, name);
  if (type != LUA_TNUMBER && !test_tensor(L, -1))
    luaL_error(L, "%s: option %s: tensor or number expected, got %s", fn, name, type_name(L, -1));
  return lua_gettop(L);
}

/* Reads the arguments of clip. Returns the stack index of the options, or 0. Stores the stack indices of x and of
** both limits in `at`, 0 for a limit that is not given. */
static int check_clip(lua_State *L, const char *fn, const char *const *known, int at[3]) {
  int nargs, options = check_options(L, fn, known, &nargs);
  if (nargs < 1 || nargs > 3) raise_count(L, fn, 1, 3, nargs);
  if (lua_gettop(L) == 1)
    luaL_error(L, "%s: min, max or both expected; nil, nil stands for no limit%s", fn, test_tensor(L, 1) ? "" : push_colon(L, fn));
  at[0] = 1;
  at[1] = push_limit(L, fn, 2, nargs, options, "min");
  at[2] = push_limit(L, fn, 3, nargs, options, "max");
  return options;
}

/* Prepares the op that applies the given limits: clip for both, maximum or minimum for one, positive (a copy) for
** none. */
static void prepare_clip(lua_State *L, call *c, const int at[3]) {
  enum map_op op = at[1] && at[2] ? OP_clip : at[1] ? OP_maximum : at[2] ? OP_minimum : OP_positive;
  c->at[0] = at[0];
  c->at[1] = at[1] ? at[1] : at[2];
  c->at[2] = at[2];
  prepare(L, c, op);
}

/*** Limits elements to the range from min to max. Elements outside of the range become the nearer limit; NaN stays NaN.
@function clip
@tparam tensor x real numbers of any shape
@tparam[opt] number|tensor|nil min broadcast with x; nil: no limit below; also an option
@tparam[opt] number|tensor|nil max broadcast with x; nil: no limit above; also an option
@tparam[opt] table options `min`, `max`; `out`: the tensor to write to
@raise if neither min nor max is given; nil given for both means no limit, as in the array API standard
@treturn tensor of the dtype that x, min and max promote to
@usage x:clip(0, 1)   x:clip{min = 0}
*/
static int l_clip(lua_State *L) {
  call c;
  int at[3];
  c.fn = "clip";
  int options = check_clip(L, c.fn, clip_options, at);
  prepare_clip(L, &c, at);
  return compute_or_out(L, &c, options);
}

static int l_clip_in_place(lua_State *L) {
  static const char *const known[] = {"max", "min", NULL};
  call c;
  int at[3];
  c.fn = "clip_";
  check_clip(L, c.fn, known, at);
  check_tensor_later(L, 1, c.fn);
  check_in_place(L, c.fn);
  prepare_clip(L, &c, at);
  return compute_into(L, &c, 1);
}

/* Raises an error if dtype d cannot represent the number at index i. Replaces an integral float by an integer unless
** d is a float dtype. */
static void check_value_fits(lua_State *L, const char *fn, int i, enum dtype d) {
  arg a;
  check_arg_later(L, i, fn, &a);
  if (a.t) return;
  if (!scalar_fits(d, &a.s)) raise_unfit(L, fn, i, d);
  if (a.s.is_float && dtype_kind(d) < KIND_FLOAT) {
    lua_pushinteger(L, (lua_Integer)a.s.f);
    lua_replace(L, i);
  }
}

/* Prepares where(mask, value, x), whose result must have x's dtype. */
static void prepare_fill(lua_State *L, call *c, int nargs) {
  if (nargs != 3) raise_count(L, c->fn, 3, 3, nargs);
  const tensor *x = check_tensor_later(L, 1, c->fn), *mask = check_tensor_later(L, 2, c->fn);
  if (mask->dtype != DT_bool)
    luaL_error(L, "%s: a bool mask expected, got %s; use mask:not_equal(0)", c->fn, dtypes[mask->dtype].name);
  check_value_fits(L, c->fn, 3, x->dtype);
  c->at[0] = 2;
  c->at[1] = 3;
  c->at[2] = 1;
  prepare(L, c, OP_where);
  if (c->job.result != x->dtype) raise_job(L, c->fn, ERR_CAST, &c->job, x);
}

/*** Returns a copy of x in which elements are replaced by value where the mask is true.
@function masked_fill
@tparam tensor x
@tparam tensor mask bool, broadcast with x
@tparam number|boolean|tensor value broadcast with x; x's dtype must be able to represent the value
@tparam[opt] table options `out`: the tensor to write to
@treturn tensor of x's dtype
*/
static int l_masked_fill(lua_State *L) {
  call c;
  c.fn = "masked_fill";
  int nargs, options = check_options(L, c.fn, map_options, &nargs);
  prepare_fill(L, &c, nargs);
  return compute_or_out(L, &c, options);
}

static int l_masked_fill_in_place(lua_State *L) {
  call c;
  c.fn = "masked_fill_";
  prepare_fill(L, &c, count_arguments(L));
  check_in_place(L, c.fn);
  return compute_into(L, &c, 1);
}

static const char *const isclose_options[] = {"rtol", "atol", "equal_nan", "out", NULL};

/* Pushes argument i, or the option, or `otherwise` if neither is given. */
static void push_tolerance(lua_State *L, int i, int nargs, int options, const char *name, double otherwise) {
  if (nargs >= i && !lua_isnil(L, i)) lua_pushvalue(L, i);
  else if (!options || push_option(L, options, name) == LUA_TNIL) {
    if (options) lua_pop(L, 1);
    lua_pushnumber(L, otherwise);
  }
  if (lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) < 0)
    luaL_error(L, "isclose: %s: a number that is not negative expected, got %s", name, luaL_tolstring(L, -1, NULL));
}

/*** Tests each pair of elements for closeness: true if abs(x - y) <= atol + rtol * abs(y) or if x equals y.
@function isclose
@tparam number|tensor x
@tparam number|tensor y broadcast with x
@tparam[opt=1e-5] number|tensor rtol relative tolerance
@tparam[opt=1e-8] number|tensor atol absolute tolerance
@tparam[opt] table options `rtol`, `atol`; `equal_nan` (false): NaN is close to NaN; `out`
@treturn tensor bool
*/
static int l_isclose(lua_State *L) {
  call c;
  c.fn = "isclose";
  c.at[0] = 1;
  c.at[1] = 2;
  int nargs, options = check_options(L, c.fn, isclose_options, &nargs);
  if (nargs < 2 || nargs > 4) return raise_count(L, c.fn, 2, 4, nargs);
  bool equal_nan = opt_bool(L, options, c.fn, "equal_nan", false);
  push_tolerance(L, 3, nargs, options, "rtol", 1e-5);
  c.at[2] = lua_gettop(L);
  push_tolerance(L, 4, nargs, options, "atol", 1e-8);
  c.at[3] = lua_gettop(L);
  prepare(L, &c, equal_nan ? OP_isclose_nan_ : OP_isclose);
  return compute_or_out(L, &c, options);
}

/* ---- triangles ---- */

/* Which elements of matrices a triangle keeps: those at row i and column j with j - i <= k or, if `upper` is set, with
** j - i >= k. */
typedef struct triangle {
  int64_t rows, columns, k;           /* -rows <= k <= columns */
  bool    upper;
  bool    by_columns;                 /* neighbours of a column are neighbours in memory */
} triangle;

/* Fills the n elements of the row that begin at element `start`. */
static int fill_part(const tensor *row, int64_t start, int64_t n, bool value) {
  tensor part = {.store = NULL};
  tensor_view(&part, row);
  part.offset += start;
  part.shape.dim[0] = part.count = n;
  int st = n > 0 ? op_fill_later(&part, (scalar){.i = value, .f = value, .is_bool = true}) : OK;
  tensor_drop(&part);
  return st;
}

/* Fills `band`, a row of rows + columns bools that contains every row of the triangle's mask. The mask's element at row i
** and column j is the band's element j - i + rows. If the triangle is stored by columns, it is element i - j + columns. */
static int fill_band(const tensor *band, const triangle *t) {
  bool first = t->upper == t->by_columns;
  int64_t border = least_of((t->by_columns ? t->columns - t->k : t->rows + t->k) + first, band->count);
  int st = fill_part(band, 0, border, first);
  return st == OK ? fill_part(band, border, band->count - border, !first) : st;
}

/* Pushes the mask of the triangle, a view of all elements of its band. */
static void push_mask(lua_State *L, const char *fn, const triangle *t, place where) {
  tensor *mask = push_tensor_later(L, fn, DT_bool, &(shape){.ndim = 1, .dim = {t->rows + t->columns}}, where);
  int st;
  TRY(L, where, st, fill_band(mask, t));
  if (st != OK) raise(L, fn, st, (const tensor *[]){mask}, 1);
  mask->shape = (shape){.ndim = 2, .dim = {t->rows, t->columns}};
  mask->count = t->rows * t->columns;
  mask->offset = t->by_columns ? t->columns : t->rows;
  mask->stride[0] = t->by_columns ? 1 : -1;
  mask->stride[1] = -mask->stride[0];
}

/* triangle(fn, x, k, upper): x where the triangle keeps it, else 0. The result has the order of dims of x. */
static int l_triangle(lua_State *L) {
  call c;
  lua_settop(L, 4);
  c.fn = luaL_checkstring(L, 1);
  const tensor *x = check_tensor_later(L, 2, c.fn);
  luaL_argcheck(L, x->shape.ndim >= 2, 2, "a matrix expected");
  int row = x->shape.ndim - 2;
  triangle t = {.rows = x->shape.dim[row], .columns = x->shape.dim[row + 1], .upper = lua_toboolean(L, 4)};
  t.k = most_of(-t.rows, least_of(lua_tointeger(L, 3), t.columns));
  tensor *out = push_tensor_later(L, c.fn, x->dtype, &x->shape, x->store->place);
  job_layout(&(job){.nin = 1, .in = {{.t = x}}}, out);
  t.by_columns = out->stride[row] < out->stride[row + 1];
  if (x->count > 0) push_mask(L, c.fn, &t, x->store->place);
  else lua_pushboolean(L, true);            /* the band of an empty matrix could be too long for the memory */
  if (x->dtype == DT_bool) lua_pushboolean(L, false);
  else lua_pushinteger(L, 0);
  c.at[0] = 6;
  c.at[1] = 2;
  c.at[2] = 7;
  prepare(L, &c, OP_where);
  int st;
  TRY(L, c.job.place, st, job_compute_later(&c.job, out));
  if (st != OK) return raise_job(L, c.fn, st, &c.job, out);
  lua_pushvalue(L, 5);
  op_record r = record_of(&c, false);
  return finish_record(L, &r);
}

static const function_row internal_functions[] = {{"triangle", l_triangle, INTERNAL}, {NULL, NULL, 0}};

static const function_row chosen_functions[] = {
  {"clip", l_clip, 4}, {"isclose", l_isclose, 5}, {"masked_fill", l_masked_fill, 4}, {NULL, NULL, 0}
};
static const function_row chosen_methods[] = {
  {"clip_", l_clip_in_place, 3}, {"masked_fill_", l_masked_fill_in_place, 3}, {NULL, NULL, 0}
};

/* ---- registration ---- */

static const struct { const char *event; enum map_op op; } operators[] = {
  {"__add", OP_add}, {"__sub", OP_subtract}, {"__mul", OP_multiply}, {"__div", OP_divide},
  {"__idiv", OP_floor_divide}, {"__mod", OP_remainder}, {"__pow", OP_pow}, {"__unm", OP_negative},
  {"__band", OP_bitwise_and}, {"__bor", OP_bitwise_or}, {"__bnot", OP_bitwise_invert}, {"__bxor", OP_bitwise_xor},
  {"__shl", OP_bitwise_left_shift}, {"__shr", OP_bitwise_right_shift},
};

static void add_closure(lua_State *L, int table, lua_CFunction f, enum map_op op, const char *name) {
  lua_pushinteger(L, op);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, table, name);
}

/* Adds a function for each row of the op table. Rows whose names end in an underscore are internal: their functions
** are added to the table core.hidden instead of the module. */
void open_map(lua_State *L) {
  lua_newtable(L);
  int hidden = lua_gettop(L);
  for (int op = 0; op < OP_COUNT; op++) {
    const op_info *info = &map_ops[op];
    if (op_is_hidden((enum map_op)op)) add_closure(L, hidden, l_map, (enum map_op)op, info->name);
    if (op_is_hidden((enum map_op)op)) continue;
    add_closure(L, MODULE, l_map, (enum map_op)op, info->name);
    add_closure(L, METHODS, l_map, (enum map_op)op, info->name);
    if (info->result != RESULT_BOOL) add_closure(L, METHODS, l_map_in_place, (enum map_op)op, info->in_place);
  }
  add_internal(L, "hidden");
  add_functions(L, internal_functions);
  add_methods(L, chosen_functions);
  add_method_forms(L, chosen_methods);
  for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
    add_closure(L, METATABLE, l_operator, operators[k].op, operators[k].event);
  add_metamethods(L, (luaL_Reg[]){{"__concat", l_concat}, {NULL, NULL}});
}
