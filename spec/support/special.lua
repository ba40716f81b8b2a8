-- Reads tables of special cases (special_real.lua): names of sets become values of a dtype, results become checks.
local reference = require "spec.support.reference"
local info = reference.dtype.info

local special = {}

local inf = math.huge
local nan = string.unpack("<d", string.pack("<i8", 0x7ff8 << 48))
local minus_nan = string.unpack("<d", string.pack("<i8", 0xfff8 << 48))

-- The sign bit, also of zeros and NaNs.
local function is_negative(x) return string.pack(">d", x):byte() >= 0x80 end
local function with_sign(x, negative) return negative and -math.abs(x) or math.abs(x) end

-- ---- operands ----

local function negated(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = -x end
  return out
end

local function join(...)
  local out = {}
  for _, list in ipairs {...} do table.move(list, 1, #list, #out + 1, out) end
  return out
end

local function filter(list, keep)
  local out = {}
  for _, x in ipairs(list) do if keep(x) then out[#out + 1] = x end end
  return out
end

-- The sets of values of a float dtype.
local function make_sets(t)
  local limit = 2.0 ^ t.bits                     -- from here on every number is even
  local positive = {t.smallest, t.smallest_normal, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, limit - 1, limit, t.max}
  local nonzero = join(positive, negated(positive))
  local finite, number = join({0.0, -0.0}, nonzero), join({0.0, -0.0, inf, -inf}, nonzero)
  local function fraction(x) return x % 1 ~= 0 end
  local function odd(x) return x % 2 == 1 end
  local function but_odd(x) return not odd(x) end
  local above, below = join(positive, {inf}), negated(join(positive, {inf}))
  return {
    any = join(number, {nan, minus_nan}), ["not NaN"] = number, finite = finite, nonzero = nonzero,
    NaN = {nan, minus_nan}, ["+NaN"] = {nan}, ["-NaN"] = {minus_nan},
    ["+inf"] = {inf}, ["-inf"] = {-inf}, ["±inf"] = {inf, -inf}, ["+0"] = {0.0}, ["-0"] = {-0.0}, ["±0"] = {0.0, -0.0},
    positive = positive, negative = negated(positive), ["> 0"] = above, ["< 0"] = below,
    ["> 1"] = filter(above, function(x) return x > 1 end), ["< 1"] = filter(number, function(x) return x < 1 end),
    ["< -1"] = filter(below, function(x) return x < -1 end),
    ["not 0"] = filter(join(number, {nan}), function(x) return x ~= 0 end),
    ["not 1"] = filter(join(number, {nan}), function(x) return x ~= 1 end),
    ["abs 1"] = {1.0, -1.0}, ["abs < 1"] = filter(finite, function(x) return math.abs(x) < 1 end),
    ["abs > 1"] = filter(number, function(x) return math.abs(x) > 1 end),
    ["odd > 0"] = filter(positive, odd), ["odd < 0"] = negated(filter(positive, odd)),
    ["not odd > 0"] = join(filter(positive, but_odd), {inf}),
    ["not odd < 0"] = negated(join(filter(positive, but_odd), {inf})),
    fraction = filter(nonzero, fraction), integral = filter(finite, function(x) return not fraction(x) end),
    least = {t.smallest}, ["-least"] = {-t.smallest}, largest = {t.max}, ["-largest"] = {-t.max},
    ["half largest"] = {t.max / 2}, ["below 0.5"] = {0.5 - t.eps / 4}, ["above 0.5"] = {0.5 + t.eps / 2},
  }
end

-- Operands that are made of the first one.
local dependent = {
  ["x"] = function(x) return x end,
  ["-x"] = function(x) return -x end,
}

-- ---- results: a value and how it is compared ----

local function exactly(f) return function(...) return f(...), "exactly" end end
local function roughly(x) return function() return x, "roughly" end end

local results = {
  NaN = function() return nan, "NaN" end,
  ["+NaN"] = function() return nan, "sign" end,
  ["-NaN"] = function() return minus_nan, "sign" end,
  ["0"] = function() return 0.0, "zero" end,
  ["sign x*y"] = function(_, x, y) return with_sign(1.0, is_negative(x) ~= is_negative(y)), "sign" end,
  ["inf, sign x*y"] = exactly(function(_, x, y) return with_sign(inf, is_negative(x) ~= is_negative(y)) end),
  ["0, sign x*y"] = exactly(function(_, x, y) return with_sign(0.0, is_negative(x) ~= is_negative(y)) end),
  x = exactly(function(_, x) return x end), ["-x"] = exactly(function(_, x) return -x end),
  y = exactly(function(_, _, y) return y end), ["-y"] = exactly(function(_, _, y) return -y end),
  ["|x|"] = exactly(function(_, x) return with_sign(x, false) end),
  ["-|x|"] = exactly(function(_, x) return with_sign(x, true) end),
  ["|y|"] = exactly(function(_, _, y) return with_sign(y, false) end),
  ["+inf"] = exactly(function() return inf end), ["-inf"] = exactly(function() return -inf end),
  ["+0"] = exactly(function() return 0.0 end), ["-0"] = exactly(function() return -0.0 end),
  ["true"] = exactly(function() return true end), ["false"] = exactly(function() return false end),
  least = exactly(function(t) return t.smallest end), ["-least"] = exactly(function(t) return -t.smallest end),
  largest = exactly(function(t) return t.max end), ["-largest"] = exactly(function(t) return -t.max end),
  ["1 + epsilon"] = exactly(function(t) return 1 + t.eps end),
  ["largest/sqrt(2)"] = function(t) return t.max / math.sqrt(2), "roughly" end,
  ["pi"] = roughly(math.pi), ["-pi"] = roughly(-math.pi), ["pi/2"] = roughly(math.pi / 2),
  ["-pi/2"] = roughly(-math.pi / 2), ["pi/4"] = roughly(math.pi / 4), ["-pi/4"] = roughly(-math.pi / 4),
  ["3pi/4"] = roughly(3 * math.pi / 4), ["-3pi/4"] = roughly(-3 * math.pi / 4),
}

local function result_of(text)
  local number = tonumber(text)
  if number and number ~= 0 then return function() return number + 0.0, "exactly" end end
  return assert(results[text], "no such result: " .. text)
end

local compare = {
  exactly = function(got, want)
    if want ~= want then return got ~= got end
    return got == want and (want ~= 0 or is_negative(got) == is_negative(want))
  end,
  NaN = function(got) return got ~= got end,
  zero = function(got) return got == 0 end,
  sign = function(got, want) return (got == got) == (want == want) and is_negative(got) == is_negative(want) end,
  roughly = function(got, want, t) return math.abs(got - t.round(want)) <= t.ulp(want) end,
}

-- ---- rows ----

local function split(text, separator)
  local parts = {}
  for part in (text .. separator):gmatch("%s*(.-)%s*" .. separator) do parts[#parts + 1] = part end
  return parts
end

-- Calls f with each choice of values of the sets that operands k, k + 1, … name.
local function each_choice(names, sets, f, chosen)
  local k = #chosen + 1
  if k > #names then return f(chosen) end
  local name = names[k]
  local set = k > 1 and dependent[name] and {dependent[name](chosen[1])} or sets[name] or {tonumber(name)}
  assert(#set > 0, "no such operand: " .. name)
  for _, x in ipairs(set) do
    chosen[k] = x * 1.0
    each_choice(names, sets, f, chosen)
  end
  chosen[k] = nil
end

--- Cases of a function, from the text of its rows, for a float dtype: operands, one list each, and a list of
--- {row, want, how}.
function special.expand(text, dtype)
  local t = info[dtype]
  local sets, operands, checks = make_sets(t), {}, {}
  for row in text:gmatch "[^\n]+" do
    local left, right = row:match "^%s*(.-)%s*%->%s*(.-)%s*$"
    local result = result_of(assert(right, row))
    each_choice(split(left, ";"), sets, function(chosen)
      local want, how = result(t, table.unpack(chosen))
      checks[#checks + 1] = {row = left .. " -> " .. right, want = want, how = how}
      for k, x in ipairs(chosen) do
        operands[k] = operands[k] or {}
        operands[k][#checks] = x
      end
    end, {})
  end
  return operands, checks
end

--- Is `got` what check wants? got: a float of dtype, or a boolean.
function special.fits(check, got, dtype) return compare[check.how](got, check.want, info[dtype]) end

--- A number as an error message shows it: with the sign of zeros and NaNs.
function special.show(x)
  if type(x) ~= "number" then return tostring(x) end
  if x ~= x then return is_negative(x) and "-NaN" or "NaN" end
  return ("%.9g"):format(x)
end

special.is_negative = is_negative

return special
