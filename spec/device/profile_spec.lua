-- tags: unsanitized built
-- Tests profiles of device calls below the op layer. The expected counts are known by hand.
local core = require "luatensor.core"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local shell = require "spec.support.shell"

-- Profiles f. Returns a table of its calls by "device family" (calls, elements, read, written, flops, seconds, dtype of
-- the last call), and the whole profile.
local function profile(mode, f)
  core.profile_start(mode)
  local ok, problem = pcall(f)
  local p = core.profile_stop()
  if not ok then error(problem, 0) end
  local rows = {}
  for _, row in ipairs(p.rows) do
    local name = row.device .. " " .. row.family
    local sum = rows[name] or {calls = 0, elements = 0, read = 0, written = 0, flops = 0, seconds = 0}
    for key, value in pairs(sum) do sum[key] = value + row[key] end
    sum.dtype = row.dtype
    rows[name] = sum
  end
  return rows, p
end

-- Returns the names of the families that were called, sorted, as one text.
local function families(rows)
  local names = {}
  for name in pairs(rows) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ", ")
end

local function row(expected, actual)
  assert(actual, "no such call was counted")
  for name, value in pairs(expected) do
    assert(actual[name] == value, ("%s is %s, not %s"):format(name, actual[name], value))
  end
end

-- Defines the specs for one device, which compare the counts of one call of each family.
local function describe_families(device)
  local where = {device = device}
  local function counted(f) return profile("serialised", f) end

  it("counts a matrix product: 2 m n k operations, each operand once", function()
    local x, y = lt.rand(3, 4, where), lt.rand(4, 5, where)
    local rows = counted(function() return x:matmul(y) end)
    assert.equal(device .. " gemm", families(rows))
    row({calls = 1, flops = 120, read = 4 * (12 + 20), written = 4 * 15, elements = 15, dtype = "float32"},
      rows[device .. " gemm"])
  end)

  it("counts 8 m n k for complex numbers, and every matrix of a batch", function()
    local x, y = lt.ones(2, 3, 4, {device = device, dtype = "complex64"}), lt.ones(4, 5, {device = device, dtype = "complex64"})
    local rows = counted(function() return x:matmul(y) end)
    row({flops = 2 * 8 * 3 * 4 * 5, read = 8 * (24 + 20), written = 8 * 30}, rows[device .. " gemm"])
  end)

  it("counts what is added to, which is read", function()
    local c, x, y = lt.rand(3, 5, where), lt.rand(3, 4, where), lt.rand(4, 5, where)
    local rows = counted(function() return c:addmm_(x, y) end)
    row({calls = 1, flops = 120, read = 4 * (12 + 20 + 15), written = 4 * 15}, rows[device .. " gemm"])
  end)

  it("counts a broadcast operand once, and a number not at all", function()
    local x, y = lt.rand(6, 5, where), lt.rand(5, where)
    local rows = counted(function() return x + y, x * 2 end)
    row({calls = 2, elements = 60, read = 4 * (30 + 5 + 30), written = 4 * 60, flops = 0}, rows[device .. " map"])
  end)

  it("counts what the host reads and writes as copies, not as ops", function()
    local x = lt.rand(3, where)
    local rows = counted(function() return lt.tensor({0.5, 2, 3}, where) end)
    row({calls = 1, read = 0, written = 12, elements = 0}, rows[device .. " copy_in"])
    assert.is_nil(rows[device .. " map"])
    rows = counted(function() return x:totable() end)
    row({calls = 1, read = 12, written = 0, elements = 0}, rows[device .. " copy_out"])
    assert.is_nil(rows[device .. " map"])
  end)

  it("counts what a reduction reads and writes", function()
    local x = lt.rand(6, 5, where)
    row({calls = 1, elements = 30, read = 120, written = 4 * 6}, counted(function() return x:sum(2) end)[device .. " reduce"])
  end)

  it("counts scans, softmax, sorting, positions and transforms", function()
    local x, at = lt.rand(4, 8, where), lt.tensor({1, 3, 3}, where)
    local rows = counted(function() return x:cumsum(2), x:softmax(2), x:argsort(2), x[at], lt.fft.rfft(x) end)
    row({calls = 1, read = 128, written = 128, elements = 32}, rows[device .. " scan"])
    row({calls = 1, read = 128, written = 128, elements = 32}, rows[device .. " softmax"])
    row({calls = 1, read = 128, written = 8 * 32, elements = 32}, rows[device .. " sort"])
    row({calls = 1, read = 3 * 8 + 4 * 24, written = 4 * 24, elements = 24}, rows[device .. " index"])
    row({calls = 1, read = 128, written = 8 * 4 * 5, elements = 32, flops = 0}, rows[device .. " fft"])
  end)

  it("counts random numbers and ranges as written", function()
    local rows = counted(function() return lt.rand(10, where), lt.arange(0, 7, 1, where) end)
    row({calls = 1, read = 0, written = 40, elements = 10}, rows[device .. " random"])
    row({calls = 1, read = 0, written = 56, elements = 7, dtype = "int64"}, rows[device .. " arange"])
  end)

  it("counts systems of equations without operations", function()
    local a, b = lt.eye(3, where), lt.ones(3, 2, where)
    local rows = counted(function() return lt.linalg.solve(a, b) end)
    row({calls = 1, read = 4 * (9 + 6), written = 4 * 6, flops = 0}, rows[device .. " linalg"])
  end)

  it("counts masks: how many are true, then where", function()
    local mask = lt.tensor({true, false, true}, where)
    local rows = counted(function() return mask:nonzero() end)
    row({calls = 2, read = 6, written = 16}, rows[device .. " nonzero"])
  end)

  it("counts an expression as one call", function()
    local f = lt.elementwise("float32 x, float32 y", "x * y + 1")
    local x, y = lt.rand(10, where), lt.rand(10, where)
    local rows = counted(function() return f(x, y) end)
    row({calls = 1, elements = 10, read = 80, written = 40, dtype = "float32"}, rows[device .. " elementwise"])
  end)

  it("does not count what fails", function()
    local a = lt.zeros(3, 3, where)
    local rows = counted(function() assert.is_false((pcall(lt.linalg.cholesky, lt.ones(2, 3, where)))) end)
    assert.is_nil(rows[device .. " linalg"])
    assert.equal(0, a:sum():item())
  end)
end

describe("a profile on the CPU", function() describe_families "cpu" end)

describe("a profile", function()
  it("is nothing where none runs", function() assert.is_nil(core.profile_stop()) end)

  it("is no public function", function()
    assert.is_false((pcall(function() return lt.profile_start end)))
  end)

  it("runs one at a time", function()
    core.profile_start()
    local ok, problem = pcall(core.profile_start)
    assert.equal("counting", core.profile_stop().mode)
    assert.is_false(ok)
    assert.truthy(problem:find("profile_start: a profile is running", 1, true))
  end)

  it("refuses other modes", function() assert.is_false((pcall(core.profile_start, "fast"))) end)

  it("starts from nothing each time", function()
    local x = lt.rand(10)
    profile("counting", function() return x + 1 end)
    assert.equal("", families((profile("counting", function() end))))
  end)

  it("counts in both modes alike", function()
    local x = lt.rand(10)
    local calls = function() return x + 1, x:sum(), x:matmul(x) end
    local a, b = profile("counting", calls), profile("serialised", calls)
    assert.equal(families(a), families(b))
    for name, r in pairs(a) do row({calls = r.calls, read = r.read, written = r.written, flops = r.flops}, b[name]) end
  end)

  it("has times that fit into the whole", function()
    local x = lt.rand(100, 100)
    local rows, p = profile("serialised", function() for _ = 1, 10 do x = x:matmul(x) end end)
    local sum = 0
    for _, r in pairs(rows) do sum = sum + r.seconds end
    assert.is_true(sum > 0 and sum <= p.seconds)
    assert.is_true(p.inside > 0 and p.outside > 0 and p.inside + p.outside < 1e-4)
  end)

  it("counts no more after an error and a stop", function()
    assert.is_false((pcall(profile, "counting", function() error "mine" end)))
    assert.is_nil(core.profile_stop())
  end)

  local function pass(mode, script)
    if not shell.exists "build/spec/states_host" then return pending "make test-hosts builds the program" end
    shell.passes(("build/spec/states_host %s spec/support/scripts/%s.lua"):format(mode, script))
  end

  it("ends with its state, so that the next one can have its own", function() pass("sequence", "profile") end)

  it("counts the calls of its own state and thread", function()
    pass("together", "profile_threads")
    pass("threads", "profile_threads")
  end)
end)

gpu.describe("a profile on a GPU", {{}, {LUATENSOR_EMULATOR = "order=lazy,devices=2"}}, function()
  describe_families(gpu.kind)

  it("counts what travels to the device", function()
    local x = lt.rand(1000, {device = "cpu"})
    for _, mode in ipairs{"counting", "serialised"} do
      local rows = profile(mode, function() return x:to(helpers.device) end)
      assert.equal(gpu.kind .. " copy_in", families(rows))
      row({calls = 1, read = 0, written = 4000}, rows[gpu.kind .. " copy_in"])
    end
  end)

  it("counts a number that is read as a wait and a transfer of its bytes", function()
    local x = lt.rand(1)[1]
    local rows = profile("counting", function() return x:item() end)
    row({calls = 1, read = 4, written = 0}, rows[gpu.kind .. " copy_out"])
    row({calls = 1, read = 0, written = 0}, rows[gpu.kind .. " wait"])
  end)

  it("counts the waits of streams, events and devices", function()
    local rows = profile("counting", function()
      local stream, event = lt.stream(), lt.event()
      event:record()
      event:synchronize()
      stream:synchronize()
      lt.synchronize(helpers.device)
    end)
    assert.equal(gpu.kind .. " wait", families(rows))
    assert.equal(3, rows[gpu.kind .. " wait"].calls)
  end)

  it("names the devices that had calls, of several the right one", function()
    local _, p = profile("counting", function() return lt.zeros(2, {device = "cpu"}) + 1 end)
    assert.same({"cpu"}, p.devices)
    local last = lt.devices()[#lt.devices()].device
    local x = lt.zeros(2, {device = last})
    _, p = profile("counting", function() x:add_(1) end)
    assert.same({last}, p.devices)
  end)

  it("counts a graph's replays, not what is captured", function()
    local x, g = lt.zeros(4), nil
    local rows = profile("serialised", function() g = lt.graph(function() x:add_(1) end) end)
    row({calls = 1}, rows[gpu.kind .. " map"])
    rows = profile("serialised", function()
      g:replay()
      g:replay()
    end)
    assert.equal(gpu.kind .. " graph", families(rows))
    assert.equal(2, rows[gpu.kind .. " graph"].calls)
    assert.same({3, 3, 3, 3}, x:totable())
  end)

  it("cannot wait inside a graph", function()
    local problem = helpers.message_of(lt.graph, function()
      core.profile_start "serialised"
      core.profile_stop()
      local x = lt.zeros(4)
      lt.graph(function() x:add_(1) end)
    end)
    assert.truthy(problem)
    assert.is_nil(core.profile_stop())
  end)

  it("counts a script's kernels and the tensors they get", function()
    local kernel = lt.kernel([[extern "C" __global__ void twice(const float *x, float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = 2 * x[i];
    }]], "twice")
    local x, y = lt.ones(10), lt.zeros(10)
    local rows = profile("serialised", function() kernel({count = 10}, x, y, 10) end)
    row({calls = 1, read = 40, written = 40, flops = 0}, rows[gpu.kind .. " user_kernel"])
    assert.equal(20, y:sum():item())
  end)

  it("raises an index out of range in the function's own words when each call is waited for", function()
    local x, at = lt.rand(10), lt.tensor {50}
    local rows = profile("serialised", function()
      local ok, problem = pcall(function() return x[at] end)
      assert.is_false(ok)
      assert.truthy(problem:find("index 50 in dim 1: out of range for length 10", 1, true))
    end)
    assert.equal("", families(rows))
    lt.synchronize(helpers.device)
  end)
end)
