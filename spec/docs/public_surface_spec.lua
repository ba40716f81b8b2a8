-- tags: texts
-- Public names cannot vanish or appear unnoticed: spec/data/public_surface.txt lists them with their kinds and
-- options.

local lt = require "luatensor"
local surface = require "spec.support.surface"

local ACCEPT = "%s: %s; where that is meant: tools/lua spec/support/surface.lua > spec/data/public_surface.txt"

local function set_of(lines)
  local set = {}
  for _, line in ipairs(lines) do set[line] = true end
  return set
end

local function without(lines, others)
  local set, rest = set_of(others), {}
  for _, line in ipairs(lines) do if not set[line] then rest[#rest + 1] = line end end
  return table.concat(rest, "; ")
end

describe("the public surface", function()
  local accepted, now = {}, surface.lines()
  for line in io.lines "spec/data/public_surface.txt" do accepted[#accepted + 1] = line end

  it("has every name that it had", function()
    local gone = without(accepted, now)
    assert(gone == "", ACCEPT:format("gone", gone))
  end)

  it("has no other names", function()
    local new = without(now, accepted)
    assert(new == "", ACCEPT:format("new", new))
  end)

  it("has modules that scripts require by name", function()
    for _, name in ipairs {"nn", "optim", "data", "train", "distributed", "bench", "advise", "plot"} do
      assert.equal(rawget(lt, name) or lt[name], require("luatensor." .. name))
    end
    for _, name in ipairs {"luatensor.report", "luatensor.prompt"} do
      assert.truthy(package.searchpath(name, package.path), name)
    end
  end)
end)
