# Writes spec/data/fft.json, the results of NumPy's numpy.fft, for spec/array/fft_spec.lua.
import numpy as np

import as_json

rows = []
random = np.random.default_rng(20251201)


def made(shape, dtype):
    """Multiples of 1/64, so that every float dtype holds them."""
    part = lambda: random.integers(-256, 257, shape) / 64
    return (part() + 1j * part() if dtype.startswith("complex") else part()).astype(dtype)


def value(a):
    numbers = [complex(z) if a.dtype.kind == "c" else float(z) for z in a.ravel()]
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": numbers}


def case(name, x, **options):
    result = getattr(np.fft, name)(x, **options)
    # axes become dims, which count from 1
    up = lambda d: d + 1 if d >= 0 else d
    if "axis" in options:
        options["dim"] = up(options.pop("axis"))
    if "axes" in options:
        options["dim"] = [up(d) for d in options.pop("axes")]
    rows.append({"name": name, "options": options, "x": value(x), "y": value(result)})


def frequencies(name, n, d):
    result = getattr(np.fft, name)(n, d)
    rows.append({"name": name, "n": n, "d": float(d), "y": value(result)})


for dtype in "complex128", "complex64":
    for name in "fft", "ifft":
        for n in 1, 2, 5, 8, 12:
            case(name, made(n, dtype))
        for norm in "ortho", "forward":
            case(name, made(6, dtype), norm=norm)
        case(name, made((3, 4), dtype), n=5, axis=0)
        case(name, made((2, 7), dtype), n=4, norm="forward")
for dtype in "float64", "float32":
    for name in "fft", "ifft", "rfft", "ihfft":
        for n in 1, 2, 3, 6, 7:
            case(name, made(n, dtype))
        case(name, made((5, 2), dtype), n=8, axis=0, norm="ortho")
        case(name, made((2, 7), dtype), n=4, norm="forward")
for dtype in "complex128", "complex64":
    for name in "irfft", "hfft":
        for n in 2, 3, 5:
            case(name, made(n, dtype))
            case(name, made(n, dtype), n=2 * n - 1)
        case(name, made((4, 3), dtype), n=9, axis=0, norm="ortho")
        case(name, made((2, 7), dtype), n=5, norm="forward")
case("irfft", made(4, "float64"), n=7)
case("hfft", made(4, "float64"))
for name, dtype in ("fftn", "complex128"), ("ifftn", "complex128"), ("fftn", "float64"), ("rfftn", "float64"), ("irfftn", "complex128"):
    case(name, made((3, 4), dtype))
    case(name, made((2, 3, 4), dtype), norm="ortho")
    case(name, made((3, 2, 4), dtype), axes=(2, 0), norm="forward")
    case(name, made((4, 3, 2), dtype), s=(3, 5), axes=(0, 1))
    case(name, made((4, 3), dtype), s=(-1, 6), axes=(0, 1))
for name, dtype in ("fft2", "complex128"), ("ifft2", "complex128"), ("rfft2", "float64"), ("irfft2", "complex128"):
    case(name, made((2, 3, 4), dtype))
for n in 1, 2, 7, 8:
    frequencies("fftfreq", n, 1.0)
    frequencies("fftfreq", n, 0.1)
    frequencies("rfftfreq", n, 0.3)
for name in "fftshift", "ifftshift":
    case(name, made(5, "float64"))
    case(name, made((3, 4), "float64"))
    case(name, made((3, 4), "complex128"), axes=[1])
as_json.write("fft", rows, 1)
