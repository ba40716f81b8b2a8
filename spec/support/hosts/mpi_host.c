/* A host program that uses MPI itself, and runs a script meanwhile.
**
**     mpi_host LIBRARY SCRIPT.lua
**
** The program initialises and finalizes MPI. After the state was closed, MPI must still be usable. */

#include <dlfcn.h>
#include <stddef.h>

#include "state.h"

int main(int argc, char **argv) {
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (!library) return fprintf(stderr, "usage: mpi_host LIBRARY SCRIPT.lua\n"), 2;
  int (*init)(int *, char ***), (*finalized)(int *), (*finalize)(void), over = 1;
  *(void **)&init = dlsym(library, "MPI_Init");
  *(void **)&finalized = dlsym(library, "MPI_Finalized");
  *(void **)&finalize = dlsym(library, "MPI_Finalize");
  if (!init || !finalized || !finalize || init(NULL, NULL) != 0) return 3;
  script = argv[2];
  lua_State *L = open_state();
  int failed = run(L);
  lua_close(L);
  if (finalized(&over) != 0 || over) return fprintf(stderr, "mpi_host: the script finalized MPI\n"), 4;
  return finalize() != 0 ? 5 : failed;
}
