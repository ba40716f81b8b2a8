-- tags: process, unsanitized, built, divided
-- Tests training on several processes of each MPI library: DataParallel, Sharded, DistributedSampler, checkpoints.
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local many = require "spec.support.many"
local shell = require "spec.support.shell"

local example = "examples/13_many.lua --epochs %d --network %s %s"

-- The places in which models are trained: name, device, environment variables, epochs, and numbers of processes. The
-- processes of a launcher share one GPU.
local places = {
  {"the CPU", "cpu", "", 3, {4, 2, 1}}, {"an emulated GPU", "gpu", gpu.only "cuda", 1, {4, 2}},
}

-- Returns the losses in the output of the example, one for each epoch.
local function losses_in(output, epochs)
  local losses = {}
  for loss in output:gmatch "epoch %d+: loss (%S+)," do losses[#losses + 1] = tonumber(loss) end
  assert(#losses == epochs, output)
  return losses
end

-- Asserts that the example had these losses, except for rounding.
local function check_losses(want, output)
  for epoch, loss in ipairs(losses_in(output, #want)) do
    assert(math.abs(loss - want[epoch]) <= 1e-5 * want[epoch], ("%s, not %s"):format(loss, want[epoch]))
  end
end

-- Compares the losses of a network on several processes with those of a process without launcher.
local function compare(launcher, network, place)
  local _, device, environment, epochs, sizes = table.unpack(place)
  local command = "tools/lua " .. example:format(epochs, network, device == "cpu" and "--device cpu" or "")
  local alone = losses_in(shell.passes(environment .. " " .. command), epochs)
  for _, n in ipairs(sizes) do
    local status, output = many.run(launcher, n, command .. (n == 4 and " --sharded" or ""), environment)
    assert(status == 0, output)
    check_losses(alone, output)
  end
  assert(epochs == 1 or alone[epochs] < 0.9 * alone[1], "the network learns nothing")
end

-- Returns the sorted numbers of the samples in the batches that the jobs of a folder had one after another. Each job
-- continued the epoch of the job before.
local function batches_in(output) return output:match "batch ([%d ]+)" end

-- The cases, of which helpers.drawn takes some.
local cases = {}
local function case(name, body) cases[#cases + 1] = {name, body} end

many.each(function(launcher)
  for _, place in ipairs(places) do
    local where, device, environment, _, sizes = table.unpack(place)
    for _, network in ipairs {"mlp", "cnn", "transformer"} do
      case(("gives the losses of one process, but for rounding: %s on %s with %s"):format(network, where, launcher.name), function()
        compare(launcher, network, place)
      end)
    end

    case(("averages gradients, divides states and saves checkpoints as one process expects, on %s with %s"):format(where, launcher.name), function()
      local folder, apart = shell.folder(), shell.folder()
      for _, n in ipairs(sizes) do
        local script = ("many_training.lua %s "):format(device)
        local alone = shell.passes(("%s tools/lua spec/support/scripts/%s%s"):format(environment, script, apart))
        local output = many.passes(launcher, n, script .. folder, environment)
        assert.equal(batches_in(alone), batches_in(output))
      end
      os.execute(("rm -r %s %s"):format(folder, apart))
    end)
  end
end)

-- Each process has a GPU of its own. With order=lazy, a GPU computes only when the host waits for it.
for _, order in ipairs {"", ",order=lazy"} do
  case("averages gradients by NCCL" .. order, function()
    local folder = shell.folder()
    many.passes_by_tcp(4, "many_training.lua gpu " .. folder, gpu.only("cuda", "devices=4" .. order))
    os.execute("rm -r " .. folder)
  end)
end

for _, network in ipairs {"mlp", "cnn", "transformer"} do
  case("gives the losses of one process, but for rounding, by NCCL: " .. network, function()
    local environment, command = gpu.only("cuda", "devices=2"), example:format(1, network, "")
    local alone = losses_in(shell.passes(environment .. " tools/lua " .. command), 1)
    check_losses(alone, many.run_by_tcp(2, "../../../" .. command, environment))
  end)
end

case("keeps a whole checkpoint if a process is killed", function()
  local output = shell.passes(("tools/lua spec/support/torture/many.lua %d"):format(many.kills))
  assert.equal(("%d passed, 0 failed, 0 skipped\n"):format(many.kills), output)
end)

describe("training on several processes", function()
  for _, row in ipairs(helpers.drawn(cases, "training")) do it(row[1], row[2]) end
end)
