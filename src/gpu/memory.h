#ifndef LT_GPU_MEMORY_H
#define LT_GPU_MEMORY_H

/* The shared parts of memory.c, stream.c and graph.c: the positions of blocks, and the streams that work on them. */

#include "gpu/gpu.h"

enum {
  GPU_STREAMS = 32,                /* the most streams of a device */
  GPU_CLASSES = 44,                /* small sizes: multiples of 256 up to 2 KiB, then 4 classes for each doubling up to
                                   ** 1 MiB */
  GPU_BUCKETS = 64                 /* lists of large free blocks, by size */
};

/* Streams are indices into gpu_streams. Stream 0 is the stream that every device starts with. A stream's epoch counts
** the events recorded on the stream: work queued in epoch e is done when the event that ended epoch e has happened. */
typedef struct gpu_block {
  int       writer;                /* stream of the last write */
  uint64_t  written;               /* the writer's epoch at the last write; 0: never written */
  uint64_t *read;                  /* [GPU_STREAMS] epochs of reads since the last write; NULL: only the writer has read
                                   ** the block */
  int       holds;                 /* number of graphs that use the block, so that it must be kept */
  bool      freed;                 /* the block was freed while graphs hold it */
} gpu_block;

/* The blocks of one stream, or of one graph. Freed blocks are kept here for the next allocation on the same stream,
** because work queued before the free finishes before work queued after the free. */
typedef struct gpu_arena {
  int stream;                      /* GPU_NO_STREAM: the arena of a graph */
  struct gpu_slots {
    gpu_address *free;             /* room for every slot of the class, so that a free never fails */
    size_t       count, slots;
  } small[GPU_CLASSES];
  struct gpu_segment *large[GPU_BUCKETS];
} gpu_arena;

enum { GPU_NO_STREAM = -1 };

/* An allocation of the driver: slots of one class, or one large block. */
typedef struct gpu_segment {
  gpu_address base;
  size_t      block_bytes, count;  /* bytes of a block; number of blocks */
  size_t      bytes;
  bool        large;
  gpu_arena  *arena;
  gpu_block  *block;               /* [count]; NULL: only the arena's stream has worked on the blocks */
  size_t      unused;              /* number of free blocks, while the cache is emptied */
  struct gpu_segment *next;        /* if large and free: the next segment of its bucket */
} gpu_segment;

typedef struct gpu_memory {
  gpu_segment **segment;           /* in the order of addresses */
  size_t        nsegments, capacity;
  gpu_arena    *arena[GPU_STREAMS];
  gpu_arena    *pool;              /* the pool of the captured graph, or NULL */
  bool          looked_up;         /* true: a free must look up its block, because there are several arenas or held
                                   ** blocks */
  struct gpu_ring *ring;           /* the ring of transfer.c */
} gpu_memory;

/* Returns the segment that contains ptr, or NULL. */
gpu_segment *gpu_segment_of(const gpu *g, const void *ptr);

/* Returns the segment's block that contains ptr. NULL: there is no memory for notes about the block's use. */
gpu_block *gpu_block_of(gpu *g, gpu_segment *s, const void *ptr);

gpu_arena *gpu_new_arena(int stream);
void gpu_free_arena(gpu_arena *a);
void gpu_adopt(gpu *g, gpu_arena *pool);          /* moves a graph's memory to the first stream */
void gpu_release_block(gpu *g, gpu_segment *s, gpu_block *b);   /* releases one hold */

/* Makes work that is queued on a stream from now on wait for other streams' work on the block. The block then belongs
** to this stream. */
void gpu_settle(gpu *g, gpu_block *b, int stream);

int  gpu_current(const gpu *g);    /* the current stream's number */
uint64_t gpu_epoch(const gpu *g, int stream);

/* Returns free cached memory to the driver. Waits for the device. */
void gpu_release_cached(gpu *g);

#endif
