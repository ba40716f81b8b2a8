-- tags: unplugged
-- Compares reductions, scans and softmax on the GPU with the CPU's results, for every kernel variant that is selected
-- by shape and layout. In the variants, one thread or several threads compute an output element; threads read vectors
-- or single elements, along or across rows; long reductions are cut into chunks or not.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local device = helpers.device
local generator = lt.generator {seed = 5}

local function random(shape, dtype)
  local x = lt.rand(shape, {generator = generator, device = "cpu", dtype = dtype:find "^float" and dtype or "float32"})
  return dtype:find "^float" and x or (x * 100 - (dtype:find "^u" and 0 or 50)):to(dtype)
end

local function list(t)
  t = t:to("cpu"):reshape(-1)
  return (t.dtype:find "float" and t:to "float64" or t):totable()
end

-- Checks that the elements of got and want differ by at most bound · max(1, |want|).
local function close(what, want, got, bound)
  assert.equal(tostring(want.shape), tostring(got.shape), what)
  assert.equal(want.dtype, got.dtype, what)
  want, got = list(want), list(got)
  for i, w in ipairs(want) do
    local g = got[i]
    local same = w == g or (w ~= w and g ~= g)
    if not same and type(w) == "number" then same = math.abs(w - g) <= bound * math.max(1, math.abs(w)) end
    if not same then error(("%s: element %d is %s, on the CPU %s"):format(what, i, g, w)) end
  end
end

local bounds = {float32 = 2e-7, float64 = 1e-14, float16 = 1e-3, int8 = 0, int64 = 0, uint8 = 0}

-- Functions that return a view of x, for the rows of `layouts` in which the view is reduced instead of x.
local function from_second(x) return x[{{2, -1}}] end
local function every_second(x) return x[{{1, -1, 2}}] end
local function turned(x) return x:permute_dims {3, 1, 2} end
local layouts = {
  {"one block", {1000}}, {"a turn of one block", {16000}}, {"chunks", {70001}},
  {"chunks, not aligned", {70003}, from_second}, {"chunks of every second element", {50001}, every_second},
  {"rows of a group", {300, 33}},
  {"rows of a warp", {40, 700}}, {"odd rows", {41, 701}}, {"rows of a block", {5, 9000}},
  {"rows in chunks", {3, 40000}}, {"short rows", {1000, 5}}, {"few short rows", {3, 7}},
  {"columns in chunks", {5000, 40}}, {"short columns", {6, 3000}}, {"narrow columns", {20000, 3}},
  {"one column", {3000, 1}},
  {"odd columns", {129, 131}}, {"a middle dim", {30, 50, 7}}, {"long runs", {4, 3, 1100}}, {"short runs", {20, 3, 100}},
  {"turned", {17, 33, 65}, turned}, {"every second row", {64, 300}, every_second},
}

local of_floats, of_integers = {"sum", "mean", "var", "max", "logsumexp"}, {"sum", "min", "count_nonzero"}

describe("a reduction of", function()
  for _, l in ipairs(layouts) do
    local name, shape, view = l[1], l[2], l[3] or function(x) return x end
    it(name, function()
      for _, dtype in ipairs(helpers.drawn({"float32", "float64", "float16", "int8", "int64"}, name)) do
        local x = random(shape, dtype)
        local a, b = view(x), view(x:to(device))
        local function check(op, dims)
          local what = ("%s of %s, dims %s"):format(op, dtype, dims and table.concat(dims, " ") or "all")
          close(what, a[op](a, dims), b[op](b, dims), bounds[dtype] or 0)
        end
        for _, op in ipairs(dtype:find "float" and of_floats or of_integers) do
          check(op)
          for d = 1, a.ndim do check(op, {d}) end
          if a.ndim == 3 then check(op, {1, 3}) check(op, {2, 3}) end
        end
        for d = 1, a.ndim do
          assert.same(a:argmax(d):totable(), b:argmax(d):totable(), "argmax of " .. dtype)
          assert.same(a:argmin(d):totable(), b:argmin(d):totable(), "argmin of " .. dtype)
        end
        assert.equal(a:argmax():item(), b:argmax():item())
      end
    end)
  end
end)

describe("reductions", function()
  it("find the first of equals and the first NaN in any chunk", function()
    for _, shape in ipairs {{70000}, {70000, 3}, {3, 70000}} do
      local dim = shape[1] == 3 and 2 or 1
      for _, at in ipairs {1, 4097, 33000, 69999} do
        local x = lt.zeros(shape, {device = "cpu"})
        local row = dim == 1 and (#shape == 1 and x or x[{{}, 2}]) or x[{2, {}}]
        row[{{at, -1}}] = 3
        local y = x:to(device)
        local found = y:argmax(dim)
        assert.equal(at, (#shape == 1 and found or found[2]):item())
        row[at] = 0 / 0
        row[70000] = 0 / 0
        found = x:to(device):argmin(dim)
        assert.equal(at, (#shape == 1 and found or found[2]):item())
        local most = x:to(device):max(dim)
        most = (#shape == 1 and most or most[2]):item()
        assert.is_true(most ~= most)
      end
    end
  end)

  it("of float32 are exact to the last bit", function()
    local n = 200001
    local x = random({n}, "float32")
    local want = x:to "float64":sum():item()
    local got = x:to(device):sum():item()
    assert.is_true(math.abs(got - want) / want <= 6e-8)
    assert.equal(lt.tensor({want}, {dtype = "float32", device = "cpu"}):item(), got)
  end)

  it("give the same numbers however the data lies", function()
    local x = random({300, 500}, "float32"):to(device)
    assert.equal(x:sum():item(), x.T:sum():item())
    assert.same(x:sum(1):totable(), x:sum(1):totable())
  end)

  it("measure spread far from 0 and beside a first element that is far off", function()
    local x = random({50000}, "float64") + 1e8
    close("far", x:var(), x:to(device):var(), 1e-9)
    x = random({50000}, "float64")
    x[1] = 1e6
    close("first", x:var(), x:to(device):var(), 1e-11 * 1e7)
    local y = lt.full({50000}, 0.1, {dtype = "float64", device = device})
    assert.is_true(y:var():item() < 1e-30)
    assert.equal(math.huge, lt.tensor({1e200, -1e200}, {dtype = "float64", device = device}):var():item())
  end)

  it("of nothing are what none of them makes", function()
    local x = lt.zeros({0, 3}, {device = device})
    assert.same({0, 0, 0}, x:sum(1):totable())
    assert.same({1, 1, 1}, x:prod(1):totable())
    assert.same({true, true, true}, x:all(1):totable())
    assert.same({-math.huge, -math.huge, -math.huge}, x:logsumexp(1):totable())
    assert.same({}, x:sum(2):totable())
  end)
end)

local lines = {
  {"short lines", {300, 9}}, {"lines of a warp", {30, 100}}, {"odd lines", {31, 1023}}, {"lines of a block", {3, 9001}},
  {"lines in segments", {2, 50000}}, {"one line", {100003}}, {"a line that is not aligned", {70002}, from_second},
  {"columns in segments", {5000, 40}}, {"short columns", {20, 3000}}, {"narrow columns", {30000, 3}},
  {"a middle dim", {9, 70, 33}}, {"every second element", {30001}, every_second}, {"turned", {17, 33, 65}, turned},
}

describe("a scan of", function()
  for _, l in ipairs(lines) do
    local name, shape, view = l[1], l[2], l[3] or function(x) return x end
    it(name, function()
      for _, dtype in ipairs {"float32", "float64", "int8", "int64"} do
        local x = random(shape, dtype)
        local a, b = view(x), view(x:to(device))
        for d = 1, a.ndim do
          close("sums of " .. dtype, a:cumulative_sum(d), b:cumulative_sum(d), (bounds[dtype] or 0) * 10)
          close("sums of none, too, of " .. dtype, a:cumulative_sum(d, {include_initial = true}),
                b:cumulative_sum(d, {include_initial = true}), (bounds[dtype] or 0) * 10)
          close("maxima of " .. dtype, a:cumulative_max(d), b:cumulative_max(d), 0)
        end
      end
    end)
  end

  it("one line, in place", function()
    local x = lt.ones({50001}, {dtype = "int64", device = device})
    x:cumulative_sum(1, {out = x})
    assert.is_true(x:equal(lt.arange(1, 50002, {dtype = "int64", device = device})):all():item())
  end)

  it("one line with a NaN", function()
    local x = random({40000}, "float32")
    x[20000] = 0 / 0
    close("NaN", x:cumulative_max(1), x:to(device):cumulative_max(1), 0)
  end)
end)

local softmax_lines = {
  {"short lines", {300, 9}}, {"lines of a warp", {30, 100}}, {"odd lines", {31, 101}}, {"half a block", {7, 512}},
  {"odd lines of a block", {5, 2049}}, {"lines of a block", {3, 4096}}, {"the longest that are held", {2, 16384}},
  {"lines just too long for that", {3, 16385}},
  {"lines in chunks", {2, 70000}}, {"one line", {70001}},
  {"columns", {100, 40}},
  {"columns in chunks", {20000, 3}}, {"short columns", {5, 3000}}, {"a middle dim", {9, 70, 33}},
  {"a line that is not aligned", {5002}, from_second}, {"every second element", {9001}, every_second},
  {"turned", {17, 33, 65}, turned},
}

describe("softmax of", function()
  for _, l in ipairs(softmax_lines) do
    local name, shape, view = l[1], l[2], l[3] or function(x) return x end
    it(name, function()
      for _, dtype in ipairs {"float32", "float64", "float16"} do
        local x = random(shape, dtype) * 20
        local a, b = view(x), view(x:to(device))
        for d = 1, a.ndim do
          -- the CPU adds up to 32 exponentials of a column in the dtype, and each addition has an error of at most
          -- half a unit
          close("softmax of " .. dtype, a:softmax(d), b:softmax(d), bounds[dtype] * 4)
          close("log_softmax of " .. dtype, a:log_softmax(d), b:log_softmax(d), bounds[dtype] * 4)
        end
      end
    end)
  end

  it("infinities and NaN", function()
    for _, n in ipairs {7, 300, 4096, 40000} do
      local x = lt.zeros({5, n}, {device = "cpu"})
      x[2]:fill_(-math.huge)
      x[{3, n}] = math.huge
      x[{4, 2}] = 0 / 0
      x[{5, {1, n - 1}}] = -math.huge
      for d = 1, 2 do
        close("softmax", x:softmax(d), x:to(device):softmax(d), 1e-6)
        close("log_softmax", x.T:log_softmax(3 - d), x:to(device).T:log_softmax(3 - d), 1e-6)
      end
    end
  end)

  it("a line in place", function()
    for _, n in ipairs {100, 40000} do
      local x = random({n}, "float32")
      local y = x:clone():to(device)
      y:softmax(1, {out = y})
      close("in place", x:softmax(1), y, 1e-6)
    end
  end)
end)
