#ifndef LT_CPU_LINALG_CBLAS_H
#define LT_CPU_LINALG_CBLAS_H

/* Declares BLAS's functions: those of Accelerate on macOS, elsewhere those of the cblas.h that the Makefile found. */

#ifdef __APPLE__
#include <Accelerate/Accelerate.h>
#else
#include <cblas.h>
#endif

#endif
