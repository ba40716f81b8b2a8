"""Times rows of bench/rows.lua with PyTorch in eager mode. Usage: torch_rows.py THREADS DEVICE"""

import sys

import torch

import steps
from peer import serve

torch.set_num_threads(int(sys.argv[1]))
device = sys.argv[2].replace("rocm", "cuda")  # PyTorch calls AMD's GPUs "cuda", too
torch.set_default_device(device)


def make(dtype, shape):
    kind = getattr(torch, dtype)
    if kind == torch.bool:
        return torch.rand(shape) > 0.5
    if kind.is_floating_point:
        return (torch.rand(shape) + 0.1).to(kind)
    return torch.randint(1, 100, shape, dtype=kind)


print("PyTorch " + torch.__version__, flush=True)
serve(make, {"t": torch, "steps": steps}, torch.cuda.synchronize if device.startswith("cuda") else lambda: None)
