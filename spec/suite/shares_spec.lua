-- Tests the share of cases that slow devices and builds run: all offsets together run every case once.

-- Returns the functions of helpers with LUATENSOR_TEST_SHARE set to `setting`, or unset (nil).
local function helpers_with(setting)
  local getenv = os.getenv
  os.getenv = function(name)                                 -- luacheck: ignore 122
    if name == "LUATENSOR_TEST_SHARE" then return setting end
    return getenv(name)
  end
  local made = dofile "spec/support/helpers.lua"
  os.getenv = getenv                                         -- luacheck: ignore 122
  return made
end

local names = {"bool", "uint8", "int8", "int16", "float16", "float32", "float64"}

-- Calls give(helpers, collect) for each of `count` consecutive offsets, with helpers for this share of the cases.
-- Returns the sorted list of all values that were passed to collect.
local function gathered(count, give)
  local list = {}
  for offset = 700, 699 + count do
    give(helpers_with(count .. ":" .. offset), function(x) list[#list + 1] = x end)
  end
  table.sort(list)
  return list
end

local sorted = table.move(names, 1, #names, 1, {})
table.sort(sorted)

describe("a share of the cases", function()
  it("is all of them where nothing is said", function()
    assert.same(names, helpers_with(nil).drawn(names, "sum"))
  end)

  for _, count in ipairs {1, 3, 4} do
    it(("of 1 / %d differs from offset to offset, and misses none"):format(count), function()
      for _, key in ipairs {"sum", "logaddexp", ""} do
        assert.same(sorted, gathered(count, function(part, collect)
          for _, name in ipairs(part.drawn(names, key)) do collect(name) end
        end))
      end
      assert.same(sorted, gathered(count, function(part, collect)
        local declare = part.drawn_it(collect)
        for _, name in ipairs(names) do declare(name) end
      end))
    end)
  end

  it("is the same whatever ran before", function()
    local part = helpers_with "4:707"
    local first = part.drawn(names, "sum")
    part.drawn(names, "prod")
    assert.same(first, part.drawn(names, "sum"))
    assert.same(first, helpers_with("4:707").drawn(names, "sum"))
  end)
end)
