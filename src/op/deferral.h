#ifndef LT_OP_DEFERRAL_H
#define LT_OP_DEFERRAL_H

/* Deferred operations (lt.compile). While a deferral is open, job_run_later and job_compute_later append ops to its
** list instead of running them. deferral_run runs the list: it drops the ops whose results nobody can read, joins the
** other ops to programs (op/elementwise.h), and allocates memory only for results that outlive their program.
**
** A storage that an op of the list reads or writes is pending (base/storage.h). Before anything else uses its memory,
** the list must run. The functions of src/lua take care of this when they read their arguments; functions of op/ that
** are not deferred need no code for it. */

#include "base/tls.h"
#include "op/scan_softmax.h"

typedef struct deferral deferral;

/* The open deferral of this thread, or NULL. */
extern _Thread_local FAST_TLS deferral *open_deferral __attribute__((visibility("hidden")));

/* Like job_run, job_compute, op_fill and op_copy, but the op may be deferred. For functions that do not use elements otherwise:
** other functions must call these functions without _later, after the list has run. */
int job_run_later(const job *j, tensor *out);
int op_fill_later(tensor *out, scalar value);
int op_copy_later(tensor *out, const tensor *in);

/* Sets the real and imaginary parts of the complex tensor `out`. Each input is broadcast. The errors are those of job_run.
** May be deferred. */
int op_set_parts_later(tensor *out, const arg *re, const arg *im);

int job_defer(const job *j, tensor *out);       /* for job_compute_later */
static inline int job_compute_later(const job *j, tensor *out) {
  return open_deferral ? job_defer(j, out) : job_compute(j, out);
}

/* Like reduce_run and scan_softmax_run, for a result that the caller has made for the op, or that reduce_check or
** scan_softmax_check allows. */
int reduce_defer(const reduction *r, tensor *out);
int scan_softmax_defer(const scan_softmax_job *l, tensor *out);
static inline int reduce_run_later(const reduction *r, tensor *out) {
  return open_deferral ? reduce_defer(r, out) : reduce_run(r, out);
}
static inline int scan_softmax_run_later(const scan_softmax_job *l, tensor *out) {
  return open_deferral ? scan_softmax_defer(l, out) : scan_softmax_run(l, out);
}

enum { OPAQUE_OPTIONS = 288, OPAQUE_WORDS = 192, OPAQUE_LINE = 96 };

/* The options and the operands of a call of an opaque op, as opaque_call has them. */
typedef struct opaque_args {
  const void   *options;
  tensor       *in[MAX_OPERANDS], *out[MAX_OPERANDS];
  bool          done;                  /* run_all has made the call */
} opaque_args;

/* An op of another family. A list runs it as it would run at once. */
typedef struct opaque_op {
  int  (*run)(const void *options, const tensor *const *in, tensor *const *out);   /* an operand may be NULL. If the result
                                       ** is ERR_MEMORY, `out` is unchanged, and the op may run again */
  size_t options, key, numbers;        /* bytes of the options, at most OPAQUE_OPTIONS. The first `key` bytes are words
                                       ** without gaps, which decide what the op does. `numbers` bytes of scalars follow.
                                       ** The others, such as seeds, may differ in each call of a compiled function */
  int  (*run_all)(opaque_args *list, int n);   /* or NULL: makes n calls that follow each other, in this order, and sets
                                       ** `done` of those that were made. Then `run` is not used */
  bool   checks;                       /* the op checks elements: it runs even if nobody reads its results. If the check
                                       ** fails, `run` writes the message to deferral_words and returns ERR_INDEX or ERR_MATRIX */
} opaque_op;

/* A call of an opaque op. */
typedef struct opaque_call {
  const opaque_op *op;
  const char *name;                    /* the function of the script, for errors; lives as long as the process */
  const void *options;
  const tensor *in[MAX_OPERANDS];      /* what the op reads; an operand that is read and written is in both lists */
  tensor     *out[MAX_OPERANDS];       /* what the op writes; together at most MAX_OPERANDS operands. out[0] is a tensor */
  int         nin, nout;
} opaque_call;

/* Appends the call to the list of the open deferral. Returns false if this is not possible; then the list has run, so that
** the op may run at once. Otherwise *st is OK, or an error of the list, which was full. */
bool opaque_defer(const opaque_call *c, int *st);

static inline int opaque_run_later(const opaque_call *c) {
  int st;
  return open_deferral && opaque_defer(c, &st) ? st : c->op->run(c->options, c->in, c->out);
}

/* The message of an op whose check fails, [OPAQUE_WORDS]. For `run` of ops that check elements. */
char *deferral_words(void);

typedef struct deferral_counts {
  long recorded;             /* ops that were deferred */
  long dropped;              /* ops of the list that did not run, because nobody could read their results */
  long programs;             /* calls of the device that computed several ops */
  long singles;              /* calls of the device that computed one op */
  long stored;               /* results that were stored */
  size_t temporary;          /* the most bytes that stored results to which only a list refers took at a time */
  long lists, found;         /* lists that ran, and those of them for which an earlier list had left a schedule */
  uint64_t fingerprint;      /* a hash of the ops that were deferred and of the new tensors, without numbers and
                             ** addresses */
} deferral_counts;

/* Makes a closed deferral. Returns NULL if memory is exhausted. deferral_free needs a closed deferral. */
deferral *deferral_new(void);
void      deferral_free(deferral *d);

/* Opens d in this thread, which must have no open deferral. Only ops for whose context (base/cancel.h) `is_mine` returns
** true are deferred; others run at once. `locate` stores the script's line of an op of the context. */
void deferral_open(deferral *d, bool (*is_mine)(void *context, const void *owner), const void *owner,
                   void (*locate)(void *context, char *line, size_t size));

/* Allocates the memory of a pending storage that no op of the list writes. Returns OK or ERR_MEMORY. */
int deferral_provide(storage *s);

/* Empties the list. The results of ops that have not run are lost: their storages get EPOCH_FAILED. */
void deferral_drop(deferral *d);

/* Empties the list of d and closes d. */
void deferral_close(deferral *d);

/* True if the open deferral would take ops of this context. */
bool deferral_is_mine(void *context);

/* Runs the list. After ERR_MEMORY the list still contains the ops that have not run, so a second call continues.
** After another error the list is dropped. */
int   deferral_run(deferral *d);

/* Runs the ops of the list one by one up to the first that fails, as the script would without the list. Called when
** deferral_run has failed for the last time, so that writes to existing tensors are not lost. */
void deferral_salvage(deferral *d);

/* An op of the list, for errors: its name, its place and the dtype in which it computes. */
typedef struct deferred_op {
  const char *name;
  const char *line;          /* the script's line, if the op checks elements, else "" */
  place       where;
  enum dtype  dtype;
} deferred_op;

/* Returns the op that failed, or else the last op of the list. */
deferred_op deferral_culprit(const deferral *d);

/* Adds a new tensor that function `name` makes for an operation of the context, and that is not deferred, to the fingerprint
** and to the log. */
void deferral_note(void *context, const char *name, enum dtype dtype, const shape *s);

/* An operation of a log. Two operations are alike if their hashes are: names, dtypes, shapes, views and numbers. */
typedef struct logged_op {
  uint64_t hash;
  char name[32], line[96];   /* the function, and the script's line, which may be empty */
} logged_op;

/* Starts a log of the operations of d, or ends the log. deferral_logged returns the log of *n operations. */
void deferral_log(deferral *d, bool logs);
const logged_op *deferral_logged(const deferral *d, size_t *n);

/* The bytes of memory that a run would allocate if no further reference to a tensor is dropped. */
size_t deferral_bytes(const deferral *d);

/* The bytes of memory to which only the list refers: inputs of ops that have not run. */
size_t deferral_held(const deferral *d);
bool   deferral_is_empty(const deferral *d);
bool   deferral_is_full(const deferral *d);          /* the next op makes the list run */
deferral_counts deferral_counted(const deferral *d);

#endif
