-- tags: texts
-- Every block of Lua on every page runs, its lines print the given output, and the tables are right. Blocks that need
-- a GPU are in examples_spec.
local lt = require "luatensor"
local pages = require "spec.support.pages"

for _, path in ipairs(pages.all()) do
  describe(path, function()
    local place
    lazy_setup(function() place = pages.place() end)
    lazy_teardown(function() pages.leave(place) end)

    for _, block in ipairs(pages.blocks(path)) do
      if block.part then
        it(("line %d can be compiled"):format(block.line), function() assert(load(block.code, path)) end)
      elseif not block.gpu then
        it(("line %d runs, and prints what it says"):format(block.line), function()
          local printed, expected = pages.run(place, block.code), pages.expected(block.code)
          if expected then assert.same(expected, printed) end
        end)
      end
    end
  end)
end

describe("docs/tensors.md", function()
  local tensors = pages.read "docs/tensors.md"

  it("has a table of indices with their shapes, and with what shares memory", function()
    local rows = 0
    for index, shape, shares in tensors:gmatch "\n| `(x%b[])` | [^|]* | (%b[]) | (%S+) |" do
      rows = rows + 1
      local x = lt.arange(1, 13):reshape(3, 4)
      local part = load("local lt, x = ... return " .. index)(lt, x)
      assert.equal(shape, tostring(part.shape), index)
      if part.size > 0 then
        part:fill_(-1)
        assert.equal(shares, x:equal(-1):any():item() and "yes" or "no", index)
      end
    end
    assert.equal(select(2, tensors:gsub("\n| `x%b[]`", "")), rows)
    assert.truthy(rows > 15)
  end)
end)

describe("docs/coming-from.md", function()
  local coming = pages.read "docs/coming-from.md"

  it("has a table whose last column runs", function()
    local rows = 0
    for code in coming:gmatch "\n| [^\n]*| `([^`\n]+)` |%f[\n]" do
      rows = rows + 1
      local x, y, v = lt.rand(2, 3), lt.rand(2, 3), lt.rand(3)
      local run = assert(load("local lt, x, y, v = ... return " .. code), code)
      assert.is_not_nil(run(lt, x, y, v), code)
    end
    assert.truthy(rows > 25)
  end)

  it("names functions that work, and names whose errors say what to write", function()
    local x = lt.ones(2, 3)
    for code, cure in pairs {["x:size(1)"] = "x.shape[i]", ["x:cuda_()"] = 'use x:to("cuda")', ["lt.randperm(3)"] = '"permutation"'} do
      local _, message = pcall(load("local lt, x = ... return " .. code), lt, x)
      assert.truthy(message:find(cure, 1, true), message)
    end
    assert.equal("[4, 3]", tostring(lt.cat({x, x}):cumsum(1):clamp(0, 1):unsqueeze(1):view(4, 3).shape))
  end)
end)

describe("docs/embedding.md", function()
  local prelude = [[
#include <lauxlib.h>
#include <lualib.h>
#include <luatensor.h>
#include <stdio.h>
static const luatensor_api *lt;
static int64_t height, width;
static unsigned char *pixels;
void call_script(lua_State *);
int luaopen_luatensor_core(lua_State *);
typedef struct DLManagedTensorVersioned DLManagedTensorVersioned;
void hand_to_renderer(DLManagedTensorVersioned *);
void host(lua_State *L) { (void)L; {
]]

  for code in pages.read("docs/embedding.md"):gmatch "```c\n(.-)```" do
    it("has C that a compiler takes: " .. code:match "[^\n]*", function()
      local path = os.tmpname()
      local file <close> = assert(io.open(path, "w"))
      local whole = code:find "#include"               -- a file, not lines of a function
      file:write(whole and "" or prelude, (code:gsub("\n…\n", "\n")), whole and "" or "}}\n")
      file:flush()
      local command = "cc -xc -std=c99 -Wall -Wextra -Werror -fsyntax-only -Iinclude " ..
        "$(pkg-config --cflags lua5.4 || pkg-config --cflags lua-5.4) %s 2>&1"
      local pipe = assert(io.popen(command:format(path)))
      assert.equal("", pipe:read "a")
      pipe:close()
      os.remove(path)
    end)
  end
end)
