/* Raises Lua errors for exhausted memory, and for the statuses that the layers below src/lua return. */

#include "base/text.h"
#include "lua/args.h"
#include "lua/collect.h"

/* ---- out of memory ---- */

const char *push_bytes(lua_State *L, size_t bytes) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double n = (double)bytes;
  int unit = 0;
  for (; n >= 1024 && unit < 6; unit++) n /= 1024;
  char text[32];
  text_print(text, sizeof text, unit ? "%.1f" : "%.0f", n);
  return lua_pushfstring(L, "%s %s", text, units[unit]);
}

const char *push_no_room(lua_State *L, double bytes) {
  enum { SMALL = 16 << 20 };          /* bytes; up to this size the limits are not read: reading takes 0.1 ms, filling
                                      ** 16 MiB takes 2 ms */
  size_t available = SIZE_MAX;
  /* sets `available` to the bytes that tensors can still take below the memory limit of the process */
  if (bytes > SMALL) host_place().device->available(0, &available);
  if (bytes <= (double)available) return NULL;
  return lua_pushfstring(L, "this takes about %s of memory, %s are available", push_bytes(L, (size_t)bytes),
                         push_bytes(L, available));
}

int raise_full(lua_State *L, place where, const char *wanted) {
  const memory_stats *all = where.device->stats(where.index);
  module_state *m = state_of(L);
  const account *own = account_of(m, where);
  storage_census census;
  ask_others(m);
  storage_count(where, &census);
  const char *name = push_place(L, where), *others = "";
  size_t bytes = memory_count(&all->live);
  const char *live = push_bytes(L, bytes), *cached = push_bytes(L, memory_count(&all->cached));
  if (own && bytes > account_live(own))
    others = lua_pushfstring(L, " (%s of it in other Lua states)", push_bytes(L, bytes - account_live(own)));
  const char *largest = census.origin[0] ? lua_pushfstring(L, "; largest: %s", census.origin) : "";
  return luaL_error(L, "out of memory on %s: %s; %s live in %d tensor%s%s, %s cached%s", name, wanted, live,
                    (int)census.count, census.count == 1 ? "" : "s", others, cached, largest);
}

int raise_memory(lua_State *L, const char *fn, place where) {
  return raise_full(L, where, lua_pushfstring(L, "scratch of %s", *fn ? fn : "indexing"));
}

/* ---- statuses ---- */

/* Raises an error that names the first dim, from the right, along which two shapes do not broadcast. */
static int raise_broadcast(lua_State *L, const char *fn, const shape *a, const shape *b) {
  int64_t na = 0, nb = 0;
  int k = 1;
  for (; k <= a->ndim && k <= b->ndim; k++) {
    na = a->dim[a->ndim - k];
    nb = b->dim[b->ndim - k];
    if (na != nb && na != 1 && nb != 1) break;
  }
  int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  return luaL_error(L, "%s: shapes %s and %s do not broadcast (dim %d: %I against %I)", fn, push_shape(L, a),
                    push_shape(L, b), ndim - k + 1, (LUAI_UACINT)na, (LUAI_UACINT)nb);
}

int raise_device(lua_State *L, const char *fn, int status, place where) {
  if (!*fn) fn = "index";              /* the caller passes "" if an index x[…] failed */
  char text[1024];
  if (status == ERR_CAPTURE)
    return luaL_error(L, "%s: not while a graph is captured: it waits, or copies from or to the host", fn);
  where.device->explain(where.index, text, sizeof text);
  if (status == ERR_LATE) return luaL_error(L, "%s", text);    /* the text names the function that queued the work */
  return luaL_error(L, "%s: %s", fn, text);
}

const char *push_not_found(lua_State *L) {
  bool gpus = true;
  char reason[1024];
  const device *d;
  for (int k = 1; (d = device_kind(k)); k++) gpus = gpus && (d->user_kernel_make || !*d->reason());
  device_reason(reason, sizeof reason);
  return lua_pushfstring(L, "%s not found: %s", gpus ? "GPU" : "accelerator", reason);
}

int raise_no_accelerator(lua_State *L, const char *fn) {
  return luaL_error(L, "%s%s%s", fn ? fn : "", fn ? ": " : "", push_not_found(L));
}

place failing_place(const tensor *const *t, int n) {
  place p = host_place();
  for (int i = n - 1; i >= 0; i--)
    if (t[i]->store && (!place_is_host(t[i]->store->place) || i == n - 1)) p = t[i]->store->place;
  return p;
}

/* Raises an error for tensors on different devices. Suggests a move to the accelerator if one of the tensors is on
** the accelerator. */
static int raise_devices(lua_State *L, const char *fn, const tensor *const *t, int n) {
  place a = t[0]->store->place, b = t[n - 1]->store->place;
  for (int i = 1; i < n; i++)
    if (!place_equal(a, t[i]->store->place)) { b = t[i]->store->place; break; }
  return luaL_error(L, "%s: tensors on different devices: %s and %s; move one with :to(\"%s\")", fn, push_place(L, a),
                    push_place(L, b), push_place(L, place_is_host(b) ? a : b));
}

static int raise_no_kernel(lua_State *L, const char *fn, const tensor *t) {
  const char *dtype = dtypes[t->dtype].name;
  const char *there = push_place(L, t->store->place);
  if (place_is_host(t->store->place)) return luaL_error(L, "%s: not available on %s for %s", fn, there, dtype);
  return luaL_error(L, "%s: not available on %s for %s; use x:to(\"%s\")", fn, there, dtype, push_place(L, host_place()));
}

int raise(lua_State *L, const char *fn, int status, const tensor *const *t, int n) {
  switch (status) {
    case ERR_BROADCAST:
      return raise_broadcast(L, fn, &t[0]->shape, &t[1]->shape);
    case ERR_DEVICES:
      return raise_devices(L, fn, t, n);
    case ERR_DTYPE:
      return luaL_error(L, "%s: not for %s", fn, dtypes[t[0]->dtype].name);
    case ERR_OUT_SHAPE:
      return luaL_error(L, "%s: the target has shape %s, not that of the result", fn, push_shape(L, &t[0]->shape));
    case ERR_CAST:
      return luaL_error(L, "%s: the result does not fit the target's dtype %s", fn, dtypes[t[0]->dtype].name);
    case ERR_OVERLAP:
      return luaL_error(L, "%s: the target shares memory with an input; use :clone() on one of them", fn);
    case ERR_READONLY:
      return luaL_error(L, "%s: the target is a broadcast view (several elements share one place); use :clone()", fn);
    case ERR_EMPTY:
      return luaL_error(L, "%s: shape %s has no elements", fn, push_shape(L, &t[0]->shape));
    case ERR_OVERFLOW:
      return luaL_error(L, "%s: the size in bytes does not fit", fn);
    case ERR_NDIM:
      return luaL_error(L, "%s: more than %d dims", fn, MAX_DIMS);
    case ERR_MEMORY:
      return n > 0 ? raise_memory(L, fn, failing_place(t, n)) : luaL_error(L, "%s: out of memory", fn);
    case ERR_CANCELLED:
      if (n > 0 && t[0]->store) t[0]->store->version++;      /* the target may be partly written */
      return raise_cancelled(L, fn);
    case ERR_BUSY:
      return luaL_error(L, "%s: not in a debug hook that runs in the middle of an operation", fn);
    case ERR_CHANGED:
      return luaL_error(L, "%s: a finalizer, a debug hook or the host changed the tensor in the middle of the operation", fn);
    case ERR_NO_KERNEL:
      return raise_no_kernel(L, fn, t[0]);
    case ERR_DEVICE: case ERR_LATE: case ERR_CAPTURE:
      return raise_device(L, fn, status, failing_place(t, n));
    default:
      return luaL_error(L, "%s: error %d", fn, status);
  }
}

/* Raises an error for shapes that do not broadcast. The error names the first input whose shape does not broadcast
** with the earlier inputs. */
static int raise_job_broadcast(lua_State *L, const char *fn, const job *j) {
  shape s = {.ndim = 0};
  for (int i = 0; i < j->nin; i++) {
    if (!j->in[i].t) continue;
    shape before = s;
    if (shape_broadcast(&s, &j->in[i].t->shape) != OK) return raise_broadcast(L, fn, &before, &j->in[i].t->shape);
  }
  return luaL_error(L, "%s: shapes do not broadcast", fn);
}

static int raise_job_scalar(lua_State *L, const char *fn, const job *j) {
  for (int i = 0; i < j->nin; i++)
    if (!j->in[i].t && !j->in[i].s.is_float && !integer_fits(j->compute, j->in[i].s.i))
      return luaL_error(L, "%s: %I does not fit %s", fn, (LUAI_UACINT)j->in[i].s.i, dtypes[j->compute].name);
  return luaL_error(L, "%s: a number does not fit %s", fn, dtypes[j->result].name);
}

/* Raises the dtype error of a job. t: the n tensors of the job. Each dtype may be supported although their common dtype
** is not: uint64 and int8 promote to float64. */
static int raise_job_dtype(lua_State *L, const char *fn, const job *j, const tensor *const *t, int n) {
  enum dtype_class class = map_ops[j->op].class;
  bool is_bool = !dtype_in_class(DT_bool, class);
  for (int i = 0; i < j->nin; i++)
    if (j->in[i].t ? j->in[i].t->dtype != DT_bool : j->in[i].s.is_complex) is_bool = false;
  if (is_bool) return luaL_error(L, "%s: not for bool; use x:to(\"int64\")", fn);
  for (int i = 0; i < n; i++)
    if (!dtype_in_class(t[i]->dtype, class)) return luaL_error(L, "%s: not for %s", fn, dtypes[t[i]->dtype].name);
  int first = map_ops[j->op].selects;
  enum dtype d = promote_all(j->in + first, j->nin - first);
  return luaL_error(L, "%s: not for %s, to which the arguments promote", fn, dtypes[d].name);
}

int raise_target(lua_State *L, const char *fn, int status, const tensor *out, enum dtype result, const shape *s) {
  if (status == ERR_CAST)
    return luaL_error(L, "%s: result %s does not fit %s", fn, dtypes[result].name, dtypes[out->dtype].name);
  return luaL_error(L, "%s: the target has shape %s, the result %s", fn, push_shape(L, &out->shape), push_shape(L, s));
}

int raise_job(lua_State *L, const char *fn, int status, const job *j, const tensor *out) {
  const tensor *t[1 + MAX_IN];
  int n = 0;
  if (out) t[n++] = out;
  for (int i = 0; i < j->nin; i++)
    if (j->in[i].t) t[n++] = j->in[i].t;
  switch (status) {
    case ERR_BROADCAST: return raise_job_broadcast(L, fn, j);
    case ERR_SCALAR:    return raise_job_scalar(L, fn, j);
    case ERR_OUT_SHAPE: case ERR_CAST: return raise_target(L, fn, status, out, j->result, &j->shape);
    case ERR_DTYPE: return raise_job_dtype(L, fn, j, t, n);
    default: return raise(L, fn, status, t, n);
  }
}
