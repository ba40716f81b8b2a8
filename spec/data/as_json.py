"""Writes what specs read by spec/support/data.lua: JSON with a row a line. Numbers are exact, as repr's digits are."""
import json
import os

UNUSUAL = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def plain(value):
    """With strings in place of numbers that JSON lacks, and complex numbers as pairs."""
    if isinstance(value, dict):
        return {name: plain(v) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float):
        return UNUSUAL.get(str(value), value)
    return value


def text(value, depth):
    if depth == 0 or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    if isinstance(value, list):
        return "[\n" + ",\n".join(text(v, depth - 1) for v in value) + "\n]"
    return "{\n" + ",\n".join(json.dumps(name) + ":" + text(v, depth - 1) for name, v in value.items()) + "\n}"


def write(name, value, depth):
    """name.json in this folder; depth: of so many levels, each element begins a line."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".json")
    with open(path, "w") as file:
        file.write(text(plain(value), depth) + "\n")
