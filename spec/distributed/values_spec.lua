-- tags: process, unsanitized, built
-- Tests the functions of luatensor.distributed in several processes of each MPI library.
local many = require "spec.support.many"

local emulated = "LUATENSOR_CUDA_PATH=build/spec/emulator LUATENSOR_CACHE=build/spec/kernels LUATENSOR_TEST_DEVICE=cuda "

many.each(function(launcher)
  describe("distributed with " .. launcher.name, function()
    for _, n in ipairs {2, 4} do
      it(("computes the right values in %d processes"):format(n), function()
        many.passes(launcher, n, "distributed_values.lua")
      end)
    end

    it("moves large tensors in pieces", function()
      many.passes(launcher, 2, "distributed_values.lua", "LUATENSOR_MPI_PIECE=16")
    end)

    it("computes the right values on the emulated GPU", function()
      many.passes(launcher, 2, "distributed_values.lua", emulated)
    end)
  end)
end)
