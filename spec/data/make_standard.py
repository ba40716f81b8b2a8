"""Writes standard.lua: every name of the array API standard with its parameters, from the signatures in a checkout of
https://github.com/data-apis/array-api.

    python3 spec/data/make_standard.py CHECKOUT/src/array_api_stubs/_2025_12 > spec/data/standard.lua
"""
import ast
import pathlib
import sys
import textwrap

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
    if a.vararg:
        names.append("...")
    fields = [f'"{name}"' for name in names]
    if a.kwonlyargs:
        options = [f'{p.arg} = "{default(d)}"' for p, d in zip(a.kwonlyargs, a.kw_defaults)]
        fields.append("options = {" + ", ".join(options) + "}")
    return f'    ["{function.name}"] = {{{", ".join(fields)}}},'


def section(name, rows):
    print(f"  {name} = {{", *sorted(rows), "  },", sep="\n")


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

print("-- Every name of the array API standard, version 2025.12, written by make_standard.py: positional parameters, and")
print("-- options with their defaults.")
print("return {")
for name, rows in groups.items():
    section(name, rows)
for name, words in {"properties": properties, "methods": methods, "constants": constants, "operators": operators}.items():
    lines = textwrap.wrap(", ".join(f'"{word}"' for word in sorted(words)), 110)
    print(f"  {name} = {{", *("    " + line for line in lines), "  },", sep="\n")
print("}")
