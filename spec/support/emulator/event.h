#ifndef EMULATOR_EVENT_H
#define EMULATOR_EVENT_H

/* The declarations that stream.cpp and graph.cpp share: events, and the calls that are recorded while their stream is
** captured. */

#include "emulator.h"

struct gpu_event_opaque {
  gpu_context context = nullptr;
  bool timed = true;
  bool asked = false;
  /* The point in a queue at which the event was recorded. If the queue is NULL, the event was never recorded outside
  ** of a capture. */
  emulator::point last;
  std::shared_ptr<double> time;                      /* the time in milliseconds at which this point was reached */
  bool in_capture = false;                           /* the event was recorded during a capture */
  std::weak_ptr<emulator::capture> captured;
  emulator::capture_clock clock;
};

namespace emulator {

enum capture_state { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

int capture_add(gpu_stream s, std::function<int()> run);
int capture_refuses(gpu_stream s);                   /* returns SUCCESS, or an error if the stream is being captured,
                                                     ** because the host must not wait for it or query it */
int capture_asked(gpu_event e);                      /* returns SUCCESS, or an error if the event was recorded during a
                                                     ** capture, because the host must not wait for it or query it */
int capture_record(gpu_event e, gpu_stream s);
int capture_wait(gpu_stream s, gpu_event e);

}

#endif
