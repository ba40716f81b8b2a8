#ifndef LT_BASE_SYSTEM_H
#define LT_BASE_SYSTEM_H

/* Facts that the operating system knows: the user's cache folder, files to write, memory, processors, terminals, time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SYSTEM_PATH = 1024 };

/* $LUATENSOR_CACHE, else $XDG_CACHE_HOME/luatensor (a relative one does not count, says its specification), else
** ~/.cache/luatensor. False: nowhere, or the name is too long to put 128 bytes behind it. */
bool system_cache_folder(char folder[SYSTEM_PATH]);

/* Makes the folder and those it is in. False: it is not there or cannot be written to; errno says why. */
bool system_make_folder(char *folder);

/* True if the file can be written, as far as can be told without writing it; otherwise errno says why not. target: the
** file to which symbolic links lead. *in_place: the file must be overwritten, because a new file cannot replace it: it
** is a device or a pipe, it lies in a folder that takes no new files, or it belongs to another user in a folder with
** the sticky bit. */
bool system_output(const char *path, char target[SYSTEM_PATH], bool *in_place);

/* Makes an empty file with a name that nothing had, in the target's folder, and with the target's owner, group and rights
** if `like_target` and it is there. Returns a descriptor to write to, which holds a lock until it is closed: a file of such a name that
** nobody has locked was left by a process that was killed, and is removed here. -1: errno says why; EPERM: the target
** belongs to somebody else, to whom this process can give no file. */
int system_make_beside(const char *target, bool like_target, char name[SYSTEM_PATH]);

/* True if an open file may have so many bytes. False: errno is EFBIG, and writing them would end the process by a signal
** (SIGXFSZ, beyond `ulimit -f`). */
bool system_may_have(int file, uint64_t bytes);

/* A plain file to be read; never waits, as opening a pipe would. NULL: errno says why; 0: it is no plain file. */
FILE *system_open(const char *path);

/* True if so many bytes can be allocated without swapping. Small requests are not compared with what is available. */
bool system_has_room(size_t bytes, size_t *available);

/* Bytes that this process can have at most: the machine's, or less in a control group. *available, where wanted: those
** that it can still get without swapping; what files are kept in counts as free; SIZE_MAX: unknown. root: what /proc and
** /sys are in: "". */
size_t system_memory(const char *root, size_t *available);

/* Bytes of addresses that the process can still get (`ulimit -v`, `ulimit -d`); SIZE_MAX: without limit, or unknown. */
size_t system_addresses(const char *root);

/* The number of processors that this process may use: its affinity. *quota: the share of their time that its control
** group allows, in processors (1.5: one and a half); 0: all of it. */
int system_processors(const char *root, double *quota);

/* The most threads that an environment or a script may request: 4 for each processor, at least 64, at most 1024. All
** states of the process share them. */
int system_most_threads(void);

/* The seconds of a monotonic clock. */
double system_clock(void);

/* The number of columns of the terminal on a file descriptor, 80 if the terminal does not say; 0: no terminal. */
int system_columns(int fd);

/* True if two functions are of the same program or shared library, or if that is unknown. */
bool system_same_module(void (*f)(void), void (*g)(void));

/* False if a signal ended the sleep early. */
bool system_sleep(double seconds);

#endif
