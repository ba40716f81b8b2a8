#ifndef LT_DISTRIBUTED_DISTRIBUTED_H
#define LT_DISTRIBUTED_DISTRIBUTED_H

/* Exchanges of elements between the processes of a job. An engine is a library for exchanges, such as MPI, which is
** loaded at run time. Functions that can fail return false and write the reason to `reason`, an array of ENGINE_REASON
** bytes. All ranks count from 0. Only the thread that started an engine may call it. */

#include "base/device.h"

enum { ENGINE_REASON = 512, ENGINE_ID = 128 };

typedef enum exchange_kind {
  EXCHANGE_SUM,         /* `to` of each process becomes the sum of all `from` */
  EXCHANGE_MAX,
  EXCHANGE_GATHER,      /* `to` becomes all `from`, in the order of the ranks */
  EXCHANGE_SCATTER,     /* `to` becomes part number `rank` of the sum of all `from` */
  EXCHANGE_BROADCAST,   /* `to` of each process becomes `to` of process `peer`; `from` is not used */
  EXCHANGE_SEND,        /* sends `from` to process `peer` */
  EXCHANGE_RECV,        /* receives `to` from process `peer` */
  EXCHANGE_BARRIER,     /* waits until all processes of the group take part */
  EXCHANGE_SPLIT        /* moves nothing: `split` follows if all processes take part */
} exchange_kind;

/* One exchange of contiguous elements. */
typedef struct exchange {
  exchange_kind kind;
  enum dtype    dtype, given;     /* of the elements, and of the script's tensor: half floats are added as float32 */
  place         where;            /* the device of both blocks of memory */
  const void   *from;             /* from == to: the exchange is in place; for kinds SUM and MAX only */
  void         *to;
  int64_t       count;            /* elements of `from`, or of `to` for kinds SCATTER, BROADCAST and RECV */
  int           peer;
  bool          later;            /* the caller computes while the exchange runs */
} exchange;

typedef struct group {
  const struct engine *engine;
  int      rank, size;
  intptr_t handle;                /* the engine's communicator */
  int     *members;               /* the ranks of the processes in the world; NULL: the group is the world */
  char     failure[ENGINE_REASON];  /* why an exchange was given up, so the processes may be out of step; "": none was */
  struct group *partner;          /* the group of the same processes on GPUs, or NULL */
  bool     paired;                /* the processes have tried to make the partner */
} group;

/* Groups live as long as the process. */
typedef struct engine {
  const char *name;
  bool on_stream;                 /* exchanges are queued on the current stream of a device, and may be captured in a graph */
  /* loads the library; *text becomes its version, such as "Open MPI v4.1.4" */
  bool (*find)(const char **text, char *reason);
  /* true if this process was started as one of several that the engine connects */
  bool (*launched)(void);
  /* makes the group of all processes; *local_rank and *local_size count the processes on this machine */
  bool (*start)(group *world, int *local_rank, int *local_size, char *reason);
  /* makes the group of all processes with the same colour, in the order of their keys; colour -1: the process belongs to
  ** no group, and made->size is 0 */
  bool (*split)(const group *g, int colour, int key, group *made, char *reason);
  bool (*reduces)(enum dtype d);                       /* true if the engine can sum elements of this dtype */
  bool (*reaches)(place where);                        /* true if the engine can access memory at this place */
  const char *(*home)(void);                           /* returns the name of a device that it reaches */
  /* Starts an exchange. *request stays valid until `test` sets *done or returns false. The memory must live that long. If
  ** the exchange is queued on a stream of the device, *done becomes true when it is queued. */
  bool (*begin)(group *g, const exchange *c, void **request, char *reason);
  bool (*test)(group *g, void *request, bool *done, char *reason);
  void (*abort)(int code);                             /* ends all processes of the job, or breaks their exchanges */

  /* Only of engines that make partners of other engines' groups. can_join returns whether each of the local_size processes of
  ** this machine has a device. The group's first process makes an id by `invite`, by which all of its processes join. */
  bool (*can_join)(int local_size);
  bool (*invite)(int local_rank, char *id, char *reason);
  bool (*join)(group *made, int local_rank, const char *id, char *reason);
} engine;

/* The engines, in the order in which they are tried; the list ends with NULL. */
extern const engine *const engines[];

/* Starts the engine `name`, or for NULL the first engine that launched this process. Returns the group of all processes,
** which later calls return again. If `name` is NULL and no engine launched the process, returns a group of one process
** without an engine. Returns NULL on failure. */
group *distributed_start(const char *name, char *reason);

/* Returns the group of distributed_start, or NULL. *local_rank and *local_size are set if there is a group. */
group *distributed_world(int *local_rank, int *local_size);

/* Returns the group that exchanges elements at this place: g or its partner. The first call for a device of another kind
** than the host makes the partner, so all processes must take part in it. Returns NULL on failure. */
group *distributed_for(group *g, place where, char *reason);

/* Waits until *done, which `test` sets. Returns false on failure, or if the operation is cancelled. */
bool distributed_wait(group *g, void *request, bool *done, char *reason);

/* Returns a new group without communicator, or NULL if memory is exhausted. */
group *distributed_group(const engine *e);

/* True if this thread of this process may call the engine: not a forked child, and not another thread. */
bool distributed_may_call(char *reason);

extern const engine mpi_engine, nccl_engine;

#endif
