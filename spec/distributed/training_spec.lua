-- tags: process, unsanitized, built
-- Tests training on several processes of each MPI library: DataParallel, Sharded, DistributedSampler, checkpoints.
local gpu = require "spec.support.gpu"
local many = require "spec.support.many"
local shell = require "spec.support.shell"

local example = "tools/lua examples/13_many.lua --epochs %d --network %s --device %s"

-- The places in which models are trained: name, device, environment variables, epochs, and numbers of processes.
local places = {
  {"the CPU", "cpu", "", 3, {4, 2, 1}}, {"an emulated GPU", "cuda", gpu.only "cuda", 1, {4, 2}},
}

-- Returns the losses in the output of the example, one for each epoch.
local function losses_in(output, epochs)
  local losses = {}
  for loss in output:gmatch "epoch %d+: loss (%S+)," do losses[#losses + 1] = tonumber(loss) end
  assert(#losses == epochs, output)
  return losses
end

-- Compares the losses of a network on several processes with those of a process without launcher.
local function check_losses(launcher, network, place)
  local _, device, environment, epochs, sizes = table.unpack(place)
  local command = example:format(epochs, network, device)
  local alone = losses_in(shell.passes(environment .. " " .. command), epochs)
  for _, n in ipairs(sizes) do
    local status, output = many.run(launcher, n, command .. (n == 4 and " --sharded" or ""), environment)
    assert(status == 0, output)
    for epoch, loss in ipairs(losses_in(output, epochs)) do
      assert(math.abs(loss - alone[epoch]) <= 1e-5 * alone[epoch], ("%s, not %s"):format(loss, alone[epoch]))
    end
  end
  assert(epochs == 1 or alone[epochs] < 0.9 * alone[1], "the network learns nothing")
end

-- Returns the sorted numbers of the samples in the batches that the jobs of a folder had one after another. Each job
-- continued the epoch of the job before.
local function batches_in(output) return output:match "batch ([%d ]+)" end

many.each(function(launcher)
  describe("training with " .. launcher.name, function()
    for _, place in ipairs(places) do
      local where, device, environment, _, sizes = table.unpack(place)
      for _, network in ipairs {"mlp", "cnn", "transformer"} do
        it(("gives the losses of one process, but for rounding: %s on %s"):format(network, where), function()
          check_losses(launcher, network, place)
        end)
      end

      it("averages gradients, divides states and saves checkpoints as one process expects, on " .. where, function()
        local folder, apart = shell.folder(), shell.folder()
        for _, n in ipairs(sizes) do
          local script = ("many_training.lua %s "):format(device)
          local alone = shell.passes(("%s tools/lua spec/support/scripts/%s%s"):format(environment, script, apart))
          local output = many.passes(launcher, n, script .. folder, environment)
          assert.equal(batches_in(alone), batches_in(output))
          assert.truthy(output:find("passed: misuse", 1, true))
        end
        os.execute(("rm -r %s %s"):format(folder, apart))
      end)
    end
  end)
end)

describe("training on several processes", function()
  it("keeps a whole checkpoint if a process is killed", function()
    local output = shell.passes "tools/lua spec/support/torture/many.lua 3"
    assert.equal("3 passed, 0 failed, 0 skipped\n", output)
  end)
end)
