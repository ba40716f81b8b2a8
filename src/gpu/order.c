/* Keeps the order between streams. A launch declares the blocks of memory that it reads and writes, and first waits
** for the work of other streams on these blocks. */

#include "gpu/stream.h"

#include <stdlib.h>

/* Records that a stream reads the block. If no host memory is left for the record, waits for all work that is queued
** on the current stream. */
static void note_reader(gpu *g, gpu_block *b, int stream) {
  if (!b->read) b->read = calloc(GPU_STREAMS, sizeof *b->read);
  if (b->read) b->read[stream] = gpu_epoch(g, stream);
  else gpu_get_driver()->stream_sync(g->stream);
}

void gpu_order(gpu *g, const void *ptr, bool writes) {
  int stream = gpu_current(g);
  gpu_segment *s = gpu_segment_of(g, ptr);
  gpu_block *b = s ? gpu_block_of(g, s, ptr) : NULL;
  if (g->capturing) {
    if (s) gpu_hold(g, s, b);
  } else if (!b) {
    if (s) gpu_get_driver()->context_sync();       /* no host memory is left for the block's record, so all queued
                                                   ** work is waited for */
  } else if (writes) gpu_settle(g, b, stream);
  else {
    gpu_follow_epoch(g, stream, b->writer, b->written);
    if (stream == b->writer) b->written = gpu_epoch(g, stream);
    else note_reader(g, b, stream);
  }
}
