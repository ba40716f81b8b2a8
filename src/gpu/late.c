/* Late errors. A kernel that finds an index out of range writes an error to a struct gpu_late in device memory. The
** next wait for the device reads and reports the error. */

#include "gpu/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 4096, KEPT = INT32_MIN };

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
  gpu_late *found;                 /* page-locked host memory to which a wait copies g->late */
};

int gpu_late_open(gpu *g) {
  const gpu_driver *d = g->driver;
  struct gpu_notes *n = calloc(1, sizeof *n);
  if (!n) return ERR_MEMORY;
  g->notes = n;
  int st = gpu_check(g, d->memory_alloc(&g->late, sizeof(gpu_late)), "allocation");
  if (st == OK) st = gpu_check(g, d->host_alloc((void **)&n->found, sizeof(gpu_late), 0), "pinned memory");
  if (st == OK) st = gpu_check(g, d->set_8(g->late, 0, sizeof(gpu_late), g->stream), "clearing memory");
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

int gpu_note(gpu *g, const char *function, int dim, int64_t length) {
  struct gpu_notes *s = g->notes;
  gpu_queue *q = g->capturing ? gpu_capture_queue(g) : gpu_queue_of(g, gpu_current(g));
  q->noted = true;
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

/* Sets the message for the error in notes->found, clears g->late, and returns ERR_LATE. */
static int report_late(gpu *g) {
  const gpu_late *late = g->notes->found;
  const note *n = find_note(g->notes, late->what);
  if (n) index_words(g->words, sizeof g->words, n->function, late->value, n->dim, n->length);
  else snprintf(g->words, sizeof g->words, "index %lld: out of range", (long long)late->value);
  gpu_blame(g);
  int st = gpu_check(g, g->driver->set_8(g->late, 0, sizeof *late, g->stream), "clearing memory");
  return st == OK ? ERR_LATE : st;
}

static bool any_noted(const gpu *g) {
  for (int k = 0; k < gpu_stream_count(g); k++)
    if (gpu_queue_of(g, k)->noted) return true;
  return false;
}

static int fetch_late(gpu *g) {
  gpu_result r = g->driver->copy_out(g->notes->found, g->late, sizeof(gpu_late), g->stream);
  return gpu_check(g, r, "copy to the host");
}

static int wait_all(gpu *g, bool look) {
  const gpu_driver *d = g->driver;
  int st = gpu_check(g, d->context_sync(), "waiting for the device");
  if (st != OK || !look) return st;
  st = fetch_late(g);
  if (st == OK) st = gpu_check(g, d->stream_sync(g->stream), "waiting for the device");
  for (int k = 0; k < gpu_stream_count(g); k++) gpu_queue_of(g, k)->noted = false;
  return st;
}

static int wait_current(gpu *g, bool look) {
  int st = look ? fetch_late(g) : OK;
  if (st == OK) st = gpu_check(g, g->driver->stream_sync(g->stream), "waiting for the device");
  gpu_queue_of(g, gpu_current(g))->noted = false;
  return st;
}

int gpu_wait(gpu *g, bool all) {
  if (g->capturing) return ERR_CAPTURE;
  bool look = all ? any_noted(g) : gpu_queue_of(g, gpu_current(g))->noted;
  int st = all ? wait_all(g, look) : wait_current(g, look);
  return st == OK && look && g->notes->found->set ? report_late(g) : st;
}

int gpu_sync(int index) {
  gpu *g;
  int st = gpu_enter(index, &g);
  return st == OK ? gpu_leave(g, gpu_wait(g, true)) : st;
}
