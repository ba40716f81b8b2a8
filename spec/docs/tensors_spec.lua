-- tags: texts
-- The page that teaches tensors: its lines print what the page says, and its table of indices is right.
local lt = require "luatensor"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local page = read "docs/tensors.md"

-- The lines that code prints, in an environment that the blocks of the page share, as a prompt's do.
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

describe("docs/tensors.md", function()
  local space = setmetatable({lt = lt}, {__index = _G})
  local blocks = 0
  for code in page:gmatch "```lua\n(.-)```" do
    blocks = blocks + 1
    it("block " .. blocks .. " prints what stands below its lines", function()
      local expected, printed = {}, printed_by(code, space)
      for line in code:gmatch "%-%-> ([^\n]*)" do expected[#expected + 1] = line end
      for i, line in ipairs(printed) do printed[i] = at_prompt(line) end
      assert.same(expected, printed)
    end)
  end

  it("has a table of indices with their shapes, and with what shares memory", function()
    local rows = 0
    for index, shape, shares in page:gmatch "\n| `(x%b[])` | [^|]* | (%b[]) | (%S+) |" do
      rows = rows + 1
      local x = lt.arange(1, 13):reshape(3, 4)
      local part = load("local lt, x = ... return " .. index)(lt, x)
      assert.equal(shape, tostring(part.shape), index)
      if part.size > 0 then
        part:fill_(-1)
        assert.equal(shares, x:equal(-1):any():item() and "yes" or "no", index)
      end
    end
    assert.equal(select(2, page:gsub("\n| `x%b[]`", "")), rows)
  end)
end)
