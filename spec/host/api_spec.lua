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
  it("limits memory and threads, and cancels", function() host "limits" end)

  for language, command in pairs {
    ["C99"] = "cc -xc -std=c99", ["C++11"] = "c++ -xc++ -std=c++11 -Wno-missing-field-initializers"
  } do
    it("is " .. language .. " without warnings", function()
      if not shell.passes("command -v " .. command:match "%S+" .. " || true"):find "%S" then return pending "no such compiler" end
      local path <const> = os.tmpname()
      local file <close> = assert(io.open(path, "w"))
      file:write '#include <luatensor.h>\nint f(lua_State *L);\nint f(lua_State *L) { return luatensor_open(L, LUATENSOR_ABI)->abi; }\n'
      file:flush()
      shell.passes(command .. " -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude "
                   .. "$(pkg-config --cflags lua5.4 || pkg-config --cflags lua-5.4) " .. path)
      os.remove(path)
    end)
  end
end)
