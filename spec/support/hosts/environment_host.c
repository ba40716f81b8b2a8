/* A host program with threads of its own, which runs a script in Lua states.
**
**     environment_host stack|fork|openmp SCRIPT.lua
**
** stack: the script runs on a thread with a stack of 128 KiB. fork: the process forks while another of its threads runs
** the script repeatedly; each child must run the script, too. openmp: the thread that runs the script must keep its number
** of OpenMP threads. */

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

#include "state.h"

/* ---- stack ---- */

static void *on_small_stack(void *at) {
  lua_State *L = at;
  return run(L) == 0 ? NULL : at;
}

static int small_stack(void) {
  lua_State *L = open_state();
  pthread_attr_t a;
  pthread_t thread;
  void *failed = L;
  /* Loads the module on the main thread, because the dynamic loader may need a larger stack. */
  int first = luaL_dostring(L, "require 'luatensor'; require 'luatensor.nn'") != LUA_OK;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 128 << 10);
  if (pthread_create(&thread, &a, on_small_stack, L) == 0) pthread_join(thread, &failed);
  lua_close(L);
  return first || failed != NULL;
}

/* ---- fork ---- */

static atomic_int stop;

static void *keep_running(void *failed) {
  lua_State *L = open_state();
  while (!atomic_load(&stop)) *(int *)failed |= run(L);
  lua_close(L);
  return NULL;
}

static int in_child(lua_State *L) {
  alarm(60);                       /* a child that runs longer counts as hung */
  _exit(run(L));
}

static int forks(void) {
  enum { CHILDREN = 60 };
  pthread_t thread;
  int failed = 0, others = 0;
  lua_State *L = open_state();
  failed |= run(L);
  pthread_create(&thread, NULL, keep_running, &others);
  for (int k = 0; k < CHILDREN && !failed; k++) {
    int status = 1;
    pid_t child = fork();
    if (child == 0) in_child(L);
    waitpid(child, &status, 0);
    if (status != 0) fprintf(stderr, "environment_host: child %d ended with status %#x\n", k, (unsigned)status);
    failed |= status != 0;
  }
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  lua_close(L);
  return failed | others;
}

/* ---- OpenMP's number ---- */

static int openmp(void) {
  lua_State *L = open_state();
  int failed = luaL_dostring(L, "require 'luatensor'") != LUA_OK;
  void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library) return failed;                    /* this build of OpenBLAS uses pthreads, not OpenMP */
  union { void *address; int (*call)(void); } get = {dlsym(library, "omp_get_max_threads")};
  union { void *address; void (*call)(int); } set = {dlsym(library, "omp_set_num_threads")};
  set.call(3);
  failed |= run(L);
  if (get.call() != 3) fprintf(stderr, "environment_host: %d OpenMP threads, not 3\n", get.call());
  failed |= get.call() != 3;
  lua_close(L);
  return failed;
}

static const struct { const char *name; int (*run)(void); } modes[] = {
  {"stack", small_stack}, {"fork", forks}, {"openmp", openmp}
};

int main(int argc, char **argv) {
  if (argc == 3)
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
      if (strcmp(modes[k].name, argv[1]) != 0) continue;
      script = argv[2];
      return modes[k].run();
    }
  fprintf(stderr, "usage: environment_host stack|fork|openmp SCRIPT.lua\n");
  return 2;
}
