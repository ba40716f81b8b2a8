# Makes python.safetensors, written by the Python package safetensors, version 0.8, with tensors of every dtype. Needs
# `safetensors`:
#
#   python3 spec/data/make_safetensors.py
import ctypes
import os
import struct

from safetensors import TensorSpec, serialize_file

FORMATS = {"float64": "d", "float32": "f", "float16": "e", "int64": "q", "int32": "i", "int16": "h", "int8": "b",
           "uint64": "Q", "uint32": "I", "uint16": "H", "uint8": "B", "bool": "?"}
tensors, buffers = {}, []


def add(name, dtype, shape, data):
    buffers.append(ctypes.create_string_buffer(data, max(1, len(data))))
    tensors[name] = TensorSpec(dtype=dtype, shape=shape, data_ptr=ctypes.addressof(buffers[-1]), data_len=len(data))


for dtype, code in FORMATS.items():
    values = [1, 0, 1, 1, 0, 1] if dtype == "bool" else range(6)
    add("of " + dtype, dtype, [2, 3], struct.pack("<6" + code, *values))
add("of bfloat16", "bfloat16", [2], struct.pack("<HH", 0x3F80, 0xC040))
add("of complex64", "complex64", [2], struct.pack("<4f", 1, -2, 0.5, 4))
add("empty", "float32", [0, 3], b"")
add("number", "float32", [], struct.pack("<f", 2.5))
add("übung \"7\"\n", "float32", [1], struct.pack("<f", 7))
folder = os.path.dirname(os.path.abspath(__file__))
serialize_file(tensors, os.path.join(folder, "python.safetensors"), {"made by": "Python"})
