"""Writes what PyTorch's optimisers and schedulers give, for spec/optim/optimizers_spec.lua and spec/optim/schedulers_spec.lua:
spec/data/optim.json.

    python3 spec/data/make_optim.py
"""
import warnings

import torch
from torch.optim import lr_scheduler as S

import as_json

warnings.simplefilter("ignore")
STEPS = 10

# class, options in Python, the same options in Lua
OPTIMISERS = [
    ("SGD", "lr=0.1"), ("SGD", "lr=0.1, momentum=0.9"), ("SGD", "lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1"),
    ("SGD", "lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1"), ("SGD", "lr=0.1, momentum=0.5, maximize=True"),
    ("Adam", "lr=0.1"), ("Adam", ""), ("Adam", "lr=0.1, betas=(0.7, 0.8), eps=0.01, weight_decay=0.2"),
    ("Adam", "lr=0.1, amsgrad=True"), ("Adam", "lr=0.1, amsgrad=True, betas=(0.5, 0.6), maximize=True"),
    ("AdamW", "lr=0.1"), ("AdamW", "lr=0.1, weight_decay=0.5, amsgrad=True"), ("AdamW", "lr=0.1, maximize=True"),
    ("RMSprop", "lr=0.1"), ("RMSprop", "lr=0.1, alpha=0.8, eps=0.01, weight_decay=0.1, momentum=0.6"),
    ("RMSprop", "lr=0.1, centered=True"), ("RMSprop", "lr=0.1, centered=True, momentum=0.9, maximize=True"),
    ("Adagrad", "lr=0.1"), ("Adagrad", "lr=0.1, lr_decay=0.3, weight_decay=0.1, initial_accumulator_value=0.5, eps=0.01"),
    ("Adagrad", "lr=0.1, maximize=True"),
    ("Adadelta", ""), ("Adadelta", "lr=0.5, rho=0.7, eps=0.01, weight_decay=0.1"), ("Adadelta", "maximize=True"),
    ("Adamax", "lr=0.1"), ("Adamax", "lr=0.1, betas=(0.7, 0.8), eps=0.01, weight_decay=0.2, maximize=True"),
    ("NAdam", "lr=0.1"), ("NAdam", "lr=0.1, betas=(0.7, 0.8), momentum_decay=0.1, weight_decay=0.2"),
    ("NAdam", "lr=0.1, decoupled_weight_decay=True, weight_decay=0.2, maximize=True"),
    ("RAdam", "lr=0.1"), ("RAdam", "lr=0.1, betas=(0.7, 0.9), weight_decay=0.2"),
    ("RAdam", "lr=0.1, decoupled_weight_decay=True, weight_decay=0.2, maximize=True"),
]

# the expression of `o` in Python, the same in Lua if it differs, steps
SCHEDULERS = [
    ("StepLR(o, 3)", None, 10), ("StepLR(o, 4, gamma=0.5)", "StepLR(o, 4, {gamma = 0.5})", 10),
    ("MultiStepLR(o, [2, 5, 5, 8])", "MultiStepLR(o, {2, 5, 5, 8})", 10),
    ("ExponentialLR(o, 0.9)", None, 6),
    ("ConstantLR(o)", None, 8), ("ConstantLR(o, factor=0.5, total_iters=3)", "ConstantLR(o, {factor = 0.5, total_iters = 3})", 6),
    ("LinearLR(o)", None, 8),
    ("LinearLR(o, start_factor=0.1, end_factor=0.8, total_iters=4)",
     "LinearLR(o, {start_factor = 0.1, end_factor = 0.8, total_iters = 4})", 6),
    ("PolynomialLR(o)", None, 7), ("PolynomialLR(o, total_iters=6, power=2)", "PolynomialLR(o, {total_iters = 6, power = 2})", 8),
    ("CosineAnnealingLR(o, 5)", None, 12), ("CosineAnnealingLR(o, 5, eta_min=0.05)", "CosineAnnealingLR(o, 5, {eta_min = 0.05})", 12),
    ("CosineAnnealingWarmRestarts(o, 4)", None, 10),
    ("CosineAnnealingWarmRestarts(o, 3, T_mult=2, eta_min=0.01)", "CosineAnnealingWarmRestarts(o, 3, {T_mult = 2, eta_min = 0.01})", 22),
    ("OneCycleLR(o, 2.0, total_steps=20)", "OneCycleLR(o, 2.0, {total_steps = 20})", 19),
    ("OneCycleLR(o, [2.0, 1.0], epochs=4, steps_per_epoch=5, three_phase=True, anneal_strategy='linear', div_factor=10.0)",
     "OneCycleLR(o, {2.0, 1.0}, {epochs = 4, steps_per_epoch = 5, three_phase = true, anneal_strategy = 'linear', div_factor = 10})", 19),
    ("OneCycleLR(o, 2.0, total_steps=10, cycle_momentum=False, pct_start=0.5)",
     "OneCycleLR(o, 2.0, {total_steps = 10, cycle_momentum = false, pct_start = 0.5})", 9),
    ("CyclicLR(o, 0.1, 1.0, step_size_up=4)", "CyclicLR(o, 0.1, 1.0, {step_size_up = 4})", 18),
    ("CyclicLR(o, 0.1, 1.0, step_size_up=3, step_size_down=5, mode='triangular2')",
     "CyclicLR(o, 0.1, 1.0, {step_size_up = 3, step_size_down = 5, mode = 'triangular2'})", 18),
    ("CyclicLR(o, 0.1, 1.0, step_size_up=3, mode='exp_range', gamma=0.9, cycle_momentum=False)",
     "CyclicLR(o, 0.1, 1.0, {step_size_up = 3, mode = 'exp_range', gamma = 0.9, cycle_momentum = false})", 14),
    ("LambdaLR(o, lambda t: 1 / (1 + t))", "LambdaLR(o, function(t) return 1 / (1 + t) end)", 5),
    ("LambdaLR(o, [lambda t: 0.5 ** t, lambda t: 1])", "LambdaLR(o, {function(t) return 0.5 ^ t end, function() return 1 end})", 5),
    ("SequentialLR(o, [S.LinearLR(o, total_iters=3), S.CosineAnnealingLR(o, 4), S.ExponentialLR(o, 0.5)], [3, 8])",
     "SequentialLR(o, {S.LinearLR(o, {total_iters = 3}), S.CosineAnnealingLR(o, 4), S.ExponentialLR(o, 0.5)}, {3, 8})", 12),
]

LBFGS = ["max_iter=5, lr=0.5", "max_iter=5, line_search_fn='strong_wolfe'",
         "max_iter=8, history_size=2, line_search_fn='strong_wolfe', maximize=True"]

METRICS = [1, 0.9, 0.95, 0.91, 0.92, 0.93, 0.5, 0.5, 0.5, 0.49999, 0.6, 0.7, 0.8, 0.9, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4]
PLATEAUS = [
    ("patience=2", "{patience = 2}"),
    ("patience=1, factor=0.5, cooldown=2, min_lr=0.02", "{patience = 1, factor = 0.5, cooldown = 2, min_lr = 0.02}"),
    ("mode='max', patience=2, threshold=0.01, threshold_mode='abs'",
     "{mode = 'max', patience = 2, threshold = 0.01, threshold_mode = 'abs'}"),
]


def lua_options(text):
    for a, b in (("True", "true"), ("False", "false"), ("(", "{"), (")", "}"), ("=", " = ")):
        text = text.replace(a, b)
    return "{" + text + "}"


def numbers(x):
    return [float(v) for v in x]


def optimiser(name, options, start, gradients):
    p, q = (torch.tensor(s, dtype=torch.float64, requires_grad=True) for s in start)
    opt = eval(f"torch.optim.{name}([p, q], {options})")
    seen = []
    for k, (g, h) in enumerate(gradients):
        p.grad = torch.tensor(g, dtype=torch.float64)
        # one step of one parameter has no gradient
        q.grad = None if k == 3 else torch.tensor(h, dtype=torch.float64)
        opt.step()
        if k in (0, STEPS - 1):
            seen.append(numbers(torch.cat([p.detach(), q.detach()])))
    return [name, lua_options(options), *seen]


def fresh():
    p, q = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    return torch.optim.SGD([{"params": [p]}, {"params": [q], "lr": 0.1}], lr=0.5, momentum=0.9)


def scheduler(text, lua, steps):
    o = fresh()
    s = eval(text.replace("S.", "") if "S." not in text else text, {"o": o, "S": S, **vars(S)})
    rows = [[], [], []]
    for k in range(steps + 1):
        for i in (0, 1):
            rows[i].append(o.param_groups[i]["lr"])
        rows[2].append(o.param_groups[0]["momentum"])
        if k < steps:
            o.step()
            s.step()
    return [lua or text, *map(numbers, rows)]


def plateau(options, lua):
    o = fresh()
    s = eval(f"S.ReduceLROnPlateau(o, {options})")
    rows = [[], []]
    for m in METRICS:
        s.step(m)
        for i in (0, 1):
            rows[i].append(o.param_groups[i]["lr"])
    return [lua, *map(numbers, rows)]


def lbfgs(options, lua):
    """Rosenbrock's valley from (-1.2, 1): the loss and the parameters of each step."""
    x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    opt = torch.optim.LBFGS([x], **eval(f"dict({options})"))
    sign = -1 if "maximize" in options else 1

    def closure():
        opt.zero_grad()
        loss = sign * ((1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2)
        loss.backward()
        return loss

    seen = []
    for _ in range(6):
        seen += [opt.step(closure).item(), *x.tolist()]
    return [lua, numbers(seen), opt.state[x]["func_evals"]]


def draw(*shape):
    return (torch.randn(*shape, dtype=torch.float64) * 1e4).round().div(1e4).tolist()


torch.manual_seed(7)
start = [draw(3), draw(2)]
gradients = [(draw(3), draw(2)) for _ in range(STEPS)]
as_json.write("optim", {
    "torch": torch.__version__.split("+")[0], "start": start, "gradients": gradients,
    # parameters after the first step and after the last
    "optimisers": [optimiser(*row, start, gradients) for row in OPTIMISERS],
    # learning rates of two groups, and the momentum of the first group
    "schedulers": [scheduler(*row) for row in SCHEDULERS],
    "metrics": numbers(METRICS), "plateaus": [plateau(*row) for row in PLATEAUS],
    # loss and parameters after each step, and the number of calls of the closure
    "lbfgs": [lbfgs(options, lua_options(options)) for options in LBFGS],
}, 2)
