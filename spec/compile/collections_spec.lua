-- tags: host unsanitized uncollected unemulated
-- Garbage collections before small results are stored (collect_maybe in src/lua/compile.c).
local lt = require "luatensor"

local mode

describe("small chains of compiled functions", function()
  before_each(function() mode = collectgarbage "generational" end)
  after_each(function() collectgarbage(mode) end)

  -- Returns how many of 40 calls stored only their result. Every 14th call collects garbage in any case.
  local function count(elements)
    local x, n = lt.linspace(-1, 1, elements), 0
    local f = lt.compile(function() return ((((x * 2 + 1) * 3 - 4) * 5 + 6) * 7 - 8) * 9 end)
    for _ = 1, 40 do
      if f:explain():find "1 result stored" then n = n + 1 end
    end
    return n
  end

  -- Returns the median of the seconds of 40 young collections after calls.
  local function collection()
    local x, seconds = lt.linspace(-1, 1, 1000), {}
    for i = 1, 40 do
      local _ = (x * 2 + 1):sum():item()
      local start = lt.clock()
      collectgarbage("step", 0)
      seconds[i] = lt.clock() - start
    end
    table.sort(seconds)
    return seconds[20]
  end

  it("do not store their temporary results, because collections are short", function()
    local before, n, after = collection(), count(1000), collection()
    if math.max(before, after) > 1.5e-6 then return pending "collections are long on this machine" end
    assert.truthy(n > 10, n)
  end)

  it("of a few elements store them, because a collection takes longer", function()
    local n = count(100)
    assert.truthy(n <= 4, n)
  end)
end)
