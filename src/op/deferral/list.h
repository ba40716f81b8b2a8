#ifndef LT_OP_DEFERRAL_LIST_H
#define LT_OP_DEFERRAL_LIST_H

/* The list of deferred operations, and the stages of a run. record.c appends steps to the list. A run marks the steps that
** are needed (group.c), finds joined tensors that need not be made (pieces.c), joins steps to groups (group.c), and finds
** groups that are computed tile by tile (tile.c). It decides which results take the memory of storages that nobody uses any
** more (memory.c). Then it makes the device's calls (lower.c) and runs them (run.c, opaque.c). The calls are kept
** (schedule.c). If a later list has the same key, which record.c writes, its run skips these stages. */

#include "op/deferral.h"
#include "op/elementwise.h"

enum {
  STEPS   = 256,                       /* the most ops of a list; a longer list runs in parts */
  ENTRIES = 1024,                      /* a power of 2: the size of the hash table of storages */
  MOST_ENTRIES = STEPS * 3,            /* a step adds at most MAX_OPERANDS storages; 3 are usual */
  KEY     = 4096,                      /* words; a list with a longer key has no schedule that is found again */
  SCHEDULES = 64,                      /* the most schedules of a deferral */
  SCHEDULE_BYTES = 4 << 20,            /* and the most bytes of all of them. A schedule of 2 programs takes 15 KiB */
  VIEWS   = STEPS * MAX_ARITY,         /* the most operands of all steps, without their first results */
  PIECES  = 16,                        /* the most pieces of a tensor that is read piece by piece */
  REGIONS = 64,                        /* the most regions of a group of several steps that reads pieces */
  NONE    = -1
};

/* A storage that steps of the list read or write. */
typedef struct entry {
  storage *store;
  unsigned epoch;                      /* the storage's epoch before it was pending */
  bool     fresh;                      /* the storage was made for a result of the list, and has no memory of its own
                                       ** until deferral_run allocates it */
  bool     spent;                      /* the list has freed the storage's memory, or has given it to a result */
  int      heir;                       /* the entry of the result that has got the memory, or NONE */
  bool     counted;                    /* the storage's memory counts as memory of temporary results */

  /* Fields of a run. */
  bool lost;                           /* a step that writes the storage did not run */
  bool wanted;                         /* someone besides the list refers to the storage */
  bool mixed;                          /* needed steps write different views of the storage */
  bool read;                           /* a later needed step reads the storage, */
  bool overwritten;                    /* or overwrites all elements of a result */
  bool local;                          /* the elements exist only tile by tile */
  bool folded;                         /* a local result that takes no memory: the step that reads the elements takes them
                                       ** as they are computed */
  int  writer;                         /* the last needed step that writes the storage, or NONE */
  int  reader_group;                   /* the last group that reads the storage from memory, or NONE */
  int  first, last;                    /* the first and the last group that read or write the storage in memory */
  int  donor;                          /* the entry whose memory the result takes, or NONE: the result gets new memory */
  bool taken;                          /* the entry is the donor of a result */
  int  piece;                          /* the first of the steps that write the pieces of which the tensor is joined, if
                                       ** readers read the sources of these steps instead, or NONE */
  const shape *joined;                 /* the shape of a tensor that is joined from pieces */
  const struct operand_view *reader;   /* the view that reader_group reads; NULL: several views */
} entry;

/* An operand of a step: elements of a storage, or a number. The strides belong to the dims of the step's `shape`, for
** inputs to those of input_shape. */
typedef struct operand_view {
  int        entry;                    /* index into `entries`, or NONE for a number */
  enum dtype dtype;
  int64_t    offset;                   /* elements */
  int64_t    stride[MAX_DIMS];
  scalar     number;
} operand_view;

enum step_kind { STEP_MAP, STEP_REDUCE, STEP_LINE, STEP_OPAQUE };

/* An op that runs as it would run at once (op/deferral.h), and its options. */
typedef struct opaque_step {
  const opaque_op *op;
  char     line[OPAQUE_LINE];          /* the script's line, if the op checks elements */
  bool     ran;                        /* run_all has made the call together with that of an earlier step */
  uint64_t options[OPAQUE_OPTIONS / sizeof(uint64_t)];
} opaque_step;

typedef struct step {
  enum step_kind kind;
  const char *name;                    /* the op that the script called, for errors */
  union {
    enum map_op      map;              /* STEP_MAP: an element-wise op */
    reduction        reduce;           /* STEP_REDUCE; the field `in` is not used */
    scan_softmax_job line;             /* STEP_LINE: a scan or a softmax; the field `in` is not used */
    opaque_step      opaque;           /* STEP_OPAQUE */
  } op;
  enum dtype   compute;
  int          nin, nmore;             /* the number of inputs, and of results behind the first */
  place        where;
  shape        shape, in_shape;        /* shapes of the first result, and of the input of STEP_REDUCE and STEP_LINE */
  int64_t      count;                  /* elements of the first result */
  operand_view out, *in;               /* the first result, the inputs, and behind them the other results */
  const shape *shapes;                 /* STEP_OPAQUE: the shapes of the operands `in`. An operand that the op does not
                                       ** have is a number */

  /* Fields of a run. */
  bool done;                           /* an earlier run that ran out of memory has computed the step */
  bool needed;
  bool is_piece;                       /* readers of the result read the step's source instead (pieces.c) */
  bool stored;                         /* the result is written to memory */
  int  readers;                        /* needed steps that read the result and have no group yet */
  int  group, next;                    /* the step's group, and the next step of the group, or of the pieces, or NONE */
  int64_t start[MAX_DIMS];             /* a piece: the position of its first element in the joined tensor */
  int  value;                          /* number of the result in the group's program */
  int  source[MAX_OPERANDS];           /* for each input: the step of the same group that computes it, or NONE: the input
                                       ** is read from memory */
} step;

/* Element-wise steps that run as one program, or one step of another kind. */
typedef struct group {
  int  first, last;                    /* a chain of steps by `next` */
  int  nstep, nconstant;               /* upper bounds of the program's steps and constants */
  int  nin;
  const operand_view *in[ELEMENTWISE_INPUTS];
  int     tile_end;                    /* the last of the groups that are computed tile by tile together with this group,
                                       ** the first of them; the group itself if it is computed as a whole */
  int64_t rows;                        /* the number of rows of these groups: a tile is a range of rows */
  bool    reads_number;                /* one of the pieces that the group reads is a number */
  int     folded;                      /* the step whose result the next group, a reduction or a softmax, takes as it is
                                       ** computed, or NONE. With 1 row, all groups up to tile_end take it */
} group;

/* True for an op that checks elements. */
static inline bool is_check(const step *s) { return s->kind == STEP_OPAQUE && s->op.opaque.op->checks; }

/* True if the group runs as a program. A program converts a number that it reads as if it was an element. */
static inline bool is_program(const group *g) { return g->first != g->last || g->folded != NONE || g->reads_number; }

/* Returns the shape of operand in[k]. */
static inline const shape *input_shape(const step *s, int k) {
  return s->kind == STEP_OPAQUE ? &s->shapes[k] : s->kind == STEP_MAP ? &s->shape : &s->in_shape;
}

/* Returns result number k, and NULL behind the last: for (int r = 0; (out = result_of(s, r)); r++). */
static inline const operand_view *result_of(const step *s, int k) {
  return k == 0 ? &s->out : k <= s->nmore ? &s->in[s->nin + k - 1] : NULL;
}

/* A call of any family that groups use. Calls of element-wise families refer to the plan. */
typedef struct device_call {
  union {
    map_call map;
    elementwise_call elementwise;
    reduce_call  reduce;
    scan_call    scan;
    softmax_call softmax;
  } as;
  plan plan;
} device_call;

/* Runs opaque step i, and the steps behind it that can run with it (opaque.c). */
int  run_opaque(deferral *d, int i);

/* ---- schedules ---- */

/* The address in a call of an element of an entry. */
typedef struct address_slot {
  void  **at;
  int     entry;
  int64_t offset;                      /* bytes */
} address_slot;

/* A number in a call, or a constant of a program: the number of an input of a step. */
typedef struct number_slot {
  scalar *at;
  int     step, input;
  size_t  first;                       /* the first slot with the same `at`: both numbers must be equal */
} number_slot;

enum launch_kind { LAUNCH_PROVIDE, LAUNCH_DISCARD, LAUNCH_CALL, LAUNCH_TILED, LAUNCH_OPAQUE };

/* A part of a run. The addresses and numbers of a call are set just before the call. */
typedef struct launch {
  enum launch_kind kind;
  int    blamed;                       /* the step that an error of the launch names; LAUNCH_OPAQUE: the step */
  int    entry;                        /* LAUNCH_PROVIDE: the entry that gets memory; LAUNCH_DISCARD: the entry whose memory
                                       ** is freed */
  int    donor;                        /* LAUNCH_PROVIDE: the entry whose memory it gets, or NONE */
  enum tiled_family family;            /* LAUNCH_CALL */
  void  *call;                         /* LAUNCH_CALL: a device_call; LAUNCH_TILED: a tiled_call */
  size_t addresses, numbers;           /* the ends of its slots; they begin at the ends of the launch before */
} launch;

/* All launches of a list. Numbers and addresses are set at each run; everything else follows from the list's key. */
typedef struct schedule {
  uint64_t  hash;
  uint64_t *key;                       /* NULL: the schedule cannot be kept */
  int       nkey;
  struct schedule_block *blocks;       /* the memory of calls and programs */
  size_t    bytes;
  launch       *launches;
  address_slot *addresses;
  number_slot  *numbers;
  size_t nlaunch, launch_room, naddress, address_room, nnumber, number_room;
  bool   failed;                       /* memory was exhausted while the schedule was made */
  int    nstep;
  int    done[STEPS];                  /* for each step: the number of launches after which it is done, or NONE */
  deferral_counts counts;              /* programs, singles and stored */
  uint64_t used;                       /* the number of the last search that found the schedule */
} schedule;

struct deferral {
  bool   (*is_mine)(void *context, const void *owner);
  const void *owner;
  bool    running;
  deferred_op culprit;                 /* the op that was appended or run last */
  deferral_counts counts;
  void  (*locate)(void *context, char *line, size_t size);
  bool    logs;                        /* operations are logged */
  logged_op *logged;
  size_t  nlogged, log_room;
  size_t  temporary;                   /* bytes of the memory that temporary results of the list have at the moment */
  int     nstep, nentry, ngroup, nview, nshape;
  int     checked;                     /* the number of the group behind the last check of elements */
  char    words[OPAQUE_WORDS];         /* the message of the op whose check failed */
  int16_t slot[ENTRIES];               /* hash table from addresses of storages to 1 + the index of the entry */
  entry   entries[MOST_ENTRIES];
  step    steps[STEPS];
  operand_view views[VIEWS];           /* the operands `in` of all steps */
  shape   shapes[VIEWS];               /* their shapes, of opaque steps */
  group   groups[STEPS];
  elementwise program;                 /* the program of the group that is lowered */
  opaque_args calls[STEPS];            /* the calls of opaque steps that run together, */
  tensor  operands[VIEWS + STEPS];     /* and their operands */
  int64_t scratch[MOST_ENTRIES];       /* addresses of local entries in the scratch memory */

  uint64_t hash;                       /* of the key */
  int      nkey;                       /* words that record.c has written; more than KEY: the key is incomplete */
  uint64_t key[KEY + 2 * (MOST_ENTRIES / 64 + 1)];
  bool     resumed;                    /* some steps are done, so the list is not what the key describes */
  schedule *schedules[SCHEDULES];
  int      nschedule;
  size_t   schedule_bytes;
  uint64_t searches;
};

/* An operand of a group's call. */
typedef struct access {
  const operand_view *view;
  const shape *shape;
  bool writes;
} access;

/* Stores the operands of group g's call, in the order of the call, in `list`, and returns their number. */
int group_operands(const deferral *d, const group *g, access list[MAX_OPERANDS]);

/* True if two operands, of steps of shape s, are the same elements in the same order. */
bool same_view(const operand_view *a, const operand_view *b, const shape *s);

/* Remembers a step for the error of the operation that follows. */
static inline void blame(deferral *d, const step *s) {
  const char *line = s->kind == STEP_OPAQUE ? s->op.opaque.line : "";
  d->culprit = (deferred_op){.name = s->name, .line = line, .where = s->where, .dtype = s->compute};
}

/* ---- the stages of a run ---- */

void find_needed(deferral *d);         /* sets `needed` of all steps, and `wanted` and `mixed` of all entries */
void find_pieces(deferral *d);         /* sets `piece` of all entries; steps that copy pieces are not needed then */
void make_groups(deferral *d);         /* joins needed steps to groups, in the order in which the groups run */
int  find_input(const group *g, const operand_view *in, const shape *s);   /* the number of the group's input, or NONE */
void make_tiles(deferral *d);          /* sets tile_end, rows and folded of all groups, and `local` and `folded` of all
                                       ** entries */
void find_donors(deferral *d);         /* sets `donor` and `taken` of all entries */

/* Adds the bytes of one row of all operands of groups first … last. Several accesses of a storage count once. */
int64_t tile_row_bytes(const deferral *d, int first, int last, int64_t rows);

/* Returns the number of leading dims of s that have `rows` elements together, and that the view can traverse as one
** dim, or NONE if there are none. Sets *stride to the elements from row to row. */
int rows_of(const operand_view *v, const shape *s, int64_t rows, int64_t *stride);

/* ---- pieces (pieces.c) ---- */

/* A part of a group's shape in which no input has a border between pieces. */
typedef struct region {
  shape   shape;
  int64_t start[MAX_DIMS];
} region;

/* Stores the views of memory that a reader of v reads in `list`: v itself, or the sources of its pieces. Returns their
** number. Numbers are not in the list. */
int view_sources(const deferral *d, const operand_view *v, const operand_view *list[PIECES]);

/* True if one of the pieces of a view of memory is a number. */
bool reads_number(const deferral *d, const operand_view *v);

bool    has_pieces(const deferral *d, const group *g);
bool    is_whole(const deferral *d, const operand_view *v, const shape *s);   /* the view is its whole storage, row-major */
int64_t count_regions(const deferral *d, const group *g, const step *added);   /* of the group with a further step */
void first_region(const deferral *d, const group *g, region *r);
bool next_region(const deferral *d, const group *g, region *r);      /* returns false after the last region */

/* Sets *to to the view of memory that operand v of a group of shape s is in the region. If the operand is a number there,
** returns the step whose first input is the number, else NONE. */
int region_view(const deferral *d, const region *r, const operand_view *v, const shape *s, operand_view *to);

/* ---- memory (memory.c) ---- */

/* Gives memory to an entry: the memory of entry number `donor`, if it is not NONE, or else new memory. */
int  provide_memory(deferral *d, int entry, int donor);

/* Undoes provide_memory. */
void return_memory(deferral *d, int entry, int donor);

/* Frees the memory of an entry to which only the list refers. */
void discard_memory(deferral *d, int entry);

/* True if the list may free the entry's memory when group `last` has run. */
bool ends_with(const entry *e, int last);

/* ---- the log (log.c) ---- */

void log_step(deferral *d, const step *s);
void log_tensor(deferral *d, void *context, const char *name, enum dtype dtype, const shape *s);

/* ---- making schedules ---- */

/* How a group runs: as a call of a family, with a program in the case of several steps. */
typedef struct lowering {
  const group *group;
  enum tiled_family family;
  const elementwise_program *program;
  int nresult, results[ELEMENTWISE_RESULTS];   /* the steps whose results the program stores */
} lowering;

/* A tile of n of the `rows` rows. Calls for whole groups have no cut. */
typedef struct cut {
  int64_t rows, n;
} cut;

/* Decides how group g runs, and builds its program, if it has several steps, in the schedule's memory. Fails with
** ERR_OVERFLOW or ERR_MEMORY. */
int  lower_group(deferral *d, schedule *to, const group *g, lowering *l);

/* Makes the call for the whole group, or for the first rows of a cut, or for a region. Returns NULL if memory is
** exhausted. */
device_call *lower_call(const deferral *d, schedule *to, const lowering *l, const cut *c, const region *r);

/* Describes the operands of the group's call for a part of a tiled call. scratch[k] is the address of local entry k in the
** scratch memory. */
void lower_operands(const deferral *d, const lowering *l, int64_t rows, const int64_t *scratch, tiled_part *part);

/* Returns an empty schedule of the list, or NULL if memory is exhausted. */
schedule *schedule_new(deferral *d);
void  schedule_free(schedule *s);
void *schedule_alloc(schedule *s, size_t bytes);            /* memory of the schedule, not initialised, or NULL */

/* Adds the slot of an address or of a number to the launch that is added next. The number is input `input` of a step. */
void add_address(schedule *s, void **at, int entry, int64_t offset);
void add_number(schedule *s, scalar *at, int step, int input);

/* Appends a launch to the schedule. Returns OK or ERR_MEMORY. */
int  add_launch(schedule *s, launch l);

/* Removes the launches from number n on, and slots that belong to no launch. */
void truncate_launches(schedule *s, size_t n);

/* ---- finding schedules ---- */

/* Continues the hash h by a word. */
static inline uint64_t mix_hash(uint64_t h, uint64_t word) {
  h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

/* Returns the kept schedule of a list with this key and these equal numbers, or NULL. */
schedule *schedule_find(deferral *d);

/* Keeps the schedule, of which schedule_new has copied the key, or frees it if it is too large. If there are too many
** schedules, frees those that were not found for the longest time. */
void schedule_keep(deferral *d, schedule *s);

/* Frees a schedule that was kept. */
void schedule_drop(deferral *d, const schedule *s);

/* Runs launch number k for the present list. */
int  schedule_launch(deferral *d, const schedule *s, size_t k);

/* Undoes the launches that provided memory for launch number k, which has failed. */
void schedule_undo(deferral *d, const schedule *s, size_t k);

#endif
