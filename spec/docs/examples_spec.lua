-- What the tour, the page about training and the page about GPUs show runs as it stands there.
local lt = require "luatensor"

local function blocks(path)
  local file = assert(io.open(path))
  local text, list = file:read("a"), {}
  file:close()
  for code in text:gmatch("```lua\n(.-)```") do list[#list + 1] = code end
  return list
end

for _, page in ipairs {"docs/tour.md", "docs/training.md"} do
describe(page, function()
  for i, code in ipairs(blocks(page)) do
    it("example " .. i .. " runs", function()
      local file, saved, printed = os.tmpname(), {}, {}  -- what is saved goes elsewhere, and away
      local space = setmetatable({print = function(...)
        local n = select("#", ...)
        for k = 1, n do printed[#printed + 1] = tostring((select(k, ...))) end
      end}, {__index = _G})
      local here = code:gsub('"(%w+%.%l+)"', function(name)
        if name:find("npy$") or name:find("safetensors$") then saved[name] = ("%s.%s"):format(file, name) end
        return saved[name] and ("%q"):format(saved[name])
      end)
      assert(load(here, page, "t", space))()
      os.remove(file)
      for _, path in pairs(saved) do os.remove(path) end
      assert.truthy(#printed > 0)
      local expected = code:match("print%(problem%)%s*%-%- ([^\n]+)")
      if expected then assert.equal(expected, printed[#printed]:sub(-#expected)) end   -- after the line number
    end)
  end
end)
end

describe("docs/gpu.md", function()
  if not lt.cuda.is_available() then return pending("needs a GPU") end
  for i, code in ipairs(blocks("docs/gpu.md")) do
    it("example " .. i .. " runs", function()
      local printed = {}
      local space = setmetatable({print = function(...)
        for k = 1, select("#", ...) do printed[#printed + 1] = tostring((select(k, ...))) end
      end}, {__index = _G})
      code = code:gsub("7000", "70"):gsub("3000", "30"):gsub("1000", "20")       -- an emulator is slow
      assert(load(code, "docs/gpu.md", "t", space))()
      local all = table.concat(printed, "\n")
      local expected = code:match("print%(pcall[^\n]*%-%- ([^\n]+)")
      if expected then assert.truthy(all:find(expected, 1, true), all) end
    end)
  end
end)
