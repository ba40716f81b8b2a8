--- Helpers of specs of lt.compile.

local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"

local compiled = {}

--- Compiles f. At the end of each call, the tensors that f has dropped are collected before the operations run, so that
-- nobody can read them.
function compiled.collecting(f)
  return lt.compile(function(...)
    local results = table.pack(f(...))
    collectgarbage()
    return table.unpack(results, 1, results.n)
  end)
end

--- Returns a list with helpers.bits of each tensor.
function compiled.all_bits(...)
  local all = table.pack(...)
  for i = 1, all.n do all[i] = helpers.bits(all[i]) end
  return all
end

--- Returns a function draw(n), which returns a random integer from 1 to n. Random programs draw with this generator, so
-- that random numbers of luatensor stay out of them. The first numbers are skipped, because they are alike for small
-- seeds.
function compiled.generator(seed)
  local random = cases.random(seed)
  for _ = 1, 4 do random(1) end
  return function(n) return random(n) + 1 end
end

return compiled
