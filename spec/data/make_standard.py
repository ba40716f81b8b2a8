"""Writes spec/data/standard.json: every name of the array API standard, version 2025.12, with its parameters, and options
with their defaults, from the signatures in a checkout of
https://github.com/data-apis/array-api.

    python3 spec/data/make_standard.py CHECKOUT/src/array_api_stubs/_2025_12
"""
import ast
import pathlib
import sys

import as_json

SOURCE = pathlib.Path(sys.argv[1])
EXTENSIONS = {"linalg.py": "linalg", "fft.py": "fft", "info.py": "info"}
OTHER = {"__init__.py", "_types.py", "array_object.py", "constants.py", "data_types.py"}


def public_functions(tree):
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]


def default(node):
    return "None" if node is None else ast.unparse(node)


def row(function):
    a = function.args
    names = [p.arg for p in a.posonlyargs + a.args if p.arg != "self"]
    made = {"parameters": names + ["..."] * bool(a.vararg)}
    if a.kwonlyargs:
        made["options"] = {p.arg: default(d) for p, d in zip(a.kwonlyargs, a.kw_defaults)}
    return function.name, made


groups = {"main": [], "linalg": [], "fft": [], "info": []}
for path in sorted(SOURCE.glob("*.py")):
    if path.name not in OTHER:
        groups[EXTENSIONS.get(path.name, "main")] += map(row, public_functions(ast.parse(path.read_text())))

array = next(n for n in ast.parse((SOURCE / "array_object.py").read_text()).body if isinstance(n, ast.ClassDef))
properties = [n.name for n in array.body if isinstance(n, ast.FunctionDef) and n.decorator_list]
operators = [n.name for n in array.body if isinstance(n, ast.FunctionDef) and n.name.startswith("__")]
methods = [n.name for n in public_functions(array) if n.name not in properties]
constants = [node.targets[0].id for node in ast.parse((SOURCE / "constants.py").read_text()).body
             if isinstance(node, ast.Assign) and node.targets[0].id != "__all__"]

rows = {name: dict(sorted(rows)) for name, rows in groups.items()}
words = {"properties": properties, "methods": methods, "constants": constants, "operators": operators}
as_json.write("standard", {**rows, **{name: sorted(list_) for name, list_ in words.items()}}, 2)
