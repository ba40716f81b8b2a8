#ifndef LT_IO_CHILD_H
#define LT_IO_CHILD_H

/* A child process whose output this process reads, and which ends at the latest with its time limit. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct child {
  pid_t pid;                           /* 0: the child was waited for */
  int   from;                          /* reads what the child writes; -1: closed */
  bool  known;                         /* false if the process does not learn how its children end, because it ignores
                                       ** SIGCHLD */
  int   signal, code;                  /* valid if `known` is set: the signal that ended the child, or 0; the exit
                                       ** status if there was no signal */
} child;

/* Starts the program words[0] with these arguments, whose list ends with NULL. Both output streams of the child go to
** c->from, and its input is empty. The child leads a process group of its own. `seconds` after its start the signal
** SIGALRM ends the child, even if this process has ended before. Returns false on failure; errno says why. If the
** program is not found, the child writes the reason and ends with status 127. */
bool child_start(child *c, const char *const words[], unsigned seconds);

/* Waits at most `seconds` for output, and reads at most `size` bytes. Returns the number of bytes; 0 if there is no
** output yet; -1 if the child has ended and all its output was read. */
ssize_t child_read(child *c, char *bytes, size_t size, double seconds);

/* Kills the process group of the child, waits for the child, and closes the pipe. A second call does nothing. */
void child_end(child *c);

#endif
