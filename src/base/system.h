#ifndef LT_BASE_SYSTEM_H
#define LT_BASE_SYSTEM_H

/* Information from the operating system: the user's cache folder, output files, memory, processors, terminals,
** time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SYSTEM_PATH = 1024 };

/* Writes the cache folder: $LUATENSOR_CACHE, else $XDG_CACHE_HOME/luatensor, else ~/.cache/luatensor. A relative
** $XDG_CACHE_HOME is ignored, as its specification demands. Returns false if there is no such folder, or if its name
** leaves less than 128 bytes of SYSTEM_PATH. */
bool system_cache_folder(char folder[SYSTEM_PATH]);

/* Makes the folder and its parent folders. Returns false if the folder does not exist afterwards or is not writable;
** errno says why. */
bool system_make_folder(char *folder);

/* True if the file can be written, as far as this is known without writing; otherwise errno says why not. target: the
** file to which symbolic links lead. *in_place: the file must be overwritten, because no new file can replace it.
**
** A file cannot be replaced if it is a device or a pipe, if its folder accepts no new files, or if it belongs to
** another user in a folder with the sticky bit. */
bool system_output(const char *path, char target[SYSTEM_PATH], bool *in_place);

/* Makes an empty file with an unused name in the target's folder. If `like_target` is set and the target exists, the
** new file gets the target's owner, group and permissions. Returns a descriptor for writing, which holds a lock until
** the descriptor is closed.
**
** The name is .luatensor-PROCESS-NUMBER. An unlocked file with a name of this form was left by a killed process, and
** this function removes it. On failure the function returns -1 and errno says why. EPERM: the target belongs to another
** user, who cannot become the new file's owner. */
int system_make_beside(const char *target, bool like_target, char name[SYSTEM_PATH]);

/* True if an open file may grow to `bytes` bytes. Otherwise errno is EFBIG, and writing that many bytes would end the
** process by the signal SIGXFSZ (see `ulimit -f`). */
bool system_may_have(int file, uint64_t bytes);

/* Opens a regular file for reading. Never waits, unlike fopen of a pipe. On failure returns NULL and errno says why;
** errno is 0 if the path names no regular file. */
FILE *system_open(const char *path);

/* True unless the file is a 64-bit ELF file that ends before its last part, the section headers. The loader would map the
** missing pages, and reading them would end the process by SIGBUS. */
bool system_is_whole(const char *path);

/* True if `bytes` bytes can be allocated without swapping. For at most 16 MiB the result is always true and
** *available is SIZE_MAX, because reading the available memory would take 0.1 ms. */
bool system_has_room(size_t bytes, size_t *available);

/* Returns the most bytes that this process can have: the machine's memory, or less in a control group. *available: the
** bytes that the process can still get without swapping; SIZE_MAX: unknown. The page cache counts as free. root: prefix
** of /proc and /sys, normally "". */
size_t system_memory(const char *root, size_t *available);

/* Returns the bytes of address space that the process can still get (`ulimit -v`, `ulimit -d`); SIZE_MAX: no limit, or
** unknown. */
size_t system_addresses(const char *root);

/* Returns the number of processors that this process may use by its affinity. *quota: the processor time that the
** control group allows, in processors (1.5: one and a half); 0: no limit. */
int system_processors(const char *root, double *quota);

/* Returns the most threads that an environment or a script may request: 4 for each processor, at least 64, at most
** 1024. All states of the process share these threads. */
int system_most_threads(void);

/* The instruction sets of the CPU that have tables of kernels, from the lowest to the highest, and their names. */
typedef enum { ISA_base, ISA_avx2, ISA_avx512, ISA_COUNT } isa_level;
#define ISA_TEXT_base   "baseline"
#define ISA_TEXT_avx2   "avx2"
#define ISA_TEXT_avx512 "avx512"

/* Sets *most to the highest instruction set that LUATENSOR_CPU allows; without this variable, to the highest of all.
** Returns false if the value of the variable is not the name of an instruction set. */
bool system_isa_limit(isa_level *most);

/* Returns the seconds of a monotonic clock. */
double system_clock(void);

/* Returns the number of columns of the terminal on a file descriptor: 80 if the terminal does not report the number;
** 0 if there is no terminal. */
int system_columns(int fd);

/* True if two functions belong to the same program or shared library, or if this is unknown. */
bool system_same_module(void (*f)(void), void (*g)(void));

/* Sleeps. Returns false if a signal ended the sleep early. */
bool system_sleep(double seconds);

/* Calls f(argument) in a child process, because foreign code may end the process that calls it. SYSTEM_TRUE, SYSTEM_FALSE: what f
** returned; SYSTEM_ENDED: the child ended before; SYSTEM_UNTRIED: there was no child, or f took longer than `seconds`, after
** which the child is killed. words[size]: the last line that the child wrote to its standard error, or "".
**
** The caller must hold no lock of base/lock.h. f hangs if it needs a lock of foreign code that another thread held. */
enum system_trial { SYSTEM_TRUE, SYSTEM_FALSE, SYSTEM_ENDED, SYSTEM_UNTRIED };
enum system_trial system_try(bool (*f)(void *argument), void *argument, int seconds, char *words, size_t size);

#endif
