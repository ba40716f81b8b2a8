#include "pjrt/queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cancel.h"
#include "base/grow.h"
#include "base/system.h"

enum {
  LARGE = 1 << 16,                     /* blocks of so many bytes have pages of their own */
  CALL_TEXT = 1 << 15,                 /* few calls have a longer text: memory for it is there before the call changes something */
  HUGE_BLOCK = 1 << 30                 /* only larger blocks are compared with the host's memory, which takes 0.1 ms to read */
};

/* ---- memory ---- */

static void *new_shadow(size_t bytes) {
  if (bytes < LARGE) return aligned_alloc(64, (bytes + 64) / 64 * 64);
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

static void free_shadow(void *at, size_t bytes) {
  if (bytes < LARGE) free(at);
  else munmap(at, bytes);
}

/* Says that the shadow has no current elements, and gives the memory of a large one back. */
static void leave_shadow(block *b) {
  if (b->in_shadow && b->bytes >= LARGE) madvise(b->at, b->bytes, MADV_DONTNEED);
  b->in_shadow = false;
}

/* Returns the number of the first block that begins behind an address. */
static size_t find_behind(const pjrt_queue *q, const char *at) {
  size_t from = 0, to = q->nblock;
  while (from < to) {
    size_t middle = (from + to) / 2;
    if (q->blocks[middle]->at <= at) from = middle + 1;
    else to = middle;
  }
  return from;
}

block *block_of(const pjrt_queue *q, const void *at) {
  size_t k = find_behind(q, at);
  block *b = k ? q->blocks[k - 1] : NULL;
  return b && (size_t)((const char *)at - b->at) < b->bytes ? b : NULL;
}

int block_new(pjrt_queue *q, size_t bytes, void **at) {
  block **list = list_with_room(q->blocks, q->nblock, &q->block_room, sizeof *list), *b = calloc(1, sizeof *b);
  if (list) q->blocks = list;
  bool fits = bytes < HUGE_BLOCK || bytes <= system_memory("", NULL);
  char *shadow = list && b && fits ? new_shadow(bytes) : NULL;
  if (!shadow) {
    free(b);
    return ERR_MEMORY;
  }
  *b = (block){.at = shadow, .bytes = bytes, .in_shadow = true, .fresh = true, .argument = NONE};
  size_t k = find_behind(q, shadow);
  memmove(q->blocks + k + 1, q->blocks + k, (q->nblock - k) * sizeof *q->blocks);
  q->blocks[k] = b;
  q->nblock++;
  q->stats.live += bytes;
  if (q->stats.live > q->stats.peak) q->stats.peak = q->stats.live;
  *at = shadow;
  return OK;
}

/* Says that the block does not wait for a result. */
static void stop_waiting(pjrt_queue *q, block *b) {
  if (b->pending) q->results[b->result].block = NULL;
  b->pending = false;
}

/* Gives the block's buffer up. An argument of the open program lives until the program has run. */
static void retire_buffer(pjrt_queue *q, block *b) {
  if (b->buffer && b->run == q->run && b->argument != NONE) q->arguments[b->argument].owned = true;
  else buffer_drop(q->plugin, b->buffer);
  b->buffer = NULL;
  b->argument = NONE;
}

void block_free(pjrt_queue *q, void *at) {
  size_t k = find_behind(q, at);
  if (k-- == 0 || q->blocks[k]->at != at) return;        /* the device has been closed since */
  block *b = q->blocks[k];
  stop_waiting(q, b);
  retire_buffer(q, b);
  free_shadow(b->at, b->bytes);
  q->stats.live -= b->bytes;
  q->nblock--;
  memmove(q->blocks + k, q->blocks + k + 1, (q->nblock - k) * sizeof *q->blocks);
  free(b);
}

int block_read(pjrt_queue *q, block *b) {
  int st = b->pending ? queue_run(q) : OK;
  if (st == OK && b->lost) st = plugin_fail(q->plugin, "the elements are lost, because a program failed");
  if (st != OK || b->in_shadow) return st;
  st = buffer_download(q->plugin, b->buffer, b->at, (size_t)block_count(b, b->now.dtype) * (size_t)dtype_size(b->now.dtype));
  b->in_shadow = st == OK;
  return st;
}

int block_write(pjrt_queue *q, block *b) {
  int st = block_read(q, b);
  if (st != OK) return st;
  retire_buffer(q, b);
  b->fresh = false;
  return OK;
}

void block_discard(pjrt_queue *q, block *b) {
  stop_waiting(q, b);
  retire_buffer(q, b);
  b->in_shadow = true;
  b->fresh = b->lost = false;
}

/* ---- values ---- */

/* Makes a buffer an argument of the open program, and returns the value. */
static int add_argument(pjrt_queue *q, void *buffer, bool owned, enum dtype d, const shape *s) {
  argument *list = list_with_room(q->arguments, q->nargument, &q->argument_room, sizeof *list);
  emit(&q->head, "%s%%%d: %t", q->nargument ? ", " : "", q->lines.next, d, s);
  if (list) {
    q->arguments = list;
    list[q->nargument++] = (argument){buffer, owned, .end = q->head.length};
  } else {
    if (owned) buffer_drop(q->plugin, buffer);
    q->head.status = ERR_MEMORY;
  }
  if (q->head.status != OK) emit_fail(&q->lines, q->head.status);
  return q->lines.next++;
}

/* Makes a buffer of dtype d from the shadow. */
static int upload(pjrt_queue *q, block *b, enum dtype d) {
  int st = block_read(q, b);
  if (st != OK) return st;
  retire_buffer(q, b);
  b->now.dtype = d;
  st = buffer_upload(q->plugin, q->index, d, block_count(b, d), b->at, &b->buffer);
  if (st == OK && b->bytes >= LARGE) leave_shadow(b);
  return st;
}

const values *queue_values(pjrt_queue *q, block *b, enum dtype d) {
  const shape s = {1, {block_count(b, d)}};
  bool has_value = b->run == q->run && (b->pending || b->argument != NONE);
  int st = q->lines.status;
  if (b->changed && b->next.dtype == d && st == OK) return &b->next;
  if (st == OK) st = b->lost ? block_read(q, b) : b->changed || b->bytes % (size_t)dtype_size(d) ? ERR_NO_KERNEL : OK;
  if (st == OK && has_value && b->now.dtype == d) return &b->now;
  if (st == OK && b->pending) st = QUEUE_AGAIN;
  if (st == OK && !b->fresh && (!b->buffer || b->now.dtype != d)) st = upload(q, b, d);
  if (st != OK) {
    emit_fail(&q->lines, st);
    return NULL;
  }
  b->now = (values){.dtype = d, .whole = EMIT_NONE};
  if (b->fresh) {
    b->now.flat = emit_constant(&q->lines, d, &s, (scalar){0});
  } else {
    b->now.flat = add_argument(q, b->buffer, false, d, &s);
    b->run = q->run;
    b->argument = (int)q->nargument - 1;
  }
  return &b->now;
}

int queue_set(pjrt_queue *q, block *b, enum dtype d, int flat, int whole, const shape *s) {
  block **list = list_with_room(q->changed, q->nchanged, &q->changed_room, sizeof *list);
  result *results = list_with_room(q->results, q->nresult + q->nchanged, &q->result_room, sizeof *results);
  if (list) q->changed = list;
  if (results) q->results = results;
  if (!list || !results) emit_fail(&q->lines, ERR_MEMORY);
  if (q->lines.status != OK) return q->lines.status;
  if (flat == EMIT_NONE) flat = emit_reshape(&q->lines, whole, d, s, &(shape){1, {block_count(b, d)}});
  emit(&q->lines, "// result %%%d\n", flat);           /* copies add no other line, and the lines are the program's key */
  if (!b->changed) list[q->nchanged++] = b;
  b->changed = true;
  b->next = (values){d, flat, whole, *s};
  return q->lines.status;
}

/* Ends a write to a block: the values are a result of the open program. */
static void apply(pjrt_queue *q, block *b) {
  if (b->buffer && b->run == q->run && b->argument != NONE) q->arguments[b->argument].overwritten = true;
  retire_buffer(q, b);
  leave_shadow(b);
  if (b->pending) q->results[b->result].replaced = true;
  stop_waiting(q, b);
  b->fresh = b->lost = false;
  b->pending = true;
  b->run = q->run;
  b->now = b->next;
  b->result = (int)q->nresult;
  q->results[q->nresult++] = (result){b->now.flat, b->now.dtype, block_count(b, b->now.dtype), b, false};
}

/* A number takes the place of another in the list, unless the open program has this one. */
term queue_number(pjrt_queue *q, enum dtype d, scalar is) {
  number new = {.dtype = d, .run = q->run};
  number_element(is, d, new.element);
  number *n = &q->numbers[((new.element[0] ^ new.element[1]) * UINT64_C(0x9E3779B97F4A7C15) >> 32) % NUMBERS];
  bool known = n->buffer && n->dtype == d && memcmp(n->element, new.element, sizeof n->element) == 0, owned = !known && n->run == q->run;
  int st = q->lines.status;
  if (known) new.buffer = n->buffer;
  else if (st == OK) st = buffer_upload(q->plugin, q->index, d, -1, new.element, &new.buffer);
  emit_fail(&q->lines, st);
  if (st != OK) return term_integer(0);
  if (!known && !owned) buffer_drop(q->plugin, n->buffer);
  if (!owned) *n = new;
  return (term){.value = add_argument(q, new.buffer, owned, d, &no_dims), .dtype = d, .without = (unsigned)ALL_DIMS};
}

/* ---- running ---- */

/* Starts an empty program. */
static void start_again(pjrt_queue *q) {
  for (size_t k = 0; k < q->nargument; k++)
    if (q->arguments[k].owned) buffer_drop(q->plugin, q->arguments[k].buffer);
  q->nargument = q->nresult = q->head.length = q->lines.length = q->ended = 0;
  q->head.status = q->lines.status = OK;
  q->ncall = q->lines.next = 0;
  q->rhythm = (rhythm){0};
  q->due = false;
  q->run++;
}

/* Gives the results of a run to the blocks, or marks the blocks as lost. */
static void finish(pjrt_queue *q, void *const *buffers, int st) {
  for (size_t k = 0; k < q->nresult; k++) {
    block *b = q->results[k].block;
    if (!b) continue;
    b->pending = false;
    b->lost = st != OK;
    if (st == OK) b->buffer = buffers[k];
    b->argument = NONE;
  }
  start_again(q);
}

int queue_run_together(pjrt_queue *const *q, int n) {
  const size_t nresult = q[0]->nresult;
  bool wanted = programs_are_wanted(q[0]), whole = true;
  void **buffers = wanted ? calloc((size_t)n * nresult, sizeof *buffers) : NULL;
  for (int k = 0; k < n; k++) whole &= q[k]->head.status == OK;
  int st = !wanted ? OK : buffers && whole ? programs_run(q, n, buffers) : ERR_MEMORY;
  if (st == ERR_MEMORY && whole) return free(buffers), st;   /* nothing has run: the caller may try again */
  for (int k = 0; k < n; k++) finish(q[k], buffers ? buffers + (size_t)k * nresult : NULL, st);
  free(buffers);
  return st;
}

int queue_run(pjrt_queue *q) { return queue_run_together(&q, 1); }

bool queue_reserve(pjrt_queue *q) { return emit_reserve(&q->lines, CALL_TEXT) && emit_reserve(&q->head, CALL_TEXT); }

int queue_begin_call(pjrt_queue *q) {
  const rhythm r = q->rhythm;
  int st = q->due ? queue_run(q) : OK;
  q->rhythm = r;
  return st != OK || queue_reserve(q) ? st : ERR_MEMORY;
}

int queue_end_call(pjrt_queue *q, int st) {
  if (st == OK) st = q->lines.status;
  for (size_t k = 0; k < q->nchanged; k++) {
    q->changed[k]->changed = false;
    if (st == OK) apply(q, q->changed[k]);
  }
  q->nchanged = 0;
  q->lines.status = OK;
  if (st != OK) {
    q->lines.length = q->ended;
    q->due |= st == QUEUE_AGAIN;
    return st;
  }
  rhythm *r = &q->rhythm;
  r->context = r->context << 8 | emit_hash(&q->lines, q->ended, false) >> 56;
  q->ended = q->lines.length;
  if (q->quiet) q->quiet--;
  bool met = r->context == r->mark;
  r->found |= met;
  if (!r->found && ++r->since > r->next) *r = (rhythm){r->context, r->context, 0, r->next ? 2 * r->next : 8, false};
  q->ncall++;
  q->due = q->ncall >= MOST_CALLS || (met && q->ncall >= LOOP_CALLS);
  if (q->due && !met) r->found = false;
  return OK;
}

int queue_ask_together(pjrt_queue *const *q, int n) {
  bool wants = false;
  for (int k = 0; k < n && this_operation.repeats; k++) wants |= !q[k]->quiet && programs_want_collection(q[k]);
  for (int k = 0; k < n && wants; k++) q[k]->quiet = LOOP_CALLS;
  return wants ? ERR_MEMORY : OK;
}

int queue_ask(pjrt_queue *q) { return queue_ask_together(&q, 1); }

void queue_free(pjrt_queue *q) {
  while (q->nblock) block_free(q, q->blocks[0]->at);
  start_again(q);
  for (int k = 0; k < NUMBERS; k++) buffer_drop(q->plugin, q->numbers[k].buffer);
  free(q->arguments);
  free(q->results);
  free(q->changed);
  free(q->blocks);
  free(q->head.text);
  free(q->lines.text);
}
