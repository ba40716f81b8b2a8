-- tags: process
-- Index tensors, sorts, searches, permutations and ranges on a device of a plugin of PJRT, which LUATENSOR_PJRT_XLA names. The
-- results of the CPU are the oracle, to the last bit but for sums of floats.

local bits = require "spec.support.bits"
local cases = require "spec.support.cases"
local beside = require "spec.pjrt.beside"
local lt = require "luatensor"

if not beside.plugin "positions on a device of PJRT" then return end

local dtypes = {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
                "complex64", "complex128"}
local ordered = {table.unpack(dtypes, 1, 13)}
local rounding = {float16 = 2 ^ -9, bfloat16 = 2 ^ -6, float32 = 1e-6, float64 = 1e-14, complex64 = 1e-6, complex128 = 1e-14}

-- Queues the results of f, which gets a function that moves a tensor to the device of the results. `adds` allows rounding.
local function compare(name, f, adds)
  beside.queue(name, f(function(x) return x end), f(function(x) return x:to "xla" end), adds)
end

local function is_real(x) return x.dtype:find "float" ~= nil end

-- Two numbers are the same if their bits are, and any two NaN.
local function same(got, want)
  if want.dtype:find "complex" then got, want = lt.view_as_real(got), lt.view_as_real(want) end
  if is_real(want) then
    if not got:isnan():equal(want:isnan()):all():item() then return false end
    got, want = lt.where(got:isnan(), 0, got), lt.where(want:isnan(), 0, want)
  end
  return got:to_bytes() == want:to_bytes()
end

-- Asserts that the queued results are the CPU's, and that the CPU has computed none of them.
local function check(family)
  beside.check(function(got, want, adds)
    local most = adds and rounding[want.dtype]
    return most and lt.isclose(got, want, {rtol = most, atol = 8 * most}):all():item() or same(got, want)
  end, family)
end

-- Returns elements with special values and random bits, or with numbers between -8 and 8.
local function elements(dtype, shape, seed, moderate)
  local x, n = bits.input(dtype, seed), 1
  if moderate then x = bits.moderate(x) end
  for _, length in ipairs(shape) do n = n * length end
  return x[(lt.arange(n) * 13):remainder(x:numel()) + 1]:reshape(shape)
end

-- Returns random positions from 1 or from the end, of which many are equal.
local function positions(length, shape, seed)
  local x = lt.randint(1, 2 * length, shape, {generator = lt.generator {seed = seed}})
  return lt.where(x:gt(length), length - x, x)
end

describe("a device of PJRT", function()
  it("reads, writes and adds elements of each dtype at positions", function()
    local i, j, k = positions(6, {9}, 3), positions(4, {9}, 4), positions(4, {6, 5}, 5)
    for n, dtype in ipairs(dtypes) do
      local x, y = elements(dtype, {6, 4}, n), elements(dtype, {9, 4}, n + 20)
      compare("rows " .. dtype, function(on) return on(x)[on(i)] end)
      compare("put rows " .. dtype, function(on) local z = on(x):clone() z[on(i)] = on(y) return z end)
      if dtype ~= "bool" then
        local a, b = elements(dtype, {6, 4}, n, true), elements(dtype, {9, 4}, n + 20, true)
        compare("add rows " .. dtype, function(on) return on(a):index_add(1, on(i), on(b)) end, true)
      end
    end
    local x, y = elements("int16", {6, 4}, 1), elements("int16", {9, 4}, 2)
    compare("two indices", function(on) return on(x)[{on(i), on(j)}] end)
    compare("two indices, put", function(on) local z = on(x):clone() z[{on(i), on(j)}] = on(y)[{{}, 1}] return z end)
    compare("two indices, the same value", function(on) local z = on(x):clone() z[{on(i), on(j)}] = on(y)[1][1] return z end)
    compare("along a dim", function(on) return on(x):take_along_dim(on(k), 2) end)
    compare("along a dim, put", function(on) return on(x):scatter(2, on(k), on(y)[{{1, 6}, {1, 2}}]:repeat_interleave(3, 2)[{{}, {1, 5}}]) end)
    compare("along a dim, add", function(on) return on(x):scatter_add(2, on(k), on(y)[{{1, 6}, {1, 2}}]:repeat_interleave(3, 2)[{{}, {1, 5}}]) end)
    check "index"
  end)

  it("takes views with random shapes and strides at positions", function()
    local draw = cases.random(7)
    -- Returns a function that makes a view of a tensor with more elements than the view.
    local function view(on, x, kind)
      if kind == 0 then return on(x) end
      if kind == 1 then return on(x.mT:clone()).mT end
      if kind == 2 then return on(x:flip(1):clone()):flip(1) end
      return on(x:repeat_interleave(2, 1):clone())[{{1, 2 * x.shape[1], 2}}]
    end
    for n = 1, 16 do
      local dtype, rows, columns, count = dtypes[draw(15) + 1], draw(5) + 1, draw(5) + 1, draw(6)
      local x, kind, other, inner = elements(dtype, {rows, columns, 3}, n), draw(4), draw(4), draw(2) == 1
      local p = positions(inner and columns or rows, {count}, n)
      local y = elements(dtype, inner and {rows, count, 3} or {count, columns, 3}, n + 50)
      local function at(on) local q = on(p:flip(1)):flip(1) return inner and {{}, q} or {q} end
      compare(n .. " get " .. dtype, function(on) return view(on, x, kind)[at(on)] end)
      compare(n .. " put " .. dtype, function(on)
        local z = view(on, x, kind):clone()
        local part = z[{{}, {}, {1, 3, 2}}]
        part[at(on)] = count > 0 and view(on, y, other)[{{}, {}, {1, 3, 2}}] or 1
        return z
      end)
    end
    check "index"
  end)

  it("raises the CPU's errors about positions, and writes nothing", function()
    local x = lt.arange(10, {device = "xla"})
    local function fails(f) assert.error_matches(f, "index 11 in dim 1: out of range for length 10") end
    fails(function() return x[lt.tensor({1, 11}, {device = "xla"})] end)
    fails(function() return x[lt.arange(9, 12, {device = "xla"}) + 0] end)
    fails(function() x[lt.tensor({1, 11}, {device = "xla"})] = 5 end)
    assert.error_matches(function() return x[lt.zeros(2, {dtype = "int64", device = "xla"})] end, "index 0")
    assert.same(lt.arange(10):totable(), x:totable())
  end)

  it("sorts elements of each dtype stably", function()
    for n, dtype in ipairs(ordered) do
      local x, options = elements(dtype, {2, 400}, n), {dim = 2, descending = n % 2 == 0}
      compare("sort " .. dtype, function(on) return on(x):sort(options) end)
      compare("argsort " .. dtype, function(on) return on(x):argsort(options) end)
    end
    local x = lt.tensor{{0, -0.0, 0 / 0, 5e-324, -5e-324, math.huge, -math.huge, 0}, {2, 1, 2, 1, 2, 1, 2, 1}}
    compare("zeros", function(on) return on(x):argsort(2) end)
    compare("columns", function(on) return (on(x.mT):sort {dim = 1, descending = true}) end)
    compare("topk", function(on) return (on(x):topk(3)) end)
    compare("places of topk", function(on) return select(2, on(x):topk(3)) end)
    compare("one element", function(on) return on(x)[1][2]:sort() end)
    check "sort"
  end)

  it("searches sorted elements of each dtype", function()
    for n, dtype in ipairs(ordered) do
      local x, v = elements(dtype, {3, 13}, n):sort(2), elements(dtype, {3, 50}, n)
      compare("search " .. dtype, function(on) return lt.searchsorted(on(x), on(lt.concat({v, x}, 2)), {right = n % 2 == 0}) end)
    end
    check "search"
  end)

  it("permutes like the CPU, and makes its ranges", function()
    for _, n in ipairs {1, 2, 1000} do
      local function draw(device) return lt.permutation(n, {device = device, generator = lt.generator {seed = n}}) end
      beside.queue("permutation of " .. n, draw "cpu", draw "xla")
    end
    check "random"
    for _, r in ipairs {{1, -2, -0.1}, {1e4, 1e4 + 50, 0.7}, {-1e-3, 1e-3, 1.7e-5}, {5, -100, -7}, {0, 127, 1}} do
      for _, dtype in ipairs {"int8", "int64", "float16", "float32", "float64"} do
        local function make(device) return lt.arange(r[1], r[2], r[3], {dtype = dtype, device = device}) end
        if math.type(r[3]) == "integer" or dtype:find "float" then
          beside.queue(("%s to %s by %s %s"):format(r[1], r[2], r[3], dtype), make "cpu", make "xla")
        end
      end
    end
    check "arange"
  end)
end)
