"""Writes spec/data/complex.json: functions of complex numbers, by mpmath and by CPython's cmath.

    python3 spec/data/make_complex.py

`exact` has values of mpmath, 1500 digits of them rounded to double, at points that are hard: near zeros, poles, branch
points and the unit circle, with parts of very different size. `special` has what cmath, which follows annex G of C,
gives where a part is 0, infinite or NaN, on both sides of the branch cuts; without the entries that a later edition of
C changed, and without those where cmath raises an error. Rows are x, y and the parts of f(x + iy). Those of `binary` are
x, y, u, v, the parts of f(x + iy, u + iv), and how many eps more the result may be off.
"""
import cmath
import itertools
import math
import random

import mpmath
from mpmath import mpc, mpf

import as_json

mpmath.mp.dps = 1500
random.seed(1)
POINTS = 56

# name, function, and "r" or "i" if the function grows like an exponential of the real or imaginary part
FUNCTIONS = [
    ("exp", mpmath.exp, "r"), ("expm1", lambda z: mpmath.exp(z) - 1, "r"),
    ("sigmoid", lambda z: 1 / (1 + mpmath.exp(-z)), "r"),
    ("sinh", mpmath.sinh, "r"), ("cosh", mpmath.cosh, "r"), ("tanh", mpmath.tanh, "r"),
    ("sin", mpmath.sin, "i"), ("cos", mpmath.cos, "i"), ("tan", mpmath.tan, "i"),
    ("log", mpmath.log, ""), ("log1p", lambda z: mpmath.log(1 + z), ""),
    ("log2", lambda z: mpmath.log(z) / mpmath.log(2), ""), ("log10", lambda z: mpmath.log(z) / mpmath.log(10), ""),
    ("sqrt", mpmath.sqrt, ""), ("sign", lambda z: z / abs(z), ""),
    ("asin", mpmath.asin, ""), ("acos", mpmath.acos, ""), ("atan", mpmath.atan, ""),
    ("asinh", mpmath.asinh, ""), ("acosh", mpmath.acosh, ""), ("atanh", mpmath.atanh, ""),
]
SPECIAL = "exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split()
PARTS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, math.inf, -math.inf, math.nan]


def sign():
    return random.choice((-1, 1))


def power(low, high):
    return sign() * 2.0 ** random.uniform(low, high)


def point(kind, grows):
    """A point; of a function that grows, with one part of modest size and the other of any."""
    far = 9 if grows else 990
    if kind == 0:
        z = random.uniform(-4, 4), random.uniform(-4, 4)
    elif kind == 1:
        z = power(-60, 9), power(-60, 9)
    elif kind == 2:
        z = power(-960, far), power(-960, 40 if grows else far)
    elif kind == 3:                                   # the unit circle
        r, t = 1 + power(-52, -2), random.uniform(-4, 4)
        z = r * math.cos(t), r * math.sin(t)
    elif kind == 4:                                   # around 1, -1, i and -i
        z = sign() + power(-60, -1), power(-80, -1)
        z = z if random.random() < 0.6 else z[::-1]
    elif kind == 5:                                   # around multiples of pi/2
        z = power(-40, 0), random.randint(-8, 8) * math.pi / 2 + power(-60, -3)
        return z[::-1] if grows != "r" else z
    else:
        z = random.uniform(-700, 700), random.uniform(-1e6, 1e6)
    return z[::-1] if grows == "i" else z


def exact_rows(f, grows):
    rows = []
    for i in range(POINTS):
        x, y = point(i % 7, grows)
        w = mpc(f(mpc(x, y)))
        rows.append([x, y, float(w.real), float(w.imag)])
    return rows


def changed(name, x, y):
    """Is the real part settled only since C17 (DR 471)?"""
    zero, other = (y, x) if name == "tan" else (x, y)
    return name in ("tan", "tanh", "acosh") and zero == 0 and other - other != 0


def special_rows(name):
    rows = []
    for x, y in itertools.product(PARTS, PARTS):
        if changed(name, x, y):
            continue
        try:
            w = getattr(cmath, name)(complex(x, y))
        except (ValueError, OverflowError):
            continue
        rows.append([x, y, w.real, w.imag])
    return rows


def power_rows():
    """Of z, w and z^w, with the size of w log z, which tells how much an error of log z grows."""
    rows = []
    for i in range(POINTS):
        x, y = random.gauss(0, 3), random.gauss(0, 3)
        u, v = [(random.randint(-40, 40), 0), (random.uniform(-5, 5), 0), (random.gauss(0, 2), random.gauss(0, 2))][i % 3]
        w = mpc(u, v) * mpmath.log(mpc(x, y))
        r = mpmath.exp(w)
        grown = 0.0 if i % 3 == 0 else float(round(float(abs(w))))
        rows.append([x, y, float(u), float(v), float(r.real), float(r.imag), grown])
    return rows


def ratio_rows():
    rows = []
    for i in range(POINTS):
        far = 20 if i % 2 else 500
        a = [power(-far, far) for _ in range(4)]
        r = mpc(a[0], a[1]) / mpc(a[2], a[3])
        rows.append([*a, float(r.real), float(r.imag), 0.0])
    return rows


as_json.write("complex", {
    "exact": {name: exact_rows(f, grows) for name, f, grows in FUNCTIONS},
    "special": {name: special_rows(name) for name in SPECIAL},
    "binary": {"pow": power_rows(), "divide": ratio_rows()},
}, 3)
