-- tags: texts
-- The pages that teach: their lines print what the pages say, and what their tables show is right.
local lt = require "luatensor"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local readme, tensors, coming = read "README.md", read "docs/tensors.md", read "docs/coming-from.md"

-- The lines that code prints, in an environment that the blocks of a page share, as a prompt's do.
local function printed_by(code, space)
  local lines = {}
  space.print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    for line in (table.concat(words, "\t") .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  end
  assert(load(code, "=stdin", "t", space))()
  return lines
end

-- An error says the line of the block, which at a prompt is always the first.
local function at_prompt(line) return (line:gsub("stdin:%d+: ", "stdin:1: ")) end

local function blocks_print_what_they_say(page)
  local space, blocks = setmetatable({lt = lt}, {__index = _G}), 0
  for code in page:gmatch "```lua\n(.-)```" do
    blocks = blocks + 1
    it("block " .. blocks .. " prints what stands below its lines", function()
      local expected, printed = {}, printed_by(code, space)
      for line in code:gmatch "%-%-> ([^\n]*)" do expected[#expected + 1] = line end
      for i, line in ipairs(printed) do printed[i] = at_prompt(line) end
      assert.same(expected, printed)
    end)
  end
end

describe("README.md", function() blocks_print_what_they_say(readme) end)

describe("docs/tensors.md", function()
  blocks_print_what_they_say(tensors)

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
  blocks_print_what_they_say(coming)

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
