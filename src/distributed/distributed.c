/* The list of engines, and the group of all processes. */

#include "distributed/distributed.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/system.h"

const engine *const engines[] = {&mpi_engine, &nccl_engine, NULL};

static struct {
  group    *world;
  const engine *chosen;      /* the engine that the script asked for; NULL: any */
  int       local_rank, local_size;
  pid_t     process;
  pthread_t thread;
} all;

group *distributed_group(const engine *e) {
  group *g = calloc(1, sizeof *g);
  if (g) *g = (group){.engine = e, .size = 1};
  return g;
}

/* Returns the engine that `name` selects, or NULL. */
static const engine *choose(const char *name) {
  for (int k = 0; engines[k]; k++)
    if (name ? strcmp(engines[k]->name, name) == 0 : engines[k]->launched()) return engines[k];
  return NULL;
}

static group *keep(group *g, const engine *chosen, int local_rank, int local_size) {
  all.world = g;
  all.chosen = chosen;
  all.local_rank = local_rank;
  all.local_size = local_size;
  all.process = getpid();
  all.thread = pthread_self();
  return g;
}

/* ---- waiting ---- */

/* Called between two tests of an exchange. Most exchanges take only some microseconds, so the first tests, about a
** millisecond, only let other threads run. Later the process sleeps, at first for 50 µs and then for a millisecond. */
static void nap(int tests) {
  enum { YIELDING = 2000, SHORT = 3000 };
  if (tests < YIELDING) sched_yield();
  else system_sleep(tests < SHORT ? 5e-5 : 1e-3);
}

bool distributed_wait(group *g, void *request, bool *done, char *reason) {
  for (int tests = 0; !*done; tests++) {
    if (cancel_due()) return snprintf(reason, ENGINE_REASON, "interrupted") < 0;
    if (!g->engine->test(g, request, done, reason)) return false;
    if (!*done) nap(tests);
  }
  return true;
}

/* ---- partners ---- */

/* Runs a small exchange of the host's bytes to its end. */
static bool share(group *g, exchange_kind kind, void *bytes, int64_t count, char *reason) {
  const exchange c = {.kind = kind, .dtype = DT_uint8, .where = host_place(), .from = bytes, .to = bytes, .count = count};
  void *request;
  bool done = false;
  return g->engine->begin(g, &c, &request, reason) && distributed_wait(g, request, &done, reason);
}

/* Makes the partner if every process of the group has a GPU of its own. */
static bool pair(group *g, char *reason) {
  const engine *e = &nccl_engine;
  uint8_t lacking = !e->can_join(all.local_size);
  char id[ENGINE_ID] = {0};
  g->paired = true;
  if (!share(g, EXCHANGE_MAX, &lacking, 1, reason)) return false;
  if (lacking) return true;
  group *made = distributed_group(e);
  if (!made) snprintf(reason, ENGINE_REASON, "out of memory");
  if (!made || (g->rank == 0 && !e->invite(all.local_rank, id, reason))) return false;
  made->rank = g->rank;
  made->size = g->size;
  made->members = g->members;
  if (!share(g, EXCHANGE_BROADCAST, id, ENGINE_ID, reason) || !e->join(made, all.local_rank, id, reason)) return false;
  g->partner = made;
  return true;
}

group *distributed_for(group *g, place where, char *reason) {
  if (g->engine != &mpi_engine || place_is_host(where) || all.chosen == &mpi_engine) return g;
  if (!g->paired && !pair(g, reason)) return NULL;
  return g->partner && g->partner->engine->reaches(where) ? g->partner : g;
}

/* ---- the start ---- */

/* Connects GPUs of processes that an MPI launcher has started: MPI connects the processes, and their group has a partner. */
static bool start_pair(group *g, char *reason) {
  const char *version;
  if (!pair(g, reason) || g->partner) return g->partner != NULL;
  if (nccl_engine.find(&version, reason))
    snprintf(reason, ENGINE_REASON, "NCCL: this machine or another has more processes than GPUs");
  return false;
}

group *distributed_start(const char *name, char *reason) {
  const engine *chosen = name ? choose(name) : NULL, *e = name ? chosen : choose(NULL);
  if (all.world) {
    if (!name || chosen == all.chosen || e == all.world->engine) return distributed_may_call(reason) ? all.world : NULL;
    snprintf(reason, ENGINE_REASON, "this process has started with %s already",
             all.world->engine ? all.world->engine->name : "no engine");
    return NULL;
  }
  bool by_mpi = e == &nccl_engine && !e->launched() && mpi_engine.launched();
  if (by_mpi) e = &mpi_engine;
  group *g = distributed_group(e);
  int local_rank = 0, local_size = 1;
  snprintf(reason, ENGINE_REASON, "out of memory");
  if (!g || (e && !e->start(g, &local_rank, &local_size, reason))) {
    free(g);
    return NULL;
  }
  keep(g, chosen, local_rank, local_size);
  if (!by_mpi || start_pair(g, reason)) return g;
  all.world = NULL;
  return NULL;
}

group *distributed_world(int *local_rank, int *local_size) {
  if (all.world) {
    *local_rank = all.local_rank;
    *local_size = all.local_size;
  }
  return all.world;
}

bool distributed_may_call(char *reason) {
  if (getpid() != all.process) snprintf(reason, ENGINE_REASON, "not in a forked child of the process that called init");
  else if (!pthread_equal(pthread_self(), all.thread)) snprintf(reason, ENGINE_REASON, "not in another thread than init");
  else return true;
  return false;
}
