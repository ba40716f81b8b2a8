/* Compiled programs. A program is found again by its lines. Two things may differ from run to run, and must not make a new
** program each time:
**
** - Numbers of calls, such as a learning rate. They are constants at first. Numbers that differ when the lines come again
**   become arguments.
** - The wanted results. Which tensors are still alive depends on Lua's collector. A program is first compiled for the results
**   that are wanted after a collection. If other results are wanted later, it is compiled again, for all results; but if
**   they are large, garbage is collected before each such run. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "pjrt/queue.h"

enum {
  MOST_PROGRAMS = 256,
  SMALL  = 32 << 20,                   /* so many bytes of results may be computed for garbage */
  HIDDEN = 1 << 24                     /* is added to the names of constants behind a barrier */
};

typedef struct compiled {
  uint64_t hash;
  char    *key;                        /* the head and the lines */
  size_t   length, nnumber, nresult;
  number  *numbers;                    /* [nnumber]: the numbers of the last run */
  bool    *varies, *wanted;            /* [nnumber], [nresult] */
  void    *program;
  uint64_t used;
} compiled;

struct pjrt_programs {
  compiled *list[MOST_PROGRAMS];
  int       count;
  uint64_t  runs;
};

static void free_compiled(pjrt_plugin *p, compiled *c) {
  if (!c) return;
  program_drop(p, c->program);
  free(c->key);
  free(c->numbers);
  free(c->varies);
  free(c->wanted);
  free(c);
}

void programs_free(pjrt_plugin *p) {
  if (!p->programs) return;
  for (int k = 0; k < p->programs->count; k++) free_compiled(p, p->programs->list[k]);
  free(p->programs);
  p->programs = NULL;
}

/* ---- finding ---- */

static const uint64_t NO_HASH = 14695981039346656037u;

static uint64_t hash_of(const char *text, size_t length, uint64_t h) {
  for (size_t k = 0; k < length; k++) h = (h ^ (unsigned char)text[k]) * UINT64_C(0x100000001B3);
  return h;
}

void programs_hash(pjrt_queue *q) {
  if (q->hashed == 0) q->hash = NO_HASH;
  q->hash = hash_of(q->lines.text + q->hashed, q->lines.length - q->hashed, q->hash);
  q->hashed = q->lines.length;
}

static bool is_of(const compiled *c, const pjrt_queue *q, uint64_t hash) {
  size_t head = q->head.length, lines = q->lines.length;
  return c->hash == hash && c->length == head + lines && c->nnumber == q->nnumber && c->nresult == q->nresult &&
         (head == 0 || memcmp(c->key, q->head.text, head) == 0) && memcmp(c->key + head, q->lines.text, lines) == 0;
}

static compiled *new_compiled(const pjrt_queue *q, uint64_t hash) {
  compiled *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  *c = (compiled){.hash = hash, .length = q->head.length + q->lines.length, .nnumber = q->nnumber, .nresult = q->nresult};
  c->key = malloc(c->length + 1);
  c->numbers = malloc((q->nnumber + 1) * sizeof *c->numbers);
  c->varies = calloc(q->nnumber + 1, sizeof *c->varies);
  c->wanted = calloc(q->nresult + 1, sizeof *c->wanted);
  if (!c->key || !c->numbers || !c->varies || !c->wanted) {
    free_compiled(NULL, c);
    return NULL;
  }
  if (q->head.length) memcpy(c->key, q->head.text, q->head.length);
  memcpy(c->key + q->head.length, q->lines.text, q->lines.length);
  if (q->nnumber) memcpy(c->numbers, q->numbers, q->nnumber * sizeof *c->numbers);
  for (size_t k = 0; k < q->nnumber; k++) c->varies[k] = q->numbers[k].varies;
  return c;
}

/* Returns the record of the queue's lines, or NULL. */
static compiled *find(pjrt_queue *q) {
  const struct pjrt_programs *all = q->plugin->programs;
  programs_hash(q);
  uint64_t hash = hash_of(q->head.text, q->head.length, q->hash);
  for (int k = 0; all && k < all->count; k++)
    if (is_of(all->list[k], q, hash)) return all->list[k];
  return NULL;
}

/* Makes a record of the queue's lines. A full list loses the record that was not used for the longest time. */
static compiled *add(pjrt_queue *q) {
  pjrt_plugin *p = q->plugin;
  if (!p->programs) p->programs = calloc(1, sizeof *p->programs);
  struct pjrt_programs *all = p->programs;
  compiled *c = all ? new_compiled(q, hash_of(q->head.text, q->head.length, q->hash)) : NULL;
  int oldest = 0;
  if (!c) return NULL;
  for (int k = 1; k < all->count; k++)
    if (all->list[k]->used < all->list[oldest]->used) oldest = k;
  if (all->count < MOST_PROGRAMS) oldest = all->count++;
  else free_compiled(p, all->list[oldest]);
  all->list[oldest] = c;
  return c;
}

/* ---- compiling ---- */

/* True if both have the same bits. */
static bool same_number(const scalar *a, const scalar *b) {
  return memcmp(&a->f, &b->f, sizeof a->f) == 0 && memcmp(&a->im, &b->im, sizeof a->im) == 0 && a->i == b->i;
}

/* True if the program computes all wanted results. */
static bool is_enough(const compiled *c, const pjrt_queue *q) {
  for (const block *b = q->pending; b; b = b->next)
    if (!c->wanted[b->result]) return false;
  return true;
}

/* True if all results that may ever be wanted take little memory. */
static bool is_small(const pjrt_queue *q) {
  int64_t bytes = 0;
  for (size_t k = 0; k < q->nresult; k++)
    if (!q->results[k].replaced) bytes += q->results[k].count * dtype_size(q->results[k].dtype);
  return bytes <= SMALL;
}

bool programs_want_collection(pjrt_queue *q) {
  const compiled *c = q->pending ? find(q) : NULL;
  return q->pending && (!c || !c->program || !(is_enough(c, q) || is_small(q)));
}

/* Marks what differs from earlier runs. Returns true if the program must be compiled again. */
static bool adapt(compiled *c, const pjrt_queue *q) {
  bool changed = !c->program, enough = is_enough(c, q), all = c->program && !enough && is_small(q);
  for (size_t k = 0; all && k < c->nresult; k++) c->wanted[k] |= !q->results[k].replaced;
  for (size_t k = 0; k < c->nnumber; k++) {
    if (!c->varies[k] && !same_number(&c->numbers[k].is, &q->numbers[k].is)) changed = c->varies[k] = true;
    c->numbers[k] = q->numbers[k];
  }
  for (const block *b = q->pending; b; b = b->next) c->wanted[b->result] = true;
  return changed || !enough;
}

static const shape no_dims = {.ndim = 0};

static void write_header(emission *e, const compiled *c, const pjrt_queue *q) {
  emit(e, "func.func public @main(");
  for (size_t k = 0, from = 0; k < q->nargument; from = q->arguments[k++].end) {
    emit_text(e, q->head.text + from, q->arguments[k].end - from);
    if (q->arguments[k].overwritten) emit(e, " {jax.buffer_donor = true}");
  }
  const char *between = q->head.length ? ", " : "";
  for (size_t k = 0; k < c->nnumber; k++) {
    if (!c->varies[k]) continue;
    emit(e, "%s%%%d: ", between, c->numbers[k].value);
    emit_type(e, c->numbers[k].dtype, &no_dims);
    between = ", ";
  }
  emit(e, ") -> (");
}

/* Writes the wanted results: their types, or their values. */
static void write_results(emission *e, const compiled *c, const pjrt_queue *q, bool types) {
  const char *between = "";
  for (size_t k = 0; k < c->nresult; k++) {
    const result *r = &q->results[k];
    if (!c->wanted[k]) continue;
    emit(e, "%s", between);
    if (types) emit_type(e, r->dtype, &(shape){1, {r->count}});
    else emit(e, "%%%d", r->value);
    between = ", ";
  }
}

/* Writes the program to the folder that the environment variable LUATENSOR_PROGRAMS names, unless the folder has it. */
static int note_program(pjrt_plugin *p, const emission *e) {
  const char *folder = getenv("LUATENSOR_PROGRAMS");
  char path[SYSTEM_PATH];
  if (!folder || !*folder) return OK;
  if (strlen(folder) > sizeof path - 32) return plugin_fail(p, "LUATENSOR_PROGRAMS: %s", strerror(ENAMETOOLONG));
  snprintf(path, sizeof path, "%s/%016llx.mlir", folder, (unsigned long long)hash_of(e->text, e->length, NO_HASH));
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), why = errno;
  if (file < 0) return why == EEXIST ? OK : plugin_fail(p, "LUATENSOR_PROGRAMS=%s: %s", folder, strerror(why));
  bool written = system_may_have(file, e->length) && write(file, e->text, e->length) == (ssize_t)e->length;
  why = errno;
  close(file);
  if (written) return OK;
  unlink(path);
  return plugin_fail(p, "LUATENSOR_PROGRAMS=%s: %s", folder, strerror(why));
}

static int compile(compiled *c, pjrt_queue *q) {
  emission e = {.text = NULL};
  write_header(&e, c, q);
  write_results(&e, c, q, true);
  emit(&e, ") {\n");
  for (size_t k = 0; k < c->nnumber; k++) {
    e.next = c->numbers[k].value + HIDDEN;
    if (c->varies[k]) continue;
    emit_constant(&e, c->numbers[k].dtype, &no_dims, c->numbers[k].is);
    emit(&e, "%%%d = stablehlo.optimization_barrier %%%d : ", c->numbers[k].value, c->numbers[k].value + HIDDEN);
    emit_type(&e, c->numbers[k].dtype, &no_dims);
    emit(&e, "\n");
  }
  emit_text(&e, q->lines.text, q->lines.length);
  emit(&e, "return ");
  write_results(&e, c, q, false);
  emit(&e, " : ");
  write_results(&e, c, q, true);
  emit(&e, "\n}\n");
  program_drop(q->plugin, c->program);
  c->program = NULL;
  int st = e.failed ? ERR_MEMORY : note_program(q->plugin, &e);
  if (st == OK) st = program_compile(q->plugin, e.text, e.length, &c->program);
  free(e.text);
  return st;
}

/* ---- running ---- */

/* Stores a number as an element of its dtype, which is no half float. */
static void store_number(const number *n, uint64_t to[2]) {
  double parts[2] = {n->is.f, n->is.im};
  float  halves[2] = {(float)n->is.f, (float)n->is.im};
  enum dtype real = dtype_real(n->dtype);
  if (real == DT_float64) memcpy(to, parts, sizeof parts);
  else if (real == DT_float32) memcpy(to, halves, sizeof halves);
  else memcpy(to, &n->is.i, sizeof n->is.i);           /* the low bytes come first */
}

/* Makes buffers of the numbers that vary, behind the other arguments. */
static int upload_numbers(const compiled *c, pjrt_queue *q, void **arguments, size_t *n) {
  int st = OK;
  for (size_t k = 0; k < c->nnumber && st == OK; k++) {
    uint64_t element[2];
    if (!c->varies[k]) continue;
    store_number(&q->numbers[k], element);
    st = buffer_upload(q->plugin, q->index, q->numbers[k].dtype, -1, element, &arguments[*n]);
    if (st == OK) ++*n;
  }
  return st;
}

static int run(const compiled *c, pjrt_queue *q, void **arguments, int64_t *kept, void **results, void **buffers) {
  size_t n = q->nargument, count = 0, nkept = 0;
  for (size_t k = 0; k < n; k++) {
    arguments[k] = q->arguments[k].buffer;
    if (!q->arguments[k].overwritten) kept[nkept++] = (int64_t)k;
  }
  int st = upload_numbers(c, q, arguments, &n);
  if (st == OK) st = program_run(q->plugin, q->index, c->program, arguments, n, kept, nkept, results);
  for (size_t k = q->nargument; k < n; k++) buffer_drop(q->plugin, arguments[k]);
  for (size_t k = 0; st != OK && k < c->nresult; k++) buffer_drop(q->plugin, results[k]);
  if (st != OK) return st;
  for (size_t k = 0; k < c->nresult; k++)
    if (c->wanted[k]) buffers[k] = results[count++];
  return OK;
}

/* Frees the buffers of results that nobody wants this time. */
static void drop_unwanted(pjrt_queue *q, void **buffers) {
  bool *wanted = calloc(q->nresult, sizeof *wanted);
  for (const block *b = q->pending; wanted && b; b = b->next) wanted[b->result] = true;
  for (size_t k = 0; wanted && k < q->nresult; k++)
    if (!wanted[k]) {
      buffer_drop(q->plugin, buffers[k]);
      buffers[k] = NULL;
    }
  free(wanted);
}

int programs_run(pjrt_queue *q, void **buffers) {
  compiled *c = find(q);
  if (!c) c = add(q);
  if (!c) return ERR_MEMORY;
  c->used = ++q->plugin->programs->runs;
  int st = adapt(c, q) ? compile(c, q) : OK;
  if (st != OK) return st;
  void **arguments = calloc(q->nargument + q->nnumber + 1, sizeof *arguments), **results = calloc(q->nresult + 1, sizeof *results);
  int64_t *kept = calloc(q->nargument + 1, sizeof *kept);
  st = arguments && kept && results ? run(c, q, arguments, kept, results, buffers) : ERR_MEMORY;
  if (st == OK) drop_unwanted(q, buffers);
  free(arguments);
  free(kept);
  free(results);
  return st;
}
