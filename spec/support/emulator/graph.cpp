/* Captures and graphs. A graph is the list of its steps in the order in which they were captured. Replaying them in
** this order is always allowed. The order between streams is stored only to detect, at the end of the capture, streams
** for which the first stream does not wait. */

#include "event.h"

#include <algorithm>
#include <cstdio>

struct gpu_graph_opaque { std::shared_ptr<emulator::graph_work> work; };
struct gpu_graph_exec_opaque { std::shared_ptr<emulator::graph_work> work; gpu_context context; };

namespace emulator {

static auto &graphs = *new std::set<gpu_graph>;
static auto &execs = *new std::set<gpu_graph_exec>;

static int invalidate(capture &c, int result) {
  c.invalid = true;
  return result;
}

int capture_add(gpu_stream s, std::function<int()> run) {
  capture &c = *s->captured;
  if (c.invalid) return STREAM_CAPTURE_INVALIDATED;
  c.work->steps.push_back(std::move(run));
  s->clock[s] = ++c.steps[s];
  return SUCCESS;
}

int capture_refuses(gpu_stream s) {
  return s->captured ? invalidate(*s->captured, STREAM_CAPTURE_UNSUPPORTED) : int(SUCCESS);
}

int capture_asked(gpu_event e) {
  if (auto c = e->captured.lock()) c->invalid = true;
  return CAPTURED_EVENT;
}

int capture_record(gpu_event e, gpu_stream s) {
  if (s->captured->invalid) return STREAM_CAPTURE_INVALIDATED;
  e->in_capture = true;
  e->captured = s->captured;
  e->clock = s->clock;
  return SUCCESS;
}

/* Makes a captured stream wait for an event, or a stream wait for a captured event. In the second case the stream
** joins the event's capture. */
int capture_wait(gpu_stream s, gpu_event e) {
  if (!e->in_capture) return e->last.q ? invalidate(*s->captured, STREAM_CAPTURE_ISOLATION) : int(SUCCESS);
  auto c = e->captured.lock();
  if (!c) return CAPTURED_EVENT;
  if (c->invalid) return STREAM_CAPTURE_INVALIDATED;
  if (s->captured && s->captured != c) {
    s->captured->invalid = true;
    return invalidate(*c, STREAM_CAPTURE_MERGE);
  }
  s->captured = c;
  c->members.insert(s);
  for (auto &t : e->clock) s->clock[t.first] = std::max(s->clock[t.first], t.second);
  return SUCCESS;
}

static bool joined(const capture &c) {
  for (auto &t : c.steps) {
    auto known = c.origin->clock.find(t.first);
    if (known == c.origin->clock.end() || known->second < t.second) return false;
  }
  return true;
}

void graph_reset(gpu_context c) {
  for (auto e = execs.begin(); e != execs.end();)
    if ((*e)->context == c) delete *e, e = execs.erase(e);
    else ++e;
}

size_t graph_report(const char *when) {
  if (!graphs.empty()) fprintf(stderr, "emulator: %s: %zu graphs are not destroyed\n", when, graphs.size());
  if (!execs.empty()) fprintf(stderr, "emulator: %s: %zu executable graphs are not destroyed\n", when, execs.size());
  return graphs.size() + execs.size();
}

}

using namespace emulator;

EXPORT int cuStreamBeginCapture_v2(gpu_stream s, gpu_capture_mode mode) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!s) return STREAM_CAPTURE_UNSUPPORTED;
  if (int r = stream_check(&s)) return r;
  if (mode < 0 || mode > CAPTURE_RELAXED) return INVALID_VALUE;
  if (s->captured) return invalidate(*s->captured, STREAM_CAPTURE_UNSUPPORTED);
  s->captured = std::make_shared<capture>();
  s->captured->origin = s;
  s->captured->mode = mode;
  s->captured->members.insert(s);
  s->clock.clear();
  return SUCCESS;
}

EXPORT int cuStreamEndCapture(gpu_stream s, gpu_graph *graph) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = stream_check(&s)) return r;
  *graph = nullptr;
  std::shared_ptr<capture> c = s->captured;
  if (!c) return INVALID_VALUE;
  if (c->origin != s) return invalidate(*c, STREAM_CAPTURE_UNMATCHED);
  int r = c->invalid ? STREAM_CAPTURE_INVALIDATED : joined(*c) ? SUCCESS : STREAM_CAPTURE_UNJOINED;
  for (gpu_stream member : c->members) {
    member->captured = nullptr;
    member->clock.clear();
  }
  if (r) return r;
  *graph = new gpu_graph_opaque{c->work};
  graphs.insert(*graph);
  return SUCCESS;
}

EXPORT int cuStreamIsCapturing(gpu_stream s, gpu_capture_status *status) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (int r = stream_check(&s)) return r;
  *status = !s->captured ? CAPTURE_NONE : s->captured->invalid ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
  return SUCCESS;
}

EXPORT int cuGraphInstantiateWithFlags(gpu_graph_exec *e, gpu_graph g, unsigned long long) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!graphs.count(g)) return INVALID_VALUE;
  if (emulator_counted(OBJECT)) return OUT_OF_MEMORY;
  *e = new gpu_graph_exec_opaque{g->work, current_context()};
  execs.insert(*e);
  return SUCCESS;
}

EXPORT int cuGraphLaunch(gpu_graph_exec e, gpu_stream s) {
  EMULATOR_ENTER(NEEDS_HEALTH);
  if (!execs.count(e)) return INVALID_VALUE;
  if (int r = stream_check(&s)) return r;
  if (emulator_counted(GRAPH)) return LAUNCH_OUT_OF_RESOURCES;
  auto work = e->work;
  return stream_add(s, [work, at = size_t(0)]() mutable {
    for (; at < work->steps.size(); at++)
      if (int r = work->steps[at]()) return r;
    return int(SUCCESS);
  });
}

EXPORT int cuGraphDestroy(gpu_graph g) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!graphs.erase(g)) return INVALID_VALUE;
  delete g;
  return SUCCESS;
}

EXPORT int cuGraphExecDestroy(gpu_graph_exec e) {
  EMULATOR_ENTER(NEEDS_INIT);
  if (!execs.erase(e)) return INVALID_VALUE;
  delete e;
  return SUCCESS;
}
