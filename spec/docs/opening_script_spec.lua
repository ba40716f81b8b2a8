-- Runs the script that opens the documentation, at a smaller size. The sums of a GPU equal the CPU's except for the
-- order of additions.
local lt = require "luatensor"

local ROUNDS <const>, ROWS <const>, COLS <const> = 5, 700, 300

local function sums(device)
  local list = {}
  lt.manual_seed(2026)
  for i = 1, ROUNDS do
    local x = lt.rand(ROWS, COLS, {device = device})
    local y = lt.rand(ROWS, COLS, {device = device})
    local r = x:matmul(y.T)
    list[i] = r:sum()
  end
  lt.synchronize(device)
  for i, sum in ipairs(list) do list[i] = sum:item() end
  return list
end

describe("the opening script", function()
  it("gives sums that 490 000 products of uniform numbers can have", function()
    for _, sum in ipairs(sums("cpu")) do                    -- the mean of a term is 1/4
      assert.near(ROWS * ROWS * COLS / 4, sum, 0.02 * ROWS * ROWS * COLS / 4)
    end
  end)

  it("gives the CPU's sums on every device", function()
    local expected = sums "cpu"
    if #lt.devices() == 1 then return pending("needs a GPU") end
    for i = 2, #lt.devices() do
      for k, sum in ipairs(sums(lt.devices()[i].device)) do
        -- Both sides add COLS positive terms in float32, and round each addition; the last sum is computed in double.
        assert.near(expected[k], sum, 2 * (COLS + 2) * 2 ^ -24 * expected[k])
      end
    end
  end)
end)
