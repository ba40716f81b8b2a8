-- What the README shows runs as it stands there.

local function blocks(path)
  local file = assert(io.open(path))
  local text, list = file:read("a"), {}
  file:close()
  for code in text:gmatch("```lua\n(.-)```") do list[#list + 1] = code end
  return list
end

describe("README.md", function()
  for i, code in ipairs(blocks("README.md")) do
    it("example " .. i .. " runs", function()
      local file = os.tmpname()
      local printed = {}
      local space = setmetatable({print = function(...)
        local n = select("#", ...)
        for k = 1, n do printed[#printed + 1] = tostring((select(k, ...))) end
      end}, {__index = _G})
      assert(load(code:gsub("y%.npy", file .. ".npy"), "README.md", "t", space))()
      os.remove(file)
      os.remove(file .. ".npy")
      assert.truthy(#printed > 0)
      local expected = code:match("print%(problem%)%s*%-%- ([^\n]+)")
      if expected then assert.equal(expected, printed[#printed]:sub(-#expected)) end   -- after the line number
    end)
  end
end)
