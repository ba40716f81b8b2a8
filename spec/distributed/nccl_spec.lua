-- tags: process, unsanitized, built
-- Tests luatensor.distributed between the emulated GPUs of several processes. The emulated NCCL checks the calls.
local many = require "spec.support.many"
local shell = require "spec.support.shell"

local build = os.getenv "BUILD" or "build"
local emulator = build .. "/spec/emulator"

-- Returns environment variables for processes with `count` emulated GPUs. settings: further settings of the emulator.
local function gpus(kind, count, settings)
  return ("LUATENSOR_CUDA_PATH=%s LUATENSOR_ROCM_PATH=%s LUATENSOR_CACHE=%s/spec/kernels LUATENSOR_EMULATOR=devices=%d%s"):format(
    kind == "cuda" and emulator or "/nowhere", kind == "rocm" and emulator or "/nowhere", build, count,
    settings and "," .. settings or "")
end

-- Runs a case of the script in n processes with a GPU each.
local function passes(case, kind, n, settings)
  many.passes_by_tcp(n, ("distributed_gpu.lua %s %s"):format(kind, case), gpus(kind, n, settings))
end

-- Returns the output of the script in n processes.
local function run(case, n, settings, environment)
  local base = gpus("cuda", n, settings)
  return many.run_by_tcp(n, "distributed_gpu.lua cuda " .. case, function(rank)
    return base .. " " .. (environment and environment(rank) or "")
  end)
end

local function has(text, output) assert(output:find(text, 1, true), output) end

describe("distributed on GPUs", function()
  for _, kind in ipairs {"cuda", "rocm"} do
    it("computes what plain Lua computes for all dtypes on " .. kind, function()
      passes("values", kind, 2)
      passes("values", kind, 4, "order=lazy")
    end)

    it("queues exchanges that the host does not wait for on " .. kind, function()
      passes("later", kind, 2)
      passes("later", kind, 4, "order=lazy")
    end)
  end

  it("takes views, empty tensors, tensors of the host, and tensors that need a gradient", function()
    passes("layouts", "cuda", 2)
    passes("layouts", "cuda", 4, "order=lazy")
  end)

  it("splits groups", function()
    passes("split", "cuda", 2)
    passes("split", "cuda", 4, "order=lazy")
  end)

  it("captures exchanges in graphs", function()
    passes("capture", "cuda", 2)
    passes("capture", "cuda", 4, "order=lazy")
  end)

  it("raises an error that names a process that was killed", function()
    for _, settings in ipairs {"nccl=deaf", "order=lazy"} do
      local output = run("death", 4, settings)
      for _, rank in ipairs {0, 2, 3} do has(("rank %d of 4 is done"):format(rank), output) end
      has("rank 1: status 137", output)
    end
  end)

  it("ends luatensor run with an error in all processes", function()
    local output = many.run_by_tcp(2, "../../../bin/luatensor run spec/support/scripts/distributed_gpu.lua cuda raises", gpus("cuda", 2))
    has("luatensor: rank 1: spec/support/scripts/distributed_gpu.lua", output)
    has("rank 0: status 1", output)
    has("rank 1: status 1", output)
  end)

  it("raises the library's error if the processes' calls differ", function()
    local output = run("difference", 2)
    has("NCCL: invalid usage", output)
    has("rank 0 of 2 is done", output)
    has("rank 1 of 2 is done", output)
  end)

  it("trains a model as one process does", function()
    passes("training", "cuda", 2)
    passes("training", "cuda", 4, "order=lazy")
  end)

  it("finds differing calls in the checking mode", function()
    local output = run("checked", 2, nil, function() return "LUATENSOR_DISTRIBUTED_CHECK=1" end)
    has("rank 0 of 2 is done", output)
    has("rank 1 of 2 is done", output)
    assert(not output:find "emulator:", output)
  end)

  it("does not hang at the end of a process that another leaves", function()
    local output = run("exit", 2, "nccl=deaf")
    has("rank 0: status 0", output)
    has("rank 1: status 0", output)
  end)

  it("ends an exchange by a count hook, as by Ctrl-C", function() passes("interrupt", "cuda", 2) end)
end)

describe("the start without MPI", function()
  it("names the processes that do not come", function()
    local output = run("values", 4, nil, function(rank)
      return "LUATENSOR_START_TIMEOUT=2" .. (rank > 1 and " MASTER_PORT=1" or "")
    end)
    has("init: 2 of 4 processes did not come to port", output)
    has("in time: RANK 2, 3", output)
    has("did not start the job", output)
    has("init: no process with RANK=0 answers at 127.0.0.1:1", output)
  end)

  it("names processes that belong to another job", function()
    has("init: a process has RANK=1 and WORLD_SIZE=3, but process 0 has WORLD_SIZE=2",
      run("values", 2, nil, function(rank) return rank == 1 and "WORLD_SIZE=3" or "" end))
    has("init: a process has RANK=1 and WORLD_SIZE=3, but process 0 has WORLD_SIZE=3, and another process has this RANK",
      run("values", 3, nil, function(rank) return rank == 2 and "RANK=1" or "" end))
  end)

  it("names a port that is in use", function()
    local port = many.port()
    local environment = gpus("cuda", 2) .. " LUATENSOR_START_TIMEOUT=10"
    local function command(size) return many.command(0, size, port, "distributed_gpu.lua cuda values", environment) end
    local _, output = shell.run(([[
      %s &
      for try in $(seq 400); do grep -q ':%04X .* 0A' /proc/net/tcp && break; sleep 0.05; done
      %s
      wait]]):format(command(2), port, command(3)))
    has(("init: port %d of MASTER_PORT: Address already in use"):format(port), output)
  end)

  it("takes the next port if torchrun says that it uses the port", function()
    local port = many.port()
    many.passes_by_tcp(2, "distributed_gpu.lua cuda split", function(rank)
      return ("%s MASTER_PORT=%d TORCHELASTIC_USE_AGENT_STORE=%s"):format(gpus("cuda", 2), port + 1 - rank,
        rank == 1 and "True" or "False")
    end)
  end)

  it("refuses variables that are no numbers in range", function()
    has("init: WORLD_SIZE=many: it must be an integer from 1", run("values", 1, nil, function() return "WORLD_SIZE=many" end))
    has("init: RANK=5: it must be an integer from 0 to 1", run("values", 2, nil, function() return "RANK=5" end))
    has("init: MASTER_ADDR=no.such.host.example: ",
      run("values", 2, nil, function() return "RANK=1 MASTER_ADDR=no.such.host.example" end))
  end)

  it("says why NCCL is not found", function()
    has("init: NCCL not found: NCCL 2.7 is too old; luatensor needs 2.10 or newer", run("values", 1, "nccl=old"))
    has("init: NCCL not found: ", run("values", 1, nil, function() return "LUATENSOR_CUDA_PATH=/nowhere" end))
  end)
end)

describe("MPI with NCCL", function()
  many.each(function(launcher)
    it("connects tensors of the host by MPI and those of GPUs by NCCL, with " .. launcher.name, function()
      many.passes(launcher, 2, "distributed_gpu.lua cuda values", gpus("cuda", 2))
      many.passes(launcher, 2, "distributed_gpu.lua cuda pair", gpus("cuda", 2))
    end)

    it("connects GPUs by MPI if there are fewer than processes, with " .. launcher.name, function()
      many.passes(launcher, 2, "distributed_gpu.lua cuda shared", gpus("cuda", 1))
    end)
  end)
end)
