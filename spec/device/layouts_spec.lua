-- tags: smoke unplugged
-- Compares a device's element-wise kernels with the CPU's, byte for byte, for all code paths that shapes, strides,
-- alignment and dtypes select. Here the CPU is the oracle; the specs of single ops have an independent one.
local assert = require "luassert"
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local rows = require("spec.support.reference").map

local device = helpers.device
if device == "cpu" then
  describe("layouts", function() pending("the CPU is what other devices are compared with") end)
  return
end

-- Applies f to the tensors on the CPU and to copies on the device. Returns true, or false and the difference.
local function agrees(f, ...)
  local there = {}
  for i, x in ipairs{...} do there[i] = x:to(device) end
  local want, got = f(...), f(table.unpack(there))
  if got.device ~= device then return false, "the result is on " .. got.device end
  if got.dtype ~= want.dtype then return false, ("%s, not %s"):format(got.dtype, want.dtype) end
  local a, b = want:to_bytes(), got:to_bytes()
  if a == b then return true end
  local size = #a // want.size
  for i = 0, want.size - 1 do
    if a:sub(i * size + 1, i * size + size) ~= b:sub(i * size + 1, i * size + size) then
      return false, ("element %d of %d differs: %s, not %s"):format(i + 1, want.size,
        got:reshape(-1)[i + 1]:item(), want:reshape(-1)[i + 1]:item())
    end
  end
end

local function check(label, f, ...)
  local ok, why = agrees(f, ...)
  assert(ok, label .. ": " .. tostring(why))
end

-- Returns a tensor of varying whole numbers from 0 to 100, which every dtype except bool can represent.
-- A bool tensor has zeros and ones.
local function numbers(shape, dtype)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  local x = (lt.arange(n, {device = "cpu"}) * 37):remainder(101):reshape(shape)
  return (dtype == "bool" and x:remainder(3):equal(0) or x):to(dtype)
end

local add = function(x, y) return x + y end
local copy = function(x) return x:clone() end
local moved = {"bool", "int16", "float32", "float64"}       -- one dtype of each size

describe("contiguous operands", function()
  it("of any length", function()
    for _, dtype in ipairs{"uint8", "float16", "float32", "float64"} do
      for _, n in ipairs{1, 3, 4, 15, 16, 17, 511, 1023, 1024, 2047, 2048, 2049, 4099, 8200} do
        check(("%s [%d]"):format(dtype, n), add, numbers({n}, dtype), numbers({n}, dtype))
      end
    end
  end)

  it("that begin anywhere", function()
    for first = 1, 5 do
      local tail = function(x) return x[{ {first, -1} }] end
      check("both from " .. first, function(x, y) return tail(x) + tail(y) end,
            numbers({3001}, "float32"), numbers({3001}, "float32"))
      check("a copy from " .. first, function(x) return tail(x):clone() end, numbers({3001}, "int16"))
      check("into the target from " .. first, function(x, y)
        tail(x):copy_(y[{ {1, 3002 - first} }])
        return x
      end, numbers({3001}, "float32"), numbers({3001}, "float64"))
    end
  end)

  it("with numbers and tensors of one element", function()
    local x, one = numbers({3001}, "float32"), lt.tensor({2.5}, {device = "cpu"}):reshape{}
    check("number on the right", function(a) return a - 3 end, x)
    check("number on the left", function(a) return 3 - a end, x)
    check("0-d on the right", function(a, b) return a - b end, x, one)
    check("0-d on the left", function(a, b) return b - a end, x, one)
    check("two of 0 dims", add, one, one)
    check("where", function(a) return lt.where(a:greater(50), 1.5, a) end, x)
    check("clip", function(a) return a:clip(10, 20) end, x)
  end)

  it("of no elements", function()
    check("add", add, numbers({0}, "float32"), numbers({0}, "float32"))
    check("a copy", function(x) return x.T:clone() end, numbers({0, 3}, "float32"))
  end)
end)

describe("strides", function()
  it("of rows and columns", function()
    for _, columns in ipairs{64, 63, 4, 1, 1028} do
      local x = numbers({37, columns}, "float32")
      check("[37, n] + [n], n = " .. columns, add, x, numbers({columns}, "float32"))
      check("[37, n] + [37, 1], n = " .. columns, add, x, numbers({37, 1}, "float32"))
      check("[37, n] > [37, 1], n = " .. columns, function(a, b) return a:greater(b) end, x, numbers({37, 1}, "float32"))
    end
    check("[5, 1, 8] + [3, 8]", add, numbers({5, 1, 8}, "float16"), numbers({3, 8}, "float16"))
    check("slices of rows", function(a) return a[{ {}, {5, 52} }] * 2 end, numbers({9, 64}, "float32"))
  end)

  it("of any kind", function()
    local x = numbers({6, 7, 8, 5}, "float32")
    check("permuted", function(a) return a:permute_dims(4, 2, 1, 3) + 1 end, x)
    check("permuted with itself", function(a) return a:permute_dims(3, 2, 1, 4) + a:permute_dims(3, 2, 1, 4) end, x)
    check("steps", function(a) return a[{ {1, -1, 2}, {}, {2, 8, 3}, {} }] * 2 end, x)
    check("backward", function(a) return a:flip(4):flip(2) + a end, x)
    check("into every second row", function(a)
      a[{ {1, -1, 2} }] = 7
      return a
    end, x)
    check("mixed dtypes", add, x, numbers({8, 1}, "int32"))
    check("mixed dtypes, contiguous", add, numbers({3001}, "float16"), numbers({3001}, "float32"))
    local pairs_of = {{"int32", "float32"}, {"float32", "int32"}, {"uint8", "float64"}, {"int64", "bool"}, {"bfloat16", "int8"},
                      {"float16", "complex64"}}
    for _, pair in ipairs(pairs_of) do
      local first, second = table.unpack(pair)
      local label = first .. " and " .. second
      check(label, add, numbers({4099}, first), numbers({4099}, second))
      check(label .. ", less", lt.not_equal, numbers({513}, first), numbers({513}, second))
      check(label .. ", rows", add, numbers({30, 64}, first), numbers({64}, second))
      check(label .. ", any strides", add, numbers({30, 21}, first), numbers({21, 30}, second).mT)
      check(label .. ", one element later", add, numbers({300}, first)[{{2, -1}}], numbers({299}, second))
      check(label .. ", one value", add, numbers({300}, first), numbers({1}, second))
    end
    check("a condition of another dtype", function(a, b) return lt.where(b, a, 0) end, x, numbers({5}, "int64"))
  end)

  it("of transposed copies", function()
    for _, dtype in ipairs(moved) do
      for _, shape in ipairs{{5, 7}, {32, 32}, {33, 65}, {100, 9}, {8, 300}} do
        check(dtype .. " " .. table.concat(shape, " by "), function(x) return x.T:clone() end, numbers(shape, dtype))
      end
      check(dtype .. " in a batch", function(x) return x.mT:clone() end, numbers({3, 40, 50}, dtype))
      check(dtype .. " with dims between", function(x) return x:permute_dims(4, 2, 3, 1):clone() end,
            numbers({40, 2, 3, 50}, dtype))
      check(dtype .. " of a slice", function(x) return x[{ {3, 60}, {2, 45} }].T:clone() end, numbers({70, 50}, dtype))
    end
  end)
end)

describe("copies", function()
  it("keep every bit", function()
    local words = {}
    -- signalling and quiet NaNs
    for i = 1, 600 do words[i] = string.pack("<I4", (0x7f800000 + i * 7919) & 0xffffffff) end
    local x = lt.from_bytes(table.concat(words), {20, 30}, {dtype = "float32", device = "cpu"})
    check("contiguous", copy, x)
    check("transposed", function(a) return a.T:clone() end, x)
    check("stepped", function(a) return a[{ {}, {1, -1, 2} }]:clone() end, x)
  end)

  it("of numbers fill anything", function()
    for _, fill in ipairs{{"bool", true}, {"uint8", 200}, {"int16", 0x0101}, {"int16", 7}, {"int32", -1}, {"int64", -1},
                          {"int64", 1 << 40}, {"int64", 0}, {"float16", 1.5}, {"float32", -0.0}, {"float64", 0.1}} do
      local dtype, value = table.unpack(fill)
      local x = numbers({21, 22}, dtype)
      check(dtype .. " " .. tostring(value), function(a) return a:fill_(value) end, x)
      check(dtype .. " sliced", function(a)
        a[{ {2, 9}, {3, 22, 2} }] = value
        return a
      end, x)
    end
  end)

  it("convert as the CPU does", function()
    local special = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 126.9, 127.5, 128.0, 255.5, 256.0, -1.0, -129.0, 32767.5, 65504.0,
                     65520.0,
                     2.0^31, -2.0^31 - 1, 2.0^32, 2.0^53 + 1, 2.0^63, -2.0^63, 2.0^64, 1e300, -1e300, 1e-40, 6e-8, 3e-8,
                     math.huge, -math.huge, 0.0 / 0.0}
    local integers = lt.tensor({0, 1, -1, 127, 128, 255, 32768, 65535, 1 << 24 | 1, 1 << 31, 1 << 53 | 1, math.maxinteger,
                                math.mininteger}, {dtype = "int64", device = "cpu"})
    local sources = {integers, integers:to("uint64")}
    for i, dtype in ipairs{"float64", "float32", "float16"} do
      sources[2 + i] = lt.tensor(special, {dtype = dtype, device = "cpu"})
    end
    for _, x in ipairs(sources) do
      for _, dtype in ipairs{"bool", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
                             "float32", "float64"} do
        check(x.dtype .. " to " .. dtype, function(a) return a:to(dtype) end, x)
      end
    end
  end)
end)

describe("arange", function()
  it("gives the CPU's values", function()
    for _, dtype in ipairs{"int16", "int64", "float16", "float32", "float64"} do
      check(dtype, function(x) return lt.arange(1, 901, 3, {dtype = dtype, device = x.device}) end, numbers({1}, "bool"))
    end
    check("fractions", function(x) return lt.arange(-3, 700.5, 0.3, {device = x.device}) end, numbers({1}, "bool"))
  end)
end)

-- True if the CPU has FMA. Both devices run the functions of src/math, but a CPU without FMA also rounds each product
-- before the addition.
local fused = lt.devices()[1].isa ~= "baseline"

describe("float ops", function()
  local values = {0.0, -0.0, math.huge, -math.huge, 1.0, -1.0, 0.5, 1e-40, 88.5, -88.5, 710.0, 1e6}
  for i = 1, 300 do values[#values + 1] = (i - 150) * 0.173 / (1 + i % 7) * 10.0 ^ (i % 5 - 2) end

  for name, op in pairs(lt.ops()) do
    local arity = ({unary = 1, binary = 2})[op.kind]
    if arity and rows[name].class:find("FLOAT") then
      it("give the CPU's bits: " .. name, function()
        if not fused then return pending("this CPU has no FMA") end
        for _, dtype in ipairs{"float32", "float64"} do
          local x = lt.tensor(values, {dtype = dtype, device = "cpu"})
          -- The CPU applies the formula for huge angles to a whole block of elements, a GPU only to the elements that
          -- are huge.
          if name == "sin" or name == "cos" or name == "tan" then x = x:clip(-1e4, 1e4) end
          local f = function(...)
            local r = lt[name](...)
            return r.dtype == "bool" and r or lt.where(r:isnan(), 0, r)    -- processors give different NaNs
          end
          if arity == 1 then check(dtype, f, x) else check(dtype, f, x, x:flip(1)) end
        end
      end)
    end
  end
end)
