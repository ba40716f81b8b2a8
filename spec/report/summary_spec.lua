-- tags: host
-- Tests the short answers of a report. Their figures are invented, so that the answers can be checked by hand.

local format = require "luatensor.page.format"
local summary = require "luatensor.report.summary"

local function loop_run(device, rows, cols, iterations, seconds)
  return {device = device, options = {rows = rows, cols = cols, iterations = iterations}, values = {seconds = {value = seconds, unit = "s"}}}
end

-- Returns a crossover at which the CPU takes seconds[n] seconds for size n, and the absent GPU takes at least bounds[n]
-- seconds.
local function crossover(name, seconds, bounds)
  local points, list = {}, {}
  for _, n in ipairs{16, 32, 64} do
    points[#points + 1] = {n = n, measured = {{device = "cpu", in_place = {median = seconds[n], q1 = seconds[n], q3 = 1.1 * seconds[n]}}}}
    list[#list + 1] = {n = n, in_place = bounds[n], with_transfers = bounds[n]}
  end
  return {name = name, devices = {{device = "cpu"}}, points = points, crossings = {}, bounds = {{id = "rtx-4090", name = "RTX 4090", points = list}}}
end

local function report(sections, fields)
  local made = {machine = {devices = {{name = "A CPU", cores = 4}}, threads = 4}, sections = sections}
  for name, value in pairs(fields or {}) do made[name] = value end
  for _, section in ipairs(sections) do section.runs = section.runs or {} end
  return made
end

-- Returns the text of the answer with this title, or nil if there is no such answer.
local function answer(made, title)
  for _, item in ipairs(summary.of(made)) do
    if item.title == title then
      local words = {}
      for i, block in ipairs(item.blocks) do words[i] = format.fill(block.text, block.values) end
      return table.concat(words, "\n")
    end
  end
end

local function assert_says(text, words)
  assert.truthy(text and text:find(words, 1, true), ("%q does not say %q"):format(tostring(text), words))
end

describe("a report's summary", function()
  it("names the machine, and why there is no GPU", function()
    local text = answer(report({}, {without = "GPU not found: none"}), "What does this machine do?")
    assert.equal("A CPU: 4 cores, 4 threads in use. GPU not found: none.", text)
  end)

  it("says what the CPU reaches of its limits", function()
    local entry = {device = "cpu", products = {{dtype = "float64", flops = 1}, {dtype = "float32", flops = 9e10}},
      arithmetic = {{dtype = "float32", flops = 1.2e11}}, read = 3e10, call = 3.5e-7}
    local text = answer(report{{id = "machine", result = {devices = {entry}}}}, "What does this machine do?")
    assert_says(text, "at 90.0 GFLOP/s, which is 75.0 % of what")
    assert.falsy(text:find("others used", 1, true))
    local function with(flops, others)
      entry.products[2].flops = flops
      return answer(report{{id = "machine", result = {devices = {entry}, others = others}}}, "What does this machine do?")
    end
    assert_says(with(1.25e11), "at 125 GFLOP/s, which is all that its arithmetic units can do.")
    local over = with(2.16e11)
    assert_says(over, "at 216 GFLOP/s, more than the 120 GFLOP/s that its arithmetic units reached when their limit was measured: the "
      .. "machine was busy then, and of what it can do at most no share can be told.")
    assert.falsy(over:find("180", 1, true))
    local busy = with(9e10, 0.8)
    assert_says(busy, "This machine was too busy to say what it can do at most: while others used 80.0 % of the processor, it multiplied "
      .. "matrices of float32 numbers at 90.0 GFLOP/s, read its memory at 30.0 GB/s, and its smallest call took 350 ns.")
    assert.falsy(busy:find("75", 1, true))
    assert_says(text, "reads its memory at 30.0 GB/s, and its smallest call takes 350 ns")
  end)

  it("draws no conclusion from shares that noise made", function()
    local function text(product, sum, others)
      local run = {device = "cpu", others = others, options = {rows = 7000, cols = 3000}, values = {
        product_arithmetic = {value = product, unit = "share"}, add_memory = {value = sum, unit = "share"}}}
      return answer(report{{id = "05_memory", runs = {run}}}, "What does this machine do?")
    end
    assert_says(text(0.9, 0.8), "the product reaches 90.0 % of what its arithmetic units can do, the sum 80.0 % of what its memory can "
      .. "deliver: the product waits for arithmetic, the sum waits for memory.")
    assert_says(text(0.9, 0.3), "deliver: the product waits for arithmetic.")
    assert_says(text(0.2, 0.3), "the sum 30.0 % of what its memory can deliver.")
    local over = text(0.9, 3.36)
    assert_says(over, "reach no share of this machine's limits that could be told")
    assert.falsy(over:find("336", 1, true))
    local busy = text(0.9, 0.8, 0.7)
    assert_says(busy, "this machine was too busy to say: others used 70.0 % of the processor.")
    assert.falsy(busy:find("90", 1, true))
  end)

  -- 100 products of 7000 × 3000 matrices are 100 × 2 × 7000² × 3000 = 29.4 TFLOP: 100 GFLOP/s if they take 294 s. The
  -- RTX 4090 with its published 82.6 TFLOP/s takes 0.3559 s.
  it("reckons the large loop from fewer rounds", function()
    local made = report{{id = "02_large", runs = {loop_run("cpu", 7000, 3000, 10, 29.4)}}}
    local text = answer(made, "What would a GPU have to beat?")
    assert_says(text, "takes 294 s on this CPU, which is 100 GFLOP/s (reckoned from fewer rounds)")
    assert_says(text, "The notebook's laptop took 53.2 s on its CPU and 33.0 s on its GPU")
    assert_says(text, "at least 356 ms")
    assert_says(text, "at most 826×")
  end)
end)

describe("a report's summary of GPUs", function()
  it("sets a real GPU beside the CPU, never an emulated one", function()
    local runs = {loop_run("cpu", 7000, 3000, 100, 100), loop_run("cuda:0", 7000, 3000, 100, 20)}
    local text = answer(report({{id = "02_large", runs = runs}}, {accelerator = "cuda:0"}), "What does the GPU bring?")
    assert_says(text, "takes 100 s on this CPU, which is 294 GFLOP/s, and 20.0 s on cuda:0: 5.00× as fast")
    runs[2].emulated = true
    local made = report({{id = "02_large", runs = runs}}, {accelerator = "cuda:0", emulated = true})
    assert.is_nil(answer(made, "What does the GPU bring?"))
    assert.falsy(answer(made, "What would a GPU have to beat?"):find("cuda:0", 1, true))
    assert_says(answer(made, "How far can this be trusted?"), "is emulated")
  end)

  it("says nothing of loops of other sizes", function()
    assert.is_nil(answer(report{{id = "03_small", runs = {loop_run("cpu", 40, 30, 2, 1)}}}, "What would a GPU have to beat?"))
  end)

  -- On the GPU of the notebook's laptop, the loop of 100 iterations with 4 calls each took 0.0965 s. So one call took
  -- 241 µs.
  it("predicts from which size on an absent GPU could be faster", function()
    local seconds = {[16] = 1.5e-6, [32] = 1e-4, [64] = 1e-2}
    local made = report{{id = "07_crossover", runs = {{device = "cpu", results = {
      crossover("x @ y.T", seconds, {[16] = 2e-6, [32] = 5e-6, [64] = 1e-5}),
      crossover("x + y", seconds, {[16] = 2e-6, [32] = 2e-4, [64] = 2e-2}),
      crossover("exp", seconds, {[16] = 1e-7, [32] = 1e-7, [64] = 9.9e-3}),
      crossover("sum", seconds, {[16] = 1e-7, [32] = 2e-4, [64] = 2e-2}),
      crossover("min", {[16] = 9e-7, [32] = 1e-6, [64] = 1e-6}, {[16] = 1e-8, [32] = 1e-7, [64] = 1e-6}),
    }}}}}
    local text = answer(made, "From which size on is a GPU faster?")
    assert_says(text, "x @ y.T of n × n matrices, predicted, not measured: with data sent there and back, one RTX 4090 cannot be faster "
      .. "below n = 32 by the published figures, and could be from n = 64 on if each call cost it 241 µs on top, as one cost the notebook's "
      .. "own GPU, an Apple laptop's. With data that stay there it could be faster from n = 64 on at that cost.")
    assert_says(text, "x + y of n × n matrices, predicted, not measured: with data sent there and back, one RTX 4090 cannot be faster "
      .. "at any size up to n = 64: sending takes longer than computing here. With data that stay there it could not be faster at n = 64, "
      .. "if each call cost it 241 µs")
    assert_says(text, "could be faster at every size by the published figures alone, but could not be at n = 64 if each call cost it 241 µs")
    assert_says(text, "sum of n × n matrices, predicted, not measured: with data sent there and back, one RTX 4090 could be faster at some sizes")
    -- One launch of a kernel takes 1 µs, which is not less than the CPU's times.
    assert_says(text, "min of n × n matrices, predicted, not measured: with data sent there and back, one RTX 4090 cannot be faster at any size")
  end)

  it("predicts nothing from times that noise made", function()
    local title, bounds = "From which size on is a GPU faster?", {[16] = 2e-6, [32] = 5e-6, [64] = 1e-5}
    local function text(change)
      local result = crossover("x @ y.T", {[16] = 1e-6, [32] = 1e-4, [64] = 1e-2}, bounds)
      for _, point in ipairs(result.points) do
        local times = point.measured[1].in_place
        times.min = times.median
        change(times, point.n)
      end
      return answer(report{{id = "07_crossover", runs = {{device = "cpu", results = {result}}}}}, title)
    end
    local quiet = text(function() end)
    assert_says(quiet, "cannot be faster below n = 32")
    -- the machine is busy, but all rounds give the same size
    assert.equal(quiet, text(function(times) times.others = 0.2 end))
    assert_says(text(function(times) times.others = 0.26 end), "too busy to say")
    -- at n = 16 the upper quartile is above the bound, but the minimum is below
    local busy = text(function(times, n) times.others = 0.2 if n == 16 then times.q3 = 1e-3 end end)
    assert_says(busy, "x @ y.T of n × n matrices: this machine was too busy to say from which size on one RTX 4090 could be faster: its "
      .. "own times depend on what others did, who used up to 20.0 % of the processor.")
    assert.falsy(busy:find("n = 16", 1, true))
    assert_says(text(function(times, n) times.out_of_line = n == 32 or nil end), "too busy to say")
    -- the minimum counts on a busy machine: 3 µs at n = 32 are less than the bound, whatever the median is
    assert_says(text(function(times, n)
      times.others = 0.2
      if n == 32 then times.min, times.q1, times.median, times.q3 = 3e-6, 3e-6, 3.1e-6, 3.2e-6 end
    end), "cannot be faster below n = 64")
  end)
end)

describe("a report's summary of how it was measured", function()
  it("says that a loop was timed beside other work", function()
    local run = loop_run("cpu", 7000, 3000, 100, 294)
    run.others = 0.7
    local text = answer(report{{id = "02_large", runs = {run}}}, "What would a GPU have to beat?")
    assert_says(text, "which is 100 GFLOP/s, while others used 70.0 % of it.")
    assert_says(text, "needs at least 356 ms for the large loop.")
  end)

  it("says a measured crossing", function()
    local result = crossover("x @ y.T", {[16] = 1, [32] = 1, [64] = 1}, {})
    result.bounds = nil
    result.crossings = {{device = "cuda:0", mode = "with_transfers", first = "slower", last = "faster", least = 16, most = 64,
      decided_from = 16, decided_to = 64, undecided = 0, changes = {{from = 16, to = 32, becomes = "faster"}}}}
    local text = answer(report{{id = "07_crossover", runs = {{device = "cuda:0", results = {result}}}}}, "From which size on is a GPU faster?")
    assert.equal("x @ y.T: With transfers, cuda:0 overtakes cpu between n = 16 and n = 32.", text)
  end)

  it("says that others used the processor", function()
    local run = {device = "cpu", others = 0.4, results = {{others = 0.02}}}
    assert_says(answer(report{{id = "x", runs = {run}}}, "How far can this be trusted?"), "used up to 40.0 % of the processor")
    run.others = 0.05
    assert.falsy(answer(report{{id = "x", runs = {run}}}, "How far can this be trusted?"):find("processor", 1, true))
  end)

  it("does not mix an emulated device's spreads with the others", function()
    local function entry(spread, emulated)
      return {emulated = emulated, in_place = {median = 1, q1 = 1, q3 = 1 + spread}}
    end
    local points = {}
    for i = 1, 4 do points[i] = {measured = {entry(0.02), entry(0.5, true)}} end
    local run = {results = {{format = "luatensor", emulated = true, points = points}}}
    assert_says(answer(report{{id = "x", runs = {run}}}, "How far can this be trusted?"), "2.00 % and more in the noisiest tenth of 4 m")
  end)

  it("says how wide the rounds spread", function()
    local spread = {}
    for i = 1, 10 do spread[i] = {median = 1, q1 = 1, q3 = 1 + i / 100} end
    local text = answer(report{{id = "x", result = spread}}, "How far can this be trusted?")
    assert_says(text, "spans 5.00 % of the median typically, 9.00 % and more in the noisiest tenth of 10 measurements")
  end)
end)
