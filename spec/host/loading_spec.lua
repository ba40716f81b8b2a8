-- tags: process
-- Tests that one sentence gives the reason and the remedy if the C module cannot be loaded. base/requirements.lua and
-- base/loading.lua make these sentences.
local loading = require "luatensor.base.loading"
local shell = require "spec.support.shell"

local build = os.getenv "BUILD" or "build"

-- Returns the error of `require "luatensor"` with a copy of the C module whose bytes `change` has changed.
local function says_with(change)
  local folder = shell.folder()
  os.execute(("mkdir %s/luatensor"):format(folder))
  shell.write(folder .. "/luatensor/core.so", change(shell.read(build .. "/luatensor/core.so")))
  local status, text = shell.run(("LUA_CPATH='%s/?.so' lua5.4 -e 'require \"luatensor\"'"):format(folder))
  os.execute("rm -r " .. folder)
  assert.equal(1, status)
  return text
end

local function has(text, part) assert.is_true(text:find(part, 1, true) ~= nil, text) end

describe("loading", function()
  it("of code for another processor says so", function()
    -- Bytes 19 and 20 of an ELF file hold the machine type; 243 is RISC-V.
    local text = says_with(function(code) return code:sub(1, 18) .. "\243\0" .. code:sub(21) end)
    has(text, "luatensor: luatensor.core is for another kind of processor: build it here, from the sources")
  end)

  it("of a truncated file says so", function()
    has(says_with(function(code) return code:sub(1, 30) end), "luatensor: core.so is damaged: install it again (")
  end)

  it("without OpenBLAS names its package", function()
    local text = says_with(function(code) return (code:gsub("libopenblas%.so%.0", "libopenblas.so.9")) end)
    has(text, "luatensor: libopenblas.so.9 is missing on this system: install it (Debian and Ubuntu: libopenblas0-openmp)")
  end)

  it("without a library of OpenBLAS's names its package", function()
    local blas = shell.passes(("ldd %s/luatensor/core.so"):format(build)):match "libopenblas%.so%.0 => (%S+)"
    local code = shell.read(blas)
    if not code:find("libgomp.so.1", 1, true) then return pending "this OpenBLAS needs no libgomp" end
    local folder = shell.folder()
    shell.write(folder .. "/libopenblas.so.0", (code:gsub("libgomp%.so%.1", "libgomp.so.9")))
    local status, text = shell.run(("LD_LIBRARY_PATH=%s LUA_CPATH='%s/?.so' lua5.4 -e 'require \"luatensor\"'"):format(folder, build))
    os.execute("rm -r " .. folder)
    assert.equal(1, status)
    has(text, "luatensor: libgomp.so.9 is missing on this system: install it (Debian and Ubuntu: libgomp1) (libgomp.so.9: cannot open")
  end)

  it("by a program that does not export Lua's functions says how to link it", function()
    local static = shell.passes("pkg-config --variable=libdir lua5.4 || pkg-config --variable=libdir lua-5.4"):gsub("%s+$", "")
      .. "/liblua5.4.a"
    if not shell.exists(static) then return pending "no static library of Lua here" end
    local program = os.tmpname()
    shell.write(program .. ".c", [[
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  if (luaL_dostring(L, "require 'luatensor'")) puts(lua_tostring(L, -1));
}
]])
    shell.passes(("cc -o %s %s.c $(pkg-config --cflags lua5.4 || pkg-config --cflags lua-5.4) %s -lm -ldl"):format(
      program, program, static))
    local text = shell.passes(program)
    os.execute(("rm %s %s.c"):format(program, program))
    has(text, "luatensor: this program does not export Lua's functions: link it with -rdynamic")
  end)

  it("knows what the loader and Lua say", function()
    local says = {
      ["core.so: undefined symbol: lua_rawgetp"] = "-rdynamic",
      ["version mismatch: app. needs 504.0, Lua core provides 505.0"] = "built for Lua 5.4, this is " .. _VERSION,
      ["/lib/x86_64-linux-gnu/libm.so.6: version `GLIBC_2.35' not found (required by core.so)"] = "older than GLIBC 2.35",
      ["core.so: wrong ELF class: ELFCLASS32"] = "another kind of processor",
      ["libgomp.so.1: cannot open shared object file: No such file or directory"] = "Ubuntu: libgomp1)",
      ["libquadmath.so.0: cannot open shared object file: No such file or directory"] = "Ubuntu: libquadmath0)",
      ["libgcc_s.so.1: cannot open shared object file: No such file or directory"] = "Ubuntu: libgcc-s1)",
      ["Error loading shared library libgomp.so.1: No such file or directory (needed by core.so)"] = "Ubuntu: libgomp1)",
      ["Error relocating core.so: lua_rawgetp: symbol not found"] = "-rdynamic",
      ["/usr/lib/luatensor/libz.so.1: invalid ELF header"] = "libz.so.1 is damaged: install it again",
      ["libother.so: cannot open shared object file: No such file or directory"] = "libother.so is missing",
    }
    for text, part in pairs(says) do has(loading.meaning(text) or "nothing", part) end
    assert.is_nil(loading.meaning "not enough memory")
  end)
end)
