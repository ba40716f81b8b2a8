# Makes numpy.npz and numpy_deflated.npz by NumPy, version 2.4. Needs `numpy`:
#
#   python3 spec/data/make_npz.py
import os

import numpy as np

folder = os.path.dirname(os.path.abspath(__file__))
matrix = np.arange(6, dtype=np.float32).reshape(2, 3) / 2
arrays = {
    "matrix": matrix,
    "columns": np.asfortranarray(matrix.astype(np.int64)),
    "swapped": matrix.astype(">f8"),
    "number": np.array(2.5),
    "empty": np.zeros((0, 3), np.uint8),
    "arr_0": np.array([True, False]),
    "größe/1": np.array([1 + 2j]),
}
np.savez(os.path.join(folder, "numpy.npz"), **arrays)
np.savez_compressed(os.path.join(folder, "numpy_deflated.npz"), long=np.arange(5000, dtype=np.int16) // 100, **arrays)
