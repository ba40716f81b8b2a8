/* Makes complex tensors from real and imaginary parts, and makes views of the parts of complex tensors. */

#include "lua/args.h"
#include "lua/register.h"

/* ---- views of the parts ---- */

/* Pushes a view of the real parts (part 0) or of the imaginary parts (part 1) of the complex tensor z. */
static tensor *push_part(lua_State *L, const tensor *z, int part) {
  tensor *t = push_empty(L);
  tensor_part(t, z, part);
  return t;
}

static const tensor *check_one(lua_State *L, const char *fn) {
  return check_tensor_later(L, 1, fn);
}

static int finish_part(lua_State *L, const char *fn) {
  return finish_record(L, &(op_record){.name = fn, .nin = 1, .in = {1}});
}

/***
Returns the real parts of x: a view that shares x's memory if x is complex, otherwise x itself.
@function real
@tparam tensor x
@treturn tensor float32 for complex64, float64 for complex128, otherwise x's dtype; in x's shape
*/
static int l_real(lua_State *L) {
  const tensor *x = check_one(L, "real");
  if (dtype_kind(x->dtype) != KIND_COMPLEX) return 1;
  push_part(L, x, 0);
  return finish_part(L, "real");
}

/***
Returns the imaginary parts of x: a view that shares x's memory if x is complex, otherwise new zeros.
@function imag
@tparam tensor x
@treturn tensor float32 for complex64, float64 for complex128, otherwise x's dtype; in x's shape
*/
static int l_imag(lua_State *L) {
  const tensor *x = check_one(L, "imag");
  if (dtype_kind(x->dtype) == KIND_COMPLEX) {
    push_part(L, x, 1);
    return finish_part(L, "imag");
  }
  tensor *t = push_tensor_later(L, "imag", x->dtype, &x->shape, x->store->place);
  int st;
  TRY(L, x->store->place, st, op_fill_later(t, (scalar){.f = 0}));
  return st == OK ? finish_op(L, false) : raise(L, "imag", st, (const tensor *const *)&t, 1);
}

/***
Returns a view of complex numbers as real numbers, with an additional last dim of length 2: real part, imaginary part.
@function view_as_real
@tparam tensor x complex
@treturn tensor float32 or float64, of shape [..., 2], sharing x's memory
*/
static int l_view_as_real(lua_State *L) {
  const tensor *x = check_one(L, "view_as_real");
  if (dtype_kind(x->dtype) != KIND_COMPLEX)
    return luaL_error(L, "view_as_real: a complex tensor expected, got %s", dtypes[x->dtype].name);
  if (x->shape.ndim == MAX_DIMS) return luaL_error(L, "view_as_real: more than %d dims", MAX_DIMS);
  tensor *t = push_part(L, x, 0);
  t->shape.dim[t->shape.ndim] = 2;
  t->stride[t->shape.ndim++] = 1;
  t->count *= 2;
  return finish_part(L, "view_as_real");
}

/* Returns the reason why x cannot be viewed as pairs of real and imaginary parts, or NULL if x can. */
static const char *not_pairs(const tensor *x) {
  int last = x->shape.ndim - 1;
  if (x->dtype != DT_float32 && x->dtype != DT_float64) return "float32 or float64 expected";
  if (last < 0 || x->shape.dim[last] != 2) return "the last dim must have length 2";
  if (x->stride[last] != 1) return "real and imaginary parts must lie side by side; use x:contiguous()";
  for (int d = 0; d < last; d++)
    if (x->shape.dim[d] > 1 && x->stride[d] % 2 != 0) return "pairs must lie at even distances; use x:contiguous()";
  uintptr_t begin = (uintptr_t)x->store->ptr;          /* 0 if the memory is allocated later, which is aligned, too */
  bool even = x->offset % 2 == 0 && begin % (2 * (uintptr_t)dtype_size(x->dtype)) == 0;
  return even ? NULL : "the first pair must lie at an even place; use x:clone()";
}

/***
Returns a view of pairs of numbers as complex numbers: the inverse of view_as_real.
@function view_as_complex
@tparam tensor x float32 or float64, of shape [..., 2], with the two numbers of each pair adjacent in memory
@treturn tensor complex64 or complex128, without the last dim, sharing x's memory
*/
static int l_view_as_complex(lua_State *L) {
  const tensor *x = check_one(L, "view_as_complex");
  const char *why = not_pairs(x);
  if (why)
    return luaL_error(L, "view_as_complex: %s; got %s %s", why, dtypes[x->dtype].name, push_shape(L, &x->shape));
  tensor *t = push_view(L, x);
  t->dtype = dtype_complex(x->dtype);
  t->offset = x->offset / 2;
  t->shape.ndim--;
  t->count /= 2;
  for (int d = 0; d < t->shape.ndim; d++) t->stride[d] = x->stride[d] / 2;
  return finish_part(L, "view_as_complex");
}

/* ---- making complex numbers ---- */

/* Pushes a complex number that promotes like a Lua number: lt.complex(0, 1) * x is complex64 if x is float32. */
static int push_number(lua_State *L, double re, double im) {
  tensor *t = push_complex(L, "complex");
  *(complex128_t *)tensor_data(t) = make_complex128(re, im);
  t->weak = true;
  return finish_op(L, false);
}

/* Reads argument i of lt.complex into *a. Raises an error unless the argument is a real tensor or a real number. */
static void check_part(lua_State *L, int i, arg *a) {
  check_arg_later(L, i, "complex", a);
  if (a->t ? dtype_kind(a->t->dtype) == KIND_COMPLEX : a->s.is_complex)
    luaL_error(L, "complex: argument %d: a real part cannot be complex", i);
}

/***
Makes complex numbers from real and imaginary parts. Two numbers give a 0-d tensor that promotes like a Lua number: it
makes other operands complex, but never wider (`lt.complex(0, 1) * x` is complex64 if x is float32). Tensors give a
tensor.
@function complex
@tparam number|tensor re real parts
@tparam[opt=0] number|tensor im imaginary parts; broadcast with re
@treturn tensor complex128 if a part is float64 or both are numbers, else complex64
*/
static int l_complex(lua_State *L) {
  int n = count_arguments(L);
  if (n < 1 || n > 2) return luaL_error(L, "complex: a real and an imaginary part expected, got %d arguments", n);
  lua_settop(L, n);
  if (n == 1) lua_pushinteger(L, 0);
  job j = {.op = OP_add, .nin = 2};       /* only for promotion and broadcasting; the op is not run */
  for (int i = 0; i < 2; i++) check_part(L, i + 1, &j.in[i]);
  if (!j.in[0].t && !j.in[1].t) return push_number(L, j.in[0].s.f, j.in[1].s.f);
  int st = job_place(&j);
  if (st == OK) st = job_shape(&j);
  j.compute = j.result = promote_all(j.in, 2);
  if (st != OK) return raise_job(L, "complex", st, &j, NULL);
  tensor *out = push_tensor_later(L, "complex", dtype_complex(j.result), &j.shape, j.place);
  TRY(L, j.place, st, op_set_parts_later(out, &j.in[0], &j.in[1]));
  if (st != OK) return raise_job(L, "complex", st, &j, out);
  return finish_record(L, &(op_record){.name = "complex", .nin = 2, .in = {1, 2}});
}

static const function_row functions[] = {{"complex", l_complex, ANY}, {NULL, NULL, 0}};
static const function_row methods[] = {
  {"real", l_real, 1}, {"imag", l_imag, 1}, {"view_as_real", l_view_as_real, 1},
  {"view_as_complex", l_view_as_complex, 1}, {NULL, NULL, 0}
};

void open_complex(lua_State *L) {
  add_functions(L, functions);
  add_methods(L, methods);
}
