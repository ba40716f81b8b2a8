"""The all-reduce of PyTorch's gloo, measured and printed as by all_reduce.c. mpirun only starts the processes:

    mpirun -n 2 python bench/peers/gloo.py 16777216
"""

import os
import statistics
import sys
import time

import torch
import torch.distributed as dist


def number(*names):
    """Returns the first of these environment variables, which launchers set, as a number."""
    return int(next(os.environ[name] for name in names if name in os.environ))


def time_calls(data, size):
    """Returns the mean and the median seconds of this process's calls."""
    warm, count = (200, 1000) if size <= 8192 else (10, 100)
    times = []
    for _ in range(warm + count):
        start = time.perf_counter()
        dist.all_reduce(data)
        times.append(time.perf_counter() - start)
        dist.barrier()
    return [statistics.fmean(times[warm:]), statistics.median(times[warm:])]


rank = number("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
world = number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29517")
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=world)
size, largest = 8, int(sys.argv[1]) if len(sys.argv) > 1 else 16777216
while size <= largest:
    found = torch.tensor(time_calls(torch.zeros(size // 4), size), dtype=torch.float64)
    dist.all_reduce(found)
    mean, median = (found / world).tolist()
    if rank == 0:
        print(f"{size} {mean:.9f} {median:.9f}", flush=True)
    size *= 2
dist.destroy_process_group()
