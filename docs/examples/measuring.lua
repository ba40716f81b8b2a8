--- limits
local function reads_faster(a, b)      -- takes about a second for each device
  return lt.limits(a).read > lt.limits(b).read
end

--- bench.split
local split = lt.bench.split(function() lt.rand(9):sum():item() end, {seconds = 0.01})
split.kind  --> split

--- bench.crossover
local result = lt.bench.crossover(function(x) return x:sqrt() end, {16, 64}, {seconds = 0.01})
result.kind  --> crossover

--- bench.machine
local function print_machine() print(lt.bench.machine()) end      -- takes half a minute the first time

--- advise
local advice = lt.advise(function(x) return x:sqrt() end, {sizes = {16, 64}, calls = 10})
type(advice.device)  --> string

--- advise.network
local advice = lt.advise.network {parameters = 1000, batch = 8}
type(advice.device)  --> string

--- advise.choices
local function print_choices() print(lt.advise.choices {largest = 100000}) end      -- takes some seconds
