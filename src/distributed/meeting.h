#ifndef LT_DISTRIBUTED_MEETING_H
#define LT_DISTRIBUTED_MEETING_H

/* The start of processes without MPI: they find each other by TCP. The environment tells each process its number among
** WORLD_SIZE processes (RANK), its number on its machine (LOCAL_RANK), and where process 0 waits for the others
** (MASTER_ADDR and MASTER_PORT). The connections stay open, so that a process learns which others have ended. */

#include <stdbool.h>
#include <stddef.h>

typedef struct meeting { int rank, size, local_rank, local_size; } meeting;

/* True if the environment has RANK and WORLD_SIZE. */
bool meeting_is_called(void);

/* Reads the environment. On failure writes the reason, of at most `room` bytes, and returns false. */
bool meeting_read(meeting *m, char *reason, size_t room);

/* Waits until all processes have come, or LUATENSOR_START_TIMEOUT seconds (300) have passed. Then copies `bytes` bytes of
** `message` from process 0 to the others. */
bool meeting_hold(const meeting *m, void *message, size_t bytes, char *reason, size_t room);

/* Returns the index of the process that has ended first among the `size` processes of a list, or -1 if all go on. If the list
** is NULL, it has the first `size` processes. */
int meeting_first_ended(const int *members, int size);

/* Closes the connections, by which the others learn that this process ends. */
void meeting_leave(void);

#endif
