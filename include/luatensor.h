#ifndef LUATENSOR_H
#define LUATENSOR_H

/* The C interface of luatensor for other C modules and for host programs. docs/embedding.md has programs that use this
** header.
**
** A program needs no linking against luatensor: it finds the module's table of functions through its Lua state.
**
**   const luatensor_api *lt = luatensor_open(L, LUATENSOR_ABI);
**   float *gain = lt->new_tensor(L, LUATENSOR_float32, 1, (int64_t[]){256});        the tensor is on the stack
**
** A function that takes a lua_State must be called in the thread that runs the state. "May raise" means that the
** function may raise a Lua error, which a host catches by lua_pcall. The header is C99 and C++11. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <lua.h>
/* The inline functions below use these macros, because compilers of C++ can warn of C casts and of NULL. */
#ifdef __cplusplus
}
#define LUATENSOR_CAST(type, value) static_cast<type>(value)
#define LUATENSOR_NULL nullptr
#else
#define LUATENSOR_CAST(type, value) ((type)(value))
#define LUATENSOR_NULL NULL
#endif

/* The number of this interface. A later number adds functions at the end of the table, so a module serves programs
** that were compiled with the same number or a lower one. */
#define LUATENSOR_ABI 1

/* ---- arrays ---- */

/* The dtypes: DLPack's type code * 256 + the bits of an element. */
enum luatensor_dtype {
  LUATENSOR_any       = 0,              /* every dtype; only for `check` */
  LUATENSOR_int8      = 0x008, LUATENSOR_int16  = 0x010, LUATENSOR_int32  = 0x020, LUATENSOR_int64  = 0x040,
  LUATENSOR_uint8     = 0x108, LUATENSOR_uint16 = 0x110, LUATENSOR_uint32 = 0x120, LUATENSOR_uint64 = 0x140,
  LUATENSOR_float16   = 0x210, LUATENSOR_float32 = 0x220, LUATENSOR_float64 = 0x240,
  LUATENSOR_bfloat16  = 0x410,
  LUATENSOR_complex64 = 0x540, LUATENSOR_complex128 = 0x580,
  LUATENSOR_bool      = 0x608           /* bytes that are 0 or 1 */
};

enum { LUATENSOR_MAX_DIMS = 16, LUATENSOR_any_ndim = -1 };

/* Describes elements in CPU memory. `read` and `check` describe the elements of a tensor. For `lend`, the host program
** describes its own memory; `lend` ignores `count` and `contiguous`. */
typedef struct luatensor_array {
  void   *data;                         /* the address of the first element */
  int32_t dtype, ndim;                  /* a luatensor_dtype, and the number of dims */
  int64_t count;                        /* number of elements */
  int64_t shape[LUATENSOR_MAX_DIMS];
  int64_t stride[LUATENSOR_MAX_DIMS];   /* steps between neighbours in a dim, in elements; may be negative */
  int32_t contiguous;                   /* 1 if the elements are row-major without gaps, else 0 */
} luatensor_array;

/* Returns the description of contiguous row-major elements at `data`. */
static inline luatensor_array luatensor_rows(void *data, int dtype, int ndim, const int64_t *shape) {
  luatensor_array a;
  a.data = data;
  a.dtype = dtype;
  a.ndim = ndim;
  a.count = a.contiguous = 1;
  for (int d = (ndim < LUATENSOR_MAX_DIMS ? ndim : LUATENSOR_MAX_DIMS) - 1; d >= 0; d--) {
    a.shape[d] = shape[d];
    a.stride[d] = a.count;
    a.count *= shape[d];
  }
  return a;
}

/* Flags for `read` and `check`. */
enum {
  LUATENSOR_contiguous = 1,             /* a tensor that is not contiguous is an error; the message recommends
                                        ** x:contiguous() */
  LUATENSOR_write      = 2              /* the caller writes to the elements before the script runs again */
};

/* Results of functions that do not raise. `explain` returns a sentence for each of them. */
enum luatensor_status {
  LUATENSOR_ok = 0,
  LUATENSOR_ended,                      /* the host has revoked the loan, or the loan's last tensor was freed */
  LUATENSOR_other_thread,               /* another thread has made or claimed the loan */
  LUATENSOR_busy,                       /* an operation of the state is running */
  LUATENSOR_bad_threads                 /* the number of threads is out of range */
};

typedef uint64_t luatensor_loan;                       /* the number of a loan; 0: no loan */
typedef struct luatensor_cancel luatensor_cancel;      /* the cancel flag of a state */

/* Bytes of tensors in CPU memory. */
typedef struct luatensor_memory {
  uint64_t live, peak, limit;           /* of this Lua state; limit 0: no limit */
  uint64_t process_live, process_peak;  /* of all Lua states, including scratch memory of operations */
} luatensor_memory;

/* ---- the functions ---- */

typedef struct luatensor_api {
  int32_t abi, oldest;                  /* the numbers of the interface that this module serves: oldest … abi */

  /* Pushes a new tensor and returns the address of its elements, which have no values yet. May raise. */
  void *(*new_tensor)(lua_State *L, int dtype, int ndim, const int64_t *shape);

  /* Returns 1 if the value at a stack index is a tensor, else 0. */
  int (*is_tensor)(lua_State *L, int index);

  /* Describes the tensor at a stack index in *a and returns 1. On failure, pushes a sentence with the reason and
  ** returns 0. The address a->data is valid until the tensor is collected or freed, or until its loan is revoked. */
  int (*read)(lua_State *L, int index, int flags, luatensor_array *a);

  /* Like `read` for argument `arg` of a C function, but raises an error (luaL_argerror) on failure. Also checks the
  ** tensor's dtype and number of dims. LUATENSOR_any allows every dtype, LUATENSOR_any_ndim every number of dims. */
  void (*check)(lua_State *L, int arg, int dtype, int ndim, int flags, luatensor_array *a);

  /* Pushes a tensor on memory of the host, without a copy. The loan ends when the last tensor on the memory is freed
  ** (perhaps during a garbage collection or lua_close) or when the host revokes the loan. The memory must stay valid
  ** until the loan ends. luatensor then calls release(context) once, unless `release` is NULL. `release` must not use
  ** Lua. May raise; after an error there is no loan, and `release` is not called. */
  luatensor_loan (*lend)(lua_State *L, const luatensor_array *a, void (*release)(void *context), void *context);

  /* Takes the memory of a loan of state L back, and returns a luatensor_status. LUATENSOR_ok means that nothing refers
  ** to the memory any more, and each later use of its tensors and of their views is a Lua error. Any other status means
  ** that nothing changed. Does not raise. */
  int (*revoke)(lua_State *L, luatensor_loan loan);

  /* Makes the calling thread the owner of a loan. Only the owner may revoke the loan. A host calls this function
  ** after the loan's state moved to this thread. Returns LUATENSOR_ok, LUATENSOR_ended, or LUATENSOR_busy while another
  ** thread runs an operation of the state. */
  int (*claim)(luatensor_loan loan);

  /* set_memory_limit limits the bytes of tensors of this state; 0: no limit. `memory` fills *m. Both may raise (no
  ** memory). */
  void (*set_memory_limit)(lua_State *L, uint64_t bytes);
  void (*memory)(lua_State *L, luatensor_memory *m);

  /* set_threads sets the number of threads that an operation uses, for all states. Returns LUATENSOR_ok, or
  ** LUATENSOR_bad_threads if n is below 1 or above the limit. The limit is 4 × the number of processors, but at least
  ** 64 and at most 1024. `threads` returns the number of threads. Any thread may call both functions. */
  int (*set_threads)(int n);
  int (*threads)(void);

  /* Returns the cancel flag of a state. While the flag is set, operations and new tensors raise "cancelled by the
  ** host". Any thread may set the flag as long as the state is open. */
  luatensor_cancel *(*cancel_flag)(lua_State *L);
  void (*set_cancel)(luatensor_cancel *flag, int on);

  /* Returns a sentence that explains a luatensor_status. */
  const char *(*explain)(int status);
} luatensor_api;

/* ---- finding the functions ---- */

/* Returns the module's table of functions, or NULL if luatensor is not loaded. Leaves the stack unchanged. */
static inline const luatensor_api *luatensor_loaded(lua_State *L) {
  const luatensor_api *lt;
  lua_getfield(L, LUA_REGISTRYINDEX, "luatensor.api");
  lt = LUATENSOR_CAST(const luatensor_api *, lua_touserdata(L, -1));
  lua_pop(L, 1);
  return lt;
}

/* Finds the functions for `abi` (LUATENSOR_ABI), and requires luatensor if it is not loaded yet. If the functions are
** not available, pushes a sentence with the reason and returns NULL. Raises an error only if memory is exhausted. */
static inline const luatensor_api *luatensor_find(lua_State *L, int abi) {
  const luatensor_api *lt = luatensor_loaded(L);
  if (!lt) {
    if (lua_getglobal(L, "require") != LUA_TFUNCTION) {
      lua_pop(L, 1);
      lua_pushliteral(L, "luatensor.h: luatensor is not loaded and there is no function require; open Lua's libraries first");
      return LUATENSOR_NULL;
    }
    lua_pushliteral(L, "luatensor");
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) return LUATENSOR_NULL;
    lt = luatensor_loaded(L);
  }
  if (!lt) {
    lua_pushliteral(L, "luatensor.h: this luatensor is older than its C interface; install luatensor 1.0 or newer");
    return LUATENSOR_NULL;
  }
  int oldest = lt->oldest, newest = lt->abi;
  if (oldest <= abi && abi <= newest) return lt;
  lua_pushfstring(L, "luatensor.h: this program was compiled with interface %d, and the installed luatensor has %d to %d; %s",
                  abi, oldest, newest,
                  abi > newest ? "install a newer luatensor" : "compile the program with the header of that luatensor");
  return LUATENSOR_NULL;
}

/* Like luatensor_find, but raises the sentence with the reason as a Lua error. */
static inline const luatensor_api *luatensor_open(lua_State *L, int abi) {
  const luatensor_api *lt = luatensor_find(L, abi);
  if (!lt) lua_error(L);
  return lt;
}

/* Makes the first require of luatensor open it as a sandbox. docs/embedding.md lists the functions that a sandbox
** refuses. Returns 1, or 0 if luatensor is already loaded; the state then gets no sandbox. */
static inline int luatensor_sandbox(lua_State *L) {
  if (luatensor_loaded(L)) return 0;
  lua_pushboolean(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, "luatensor.sandbox");
  return 1;
}

#endif
