-- tags: unplugged
-- Tests advice for given costs, for which the right choice is known.

local advice = require "luatensor.advise.advice"
local choices = require "luatensor.advise.choices"
local decision = require "luatensor.advise.decision"
local fake = require "spec.support.fake_place"
local gpu = require "spec.support.gpu"
local interrupt = require "luatensor.bench.interrupt"
local lt = require "luatensor"
local network = require "luatensor.advise.network"
local result = require "luatensor.bench.result"
local terminal = require "luatensor.page.terminal"

local CPU, GPU, EMULATED = {device = "cpu", name = "A CPU"}, {device = "cuda:0", name = "A GPU"},
  {device = "cuda:0", name = "Emulated GPU", emulated = true}

-- A call takes n µs on the CPU. On the GPU a call takes 100 µs, and n / 2 µs more with transfers. So the GPU is faster
-- from n = 100 on in place, and from n = 200 on with transfers.
local function cost(device, n, mode)
  if device == "cpu" then return 1e-6 * n end
  return 1e-4 + (mode == "with_transfers" and 0.5e-6 * n or 0)
end

local function inputs(n) return fake.tensor(1000 * n) end
local function fn(x) return fake.tensor(8, x.device, x.value) end

local function run(want, options, f)
  want.devices, want.cost = want.devices or {CPU, GPU}, want.cost or cost
  options = options or {}
  options.inputs, options.sizes = options.inputs or inputs, options.sizes or {50, 150, 250, 1000}
  return advice.run(f or fn, options, fake.place(want))
end

local function page(r) return terminal.page(r:blocks()) end

-- Returns the page of result r as one line, in which all spaces are plain.
local function flat(r) return (page(r):gsub("%s+", " "):gsub("\u{A0}", " ")) end

local function chosen(r)
  local list = {}
  for i, choice in ipairs(r.sizes) do list[i] = choice.either and "either" or choice.device end
  return table.concat(list, " ")
end

describe("advise", function()
  it("recommends the cheapest device at each size, transfers counted each time", function()
    local r = run{}
    assert.equal("advice", r.kind)
    assert.equal("cpu cpu cuda:0 cuda:0", chosen(r))
    assert.equal("cuda:0", r.device)
    assert.is_nil(r.either)
  end)

  it("counts transfers once in so many calls with the same data", function()
    -- At n = 150 a call takes 100 + 75 / calls µs on the GPU and 150 µs on the CPU, which is equal for calls = 1.5.
    assert.equal("cpu cuda:0 cuda:0 cuda:0", chosen(run({}, {calls = 2})))
    -- n = 50: a call on the GPU takes at least 100 µs, and on the CPU 50 µs, so the GPU is never faster
    assert.equal("cpu cuda:0 cuda:0 cuda:0", chosen(run({}, {calls = 1e9})))
    local r = run({}, {calls = 10})
    assert.near(1e-4 + 0.05e-6 * 1000, r.sizes[4].cost.median, 1e-12)
    assert.near(0.05e-3 / 0.15e-3, r.sizes[4].cost.transfers, 1e-9)
  end)

  it("costs have quartiles of their own", function()
    local function figure(q1, median, q3) return {min = q1, q1 = q1, median = median, q3 = q3, max = q3} end
    local entry = {in_place = figure(1, 2, 3), with_transfers = figure(5, 10, 19)}
    local c = decision.cost(entry, 4)
    assert.same({2, 4, 7}, {c.q1, c.median, c.q3})
    assert.equal(0.5, c.transfers)
    assert.same({1, 2, 3, 0}, {decision.cost({in_place = entry.in_place}, 4).q1, 2, 3, decision.cost({in_place = entry.in_place}, 4).transfers})
  end)

  it("says why, with the figures", function()
    local text = flat(run{})
    assert.truthy(text:find("Use cuda:0: at n = 1000 a call takes 600 µs there and 1.00 ms on cpu, 1.67× the time, "
      .. "sent and fetched each time.", 1, true), text)
    assert.truthy(text:find("Of the time on cuda:0 transfers are 83.3 %.", 1, true), text)
    assert.truthy(text:find("By size: n = 50 to 150: cpu; n = 250 to 1000: cuda:0.", 1, true), text)
  end)

  it("says either where measurements do not tell devices apart", function()
    local r = run({spread = 0.1}, {sizes = {190, 1000}})
    assert.equal("either cuda:0", chosen(r))
    r = run({spread = 0.1}, {sizes = {50, 210}})
    assert.equal("cpu either", chosen(r))
    assert.same({"cuda:0", "cpu"}, r.either)
    assert.equal("cuda:0", r.device)                     -- a name that a script can use
    assert.truthy(flat(r):find("At n = 210, cuda:0 or cpu, either: 205 µs a call on cuda:0, 210 µs on cpu", 1, true), flat(r))
  end)

  it("takes differences of less than 5 % for none, however near the rounds are", function()
    local function of(t) return chosen(run({spread = 0, cost = function(device) return device == "cpu" and 1e-4 or t end}, {sizes = {50}})) end
    assert.equal("either", of(0.96e-4))
    assert.equal("cuda:0", of(0.94e-4))
  end)

  it("does not recommend a device whose results differ", function()
    local function wrong(x) return fake.tensor(8, x.device, x.device == "cpu" and 1 or 2) end
    local function agree(a, b) return a[1].value == b[1].value and "agree" or "differ" end
    local r = run({agree = agree}, nil, wrong)
    assert.equal("cpu cpu cpu cpu", chosen(r))
    assert.truthy(flat(r):find("The results of cuda:0 differ from those of cpu at n = 50", 1, true))
  end)

  it("keeps what was measured before a Ctrl-C", function()
    local ok, problem = pcall(run, {}, {inputs = function(n)
      if n == 1000 then error("interrupted!") end
      return inputs(n)
    end})
    assert.falsy(ok)
    local partial = interrupt.partial(problem)
    assert.equal("advice", partial.kind)
    assert.equal(3, #partial.points)
    assert.equal("cuda:0", partial.device)
    assert.truthy(flat(partial):find("Not complete: stopped after 3 of 4 sizes.", 1, true))
  end)

  it("lets errors of fn pass", function()
    local calls = 0
    local ok, problem = pcall(run, {}, nil, function(x)
      calls = calls + 1
      if calls == 5 then error("the fifth call") end
      return x
    end)
    assert.falsy(ok)
    assert.truthy(problem:find("advise_spec.lua:%d+: the fifth call$"), problem)
  end)

  it("becomes JSON and comes back the same", function()
    local r = run{work = function(n) return {{family = "gemm", calls = 1, flops = 1e9 * n, bytes = 0, dtype = "float32"}} end,
      available = {["cuda:0"] = 1e6}}
    local copy = assert(result.decode(result.encode(r), "text"))
    assert.equal(page(r), page(copy))
    assert.equal(result.encode(r), result.encode(copy))
  end)

  it("can be compared with another", function()
    local d = lt.bench.diff(run{}, run{cost = function(device, n, mode) return 2 * cost(device, n, mode) end})
    assert.equal(4 * 3, #d.rows)
    for _, row in ipairs(d.rows) do assert.same({0.5, "slower"}, {row.ratio, row.verdict}) end
  end)

  for _, case in ipairs{
    {{3}, "argument 1: function expected, got number"},
    {{fn, {size = {4}}}, "unknown option \"size\"; known: calls, devices, inputs, name, patience, seconds, sizes"},
    {{fn, {calls = 0}}, "calls: 0 is not in 1"},
    {{fn, {calls = "often"}}, "calls: number expected, got string"},
    {{fn, {sizes = {}}}, "sizes: a list of integers expected"},
    {{fn, {sizes = 3}}, "sizes: a list of integers expected (bench.sizes makes one), got number"},
  } do
    it("refuses: " .. case[2], function()
      local ok, problem = pcall(advice.run, case[1][1], case[1][2], fake.place{devices = {CPU}, cost = cost})
      assert.falsy(ok)
      assert.truthy(problem:find("advise: " .. case[2], 1, true), problem)
    end)
  end
end)

describe("advise, on a machine that others use", function()
  -- this product takes 12.1 µs on an RTX 4090
  local function work() return {{family = "gemm", calls = 1, flops = 1e9, bytes = 0, dtype = "float32"}} end
  local function one(want)
    want.devices, want.work, want.others = {CPU}, work, want.others or 0.2
    return flat(run(want, {sizes = {500, 1000}}))
  end

  it("goes by the least of the rounds, which others cannot make", function()
    local r = run({others = 0.2, spread = 0.1}, {sizes = {1000}})              -- the minimum counts: 0.8 of each median
    assert.near(0.8 * 600e-6, r.sizes[1].cost.seconds, 1e-12)
    local text = flat(r)
    assert.truthy(text:find("at n = 1000 a call takes 480 µs there and 800 µs on cpu, 1.67× the time", 1, true), text)
    assert.truthy(text:find("These are the least of the rounds: others used 20.0 % of the processor.", 1, true), text)
    text = one{spread = 0.1}
    assert.truthy(text:find("at n = 1000 a call takes 800 µs, the least of its rounds, while others used 20.0 % of the processor.", 1, true), text)
    -- 800 µs / (12.1 µs of products + 31.7 µs of transfers)
    assert.truthy(text:find("it could be up to 18.2× as fast as cpu", 1, true), text)
  end)

  it("says that it cannot say, where rounds are far apart", function()
    local text = one{spread = 0.3}
    assert.truthy(text:find("Use cpu. How long a call takes at n = 1000 this machine was too busy to say: half of the rounds took "
      .. "700 µs … 1.30 ms, the least 400 µs, while others used 20.0 % of the processor.", 1, true), text)
    assert.truthy(text:find("Nothing follows for devices that are not here.", 1, true), text)
    assert.falsy(text:find("up to", 1, true) and text:find("× as fast", 1, true), text)
  end)

  it("says that it cannot say, where the machine was theirs for a good part", function()
    local text = one{spread = 0.01, others = 0.26}
    assert.truthy(text:find("How long a call takes at n = 1000 this machine was too busy to say", 1, true), text)
    assert.truthy(one{spread = 0.01, others = 0.25}:find("× as fast as cpu", 1, true))
  end)

  it("tells devices apart where even the least of the other's rounds is longer", function()
    local function of(cpu) return run({others = 0.2, spread = 0.3, cost = function(device) return device == "cpu" and cpu or 1e-4 end},
      {sizes = {1000}}) end
    -- the CPU's least round, 0.4 · 300 µs, is below the GPU's upper quartile, 1.3 · 100 µs
    assert.equal("either", chosen(of(3e-4)))
    assert.equal("cuda:0", chosen(of(4e-4)))
  end)
end)

describe("advise, never recommends an emulated device", function()
  it("beside a real one", function()
    local r = run{devices = {CPU, EMULATED}, cost = function(device) return device == "cpu" and 1e-3 or 1e-9 end}
    assert.equal("cpu cpu cpu cpu", chosen(r))
    assert.is_true(r.emulated)
    local text = flat(r)
    assert.truthy(text:find("Use cpu: at n = 1000 a call takes 1.00 ms.", 1, true), text)
    assert.truthy(text:find("An emulated device shows that this work runs there.", 1, true))
    for _, block in ipairs(r:blocks()) do
      for _, column in ipairs(block.columns or {}) do
        assert.truthy(column.name ~= "cuda:0" or block.title:find("^Emulated"), block.title)
      end
    end
  end)

  it("nor alone", function()
    local r = run{devices = {EMULATED}, work = function() return {{calls = 1, flops = 1e9, bytes = 0, dtype = "float32"}} end}
    assert.is_nil(r.device)
    assert.same({}, r.bounds)
    assert.truthy(flat(r):find("No recommendation: only an emulated device was measured.", 1, true))
  end)
end)

describe("advise, where measuring ends", function()
  it("carries costs on by the trend, and says so", function()
    -- At n = 1000, 15 calls of 1000 µs are 15 ms, which is more than the patience of 10 ms.
    local r = run({devices = {CPU}, spread = 0}, {patience = 0.01})
    assert.equal("cpu", r.device)
    assert.equal(3, #r.points)
    assert.same({1000, "cpu", "takes too long"}, {r.predictions[1].n, r.predictions[1].device, r.predictions[1].why})
    assert.near(1e-3, r.predictions[1].seconds, 1e-9)
    local text = flat(r)
    assert.truthy(text:find("Measured up to n = 250; what is said of n = 1000 follows from the trend.", 1, true), text)
    assert.truthy(text:find("extrapolated, not measured", 1, true))
  end)

  it("has no time for what does not fit, but the memory it needs", function()
    local r = run({available = {["cuda:0"] = 1e6}})
    assert.equal("cpu", r.sizes[4].device)                       -- cuda:0 would need 2 · 10⁶ bytes
    local item = r.predictions[1]
    assert.same({1000, "cuda:0", "does not fit"}, {item.n, item.device, item.why})
    assert.is_nil(item.seconds)
    assert.near(2e6, item.bytes, 1)
    assert.truthy(flat(r):find("1000 cuda:0 – 1.91 MiB does not fit", 1, true), flat(r))
  end)

  it("says so where nothing could be measured", function()
    local r = run{fails = {cpu = 1, ["cuda:0"] = 1}}
    assert.is_nil(r.device)
    assert.truthy(flat(r):find("No recommendation: nothing could be measured.", 1, true))
  end)
end)

describe("advise, devices that are not here", function()
  -- A call has n GFLOP of products; an RTX 4090 takes n / 82600 s.
  local function work(n) return {{family = "gemm", calls = 1, flops = 1e9 * n, bytes = 0, dtype = "float32"}} end
  local function one(options) return run({devices = {CPU}, work = work, no_gpu = "no driver", spread = 0}, options) end
  local function of(r, id)
    for _, row in ipairs(r.bounds) do
      if row.id == id then return row end
    end
  end

  it("are bounded by published figures", function()
    local r = one()
    local points = of(r, "rtx-4090").points
    assert.equal(4, #points)
    -- a call sends 1000 n bytes and fetches 8
    assert.near(1000 / 82600 + (1000 * 1000 + 8) / 31.508e9, points[4].seconds, 1e-6)
    assert.equal("products", points[4].takes)
    assert.equal(1, points[4].needed)
    assert.near(1000 / 82600 + (1000 * 1000 + 8) / 31.508e9 / 10, of(one{calls = 10}, "rtx-4090").points[4].seconds, 1e-9)
  end)

  it("without a published rate are left out; TPUs come with what they are reached by", function()
    local r = one()
    assert.is_nil(of(r, "threadripper-5995wx"))
    assert.near(1000e9 / 197e12, of(r, "tpu-v5e").points[4].seconds, 1e-9)
    assert.truthy(flat(r):find("luatensor reaches them by the plugin libtpu", 1, true))
  end)

  it("are said to be bounds", function()
    local text = flat(one())                                      -- an RTX 4090 takes at least 12.1 ms, the CPU 1 ms
    assert.truthy(text:find("No other device is here: no driver.", 1, true), text)
    assert.truthy(text:find("An NVIDIA GeForce RTX 4090 would take at least 12.1 ms by published figures: it could not be faster.", 1, true), text)
    local slow = run({devices = {CPU}, work = work, cost = function(_, n) return 1e-2 * n end}, {patience = 1e6})
    assert.truthy(flat(slow):find("so it could be up to 824× as fast as cpu", 1, true), flat(slow))
  end)

  it("are bounded beyond what was measured by the trend of the counted work", function()
    local point = of(one{patience = 0.01}, "rtx-4090").points[4]
    assert.is_true(point.extrapolated)
    assert.near(1000 / 82600 + (1000 * 1000 + 8) / 31.508e9, point.seconds, 1e-6)
  end)

  it("are not listed where they are here", function()
    local r = run{devices = {CPU, {device = "cuda:0", name = "NVIDIA GeForce RTX 4090"}}, work = work}
    assert.is_nil(of(r, "rtx-4090"))
    assert.truthy(of(r, "h100-sxm"))
  end)

  it("are listed where only a relative of theirs is here", function()
    local r = run{devices = {CPU, {device = "cuda:0", name = "NVIDIA GeForce RTX 4090 Laptop GPU"}}, work = work}
    assert.truthy(of(r, "rtx-4090"))
  end)
end)

describe("lt.advise", function()
  it("is a function with functions in it", function()
    local r = lt.advise(function(x, y) return x + y end, {sizes = {8, 16}, devices = "cpu", seconds = 0.002, name = "sum"})
    assert.equal("cpu", r.device)
    assert.equal("sum", r.name)
    assert.equal(2, #r.points)
    assert.equal("function", type(lt.advise.network))
    assert.equal("function", type(lt.advise.choices))
    local ok, problem = pcall(function() return lt.advise.netwrok end)
    assert.falsy(ok)
    assert.truthy(problem:find("luatensor has no \"advise.netwrok\"; did you mean \"advise.network\"?", 1, true), problem)
  end)

  it("names the script's line", function()
    local ok, problem = pcall(lt.advise, fn, {sizes = {0}})
    assert.falsy(ok)
    assert.truthy(problem:find("advise: sizes[1]: 0 is out of range", 1, true), problem)
  end)
end)

describe("advise.network", function()
  it("has layers as wide as the parameters give", function()
    assert.equal(10, network.width(4 * 110, 4))
    assert.equal(440, network.parameters(10, 4))
    assert.equal(1, network.width(1, 4))
    for _, n in ipairs{1000, 123456, 10 ^ 7 // 1 | 0, 70 * 10 ^ 9 // 1 | 0} do
      local width = network.width(n, 4)
      assert.truthy(math.abs(network.parameters(width, 4) - n) <= 4 * (2 * width + 1), n)
    end
  end)

  it("measures smaller ones, too", function()
    assert.same({15625, 62500, 250000, 1000000}, network.sizes(1000000))
    assert.same({18, 75, 300}, network.sizes(300))
    assert.same({3}, network.sizes(3))
  end)

  it("knows the work of a pass and of a step", function()
    -- 2 layers of width 3, batch 5: a product has 2 · 5 · 3 · 3 operations; forward takes 2 products, a training step
    -- 2 + 2 + 1
    assert.equal(2 * 90, network.flops(3, 2, 5, false))
    assert.equal(5 * 90, network.flops(3, 2, 5, true))
  end)

  it("computes a pass", function()
    local work, make = network.work{layers = 1, batch = 2, training = false, dtype = "float64"}
    local x = make(6)                                                 -- 6 parameters are a layer of width 2
    assert.same({2, 2}, {x.shape[1], x.shape[2]})
    lt.manual_seed(1)
    x = make(6)
    lt.manual_seed(1)
    -- the weights are the first drawn numbers, times √(2 / width) = 1
    local weights = lt.randn(2, 2, {dtype = "float64"})
    local out, expected = work(x), x:matmul(weights)
    assert.truthy(lt.allclose(out, expected))
  end)

  it("computes gradients: the loss changes as they say", function()
    lt.manual_seed(3)
    local layers = {}
    for i = 1, 3 do
      layers[i] = {weights = lt.randn(4, 4, {dtype = "float64"}), bias = lt.randn(1, 4, {dtype = "float64"})}
    end
    local x, target = lt.rand(5, 4, {dtype = "float64"}), lt.rand(5, 4, {dtype = "float64"})
    local before = layers[1].weights:clone()
    local loss, gradient = network.train(layers, x, target)
    -- the step is 0, so the next call does the same work
    assert.truthy(lt.equal_all(before, layers[1].weights))
    for i = 1, 4 do
      local step = 1e-6
      local moved = layers[1].bias:clone()
      moved[{1, i}] = moved[{1, i}]:item() + step
      local other = network.train({{weights = layers[1].weights, bias = moved}, layers[2], layers[3]}, x, target)
      assert.near((other:item() - loss:item()) / step, gradient[{1, i}]:item(), 1e-4)
    end
  end)

  it("does a step with the products that are counted", function()
    local place = require "luatensor.bench.crossover.place"
    for _, training in ipairs{true, false} do
      local work, make = network.work{layers = 3, batch = 8, training = training, dtype = "float32"}
      local x, target = make(3 * (16 * 16 + 16))
      local flops = 0
      for _, row in ipairs(place.count(function() return work(x, target) end, "cpu").rows) do flops = flops + row.flops end
      assert.equal(network.flops(16, 3, 8, training), flops)
    end
  end)

  it("gives advice", function()
    local r = lt.advise.network{parameters = 2000, batch = 4, training = true, devices = "cpu", seconds = 0.002}
    assert.equal("cpu", r.device)
    assert.truthy(r.name:find("training step of a network with 4 layers, batch 4, float32", 1, true))
    assert.same({31, 125, 500, 2000}, r.wanted)
    local forward = lt.advise.network{parameters = 100, batch = 4, devices = "cpu", seconds = 0.002, dtype = "float64"}
    assert.truthy(forward.name:find("forward pass of a network", 1, true))
    assert.equal("float64", forward.points[1].dtype)
  end)

  for _, case in ipairs{
    {{parameters = 0}, "parameters: 0 is out of range"}, {{batch = 1.5}, "batch: integer expected, got 1.5"},
    {{training = "yes"}, "training: boolean expected, got string"}, {{layer = 3}, "unknown option \"layer\""},
    {{dtype = "int8"}, "dtype: a floating-point dtype such as float32 expected, got int8"},
  } do
    it("refuses: " .. case[2], function()
      local ok, problem = pcall(lt.advise.network, case[1])
      assert.falsy(ok)
      assert.truthy(problem:find("advise_spec.lua:%d+: advise.network: ") or problem:find("^advise.network: "), problem)
      assert.truthy(problem:find(case[2], 1, true), problem)
    end)
  end
end)

describe("advise.choices", function()
  -- The CPU takes 1 ns a parameter, a GPU a tenth.
  local function per_parameter(device, n) return 1e-9 * n * (device == "cpu" and 1 or 0.1) end

  local function real(want)
    local place = setmetatable({}, {__index = require "luatensor.bench.crossover.place"})
    function place.devices()
      local list = {}
      for i, device in ipairs(want.devices or {CPU}) do
        list[i] = setmetatable({memory = (want.memory or {})[device.device]}, {__index = device})
      end
      return list
    end
    -- the first comparison is of the first device with itself, the second with the other device
    local looks = 0
    function place.agree()
      looks = looks + 1
      return want.differ and looks % 2 == 0 and "differ" or "agree"
    end
    function place.move(x) return x end
    function place.available() return want.available end
    function place.seeded(_, _, call) return table.pack(call()) end
    function place.reset_peak() end
    function place.peak() return 1 end
    function place.measure(entries)
      local figures = {}
      for i, entry in ipairs(entries) do
        local t = want.cost(entry.device, want.n)
        figures[i] = {min = t, q1 = t, median = t, q3 = t, max = t, samples = {t}}
      end
      return figures
    end
    function place.made(make, n)
      want.n = n
      return table.pack(make(n))
    end
    function place.count() return nil end
    return place
  end

  local function rows(want, options)
    want.cost = want.cost or per_parameter
    options = options or {largest = 200000}
    local r = choices.run(options, real(want))
    return r, r.rows
  end

  it("has the notebook's kinds of models with the memory they need", function()
    local r, list = rows{}
    assert.equal("choices", r.kind)
    assert.same({100000, 10000000, 1000000000, 70000000000},
      {list[1].parameters, list[2].parameters, list[3].parameters, list[4].parameters})
    assert.equal(16 * 10 ^ 9, list[3].bytes)           -- parameters, gradients, two moments: 4 × 4 bytes
  end)

  it("is measured where it says so, else carried on by the products", function()
    local _, list = rows{}
    assert.same({1e-4, "measured"}, {list[1].here[1].seconds, list[1].here[1].how})
    assert.equal("extrapolated", list[2].here[1].how)
    assert.near(1e-9 * 10 ^ 7, list[2].here[1].seconds, 1e-4)         -- products grow about in proportion to parameters
    assert.near(1, list[3].here[1].seconds, 0.01)
  end)

  -- The small model takes 0.1 ms a step, 7 / 11 of it for the backward pass: 7 of 11 products. Its gradients are 400 kB,
  -- of which p hosts send 2 (p - 1) / p each, in 0.16 ms on 5 hosts and 0.167 ms on 6. A step with half of the speed
  -- has 0.1 + 0.0636 ms for them.
  it("says up to how many hosts each keeps half of its speed, on a given network", function()
    local r, list = rows({}, {largest = 200000, latency = 1e-9, bandwidth = 4e9})
    assert.same({from = 2, to = 5}, list[1].hosts)
    assert.equal("given", r.network.source)
    assert.truthy(terminal.page(r:blocks()):find "\nsmall model, prototype +2 +5\n")
  end)

  it("assumes Ethernet, and says nothing about hosts for a model whose step was not measured", function()
    local r, list = rows{memory = {cpu = 10 ^ 9}}
    assert.same({50e-6, 1.25e9}, {r.network.latency, r.network.bandwidth})
    assert.is_nil(list[4].hosts)
    assert.truthy(list[1].hosts)
  end)

  it("has a part that does not grow, where two sizes show it", function()
    local function cost_of(_, n) return 1e-3 + 1e-9 * n end
    local _, list = rows{cost = cost_of}
    assert.near(1 + 1e-3, list[3].here[1].seconds, 0.01)
    assert.near(1e-2 + 1e-3, list[2].here[1].seconds, 1e-4)
  end)

  it("bounds what is not here by products and by the way through the parameters", function()
    local _, list = rows{}
    -- The large model on an RTX 4090, which has 72 MiB of cache: 12 passes over 10⁹ bytes at 1008 GB/s take longer
    -- than 11 products of 2 · 64 · 10⁹ / 4 operations.
    assert.equal("rtx-4090", list[3].absent[1].id)
    assert.near((12e9 - 12 * 72 * 2 ^ 20) / 1008e9, list[3].absent[1].seconds, 1e-6)
    -- On the notebook's TPU, 11 · 2 · 64 · 10⁹ / 4 operations at 459 TFLOP/s take less time than 12 · (10⁹ - 2²⁸)
    -- bytes at 2765 GB/s.
    assert.near(12 * (1e9 - 2 ^ 28) / 2765e9, list[3].absent[3].seconds, 1e-6)
  end)

  it("follows from the figures", function()
    local _, list = rows{memory = {cpu = 20e9}}
    assert.equal("cpu", list[1].choice)                                   -- 10 000 steps: 1 s
    assert.equal("cpu, or a GPU for daily work", list[2].choice)               -- 10 000 steps: 100 s
    assert.equal("GPU", list[3].choice)                                   -- 10 000 steps: 10 000 s
    assert.equal("several GPUs, or TPUs", list[4].choice)                 -- the network takes 1.1 TB
    assert.equal("does not fit", list[4].here[1].how)
    assert.is_nil(list[4].here[1].seconds)
    assert.equal(14, list[4].absent[2].needed)                            -- 1.12 · 10¹² bytes need 14 H100s of 80 GiB
  end)

  it("says that the steps are reckoned, and multiplies no bound that says nothing", function()
    local function text(r) return (terminal.page(r:blocks()):gsub("%s+", " ")) end
    local small = text(rows{memory = {cpu = 20e9}, cost = function() return 0.01 end})
    -- 10 000 steps of 100 000 parameters: 100 s; the RTX 4090's 11 · 2 · 64 · 25 000 operations take 0.4 µs
    assert.truthy(small:find("small model, prototype: cpu, or a GPU for daily work. 10000 steps take 100 s on cpu (reckoned from a step that "
      .. "was measured): worth a GPU where it is done often.", 1, true), small)
    local large = text(rows{memory = {cpu = 20e9}})
    assert.truthy(large:find("(reckoned from the trend of smaller networks), at least", 1, true), large)
  end)

  describe("on a machine that others use", function()
    -- the rounds take from `least` to `high * least` seconds a parameter
    local function choice(least, high, others)
      local place = real{cost = function(_, n) return least * n end}
      local measure = place.measure
      function place.measure(entries)
        local figures = measure(entries)
        for _, f in ipairs(figures) do
          f.median, f.q3, f.max, f.others = high * f.min, high * f.min, high * f.min, others
        end
        return figures
      end
      local r = choices.run({largest = 200000}, place)
      return r.rows[1], (terminal.page(r:blocks()):gsub("%s+", " "))
    end

    it("goes by the least of the rounds, where others would give the same choice", function()
      local row = choice(1e-8, 1.4, 0.2)                               -- 10 000 steps: 10 s, or 14 s
      assert.same({"cpu", 1e-3}, {row.choice, row.here[1].seconds})
      assert.near(1.4e-3, choice(1e-8, 1.4, 0.05).here[1].seconds, 1e-9)
    end)

    it("has no choice where they would give another", function()
      local row, text = choice(5e-8, 1.4, 0.2)                         -- 10 000 steps: 50 s, or 70 s
      assert.equal("not known", row.choice)
      assert.truthy(text:find("This machine was too busy to say: by the least of the rounds 10000 steps take 50.0 s on cpu, by others 70.0 s, "
        .. "while others used up to 20.0 % of the processor.", 1, true), text)
      -- other processes used a large part of the processor
      assert.equal("not known", choice(1e-8, 1.01, 0.26).choice)
      -- the quartiles are far apart, although both figures give the same choice
      assert.equal("not known", choice(1e-8, 5, 0.2).choice)
      assert.equal("cpu, or a GPU for daily work", choice(5e-8, 1.4, 0.05).choice)
    end)
  end)

  it("knows what does not fit here but on a larger device", function()
    local r, list = rows{memory = {cpu = 8e9}}
    assert.equal("GPU", list[3].choice)
    assert.truthy((terminal.page(r:blocks()):gsub("%s+", " ")):find("14.9 GiB do not fit here; one NVIDIA GeForce RTX 4090 holds them", 1, true))
  end)

  it("does not say of what was not measured that it does not fit", function()
    local place = real{cost = per_parameter}
    function place.measure() error("interrupted!") end
    local _, problem = pcall(choices.run, {largest = 200000}, place)
    local row = interrupt.partial(problem).rows[1]
    assert.equal("not measured", row.here[1].how)
    assert.equal("not known", row.choice)
  end)

  it("takes the GPU that is here", function()
    local _, list = rows{devices = {CPU, GPU}}
    assert.equal("cuda:0", list[1].choice)
    assert.equal("cuda:0", list[3].choice)
    assert.near(0.1, list[3].here[2].seconds, 0.001)
  end)

  it("takes none whose results differ, and says where none can be told from another", function()
    local _, list = rows{devices = {CPU, GPU}, differ = true}
    assert.equal("cpu", list[1].choice)
    assert.equal("cpu, or a GPU for daily work", list[2].choice)
    local function near(device, n) return 1e-7 * n * (device == "cpu" and 1 or 0.99) end
    _, list = rows{devices = {CPU, GPU}, cost = near}
    assert.equal("cuda:0 or cpu, either", list[1].choice)              -- 10 000 steps: 100 s, and 99 s
    assert.equal(2, #list[1].either)
  end)

  it("looks for a larger GPU where the one that is here takes more than an hour", function()
    local r, list = rows{devices = {CPU, GPU}, cost = function(device, n) return 10 * per_parameter(device, n) end}
    assert.equal("cuda:0", list[2].choice)                             -- 10 000 steps: 100 s
    assert.equal("a larger GPU", list[3].choice)                       -- 10 000 steps: 10 000 s
    assert.truthy((terminal.page(r:blocks()):gsub("%s+", " ")):find("large network: a larger GPU. 10000 steps would take", 1, true))
    local same = {device = "cuda:0", name = "NVIDIA GeForce RTX 4090"}
    r, list = rows{devices = {CPU, same}, cost = function(device, n) return 10 * per_parameter(device, n) end}
    assert.truthy(list[3].text:find("{name}", 1, true))
    assert.equal("NVIDIA H100 SXM", list[3].values.name[1])
    for _, block in ipairs(r:blocks()) do
      for _, column in ipairs(block.columns or {}) do assert.falsy(column.name:find("4090", 1, true)) end
    end
  end)

  it("counts a device's memory, less a tenth, not what is free at the moment", function()
    local _, list = rows{memory = {cpu = 18e9}, available = 1e12}
    assert.equal("measured", list[1].here[1].how)
    assert.equal("extrapolated", list[3].here[1].how)                  -- takes 16 of 18 - 1.8 = 16.2 GB
    assert.equal("does not fit", (select(2, rows{memory = {cpu = 17e9}, available = 1e12}))[3].here[1].how)
  end)

  it("counts the host's memory for a device that does not tell its own", function()
    local _, list = rows{devices = {CPU, {device = "tpu:0", name = "a chip", kind = "pjrt"}}, memory = {cpu = 17e9}}
    assert.same({"tpu:0", "does not fit"}, {list[3].here[2].device, list[3].here[2].how})
    assert.equal("extrapolated", list[2].here[2].how)
  end)

  it("does not take an emulated one", function()
    local r, list = rows{devices = {CPU, EMULATED}, memory = {cpu = 20e9}}
    assert.same({"cpu", "cpu, or a GPU for daily work", "GPU"}, {list[1].choice, list[2].choice, list[3].choice})
    for _, block in ipairs(r:blocks()) do
      for _, column in ipairs(block.columns or {}) do
        assert.truthy(not column.name:find("cuda", 1, true) or block.title:find("^Emulated"))
      end
    end
  end)

  it("becomes JSON and comes back the same", function()
    local r = rows{devices = {CPU, EMULATED}}
    local copy = assert(result.decode(result.encode(r), "text"))
    assert.equal(terminal.page(r:blocks()), terminal.page(copy:blocks()))
  end)

  it("keeps what was measured before a Ctrl-C", function()
    local place, n = real{cost = per_parameter}, 0
    local measure = place.measure
    function place.measure(entries)
      n = n + 1
      if n == 2 then error("interrupted!") end
      return measure(entries)
    end
    local ok, problem = pcall(choices.run, {largest = 200000}, place)
    assert.falsy(ok)
    local partial = interrupt.partial(problem)
    assert.equal("choices", partial.kind)
    assert.equal("stopped after 1 of 2 sizes", partial.incomplete)
    assert.equal("measured", partial.rows[1].here[1].how)
    assert.truthy(terminal.page(partial:blocks()):find("! Not complete: stopped after 1 of 2 sizes.", 1, true))
  end)

  it("refuses options it does not know", function()
    local ok, problem = pcall(lt.advise.choices, {fastest = true})
    assert.falsy(ok)
    assert.truthy(problem:find("advise.choices: unknown option \"fastest\"; known: bandwidth, devices, largest, latency, patience, seconds", 1, true), problem)
  end)
end)

gpu.describe("advice with a GPU", {{}}, function()
  local function product(x, y) return x:matmul(y) end

  it("measures it, and recommends it only where it is real", function()
    local r = lt.advise(product, {sizes = {8, 16}, seconds = 0.002})
    for _, point in ipairs(r.points) do
      local entry = point.measured[2]
      assert.same({"cpu", gpu.kind .. ":0", "agree"}, {point.measured[1].device, entry.device, entry.agreement})
      assert.truthy(entry.with_transfers.median > 0)
      assert.equal(gpu.emulator and true or nil, entry.emulated)
    end
    assert.equal(gpu.emulator and true or nil, r.emulated)
    if gpu.emulator then assert.equal("cpu", r.device) end
  end)

  it("has no crossing with an emulated one", function()
    local r = lt.bench.crossover(product, {8, 16}, {seconds = 0.002})
    assert.equal(gpu.emulator and 0 or 2, #r.crossings)
    assert.equal(gpu.emulator ~= nil, r.bounds ~= nil)            -- no real GPU is present
  end)

  it("says what to do where fn uses a tensor of another device", function()
    local other = lt.rand(8, 8, {device = "cpu"})
    local ok, problem = pcall(lt.bench.crossover, function(x) return x + other end, {8}, {seconds = 0.002})
    assert.falsy(ok)
    assert.truthy(problem:find("advise_spec.lua:%d+: add: tensors on different devices"), problem)
    assert.truthy(problem:find("return every tensor that fn uses from inputs(n)", 1, true), problem)
  end)

  it("trains a network there with the CPU's results", function()
    local r = lt.advise.network{parameters = 500, batch = 4, training = true, seconds = 0.002}
    assert.equal(3, #r.points)
    for _, point in ipairs(r.points) do assert.equal("agree", point.measured[2].agreement) end
  end)

  it("leaves the default device as it was", function()
    local before = lt.get_default_device()
    pcall(lt.advise, function(x) return x.device == "cpu" and x or error("no") end, {sizes = {4}, seconds = 0.001})
    assert.equal(before, lt.get_default_device())
  end)
end)
