/* Tests several Lua states in one process.
**
**   states_host sequence|together|threads|fork SCRIPT.lua
**
** sequence: 20 states, one after the other. together: two at once, closed in the order of opening. threads: two
** threads, each of which uses five states, one after the other. fork: a child process goes on using a state that has
** computed. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

#include "state.h"

static int in_sequence(void) {
  int failed = 0;
  for (int k = 0; k < 20; k++) {
    lua_State *L = open_state();
    failed |= run(L);
    lua_close(L);
  }
  return failed;
}

static int together(void) {
  lua_State *a = open_state(), *b = open_state();
  int failed = run(a) | run(b) | run(a);
  lua_close(a);
  failed |= run(b);
  lua_close(b);
  return failed;
}

static void *in_thread(void *failed) {
  for (int k = 0; k < 5; k++) {
    lua_State *L = open_state();
    for (int i = 0; i < 5; i++) *(int *)failed |= run(L);
    lua_close(L);
  }
  return NULL;
}

static int in_threads(void) {
  enum { THREADS = 2 };
  pthread_t thread[THREADS];
  int failed[THREADS] = {0}, any = 0;
  for (int k = 0; k < THREADS; k++) pthread_create(&thread[k], NULL, in_thread, &failed[k]);
  for (int k = 0; k < THREADS; k++) {
    pthread_join(thread[k], NULL);
    any |= failed[k];
  }
  return any;
}

static int in_child(void) {
  lua_State *L = open_state();
  int failed = run(L);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);                     /* a deadlocked child must not hang the specs */
    int child_failed = run(L);
    lua_close(L);
    exit(child_failed);
  }
  int status = 1;
  waitpid(child, &status, 0);
  failed |= status != 0 ? 1 : 0;
  if (status) fprintf(stderr, "states_host: the child ended with status %#x\n", (unsigned)status);
  failed |= run(L);
  lua_close(L);
  return failed;
}

static const struct { const char *name; int (*run)(void); } modes[] = {
  {"sequence", in_sequence}, {"together", together}, {"threads", in_threads}, {"fork", in_child}
};

int main(int argc, char **argv) {
  if (argc == 3)
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
      if (strcmp(modes[k].name, argv[1]) != 0) continue;
      script = argv[2];
      return modes[k].run();
    }
  fprintf(stderr, "usage: states_host sequence|together|threads|fork SCRIPT.lua\n");
  return 2;
}
