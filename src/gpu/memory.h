#ifndef LT_GPU_MEMORY_H
#define LT_GPU_MEMORY_H

/* What memory.c, stream.c and graph.c share: where blocks are and which streams work on them. */

#include "gpu/gpu.h"

enum {
  GPU_STREAMS = 32,                /* of a device, at most */
  GPU_CLASSES = 44,                /* small sizes: multiples of 256 up to 2 KiB, then 4 a doubling up to 1 MiB */
  GPU_BUCKETS = 64                 /* of large free blocks, by size */
};

/* Streams are numbers: places in gpu_streams, 0 the one every device starts with. A stream's epoch counts the events
** recorded on it: work queued in epoch e is done when the event that ended e is. */
typedef struct gpu_block {
  int       writer;                /* stream of the last write … */
  uint64_t  written;               /* … and its epoch then; 0: none */
  uint64_t *read;                  /* [GPU_STREAMS] epochs of reads since; NULL: none but the writer's */
  int       holds;                 /* graphs that work on it: kept until they end */
  bool      freed;                 /* given back while held */
} gpu_block;

/* Blocks of one stream, or of one graph. Freed ones are kept here for the next allocation there: what was queued
** before the free is done before what is queued after it. */
typedef struct gpu_arena {
  int stream;                      /* GPU_NO_STREAM: a graph's */
  struct gpu_slots {
    gpu_address *free;             /* room for every slot of the class, so that a free never fails */
    size_t       count, slots;
  } small[GPU_CLASSES];
  struct gpu_segment *large[GPU_BUCKETS];
} gpu_arena;

enum { GPU_NO_STREAM = -1 };

/* One allocation of the driver: slots of one class, or one large block. */
typedef struct gpu_segment {
  gpu_address base;
  size_t      block_bytes, count;  /* blocks in it */
  size_t      bytes;
  bool        large;
  gpu_arena  *arena;
  gpu_block  *block;               /* [count]; NULL: only the arena's stream worked on them */
  size_t      unused;              /* while the cache is emptied: free blocks */
  struct gpu_segment *next;        /* large and free: of its bucket */
} gpu_segment;

typedef struct gpu_memory {
  gpu_segment **segment;           /* by address */
  size_t        nsegments, capacity;
  gpu_arena    *arena[GPU_STREAMS];
  gpu_arena    *pool;              /* of the graph that is captured, or NULL */
  bool          looked_up;         /* blocks of several arenas, or held ones, are about: a free has to find its block */
  struct gpu_ring *ring;           /* transfer.c */
} gpu_memory;

/* The segment that ptr is in, or NULL. */
gpu_segment *gpu_segment_of(const gpu *g, const void *ptr);

/* The block of it that ptr is in; NULL: no memory to note its uses. */
gpu_block *gpu_block_of(gpu *g, gpu_segment *s, const void *ptr);

gpu_arena *gpu_new_arena(int stream);
void gpu_free_arena(gpu_arena *a);
void gpu_adopt(gpu *g, gpu_arena *pool);          /* a graph's memory becomes the first stream's */
void gpu_release_block(gpu *g, gpu_segment *s, gpu_block *b);   /* one hold less */

/* What is queued on a stream from now on waits for what others do with the block, which is this stream's then. */
void gpu_settle(gpu *g, gpu_block *b, int stream);

int  gpu_current(const gpu *g);    /* the current stream's number */
uint64_t gpu_epoch(const gpu *g, int stream);

/* Gives what is free in the caches back to the driver; waits for the device. */
void gpu_release_cached(gpu *g);

#endif
