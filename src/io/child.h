#ifndef LT_IO_CHILD_H
#define LT_IO_CHILD_H

/* Child processes. There are two kinds: a program whose output this process reads, and which ends at the latest with
** its time limit; and a worker, which exchanges messages with this process. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct child {
  pid_t pid;                           /* 0: the child was waited for */
  int   from;                          /* reads what the child writes, or the socket of a worker; -1: closed */
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

/* A worker has the descriptor CHILD_PARENT, a socket whose other end is c->from. Its output streams are those of this process,
** its input is empty, and it has no other open files. When this process ends, the worker's messages end. A program that is
** not found is treated as by child_start. */
enum { CHILD_PARENT = 3 };
bool child_start_worker(child *c, const char *const words[]);

/* Called in a worker: c becomes the connection to the process that started the worker, with c->pid == 0. Programs that
** the worker starts do not keep the connection. Returns false if this process is no worker. */
bool child_open_parent(child *c);

/* child_send and child_receive exchange exactly `size` bytes with a worker, or in a worker with the process that started
** it. After a result other than CHILD_DONE, an unknown part of the bytes was exchanged. */
typedef enum child_result {
  CHILD_DONE,
  CHILD_ENDED,                         /* the other process has ended */
  CHILD_CANCELLED                      /* see base/cancel.h */
} child_result;
child_result child_send(child *c, const void *bytes, size_t size);
child_result child_receive(child *c, void *bytes, size_t size);

/* Kills the process group of the child, waits for the child, and closes the pipe. A second call does nothing. */
void child_end(child *c);

#endif
