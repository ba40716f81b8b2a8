-- tags: process
-- Every element-wise op, constant power, gradient of an activation and conversion, for each dtype, on a device of a plugin of
-- PJRT, which LUATENSOR_PJRT_XLA names. The results of the CPU are the oracle. The inputs are random bit patterns, moderate
-- numbers and special values.

local bits = require "spec.support.bits"
local beside = require "spec.pjrt.beside"
local lt = require "luatensor"
local tolerances = require "spec.pjrt.tolerances"

if not beside.plugin "ops on a device of PJRT" then return end

local AT_ONCE = 64                       -- results that a program computes: many programs take long to compile

-- Returns x with 0 in place of numbers below `factor` times the smallest normal number. XLA:CPU counts subnormal numbers as 0.
local function flushed(x, factor)
  if x.dtype:find "^complex" then return lt.view_as_complex(flushed(lt.view_as_real(x), factor)) end
  if not x.dtype:find "float" then return x end
  return lt.where(x:abs():less((factor or 1) * lt.finfo(x.dtype).smallest_normal), 0, x)
end

-- Returns the result of a function that takes one tensor, for each input of each dtype.
local function each_input(inputs, f)
  local out = {}
  for dtype, list in pairs(inputs) do
    out[dtype] = {}
    for k, x in ipairs(list) do out[dtype][k] = f(x) end
  end
  return out
end

-- Returns the row of a result's name, such as "exp float32", "power 3 of int8" or "gradient of gelu float16".
local function row_of(name) return tolerances[name:match "^(.+) of %w+$" or name:match "^(.*) %w+$"] or tolerances[name:match "^(%w+) "] end

local function real_dtype(dtype) return dtype == "complex64" and "float32" or dtype == "complex128" and "float64" or dtype end

-- Returns the tolerance of a row for a result of a dtype, in units of the last place.
local function tolerance(row, dtype, of_complex)
  if of_complex then return row and row.complex or 0 end
  if dtype:find "float16" then return row and 1 or 0 end
  local real = row and row.real or 0
  return type(real) == "table" and real[dtype == "float64" and 2 or 1] or real
end

-- Returns nil if the results agree, otherwise a text about the worst element.
local function difference(name, got, want)
  local row, is_complex = row_of(name), want.dtype:find "^complex"
  if got.dtype ~= want.dtype then return ("%s: dtype %s instead of %s"):format(name, got.dtype, want.dtype) end
  if not (is_complex or want.dtype:find "float") then
    local wrong = got:not_equal(want):sum():item()
    return wrong > 0 and ("%s: %d elements differ"):format(name, wrong) or nil
  end
  if row and (row.moderate or name:find "complex") then got, want = bits.moderate(got), bits.moderate(want) end
  local info, most_allowed = lt.finfo(real_dtype(want.dtype)), tolerance(row, want.dtype, name:find "complex")
  local wide = is_complex and "complex128" or "float64"
  got, want = flushed(got, 8):to(wide), flushed(want, 8):to(wide)
  local same = got:equal(want):logical_or(got:isnan():logical_and(want:isnan()))
  local off = (got - want):abs() / (lt.maximum(want:abs(), row and row.floor or info.smallest_normal) * info.eps)
  off = lt.where(same, 0, lt.where(off:isfinite(), off, math.huge))
  local most, at = off:max():item(), off:argmax():item()
  if most <= most_allowed then return nil end
  return ("%s: %.3g units of the last place: %s instead of %s"):format(name, most, got[at], want[at])
end

describe("each op on a device of PJRT", function()
  it("gives the CPU's results", function()
    local here = each_input(bits.inputs(), flushed)
    local there = each_input(here, function(x) return x:to "xla" end)
    local want, waiting, problems, count = {}, {}, {}, 0
    bits.each(here, function(name, x) want[name] = x end)
    local function check()
      for _, item in ipairs(waiting) do
        problems[#problems + 1] = difference(item[1], item[2]:to "cpu", want[item[1]])
      end
      waiting = {}
    end
    bits.each(there, function(name, x)
      count = count + 1
      assert.equal("xla:0", x.device, name)
      waiting[#waiting + 1] = {name, x}
      if #waiting == AT_ONCE then check() end
    end)
    check()
    table.sort(problems)
    assert.equal("", table.concat(problems, "\n"))
    assert.is_true(count > 1300)
  end)
end)

-- Asserts that the queued results are the CPU's within the dtype's row of `rtol`. Returns their number.
local function check(rtol)
  return beside.check(function(got, want)
    local most = rtol[want.dtype]
    local agree = most and lt.isclose(got, want, {rtol = most, atol = most, equal_nan = true}) or got:equal(want)
    return agree:all():item()
  end)
end

local line_kinds = {reduction = true, scan = true, softmax = true}
local sums = {float16 = 2 ^ -10, bfloat16 = 2 ^ -7, float32 = 1e-6, float64 = 1e-12, complex64 = 1e-6, complex128 = 1e-12}

describe("a device of PJRT", function()
  it("reduces, scans and normalises lines", function()
    local count, waiting = 0, 0
    for name, op in bits.ops() do
      for _, dtype in ipairs(line_kinds[op.kind] and op.dtypes or {}) do
        local x = bits.moderate(bits.input(dtype, 1)):reshape(16, 8, 8)
        if name:find "prod" then x = x[{{}, {}, {1, 4}}] end
        for _, dim in ipairs {1, 3} do
          beside.queue(("%s %s, dim %d"):format(name, dtype, dim), lt[name](x, dim), lt[name](x:to "xla", dim))
          waiting = waiting + 1
        end
        if waiting >= AT_ONCE then count, waiting = count + check(sums), 0 end
      end
    end
    assert.is_true(count + check(sums) > 300)
  end)

  it("draws the CPU's random numbers", function()
    local function draw(name, f)
      local function drawn(device)
        return f {device = device, generator = lt.generator {seed = 0x123456789abcde}}
      end
      beside.queue(name, drawn "cpu", drawn "xla")
    end
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
      local function with(o) o.dtype = dtype return o end
      draw("rand " .. dtype, function(o) return lt.rand(7, 31, with(o)) end)
      draw("uniform " .. dtype, function(o) return lt.uniform(-3, 5.7, {217}, with(o)) end)
      draw("randn " .. dtype, function(o) return lt.randn(217, with(o)) end)
    end
    draw("randint", function(o) return lt.randint(-5, 1000000, {217}, o) end)
    draw("randint of a wide range", function(o) return lt.randint(0, 1 << 62, {217}, o) end)
    check({float16 = 2 ^ -10, bfloat16 = 2 ^ -7, float32 = 1e-6, float64 = 1e-14})
  end)
end)
