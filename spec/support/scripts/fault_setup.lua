-- The setup of fault_script.lua and fault_numeric.lua for fault_host. check() fails if a tensor was changed when an
-- allocation failed.
local lt = require "luatensor"

x = lt.tensor{{1, 2, 3}, {4, 5, 6}}:to("float32")
index = lt.tensor{2, 1}
large = lt.ones(200, 190)

local function same(t, values)
  for i, row in ipairs(t:totable()) do
    for j, v in ipairs(row) do assert(v == values[i][j], "a tensor was changed") end
  end
end

function check()
  same(x, {{1, 2, 3}, {4, 5, 6}})
  assert(large:sum():item() == 38000, "a tensor was changed")
  assert(index:totable()[1] == 2)
  lt.empty_cache()
end
