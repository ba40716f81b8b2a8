-- tags: process
-- Tests the share of tests that slow devices run: all offsets together run every test of a file once.

local shell = require "spec.support.shell"

-- Returns the list of the tests of a spec file with LUATENSOR_TEST_EVERY set to `setting`.
local function tests_with(setting)
  local list = {}
  local command = "LUATENSOR_TEST_EVERY=%s tools/lua \"$(command -v busted)\" -o TAP spec/linalg/einsum_spec.lua"
  for name in shell.passes(command:format(setting)):gmatch "ok %d+ %- ([^\n]+)" do list[#list + 1] = name end
  return list
end

describe("a share of the tests", function()
  it("differs from offset to offset, and misses none", function()
    local all, gathered = tests_with "1:0", {}
    assert.is_true(#all > 10)
    for offset = 700, 702 do
      local part = tests_with("3:" .. offset)
      assert.is_true(#part >= #all // 3 and #part <= #all // 3 + 1)
      table.move(part, 1, #part, #gathered + 1, gathered)
    end
    table.sort(all)
    table.sort(gathered)
    assert.same(all, gathered)
  end)
end)
