"""Times rows of bench/rows.lua with PyTorch. Usage: torch_rows.py ROUND THREADS DEVICE [compiled]

With the word compiled, torch.compile compiles each row. Without it, the rows run in eager mode.
"""

import os
import sys
import tempfile

import torch

import chains
import steps
from peer import serve

torch.set_num_threads(int(sys.argv[2]))
device = sys.argv[3].replace("rocm", "cuda")  # PyTorch calls AMD's GPUs "cuda", too
torch.set_default_device(device)


def make(dtype, shape):
    kind = getattr(torch, dtype)
    if kind == torch.bool:
        return torch.rand(shape) > 0.5
    if kind.is_floating_point:
        return (torch.rand(shape) + 0.1).to(kind)
    return torch.randint(1, 100, shape, dtype=kind)


def compiled(function):
    """Compiles a function with PyTorch's default options, as the first function of the process."""
    # imported here, because eager mode does not need these modules
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.exc import InvalidCxxCompiler
    try:
        get_cpp_compiler()
    except InvalidCxxCompiler:
        raise RuntimeError("no C++ compiler") from None
    torch.compiler.reset()
    return torch.compile(function)


compiles = sys.argv[4:] == ["compiled"]
print("PyTorch " + torch.__version__ + (", torch.compile" if compiles else ""), flush=True)
with tempfile.TemporaryDirectory() as folder:      # an empty cache, so that the first call of a row compiles the row
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
    serve(make, {"t": torch, "steps": steps, "chains": chains},
          torch.cuda.synchronize if device.startswith("cuda") else lambda: None, compiled if compiles else None)
