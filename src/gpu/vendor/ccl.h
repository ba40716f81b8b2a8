#ifndef LT_GPU_VENDOR_CCL_H
#define LT_GPU_VENDOR_CCL_H

/* The functions of NCCL, the library by which GPUs of several processes exchange data. AMD's RCCL has functions of the
** same names, types and values. With LT_CHECK_DRIVER (make lint) the declarations are compared with NVIDIA's header, if it
** is installed. */

#include <stddef.h>

#if defined(LT_CHECK_DRIVER) && __has_include(<nccl.h>)
#define LT_CHECK_CCL
#include <nccl.h>
#define CCL_TYPE(ours, theirs, definition) typedef theirs ours;
#else
#define CCL_TYPE(ours, theirs, definition) typedef definition ours;
#endif

enum { CCL_ID_BYTES = 128 };

CCL_TYPE(ccl_result,    ncclResult_t,   int)
CCL_TYPE(ccl_id,        ncclUniqueId,   struct { char internal[CCL_ID_BYTES]; })
CCL_TYPE(ccl_handle,    ncclComm_t,     struct ccl_handle_opaque *)
CCL_TYPE(ccl_type,      ncclDataType_t, int)
CCL_TYPE(ccl_op,        ncclRedOp_t,    int)
CCL_TYPE(ccl_stream,    cudaStream_t,   struct gpu_stream_opaque *)

/* X(luatensor's name, NCCL's name, value) */
#define CCL_CONSTANTS(X)                        \
  X(CCL_SUCCESS,        ncclSuccess,         0) \
  X(CCL_SYSTEM_ERROR,   ncclSystemError,     2) \
  X(CCL_REMOTE_ERROR,   ncclRemoteError,     6) \
  X(CCL_IN_PROGRESS,    ncclInProgress,      7) \
  X(CCL_SUM,            ncclSum,             0) \
  X(CCL_MAX,            ncclMax,             2) \
  X(CCL_INT8,           ncclInt8,            0) \
  X(CCL_UINT8,          ncclUint8,           1) \
  X(CCL_INT32,          ncclInt32,           2) \
  X(CCL_UINT32,         ncclUint32,          3) \
  X(CCL_INT64,          ncclInt64,           4) \
  X(CCL_UINT64,         ncclUint64,          5) \
  X(CCL_FLOAT16,        ncclFloat16,         6) \
  X(CCL_FLOAT32,        ncclFloat32,         7) \
  X(CCL_FLOAT64,        ncclFloat64,         8) \
  X(CCL_BFLOAT16,       ncclBfloat16,        9)

#define CCL_CONSTANT(ours, theirs, value) ours = value,
enum { CCL_CONSTANTS(CCL_CONSTANT) };
#undef CCL_CONSTANT

/* X(field of the table, symbol, type of the result, parameters) */
#define CCL_FUNCTIONS(X)                                                                                             \
  X(error_text,     ncclGetErrorString,   const char *, (ccl_result r))                                              \
  X(make_id,        ncclGetUniqueId,      ccl_result, (ccl_id *id))                                                  \
  X(start,          ncclCommInitRank,     ccl_result, (ccl_handle *h, int size, ccl_id id, int rank))                \
  X(destroy,        ncclCommDestroy,      ccl_result, (ccl_handle h))                                                \
  X(give_up,        ncclCommAbort,        ccl_result, (ccl_handle h))                                                \
  X(async_error,    ncclCommGetAsyncError, ccl_result, (ccl_handle h, ccl_result *error))                            \
  X(all_reduce,     ncclAllReduce,        ccl_result, (const void *in, void *out, size_t count, ccl_type type,       \
      ccl_op op, ccl_handle h, ccl_stream s))                                                                        \
  X(all_gather,     ncclAllGather,        ccl_result, (const void *in, void *out, size_t count, ccl_type type,       \
      ccl_handle h, ccl_stream s))                                                                                   \
  X(reduce_scatter, ncclReduceScatter,    ccl_result, (const void *in, void *out, size_t count, ccl_type type,       \
      ccl_op op, ccl_handle h, ccl_stream s))                                                                        \
  X(broadcast,      ncclBroadcast,        ccl_result, (const void *in, void *out, size_t count, ccl_type type,       \
      int root, ccl_handle h, ccl_stream s))                                                                         \
  X(send,           ncclSend,             ccl_result, (const void *in, size_t count, ccl_type type, int peer,        \
      ccl_handle h, ccl_stream s))                                                                                   \
  X(receive,        ncclRecv,             ccl_result, (void *out, size_t count, ccl_type type, int peer,             \
      ccl_handle h, ccl_stream s))

#define CCL_FIELD(field, symbol, result, parameters) result (*field) parameters;
typedef struct gpu_ccl { CCL_FUNCTIONS(CCL_FIELD) } gpu_ccl;
#undef CCL_FIELD

#endif
