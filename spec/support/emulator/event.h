#ifndef EMULATOR_EVENT_H
#define EMULATOR_EVENT_H

/* The shared part of stream.cpp and graph.cpp: events, and calls while their stream is captured. */

#include "emulator.h"

struct gpu_event_opaque {
  gpu_context context = nullptr;
  bool timed = true;
  bool asked = false;
  emulator::point last;                              /* where it was recorded; no queue: never */
  std::shared_ptr<double> time;                      /* when that was reached, in milliseconds */
  bool in_capture = false;                           /* recorded into a graph */
  std::weak_ptr<emulator::capture> captured;
  emulator::capture_clock clock;
};

namespace emulator {

enum capture_state { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

int capture_add(gpu_stream s, std::function<int()> run);
int capture_refuses(gpu_stream s);                   /* a wait for, or a question about, a captured stream */
int capture_asked(gpu_event e);                      /* the same of an event */
int capture_record(gpu_event e, gpu_stream s);
int capture_wait(gpu_stream s, gpu_event e);

}

#endif
