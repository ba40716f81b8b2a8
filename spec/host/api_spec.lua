-- tags: process
-- Tests include/luatensor.h by the program spec/support/hosts/api_host.c.
local shell = require "spec.support.shell"

local function host(mode)
  if not shell.exists "build/spec/api_host" then return pending "make test-hosts builds the host" end
  return shell.passes("build/spec/api_host " .. mode)
end

describe("luatensor.h", function()
  it("finds the functions, and says what to do where their number is another", function() host "abi" end)
  it("makes, reads and checks tensors", function() host "tensors" end)
  it("lends memory of the host, and takes it back", function() host "lend" end)
  it("refuses wrong loans, and revoking twice, in another thread or in the middle of an operation", function() host "wrong" end)
  it("refuses to claim a loan while another thread computes, and stays in memory that the host has changed", function()
    host "in_use"
  end)
  it("limits memory and threads, and cancels", function() host "limits" end)

  local C <const> = "-xc -std=c99 -Wpedantic -Wconversion -Wsign-conversion"
  local CXX <const> = "-xc++ -std=c++11 -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast "
    .. "-Wzero-as-null-pointer-constant"
  for compiler, flags in pairs {
    gcc = C, clang = C, ["g++"] = CXX .. " -Wuseless-cast", ["clang++"] = CXX
  } do
    it("compiles without warnings by " .. compiler, function()
      if shell.run("command -v " .. compiler) ~= 0 then return pending "no such compiler" end
      local path <const> = os.tmpname()
      shell.write(path, [[
#include <luatensor.h>
int f(lua_State *L);
int f(lua_State *L) { return luatensor_open(L, LUATENSOR_ABI)->abi + luatensor_sandbox(L); }
luatensor_array g(float *data, const int64_t *shape);
luatensor_array g(float *data, const int64_t *shape) { return luatensor_rows(data, LUATENSOR_float32, 2, shape); }
]])
      shell.passes(("%s %s -Wall -Wextra -Werror -O2 -c -o /dev/null -Iinclude " ..
        "$(pkg-config --cflags lua5.4 || pkg-config --cflags lua-5.4) %s"):format(compiler, flags, path))
      os.remove(path)
    end)
  end
end)
