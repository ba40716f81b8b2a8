/* Streams and events: queues of operations. In eager order an operation runs when it is queued. In lazy order an
** operation runs only when the host or a later operation waits for it, so that a missing wait gives a wrong value. */

#include "emulator.h"
#include "event.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace emulator {

static auto &streams = *new std::set<gpu_stream>;                         /* all streams except the default streams */
static auto &events = *new std::set<gpu_event>;
static auto &defaults = *new std::map<gpu_context, gpu_stream_opaque>;

/* ---- running queued operations ---- */

static bool run_front(queue &q, bool wait);

static bool reach(const point &p, bool wait) {
  while (p.q && p.q->done < p.ticket)
    if (!run_front(*p.q, wait)) return false;
  return true;
}

/* Calls the operation's function. If the operation waits for another process and `wait` is false, returns NOT_READY. */
static int call(queue &q, const operation &o, bool wait) {
  int r;
  do {
    memory_open(q.context->device);
    r = o.run();
    if (r == NOT_READY && wait) usleep(50);
  } while (r == NOT_READY && wait);
  return r;
}

/* Runs the first operation of a queue. Returns false if the operation has to wait for another process, and `wait` is
** false. */
static bool run_front(queue &q, bool wait) {
  const operation &o = q.pending.front();
  for (const point &p : o.after)
    if (!reach(p, wait)) return false;
  if (!q.context->sticky && o.run) {
    int r = call(q, o, wait);
    if (r == NOT_READY) return false;
    q.context->sticky = r;
  }
  q.pending.pop_front();
  q.done++;
  return true;
}

/* Runs the operations of a queue that precede a point. The emulated device's memory is accessible to the process
** while these operations run. Returns false if an operation has to wait for another process, and `wait` is false. */
static bool run_to(const point &p, bool wait = true) {
  static int depth;
  depth++;
  bool reached = reach(p, wait);
  if (--depth == 0) memory_close();
  return reached;
}

static point end_of(const gpu_stream_opaque &s) { return {s.q, s.q->added}; }

static gpu_stream default_stream(gpu_context c) {
  gpu_stream s = &defaults[c];
  if (!s->q) {
    s->q = std::make_shared<queue>();
    s->q->context = c;
  }
  return s;
}

/* Adds the implicit waits of an operation: the default stream and blocking streams wait for each other. */
static void add_implicit(gpu_stream s, operation *o) {
  gpu_context c = s->q->context;
  gpu_stream d = default_stream(c);
  if (s == d) {
    for (gpu_stream other : streams)
      if (other->blocking && other->q->context == c) o->after.push_back(end_of(*other));
  } else if (s->blocking) {
    o->after.push_back(end_of(*d));
  }
}

static int add(gpu_stream s, operation o) {
  add_implicit(s, &o);
  s->q->pending.push_back(std::move(o));
  s->q->added++;
  s->q->asked = false;
  if (!settings.lazy) run_to(end_of(*s), false);
  return SUCCESS;
}

/* Returns an error, and invalidates the capture, if s is the default stream and would have to wait for a blocking
** stream that is being captured. */
static int check_implicit(gpu_stream s) {
  for (gpu_stream other : streams)
    if (other->captured && other->blocking && other->q->context == s->q->context && s == default_stream(s->q->context)) {
      other->captured->invalid = true;
      return STREAM_CAPTURE_IMPLICIT;
    }
  return SUCCESS;
}

int stream_add(gpu_stream s, std::function<int()> run) {
  if (s->captured) return capture_add(s, std::move(run));
  if (int r = check_implicit(s)) return r;
  return add(s, {{}, std::move(run)});
}

int stream_check(gpu_stream *s) {
  if (!*s || *s == reinterpret_cast<gpu_stream>(1)) *s = default_stream(current_context());
  else if (!streams.count(*s)) return INVALID_HANDLE;
  return (*s)->q->context == current_context() ? int(SUCCESS) : int(INVALID_HANDLE);
}

int stream_finish(gpu_stream s) {
  run_to(end_of(*s));
  return s->q->context->sticky;
}

bool stream_capturing(gpu_stream s) { return s->captured != nullptr; }

int context_finish(gpu_context c) {
  for (gpu_stream s : streams)
    if (s->q->context == c) run_to(end_of(*s));
  run_to(end_of(*default_stream(c)));
  return c->sticky;
}

int capture_forbids(gpu_context c) {
  for (gpu_stream s : streams) {
    if (!s->captured || (c ? s->q->context != c : s->captured->mode == CAPTURE_RELAXED)) continue;
    s->captured->invalid = true;
    return STREAM_CAPTURE_UNSUPPORTED;
  }
  return SUCCESS;
}

void stream_reset(gpu_context c) {
  for (auto s = streams.begin(); s != streams.end();)
    if ((*s)->q->context == c) delete *s, s = streams.erase(s);
    else ++s;
  for (auto e = events.begin(); e != events.end();)
    if ((*e)->context == c) delete *e, e = events.erase(e);
    else ++e;
  defaults.erase(c);
}

size_t stream_report(const char *when) {
  if (!streams.empty()) fprintf(stderr, "emulator: %s: %zu streams are not destroyed\n", when, streams.size());
  if (!events.empty()) fprintf(stderr, "emulator: %s: %zu events are not destroyed\n", when, events.size());
  return streams.size() + events.size();
}

static double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* Returns SUCCESS if a point was reached. In lazy order, the first query after an addition returns NOT_READY and sets
** *asked, and the second query runs the operations. */
static int query(const point &p, bool *asked) {
  if (!p.q || p.q->done >= p.ticket) return SUCCESS;
  if (!*asked) {
    *asked = true;
    return NOT_READY;
  }
  return run_to(p, false) ? p.q->context->sticky : int(NOT_READY);
}

}

using namespace emulator;

/* ---- for the other emulated libraries ---- */

EXPORT int emulator_queue(gpu_stream s, int (*work)(void *), void (*drop)(void *), void *data) {
  std::shared_ptr<void> owned(data, drop);
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = stream_check(&s)) return r;
  return stream_add(s, [=] { return work(owned.get()); });
}

/* ---- streams ---- */

EXPORT int cuStreamCreate(gpu_stream *s, unsigned flags) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (flags > 1) return INVALID_VALUE;
  if (emulator_counted(OBJECT)) return OUT_OF_MEMORY;
  *s = new gpu_stream_opaque;
  (*s)->q = std::make_shared<queue>();
  (*s)->q->context = current_context();
  (*s)->blocking = !(flags & 1);
  streams.insert(*s);
  return SUCCESS;
}

/* Runs the queued operations of a stream and destroys the stream. */
EXPORT int cuStreamDestroy_v2(gpu_stream s) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!streams.count(s)) return INVALID_HANDLE;
  run_to(end_of(*s));
  streams.erase(s);
  delete s;
  return SUCCESS;
}

EXPORT int cuStreamSynchronize(gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  counts[SYNC]++;
  if (int r = stream_check(&s)) return r;
  if (int r = capture_refuses(s)) return r;
  if (int r = check_implicit(s)) return r;
  return stream_finish(s);
}

EXPORT int cuStreamQuery(gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = stream_check(&s)) return r;
  if (int r = capture_refuses(s)) return r;
  return query(end_of(*s), &s->q->asked);
}

EXPORT int cuStreamWaitEvent(gpu_stream s, gpu_event e, unsigned) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = stream_check(&s)) return r;
  if (!events.count(e)) return INVALID_HANDLE;
  if (e->in_capture || s->captured) return capture_wait(s, e);
  if (!e->last.q) return SUCCESS;
  operation o;
  o.after.push_back(e->last);
  return add(s, std::move(o));
}

/* ---- events ---- */

EXPORT int cuEventCreate(gpu_event *e, unsigned flags) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (emulator_counted(OBJECT)) return OUT_OF_MEMORY;
  *e = new gpu_event_opaque;
  (*e)->context = current_context();
  (*e)->timed = !(flags & 2);
  events.insert(*e);
  return SUCCESS;
}

EXPORT int cuEventDestroy_v2(gpu_event e) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!events.erase(e)) return INVALID_HANDLE;
  delete e;
  return SUCCESS;
}

EXPORT int cuEventRecord(gpu_event e, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = stream_check(&s)) return r;
  if (!events.count(e) || e->context != s->q->context) return INVALID_HANDLE;
  if (s->captured) return capture_record(e, s);
  if (int r = check_implicit(s)) return r;
  auto time = std::make_shared<double>(0);
  e->time = time;
  e->in_capture = e->asked = false;
  operation o;
  o.run = [=] { *time = now(); return SUCCESS; };
  e->last = {s->q, s->q->added + 1};
  return add(s, std::move(o));
}

EXPORT int cuEventQuery(gpu_event e) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!events.count(e)) return INVALID_HANDLE;
  if (e->in_capture) return capture_asked(e);
  return query(e->last, &e->asked);
}

EXPORT int cuEventSynchronize(gpu_event e) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  counts[SYNC]++;
  if (!events.count(e)) return INVALID_HANDLE;
  if (e->in_capture) return capture_asked(e);
  run_to(e->last);
  return current_context()->sticky;
}

EXPORT int cuEventElapsedTime(float *ms, gpu_event from, gpu_event to) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  for (gpu_event e : {from, to}) {
    if (!events.count(e) || !e->timed || !e->last.q) return INVALID_HANDLE;
    if (e->in_capture) return CAPTURED_EVENT;
  }
  for (gpu_event e : {from, to})
    if (e->last.q->done < e->last.ticket) return NOT_READY;
  *ms = float(*to->time - *from->time);
  return SUCCESS;
}
