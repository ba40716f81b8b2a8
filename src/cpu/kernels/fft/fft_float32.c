/* The kernels of fft.h (Fourier transforms) for float32. */

#define REAL float
#define TABLE fft_float32_table
#include "cpu/kernels/fft/fft.h"
