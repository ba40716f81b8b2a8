#ifndef EMULATOR_EVENT_H
#define EMULATOR_EVENT_H

/* Shared declarations of stream.cpp and graph.cpp: events, and calls during the capture of their stream. */

#include "emulator.h"

struct gpu_event_opaque {
  gpu_context context = nullptr;
  bool timed = true;
  bool asked = false;
  /* the place in a queue where the event was recorded; no queue: never recorded */
  emulator::point last;
  std::shared_ptr<double> time;                      /* the time at which the place was reached, in milliseconds */
  bool in_capture = false;                           /* recorded into a graph */
  std::weak_ptr<emulator::capture> captured;
  emulator::capture_clock clock;
};

namespace emulator {

enum capture_state { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

int capture_add(gpu_stream s, std::function<int()> run);
int capture_refuses(gpu_stream s);                   /* the error of waiting for or querying a captured stream */
int capture_asked(gpu_event e);                      /* the error of waiting for or querying a captured event */
int capture_record(gpu_event e, gpu_stream s);
int capture_wait(gpu_stream s, gpu_event e);

}

#endif
