"""Writes what PyTorch computes, forward and backward, for spec/nn/pytorch_spec.lua: spec/data/pytorch/<group>.json from the cases of
spec/data/pytorch/<group>.py.

    python3 spec/data/pytorch/make.py              all groups
    python3 spec/data/pytorch/make.py linear loss  these

A case is a line: PyTorch's expression, ours, the inputs (below), then options:

    case("nn.Linear(3, 2)", "nn.Linear(3, 2)", randn(4, 3))
    case("lambda x, y: F.mse_loss(x, y)", "functional.mse_loss", randn(4, 3), randn(4, 3))

eval=True      the module is in evaluation mode
call=(t, l)    how it is called, where that is not module(x, …): "lambda m, x, h: m(x, (h, h))", "function(m, x, h) … end"
outputs=k      only the first k of the flattened results count
backward=False nothing is differentiated
tol64, tol32   instead of 1e-10 and 1e-5, relative to the largest magnitude
float64=True   no float32: the numbers do not allow it
device=False   on the CPU only: where kernels of its own would take an emulated GPU long to compile
counts=True     integer results are numbers, not positions
names={a: b}   names of the state where ours differ otherwise than by counting from 1

Parameters, buffers and inputs are drawn anew and rounded, so that the files stay small. Integer results (positions) are
written counted from 1.
"""
import glob
import json
import os
import sys
import zlib

import torch
import torch.nn as nn
import torch.nn.functional as F

FOLDER = os.path.dirname(os.path.abspath(__file__))


# ---- inputs: functions that draw, called when the case is seeded ----

def rounded(x):
    return (x.double() * 1e4).round() / 1e4


def randn(*shape):
    return lambda: rounded(torch.randn(shape))


def uniform(low, high, *shape):
    return lambda: rounded(low + (high - low) * torch.rand(shape))


def fixed(make):
    """A float input that needs no gradient."""
    def draw():
        x = make() if callable(make) else torch.tensor(make, dtype=torch.float64)
        x.is_fixed = True
        return x
    return draw


def values(*numbers):
    """These numbers, or nested lists of them; bool and integers stay what they are."""
    def draw():
        x = torch.tensor(numbers[0] if len(numbers) == 1 else numbers)
        return x.double() if x.is_floating_point() else x
    return draw


def classes(count, *shape):
    """Indices 0 … count - 1; ours count from 1."""
    def draw():
        x = torch.randint(0, count, shape)
        x.is_index = True
        return x
    return draw


def indices(*numbers):
    """These indices, from 0 (negative ones, such as what is ignored, stay)."""
    def draw():
        x = torch.tensor(numbers[0] if len(numbers) == 1 else numbers)
        x.is_index = True
        return x
    return draw


def probabilities(*shape):
    """Softmax over dim 1."""
    return lambda: torch.softmax(torch.randn(shape), 1 if len(shape) > 1 else 0).double()


# ---- one case ----

def flatten(results):
    if isinstance(results, torch.Tensor):
        return [results]
    if isinstance(results, (tuple, list)):
        return [x for each in results for x in flatten(each)]
    return []


def number(x):
    if isinstance(x, bool) or isinstance(x, int):
        return x
    if x != x:
        return "NaN"
    if x in (float("inf"), float("-inf")):
        return "Infinity" if x > 0 else "-Infinity"
    return float("%.12g" % x)


def entry(x, index=False):
    flat = x.detach().reshape(-1)
    if index:
        flat = torch.where(flat >= 0, flat + 1, flat)
    return {"shape": list(x.shape), "dtype": str(x.dtype).replace("torch.", ""), "data": [number(v) for v in flat.tolist()]}


def randomise(module):
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(rounded(torch.empty_like(p).uniform_(-1, 1)))
        for b in module.buffers():
            if b.is_floating_point():
                b.copy_(rounded(torch.empty_like(b).uniform_(0.5, 1.5)))


def state_of(module, changed_from=None):
    return {name: entry(x) for name, x in module.state_dict().items()
            if changed_from is None or not torch.equal(x, changed_from[name])}


def run(torch_text, lua_text, makers, options):
    torch.manual_seed(zlib.crc32(torch_text.encode()))
    subject = eval(torch_text, {"torch": torch, "nn": nn, "F": F})
    module = subject if isinstance(subject, nn.Module) else None
    inputs = [make() for make in makers]
    row = {"torch": torch_text, "lua": lua_text}
    if module is not None:
        module.double()
        randomise(module)
        module.train(not options.get("eval"))
        row["state"] = state_of(module)
        before = {name: x.clone() for name, x in module.state_dict().items()}
    for x in inputs:
        if x.is_floating_point() and not hasattr(x, "is_fixed"):
            x.requires_grad_()
    call = options.get("call")
    results = eval(call[0], {"torch": torch, "nn": nn, "F": F})(subject, *inputs) if call else subject(*inputs)
    results = flatten(results)[:options.get("outputs")]
    row["inputs"] = [dict(entry(x, hasattr(x, "is_index")), fixed=hasattr(x, "is_fixed")) for x in inputs]
    row["outputs"] = [entry(y, not y.is_floating_point() and y.dtype != torch.bool and not options.get("counts")) for y in results]
    if module is not None:
        row["after"] = state_of(module, before)
    if options.get("backward", True):
        weights = [rounded(torch.empty_like(y).uniform_(-1, 1)) if y.requires_grad else None for y in results]
        torch.autograd.backward([y for y in results if y.requires_grad], [w for w in weights if w is not None])
        row["weights"] = [entry(w) if w is not None else False for w in weights]
        row["gradients"] = [entry(x.grad) if x.grad is not None else False for x in inputs]
        if module is not None:
            row["parameters"] = {name: entry(p.grad) for name, p in module.named_parameters() if p.grad is not None}
    if call:
        row["call"] = call[1]
    for name in ("eval", "tol64", "tol32", "float64", "device", "names"):
        if name in options:
            row[name] = options[name]
    return row


# ---- files ----

def write(group):
    rows = []

    def case(torch_text, lua_text, *makers, **options):
        rows.append(run(torch_text, lua_text, makers, options))

    scope = dict(globals(), case=case)
    path = os.path.join(FOLDER, group)
    exec(compile(open(path + ".py").read(), path + ".py", "exec"), scope)
    with open(path + ".json", "w") as file:
        lines = [json.dumps(row, separators=(",", ":")) for row in rows]
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
    print("%s: %d cases, %d bytes" % (group, len(rows), os.path.getsize(path + ".json")))


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    found = sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(FOLDER, "*.py")))
    for group in sys.argv[1:] or [name for name in found if name != "make"]:
        write(group)
