-- tags: host uncollected
-- Tests that results are bitwise identical for any number of threads. Matrix products are not tested, because BLAS
-- chooses how to divide a product among threads.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local threads = {1, 2, 3, 5}

-- Checks that the result of f has the same bytes for each number of threads.
local function same_bytes(label, f)
  local first
  for _, n in ipairs(threads) do
    lt.set_num_threads(n)
    local bytes = f():to_bytes()
    first = first or bytes
    if bytes ~= first then error(("%s: other bits with %d threads"):format(label, n), 2) end
  end
end

local shapes = {{700, 300}, {3, 70000}, {70000, 3}, {40, 50, 60}, {200001}}
local everywhere = {"sum", "prod", "any", "all", "count_nonzero"}
local numbers = {"max", "min", "mean", "var", "argmax", "argmin", "logsumexp"}

local function views_of(x)
  local views = {x, x:flip(1)}
  if x.ndim > 1 then views[3] = x:moveaxis(1, -1) end
  return views
end

describe("any number of threads", function()
  local before = lt.get_num_threads and lt.get_num_threads() or 1
  after_each(function() lt.set_num_threads(before) end)

  for _, dtype in ipairs(helpers.drawn({"bool", "int16", "float16", "float32", "float64"}, "threads")) do
    it("gives the same bits for " .. dtype, function()
      for _, shape in ipairs(shapes) do
        lt.manual_seed(3)
        for _, x in ipairs(views_of(lt.randn(shape):to(dtype))) do
          local names = dtype == "bool" and everywhere or table.move(numbers, 1, #numbers, #everywhere + 1,
                                                                     {table.unpack(everywhere)})
          for _, name in ipairs(names) do
            same_bytes(name, function() return x[name](x) end)
            for d = 1, x.ndim do same_bytes(name .. " dim " .. d, function() return x[name](x, d) end) end
          end
          same_bytes("cumulative_sum", function() return x:cumulative_sum(1) end)
          if dtype ~= "bool" then same_bytes("softmax", function() return x:softmax(-1) end) end
          same_bytes("mask", function() return x[x:not_equal(0)] end)
          same_bytes("clone", function() return x:clone() end)
          same_bytes("to", function() return x:to "float32" end)
        end
      end
    end)
  end

  it("gives the same random numbers", function()
    for _, name in ipairs {"rand", "randn", "permutation"} do
      same_bytes(name, function()
        lt.manual_seed(1)
        return lt[name](200001)
      end)
    end
  end)
end)
