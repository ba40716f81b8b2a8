/* The list of engines, and the group of all processes. */

#include "distributed/distributed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const engine *const engines[] = {&mpi_engine, NULL};

static struct {
  group    *world;
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

static group *keep(group *g, int local_rank, int local_size) {
  all.world = g;
  all.local_rank = local_rank;
  all.local_size = local_size;
  all.process = getpid();
  all.thread = pthread_self();
  return g;
}

group *distributed_start(const char *name, char *reason) {
  const engine *e = choose(name);
  if (all.world) {
    if (!name || e == all.world->engine) return distributed_may_call(reason) ? all.world : NULL;
    snprintf(reason, ENGINE_REASON, "this process has started with %s already",
             all.world->engine ? all.world->engine->name : "no engine");
    return NULL;
  }
  group *g = distributed_group(e);
  int local_rank = 0, local_size = 1;
  snprintf(reason, ENGINE_REASON, "out of memory");
  if (!g || (e && !e->start(g, &local_rank, &local_size, reason))) {
    free(g);
    return NULL;
  }
  return keep(g, local_rank, local_size);
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
