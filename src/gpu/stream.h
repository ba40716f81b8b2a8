#ifndef LT_GPU_STREAM_H
#define LT_GPU_STREAM_H

/* The declarations that the files about streams, events, graphs and late errors share. */

#include "gpu/memory.h"

typedef struct gpu_queue {
  gpu_stream stream;
  gpu_event  event;                /* recorded when another stream must wait for this stream */
  uint64_t   epoch;                /* number of the current epoch, which began when the event was last recorded */
  uint64_t   seen[GPU_STREAMS];    /* for each other stream: the latest epoch for whose end this stream has waited */
  uint64_t   noted;                /* the cells of late errors that kernels may have set, of which this stream's next
                                   ** wait finds out: bit k is stream k's cell, bit GPU_STREAMS the graphs' cell */
  int        holders;              /* number of script objects that refer to the stream; the stream is reused if this
                                   ** number is 0 */
} gpu_queue;

gpu_queue *gpu_queue_of(const gpu *g, int stream);
int  gpu_stream_count(const gpu *g);
int  gpu_stream_add(gpu *g, int *stream);      /* sets *stream to a new stream, or to a stream that no script object
                                               ** refers to */
void gpu_stream_use(gpu *g, int stream);
int  gpu_queue_open(gpu *g, gpu_queue *q);
void gpu_queue_close(const gpu *g, gpu_queue *q);

/* Makes the stream `waiting` wait for all work that is now queued on the stream `other`. Work that was queued earlier
** on `waiting` does not wait. */
void gpu_follow(gpu *g, int waiting, int other);

/* Like gpu_follow, for the work queued on `other` up to the end of epoch `epoch`. */
void gpu_follow_epoch(gpu *g, int waiting, int other, uint64_t epoch);

gpu_queue *gpu_capture_queue(gpu *g);          /* returns the stream on which graphs are captured; graph_begin opens
                                               ** it at the first capture */

/* Records that the graph that is being captured uses this block. The block is not reused while the graph exists. */
void gpu_hold(gpu *g, gpu_segment *s, gpu_block *b);

#endif
