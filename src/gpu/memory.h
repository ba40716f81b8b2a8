#ifndef LT_GPU_MEMORY_H
#define LT_GPU_MEMORY_H

/* The declarations that memory.c, transfer.c, stream.c, order.c and graph.c share: where blocks of memory are, and
** which streams use them. */

#include "gpu/gpu.h"

enum {
  GPU_STREAMS = 32,                /* the maximum number of streams of a device */
  GPU_CLASSES = 44,                /* size classes of small blocks: the 8 multiples of 256 bytes up to 2 KiB, then 4
                                   ** classes for each doubling up to 1 MiB */
  GPU_BUCKETS = 64                 /* number of hash buckets for free large blocks, by size */
};

/* The streams that use a block of memory. A stream is an index into gpu_streams, and stream 0 exists on every device.
** A stream's epoch counts the events recorded on the stream: work queued in epoch e is done when the event that ended
** epoch e has happened. */
typedef struct gpu_block {
  int       writer;                /* the stream of the last write */
  uint64_t  written;               /* the writer's epoch at the last write; 0: never written */
  uint64_t *read;                  /* [GPU_STREAMS]: each stream's epoch at its last read since the last write; NULL
                                   ** if only the writer has read the block */
  int       holds;                 /* number of graphs that use the block; the block is not reused before this number
                                   ** is 0 */
  bool      freed;                 /* the script has freed the block while graphs use it */
} gpu_block;

/* The free blocks of one stream or of one graph. A freed block is reused by the next allocation on the same stream
** without waiting, because work queued before the free finishes before work queued later. */
typedef struct gpu_arena {
  int stream;                      /* the stream's number, or GPU_NO_STREAM for the arena of a graph */
  struct gpu_slots {
    gpu_address *free;             /* has space for every slot of the class, so that freeing never has to allocate */
    size_t       count, slots;
  } small[GPU_CLASSES];
  struct gpu_segment *large[GPU_BUCKETS];
} gpu_arena;

enum { GPU_NO_STREAM = -1 };

/* An allocation of the driver, which is divided into slots of one size class or is one large block. */
typedef struct gpu_segment {
  gpu_address base;
  size_t      block_bytes, count;  /* block_bytes: size of a block; count: number of blocks */
  size_t      bytes;
  bool        large;
  gpu_arena  *arena;
  gpu_block  *block;               /* [count], or NULL if only the arena's stream has used the blocks */
  size_t      unused;              /* while the cache is emptied: number of free blocks */
  struct gpu_segment *next;        /* the next segment in its bucket, if the segment is large and free */
} gpu_segment;

typedef struct gpu_memory {
  gpu_segment **segment;           /* all segments, sorted by address */
  size_t        nsegments, capacity;
  gpu_arena    *arena[GPU_STREAMS];
  gpu_arena    *pool;              /* the arena of the graph that is being captured, or NULL */
  bool          looked_up;         /* true if a free must look up its block, because there are several arenas or
                                   ** graphs */
  struct gpu_ring *ring;           /* the page-locked buffers for copies (transfer.c) */
} gpu_memory;

/* Up to this number of bytes, also pinned memory is copied through the ring of transfer.c. This costs the host about 10 µs,
** and a script may refill the memory without a wait. */
enum { GPU_STAGED = 64 << 10 };

/* Queues a copy from memory for which gpu_is_pinned is true, on the current stream. Before the host uses the memory, gpu_finish_copies must be
** called. */
int gpu_send_later(gpu *g, void *to, const void *host, size_t bytes);

/* Ends the use of pinned memory by a device that is being closed (pinned.c). */
void gpu_pinned_close(gpu *g);

/* Returns the segment that contains the address ptr, or NULL. */
gpu_segment *gpu_segment_of(const gpu *g, const void *ptr);

/* Returns the block of segment s that contains the address ptr, or NULL if no host memory is left for s->block. */
gpu_block *gpu_block_of(gpu *g, gpu_segment *s, const void *ptr);

gpu_arena *gpu_new_arena(int stream);
void gpu_free_arena(gpu_arena *a);
void gpu_adopt(gpu *g, gpu_arena *pool);          /* moves the memory of a graph's arena to stream 0 */
void gpu_release_block(gpu *g, gpu_segment *s, gpu_block *b);   /* called once for each graph that used the block; the
                                                                ** last call frees the block if the script has freed
                                                                ** it */

/* Makes `stream` wait for the work of other streams on the block. Work that was queued earlier on `stream` does not
** wait. Then sets `stream` as the block's only user. */
void gpu_settle(gpu *g, gpu_block *b, int stream);

/* If an access of another stream could not be recorded, waits for all queued work of the device, which includes this
** access. */
void gpu_follow_unrecorded(gpu *g);

int  gpu_current(const gpu *g);    /* returns the number of the current stream */
uint64_t gpu_epoch(const gpu *g, int stream);

/* Returns the cached free memory to the driver. Waits for the device first. */
void gpu_release_cached(gpu *g);

#endif
