#ifndef LT_GPU_STREAM_H
#define LT_GPU_STREAM_H

/* What the files about streams, events and graphs share. */

#include "gpu/memory.h"

typedef struct gpu_queue {
  gpu_stream stream;
  gpu_event  event;                /* recorded when another stream has to wait for this one */
  uint64_t   epoch;                /* of what is queued now; the event was recorded at the end of the one before */
  uint64_t   seen[GPU_STREAMS];    /* epochs of the others that this one has waited for */
  bool       noted;                /* kernels that may fail late were queued since the last wait */
  int        holders;              /* objects of scripts */
} gpu_queue;

gpu_queue *gpu_queue_of(const gpu *g, int stream);
int  gpu_stream_count(const gpu *g);
int  gpu_stream_add(gpu *g, int *stream);      /* a new one, or one that nobody holds any more */
void gpu_stream_use(gpu *g, int stream);
int  gpu_queue_open(gpu *g, gpu_queue *q);
void gpu_queue_close(gpu_queue *q);

/* What is queued on `waiting` from now on runs after what is queued on `other` now. */
void gpu_follow(gpu *g, int waiting, int other);

/* The same for the work that `other` had queued up to this epoch. */
void gpu_follow_epoch(gpu *g, int waiting, int other, uint64_t epoch);

gpu_queue *gpu_capture_queue(gpu *g);          /* where graphs are captured; not open at first */

/* graph.c: the graph that is captured works on this block, which stays as long as the graph does. */
void gpu_hold(gpu *g, gpu_segment *s, gpu_block *b);

#endif
