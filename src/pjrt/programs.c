/* Compiled programs. A program is found again by its lines. Two things may differ from run to run, and must not make a new
** program each time:
**
** - Numbers of calls, such as a learning rate. They are arguments.
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

enum { SMALL = 32 << 20 };             /* so many bytes of results may be computed for garbage */

typedef struct compiled {
  emission head, lines;                /* the key */
  size_t   nresult;
  bool    *wanted;                     /* [nresult] */
  void    *program;
  uint64_t used;                       /* the number of the last run */
} compiled;

static void free_compiled(pjrt_plugin *p, compiled *c) {
  program_drop(p, c->program);
  free(c->head.text);
  free(c->lines.text);
  free(c->wanted);
  free(c);
}

void programs_free(pjrt_plugin *p) {
  while (p->nprogram) free_compiled(p, p->programs[--p->nprogram]);
}

/* ---- finding ---- */

/* Returns the record of the queue's lines, or NULL. */
static compiled *find(const pjrt_queue *q) {
  for (int k = 0; k < q->plugin->nprogram; k++) {
    compiled *c = q->plugin->programs[k];
    if (c->nresult == q->nresult && emit_equal(&c->head, &q->head) && emit_equal(&c->lines, &q->lines)) return c;
  }
  return NULL;
}

/* Makes a record of the queue's lines. A full list loses the record that was not used for the longest time. */
static compiled *add(const pjrt_queue *q) {
  pjrt_plugin *p = q->plugin;
  compiled *c = calloc(1, sizeof *c);
  int at = 0;
  if (!c) return NULL;
  c->nresult = q->nresult;
  c->wanted = calloc(q->nresult + 1, sizeof *c->wanted);
  emit_text(&c->head, q->head.text, q->head.length);
  emit_text(&c->lines, q->lines.text, q->lines.length);
  if (!c->wanted || c->head.status != OK || c->lines.status != OK) return free_compiled(p, c), NULL;
  for (int k = 1; k < p->nprogram; k++)
    if (p->programs[k]->used < p->programs[at]->used) at = k;
  if (p->nprogram < PJRT_PROGRAMS) at = p->nprogram++;
  else free_compiled(p, p->programs[at]);
  return p->programs[at] = c;
}

/* ---- compiling ---- */

/* True if the program computes all wanted results. */
static bool is_enough(const compiled *c, const pjrt_queue *q) {
  for (size_t k = 0; k < q->nresult; k++)
    if (q->results[k].block && !c->wanted[k]) return false;
  return true;
}

/* True if all results that may ever be wanted take little memory. */
static bool is_small(const pjrt_queue *q) {
  int64_t bytes = 0;
  for (size_t k = 0; k < q->nresult; k++)
    if (!q->results[k].replaced) bytes += q->results[k].count * dtype_size(q->results[k].dtype);
  return bytes <= SMALL;
}

bool programs_are_wanted(const pjrt_queue *q) {
  for (size_t k = 0; k < q->nresult; k++)
    if (q->results[k].block) return true;
  return false;
}

bool programs_want_collection(const pjrt_queue *q) {
  const compiled *c = find(q);
  return programs_are_wanted(q) && (!c || !c->program || !(is_enough(c, q) || is_small(q)));
}

/* Marks what differs from earlier runs. Returns true if the program must be compiled again. */
static bool adapt(compiled *c, const pjrt_queue *q) {
  bool enough = is_enough(c, q), all = c->program && !enough && is_small(q);
  for (size_t k = 0; k < c->nresult; k++) c->wanted[k] |= q->results[k].block || (all && !q->results[k].replaced);
  return !c->program || !enough;
}

static void write_header(emission *e, const pjrt_queue *q) {
  emit(e, "func.func public @main(");
  for (size_t k = 0, from = 0; k < q->nargument; from = q->arguments[k++].end) {
    emit_text(e, q->head.text + from, q->arguments[k].end - from);
    if (q->arguments[k].overwritten) emit(e, " {jax.buffer_donor = true}");
  }
  emit(e, ") -> (");
}

/* Writes the wanted results: their types, or their values. */
static void write_results(emission *e, const compiled *c, const pjrt_queue *q, bool types) {
  const char *between = "";
  for (size_t k = 0; k < c->nresult; k++) {
    const result *r = &q->results[k];
    if (!c->wanted[k]) continue;
    if (types) emit(e, "%s%t", between, r->dtype, &(shape){1, {r->count}});
    else emit(e, "%s%%%d", between, r->value);
    between = ", ";
  }
}

/* Writes the program to the folder that the environment variable LUATENSOR_PROGRAMS names, unless the folder has it. */
static int note_program(pjrt_plugin *p, const emission *e) {
  const char *folder = getenv("LUATENSOR_PROGRAMS");
  char path[SYSTEM_PATH];
  if (!folder || !*folder) return OK;
  if (strlen(folder) > sizeof path - 32) return plugin_fail(p, "LUATENSOR_PROGRAMS: %s", strerror(ENAMETOOLONG));
  snprintf(path, sizeof path, "%s/%016llx.mlir", folder, (unsigned long long)emit_hash(e, 0, true));
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), why = errno;
  if (file < 0) return why == EEXIST ? OK : plugin_fail(p, "LUATENSOR_PROGRAMS=%s: %s", folder, strerror(why));
  bool written = system_may_have(file, e->length) && write(file, e->text, e->length) == (ssize_t)e->length;
  why = errno;
  close(file);
  if (written) return OK;
  unlink(path);
  return plugin_fail(p, "LUATENSOR_PROGRAMS=%s: %s", folder, strerror(why));
}

static int compile(compiled *c, pjrt_queue *q, const program_lists *l) {
  emission e = {.text = NULL};
  write_header(&e, q);
  write_results(&e, c, q, true);
  emit(&e, ") {\n");
  emit_text(&e, q->lines.text, q->lines.length);
  emit(&e, "return ");
  write_results(&e, c, q, false);
  emit(&e, " : ");
  write_results(&e, c, q, true);
  emit(&e, "\n}\n");
  program_drop(q->plugin, c->program);
  c->program = NULL;
  int st = e.status == OK ? note_program(q->plugin, &e) : e.status;
  if (st == OK) st = program_compile(q->plugin, e.text, e.length, l->index, l->ndevice, &c->program);
  free(e.text);
  return st;
}

/* ---- running ---- */

/* Lists the arguments. An argument is not donated unless all devices overwrite it. */
static void list_arguments(pjrt_queue *const *q, program_lists *l) {
  for (size_t k = 0; k < l->narg; k++) {
    bool overwritten = true;
    for (int d = 0; d < l->ndevice; d++) {
      overwritten &= q[d]->arguments[k].overwritten;
      l->arguments[d][k] = q[d]->arguments[k].buffer;
    }
    if (!overwritten) l->kept[l->nkept++] = (int64_t)k;
  }
}

/* Runs the program, and keeps the results that somebody wants this time. */
static int run(const compiled *c, pjrt_queue *const *q, program_lists *l, void **buffers) {
  pjrt_plugin *p = q[0]->plugin;
  list_arguments(q, l);
  int st = program_run(p, c->program, l);
  for (int d = 0; d < l->ndevice; d++) {
    void **result = l->results[d];
    for (size_t k = 0; k < c->nresult; k++) {
      if (!c->wanted[k]) continue;
      if (st == OK && q[d]->results[k].block) buffers[(size_t)d * c->nresult + k] = *result++;
      else buffer_drop(p, *result++);
    }
  }
  return st;
}

int programs_run(pjrt_queue *const *q, int n, void **buffers) {
  compiled *c = find(q[0]);
  if (!c) c = add(q[0]);
  if (!c) return ERR_MEMORY;
  c->used = ++q[0]->plugin->nrun;
  const size_t narg = q[0]->nargument, width = narg + q[0]->nresult + 1;
  void **lists = calloc((size_t)n * width, sizeof *lists);
  program_lists l = {.ndevice = n, .narg = narg, .kept = calloc(narg + 1, sizeof *l.kept)};
  bool changed = false;
  int st = lists && l.kept ? OK : ERR_MEMORY;
  for (int d = 0; d < n && st == OK; d++) {
    changed |= adapt(c, q[d]);
    l.index[d] = q[d]->index;
    l.arguments[d] = lists + (size_t)d * width;
    l.results[d] = l.arguments[d] + narg;
  }
  if (changed) st = compile(c, q[0], &l);
  if (st == OK) st = run(c, q, &l, buffers);
  free(lists);
  free(l.kept);
  return st;
}
