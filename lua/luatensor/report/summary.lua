--- Makes the short answers at the top of a report, for readers who want nothing else. Each answer is computed from
-- the report's sections. Figures that were not measured are left out.

local crossing = require "luatensor.bench.crossover.crossing"
local core = require "luatensor.core"
local document = require "luatensor.page.document"
local figures = require "luatensor.bench.public_figures"
local format = require "luatensor.page.format"
local limits = require "luatensor.bench.machine.share"
local measured = require "luatensor.bench.crossover.measured"
local noise = require "luatensor.bench.noise"
local notebook = require "luatensor.experiment.notebook"
local notes = require "luatensor.bench.notes"

local summary = {}

--- The id of the GPU whose published figures the report uses if this machine has no GPU. The notebook
-- (luatensor.experiment.notebook) cites the number of this GPU's cores, but the notebook did not run on this GPU.
local ABSENT <const> = figures.GPU

-- ---- looking things up --------------------------------------------------------------------------

local function section_of(report, id)
  for _, section in ipairs(report.sections) do
    if section.id == id then return section end
  end
end

-- Returns an experiment's complete run on the CPU if `on_cpu` is true, else on a real device other than the CPU.
-- Returns nil if there is no such run.
local function run_of(report, id, on_cpu)
  local section = section_of(report, id)
  for _, run in ipairs(section and section.runs or {}) do
    local is_wanted = (run.device == core.host_device) == on_cpu and not run.incomplete
    if is_wanted and (on_cpu or not run.emulated) then return run end
  end
end

local function value_of(run, name) return run and run.values[name] and run.values[name].value end

-- Returns the seconds that the notebook's loop would take at the speed of the run, and true if the run had another
-- number of iterations than the notebook. Returns nil if the run has no seconds, or matrices of other sizes.
local function loop_seconds(run, loop)
  local seconds, options = value_of(run, "seconds"), run and run.options
  if not seconds or options.rows ~= loop.rows or options.cols ~= loop.cols then return nil end
  return seconds / options.iterations * loop.iterations, options.iterations ~= loop.iterations
end

-- Returns the number of floating-point operations (multiplications and additions) in all matrix products of a loop.
local function loop_flops(loop) return 2.0 * loop.iterations * loop.rows * loop.rows * loop.cols end

local function add(blocks, text, values) blocks[#blocks + 1] = document.text(text, values) end

-- ---- the speed of this machine ------------------------------------------------------------------

-- Returns the CPU's limits from bench.machine, and the share of the processor that other programs used while the
-- limits were measured (0 … 1). Returns nil if the limits were not measured.
local function limits_of(report)
  local section = section_of(report, "machine")
  local result = section and section.result
  for _, entry in ipairs(result and result.devices or {}) do
    if entry.device == core.host_device then return entry, result.others end
  end
end

-- Returns the end of the sentence on the rate of matrix products. reached: this rate as a share of the measured rate
-- of the arithmetic units.
local function say_share(reached)
  if reached > limits.OVER then
    return ", more than the {limit} that its arithmetic units reached when their limit was measured: the machine was "
      .. "busy then, and of what it can do at most no share can be told."
  end
  return ", which is " .. (reached <= 1 and "{share} of what its arithmetic units can do at most."
    or "all that its arithmetic units can do.")
end

-- Adds the sentence for a busy machine to `blocks`. It gives the measured rates without shares of a limit.
local function say_busy_limits(values, blocks)
  add(blocks, "This machine was too busy to say what it can do at most: while others used {others} of the processor, "
    .. "it multiplied matrices of float32 numbers at {rate}, read its memory at {read}, and its smallest call took "
    .. "{call}.", values)
end

local function say_limits(entry, others, blocks)
  local product, plain = limits.row_of(entry.products, "float32"), limits.row_of(entry.arithmetic, "float32")
  local values = {
    others = {others or 0, "share"}, read = {entry.read or false, "B/s"}, call = {entry.call or false, "s"},
  }
  if product and plain then
    values.rate, values.limit = {product.flops, "FLOP/s"}, {plain.flops, "FLOP/s"}
    values.share = {product.flops / plain.flops, "share"}
  end
  local memory = entry.read and entry.call
  if (others or 0) > notes.OTHERS and values.rate and memory then return say_busy_limits(values, blocks) end
  if values.rate then
    add(blocks, "It multiplies matrices of float32 numbers at {rate}" .. say_share(values.share[1]), values)
  end
  if memory then add(blocks, "It reads its memory at {read}, and its smallest call takes {call}.", values) end
end

local WAITS <const> = 0.5        -- an operation with a larger share of a limit is said to wait for it

-- Adds the sentence on the notebook's loop over large matrices. product, sum: the shares of the machine's limits that
-- the product and the sum of the matrices reach. others: the largest share of the processor that other programs used,
-- in this run or when the limits were measured.
local function say_large(product, sum, others, blocks)
  local values = {product = {product, "share"}, sum = {sum, "share"}, others = {others, "share"}}
  if others > notes.OTHERS then
    return add(blocks, "Which share of its limits the product and the sum of the notebook's large matrices reach, "
      .. "this machine was too busy to say: others used {others} of the processor.", values)
  end
  if math.max(product, sum) > limits.OVER then
    return add(blocks, "Of the notebook's large matrices, the product and the sum reach no share of this machine's "
      .. "limits that could be told: they were faster than the limits, which were measured while the machine was busy.")
  end
  local whys = {}
  if product >= WAITS then whys[1] = "the product waits for arithmetic" end
  if sum >= WAITS then whys[#whys + 1] = "the sum waits for memory" end
  add(blocks, "Of the notebook's large matrices, the product reaches {product} of what its arithmetic units can do, "
    .. "the sum {sum} of what its memory can deliver" .. (#whys > 0 and ": " .. table.concat(whys, ", ") or "") .. ".",
    values)
end

local function machine(report)
  local cpu, blocks = report.machine.devices[1], {}
  local entry, others = limits_of(report)
  add(blocks, "{name}: {cores} " .. format.noun(cpu.cores, "core") .. ", {threads} "
    .. format.noun(report.machine.threads, "thread") .. " in use." .. (report.without and " {without}." or "")
    .. (report.emulated and " No real GPU was measured." or ""), {
    name = {cpu.name, "text"}, cores = {cpu.cores, "count"}, threads = {report.machine.threads, "count"},
    without = {report.without or false, "text"},
  })
  if entry then say_limits(entry, others, blocks) end
  local memory = run_of(report, "05_memory", true)
  local product, sum = value_of(memory, "product_arithmetic"), value_of(memory, "add_memory")
  if product and sum and memory.options.rows == notebook.claims[12].loop.rows then
    say_large(product, sum, math.max(memory.others or 0, others or 0), blocks)
  end
  return {title = "What does this machine do?", blocks = blocks}
end

-- ---- the times that a GPU would have to beat ----------------------------------------------------

local loops = {
  {id = "02_large", claim = 12, name = "large loop"},
  {id = "03_small", claim = 13, name = "small loop"},
}

local function say_loop(report, loop, blocks)
  local claim = notebook.claims[loop.claim]
  local run = run_of(report, loop.id, true)
  local here, shortened = loop_seconds(run, claim.loop)
  local gpu = loop_seconds(run_of(report, loop.id, false), claim.loop)
  if not here then return end
  local values = {
    loop = {loop.name, "text"}, iterations = {claim.loop.iterations, "count"}, rows = {claim.loop.rows, "count"},
    cols = {claim.loop.cols, "count"}, here = {here, "s"}, cpu = {claim.figures.cpu, "s"},
    gpu = {claim.figures.gpu, "s"}, there = {gpu or false, "s"}, ratio = {gpu and here / gpu or false, "ratio"},
    device = {report.accelerator or false, "text"}, rate = {loop_flops(claim.loop) / here, "FLOP/s"},
    others = {run.others or 0, "share"},
  }
  add(blocks, "The notebook's {loop} ({iterations} products of {rows} × {cols} matrices) takes {here} on this CPU"
    .. (loop.id == "02_large" and ", which is {rate}" or "")
    .. (shortened and " (reckoned from fewer rounds)" or "")
    .. (noise.busy(run) and ", while others used {others} of it" or "")
    .. (gpu and ", and {there} on {device}: {ratio} as fast" or "")
    .. ". The notebook's laptop took {cpu} on its CPU and {gpu} on its GPU.", values)
  return here
end

local function to_beat(report)
  local blocks, large = {}, nil
  for i, loop in ipairs(loops) do
    local seconds = say_loop(report, loop, blocks)
    if i == 1 then large = seconds end
  end
  local gpu, loop = figures.find(ABSENT), notebook.claims[12].loop
  local work = {rows = {{calls = loop.iterations, flops = loop_flops(loop), bytes = 0, dtype = "float32"}}}
  local least = figures.bound(gpu, work, "in_place")
  if large and least and (report.emulated or not report.accelerator) then
    local busy = noise.busy(run_of(report, loops[1].id, true))
    add(blocks, "Predicted, not measured: by its maker's figures one {name} needs at least {least} for the large loop"
      .. (busy and "." or ", so it is at most {ratio} as fast as this CPU."),
      {name = {gpu.name, "text"}, least = {least, "s"}, ratio = {large / least, "ratio"}})
  end
  if #blocks == 0 then return nil end
  local real = report.accelerator and not report.emulated
  return {title = real and "What does the GPU bring?" or "What would a GPU have to beat?", blocks = blocks}
end

-- ---- crossovers: the sizes above which a GPU is faster ------------------------------------------

-- Returns the crossovers that experiment 07 measured.
local function crossovers(report)
  local section = section_of(report, "07_crossover")
  local run = section and section.runs[1]
  return run and run.results or {}
end

local function say_measured(result, blocks)
  for _, found in ipairs(result.crossings or {}) do
    local text, values = crossing.sentence(found, found.device, result.devices[1].device, found.mode)
    values.work = {result.name, "text"}
    add(blocks, "{work}: " .. text, values)
  end
end

-- The cost of a call on the notebook's GPU in seconds, whatever the call computes. A round of the notebook's small
-- loop has four calls.
local FIXED <const> = notebook.claims[13].figures.gpu / notebook.claims[13].loop.iterations / 4

-- True if the absent GPU could be faster than the CPU at size bound.n. The GPU's time is a lower bound: bound[mode],
-- but at least figures.VISIBLE, the shortest time of a launch, plus `fixed` seconds. seconds_of(times) returns the
-- CPU's seconds.
local function could_be(result, bound, mode, fixed, seconds_of)
  local seconds = bound[mode] and math.max(bound[mode], figures.VISIBLE) + fixed
  for _, point in ipairs(result.points) do
    local ours = point.n == bound.n and measured.entry_of(point, result.devices[1].device)
    if ours then return seconds ~= nil and seconds < seconds_of(ours.in_place) end
  end
  return false
end

-- Returns the smallest size at which the absent GPU could be faster, or nil if there is none.
local function first_size(result, bounds, mode, seconds_of)
  for _, bound in ipairs(bounds.points) do
    if could_be(result, bound, mode, 0, seconds_of) then return bound.n end
  end
end

-- Returns the smallest size such that the absent GPU could be faster at this size and at all larger sizes, or nil if
-- there is none.
local function size_from(result, bounds, mode, fixed, seconds_of)
  local from
  for i = #bounds.points, 1, -1 do
    if not could_be(result, bounds.points[i], mode, fixed, seconds_of) then break end
    from = bounds.points[i].n
  end
  return from
end

local COST <const> = "if each call cost it {fixed} on top, as one cost the notebook's own GPU, an Apple laptop's"

local function say_sent(values)
  if not values.first[1] then
    return " cannot be faster at any size up to n = {most}: sending takes longer than computing here."
  end
  local earliest = values.first[1] > values.least[1] and " cannot be faster below n = {first} by the published figures"
    or values.from[1] == values.least[1] and " could be faster at every size by the published figures alone"
    or " could be faster at some sizes by the published figures alone"
  return earliest .. (values.to[1] and ", and could be from n = {to} on " or ", but could not be at n = {most} ")
    .. COST .. "."
end

local function say_staying(values)
  return " With data that stay there it could"
    .. (values.stay[1] and " be faster from n = {stay} on" or " not be faster at n = {most}")
    .. (values.first[1] and " at that cost." or ", " .. COST .. ".")
end

-- Returns the sizes that say_sent and say_staying insert, by name, each {size, "count"}. The size is false if there
-- is none. seconds_of(times) returns the CPU's seconds.
local function predicted(result, bounds, seconds_of)
  local function from(mode, fixed) return {size_from(result, bounds, mode, fixed, seconds_of) or false, "count"} end
  return {
    first = {first_size(result, bounds, "with_transfers", seconds_of) or false, "count"},
    from = from("with_transfers", 0), to = from("with_transfers", FIXED), stay = from("in_place", FIXED),
  }
end

local function upper_quartile(times) return times.q3 end

-- True if noise decides the crossover sizes: some times are too uncertain, or the upper quartiles of the same rounds
-- give other sizes.
local function depends_on_noise(result, bounds, values, found)
  if #found.sizes > 0 then return true end
  if not found.most then return false end
  for name, value in pairs(predicted(result, bounds, upper_quartile)) do
    if value[1] ~= values[name][1] then return true end
  end
  return false
end

local function say_predicted(result, blocks)
  for _, bounds in ipairs(result.bounds or {}) do
    if bounds.id == ABSENT then
      local points, found = bounds.points, noise.of_points(result.points, result.devices[1].device)
      local values = predicted(result, bounds, noise.seconds)
      values.work, values.name, values.fixed = {result.name, "text"}, {bounds.name, "text"}, {FIXED, "s"}
      values.least, values.most = {points[1].n, "count"}, {points[#points].n, "count"}
      values.others = {found.most or 0, "share"}
      if depends_on_noise(result, bounds, values, found) then
        add(blocks, "{work} of n × n matrices: this machine was too busy to say from which size on one {name} could be "
          .. "faster: its own times depend on what others did, who used up to {others} of the processor.", values)
      else
        add(blocks, "{work} of n × n matrices, predicted, not measured: with data sent there and back, one {name}"
          .. say_sent(values) .. say_staying(values), values)
      end
    end
  end
end

local function sizes(report)
  local blocks = {}
  for _, result in ipairs(crossovers(report)) do
    say_measured(result, blocks)
    say_predicted(result, blocks)
  end
  if #blocks == 0 then return nil end
  return {title = "From which size on is a GPU faster?", blocks = blocks}
end

-- ---- what to choose -----------------------------------------------------------------------------

local function choices(report)
  local section = section_of(report, "choices")
  local result, words, values = section and section.result, {}, {}
  if not (result and result.rows and #result.rows > 0) then return nil end
  for i, row in ipairs(result.rows) do
    words[i] = ("{name%d}: {choice%d}"):format(i, i)
    values["name" .. i], values["choice" .. i] = {row.name, "text"}, {row.choice, "text"}
  end
  local blocks = {}
  add(blocks, "To train a network here: " .. table.concat(words, "; ") .. ".", values)
  return {title = "What to choose?", blocks = blocks}
end

-- ---- how far the figures can be trusted ---------------------------------------------------------

-- True if the whole value comes from an emulated device. A result (a table with the field `format`) that has no median
-- of its own is never emulated as a whole: each value in the result has its own mark.
local function is_emulated(value) return value.emulated and (not value.format or value.median) end

-- Appends the spreads, (q3 − q1) / median, of all parts of a value that have quartiles to `list`, and returns `list`.
-- Emulated devices are left out.
local function spreads_in(value, list)
  if type(value) ~= "table" or is_emulated(value) then return list end
  if type(value.median) == "number" and type(value.q1) == "number" and type(value.q3) == "number" then
    list[#list + 1] = (value.q3 - value.q1) / value.median
  end
  for _, item in pairs(value) do spreads_in(item, list) end
  return list
end

--- Returns the largest share of the processor that other programs used in any measurement.
-- @param value any part of a report
-- @treturn number 0 … 1
function summary.others(value)
  local most = 0
  for key, item in pairs(type(value) == "table" and value or {}) do
    if key == "others" and type(item) == "number" then most = math.max(most, item) end
    most = math.max(most, summary.others(item))
  end
  return most
end

local function trust(report)
  local spreads, blocks, others = {}, {}, summary.others(report.sections)
  for _, section in ipairs(report.sections) do
    spreads_in(section.result, spreads)
    for _, run in ipairs(section.runs) do spreads_in(run.results, spreads) end
  end
  if others > notes.OTHERS then
    add(blocks, "Not far: other programs used up to {others} of the processor meanwhile. Measure again when the "
      .. "machine is idle.", {others = {others, "share"}})
  end
  table.sort(spreads)
  if #spreads >= 4 then
    add(blocks, "The middle half of a measurement's rounds spans {typical} of the median typically, {wide} and more "
      .. "in the noisiest tenth of {count} measurements: smaller differences mean nothing.", {
        typical = {spreads[(#spreads + 1) // 2], "share"}, wide = {spreads[math.ceil(0.9 * #spreads)], "share"},
        count = {#spreads, "count"},
      })
  end
  add(blocks, "Whatever is said of a device that is not here is a bound from published figures, and says so.")
  if report.emulated then
    add(blocks, "The GPU of this report is emulated: that it works was checked, its speed was not measured.")
  end
  return {title = "How far can this be trusted?", blocks = blocks}
end

--- Makes the answers.
-- @tab report a result of kind "report" with its sections
-- @treturn {table,...} each {title =, blocks =}
function summary.of(report)
  local answers = {}
  for _, answer in ipairs{machine, to_beat, sizes, choices, trust} do answers[#answers + 1] = answer(report) end
  return answers
end

return summary
