-- tags: host
-- Tests the end of long operations on one thread. An operation checks for cancellation between pieces of its work.
-- With lt._ask_always each check calls a count hook at once, so that a test can count the checks and end the
-- operation at any of them.
local lt = require "luatensor"

local COUNT = 1 << 19                          -- elements, which an operation processes in 4 pieces
local side = 724

-- Calls f with a hook that raises an error at check number `last` (0: never). Returns pcall's results and the number
-- of checks.
local function watch(last, f, ...)
  local looks = 0
  debug.sethook(function()
    looks = looks + 1
    if looks == last then error("enough", 0) end
  end, "", 1 << 30)
  local ok, result = pcall(f, ...)
  debug.sethook()
  return ok, result, looks
end

local function random(dtype) return lt.rand(COUNT):astype(dtype or "float32") end
local function square(dtype) return lt.rand(side, side):astype(dtype or "float32") end
local function whole(most) return lt.randint(1, most or COUNT, COUNT) end

-- Rows {name, function that returns the arguments, operation}. An in-place operation works on a copy of its first
-- argument.
local operations = {
  {"map", function() return random() end, function(x) return x:tan() end},
  {"map in place", function() return random() end, function(x) return x:clone():tan_() end},
  {"map of float64 to complex128", function() return random "float64" end, function(x) return x:astype "complex128" end},
  {"map of float16", function() return random "float16" end, function(x) return x:tan() end},
  {"map of a transpose", function() return square() end, function(x) return x.T:tan() end},
  {"copy of a transpose", function() return square() end, function(x) return x.T:contiguous() end},
  {"fill", function() return random() end, function(x) return x:clone():fill_(2) end},
  {"sum", function() return random() end, function(x) return x:sum() end},
  {"argmax of columns", function() return square() end, function(x) return x:argmax(1) end},
  {"sums of few rows", function() return lt.rand(2, COUNT // 2) end, function(x) return x:sum(2) end},
  {"cumulative sum", function() return random() end, function(x) return x:cumsum() end},
  {"cumulative sum of float16", function() return random "float16" end, function(x) return x:cumsum() end},
  {"cumulative sum of columns", function() return lt.rand(COUNT // 4, 4) end, function(x) return x:cumsum(1) end},
  {"softmax", function() return random() end, function(x) return x:softmax(1) end},
  {"softmax of columns", function() return lt.rand(COUNT // 4, 4) end, function(x) return x:softmax(1) end},
  {"log_softmax of float16", function() return random "float16" end, function(x) return x:log_softmax(1) end},
  {"sort", function() return random() end, function(x) return lt.sort(x) end},
  {"sort of float64", function() return random "float64" end, function(x) return lt.sort(x) end},
  {"sort of uint8", function() return whole(200):astype "uint8" end, function(x) return lt.sort(x) end},
  {"sort of int64", function() return whole(1 << 60) end, function(x) return lt.sort(x) end},
  {"argsort", function() return random() end, function(x) return lt.argsort(x) end},
  {"argsort of int64", function() return whole(1 << 60) end, function(x) return lt.argsort(x, {descending = true}) end},
  {"topk", function() return random() end, function(x) return (x:topk(5)) end},
  {"median", function() return random() end, function(x) return x:median() end},
  {"unique", function() return whole() end, function(x) return lt.unique_values(x) end},
  {"nonzero", function() return random():greater(0.5) end, function(x) return x:nonzero() end},
  {"mask", function() local x = random() return x, x:greater(0.5) end, function(x, mask) return x[mask] end},
  {"index", function() return random(), whole() end, function(x, i) return x[i] end},
  {"index of long rows", function() return lt.rand(2, COUNT // 2), lt.tensor {2, 1} end, function(x, i) return x[i] end},
  {"assignment through an index", function() return random(), whole() end, function(x, i)
    local y = x:clone()
    y[i] = 3
    return y
  end},
  {"index_add_", function() return random(), whole(), random() end, function(x, i, y) return x:clone():index_add_(1, i, y) end},
  {"take_along_axis", function() return square(), lt.randint(1, side, side, side) end,
   function(x, i) return lt.take_along_axis(x, i, 2) end},
  {"searchsorted", function() return lt.sort(random()), random() end, function(x, y) return lt.searchsorted(x, y) end},
  {"arange", function() return COUNT end, function(n) return lt.arange(n) end},
  {"rand", function() return COUNT end, function(n) lt.manual_seed(5) return lt.rand(n) end},
  {"permutation", function() return COUNT end, function(n) lt.manual_seed(5) return lt.permutation(n) end},
  {"fft", function() return random() end, function(x) return lt.fft.fft(x) end},
  {"fft of a prime length", function() return lt.rand(524309) end, function(x) return lt.fft.fft(x) end},
  {"dot", function() return random(), random() end, function(x, y) return x:matmul(y) end},
  {"step of an optimiser", function() return random(), random() end, function(x, g)
    local p, q = x:clone():requires_grad_(), x:narrow(1, 1, 100):clone():requires_grad_()
    p.grad, q.grad = g, g:narrow(1, 1, 100)
    lt.optim.Adam({q, p}):step()
    return lt.concat {p:detach(), q:detach()}
  end},
  {"matrix product of int64", function() return lt.randint(1, 9, 300, 300) end, function(x) return x:matmul(x) end},
}

describe("on one thread", function()
  local threads = lt.get_num_threads()

  before_each(function()
    lt.set_num_threads(1)
    lt._ask_always(true)
    lt.manual_seed(7)
  end)

  after_each(function()
    lt._ask_always(false)
    lt.set_num_threads(threads)
  end)

  for _, case in ipairs(operations) do
    local name, make, run = case[1], case[2], case[3]
    it(name .. " looks between pieces, and can be ended at any of them", function()
      local arguments = table.pack(make())
      local function call() return run(table.unpack(arguments, 1, arguments.n)) end
      call()                                                           -- the first fft makes its tables
      local _, expected, looks = watch(0, call)
      assert.truthy(looks >= 3, ("%d looks"):format(looks))
      for _, last in ipairs {1, looks // 2, looks} do
        local ok, why = watch(last, call)
        assert.is_false(ok, ("look %d of %d"):format(last, looks))
        assert.truthy(why:find "enough$", why)
      end
      assert.is_true(lt.equal_all(expected, call()))
    end)
  end

  it("an fft that was ended leaves no unfinished tables behind", function()
    for n, dtype in pairs {[10007] = "float32", [10009] = "float64"} do
      local impulse = lt.zeros(n, {dtype = dtype})
      impulse[3] = 1
      for last = 1, 6 do watch(last, lt.fft.fft, impulse) end
      local y = lt.fft.fft(impulse)
      for _, k in ipairs {1, 2, 777, n} do                            -- exp(-2 pi i 2 (k - 1) / n)
        local re, im = y[k]:item()
        local angle = -4 * math.pi * (k - 1) / n
        assert.near(math.cos(angle), re, 1e-4)
        assert.near(math.sin(angle), im, 1e-4)
      end
    end
  end)

  it("a hook in the middle of an fft may ask for the memory that is in use", function()
    local asked = 0
    debug.sethook(function() asked = asked + 1 lt.memory() end, "", 1 << 30)
    lt.fft.fft(lt.ones(10037))
    debug.sethook()
    assert.truthy(asked > 0)
  end)

  it("an operation in place that was ended has raised the version of its target", function()
    local w = lt.ones(COUNT, {requires_grad = true})
    local z = (w * 1):exp()
    lt.no_grad(function() assert.equal("enough", select(2, watch(1, z.tan_, z))) end)
    assert.is_false(pcall(function() z:sum():backward() end))
  end)

  it("a step of an optimiser that was ended is not counted, and has raised the versions of its parameters", function()
    local p = lt.ones(COUNT, {requires_grad = true})
    p.grad = lt.ones(COUNT)
    local opt = lt.optim.Adam {p}
    opt:step()
    local z = p * p
    assert.equal("enough", select(2, watch(2, opt.step, opt)))
    assert.equal(1, opt.state[p].step)
    assert.is_false(pcall(function() z:sum():backward() end))
  end)
end)
