/* Searches: the positions of the true elements of a mask (nonzero), and the places of values in sorted rows
** (searchsorted). */

#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "gpu/kernels/scan_rows_args.h"

enum {
  THREADS   = 256,
  TILE      = 4096,                     /* number of elements of a block; the same constant as in kernels/nonzero.cuh */
  FEW_TILES = 64                        /* up to this number of tiles, each block of write_places adds the counts of the
                                        ** tiles before its tile, and the host adds all counts; no more than THREADS */
};

/* ---- nonzero ---- */

typedef struct nonzero_shape {
  int64_t ndim, length[MAX_DIMS];
} nonzero_shape;

enum { COUNT, SCAN, WRITE };

static int get_kernel(gpu *g, int number, const gpu_kernel **k) {
  static const char *const entries[] = {"count_true", "scan_rows", "write_places"};
  uint64_t key = GPU_KEY(GPU_nonzero, number, 0, 0, 0, 0, 0);
  *k = gpu_find(g, key);
  if (*k) return OK;
  gpu_source source = {.file = "nonzero.cuh", .entry = entries[number]};
  snprintf(source.name, sizeof source.name, "nonzero %s", entries[number]);
  return gpu_build(g, key, &source, k);
}

/* Sets starts[t] to the number of true elements before tile t, and starts[tiles] to the number of all true elements. If
** there are at most FEW_TILES tiles, sets starts[t] to the number of true elements in tile t instead. */
static int find_starts(gpu *g, const uint8_t *in, uint64_t n, uint64_t tiles, uint64_t *starts) {
  const gpu_kernel *count, *scan;
  uint64_t *total = starts + tiles;
  int st = get_kernel(g, COUNT, &count);
  if (st == OK) st = gpu_launch(g, count, (unsigned)tiles, THREADS, 0, (void *[]){&in, &n, &starts});
  if (st != OK || tiles <= FEW_TILES) return st;
  st = get_kernel(g, SCAN, &scan);
  return st == OK ? gpu_launch(g, scan, 1, SCAN_ROWS_THREADS, 0, (void *[]){&starts, &tiles, &total}) : st;
}

/* Reads the number of all true elements from the results of find_starts. */
static int read_count(int index, const uint64_t *starts, uint64_t tiles, int64_t *count) {
  int64_t counts[FEW_TILES];
  if (tiles > FEW_TILES) return gpu_copy_out(index, count, starts + tiles, sizeof *count);
  int st = gpu_copy_out(index, counts, starts, tiles * sizeof *counts);
  if (st != OK) return st;
  *count = 0;
  for (uint64_t t = 0; t < tiles; t++) *count += counts[t];
  return OK;
}

static int write_places(gpu *g, nonzero_call *c, uint64_t n, uint64_t tiles, uint64_t *starts) {
  const gpu_kernel *k;
  nonzero_shape s = {.ndim = c->ndim};
  int few = tiles <= FEW_TILES;
  memcpy(s.length, c->shape, sizeof s.length);
  int st = get_kernel(g, WRITE, &k);
  gpu_writes(g, c->out);
  return st != OK ? st : gpu_launch(g, k, (unsigned)tiles, THREADS, 0,
                                    (void *[]){&c->in, &n, &s, &starts, &few, &c->out, &c->count});
}

static int nonzero(gpu *g, int index, nonzero_call *c) {
  uint64_t n = 1;
  for (int d = 0; d < c->ndim; d++) n *= (uint64_t)c->shape[d];
  if (!c->out && g->capturing) return ERR_CAPTURE;
  if (!c->out) c->count = 0;
  if (n == 0 || (c->out && c->count == 0)) return OK;
  uint64_t tiles = (n + TILE - 1) / TILE;
  size_t bytes = (tiles + 1) * sizeof(uint64_t);
  void *room;
  int st = gpu_scratch(g, bytes, &room);
  if (st != OK) return st;
  uint64_t *starts = room;
  gpu_reads(g, c->in);
  st = find_starts(g, c->in, n, tiles, starts);
  if (st == OK && c->out) st = write_places(g, c, n, tiles, starts);
  if (st == OK && !c->out) st = read_count(index, starts, tiles, &c->count);
  gpu_scratch_free(g, room, bytes);
  return st;
}

int gpu_nonzero(int index, nonzero_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, nonzero(g, index, c)) : st;
}

/* ---- searchsorted ---- */

static int search(gpu *g, const search_call *c) {
  uint64_t key = GPU_KEY(GPU_search, 0, c->dtype, 0, 0, 0, 0);
  const gpu_kernel *k = gpu_find(g, key);
  if (!k) {
    gpu_source source = {.file = "search.cuh", .entry = "search"};
    gpu_define(&source, "D=%s", dtypes[c->dtype].name);
    snprintf(source.name, sizeof source.name, "searchsorted %s", dtypes[c->dtype].name);
    int st = gpu_build(g, key, &source, &k);
    if (st != OK) return st;
  }
  search_call a = *c;
  int right = c->right;
  gpu_reads(g, c->sorted);
  gpu_reads(g, c->values);
  gpu_writes(g, c->out);
  return gpu_launch(g, k, (unsigned)((c->rows * c->count + THREADS - 1) / THREADS), THREADS, 0,
                    (void *[]){&a.sorted, &a.values, &a.out, &a.n, &a.count, &a.rows, &right});
}

int gpu_search(int index, const search_call *c) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, c->rows > 0 && c->count > 0 ? search(g, c) : OK) : st;
}
