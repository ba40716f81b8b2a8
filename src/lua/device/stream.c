/* Streams (queues of work on a device) and events (marks in a queue). The CPU has no queues: its work is done when a
** call returns. So that the same script runs there, streams do nothing on the CPU, and events store the time. */

#include <string.h>

#include "base/system.h"
#include "lua/args.h"
#include "lua/register.h"
#include "op/queue.h"

/* The addresses of these variables are the registry keys of the metatables. */
static const char stream_class = 0, event_class = 0;

typedef struct stream {
  place    where;
  int      number;
  unsigned epoch;            /* the device's epoch when the object was made; reopening the device changes the epoch */
  bool     ended;
} stream;

typedef struct event {
  place    where;
  void    *handle;           /* the device's event; NULL on the CPU */
  double   time;             /* on the CPU: time of the record in seconds */
  unsigned epoch;
  bool     timing, recorded, ended;
} event;

static void check_epoch(lua_State *L, const char *fn, const char *what, place where, unsigned epoch) {
  if (epoch != place_epoch(where)) luaL_error(L, "%s: %s", fn, push_lost(L, what, where));
}

static stream *check_stream(lua_State *L, int i, const char *fn) {
  stream *s = test_class(L, i, &stream_class, sizeof(stream));
  if (!s) luaL_error(L, "%s: argument %d: stream expected, got %s", fn, i, type_name(L, i));
  if (s->ended) luaL_error(L, "%s: argument %d: this stream was closed", fn, i);
  check_epoch(L, fn, "stream", s->where, s->epoch);
  run_deferred(L, fn);                      /* so that the work is queued where and when the script expects it */
  return s;
}

/* Returns the stream in argument 1 of a method, or raises an error. */
static stream *self_stream(lua_State *L, const char *fn) {
  check_self(L, &stream_class, sizeof(stream), fn, "stream");
  return check_stream(L, 1, fn);
}

static event *check_event(lua_State *L, int i, const char *fn) {
  event *e = test_class(L, i, &event_class, sizeof(event));
  if (!e) luaL_error(L, "%s: argument %d: event expected, got %s", fn, i, type_name(L, i));
  if (e->ended) luaL_error(L, "%s: argument %d: this event was closed", fn, i);
  check_epoch(L, fn, "event", e->where, e->epoch);
  run_deferred(L, fn);
  return e;
}

/* Returns the event in argument 1 of a method, or raises an error. */
static event *self_event(lua_State *L, const char *fn) {
  check_self(L, &event_class, sizeof(event), fn, "event");
  return check_event(L, 1, fn);
}

static int finish(lua_State *L, const char *fn, int st, place where) {
  return st == OK ? 0 : raise_device(L, fn, st, where);
}

/* ---- streams ---- */

/* Pushes a stream object with `ended` set, so that methods refuse it. The caller then makes the device's stream and
** calls start_stream, which clears `ended`. The object is made first, so that an error cannot leave a stream without
** an owner. */
static stream *push_stream(lua_State *L, place where) {
  stream *s = push_object(L, &stream_class, sizeof *s, 0);
  *s = (stream){.where = where, .ended = true};
  return s;
}

static void start_stream(stream *s, int number) {
  s->number = number;
  s->epoch = place_epoch(s->where);
  s->ended = false;
}

/***
Makes a stream: a separate queue of work on a device. A script's work goes to the device's current stream;
`lt.with_stream` makes another stream current. Streams run concurrently; streams that use the same tensor wait for each
other if necessary. On the CPU a stream does nothing. A stream ends with its last reference, or with its `<close>`
variable; queued work is still finished.
@function stream
@string[opt] device by default the default device
@treturn stream with the field `device` and the methods below
@raise if a device would have more than 31 streams at a time
*/
static int l_stream(lua_State *L) {
  place where = arg_place(L, 1, "stream");
  stream *s = push_stream(L, where);
  const device_streams *calls = where.device->streams;
  int number = 0, st = OK;
  if (calls) TRY(L, where, st, calls->make(where.index, &number));
  if (st == ERR_OVERFLOW) {               /* unreferenced streams count until they are collected */
    lua_gc(L, LUA_GCCOLLECT);
    st = calls->make(where.index, &number);
  }
  if (st == ERR_OVERFLOW) return luaL_error(L, "stream: too many streams of one device; let some go");
  if (st != OK) return raise_device(L, "stream", st, where);
  start_stream(s, number);
  return 1;
}

/***
Returns the stream on which work for a device is currently queued.
@function current_stream
@string[opt] device by default the default device
@treturn stream
*/
static int l_current_stream(lua_State *L) {
  place where = arg_place(L, 1, "current_stream");
  stream *s = push_stream(L, where);
  const device_streams *calls = where.device->streams;
  int number = calls ? calls->current(where.index) : 0;
  if (number > 0) calls->retain(where.index, number);
  start_stream(s, number);
  return 1;
}

static int s_end(lua_State *L) {
  stream *s = test_class(L, 1, &stream_class, sizeof(stream));
  if (!s || s->ended) return 0;
  s->ended = true;
  if (s->number > 0 && s->epoch == place_epoch(s->where)) s->where.device->streams->release(s->where.index, s->number);
  return 0;
}

/* ---- with_stream ---- */

/* A guard is a <close> variable while with_stream runs its function. The guard keeps the streams `before` and
** `during` alive, and makes stream `before` current again at the end. */
typedef struct guard {
  place    where;
  int      before, during;
  unsigned epoch;
  bool     active;
} guard;

static const char guard_class = 0;

/* Makes the guard's stream `before` current again. A second call for the same guard does nothing. */
static int leave_stream(lua_State *L, guard *g) {
  if (!g->active) return 0;
  g->active = false;
  if (g->epoch != place_epoch(g->where)) return 0;
  const device_streams *calls = g->where.device->streams;
  int st = calls->use(g->where.index, g->before);
  if (g->before > 0) calls->release(g->where.index, g->before);
  if (g->during > 0) calls->release(g->where.index, g->during);
  return finish(L, "with_stream", st, g->where);
}

static int g_close(lua_State *L) {
  guard *g = test_class(L, 1, &guard_class, sizeof(guard));
  return g ? leave_stream(L, g) : 0;
}

/* Makes stream s current, and inserts a new guard at stack index i. When the guard is closed, it makes the previous
** stream current again. */
static void enter_stream(lua_State *L, const stream *s, int i) {
  const device_streams *calls = s->where.device->streams;
  guard *g = push_object(L, &guard_class, sizeof *g, 0);
  *g = (guard){.where = s->where, .during = s->number, .epoch = s->epoch};
  lua_insert(L, i);
  lua_toclose(L, i);
  if (!calls) return;
  g->before = calls->current(s->where.index);
  int st = calls->use(s->where.index, s->number);
  if (st != OK) raise_device(L, "with_stream", st, s->where);
  g->active = true;
  if (g->before > 0) calls->retain(s->where.index, g->before);
  if (g->during > 0) calls->retain(s->where.index, g->during);
}

/***
Calls a function while a stream is its device's current stream. Afterwards, even after an error, the previous stream is
current again. The function cannot yield.
@function with_stream
@tparam stream stream
@tparam function f
@param ... arguments of f
@return the results of f
*/
static int l_with_stream(lua_State *L) {
  const stream *s = check_stream(L, 1, "with_stream");
  if (lua_type(L, 2) != LUA_TFUNCTION)
    return luaL_error(L, "with_stream: argument 2: function expected, got %s", type_name(L, 2));
  int nargs = lua_gettop(L) - 2;
  enter_stream(L, s, 2);                  /* the stack is: stream, guard, f, arguments */
  lua_call(L, nargs, LUA_MULTRET);
  run_deferred(L, "with_stream");
  leave_stream(L, lua_touserdata(L, 2));  /* called directly, because Lua before 5.4.3 has no lua_closeslot */
  return lua_gettop(L) - 2;
}

/***
Waits until the work queued on this stream is done.
@function stream:synchronize
*/
static int s_synchronize(lua_State *L) {
  const stream *s = self_stream(L, "synchronize");
  return finish(L, "synchronize", queue_wait_stream(s->where, s->number), s->where);
}

/***
Makes work that is queued on this stream from now on wait for an event, or for the work that is queued on another stream
now. The script does not wait.
@function stream:wait
@param what an event or a stream, of any device; an event that was never recorded counts as happened
*/
static int s_wait(lua_State *L) {
  const stream *s = self_stream(L, "wait");
  if (test_class(L, 2, &event_class, sizeof(event))) {
    const event *e = check_event(L, 2, "wait");
    int st = e->recorded ? queue_follow_event(s->where, s->number, e->where, e->handle) : OK;
    return finish(L, "wait", st, s->where);
  }
  if (!test_class(L, 2, &stream_class, sizeof(stream)))
    return luaL_error(L, "wait: argument 2: event or stream expected, got %s", type_name(L, 2));
  const stream *other = check_stream(L, 2, "wait");
  return finish(L, "wait", queue_follow_stream(s->where, s->number, other->where, other->number), other->where);
}

static int s_eq(lua_State *L) {
  const stream *a = test_class(L, 1, &stream_class, sizeof(stream)), *b = test_class(L, 2, &stream_class, sizeof(stream));
  lua_pushboolean(L, a && b && place_equal(a->where, b->where) && a->number == b->number && a->epoch == b->epoch);
  return 1;
}

static int s_tostring(lua_State *L) {
  const stream *s = test_class(L, 1, &stream_class, sizeof(stream));
  if (!s) return luaL_error(L, "tostring: stream expected");
  lua_pushfstring(L, "stream %d of %s%s", s->number, push_place(L, s->where), s->ended ? " (closed)" : "");
  return 1;
}

/* ---- events ---- */

static const char *const event_options[] = {"device", "timing", NULL};

/***
Makes an event: a mark in a stream's queue. Scripts can wait for it, query it, and measure the time between two events.
@function event
@tparam[opt] table options `device` (default: the default device), `timing` (default true)
@treturn event with the field `device` and the methods below
*/
static int l_event(lua_State *L) {
  int nargs, options = check_options(L, "event", event_options, &nargs);
  if (nargs > 0) return luaL_error(L, "event: options expected, as in lt.event{timing = false}");
  place where = opt_place(L, options, "event", default_place(L));
  bool timing = opt_bool(L, options, "event", "timing", true);
  event *e = push_object(L, &event_class, sizeof *e, 0);
  *e = (event){.where = where, .timing = timing, .ended = true};
  const device_streams *calls = where.device->streams;
  int st = OK;
  if (calls) TRY(L, where, st, calls->event_make(where.index, timing, &e->handle));
  if (st != OK) return raise_device(L, "event", st, where);
  e->epoch = place_epoch(where);
  e->ended = false;
  return 1;
}

static int e_end(lua_State *L) {
  event *e = test_class(L, 1, &event_class, sizeof(event));
  if (!e || e->ended) return 0;
  e->ended = true;
  if (e->handle && e->epoch == place_epoch(e->where)) e->where.device->streams->event_free(e->where.index, e->handle);
  return 0;
}

/* Returns the number of the stream in argument 2, which must be on the event's device. Without argument 2, returns
** the number of the current stream. */
static int event_stream(lua_State *L, const event *e) {
  const device_streams *calls = e->where.device->streams;
  if (lua_isnoneornil(L, 2)) return calls ? calls->current(e->where.index) : 0;
  const stream *s = check_stream(L, 2, "record");
  if (place_equal(s->where, e->where)) return s->number;
  return luaL_error(L, "record: event of %s, stream of %s", push_place(L, e->where), push_place(L, s->where));
}

/***
Records this event after the work that is queued on a stream now. An earlier record no longer counts.
@function event:record
@tparam[opt] stream stream by default the current stream of the event's device
@treturn event itself
*/
static int e_record(lua_State *L) {
  event *e = self_event(L, "record");
  int number = event_stream(L, e);
  const device_streams *calls = e->where.device->streams;
  int st = calls ? calls->event_record(e->where.index, e->handle, number) : OK;
  if (st != OK) return raise_device(L, "record", st, e->where);
  e->time = system_clock();
  e->recorded = true;
  lua_settop(L, 1);
  return 1;
}

/***
Waits until the event has happened. Returns at once if the event was never recorded.
@function event:synchronize
*/
static int e_synchronize(lua_State *L) {
  const event *e = self_event(L, "synchronize");
  return finish(L, "synchronize", e->recorded ? queue_wait_event(e->where, e->handle) : OK, e->where);
}

/***
True if the work before the event is done. Does not wait.
@function event:query
@treturn boolean also true if the event was never recorded
*/
static int e_query(lua_State *L) {
  const event *e = self_event(L, "query");
  const device_streams *calls = e->where.device->streams;
  bool done = true;
  int st = calls && e->recorded ? calls->event_query(e->where.index, e->handle, &done) : OK;
  if (st != OK) return raise_device(L, "query", st, e->where);
  lua_pushboolean(L, done);
  return 1;
}

static void check_timed(lua_State *L, const event *e) {
  if (!e->recorded) luaL_error(L, "elapsed: an event that was not recorded");
  if (!e->timing) luaL_error(L, "elapsed: an event made with timing = false");
}

/***
Returns the milliseconds from this event to a later one. Waits for the later event.
@function event:elapsed
@tparam event to an event of the same device
@treturn number
@raise if an event was not recorded or was made with `timing = false`, or if the events are on different devices
*/
static int e_elapsed(lua_State *L) {
  const event *from = self_event(L, "elapsed"), *to = check_event(L, 2, "elapsed");
  if (!place_equal(from->where, to->where))
    return luaL_error(L, "elapsed: events of two devices: %s and %s", push_place(L, from->where), push_place(L, to->where));
  check_timed(L, from);
  check_timed(L, to);
  double ms = (to->time - from->time) * 1e3;
  const device_streams *calls = from->where.device->streams;
  int st = calls ? calls->event_elapsed(from->where.index, from->handle, to->handle, &ms) : OK;
  if (st != OK) return raise_device(L, "elapsed", st, from->where);
  lua_pushnumber(L, ms);
  return 1;
}

static int e_tostring(lua_State *L) {
  const event *e = test_class(L, 1, &event_class, sizeof(event));
  if (!e) return luaL_error(L, "tostring: event expected");
  lua_pushfstring(L, "event of %s%s", push_place(L, e->where), e->ended ? " (closed)" : "");
  return 1;
}

/* ---- opening ---- */

/* Returns field `device` of a stream or an event. For any other name, returns the method from the table in upvalue 1,
** or raises an error if there is no such method. */
static int l_field(lua_State *L) {
  const stream *s = test_class(L, 1, &stream_class, sizeof(stream));
  const event *e = test_class(L, 1, &event_class, sizeof(event));
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if ((s || e) && strcmp(name, "device") == 0) {
    push_place(L, s ? s->where : e->where);
    return 1;
  }
  lua_settop(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  return luaL_error(L, "%s has no \"%s\"", s ? "stream" : "event", name);
}

static const function_row stream_methods[] = {{"synchronize", s_synchronize, 1}, {"wait", s_wait, 2}, {NULL, NULL, 0}};
static const luaL_Reg stream_meta[] = {
  {"__gc", s_end}, {"__close", s_end}, {"__eq", s_eq}, {"__tostring", s_tostring}, {NULL, NULL}
};
static const function_row event_methods[] = {
  {"record", e_record, 2}, {"synchronize", e_synchronize, 1}, {"query", e_query, 1}, {"elapsed", e_elapsed, 2},
  {NULL, NULL, 0}
};
static const luaL_Reg event_meta[] = {{"__gc", e_end}, {"__close", e_end}, {"__tostring", e_tostring}, {NULL, NULL}};
static const luaL_Reg guard_meta[] = {{"__gc", g_close}, {"__close", g_close}, {NULL, NULL}};
static const function_row functions[] = {
  {"stream", l_stream, 1}, {"current_stream", l_current_stream, 1}, {"with_stream", l_with_stream, ANY},
  {"event", l_event, 1}, {NULL, NULL, 0}
};

/* Adds a class whose objects have the field `device` besides their methods. */
static void add_device_class(lua_State *L, const char *class, const char *name, const luaL_Reg *meta,
                             const function_row *methods) {
  add_class(L, class, name, meta, NULL);
  lua_rawgetp(L, LUA_REGISTRYINDEX, class);
  push_library(L, methods);
  lua_pushcclosure(L, l_field, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void open_stream(lua_State *L) {
  add_device_class(L, &stream_class, "luatensor.Stream", stream_meta, stream_methods);
  add_device_class(L, &event_class, "luatensor.Event", event_meta, event_methods);
  add_class(L, &guard_class, "luatensor.StreamGuard", guard_meta, NULL);
  add_functions(L, functions);
}
