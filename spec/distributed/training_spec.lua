-- tags: process, unsanitized, built
-- Tests training on several processes of each MPI library: DataParallel, Sharded, DistributedSampler, checkpoints.
local helpers = require "spec.support.helpers"
local many = require "spec.support.many"
local shell = require "spec.support.shell"

local device = helpers.device
local example = "tools/lua examples/13_many.lua --epochs 3 --device " .. device

-- Returns the losses in the output of the example, one for each epoch.
local function losses_in(output)
  local losses = {}
  for loss in output:gmatch "epoch %d+: loss (%S+)," do losses[#losses + 1] = tonumber(loss) end
  assert(#losses == 3, output)
  return losses
end

-- Returns the sorted numbers of the samples in the batches that the jobs of a folder had one after another. Each job
-- continued the epoch of the job before.
local function batches_in(output) return output:match "batch ([%d ]+)" end

many.each(function(launcher)
  describe("training with " .. launcher.name, function()
    for _, network in ipairs {"mlp", "cnn", "transformer"} do
      it(("gives the losses of one process, but for rounding, on 2 and 4 processes: %s"):format(network), function()
        local command = example .. " --network " .. network
        local alone = losses_in(shell.passes(command))
        assert(alone[3] < alone[1], "the network learns nothing")
        for _, n in ipairs {1, 2, 4} do
          local status, output = many.run(launcher, n, command .. (n == 4 and " --sharded" or ""))
          assert(status == 0, output)
          for epoch, loss in ipairs(losses_in(output)) do
            assert(math.abs(loss - alone[epoch]) <= 1e-5 * alone[epoch], ("%s, not %s"):format(loss, alone[epoch]))
          end
        end
      end)
    end

    it("averages gradients, divides states and saves checkpoints as one process expects", function()
      local script, folder, apart = "many_training.lua " .. device .. " ", shell.folder(), shell.folder()
      for _, n in ipairs {4, 2, 1} do
        local output = many.passes(launcher, n, script .. folder)
        local alone = shell.passes(("tools/lua spec/support/scripts/%s%s"):format(script, apart))
        assert.equal(batches_in(alone), batches_in(output))
        assert.truthy(output:find("passed: misuse", 1, true))
      end
      os.execute(("rm -r %s %s"):format(folder, apart))
    end)
  end)
end)

describe("training on several processes", function()
  it("keeps a whole checkpoint if a process is killed", function()
    local output = shell.passes "tools/lua spec/support/torture/many.lua 3"
    assert.equal("3 passed, 0 failed, 0 skipped\n", output)
  end)
end)
