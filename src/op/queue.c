#include "op/queue.h"

#include "base/dispatch.h"

int queue_wait(place where) { return device_sync(where); }

int queue_wait_all(place *where) {
  const device *d;
  for (int kind = 0; (d = device_kind(kind)); kind++)
    for (int index = 0; index < d->in_use(); index++) {
      *where = (place){d, index};
      int st = device_sync(*where);
      if (st != OK) return st;
    }
  return OK;
}

int queue_wait_stream(place where, int stream) { return where.device->streams ? device_sync_stream(where, stream) : OK; }

int queue_wait_event(place where, void *event) { return event ? device_sync_event(where, event) : OK; }

int queue_follow_stream(place where, int stream, place other, int other_stream) {
  const device_streams *calls = where.device->streams;
  if (!calls || !place_same_kind(where, other)) return queue_wait_stream(other, other_stream);
  return calls->follow(where.index, stream, other.index, other_stream);
}

int queue_follow_event(place where, int stream, place other, void *event) {
  const device_streams *calls = where.device->streams;
  if (!calls || !place_same_kind(where, other)) return queue_wait_event(other, event);
  return calls->event_wait(where.index, stream, event);
}
