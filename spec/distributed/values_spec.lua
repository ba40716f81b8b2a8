-- tags: process, unsanitized, built
-- Tests the functions of luatensor.distributed in several processes of each MPI library.
local many = require "spec.support.many"

many.each(function(launcher)
  describe("distributed with " .. launcher.name, function()
    for _, n in ipairs {2, 4} do
      it(("computes sums, gathers and broadcasts in %d processes"):format(n), function()
        many.passes(launcher, n, "distributed_values.lua")
      end)
    end
  end)
end)
