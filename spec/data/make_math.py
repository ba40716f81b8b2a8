"""Writes spec/data/math.json: exact values of the math functions, by mpmath.

    python3 spec/data/make_math.py

A row holds x as a double and f(x) in two doubles, the rounded value and what is left of it, so that
the spec can tell an error of a fraction of an ulp.
"""
import random
import mpmath
from mpmath import mpf
import as_json

mpmath.mp.dps = 60
random.seed(1)


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def gelu(x):
    return x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2


# name, function, ranges to draw from (each gets an equal share of the points)
FUNCTIONS = [
    ("exp", mpmath.exp, [(-1, 1), (-740, 709)]),
    ("expm1", mpmath.expm1, [(-1, 1), (-40, 709)]),
    ("log", mpmath.log, [(0.4, 2.5), (1e-300, 1e300)]),
    ("log1p", mpmath.log1p, [(-0.9, 2), (0, 1e300)]),
    ("log2", lambda x: mpmath.log(x, 2), [(0.4, 2.5), (1e-300, 1e300)]),
    ("log10", mpmath.log10, [(0.4, 2.5), (1e-300, 1e300)]),
    ("sin", mpmath.sin, [(-4, 4), (-1e6, 1e6), (-1e300, 1e300)]),
    ("cos", mpmath.cos, [(-4, 4), (-1e6, 1e6), (-1e300, 1e300)]),
    ("tan", mpmath.tan, [(-4, 4), (-1e6, 1e6), (-1e300, 1e300)]),
    ("asin", mpmath.asin, [(-1, 1)]),
    ("acos", mpmath.acos, [(-1, 1)]),
    ("atan", mpmath.atan, [(-4, 4), (-1e300, 1e300)]),
    ("sinh", mpmath.sinh, [(-2, 2), (-710, 710)]),
    ("cosh", mpmath.cosh, [(-2, 2), (-710, 710)]),
    ("tanh", mpmath.tanh, [(-2, 2), (-20, 20)]),
    ("asinh", mpmath.asinh, [(-2, 2), (-1e300, 1e300)]),
    ("acosh", mpmath.acosh, [(1, 3), (1, 1e300)]),
    ("atanh", mpmath.atanh, [(-1, 1)]),
    ("erf", mpmath.erf, [(-2, 2), (-6, 6)]),
    ("erfc", mpmath.erfc, [(-2, 2), (-6, 26)]),
    ("sigmoid", sigmoid, [(-4, 4), (-700, 40)]),
    ("gelu", gelu, [(-4, 4), (-37, 9)]),
]
POINTS = 40


def draw(low, high):
    """Uniform, but uniform in the exponent where the range spans hundreds of them."""
    if high < 1e20:
        return random.uniform(low, high)
    x = 2 ** random.uniform(0 if low == 1 else -900, 996)
    return -x if low < 0 and random.random() < 0.5 else x


def row(f, x):
    y = f(mpf(x))
    high = float(y)
    return [x, high, float(y - mpf(high))]


as_json.write("math", {name: [row(f, draw(*ranges[i % len(ranges)])) for i in range(POINTS)] for name, f, ranges in FUNCTIONS}, 2)
