#ifndef LT_OP_FFT_H
#define LT_OP_FFT_H

/* Discrete Fourier transforms. fft_prepare determines dtypes and shapes, and fft_run calls the device for one dim after
** another, or for several dims together. Neither raises Lua errors. */

#include "op/op.h"

/* The scaling of results. n is the number of elements that are transformed together. backward: only results of inverse
** transforms are divided, by n. ortho: all results are divided by the square root of n. forward: only results of
** forward transforms are divided, by n. */
enum fft_norm { FFT_NORM_backward, FFT_NORM_ortho, FFT_NORM_forward };

/* The transforms, as X(name, kind, inverse, dims). `dims` is 1 if a single dim is transformed, 2 if the last two dims
** are transformed by default, and 0 if all dims are transformed by default. hfft conjugates its input, and ihfft
** conjugates its result. */
#define FFT_OPS(X)                       \
  X(fft,    FFT_complex,   false, 1)     \
  X(ifft,   FFT_complex,   true,  1)     \
  X(rfft,   FFT_real,      false, 1)     \
  X(irfft,  FFT_hermitian, true,  1)     \
  X(hfft,   FFT_hermitian, false, 1)     \
  X(ihfft,  FFT_real,      true,  1)     \
  X(fft2,   FFT_complex,   false, 2)     \
  X(ifft2,  FFT_complex,   true,  2)     \
  X(rfft2,  FFT_real,      false, 2)     \
  X(irfft2, FFT_hermitian, true,  2)     \
  X(fftn,   FFT_complex,   false, 0)     \
  X(ifftn,  FFT_complex,   true,  0)     \
  X(rfftn,  FFT_real,      false, 0)     \
  X(irfftn, FFT_hermitian, true,  0)

typedef struct fft_info {
  const char   *name;
  enum fft_kind kind;
  bool          inverse;
  int           dims;
} fft_info;

#define FFT_ONE(...) + 1
enum { FFT_COUNT = FFT_OPS(FFT_ONE) };
#undef FFT_ONE
extern const fft_info fft_ops[FFT_COUNT];

/* A transform. The caller sets the fields up to n, fft_prepare sets result and shape. */
typedef struct fft_op {
  const fft_info *info;
  const tensor *in;
  enum fft_norm norm;
  int           ndims;        /* the number of transformed dims, at least 1 */
  int           dim[MAX_DIMS];/* the transformed dims, 0-based; a dim of which only half is kept comes last */
  int64_t       n[MAX_DIMS];  /* the length of the transform along each of these dims, at least 1 */
  enum dtype    result;
  shape         shape;        /* shape of the result */
} fft_op;

int fft_prepare(fft_op *f);              /* sets result and shape; returns OK or ERR_DTYPE */

/* Computes the transform into `out`, which must not share memory with the input; may be deferred. Fails with ERR_DEVICES,
** ERR_OUT_SHAPE, ERR_CAST, ERR_READONLY or ERR_OVERLAP, which leave `out` unchanged, or with ERR_MEMORY,
** ERR_NO_KERNEL or another error of the device. */
int fft_run_later(const fft_op *f, tensor *out);

#endif
