/* lt.fft: discrete Fourier transforms. lua/luatensor/array/fft.lua has fftfreq, fftshift and similar functions. */

#include <string.h>

#include "lua/args.h"
#include "lua/register.h"
#include "op/fft.h"

static const char *const options_one[] = {"n", "dim", "norm", "out", NULL};
static const char *const options_many[] = {"s", "dim", "norm", "out", NULL};
enum { FIRST_LENGTH = 2, FIRST_DIM, MOST = 3 };      /* FIRST_LENGTH: stack index of argument n or s; FIRST_DIM: stack
                                                     ** index of argument dim; MOST: the maximum number of arguments
                                                     ** before the options */

/* ---- arguments ---- */

/* Pushes argument i, or option `name`, or nil if neither is given. Raises an error if both are given. Returns the
** stack index of the pushed value. */
static int push_either(lua_State *L, const char *fn, int i, int nargs, int options, const char *name) {
  bool given = i <= nargs && !lua_isnil(L, i);
  if (push_option(L, options, name) != LUA_TNIL && given) luaL_error(L, "%s: %s is given twice", fn, name);
  if (given) {
    lua_pushvalue(L, i);
    lua_replace(L, -2);
  }
  return lua_gettop(L);
}

static enum fft_norm opt_norm(lua_State *L, const char *fn, int options) {
  static const char *const names[] = {"backward", "ortho", "forward"};
  int type = push_option(L, options, "norm");
  const char *name = type == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  for (int k = 0; name && k < 3; k++)
    if (strcmp(name, names[k]) == 0) {
      lua_pop(L, 1);
      return (enum fft_norm)k;
    }
  if (type != LUA_TNIL)
    luaL_error(L, "%s: option norm: \"backward\", \"ortho\" or \"forward\" expected, got %s", fn,
               name ? lua_pushfstring(L, "\"%s\"", name) : type_name(L, -1));
  lua_pop(L, 1);
  return FFT_NORM_backward;
}

/* Returns the length of argument i if it is a list, or 1 if it is a number. */
static int list_length(lua_State *L, const char *fn, int i, const char *what) {
  if (lua_type(L, i) == LUA_TNUMBER) return 1;
  if (lua_type(L, i) != LUA_TTABLE)
    luaL_error(L, "%s: %s: number or list expected, got %s", fn, what, type_name(L, i));
  lua_Integer n = (lua_Integer)lua_rawlen(L, i), keys = 0;
  for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) keys++;
  if (n == 0) luaL_error(L, "%s: %s: an empty list", fn, what);
  if (keys != n) luaL_error(L, "%s: %s: a list of numbers expected, got a table with other keys", fn, what);
  if (n > MAX_DIMS) luaL_error(L, "%s: %s: more than %d numbers", fn, what, MAX_DIMS);
  return (int)n;
}

/* Pushes number k (0-based) of argument i, which is a list or one number. */
static void push_number(lua_State *L, int i, int k) {
  if (lua_istable(L, i)) lua_rawgeti(L, i, k + 1);
  else lua_pushvalue(L, i);
}

/* Reads the dims to transform. If argument i is nil, these are the last `otherwise` dims. */
static void read_dims(lua_State *L, fft_op *f, int i, int otherwise) {
  const char *fn = f->info->name;
  const shape *s = &f->in->shape;
  bool given = !lua_isnil(L, i);
  f->ndims = given ? list_length(L, fn, i, "dim") : otherwise;
  if (!given && f->ndims > s->ndim)
    luaL_error(L, "%s: 2 dims at least expected, got shape %s", fn, push_shape(L, s));
  for (int k = 0; k < f->ndims; k++) {
    f->dim[k] = s->ndim - f->ndims + k;
    if (!given) continue;
    push_number(L, i, k);
    f->dim[k] = check_dim_of(L, -1, fn, s);
    for (int e = 0; e < k; e++)
      if (f->dim[e] == f->dim[k])
        luaL_error(L, "%s: dim %I is named twice", fn, (LUAI_UACINT)lua_tointeger(L, -1));
    lua_pop(L, 1);
  }
}

/* Sets the default lengths of the transforms, for which the input is neither cut nor padded. */
static void default_lengths(fft_op *f) {
  for (int k = 0; k < f->ndims; k++) {
    int64_t length = f->in->shape.dim[f->dim[k]];
    bool half = f->info->kind == FFT_hermitian && k == f->ndims - 1;
    f->n[k] = half ? 2 * (length - 1) : length;
  }
}

static void read_lengths(lua_State *L, fft_op *f, int i, const char *name) {
  const char *fn = f->info->name;
  bool one = f->info->dims == 1;
  int n = list_length(L, fn, i, name);
  if (n != f->ndims) luaL_error(L, "%s: %d lengths in s for %d dims", fn, n, f->ndims);
  for (int k = 0; k < n; k++) {
    push_number(L, i, k);
    int64_t length = check_integer(L, -1, fn, name);
    if (length < 1 && (one || length != -1))
      luaL_error(L, "%s: %s: a length of 1 or more expected, got %I", fn, name, (LUAI_UACINT)length);
    if (length > 0) f->n[k] = length;
    lua_pop(L, 1);
  }
}

/* Raises an error unless all lengths are positive. A default length is not positive for a dim without elements, and
** for a Hermitian dim of length 1. */
static void check_lengths(lua_State *L, const fft_op *f) {
  for (int k = 0; k < f->ndims; k++) {
    if (f->n[k] > 0) continue;
    luaL_error(L, "%s: dim %d of shape %s gives a transform of length %I; say %s", f->info->name, f->dim[k] + 1,
               push_shape(L, &f->in->shape), (LUAI_UACINT)f->n[k], f->info->dims == 1 ? "n" : "s");
  }
}

static int refuse_dtype(lua_State *L, const fft_op *f) {
  const char *fn = f->info->name, *name = dtypes[f->in->dtype].name;
  if (dtype_kind(f->in->dtype) == KIND_COMPLEX)
    return luaL_error(L, "%s: not for %s; its input is real, lt.fft.%s takes complex numbers", fn, name,
                      strcmp(fn, "ihfft") == 0 ? "ifft" : fn + 1);
  return luaL_error(L, "%s: not for %s; use x:to(\"float32\")", fn, name);
}

static int raise_run(lua_State *L, const fft_op *f, int st, const tensor *out) {
  if (st == ERR_OUT_SHAPE || st == ERR_CAST) return raise_target(L, f->info->name, st, out, f->result, &f->shape);
  return raise(L, f->info->name, st, (const tensor *[]){out, f->in}, 2);
}

/* ---- the functions ---- */

/***
Discrete Fourier transform of each line along a dim: y[k] = sum over j of x[j] exp(-2 pi i j k / n), j and k from 0.
@function fft.fft
@tparam Tensor x any shape, real or complex; not bool, not half floats; integers become the default float
@int[opt] n number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded
  with zeros
@int[opt=-1] dim
@tab[opt] options `n`, `dim`, `out`, `norm`: "backward" (not scaled), "ortho" (divided by the root of n) or "forward"
  (divided by n)
@treturn Tensor complex64 or complex128, n long in dim
@raise if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given
*/
/***
The inverse of fft: y[k] = 1 / n * sum over j of x[j] exp(2 pi i j k / n).
@function fft.ifft
@tparam Tensor x any shape, real or complex; not bool, not half floats; integers become the default float
@int[opt] n number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded
  with zeros
@int[opt=-1] dim
@tab[opt] options `n`, `dim`, `out`, `norm`: "backward" (divided by n), "ortho" (divided by the root of n) or "forward"
  (not scaled)
@treturn Tensor complex64 or complex128, n long in dim
@raise if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given
*/
/***
Computes fft of real numbers. Elements n - k and k of the transform are conjugates, so only the first n // 2 + 1 of them
are returned.
@function fft.rfft
@tparam Tensor x any shape, real; not bool, not half floats; integers become the default float
@int[opt] n number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded
  with zeros
@int[opt=-1] dim
@tab[opt] options `n`, `dim`, `out`, `norm`: "backward" (not scaled), "ortho" (divided by the root of n) or "forward"
  (divided by n)
@treturn Tensor complex64 or complex128, n // 2 + 1 long in dim
@raise if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given
*/
/***
The inverse of rfft: computes real numbers from the first n // 2 + 1 elements of their transform. The imaginary parts of
the first element, and of element n // 2 for even n, are ignored, because they would make the result complex.
@function fft.irfft
@tparam Tensor x any shape; not bool, not half floats; integers become the default float
@int[opt] n length of the result; by default 2 (m - 1), where m is the length of x. A longer x than n // 2 + 1 is cut, a
  shorter one is padded with zeros
@int[opt=-1] dim
@tab[opt] options `n`, `dim`, `out`, `norm`: "backward" (divided by n), "ortho" (divided by the root of n) or "forward"
  (not scaled)
@treturn Tensor float32 or float64, n long in dim
@raise if the dtype has no transform, if n is below 1, or if dim has fewer than 2 elements and n is not given
*/
/***
Computes fft of n numbers with a real result: numbers n - k and k are conjugates. x contains only the first n // 2 + 1
of these numbers.
@function fft.hfft
@tparam Tensor x any shape; not bool, not half floats; integers become the default float
@int[opt] n length of the result; by default 2 (m - 1), where m is the length of x. A longer x than n // 2 + 1 is cut, a
  shorter one is padded with zeros
@int[opt=-1] dim
@tab[opt] options `n`, `dim`, `out`, `norm`: "backward" (not scaled), "ortho" (divided by the root of n) or "forward"
  (divided by n)
@treturn Tensor float32 or float64, n long in dim
@raise if the dtype has no transform, if n is below 1, or if dim has fewer than 2 elements and n is not given
*/
/***
The inverse of hfft: the first n // 2 + 1 elements of ifft of real numbers.
@function fft.ihfft
@tparam Tensor x any shape, real; not bool, not half floats; integers become the default float
@int[opt] n number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded
  with zeros
@int[opt=-1] dim
@tab[opt] options `n`, `dim`, `out`, `norm`: "backward" (divided by n), "ortho" (divided by the root of n) or "forward"
  (not scaled)
@treturn Tensor complex64 or complex128, n // 2 + 1 long in dim
@raise if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given
*/
/***
fft along two dims, one after the other.
@function fft.fft2
@tparam Tensor x 2 dims or more; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length along each dim, where -1 keeps the length
@tparam[opt] int|{int,...} dim by default the last two
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (not scaled), "ortho" (divided by the root of the product of s)
  or "forward" (divided by the product)
@treturn Tensor complex64 or complex128
*/
/***
The inverse of fft2.
@function fft.ifft2
@tparam Tensor x 2 dims or more; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length along each dim, where -1 keeps the length
@tparam[opt] int|{int,...} dim by default the last two
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (divided by the product of s), "ortho" (divided by the root of
  the product) or "forward" (not scaled)
@treturn Tensor complex64 or complex128
*/
/***
fft2 of real numbers: rfft along the last dim of `dim`, fft along the other.
@function fft.rfft2
@tparam Tensor x 2 dims or more, real; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length along each dim, where -1 keeps the length
@tparam[opt] int|{int,...} dim by default the last two
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (not scaled), "ortho" (divided by the root of the product of s)
  or "forward" (divided by the product)
@treturn Tensor complex64 or complex128, n // 2 + 1 long in the last dim of `dim`, where n is the last length of s
*/
/***
The inverse of rfft2.
@function fft.irfft2
@tparam Tensor x 2 dims or more; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length of the result along each dim; -1 gives the length of x or, for m elements along the
  last dim of `dim`, 2 (m - 1)
@tparam[opt] int|{int,...} dim by default the last two
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (divided by the product of s), "ortho" (divided by the root of
  the product) or "forward" (not scaled)
@treturn Tensor float32 or float64
*/
/***
fft along several dims, one after the other.
@function fft.fftn
@tparam Tensor x any shape, real or complex; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length along each dim, where -1 keeps the length; requires `dim`
@tparam[opt] int|{int,...} dim by default all dims
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (not scaled), "ortho" (divided by the root of the product of s)
  or "forward" (divided by the product)
@treturn Tensor complex64 or complex128
*/
/***
The inverse of fftn.
@function fft.ifftn
@tparam Tensor x any shape, real or complex; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length along each dim, where -1 keeps the length; requires `dim`
@tparam[opt] int|{int,...} dim by default all dims
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (divided by the product of s), "ortho" (divided by the root of
  the product) or "forward" (not scaled)
@treturn Tensor complex64 or complex128
*/
/***
fftn of real numbers: rfft along the last dim of `dim`, fft along the others.
@function fft.rfftn
@tparam Tensor x any shape, real; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length along each dim, where -1 keeps the length; requires `dim`
@tparam[opt] int|{int,...} dim by default all dims
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (not scaled), "ortho" (divided by the root of the product of s)
  or "forward" (divided by the product)
@treturn Tensor complex64 or complex128, n // 2 + 1 long in the last dim of `dim`, where n is the last length of s
*/
/***
The inverse of rfftn.
@function fft.irfftn
@tparam Tensor x any shape; not bool, not half floats; integers become the default float
@tparam[opt] {int,...} s the length of the result along each dim; -1 gives the length of x or, for m elements along the
  last dim of `dim`, 2 (m - 1); requires `dim`
@tparam[opt] int|{int,...} dim by default all dims
@tab[opt] options `s`, `dim`, `out`, `norm`: "backward" (divided by the product of s), "ortho" (divided by the root of
  the product) or "forward" (not scaled)
@treturn Tensor float32 or float64
*/
/* The stack indices of a call's lengths and dims, which are arguments or options. */
typedef struct places { int lengths, dims; } places;

static places read_call(lua_State *L, fft_op *f, int nargs, int options) {
  const char *fn = f->info->name;
  bool one = f->info->dims == 1;
  const char *name = one ? "n" : "s";
  int lengths = push_either(L, fn, FIRST_LENGTH, nargs, options, name);
  int dims = push_either(L, fn, FIRST_DIM, nargs, options, "dim");
  f->norm = opt_norm(L, fn, options);
  if (f->in->shape.ndim == 0) luaL_error(L, "%s: not for a 0-d tensor", fn);
  if (one && lua_istable(L, dims)) luaL_error(L, "%s: dim: one number expected, got a table", fn);
  if (one && lua_istable(L, lengths)) luaL_error(L, "%s: n: one number expected, got a table", fn);
  if (!f->info->dims && !lua_isnil(L, lengths) && lua_isnil(L, dims))
    luaL_error(L, "%s: s needs dim: the dims that its lengths are of", fn);
  read_dims(L, f, dims, f->info->dims ? f->info->dims : f->in->shape.ndim);
  default_lengths(f);
  if (!lua_isnil(L, lengths)) read_lengths(L, f, lengths, name);
  check_lengths(L, f);
  return (places){lengths, dims};
}

/* lt.fft.fft(x, n, dim, {n, dim, norm, out}) and lt.fft.fftn(x, s, dim, {s, dim, norm, out}). The upvalue is the
** position in fft_ops. */
static int l_fft(lua_State *L) {
  fft_op f = {.info = &fft_ops[lua_tointeger(L, lua_upvalueindex(1))]};
  const char *fn = f.info->name;
  int nargs, options = check_options(L, fn, f.info->dims == 1 ? options_one : options_many, &nargs);
  if (nargs > MOST) return raise_most(L, fn, MOST, nargs);
  f.in = check_tensor_later(L, 1, fn);
  places at = read_call(L, &f, nargs, options);
  tensor *out = opt_out_later(L, options, fn);
  bool given = out != NULL;
  if (fft_prepare(&f) != OK) return refuse_dtype(L, &f);
  if (given) push_out(L, options, fn, out);
  else out = push_tensor_later(L, fn, f.result, &f.shape, f.in->store->place);
  int st;
  TRY(L, f.in->store->place, st, fft_run_later(&f, out));
  if (st != OK) return raise_run(L, &f, st, out);
  return finish_record(L, &(op_record){.name = fn, .nin = 1, .in = {1}, .first = (short)at.lengths, .last = (short)at.dims,
                                       .params = &(op_params){.number = {f.norm}}, .in_place = given});
}

/* Adds the table lt.fft, with one function for each row of fft_ops. */
void open_fft(lua_State *L) {
  lua_createtable(L, 0, FFT_COUNT);
  for (int k = 0; k < FFT_COUNT; k++) {
    lua_pushinteger(L, k);
    lua_pushcclosure(L, l_fft, 1);
    lua_setfield(L, -2, fft_ops[k].name);
  }
  lua_setfield(L, MODULE, "fft");
}
