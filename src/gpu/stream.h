#ifndef LT_GPU_STREAM_H
#define LT_GPU_STREAM_H

/* The shared parts of the files about streams, events and graphs. */

#include "gpu/memory.h"

typedef struct gpu_queue {
  gpu_stream stream;
  gpu_event  event;                /* recorded if another stream has to wait for this one */
  uint64_t   epoch;                /* epoch of the work queued now; the event was recorded at the end of the previous
                                   ** epoch */
  uint64_t   seen[GPU_STREAMS];    /* epochs of the other streams for which this stream has waited */
  bool       noted;                /* kernels that may fail late were queued since the last wait */
  int        holders;              /* number of script objects that hold the stream */
} gpu_queue;

gpu_queue *gpu_queue_of(const gpu *g, int stream);
int  gpu_stream_count(const gpu *g);
int  gpu_stream_add(gpu *g, int *stream);      /* returns a new stream, or a released one */
void gpu_stream_use(gpu *g, int stream);
int  gpu_queue_open(gpu *g, gpu_queue *q);
void gpu_queue_close(gpu_queue *q);

/* Makes work queued on `waiting` from now on run after the work queued on `other` until now. */
void gpu_follow(gpu *g, int waiting, int other);

/* Like gpu_follow, for the work queued on `other` up to this epoch. */
void gpu_follow_epoch(gpu *g, int waiting, int other, uint64_t epoch);

gpu_queue *gpu_capture_queue(gpu *g);          /* the stream on which graphs are captured; opened at first use */

/* Notes that the captured graph uses this block, which then lives as long as the graph (graph.c). */
void gpu_hold(gpu *g, gpu_segment *s, gpu_block *b);

#endif
