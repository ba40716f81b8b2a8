/* The engine MPI: Open MPI, or MPICH and the libraries with MPICH's binary interface (Intel MPI, MVAPICH, Cray MPICH).
**
** Handles such as MPI_COMM_WORLD are addresses in Open MPI and 32-bit integers in MPICH. This file stores both as
** intptr_t: an integer argument is passed in the lower half of a register, and the machine is little-endian.
**
** A blocking call of MPI cannot be interrupted, and it may crash if the processes pass different counts. An exchange of a
** group therefore begins with a small MPI_Iallreduce, by which the processes compare their calls. This file waits for it
** by MPI_Test until all processes take part. The blocking call that follows only moves bytes. It is also faster than the
** non-blocking calls. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "distributed/distributed.h"

/* ---- the library ---- */

typedef intptr_t handle;

/* The functions, as X(name without "MPI_", parameters). */
#define MPI_FUNCTIONS(X)                                                                     \
  X(Get_library_version, (char *, int *))                                                    \
  X(Initialized, (int *))                                                                    \
  X(Finalized, (int *))                                                                      \
  X(Init_thread, (int *, char ***, int, int *))                                              \
  X(Finalize, (void))                                                                        \
  X(Abort, (handle, int))                                                                    \
  X(Error_string, (int, char *, int *))                                                      \
  X(Comm_dup, (handle, handle *))                                                            \
  X(Comm_split, (handle, int, int, handle *))                                                \
  X(Comm_split_type, (handle, int, int, handle, handle *))                                   \
  X(Comm_set_errhandler, (handle, handle))                                                   \
  X(Comm_rank, (handle, int *))                                                              \
  X(Comm_size, (handle, int *))                                                              \
  X(Allreduce, (const void *, void *, int, handle, handle, handle))                          \
  X(Iallreduce, (const void *, void *, int, handle, handle, handle, handle *))               \
  X(Reduce, (const void *, void *, int, handle, handle, int, handle))                        \
  X(Reduce_scatter_block, (const void *, void *, int, handle, handle, handle))               \
  X(Allgather, (const void *, int, handle, void *, int, handle, handle))                     \
  X(Bcast, (void *, int, handle, int, handle))                                               \
  X(Ibarrier, (handle, handle *))                                                            \
  X(Isend, (const void *, int, handle, int, int, handle, handle *))                          \
  X(Irecv, (void *, int, handle, int, int, handle, handle *))                                \
  X(Recv, (void *, int, handle, int, int, handle, void *))                                   \
  X(Iprobe, (int, int, handle, int *, void *))                                               \
  X(Test, (handle *, int *, void *))

/* The handles, as X(name, Open MPI's symbol, MPICH's integer). */
#define MPI_HANDLES(X)                                     \
  X(WORLD,         ompi_mpi_comm_world,    0x44000000)     \
  X(NO_INFO,       ompi_mpi_info_null,     0x1c000000)     \
  X(ERRORS_RETURN, ompi_mpi_errors_return, 0x54000001)     \
  X(OP_SUM,        ompi_mpi_op_sum,        0x58000003)     \
  X(OP_MAX,        ompi_mpi_op_max,        0x58000001)     \
  X(BYTE,          ompi_mpi_byte,          0x4c00010d)     \
  X(UINT8,         ompi_mpi_uint8_t,       0x4c00013b)     \
  X(UINT16,        ompi_mpi_uint16_t,      0x4c00023c)     \
  X(UINT32,        ompi_mpi_uint32_t,      0x4c00043d)     \
  X(UINT64,        ompi_mpi_uint64_t,      0x4c00083e)     \
  X(INT8,          ompi_mpi_int8_t,        0x4c000137)     \
  X(INT16,         ompi_mpi_int16_t,       0x4c000238)     \
  X(INT32,         ompi_mpi_int32_t,       0x4c000439)     \
  X(INT64,         ompi_mpi_int64_t,       0x4c00083a)     \
  X(FLOAT,         ompi_mpi_float,         0x4c00040a)     \
  X(DOUBLE,        ompi_mpi_double,        0x4c00080b)

enum {
#define HANDLE_ID(name, symbol, integer) name,
  MPI_HANDLES(HANDLE_ID)
#undef HANDLE_ID
  HANDLE_COUNT
};

static const struct { const char *symbol; int integer; } handle_row[] = {
#define HANDLE_ROW(name, symbol, integer) {#symbol, integer},
  MPI_HANDLES(HANDLE_ROW)
#undef HANDLE_ROW
};

/* The MPI type of each dtype in which elements are summed; 0 (WORLD): there is none. */
static const uint8_t type_of[DTYPE_COUNT] = {
  [DT_bool] = UINT8, [DT_uint8] = UINT8, [DT_uint16] = UINT16, [DT_uint32] = UINT32, [DT_uint64] = UINT64,
  [DT_int8] = INT8, [DT_int16] = INT16, [DT_int32] = INT32, [DT_int64] = INT64, [DT_float32] = FLOAT, [DT_float64] = DOUBLE
};

enum { FUNNELED = 1, UNDEFINED = -32766 };       /* MPI_THREAD_FUNNELED and MPI_UNDEFINED, the same in both libraries */
enum { TAG = 1, STATUS_BYTES = 256 };            /* more than the bytes of an MPI_Status */

static struct {
#define FUNCTION_FIELD(name, parameters) int (*name) parameters;
  MPI_FUNCTIONS(FUNCTION_FIELD)
#undef FUNCTION_FIELD
  int  (*query[2])(void);                        /* MPIX_Query_cuda_support, MPIX_Query_rocm_support; NULL: missing */
  handle h[HANDLE_COUNT];
  void  *in_place;
  int    any_source, shared;                     /* MPI_ANY_SOURCE, MPI_COMM_TYPE_SHARED */
  char   version[128];
  size_t piece;                                  /* most bytes of one call */

  /* After the start. */
  bool   own;                                    /* this engine initialised the library, so it finalizes the library */
  pid_t  process;
  handle control;                                /* a communicator of all processes, for messages about their ends */
  int    rank, size;
  bool  *ended;                                  /* for each process: its end was announced */
} mpi;

/* True if the variable's value, which a launcher sets, is a number. *n: the number. */
static bool variable(const char *name, int *n) {
  const char *value = getenv(name);
  if (!value || !*value) return false;
  *n = atoi(value);
  return true;
}

/* The launchers' variables with the number of processes, or with the rank if the number is not known. */
static bool launched_by_open_mpi(void) { int n; return variable("OMPI_COMM_WORLD_SIZE", &n); }
static bool launched_by_mpich(void) { int n; return variable("PMI_SIZE", &n) || variable("PMI_RANK", &n); }
static bool launched(void) { int n; return launched_by_open_mpi() || launched_by_mpich() || variable("PMIX_RANK", &n); }

/* The names of the libraries. Open MPI's name is the same in all of its versions from 3 to 5. */
static const char *const open_mpi[] = {"libmpi.so.40", NULL};
static const char *const mpich[] = {"libmpich.so.12", "libmpi.so.12", NULL};

/* Opens a library globally, because the plugins of Open MPI need its symbols. */
static void *open_library(const char *path, char *reason) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const char *words = library ? NULL : dlerror();
  if (!library && (!reason[0] || !strstr(words, "No such file"))) snprintf(reason, ENGINE_REASON, "%s", words);
  return library;
}

static void *open_first(const char *folder, const char *const *name, char *reason) {
  void *library = NULL;
  for (; *name && !library; name++) {
    char path[SYSTEM_PATH];
    if (snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", *name) >= (int)sizeof path) return NULL;
    library = open_library(path, reason);
  }
  return library;
}

/* Returns a library that the host program has loaded. */
static void *find_loaded(void) {
  const char *const *lists[] = {open_mpi, mpich};
  void *library = dlopen(NULL, RTLD_NOW);
  if (library && dlsym(library, "MPI_Init_thread")) return library;
  library = NULL;
  for (int k = 0; k < 2 && !library; k++)
    for (const char *const *name = lists[k]; *name && !library; name++)
      library = dlopen(*name, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  return library;
}

/* Opens the library of the launcher that started this process. LUATENSOR_MPI_PATH names a file, or a folder that is
** searched instead of the loader's path. */
static void *find_library(char *reason) {
  const char *path = getenv("LUATENSOR_MPI_PATH");
  bool mpich_first = launched_by_mpich() && !launched_by_open_mpi();
  if (path && *path && strstr(path, ".so")) return open_library(path, reason);
  void *library = path && *path ? NULL : find_loaded();
  if (!library) library = open_first(path ? path : "", mpich_first ? mpich : open_mpi, reason);
  if (!library) library = open_first(path ? path : "", mpich_first ? open_mpi : mpich, reason);
  return library;
}

static bool find_functions(void *library, char *reason) {
#define FUNCTION_NAME(name, parameters) "MPI_" #name,
  static const char *const names[] = {MPI_FUNCTIONS(FUNCTION_NAME)};
#undef FUNCTION_NAME
  char *field = (char *)&mpi;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    void *function = dlsym(library, names[k]);
    if (!function) {
      snprintf(reason, ENGINE_REASON, "MPI is too old or incomplete: it has no function %s", names[k]);
      return false;
    }
    memcpy(field + k * sizeof function, &function, sizeof function);
  }
  void *query[] = {dlsym(library, "MPIX_Query_cuda_support"), dlsym(library, "MPIX_Query_rocm_support")};
  memcpy(mpi.query, query, sizeof query);
  return true;
}

static bool find_handles(void *library, char *reason) {
  bool addresses = dlsym(library, handle_row[WORLD].symbol) != NULL;
  char text[8192] = "";
  int length = 0;
  mpi.Get_library_version(text, &length);
  snprintf(mpi.version, sizeof mpi.version, "%.*s", (int)strcspn(text, ",\n"), text);
  if (!addresses && !strstr(text, "MPICH") && !strstr(text, "Intel") && !strstr(text, "MVAPICH")) {
    snprintf(reason, ENGINE_REASON, "%.100s is neither Open MPI nor compatible with MPICH", mpi.version);
    return false;
  }
  for (int k = 0; k < HANDLE_COUNT; k++) {
    mpi.h[k] = addresses ? (handle)dlsym(library, handle_row[k].symbol) : handle_row[k].integer;
    if (mpi.h[k]) continue;
    snprintf(reason, ENGINE_REASON, "%.100s has no symbol %s", mpi.version, handle_row[k].symbol);
    return false;
  }
  mpi.in_place = (void *)(intptr_t)(addresses ? 1 : -1);
  mpi.any_source = addresses ? -1 : -2;
  mpi.shared = addresses ? 0 : 1;
  return true;
}

static bool find(const char **text, char *reason) {
  if (!mpi.version[0]) {
    char words[ENGINE_REASON] = "";
    void *library = find_library(words);
    if (!library) snprintf(reason, ENGINE_REASON, "MPI not found: %.400s", words);
    if (!library || !find_functions(library, reason) || !find_handles(library, reason)) {
      mpi.version[0] = 0;
      return false;
    }
    int bytes;
    mpi.piece = variable("LUATENSOR_MPI_PIECE", &bytes) && bytes >= 16 ? (size_t)bytes : (size_t)1 << 28;
  }
  *text = mpi.version;
  return true;
}

/* Writes the message of an error code, and returns true if there is no error. */
static bool check(int code, const char *function, char *reason) {
  if (code == 0) return true;
  char text[1024] = "";
  int length = 0;
  mpi.Error_string(code, text, &length);
  snprintf(reason, ENGINE_REASON, "MPI_%s: %.300s", function, text);
  return false;
}

/* ---- start and end ---- */

enum { LEAVE_SECONDS = 1 };            /* a process that ends waits so long for the others before it announces its end */
enum { GRACE_SECONDS = 2 };            /* an exchange may still complete so long after one of its processes has ended */

/* Waits until all processes have come to their end. A process that waits longer than the others announces its end to
** them, because they may wait for it in an exchange. */
static void end(void) {
  int over = 0, done = 0;
  if (getpid() != mpi.process || mpi.Finalized(&over) != 0 || over) return;
  char status[STATUS_BYTES];
  handle request = 0, sent = 0;
  double begin = system_clock();
  bool announced = mpi.size == 1;
  if (mpi.Ibarrier(mpi.control, &request) != 0) return;
  while (mpi.Test(&request, &done, status) == 0 && !done) {
    system_sleep(0.001);
    if (announced || system_clock() < begin + LEAVE_SECONDS) continue;
    announced = true;
    for (int k = 0; k < mpi.size; k++)
      if (k != mpi.rank) mpi.Isend(&mpi.rank, 1, mpi.h[INT32], k, TAG, mpi.control, &sent);
  }
  mpi.Finalize();
}

/* Receives the announcements of processes that have ended. */
static void receive_ends(void) {
  char status[STATUS_BYTES];
  int there = 0, rank = 0;
  while (mpi.Iprobe(mpi.any_source, TAG, mpi.control, &there, status) == 0 && there)
    if (mpi.Recv(&rank, 1, mpi.h[INT32], mpi.any_source, TAG, mpi.control, status) == 0) mpi.ended[rank] = true;
}

/* Returns the rank in the world of a process of the group that has ended, or -1. */
static int ended_member(const group *g) {
  receive_ends();
  for (int k = 0; k < g->size; k++) {
    int rank = g->members ? g->members[k] : k;
    if (mpi.ended[rank]) return rank;
  }
  return -1;
}

static bool initialise(char *reason) {
  int is = 0, over = 0, level = 0;
  if (!check(mpi.Initialized(&is), "Initialized", reason) || !check(mpi.Finalized(&over), "Finalized", reason)) return false;
  if (over) {
    snprintf(reason, ENGINE_REASON, "MPI was finalized in this process, so it cannot start again");
    return false;
  }
  mpi.own = !is;
  return is || check(mpi.Init_thread(NULL, NULL, FUNNELED, &level), "Init_thread", reason);
}

/* Compares the number of processes with the launcher's, which differs if the library is not the launcher's. */
static bool is_launchers(char *reason) {
  int n = mpi.size;
  if (!variable("OMPI_COMM_WORLD_SIZE", &n)) variable("PMI_SIZE", &n);
  if (n == mpi.size) return true;
  snprintf(reason, ENGINE_REASON, "%d processes were started, but %.100s connects %d: LUATENSOR_MPI_PATH names the "
           "library of another launcher", n, mpi.version, mpi.size);
  return false;
}

/* Sets the handle of g to a new communicator of its own. */
static bool adopt(group *g, handle made, char *reason) {
  g->handle = made;
  return check(mpi.Comm_set_errhandler(made, mpi.h[ERRORS_RETURN]), "Comm_set_errhandler", reason) &&
         check(mpi.Comm_rank(made, &g->rank), "Comm_rank", reason) &&
         check(mpi.Comm_size(made, &g->size), "Comm_size", reason);
}

static bool start(group *world, int *local_rank, int *local_size, char *reason) {
  const char *text;
  handle made = 0, local = 0;
  if (!find(&text, reason) || !initialise(reason)) return false;
  if (!check(mpi.Comm_dup(mpi.h[WORLD], &made), "Comm_dup", reason) || !adopt(world, made, reason) ||
      !check(mpi.Comm_dup(made, &mpi.control), "Comm_dup", reason) ||
      !check(mpi.Comm_split_type(made, mpi.shared, world->rank, mpi.h[NO_INFO], &local), "Comm_split_type", reason) ||
      !check(mpi.Comm_rank(local, local_rank), "Comm_rank", reason) ||
      !check(mpi.Comm_size(local, local_size), "Comm_size", reason)) return false;
  mpi.rank = world->rank;
  mpi.size = world->size;
  mpi.process = getpid();
  mpi.ended = calloc((size_t)world->size, sizeof *mpi.ended);
  if (!mpi.ended) snprintf(reason, ENGINE_REASON, "out of memory");
  if (mpi.own) atexit(end);
  return mpi.ended && is_launchers(reason);
}

static bool split(const group *g, int colour, int key, group *made, char *reason) {
  handle h = 0;
  if (!check(mpi.Comm_split(g->handle, colour < 0 ? UNDEFINED : colour, key, &h), "Comm_split", reason)) return false;
  made->size = 0;
  if (colour < 0) return true;
  if (!adopt(made, h, reason)) return false;
  made->members = malloc((size_t)made->size * sizeof(int));
  if (made->members)
    return check(mpi.Allgather(&mpi.rank, 1, mpi.h[INT32], made->members, 1, mpi.h[INT32], h), "Allgather", reason);
  snprintf(reason, ENGINE_REASON, "out of memory");
  return false;
}

static void stop_all(int code) {
  if (mpi.process == getpid()) mpi.Abort(mpi.h[WORLD], code);
}

/* ---- exchanges ---- */

static bool reduces(enum dtype d) { return type_of[d] != 0; }

/* Only an MPI that says so accesses the memory of GPUs, whose kinds DLPack numbers 2 (CUDA) and 10 (ROCm). */
static bool reaches(place where) {
  int dlpack = where.device->dlpack, k = dlpack == 2 ? 0 : dlpack == 10 ? 1 : -1;
  return place_is_host(where) || (k >= 0 && mpi.query[k] && mpi.query[k]() == 1);
}

static const char *home(void) { return host_place().device->name; }

typedef struct request {
  exchange c;
  int64_t  at, total;                  /* elements that calls of MPI have moved so far, and all elements */
  int      started, ended;             /* numbers of the non-blocking calls that were started, and of those that have ended */
  /* The fingerprint of the call and its negative, and the largest of all processes. For a pair of processes: the dtype and
  ** the number of the elements, and those of the sender. */
  int64_t  own[2], agreed[2];
  unsigned tests;
  double   end_seen;                   /* the time when the end of a process of the group was seen; 0: none */
  handle   pending[];                  /* the non-blocking calls */
} request;

/* Returns the address of element i. */
static void *element(const request *r, const void *base, int64_t i) {
  return (char *)(uintptr_t)base + (base ? i * dtype_size(r->c.dtype) : 0);
}

/* Moves n elements of a gathering or a scattering that is too large for one call of MPI. Part `at / count` of the long
** operand belongs to the process of this rank, and the elements are in this part only. */
static int move_part(const group *g, request *r, int n, handle type, handle op) {
  int root = (int)(r->at / r->c.count);
  int64_t inside = r->at % r->c.count;
  bool mine = root == g->rank;
  if (r->c.kind == EXCHANGE_SCATTER)
    return mpi.Reduce(element(r, r->c.from, r->at), mine ? element(r, r->c.to, inside) : NULL, n, type, op, root, g->handle);
  void *to = element(r, r->c.to, r->at);
  if (mine) memcpy(to, element(r, r->c.from, inside), (size_t)n * (size_t)dtype_size(r->c.dtype));
  return mpi.Bcast(to, n * dtype_size(r->c.dtype), mpi.h[BYTE], root, g->handle);
}

/* Calls MPI for the next n elements. A gathering or a scattering is one call if MPI can count all its bytes by an int. */
static int move(const group *g, request *r, int n) {
  const exchange *c = &r->c;
  int bytes = n * dtype_size(c->dtype);
  bool whole = n == c->count && r->total <= INT32_MAX / dtype_size(c->dtype);
  void *to = element(r, c->to, r->at), *from = c->from == c->to ? mpi.in_place : element(r, c->from, r->at);
  handle byte = mpi.h[BYTE], type = mpi.h[type_of[c->dtype]];
  handle op = mpi.h[c->kind == EXCHANGE_MAX || c->dtype == DT_bool ? OP_MAX : OP_SUM];
  switch (c->kind) {
    case EXCHANGE_SUM:
    case EXCHANGE_MAX:
      if (c->later) return mpi.Iallreduce(from, to, n, type, op, g->handle, &r->pending[r->started++]);
      return mpi.Allreduce(from, to, n, type, op, g->handle);
    case EXCHANGE_GATHER:
      if (!whole) return move_part(g, r, n, type, op);
      r->at += c->count * (g->size - 1);
      return mpi.Allgather(c->from, bytes, byte, c->to, bytes, byte, g->handle);
    case EXCHANGE_SCATTER:
      if (!whole) return move_part(g, r, n, type, op);
      r->at += c->count * (g->size - 1);
      return mpi.Reduce_scatter_block(c->from, c->to, n, type, op, g->handle);
    case EXCHANGE_BROADCAST:
      return mpi.Bcast(to, bytes, byte, c->peer, g->handle);
    case EXCHANGE_SEND:
      return mpi.Isend(from, bytes, byte, c->peer, TAG, g->handle, &r->pending[r->started++]);
    case EXCHANGE_RECV:
      return mpi.Irecv(to, bytes, byte, c->peer, TAG, g->handle, &r->pending[r->started++]);
    case EXCHANGE_BARRIER:
    case EXCHANGE_SPLIT:
      break;
  }
  return 0;
}

/* Returns the largest number of elements of a piece. */
static int64_t most(const exchange *c) { return (int64_t)mpi.piece / dtype_size(c->dtype); }

/* Moves the next piece. A piece of a gathering or a scattering is inside the part of one process, or all parts. */
static bool move_next(const group *g, request *r, char *reason) {
  int64_t left = r->total - r->at;
  if (r->total != r->c.count) left = r->c.count - r->at % r->c.count;
  int64_t n = left < most(&r->c) ? left : most(&r->c);
  int code = move(g, r, (int)n);
  r->at += n;
  return check(code, "call", reason);
}

/* Returns a number from 0 on that is the same for calls that fit together. */
static int64_t fingerprint(const exchange *c) {
  uint64_t h = 0, part[] = {(uint64_t)c->kind, (uint64_t)c->dtype, (uint64_t)c->given, (uint64_t)c->count, (uint64_t)c->peer};
  for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
    h = (h ^ part[k]) * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
  }
  return (int64_t)(h >> 1);
}

static bool compare_calls(const group *g, request *r, char *reason) {
  r->own[0] = fingerprint(&r->c);
  r->own[1] = -r->own[0];
  handle *pending = &r->pending[r->started++];
  return check(mpi.Iallreduce(r->own, r->agreed, 2, mpi.h[INT64], mpi.h[OP_MAX], g->handle, pending), "Iallreduce", reason);
}

/* Sends or receives the first message of a pair of processes, which describes the elements of the second. MPI itself does not
** compare the dtypes, returns unset elements if the receiver expects more, and may end the process if it expects fewer. */
static bool begin_pair(const group *g, request *r, char *reason) {
  int bytes = sizeof r->own;
  r->own[0] = r->c.given;
  r->own[1] = r->c.count;
  if (r->c.kind == EXCHANGE_SEND)
    return check(mpi.Isend(r->own, bytes, mpi.h[BYTE], r->c.peer, TAG, g->handle, &r->pending[r->started++]), "Isend", reason);
  return check(mpi.Irecv(r->agreed, bytes, mpi.h[BYTE], r->c.peer, TAG, g->handle, &r->pending[r->started++]), "Irecv", reason);
}

/* Returns false if the calls of the processes do not fit together. */
static bool calls_fit(const request *r, char *reason) {
  const int64_t *own = r->own, *agreed = r->agreed;
  if (r->c.kind == EXCHANGE_SEND) return true;
  if (r->c.kind == EXCHANGE_RECV) {
    if (agreed[0] == own[0] && agreed[1] == own[1]) return true;
    snprintf(reason, ENGINE_REASON, "rank %d sends %lld elements of %s, but this process expects %lld of %s", r->c.peer,
             (long long)agreed[1], dtypes[agreed[0]].name, (long long)own[1], dtypes[own[0]].name);
    return false;
  }
  if (agreed[0] == -agreed[1]) return true;
  snprintf(reason, ENGINE_REASON, "the processes call different functions, or give tensors of different sizes or dtypes; "
           "distributed.init{check = true} names the difference");
  return false;
}

/* An exchange for later starts all its calls at once, because all processes must start the calls of a group in the same
** order, and another exchange may begin before this one is complete. */
static bool begin(group *g, const exchange *c, void **made, char *reason) {
  size_t calls = c->later ? (size_t)(c->count / most(c) + 1) : 1;
  request *r = calloc(1, sizeof *r + calls * sizeof *r->pending);
  if (!r) {
    snprintf(reason, ENGINE_REASON, "out of memory");
    return false;
  }
  bool parts = c->kind == EXCHANGE_GATHER || c->kind == EXCHANGE_SCATTER;
  bool pair = c->kind == EXCHANGE_SEND || c->kind == EXCHANGE_RECV;
  *r = (request){.c = *c, .total = c->count * (parts ? g->size : 1)};
  *made = r;
  if (pair) return begin_pair(g, r, reason);
  if (!c->later) return compare_calls(g, r, reason);
  bool ok = true;
  while (ok && r->at < r->total) ok = move_next(g, r, reason);
  return ok;
}

/* Returns false if a process of the group has ended and will not take part any more. This is checked rarely, because each
** check costs a call of MPI. */
static bool check_ended(const group *g, request *r, char *reason) {
  if (++r->tests % 256 != 0) return true;
  int rank = ended_member(g);
  if (rank < 0) return true;
  if (r->end_seen == 0) r->end_seen = system_clock();
  if (system_clock() < r->end_seen + GRACE_SECONDS) return true;
  snprintf(reason, ENGINE_REASON, "rank %d has ended", rank);
  return false;
}

static bool test(group *g, void *request_of_begin, bool *done, char *reason) {
  request *r = request_of_begin;
  char status[STATUS_BYTES];
  int ready = 1;
  *done = false;
  for (; r->ended < r->started; r->ended++) {
    if (!check(mpi.Test(&r->pending[r->ended], &ready, status), "Test", reason)) return false;
    if (!ready) return check_ended(g, r, reason);
  }
  r->started = r->ended = 0;
  if (!calls_fit(r, reason)) return false;
  if (r->at < r->total) return move_next(g, r, reason);
  *done = true;
  free(r);
  return true;
}

const engine mpi_engine = {
  .name = "mpi", .find = find, .launched = launched, .start = start, .split = split, .reduces = reduces, .reaches = reaches, .home = home,
  .begin = begin, .test = test, .abort = stop_all
};
