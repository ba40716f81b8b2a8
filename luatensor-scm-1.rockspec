rockspec_format = "3.0"
package = "luatensor"
version = "scm-1"
source = {
  url = "git+https://github.com/luatensor/luatensor.git",
}
description = {
  summary = "n-dimensional tensors for Lua 5.4 and 5.5, fast on the CPU and on GPUs",
  detailed = [[
Tensors with the array API standard's functions, 1-based indexing and Lua's own operators.
Needs OpenBLAS and zlib with their headers (Debian: libopenblas-openmp-dev, zlib1g-dev) and a C11
compiler.]],
  homepage = "https://github.com/luatensor/luatensor",
  license = "MIT",
  labels = { "tensor", "array", "math", "gpu", "machine-learning" },
}
supported_platforms = { "linux", "macosx" }
dependencies = {
  "lua >= 5.4, < 5.6",
  "argparse >= 0.7",     -- the command luatensor
}
test_dependencies = {
  "busted >= 2.1",
}
-- OpenBLAS is found by the Makefile: LuaRocks does not look into the directories where Debian keeps it. So is zlib.
build = {
  type = "make",
  build_target = "build",
  install_target = "install",
  build_variables = {
    LUA_INCDIR = "$(LUA_INCDIR)",
  },
  install_variables = {
    LUA_INCDIR = "$(LUA_INCDIR)",
    LUADIR = "$(LUADIR)",
    LIBDIR = "$(LIBDIR)",
    BINDIR = "$(BINDIR)",
    INCDIR = "$(PREFIX)/include",
    MANDIR = "$(PREFIX)/man",
  },
}
test = {
  type = "command",
  command = "make test",
}
