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

  it("of a damaged file says so, wherever the file is cut", function()
    local code = shell.read(build .. "/luatensor/core.so")
    for _, kept in ipairs {0, 63, 64, 1000, #code // 2, #code - 100} do
      has(says_with(function() return code:sub(1, kept) end), "core.so is damaged: install luatensor again, or in a checkout")
    end
    has(says_with(function() return ("<html>"):rep(50) end), "core.so is damaged: install luatensor again, or in a checkout")
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

  it("of another library says that the file is not the C module", function()
    local library = shell.passes(("ldd %s/luatensor/core.so"):format(build)):match "libz%.so%.1 => (%S+)"
    has(says_with(function() return shell.read(library) end),
      "luatensor/core.so is not the C module of luatensor: correct LUA_CPATH, or install luatensor again (")
  end)

  -- Returns the error of `require "luatensor"` if luatensor.core is a Lua module with this code, and the module's path.
  local function says_instead(code)
    local folder = shell.folder()
    os.execute(("mkdir %s/luatensor"):format(folder))
    shell.write(folder .. "/luatensor/core.lua", code)
    local status, text = shell.run(("LUA_PATH='%s/?.lua;lua/?.lua;lua/?/init.lua' lua5.4 -e 'require \"luatensor\"'"):format(folder))
    os.execute("rm -r " .. folder)
    assert.equal(1, status)
    return text:match "lua5.4: ([^\n]*)", folder .. "/luatensor/core.lua"
  end

  it("of another version names both files and both versions", function()
    local says = "luatensor: the C module %s is of %s, but the Lua files in lua/luatensor are of %s: " ..
      "install luatensor again, or in a checkout run make"
    for code, found in pairs {['{version = "0.9"}'] = "luatensor 0.9", ["{}"] = "another version of luatensor"} do
      local text, path = says_instead("return " .. code)
      assert.equal(says:format(path, found, require "luatensor.base.version"), text)
    end
    local text, path = says_instead(("return {version = %q}"):format(require("luatensor.base.version"):match "%S+$"))
    assert.equal(("luatensor: the C module %s has no NAME, which the Lua files in lua/luatensor use: " ..
      "install luatensor again, or in a checkout run make"):format(path), (text:gsub('has no "%w+"', "has no NAME")))
    text, path = says_instead "return true"
    has(text, path .. " is not the C module of luatensor")
  end)

  it("knows what the loader and Lua say", function()
    local says = {
      ["core.so: undefined symbol: lua_rawgetp"] = "-rdynamic",
      ["version mismatch: app. needs 504.0, Lua core provides 505.0"] = "built for Lua 5.4, this is " .. _VERSION,
      ["/lib/x86_64-linux-gnu/libm.so.6: version `GLIBC_2.35' not found (required by core.so)"] = "older than GLIBC 2.35",
      ["core.so: wrong ELF class: ELFCLASS32"] = "another kind of processor",
      ["/lib/libopenblas.so.0: file too short"] = "/lib/libopenblas.so.0 is damaged: install its package again",
      ["libgomp.so.1: cannot open shared object file: No such file or directory"] = "Ubuntu: libgomp1)",
      ["libquadmath.so.0: cannot open shared object file: No such file or directory"] = "Ubuntu: libquadmath0)",
      ["libgcc_s.so.1: cannot open shared object file: No such file or directory"] = "Ubuntu: libgcc-s1)",
      ["Error loading shared library libgomp.so.1: No such file or directory (needed by core.so)"] = "Ubuntu: libgomp1)",
      ["Error relocating core.so: lua_rawgetp: symbol not found"] = "-rdynamic",
      ["/usr/lib/luatensor/libz.so.1: invalid ELF header"] = "libz.so.1 is damaged: install its package again",
      ["libother.so: cannot open shared object file: No such file or directory"] = "libother.so is missing",
    }
    for text, part in pairs(says) do has(loading.meaning(text) or "nothing", part) end
    assert.is_nil(loading.meaning "not enough memory")
  end)
end)

describe("a search path without the C module", function()
  -- Copies the Lua files into `lua`, a folder below a new folder, makes empty files there, and requires a module of the
  -- copy. Returns the error and the new folder.
  local function says_at(lua, files, module)
    local root = shell.folder()
    shell.passes(("mkdir -p %s/%s && cp -r lua/luatensor %s/%s"):format(root, lua, root, lua))
    for _, file in ipairs(files) do
      shell.passes(("mkdir -p $(dirname %s/%s) && touch %s/%s"):format(root, file, root, file))
    end
    local status, text = shell.run(("LUA_PATH='%s/%s/?.lua;%s/%s/?/init.lua' LUA_CPATH='/none/?.so' lua5.4 -e 'require \"%s\"'")
      :format(root, lua, root, lua, module or "luatensor"))
    os.execute("rm -r " .. root)
    assert.equal(1, status, text)
    return text:match "[^\n]*", root
  end

  it("gets the variable that finds the module of a checkout or an installed tree", function()
    for lua, libraries in pairs {lua = "build", ["share/lua/5.4"] = "lib/lua/5.4"} do
      local text, root = says_at(lua, {"src/core.c", libraries .. "/luatensor/core.so"})
      has(text, ('luatensor: package.cpath does not lead to the C module luatensor/core.so: set LUA_CPATH="%s/%s/?.so;;"')
        :format(root, libraries))
    end
  end)

  it("gets make in a checkout that was not built", function()
    local text, root = says_at("lua", {"src/core.c"}, "luatensor.nn")
    has(text, ("core.so: run make in %s, or set LUA_CPATH if the C module is built elsewhere"):format(root))
  end)

  it("gets an installation elsewhere", function()
    for _, lua in ipairs {"lua", "share/lua/5.4", "files"} do
      has(says_at(lua, {}), 'luatensor/core.so: set LUA_CPATH="FOLDER/?.so;;", where FOLDER/luatensor/core.so is the C module ' ..
        "(the LIBDIR of make install), or install luatensor again if there is no such file")
    end
  end)
end)
