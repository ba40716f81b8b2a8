#ifndef LT_OP_QUEUE_H
#define LT_OP_QUEUE_H

/* Waiting for queued work. A device without streams has finished its work when a call returns. Its only stream is 0,
** and its events are NULL. */

#include "base/device.h"

int queue_wait(place where);

/* Waits for all devices that have been used. *where: the device that caused an error. */
int queue_wait_all(place *where);

/* Makes the script wait for a stream, or for an event. */
int queue_wait_stream(place where, int stream);
int queue_wait_event(place where, void *event);

/* Makes the stream wait for another stream, or for an event of `other`. If the two devices are of different kinds, the
** script waits instead. */
int queue_follow_stream(place where, int stream, place other, int other_stream);
int queue_follow_event(place where, int stream, place other, void *event);

#endif
