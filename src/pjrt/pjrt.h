#ifndef LT_PJRT_PJRT_H
#define LT_PJRT_PJRT_H

/* The part of PJRT's C interface that luatensor calls. PJRT is the interface of XLA's devices: a plugin is a shared object whose
** function GetPjrtApi returns a table of functions. Each function takes one struct of arguments, which begins with its
** size. `make test-pjrt` compares all numbers and offsets with the interface's own header. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJRT_MAJOR = 0 };               /* plugins of another major version have other structs */

/* The functions, with their numbers in the table. PJRT_SLOTS is the size of the part of the table that luatensor uses. */
#define PJRT_FUNCTIONS(X)                                                                         \
  X(Error_Destroy, 0) X(Error_Message, 1) X(Plugin_Initialize, 3) X(Event_Destroy, 5)             \
  X(Event_Await, 8) X(Client_Create, 10) X(Client_Destroy, 11) X(Client_PlatformName, 12)         \
  X(Client_PlatformVersion, 14) X(Client_AddressableDevices, 16) X(Client_Compile, 20)            \
  X(Client_BufferFromHostBuffer, 22) X(DeviceDescription_Id, 23) X(DeviceDescription_Kind, 26)    \
  X(Device_GetDescription, 29) X(LoadedExecutable_Destroy, 50) X(LoadedExecutable_Execute, 55)    \
  X(Buffer_Destroy, 58) X(Buffer_IsDeleted, 68) X(Buffer_ToHostBuffer, 70)
enum pjrt_function {
#define PJRT_ID(name, number) PJRT_CALL_##name = number,
  PJRT_FUNCTIONS(PJRT_ID)
#undef PJRT_ID
  PJRT_SLOTS = 71
};

typedef struct PJRT_Error PJRT_Error;  /* opaque, as are clients, devices, buffers, events and programs: void * */

/* Returns NULL if there is no error. Error_Destroy and Error_Message return nothing. */
typedef PJRT_Error *pjrt_function(void *arguments);

typedef struct pjrt_api {
  size_t size;                         /* of the whole table: tells which functions a plugin has */
  void  *extensions;
  struct {
    size_t size;
    void  *extensions;
    int    major, minor;
  } version;
  pjrt_function *call[PJRT_SLOTS];
} pjrt_api;

/* ---- arguments ----
** Fields that are not set are 0. All structs have the same first fields. PJRT_ARGS starts a struct and sets its size. */

#define PJRT_HEAD size_t size; void *extensions
#define PJRT_ARGS(type, name, ...) type name = {.size = sizeof(type), __VA_ARGS__}

typedef struct pjrt_handle {           /* of the functions Destroy and Await */
  PJRT_HEAD, *handle;
} pjrt_handle;

typedef struct pjrt_nothing {          /* of Plugin_Initialize */
  PJRT_HEAD;
} pjrt_nothing;

typedef struct pjrt_list {             /* of the functions that return a list or a text of a handle, which keeps it */
  PJRT_HEAD, *handle;
  union {
    const char *text;                  /* results */
    void *const *devices;
  };
  size_t length;
} pjrt_list;

typedef struct pjrt_answer {           /* of the functions that return another property of a handle */
  PJRT_HEAD, *handle;
  union {
    void *description;                 /* results */
    int   id;
  };
} pjrt_answer;

typedef struct pjrt_client_create {
  PJRT_HEAD;
  const void *options;
  size_t noptions;
  void  *get, *get_context, *put, *put_context;
  void  *client;                       /* result */
  void  *try_get, *try_get_context;
} pjrt_client_create;

typedef struct pjrt_program {
  PJRT_HEAD;
  char  *code;
  size_t length;
  const char *format;
  size_t format_length;
} pjrt_program;

typedef struct pjrt_compile {
  PJRT_HEAD, *client;
  const pjrt_program *program;
  const char *options;
  size_t options_length;
  void  *executable;                   /* result */
} pjrt_compile;

typedef struct pjrt_from_host {
  PJRT_HEAD, *client;
  const void *data;
  int    type;                         /* enum pjrt_type */
  const int64_t *dims;
  size_t ndim;
  const int64_t *strides;
  size_t nstrides;
  int    semantics;                    /* enum pjrt_semantics */
  void  *device, *memory, *layout;
  void  *done, *buffer;                /* results: an event, after which `data` may be freed, and the buffer */
} pjrt_from_host;

typedef struct pjrt_to_host {
  PJRT_HEAD, *buffer, *layout;
  void  *to;
  size_t bytes;
  void  *event;                        /* result */
} pjrt_to_host;

typedef struct pjrt_execute_options {
  PJRT_HEAD, *send, *receive;
  size_t nsend, nreceive;
  int    launch_id;
  const int64_t *not_donated;          /* numbers of arguments whose buffers stay */
  size_t nnot_donated;
  void  *context, *location;
  size_t ntasks;
  void  *tasks, *incarnations;
} pjrt_execute_options;

typedef struct pjrt_execute {
  PJRT_HEAD, *executable;
  pjrt_execute_options *options;
  void *const *const *arguments;       /* [devices][nargs] */
  size_t ndevices, nargs;
  void **const *results;               /* [devices][number of results] */
  void **events;                       /* [devices]; NULL: not wanted */
  void  *device;                       /* NULL: the devices for which the program was compiled */
} pjrt_execute;

/* ---- numbers ---- */

enum pjrt_semantics { PJRT_COPIES_AT_ONCE = 0 };   /* `data` may change when Client_BufferFromHostBuffer has returned */

/* The numbers of dtypes: X(dtype, PJRT's name, number). */
#define PJRT_TYPES(X)                                                                                                   \
  X(bool, PRED, 1) X(int8, S8, 2) X(int16, S16, 3) X(int32, S32, 4) X(int64, S64, 5) X(uint8, U8, 6) X(uint16, U16, 7)  \
  X(uint32, U32, 8) X(uint64, U64, 9) X(float16, F16, 10) X(float32, F32, 11) X(float64, F64, 12)                       \
  X(bfloat16, BF16, 13) X(complex64, C64, 14) X(complex128, C128, 15)

#endif
