"""Times rows of bench/rows.lua with NumPy. Usage: numpy_rows.py ROUND …

NumPy's BLAS reads the number of threads from the environment.
"""

import numpy

from peer import serve

random = numpy.random.default_rng()


def make(dtype, shape):
    kind = numpy.dtype(dtype)
    if kind == numpy.bool_:
        return random.random(shape) > 0.5
    if kind.kind == "f":
        return (random.random(shape) + 0.1).astype(kind)
    return random.integers(1, 100, shape, dtype=kind)


print("NumPy " + numpy.__version__, flush=True)
serve(make, {"t": numpy, "rng": random})
