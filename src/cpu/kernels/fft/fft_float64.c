/* The kernels of fft.h (Fourier transforms) for float64. */

#define REAL double
#define TABLE fft_float64_table
#include "cpu/kernels/fft/fft.h"
