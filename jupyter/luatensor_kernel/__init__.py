"""A Jupyter kernel for Lua with luatensor: docs/notebooks.md."""
