#ifndef LT_GPU_VENDOR_H
#define LT_GPU_VENDOR_H

/* A vendor of GPUs: its libraries, which are found at run time, and the tables of their functions. vendor.c has the
** code that all vendors share. */

#include <stdatomic.h>
#include <string.h>

#include "gpu/driver.h"
#include "gpu/vendor/ccl.h"

/* The libraries of a vendor. GPU_EIG is a part of GPU_SOLVER that older versions of the library lack. */
enum gpu_library { GPU_DRIVER, GPU_RTC, GPU_BLAS, GPU_DFT, GPU_SOLVER, GPU_EIG, GPU_DNN, GPU_CCL,
                   GPU_LIBRARIES };

/* The versions of the libraries that have been loaded. A version is 0 if the library is not loaded or reports no
** version. */
typedef struct gpu_versions {
  int driver[2], rtc[2], blas[2], dnn[2], ccl[2];          /* major and minor version */
  int compiler;              /* a number that differs between versions of the run-time compiler */
  bool emulated;             /* the driver is the emulator of docs/emulator.md */
} gpu_versions;

enum { GPU_REASON = 320 };   /* size in bytes of the buffer for a reason */

/* A processor for which kernels are compiled. */
typedef struct gpu_target {
  char name[48];             /* the name in the compiler's option, such as "sm_90" */
  bool is_text;              /* the compiler writes a text (PTX) instead of a binary, because it cannot generate machine
                             ** code for the device; the driver compiles the text */
} gpu_target;

typedef struct gpu_vendor {
  const char *device;        /* the name of the vendor's GPUs in scripts: "cuda" */
  int         first;         /* the number of the vendor's first GPU among the GPUs of all vendors */
  struct {                   /* where libraries are searched, besides the loader's path */
    const char *list;        /* name of the environment variable with a list of folders */
    const char *root;        /* name of the environment variable with the root of a toolkit */
    const char *roots;       /* pattern of the roots of installed toolkits, for glob */
    const char *wheels;      /* pattern of the roots of toolkits in Python's active virtual environment, relative to the
                             ** environment's folder; NULL: none are searched */
    const char *const *folders;        /* the folders of libraries in a toolkit, relative to its root */
  } search;
  const char *names[GPU_LIBRARIES];     /* names of the libraries, to which users' texts append the version */
  const char *no_device;     /* the reason if the driver finds no device */
  /* Loads a library and fills its table. On failure writes the reason and returns false. */
  bool      (*load[GPU_LIBRARIES])(struct gpu_vendor *v);

  const char *const *options;          /* the compiler's options for all kernels, up to NULL */
  const char *text_start;              /* what stands before the text of a script's kernel */
  const char *no_fma;                  /* the compiler's option that turns off automatic FMA */
  bool        rtc_alone;               /* the compiler can be loaded without the driver's library */
  unsigned    shared_plain;            /* bytes of dynamic shared memory that a block may use without a request */
  /* Chooses the processor for which kernels of a device are compiled. The compiler must be loaded. On failure writes the
  ** reason and returns false. */
  bool      (*choose_target)(struct gpu_vendor *v, gpu_device_id id, gpu_target *t, char reason[GPU_REASON]);
  /* Does the same for the processor of this name, such as "sm_90", and sets *lanes to the threads of its warps. */
  bool      (*name_target)(struct gpu_vendor *v, const char *processor, gpu_target *t, int *lanes, char reason[GPU_REASON]);
  /* Writes the device's instruction set for users: "9.0" is the compute capability. */
  void      (*name_isa)(struct gpu_vendor *v, gpu_device_id id, char *text, size_t size);

  int64_t     blas_most;     /* the largest size, leading dimension and number of products that the library of matrix
                             ** products takes */
  /* True if the library of matrix products supports the device. The library must be loaded. */
  bool      (*blas_supports)(struct gpu_vendor *v, gpu_device_id id);
  int         blas_no_memory;          /* its status if it cannot allocate memory */
  int         blas_refuses[3];         /* its statuses if it does not support a call or has no kernel for it; 0: none */
  int         blas_bf16x9[2];          /* its first version that has BLAS_COMPUTE_BF16X9; 0: none has it */

  /* The same for the library of linear algebra. */
  bool      (*solver_supports)(struct gpu_vendor *v, gpu_device_id id);
  int         solver_no_memory;        /* its status if it cannot allocate memory */
  int         pivot_bytes;             /* the size of its pivots, which are integers */

  /* The same for the library of convolutions. */
  bool      (*dnn_supports)(struct gpu_vendor *v, gpu_device_id id);

  gpu_driver driver;
  gpu_rtc    rtc;
  gpu_blas   blas;
  gpu_dft    dft;
  gpu_solver solver;
  gpu_eig    eig;
  gpu_dnn    dnn;
  gpu_ccl    ccl;
  gpu_versions versions;
  bool       own_folders;    /* the driver comes from a folder of search.list */
  struct {
    atomic_bool asked;       /* the library was loaded, or loading it failed */
    bool        usable;
    char        reason[GPU_REASON];
  } library[GPU_LIBRARIES];
} gpu_vendor;

extern gpu_vendor gpu_nvidia, gpu_amd;

/* True if the environment variable has the value `text`. *known keeps the answer for later calls, and is -1 before the
** first. */
bool gpu_variable_is(const char *variable, const char *text, int *known);

/* The number of GPUs that luatensor uses of one vendor. */
enum { VENDOR_GPUS = 16 };

/* A gpu_get_* function returns the table of a loaded library, or NULL if the library is not usable. A library is loaded
** at the first call. */
const gpu_driver *gpu_get_driver(gpu_vendor *v);
const gpu_rtc    *gpu_get_rtc(gpu_vendor *v);
const gpu_blas   *gpu_get_blas(gpu_vendor *v);
const gpu_dft    *gpu_get_dft(gpu_vendor *v);
const gpu_solver *gpu_get_solver(gpu_vendor *v);
const gpu_eig    *gpu_get_eig(gpu_vendor *v);
const gpu_dnn    *gpu_get_dnn(gpu_vendor *v);
const gpu_ccl    *gpu_get_ccl(gpu_vendor *v);

/* True if the library of matrix products is loaded and computes float32 products from bfloat16 numbers. */
bool gpu_has_bf16x9(gpu_vendor *v);

/* A reason: the format of the name of a library, the name of the library of matrix products, and a processor. */
#define GPU_NEEDS_KERNELS "%s needs kernels of %s for %s, and they are missing"

/* Like gpu_get_rtc, but needs no driver if the vendor's compiler is a library of its own (rtc_alone). Without a driver,
** the newest version is loaded. On failure *reason is the reason. */
const gpu_rtc *gpu_get_compiler(gpu_vendor *v, const char **reason);

/* Returns the reason why the library is not usable, or "". The result may be a reason even if the library of
** convolutions is usable: see gpu_dnn_complain. */
const char *gpu_reason(gpu_vendor *v, enum gpu_library k);

/* Records that the library of convolutions was found but does not work on a device. From then on gpu_reason returns
** this message. */
void gpu_dnn_complain(gpu_vendor *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- for the files of vendors ---- */

/* A function's name in a library, and the field of a table that gets the function's address. Symbols of the name - are
** skipped. */
typedef struct gpu_symbol { void *field; const char *name; } gpu_symbol;

/* A library's file. */
typedef struct gpu_file {
  const char *name;          /* without a version: "libcublas.so" */
  int         newest, oldest;          /* the major versions that may follow the name */
  const char *missing;       /* tells users the consequence of a missing file, or what to install */
  const gpu_symbol *symbols; /* the last symbol's name is NULL */
  const char *cure;          /* tells users which version has a function that the library lacks, or "" */
} gpu_file;

/* Opens library k from the first place that has it: a folder of search.list, the toolkit of search.root, those of
** search.wheels, and the system, which is the loader's path and the toolkits of search.roots. At a place, opens the newest
** version from major version `newest` down to `oldest`, or else the file without a version number. If the driver itself
** comes from search.list (as the emulator does), no other folders are searched. On failure writes the reason and returns
** NULL. */
void *gpu_open_library(gpu_vendor *v, enum gpu_library k, const gpu_file *f);

/* Looks up all symbols of the file in the library. If one is missing, writes the reason and returns false. */
bool gpu_find_symbols(gpu_vendor *v, enum gpu_library k, const gpu_file *f, void *library);

/* Opens the library and looks up its symbols. On failure writes the reason and returns NULL. */
void *gpu_load_library(gpu_vendor *v, enum gpu_library k, const gpu_file *f);

/* Loads the library by which processes exchange data; `major` is the version in the name of its file. On failure writes the
** reason and returns false. */
bool gpu_load_ccl(gpu_vendor *v, const char *name, int major, const char *missing);

/* True if the environment variable turns the library of convolutions off. Then also writes the reason. */
bool gpu_dnn_is_off(gpu_vendor *v, const char *variable);

/* Sets the reason of library k, formatted like printf, and returns false. */
bool gpu_set_reason(gpu_vendor *v, enum gpu_library k, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Returns whether the vendor's run-time compiler, which must be loaded, generates code for a processor. A child process
** tries it, because some compilers end the process at an unknown processor. GPU_UNTRIED: there was no child, or it hung.
** GPU_COMPILES is kept in the disk cache, so the next process needs no child. */
enum gpu_trial { GPU_COMPILES, GPU_REFUSES, GPU_UNTRIED };
enum gpu_trial gpu_try_compiler(const gpu_vendor *v, const char *processor);

/* Returns the value of a device's property, or 0 if the driver does not support the property. */
int gpu_attribute_of(const gpu_driver *d, gpu_device_id id, gpu_attribute a);

/* Stores a function's address in a field. memcpy is used because ISO C cannot convert void * to a function pointer.
** POSIX guarantees that both have the same representation. */
static inline void gpu_set_field(void *field, void *function) { memcpy(field, &function, sizeof function); }

#endif
