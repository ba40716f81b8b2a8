#ifndef LT_PJRT_QUEUE_H
#define LT_PJRT_QUEUE_H

/* Memory and queued work of a device. A device computes nothing at once: each call appends lines to the device's open
** program, which runs when somebody needs a result. All functions must be called with LOCK_PJRT.
**
** A block of memory is a range of ordinary addresses, the shadow, so that the kernels of the CPU can compute what plugins do
** not take. Its elements are in one or several places: in the shadow, in a buffer of the plugin, or in a value of the open
** program. A buffer is an array of one dim with all elements of the block, in the dtype in which they were written or first
** used. A block whose elements are used in another dtype passes through the shadow. */

#include "base/profile.h"
#include "pjrt/plugin.h"
#include "pjrt/translate.h"

/* The elements of a block as values of the open program. */
typedef struct values {
  enum dtype dtype;
  int        flat, whole;              /* as an array of one dim, and in the shape `form`; one may be EMIT_NONE */
  shape      form;
} values;

typedef struct block {
  char   *at;                          /* the shadow */
  size_t  bytes;
  bool    in_shadow, fresh, lost;      /* fresh: nothing was written; lost: the program that computes the elements has failed */
  void   *buffer;                      /* or NULL */
  values   now;                        /* have the buffer's dtype, and are values if `run` is the open program's number */
  unsigned run;
  bool     pending;                    /* the values are newer than shadow and buffer, and are a result of the program */
  int      argument, result;           /* the numbers in the program's lists; argument: or NONE */
  bool     changed;                    /* a call that has not ended writes the block, and gives it these values */
  values   next;
} block;

enum { NONE = -1, NUMBERS = 256 };

typedef struct argument {
  void *buffer;
  bool  owned;                         /* the block has been freed or overwritten: the buffer is freed after the run */
  bool  overwritten;                   /* the program may use the buffer's memory for its results */
  size_t end;                          /* the argument's end in the text of the list */
} argument;

/* A value that may be a result: all elements of a block that a call has written. */
typedef struct result {
  int     value;
  enum dtype dtype;
  int64_t count;
  block  *block;                       /* waits for the result; NULL: nobody wants the result */
  bool    replaced;                    /* a later call of the program has written the block again */
} result;

/* A number of a call, as an argument without dims. Buffers of numbers are kept for later programs. */
typedef struct number {
  void    *buffer;                     /* NULL: the entry is empty */
  enum dtype dtype;
  uint64_t element[2];
  unsigned run;                        /* the last program that has the argument */
} number;

/* Finds the calls that a loop repeats, so that each program ends where an iteration ends. The last eight calls are
** compared with those at a mark, as in Brent's search for cycles: the distances from mark to mark grow by the factor 2. */
typedef struct rhythm {
  uint64_t context, mark;              /* 8 bits of each of the last eight calls, now and at the mark */
  int      since, next;                /* calls since the mark was set, and before the next one is set */
  bool     found;                      /* the mark has been met again, so it stays */
} rhythm;

/* The open program of a device. */
typedef struct pjrt_queue {
  pjrt_plugin *plugin;
  int       index;
  emission  head, lines;               /* the list of arguments, and the lines that compute values */
  unsigned  run;                       /* increased when the program has run */
  int       ncall;
  size_t    ended;                     /* so many characters of the lines are those of calls that have ended */
  rhythm    rhythm;                    /* since an element was read */
  bool      due;                       /* the program runs before the next call */
  int       quiet;                     /* no collection is asked for during so many further calls */
  argument *arguments;
  result   *results;
  block   **changed;                   /* by the call that is being appended */
  size_t    nargument, argument_room, nresult, result_room, nchanged, changed_room;
  number    numbers[NUMBERS];
  block   **blocks;                    /* all blocks, sorted by address */
  size_t    nblock, block_room;
  memory_stats stats;
  int64_t   host_calls[PROFILE_FAMILIES];   /* how many calls of each family the CPU has computed */
} pjrt_queue;

enum {
  MOST_CALLS = 512,                    /* a program of so many calls runs */
  LOOP_CALLS = 16,                     /* a program of so many calls runs at the end of an iteration of a loop */
  QUEUE_AGAIN = -1                     /* a status: the call must be appended again, after the open program has run */
};

/* ---- memory ---- */

int    block_new(pjrt_queue *q, size_t bytes, void **at);
void   block_free(pjrt_queue *q, void *at);
block *block_of(const pjrt_queue *q, const void *at);      /* the block of an address, or NULL */

/* Brings the elements to the shadow. block_write: the caller is going to write them there. */
int    block_read(pjrt_queue *q, block *b);
int    block_write(pjrt_queue *q, block *b);

/* Forgets the elements. The caller is going to write all of them to the shadow. */
void   block_discard(pjrt_queue *q, block *b);

/* ---- the open program ---- */

/* Returns the number of elements of dtype d of a block. */
static inline int64_t block_count(const block *b, enum dtype d) { return (int64_t)b->bytes / dtype_size(d); }

/* Returns the values of a block's elements of dtype d, of which `flat` is set, or NULL after an error. The errors of this function and
** of the next ones are the status of q->lines. */
const values *queue_values(pjrt_queue *q, block *b, enum dtype d);

/* Makes value `flat` of one dim, or `whole` of shape s, the elements of the block when the call ends. One of the values may be
** EMIT_NONE. Returns the status. */
int queue_set(pjrt_queue *q, block *b, enum dtype d, int flat, int whole, const shape *s);

/* Returns a value without dims. */
term queue_number(pjrt_queue *q, enum dtype d, scalar is);

/* Runs the open program. */
int queue_run(pjrt_queue *q);

/* Runs the open programs of n queues of a plugin as one program on several devices. The programs must have the same text. */
int queue_run_together(pjrt_queue *const *q, int n);

/* Appends the sums of a call to the open programs of its devices, and runs the programs (sum.c). */
int queue_all_sum(pjrt_queue *const *q, const all_sum_call *c);

/* Makes room for the text of a call. */
bool queue_reserve(pjrt_queue *q);

/* queue_begin_call runs the program if that is due, and makes room. queue_end_call gets the status of the call, and returns it or
** that of the lines.
** If the call has failed, queue_end_call takes back its lines and its changes. It decides whether a run is due before the next call. */
int queue_begin_call(pjrt_queue *q);
int queue_end_call(pjrt_queue *q, int st);

/* Returns ERR_MEMORY if Lua's garbage should be collected before the program runs, because it will be compiled and garbage
** would be among its results. The result is OK if Lua would not repeat its operation (base/cancel.h), or if garbage has been
** collected not more than LOOP_CALLS calls ago. */
int queue_ask(pjrt_queue *q);

/* Does the same for the programs of n queues that a call runs. If one of them asks, none of them asks soon. */
int queue_ask_together(pjrt_queue *const *q, int n);

/* Forgets the open program, and frees all memory of the queue but not the queue. */
void queue_free(pjrt_queue *q);

/* ---- operands (view.c) ---- */

/* The shape of an operand, and its strides in elements. */
typedef struct strided {
  shape   s;
  int64_t stride[MAX_DIMS];
} strided;

strided strided_plain(const shape *s);                        /* a contiguous operand */
strided strided_line(int64_t n);                              /* a contiguous operand of one dim */
strided strided_planned(const plan *p, int k);                /* operand k of a plan */
void    strided_add(strided *v, int64_t n, int64_t stride);   /* adds a dim at the end */

/* Returns the operand's elements in dtype o->dtype. A number becomes a tensor. */
term queue_get(pjrt_queue *q, const operand *o, const strided *v);

/* Reads an operand and converts its elements. A number already has dtype `to`. */
term queue_get_as(pjrt_queue *q, const operand *o, enum dtype to, const strided *v);

/* Converts a term of an expression of shape v->s to o->dtype, and writes it to the operand's elements. Returns the status. */
int queue_put(pjrt_queue *q, const operand *o, const strided *v, term t);

/* Checks n integers, which come to the shadow: they must be in the range low … high and not 0, or be *except, which may be NULL.
** Otherwise *bad becomes the first wrong one, and the result is ERR_INDEX. */
int queue_check(pjrt_queue *q, const int64_t *at, int64_t n, int64_t low, int64_t high, const int64_t *except, int64_t *bad);

/* Returns the name of the precision of products. */
static inline const char *queue_precision(enum precision p) { return p == PRECISION_tf32 ? "HIGH" : "HIGHEST"; }

/* ---- families ----
** queue_<name> appends a call to the open program (families.c). host_<name> brings the operands of a call to the shadow, so that
** the CPU can compute it there (host.c). */

#define FAMILY(name, call) int queue_##name(pjrt_queue *q, call *c);
#include "families.def"
#define FAMILY(name, call) int host_##name(pjrt_queue *q, call *c);
#include "families.def"

/* ---- compiled programs (programs.c) ---- */

/* True if somebody wants a result of the open program. */
bool programs_are_wanted(const pjrt_queue *q);

/* True if a run of the open program would compile it, and garbage would be among its results. */
bool programs_want_collection(const pjrt_queue *q);

/* Runs the open programs of n queues, which have the same text, as one program. The wanted results are those that
** have a block. buffers[d * nresult + k] becomes the buffer of result k of queue d if the result is wanted, else NULL. */
int  programs_run(pjrt_queue *const *q, int n, void **buffers);
void programs_free(pjrt_plugin *p);

#endif
