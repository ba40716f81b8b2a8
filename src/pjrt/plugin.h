#ifndef LT_PJRT_PLUGIN_H
#define LT_PJRT_PLUGIN_H

/* Plugins of PJRT, and what their client does: buffers, programs, execution. A buffer is an immutable array in a device's
** memory. The functions must be called with LOCK_PJRT, and return OK or ERR_DEVICE; then `error` has the message. */

#include <sys/types.h>

#include "base/device.h"
#include "pjrt/pjrt.h"

enum {
  PJRT_TEXT = 512,
  PJRT_TOGETHER = 64,                  /* the most devices of a program */
  PJRT_PROGRAMS = 256                  /* the most compiled programs of a plugin */
};

typedef struct pjrt_plugin {
  char  name[16], path[1024];          /* the name in scripts, and the file */
  char  platform[32];                  /* such as "cpu" or "tpu" */
  bool  tried;                         /* the plugin has been loaded, or `reason` says why not */
  char  reason[PJRT_TEXT], error[PJRT_TEXT];
  pid_t process;                       /* the process that has loaded the plugin: a child has none of its threads */
  const pjrt_api *api;
  void *client;                        /* NULL: the devices are closed */
  void *const *devices;
  int   ndevice;
  unsigned epoch;                      /* how often the devices have been closed: their older memory is lost */
  struct pjrt_queue *queue;            /* [ndevice] (queue.h) */
  struct compiled *programs[PJRT_PROGRAMS];   /* programs.c */
  int   nprogram;
  uint64_t nrun;                       /* how many programs have run */
} pjrt_plugin;

/* A plugin that has not worked before is loaded by a child process first, because it may end the process. `why` gets the reason for
** which this process must not load it, or "". Must be called without LOCK_PJRT, because a fork takes all locks. */
void plugin_try(const pjrt_plugin *p, char why[PJRT_TEXT]);

/* Loads the plugin at the first call, unless there is a reason of plugin_try. Returns the number of devices; if there are
** none, `reason` says why. */
int plugin_load(pjrt_plugin *p, const char *why);

/* Writes an error of luatensor's own to `error`, and returns ERR_DEVICE. */
int plugin_fail(pjrt_plugin *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the device's name, such as "TPU v5 lite", and that of the platform with its version. */
void plugin_describe(pjrt_plugin *p, int index, char *name, size_t size, char *software, size_t software_size);

/* Makes a buffer of `count` elements, or of one element without dims if count is -1. `data` may change afterwards. */
int  buffer_upload(pjrt_plugin *p, int index, enum dtype d, int64_t count, const void *data, void **buffer);
int  buffer_download(pjrt_plugin *p, void *buffer, void *to, size_t bytes);
void buffer_drop(pjrt_plugin *p, void *buffer);

/* Compiles a program. `text` is StableHLO. A program for one device runs on each device; a program for several devices runs
** on those with the numbers index[0 … ndevice - 1], as replicas 0 … ndevice - 1. */
int  program_compile(pjrt_plugin *p, char *text, size_t length, const int *index, int ndevice, void **program);
void program_drop(pjrt_plugin *p, void *program);

/* The devices of a run, and the lists of arguments and results of each device. */
typedef struct program_lists {
  int    ndevice, index[PJRT_TOGETHER];
  void **arguments[PJRT_TOGETHER], **results[PJRT_TOGETHER];
  size_t narg, nkept;
  int64_t *kept;                       /* the numbers of the arguments that are not donated, whatever the program says */
} program_lists;

/* Runs a program. The results become new buffers. After an error, those that are not NULL must be freed. */
int  program_run(pjrt_plugin *p, void *program, const program_lists *l);

/* Closes the client. */
void plugin_close(pjrt_plugin *p);

#endif
