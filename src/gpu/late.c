/* Late errors. A kernel that finds an index out of range writes an error to a struct gpu_late in device memory, its
** stream's cell. The next wait for the stream, or for a stream that waits for it, reads and reports the error. Each
** stream has a cell of its own, because an error keeps the later kernels of its cell from writing. */

#include "gpu/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 4096, KEPT = INT32_MIN, GRAPHS = GPU_STREAMS, CELLS = GRAPHS + 1 /* one for each stream, one for all graphs */ };

/* The facts for the message of a late error: the function that was called, and the 0-based dim and its length. */
typedef struct note {
  int         number;
  const char *function;
  int         dim;
  int64_t     length;
} note;

struct gpu_notes {
  note      recent[NOTES];         /* note n is element n % NOTES, so that only the last NOTES notes are available */
  int       next;
  note     *kept;                  /* notes of launches in graphs, numbered from KEPT on; never overwritten, because a
                                   ** graph may be replayed at any time */
  int       nkept;
  gpu_late *found;                 /* [CELLS]: page-locked host memory to which a wait copies the cells at g->late */
};

int gpu_late_open(gpu *g) {
  const gpu_driver *d = g->driver;
  struct gpu_notes *n = calloc(1, sizeof *n);
  if (!n) return ERR_MEMORY;
  g->notes = n;
  int st = gpu_check(g, d->memory_alloc(&g->late, CELLS * sizeof(gpu_late)), "allocation");
  if (st == OK) st = gpu_check(g, d->host_alloc((void **)&n->found, CELLS * sizeof(gpu_late), 0), "pinned memory");
  if (st == OK) st = gpu_check(g, d->set_8(g->late, 0, CELLS * sizeof(gpu_late), g->stream), "clearing memory");
  return st;
}

void gpu_late_close(gpu *g) {
  struct gpu_notes *n = g->notes;
  if (!n) return;
  if (g->late) g->driver->memory_free(g->late);
  if (n->found) g->driver->host_free(n->found);
  free(n->kept);
  free(n);
  g->notes = NULL;
  g->late = 0;
}

/* ---- notes ---- */

/* Stores a note permanently, because a graph may be replayed long after its capture. Equal notes are stored once. */
static int keep_note(struct gpu_notes *s, const char *function, int dim, int64_t length) {
  for (int k = 0; k < s->nkept; k++) {
    const note *n = &s->kept[k];
    if (n->dim == dim && n->length == length && strcmp(n->function, function) == 0) return n->number;
  }
  note *more = realloc(s->kept, (size_t)(s->nkept + 1) * sizeof *more);
  if (!more) return 0;
  s->kept = more;
  more[s->nkept] = (note){KEPT + s->nkept, function, dim, length};
  return more[s->nkept++].number;
}

static uint64_t bit(int cell) { return UINT64_C(1) << cell; }
static int cell_of(const gpu *g) { return g->capturing ? GRAPHS : gpu_current(g); }

gpu_address gpu_late_cell(const gpu *g) { return g->late + (unsigned)cell_of(g) * sizeof(gpu_late); }

int gpu_note(gpu *g, const char *function, int dim, int64_t length) {
  struct gpu_notes *s = g->notes;
  gpu_queue *q = g->capturing ? gpu_capture_queue(g) : gpu_queue_of(g, gpu_current(g));
  q->noted |= bit(cell_of(g));
  if (g->capturing) return keep_note(s, function, dim, length);
  int number = s->next = s->next == INT32_MAX ? 1 : s->next + 1;
  s->recent[number % NOTES] = (note){number, function, dim, length};
  return number;
}

static const note *find_note(const struct gpu_notes *s, int number) {
  if (number < 0) return number - KEPT < s->nkept ? &s->kept[number - KEPT] : NULL;
  const note *n = &s->recent[number % NOTES];
  return number > 0 && n->number == number ? n : NULL;
}

/* ---- waiting ---- */

/* Returns the cell with an error among the cells `noted`, or -1. If several have errors, returns the one of the
** earliest call. */
static int find_error(const gpu *g, uint64_t noted) {
  const gpu_late *found = g->notes->found;
  int first = -1;
  for (int k = 0; k < CELLS; k++)
    if ((noted & bit(k)) && found[k].set && (first < 0 || found[k].what < found[first].what)) first = k;
  return first;
}

/* Leaves in a queue's set only the cells whose errors are not reported now. */
static void keep_unreported(const gpu *g, gpu_queue *q, int reported) {
  for (int k = 0; k < CELLS; k++)
    if (k == reported || !g->notes->found[k].set) q->noted &= ~bit(k);
}

/* Clears a cell after the queued work of its stream. */
static int clear_cell(gpu *g, int cell) {
  gpu_stream s = cell == GRAPHS ? g->stream : gpu_queue_of(g, cell)->stream;
  gpu_address at = g->late + (unsigned)cell * sizeof(gpu_late);
  return gpu_check(g, g->driver->set_8(at, 0, sizeof(gpu_late), s), "clearing memory");
}

/* Sets the message for the error in a cell, and returns ERR_LATE. The cell of another stream stays as it is, because
** work that is queued there may not have been written. The next wait for that stream reports the error again. */
static int report_late(gpu *g, int cell, bool all) {
  const gpu_late *late = &g->notes->found[cell];
  const note *n = find_note(g->notes, late->what);
  if (n) index_words(g->words, sizeof g->words, n->function, late->value, n->dim, n->length);
  else snprintf(g->words, sizeof g->words, "index %lld: out of range", (long long)late->value);
  gpu_blame(g);
  int st = all || cell == GRAPHS || cell == gpu_current(g) ? clear_cell(g, cell) : OK;
  return st == OK ? ERR_LATE : st;
}

static uint64_t all_noted(const gpu *g) {
  uint64_t noted = 0;
  for (int k = 0; k < gpu_stream_count(g); k++) noted |= gpu_queue_of(g, k)->noted;
  return noted;
}

static int fetch_late(gpu *g) {
  gpu_result r = g->driver->copy_out(g->notes->found, g->late, CELLS * sizeof(gpu_late), g->stream);
  return gpu_check(g, r, "copy to the host");
}

int gpu_wait(gpu *g, bool all) {
  const gpu_driver *d = g->driver;
  if (g->capturing) return ERR_CAPTURE;
  uint64_t noted = all ? all_noted(g) : gpu_queue_of(g, gpu_current(g))->noted;
  int st = gpu_await(g, all ? NULL : g->stream, NULL);
  if (st == OK && all) st = gpu_check(g, d->context_sync(), "waiting for the device");
  if (st == OK && noted) st = fetch_late(g);
  if (st == OK && (noted || !all)) st = gpu_check(g, d->stream_sync(g->stream), "waiting for the device");
  if (st != OK || !noted) return st;
  int cell = find_error(g, noted);
  for (int k = 0; k < gpu_stream_count(g); k++)
    if (all || k == gpu_current(g)) keep_unreported(g, gpu_queue_of(g, k), cell);
  return cell < 0 ? OK : report_late(g, cell, all);
}

int gpu_sync(int index) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, gpu_wait(g, true)) : st;
}
