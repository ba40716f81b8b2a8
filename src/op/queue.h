#ifndef LT_OP_QUEUE_H
#define LT_OP_QUEUE_H

/* Functions that wait for queued work. A device without streams has finished its work when a call returns. Such a
** device has only stream 0, and its events are NULL. */

#include "base/device.h"

int queue_wait(place where);

/* Waits for all devices that have been used. After an error, *where is the device that failed. */
int queue_wait_all(place *where);

/* Blocks the calling thread until all work that is now in a stream, or all work before an event, is done. */
int queue_wait_stream(place where, int stream);
int queue_wait_event(place where, void *event);

/* Makes the stream wait for the work of another stream, or for an event of device `other`, without blocking the
** calling thread. If the two devices are of different kinds, the calling thread is blocked instead. */
int queue_follow_stream(place where, int stream, place other, int other_stream);
int queue_follow_event(place where, int stream, place other, void *event);

#endif
