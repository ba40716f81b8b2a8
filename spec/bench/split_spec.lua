-- tags: unsanitized
-- Tests lt.bench.split, which divides the time of a function. Counts are known by hand; times are only compared with
-- each other, or with the minimum time of a sleep.
local core = require "luatensor.core"
local clocks = require "spec.support.fake_clock"
local format = require "luatensor.page.format"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local machine = require "luatensor.bench.machine"
local share = require "luatensor.bench.split.share"
local page = require "luatensor.bench.split.page"
local split = require "luatensor.bench.split"

local quick = {seconds = 0.001, warmup = 0, rounds = 1, limits = false}

local function options(more)
  local all = {}
  for name, value in pairs(quick) do all[name] = value end
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

local function take(fn, more) return lt.bench.split(fn, options(more)) end

-- Returns the only row of a family on a kind of device.
local function row_of(result, device, family)
  local found
  for _, row in ipairs(result.rows) do
    if row.device == device and row.family == family then
      assert(not found, "two rows of " .. family)
      found = row
    end
  end
  return assert(found, "no row of " .. family)
end

local function sum_of(parts)
  local sum = 0
  for _, name in ipairs(split.PARTS) do sum = sum + parts[name] end
  return sum
end

local function close(expected, got) assert.near(expected, got, 1e-9 * math.abs(expected)) end

local function is_off() return core.profile_stop() == nil end

-- ---- arithmetic ---------------------------------------------------------------------------------

describe("split.parts", function()
  local function made(device, family, calls, seconds, more)
    local row = {device = device, family = family, calls = calls, seconds = seconds, elements = 0, read = 0, written = 0,
                 flops = 0}
    for name, value in pairs(more or {}) do row[name] = value end
    return row
  end

  -- Returns a profile of two calls of a function that together took 10 s; counting takes 1/64 s within each device
  -- call and 1/32 s outside.
  local function profile()
    return {seconds = 10, inside = 1 / 64, outside = 1 / 32, rows = {
      made("cpu", "gemm", 2, 1, {flops = 240, read = 256, written = 120, dtype = "float32"}),
      made("cuda", "map", 4, 2 + 4 / 64, {read = 64, written = 64}),
      made("cuda", "copy_in", 2, 0.5, {written = 8000}),
      made("cuda", "copy_out", 2, 0.25, {read = 8}),
      made("cuda", "wait", 4, 4 / 128),                      -- less than the 4 / 64 s that counting takes
      made("cuda", "copy_across", 2, 1 + 2 / 64, {written = 16}),
      made("cuda", "graph", 2, 1 + 2 / 64),
    }}
  end

  it("gives a call's share of each part, without what counting took", function()
    local parts = split.parts(profile(), 2, {})
    close((1 - 2 / 64 + 2 + 1 + 1) / 2, parts.kernels)
    close((0.5 - 2 / 64) / 2, parts.to_device)
    close((0.25 - 2 / 64) / 2, parts.to_host)
    assert.equal(0, parts.waiting)
    close((14 / 64 + 4 / 128 + 18 / 32) / 2, parts.measuring)
    close((10 - (1 + 2 + 4 / 64 + 0.5 + 0.25 + 4 / 128 + 2 + 4 / 64) - 18 / 32) / 2, parts.lua)
    close(5, sum_of(parts))
  end)

  it("gives rows of one call, the longest first", function()
    local _, rows = split.parts(profile(), 2, {cuda = true})
    assert.equal("map", rows[1].family)
    assert.equal(2, rows[1].calls)
    assert.equal(1, rows[1].seconds)
    assert.equal(64, rows[1].bytes)
    assert.equal(64, rows[1].bandwidth)
    assert.is_nil(rows[1].rate)
    assert.is_true(rows[1].emulated)
    for _, row in ipairs(rows) do
      if row.family == "gemm" then
        assert.equal(120, row.flops)
        assert.equal(188, row.bytes)
        close(240 / (1 - 2 / 64), row.rate)
        assert.is_nil(row.emulated)
      end
    end
  end)

  it("takes no more off Lua's part than there is", function()
    local parts = split.parts({seconds = 1, inside = 0, outside = 1, rows = {made("cpu", "map", 2, 0.5)}}, 1, {})
    assert.equal(0, parts.lua)
    assert.equal(0.5, parts.measuring)
    assert.equal(1, sum_of(parts))
  end)

  it("has shares of limits, which an emulated device has not", function()
    local asked = {}
    local function limits(row, device)
      asked[#asked + 1] = device .. " " .. row.family
      return 0.5, "products", "a note"
    end
    local _, rows = split.parts(profile(), 2, {cuda = true})
    local notes = share.add(rows, limits, function(kind) return kind .. ":7" end)
    assert.same({"cpu:7 gemm"}, asked)
    assert.same({"a note"}, notes)
    for _, row in ipairs(rows) do assert.equal(row.family == "gemm" and 0.5 or nil, row.share) end
  end)

  it("has no shares where two devices of a kind share their rows", function()
    local names = split.names{"cpu", "cuda:0", "cuda:1"}
    assert.same({"cpu", nil}, {names "cpu", names "cuda"})
    assert.equal("cuda:1", split.names{"cpu", "cuda:1"} "cuda")
    local _, rows = split.parts(profile(), 2, {})
    share.add(rows, function() return 0.5, "products" end, names)
    for _, row in ipairs(rows) do assert.equal(row.device == "cpu" and 0.5 or nil, row.share) end
  end)

  it("hides what lies beyond the rounds of the run as it is", function()
    local function said(q3)
      local r = {name = "f", wall = 3, parts = {measuring = 0.5}, rows = {{device = "cuda", family = "map", flops = 0, bytes = 0}},
        normal = {median = 2, q1 = 1.9, q3 = q3, notes = {}}, notes = {}}
      for _, name in ipairs(split.PARTS) do r.parts[name] = r.parts[name] or 0.5 end
      for _, block in ipairs(setmetatable(r, {__index = page}):blocks()) do
        if block.text and block.text:find("{hidden}", 1, true) then return block.values.hidden[1] end
      end
    end
    assert.equal(0.5, said(2.4))
    assert.is_nil(said(2.6))
  end)

  it("asks for the limit that a family has", function()
    local asked
    local before = machine.share
    machine.share = function(...) asked = {...} end
    local function ask(row)
      asked = nil
      share.known(row, "cpu")
      return asked
    end
    local got = {
      ask{family = "gemm", rate = 5, dtype = "float64"},
      ask{family = "map", calls = 2, bytes = 96, read = 64, written = 32, bandwidth = 10},
      ask{family = "reduce", calls = 1, bytes = 96, read = 95, written = 1, bandwidth = 3},
      ask{family = "sort", bandwidth = 1} or "none",
      -- a map that only writes, as fill does
      ask{family = "map", calls = 1, bytes = 96, read = 0, written = 96, bandwidth = 3} or "none",
    }
    machine.share = before
    assert.same({5, "flops", "cpu", "float64"}, got[1])
    assert.same({10, "copy", "cpu", nil, 48}, got[2])
    assert.same({3, "read", "cpu", nil, 96}, got[3])
    assert.same({"none", "none"}, {got[4], got[5]})
  end)
end)

-- ---- measuring ----------------------------------------------------------------------------------

describe("bench.split", function()
  local device = {device = "cpu"}

  it("counts one matrix product", function()
    local x, y = lt.rand(3, 4, device), lt.rand(4, 5, device)
    local r = take(function() return x:matmul(y) end)
    local row = row_of(r, "cpu", "gemm")
    assert.equal(1, #r.rows)
    assert.equal(1, row.calls)
    assert.equal(120, row.flops)
    assert.equal(4 * (12 + 20 + 15), row.bytes)
    assert.equal("float32", row.dtype)
    assert.equal("kernels", row.part)
    assert.equal("split", r.kind)
    assert.is_nil(r.emulated)
  end)

  it("has parts that add up to the time of the run", function()
    local x = lt.rand(50, 50, device)
    local r = take(function() return (x:matmul(x) + 1):sum() end)
    close(r.wall, sum_of(r.parts))
    for _, name in ipairs(split.PARTS) do assert.is_true(r.parts[name] >= 0, name) end
    assert.is_true(r.parts.kernels > 0 and r.parts.lua > 0)
    assert.equal(0, r.parts.to_device + r.parts.to_host + r.parts.waiting)
  end)

  it("counts as Lua what no device does", function()
    local x = lt.rand(4, device)
    local r = take(function()
      core.sleep(0.02)
      return x + 1
    end)
    assert.is_true(r.parts.lua >= 0.02)
    assert.is_true(r.wall >= 0.02 and r.normal.median >= 0.02)
  end)

  it("shows the time of the function as it runs, too", function()
    local clock = clocks.new()
    local r = take(clock:work(0.25), {clock = clock, seconds = 1})
    assert.equal(0.25, r.normal.median)
    assert.same({}, r.rows)
    assert.equal(r.normal, r:timings()[1])
  end)

  it("takes a function that does nothing with tensors", function()
    local r = take(function() end)
    assert.equal(0, r.parts.kernels)
    close(r.wall, sum_of(r.parts))
    assert.truthy(tostring(r):find("Lua and dispatch", 1, true))
  end)

  it("passes on what the function raises, as it is, and counts no more", function()
    local mine = setmetatable({}, {})
    local ok, problem = pcall(take, function() error(mine) end)
    assert.is_false(ok)
    assert.equal(mine, problem)
    assert.is_true(is_off())
  end)

  -- Returns a function that calls `act` only in serialised runs. In such runs a profile is on, so that a second
  -- profile cannot start.
  local function in_serialised_run(act)
    return function()
      if pcall(core.profile_start) then core.profile_stop() else act() end
    end
  end

  it("leaves everything as it was after an error in the middle", function()
    local ok, problem = pcall(take, in_serialised_run(function()
      lt.rand(10, device)
      error("in the middle", 0)
    end), {threads = 1})
    assert.is_false(ok)
    assert.equal("in the middle", problem)
    assert.is_true(is_off())
    assert.equal(helpers.device, lt.get_default_device())
    assert.is_true(collectgarbage "isrunning")
  end)

  it("is left by Ctrl-C", function()
    local ok, problem = pcall(take, in_serialised_run(function() error "interrupted!" end))
    assert.is_false(ok)
    assert.truthy(problem:find "interrupted!$")
    assert.is_true(is_off())
  end)

  it("is off after a Ctrl-C between its start and whatever comes next", function()
    for _, measure in ipairs{take, function(fn) return lt.bench.time(fn, {seconds = 0.001, warmup = 0}) end} do
      debug.sethook(function()
        if debug.getinfo(2, "f").func ~= core.profile_start then return end
        debug.sethook()
        error("interrupted!", 0)
      end, "r")
      local ok, problem = pcall(measure, function() end)
      debug.sethook()
      assert.is_false(ok)
      assert.truthy(tostring(problem):find "interrupted!$")
      assert.is_true(is_off())
    end
  end)

  it("is none within another", function()
    local reached
    local ok, problem = pcall(take, in_serialised_run(function()
      reached = true
      take(function() end)
    end))
    assert.is_true(reached)
    assert.is_false(ok)
    assert.truthy(problem:find("bench.split: another split is running: one at a time", 1, true))
    assert.truthy(problem:find("split_spec.lua:", 1, true))
    assert.is_true(is_off())
  end)

  it("takes functions that free tensors and change the default device", function()
    local r = take(function()
      local x = lt.rand(10, device)
      lt.set_default_device "cpu"
      x:free()
      collectgarbage()
    end)
    assert.equal(1, row_of(r, "cpu", "random").calls)
    assert.equal(helpers.device, lt.get_default_device())
  end)

  it("draws the script's own numbers afterwards", function()
    lt.manual_seed(7)
    local expected = lt.rand(3, device):totable()
    lt.manual_seed(7)
    take(function() return lt.rand(10, device) end)
    assert.same(expected, lt.rand(3, device):totable())
  end)

  it("is saved, loaded and shown", function()
    local x = lt.rand(8, 8, device)
    local r = take(function() return x:matmul(x) end, {name = "a product", limits = function() return nil, "in cache" end})
    local path = os.tmpname()
    r:save(path)
    local loaded = lt.bench.load(path)
    os.remove(path)
    assert.equal(tostring(r), tostring(loaded))
    local text = tostring(r)
    assert.truthy(text:find("a product: ", 1, true))
    assert.truthy(text:find("matrix products", 1, true))
    assert.truthy(text:find(format.show(2 * 8 ^ 3, "FLOP"), 1, true))
    assert.truthy(text:find("in cache", 1, true))
  end)

  it("refuses what it does not understand", function()
    helpers.fails("bench.split: argument 1: function expected, got nil", lt.bench.split)
    helpers.fails("bench.split: limits: function expected, got number", lt.bench.split, print, {limits = 1})
    helpers.fails("bench.split: name: string expected, got number", lt.bench.split, print, {name = 1})
    local problem = helpers.message_of(lt.bench.split, print, {second = 1})
    assert.truthy(problem:find('bench.split: unknown option "second"; known: clock', 1, true))
  end)
end)

gpu.describe("bench.split on a GPU", {{}}, function()
  local on_gpu = {device = gpu.kind}

  it("counts transfers and waits", function()
    local x = lt.rand(1000, {device = "cpu"})
    local r = take(function() return x:to(gpu.kind):sum():item() end)
    assert.equal(4000, row_of(r, gpu.kind, "copy_in").bytes)
    local read = row_of(r, gpu.kind, "copy_out")
    assert.equal(1, read.calls)
    assert.equal(4, read.bytes)
    assert.equal(1, row_of(r, gpu.kind, "wait").calls)
    assert.is_true(r.parts.to_device > 0 and r.parts.to_host > 0 and r.parts.kernels > 0)
    close(r.wall, sum_of(r.parts))
  end)

  it("takes graphs and kernels of the script's own", function()
    local x = lt.zeros(4, on_gpu)
    local kernel = lt.kernel([[extern "C" __global__ void one_more(float *x) { x[threadIdx.x] += 1; }]], "one_more")
    local graph = lt.graph(function() x:add_(1) end, on_gpu)
    local r = take(function()
      kernel({grid = 1, block = 4}, x)
      graph:replay()
      return x
    end)
    assert.equal(1, row_of(r, gpu.kind, "user_kernel").calls)
    assert.equal(16, row_of(r, gpu.kind, "user_kernel").bytes)
    assert.equal(1, row_of(r, gpu.kind, "graph").calls)
    assert.equal(0, row_of(r, gpu.kind, "graph").bytes)
  end)

  it("takes a function that captures a graph", function()
    local x = lt.zeros(4, on_gpu)
    local r = take(function()
      local graph <close> = lt.graph(function() x:add_(1) end, on_gpu)
      graph:replay()
    end)
    assert.equal(1, row_of(r, gpu.kind, "map").calls)         -- the first of the two calls; the second one is captured
    assert.equal(1, row_of(r, gpu.kind, "graph").calls)
  end)

  gpu.it_emulated("says what is emulated, and sets it beside nothing", function()
    local x, y = lt.rand(4, 4, on_gpu), lt.rand(4, 4, {device = "cpu"})
    local r = take(function() return x:matmul(x), y:matmul(y) end, {limits = function() return 0.25, "products" end})
    assert.is_true(r.emulated)
    assert.is_true(row_of(r, gpu.kind, "gemm").emulated)
    assert.is_nil(row_of(r, gpu.kind, "gemm").share)
    assert.is_nil(row_of(r, "cpu", "gemm").emulated)
    assert.equal(0.25, row_of(r, "cpu", "gemm").share)
    local tables, notes = {}, 0
    for _, block in ipairs(r:blocks()) do
      if block.kind == "table" then tables[#tables + 1] = block end
      if block.kind == "note" and block.text:find "emulated" then notes = notes + 1 end
      if block.kind == "chart" then assert.is_true(block.series[1].emulated) end
    end
    assert.equal(1, notes)
    assert.equal(2, #tables[1].columns)                     -- no shares, because the sum mixes real and emulated times
    assert.equal("Calls of devices", tables[2].title)
    assert.truthy(tables[3].title:find "emulated device")
  end)
end)
