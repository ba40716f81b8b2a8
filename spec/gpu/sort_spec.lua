-- tags: unplugged
-- Sorting on the device under test gives the CPU's bits around the sizes at which a GPU changes its algorithm. A
-- block sorts short lines in shared memory, alone or several together; longer lines take one tile or several; lines
-- of scattered elements are copied first.
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"

local device = helpers.device
local nan, inf = 0.0 / 0.0, math.huge

-- Returns a few distinct values; floats include NaN, infinities and zeros of both signs.
local function values(dtype, ...)
  local x = lt.randint(-9, 9, ...)
  if dtype == "bool" then return x:greater(0) end
  if dtype:find "uint" then return x:abs():to(dtype) end
  if not dtype:find "float" then return x:to(dtype) end
  local special = lt.tensor({nan, -inf, inf, -0.0, 0.0, nan}, {dtype = "float64"})[x:remainder(6) + 1]
  return lt.where(x:abs():less(4), special, x:to("float64")):to(dtype)
end

-- Returns random int64 values that use all bits.
local function wide_values(...)
  return lt.randint(math.mininteger, math.maxinteger, ...)
end

local function same(name, want, got)
  assert.equal(device, got.device, name)
  assert.equal(want.dtype, got.dtype, name)
  assert.same(want.shape, got.shape, name)
  assert.is_true(want:to_bytes() == got:to_bytes(), name .. ": other elements")
end

-- Checks sort, argsort and topk along dim, in both directions.
local function check(name, x, dim, view)
  local y = x:to(device)
  if view then x, y = view(x), view(y) end
  for _, down in ipairs {false, true} do
    local options = {descending = down}
    same(name .. ", sort", x:sort(dim, options), y:sort(dim, options))
    same(name .. ", argsort", x:argsort(dim, options), y:argsort(dim, options))
    for _, k in ipairs {1, math.min(x.shape[dim], 7), x.shape[dim]} do
      local v, p = x:topk(k, dim, {largest = down})
      local w, q = y:topk(k, dim, {largest = down})
      same(name .. ", values of topk", v, w)
      same(name .. ", positions of topk", p, q)
    end
  end
end

before_each(function()
  lt.set_default_device("cpu")
  lt.manual_seed(7)
end)
after_each(function() lt.set_default_device(device) end)

describe("sorting on the device", function()
  local dtypes = {"bool", "uint8", "int16", "uint64", "int64", "float16", "bfloat16", "float32", "float64"}
  for _, dtype in ipairs(helpers.drawn(dtypes, "edges")) do
    it("sorts lines around the edges of its ways: " .. dtype, function()
      for _, n in ipairs {1, 2, 31, 33, 1024, 1025} do check("3 lines of " .. n, values(dtype, 3, n), 2) end
      check("a line that a block just holds", values(dtype, 4096), 1)
      check("one element more", values(dtype, 4097), 1)
      check("some tiles", values(dtype, 2, 9000), 2)
    end)
  end

  it("sorts lines of few tiles and of many", function()
    for _, n in ipairs {16384, 131072, 131073} do check("a line of " .. n, values("int16", n), 1) end
    check("tiles of several lines", values("float64", 3, 12000), 2)
    local equal = lt.full({30000}, 7, {dtype = "int32"})
    same("equal elements", equal:argsort(), equal:to(device):argsort())
  end)

  local emulated = gpu.emulator and device ~= "cpu" and it or function(name) pending(name .. " (on the emulator)") end

  emulated("sorts 20 000 elements by 7 launches: one for each 8 bits, and three others", function()
    local x = lt.rand(20000):to(device)
    x:sort()
    local before = gpu.emulator.counts().launches
    x:sort()
    assert.equal(7, gpu.emulator.counts().launches - before)
  end)

  emulated("finds the distinct values of 20 000 elements by 12 launches", function()
    local x = lt.rand(20000):to(device)
    lt.unique_values(x)
    local before = gpu.emulator.counts().launches
    lt.unique_values(x)
    assert.equal(12, gpu.emulator.counts().launches - before)
  end)

  it("sorts many lines", function()
    for _, dtype in ipairs {"int8", "float32"} do
      check("many short lines of " .. dtype, values(dtype, 700, 3), 2)
      check("many columns of " .. dtype, values(dtype, 3, 700), 1)
      check("middle lines of " .. dtype, values(dtype, 20, 150), 2)
      check("middle columns of " .. dtype, values(dtype, 150, 20), 1)
    end
    check("long columns", values("float32", 5000, 3), 1)
  end)

  it("sorts views", function()
    local function steps(x) return x[{{2, -1, 2}, {-1, 1, -3}}] end
    check("rows of steps", values("float32", 11, 400), 2, steps)
    check("columns of steps", values("int32", 400, 11), 1, steps)
    check("broadcast", values("int64", 1, 90), 2, function(x) return x:broadcast_to(4, 90) end)
    check("broadcast along the line", values("int16", 90, 1), 2, function(x) return x:broadcast_to(90, 80) end)
    check("inner dims", values("float64", 6, 70, 2, 3), 2, function(x) return x:permute_dims(3, 2, 4, 1) end)
  end)

  -- topk takes the first elements of each sorted chunk of a line as candidates. One block of threads sorts them; many
  -- candidates are sorted as pairs of key and position.
  it("takes few of long lines", function()
    for _, dtype in ipairs(helpers.drawn({"uint8", "float16", "int32", "float64"}, "few of long lines")) do
      local x = values(dtype, 2, 60000)
      local y = x:to(device)
      for _, k in ipairs {1, 3, 273, 274, 900, 1000, 1001} do
        for _, largest in ipairs {true, false} do
          local v, p = x:topk(k, {largest = largest})
          local w, q = y:topk(k, {largest = largest})
          same(("values of %d of %s"):format(k, dtype), v, w)
          same(("positions of %d of %s"):format(k, dtype), p, q)
        end
      end
    end
    local ends = lt.full({4200}, nan)
    same("NaN up to the end", select(2, ends:topk(500)), select(2, ends:to(device):topk(500)))
    same("and reversed", select(2, ends:topk(500, {largest = false})), select(2, ends:to(device):topk(500, {largest = false})))
  end)

  it("sorts all bits of a key", function()
    for _, dtype in ipairs(helpers.drawn({"int64", "uint64", "uint32", "int32", "uint16", "int8"}, "bits")) do
      check("short lines of " .. dtype, wide_values(3, 500):to(dtype), 2)
      check("a long line of " .. dtype, wide_values(6000):to(dtype), 1)
    end
    local floats = wide_values(6000):to_bytes()
    check("bits as float64", lt.from_bytes(floats, {6000}, {dtype = "float64"}), 1)
    check("bits as float32", lt.from_bytes(floats, {2, 6000}, {dtype = "float32"}), 2)
    check("bits as bfloat16", lt.from_bytes(floats, {12, 2000}, {dtype = "bfloat16"}), 2)
  end)

  it("sorts on two streams one after the other", function()
    if device == "cpu" then return pending("a CPU has no streams") end
    local x = lt.randint(-9, 9, 3, 5000):to("float32")          -- without NaN, whose bits a product may change
    local y, other = x:to(device), lt.stream(device)
    local sorted
    lt.with_stream(other, function() sorted = (y * 2):sort(2) end)
    same("what another stream made", x:multiply(2):sort(2):sort(1), sorted:sort(1))
  end)
end)
