-- tags: process
-- How many programs a device of PJRT compiles, what they compute, and how it bears errors. build/spec/fake_pjrt.so passes all calls
-- to the plugin that LUATENSOR_PJRT_XLA names (make test-pjrt), counts them, and lets them fail.

local beside = require "spec.pjrt.beside"
local shell = require "spec.support.shell"

local plugin = beside.plugin "programs of PJRT"
if not plugin then return end

shell.passes "make -s build/spec/fake_pjrt.so"

-- Runs a script on the plugin by way of the counting one. Returns the exit status and what the script prints.
local function run(script, mode, variables)
  local file = os.tmpname()
  local f = assert(io.open(file, "w"))
  f:write([[local lt = require "luatensor"
            local count = package.loadlib("build/spec/fake_pjrt.so", "count")
            collectgarbage "]] .. (mode or "generational") .. [["
            lt.set_default_device "xla"
            ]], script)
  f:close()
  local status, output = shell.run(("%s REAL_PJRT='%s' LUATENSOR_PJRT_XLA=build/spec/fake_pjrt.so tools/lua %s"):format(
    variables or "", plugin, file))
  os.remove(file)
  return status, output
end

local function passes(...)
  local status, output = run(...)
  assert.equal(0, status, output)
  assert.equal("", output)
end

describe("programs of PJRT", function()
  for _, mode in ipairs {"generational", "incremental"} do
    it("are few in long loops whose values are not read: " .. mode, function()
      passes([[
        local a, b, most = lt.ones(70, 30), lt.full({70, 30}, 2)
        for k = 1, 1000 do
          local x, y = a + k, b * a
          local r = x:matmul(y.T)
          most = r:max()
        end
        assert(most:item() == 1001 * 2 * 30)
        assert(count "compiled" <= 5, count "compiled")
        assert(count "run" >= 100 and count "run" <= 400, count "run")]], mode)
    end)
  end
  it("are the same for other numbers", function()
    passes [[
      local x = lt.ones(4)
      lt.synchronize "xla"
      local before = count "compiled"
      for k = 1, 4 do
        local sum = (x * k + 0.5):sum()
        collectgarbage()
        assert(sum:item() == 4 * k + 2)
      end
      assert(count "compiled" == before + 1)]]
  end)
  it("are few in a training that reads the loss of each step", function()
    passes [[
      local nn = require "luatensor.nn"
      local model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
      local optimizer = require "luatensor.optim".Adam(model:parameters(), {lr = 0.01})
      local x, y = lt.linspace(-1, 1, 64):reshape(8, 8), lt.ones(8, 1)
      local first, loss
      for step = 1, 200 do
        optimizer:zero_grad()
        local off = ((model(x) - y) ^ 2):mean()
        off:backward()
        optimizer:step()
        loss = off:item()
        first = first or loss
      end
      assert(loss < first / 100, loss)
      assert(count "compiled" <= 4, count "compiled")
      assert(count "run" <= 210, count "run")]]
  end)
  it("differ if their results differ, even if all lines are the same", function()
    passes [[
      local a, b = lt.tensor{1.0, 2.0}, lt.tensor{10.0, 20.0}
      for k, want in ipairs {11, 10, 11} do
        local c, d = a + b, a * b
        local e = (k == 2 and d or c):clone()
        assert(c:totable()[1] == 11 and d:totable()[1] == 10)
        assert(e:totable()[1] == want)
      end]]
  end)
  it("take the memory of elements that they overwrite, and of no others", function()
    passes [[
      local p, by = lt.arange(1 << 10, {dtype = "float32"}), lt.ones(1 << 10)
      lt.synchronize "xla"
      for step = 1, 4 do
        p:add_(by)
        lt.synchronize "xla"
        assert(count "donated" == step, count "donated")
      end
      local compiled, new = count "compiled", p + by
      lt.synchronize "xla"
      assert(count "compiled" == compiled and count "donated" == 4)    -- the same program
      assert(p:sum():item() == 1023 * 512 + 4 * 1024 and new:sum():item() == 1023 * 512 + 5 * 1024)
      assert(by:sum():item() == 1024)]]
  end)
  it("compute no large results for garbage", function()
    passes [[
      local x, y = lt.ones(1 << 20)
      for k = 1, 30 do y = x * k + 1 end
      lt.synchronize "xla"
      assert(y:max():item() == 31)
      assert(count "results" <= 12, count "results")
      for k = 1, 30 do y = x * k + 1 end
      lt.synchronize "xla"
      assert(y:max():item() == 31)
      assert(count "results" <= 24, count "results")]]
  end)
  it("have products of 64-bit integers and transforms of float64, but not on a TPU, whose compiler has none", function()
    for platform, hosted in pairs {cpu = 0, tpu = 2} do
      passes(([[
        for _, dtype in ipairs {"int64", "uint64", "int32"} do
          local x = lt.arange(6, {dtype = dtype}):reshape(2, 3)
          assert(x:matmul(x.T):equal_all(lt.tensor({{5, 14}, {14, 50}}, {dtype = dtype})))
        end
        for _, dtype in ipairs {"float32", "float64"} do
          local f = lt.fft.rfft(lt.tensor({1, 2, 4}, {dtype = dtype}))
          assert(f:real():round():equal_all(lt.tensor({7, -2}, {dtype = dtype})))
        end
        local calls = require "luatensor.core".host_calls "xla"
        assert((calls.gemm or 0) == %d and (calls.fft or 0) == %d)]]):format(hosted, hosted // 2), nil, "PLATFORM_PJRT=" .. platform)
    end
  end)
  it("are run by each call that lt.bench.time measures", function()
    passes [[
      local x, calls = lt.arange(64, {dtype = "float32"}), 0
      local timed = lt.bench.time(function()
        calls = calls + 1
        return x * 2
      end, {seconds = 0.01, warmup = 0.01})
      assert(timed.device == "xla:0" and timed.single > timed.queue_seconds and not timed.device_seconds)
      assert(calls > 20 and count "run" >= calls, calls)
      assert(count "compiled" <= 3, count "compiled")]]
  end)
  -- Each script makes one call of the plugin fail: the first one, the second one and so on.
  for _, what in ipairs {"compiled", "run", "uploaded", "downloaded", "awaited"} do
    it("lose nothing but what was to be computed, and no memory, whichever call of the plugin fails: " .. what, function()
      passes(([[
        local what, kept = "%s", lt.arange(1, 4) + 1
        local function work(n)
          local x = lt.tensor(lt.arange(1, n + 1, {device = "cpu"}):totable()):to "float32"
          local y = x * 2
          y:add_(1)
          assert(y:matmul(y):item() == (4 * n * n * n + 12 * n * n + 11 * n) // 3)     -- 3² + 5² + …
          return (y[y:gt(0)]:sum() + 1):item()                                       -- the CPU computes the positions
        end
        local function check(n)
          assert(work(n) == n * n + 2 * n + 1)
          assert(table.concat(kept:totable(), " ") == "2 3 4")
          collectgarbage()
          collectgarbage()
          lt.synchronize "xla"
          return count "held"
        end
        check(3)
        local held = check(3)
        for n = 1, 99 do
          local size = what == "compiled" and n + 3 or 3              -- new programs
          count("fail", what, n, n)
          local ok, why = pcall(work, size)
          count("fail", what, 0, 0)
          if ok then return assert(n > 2, n) end
          assert(tostring(why):find "^[^\n]*%%a: xla: the chip is on fire", why)
          assert(check(size) == held, count "held" .. " buffers instead of " .. held)
        end
        error "all calls fail"]]):format(what))
    end)
  end
  it("are errors with the op's name, and the script goes on and ends, if the device vanishes", function()
    passes [[
      local x, y = lt.arange(1, 4), lt.ones(3) + 1
      lt.synchronize "xla"
      local more = x * 3
      for _, what in ipairs {"compiled", "run", "uploaded", "downloaded", "awaited"} do count("fail", what, 1, 1 << 40) end
      local function fails(op, f, ...)
        local ok, why = pcall(f, ...)
        assert(not ok and tostring(why):find("^[^\n]*" .. op .. ": xla: "), why)
      end
      for _ = 1, 2 do
        fails("totable", more.totable, more)
        fails("item", function() return (y + 1):sum():item() end)
        fails("to", y.to, y, "cpu")
      end
      fails("multiply", function() return y * 5 end)                   -- which passes elements to the device
      fails("synchronize", function() local z = x + x lt.synchronize "xla" return z end)
      assert(lt.ones(3, {device = "cpu"}):sum():item() == 3)
      rest = x + x]]
  end)
end)
