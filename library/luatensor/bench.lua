---@meta luatensor.bench
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.bench
local bench = {}

---Times several functions that should do the same work, and shows how much faster each function is than the first one.
---The functions run in turn, one round each, in alternating order (A B B A). A ratio is only shown if the results
---agree. For this check each function is called with the same seed. Floats may differ by the tolerance of their dtype,
---relative to the largest magnitude.
---```lua
---local x = lt.ones(10)
---local ways = {{"sum", function() return x:sum() end}, {"mean", function() return x:mean() * 10 end}}
---lt.bench.compare(ways, {seconds = 0.01}).entries[2].name  --> mean
---```
---@param entries table `{{"name", function, device = "cuda"}, …}`: the first is the base; while a function with a device runs, this device is the default device
---@param options? luatensor.bench.compare.options
---@return table # a result of kind "compare". Each of its `entries` has the figures of bench.time, and `pairs`: adjacent rounds of the base and the entry, with their `count`, how many of them were `faster`, and the quartiles of their ratios; `ratio`: the median of these ratios, if the results agree and both devices are real or both emulated; `verdict`: "faster", "slower" or "undecided"; `agreement`: "agree", "differ", "not checked" or "does not repeat", and `difference`, the reason; `error`: the message if the entry failed, which does not stop the other entries. A verdict other than "undecided" needs two things. So many pairs must favour one function that chance would do this with a probability of at most 1/1000. The quartiles of the ratios must differ from 1 by at least 5 %, or by 25 % if other processes used more than a tenth of the processor
function bench.compare(entries, options) end

---Returns sizes from first to last in geometric progression.
---Errors: if `first` or `last` is no integer of at least 1, or if `first` is greater than `last`.
---```lua
---table.concat(lt.bench.sizes(10, 1000), " ")  --> 10 20 40 80 160 320 640 1000
---```
---@param first integer smallest
---@param last integer largest
---@param per_doubling? integer sizes for each doubling; default 1
---@return table # ascending; the first and the last are among them
function bench.sizes(first, last, per_doubling) end

---Measures fn at each size on each device, and finds the crossover: the size above which one device is faster than the
---other.
---
---    local r = lt.bench.crossover(function(x, y) return x:matmul(y.T) end, lt.bench.sizes(16, 4096))
---    print(r)
---
---The answer is an interval between two sizes. There are two answers: with the data in place (the inputs are already on
---the device), and with transfers (the inputs start on the CPU, and the results are copied to the CPU). One device is
---faster if the quartiles of both devices are 5 % apart, or 25 % if other processes used more than a tenth of the
---processor; otherwise the verdict is "undecided". A crossing is only reported if the results agree. Emulated devices
---are measured but not compared. With only one device, published figures give bounds for other devices.
---Errors: errors of fn, unchanged.
---```lua
---local result = lt.bench.crossover(function(x) return x:sqrt() end, {16, 64}, {seconds = 0.01})
---result.kind  --> crossover
---```
---@param fn function takes the results of inputs(n), with tensors moved to the device, which is the default device during the call
---@param sizes table
---@param options? luatensor.bench.crossover.options
---@return table # a result of kind "crossover": `points` with all figures, `crossings`, `skipped` sizes, `bounds`
function bench.crossover(fn, sizes, options) end

---Compares two results, row by row of the same name. A difference counts as a change if the quartile ranges do not
---touch and the medians differ by more than 5 %; otherwise it may be noise. Nothing is decided if other processes used
---more than a tenth of the processor in one of the runs, or if the quartiles are half a median apart. Results of two
---machines are listed without ratios and verdicts. Emulated figures are not compared with real ones. Figures
---of experiments are compared if their options are equal, apart from the time of a measurement.
---Errors: if a result has no times, if no two rows have the same name, or if only one result is emulated.
---```lua
---local path = os.tmpname() .. ".json"
---local before = lt.bench.time(function() return lt.ones(10) end, {seconds = 0.01})
---before:save(path)
---lt.bench.diff(lt.bench.load(path), before).kind  --> diff
---os.remove(path)
---```
---@param before table a result of time, compare, crossover, machine, a suite of these, an experiment or a report
---@param after table another
---@return table # a result of kind "diff": `rows` of {name, unit, before and after {median, q1, q3}, ratio (above 1: the second run is faster), verdict, why}; the verdict is "faster", "slower", "small" (below the `floor`), "noise" or "undecided"; `why` it is undecided is "single" (no quartiles), "busy" or "spread"; `only_before`, `only_after`: names; `mixed`: names of figures that are emulated on one side only; `other_work`: names of figures of experiments whose options differ; `differences` {{what, before, after}, …}: between the runs; `same_machine`
function bench.diff(before, after) end

---Measures the limits of this machine: the rates of arithmetic, matrix products, memory and transfers, and the time of
---a call. The first measurement takes half a minute. The limits are kept in the user's cache. They are measured again
---if the machine, the number of threads or a version of the software changes.
---Errors: Ctrl-C, with what was measured so far (luatensor.bench.interrupt).
---```lua
---local function print_machine() print(lt.bench.machine()) end      -- takes half a minute the first time
---```
---@param options? luatensor.bench.machine.options
---@return table # a result of kind "machine": `devices`, each with `arithmetic` and `products` (FLOP/s by dtype); `read` and `copy` (bytes per second); `levels` (reading working sets); `call` (seconds of the smallest call); for a GPU also `wait` and `transfers`. A device of PJRT has only `products`, `call` and `wait`; each call is waited for
function bench.machine(options) end

---Loads a saved result.
---Errors: if the file cannot be read, is no result, or is of another version.
---```lua
---local path = os.tmpname() .. ".json"
---local before = lt.bench.time(function() return lt.ones(10) end, {seconds = 0.01})
---before:save(path)
---lt.bench.diff(lt.bench.load(path), before).kind  --> diff
---os.remove(path)
---```
---@param path string
---@return table # with the methods of its kind
function bench.load(path) end

---Splits the time of a function into parts.
---Errors: errors of fn, unchanged; also an error if fn itself runs a split.
---```lua
---local split = lt.bench.split(function() lt.rand(9):sum():item() end, {seconds = 0.01})
---split.kind  --> split
---```
---@param fn function called without arguments, many times
---@param options? luatensor.bench.split.options
---@return table # a result of kind "split". Figures are those of one call of fn. `parts`: seconds of `lua` (Lua, dispatch, memory, and everything else), `to_device` (transfers), `kernels`, `to_host`, `waiting` (the script's additional waiting) and `measuring` (reading the clock). `wall`: the sum of the parts, the time of a run that waits after each device call; on the CPU a call's time is its kernel's. `normal`: the figures of `bench.time` for normal runs of fn. `rows`: for each device, family and dtype `calls`, `seconds`, `elements`, `read`, `written`, `bytes` (both), `flops` (matrix products only, else 0), `bandwidth` (bytes/s), `rate` (FLOP/s), `share` (of the limit named in `limit`), `part`, `emulated`
function bench.split(fn, options) end

---Times calls of a function in rounds. At the start and at the end of a round, waits for the devices and then reads
---the clock.
---Errors: errors of fn, unchanged; if the clock does not advance.
---```lua
---local result = lt.bench.time(function() return lt.ones(10):sum() end, {seconds = 0.01})
---result.kind  --> time
---```
---@param fn function called without arguments; its results are only read once, for their dtype and device
---@param options? luatensor.bench.time.options
---@return table # a result of kind "time". All times are seconds per call: `samples` (one for each round), `min`, `q1`, `median`, `q3`, `max` of the samples; `single`: a call with a wait for its end; `queue_seconds`: the part of `single` before this wait; `device_seconds`: from the first to the last call on the device's queue, with gaps (not on the CPU); `first`: the first call of the warm-up. Also `calls` (per round), `device`, `dtype` of the result, `threads`, `gc`, `emulated`, `others` (share of the processor that other processes used) and `notes`
function bench.time(fn, options) end

return bench
