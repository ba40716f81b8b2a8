"""PyTorch's side of the bench: eager, on the CPU. Usage: torch_rows.py THREADS"""

import sys

import torch

from peer import serve

torch.set_num_threads(int(sys.argv[1]))


def make(dtype, shape):
    kind = getattr(torch, dtype)
    if kind == torch.bool:
        return torch.rand(shape) > 0.5
    if kind.is_floating_point:
        return (torch.rand(shape) + 0.1).to(kind)
    return torch.randint(1, 100, shape, dtype=kind)


print("PyTorch " + torch.__version__, flush=True)
serve(make, {"t": torch})
