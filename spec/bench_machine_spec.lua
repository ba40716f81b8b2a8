-- The machine's limits: what measures them gives figures, keeps them, and says whose they are.
local core = require "luatensor.core"
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

describe("a working set", function()
  it("has a bandwidth and, on the CPU, a latency", function()
    local set = core.working_set("cpu", 5000)
    assert.is_true(set.read > 0 and set.read < math.huge)
    assert.is_true(set.latency > 0 and set.latency < 1)
  end)
  it("gives its memory back", function()
    local before = lt.memory("cpu").live
    core.working_set("cpu", 2 ^ 20)
    assert.equal(before, lt.memory("cpu").live)
  end)
  it("of nothing, or of more than there is, is an error", function()
    assert.has_error(function() core.working_set("cpu", 0) end)
    fails("working_set: out of memory", core.working_set, "cpu", math.maxinteger)
    fails("working_set: out of memory", core.working_set, "cpu", 1 << 50)
  end)
end)
