/* The emulated NCCL, and RCCL: processes of one machine exchange data by files below /dev/shm. A communicator is a folder,
** in which each process writes a file for each call. A call runs when its stream reaches it: it writes the process's data,
** waits until the files of the other processes exist, and computes the result from them. */

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <set>
#include <signal.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "emulator.h"
#include "halves.h"
#include "../../../src/gpu/vendor/ccl.h"

#define DECLARE_CCL(field, symbol, result, parameters) EXPORT result symbol parameters;
CCL_FUNCTIONS(DECLARE_CCL)

extern "C" int emulator_queue(gpu_stream s, int (*work)(void *), void (*drop)(void *), void *data);
extern "C" bool emulator_reaches(gpu_address a, size_t bytes);
extern "C" int cuCtxGetCurrent(gpu_context *context);
extern "C" int cuStreamIsCapturing(gpu_stream s, gpu_capture_status *status);

namespace {

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, REMOTE_ERROR = 6 };
enum { DRIVER_NOT_READY = 600, DRIVER_ILLEGAL_ADDRESS = 700 };
enum { RANKS = 64, UNREAD = 256, TYPES = 10, OPS = 5 };
enum { DEAF = 1, OLD = 2 };            /* values of emulator_nccl_setting */

const char *const PREFIX = "/dev/shm/luatensor-nccl-";
const size_t sizes[TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

/* The memory that the processes of a communicator share. */
struct board {
  std::atomic<int> joined;             /* processes that have started the communicator */
  std::atomic<int> left;               /* processes that have destroyed or aborted it */
  std::atomic<int> pid[RANKS];
  int device[RANKS], size[RANKS];
  std::atomic<int> readers[UNREAD];    /* for the calls of these numbers, modulo UNREAD: processes that have read it */
};

bool has_ended(int pid) {
  char path[64], state = 'Z';
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "r");
  if (!f) return true;
  if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = 'Z';
  fclose(f);
  return state == 'Z' || state == 'X';
}

/* ---- calls ---- */

enum kind { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, SEND, RECEIVE };
const char *const kind_names[] = {"AllReduce", "AllGather", "ReduceScatter", "Broadcast", "Send", "Recv"};

/* What the processes must agree on. It is at the beginning of each file. */
struct record {
  int kind, type, op, root;
  size_t count;
};

std::string words_of(const record &r) {
  return std::string(kind_names[r.kind]) + " of " + std::to_string(r.count) + " elements of type " + std::to_string(r.type) +
    ", op " + std::to_string(r.op) + ", root " + std::to_string(r.root);
}

void complain(const std::string &words) { fprintf(stderr, "emulator: NCCL: %s\n", words.c_str()); }

}

struct ccl_handle_opaque {
  std::string folder;
  int rank = 0, size = 0, device = 0;
  board *shared = nullptr;
  uint64_t calls = 0;                  /* number of calls outside of captures so far */
  uint64_t begun = 0;                  /* number of these calls whose work has begun */
  uint64_t collectives = 0;            /* number of the collective whose work begins next */
  uint64_t sent[RANKS] = {}, received[RANKS] = {};
  bool running = false;                /* the work of a call has begun and is not done */
  std::atomic<bool> aborted{false};
  std::atomic<int> error{SUCCESS};

  std::string collective_file(uint64_t number, int of) const {
    return folder + "/" + std::to_string(number) + "." + std::to_string(of);
  }
  std::string message_file(int from, int to, uint64_t number) const {
    return folder + "/" + std::to_string(from) + "-" + std::to_string(to) + "." + std::to_string(number);
  }
};

namespace {

auto &communicators = *new std::set<ccl_handle>;

bool exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

/* Writes a file at once, so that other processes never see a part of it. */
void write_file(const std::string &path, const record &r, const void *data, size_t bytes) {
  std::string draft = path + ".draft";
  FILE *f = fopen(draft.c_str(), "wb");
  if (!f) return;
  fwrite(&r, sizeof r, 1, f);
  if (bytes) fwrite(data, 1, bytes, f);
  fclose(f);
  rename(draft.c_str(), path.c_str());
}

std::vector<unsigned char> read_file(const std::string &path, record *r) {
  std::vector<unsigned char> data;
  FILE *f = fopen(path.c_str(), "rb");
  if (!f || fread(r, sizeof *r, 1, f) != 1) {
    if (f) fclose(f);
    return data;
  }
  struct stat status;
  fstat(fileno(f), &status);
  data.resize(size_t(status.st_size) - sizeof *r);
  if (!data.empty() && fread(data.data(), 1, data.size(), f) != data.size()) data.clear();
  fclose(f);
  return data;
}

/* ---- sums and maxima ---- */

template <class T> void combine_numbers(unsigned char *to, const unsigned char *from, size_t count, int op) {
  T *a = reinterpret_cast<T *>(to);
  const T *b = reinterpret_cast<const T *>(from);
  for (size_t i = 0; i < count; i++) a[i] = op == CCL_MAX ? std::max(a[i], b[i]) : T(a[i] + b[i]);
}

/* Rounds each sum, as NCCL does. */
void combine_halves(unsigned char *to, const unsigned char *from, size_t count, int op, float (*widen)(uint16_t),
                    uint16_t (*narrow)(float)) {
  uint16_t *a = reinterpret_cast<uint16_t *>(to);
  const uint16_t *b = reinterpret_cast<const uint16_t *>(from);
  for (size_t i = 0; i < count; i++) {
    float x = widen(a[i]), y = widen(b[i]);
    a[i] = narrow(op == CCL_MAX ? std::max(x, y) : x + y);
  }
}

void combine(unsigned char *to, const unsigned char *from, const record &r, size_t count) {
  switch (r.type) {
    case CCL_INT8: combine_numbers<int8_t>(to, from, count, r.op); break;
    case CCL_UINT8: combine_numbers<uint8_t>(to, from, count, r.op); break;
    case CCL_INT32: combine_numbers<uint32_t>(to, from, count, r.op); break;
    case CCL_UINT32: combine_numbers<uint32_t>(to, from, count, r.op); break;
    case CCL_INT64: combine_numbers<uint64_t>(to, from, count, r.op); break;
    case CCL_UINT64: combine_numbers<uint64_t>(to, from, count, r.op); break;
    case CCL_FLOAT16: combine_halves(to, from, count, r.op, from_half, to_half); break;
    case CCL_BFLOAT16: combine_halves(to, from, count, r.op, from_bfloat, to_bfloat); break;
    case CCL_FLOAT32: combine_numbers<float>(to, from, count, r.op); break;
    default: combine_numbers<double>(to, from, count, r.op);
  }
}

/* ---- the work of a call ---- */

struct work {
  ccl_handle h;
  record call;
  const unsigned char *in;
  unsigned char *out;
  size_t in_bytes, out_bytes;
  uint64_t order;                      /* number of the call, unless it is captured */
  bool captured;
  bool begun = false;
  uint64_t number = 0;                 /* of the collective or the message */

  std::string file(int rank) const {
    if (call.kind == SEND) return h->message_file(h->rank, call.root, number);
    if (call.kind == RECEIVE) return h->message_file(call.root, h->rank, number);
    return h->collective_file(number, rank);
  }
};

bool is_collective(const work &w) { return w.call.kind < SEND; }

/* Reports wrong use. NCCL would hang or compute wrong values; the emulator hangs with an asynchronous error. */
bool misuse(const work &w, const std::string &words) {
  complain(words);
  w.h->error = INVALID_USAGE;
  return false;
}

bool differs(const work &w, int rank, const record &other) {
  return misuse(w, "rank " + std::to_string(w.h->rank) + " calls " + words_of(w.call) + ", and rank " + std::to_string(rank) +
                   " calls " + words_of(other));
}

/* Begins the work, and returns whether it may go on. Calls of a communicator must be done one after the other, in the
** order in which they were made, even on several streams. */
bool begin(work &w) {
  ccl_handle h = w.h;
  if (h->running || (!w.captured && w.order != h->begun))
    return misuse(w, words_of(w.call) + ": does not wait for an earlier call of its communicator on another stream");
  if (!w.captured) h->begun++;
  h->running = w.begun = true;
  w.number = is_collective(w) ? h->collectives++ : w.call.kind == SEND ? h->sent[w.call.root]++ : h->received[w.call.root]++;
  if (w.call.kind != RECEIVE) {
    bool has_data = w.call.kind != BROADCAST || w.call.root == h->rank;
    write_file(w.file(h->rank), w.call, w.in, has_data ? w.in_bytes : 0);
  }
  return true;
}

bool is_ready(const work &w) {
  if (w.call.kind == SEND) return !exists(w.file(0));              /* the receiver has removed the file */
  if (w.call.kind == RECEIVE) return exists(w.file(0));
  for (int k = 0; k < w.h->size; k++)
    if (!exists(w.file(k))) return false;
  return true;
}

/* The last process to read the files of a collective removes them. */
void remove_files(const work &w) {
  std::atomic<int> &readers = w.h->shared->readers[w.number % UNREAD];
  if (++readers < w.h->size) return;
  readers = 0;
  for (int k = 0; k < w.h->size; k++) unlink(w.file(k).c_str());
}

/* Computes a collective's output from the data of all processes. Returns false if a process has made another call. */
bool compute(const work &w) {
  size_t element = sizes[w.call.type], part = w.call.count * element;
  std::vector<unsigned char> result;
  for (int k = 0; k < w.h->size; k++) {
    record other = {};
    std::vector<unsigned char> data = read_file(w.file(k), &other);
    if (memcmp(&other, &w.call, sizeof other) != 0) return differs(w, k, other);
    const unsigned char *from = data.data() + (w.call.kind == REDUCE_SCATTER ? part * size_t(w.h->rank) : 0);
    if (w.call.kind == ALL_GATHER || (w.call.kind == BROADCAST && k == w.call.root)) result.insert(result.end(), from, from + part);
    else if (w.call.kind == BROADCAST) continue;
    else if (k == 0) result.assign(from, from + part);
    else combine(result.data(), from, w.call, w.call.count);
  }
  memcpy(w.out, result.data(), w.out_bytes);
  remove_files(w);
  return true;
}

bool receive(const work &w) {
  record sent = {};
  std::vector<unsigned char> data = read_file(w.file(0), &sent);
  if (sent.type != w.call.type || sent.count != w.call.count) return differs(w, w.call.root, sent);
  memcpy(w.out, data.data(), w.out_bytes);
  unlink(w.file(0).c_str());
  return true;
}

bool reaches(const void *p, size_t bytes) { return !p || emulator_reaches(reinterpret_cast<uintptr_t>(p), bytes); }

int run(void *data) {
  work &w = *static_cast<work *>(data);
  ccl_handle h = w.h;
  if (h->aborted) return SUCCESS;
  if (!reaches(w.in, w.in_bytes) || !reaches(w.out, w.out_bytes)) return DRIVER_ILLEGAL_ADDRESS;
  if (h->error == INVALID_USAGE || (!w.begun && !begin(w)) || !is_ready(w)) return DRIVER_NOT_READY;
  if (w.call.kind == RECEIVE ? !receive(w) : is_collective(w) && !compute(w)) return DRIVER_NOT_READY;
  h->running = w.begun = false;
  return SUCCESS;
}

void drop(void *data) { delete static_cast<work *>(data); }

/* ---- checks of a call ---- */

bool overlap(const unsigned char *a, size_t m, const unsigned char *b, size_t n) { return a < b + n && b < a + m; }

/* The input and the output may be the same memory or, if the sizes differ, the smaller may be the process's own part. */
bool is_disjoint(const work &w) {
  if (!w.in || !w.out || !overlap(w.in, w.in_bytes, w.out, w.out_bytes)) return true;
  size_t own = w.call.count * sizes[w.call.type] * size_t(w.h->rank);
  if (w.call.kind == ALL_GATHER) return w.in == w.out + own;
  if (w.call.kind == REDUCE_SCATTER) return w.out == w.in + own;
  return w.in == w.out;
}

ccl_result refuse(const work &w, const char *words) {
  complain(words_of(w.call) + ": " + words);
  return INVALID_ARGUMENT;
}

ccl_result add(work w, gpu_stream s) {
  ccl_handle h = w.h;
  gpu_context context = nullptr;
  gpu_capture_status captured = 0;
  if (!communicators.count(h) || h->aborted) return refuse(w, "no such communicator");
  cuCtxGetCurrent(&context);
  if (!context || context->device != h->device) return refuse(w, "the current device is not the communicator's");
  if (w.call.type < 0 || w.call.type >= TYPES) return refuse(w, "no such type");
  if (w.call.op < 0 || w.call.op >= OPS) return refuse(w, "no such op");
  if (w.call.op != CCL_SUM && w.call.op != CCL_MAX) return refuse(w, "the emulator has no such op");
  if (w.call.root < 0 || w.call.root >= h->size) return refuse(w, "no such rank");
  if (!is_collective(w) && w.call.root == h->rank) return refuse(w, "a message to itself outside of a group");
  size_t bytes = w.call.count * sizes[w.call.type], all = bytes * size_t(h->size);
  w.in_bytes = !w.in ? 0 : w.call.kind == REDUCE_SCATTER ? all : bytes;
  w.out_bytes = !w.out ? 0 : w.call.kind == ALL_GATHER ? all : bytes;
  if (w.call.count && ((!w.in && w.call.kind != RECEIVE) || (!w.out && w.call.kind != SEND))) return refuse(w, "no memory");
  if (!is_disjoint(w)) return refuse(w, "the output overlaps the input");
  if (h->error) return h->error.load();
  if (w.call.count == 0) return SUCCESS;
  cuStreamIsCapturing(s, &captured);
  w.captured = captured != 0;
  w.order = w.captured ? 0 : h->calls++;
  return emulator_queue(s, run, drop, new work(w)) ? ccl_result(INVALID_ARGUMENT) : ccl_result(SUCCESS);
}

work make(ccl_handle h, kind k, const void *in, void *out, size_t count, ccl_type type, int op, int root) {
  work w = {};
  w.h = h;
  w.call.kind = k;
  w.call.type = type;
  w.call.op = op;
  w.call.root = root;
  w.call.count = count;
  w.in = static_cast<const unsigned char *>(in);
  w.out = static_cast<unsigned char *>(out);
  return w;
}

/* ---- communicators ---- */

/* Waits until all processes have joined. Fails if one of them ends before. */
ccl_result wait_for_all(ccl_handle h) {
  for (board *b = h->shared; b->joined < h->size; usleep(200))
    for (int k = 0; k < h->size; k++)
      if (b->pid[k] && has_ended(b->pid[k])) return REMOTE_ERROR;
  for (int k = 0; k < h->size; k++) {
    if (h->shared->size[k] != h->size) return INVALID_ARGUMENT;
    if (k != h->rank && h->shared->device[k] == h->device) {
      complain("ranks " + std::to_string(k) + " and " + std::to_string(h->rank) + " use the same device");
      return INVALID_USAGE;
    }
  }
  return SUCCESS;
}

ccl_result join(ccl_handle h) {
  mkdir(h->folder.c_str(), 0700);
  int file = open((h->folder + "/board").c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(board)) != 0) return SYSTEM_ERROR;
  void *memory = mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return SYSTEM_ERROR;
  h->shared = static_cast<board *>(memory);
  h->shared->device[h->rank] = h->device;
  h->shared->size[h->rank] = h->size;
  if (h->shared->pid[h->rank].exchange(getpid())) return INVALID_USAGE;
  h->shared->joined++;
  return wait_for_all(h);
}

/* The last process that leaves removes the communicator's folder. `all`: the process removes it anyway. */
void leave(ccl_handle h, bool all) {
  if (h->shared && ++h->shared->left < h->size && !all) return;
  if (h->shared) unlink((h->folder + "/board").c_str());
  for (int k = 0; k < h->size; k++)
    for (uint64_t n = h->collectives > UNREAD ? h->collectives - UNREAD : 0; n < h->collectives; n++)
      unlink(h->collective_file(n, k).c_str());
  rmdir(h->folder.c_str());
}

}

EXPORT ccl_result ncclGetVersion(int *version) {
  *version = emulator_nccl_setting() == OLD ? 2708 : 22907;
  return SUCCESS;
}

EXPORT const char *ncclGetErrorString(ccl_result r) {
  switch (r) {
    case SUCCESS: return "no error";
    case SYSTEM_ERROR: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case INVALID_ARGUMENT: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case INVALID_USAGE: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case REMOTE_ERROR: return "remote process exited or there was a network error";
    default: return "unknown result code";
  }
}

EXPORT ccl_result ncclGetUniqueId(ccl_id *id) {
  uint64_t random = 0;
  FILE *f = fopen("/dev/urandom", "rb");
  if (!f || fread(&random, sizeof random, 1, f) != 1) return SYSTEM_ERROR;
  fclose(f);
  memset(id->internal, 0, sizeof id->internal);
  snprintf(id->internal, sizeof id->internal, "%s%016llx", PREFIX, static_cast<unsigned long long>(random));
  return SUCCESS;
}

EXPORT ccl_result ncclCommInitRank(ccl_handle *made, int size, ccl_id id, int rank) {
  gpu_context context = nullptr;
  cuCtxGetCurrent(&context);
  if (size < 1 || size > RANKS || rank < 0 || rank >= size || !context) return INVALID_ARGUMENT;
  id.internal[sizeof id.internal - 1] = 0;
  if (strncmp(id.internal, PREFIX, strlen(PREFIX)) != 0) return INVALID_ARGUMENT;
  ccl_handle h = new ccl_handle_opaque;
  h->folder = id.internal;
  h->rank = rank;
  h->size = size;
  h->device = context->device;
  ccl_result r = join(h);
  if (r != SUCCESS) {
    leave(h, true);
    delete h;
    return r;
  }
  communicators.insert(h);
  *made = h;
  return SUCCESS;
}

/* The communicator itself is not freed, because queued work may refer to it. */
EXPORT ccl_result ncclCommDestroy(ccl_handle h) {
  if (!communicators.erase(h)) return INVALID_ARGUMENT;
  leave(h, false);
  return SUCCESS;
}

EXPORT ccl_result ncclCommAbort(ccl_handle h) {
  if (!communicators.erase(h)) return INVALID_ARGUMENT;
  h->aborted = true;
  leave(h, true);
  return SUCCESS;
}

EXPORT ccl_result ncclCommGetAsyncError(ccl_handle h, ccl_result *error) {
  if (!communicators.count(h)) return INVALID_ARGUMENT;
  for (int k = 0; k < h->size && h->error == SUCCESS && emulator_nccl_setting() != DEAF; k++)
    if (has_ended(h->shared->pid[k])) h->error = REMOTE_ERROR;
  *error = h->error;
  return SUCCESS;
}

EXPORT ccl_result ncclAllReduce(const void *in, void *out, size_t count, ccl_type type, ccl_op op, ccl_handle h, ccl_stream s) {
  return add(make(h, ALL_REDUCE, in, out, count, type, op, 0), s);
}

EXPORT ccl_result ncclAllGather(const void *in, void *out, size_t count, ccl_type type, ccl_handle h, ccl_stream s) {
  return add(make(h, ALL_GATHER, in, out, count, type, 0, 0), s);
}

EXPORT ccl_result ncclReduceScatter(const void *in, void *out, size_t count, ccl_type type, ccl_op op, ccl_handle h,
                                    ccl_stream s) {
  return add(make(h, REDUCE_SCATTER, in, out, count, type, op, 0), s);
}

EXPORT ccl_result ncclBroadcast(const void *in, void *out, size_t count, ccl_type type, int root, ccl_handle h, ccl_stream s) {
  return add(make(h, BROADCAST, in, out, count, type, 0, root), s);
}

EXPORT ccl_result ncclSend(const void *in, size_t count, ccl_type type, int peer, ccl_handle h, ccl_stream s) {
  return add(make(h, SEND, in, nullptr, count, type, 0, peer), s);
}

EXPORT ccl_result ncclRecv(void *out, size_t count, ccl_type type, int peer, ccl_handle h, ccl_stream s) {
  return add(make(h, RECEIVE, nullptr, out, count, type, 0, peer), s);
}
