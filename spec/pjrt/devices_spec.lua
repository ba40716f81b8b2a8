-- tags: process
-- Sums over several devices of a plugin of PJRT, which LUATENSOR_PJRT_XLA names (make test-pjrt), and training on them. The
-- results of the CPU are the oracle.

local beside = require "spec.pjrt.beside"
local distributed = require "luatensor.distributed"
local lt = require "luatensor"
local shell = require "spec.support.shell"

local plugin = beside.plugin "several devices of PJRT"
if not plugin then return end

shell.passes "make -s build/spec/fake_pjrt.so"

-- Runs a script on the plugin by way of build/spec/fake_pjrt.so, which counts calls. The script prints nothing. Returns the
-- texts of the programs.
local function passes(script, host)
  local folder = shell.folder()
  local path = folder .. "/script.lua"
  local f <close> = assert(io.open(path, "w"))
  f:write([[local lt, nn, optim = require "luatensor", require "luatensor.nn", require "luatensor.optim"
            local distributed = require "luatensor.distributed"
            local count = package.loadlib("build/spec/fake_pjrt.so", "count")
            local function per(k) return lt.arange(6, {device = "xla:" .. k - 1, dtype = "float32"}) * k + 1 end
            ]], script)
  f:close()
  local output = shell.passes(("REAL_PJRT='%s' LUATENSOR_PJRT_XLA=build/spec/fake_pjrt.so LUATENSOR_PROGRAMS=%s %s %s"):format(
    plugin, folder, host or "tools/lua", path))
  assert.equal("", output)
  local programs = {}
  for name in shell.passes("ls " .. folder):gmatch "[^\n]+%.mlir" do
    local program <close> = assert(io.open(folder .. "/" .. name))
    programs[#programs + 1] = program:read "a"
  end
  shell.passes("rm -r " .. folder)
  return programs
end

-- Returns the number of programs with these two ops.
local function count_with(programs, op, other)
  local n = 0
  for _, text in ipairs(programs) do
    if text:find(op, 1, true) and text:find(other or op, 1, true) then n = n + 1 end
  end
  return n
end

local all = {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
             "complex64", "complex128"}

describe("several devices of PJRT", function()
  it("add tensors of all dtypes and of several shapes", function()
    local here, there = {{}, {}, {}}, {{}, {}, {}}
    for k = 1, 3 do
      for i, dtype in ipairs(all) do
        here[k][i] = (lt.arange(6) * k - 4):to(dtype):reshape(2, 3).T
      end
      for _, shape in ipairs {{}, {0}, {2, 0}, {1}} do here[k][#here[k] + 1] = lt.full(shape, k) end
      for i, x in ipairs(here[k]) do there[k][i] = x:to("xla:" .. k) end
    end
    for k, sums in ipairs(distributed.all_sum_devices(there)) do
      for i, sum in ipairs(sums) do
        local a, b, c = here[1][i], here[2][i], here[3][i]
        local want = a.dtype == "bool" and (a:logical_or(b)):logical_or(c) or a + b + c
        assert.equal("xla:" .. k, sum.device)
        assert.same({want.dtype, want.shape, want:totable()}, {sum.dtype, sum.shape, sum:totable()})
        assert.same(here[k][i]:totable(), there[k][i]:totable())
      end
    end
  end)
  it("add in the program that computes the tensors", function()
    local programs = passes [[
      for step = 1, 3 do
        local sums = distributed.all_sum_devices{per(1):exp(), per(2):exp()}
        assert(count "run" == step and count "compiled" <= 2)
        local want = (lt.arange(6) + 1.0):exp() + (lt.arange(6) * 2 + 1.0):exp()
        for k = 1, 2 do assert(lt.allclose(sums[k]:to "cpu", want, {rtol = 1e-6})) end
        assert(count "run" == step)
      end]]
    assert.equal(#programs, count_with(programs, "stablehlo.all_reduce", "stablehlo.exponential"))
  end)
  it("add by a program of their own if the devices have computed different things", function()
    local programs = passes [[
      local a, b = per(1), per(2) * 3
      local sums = distributed.all_sum_devices{a, b}                     -- other lines
      for k = 1, 2 do assert(lt.equal_all(sums[k]:to "cpu", lt.arange(6, {dtype = "float32"}) * 7 + 4)) end
      assert(count "run" == 3)
      a, b = per(1), per(2)
      assert(a:sum():item() == 21)                                       -- one device runs earlier
      sums = distributed.all_sum_devices{a, b}
      for k = 1, 2 do assert(lt.equal_all(sums[k]:to "cpu", lt.arange(6, {dtype = "float32"}) * 3 + 2)) end
      assert(count "run" == 6)]]
    assert.equal(0, count_with(programs, "stablehlo.all_reduce", "stablehlo.multiply"))
    assert.equal(1, count_with(programs, "stablehlo.all_reduce"))
  end)
  it("add copies if a device has the same tensor twice, or two of the tensors", function()
    local programs = passes [[
      local a, b, c = per(1), per(2), per(2)
      local sums = distributed.all_sum_devices{{a, a}, {b, c}}
      for k = 1, 2 do
        for i = 1, 2 do assert(lt.equal_all(sums[k][i]:to "cpu", lt.arange(6, {dtype = "float32"}) * 3 + 2)) end
      end
      sums = distributed.all_sum_devices{b, c, lt.ones(6)}
      for k, device in ipairs {"xla:1", "xla:1", "cpu"} do
        assert(sums[k].device == device and lt.equal_all(sums[k]:to "cpu", lt.arange(6, {dtype = "float32"}) * 4 + 3))
      end]]
    assert.equal(0, count_with(programs, "stablehlo.all_reduce"))
  end)
  it("train like one device, with one run a step", function()
    local programs = passes [[
      local function train(devices)
        lt.manual_seed(3)
        local replicas = nn.parallel.Replicas(function()
          return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
        end, devices)
        local opt, losses = optim.Adam(replicas:parameters(), {lr = 0.02}), {}
        for step = 1, 8 do
          local x, y, before = lt.randn(16, 20), lt.randint(1, 5, {16}), count "run"
          opt:zero_grad()
          losses[step] = replicas:backward(function(model, inputs, classes)
            return nn.functional.cross_entropy(model(inputs), classes)
          end, x, y):item()
          opt:step()
          assert(count "run" == before + (devices[1] == "cpu" and 0 or 1))
        end
        return losses, replicas
      end
      local want, one = train {"cpu"}
      local got, two = train {"xla:0", "xla:1"}
      for step = 1, 8 do assert(math.abs(want[step] - got[step]) < 1e-5, got[step]) end
      assert(count "compiled" <= 4, count "compiled")
      for k = 1, 2 do
        local mine = two[k]:parameters()
        for i, p in ipairs(one:parameters()) do assert(lt.allclose(mine[i]:to "cpu", p, {atol = 1e-5})) end
      end]]
    assert.is_true(count_with(programs, "stablehlo.all_reduce", "stablehlo.dot_general") >= #programs - 1)
  end)
  it("lose the results of all devices if a program fails, and go on", function()
    passes [[
      local a, b = per(1), per(2)
      for k = 0, 1 do lt.synchronize("xla:" .. k) end
      count("fail", "run", 1, 1 << 40)
      local x, y = a * 2, b * 2
      local ok, message = pcall(distributed.all_sum_devices, {x, y})
      assert(not ok and message:find("all_sum_devices: xla: the chip is on fire", 1, true), message)
      count("fail", "run", 0, 0)
      for _, z in ipairs {x, y} do
        ok, message = pcall(z.totable, z)
        assert(not ok and message:find("the elements are lost, because a program failed", 1, true), message)
      end
      ok, message = pcall(distributed.all_sum_devices, {a, y})
      assert(not ok and message:find("the elements are lost, because a program failed", 1, true), message)
      local sums = distributed.all_sum_devices{a, b}
      for k = 1, 2 do assert(sums[k]:sum():item() == 57) end]]
  end)
  it("compute no results for garbage", function()
    passes [[
      local x, last = {lt.ones(1 << 20, {device = "xla:0"}), lt.ones(1 << 20, {device = "xla:1"})}
      for step = 1, 3 do
        local y = {}
        for k = 1, 30 do for d = 1, 2 do y[d] = x[d] * k + 1 end end
        last = distributed.all_sum_devices(y)
        assert(last[1]:max():item() == 62)
      end
      assert(count "results" <= 60, count "results")]]
  end)
  it("collect garbage once, whichever devices have programs to compile", function()
    passes [[
      local a, b = per(1), per(2)
      for step = 1, 20 do                                                -- 20 calls later, the second device may ask again
        local c = b * 2 + 1
        lt.synchronize "xla:1"
      end
      local x, y = (a * 3):exp(), b * 2 + 1                              -- only the first device must compile
      local sums, want = distributed.all_sum_devices{x, y}, (lt.arange(6, {dtype = "float32"}) * 3 + 3):exp()
      want = want + lt.arange(6) * 4 + 3
      for k = 1, 2 do assert(lt.allclose(sums[k]:to "cpu", want, {rtol = 1e-6})) end]]
  end)
  it("collect garbage once in a copy from one device to another, even if both have programs to compile", function()
    passes [[
      local to, x = lt.zeros({3, 8}, {device = "xla:1"}).T, lt.ones({8, 3}, {device = "xla:0"}):cos()
      local y, ops = lt.ones(2, {device = "xla:1"}), {"sin", "exp", "tanh", "abs", "floor", "sqrt"}
      math.randomseed(1)
      for _ = 1, 510 do                                                  -- 512 calls with those that fill `to` and y
        local op = ops[math.random(6)]
        y = lt[op](y)
      end
      assert(count "run" == 0)
      to:copy_(x)                                                        -- takes memory of one device, and reads the other
      assert(count "run" == 2)
      assert(lt.allclose(to:to "cpu", lt.full({8, 3}, math.cos(1)), {rtol = 1e-6}))]]
  end)
  it("collect garbage once in a copy between layouts that needs memory of both devices", function()
    passes [[
      local ops = {"sin", "exp", "tanh", "abs", "floor", "sqrt"}
      local to, x = lt.zeros({3, 8}, {device = "xla:1"}).T, lt.ones({3, 8}, {device = "xla:0"}):cos().T
      math.randomseed(1)
      for d = 0, 1 do
        local y = lt.ones(2, {device = "xla:" .. d})
        for _ = 1, 509 + d do                                            -- 512 calls with those that fill x, `to` and y
          local op = ops[math.random(6)]
          y = lt[op](y)
        end
      end
      assert(count "run" == 0)
      to:copy_(x)
      assert(lt.allclose(to:to "cpu", lt.full({8, 3}, math.cos(1)), {rtol = 1e-6}))]]
  end)
  it("add views without a collection in each step", function()
    passes [[
      local collected = 0
      local function part(device)
        local x = lt.ones(64, {device = device})
        for _ = 1, 10 do x = x * 0.5 + 1 end                             -- a device asks after 16 calls at the earliest
        return x[{{9, 40}}]
      end
      local want = part "cpu" * 2
      local function watch() setmetatable({}, {__gc = function() collected = collected + 1 watch() end}) end
      for step = 1, 8 do
        if step == 5 then
          collectgarbage "stop"                                          -- only the devices ask for collections
          watch()
        end
        local sums = distributed.all_sum_devices{part "xla:0", part "xla:1"}
        assert(lt.equal_all(sums[2]:to "cpu", want))
      end
      assert(collected == 0, collected)]]
  end)
  it("count the bytes of a sum once in a profile", function()
    passes [[
      local core = require "luatensor.core"
      local function moved(tensors)
        core.profile_start "serialised"
        distributed.all_sum_devices(tensors)
        local read, written = 0, 0
        for _, row in ipairs(core.profile_stop().rows) do
          if row.family == "copy_across" then read, written = read + row.read, written + row.written end
        end
        return ("%d read, %d written"):format(read, written)
      end
      local a, b, c = per(1), per(2), per(2)
      assert(moved{a, b} == "0 read, 24 written")
      assert(moved{{a, a}, {b, c}} == "0 read, 96 written")                                -- copies to the first device, and the sums back]]
  end)
  for _, mode in ipairs {"threads", "fork"} do
    it("add in several Lua states, and refuse to in a child: " .. mode, function()
      local host = "build/spec/states_host"
      if not shell.exists(host) then return pending "make test-hosts builds the host" end
      shell.passes(("%s %s spec/support/scripts/pjrt_sums.lua"):format(host, mode))
    end)
  end
end)
